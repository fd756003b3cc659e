//! Host functions and callbacks: functions of the program as operations of a stream, on a thread of the library or of
//! the program.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::backend::{HostFn, pthread as this_thread};
use crate::base::{enum_value, function, guard, handle};
use crate::core::base::error::arguments;
use crate::core::stream::report::{self, HOST_FUNCTIONS, REPORTS};
use crate::types::{aclError, aclrtCallback, aclrtCallbackBlockType, aclrtHostFunc, aclrtStream};

/// Enqueues a call of `fn` on a stream. It runs once (in a graph once for each launch), after the stream's earlier
/// operations, unless it is dropped before (aclrtStreamAbort, aclrtDestroyStreamForce); the later operations of the
/// stream wait until it returns, other streams do not. It runs on a thread of this library or of the GPU's driver, or,
/// if the stream was passed to aclrtSubscribeHostFunc, inside aclrtProcessHostFunc on the subscribed thread. Inside the
/// function, calls that allocate, free, wait, enqueue, create or destroy return an error. The function must return, and
/// must not throw. The stack of a library thread has the system's default size, or `PORTACL_THREAD_STACK` bytes
/// (docs/host_process.md). On GPUs a stream holds some 56 host functions and event records, and some 1,000 operations:
/// the call that finds it full waits. So do not enqueue more behind a function that waits for a later call.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param fn the function.
/// @param args argument of the function; may be null. The caller keeps it valid until the function has run.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `fn` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @retval ACL_ERROR_RT_STREAM_SUBSCRIBE 107011: the stream was passed to aclrtSubscribeReport, which excludes host
///     functions.
/// @retval ACL_ERROR_RT_STREAM_NO_CB_REG 107015: another thread is inside aclrtUnSubscribeHostFunc for the stream.
/// @note Thread-safe. Follows aclrtLaunchHostFunc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchHostFunc(stream: aclrtStream, r#fn: aclrtHostFunc, args: *mut c_void) -> aclError {
    guard("aclrtLaunchHostFunc", || {
        let function = function("fn", r#fn, "pass the function to call")?;
        // SAFETY: the caller of aclrtLaunchHostFunc promises that it may be called.
        let function = unsafe { HostFn::new(function, args) };
        report::launch_host_function(function, handle::from_c(stream))
    })
}

/// Subscribes a thread to a stream's callbacks (aclrtLaunchCallback): they run on thread `threadId` when it calls
/// aclrtProcessReport. A thread may be subscribed to many streams of one device. At most 1024 threads can be
/// subscribed. Until aclrtUnSubscribeReport, or the end of the stream or its device, aclrtLaunchHostFunc is refused on
/// the stream.
///
/// @param threadId the value of pthread_self() on that thread; not a kernel thread id (gettid).
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `threadId` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a callback.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @retval ACL_ERROR_RT_STREAM_SUBSCRIBE 107011: the stream is already subscribed, by this call or by
///     aclrtSubscribeHostFunc.
/// @retval ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: the thread is subscribed to streams of another device, or there are
///     too many threads.
/// @note Thread-safe. Follows aclrtSubscribeReport of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSubscribeReport(threadId: u64, stream: aclrtStream) -> aclError {
    guard("aclrtSubscribeReport", || report::subscribe(&REPORTS, threadId, handle::from_c(stream)))
}

/// Enqueues a call of `fn` on a stream that was passed to aclrtSubscribeReport. It runs once, after the stream's
/// earlier operations, when the subscribed thread calls aclrtProcessReport. Callbacks of a stream run in the order of
/// their launches. No other thread runs them: a wait for a stream with a blocking callback waits for that thread.
/// Inside the callback, calls of this library that allocate, free, wait, enqueue, create or destroy return an error. It
/// must return, and must not throw.
///
/// If the stream is destroyed or aborted, its device is reset or the runtime is finalized before the callback starts,
/// the callback is dropped and the stream continues after it.
///
/// @param fn the function.
/// @param userData argument of the function; may be null. The caller keeps it valid until the function has run.
/// @param blockType ACL_CALLBACK_BLOCK: later operations of the stream, and synchronization with the stream, wait until
///     the callback has returned; ACL_CALLBACK_NO_BLOCK: they do not.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `fn` is null, or an unknown block type.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a callback.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @retval ACL_ERROR_RT_STREAM_NO_CB_REG 107015: the stream is not subscribed, or is being unsubscribed.
/// @note Thread-safe. Follows aclrtLaunchCallback of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchCallback(
    r#fn: aclrtCallback,
    userData: *mut c_void,
    blockType: MaybeUninit<aclrtCallbackBlockType>,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtLaunchCallback", || {
        let function = function("fn", r#fn, "pass the function to call")?;
        let allowed = "ACL_CALLBACK_NO_BLOCK 0 and ACL_CALLBACK_BLOCK 1";
        let block = arguments::numbered("blockType", enum_value(blockType), &[false, true], allowed)?;
        // SAFETY: the caller of aclrtLaunchCallback promises that it may be called.
        let function = unsafe { HostFn::new(function, userData) };
        report::launch_callback(function, block, handle::from_c(stream))
    })
}

/// Runs pending callbacks of the thread's streams on the calling thread: all that are pending when it is called, in the
/// order in which the streams reached them, or else the first one that arrives before the timeout. Needs no current
/// context. Programs call it in a loop on a dedicated thread until a stop flag is set. No cancellation point while it
/// waits: a thread that is cancelled (pthread_cancel) then ends after the call. One that is cancelled inside a callback
/// ends there, and the callback counts as complete: docs/callbacks.md.
///
/// @param timeout milliseconds, greater than 0; or -1: until a callback arrives or the thread's last subscription ends.
/// @retval ACL_SUCCESS 0: at least one callback ran
/// @retval ACL_ERROR_RT_REPORT_TIMEOUT 507012: no callback arrived in time; call it again.
/// @retval ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: the thread is not subscribed to a stream (not yet or not any more);
///     returned after at most 10 ms.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `timeout` is 0 or below -1.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a callback or host function.
/// @note Thread-safe. Follows aclrtProcessReport of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtProcessReport(timeout: i32) -> aclError {
    guard("aclrtProcessReport", || report::process(&REPORTS, this_thread(), timeout))
}

/// Ends a subscription of aclrtSubscribeReport. Waits for callbacks that were launched on the stream before; the
/// subscribed thread continues to run them. If some are left and the thread completes none of them for two seconds, or
/// is the calling thread, the call fails and changes nothing. Succeeds for a stream that went with its context or
/// device, until that is destroyed late: docs/failures.md.
///
/// @param threadId the subscribed thread, the value of its pthread_self().
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_SUCCESS 0: no callback of the stream runs or will run
/// @retval ACL_ERROR_INVALID_PARAM 100000: `threadId` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: callbacks are left that the thread does not run, or not a stream,
///     destroyed, or called inside a callback.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @retval ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: another thread runs the stream's callbacks.
/// @retval ACL_ERROR_RT_STREAM_NO_CB_REG 107015: the stream is not subscribed.
/// @note Thread-safe. Follows aclrtUnSubscribeReport of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUnSubscribeReport(threadId: u64, stream: aclrtStream) -> aclError {
    guard("aclrtUnSubscribeReport", || report::unsubscribe(&REPORTS, threadId, handle::from_c(stream), this_thread()))
}

/// Subscribes a thread to a stream's host functions (aclrtLaunchHostFunc): they run on thread `hostFuncThreadId` when
/// it calls aclrtProcessHostFunc, instead of on a thread of this library. A thread may be subscribed to many streams of
/// one device. At most 1024 threads can be subscribed. The stream waits for each host function as usual. Host functions
/// that were enqueued before still run on a thread of this library. Until aclrtUnSubscribeHostFunc, or the end of the
/// stream or its device, aclrtLaunchCallback is refused on the stream.
///
/// @param hostFuncThreadId the value of pthread_self() on that thread; not a kernel thread id (gettid).
/// @param exeStream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `hostFuncThreadId` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @retval ACL_ERROR_RT_STREAM_SUBSCRIBE 107011: the stream is already subscribed, by this call or by
///     aclrtSubscribeReport.
/// @retval ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: the thread is subscribed to streams of another device, or there are
///     too many threads.
/// @note Thread-safe. Follows aclrtSubscribeHostFunc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSubscribeHostFunc(hostFuncThreadId: u64, exeStream: aclrtStream) -> aclError {
    guard("aclrtSubscribeHostFunc", || report::subscribe(&HOST_FUNCTIONS, hostFuncThreadId, handle::from_c(exeStream)))
}

/// Runs pending host functions of the thread's streams on the calling thread: all that are pending when it is called,
/// in the order in which the streams reached them, or else the first one that arrives before the timeout. Needs no
/// current context. A thread that is cancelled (pthread_cancel) ends as in aclrtProcessReport.
///
/// @param timeout milliseconds, greater than 0; or -1: until one arrives or the thread's last subscription ends.
/// @retval ACL_SUCCESS 0: at least one host function ran
/// @retval ACL_ERROR_RT_REPORT_TIMEOUT 507012: no callback arrived in time; call it again.
/// @retval ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: the thread is not subscribed to a stream (not yet or not any more);
///     returned after at most 10 ms.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `timeout` is 0 or below -1.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a callback or host function.
/// @note Thread-safe. Follows aclrtProcessHostFunc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtProcessHostFunc(timeout: i32) -> aclError {
    guard("aclrtProcessHostFunc", || report::process(&HOST_FUNCTIONS, this_thread(), timeout))
}

/// Ends a subscription of aclrtSubscribeHostFunc. Waits for host functions that were launched on the stream before; the
/// subscribed thread continues to run them. If some are left and the thread completes none of them for two seconds, or
/// is the calling thread, the call fails and changes nothing. Later host functions run on a thread of this library
/// again. Succeeds for a stream that went with its context or device, until that is destroyed late: docs/failures.md.
///
/// @param hostFuncThreadId the subscribed thread, the value of its pthread_self().
/// @param exeStream a stream; null: the default stream of the current context.
/// @retval ACL_SUCCESS 0: no host function of the stream runs or will run on that thread
/// @retval ACL_ERROR_INVALID_PARAM 100000: `hostFuncThreadId` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: host functions are left that the thread does not run, or not a stream,
///     destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @retval ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: another thread runs the stream's host functions.
/// @retval ACL_ERROR_RT_STREAM_NO_CB_REG 107015: the stream is not subscribed.
/// @note Thread-safe. Follows aclrtUnSubscribeHostFunc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUnSubscribeHostFunc(hostFuncThreadId: u64, exeStream: aclrtStream) -> aclError {
    guard("aclrtUnSubscribeHostFunc", || {
        let stream = handle::from_c(exeStream);
        report::unsubscribe(&HOST_FUNCTIONS, hostFuncThreadId, stream, this_thread())
    })
}
