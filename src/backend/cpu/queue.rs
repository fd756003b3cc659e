//! The inside of a stream: its operations, the memory that they use, and what became of them.
//!
//! Who may run them when is decided by [`StreamQueue`]; this is what a thread does that may.
//!
//! Lock order: a queue's operations, then an event or a record; the executor's lock with none of
//! them held. Never two queues.

mod run;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::Shared;
use super::busy::Busy;
use super::event::Record;
use super::operation::{Awaited, Operation, SHORT, overlap};
use crate::algo::event_count::EventCount;
use crate::algo::stream_queue::{StreamQueue, Submission};
use crate::backend::{Fault, FaultKind, Result, Ticket};

/// Queues longer than this are not searched for uses of a block.
const MAX_SEARCH: usize = 1024;

pub(super) struct Queue {
    shared: Arc<Shared>,
    /// Its device.
    ordinal: u32,
    /// Distinguishes streams in the seeded delays.
    id: u64,
    pub(super) priority: u32,
    pub(super) operations: StreamQueue<Operation>,
    /// Ticket of the last operation that uses memory.
    last_use: AtomicU64,
    /// It is on the list of users of memory.
    enlisted: AtomicBool,
    /// The first failure that nobody has taken, and whether there is one.
    failure: Mutex<Option<Fault>>,
    has_failure: AtomicBool,
    waiters: EventCount,
}

impl Queue {
    pub(super) fn new(shared: Arc<Shared>, ordinal: u32, number: u64, priority: u32) -> Arc<Self> {
        Arc::new(Self {
            shared,
            ordinal,
            id: u64::from(ordinal) << 48 | number,
            priority,
            operations: StreamQueue::new(),
            last_use: AtomicU64::new(0),
            enlisted: AtomicBool::new(false),
            failure: Mutex::new(None),
            has_failure: AtomicBool::new(false),
            waiters: EventCount::new(),
        })
    }

    /// How busy its device is.
    fn busy(&self) -> &Busy {
        &self.shared.devices[self.ordinal as usize].busy
    }

    // ---- submission ----

    /// The right to submit, or why not.
    pub(super) fn submit(&self) -> Result<Submission<'_, Operation>> {
        self.operations.submit().ok_or_else(abandoned)
    }

    /// Whether an operation may run in the caller: nothing is before it.
    pub(super) fn may_run_now(&self, submission: &Submission<'_, Operation>) -> bool {
        !self.shared.options.asynchronous && submission.is_idle()
    }

    /// Queues an operation: its ticket.
    pub(super) fn push(
        self: &Arc<Self>,
        submission: Submission<'_, Operation>,
        operation: Operation,
    ) -> u64 {
        let ticket = submission.ticket();
        let mut enlist = false;
        if operation.uses_memory() {
            // Sequentially consistent with `delist_if_unused`: one of the two sees the other.
            self.last_use.store(ticket, Ordering::SeqCst);
            enlist = !self.enlisted.load(Ordering::SeqCst);
        }
        let list = submission.push(operation);
        if enlist {
            self.shared.users.add(self);
        }
        if list {
            self.shared.executor.push(Arc::clone(self));
        }
        ticket
    }

    /// Runs an operation on memory in the calling thread. The queue must be idle.
    pub(super) fn run_now(
        self: &Arc<Self>,
        submission: Submission<'_, Operation>,
        operation: &Operation,
    ) {
        let claim = submission.claim(operation);
        {
            // Short ones take about as long as counting them would.
            let _working = (operation.len() > SHORT).then(|| self.busy().begin());
            self.run_guarded(operation);
        }
        let mut claim = claim.lock();
        claim.finish();
        let list = claim.release();
        self.waiters.notify_all();
        if list {
            self.shared.executor.push(Arc::clone(self));
        }
    }

    /// Later operations wait for a record. The queue must be idle: nobody need run anything.
    pub(super) fn block_now(
        self: &Arc<Self>,
        submission: Submission<'_, Operation>,
        awaited: Awaited,
    ) {
        submission.block(Operation::Wait(awaited), |on| self.subscribe(on));
    }

    /// Puts the queue on the list of those that wait for a record, which is its first operation's;
    /// false if it has happened. Under the queue's lock.
    fn subscribe(self: &Arc<Self>, on: &Awaited) -> bool {
        if !on.record.completion.subscribe(self) {
            return false;
        }
        if let Some(limit) = &on.limit {
            limit.arm(self, self.operations.finished() + 1);
        }
        true
    }

    // ---- memory in use ----

    fn uses_memory(&self) -> bool {
        !self.operations.has_finished(self.last_use.load(Ordering::SeqCst))
    }

    /// Puts it on the list of users, under the list's lock; false if it is on it.
    pub(super) fn enlist(&self) -> bool {
        !self.enlisted.swap(true, Ordering::SeqCst)
    }

    /// Takes it off the list of users, under the list's lock, unless it uses memory.
    pub(super) fn delist_if_unused(&self) -> bool {
        if self.uses_memory() {
            return false;
        }
        self.enlisted.store(false, Ordering::SeqCst);
        if self.uses_memory() {
            self.enlisted.store(true, Ordering::SeqCst);
            return false;
        }
        true
    }

    /// The ticket of the last operation that is not over and uses a byte of the range, or, where
    /// looking would take too long, that may use it.
    pub(super) fn last_use_of(&self, addr: usize, len: usize) -> Option<u64> {
        let ticket = self.operations.last_where(MAX_SEARCH, |ranges| {
            ranges.iter().any(|&range| overlap(range, (addr, len)))
        })?;
        Some(ticket.min(self.last_use.load(Ordering::Relaxed)))
    }

    // ---- failure and end ----

    /// Keeps the first failure; before the operation is over, so that who waits for it sees it.
    #[cold]
    fn fail(&self, fault: Fault) {
        let mut failure = self.failure.lock();
        failure.get_or_insert(fault);
        self.has_failure.store(true, Ordering::Release);
    }

    pub(super) fn take_failure(&self) -> Option<Fault> {
        if !self.has_failure.load(Ordering::Acquire) {
            return None;
        }
        let mut failure = self.failure.lock();
        self.has_failure.store(false, Ordering::Relaxed);
        failure.take()
    }

    /// The time of the wait with this ticket is over: the queue goes on without it, as failed.
    pub(super) fn expire(self: &Arc<Self>, ticket: u64) {
        let Some((claim, Operation::Wait(on))) = self.operations.expire(ticket) else { return };
        on.record.completion.unsubscribe(self);
        if let Some(limit) = on.limit.filter(|_| !on.record.has_happened()) {
            self.fail(Fault::new(
                FaultKind::WaitTimedOut,
                format!(
                    "the stream waited for an event for {:?}, as long as it may, and then went on \
                     without it; see what holds up the stream that recorded the event, or allow more",
                    limit.duration()
                ),
            ));
        }
        let mut claim = claim.lock();
        claim.finish();
        let list = claim.release();
        self.waiters.notify_all();
        if list {
            self.shared.executor.push(Arc::clone(self));
        }
    }

    /// Drops what has not started; nothing more is taken.
    pub(super) fn abandon(self: &Arc<Self>) {
        let dropped = self.operations.abandon();
        if let Some(Operation::Wait(on)) = dropped.front() {
            on.record.completion.unsubscribe(self);
        }
        self.settle(dropped);
        self.waiters.notify_all();
    }

    /// Lets the records happen that were dropped.
    fn settle(&self, dropped: VecDeque<Operation>) {
        for operation in dropped {
            if let Operation::Record(record) = operation {
                happen(&record);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn push_panic(self: &Arc<Self>) {
        self.push(self.submit().unwrap(), Operation::Panic);
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // Only an empty queue gets here; but nobody may wait for ever for a record that is gone.
        self.settle(self.operations.abandon());
    }
}

/// Lets a record happen where nobody runs streams.
fn happen(record: &Record) {
    for queue in record.happen() {
        if queue.operations.must_list() {
            queue.shared.executor.push(Arc::clone(&queue));
        }
    }
}

/// The ticket that makes `record` happen.
pub(super) fn ticket(record: Arc<Record>) -> Ticket {
    Ticket::new(move || happen(&record))
}

/// What a stream answers after it was abandoned.
pub(super) fn abandoned() -> Fault {
    Fault::new(FaultKind::Abandoned, "the stream was destroyed, or went with its device, meanwhile")
}
