//! Threads of the library that run user code for streams.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

use crate::algo::thread::pause::Backoff;
use crate::algo::thread::quiet_thread::{self, Handle};
use crate::algo::thread::wake_up::WakeUp;

/// A job that a thread runs.
type Job = Box<dyn FnOnce() + Send>;

/// As many threads as there are jobs at a time, because a job may keep its thread for any time. Threads stay until the
/// end.
///
/// The system may refuse a thread when a stream reaches a job, and no call can return that. So a job that needs a
/// thread is submitted after [`Workers::ensure_thread`], and started by [`Workers::start_or_queue`].
#[derive(Default)]
pub(crate) struct Workers(Arc<Mutex<JobQueue>>);

#[derive(Default)]
struct JobQueue {
    /// The jobs that no thread has taken yet. For each one an idle thread was woken or a new one was started. A job of
    /// [`Workers::start_or_queue`] may instead wait until a busy thread finishes its job.
    jobs: VecDeque<Job>,
    /// The threads that wait for a job. Each is woken separately, so that it finds the lock free.
    idle: Vec<Arc<WakeUp>>,
    handles: Vec<Handle>,
    stopping: bool,
}

impl Workers {
    /// Starts a job at once, on a thread that is idle or new. Returns the job if there is no thread.
    pub(crate) fn start(&self, job: Job) -> Result<(), Job> {
        let mut state = self.0.lock();
        if let Some(worker) = state.idle.pop() {
            state.jobs.push_back(job);
            drop(state);
            worker.wake();
            return Ok(());
        }
        // The new thread waits for the lock and then finds the job.
        ensure!(self.add_thread(&mut state).is_ok(), job);
        state.jobs.push_back(job);
        Ok(())
    }

    /// Starts a job at once, on a thread that is idle or new. If no thread can be started, the job runs on the next
    /// thread that becomes free. The caller has called [`Self::ensure_thread`].
    pub(crate) fn start_or_queue(&self, job: Job) {
        let Err(job) = self.start(job) else { return };
        let mut state = self.0.lock();
        state.jobs.push_back(job);
        // A thread may have ended its job in the meantime.
        let idle = state.idle.pop();
        drop(state);
        if let Some(worker) = idle {
            worker.wake();
        }
    }

    /// Starts a thread if there is none.
    pub(crate) fn ensure_thread(&self) -> io::Result<()> {
        let mut state = self.0.lock();
        if state.have_ended() { self.add_thread(&mut state) } else { Ok(()) }
    }

    fn add_thread(&self, state: &mut JobQueue) -> io::Result<()> {
        let shared = Arc::clone(&self.0);
        state.handles.push(quiet_thread::spawn("portacl-host-fn", move || serve(&shared))?);
        Ok(())
    }

    /// Ends all threads. Returns false if one of them still runs a job at the deadline.
    pub(crate) fn stop(&self, deadline: Instant) -> bool {
        let mut state = self.0.lock();
        state.stopping = true;
        state.idle.drain(..).for_each(|worker| worker.wake());
        drop(state);
        let mut sleeps = Backoff::default();
        while !self.0.lock().have_ended() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            sleeps.sleep(left);
        }
        // The lock is free while the threads are joined.
        let handles = std::mem::take(&mut self.0.lock().handles);
        for handle in handles {
            handle.join();
        }
        true
    }
}

impl JobQueue {
    /// Whether no thread is left.
    fn have_ended(&self) -> bool {
        self.handles.iter().all(Handle::is_finished)
    }
}

fn serve(shared: &Mutex<JobQueue>) {
    let me = Arc::new(WakeUp::default());
    let mut state = shared.lock();
    loop {
        if let Some(job) = state.jobs.pop_front() {
            drop(state);
            job();
            state = shared.lock();
        } else if state.stopping {
            return;
        } else {
            state.idle.push(Arc::clone(&me));
            drop(state);
            me.wait();
            // It is not in the list.
            me.reset();
            state = shared.lock();
        }
    }
}

#[cfg(test)]
#[path = "workers_tests.rs"]
mod tests;
