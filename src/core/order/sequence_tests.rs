//! Tests of the order of operations.

use super::super::known::Known;
use super::{Carrier, LaneIndex, Point, Sequence};
use crate::backend::{Comparison, Place, Span, ValueWait};
use crate::order::carriers::Changes;

/// A wait for the value 1.
fn wait(sequence: &mut Sequence, stream: u64, key: usize) {
    sequence.await_value(stream, value_wait(key, Comparison::Equal, 1));
}

/// Returns the second of two streams that wait for each other by turns. The first begins with a wait for a value that
/// nothing writes.
fn operations_behind_an_endless_wait(sequence: &mut Sequence, rounds: usize) -> Vec<Point> {
    let (value, to_second, to_first) = (1, 2, 3);
    sequence.next(10);
    wait(sequence, 10, value);
    let mut points = Vec::new();
    for _ in 0..rounds {
        sequence.next(10);
        sequence.carry(10, to_second, || Carrier::Value, &Changes::Record);
        sequence.follow(20, to_second, None);
        points.push(sequence.next(20));
        sequence.carry(20, to_first, || Carrier::Value, &Changes::Record);
        sequence.follow(10, to_first, None);
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
    sequence.write_value(30, 1, 1);
    let last = sequence.next(20);
    assert_eq!(sequence.open_gates(last).count(), 0);
}

/// A stream waits for a value before another one writes it, and passes on that it has.
fn waits_before_the_write(sequence: &mut Sequence) -> (Point, u64) {
    let (value, passed) = (1, 2);
    sequence.next(10);
    wait(sequence, 10, value);
    sequence.next(10);
    sequence.carry(10, passed, || Carrier::Value, &Changes::Record);
    let written = sequence.next(20);
    sequence.write_value(20, value, 1);
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
    // What was passed on before the write is ordered after it as well.
    sequence.follow(30, passed as usize, None);
    let follower = sequence.next(30);
    assert!(sequence.is_before(written, follower));
}

#[test]
fn the_host_knows_what_ended_the_wait_that_it_waited_for() {
    let mut sequence = Sequence::default();
    sequence.next(10);
    wait(&mut sequence, 10, 1);
    let reached = sequence.at_stream(10);
    let written = sequence.next(20);
    sequence.write_value(20, 1, 1);
    assert!(!sequence.is_known(written));
    // Another thread goes on with the stream meanwhile.
    let behind = sequence.next(10);
    let later = sequence.next(20);
    sequence.know(&reached);
    assert!(sequence.is_known(written));
    assert!(!sequence.is_known(behind) && !sequence.is_known(later), "submitted since the host began to wait");
    sequence.forget(&reached);
    assert!(sequence.carriers.values().all(|carried| !matches!(carried.carrier, Carrier::Host)));
}

/// A stream waits for a wait of another stream, and both were submitted before what ends them.
#[test]
fn operations_between_two_waits_are_behind_both() {
    let (outer, inner) = (10, 20);
    let mut sequence = Sequence::default();
    sequence.next(1);
    wait(&mut sequence, 1, outer);
    let behind = sequence.next(1);
    sequence.next(2);
    wait(&mut sequence, 2, inner);
    sequence.next(2);
    sequence.write_value(2, outer, 1);
    assert!(sequence.is_open(behind), "behind the inner wait");
    // What the third stream did before is ordered before it, but not what it does later.
    sequence.next(3);
    sequence.write_value(3, inner, 1);
    assert!(!sequence.is_open(behind));
}

fn value_wait(addr: usize, comparison: Comparison, value: u64) -> ValueWait {
    ValueWait { src: Span { addr, len: 8, place: Place::Device(0) }, value, comparison }
}

#[test]
fn only_a_value_that_satisfies_a_wait_ends_it() {
    use Comparison::{And, Equal, GreaterOrEqual, Nor};
    for (comparison, value, too_early, right) in
        [(GreaterOrEqual, 5, 4, 6), (Equal, 5, 6, 5), (And, 4, 3, 12), (Nor, 1, u64::MAX - 1, 8)]
    {
        let mut sequence = Sequence::default();
        sequence.next(1);
        sequence.await_value(1, value_wait(64, comparison, value));
        let behind = sequence.next(1);
        sequence.next(2);
        sequence.write_value(2, 64, too_early);
        assert!(sequence.is_open(behind), "{comparison:?}");
        let before = sequence.next(2);
        sequence.write_value(2, 64, right);
        assert!(!sequence.is_open(behind), "{comparison:?}");
        let later = sequence.next(1);
        assert!(sequence.is_before(before, later), "{comparison:?}");
    }
}

#[test]
fn a_wait_for_a_value_is_open_after_another_value() {
    let mut sequence = Sequence::default();
    let mut is_open = |written: u64| {
        sequence.next(2);
        sequence.write_value(2, 64, written);
        sequence.next(1);
        sequence.await_value(1, value_wait(64, Comparison::Equal, 1));
        let behind = sequence.next(1);
        sequence.is_open(behind)
    };
    assert!(!is_open(1));
    assert!(is_open(0));
}

#[test]
fn memory_that_is_freed_takes_its_values_with_it() {
    let mut sequence = Sequence::default();
    for addr in [64, 72, 128] {
        sequence.next(1);
        sequence.write_value(1, addr, 1);
    }
    sequence.forget_values(64..128);
    assert_eq!(sequence.carriers.keys().copied().collect::<Vec<_>>(), [128]);
    sequence.next(2);
    sequence.await_value(2, value_wait(64, Comparison::Equal, 1));
    let behind = sequence.next(2);
    assert!(sequence.is_open(behind), "for a value that is still to come");
}

/// A wait of the host for all streams of a device, of which two have open waits.
#[test]
fn the_host_knows_what_ended_the_waits_of_all_streams() {
    let mut sequence = Sequence::default();
    let keys = [64, 72];
    for (stream, key) in [1, 2].into_iter().zip(keys) {
        sequence.next(stream);
        wait(&mut sequence, stream, key);
    }
    let reached = [1, 2].map(|stream| sequence.at_stream(stream));
    let changed = keys.map(|key| {
        let before = sequence.next(3);
        sequence.next(3);
        sequence.write_value(3, key, 1);
        before
    });
    reached.iter().for_each(|reached| sequence.know(reached));
    assert!(changed.into_iter().all(|point| sequence.is_known(point)));
}

#[test]
fn what_the_host_has_waited_for_is_behind_no_wait() {
    let mut sequence = Sequence::default();
    sequence.next(1);
    sequence.await_value(1, value_wait(64, Comparison::Equal, 1));
    let reached = sequence.at_stream(1);
    sequence.know(&reached);
    let behind = sequence.next(1);
    assert!(!sequence.is_open(behind), "the word had the value from the start");
}

/// A program that stops or destroys streams which wait for the same word.
#[test]
fn stopped_streams_cost_a_later_change_nothing() {
    let mut sequence = Sequence::default();
    for stream in 1..=1000 {
        sequence.next(stream);
        sequence.await_value(stream, value_wait(64, Comparison::Equal, 1));
        let behind = sequence.next(stream);
        sequence.stop(stream);
        assert!(sequence.is_open(behind), "it never runs");
        let later = sequence.next(stream);
        assert!(!sequence.is_open(later));
        sequence.next(2000);
        sequence.write_value(2000, 64, 0);
    }
    assert!(sequence.streams.iter().all(|stream| stream.gates.is_empty()));
    assert_eq!(sequence.carriers[&64].waiting, [] as [LaneIndex; 0]);
}

/// Each change checks the streams that wait for it, and not all streams that have waited.
#[test]
fn a_change_checks_its_own_waits() {
    let mut sequence = Sequence::default();
    for round in 0..100 {
        let key = 64 + round * 8;
        for stream in [1, 2] {
            sequence.next(stream);
            wait(&mut sequence, stream, key);
        }
        assert_eq!(sequence.carriers[&key].waiting, [0, 1]);
        for _ in 0..2 {
            sequence.next(3);
            sequence.write_value(3, key, 1);
        }
        assert_eq!(sequence.carriers[&key].waiting, [] as [LaneIndex; 0]);
    }
    assert!(sequence.streams.iter().all(|stream| stream.gates.is_empty() && stream.passed.is_empty()));
}

/// A copy writes a word that a stream waits for. The value is unknown: the wait stays open, and is after the copy.
#[test]
fn what_else_writes_a_value_may_end_waits_for_it() {
    let mut sequence = Sequence::default();
    sequence.next(1);
    sequence.await_value(1, value_wait(64, Comparison::Equal, 1));
    let copy = sequence.next(2);
    sequence.overwrite(Some(2), 60..65);
    let other = sequence.next(3);
    sequence.overwrite(Some(3), 72..80);
    let behind = sequence.next(1);
    assert!(sequence.is_before(copy, behind) && !sequence.is_before(other, behind));
    assert!(sequence.is_open(behind));
    // A later wait does not take a value from before the copy.
    sequence.next(2);
    sequence.write_value(2, 64, 1);
    assert!(!sequence.is_open(behind));
    sequence.overwrite(None, 64..72);
    sequence.next(4);
    sequence.await_value(4, value_wait(64, Comparison::Equal, 1));
    let later = sequence.next(4);
    assert!(sequence.is_open(later));
}

#[test]
fn a_value_ends_any_number_of_waits() {
    let mut sequence = Sequence::default();
    sequence.next(1);
    sequence.write_value(1, 64, 1);
    for stream in [2, 3] {
        sequence.next(stream);
        sequence.await_value(stream, value_wait(64, Comparison::GreaterOrEqual, 1));
        let behind = sequence.next(stream);
        assert!(!sequence.is_open(behind), "stream {stream}");
    }
}

/// Stream 2 waits for the value 1, stream 1 for stream 2, and the host for stream 1.
fn wait_behind_a_wait(sequence: &mut Sequence) -> Known {
    sequence.next(2);
    sequence.await_value(2, value_wait(64, Comparison::Equal, 1));
    sequence.next(2);
    sequence.carry(2, 128, || Carrier::Value, &Changes::Record);
    sequence.next(1);
    sequence.follow(1, 128, None);
    let reached = sequence.at_stream(1);
    sequence.know(&reached);
    reached
}

#[test]
fn a_wait_is_over_in_all_streams_when_the_host_has_waited_for_it() {
    let mut sequence = Sequence::default();
    let _ = wait_behind_a_wait(&mut sequence);
    for stream in [1, 2] {
        let later = sequence.next(stream);
        assert!(!sequence.is_open(later), "stream {stream}");
        sequence.stop(stream);
        assert!(!sequence.is_open(later), "it was behind no wait");
    }
    // A later write of the value is not what ended the wait.
    let before = sequence.next(3);
    sequence.write_value(3, 64, 1);
    let later = sequence.next(2);
    assert!(!sequence.is_before(before, later));
}

/// The value is there from the start, so that nothing that is submitted ends the waits.
#[test]
fn waits_that_the_host_has_waited_for_take_no_room() {
    let mut sequence = Sequence::default();
    for _ in 0..100 {
        let reached = wait_behind_a_wait(&mut sequence);
        sequence.forget(&reached);
        assert!(sequence.streams.iter().all(|stream| stream.gates.len() <= 1));
    }
}

#[test]
fn a_wait_for_a_value_of_freed_memory_does_not_stand_for_one_at_the_same_address() {
    let mut sequence = Sequence::default();
    // The memory is freed while a stream waits.
    sequence.next(1);
    sequence.await_value(1, value_wait(64, Comparison::Equal, 1));
    sequence.forget_values(64..72);
    let behind = sequence.next(1);
    assert!(!sequence.is_open(behind), "no value can end the wait");
    sequence.next(1);
    sequence.await_value(1, value_wait(64, Comparison::Equal, 1));
    let before = sequence.next(3);
    sequence.write_value(3, 64, 1);
    let behind = sequence.next(1);
    assert!(sequence.is_before(before, behind) && !sequence.is_open(behind));
}
