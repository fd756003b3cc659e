//! Tests of the order of operations.

use super::{Carrier, Point, Sequence};

/// The second of two streams that wait for each other by turns. The first begins with a wait for a value that nothing
/// writes.
fn operations_behind_an_endless_wait(sequence: &mut Sequence, rounds: usize) -> Vec<Point> {
    let (value, to_second, to_first) = (1, 2, 3);
    sequence.next(10);
    sequence.follow_or_wait(10, value, || Carrier::Value);
    let mut points = Vec::new();
    for _ in 0..rounds {
        sequence.next(10);
        sequence.carry(10, to_second, || Carrier::Value, true);
        sequence.follow(20, to_second);
        points.push(sequence.next(20));
        sequence.carry(20, to_first, || Carrier::Value, true);
        sequence.follow(10, to_first);
    }
    points
}

#[test]
fn streams_that_wait_for_each_other_pass_an_endless_wait_on_once() {
    let mut sequence = Sequence::default();
    let points = operations_behind_an_endless_wait(&mut sequence, 40);
    for point in points {
        assert_eq!(sequence.open_gates(point).count(), 1, "{point:?} is behind the wait");
    }
    assert!(sequence.streams.iter().all(|stream| stream.gates.len() == 1));
    // The value is written: nothing is behind a wait any more.
    sequence.next(30);
    sequence.carry(30, 1, || Carrier::Value, false);
    let last = sequence.next(20);
    assert_eq!(sequence.open_gates(last).count(), 0);
}

/// A stream waits for a value before another one writes it, and passes on that it has.
fn waits_before_the_write(sequence: &mut Sequence) -> (Point, u64) {
    let (value, passed) = (1, 2);
    sequence.next(10);
    sequence.follow_or_wait(10, value, || Carrier::Value);
    sequence.next(10);
    sequence.carry(10, passed, || Carrier::Value, true);
    let written = sequence.next(20);
    sequence.carry(20, value, || Carrier::Value, false);
    (written, passed as u64)
}

#[test]
fn what_ends_a_wait_is_before_what_is_behind_the_wait() {
    let mut sequence = Sequence::default();
    let (written, passed) = waits_before_the_write(&mut sequence);
    let behind = sequence.next(10);
    assert!(sequence.is_before(written, behind));
    let other = sequence.next(30);
    assert!(!sequence.is_before(written, other), "the stream waits for nothing");
    // What was passed on before the write comes after it as well.
    sequence.follow(30, passed as usize);
    let follower = sequence.next(30);
    assert!(sequence.is_before(written, follower));
}

#[test]
fn the_host_knows_what_ended_the_wait_that_it_waited_for() {
    let mut sequence = Sequence::default();
    sequence.next(10);
    sequence.follow_or_wait(10, 1, || Carrier::Value);
    let known = sequence.at_stream(10);
    let written = sequence.next(20);
    sequence.carry(20, 1, || Carrier::Value, false);
    assert!(!sequence.is_known(written));
    sequence.know(&known);
    assert!(sequence.is_known(written));
}
