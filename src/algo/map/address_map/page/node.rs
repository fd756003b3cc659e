//! A node: any number of range starts in a page.

use super::drop_boxed;
use crate::map::address_map::{GRANULE_BITS, PAGE_BITS};
use crate::map::chunked::{Blank, boxed_blank};
use crate::sync::primitives::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// The number of granules of a page.
const GRANULES: usize = 1 << (PAGE_BITS - GRANULE_BITS);
const WORDS: usize = GRANULES / 64;
const SUMMARIES: usize = WORDS.div_ceil(64);

/// The records of 64 granules; undefined for granules without a start.
struct Records([AtomicU32; 64]);

// SAFETY: atomics; all zeros is no record.
unsafe impl Blank for Records {
    #[cfg(loom)]
    fn blank() -> Self {
        Self(std::array::from_fn(|_| AtomicU32::new(0)))
    }
}

/// The starts in 64 granules.
struct Word {
    /// The granules in which a range begins, one bit each.
    starts: AtomicU64,
    /// The records, which are allocated with the first start: most pages have few ranges, or only large ones.
    records: AtomicPtr<Records>,
}

impl Drop for Word {
    fn drop(&mut self) {
        drop_boxed(&self.records);
    }
}

/// Any number of starts in a page.
pub(super) struct Node {
    words: [Word; WORDS],
    /// The words of granules that are not 0, one bit each.
    summary: [AtomicU64; SUMMARIES],
}

// SAFETY: atomics; all zeros is no start.
unsafe impl Blank for Node {
    #[cfg(loom)]
    fn blank() -> Self {
        Self {
            words: std::array::from_fn(|_| Word {
                starts: AtomicU64::new(0),
                records: AtomicPtr::new(std::ptr::null_mut()),
            }),
            summary: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }
}

impl Node {
    /// Makes room for the record of this granule. Returns `None` if there is no memory. The caller holds the lock.
    #[inline]
    pub(super) fn make_room(&self, granule: usize) -> Option<()> {
        let records = &self.words[granule / 64].records;
        if records.load(Ordering::Relaxed).is_null() {
            records.store(Box::into_raw(boxed_blank()?), Ordering::Release);
        }
        Some(())
    }

    /// Returns the record of the range that begins in a granule, if one does.
    #[inline(always)]
    pub(super) fn record(&self, granule: usize) -> Option<u32> {
        let records = self.words[granule / 64].records.load(Ordering::Acquire);
        // SAFETY: null, or allocated by `make_room`, and not freed before the node is dropped.
        let records = unsafe { records.as_ref() }?;
        Some(records.0[granule % 64].load(Ordering::Acquire))
    }

    /// Returns the last granule up to `granule` in which a range begins.
    #[inline]
    pub(super) fn last_start(&self, granule: usize) -> Option<usize> {
        let mut word = granule / 64;
        let up_to_granule = u64::MAX >> (63 - granule % 64);
        let mut bits = self.words[word].starts.load(Ordering::Acquire) & up_to_granule;
        // A second iteration takes place only if the summary is older than the word.
        while bits == 0 {
            word = self.last_word_before(word)?;
            bits = self.words[word].starts.load(Ordering::Acquire);
        }
        Some(word * 64 + bits.ilog2() as usize)
    }

    #[inline]
    fn last_word_before(&self, word: usize) -> Option<usize> {
        let mut group = word / 64;
        let below_word = (1 << (word % 64)) - 1;
        let mut bits = self.summary[group].load(Ordering::Acquire) & below_word;
        while bits == 0 {
            group = group.checked_sub(1)?;
            bits = self.summary[group].load(Ordering::Acquire);
        }
        Some(group * 64 + bits.ilog2() as usize)
    }

    /// Returns the first granule from `granule` on in which a range begins. The caller holds the lock.
    #[inline]
    pub(super) fn first_start(&self, granule: usize) -> Option<usize> {
        let starts = |word: usize| self.words[word].starts.load(Ordering::Relaxed);
        let word = granule / 64;
        let from_granule = starts(word) & u64::MAX << (granule % 64);
        if from_granule != 0 {
            return Some(word * 64 + from_granule.trailing_zeros() as usize);
        }
        // There are two shifts, because a shift by 64 has no effect.
        let mut behind_word = u64::MAX << (word % 64) << 1;
        (word / 64..SUMMARIES).find_map(|group| {
            let words = self.summary[group].load(Ordering::Relaxed) & behind_word;
            behind_word = u64::MAX;
            let word = group * 64 + words.trailing_zeros() as usize;
            (words != 0).then(|| word * 64 + starts(word).trailing_zeros() as usize)
        })
    }

    /// Adds a start in a granule that has room. The caller holds the lock.
    #[inline]
    pub(super) fn set_start(&self, granule: usize, record: u32) {
        let word = &self.words[granule / 64];
        // SAFETY: allocated by `make_room`, and not freed before the node is dropped.
        if let Some(records) = unsafe { word.records.load(Ordering::Relaxed).as_ref() } {
            records.0[granule % 64].store(record, Ordering::Release);
        }
        set_bit(&word.starts, granule % 64);
        set_bit(&self.summary[granule / 64 / 64], granule / 64 % 64);
    }

    /// Removes a start. Returns whether none is left. The caller holds the lock.
    #[inline]
    pub(super) fn clear_start(&self, granule: usize) -> bool {
        let word = granule / 64;
        clear_bit(&self.words[word].starts, granule % 64) == 0
            && clear_bit(&self.summary[word / 64], word % 64) == 0
            && self.summary.iter().all(|words| words.load(Ordering::Relaxed) == 0)
    }

    /// Returns all granules in which a range begins, with their records. Bitmap and summary must agree.
    #[cfg(all(test, not(loom)))]
    pub(super) fn starts(&self) -> Vec<(usize, u32)> {
        let mut starts = Vec::new();
        for (word, Word { starts: bits, .. }) in self.words.iter().enumerate() {
            let bits = bits.load(Ordering::Relaxed);
            let summary = self.summary[word / 64].load(Ordering::Relaxed) >> (word % 64) & 1;
            assert_eq!(summary == 1, bits != 0);
            for granule in (0..64).filter(|bit| bits >> bit & 1 == 1).map(|bit| word * 64 + bit) {
                starts.push((granule, self.record(granule).expect("a start has a record")));
            }
        }
        starts
    }
}

/// Sets a bit without an atomic read-modify-write, because writers hold the lock.
fn set_bit(word: &AtomicU64, bit: usize) {
    word.store(word.load(Ordering::Relaxed) | 1 << bit, Ordering::Release);
}

/// Clears a bit in the same way. Returns what is left of the word.
fn clear_bit(word: &AtomicU64, bit: usize) -> u64 {
    let left = word.load(Ordering::Relaxed) & !(1 << bit);
    word.store(left, Ordering::Release);
    left
}
