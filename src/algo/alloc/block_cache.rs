//! Caches freed blocks for the next request of the same size. It is then served without a search for memory and without
//! a change of the address map.
//!
//! The blocks are in stripes. The first threads have a stripe each, which they enter without a locked instruction. The
//! other threads share the remaining stripes, and a thread that finds such a stripe in use does not use the cache. When
//! a thread ends, another thread gets its stripe with all blocks in it.
//!
//! Changes that must be atomic with caching or removing a block, such as the change of its entry in the address map,
//! take place inside the stripe. While the result of [`BlockCache::flush`] lives, no block is cached or served: every
//! earlier block was either flushed or served before.

mod stripe;

use std::sync::OnceLock;

use crate::map::address_map::Parked;
use crate::sync::primitives::atomic::Ordering;

use stripe::{OWN, SHARED, Stripe, Visitors};
pub use stripe::{Pressure, Seat};

/// The number of stripes.
const STRIPES: usize = OWN + SHARED;
/// The number of lists of a stripe. Each list holds blocks with one key.
const LISTS: usize = if cfg!(loom) { 1 } else { 64 };
/// The maximum number of blocks in a list.
const DEPTH: usize = if cfg!(loom) { 2 } else { 32 };
/// The number of blocks without room after which blocks with other keys have been cached for too long.
const PATIENCE: u32 = 16;

/// The key of a block: the same request gets blocks with equal keys.
pub type BlockKey = u64;

/// A cache of freed blocks.
pub struct BlockCache {
    /// The stripes, which are allocated at their first use.
    stripes: [OnceLock<Box<Stripe<FreeLists>>>; STRIPES],
    visitors: Visitors,
}

struct FreeLists {
    /// The numbers of blocks and of bytes that [`BlockCache::take`] has served.
    served: (u64, u64),
    lists: [List; LISTS],
    /// The number of blocks that found no room since [`BlockCache::make_room`] last removed one.
    refused: u32,
}

/// The contents of a cache, and what it has served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The number of blocks in the cache.
    pub blocks: u64,
    /// The number of their bytes.
    pub bytes: u64,
    /// The number of blocks that the cache has served.
    pub served_blocks: u64,
    /// The number of bytes of these.
    pub served_bytes: u64,
}

struct List {
    key: BlockKey,
    /// The number of bytes of each of the list's blocks.
    bytes: usize,
    len: usize,
    blocks: [Option<Parked>; DEPTH],
    /// The number of blocks that found no room since the last removal, because the list has another key.
    refused: u32,
}

impl List {
    fn drain(&mut self) -> impl Iterator<Item = Parked> + use<'_> {
        (self.len, self.refused) = (0, 0);
        self.blocks.iter_mut().filter_map(Option::take)
    }
}

fn list_of(key: BlockKey) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % LISTS
}

impl BlockCache {
    fn stripe(&self, seat: Seat) -> Option<&Stripe<FreeLists>> {
        self.stripes[seat.index % STRIPES].get().map(Box::as_ref)
    }

    fn stripes(&self) -> impl Iterator<Item = &Stripe<FreeLists>> {
        self.stripes.iter().filter_map(|stripe| stripe.get().map(Box::as_ref))
    }

    #[cold]
    fn new_stripe() -> Box<Stripe<FreeLists>> {
        let list = |_| List { key: 0, bytes: 0, len: 0, blocks: [const { None }; DEPTH], refused: 0 };
        Box::new(Stripe::new(FreeLists { served: (0, 0), lists: std::array::from_fn(list), refused: 0 }))
    }

    /// Removes a block with this key and converts it inside the stripe. Returns `None` if there is none, or if the
    /// stripe cannot be entered now. The caller must be pinned.
    #[inline(always)]
    pub fn take<R>(&self, seat: Seat, key: BlockKey, make: impl FnOnce(Parked) -> R) -> Option<R> {
        let stripe = self.stripe(seat)?;
        let mut state = stripe.enter(seat, &self.visitors)?;
        let FreeLists { lists, served, .. } = &mut *state;
        let list = &mut lists[list_of(key)];
        if list.key != key {
            return None;
        }
        let last = list.len.checked_sub(1)?;
        let parked = list.blocks.get_mut(last)?.take()?;
        list.len = last;
        *served = (served.0 + 1, served.1 + list.bytes as u64);
        let left = stripe.bytes.load(Ordering::Relaxed) - list.bytes;
        stripe.bytes.store(left, Ordering::Relaxed);
        Some(make(parked))
    }

    /// Calls `park` and caches the block of `bytes` bytes that it returns, if the stripe stays within `most` bytes.
    /// Without room it does not call `park`, which runs inside the stripe. The caller must be pinned.
    #[inline(always)]
    pub fn put(
        &self,
        seat: Seat,
        (key, bytes, most): (BlockKey, usize, usize),
        park: impl FnOnce() -> Option<Parked>,
    ) -> bool {
        let stripe = self.stripes[seat.index % STRIPES].get_or_init(Self::new_stripe);
        let Some(mut state) = stripe.enter(seat, &self.visitors) else { return false };
        let FreeLists { lists, refused, .. } = &mut *state;
        let total = stripe.bytes.load(Ordering::Relaxed) + bytes;
        if total > most {
            *refused += 1;
            return false;
        }
        let list = &mut lists[list_of(key)];
        if list.len == 0 {
            (list.key, list.bytes, list.refused) = (key, bytes, 0);
        } else if list.key != key || list.bytes != bytes {
            list.refused += 1;
            return false;
        }
        let Some(place) = list.blocks.get_mut(list.len) else { return false };
        let Some(parked) = park() else { return false };
        *place = Some(parked);
        list.len += 1;
        stripe.bytes.store(total, Ordering::Relaxed);
        true
    }

    /// Removes blocks with other keys that have taken the room of this key for too long. The caller must be pinned.
    pub fn make_room(&self, seat: Seat, key: BlockKey) -> Vec<Parked> {
        let mut room = Vec::new();
        let Some(stripe) = self.stripe(seat) else { return room };
        let Some(mut state) = stripe.enter(seat, &self.visitors) else { return room };
        if state.refused >= PATIENCE {
            return Self::empty(stripe, &mut state);
        }
        let list = &mut state.lists[list_of(key)];
        if list.refused >= PATIENCE {
            let bytes = list.bytes * list.len;
            room.extend(list.drain());
            stripe.bytes.store(stripe.bytes.load(Ordering::Relaxed) - bytes, Ordering::Relaxed);
        }
        room
    }

    /// Removes and returns all blocks. While the result lives, no block is cached or served.
    pub fn flush(&self) -> (Vec<Parked>, Pressure<'_>) {
        let mut all = Vec::new();
        let empty = |stripe: &Stripe<FreeLists>, state: &mut FreeLists| all.append(&mut Self::empty(stripe, state));
        let pressure = self.visitors.visit(self.stripes(), empty);
        (all, pressure)
    }

    /// Returns the number of bytes of the blocks in the cache.
    pub fn bytes(&self) -> usize {
        self.stripes().map(|stripe| stripe.bytes.load(Ordering::Relaxed)).sum()
    }

    /// Returns the contents, and what the cache has served, at one moment.
    pub fn contents(&self) -> Contents {
        let mut all = Contents::default();
        let add = |stripe: &Stripe<FreeLists>, state: &mut FreeLists| {
            all.blocks += state.lists.iter().map(|list| list.len as u64).sum::<u64>();
            all.bytes += stripe.bytes.load(Ordering::Relaxed) as u64;
            all.served_blocks += state.served.0;
            all.served_bytes += state.served.1;
        };
        drop(self.visitors.visit(self.stripes(), add));
        all
    }

    fn empty(stripe: &Stripe<FreeLists>, state: &mut FreeLists) -> Vec<Parked> {
        state.refused = 0;
        stripe.bytes.store(0, Ordering::Relaxed);
        state.lists.iter_mut().flat_map(List::drain).collect()
    }
}

impl Default for BlockCache {
    /// Creates an empty cache.
    fn default() -> Self {
        let cache = Self { stripes: [const { OnceLock::new() }; STRIPES], visitors: Visitors::new() };
        // Loom does not model the order that a `OnceLock` establishes.
        #[cfg(loom)]
        cache.stripes.iter().for_each(|stripe| _ = stripe.get_or_init(Self::new_stripe));
        cache
    }
}

#[cfg(test)]
#[path = "block_cache_tests.rs"]
mod tests;
