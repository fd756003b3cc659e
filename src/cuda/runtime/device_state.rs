//! The state of an open device that streams and memory use: its context, and what was created in it.

use std::collections::HashSet;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use cudarc::driver::sys::{
    CUdevice_attribute, CUdeviceptr, CUevent, CUevent_flags, CUevent_st, CUmemoryPool, CUstream_flags, CUstream_st,
};
use parking_lot::{Mutex, RecursiveRwLock, RecursiveRwLockReadGuard};

use crate::algo::map::typed_slots::{Key, Slots};
use crate::algo::sync::level::Level;
use crate::backend::{DeviceInfo, Fault, FaultKind, Priority, Result, inside_host_function};
use crate::base::api::{Api, Outcome};
use crate::memory::blocks::Padding;
use crate::runtime::context::{Context, Raw};
use crate::runtime::info;
use crate::runtime::priorities::Priorities;
use crate::runtime::shared::DriverState;
use crate::stream::words::{GREATER_EQUAL, Words};

/// The number of streams of the library for synchronous calls. More calls at a time share them.
const LIBRARY_STREAMS: usize = 4;

/// The state that streams, events and blocks of a device share.
pub(crate) struct DeviceState {
    pub driver: Arc<DriverState>,
    pub context: Arc<Context>,
    pub info: DeviceInfo,
    pub priorities: Priorities,
    /// Whether the device is closed. It changes under `closing`.
    closed: AtomicBool,
    /// The lock of calls that may come late (a dropped event, a query of another device's streams): they hold it for
    /// reading, `set_closed` for writing. Other calls read `closed` without it.
    closing: RecursiveRwLock<()>,
    /// Every event that exists, by its handle: events of programs and of marks.
    events: Mutex<HashSet<usize>>,
    /// The events for marks that are not in use.
    spare_events: Mutex<Vec<Raw<CUevent_st>>>,
    /// The events that were dropped inside host functions, which may not call the driver. A later call destroys them.
    dropped_events: Mutex<Vec<Raw<CUevent_st>>>,
    /// The streams of [`Self::on_library_stream`], and how many calls use each.
    library_streams: Mutex<Vec<(Raw<CUstream_st>, usize)>>,
    /// The padding of device memory.
    pub padding: Padding,
    /// The padding of managed memory.
    pub managed_padding: Padding,
    /// The number of bytes of the blocks of [`alloc`](crate::backend::Device::alloc).
    pub device_bytes: Level,
    /// The number of bytes of the blocks of [`alloc_managed`](crate::backend::Device::alloc_managed).
    pub managed_bytes: Level,
    /// The driver's handles of the existing pools, for the functions that create and destroy pools.
    pub pools: Mutex<HashSet<usize>>,
    /// The words that streams wait for. Set when the device is opened, if its streams can wait for words; otherwise the
    /// driver runs host functions itself.
    pub words: OnceLock<Words>,
    /// Set when the observers have received the failure of the device.
    pub reported: OnceLock<()>,
    /// The slots in which higher modules keep their state of this device.
    pub features: Slots,
}

impl DeviceState {
    pub(crate) fn new(driver: &Arc<DriverState>, context: Arc<Context>) -> Result<Self> {
        let info = info::describe(&driver.api, context.device)?;
        let (mut least_urgent, mut most_urgent) = (0, 0);
        // SAFETY: the driver writes the numbers of two stream priorities into `least_urgent` and `most_urgent`.
        context.call(|api| unsafe { api.ctx_get_stream_priority_range(&mut least_urgent, &mut most_urgent) })?;
        Ok(Self {
            driver: Arc::clone(driver),
            context,
            info,
            priorities: Priorities::new(least_urgent, most_urgent),
            closed: AtomicBool::new(false),
            closing: RecursiveRwLock::new(()),
            events: Mutex::default(),
            spare_events: Mutex::default(),
            dropped_events: Mutex::default(),
            library_streams: Mutex::default(),
            padding: Padding::default(),
            managed_padding: Padding::default(),
            device_bytes: Level::default(),
            managed_bytes: Level::default(),
            pools: Mutex::default(),
            words: OnceLock::new(),
            reported: OnceLock::new(),
            features: Slots::default(),
        })
    }

    /// Whether other processes can import physical memory of this device by descriptors.
    pub(crate) fn can_share_descriptors(&self) -> Result<bool> {
        let asked = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
        Ok(self.driver.device_attribute(self.context.ordinal, asked)? != 0)
    }

    /// Keeps the device open until the result is dropped. Returns `None` if it is closed.
    pub(crate) fn keep_open(&self) -> Option<RecursiveRwLockReadGuard<'_, ()>> {
        // The lock is recursive: a holder may drop the last reference to an event, which calls this too.
        let open = self.closing.read();
        // Relaxed: the lock orders the read.
        (!self.closed.load(Ordering::Relaxed)).then_some(open)
    }

    pub(crate) fn check_open(&self) -> Result<()> {
        // Acquire, with the Release in `set_closed`: what a call that reads "open" uses still exists.
        if self.closed.load(Ordering::Acquire) { Err(self.is_closed()) } else { Ok(()) }
    }

    #[cold]
    fn is_closed(&self) -> Fault {
        let text = format!("CUDA device {} is closed", self.context.ordinal);
        Fault::new(FaultKind::Driver, text)
    }

    /// Runs driver calls in the device's context.
    pub(crate) fn call<T>(&self, calls: impl FnOnce(&Api) -> Outcome<T>) -> Result<T> {
        self.check_open()?;
        self.context.call(calls)
    }

    /// Runs driver calls in the device's context. It is inlined completely, for the most frequent calls of programs.
    #[inline(always)]
    pub(crate) fn call_here<T>(&self, calls: impl FnOnce(&Api) -> Outcome<T>) -> Result<T> {
        self.check_open()?;
        self.context.call_for(FaultKind::OutOfDeviceMemory, calls)
    }

    /// Runs driver calls that create an object: "out of memory" is then not about device memory.
    pub(crate) fn create<T>(&self, calls: impl FnOnce(&Api) -> Outcome<T>) -> Result<T> {
        self.check_open()?;
        self.context.call_for(FaultKind::OutOfResources, calls)
    }

    /// Runs driver calls that release something. On a closed device, which has released everything, runs none.
    pub(crate) fn end(&self, calls: impl FnOnce(&Api) -> Outcome) -> Result<()> {
        let Some(_open) = self.keep_open() else { return Ok(()) };
        self.call(calls)
    }

    /// Queries whether something is complete. Returns `false` while the driver returns "not ready", or that a capture
    /// forbids the query.
    pub(crate) fn poll(&self, question: impl FnOnce(&Api) -> Outcome) -> Result<bool> {
        self.check_open()?;
        self.context.healthy()?;
        match self.context.attempt(question) {
            Ok(()) => Ok(true),
            Err(failure) if failure.is_not_ready() || failure.is_of_capture() => Ok(false),
            Err(failure) => Err(self.context.note(failure, FaultKind::OutOfDeviceMemory)),
        }
    }

    pub(crate) fn create_event(&self, timing: bool) -> Result<Raw<CUevent_st>> {
        let dropped = std::mem::take(&mut *self.dropped_events.lock());
        dropped.into_iter().for_each(|raw| self.destroy_event(raw));
        let flags = if timing { CUevent_flags::CU_EVENT_DEFAULT } else { CUevent_flags::CU_EVENT_DISABLE_TIMING };
        // SAFETY: a new event, with or without times.
        let raw = self.create(|api| unsafe { api.event_create(flags as u32) })?;
        self.events.lock().insert(raw.addr());
        Ok(Raw(raw))
    }

    /// Destroys an event, unless the device is closed. The driver keeps what it still needs of it.
    pub(crate) fn destroy_event(&self, raw: Raw<CUevent_st>) {
        let Some(_open) = self.keep_open() else { return };
        if inside_host_function() {
            // No driver call is allowed here. The event stays in `events` until a later call destroys it.
            self.dropped_events.lock().push(raw);
        } else if self.events.lock().remove(&raw.0.addr()) {
            // SAFETY: it was in the set, so it exists, and only this thread has removed it.
            self.driver.end_in(&self.context, |api| unsafe { api.event_destroy(raw.0) });
        }
    }

    /// Returns an event for a mark.
    pub(crate) fn borrow_event(&self) -> Result<Raw<CUevent_st>> {
        let spare = self.spare_events.lock().pop();
        spare.map_or_else(|| self.create_event(false), Ok)
    }

    /// Accepts an event from [`Self::borrow_event`] for reuse. After the device is closed, the handle is invalid and
    /// not reused.
    pub(crate) fn return_event(&self, raw: Raw<CUevent_st>) {
        self.spare_events.lock().push(raw);
    }

    /// Enqueues something on a stream of the library and waits for it. `cuMemcpyDtoD` and `cuMemset*` return before
    /// they complete, and every call without a stream uses the driver's legacy stream, which synchronizes with the
    /// blocking streams of other libraries.
    pub(crate) fn on_library_stream(&self, queue: impl FnOnce(Raw<CUstream_st>) -> Result<()>) -> Result<()> {
        self.check_open()?;
        let mut streams = self.library_streams.lock();
        let fewest = streams.iter_mut().enumerate().min_by_key(|(_, (_, uses))| *uses);
        let Some((place, (raw, uses))) = fewest else { return Err(self.is_closed()) };
        *uses += 1;
        let raw = *raw;
        drop(streams);
        let queued = queue(raw);
        // SAFETY: a stream that exists while the device is open. Other calls may use it, too: their work ends.
        let wait = || self.call(|api| unsafe { api.stream_synchronize(raw.0) });
        let done = wait();
        // The work may still use the caller's memory, so a failed wait is tried again.
        let _ = done.is_ok() || wait().is_ok();
        self.library_streams.lock().get_mut(place).into_iter().for_each(|(_, uses)| *uses -= 1);
        queued.and(done)
    }

    /// Creates the streams of [`Self::on_library_stream`], when the device is opened. A stream that is created later
    /// waits if it shares a hardware queue with a stream that waits for the program.
    pub(crate) fn create_library_streams(&self) -> Result<()> {
        for _ in 0..LIBRARY_STREAMS {
            let stream = self.create_stream_at(self.priorities.library)?;
            self.library_streams.lock().push((stream, 0));
        }
        Ok(())
    }

    /// Creates a stream of the driver. It does not wait for the legacy default stream, nor that for it.
    pub(crate) fn create_stream(&self, priority: Priority) -> Result<Raw<CUstream_st>> {
        self.create_stream_at(self.priorities.number(priority))
    }

    fn create_stream_at(&self, priority: c_int) -> Result<Raw<CUstream_st>> {
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the priority is within the driver's range.
        self.create(|api| unsafe { api.stream_create_with_priority(flags, priority) }).map(Raw)
    }

    /// Fails if the driver does not let streams wait for words. `so` says what cannot be done then, and what can.
    pub(crate) fn require_words(&self, so: &str) -> Result<()> {
        let text = || format!("this CUDA driver's streams cannot wait for a word in memory, so {so}");
        self.words.get().map(drop).ok_or_else(|| Fault::unsupported(text()))
    }

    /// Tests, when the device is opened, whether the driver lets streams wait for words.
    pub(crate) fn find_words(&self) -> Result<()> {
        let words = Words::default();
        let word = words.lend(&self.context)?;
        let mut cannot_wait = false;
        // The word already has this value: the wait ends at once, or the driver refuses it.
        let probed = self.on_library_stream(|stream| {
            let number = word.number;
            // SAFETY: a stream and a live word.
            self.call(|api| unsafe {
                api.stream_wait_value(stream.0, word.addr as CUdeviceptr, number, GREATER_EQUAL)
                    .inspect_err(|failure| cannot_wait = failure.is_unsupported())
            })
        });
        if probed.is_ok() {
            words.return_word(word);
            // Only this function sets it.
            let _ = self.words.set(words);
            return Ok(());
        }
        words.release(&self.driver, &self.context);
        if cannot_wait { Ok(()) } else { probed }
    }

    /// Marks the device as closed. Waits for those that keep it open.
    pub(crate) fn set_closed(&self) {
        let _closing = self.closing.write();
        self.closed.store(true, Ordering::Release);
    }

    /// Destroys what was created in the context, except for streams of programs. The device is already marked as
    /// closed.
    pub(crate) fn destroy_all(&self) {
        let end = |calls: &dyn Fn(&Api) -> Outcome| self.driver.end_in(&self.context, calls);
        for (raw, _) in self.library_streams.lock().drain(..) {
            // SAFETY: idle, and in this list only.
            end(&|api| unsafe { api.stream_destroy(raw.0) });
        }
        self.spare_events.lock().clear();
        self.dropped_events.lock().clear();
        for event in self.events.lock().drain() {
            // SAFETY: each event in the set exists, and was just removed from it.
            end(&|api| unsafe { api.event_destroy(event as CUevent) });
        }
        for pool in self.pools.lock().drain() {
            // SAFETY: each pool in the set exists, and was just removed from it.
            end(&|api| unsafe { api.mem_pool_destroy(pool as CUmemoryPool) });
        }
    }
}

/// The open devices, as weak references.
static DEVICES: Key<Mutex<Vec<Weak<DeviceState>>>> = Key::new();

impl DriverState {
    pub(crate) fn add_device(&self, device: &Arc<DeviceState>) {
        let mut opened = DEVICES.of(&self.features).lock();
        opened.retain(|device| device.strong_count() > 0);
        opened.push(Arc::downgrade(device));
    }

    /// Returns the device with this ordinal, if it is open.
    pub(crate) fn device(&self, ordinal: u32) -> Option<Arc<DeviceState>> {
        let opened = DEVICES.of(&self.features).lock();
        opened
            .iter()
            .filter_map(Weak::upgrade)
            .find(|device| device.context.ordinal == ordinal && device.check_open().is_ok())
    }

    /// Returns what [`Self::device`] does, or a fault if the device is closed.
    pub(crate) fn open_device(&self, ordinal: u32) -> Result<Arc<DeviceState>> {
        self.device(ordinal).ok_or_else(|| Fault::new(FaultKind::Driver, format!("CUDA device {ordinal} is closed")))
    }
}
