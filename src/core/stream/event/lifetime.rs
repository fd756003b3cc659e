//! Creation and destruction of events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::{Creator, Event, Uses, flag, sharing};
use crate::algo::map::slot_table::{self, Handle};
use crate::algo::map::typed_slots;
use crate::algo::sync::gap::Gap;
use crate::algo::sync::spin_lock::SpinLock;
use crate::backend::{self, Fault};
use crate::base::error::{Code, Error, Result, error_with, invalid_param};
use crate::base::handles::{self, Object};
use crate::runtime::device::Device;
use crate::runtime::{self, thread};
use crate::stream::failure::Recorded;

/// Number of events of a device that count towards the limit.
#[derive(Default)]
struct Quota(AtomicU32);

typed_slots::state! {
    /// The quota of a device.
    Quota::of(Device);
}

/// The limit.
const MOST: u32 = 65_536;

impl Event {
    /// Creates an event without a signal, which no other process shares.
    pub(super) fn new(device: Arc<Device>, native: Arc<dyn backend::Event>, creator: Creator, flags: u32) -> Self {
        Self {
            id: device.next_event_id.fetch_add(1, Ordering::Relaxed),
            device,
            native,
            creator,
            flags,
            signal: None,
            shared: None,
            recorded: Recorded::default(),
            counted: AtomicBool::new(false),
            was_intercepted: AtomicBool::new(false),
            is_plain: AtomicBool::new(false),
            uses: SpinLock::new(Uses::default()),
            _gap: Gap::default(),
        }
    }

    /// Counts the event towards the limit. A second call does nothing.
    pub(super) fn count(&self) -> Result<()> {
        if self.counted.load(Ordering::Relaxed) || self.counted.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let more = |count| (count < MOST).then_some(count + 1);
        if Quota::of(&self.device).0.try_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok() {
            return Ok(());
        }
        self.counted.store(false, Ordering::Relaxed);
        Err(error_with!(
            Code::NoEventResource,
            "device {} has {} events, the maximum (those from aclrtCreateEventWithFlag, and recorded ones from \
             aclrtCreateEvent); destroy some, or use aclrtCreateEventExWithFlag",
            self.device.id,
            MOST
        ))
    }

    fn uncount(&self) {
        if self.counted.swap(false, Ordering::Relaxed) {
            Quota::of(&self.device).0.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Creates the backend's event for an event, or for a mark.
pub(super) fn create_native(device: &Device, timed: bool) -> Result<Arc<dyn backend::Event>> {
    device.native.create_event(timed).map_err(no_event)
}

/// Returns the error of a backend that cannot create what an event needs.
pub(super) fn no_event(fault: Fault) -> Error {
    Error::from(fault).recoded(Code::NoStreamResource, Code::NoEventResource)
}

/// Returns the error for a full table of events.
#[cold]
pub(super) fn no_handle() -> Error {
    handles::no_handle::<Event>(Code::NoEventResource, "no more events can be created; destroy some")
}

fn create(creator: Creator, flags: u32) -> Result<u64> {
    let device = thread::current_outside_host_functions()?.device.clone();
    let native = create_native(&device, flags & flag::TIME_LINE != 0)?;
    let signal = match flags & flag::EXTERNAL != 0 {
        true => Some(runtime::session()?.driver.create_notify(false).map_err(no_event)?),
        false => None,
    };
    let event = Arc::new(Event { signal, ..Event::new(device, native, creator, flags) });
    if creator == Creator::WithFlag {
        event.count()?;
    }
    let handle = Event::table().insert(Arc::clone(&event));
    handle.map(Handle::raw).ok_or_else(|| {
        event.uncount();
        no_handle()
    })
}

/// Implements aclrtCreateEvent.
pub fn create_plain() -> Result<u64> {
    create(Creator::Plain, flag::SYNC | flag::TIME_LINE)
}

/// Implements aclrtCreateEventWithFlag.
pub fn create_with_flag(flags: u32) -> Result<u64> {
    if flags != flag::EXTERNAL && (flags == 0 || flags & !flag::COMBINABLE != 0) {
        return Err(invalid_param!(
            "flag is {flags:#x}; allowed: an OR of ACL_EVENT_SYNC 0x1, ACL_EVENT_CAPTURE_STREAM_PROGRESS \
             0x2, ACL_EVENT_TIME_LINE 0x8 and ACL_EVENT_DEVICE_USE_ONLY 0x10, or ACL_EVENT_EXTERNAL 0x20 \
             alone; aclrtCreateEventExWithFlag takes ACL_EVENT_IPC 0x40"
        ));
    }
    create(Creator::WithFlag, flags)
}

/// Implements aclrtCreateEventExWithFlag.
pub fn create_ex(flags: u32) -> Result<u64> {
    if flags == flag::IPC {
        return sharing::create();
    }
    if flags == 0 || flags & !flag::COMBINABLE != 0 {
        return Err(invalid_param!(
            "flag is {flags:#x}; allowed: an OR of ACL_EVENT_SYNC 0x1, ACL_EVENT_CAPTURE_STREAM_PROGRESS \
             0x2, ACL_EVENT_TIME_LINE 0x8 and ACL_EVENT_DEVICE_USE_ONLY 0x10, or ACL_EVENT_IPC 0x40 alone; \
             aclrtCreateEventWithFlag takes ACL_EVENT_EXTERNAL 0x20"
        ));
    }
    create(Creator::Ex, flags)
}

/// Implements aclrtDestroyEvent: never waits; what pending waits need stays.
pub fn destroy(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let Some(event) = handles::end::<Event>("event", raw)? else { return Ok(()) };
    event.uncount();
    // Other processes can no longer import the event, even while it is in use.
    if let Some(export) = event.shared.as_ref().and_then(|shared| shared.export.get()) {
        export.withdraw();
    }
    drop(event);
    slot_table::flush_if_many();
    Ok(())
}

/// Implements aclrtGetEventId.
pub fn id(raw: u64) -> Result<u32> {
    Ok(handles::get::<Event>("event", raw)?.id)
}

/// Implements aclrtGetEventAvailNum: returns how many more events the limit allows.
pub fn available() -> Result<u32> {
    let counted = Quota::of(&thread::current()?.device).0.load(Ordering::Relaxed);
    Ok((MOST - counted).min(Event::table().room() as u32))
}
