//! Devices: selection, count, synchronization, aborts and state callbacks.

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
/// The first call in a process opens the device and creates the default context with its default stream, which all
/// threads share. Each successful call increments the reference count of the device, also repeated calls of one thread;
/// aclrtResetDevice decrements it. Cheap if the device is already set. Thread-safe; works before aclInit, and starts a
/// new session after aclFinalize.
///
/// @param deviceId 0 to the number of devices minus 1.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_INVALID_PARAM 100000: an environment variable has an invalid value.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: guard mode without memory files (docs/configuration.md).
/// @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no address space for the device's memory.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function, or another thread
///     resets the device and may wait for callbacks that only the calling thread runs (docs/callbacks.md).
/// @note Follows aclrtSetDevice of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetDevice(deviceId: i32) -> aclError {
    guard("aclrtSetDevice", || device::set(deviceId))
}

/// Decrements the reference count of a device; the last call waits for pending work and releases the device.
///
/// Releasing a device destroys its contexts, streams and events and frees its device memory: their handles and
/// addresses are invalid in every thread. Pinned host memory stays. Returns the first unreported failure of its work,
/// or an error of the driver; the device is released anyway. Thread-safe. Returns 107000 inside a callback of the
/// program if it could wait forever: docs/callbacks.md.
///
/// @param deviceId a device that is set.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, called inside a host function, or another thread
///     resets the device and may wait for callbacks that only the calling thread runs (docs/callbacks.md).
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015: work had failed.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused.
/// @note Follows aclrtResetDevice of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetDevice(deviceId: i32) -> aclError {
    guard("aclrtResetDevice", || device::reset(deviceId))
}

/// Releases a device whatever its reference count is, after waiting for pending work. Returns 107000 inside a callback
/// of the program if it could wait forever: docs/callbacks.md.
///
/// @param deviceId a device that is set.
/// @return the codes of aclrtResetDevice.
/// @note Thread-safe. Follows aclrtResetDeviceForce of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetDeviceForce(deviceId: i32) -> aclError {
    guard("aclrtResetDeviceForce", || device::reset_force(deviceId))
}

/// Returns the device of the calling thread's current context.
///
/// @param deviceId receives the id.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current context (programs test for this value to detect
///     that no device is set).
/// @note Thread-safe. Follows aclrtGetDevice of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDevice(deviceId: *mut i32) -> aclError {
    guard("aclrtGetDevice", || {
        let out = Out::new("deviceId", deviceId)?;
        out.write(device::current()?);
        Ok(())
    })
}

/// Returns the number of devices. Works at any time, also before aclInit and after aclFinalize.
///
/// @param count receives the number.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has an invalid value.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device (the text gives the reason).
/// @note Thread-safe. Follows aclrtGetDeviceCount of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceCount(count: *mut u32) -> aclError {
    guard("aclrtGetDeviceCount", || {
        let out = Out::new("count", count)?;
        out.write(runtime::device_count()?);
        Ok(())
    })
}

/// Waits until all work enqueued on the current context's device is complete, in all its streams. Returns 107000 inside
/// a callback of the program if it could wait forever: docs/callbacks.md.
///
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_STREAM_ABORT 107023, ACL_ERROR_RT_DEVICE_TASK_ABORT 107022: aclrtStreamAbort or
///     aclrtDeviceTaskAbort dropped work during the call; or the first unreported failure of enqueued work. If several
///     streams failed, each call returns one failure.
/// @note Thread-safe. Follows aclrtSynchronizeDevice of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeDevice() -> aclError {
    guard("aclrtSynchronizeDevice", stream::device::synchronize)
}

/// Waits for a device as aclrtSynchronizeDevice, with a timeout. A timeout cancels nothing: the work continues. Returns
/// 107000 inside a callback of the program if it could wait forever: docs/callbacks.md.
///
/// @param timeout milliseconds, greater than 0, or -1 to wait forever.
/// @return the codes of aclrtSynchronizeDevice
/// @retval ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046: not complete within the timeout.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: also for any other timeout.
/// @note Thread-safe. Follows aclrtSynchronizeDeviceWithTimeout of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeDeviceWithTimeout(timeout: i32) -> aclError {
    guard("aclrtSynchronizeDeviceWithTimeout", || stream::device::synchronize_with_timeout(timeout))
}

/// Returns where the program runs relative to the device: always ACL_HOST. Works at any time.
///
/// @param runMode receives an aclrtRunMode.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @note Thread-safe. Follows aclrtGetRunMode of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetRunMode(runMode: *mut aclrtRunMode) -> aclError {
    guard("aclrtGetRunMode", || {
        let out = Out::new("runMode", runMode)?;
        out.write(aclrtRunMode::ACL_HOST);
        Ok(())
    })
}

/// Selects the task scheduler for later work of this thread. There is only the scheduler of the AI cores. Works at any
/// time.
///
/// @param tsId ACL_TS_ID_AICORE.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: ACL_TS_ID_AIVECTOR.
/// @retval ACL_ERROR_INVALID_PARAM 100000: another number.
/// @note Thread-safe. Follows aclrtSetTsDevice of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetTsDevice(tsId: MaybeUninit<aclrtTsId>) -> aclError {
    guard("aclrtSetTsDevice", || device::set_scheduler(enum_value(tsId)))
}

/// Returns whether a device works normally. A device that is not in use counts as normal. Queries the device without
/// waiting for its work.
///
/// @param deviceId 0 to the number of devices minus 1.
/// @param deviceStatus receives ACL_RT_DEVICE_STATUS_NORMAL, or ACL_RT_DEVICE_STATUS_ABNORMAL for a failed device,
///     which needs aclrtResetDeviceForce.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
/// @note Thread-safe. Follows aclrtQueryDeviceStatus of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryDeviceStatus(deviceId: i32, deviceStatus: *mut aclrtDeviceStatus) -> aclError {
    guard("aclrtQueryDeviceStatus", || {
        let out = Out::new("deviceStatus", deviceStatus)?;
        out.write(match device::is_healthy(deviceId)? {
            true => aclrtDeviceStatus::ACL_RT_DEVICE_STATUS_NORMAL,
            false => aclrtDeviceStatus::ACL_RT_DEVICE_STATUS_ABNORMAL,
        });
        Ok(())
    })
}

/// Drops the pending work of all streams of a device and stops running work, as aclrtStreamAbort does for one stream.
/// The streams stay usable. A synchronize of one of them, or of the device, that is waiting on another thread returns
/// ACL_ERROR_RT_DEVICE_TASK_ABORT 107022; so does synchronizing an event whose record was dropped.
///
/// @param deviceId the device; it need not be the current one.
/// @param timeout milliseconds to wait for running memory operations; 0: no timeout. The call does not wait for running
///     host functions.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, or called inside a host function.
/// @retval ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046: a running operation was not complete in time.
/// @retval ACL_ERROR_FAILURE 500001: the pending work was dropped, but a function of aclrtSetDeviceTaskAbortCallback
///     did not return 0.
/// @note Thread-safe. Follows aclrtDeviceTaskAbort of the Ascend runtime API, whose unit of time is not documented.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceTaskAbort(deviceId: i32, timeout: u32) -> aclError {
    guard("aclrtDeviceTaskAbort", || abort::device(deviceId, timeout))
}

/// Registers a callback that is called before and after aclrtDeviceTaskAbort, on its thread. No lock is held.
///
/// The callback gets the device id, ACL_RT_DEVICE_TASK_ABORT_PRE or _POST, the timeout of the call in milliseconds, and
/// `args`. _POST is reported whatever the result of the abort is. The callback may call all functions; an abort that it
/// makes itself is not reported. If it does not return 0, the abort takes place anyway, and aclrtDeviceTaskAbort
/// returns ACL_ERROR_FAILURE 500001 with the number in its text. The registration stays until it is removed, also
/// through aclFinalize.
///
/// @param regName zero-terminated name of the registration.
/// @param callback the callback, which must not throw; null removes the registration of that name (a running call on
///     another thread continues).
/// @param args argument of the callback; may be null. The caller keeps it valid.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_INVALID_PARAM 100000: `regName` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the name is already registered, or `callback` is null and the name is not
///     registered.
/// @note Thread-safe. Follows aclrtSetDeviceTaskAbortCallback of the Ascend runtime API.
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

/// Registers a callback that is called when devices are opened and released, on the thread that does it. No lock is
/// held.
///
/// The callback gets the device id, a state, and `args`. ACL_RT_DEVICE_STATE_SET_PRE: a call is about to open a closed
/// device; _SET_POST: the device is open, and its default stream exists. A repeated aclrtSetDevice, which only counts,
/// is not reported. _RESET_PRE: a call is about to release the device, which still works; _RESET_POST: the device is
/// released. aclFinalize releases all devices. A _PRE without its _POST means that the call failed or that another
/// thread changed the state in between. The callback may call all functions; devices that it opens and releases itself
/// are not reported. The registration stays until it is removed, also through aclFinalize.
///
/// @param regName zero-terminated name of the registration.
/// @param callback the callback, which must not throw; null removes the registration of that name (a running call on
///     another thread continues).
/// @param args argument of the callback; may be null. The caller keeps it valid.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_INVALID_PARAM 100000: `regName` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the name is already registered, or `callback` is null and the name is not
///     registered.
/// @note Thread-safe. Follows aclrtRegDeviceStateCallback of the Ascend runtime API.
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

/// Writes the current device's level-2 cache back to its memory. Does nothing, because the caches of devices here are
/// coherent.
///
/// @param rsv must be null.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_INVALID_PARAM 100000: not null.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtDeviceL2CacheFlush of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceL2CacheFlush(rsv: *mut c_void) -> aclError {
    guard("aclrtDeviceL2CacheFlush", || {
        must_be_null("rsv", rsv)?;
        cache::flush_device()
    })
}

/// Returns a limit of the current device, as set by aclrtDeviceSetLimit since the device was opened.
///
/// @param limit an aclrtDeviceLimit.
/// @param value receives bytes; 0: never set, the backend's default applies.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown limit; otherwise the codes of aclrtDeviceSetLimit.
/// @note Thread-safe. Follows aclrtDeviceGetLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetLimit(limit: MaybeUninit<aclrtDeviceLimit>, value: *mut usize) -> aclError {
    guard("aclrtDeviceGetLimit", || {
        let out = Out::new("value", value)?;
        out.write(device_limit::get(enum_value(limit))?);
        Ok(())
    })
}

/// Sets a limit of the current device: sizes of stacks and of print buffers of kernels. The value is stored until the
/// device is reset, and has no effect: the backend determines the size of stacks.
///
/// @param limit an aclrtDeviceLimit.
/// @param value bytes, any number.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_INVALID_PARAM 100000: an unknown limit.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtDeviceSetLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceSetLimit(limit: MaybeUninit<aclrtDeviceLimit>, value: usize) -> aclError {
    guard("aclrtDeviceSetLimit", || device_limit::set(enum_value(limit), value))
}
