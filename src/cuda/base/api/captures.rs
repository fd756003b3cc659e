//! Keeps captures of other libraries valid.
//!
//! While a stream is captured, the driver refuses calls that the capture cannot see, such as allocations: those of the
//! thread that captures, and in the global mode those of all threads. It then invalidates the capture as well. A
//! library that depends on no captured work may make such calls in the relaxed mode, which belongs to the thread. So
//! the table of functions exchanges the mode around each call of this kind, and the mode of the program's thread stays
//! as it was.
//!
//! The driver's documentation names no complete list. The table marks all functions but those that enqueue work, build
//! graphs, or only read what the driver has in host memory, and those of checkpoints: no other call returns while the
//! process is locked.

use std::ffi::c_uint;

use super::Api;

/// Excludes the calling thread from the rules of captures, until it is dropped.
pub(super) struct OutsideCaptures<'a> {
    api: &'a Api,
    /// The thread's earlier mode.
    before: c_uint,
}

impl<'a> OutsideCaptures<'a> {
    pub(super) fn outside(api: &'a Api) -> Self {
        /// The value of `CU_STREAM_CAPTURE_MODE_RELAXED`.
        const RELAXED: c_uint = 2;
        let mut this = Self { api, before: RELAXED };
        this.exchange();
        this
    }

    fn exchange(&mut self) {
        // SAFETY: the driver reads a mode from `before` and writes the previous one. If it refuses, captures restrict
        // this thread like any other.
        let _ = unsafe { self.api.thread_exchange_stream_capture_mode(&mut self.before) };
    }
}

impl Drop for OutsideCaptures<'_> {
    fn drop(&mut self) {
        self.exchange();
    }
}
