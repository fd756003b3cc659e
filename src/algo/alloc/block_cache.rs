//! Caches freed blocks for the next request of the same size, which is then served without a search for memory and
//! without a change of the address map.
//!
//! The blocks are in stripes. The first threads have a stripe each, which they enter without a locked instruction; the
//! other threads share the rest, and a thread that finds such a stripe in use does without. When a thread ends, its
//! stripe goes to another one with all blocks in it.
//!
//! Changes that must be atomic with caching or removing a block, such as the change of its entry in the address map,
//! are made inside the stripe. While the result of [`BlockCache::flush`] lives no block is cached or served: every
//! earlier block was either flushed or served before.

mod stripe;

use std::sync::OnceLock;

use crate::algo::map::address_map::Parked;
use crate::algo::sync::primitives::atomic::Ordering;

use stripe::{OWN, SHARED, Stripe, Visitors};
pub use stripe::{Pressure, Seat};

/// How many stripes there are.
const STRIPES: usize = OWN + SHARED;
/// Lists of a stripe; each holds blocks with one key.
const LISTS: usize = if cfg!(loom) { 1 } else { 64 };
/// Blocks in a list.
const DEPTH: usize = if cfg!(loom) { 2 } else { 32 };
/// After this many blocks that found no room, blocks with other keys have been cached for too long.
const PATIENCE: u32 = 16;

/// What makes two blocks equal: the same request gets them.
pub type Key = u64;

/// A cache of freed blocks.
pub struct BlockCache {
    /// Allocated at their first use.
    stripes: [OnceLock<Box<Stripe<State>>>; STRIPES],
    visitors: Visitors,
}

struct State {
    /// Blocks that [`BlockCache::take`] has served, and their bytes.
    served: (u64, u64),
    lists: [List; LISTS],
    /// Blocks that found no room since [`BlockCache::make_room`] last removed one.
    refused: u32,
}

/// The contents of a cache, and what it has served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Blocks in it.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Blocks that it has served.
    pub served_blocks: u64,
    /// Their bytes.
    pub served_bytes: u64,
}

struct List {
    key: Key,
    /// Bytes of each of its blocks.
    bytes: usize,
    len: usize,
    blocks: [Option<Parked>; DEPTH],
    /// As [`State::refused`], because of another key.
    refused: u32,
}

impl List {
    fn drain(&mut self) -> impl Iterator<Item = Parked> + use<'_> {
        (self.len, self.refused) = (0, 0);
        self.blocks.iter_mut().filter_map(Option::take)
    }
}

fn list_of(key: Key) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % LISTS
}

impl BlockCache {
    fn stripe(&self, seat: Seat) -> Option<&Stripe<State>> {
        self.stripes[seat.index % STRIPES].get().map(Box::as_ref)
    }

    fn stripes(&self) -> impl Iterator<Item = &Stripe<State>> {
        self.stripes.iter().filter_map(|stripe| stripe.get().map(Box::as_ref))
    }

    #[cold]
    fn new_stripe() -> Box<Stripe<State>> {
        let list = |_| List { key: 0, bytes: 0, len: 0, blocks: [const { None }; DEPTH], refused: 0 };
        Box::new(Stripe::new(State { served: (0, 0), lists: std::array::from_fn(list), refused: 0 }))
    }

    /// Removes a block with this key and converts it inside the stripe. `None`: there is none, or the stripe cannot be
    /// entered now. The calling thread has pinned before.
    #[inline(always)]
    pub fn take<R>(&self, seat: Seat, key: Key, make: impl FnOnce(Parked) -> R) -> Option<R> {
        let stripe = self.stripe(seat)?;
        let mut state = stripe.enter(seat, &self.visitors)?;
        let State { lists, served, .. } = &mut *state;
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

    /// Caches the block of `bytes` bytes that `park` returns, unless the stripe would have more than `most` bytes then.
    /// `park` is only called if there is room, inside the stripe. The calling thread has pinned before.
    #[inline(always)]
    pub fn put(
        &self,
        seat: Seat,
        (key, bytes, most): (Key, usize, usize),
        park: impl FnOnce() -> Option<Parked>,
    ) -> bool {
        let stripe = self.stripes[seat.index % STRIPES].get_or_init(Self::new_stripe);
        let Some(mut state) = stripe.enter(seat, &self.visitors) else { return false };
        let State { lists, refused, .. } = &mut *state;
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

    /// Removes blocks with other keys that have taken the room of this key for too long. The calling thread has pinned
    /// before.
    pub fn make_room(&self, seat: Seat, key: Key) -> Vec<Parked> {
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

    /// Removes all blocks, and caches and serves none as long as the result lives.
    pub fn flush(&self) -> (Vec<Parked>, Pressure<'_>) {
        let mut all = Vec::new();
        let empty = |stripe: &Stripe<State>, state: &mut State| all.append(&mut Self::empty(stripe, state));
        let pressure = self.visitors.visit(self.stripes(), empty);
        (all, pressure)
    }

    /// Bytes of the blocks in it.
    pub fn bytes(&self) -> usize {
        self.stripes().map(|stripe| stripe.bytes.load(Ordering::Relaxed)).sum()
    }

    /// The contents and what it has served, at one moment.
    pub fn contents(&self) -> Contents {
        let mut all = Contents::default();
        let add = |stripe: &Stripe<State>, state: &mut State| {
            all.blocks += state.lists.iter().map(|list| list.len as u64).sum::<u64>();
            all.bytes += stripe.bytes.load(Ordering::Relaxed) as u64;
            all.served_blocks += state.served.0;
            all.served_bytes += state.served.1;
        };
        drop(self.visitors.visit(self.stripes(), add));
        all
    }

    fn empty(stripe: &Stripe<State>, state: &mut State) -> Vec<Parked> {
        state.refused = 0;
        stripe.bytes.store(0, Ordering::Relaxed);
        state.lists.iter_mut().flat_map(List::drain).collect()
    }
}

impl Default for BlockCache {
    /// An empty cache.
    fn default() -> Self {
        let cache = Self { stripes: [const { OnceLock::new() }; STRIPES], visitors: Visitors::new() };
        // Loom does not see the order that a `OnceLock` makes.
        #[cfg(loom)]
        cache.stripes.iter().for_each(|stripe| _ = stripe.get_or_init(Self::new_stripe));
        cache
    }
}

#[cfg(test)]
#[path = "block_cache_tests.rs"]
mod tests;
