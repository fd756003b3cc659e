//! The books of a pool's owner, in which it finds the blocks that it has allocated.

use crate::algo::sync::primitives::atomic::{AtomicU32, Ordering};

/// A block that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// First byte; a multiple of [`GRAIN`](super::GRAIN).
    pub addr: usize,
    /// Bytes: the request rounded up to a multiple of [`GRAIN`](super::GRAIN). All of them count as used.
    pub len: usize,
    /// Bytes that it may have when it is allocated again as it is.
    pub room: usize,
    /// By which [`Pool::free`](super::Pool::free) finds it.
    pub note: u64,
}

/// Enters an allocated block in the owner's books.
pub trait Enter<P> {
    /// The result.
    type Entered;

    /// A new block, and the number of its place; 0: no places are left.
    fn new_block(self, taken: Taken, number: u32) -> Self::Entered;

    /// The hidden block in this place, which has `len` bytes now.
    fn again(self, place: P, len: usize) -> Self::Entered;
}

/// A block to free.
#[derive(Clone, Copy)]
pub struct Back<P> {
    /// What [`Taken`] says.
    pub note: u64,
    /// Its place in the owner's books.
    pub place: P,
    /// The number of that.
    pub number: u32,
    /// Whether all its uses are complete, and the rules of the pool let every stream know.
    pub has_passed: bool,
}

/// The books of a pool's owner, in which each block has a place with a number.
pub trait Books: 'static {
    /// A place.
    type Place: Place;

    /// Adds numbers, several at a time, so that parts of the pool rarely need more at once. None if no more are left.
    fn supply(numbers: &mut Vec<u32>);

    /// The place with this number.
    fn place(number: u32) -> Self::Place;
}

/// A place in the owner's books.
pub trait Place: Copy {
    /// The pool's data there. Allocating a hidden block again reads nothing else.
    fn card(&self) -> &Card;

    /// Removes the block that was hidden here.
    fn vacate(self);
}

/// The pool's data beside each block in its owner's books.
///
/// Read and written under the lock of the block's part; atomic because other threads read the words beside it.
#[derive(Default)]
pub struct Card {
    /// Units that the block has.
    pub(super) len: Word,
    /// Units that count as used.
    pub(super) used: Word,
    /// Its node in the heap of its part.
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
    /// For a new block in its place.
    #[inline]
    pub(super) fn write(&self, node: u32, len: u32, used: u32) {
        self.node.set(node);
        self.len.set(len);
        self.used.set(used);
    }
}
