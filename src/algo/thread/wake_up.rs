//! A call that one thread of the library waits for. Unlike `std::thread::park` it needs no memory.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::thread::futex;

/// The thread was not woken, and may still spin.
const AWAKE: u32 = 0;
const WOKEN: u32 = 1;
/// The thread sleeps, or is about to.
const ASLEEP: u32 = 2;

/// Wakes one thread, once until [`Self::reset`].
#[derive(Default)]
pub struct WakeUp(AtomicU32);

impl WakeUp {
    /// Wakes the thread. This makes no system call if it is not asleep.
    pub fn wake(&self) {
        // Release: pairs with the Acquire in `is_woken`.
        if self.0.swap(WOKEN, Ordering::AcqRel) == ASLEEP {
            // A failure means that the thread does not sleep.
            let _ = futex::wake(&self.0, futex::Flags::PRIVATE, 1);
        }
    }

    /// Whether the thread was woken.
    pub fn is_woken(&self) -> bool {
        self.0.load(Ordering::Acquire) == WOKEN
    }

    /// Sleeps until the thread is woken. Only one thread waits.
    pub fn wait(&self) {
        while !self.is_woken() {
            self.sleep(None);
        }
    }

    /// Sleeps until the thread is woken, for about `limit` at most.
    pub fn wait_for(&self, limit: Duration) {
        self.sleep(Some(limit));
        // It is awake, so that `wake` makes no system call. A failure means that it was woken.
        let _ = self.0.compare_exchange(ASLEEP, AWAKE, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn sleep(&self, limit: Option<Duration>) {
        let asleep = self.0.compare_exchange(AWAKE, ASLEEP, Ordering::Relaxed, Ordering::Acquire);
        if asleep == Err(WOKEN) {
            return;
        }
        let limit = limit.and_then(|limit| limit.try_into().ok());
        // It returns early when the value has changed, or for a signal.
        let _ = futex::wait(&self.0, futex::Flags::PRIVATE, ASLEEP, limit.as_ref());
    }

    /// The thread can be woken again. No other thread knows it at this time.
    pub fn reset(&self) {
        self.0.store(AWAKE, Ordering::Relaxed);
    }
}

#[cfg(test)]
#[path = "wake_up_tests.rs"]
mod tests;
