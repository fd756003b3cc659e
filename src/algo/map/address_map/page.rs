//! The map's data for 2 MiB of addresses.

mod node;

use std::hint::select_unpredictable;

use super::super::chunked::{Blank, boxed_blank};
use super::PAGE_CHUNK_LEN;
use crate::sync::primitives::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use node::Node;

/// The logarithm of the number of range starts that a page has room for without a node.
const FEW_BITS: u32 = if cfg!(loom) { 1 } else { 4 };
const FEW: usize = 1 << FEW_BITS;
/// The number of starts whose records are in the head's cache line. Most pages have fewer.
const NEAR: usize = if cfg!(loom) { 1 } else { 6 };

/// The number of bits of a mark.
const MARK_BITS: usize = u16::BITS as usize;
const LANES: usize = if cfg!(loom) { FEW } else { u64::BITS as usize / MARK_BITS };
const WORDS_OF_FEW: usize = FEW / LANES;

/// The lowest bit of each mark in a word. No mark has the highest bit, because there are fewer granules.
const LOWEST: u64 = {
    let (mut bits, mut lane) = (0, 0);
    while lane < LANES {
        bits |= 1 << (lane * MARK_BITS);
        lane += 1;
    }
    bits
};
const HIGHEST: u64 = LOWEST << (MARK_BITS - 1);

/// The tag of a node that is not in use.
const IDLE: usize = 1;

fn is_idle(node: *mut Node) -> bool {
    node.addr() & IDLE != 0
}

/// The first data that is read for 2 MiB of addresses. A "start" is a range that begins in them, other than at the
/// first byte.
#[repr(C, align(64))]
struct Head {
    /// A node with all starts, once there were too many for `starts`, which is outdated then. With [`IDLE`] it is an
    /// empty node for later use.
    node: AtomicPtr<Node>,
    /// The granule of each start, plus one, or 0 for none. The marks are packed into words, because most are 0, which
    /// one load shows.
    starts: [AtomicU64; WORDS_OF_FEW],
    /// The records of the first starts.
    records: [AtomicU32; NEAR],
}

// SAFETY: atomics; all zeros is no node and no range.
unsafe impl Blank for Head {
    #[cfg(loom)]
    fn blank() -> Self {
        Self {
            node: AtomicPtr::new(std::ptr::null_mut()),
            starts: std::array::from_fn(|_| AtomicU64::new(0)),
            records: std::array::from_fn(|_| AtomicU32::new(0)),
        }
    }
}

impl Drop for Head {
    fn drop(&mut self) {
        let node = self.node.load(Ordering::Acquire).map_addr(|addr| addr & !IDLE);
        drop_boxed(&AtomicPtr::new(node));
    }
}

/// The records of all starts. Those of the first ones are in the head.
#[repr(align(64))]
struct Far([AtomicU32; FEW]);

/// The data of consecutive pages in one chunk. It is in three arrays, because a long range covers many pages of which
/// only the cover is needed, and most pages need only their head.
pub(super) struct Sheet {
    /// The record of the range that covers each page's first byte, or 0 for none.
    covers: [AtomicU32; PAGE_CHUNK_LEN],
    heads: [Head; PAGE_CHUNK_LEN],
    far: [Far; PAGE_CHUNK_LEN],
}

// SAFETY: atomics, and heads whose bytes may all be zero.
unsafe impl Blank for Sheet {
    #[cfg(loom)]
    fn blank() -> Self {
        Self {
            covers: std::array::from_fn(|_| AtomicU32::new(0)),
            heads: std::array::from_fn(|_| Head::blank()),
            far: std::array::from_fn(|_| Far(std::array::from_fn(|_| AtomicU32::new(0)))),
        }
    }
}

impl Sheet {
    /// Returns a page of this sheet, by its number among all pages.
    #[inline(always)]
    pub(super) fn page(&self, number: usize) -> Page<'_> {
        let index = number % PAGE_CHUNK_LEN;
        Page { cover: &self.covers[index], head: &self.heads[index], far: &self.far[index] }
    }
}

/// A page of 2 MiB of addresses.
#[derive(Clone, Copy)]
pub(super) struct Page<'a> {
    pub(super) cover: &'a AtomicU32,
    head: &'a Head,
    far: &'a Far,
}

fn mark_of(granule: usize) -> u16 {
    granule as u16 + 1
}

/// Returns the marks in a word.
#[inline(always)]
fn marks_in(word: u64) -> impl Iterator<Item = u16> {
    (0..LANES).map(move |lane| (word >> (lane * MARK_BITS)) as u16)
}

/// Returns the highest bit of each mark in a word that equals this one. It compares all at once, because a loop would
/// be mispredicted.
#[inline(always)]
fn equal_to(mark: u16, word: u64) -> u64 {
    let others = word ^ (LOWEST * u64::from(mark));
    !(others + (HIGHEST - LOWEST)) & HIGHEST
}

/// Returns the number of a lane's place in this word. Places of the first lanes come first.
#[inline(always)]
const fn place_in(number: usize, lane: usize) -> usize {
    lane * WORDS_OF_FEW + (WORDS_OF_FEW - 1 - number)
}

/// Returns the last mark in a word for a granule up to `granule`, combined with its place, or 0 or only a place if
/// there is none.
#[inline(always)]
fn last_up_to(granule: usize, word: u64, number: usize) -> usize {
    if word == 0 {
        return 0;
    }
    let last = marks_in(word).enumerate().map(|(lane, mark)| {
        let mark = usize::from(mark);
        // There is no branch, which would be mispredicted, because starts are nearly random.
        if mark <= granule + 1 { mark << FEW_BITS | place_in(number, lane) } else { 0 }
    });
    last.max().unwrap_or(0)
}

impl<'a> Page<'a> {
    fn node(self) -> Option<&'a Node> {
        let node = self.head.node.load(Ordering::Acquire);
        // SAFETY: null, or allocated by `spread`, and not freed before the page is dropped.
        if is_idle(node) { None } else { unsafe { node.as_ref() } }
    }

    /// Returns a page that had many starts, and has none now, to its state without a node. A concurrent reader of the
    /// node finds none. The caller holds the lock.
    #[cold]
    fn gather(self) {
        self.head.starts.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        let node = self.head.node.load(Ordering::Relaxed);
        self.head.node.store(node.map_addr(|addr| addr | IDLE), Ordering::Release);
    }

    /// Returns the record of the last range that begins in the granules up to `granule`. If there is none, returns that
    /// of the range that covers the page's first byte, or 0 without such a range.
    ///
    /// A live range is found whatever else changes: no other begins inside it, and if a node is added at the same time,
    /// `starts` keeps what was live before.
    #[inline(always)]
    pub(super) fn begins_last(self, granule: usize) -> u32 {
        if let Some(node) = self.node() {
            return match node.last_start(granule) {
                Some(start) => node.record(start).unwrap_or(0),
                None => self.cover.load(Ordering::Acquire),
            };
        }
        let words: [u64; WORDS_OF_FEW] = std::array::from_fn(|number| self.head.starts[number].load(Ordering::Acquire));
        if words.iter().all(|&word| word == 0) {
            return self.cover.load(Ordering::Acquire);
        }
        let lasts: [usize; WORDS_OF_FEW] = std::array::from_fn(|number| last_up_to(granule, words[number], number));
        let last = lasts.into_iter().max().unwrap_or(0);
        let record = if last >> FEW_BITS == 0 { self.cover } else { self.record_in(last % FEW) };
        record.load(Ordering::Acquire)
    }

    /// Returns the first start from `granule` on, or the cover. The caller holds the lock.
    pub(super) fn first_start(self, granule: usize) -> Option<(usize, u32)> {
        if let Some(node) = self.node() {
            let start = node.first_start(granule)?;
            return Some((start, node.record(start)?));
        }
        // Most pages that are searched are empty.
        if self.head.starts.iter().all(|word| word.load(Ordering::Relaxed) == 0) {
            return None;
        }
        self.few().filter(|&(start, _)| start >= granule).min()
    }

    /// Returns the starts in a page without a node. The caller holds the lock.
    fn few(self) -> impl Iterator<Item = (usize, u32)> + use<'a> {
        let marks = self.head.starts.iter().map(|word| word.load(Ordering::Relaxed)).enumerate();
        let places = marks.flat_map(|(number, word)| {
            marks_in(word).enumerate().map(move |(lane, mark)| (mark, place_in(number, lane)))
        });
        places.filter_map(move |(mark, place)| {
            let start = usize::from(mark).checked_sub(1)?;
            Some((start, self.record_in(place).load(Ordering::Relaxed)))
        })
    }

    /// Returns the record of this place.
    #[inline(always)]
    fn record_in(self, place: usize) -> &'a AtomicU32 {
        let (near, far) = (&self.head.records[place.min(NEAR - 1)], &self.far.0[place % FEW]);
        // A branch would be mispredicted in pages with many starts.
        select_unpredictable(place < NEAR, near, far)
    }

    /// Returns a place with this mark. At most one place has a mark other than 0.
    #[inline(always)]
    fn place_of(self, mark: u16) -> Option<usize> {
        // The bits of each word are shifted by one more than those of the previous word.
        let words = self.head.starts.iter().enumerate();
        let places =
            words.fold(0, |places, (number, word)| places | equal_to(mark, word.load(Ordering::Acquire)) >> number);
        let first = places.trailing_zeros() as usize;
        let (lane, number) = (first / MARK_BITS, MARK_BITS - 1 - first % MARK_BITS);
        (places != 0).then(|| place_in(number, lane))
    }

    /// Returns the record of the range that begins in this granule, other than at the page's first byte. If there is
    /// none, returns 0 or the record of a former range. Like [`Self::begins_last`], it finds what is live.
    #[inline(always)]
    pub(super) fn begins_in(self, granule: usize) -> u32 {
        match self.node() {
            Some(node) => node.record(granule).unwrap_or(0),
            None => self.place_of(mark_of(granule)).map_or(0, |place| self.record_in(place).load(Ordering::Acquire)),
        }
    }

    /// Sets a mark, and keeps the other marks of the word. The caller holds the lock, so no atomic read-modify-write is
    /// needed.
    #[inline]
    fn set_mark(self, place: usize, mark: u16) {
        let (lane, number) = (place / WORDS_OF_FEW, WORDS_OF_FEW - 1 - place % WORDS_OF_FEW);
        let (word, shift) = (&self.head.starts[number], lane * MARK_BITS);
        let others = word.load(Ordering::Relaxed) & !(u64::from(u16::MAX) << shift);
        word.store(others | u64::from(mark) << shift, Ordering::Release);
    }

    /// Moves the starts of the page to a node.
    #[cold]
    fn spread(self) -> Option<&'a Node> {
        if self.head.node.load(Ordering::Relaxed).is_null() {
            let made = Box::into_raw(boxed_blank::<Node>()?);
            self.head.node.store(made.map_addr(|addr| addr | IDLE), Ordering::Release);
        }
        let active = self.head.node.load(Ordering::Relaxed).map_addr(|addr| addr & !IDLE);
        // SAFETY: allocated above or before, and not freed before the page is dropped.
        let node = unsafe { active.as_ref() }?;
        self.few().try_for_each(|(start, _)| node.make_room(start))?;
        self.few().for_each(|(start, record)| node.set_start(start, record));
        self.head.node.store(active, Ordering::Release);
        Some(node)
    }

    /// Adds a start. Returns `None` if there is no memory. The caller holds the lock.
    #[inline(always)]
    pub(super) fn begin(self, granule: usize, record: u32) -> Option<()> {
        if self.node().is_none()
            && let Some(place) = self.place_of(0)
        {
            // The order matters: a reader that sees the start sees its record.
            self.record_in(place).store(record, Ordering::Relaxed);
            self.set_mark(place, mark_of(granule));
            return Some(());
        }
        self.begin_among_many(granule, record)
    }

    /// Adds a start to the page's node, which it creates if there is none: the page's private places are full.
    #[inline(never)]
    fn begin_among_many(self, granule: usize, record: u32) -> Option<()> {
        let node = match self.node() {
            Some(node) => node,
            None => self.spread()?,
        };
        node.make_room(granule)?;
        node.set_start(granule, record);
        Some(())
    }

    /// Removes the start in this granule. The caller holds the lock.
    #[inline]
    pub(super) fn clear_start(self, granule: usize) {
        if let Some(node) = self.node() {
            if node.clear_start(granule) {
                self.gather();
            }
            return;
        }
        if let Some(place) = self.place_of(mark_of(granule)) {
            self.set_mark(place, 0);
        }
    }

    /// Returns all starts. Checks that bitmap and summary of a node agree.
    #[cfg(all(test, not(loom)))]
    pub(super) fn starts(self) -> Vec<(usize, u32)> {
        self.node().map_or_else(|| self.few().collect(), Node::starts)
    }
}

/// Frees an object that `boxed_blank` allocated and that has no readers any more.
fn drop_boxed<T: Blank>(place: &AtomicPtr<T>) {
    let made = place.load(Ordering::Acquire);
    if !made.is_null() {
        // SAFETY: allocated by `boxed_blank` with the layout of its type; the owner of `place` ends.
        drop(unsafe { Box::from_raw(made) });
    }
}
