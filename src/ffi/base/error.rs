//! Errors: texts, latest codes, hardware errors.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use crate::base::{enum_value, guard, guard_out, guard_unsupported, guard_value_anywhere, must_not_be_null};
use crate::core::base::error::{self, Code, Result, invalid_param};
use crate::core::runtime::device;
use crate::types::{aclError, aclrtErrorInfo, aclrtErrorType, aclrtLastErrLevel, aclrtMemUceInfo};

/// Returns the text of this thread's latest failure (with `err_msg_mode` 1, of any thread's) since the previous call of
/// this function: call, argument, value, bound, and the remedy. Successful calls do not change it. Works at any time,
/// also in a forked child.
///
/// @return a zero-terminated text, valid until this thread calls the function again; null if there was no failure.
/// @note Thread-safe. Follows aclGetRecentErrMsg of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetRecentErrMsg() -> *const c_char {
    guard_value_anywhere("aclGetRecentErrMsg", std::ptr::null(), || Ok(error::take_recent_text()))
}

/// Returns the code of this thread's latest failure, 0 if there was none, and clears it. Works at any time.
///
/// @param level ACL_RT_THREAD_LEVEL.
/// @return the code
/// @retval ACL_ERROR_INVALID_PARAM 100000: another `level`.
/// @note Thread-safe. Follows aclrtGetLastError of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetLastError(level: MaybeUninit<aclrtLastErrLevel>) -> aclError {
    guard_value_anywhere("aclrtGetLastError", Code::InvalidParam.value(), || last_error(level, true))
}

/// Returns the code of this thread's latest failure, 0 if there was none. Works at any time.
///
/// @param level ACL_RT_THREAD_LEVEL.
/// @return the code
/// @retval ACL_ERROR_INVALID_PARAM 100000: another `level`.
/// @note Thread-safe. Follows aclrtPeekAtLastError of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtPeekAtLastError(level: MaybeUninit<aclrtLastErrLevel>) -> aclError {
    guard_value_anywhere("aclrtPeekAtLastError", Code::InvalidParam.value(), || last_error(level, false))
}

/// Returns the hardware error of a device: none (ACL_RT_NO_ERROR) while it works, else ACL_RT_ERROR_AICORE without
/// details, since drivers here report none. Queries the device without waiting for its work.
///
/// @param deviceId 0 to the number of devices minus 1; a device that is not set has no error.
/// @param errorInfo receives the description; all other members are 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
/// @note Thread-safe. Follows aclrtGetErrorVerbose of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetErrorVerbose(deviceId: i32, errorInfo: *mut aclrtErrorInfo) -> aclError {
    guard_out("aclrtGetErrorVerbose", "errorInfo", errorInfo, || {
        let kind = match device::is_healthy(deviceId)? {
            true => aclrtErrorType::ACL_RT_NO_ERROR,
            false => aclrtErrorType::ACL_RT_ERROR_AICORE,
        };
        // SAFETY: numbers and addresses, for all of which 0 is a value.
        let mut info: aclrtErrorInfo = unsafe { std::mem::zeroed() };
        info.errorType = MaybeUninit::new(kind);
        Ok(info)
    })
}

/// Repairs a hardware error of aclrtGetErrorVerbose. Does nothing for a working device; a failed device cannot be
/// repaired in place.
///
/// @param deviceId 0 to the number of devices minus 1.
/// @param errorInfo the description of aclrtGetErrorVerbose; not read.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the device has failed; it works again in another process.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null; otherwise the codes of aclrtGetErrorVerbose.
/// @note Thread-safe. Follows aclrtRepairError of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRepairError(deviceId: i32, errorInfo: *const aclrtErrorInfo) -> aclError {
    guard("aclrtRepairError", || {
        must_not_be_null("errorInfo", errorInfo)?;
        device::repair(deviceId)
    })
}

/// Lists device memory with uncorrectable errors.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetMemUceInfo(
    deviceId: i32,
    memUceInfoArray: *mut aclrtMemUceInfo,
    arraySize: usize,
    retSize: *mut usize,
) -> aclError {
    guard_unsupported(
        "aclrtGetMemUceInfo",
        "this library does not report memory errors; on NVIDIA GPUs, see nvidia-smi -q -d ECC",
    )
}

/// Repairs device memory with uncorrectable errors.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemUceRepair(
    deviceId: i32,
    memUceInfoArray: *mut aclrtMemUceInfo,
    arraySize: usize,
) -> aclError {
    guard_unsupported(
        "aclrtMemUceRepair",
        "this library cannot repair memory errors; free the memory and reset the device instead",
    )
}

/// The common part of both functions: only the thread's own error is available.
fn last_error(level: MaybeUninit<aclrtLastErrLevel>, takes: bool) -> Result<aclError> {
    let level = enum_value(level);
    ensure!(level == 0, invalid_param!("level is {level}; only ACL_RT_THREAD_LEVEL (0) exists"));
    Ok(error::last_code(takes))
}
