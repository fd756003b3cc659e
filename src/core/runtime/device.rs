//! Devices: set, reset, count, synchronize.

pub mod slot;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use self::slot::DeviceSlot;
use crate::algo::map::slot_table::Handle;
use crate::backend::FaultKind;
use crate::base::callback;
use crate::base::error::{Code, Result, error_with, invalid_param, param_invalid, unsupported};
use crate::base::handles::Object;
use crate::base::owner::Owner;
use crate::runtime::context::Context;
use crate::runtime::lifecycle::{StreamsOf, lifecycle};
pub use crate::runtime::open_device::Device;
use crate::runtime::state_callback::{self, DeviceState};
use crate::runtime::{self, Session, thread};

/// Returns the slot of a device id that came from C.
pub fn slot<'a>(session: &'a Session, argument: &str, id: impl Into<i64>) -> Result<&'a DeviceSlot> {
    let id = id.into();
    usize::try_from(id).ok().and_then(|index| session.devices.get(index)).ok_or_else(|| {
        error_with!(
            Code::InvalidDeviceId,
            "{argument} is {id}; allowed on the {} backend: {}",
            session.driver.name(),
            session.visibility.allowed()
        )
    })
}

/// Returns the device with this id, which must be set.
pub(crate) fn in_use(session: &Session, argument: &str, id: impl Into<i64>) -> Result<Arc<Device>> {
    let id = id.into();
    slot(session, argument, id)?
        .device()
        .ok_or_else(|| param_invalid!("{argument} is {id}, a device that is not set; call aclrtSetDevice({id}) first"))
}

/// Implements aclrtSetDevice.
#[inline]
pub fn set(id: i32) -> Result<()> {
    if let Some(current) = thread::current_handle()
        && let Some(context) = Context::table().get(current)
        && context.device.id as i32 == id
        && context.device.primary.load(Ordering::Relaxed) == current.raw()
    {
        let device = &context.device;
        device.sets.raise(thread::number());
        // A reset stores 0 to `primary` and then sums again; this adds and then loads: one of the two sees the other.
        // The count stays, because a reset in between could count a subtraction.
        if device.primary.load(Ordering::SeqCst) == current.raw() {
            return Ok(());
        }
        // The set is counted, but a reset is in progress. The lock decides whether the device stays open.
        let raced = device.owner;
        // A reset waits for threads that hold a reference to the device.
        drop(context);
        return set_slow(id, Some(raced));
    }
    set_slow(id, None)
}

#[cold]
fn set_slow(id: i32, raced: Option<Owner>) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let session = runtime::session_for_set_device;
    announce_opening(id, session)?;
    let opened = {
        let session = session()?;
        slot(&session, "deviceId", id)?.set(&*session.driver, raced)?
    };
    announce_opened(id, opened);
    Ok(())
}

/// Returns the device with its default context. Opens it if it is closed; counts nothing.
pub(crate) fn open_uncounted(id: i32) -> Result<Arc<Device>> {
    announce_opening(id, runtime::session)?;
    let (device, opened) = {
        let session = runtime::session()?;
        slot(&session, "deviceId", id)?.open_uncounted(&*session.driver)?
    };
    if opened.is_none() || !state_callback::is_watched() {
        return Ok(device);
    }
    // A reset by a callback waits for threads that hold a reference to the device.
    drop(device);
    announce_opened(id, opened);
    slot(&*runtime::session()?, "deviceId", id)?.device().ok_or_else(|| {
        param_invalid!(
            "device {id} was reset during this call, by a device-state or stream-state callback or by another thread; \
             do not reset it before the call has returned"
        )
    })
}

/// Reports that a device is about to be opened, if it is closed.
fn announce_opening(id: i32, session: impl Fn() -> Result<Arc<Session>>) -> Result<()> {
    if state_callback::is_watched() && !slot(&*session()?, "deviceId", id)?.is_open() {
        state_callback::notify_device(id as u32, DeviceState::SetPre);
    }
    Ok(())
}

/// Reports a device that was opened. `default_stream`: that of the device, if this call has opened it.
fn announce_opened(id: i32, default_stream: Option<Handle>) {
    let Some(stream) = default_stream else { return };
    state_callback::stream_created(stream.raw());
    state_callback::notify_device(id as u32, DeviceState::SetPost);
}

/// Reports that a device and its streams are about to end.
pub(crate) fn announce_end(id: u32) {
    state_callback::notify_device(id, DeviceState::ResetPre);
    state_callback::streams_end(StreamsOf::Device(id));
}

/// Implements aclrtResetDevice.
pub fn reset(id: i32) -> Result<()> {
    release(id, false)
}

/// Implements aclrtResetDeviceForce.
pub fn reset_force(id: i32) -> Result<()> {
    release(id, true)
}

/// Resets the device. `force`: with any reference count.
fn release(id: i32, force: bool) -> Result<()> {
    thread::refuse_inside_host_function()?;
    callback::refuse_endless_end(|device, _| device as i32 == id)?;
    let announced =
        state_callback::is_watched() && slot(&*runtime::session()?, "deviceId", id)?.ends_with_next_reset(force)?;
    if announced {
        announce_end(id as u32);
    }
    let outcome = slot(&*runtime::session()?, "deviceId", id)?.reset(force);
    match outcome {
        Ok(Some(errors)) => {
            state_callback::notify_pending();
            lifecycle().late_callbacks.iter().for_each(|step| step());
            state_callback::notify_device(id as u32, DeviceState::ResetPost);
            errors.into_result(format_args!("device {id} is reset"))
        }
        lives_on => {
            if announced {
                // Another thread has set or reset the device meanwhile.
                state_callback::streams_stay(StreamsOf::Device(id as u32));
            }
            lives_on.map(drop)
        }
    }
}

/// Implements aclrtGetDevice: returns the device of the current context.
#[inline]
pub fn current() -> Result<i32> {
    Ok(thread::current()?.device.id as i32)
}

/// Implements aclrtQueryDeviceStatus: returns false if the device has failed. A device that is not in use has not
/// failed.
pub fn is_healthy(id: i32) -> Result<bool> {
    let Some(device) = slot(&*thread::session_outside_host_functions()?, "deviceId", id)?.device() else {
        return Ok(true);
    };
    // Every call on a failed device returns the failure; this query changes nothing on the device.
    match device.native.free_memory() {
        Ok(_) => Ok(true),
        Err(fault) if fault.kind() == FaultKind::Execution => Ok(false),
        Err(fault) => Err(fault.into()),
    }
}

/// Implements aclrtRepairError: a device that works needs nothing.
pub fn repair(id: i32) -> Result<()> {
    if is_healthy(id)? {
        return Ok(());
    }
    Err(unsupported!(
        "work on device {id} has failed, and this process can no longer use the device; release it with \
         aclrtResetDeviceForce and start another process"
    ))
}

/// Implements aclrtSetTsDevice: the scheduler of the AI cores is the only one.
pub fn set_scheduler(scheduler: i32) -> Result<()> {
    match scheduler {
        0 => Ok(()),
        1 => Err(unsupported!("tsId is ACL_TS_ID_AIVECTOR; devices here have one scheduler, ACL_TS_ID_AICORE (0)")),
        _ => Err(invalid_param!("tsId is {scheduler}; allowed: ACL_TS_ID_AICORE (0)")),
    }
}

/// Implements aclrtDeviceGetStreamPriorityRange: returns the lowest and the highest priority.
pub fn priority_range() -> Result<(i32, i32)> {
    Ok((thread::current()?.device.native.least_priority() as i32, 0))
}

/// Returns the ids of the open devices. Holds no reference to them, because callbacks may reset them.
pub(crate) fn open_ids() -> Vec<u32> {
    let Some(session) = runtime::existing_session() else { return Vec::new() };
    let ids = 0..session.devices.len() as u32;
    ids.filter(|id| session.devices[*id as usize].is_open()).collect()
}
