//! Plans: the tasks that the backend runs as one part, and what the stream that runs the graph does between the parts.
//!
//! A task with a [`Step`](crate::graph::task::Step), and one that can be changed until a run reaches it, ends a
//! part for all later tasks that depend on it. Parts are as large as the edges allow: a task is only after steps that
//! it depends on, except that tasks which wait at the same place are in one part.

use std::collections::HashMap;
use std::sync::Arc;

use crate::backend::Node;
use crate::graph::task::Task;

/// A unit of a plan.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// The backend runs these tasks.
    Nodes(Vec<usize>),
    /// The stream does the step of this task.
    Step(usize),
    /// The stream runs these tasks of one group in order, with their current work.
    Late(Vec<usize>),
}

/// The tasks at one level: those after this many steps.
#[derive(Default)]
struct Level {
    nodes: Vec<usize>,
    steps: Vec<usize>,
    late: Vec<usize>,
    waits: Vec<usize>,
}

/// Returns the parts of these tasks in the order in which a run does them.
pub(crate) fn plan(tasks: &[Task]) -> Vec<Unit> {
    let mut levels: Vec<Level> = Vec::new();
    let mut level_of: Vec<usize> = Vec::with_capacity(tasks.len());
    for (index, task) in tasks.iter().enumerate() {
        let behind = |&before: &usize| level_of[before] + usize::from(tasks[before].ends_part());
        let place = task.after.iter().map(behind).max().unwrap_or(0);
        level_of.push(place);
        if levels.len() <= place {
            levels.resize_with(place + 1, Level::default);
        }
        let level = &mut levels[place];
        let works = if task.is_late() { &mut level.late } else { &mut level.nodes };
        works.push(index);
        match &task.step {
            Some(step) if step.waits() => level.waits.push(index),
            Some(_) => level.steps.push(index),
            None => {}
        }
    }
    let mut parts = Vec::new();
    for level in levels {
        if level.nodes.iter().any(|&index| tasks[index].work.is_some()) {
            parts.push(Unit::Nodes(level.nodes));
        }
        parts.extend(level.steps.into_iter().map(Unit::Step));
        parts.extend(level.late.into_iter().map(|index| Unit::Late(vec![index])));
        parts.extend(level.waits.into_iter().map(Unit::Step));
    }
    let group = |task: usize| tasks[task].group.as_ref().map(|member| Arc::as_ptr(&member.group));
    // A late task joins the previous one if both belong to the same group.
    parts.dedup_by(|next, kept| match (next, kept) {
        (Unit::Late(next), Unit::Late(batch)) if group(batch[0]) == group(next[0]) => {
            batch.append(next);
            true
        }
        (Unit::Late(_) | Unit::Nodes(_) | Unit::Step(_), _) => false,
    });
    parts
}

/// Returns the nodes for these tasks: those without work are left out, and tasks that depend on one of them depend on
/// its dependencies instead.
pub(crate) fn nodes(tasks: &[Task], members: &[usize]) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(members.len());
    // The nodes that stand for each task: the task itself, or its dependencies.
    let mut stands_for: HashMap<usize, Vec<usize>> = HashMap::with_capacity(members.len());
    for &index in members {
        let task = &tasks[index];
        let known = task.after.iter().filter_map(|before| stands_for.get(before));
        let mut after: Vec<usize> = known.flatten().copied().collect();
        after.sort_unstable();
        after.dedup();
        match task.work() {
            Some(work) => {
                stands_for.insert(index, vec![nodes.len()]);
                nodes.push(Node { work: work.clone(), after });
            }
            None => drop(stands_for.insert(index, after)),
        }
    }
    nodes
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
