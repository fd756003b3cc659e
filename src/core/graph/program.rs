//! The program of a graph: graphs of the backend, and the steps between them.

mod late;
pub mod plan;
pub mod reporting;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use self::late::{Late, Runner};
use self::plan::Part;
use super::task::{Step, Task};
use crate::backend::{self, Device, Op, Position, Work};
use crate::core::base::error::Result;
use crate::core::base::host_memory;
use crate::core::kernel::kernel_launch::Call;
use crate::core::order::accesses::Access;
use crate::core::order::checker;
use crate::core::order::effects::{Effect, Effects};
use crate::core::order::graph_run::{GraphRun, GraphRuns};
use crate::core::stream::Stream;

/// A graph that is ready to run.
pub struct Program {
    actions: Vec<Action>,
    /// Set if it is not one graph of the backend.
    frame: Option<Frame>,
    /// For the checker.
    runs: Arc<GraphRuns>,
}

enum Action {
    /// These tasks.
    Run(Arc<dyn backend::Graph>, Vec<usize>),
    /// The step of this task.
    Step(usize),
    Late(Late),
}

/// The start and end of a run with several actions.
struct Frame {
    /// An empty graph before and after all actions: it orders runs of one graph, in all streams, and keeps memory that
    /// is freed meanwhile.
    ends: Arc<dyn backend::Graph>,
    /// Held while a run is queued.
    queueing: Mutex<()>,
    runner: Option<Arc<Runner>>,
    aborts: Arc<AtomicU64>,
}

/// The most parts that the work of a task has for the checker.
fn most_effects(task: &Task) -> usize {
    match task.work() {
        Some(Work::Copy2d(copy)) => copy.height,
        // Random numbers have six.
        Some(work) => Call::of(work).map_or(6, |call| call.effects.as_ref().map_or(0, |effects| effects.0.len())),
        None => 1,
    }
}

/// What a run does with memory, as far as it is known before.
fn used_by(tasks: &[Task]) -> Result<GraphRun> {
    // Both lists grow by doubling, and a copy is two accesses.
    let each = 3 * (size_of::<Effect>() + 2 * size_of::<Access>());
    let _memory = host_memory::claim("parts of a graph's work", tasks.iter().map(most_effects).sum(), each)?;
    let mut effects = Effects::default();
    for task in tasks {
        match task.work() {
            Some(_) if task.is_late() => effects.0.push(Effect::Unknown),
            Some(work) => match Call::of(work) {
                Some(call) => effects.0.extend(call.effects.iter().flat_map(|effects| &effects.0).copied()),
                None => effects.work(work),
            },
            None => {}
        }
        if let Some(Step::CopyIndirect(_)) = task.step() {
            effects.0.push(Effect::Unknown);
        }
    }
    // A step of another kind may wait for the host.
    let needs_host = |task: &Task| task.ends_part() || matches!(task.work(), Some(Work::HostFn(_)));
    Ok(GraphRun::of(effects, tasks.iter().any(needs_host)))
}

impl Program {
    /// For tasks on `device`. From then on their groups can be changed.
    pub fn new(device: &Arc<dyn Device>, tasks: &[Task]) -> Result<Self> {
        let parts = plan::plan(tasks);
        if let [] | [Part::Nodes(_)] = &*parts {
            let all: Vec<usize> = (0..tasks.len()).collect();
            let graph = device.create_graph(&plan::nodes(tasks, &all))?;
            return Ok(Self { actions: vec![Action::Run(graph, all)], frame: None, runs: Arc::default() });
        }
        let mut actions = Vec::with_capacity(parts.len());
        let mut runner = None;
        for part in &parts {
            actions.push(match part {
                Part::Nodes(members) => {
                    let graph = device.create_graph(&plan::nodes(tasks, members))?;
                    Action::Run(graph, members.clone())
                }
                Part::Step(index) => Action::Step(*index),
                Part::Late(members) => {
                    if runner.is_none() {
                        runner = Some(Runner::new(&**device)?);
                    }
                    Action::Late(Late::new(tasks, members, &**device)?)
                }
            });
        }
        let frame = Frame { ends: device.create_graph(&[])?, queueing: Mutex::new(()), runner, aborts: Arc::default() };
        Ok(Self { actions, frame: Some(frame), runs: Arc::default() })
    }

    /// Changes later runs to these tasks, which differ in the changed places and have the same parts: the same edges,
    /// and the same tasks have work, a step and a group. On failure later runs do what they would have done before.
    pub fn update(
        &self,
        device: &Arc<dyn Device>,
        before: &[Task],
        tasks: &[Task],
        is_changed: impl Fn(&usize) -> bool,
    ) -> Result<()> {
        let changed = self.actions.iter().filter_map(|action| match action {
            Action::Run(graph, members) if members.iter().any(&is_changed) => Some((graph, members)),
            _ => None,
        });
        let changed: Vec<_> = changed.collect();
        self.runs.change();
        for (count, (graph, members)) in changed.iter().enumerate() {
            device.update_graph(graph, &plan::nodes(tasks, members)).inspect_err(|_| {
                for (graph, members) in &changed[..count] {
                    // A driver that rejects this, too, has failed, and runs nothing more.
                    let _ = device.update_graph(graph, &plan::nodes(before, members));
                }
            })?;
        }
        Ok(())
    }

    /// Queues a run of these tasks. Returns its last operation.
    pub fn queue(&self, stream: &Stream, tasks: &[Task]) -> Result<Position> {
        if let Some(checker) = checker::installed() {
            checker.runs_graph(stream.handle.raw(), &self.runs.next(|| used_by(tasks))?, Some(&self.runs));
        }
        match (&self.frame, &*self.actions) {
            (Some(frame), actions) => frame.queue(actions, stream, tasks),
            (None, [Action::Run(graph, _)]) => stream.submit(Op::RunGraph(graph)),
            (None, _) => Ok(0),
        }
    }

    /// The graphs of the backend, the last one of a run last.
    fn graphs(&self) -> impl Iterator<Item = &Arc<dyn backend::Graph>> {
        let runs = self.actions.iter().filter_map(|action| match action {
            Action::Run(graph, _) => Some(graph),
            _ => None,
        });
        runs.chain(self.frame.as_ref().map(|frame| &frame.ends))
    }

    /// Whether a queued run is not complete.
    pub fn is_running(&self) -> backend::Result<bool> {
        self.graphs().last().map_or(Ok(false), |graph| graph.is_running())
    }

    /// Drops what has not begun.
    pub fn abort(&self) {
        if let Some(frame) = &self.frame {
            // Relaxed: a run in progress sees it eventually.
            frame.aborts.fetch_add(1, Ordering::Relaxed);
        }
        self.graphs().for_each(|graph| graph.abort());
    }
}

impl Frame {
    /// Queues a run of more than one graph.
    fn queue(&self, actions: &[Action], stream: &Stream, tasks: &[Task]) -> Result<Position> {
        let _queueing = self.queueing.lock();
        let end = || stream.submit(Op::RunGraph(&self.ends));
        end()?;
        let queued = actions.iter().try_for_each(|action| match (action, &self.runner) {
            (Action::Run(graph, _), _) => stream.submit(Op::RunGraph(graph)).map(drop),
            (Action::Step(index), _) => {
                tasks[*index].step().map_or(Ok(()), |step| step.queue(|op| stream.submit(op)).map(drop))
            }
            (Action::Late(late), Some(runner)) => runner.queue(late, stream, &self.aborts).map(drop),
            (Action::Late(_), None) => Ok(()),
        });
        // Also after a part of it, because the next run is ordered after that.
        let position = end()?;
        queued.map(|()| position)
    }
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;
