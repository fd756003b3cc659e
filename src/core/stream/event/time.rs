//! The times of events.

use std::sync::Arc;

use super::{Event, flag};
use crate::core::base::error::{Code, Error, Result, error_with, param_invalid};
use crate::core::base::handles;
use crate::core::order::known::Known;
use crate::core::runtime::thread;

impl Event {
    /// Whether it has a timestamp.
    pub fn has_time(&self) -> bool {
        self.flags & flag::TIME_LINE != 0
    }

    fn check_timed(&self, argument: &str) -> Result<()> {
        let why = if !self.has_time() {
            "was created without ACL_EVENT_TIME_LINE, so it has no time"
        } else if !self.was_recorded() {
            "was never recorded; call aclrtRecordEvent first"
        } else if self.is_resettable() && self.was_reset()? {
            "was reset since its latest record; call aclrtRecordEvent again"
        } else {
            return Ok(());
        };
        Err(error_with!(Code::EventTimestampInvalid, "{argument} {why}"))
    }

    fn check_complete(&self, argument: &str) -> Result<()> {
        let known = Known::event(&self.native);
        if self.native.is_complete()? {
            known.is_seen();
            return Ok(());
        }
        Err(error_with!(Code::EventNotComplete, "{argument} has not happened yet; call aclrtSynchronizeEvent first"))
    }
}

/// aclrtEventElapsedTime.
pub fn elapsed_ms(start: u64, end: u64) -> Result<f32> {
    thread::refuse_inside_host_function()?;
    let start_event = handles::get::<Event>("startEvent", start)?;
    let end_event = handles::get::<Event>("endEvent", end)?;
    let both = [("startEvent", &start_event), ("endEvent", &end_event)];
    let check_complete = || both.iter().try_for_each(|(argument, event)| event.check_complete(argument));
    both.iter().try_for_each(|(_, event)| event.check_runs())?;
    both.iter().try_for_each(|(argument, event)| event.check_timed(argument))?;
    check_complete()?;
    if !Arc::ptr_eq(&start_event.device, &end_event.device) {
        return Err(param_invalid!(
            "startEvent is on device {}, endEvent on device {}; their clocks cannot be compared",
            start_event.device.id,
            end_event.device.id
        ));
    }
    let ms = end_event.native.elapsed_ms(&*start_event.native).or_else(|fault| {
        // Another thread may have recorded one of them meanwhile.
        check_complete()?;
        Err(Error::from(fault))
    })?;
    if ms < 0.0 {
        return Err(error_with!(
            Code::EventTimestampReversal,
            "endEvent happened {} us before startEvent; swap the arguments",
            (-ms * 1000.0).ceil() as u64
        ));
    }
    Ok(ms)
}

/// aclrtEventGetTimestamp: microseconds of the system clock.
pub fn time_us(raw: u64) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let event = handles::get::<Event>("event", raw)?;
    event.check_runs()?;
    event.check_timed("event")?;
    event.check_complete("event")?;
    let time = event.native.time_ns().or_else(|fault| {
        // Another thread may have recorded it meanwhile.
        event.check_complete("event")?;
        Err(Error::from(fault))
    });
    Ok(time? / 1000)
}
