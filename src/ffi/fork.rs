//! A forked child has this library's memory but none of its threads and no device: every call fails
//! there at once.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::core::config::ErrMsgMode;
use crate::core::error;

const UNWATCHED: u8 = 0;
const WATCHING: u8 = 1;
const CHILD: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(UNWATCHED);

/// True in a process that was forked after the first call of this library. Forks before that leave
/// nothing behind that a child could lack.
#[inline]
pub fn is_child() -> bool {
    STATE.load(Ordering::Relaxed) != WATCHING && first_call_or_child()
}

#[cold]
fn first_call_or_child() -> bool {
    if STATE.compare_exchange(UNWATCHED, WATCHING, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
        // SAFETY: the handler only stores to atomics, which a child of a process with several
        // threads may do. If there is no memory to register it, forked children go unnoticed,
        // which is all that can be done about it.
        unsafe { libc::pthread_atfork(None, None, Some(enter_child)) };
    }
    STATE.load(Ordering::Relaxed) == CHILD
}

unsafe extern "C" fn enter_child() {
    STATE.store(CHILD, Ordering::Relaxed);
    // The lock of the process-wide text may have been held by a thread that the child lacks.
    error::set_mode(ErrMsgMode::Thread);
}
