//! Streams: in-order queues of work.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::stream::{self, event};

use crate::base::{Out, enum_value, guard, guard_out, guard_unsupported, handle, must_not_be_null, read_number};
use crate::core::stream::stream_attribute::{self, Attribute};
use crate::types::{aclError, aclrtEvent, aclrtStream, aclrtStreamAttr, aclrtStreamAttrValue, aclrtStreamStatus};

/// Creates a stream in the current context. Operations of one stream run in the order of their calls; operations of
/// different streams run independently.
///
/// @param stream receives the handle; the caller destroys it with aclrtDestroyStream.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more can be created.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtCreateStream of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateStream(stream: *mut aclrtStream) -> aclError {
    guard_out("aclrtCreateStream", "stream", stream, || Ok(handle::to_c(stream::create(0)?)))
}

/// Creates a stream with flags. A stream with ACL_STREAM_PERSISTENT is for building graphs (aclmdlRIBindStream) and
/// runs nothing. Synchronizing it, or a stream with ACL_STREAM_CPU_SCHEDULE or ACL_STREAM_DEVICE_USE_ONLY, succeeds at
/// once. ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC and ACL_STREAM_HUGE have no effect; unknown bits are ignored.
///
/// @param stream receives the handle; the caller destroys it with aclrtDestroyStream.
/// @param priority ignored, as in the original.
/// @param flag an OR of ACL_STREAM_* flags. Unknown flags count as not given: docs/configuration.md has the rule.
/// @return the codes of aclrtCreateStream.
/// @note Thread-safe. Follows aclrtCreateStreamWithConfig of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateStreamWithConfig(stream: *mut aclrtStream, priority: u32, flag: u32) -> aclError {
    guard_out("aclrtCreateStreamWithConfig", "stream", stream, || Ok(handle::to_c(stream::create(flag)?)))
}

/// Waits for a stream's pending work and destroys the stream. The handle is invalid for all threads from the wait on.
/// Callbacks that have not started are dropped. Returns the first unreported failure of its work, or an error of the
/// driver. Returns 107000 inside a callback of the program if it could wait forever: docs/callbacks.md. If the stream
/// was already released with its context or device, the first call succeeds and does nothing: docs/failures.md.
///
/// @param stream from a create function; not null, not a default stream.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015, or another code, such as ACL_ERROR_RT_WAIT_TIMEOUT 107019: work on it
///     had failed; the stream is destroyed anyway.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused; the stream is destroyed anyway. The stream is
///     not destroyed while it is being captured (ACL_ERROR_RT_STREAM_CAPTURED 107027), is bound to a graph, or updates
///     a task group (107000).
/// @note Thread-safe. Follows aclrtDestroyStream of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyStream(stream: aclrtStream) -> aclError {
    guard("aclrtDestroyStream", || stream::destroy(handle::from_c(stream), false))
}

/// Destroys a stream without waiting, and drops its unreported failures. The CPU backend drops operations that have not
/// started (waits for events recorded there end); a GPU completes what was submitted to its driver. A capture that the
/// stream began ends without a graph, one that it joined, or a graph that it is bound to, becomes invalid, and a task
/// group that it updates stays unchanged. If the stream was already released with its context or device, the first call
/// succeeds and does nothing: docs/failures.md.
///
/// @param stream from a create function; not null, not a default stream.
/// @return the codes of aclrtDestroyStream.
/// @note Thread-safe. Follows aclrtDestroyStreamForce of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyStreamForce(stream: aclrtStream) -> aclError {
    guard("aclrtDestroyStreamForce", || stream::destroy(handle::from_c(stream), true))
}

/// Waits until all work that was enqueued on a stream before the call is complete. Returns 107000 inside a callback of
/// the program if it could wait forever: docs/callbacks.md. No cancellation point: a thread that is cancelled
/// (pthread_cancel) while it waits ends after the call.
///
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @retval ACL_ERROR_RT_STREAM_ABORT 107023, ACL_ERROR_RT_DEVICE_TASK_ABORT 107022: aclrtStreamAbort or
///     aclrtDeviceTaskAbort dropped the work during the call; or the first unreported failure of the stream's work
///     (such as ACL_ERROR_RT_AICORE_EXCEPTION 507015, ACL_ERROR_RT_WAIT_TIMEOUT 107019, or the code of a task). After a
///     failure under ACL_STOP_ON_FAILURE every call returns that failure.
/// @note Thread-safe. Follows aclrtSynchronizeStream of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeStream(stream: aclrtStream) -> aclError {
    guard("aclrtSynchronizeStream", || stream::synchronize(handle::from_c(stream)))
}

/// Waits for a stream as aclrtSynchronizeStream, with a timeout. A timeout cancels nothing: the work continues. Returns
/// 107000 inside a callback of the program if it could wait forever: docs/callbacks.md.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param timeout milliseconds, greater than 0, or -1 to wait forever.
/// @return the codes of aclrtSynchronizeStream
/// @retval ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046: not complete within the timeout.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: also for any other timeout.
/// @note Thread-safe. Follows aclrtSynchronizeStreamWithTimeout of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeStreamWithTimeout(stream: aclrtStream, timeout: i32) -> aclError {
    guard("aclrtSynchronizeStreamWithTimeout", || stream::synchronize_with_timeout(handle::from_c(stream), timeout))
}

/// Returns whether all work that was enqueued on a stream is complete. It reports no failures of the work, except that
/// of a whole GPU (ACL_ERROR_RT_AICORE_EXCEPTION 507015).
///
/// @param stream a stream; null: the default stream of the current context.
/// @param status receives ACL_STREAM_STATUS_COMPLETE or ACL_STREAM_STATUS_NOT_READY.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `status` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtStreamQuery of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamQuery(stream: aclrtStream, status: *mut aclrtStreamStatus) -> aclError {
    guard_out("aclrtStreamQuery", "status", status, || {
        Ok(match stream::is_idle(handle::from_c(stream))? {
            true => aclrtStreamStatus::ACL_STREAM_STATUS_COMPLETE,
            false => aclrtStreamStatus::ACL_STREAM_STATUS_NOT_READY,
        })
    })
}

/// Makes later operations of `stream` wait for the record of `event` that is the latest at the time of this call. If
/// the event was never recorded, there is no wait; one with ACL_EVENT_EXTERNAL is awaited until it is set. The event
/// may belong to another device, and may be destroyed, reset or recorded again right after the call. Does not block the
/// caller. With aclrtSetOpWaitTimeout the wait has a timeout, as in aclrtStreamWaitEventWithTimeout, if the driver
/// supports it.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param event an event of aclrtCreateEvent, or one with ACL_EVENT_SYNC, ACL_EVENT_EXTERNAL or ACL_EVENT_IPC.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `event` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream or event, destroyed, an event without these flags, or called
///     inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @retval ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no memory to count the wait for aclrtQueryEventWaitStatus.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an event with ACL_EVENT_EXTERNAL or ACL_EVENT_IPC, and a CUDA
///     driver whose streams cannot wait for a word in memory; or an event that a stream of another device has recorded
///     in a capture.
/// @note Thread-safe. Follows aclrtStreamWaitEvent of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamWaitEvent(stream: aclrtStream, event: aclrtEvent) -> aclError {
    guard("aclrtStreamWaitEvent", || event::wait(handle::from_c(stream), handle::from_c(event)))
}

/// Makes a stream wait as aclrtStreamWaitEvent, with a timeout that starts when the stream reaches the wait. If it
/// expires first, the stream continues without the event (under ACL_STOP_ON_FAILURE it stops), and its next synchronize
/// returns ACL_ERROR_RT_WAIT_TIMEOUT 107019. Waits of captured streams have no timeout.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param event as in aclrtStreamWaitEvent.
/// @param timeout seconds, greater than 0, or 0 for no timeout, whatever aclrtSetOpWaitTimeout sets.
/// @return the codes of aclrtStreamWaitEvent
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: also for a timeout below 0.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a CUDA driver whose streams cannot wait for a word in memory.
/// @note Thread-safe. Follows aclrtStreamWaitEventWithTimeout of the Ascend runtime API.
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

/// Makes a stream wait as aclrtStreamWaitEventWithTimeout, with a flag.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param event as in aclrtStreamWaitEvent.
/// @param timeout seconds, greater than 0, or 0 for no timeout.
/// @param flag ACL_EVENT_WAIT_DEFAULT 0. ACL_EVENT_WAIT_EXTERNAL 1, with timeout 0, is for captured streams: each
///     launch of the graph waits for the record of the event, in any stream, that is the latest when the launch is
///     enqueued; for an event with ACL_EVENT_EXTERNAL until it is set.
/// @return the codes of aclrtStreamWaitEventWithTimeout
/// @retval ACL_ERROR_INVALID_PARAM 100000: also for another flag, or ACL_EVENT_WAIT_EXTERNAL with a timeout.
/// @retval ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: ACL_EVENT_WAIT_EXTERNAL, and the stream is not being captured.
/// @note Thread-safe. Follows aclrtStreamWaitEventWithFlag of the Ascend runtime API.
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

/// Returns a small number that is unique among the streams of the device, as long as the device is in use.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param streamId receives the number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `streamId` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtStreamGetId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamGetId(stream: aclrtStream, streamId: *mut i32) -> aclError {
    guard_out("aclrtStreamGetId", "streamId", streamId, || stream::id(handle::from_c(stream)))
}

/// Returns the flags that a stream was created with, without unknown bits; 0 if there were none.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param flags receives an OR of ACL_STREAM_* flags.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `flags` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtStreamGetFlags of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamGetFlags(stream: aclrtStream, flags: *mut u32) -> aclError {
    guard_out("aclrtStreamGetFlags", "flags", flags, || stream::flags(handle::from_c(stream)))
}

/// Returns the priority of a stream; 0 is the highest. It is 0 for streams of aclrtCreateStream and
/// aclrtCreateStreamWithConfig, which ignores its priority argument, until aclrtSetStreamAttribute changes it; on GPUs
/// these are as urgent as the streams of other CUDA libraries in the process.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param priority receives the priority.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `priority` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtStreamGetPriority of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamGetPriority(stream: aclrtStream, priority: *mut u32) -> aclError {
    guard_out("aclrtStreamGetPriority", "priority", priority, || stream::priority(handle::from_c(stream)))
}

/// Returns how many more streams can be created. All devices share the number; memory or the driver may set a lower
/// limit.
///
/// @param streamCount receives the number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclrtGetStreamAvailableNum of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetStreamAvailableNum(streamCount: *mut u32) -> aclError {
    guard_out("aclrtGetStreamAvailableNum", "streamCount", streamCount, stream::available)
}

/// Sets what happens when work of a stream fails. Can be called once per stream. ACL_CONTINUE_ON_FAILURE, the default:
/// the next operation runs. ACL_STOP_ON_FAILURE: the first failure of this stream stops it and all other streams of its
/// context at once. Their pending work is dropped (a GPU completes what was submitted to its driver), waits for events
/// recorded there end, and every later submission and synchronize of these streams returns the code of the failure,
/// until the streams, or for a default stream its context, are destroyed.
///
/// A failure of a whole GPU ends all of its work in both modes, and the GPU works again in another process only.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param mode ACL_CONTINUE_ON_FAILURE or ACL_STOP_ON_FAILURE.
/// @retval ACL_ERROR_INVALID_PARAM 100000: an unknown mode.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the mode was set before, or not a stream, destroyed, or called inside a
///     host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtSetStreamFailureMode of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetStreamFailureMode(stream: aclrtStream, mode: u64) -> aclError {
    guard("aclrtSetStreamFailureMode", || stream_attribute::set_failure_mode(handle::from_c(stream), mode))
}

/// Sets an attribute of a stream.
///
/// | attribute | member of `value` | meaning |
/// |---|---|---|
/// | ACL_STREAM_ATTR_FAILURE_MODE | `failureMode` | as aclrtSetStreamFailureMode, once per stream |
/// | ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK | `overflowSwitch` | 0 or 1; stored, overflow is never reported |
/// | ACL_STREAM_ATTR_USER_CUSTOM_TAG | `userCustomTag` | any number; stored |
/// | ACL_STREAM_ATTR_CACHE_OP_INFO | `cacheOpInfoSwitch` | 0 or 1; stored |
/// | ACL_STREAM_ATTR_PRIORITY | `streamPriority` | 0 (highest) to the lowest of aclrtDeviceGetStreamPriorityRange, for operations that have not started; a GPU keeps the priority that the stream was created with |
///
/// @param stream a stream; null: the default stream of the current context.
/// @param stmAttrType the attribute.
/// @param value its value; only the member of the attribute is read.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `value` is null, an unknown attribute, or a value out of range.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the failure mode was set before, or not a stream, destroyed, or called
///     inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a different priority on a GPU.
/// @note Thread-safe. Follows aclrtSetStreamAttribute of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetStreamAttribute(
    stream: aclrtStream,
    stmAttrType: MaybeUninit<aclrtStreamAttr>,
    value: *mut aclrtStreamAttrValue,
) -> aclError {
    guard("aclrtSetStreamAttribute", || {
        must_not_be_null("value", value)?;
        let attribute = Attribute::from_number("stmAttrType", enum_value(stmAttrType))?;
        let number = read_number(value.cast(), attribute != Attribute::FailureMode);
        stream_attribute::set(handle::from_c(stream), attribute, number)
    })
}

/// Returns an attribute of a stream, as aclrtSetStreamAttribute, the function for this attribute alone or the create
/// function set it. Defaults: ACL_CONTINUE_ON_FAILURE, and 0 for all others.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param stmAttrType the attribute.
/// @param value receives its value; only the member of the attribute is written.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `value` is null, or an unknown attribute.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtGetStreamAttribute of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetStreamAttribute(
    stream: aclrtStream,
    stmAttrType: MaybeUninit<aclrtStreamAttr>,
    value: *mut aclrtStreamAttrValue,
) -> aclError {
    guard("aclrtGetStreamAttribute", || {
        let out = Out::new("value", value.cast::<c_void>())?;
        let attribute = Attribute::from_number("stmAttrType", enum_value(stmAttrType))?;
        let number = stream_attribute::get(handle::from_c(stream), attribute)?;
        out.write_number(attribute != Attribute::FailureMode, number);
        Ok(())
    })
}

/// Empties a stream that stores its work instead of running it.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtPersistentTaskClean(stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclrtPersistentTaskClean",
        "the work that a stream has stored cannot be removed; build another graph instead",
    )
}
