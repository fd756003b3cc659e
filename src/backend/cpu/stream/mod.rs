//! Streams: which operations run in the caller, which are queued, and what returns when.

pub mod event;
pub mod executor;
pub mod operation;
pub mod parallel;
pub mod queue;
pub mod stream_value;
pub mod watch;

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::graph;
use crate::backend::cpu::kernel::kernel_launch;
use crate::backend::cpu::runtime::device::CpuDevice;
use crate::backend::cpu::runtime::driver::Shared;
use crate::backend::cpu::stream::event::{CpuEvent, Record};
use crate::backend::cpu::stream::operation::{Awaited, Operation, SHORT, TINY, Task};
use crate::backend::cpu::stream::queue::Queue;
use crate::backend::cpu::stream::watch::Watched;
use crate::backend::cpu::transfer::memcpy;
use crate::backend::{
    Change, Copy, Copy2d, Delivery, Event, Fault, FaultKind, Fill, Graph, HostFn, Launch, Notify,
    Op, Place, Position, Result, Stream, Submit, Ticket, ValueWait, Wait,
};

/// What became of an operation that might have run in the caller.
enum Tried {
    Ran(Position),
    NotNow(Operation),
}

/// An operation that was submitted.
struct Submitted {
    position: Position,
    /// The caller has to wait for it. It says whether it began, and how often the stream had been
    /// aborted before.
    awaited: Option<(Arc<AtomicBool>, u64)>,
}

impl Submitted {
    fn free(position: Position) -> Self {
        Self { position, awaited: None }
    }
}

/// A stream of the CPU backend.
pub(super) struct CpuStream {
    shared: Arc<Shared>,
    queue: Arc<Queue>,
    device: Weak<CpuDevice>,
}

impl CpuStream {
    pub(super) fn new(shared: Arc<Shared>, queue: Arc<Queue>, device: Weak<CpuDevice>) -> Self {
        Self { shared, queue, device }
    }

    /// Runs the operation here if the stream is idle and the operation at most `limit` bytes
    /// long, else gives it back.
    fn try_now(&self, operation: Operation, limit: usize) -> Result<Tried> {
        let mut submission = self.queue.submit()?;
        if operation.len() > limit || !self.queue.may_run_now(&mut submission)? {
            return Ok(Tried::NotNow(operation));
        }
        if operation.len() <= TINY {
            operation.run(&self.shared);
            let position = submission.pass();
            self.shared.watcher.look(operation.written());
            return Ok(Tried::Ran(position));
        }
        Ok(Tried::Ran(self.queue.run_now(submission, &Task::new(operation))))
    }

    fn queue(&self, operation: Operation) -> Result<Position> {
        Ok(self.queue.push(self.queue.submit_queued()?, operation))
    }

    fn queue_wait(&self, awaited: Awaited) -> Result<Position> {
        let mut submission = self.queue.submit()?;
        Ok(if self.queue.may_run_now(&mut submission)? {
            self.queue.block_now(submission, awaited)
        } else {
            self.queue.push(submission, Operation::Wait(awaited))
        })
    }

    fn queue_watched(&self, watched: Arc<Watched>) -> Result<Position> {
        let record = Record::outside_streams();
        self.queue_wait(Awaited { record, limit: None, watched: Some(watched) })
    }

    fn now_or_later(&self, operation: Operation) -> Result<Position> {
        match self.try_now(operation, SHORT)? {
            Tried::Ran(position) => Ok(position),
            Tried::NotNow(operation) => self.queue(operation),
        }
    }

    /// Queues an operation that the caller has to wait for.
    fn queue_awaited(&self, operation: Operation) -> Result<Submitted> {
        let aborts = self.queue.operations.aborts();
        let began = Arc::new(AtomicBool::new(false));
        let operation = Operation::Awaited(Box::new(operation), Arc::clone(&began));
        Ok(Submitted { position: self.queue(operation)?, awaited: Some((began, aborts)) })
    }

    /// Queues a copy, or runs it here.
    fn submit_copy(&self, copy: Copy) -> Result<Submitted> {
        let reads_now = copy.stage_source || copy.src.place == Place::Pageable;
        let completes = copy.dst.place == Place::Pageable;
        let (dst, src) = (copy.dst, copy.src);
        // The caller waits for the data anyway: it may as well move it.
        let limit = if reads_now || completes { usize::MAX } else { SHORT };
        let operation = match self.try_now(Operation::Copy(copy), limit)? {
            Tried::Ran(position) => return Ok(Submitted::free(position)),
            Tried::NotNow(operation) => operation,
        };
        if completes || (reads_now && src.len > SHORT) {
            return self.queue_awaited(operation);
        }
        if reads_now {
            let staged = memcpy::staged(&src);
            return self.queue(Operation::CopyStaged(dst, staged)).map(Submitted::free);
        }
        self.queue(operation).map(Submitted::free)
    }

    /// Waits for an operation of this stream, if the caller's memory hangs on it.
    fn wait_for(&self, submitted: Submitted) -> Result<Position> {
        let Submitted { position, awaited } = submitted;
        let Some((began, aborts)) = awaited else { return Ok(position) };
        let operations = &self.queue.operations;
        let over = || {
            operations.has_finished(position)
                || operations.was_dropped(position)
                || (operations.aborts() != aborts && !operations.is_pending(position))
        };
        let wait = self.queue.wait_until(&over, None);
        debug_assert_eq!(wait, Wait::Done);
        // Relaxed: see where it is set. What began and failed is the observer's business.
        if began.load(Ordering::Relaxed) {
            Ok(position)
        } else if operations.was_dropped(position) {
            Err(queue::abandoned())
        } else {
            Err(self.queue.why_aborted())
        }
    }

    #[cfg(test)]
    pub(super) fn inner(&self) -> &Arc<Queue> {
        &self.queue
    }
}

/// Operations. What programs submit in their inner loops is a function of its own each, so that
/// [`Submit::submit`] jumps there without a frame: inlined together they cost each call some 5 ns.
impl CpuStream {
    #[inline(never)]
    fn copy(&self, copy: Copy) -> Result<Position> {
        self.wait_for(self.submit_copy(copy)?)
    }

    #[inline(never)]
    fn fill(&self, fill: Fill) -> Result<Position> {
        self.now_or_later(Operation::Fill(fill))
    }

    #[inline(never)]
    fn launch(&self, launch: &Launch<'_>) -> Result<Position> {
        let call = kernel_launch::call(&self.shared, launch)?;
        self.queue(Operation::Launch(Box::new(call)))
    }

    #[inline(never)]
    fn host_fn(&self, function: HostFn) -> Result<Position> {
        self.queue(Operation::HostFn(function))
    }

    fn copy_batch(&self, copies: &[Copy]) -> Result<Position> {
        let aborts = self.queue.operations.aborts();
        // In order: when the last that is waited for is over, all are.
        let mut last: Option<Submitted> = None;
        let mut outcome = Ok(0);
        for copy in copies {
            match self.submit_copy(copy.clone()) {
                Ok(submitted) => {
                    outcome = Ok(submitted.position);
                    if submitted.awaited.is_some() {
                        last = Some(submitted);
                    }
                }
                Err(fault) => {
                    outcome = Err(fault);
                    break;
                }
            }
        }
        let waited = last.map_or(Ok(0), |submitted| self.wait_for(submitted));
        let position = outcome?;
        waited?;
        // Between two copies, it has dropped the one and not the other.
        if self.queue.operations.aborts() != aborts {
            return Err(self.queue.why_aborted());
        }
        Ok(position)
    }

    fn copy_2d(&self, copy: Copy2d) -> Result<Position> {
        let waits = [copy.dst, copy.src].iter().any(|rows| rows.span.place == Place::Pageable);
        let limit = if waits { usize::MAX } else { SHORT };
        match self.try_now(Operation::Copy2d(Box::new(copy)), limit)? {
            Tried::Ran(position) => Ok(position),
            Tried::NotNow(operation) if waits => self.wait_for(self.queue_awaited(operation)?),
            Tried::NotNow(operation) => self.queue(operation),
        }
    }

    #[inline(never)]
    fn run_graph(&self, graph: &Arc<dyn Graph>) -> Result<Position> {
        let graph = graph::of(graph)?;
        // Held until this run is the latest one, so that they take an order.
        let mut latest = graph.latest();
        if let Some(before) = latest.running_elsewhere(&self.queue) {
            self.queue(Operation::Wait(Awaited::record(before)))?;
        }
        let mut submission = self.queue.submit()?;
        let may_run_now = self.queue.may_run_now(&mut submission)?;
        let run = Box::new(graph.run_on(&self.queue, submission.ticket(), &self.shared.options));
        latest.is(&run);
        let operation = Operation::Graph(run);
        if operation.is_host_fn() || operation.len() > SHORT || !may_run_now {
            return Ok(self.queue.push(submission, operation));
        }
        Ok(self.queue.run_now(submission, &Task::new(operation)))
    }

    fn hand_over(&self, delivery: Box<dyn Delivery>, wait: bool) -> Result<Position> {
        let record = wait.then(Record::outside_streams);
        let mut submission = self.queue.submit()?;
        if !self.queue.may_run_now(&mut submission)? {
            return Ok(self.queue.push(submission, Operation::HandOver(delivery, record)));
        }
        // Nobody need be woken for it. What is queued from here on waits already.
        let (position, ticket) = match record {
            Some(record) => {
                let awaited = Awaited::record(Arc::clone(&record));
                (self.queue.block_now(submission, awaited), queue::ticket(record))
            }
            None => (submission.pass(), Ticket::unawaited()),
        };
        delivery.deliver(ticket);
        Ok(position)
    }

    #[inline(never)]
    fn record(&self, event: &Arc<dyn Event>) -> Result<Position> {
        let event = CpuEvent::of(&**event)?;
        let mut submission = self.queue.submit()?;
        if self.queue.may_run_now(&mut submission)? {
            let orphan = event.record_now();
            let position = submission.pass();
            if let Some(orphan) = orphan {
                queue::happen(&orphan);
            }
            return Ok(position);
        }
        // Under the stream's lock: of two records at once, the event keeps the later one.
        let record = event.record_later(&self.queue);
        Ok(self.queue.push(submission, Operation::Record(record)))
    }

    #[inline(never)]
    fn wait(&self, event: &Arc<dyn Event>, limit: Option<Duration>) -> Result<Position> {
        let event = CpuEvent::of(&**event)?;
        // What is queued here comes after a record of this stream anyway.
        let Some(record) = event.pending().filter(|record| !record.is_of(&self.queue)) else {
            return Ok(self.queue.nothing(self.queue.submit()?));
        };
        let limit = limit.map(|limit| self.shared.timer.limit(limit)).transpose()?;
        self.queue_wait(Awaited { record, limit, watched: None })
    }

    fn wait_value(&self, wait: ValueWait) -> Result<Position> {
        let is_idle = !self.shared.options.asynchronous && self.queue.operations.is_idle();
        if is_idle && stream_value::holds(&self.shared, &wait) {
            return Ok(self.queue.nothing(self.queue.submit()?));
        }
        self.queue_watched(Watched::value(&self.shared, wait)?)
    }

    fn change_notify(&self, notify: &Arc<Notify>, change: Change) -> Result<Position> {
        let mut submission = self.queue.submit()?;
        if !self.queue.may_run_now(&mut submission)? {
            let change = Operation::ChangeNotify(Arc::clone(notify), change);
            return Ok(self.queue.push(submission, change));
        }
        notify.change(change);
        let position = submission.pass();
        self.shared.watcher.look(notify.range());
        Ok(position)
    }

    #[inline(never)]
    fn mark(&self) -> Result<Position> {
        let mut submission = self.queue.submit()?;
        if self.queue.may_run_now(&mut submission)? {
            return Ok(submission.pass());
        }
        Ok(self.queue.push(submission, Operation::Mark))
    }

    /// What programs submit less often.
    #[inline(never)]
    fn submit_rarer(&self, op: Op<'_>) -> Result<Position> {
        match op {
            Op::CopyBatch(copies) => self.copy_batch(copies),
            Op::Copy2d(copy) => self.copy_2d(copy),
            Op::CopyIndirect(copy) => self.queue(Operation::CopyIndirect(Box::new(copy))),
            // All memory is the host's: there is nothing to move.
            Op::Prefetch(..) => Ok(self.queue.nothing(self.queue.submit()?)),
            Op::RandomNum(job) => self.now_or_later(Operation::RandomNum(Box::new(job))),
            Op::Reduce(reduce) => self.now_or_later(Operation::Reduce(reduce)),
            Op::HandOver { delivery, wait } => self.hand_over(delivery.take(), wait),
            Op::WriteValue(write) => self.now_or_later(Operation::WriteValue(write)),
            Op::WaitValue(wait) => self.wait_value(wait),
            Op::ChangeNotify(notify, change) => self.change_notify(notify, change),
            Op::WaitNotify(notify, wait) => {
                self.queue_watched(Watched::notify(&self.shared, notify, wait)?)
            }
            _ => Err(Fault::new(FaultKind::Unsupported, "CPU devices do not run this operation")),
        }
    }
}

impl Submit for CpuStream {
    fn submit(&self, op: Op<'_>) -> Result<Position> {
        match op {
            Op::Copy(copy) => self.copy(copy),
            Op::Fill(fill) => self.fill(fill),
            Op::Launch(launch) => self.launch(launch),
            Op::HostFn(function) => self.host_fn(function.take()),
            Op::RunGraph(graph) => self.run_graph(graph),
            Op::Record(event) => self.record(event),
            Op::Wait(event, limit) => self.wait(event, limit),
            Op::Mark => self.mark(),
            Op::CopyBatch(_)
            | Op::Copy2d(_)
            | Op::CopyIndirect(_)
            | Op::Prefetch(..)
            | Op::RandomNum(_)
            | Op::Reduce(_)
            | Op::HandOver { .. }
            | Op::WriteValue(_)
            | Op::WaitValue(_)
            | Op::ChangeNotify(..)
            | Op::WaitNotify(..) => self.submit_rarer(op),
        }
    }
}

impl Stream for CpuStream {
    fn limit_waits(&self, until: Instant) {
        self.queue.limit_waits(until);
    }

    fn is_idle(&self) -> Result<bool> {
        Ok(self.is_known_idle())
    }

    fn is_known_idle(&self) -> bool {
        self.queue.operations.is_idle()
    }

    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        let operations = &self.queue.operations;
        if operations.is_idle() {
            return Ok(Wait::Done);
        }
        let (ticket, aborts) = (operations.last_ticket(), operations.aborts());
        let over = || operations.has_finished(ticket) || operations.aborts() != aborts;
        let wait = self.queue.wait_until(&over, deadline);
        if operations.aborts() != aborts { Err(self.queue.why_aborted()) } else { Ok(wait) }
    }

    #[inline]
    fn submitted(&self) -> Option<Position> {
        let operations = &self.queue.operations;
        (!operations.is_abandoned()).then(|| operations.last_ticket())
    }

    fn finished(&self) -> Position {
        self.queue.operations.finished()
    }

    fn settle(&self, position: Position) -> Result<()> {
        self.queue.settle_up_to(position);
        Ok(())
    }

    fn abandon(&self) -> Position {
        self.queue.abandon()
    }

    fn abort(&self, why: Fault, deadline: Option<Instant>) -> Wait {
        let Some(started) = self.queue.abort(why) else { return Wait::Done };
        self.queue.wait_until(&|| self.queue.operations.has_finished(started), deadline)
    }

    fn retire(&self) {
        self.queue.retire();
    }

    fn set_priority(&self, priority: u32) -> Result<()> {
        self.queue.set_priority(priority);
        Ok(())
    }

    fn native(&self) -> Option<usize> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for CpuStream {
    fn drop(&mut self) {
        self.shared.users.forget(&self.queue);
        if let Some(device) = self.device.upgrade() {
            device.forget(&self.queue);
        }
    }
}
