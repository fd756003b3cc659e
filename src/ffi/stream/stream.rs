//! Streams: in-order queues of work.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::sync::Arc;

use crate::core::runtime::state_callback::{self, StreamState, StreamWatcher};
use crate::core::stream;
use crate::core::stream::abort;
use crate::core::stream::event;

use crate::core::stream::stream_attribute;
use crate::core::stream::stream_attribute::Attribute;
use crate::ffi::base::guard::{guard, guard_unsupported};
use crate::ffi::base::value::{Out, address, enum_value, handle, must_not_be_null, text};
use crate::ffi::types::{
    aclError, aclrtEvent, aclrtStream, aclrtStreamAttr, aclrtStreamAttrValue, aclrtStreamState,
    aclrtStreamStateCallback, aclrtStreamStatus,
};

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

/// Creates a stream with flags. One with ACL_STREAM_PERSISTENT serves to build graphs (aclmdlRIBindStream) and runs
/// nothing. Synchronizing it, or a stream with ACL_STREAM_CPU_SCHEDULE or ACL_STREAM_DEVICE_USE_ONLY, succeeds at once; ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC and
/// ACL_STREAM_HUGE change nothing; unknown bits mean nothing.
///
/// @param stream receives the handle; the caller destroys it with aclrtDestroyStream.
/// @param priority ignored, as in the original.
/// @param flag an OR of ACL_STREAM_* flags.
/// @return as aclrtCreateStream. Thread-safe. Follows aclrtCreateStreamWithConfig of the Ascend runtime API.
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
/// call begins. A failure of its work that nobody was told of, or a refusal of the driver, is returned.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @param stream from a creator; not null, not a default stream.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context;
/// ACL_ERROR_RT_AICORE_EXCEPTION 507015: work on it had failed; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the
/// driver refused. With these two it is destroyed all the same; it is not while it is captured
/// (ACL_ERROR_RT_STREAM_CAPTURED 107027), bound to a graph, or changes a task group (107000).
/// Thread-safe. Follows aclrtDestroyStream of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyStream(stream: aclrtStream) -> aclError {
    guard("aclrtDestroyStream", || stream::destroy(handle::from_c(stream), false))
}

/// Destroys a stream without waiting. Work that has not started is dropped on the CPU (waits on events
/// recorded there end), and so are failures that nobody was told of; a GPU finishes what its driver holds.
/// A capture that it began ends without a graph, and a task group that it changes stays as it was.
///
/// @param stream from a creator; not null, not a default stream.
/// @return as aclrtDestroyStream. Thread-safe. Follows aclrtDestroyStreamForce of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyStreamForce(stream: aclrtStream) -> aclError {
    guard("aclrtDestroyStreamForce", || stream::destroy(handle::from_c(stream), true))
}

/// Waits until everything queued on a stream before the call has finished.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is
/// on another device than the current context; ACL_ERROR_RT_STREAM_ABORT 107023, ACL_ERROR_RT_DEVICE_TASK_ABORT 107022:
/// aclrtStreamAbort or aclrtDeviceTaskAbort dropped the work meanwhile; or the first failure of the stream's work that
/// nobody was told of yet (ACL_ERROR_RT_AICORE_EXCEPTION 507015, ACL_ERROR_RT_WAIT_TIMEOUT 107019), and after a failure
/// under ACL_STOP_ON_FAILURE that failure each time. Thread-safe. Follows aclrtSynchronizeStream of the Ascend runtime
/// API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeStream(stream: aclrtStream) -> aclError {
    guard("aclrtSynchronizeStream", || stream::synchronize(handle::from_c(stream)))
}

/// As aclrtSynchronizeStream, for a limited time. A timeout cancels nothing: the work goes on.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
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
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `status` is null; ACL_ERROR_RT_PARAM_INVALID 107000:
/// not a stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
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
/// @param flag ACL_EVENT_WAIT_DEFAULT 0. ACL_EVENT_WAIT_EXTERNAL 1, with timeout 0, is for streams that are being
/// captured: each run of the graph waits for the event's record that is the latest when the run is queued, wherever
/// it was recorded; for an event with ACL_EVENT_EXTERNAL until that is set.
/// @return as aclrtStreamWaitEventWithTimeout; ACL_ERROR_INVALID_PARAM 100000 also for another flag, or
/// ACL_EVENT_WAIT_EXTERNAL with a timeout; ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: ACL_EVENT_WAIT_EXTERNAL, and
/// the stream is not captured. Thread-safe. Follows aclrtStreamWaitEventWithFlag of the Ascend runtime API.
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

/// Drops what a stream has queued, and stops what runs. The stream lives on: what is queued after the call
/// runs as ever.
///
/// On the CPU an operation on memory that has begun is waited for, which takes no longer than the operation,
/// and nothing of what was queued before touches memory after the call. A host function or callback that
/// has begun is not waited for and goes on; later work of the stream waits for it. A GPU finishes what its
/// driver holds, before later work of the stream; only host functions and callbacks that have not begun are
/// dropped.
///
/// Synchronizing the stream or its device meanwhile, in another thread, gives ACL_ERROR_RT_STREAM_ABORT
/// 107023. So does synchronizing an event whose record was dropped, also later, until it is recorded again;
/// it is not complete until then. Other streams that wait for such an event stay blocked; they go on when it
/// is recorded again and that record happens, or when they are aborted or destroyed themselves.
///
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS, also if nothing was queued; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream,
/// destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
/// Follows aclrtStreamAbort of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamAbort(stream: aclrtStream) -> aclError {
    guard("aclrtStreamAbort", || abort::stream(handle::from_c(stream)))
}

/// Drops what a stream has queued and goes on, as aclrtStreamAbort; only the default stream is not taken for null.
///
/// @param stream a stream.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; all else as aclrtStreamAbort. Thread-safe. Follows
/// aclrtStreamStop of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamStop(stream: aclrtStream) -> aclError {
    guard("aclrtStreamStop", || abort::stop(handle::from_c(stream)))
}

/// Sets what happens when work of a stream fails, once in its life. ACL_CONTINUE_ON_FAILURE, as without this
/// call: the next operation runs. ACL_STOP_ON_FAILURE: the first failure of this stream stops it and all
/// other streams of its context at once: what they have queued is dropped (a GPU finishes what its driver
/// holds), waits for events recorded there end, and every later submission and synchronize of these streams
/// returns the failure's code, until the streams, or for a default stream its context, are destroyed.
///
/// A failure of a whole GPU ends all of its work in either mode, until the device is reset.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param mode ACL_CONTINUE_ON_FAILURE or ACL_STOP_ON_FAILURE.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: another mode; ACL_ERROR_RT_PARAM_INVALID 107000: the
/// mode was set before, or not a stream, destroyed, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on
/// another device than the current context. Thread-safe. Follows aclrtSetStreamFailureMode of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetStreamFailureMode(stream: aclrtStream, mode: u64) -> aclError {
    guard("aclrtSetStreamFailureMode", || {
        stream_attribute::set_failure_mode(handle::from_c(stream), mode)
    })
}

/// Has `callback` called after every stream's creation and before its end, default streams included, on the thread that
/// does it and without any lock.
///
/// It gets the stream, a state, and `args`. ACL_RT_STREAM_STATE_CREATE_POST: the stream is there and can be
/// used. ACL_RT_STREAM_STATE_DESTROY_PRE: it still is, and what is queued has not been waited for; this comes
/// once, from aclrtDestroyStream, the end of its context, a reset of its device, or aclFinalize. A stream
/// that is made while another thread resets its device may be told of after its end. Streams made before the
/// registration are told of when they end. The function may call everything; what it makes and destroys
/// itself is not told. It stays until it is taken back, also through aclFinalize.
///
/// @param regName zero-terminated name of the registration.
/// @param callback the function, which must not throw; null takes back the one with that name (a call in another
/// thread that has begun goes on).
/// @param args its argument, which the caller keeps alive; may be null.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `regName` is null; ACL_ERROR_RT_PARAM_INVALID 107000:
/// the name is registered already, or is not and `callback` is null. Thread-safe. Follows
/// aclrtRegStreamStateCallback of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRegStreamStateCallback(
    regName: *const c_char,
    callback: aclrtStreamStateCallback,
    args: *mut c_void,
) -> aclError {
    guard("aclrtRegStreamStateCallback", || {
        // SAFETY: `regName` is null or a C string that names the stream callback.
        let name = unsafe { text::required("regName", regName) }?;
        let argument = address::from_c(args);
        let watcher = callback.map(|function| -> StreamWatcher {
            Arc::new(move |stream, state| {
                let state = match state {
                    StreamState::Created => aclrtStreamState::ACL_RT_STREAM_STATE_CREATE_POST,
                    StreamState::Ending => aclrtStreamState::ACL_RT_STREAM_STATE_DESTROY_PRE,
                };
                // SAFETY: the program keeps the stream callback callable from any thread until it
                // registers null for its name.
                unsafe { function(handle::to_c(stream), state, address::to_c(argument)) }
            })
        });
        state_callback::watch_streams(&name.to_string_lossy(), watcher)
    })
}

/// Sets an attribute of a stream.
///
/// | attribute | member of `value` | meaning |
/// |---|---|---|
/// | ACL_STREAM_ATTR_FAILURE_MODE | `failureMode` | as aclrtSetStreamFailureMode, once in the stream's life |
/// | ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK | `overflowSwitch` | 0 or 1; kept, and overflow is never reported |
/// | ACL_STREAM_ATTR_USER_CUSTOM_TAG | `userCustomTag` | any number; kept |
/// | ACL_STREAM_ATTR_CACHE_OP_INFO | `cacheOpInfoSwitch` | 0 or 1; kept |
/// | ACL_STREAM_ATTR_PRIORITY | `streamPriority` | 0 (most urgent) to the least of aclrtDeviceGetStreamPriorityRange, for what has not started; a GPU keeps the priority that the stream was made with |
///
/// @param stream a stream; null: the default stream of the current context.
/// @param stmAttrType which attribute.
/// @param value its value; only the attribute's own member is read.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `value` is null, no such attribute, or a value out of
/// range; ACL_ERROR_RT_PARAM_INVALID 107000: the failure mode was set before, or not a stream, destroyed, or called
/// inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT
/// 107003: the stream is on another device than the current context;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another priority on a GPU. Thread-safe. Follows
/// aclrtSetStreamAttribute of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetStreamAttribute(
    stream: aclrtStream,
    stmAttrType: MaybeUninit<aclrtStreamAttr>,
    value: *mut aclrtStreamAttrValue,
) -> aclError {
    guard("aclrtSetStreamAttribute", || {
        must_not_be_null("value", value)?;
        let attribute = Attribute::from_number("stmAttrType", enum_value(stmAttrType))?;
        // SAFETY: not null, and by the contract of the C boundary the attribute's member is there.
        let number = unsafe {
            match attribute {
                Attribute::FailureMode => value.cast::<u64>().read_unaligned(),
                _ => value.cast::<u32>().read_unaligned().into(),
            }
        };
        stream_attribute::set(handle::from_c(stream), attribute, number)
    })
}

/// Tells an attribute of a stream, as aclrtSetStreamAttribute or the stream's creator set it. Without that:
/// ACL_CONTINUE_ON_FAILURE, and 0 for all others.
///
/// @param stream a stream; null: the default stream of the current context.
/// @param stmAttrType which attribute.
/// @param value receives its value; only the attribute's own member is written.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `value` is null, or no such attribute;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on
/// another device than the current context. Thread-safe. Follows aclrtGetStreamAttribute of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetStreamAttribute(
    stream: aclrtStream,
    stmAttrType: MaybeUninit<aclrtStreamAttr>,
    value: *mut aclrtStreamAttrValue,
) -> aclError {
    guard("aclrtGetStreamAttribute", || {
        let (long, short) = (Out::new("value", value.cast::<u64>())?, value.cast::<u32>());
        let attribute = Attribute::from_number("stmAttrType", enum_value(stmAttrType))?;
        let number = stream_attribute::get(handle::from_c(stream), attribute)?;
        match attribute {
            Attribute::FailureMode => long.write(number),
            _ => Out::new("value", short)?.write(number as u32),
        }
        Ok(())
    })
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
