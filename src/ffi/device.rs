//! Devices: choosing, counting, synchronising, and what can happen to them.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use crate::core::error::Error;
use crate::ffi::guard::guard;
use crate::ffi::types::{
    aclError, aclrtDeviceLimit, aclrtDeviceStateCallback, aclrtDeviceStatus,
    aclrtDeviceTaskAbortCallback, aclrtRunMode, aclrtTsId,
};

/// Makes a device, through its default context, the calling thread's. Every success counts as one
/// use of the device.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetDevice(deviceId: i32) -> aclError {
    guard("aclrtSetDevice", || {
        Err(Error::unsupported(
            "devices are not available in this build; there is no other way to use one",
        ))
    })
}

/// Gives up one use of a device; the last one waits for pending work and releases what the device
/// holds.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetDevice(deviceId: i32) -> aclError {
    guard("aclrtResetDevice", || {
        Err(Error::unsupported(
            "devices are not available in this build; there is no other way to use one",
        ))
    })
}

/// Releases what a device holds at once, however many uses are left, after pending work.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetDeviceForce(deviceId: i32) -> aclError {
    guard("aclrtResetDeviceForce", || {
        Err(Error::unsupported(
            "devices are not available in this build; there is no other way to use one",
        ))
    })
}

/// Tells the device of the calling thread's current context.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDevice(deviceId: *mut i32) -> aclError {
    guard("aclrtGetDevice", || {
        Err(Error::unsupported(
            "devices are not available in this build; there is no other way to use one",
        ))
    })
}

/// Tells how many devices there are. Works before aclInit.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceCount(count: *mut u32) -> aclError {
    guard("aclrtGetDeviceCount", || {
        Err(Error::unsupported(
            "devices are not available in this build; there is no other way to use one",
        ))
    })
}

/// Waits for all work on the current device.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeDevice() -> aclError {
    guard("aclrtSynchronizeDevice", || {
        Err(Error::unsupported(
            "devices are not available in this build; there is no other way to use one",
        ))
    })
}

/// Waits for all work on the current device, at most `timeout` milliseconds; -1 waits for ever.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeDeviceWithTimeout(timeout: i32) -> aclError {
    guard("aclrtSynchronizeDeviceWithTimeout", || {
        Err(Error::unsupported(
            "waiting for a device with a time limit is not available; use aclrtSynchronizeStreamWithTimeout on its streams",
        ))
    })
}

/// Tells whether the program runs beside the device (ACL_HOST) or on it (ACL_DEVICE).
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetRunMode(runMode: *mut aclrtRunMode) -> aclError {
    guard("aclrtGetRunMode", || {
        Err(Error::unsupported(
            "devices are not available in this build; there is no other way to use one",
        ))
    })
}

/// Chooses the task scheduler that later work of this thread goes to.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetTsDevice(tsId: MaybeUninit<aclrtTsId>) -> aclError {
    guard("aclrtSetTsDevice", || {
        Err(Error::unsupported(
            "there are no task schedulers to choose from here; leave the call out",
        ))
    })
}

/// Tells whether a device works normally.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryDeviceStatus(
    deviceId: i32,
    deviceStatus: *mut aclrtDeviceStatus,
) -> aclError {
    guard("aclrtQueryDeviceStatus", || {
        Err(Error::unsupported(
            "the state of a device cannot be asked for; aclrtSynchronizeDevice reports a device that failed",
        ))
    })
}

/// Drops all work of a device, waiting at most `timeout` milliseconds.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceTaskAbort(deviceId: i32, timeout: u32) -> aclError {
    guard("aclrtDeviceTaskAbort", || {
        Err(Error::unsupported(
            "the work of a whole device cannot be dropped; use aclrtDestroyStreamForce on its streams",
        ))
    })
}

/// Has `callback` called before and after aclrtDeviceTaskAbort.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetDeviceTaskAbortCallback(
    regName: *const c_char,
    callback: aclrtDeviceTaskAbortCallback,
    args: *mut c_void,
) -> aclError {
    guard("aclrtSetDeviceTaskAbortCallback", || {
        Err(Error::unsupported("aclrtDeviceTaskAbort is not available, so nothing would call back"))
    })
}

/// Has `callback` called before and after devices are set and reset; null takes it back.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRegDeviceStateCallback(
    regName: *const c_char,
    callback: aclrtDeviceStateCallback,
    args: *mut c_void,
) -> aclError {
    guard("aclrtRegDeviceStateCallback", || {
        Err(Error::unsupported(
            "changes of a device's state are not announced; run the code beside aclrtSetDevice and aclrtResetDevice",
        ))
    })
}

/// Writes a device's level-2 cache back to its memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceL2CacheFlush(rsv: *mut c_void) -> aclError {
    guard("aclrtDeviceL2CacheFlush", || {
        Err(Error::unsupported("caches of the devices here are coherent; leave the call out"))
    })
}

/// Tells a limit of the current device.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetLimit(
    limit: MaybeUninit<aclrtDeviceLimit>,
    value: *mut usize,
) -> aclError {
    guard("aclrtDeviceGetLimit", || {
        Err(Error::unsupported(
            "limits of device stacks and print queues do not exist here; leave the call out",
        ))
    })
}

/// Sets a limit of the current device.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceSetLimit(
    limit: MaybeUninit<aclrtDeviceLimit>,
    value: usize,
) -> aclError {
    guard("aclrtDeviceSetLimit", || {
        Err(Error::unsupported(
            "limits of device stacks and print queues do not exist here; leave the call out",
        ))
    })
}
