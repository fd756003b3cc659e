use proptest::prelude::*;

use super::*;
use crate::backend::{Fill, Place, Span};
use crate::graph::program::plan::nodes;

pub(crate) fn task(after: Vec<usize>, works: bool) -> Task {
    let dst = Span { addr: 64, len: 64, place: Place::Device(0) };
    Task {
        control: None,
        what: What::Work,
        work: works.then(|| Work::Fill(Fill::bytes(dst, 0))),
        step: None,
        group: None,
        after,
        stream: Handle::from_raw(1 << 56 | 1 << 24).unwrap(),
        is_external: false,
        is_disabled: false,
    }
}

/// Whether each task has work, and its edges to earlier ones.
type Edges = Vec<(bool, Vec<usize>)>;

pub(crate) fn edges() -> impl Strategy<Value = Edges> {
    let one = (any::<bool>(), prop::collection::vec(any::<usize>(), 0..4));
    prop::collection::vec(one, 1..40).prop_map(|mut all: Edges| {
        for (index, (_, after)) in all.iter_mut().enumerate() {
            after.retain(|_| index > 0);
            after.iter_mut().for_each(|earlier| *earlier %= index);
            after.sort_unstable();
            after.dedup();
        }
        all
    })
}

#[test]
fn what_comes_before_is_found_through_others() {
    let tasks = [task(vec![], true), task(vec![0], false), task(vec![], true), task(vec![1], true)];
    assert_eq!(before(&tasks, &[3]), [true, true, false, true]);
    assert_eq!(before(&tasks, &[]), [false; 4]);
    assert_eq!(nodes(&tasks, &[0, 1, 2, 3])[2].after, [0]);
}
