//! Floating-point overflow: switches, modes and states.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{aclError, aclrtFloatOverflowMode, aclrtStream};

/// Sets whether later streams of the device saturate or give infinities.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetDeviceSatMode(
    mode: MaybeUninit<aclrtFloatOverflowMode>,
) -> aclError {
    guard_unsupported(
        "aclrtSetDeviceSatMode",
        "floating-point overflow is not watched; check results for infinities instead",
    )
}

/// Tells whether streams of the device saturate or give infinities.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceSatMode(mode: *mut aclrtFloatOverflowMode) -> aclError {
    guard_unsupported(
        "aclrtGetDeviceSatMode",
        "floating-point overflow is not watched; check results for infinities instead",
    )
}

/// Switches the watch for overflow on a stream.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetStreamOverflowSwitch(stream: aclrtStream, flag: u32) -> aclError {
    guard_unsupported(
        "aclrtSetStreamOverflowSwitch",
        "floating-point overflow is not watched; check results for infinities instead",
    )
}

/// Tells whether a stream is watched for overflow.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetStreamOverflowSwitch(
    stream: aclrtStream,
    flag: *mut u32,
) -> aclError {
    guard_unsupported(
        "aclrtGetStreamOverflowSwitch",
        "floating-point overflow is not watched; check results for infinities instead",
    )
}

/// Writes to device memory whether an overflow happened.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetOverflowStatus(
    outputAddr: *mut c_void,
    outputSize: usize,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtGetOverflowStatus",
        "floating-point overflow is not watched; check results for infinities instead",
    )
}

/// Forgets the overflows so far.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetOverflowStatus(stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclrtResetOverflowStatus",
        "floating-point overflow is not watched; check results for infinities instead",
    )
}

/// Writes to device memory whether a floating-point overflow happened.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFloatOverflowStatus(
    outputAddr: *mut c_void,
    outputSize: u64,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtGetFloatOverflowStatus",
        "floating-point overflow is not watched; check results for infinities instead",
    )
}

/// Forgets the floating-point overflows so far.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetFloatOverflowStatus(stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclrtResetFloatOverflowStatus",
        "floating-point overflow is not watched; check results for infinities instead",
    )
}

/// Writes to device memory whether a floating-point overflow happened, in a check mode.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNpuGetFloatOverFlowStatus(
    outputAddr: *mut c_void,
    outputSize: u64,
    checkMode: u32,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtNpuGetFloatOverFlowStatus",
        "floating-point overflow is not watched; check results for infinities instead",
    )
}

/// Forgets the floating-point overflows of a check mode.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNpuClearFloatOverFlowStatus(
    checkMode: u32,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtNpuClearFloatOverFlowStatus",
        "floating-point overflow is not watched; check results for infinities instead",
    )
}
