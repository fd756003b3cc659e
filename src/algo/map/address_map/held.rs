//! Pages that belong to one holder. Its ranges in them are inserted and removed under the holder's lock instead of the
//! map's, in records that the holder keeps. A page notes the range that covers its first byte until another range does,
//! even if the range is no longer live: its record shows whether it is current.

use super::card::Card;
use super::parking::RangeEntry;
use super::{ADDRESS_BITS, AddressMap, InsertError, Range, Record, begins_page, last_of, page_of};
use crate::alloc::prefetch::prefetch;
use crate::sync::primitives::atomic::Ordering;

/// The place of a range. In held pages it is a record of their holder, in other pages the range's record in the map.
#[derive(Clone, Copy)]
pub struct HeldPlace<'a> {
    map: &'a AddressMap,
    pub(super) record: &'a Record,
    pub(super) index: u32,
}

impl HeldPlace<'_> {
    /// Shows the range that was hidden here again, under the holder's lock. Its length may change, up to its room.
    /// Returns its first address.
    #[inline(always)]
    pub fn show(self, len: usize) -> usize {
        self.record.show(len);
        self.record.base.load(Ordering::Relaxed)
    }

    /// Hides the range of this entry, which is in this place, under the holder's lock: lookups do not find it, but it
    /// keeps its place. Returns false if it was removed or hidden since.
    #[inline(always)]
    pub fn hide(self, entry: RangeEntry) -> bool {
        debug_assert_eq!(entry.index, self.index);
        self.record.end(entry.sequence)
    }

    /// Returns the holder's data, which are read and written under its lock.
    #[inline(always)]
    pub fn card(&self) -> &Card {
        &self.record.card
    }

    /// Removes the hidden range from the pages, under the holder's lock.
    pub fn vacate(self) {
        self.map.clear_start(self.record.base.load(Ordering::Relaxed));
    }

    /// Returns the number of the place.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.index
    }
}

impl AddressMap {
    /// Returns the place with this number, which was claimed.
    #[inline(always)]
    pub fn place(&self, index: u32) -> HeldPlace<'_> {
        HeldPlace { map: self, record: &self.records[index as usize], index }
    }

    /// Returns the live range that begins at `base`, if it has this record, with its place if it is in held pages.
    #[inline(always)]
    pub fn find_place(&self, index: u32, base: usize) -> Option<(HeldPlace<'_>, RangeEntry, Range)> {
        let record = self.record(index)?;
        let (sequence, range) = record.read()?;
        let place = HeldPlace { map: self, record, index };
        (range.base == base).then_some((place, RangeEntry { index, sequence }, range))
    }

    /// Reserves the pages of these addresses, which begin and end with pages, for the caller's ranges. No live range
    /// may be in them; retired ones are removed.
    pub fn hold(&self, base: usize, len: usize) -> Result<(), InsertError> {
        debug_assert!(begins_page(base) && begins_page(len) && len != 0);
        let last = last_of(base, len)?;
        let mut state = self.state.lock();
        let all = Range { base, len, words: [0; 3] };
        while self.conflict(&all).is_some_and(|other| self.remove_retired(&mut state, other)) {}
        self.make_pages(base, last)
    }

    /// Ends the reservation of these pages. No range is in them any more.
    pub fn release_pages(&self, base: usize, len: usize) {
        debug_assert!(begins_page(base) && begins_page(len) && len != 0);
        for page in page_of(base)..page_of(base + len) {
            self.page_at(page).cover.store(0, Ordering::Release);
        }
    }

    /// Registers a range in held pages, under the holder's lock, in an unused record of the holder, with room to grow
    /// to `room` bytes. It overlaps no other range. Returns false if there is no memory for it, or if the record is 0,
    /// which stands for none.
    #[inline(always)]
    pub fn insert_held(&self, index: u32, range: &Range, room: usize) -> bool {
        debug_assert!(range.len != 0 && range.len <= room && (range.base + room - 1) >> ADDRESS_BITS == 0);
        index != 0 && self.enter(index, range, room)
    }

    /// Removes the range of this entry in held pages, under the holder's lock. Returns false if it was removed since.
    pub fn remove_held(&self, entry: RangeEntry) -> bool {
        let place = self.place(entry.index);
        let found = place.hide(entry);
        if found {
            place.vacate();
        }
        found
    }

    /// Frees records of a holder, with the ranges that are still in them.
    pub fn release_held(&self, records: impl IntoIterator<Item = u32>) {
        let mut state = self.state.lock();
        for index in records {
            let record = &self.records[index as usize];
            if let Some((sequence, range)) = record.read()
                && record.end(sequence)
            {
                self.clear_start(range.base);
            }
            state.free.push(index);
        }
    }

    /// Allocates some records for a holder, or none if there is no memory for them. Records of one call are mostly
    /// adjacent and share no cache lines with those of others.
    #[cold]
    pub fn claim_held(&self, records: &mut Vec<u32>) {
        const AT_ONCE: usize = if cfg!(loom) { 1 } else { 32 };
        let mut state = self.state.lock();
        let before = records.len();
        let used = state.free.len().saturating_sub(AT_ONCE);
        records.extend(state.free.drain(used..));
        let fresh = AT_ONCE - (records.len() - before);
        records.extend((0..fresh).map_while(|_| self.new_record(&mut state).ok()));
        drop(state);
        records[before..].iter().for_each(|&index| prefetch(&self.records[index as usize]));
    }
}

#[cfg(test)]
impl AddressMap {
    /// Returns a record for a holder.
    fn claim_one(&self) -> u32 {
        let mut records = Vec::new();
        self.claim_held(&mut records);
        let record = records.pop().expect("there is memory for a few records");
        self.release_held(records);
        record
    }
}

#[cfg(all(test, not(loom)))]
#[path = "held_tests.rs"]
mod tests;

#[cfg(loom)]
#[cfg(test)]
#[path = "held_models.rs"]
mod loom_held;
