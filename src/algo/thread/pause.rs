//! Sleeping for a while, whatever the system says about that.

use std::time::Duration;

/// Sleeps for about so long; a signal may end it. Where the system refuses, the processor is given away
/// once: the standard library panics there.
pub fn pause(length: Duration) {
    let time = libc::timespec {
        tv_sec: libc::time_t::try_from(length.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: length.subsec_nanos().into(),
    };
    // SAFETY: a time, and no room for what is left of it.
    if unsafe { libc::nanosleep(&raw const time, std::ptr::null_mut()) } != 0 {
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
