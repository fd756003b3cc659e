//! Limits of cores for devices, streams and threads.

use std::mem::MaybeUninit;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{aclError, aclrtDevResLimitType, aclrtStream};

/// Tells how many cores of a type work on a device may use.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceResLimit(
    deviceId: i32,
    r#type: MaybeUninit<aclrtDevResLimitType>,
    value: *mut u32,
) -> aclError {
    guard_unsupported(
        "aclrtGetDeviceResLimit",
        "limits of cores are not kept; work always uses the whole device",
    )
}

/// Sets how many cores of a type work on a device may use.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetDeviceResLimit(
    deviceId: i32,
    r#type: MaybeUninit<aclrtDevResLimitType>,
    value: u32,
) -> aclError {
    guard_unsupported(
        "aclrtSetDeviceResLimit",
        "limits of cores are not kept; work always uses the whole device",
    )
}

/// Takes back aclrtSetDeviceResLimit.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetDeviceResLimit(deviceId: i32) -> aclError {
    guard_unsupported(
        "aclrtResetDeviceResLimit",
        "limits of cores are not kept; work always uses the whole device",
    )
}

/// Tells how many cores of a type a stream's work may use.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetStreamResLimit(
    stream: aclrtStream,
    r#type: MaybeUninit<aclrtDevResLimitType>,
    value: *mut u32,
) -> aclError {
    guard_unsupported(
        "aclrtGetStreamResLimit",
        "limits of cores are not kept; work always uses the whole device",
    )
}

/// Sets how many cores of a type a stream's work may use.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetStreamResLimit(
    stream: aclrtStream,
    r#type: MaybeUninit<aclrtDevResLimitType>,
    value: u32,
) -> aclError {
    guard_unsupported(
        "aclrtSetStreamResLimit",
        "limits of cores are not kept; work always uses the whole device",
    )
}

/// Takes back aclrtSetStreamResLimit.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetStreamResLimit(stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclrtResetStreamResLimit",
        "limits of cores are not kept; work always uses the whole device",
    )
}

/// Makes a stream's limits this thread's.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUseStreamResInCurrentThread(stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclrtUseStreamResInCurrentThread",
        "limits of cores are not kept; work always uses the whole device",
    )
}

/// Takes back aclrtUseStreamResInCurrentThread.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUnuseStreamResInCurrentThread(stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclrtUnuseStreamResInCurrentThread",
        "limits of cores are not kept; work always uses the whole device",
    )
}

/// Tells how many cores of a type this thread's work may use.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetResInCurrentThread(
    r#type: MaybeUninit<aclrtDevResLimitType>,
    value: *mut u32,
) -> aclError {
    guard_unsupported(
        "aclrtGetResInCurrentThread",
        "limits of cores are not kept; work always uses the whole device",
    )
}
