//! Operations that fail asynchronously: replaced by host functions that report a failure.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::backend::{
    FailedLaunch, Failure, Fault, HostFn, Observer, Op, Payload, Position, Result, Stream, thread_number,
};

/// The failures of one stream.
pub(super) struct Late {
    observer: Option<Arc<dyn Observer>>,
    /// Held while an operation is queued, because its position is known only then.
    queuing: Arc<Mutex<()>>,
}

impl Late {
    pub(super) fn new(observer: Option<Arc<dyn Observer>>) -> Self {
        Self { observer, queuing: Arc::default() }
    }

    /// Queues a failure with `fault` instead of an operation.
    pub(super) fn queue(&self, stream: &dyn Stream, fault: Fault, launch: Option<FailedLaunch>) -> Result<Position> {
        let (observer, queuing) = (self.observer.clone(), Arc::clone(&self.queuing));
        let (place, thread) = (Arc::new(OnceLock::new()), Some(thread_number()));
        let known = Arc::clone(&place);
        let fail = move || {
            drop(queuing.lock());
            let failure = Failure { fault, position: known.get().copied(), thread, launch };
            // This is a thread for user code already.
            if let Some(report) = observer.and_then(|observer| observer.failed(failure)) {
                report.run();
            }
        };
        let _queuing = self.queuing.lock();
        let position = stream.submit(Op::HostFn(Payload::new(&mut Some(HostFn::from_closure(fail)))))?;
        // Set here only.
        let _ = place.set(position);
        Ok(position)
    }
}
