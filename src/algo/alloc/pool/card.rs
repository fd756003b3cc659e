//! The pool's data beside each block in its owner's books.

use crate::algo::sync::primitives::atomic::{AtomicU32, Ordering};

/// Read and written under the lock of the block's part; atomic because other threads read the words beside it.
#[derive(Default)]
pub struct Card {
    /// Units that the block has.
    pub(super) len: Word,
    /// Units that count as used.
    pub(super) used: Word,
    /// Its node in the heap of its part.
    pub(super) node: Word,
    /// The number of the next cached block.
    pub(super) below: Word,
}

#[derive(Default)]
pub(super) struct Word(AtomicU32);

impl Word {
    #[inline(always)]
    pub(super) fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(super) fn set(&self, value: u32) {
        self.0.store(value, Ordering::Relaxed);
    }
}

impl Card {
    /// For a new block in its place.
    #[inline]
    pub(super) fn write(&self, node: u32, len: u32, used: u32) {
        self.node.set(node);
        self.len.set(len);
        self.used.set(used);
    }
}
