//! The queue of a stream: operations in order, run by any thread that has time, one at a time.
//!
//! A queue is idle, queued (a thread will run it), running (one thread has claimed it), or blocked (its first operation
//! awaits a record). This module decides which thread may do what when; its user defines what an operation does, what a
//! record is and which threads there are.
//!
//! A queued queue is always held by a thread or a list:
//! - A caller that must *list* it gives it to the threads that run queues. The thread that removes it from the list
//!   calls [`StreamQueue::claim_listed`]. It is never listed twice. An entry may be stale, because another thread has
//!   claimed the queue since.
//! - A thread that has resumed it runs it after [`StreamQueue::claim_resumed`], or lists it if
//!   [`StreamQueue::must_list`] says so.
//! - A thread that waits for its operations may take it from either by [`StreamQueue::help`].
//!
//! Operations have tickets, 1 for the first. The claimer advances the ticket up to which all are complete. When no
//! claimer has an operation in hand, the thread that abandons the queue does so.
//!
//! No lock is held when a method returns, except by the guards [`Submission`] and [`LockedClaim`].

mod rights;

use std::collections::VecDeque;

use crate::sync::primitives::atomic::{AtomicU64, Ordering};
use crate::sync::primitives::{Mutex, MutexGuard};

/// An element of a queue.
pub trait Operation {
    /// A record that an operation may wait for.
    type Record: Clone;
    /// Data about an operation that is available until it is complete.
    type Footprint: Clone;

    /// Returns the record that must be complete before the operation, and all after it, run.
    fn awaits(&self) -> Option<&Self::Record>;

    /// Returns the data about the operation, see [`StreamQueue::last_where`].
    fn footprint(&self) -> Self::Footprint;

    /// Notes that the queue, which was blocked on this operation, drops it. Called before the operation counts as
    /// complete, under the queue's lock.
    fn on_drop(&self) {}
}

/// The queue of a stream. The module's text describes it.
pub struct StreamQueue<O: Operation> {
    state: Mutex<Backlog<O>>,
    /// The ticket of the last operation.
    submitted: AtomicU64,
    /// The ticket up to which all operations are complete.
    finished: AtomicU64,
    /// The ticket from which on operations were dropped, or will be refused, because the queue is abandoned.
    /// [`u64::MAX`]: it is not. Written under the lock.
    dropped: AtomicU64,
    /// The number of times that pending operations were dropped while the queue went on.
    aborts: AtomicU64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// The queue is not claimed, and empty.
    Idle,
    /// The queue is listed, or held by a thread that resumed it.
    Queued,
    /// A thread has claimed the queue.
    Running,
    /// The queue resumes when the record of its first operation is complete.
    Blocked,
}

struct Backlog<O: Operation> {
    operations: VecDeque<O>,
    phase: Phase,
    /// Whether the queue is on a list, or about to be.
    listed: bool,
    /// The footprint of the operation that the claimer has taken and not finished.
    in_hand: Option<O::Footprint>,
    /// Whether that operation was in hand when the others were dropped: if it has not begun, it is dropped, too.
    revoked: bool,
}

impl<O: Operation> Backlog<O> {
    /// Makes the queue runnable. Returns true if the caller must list it.
    fn queue(&mut self) -> bool {
        self.phase = Phase::Queued;
        self.list()
    }

    /// Marks the queue as listed. Returns true if it was not: then the caller lists it.
    fn list(&mut self) -> bool {
        !std::mem::replace(&mut self.listed, true)
    }
}

/// The right to submit: at the same time no other thread submits, claims or releases.
#[must_use]
pub struct Submission<'a, O: Operation> {
    queue: &'a StreamQueue<O>,
    state: MutexGuard<'a, Backlog<O>>,
}

/// The right to run a queue's operations. One thread has it, and must release it by a method of [`LockedClaim`].
#[must_use]
pub struct Claim<'a, O: Operation>(&'a StreamQueue<O>);

/// A claim whose holder has locked the queue.
#[must_use]
pub struct LockedClaim<'a, O: Operation> {
    queue: &'a StreamQueue<O>,
    state: MutexGuard<'a, Backlog<O>>,
}

/// The result for a thread that waits for a queue: what it can do.
pub enum Help<'a, O: Operation> {
    /// It can run the queue.
    Claimed(Claim<'a, O>),
    /// It can wait for this record.
    BlockedOn(O::Record),
    /// It can do nothing: another thread must run the queue.
    Nothing,
}

impl<O: Operation> StreamQueue<O> {
    /// Creates an idle queue.
    #[expect(clippy::new_without_default, reason = "a queue belongs to one stream and is created with it")]
    pub fn new() -> Self {
        Self {
            state: Mutex::new(Backlog {
                operations: VecDeque::new(),
                phase: Phase::Idle,
                listed: false,
                in_hand: None,
                revoked: false,
            }),
            submitted: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            dropped: AtomicU64::new(u64::MAX),
            aborts: AtomicU64::new(0),
        }
    }

    /// Returns the right to submit, or `None` if the queue was abandoned.
    pub fn submit(&self) -> Option<Submission<'_, O>> {
        let state = self.state.lock();
        (!self.is_abandoned()).then_some(Submission { queue: self, state })
    }

    // ---- claims ----

    /// Claims the queue, for the thread that has removed it from the list. Returns `None` if there is nothing to do.
    pub fn claim_listed(&self) -> Option<Claim<'_, O>> {
        let mut state = self.state.lock();
        state.listed = false;
        self.claim_queued(&mut state)
    }

    /// Claims the queue, for the thread that has resumed it. Returns `None` if another thread runs it, or has run it.
    pub fn claim_resumed(&self) -> Option<Claim<'_, O>> {
        self.claim_queued(&mut self.state.lock())
    }

    fn claim_queued(&self, state: &mut Backlog<O>) -> Option<Claim<'_, O>> {
        if state.phase != Phase::Queued {
            return None;
        }
        state.phase = Phase::Running;
        Some(Claim(self))
    }

    /// Whether the queue must be listed, for the thread that has resumed it and does not run it.
    #[must_use]
    pub fn must_list(&self) -> bool {
        let mut state = self.state.lock();
        state.phase == Phase::Queued && state.list()
    }

    /// Claims the queue, for a thread that waits, if it may run the first operation.
    pub fn help(&self, may_run: impl FnOnce(&O) -> bool) -> Help<'_, O> {
        let mut state = self.state.lock();
        let Some(first) = state.operations.front() else { return Help::Nothing };
        match (state.phase, first.awaits()) {
            (Phase::Blocked, Some(record)) => Help::BlockedOn(record.clone()),
            (Phase::Queued, _) if may_run(first) => self.claim_queued(&mut state).map_or(Help::Nothing, Help::Claimed),
            (Phase::Idle | Phase::Queued | Phase::Running | Phase::Blocked, _) => Help::Nothing,
        }
    }

    /// Resumes the queue, whose record is complete. Returns true if the caller then holds the queue.
    #[must_use]
    pub fn resume(&self) -> bool {
        let mut state = self.state.lock();
        if state.phase != Phase::Blocked {
            return false;
        }
        state.phase = Phase::Queued;
        !state.listed
    }

    /// Ends a wait: removes the operation with this ticket from a queue that is blocked on it, and claims the queue.
    /// Returns `None` if the queue is not blocked, or is past the operation.
    pub fn expire(&self, ticket: u64) -> Option<(Claim<'_, O>, O)> {
        let mut state = self.state.lock();
        if state.phase != Phase::Blocked || self.ticket_in_hand() != ticket {
            return None;
        }
        let operation = state.operations.pop_front()?;
        state.in_hand = Some(operation.footprint());
        state.revoked = false;
        state.phase = Phase::Running;
        Some((Claim(self), operation))
    }

    // ---- progress ----

    /// Whether everything submitted so far is complete. This is one load.
    pub fn is_idle(&self) -> bool {
        // The last ticket is read first, so that what is submitted later does not count.
        self.has_finished(self.last_ticket())
    }

    /// Whether the operation with this ticket, and all before it, are complete.
    pub fn has_finished(&self, ticket: u64) -> bool {
        self.finished() >= ticket
    }

    /// Returns the ticket up to which all operations are complete.
    pub fn finished(&self) -> u64 {
        self.finished.load(Ordering::Acquire)
    }

    /// Returns the ticket of the last operation submitted so far.
    pub fn last_ticket(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// Whether nothing more can be submitted. It is read without the lock, so an abandon in progress may be missed.
    pub fn is_abandoned(&self) -> bool {
        self.dropped.load(Ordering::Relaxed) != u64::MAX
    }

    /// Whether the operation with this ticket was dropped before it started.
    pub fn was_dropped(&self, ticket: u64) -> bool {
        self.dropped.load(Ordering::Acquire) <= ticket
    }

    /// Returns the ticket of the last incomplete operation for whose footprint `hit` is true. With more than `limit`
    /// queued operations it returns the last one without a check.
    pub fn last_where(&self, limit: usize, hit: impl Fn(&O::Footprint) -> bool) -> Option<u64> {
        let state = self.state.lock();
        let submitted = self.submitted.load(Ordering::Relaxed);
        let queued = state.operations.len();
        if queued > limit {
            return Some(submitted);
        }
        let tickets = (1..=submitted).rev();
        let mut operations = state.operations.iter().rev().zip(tickets);
        match operations.find(|(operation, _)| hit(&operation.footprint())) {
            Some((_, ticket)) => Some(ticket),
            None => state.in_hand.as_ref().filter(|mark| hit(mark)).map(|_| self.ticket_in_hand()),
        }
    }

    /// Returns the footprint of the running operation.
    pub fn in_hand(&self) -> Option<O::Footprint> {
        self.state.lock().in_hand.clone()
    }

    /// Returns the ticket of the first queued operation for which `hit` is true.
    pub fn find(&self, hit: impl FnMut(&O) -> bool) -> Option<u64> {
        let state = self.state.lock();
        let index = state.operations.iter().position(hit)?;
        Some(self.first_queued(&state) + index as u64)
    }

    /// Returns the ticket of the first queued operation, if there is one. The caller holds the lock.
    fn first_queued(&self, state: &Backlog<O>) -> u64 {
        self.submitted.load(Ordering::Relaxed) + 1 - state.operations.len() as u64
    }

    /// Returns the ticket of the operation that the claimer has taken, or that a blocked queue is blocked on. The
    /// caller holds the lock.
    fn ticket_in_hand(&self) -> u64 {
        self.finished.load(Ordering::Relaxed) + 1
    }

    /// Advances `finished` over all that is not queued.
    fn finish(&self, state: &mut Backlog<O>) {
        state.in_hand = None;
        let left = state.operations.len() as u64;
        self.finished.store(self.submitted.load(Ordering::Relaxed) - left, Ordering::Release);
    }

    /// Returns the number of calls of [`Self::abort`]. A thread that sees a dropped operation as complete sees the call
    /// counted.
    pub fn aborts(&self) -> u64 {
        self.aborts.load(Ordering::Acquire)
    }

    /// Whether the operation with this ticket is queued or in hand. If not, it is complete, or was dropped.
    pub fn is_pending(&self, ticket: u64) -> bool {
        let state = self.state.lock();
        let first = self.first_queued(&state);
        let in_hand = state.in_hand.is_some() && ticket == self.ticket_in_hand();
        in_hand || (ticket >= first && !self.has_finished(ticket))
    }

    /// Returns the record that the queue is blocked on.
    pub fn blocked_on(&self) -> Option<O::Record> {
        let state = self.state.lock();
        let first = state.operations.front().filter(|_| state.phase == Phase::Blocked)?;
        first.awaits().cloned()
    }

    // ---- end ----

    /// Ends the queue: it accepts nothing more. Returns the operations that have not started, which the caller
    /// completes. The running operation goes on; everything else counts as complete.
    pub fn abandon(&self) -> VecDeque<O> {
        let mut state = self.state.lock();
        self.dropped.fetch_min(self.first_queued(&state), Ordering::Release);
        self.drop_queued(&mut state)
    }

    /// Returns the operations that have not started, which the caller completes. The running operation goes on, and its
    /// ticket and footprint are returned; everything else counts as complete. The queue accepts operations as before.
    pub fn abort(&self) -> (VecDeque<O>, Option<(u64, O::Footprint)>) {
        let mut state = self.state.lock();
        self.aborts.fetch_add(1, Ordering::Release);
        let dropped = self.drop_queued(&mut state);
        let in_hand = state.in_hand.clone().map(|footprint| (self.ticket_in_hand(), footprint));
        (dropped, in_hand)
    }

    fn drop_queued(&self, state: &mut Backlog<O>) -> VecDeque<O> {
        let dropped = std::mem::take(&mut state.operations);
        if state.phase == Phase::Blocked
            && let Some(first) = dropped.front()
        {
            first.on_drop();
        }
        if state.phase != Phase::Running {
            state.phase = Phase::Idle;
        }
        // The claimer finishes an operation in hand, and everything that was dropped with it.
        if state.in_hand.is_none() {
            self.finish(state);
        } else {
            state.revoked = true;
        }
        dropped
    }
}

#[cfg(test)]
#[path = "stream_queue_tests.rs"]
mod tests;
