//! The decorators of streams and events.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::device::FaultGraph;
use super::late::Late;
use super::ledger::Kind;
use super::plan::{Entered, Plan};
use super::site::Site;
use crate::backend::{
    Change, Copy, Copy2d, CopyIndirect, Delivery, Event, Fault, FaultKind, Fill, Graph, Home,
    HostFn, Launch, Notify, NotifyWait, Observer, Position, RandomNum, Reduce, Result, Span,
    Stream, ValueWait, ValueWrite, Wait,
};

/// A stream whose calls are counted and fail as planned, now or when their turn comes.
pub(super) struct FaultStream {
    inner: Arc<dyn Stream>,
    plan: Arc<Plan>,
    late: Late,
}

impl FaultStream {
    pub(super) fn new(
        inner: Arc<dyn Stream>,
        plan: Arc<Plan>,
        observer: Option<Arc<dyn Observer>>,
    ) -> Self {
        Self { inner, plan, late: Late::new(observer) }
    }

    /// The stream inside one of ours.
    pub(super) fn inner_of(stream: &dyn Stream) -> Result<&dyn Stream> {
        let known: Option<&Self> = stream.as_any().downcast_ref();
        known.map(|stream| &*stream.inner).ok_or_else(|| {
            Fault::new(FaultKind::Driver, "the stream was made without PORTACL_FAULT's decorator")
        })
    }

    /// Queues an operation, or one that fails in its place.
    fn queue(&self, site: Site, operation: impl FnOnce() -> Result<Position>) -> Result<Position> {
        match self.plan.enter_queued(site)? {
            Entered::Go => operation(),
            Entered::Later(fault) => self.late.queue(&*self.inner, fault, None),
        }
    }

    /// As [`Self::queue`], of a kernel, which is told with the failure.
    fn queue_launch(&self, site: Site, launch: &Launch<'_>) -> Result<Position> {
        match self.plan.enter_queued(site)? {
            Entered::Go => self.inner.launch(launch),
            Entered::Later(fault) => self.late.queue(&*self.inner, fault, Some(launch.failed())),
        }
    }
}

impl Stream for FaultStream {
    fn copy(&self, copy: Copy) -> Result<Position> {
        self.queue(Site::StreamCopy, || self.inner.copy(copy))
    }

    fn copy_batch(&self, copies: &[Copy]) -> Result<Position> {
        self.queue(Site::StreamCopyBatch, || self.inner.copy_batch(copies))
    }

    fn copy_2d(&self, copy: Copy2d) -> Result<Position> {
        self.queue(Site::StreamCopy2d, || self.inner.copy_2d(copy))
    }

    fn copy_indirect(&self, copy: CopyIndirect) -> Result<Position> {
        self.queue(Site::StreamCopyIndirect, || self.inner.copy_indirect(copy))
    }

    fn fill(&self, fill: Fill) -> Result<Position> {
        self.queue(Site::StreamFill, || self.inner.fill(fill))
    }

    fn prefetch(&self, range: Span, to: Home) -> Result<Position> {
        self.queue(Site::StreamPrefetch, || self.inner.prefetch(range, to))
    }

    fn random_num(&self, job: RandomNum) -> Result<Position> {
        self.queue(Site::StreamRandomNum, || self.inner.random_num(job))
    }

    fn reduce(&self, reduce: Reduce) -> Result<Position> {
        self.queue(Site::StreamReduce, || self.inner.reduce(reduce))
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<Position> {
        self.queue_launch(Site::StreamLaunch, launch)
    }

    fn host_fn(&self, function: HostFn) -> Result<Position> {
        self.queue(Site::StreamHostFn, || self.inner.host_fn(function))
    }

    fn run_graph(&self, graph: &Arc<dyn Graph>) -> Result<Position> {
        let graph = FaultGraph::inner_of(graph)?;
        self.queue(Site::StreamRunGraph, || self.inner.run_graph(graph))
    }

    fn hand_over(&self, delivery: Box<dyn Delivery>, wait: bool) -> Result<Position> {
        self.queue(Site::StreamHandOver, || self.inner.hand_over(delivery, wait))
    }

    fn record(&self, event: &Arc<dyn Event>) -> Result<Position> {
        self.plan.enter(Site::StreamRecord)?;
        self.inner.record(&FaultEvent::of(&**event)?.inner)
    }

    fn wait(&self, event: &Arc<dyn Event>, limit: Option<Duration>) -> Result<Position> {
        self.plan.enter(Site::StreamWait)?;
        self.inner.wait(&FaultEvent::of(&**event)?.inner, limit)
    }

    fn write_value(&self, write: ValueWrite) -> Result<Position> {
        self.queue(Site::StreamWriteValue, || self.inner.write_value(write))
    }

    fn wait_value(&self, wait: ValueWait) -> Result<Position> {
        self.plan.enter(Site::StreamWaitValue)?;
        self.inner.wait_value(wait)
    }

    fn change_notify(&self, notify: &Arc<Notify>, change: Change) -> Result<Position> {
        self.queue(Site::StreamChangeNotify, || self.inner.change_notify(notify, change))
    }

    fn wait_notify(&self, notify: &Arc<Notify>, wait: NotifyWait) -> Result<Position> {
        self.plan.enter(Site::StreamWaitNotify)?;
        self.inner.wait_notify(notify, wait)
    }

    fn limit_waits(&self, until: Instant) {
        self.inner.limit_waits(until);
    }

    /// Who wants to know is to ask, and may be refused.
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

    fn mark(&self) -> Result<Position> {
        self.plan.enter(Site::StreamMark)?;
        self.inner.mark()
    }

    fn submitted(&self) -> Option<Position> {
        self.inner.submitted()
    }

    fn finished(&self) -> Position {
        self.inner.finished()
    }

    fn settle(&self, position: Position) -> Result<()> {
        self.plan.enter(Site::StreamSettle)?;
        self.inner.settle(position)
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

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for FaultStream {
    fn drop(&mut self) {
        self.plan.ledger.released(Kind::Stream);
    }
}

/// An event whose calls are counted and fail as planned.
pub(super) struct FaultEvent {
    inner: Arc<dyn Event>,
    plan: Arc<Plan>,
}

impl FaultEvent {
    pub(super) fn new(inner: Arc<dyn Event>, plan: Arc<Plan>) -> Self {
        Self { inner, plan }
    }

    /// One of ours, behind the trait.
    fn of(event: &dyn Event) -> Result<&Self> {
        event.as_any().downcast_ref().ok_or_else(|| {
            Fault::new(FaultKind::Driver, "the event was made without PORTACL_FAULT's decorator")
        })
    }

    /// The event inside one of ours.
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

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for FaultEvent {
    fn drop(&mut self) {
        self.plan.ledger.released(Kind::Event);
    }
}
