//! What is known about 2 MiB of addresses.

use super::super::chunked::{Blank, boxed_blank};
use super::super::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use super::{GRANULE_BITS, PAGE_BITS};

/// Granules of a page, the words of their bitmap, the words of the bitmap of words.
const GRANULES: usize = 1 << (PAGE_BITS - GRANULE_BITS);
const WORDS: usize = GRANULES / 64;
const SUMMARIES: usize = WORDS.div_ceil(64);

/// 2 MiB of addresses.
pub(super) struct Page {
    /// Made when the first range begins in the page, other than at its first byte.
    node: AtomicPtr<Node>,
    /// The record of the range that covers the page's first byte; 0: none.
    pub(super) cover: AtomicU32,
}

// SAFETY: atomics; all zeros is no node and no range.
unsafe impl Blank for Page {
    #[cfg(loom)]
    fn blank() -> Self {
        Self { node: AtomicPtr::new(std::ptr::null_mut()), cover: AtomicU32::new(0) }
    }
}

impl Page {
    #[inline]
    pub(super) fn node(&self) -> Option<&Node> {
        // SAFETY: null, or made by `ensure_node`, and not freed before the page is dropped.
        unsafe { self.node.load(Ordering::Acquire).as_ref() }
    }

    /// The record of the range that begins last in the granules up to `granule`; where there is
    /// none, of the range that covers the page's first byte; 0: none either.
    #[inline(always)]
    pub(super) fn begins_last(&self, granule: usize) -> u32 {
        if let Some(node) = self.node()
            && let Some(start) = node.last_start(granule)
        {
            return node.record(start).unwrap_or(0);
        }
        self.cover.load(Ordering::Acquire)
    }

    /// The node, with a place for the record of this granule. Under the lock.
    #[inline]
    pub(super) fn ensure_node(&self, granule: usize) -> Option<&Node> {
        ensure(&self.node)?;
        let node = self.node()?;
        ensure(&node.words[granule / 64].records)?;
        Some(node)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        drop_boxed(&self.node);
    }
}

/// Makes what is not there yet; None: there is no memory.
#[inline]
fn ensure<T: Blank>(place: &AtomicPtr<T>) -> Option<()> {
    if place.load(Ordering::Relaxed).is_null() {
        place.store(boxed_blank()?.as_ptr(), Ordering::Release);
    }
    Some(())
}

/// Frees what [`ensure`] made, which nobody looks at any more.
fn drop_boxed<T: Blank>(place: &AtomicPtr<T>) {
    let made = place.load(Ordering::Acquire);
    if !made.is_null() {
        // SAFETY: made by `boxed_blank` with the layout of its type; the owner of `place` ends.
        drop(unsafe { Box::from_raw(made) });
    }
}

/// The records of 64 granules; of granules without a start, anything.
struct Records([AtomicU32; 64]);

// SAFETY: atomics; all zeros is no record.
unsafe impl Blank for Records {
    #[cfg(loom)]
    fn blank() -> Self {
        Self(std::array::from_fn(|_| AtomicU32::new(0)))
    }
}

/// 64 granules.
struct Word {
    /// A bit per granule in which a range begins.
    starts: AtomicU64,
    /// Made with the first of them: most pages have few ranges, or none but large ones.
    records: AtomicPtr<Records>,
}

impl Drop for Word {
    fn drop(&mut self) {
        drop_boxed(&self.records);
    }
}

/// The ranges that begin in a page, other than at its first byte.
pub(super) struct Node {
    words: [Word; WORDS],
    /// A bit per word of granules that is not 0.
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
    /// The record of the range that begins in a granule, where one does.
    #[inline(always)]
    pub(super) fn record(&self, granule: usize) -> Option<u32> {
        let records = self.words[granule / 64].records.load(Ordering::Acquire);
        // SAFETY: null, or made by `ensure_node`, and not freed before the node is dropped.
        let records = unsafe { records.as_ref() }?;
        Some(records.0[granule % 64].load(Ordering::Acquire))
    }

    /// The last granule up to `granule` in which a range begins.
    #[inline]
    pub(super) fn last_start(&self, granule: usize) -> Option<usize> {
        let mut word = granule / 64;
        let up_to_granule = u64::MAX >> (63 - granule % 64);
        let mut bits = self.words[word].starts.load(Ordering::Acquire) & up_to_granule;
        // More than one turn only when the summary is older than the word.
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

    /// The first granule from `granule` on in which a range begins. Under the lock.
    #[inline]
    pub(super) fn first_start(&self, granule: usize) -> Option<usize> {
        let starts = |word: usize| self.words[word].starts.load(Ordering::Relaxed);
        let word = granule / 64;
        let from_granule = starts(word) & u64::MAX << (granule % 64);
        if from_granule != 0 {
            return Some(word * 64 + from_granule.trailing_zeros() as usize);
        }
        // Two shifts, because one by 64 is none.
        let mut behind_word = u64::MAX << (word % 64) << 1;
        (word / 64..SUMMARIES).find_map(|group| {
            let words = self.summary[group].load(Ordering::Relaxed) & behind_word;
            behind_word = u64::MAX;
            let word = group * 64 + words.trailing_zeros() as usize;
            (words != 0).then(|| word * 64 + starts(word).trailing_zeros() as usize)
        })
    }

    /// Under the lock.
    pub(super) fn has_start(&self, granule: usize) -> bool {
        self.words[granule / 64].starts.load(Ordering::Relaxed) & 1 << (granule % 64) != 0
    }

    /// A range begins in a granule that `ensure_node` was called for. Under the lock.
    #[inline]
    pub(super) fn set_start(&self, granule: usize, record: u32) {
        let word = &self.words[granule / 64];
        // SAFETY: made by `ensure_node`, and not freed before the node is dropped.
        if let Some(records) = unsafe { word.records.load(Ordering::Relaxed).as_ref() } {
            records.0[granule % 64].store(record, Ordering::Release);
        }
        set_bit(&word.starts, granule % 64);
        set_bit(&self.summary[granule / 64 / 64], granule / 64 % 64);
    }

    /// Under the lock.
    #[inline]
    pub(super) fn clear_start(&self, granule: usize) {
        let word = granule / 64;
        if clear_bit(&self.words[word].starts, granule % 64) == 0 {
            clear_bit(&self.summary[word / 64], word % 64);
        }
    }

    /// All granules in which a range begins, with their records. Bitmap and summary must agree.
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

/// Not an atomic read-modify-write: writers hold the lock.
fn set_bit(word: &AtomicU64, bit: usize) {
    word.store(word.load(Ordering::Relaxed) | 1 << bit, Ordering::Release);
}

/// As [`set_bit`]; returns what is left.
fn clear_bit(word: &AtomicU64, bit: usize) -> u64 {
    let left = word.load(Ordering::Relaxed) & !(1 << bit);
    word.store(left, Ordering::Release);
    left
}
