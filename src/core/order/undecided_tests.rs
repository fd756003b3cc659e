//! Tests of pairs that what ends a wait decides.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::sequence::Sequence;
use super::{MOST, Pair, report};
use crate::backend::{Comparison, Place, Span, ValueWait};
use crate::order::sequence::Point;

const FIRST: u64 = 1;
const SECOND: u64 = 2;
const OTHER: u64 = 3;
const WORD: usize = 64;

/// The second stream waits, and an operation behind the wait is in no order with one of the first stream.
struct Undecided {
    sequence: Sequence,
    /// The one that was submitted first.
    earlier: Point,
    later: Point,
    reports: Arc<AtomicUsize>,
}

fn wait(sequence: &mut Sequence, stream: u64, addr: usize) {
    let src = Span { addr, len: 8, place: Place::Device(0) };
    sequence.next(stream);
    sequence.await_value(stream, ValueWait { src, value: 1, comparison: Comparison::Equal });
}

/// The later one is behind the wait.
fn undecided() -> Undecided {
    let mut sequence = Sequence::default();
    let earlier = sequence.next(FIRST);
    wait(&mut sequence, SECOND, WORD);
    let later = sequence.next(SECOND);
    Undecided::of(sequence, earlier, later, true)
}

/// The earlier one is behind the wait.
fn earlier_waits() -> Undecided {
    in_this_order_only(true)
}

fn in_this_order_only(may_swap: bool) -> Undecided {
    let mut sequence = Sequence::default();
    wait(&mut sequence, SECOND, WORD);
    let earlier = sequence.next(SECOND);
    let later = sequence.next(FIRST);
    Undecided::of(sequence, earlier, later, may_swap)
}

fn both_wait() -> Undecided {
    let mut sequence = Sequence::default();
    wait(&mut sequence, SECOND, WORD);
    let earlier = sequence.next(SECOND);
    wait(&mut sequence, FIRST, 72);
    let later = sequence.next(FIRST);
    Undecided::of(sequence, earlier, later, true)
}

impl Undecided {
    fn of(sequence: Sequence, earlier: Point, later: Point, may_swap: bool) -> Self {
        let mut undecided = Self { sequence, earlier, later, reports: Arc::default() };
        assert!(undecided.keep(earlier, later, may_swap));
        assert_eq!(undecided.reports(), 0, "the wait is open");
        undecided
    }

    fn keep(&mut self, earlier: Point, later: Point, may_swap: bool) -> bool {
        let count = Arc::clone(&self.reports);
        let report = Box::new(move || _ = count.fetch_add(1, Ordering::Relaxed));
        self.sequence.decide_later(Pair { earlier, later, memory: None, may_swap, report })
    }

    fn write(&mut self, stream: u64, addr: usize, value: u64) {
        self.sequence.next(stream);
        self.sequence.write_value(stream, addr, value);
    }

    fn host_waits(&mut self, stream: u64) {
        let reached = self.sequence.at_stream(stream);
        self.sequence.know_all(std::slice::from_ref(&reached));
        self.sequence.forget(&reached);
    }

    /// Returns how many reports there are so far.
    fn reports(&mut self) -> usize {
        self.sequence.decided().into_iter().for_each(report);
        self.reports.load(Ordering::Relaxed)
    }

    fn assert_is_dropped(mut self) {
        assert_eq!(self.reports(), 0);
        assert!(self.sequence.pairs.is_empty());
    }
}

/// Either of the two may wait.
const ONE_WAITS: [fn() -> Undecided; 2] = [undecided, earlier_waits];

#[test]
fn what_ends_the_wait_orders_the_two() {
    for one_waits in ONE_WAITS {
        let mut pair = one_waits();
        pair.write(FIRST, WORD, 1);
        pair.assert_is_dropped();
        // The order comes through another stream.
        let mut pair = one_waits();
        pair.write(FIRST, 72, 1);
        wait(&mut pair.sequence, OTHER, 72);
        pair.write(OTHER, WORD, 1);
        pair.assert_is_dropped();
    }
}

#[test]
fn what_ends_the_wait_may_not_order_them() {
    for one_waits in ONE_WAITS {
        let mut pair = one_waits();
        pair.write(OTHER, WORD, 0);
        assert_eq!(pair.reports(), 0, "the value does not end the wait");
        pair.write(OTHER, WORD, 1);
        assert_eq!(pair.reports(), 1);
        assert_eq!(pair.reports(), 1, "once");
    }
}

#[test]
fn each_of_several_waits_may_order_them() {
    for (is_ordered, ends) in [(false, [OTHER, OTHER]), (true, [FIRST, OTHER]), (true, [OTHER, FIRST])] {
        let mut pair = undecided();
        // The later operation is behind the wait of another stream as well.
        wait(&mut pair.sequence, SECOND, 72);
        let later = pair.sequence.next(SECOND);
        assert!(pair.keep(pair.earlier, later, true));
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
    for (one_waits, ends) in ONE_WAITS.into_iter().flat_map(|one_waits| [(one_waits, FIRST), (one_waits, OTHER)]) {
        let mut pair = one_waits();
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
    for one_waits in ONE_WAITS {
        let mut pair = one_waits();
        pair.host_waits(FIRST);
        assert_eq!(pair.reports(), 0);
        pair.write(OTHER, WORD, 1);
        pair.assert_is_dropped();
        // The end of the wait is not seen.
        let mut pair = one_waits();
        pair.host_waits(FIRST);
        pair.host_waits(SECOND);
        pair.assert_is_dropped();
    }
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
    let mut pair = undecided();
    let (earlier, later) = (pair.earlier, pair.later);
    let kept = (0..2 * MOST).filter(|_| pair.keep(earlier, later, true)).count();
    assert_eq!((kept, pair.sequence.pairs.len()), (MOST - 1, MOST));
}

/// Memory is used before its allocation, or after its release.
#[test]
fn some_operations_may_not_come_first() {
    let mut pair = in_this_order_only(false);
    pair.write(FIRST, WORD, 1);
    assert_eq!(pair.reports(), 1);
    let mut pair = in_this_order_only(false);
    pair.host_waits(FIRST);
    pair.write(OTHER, WORD, 1);
    assert_eq!(pair.reports(), 1);
}

#[test]
fn each_of_several_waits_before_the_earlier_one_may_order_them() {
    for (ends, is_ordered) in [([FIRST, OTHER], true), ([OTHER, FIRST], true), ([OTHER, OTHER], false)] {
        let mut sequence = Sequence::default();
        wait(&mut sequence, SECOND, WORD);
        wait(&mut sequence, SECOND, 72);
        let (earlier, later) = (sequence.next(SECOND), sequence.next(FIRST));
        let mut pair = Undecided::of(sequence, earlier, later, true);
        pair.write(ends[0], WORD, 1);
        assert_eq!(pair.reports(), 0);
        pair.write(ends[1], 72, 1);
        assert_eq!(pair.reports(), usize::from(!is_ordered), "{ends:?}");
        assert!(pair.sequence.pairs.is_empty());
    }
}

#[test]
fn if_both_wait_each_may_come_first() {
    // The streams that end the waits for the two words, the first one before the other.
    for (ends, is_ordered) in [
        ([(FIRST, WORD), (OTHER, 72)], true),
        ([(OTHER, 72), (FIRST, WORD)], true),
        ([(SECOND, 72), (OTHER, WORD)], true),
        ([(OTHER, WORD), (SECOND, 72)], true),
        ([(OTHER, WORD), (OTHER, 72)], false),
    ] {
        let mut pair = both_wait();
        pair.write(ends[0].0, ends[0].1, 1);
        assert_eq!(pair.reports(), 0, "{ends:?}");
        pair.write(ends[1].0, ends[1].1, 1);
        assert_eq!(pair.reports(), usize::from(!is_ordered), "{ends:?}");
        assert!(pair.sequence.pairs.is_empty());
    }
}

/// Something that the library does not see has ended it, in an order that it does not know.
#[test]
fn an_unseen_end_of_the_wait_of_the_earlier_one_decides_nothing() {
    let mut pair = earlier_waits();
    let reached = [FIRST, SECOND].map(|stream| pair.sequence.at_stream(stream));
    pair.sequence.know_all(&reached);
    pair.assert_is_dropped();
    // Nor does one before a change that is seen.
    let mut pair = earlier_waits();
    pair.host_waits(SECOND);
    assert_eq!(pair.reports(), 0);
    pair.write(OTHER, WORD, 1);
    pair.assert_is_dropped();
}

/// A copy may end the wait.
#[test]
fn an_unknown_value_may_end_the_wait_of_the_earlier_one() {
    for stream in [FIRST, OTHER] {
        let mut pair = earlier_waits();
        pair.sequence.next(stream);
        pair.sequence.overwrite(Some(stream), WORD..WORD + 8);
        assert_eq!(pair.reports(), 0);
        pair.host_waits(SECOND);
        assert_eq!(pair.reports(), usize::from(stream != FIRST));
    }
}

#[test]
fn an_earlier_one_that_never_runs_is_in_no_pair() {
    let mut pair = earlier_waits();
    report(pair.sequence.take_undecided());
    pair.assert_is_dropped();
    let mut pair = earlier_waits();
    pair.sequence.stop(SECOND);
    pair.assert_is_dropped();
    for refused in [|pair: &Undecided| pair.earlier, |pair: &Undecided| pair.later] {
        let mut pair = earlier_waits();
        let refused = refused(&pair);
        pair.sequence.refuse(refused);
        pair.assert_is_dropped();
    }
    let mut pair = earlier_waits();
    pair.sequence.stop(FIRST);
    pair.write(OTHER, WORD, 1);
    assert_eq!(pair.reports(), 1, "the abort of another stream drops nothing");
}

/// It is not known when the earlier one runs, or whether it does.
#[test]
fn a_wait_that_is_forgotten_decides_nothing() {
    let mut pair = earlier_waits();
    pair.sequence.forget_values(WORD..WORD + 8);
    pair.assert_is_dropped();
    // The abort drops the value that the stream of the earlier one waits for.
    let mut sequence = Sequence::default();
    wait(&mut sequence, OTHER, 72);
    sequence.next(OTHER);
    sequence.write_value(OTHER, WORD, 1);
    wait(&mut sequence, SECOND, WORD);
    let (earlier, later) = (sequence.next(SECOND), sequence.next(FIRST));
    let mut pair = Undecided::of(sequence, earlier, later, true);
    pair.sequence.stop(OTHER);
    pair.assert_is_dropped();
}

/// A stream that works while the other one waits does not fill the list.
#[test]
fn the_latest_of_many_later_ones_stands_for_the_others() {
    let mut pair = earlier_waits();
    for _ in 0..2 * MOST {
        let later = pair.sequence.next(FIRST);
        assert!(pair.keep(pair.earlier, later, true));
    }
    assert_eq!(pair.sequence.pairs.len(), 1);
    pair.write(OTHER, WORD, 1);
    assert_eq!(pair.reports(), 1);
    // The first one comes before the wait ends, and the second one does not.
    let mut pair = earlier_waits();
    pair.write(FIRST, 72, 1);
    let later = pair.sequence.next(FIRST);
    assert!(pair.keep(pair.earlier, later, true));
    wait(&mut pair.sequence, OTHER, 72);
    pair.write(OTHER, WORD, 1);
    assert_eq!(pair.reports(), 1);
    // One that waits itself does not stand for one before the wait.
    let mut pair = earlier_waits();
    wait(&mut pair.sequence, FIRST, 72);
    let later = pair.sequence.next(FIRST);
    assert!(pair.keep(pair.earlier, later, true));
    assert_eq!(pair.sequence.pairs.len(), 2);
}
