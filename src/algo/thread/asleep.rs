//! Waits until the thread of a call sleeps in the kernel. Tests of calls that block use this.

use std::time::{Duration, Instant};

use super::pause::pause;
use super::state::state;

/// The time that a test waits for a thread to block.
const PATIENCE: Duration = Duration::from_secs(20);
/// The number of consecutive samples in which the thread must be asleep, because a call may sleep for a moment before
/// it blocks.
const SAMPLES: usize = 5;

/// Waits until the thread blocks in its call, or `returned` says that the call has returned.
pub fn wait_until_asleep(number: u32, mut returned: impl FnMut() -> bool) {
    let begin = Instant::now();
    let mut asleep = 0;
    while asleep < SAMPLES && !returned() {
        assert!(begin.elapsed() < PATIENCE, "the thread neither blocks nor returns");
        asleep = if state(number) == Some('S') { asleep + 1 } else { 0 };
        pause(Duration::from_millis(1));
    }
}
