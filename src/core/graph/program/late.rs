//! Tasks of groups in a run. Their work is read when the run reaches them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::reporting::{Listener, Reporting};
use crate::backend::{
    self, Device, Fault, FaultKind, HostFn, Observer, Op, Payload, Position, Priority, StreamOptions,
};
use crate::base::error::{Code, Error, Result};
use crate::graph::task::group::{Group, Version};
use crate::graph::task::{self, Task};
use crate::stream::Stream;

/// Consecutive tasks of a group. Their work is read when a run reaches them.
pub(super) struct Late {
    group: Arc<Group>,
    batch: usize,
    runner: Arc<Runner>,
}

impl Late {
    /// Creates the part for the tasks with these places, which belong to one group. Each task of a group is added once,
    /// in order.
    pub(super) fn new(tasks: &[Task], members: &[usize], device: &dyn Device, runner: &Arc<Runner>) -> Result<Self> {
        let member = members.first().and_then(|&index| tasks[index].group.as_ref());
        let text = "this is a defect in portacl: a task with late arguments has no task group; report it";
        let no_group = || Error::new(Code::InternalError, text);
        let group = Arc::clone(&member.ok_or_else(no_group)?.group);
        let mut state = group.state.lock();
        let first = state.batches.last().map_or(0, |batch| batch.end);
        let end = first + members.len();
        state.batches.push(first..end);
        let batch = state.batches.len() - 1;
        if end == state.kinds.len() {
            let of_group = |task: &&Task| task.group.as_ref().is_some_and(|member| Arc::ptr_eq(&member.group, &group));
            let works = tasks.iter().filter(of_group).filter_map(|task| task.work.clone());
            state.version = Some(Version::new(device, works.collect(), &state.batches)?);
        }
        drop(state);
        Ok(Self { group, batch, runner: Arc::clone(runner) })
    }

    /// Queues the tasks.
    pub(super) fn queue(&self, stream: &Stream) -> Result<Position> {
        let (runner, group, batch) = (Arc::clone(&self.runner), Arc::clone(&self.group), self.batch);
        let turn = Reporting::of(stream);
        let aborted = runner.aborts.load(Ordering::Relaxed);
        // The place is locked until it is known: another thread may reach the task before.
        let place = Arc::new(Mutex::new(0));
        let place_then = Arc::clone(&place);
        let mut place = place.lock();
        let function = HostFn::from_backend_calls(move || {
            let position = *place_then.lock();
            // Relaxed: see where `aborts` is changed.
            if runner.aborts.load(Ordering::Relaxed) == aborted {
                runner.run(&group, batch, Reporting { position, ..turn });
            }
        });
        *place = stream.submit(Op::HostFn(Payload::new(&mut Some(function))))?;
        Ok(*place)
    }
}

/// Runs late tasks, on a private stream, while the stream of the run waits.
pub(super) struct Runner {
    stream: Arc<dyn backend::Stream>,
    /// Receives failures of that stream for the stream of the run that has reached a group.
    listener: Arc<Listener>,
    /// Number of times that runs were aborted.
    aborts: AtomicU64,
}

impl Runner {
    /// Creates a runner with a stream of `device`.
    pub(super) fn new(device: &dyn Device) -> Result<Arc<Self>> {
        let listener: Arc<Listener> = Arc::default();
        let observer = Some(Arc::clone(&listener) as Arc<dyn Observer>);
        let stream = device.create_stream(StreamOptions { priority: Priority::Library, observer })?;
        Ok(Arc::new(Self { stream, listener, aborts: AtomicU64::new(0) }))
    }

    /// Makes enqueued runs leave late tasks out.
    pub(super) fn abort(&self) {
        // Relaxed: a run in progress sees it eventually.
        self.aborts.fetch_add(1, Ordering::Relaxed);
    }

    fn run(&self, group: &Group, batch: usize, turn: Reporting) {
        self.listener.set(Some(turn));
        group.drop_replaced();
        let version = group.state.lock().version.clone();
        let Some(version) = version else { return };
        let callback = self.run_version(group, &version, batch).err().and_then(|fault| self.listener.report(fault));
        callback.into_iter().for_each(HostFn::run);
    }

    fn run_version(&self, group: &Group, version: &Version, batch: usize) -> backend::Result<()> {
        let checked = task::check_memory(format_args!("task group {:#x}", group.handle.raw()), &version.memory);
        checked.map_err(|gone| Fault::new(FaultKind::InvalidArgument, gone.text()))?;
        self.stream.submit(Op::RunGraph(&version.graphs[batch]))?;
        // The observer reports failures of the work.
        self.stream.synchronize(None).map(drop)
    }
}
