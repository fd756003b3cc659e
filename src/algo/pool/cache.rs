//! Plain blocks that are kept as they are for the next request of their length, whoever makes it: not
//! merged with their neighbours, and in the owner's books where they were.
//!
//! A request is cut so that its length is the least of its bin. So all blocks of a bin are as good as each
//! other, and one look tells whether there is one. What is kept is a small part of what is in use, the
//! shorter blocks of it, and is merged before a pool grows: it costs hardly any memory.

use super::GRAIN;
use super::memory::Memory;
use super::pending::CACHED;
use crate::algo::heap::bins::Bins;

/// Longer blocks are merged at once: there are few of them, and each is much memory.
const LONGEST: u32 = (1 << 20) / GRAIN as u32;
/// This part of what is in use may be kept at most, in bytes, or so many units if that is more.
const SHARE: u64 = 16;
const ANYWAY: u64 = (2 << 20) / GRAIN as u64;

/// The blocks that are kept.
pub(super) struct Cache {
    bins: Bins,
    pub(super) blocks: usize,
    pub(super) units: u64,
}

impl Cache {
    pub(super) fn new() -> Self {
        Self { bins: Bins::new(), blocks: 0, units: 0 }
    }
}

impl Memory {
    /// Keeps a block that is plain now, if it is short enough.
    #[inline]
    pub(super) fn keep(&mut self, node: u32) {
        let len = self.heap.len_of(node);
        if len > LONGEST {
            self.merge(node);
            return;
        }
        self.heap.of_mut(node).slot = CACHED;
        self.heap.sort_into(&mut self.cache.bins, node);
        self.cache.blocks += 1;
        self.cache.units += u64::from(len);
        let most = (self.stats.used / GRAIN as u64 / SHARE).max(ANYWAY);
        if self.cache.units > most {
            self.merge_longest(most);
        }
    }

    /// A block that is kept and has at least `wanted` units, and few more.
    #[inline]
    pub(super) fn find_kept(&mut self, wanted: u32) -> Option<u32> {
        let node = self.heap.first_above(&self.cache.bins, wanted)?;
        self.uncache(node);
        Some(node)
    }

    #[inline]
    fn uncache(&mut self, node: u32) {
        self.heap.sort_out(&mut self.cache.bins, node);
        self.cache.blocks -= 1;
        self.cache.units -= u64::from(self.heap.len_of(node));
    }

    /// Keeps fewer units than `most`.
    #[cold]
    fn merge_longest(&mut self, most: u64) {
        while self.cache.units > most - most / 8
            && let Some(node) = self.heap.longest_in(&self.cache.bins)
        {
            self.uncache(node);
            self.merge(node);
        }
    }

    /// Keeps nothing; false if it kept nothing before.
    pub(super) fn merge_kept(&mut self) -> bool {
        let kept_some = self.cache.blocks != 0;
        while let Some(node) = self.heap.longest_in(&self.cache.bins) {
            self.uncache(node);
            self.merge(node);
        }
        kept_some
    }

    /// Merges a plain block that still is in its owner's books.
    fn merge(&mut self, node: u32) {
        self.vacate(node);
        self.heap.give(node);
    }
}
