//! The inside of a stream: operations in order, and who runs them.
//!
//! A queue is idle, queued (somebody will run it), running (one thread has claimed it), or blocked
//! on a record of another stream. Whoever claims it runs operations in order until none is left,
//! one must wait, or the thread has something better to do. Only the claimer advances `finished`.
//!
//! Lock order: a queue's state, then an event or a record, then the executor. Never two queues.

mod run;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};

use super::Shared;
use super::event::Record;
use super::operation::{Operation, Ranges, overlap};
use crate::algo::event_count::EventCount;
use crate::backend::{Fault, FaultKind, Result};

/// Queues longer than this are not searched for uses of a block.
const MAX_SEARCH: usize = 1024;

/// Who has the queue.
enum Claim {
    /// Nobody, and it is empty.
    Idle,
    /// It is listed with the executor, or on its way there.
    Queued,
    /// A thread runs its operations.
    Running,
    /// It goes on when this happens. The wait is still its first operation.
    Blocked(Arc<Record>),
}

pub(super) struct State {
    operations: VecDeque<Operation>,
    claim: Claim,
    /// The executor has it on a list.
    listed: bool,
    /// What the operation that runs now uses.
    current: Ranges,
    abandoned: bool,
    failure: Option<Fault>,
}

pub(super) struct Queue {
    shared: Arc<Shared>,
    /// Distinguishes streams in the seeded delays.
    id: u64,
    pub(super) priority: u32,
    state: Mutex<State>,
    /// Operations queued; the n-th has ticket n.
    submitted: AtomicU64,
    /// All operations up to this ticket are over.
    finished: AtomicU64,
    /// Ticket of the last operation that uses memory.
    last_use: AtomicU64,
    /// It is on the list of users of memory.
    enlisted: AtomicBool,
    has_failure: AtomicBool,
    /// Operations from this ticket on were dropped.
    dropped: AtomicU64,
    waiters: EventCount,
}

/// What a helping thread finds.
enum Chance {
    /// It has claimed the queue.
    Claimed,
    /// The queue waits for this.
    BlockedOn(Arc<Record>),
    /// Somebody else has to act.
    None,
}

impl Queue {
    pub(super) fn new(shared: Arc<Shared>, id: u64, priority: u32) -> Arc<Self> {
        Arc::new(Self {
            shared,
            id,
            priority,
            state: Mutex::new(State {
                operations: VecDeque::new(),
                claim: Claim::Idle,
                listed: false,
                current: Ranges::default(),
                abandoned: false,
                failure: None,
            }),
            submitted: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            last_use: AtomicU64::new(0),
            enlisted: AtomicBool::new(false),
            has_failure: AtomicBool::new(false),
            dropped: AtomicU64::new(u64::MAX),
            waiters: EventCount::new(),
        })
    }

    // ---- submission ----

    /// The right to submit, or why not.
    pub(super) fn lock_to_submit(&self) -> Result<MutexGuard<'_, State>> {
        let state = self.state.lock();
        if state.abandoned { Err(abandoned()) } else { Ok(state) }
    }

    /// Whether an operation may run in the caller: nothing is before it.
    pub(super) fn may_run_now(&self, state: &State) -> bool {
        !self.shared.options.asynchronous && matches!(state.claim, Claim::Idle)
    }

    /// Queues an operation: its ticket.
    pub(super) fn push(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, State>,
        operation: Operation,
    ) -> u64 {
        let ticket = self.submitted.load(Ordering::Relaxed) + 1;
        let mut enlist = false;
        if operation.uses_memory() {
            // Sequentially consistent with `delist_if_unused`: one of the two sees the other.
            self.last_use.store(ticket, Ordering::SeqCst);
            enlist = !self.enlisted.load(Ordering::SeqCst);
        }
        state.operations.push_back(operation);
        self.submitted.store(ticket, Ordering::Release);
        let mut announce = false;
        if matches!(state.claim, Claim::Idle) {
            announce = self.become_queued(&mut state);
        }
        drop(state);
        if enlist {
            self.shared.users.add(self);
        }
        if announce {
            self.shared.executor.push(Arc::clone(self));
        }
        ticket
    }

    /// Runs an operation on memory in the calling thread. The queue must be idle.
    pub(super) fn run_now(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, State>,
        operation: &Operation,
    ) {
        let ticket = self.submitted.load(Ordering::Relaxed) + 1;
        self.submitted.store(ticket, Ordering::Release);
        state.claim = Claim::Running;
        state.current = operation.ranges();
        drop(state);
        let failure = self.run_guarded(operation);
        let mut state = self.state.lock();
        self.finish_current(&mut state, failure);
        let announce = self.end_claim(&mut state);
        drop(state);
        self.waiters.notify_all();
        if announce {
            self.shared.executor.push(Arc::clone(self));
        }
    }

    /// Later operations wait for `record`. The queue must be idle: nobody need run anything.
    pub(super) fn block_now(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, State>,
        record: Arc<Record>,
    ) {
        if record.subscribe(self) {
            let ticket = self.submitted.load(Ordering::Relaxed) + 1;
            state.operations.push_back(Operation::Wait(Arc::clone(&record)));
            self.submitted.store(ticket, Ordering::Release);
            state.claim = Claim::Blocked(record);
        }
    }

    // ---- claims ----

    /// From any state: somebody has to run it. True if the caller must list it.
    fn become_queued(&self, state: &mut State) -> bool {
        state.claim = Claim::Queued;
        !std::mem::replace(&mut state.listed, true)
    }

    /// The claimer lets go. True if it must list the queue.
    fn end_claim(&self, state: &mut State) -> bool {
        if state.operations.is_empty() {
            state.claim = Claim::Idle;
            return false;
        }
        self.become_queued(state)
    }

    fn finish_current(&self, state: &mut State, failure: Option<Fault>) {
        state.current = Ranges::default();
        if let Some(failure) = failure {
            state.failure.get_or_insert(failure);
            self.has_failure.store(true, Ordering::Release);
        }
        let left = state.operations.len() as u64;
        self.finished.store(self.submitted.load(Ordering::Relaxed) - left, Ordering::Release);
    }

    /// The executor took it off its list. True: the caller has claimed it.
    pub(super) fn claim_listed(&self) -> bool {
        let mut state = self.state.lock();
        state.listed = false;
        let claimed = matches!(state.claim, Claim::Queued);
        if claimed {
            state.claim = Claim::Running;
        }
        claimed
    }

    /// Claims a queue that was resumed and not listed.
    pub(super) fn claim_resumed(&self) -> bool {
        let mut state = self.state.lock();
        let claimed = matches!(state.claim, Claim::Queued);
        if claimed {
            state.claim = Claim::Running;
        }
        claimed
    }

    /// For a queue that was resumed: true if the caller must list it.
    pub(super) fn must_list(&self) -> bool {
        let mut state = self.state.lock();
        matches!(state.claim, Claim::Queued) && !std::mem::replace(&mut state.listed, true)
    }

    /// What it was blocked on has happened. True: somebody has to run it, and it is not listed.
    fn resume(&self, record: &Record) -> bool {
        let mut state = self.state.lock();
        match &state.claim {
            Claim::Blocked(on) if std::ptr::eq(Arc::as_ptr(on), record) => {
                state.claim = Claim::Queued;
                !state.listed
            }
            _ => false,
        }
    }

    fn try_help(&self) -> Chance {
        let mut state = self.state.lock();
        match &state.claim {
            Claim::Queued if !state.operations.front().is_some_and(Operation::is_host_fn) => {
                state.claim = Claim::Running;
                Chance::Claimed
            }
            Claim::Blocked(on) if !on.has_happened() => Chance::BlockedOn(Arc::clone(on)),
            _ => Chance::None,
        }
    }

    // ---- progress ----

    /// Whether everything queued has finished, in one look.
    pub(super) fn is_idle(&self) -> bool {
        // In this order: what is submitted later does not count.
        let submitted = self.submitted.load(Ordering::Acquire);
        self.has_finished(submitted)
    }

    pub(super) fn has_finished(&self, ticket: u64) -> bool {
        self.finished.load(Ordering::Acquire) >= ticket
    }

    /// The ticket of the last operation queued so far.
    pub(super) fn last_ticket(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    // ---- memory in use ----

    fn uses_memory(&self) -> bool {
        let last_use = self.last_use.load(Ordering::SeqCst);
        self.finished.load(Ordering::SeqCst) < last_use
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
        let state = self.state.lock();
        let submitted = self.submitted.load(Ordering::Relaxed);
        if state.operations.len() > MAX_SEARCH {
            return Some(self.last_use.load(Ordering::Relaxed));
        }
        let hit = |ranges: Ranges| ranges.iter().any(|&range| overlap(range, (addr, len)));
        let tickets = (1..=submitted).rev();
        let queued = state.operations.iter().rev().zip(tickets).find(|(op, _)| hit(op.ranges()));
        match queued {
            Some((_, ticket)) => Some(ticket),
            None if hit(state.current) => Some(submitted - state.operations.len() as u64),
            None => None,
        }
    }

    // ---- failure and end ----

    pub(super) fn take_failure(&self) -> Option<Fault> {
        if !self.has_failure.load(Ordering::Acquire) {
            return None;
        }
        let mut state = self.state.lock();
        self.has_failure.store(false, Ordering::Relaxed);
        state.failure.take()
    }

    /// Whether an operation was given up before it started.
    pub(super) fn was_dropped(&self, ticket: u64) -> bool {
        self.dropped.load(Ordering::Acquire) <= ticket
    }

    /// Drops what has not started; nothing more is taken.
    pub(super) fn abandon(self: &Arc<Self>) {
        let mut state = self.state.lock();
        state.abandoned = true;
        let dropped = std::mem::take(&mut state.operations);
        if !dropped.is_empty() {
            let first = self.submitted.load(Ordering::Relaxed) + 1 - dropped.len() as u64;
            self.dropped.store(first, Ordering::Release);
        }
        match std::mem::replace(&mut state.claim, Claim::Idle) {
            // Its claimer finds the queue empty, and finishes it.
            Claim::Running => state.claim = Claim::Running,
            Claim::Blocked(record) => {
                record.unsubscribe(self);
                self.finish_current(&mut state, None);
            }
            Claim::Idle | Claim::Queued => self.finish_current(&mut state, None),
        }
        drop(state);
        self.settle(dropped);
        self.waiters.notify_all();
    }

    /// Lets the records happen that were dropped.
    fn settle(&self, dropped: VecDeque<Operation>) {
        for operation in dropped {
            if let Operation::Record(record) = operation {
                for queue in happen(&record) {
                    if queue.must_list() {
                        self.shared.executor.push(queue);
                    }
                }
            }
        }
    }

    #[cfg(test)]
    pub(super) fn push_panic(self: &Arc<Self>) {
        self.push(self.state.lock(), Operation::Panic);
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // Only an empty queue gets here; but nobody may wait for ever for a record that is gone.
        let dropped = std::mem::take(&mut self.state.get_mut().operations);
        self.settle(dropped);
    }
}

/// Lets a record happen: the queues that can go on and must be run or listed by the caller.
fn happen(record: &Record) -> Vec<Arc<Queue>> {
    let mut waiting = record.happen();
    waiting.retain(|queue| queue.resume(record));
    waiting
}

/// What a stream answers after it was abandoned.
pub(super) fn abandoned() -> Fault {
    Fault::new(FaultKind::Abandoned, "the stream was destroyed, or went with its device, meanwhile")
}
