//! Sleeping that cannot fail, and waiting without sleep.

use std::time::Duration;

use rustix::thread::{NanosleepRelativeResult, nanosleep};
use rustix::time::Timespec;

/// Sleeps for about this long; a signal may end it. If the system call fails this yields once: the standard library
/// panics there.
pub fn pause(length: Duration) {
    let longest = Timespec { tv_sec: i64::MAX, tv_nsec: 0 };
    let time = Timespec::try_from(length).unwrap_or(longest);
    if !matches!(nanosleep(&time), NanosleepRelativeResult::Ok) {
        std::thread::yield_now();
    }
}

/// Checks this about 200 times, at most for about 7 us, the cost of waking a thread. Whether it became true.
pub fn spin_until(done: impl Fn() -> bool) -> bool {
    (0..200).any(|_| {
        std::hint::spin_loop();
        done()
    })
}

#[cfg(test)]
#[path = "pause_tests.rs"]
mod tests;
