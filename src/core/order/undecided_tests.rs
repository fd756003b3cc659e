//! Tests of pairs that what ends a wait decides.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::sequence::Sequence;
use super::{MOST, report};
use crate::backend::{Comparison, Place, Span, ValueWait};
use crate::core::order::sequence::Point;

const FIRST: u64 = 1;
const SECOND: u64 = 2;
const OTHER: u64 = 3;
const WORD: usize = 64;

/// The second stream waits, and an operation behind the wait is in no order with one of the first stream.
struct Undecided {
    sequence: Sequence,
    /// Of the second stream.
    later: Point,
    reports: Arc<AtomicUsize>,
}

fn wait(sequence: &mut Sequence, stream: u64, addr: usize) {
    let src = Span { addr, len: 8, place: Place::Device(0) };
    sequence.next(stream);
    sequence.await_value(stream, ValueWait { src, value: 1, comparison: Comparison::Equal });
}

fn undecided() -> Undecided {
    let (mut sequence, reports) = (Sequence::default(), Arc::<AtomicUsize>::default());
    let earlier = sequence.next(FIRST);
    wait(&mut sequence, SECOND, WORD);
    let later = sequence.next(SECOND);
    let count = Arc::clone(&reports);
    let kept = sequence.decide_later(earlier, later, Box::new(move || _ = count.fetch_add(1, Ordering::Relaxed)));
    assert!(kept);
    let mut undecided = Undecided { sequence, later, reports };
    assert_eq!(undecided.reports(), 0, "the wait is open");
    undecided
}

impl Undecided {
    fn write(&mut self, stream: u64, addr: usize, value: u64) {
        self.sequence.next(stream);
        self.sequence.write_value(stream, addr, value);
    }

    fn host_waits(&mut self, stream: u64) {
        let reached = self.sequence.at_stream(stream);
        self.sequence.know_all(std::slice::from_ref(&reached));
        self.sequence.forget(&reached);
    }

    /// How many reports there are so far.
    fn reports(&mut self) -> usize {
        self.sequence.decided().into_iter().for_each(report);
        self.reports.load(Ordering::Relaxed)
    }

    fn assert_is_dropped(mut self) {
        assert_eq!(self.reports(), 0);
        assert!(self.sequence.pairs.is_empty());
    }
}

#[test]
fn what_ends_the_wait_orders_the_two() {
    let mut pair = undecided();
    pair.write(FIRST, WORD, 1);
    pair.assert_is_dropped();
}

#[test]
fn what_ends_the_wait_may_not_order_them() {
    let mut pair = undecided();
    pair.write(OTHER, WORD, 0);
    assert_eq!(pair.reports(), 0);
    pair.write(OTHER, WORD, 1);
    assert_eq!(pair.reports(), 1);
    assert_eq!(pair.reports(), 1, "once");
}

#[test]
fn each_of_several_waits_may_order_them() {
    for (is_ordered, ends) in [(false, [OTHER, OTHER]), (true, [FIRST, OTHER]), (true, [OTHER, FIRST])] {
        let mut pair = undecided();
        // The later operation is behind the wait of another stream as well.
        wait(&mut pair.sequence, SECOND, 72);
        let (count, later) = (Arc::clone(&pair.reports), pair.sequence.next(SECOND));
        let report = Box::new(move || _ = count.fetch_add(1, Ordering::Relaxed));
        let earlier = Point { number: 1, ..pair.sequence.latest_of(FIRST) };
        assert!(pair.sequence.decide_later(earlier, later, report));
        pair.write(ends[1], 72, 1);
        assert_eq!(pair.reports(), 0, "behind the first wait");
        pair.write(ends[0], WORD, 1);
        // The first pair is behind the first wait only.
        let first = usize::from(ends[0] != FIRST);
        assert_eq!(pair.reports(), first + usize::from(!is_ordered), "{ends:?}");
    }
}

/// The wait is behind another stream's.
#[test]
fn what_ends_the_wait_may_itself_be_behind_a_wait() {
    for ends in [FIRST, OTHER] {
        let mut pair = undecided();
        wait(&mut pair.sequence, 4, 72);
        pair.write(4, WORD, 1);
        assert_eq!(pair.reports(), 0);
        pair.write(ends, 72, 1);
        assert_eq!(pair.reports(), usize::from(ends != FIRST));
        assert!(pair.sequence.pairs.is_empty());
    }
}

#[test]
fn the_host_orders_them_if_it_waits_in_between() {
    let mut pair = undecided();
    pair.host_waits(FIRST);
    pair.write(OTHER, WORD, 1);
    pair.assert_is_dropped();
    // What ends the wait is not seen.
    let mut pair = undecided();
    pair.host_waits(FIRST);
    pair.host_waits(SECOND);
    pair.assert_is_dropped();
}

#[test]
fn the_host_has_waited_for_both_at_once() {
    let mut pair = undecided();
    let reached = [FIRST, SECOND].map(|stream| pair.sequence.at_stream(stream));
    pair.sequence.know_all(&reached);
    assert_eq!(pair.reports(), 1);
}

/// Whatever ends the wait: what the host knew before comes before what is behind it.
#[test]
fn the_host_has_waited_for_the_earlier_one() {
    let ends: [fn(&mut Sequence); 5] = [
        |sequence| sequence.forget_values(WORD..WORD + 8),
        |sequence| sequence.stop(SECOND),
        |sequence| {
            let wait = Point { number: 1, ..sequence.latest_of(SECOND) };
            sequence.refuse(wait);
        },
        |sequence| report(sequence.take_undecided()),
        // A wait that began before the host knew the earlier one.
        |_| (),
    ];
    for end in ends {
        let mut pair = undecided();
        let reached = pair.sequence.at_stream(SECOND);
        pair.host_waits(FIRST);
        end(&mut pair.sequence);
        pair.sequence.know_all(&[reached]);
        pair.assert_is_dropped();
    }
}

#[test]
fn dropped_operations_are_in_no_pair() {
    let mut pair = undecided();
    pair.sequence.stop(SECOND);
    pair.assert_is_dropped();
    let mut pair = undecided();
    pair.sequence.refuse(pair.later);
    pair.assert_is_dropped();
    // An abort of another stream drops nothing.
    let mut pair = undecided();
    pair.sequence.stop(FIRST);
    pair.write(OTHER, WORD, 1);
    assert_eq!(pair.reports(), 1);
}

#[test]
fn a_pair_that_nothing_decides_is_reported_at_the_end() {
    let mut pair = undecided();
    report(pair.sequence.take_undecided());
    assert_eq!(pair.reports(), 1);
}

#[test]
fn pairs_take_limited_room() {
    let Undecided { mut sequence, later, .. } = undecided();
    let earlier = Point { number: 1, ..sequence.latest_of(FIRST) };
    let kept = (0..2 * MOST).filter(|_| sequence.decide_later(earlier, later, Box::new(|| ()))).count();
    assert_eq!((kept, sequence.pairs.len()), (MOST - 1, MOST));
}
