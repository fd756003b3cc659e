//! `membarrier(2)`, for the threads of this process.

use std::time::{Duration, Instant};

use crate::algo::thread::pause::pause;

/// Commands, as Linux numbers them.
const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

fn call(command: libc::c_int) -> bool {
    // SAFETY: the call takes two numbers and touches no memory of ours.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0) == 0 }
}

/// Whether the kernel has it, and this process may use it.
pub fn register() -> bool {
    call(REGISTER_PRIVATE_EXPEDITED)
}

/// Far longer than a processor delays a store (nanoseconds), and than a thread runs on it.
const VISIBLE: Duration = Duration::from_millis(10);

/// Every thread of this process executes a full barrier before this returns. If the kernel fails (a sandbox
/// that was closed since, no memory), this sleeps instead.
pub fn pass() {
    if call(PRIVATE_EXPEDITED) {
        return;
    }
    let began = Instant::now();
    while began.elapsed() < VISIBLE {
        pause(VISIBLE);
    }
}
