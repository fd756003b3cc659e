//! Submits the operations of a stream: some run in the caller, others are enqueued.

use std::sync::Arc;
use std::time::Duration;

use super::{CpuStream, queue};
use crate::backend::stream::watch::{Expected, Watched};
use crate::backend::{
    BoundLaunch, Change, Copy, Copy2d, Delivery, Event, Fill, Graph, HostFn, HostTask, Launch, Notify, Op, Place,
    Position, Result, Submit, Ticket, ValueWait,
};
use crate::graph;
use crate::kernel::kernel_launch;
use crate::stream::event::{CpuEvent, Record};
use crate::stream::operation::{Awaited, Begins, Operation, SHORT, Task};
use crate::transfer::host_task::TaskWait;
use crate::transfer::stream_value;

/// These operations are submitted in inner loops of programs. They are separate functions, so that [`Submit::submit`]
/// jumps to them without a frame: inlined together they cost each call some 5 ns.
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
        let call = Box::new(kernel_launch::call(&self.queue.shared, launch, None)?);
        let submission = self.queue.submit_queued()?;
        call.accept();
        Ok(self.queue.push(submission, Operation::Launch(call)))
    }

    #[inline(never)]
    fn host_fn(&self, function: HostFn) -> Result<Position> {
        self.queue(Operation::HostFn(function))
    }

    fn copy_batch(&self, copies: &[Copy]) -> Result<Position> {
        // With room for all copies. Another thread may take it meanwhile: then the call fails, and some copies run.
        ensure!(self.queue.submit()?.make_room(copies.len()), queue::no_room());
        let aborts = self.queue.operations.aborts();
        // The copies run in order: when the last one is complete, all are.
        let mut last = None;
        let outcome: Result<_> = copies.iter().try_fold(0, |_, copy| {
            let submitted = self.submit_copy(copy.clone())?;
            let position = submitted.position;
            if submitted.awaited.is_some() {
                last = Some(submitted);
            }
            Ok(position)
        });
        let waited = last.map_or(Ok(0), |submitted| self.wait_for(submitted));
        let position = outcome?;
        waited?;
        // An abort between two copies has dropped only one of them.
        ensure!(self.queue.operations.aborts() == aborts, self.queue.why_aborted());
        Ok(position)
    }

    fn copy_2d(&self, copy: Copy2d) -> Result<Position> {
        let waits = [copy.dst, copy.src].iter().any(|rows| rows.span.place == Place::Pageable);
        let limit = if waits { usize::MAX } else { SHORT };
        self.try_now(Operation::Copy2d(Box::new(copy)), limit)?.or_else(|operation| match waits {
            true => self.wait_for(self.queue_awaited(operation)?),
            false => self.queue(operation),
        })
    }

    #[inline(never)]
    fn run_graph(&self, graph: &Arc<dyn Graph>) -> Result<Position> {
        let graph = graph::of(graph)?;
        // The lock is held until this run is the latest one, so that concurrent runs are ordered.
        let mut latest = graph.latest.lock();
        if let Some(before) = latest.as_ref().filter(|before| !before.is_complete() && !before.is_of(&self.queue)) {
            self.queue(Operation::Wait(Awaited::record(Arc::clone(before))))?;
        }
        let _memory = graph.claim_run(&self.queue.shared.options)?;
        let (submission, may_run_now) = self.queue.begin()?;
        let run = graph.run_on(&self.queue, submission.ticket(), &self.queue.shared.options);
        *latest = Some(Arc::clone(&run.done));
        let operation = Operation::Graph(Box::new(run));
        if operation.is_host_fn() || operation.len() > SHORT || !may_run_now {
            return Ok(self.queue.push(submission, operation));
        }
        Ok(self.queue.run_now(submission, &Task::new(operation)))
    }

    fn hand_over(&self, delivery: Box<dyn Delivery>, wait: bool) -> Result<Position> {
        let record = wait.then(Record::outside_streams);
        let (submission, may_run_now) = self.queue.begin()?;
        if !may_run_now {
            return Ok(self.queue.push(submission, Operation::HandOver(delivery, record)));
        }
        // No wake-up is necessary, because later operations wait already.
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
        let (submission, may_run_now) = self.queue.begin()?;
        if may_run_now {
            let orphan = event.record_now();
            let position = submission.pass();
            if let Some(orphan) = orphan {
                queue::complete(&orphan);
            }
            return Ok(position);
        }
        // The stream's lock is held: of two concurrent records, the event keeps the later one.
        let record = event.record_later(&self.queue);
        Ok(self.queue.push(submission, Operation::Record(record)))
    }

    #[inline(never)]
    fn wait(&self, event: &Arc<dyn Event>, limit: Option<Duration>) -> Result<Position> {
        let event = CpuEvent::of(&**event)?;
        // Later operations of this stream are ordered after its own record anyway.
        let Some(record) = event.pending().filter(|record| !record.is_of(&self.queue)) else {
            return Ok(self.queue.nothing(self.queue.submit()?));
        };
        let watched = limit.map(|limit| Watched::new(&self.queue.shared.watcher, Expected::Event(limit)).map(Arc::new));
        self.queue_wait(Awaited { record, begins: watched.transpose()?.map(Begins::Watch) })
    }

    fn host_task(&self, task: &Arc<HostTask>) -> Result<Position> {
        let task = TaskWait::new(&self.queue.shared, task)?;
        self.queue_wait(Awaited { record: Record::outside_streams(), begins: Some(Begins::Task(task)) })
    }

    fn wait_value(&self, wait: ValueWait) -> Result<Position> {
        let is_idle = !self.queue.shared.options.asynchronous && self.queue.operations.is_idle();
        if is_idle && stream_value::holds(&self.queue.shared, &wait) {
            return Ok(self.queue.nothing(self.queue.submit()?));
        }
        self.queue_watched(Expected::Value(wait))
    }

    fn change_notify(&self, notify: &Arc<Notify>, change: Change) -> Result<Position> {
        let (submission, may_run_now) = self.queue.begin()?;
        if !may_run_now {
            let change = Operation::ChangeNotify(Arc::clone(notify), change);
            return Ok(self.queue.push(submission, change));
        }
        notify.change(change);
        let position = submission.pass();
        self.queue.shared.watcher.check(notify.range());
        Ok(position)
    }

    #[inline(never)]
    fn mark(&self) -> Result<Position> {
        let (submission, may_run_now) = self.queue.begin()?;
        if may_run_now {
            return Ok(submission.pass());
        }
        Ok(self.queue.push(submission, Operation::Mark))
    }

    /// Submits operations that programs submit less often.
    #[inline(never)]
    fn submit_rarer(&self, op: Op<'_>) -> Result<Position> {
        match op {
            Op::CopyBatch(copies) => self.copy_batch(copies),
            Op::Copy2d(copy) => self.copy_2d(copy),
            Op::CopyIndirect(copy) => self.queue(Operation::CopyIndirect(Box::new(copy))),
            // All memory is host memory, so there is nothing to move.
            Op::Prefetch(_) => Ok(self.queue.nothing(self.queue.submit()?)),
            Op::RandomNum(job) => self.now_or_later(Operation::RandomNum(Box::new(job))),
            Op::Reduce(reduce) => self.now_or_later(Operation::Reduce(reduce)),
            Op::HostTask(task) => self.host_task(task),
            Op::HandOver { delivery, wait } => self.hand_over(delivery.take(), wait),
            Op::WriteValue(write) => self.now_or_later(Operation::WriteValue(write)),
            Op::WaitValue(wait) => self.wait_value(wait),
            Op::ChangeNotify(notify, change) => self.change_notify(notify, change),
            Op::WaitNotify(notify, wait) => self.queue_watched(Expected::Notify(Arc::clone(notify), wait)),
            Op::Copy(_)
            | Op::Fill(_)
            | Op::Launch(_)
            | Op::HostFn(_)
            | Op::RunGraph(_)
            | Op::Record(_)
            | Op::Wait(..)
            | Op::Mark => unreachable!("Submit::submit runs these"),
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
            | Op::Prefetch(_)
            | Op::RandomNum(_)
            | Op::Reduce(_)
            | Op::HostTask(_)
            | Op::HandOver { .. }
            | Op::WriteValue(_)
            | Op::WaitValue(_)
            | Op::ChangeNotify(..)
            | Op::WaitNotify(..) => self.submit_rarer(op),
        }
    }
}
