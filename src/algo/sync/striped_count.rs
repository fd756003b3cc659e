//! A count that many threads raise at any time, and that is summed rarely.
//!
//! The first threads of a process, which do most of the work in most programs, have a private stripe each: raising it
//! is a load and a store. The others share stripes, at a locked instruction each.

use std::array;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

use super::reclaim::{heavy_barrier, light_barrier};

/// How many threads have a private stripe.
const OWN: usize = 32;
/// The stripes that the others share.
const SHARED: usize = 32;

/// See the module's text.
pub struct StripedCount {
    own: [CachePadded<AtomicU64>; OWN],
    shared: [CachePadded<AtomicU64>; SHARED],
}

impl StripedCount {
    /// Adds one. `thread` is the calling thread's number, which is never reused; the thread is pinned.
    ///
    /// Of a thread that raises a count and then reads something, and one that changes that and then reads the
    /// [`Self::exact_total`], at least one sees the other's change.
    #[inline]
    pub fn raise(&self, thread: usize) {
        match self.own.get(thread) {
            Some(own) => own.store(own.load(Ordering::Relaxed) + 1, Ordering::Release),
            None => _ = self.shared[thread % SHARED].fetch_add(1, Ordering::Release),
        }
        light_barrier();
    }

    /// The sum. Concurrent changes may be missing.
    pub fn total(&self) -> u64 {
        let stripes = self.own.iter().chain(&self.shared);
        stripes.map(|stripe| stripe.load(Ordering::Acquire)).sum()
    }

    /// The sum, for a caller that has changed something before: see [`Self::raise`].
    pub fn exact_total(&self) -> u64 {
        heavy_barrier();
        self.total()
    }
}

impl Default for StripedCount {
    fn default() -> Self {
        Self { own: array::from_fn(|_| CachePadded::default()), shared: array::from_fn(|_| CachePadded::default()) }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use super::*;
    use crate::algo::sync::reclaim::pin;

    #[test]
    fn nothing_is_lost_whoever_raises_it() {
        const EACH: u64 = 10_000;
        let count = StripedCount::default();
        let numbers = [0, OWN - 1, OWN, OWN + SHARED, OWN + 1];
        thread::scope(|scope| {
            for number in numbers {
                let count = &count;
                scope.spawn(move || {
                    let _pin = pin();
                    (0..EACH).for_each(|_| count.raise(number));
                });
            }
        });
        assert_eq!(count.total(), EACH * numbers.len() as u64);
    }

    #[test]
    fn who_raises_it_and_who_closes_do_not_miss_each_other() {
        for thread in [0, OWN] {
            for _ in 0..2_000 {
                let (count, closed) = (StripedCount::default(), AtomicBool::new(false));
                let begin = Barrier::new(2);
                let (saw_closed, saw_raised) = thread::scope(|scope| {
                    let raises = scope.spawn(|| {
                        let _pin = pin();
                        begin.wait();
                        count.raise(thread);
                        closed.load(Ordering::Relaxed)
                    });
                    drop(pin());
                    begin.wait();
                    closed.store(true, Ordering::Relaxed);
                    let saw_raised = count.exact_total() > 0;
                    (raises.join().expect("a thread panicked"), saw_raised)
                });
                assert!(saw_closed || saw_raised, "thread {thread}");
            }
        }
    }
}
