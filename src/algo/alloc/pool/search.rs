//! Searches for memory when nothing fits at once: blocks that other streams have freed, and adjacent ranges that are
//! long enough together.

use super::memory::{Memory, units_for};
use super::pending::{NONE, Queue};
use super::{Freed, GRAIN, GRANULE, Order, Shortage, StreamKey};

/// The least number of bytes of a segment, if they are available.
const SEGMENT: usize = 32 << 20;
/// A pool grows at least by its reserved memory divided by this: a large pool does not grow in many small steps.
const GROWTH: usize = 32;
/// The most blocks of a stream that are scanned one by one if another stream is ordered after some of them only.
const FOLLOWED: usize = 64;
/// The budget of a search of all pending blocks for neighbours. The search costs one for each block, and does not take
/// place in debt. Without the budget, thousands of blocks of a blocked stream would be scanned for each allocation.
pub(super) const SCANS: isize = 4096;
/// What each allocation that has found no block adds to the budget, before the search for neighbours.
const EARNED: isize = 64;
/// The most pending blocks for which the search takes place even in debt.
const SCANNED_ANYWAY: usize = 64;

impl Memory {
    /// Searches when nothing fits at once.
    #[cold]
    pub(super) fn search(&mut self, wanted: u32, stream: StreamKey, order: &impl Order) -> Result<u32, Shortage> {
        if self.merge_most()
            && let Some(node) = self.find(wanted, stream)
        {
            return Ok(node);
        }
        let followed = self.followed(stream, order);
        if let Some(node) = self.find_followed(wanted, &followed) {
            return Ok(self.take_pending(node, wanted));
        }
        if self.reclaim(order)
            && let Some(node) = self.find(wanted, stream)
        {
            return Ok(node);
        }
        if self.scans < SCANS {
            self.scans = (self.scans + EARNED).min(SCANS);
        }
        if self.scans > 0 || self.pending.blocks <= SCANNED_ANYWAY {
            self.scans -= self.pending.blocks as isize;
            if let Some(first) = self.find_run(wanted, &followed) {
                return Ok(self.take_run(first, wanted));
            }
        }
        let least = (wanted as usize * GRAIN).next_multiple_of(GRANULE);
        let share = self.counts.reserved as usize / GROWTH / GRANULE * GRANULE;
        Err(Shortage { least, better: least.max(SEGMENT).max(share) })
    }

    pub(super) fn alloc_slow(&mut self, len: usize, stream: StreamKey, order: &impl Order) -> Option<usize> {
        // Fresh blocks are sorted before the merge: `alloc` would cache them after it.
        self.sort_fresh(order);
        self.merge_down_to(0);
        let earned = std::mem::replace(&mut self.scans, isize::MAX);
        let found = self.alloc(len, stream, order);
        self.scans = earned;
        found.ok()
    }

    /// Returns the free on another stream that `stream` has to wait for so that `len` bytes can be allocated.
    pub(super) fn find_to_follow(&self, len: usize, stream: StreamKey, order: &impl Order) -> Option<Freed> {
        let wanted = units_for(len)?;
        let can_follow = |(_, queue): &(u32, &Queue)| order.can_follow(queue.key);
        let others = || self.pending.busy().filter(can_follow);
        let fit = |(_, queue): (u32, &Queue)| {
            let (bin, node) = self.heap.fit_in(&queue.bins, wanted)?;
            Some((bin, node, queue.key))
        };
        if let Some((_, node, stream)) = others().filter_map(fit).min() {
            return Some(Freed { stream, position: self.heap[node].of.position });
        }
        let mut usable = self.followed(stream, order);
        others().find_map(|(slot, queue)| {
            let followed = usable[slot as usize].replace(u64::MAX);
            let first = self.find_run(wanted, &usable);
            usable[slot as usize] = followed;
            let position = self.last_position(first?, wanted, slot)?;
            Some(Freed { stream: queue.key, position })
        })
    }

    /// Returns the position of the last free by the stream of `slot` in the `wanted` units from the range `first` on.
    fn last_position(&self, first: u32, wanted: u32, slot: u32) -> Option<u64> {
        let mut position = None;
        let (mut node, mut missing) = (first, wanted);
        while missing != 0 {
            let of = &self.heap[node].of;
            if self.heap.is_taken(node) && of.slot == slot {
                position = position.max(Some(of.position));
            }
            missing = missing.saturating_sub(self.heap[node].len);
            node = self.heap[node].after;
        }
        position
    }

    /// Returns for each slot the position up to which a stream may reuse its pending blocks.
    fn followed(&self, stream: StreamKey, order: &impl Order) -> Vec<Option<u64>> {
        let mut followed = vec![None; self.pending.slots() as usize];
        for (slot, queue) in self.pending.busy() {
            followed[slot as usize] = if queue.key == stream { Some(u64::MAX) } else { order.followed(queue.key) };
        }
        followed
    }

    /// Returns a block that fits, of the allocating stream or of one that it is ordered after.
    fn find_followed(&self, wanted: u32, followed: &[Option<u64>]) -> Option<u32> {
        let of_slot = |(slot, queue): (u32, &Queue)| {
            let limit = followed[slot as usize]?;
            if self.heap[queue.newest].of.position <= limit {
                return self.heap.fit_in(&queue.bins, wanted).map(|(_, node)| node);
            }
            let blocks = self.pending.of_slot(&self.heap, slot).take(FOLLOWED);
            blocks
                .take_while(|&node| self.heap[node].of.position <= limit)
                .filter(|&node| self.heap[node].len >= wanted)
                .min_by_key(|&node| self.heap[node].len)
        };
        self.pending.busy().filter_map(of_slot).min_by_key(|&node| self.heap[node].len)
    }

    /// Returns the first range of the shortest run of at least `wanted` units. A run is adjacent ranges that are free
    /// or usable.
    fn find_run(&self, wanted: u32, usable: &[Option<u64>]) -> Option<u32> {
        let is_usable = |node: u32| {
            let of = &self.heap[node].of;
            self.heap.is_taken(node)
                && of.slot != NONE
                && usable[of.slot as usize].is_some_and(|limit| of.position <= limit)
        };
        // Each run is examined only from its first pending block.
        let run_of = |node: u32| {
            let before = self.heap[node].before;
            let free = self.heap.is_free(before);
            if is_usable(if free { self.heap[before].before } else { before }) {
                return None;
            }
            let first = if free { before } else { node };
            let (mut last, mut len) = (first, 0);
            while self.heap.is_free(last) || is_usable(last) {
                len += u64::from(self.heap[last].len);
                last = self.heap[last].after;
            }
            (len >= u64::from(wanted)).then_some((len, first))
        };
        let slots = self.pending.busy().map(|(slot, _)| slot);
        let blocks = slots.flat_map(|slot| self.pending.of_slot(&self.heap, slot));
        blocks.filter(|&node| is_usable(node)).filter_map(run_of).min().map(|(_, first)| first)
    }

    /// Joins the first `wanted` units of the run that begins with `first` into one block.
    fn take_run(&mut self, first: u32, wanted: u32) -> u32 {
        let mut taken: Option<u32> = None;
        let mut missing = wanted;
        let mut next = first;
        while missing != 0 {
            let len = self.heap[next].len.min(missing);
            missing -= len;
            if self.heap.is_free(next) {
                next = self.heap.take_from(next, len);
            } else if self.heap[next].len == len {
                self.pending.take(&mut self.heap, next);
            } else {
                next = self.pending.take_front(&mut self.heap, next, len);
            }
            match taken {
                Some(taken) => self.heap.absorb_after(taken),
                None => taken = Some(next),
            }
            next = self.heap[taken.unwrap_or(next)].after;
        }
        taken.unwrap_or(first)
    }
}
