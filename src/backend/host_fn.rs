//! User code that a stream calls.

use std::cell::Cell;
use std::ffi::c_void;

/// User code, to be called exactly once.
pub struct HostFn(Code);

enum Code {
    /// A C function with its argument.
    Function(unsafe extern "C" fn(*mut c_void), *mut c_void),
    Closure(Box<dyn FnOnce() + Send>),
    /// One that calls a backend.
    BackendCalls(Box<dyn FnOnce() + Send>),
}

// SAFETY: the C contract of the call that made it says that the function may run on any thread,
// and that what its argument points to is the caller's business.
unsafe impl Send for HostFn {}

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// True while this thread runs user code on behalf of a stream.
pub fn inside_host_function() -> bool {
    INSIDE.get()
}

/// Runs user code that is no [`HostFn`].
pub(super) fn as_user_code<R>(code: impl FnOnce() -> R) -> R {
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
        Self(Code::Function(function, argument))
    }

    /// Wraps what ends up in user code.
    pub fn from_closure(closure: impl FnOnce() + Send + 'static) -> Self {
        Self(Code::Closure(Box::new(closure)))
    }

    /// Wraps what calls streams of the backend, and waits for them; never for the one that runs this. Where a
    /// device cannot have that, queueing it is a fault.
    pub fn from_backend_calls(closure: impl FnOnce() + Send + 'static) -> Self {
        Self(Code::BackendCalls(Box::new(closure)))
    }

    /// Whether it calls a backend.
    pub fn calls_backend(&self) -> bool {
        matches!(self.0, Code::BackendCalls(_))
    }

    /// For a graph, which calls it in each run; none for what can be called once only.
    pub fn repeated(&self) -> Option<RepeatedFn> {
        match self.0 {
            Code::Function(function, argument) => Some(RepeatedFn { function, argument }),
            Code::Closure(_) | Code::BackendCalls(_) => None,
        }
    }

    /// Calls the user's function. No lock of this library may be held.
    pub fn run(self) {
        as_user_code(|| match self.0 {
            // SAFETY: the promise of `new`; `self` is consumed, so it happens once.
            Code::Function(function, argument) => unsafe { function(argument) },
            Code::Closure(closure) | Code::BackendCalls(closure) => closure(),
        });
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
// SAFETY: likewise; it is only called, one run after the other.
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
