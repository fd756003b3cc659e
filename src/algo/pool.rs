//! The free and the taken parts of a stream-ordered memory pool.
//!
//! Pure bookkeeping of addresses; the memory itself is never touched. A pool has *segments*, ranges
//! of addresses that its owner got from a device and adds when [`Pool::alloc`] asks for more. What a
//! stream frees is *pending*: the stream may have it back at once, because what it does with it comes
//! behind what it did before; others only as far as [`Order`] allows. What has happened becomes
//! *plain* free memory, for everybody.
//!
//! **Positions** count what was submitted to a stream. A free has the position of the last operation
//! that was submitted before it, or one of its own: it has happened when the stream has got that far.
//! Where threads bring the frees of a stream in another order, the earlier one counts as the later.
//!
//! **How.** All plain memory is in one [`heap`](super::heap), in which segments that follow one another
//! in memory are one region. A freed block waits for the next allocation, which sees whether the free
//! has happened: then it merges with its neighbours at once, which keeps a pool that is steadily used
//! within 1.2 times what is live. Caching blocks of each stream for longer was measured, also with their
//! entries in the address map: a steady state takes 13 per cent less time on one stream and 18 more on
//! eight, and 1.26 instead of 1.19 times the memory. What has not happened is sorted, by stream and length, until it does. Only when nothing
//! fits are other streams asked about, and neighbours joined that different frees have left.
//!
//! All methods may be called by any thread at any time. Locks are held for short and while
//! [`Order`]'s methods run, which therefore take none but the innermost, and never call the pool.

#[cfg(debug_assertions)]
mod check;
#[cfg(all(test, not(loom)))]
mod cost;
mod memory;
#[cfg(all(test, not(loom)))]
mod model;
mod pending;
#[cfg(all(test, not(loom)))]
mod properties;
mod search;
mod segments;

use std::ops::{Deref, DerefMut};

use super::spin_lock::{Guard, SpinLock};
use memory::Memory;

/// Blocks start at multiples of this and are counted as multiples of it.
pub const GRAIN: usize = 512;
/// Segments start at multiples of this and have multiples of it.
pub const GRANULE: usize = 2 << 20;

/// Bytes that a block, or a segment, has at most.
pub const MOST: usize = 1 << 40;

/// Names a stream. No two streams of a pool's life have the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamKey(pub u64);

/// What is known about other streams at this moment. Asked only about streams that have freed
/// something in the pool and were not forgotten since ([`Pool::forget`]). The answers decide what is
/// reused: where the rules of a pool forbid something, they leave it out.
pub trait Order {
    /// Up to which position it is known that `stream` has got: what it has freed up to there becomes
    /// free for everybody, for good. What a synchronize has seen counts always; where opportunistic
    /// reuse is allowed, the stream's present position does. None: nothing is known.
    fn passed(&self, stream: StreamKey) -> Option<u64>;

    /// Up to which position of `stream` the allocating stream's next operation comes behind it, by
    /// events and waits. None: it does not, or that must not be used.
    fn followed(&self, stream: StreamKey) -> Option<u64>;

    /// Whether the allocating stream can be made to wait for what `stream` has been given.
    fn can_follow(&self, stream: StreamKey) -> bool;
}

/// Memory from a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First byte; a multiple of [`GRANULE`].
    pub addr: usize,
    /// Bytes; a multiple of [`GRANULE`].
    pub len: usize,
    /// Whatever its owner wants to know when it comes back.
    pub token: u64,
}

/// A block that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// First byte; a multiple of [`GRAIN`].
    pub addr: usize,
    /// Bytes: what was asked for, rounded up to a multiple of [`GRAIN`]. That many count as used.
    pub len: usize,
    /// By which [`Pool::free`] finds it again.
    pub note: u32,
}

/// A free that a stream has to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freed {
    /// Where the memory was freed.
    pub stream: StreamKey,
    /// What that stream has to get to.
    pub position: u64,
}

/// No memory that may be used now is large enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// Bytes that the next segment has to have at least. [`usize::MAX`]: none can do, because the
    /// request was for more than [`MOST`].
    pub least: usize,
    /// Bytes that it had better have.
    pub better: usize,
}

/// What a pool has, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// In segments.
    pub reserved: u64,
    /// The most of them since the last reset.
    pub reserved_high: u64,
    /// In blocks that are taken. A block that was freed does not count from the call on.
    pub used: u64,
    /// The most of them since the last reset.
    pub used_high: u64,
    /// Bytes of all blocks that were ever taken.
    pub taken: u64,
    /// Their number.
    pub blocks_taken: u64,
    /// Blocks that are taken now.
    pub blocks: u64,
    /// The most of them since the last reset.
    pub blocks_high: u64,
}

/// A pool.
pub struct Pool {
    memory: SpinLock<Memory>,
}

impl Pool {
    /// A pool without memory.
    #[expect(clippy::new_without_default, reason = "as its siblings")]
    pub fn new() -> Self {
        Self { memory: SpinLock::new(Memory::new()) }
    }

    #[inline]
    fn memory(&self) -> Checked<'_> {
        Checked(self.memory.lock())
    }

    /// Takes a block of at least `len` bytes, valid for what is submitted to `stream` from now on:
    /// plain memory, what the stream itself has freed, and what `order` allows of other streams'.
    /// Says what to add if there is none.
    pub fn alloc(
        &self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
    ) -> Result<Taken, Shortage> {
        self.memory().alloc(len, stream, order)
    }

    /// As [`Self::alloc`], when nothing could be added: looks for neighbours among all pending blocks,
    /// however many there are, which `alloc` does not do each time.
    pub fn alloc_thoroughly(
        &self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
    ) -> Option<Taken> {
        self.memory().alloc_thoroughly(len, stream, order)
    }

    /// As [`Self::alloc_thoroughly`]; where that gives nothing, the free that `stream` would have to
    /// follow, if it can, to be given enough the next time.
    pub fn alloc_or_follow(
        &self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
    ) -> Result<Taken, Option<Freed>> {
        self.memory().alloc_or_follow(len, stream, order)
    }

    /// Adds memory. It does not overlap what the pool has.
    pub fn add_segment(&self, segment: Segment) {
        self.memory().add_segment(segment);
    }

    /// Takes back the block with this note, which `stream` uses up to `position`.
    pub fn free(&self, note: u32, stream: StreamKey, position: u64) {
        self.memory().free(note, Some(Freed { stream, position }));
    }

    /// Takes back the block with this note, which nothing uses any more.
    pub fn free_now(&self, note: u32) {
        self.memory().free(note, None);
    }

    /// The stream is gone, and all that it did has happened: nobody is asked about it any more.
    pub fn forget(&self, stream: StreamKey) {
        self.memory().forget(stream);
    }

    /// Takes out segments that are entirely free, as `order` knows, while at least `keep` bytes
    /// remain. A release threshold is a `keep` at each synchronize.
    pub fn release(&self, keep: u64, order: &impl Order) -> Vec<Segment> {
        self.memory().release(keep, order)
    }

    /// Takes out all segments, whatever is in them: the memory goes elsewhere, or with the device. No
    /// note means anything afterwards.
    pub fn drain(&self) -> Vec<Segment> {
        self.memory().drain()
    }

    /// How many blocks are taken.
    pub fn live(&self) -> usize {
        self.memory().live()
    }

    /// Where the block with this note is, with what it has beyond what was asked for.
    #[cfg(test)]
    fn extent(&self, note: u32) -> (usize, usize) {
        self.memory().extent(note)
    }

    /// What it has now.
    pub fn stats(&self) -> Stats {
        self.memory().stats()
    }

    /// The most reserved bytes are counted from the current ones on.
    pub fn reset_reserved_high(&self) {
        self.memory().reset_reserved_high();
    }

    /// The most used bytes are counted from the current ones on.
    pub fn reset_used_high(&self) {
        self.memory().reset_used_high();
    }
}

/// A pool's memory for one step, after which debug builds look whether all is well.
struct Checked<'a>(Guard<'a, Memory>);

impl Deref for Checked<'_> {
    type Target = Memory;

    #[inline]
    fn deref(&self) -> &Memory {
        &self.0
    }
}

impl DerefMut for Checked<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Memory {
        &mut self.0
    }
}

#[cfg(debug_assertions)]
impl Drop for Checked<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.0.check();
        }
    }
}

#[cfg(all(test, not(loom)))]
#[path = "pool_tests.rs"]
mod tests;
