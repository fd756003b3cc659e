//! Threads and captures by other libraries.

use std::ffi::c_uint;

use crate::backend::cuda::base::api::Api;

/// While another library captures a stream, the driver refuses some calls of all threads, and the capture is then
/// invalid. This excludes the calling thread from that rule, until it is dropped.
pub struct OutsideCaptures<'a> {
    api: &'a Api,
    /// The mode that the thread had.
    before: c_uint,
}

impl<'a> OutsideCaptures<'a> {
    pub fn enter(api: &'a Api) -> Self {
        /// `CU_STREAM_CAPTURE_MODE_RELAXED`.
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
