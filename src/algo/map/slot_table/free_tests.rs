use std::sync::Arc;

use super::super::{Handle, SlotTable};
use super::MOST_LATE;

#[test]
fn an_object_that_went_with_its_owner_is_destroyed_late_once() {
    let table = SlotTable::new(1);
    let [live, destroyed, gone] = [0, 1, 2].map(|n| table.insert(Arc::new(n)).unwrap());
    table.remove(destroyed).unwrap();
    assert_eq!(table.remove_with_owner(gone).as_deref(), Some(&2));
    assert!(table.was_destroyed(gone) && table.get(gone).is_none() && table.remove(gone).is_none());
    assert!(table.remove_with_owner(gone).is_none() && table.is_late(gone));
    assert!(table.destroy_late(gone), "once");
    assert!(!table.destroy_late(gone) && !table.is_late(gone), "not twice");
    for never in [live, destroyed, Handle::new(1, 1, 77), Handle::new(2, gone.generation(), gone.index())] {
        assert!(!table.is_late(never) && !table.destroy_late(never));
    }
    assert_eq!(table.get(live).as_deref(), Some(&0));
}

#[test]
fn new_objects_take_the_latest_late_slots_last() {
    let table = SlotTable::with_limit(1, MOST_LATE as u32 + 900);
    let all: Vec<_> = (0..MOST_LATE + 500).map(|n| table.insert(Arc::new(n)).unwrap()).collect();
    all.iter().for_each(|&handle| drop(table.remove_with_owner(handle)));
    // The 500 oldest ones wait in line with the free slots.
    let new = || table.insert(Arc::new(0)).map(Handle::index);
    assert!((0..500).all(|n| new() == Some(n)), "free slots first");
    assert!((0..400).all(|n| new() == Some(MOST_LATE as u32 + 500 + n)), "then those that were never used");
    assert!(all[500..].iter().all(|&handle| table.is_late(handle)));
    assert!(all[..500].iter().all(|&handle| !table.is_late(handle)));
    assert_eq!(new(), Some(500), "then the oldest late one");
    assert!(!table.is_late(all[500]) && table.is_late(all[501]));
}

#[test]
fn a_table_remembers_a_bounded_number_of_objects() {
    let table = SlotTable::new(1);
    for round in 0..3 * MOST_LATE {
        let handle = table.insert(Arc::new(round)).unwrap();
        table.remove_with_owner(handle).unwrap();
    }
    assert_eq!(table.free.lock().fresh as usize, MOST_LATE + 1, "the table does not grow");
}
