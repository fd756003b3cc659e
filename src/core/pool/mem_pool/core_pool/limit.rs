//! A pool at its limit.

use super::known::{Known, Rules};
use super::{CorePool, Lack, is_shortage};
use crate::algo::alloc::pool::{GRANULE, Shortage};
use crate::core::base::error::{Code, Error, Result, error_with};
use crate::core::base::release_failure;
use crate::core::memory::allocation::PoolTag;
use crate::core::order::{self, Lane};
use crate::core::pool::mem_pool;
use crate::core::runtime::device::Device;

impl CorePool {
    /// Bytes by which it may grow.
    pub(super) fn room(&self) -> usize {
        let room = self.most - self.pool.reserved().min(self.most);
        usize::try_from(room).unwrap_or(usize::MAX) & !(GRANULE - 1)
    }

    /// The least and the preferred bytes of the next segment. `None`: beyond the limit.
    pub(super) fn room_for(&self, shortage: Shortage) -> Option<(usize, usize)> {
        let room = self.room();
        (shortage.least <= room).then(|| (shortage.least, shortage.better.min(room)))
    }

    /// As [`Self::alloc_more`], as a last resort: after all pending frees that do not depend on the program.
    #[cold]
    pub(super) fn alloc_after_frees(
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
            if !is_shortage(&fault) {
                return Err(fault.into());
            }
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
        release_failure::note_fault("memory of a pool at its limit", self.free_segments(segments));
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
