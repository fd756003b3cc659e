//! Streams and events of the script.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::device::ScriptDevice;
use super::{THREAD, Thing};
use crate::backend::{
    Delivery, Event, Failure, Fault, FaultKind, Observer, Op, Position, Result, Stream, StreamOptions, Submit, Ticket,
    Wait,
};

/// The work of a stream.
#[derive(Default)]
struct Work {
    /// The timeouts of the waits for events.
    limits: Vec<Option<Duration>>,
    busy: bool,
    /// Number of operations that had been enqueued when it began the current one.
    done: Position,
    /// Number of calls of synchronize that wait.
    waiting: usize,
    /// Number of operations that were enqueued.
    queued: Position,
    abandoned: bool,
    retired: bool,
    /// The time when its waits for values end.
    waits_until: Option<Instant>,
    /// The reason of each abort.
    aborts: Vec<Fault>,
    priority: u32,
    /// The deliveries that it hands over when it reaches them, and whether it then waits.
    deliveries: VecDeque<(Box<dyn Delivery>, bool)>,
    /// True while it waits for a ticket.
    awaits_ticket: bool,
}

impl Work {
    fn is_over(&self) -> bool {
        !self.busy && !self.awaits_ticket && self.deliveries.is_empty()
    }
}

/// A stream whose progress the test controls.
pub(in crate::tests) struct ScriptStream {
    device: Arc<ScriptDevice>,
    observer: Option<Arc<dyn Observer>>,
    work: Mutex<Work>,
    moved: Condvar,
    itself: Weak<Self>,
}

impl ScriptStream {
    pub(super) fn new(device: Arc<ScriptDevice>, options: StreamOptions) -> Arc<Self> {
        Arc::new_cyclic(|itself| Self {
            device,
            observer: options.observer,
            work: Mutex::new(Work { priority: options.priority.level(), ..Work::default() }),
            moved: Condvar::new(),
            itself: Weak::clone(itself),
        })
    }

    pub(in crate::tests) fn of(stream: &dyn Stream) -> Arc<Self> {
        let stream: &dyn Any = stream;
        let stream: &Self = stream.downcast_ref().expect("a stream of the script");
        stream.itself.upgrade().expect("the caller holds it")
    }

    /// Begins work that lasts until [`Self::finish`].
    pub(in crate::tests) fn begin(&self) {
        let mut work = self.work.lock();
        (work.busy, work.done) = (true, work.queued);
    }

    pub(in crate::tests) fn finish(&self) {
        self.work.lock().busy = false;
        self.go_on();
    }

    /// Hands over the deliveries that it reaches.
    fn go_on(&self) {
        loop {
            let mut work = self.work.lock();
            if work.busy || work.awaits_ticket {
                break;
            }
            let Some((delivery, wait)) = work.deliveries.pop_front() else { break };
            work.awaits_ticket = wait;
            drop(work);
            let itself = Weak::clone(&self.itself);
            let go_on = move || {
                if let Some(stream) = itself.upgrade() {
                    stream.work.lock().awaits_ticket = false;
                    stream.go_on();
                }
            };
            delivery.deliver(if wait { Ticket::new(go_on) } else { Ticket::unawaited() });
        }
        self.moved.notify_all();
    }

    /// Makes the last enqueued operation fail asynchronously, outside of any call.
    pub(in crate::tests) fn fail(&self, text: &str) {
        let position = self.work.lock().queued;
        self.fail_at(position, text);
    }

    /// Makes operation number `position` fail.
    pub(in crate::tests) fn fail_at(&self, position: Position, text: &str) {
        self.report(Some(position), Some(THREAD), text);
    }

    /// Makes the device fail, without a known operation.
    pub(in crate::tests) fn fail_as_device(&self, text: &str) {
        self.report(None, None, text);
    }

    fn report(&self, position: Option<Position>, thread: Option<u32>, text: &str) {
        let failure = Failure { fault: Fault::new(FaultKind::Execution, text), position, thread, launch: None };
        if let Some(notification) = self.observer.as_ref().unwrap().failed(failure) {
            std::thread::spawn(|| notification.run()).join().unwrap();
        }
    }

    pub(in crate::tests) fn is_retired(&self) -> bool {
        self.work.lock().retired
    }

    pub(in crate::tests) fn waits_until(&self) -> Option<Instant> {
        self.work.lock().waits_until
    }

    /// Returns the reason of each abort.
    pub(in crate::tests) fn aborts(&self) -> Vec<Fault> {
        self.work.lock().aborts.clone()
    }

    pub(in crate::tests) fn priority(&self) -> u32 {
        self.work.lock().priority
    }

    /// Returns the limits of its waits for events.
    pub(in crate::tests) fn limits(&self) -> Vec<Option<Duration>> {
        self.work.lock().limits.clone()
    }

    /// Returns the number of calls that wait for it.
    pub(in crate::tests) fn waiting(&self) -> usize {
        self.work.lock().waiting
    }

    pub(in crate::tests) fn is_abandoned(&self) -> bool {
        self.work.lock().abandoned
    }

    fn queue(&self, call: &'static str) -> Result<Position> {
        self.device.enter(call)?;
        let mut work = self.work.lock();
        if work.abandoned {
            return Err(Fault::new(FaultKind::Abandoned, "it was given up"));
        }
        work.queued += 1;
        Ok(work.queued)
    }

    fn wait(&self, deadline: Option<Instant>) -> Result<Wait> {
        let mut work = self.work.lock();
        work.waiting += 1;
        let mut in_time = true;
        let aborts = work.aborts.len();
        while !work.is_over() && in_time && work.aborts.len() == aborts {
            match deadline {
                None => self.moved.wait(&mut work),
                Some(deadline) => in_time = !self.moved.wait_until(&mut work, deadline).timed_out(),
            }
        }
        work.waiting -= 1;
        match work.aborts.get(aborts) {
            Some(why) => Err(why.clone()),
            None => Ok(if work.is_over() { Wait::Done } else { Wait::TimedOut }),
        }
    }
}

impl Submit for ScriptStream {
    fn submit(&self, op: Op<'_>) -> Result<Position> {
        let position = self.queue(op.kind().name().trim_start_matches("stream."))?;
        match op {
            Op::HandOver { delivery, wait } => {
                self.work.lock().deliveries.push_back((delivery.take(), wait));
                self.go_on();
            }
            Op::Record(event) => {
                let event: &dyn Any = &**event;
                let event: &ScriptEvent = event.downcast_ref().expect("an event of the script");
                *event.recorded_on.lock() = self.itself.upgrade();
            }
            Op::Wait(_, limit) => self.work.lock().limits.push(limit),
            Op::Copy(_)
            | Op::CopyBatch(_)
            | Op::Copy2d(_)
            | Op::CopyIndirect(_)
            | Op::Fill(_)
            | Op::Prefetch(_)
            | Op::RandomNum(_)
            | Op::Reduce(_)
            | Op::Launch(_)
            | Op::HostFn(_)
            | Op::HostTask(_)
            | Op::RunGraph(_)
            | Op::WriteValue(_)
            | Op::WaitValue(_)
            | Op::ChangeNotify(..)
            | Op::WaitNotify(..)
            | Op::Mark => {}
        }
        Ok(position)
    }
}

impl Stream for ScriptStream {
    fn limit_waits(&self, until: Instant) {
        self.work.lock().waits_until = Some(until);
    }

    fn is_idle(&self) -> Result<bool> {
        self.device.enter("is_idle")?;
        Ok(self.work.lock().is_over())
    }

    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        self.device.enter("synchronize")?;
        let wait = Self::wait(self, deadline);
        // The device may have failed meanwhile.
        self.device.enter("synchronized")?;
        wait
    }

    fn submitted(&self) -> Option<Position> {
        let work = self.work.lock();
        (!work.abandoned).then_some(work.queued)
    }

    fn finished(&self) -> Position {
        let work = self.work.lock();
        if work.is_over() { work.queued } else { work.done }
    }

    /// Drops what was enqueued while it was busy, except the first operation.
    fn abandon(&self) -> Position {
        let mut work = self.work.lock();
        work.abandoned = true;
        let kept = if work.busy { work.queued.min(1) } else { work.queued };
        let dropped = std::mem::take(&mut work.deliveries);
        drop(work);
        drop(dropped);
        kept
    }

    fn abort(&self, why: Fault, deadline: Option<Instant>) -> Wait {
        let mut work = self.work.lock();
        work.aborts.push(why);
        let dropped = std::mem::take(&mut work.deliveries);
        let started = work.busy;
        drop(work);
        self.moved.notify_all();
        drop(dropped);
        if started && deadline.is_some() { Wait::TimedOut } else { Wait::Done }
    }

    fn retire(&self) {
        self.work.lock().retired = true;
    }

    fn set_priority(&self, priority: u32) -> Result<()> {
        self.device.enter("set_priority")?;
        self.work.lock().priority = priority;
        Ok(())
    }

    fn native(&self) -> Option<usize> {
        None
    }
}

impl Drop for ScriptStream {
    fn drop(&mut self) {
        self.device.script.gone(Thing::Stream);
    }
}

pub(super) struct ScriptEvent {
    device: Arc<ScriptDevice>,
    recorded_on: Mutex<Option<Arc<ScriptStream>>>,
}

impl ScriptEvent {
    pub(super) fn new(device: Arc<ScriptDevice>) -> Self {
        Self { device, recorded_on: Mutex::default() }
    }
}

impl Event for ScriptEvent {
    fn is_complete(&self) -> Result<bool> {
        self.device.enter("is_complete")?;
        let stream = self.recorded_on.lock().clone();
        Ok(stream.is_none_or(|stream| stream.work.lock().is_over()))
    }

    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        self.device.enter("event_synchronize")?;
        let stream = self.recorded_on.lock().clone();
        stream.map_or(Ok(Wait::Done), |stream| stream.wait(deadline))
    }

    fn elapsed_ms(&self, _start: &dyn Event) -> Result<f32> {
        self.device.enter("elapsed")?;
        Ok(-1.5)
    }

    fn time_ns(&self) -> Result<u64> {
        self.device.enter("time")?;
        Ok(15_000)
    }

    fn native(&self) -> Option<usize> {
        None
    }
}

impl Drop for ScriptEvent {
    fn drop(&mut self) {
        self.device.script.gone(Thing::Event);
    }
}
