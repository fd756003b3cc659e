//! Tests of ranges without contents, against a map of single bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::{Hole, Holes, LEAST_LIMIT};
use crate::operation::{Operation, What};

fn allocation() -> Arc<Operation> {
    Arc::new(Operation::new(What::Allocates, None, None, &[]))
}

fn found(holes: &Holes, addr: usize, end: usize) -> Vec<(usize, usize)> {
    holes.find(addr, end).map(|hole| (hole.addr, hole.end)).collect()
}

#[test]
fn a_write_leaves_what_is_around_it() {
    let mut holes = Holes::default();
    holes.begin(100, 100, allocation());
    holes.fill(120, 130);
    assert_eq!(found(&holes, 0, 1000), [(100, 120), (130, 200)]);
    assert_eq!(found(&holes, 119, 131), [(119, 120), (130, 131)]);
    assert!(!holes.has_any(120, 130));
    holes.fill(0, 150);
    assert_eq!(found(&holes, 0, 1000), [(150, 200)]);
    holes.end(100, 100);
    assert!(holes.is_empty());
}

#[test]
fn a_copy_keeps_the_allocation_that_had_no_contents() {
    let mut holes = Holes::default();
    let by = allocation();
    holes.begin(0, 64, Arc::clone(&by));
    holes.fill(16, 32);
    holes.begin(1000, 64, allocation());
    holes.copy(0, 1000, 48);
    let copied: Vec<Hole> = holes.find(1000, 1048).collect();
    assert_eq!(found(&holes, 1000, 1048), [(1000, 1016), (1032, 1048)]);
    assert!(copied.iter().all(|hole| Arc::ptr_eq(&hole.by, &by)));
}

#[test]
fn too_many_are_forgotten() {
    let mut holes = Holes::default();
    let len = LEAST_LIMIT * 4;
    holes.begin(0, len, allocation());
    for addr in (0..len).step_by(2) {
        holes.fill(addr, addr + 1);
        assert!(holes.ranges.len() <= LEAST_LIMIT);
    }
    assert!(holes.is_incomplete);
}

#[derive(Clone, Debug)]
enum Step {
    Begin(usize, usize),
    Fill(usize, usize),
    Copy(usize, usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let range = || (0_usize..64, 1_usize..24);
    prop_oneof![
        range().prop_map(|(addr, len)| Step::Begin(addr, len)),
        range().prop_map(|(addr, len)| Step::Fill(addr, addr + len)),
        (0_usize..40, 48_usize..88, 1_usize..8).prop_map(|(from, to, len)| Step::Copy(from, to, len)),
    ]
}

proptest! {
    #[test]
    fn as_a_map_of_bytes(steps in prop::collection::vec(step(), 1..40)) {
        let mut holes = Holes::default();
        let mut bytes: BTreeMap<usize, usize> = BTreeMap::new();
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Begin(addr, len) => {
                    holes.begin(addr, len, allocation());
                    bytes.extend((addr..addr + len).map(|addr| (addr, number)));
                }
                Step::Fill(addr, end) => {
                    holes.fill(addr, end);
                    bytes.retain(|at, _| !(addr..end).contains(at));
                }
                Step::Copy(from, to, len) => {
                    holes.copy(from, to, len);
                    for at in 0..len {
                        match bytes.get(&(from + at)).copied() {
                            Some(number) => bytes.insert(to + at, number),
                            None => bytes.remove(&(to + at)),
                        };
                    }
                }
            }
            let found: Vec<usize> = holes.find(0, 1000).flat_map(|hole| hole.addr..hole.end).collect();
            prop_assert_eq!(found, bytes.keys().copied().collect::<Vec<_>>());
        }
    }
}
