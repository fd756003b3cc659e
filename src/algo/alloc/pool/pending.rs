//! Pending blocks, which streams have freed and other streams may not use yet. For each stream they are listed by
//! length, to reuse one, and by age, because they become free in that order.

use rustc_hash::FxHashMap;

use super::StreamKey;
use crate::alloc::heap::Heap;
use crate::alloc::heap::bins::Bins;

pub(super) const NONE: u32 = u32::MAX;
/// A key that no stream has.
pub(super) const NO_STREAM: StreamKey = StreamKey(u64::MAX);

/// The pool's data for a taken range.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// The position of the free, if the block is pending.
    pub(super) position: u64,
    /// The slot of the stream that freed the block, or [`NONE`] if it is in use or cached.
    pub(super) slot: u32,
    /// The stream's pending blocks that were freed before and after it.
    older: u32,
    newer: u32,
    /// The number of the block's place in the map, or 0 if it has none. It stays with the range's number.
    pub(super) number: u32,
}

impl Default for Block {
    fn default() -> Self {
        Self { position: 0, slot: NONE, older: NONE, newer: NONE, number: 0 }
    }
}

/// A stream's pending blocks.
pub(super) struct Queue {
    /// The stream, or [`NO_STREAM`] once it is forgotten.
    pub(super) key: StreamKey,
    pub(super) bins: Bins,
    oldest: u32,
    pub(super) newest: u32,
}

impl Queue {
    pub(super) fn oldest(&self) -> Option<u32> {
        (self.oldest != NONE).then_some(self.oldest)
    }
}

/// The pending blocks of all streams.
#[derive(Default)]
pub(super) struct Pending {
    /// The queues by slot. The queue of a forgotten stream is empty.
    queues: Vec<Queue>,
    /// The slots of forgotten streams.
    unused: Vec<u32>,
    /// The slots of the other streams.
    slots: FxHashMap<StreamKey, u32>,
    /// The number of units in pending blocks.
    pub(super) units: u64,
    /// The number of these blocks.
    pub(super) blocks: usize,
}

impl Pending {
    /// Returns the slot of a stream that has freed memory.
    pub(super) fn slot_of(&self, key: StreamKey) -> Option<u32> {
        self.slots.get(&key).copied()
    }

    #[cold]
    fn new_slot(&mut self, key: StreamKey) -> u32 {
        let slot = self.unused.pop().unwrap_or_else(|| {
            self.queues.push(Queue { key, bins: Bins::new(), oldest: NONE, newest: NONE });
            self.queues.len() as u32 - 1
        });
        self.queues[slot as usize].key = key;
        self.slots.insert(key, slot);
        slot
    }

    /// Forgets an empty queue.
    pub(super) fn remove_slot(&mut self, slot: u32) {
        let key = std::mem::replace(&mut self.queues[slot as usize].key, NO_STREAM);
        self.slots.remove(&key);
        self.unused.push(slot);
    }

    /// Returns the number of slots, including empty ones.
    pub(super) fn slots(&self) -> u32 {
        self.queues.len() as u32
    }

    /// Returns the queue of a slot.
    pub(super) fn queue(&self, slot: u32) -> &Queue {
        &self.queues[slot as usize]
    }

    /// Returns all slots with pending blocks.
    pub(super) fn busy(&self) -> impl Iterator<Item = (u32, &Queue)> + '_ {
        (0..).zip(&self.queues).filter(|(_, queue)| queue.oldest != NONE)
    }

    /// Returns a stream's pending blocks, the oldest first.
    pub(super) fn of_slot<'a>(&'a self, heap: &'a Heap<Block>, slot: u32) -> impl Iterator<Item = u32> + 'a {
        let step = |node: u32| (node != NONE).then_some(node);
        std::iter::successors(self.queue(slot).oldest(), move |&node| step(heap[node].of.newer))
    }

    /// Adds a block that `key` has freed at `position`.
    #[inline]
    pub(super) fn put(&mut self, heap: &mut Heap<Block>, node: u32, key: StreamKey, position: u64) {
        let slot = match self.slot_of(key) {
            Some(slot) => slot,
            None => self.new_slot(key),
        };
        let queue = &mut self.queues[slot as usize];
        let older = std::mem::replace(&mut queue.newest, node);
        let position = match older {
            NONE => {
                queue.oldest = node;
                position
            }
            older => {
                let of = heap.of_mut(older);
                of.newer = node;
                // Threads may report the frees of a stream in another order.
                position.max(of.position)
            }
        };
        let of = heap.of_mut(node);
        (of.position, of.slot, of.older, of.newer) = (position, slot, older, NONE);
        heap.sort_into(&mut queue.bins, node);
        self.units += u64::from(heap[node].len);
        self.blocks += 1;
    }

    /// Removes a block.
    #[inline]
    pub(super) fn take(&mut self, heap: &mut Heap<Block>, node: u32) {
        let Block { slot, older, newer, .. } = heap[node].of;
        let queue = &mut self.queues[slot as usize];
        match older {
            NONE => queue.oldest = newer,
            older => heap.of_mut(older).newer = newer,
        }
        match newer {
            NONE => queue.newest = older,
            newer => heap.of_mut(newer).older = older,
        }
        heap.sort_out(&mut queue.bins, node);
        heap.of_mut(node).slot = NONE;
        self.units -= u64::from(heap[node].len);
        self.blocks -= 1;
    }

    /// Takes the first `len` units of a longer block, which stays pending. Returns the number of their range.
    #[inline]
    pub(super) fn take_front(&mut self, heap: &mut Heap<Block>, node: u32, len: u32) -> u32 {
        let queue = &mut self.queues[heap[node].of.slot as usize];
        heap.sort_out(&mut queue.bins, node);
        let front = heap.split(node, len);
        heap.sort_into(&mut queue.bins, node);
        heap.of_mut(front).slot = NONE;
        self.units -= u64::from(len);
        front
    }
}
