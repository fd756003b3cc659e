//! For tests of calls that block: waits until the thread of the call sleeps in the kernel.

use std::time::{Duration, Instant};

use super::pause::pause;

/// How long a test waits for a thread to block.
const PATIENCE: Duration = Duration::from_secs(20);
/// A call may sleep for a moment before it blocks: its thread has to be asleep in this many consecutive samples.
const SAMPLES: usize = 5;

/// Whether a thread of this process sleeps in the kernel. `number`: as the kernel numbers it.
fn is_asleep(number: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/self/task/{number}/stat"));
    stat.is_ok_and(|stat| stat.rsplit(") ").next().is_some_and(|state| state.starts_with('S')))
}

/// Waits until the thread blocks in its call, or `returned` says that the call has returned.
pub fn wait_until_asleep(number: u32, mut returned: impl FnMut() -> bool) {
    let begin = Instant::now();
    let mut asleep = 0;
    while asleep < SAMPLES && !returned() {
        assert!(begin.elapsed() < PATIENCE, "the thread neither blocks nor returns");
        asleep = if is_asleep(number) { asleep + 1 } else { 0 };
        pause(Duration::from_millis(1));
    }
}
