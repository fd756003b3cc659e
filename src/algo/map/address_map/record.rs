//! The record of a range, which readers read without a lock.

use std::num::NonZeroUsize;

use super::card::Card;
use super::{Range, Reach};
use crate::map::chunked::Blank;
use crate::sync::primitives::atomic::{AtomicU64, AtomicUsize, Ordering, fence};

/// The record of a [`Range`]. The range is written only under the lock, while it is not live.
#[repr(align(64))]
pub(super) struct Record {
    /// A number that increases with every change. Its last two bits are the state: [`IN_CHANGE`], [`LIVE`],
    /// [`RETIRED`], or 0 for no range, or a parked one.
    pub(super) sequence: AtomicU64,
    pub(super) base: AtomicUsize,
    pub(super) len: AtomicUsize,
    pub(super) words: [AtomicU64; 3],
    /// The holder's data, in held pages.
    pub(super) card: Card,
}

/// The state in which a range is being written.
pub(super) const IN_CHANGE: u64 = 1;
/// The state in which readers find the range.
pub(super) const LIVE: u64 = 2;
/// The state of a range that is removed, and may be inserted again as it was.
pub(super) const RETIRED: u64 = 3;

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
    /// Returns the live range in the record, with its number, or `None` if there is none.
    #[inline(always)]
    pub(super) fn read(&self) -> Option<(u64, Range)> {
        self.read_part(|| self.contents())
    }

    /// Returns what `part` reads of the live range in the record, with its number, or `None` if there is none.
    #[inline(always)]
    pub(super) fn read_part<T>(&self, part: impl FnOnce() -> T) -> Option<(u64, T)> {
        let sequence = self.sequence.load(Ordering::Acquire);
        let part = part();
        // Orders the loads above before the one below: a reader that has read a new value reads a new number.
        fence(Ordering::Acquire);
        let unchanged = self.sequence.load(Ordering::Relaxed) == sequence;
        (sequence % 4 == LIVE && unchanged).then_some((sequence, part))
    }

    /// Returns the bytes from an address in the live range to its end.
    #[inline(always)]
    pub(super) fn reach(&self, addr: usize) -> Option<Reach> {
        let (_, (base, len, word)) = self.read_part(|| {
            let [base, len] = [&self.base, &self.len].map(|word| word.load(Ordering::Relaxed));
            (base, len, self.words[0].load(Ordering::Relaxed))
        })?;
        let left = len.checked_sub(addr.wrapping_sub(base)).and_then(NonZeroUsize::new)?;
        Some(Reach { left, word })
    }

    /// Returns the range in the record. The caller holds the lock, or checks that the sequence has not changed.
    #[inline(always)]
    pub(super) fn contents(&self) -> Range {
        Range {
            base: self.base.load(Ordering::Relaxed),
            len: self.len.load(Ordering::Relaxed),
            words: std::array::from_fn(|n| self.words[n].load(Ordering::Relaxed)),
        }
    }

    /// Writes a live range into a record without one. The caller holds the lock.
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
