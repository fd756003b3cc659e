//! The queue of a stream: its operations, the memory that they use, and their results.
//!
//! [`StreamQueue`] decides which thread may run operations, and when. This module is what such a thread does.
//!
//! Lock order: first a queue's operations, then an event or a record. The executor's lock is taken with none of them
//! held. A thread never holds the locks of two queues.

mod drain;
mod host_task;
mod run;
mod users;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use parking_lot::Mutex;

use super::event::Record;
use super::executor::Executor;
use super::operation::{Awaited, Begins, Footprint, Operation, SHORT, Task};
use crate::algo::queue::stream_queue::{LockedClaim, StreamQueue, Submission};
use crate::algo::sync::event_count::EventCount;
use crate::algo::sync::gap::Gap;
use crate::backend::stream::watch::Watched;
use crate::backend::{FailedLaunch, Failure, Fault, Observer, Position, Result, Span, Ticket};
use crate::runtime::shared::Shared;
use crate::runtime::utilization::Busy;
use crate::transfer::host_task::TaskWait;
use crate::transfer::stream_value;

/// The length of a queue above which it is not searched for uses of a block.
const MAX_SEARCH: usize = 1024;

#[repr(C)]
pub(crate) struct Queue {
    pub shared: Arc<Shared>,
    executor: Arc<Executor>,
    /// The ordinal of the stream's device.
    ordinal: u32,
    /// The stream's device, and its number there. It distinguishes streams in the seeded delays and in schedules.
    pub id: u64,
    pub priority: AtomicU32,
    pub operations: StreamQueue<Task>,
    /// The ticket of the last operation that uses memory.
    last_use: AtomicU64,
    /// Whether the queue is on the list of users of memory.
    enlisted: AtomicBool,
    /// The observer, which receives failures.
    observer: Option<Arc<dyn Observer>>,
    /// The reason of the stream's last abort.
    aborted: Mutex<Option<Fault>>,
    /// See [`crate::backend::Stream::retire`].
    retired: AtomicBool,
    /// See [`crate::backend::Stream::limit_waits`].
    waits_until: OnceLock<Instant>,
    waiters: EventCount,
    /// The tasks that run, each with the record that it completes.
    tasks: Mutex<Vec<(Arc<TaskWait>, Arc<Record>)>>,
    _gap: Gap,
}

impl Queue {
    pub(crate) fn new(
        shared: Arc<Shared>,
        executor: Arc<Executor>,
        ordinal: u32,
        number: u64,
        priority: u32,
        observer: Option<Arc<dyn Observer>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            shared,
            executor,
            ordinal,
            id: u64::from(ordinal) << 48 | number,
            priority: AtomicU32::new(priority),
            operations: StreamQueue::new(),
            last_use: AtomicU64::new(0),
            enlisted: AtomicBool::new(false),
            observer,
            aborted: Mutex::new(None),
            retired: AtomicBool::new(false),
            waits_until: OnceLock::new(),
            waiters: EventCount::new(),
            tasks: Mutex::default(),
            _gap: Gap::default(),
        })
    }

    /// Returns the counter of the device's work.
    fn busy(&self) -> &Busy {
        &self.shared.devices[self.ordinal as usize].busy
    }

    // ---- submission ----

    /// Returns the right to submit, or the reason why not.
    pub(crate) fn submit(&self) -> Result<Submission<'_, Task>> {
        self.operations.submit().ok_or_else(Fault::abandoned)
    }

    /// Returns the right to submit an operation to the queue, which has room for it.
    pub(crate) fn submit_queued(&self) -> Result<Submission<'_, Task>> {
        let mut submission = self.submit()?;
        if submission.make_room(1) { Ok(submission) } else { Err(no_room()) }
    }

    /// Returns the right to submit an operation, and whether it may run in the caller, because nothing is pending. If
    /// not, there is room to enqueue it.
    #[inline(always)]
    pub(crate) fn begin(&self) -> Result<(Submission<'_, Task>, bool)> {
        let mut submission = self.submit()?;
        let may_run_now = !self.shared.options.asynchronous && submission.is_idle();
        ensure!(may_run_now || submission.make_room(1), no_room());
        Ok((submission, may_run_now))
    }

    /// Enqueues an operation. Returns its ticket.
    pub(crate) fn push(self: &Arc<Self>, submission: Submission<'_, Task>, operation: Operation) -> Position {
        let ticket = submission.ticket();
        let enlist = self.note_use(&operation, ticket);
        let list = submission.push(Task::new(operation));
        if enlist {
            self.shared.users.add(self);
        }
        if list {
            self.executor.push(Arc::clone(self));
        }
        ticket
    }

    /// Notes the memory use of an operation that is about to be enqueued. Returns whether that puts the queue on the
    /// list of users.
    fn note_use(&self, operation: &Operation, ticket: Position) -> bool {
        if !operation.uses_memory() {
            return false;
        }
        // Sequentially consistent with `delist_if_unused`: at least one of the two reads the other's write.
        self.last_use.store(ticket, Ordering::SeqCst);
        !self.enlisted.load(Ordering::SeqCst)
    }

    /// Submits an operation without work. Returns its position in the stream.
    pub(crate) fn nothing(&self, submission: Submission<'_, Task>) -> Position {
        if submission.is_idle() { submission.pass() } else { submission.ticket() - 1 }
    }

    /// Runs an operation on memory in the calling thread. The queue must be idle.
    pub(crate) fn run_now(self: &Arc<Self>, submission: Submission<'_, Task>, task: &Task) -> Position {
        let position = submission.ticket();
        let claim = submission.claim(task);
        let failed = {
            // Short operations take about as long as counting them would.
            let _working = (task.operation.len() > SHORT).then(|| self.busy().begin());
            self.guarded(|| task.operation.run(&self.shared))
        };
        self.shared.watcher.check(task.operation.written());
        let report = failed.and_then(|fault| self.fail(fault, task.thread, task.operation.failed_launch()));
        let mut claim = claim.lock();
        self.finish(&mut claim, report);
        self.release(claim);
        position
    }

    /// Makes later operations wait. The queue must be idle, so no thread need run it.
    pub(crate) fn block_now(self: &Arc<Self>, submission: Submission<'_, Task>, awaited: Awaited) -> Position {
        let position = submission.ticket();
        let wait = Operation::Wait(awaited);
        let enlist = self.note_use(&wait, position);
        submission.block(Task::new(wait), |on| self.subscribe(on));
        if enlist {
            self.shared.users.add(self);
        }
        position
    }

    /// Subscribes the queue to the record of its first operation. Returns false if that is complete, or has no wait.
    /// The caller holds the queue's lock.
    fn subscribe(self: &Arc<Self>, on: &Awaited) -> bool {
        if !on.record.completion.subscribe(self) {
            return false;
        }
        // The queue is added to the list first: a thread that drops the record looks there for retired queues.
        if self.is_retired() && on.record.dropped().is_some() {
            on.record.completion.unsubscribe(self);
            return false;
        }
        match &on.begins {
            None => true,
            Some(Begins::Watch(watched)) => self.watch(watched, &on.record),
            Some(Begins::Task(task)) => {
                self.start_task(task, &on.record);
                true
            }
        }
    }

    /// Watches memory for a change that completes the record. Returns false if it has changed already. The wait may
    /// time out. The caller holds the queue's lock.
    fn watch(self: &Arc<Self>, watched: &Watched, record: &Arc<Record>) -> bool {
        let ticket = self.operations.finished() + 1;
        let (queue, happening) = (Arc::downgrade(self), Arc::clone(record));
        let end = Box::new(move |outcome: Result<()>| match (outcome, queue.upgrade()) {
            (Ok(()), _) => complete(&happening),
            (Err(fault), Some(queue)) => queue.fail_wait(ticket, fault),
            // A dropped stream does not wait.
            (Err(_), None) => {}
        });
        let word_addr = |span: &Span| stream_value::word_addr(&self.shared, span);
        // SAFETY: the core checked the range. The wait is complete only after the watcher has stopped to check it.
        let waits = unsafe { watched.begin(word_addr, self.waits_until.get().copied(), end) };
        if !waits {
            record.completion.unsubscribe(self);
        }
        waits
    }

    /// Ends the wait with this ticket, so that the queue goes on. The wait has failed unless its record has become
    /// complete.
    fn fail_wait(self: &Arc<Self>, ticket: u64, fault: Fault) {
        let Some((claim, task)) = self.operations.expire(ticket) else { return };
        let mut report = None;
        if let Operation::Wait(on) = &task.operation {
            on.record.completion.unsubscribe(self);
            if !on.record.is_complete() {
                report = self.fail(fault, task.thread, None);
            }
        }
        let mut claim = claim.lock();
        self.finish(&mut claim, report);
        self.release(claim);
    }

    // ---- failure and end ----

    /// Reports that the operation which the caller runs has failed. The returned operation must complete before it
    /// does: it notifies user code of the failure on a separate queue, like a host function.
    #[cold]
    fn fail(&self, fault: Fault, thread: u32, launch: Option<FailedLaunch>) -> Option<Operation> {
        let position = Some(self.operations.finished() + 1);
        let failure = Failure { fault, position, thread: Some(thread), launch };
        let notification = self.observer.as_ref()?.failed(failure)?;
        let reporter = Self::new(Arc::clone(&self.shared), Arc::clone(&self.executor), self.ordinal, self.id, 0, None);
        let record = Record::queued(&reporter);
        for operation in [Operation::HostFn(notification), Operation::Record(Arc::clone(&record))] {
            // A private queue accepts every operation.
            reporter.push(reporter.submit().ok()?, operation);
        }
        Some(Operation::Wait(Awaited::record(record)))
    }

    /// Completes the claimed operation, or lets `report` complete it.
    fn finish(&self, claim: &mut LockedClaim<'_, Task>, report: Option<Operation>) {
        match report {
            Some(report) => claim.put_in_place(Task::new(report)),
            None => {
                claim.finish();
                self.waiters.notify_all();
            }
        }
    }

    /// Ends the claim, and lists the queue if operations were enqueued in the meantime.
    fn release(self: &Arc<Self>, claim: LockedClaim<'_, Task>) {
        if claim.release() {
            self.executor.push(Arc::clone(self));
        }
    }

    /// Drops what has not started, and accepts no more. Returns the position of the last operation that is kept.
    pub(crate) fn abandon(self: &Arc<Self>) -> Position {
        let dropped = self.operations.abandon();
        self.unsubscribe(&dropped);
        let kept = self.operations.last_ticket() - dropped.len() as u64;
        self.complete_dropped(dropped);
        self.waiters.notify_all();
        kept
    }

    /// Drops what has not started. Returns the ticket of a running operation on memory, if there is one.
    pub(crate) fn abort(self: &Arc<Self>, why: Fault) -> Option<Position> {
        *self.aborted.lock() = Some(why.clone());
        let (dropped, in_hand) = self.operations.abort();
        self.unsubscribe(&dropped);
        for task in dropped {
            match task.operation {
                Operation::Record(record) => list_all(record.drop_for(why.clone())),
                Operation::Graph(run) => run.drop_for(&why),
                Operation::Copy(_)
                | Operation::Awaited(..)
                | Operation::CopyStaged(..)
                | Operation::Copy2d(_)
                | Operation::CopyIndirect(_)
                | Operation::Fill(_)
                | Operation::RandomNum(_)
                | Operation::Reduce(_)
                | Operation::WriteValue(_)
                | Operation::Launch(_)
                | Operation::HostFn(_)
                | Operation::HandOver(..)
                | Operation::ChangeNotify(..)
                | Operation::Wait(_)
                | Operation::Mark => {}
            }
        }
        self.waiters.notify_all();
        let on_memory = |footprint: &Footprint| footprint.ranges[0].1 != 0 && !footprint.is_user_code;
        in_hand.filter(|(_, footprint)| on_memory(footprint)).map(|(ticket, _)| ticket)
    }

    /// Returns the reason of the stream's last abort.
    pub(crate) fn why_aborted(&self) -> Fault {
        self.aborted.lock().clone().unwrap_or_else(Fault::abandoned)
    }

    pub(crate) fn is_retired(&self) -> bool {
        // Sequentially consistent with `Record::drop_for`: at least one of the two reads the other's write.
        self.retired.load(Ordering::SeqCst)
    }

    /// Makes waits for records that never complete end from here on.
    pub(crate) fn retire(self: &Arc<Self>) {
        self.retired.store(true, Ordering::SeqCst);
        if let Some(on) = self.operations.blocked_on()
            && on.record.dropped().is_some()
        {
            on.record.completion.unsubscribe(self);
            if self.operations.resume() {
                self.list_resumed();
            }
        }
    }

    /// Lists the queue, which can resume, for any thread.
    pub(crate) fn list_resumed(self: &Arc<Self>) {
        if self.operations.must_list() {
            self.executor.push(Arc::clone(self));
        }
    }

    /// Implements [`crate::backend::Stream::limit_waits`].
    pub(crate) fn limit_waits(&self, until: Instant) {
        // The limit is set before the check, so that a wait that begins later reads it.
        let until = *self.waits_until.get_or_init(|| until);
        if let Some(Begins::Watch(watched)) = self.operations.blocked_on().and_then(|on| on.begins) {
            watched.limit(until);
        }
    }

    /// Ends the subscription if the queue was blocked on the first of these.
    fn unsubscribe(self: &Arc<Self>, dropped: &VecDeque<Task>) {
        if let Some(Task { operation: Operation::Wait(on), .. }) = dropped.front() {
            on.record.completion.unsubscribe(self);
        }
    }

    /// Completes the records that were dropped.
    fn complete_dropped(&self, dropped: VecDeque<Task>) {
        for task in dropped {
            if let Operation::Record(record) = task.operation {
                complete(&record);
            }
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // Only an empty queue gets here, but no wait may last forever for a record that is gone.
        self.complete_dropped(self.operations.abandon());
    }
}

/// Completes a record outside of a running stream.
pub(crate) fn complete(record: &Record) {
    list_all(record.complete());
}

/// Lists streams that can resume.
pub(crate) fn list_all(queues: Vec<Arc<Queue>>) {
    queues.iter().for_each(Queue::list_resumed);
}

/// Returns the ticket that completes `record`.
pub(crate) fn ticket(record: Arc<Record>) -> Ticket {
    Ticket::new(move || complete(&record))
}

#[cold]
pub(crate) fn no_room() -> Fault {
    Fault::out_of_host_memory("no host memory is left to enqueue another operation in the stream; free host memory")
}
