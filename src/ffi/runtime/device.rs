//! Devices: choosing, counting, synchronising, and what can happen to them.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::sync::Arc;

use crate::core::runtime;
use crate::core::runtime::device;
use crate::core::runtime::device_limit;
use crate::core::runtime::state_callback::{self, DeviceState, DeviceWatcher};
use crate::core::stream;
use crate::core::stream::abort;
use crate::core::stream::abort::{Stage, Watcher};
use crate::core::transfer::cache;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, address, enum_value, must_be_null, text};
use crate::ffi::types::{
    aclError, aclrtDeviceLimit, aclrtDeviceState, aclrtDeviceStateCallback, aclrtDeviceStatus,
    aclrtDeviceTaskAbortCallback, aclrtDeviceTaskAbortStage, aclrtRunMode, aclrtTsId,
};

/// Sets the calling thread's device and makes the device's default context current.
///
/// The first set in a process opens the device and creates the default context with its default stream,
/// which all threads share. Each successful call counts, also a repeated one of the same thread;
/// aclrtResetDevice takes one back. Cheap when the device is set already. Thread-safe; works before
/// aclInit and begins a new life after aclFinalize.
///
/// @param deviceId 0 to the number of devices less 1.
/// @return ACL_SUCCESS; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_INVALID_PARAM
/// 100000: an environment variable has no meaning; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
/// device; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: guard mode without files in memory (docs/configuration.md);
/// ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no addresses are left for the device's memory;
/// ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Follows aclrtSetDevice of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetDevice(deviceId: i32) -> aclError {
    guard("aclrtSetDevice", || device::set(deviceId))
}

/// Takes back one aclrtSetDevice; the last one waits for pending work and really releases the device.
///
/// A released device takes its contexts, streams, events and device memory with it: their handles and
/// addresses are invalid from then on, in every thread. Pinned host memory stays. A failure of work on it that
/// nobody was told of, or a refusal of the driver to release something, is returned; the device is released all
/// the same. Thread-safe.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @param deviceId a device that is set.
/// @return ACL_SUCCESS; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID
/// 107000: the device is not set, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after
/// aclFinalize; ACL_ERROR_RT_AICORE_EXCEPTION 507015: work had failed; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899:
/// the driver refused. Follows aclrtResetDevice of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetDevice(deviceId: i32) -> aclError {
    guard("aclrtResetDevice", || device::reset(deviceId))
}

/// Releases a device at once, whatever its reference count, after waiting for pending work.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @param deviceId a device that is set.
/// @return as aclrtResetDevice. Thread-safe. Follows aclrtResetDeviceForce of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetDeviceForce(deviceId: i32) -> aclError {
    guard("aclrtResetDeviceForce", || device::reset_force(deviceId))
}

/// The device of the calling thread's current context.
///
/// @param deviceId receives the id.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: the thread
/// has no current context (programs test exactly this value for "no device set yet"). Thread-safe.
/// Follows aclrtGetDevice of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDevice(deviceId: *mut i32) -> aclError {
    guard("aclrtGetDevice", || {
        let out = Out::new("deviceId", deviceId)?;
        out.write(device::current()?);
        Ok(())
    })
}

/// The number of devices. Works at any time, also before aclInit and after aclFinalize.
///
/// @param count receives the number.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device (the text says why). Thread-safe. Follows
/// aclrtGetDeviceCount of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceCount(count: *mut u32) -> aclError {
    guard("aclrtGetDeviceCount", || {
        let out = Out::new("count", count)?;
        out.write(runtime::device_count()?);
        Ok(())
    })
}

/// Waits until everything queued on the current context's device has finished, in all its streams.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @return ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_PARAM_INVALID
/// 107000: called inside a host function; ACL_ERROR_RT_STREAM_ABORT 107023, ACL_ERROR_RT_DEVICE_TASK_ABORT
/// 107022: aclrtStreamAbort or aclrtDeviceTaskAbort dropped work meanwhile; or the first failure of queued
/// work that nobody was told of yet, one of several streams' at a time. Thread-safe. Follows
/// aclrtSynchronizeDevice of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeDevice() -> aclError {
    guard("aclrtSynchronizeDevice", stream::device::synchronize)
}

/// As aclrtSynchronizeDevice, for a limited time. A timeout cancels nothing: the work goes on.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @param timeout milliseconds above 0, or -1 to wait for ever.
/// @return as aclrtSynchronizeDevice; ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046: not finished in time;
/// ACL_ERROR_RT_PARAM_INVALID 107000 also for any other timeout. Thread-safe. Follows
/// aclrtSynchronizeDeviceWithTimeout of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeDeviceWithTimeout(timeout: i32) -> aclError {
    guard("aclrtSynchronizeDeviceWithTimeout", || stream::device::synchronize_with_timeout(timeout))
}

/// Where the program runs, seen from the device: always ACL_HOST. Works at any time.
///
/// @param runMode receives an aclrtRunMode.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe. Follows aclrtGetRunMode of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetRunMode(runMode: *mut aclrtRunMode) -> aclError {
    guard("aclrtGetRunMode", || {
        let out = Out::new("runMode", runMode)?;
        out.write(aclrtRunMode::ACL_HOST);
        Ok(())
    })
}

/// Chooses the task scheduler that later work of this thread goes to. There is one, that of the AI cores. Works at
/// any time.
///
/// @param tsId ACL_TS_ID_AICORE.
/// @return ACL_SUCCESS; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: ACL_TS_ID_AIVECTOR; ACL_ERROR_INVALID_PARAM 100000:
/// another number. Thread-safe. Follows aclrtSetTsDevice of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetTsDevice(tsId: MaybeUninit<aclrtTsId>) -> aclError {
    guard("aclrtSetTsDevice", || device::set_scheduler(enum_value(tsId)))
}

/// Whether a device works normally. A device that is not in use does. Asks the device, does not wait for its
/// work.
///
/// @param deviceId 0 to the number of devices less 1.
/// @param deviceStatus receives ACL_RT_DEVICE_STATUS_NORMAL, or ACL_RT_DEVICE_STATUS_ABNORMAL for one that
/// failed and needs aclrtResetDeviceForce.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such
/// device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002:
/// after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not answer.
/// Thread-safe. Follows aclrtQueryDeviceStatus of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryDeviceStatus(
    deviceId: i32,
    deviceStatus: *mut aclrtDeviceStatus,
) -> aclError {
    guard("aclrtQueryDeviceStatus", || {
        let out = Out::new("deviceStatus", deviceStatus)?;
        out.write(match device::is_healthy(deviceId)? {
            true => aclrtDeviceStatus::ACL_RT_DEVICE_STATUS_NORMAL,
            false => aclrtDeviceStatus::ACL_RT_DEVICE_STATUS_ABNORMAL,
        });
        Ok(())
    })
}

/// Drops what all streams of a device have queued, and stops what runs, as aclrtStreamAbort does it for one
/// stream. The streams live on. Synchronizing one of them, or the device, meanwhile gives
/// ACL_ERROR_RT_DEVICE_TASK_ABORT 107022, and so does synchronizing an event whose record was dropped.
///
/// @param deviceId the device; it need not be the current one.
/// @param timeout milliseconds to wait for operations on memory that have begun; 0 is for ever. Host
/// functions that have begun are not waited for.
/// @return ACL_SUCCESS; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID
/// 107000: the device is not set, or called inside a host function; ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046:
/// something that has begun was not over in time; ACL_ERROR_FAILURE 500001: what was queued is dropped, but a
/// function of aclrtSetDeviceTaskAbortCallback did not return 0. Thread-safe. Follows aclrtDeviceTaskAbort of
/// the Ascend runtime API, whose unit of time is not documented.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceTaskAbort(deviceId: i32, timeout: u32) -> aclError {
    guard("aclrtDeviceTaskAbort", || abort::device(deviceId, timeout))
}

/// Has `callback` called before and after aclrtDeviceTaskAbort, on its thread and without any lock.
///
/// It gets the device's id, ACL_RT_DEVICE_TASK_ABORT_PRE or _POST, the timeout of the call in milliseconds, and
/// `args`. _POST comes however the abort went. The function may call everything; an abort that it makes itself is not
/// told. If it returns anything but 0 the abort happens all the same, and aclrtDeviceTaskAbort returns
/// ACL_ERROR_FAILURE 500001 with the number in its text. It stays until it is taken back, also through aclFinalize.
///
/// @param regName zero-terminated name of the registration.
/// @param callback the function, which must not throw; null takes back the one with that name (a call in another
/// thread that has begun goes on).
/// @param args its argument, which the caller keeps alive; may be null.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `regName` is null; ACL_ERROR_RT_PARAM_INVALID 107000:
/// the name is registered already, or is not and `callback` is null. Thread-safe. Follows
/// aclrtSetDeviceTaskAbortCallback of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetDeviceTaskAbortCallback(
    regName: *const c_char,
    callback: aclrtDeviceTaskAbortCallback,
    args: *mut c_void,
) -> aclError {
    guard("aclrtSetDeviceTaskAbortCallback", || {
        // SAFETY: `regName` is null or a C string that names the task-abort callback.
        let name = unsafe { text::required("regName", regName) }?;
        let argument = address::from_c(args);
        let watcher = callback.map(|function| -> Watcher {
            Arc::new(move |id, stage, timeout_ms| {
                let stage = match stage {
                    Stage::Before => aclrtDeviceTaskAbortStage::ACL_RT_DEVICE_TASK_ABORT_PRE,
                    Stage::After => aclrtDeviceTaskAbortStage::ACL_RT_DEVICE_TASK_ABORT_POST,
                };
                // SAFETY: the program keeps the abort callback callable from any thread until it
                // registers null for its name.
                unsafe { function(id as i32, stage, timeout_ms, address::to_c(argument)) }
            })
        });
        abort::watch(&name.to_string_lossy(), watcher)
    })
}

/// Has `callback` called when devices are opened and released, on the thread that does it and without any lock.
///
/// It gets the device's id, a state, and `args`. ACL_RT_DEVICE_STATE_SET_PRE: a call finds the device closed
/// and is about to open it; _SET_POST: it has opened it, and the device's default stream is there. A repeated
/// aclrtSetDevice, which only counts, is not told. _RESET_PRE: a call is about to release the device, which
/// still works; _RESET_POST: it is released. aclFinalize releases all. A _PRE without its _POST means that
/// the call failed or that another thread changed things meanwhile. The function may call everything; what it
/// opens and releases itself is not told. It stays until it is taken back, also through aclFinalize.
///
/// @param regName zero-terminated name of the registration.
/// @param callback the function, which must not throw; null takes back the one with that name (a call in another
/// thread that has begun goes on).
/// @param args its argument, which the caller keeps alive; may be null.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `regName` is null; ACL_ERROR_RT_PARAM_INVALID 107000:
/// the name is registered already, or is not and `callback` is null. Thread-safe. Follows
/// aclrtRegDeviceStateCallback of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRegDeviceStateCallback(
    regName: *const c_char,
    callback: aclrtDeviceStateCallback,
    args: *mut c_void,
) -> aclError {
    guard("aclrtRegDeviceStateCallback", || {
        // SAFETY: `regName` is null or a C string that names the device callback.
        let name = unsafe { text::required("regName", regName) }?;
        let argument = address::from_c(args);
        let watcher = callback.map(|function| -> DeviceWatcher {
            Arc::new(move |id, state| {
                let state = match state {
                    DeviceState::SetPre => aclrtDeviceState::ACL_RT_DEVICE_STATE_SET_PRE,
                    DeviceState::SetPost => aclrtDeviceState::ACL_RT_DEVICE_STATE_SET_POST,
                    DeviceState::ResetPre => aclrtDeviceState::ACL_RT_DEVICE_STATE_RESET_PRE,
                    DeviceState::ResetPost => aclrtDeviceState::ACL_RT_DEVICE_STATE_RESET_POST,
                };
                // SAFETY: the program keeps the device callback callable from any thread until it
                // registers null for its name.
                unsafe { function(id as i32, state, address::to_c(argument)) }
            })
        });
        state_callback::watch_devices(&name.to_string_lossy(), watcher)
    })
}

/// Writes the current device's level-2 cache back to its memory. The caches of devices here are coherent, so that
/// nothing has to be done.
///
/// @param rsv must be null.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: not null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
/// aclrtDeviceL2CacheFlush of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceL2CacheFlush(rsv: *mut c_void) -> aclError {
    guard("aclrtDeviceL2CacheFlush", || {
        must_be_null("rsv", rsv)?;
        cache::flush_device()
    })
}

/// A limit of the current device, as aclrtDeviceSetLimit has set it since the device was opened.
///
/// @param limit an aclrtDeviceLimit.
/// @param value receives bytes; 0: never set, it is the backend's own.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or no such limit; all else as aclrtDeviceSetLimit.
/// Thread-safe. Follows aclrtDeviceGetLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetLimit(
    limit: MaybeUninit<aclrtDeviceLimit>,
    value: *mut usize,
) -> aclError {
    guard("aclrtDeviceGetLimit", || {
        let out = Out::new("value", value)?;
        out.write(device_limit::get(enum_value(limit))?);
        Ok(())
    })
}

/// Sets a limit of the current device: sizes of stacks, and of what kernels print into. The number is kept until the
/// device is reset, and has no effect: stacks here are as large as the backend makes them.
///
/// @param limit an aclrtDeviceLimit.
/// @param value bytes, any number.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: no such limit; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
/// aclrtDeviceSetLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceSetLimit(
    limit: MaybeUninit<aclrtDeviceLimit>,
    value: usize,
) -> aclError {
    guard("aclrtDeviceSetLimit", || device_limit::set(enum_value(limit), value))
}
