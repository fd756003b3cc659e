//! The guard of every entry.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::algo::thread::cancellation;
use crate::assembly;
use crate::backend::trace;
use crate::base::value::{Out, write_unless_null};
use crate::core::base::error::{self, Code, Error, Result, param_invalid, unsupported};
use crate::core::base::gate::{self, Binding};
use crate::core::base::host_memory;
use crate::core::process::snapshot;
use crate::core::runtime;

/// Runs the body of the API function `call` and turns its result into a code. Keeps the text of a failure for
/// `aclGetRecentErrMsg`. A panic, which is a defect of this library, becomes `ACL_ERROR_INTERNAL_ERROR` instead of
/// ending the process.
#[inline]
pub fn guard(call: &'static str, body: impl FnOnce() -> Result<()>) -> i32 {
    let guarded = || {
        if !gate::is_open() {
            check_slow(call)?;
        }
        body()
    };
    match catch_unwind(AssertUnwindSafe(guarded)) {
        Ok(Ok(())) => 0,
        Ok(Err(failure)) => report(call, failure),
        Err(panic) => report_panic(call, panic),
    }
}

/// Runs the body of an API function with one result behind a pointer. Null is an error that names `argument`, and only
/// a success writes.
#[inline]
pub fn guard_out<T>(call: &'static str, argument: &str, pointer: *mut T, body: impl FnOnce() -> Result<T>) -> i32 {
    guard(call, || {
        let out = Out::new(argument, pointer)?;
        out.write(body()?);
        Ok(())
    })
}

/// Runs the body of an API function with two results behind pointers, which come with the names of their arguments.
/// Null is an error, and only a success writes.
#[inline]
pub fn guard_outs<A, B>(
    call: &'static str,
    (name_a, a): (&str, *mut A),
    (name_b, b): (&str, *mut B),
    body: impl FnOnce() -> Result<(A, B)>,
) -> i32 {
    guard(call, || {
        let (out_a, out_b) = (Out::new(name_a, a)?, Out::new(name_b, b)?);
        let (value_a, value_b) = body()?;
        out_a.write(value_a);
        out_b.write(value_b);
        Ok(())
    })
}

/// Runs the body of an API function with a result that the caller need not request: a null pointer requests none.
#[inline]
pub fn guard_optional<T>(call: &'static str, pointer: *mut T, body: impl FnOnce() -> Result<T>) -> i32 {
    guard(call, || {
        write_unless_null(pointer, body()?);
        Ok(())
    })
}

/// Runs the body of an API function that returns a value. A failure returns `fallback`.
#[inline]
pub fn guard_value<T>(call: &'static str, fallback: T, body: impl FnOnce() -> Result<T>) -> T {
    guard_value_anywhere(call, fallback, || {
        if !gate::is_open() {
            check_slow_value(call)?;
        }
        body()
    })
}

/// Runs the body of an API function that reports failures or only computes, and returns a value. Its result could not
/// be distinguished from a refusal, so it also works in a forked child.
#[inline]
pub fn guard_value_anywhere<T>(call: &'static str, fallback: T, body: impl FnOnce() -> Result<T>) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => return value,
        Ok(Err(failure)) => report(call, failure),
        Err(panic) => report_panic(call, panic),
    };
    fallback
}

/// The whole body of an entry that is not supported: `why` names what is missing and the alternative. Out of line,
/// because there are hundreds of these and each would contain the guard.
#[cold]
#[inline(never)]
pub fn guard_unsupported(call: &'static str, why: &'static str) -> i32 {
    guard(call, || Err(unsupported!("{why}")))
}

/// The checks of all other calls: none works in a forked child, none begins without host memory, and all wait while the
/// process is locked for a snapshot, or for its turn in a schedule; a trace notes the rest. One load, before this,
/// covers all of it.
#[cold]
#[inline(never)]
fn check_slow(call: &'static str) -> Result<()> {
    refuse_in_child()?;
    gate::wait_for_turn(call);
    host_memory::enter(call)?;
    snapshot::pass_gate(call)?;
    trace::begin_call(call);
    Ok(())
}

/// The checks of calls that return a value: none works in a forked child, and none begins without host memory. None of
/// them needs a device, so none waits.
#[cold]
fn check_slow_value(call: &str) -> Result<()> {
    refuse_in_child()?;
    host_memory::enter(call)
}

/// A forked child has this library's memory but none of its threads, and no device: if the parent had one, every call
/// fails in the child at once. Otherwise the child's first call starts afresh.
#[cold]
fn refuse_in_child() -> Result<()> {
    // This happens before the gate opens, because calls of other threads need it.
    assembly::install();
    if gate::open_first() {
        // SAFETY: the handlers of the parent may do anything; the one of the child unlocks what its thread has locked,
        // and stores to atomics, which a child of a process with several threads may do. If there is no memory to
        // register them, forked children go unnoticed, which is all that can be done about it.
        unsafe { libc::pthread_atfork(Some(before_fork), Some(enter_parent), Some(enter_child)) };
    }
    if gate::is(gate::FRESH) {
        gate::open_in_child(runtime::start_afresh);
    }
    if !gate::is(gate::CHILD) {
        return Ok(());
    }
    Err(match (gate::is_bound_to(Binding::Driver), gate::is_bound()) {
        (true, _) => param_invalid!(
            "called in a forked child of a process that has started the CUDA driver, but the driver does not work in a \
             child; fork before aclInit and before any query except aclrtGetDeviceCount, or start a new program (spawn)"
        ),
        (false, false) => param_invalid!(
            "called in a child that was forked while the parent was locked for a snapshot, or while another thread of \
             the parent was in aclInit, aclFinalize or a query, which did not end within 10 seconds; fork before these \
             calls or after them"
        ),
        (false, true) => param_invalid!(
            "called in a forked child of a process that has opened a device, has allocated or registered host memory, \
             or runs threads of the library: the child has none of these; fork before the parent's first \
             aclrtSetDevice, aclrtMallocHost or aclrtHostRegister (queries may come earlier), or start a new program \
             (spawn)"
        ),
    })
}

unsafe extern "C" fn before_fork() {
    runtime::before_fork();
}

unsafe extern "C" fn enter_parent() {
    runtime::after_fork();
}

unsafe extern "C" fn enter_child() {
    gate::close_in_child(runtime::after_fork());
    // The lock of the process-wide text may have been held by a thread that the child lacks.
    error::share_texts(false);
}

/// Takes ownership of the failure, so that entries do not contain the code that frees it.
#[cold]
#[inline(never)]
fn report(call: &str, failure: Error) -> i32 {
    error::report(call, failure.value(), failure.text())
}

#[cold]
fn report_panic(call: &str, mut panic: Box<dyn Any + Send>) -> i32 {
    cancellation::continue_end(&mut *panic);
    let said = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no text");
    let text = format!("this is a defect in portacl: {said}; report it");
    error::report(call, Code::InternalError.value(), &text)
}
