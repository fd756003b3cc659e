//! The decorator of a stream, for one submission.

use std::sync::Arc;

use super::call::end_part;
use super::dependency::{self, RecordId};
use super::lane::{Lane, TraceEntry};
use super::operation::{Times, TimesGuard, What};
use super::{is_on_for, now};
use crate::{Delivery, Device, Event, HostFn, Op, Payload, Position, Result, Stream, Submit, Ticket, thread_number};

/// A stream whose operations are recorded.
pub struct TraceStream<'a> {
    inner: &'a dyn Stream,
    device: &'a dyn Device,
    lane: &'a Lane,
}

impl<'a> TraceStream<'a> {
    /// Decorates `inner`, a stream of `device`, if the device is recorded.
    pub fn new(inner: &'a dyn Stream, device: &'a dyn Device, lane: &'a Lane) -> Option<Self> {
        is_on_for(lane.device).then_some(Self { inner, device, lane })
    }

    /// Enqueues an operation between two points.
    fn timed(&self, op: Op<'_>, what: What, after: Option<RecordId>) -> Result<Position> {
        let point = || self.lane.point(self.inner, self.device);
        let begin = self.lane.make_room().then(point).flatten();
        let position = self.inner.submit(op)?;
        let ended = now();
        let times = begin.and_then(|begin| Some(Times::Points(begin, point()?)));
        self.keep(what, times, after, ended);
        Ok(position)
    }

    fn record(&self, event: &Arc<dyn Event>) -> Result<Position> {
        let position = self.inner.submit(Op::Record(event))?;
        let ended = now();
        if self.lane.make_room() {
            let record = dependency::recorded(event);
            self.lane.push(TraceEntry::Recorded(record, end_part(ended)));
        } else {
            dependency::forget(event);
        }
        Ok(position)
    }

    /// Enqueues an operation that notes its times itself.
    fn submit_timed(&self, what: What, queue: impl FnOnce(TimesGuard) -> Result<Position>) -> Result<Position> {
        let times = Arc::default();
        let position = queue(TimesGuard(Arc::clone(&times)))?;
        let ended = now();
        let times = self.lane.make_room().then_some(Times::Host(times));
        self.keep(what, times, None, ended);
        Ok(position)
    }

    /// Keeps an operation whose call had enqueued it at the time `ended`.
    fn keep(&self, what: What, times: Option<Times>, after: Option<RecordId>, ended: u64) {
        match times {
            Some(times) => {
                let (thread, call) = (thread_number(), end_part(ended));
                self.lane.push(TraceEntry::Operation { what, thread, times, after, call });
            }
            None => self.lane.lose(),
        }
    }
}

impl Submit for TraceStream<'_> {
    fn submit(&self, op: Op<'_>) -> Result<Position> {
        let Some(what) = What::of(&op) else {
            return if let Op::Record(event) = op { self.record(event) } else { self.inner.submit(op) };
        };
        match op {
            Op::HostFn(function) => self.submit_timed(what, |guard| {
                let function = function.take();
                let calls_backend = function.calls_backend();
                let run = move || {
                    guard.begin();
                    function.run();
                    guard.end();
                };
                let timed = if calls_backend { HostFn::from_backend_calls(run) } else { HostFn::from_closure(run) };
                self.inner.submit(Op::HostFn(Payload::new(&mut Some(timed))))
            }),
            Op::HostTask(task) => self.submit_timed(what, |guard| {
                let timed = task.observed(move || {
                    guard.begin();
                    move || guard.end()
                });
                self.inner.submit(Op::HostTask(&timed))
            }),
            Op::HandOver { delivery, wait } => self.submit_timed(what, |guard| {
                let delivery = delivery.take();
                let timed: Box<dyn Delivery> = Box::new(TraceDelivery { delivery, guard, wait });
                self.inner.submit(Op::HandOver { delivery: Payload::new(&mut Some(timed)), wait })
            }),
            Op::Wait(event, _) => self.timed(op, what, dependency::latest(event)),
            op @ (Op::Copy(_)
            | Op::CopyBatch(_)
            | Op::Copy2d(_)
            | Op::CopyIndirect(_)
            | Op::Fill(_)
            | Op::Prefetch(_)
            | Op::RandomNum(_)
            | Op::Reduce(_)
            | Op::Launch(_)
            | Op::RunGraph(_)
            | Op::Record(_)
            | Op::WriteValue(_)
            | Op::WaitValue(_)
            | Op::ChangeNotify(..)
            | Op::WaitNotify(..)
            | Op::Mark) => self.timed(op, what, None),
        }
    }
}

/// A delivery that notes when it was delivered, and when the stream could resume.
struct TraceDelivery {
    delivery: Box<dyn Delivery>,
    guard: TimesGuard,
    wait: bool,
}

impl Delivery for TraceDelivery {
    fn deliver(self: Box<Self>, ticket: Ticket) {
        let Self { delivery, guard, wait } = *self;
        guard.begin();
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
