//! The books of a pool's owner, in which it finds the blocks that it has allocated.

use crate::sync::primitives::atomic::{AtomicU32, Ordering};

/// A block that was allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The address of the first byte, a multiple of [`GRAIN`](super::GRAIN).
    pub addr: usize,
    /// The request in bytes, rounded up to a multiple of [`GRAIN`](super::GRAIN). All of them count as used.
    pub len: usize,
    /// The number of bytes that the block may have when it is allocated again as it is.
    pub room: usize,
    /// The number by which [`Pool::free`](super::Pool::free) finds the block.
    pub note: u64,
}

/// Enters an allocated block in the owner's books.
pub trait Enter<P> {
    /// The result of entering.
    type Entered;

    /// Enters a new block. `number` is the number of its place, or 0 if no places are left.
    fn new_block(self, taken: Taken, number: u32) -> Self::Entered;

    /// Enters the hidden block in this place, which has `len` bytes now.
    fn again(self, place: P, len: usize) -> Self::Entered;
}

/// A block to free.
#[derive(Clone, Copy)]
pub struct Back<P> {
    /// The note in [`Taken`].
    pub note: u64,
    /// The block's place in the owner's books.
    pub place: P,
    /// The number of that place.
    pub number: u32,
    /// Whether all uses of the block are complete, and the rules of the pool let every stream know that.
    pub has_passed: bool,
}

/// The books of a pool's owner, in which each block has a place with a number.
pub trait Books: 'static {
    /// The type of a place.
    type Place: Place;

    /// Adds numbers, several at a time, so that parts of the pool rarely need more at once. Adds none if no more are
    /// left.
    fn supply(numbers: &mut Vec<u32>);

    /// Returns the place with this number.
    fn place(number: u32) -> Self::Place;
}

/// A place in the owner's books.
pub trait Place: Copy {
    /// Returns the pool's data in this place. Allocating a hidden block again reads nothing else.
    fn card(&self) -> &Card;

    /// Removes the block that was hidden here.
    fn vacate(self);
}

/// The pool's data beside each block in its owner's books.
///
/// It is read and written under the lock of the block's part. It is atomic because other threads read the words beside
/// it.
#[derive(Default)]
pub struct Card {
    /// The number of units that the block has.
    pub(super) len: Word,
    /// The number of units that count as used.
    pub(super) used: Word,
    /// The block's node in the heap of its part.
    pub(super) node: Word,
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
    /// Writes the data of a new block in its place.
    #[inline]
    pub(super) fn write(&self, node: u32, len: u32, used: u32) {
        self.node.set(node);
        self.len.set(len);
        self.used.set(used);
    }
}
