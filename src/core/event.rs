//! Events: points in a stream's work. Three creators, three sets of rules.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::device::Device;
use super::error::{Code, Error, Result};
use super::handles::{self, Object};
use super::stream::{self, Stream};
use super::thread;
use crate::algo::slot_table::{self, Handle};
use crate::backend::{self, Wait};

/// Bits of the creation flag, as the API numbers them.
mod flag {
    pub const SYNC: u32 = 0x01;
    pub const CAPTURE_STREAM_PROGRESS: u32 = 0x02;
    pub const TIME_LINE: u32 = 0x08;
    pub const DEVICE_USE_ONLY: u32 = 0x10;
    pub const EXTERNAL: u32 = 0x20;
    pub const IPC: u32 = 0x40;
    /// Those that may be combined.
    pub const COMBINABLE: u32 = SYNC | CAPTURE_STREAM_PROGRESS | TIME_LINE | DEVICE_USE_ONLY;
}

/// Which function made an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Creator {
    Plain,
    WithFlag,
    Ex,
}

/// An event.
pub struct Event {
    /// Where it is recorded.
    pub device: Arc<Device>,
    /// What does the work.
    pub native: Arc<dyn backend::Event>,
    /// A small number, unique on its device.
    id: u32,
    creator: Creator,
    flags: u32,
    /// The handle of the stream that recorded it last; 0: never recorded.
    recorded_on: AtomicU64,
}

impl Event {
    fn has_time(&self) -> bool {
        self.creator == Creator::Plain || self.flags & flag::TIME_LINE != 0
    }

    fn was_recorded(&self) -> bool {
        self.recorded_on.load(Ordering::Acquire) != 0
    }

    /// Whether streams may wait for it.
    pub fn check_waitable(&self) -> Result<()> {
        if self.creator == Creator::WithFlag && self.flags & flag::SYNC == 0 {
            return Err(Error::param_invalid(format_args!(
                "event was created with flag {:#x}, without ACL_EVENT_SYNC, so streams cannot wait for it; \
                 create it with ACL_EVENT_SYNC",
                self.flags
            )));
        }
        Ok(())
    }

    fn check_timed(&self, argument: &str) -> Result<()> {
        let why = if !self.has_time() {
            "was created without ACL_EVENT_TIME_LINE, so it has no time"
        } else if !self.was_recorded() {
            "was never recorded; call aclrtRecordEvent first"
        } else {
            return Ok(());
        };
        Err(Error::new(Code::EventTimestampInvalid, format_args!("{argument} {why}")))
    }

    fn check_complete(&self, argument: &str) -> Result<()> {
        if self.native.is_complete()? {
            return Ok(());
        }
        Err(Error::new(
            Code::EventNotComplete,
            format_args!("{argument} has not happened yet; call aclrtSynchronizeEvent first"),
        ))
    }
}

fn create(creator: Creator, flags: u32) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let device = thread::current()?.device.clone();
    let timed = creator == Creator::Plain || flags & flag::TIME_LINE != 0;
    let native = device.native.create_event(timed).map_err(|fault| {
        let error = Error::from(fault);
        match error.code() {
            Code::NoStreamResource => Error::new(Code::NoEventResource, error.text()),
            _ => error,
        }
    })?;
    let id = device.new_event_id();
    let event = Event { device, native, id, creator, flags, recorded_on: AtomicU64::new(0) };
    Event::table().insert(Arc::new(event)).map(Handle::raw).ok_or_else(|| {
        Error::new(Code::NoEventResource, "no more events can be made; destroy some")
    })
}

/// aclrtCreateEvent.
pub fn create_plain() -> Result<u64> {
    create(Creator::Plain, flag::SYNC | flag::TIME_LINE)
}

/// aclrtCreateEventWithFlag.
pub fn create_with_flag(flags: u32) -> Result<u64> {
    if flags != flag::EXTERNAL && (flags == 0 || flags & !flag::COMBINABLE != 0) {
        return Err(Error::invalid_param(format_args!(
            "flag is {flags:#x}; allowed: an OR of ACL_EVENT_SYNC 0x1, ACL_EVENT_CAPTURE_STREAM_PROGRESS \
             0x2, ACL_EVENT_TIME_LINE 0x8 and ACL_EVENT_DEVICE_USE_ONLY 0x10, or ACL_EVENT_EXTERNAL 0x20 \
             alone"
        )));
    }
    create(Creator::WithFlag, flags)
}

/// aclrtCreateEventExWithFlag.
pub fn create_ex(flags: u32) -> Result<u64> {
    if flags == flag::IPC {
        return Err(Error::unsupported(
            "flag is ACL_EVENT_IPC: events shared between processes are not available in this version; \
             use an event of one process, and a pipe or socket between the processes",
        ));
    }
    if flags == 0 || flags & !flag::COMBINABLE != 0 {
        return Err(Error::invalid_param(format_args!(
            "flag is {flags:#x}; allowed: an OR of ACL_EVENT_SYNC 0x1, ACL_EVENT_CAPTURE_STREAM_PROGRESS \
             0x2, ACL_EVENT_TIME_LINE 0x8 and ACL_EVENT_DEVICE_USE_ONLY 0x10, or ACL_EVENT_IPC 0x40 alone"
        )));
    }
    create(Creator::Ex, flags)
}

/// aclrtDestroyEvent: never waits; what queued waits need stays.
pub fn destroy(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    drop(handles::remove::<Event>("event", raw)?);
    slot_table::flush_if_many();
    Ok(())
}

/// aclrtGetEventId.
pub fn id(raw: u64) -> Result<u32> {
    Ok(handles::get::<Event>("event", raw)?.id)
}

/// aclrtGetEventAvailNum: how many more handles there are.
pub fn available() -> Result<u32> {
    thread::current()?;
    Ok(Event::table().room() as u32)
}

/// aclrtRecordEvent.
pub fn record(raw: u64, stream: u64) -> Result<()> {
    handles::check_not_null::<Event>("event", raw)?;
    let stream = stream::resolve(stream)?;
    let event = handles::get::<Event>("event", raw)?;
    if !Arc::ptr_eq(&event.device, &stream.device) {
        return Err(Error::new(
            Code::StreamContext,
            format_args!(
                "event {raw:#x} was created on device {}, the stream is on device {}; record it on a \
                 stream of its own device",
                event.device.id, stream.device.id
            ),
        ));
    }
    stream.native.record(&event.native)?;
    event.recorded_on.store(stream.handle.raw(), Ordering::Release);
    Ok(())
}

/// aclrtQueryEventStatus: whether the latest record has happened. Never recorded: yes for an
/// event of aclrtCreateEventExWithFlag, no for the others.
pub fn is_complete(raw: u64) -> Result<bool> {
    thread::refuse_inside_host_function()?;
    let event = handles::get::<Event>("event", raw)?;
    if !event.was_recorded() {
        return Ok(event.creator == Creator::Ex);
    }
    Ok(event.native.is_complete()?)
}

/// aclrtSynchronizeEvent, and with a timeout in milliseconds.
pub fn synchronize(raw: u64, timeout_ms: i32) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let deadline = stream::deadline(timeout_ms)?;
    let event = handles::get_arc::<Event>("event", raw)?;
    if event.native.synchronize(deadline)? == Wait::TimedOut {
        return Err(Error::new(
            Code::EventSyncTimeout,
            format_args!(
                "event {raw:#x} had not happened after {timeout_ms} ms; its stream goes on"
            ),
        ));
    }
    // What failed in the stream before this point is reported here, if nobody was told yet.
    let stream = Handle::from_raw(event.recorded_on.load(Ordering::Acquire));
    match stream.and_then(|stream| Stream::table().get(stream)?.native.take_failure()) {
        Some(failure) => Err(failure.into()),
        None => Ok(()),
    }
}

/// aclrtEventElapsedTime.
pub fn elapsed_ms(start: u64, end: u64) -> Result<f32> {
    thread::refuse_inside_host_function()?;
    let start_event = handles::get::<Event>("startEvent", start)?;
    let end_event = handles::get::<Event>("endEvent", end)?;
    start_event.check_timed("startEvent")?;
    end_event.check_timed("endEvent")?;
    start_event.check_complete("startEvent")?;
    end_event.check_complete("endEvent")?;
    if !Arc::ptr_eq(&start_event.device, &end_event.device) {
        return Err(Error::param_invalid(format_args!(
            "startEvent is on device {}, endEvent on device {}; their clocks cannot be compared",
            start_event.device.id, end_event.device.id
        )));
    }
    let ms = end_event.native.elapsed_ms(&*start_event.native)?;
    if ms < 0.0 {
        return Err(Error::new(
            Code::EventTimestampReversal,
            format_args!(
                "endEvent happened {} us before startEvent; swap the arguments",
                (-ms * 1000.0).ceil() as u64
            ),
        ));
    }
    Ok(ms)
}
