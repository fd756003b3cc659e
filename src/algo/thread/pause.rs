//! Sleeps that cannot fail, and waits without sleep.

use std::time::Duration;

use rustix::thread::{NanosleepRelativeResult, nanosleep};
use rustix::time::Timespec;

/// Sleeps for about this time; a signal may end it. If the system call fails, yields once, where the standard library
/// panics.
pub fn pause(length: Duration) {
    let longest = Timespec { tv_sec: i64::MAX, tv_nsec: 0 };
    let time = Timespec::try_from(length).unwrap_or(longest);
    if !matches!(nanosleep(&time), NanosleepRelativeResult::Ok) {
        std::thread::yield_now();
    }
}

/// Sleeps between checks, which become longer: 10 us at first, 1 ms at last.
pub struct Backoff(Duration);

impl Default for Backoff {
    fn default() -> Self {
        Self(Duration::from_micros(10))
    }
}

impl Backoff {
    /// Returns the length of the next sleep.
    pub fn length(&mut self) -> Duration {
        let longer = (self.0 * 2).min(Duration::from_millis(1));
        std::mem::replace(&mut self.0, longer)
    }

    /// Sleeps, for at most this long.
    pub fn sleep(&mut self, most: Duration) {
        pause(self.length().min(most));
    }
}

/// Checks this about 200 times, for at most about 7 us, the cost of waking a thread. Returns whether it became true.
pub fn spin_until(done: impl Fn() -> bool) -> bool {
    (0..200).any(|_| {
        std::hint::spin_loop();
        done()
    })
}

#[cfg(test)]
#[path = "pause_tests.rs"]
mod tests;
