//! The place where failures of work that runs for a stream, and not in it, are reported.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::backend::{Failure, Fault, HostFn, Observer, Position, thread_number};
use crate::stream::Stream;
use crate::stream::failure::Failures;

/// The place where failures of a run are reported: its stream.
#[derive(Clone)]
pub struct Reporting {
    /// The failures of that stream.
    pub failures: Arc<Failures>,
    /// The position of the run there.
    pub position: Position,
    /// The thread that enqueued it.
    pub thread: u32,
}

impl Reporting {
    /// Creates the place for a run that the calling thread queues. Its position is unknown until then.
    pub fn of(stream: &Stream) -> Self {
        Self { failures: Arc::clone(&stream.failures), position: 0, thread: thread_number() }
    }
}

/// Receives the failures of streams of the library for the run that they work for now.
#[derive(Default)]
pub struct Listener {
    reporting: Mutex<Option<Reporting>>,
    has_failed: AtomicBool,
}

impl Listener {
    /// Sets the current run, or none.
    pub fn set(&self, reporting: Option<Reporting>) {
        *self.reporting.lock() = reporting;
        self.has_failed.store(false, Ordering::Relaxed);
    }

    /// Notes that the run has failed. Returns user code to call, as an observer does.
    pub fn report(&self, fault: Fault) -> Option<HostFn> {
        // The position is replaced by that of the run.
        self.failed(Failure { fault, position: Some(0), thread: None, launch: None })
    }

    /// Whether a step of the run has failed.
    pub fn has_failed(&self) -> bool {
        // Relaxed: the reader is ordered after the step in its stream.
        self.has_failed.load(Ordering::Relaxed)
    }
}

impl Observer for Listener {
    fn failed(&self, failure: Failure) -> Option<HostFn> {
        self.has_failed.store(true, Ordering::Relaxed);
        let reporting = self.reporting.lock().clone()?;
        let position = failure.position.map(|_| reporting.position);
        reporting.failures.failed(Failure { position, thread: Some(reporting.thread), ..failure })
    }
}
