//! The threads that run streams.
//!
//! As many threads *serve* (run the library's own operations) as there are cores, if there is work for them. A thread
//! does not serve while it calls user code. Another thread takes its place as soon as there is work, and at least one
//! thread is always outside user code. So a host function that never returns costs a thread and stalls only its own
//! stream.
//!
//! The number of concurrent host functions is limited, because ten thousand short ones would start ten thousand
//! threads. The limit grows while host functions wait and none returns.
//!
//! A thread is woken only if it sleeps and too few threads serve. Threads poll in two cases only. One sleeping thread
//! polls every millisecond while host functions are held back. Threads that have helped with a large operation poll for
//! some microseconds, because programs run kernels one after the other, and waking a thread takes longer than many
//! kernels do.

mod runner;
mod threads;

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use smallvec::SmallVec;

use super::parallel::{Helpers, Job, Work, share};
use super::queue::Queue;
use crate::algo::thread::pause::spin_until;
use crate::algo::thread::per_thread::per_thread;
use crate::algo::thread::quiet_thread::{self, Handle};
use crate::algo::thread::wake_up::WakeUp;
use crate::backend::schedule::Schedule;
use crate::backend::{Fault, Result};
pub(crate) use runner::Runner;
use threads::{STARVED, Wakeup, WorkerPool, linger, pause};

/// The largest number of a stream priority; the others are from 0 on.
pub(crate) const LEAST_PRIORITY: u32 = 7;
/// The number of sleeping threads beyond the number of cores that stay for the next host functions.
const SPARES: usize = 2;
/// The number of operations after which a worker lets other streams go first.
const TURN: u32 = 128;
/// The number of pauses before a thread that has stayed awake runs a stream. The thread that has enqueued a kernel
/// often waits for it at once, and begins to run it in this time. Then two threads run it, without a wake-up.
const HEAD_START: u32 = 16;

per_thread! {
    /// True on a thread of an executor.
    static WORKER: Cell<bool> = Cell::new(false);
}

pub(crate) struct Executor {
    pub cores: usize,
    pool: Mutex<WorkerPool>,
    /// Notified when a thread has ended.
    ended: Condvar,
    /// The number of streams in `ready`, which is read without the lock.
    ready: AtomicUsize,
    /// The number of threads that were started.
    started: AtomicUsize,
    /// The schedule that gives the order in which streams run. `None`: they run as they come.
    schedule: Option<Arc<Schedule>>,
}

/// The next task of a thread.
enum NextTask {
    Stream(Arc<Queue>),
    Job(Arc<Job>),
}

impl Executor {
    /// Creates an executor. With a schedule one operation runs at a time, so one thread serves.
    pub(crate) fn new(cores: usize, schedule: Option<Arc<Schedule>>) -> Arc<Self> {
        let cores = if schedule.is_some() { 1 } else { cores };
        let pool = Mutex::new(WorkerPool { permits: cores + SPARES, ..WorkerPool::default() });
        let (ready, started) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { cores, pool, ended: Condvar::new(), ready, started, schedule })
    }

    /// Starts the first thread. From then on one thread is always outside user code.
    pub(crate) fn ensure_started(self: &Arc<Self>) -> Result<()> {
        let mut pool = self.pool.lock();
        if pool.threads > 0 {
            return Ok(());
        }
        pool.threads += 1;
        drop(pool);
        self.start()
    }

    /// Lists a stream, which its owner has marked as listed.
    pub(crate) fn push(self: &Arc<Self>, queue: Arc<Queue>) {
        self.push_all(std::iter::once(queue));
    }

    fn push_all(self: &Arc<Self>, queues: impl Iterator<Item = Arc<Queue>>) {
        if let Some(schedule) = &self.schedule {
            return self.push_scheduled(schedule, queues);
        }
        let mut calls = SmallVec::<[Wakeup; 2]>::new();
        let mut pool = self.pool.lock();
        for queue in queues {
            let level = queue.priority.load(Ordering::Relaxed).min(LEAST_PRIORITY) as usize;
            pool.ready[level].push_back(queue);
            self.ready.fetch_add(1, Ordering::Relaxed);
            calls.extend(pool.call_one(self.cores));
        }
        drop(pool);
        self.answer(calls);
    }

    /// Lists streams whose order a schedule chooses. They run one operation and are listed again. The thread that
    /// serves waits in the schedule.
    fn push_scheduled(&self, schedule: &Schedule, queues: impl Iterator<Item = Arc<Queue>>) {
        for queue in queues {
            let (id, operation) = (queue.id, queue.first_operation());
            self.pool.lock().ready[0].push_back(queue);
            schedule.add(id, operation);
        }
    }

    /// Ends all threads. Returns false if one is still in user code after `patience`, which only the first call waits.
    pub(crate) fn stop(&self, patience: Duration) -> bool {
        let mut pool = self.pool.lock();
        let again = std::mem::replace(&mut pool.stopping, true);
        self.schedule.iter().for_each(|schedule| schedule.stop());
        let deadline = Instant::now() + if again { Duration::ZERO } else { patience };
        for sleeper in std::mem::take(&mut pool.sleepers) {
            sleeper.wake();
        }
        while pool.threads > 0 {
            if self.ended.wait_until(&mut pool, deadline).timed_out() {
                break;
            }
        }
        let all = pool.threads == 0;
        let handles = std::mem::take(&mut pool.handles);
        let (queues, held) = (std::mem::take(&mut pool.ready), std::mem::take(&mut pool.held));
        drop(pool);
        drop((queues, held));
        for handle in handles {
            // A thread that has announced its end ends at once.
            if all || handle.is_finished() {
                handle.join();
            }
        }
        all
    }

    fn answer(self: &Arc<Self>, calls: impl IntoIterator<Item = Wakeup>) {
        for call in calls {
            match call {
                Wakeup::Wake(sleeper) => sleeper.wake(),
                // If no thread can be created, the others do the work later.
                Wakeup::Start => drop(self.start()),
            }
        }
    }

    /// Starts a thread that is counted already.
    fn start(self: &Arc<Self>) -> Result<()> {
        let number = self.started.fetch_add(1, Ordering::Relaxed) + 1;
        let executor = Arc::clone(self);
        // Three digits fit into a thread's name.
        let name = format!("portacl-cpu-{}", number % 1000);
        match quiet_thread::spawn(&name, move || executor.serve()) {
            Ok(handle) => {
                let mut pool = self.pool.lock();
                let over: Vec<_> = pool.handles.extract_if(.., |handle| handle.is_finished()).collect();
                pool.handles.push(handle);
                drop(pool);
                over.into_iter().for_each(Handle::join);
                Ok(())
            }
            Err(error) => {
                let mut pool = self.pool.lock();
                pool.threads -= 1;
                self.ended.notify_all();
                Err(Fault::no_thread(&format!("for streams (running already: {})", pool.threads), &error))
            }
        }
    }

    /// The main function of a thread.
    fn serve(self: Arc<Self>) {
        /// Uncounts the thread, also after a panic.
        struct Counted<'a>(&'a Executor);
        impl Drop for Counted<'_> {
            fn drop(&mut self) {
                self.0.pool.lock().threads -= 1;
                self.0.ended.notify_all();
            }
        }

        WORKER.set(true);
        let _counted = Counted(&self);
        let mut runner = Runner::new(&self, false);
        let mut has_helped = false;
        while let Some(task) = self.next(has_helped) {
            match task {
                NextTask::Job(job) => {
                    job.help();
                    has_helped = true;
                }
                NextTask::Stream(queue) => {
                    if has_helped {
                        pause(HEAD_START);
                    }
                    if let Some(claim) = queue.operations.claim_listed() {
                        runner.run(&queue, claim);
                        has_helped = false;
                    }
                    self.schedule.iter().for_each(|schedule| schedule.end_turn());
                }
            }
        }
    }

    /// Returns the next task of the calling thread, or `None` if the thread must end.
    fn next(self: &Arc<Self>, has_helped: bool) -> Option<NextTask> {
        if let Some(schedule) = &self.schedule {
            let id = schedule.next()?;
            let ready = &mut self.pool.lock().ready[0];
            let place = ready.iter().position(|queue| queue.id == id);
            return ready.remove(place?).map(NextTask::Stream);
        }
        let mut pool = self.pool.lock();
        loop {
            if pool.stopping {
                return None;
            }
            if let Some(job) = pool.jobs.iter().find(|job| job.has_shares()) {
                return Some(NextTask::Job(Arc::clone(job)));
            }
            if let Some(queue) = pool.pop_held() {
                return Some(NextTask::Stream(queue));
            }
            if let Some(queue) = pool.ready.iter_mut().find_map(VecDeque::pop_front) {
                self.ready.fetch_sub(1, Ordering::Relaxed);
                // Each woken thread wakes the next one: one wake-up for each thread, not for each stream.
                let call = pool.call_if_needed(self.cores);
                drop(pool);
                self.answer(call);
                return Some(NextTask::Stream(queue));
            }
            if pool.sleepers.len() >= self.cores + SPARES {
                return None;
            }
            pool = self.sleep(pool, has_helped);
        }
    }

    fn sleep<'a>(&'a self, mut pool: MutexGuard<'a, WorkerPool>, has_helped: bool) -> MutexGuard<'a, WorkerPool> {
        let me = Arc::new(WakeUp::default());
        pool.sleepers.push(Arc::clone(&me));
        let watching = !pool.held.is_empty() && !pool.watched;
        pool.watched |= watching;
        drop(pool);
        if self.cores > 1 {
            spin_until(|| me.is_woken());
            if has_helped {
                linger(&me);
            }
        }
        if watching {
            me.wait_for(STARVED);
        } else {
            me.wait();
        }
        let mut pool = self.pool.lock();
        if watching {
            pool.watched = false;
        }
        if !me.is_woken() {
            pool.sleepers.retain(|sleeper| !Arc::ptr_eq(sleeper, &me));
        }
        pool
    }

    /// Offers a job to idle threads, and wakes at most `helpers` of them.
    fn offer(self: &Arc<Self>, job: &Arc<Job>, helpers: usize) {
        let mut pool = self.pool.lock();
        pool.jobs.push(Arc::clone(job));
        // The owner works too. It is counted already if it is a thread of the executor.
        let cores = self.cores - usize::from(!WORKER.get());
        let calls: Vec<_> = (0..helpers).map_while(|_| pool.call_one(cores)).collect();
        drop(pool);
        self.answer(calls);
    }

    #[cfg(test)]
    pub(crate) fn threads(&self) -> usize {
        self.pool.lock().threads
    }
}

impl Helpers for Arc<Executor> {
    fn parallel_on(&self, threads: usize, count: usize, work: &Work<'_>) {
        if count < 2 || self.cores < 2 {
            return (0..count).for_each(work);
        }
        let helpers = count.min(threads.max(1)) - 1;
        let withdraw = |job: &Arc<Job>| self.pool.lock().jobs.retain(|other| !Arc::ptr_eq(other, job));
        share(count, work, |job| self.offer(job, helpers), withdraw);
    }
}
