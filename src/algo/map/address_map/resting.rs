//! Ranges that are gone and may come back as they were. A resting range keeps its record and its place in the
//! pages, but nobody finds it. Whoever inserts the very same range again has it back without the map's lock;
//! whatever else is to be where it rests takes its place. So nobody has to remember it.

use super::parking::Entry;
use super::{AddressMap, InsertError, LIVE, RESTING, Range, Record, State};
use crate::algo::sync::primitives::atomic::{Ordering, fence};

impl Record {
    /// The live range that `sequence` was read with rests. Who ends it holds a lock of its owner's: no locked
    /// instruction then.
    #[inline]
    fn rest(&self, sequence: u64) -> bool {
        let unchanged = self.sequence.load(Ordering::Relaxed) == sequence;
        if unchanged {
            self.sequence.store(sequence + (RESTING - LIVE), Ordering::Release);
        }
        unchanged
    }

    /// Makes this range live again if it is what rests here.
    #[inline(always)]
    fn wake(&self, range: Range) -> bool {
        let sequence = self.sequence.load(Ordering::Acquire);
        let rests = self.contents();
        // One by one, in registers: compared as a whole they would be written to memory first.
        let is_same = rests.base == range.base
            && rests.len == range.len
            && rests.words.iter().zip(range.words).all(|(&mine, word)| mine == word);
        if sequence % 4 != RESTING || !is_same {
            return false;
        }
        // As in `read_part`: who has read what another range wrote does not find the old number.
        fence(Ordering::Acquire);
        self.go_on(sequence, 4 - RESTING + LIVE)
    }

    /// A range rests here, which may be live again at the next moment.
    pub(super) fn is_resting(&self) -> bool {
        self.sequence.load(Ordering::Relaxed) % 4 == RESTING
    }

    /// The resting range in it, if there is one, is gone for good. Under the lock.
    fn forget(&self) -> bool {
        let sequence = self.sequence.load(Ordering::Relaxed);
        sequence % 4 == RESTING && self.go_on(sequence, 4 - RESTING)
    }

    /// Others may change the number at the same time.
    #[inline(always)]
    fn go_on(&self, sequence: u64, steps: u64) -> bool {
        self.sequence
            .compare_exchange(sequence, sequence + steps, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }
}

impl AddressMap {
    /// Ends a range that was found as this entry, at one moment for all its addresses, and leaves it resting.
    /// Under a lock of its owner's, under which alone such ranges are ended. False if it was ended since.
    #[inline]
    pub fn rest(&self, entry: Entry) -> bool {
        self.record(entry.index()).is_some_and(|record| record.rest(entry.sequence()))
    }

    /// Makes this very range live again, if it rests in the record with this number, any one.
    #[inline(always)]
    pub fn wake_in(&self, index: u32, range: Range) -> bool {
        self.record(index).is_some_and(|record| record.wake(range))
    }

    /// As [`Self::insert`], quicker where this very range rests.
    #[inline(always)]
    pub fn insert_again(&self, range: Range) -> Result<(), InsertError> {
        let Range { base, len, words: [first, second, third] } = range;
        match self.record_at(base) {
            Some((_, record)) if record.wake(range) => Ok(()),
            _ => self.insert_words(base, len, first, second, third),
        }
    }

    /// As [`Self::insert`], with a range in registers: in memory it would be written just before it is compared.
    #[inline(never)]
    fn insert_words(
        &self,
        base: usize,
        len: usize,
        first: u64,
        second: u64,
        third: u64,
    ) -> Result<(), InsertError> {
        self.insert(Range { base, len, words: [first, second, third] })
    }

    /// Removes what rests in this record; false: nothing does.
    pub(super) fn remove_resting(&self, state: &mut State, index: u32) -> bool {
        let record = &self.records[index as usize];
        let forgotten = record.forget();
        if forgotten {
            self.detach(state, index, &record.contents());
        }
        forgotten
    }

    /// Removes all that rests.
    #[cold]
    pub(super) fn remove_all_resting(&self, state: &mut State) {
        for index in 1..state.fresh {
            self.remove_resting(state, index);
        }
    }
}

#[cfg(test)]
#[path = "resting_tests.rs"]
mod tests;
