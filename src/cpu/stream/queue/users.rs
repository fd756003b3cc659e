//! Implements the queue as a user of memory.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::{MAX_SEARCH, Queue};
use crate::backend::Wait;
use crate::memory::pending::MemoryUser;
use crate::stream::operation::overlap;

impl Queue {
    fn uses_memory(&self) -> bool {
        !self.operations.has_finished(self.last_use.load(Ordering::SeqCst))
    }
}

impl MemoryUser for Queue {
    fn enlist(&self) -> bool {
        !self.enlisted.swap(true, Ordering::SeqCst)
    }

    fn delist_if_unused(&self) -> bool {
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

    fn last_use_of(&self, addr: usize, len: usize) -> Option<u64> {
        let ticket = self
            .operations
            .last_where(MAX_SEARCH, |footprint| footprint.ranges.iter().any(|&range| overlap(range, (addr, len))))?;
        Some(ticket.min(self.last_use.load(Ordering::Relaxed)))
    }

    fn has_finished(&self, ticket: u64) -> bool {
        self.operations.has_finished(ticket)
    }

    fn wait_for(self: Arc<Self>, ticket: u64, deadline: Option<Instant>) -> Wait {
        self.wait_until(&|| self.operations.has_finished(ticket), deadline)
    }
}
