//! The functions of Python that the calling thread is in, if it runs an interpreter (CPython 3.8 or later).
//!
//! The functions of CPython are looked up in the process, so nothing here needs Python to be built, and a process
//! without an interpreter pays for one load. PyPy has other names: there, and where an interpreter was loaded with
//! `RTLD_LOCAL`, no frames are found.
//!
//! Objects of Python may only be used by a thread that holds the lock of the interpreter (the GIL).
//!
//! - A thread that holds it walks its own frames. That waits for nothing, and runs no code of Python: an exception that
//!   is pending is put aside, and the garbage collector is off, because the walk creates objects.
//! - A thread without it, such as one inside a call of ctypes or of a torch operator, must not wait for it. It may
//!   hold a lock of the library or of the program that the holder of the GIL waits for. So a thread of the library
//!   takes the GIL, and walks the frames of the thread that asks (`helper`). They cannot change while it waits; but
//!   it waits for a limited time only. Then one frame says that they could not be read.
//!
//! A thread without a state of Python has none. Those of a subinterpreter, whose lock may be another one, are read only
//! by a thread that holds it. Up to Python 3.8 only threads that hold the GIL have frames.

mod api;
mod code;
mod helper;

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use smallvec::SmallVec;

use api::Api;
pub use code::{PyCode, PythonFrame};

/// Functions of Python, the innermost first.
pub type PythonFrames = SmallVec<[PythonFrame; 16]>;

/// Deeper frames are ignored.
const DEEPEST: usize = 128;

/// The interpreter's functions, once they are found.
static FOUND: AtomicPtr<Api> = AtomicPtr::new(ptr::null_mut());

fn found() -> Option<&'static Api> {
    // SAFETY: null, or a value that is never freed, and complete before the pointer is stored.
    unsafe { FOUND.load(Ordering::Acquire).as_ref() }
}

/// Looks for an interpreter, if none is found yet: a program may load one at any time.
pub fn look() {
    if found().is_none()
        && let Some(api) = Api::find()
    {
        // If another thread finds it as well, the same functions stay in memory twice.
        FOUND.store(Box::into_raw(Box::new(api)), Ordering::Release);
    }
}

/// Returns the functions of Python that the calling thread is in.
#[inline]
pub fn frames() -> PythonFrames {
    static LOOKED: AtomicBool = AtomicBool::new(false);
    if !LOOKED.load(Ordering::Relaxed) {
        look();
        // Not before: another thread would see that there is no interpreter.
        LOOKED.store(true, Ordering::Relaxed);
    }
    found().map_or_else(PythonFrames::new, |api| frames_by(api, true))
}

/// Returns the functions of Python that the calling thread is in, if it holds the GIL.
pub fn frames_if_held() -> PythonFrames {
    found().map_or_else(PythonFrames::new, |api| frames_by(api, false))
}

fn frames_by(api: &'static Api, may_ask: bool) -> PythonFrames {
    match api.this_thread() {
        Some(thread) if api.is_current(thread) => api.walk(thread),
        Some(thread) if may_ask => helper::frames_of(api, thread),
        _ => PythonFrames::new(),
    }
}

/// Returns the index of the first of these return addresses, the innermost first, that is inside of the interpreter or
/// of what calls C functions for it. What comes before is code of extensions.
pub fn first_inside(addrs: &[usize]) -> Option<usize> {
    let api = found()?;
    addrs.iter().position(|addr| api.contains(*addr))
}

#[cfg(test)]
mod tests;
