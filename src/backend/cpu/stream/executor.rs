//! The threads that run streams.
//!
//! As many threads *serve* (run the library's own operations) as there are cores, if there is work for them. A thread
//! that calls user code does not serve meanwhile: another one takes its place as soon as there is work, and at least
//! one thread is always outside user code. So a host function that never returns costs a thread and stalls its own
//! stream only.
//!
//! The number of concurrent host functions is limited, because ten thousand short ones would start ten thousand
//! threads; the limit grows while host functions wait and none returns.
//!
//! A thread is woken only if it sleeps and too few serve. No thread polls, except one sleeping thread, every
//! millisecond, while host functions are held back, and threads that have helped with a large operation, for some
//! microseconds: programs run kernels one after the other, and waking a thread takes longer than many of these do.

mod runner;

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{JoinHandle, Thread};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::parallel::{Crew, Helpers, Job, Work, share};
use super::queue::Queue;
use crate::algo::thread::per_thread::per_thread;
use crate::algo::thread::quiet_thread;
use crate::backend::{Fault, FaultKind, Result};
pub use runner::{Entry, Runner};

/// Stream priorities: 0 to this.
pub const LEAST_PRIORITY: u32 = 7;
const LEVELS: usize = LEAST_PRIORITY as usize + 1;
/// Sleeping threads beyond the number of cores that stay for the next host functions.
const SPARES: usize = 2;
/// After this long without a return of a host function, one more may run.
const STARVED: Duration = Duration::from_millis(1);
/// After this many operations a worker lets other streams go first.
const TURN: u32 = 128;
/// Pauses before a thread without work sleeps.
const SPINS: u32 = 200;
/// How long a thread that has helped stays awake for the next large operation, yielding its processor all the time:
/// several times the cost of a wake-up.
const LINGER: Duration = Duration::from_micros(50);
/// Pauses between these yields.
const PAUSES: u32 = 8;
/// Pauses before a thread that has stayed awake runs a stream: the thread that has queued a kernel often waits for it
/// at once, and begins with it meanwhile. Then two threads run it, without a wake-up.
const HEAD_START: u32 = 16;

per_thread! {
    /// This is a thread of an executor.
    static WORKER: Cell<bool> = Cell::new(false);
}

pub struct Executor {
    pub cores: usize,
    pool: Mutex<Pool>,
    /// A thread has ended.
    ended: Condvar,
    /// Number of streams in `ready`, to read without the lock.
    ready: AtomicUsize,
}

struct Pool {
    ready: [VecDeque<Arc<Queue>>; LEVELS],
    /// Streams whose first operation is a host function that may not run yet.
    held: VecDeque<Arc<Queue>>,
    jobs: Vec<Arc<Job>>,
    /// The last one fell asleep last: its caches are warm.
    sleepers: Vec<Arc<Sleeper>>,
    /// Threads that live or are being started.
    threads: usize,
    /// Threads in user code.
    in_user: usize,
    /// How many host functions may run at once.
    permits: usize,
    /// When a host function returned, or the number of permits grew.
    progress: Instant,
    /// A sleeping thread watches `held`.
    watched: bool,
    stopping: bool,
    handles: Vec<JoinHandle<()>>,
    started: usize,
}

/// A thread that sleeps or is about to.
struct Sleeper {
    woken: AtomicBool,
    thread: Thread,
}

impl Sleeper {
    fn wake(&self) {
        self.woken.store(true, Ordering::Release);
        // A thread that still spins is not asleep for the standard library either: no system call.
        self.thread.unpark();
    }

    fn is_woken(&self) -> bool {
        self.woken.load(Ordering::Acquire)
    }

    /// Stays awake for a while, if no other thread wants this processor.
    fn linger(&self) {
        let begin = Instant::now();
        while !self.is_woken() && begin.elapsed() < LINGER {
            std::thread::yield_now();
            pause(PAUSES);
        }
    }
}

fn pause(times: u32) {
    (0..times).for_each(|_| std::hint::spin_loop());
}

/// The next task of a thread.
enum Task {
    Stream(Arc<Queue>),
    Job(Arc<Job>),
    End,
}

/// What must be done, after the lock is released, so that enough threads serve.
#[must_use]
enum Call {
    Nobody,
    Wake(Arc<Sleeper>),
    Start,
}

impl Pool {
    /// The calling thread will be busy: checks whether another one is needed.
    fn call_if_needed(&mut self, cores: usize) -> Call {
        let unwatched = !self.held.is_empty() && !self.watched;
        let ready = self.ready.iter().any(|level| !level.is_empty());
        if ready || unwatched || !self.jobs.is_empty() { self.call_one(cores) } else { Call::Nobody }
    }

    fn serving(&self) -> usize {
        self.threads - self.sleepers.len() - self.in_user
    }

    fn call_one(&mut self, cores: usize) -> Call {
        if self.stopping || self.serving() >= cores {
            return Call::Nobody;
        }
        if let Some(sleeper) = self.sleepers.pop() {
            return Call::Wake(sleeper);
        }
        self.threads += 1;
        Call::Start
    }

    fn pop_ready(&mut self) -> Option<Arc<Queue>> {
        self.ready.iter_mut().find_map(VecDeque::pop_front)
    }
}

impl Executor {
    pub fn new(cores: usize) -> Arc<Self> {
        Arc::new(Self {
            cores,
            pool: Mutex::new(Pool {
                ready: Default::default(),
                held: VecDeque::new(),
                jobs: Vec::new(),
                sleepers: Vec::new(),
                threads: 0,
                in_user: 0,
                permits: base_permits(cores),
                progress: Instant::now(),
                watched: false,
                stopping: false,
                handles: Vec::new(),
                started: 0,
            }),
            ended: Condvar::new(),
            ready: AtomicUsize::new(0),
        })
    }

    /// Starts the first thread: from then on there is always one outside user code.
    pub fn ensure_started(self: &Arc<Self>) -> Result<()> {
        let mut pool = self.pool.lock();
        if pool.threads > 0 {
            return Ok(());
        }
        pool.threads += 1;
        drop(pool);
        self.start()
    }

    /// Lists a stream; its owner has marked it as listed.
    pub fn push(self: &Arc<Self>, queue: Arc<Queue>) {
        self.push_all(std::iter::once(queue));
    }

    fn push_all(self: &Arc<Self>, queues: impl Iterator<Item = Arc<Queue>>) {
        let mut calls = Vec::new();
        let mut pool = self.pool.lock();
        for queue in queues {
            let level = queue.priority().min(LEAST_PRIORITY) as usize;
            pool.ready[level].push_back(queue);
            self.ready.fetch_add(1, Ordering::Relaxed);
            match pool.call_one(self.cores) {
                Call::Nobody => {}
                call => calls.push(call),
            }
        }
        drop(pool);
        for call in calls {
            self.answer(call);
        }
    }

    /// Ends all threads; false if one is still in user code after `patience` (for the first call; later ones do not
    /// wait).
    pub fn stop(&self, patience: Duration) -> bool {
        let mut pool = self.pool.lock();
        let again = std::mem::replace(&mut pool.stopping, true);
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
                let _ = handle.join();
            }
        }
        all
    }

    fn answer(self: &Arc<Self>, call: Call) {
        match call {
            Call::Nobody => {}
            Call::Wake(sleeper) => sleeper.wake(),
            // If no thread can be created, the others do the work, later.
            Call::Start => drop(self.start()),
        }
    }

    /// Starts a thread that is counted already.
    fn start(self: &Arc<Self>) -> Result<()> {
        let number = {
            let mut pool = self.pool.lock();
            pool.started += 1;
            pool.started
        };
        let executor = Arc::clone(self);
        // Three digits fit into a thread's name.
        let name = format!("portacl-cpu-{}", number % 1000);
        match quiet_thread::spawn(&name, move || executor.serve()) {
            Ok(handle) => {
                let mut pool = self.pool.lock();
                let (over, live) =
                    std::mem::take(&mut pool.handles).into_iter().partition::<Vec<_>, _>(JoinHandle::is_finished);
                pool.handles = live;
                pool.handles.push(handle);
                drop(pool);
                over.into_iter().for_each(|handle| drop(handle.join()));
                Ok(())
            }
            Err(error) => {
                let mut pool = self.pool.lock();
                pool.threads -= 1;
                self.ended.notify_all();
                Err(Fault::new(
                    FaultKind::OutOfResources,
                    format!("no thread can be started ({} run already): {error}", pool.threads),
                ))
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
        let mut runner = Runner::worker(&self);
        let mut has_helped = false;
        loop {
            match self.next(has_helped) {
                Task::End => break,
                Task::Job(job) => {
                    job.help();
                    has_helped = true;
                }
                Task::Stream(queue) => {
                    if has_helped {
                        pause(HEAD_START);
                    }
                    if let Some(claim) = queue.operations.claim_listed() {
                        runner.run(&queue, claim);
                        has_helped = false;
                    }
                }
            }
        }
    }

    fn next(self: &Arc<Self>, has_helped: bool) -> Task {
        let mut pool = self.pool.lock();
        loop {
            if pool.stopping {
                return Task::End;
            }
            if let Some(job) = pool.jobs.iter().find(|job| job.has_pieces()) {
                return Task::Job(Arc::clone(job));
            }
            if let Some(queue) = self.pop_held(&mut pool) {
                return Task::Stream(queue);
            }
            if let Some(queue) = pool.pop_ready() {
                self.ready.fetch_sub(1, Ordering::Relaxed);
                // Each woken thread wakes the next one: one wake-up for each thread, not for each stream.
                let call = pool.call_if_needed(self.cores);
                drop(pool);
                self.answer(call);
                return Task::Stream(queue);
            }
            if pool.sleepers.len() >= self.cores + SPARES {
                return Task::End;
            }
            pool = self.sleep(pool, has_helped);
        }
    }

    /// A stream whose host function may run now.
    fn pop_held(&self, pool: &mut Pool) -> Option<Arc<Queue>> {
        if pool.held.is_empty() {
            return None;
        }
        if pool.in_user >= pool.permits {
            if pool.progress.elapsed() < STARVED {
                return None;
            }
            pool.permits += 1 + pool.permits / 4;
            pool.progress = Instant::now();
        }
        pool.held.pop_front()
    }

    #[expect(clippy::disallowed_methods, reason = "parks an executor's thread, never one of the program")]
    fn sleep<'a>(&'a self, mut pool: MutexGuard<'a, Pool>, has_helped: bool) -> MutexGuard<'a, Pool> {
        let me = Arc::new(Sleeper { woken: AtomicBool::new(false), thread: std::thread::current() });
        pool.sleepers.push(Arc::clone(&me));
        let watching = !pool.held.is_empty() && !pool.watched;
        pool.watched |= watching;
        drop(pool);
        if self.cores > 1 {
            for _ in 0..SPINS {
                if me.is_woken() {
                    break;
                }
                std::hint::spin_loop();
            }
            if has_helped {
                me.linger();
            }
        }
        while !me.is_woken() {
            if watching {
                std::thread::park_timeout(STARVED);
                break;
            }
            std::thread::park();
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

    /// A thread wants to call a host function.
    fn enter_user_code(self: &Arc<Self>) -> Entry {
        let mut pool = self.pool.lock();
        if pool.in_user >= pool.permits {
            return Entry::NotNow;
        }
        if pool.threads == pool.in_user + 1 {
            // It is the last thread outside user code, so another one is needed first.
            pool.threads += 1;
            drop(pool);
            if let Err(fault) = self.start() {
                return Entry::Failed(fault);
            }
            pool = self.pool.lock();
        }
        pool.in_user += 1;
        let call = pool.call_if_needed(self.cores);
        drop(pool);
        self.answer(call);
        Entry::Granted
    }

    fn leave_user_code(self: &Arc<Self>) {
        let mut pool = self.pool.lock();
        pool.in_user -= 1;
        if pool.held.is_empty() {
            if pool.in_user < self.cores {
                pool.permits = base_permits(self.cores);
            }
            return;
        }
        // One more may run, and this thread may have other work first.
        pool.progress = Instant::now();
        let call = pool.call_one(self.cores);
        drop(pool);
        self.answer(call);
    }

    fn hold(self: &Arc<Self>, queue: Arc<Queue>) {
        let mut pool = self.pool.lock();
        if pool.held.is_empty() {
            pool.progress = Instant::now();
        }
        pool.held.push_back(queue);
    }

    #[cfg(test)]
    pub fn threads(&self) -> usize {
        self.pool.lock().threads
    }
}

impl Crew for Arc<Executor> {
    fn cores(&self) -> usize {
        self.cores
    }

    fn offer(&self, job: &Arc<Job>, helpers: usize) {
        let mut calls = Vec::new();
        let mut pool = self.pool.lock();
        pool.jobs.push(Arc::clone(job));
        // The owner works too; it is counted already if it is a thread of the executor.
        let cores = self.cores - usize::from(!WORKER.get());
        for _ in 0..helpers {
            match pool.call_one(cores) {
                Call::Nobody => break,
                call => calls.push(call),
            }
        }
        drop(pool);
        for call in calls {
            self.answer(call);
        }
    }

    fn withdraw(&self, job: &Arc<Job>) {
        self.pool.lock().jobs.retain(|other| !Arc::ptr_eq(other, job));
    }
}

impl Helpers for Arc<Executor> {
    fn parallel_on(&self, threads: usize, count: usize, work: &Work<'_>) {
        share(self, threads, count, work);
    }
}

/// How many host functions may run at once while they return in time.
fn base_permits(cores: usize) -> usize {
    cores + SPARES
}
