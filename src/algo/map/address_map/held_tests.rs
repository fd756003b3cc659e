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
        assert_eq!(map.count(), 1);
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
    const APART: usize = if cfg!(miri) { PAGE_LEN / 64 } else { 512 };
    let map = held();
    let mut records = Vec::new();
    while records.len() < PAGE_LEN / APART {
        map.claim_held(&mut records);
    }
    let at = |n: usize| range(BASE + n * APART, 512, n as u64);
    for (n, &record) in records.iter().enumerate() {
        assert!(map.insert_held(record, &at(n), 512));
    }
    assert!((0..records.len()).all(|n| map.find(at(n).last()) == Some(at(n))));
    let (entry, _) = map.find_entry(at(7).base).unwrap();
    assert!(map.remove_held(entry));
    assert_eq!(map.find(at(7).base), None);
    // The ranges are removed with their records, and the page is empty again.
    map.release_held(records);
    assert!(map.is_empty() && map.find(BASE).is_none());
    for many in [3, 7, if cfg!(miri) { 40 } else { 200 }, 16, 17] {
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
        assert!(map.place(entry.index).hide(entry) && !map.place(entry.index).hide(entry) && !map.remove_held(entry));
        assert_eq!((map.find(first.base), map.find_start(first.base)), (None, None));
        let again = Range { len, ..first };
        assert_eq!(map.place(record).show(len), first.base);
        assert_eq!(map.find(first.base + len - 1), Some(again));
        assert_eq!(map.find(first.base + len), None);
    }
    let (entry, _) = map.find_start(first.base).unwrap();
    assert!(map.place(entry.index).hide(entry));
    map.place(record).vacate();
    // The addresses are free for other ranges.
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
    // Another range is in its record, and in its place.
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
