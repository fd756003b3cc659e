//! Tasks of the host: code of the program that a stream runs on a thread of its own, with access to device memory.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::host_fn::as_user_code;
use crate::algo::thread::cancellation;
use crate::{Result, Span, thread_number};

/// What a task does with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferUse {
    /// It reads the buffer.
    Read,
    /// It writes the buffer, and reads nothing of it.
    Write,
    /// It reads bytes, and writes any of them.
    ReadWrite,
}

impl BufferUse {
    /// Whether the task reads the buffer.
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::ReadWrite)
    }

    /// Whether the task writes the buffer.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::ReadWrite)
    }
}

/// A buffer of a task.
#[derive(Clone, Copy, Debug)]
pub struct TaskBuffer {
    /// The memory, which is not pageable. `None`: the buffer has no bytes.
    pub memory: Option<Span>,
    /// What the task does with it.
    pub does: BufferUse,
}

/// Why a task should return. The greater one is more urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum StopReason {
    /// The stream ends after the task, and a call waits for it.
    StreamEnds = 1,
    /// The task's result is not used any more.
    Dropped = 2,
}

/// The code of a task.
pub trait TaskCode: Send + Sync {
    /// Returns the name for traces and texts.
    fn name(&self) -> &str;

    /// Runs the code. `addresses` has the address of each buffer, 0 for one without bytes. This is user code.
    fn run(&self, run: &Arc<TaskRun>, addresses: &[usize]) -> Result<()>;

    /// Notifies the code, while it runs, that it should return. This is user code, on any thread.
    fn stop(&self, stop: StopReason);
}

/// A task. A graph runs it many times.
pub struct HostTask {
    /// The buffers. Two of them overlap only if both are only read.
    pub buffers: Box<[TaskBuffer]>,
    /// Whether the code gets the addresses of the device, instead of addresses for the host.
    pub takes_device_addresses: bool,
    /// The code.
    pub code: Box<dyn TaskCode>,
}

impl HostTask {
    /// Returns the memory of the buffers, with what the task does with it.
    pub fn memory(&self) -> impl Iterator<Item = (Span, BufferUse)> {
        self.buffers.iter().filter_map(|buffer| Some((buffer.memory?, buffer.does)))
    }

    /// Returns the same task for one run. `begin` is called before the code, and what it returns after the code.
    pub fn observed<E: FnOnce() + Send + 'static>(
        self: &Arc<Self>,
        begin: impl FnOnce() -> E + Send + 'static,
    ) -> Arc<Self> {
        let begin = move || -> Box<dyn FnOnce() + Send> { Box::new(begin()) };
        Arc::new(Self {
            buffers: self.buffers.clone(),
            takes_device_addresses: self.takes_device_addresses,
            code: Box::new(Observed { task: Arc::clone(self), begin: Mutex::new(Some(Box::new(begin))) }),
        })
    }
}

/// A function that begins an observation, and returns the one that ends it.
type Begin = Box<dyn FnOnce() -> Box<dyn FnOnce() + Send> + Send>;

/// The code of an observed task.
struct Observed {
    task: Arc<HostTask>,
    begin: Mutex<Option<Begin>>,
}

impl TaskCode for Observed {
    fn name(&self) -> &str {
        self.task.code.name()
    }

    fn run(&self, run: &Arc<TaskRun>, addresses: &[usize]) -> Result<()> {
        let begin = self.begin.lock().take();
        let end = begin.map(|begin| begin());
        let outcome = self.task.code.run(run, addresses);
        end.into_iter().for_each(|end| end());
        outcome
    }

    fn stop(&self, stop: StopReason) {
        self.task.code.stop(stop);
    }
}

/// One run of a task. It keeps the task until it is dropped.
pub struct TaskRun {
    /// The task.
    pub task: Arc<HostTask>,
    /// The thread that enqueued it, as [`thread_number`] returns it.
    pub thread: u32,
    state: Mutex<RunState>,
    /// Notified when a notification ends.
    changed: Condvar,
}

struct RunState {
    phase: Phase,
    /// The most urgent reason to return.
    stop: Option<StopReason>,
    /// The number of threads inside [`TaskCode::stop`].
    notifiers: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Pending,
    Running,
    Over,
}

impl TaskRun {
    /// Creates a pending run, which the calling thread enqueues.
    pub fn new(task: &Arc<HostTask>) -> Arc<Self> {
        let state = RunState { phase: Phase::Pending, stop: None, notifiers: 0 };
        let thread = thread_number();
        Arc::new(Self { task: Arc::clone(task), thread, state: Mutex::new(state), changed: Condvar::new() })
    }

    /// Runs the code, unless the run was dropped before. The calling thread is one for this run alone.
    pub fn run(self: &Arc<Self>, addresses: &[usize]) -> Result<()> {
        /// Ends the run. No notification of its code runs after that.
        struct RunEnd<'a>(&'a TaskRun);
        impl Drop for RunEnd<'_> {
            fn drop(&mut self) {
                let mut state = self.0.state.lock();
                state.phase = Phase::Over;
                while state.notifiers != 0 {
                    self.0.changed.wait(&mut state);
                }
            }
        }

        let mut state = self.state.lock();
        let stop = state.stop;
        let is_dropped = stop == Some(StopReason::Dropped);
        state.phase = if is_dropped { Phase::Over } else { Phase::Running };
        drop(state);
        let _end = RunEnd(self);
        if is_dropped {
            return Ok(());
        }
        as_user_code(|| {
            stop.into_iter().for_each(|stop| self.task.code.stop(stop));
            self.task.code.run(self, addresses)
        })
    }

    /// Makes the code return soon, if it heeds that. A run that has not begun is dropped, or its code is notified when
    /// it begins. The caller holds no lock: this calls user code.
    pub fn stop(&self, stop: StopReason) {
        /// Ends the notification, also if its thread ends inside.
        struct Notified<'a>(&'a TaskRun);
        impl Drop for Notified<'_> {
            fn drop(&mut self) {
                self.0.state.lock().notifiers -= 1;
                self.0.changed.notify_all();
            }
        }

        let mut state = self.state.lock();
        if state.stop >= Some(stop) {
            return;
        }
        state.stop = Some(stop);
        if state.phase != Phase::Running {
            return;
        }
        state.notifiers += 1;
        drop(state);
        let _notified = Notified(self);
        cancellation::run_user_code(|| as_user_code(|| self.task.code.stop(stop)));
    }

    /// Stops with [`StopReason::Dropped`]. Returns true if a thread has not begun the run: its code is never called.
    pub fn cancel(&self) -> bool {
        self.stop(StopReason::Dropped);
        self.state.lock().phase == Phase::Pending
    }

    /// Returns why the code should return, if it should.
    pub fn stopped(&self) -> Option<StopReason> {
        self.state.lock().stop
    }
}

#[cfg(test)]
#[path = "host_task_tests.rs"]
mod tests;
