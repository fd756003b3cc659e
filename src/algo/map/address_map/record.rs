//! The record of a range, which readers read without a lock. Hints: the record in which a range was found is tried
//! first at the next look-up, which skips the pages when one range is looked up repeatedly.

use std::num::NonZeroUsize;

use super::{AddressMap, Range, Reach};
use crate::algo::alloc::pool::Card;
use crate::algo::map::chunked::Blank;
use crate::algo::sync::primitives::atomic::{AtomicU64, AtomicUsize, Ordering, fence};

/// The record of a [`Range`]. The range is written under the lock only, while it is not live.
#[repr(align(64))]
pub(super) struct Record {
    /// Its last two bits are the state: [`IN_CHANGE`], [`LIVE`], [`RETIRED`], or 0: no range, or a parked one. It
    /// increases with every change.
    pub(super) sequence: AtomicU64,
    pub(super) base: AtomicUsize,
    pub(super) len: AtomicUsize,
    pub(super) words: [AtomicU64; 3],
    /// The holder's data, in held pages.
    pub(super) card: Card,
}

/// A range is being written.
pub(super) const IN_CHANGE: u64 = 1;
/// Readers find the range.
pub(super) const LIVE: u64 = 2;
/// The range is removed, and may be inserted again as it was.
pub(super) const RETIRED: u64 = 3;
/// From [`LIVE`] to the next state without a range, or with a parked one.
pub(super) const GONE: u64 = 4 - LIVE;

// SAFETY: atomics; all zeros is no range.
unsafe impl Blank for Record {
    #[cfg(loom)]
    fn blank() -> Self {
        Self {
            sequence: AtomicU64::new(0),
            base: AtomicUsize::new(0),
            len: AtomicUsize::new(0),
            words: std::array::from_fn(|_| AtomicU64::new(0)),
            card: Card::default(),
        }
    }
}

impl Record {
    /// The live range in it, with its number; `None` when there is none.
    #[inline(always)]
    pub(super) fn read(&self) -> Option<(u64, Range)> {
        self.read_part(|| self.contents())
    }

    /// What `part` reads of the live range in it, with its number; `None` when there is none.
    #[inline(always)]
    pub(super) fn read_part<T>(&self, part: impl FnOnce() -> T) -> Option<(u64, T)> {
        let sequence = self.sequence.load(Ordering::Acquire);
        let part = part();
        // Orders the loads above before the one below: who saw a new value sees a new number.
        fence(Ordering::Acquire);
        let unchanged = self.sequence.load(Ordering::Relaxed) == sequence;
        (sequence % 4 == LIVE && unchanged).then_some((sequence, part))
    }

    /// The bytes from an address in the live range to its end.
    #[inline(always)]
    pub(super) fn reach(&self, addr: usize) -> Option<Reach> {
        let (_, (base, len, word)) = self.read_part(|| {
            let [base, len] = [&self.base, &self.len].map(|word| word.load(Ordering::Relaxed));
            (base, len, self.words[0].load(Ordering::Relaxed))
        })?;
        let left = len.checked_sub(addr.wrapping_sub(base)).and_then(NonZeroUsize::new)?;
        Some(Reach { left, word })
    }

    /// The words in it. Under the lock, or if the sequence has not changed.
    #[inline(always)]
    pub(super) fn contents(&self) -> Range {
        Range {
            base: self.base.load(Ordering::Relaxed),
            len: self.len.load(Ordering::Relaxed),
            words: std::array::from_fn(|n| self.words[n].load(Ordering::Relaxed)),
        }
    }

    /// Other threads may change the sequence at the same time: one of several concurrent callers gets true.
    #[inline(always)]
    pub(super) fn go_on(&self, sequence: u64, steps: u64) -> bool {
        self.sequence.compare_exchange(sequence, sequence + steps, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// As [`Self::go_on`], for a live range that is only removed, or retired, under a lock that the caller holds:
    /// without a locked instruction.
    #[inline]
    pub(super) fn end(&self, sequence: u64, steps: u64) -> bool {
        let unchanged = self.sequence.load(Ordering::Relaxed) == sequence;
        if unchanged {
            self.sequence.store(sequence + steps, Ordering::Release);
        }
        unchanged
    }

    /// Writes a live range where none is. Under the lock.
    pub(super) fn write(&self, range: &Range) {
        let sequence = self.sequence.load(Ordering::Relaxed);
        self.sequence.store(sequence + IN_CHANGE, Ordering::Relaxed);
        // Orders the store above before those below.
        fence(Ordering::Release);
        self.base.store(range.base, Ordering::Relaxed);
        self.len.store(range.len, Ordering::Relaxed);
        for (to, &from) in self.words.iter().zip(&range.words) {
            to.store(from, Ordering::Relaxed);
        }
        self.sequence.store(sequence + LIVE, Ordering::Release);
    }
}

/// A record that had a range. It is never freed, and its live range, which may be another one by now, is in the map:
/// the record contains the range of an address, or it does not.
#[derive(Clone, Copy, Default)]
pub struct Hint<'a>(Option<&'a Record>);

impl<'a> Hint<'a> {
    /// No record.
    pub const NONE: Self = Self(None);

    /// As [`AddressMap::reach`], if the range is there.
    #[inline]
    pub fn reach(self, addr: usize) -> Option<Reach> {
        self.0?.reach(addr)
    }
}

impl AddressMap {
    /// The number of the record of the range that begins at this very address.
    pub fn record_of(&self, base: usize) -> Option<u32> {
        let (index, record) = self.record_at(base)?;
        let (_, begins) = record.read_part(|| record.base.load(Ordering::Relaxed))?;
        (begins == base).then_some(index)
    }

    /// As [`Self::reach`], with the record.
    #[inline]
    pub fn reach_with_hint(&self, addr: usize) -> Option<(Hint<'_>, Reach)> {
        self.look_up_by(addr, move |index| {
            let record = self.record(index)?;
            Some((Hint(Some(record)), record.reach(addr)?))
        })
    }
}

#[cfg(all(test, not(loom)))]
#[path = "record_tests.rs"]
mod tests;

#[cfg(loom)]
#[cfg(test)]
#[path = "record_models.rs"]
mod loom_record;
