use loom::sync::Arc as Shared;
use loom::thread;

use super::super::PAGE_LEN;
use super::*;
use crate::tests::model;

fn range(base: usize, len: usize) -> Range {
    Range { base, len, words: [base as u64, len as u64, (base ^ len) as u64] }
}

fn remove(map: &AddressMap, base: usize) {
    let (entry, _) = map.find_entry(base).unwrap();
    assert!(map.remove_held(entry));
}

/// Checks that a reader sees one of two ranges, or none, while a holder reuses a record.
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

/// Checks that a reader sees one of both ranges, or none, while a hidden range is shown with another length.
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
        assert!(map.place(entry.index).hide(entry) && !map.place(entry.index).hide(entry));
        assert_eq!(map.find(0x100), None);
        map.place(record).show(second.len);
        assert_eq!(map.find(0x3ff), Some(second));
        reader.join().unwrap();
    });
}

/// Checks that holders of different pages share no lock, and do not disturb each other.
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
