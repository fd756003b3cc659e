//! The decorator of a stream, for the moment of one submission.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::dependency::RecordId;
use super::lane::{Entry, Lane};
use super::operation::{HostTimes, Point, Times, TimesGuard, What};
use super::{dependency, is_on_for};
use crate::backend::{
    Change, Copy, Copy2d, CopyIndirect, Delivery, Device, Event, Fault, Fill, Graph, Home, HostFn,
    Launch, Notify, NotifyWait, Position, RandomNum, Reduce, Result, Span, Stream, Ticket,
    ValueWait, ValueWrite, Wait, thread_number,
};

/// A stream whose operations are recorded. It is what it decorates for everybody else: backends
/// find their own stream behind it, and events are theirs.
pub struct TraceStream<'a> {
    inner: &'a dyn Stream,
    device: &'a dyn Device,
    lane: &'a Lane,
}

impl<'a> TraceStream<'a> {
    /// `inner`, a stream of `device`, while that is recorded.
    pub fn new(inner: &'a dyn Stream, device: &'a dyn Device, lane: &'a Lane) -> Option<Self> {
        is_on_for(lane.device).then_some(Self { inner, device, lane })
    }

    fn point(&self) -> Option<Point> {
        self.lane.point(self.inner, self.device)
    }

    /// Queues an operation between two points.
    fn timed(&self, what: What, queue: impl FnOnce() -> Result<Position>) -> Result<Position> {
        self.timed_after(what, None, queue)
    }

    fn timed_after(
        &self,
        what: What,
        after: Option<RecordId>,
        queue: impl FnOnce() -> Result<Position>,
    ) -> Result<Position> {
        let begin = self.lane.make_room().then(|| self.point()).flatten();
        let position = queue()?;
        let times = begin.and_then(|begin| Some(Times::Points(begin, self.point()?)));
        self.keep(what, times, after);
        Ok(position)
    }

    /// Queues something that tells itself when it was.
    fn told(
        &self,
        what: What,
        queue: impl FnOnce(HostTimes) -> Result<Position>,
    ) -> Result<Position> {
        let times = HostTimes::default();
        let position = queue(times.clone())?;
        let times = self.lane.make_room().then_some(Times::Host(times));
        self.keep(what, times, None);
        Ok(position)
    }

    fn keep(&self, what: What, times: Option<Times>, after: Option<RecordId>) {
        match times {
            Some(times) => {
                let thread = thread_number();
                self.lane.push(Entry::Operation { what, thread, times, after });
            }
            None => self.lane.lose(),
        }
    }
}

impl Stream for TraceStream<'_> {
    fn copy(&self, copy: Copy) -> Result<Position> {
        self.timed(What::copy(&copy), || self.inner.copy(copy))
    }

    fn copy_batch(&self, copies: &[Copy]) -> Result<Position> {
        self.timed(What::copies(copies), || self.inner.copy_batch(copies))
    }

    fn copy_2d(&self, copy: Copy2d) -> Result<Position> {
        self.timed(What::copy_2d(&copy), || self.inner.copy_2d(copy))
    }

    fn copy_indirect(&self, copy: CopyIndirect) -> Result<Position> {
        self.timed(What::copy_indirect(&copy), || self.inner.copy_indirect(copy))
    }

    fn fill(&self, fill: Fill) -> Result<Position> {
        self.timed(What::fill(&fill), || self.inner.fill(fill))
    }

    fn prefetch(&self, range: Span, to: Home) -> Result<Position> {
        self.timed(What::prefetch(&range), || self.inner.prefetch(range, to))
    }

    fn random_num(&self, job: RandomNum) -> Result<Position> {
        self.timed(What::random_num(&job), || self.inner.random_num(job))
    }

    fn reduce(&self, reduce: Reduce) -> Result<Position> {
        self.timed(What::reduce(&reduce), || self.inner.reduce(reduce))
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<Position> {
        self.timed(What::kernel(launch), || self.inner.launch(launch))
    }

    fn host_fn(&self, function: HostFn) -> Result<Position> {
        self.told(What::HostFunction, |times| {
            let guard = times.guard();
            self.inner.host_fn(HostFn::from_closure(move || {
                times.begin();
                function.run();
                guard.end();
            }))
        })
    }

    fn run_graph(&self, graph: &Arc<dyn Graph>) -> Result<Position> {
        self.timed(What::Graph, || self.inner.run_graph(graph))
    }

    fn hand_over(&self, delivery: Box<dyn Delivery>, wait: bool) -> Result<Position> {
        self.told(What::Callback, |times| {
            let guard = times.guard();
            self.inner.hand_over(Box::new(TraceDelivery { delivery, times, guard, wait }), wait)
        })
    }

    fn record(&self, event: &Arc<dyn Event>) -> Result<Position> {
        let position = self.inner.record(event)?;
        if self.lane.make_room() {
            self.lane.push(Entry::Recorded(dependency::recorded(event)));
        } else {
            dependency::forget(event);
        }
        Ok(position)
    }

    fn wait(&self, event: &Arc<dyn Event>, limit: Option<Duration>) -> Result<Position> {
        let after = dependency::latest(event);
        self.timed_after(What::Wait, after, || self.inner.wait(event, limit))
    }

    fn write_value(&self, write: ValueWrite) -> Result<Position> {
        self.timed(What::WriteValue(write.value), || self.inner.write_value(write))
    }

    fn wait_value(&self, wait: ValueWait) -> Result<Position> {
        let what = What::WaitValue(wait.value, wait.comparison);
        self.timed(what, || self.inner.wait_value(wait))
    }

    fn change_notify(&self, notify: &Arc<Notify>, change: Change) -> Result<Position> {
        self.timed(What::ChangeNotify, || self.inner.change_notify(notify, change))
    }

    fn wait_notify(&self, notify: &Arc<Notify>, wait: NotifyWait) -> Result<Position> {
        self.timed(What::WaitNotify, || self.inner.wait_notify(notify, wait))
    }

    fn limit_waits(&self, until: Instant) {
        self.inner.limit_waits(until);
    }

    fn is_idle(&self) -> Result<bool> {
        self.inner.is_idle()
    }

    fn is_known_idle(&self) -> bool {
        self.inner.is_known_idle()
    }

    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        self.inner.synchronize(deadline)
    }

    fn mark(&self) -> Result<Position> {
        self.inner.mark()
    }

    fn submitted(&self) -> Option<Position> {
        self.inner.submitted()
    }

    fn finished(&self) -> Position {
        self.inner.finished()
    }

    fn settle(&self, position: Position) -> Result<()> {
        self.inner.settle(position)
    }

    fn abandon(&self) -> Position {
        self.lane.note_abort();
        self.inner.abandon()
    }

    fn abort(&self, why: Fault, deadline: Option<Instant>) -> Wait {
        self.lane.note_abort();
        self.inner.abort(why, deadline)
    }

    fn retire(&self) {
        self.inner.retire();
    }

    fn set_priority(&self, priority: u32) -> Result<()> {
        self.inner.set_priority(priority)
    }

    fn native(&self) -> Option<usize> {
        self.inner.native()
    }

    fn as_any(&self) -> &dyn Any {
        self.inner.as_any()
    }
}

/// A delivery that tells when it was delivered, and when the stream could go on.
struct TraceDelivery {
    delivery: Box<dyn Delivery>,
    times: HostTimes,
    guard: TimesGuard,
    wait: bool,
}

impl Delivery for TraceDelivery {
    fn deliver(self: Box<Self>, ticket: Ticket) {
        let Self { delivery, times, guard, wait } = *self;
        times.begin();
        if wait {
            delivery.deliver(Ticket::new(move || {
                guard.end();
                drop(ticket);
            }));
        } else {
            delivery.deliver(ticket);
            guard.end();
        }
    }
}
