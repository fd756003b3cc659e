//! Tasks of the host: a stream that has reached one waits, as for an event, until a thread for tasks has run it.
//!
//! A task that runs is a user of memory of its own, because an abort of its stream ends the stream's wait and not the
//! task.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::backend::stream::watch::ByteRange;
use crate::backend::stream::workers::Workers;
use crate::backend::{Fault, HostTask, Result, Span, TaskRun, Wait};
use crate::memory::pending::MemoryUser;
use crate::runtime::shared::Shared;

/// The time after which an idle thread for tasks ends.
const IDLE: Duration = Duration::from_secs(5);

/// Creates the threads for tasks.
pub(crate) fn threads() -> Workers {
    Workers::new("portacl-task", Some(IDLE))
}

/// A run of a task, pending or begun.
pub(crate) struct TaskWait {
    pub run: Arc<TaskRun>,
    memory: Arc<TaskMemory>,
}

impl TaskWait {
    /// Creates a pending run. A thread for it exists.
    pub(crate) fn new(shared: &Shared, task: &Arc<HostTask>) -> Result<Arc<Self>> {
        shared.task_threads.ensure_thread().map_err(|error| Fault::no_thread("for tasks", &error))?;
        Ok(Arc::new(Self { run: TaskRun::new(task), memory: TaskMemory::of(task) }))
    }

    /// Returns the bytes between the first and the last one that the task uses.
    pub(crate) fn memory(&self) -> ByteRange {
        let ranges = &self.memory.ranges;
        let first = ranges.iter().map(|range| range.0).min().unwrap_or(0);
        let end = ranges.iter().map(|range| range.0 + range.1).max().unwrap_or(0);
        (first, end - first)
    }

    /// Starts the run on a thread of its own, with addresses of the library's view. The thread calls `begin` before,
    /// which says whether the stream still waits, and `end` with the outcome after.
    pub(crate) fn start(
        self: &Arc<Self>,
        shared: &Arc<Shared>,
        begin: impl FnOnce() -> bool + Send + 'static,
        end: impl FnOnce(Result<()>) + Send + 'static,
    ) {
        let (this, with) = (Arc::clone(self), Arc::clone(shared));
        shared.task_threads.start_or_queue(Box::new(move || {
            // Memory that is freed from here on is kept, also after an abort.
            with.users.add(&this.memory);
            let outcome = if begin() { this.run.run(&this.addresses(&with)) } else { Ok(()) };
            this.memory.is_unused();
            with.users.forget(&this.memory);
            end(outcome);
        }));
    }

    fn addresses(&self, shared: &Shared) -> Vec<usize> {
        let task = &self.run.task;
        let address = |memory: Span| match task.takes_device_addresses {
            true => memory.addr,
            false => shared.pointer(&memory).addr(),
        };
        task.buffers.iter().map(|buffer| buffer.memory.map_or(0, address)).collect()
    }
}

/// The memory of a run. Frees that wait for the run may keep this longer than the run, which must be released in time.
struct TaskMemory {
    ranges: Box<[ByteRange]>,
    /// Whether it is on the list of users of memory.
    enlisted: AtomicBool,
    /// Whether the run has ended.
    over: Mutex<bool>,
    /// Notified when the run has ended.
    ended: Condvar,
}

impl TaskMemory {
    fn of(task: &HostTask) -> Arc<Self> {
        let ranges = task.memory().map(|(memory, _)| (memory.addr, memory.len)).collect();
        Arc::new(Self { ranges, enlisted: AtomicBool::new(false), over: Mutex::new(false), ended: Condvar::new() })
    }

    /// Notes that the run has ended.
    fn is_unused(&self) {
        *self.over.lock() = true;
        self.ended.notify_all();
    }
}

impl MemoryUser for TaskMemory {
    fn enlist(&self) -> bool {
        !self.enlisted.swap(true, Ordering::SeqCst)
    }

    fn delist_if_unused(&self) -> bool {
        *self.over.lock()
    }

    fn last_use_of(&self, addr: usize, len: usize) -> Option<u64> {
        self.ranges.iter().any(|&range| range.0 < addr + len && addr < range.0 + range.1).then_some(1)
    }

    fn has_finished(&self, _ticket: u64) -> bool {
        *self.over.lock()
    }

    fn wait_for(self: Arc<Self>, _ticket: u64, deadline: Option<Instant>) -> Wait {
        let mut over = self.over.lock();
        while !*over {
            match deadline {
                None => self.ended.wait(&mut over),
                Some(deadline) if self.ended.wait_until(&mut over, deadline).timed_out() => return Wait::TimedOut,
                Some(_) => {}
            }
        }
        Wait::Done
    }
}
