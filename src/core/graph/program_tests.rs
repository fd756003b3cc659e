use super::*;
use crate::algo::host::host_memory::faults;
use crate::backend::{Change, Notifies, Options};
use crate::graph::graph::ready::uses;
use crate::graph::task::tests::task;
use crate::graph::task::{Step, claim};

const LEN: usize = 20_000;

fn many(edges: impl Fn(usize) -> Vec<usize>, works: bool) -> Vec<Task> {
    (0..LEN).map(|index| task(edges(index), works)).collect()
}

/// Instantiates the graph and copies it, with no memory except its claim. Returns how much of the claim is left, in
/// percent.
fn left(device: &Arc<dyn Device>, tasks: &[Task]) -> usize {
    let memory = claim(tasks).unwrap();
    let all = memory.left();
    let made = faults::without_memory(|| (Program::new(device, tasks).map(drop), tasks.to_vec(), uses(tasks)));
    made.0.unwrap();
    memory.left() * 100 / all
}

#[test]
fn a_claim_is_enough_for_its_graph() {
    let options = Options { devices: Some(1), ..Options::default() };
    let device = portacl_cpu::open(options).unwrap().open(0).unwrap();
    let before = |index: usize| index.checked_sub(1).into_iter().collect();
    let notify = Notifies::default().create().unwrap();
    let mut steps = many(before, false);
    for task in &mut steps {
        task.step = Some(Step::ChangeNotify(Arc::clone(&notify), Change::Set(1)));
    }
    let mut mixed = many(before, true);
    for task in mixed.iter_mut().step_by(2) {
        task.step = Some(Step::ChangeNotify(Arc::clone(&notify), Change::Set(1)));
    }
    for (name, tasks) in [
        ("one after the other", many(before, true)),
        ("no order", many(|_| Vec::new(), true)),
        ("all behind the first", many(|index| vec![0; index.min(1)], true)),
        ("one behind all", many(|index| (0..index * usize::from(index == LEN - 1)).collect(), true)),
        ("many edges", many(|index| (index.saturating_sub(8)..index).collect(), true)),
        ("no work", many(before, false)),
        ("steps", steps),
        ("works and steps", mixed),
    ] {
        let left = left(&device, &tasks);
        println!("{name}: {left} percent left");
        assert!(left >= 20, "{name}: of the claim {left} percent are left");
    }
}
