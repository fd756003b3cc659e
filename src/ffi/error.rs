//! What a caller can ask about failures.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use crate::core::error::{self, Code, Error, Result};
use crate::ffi::guard::{guard, guard_value};
use crate::ffi::types::{aclError, aclrtErrorInfo, aclrtLastErrLevel, aclrtMemUceInfo};
use crate::ffi::value::enum_value;

/// The text of this thread's last failure since it was asked last, or null if there was none. Valid
/// until the thread asks again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetRecentErrMsg() -> *const c_char {
    guard_value("aclGetRecentErrMsg", std::ptr::null(), || Ok(error::take_recent_text()))
}

/// The code of this thread's last failure, 0 if there was none, and forgets it. `level` must be
/// ACL_RT_THREAD_LEVEL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetLastError(level: MaybeUninit<aclrtLastErrLevel>) -> aclError {
    guard_value("aclrtGetLastError", Code::InvalidParam.value(), || {
        last_error(level, error::take_last_code)
    })
}

/// The code of this thread's last failure, 0 if there was none. `level` must be
/// ACL_RT_THREAD_LEVEL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtPeekAtLastError(level: MaybeUninit<aclrtLastErrLevel>) -> aclError {
    guard_value("aclrtPeekAtLastError", Code::InvalidParam.value(), || {
        last_error(level, error::last_code)
    })
}

/// Describes the hardware error that a device is in.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetErrorVerbose(
    deviceId: i32,
    errorInfo: *mut aclrtErrorInfo,
) -> aclError {
    guard("aclrtGetErrorVerbose", || {
        Err(Error::unsupported(
            "details of hardware errors are not kept; use aclGetRecentErrMsg for what is known about a failure",
        ))
    })
}

/// Tries to repair the hardware error that aclrtGetErrorVerbose described.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRepairError(
    deviceId: i32,
    errorInfo: *const aclrtErrorInfo,
) -> aclError {
    guard("aclrtRepairError", || {
        Err(Error::unsupported(
            "devices here have no repairable errors; reset the device with aclrtResetDeviceForce instead",
        ))
    })
}

/// Lists device memory with uncorrectable errors.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetMemUceInfo(
    deviceId: i32,
    memUceInfoArray: *mut aclrtMemUceInfo,
    arraySize: usize,
    retSize: *mut usize,
) -> aclError {
    guard("aclrtGetMemUceInfo", || {
        Err(Error::unsupported(
            "memory errors are not reported to programs here; the driver's own tools show them",
        ))
    })
}

/// Repairs device memory with uncorrectable errors.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemUceRepair(
    deviceId: i32,
    memUceInfoArray: *mut aclrtMemUceInfo,
    arraySize: usize,
) -> aclError {
    guard("aclrtMemUceRepair", || {
        Err(Error::unsupported(
            "memory errors cannot be repaired from here; free the memory and reset the device instead",
        ))
    })
}

/// What both questions for the last error have in common: only the thread's own can be asked for.
fn last_error(level: MaybeUninit<aclrtLastErrLevel>, answer: fn() -> i32) -> Result<aclError> {
    match enum_value(level) {
        level if level == aclrtLastErrLevel::ACL_RT_THREAD_LEVEL as i32 => Ok(answer()),
        level => Err(Error::invalid_param(format_args!(
            "level is {level}; only ACL_RT_THREAD_LEVEL (0) exists"
        ))),
    }
}
