//! Streams that other libraries know: they may submit work to them, and capture them into graphs of their own.

use std::sync::atomic::Ordering;

use super::StreamState;
use crate::backend::{Fault, FaultKind, Result};

impl StreamState {
    /// Notes that other libraries may submit work to the driver's stream from now on.
    pub(crate) fn share(&self) {
        let mut submitting = self.submitting.lock();
        self.shared.store(true, Ordering::Relaxed);
        self.list_as_busy(&mut submitting);
    }

    /// Whether other libraries know the stream, so that one may capture it.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        // Relaxed: for the reason given in `has_finished`.
        self.shared.load(Ordering::Relaxed)
    }

    /// Whether other libraries know the stream. A wait that is being submitted, and may join a capture, does not count.
    pub(crate) fn is_lent(&self) -> bool {
        self.is_shared() && {
            let _submitting = self.submitting.lock();
            self.is_shared()
        }
    }

    /// Whether another library captures the stream. A query of the stream, or of a mark in it, would invalidate the
    /// capture.
    pub(crate) fn is_captured(&self) -> Result<bool> {
        if !self.is_shared() {
            return Ok(false);
        }
        let mut status = 0;
        // SAFETY: the stream's handle lives as long as `self`, and the driver writes the state into `status`.
        self.device.call(|api| unsafe { api.stream_is_capturing(self.raw.0, &mut status) })?;
        Ok(status != 0)
    }

    pub(super) fn refuse_capture(&self) -> Result<()> {
        self.refuse_in_capture("no call can wait for it; end the capture first")
    }

    /// Fails if another library captures the stream. `so` says what cannot be done then, and what can.
    pub(crate) fn refuse_in_capture(&self, so: &str) -> Result<()> {
        let text = || format!("another library captures the stream, so {so}");
        if self.is_shared() && self.is_captured()? { Err(Fault::new(FaultKind::Driver, text())) } else { Ok(()) }
    }

    /// Notes that the stream may join a capture of another library by a wait for an event, before that wait, so that no
    /// later call queries the stream in the capture. Returns whether the caller must call [`Self::end_join`] after it.
    /// The caller has locked the stream's submissions.
    pub(crate) fn begin_join(&self) -> bool {
        // Relaxed: for the reason given in `has_finished`.
        !self.shared.swap(true, Ordering::Relaxed)
    }

    /// Notes whether the stream has joined a capture.
    pub(crate) fn end_join(&self) {
        if matches!(self.is_captured(), Ok(false)) {
            self.shared.store(false, Ordering::Relaxed);
        }
    }
}
