//! Implements streams by non-blocking streams of the driver.
//!
//! To query a stream that another library captures invalidates the capture. So a stream that other libraries can use
//! counts as busy while one of them captures it.

pub(crate) mod event;
pub(crate) mod host_fn;
pub(crate) mod mark;
pub(crate) mod state;
mod submit;
pub(crate) mod timed_wait;
pub(crate) mod watch;
pub(crate) mod words;

use std::sync::Arc;
use std::time::Instant;

use cudarc::driver::sys::{CUcontext, CUstream};

use crate::backend::{Fault, FaultKind, Position, Result, StopReason, Stream, StreamOptions, Wait, downcast};
use crate::memory::pending;
use crate::runtime::{DeviceState, Raw};
use crate::stream::mark::poll_until;
use crate::stream::state::StreamState;
use crate::transfer::stream_value;

/// A stream behind the trait. When it is dropped its state stays in the driver's list until its work is complete.
pub(super) struct CudaStream(Arc<StreamState>);

impl CudaStream {
    pub(super) fn new(device: &Arc<DeviceState>, options: StreamOptions) -> Result<Self> {
        let raw = device.create_stream(options.priority)?;
        Ok(Self(StreamState::new(device, raw, options, false)))
    }

    /// Creates a stream around one that another library created and destroys.
    pub(super) fn adopt(device: &Arc<DeviceState>, native: usize, options: StreamOptions) -> Result<Self> {
        let raw: CUstream = std::ptr::with_exposed_provenance_mut(native);
        let mut context: CUcontext = std::ptr::null_mut();
        // SAFETY: a stream of the driver, as the C contract requires, and the driver writes its context into `context`.
        device.call(|api| unsafe { api.stream_get_ctx(raw, &mut context) })?;
        if context != device.context.raw.0 {
            return Err(Fault::new(
                FaultKind::Driver,
                format!(
                    "the driver's stream {native:#x} is not in the primary context of the current device; create the \
                     stream in the primary context of a device, and make that device current"
                ),
            ));
        }
        Ok(Self(StreamState::new(device, Raw(raw), options, true)))
    }

    /// Returns the stream behind a trait object of this backend.
    pub(super) fn of(stream: &dyn Stream) -> Result<&Self> {
        downcast(stream, "the stream was not created by the cuda backend")
    }

    pub(super) fn state(&self) -> &StreamState {
        &self.0
    }

    /// Returns `answer`. If it may be a failure of the device, observers receive that failure first.
    pub(super) fn reported<T>(&self, answer: Result<T>) -> Result<T> {
        state::reported(&self.0.device, answer)
    }

    fn wait_for_all(&self, deadline: Option<Instant>) -> Result<Wait> {
        self.0.device.context.healthy()?;
        self.0.flush_deferred();
        stream_value::expire_waits(&self.0, deadline)?;
        let pools = self.0.device.driver.known_pools.are_used();
        if pools {
            // A wait also completes frees of other streams.
            self.0.device.driver.flush_deferred();
        }
        if self.0.is_known_idle() && !pools {
            return Ok(Wait::Done);
        }
        let aborts = self.0.aborts();
        let Some(deadline) = deadline else {
            self.0.finish()?;
            pending::reap(&self.0.device.driver);
            return self.0.check_aborts(aborts).map(|()| Wait::Done);
        };
        // The driver has no wait with a timeout. This polls a mark and not the stream, because a stream that gets new
        // work all the time is never idle.
        if !pools && self.0.is_idle()? {
            return Ok(Wait::Done);
        }
        let submitted = self.0.submitted();
        let mut mark = None;
        let wait = poll_until(deadline, || {
            self.0.check_aborts(aborts)?;
            if mark.is_none() {
                mark = self.0.mark_for_wait()?;
            }
            match &mark {
                Some(mark) => Ok(mark.poll()? && !self.0.runs_unordered()),
                // Pools need the wait for a mark.
                None => Ok(self.0.is_idle()? && !pools),
            }
        })?;
        if wait == Wait::Done {
            self.0.note_finished(submitted);
            if pools && let Some(mark) = &mark {
                mark.finish()?;
            }
            drop(mark);
            pending::reap(&self.0.device.driver);
        }
        Ok(wait)
    }
}

impl Stream for CudaStream {
    fn limit_waits(&self, until: Instant) {
        self.0.limit_waits(until);
    }

    fn await_room(&self, operations: usize, deadline: Option<Instant>) -> Option<Wait> {
        self.0.await_room(operations, deadline)
    }

    fn is_idle(&self) -> Result<bool> {
        self.0.flush_deferred();
        let idle = self.0.device.context.healthy().and_then(|()| self.0.is_idle());
        self.reported(idle)
    }

    fn is_known_idle(&self) -> bool {
        self.0.is_known_idle() && !self.0.defers() && self.0.device.context.healthy().is_ok()
    }

    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        self.reported(self.wait_for_all(deadline))
    }

    /// Abandons the stream. The driver cannot drop work, so what it has will run, except for host functions that have
    /// not started, and waits that the host watches.
    fn abandon(&self) -> Position {
        self.0.abandon()
    }

    /// Aborts as [`Self::abandon`] does. Pending records complete, so waits for them end.
    fn abort(&self, why: Fault, _deadline: Option<Instant>) -> Wait {
        self.0.abort(why);
        Wait::Done
    }

    fn retire(&self) {
        self.0.flush_deferred();
        self.0.stop_tasks(StopReason::StreamEnds);
    }

    fn set_priority(&self, priority: u32) -> Result<()> {
        if priority == self.0.priority {
            return Ok(());
        }
        Err(Fault::unsupported(format!(
            "the driver cannot change the stream's priority ({}); create a stream with aclrtCreateStreamV2 and \
             priority {priority}",
            self.0.priority
        )))
    }

    fn native(&self) -> Option<usize> {
        self.0.share();
        self.0.flush_deferred();
        Some(self.0.raw.0.expose_provenance())
    }
}

impl Drop for CudaStream {
    fn drop(&mut self) {
        self.0.note_dropped();
    }
}
