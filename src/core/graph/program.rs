//! The program of a graph: graphs of the backend, and the steps between them.

mod late;
pub(super) mod plan;
pub(super) mod reporting;

use std::sync::Arc;

use parking_lot::Mutex;

use self::late::{Late, Runner};
use self::plan::Unit;
use super::task::{Step, Task};
use crate::backend::{self, Device, Op, Position, Work};
use crate::base::error::Result;
use crate::base::host_memory;
use crate::kernel::kernel_launch::GraphLaunch;
use crate::order::accesses::{Access, GraphRun, GraphRuns};
use crate::order::checker;
use crate::order::effects::{Effect, Effects};
use crate::stream::Stream;

/// A graph that is ready to run.
pub struct Program {
    actions: Vec<Action>,
    /// An empty graph before and after all actions. It orders the runs of the graph in all streams, and keeps memory
    /// that is freed meanwhile. `None` if there is only one graph of the backend.
    ends: Option<Arc<dyn backend::Graph>>,
    /// Locked while a run between these is enqueued.
    queueing: Mutex<()>,
    /// The result of [`Self::operations`].
    operations: usize,
    /// Runs late tasks, if there are any.
    runner: Option<Arc<Runner>>,
    /// The runs, for the checker.
    runs: Arc<GraphRuns>,
}

enum Action {
    /// The backend runs these tasks.
    Run(Arc<dyn backend::Graph>, Vec<usize>),
    /// The stream does the step of this task.
    Step(usize),
    Late(Late),
}

/// Returns the maximum number of effects that the work of a task has for the checker.
fn most_effects(task: &Task) -> usize {
    match task.work() {
        Some(Work::Copy2d(copy)) => copy.height,
        // Random numbers have six effects.
        Some(work) => {
            GraphLaunch::of(work).map_or(6, |call| call.effects.as_ref().map_or(0, |effects| effects.0.len()))
        }
        None => match task.step() {
            Some(Step::HostTask(task)) => task.buffers.len(),
            // An indirect copy has one effect, the others have none.
            Some(
                Step::CopyIndirect(_)
                | Step::WriteValue(_)
                | Step::WaitValue(_)
                | Step::ChangeNotify(..)
                | Step::WaitNotify(..)
                | Step::Wait(_)
                | Step::Record(_)
                | Step::WaitShared(_),
            )
            | None => 1,
        },
    }
}

/// Returns what a run does with memory, as far as it is known before.
fn used_by(tasks: &[Task]) -> Result<GraphRun> {
    // Both lists grow by doubling, and a copy is two accesses.
    let each = 3 * (size_of::<Effect>() + 2 * size_of::<Access>());
    let _memory = host_memory::claim(
        "memory accesses of a graph's tasks, which PORTACL_CHECK records",
        tasks.iter().map(most_effects).sum(),
        each,
    )?;
    let mut effects = Effects::default();
    for task in tasks {
        match (task.work(), task.step()) {
            (Some(work), _) if !task.is_late() => match GraphLaunch::of(work) {
                Some(call) => effects.0.extend(call.effects.iter().flat_map(|effects| &effects.0).copied()),
                None => effects.work(work),
            },
            // Its reads are checked when the step is enqueued, but later work of the run reads what it writes.
            (None, Some(Step::HostTask(task))) => effects.writes_of(task),
            (Some(_), _) | (None, Some(Step::CopyIndirect(_))) => effects.0.push(Effect::Unknown),
            (None, _) => {}
        }
    }
    // A step of another kind may wait for the host.
    let needs_host = |task: &Task| task.ends_part() || matches!(task.work(), Some(Work::HostFn(_)));
    Ok(GraphRun::of(effects, tasks.iter().any(needs_host)))
}

impl Program {
    /// Creates the program of tasks on `device`. From then on their groups can be changed.
    pub fn new(device: &Arc<dyn Device>, tasks: &[Task]) -> Result<Self> {
        let mut parts = plan::plan(tasks);
        if parts.is_empty() {
            parts.push(Unit::Nodes(Vec::new()));
        }
        let ends = if let [Unit::Nodes(_)] = *parts { None } else { Some(device.create_graph(&[])?) };
        let mut actions = Vec::with_capacity(parts.len());
        let mut runner = None;
        for part in parts {
            actions.push(match part {
                Unit::Nodes(members) => Action::Run(device.create_graph(&plan::nodes(tasks, &members))?, members),
                Unit::Step(index) => Action::Step(index),
                Unit::Late(members) => {
                    let known = runner.take().map_or_else(|| Runner::new(&**device), Ok)?;
                    Action::Late(Late::new(tasks, &members, &**device, runner.insert(known))?)
                }
            });
        }
        // A task of the program takes a place for its call, and one after its copies.
        let twice = tasks.iter().filter(|task| matches!(task.step(), Some(Step::HostTask(_)))).count();
        let operations = actions.len() + twice + 2;
        Ok(Self { actions, ends, queueing: Mutex::new(()), operations, runner, runs: Arc::default() })
    }

    /// Changes later runs to these tasks. They differ only in the places `changed`, which are in order, and form the
    /// same parts: the edges are the same, and the same tasks have work, a step and a group. On failure later runs stay
    /// as they were.
    pub fn update(&self, device: &Arc<dyn Device>, before: &[Task], tasks: &[Task], changed: &[usize]) -> Result<()> {
        let is_changed = |place: &usize| changed.binary_search(place).is_ok();
        let changed: Vec<_> = self.runs().filter(|(_, members)| members.iter().any(&is_changed)).collect();
        self.runs.change();
        for (count, (graph, members)) in changed.iter().enumerate() {
            device.update_graph(graph, &plan::nodes(tasks, members)).inspect_err(|_| {
                for (graph, members) in &changed[..count] {
                    // A driver that rejects this too has failed, and runs nothing more.
                    let _ = device.update_graph(graph, &plan::nodes(before, members));
                }
            })?;
        }
        Ok(())
    }

    /// Returns the maximum number of host functions, records and runs that a run enqueues.
    pub fn operations(&self) -> usize {
        self.operations
    }

    /// Queues a run of these tasks. Returns its last operation.
    pub fn queue(&self, stream: &Stream, tasks: &[Task]) -> Result<Position> {
        if let Some(checker) = checker::installed() {
            checker.runs_graph(stream.handle.raw(), &self.runs.next(|| used_by(tasks))?, Some(&self.runs));
        }
        let Some(ends) = &self.ends else { return self.queue_actions(stream, tasks) };
        let _queueing = self.queueing.lock();
        let end = || stream.submit(Op::RunGraph(ends));
        end()?;
        let queued = self.queue_actions(stream, tasks);
        // The end follows also if only a part was enqueued, because the next run is ordered after it.
        let position = end()?;
        queued.map(|_| position)
    }

    /// Queues the actions of a run. Returns the last operation.
    fn queue_actions(&self, stream: &Stream, tasks: &[Task]) -> Result<Position> {
        self.actions.iter().try_fold(0, |last, action| match action {
            Action::Run(graph, _) => stream.submit(Op::RunGraph(graph)),
            Action::Step(index) => tasks[*index].step().map_or(Ok(last), |step| step.queue(|op| stream.submit(op))),
            Action::Late(late) => late.queue(stream),
        })
    }

    /// Returns the graphs of the backend that have tasks, with their tasks.
    fn runs(&self) -> impl Iterator<Item = (&Arc<dyn backend::Graph>, &Vec<usize>)> {
        self.actions.iter().filter_map(|action| match action {
            Action::Run(graph, members) => Some((graph, members)),
            Action::Step(_) | Action::Late(_) => None,
        })
    }

    /// Returns the graphs of the backend. The last one of a run comes last.
    fn graphs(&self) -> impl Iterator<Item = &Arc<dyn backend::Graph>> {
        self.runs().map(|(graph, _)| graph).chain(&self.ends)
    }

    /// Whether an enqueued run is not complete.
    pub fn is_running(&self) -> backend::Result<bool> {
        self.graphs().last().map_or(Ok(false), |graph| graph.is_running())
    }

    /// Drops what has not begun.
    pub fn abort(&self) {
        self.runner.iter().for_each(|runner| runner.abort());
        self.graphs().for_each(|graph| graph.abort());
    }
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;
