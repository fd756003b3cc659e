//! Events: points in a stream's work that streams and the host can wait for.

use std::ffi::c_char;

use crate::base::{guard, guard_out, handle};
use crate::core::stream::event;
use crate::types::{
    aclError, aclrtEvent, aclrtEventRecordedStatus, aclrtEventStatus, aclrtEventWaitStatus, aclrtIpcEventHandle,
    aclrtStream,
};

/// Creates an event that streams can wait for and that has a timestamp. It cannot be reset. It may be recorded again:
/// as with aclrtCreateEventExWithFlag, waits that were enqueued earlier keep their record. From its first record on it
/// is one of the 65,536 events that a device can have (see aclrtGetEventAvailNum).
///
/// @param event receives the handle; the caller destroys it with aclrtDestroyEvent.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be created.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtCreateEvent of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateEvent(event: *mut aclrtEvent) -> aclError {
    guard_out("aclrtCreateEvent", "event", event, || Ok(handle::to_c(event::create_plain()?)))
}

/// Creates an event with flags: ACL_EVENT_TIME_LINE gives it a timestamp, ACL_EVENT_SYNC lets streams wait for it and
/// allows aclrtResetEvent. A device can have 65,536 of these events and recorded ones of aclrtCreateEvent. It may be
/// recorded again without a reset. If it was never recorded, or was reset, it is not ready. An event with
/// ACL_EVENT_EXTERNAL is a signal between streams and running graphs: a record sets it, aclrtResetEvent clears it, and
/// streams that wait for it wait until it is set, also by a record that is enqueued later. It has no timestamp.
///
/// @param event receives the handle; the caller destroys it with aclrtDestroyEvent.
/// @param flag an OR of ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_TIME_LINE and
///     ACL_EVENT_DEVICE_USE_ONLY, or ACL_EVENT_EXTERNAL alone.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or another flag.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be created.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtCreateEventWithFlag of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateEventWithFlag(event: *mut aclrtEvent, flag: u32) -> aclError {
    guard_out("aclrtCreateEventWithFlag", "event", event, || Ok(handle::to_c(event::create_with_flag(flag)?)))
}

/// Creates an event that may be recorded repeatedly: each record replaces the previous one, and waits that were
/// enqueued earlier keep their record. An event that was never recorded counts as complete. Streams can wait for it if
/// it has ACL_EVENT_SYNC. It cannot be reset (aclrtResetEvent), and its waits are not counted
/// (aclrtQueryEventWaitStatus). A device has no limit for such events; a process can have 16,777,216 events in all. An
/// event with ACL_EVENT_IPC can be opened by other processes (aclrtIpcGetEventHandle); streams can wait for it, and it
/// has no timestamp.
///
/// @param event receives the handle; the caller destroys it with aclrtDestroyEvent.
/// @param flag an OR of ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_TIME_LINE and
///     ACL_EVENT_DEVICE_USE_ONLY, or ACL_EVENT_IPC alone.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or another flag.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be created.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtCreateEventExWithFlag of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateEventExWithFlag(event: *mut aclrtEvent, flag: u32) -> aclError {
    guard_out("aclrtCreateEventExWithFlag", "event", event, || Ok(handle::to_c(event::create_ex(flag)?)))
}

/// Destroys an event. Does not wait: pending waits keep what they need until they complete. If the event was already
/// released with its device, the first call succeeds and does nothing: docs/failures.md.
///
/// @param event an event.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not an event, already destroyed, or called inside a host function.
/// @note Thread-safe. Follows aclrtDestroyEvent of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyEvent(event: aclrtEvent) -> aclError {
    guard("aclrtDestroyEvent", || event::destroy(handle::from_c(event)))
}

/// Records an event: it represents all work enqueued on `stream` so far. Replaces an earlier record.
///
/// @param event an event of the stream's device.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `event` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function; also for an
///     invalid event.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context, or the event
///     belongs to another device.
/// @retval ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: the first record of an event of aclrtCreateEvent, if the device
///     already has the maximum number of events.
/// @note Thread-safe. Follows aclrtRecordEvent of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRecordEvent(event: aclrtEvent, stream: aclrtStream) -> aclError {
    guard("aclrtRecordEvent", || event::record(handle::from_c(event), handle::from_c(stream)))
}

/// Records an event as aclrtRecordEvent, with a flag.
///
/// @param event an event of the stream's device.
/// @param stream a stream; null: the default stream of the current context.
/// @param flag ACL_EVENT_RECORD_DEFAULT 0, as aclrtRecordEvent. ACL_EVENT_RECORD_EXTERNAL 1 is for captured streams:
///     each launch of the graph records the event, for waits outside of the graph.
/// @return the codes of aclrtRecordEvent
/// @retval ACL_ERROR_INVALID_PARAM 100000: also for another flag.
/// @retval ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: ACL_EVENT_RECORD_EXTERNAL, and the stream is not being captured.
/// @note Thread-safe. Follows aclrtRecordEventWithFlag of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRecordEventWithFlag(event: aclrtEvent, stream: aclrtStream, flag: u32) -> aclError {
    guard("aclrtRecordEventWithFlag", || event::record_with_flag(handle::from_c(event), handle::from_c(stream), flag))
}

/// Enqueues a reset: when `stream` reaches it, the event is in the state before its first record. Programs usually call
/// it right after aclrtStreamWaitEvent on the same stream, to use the event again. The reset undoes the record that is
/// the latest at the time of this call. A record that is enqueued later stays, even if it completes earlier. Waits are
/// not affected, including later ones: none misses a record. Does not block the caller.
///
/// @param event an event of aclrtCreateEventWithFlag with ACL_EVENT_SYNC; if it was never recorded, nothing happens. An
///     event with ACL_EVENT_EXTERNAL is cleared when the stream reaches the reset, whichever record set it; waits that
///     are reached afterwards last until it is set again.
/// @param stream a stream of the current device, which may be another one than the event's; null: the default stream of
///     the current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `event` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: an event of another create function, or without ACL_EVENT_SYNC and
///     ACL_EVENT_EXTERNAL, not an event, not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @retval ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no resources for the reset.
/// @note Thread-safe. Follows aclrtResetEvent of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetEvent(event: aclrtEvent, stream: aclrtStream) -> aclError {
    guard("aclrtResetEvent", || event::reset(handle::from_c(event), handle::from_c(stream)))
}

/// Returns whether an event's latest record is complete. If it was never recorded: complete for an event of
/// aclrtCreateEventExWithFlag, not ready for others. If it was reset: not ready.
///
/// @param event an event.
/// @param status receives ACL_EVENT_RECORDED_STATUS_COMPLETE or ACL_EVENT_RECORDED_STATUS_NOT_READY.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not an event, destroyed, or called inside a host function.
/// @note Thread-safe. Follows aclrtQueryEventStatus of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryEventStatus(event: aclrtEvent, status: *mut aclrtEventRecordedStatus) -> aclError {
    guard_out("aclrtQueryEventStatus", "status", status, || {
        Ok(match event::is_complete(handle::from_c(event))? {
            true => aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE,
            false => aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY,
        })
    })
}

/// Returns whether an event's latest record is complete: an older form of aclrtQueryEventStatus, with the opposite
/// numbers. Deprecated.
///
/// @param event an event of aclrtCreateEvent or aclrtCreateEventWithFlag; if it was never recorded, or was reset, it is
///     not ready.
/// @param status receives ACL_EVENT_STATUS_COMPLETE 0 or ACL_EVENT_STATUS_NOT_READY 1.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: an event of aclrtCreateEventExWithFlag, not an event, destroyed, or
///     called inside a host function.
/// @note Thread-safe. Follows aclrtQueryEvent of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryEvent(event: aclrtEvent, status: *mut aclrtEventStatus) -> aclError {
    guard_out("aclrtQueryEvent", "status", status, || {
        Ok(match event::is_complete_old(handle::from_c(event))? {
            true => aclrtEventStatus::ACL_EVENT_STATUS_COMPLETE,
            false => aclrtEventStatus::ACL_EVENT_STATUS_NOT_READY,
        })
    })
}

/// Returns whether all stream waits for an event are complete: each stream has passed its latest aclrtStreamWaitEvent,
/// because the record completed or the wait timed out, or has dropped it (aclrtStreamAbort). Complete if there are no
/// waits.
///
/// @param event an event of aclrtCreateEvent or aclrtCreateEventWithFlag.
/// @param status receives ACL_EVENT_WAIT_STATUS_COMPLETE 0 or ACL_EVENT_WAIT_STATUS_NOT_READY 1.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: an event of aclrtCreateEventExWithFlag, not an event, destroyed, or
///     called inside a host function.
/// @note Thread-safe. Follows aclrtQueryEventWaitStatus of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryEventWaitStatus(event: aclrtEvent, status: *mut aclrtEventWaitStatus) -> aclError {
    guard_out("aclrtQueryEventWaitStatus", "status", status, || {
        Ok(match event::waits_are_over(handle::from_c(event))? {
            true => aclrtEventWaitStatus::ACL_EVENT_WAIT_STATUS_COMPLETE,
            false => aclrtEventWaitStatus::ACL_EVENT_WAIT_STATUS_NOT_READY,
        })
    })
}

/// Waits until an event's latest record at the time of the call is complete. Returns at once if there is none. A reset
/// has no effect here. Returns 107000 inside a callback of the program if it could wait forever: docs/callbacks.md. No
/// cancellation point: a thread that is cancelled (pthread_cancel) while it waits ends after the call.
///
/// @param event an event.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not an event, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_STREAM_ABORT 107023, ACL_ERROR_RT_DEVICE_TASK_ABORT 107022: aclrtStreamAbort or
///     aclrtDeviceTaskAbort dropped the record, and it was not recorded again; or the first unreported failure of the
///     recording stream's work before the record.
/// @note Thread-safe. Follows aclrtSynchronizeEvent of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeEvent(event: aclrtEvent) -> aclError {
    guard("aclrtSynchronizeEvent", || event::synchronize(handle::from_c(event), -1))
}

/// Waits for an event as aclrtSynchronizeEvent, with a timeout. A timeout cancels nothing: the work continues. On a GPU
/// a record during a wait with a timeout makes the wait longer. Returns 107000 inside a callback of the program if it
/// could wait forever: docs/callbacks.md.
///
/// @param event an event.
/// @param timeout milliseconds, greater than 0, or -1 to wait forever.
/// @return the codes of aclrtSynchronizeEvent
/// @retval ACL_ERROR_RT_EVENT_SYNC_TIMEOUT 507047: not complete within the timeout.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: also for any other timeout.
/// @note Thread-safe. Follows aclrtSynchronizeEventWithTimeout of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeEventWithTimeout(event: aclrtEvent, timeout: i32) -> aclError {
    guard("aclrtSynchronizeEventWithTimeout", || event::synchronize(handle::from_c(event), timeout))
}

/// Returns the time from the latest record of one event to that of another, measured on the device. Record both on one
/// stream.
///
/// @param ms receives milliseconds.
/// @param startEvent an event with a timestamp (aclrtCreateEvent, or ACL_EVENT_TIME_LINE) whose record is complete.
/// @param endEvent the same, not earlier, of the same device.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
/// @retval ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID 107006: an event has no timestamp, was never recorded, or was reset.
/// @retval ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL 107007: the end event completed first.
/// @retval ACL_ERROR_RT_EVENT_NOT_COMPLETE 507006: one of the records is not complete.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not an event, destroyed, different devices, or called inside a host
///     function.
/// @note Thread-safe. Follows aclrtEventElapsedTime of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtEventElapsedTime(ms: *mut f32, startEvent: aclrtEvent, endEvent: aclrtEvent) -> aclError {
    guard_out("aclrtEventElapsedTime", "ms", ms, || {
        event::elapsed_ms(handle::from_c(startEvent), handle::from_c(endEvent))
    })
}

/// Returns the time at which an event's latest record completed, in microseconds of a monotonic clock that is the same
/// for all events of a device. On CPU devices it is the machine's CLOCK_MONOTONIC. On CUDA devices it approximates that
/// clock, with an error of up to one wait for the device; differences are device times as in aclrtEventElapsedTime, if
/// the events are queried within seconds of each other.
///
/// @param event an event with a timestamp (aclrtCreateEvent, or ACL_EVENT_TIME_LINE) whose record is complete.
/// @param timestamp receives microseconds.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID 107006: it has no timestamp, was never recorded, or was reset.
/// @retval ACL_ERROR_RT_EVENT_NOT_COMPLETE 507006: the record is not complete.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not an event, destroyed, or called inside a host function.
/// @note Thread-safe. Follows aclrtEventGetTimestamp of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtEventGetTimestamp(event: aclrtEvent, timestamp: *mut u64) -> aclError {
    guard_out("aclrtEventGetTimestamp", "timestamp", timestamp, || event::time_us(handle::from_c(event)))
}

/// Returns a small number that is unique among the events of the device, as long as the device is in use.
///
/// @param event an event.
/// @param eventId receives the number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not an event, or destroyed.
/// @note Thread-safe. Follows aclrtGetEventId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetEventId(event: aclrtEvent, eventId: *mut u32) -> aclError {
    guard_out("aclrtGetEventId", "eventId", eventId, || event::id(handle::from_c(event)))
}

/// Returns how many more events the current device can have. The events of aclrtCreateEventWithFlag and the recorded
/// events of aclrtCreateEvent are limited to 65,536. Events of aclrtCreateEventExWithFlag do not count.
///
/// @param eventCount receives the number; memory or the driver may set a lower limit.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclrtGetEventAvailNum of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetEventAvailNum(eventCount: *mut u32) -> aclError {
    guard_out("aclrtGetEventAvailNum", "eventCount", eventCount, event::available)
}

/// Exports an event: returns a handle with which other processes of the same user on this machine open it
/// (aclrtIpcOpenEventHandle). The handle is an array of bytes that can be passed in any way: a file, a pipe, a socket.
/// The first export of a process starts a thread that serves importers until aclFinalize; a killed process leaves
/// nothing in the system. Repeated calls return the same handle, which ends when the event is destroyed.
///
/// @param event an event of this process that was created by aclrtCreateEventExWithFlag with ACL_EVENT_IPC.
/// @param handle receives 64 bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not an event, destroyed, created without ACL_EVENT_IPC, imported, or
///     called inside a host function.
/// @retval ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no descriptor, thread or socket to serve
///     the handle.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the process cannot share anything (docs/sharing.md).
/// @note Thread-safe. Follows aclrtIpcGetEventHandle of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcGetEventHandle(event: aclrtEvent, handle: *mut aclrtIpcEventHandle) -> aclError {
    guard_out("aclrtIpcGetEventHandle", "handle", handle, || {
        let key = event::export(handle::from_c(event))?;
        let mut bytes = [0; 64];
        bytes[..key.len()].copy_from_slice(key.as_bytes());
        Ok(aclrtIpcEventHandle { reserved: bytes.map(|byte: u8| byte as c_char) })
    })
}

/// Opens an event of another process as an event of the calling thread's current device. Both handles refer to one
/// event: a record in any process replaces the previous record, and streams, hosts and queries of all processes see it.
/// A wait keeps the record that was the latest when it was enqueued, and may be enqueued on any device. The event has
/// no timestamp. In captures it orders tasks, and with the flags EXTERNAL each launch records it or waits for it:
/// docs/graphs.md. If the recording process ends before its record completes, waits and queries fail with
/// ACL_ERROR_RT_PARAM_INVALID 107000; the next synchronize returns this code for waits of streams, and the streams
/// continue. The end of an importer is noticed by the exporter only, when no importer is left. When the exporter
/// destroys the event, its records complete, at once or when the streams there reach them. If several processes record
/// the event, at most 32 of their records together should be pending.
///
/// @param handle a handle of aclrtIpcGetEventHandle, of another process or of this one.
/// @param event receives the handle; the caller destroys it with aclrtDestroyEvent, which does not affect the other
///     processes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `event` is null, or `handle` is empty.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `handle` is not a handle, its event was destroyed, its process has ended,
///     has finalized the library or does not respond within 5 seconds, or called inside a host function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `handle` comes from another machine, or another network or process
///     namespace (container), or the process cannot share anything (docs/sharing.md).
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no descriptor or socket is available.
/// @retval ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be created.
/// @note Thread-safe. Follows aclrtIpcOpenEventHandle of the Ascend runtime API, and cuIpcOpenEventHandle where that is
///     silent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcOpenEventHandle(handle: aclrtIpcEventHandle, event: *mut aclrtEvent) -> aclError {
    guard_out("aclrtIpcOpenEventHandle", "event", event, || {
        let bytes = handle.reserved.map(|byte| byte as u8);
        // Zeros behind the text.
        let len = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        Ok(handle::to_c(event::import(&bytes[..len])?))
    })
}
