//! The free and taken blocks of a stream-ordered memory pool.
//!
//! This is bookkeeping of addresses only, in which each block is a range of an [address map](crate::map::address_map):
//! the memory itself is never accessed. A pool has *segments*: ranges of addresses that its owner got from a device,
//! and adds when [`Pool::alloc`] requests more. What a stream frees is *pending*. The stream itself may reuse it at
//! once, because its later work is ordered after its earlier work; other streams may reuse it only as far as [`Order`]
//! allows. When the free is complete, the memory is *free* for every stream.
//!
//! **Positions** count what was submitted to a stream. A free has the position of the last operation that was submitted
//! before it, or of a separate operation. It is complete when the stream has reached that position. If threads report
//! the frees of a stream in another order, the earlier one counts as the later.
//!
//! **Structure.** All free memory is in one [`heap`](super::heap), in which adjacent segments are one region. Blocks
//! are cut to the lengths of few classes (`class.rs`). A freed block is hidden in its place in the map. If its free is
//! complete, it is free. A few free blocks that are not long are cached where they are, by class (`cache.rs`), so that
//! allocating one again reads only its place in the map. The other free blocks are merged with their neighbours.
//! Nearly all blocks are merged before the pool grows, which keeps a steadily used pool within 1.3 times its live
//! memory. A long block, and one whose free is not complete, first waits for the next allocation: the stream itself may
//! reuse it as it is. Caches for each stream were measured, and are not faster, because they rarely contain what is
//! requested. Incomplete frees are sorted, by stream and length, until they complete. Only if nothing fits, other
//! streams are queried, and neighbours of different frees are joined. Memory is released to the device only after the
//! host has seen its free complete, whichever stream may reuse it before that (`cache.rs`).
//!
//! **Threads.** Any thread may call any method at any time. Locks are held briefly. They are also held while
//! [`Order`]'s methods run, or callbacks that hide blocks in the map: these take only innermost locks, and never call
//! the pool. A pool begins with one *part*, and one lock. A stream that often finds it locked gets a private part
//! (`parts.rs`), and from then on takes separate segments. Once its part has some, it first takes free memory of parts
//! that are hardly used, and that no thread uses at that moment. It takes memory of other parts only when no more is
//! available. Blocks do not cross parts.

mod cache;
#[cfg(all(debug_assertions, not(miri)))]
mod check;
mod class;
mod counts;
mod memory;
mod parts;
mod pending;
mod search;
mod segments;

pub use parts::{PARTS, Pool};

use crate::map::address_map::HeldPlace;
use crate::sync::spin_lock::Guard;

/// The unit in bytes of blocks: they start at multiples of it, and their length is counted in it.
pub const GRAIN: usize = 512;
/// The unit in bytes of segments: their start and their length are multiples of it.
pub const GRANULE: usize = 2 << 20;

/// The maximum number of bytes of a block or a segment.
pub const MOST: usize = 1 << 40;

/// Names a stream. A pool never sees two streams with the same key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamKey(pub u64);

/// What is known about other streams at this moment. The methods are called only for streams that have freed memory in
/// the pool and were not forgotten since ([`Pool::forget`]). The results decide which memory is reused: an
/// implementation leaves out what the rules of its pool forbid.
pub trait Order {
    /// Returns the position up to which `stream` is known to be complete, or `None` if nothing is known. From then on,
    /// what it has freed up to there is free for all streams. The position includes what a synchronize has seen and,
    /// with opportunistic reuse, the stream's current position.
    fn passed(&self, stream: StreamKey) -> Option<u64>;

    /// Returns the position of `stream` that the allocating stream's next operation is ordered after, by events and
    /// waits. Returns `None` if there is none, or the pool may not use it.
    fn followed(&self, stream: StreamKey) -> Option<u64>;

    /// Whether the allocating stream can be made to wait for the work of `stream`.
    fn can_follow(&self, stream: StreamKey) -> bool;
}

/// Memory from a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The address of the first byte, a multiple of [`GRANULE`].
    pub addr: usize,
    /// The number of bytes, a multiple of [`GRANULE`].
    pub len: usize,
    /// A word for the owner, which is returned when the segment is released.
    pub token: u64,
}

/// A free that a stream has to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freed {
    /// The stream that freed the memory.
    pub stream: StreamKey,
    /// The position that the stream must reach.
    pub position: u64,
}

/// The failure of an allocation: no memory that may be used now is large enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// The least number of bytes of the next segment. [`usize::MAX`]: no segment is long enough, because the request
    /// was for more than [`MOST`].
    pub least: usize,
    /// The preferred number of bytes.
    pub better: usize,
}

impl Shortage {
    /// The shortage of host memory for the bookkeeping of another block.
    pub const OF_HOST_MEMORY: Self = Self { least: 0, better: 0 };

    /// Whether host memory is short, and not the pool's memory.
    pub fn is_of_host_memory(self) -> bool {
        self.least == 0
    }
}

/// The statistics of a pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The number of bytes in segments.
    pub reserved: u64,
    /// The peak of `reserved` since the last reset.
    pub reserved_high: u64,
    /// The number of bytes in taken blocks. A freed block does not count from the call on.
    pub used: u64,
    /// The peak of `used` since the last reset.
    pub used_high: u64,
    /// The number of bytes of all blocks that were ever taken.
    pub taken: u64,
    /// The number of blocks that were ever taken.
    pub blocks_taken: u64,
    /// The number of blocks that are taken now.
    pub blocks: u64,
    /// The peak of `blocks` since the last reset.
    pub blocks_high: u64,
}

/// A block to free.
#[derive(Clone, Copy)]
pub struct Back {
    /// The third word of its range in the map.
    pub note: u64,
    /// Its place in the map.
    pub place: HeldPlace<'static>,
    /// Whether all uses of the block are complete, and the rules of the pool let every stream know that.
    pub has_passed: bool,
}

impl Pool {
    /// Allocates a block of at least `len` bytes, valid for what is submitted to `stream` from now on. It is free
    /// memory, memory that the stream itself has freed, or other streams' memory as far as `order` allows. The block is
    /// in the map before any other thread can change the memory around it. On failure returns the segment to add.
    pub fn alloc(&self, len: usize, stream: StreamKey, order: &impl Order) -> Result<usize, Shortage> {
        let (home, mut memory) = self.home(stream);
        let shortage = match memory.alloc(len, stream, order) {
            Ok(addr) => return Ok(addr),
            Err(shortage) => shortage,
        };
        let is_empty = memory.counts.reserved == 0;
        drop(memory);
        self.find_idle(stream, (home, is_empty), |memory| memory.alloc(len, stream, order).ok()).ok_or(shortage)
    }

    /// Allocates as [`Self::alloc`] does, but only in the stream's home part, and not after
    /// [`Self::end_quick_requests`]. This is fast; the caller tries [`Self::alloc`] next.
    #[inline(always)]
    pub fn alloc_at_home(&self, len: usize, stream: StreamKey, order: &impl Order) -> Option<usize> {
        let (_, mut memory) = self.home(stream);
        if !self.serves_quick_requests() {
            return None;
        }
        match memory.take_ready(len, stream, order) {
            Some(addr) => Some(addr),
            None => Self::cut_at_home(memory, len, stream, order),
        }
    }

    /// Allocates as [`Self::alloc_at_home`] does, if no cached block fits. It is not inlined, because most calls do not
    /// need it.
    #[inline(never)]
    fn cut_at_home(
        mut memory: Guard<'_, memory::Memory>,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
    ) -> Option<usize> {
        memory.cut(len, stream, order).ok()
    }

    /// Allocates as [`Self::alloc`] does, if no segment could be added. Merges all cached blocks, and searches all
    /// pending blocks for neighbours, which `alloc` does not do each time.
    pub fn alloc_slow(&self, len: usize, stream: StreamKey, order: &impl Order) -> Option<usize> {
        self.find(stream, |memory| memory.alloc_slow(len, stream, order))
    }

    /// Allocates as [`Self::alloc_slow`] does. On failure returns the free that `stream` would have to wait for so that
    /// the next call succeeds, if it can wait for it.
    pub fn alloc_or_follow(&self, len: usize, stream: StreamKey, order: &impl Order) -> Result<usize, Option<Freed>> {
        self.alloc_slow(len, stream, order)
            .ok_or_else(|| self.find(stream, |memory| memory.find_to_follow(len, stream, order)))
    }

    /// Adds memory in the home part of `stream`. The caller holds its pages of the map, which the pool releases with
    /// the segment. It does not overlap the pool's memory.
    pub fn add_segment(&self, segment: Segment, stream: StreamKey) {
        self.home(stream).1.add_segment(segment);
    }

    /// Frees a block, unless `hide` returns that it was freed before. `hide` runs before any thread can allocate the
    /// memory, and hides the block in its place in the map, which it keeps until it is merged with its neighbours.
    #[inline(always)]
    pub fn free(&self, back: Back, freed: Freed, hide: impl FnOnce() -> bool) -> bool {
        self.of(back.note).free(back, freed, hide)
    }

    /// Frees as [`Self::free`] does, for a block of `len` bytes that nothing uses any more. `leave` removes it from the
    /// map.
    pub fn free_now(&self, note: u64, len: usize, leave: impl FnOnce() -> bool) -> bool {
        self.of(note).free_now(note, len, leave)
    }

    /// Forgets a stream that is destroyed and whose work is complete: [`Order`] is not called for it any more.
    pub fn forget(&self, stream: StreamKey) {
        self.all().iter_mut().for_each(|memory| memory.forget(stream));
    }

    /// Removes segments that are entirely free, as far as `order` knows, while at least `keep` bytes remain. A release
    /// threshold is a call with that `keep` at each synchronize.
    pub fn release(&self, keep: u64, order: &impl Order) -> Vec<Segment> {
        let mut all = self.all();
        let mut reserved = all.iter().map(|memory| memory.counts.reserved).sum::<u64>();
        let mut released = Vec::new();
        for memory in &mut all {
            if reserved <= keep {
                break;
            }
            for segment in memory.free_segments(order) {
                let left = reserved - segment.len as u64;
                if left >= keep {
                    memory.remove_segment(segment);
                    released.push(segment);
                    reserved = left;
                }
            }
        }
        released
    }

    /// Removes segments as [`Self::release`] does, at least this many bytes in total, or none if there are fewer.
    pub fn release_at_least(&self, bytes: u64, order: &impl Order) -> Vec<Segment> {
        let mut all = self.all();
        let free: Vec<Vec<Segment>> = all.iter_mut().map(|memory| memory.free_segments(order)).collect();
        let sum = |segments: &[Segment]| segments.iter().map(|it| it.len as u64).sum::<u64>();
        let mut released = Vec::new();
        if free.iter().map(|segments| sum(segments)).sum::<u64>() < bytes {
            return released;
        }
        for (memory, segments) in all.iter_mut().zip(free) {
            for segment in segments {
                if sum(&released) < bytes {
                    memory.remove_segment(segment);
                    released.push(segment);
                }
            }
        }
        released
    }

    /// Removes all segments with their blocks, also from the map, because the memory is released. Notes are invalid
    /// afterwards.
    pub fn drain(&self) -> Vec<Segment> {
        self.all().iter_mut().flat_map(|memory| memory.drain()).collect()
    }

    /// Returns the address of the block with this note, and its bytes beyond the request.
    #[cfg(all(test, not(loom)))]
    fn extent(&self, note: u64) -> (usize, usize) {
        self.of(note).extent(note)
    }

    /// Returns the current statistics.
    pub fn stats(&self) -> Stats {
        let all = self.all();
        let mut stats = Stats::default();
        all.iter().for_each(|memory| memory.counts.add_to(&mut stats));
        stats
    }

    /// Resets the peak of reserved bytes.
    pub fn reset_reserved_high(&self) {
        self.all().iter_mut().for_each(|memory| memory.counts.reset_reserved_high());
    }

    /// Resets the peak of used bytes.
    pub fn reset_used_high(&self) {
        self.all().iter_mut().for_each(|memory| memory.counts.reset_used_high());
    }
}

#[cfg(all(test, not(loom)))]
#[path = "pool_tests/cost.rs"]
mod cost;
#[cfg(all(test, not(loom)))]
#[path = "pool_tests/ledger.rs"]
mod ledger;
#[cfg(all(test, not(loom)))]
#[path = "pool_tests/model.rs"]
mod model;
#[cfg(all(test, not(loom)))]
#[path = "pool_tests/properties.rs"]
mod properties;
#[cfg(all(test, not(loom)))]
#[path = "pool_tests.rs"]
mod tests;
