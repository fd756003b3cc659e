//! The pool's data beside each block in its owner's books.

use crate::algo::sync::primitives::atomic::{AtomicU32, Ordering};

/// Read and written under the lock of the block's part; atomic because other threads read the words beside it.
#[derive(Default)]
pub struct Card {
    /// Units that the block has.
    len: AtomicU32,
    /// Units that count as used.
    used: AtomicU32,
    /// Its node in the heap of its part.
    node: AtomicU32,
    /// The number of the next cached block.
    below: AtomicU32,
}

impl Card {
    /// For a new block in its place.
    #[inline]
    pub(super) fn write(&self, node: u32, len: u32, used: u32) {
        self.node.store(node, Ordering::Relaxed);
        self.len.store(len, Ordering::Relaxed);
        self.set_used(used);
    }

    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        self.len.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(super) fn used(&self) -> u32 {
        self.used.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(super) fn set_used(&self, units: u32) {
        self.used.store(units, Ordering::Relaxed);
    }

    #[inline(always)]
    pub(super) fn node(&self) -> u32 {
        self.node.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(super) fn below(&self) -> u32 {
        self.below.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(super) fn set_below(&self, number: u32) {
        self.below.store(number, Ordering::Relaxed);
    }
}
