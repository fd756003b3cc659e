//! How long an operator, or a wait on a stream, may take.

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::aclError;

/// Sets how many seconds an operator may take.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetOpExecuteTimeOut(timeout: u32) -> aclError {
    guard_unsupported(
        "aclrtSetOpExecuteTimeOut",
        "work on a stream has no time limit here; use aclrtSynchronizeStreamWithTimeout",
    )
}

/// Sets how many milliseconds an operator may take.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetOpExecuteTimeOutWithMs(timeout: u32) -> aclError {
    guard_unsupported(
        "aclrtSetOpExecuteTimeOutWithMs",
        "work on a stream has no time limit here; use aclrtSynchronizeStreamWithTimeout",
    )
}

/// Sets how many microseconds an operator may take, and tells the time that was really set.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetOpExecuteTimeOutV2(
    timeout: u64,
    actualTimeout: *mut u64,
) -> aclError {
    guard_unsupported(
        "aclrtSetOpExecuteTimeOutV2",
        "work on a stream has no time limit here; use aclrtSynchronizeStreamWithTimeout",
    )
}

/// Tells how many milliseconds an operator may take.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetOpExecuteTimeout(timeoutMs: *mut u32) -> aclError {
    guard_unsupported(
        "aclrtGetOpExecuteTimeout",
        "work on a stream has no time limit here; use aclrtSynchronizeStreamWithTimeout",
    )
}

/// Tells the unit of the time limits, in microseconds.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetOpTimeOutInterval(interval: *mut u64) -> aclError {
    guard_unsupported(
        "aclrtGetOpTimeOutInterval",
        "work on a stream has no time limit here; use aclrtSynchronizeStreamWithTimeout",
    )
}

/// Sets how many seconds a wait on a stream may take; 0 is for ever.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetOpWaitTimeout(timeout: u32) -> aclError {
    guard_unsupported(
        "aclrtSetOpWaitTimeout",
        "work on a stream has no time limit here; use aclrtSynchronizeStreamWithTimeout",
    )
}
