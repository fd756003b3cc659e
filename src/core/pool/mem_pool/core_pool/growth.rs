//! How a pool grows, up to its limit.

use parking_lot::MutexGuard;

use super::known::{Known, Rules};
use super::{CorePool, is_shortage, no_host_memory};
use crate::algo::alloc::pool::{GRANULE, Segment, Shortage};
use crate::backend::{self, Block, Fault, FaultKind, Part};
use crate::core::base::error::{Code, Error, Result, error_with};
use crate::core::base::release_failure;
use crate::core::memory::allocation::{ALLOCATIONS, PoolTag};
use crate::core::order::{self, Lane};
use crate::core::pool::mem_pool;
use crate::core::runtime::device::Device;
use crate::core::stream::Stream;

/// Why a pool cannot grow.
enum Lack {
    /// Its limit.
    Limit,
    /// Memory is exhausted, or the request failed.
    Memory(Fault),
}

/// The result of [`CorePool::alloc_or_plan`].
pub enum Answer {
    /// A block, at this address.
    Taken(usize),
    /// The pool needs a segment.
    Wants {
        /// The least bytes.
        least: usize,
        /// The preferred bytes.
        better: usize,
    },
    /// The pool is at its limit.
    Full {
        /// The bytes of the segment that it needs.
        least: usize,
        /// The error for the program.
        error: Error,
    },
}

impl CorePool {
    /// A block from the pool's segments, or from a new one. May wait. `device`: the device of the pool, if it has one.
    #[cold]
    pub fn alloc_more(&self, len: usize, stream: &Stream, device: Option<&Device>, tag: PoolTag) -> Result<usize> {
        let lane = stream.lane()?;
        let lack = match self.try_alloc(len, lane, device, tag)? {
            Ok(taken) => return Ok(taken),
            Err(lack) => lack,
        };
        if self.switches.rules().have(Rules::ADDS_WAITS)
            && let Some(taken) = self.alloc_after_wait(len, stream, lane, tag)?
        {
            return Ok(taken);
        }
        self.alloc_after_frees(len, lane, device, tag, lack)
    }

    /// Held while the pool grows for a lane, so that other threads wait for the new segment.
    fn growing(&self, lane: &Lane) -> MutexGuard<'_, ()> {
        let part = if self.most == u64::MAX { self.pool.part_of(lane.key()) } else { 0 };
        self.growth[part].lock()
    }

    fn try_alloc(
        &self,
        len: usize,
        lane: &Lane,
        device: Option<&Device>,
        tag: PoolTag,
    ) -> Result<std::result::Result<usize, Lack>> {
        let _growing = self.growing(lane);
        loop {
            // Another thread may have grown it meanwhile.
            let known = self.known(lane);
            let shortage = match self.pool.alloc(len, lane.key(), &known, tag) {
                Ok(entered) => return self.entered(entered, len).map(Ok),
                Err(shortage) if shortage.is_of_host_memory() => return Err(no_host_memory(len)),
                Err(shortage) => shortage,
            };
            if let Err(lack) = self.grow(shortage, lane, device) {
                let found = self.pool.alloc_slow(len, lane.key(), &known, tag);
                if let Some(entered) = found {
                    return self.entered(entered, len).map(Ok);
                }
                if !matches!(lack, Lack::Limit) || !self.make_room(shortage.least) {
                    return Ok(Err(lack));
                }
            }
        }
    }

    fn grow(&self, shortage: Shortage, lane: &Lane, device: Option<&Device>) -> std::result::Result<(), Lack> {
        let (least, better) = self.room_for(shortage).ok_or(Lack::Limit)?;
        let mut given = self.add_segment(better, lane, device);
        if better > least && given.as_ref().is_err_and(is_shortage) {
            given = self.add_segment(least, lane, device);
        }
        given.map(drop).map_err(Lack::Memory)
    }

    /// Adds a segment for a request of `lane`.
    fn add_segment(&self, len: usize, lane: &Lane, device: Option<&Device>) -> backend::Result<Block> {
        let block = match (&self.shared, device) {
            (Some(shared), Some(device)) => device.with_all_memory(|_| shared.alloc(len)),
            (Some(shared), None) => shared.alloc(len),
            (None, _) => self.source.alloc(len, device),
        }?;
        self.enter_segment(block, lane).inspect_err(|_| {
            // The first failure is the one to return.
            let _ = self.source.free(block);
        })?;
        Ok(block)
    }

    fn enter_segment(&self, block: Block, lane: &Lane) -> backend::Result<()> {
        // Held: a thread that releases the pool's memory either sees this segment, or `ended` is set here.
        let ended = self.ended.lock();
        if *ended {
            let why = "memPool was destroyed by another thread meanwhile".to_string();
            return Err(Fault::new(FaultKind::InvalidArgument, why));
        }
        let len = block.len & !(GRANULE - 1);
        ALLOCATIONS
            .hold(block.addr, len)
            .map_err(|why| Fault::new(FaultKind::OutOfHostMemory, format!("a pool's memory: {why}")))?;
        self.segments.lock().insert(block.addr, block);
        self.note(block.addr, len, Part::Got);
        self.pool.add_segment(Segment { addr: block.addr, len, token: 0 }, lane.key());
        Ok(())
    }

    /// Allocates a block that another stream's pending operations use, after making `stream` wait for them.
    fn alloc_after_wait(&self, len: usize, stream: &Stream, lane: &Lane, tag: PoolTag) -> Result<Option<usize>> {
        let mut known = self.known(lane);
        loop {
            let freed = match self.pool.alloc_or_follow(len, lane.key(), &known, tag) {
                Ok(entered) => return self.entered(entered, len).map(Some),
                Err(Some(freed)) => freed,
                Err(None) => return Ok(None),
            };
            // An ended stream cannot be waited for.
            if let Some(other) = order::find(freed.stream).map(|found| found.to_arc()) {
                other.let_follow(lane, |op| stream.queue_quietly(op))?;
                known.awaited = Some(freed);
            }
            // Another thread may have allocated the memory meanwhile.
        }
    }

    /// As [`Self::alloc`]. If that fails, returns the next step of [`Self::alloc_more`], for a caller that holds
    /// nothing between the steps.
    pub fn alloc_or_plan(&self, len: usize, stream: &Stream, tag: PoolTag) -> Result<Answer> {
        let lane = stream.lane()?;
        let shortage = match self.pool.alloc(len, lane.key(), &self.known(lane), tag) {
            Ok(entered) => return self.entered(entered, len).map(Answer::Taken),
            Err(shortage) if shortage.is_of_host_memory() => return Err(no_host_memory(len)),
            Err(shortage) => shortage,
        };
        Ok(match self.room_for(shortage) {
            Some((least, better)) => Answer::Wants { least, better },
            None => Answer::Full { least: shortage.least, error: self.beyond_limit(len) },
        })
    }

    /// Allocates from the existing segments when the pool cannot grow.
    pub fn alloc_slow(&self, len: usize, stream: &Stream, tag: PoolTag) -> Result<Option<usize>> {
        let lane = stream.lane()?;
        let known = self.known(lane);
        let found = self.pool.alloc_slow(len, lane.key(), &known, tag);
        found.map(|entered| self.entered(entered, len)).transpose()
    }

    /// Adds a segment of at least `len` bytes, after [`Answer::Wants`]. `None`: another thread has grown the pool to
    /// its limit.
    pub fn add(&self, len: usize, lane: &Lane, device: Option<&Device>) -> backend::Result<Option<Block>> {
        let _growing = self.growing(lane);
        match len <= self.room() {
            true => self.add_segment(len, lane, device).map(Some),
            false => Ok(None),
        }
    }

    /// A block that `stream` waits for, if the pool may add waits and there is one.
    pub fn alloc_with_wait(&self, len: usize, stream: &Stream, tag: PoolTag) -> Result<Option<usize>> {
        match self.switches.rules().have(Rules::ADDS_WAITS) {
            true => self.alloc_after_wait(len, stream, stream.lane()?, tag),
            false => Ok(None),
        }
    }

    /// Bytes by which it may grow.
    fn room(&self) -> usize {
        let room = self.most - self.pool.reserved().min(self.most);
        usize::try_from(room).unwrap_or(usize::MAX) & !(GRANULE - 1)
    }

    /// The least and the preferred bytes of the next segment. `None`: beyond the limit.
    fn room_for(&self, shortage: Shortage) -> Option<(usize, usize)> {
        let room = self.room();
        (shortage.least <= room).then(|| (shortage.least, shortage.better.min(room)))
    }

    /// As [`Self::alloc_more`], as a last resort: after all pending frees that do not depend on the program.
    #[cold]
    fn alloc_after_frees(
        &self,
        len: usize,
        lane: &Lane,
        device: Option<&Device>,
        tag: PoolTag,
        lack: Lack,
    ) -> Result<usize> {
        let mut lack = match lack {
            Lack::Limit if self.is_too_long(len) => return Err(self.beyond_limit(len)),
            Lack::Memory(fault) if !is_shortage(&fault) => return Err(fault.into()),
            lack => lack,
        };
        order::wait_for_frees();
        if let Lack::Limit = lack {
            match self.try_alloc(len, lane, device, tag)? {
                Ok(taken) => return Ok(taken),
                Err(found) => lack = found,
            }
        }
        if let Lack::Memory(fault) = lack {
            ensure!(is_shortage(&fault), fault.into());
            mem_pool::trim_for(device);
            match self.try_alloc(len, lane, device, tag)? {
                Ok(taken) => return Ok(taken),
                Err(Lack::Memory(_)) => return Err(fault.into()),
                Err(Lack::Limit) => {}
            }
        }
        Err(self.beyond_limit(len))
    }

    /// Whether the limit is less than a request plus the live blocks: pending frees do not help then.
    #[cold]
    pub fn is_too_long(&self, len: usize) -> bool {
        self.pool.stats().used.saturating_add(len as u64) > self.most
    }

    /// Frees unused segments that are too short, to make room for a segment of `least` bytes. False: they do not
    /// suffice, and stay.
    #[cold]
    pub fn make_room(&self, least: usize) -> bool {
        let missing = least.saturating_sub(self.room());
        if missing == 0 {
            return true;
        }
        let known = Known { rules: Rules::NONE, lane: None, awaited: None };
        let segments = self.pool.release_at_least(missing as u64, &known);
        let any = !segments.is_empty();
        release_failure::note_outcome("memory of a pool at its limit", self.free_segments(segments));
        any
    }

    /// The error of a request beyond the limit.
    #[cold]
    pub fn beyond_limit(&self, len: usize) -> Error {
        error_with!(
            Code::MemoryAllocation,
            "size {len}: the pool has {} bytes and may have {} at most (maxSize, in pieces of {GRANULE} bytes), \
                 of which not enough are free in one piece; free some, or make a larger pool",
            self.pool.reserved(),
            self.most
        )
    }
}
