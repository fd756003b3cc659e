//! Ranges that come and go without the map's lock: a parked range keeps its record and its place
//! in the pages, but looking up does not find it. Its owner makes it live again, as it was, with
//! one store.

use std::num::NonZeroU32;

use super::{AddressMap, LIVE, Range, Record};
use crate::algo::sync::primitives::atomic::{Ordering, fence};

/// A range as a look-up found it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    index: u32,
    sequence: u64,
}

impl Entry {
    #[inline]
    pub(super) fn new(index: u32, sequence: u64) -> Self {
        Self { index, sequence }
    }

    /// The number of its record.
    #[inline(always)]
    pub fn index(self) -> u32 {
        self.index
    }

    pub(super) fn sequence(self) -> u64 {
        self.sequence
    }
}

/// A parked range. Who has it makes it live again or takes it out of the map; forgotten, it stays
/// in the way of other ranges for ever.
#[must_use]
#[derive(PartialEq, Eq, Debug)]
pub struct Parked(NonZeroU32);

impl Record {
    /// The live range that `sequence` was read with becomes parked. Of several callers one hears
    /// true.
    #[inline]
    pub(super) fn park(&self, sequence: u64) -> bool {
        self.sequence
            .compare_exchange(sequence, sequence + 2, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }

    /// As [`Self::park`], of a range that others end under the lock only, which the caller holds:
    /// no locked instruction then.
    #[inline]
    pub(super) fn end(&self, sequence: u64) -> bool {
        let unchanged = self.sequence.load(Ordering::Relaxed) == sequence;
        if unchanged {
            self.sequence.store(sequence + 2, Ordering::Release);
        }
        unchanged
    }

    /// Makes a range live again that was ended, with another length maybe, under the lock that it was ended
    /// under.
    #[inline]
    pub(super) fn show(&self, len: usize) {
        let sequence = self.sequence.load(Ordering::Relaxed);
        debug_assert!(sequence % 4 != LIVE);
        // Orders the end before the store below: who reads the new length for the old range's sees that it
        // has ended.
        fence(Ordering::Release);
        self.len.store(len, Ordering::Relaxed);
        self.sequence.store(sequence + 2, Ordering::Release);
    }
}

impl AddressMap {
    /// As [`AddressMap::find`], with what [`Self::park`] wants to know.
    #[inline]
    pub fn find_entry(&self, addr: usize) -> Option<(Entry, Range)> {
        self.look_up(addr)
    }

    /// As [`Self::find_entry`], of the range that begins at this very address, with fewer looks.
    #[inline(always)]
    pub fn find_start(&self, base: usize) -> Option<(Entry, Range)> {
        let (index, record) = self.record_at(base)?;
        let (sequence, range) = record.read()?;
        (range.base == base).then_some((Entry::new(index, sequence), range))
    }

    /// Takes a range that was found out of sight, at one moment for all its addresses. None if it
    /// was removed or parked since: of several racing threads one gets it.
    #[inline]
    pub fn park(&self, entry: Entry) -> Option<Parked> {
        let record = self.records.get(entry.index as usize)?;
        let index = NonZeroU32::new(entry.index)?;
        record.park(entry.sequence).then_some(Parked(index))
    }

    /// Makes a parked range live again and returns its first address.
    #[inline]
    pub fn unpark(&self, parked: Parked) -> usize {
        let record = &self.records[parked.0.get() as usize];
        // Nobody else changes it: neither do racing threads park what is not live, nor does a
        // drain take it.
        let sequence = record.sequence.load(Ordering::Relaxed);
        let base = record.base.load(Ordering::Relaxed);
        record.sequence.store(sequence + 2, Ordering::Release);
        base
    }

    /// Takes parked ranges out of the map.
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
