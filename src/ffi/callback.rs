//! The caller's functions as part of a stream's work.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::error::Error;
use crate::ffi::guard::guard;
use crate::ffi::types::{
    aclError, aclrtCallback, aclrtCallbackBlockType, aclrtHostFunc, aclrtStream,
};

/// Queues a call of `fn`, on a thread of the library; later work of the stream waits for it.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchHostFunc(
    stream: aclrtStream,
    r#fn: aclrtHostFunc,
    args: *mut c_void,
) -> aclError {
    guard("aclrtLaunchHostFunc", || {
        Err(Error::unsupported(
            "host functions are not available in this build; wait with aclrtSynchronizeStream and call the function afterwards",
        ))
    })
}

/// Has a stream's host functions run in the thread `hostFuncThreadId`.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSubscribeHostFunc(
    hostFuncThreadId: u64,
    exeStream: aclrtStream,
) -> aclError {
    guard("aclrtSubscribeHostFunc", || {
        Err(Error::unsupported(
            "callbacks in a thread of the caller are not available; use aclrtLaunchHostFunc",
        ))
    })
}

/// Runs host functions in this thread, waiting for them at most `timeout` milliseconds.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtProcessHostFunc(timeout: i32) -> aclError {
    guard("aclrtProcessHostFunc", || {
        Err(Error::unsupported(
            "callbacks in a thread of the caller are not available; use aclrtLaunchHostFunc",
        ))
    })
}

/// Takes back aclrtSubscribeHostFunc.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUnSubscribeHostFunc(
    hostFuncThreadId: u64,
    exeStream: aclrtStream,
) -> aclError {
    guard("aclrtUnSubscribeHostFunc", || {
        Err(Error::unsupported(
            "callbacks in a thread of the caller are not available; use aclrtLaunchHostFunc",
        ))
    })
}

/// Has a stream's callbacks run in the thread `threadId`, a pthread_t.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSubscribeReport(threadId: u64, stream: aclrtStream) -> aclError {
    guard("aclrtSubscribeReport", || {
        Err(Error::unsupported(
            "callbacks in a thread of the caller are not available; use aclrtLaunchHostFunc",
        ))
    })
}

/// Queues a call of `fn` in the thread that subscribed to the stream's callbacks.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchCallback(
    r#fn: aclrtCallback,
    userData: *mut c_void,
    blockType: MaybeUninit<aclrtCallbackBlockType>,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtLaunchCallback", || {
        Err(Error::unsupported(
            "callbacks in a thread of the caller are not available; use aclrtLaunchHostFunc",
        ))
    })
}

/// Runs callbacks in this thread, waiting for them at most `timeout` milliseconds.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtProcessReport(timeout: i32) -> aclError {
    guard("aclrtProcessReport", || {
        Err(Error::unsupported(
            "callbacks in a thread of the caller are not available; use aclrtLaunchHostFunc",
        ))
    })
}

/// Takes back aclrtSubscribeReport.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUnSubscribeReport(threadId: u64, stream: aclrtStream) -> aclError {
    guard("aclrtUnSubscribeReport", || {
        Err(Error::unsupported(
            "callbacks in a thread of the caller are not available; use aclrtLaunchHostFunc",
        ))
    })
}
