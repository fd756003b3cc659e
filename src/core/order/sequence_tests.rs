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
