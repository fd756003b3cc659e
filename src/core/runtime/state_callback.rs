//! Reports devices and streams to programs when they are created and when they end.
//!
//! While a callback runs, this module holds no lock and no reference: the callback may make every call, also those that
//! create and end devices and streams. What a callback itself creates and ends is not reported, because that would not
//! terminate.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::algo::map::slot_table::Handle;
use crate::algo::thread::per_thread::{ThreadList, per_thread};
use crate::base::callback;
use crate::base::error::{Result, param_invalid};
use crate::runtime::lifecycle::{StreamsOf, lifecycle};

/// A change of a device, before or after it takes effect: an `aclrtDeviceState`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceState {
    /// A call is about to open the device.
    SetPre,
    /// A call has opened the device.
    SetPost,
    /// A call is about to release the device.
    ResetPre,
    /// A call has released the device.
    ResetPost,
}

/// A change of a stream: an `aclrtStreamState`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamState {
    /// The stream was created.
    Created = 1,
    /// The stream is about to end.
    Destroying = 2,
}

/// A callback of the program for devices.
pub type DeviceWatcher = Arc<dyn Fn(u32, DeviceState) + Send + Sync>;
/// A callback of the program for streams.
pub type StreamWatcher = Arc<dyn Fn(u64, StreamState) + Send + Sync>;

/// Callbacks by the names that programs give them.
pub(crate) struct Registry<W> {
    watchers: Mutex<Vec<(String, W)>>,
    /// True if there are callbacks. Read without the lock. Relaxed: threads that must see a change are ordered after it
    /// by other means.
    any: AtomicBool,
}

impl<W: Clone> Registry<W> {
    pub(crate) const fn new() -> Self {
        Self { watchers: Mutex::new(Vec::new()), any: AtomicBool::new(false) }
    }

    fn has_any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    /// Registers a callback, or unregisters the callback with that name.
    pub(crate) fn set(&self, name: &str, watcher: Option<W>) -> Result<()> {
        let mut watchers = self.watchers.lock();
        let known = watchers.iter().any(|(other, _)| other == name);
        ensure!(
            !known || watcher.is_none(),
            param_invalid!(
                "regName \"{name}\" is registered already; unregister it first (callback null), or use another name"
            )
        );
        ensure!(
            known || watcher.is_some(),
            param_invalid!(
                "callback is null (this unregisters regName \"{name}\"), but nothing is registered under this name; \
                 pass a callback, or a registered name"
            )
        );
        let removed = watchers.extract_if(.., |(other, _)| other == name).next();
        watchers.extend(watcher.map(|watcher| (name.to_owned(), watcher)));
        self.any.store(!watchers.is_empty(), Ordering::Relaxed);
        // The old watchers are dropped after the lock is released.
        drop(watchers);
        drop(removed);
        Ok(())
    }

    /// Calls the callbacks. `what` names their kind in texts.
    pub(crate) fn notify(&self, what: &'static str, mut call: impl FnMut(&W)) {
        if !self.has_any() || INSIDE.get() {
            return;
        }
        struct Ends;
        impl Drop for Ends {
            fn drop(&mut self) {
                INSIDE.set(false);
            }
        }
        let watchers = self.watchers.lock().clone();
        INSIDE.set(true);
        let _ends = Ends;
        watchers.iter().for_each(|(_, watcher)| callback::run(what, || call(watcher)));
    }
}

static DEVICES: Registry<DeviceWatcher> = Registry::new();
static STREAMS: Registry<StreamWatcher> = Registry::new();

/// Streams whose end was reported and that still exist.
static ANNOUNCED: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

per_thread! {
    /// True while this thread is inside such a callback.
    static INSIDE: Cell<bool> = Cell::new(false);
    /// Streams that ended without a report, because they were created while their device was being reset.
    static LATE: ThreadList<u64> = ThreadList::new();
}

/// Implements aclrtRegDeviceStateCallback; `None` unregisters the callback with this name.
pub fn watch_devices(name: &str, watcher: Option<DeviceWatcher>) -> Result<()> {
    DEVICES.set(name, watcher)
}

/// Implements aclrtRegStreamStateCallback; `None` unregisters the callback with this name.
pub fn watch_streams(name: &str, watcher: Option<StreamWatcher>) -> Result<()> {
    STREAMS.set(name, watcher)?;
    if !STREAMS.has_any() {
        ANNOUNCED.lock().clear();
    }
    Ok(())
}

/// Whether a callback sees what the calling thread does to devices or streams.
pub(crate) fn is_watched() -> bool {
    (DEVICES.has_any() || STREAMS.has_any()) && !INSIDE.get()
}

/// Reports a change of a device. The caller holds no lock and no reference.
pub(crate) fn notify_device(id: u32, state: DeviceState) {
    DEVICES.notify("device-state callback", |watcher| watcher(id, state));
}

fn notify_stream(stream: u64, state: StreamState) {
    STREAMS.notify("stream-state callback", |watcher| watcher(stream, state));
}

/// Reports that a stream was created. The caller holds no lock and no reference.
pub(crate) fn stream_created(stream: u64) {
    notify_stream(stream, StreamState::Created);
}

/// Reports once that a stream is about to end. The caller holds no lock and no reference.
pub(crate) fn stream_ends(stream: u64) {
    if !STREAMS.has_any() || INSIDE.get() {
        return;
    }
    {
        let mut announced = ANNOUNCED.lock();
        // Read under the lock: a stream leaves the table before it leaves `ANNOUNCED`.
        if !(lifecycle().stream_is_live)(stream) || !announced.insert(stream) {
            return;
        }
    }
    notify_stream(stream, StreamState::Destroying);
}

/// Reports the end of all streams of a set, as [`stream_ends`] does.
pub(crate) fn streams_end(which: StreamsOf) {
    if !STREAMS.has_any() {
        return;
    }
    for stream in (lifecycle().stream_handles)(which) {
        stream_ends(stream);
    }
}

/// Notes that streams stay whose end was reported.
pub(crate) fn streams_stay(which: StreamsOf) {
    if !STREAMS.has_any() {
        return;
    }
    let stay = BTreeSet::from_iter((lifecycle().stream_handles)(which));
    ANNOUNCED.lock().retain(|stream| !stay.contains(stream));
}

/// Notes that a stream was removed from the table. May be called under locks; [`notify_pending`] follows without them.
pub(crate) fn stream_ended(stream: Handle) {
    if !STREAMS.has_any() {
        return;
    }
    let announced = ANNOUNCED.lock().remove(&stream.raw());
    if !announced && !INSIDE.get() {
        LATE.with(|late| late.push(stream.raw()));
    }
}

/// Reports the streams that ended under locks. The caller holds no lock and no reference.
pub(crate) fn notify_pending() {
    for stream in LATE.with(ThreadList::take) {
        notify_stream(stream, StreamState::Destroying);
    }
}

#[cfg(test)]
#[path = "state_callback_tests.rs"]
mod tests;
