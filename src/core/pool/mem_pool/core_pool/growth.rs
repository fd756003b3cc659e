//! The growth of a pool, up to its limit.

use std::sync::Arc;

use parking_lot::MutexGuard;

use super::known::{Known, Rules};
use super::{CorePool, no_host_memory};
use crate::algo::alloc::pool::{GRANULE, Segment};
use crate::backend::{self, Block, Driver, Fault, FaultKind, PagePolicy, PoolChange};
use crate::base::error::{Code, Error, Result, error_with};
use crate::base::gate::{self, Binding};
use crate::base::release_failure;
use crate::memory::allocation::ALLOCATIONS;
use crate::order::{self, Lane};
use crate::runtime::device::Device;
use crate::stream::Stream;

/// The source of a pool's segments, which are also freed to it.
pub enum Source {
    /// A device's memory.
    Device(Arc<dyn backend::Device>),
    /// A device's managed memory.
    Managed(Arc<dyn backend::Device>),
    /// Host memory, of a NUMA node if there is one.
    Host(Arc<dyn Driver>, Option<u32>),
}

impl Source {
    /// Frees a segment.
    pub(super) fn free(&self, block: Block) -> backend::Result<()> {
        match self {
            Self::Device(native) | Self::Managed(native) => native.free(block),
            Self::Host(driver, _) => driver.free_host(block),
        }
    }
}

/// The result of [`CorePool::alloc_or_plan`].
pub enum Answer {
    /// A block was allocated, at this address.
    Taken(usize),
    /// The pool needs a segment.
    Wants {
        /// Minimum number of bytes.
        least: usize,
        /// Preferred number of bytes.
        better: usize,
        /// Number of times that the pool had grown before.
        grown: u64,
    },
    /// The pool is at its limit: it needs a segment of this many bytes.
    Full(usize),
}

impl CorePool {
    /// Locks the growth of the pool for a lane, so that other threads wait for the new segment.
    fn growing(&self, lane: &Lane) -> MutexGuard<'_, u64> {
        let part = if self.most == u64::MAX { self.pool.part_of(lane.key()) } else { 0 };
        self.growth[part].lock()
    }

    /// Adds a segment for a request of `lane`. `device`: the device of the pool, if it has one.
    fn add_segment(&self, len: usize, lane: &Lane, device: Option<&Device>) -> backend::Result<Block> {
        if let Source::Host(driver, _) = &self.source
            && len as u64 > driver.host_memory()
        {
            let most = driver.host_memory();
            let why = format!("the pool needs {len} more bytes, but the host has {most} bytes in all; allocate less");
            return Err(Fault::out_of_host_memory(why));
        }
        let alloc = || match (&self.shared, &self.source) {
            (Some(shared), _) => shared.alloc(len),
            (None, Source::Device(native)) => native.alloc(len, PagePolicy::HugeFirst),
            (None, Source::Managed(native)) => native.alloc_managed(len),
            (None, Source::Host(driver, node)) => {
                gate::bind(Binding::Device);
                let block = driver.alloc_host(len)?;
                let bound = node.map_or(Ok(()), |node| backend::bind_to_node(block, node));
                bound.map(|()| block).inspect_err(|_| {
                    // The first failure is returned.
                    let _ = driver.free_host(block);
                })
            }
        };
        let block = device.map_or_else(alloc, |device| device.with_all_memory(|_| alloc()))?;
        self.enter_segment(block, lane).map(|()| block).inspect_err(|_| {
            // The first failure is returned here, too.
            let _ = self.source.free(block);
        })
    }

    fn enter_segment(&self, block: Block, lane: &Lane) -> backend::Result<()> {
        // The lock is held: either a thread that releases the pool's memory sees this segment, or this sees that
        // `ended` is set.
        let ended = self.ended.lock();
        if *ended {
            let why = "another thread has destroyed memPool during this call; destroy it after the call".to_string();
            return Err(Fault::new(FaultKind::InvalidArgument, why));
        }
        let len = block.len & !(GRANULE - 1);
        ALLOCATIONS.hold(block.addr, len).map_err(|why| {
            let why = format!("the pool cannot grow; its new memory cannot enter the list of allocations: {why}");
            Fault::new(FaultKind::OutOfHostMemory, why)
        })?;
        self.segments.lock().insert(block.addr, block);
        self.note(block.addr, len, PoolChange::Got);
        self.pool.add_segment(Segment { addr: block.addr, len, token: 0 }, lane.key());
        Ok(())
    }

    /// Allocates a block that another stream's pending operations use, after making `stream` wait for them. `None`: the
    /// pool may not add waits, or there is no such block.
    pub(crate) fn alloc_with_wait(&self, len: usize, stream: &Stream) -> Result<Option<usize>> {
        let lane = stream.lane()?;
        let mut known = self.known(lane);
        while known.rules.have(Rules::ADDS_WAITS) {
            let freed = match self.pool.alloc_or_follow(len, lane.key(), &known) {
                Ok(addr) => return Ok(Some(addr)),
                Err(Some(freed)) => freed,
                Err(None) => break,
            };
            // A stream that has ended cannot be waited for.
            if let Some(other) = order::find(freed.stream).map(|found| found.to_arc()) {
                other.let_follow(lane, |op| stream.queue_quietly(op))?;
                known.awaited = Some(freed);
            }
            // Another thread may have allocated the memory meanwhile.
        }
        Ok(None)
    }

    /// Allocates as [`Self::alloc`] does. If that fails, returns what the pool needs.
    pub(crate) fn alloc_or_plan(&self, len: usize, stream: &Stream) -> Result<Answer> {
        let lane = stream.lane()?;
        // The lock waits for a thread that makes the pool grow now. Its segment may serve this request, too.
        let grown = *self.growing(lane);
        let shortage = match self.pool.alloc(len, lane.key(), &self.known(lane)) {
            Ok(addr) => return Ok(Answer::Taken(addr)),
            Err(shortage) if shortage.is_of_host_memory() => return Err(no_host_memory(len)),
            Err(shortage) => shortage,
        };
        let (least, room) = (shortage.least, self.room());
        Ok(match least <= room {
            true => Answer::Wants { least, better: shortage.better.min(room), grown },
            false => Answer::Full(least),
        })
    }

    /// Allocates from the existing segments when the pool cannot grow.
    pub fn alloc_slow(&self, len: usize, stream: &Stream) -> Result<Option<usize>> {
        let lane = stream.lane()?;
        Ok(self.pool.alloc_slow(len, lane.key(), &self.known(lane)))
    }

    /// Adds a segment of at least `len` bytes, after [`Answer::Wants`]. `None`: another thread has added one since.
    pub fn add(&self, len: usize, since: u64, lane: &Lane, device: Option<&Device>) -> backend::Result<Option<Block>> {
        let mut grown = self.growing(lane);
        if *grown != since {
            return Ok(None);
        }
        let block = self.add_segment(len, lane, device)?;
        *grown += 1;
        Ok(Some(block))
    }

    /// Returns the bytes by which the pool may grow.
    fn room(&self) -> usize {
        let room = self.most - self.pool.reserved().min(self.most);
        usize::try_from(room).unwrap_or(usize::MAX) & !(GRANULE - 1)
    }

    /// Whether a request plus the live blocks exceeds the limit. Pending frees do not help then.
    #[cold]
    pub(crate) fn is_too_long(&self, len: usize) -> bool {
        self.pool.stats().used.saturating_add(len as u64) > self.most
    }

    /// Frees unused segments that are too short, to make room for a segment of `least` bytes. If they do not suffice,
    /// they stay, and it returns false.
    #[cold]
    pub fn make_room(&self, least: usize) -> bool {
        let missing = least.saturating_sub(self.room());
        if missing == 0 {
            return true;
        }
        let segments = self.pool.release_at_least(missing as u64, &Known::NOTHING);
        let any = !segments.is_empty();
        release_failure::note_outcome(
            "unused memory in a pool at its limit (maxSize) was not freed",
            self.free_segments(segments),
        );
        any
    }

    /// Returns the error of a request beyond the limit.
    #[cold]
    pub fn beyond_limit(&self, len: usize) -> Error {
        if self.most == u64::MAX {
            let (code, most, place) = match &self.source {
                Source::Device(native) | Source::Managed(native) => {
                    (Code::MemoryAllocation, native.info().total_memory, "the device")
                }
                Source::Host(driver, _) => (Code::BadAlloc, driver.host_memory(), "the host"),
            };
            return error_with!(
                code,
                "size is {len}; one allocation from a pool can have at most {} bytes, and {place} has {most} bytes",
                crate::algo::alloc::pool::MOST
            );
        }
        error_with!(
            Code::MemoryAllocation,
            "size is {len}, but no free block is large enough and the pool cannot grow: it has {} of at most {} bytes \
             (maxSize, rounded up) and grows by multiples of {GRANULE} bytes; free memory in the pool, or create a \
             pool with a larger maxSize",
            self.pool.reserved(),
            self.most
        )
    }
}
