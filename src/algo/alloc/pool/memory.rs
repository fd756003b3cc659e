//! The memory of one part of a pool, under one lock.

use std::collections::BTreeMap;

use super::cache::{Cache, Fresh, LONGEST};
use super::class::round_up;
use super::counts::Counts;
use super::pending::{Block, NONE, Pending};
use super::segments::Island;
use super::{Back, Freed, GRAIN, MOST, Order, Segment, Shortage, StreamKey, search};
use crate::alloc::heap::Heap;
use crate::map::address_map::{AddressMap, HeldPlace, Range};

/// The number of pending bytes above which complete frees are made available without need.
const CACHED: u64 = 64 << 20;
/// The number of blocks for which that is done at a time.
const RECLAIMED_AT_ONCE: usize = 16;
/// The divisor of a request that gives how much longer a freed block may be: splitting it costs more than the waste.
pub(super) const SLACK: u32 = 16;
/// The number of frees that may wait until an allocation sorts them.
const FRESH: usize = 64;

pub(super) struct Memory {
    pub(super) heap: Heap<Block>,
    /// The latest frees, which are not sorted yet.
    pub(super) fresh: Vec<Fresh>,
    pub(super) pending: Pending,
    pub(super) cache: Cache,
    /// The map that blocks are in, and the first two words of their ranges there.
    pub(super) map: &'static AddressMap,
    pub(super) words: [u64; 2],
    /// The numbers of unused places in the map.
    numbers: Vec<u32>,
    /// The segments, by their first unit.
    pub(super) segments: BTreeMap<u64, Segment>,
    pub(super) islands: BTreeMap<u64, Island>,
    /// The queue to check next for complete frees.
    turn: u32,
    /// The number of pending blocks that may be scanned one by one. A number less than 0 is a debt.
    pub(super) scans: isize,
    pub(super) counts: Counts,
    /// The number of steps since the last check.
    #[cfg(debug_assertions)]
    pub(super) unchecked: usize,
}

/// Returns the number of units for a request, or `None` for more than [`MOST`] bytes.
pub(super) fn units_for(len: usize) -> Option<u32> {
    (len <= MOST).then(|| len.max(1).div_ceil(GRAIN) as u32)
}

impl Memory {
    pub(super) fn new(part: u32, map: &'static AddressMap, words: [u64; 2]) -> Self {
        Self {
            map,
            words,
            heap: Heap::new(),
            fresh: Vec::with_capacity(FRESH),
            pending: Pending::default(),
            cache: Cache::new(),
            numbers: Vec::new(),
            segments: BTreeMap::new(),
            islands: BTreeMap::new(),
            turn: 0,
            scans: search::SCANS,
            counts: Counts::of_part(part),
            #[cfg(debug_assertions)]
            unchecked: 0,
        }
    }

    pub(super) fn alloc(&mut self, len: usize, stream: StreamKey, order: &impl Order) -> Result<usize, Shortage> {
        match self.take_ready(len, stream, order) {
            Some(addr) => Ok(addr),
            None => self.cut(len, stream, order),
        }
    }

    /// Shows a cached or fresh block that fits again, in its place in the map. Returns its address.
    #[inline(always)]
    pub(super) fn take_ready(&mut self, len: usize, stream: StreamKey, order: &impl Order) -> Option<usize> {
        let wanted = units_for(len)?;
        let fresh = if self.fresh.is_empty() { None } else { self.find_fresh(wanted, stream, order) };
        // This is not `or_else`, whose closure is compiled as a function.
        let place = match fresh {
            Some(place) => place,
            None => self.find_kept(wanted)?,
        };
        self.counts.take(wanted);
        place.card().used.set(wanted);
        Some(place.show(wanted as usize * GRAIN))
    }

    /// Splits units off a free range, or a longer pending block, and enters them in the map as a block. Returns its
    /// address.
    #[inline(always)]
    pub(super) fn cut(&mut self, len: usize, stream: StreamKey, order: &impl Order) -> Result<usize, Shortage> {
        let wanted = units_for(len).ok_or(Shortage { least: usize::MAX, better: usize::MAX })?;
        ensure!(self.heap.make_room(), Shortage::OF_HOST_MEMORY);
        if self.pending.units > CACHED / GRAIN as u64 {
            self.reclaim_some(order);
        }
        self.cache.note_used(&self.counts);
        let found = match self.pending.blocks {
            0 => self.heap.fit(wanted).map(|(_, node)| self.heap.take_up_to(node, round_up(wanted))),
            _ => self.find(wanted, stream),
        };
        let node = match found {
            Some(node) => node,
            None => self.search(wanted, stream, order)?,
        };
        self.enter(node, wanted).ok_or(Shortage::OF_HOST_MEMORY)
    }

    /// Enters a range that was just taken in the map, as a block. Returns its address, or `None`, after freeing it, if
    /// the map has no place for it.
    #[inline(always)]
    fn enter(&mut self, node: u32, wanted: u32) -> Option<usize> {
        let (addr, units) = (self.heap[node].start as usize * GRAIN, self.heap[node].len);
        let of = self.heap.of_mut(node);
        of.slot = NONE;
        if of.number == 0 {
            if self.numbers.is_empty() {
                self.map.claim_held(&mut self.numbers);
            }
            of.number = self.numbers.pop().unwrap_or(0);
        }
        let number = of.number;
        let [first, second] = self.words;
        let note = u64::from(self.counts.part) << 32 | u64::from(node);
        let range = Range { base: addr, len: wanted as usize * GRAIN, words: [first, second, note] };
        if number != 0 {
            self.place(number).card().write(node, units, wanted);
        }
        if !self.map.insert_held(number, &range, units as usize * GRAIN) {
            self.heap.free(node);
            return None;
        }
        self.counts.take(wanted);
        Some(addr)
    }

    /// Returns the place in the map with this number.
    #[inline(always)]
    pub(super) fn place(&self, number: u32) -> HeldPlace<'static> {
        self.map.place(number)
    }

    /// Returns the pages of a removed segment to the map.
    pub(super) fn release_pages(&self, segment: Segment) {
        self.map.release_pages(segment.addr, segment.len);
    }

    #[inline(never)]
    pub(super) fn make_pending(&mut self, place: HeldPlace<'static>, freed: Freed) {
        let node = place.card().node.get();
        place.vacate();
        self.pending.put(&mut self.heap, node, freed.stream, freed.position);
    }

    /// Returns memory that the stream has freed, or free memory, whichever fits better.
    #[inline(never)]
    pub(super) fn find(&mut self, wanted: u32, stream: StreamKey) -> Option<u32> {
        let plain = self.heap.fit(wanted);
        let slot = self.pending.slot_of(stream);
        let queue = slot.map(|slot| self.pending.queue(slot));
        let own = queue.and_then(|queue| self.heap.fit_in(&queue.bins, wanted));
        match (own, plain) {
            (Some((bin, node)), plain) if plain.is_none_or(|(other, _)| bin <= other) => {
                Some(self.take_pending(node, wanted))
            }
            (_, Some((_, node))) => Some(self.heap.take_up_to(node, round_up(wanted))),
            _ => None,
        }
    }

    /// Takes `wanted` units, or somewhat more, of a pending block.
    #[inline]
    pub(super) fn take_pending(&mut self, node: u32, wanted: u32) -> u32 {
        let len = round_up(wanted);
        if self.heap[node].len <= len.saturating_add(wanted / SLACK) {
            self.pending.take(&mut self.heap, node);
            return node;
        }
        self.pending.take_front(&mut self.heap, node, len)
    }

    /// Frees a block, unless `hide`, which hides it in the map, returns that it was freed before.
    #[inline(always)]
    pub(super) fn free(&mut self, back: Back, freed: Freed, hide: impl FnOnce() -> bool) -> bool {
        if !hide() {
            return false;
        }
        let (number, card) = (back.place.number(), back.place.card());
        let (len, used) = (card.len.get(), card.used.get());
        self.counts.free(used);
        // A long block is merged when it would be cached, but the next request may fit it.
        if back.has_passed && len <= LONGEST {
            self.keep(number, len, freed);
            return true;
        }
        // The block's node may not be in the processor's cache, and is not needed here. The next allocation reads it.
        self.heap.prefetch(back.note as u32);
        if self.fresh.len() == FRESH {
            self.make_fresh_pending();
        }
        self.fresh.push(Fresh { number, len, used, freed, has_passed: back.has_passed });
        true
    }

    /// Frees as [`Self::free`] does, for a block that nothing uses any more. `leave` removes it from the map.
    pub(super) fn free_now(&mut self, note: u64, len: usize, leave: impl FnOnce() -> bool) -> bool {
        if !leave() {
            return false;
        }
        self.counts.free((len / GRAIN) as u32);
        self.heap.free(note as u32);
        true
    }

    pub(super) fn forget(&mut self, stream: StreamKey) {
        self.make_fresh_pending();
        self.forget_in_cache(stream);
        if let Some(slot) = self.pending.slot_of(stream) {
            self.reclaim_queue(slot, u64::MAX, usize::MAX);
            self.pending.remove_slot(slot);
        }
    }

    /// Makes at most `most` blocks free that a stream has freed up to `position`. Returns how many it made free.
    fn reclaim_queue(&mut self, slot: u32, position: u64, most: usize) -> usize {
        for reclaimed in 0..most {
            let oldest = self.pending.queue(slot).oldest();
            let Some(node) = oldest.filter(|&node| self.heap[node].of.position <= position) else {
                return reclaimed;
            };
            self.pending.take(&mut self.heap, node);
            self.heap.free(node);
        }
        most
    }

    /// Makes at most `most` of a slot's blocks free whose frees are complete. Returns how many, or `None` if it has
    /// none.
    fn reclaim_slot(&mut self, slot: u32, order: &impl Order, most: usize) -> Option<usize> {
        let queue = self.pending.queue(slot);
        queue.oldest()?;
        let passed = order.passed(queue.key);
        Some(passed.map_or(0, |position| self.reclaim_queue(slot, position, most)))
    }

    /// Makes all pending blocks free whose frees are complete. Returns whether there were any.
    pub(super) fn reclaim(&mut self, order: &impl Order) -> bool {
        self.make_fresh_pending();
        let slots = 0..self.pending.slots();
        slots.filter_map(|slot| self.reclaim_slot(slot, order, usize::MAX)).sum::<usize>() != 0
    }

    /// Makes some of these blocks free. Streams take turns.
    #[cold]
    fn reclaim_some(&mut self, order: &impl Order) {
        let slots = self.pending.slots();
        let _ = (0..slots).find_map(|_| {
            self.turn = (self.turn + 1) % slots;
            self.reclaim_slot(self.turn, order, RECLAIMED_AT_ONCE)
        });
    }

    /// Removes everything, also from the map. Returns the segments.
    pub(super) fn drain(&mut self) -> Vec<Segment> {
        self.fresh.iter().for_each(|fresh| self.place(fresh.number).vacate());
        self.merge_down_to(0);
        self.counts.end();
        let segments: Vec<Segment> = std::mem::take(&mut self.segments).into_values().collect();
        let numbers = self.heap.all_of().map(|block| block.number).filter(|&number| number != 0);
        self.map.release_held(numbers.chain(self.numbers.iter().copied()));
        segments.iter().for_each(|&segment| self.release_pages(segment));
        let counts = std::mem::take(&mut self.counts);
        *self = Self { counts, ..Self::new(0, self.map, self.words) };
        segments
    }
}

#[cfg(all(test, not(loom)))]
impl Memory {
    pub(super) fn extent(&self, note: u64) -> (usize, usize) {
        let node = note as u32;
        let start = self.heap[node].start as usize;
        (start * GRAIN, self.heap[node].len as usize * GRAIN)
    }
}
