//! What a thread does that submits an operation.

use super::{Claim, Operation, Phase, Submission};
use crate::algo::host::grow::Grow;
use crate::algo::sync::primitives::atomic::Ordering;

impl<'a, O: Operation> Submission<'a, O> {
    /// Whether an operation that ran now would run in order: nothing is queued or running.
    pub fn is_idle(&self) -> bool {
        self.state.phase == Phase::Idle
    }

    /// The ticket of the submitted operation.
    pub fn ticket(&self) -> u64 {
        self.queue.submitted.load(Ordering::Relaxed) + 1
    }

    /// Makes room for more operations, and for putting back the one in hand; false: there is no memory.
    #[must_use]
    pub fn make_room(&mut self, count: usize) -> bool {
        self.state.operations.make_room(count + 1).is_ok()
    }

    /// Queues the operation. True if the caller must list the queue.
    #[must_use]
    pub fn push(mut self, operation: O) -> bool {
        self.count(Some(operation));
        self.is_idle() && self.state.queue()
    }

    /// Counts an operation that has run already, on an idle queue. Returns its ticket.
    pub fn pass(self) -> u64 {
        debug_assert!(self.is_idle());
        let ticket = self.ticket();
        // In this order: a reader without the lock sees an idle queue before, between and after.
        self.queue.finished.store(ticket, Ordering::Release);
        self.queue.submitted.store(ticket, Ordering::Release);
        ticket
    }

    /// Claims an idle queue for this operation, which the caller runs itself and then finishes.
    pub fn claim(mut self, operation: &O) -> Claim<'a, O> {
        debug_assert!(self.is_idle());
        self.count(None);
        self.state.phase = Phase::Running;
        self.state.in_hand = Some(operation.footprint());
        self.state.revoked = false;
        Claim(self.queue)
    }

    /// Blocks an idle queue at once, so that no thread need run it before the record is complete. Does nothing if it is
    /// complete: then `subscribe` returns false.
    pub fn block(mut self, operation: O, subscribe: impl FnOnce(&O::Record) -> bool) {
        debug_assert!(self.is_idle());
        if operation.awaits().is_some_and(subscribe) {
            self.count(Some(operation));
            self.state.phase = Phase::Blocked;
        }
    }

    fn count(&mut self, operation: Option<O>) {
        let ticket = self.ticket();
        self.state.operations.extend(operation);
        self.queue.submitted.store(ticket, Ordering::Release);
    }
}
