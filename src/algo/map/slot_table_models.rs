use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use loom::cell::UnsafeCell;
use loom::sync::Arc as Shared;
use loom::thread;

use super::*;
use crate::tests::model;

/// An object whose content loom watches, and whose end is seen from outside.
struct Object {
    number: UnsafeCell<u32>,
    end: Arc<AtomicBool>,
}

// SAFETY: the cell is written before the object is shared, and read after.
unsafe impl Sync for Object {}

impl Object {
    /// Returns an object, and whether it has been dropped.
    fn new(number: u32) -> (Arc<Self>, Arc<AtomicBool>) {
        let end = Arc::new(AtomicBool::new(false));
        (Arc::new(Self { number: UnsafeCell::new(number), end: end.clone() }), end)
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        self.end.store(true, Relaxed);
    }
}

type Table = SlotTable<Object>;

/// Looks a handle up. What it finds must be alive and the handle's object.
fn look(table: &Table, handle: Handle, number: u32, end: &AtomicBool) -> bool {
    let Some(found) = table.get(handle) else { return false };
    // This does not go through `found`, which would be a use after free instead of a failed assertion.
    assert!(!end.load(Relaxed), "the object was released under a reader");
    // SAFETY: there are no writers.
    assert_eq!(found.number.with(|found| unsafe { *found }), number);
    thread::yield_now();
    assert!(!end.load(Relaxed), "the object was released under a reader");
    true
}

/// Checks that everything that was removed has been dropped, and everything else has not.
fn check_ends(table: &Table, ends: &[(Handle, &Arc<AtomicBool>)]) {
    flush_deferred();
    for (handle, end) in ends {
        let live = table.get(*handle).is_some();
        assert_eq!(end.load(Relaxed), !live, "released too early, or never");
    }
}

/// Checks readers of a handle while its object is removed and another object gets the slot.
#[test]
fn loom_slot_is_reused_under_a_reader() {
    model(|| {
        let table = Shared::new(Table::with_limit(1, 1));
        let (first, first_end) = Object::new(1);
        let old = table.insert(first).unwrap();
        let reader = {
            let (table, end) = (table.clone(), first_end.clone());
            thread::spawn(move || {
                let seen = look(&table, old, 1, &end);
                // A removed object stays removed.
                assert!(!look(&table, old, 1, &end) || seen);
            })
        };
        drop(table.remove(old).unwrap());
        assert!(table.get(old).is_none(), "a removed handle is invalid at once");
        let (second, second_end) = Object::new(2);
        let new = table.insert(second).unwrap();
        assert!(look(&table, new, 2, &second_end));
        reader.join().unwrap();
        check_ends(&table, &[(old, &first_end), (new, &second_end)]);
        assert_eq!(table.count(), 1);
    });
}

/// Checks that a handle which is passed on without synchronization is valid where it arrives, with the content of its
/// object.
#[test]
fn loom_inserted_object_is_complete_for_a_reader_that_guesses_its_handle() {
    model(|| {
        let table = Shared::new(Table::with_limit(1, 1));
        // The first handle of a table is always the same.
        let handle = Handle::new(1, 1, 0);
        let (object, end) = Object::new(7);
        let reader = {
            let (table, end) = (table.clone(), end.clone());
            thread::spawn(move || {
                look(&table, handle, 7, &end);
            })
        };
        assert_eq!(table.insert(object), Some(handle));
        reader.join().unwrap();
        check_ends(&table, &[(handle, &end)]);
    });
}

/// Checks the same if the slot had another occupant before, which must not be mistaken for the new one.
#[test]
fn loom_next_occupant_is_complete_for_a_reader_that_guesses_its_handle() {
    model(|| {
        let table = Shared::new(Table::with_limit(1, 1));
        let (first, first_end) = Object::new(1);
        let (second, second_end) = Object::new(2);
        let old = table.insert(first).unwrap();
        let new = Handle::new(1, old.generation() + 2, old.index());
        let reader = {
            let (table, end) = (table.clone(), second_end.clone());
            thread::spawn(move || {
                look(&table, new, 2, &end);
            })
        };
        drop(table.remove(old).unwrap());
        assert_eq!(table.insert(second), Some(new));
        reader.join().unwrap();
        check_ends(&table, &[(old, &first_end), (new, &second_end)]);
    });
}

/// Checks that one of two racing removers gets the object, and that the slot is freed once.
#[test]
fn loom_racing_removers() {
    model(|| {
        let table = Shared::new(Table::with_limit(1, 2));
        let (object, end) = Object::new(1);
        let handle = table.insert(object).unwrap();
        let other = {
            let table = table.clone();
            thread::spawn(move || table.remove(handle).is_some())
        };
        let mine = table.remove(handle).is_some();
        let theirs = other.join().unwrap();
        assert!(mine != theirs, "exactly one remover gets it");
        check_ends(&table, &[(handle, &end)]);
        assert_eq!(table.count(), 0);
        let slots = [1, 2].map(|number| table.insert(Object::new(number).0).unwrap().index());
        assert_ne!(slots[0], slots[1], "a slot was freed twice");
    });
}

/// Checks that a late removal does not remove the next occupant of the slot.
#[test]
fn loom_late_remover_and_reuse() {
    model(|| {
        let table = Shared::new(Table::with_limit(1, 1));
        let (first, first_end) = Object::new(1);
        let old = table.insert(first).unwrap();
        let other = {
            let table = table.clone();
            thread::spawn(move || match table.remove(old) {
                Some(_) => 1,
                None => 0,
            })
        };
        let mut removed = usize::from(table.remove(old).is_some());
        let (second, second_end) = Object::new(2);
        // The table is full if the other remover is between its two steps.
        let new = table.insert(second);
        removed += other.join().unwrap();
        assert_eq!(removed, 1);
        match new {
            Some(new) => {
                assert!(look(&table, new, 2, &second_end));
                check_ends(&table, &[(old, &first_end), (new, &second_end)]);
            }
            None => check_ends(&table, &[(old, &first_end)]),
        }
    });
}

/// Checks that two threads which insert at the same time get two slots, both complete, and that a snapshot has both.
#[test]
fn loom_racing_inserters() {
    model(|| {
        let table = Shared::new(Table::with_limit(1, 2));
        let (first, first_end) = Object::new(1);
        let (second, second_end) = Object::new(2);
        let other = {
            let table = table.clone();
            thread::spawn(move || table.insert(first).unwrap())
        };
        let mine = table.insert(second).unwrap();
        assert!(table.live().any(|(handle, _)| handle == mine));
        let theirs = other.join().unwrap();
        assert!(look(&table, theirs, 1, &first_end));
        assert!(look(&table, mine, 2, &second_end));
        assert_eq!(table.live().count(), 2);
    });
}

/// Checks that one of two racing late destroys succeeds, beside a new object that takes the slot.
#[test]
fn loom_racing_late_destroys_and_reuse() {
    model(|| {
        let table = Shared::new(Table::with_limit(1, 1));
        let (first, first_end) = Object::new(1);
        let old = table.insert(first).unwrap();
        drop(table.remove_with_owner(old).unwrap());
        let other = {
            let table = table.clone();
            thread::spawn(move || table.destroy_late(old))
        };
        let mine = table.destroy_late(old);
        let (second, second_end) = Object::new(2);
        let new = table.insert(second).unwrap();
        let theirs = other.join().unwrap();
        assert!(mine != theirs, "exactly one late destroy succeeds");
        assert!(!table.destroy_late(old) && look(&table, new, 2, &second_end));
        check_ends(&table, &[(old, &first_end), (new, &second_end)]);
    });
}
