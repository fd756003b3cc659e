//! The data that a holder of pages keeps beside each of its ranges.

use crate::sync::primitives::atomic::{AtomicU32, Ordering};

/// The data of a holder, a memory pool, beside a range. A hidden range is shown again by this data alone.
///
/// It is read and written under the holder's lock. It is atomic because other threads read the words beside it.
#[derive(Default)]
pub struct Card {
    /// The number of units that the block has.
    pub len: Word,
    /// The number of units that count as used.
    pub used: Word,
    /// The block's node in the holder's heap.
    pub node: Word,
}

/// A number.
#[derive(Default)]
pub struct Word(AtomicU32);

impl Word {
    /// Returns the number.
    #[inline(always)]
    pub fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets the number.
    #[inline(always)]
    pub fn set(&self, value: u32) {
        self.0.store(value, Ordering::Relaxed);
    }
}

impl Card {
    /// Writes the data of a new block.
    #[inline]
    pub fn write(&self, node: u32, len: u32, used: u32) {
        self.node.set(node);
        self.len.set(len);
        self.used.set(used);
    }
}
