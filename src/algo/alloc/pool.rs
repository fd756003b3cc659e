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
//! **How.** All plain memory is in one [`heap`](super::heap), in which segments that follow one another in memory are
//! one region. Blocks are cut to the lengths of few classes (`class.rs`). What is freed is hidden in its owner's
//! books. If the free has happened the block is plain: of all but long ones a few are kept where they are, by class
//! (`cache.rs`), so that who gives one again looks at nothing but its place in the books; the others merge with their
//! neighbours, as nearly all do before more memory is asked for: which keeps a pool that is steadily used within 1.3
//! times what is live. A long block, and one whose free has not happened, waits for the next allocation first: the
//! stream itself may have it back as it is. Caches of single streams were measured, and are no faster: what they have
//! is seldom what is wanted. What has not happened is sorted, by stream and length, until it does. Only when nothing
//! fits are other streams asked about, and neighbours joined that different frees have left. For a device that wants
//! memory back a free has happened when the host has seen it, whoever may use the block before that (`stamps.rs`).
//!
//! **Threads.** All methods may be called by any thread at any time. Locks are held for short, and while
//! [`Order`]'s methods run, or what enters a block in the owner's books or takes it out of them: these
//! take none but the innermost, and never call the pool. A pool begins with one *part*, and one lock. A
//! stream that often finds it locked gets a part for itself (`parts.rs`): from then on it takes segments
//! of its own, after what is free in parts that are hardly used, and of the others only what there is when
//! no more memory can be had. Blocks do not reach from part to part.

mod cache;
mod card;
#[cfg(debug_assertions)]
mod check;
mod class;
#[cfg(all(test, not(loom)))]
mod cost;
mod counts;
#[cfg(all(test, not(loom)))]
mod ledger;
mod memory;
#[cfg(all(test, not(loom)))]
mod model;
mod parts;
mod pending;
#[cfg(all(test, not(loom)))]
mod properties;
mod search;
mod segments;
mod stamps;
mod totals;

pub use card::Card;
pub use parts::PARTS;
use parts::{Checked, Parts};

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
    /// Bytes that it may have when it is given again as it is.
    pub room: usize,
    /// By which [`Pool::free`] finds it again.
    pub note: u64,
}

/// Enters what a request is given in the owner's books.
pub trait Enter<P> {
    /// What the request comes to.
    type Entered;

    /// A block, and the number of its place; 0: there are none left.
    fn new_block(self, taken: Taken, number: u32) -> Self::Entered;

    /// The block that was hidden in this place, of so many bytes now.
    fn again(self, place: P, len: usize) -> Self::Entered;
}

/// Takes a block out of its owner's sight.
pub trait Hide {
    /// False: it was taken back before.
    fn hide(self) -> bool;
}

impl<F: FnOnce() -> bool> Hide for F {
    fn hide(self) -> bool {
        self()
    }
}

/// A block that comes back.
#[derive(Clone, Copy)]
pub struct Back<P> {
    /// What [`Taken`] says.
    pub note: u64,
    /// Its place in the owner's books.
    pub place: P,
    /// The number of that.
    pub number: u32,
    /// Whether what uses it has happened, and the rules of the pool let everybody know.
    pub has_passed: bool,
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

impl Shortage {
    /// There is no host memory to keep account of another block.
    pub const OF_HOST_MEMORY: Self = Self { least: 0, better: 0 };

    /// Whether it is no memory of the pool's that is short.
    pub fn is_of_host_memory(self) -> bool {
        self.least == 0
    }
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

/// What is left of a pool whose memory was taken away.
pub struct Drained {
    /// Where it was.
    pub segments: Vec<Segment>,
    /// What its owner has kept with its blocks, that are taken and that were.
    pub kept: Vec<u32>,
}

/// The books of a pool's owner, in which each block has a place with a number.
pub trait Books: 'static {
    /// A place.
    type Place: Place;

    /// Gives numbers, several at a time, so that parts of the pool seldom ask at once. None: there are no more.
    fn supply(numbers: &mut Vec<u32>);

    /// The place with this number, which was given.
    fn place(number: u32) -> Self::Place;
}

/// A place in the owner's books.
pub trait Place: Copy {
    /// What the pool writes there. Who gives a block again that was hidden looks at nothing else.
    fn card(&self) -> &Card;

    /// Takes the block out that was hidden here.
    fn vacate(self);
}

/// A pool.
pub struct Pool<B: Books> {
    parts: Parts<B>,
}

impl<B: Books> Default for Pool<B> {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: Books> Pool<B> {
    /// A pool without memory.
    pub fn new() -> Self {
        Self { parts: Parts::new() }
    }

    /// Takes a block of at least `len` bytes, valid for what is submitted to `stream` from now on:
    /// plain memory, what the stream itself has freed, and what `order` allows of other streams'.
    /// `enter` gets it before anybody else can take or free anything around it. A number of the
    /// [books](Books) stays for blocks that come after it. Says what to add if there is none.
    pub fn alloc<E: Enter<B::Place>>(
        &self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
        enter: E,
    ) -> Result<E::Entered, Shortage> {
        let (home, mut memory) = self.parts.home(stream);
        let shortage = match memory.alloc(len, stream, order) {
            Ok(found) => return Ok(memory.given(found, enter)),
            Err(shortage) => shortage,
        };
        drop(memory);
        let find = |memory: &mut memory::Memory<B>| memory.alloc(len, stream, order).ok();
        match self.parts.find_idle(home, find) {
            Some((mut memory, found)) => Ok(memory.given(found, enter)),
            None => Err(shortage),
        }
    }

    /// As [`Self::alloc`], in the part only that the stream takes memory of first: quickly, for where
    /// [`Self::alloc`] comes next.
    #[inline(always)]
    pub fn alloc_at_home<E: Enter<B::Place>>(
        &self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
        enter: E,
    ) -> Option<E::Entered> {
        let (_, mut memory) = self.parts.home(stream);
        match memory.find_ready(len, stream, order) {
            Some((place, wanted)) => Some(memory.give_again(place, wanted, enter)),
            None => Self::alloc_cut(memory, len, stream, order, enter),
        }
    }

    /// As [`Self::alloc_at_home`], when no block is ready. Out of line, as most calls do not come here.
    #[inline(never)]
    fn alloc_cut<E: Enter<B::Place>>(
        mut memory: Checked<'_, B>,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
        enter: E,
    ) -> Option<E::Entered> {
        let (node, wanted) = memory.cut(len, stream, order).ok()?;
        Some(memory.give_cut(node, wanted, enter))
    }

    /// As [`Self::alloc`], when nothing could be added: merges all that is kept, and looks for neighbours among
    /// all pending blocks, however many there are, which `alloc` does not do each time.
    pub fn alloc_slow<E: Enter<B::Place>>(
        &self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
        enter: E,
    ) -> Option<E::Entered> {
        let find = |memory: &mut memory::Memory<B>| memory.alloc_slow(len, stream, order);
        let (mut memory, found) = self.parts.find(stream, find)?;
        Some(memory.given(found, enter))
    }

    /// As [`Self::alloc_slow`]; where that gives nothing, the free that `stream` would have to
    /// follow, if it can, to be given enough the next time.
    pub fn alloc_or_follow<E: Enter<B::Place>>(
        &self,
        len: usize,
        stream: StreamKey,
        order: &impl Order,
        enter: E,
    ) -> Result<E::Entered, Option<Freed>> {
        self.alloc_slow(len, stream, order, enter).ok_or_else(|| {
            let find = |memory: &mut memory::Memory<B>| memory.find_to_follow(len, stream, order);
            Some(self.parts.find(stream, find)?.1)
        })
    }

    /// Adds memory, for `stream` first of all. It does not overlap what the pool has.
    pub fn add_segment(&self, segment: Segment, stream: StreamKey) {
        self.parts.home(stream).1.add_segment(segment);
    }

    /// Takes back a block, unless `hide` says that it was taken back before. It runs before anybody else can
    /// have the memory, and hides the block in the owner's books, where it stays until it is taken again or
    /// vacated.
    #[inline(always)]
    pub fn free(&self, back: Back<B::Place>, freed: Freed, hide: impl Hide) -> bool {
        self.parts.of(back.note).free(back, freed, hide)
    }

    /// As [`Self::free`], of a block of `len` bytes that nothing uses any more, and that `leave` takes out of the
    /// books, where it stands in them.
    pub fn free_now(&self, note: u64, len: usize, leave: impl FnOnce() -> bool) -> bool {
        self.parts.of(note).free_now(note, len, leave)
    }

    /// The stream is gone, and all that it did has happened: nobody is asked about it any more.
    pub fn forget(&self, stream: StreamKey) {
        self.parts.all().iter_mut().for_each(|memory| memory.forget(stream));
    }

    /// Takes out segments that are entirely free, as `order` knows, while at least `keep` bytes
    /// remain. A release threshold is a `keep` at each synchronize.
    pub fn release(&self, keep: u64, order: &impl Order) -> Vec<Segment> {
        let mut all = self.parts.all();
        let mut reserved = all.iter().map(|memory| memory.counts.reserved).sum::<u64>();
        let mut released = Vec::new();
        for memory in &mut all {
            let here = memory.counts.reserved;
            let of_others = reserved - here;
            released.extend(memory.release(keep.saturating_sub(of_others), order));
            reserved = of_others + memory.counts.reserved;
        }
        released
    }

    /// As [`Self::release`], of at least so many bytes together; none if there are not so many.
    pub fn release_at_least(&self, bytes: u64, order: &impl Order) -> Vec<Segment> {
        let mut all = self.parts.all();
        let free: Vec<Vec<Segment>> =
            all.iter_mut().map(|memory| memory.free_segments(order)).collect();
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

    /// Takes out all segments, whatever is in them: the memory goes elsewhere, or with the device. No
    /// note means anything afterwards.
    pub fn drain(&self) -> Drained {
        let mut drained = Drained { segments: Vec::new(), kept: Vec::new() };
        self.parts.all().iter_mut().for_each(|memory| memory.drain(&mut drained));
        drained
    }

    /// How many blocks are taken.
    pub fn live(&self) -> usize {
        self.stats().blocks as usize
    }

    /// Gives a stream a part of its own.
    #[cfg(all(test, not(loom)))]
    fn spread(&self, stream: StreamKey) {
        self.parts.spread(stream);
    }

    /// Where the block with this note is, with what it has beyond what was asked for.
    #[cfg(test)]
    fn extent(&self, note: u64) -> (usize, usize) {
        self.parts.of(note).extent(note)
    }

    /// Which part a stream takes memory of first: one of [`PARTS`]. What is added for one stream is first of all
    /// for all of its part.
    pub fn part_of(&self, stream: StreamKey) -> usize {
        self.parts.number_of(stream)
    }

    /// Bytes in segments, without the rest of [`Self::stats`].
    pub fn reserved(&self) -> u64 {
        self.parts.reserved()
    }

    /// What it has now.
    pub fn stats(&self) -> Stats {
        self.parts.stats()
    }

    /// The most reserved bytes are counted from the current ones on.
    pub fn reset_reserved_high(&self) {
        self.parts.reset_reserved_high();
    }

    /// The most used bytes are counted from the current ones on.
    pub fn reset_used_high(&self) {
        self.parts.reset_used_high();
    }
}

#[cfg(all(test, not(loom)))]
#[path = "pool_tests.rs"]
mod tests;
