//! Events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use cudarc::driver::sys::CUevent_st;

use crate::backend::cuda::runtime::{DeviceState, Raw};
use crate::backend::cuda::stream::clock;
use crate::backend::cuda::stream::mark::{poll_until, synchronize};
use crate::backend::cuda::stream::state::reported;
use crate::backend::{Event, Result, Wait, own};

/// An event of the driver.
pub struct CudaEvent {
    device: Arc<DeviceState>,
    pub raw: Raw<CUevent_st>,
    /// The latest record is ordered after work that completes only when the program does something.
    depends_on_program: AtomicBool,
}

impl CudaEvent {
    pub fn new(device: &Arc<DeviceState>, timing: bool) -> Result<Self> {
        let raw = device.create_event(timing)?;
        Ok(Self { device: Arc::clone(device), raw, depends_on_program: AtomicBool::new(false) })
    }

    /// It was recorded.
    pub fn note_record(&self, depends_on_program: bool) {
        // Relaxed: the core records an event and waits for it in turn.
        self.depends_on_program.store(depends_on_program, Ordering::Relaxed);
    }

    /// Whether its latest record may complete only when the program does something.
    pub fn depends_on_program(&self) -> bool {
        self.depends_on_program.load(Ordering::Relaxed)
    }

    /// The event behind a trait object of this backend.
    pub fn of(event: &dyn Event) -> Result<&Self> {
        own(event, "the event was not made by the cuda backend")
    }
}

impl Event for CudaEvent {
    fn is_complete(&self) -> Result<bool> {
        // SAFETY: the event lives as long as `self` and its device is open.
        reported(&self.device, self.device.poll(|api| unsafe { api.event_query(self.raw.0) }))
    }

    /// With a deadline this polls the event, and the driver only returns the state of the latest record. So an event
    /// that is recorded again during the wait makes it longer.
    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        self.device.driver.flush_deferred();
        if let Some(deadline) = deadline {
            let wait = poll_until(deadline, || self.is_complete())?;
            if wait == Wait::TimedOut || !self.device.driver.known_pools.are_used() {
                return Ok(wait);
            }
        }
        reported(&self.device, synchronize(&self.device, self.raw).map(|()| Wait::Done))
    }

    fn elapsed_ms(&self, start: &dyn Event) -> Result<f32> {
        let start = Self::of(start)?;
        // SAFETY: both events belong to this open device.
        self.device.call(|api| unsafe { api.event_elapsed_time(start.raw.0, self.raw.0) })
    }

    fn time_ns(&self) -> Result<u64> {
        clock::time_ns(&self.device, self.raw)
    }

    fn native(&self) -> Option<usize> {
        Some(self.raw.0.expose_provenance())
    }
}

impl Drop for CudaEvent {
    fn drop(&mut self) {
        self.device.destroy_event(self.raw);
    }
}
