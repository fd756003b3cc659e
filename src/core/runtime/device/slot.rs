//! The reference count of a device, and its way from closed to open and back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use crate::algo::map::slot_table::{self, Handle, Ref};
use crate::algo::map::typed_slots::Slots;
use crate::algo::sync::published::Published;
use crate::backend::{DeviceInfo, Driver, trace};
use crate::core::base::callback;
use crate::core::base::error::{Result, param_invalid};
use crate::core::base::handles::take_all;
use crate::core::base::leave::wait_until_unshared;
use crate::core::base::owner::Owner;
use crate::core::base::teardown_errors::TeardownErrors;
use crate::core::runtime::context::Context;
use crate::core::runtime::lifecycle::lifecycle;
use crate::core::runtime::open_device::Device;
use crate::core::runtime::{self, thread};

/// How long a stream of a device in teardown may wait for a value.
const WAIT_PATIENCE: Duration = Duration::from_secs(1);

/// How long a thread waits for a reset that may itself wait for callbacks of this thread.
const CALLBACK_PATIENCE: Duration = Duration::from_secs(2);

/// How often a thread that waits for a reset checks whether it has callbacks to run.
const LOOK: Duration = Duration::from_millis(100);

/// The result of opening a device.
struct Open {
    device: Arc<Device>,
    /// Its default context.
    primary: Handle,
    /// Its default stream, if it was closed before.
    default_stream: Option<Handle>,
}

/// The slot of one device in a session: closed, or open with a reference count.
pub struct DeviceSlot {
    id: u32,
    /// Held while the device is set or reset, also while a reset waits for its work.
    state: Mutex<SlotState>,
    /// The open device. Changed under `state`; readers do not wait for the lock.
    device: Published<Device>,
    /// The session is ending: the device is not opened any more.
    ended: AtomicBool,
    /// Properties that the backend reported.
    info: OnceLock<DeviceInfo>,
    /// State that features keep for the device, open or not.
    pub features: Slots,
}

#[derive(Default)]
struct SlotState {
    /// Sets of the open device that resets have undone.
    released: u64,
}

impl DeviceSlot {
    /// The closed slot of device `id`.
    pub fn new(id: u32) -> Self {
        Self {
            id,
            state: Mutex::default(),
            device: Published::new(),
            ended: AtomicBool::new(false),
            info: OnceLock::new(),
            features: Slots::default(),
        }
    }

    /// aclrtSetDevice outside the fast path. `raced`: the opening that has counted this set already, if it is still the
    /// current one. The caller holds no reference to the device, because a reset that this waits for would wait for it.
    /// Returns the default stream if this opened the device.
    pub fn set(&self, driver: &dyn Driver, raced: Option<Owner>) -> Result<Option<Handle>> {
        let state = self.lock()?;
        if raced.is_some() && raced == self.device().map(|device| device.owner) {
            return Ok(None);
        }
        let Open { device, primary, default_stream } = self.open(&state, driver)?;
        device.sets.set_first(primary, thread::number());
        thread::set_current(Some(primary));
        Ok(default_stream)
    }

    /// The device with its default context for an explicit context; counts nothing. Also returns the default stream if
    /// this opened the device.
    pub fn open_uncounted(&self, driver: &dyn Driver) -> Result<(Arc<Device>, Option<Handle>)> {
        let state = self.lock()?;
        let Open { device, primary, default_stream } = self.open(&state, driver)?;
        device.sets.primary.store(primary.raw(), Ordering::SeqCst);
        Ok((device, default_stream))
    }

    /// Whether the device is open.
    pub fn is_open(&self) -> bool {
        self.device.get().is_some()
    }

    /// Whether the next reset would release the device.
    pub fn ends_with_next_reset(&self) -> Result<bool> {
        Ok(self.count(&*self.lock()?) == 1)
    }

    /// Properties of the device, open or not.
    pub fn info(&self, driver: &dyn Driver) -> Result<&DeviceInfo> {
        match self.info.get() {
            Some(info) => Ok(info),
            None => {
                let info = driver.describe(self.id)?;
                Ok(self.info.get_or_init(|| info))
            }
        }
    }

    /// The device if it is open. A reset waits until the reference is dropped: hold it briefly.
    pub fn device(&self) -> Option<Arc<Device>> {
        self.device.get_arc()
    }

    /// As [`Self::device`], without a write to memory that other threads read.
    #[inline]
    pub fn glance(&self) -> Option<Ref<'_, Device>> {
        self.device.get()
    }

    /// Whether the default context exists.
    pub fn has_primary(&self) -> bool {
        let device = self.device.get();
        device.is_some_and(|device| device.sets.primary.load(Ordering::SeqCst) != 0)
    }

    /// The reference count.
    fn count(&self, state: &SlotState) -> u64 {
        let device = self.device.get();
        device.map_or(0, |device| device.sets.sets.total().wrapping_sub(state.released))
    }

    /// Locks the state. A reset that holds the lock waits for the streams of the device, which may wait for callbacks
    /// of another device that only the calling thread runs. So a thread with such callbacks waits for a bounded time.
    fn lock(&self) -> Result<MutexGuard<'_, SlotState>> {
        self.state.try_lock().map_or_else(|| self.lock_later(), Ok)
    }

    fn lock_later(&self) -> Result<MutexGuard<'_, SlotState>> {
        let mut pending_since = None;
        loop {
            if let Some(state) = self.state.try_lock_for(LOOK) {
                return Ok(state);
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
                     ({count} are pending); call {process} first, then call again",
                    self.id
                ));
            }
        }
    }

    /// `_state`: the caller holds the lock.
    fn open(&self, _state: &SlotState, driver: &dyn Driver) -> Result<Open> {
        if self.ended.load(Ordering::SeqCst) {
            return Err(runtime::finalized());
        }
        let open = self.device();
        let device = match &open {
            Some(device) => device.clone(),
            None => Arc::new(Device::new(self.id, driver.open(self.id)?)),
        };
        let present = Handle::from_raw(device.sets.primary.load(Ordering::SeqCst));
        let (primary, default_stream) = match present {
            Some(primary) => (primary, None),
            None => match Context::create(&device, true) {
                Ok((primary, stream)) => (primary, Some(stream)),
                Err(error) => {
                    // Nothing uses the device that was opened for this context: it is closed again, and the context's
                    // failure is returned.
                    if open.is_none() {
                        let _ = device.native.close();
                    }
                    return Err(error);
                }
            },
        };
        if open.is_none() {
            self.device.replace(Some(device.clone()));
        }
        Ok(Open { device, primary, default_stream })
    }

    /// aclrtResetDevice. Returns the result of the teardown if this was the last reference.
    pub fn reset(&self) -> Result<Option<TeardownErrors>> {
        let mut state = self.lock()?;
        if self.count(&state) == 0 {
            return Err(param_invalid!(
                "deviceId {} is not set (its reference count is 0); there is nothing to reset",
                self.id
            ));
        }
        state.released += 1;
        if self.count(&state) > 0 {
            return Ok(None);
        }
        if let Some(device) = self.device() {
            let primary = device.sets.primary.swap(0, Ordering::SeqCst);
            if device.sets.sets.exact_total() > state.released {
                // Another thread set the device meanwhile: it stays.
                device.sets.primary.store(primary, Ordering::SeqCst);
                return Ok(None);
            }
            announce_release(&device, "aclrtResetDevice")?;
        }
        Ok(Some(self.release(&mut state, None)))
    }

    /// aclrtResetDeviceForce. Returns the result of the teardown.
    pub fn reset_force(&self) -> Result<TeardownErrors> {
        let mut state = self.lock()?;
        let Some(device) = self.device() else {
            return Err(param_invalid!("deviceId {} is not set; there is nothing to reset", self.id));
        };
        announce_release(&device, "aclrtResetDeviceForce")?;
        drop(device);
        Ok(self.release(&mut state, None))
    }

    /// As a forced reset, at the end of the session: the device is not opened again.
    pub fn close(&self, deadline: Instant) -> TeardownErrors {
        self.ended.store(true, Ordering::SeqCst);
        // A reset in another thread may hold the lock and wait for the same work.
        let state = self.state.try_lock_until(deadline);
        match state {
            Some(mut state) => self.release(&mut state, Some(deadline)),
            None => TeardownErrors::too_late(),
        }
    }

    /// Releases the device: first its handles die, so that no new work is submitted; then pending work completes; then
    /// calls inside leave; then the resources are freed.
    fn release(&self, state: &mut SlotState, deadline: Option<Instant>) -> TeardownErrors {
        let mut errors = TeardownErrors::default();
        let Some(mut device) = self.device.replace(None) else { return errors };
        let Ok(steps) = lifecycle() else { return errors };
        device.sets.primary.store(0, Ordering::SeqCst);
        state.released = 0;
        let waits_until = waits_until(deadline);
        let alone = wait_until_unshared(&mut device, |device| {
            // Each time: a call that was inside may have created something before it left.
            take_all::<Context>(|context| Arc::ptr_eq(&context.device, device));
            steps.streams.drain_device(device, waits_until, deadline, &mut errors);
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
            // A leak is better than a crash of a thread that still uses it.
            steps.device_memory.iter().for_each(|memory| (memory.abandon)(&device));
            std::mem::forget(device);
        }
        errors
    }
}

/// Reports before `call` releases the device.
fn announce_release(device: &Device, call: &str) -> Result<()> {
    lifecycle()?.device_ending.iter().for_each(|step| step(device, call));
    Ok(())
}

/// The time until which streams of a device in teardown may wait for values, which other threads may still write.
fn waits_until(deadline: Option<Instant>) -> Instant {
    let now = Instant::now();
    let left = deadline.map_or(WAIT_PATIENCE, |deadline| (deadline - now) / 2);
    now + left.min(WAIT_PATIENCE)
}
