//! A forked child has this library's memory but none of its threads and no device: every call fails
//! there at once.

use crate::core::assembly;
use crate::core::base::config::file::ErrMsgMode;
use crate::core::base::{error, gate};

/// True in a process that was forked after the first call of this library. A fork before that leaves nothing in the
/// parent that the child would need.
#[cold]
pub fn is_child() -> bool {
    // Before the gate opens: calls of other threads need it.
    assembly::install();
    if gate::open_first() {
        // SAFETY: the handler only stores to atomics, which a child of a process with several
        // threads may do. If there is no memory to register it, forked children go unnoticed,
        // which is all that can be done about it.
        unsafe { libc::pthread_atfork(None, None, Some(enter_child)) };
    }
    gate::is_child()
}

unsafe extern "C" fn enter_child() {
    gate::close_in_child();
    // The lock of the process-wide text may have been held by a thread that the child lacks.
    error::set_mode(ErrMsgMode::Thread);
}
