//! Queries of events and of their times, and waits of the host for them.

use std::slice;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::sharing::check_recorder;
use super::{Creator, Event, flag};
use crate::backend::Wait;
use crate::base::callback;
use crate::base::error::{Code, Error, Result, error_with, param_invalid};
use crate::base::handles::{self, Object};
use crate::order::checker::{self, HostWait};
use crate::order::known::Known;
use crate::order::{self, KnownPositions};
use crate::runtime::thread;
use crate::stream::stream::Stream;
use crate::stream::stream::synchronize::deadline;

impl Event {
    /// Returns what [`is_complete`] returns for an event that is not plain.
    #[inline(never)]
    fn is_complete_slow(&self) -> Result<bool> {
        let known = Known::event(&self.native);
        let is_complete = self.is_complete_unchecked()?;
        if is_complete {
            known.is_seen();
        }
        Ok(is_complete)
    }

    fn is_complete_unchecked(&self) -> Result<bool> {
        self.check_runs()?;
        if let Some(signal) = &self.signal {
            return Ok(signal.count() != 0);
        }
        if !self.recorded.exists() && self.shared.is_none() {
            return Ok(self.creator == Creator::Ex);
        }
        if self.is_resettable() && self.was_reset()? {
            return Ok(false);
        }
        if self.native.is_known_complete() {
            return Ok(true);
        }
        let is_complete = self.native.is_complete()?;
        if self.shared.is_some() {
            check_recorder(self)?;
        }
        Ok(is_complete)
    }

    /// Whether the event has a timestamp.
    pub fn has_time(&self) -> bool {
        self.flags & flag::TIME_LINE != 0
    }

    fn check_timed(&self, argument: &str) -> Result<()> {
        let why = if !self.has_time() {
            "was created without ACL_EVENT_TIME_LINE, so it has no timestamp; pass an event that was created with this \
             flag"
        } else if !self.recorded.exists() {
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
        Err(error_with!(Code::EventNotComplete, "{argument} is not complete yet; call aclrtSynchronizeEvent first"))
    }
}

/// Implements aclrtQueryEventStatus: returns whether the latest record has completed. An event that was never recorded
/// is complete if aclrtCreateEventExWithFlag created it, otherwise not.
///
/// Always inlined: its result would go through memory.
#[inline(always)]
pub fn is_complete(raw: u64) -> Result<bool> {
    thread::refuse_inside_host_function()?;
    let event = handles::get::<Event>("event", raw)?;
    if !event.is_plain.load(Ordering::Relaxed) {
        return event.is_complete_slow();
    }
    Ok(event.native.is_known_complete() || event.native.is_complete()?)
}

/// Implements aclrtQueryEvent: returns whether the latest record of an event of the older kinds has completed.
pub fn is_complete_old(raw: u64) -> Result<bool> {
    thread::refuse_inside_host_function()?;
    handles::get::<Event>("event", raw)?.check_not_ex("use aclrtQueryEventStatus")?;
    is_complete(raw)
}

/// Implements aclrtQueryEventWaitStatus: returns whether every stream is past its waits for the event.
pub fn waits_are_over(raw: u64) -> Result<bool> {
    thread::refuse_inside_host_function()?;
    let event = handles::get::<Event>("event", raw)?;
    event.check_not_ex(
        "the library does not track waits for such an event; call aclrtStreamQuery for the stream that waits, or \
         record another event after the wait",
    )?;
    event.check_runs()?;
    let are_over = event.uses.lock().waits.all_past()?;
    if are_over {
        // In this case the event is complete, unless no stream waits for it.
        checker::installed().into_iter().for_each(|checker| checker.may_be_over());
    }
    Ok(are_over)
}

/// Implements aclrtSynchronizeEvent and aclrtSynchronizeEventWithTimeout, whose timeout is in milliseconds.
pub fn synchronize(raw: u64, timeout_ms: i32) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let deadline = deadline(timeout_ms)?;
    let event = handles::get_arc::<Event>("event", raw)?;
    event.check_runs()?;
    if deadline.is_none() {
        callback::refuse_endless_wait()?;
    }
    // This is read before the wait: a record during the wait is not awaited.
    let recorded = event.recorded.get();
    let awaited = order::is_tracked().then(|| KnownPositions::record(event.uses.lock().clock.clone()));
    let known = Known::event(&event.native);
    let wait = |until| match &event.shared {
        None => Ok(event.native.synchronize(until)?),
        Some(shared) => {
            let wait = shared.native.synchronize_while(until, || check_recorder(&event))?;
            check_recorder(&event).map(|()| wait)
        }
    };
    let host = HostWait::begin(slice::from_ref(&known));
    let wait = host.wait(&checker::Awaited::Event(&event.native), deadline, wait)?;
    if wait == Wait::TimedOut {
        return Err(error_with!(
            Code::EventSyncTimeout,
            "event {raw:#x} was not complete after {timeout_ms} ms; its stream continues; wait again"
        ));
    }
    awaited.into_iter().for_each(KnownPositions::is_over);
    known.is_seen();
    // The call also reports what failed in the stream before this point, if it was not reported yet.
    let Some((stream, position)) = recorded else { return Ok(()) };
    let Some(stream) = Stream::table().get(stream) else { return Ok(()) };
    stream.failures.report_before(position)
}

/// Implements aclrtEventElapsedTime.
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
            "startEvent is on device {}, but endEvent is on device {}; pass two events of one device",
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
            "endEvent was complete {} us before startEvent; swap the arguments",
            (-ms * 1000.0).ceil() as u64
        ));
    }
    Ok(ms)
}

/// Implements aclrtEventGetTimestamp: returns microseconds of the system clock.
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
