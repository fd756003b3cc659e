//! What a pool does that may have no more memory.

use super::Own;
use crate::algo::pool::{GRAIN, GRANULE, Shortage};
use crate::core::error::{Code, Error};

impl Own {
    /// Bytes that it may have more.
    pub(super) fn room(&self) -> usize {
        let room = self.most - self.pool.reserved().min(self.most);
        usize::try_from(room).unwrap_or(usize::MAX) & !(GRANULE - 1)
    }

    /// Bytes that the next segment has to have, and those that it had better have. None: it may not have them.
    pub(super) fn room_for(&self, shortage: Shortage) -> Option<(usize, usize)> {
        let room = self.room();
        (shortage.least <= room).then(|| (shortage.least, shortage.better.min(room)))
    }

    /// What programs have leaves room for so many bytes: what is free is in too small pieces, or not free yet.
    pub fn is_only_cut_up(&self, len: usize) -> bool {
        let wanted = (len as u64).checked_next_multiple_of(GRAIN as u64);
        wanted
            .and_then(|wanted| wanted.checked_add(self.pool.stats().used))
            .is_some_and(|all| all <= self.most)
    }

    /// Gives free pieces back for one of so many bytes. False: that helps nobody.
    #[cold]
    pub fn make_room(&self, len: usize) -> bool {
        self.is_only_cut_up(len) && self.trim_all()
    }

    /// What is said where it may not have enough.
    #[cold]
    pub fn beyond_limit(&self, len: usize) -> Error {
        Error::new(
            Code::MemoryAllocation,
            format_args!(
                "size {len}: the pool has {} bytes and may have {} at most (maxSize, in pieces of {GRANULE} bytes), \
                 of which not enough are free in one piece; free some, or make a larger pool",
                self.pool.reserved(),
                self.most
            ),
        )
    }
}
