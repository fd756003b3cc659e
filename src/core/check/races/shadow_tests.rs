//! Tests of the map of uses, against a map of single bytes.

use std::sync::Arc;

use proptest::prelude::*;

use super::{Conflict, Shadow, Use};
use crate::backend::OpKind;
use crate::core::check::operation::{InStream, Operation, What};
use crate::core::order::accesses::{Access, Mode};
use crate::core::order::sequence::Point;

fn used(line: u32, number: u64, mode: Mode) -> Use {
    let stream = Some(InStream { handle: u64::from(line), point: Point { line, number } });
    Use { mode, operation: Arc::new(Operation::new(What::Accesses(OpKind::Copy), stream, None, &[])) }
}

fn access(addr: usize, end: usize, mode: Mode) -> Access {
    Access { addr, end, mode }
}

fn check(shadow: &Shadow, access: &Access, later: &Use) -> Vec<Conflict> {
    let line = |operation: &Operation| operation.stream.map(|stream| stream.point.line);
    shadow.check(access, later, |earlier| line(earlier) == line(&later.operation))
}

#[test]
fn a_read_conflicts_with_the_write_before_it() {
    let mut shadow = Shadow::default();
    let write = used(0, 1, Mode::Write);
    shadow.add(&access(100, 200, Mode::Write), &write, |_| false);
    let found = check(&shadow, &access(150, 300, Mode::Read), &used(1, 1, Mode::Read));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].addr, found[0].len), (150, 50));
    assert!(Arc::ptr_eq(&found[0].earlier.operation, &write.operation));
    assert!(check(&shadow, &access(200, 300, Mode::Read), &used(1, 1, Mode::Read)).is_empty(), "only touches it");
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
        shadow.add(&access(0, 8, first), &used(0, 1, first), |_| false);
        let found = check(&shadow, &access(0, 8, second), &used(1, 1, second));
        assert_eq!(!found.is_empty(), conflicts, "{first:?}, {second:?}");
    }
}

#[test]
fn a_write_conflicts_with_every_read_since_the_last_write() {
    let mut shadow = Shadow::default();
    shadow.add(&access(0, 64, Mode::Write), &used(0, 1, Mode::Write), |_| false);
    shadow.add(&access(0, 32, Mode::Read), &used(1, 1, Mode::Read), |_| false);
    shadow.add(&access(16, 64, Mode::Read), &used(2, 1, Mode::Read), |_| false);
    let found = check(&shadow, &access(0, 64, Mode::Write), &used(3, 1, Mode::Write));
    assert_eq!(found.len(), 3);
    shadow.add(&access(0, 64, Mode::Write), &used(3, 1, Mode::Write), |_| false);
    assert_eq!(check(&shadow, &access(0, 64, Mode::Read), &used(4, 1, Mode::Read)).len(), 1, "the last write only");
}

#[test]
fn a_write_keeps_open_uses() {
    let mut shadow = Shadow::default();
    let (open, closed) = (used(0, 1, Mode::Read), used(2, 1, Mode::Read));
    shadow.add(&access(0, 32, Mode::Read), &open, |_| false);
    shadow.add(&access(16, 64, Mode::Read), &closed, |_| false);
    let is_open = |operation: &Operation| operation.stream.is_some_and(|stream| stream.point.line == 0);
    shadow.add(&access(0, 64, Mode::Write), &used(1, 1, Mode::Write), is_open);
    let found = check(&shadow, &access(0, 64, Mode::Write), &used(1, 2, Mode::Write));
    assert_eq!(found.len(), 1);
    assert!(Arc::ptr_eq(&found[0].earlier.operation, &open.operation));
}

#[test]
fn forgotten_memory_conflicts_with_nothing() {
    let mut shadow = Shadow::default();
    shadow.add(&access(0, 64, Mode::Write), &used(0, 1, Mode::Write), |_| false);
    shadow.forget(16, 32);
    assert!(check(&shadow, &access(16, 32, Mode::Write), &used(1, 1, Mode::Write)).is_empty());
    assert_eq!(check(&shadow, &access(0, 64, Mode::Write), &used(1, 1, Mode::Write)).len(), 1);
}

#[test]
fn a_sweep_keeps_what_the_host_does_not_know() {
    let mut shadow = Shadow::default();
    let many = super::LEAST_SWEEP + 1;
    for index in 0..many {
        shadow.add(&access(index * 16, index * 16 + 8, Mode::Write), &used(0, index as u64, Mode::Write), |_| false);
    }
    let last = many as u64 - 1;
    shadow.sweep_if_many(|operation| operation.stream.is_some_and(|stream| stream.point.number < last));
    assert_eq!(shadow.ranges.len(), 1);
    assert!(!shadow.is_incomplete);
}

#[test]
fn too_many_ranges_are_forgotten_and_noted() {
    let mut shadow = Shadow::default();
    for index in 0..=super::LEAST_LIMIT {
        shadow.add(&access(index * 16, index * 16 + 8, Mode::Write), &used(0, index as u64, Mode::Write), |_| false);
    }
    shadow.sweep_if_many(|_| false);
    assert!(shadow.is_incomplete);
    assert!(shadow.ranges.is_empty());
    let mut busy = Shadow::default();
    busy.note_live(usize::MAX, 0);
    for index in 0..=super::LEAST_LIMIT {
        busy.add(&access(index * 16, index * 16 + 8, Mode::Write), &used(0, index as u64, Mode::Write), |_| false);
    }
    busy.sweep_if_many(|_| false);
    assert!(!busy.is_incomplete, "the limit grows with the memory in use");
}

/// The uses of each byte, in the simplest form.
struct Model(Vec<Vec<Use>>);

impl Model {
    fn conflicts(&self, access: &Access, later: &Use) -> Vec<(usize, u32, u64)> {
        let line = |used: &Use| used.operation.stream.map(|stream| stream.point);
        let mut found = Vec::new();
        for addr in access.addr..access.end {
            for earlier in &self.0[addr] {
                let (one, other) = (line(earlier), line(later));
                if earlier.mode.conflicts(access.mode) && one.map(|it| it.line) != other.map(|it| it.line) {
                    let point = one.expect("all are in streams");
                    found.push((addr, point.line, point.number));
                }
            }
        }
        found
    }

    fn add(&mut self, access: &Access, added: &Use) {
        for uses in &mut self.0[access.addr..access.end] {
            if access.mode == Mode::Write {
                uses.clear();
            } else {
                uses.retain(|known| !super::replaces(added, known));
            }
            uses.push(added.clone());
        }
    }
}

proptest! {
    /// Random uses of 32 bytes by 3 streams: the ranges find the pairs that single bytes find.
    #[test]
    fn ranges_find_what_single_bytes_find(
        steps in prop::collection::vec((0usize..32, 1usize..16, 0u32..3, 0u8..4), 1..60)
    ) {
        let mut shadow = Shadow::default();
        let mut model = Model(vec![Vec::new(); 48]);
        for (number, (addr, len, line, mode)) in steps.into_iter().enumerate() {
            let (number, end) = (number as u64 + 1, addr + len);
            let mode = match mode {
                0 => Mode::Read,
                1 => Mode::Write,
                2 => Mode::Unknown,
                _ => {
                    shadow.forget(addr, end);
                    model.0[addr..end].iter_mut().for_each(Vec::clear);
                    continue;
                }
            };
            let (access, later) = (access(addr, end, mode), used(line, number, mode));
            let pairs = |conflict: &Conflict| {
                let point = conflict.earlier.operation.stream.expect("all are in streams").point;
                (point.line, point.number)
            };
            let mut found: Vec<_> = check(&shadow, &access, &later).iter().map(pairs).collect();
            let mut expected: Vec<_> =
                model.conflicts(&access, &later).into_iter().map(|(_, line, number)| (line, number)).collect();
            found.sort_unstable();
            found.dedup();
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(found, expected);
            shadow.add(&access, &later, |_| false);
            model.add(&access, &later);
        }
    }
}
