//! Caches free blocks as they are for the next request of their length, by any stream. They are not merged with their
//! neighbours, and keep their places in the map.
//!
//! A request is cut to the least length of its class. So all blocks of a class are equivalent, one load shows whether
//! there is one, and a class is a stack. If that stack is empty, the next class is used. The cache is a small share of
//! the used memory, and has the shorter blocks. Nearly all of it is merged before a pool grows, and the rest when it
//! cannot grow, so it costs little memory.
//!
//! Blocks that were freed since the last allocation are *fresh*: the next allocation sorts them into the cache.

use super::class::{class_for, class_of, suits};
use super::counts::Counts;
use super::memory::{Memory, SLACK};
use super::pending::NO_STREAM;
use super::{Freed, GRAIN, Order, StreamKey};
use crate::host::grow::Grow;
use crate::map::address_map::HeldPlace;

/// The maximum number of units of a cached block. Longer blocks are merged: they are few and large.
pub(super) const LONGEST: u32 = (3 << 20) / GRAIN as u32;
/// The divisor of the used bytes that gives how many may be cached, or this number of units if that is more.
const SHARE: u64 = 9;
const ANYWAY: u64 = (2 << 20) / GRAIN as u64;
/// The divisor of the used bytes that gives how many stay cached when a pool grows. The shorter blocks stay.
const REST: u64 = 128;

const CLASSES: usize = class_of(LONGEST) + 1;

/// A cached block: the number of its place, and its free, with [`NO_STREAM`] for a stream that was destroyed.
#[derive(Clone, Copy)]
struct CachedBlock {
    number: u32,
    freed: Freed,
}

/// The cached blocks.
pub(super) struct Cache {
    /// The stacks of the classes. The one after the last class stays empty.
    classes: [Vec<CachedBlock>; CLASSES + 1],
    pub(super) units: u64,
    /// The number of units that may be cached, computed from the last known use.
    most: u64,
}

impl Cache {
    pub(super) fn new() -> Self {
        Self { classes: [const { Vec::new() }; CLASSES + 1], units: 0, most: ANYWAY }
    }

    /// Sets the number of units that may be cached, from the use.
    pub(super) fn note_used(&mut self, counts: &Counts) {
        self.most = (counts.used.units / SHARE).max(ANYWAY);
    }

    /// Returns the numbers of all cached blocks.
    #[cfg(all(debug_assertions, not(miri)))]
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.classes.iter().flatten().map(|kept| kept.number)
    }
}

/// A block that was freed since the last allocation. It is hidden in the map.
#[derive(Clone, Copy)]
pub(super) struct Fresh {
    /// The number of its place in the map.
    pub(super) number: u32,
    /// The number of its units, and that of its request.
    pub(super) len: u32,
    pub(super) used: u32,
    pub(super) freed: Freed,
    /// The value of [`Back::has_passed`](super::Back).
    pub(super) has_passed: bool,
}

impl Fresh {
    /// Whether the block fits a request of the stream that has freed it.
    fn is_snug(&self, wanted: u32, stream: StreamKey) -> bool {
        self.used.wrapping_sub(wanted) <= wanted / SLACK && self.freed.stream == stream && suits(self.len, wanted)
    }
}

impl Memory {
    /// Caches a free block of `len` units, which are at most [`LONGEST`].
    #[inline(always)]
    pub(super) fn keep(&mut self, number: u32, len: u32, freed: Freed) {
        let class = &mut self.cache.classes[class_of(len)];
        if class.make_room(1).is_err() {
            return self.merge(self.place(number));
        }
        class.push(CachedBlock { number, freed });
        self.cache.units += u64::from(len);
        if self.cache.units > self.cache.most {
            self.merge_longest();
        }
    }

    /// Removes and returns the place of a cached block with at least `wanted` units, and few more.
    #[inline(always)]
    pub(super) fn find_kept(&mut self, wanted: u32) -> Option<HeldPlace<'static>> {
        let class = class_for(wanted);
        let is_empty = self.cache.classes[..CLASSES].get(class)?.is_empty();
        // The addition avoids a branch, which would be mispredicted because the result is nearly random.
        self.pop(class + usize::from(is_empty))
    }

    #[inline(always)]
    fn pop(&mut self, class: usize) -> Option<HeldPlace<'static>> {
        let CachedBlock { number, .. } = self.cache.classes.get_mut(class)?.pop()?;
        let place = self.place(number);
        self.cache.units -= u64::from(place.card().len.get());
        Some(place)
    }

    /// Merges the longest cached blocks until no more units are cached than may be.
    #[cold]
    #[inline(never)]
    fn merge_longest(&mut self) {
        self.cache.note_used(&self.counts);
        if self.cache.units > self.cache.most {
            self.merge_down_to(self.cache.most - self.cache.most / 8);
        }
    }

    /// Reduces the cache to what a growing pool keeps. Returns false if it was not larger.
    pub(super) fn merge_most(&mut self) -> bool {
        let rest = self.counts.used.units / REST;
        let kept_more = self.cache.units > rest;
        self.merge_down_to(rest);
        kept_more
    }

    /// Empties the cache: merges blocks whose frees the host has seen, as `order` knows, and makes the others pending.
    /// Every stream may use a cached block, but it counts as in use until then when memory is released to the device.
    pub(super) fn flush_cache(&mut self, order: &impl Order) {
        self.cache.units = 0;
        for class in 0..CLASSES {
            for CachedBlock { number, freed } in std::mem::take(&mut self.cache.classes[class]) {
                let place = self.place(number);
                if freed.stream != NO_STREAM && order.passed(freed.stream).is_none_or(|passed| passed < freed.position)
                {
                    self.make_pending(place, freed);
                } else {
                    self.merge(place);
                }
            }
        }
    }

    /// Forgets, in the cache, a stream that is destroyed and whose work is complete.
    pub(super) fn forget_in_cache(&mut self, stream: StreamKey) {
        let of_stream = |kept: &&mut CachedBlock| kept.freed.stream == stream;
        self.cache.classes.iter_mut().flatten().filter(of_stream).for_each(|kept| kept.freed.stream = NO_STREAM);
    }

    /// Merges long blocks until at most `units` units are cached.
    pub(super) fn merge_down_to(&mut self, units: u64) {
        for class in (0..CLASSES).rev() {
            while self.cache.units > units
                && let Some(place) = self.pop(class)
            {
                self.merge(place);
            }
        }
    }

    /// Merges a free block that is still in the map.
    #[inline(never)]
    pub(super) fn merge(&mut self, place: HeldPlace<'static>) {
        let node = place.card().node.get();
        place.vacate();
        self.heap.free(node);
    }

    /// Returns a block that the stream itself has just freed, if it fits: a program that frees and allocates in turn
    /// gets its block back at once. If none fits, sorts all fresh blocks.
    #[inline(never)]
    pub(super) fn find_fresh(
        &mut self,
        wanted: u32,
        stream: StreamKey,
        order: &impl Order,
    ) -> Option<HeldPlace<'static>> {
        // Mostly this is the only block.
        if let [fresh] = *self.fresh {
            self.fresh.clear();
            if fresh.is_snug(wanted, stream) {
                return Some(self.place(fresh.number));
            }
            self.sort(fresh, || order.passed(fresh.freed.stream));
            return None;
        }
        match self.fresh.iter().rposition(|fresh| fresh.is_snug(wanted, stream)) {
            // The others stay in order, because the frees of a stream are ordered.
            Some(at) => {
                let fresh = self.fresh.remove(at);
                Some(self.place(fresh.number))
            }
            None => {
                self.sort_fresh(order);
                None
            }
        }
    }

    /// Sorts the fresh blocks: blocks with complete frees are cached, the others are pending.
    pub(super) fn sort_fresh(&mut self, order: &impl Order) {
        // Mostly all of them belong to one stream.
        let mut asked = None;
        for i in 0..self.fresh.len() {
            let fresh = self.fresh[i];
            let stream = fresh.freed.stream;
            self.sort(fresh, || match asked {
                Some((other, position)) if stream == other => position,
                _ => asked.insert((stream, order.passed(stream))).1,
            });
        }
        self.fresh.clear();
    }

    /// Sorts a block. `passed` returns the position that its stream has passed.
    #[inline(always)]
    fn sort(&mut self, fresh: Fresh, passed: impl FnOnce() -> Option<u64>) {
        let Fresh { number, freed, has_passed, .. } = fresh;
        let place = self.place(number);
        if !has_passed && passed().is_none_or(|position| position < freed.position) {
            return self.make_pending(place, freed);
        }
        match place.card().len.get() {
            len if len <= LONGEST => self.keep(number, len, freed),
            _ => self.merge(place),
        }
    }

    /// Makes all fresh blocks pending, complete or not.
    pub(super) fn make_fresh_pending(&mut self) {
        for i in 0..self.fresh.len() {
            let fresh = self.fresh[i];
            self.make_pending(self.place(fresh.number), fresh.freed);
        }
        self.fresh.clear();
    }
}
