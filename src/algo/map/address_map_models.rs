use loom::sync::Arc as Shared;
use loom::thread;

use super::tests::range;
use super::*;
use crate::tests::model;

fn look(map: &AddressMap, addr: usize) -> Option<Range> {
    let found = map.find(addr)?;
    assert_eq!(found, range(found.base, found.len), "a mixture of two ranges");
    assert!(found.contains(addr));
    Some(found)
}

/// Checks that a permanent range is found while its neighbours, in the same page, word and granule, are inserted and
/// removed and reuse records.
#[test]
fn loom_what_stays_is_found() {
    model(|| {
        let map = Shared::new(AddressMap::new());
        let stays = range(0x180, 0x200);
        let goes = range(0x380, 0x80);
        map.insert(stays).unwrap();
        map.insert(goes).unwrap();
        let reader = {
            let map = map.clone();
            thread::spawn(move || {
                // In the granule in which the neighbour begins.
                assert_eq!(look(&map, 0x37f), Some(stays));
            })
        };
        assert_eq!(map.remove(goes.base), Some(goes));
        map.insert(range(0x400, 0x10)).unwrap();
        reader.join().unwrap();
    });
}

/// Checks that a permanent range is found while a page becomes too full for its private places.
#[test]
fn loom_what_stays_is_found_in_a_page_that_gets_a_node() {
    model(|| {
        let map = Shared::new(AddressMap::new());
        let stays = range(0x180, 0x80);
        map.insert(stays).unwrap();
        map.insert(range(0x200, 0x80)).unwrap();
        let reader = {
            let map = map.clone();
            thread::spawn(move || {
                assert_eq!(look(&map, 0x1ff), Some(stays));
            })
        };
        // A third start.
        map.insert(range(0x300, 0x80)).unwrap();
        reader.join().unwrap();
    });
}

/// Checks that a reused record does not show a range that it never held. (The range is at the first byte of a page:
/// without a node there are fewer steps to interleave.)
#[test]
fn loom_record_is_reused_under_a_reader() {
    model(|| {
        let map = Shared::new(AddressMap::new());
        let (first, second) = (range(0, 0x100), range(0, 0x180));
        map.insert(first).unwrap();
        let reader = {
            let map = map.clone();
            thread::spawn(move || {
                let found = look(&map, 0xf0);
                assert!(found.is_none_or(|found| found == first || found == second));
            })
        };
        map.remove(0).unwrap();
        map.insert(second).unwrap();
        reader.join().unwrap();
    });
}

/// Checks that a range is removed atomically for all its pages.
#[test]
fn loom_removal_is_one_step() {
    model(|| {
        let map = Shared::new(AddressMap::new());
        let long = range(0, 3 * PAGE_LEN);
        map.insert(long).unwrap();
        let reader = {
            let map = map.clone();
            thread::spawn(move || {
                if look(&map, 0).is_none() {
                    assert_eq!(look(&map, 2 * PAGE_LEN), None);
                }
            })
        };
        assert_eq!(map.remove(0), Some(long));
        reader.join().unwrap();
        assert_eq!(map.count(), 0);
    });
}

/// Checks that a reader sees the old words, the new ones, or nothing, during a change of them.
#[test]
fn loom_words_change_as_one() {
    model(|| {
        let map = Shared::new(AddressMap::new());
        let before = range(0, 0x100);
        let after = Range { words: [7, 8, 9], ..before };
        map.insert(before).unwrap();
        let reader = {
            let map = map.clone();
            thread::spawn(move || {
                let found = map.find(0x80);
                assert!(found.is_none_or(|found| found == before || found == after));
            })
        };
        assert!(map.update(0, after.words));
        assert_eq!(map.find(0xff), Some(after));
        reader.join().unwrap();
    });
}

#[test]
fn loom_racing_removers_and_inserters() {
    model(|| {
        let map = Shared::new(AddressMap::new());
        map.insert(range(0, 0x100)).unwrap();
        let change = |map: &AddressMap| {
            (usize::from(map.remove(0).is_some()), usize::from(map.insert(range(0x80, 0x100)).is_ok()))
        };
        let other = {
            let map = map.clone();
            thread::spawn(move || change(&map))
        };
        let (mine, theirs) = (change(&map), other.join().unwrap());
        assert_eq!((mine.0 + theirs.0, mine.1 + theirs.1), (1, 1));
        assert_eq!(map.count(), 1);
    });
}
