//! Retired ranges: removed ranges that may be inserted again as they were. A retired range keeps its record and its
//! place in the pages, but lookups do not find it. Inserting the same range again revives it without the map's lock.
//! Inserting another range at its addresses replaces it. So no caller has to remember it.

use super::parking::RangeEntry;
use super::{AddressMap, FreeRecords, InsertError, LIVE, RETIRED, Range, Record};
use crate::host::grow::Grow;
use crate::sync::primitives::atomic::{Ordering, fence};

/// The number of ranges that [`AddressMap::drain`] returns if there is no memory for more.
const FEW: usize = 256;

impl Record {
    /// Retires the live range that was read with `sequence`. The caller holds a lock of the owner, so no locked
    /// instruction is needed.
    #[inline]
    fn retire(&self, sequence: u64) -> bool {
        let unchanged = self.sequence.load(Ordering::Relaxed) == sequence;
        if unchanged {
            self.sequence.store(sequence + (RETIRED - LIVE), Ordering::Release);
        }
        unchanged
    }

    /// Revives this range if it is retired in this record.
    #[inline(always)]
    fn revive(&self, range: Range) -> bool {
        let sequence = self.sequence.load(Ordering::Acquire);
        let rests = self.contents();
        // This compares field by field, in registers: a comparison as a whole would write them to memory first.
        let is_same = rests.base == range.base
            && rests.len == range.len
            && rests.words.iter().zip(range.words).all(|(&mine, word)| mine == word);
        if sequence % 4 != RETIRED || !is_same {
            return false;
        }
        // As in `read_part`, a thread that has read another range's words does not find the old sequence.
        fence(Ordering::Acquire);
        self.go_on(sequence, 4 - RETIRED + LIVE)
    }

    /// Whether a retired range is in the record. It may be revived at any moment.
    pub(super) fn is_retired(&self) -> bool {
        self.sequence.load(Ordering::Relaxed) % 4 == RETIRED
    }

    /// Removes the retired range in the record for good, if there is one. The caller holds the lock.
    fn forget(&self) -> bool {
        let sequence = self.sequence.load(Ordering::Relaxed);
        sequence % 4 == RETIRED && self.go_on(sequence, 4 - RETIRED)
    }

    /// Advances the sequence, which other threads may change at the same time.
    #[inline(always)]
    fn go_on(&self, sequence: u64, steps: u64) -> bool {
        self.sequence.compare_exchange(sequence, sequence + steps, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

impl AddressMap {
    /// Removes and returns ranges for which `wanted` returns true; it runs under the map's lock. Returns all of them,
    /// or some if there is no memory for a list of all. An empty result means that none is left. Retired ranges are
    /// removed, but not returned.
    pub fn drain(&self, wanted: impl Fn(&Range) -> bool) -> Vec<Range> {
        let mut state = self.state.lock();
        let mut drained = Vec::new();
        let most = state.fresh as usize - 1 - state.free.len();
        if drained.make_room(most).is_err() {
            drained.reserve_exact(FEW.min(most));
        }
        for index in 1..state.fresh {
            if drained.len() == drained.capacity() {
                break;
            }
            let record = &self.records[index as usize];
            if let Some((sequence, range)) = record.read()
                && wanted(&range)
                && self.erase(&mut state, RangeEntry { index, sequence }, &range)
            {
                drained.push(range);
            } else if record.is_retired() && wanted(&record.contents()) {
                self.remove_retired(&mut state, index);
            }
        }
        drained
    }

    /// Removes the range of this entry, atomically for all its addresses, and leaves it retired. The caller holds a
    /// lock of its owner, under which alone such ranges are removed. Returns false if it was removed since.
    pub fn retire(&self, entry: RangeEntry) -> bool {
        self.record(entry.index).is_some_and(|record| record.retire(entry.sequence))
    }

    /// Revives this range, if it is retired in the record with this number, which may be any number.
    #[inline(always)]
    pub fn revive_in(&self, index: u32, range: Range) -> bool {
        self.record(index).is_some_and(|record| record.revive(range))
    }

    /// Registers a range. It is faster than [`Self::insert`] if this range is retired.
    #[inline(always)]
    pub fn insert_again(&self, range: Range) -> Result<(), InsertError> {
        let Range { base, len, words: [first, second, third] } = range;
        match self.record_at(base) {
            Some((_, record)) if record.revive(range) => Ok(()),
            _ => self.insert_words(base, len, first, second, third),
        }
    }

    /// Registers a range that is passed in registers: in memory it would be written just before it is compared.
    #[inline(never)]
    fn insert_words(&self, base: usize, len: usize, first: u64, second: u64, third: u64) -> Result<(), InsertError> {
        self.insert(Range { base, len, words: [first, second, third] })
    }

    /// Removes the retired range in this record. Returns false if there is none.
    pub(super) fn remove_retired(&self, state: &mut FreeRecords, index: u32) -> bool {
        let record = &self.records[index as usize];
        let forgotten = record.forget();
        if forgotten {
            self.detach(state, index, &record.contents());
        }
        forgotten
    }

    /// Removes all retired ranges.
    #[cold]
    pub(super) fn remove_all_retired(&self, state: &mut FreeRecords) {
        for index in 1..state.fresh {
            self.remove_retired(state, index);
        }
    }
}

#[cfg(test)]
#[path = "retired_tests.rs"]
mod tests;
