//! Pools of the core, for backends whose driver has none: the bookkeeping of [`algo::alloc::pool`] over ordinary
//! blocks.
//!
//! [`algo::alloc::pool`]: crate::algo::alloc::pool
//!
//! Pending work of a stream may outlive its device, and so may the stream's lane. A segment is freed without regard to
//! pending work, because the backend keeps freed blocks that pending work uses.

mod growth;
mod known;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

pub use self::growth::{Answer, Source};
use self::known::{Known, Rules, Switches};
use crate::algo::alloc::pool::{Back, Freed, GRANULE, PARTS, Pool, Segment, Stats, StreamKey};
use crate::backend::{self, Block, Fault, FaultKind, PoolAttribute, PoolChange, Position, SharedMemory};
use crate::base::error::{Code, Error, error_with};
use crate::base::release_failure;
use crate::memory::allocation::{ALLOCATIONS, Allocation, PoolMemory, PoolTag};
use crate::order::Lane;

/// Whether some pool has set `CorePool::is_idle`.
static SOME_ARE_IDLE: AtomicBool = AtomicBool::new(false);

/// Whether a fault means that memory is exhausted.
pub fn is_shortage(fault: &Fault) -> bool {
    matches!(fault.kind(), FaultKind::OutOfDeviceMemory | FaultKind::OutOfHostMemory)
}

/// A pool of the core.
pub struct CorePool {
    pool: Pool,
    source: Source,
    /// The source of memory that other processes can import.
    pub(super) shared: Option<Arc<dyn SharedMemory>>,
    /// The device, if it tracks the blocks that pools allocate from its memory.
    pub(super) noted: Option<Arc<dyn backend::Device>>,
    /// True if one of the two above is set: frees are reported to it.
    is_watched: bool,
    /// Maximum number of bytes of the pool, a multiple of [`GRANULE`].
    most: u64,
    switches: Switches,
    threshold: AtomicU64,
    /// Locked while a part of the pool gets more memory; if the pool has a limit, the first lock is for all parts. Each
    /// counts how often it grew.
    growth: [Mutex<u64>; PARTS],
    /// The segments, by address.
    segments: Mutex<BTreeMap<usize, Block>>,
    /// True if it may have memory to free.
    is_idle: AtomicBool,
    /// True if its memory is released. Threads that release it, or check this, hold the lock.
    ended: Mutex<bool>,
}

impl CorePool {
    /// Creates a pool without memory, of at most `most` bytes. `shared`: the source of its memory if other processes
    /// can import it; segments are freed to their source.
    pub fn new(source: Source, shared: Option<Arc<dyn SharedMemory>>, most: Option<u64>) -> Self {
        let most = most.and_then(|most| most.checked_next_multiple_of(GRANULE as u64));
        let noted = match &source {
            Source::Device(native) | Source::Managed(native) if native.info().notes_parts => Some(Arc::clone(native)),
            Source::Device(_) | Source::Managed(_) | Source::Host(..) => None,
        };
        Self {
            pool: Pool::new(&ALLOCATIONS),
            source,
            is_watched: shared.is_some() || noted.is_some(),
            noted,
            shared,
            most: most.unwrap_or(u64::MAX),
            switches: Switches::new(),
            threshold: AtomicU64::new(0),
            growth: [const { Mutex::new(0) }; PARTS],
            segments: Mutex::default(),
            is_idle: AtomicBool::new(false),
            ended: Mutex::new(false),
        }
    }

    /// Sets the tag of its memory in the address map, before it has any.
    pub(crate) fn set_tag(&mut self, tag: PoolTag) {
        self.pool.set_words(tag.words());
    }

    /// Returns what `lane` may reuse of other streams' memory.
    #[inline]
    fn known<'a>(&self, lane: &'a Lane) -> Known<'a> {
        Known { rules: self.switches.rules(), lane: Some(lane), awaited: None }
    }

    /// Makes [`Self::alloc`] fail from now on, so that each request takes the steps that check the state of the pool.
    pub(crate) fn end_quick_requests(&self) {
        self.pool.end_quick_requests();
    }

    /// Allocates a block from the segments of the pool. Returns its address.
    #[inline(always)]
    pub fn alloc(&self, len: usize, lane: &Lane) -> Option<usize> {
        self.pool.alloc_at_home(len, lane.key(), &self.known(lane))
    }

    /// Frees a block when the lane reaches `position`, which is a submitted operation. Returns false if another thread
    /// has freed it.
    #[inline(always)]
    pub fn free(&self, found: PoolMemory, lane: &Lane, position: Position) -> bool {
        let has_passed = self.switches.rules().have(Rules::OPPORTUNISTIC) && lane.has_finished(position);
        // This also withdraws the block from other processes, before it can be allocated again. It uses `found`, which
        // is already in memory.
        let hide = || self.leaves((found.base, found.len), found.place.hide(found.entry));
        let back = Back { note: found.note, place: found.place, has_passed };
        let freed = self.pool.free(back, Freed { stream: lane.key(), position }, hide);
        self.note_idle();
        freed
    }

    /// Frees a block that nothing uses any more. Returns false if another thread has freed it.
    pub fn free_now(&self, found: PoolMemory) -> bool {
        let block = (found.base, found.len);
        let leave = || self.leaves(block, ALLOCATIONS.remove_held(found.entry));
        let freed = self.pool.free_now(found.note, found.len, leave);
        self.note_idle();
        freed
    }

    /// If the block was hidden, withdraws it from other processes before it can be allocated again.
    #[inline(always)]
    fn leaves(&self, (base, len): (usize, usize), left: bool) -> bool {
        if left && self.is_watched {
            self.withdraw(base);
            self.note(base, len, PoolChange::Returned);
        }
        left
    }

    /// Reports a block to the device, if that tracks them.
    #[cold]
    pub fn note(&self, base: usize, len: usize, part: PoolChange) {
        if let Some(device) = &self.noted {
            device.note_part(base, len, part);
        }
    }

    #[inline]
    fn note_idle(&self) {
        // A read comes first, because a write to a cache line that many threads share is slow.
        if !self.is_idle.load(Ordering::Relaxed) {
            self.is_idle.store(true, Ordering::Release);
            // It follows the store above, and reads as well as writes: the thread that reads the last one finds all
            // these pools.
            SOME_ARE_IDLE.swap(true, Ordering::AcqRel);
        }
    }

    /// Whether a pool may have got memory above its threshold since the last call.
    pub(crate) fn take_some_are_idle() -> bool {
        SOME_ARE_IDLE.load(Ordering::Relaxed) && SOME_ARE_IDLE.swap(false, Ordering::Acquire)
    }

    /// Notes that all frees of the pool on a stream are complete.
    pub fn forget(&self, lane: StreamKey) {
        self.pool.forget(lane);
    }

    /// Frees unused memory while `keep` bytes remain. Returns the first failure of the backend.
    pub fn trim(&self, keep: u64) -> backend::Result<()> {
        self.free_segments(self.pool.release(keep, &Known::NOTHING))
    }

    /// Frees all unused memory. Returns false if there is none.
    pub(crate) fn trim_all(&self) -> bool {
        let before = self.pool.reserved();
        release_failure::note_outcome("unused pool memory was not freed after a failed allocation", self.trim(0));
        self.pool.reserved() != before
    }

    /// Frees memory above the threshold, after the host has waited.
    pub(crate) fn release_idle(&self) -> backend::Result<()> {
        if !self.is_idle.swap(false, Ordering::Acquire) {
            return Ok(());
        }
        let threshold = self.threshold.load(Ordering::Relaxed);
        let outcome = if self.pool.reserved() > threshold { self.trim(threshold) } else { Ok(()) };
        let left = self.pool.stats();
        if left.reserved > threshold && left.reserved > left.used {
            // Some memory was not known to be free yet.
            self.note_idle();
        }
        outcome
    }

    fn free_segments(&self, segments: Vec<Segment>) -> backend::Result<()> {
        let mut outcome = Ok(());
        for segment in segments {
            let block = self.segments.lock().remove(&segment.addr);
            if let Some(block) = block {
                outcome = outcome.and(self.source.free(block));
            }
        }
        outcome
    }

    /// Releases all memory if no block is in use, or always if `force`. Returns the backend's result, or `None` if
    /// nothing was released.
    pub fn end(&self, force: bool) -> Option<backend::Result<()>> {
        let mut ended = self.ended.lock();
        if *ended || (!force && self.pool.stats().blocks != 0) {
            return None;
        }
        *ended = true;
        Some(self.free_segments(self.pool.drain()))
    }

    /// Forgets the memory, which stays allocated.
    pub fn abandon(&self) {
        let mut ended = self.ended.lock();
        *ended = true;
        self.pool.drain();
        self.segments.lock().clear();
    }

    /// Frees a block that was not published, because the pool was destroyed meanwhile.
    pub(crate) fn undo(&self, addr: usize) {
        let ended = self.ended.lock();
        if let Some(found) = Allocation::find_pools(addr)
            && !*ended
        {
            self.pool.free_now(found.note, found.len, || ALLOCATIONS.remove_held(found.entry));
        }
    }

    /// Withdraws the block at this address, which is about to be freed: it can no longer be imported.
    #[cold]
    pub fn withdraw(&self, addr: usize) {
        if let Some(shared) = &self.shared {
            shared.withdraw(addr);
        }
    }

    /// Returns the backend's block that contains this address.
    pub fn segment(&self, addr: usize) -> Option<Block> {
        let segments = self.segments.lock();
        let (_, block) = segments.range(..=addr).next_back()?;
        (addr - block.addr < block.len).then_some(*block)
    }

    /// Returns the maximum number of bytes of the pool, if it has one.
    pub fn most(&self) -> Option<u64> {
        (self.most != u64::MAX).then_some(self.most)
    }

    /// Returns the statistics of the pool.
    pub fn stats(&self) -> Stats {
        self.pool.stats()
    }

    /// Returns the value of an attribute.
    pub fn get(&self, attribute: PoolAttribute) -> u64 {
        let flag = |rule| u64::from(self.switches.rules().have(rule));
        match attribute {
            PoolAttribute::FollowEventDependencies => flag(Rules::FOLLOWS_EVENTS),
            PoolAttribute::AllowOpportunistic => flag(Rules::OPPORTUNISTIC),
            PoolAttribute::AllowInternalDependencies => flag(Rules::ADDS_WAITS),
            PoolAttribute::ReleaseThreshold => self.threshold.load(Ordering::Relaxed),
            PoolAttribute::ReservedCurrent => self.pool.reserved(),
            PoolAttribute::ReservedHigh => self.pool.stats().reserved_high,
            PoolAttribute::UsedCurrent => self.pool.stats().used,
            PoolAttribute::UsedHigh => self.pool.stats().used_high,
        }
    }

    /// Sets an attribute that can be set, to a value that it can have.
    pub fn set(&self, attribute: PoolAttribute, value: u64) {
        let flag = |rule| self.switches.set(rule, value != 0);
        match attribute {
            PoolAttribute::FollowEventDependencies => flag(Rules::FOLLOWS_EVENTS),
            PoolAttribute::AllowOpportunistic => flag(Rules::OPPORTUNISTIC),
            PoolAttribute::AllowInternalDependencies => flag(Rules::ADDS_WAITS),
            PoolAttribute::ReleaseThreshold => {
                self.threshold.store(value, Ordering::Relaxed);
                self.note_idle();
            }
            PoolAttribute::ReservedHigh => self.pool.reset_reserved_high(),
            PoolAttribute::UsedHigh => self.pool.reset_used_high(),
            PoolAttribute::ReservedCurrent | PoolAttribute::UsedCurrent => {}
        }
    }
}

#[cold]
fn no_host_memory(len: usize) -> Error {
    error_with!(
        Code::BadAlloc,
        "the host has no memory left to keep track of another allocation (size is {len}); free host memory"
    )
}
