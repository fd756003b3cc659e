use loom::sync::{Arc as Shared, Mutex};
use loom::thread;

use super::*;
use crate::tests::model;

/// One of two threads that remove a range under its owner's lock succeeds.
#[test]
fn loom_one_of_two_threads_retires_a_range() {
    model(|| {
        let shared = Shared::new((AddressMap::new(), Mutex::new(())));
        shared.0.insert(range(0, 0x100)).unwrap();
        let end = |(map, lock): &(AddressMap, Mutex<()>)| {
            let (entry, _) = map.find_start(0)?;
            let _owned = lock.lock().unwrap();
            map.retire(entry).then_some(())
        };
        let other = {
            let shared = shared.clone();
            thread::spawn(move || end(&shared).is_some())
        };
        let mine = end(&shared).is_some();
        assert!(mine != other.join().unwrap());
        assert_eq!(shared.0.find(0), None);
        shared.0.insert(range(0x80, 0x100)).unwrap();
    });
}

/// A reader sees a range whole that is retired and revived.
#[test]
fn loom_a_range_comes_back_whole() {
    model(|| {
        let map = Shared::new(AddressMap::new());
        let there = range(0, 0x100);
        map.insert(there).unwrap();
        let reader = {
            let map = map.clone();
            thread::spawn(move || assert!(map.find(0x80).is_none_or(|found| found == there)))
        };
        assert!(retire(&map, 0));
        map.insert_again(there).unwrap();
        assert_eq!(map.find(0x80), Some(there));
        reader.join().unwrap();
    });
}

/// A reader sees a range whole that is retired and whose record is reused.
#[test]
fn loom_a_retired_record_is_reused_under_a_reader() {
    model(|| {
        let map = Shared::new(AddressMap::new());
        let (first, second) = (range(0, 0x100), range(0, 0x180));
        map.insert(first).unwrap();
        let reader = {
            let map = map.clone();
            thread::spawn(move || {
                let found = map.find(0x80);
                assert!(found.is_none_or(|found| found == first || found == second));
            })
        };
        assert!(retire(&map, 0));
        map.insert_again(second).unwrap();
        reader.join().unwrap();
    });
}

/// An old entry does not remove a range that was retired and revived.
#[test]
fn loom_an_old_entry_ends_nothing() {
    model(|| {
        let shared = Shared::new((AddressMap::new(), Mutex::new(())));
        shared.0.insert(range(0, 0x100)).unwrap();
        let (entry, _) = shared.0.find_start(0).unwrap();
        let end = move |(map, lock): &(AddressMap, Mutex<()>)| {
            let _owned = lock.lock().unwrap();
            map.retire(entry)
        };
        let other = {
            let shared = shared.clone();
            thread::spawn(move || end(&shared))
        };
        let mine = end(&shared);
        let again = shared.0.insert_again(range(0, 0x100));
        assert!(again.is_ok());
        assert!(mine != other.join().unwrap());
        assert_eq!(shared.0.find(0), Some(range(0, 0x100)));
    });
}

/// A range is revived while another thread replaces it: one of the two succeeds.
#[test]
fn loom_a_range_is_revived_or_replaced() {
    model(|| {
        let map = Shared::new(AddressMap::new());
        let (first, second) = (range(0, 0x100), range(0x80, 0x100));
        map.insert(first).unwrap();
        assert!(retire(&map, 0));
        let other = {
            let map = map.clone();
            thread::spawn(move || map.insert(second).is_ok())
        };
        let mine = map.insert_again(first).is_ok();
        let theirs = other.join().unwrap();
        assert!(mine != theirs);
        assert_eq!(map.find(0xc0), Some(if mine { first } else { second }));
    });
}

/// A range is revived while its record is reused for another address, because no other record is left.
#[test]
fn loom_a_full_map_takes_what_rests() {
    model(|| {
        let map = Shared::new(AddressMap::new());
        let at = |n: usize| range(n * 0x200, 0x100);
        (0..3).for_each(|n| map.insert(at(n)).unwrap());
        assert_eq!(map.insert(at(3)), Err(InsertError::Full));
        assert!(retire(&map, at(1).base));
        let other = {
            let map = map.clone();
            thread::spawn(move || map.insert(at(3)).is_ok())
        };
        let mine = map.insert_again(at(1)).is_ok();
        let theirs = other.join().unwrap();
        assert!(mine != theirs);
        assert_eq!(map.find(at(1).base), mine.then_some(at(1)));
        assert_eq!(map.find(at(3).base), theirs.then_some(at(3)));
    });
}
