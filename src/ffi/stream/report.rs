//! The caller's functions as part of a stream's work, run in a thread of the caller.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::backend::{HostFn, pthread as this_thread};
use crate::core::base::error::Error;
use crate::core::stream::report::{self, HOST_FUNCTIONS, REPORTS};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{enum_value, handle};
use crate::ffi::types::{aclError, aclrtCallback, aclrtCallbackBlockType, aclrtStream};

const NO_BLOCK: i32 = aclrtCallbackBlockType::ACL_CALLBACK_NO_BLOCK as i32;
const BLOCK: i32 = aclrtCallbackBlockType::ACL_CALLBACK_BLOCK as i32;

/// Has a stream's callbacks (aclrtLaunchCallback) run in the thread `threadId`, whenever that thread calls
/// aclrtProcessReport. One thread may serve many streams, all of one device; at most 1024 threads can.
/// Until aclrtUnSubscribeReport, or the end of the stream or its device, aclrtLaunchHostFunc is refused on
/// the stream.
///
/// @param threadId what pthread_self() gives in that thread; not a number of the kernel (gettid).
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `threadId` is 0; ACL_ERROR_RT_PARAM_INVALID 107000:
/// not a stream, destroyed, or called inside a callback; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context;
/// ACL_ERROR_RT_STREAM_SUBSCRIBE 107011: the stream is subscribed already, by this call or by
/// aclrtSubscribeHostFunc; ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: the thread serves streams of another device,
/// or would be one too many. Thread-safe. Follows aclrtSubscribeReport of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSubscribeReport(threadId: u64, stream: aclrtStream) -> aclError {
    guard("aclrtSubscribeReport", || {
        report::subscribe(&REPORTS, "threadId", threadId, handle::from_c(stream))
    })
}

/// Queues a call of `fn` on a stream that was given to aclrtSubscribeReport: it runs once, after the stream's
/// earlier operations, when that thread calls aclrtProcessReport; callbacks of a stream run in the order of
/// their launches. No other thread ever runs it: who waits for a stream with a blocking callback waits for
/// that thread. Inside it no call of this library that allocates, frees, waits, queues, creates or destroys
/// is allowed; such calls return an error there. It must return, and not by an exception.
///
/// It is dropped, without having run, if the stream is destroyed or aborted, its device is reset or the
/// runtime finalized before it starts; the stream goes on behind it.
///
/// @param fn the function.
/// @param userData its argument, which the caller keeps alive until it has run; may be null.
/// @param blockType ACL_CALLBACK_BLOCK: later operations of the stream, and whoever waits for the stream, wait
/// until the callback has returned; ACL_CALLBACK_NO_BLOCK: they do not.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `fn` is null, or no such block type; ACL_ERROR_RT_PARAM_INVALID
/// 107000: not a stream, destroyed, or called inside a callback; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context;
/// ACL_ERROR_RT_STREAM_NO_CB_REG 107015: the stream is not subscribed, or is being unsubscribed.
/// Thread-safe. Follows aclrtLaunchCallback of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchCallback(
    r#fn: aclrtCallback,
    userData: *mut c_void,
    blockType: MaybeUninit<aclrtCallbackBlockType>,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtLaunchCallback", || {
        let Some(function) = r#fn else {
            return Err(Error::invalid_param("fn is null; pass the function to call"));
        };
        let block = match enum_value(blockType) {
            NO_BLOCK => false,
            BLOCK => true,
            other => {
                return Err(Error::invalid_param(format_args!(
                    "blockType is {other}; allowed: ACL_CALLBACK_NO_BLOCK 0 and ACL_CALLBACK_BLOCK 1"
                )));
            }
        };
        // SAFETY: the caller of aclrtLaunchCallback promises that it may be called.
        let function = unsafe { HostFn::new(function, userData) };
        report::launch_callback(function, block, handle::from_c(stream))
    })
}

/// Runs, in the calling thread, the callbacks that its streams have come to: those that are there when it is
/// called, in the order in which the streams came to them, or the first that comes in time. Needs no
/// current context. Programs call it in a loop, on a thread of its own, until a flag of theirs.
///
/// @param timeout milliseconds above 0; or -1: until a callback comes or the thread's last subscription ends.
/// @return ACL_SUCCESS: at least one callback has run; ACL_ERROR_RT_REPORT_TIMEOUT 507012: none came in time,
/// call it again; ACL_ERROR_RT_THREAD_SUBSCRIBE 107012, after 10 ms at most: the thread serves no stream, not
/// yet or not any more; ACL_ERROR_INVALID_PARAM 100000: `timeout` is 0 or below -1; ACL_ERROR_RT_PARAM_INVALID 107000:
/// called inside a callback or host function. Thread-safe. Follows aclrtProcessReport of the Ascend runtime
/// API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtProcessReport(timeout: i32) -> aclError {
    guard("aclrtProcessReport", || report::process(&REPORTS, this_thread(), timeout))
}

/// Takes back aclrtSubscribeReport. Waits for callbacks that were launched on the stream before, which the
/// thread goes on to run; if it ends none of them for two seconds, or is the calling thread itself, nothing
/// changes and this fails.
///
/// @param threadId the thread that was subscribed, as pthread_self() gives it.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS: no callback of the stream runs or will run; ACL_ERROR_INVALID_PARAM 100000: `threadId` is 0;
/// ACL_ERROR_RT_PARAM_INVALID 107000: callbacks are left that the thread does not run, or not a stream, destroyed, or
/// called inside a callback; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context;
/// ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: another thread runs the stream's callbacks;
/// ACL_ERROR_RT_STREAM_NO_CB_REG 107015: the stream is not subscribed.
/// Thread-safe. Follows aclrtUnSubscribeReport of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUnSubscribeReport(threadId: u64, stream: aclrtStream) -> aclError {
    guard("aclrtUnSubscribeReport", || {
        let stream = handle::from_c(stream);
        report::unsubscribe(&REPORTS, "threadId", threadId, stream, this_thread())
    })
}

/// Has a stream's host functions (aclrtLaunchHostFunc) run in the thread `hostFuncThreadId` instead of a thread of this
/// library, whenever that thread calls aclrtProcessHostFunc. One thread may serve many streams, all of one
/// device; at most 1024 threads can. The stream waits for each of them, as ever. Host functions that were
/// queued before run as they would have. Until aclrtUnSubscribeHostFunc, or the end of the stream or its
/// device, aclrtLaunchCallback is refused on the stream.
///
/// @param hostFuncThreadId what pthread_self() gives in that thread; not a number of the kernel (gettid).
/// @param exeStream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `hostFuncThreadId` is 0; ACL_ERROR_RT_PARAM_INVALID
/// 107000: not a stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
/// current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current
/// context; ACL_ERROR_RT_STREAM_SUBSCRIBE 107011: the stream is subscribed already, by this call or by
/// aclrtSubscribeReport; ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: the thread serves streams of another device,
/// or would be one too many. Thread-safe. Follows aclrtSubscribeHostFunc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSubscribeHostFunc(
    hostFuncThreadId: u64,
    exeStream: aclrtStream,
) -> aclError {
    guard("aclrtSubscribeHostFunc", || {
        let stream = handle::from_c(exeStream);
        report::subscribe(&HOST_FUNCTIONS, "hostFuncThreadId", hostFuncThreadId, stream)
    })
}

/// Runs, in the calling thread, the host functions that its streams have come to: those that are there when
/// it is called, in the order in which the streams came to them, or the first that comes in time. Needs no
/// current context.
///
/// @param timeout milliseconds above 0; or -1: until one comes or the thread's last subscription ends.
/// @return ACL_SUCCESS: at least one host function has run; ACL_ERROR_RT_REPORT_TIMEOUT 507012: none came in
/// time, call it again; ACL_ERROR_RT_THREAD_SUBSCRIBE 107012, after 10 ms at most: the thread serves no
/// stream, not yet or not any more; ACL_ERROR_INVALID_PARAM 100000: `timeout` is 0 or below -1; ACL_ERROR_RT_PARAM_INVALID
/// 107000: called inside a callback or host function. Thread-safe. Follows aclrtProcessHostFunc of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtProcessHostFunc(timeout: i32) -> aclError {
    guard("aclrtProcessHostFunc", || report::process(&HOST_FUNCTIONS, this_thread(), timeout))
}

/// Takes back aclrtSubscribeHostFunc. Waits for host functions that were launched on the stream before, which
/// the thread goes on to run; if it ends none of them for two seconds, or is the calling thread itself,
/// nothing changes and this fails. Later ones run on a thread of this library again.
///
/// @param hostFuncThreadId the thread that was subscribed, as pthread_self() gives it.
/// @param exeStream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS: none of them runs or will run in that thread; ACL_ERROR_INVALID_PARAM 100000:
/// `hostFuncThreadId` is 0; ACL_ERROR_RT_PARAM_INVALID 107000: host functions are left that the thread does
/// not run, or not a stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002:
/// no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current
/// context; ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: another thread runs the stream's host functions;
/// ACL_ERROR_RT_STREAM_NO_CB_REG 107015: the stream is not subscribed. Thread-safe. Follows
/// aclrtUnSubscribeHostFunc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUnSubscribeHostFunc(
    hostFuncThreadId: u64,
    exeStream: aclrtStream,
) -> aclError {
    guard("aclrtUnSubscribeHostFunc", || {
        let stream = handle::from_c(exeStream);
        let caller = this_thread();
        report::unsubscribe(&HOST_FUNCTIONS, "hostFuncThreadId", hostFuncThreadId, stream, caller)
    })
}
