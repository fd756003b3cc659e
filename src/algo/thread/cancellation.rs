//! Threads that the program cancels (`pthread_cancel`), or ends inside a callback (`pthread_exit`).
//!
//! glibc ends a cancelled thread at the next *cancellation point*, which most functions with a system call are, by an
//! unwinding that nothing may stop. The library has no cancellation point: `uncancelled.c` turns cancellation off
//! during its calls of such functions. Code that the library does not link to, such as a driver, runs in
//! [`without`]. Code of the program that runs inside a call keeps the caller's state, in [`run_user_code`].

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::panic::resume_unwind;
use std::ptr;

use super::quiet_thread;

unsafe extern "C" {
    /// A function of POSIX, which the crate `libc` does not declare.
    fn pthread_setcancelstate(state: c_int, before: *mut c_int) -> c_int;
}

unsafe extern "C-unwind" {
    fn portacl_run_cancellable(
        code: unsafe extern "C-unwind" fn(*mut c_void),
        data: *mut c_void,
        rest: *mut Rest,
    ) -> c_int;
    fn portacl_end_thread(rest: *mut Rest) -> !;
}

const PTHREAD_CANCEL_DISABLE: c_int = 1;

/// Turns cancellation of the calling thread off until it is dropped. Threads of the library are never cancelled.
struct Off {
    /// The state that a thread of the program had.
    before: Option<c_int>,
}

impl Off {
    #[inline]
    fn new() -> Self {
        if quiet_thread::is_current() {
            return Self { before: None };
        }
        let mut before = 0;
        // SAFETY: a valid state, and room for the earlier one.
        unsafe { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &raw mut before) };
        Self { before: Some(before) }
    }
}

impl Drop for Off {
    #[inline]
    fn drop(&mut self) {
        if let Some(before) = self.before {
            // SAFETY: the state that the thread had.
            unsafe { pthread_setcancelstate(before, ptr::null_mut()) };
        }
    }
}

/// Runs code that may contain cancellation points, with cancellation off.
#[inline]
pub fn without<R>(code: impl FnOnce() -> R) -> R {
    let _off = Off::new();
    code()
}

/// What glibc needs to continue the end of a thread: a `__pthread_unwind_buf_t`.
#[repr(C, align(16))]
struct Rest([usize; 32]);

/// The payload of the panic by which the library leaves a call whose thread is to end.
struct ThreadEnds(Rest);

/// Runs code of the program on one of its threads, with the thread's cancellation state. If the thread ends inside, the
/// library unwinds to the entry of the call, which calls [`continue_end`].
pub fn run_user_code<R>(code: impl FnOnce() -> R) -> R {
    unsafe extern "C-unwind" fn enter<F: FnOnce() -> R, R>(call: *mut c_void) {
        // SAFETY: the call below, which waits for this function.
        let call = unsafe { &mut *call.cast::<(Option<F>, Option<R>)>() };
        if let Some(code) = call.0.take() {
            call.1 = Some(code());
        }
    }
    fn enter_of<F: FnOnce() -> R, R>(_: &(Option<F>, Option<R>)) -> unsafe extern "C-unwind" fn(*mut c_void) {
        enter::<F, R>
    }
    let mut call = (Some(code), None::<R>);
    let enter = enter_of(&call);
    let mut rest = Rest([0; 32]);
    // SAFETY: `enter` expects this pointer, and the structure for the end of the thread fits into `rest`.
    let ends = unsafe { portacl_run_cancellable(enter, (&raw mut call).cast(), &raw mut rest) } != 0;
    if ends {
        resume_unwind(Box::new(ThreadEnds(rest)));
    }
    call.1.expect("the code has run")
}

/// Continues the end of the calling thread if this is the payload of the panic that [`run_user_code`] began. The caller
/// is the entry of a call: all frames of the library that have something to release are gone.
pub fn continue_end(panic: &mut (dyn Any + Send)) {
    if let Some(ThreadEnds(rest)) = panic.downcast_mut() {
        // SAFETY: glibc has filled it on this thread, and the frame whose handler it names first is still there.
        unsafe { portacl_end_thread(rest) };
    }
}

#[cfg(test)]
#[path = "cancellation_tests.rs"]
mod tests;
