//! Divides memory: units of 4 KiB by [`Heap`], and below 4 KiB slots in multiples of 512 bytes inside slabs of 64 KiB.
//! As in the heap, this is bookkeeping only.

use crate::algo::alloc::heap::Heap;

/// The granularity, in bytes, of everything from 4 KiB on.
pub(crate) const UNIT: u64 = 4096;
/// The length of a processor's large page in bytes.
pub(crate) const HUGE: u64 = 2 << 20;
const GRAIN: u64 = 512;
const SLAB: u64 = 64 << 10;
const SLAB_UNITS: u32 = (SLAB / UNIT) as u32;
/// The number of slot sizes: 512, 1024, ... 3584 bytes. Index 0 is not used.
const CLASSES: usize = (UNIT / GRAIN) as usize;
const SMALL: u32 = 1 << 31;

/// A slab: 64 KiB of slots of equal size.
struct Slab {
    node: u32,
    start: u64,
    class: usize,
    /// The free slots, one bit each.
    free: u128,
    /// The mask of all slots.
    all: u128,
    /// The slab's place in its class's list of slabs with free slots.
    place: Option<usize>,
}

/// A block of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArenaBlock {
    pub offset: u64,
    pub len: u64,
    /// The number by which [`Arena::free`] finds the block.
    pub note: u32,
}

/// An allocator of offsets.
pub(crate) struct Arena {
    heap: Heap,
    slabs: Vec<Slab>,
    vacant: Vec<u32>,
    partial: [Vec<u32>; CLASSES],
    used: u64,
}

/// An arena without memory.
impl Default for Arena {
    fn default() -> Self {
        Self { heap: Heap::new(), slabs: Vec::new(), vacant: Vec::new(), partial: Default::default(), used: 0 }
    }
}

impl Arena {
    /// Makes room for the bookkeeping of another block or region. Returns false if there is no host memory.
    #[must_use]
    pub(crate) fn make_room(&mut self) -> bool {
        self.heap.make_room()
    }

    /// Adds memory. Offset and length are multiples of [`UNIT`].
    pub(crate) fn add_region(&mut self, offset: u64, len: u64) {
        self.heap.add_region(offset / UNIT, (len / UNIT) as u32);
    }

    /// Whether a block with this note, of whole units, is taken and contains the range.
    pub(crate) fn contains(&self, offset: u64, len: u64, note: u32) -> bool {
        note & SMALL == 0
            && self.heap.is_taken(note)
            && self.heap[note].start * UNIT <= offset
            && offset + len <= (self.heap[note].start + u64::from(self.heap[note].len)) * UNIT
    }

    /// Removes a region. Returns false if it is not entirely free.
    pub(crate) fn remove_region(&mut self, offset: u64, len: u64) -> bool {
        self.heap.remove_region(offset / UNIT, (len / UNIT) as u32)
    }

    /// Returns the number of bytes in blocks.
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    /// Returns the free ranges of at least `len` bytes: offset and length.
    pub(crate) fn free_ranges(&self, len: u64) -> impl Iterator<Item = (u64, u64)> + use<> {
        self.heap.free_ranges((len / UNIT) as u32).into_iter().map(|(start, len)| (start * UNIT, u64::from(len) * UNIT))
    }

    /// Returns the length of the block that [`Self::take`] returns for `len` bytes with the alignment of their length.
    pub(crate) fn block_len(len: u64) -> u64 {
        let grain = if len <= UNIT - GRAIN { GRAIN } else { UNIT };
        len.max(1).checked_next_multiple_of(grain).unwrap_or(len)
    }

    /// Allocates at least `len` bytes at a multiple of `align` (512 below 4 KiB, otherwise 4 KiB or 2 MiB).
    pub(crate) fn take(&mut self, len: u64, align: u64) -> Option<ArenaBlock> {
        match self.try_take(len, align) {
            None if self.free_empty_slabs() => self.try_take(len, align),
            taken => taken,
        }
    }

    fn try_take(&mut self, len: u64, align: u64) -> Option<ArenaBlock> {
        let block = if len <= UNIT - GRAIN && align <= GRAIN {
            self.take_slot(len.div_ceil(GRAIN).max(1) as usize)?
        } else {
            let units = u32::try_from(len.div_ceil(UNIT)).ok()?;
            let (node, start) = self.heap.take(units, (align / UNIT).max(1) as u32)?;
            ArenaBlock { offset: start * UNIT, len: u64::from(units) * UNIT, note: node }
        };
        self.used += block.len;
        Some(block)
    }

    /// Frees a block. If it reached the heap, returns the free range that it is part of now (offset and length).
    pub(crate) fn free(&mut self, offset: u64, note: u32) -> Option<(u64, u64)> {
        let node = if note & SMALL == 0 {
            self.used -= u64::from(self.heap[note].len) * UNIT;
            note
        } else {
            self.free_slot(offset, note & !SMALL)?
        };
        let (start, len) = self.heap.free(node);
        Some((start * UNIT, u64::from(len) * UNIT))
    }

    /// Frees the empty slabs that were kept to the heap. Returns true if there was one.
    fn free_empty_slabs(&mut self) -> bool {
        let mut given = false;
        for class in 1..CLASSES {
            // The class has at most one empty slab, see `free_slot`.
            let mut list = self.partial[class].iter().copied();
            let empty = list.find(|&index| {
                let slab = &self.slabs[index as usize];
                slab.free == slab.all
            });
            if let Some(index) = empty {
                let node = self.remove_slab(index);
                self.heap.free(node);
                given = true;
            }
        }
        given
    }

    /// Removes an empty slab from its list. Returns its range.
    fn remove_slab(&mut self, index: u32) -> u32 {
        let Slab { node, class, place, .. } = self.slabs[index as usize];
        let list = &mut self.partial[class];
        let place = place.expect("a slab with free slots is on its list");
        list.swap_remove(place);
        if let Some(&moved) = list.get(place) {
            self.slabs[moved as usize].place = Some(place);
        }
        self.vacant.push(index);
        node
    }

    fn take_slot(&mut self, class: usize) -> Option<ArenaBlock> {
        let index = match self.partial[class].last() {
            Some(&index) => index,
            None => self.new_slab(class)?,
        };
        let slab = &mut self.slabs[index as usize];
        let slot = slab.free.trailing_zeros();
        slab.free &= !(1 << slot);
        if slab.free == 0 {
            slab.place = None;
            self.partial[class].pop();
        }
        let len = class as u64 * GRAIN;
        Some(ArenaBlock { offset: slab.start + u64::from(slot) * len, len, note: index | SMALL })
    }

    fn new_slab(&mut self, class: usize) -> Option<u32> {
        let (node, start) = self.heap.take(SLAB_UNITS, 1)?;
        let slots = SLAB / (class as u64 * GRAIN);
        let all = u128::MAX >> (u64::from(u128::BITS) - slots);
        let slab = Slab { node, start: start * UNIT, class, free: all, all, place: Some(self.partial[class].len()) };
        let index = match self.vacant.pop() {
            Some(index) => {
                self.slabs[index as usize] = slab;
                index
            }
            None => {
                self.slabs.push(slab);
                (self.slabs.len() - 1) as u32
            }
        };
        self.partial[class].push(index);
        Some(index)
    }

    /// Frees a slot. If that empties its slab and the class has another one, returns the slab's range.
    fn free_slot(&mut self, offset: u64, index: u32) -> Option<u32> {
        let slab = &mut self.slabs[index as usize];
        let class = slab.class;
        let len = class as u64 * GRAIN;
        let bit = 1u128 << ((offset - slab.start) / len);
        debug_assert!(slab.free & bit == 0, "freed twice");
        slab.free |= bit;
        self.used -= len;
        let list = &mut self.partial[class];
        match slab.place {
            None => {
                slab.place = Some(list.len());
                list.push(index);
                None
            }
            // One empty slab stays, so that a repeated allocation of one slot is cheap.
            Some(_) if slab.free == slab.all && list.len() > 1 => Some(self.remove_slab(index)),
            Some(_) => None,
        }
    }
}

#[cfg(test)]
#[path = "arena_tests.rs"]
mod tests;
