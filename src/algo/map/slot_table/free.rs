//! The free slots of a table.

use std::collections::VecDeque;

use crate::host::grow::Grow;

/// The number of late slots that new objects take last. The others wait in line with all free slots.
pub(super) const MOST_LATE: usize = if cfg!(loom) { 1 } else { 1 << 12 };

/// The free slots.
pub(super) struct Free {
    /// The slots that were used before, in the order in which they were freed: first in, first out.
    pub queue: VecDeque<u32>,
    /// The slots of the latest objects that went with their owners, in the same order. New objects take them last.
    pub late: VecDeque<u32>,
    /// The first slot that was never used.
    pub fresh: u32,
    /// The number of slots that exist.
    pub limit: u32,
    /// The number of slots in use.
    pub taken: usize,
}

impl Free {
    /// Creates the list of `limit` slots that were never used.
    pub(super) const fn new(limit: u32) -> Self {
        Self { queue: VecDeque::new(), late: VecDeque::new(), fresh: 0, limit, taken: 0 }
    }

    /// Whether no slot is left.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.late.is_empty() && self.fresh >= self.limit
    }

    /// Takes a slot: the one that has been free for the longest time, or a new one, or a late one. `create` creates a
    /// new slot, unless there is no memory.
    pub(super) fn take(&mut self, create: impl FnOnce(u32) -> bool) -> Option<u32> {
        let index = match self.queue.pop_front() {
            Some(index) => index,
            None if self.fresh < self.limit && self.extend(create) => self.fresh - 1,
            None => self.late.pop_front()?,
        };
        self.taken += 1;
        Some(index)
    }

    fn extend(&mut self, create: impl FnOnce(u32) -> bool) -> bool {
        // A release cannot fail, so there is room for all slots, late or not.
        let done = create(self.fresh) && self.queue.make_room(self.fresh as usize + 1).is_ok();
        self.fresh += u32::from(done);
        done
    }

    /// Adds a slot.
    pub(super) fn add(&mut self, index: u32) {
        self.queue.push_back(index);
    }

    /// Adds a late slot. If there are too many of these, or there is no memory to list another one, the oldest one
    /// becomes like all free slots.
    pub(super) fn add_late(&mut self, index: u32) {
        if self.late.make_room(1).is_err() {
            return self.add(index);
        }
        self.late.push_back(index);
        if self.late.len() > MOST_LATE
            && let Some(oldest) = self.late.pop_front()
        {
            self.add(oldest);
        }
    }
}

#[cfg(all(test, not(loom)))]
#[path = "free_tests.rs"]
mod tests;
