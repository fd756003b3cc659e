//! Tasks: what was recorded, with its edges.

use crate::algo::slot_table::Handle;
use crate::backend::{Node, Span, Work};
use crate::core::allocation::Allocation;

/// What a program has asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A copy.
    Copy,
    /// A fill.
    Fill,
    /// A reduction.
    Reduce,
    /// A run of a kernel.
    Kernel,
    /// A call of user code.
    HostFn,
    /// A prefetch, which a graph has no use for.
    Prefetch,
    /// The record of the event with this handle.
    EventRecord(u64),
    /// A wait for it.
    EventWait(u64),
    /// Its reset.
    EventReset(u64),
    /// The end of a stream, and of a run of the graph.
    End,
}

/// A task of a graph.
#[derive(Clone)]
pub struct Task {
    /// What was asked for.
    pub what: What,
    /// What there is to do; nothing for what only has a place in an order.
    pub work: Option<Work>,
    /// The tasks that it comes after, by their places in the list: each before its own.
    pub after: Vec<usize>,
    /// The stream that it was given to.
    pub stream: Handle,
}

/// What a backend is to run: tasks with nothing to do are left out, and what comes after one of them
/// comes after all that it comes after.
pub fn nodes(tasks: &[Task]) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(tasks.len());
    // What stands for each task: itself, or what it comes after.
    let mut stands_for: Vec<Vec<usize>> = Vec::with_capacity(tasks.len());
    for task in tasks {
        let before = task.after.iter().flat_map(|&index| stands_for[index].iter().copied());
        let mut after: Vec<usize> = before.collect();
        after.sort_unstable();
        after.dedup();
        match &task.work {
            Some(work) => {
                stands_for.push(vec![nodes.len()]);
                nodes.push(Node { work: work.clone(), after });
            }
            None => stands_for.push(after),
        }
    }
    nodes
}

/// Which tasks come before these, themselves included.
pub fn before(tasks: &[Task], last: &[usize]) -> Vec<bool> {
    let mut is_before = vec![false; tasks.len()];
    last.iter().for_each(|&index| is_before[index] = true);
    // Backwards: each comes after earlier ones only.
    for index in (0..tasks.len()).rev() {
        if is_before[index] {
            tasks[index].after.iter().for_each(|&earlier| is_before[earlier] = true);
        }
    }
    is_before
}

/// The memory of the library that tasks name, each allocation once.
pub fn memory(tasks: &[Task]) -> Vec<Allocation> {
    let spans = tasks.iter().filter_map(|task| task.work.as_ref()).flat_map(spans);
    let mut all: Vec<Allocation> = Vec::new();
    for span in spans.flatten() {
        let mut addr = span.addr;
        // Mapped memory may go on in the next one.
        while addr < span.addr + span.len {
            let Some(found) = Allocation::find(addr) else { break };
            addr = found.base + found.len;
            all.push(found);
        }
    }
    all.sort_unstable_by_key(|found| found.base);
    all.dedup();
    all
}

fn spans(work: &Work) -> [Option<Span>; 2] {
    match work {
        Work::Copy(copy) => [Some(copy.dst), Some(copy.src)],
        Work::Copy2d(copy) => [Some(copy.dst.span), Some(copy.src.span)],
        Work::Fill(fill) => [Some(fill.dst), None],
        Work::Reduce(reduce) => [Some(reduce.dst), Some(reduce.src)],
        Work::Launch(_) | Work::HostFn(_) | Work::Record(_) => [None; 2],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::backend::{Fill, Place};

    fn task(after: Vec<usize>, works: bool) -> Task {
        let dst = Span { addr: 64, len: 64, place: Place::Device(0) };
        Task {
            what: What::Fill,
            work: works.then(|| Work::Fill(Fill::bytes(dst, 0))),
            after,
            stream: Handle::from_raw(1 << 56 | 1 << 24).unwrap(),
        }
    }

    /// Whether each task has something to do, and its edges to earlier ones.
    type Edges = Vec<(bool, Vec<usize>)>;

    fn edges() -> impl Strategy<Value = Edges> {
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

    proptest! {
        /// What is left out takes no order away and adds none.
        #[test]
        fn nodes_have_the_order_of_their_tasks(edges in edges()) {
            let tasks: Vec<Task> =
                edges.iter().map(|(works, after)| task(after.clone(), *works)).collect();
            let nodes = nodes(&tasks);
            let works: Vec<usize> = (0..tasks.len()).filter(|&i| tasks[i].work.is_some()).collect();
            prop_assert_eq!(nodes.len(), works.len());
            let as_tasks: Vec<Task> =
                nodes.iter().map(|node| task(node.after.clone(), true)).collect();
            for (place, node) in nodes.iter().enumerate() {
                prop_assert!(node.after.iter().all(|&earlier| earlier < place));
                let before_task = before(&tasks, &[works[place]]);
                let before_node = before(&as_tasks, &[place]);
                for (other, &index) in works.iter().enumerate() {
                    prop_assert_eq!(before_node[other], before_task[index]);
                }
            }
        }
    }

    #[test]
    fn what_comes_before_is_found_through_others() {
        let tasks =
            [task(vec![], true), task(vec![0], false), task(vec![], true), task(vec![1], true)];
        assert_eq!(before(&tasks, &[3]), [true, true, false, true]);
        assert_eq!(before(&tasks, &[]), [false; 4]);
        assert_eq!(nodes(&tasks)[2].after, [0]);
    }
}
