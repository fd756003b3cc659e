//! Events, and marks: events of our own that tell when a stream has come past a point.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cudarc::driver::sys::CUevent_st;

use crate::backend::cuda::runtime::context::Raw;
use crate::backend::cuda::runtime::device::DeviceState;
use crate::backend::cuda::stream::StreamState;
use crate::backend::{Event, Fault, FaultKind, Result, Wait};

/// An event of the driver.
pub struct CudaEvent {
    device: Arc<DeviceState>,
    raw: Raw<CUevent_st>,
    /// The stream of the latest record had something before it whose end depends on the program.
    depends_on_program: AtomicBool,
}

impl CudaEvent {
    pub fn new(device: &Arc<DeviceState>, timing: bool) -> Result<Self> {
        let raw = device.create_event(timing)?;
        Ok(Self { device: Arc::clone(device), raw, depends_on_program: AtomicBool::new(false) })
    }

    pub fn raw(&self) -> Raw<CUevent_st> {
        self.raw
    }

    /// It was recorded.
    pub fn note_record(&self, depends_on_program: bool) {
        // Relaxed: the core records an event and waits for it in turn.
        self.depends_on_program.store(depends_on_program, Ordering::Relaxed);
    }

    /// Whether its latest record happens only when the program lets it, perhaps.
    pub fn depends_on_program(&self) -> bool {
        self.depends_on_program.load(Ordering::Relaxed)
    }

    /// As [`crate::backend::cuda::stream::CudaStream`] does it.
    fn told<T>(&self, answer: Result<T>) -> Result<T> {
        if answer.is_err() {
            self.device.tell_failure();
        }
        answer
    }

    /// One of ours, behind the trait.
    pub fn of(event: &dyn Event) -> Result<&Self> {
        event.as_any().downcast_ref().ok_or_else(|| {
            Fault::new(FaultKind::Driver, "the event was not made by the cuda backend")
        })
    }
}

impl Event for CudaEvent {
    fn is_complete(&self) -> Result<bool> {
        // SAFETY: the event lives as long as `self` and its device is open.
        self.told(self.device.poll(|api| unsafe { api.event_query(self.raw.0) }))
    }

    /// With a deadline the driver can only be asked about the latest record: an event that is
    /// recorded again during the wait is waited for anew.
    fn synchronize(&self, deadline: Option<Instant>) -> Result<Wait> {
        self.device.driver().tell_deferred();
        match deadline {
            Some(deadline) => {
                let wait = poll_until(deadline, || self.is_complete())?;
                if wait == Wait::Done && self.device.driver().known_pools().are_used() {
                    self.told(finish(&self.device, self.raw))?;
                }
                Ok(wait)
            }
            None => self.told(finish(&self.device, self.raw).map(|()| Wait::Done)),
        }
    }

    fn elapsed_ms(&self, start: &dyn Event) -> Result<f32> {
        let start = Self::of(start)?;
        let mut ms = 0.0;
        self.device
            // SAFETY: both events belong to this open device, and `ms` lives on this stack.
            .call(|api| unsafe { api.event_elapsed_time(&mut ms, start.raw.0, self.raw.0) })?;
        Ok(ms)
    }

    fn time_ns(&self) -> Result<u64> {
        self.device.clock().time_ns(&self.device, self.raw)
    }

    fn native(&self) -> Option<usize> {
        Some(self.raw.0.expose_provenance())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for CudaEvent {
    fn drop(&mut self) {
        self.device.destroy_event(self.raw);
    }
}

/// Waits for a live event of this device.
fn finish(device: &DeviceState, raw: Raw<CUevent_st>) -> Result<()> {
    // SAFETY: the caller has it.
    device.call(|api| unsafe { api.event_synchronize(raw.0) })
}

/// A point in a stream's work, on an event that is lent by its device.
pub struct Mark {
    device: Arc<DeviceState>,
    raw: Raw<CUevent_st>,
}

impl Mark {
    /// One that the caller records.
    pub fn unset(device: &Arc<DeviceState>) -> Result<Self> {
        Ok(Self { device: Arc::clone(device), raw: device.borrow_event()? })
    }

    /// Marks what `stream` was given so far.
    pub fn new(stream: &StreamState) -> Result<Self> {
        let device = stream.device();
        let mark = Self::unset(device)?;
        // SAFETY: the mark is new, and the caller's reference keeps the stream alive.
        device.call(|api| unsafe { api.event_record(mark.raw.0, stream.raw().0) })?;
        Ok(mark)
    }

    pub fn raw(&self) -> Raw<CUevent_st> {
        self.raw
    }

    /// As [`Self::ask`]; where the driver does not say, the next question may be answered.
    pub fn is_past(&self) -> bool {
        self.ask().unwrap_or(false)
    }

    /// True when the stream has come past it, and on a device that runs nothing any more.
    pub fn ask(&self) -> Result<bool> {
        let Some(_open) = self.device.keep_open() else { return Ok(true) };
        self.poll().or_else(|fault| match self.device.context().failure() {
            Some(_) => Ok(true),
            None => Err(fault),
        })
    }

    /// As [`Self::ask`], and tells when the device failed.
    pub fn poll(&self) -> Result<bool> {
        // SAFETY: an event that is ours until the mark is dropped.
        self.device.poll(|api| unsafe { api.event_query(self.raw.0) })
    }

    /// Waits for it.
    pub fn finish(&self) -> Result<()> {
        finish(&self.device, self.raw)
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        // A mark that has not come past may go back as well: the next record replaces this one.
        self.device.give_event_back(self.raw);
    }
}

/// Spinning is for what is nearly done: as long as a wake-up would take.
const SPIN: Duration = Duration::from_micros(20);
const SHORTEST_SLEEP: Duration = Duration::from_micros(10);
const LONGEST_SLEEP: Duration = Duration::from_millis(1);

/// Asks until the answer is yes or `deadline` has come: often at first, then less and less.
pub fn poll_until(deadline: Instant, mut is_done: impl FnMut() -> Result<bool>) -> Result<Wait> {
    let start = Instant::now();
    let mut pause = SHORTEST_SLEEP;
    loop {
        // Asked before the clock is read: what is done by the deadline counts as done.
        if is_done()? {
            return Ok(Wait::Done);
        }
        let now = Instant::now();
        let Some(left) = deadline.checked_duration_since(now).filter(|left| !left.is_zero()) else {
            return Ok(Wait::TimedOut);
        };
        if now - start < SPIN {
            std::hint::spin_loop();
            continue;
        }
        crate::algo::thread::pause::pause(pause.min(left));
        pause = (pause * 2).min(LONGEST_SLEEP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polling_ends_with_the_answer_or_the_deadline() {
        let now = Instant::now();
        assert_eq!(poll_until(now, || Ok(true)).unwrap(), Wait::Done);
        assert_eq!(poll_until(now, || Ok(false)).unwrap(), Wait::TimedOut);

        let soon = now + Duration::from_millis(5);
        assert_eq!(poll_until(soon, || Ok(false)).unwrap(), Wait::TimedOut);
        assert!(Instant::now() >= soon);

        let mut asked = 0;
        let far = Instant::now() + Duration::from_secs(60);
        let wait = poll_until(far, || {
            asked += 1;
            Ok(asked == 5)
        });
        assert_eq!(wait.unwrap(), Wait::Done);
        let fault = Fault::new(FaultKind::Execution, "gone");
        assert_eq!(poll_until(far, || Err(fault.clone())).unwrap_err(), fault);
    }
}
