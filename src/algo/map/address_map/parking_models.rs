use loom::sync::Arc as Shared;
use loom::thread;

use super::*;
use crate::tests::model;

/// Two threads that free one range, and one that removes it: one of them gets it.
#[test]
fn loom_one_of_parkers_and_removers_wins() {
    model(|| {
        let map = Shared::new(AddressMap::new());
        map.insert(range(0, 0x100)).unwrap();
        let park = |map: &AddressMap| {
            let (entry, _) = map.find_entry(0)?;
            map.park(entry)
        };
        let other = {
            let map = map.clone();
            thread::spawn(move || park(&map).map(|parked| _ = map.remove_parked([parked])))
        };
        let mine = map.remove(0).is_some();
        let theirs = other.join().unwrap().is_some();
        assert!(mine != theirs);
        assert!(map.is_empty());
        map.insert(range(0x80, 0x100)).unwrap();
    });
}

/// A thread that sees a range that was made live again sees all of it, and what its owner did before.
#[test]
fn loom_a_range_comes_back_whole() {
    model(|| {
        let map = Shared::new(AddressMap::new());
        let there = range(0, 0x100);
        map.insert(there).unwrap();
        let reader = {
            let map = map.clone();
            thread::spawn(move || {
                let found = map.find(0x80);
                assert!(found.is_none_or(|found| found == there || found == range(0, 0x180)));
            })
        };
        let (entry, _) = map.find_entry(0).unwrap();
        let parked = map.park(entry).unwrap();
        assert_eq!(map.unpark(parked), 0);
        // The record is reused for another range.
        map.remove(0).unwrap();
        map.insert(range(0, 0x180)).unwrap();
        reader.join().unwrap();
    });
}

/// An old entry does not park a range that reuses the record.
#[test]
fn loom_an_old_entry_parks_nothing() {
    model(|| {
        let map = Shared::new(AddressMap::new());
        map.insert(range(0, 0x100)).unwrap();
        let (entry, _) = map.find_entry(0).unwrap();
        let other = {
            let map = map.clone();
            thread::spawn(move || map.park(entry))
        };
        let mine = map.remove(0);
        let again = map.insert(range(0, 0x100));
        let theirs = other.join().unwrap();
        // Either the other thread was first, and the range stays in the way, or it gets nothing.
        assert_eq!(mine.is_none(), theirs.is_some());
        assert_eq!(again.is_ok(), theirs.is_none());
    });
}
