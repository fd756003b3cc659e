use super::{MARKS, OPERATIONS, PLACES, Room};

#[test]
fn places_and_operations_are_limited() {
    let mut room = Room::default();
    room.begin(1);
    for _ in 0..PLACES {
        assert!(room.has(1));
        room.take(1);
    }
    assert!(!room.has(1));
    for _ in PLACES..OPERATIONS {
        assert!(room.has(0));
        room.take(0);
    }
    assert!(!room.has(0));
}

#[test]
fn marks_take_no_places_and_are_limited() {
    let mut room = Room::default();
    (0..=MARKS).for_each(|_| assert!(room.take_mark()));
    room.begin(1);
    (0..MARKS - 1).for_each(|_| assert!(room.take_mark()));
    room.begin(2);
    assert!(room.take_mark());
    assert!(!room.take_mark());
    assert!(room.has(PLACES));
    assert!(!room.forget(1));
    (0..MARKS - 1).for_each(|_| assert!(room.take_mark()));
    assert!(!room.take_mark());
}

#[test]
fn what_is_behind_a_complete_call_does_not_count() {
    let mut room = Room::default();
    // The numbers wrap around.
    room.begin(u32::MAX);
    room.take(PLACES - 2);
    room.begin(1);
    room.take(2);
    assert!(!room.forget(u32::MAX - 1));
    assert!(!room.has(1));
    assert!(!room.forget(u32::MAX));
    assert!(room.has(PLACES - 2) && !room.has(PLACES - 1));
    assert!(!room.forget(0));
    assert!(room.forget(1));
    assert!(room.has(PLACES));
}

#[test]
fn an_operation_that_the_driver_does_not_get_does_not_count() {
    let mut room = Room::default();
    assert!(room.take(0));
    room.uncount();
    room.begin(1);
    for _ in 0..2 * OPERATIONS {
        assert!(!room.take(0));
        room.uncount();
    }
    assert!(room.has(PLACES));
    for _ in 0..OPERATIONS {
        room.take(0);
    }
    assert!(!room.has(0));
    room.uncount();
    assert!(room.has(0));
}
