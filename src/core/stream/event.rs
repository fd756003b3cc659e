//! Events: points in a stream's work. Three creators, three sets of rules:
//!
//! | creator | recorded again | waited for by streams | reset, wait status | time | how many |
//! |---|---|---|---|---|---|
//! | aclrtCreateEvent | yes | yes | wait status | yes | 65,536 recorded |
//! | aclrtCreateEventWithFlag | yes | with SYNC | with SYNC | with TIME_LINE | 65,536 |
//! | aclrtCreateEventExWithFlag | yes | with SYNC | no | with TIME_LINE | unlimited |
//!
//! A wait keeps the record that was the latest when it was queued, and a reset undoes the record
//! that was the latest when it was queued: a later record is not touched by an earlier reset that
//! has not had its turn. Waiting, by streams or the host, never looks at resets, so that a reset in
//! the wrong place loses nobody's order.

mod captured;
mod external;
mod marks;
mod quota;
pub mod sharing;
mod time;
mod wait;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use self::captured::Captured;
use self::marks::Marks;
pub use self::quota::Quota;
use self::sharing::Shared;
pub use self::sharing::{export, import};
pub use self::time::{elapsed_ms, time_us};
pub use self::wait::{wait, wait_with_flag, wait_with_timeout};
use crate::algo::map::slot_table;
use crate::algo::map::slot_table::Handle;
use crate::algo::sync::spin_lock::SpinLock;
use crate::backend::{self, Op, Position, Wait};
use crate::core::base::callback;
use crate::core::base::error::{Code, Error, Result};
use crate::core::base::handles::{self, Object};
use crate::core::base::host_memory;
use crate::core::order::{self, Awaited, Clock};
use crate::core::runtime::device::Device;
use crate::core::runtime::thread;
use crate::core::stream::failure::Recorded;
use crate::core::stream::{self, Stream};

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

/// The flag of records and waits that belong to a stream that is being captured.
const RECORD_OR_WAIT_EXTERNAL: u32 = 0x01;

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
    /// Of an event with ACL_EVENT_EXTERNAL: 1 while it is set.
    signal: Option<Arc<backend::Notify>>,
    /// Of one that other processes can have, or that is theirs.
    shared: Option<Shared>,
    /// Where it was recorded last.
    recorded: Recorded,
    /// It is one of those of which a device has a limited number.
    counted: AtomicBool,
    /// It was recorded in a captured stream; maybe it is no more.
    was_captured: AtomicBool,
    /// Its latest record is one of a stream that runs, no reset of that is queued, and nothing but the
    /// backend tells whether it has happened.
    is_plain: AtomicBool,
    /// Held while it is recorded, waited for or reset.
    uses: SpinLock<Uses>,
}

handles::object!(Event, Event);

/// Who else uses an event: not noted for those of aclrtCreateEventExWithFlag.
#[derive(Default)]
struct Uses {
    /// Behind the waits for it.
    waits: Marks,
    /// Where its latest record is undone.
    resets: Marks,
    /// What its latest record comes behind, if anybody wants to know.
    clock: Clock,
    /// Its record in a captured stream.
    captured: Option<Captured>,
}

impl Event {
    #[inline]
    fn was_recorded(&self) -> bool {
        self.recorded.exists()
    }

    /// A stream that runs has recorded it. Under the lock of its uses.
    #[inline]
    fn note_recorded(&self, stream: &Stream, position: Position) {
        self.recorded.set(stream.handle, position);
        // Relaxed: threads that share an event order what they do with it.
        let is_plain = self.signal.is_none() && self.shared.is_none();
        self.is_plain.store(is_plain, Ordering::Relaxed);
    }

    /// The flags that it was made with.
    pub fn flags(&self) -> u32 {
        self.flags
    }

    fn is_waitable(&self) -> bool {
        self.flags & (flag::SYNC | flag::EXTERNAL | flag::IPC) != 0
    }

    fn is_resettable(&self) -> bool {
        self.creator == Creator::WithFlag && self.is_waitable()
    }

    /// Whether the latest record of a resettable event was undone.
    fn was_reset(&self) -> Result<bool> {
        self.uses.lock().resets.any_past()
    }

    /// Counts it among those of which there is a limited number, once.
    fn count(&self) -> Result<()> {
        if self.counted.load(Ordering::Relaxed) || self.counted.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        if Quota::of(&self.device).take() {
            return Ok(());
        }
        self.counted.store(false, Ordering::Relaxed);
        Err(Error::new(
            Code::NoEventResource,
            format_args!(
                "device {} has {} events of aclrtCreateEventWithFlag and recorded ones of \
                 aclrtCreateEvent, as many as there can be; destroy some, or use \
                 aclrtCreateEventExWithFlag",
                self.device.id,
                Quota::MOST
            ),
        ))
    }

    fn uncount(&self) {
        if self.counted.swap(false, Ordering::Relaxed) {
            Quota::of(&self.device).give_back();
        }
    }

    /// As [`is_complete`], of an event that is not plain.
    #[inline(never)]
    fn is_complete_otherwise(&self) -> Result<bool> {
        self.check_not_captured()?;
        if let Some(signal) = &self.signal {
            return Ok(signal.count() != 0);
        }
        if !self.was_recorded() && self.shared.is_none() {
            return Ok(self.creator == Creator::Ex);
        }
        if self.is_resettable() && self.was_reset()? {
            return Ok(false);
        }
        match &self.shared {
            _ if self.native.is_known_complete() => Ok(true),
            Some(shared) => shared.is_complete(self),
            None => Ok(self.native.is_complete()?),
        }
    }

    fn check_sync(&self, what: &str) -> Result<()> {
        if self.is_waitable() { Ok(()) } else { Err(self.lacks_sync(what)) }
    }

    fn check_waitable(&self) -> Result<()> {
        self.check_sync("streams cannot wait for it")
    }

    fn check_resettable(&self) -> Result<()> {
        self.check_not_ex("such events are recorded again without a reset")?;
        if self.creator == Creator::Plain {
            return Err(Error::param_invalid(
                "event was created by aclrtCreateEvent; only events of aclrtCreateEventWithFlag with \
                 ACL_EVENT_SYNC can be reset, this one can be recorded again without it",
            ));
        }
        self.check_sync("it cannot be reset")
    }

    #[cold]
    fn lacks_sync(&self, what: &str) -> Error {
        Error::param_invalid(format_args!(
            "event was created with flag {:#x}, without ACL_EVENT_SYNC, so {what}; create it with \
             ACL_EVENT_SYNC",
            self.flags
        ))
    }

    fn check_not_ex(&self, instead: &str) -> Result<()> {
        if self.creator != Creator::Ex {
            return Ok(());
        }
        Err(Error::param_invalid(format_args!(
            "event was created by aclrtCreateEventExWithFlag; {instead}"
        )))
    }
}

/// What does the work of a new event, or of a mark.
fn create_native(device: &Device, timed: bool) -> Result<Arc<dyn backend::Event>> {
    device.native.create_event(timed).map_err(|fault| {
        let error = Error::from(fault);
        match error.code() {
            Code::NoStreamResource => Error::new(Code::NoEventResource, error.text()),
            _ => error,
        }
    })
}

/// The table of events has given none.
#[cold]
fn no_handle() -> Error {
    let full = Error::new(Code::NoEventResource, "no more events can be made; destroy some");
    host_memory::no_handle(Event::table().is_full(), full)
}

fn create(creator: Creator, flags: u32) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let device = thread::current()?.device.clone();
    let native = create_native(&device, flags & flag::TIME_LINE != 0)?;
    let signal = external::create_signal(flags)?;
    let event = Arc::new(Event {
        id: device.new_event_id(),
        device,
        native,
        creator,
        flags,
        signal,
        shared: None,
        recorded: Recorded::default(),
        counted: AtomicBool::new(false),
        was_captured: AtomicBool::new(false),
        is_plain: AtomicBool::new(false),
        uses: SpinLock::new(Uses::default()),
    });
    if creator == Creator::WithFlag {
        event.count()?;
    }
    let handle = Event::table().insert(Arc::clone(&event));
    handle.map(Handle::raw).ok_or_else(|| {
        event.uncount();
        no_handle()
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
             alone; aclrtCreateEventExWithFlag takes ACL_EVENT_IPC 0x40"
        )));
    }
    create(Creator::WithFlag, flags)
}

/// aclrtCreateEventExWithFlag.
pub fn create_ex(flags: u32) -> Result<u64> {
    if flags == flag::IPC {
        return sharing::create();
    }
    if flags == 0 || flags & !flag::COMBINABLE != 0 {
        return Err(Error::invalid_param(format_args!(
            "flag is {flags:#x}; allowed: an OR of ACL_EVENT_SYNC 0x1, ACL_EVENT_CAPTURE_STREAM_PROGRESS \
             0x2, ACL_EVENT_TIME_LINE 0x8 and ACL_EVENT_DEVICE_USE_ONLY 0x10, or ACL_EVENT_IPC 0x40 alone; \
             aclrtCreateEventWithFlag takes ACL_EVENT_EXTERNAL 0x20"
        )));
    }
    create(Creator::Ex, flags)
}

/// aclrtDestroyEvent: never waits; what queued waits need stays.
pub fn destroy(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let event = handles::remove::<Event>("event", raw)?;
    event.uncount();
    if let Some(shared) = &event.shared {
        shared.withdraw();
    }
    drop(event);
    slot_table::flush_if_many();
    Ok(())
}

/// aclrtGetEventId.
pub fn id(raw: u64) -> Result<u32> {
    Ok(handles::get::<Event>("event", raw)?.id)
}

/// aclrtGetEventAvailNum: how many more there can be of the events that are limited in number.
pub fn available() -> Result<u32> {
    Ok(Quota::of(&thread::current()?.device).left().min(Event::table().room() as u32))
}

/// aclrtRecordEvent.
pub fn record(raw: u64, stream: u64) -> Result<()> {
    handles::check_not_null::<Event>("event", raw)?;
    let stream = stream::resolve(stream)?;
    let event = handles::look::<Event>("event", raw, stream.pin())?;
    if !Arc::ptr_eq(&event.device, &stream.device) {
        return Err(of_another_device(raw, event, &stream));
    }
    if event.creator == Creator::Plain {
        event.count()?;
    }
    if stream.is_captured() {
        return match event.signal {
            Some(_) => external::record_in_runs(raw, event, &stream),
            None => captured::record(raw, event, &stream),
        };
    }
    if let Some(shared) = &event.shared {
        return shared.record(event, &stream);
    }
    // Of two records at once the one that the device has last is noted last, and so is a reset that
    // is queued after a record.
    let mut uses = event.uses.lock();
    if let Some(signal) = &event.signal {
        external::set(signal, &stream)?;
    }
    let position = stream.submit_now(Op::Record(&event.native))?;
    event.note_recorded(&stream, position);
    uses.resets.clear();
    if order::is_tracked() {
        uses.clock = order::recorded(&*stream, position);
    }
    Ok(())
}

#[cold]
fn of_another_device(raw: u64, event: &Event, stream: &Stream) -> Error {
    Error::new(
        Code::StreamContext,
        format_args!(
            "event {raw:#x} was created on device {}, the stream is on device {}; record it on a \
             stream of its own device",
            event.device.id, stream.device.id
        ),
    )
}

/// aclrtRecordEventWithFlag.
pub fn record_with_flag(raw: u64, stream: u64, flag: u32) -> Result<()> {
    check_use_flag(flag, "ACL_EVENT_RECORD")?;
    if flag == RECORD_OR_WAIT_EXTERNAL {
        handles::check_not_null::<Event>("event", raw)?;
        let stream = stream::resolve(stream)?;
        let event = handles::get::<Event>("event", raw)?;
        if !stream.is_captured() {
            return Err(not_captured(&stream, "ACL_EVENT_RECORD_EXTERNAL"));
        }
        if !Arc::ptr_eq(&event.device, &stream.device) {
            return Err(of_another_device(raw, &event, &stream));
        }
        return external::record_in_runs(raw, &event, &stream);
    }
    record(raw, stream)
}

fn check_use_flag(flag: u32, prefix: &str) -> Result<()> {
    if flag <= RECORD_OR_WAIT_EXTERNAL {
        return Ok(());
    }
    Err(Error::invalid_param(format_args!(
        "flag is {flag:#x}; allowed: {prefix}_DEFAULT 0 and {prefix}_EXTERNAL 0x1"
    )))
}

#[cold]
fn not_captured(stream: &Stream, flag: &str) -> Error {
    Error::new(
        Code::StreamNotCaptured,
        format_args!(
            "flag is {flag}, which is for streams that are being captured into a graph; stream {:#x} \
             is not; pass 0",
            stream.handle.raw()
        ),
    )
}

/// aclrtResetEvent: when the stream comes to it, the record that is the latest now is undone.
pub fn reset(raw: u64, stream: u64) -> Result<()> {
    handles::check_not_null::<Event>("event", raw)?;
    let stream = stream::resolve(stream)?;
    let event = handles::get::<Event>("event", raw)?;
    event.check_resettable()?;
    match (&event.signal, stream.is_captured()) {
        (Some(signal), false) => return external::clear(signal, &stream),
        (Some(_), true) => return external::clear_in_runs(raw, &event, &stream),
        (None, true) => return captured::reset(raw, &stream),
        (None, false) => {}
    }
    let mut uses = event.uses.lock();
    // An earlier reset in the same stream comes first anyway, as does one that was come to.
    if !event.was_recorded() || uses.resets.has(&stream) || uses.resets.any_past()? {
        return Ok(());
    }
    let mark = uses.resets.lend(&stream)?;
    stream.submit(Op::Record(&mark))?;
    uses.resets.keep(&event, &stream, mark);
    event.is_plain.store(false, Ordering::Relaxed);
    Ok(())
}

/// aclrtQueryEventStatus: whether the latest record has happened. Never recorded: yes for an
/// event of aclrtCreateEventExWithFlag, no for the others.
///
/// Inlined by force: the answer would go through memory.
#[inline(always)]
pub fn is_complete(raw: u64) -> Result<bool> {
    thread::refuse_inside_host_function()?;
    let event = handles::get::<Event>("event", raw)?;
    if !event.is_plain.load(Ordering::Relaxed) {
        return event.is_complete_otherwise();
    }
    Ok(event.native.is_known_complete() || event.native.is_complete()?)
}

/// aclrtQueryEvent: as [`is_complete`], for the older kinds of event.
pub fn is_complete_old(raw: u64) -> Result<bool> {
    thread::refuse_inside_host_function()?;
    handles::get::<Event>("event", raw)?.check_not_ex("use aclrtQueryEventStatus")?;
    is_complete(raw)
}

/// aclrtQueryEventWaitStatus: whether every stream has come past its waits for the event.
pub fn waits_are_over(raw: u64) -> Result<bool> {
    thread::refuse_inside_host_function()?;
    let event = handles::get::<Event>("event", raw)?;
    event.check_not_ex(
        "its waits are not counted; use aclrtStreamQuery, or record an event behind the wait",
    )?;
    event.check_not_captured()?;
    event.uses.lock().waits.all_past()
}

/// aclrtSynchronizeEvent, and with a timeout in milliseconds.
pub fn synchronize(raw: u64, timeout_ms: i32) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let deadline = stream::deadline(timeout_ms)?;
    let event = handles::get_arc::<Event>("event", raw)?;
    event.check_not_captured()?;
    if deadline.is_none() {
        callback::refuse_endless_wait()?;
    }
    // Read before the wait: a record that comes during it is not what is waited for.
    let recorded = event.recorded.get();
    let awaited = order::is_tracked().then(|| Awaited::record(event.uses.lock().clock.clone()));
    let wait = match &event.shared {
        Some(shared) => shared.synchronize(&event, deadline)?,
        None => event.native.synchronize(deadline)?,
    };
    if wait == Wait::TimedOut {
        return Err(Error::new(
            Code::EventSyncTimeout,
            format_args!(
                "event {raw:#x} had not happened after {timeout_ms} ms; its stream goes on"
            ),
        ));
    }
    if let Some(awaited) = awaited {
        awaited.is_over();
    }
    // What failed in the stream before this point is reported here, if nobody was told yet.
    let Some((stream, position)) = recorded else { return Ok(()) };
    let Some(stream) = Stream::table().get(stream) else { return Ok(()) };
    stream.failures().report_before(position)
}
