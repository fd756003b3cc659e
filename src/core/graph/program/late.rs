//! Tasks of groups in a run: their work is read when the run reaches them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::backend::{self, Device, Failure, Fault, FaultKind, HostFn, Observer, Op, Payload, Position, StreamOptions};
use crate::core::base::error::{Code, Error, Result};
use crate::core::graph::program::reporting::Reporting;
use crate::core::graph::task::group::{Group, Member, Version};
use crate::core::graph::task::{self, Task};
use crate::core::stream::Stream;

/// Consecutive tasks of a group, read when a run reaches them.
pub struct Late {
    group: Arc<Group>,
    batch: usize,
}

impl Late {
    /// The tasks with these places, which belong to one group. Each task of a group is added once, in order.
    pub fn new(tasks: &[Task], members: &[usize], device: &dyn Device) -> Result<Self> {
        let mine = members.iter().filter_map(|&index| tasks[index].group.as_ref());
        let mine: Vec<&Member> = mine.collect();
        let no_group = || Error::new(Code::InternalError, "a task without a group was to be late");
        let group = Arc::clone(&mine.first().ok_or_else(no_group)?.group);
        let mut state = group.state.lock();
        let first = state.batches.last().map_or(0, |batch| batch.end);
        state.batches.push(first..first + mine.len());
        let batch = state.batches.len() - 1;
        if first + mine.len() == state.kinds.len() {
            let of_group = |task: &&Task| task.group.as_ref().is_some_and(|member| Arc::ptr_eq(&member.group, &group));
            let works = tasks.iter().filter(of_group).filter_map(|task| task.work.clone());
            state.version = Some(Version::new(device, works.collect(), &state.batches)?);
        }
        drop(state);
        Ok(Self { group, batch })
    }
}

/// Runs late tasks, on a private stream, while the stream of the run waits.
pub struct Runner {
    stream: Arc<dyn backend::Stream>,
    turn: Arc<CurrentTurn>,
}

/// The run that has reached a group: its stream receives failures of the runner's stream.
#[derive(Default)]
struct CurrentTurn(Mutex<Option<Reporting>>);

impl Observer for CurrentTurn {
    fn failed(&self, failure: Failure) -> Option<HostFn> {
        let turn = self.0.lock().clone()?;
        let (position, thread) = (Some(turn.position), Some(turn.thread));
        turn.failures.failed(Failure { position, thread, ..failure })
    }
}

impl Runner {
    /// With a stream of `device`.
    pub fn new(device: &dyn Device) -> Result<Arc<Self>> {
        let turn: Arc<CurrentTurn> = Arc::default();
        let observer = Some(Arc::clone(&turn) as Arc<dyn Observer>);
        let stream = device.create_stream(StreamOptions { observer, ..Default::default() })?;
        Ok(Arc::new(Self { stream, turn }))
    }

    /// Queues a batch.
    pub fn queue(self: &Arc<Self>, late: &Late, stream: &Stream, aborts: &Arc<AtomicU64>) -> Result<Position> {
        let (runner, group, batch) = (Arc::clone(self), Arc::clone(&late.group), late.batch);
        let turn = Reporting::of(stream);
        let aborts = Arc::clone(aborts);
        let aborted = aborts.load(Ordering::Relaxed);
        // Locked until it is known: another thread may reach it before.
        let place = Arc::new(Mutex::new(0));
        let place_then = Arc::clone(&place);
        let mut place = place.lock();
        let function = HostFn::from_backend_calls(move || {
            let position = *place_then.lock();
            // Relaxed: see where it is changed.
            if aborts.load(Ordering::Relaxed) == aborted {
                runner.run(&group, batch, Reporting { position, ..turn });
            }
        });
        *place = stream.submit(Op::HostFn(Payload::new(&mut Some(function))))?;
        Ok(*place)
    }

    fn run(&self, group: &Group, batch: usize, turn: Reporting) {
        *self.turn.0.lock() = Some(turn.clone());
        group.drop_replaced();
        let version = group.state.lock().version.clone();
        let Some(version) = version else { return };
        let Err(fault) = self.run_version(&version, batch) else { return };
        if let Some(callback) = turn.failed(fault) {
            callback.run();
        }
    }

    fn run_version(&self, version: &Version, batch: usize) -> backend::Result<()> {
        let checked = task::check_memory("a task group", &version.memory);
        checked.map_err(|gone| Fault::new(FaultKind::InvalidArgument, gone.text()))?;
        self.stream.submit(Op::RunGraph(&version.graphs[batch]))?;
        // The observer reports failures of the work.
        self.stream.synchronize(None).map(drop)
    }
}
