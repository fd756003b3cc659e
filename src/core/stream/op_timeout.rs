//! Timeouts of operators and of waits of streams. The settings belong to the process, the last call wins, and aclInit
//! and aclFinalize do not change them.
//!
//! The timeout of operators is only stored, for libraries that query it. aclrtStreamWaitEvent applies the timeout of
//! waits.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// The unit of timeouts that are set in microseconds: 10 s.
pub const INTERVAL_US: u64 = 10_000_000;
/// Maximum number of such units: 42 minutes and 20 seconds.
const MOST_INTERVALS: u64 = 254;

/// The timeout of operators in microseconds; 0: never set.
static EXECUTE: AtomicU64 = AtomicU64::new(0);
/// The timeout of waits in seconds; 0: no timeout.
static WAIT: AtomicU32 = AtomicU32::new(0);

/// Implements aclrtSetOpExecuteTimeOut and aclrtSetOpExecuteTimeOutWithMs.
pub fn set_execute(timeout: Duration) {
    EXECUTE.store(timeout.as_micros() as u64, Ordering::Relaxed);
}

/// Implements aclrtSetOpExecuteTimeOutV2: returns the timeout that was set, a whole number of intervals.
pub fn set_execute_us(us: u64) -> u64 {
    let actual = us.div_ceil(INTERVAL_US).clamp(1, MOST_INTERVALS) * INTERVAL_US;
    EXECUTE.store(actual, Ordering::Relaxed);
    actual
}

/// Implements aclrtGetOpExecuteTimeout: returns the timeout in milliseconds, rounded up and limited to 32 bits.
pub fn execute_ms() -> u32 {
    let ms = EXECUTE.load(Ordering::Relaxed).div_ceil(1000);
    u32::try_from(ms).unwrap_or(u32::MAX)
}

/// Implements aclrtSetOpWaitTimeout.
pub fn set_wait_seconds(seconds: u32) {
    WAIT.store(seconds, Ordering::Relaxed);
}

/// Returns the timeout of waits without a private one; `None`: no timeout.
pub(crate) fn wait_limit() -> Option<Duration> {
    seconds(WAIT.load(Ordering::Relaxed))
}

/// Converts a timeout in seconds as calls pass it: 0 is none.
pub fn seconds(seconds: u32) -> Option<Duration> {
    (seconds != 0).then(|| Duration::from_secs(u64::from(seconds)))
}
