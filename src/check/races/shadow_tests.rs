//! Tests of the map of uses, against a map of single bytes.

use std::sync::Arc;

use proptest::prelude::*;

use super::{Conflict, Shadow};
use crate::backend::OpKind;
use crate::core::order::accesses::{Access, Accesses, GraphRun, Mode};
use crate::core::order::sequence::Point;
use crate::operation::{InStream, Operation, What};

fn operation(line: u32, number: u64) -> Operation {
    let stream = Some(InStream { handle: u64::from(line), point: Point { line, number } });
    Operation::new(What::Accesses(OpKind::Copy), stream, None, &[])
}

fn point(operation: &Operation) -> Point {
    operation.point().expect("all are in streams")
}

fn access(addr: usize, end: usize, mode: Mode) -> Access {
    Access { addr, end, mode }
}

fn check(shadow: &Shadow, access: &Access, line: u32) -> Vec<Conflict> {
    shadow.check(access, |earlier| point(earlier).line == line, |_| false)
}

/// Adds a use, by the fast path if it applies.
fn add(shadow: &mut Shadow, access: &Access, line: u32, number: u64) {
    add_unless_open(shadow, access, line, number, |_| false);
}

fn add_unless_open(
    shadow: &mut Shadow,
    access: &Access,
    line: u32,
    number: u64,
    is_open: impl Fn(&Operation) -> bool + Copy,
) {
    let by = shadow.begin(operation(line, number));
    if !shadow.add_known(access, by, |earlier| point(earlier).line == line || is_open(earlier), is_open) {
        shadow.add(access, by, is_open);
    }
}

#[test]
fn a_read_conflicts_with_the_write_before_it() {
    let mut shadow = Shadow::default();
    add(&mut shadow, &access(100, 200, Mode::Write), 0, 1);
    let found = check(&shadow, &access(150, 300, Mode::Read), 1);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].addr, found[0].len), (150, 50));
    assert_eq!((point(&found[0].earlier), found[0].mode), (Point { line: 0, number: 1 }, Mode::Write));
    assert!(check(&shadow, &access(200, 300, Mode::Read), 1).is_empty(), "only touches it");
}

#[test]
fn reads_and_unknown_uses_of_one_kind_do_not_conflict() {
    for (first, second, conflicts) in [
        (Mode::Read, Mode::Read, false),
        (Mode::Unknown, Mode::Unknown, false),
        (Mode::Read, Mode::Unknown, true),
        (Mode::Unknown, Mode::Read, true),
        (Mode::Unknown, Mode::Write, true),
        (Mode::Write, Mode::Write, true),
    ] {
        let mut shadow = Shadow::default();
        add(&mut shadow, &access(0, 8, first), 0, 1);
        let found = check(&shadow, &access(0, 8, second), 1);
        assert_eq!(!found.is_empty(), conflicts, "{first:?}, {second:?}");
    }
}

#[test]
fn a_write_conflicts_with_every_read_since_the_last_write() {
    let mut shadow = Shadow::default();
    add(&mut shadow, &access(0, 64, Mode::Write), 0, 1);
    add(&mut shadow, &access(0, 32, Mode::Read), 1, 1);
    add(&mut shadow, &access(16, 64, Mode::Read), 2, 1);
    let found = check(&shadow, &access(0, 64, Mode::Write), 3);
    assert_eq!(found.len(), 3);
    add(&mut shadow, &access(0, 64, Mode::Write), 3, 1);
    assert_eq!(check(&shadow, &access(0, 64, Mode::Read), 4).len(), 1, "the last write only");
}

#[test]
fn a_write_keeps_open_uses() {
    let mut shadow = Shadow::default();
    add(&mut shadow, &access(0, 32, Mode::Read), 0, 1);
    add(&mut shadow, &access(16, 64, Mode::Read), 2, 1);
    add_unless_open(&mut shadow, &access(0, 64, Mode::Write), 1, 1, |earlier| point(earlier).line == 0);
    let found = check(&shadow, &access(0, 64, Mode::Write), 1);
    assert_eq!(found.len(), 1);
    assert_eq!(point(&found[0].earlier).line, 0);
}

/// What is submitted next may be ordered before the open read, but not before the other one.
#[test]
fn an_open_read_does_not_take_the_place_of_one_before_the_wait() {
    let is_open = |operation: &Operation| point(operation).number >= 2;
    for mode in [Mode::Read, Mode::Write] {
        let mut shadow = Shadow::default();
        add_unless_open(&mut shadow, &access(0, 32, mode), 0, 1, is_open);
        add_unless_open(&mut shadow, &access(0, 32, mode), 0, 2, is_open);
        add_unless_open(&mut shadow, &access(0, 32, mode), 0, 3, is_open);
        let found = shadow.check(&access(0, 32, Mode::Write), |earlier| is_open(earlier), is_open);
        assert_eq!(found.len(), 1, "{mode:?}");
        assert_eq!(point(&found[0].earlier).number, 1);
        assert_eq!(shadow.ranges.at(0).unwrap().uses().count(), 2, "the latest open one");
    }
}

/// Both the latest run of the stream before the wait and the latest one behind it are found.
#[test]
fn an_open_run_does_not_stand_for_one_before_the_wait() {
    let is_open = |operation: &Operation| point(operation).number >= 3;
    let graph = graph(&[(0, 32, Mode::Read)]);
    let mut shadow = Shadow::default();
    for number in 1..=4 {
        let by = shadow.begin(operation(0, number));
        shadow.add_run(&graph, by, is_open);
    }
    let found = shadow.check(&access(0, 32, Mode::Write), |_| false, is_open);
    let numbers: Vec<u64> = found.iter().map(|conflict| point(&conflict.earlier).number).collect();
    assert_eq!(numbers, [2, 4]);
}

#[test]
fn forgotten_memory_conflicts_with_nothing() {
    let mut shadow = Shadow::default();
    add(&mut shadow, &access(0, 64, Mode::Write), 0, 1);
    shadow.forget(16, 32);
    assert!(check(&shadow, &access(16, 32, Mode::Write), 1).is_empty());
    assert_eq!(check(&shadow, &access(0, 64, Mode::Write), 1).len(), 1);
}

#[test]
fn a_sweep_keeps_what_the_host_does_not_know() {
    let mut shadow = Shadow::default();
    let many = super::LEAST_SWEEP + 1;
    for index in 0..many {
        add(&mut shadow, &access(index * 16, index * 16 + 8, Mode::Write), 0, index as u64 + 1);
    }
    let last = many as u64;
    shadow.sweep_if_many(|operation| point(operation).number < last);
    assert_eq!(shadow.ranges.len(), 1);
    assert!(!shadow.is_incomplete);
}

#[test]
fn too_many_ranges_are_forgotten_and_noted() {
    let mut shadow = Shadow::default();
    for index in 0..super::LEAST_LIMIT / super::RANGE {
        add(&mut shadow, &access(index * 16, index * 16 + 8, Mode::Write), 0, index as u64 + 1);
    }
    shadow.sweep_if_many(|_| false);
    assert!(shadow.is_incomplete);
    assert_eq!(shadow.ranges.len(), 0);
    let mut busy = Shadow::default();
    busy.note_live(usize::MAX, 0);
    for index in 0..super::LEAST_LIMIT / super::RANGE {
        add(&mut busy, &access(index * 16, index * 16 + 8, Mode::Write), 0, index as u64 + 1);
    }
    busy.sweep_if_many(|_| false);
    assert!(!busy.is_incomplete, "the limit grows with the memory in use");
}

#[test]
fn a_read_of_more_takes_the_place_of_earlier_reads_of_its_stream() {
    let mut shadow = Shadow::default();
    add(&mut shadow, &access(0, 8, Mode::Read), 0, 1);
    add(&mut shadow, &access(0, 16, Mode::Read), 0, 2);
    assert_eq!(shadow.ranges.len(), 1);
    add(&mut shadow, &access(0, 32, Mode::Read), 1, 1);
    assert_eq!(check(&shadow, &access(0, 32, Mode::Write), 2).len(), 2, "another stream's stays");
}

#[test]
fn what_is_kept_stays_within_the_limit() {
    let mut shadow = Shadow::default();
    shadow.note_live(400 << 20, 0);
    let mut most = 0;
    // Two streams read every block, so that ranges have two uses.
    for index in 0..400_000_usize {
        let (piece, line) = (index / 2, index as u32 % 2);
        add(&mut shadow, &access(piece * 16, piece * 16 + 8, Mode::Read), line, index as u64);
        shadow.sweep_if_many(|_| false);
        most = most.max(shadow.bytes());
    }
    assert!(most > shadow.limit() / 2 && most <= shadow.limit(), "{most}");
    assert!(shadow.is_incomplete);
}

/// The uses of each byte in the simplest form: stream, number and mode.
struct Model(Vec<Vec<(u32, u64, Mode)>>);

impl Model {
    fn conflicts(&self, access: &Access, later: u32) -> Vec<(u32, u64)> {
        let uses = self.0[access.addr..access.end].iter().flatten();
        let found = uses.filter(|(line, _, mode)| mode.conflicts(access.mode) && *line != later);
        found.map(|(line, number, _)| (*line, *number)).collect()
    }

    fn add(&mut self, access: &Access, line: u32, number: u64) {
        for uses in &mut self.0[access.addr..access.end] {
            if access.mode == Mode::Write {
                uses.clear();
            } else {
                uses.retain(|known| (known.0, known.2) != (line, access.mode));
            }
            uses.push((line, number, access.mode));
        }
    }

    fn clear(&mut self, addr: usize, end: usize) {
        self.0[addr..end].iter_mut().for_each(Vec::clear);
    }
}

proptest! {
    /// Random uses of 32 bytes by 3 streams, beginnings of memory, and moments at which the host knows some or all of
    /// it: the ranges find the pairs that single bytes find.
    #[test]
    fn ranges_find_what_single_bytes_find(
        steps in prop::collection::vec((0usize..8, 1usize..4, 0u32..3, 0u8..9), 1..80)
    ) {
        let mut shadow = Shadow::default();
        let mut model = Model(vec![Vec::new(); 48]);
        for (number, (addr, len, line, mode)) in steps.into_iter().enumerate() {
            let number = number as u64 + 1;
            // Multiples of 4, so that the same bytes are used again.
            let (addr, end) = (4 * addr, 4 * (addr + len));
            let mode = match mode {
                0 | 1 => Mode::Read,
                2 | 3 => Mode::Write,
                4 => Mode::Unknown,
                5 => {
                    shadow.forget(addr, end);
                    model.clear(addr, end);
                    continue;
                }
                6 => {
                    let by = shadow.begin(operation(line, number));
                    shadow.begin_memory(&access(addr, end, Mode::Write), by);
                    model.add(&access(addr, end, Mode::Write), line, number);
                    continue;
                }
                7 => {
                    shadow.sweep(|operation| point(operation).line == line);
                    model.0.iter_mut().for_each(|uses| uses.retain(|known| known.0 != line));
                    continue;
                }
                _ => {
                    shadow.enter(number);
                    model.clear(0, 48);
                    continue;
                }
            };
            let access = access(addr, end, mode);
            let pairs = |conflict: &Conflict| (point(&conflict.earlier).line, point(&conflict.earlier).number);
            let mut found: Vec<_> = check(&shadow, &access, line).iter().map(pairs).collect();
            let mut expected: Vec<_> = model.conflicts(&access, line);
            found.sort_unstable();
            found.dedup();
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(found, expected);
            add(&mut shadow, &access, line, number);
            model.add(&access, line, number);
        }
    }

    /// Compares with single bytes, for runs of two graphs. What a run uses does not replace what was used before, so
    /// that more may be found: every stream that single bytes find, and nothing that was no conflict at any time.
    #[test]
    fn runs_of_graphs_are_found_like_their_uses(
        steps in prop::collection::vec((0usize..8, 1usize..4, 0u32..3, 0u8..8), 1..80)
    ) {
        let graphs = [graph(&[(0, 8, Mode::Read), (4, 12, Mode::Write)]), graph(&[(8, 20, Mode::Unknown), (24, 28, Mode::Write)])];
        let mut shadow = Shadow::default();
        let (mut latest, mut all) = (Model(vec![Vec::new(); 48]), Model(vec![Vec::new(); 48]));
        for (number, (addr, len, line, mode)) in steps.into_iter().enumerate() {
            let number = number as u64 + 1;
            let (addr, end) = (4 * addr, 4 * (addr + len));
            if mode == 6 {
                shadow.forget(addr, end);
                latest.clear(addr, end);
                all.clear(addr, end);
                continue;
            }
            if mode == 7 {
                shadow.sweep(|operation| point(operation).line == line);
                let forget = |model: &mut Model| model.0.iter_mut().for_each(|uses| uses.retain(|known| known.0 != line));
                forget(&mut latest);
                forget(&mut all);
                continue;
            }
            let mode = [Mode::Read, Mode::Write, Mode::Unknown][usize::from(mode) % 3];
            let run = graphs.get(addr / 4).filter(|_| len == 1);
            let accesses = run.map_or_else(|| vec![access(addr, end, mode)], |run| run.accesses.0.to_vec());
            let found: Vec<_> = accesses.iter().flat_map(|access| check(&shadow, access, line)).collect();
            prop_assert!(found.iter().all(|conflict| conflict.len > 0), "{found:?}");
            let found: Vec<_> = found.iter().map(|it| (point(&it.earlier).line, point(&it.earlier).number)).collect();
            for access in &accesses {
                let expected = latest.conflicts(access, line);
                prop_assert!(expected.iter().all(|(line, _)| found.iter().any(|known| known.0 == *line)), "{expected:?} {found:?}");
            }
            let possible: Vec<_> = accesses.iter().flat_map(|access| all.conflicts(access, line)).collect();
            prop_assert!(found.iter().all(|known| possible.contains(known)), "{found:?} {possible:?}");
            match run {
                Some(graph) => {
                    let by = shadow.begin(operation(line, number));
                    shadow.add_run(graph, by, |_| false);
                }
                None => add(&mut shadow, &accesses[0], line, number),
            }
            for access in &accesses {
                latest.add(access, line, number);
                let uses = all.0[access.addr..access.end].iter_mut();
                uses.for_each(|uses| uses.push((line, number, access.mode)));
            }
        }
    }
}

fn graph(uses: &[(usize, usize, Mode)]) -> Arc<GraphRun> {
    let accesses = Accesses(uses.iter().map(|&(addr, end, mode)| access(addr, end, mode)).collect());
    Arc::new(GraphRun { accesses: accesses.merged(), ..GraphRun::default() })
}
