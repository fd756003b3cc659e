use super::super::Range;
use super::*;

const PAGE: usize = 2 << 20;

fn range(base: usize, len: usize, word: u64) -> Range {
    Range { base, len, words: [word, 0, 0] }
}

#[test]
fn a_hint_finds_what_is_live_at_its_place_and_nothing_else() {
    let map = AddressMap::new();
    map.insert(range(PAGE, 4096, 1)).unwrap();
    map.insert(range(2 * PAGE, 4096, 2)).unwrap();
    assert!(Hint::NONE.reach(PAGE).is_none());
    let (hint, found) = map.reach_with_hint(PAGE + 96).unwrap();
    assert_eq!((found.left.get(), found.word), (4000, 1));
    // The hint serves any address of the range, and none beside it.
    assert_eq!(hint.reach(PAGE), map.reach(PAGE));
    assert_eq!(hint.reach(PAGE + 4095).unwrap().left.get(), 1);
    for beside in [PAGE - 1, PAGE + 4096, 2 * PAGE, 0, usize::MAX] {
        assert!(hint.reach(beside).is_none(), "{beside:#x}");
    }
    // After a change the hint finds the new words; after a removal, nothing.
    assert!(map.update(PAGE, [7, 0, 0]));
    assert_eq!(hint.reach(PAGE).unwrap().word, 7);
    map.remove(PAGE).unwrap();
    assert!(hint.reach(PAGE).is_none());
    // Another range gets the record.
    map.insert(range(3 * PAGE, 64, 3)).unwrap();
    assert!(hint.reach(PAGE).is_none());
    let (again, _) = map.reach_with_hint(3 * PAGE).unwrap();
    assert!(std::ptr::eq(again.0.unwrap(), hint.0.unwrap()), "the record is used again");
    assert_eq!(hint.reach(3 * PAGE), map.reach(3 * PAGE));
}

#[test]
fn a_record_finds_only_ranges_that_begin_in_it() {
    let map = AddressMap::new();
    let begins_in = |record, base| map.find_place(record, base).is_some();
    assert!(!begins_in(0, 0) && !begins_in(1, PAGE) && !begins_in(u32::MAX, PAGE));
    assert_eq!(map.record_of(PAGE), None);
    for base in [PAGE, PAGE + 4096] {
        map.insert(range(base, 4096, 1)).unwrap();
    }
    let record = map.record_of(PAGE + 4096).unwrap();
    assert_ne!(map.record_of(PAGE), Some(record));
    assert_eq!(map.find_place(record, PAGE + 4096).unwrap().2, range(PAGE + 4096, 4096, 1));
    for other in [PAGE, PAGE + 4095, PAGE + 4097, 0] {
        assert!(!begins_in(record, other), "{other:#x}");
    }
    // The record is empty, or holds another range.
    map.remove(PAGE + 4096).unwrap();
    assert!(!begins_in(record, PAGE + 4096));
    map.insert(range(3 * PAGE, 64, 3)).unwrap();
    assert_eq!(map.record_of(3 * PAGE), Some(record), "the record is used again");
    assert!(!begins_in(record, PAGE + 4096));
}

#[test]
fn a_parked_range_is_not_found_until_it_lives_again() {
    let map = AddressMap::new();
    map.insert(range(PAGE, 4096, 1)).unwrap();
    let (hint, _) = map.reach_with_hint(PAGE).unwrap();
    let (entry, _) = map.find_entry(PAGE).unwrap();
    let parked = map.park(entry).unwrap();
    assert!(hint.reach(PAGE).is_none());
    map.unpark(parked);
    assert_eq!(hint.reach(PAGE), map.reach(PAGE));
}
