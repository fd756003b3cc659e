//! Streams: in-order queues of work.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use crate::core::{event, stream};
use crate::ffi::guard::{guard, guard_unsupported};
use crate::ffi::types::{
    aclError, aclrtCompareDataType, aclrtCondition, aclrtEvent, aclrtStream, aclrtStreamAttr,
    aclrtStreamAttrValue, aclrtStreamStateCallback, aclrtStreamStatus,
};
use crate::ffi::value::{Out, handle};

/// Creates a stream in the current context: operations of one stream run in the order of their calls,
/// those of different streams independently of each other.
///
/// @param stream receives the handle; the caller destroys it with aclrtDestroyStream.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more can be made; ACL_ERROR_RT_PARAM_INVALID 107000:
/// called inside a host function. Thread-safe. Follows aclrtCreateStream of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateStream(stream: *mut aclrtStream) -> aclError {
    guard("aclrtCreateStream", || {
        let out = Out::new("stream", stream)?;
        out.write(handle::to_c(stream::create(0)?));
        Ok(())
    })
}

/// Creates a stream with flags. Synchronizing a stream with ACL_STREAM_CPU_SCHEDULE or
/// ACL_STREAM_DEVICE_USE_ONLY succeeds at once; ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC and
/// ACL_STREAM_HUGE change nothing; unknown bits mean nothing.
///
/// @param stream receives the handle; the caller destroys it with aclrtDestroyStream.
/// @param priority ignored, as in the original.
/// @param flag an OR of ACL_STREAM_* flags.
/// @return as aclrtCreateStream; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: ACL_STREAM_PERSISTENT, which needs
/// graphs. Thread-safe. Follows aclrtCreateStreamWithConfig of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateStreamWithConfig(
    stream: *mut aclrtStream,
    priority: u32,
    flag: u32,
) -> aclError {
    guard("aclrtCreateStreamWithConfig", || {
        let out = Out::new("stream", stream)?;
        out.write(handle::to_c(stream::create(flag)?));
        Ok(())
    })
}

/// Waits for a stream's pending work and destroys it. The handle is invalid for all threads as soon as the
/// call begins. A failure of its work that nobody was told of, or a refusal of the driver, is returned; the
/// stream is destroyed all the same.
///
/// @param stream from a creator; not null, not a default stream.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is
/// on another device than the current context; ACL_ERROR_RT_AICORE_EXCEPTION 507015: work on it had failed;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused. Thread-safe. Follows aclrtDestroyStream of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyStream(stream: aclrtStream) -> aclError {
    guard("aclrtDestroyStream", || stream::destroy(handle::from_c(stream), false))
}

/// Destroys a stream without waiting. Work that has not started is dropped on the CPU (waits on events
/// recorded there end), and so are failures that nobody was told of; a GPU finishes what its driver holds.
///
/// @param stream from a creator; not null, not a default stream.
/// @return as aclrtDestroyStream. Thread-safe. Follows aclrtDestroyStreamForce of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyStreamForce(stream: aclrtStream) -> aclError {
    guard("aclrtDestroyStreamForce", || stream::destroy(handle::from_c(stream), true))
}

/// Waits until everything queued on a stream before the call has finished.
///
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is
/// on another device than the current context; or the first failure of
/// the stream's work that nobody was told of yet. Thread-safe. Follows aclrtSynchronizeStream of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeStream(stream: aclrtStream) -> aclError {
    guard("aclrtSynchronizeStream", || stream::synchronize(handle::from_c(stream)))
}

/// As aclrtSynchronizeStream, for a limited time. A timeout cancels nothing: the work goes on.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param timeout milliseconds above 0, or -1 to wait for ever.
/// @return as aclrtSynchronizeStream; ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046: not finished in time;
/// ACL_ERROR_RT_PARAM_INVALID 107000 also for any other timeout. Thread-safe. Follows
/// aclrtSynchronizeStreamWithTimeout of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeStreamWithTimeout(
    stream: aclrtStream,
    timeout: i32,
) -> aclError {
    guard("aclrtSynchronizeStreamWithTimeout", || {
        stream::synchronize_with_timeout(handle::from_c(stream), timeout)
    })
}

/// Whether everything queued on a stream has finished. Failures of its work are reported by synchronizing
/// only.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param status receives ACL_STREAM_STATUS_COMPLETE or ACL_STREAM_STATUS_NOT_READY.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `status` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is
/// on another device than the current context.
/// Thread-safe. Follows aclrtStreamQuery of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamQuery(
    stream: aclrtStream,
    status: *mut aclrtStreamStatus,
) -> aclError {
    guard("aclrtStreamQuery", || {
        let out = Out::new("status", status)?;
        out.write(match stream::is_idle(handle::from_c(stream))? {
            true => aclrtStreamStatus::ACL_STREAM_STATUS_COMPLETE,
            false => aclrtStreamStatus::ACL_STREAM_STATUS_NOT_READY,
        });
        Ok(())
    })
}

/// Later operations of `stream` wait for what `event` recorded last before this call; an event that was
/// never recorded is not waited for. The event may be of another device, and may be destroyed, reset or
/// recorded again right after the call. Does not block the caller. With aclrtSetOpWaitTimeout the wait has a
/// time limit, as in aclrtStreamWaitEventWithTimeout.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param event an event of aclrtCreateEvent, or one that was created with ACL_EVENT_SYNC.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `event` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// stream or event, destroyed, an event without ACL_EVENT_SYNC, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is
/// on another device than the current context; ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no room to note the wait
/// for aclrtQueryEventWaitStatus. Thread-safe. Follows aclrtStreamWaitEvent of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamWaitEvent(stream: aclrtStream, event: aclrtEvent) -> aclError {
    guard("aclrtStreamWaitEvent", || event::wait(handle::from_c(stream), handle::from_c(event)))
}

/// As aclrtStreamWaitEvent, for a limited time, which counts from when the stream comes to the wait. If it ends
/// first, the stream goes on without what it waited for, and has failed: its next synchronise returns
/// ACL_ERROR_RT_WAIT_TIMEOUT 107019.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param event an event of aclrtCreateEvent, or one that was created with ACL_EVENT_SYNC.
/// @param timeout seconds above 0, or 0 to wait for ever, whatever aclrtSetOpWaitTimeout says.
/// @return as aclrtStreamWaitEvent; ACL_ERROR_RT_PARAM_INVALID 107000 also for a timeout below 0;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a CUDA driver whose streams cannot wait for a word in memory.
/// Thread-safe. Follows aclrtStreamWaitEventWithTimeout of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamWaitEventWithTimeout(
    stream: aclrtStream,
    event: aclrtEvent,
    timeout: i32,
) -> aclError {
    guard("aclrtStreamWaitEventWithTimeout", || {
        event::wait_with_timeout(handle::from_c(stream), handle::from_c(event), timeout)
    })
}

/// As aclrtStreamWaitEventWithTimeout, with a flag.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param event an event of aclrtCreateEvent, or one that was created with ACL_EVENT_SYNC.
/// @param timeout seconds above 0, or 0 to wait for ever.
/// @param flag ACL_EVENT_WAIT_DEFAULT 0. ACL_EVENT_WAIT_EXTERNAL 1 is for streams that are being captured into
/// a graph, with timeout 0; there are none here.
/// @return as aclrtStreamWaitEventWithTimeout; ACL_ERROR_INVALID_PARAM 100000 also for another flag, or
/// ACL_EVENT_WAIT_EXTERNAL with a timeout; ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: ACL_EVENT_WAIT_EXTERNAL.
/// Thread-safe. Follows aclrtStreamWaitEventWithFlag of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamWaitEventWithFlag(
    stream: aclrtStream,
    event: aclrtEvent,
    timeout: u32,
    flag: u32,
) -> aclError {
    guard("aclrtStreamWaitEventWithFlag", || {
        event::wait_with_flag(handle::from_c(stream), handle::from_c(event), timeout, flag)
    })
}

/// A small number that no other stream of the device has, as long as the device is in use.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param streamId receives the number.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `streamId` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
/// Follows aclrtStreamGetId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamGetId(stream: aclrtStream, streamId: *mut i32) -> aclError {
    guard("aclrtStreamGetId", || {
        let out = Out::new("streamId", streamId)?;
        out.write(stream::id(handle::from_c(stream))?);
        Ok(())
    })
}

/// The flags that a stream was created with, without unknown bits; 0 if there were none.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param flags receives an OR of ACL_STREAM_* flags.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `flags` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
/// Follows aclrtStreamGetFlags of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamGetFlags(stream: aclrtStream, flags: *mut u32) -> aclError {
    guard("aclrtStreamGetFlags", || {
        let out = Out::new("flags", flags)?;
        out.write(stream::flags(handle::from_c(stream))?);
        Ok(())
    })
}

/// The priority that a stream has; 0 is the most urgent. It is 0 for streams of aclrtCreateStream and
/// aclrtCreateStreamWithConfig, which ignores the one it is given.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param priority receives the priority.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `priority` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
/// Follows aclrtStreamGetPriority of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamGetPriority(
    stream: aclrtStream,
    priority: *mut u32,
) -> aclError {
    guard("aclrtStreamGetPriority", || {
        let out = Out::new("priority", priority)?;
        out.write(stream::priority(handle::from_c(stream))?);
        Ok(())
    })
}

/// How many more streams there can be. Devices share the number; memory, or a driver, may end before it.
///
/// @param streamCount receives the number.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context. Thread-safe. Follows aclrtGetStreamAvailableNum of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetStreamAvailableNum(streamCount: *mut u32) -> aclError {
    guard("aclrtGetStreamAvailableNum", || {
        let out = Out::new("streamCount", streamCount)?;
        out.write(stream::available()?);
        Ok(())
    })
}

/// Drops a stream's queued work and stops what runs; the stream lives on.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamAbort(stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclrtStreamAbort",
        "work cannot be dropped while the stream lives on; use aclrtDestroyStreamForce",
    )
}

/// Stops a stream's work.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamStop(stream: aclrtStream) -> aclError {
    guard_unsupported("aclrtStreamStop", "a stream cannot be stopped; use aclrtDestroyStreamForce")
}

/// Sets what happens after a failure on the stream: ACL_CONTINUE_ON_FAILURE or ACL_STOP_ON_FAILURE.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetStreamFailureMode(stream: aclrtStream, mode: u64) -> aclError {
    guard_unsupported(
        "aclrtSetStreamFailureMode",
        "streams always go on after a failure; check the code of aclrtSynchronizeStream",
    )
}

/// Has `callback` called after streams are made and before they end; null takes it back.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRegStreamStateCallback(
    regName: *const c_char,
    callback: aclrtStreamStateCallback,
    args: *mut c_void,
) -> aclError {
    guard_unsupported(
        "aclrtRegStreamStateCallback",
        "changes of a stream's state are not announced; run the code beside aclrtCreateStream \
             and aclrtDestroyStream",
    )
}

/// Sets an attribute of a stream.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetStreamAttribute(
    stream: aclrtStream,
    stmAttrType: MaybeUninit<aclrtStreamAttr>,
    value: *mut aclrtStreamAttrValue,
) -> aclError {
    guard_unsupported(
        "aclrtSetStreamAttribute",
        "attributes of streams are not kept; leave the call out",
    )
}

/// Tells an attribute of a stream.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetStreamAttribute(
    stream: aclrtStream,
    stmAttrType: MaybeUninit<aclrtStreamAttr>,
    value: *mut aclrtStreamAttrValue,
) -> aclError {
    guard_unsupported(
        "aclrtGetStreamAttribute",
        "attributes of streams are not kept; assume the defaults",
    )
}

/// Empties a stream whose work was stored rather than run.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtPersistentTaskClean(stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclrtPersistentTaskClean",
        "streams that store their work are not available; make a new stream instead",
    )
}

/// Starts one stream's stored work from another stream.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtActiveStream(
    activeStream: aclrtStream,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtActiveStream",
        "streams that store their work are not available; submit the work directly",
    )
}

/// Compares two values on the device and goes on with one of two streams.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSwitchStream(
    leftValue: *mut c_void,
    cond: MaybeUninit<aclrtCondition>,
    rightValue: *mut c_void,
    dataType: MaybeUninit<aclrtCompareDataType>,
    trueStream: aclrtStream,
    falseStream: aclrtStream,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtSwitchStream",
        "streams that store their work are not available; compare on the host and submit the \
             work directly",
    )
}
