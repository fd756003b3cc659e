//! Parking: hides and shows ranges without the map's lock. A parked range keeps its record and its place in the pages,
//! but lookups do not find it. Its owner makes it live again, as it was, with one store.

use std::num::NonZeroU32;

use super::{AddressMap, HeldPlace, LIVE, Range, Record};
use crate::sync::primitives::atomic::{Ordering, fence};

/// A range as a lookup found it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RangeEntry {
    /// The number of the range's record.
    pub index: u32,
    pub(super) sequence: u64,
}

/// A parked range. Its owner makes it live again or removes it from the map. A leaked one blocks its addresses forever.
#[must_use]
#[derive(PartialEq, Eq, Debug)]
pub struct Parked(NonZeroU32);

impl Record {
    /// Parks the live range that was read with `sequence`. One of several concurrent callers gets true.
    pub(super) fn park(&self, sequence: u64) -> bool {
        self.sequence.compare_exchange(sequence, sequence + 2, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Parks the live range that was read with `sequence`, if it did not change since, without a locked instruction.
    /// Only for ranges that are removed under a lock that the caller holds.
    #[inline]
    pub(super) fn end(&self, sequence: u64) -> bool {
        let unchanged = self.sequence.load(Ordering::Relaxed) == sequence;
        if unchanged {
            self.sequence.store(sequence + 2, Ordering::Release);
        }
        unchanged
    }

    /// Makes a removed range live again, with any length, under the lock under which it was removed.
    #[inline]
    pub(super) fn show(&self, len: usize) {
        let sequence = self.sequence.load(Ordering::Relaxed);
        debug_assert!(sequence % 4 != LIVE);
        // Orders the removal before the store below: a reader of the new length for the old range sees that it was
        // removed.
        fence(Ordering::Release);
        self.len.store(len, Ordering::Relaxed);
        self.sequence.store(sequence + 2, Ordering::Release);
    }
}

impl HeldPlace<'_> {
    /// Hides the range of `entry`, which is in this place. Returns `None` if it was removed or parked since.
    pub fn park(self, entry: RangeEntry) -> Option<Parked> {
        let index = NonZeroU32::new(self.index)?;
        self.record.park(entry.sequence).then_some(Parked(index))
    }
}

impl AddressMap {
    /// Finds a range as [`AddressMap::find`] does, with the entry for [`Self::park`].
    #[cfg(test)]
    pub fn find_entry(&self, addr: usize) -> Option<(RangeEntry, Range)> {
        self.look_up(addr)
    }

    /// Finds the range that begins at this address, with its entry.
    #[cfg(test)]
    pub fn find_start(&self, base: usize) -> Option<(RangeEntry, Range)> {
        let (index, record) = self.record_at(base)?;
        let (sequence, range) = record.read()?;
        (range.base == base).then_some((RangeEntry { index, sequence }, range))
    }

    /// Hides the range of this entry, atomically for all its addresses. Returns `None` if it was removed or parked
    /// since. One of several concurrent calls gets it.
    #[inline]
    pub fn park(&self, entry: RangeEntry) -> Option<Parked> {
        let record = self.records.get(entry.index as usize)?;
        let index = NonZeroU32::new(entry.index)?;
        record.park(entry.sequence).then_some(Parked(index))
    }

    /// Makes a parked range live again and returns its first address.
    #[inline]
    pub fn unpark(&self, parked: Parked) -> usize {
        let record = &self.records[parked.0.get() as usize];
        // Only the owner changes the record: other threads neither park nor drain what is not live.
        let sequence = record.sequence.load(Ordering::Relaxed);
        let base = record.base.load(Ordering::Relaxed);
        record.sequence.store(sequence + 2, Ordering::Release);
        base
    }

    /// Removes parked ranges from the map.
    pub fn remove_parked(&self, parked: impl IntoIterator<Item = Parked>) -> Vec<Range> {
        let mut state = self.state.lock();
        let remove = |parked: Parked| {
            let range = self.records[parked.0.get() as usize].contents();
            self.detach(&mut state, parked.0.get(), &range);
            range
        };
        parked.into_iter().map(remove).collect()
    }
}

#[cfg(test)]
#[path = "parking_tests.rs"]
mod tests;
