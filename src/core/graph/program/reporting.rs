//! Where failures of work that runs for a stream, and not in it, are reported.

use std::sync::Arc;

use crate::backend::{Failure, Fault, HostFn, Observer, Position, thread_number};
use crate::core::stream::Stream;
use crate::core::stream::failure::Failures;

/// Where failures of a run are reported: its stream.
#[derive(Clone)]
pub struct Reporting {
    /// The failures of that stream.
    pub failures: Arc<Failures>,
    /// The position of the run there.
    pub position: Position,
    /// The thread that queued it.
    pub thread: u32,
}

impl Reporting {
    /// Of a run that the calling thread queues. Its position is unknown until then.
    pub fn of(stream: &Stream) -> Self {
        Self { failures: Arc::clone(&stream.failures), position: 0, thread: thread_number() }
    }

    /// The run has failed. Returns user code to call, as an observer.
    pub fn failed(&self, fault: Fault) -> Option<HostFn> {
        let (position, thread) = (Some(self.position), Some(self.thread));
        self.failures.failed(Failure { fault, position, thread, launch: None })
    }
}
