//! The memory of one part of a pool, under one lock.

use std::collections::BTreeMap;

use super::cache::Cache;
use super::counts::Counts;
use super::pending::{Block, NONE, Pending, Queue};
use super::search;
use super::segments::Island;
use super::{Books, Drained, Freed, GRAIN, MOST, Order, Segment, Shortage, StreamKey, Taken};
use crate::algo::heap::Heap;

/// Pending bytes above which those that have passed become plain without need.
const CACHED: u64 = 64 << 20;
/// How many blocks do so at a time.
const SETTLED_AT_ONCE: usize = 16;
/// A block that was freed may be longer by this part than what it is given for: cutting the rest
/// off costs more than it is worth.
const SLACK: u32 = 16;
/// So many frees wait for the next allocation to look at them.
const FRESH: usize = 64;

pub(super) struct Memory {
    pub(super) heap: Heap<Block>,
    /// What was freed last, not looked at yet.
    pub(super) fresh: Vec<Fresh>,
    pub(super) pending: Pending,
    pub(super) cache: Cache,
    books: Books,
    /// Numbers of the books that no block has yet.
    numbers: Vec<u32>,
    /// By their first unit.
    pub(super) segments: BTreeMap<u64, Segment>,
    pub(super) islands: BTreeMap<u64, Island>,
    /// Units of the shortest segment that there was.
    pub(super) shortest: u32,
    /// Which queue is asked next whether it has passed.
    turn: u32,
    /// Pending blocks that may be looked at one by one; less than 0: a debt.
    pub(super) scans: isize,
    pub(super) counts: Counts,
    /// Which part it is.
    part: u32,
    /// Steps since the last check.
    #[cfg(debug_assertions)]
    pub(super) unchecked: usize,
}

/// A block that nobody else can have any more.
pub(super) struct Found {
    pub(super) node: u32,
    pub(super) wanted: u32,
    /// Its owner has hidden it where it is.
    pub(super) stays: bool,
}

/// A block that was freed since the last allocation. Its owner has hidden it.
#[derive(Clone, Copy)]
pub(super) struct Fresh {
    pub(super) node: u32,
    /// Units that its taker had of it; it may be slightly longer.
    pub(super) used: u32,
    freed: Freed,
}

impl Fresh {
    /// Whether it serves a request of the stream that has freed it, as it is.
    #[inline]
    fn is_snug(&self, wanted: u32, stream: StreamKey) -> bool {
        self.used.wrapping_sub(wanted) <= wanted / SLACK && self.freed.stream == stream
    }
}

/// Units for a request; more than [`MOST`] bytes have never room.
#[inline]
pub(super) fn units_for(len: usize) -> Option<u32> {
    (len <= MOST).then(|| len.max(1).div_ceil(GRAIN) as u32)
}

impl Memory {
    pub(super) fn new(part: u32, books: Books) -> Self {
        Self {
            heap: Heap::new(),
            fresh: Vec::with_capacity(FRESH),
            pending: Pending::default(),
            cache: Cache::new(),
            books,
            numbers: Vec::new(),
            segments: BTreeMap::new(),
            islands: BTreeMap::new(),
            shortest: u32::MAX,
            turn: 0,
            scans: search::SCANS,
            counts: Counts::default(),
            part,
            #[cfg(debug_assertions)]
            unchecked: 0,
        }
    }

    pub(super) fn alloc(
        &mut self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
    ) -> Result<Found, Shortage> {
        match self.find_ready(len, stream, order) {
            Some(found) => Ok(found),
            None => self.cut(len, stream, order),
        }
    }

    /// A block that is as it has to be, and where it has to be in the owner's books.
    #[inline(always)]
    pub(super) fn find_ready(
        &mut self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
    ) -> Option<Found> {
        let wanted = units_for(len)?;
        let node = match *self.fresh {
            [] => None,
            // As when a program frees and allocates in turn.
            [fresh] => {
                self.fresh.clear();
                match fresh.is_snug(wanted, stream) {
                    true => Some(fresh.node),
                    false => {
                        self.sort(fresh, order.passed(fresh.freed.stream));
                        None
                    }
                }
            }
            _ => self.find_fresh(wanted, stream, order),
        };
        let node = match node {
            Some(node) => node,
            None => self.find_kept(wanted)?,
        };
        Some(Found { node, wanted, stays: true })
    }

    /// Cuts a block off what is free, or a longer pending one.
    pub(super) fn cut(
        &mut self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
    ) -> Result<Found, Shortage> {
        let Some(wanted) = units_for(len) else {
            return Err(Shortage { least: usize::MAX, better: usize::MAX });
        };
        if self.pending.units > CACHED / GRAIN as u64 {
            self.settle_some(order);
        }
        let node = match self.find(wanted, stream) {
            Some(node) => node,
            None => self.search(wanted, stream, order)?,
        };
        Ok(Found { node, wanted, stays: false })
    }

    /// What the stream itself has freed just now, if it is neither too short nor much too long: a
    /// program that frees and allocates in turn has its block back without more. Else all are sorted.
    #[inline(never)]
    fn find_fresh(&mut self, wanted: u32, stream: StreamKey, order: &impl Order) -> Option<u32> {
        match self.fresh.iter().rposition(|fresh| fresh.is_snug(wanted, stream)) {
            // The others stay in order: of a stream's frees a later one never counts before an earlier one.
            Some(at) => Some(self.fresh.remove(at).node),
            None => {
                self.sort_fresh(|stream| order.passed(stream));
                None
            }
        }
    }

    /// What was freed since the last allocation becomes plain, and is kept, if it has passed, else
    /// pending.
    pub(super) fn sort_fresh(&mut self, passed: impl Fn(StreamKey) -> Option<u64>) {
        // Mostly all of them are one stream's.
        let mut asked = None;
        for i in 0..self.fresh.len() {
            let fresh = self.fresh[i];
            let position = match asked {
                Some((stream, position)) if stream == fresh.freed.stream => position,
                _ => passed(fresh.freed.stream),
            };
            asked = Some((fresh.freed.stream, position));
            self.sort(fresh, position);
        }
        self.fresh.clear();
    }

    /// Sorts a block whose stream has passed this position.
    #[inline(always)]
    fn sort(&mut self, Fresh { node, freed, .. }: Fresh, passed: Option<u64>) {
        match passed {
            Some(position) if freed.position <= position => self.keep(node),
            _ => self.make_pending(node, freed),
        }
    }

    #[inline(never)]
    fn make_pending(&mut self, node: u32, freed: Freed) {
        self.vacate(node);
        self.pending.put(&mut self.heap, node, freed.stream, freed.position);
    }

    /// Takes a block out of the owner's books that was hidden there.
    #[inline]
    pub(super) fn vacate(&self, node: u32) {
        (self.books.vacate)(self.heap.of(node).kept);
    }

    /// What the stream has freed, or plain memory, whichever fits better.
    #[inline]
    pub(super) fn find(&mut self, wanted: u32, stream: StreamKey) -> Option<u32> {
        let plain = self.heap.fit(wanted);
        if self.pending.blocks == 0 {
            return plain.map(|(_, node)| self.heap.take_roundly(node, wanted));
        }
        let slot = self.pending.slot_of(stream);
        let queue = slot.and_then(|slot| self.pending.queue(slot));
        let own = queue.and_then(|queue| self.heap.fit_in(&queue.bins, wanted));
        match (own, plain) {
            (Some((bin, node)), plain) if plain.is_none_or(|(other, _)| bin <= other) => {
                Some(self.take_pending(node, wanted))
            }
            (_, Some((_, node))) => Some(self.heap.take_roundly(node, wanted)),
            _ => None,
        }
    }

    /// Takes `wanted` units, or slightly more, of a pending block.
    #[inline]
    pub(super) fn take_pending(&mut self, node: u32, wanted: u32) -> u32 {
        if self.heap.len_of(node) - wanted <= wanted / SLACK {
            self.pending.take(&mut self.heap, node);
            return node;
        }
        self.pending.take_front(&mut self.heap, node, wanted)
    }

    /// Gives a block to its taker.
    #[inline(always)]
    pub(super) fn taken<R>(
        &mut self,
        Found { node, wanted, stays }: Found,
        enter: impl FnOnce(Taken, u32) -> R,
    ) -> R {
        let len = wanted as usize * GRAIN;
        self.counts.take(wanted);
        let addr = self.heap.start_of(node) as usize * GRAIN;
        let of = self.heap.of_mut(node);
        (of.slot, of.used) = (NONE, wanted);
        let note = u64::from(self.part) << 32 | u64::from(node);
        if of.kept == 0 {
            of.kept = Self::next_number(&mut self.numbers, self.books);
        }
        enter(Taken { addr, len, note, stays }, of.kept)
    }

    #[inline]
    fn next_number(numbers: &mut Vec<u32>, books: Books) -> u32 {
        if numbers.is_empty() {
            (books.supply)(numbers);
        }
        numbers.pop().unwrap_or(0)
    }

    /// Takes a block back that is still its taker's, as `hide` says, which hides it in the owner's books.
    #[inline(always)]
    pub(super) fn free(
        &mut self,
        note: u64,
        len: usize,
        freed: Freed,
        hide: impl FnOnce() -> bool,
    ) -> bool {
        if !hide() {
            return false;
        }
        let (node, used) = (note as u32, (len / GRAIN) as u32);
        // Its record may be far away, and nobody waits for it here: the next allocation needs it.
        self.heap.prefetch(node);
        self.counts.free(used);
        if self.fresh.len() == FRESH {
            self.sort_fresh(|_| None);
        }
        self.fresh.push(Fresh { node, used, freed });
        true
    }

    /// As [`Self::free`], of a block that nothing uses any more, and that `leave` takes out of the books.
    pub(super) fn free_now(&mut self, note: u64, leave: impl FnOnce() -> bool) -> bool {
        if !leave() {
            return false;
        }
        let node = note as u32;
        self.counts.free(self.heap.of(node).used);
        self.heap.give(node);
        true
    }

    pub(super) fn forget(&mut self, stream: StreamKey) {
        self.sort_fresh(|_| None);
        if let Some(slot) = self.pending.slot_of(stream) {
            self.settle_queue(slot, u64::MAX, usize::MAX);
            self.pending.remove_slot(slot);
        }
    }

    /// What a stream has freed up to `position` becomes plain, as far as `most` blocks: how many.
    fn settle_queue(&mut self, slot: u32, position: u64, most: usize) -> usize {
        for settled in 0..most {
            let oldest = self.pending.queue(slot).and_then(Queue::oldest);
            let Some(node) = oldest.filter(|&node| self.heap.of(node).position <= position) else {
                return settled;
            };
            self.pending.take(&mut self.heap, node);
            self.heap.give(node);
        }
        most
    }

    /// All that has passed becomes plain: whether something has.
    pub(super) fn settle(&mut self, order: &impl Order) -> bool {
        let mut settled = 0;
        self.sort_fresh(|_| None);
        self.merge_kept();
        for slot in 0..self.pending.slots() {
            let queue = self.pending.queue(slot).filter(|queue| queue.oldest().is_some());
            if let Some(position) = queue.and_then(|queue| order.passed(queue.key)) {
                settled += self.settle_queue(slot, position, usize::MAX);
            }
        }
        settled != 0
    }

    /// Some of what has passed becomes plain; each stream has its turn.
    #[cold]
    fn settle_some(&mut self, order: &impl Order) {
        for _ in 0..self.pending.slots() {
            self.turn = (self.turn + 1) % self.pending.slots();
            let queue = self.pending.queue(self.turn).filter(|queue| queue.oldest().is_some());
            if let Some(queue) = queue {
                if let Some(position) = order.passed(queue.key) {
                    self.settle_queue(self.turn, position, SETTLED_AT_ONCE);
                }
                return;
            }
        }
    }

    pub(super) fn drain(&mut self, drained: &mut Drained) {
        self.fresh.iter().for_each(|fresh| self.vacate(fresh.node));
        self.merge_kept();
        self.counts.end();
        drained.segments.extend(std::mem::take(&mut self.segments).into_values());
        let kept = self.heap.all_of().map(|block| block.kept);
        drained.kept.extend(kept.filter(|&kept| kept != 0));
        drained.kept.append(&mut self.numbers);
        let counts = std::mem::take(&mut self.counts);
        *self = Self { counts, ..Self::new(self.part, self.books) };
    }

    /// No more than half of it is taken.
    pub(super) fn is_hardly_used(&self) -> bool {
        self.counts.used().units * GRAIN as u64 <= self.counts.reserved / 2
    }
}

#[cfg(test)]
impl Memory {
    pub(super) fn extent(&self, note: u64) -> (usize, usize) {
        let node = note as u32;
        let start = self.heap.start_of(node) as usize;
        (start * GRAIN, self.heap.len_of(node) as usize * GRAIN)
    }
}
