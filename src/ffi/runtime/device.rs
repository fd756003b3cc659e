//! Devices: selection, count, synchronization and aborts.

use std::mem::MaybeUninit;

use crate::base::{enum_value, guard, guard_out};
use crate::core::runtime::{self, device};
use crate::core::stream;
use crate::types::{aclError, aclrtDeviceStatus, aclrtRunMode, aclrtTsId};

/// Sets the calling thread's device and makes the device's default context current.
///
/// The first call in a process opens the device and creates the default context with its default stream, which all
/// threads share. Each successful call increments the reference count of the device, also repeated calls of one thread;
/// aclrtResetDevice decrements it. Cheap if the device is already set. Thread-safe; works before aclInit, and starts a
/// new session after aclFinalize.
///
/// @param deviceId 0 to the number of devices minus 1.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_INVALID_PARAM 100000: an environment variable has an invalid value.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver refused.
/// @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015: a kernel failed on this GPU before; it works again in another process.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: guard mode without memory files (docs/cpu_devices.md).
/// @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no address space for the device's memory.
/// @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more streams can be created, for the default context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function (except for the thread's device), or
///     another thread resets the device and may wait for callbacks that only the calling thread runs
///     (docs/callbacks.md).
/// @note Follows aclrtSetDevice of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetDevice(deviceId: i32) -> aclError {
    guard("aclrtSetDevice", || device::set(deviceId))
}

/// Decrements the reference count of a device; the last call waits for pending work and releases the device.
///
/// Callbacks that have not started are dropped, and waits for values and notifies end after a second. Releasing a
/// device destroys its contexts, streams and events and frees its device memory: their handles and addresses are
/// invalid in every thread. To destroy each of the objects once still succeeds: docs/failures.md. Pinned host memory
/// stays. Returns the first unreported failure of its work, or an error of the driver; the device is released anyway.
/// Thread-safe. Returns 107000 inside a callback of the program if it could wait forever: docs/callbacks.md.
///
/// @param deviceId a device that is set.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, called inside a host function, or another thread
///     resets the device and may wait for callbacks that only the calling thread runs (docs/callbacks.md).
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015, or another code, such as ACL_ERROR_RT_WAIT_TIMEOUT 107019: work had
///     failed.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused.
/// @note Follows aclrtResetDevice of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetDevice(deviceId: i32) -> aclError {
    guard("aclrtResetDevice", || device::reset(deviceId))
}

/// Releases a device whatever its reference count is, after waiting for pending work. Returns 107000 inside a callback
/// of the program if it could wait forever: docs/callbacks.md.
///
/// @param deviceId a device that is set, or that aclrtCreateContext has opened.
/// @return the codes of aclrtResetDevice.
/// @note Thread-safe. Follows aclrtResetDeviceForce of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetDeviceForce(deviceId: i32) -> aclError {
    guard("aclrtResetDeviceForce", || device::reset_force(deviceId))
}

/// Returns the device of the calling thread's current context.
///
/// @param deviceId receives the id.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current context (programs test for this value to detect
///     that no device is set).
/// @note Thread-safe. Follows aclrtGetDevice of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDevice(deviceId: *mut i32) -> aclError {
    guard_out("aclrtGetDevice", "deviceId", deviceId, device::current)
}

/// Returns the number of devices. Works at any time, also before aclInit and after aclFinalize.
///
/// A process that has only counted may fork, and its children open devices. On GPUs this holds where NVML can count:
/// not with MIG, and not if CUDA_VISIBLE_DEVICES has something else than different numbers of devices. Other queries of
/// devices start the CUDA driver, which does not work in forked children from then on: make them in the children, or
/// start new programs.
///
/// @param count receives the number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has an invalid value.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device (the text gives the reason).
/// @note Thread-safe. Follows aclrtGetDeviceCount of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceCount(count: *mut u32) -> aclError {
    guard_out("aclrtGetDeviceCount", "count", count, runtime::device_count)
}

/// Waits until all work enqueued on the current context's device is complete, in all its streams. Returns 107000 inside
/// a callback of the program if it could wait forever: docs/callbacks.md. No cancellation point: a thread that is
/// cancelled (pthread_cancel) while it waits ends after the call.
///
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
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @note Thread-safe. Follows aclrtGetRunMode of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetRunMode(runMode: *mut aclrtRunMode) -> aclError {
    guard_out("aclrtGetRunMode", "runMode", runMode, || Ok(aclrtRunMode::ACL_HOST))
}

/// Selects the task scheduler for later work of this thread. There is only the scheduler of the AI cores. Works at any
/// time.
///
/// @param tsId ACL_TS_ID_AICORE.
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
///     which no call repairs: start another process.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
/// @note Thread-safe. Follows aclrtQueryDeviceStatus of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryDeviceStatus(deviceId: i32, deviceStatus: *mut aclrtDeviceStatus) -> aclError {
    guard_out("aclrtQueryDeviceStatus", "deviceStatus", deviceStatus, || {
        Ok(match device::is_healthy(deviceId)? {
            true => aclrtDeviceStatus::ACL_RT_DEVICE_STATUS_NORMAL,
            false => aclrtDeviceStatus::ACL_RT_DEVICE_STATUS_ABNORMAL,
        })
    })
}
