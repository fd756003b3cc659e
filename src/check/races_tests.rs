//! Tests of the log of ordered operations, against a shadow that has each operation at once.

use proptest::prelude::*;

use super::history::History;
use super::*;
use crate::backend::{Comparison, OpKind, Place, Span, ValueWait};
use crate::core::order::accesses::{Accesses, Mode};
use crate::operation::InStream;

/// A history, and one that does not log.
#[derive(Default)]
struct Both {
    sequence: Sequence,
    logs: History,
    logs_nothing: History,
}

/// Returns the findings, before it is decided when they are reported.
fn find(
    history: &mut History,
    sequence: &Sequence,
    operation: &Operation,
    used: &[Access],
    graph: Option<&Arc<GraphRun>>,
) -> Vec<Finding> {
    history.enter(sequence.era());
    let found = match operation.short().filter(|_| graph.is_none()) {
        Some(short) if is_ordered(history, sequence, short.stream.point) => {
            history.log(&short, used);
            None
        }
        _ => check_in(history, sequence, operation.clone(), used, graph),
    };
    history.sweep_if_many(|earlier| sequence.is_known(earlier));
    found.unwrap_or_default()
}

/// A finding: the memory, and the points of the two operations.
type Pair = (Option<(usize, usize)>, Vec<Option<Point>>);

fn pairs(found: Vec<Finding>) -> Vec<Pair> {
    let points = |finding: &Finding| {
        let points = finding.parties.iter().map(|party| party.operation.point()).collect();
        (finding.memory, points)
    };
    let mut pairs: Vec<Pair> = found.iter().map(points).collect();
    pairs.sort_unstable_by_key(|pair| format!("{pair:?}"));
    pairs
}

fn wait_for_one(addr: usize) -> ValueWait {
    ValueWait { src: Span { addr, len: 8, place: Place::Device(0) }, value: 1, comparison: Comparison::Equal }
}

impl Both {
    fn next(&mut self, stream: u64) -> Option<InStream> {
        Some(InStream { handle: stream, point: self.sequence.next(stream) })
    }

    /// Returns what both histories find for a use of memory by a stream or by the host.
    fn uses(&mut self, stream: Option<u64>, what: What, access: Access) -> [Vec<Pair>; 2] {
        let stream = stream.and_then(|stream| self.next(stream));
        self.check(&Operation::new(what, stream, None, &[]), &[access], None)
    }

    fn check(&mut self, operation: &Operation, used: &[Access], graph: Option<&Arc<GraphRun>>) -> [Vec<Pair>; 2] {
        let Self { sequence, logs, logs_nothing } = self;
        logs_nothing.enter(sequence.era());
        logs_nothing.shadow();
        [logs, logs_nothing].map(|history| pairs(find(history, sequence, operation, used, graph)))
    }

    fn runs(&mut self, stream: u64, graph: &Arc<GraphRun>) -> [Vec<Pair>; 2] {
        let stream = self.next(stream);
        let operation = Operation::new(What::Accesses(OpKind::RunGraph), stream, None, &[]);
        self.check(&operation, &graph.accesses.0, Some(graph))
    }

    fn allocates(&mut self, stream: Option<u64>, access: Access) {
        let stream = stream.and_then(|stream| self.next(stream));
        let found = self.check(&Operation::new(What::Allocates, stream, None, &[]), &[access], None);
        assert_eq!(found, [vec![], vec![]]);
    }

    /// Makes a stream wait for a value of another one. `is_late`: the wait is submitted before the write.
    fn passes_order(&mut self, from: u64, to: u64, addr: usize, is_late: bool) {
        if is_late {
            self.sequence.next(to);
            self.sequence.await_value(to, wait_for_one(addr));
        }
        self.sequence.next(from);
        self.sequence.write_value(from, addr, 1);
        if !is_late {
            self.sequence.next(to);
            self.sequence.await_value(to, wait_for_one(addr));
        }
    }
}

proptest! {
    /// Random uses of 64 bytes by 3 streams and the host, runs of a graph, allocations, releases, and waits.
    #[test]
    fn a_log_finds_what_a_shadow_of_each_operation_finds(
        steps in prop::collection::vec((0u64..4, 0usize..12, 1usize..4, 0u8..16), 1..120)
    ) {
        let range = |from: usize, len: usize, mode| Access { addr: 4096 + 4 * from, end: 4096 + 4 * (from + len), mode };
        let used = [range(2, 3, Mode::Read), range(8, 2, Mode::Write)];
        let graph = Arc::new(GraphRun { accesses: Accesses(used.into_iter().collect()).merged(), ..GraphRun::default() });
        let mut both = Both::default();
        for (index, (stream, from, len, kind)) in steps.into_iter().enumerate() {
            let by = (stream != 3).then_some(stream);
            let copy = What::Accesses(OpKind::Copy);
            let [logs, logs_nothing] = match kind {
                0..=2 => both.uses(by, copy, range(from, len, Mode::Read)),
                3..=5 => both.uses(by, copy, range(from, len, Mode::Write)),
                6 => both.uses(by, copy, range(from, len, Mode::Unknown)),
                7 => both.uses(by, What::Frees, range(from, len, Mode::Write)),
                8 if stream != 3 => both.runs(stream, &graph),
                9 => {
                    both.allocates(by, range(from, len, Mode::Write));
                    continue;
                }
                10..=13 if stream != 3 => {
                    both.passes_order(stream, (stream + len as u64) % 3, 64 + 8 * index, kind == 13);
                    continue;
                }
                _ if stream != 3 => {
                    let known = both.sequence.at_stream(stream);
                    both.sequence.know_all(&[known]);
                    continue;
                }
                _ => continue,
            };
            prop_assert_eq!(logs, logs_nothing);
        }
    }
}

#[test]
fn a_full_log_finds_what_no_later_operation_has_overwritten() {
    let write = |piece: usize| Access { addr: 4096 + 64 * piece, end: 4160 + 64 * piece, mode: Mode::Write };
    let mut both = Both::default();
    for round in 0..100 {
        both.uses(Some(0), What::Accesses(OpKind::Fill), write(round % 4));
    }
    let read = Access { mode: Mode::Read, end: 4096 + 256, ..write(0) };
    let [found, same] = both.uses(Some(1), What::Accesses(OpKind::Copy), read);
    let numbers: Vec<_> = found.iter().filter_map(|(_, points)| points[0]).map(|point| point.number).collect();
    assert_eq!(numbers, [97, 98, 99, 100], "the latest write of each piece");
    assert_eq!(found, same);
}

/// The writes are as in a pool, which divides its memory at other places each time.
#[test]
fn writes_that_begin_at_other_bytes_drop_what_they_overwrite_from_the_log() {
    let fill = What::Accesses(OpKind::Fill);
    let write = |addr, end| Access { addr, end, mode: Mode::Write };
    let mut both = Both::default();
    // The first one stays: no other one writes its last bytes.
    both.uses(Some(0), fill, write(8192, 8192 + 128));
    for step in 1..100 {
        // Two writes together overwrite the two before them.
        both.uses(Some(0), fill, write(8192 - 8 * step, 8192));
        both.uses(Some(0), fill, write(8192 - 4 * (step % 2), 8192 + 64));
    }
    assert!(both.logs.has_all_in_its_log());
    let read = Access { mode: Mode::Read, ..write(4096, 8192 + 128) };
    let [found, same] = both.uses(Some(1), What::Accesses(OpKind::Copy), read);
    let mut numbers: Vec<_> = found.iter().filter_map(|(_, points)| points[0]).map(|point| point.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 198, 199], "the first one, and the latest two");
    assert_eq!(found, same);
}

/// A refused wait waits for nothing: what is behind it is not after what it would have waited for.
#[test]
fn after_a_refused_operation_all_are_searched() {
    let write = |addr| Access { addr, end: addr + 64, mode: Mode::Write };
    let fill = What::Accesses(OpKind::Fill);
    let mut both = Both::default();
    both.uses(Some(0), fill, write(4096));
    both.sequence.next(0);
    both.sequence.write_value(0, 64, 1);
    let wait = both.sequence.next(1);
    both.sequence.await_value(1, wait_for_one(64));
    both.sequence.refuse(wait);
    both.logs.shadow();
    let [found, _] = both.uses(Some(1), fill, write(8192));
    assert!(found.is_empty());
    let behind = both.sequence.latest_of(1);
    both.sequence.refuse(behind);
    let [found, same] = both.uses(Some(2), fill, write(4096));
    assert_eq!(found.len(), 1);
    assert_eq!(found, same);
}

#[test]
fn it_stays_known_that_uses_were_forgotten() {
    let mut history = History::default();
    history.shadow().is_incomplete = true;
    history.forget_all();
    assert!(history.shadow.is_incomplete);
}

/// Streams that wait for each other are in one order: nothing is searched for conflicts until one does not wait.
#[test]
fn streams_that_wait_for_each_other_are_logged() {
    let write = Access { addr: 4096, end: 4160, mode: Mode::Write };
    let mut both = Both::default();
    for round in 0..4 {
        let (stream, next) = (round % 2, (round + 1) % 2);
        let [found, _] = both.uses(Some(stream), What::Accesses(OpKind::Fill), write);
        assert!(found.is_empty());
        both.passes_order(stream, next, 64 + 8 * round as usize, false);
    }
    assert!(both.logs.is_logging());
    let [found, _] = both.uses(Some(2), What::Accesses(OpKind::Fill), write);
    assert_eq!(found.len(), 1);
    assert!(!both.logs.is_logging());
}

/// Returns a read behind an open wait of stream 1, and a write of the same memory in stream 0.
fn write_beside_an_open_read() -> (History, Sequence, Vec<Finding>) {
    let (mut history, mut sequence) = (History::default(), Sequence::default());
    sequence.next(1);
    sequence.await_value(1, wait_for_one(64));
    let read = uses(&mut history, &mut sequence, 1, What::Accesses(OpKind::Copy), Mode::Read);
    assert!(read.is_empty());
    let found = uses(&mut history, &mut sequence, 0, What::Accesses(OpKind::Fill), Mode::Write);
    (history, sequence, found)
}

fn uses(history: &mut History, sequence: &mut Sequence, stream: u64, what: What, mode: Mode) -> Vec<Finding> {
    let stream = InStream { handle: stream, point: sequence.next(stream) };
    let used = [Access { addr: 4096, end: 4160, mode }];
    find(history, sequence, &Operation::new(what, Some(stream), None, &[]), &used, None)
}

fn decided(history: &mut History, sequence: &mut Sequence, found: Vec<Finding>) -> usize {
    found.into_iter().filter_map(|finding| decide(history, sequence, finding)).count()
}

#[test]
fn ranges_of_one_logged_operation_are_one_finding() {
    let write = |addr, end| Access { addr, end, mode: Mode::Write };
    let mut both = Both::default();
    let stream = both.next(0);
    let copies = Operation::new(What::Accesses(OpKind::CopyBatch), stream, None, &[]);
    both.check(&copies, &[write(4096, 4160), write(4160, 4224)], None);
    let [found, same] = both.uses(Some(1), What::Accesses(OpKind::Fill), write(4096, 4224));
    assert_eq!(found.len(), 1);
    assert_eq!(found, same);
}

#[test]
fn what_ends_the_wait_of_an_earlier_operation_decides() {
    for (stream, reports) in [(0, 0), (2, 1)] {
        let (mut history, mut sequence, found) = write_beside_an_open_read();
        assert_eq!(found.len(), 1);
        assert_eq!(decided(&mut history, &mut sequence, found), 0);
        sequence.next(stream);
        sequence.write_value(stream, 64, 1);
        assert_eq!(sequence.decided().unwrap_or_default().len(), reports);
    }
}

/// Memory is used after its release, or before its allocation.
#[test]
fn what_may_not_come_first_is_reported_at_once() {
    let (mut history, mut sequence, _) = write_beside_an_open_read();
    let found = uses(&mut history, &mut sequence, 2, What::Frees, Mode::Write);
    assert_eq!(found.len(), 2, "the read and the write");
    assert_eq!(decided(&mut history, &mut sequence, found), 2);
    // The allocation is behind the wait.
    let memory = Access { addr: 8192, end: 8256, mode: Mode::Write };
    let stream = InStream { handle: 1, point: sequence.next(1) };
    let allocation = Operation::new(What::Allocates, Some(stream), None, &[]);
    assert!(find(&mut history, &sequence, &allocation, &[memory], None).is_empty());
    let stream = InStream { handle: 0, point: sequence.next(0) };
    let fill = Operation::new(What::Accesses(OpKind::Fill), Some(stream), None, &[]);
    let found = find(&mut history, &sequence, &fill, &[memory], None);
    assert_eq!(decided(&mut history, &mut sequence, found), 1);
}

#[test]
fn what_an_abort_dropped_is_in_no_pair() {
    let (mut history, mut sequence, _) = write_beside_an_open_read();
    sequence.stop(1);
    let found = uses(&mut history, &mut sequence, 2, What::Accesses(OpKind::Fill), Mode::Write);
    let points: Vec<_> = pairs(found).into_iter().map(|(_, points)| points[0]).collect();
    assert_eq!(points, [Some(sequence.latest_of(0))], "the write only");
}

#[test]
fn it_is_noted_that_there_was_no_room_for_a_pair() {
    let (mut history, mut sequence, mut found) = write_beside_an_open_read();
    for _ in 0..2000 {
        decided(&mut history, &mut sequence, found);
        sequence.next(3);
        sequence.await_value(3, wait_for_one(72));
        found = uses(&mut history, &mut sequence, 3, What::Accesses(OpKind::Fill), Mode::Write);
    }
    assert!(history.shadow.is_incomplete);
}
