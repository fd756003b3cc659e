//! What a run of a graph is made of: graphs of the backend, and what the stream does between them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::group::{Late, Runner};
use super::plan::{self, Part};
use super::task::{Step, Task};
use crate::backend::{self, Device, Position, StreamOptions};
use crate::core::error::Result;
use crate::core::stream::Stream;

/// A graph that is ready to run.
pub struct Program {
    actions: Vec<Action>,
    /// If it is not one graph of the backend.
    frame: Option<Frame>,
}

enum Action {
    Run(Arc<dyn backend::Graph>),
    Step(Step),
    Late(Late),
}

/// What keeps the actions of a run together.
struct Frame {
    /// A graph of nothing before and behind all actions: runs of one graph come one after the other, in
    /// whichever streams, and what is freed meanwhile is kept for them.
    ends: Arc<dyn backend::Graph>,
    /// Held while a run is queued.
    queueing: Mutex<()>,
    runner: Option<Arc<Runner>>,
    aborts: Arc<AtomicU64>,
}

impl Program {
    /// Of tasks, on `device`. Their groups can be changed from then on.
    pub fn new(device: &Arc<dyn Device>, tasks: &[Task]) -> Result<Self> {
        let parts = plan::plan(tasks);
        if let [] | [Part::Nodes(_)] = &*parts {
            let all: Vec<usize> = (0..tasks.len()).collect();
            let graph = device.create_graph(&plan::nodes(tasks, &all))?;
            return Ok(Self { actions: vec![Action::Run(graph)], frame: None });
        }
        let mut actions = Vec::with_capacity(parts.len());
        let mut runner = None;
        for part in &parts {
            actions.push(match part {
                Part::Nodes(members) => {
                    Action::Run(device.create_graph(&plan::nodes(tasks, members))?)
                }
                // A plan has steps of tasks that have one.
                Part::Step(index) => match &tasks[*index].step {
                    Some(step) => Action::Step(step.clone()),
                    None => continue,
                },
                Part::Late(members) => {
                    if runner.is_none() {
                        runner = Some(Runner::new(|observer| {
                            let observer = Some(observer);
                            device.create_stream(StreamOptions { observer, ..Default::default() })
                        })?);
                    }
                    Action::Late(Late::new(tasks, members, &**device)?)
                }
            });
        }
        let frame = Frame {
            ends: device.create_graph(&[])?,
            queueing: Mutex::new(()),
            runner,
            aborts: Arc::default(),
        };
        Ok(Self { actions, frame: Some(frame) })
    }

    /// Queues a run: its last operation.
    pub fn queue(&self, stream: &Stream) -> Result<Position> {
        match (&self.frame, &*self.actions) {
            (None, [Action::Run(graph)]) => stream.submit(|native| native.run_graph(graph)),
            (frame, actions) => Self::queue_all(frame.as_ref(), actions, stream),
        }
    }

    fn queue_all(frame: Option<&Frame>, actions: &[Action], stream: &Stream) -> Result<Position> {
        let Some(frame) = frame else { return Ok(0) };
        let _queueing = frame.queueing.lock();
        let end = || stream.submit(|native| native.run_graph(&frame.ends));
        end()?;
        let mut queued = Ok(());
        for action in actions {
            queued = match (action, &frame.runner) {
                (Action::Run(graph), _) => stream.submit(|native| native.run_graph(graph)),
                (Action::Step(step), _) => stream.submit(|native| step.queue(native)),
                (Action::Late(late), Some(runner)) => runner.queue(late, stream, &frame.aborts),
                (Action::Late(_), None) => continue,
            }
            .map(drop);
            if queued.is_err() {
                break;
            }
        }
        // Also behind a part of it: the next run comes after that.
        let position = end()?;
        queued.map(|()| position)
    }

    /// The graphs of the backend, the last one of a run last.
    fn graphs(&self) -> impl Iterator<Item = &Arc<dyn backend::Graph>> {
        let runs = self.actions.iter().filter_map(|action| match action {
            Action::Run(graph) => Some(graph),
            _ => None,
        });
        runs.chain(self.frame.as_ref().map(|frame| &frame.ends))
    }

    /// Whether a run that was queued is not over.
    pub fn is_running(&self) -> bool {
        self.graphs().last().is_some_and(|graph| graph.is_running())
    }

    /// Leaves out what has not begun.
    pub fn abort(&self) {
        if let Some(frame) = &self.frame {
            // Relaxed: a run that is going on sees it some time.
            frame.aborts.fetch_add(1, Ordering::Relaxed);
        }
        self.graphs().for_each(|graph| graph.abort());
    }
}
