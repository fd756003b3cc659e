//! Marks: events of the library that show the progress of a stream.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cudarc::driver::sys::CUevent_st;

use crate::algo::thread::pause::Backoff;
use crate::backend::{Result, Wait};
use crate::runtime::{DeviceState, Raw};

/// Waits for a live event of this device.
pub(crate) fn synchronize(device: &DeviceState, raw: Raw<CUevent_st>) -> Result<()> {
    // SAFETY: the caller has it.
    device.call(|api| unsafe { api.event_synchronize(raw.0) })
}

/// A point in a stream's work, with an event that the device lends.
pub(crate) struct Mark {
    device: Arc<DeviceState>,
    pub raw: Raw<CUevent_st>,
}

impl Mark {
    /// Creates a mark that the caller records.
    pub(crate) fn unset(device: &Arc<DeviceState>) -> Result<Self> {
        Ok(Self { device: Arc::clone(device), raw: device.borrow_event()? })
    }

    /// Whether the stream has passed the mark, or the device runs nothing any more. Returns false if the query fails:
    /// the next one may succeed.
    pub(crate) fn is_past(&self) -> bool {
        self.ask().unwrap_or(false)
    }

    /// Whether the stream has passed the mark, or the device runs nothing any more.
    pub(crate) fn ask(&self) -> Result<bool> {
        let Some(_open) = self.device.keep_open() else { return Ok(true) };
        self.poll().or_else(|fault| match self.device.context.failure() {
            Some(_) => Ok(true),
            None => Err(fault),
        })
    }

    /// Whether the stream has passed the mark. Fails if the device has failed.
    pub(crate) fn poll(&self) -> Result<bool> {
        // SAFETY: an event that is borrowed until the mark is dropped.
        self.device.poll(|api| unsafe { api.event_query(self.raw.0) })
    }

    /// Waits until the stream has passed the mark.
    pub(crate) fn finish(&self) -> Result<()> {
        synchronize(&self.device, self.raw)
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        // This is correct even if the stream has not passed the mark: the next record replaces this one.
        self.device.return_event(self.raw);
    }
}

/// The time for which a poll spins, which is the cost of a wake-up.
const SPIN: Duration = Duration::from_micros(20);

/// Polls until the result is true or `deadline` has passed: often at first, then less often.
pub(crate) fn poll_until(deadline: Instant, mut is_done: impl FnMut() -> Result<bool>) -> Result<Wait> {
    let start = Instant::now();
    let mut sleeps = Backoff::default();
    loop {
        // The poll precedes the reading of the clock, so that what completes by the deadline counts.
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
        sleeps.sleep(left);
    }
}

#[cfg(test)]
#[path = "mark_tests.rs"]
mod tests;
