//! The decorators of streams and events.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use parking_lot::Mutex;

use super::device::FaultGraph;
use super::plan::FaultObject;
use super::site::Site;
use crate::backend::{
    Event, FailedLaunch, Failure, Fault, HostFn, Observer, Op, Payload, Position, Result, Stream, Submit, Wait,
    thread_number,
};

/// A stream.
pub(super) type FaultStream = FaultObject<Arc<dyn Stream>, Late>;

impl Submit for FaultStream {
    /// Queues the operation, or one that fails instead.
    fn submit(&self, op: Op<'_>) -> Result<Position> {
        let site = Site::Submit(op.kind());
        if !site.is_queued() {
            self.plan.enter(site)?;
        } else if let Some(fault) = self.plan.enter_queued(site)? {
            let launch = if let Op::Launch(launch) = op { Some(launch.failed()) } else { None };
            return self.extra.queue(&*self.inner, fault, launch);
        }
        // The wrapped stream knows only wrapped events and graphs.
        let op = match op {
            Op::Record(event) => Op::Record(FaultEvent::inner_of(&**event, "event")?),
            Op::Wait(event, limit) => Op::Wait(FaultEvent::inner_of(&**event, "event")?, limit),
            Op::RunGraph(graph) => Op::RunGraph(FaultGraph::inner_of(&**graph, "graph")?),
            op => op,
        };
        self.inner.submit(op)
    }
}

impl Stream for FaultStream {
    forward! {
        fn limit_waits(&self, until: Instant);
        fn is_idle(&self) -> Result<bool>, Site::StreamIsIdle;
        fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait>, Site::StreamSynchronize;
        fn submitted(&self) -> Option<Position>;
        fn finished(&self) -> Position;
        fn drain_up_to(&self, position: Position) -> Result<()>, Site::StreamDrainUpTo;
        fn abandon(&self) -> Position;
        fn abort(&self, why: Fault, deadline: Option<Instant>) -> Wait;
        fn retire(&self);
        fn set_priority(&self, priority: u32) -> Result<()>, Site::StreamSetPriority;
        fn native(&self) -> Option<usize>;
    }

    /// Never, so that callers use the call that can fail.
    fn is_known_idle(&self) -> bool {
        false
    }
}

/// The operations of a stream that fail asynchronously: replaced by host functions that report a failure.
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
    fn queue(&self, stream: &dyn Stream, fault: Fault, launch: Option<FailedLaunch>) -> Result<Position> {
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

/// An event.
pub(super) type FaultEvent = FaultObject<Arc<dyn Event>>;

impl Event for FaultEvent {
    forward! {
        fn is_complete(&self) -> Result<bool>, Site::EventIsComplete;
        fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait>, Site::EventSynchronize;
        fn time_ns(&self) -> Result<u64>, Site::EventTimeNs;
        fn native(&self) -> Option<usize>;
    }

    /// As for streams.
    fn is_known_complete(&self) -> bool {
        false
    }

    fn elapsed_ms(&self, start: &dyn Event) -> Result<f32> {
        self.plan.enter(Site::EventElapsedMs)?;
        self.inner.elapsed_ms(&**Self::inner_of(start, "event")?)
    }
}
