//! User code that a stream calls.

use std::cell::Cell;
use std::ffi::c_void;

/// User code, to be called exactly once.
pub struct HostFn(Code);

enum Code {
    /// A C function with its argument.
    Function(unsafe extern "C" fn(*mut c_void), *mut c_void),
    Closure(Box<dyn FnOnce() + Send>),
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
    /// `function` must be callable once, from any thread, with `argument`.
    pub unsafe fn new(function: unsafe extern "C" fn(*mut c_void), argument: *mut c_void) -> Self {
        Self(Code::Function(function, argument))
    }

    /// Wraps what ends up in user code.
    pub fn from_closure(closure: impl FnOnce() + Send + 'static) -> Self {
        Self(Code::Closure(Box::new(closure)))
    }

    /// Calls the user's function. No lock of this library may be held.
    pub fn run(self) {
        as_user_code(|| match self.0 {
            // SAFETY: the promise of `new`; `self` is consumed, so it happens once.
            Code::Function(function, argument) => unsafe { function(argument) },
            Code::Closure(closure) => closure(),
        });
    }
}
