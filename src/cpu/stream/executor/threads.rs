//! The threads of an executor: which streams and jobs wait for them, which of them sleep, and whether another one is
//! needed.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::LEAST_PRIORITY;
use crate::algo::thread::quiet_thread::Handle;
use crate::algo::thread::wake_up::WakeUp;
use crate::stream::parallel::Job;
use crate::stream::queue::Queue;

const LEVELS: usize = LEAST_PRIORITY as usize + 1;
/// The time for which a thread that has helped stays awake for the next large operation. It yields its processor all
/// the time. This is several times the cost of a wake-up.
const LINGER: Duration = Duration::from_micros(50);
/// The number of pauses between these yields.
const PAUSES: u32 = 8;

/// The time without a return of a host function after which one more may run.
pub(super) const STARVED: Duration = Duration::from_millis(1);

#[derive(Default)]
pub(super) struct WorkerPool {
    pub ready: [VecDeque<Arc<Queue>>; LEVELS],
    /// The streams whose first operation is a host function that may not run yet.
    pub held: VecDeque<Arc<Queue>>,
    pub jobs: Vec<Arc<Job>>,
    /// The sleeping threads. The last one fell asleep last, so its caches are warm.
    pub sleepers: Vec<Arc<WakeUp>>,
    /// The number of threads that live or are being started.
    pub threads: usize,
    /// The number of threads in user code.
    pub in_user: usize,
    /// The number of host functions that may run at once: as many as threads stay, and more while none returns in time.
    pub permits: usize,
    /// The time when a host function returned, the number of permits grew, or the first stream was held.
    pub progress: Option<Instant>,
    /// True while a sleeping thread watches `held`.
    pub watched: bool,
    pub stopping: bool,
    pub handles: Vec<Handle>,
}

/// Stays awake for a while, if no other thread wants this processor.
pub(super) fn linger(me: &WakeUp) {
    let begin = Instant::now();
    while !me.is_woken() && begin.elapsed() < LINGER {
        std::thread::yield_now();
        pause(PAUSES);
    }
}

pub(super) fn pause(times: u32) {
    (0..times).for_each(|_| std::hint::spin_loop());
}

/// What the caller must do, after the lock is released, so that enough threads serve.
pub(super) enum Wakeup {
    Wake(Arc<WakeUp>),
    Start,
}

impl WorkerPool {
    /// Checks whether another thread is needed, because the calling thread will be busy.
    #[must_use]
    pub(super) fn call_if_needed(&mut self, cores: usize) -> Option<Wakeup> {
        let unwatched = !self.held.is_empty() && !self.watched;
        let ready = self.ready.iter().any(|level| !level.is_empty());
        if ready || unwatched || !self.jobs.is_empty() { self.call_one(cores) } else { None }
    }

    #[must_use]
    pub(super) fn call_one(&mut self, cores: usize) -> Option<Wakeup> {
        // The threads that neither sleep nor run user code serve.
        if self.stopping || self.threads - self.sleepers.len() - self.in_user >= cores {
            return None;
        }
        if let Some(sleeper) = self.sleepers.pop() {
            return Some(Wakeup::Wake(sleeper));
        }
        self.threads += 1;
        Some(Wakeup::Start)
    }

    /// Removes and returns a stream whose host function may run now.
    pub(super) fn pop_held(&mut self) -> Option<Arc<Queue>> {
        if self.held.is_empty() {
            return None;
        }
        if self.in_user >= self.permits {
            if self.progress.is_some_and(|progress| progress.elapsed() < STARVED) {
                return None;
            }
            self.permits += 1 + self.permits / 4;
            self.progress = Some(Instant::now());
        }
        self.held.pop_front()
    }
}
