//! The slot of a device: its reference count, and how it is opened and closed.
//!
//! aclrtSetDevice counts in striped counters, so it writes to no cache line that other threads use; a reset sums them.
//! A fixed number of stripes needs no registration of threads and no destructor of a thread, unlike one counter per
//! thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use crate::algo::map::slot_table::{self, Handle, Ref};
use crate::algo::map::typed_slots::Slots;
use crate::algo::sync::published::Published;
use crate::backend::{DeviceInfo, Driver, trace};
use crate::base::callback;
use crate::base::error::{Result, param_invalid};
use crate::base::gate::{self, Binding};
use crate::base::handles::take_all;
use crate::base::leave::wait_until_unshared;
use crate::base::owner::Owner;
use crate::base::teardown_errors::TeardownErrors;
use crate::runtime::context::Context;
use crate::runtime::device::Device;
use crate::runtime::lifecycle::lifecycle;
use crate::runtime::{self, thread};

/// Longest time that a stream of a device in teardown may wait for a value.
const WAIT_PATIENCE: Duration = Duration::from_secs(1);

/// Longest time that a thread waits for a reset that may itself wait for callbacks of this thread.
const CALLBACK_PATIENCE: Duration = Duration::from_secs(2);

/// Interval at which a thread that waits for a reset checks whether it has callbacks to run.
const LOOK: Duration = Duration::from_millis(100);

/// The slot of one device in a session: closed, or open with a reference count.
pub struct DeviceSlot {
    id: u32,
    /// Number of sets of the open device that resets have undone. Locked while the device is set or reset, also while a
    /// reset waits for the device's work.
    released: Mutex<u64>,
    /// The open device. Changed under the lock of `released`; readers do not wait for that lock.
    device: Published<Device>,
    /// True when the session is ending: the device is not opened any more.
    ended: AtomicBool,
    /// Properties that the backend reported.
    info: OnceLock<DeviceInfo>,
    /// State that features keep for the device, whether it is open or not.
    pub features: Slots,
}

impl DeviceSlot {
    /// Creates the closed slot of device `id`.
    pub fn new(id: u32) -> Self {
        Self {
            id,
            released: Mutex::default(),
            device: Published::new(),
            ended: AtomicBool::new(false),
            info: OnceLock::new(),
            features: Slots::default(),
        }
    }

    /// Implements aclrtSetDevice outside of the fast path. `raced`: the opening that has counted this set already, if
    /// that is still the current one. The caller holds no reference to the device: a reset that this waits for would
    /// wait for the reference. Returns the default stream if this call opened the device.
    pub fn set(&self, driver: &dyn Driver, raced: Option<Owner>) -> Result<Option<Handle>> {
        let released = self.lock()?;
        if raced.is_some() && raced == self.device().map(|device| device.owner) {
            return Ok(None);
        }
        let (device, primary, default_stream) = self.open(&released, driver)?;
        device.sets.raise(thread::number());
        device.primary.store(primary.raw(), Ordering::SeqCst);
        thread::set_current(Some(primary));
        Ok(default_stream)
    }

    /// Opens the device with its default context for an explicit context, and counts nothing. Returns the default
    /// stream as well if this call opened the device.
    pub(crate) fn open_uncounted(&self, driver: &dyn Driver) -> Result<(Arc<Device>, Option<Handle>)> {
        let released = self.lock()?;
        let (device, primary, default_stream) = self.open(&released, driver)?;
        device.primary.store(primary.raw(), Ordering::SeqCst);
        Ok((device, default_stream))
    }

    /// Whether the device is open.
    pub fn is_open(&self) -> bool {
        self.device.get().is_some()
    }

    /// Whether the next reset would release the device.
    pub(crate) fn ends_with_next_reset(&self, force: bool) -> Result<bool> {
        if force { Ok(self.is_open()) } else { Ok(self.count(&*self.lock()?) == 1) }
    }

    /// Returns the properties of the device, whether it is open or not.
    pub fn info(&self, driver: &dyn Driver) -> Result<&DeviceInfo> {
        if let Some(info) = self.info.get() {
            return Ok(info);
        }
        let info = driver.describe(self.id)?;
        Ok(self.info.get_or_init(|| info))
    }

    /// Returns the device if it is open. A reset waits until the reference is dropped, so callers hold it briefly.
    pub fn device(&self) -> Option<Arc<Device>> {
        self.device.get_arc()
    }

    /// Returns the device as [`Self::device`] does, without a write to memory that other threads read.
    #[inline]
    pub(crate) fn glance(&self) -> Option<Ref<'_, Device>> {
        self.device.get()
    }

    /// Returns the reference count.
    fn count(&self, released: &u64) -> u64 {
        let device = self.device.get();
        device.map_or(0, |device| device.sets.total().wrapping_sub(*released))
    }

    /// Locks the count of released sets. A reset that holds the lock waits for the streams of the device, which may
    /// wait for callbacks of another device that only the calling thread runs. So a thread with such callbacks waits
    /// for a bounded time.
    fn lock(&self) -> Result<MutexGuard<'_, u64>> {
        let mut pending_since = None;
        loop {
            if let Some(released) = self.released.try_lock_for(LOOK) {
                return Ok(released);
            }
            // The reset drops callbacks of the device's own streams.
            let pending = callback::pending_here(&|device, _| device == self.id);
            let Some((count, process)) = pending else {
                pending_since = None;
                continue;
            };
            if pending_since.get_or_insert_with(Instant::now).elapsed() >= CALLBACK_PATIENCE {
                return Err(param_invalid!(
                    "deviceId {} is being reset, and its streams may wait for callbacks that only this thread runs \
                     ({count} pending); call {process} first, then try again",
                    self.id
                ));
            }
        }
    }

    /// Opens the device with its default context. Returns the default stream as well if the device was closed before.
    /// `_released` shows that the caller holds the lock.
    fn open(&self, _released: &u64, driver: &dyn Driver) -> Result<(Arc<Device>, Handle, Option<Handle>)> {
        ensure!(!self.ended.load(Ordering::SeqCst), runtime::finalized());
        let open = self.device();
        let device = match &open {
            Some(device) => device.clone(),
            None => {
                gate::bind(Binding::Device);
                Arc::new(Device::new(self.id, driver.open(self.id)?))
            }
        };
        let present = Handle::from_raw(device.primary.load(Ordering::SeqCst));
        let (primary, default_stream) = match present {
            Some(primary) => (primary, None),
            None => {
                let created = Context::create(&device, true).inspect_err(|_| {
                    // Nothing uses the device that was opened for this context: it is closed again, and the context's
                    // failure is returned.
                    if open.is_none() {
                        let _ = device.native.close();
                    }
                });
                created.map(|(primary, stream)| (primary, Some(stream)))?
            }
        };
        if open.is_none() {
            self.device.replace(Some(device.clone()));
        }
        Ok((device, primary, default_stream))
    }

    /// Implements aclrtResetDevice, and with `force` aclrtResetDeviceForce. Returns the result of the teardown if it
    /// released the device.
    pub fn reset(&self, force: bool) -> Result<Option<TeardownErrors>> {
        let mut released = self.lock()?;
        let device = self.device().filter(|_| force || self.count(&released) != 0);
        let device = device.ok_or_else(|| {
            let remedy = match self.is_open() {
                true => "if aclrtCreateContext has opened the device, aclrtResetDeviceForce releases it",
                false => "there is nothing to reset; omit the call",
            };
            param_invalid!("deviceId {} is not set (its reference count is 0); {remedy}", self.id)
        })?;
        if !force {
            *released += 1;
            if self.count(&released) > 0 {
                return Ok(None);
            }
            let primary = device.primary.swap(0, Ordering::SeqCst);
            if device.sets.exact_total() > *released {
                // Another thread set the device meanwhile: it stays.
                device.primary.store(primary, Ordering::SeqCst);
                return Ok(None);
            }
        }
        let call = if force { "aclrtResetDeviceForce" } else { "aclrtResetDevice" };
        lifecycle().device_teardown.iter().for_each(|step| step(&device, call));
        drop(device);
        Ok(Some(self.release(&mut released, None)))
    }

    /// Resets the device at the end of the session, as a forced reset does. The device is not opened again.
    pub fn close(&self, deadline: Instant) -> TeardownErrors {
        self.ended.store(true, Ordering::SeqCst);
        // A reset in another thread may hold the lock and wait for the same work.
        let released = self.released.try_lock_until(deadline);
        match released {
            Some(mut released) => self.release(&mut released, Some(deadline)),
            None => TeardownErrors::too_late(),
        }
    }

    /// Releases the device: first its handles die, so that no new work is submitted; then pending work completes; then
    /// calls inside leave; then the resources are freed.
    fn release(&self, released: &mut u64, deadline: Option<Instant>) -> TeardownErrors {
        let mut errors = TeardownErrors::default();
        let Some(mut device) = self.device.replace(None) else { return errors };
        let steps = lifecycle();
        device.primary.store(0, Ordering::SeqCst);
        *released = 0;
        // Until this time streams may wait for values, which other threads may still write.
        let now = Instant::now();
        let left = deadline.map_or(WAIT_PATIENCE, |deadline| (deadline - now) / 2);
        let waits_until = now + left.min(WAIT_PATIENCE);
        let alone = wait_until_unshared(&mut device, |device| {
            // This runs before each check: a call that was inside may have created something before it left.
            take_all::<Context>(|context| Arc::ptr_eq(&context.device, device));
            (steps.drain_device)(device, waits_until, deadline, &mut errors);
            steps.device_handles.iter().for_each(|step| step(device));
            slot_table::flush_deferred();
            !errors.timed_out
        });
        errors.timed_out |= !alone;
        trace::at_end_of_device(device.id);
        steps.device_state.iter().for_each(|step| step(&device));
        if !errors.timed_out {
            steps.device_memory.iter().for_each(|memory| (memory.free)(&device, &mut errors));
            errors.step_on_device(device.native.close());
        } else {
            // A thread may still use the device, so it is leaked.
            steps.device_memory.iter().for_each(|memory| (memory.abandon)(&device));
            std::mem::forget(device);
        }
        errors
    }
}
