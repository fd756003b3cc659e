//! Runs one large operation in parts on several threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::algo::sync::event_count::EventCount;
use crate::algo::thread::pause::spin_until;

/// The maximum number of threads for memory: more do not make it faster.
const MAX_THREADS: usize = 8;

/// The function that is called for each part of an operation.
pub(crate) type Work<'a> = dyn Fn(usize) + Sync + 'a;

/// Work that several threads share. They begin its parts in order.
pub(crate) struct Job {
    /// The owner's closure. It is valid until `finished == count`, which the owner waits for. It is only called for a
    /// part that was begun and is not finished.
    work: *const Work<'static>,
    count: usize,
    begun: AtomicUsize,
    finished: AtomicUsize,
    panicked: AtomicBool,
    done: EventCount,
}

// SAFETY: the closure behind `work` is Sync, and outlives every use as its comment says; all else
// is Send and Sync by itself.
unsafe impl Send for Job {}
// SAFETY: shared access takes indices by atomic operations and calls the closure, which is Sync.
unsafe impl Sync for Job {}

impl Job {
    pub(crate) fn has_shares(&self) -> bool {
        self.begun.load(Ordering::Relaxed) < self.count
    }

    /// Runs parts until none is left to begin.
    pub(crate) fn help(&self) {
        loop {
            let piece = self.begun.fetch_add(1, Ordering::Relaxed);
            if piece >= self.count {
                return;
            }
            // SAFETY: this piece was begun and is not finished, so the owner still waits.
            let work = unsafe { &*self.work };
            if catch_unwind(AssertUnwindSafe(|| work(piece))).is_err() {
                self.panicked.store(true, Ordering::Relaxed);
            }
            if self.finished.fetch_add(1, Ordering::Release) + 1 == self.count {
                self.done.notify_all();
            }
        }
    }
}

/// The threads that help with a large operation.
pub(crate) trait Helpers: Send + Sync {
    /// Calls `work` once for each number less than `count`, on this thread and on idle ones, at most `threads` in
    /// total. Returns when all calls have returned.
    fn parallel_on(&self, threads: usize, count: usize, work: &Work<'_>);

    /// Calls `work` once for each number less than `count`, on this thread and on as many idle ones as memory needs.
    /// Returns when all calls have returned.
    fn parallel(&self, count: usize, work: &Work<'_>) {
        self.parallel_on(MAX_THREADS, count, work);
    }
}

/// Calls `work` once for each number less than `count`, on this thread and on those that take the job. The job is
/// offered to them, and withdrawn when it has no part left to begin.
pub(crate) fn share(count: usize, work: &Work<'_>, offer: impl FnOnce(&Arc<Job>), withdraw: impl FnOnce(&Arc<Job>)) {
    // SAFETY: only the lifetime changes. The reference is not used after this call returns: see `Job::work`, and the
    // wait below, which nothing skips.
    let work = unsafe { std::mem::transmute::<&Work<'_>, &Work<'static>>(work) };
    let job = Arc::new(Job {
        work,
        count,
        begun: AtomicUsize::new(0),
        finished: AtomicUsize::new(0),
        panicked: AtomicBool::new(false),
        done: EventCount::new(),
    });
    offer(&job);
    job.help();
    withdraw(&job);
    let is_done = || job.finished.load(Ordering::Acquire) == count;
    if !spin_until(is_done) {
        job.done.wait_for(None, is_done);
    }
    assert!(!job.panicked.load(Ordering::Relaxed), "a piece of a large operation failed");
}
