//! Tasks: recorded operations with their edges.

pub mod control;
pub mod group;
mod step;

use std::sync::Arc;

use self::control::{Conditional, Control};
use self::group::Member;
pub use self::step::{Step, What, memory};
pub(crate) use self::step::{check_memory, work_spans};
use crate::algo::host::host_memory::claim::Claim;
use crate::algo::map::slot_table::Handle;
use crate::backend::Work;
use crate::base::{error, host_memory};

/// A task of a graph.
#[derive(Clone)]
pub struct Task {
    /// Its kind.
    pub what: What,
    /// Its work; `None` if it only has a place in the order.
    pub work: Option<Work>,
    /// The step that follows it.
    pub step: Option<Step>,
    /// The control flow that follows it.
    pub control: Option<Arc<Control>>,
    /// Its group. The work of a task with a group can be changed until a run reaches it.
    pub group: Option<Member>,
    /// The tasks that it depends on, by their places in the list, which are smaller than its own.
    pub after: Vec<usize>,
    /// The stream that recorded it.
    pub stream: Handle,
    /// True if it uses an event of streams outside of the graph.
    pub is_external: bool,
    /// True if runs skip it.
    pub is_disabled: bool,
}

impl Task {
    /// Creates a task of a stream without dependencies.
    pub fn new(stream: Handle, what: What, work: Option<Work>) -> Self {
        Self {
            what,
            work,
            step: None,
            control: None,
            group: None,
            after: Vec::new(),
            stream,
            is_external: false,
            is_disabled: false,
        }
    }

    /// Returns the current work, which may have changed for a task of a group.
    pub(crate) fn current_work(&self) -> Option<Work> {
        let work = self.work.as_ref()?;
        Some(self.group.as_ref().map_or_else(|| work.clone(), |member| member.work(work)))
    }

    /// Returns the work that a run does.
    pub fn work(&self) -> Option<&Work> {
        self.work.as_ref().filter(|_| !self.is_disabled)
    }

    /// Returns the step that a run does.
    pub fn step(&self) -> Option<&Step> {
        self.step.as_ref().filter(|_| !self.is_disabled)
    }

    /// Whether its work is known only when a run reaches it.
    pub fn is_late(&self) -> bool {
        self.group.is_some() && self.work.is_some()
    }

    /// Whether later dependent tasks cannot be in the same part.
    pub(crate) fn ends_part(&self) -> bool {
        self.step.is_some() || self.is_late()
    }

    /// Returns what it does, if it is a conditional task.
    pub fn conditional(&self) -> Option<&Conditional> {
        if let Some(Control::Conditional(found)) = self.control.as_deref() { Some(found) } else { None }
    }
}

/// Maximum number of bytes of host memory that a call needs per task of a graph while it instantiates the graph: for
/// the plan of its runs, and for what the core and the backend keep of it. `EDGE_BYTES` is the same per edge. Tests
/// compare both with what calls use.
const BYTES: usize = 4096;

const EDGE_BYTES: usize = 128;

/// Claims host memory to instantiate a graph of these tasks, or the same number of tasks again.
pub fn claim(tasks: &[Task]) -> error::Result<Claim> {
    let edges: usize = tasks.iter().map(|task| task.after.len()).sum();
    claim_for(tasks.len(), edges)
}

/// Claims host memory to instantiate a graph of this many tasks and edges.
pub(crate) fn claim_for(tasks: usize, edges: usize) -> error::Result<Claim> {
    let bytes = tasks * BYTES + edges * EDGE_BYTES;
    Claim::new(bytes).ok_or_else(|| host_memory::no_memory_for("tasks of a graph", tasks))
}

/// Returns the streams of tasks, by the first task of each.
pub fn streams(tasks: &[Task]) -> Vec<Handle> {
    let mut streams = Vec::new();
    for task in tasks {
        if !streams.contains(&task.stream) {
            streams.push(task.stream);
        }
    }
    streams
}

/// Returns the tasks that these depend on, including themselves.
pub fn before(tasks: &[Task], last: &[usize]) -> Vec<bool> {
    let mut is_before = vec![false; tasks.len()];
    last.iter().for_each(|&index| is_before[index] = true);
    // The loop goes backwards, because each task depends on earlier ones only.
    for index in (0..tasks.len()).rev() {
        if is_before[index] {
            tasks[index].after.iter().for_each(|&earlier| is_before[earlier] = true);
        }
    }
    is_before
}

#[cfg(test)]
#[path = "task_tests.rs"]
pub(super) mod tests;
