use proptest::prelude::*;

use super::*;
use crate::backend::{Change, Comparison, Notifies, Place, Span, ValueWait};
use crate::graph::task::tests::{edges, task};
use crate::graph::task::{Step, before};

fn all(tasks: &[Task]) -> Vec<usize> {
    (0..tasks.len()).collect()
}

fn record() -> Step {
    Step::ChangeNotify(Notifies::default().create().unwrap(), Change::Set(1))
}

fn wait() -> Step {
    let src = Span { addr: 64, len: 8, place: Place::Device(0) };
    Step::WaitValue(ValueWait { src, value: 1, comparison: Comparison::Equal })
}

proptest! {
    /// A task that is left out removes no order and adds none.
    #[test]
    fn nodes_have_the_order_of_their_tasks(edges in edges()) {
        let tasks: Vec<Task> =
            edges.iter().map(|(works, after)| task(after.clone(), *works)).collect();
        let nodes = nodes(&tasks, &all(&tasks));
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

    /// All work and all steps are done once, each task's work before its step, and both after all dependencies of the
    /// task.
    #[test]
    fn plans_keep_all_edges(edges in edges(), steps in prop::collection::vec(0..4, 40)) {
        let mut tasks: Vec<Task> =
            edges.iter().map(|(works, after)| task(after.clone(), *works)).collect();
        for (task, kind) in tasks.iter_mut().zip(steps) {
            task.step = match kind {
                0 => Some(record()),
                1 => Some(wait()),
                _ => None,
            };
        }
        let mut work_at = vec![None; tasks.len()];
        let mut step_at = vec![None; tasks.len()];
        let parts = plan(&tasks);
        for (place, part) in parts.iter().enumerate() {
            match part {
                Unit::Nodes(members) => {
                    for &index in members {
                        prop_assert_eq!(work_at[index].replace(place), None);
                    }
                }
                Unit::Step(index) => prop_assert_eq!(step_at[*index].replace(place), None),
                Unit::Late(_) => prop_assert!(false, "nothing is late"),
            }
        }
        for (index, task) in tasks.iter().enumerate() {
            prop_assert_eq!(task.step.is_some(), step_at[index].is_some());
            prop_assert!(task.work.is_none() || work_at[index].is_some());
            if task.work.is_some() && task.step.is_some() {
                prop_assert!(work_at[index] < step_at[index]);
            }
            let is_before = before(&tasks, &[index]);
            for earlier in (0..index).filter(|&earlier| is_before[earlier]) {
                let own = [work_at[index].filter(|_| task.work.is_some()), step_at[index]];
                for own in own.into_iter().flatten() {
                    prop_assert!(step_at[earlier].is_none_or(|before| before < own));
                    // In the same part the edges of its nodes keep the order.
                    let work = work_at[earlier].filter(|_| tasks[earlier].work.is_some());
                    prop_assert!(work.is_none_or(|before| before <= own));
                }
            }
        }
    }
}

#[test]
fn what_does_not_come_after_a_wait_does_not_wait() {
    let mut tasks = [task(vec![], true), task(vec![], false), task(vec![1], true), task(vec![0], true)];
    tasks[1].step = Some(wait());
    let nodes = |places: &[usize]| Unit::Nodes(places.to_vec());
    assert_eq!(plan(&tasks), [nodes(&[0, 1, 3]), Unit::Step(1), nodes(&[2])]);
}

#[test]
fn waits_come_behind_what_others_may_wait_for() {
    let mut tasks = [task(vec![], false), task(vec![], false)];
    tasks[0].step = Some(wait());
    tasks[1].step = Some(record());
    assert_eq!(plan(&tasks), [Unit::Step(1), Unit::Step(0)]);
    assert_eq!(plan(&[]), []);
}
