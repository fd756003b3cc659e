//! The address map: finds the registered range that contains an address.
//!
//! Ranges do not overlap and may begin and end at any byte. A lookup takes no lock, never waits and writes no shared
//! memory; changes take one lock.
//!
//! Addresses are divided into pages of 2 MiB. A page knows the range that covers its first byte, and the 256-byte
//! granules in which other ranges begin: a few in itself, more in a `Node`, a bitmap. The range of an address is the
//! last one that begins at or before it in its page. If there is none, it is the one that covers the page's first byte,
//! if any.
//!
//! Readers need no lock for this reason: while a range is registered, no other begins inside it, so a reader of an
//! address inside it reaches its record whatever changes at other addresses. Records are reused but stay records. Each
//! has a sequence number, and if that changes while a reader reads the record, the range is gone. A range ends when
//! that number changes, at one moment for all its addresses. It begins to exist page by page while `insert` runs. A
//! parked or retired range that is registered again exists again at one moment.

mod card;
mod held;
mod hint;
mod page;
mod parking;
mod range;
mod record;
mod retired;

use super::chunked::Chunked;
use crate::host::grow::Grow;
use crate::sync::primitives::atomic::Ordering;
use crate::sync::primitives::const_unless_loom;
use crate::sync::spin_lock::SpinLock;

pub use held::HeldPlace;
pub use hint::Hint;
use page::{Page, Sheet};
pub use parking::{Parked, RangeEntry};
pub use range::{InsertError, Range, Reach};
use record::{LIVE, RETIRED, Record};

/// The number of bits of user-space addresses of the supported machines: 47 on x86-64, 48 on aarch64, where mappings
/// begin at its top. Loom uses four small pages. Miri visits every atomic of a chunk when a reference to it is created,
/// and uses small chunks.
const ADDRESS_BITS: u32 = if cfg!(loom) {
    PAGE_BITS + 2
} else if cfg!(miri) {
    30
} else {
    48
};
const PAGE_BITS: u32 = if cfg!(loom) { GRANULE_BITS + 7 } else { 21 };
const PAGE_LEN: usize = 1 << PAGE_BITS;
const GRANULE_BITS: u32 = 8;

/// The number of chunks of pages. A chunk covers 16 GiB of addresses.
const PAGE_CHUNKS: usize = 1 << (ADDRESS_BITS - PAGE_BITS).div_ceil(2);
const PAGE_CHUNK_LEN: usize = (1 << (ADDRESS_BITS - PAGE_BITS)) / PAGE_CHUNKS;

const RECORD_CHUNK_LEN: usize = if cfg!(loom) { 2 } else { 1 << RECORD_CHUNK_BITS };
const RECORD_CHUNKS: usize = if cfg!(loom) { 2 } else { 1 << RECORD_CHUNK_BITS };
const RECORD_CHUNK_BITS: u32 = if cfg!(miri) { 4 } else { 12 };
/// The number of records. Their numbers are smaller.
pub const MAX_RECORDS: u32 = (RECORD_CHUNKS * RECORD_CHUNK_LEN) as u32;

fn page_of(addr: usize) -> usize {
    addr >> PAGE_BITS
}

fn begins_page(addr: usize) -> bool {
    addr.is_multiple_of(PAGE_LEN)
}

fn granule_of(addr: usize) -> usize {
    (addr & (PAGE_LEN - 1)) >> GRANULE_BITS
}

/// Returns the last of these addresses, which must be in user space.
fn last_of(base: usize, len: usize) -> Result<usize, InsertError> {
    let last = base.checked_add(len - 1);
    last.filter(|last| last >> ADDRESS_BITS == 0).ok_or(InsertError::Unaddressable)
}

/// Returns the pages whose first byte the range covers.
fn covered_pages(range: &Range) -> impl Iterator<Item = usize> + use<> {
    range.base.div_ceil(PAGE_LEN)..page_of(range.last()) + 1
}

/// The state of writers.
struct FreeRecords {
    /// The numbers of the free records.
    free: Vec<u32>,
    /// The first record that was never used. Record 0 is never used: as an index it means "none".
    fresh: u32,
}

/// A map of the registered ranges of addresses.
pub struct AddressMap {
    sheets: Chunked<Sheet, PAGE_CHUNKS, 1>,
    records: Chunked<Record, RECORD_CHUNKS, RECORD_CHUNK_LEN>,
    state: SpinLock<FreeRecords>,
}

impl AddressMap {
    const_unless_loom! {
        /// Creates an empty map.
        #[expect(clippy::new_without_default, reason = "a map is a static outside of models, which a constant makes")]
        pub fn new() -> Self {
            Self {
                sheets: Chunked::new(),
                records: Chunked::new(),
                state: SpinLock::new(FreeRecords { free: Vec::new(), fresh: 1 }),
            }
        }
    }

    /// Registers a range. The time grows with the number of 2 MiB pages that it covers.
    pub fn insert(&self, range: Range) -> Result<(), InsertError> {
        ensure!(range.len != 0, InsertError::Empty);
        let last = last_of(range.base, range.len)?;
        let mut state = self.state.lock();
        while let Some(other) = self.conflict(&range) {
            if !self.remove_retired(&mut state, other) {
                let Range { base, len, .. } = self.records[other as usize].contents();
                return Err(InsertError::Overlap { base, len });
            }
        }
        // A failure changes nothing, because pages without ranges have no effect.
        self.make_pages(range.base, last)?;
        let index = self.new_record(&mut state)?;
        if !self.enter(index, &range, range.len) {
            state.free.push(index);
            return Err(InsertError::Full);
        }
        Ok(())
    }

    /// Registers a range in place of those that it overlaps. Returns false if there is no memory, or it cannot be
    /// registered.
    pub fn replace(&self, range: Range) -> bool {
        loop {
            match self.insert(range) {
                Err(InsertError::Overlap { base, .. }) => drop(self.remove(base)),
                result => return result.is_ok(),
            }
        }
    }

    /// Creates the pages of these addresses.
    fn make_pages(&self, first: usize, last: usize) -> Result<(), InsertError> {
        for chunk in page_of(first) / PAGE_CHUNK_LEN..=page_of(last) / PAGE_CHUNK_LEN {
            self.sheets.ensure(chunk).ok_or(InsertError::Full)?;
        }
        Ok(())
    }

    /// Enters a range, with room to grow to `room` bytes, in an unused record and in pages that exist. Returns false,
    /// and changes nothing, if there is no memory. The caller holds the lock of the map, or of the pages' holder.
    #[inline(always)]
    fn enter(&self, index: u32, range: &Range, room: usize) -> bool {
        let record = &self.records[index as usize];
        record.write(range);
        if !begins_page(range.base) {
            let page = self.page_at(page_of(range.base));
            if page.begin(granule_of(range.base), index).is_none() {
                let ended = record.end(record.sequence.load(Ordering::Relaxed));
                debug_assert!(ended);
                return false;
            }
        }
        for page in covered_pages(&Range { len: room, ..*range }) {
            self.page_at(page).cover.store(index, Ordering::Release);
        }
        true
    }

    /// Returns an unused record.
    fn new_record(&self, state: &mut FreeRecords) -> Result<u32, InsertError> {
        if let Some(index) = state.free.pop() {
            return Ok(index);
        }
        // A removal cannot fail, so there is room for all records.
        let records = state.fresh as usize;
        if state.fresh == MAX_RECORDS
            || self.records.ensure(records).is_none()
            || state.free.make_room(records).is_err()
        {
            self.remove_all_retired(state);
            return state.free.pop().ok_or(InsertError::Full);
        }
        state.fresh += 1;
        Ok(state.fresh - 1)
    }

    /// Returns the range that contains this address, which may be any address.
    #[inline(always)]
    pub fn find(&self, addr: usize) -> Option<Range> {
        self.look_up(addr).map(|(_, range)| range)
    }

    /// Finds a range as [`Self::find`] does, for copies: returns only two words, in registers.
    #[inline]
    pub fn reach(&self, addr: usize) -> Option<Reach> {
        self.look_up_by(addr, move |index| self.record(index)?.reach(addr))
    }

    /// Removes the range that begins exactly here and returns it. One of several concurrent calls gets it.
    pub fn remove(&self, base: usize) -> Option<Range> {
        self.remove_if(base, |_| true)
    }

    /// Removes a range as [`Self::remove`] does, if `wanted` returns true for it. `wanted` runs under the map's lock.
    pub fn remove_if(&self, base: usize, wanted: impl Fn(&Range) -> bool) -> Option<Range> {
        let mut state = self.state.lock();
        let (entry, range) = self.look_up(base)?;
        if range.base != base || !wanted(&range) {
            return None;
        }
        self.erase(&mut state, entry, &range).then_some(range)
    }

    /// Changes the owner's data of the range that begins exactly here. Returns false if there is none. A concurrent
    /// lookup may find nothing.
    pub fn update(&self, base: usize, words: [u64; 3]) -> bool {
        let _state = self.state.lock();
        let found = self.look_up(base).filter(|(_, range)| range.base == base);
        let Some((entry, range)) = found.filter(|(entry, _)| self.park(*entry).is_some()) else { return false };
        self.records[entry.index as usize].write(&Range { words, ..range });
        true
    }

    /// Returns all ranges, in no order, without blocking writers. A range that is registered, and not updated, during
    /// the whole call is in it exactly once. One that is inserted or removed during the call may be in it. Each was
    /// registered at some moment of the call, so they may overlap.
    pub fn live_ranges(&self) -> impl Iterator<Item = Range> {
        let end = self.state.lock().fresh;
        (1..end).filter_map(|index| Some(self.records[index as usize].read()?.1))
    }

    /// Returns all ranges, as `live_ranges` does.
    #[cfg(all(test, not(loom)))]
    pub fn snapshot(&self) -> Vec<Range> {
        self.live_ranges().collect()
    }

    /// Returns the number of ranges, including parked and retired ones.
    pub fn count(&self) -> usize {
        let state = self.state.lock();
        state.fresh as usize - 1 - state.free.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Returns the live range that contains the address.
    #[inline(always)]
    fn look_up(&self, addr: usize) -> Option<(RangeEntry, Range)> {
        self.look_up_by(addr, move |index| {
            let (sequence, range) = self.record(index)?.read()?;
            range.contains(addr).then_some((RangeEntry { index, sequence }, range))
        })
    }

    /// Returns the record of a range, in any state, that may begin at this address.
    #[inline(always)]
    fn record_at(&self, base: usize) -> Option<(u32, &Record)> {
        let page = self.page(page_of(base))?;
        let index = match begins_page(base) {
            true => page.cover.load(Ordering::Acquire),
            false => page.begins_in(granule_of(base)),
        };
        Some((index, self.record(index)?))
    }

    /// Returns the result of `read` for the record of a range, in any state, that may contain the address. `read` is
    /// passed by value to stay in registers.
    #[inline(always)]
    fn look_up_by<T>(&self, addr: usize, read: impl Fn(u32) -> Option<T> + Copy) -> Option<T> {
        let page = self.page(page_of(addr))?;
        match page.begins_last(granule_of(addr)) {
            0 => None,
            index => read(index).or_else(|| self.look_before(addr, read)),
        }
    }

    /// Returns the result of `read` for the last range that begins before the address's granule: it may reach into it.
    #[cold]
    fn look_before<T>(&self, addr: usize, read: impl Fn(u32) -> Option<T>) -> Option<T> {
        let page = self.page(page_of(addr))?;
        read(match granule_of(addr).checked_sub(1) {
            Some(before) => page.begins_last(before),
            None => page.cover.load(Ordering::Acquire),
        })
    }

    /// Returns a page, if any range ever was in it.
    #[inline(always)]
    fn page(&self, number: usize) -> Option<Page<'_>> {
        Some(self.sheets.get(number / PAGE_CHUNK_LEN)?.page(number))
    }

    /// Returns a page that is in use.
    #[inline(always)]
    fn page_at(&self, number: usize) -> Page<'_> {
        self.sheets[number / PAGE_CHUNK_LEN].page(number)
    }

    /// Returns the record with this number, unless it was never used.
    #[inline(always)]
    fn record(&self, index: u32) -> Option<&Record> {
        // The remainder only shows the compiler that the number is in bounds.
        self.records.get((index % MAX_RECORDS) as usize)
    }

    /// Returns the record of a range, in any state, that overlaps this one. The caller holds the lock.
    fn conflict(&self, range: &Range) -> Option<u32> {
        let contents = |index: u32| self.records[index as usize].contents();
        let at_base =
            self.look_up_by(range.base, |index| Some(index).filter(|&index| contents(index).contains(range.base)));
        if at_base.is_some() {
            return at_base;
        }
        // No range contains the base, so an overlapping one begins after it.
        let first = page_of(range.base);
        for number in first..=page_of(range.last()) {
            let Some(page) = self.page(number) else { continue };
            let cover = page.cover.load(Ordering::Relaxed);
            if number > first && cover != 0 {
                return Some(cover);
            }
            let granule = if number == first { granule_of(range.base) } else { 0 };
            if let Some((start, record)) = page.first_start(granule) {
                let same_granule = number == first && !begins_page(range.base) && start == granule;
                // Ranges after this one are farther away.
                return (same_granule || contents(record).base <= range.last()).then_some(record);
            }
        }
        None
    }

    /// Removes a live range. Returns false if it was removed in the meantime.
    fn erase(&self, state: &mut FreeRecords, entry: RangeEntry, range: &Range) -> bool {
        let parked = self.park(entry);
        if parked.is_some() {
            self.detach(state, entry.index, range);
        }
        parked.is_some()
    }

    /// Removes the range of a record that is not live from the pages, and frees the record.
    fn detach(&self, state: &mut FreeRecords, index: u32, range: &Range) {
        self.clear_start(range.base);
        for page in covered_pages(range) {
            self.page_at(page).cover.store(0, Ordering::Release);
        }
        state.free.push(index);
    }

    /// Notes that no range begins at this address inside a page any more.
    #[inline]
    fn clear_start(&self, base: usize) {
        if !begins_page(base) {
            self.page_at(page_of(base)).clear_start(granule_of(base));
        }
    }
}

#[cfg(all(test, loom))]
#[path = "address_map_models.rs"]
mod loom_address_map;
#[cfg(all(test, not(loom)))]
#[path = "address_map_order_tests.rs"]
mod order_tests;
#[cfg(test)]
#[path = "address_map_tests.rs"]
mod tests;
