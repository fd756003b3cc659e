//! Plain blocks that are kept as they are for the next request of their length, whoever makes it: not
//! merged with their neighbours, and in the owner's books where they were.
//!
//! A request is cut so that its length is the least of its bin. So all blocks of a bin are as good as each
//! other, one look tells whether there is one, and a bin is a stack. What is kept is a small part of what is
//! in use, the shorter blocks of it, and is merged before a pool grows: it costs hardly any memory.

use super::GRAIN;
use super::memory::Memory;
use super::pending::{CACHED, NONE};
use crate::algo::heap::bins::{bin_above, bin_of};

/// Longer blocks are merged at once: there are few of them, and each is much memory.
const LONGEST: u32 = (1 << 20) / GRAIN as u32;
/// This part of what is in use may be kept at most, in bytes, or so many units if that is more.
const SHARE: u64 = 16;
const ANYWAY: u64 = (2 << 20) / GRAIN as u64;

const BINS: usize = bin_of(LONGEST) + 1;

/// The blocks that are kept.
pub(super) struct Cache {
    /// The last one of each bin. The one before is its older one.
    tops: [u32; BINS],
    pub(super) units: u64,
}

impl Cache {
    pub(super) fn new() -> Self {
        Self { tops: [NONE; BINS], units: 0 }
    }
}

impl Memory {
    /// Keeps a block that is plain now, if it is short enough.
    #[inline(always)]
    pub(super) fn keep(&mut self, node: u32) {
        let len = self.heap.len_of(node);
        if len > LONGEST {
            self.merge(node);
            return;
        }
        let bin = bin_of(len);
        let of = self.heap.of_mut(node);
        (of.slot, of.older) = (CACHED, std::mem::replace(&mut self.cache.tops[bin], node));
        self.cache.units += u64::from(len);
        if self.cache.units > ANYWAY && self.cache.units > self.counts.used().units / SHARE {
            self.merge_longest();
        }
    }

    /// A block that is kept and has at least `wanted` units, and few more.
    #[inline(always)]
    pub(super) fn find_kept(&mut self, wanted: u32) -> Option<u32> {
        self.pop(bin_above(wanted))
    }

    #[inline(always)]
    fn pop(&mut self, bin: usize) -> Option<u32> {
        let top = self.cache.tops.get_mut(bin).filter(|top| **top != NONE)?;
        let node = *top;
        *top = self.heap.of(node).older;
        self.cache.units -= u64::from(self.heap.len_of(node));
        Some(node)
    }

    /// Keeps fewer units than it may.
    #[cold]
    #[inline(never)]
    fn merge_longest(&mut self) {
        let most = (self.counts.used().units / SHARE).max(ANYWAY);
        self.merge_down_to(most - most / 8);
    }

    /// Keeps nothing; false if it kept nothing before.
    pub(super) fn merge_kept(&mut self) -> bool {
        let kept_some = self.cache.units != 0;
        self.merge_down_to(0);
        kept_some
    }

    /// Keeps no more than so many units, the shorter ones.
    fn merge_down_to(&mut self, units: u64) {
        for bin in (0..BINS).rev() {
            while self.cache.units > units
                && let Some(node) = self.pop(bin)
            {
                self.merge(node);
            }
        }
    }

    /// Merges a plain block that still is in its owner's books.
    #[inline(never)]
    fn merge(&mut self, node: u32) {
        self.vacate(node);
        self.heap.give(node);
    }
}
