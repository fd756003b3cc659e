//! The decorators of streams and events.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use super::device::FaultGraph;
use super::late::Late;
use super::ledger::Kind;
use super::plan::{Counted, Entered, Plan};
use super::site::Site;
use crate::backend::{Event, Fault, FaultKind, Observer, Op, Position, Result, Stream, Submit, Wait};

/// A stream whose calls are counted and made to fail, at once or when the stream reaches them.
pub(super) struct FaultStream {
    plan: Counted,
    inner: Arc<dyn Stream>,
    late: Late,
}

impl FaultStream {
    pub(super) fn wrap(inner: Arc<dyn Stream>, plan: &Arc<Plan>, observer: Option<Arc<dyn Observer>>) -> Arc<Self> {
        Arc::new(Self { plan: Counted::new(plan, Kind::Stream), inner, late: Late::new(observer) })
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

/// An event whose calls are counted and made to fail.
pub(super) struct FaultEvent {
    pub(super) plan: Counted,
    pub(super) inner: Arc<dyn Event>,
}

impl FaultEvent {
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
        self.inner.elapsed_ms(&*Self::of(start)?.inner)
    }
}
