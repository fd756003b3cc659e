//! How a backend reports failures of enqueued work to the core.

use std::cell::Cell;

use crate::algo::thread::per_thread::per_thread;
use crate::{Fault, HostFn};

/// The position of an operation in its stream. It is 1 for the first one, and ascends.
pub type Position = u64;

/// An operation that failed asynchronously.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The fault.
    pub fault: Fault,
    /// The position of the operation, or `None` if the device does not report it.
    pub position: Option<Position>,
    /// The thread that enqueued it, as [`thread_number`] returns it, or `None` if unknown.
    pub thread: Option<u32>,
    /// The launch, if the operation was a run of a kernel and the device reports it.
    pub launch: Option<FailedLaunch>,
}

/// A run of a kernel that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedLaunch {
    /// The handle from [`crate::Launch::function`].
    pub function: u64,
    /// The arguments, in one block, as far as they are known.
    pub arguments: Box<[u8]>,
}

/// Receives the failures of a stream.
pub trait Observer: Send + Sync {
    /// Receives the failure of an operation before it counts as complete. The call may come on any thread, also one of
    /// the program's, with no lock of the backend held. It may call [`crate::Stream::abandon`], also of this
    /// stream. It returns user code, which the backend calls as it calls host functions, before the operation counts as
    /// complete.
    fn failed(&self, failure: Failure) -> Option<HostFn>;
}

/// Returns the system's id of the calling thread.
#[inline]
pub fn thread_number() -> u32 {
    per_thread! {
        static NUMBER: Cell<u32> = Cell::new(0);
    }
    if NUMBER.get() == 0 {
        // SAFETY: takes nothing, cannot fail.
        NUMBER.set(unsafe { libc::gettid() } as u32);
    }
    NUMBER.get()
}

/// Returns the calling thread as programs name it: its `pthread_t`.
pub fn pthread() -> u64 {
    // SAFETY: it always works.
    (unsafe { libc::pthread_self() }) as u64
}

/// An observer for tests: it collects failures.
#[cfg(any(test, debug_assertions))]
#[derive(Default)]
pub struct Heard {
    failures: parking_lot::Mutex<Vec<Failure>>,
    /// The function that the next failure makes the backend call.
    report: parking_lot::Mutex<Option<HostFn>>,
}

#[cfg(any(test, debug_assertions))]
impl Heard {
    /// Returns the options of a stream that it observes.
    pub fn options(self: &std::sync::Arc<Self>) -> crate::StreamOptions {
        crate::StreamOptions { observer: Some(self.clone()), ..Default::default() }
    }

    /// Returns the failures since the last call.
    pub fn take(&self) -> Vec<Failure> {
        std::mem::take(&mut self.failures.lock())
    }

    /// Sets the function that is called at the next failure.
    pub fn on_next_failure(&self, report: HostFn) {
        *self.report.lock() = Some(report);
    }
}

#[cfg(any(test, debug_assertions))]
impl Observer for Heard {
    fn failed(&self, failure: Failure) -> Option<HostFn> {
        self.failures.lock().push(failure);
        self.report.lock().take()
    }
}
