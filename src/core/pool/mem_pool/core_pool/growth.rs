//! How a pool gets more memory.

use parking_lot::MutexGuard;

use super::books::Entering;
use super::known::Rules;
use super::{CorePool, is_shortage, no_host_memory};
use crate::algo::alloc::pool::{GRANULE, Segment, Shortage};
use crate::backend::{self, Block, Fault, FaultKind, Part};
use crate::core::base::error::{Error, Result};
use crate::core::memory::allocation::{Allocation, PoolTag};
use crate::core::order::{self, Lane};
use crate::core::runtime::device::Device;
use crate::core::stream::Stream;

/// Why a pool cannot have more memory.
pub(super) enum Lack {
    /// It may not.
    Limit,
    /// There is none, or it is refused.
    Memory(Fault),
}

/// What [`CorePool::alloc_or_plan`] comes to.
pub enum Answer {
    /// A block, at this address.
    Taken(usize),
    /// It takes a segment.
    Wants {
        /// Of so many bytes.
        least: usize,
        /// Or better of so many.
        better: usize,
    },
    /// It may have no more memory.
    Full {
        /// The segment that it takes would have so many bytes.
        least: usize,
        /// What there is to say.
        error: Error,
    },
}

impl CorePool {
    /// A block out of what it has, or can have. May wait. `device`: the one that it is on, if it is on
    /// one.
    #[cold]
    pub fn alloc_more(
        &self,
        len: usize,
        stream: &Stream,
        device: Option<&Device>,
        tag: PoolTag,
    ) -> Result<usize> {
        let lane = order::lane(stream)?;
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

    /// To be held while the pool is given more memory for a lane: whoever would have it too waits.
    fn growing(&self, lane: &Lane) -> MutexGuard<'_, ()> {
        let part = if self.most == u64::MAX { self.pool.part_of(lane.key()) } else { 0 };
        self.growth[part].lock()
    }

    pub(super) fn try_alloc(
        &self,
        len: usize,
        lane: &Lane,
        device: Option<&Device>,
        tag: PoolTag,
    ) -> Result<std::result::Result<usize, Lack>> {
        let _growing = self.growing(lane);
        loop {
            // Another thread may have given it more meanwhile.
            let known = self.known(lane);
            let shortage = match self.pool.alloc(len, lane.key(), &known, Entering { tag }) {
                Ok(entered) => return self.entered(entered, len).map(Ok),
                Err(shortage) if shortage.is_of_host_memory() => return Err(no_host_memory(len)),
                Err(shortage) => shortage,
            };
            if let Err(lack) = self.grow(shortage, lane, device) {
                let found = self.pool.alloc_slow(len, lane.key(), &known, Entering { tag });
                if let Some(entered) = found {
                    return self.entered(entered, len).map(Ok);
                }
                if !matches!(lack, Lack::Limit) || !self.make_room(shortage.least) {
                    return Ok(Err(lack));
                }
            }
        }
    }

    fn grow(
        &self,
        shortage: Shortage,
        lane: &Lane,
        device: Option<&Device>,
    ) -> std::result::Result<(), Lack> {
        let (least, better) = self.room_for(shortage).ok_or(Lack::Limit)?;
        let mut given = self.add_segment(better, lane, device);
        if better > least && given.as_ref().is_err_and(is_shortage) {
            given = self.add_segment(least, lane, device);
        }
        given.map(drop).map_err(Lack::Memory)
    }

    /// Takes memory for the pool, which `lane` wants.
    fn add_segment(
        &self,
        len: usize,
        lane: &Lane,
        device: Option<&Device>,
    ) -> backend::Result<Block> {
        let block = match (&self.shared, device) {
            (Some(shared), Some(device)) => device.with_all_memory(|_| shared.alloc(len)),
            (Some(shared), None) => shared.alloc(len),
            (None, _) => self.source.alloc(len, device),
        }?;
        self.enter_segment(block, lane).inspect_err(|_| {
            // The first failure is the one to tell.
            let _ = self.source.free(block);
        })?;
        Ok(block)
    }

    fn enter_segment(&self, block: Block, lane: &Lane) -> backend::Result<()> {
        // Held: who takes the pool's memory away takes this along, or is seen here. Nobody would later.
        let ended = self.ended.lock();
        if *ended {
            let why = "memPool was destroyed by another thread meanwhile".to_string();
            return Err(Fault::new(FaultKind::InvalidArgument, why));
        }
        let len = block.len & !(GRANULE - 1);
        Allocation::hold(block.addr, len).map_err(|why| {
            Fault::new(FaultKind::OutOfHostMemory, format!("a pool's memory: {why}"))
        })?;
        self.segments.lock().insert(block.addr, block);
        self.note(block.addr, len, Part::Got);
        self.pool.add_segment(Segment { addr: block.addr, len, token: 0 }, lane.key());
        Ok(())
    }

    /// A block that another stream has yet to come past, which `stream` is made to wait for first.
    fn alloc_after_wait(
        &self,
        len: usize,
        stream: &Stream,
        lane: &Lane,
        tag: PoolTag,
    ) -> Result<Option<usize>> {
        let mut known = self.known(lane);
        loop {
            let freed = match self.pool.alloc_or_follow(len, lane.key(), &known, Entering { tag }) {
                Ok(entered) => return self.entered(entered, len).map(Some),
                Err(Some(freed)) => freed,
                Err(None) => return Ok(None),
            };
            // Once it has ended nobody is told to follow it.
            if let Some(other) = order::find(freed.stream).map(|found| found.to_arc()) {
                other.let_follow(stream, lane)?;
                known.awaited = Some(freed);
            }
            // Another thread may have taken the memory meanwhile.
        }
    }

    /// As [`Self::alloc`], telling what there is to do where that gives nothing: the steps of
    /// [`Self::alloc_more`] for a caller who may hold nothing between them.
    pub fn alloc_or_plan(&self, len: usize, stream: &Stream, tag: PoolTag) -> Result<Answer> {
        let lane = order::lane(stream)?;
        let shortage = match self.pool.alloc(len, lane.key(), &self.known(lane), Entering { tag }) {
            Ok(entered) => return self.entered(entered, len).map(Answer::Taken),
            Err(shortage) if shortage.is_of_host_memory() => return Err(no_host_memory(len)),
            Err(shortage) => shortage,
        };
        Ok(match self.room_for(shortage) {
            Some((least, better)) => Answer::Wants { least, better },
            None => Answer::Full { least: shortage.least, error: self.beyond_limit(len) },
        })
    }

    /// A block out of what it has, when it can have no more.
    pub fn alloc_slow(&self, len: usize, stream: &Stream, tag: PoolTag) -> Result<Option<usize>> {
        let lane = order::lane(stream)?;
        let known = self.known(lane);
        let found = self.pool.alloc_slow(len, lane.key(), &known, Entering { tag });
        found.map(|entered| self.entered(entered, len)).transpose()
    }

    /// A segment of at least `len` bytes, after [`Answer::Wants`]. None: another thread was faster, and it may have
    /// no more now.
    pub fn add(
        &self,
        len: usize,
        lane: &Lane,
        device: Option<&Device>,
    ) -> backend::Result<Option<Block>> {
        let _growing = self.growing(lane);
        match len <= self.room() {
            true => self.add_segment(len, lane, device).map(Some),
            false => Ok(None),
        }
    }

    /// A block that `stream` waits for, where the pool may add waits and there is one.
    pub fn alloc_with_wait(
        &self,
        len: usize,
        stream: &Stream,
        tag: PoolTag,
    ) -> Result<Option<usize>> {
        match self.switches.rules().have(Rules::ADDS_WAITS) {
            true => self.alloc_after_wait(len, stream, order::lane(stream)?, tag),
            false => Ok(None),
        }
    }
}
