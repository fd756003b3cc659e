//! How a backend reports failures of queued work to the core.

use std::cell::Cell;

use crate::algo::thread::per_thread::per_thread;
use crate::backend::{Fault, HostFn};

/// Where an operation stands in its stream: 1 for the first one queued, then ascending.
pub type Position = u64;

/// An operation that failed when its turn came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What happened.
    pub fault: Fault,
    /// The position of the operation; `None` if the device does not report it.
    pub position: Option<Position>,
    /// The thread that queued it, as [`thread_number`] calls it; `None` if unknown.
    pub thread: Option<u32>,
    /// If it was a run of a kernel, and the device reports it.
    pub launch: Option<FailedLaunch>,
}

/// A run of a kernel that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedLaunch {
    /// As [`crate::backend::Launch::function`] had it.
    pub function: u64,
    /// What it got, in one block, as far as that is known.
    pub arguments: Box<[u8]>,
}

/// Receives the failures of a stream.
pub trait Observer: Send + Sync {
    /// An operation has failed. Called before it counts as over, on any thread, also one of the
    /// program's, with no lock of the backend held; may call [`crate::backend::Stream::abandon`], also of
    /// this stream. What it returns is user code: the backend calls it as it calls host functions,
    /// and before the operation counts as over.
    fn failed(&self, failure: Failure) -> Option<HostFn>;
}

/// The system's number of the calling thread.
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

/// The calling thread, as programs name it: its `pthread_t`.
pub fn pthread() -> u64 {
    // SAFETY: it always works.
    (unsafe { libc::pthread_self() }) as u64
}

/// An observer for tests: it remembers what it hears.
#[cfg(test)]
#[derive(Default)]
pub struct Heard {
    failures: parking_lot::Mutex<Vec<Failure>>,
    /// What the next failure makes the backend call.
    tell: parking_lot::Mutex<Option<HostFn>>,
}

#[cfg(test)]
impl Heard {
    /// Options of a stream that it observes.
    pub fn options(self: &std::sync::Arc<Self>) -> crate::backend::StreamOptions {
        crate::backend::StreamOptions { observer: Some(self.clone()), ..Default::default() }
    }

    /// What it has heard since the last call.
    pub fn take(&self) -> Vec<Failure> {
        std::mem::take(&mut self.failures.lock())
    }

    /// Has this called at the next failure.
    pub fn on_next_failure(&self, tell: HostFn) {
        *self.tell.lock() = Some(tell);
    }
}

#[cfg(test)]
impl Observer for Heard {
    fn failed(&self, failure: Failure) -> Option<HostFn> {
        self.failures.lock().push(failure);
        self.tell.lock().take()
    }
}
