//! User code that a stream calls.

use std::cell::Cell;
use std::ffi::c_void;

use crate::algo::thread::cancellation;
use crate::algo::thread::per_thread::per_thread;

/// User code that is called exactly once: a C function with its argument, or a closure. It has two words.
pub struct HostFn(Code);

enum Code {
    Function(RepeatedFn),
    Closure(Box<Closure>),
}

const _: () = assert!(size_of::<HostFn>() == 2 * size_of::<usize>());

struct Closure {
    code: Box<dyn FnOnce() + Send>,
    calls_backend: bool,
}

per_thread! {
    static INSIDE: Cell<bool> = Cell::new(false);
}

/// True while this thread runs user code on behalf of a stream.
pub fn inside_host_function() -> bool {
    INSIDE.get()
}

/// Runs user code that is no [`HostFn`].
pub fn as_user_code<R>(code: impl FnOnce() -> R) -> R {
    struct UserCodeEnd(bool);
    impl Drop for UserCodeEnd {
        fn drop(&mut self) {
            INSIDE.set(self.0);
        }
    }
    let _ends = UserCodeEnd(INSIDE.replace(true));
    code()
}

impl HostFn {
    /// Wraps what a caller handed over.
    ///
    /// # Safety
    /// `function` must be callable once, from any thread, with `argument`; if it becomes part of a
    /// graph, once in each of its runs.
    pub unsafe fn new(function: unsafe extern "C" fn(*mut c_void), argument: *mut c_void) -> Self {
        Self(Code::Function(RepeatedFn { function, argument }))
    }

    /// Wraps a closure that runs user code.
    pub fn from_closure(closure: impl FnOnce() + Send + 'static) -> Self {
        Self(Code::Closure(Box::new(Closure { code: Box::new(closure), calls_backend: false })))
    }

    /// Wraps a closure that calls streams of the backend, and waits for them, but never for the one that runs it. If a
    /// device does not support that, enqueuing it is a fault.
    pub fn from_backend_calls(closure: impl FnOnce() + Send + 'static) -> Self {
        Self(Code::Closure(Box::new(Closure { code: Box::new(closure), calls_backend: true })))
    }

    /// Whether the function calls a backend.
    pub fn calls_backend(&self) -> bool {
        matches!(&self.0, Code::Closure(closure) if closure.calls_backend)
    }

    /// Returns the function for a graph, which calls it in each run, or `None` if it can only be called once.
    pub fn repeated(&self) -> Option<RepeatedFn> {
        if let Code::Function(function) = self.0 { Some(function) } else { None }
    }

    /// Calls the user's function. The caller holds no lock of this library.
    pub fn run(self) {
        match self.0 {
            Code::Function(function) => function.run(),
            Code::Closure(closure) => as_user_code(closure.code),
        }
    }

    /// Calls the user's function on a thread of the program. If the thread ends inside the function, this unwinds
    /// (`algo/thread/cancellation.rs`).
    pub fn run_on_thread_of_program(self) {
        match self.0 {
            Code::Function(function) => function.run_on_thread_of_program(),
            Code::Closure(closure) => cancellation::run_user_code(|| as_user_code(closure.code)),
        }
    }
}

/// User code that a graph calls.
#[derive(Clone, Copy)]
pub struct RepeatedFn {
    function: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
}

// SAFETY: the C contract of the call that created it says that the function may run on any thread, and the caller is
// responsible for what its argument points to.
unsafe impl Send for RepeatedFn {}
// SAFETY: shared references only call the function, and one run of a graph ends before the next
// begins.
unsafe impl Sync for RepeatedFn {}

impl RepeatedFn {
    /// Calls the function as [`HostFn::run`] does, once in a run of its graph.
    pub fn run(&self) {
        // SAFETY: the promise of `HostFn::new`; a function that is no part of a graph is consumed by its one call.
        as_user_code(|| unsafe { (self.function)(self.argument) });
    }

    /// Calls the function on a thread of the program, which may end inside.
    fn run_on_thread_of_program(self) {
        // SAFETY: types of functions with the same calling convention. This one may unwind.
        let function: unsafe extern "C-unwind" fn(*mut c_void) = unsafe { std::mem::transmute(self.function) };
        let argument = self.argument;
        // SAFETY: a host function of a subscribed thread, which is called once.
        cancellation::run_user_code(|| as_user_code(|| unsafe { function(argument) }));
    }

    /// Returns the address of the function, for pictures of graphs.
    pub fn address(&self) -> usize {
        self.function as usize
    }
}

#[cfg(test)]
#[path = "host_fn_tests.rs"]
mod tests;
