//! The caller's functions as part of a stream's work.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::backend::HostFn;
use crate::core::callback;
use crate::core::error::Error;
use crate::ffi::guard::{guard, guard_unsupported};
use crate::ffi::types::{
    aclError, aclrtCallback, aclrtCallbackBlockType, aclrtHostFunc, aclrtStream,
};
use crate::ffi::value::handle;

/// Queues a call of `fn` on a stream: it runs once, on a thread of this library, after the stream's earlier
/// operations; later ones wait until it returns, other streams do not. Inside it no call of this library
/// that allocates, frees, waits, queues, creates or destroys is allowed; such calls return an error there.
/// It must return, and not by an exception.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param fn the function.
/// @param args its argument, which the caller keeps alive until it has run; may be null.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `fn` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is
/// on another device than the current context.
/// Thread-safe. Follows aclrtLaunchHostFunc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchHostFunc(
    stream: aclrtStream,
    r#fn: aclrtHostFunc,
    args: *mut c_void,
) -> aclError {
    guard("aclrtLaunchHostFunc", || {
        let Some(function) = r#fn else {
            return Err(Error::invalid_param("fn is null; pass the function to call"));
        };
        // SAFETY: the caller of aclrtLaunchHostFunc promises that it may be called.
        let function = unsafe { HostFn::new(function, args) };
        callback::launch_host_function(function, handle::from_c(stream))
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
    guard_unsupported(
        "aclrtSubscribeHostFunc",
        "callbacks in a thread of the caller are not available; use aclrtLaunchHostFunc",
    )
}

/// Runs host functions in this thread, waiting for them at most `timeout` milliseconds.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtProcessHostFunc(timeout: i32) -> aclError {
    guard_unsupported(
        "aclrtProcessHostFunc",
        "callbacks in a thread of the caller are not available; use aclrtLaunchHostFunc",
    )
}

/// Takes back aclrtSubscribeHostFunc.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUnSubscribeHostFunc(
    hostFuncThreadId: u64,
    exeStream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtUnSubscribeHostFunc",
        "callbacks in a thread of the caller are not available; use aclrtLaunchHostFunc",
    )
}

/// Has a stream's callbacks run in the thread `threadId`, a pthread_t.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSubscribeReport(threadId: u64, stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclrtSubscribeReport",
        "callbacks in a thread of the caller are not available; use aclrtLaunchHostFunc",
    )
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
    guard_unsupported(
        "aclrtLaunchCallback",
        "callbacks in a thread of the caller are not available; use aclrtLaunchHostFunc",
    )
}

/// Runs callbacks in this thread, waiting for them at most `timeout` milliseconds.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtProcessReport(timeout: i32) -> aclError {
    guard_unsupported(
        "aclrtProcessReport",
        "callbacks in a thread of the caller are not available; use aclrtLaunchHostFunc",
    )
}

/// Takes back aclrtSubscribeReport.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUnSubscribeReport(threadId: u64, stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclrtUnSubscribeReport",
        "callbacks in a thread of the caller are not available; use aclrtLaunchHostFunc",
    )
}
