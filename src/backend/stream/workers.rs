//! Threads of the library that run user code for streams.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use crate::algo::thread::pause::Backoff;
use crate::algo::thread::quiet_thread::{self, Handle};
use crate::algo::thread::wake_up::WakeUp;

/// A job that a thread runs.
type Job = Box<dyn FnOnce() + Send>;

/// As many threads as there are jobs at a time, because a job may keep its thread for any time.
///
/// The system may refuse a thread when a stream reaches a job, and no call can return that. So a job that needs a
/// thread is submitted after [`Workers::ensure_thread`], and started by [`Workers::start_or_queue`]. One thread, once
/// started, stays until the end.
pub struct Workers {
    queue: Arc<Mutex<JobQueue>>,
    /// The name of the threads.
    name: &'static str,
    /// The time after which a thread without a job ends if there are others. `None`: threads stay until the end.
    idle: Option<Duration>,
}

#[derive(Default)]
struct JobQueue {
    /// The jobs that no thread has taken yet. For each one an idle thread was woken or a new one was started. A job of
    /// [`Workers::start_or_queue`] may instead wait until a busy thread finishes its job.
    jobs: VecDeque<Job>,
    /// The threads that wait for a job. Each is woken separately, so that it finds the lock free.
    idle: Vec<Arc<WakeUp>>,
    handles: Vec<Handle>,
    /// The number of threads that have not ended because they were idle.
    threads: usize,
    stopping: bool,
}

impl Workers {
    /// Creates workers without a thread. A thread that has no job for the time `idle` ends if there are others.
    pub fn new(name: &'static str, idle: Option<Duration>) -> Self {
        Self { queue: Arc::default(), name, idle }
    }

    /// Starts a job at once, on a thread that is idle or new. Returns the job if there is no thread.
    pub fn start(&self, job: Job) -> Result<(), Job> {
        let mut state = self.queue.lock();
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
    pub fn start_or_queue(&self, job: Job) {
        let Err(job) = self.start(job) else { return };
        let mut state = self.queue.lock();
        state.jobs.push_back(job);
        // A thread may have ended its job in the meantime.
        let idle = state.idle.pop();
        drop(state);
        if let Some(worker) = idle {
            worker.wake();
        }
    }

    /// Starts a thread if there is none.
    pub fn ensure_thread(&self) -> io::Result<()> {
        let mut state = self.queue.lock();
        if state.have_ended() { self.add_thread(&mut state) } else { Ok(()) }
    }

    fn add_thread(&self, state: &mut JobQueue) -> io::Result<()> {
        let (queue, idle) = (Arc::clone(&self.queue), self.idle);
        if idle.is_some() {
            // A thread that has announced its end ends at once.
            state.handles.extract_if(.., |handle| handle.is_finished()).for_each(Handle::join);
        }
        state.handles.push(quiet_thread::spawn(self.name, move || serve(&queue, idle))?);
        state.threads += 1;
        Ok(())
    }

    /// Ends all threads. Returns false if one of them still runs a job at the deadline.
    pub fn stop(&self, deadline: Instant) -> bool {
        let mut state = self.queue.lock();
        state.stopping = true;
        state.idle.drain(..).for_each(|worker| worker.wake());
        drop(state);
        let mut sleeps = Backoff::default();
        while !self.queue.lock().have_ended() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            sleeps.sleep(left);
        }
        // The lock is free while the threads are joined.
        let handles = std::mem::take(&mut self.queue.lock().handles);
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

    /// Removes a thread from the list of idle ones. Returns false if it has a job now.
    fn is_still_idle(&mut self, me: &Arc<WakeUp>) -> bool {
        let place = self.idle.iter().position(|worker| Arc::ptr_eq(worker, me));
        place.map(|place| self.idle.swap_remove(place)).is_some()
    }
}

fn serve(queue: &Mutex<JobQueue>, idle: Option<Duration>) {
    let me = Arc::new(WakeUp::default());
    let mut state = queue.lock();
    loop {
        if let Some(job) = state.jobs.pop_front() {
            drop(state);
            job();
            state = queue.lock();
        } else if state.stopping {
            return;
        } else {
            state.idle.push(Arc::clone(&me));
            drop(state);
            match idle {
                None => me.wait(),
                Some(idle) => me.wait_for(idle),
            }
            state = queue.lock();
            if !me.is_woken() {
                if !state.is_still_idle(&me) {
                    // The thread that has removed this one from the list is about to wake it.
                    MutexGuard::unlocked(&mut state, || me.wait());
                } else if state.threads > 1 {
                    state.threads -= 1;
                    return;
                }
            }
            // It is not in the list.
            me.reset();
        }
    }
}

#[cfg(test)]
#[path = "workers_tests.rs"]
mod tests;
