//! What the thread does that runs a queue's operations.

use super::{Claim, LockedClaim, Operation, Phase};
use crate::algo::sync::primitives::atomic::Ordering;

impl<'a, O: Operation> Claim<'a, O> {
    /// Locks the queue.
    pub fn lock(self) -> LockedClaim<'a, O> {
        LockedClaim { queue: self.0, state: self.0.state.lock() }
    }
}

impl<'a, O: Operation> LockedClaim<'a, O> {
    /// The next operation to run. `None`: there is none, or the first one awaits a record and `subscribe` has put the
    /// queue on its list; the claim is released.
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

    /// The operation in hand is complete only when `operation` is, which is next and has its ticket. If pending
    /// operations were dropped meanwhile, nothing is left to do: it is dropped, too.
    pub fn go_on_with(&mut self, operation: O) {
        if !self.state.revoked {
            self.state.operations.push_front(operation);
        }
    }

    /// Completes the operation.
    pub fn finish(&mut self) {
        self.queue.finish(&mut self.state);
    }

    /// Releases the claim between two operations. True if the caller must list the queue.
    #[must_use]
    pub fn release(mut self) -> bool {
        if self.state.operations.is_empty() {
            self.state.phase = Phase::Idle;
            return false;
        }
        self.state.queue()
    }

    /// Puts an operation in front, with the ticket of the one in hand, which is not complete before this one is; also
    /// on an abandoned queue.
    pub fn put_in_place(&mut self, operation: O) {
        self.state.in_hand = None;
        self.state.operations.push_front(operation);
    }

    /// Releases the claim and puts the next operation in front again. True if the caller must list the queue. If
    /// pending operations were dropped meanwhile, the operation is returned: it is dropped, too, and the flag says
    /// whether the caller must list the queue for later operations.
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
