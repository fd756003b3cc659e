//! Freed blocks that wait for the next request of the same size, so that freeing and allocating
//! again costs neither a search for memory nor a change of the address map.
//!
//! The blocks are in stripes, each under a lock of its own that is held for a few instructions:
//! threads spread over them, so that they seldom meet, and who meets somebody does without. A
//! stripe belongs to no thread, so nothing has to be done when one ends.
//!
//! What has to be one step with taking a block out or putting one in, like changing its entry in
//! the address map, is done under the stripe's lock. While [`BlockCache::flush`]'s result lives
//! nothing is put in: all that was there has either come out of it or been taken before.

use std::ptr;

use crate::algo::map::address_map::Parked;
use crate::algo::sync::primitives::atomic::{AtomicPtr, AtomicUsize, Ordering};
use crate::algo::sync::spin_lock::SpinLock;

/// How many stripes there are.
pub const STRIPES: usize = if cfg!(loom) { 1 } else { 32 };
/// Lists of a stripe; each holds blocks with one key.
const LISTS: usize = if cfg!(loom) { 1 } else { 64 };
/// Blocks in a list.
const DEPTH: usize = if cfg!(loom) { 2 } else { 32 };
/// After so many blocks that found no room, those that are in the way have been there for too long.
const PATIENCE: u32 = 16;

/// What makes two blocks equal: the same request gets them.
pub type Key = u64;

/// Freed blocks.
pub struct BlockCache {
    /// Made when they are used first.
    stripes: [AtomicPtr<Stripe>; STRIPES],
    /// How many threads want all memory back now: nothing is put in meanwhile.
    pressure: AtomicUsize,
}

/// On cache lines of its own.
#[repr(align(128))]
struct Stripe {
    /// Bytes in it, written under the lock.
    bytes: AtomicUsize,
    state: SpinLock<State>,
}

struct State {
    /// Blocks that were taken out by [`BlockCache::take`], and their bytes.
    served: (u64, u64),
    lists: [List; LISTS],
    /// Blocks that would have been too much since the last one that was taken out to make room.
    refused: u32,
}

/// What a cache has, and what it has given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Blocks in it.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Blocks that requests have got from it.
    pub served_blocks: u64,
    /// Their bytes.
    pub served_bytes: u64,
}

struct List {
    key: Key,
    /// Of each of its blocks.
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
    /// An empty cache.
    pub fn new() -> Self {
        let stripes = std::array::from_fn(|_| AtomicPtr::new(ptr::null_mut()));
        Self { stripes, pressure: AtomicUsize::new(0) }
    }

    #[inline]
    fn stripe(&self, index: usize) -> Option<&Stripe> {
        // SAFETY: null, or made by `make_stripe`, and not freed before the cache is dropped.
        unsafe { self.stripes[index % STRIPES].load(Ordering::Acquire).as_ref() }
    }

    #[cold]
    fn make_stripe(&self, index: usize) -> Option<&Stripe> {
        let list =
            || List { key: 0, bytes: 0, len: 0, blocks: [const { None }; DEPTH], refused: 0 };
        let lists = std::array::from_fn(|_| list());
        let state = State { served: (0, 0), lists, refused: 0 };
        let new = Stripe { bytes: AtomicUsize::new(0), state: SpinLock::new(state) };
        let new = Box::into_raw(Box::new(new));
        let place = &self.stripes[index % STRIPES];
        let other =
            place.compare_exchange(ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire);
        if other.is_err() {
            // SAFETY: made above, and nobody else has seen it.
            drop(unsafe { Box::from_raw(new) });
        }
        self.stripe(index)
    }

    /// Takes a block with this key out and makes something of it under the lock. None: there is
    /// none, or another thread is at the stripe.
    #[inline]
    pub fn take<R>(&self, index: usize, key: Key, make: impl FnOnce(Parked) -> R) -> Option<R> {
        let stripe = self.stripe(index)?;
        let mut state = stripe.state.try_lock()?;
        let State { lists, served, .. } = &mut *state;
        let list = &mut lists[list_of(key)];
        if list.key != key || list.len == 0 {
            return None;
        }
        list.len -= 1;
        let parked = list.blocks[list.len].take()?;
        *served = (served.0 + 1, served.1 + list.bytes as u64);
        let left = stripe.bytes.load(Ordering::Relaxed) - list.bytes;
        stripe.bytes.store(left, Ordering::Relaxed);
        Some(make(parked))
    }

    /// Puts in what `park` gives, a block of `bytes` bytes, unless the stripe would have more than
    /// `most` bytes then. `park` is only called where there is room, under the lock.
    #[inline]
    pub fn put(
        &self,
        index: usize,
        (key, bytes, most): (Key, usize, usize),
        park: impl FnOnce() -> Option<Parked>,
    ) -> bool {
        let made = self.stripe(index);
        let Some(stripe) = made.or_else(|| self.make_stripe(index)) else { return false };
        let Some(mut state) = stripe.state.try_lock() else { return false };
        // Relaxed is enough: whoever sets it locks the stripe afterwards.
        if self.pressure.load(Ordering::Relaxed) != 0 {
            return false;
        }
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

    /// Takes out what has been in the way of blocks with this key for too long.
    pub fn make_room(&self, index: usize, key: Key) -> Vec<Parked> {
        let mut room = Vec::new();
        let Some(stripe) = self.stripe(index) else { return room };
        let Some(mut state) = stripe.state.try_lock() else { return room };
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

    /// Takes everything out, and keeps it out as long as the result lives.
    pub fn flush(&self) -> (Vec<Parked>, Pressure<'_>) {
        self.pressure.fetch_add(1, Ordering::Relaxed);
        let pressure = Pressure(&self.pressure);
        let stripes = (0..STRIPES).filter_map(|index| self.stripe(index));
        let all =
            stripes.flat_map(|stripe| Self::empty(stripe, &mut stripe.state.lock())).collect();
        (all, pressure)
    }

    /// Bytes of the blocks in it.
    pub fn bytes(&self) -> usize {
        let stripes = (0..STRIPES).filter_map(|index| self.stripe(index));
        stripes.map(|stripe| stripe.bytes.load(Ordering::Relaxed)).sum()
    }

    /// What is in it and what it has given, each stripe at one moment.
    pub fn contents(&self) -> Contents {
        let mut all = Contents::default();
        for stripe in (0..STRIPES).filter_map(|index| self.stripe(index)) {
            let state = stripe.state.lock();
            all.blocks += state.lists.iter().map(|list| list.len as u64).sum::<u64>();
            all.bytes += stripe.bytes.load(Ordering::Relaxed) as u64;
            all.served_blocks += state.served.0;
            all.served_bytes += state.served.1;
        }
        all
    }

    fn empty(stripe: &Stripe, state: &mut State) -> Vec<Parked> {
        state.refused = 0;
        stripe.bytes.store(0, Ordering::Relaxed);
        state.lists.iter_mut().flat_map(List::drain).collect()
    }
}

/// See [`BlockCache::flush`].
pub struct Pressure<'a>(&'a AtomicUsize);

impl Drop for Pressure<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Default for BlockCache {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for BlockCache {
    fn drop(&mut self) {
        for place in &self.stripes {
            let stripe = place.load(Ordering::Acquire);
            if !stripe.is_null() {
                // SAFETY: made by `make_stripe`, and nobody looks.
                drop(unsafe { Box::from_raw(stripe) });
            }
        }
    }
}

#[cfg(test)]
#[path = "block_cache_tests.rs"]
mod tests;
