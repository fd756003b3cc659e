//! The decorators of streams and events.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use parking_lot::Mutex;

use super::device::FaultGraph;
use super::plan::FaultObject;
use super::site::{Site, decorate};
use crate::backend::{
    Event, FailedLaunch, Failure, Fault, HostFn, Observer, Op, Payload, Position, Result, Stream, Submit, Wait,
    thread_number,
};

/// A stream.
pub(super) type FaultStream = FaultObject<Arc<dyn Stream>, Late>;

impl Submit for FaultStream {
    /// Queues the operation, or one that fails instead.
    fn submit(&self, op: Op<'_>) -> Result<Position> {
        let site = Site::of(op.kind());
        if !site.is_queued {
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

decorate! {
    STREAM: Stream for FaultStream, self.inner, "stream";
    fn limit_waits(&self, until: Instant);
    fn is_idle(&self) -> Result<bool>, Driver;
    // Callers use the call that can fail then.
    fn is_known_idle(&self) -> bool = false;
    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait>, Driver;
    fn submitted(&self) -> Option<Position>;
    fn finished(&self) -> Position;
    fn drain_up_to(&self, position: Position) -> Result<()>, Driver;
    fn abandon(&self) -> Position;
    fn abort(&self, why: Fault, deadline: Option<Instant>) -> Wait;
    fn retire(&self);
    fn set_priority(&self, priority: u32) -> Result<()>, Driver;
    fn native(&self) -> Option<usize>;
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

decorate! {
    EVENT: Event for FaultEvent, self.inner, "event";
    fn is_complete(&self) -> Result<bool>, Driver;
    // As for streams.
    fn is_known_complete(&self) -> bool = false;
    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait>, Driver;
    fn elapsed_ms(&self, start: &dyn Event = &**Self::inner_of(start, "event")?) -> Result<f32>, Driver;
    fn time_ns(&self) -> Result<u64>, Driver;
    fn native(&self) -> Option<usize>;
}
