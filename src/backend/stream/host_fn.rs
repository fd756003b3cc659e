//! User code that a stream calls.

use std::cell::Cell;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr;

use crate::algo::thread::per_thread::per_thread;

/// User code, to be called exactly once: a C function with its argument, or a closure.
///
/// Two words, which calls pass in registers: a closure is identified by its function, `CLOSURE`, and the argument
/// points to it.
pub struct HostFn {
    function: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
}

struct Closure {
    code: Box<dyn FnOnce() + Send>,
    calls_backend: bool,
}

/// The function of every closure. Compared in one place only, because functions may have more than one address.
static CLOSURE: unsafe extern "C" fn(*mut c_void) = call_closure;

/// # Safety
/// `closure` is a box of a `Closure`, which is given away.
unsafe extern "C" fn call_closure(closure: *mut c_void) {
    // SAFETY: the argument is the boxed closure that came along with this function, which is called
    // once.
    let closure = unsafe { Box::from_raw(closure.cast::<Closure>()) };
    (closure.code)();
}

// SAFETY: the C contract of the call that created it says that the function may run on any thread, and the caller is
// responsible for what its argument points to. Closures are `Send`.
unsafe impl Send for HostFn {}

per_thread! {
    static INSIDE: Cell<bool> = Cell::new(false);
}

/// True while this thread runs user code on behalf of a stream.
pub fn inside_host_function() -> bool {
    INSIDE.get()
}

/// Runs user code that is no [`HostFn`].
pub(in crate::backend) fn as_user_code<R>(code: impl FnOnce() -> R) -> R {
    let outer = INSIDE.replace(true);
    let result = code();
    INSIDE.set(outer);
    result
}

impl HostFn {
    /// Wraps what a caller handed over.
    ///
    /// # Safety
    /// `function` must be callable once, from any thread, with `argument`; if it becomes part of a
    /// graph, once in each of its runs.
    pub unsafe fn new(function: unsafe extern "C" fn(*mut c_void), argument: *mut c_void) -> Self {
        Self { function, argument }
    }

    /// Wraps a closure that runs user code.
    pub fn from_closure(closure: impl FnOnce() + Send + 'static) -> Self {
        Self::of(Closure { code: Box::new(closure), calls_backend: false })
    }

    /// Wraps a closure that calls streams of the backend, and waits for them; never for the one that runs this. If a
    /// device does not support that, queueing it is a fault.
    pub fn from_backend_calls(closure: impl FnOnce() + Send + 'static) -> Self {
        Self::of(Closure { code: Box::new(closure), calls_backend: true })
    }

    fn of(closure: Closure) -> Self {
        Self { function: CLOSURE, argument: Box::into_raw(Box::new(closure)).cast() }
    }

    /// Whether it calls a backend.
    pub fn calls_backend(&self) -> bool {
        // SAFETY: it is one, and lives as long as `self`.
        self.is_closure() && unsafe { &*self.argument.cast::<Closure>() }.calls_backend
    }

    fn is_closure(&self) -> bool {
        ptr::fn_addr_eq(self.function, CLOSURE)
    }

    /// For a graph, which calls it in each run; `None` if it can only be called once.
    pub fn repeated(&self) -> Option<RepeatedFn> {
        let Self { function, argument } = *self;
        (!self.is_closure()).then_some(RepeatedFn { function, argument })
    }

    /// Calls the user's function. No lock of this library may be held.
    pub fn run(self) {
        let once = ManuallyDrop::new(self);
        as_user_code(|| {
            if once.is_closure() {
                // SAFETY: it is one, and `once` does not drop it.
                let closure = unsafe { Box::from_raw(once.argument.cast::<Closure>()) };
                (closure.code)();
            } else {
                // SAFETY: the promise of `new`; `self` is consumed, so it happens once.
                unsafe { (once.function)(once.argument) };
            }
        });
    }
}

impl Drop for HostFn {
    fn drop(&mut self) {
        if self.is_closure() {
            // SAFETY: it is one that was not called.
            drop(unsafe { Box::from_raw(self.argument.cast::<Closure>()) });
        }
    }
}

/// User code that a graph calls.
#[derive(Clone, Copy)]
pub struct RepeatedFn {
    function: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
}

// SAFETY: as for `HostFn`.
unsafe impl Send for RepeatedFn {}
// SAFETY: shared references only call the function, and one run of a graph ends before the next
// begins.
unsafe impl Sync for RepeatedFn {}

impl RepeatedFn {
    /// Calls it as [`HostFn::run`] does, once in a run of its graph.
    pub fn run(&self) {
        // SAFETY: the promise of `HostFn::new`, about graphs.
        as_user_code(|| unsafe { (self.function)(self.argument) });
    }

    /// The address of the function, for pictures of graphs.
    pub fn address(&self) -> usize {
        self.function as usize
    }
}

#[cfg(test)]
#[path = "host_fn_tests.rs"]
mod tests;
