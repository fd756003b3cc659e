//! The rights to a queue: to submit an operation, or to run its operations.

use super::{Claim, LockedClaim, Operation, Phase, Submission};
use crate::host::grow::Grow;
use crate::sync::primitives::atomic::Ordering;

impl<'a, O: Operation> Submission<'a, O> {
    /// Whether an operation that ran now would run in order, because nothing is queued or running.
    pub fn is_idle(&self) -> bool {
        self.state.phase == Phase::Idle
    }

    /// Returns the ticket of the submitted operation.
    pub fn ticket(&self) -> u64 {
        self.queue.submitted.load(Ordering::Relaxed) + 1
    }

    /// Makes room for more operations, and for putting back the one in hand. Returns false if there is no memory.
    #[must_use]
    pub fn make_room(&mut self, count: usize) -> bool {
        self.state.operations.make_room(count + 1).is_ok()
    }

    /// Queues the operation. Returns true if the caller must list the queue.
    #[must_use]
    pub fn push(mut self, operation: O) -> bool {
        self.state.operations.push_back(operation);
        self.count();
        self.is_idle() && self.state.queue()
    }

    /// Counts an operation that has run already, on an idle queue. Returns its ticket.
    pub fn pass(self) -> u64 {
        debug_assert!(self.is_idle());
        let ticket = self.ticket();
        // The order matters: a reader without the lock sees an idle queue before, between and after.
        self.queue.finished.store(ticket, Ordering::Release);
        self.queue.submitted.store(ticket, Ordering::Release);
        ticket
    }

    /// Claims an idle queue for this operation, which the caller runs itself and then finishes.
    pub fn claim(mut self, operation: &O) -> Claim<'a, O> {
        debug_assert!(self.is_idle());
        self.count();
        self.state.phase = Phase::Running;
        self.state.in_hand = Some(operation.footprint());
        self.state.revoked = false;
        Claim(self.queue)
    }

    /// Blocks an idle queue at once, so that no thread need run it before the record is complete. Does nothing if the
    /// record is complete: then `subscribe` returns false.
    pub fn block(mut self, operation: O, subscribe: impl FnOnce(&O::Record) -> bool) {
        debug_assert!(self.is_idle());
        if operation.awaits().is_some_and(subscribe) {
            self.state.operations.push_back(operation);
            self.count();
            self.state.phase = Phase::Blocked;
        }
    }

    fn count(&self) {
        self.queue.submitted.store(self.ticket(), Ordering::Release);
    }
}

impl<'a, O: Operation> Claim<'a, O> {
    /// Locks the queue.
    pub fn lock(self) -> LockedClaim<'a, O> {
        LockedClaim { queue: self.0, state: self.0.state.lock() }
    }
}

impl<'a, O: Operation> LockedClaim<'a, O> {
    /// Returns the next operation to run. If there is none, or the first one awaits a record and `subscribe` has put
    /// the queue on its list, releases the claim and returns `None`.
    pub fn next(mut self, subscribe: impl FnOnce(&O::Record) -> bool) -> Option<(Self, O)> {
        let state = &mut *self.state;
        let Some(first) = state.operations.front() else {
            state.phase = Phase::Idle;
            return None;
        };
        if first.awaits().is_some_and(subscribe) {
            state.phase = Phase::Blocked;
            return None;
        }
        let operation = state.operations.pop_front()?;
        state.in_hand = Some(operation.footprint());
        state.revoked = false;
        Some((self, operation))
    }

    /// Unlocks the queue while an operation runs.
    pub fn unlock(self) -> Claim<'a, O> {
        Claim(self.queue)
    }

    /// Lets the operation in hand complete only when `operation` does, which is next and has its ticket. If pending
    /// operations were dropped in the meantime, nothing is left to do: `operation` is dropped, too.
    pub fn go_on_with(&mut self, operation: O) {
        if !self.state.revoked {
            self.state.operations.push_front(operation);
        }
    }

    /// Completes the operation.
    pub fn finish(&mut self) {
        self.queue.finish(&mut self.state);
    }

    /// Releases the claim between two operations. Returns true if the caller must list the queue.
    #[must_use]
    pub fn release(mut self) -> bool {
        if self.state.operations.is_empty() {
            self.state.phase = Phase::Idle;
            return false;
        }
        self.state.queue()
    }

    /// Puts an operation in front, with the ticket of the one in hand, which is not complete before this one is. This
    /// also works on an abandoned queue.
    pub fn put_in_place(&mut self, operation: O) {
        self.state.in_hand = None;
        self.state.operations.push_front(operation);
    }

    /// Releases the claim and puts the next operation in front again. Returns true if the caller must list the queue.
    /// If pending operations were dropped in the meantime, returns the operation, which is dropped, too; the flag then
    /// says whether the caller must list the queue for later operations.
    pub fn put_back(mut self, operation: O) -> Result<bool, (O, bool)> {
        let state = &mut *self.state;
        if state.revoked {
            if self.queue.is_abandoned() {
                let ticket = self.queue.ticket_in_hand();
                self.queue.dropped.fetch_min(ticket, Ordering::Release);
            }
            self.queue.finish(state);
            return Err((operation, self.release()));
        }
        state.in_hand = None;
        state.operations.push_front(operation);
        Ok(state.queue())
    }
}
