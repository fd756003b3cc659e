//! Tests of waits for notifies: which changes end them.

use std::sync::Arc;

use super::super::sequence::Sequence;
use crate::backend::{
    Change, Comparison, Event, Notifies, Notify, NotifyWait, Place, SharedEvent, Span, Until, ValueWait,
};
use crate::order::carriers::key_of;
use crate::order::sequence::Point;

const SET: Change = Change::Set(1);
const RESET: Change = Change::Set(0);

fn notify() -> Arc<Notify> {
    Notifies::default().create().unwrap()
}

fn until(until: Until) -> NotifyWait {
    NotifyWait { until, clear: false, limit: None }
}

/// Returns a wait as that of aclrtWaitAndResetNotify.
fn taking() -> NotifyWait {
    NotifyWait { clear: true, ..until(Until::Equal(1)) }
}

fn change(sequence: &mut Sequence, stream: u64, notify: &Arc<Notify>, change: Change) -> Point {
    let point = sequence.next(stream);
    sequence.change(stream, notify, change);
    point
}

/// Returns an operation behind the wait.
fn wait(sequence: &mut Sequence, stream: u64, notify: &Arc<Notify>, wait: NotifyWait) -> Point {
    sequence.next(stream);
    sequence.await_notify(stream, notify, wait);
    sequence.next(stream)
}

fn wait_for_value(sequence: &mut Sequence, stream: u64, addr: usize) {
    let src = Span { addr, len: 8, place: Place::Device(0) };
    sequence.next(stream);
    sequence.await_value(stream, ValueWait { src, value: 1, comparison: Comparison::Equal });
}

/// A wait that leaves the count as it is, as those for events with ACL_EVENT_EXTERNAL.
#[test]
fn only_a_wait_that_clears_the_count_takes_it_from_others() {
    for (clear, is_open) in [(false, [false, false, false, true]), (true, [false, true, true, true])] {
        let (mut sequence, notify) = (Sequence::default(), notify());
        change(&mut sequence, 1, &notify, SET);
        let kinds = [clear, clear, true, true];
        for ((stream, clear), is_open) in (2..).zip(kinds).zip(is_open) {
            let behind = wait(&mut sequence, stream, &notify, NotifyWait { clear, ..taking() });
            assert_eq!(sequence.is_open(behind), is_open, "stream {stream}");
        }
    }
}

#[test]
fn a_change_ends_the_first_of_the_waits_that_clear_the_count() {
    let (mut sequence, notify) = (Sequence::default(), notify());
    let behind = [2, 3, 4].map(|stream| wait(&mut sequence, stream, &notify, taking()));
    for ended in 1..=3 {
        change(&mut sequence, 1, &notify, SET);
        assert_eq!(behind.map(|point| !sequence.is_open(point)), [true, ended > 1, ended > 2]);
    }
}

/// Two streams take turns. All of the first one is submitted before the other one.
#[test]
fn each_record_counts_for_a_wait() {
    let (mut sequence, to, back) = (Sequence::default(), notify(), notify());
    for _ in 0..3 {
        change(&mut sequence, 1, &to, SET);
        wait(&mut sequence, 1, &back, taking());
    }
    let mut is_open_wait = || {
        let behind = wait(&mut sequence, 2, &to, taking());
        change(&mut sequence, 2, &back, SET);
        sequence.is_open_wait(Point { number: behind.number - 1, ..behind })
    };
    assert_eq!([(); 4].map(|()| is_open_wait()), [false, false, false, true]);
}

#[test]
fn a_reset_by_the_host_takes_the_changes_that_no_wait_has_taken() {
    let (mut sequence, notify) = (Sequence::default(), notify());
    change(&mut sequence, 1, &notify, SET);
    change(&mut sequence, 1, &notify, SET);
    sequence.reset(&notify);
    let behind = wait(&mut sequence, 2, &notify, taking());
    assert!(sequence.is_open(behind));
    change(&mut sequence, 1, &notify, SET);
    assert!(!sequence.is_open(behind));
}

#[test]
fn a_reset_by_a_stream_ends_no_wait_for_a_count() {
    let (mut sequence, notify) = (Sequence::default(), notify());
    let behind = wait(&mut sequence, 2, &notify, until(Until::AtLeast(1)));
    change(&mut sequence, 1, &notify, RESET);
    assert!(sequence.is_open(behind));
    let before = sequence.next(1);
    change(&mut sequence, 1, &notify, SET);
    assert!(!sequence.is_open(behind));
    let later = sequence.next(2);
    assert!(sequence.is_before(before, later));
    change(&mut sequence, 1, &notify, RESET);
    let behind = wait(&mut sequence, 3, &notify, until(Until::AtLeast(1)));
    assert!(sequence.is_open(behind), "the reset has taken the change");
}

#[test]
fn a_reset_passes_order_to_waits_for_a_count_of_0_only() {
    for (condition, comes_after) in [(Until::AtLeast(1), false), (Until::Less(1), true), (Until::Equal(0), true)] {
        for is_submitted_first in [false, true] {
            let (mut sequence, notify) = (Sequence::default(), notify());
            change(&mut sequence, 3, &notify, Change::Set(5));
            let before = sequence.next(1);
            let mut reset = is_submitted_first.then(|| change(&mut sequence, 1, &notify, RESET));
            let behind = wait(&mut sequence, 2, &notify, until(condition));
            reset.get_or_insert_with(|| change(&mut sequence, 1, &notify, RESET));
            let later = sequence.next(2);
            assert_eq!(sequence.is_before(before, later), comes_after, "{condition:?}, {is_submitted_first}");
            // The count 5 ends the first wait, if the reset comes later.
            assert_eq!(sequence.is_open(behind), !comes_after && is_submitted_first, "{condition:?}");
        }
    }
}

#[test]
fn only_a_count_that_satisfies_a_wait_ends_it() {
    for (condition, too_early, right) in [
        (Until::AtLeast(2), Change::Set(1), Change::Set(2)),
        (Until::AtLeast(2), Change::Add(1), Change::Add(1)),
        (Until::Bits(3), Change::Or(1), Change::Or(2)),
        (Until::Equal(4), Change::Set(6), Change::And(4)),
        (Until::Greater(7), Change::Add(7), Change::Add(1)),
    ] {
        let (mut sequence, notify) = (Sequence::default(), notify());
        let behind = wait(&mut sequence, 2, &notify, until(condition));
        change(&mut sequence, 1, &notify, too_early);
        assert!(sequence.is_open(behind), "{condition:?}");
        let before = sequence.next(1);
        change(&mut sequence, 1, &notify, right);
        assert!(!sequence.is_open(behind), "{condition:?}");
        let later = sequence.next(2);
        assert!(sequence.is_before(before, later), "{condition:?}");
    }
}

/// The wait would have taken the count.
#[test]
fn an_aborted_wait_takes_nothing_from_later_ones() {
    let (mut sequence, notify) = (Sequence::default(), notify());
    wait(&mut sequence, 2, &notify, taking());
    sequence.stop(2);
    change(&mut sequence, 1, &notify, SET);
    let behind = wait(&mut sequence, 3, &notify, taking());
    assert!(!sequence.is_open(behind));
}

#[test]
fn an_aborted_wait_returns_the_count_that_it_took_behind_another_wait() {
    for is_submitted_first in [false, true] {
        let (mut sequence, notify) = (Sequence::default(), notify());
        wait_for_value(&mut sequence, 2, 64);
        if is_submitted_first {
            change(&mut sequence, 1, &notify, SET);
        }
        wait(&mut sequence, 2, &notify, taking());
        change(&mut sequence, 1, &notify, SET);
        let behind = [3, 4].map(|stream| wait(&mut sequence, stream, &notify, taking()));
        assert_eq!(behind.map(|point| sequence.is_open(point)), [!is_submitted_first, true]);
        sequence.stop(2);
        assert_eq!(behind.map(|point| sequence.is_open(point)), [false, !is_submitted_first]);
    }
}

#[test]
fn a_wait_that_timed_out_takes_nothing_from_later_ones() {
    let (mut sequence, notify) = (Sequence::default(), notify());
    wait(&mut sequence, 2, &notify, taking());
    let reached = sequence.at_stream(2);
    sequence.know(&reached);
    change(&mut sequence, 1, &notify, SET);
    let behind = wait(&mut sequence, 3, &notify, taking());
    assert!(!sequence.is_open(behind));
    let behind = wait(&mut sequence, 2, &notify, taking());
    assert!(sequence.is_open(behind));
}

#[test]
fn a_refused_wait_takes_nothing_from_later_ones() {
    let (mut sequence, notify) = (Sequence::default(), notify());
    sequence.next(2);
    let refused = sequence.next(2);
    sequence.await_notify(2, &notify, taking());
    sequence.refuse(refused);
    change(&mut sequence, 1, &notify, SET);
    let behind = wait(&mut sequence, 3, &notify, taking());
    assert!(!sequence.is_open(behind));
}

#[test]
fn a_dropped_wait_holds_up_no_other_stream() {
    let (mut sequence, stopped, going_on) = (Sequence::default(), notify(), notify());
    wait(&mut sequence, 2, &stopped, taking());
    change(&mut sequence, 2, &going_on, SET);
    let behind = wait(&mut sequence, 3, &going_on, taking());
    assert!(sequence.is_open(behind));
    sequence.stop(2);
    assert!(!sequence.is_open(behind));
}

/// Nothing ends the wait that they are behind.
#[test]
fn waits_behind_an_endless_one_take_limited_room() {
    let (mut sequence, notify) = (Sequence::default(), notify());
    wait_for_value(&mut sequence, 2, 64);
    for _ in 0..2 * super::MOST_TAKEN {
        change(&mut sequence, 1, &notify, SET);
        wait(&mut sequence, 2, &notify, taking());
    }
    assert_eq!(sequence.streams.iter().map(|stream| stream.taken.len()).sum::<usize>(), super::MOST_TAKEN);
    sequence.next(1);
    sequence.write_value(1, 64, 1);
    assert!(sequence.streams.iter().all(|stream| stream.taken.is_empty()));
}

/// Events with ACL_EVENT_IPC: each record is a notify of its own, and each wait as well.
#[test]
fn records_of_an_event_that_is_shared_pass_order() {
    let mut sequence = Sequence::default();
    let event = SharedEvent::new(notify());
    let before = sequence.next(1);
    sequence.change(1, &event.record(), SET);
    sequence.next(2);
    sequence.await_notify(2, &event.latest(), until(Until::AtLeast(1)));
    let behind = sequence.next(2);
    assert!(sequence.is_before(before, behind) && !sequence.is_open(behind));
    // The host waits for it as for any other event.
    let event: Arc<dyn Event> = event;
    let reached = sequence.at_carrier(key_of(&event)).unwrap();
    sequence.know(&reached);
    assert!(sequence.is_known(before) && !sequence.is_known(behind));
}

#[test]
fn of_the_waits_that_one_change_ends_only_those_for_a_count_of_0_come_after_resets() {
    let (mut sequence, notify) = (Sequence::default(), notify());
    let reset = change(&mut sequence, 4, &notify, RESET);
    change(&mut sequence, 1, &notify, Change::Set(7));
    let for_five = wait(&mut sequence, 2, &notify, until(Until::Equal(5)));
    let for_less = wait(&mut sequence, 3, &notify, until(Until::Less(6)));
    let end = change(&mut sequence, 1, &notify, Change::Set(5));
    for (behind, comes_after_reset) in [(for_five, false), (for_less, true)] {
        assert!(!sequence.is_open(behind) && sequence.is_before(end, behind));
        assert_eq!(sequence.is_before(reset, behind), comes_after_reset);
    }
}

#[test]
fn what_ran_between_two_aborts_was_not_dropped() {
    let (mut sequence, notify) = (Sequence::default(), notify());
    let aborted = |sequence: &mut Sequence| {
        let behind = wait(sequence, 2, &notify, taking());
        sequence.stop(2);
        behind
    };
    let first = aborted(&mut sequence);
    let between = sequence.next(2);
    let second = aborted(&mut sequence);
    let later = sequence.next(2);
    assert_eq!([first, between, second, later].map(|point| sequence.is_dropped(point)), [true, false, true, false]);
    for _ in 0..2 * super::MOST_STOPPED {
        aborted(&mut sequence);
    }
    let stopped = |sequence: &Sequence| sequence.streams[later.line as usize].stopped.len();
    assert_eq!(stopped(&sequence), super::MOST_STOPPED);
    assert!(sequence.is_dropped(first) && sequence.is_dropped(second));
    // The host waits for the stream: nothing before that is of interest.
    let reached = sequence.at_stream(2);
    sequence.know(&reached);
    aborted(&mut sequence);
    assert_eq!(stopped(&sequence), 1);
}
