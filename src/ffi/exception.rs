//! Reports of work that failed on a device.

use std::ffi::c_void;

use crate::core::error::Error;
use crate::ffi::guard::{guard_unsupported, guard_value};
use crate::ffi::types::{
    aclError, aclrtBinHandle, aclrtExceptionInfo, aclrtExceptionInfoCallback, aclrtFuncHandle,
    aclrtOpExceptionCallback,
};

/// Has `callback` called when work fails on a device; null takes it back.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetExceptionInfoCallback(
    callback: aclrtExceptionInfoCallback,
) -> aclError {
    guard_unsupported(
        "aclrtSetExceptionInfoCallback",
        "failures on a device are not announced; check the code of aclrtSynchronizeStream",
    )
}

/// Adds a function to those called when work fails on a device.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtExceptionInfoCallbackRegister(
    callback: aclrtExceptionInfoCallback,
) -> aclError {
    guard_unsupported(
        "aclrtExceptionInfoCallbackRegister",
        "failures on a device are not announced; check the code of aclrtSynchronizeStream",
    )
}

/// Takes back aclrtExceptionInfoCallbackRegister.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtExceptionInfoCallbackUnregister(
    callback: aclrtExceptionInfoCallback,
) -> aclError {
    guard_unsupported(
        "aclrtExceptionInfoCallbackUnregister",
        "failures on a device are not announced; check the code of aclrtSynchronizeStream",
    )
}

/// Has `callback` called when a kernel of a binary fails.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinarySetExceptionCallback(
    binHandle: aclrtBinHandle,
    callback: aclrtOpExceptionCallback,
    userData: *mut c_void,
) -> aclError {
    guard_unsupported(
        "aclrtBinarySetExceptionCallback",
        "device binaries cannot be loaded, so none of their kernels can fail; leave the call out",
    )
}

/// The number of the task that failed, 0xFFFFFFFF if it is not known.
///
/// @return 0xFFFFFFFF; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetTaskIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32 {
    guard_value("aclrtGetTaskIdFromExceptionInfo", u32::MAX, || {
        Err(Error::unsupported(
            "failures on a device are not announced, so there is no information to read; check \
             the code of aclrtSynchronizeStream",
        ))
    })
}

/// The number of the stream on which work failed, 0xFFFFFFFF if it is not known.
///
/// @return 0xFFFFFFFF; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetStreamIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32 {
    guard_value("aclrtGetStreamIdFromExceptionInfo", u32::MAX, || {
        Err(Error::unsupported(
            "failures on a device are not announced, so there is no information to read; check \
             the code of aclrtSynchronizeStream",
        ))
    })
}

/// The number of the thread that submitted what failed, 0xFFFFFFFF if it is not known.
///
/// @return 0xFFFFFFFF; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetThreadIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32 {
    guard_value("aclrtGetThreadIdFromExceptionInfo", u32::MAX, || {
        Err(Error::unsupported(
            "failures on a device are not announced, so there is no information to read; check \
             the code of aclrtSynchronizeStream",
        ))
    })
}

/// The device on which work failed, 0xFFFFFFFF if it is not known.
///
/// @return 0xFFFFFFFF; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32 {
    guard_value("aclrtGetDeviceIdFromExceptionInfo", u32::MAX, || {
        Err(Error::unsupported(
            "failures on a device are not announced, so there is no information to read; check \
             the code of aclrtSynchronizeStream",
        ))
    })
}

/// The code of the failure, 0xFFFFFFFF if it is not known.
///
/// @return 0xFFFFFFFF; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetErrorCodeFromExceptionInfo(
    info: *const aclrtExceptionInfo,
) -> u32 {
    guard_value("aclrtGetErrorCodeFromExceptionInfo", u32::MAX, || {
        Err(Error::unsupported(
            "failures on a device are not announced, so there is no information to read; check \
             the code of aclrtSynchronizeStream",
        ))
    })
}

/// Tells the arguments of the kernel that failed.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetArgsFromExceptionInfo(
    info: *const aclrtExceptionInfo,
    devArgsPtr: *mut *mut c_void,
    devArgsLen: *mut u32,
) -> aclError {
    guard_unsupported(
        "aclrtGetArgsFromExceptionInfo",
        "failures on a device are not announced, so there is no information to read; check the \
         code of aclrtSynchronizeStream",
    )
}

/// Tells which kernel failed.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFuncHandleFromExceptionInfo(
    info: *const aclrtExceptionInfo,
    func: *mut aclrtFuncHandle,
) -> aclError {
    guard_unsupported(
        "aclrtGetFuncHandleFromExceptionInfo",
        "failures on a device are not announced, so there is no information to read; check the \
         code of aclrtSynchronizeStream",
    )
}
