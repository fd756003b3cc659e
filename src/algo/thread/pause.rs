//! Sleeping that cannot fail.

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

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn it_takes_as_long_as_it_says() {
        let (began, length) = (Instant::now(), Duration::from_millis(3));
        pause(length);
        assert!(began.elapsed() >= length);
    }
}
