//! What is known about 2 MiB of addresses.

use super::super::chunked::{Blank, boxed_blank};
use super::super::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use super::{GRANULE_BITS, PAGE_BITS};

/// Beginnings that a page has room for itself. Most pages have fewer, and are then one cache line.
const FEW_BITS: u32 = if cfg!(loom) { 1 } else { 3 };
const FEW: usize = 1 << FEW_BITS;

/// The bits of a mark, and how many of them are in one word.
const MARK_BITS: usize = u16::BITS as usize;
const LANES: usize = if cfg!(loom) { FEW } else { u64::BITS as usize / MARK_BITS };
const WORDS_OF_FEW: usize = FEW / LANES;

/// The lowest bit of each mark in a word, and the highest, which no mark has: there are fewer granules.
const LOWEST: u64 = {
    let (mut bits, mut lane) = (0, 0);
    while lane < LANES {
        bits |= 1 << (lane * MARK_BITS);
        lane += 1;
    }
    bits
};
const HIGHEST: u64 = LOWEST << (MARK_BITS - 1);

/// Granules of a page, the words of their bitmap, the words of the bitmap of words.
const GRANULES: usize = 1 << (PAGE_BITS - GRANULE_BITS);
const WORDS: usize = GRANULES / 64;
const SUMMARIES: usize = WORDS.div_ceil(64);

/// 2 MiB of addresses. "Beginnings" are those of ranges that begin in it, other than at its first byte.
#[repr(C)]
pub(super) struct Page {
    /// All beginnings, from when there were too many for `starts` on: what that says then is old.
    node: AtomicPtr<Node>,
    /// The record of the range that covers the page's first byte; 0: none.
    pub(super) cover: AtomicU32,
    /// The granule of each beginning, and one more; 0: none. In words, because most of them are 0 and
    /// are then done with at one look.
    starts: [AtomicU64; WORDS_OF_FEW],
    /// Their records.
    records: [AtomicU32; FEW],
}

// SAFETY: atomics; all zeros is no node and no range.
unsafe impl Blank for Page {
    #[cfg(loom)]
    fn blank() -> Self {
        Self {
            node: AtomicPtr::new(std::ptr::null_mut()),
            cover: AtomicU32::new(0),
            starts: std::array::from_fn(|_| AtomicU64::new(0)),
            records: std::array::from_fn(|_| AtomicU32::new(0)),
        }
    }
}

fn mark_of(granule: usize) -> u16 {
    granule as u16 + 1
}

/// The marks in a word.
#[inline(always)]
fn marks_in(word: u64) -> impl Iterator<Item = u16> {
    (0..LANES).map(move |lane| (word >> (lane * MARK_BITS)) as u16)
}

/// The highest bit of each mark in a word that is this one, all at once: a loop would be guessed wrong.
#[inline(always)]
fn equal_to(mark: u16, word: u64) -> u64 {
    let others = word ^ (LOWEST * u64::from(mark));
    !(others + (HIGHEST - LOWEST)) & HIGHEST
}

/// The last mark in a word that is of a granule up to `granule`, followed by its place, where `first` is that of
/// the word's first one; 0 or a place alone: there is none.
#[inline(always)]
fn last_up_to(granule: usize, word: u64, first: usize) -> usize {
    if word == 0 {
        return 0;
    }
    let last = marks_in(word).enumerate().map(|(lane, mark)| {
        let mark = usize::from(mark);
        // Without a branch, which would be guessed wrong: what begins where is as good as random.
        if mark <= granule + 1 { mark << FEW_BITS | lane } else { 0 }
    });
    last.max().unwrap_or(0) + first
}

impl Page {
    #[inline]
    fn node(&self) -> Option<&Node> {
        // SAFETY: null, or made by `spread`, and not freed before the page is dropped.
        unsafe { self.node.load(Ordering::Acquire).as_ref() }
    }

    /// The record of the range that begins last in the granules up to `granule`; where there is
    /// none, of the range that covers the page's first byte; 0: none either.
    ///
    /// What is live is found whatever else changes: nothing else begins inside it, and where a node
    /// appears meanwhile, `starts` keeps what was live before.
    #[inline(always)]
    pub(super) fn begins_last(&self, granule: usize) -> u32 {
        if let Some(node) = self.node() {
            return match node.last_start(granule) {
                Some(start) => node.record(start).unwrap_or(0),
                None => self.cover.load(Ordering::Acquire),
            };
        }
        let words: [u64; WORDS_OF_FEW] =
            std::array::from_fn(|number| self.starts[number].load(Ordering::Acquire));
        if words.iter().all(|&word| word == 0) {
            return self.cover.load(Ordering::Acquire);
        }
        let lasts: [usize; WORDS_OF_FEW] =
            std::array::from_fn(|number| last_up_to(granule, words[number], number * LANES));
        let last = lasts.into_iter().max().unwrap_or(0);
        let record = if last >> FEW_BITS == 0 { &self.cover } else { &self.records[last % FEW] };
        record.load(Ordering::Acquire)
    }

    /// The first beginning from `granule` on, likewise. Under the lock.
    pub(super) fn first_start(&self, granule: usize) -> Option<(usize, u32)> {
        if let Some(node) = self.node() {
            let start = node.first_start(granule)?;
            return Some((start, node.record(start)?));
        }
        self.few().filter(|&(start, _)| start >= granule).min()
    }

    /// The beginnings in a page without a node.
    fn few(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.marks().zip(&self.records).filter_map(|(mark, record)| {
            let start = usize::from(mark).checked_sub(1)?;
            Some((start, record.load(Ordering::Relaxed)))
        })
    }

    /// The marks of all places. Under the lock.
    #[inline]
    fn marks(&self) -> impl Iterator<Item = u16> + '_ {
        self.starts.iter().flat_map(|word| marks_in(word.load(Ordering::Relaxed)))
    }

    /// A place with this mark; of a mark other than 0 there is one at most.
    #[inline(always)]
    fn place_of(&self, mark: u16) -> Option<usize> {
        // Those of each word one bit lower than those of the word before.
        let words = self.starts.iter().enumerate();
        let places = words.fold(0, |places, (number, word)| {
            places | equal_to(mark, word.load(Ordering::Acquire)) >> number
        });
        let first = places.trailing_zeros() as usize;
        let number = MARK_BITS - 1 - first % MARK_BITS;
        (places != 0).then_some(number * LANES + first / MARK_BITS)
    }

    /// The record of the range that begins in this granule, other than at the page's first byte; where there
    /// is none, 0 or the record of one that did. As [`Self::begins_last`] it finds what is live.
    #[inline(always)]
    pub(super) fn begins_in(&self, granule: usize) -> u32 {
        match self.node() {
            Some(node) => node.record(granule).unwrap_or(0),
            None => self
                .place_of(mark_of(granule))
                .map_or(0, |place| self.records[place % FEW].load(Ordering::Acquire)),
        }
    }

    /// Under the lock; hence no atomic read-modify-write. The other marks of the word stay as they are.
    #[inline]
    fn set_mark(&self, place: usize, mark: u16) {
        let (word, shift) = (&self.starts[place / LANES], place % LANES * MARK_BITS);
        let others = word.load(Ordering::Relaxed) & !(u64::from(u16::MAX) << shift);
        word.store(others | u64::from(mark) << shift, Ordering::Release);
    }

    /// Makes room for a beginning; None: there is no memory. Under the lock.
    #[inline]
    pub(super) fn make_room(&self, granule: usize) -> Option<()> {
        match self.node() {
            Some(node) => node.make_room(granule),
            None => match self.place_of(0) {
                Some(_) => Some(()),
                None => self.spread(granule),
            },
        }
    }

    /// Makes a node of what is in the page, with room for one more.
    #[cold]
    fn spread(&self, granule: usize) -> Option<()> {
        let made = AtomicPtr::new(boxed_blank::<Node>()?.as_ptr());
        // SAFETY: just made, and nobody else's yet.
        let node = unsafe { made.load(Ordering::Relaxed).as_ref() }?;
        let granules = self.few().map(|(start, _)| start).chain([granule]);
        if granules.map(|granule| node.make_room(granule)).any(|room| room.is_none()) {
            drop_boxed(&made);
            return None;
        }
        self.few().for_each(|(start, record)| node.set_start(start, record));
        self.node.store(made.load(Ordering::Relaxed), Ordering::Release);
        Some(())
    }

    /// Makes room for a beginning and puts it there; None: there is no memory. Under the lock.
    #[inline]
    pub(super) fn begin(&self, granule: usize, record: u32) -> Option<()> {
        if self.node().is_none()
            && let Some(place) = self.place_of(0)
        {
            self.set_place(place, granule, record);
            return Some(());
        }
        self.make_room(granule)?;
        self.set_start(granule, record);
        Some(())
    }

    #[inline]
    fn set_place(&self, place: usize, granule: usize, record: u32) {
        // In this order: who sees the beginning sees its record.
        self.records[place].store(record, Ordering::Relaxed);
        self.set_mark(place, mark_of(granule));
    }

    /// A range begins in a granule that room was made for. Under the lock.
    #[inline]
    pub(super) fn set_start(&self, granule: usize, record: u32) {
        if let Some(node) = self.node() {
            return node.set_start(granule, record);
        }
        if let Some(place) = self.place_of(0) {
            self.set_place(place, granule, record);
        }
    }

    /// No range begins in this granule any more. Under the lock.
    #[inline]
    pub(super) fn clear_start(&self, granule: usize) {
        if let Some(node) = self.node() {
            return node.clear_start(granule);
        }
        if let Some(place) = self.place_of(mark_of(granule)) {
            self.set_mark(place, 0);
        }
    }

    /// All beginnings. Of a node bitmap and summary must agree.
    #[cfg(all(test, not(loom)))]
    pub(super) fn starts(&self) -> Vec<(usize, u32)> {
        self.node().map_or_else(|| self.few().collect(), Node::starts)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        drop_boxed(&self.node);
    }
}

/// Frees what `boxed_blank` made, which nobody looks at any more.
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

/// Any number of beginnings in a page.
struct Node {
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
    /// Makes room for the record of this granule; None: there is no memory. Under the lock.
    #[inline]
    fn make_room(&self, granule: usize) -> Option<()> {
        let records = &self.words[granule / 64].records;
        if records.load(Ordering::Relaxed).is_null() {
            records.store(boxed_blank()?.as_ptr(), Ordering::Release);
        }
        Some(())
    }

    /// The record of the range that begins in a granule, where one does.
    #[inline(always)]
    fn record(&self, granule: usize) -> Option<u32> {
        let records = self.words[granule / 64].records.load(Ordering::Acquire);
        // SAFETY: null, or made by `make_room`, and not freed before the node is dropped.
        let records = unsafe { records.as_ref() }?;
        Some(records.0[granule % 64].load(Ordering::Acquire))
    }

    /// The last granule up to `granule` in which a range begins.
    #[inline]
    fn last_start(&self, granule: usize) -> Option<usize> {
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
    fn first_start(&self, granule: usize) -> Option<usize> {
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

    /// A range begins in a granule that room was made for. Under the lock.
    #[inline]
    fn set_start(&self, granule: usize, record: u32) {
        let word = &self.words[granule / 64];
        // SAFETY: made by `make_room`, and not freed before the node is dropped.
        if let Some(records) = unsafe { word.records.load(Ordering::Relaxed).as_ref() } {
            records.0[granule % 64].store(record, Ordering::Release);
        }
        set_bit(&word.starts, granule % 64);
        set_bit(&self.summary[granule / 64 / 64], granule / 64 % 64);
    }

    /// Under the lock.
    #[inline]
    fn clear_start(&self, granule: usize) {
        let word = granule / 64;
        if clear_bit(&self.words[word].starts, granule % 64) == 0 {
            clear_bit(&self.summary[word / 64], word % 64);
        }
    }

    /// All granules in which a range begins, with their records. Bitmap and summary must agree.
    #[cfg(all(test, not(loom)))]
    fn starts(&self) -> Vec<(usize, u32)> {
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
