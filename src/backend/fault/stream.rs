//! The decorators of streams and events.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use super::device::FaultGraph;
use super::late::Late;
use super::ledger::Kind;
use super::plan::{Entered, Plan};
use super::site::Site;
use crate::backend::{Event, Fault, FaultKind, Observer, Op, Position, Result, Stream, Submit, Wait};

/// A stream whose calls are counted and made to fail, at once or when the stream reaches them.
pub(super) struct FaultStream {
    inner: Arc<dyn Stream>,
    plan: Arc<Plan>,
    late: Late,
}

impl FaultStream {
    pub(super) fn new(inner: Arc<dyn Stream>, plan: Arc<Plan>, observer: Option<Arc<dyn Observer>>) -> Self {
        Self { inner, plan, late: Late::new(observer) }
    }

    /// The stream inside a decorator.
    pub(super) fn inner_of(stream: &dyn Stream) -> Result<&dyn Stream> {
        let stream: &dyn Any = stream;
        stream
            .downcast_ref()
            .map(|stream: &Self| &*stream.inner)
            .ok_or_else(|| Fault::new(FaultKind::Driver, "the stream was made without PORTACL_FAULT's decorator"))
    }
}

impl Submit for FaultStream {
    /// Queues the operation, or one that fails instead.
    fn submit(&self, op: Op<'_>) -> Result<Position> {
        let site = Site::Submit(op.kind());
        if !site.is_queued() {
            self.plan.enter(site)?;
        } else if let Entered::Later(fault) = self.plan.enter_queued(site)? {
            let launch = if let Op::Launch(launch) = op { Some(launch.failed()) } else { None };
            return self.late.queue(&*self.inner, fault, launch);
        }
        // The wrapped stream knows only wrapped events and graphs.
        let op = match op {
            Op::Record(event) => Op::Record(&FaultEvent::of(&**event)?.inner),
            Op::Wait(event, limit) => Op::Wait(&FaultEvent::of(&**event)?.inner, limit),
            Op::RunGraph(graph) => Op::RunGraph(FaultGraph::inner_of(graph)?),
            op => op,
        };
        self.inner.submit(op)
    }
}

impl Stream for FaultStream {
    fn limit_waits(&self, until: Instant) {
        self.inner.limit_waits(until);
    }

    /// Never, so that callers use the call that can fail.
    fn is_known_idle(&self) -> bool {
        false
    }

    fn is_idle(&self) -> Result<bool> {
        self.plan.enter(Site::StreamIsIdle)?;
        self.inner.is_idle()
    }

    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        self.plan.enter(Site::StreamSynchronize)?;
        self.inner.synchronize(deadline)
    }

    fn submitted(&self) -> Option<Position> {
        self.inner.submitted()
    }

    fn finished(&self) -> Position {
        self.inner.finished()
    }

    fn drain_up_to(&self, position: Position) -> Result<()> {
        self.plan.enter(Site::StreamDrainUpTo)?;
        self.inner.drain_up_to(position)
    }

    fn abandon(&self) -> Position {
        self.inner.abandon()
    }

    fn abort(&self, why: Fault, deadline: Option<Instant>) -> Wait {
        self.inner.abort(why, deadline)
    }

    fn retire(&self) {
        self.inner.retire();
    }

    fn set_priority(&self, priority: u32) -> Result<()> {
        self.plan.enter(Site::StreamSetPriority)?;
        self.inner.set_priority(priority)
    }

    fn native(&self) -> Option<usize> {
        self.inner.native()
    }
}

impl Drop for FaultStream {
    fn drop(&mut self) {
        self.plan.ledger.released(Kind::Stream);
    }
}

/// An event whose calls are counted and made to fail.
pub(super) struct FaultEvent {
    inner: Arc<dyn Event>,
    plan: Arc<Plan>,
}

impl FaultEvent {
    pub(super) fn new(inner: Arc<dyn Event>, plan: Arc<Plan>) -> Self {
        Self { inner, plan }
    }

    /// Downcasts a decorator.
    fn of(event: &dyn Event) -> Result<&Self> {
        let event: &dyn Any = event;
        event
            .downcast_ref()
            .ok_or_else(|| Fault::new(FaultKind::Driver, "the event was made without PORTACL_FAULT's decorator"))
    }

    /// The event inside a decorator.
    pub(super) fn inner_of(event: &dyn Event) -> Result<Arc<dyn Event>> {
        Ok(Arc::clone(&Self::of(event)?.inner))
    }
}

impl Event for FaultEvent {
    /// As for streams.
    fn is_known_complete(&self) -> bool {
        false
    }

    fn is_complete(&self) -> Result<bool> {
        self.plan.enter(Site::EventIsComplete)?;
        self.inner.is_complete()
    }

    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        self.plan.enter(Site::EventSynchronize)?;
        self.inner.synchronize(deadline)
    }

    fn elapsed_ms(&self, start: &dyn Event) -> Result<f32> {
        self.plan.enter(Site::EventElapsedMs)?;
        self.inner.elapsed_ms(&*Self::of(start)?.inner)
    }

    fn time_ns(&self) -> Result<u64> {
        self.plan.enter(Site::EventTimeNs)?;
        self.inner.time_ns()
    }

    fn native(&self) -> Option<usize> {
        self.inner.native()
    }
}

impl Drop for FaultEvent {
    fn drop(&mut self) {
        self.plan.ledger.released(Kind::Event);
    }
}
