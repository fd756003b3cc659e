//! Events: points in a stream's work. Three creators, three sets of rules:
//!
//! | creator | recorded again | waited for by streams | reset, wait status | time | how many |
//! |---|---|---|---|---|---|
//! | aclrtCreateEvent | yes | yes | wait status | yes | 65,536 recorded |
//! | aclrtCreateEventWithFlag | yes | with SYNC | with SYNC | with TIME_LINE | 65,536 |
//! | aclrtCreateEventExWithFlag | yes | with SYNC | no | with TIME_LINE | unlimited |
//!
//! A wait is for the record that was the latest when the wait was enqueued. A reset undoes the record that was the
//! latest when the reset was enqueued: an earlier reset that is still pending does not affect a later record. Waits of
//! streams and of the host ignore resets, so that a misplaced reset breaks no order.
//!
//! Events with ACL_EVENT_EXTERNAL are signals between streams and graphs, also graphs that run already. Such an event
//! is set or not. A record sets it, a reset clears it, and a wait lasts until it is set; each takes effect when its
//! stream, or its run of a graph, reaches it.

mod lifetime;
mod query;
pub mod sharing;
mod wait;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use self::lifetime::{available, create_ex, create_plain, create_with_flag, destroy, id};
pub use self::query::{elapsed_ms, is_complete, is_complete_old, synchronize, time_us, waits_are_over};
use self::sharing::Shared;
pub use self::sharing::{export, import};
use self::wait::Marks;
pub use self::wait::{until_set, wait, wait_with_flag, wait_with_timeout};
use crate::algo::map::slot_table::Handle;
use crate::algo::sync::gap::Gap;
use crate::algo::sync::spin_lock::SpinLock;
use crate::backend::{self, Change, Op, Position};
use crate::base::error::{Code, Error, Result, error_with, invalid_param, param_invalid};
use crate::base::handles;
use crate::order::{self, Clock, checker};
use crate::runtime::device::Device;
use crate::stream::failure::Recorded;
use crate::stream::interceptor::{self, Awaited, EventUse};
use crate::stream::stream::{Stream, resolve};

/// Bits of the creation flag, as the API numbers them.
mod flag {
    pub(super) const SYNC: u32 = 0x01;
    pub(super) const CAPTURE_STREAM_PROGRESS: u32 = 0x02;
    pub(super) const TIME_LINE: u32 = 0x08;
    pub(super) const DEVICE_USE_ONLY: u32 = 0x10;
    pub(super) const EXTERNAL: u32 = 0x20;
    pub(super) const IPC: u32 = 0x40;
    /// The bits that may be combined.
    pub(super) const COMBINABLE: u32 = SYNC | CAPTURE_STREAM_PROGRESS | TIME_LINE | DEVICE_USE_ONLY;
}

/// Sets the signal of an event with ACL_EVENT_EXTERNAL.
pub const SET: Change = Change::Set(1);
/// Clears the signal of an event with ACL_EVENT_EXTERNAL.
pub const CLEAR: Change = Change::Set(0);

/// The flag of records and waits that belong to a stream that is being captured.
const RECORD_OR_WAIT_EXTERNAL: u32 = 0x01;

/// The function that created an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Creator {
    Plain,
    WithFlag,
    Ex,
}

/// An event.
#[repr(C)]
pub struct Event {
    /// The device on which it is recorded.
    pub device: Arc<Device>,
    /// The backend's event.
    pub native: Arc<dyn backend::Event>,
    /// A small number, unique on its device.
    id: u32,
    creator: Creator,
    /// The flags that it was created with.
    pub flags: u32,
    /// The signal of an event with ACL_EVENT_EXTERNAL: 1 while it is set.
    signal: Option<Arc<backend::Notify>>,
    /// Shared state, if other processes can use it or it was imported.
    shared: Option<Shared>,
    /// The stream and position of its latest record.
    recorded: Recorded,
    /// True if it counts towards the limit of its device.
    counted: AtomicBool,
    /// True if an interceptor took a record of it. A later record may have replaced that.
    was_intercepted: AtomicBool,
    /// True if its latest record is in a stream that runs, no reset of that record is enqueued, and only the backend
    /// decides whether it is complete.
    is_plain: AtomicBool,
    /// Locked while the event is recorded, waited for or reset.
    uses: SpinLock<Uses>,
    _gap: Gap,
}

handles::object!(Event, Event, |_| true);

/// Uses of an event by streams. Events of aclrtCreateEventExWithFlag have none.
#[derive(Default)]
struct Uses {
    /// Marks after the waits for it.
    waits: Marks,
    /// Marks at the resets that undo its latest record.
    resets: Marks,
    /// The clock of its latest record, if the order of streams is tracked.
    clock: Clock,
    /// The record of it that an interceptor took.
    intercepted: Option<Intercepted>,
}

/// The data that an interceptor keeps with a record that it took.
pub type InterceptorData = Box<dyn Any + Send + Sync>;

/// A record that an interceptor took.
struct Intercepted {
    kept: InterceptorData,
    /// The latest record in a running stream at that time. A later one replaces the record that was taken.
    before: Option<(Handle, Position)>,
}

impl Event {
    /// Notes that a stream that runs has recorded the event. The caller holds the lock of `uses`, and clears `resets`.
    #[inline]
    fn note_recorded(&self, stream: &Stream, position: Position) {
        self.recorded.set(stream.handle, position);
        // Relaxed: threads that share an event order their uses of it.
        let is_plain = self.signal.is_none() && self.shared.is_none() && checker::installed().is_none();
        self.is_plain.store(is_plain, Ordering::Relaxed);
    }

    /// Returns the signal of the event, if it has ACL_EVENT_EXTERNAL.
    pub fn signal(&self) -> Option<&Arc<backend::Notify>> {
        self.signal.as_ref()
    }

    /// Returns the event that processes share, if it has ACL_EVENT_IPC.
    pub fn shared(&self) -> Option<&Arc<backend::SharedEvent>> {
        self.shared.as_ref().map(|shared| &shared.native)
    }

    /// Notes that a run of a graph records the event, as operation `position` of `stream`.
    pub fn note_record(&self, stream: &Stream, position: Position) {
        let mut uses = self.uses.lock();
        self.note_recorded(stream, position);
        uses.resets.clear();
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

    /// Fails if streams cannot wait for it.
    pub(crate) fn check_waitable(&self) -> Result<()> {
        if self.is_waitable() { Ok(()) } else { Err(self.lacks_sync("streams cannot wait for it")) }
    }

    /// Fails if it cannot be reset.
    pub(crate) fn check_resettable(&self) -> Result<()> {
        self.check_not_ex("such an event cannot be reset; record it again without a reset")?;
        if self.creator == Creator::Plain {
            return Err(param_invalid!(
                "event was created by aclrtCreateEvent; only events from aclrtCreateEventWithFlag with ACL_EVENT_SYNC \
                 or ACL_EVENT_EXTERNAL can be reset; record this event again without a reset"
            ));
        }
        if self.is_waitable() { Ok(()) } else { Err(self.lacks_sync("it cannot be reset")) }
    }

    #[cold]
    fn lacks_sync(&self, what: &str) -> Error {
        param_invalid!(
            "event was created with flag {:#x}, without ACL_EVENT_SYNC, so {what}; create it with ACL_EVENT_SYNC",
            self.flags
        )
    }

    fn check_not_ex(&self, instead: &str) -> Result<()> {
        if self.creator != Creator::Ex {
            return Ok(());
        }
        Err(param_invalid!("event was created by aclrtCreateEventExWithFlag; {instead}"))
    }

    /// Whether an interceptor took a record of the event, which may have been replaced since.
    #[inline(always)]
    fn may_be_intercepted(&self) -> bool {
        // Relaxed: threads that share an event order their uses of it.
        self.was_intercepted.load(Ordering::Relaxed)
    }

    /// Lets an interceptor take a record: `take` returns the data that it keeps. Of two concurrent records the one
    /// taken last is kept.
    pub(crate) fn intercept(&self, take: impl FnOnce() -> Result<InterceptorData>) -> Result<()> {
        let mut uses = self.uses.lock();
        let kept = take()?;
        uses.intercepted = Some(Intercepted { kept, before: self.recorded.get() });
        self.was_intercepted.store(true, Ordering::Relaxed);
        self.is_plain.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Returns what `read` returns for the interceptor's data of the latest record. `None` if another record replaced
    /// it, or if `read` returns `None`; the data are dropped then.
    pub(crate) fn intercepted<T>(&self, read: impl FnOnce(&(dyn Any + Send + Sync)) -> Option<T>) -> Option<T> {
        let mut uses = self.uses.lock();
        let latest = uses.intercepted.as_ref()?;
        let found = if latest.before == self.recorded.get() { read(&*latest.kept) } else { None };
        if found.is_none() {
            uses.intercepted = None;
            self.was_intercepted.store(false, Ordering::Relaxed);
        }
        found
    }

    /// Fails if the host cannot wait for the latest record, because an interceptor took it.
    #[inline]
    fn check_runs(&self) -> Result<()> {
        if self.may_be_intercepted() { interceptor::installed().check_wait(Awaited::Event(self)) } else { Ok(()) }
    }
}

/// Implements aclrtRecordEvent.
pub fn record(raw: u64, stream: u64) -> Result<()> {
    handles::check_not_null::<Event>("event", raw)?;
    let stream = resolve(stream)?;
    let event = handles::get_pinned::<Event>("event", raw, stream.pin())?;
    ensure!(Arc::ptr_eq(&event.device, &stream.device), of_another_device(raw, event, &stream));
    if event.creator == Creator::Plain {
        event.count()?;
    }
    if stream.is_captured() {
        return use_intercepted(&stream, event, raw, EventUse::Record).map(drop);
    }
    if let Some(shared) = &event.shared {
        return shared.record(event, &stream);
    }
    // The lock is held, so that the record that the device runs last is noted last, and a reset that is enqueued after
    // a record too.
    let mut uses = event.uses.lock();
    if let Some(signal) = &event.signal {
        // The signal is set before the event is recorded: a thread that waits for the record sees it set.
        stream.submit_now(Op::ChangeNotify(signal, SET))?;
    }
    let position = stream.submit_now(Op::Record(&event.native))?;
    event.note_recorded(&stream, position);
    uses.resets.clear();
    if order::is_tracked() {
        uses.clock = order::recorded(&stream.lane, position);
    }
    Ok(())
}

/// Lets the interceptor take what a stream does with an event: see [`interceptor::Interceptor::use_event`].
#[cold]
fn use_intercepted(stream: &Stream, event: &Event, raw: u64, usage: EventUse) -> Result<bool> {
    interceptor::installed().use_event(stream, event, raw, usage)
}

#[cold]
fn of_another_device(raw: u64, event: &Event, stream: &Stream) -> Error {
    error_with!(
        Code::StreamContext,
        "event {raw:#x} was created on device {}, but the stream is on device {}; record the event on a stream of the \
         event's device",
        event.device.id,
        stream.device.id
    )
}

/// Implements aclrtRecordEventWithFlag.
pub fn record_with_flag(raw: u64, stream: u64, flag: u32) -> Result<()> {
    check_use_flag(flag, "ACL_EVENT_RECORD")?;
    if flag == RECORD_OR_WAIT_EXTERNAL {
        handles::check_not_null::<Event>("event", raw)?;
        let stream = resolve(stream)?;
        let event = handles::get::<Event>("event", raw)?;
        ensure!(stream.is_captured(), not_captured(&stream, "ACL_EVENT_RECORD_EXTERNAL"));
        ensure!(Arc::ptr_eq(&event.device, &stream.device), of_another_device(raw, &event, &stream));
        return use_intercepted(&stream, &event, raw, EventUse::RecordExternal).map(drop);
    }
    record(raw, stream)
}

fn check_use_flag(flag: u32, prefix: &str) -> Result<()> {
    if flag <= RECORD_OR_WAIT_EXTERNAL {
        return Ok(());
    }
    Err(invalid_param!("flag is {flag:#x}; allowed: {prefix}_DEFAULT 0 and {prefix}_EXTERNAL 0x1"))
}

#[cold]
fn not_captured(stream: &Stream, flag: &str) -> Error {
    error_with!(
        Code::StreamNotCaptured,
        "flag is {flag}, which only captured streams accept, and {stream} is not captured; pass 0"
    )
}

/// Implements aclrtResetEvent: when the stream reaches the reset, the record that is the latest now is undone.
pub fn reset(raw: u64, stream: u64) -> Result<()> {
    handles::check_not_null::<Event>("event", raw)?;
    let stream = resolve(stream)?;
    let event = handles::get::<Event>("event", raw)?;
    event.check_resettable()?;
    if stream.is_captured() {
        return use_intercepted(&stream, &event, raw, EventUse::Reset).map(drop);
    }
    if let Some(signal) = &event.signal {
        return stream.submit_now(Op::ChangeNotify(signal, CLEAR)).map(drop);
    }
    let mut uses = event.uses.lock();
    // An earlier reset in the same stream, or one that is complete, makes this one unnecessary.
    if !event.recorded.exists() || uses.resets.has(&stream) || uses.resets.any_past()? {
        return Ok(());
    }
    let mark = uses.resets.find_or_create(&stream)?;
    stream.submit(Op::Record(&mark))?;
    uses.resets.keep(&event, &stream, mark);
    event.is_plain.store(false, Ordering::Relaxed);
    Ok(())
}
