//! Pages that belong to one holder. Its ranges in them are inserted and removed under the holder's lock instead of the
//! map's, and in records that the holder keeps. The range that covers the first byte of a page stays noted there until
//! another one does, live or not: its record shows whether it is current.

use super::parking::Entry;
use super::{
    ADDRESS_BITS, AddressMap, Card, InsertError, PAGE_CHUNK_LEN, Range, Record, begins_page, covered_pages, granule_of,
    page_of,
};
use crate::algo::alloc::prefetch::prefetch;
use crate::algo::sync::primitives::atomic::Ordering;

/// The place of a range in held pages: a record of their holder.
#[derive(Clone, Copy)]
pub struct HeldPlace<'a> {
    map: &'a AddressMap,
    record: &'a Record,
    index: u32,
}

impl HeldPlace<'_> {
    /// The holder's data for the range, under its lock.
    #[inline(always)]
    pub fn card(&self) -> &Card {
        &self.record.card
    }

    /// Shows the range again that was hidden here, under the holder's lock. It may get another length, up to its room.
    /// Returns its first address.
    #[inline(always)]
    pub fn show(self, len: usize) -> usize {
        self.record.show(len);
        self.record.base.load(Ordering::Relaxed)
    }

    /// Hides the range of this entry, which is in this place, under the holder's lock: look-ups do not find it, but it
    /// keeps its place. False if it was removed, or hidden, since.
    #[inline(always)]
    pub fn hide(self, entry: Entry) -> bool {
        debug_assert_eq!(entry.index(), self.index);
        self.record.end(entry.sequence())
    }

    /// Removes the hidden range from the pages, under the holder's lock.
    #[inline]
    pub fn vacate(self) {
        self.map.clear_start(self.record.base.load(Ordering::Relaxed));
    }
}

impl AddressMap {
    /// The place with this number, which was claimed.
    #[inline(always)]
    pub fn place(&self, index: u32) -> HeldPlace<'_> {
        HeldPlace { map: self, record: &self.records[index as usize], index }
    }

    /// As [`Self::find_start`], if it has this record, with the place of what is in held pages.
    #[inline(always)]
    pub fn find_place(&self, index: u32, base: usize) -> Option<(HeldPlace<'_>, Entry, Range)> {
        let record = self.record(index)?;
        let (sequence, range) = record.read()?;
        let place = HeldPlace { map: self, record, index };
        (range.base == base).then_some((place, Entry::new(index, sequence), range))
    }

    /// Reserves the pages of these addresses, which begin and end with pages, for the caller's ranges. No live range
    /// may be in them; retired ones are removed.
    pub fn hold(&self, base: usize, len: usize) -> Result<(), InsertError> {
        debug_assert!(begins_page(base) && begins_page(len) && len != 0);
        let last = base.checked_add(len - 1).ok_or(InsertError::Unaddressable)?;
        if last >> ADDRESS_BITS != 0 {
            return Err(InsertError::Unaddressable);
        }
        let mut state = self.state.lock();
        let all = Range { base, len, words: [0; 3] };
        while let Some(other) = self.conflict(&all) {
            if !self.remove_retired(&mut state, other) {
                break;
            }
        }
        for chunk in page_of(base) / PAGE_CHUNK_LEN..=page_of(last) / PAGE_CHUNK_LEN {
            self.sheets.ensure(chunk).ok_or(InsertError::Full)?;
        }
        Ok(())
    }

    /// Ends the reservation of these pages. No range is in them any more.
    pub fn release_pages(&self, base: usize, len: usize) {
        debug_assert!(begins_page(base) && begins_page(len) && len != 0);
        for page in page_of(base)..page_of(base + len) {
            self.page_at(page).cover.store(0, Ordering::Release);
        }
    }

    /// Registers a range in held pages, overlapping no other, under the holder's lock, in an unused record of the
    /// holder, with room to grow to `room` bytes. False: there is no memory for that, or the record is 0, which is
    /// none.
    #[inline(always)]
    pub fn insert_held(&self, index: u32, range: &Range, room: usize) -> bool {
        debug_assert!(range.len != 0 && range.len <= room && (range.base + room - 1) >> ADDRESS_BITS == 0);
        if index == 0 {
            return false;
        }
        self.records[index as usize].write(range);
        if !begins_page(range.base) {
            let page = self.page_at(page_of(range.base));
            if page.begin(granule_of(range.base), index).is_none() {
                self.records[index as usize].clear();
                return false;
            }
        }
        for page in covered_pages(&Range { len: room, ..*range }) {
            self.page_at(page).cover.store(index, Ordering::Release);
        }
        true
    }

    /// Removes the range of this entry in held pages, under the holder's lock; false if it was removed since.
    pub fn remove_held(&self, entry: Entry) -> bool {
        let place = self.place(entry.index());
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

    /// Allocates some records for a holder; none if there is no memory for them. Records of one call are mostly
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
    /// A record for a holder.
    fn claim_one(&self) -> u32 {
        let mut records = Vec::new();
        self.claim_held(&mut records);
        let record = records.pop().expect("there is memory for a few records");
        self.release_held(records);
        record
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::{PAGE_LEN, Range};
    use super::*;

    const BASE: usize = 64 * PAGE_LEN;

    fn range(base: usize, len: usize, word: u64) -> Range {
        Range { base, len, words: [word, 0, 0] }
    }

    fn held() -> AddressMap {
        let map = AddressMap::new();
        map.hold(BASE, 4 * PAGE_LEN).unwrap();
        map
    }

    #[test]
    fn a_record_keeps_one_range_after_another() {
        let map = held();
        let record = map.claim_one();
        for (turn, base) in [BASE, BASE + 512, BASE + PAGE_LEN - 512].into_iter().enumerate() {
            let range = range(base, PAGE_LEN + 1024, turn as u64);
            assert!(map.insert_held(record, &range, range.len));
            assert_eq!(map.len(), 1);
            for addr in [base, base + PAGE_LEN, base + PAGE_LEN + 1023] {
                assert_eq!(map.find(addr), Some(range));
            }
            assert_eq!((map.find(base - 1), map.find(base + PAGE_LEN + 1024)), (None, None));
            let (entry, _) = map.find_entry(base).unwrap();
            assert!(map.remove_held(entry) && !map.remove_held(entry));
            assert_eq!(map.find(base), None);
        }
        map.release_held([record]);
        assert!(map.is_empty());
    }

    #[test]
    fn pages_have_room_for_any_number_of_ranges() {
        let map = held();
        let mut records = Vec::new();
        while records.len() < PAGE_LEN / 512 {
            map.claim_held(&mut records);
        }
        let at = |n: usize| range(BASE + n * 512, 512, n as u64);
        for (n, &record) in records.iter().enumerate() {
            assert!(map.insert_held(record, &at(n), 512));
        }
        assert!((0..records.len()).all(|n| map.find(BASE + n * 512 + 511) == Some(at(n))));
        let (entry, _) = map.find_entry(BASE + 512 * 7).unwrap();
        assert!(map.remove_held(entry));
        assert_eq!(map.find(BASE + 512 * 7), None);
        // Their ranges are removed with them, and the page is empty again.
        map.release_held(records);
        assert!(map.is_empty() && map.find(BASE).is_none());
        for many in [3, 7, 200, 16, 17] {
            let mut records = Vec::new();
            while records.len() < many {
                map.claim_held(&mut records);
            }
            let at = |n: usize| range(BASE + (n + 1) * 4096, 512, n as u64);
            let pairs = || records.iter().take(many).enumerate();
            pairs().for_each(|(n, &record)| assert!(map.insert_held(record, &at(n), 512)));
            for (n, _) in pairs() {
                assert_eq!(map.find(at(n).base + 511), Some(at(n)));
                assert_eq!(map.find_start(at(n).base).map(|(_, found)| found), Some(at(n)));
                assert_eq!(map.find(at(n).base + 512), None);
            }
            map.release_held(records);
            assert!(map.is_empty() && map.find(BASE + 4096).is_none());
        }
        map.release_pages(BASE, 4 * PAGE_LEN);
        map.insert(range(BASE, 4 * PAGE_LEN, 0)).unwrap();
    }

    #[test]
    fn what_is_hidden_keeps_its_place_and_comes_back_in_any_length() {
        let map = held();
        let (record, other) = (map.claim_one(), map.claim_one());
        let first = range(BASE + 512, 1024, 1);
        assert!(map.insert_held(record, &first, 2 * PAGE_LEN + 512));
        for len in [512, PAGE_LEN, 2 * PAGE_LEN + 512, 1024] {
            let (entry, _) = map.find_start(first.base).unwrap();
            assert!(
                map.place(entry.index()).hide(entry)
                    && !map.place(entry.index()).hide(entry)
                    && !map.remove_held(entry)
            );
            assert_eq!((map.find(first.base), map.find_start(first.base)), (None, None));
            let again = Range { len, ..first };
            assert_eq!(map.place(record).show(len), first.base);
            assert_eq!(map.find(first.base + len - 1), Some(again));
            assert_eq!(map.find(first.base + len), None);
        }
        let (entry, _) = map.find_start(first.base).unwrap();
        assert!(map.place(entry.index()).hide(entry));
        map.place(record).vacate();
        // Its addresses are free for other ranges.
        let around = range(BASE, PAGE_LEN, 2);
        assert!(map.insert_held(other, &around, around.len));
        assert_eq!(map.find(first.base), Some(around));
        map.release_held([record, other]);
        assert!(map.is_empty() && map.find(BASE).is_none());
    }

    #[test]
    fn what_covered_a_page_is_found_no_more_once_it_has_gone() {
        let map = held();
        let records = [map.claim_one(), map.claim_one()];
        let long = range(BASE + 512, 3 * PAGE_LEN, 1);
        assert!(map.insert_held(records[0], &long, long.len));
        let (entry, _) = map.find_start(long.base).unwrap();
        assert!(map.remove_held(entry));
        // Another range in its record, and in its place.
        for base in [BASE + PAGE_LEN, BASE + 512] {
            let short = range(base, PAGE_LEN, 2);
            assert!(map.insert_held(records[0], &short, short.len));
            assert_eq!(map.snapshot(), [short]);
            for addr in (BASE..BASE + 4 * PAGE_LEN).step_by(PAGE_LEN / 2) {
                let inside = addr.wrapping_sub(base) < PAGE_LEN;
                assert_eq!(map.find(addr), inside.then_some(short), "{addr:#x}");
            }
            let (entry, _) = map.find_start(base).unwrap();
            assert!(map.remove_held(entry));
        }
        // The record holds another range now, at another place.
        map.release_held(records);
        map.release_pages(BASE, 4 * PAGE_LEN);
        map.insert(range(8 * PAGE_LEN, 64, 3)).unwrap();
        map.insert(range(BASE, 4 * PAGE_LEN, 4)).unwrap();
    }

    #[test]
    fn others_see_what_is_in_held_pages() {
        let map = held();
        let record = map.claim_one();
        let held = range(BASE + 512, 512, 1);
        assert!(map.insert_held(record, &held, held.len));
        let overlap = InsertError::Overlap { base: held.base, len: held.len };
        assert_eq!(map.insert(range(BASE, 1024, 2)), Err(overlap));
        assert_eq!(map.snapshot(), [held]);
    }

    #[test]
    fn what_no_address_can_be_is_not_held() {
        let map = AddressMap::new();
        let top = 1 << ADDRESS_BITS;
        assert_eq!(map.hold(top, PAGE_LEN), Err(InsertError::Unaddressable));
        assert_eq!(map.hold(top - PAGE_LEN, PAGE_LEN), Ok(()));
        assert_eq!(map.hold(usize::MAX - PAGE_LEN + 1, 2 * PAGE_LEN), Err(InsertError::Unaddressable));
    }
}

#[cfg(loom)]
#[cfg(test)]
mod loom_held {
    use loom::sync::Arc as Shared;
    use loom::thread;

    use super::super::PAGE_LEN;
    use super::*;
    use crate::algo::tests::model;

    fn range(base: usize, len: usize) -> Range {
        Range { base, len, words: [base as u64, len as u64, (base ^ len) as u64] }
    }

    fn remove(map: &AddressMap, base: usize) {
        let (entry, _) = map.find_entry(base).unwrap();
        assert!(map.remove_held(entry));
    }

    /// A holder reuses a record: a reader sees one of its ranges, or none.
    #[test]
    fn loom_a_held_record_is_reused_under_a_reader() {
        model(|| {
            let map = Shared::new(AddressMap::new());
            map.hold(0, PAGE_LEN).unwrap();
            let (first, second) = (range(0x100, 0x200), range(0x200, 0x100));
            let record = map.claim_one();
            assert!(map.insert_held(record, &first, first.len));
            let reader = {
                let map = map.clone();
                thread::spawn(move || {
                    let found = map.find(0x280);
                    assert!(found.is_none_or(|found| found == first || found == second));
                })
            };
            remove(&map, first.base);
            assert!(map.insert_held(record, &second, second.len));
            assert_eq!(map.find(0x280), Some(second));
            reader.join().unwrap();
        });
    }

    /// A hidden range is shown with another length: a reader sees one of both, or none.
    #[test]
    fn loom_a_hidden_range_comes_back_under_a_reader() {
        model(|| {
            let map = Shared::new(AddressMap::new());
            map.hold(0, PAGE_LEN).unwrap();
            let first = range(0x100, 0x200);
            let second = Range { len: 0x300, ..first };
            let record = map.claim_one();
            assert!(map.insert_held(record, &first, 0x300));
            let reader = {
                let map = map.clone();
                thread::spawn(move || {
                    let found = map.find_start(0x100).map(|(_, found)| found);
                    assert!(found.is_none_or(|found| found == first || found == second));
                })
            };
            let (entry, _) = map.find_start(0x100).unwrap();
            assert!(map.place(entry.index()).hide(entry) && !map.place(entry.index()).hide(entry));
            assert_eq!(map.find(0x100), None);
            map.place(record).show(second.len);
            assert_eq!(map.find(0x3ff), Some(second));
            reader.join().unwrap();
        });
    }

    /// Holders of different pages share no lock, and do not disturb each other.
    #[test]
    fn loom_holders_do_not_meet() {
        model(|| {
            let map = Shared::new(AddressMap::new());
            map.hold(0, 2 * PAGE_LEN).unwrap();
            let turn = |map: &AddressMap, base: usize| {
                let record = map.claim_one();
                assert!(map.insert_held(record, &range(base, 0x100), 0x100));
                assert_eq!(map.find(base + 0xff), Some(range(base, 0x100)));
                remove(map, base);
                assert_eq!(map.find(base), None);
                record
            };
            let other = {
                let map = map.clone();
                thread::spawn(move || turn(&map, PAGE_LEN))
            };
            let record = turn(&map, 0);
            map.release_held([record, other.join().unwrap()]);
            assert!(map.is_empty());
        });
    }
}
