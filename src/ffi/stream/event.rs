//! Events: points in a stream's work that others can wait for.

use crate::core::stream::event;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, handle};
use crate::ffi::types::{
    aclError, aclrtEvent, aclrtEventRecordedStatus, aclrtEventStatus, aclrtEventWaitStatus,
    aclrtStream,
};

/// Creates an event that streams can wait for and that remembers its time. It cannot be reset, and may be
/// recorded again: as for aclrtCreateEventExWithFlag, waits that were queued earlier keep theirs. From its
/// first record on it is one of the 65,536 that a device can have (see aclrtGetEventAvailNum).
///
/// @param event receives the handle; the caller destroys it with aclrtDestroyEvent.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be made; ACL_ERROR_RT_PARAM_INVALID 107000:
/// called inside a host function. Thread-safe. Follows aclrtCreateEvent of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateEvent(event: *mut aclrtEvent) -> aclError {
    guard("aclrtCreateEvent", || {
        let out = Out::new("event", event)?;
        out.write(handle::to_c(event::create_plain()?));
        Ok(())
    })
}

/// Creates an event with flags: ACL_EVENT_TIME_LINE for its time, ACL_EVENT_SYNC for streams to wait for it and
/// for aclrtResetEvent. A device can have 65,536 of them, those of aclrtCreateEvent included. It may be
/// recorded again without a reset; never recorded, or reset, it is not ready. One with ACL_EVENT_EXTERNAL is a signal
/// between streams and graphs that run: a record sets it, aclrtResetEvent clears it, and streams that wait for it
/// wait until it is set, also by a record that is queued later. It has no time.
///
/// @param event receives the handle; the caller destroys it with aclrtDestroyEvent.
/// @param flag an OR of ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_TIME_LINE and
/// ACL_EVENT_DEVICE_USE_ONLY, or ACL_EVENT_EXTERNAL alone.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another flag; ACL_ERROR_RT_CONTEXT_NULL
/// 107002: no current context; ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be made;
/// ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
/// aclrtCreateEventWithFlag of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateEventWithFlag(event: *mut aclrtEvent, flag: u32) -> aclError {
    guard("aclrtCreateEventWithFlag", || {
        let out = Out::new("event", event)?;
        out.write(handle::to_c(event::create_with_flag(flag)?));
        Ok(())
    })
}

/// Creates an event that may be recorded again and again: each record replaces the one before, waits that
/// were queued earlier keep theirs. Never recorded, it counts as complete. Streams can wait for it if it has
/// ACL_EVENT_SYNC; it is not reset (aclrtResetEvent), and its waits are not counted
/// (aclrtQueryEventWaitStatus). The number of such events has no limit but memory. One with ACL_EVENT_IPC can be opened
/// by other processes (aclrtIpcGetEventHandle); streams can wait for it, and it has no time.
///
/// @param event receives the handle; the caller destroys it with aclrtDestroyEvent.
/// @param flag an OR of ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_TIME_LINE and
/// ACL_EVENT_DEVICE_USE_ONLY, or ACL_EVENT_IPC alone.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another flag; ACL_ERROR_RT_CONTEXT_NULL 107002: no
/// current context; ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be made; ACL_ERROR_RT_PARAM_INVALID 107000:
/// called inside a host function. Thread-safe. Follows aclrtCreateEventExWithFlag of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateEventExWithFlag(event: *mut aclrtEvent, flag: u32) -> aclError {
    guard("aclrtCreateEventExWithFlag", || {
        let out = Out::new("event", event)?;
        out.write(handle::to_c(event::create_ex(flag)?));
        Ok(())
    })
}

/// Destroys an event. Never waits: what queued waits need of it stays until they are done.
///
/// @param event an event.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not an
/// event, destroyed before, or called inside a host function. Thread-safe. Follows aclrtDestroyEvent of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyEvent(event: aclrtEvent) -> aclError {
    guard("aclrtDestroyEvent", || event::destroy(handle::from_c(event)))
}

/// The event comes to stand for all work queued on `stream` so far, in place of an earlier record.
///
/// @param event an event of the stream's device.
/// @param stream a stream; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `event` is null; ACL_ERROR_RT_PARAM_INVALID 107000:
/// not a stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context, or
/// the event was created on another device; ACL_ERROR_RT_PARAM_INVALID 107000 also for a bad event;
/// ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: the first record of an event of aclrtCreateEvent, when the device
/// has as many as there can be. Thread-safe. Follows aclrtRecordEvent of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRecordEvent(event: aclrtEvent, stream: aclrtStream) -> aclError {
    guard("aclrtRecordEvent", || event::record(handle::from_c(event), handle::from_c(stream)))
}

/// As aclrtRecordEvent, with a flag.
///
/// @param event an event of the stream's device.
/// @param stream a stream; null: the default stream of the current context.
/// @param flag ACL_EVENT_RECORD_DEFAULT 0, which is aclrtRecordEvent. ACL_EVENT_RECORD_EXTERNAL 1 is for
/// streams that are being captured: each run of the graph records the event, for who waits outside of the graph.
/// @return as aclrtRecordEvent; ACL_ERROR_INVALID_PARAM 100000 also for another flag;
/// ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: ACL_EVENT_RECORD_EXTERNAL, and the stream is not captured. Thread-safe. Follows
/// aclrtRecordEventWithFlag of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRecordEventWithFlag(
    event: aclrtEvent,
    stream: aclrtStream,
    flag: u32,
) -> aclError {
    guard("aclrtRecordEventWithFlag", || {
        event::record_with_flag(handle::from_c(event), handle::from_c(stream), flag)
    })
}

/// Queues a reset: when `stream` comes to it, the event is as if it had not been recorded. Usually called right
/// after aclrtStreamWaitEvent on the same stream, so that the event can be used again. It undoes the record
/// that was the latest before this call; one that is queued later stays, also where it happens earlier.
/// Waits, also later ones, are not affected: nobody misses what was recorded. Does not block the caller.
///
/// @param event an event of aclrtCreateEventWithFlag with ACL_EVENT_SYNC; never recorded, nothing happens. One with
/// ACL_EVENT_EXTERNAL is cleared when the stream comes to it, whichever record has set it.
/// @param stream a stream, also of another device; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `event` is null; ACL_ERROR_RT_PARAM_INVALID 107000: an
/// event of another creator or without ACL_EVENT_SYNC, not an event, not a stream, destroyed, or called inside
/// a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003:
/// the stream is on another device than the current context; ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no room
/// to note it. Thread-safe. Follows aclrtResetEvent of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetEvent(event: aclrtEvent, stream: aclrtStream) -> aclError {
    guard("aclrtResetEvent", || event::reset(handle::from_c(event), handle::from_c(stream)))
}

/// Whether an event's latest record has happened. Never recorded: complete for an event of
/// aclrtCreateEventExWithFlag, not ready for others. Reset: not ready.
///
/// @param event an event.
/// @param status receives ACL_EVENT_RECORDED_STATUS_COMPLETE or ACL_EVENT_RECORDED_STATUS_NOT_READY.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not an
/// event, destroyed, or called inside a host function. Thread-safe. Follows aclrtQueryEventStatus of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryEventStatus(
    event: aclrtEvent,
    status: *mut aclrtEventRecordedStatus,
) -> aclError {
    guard("aclrtQueryEventStatus", || {
        let out = Out::new("status", status)?;
        out.write(match event::is_complete(handle::from_c(event))? {
            true => aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE,
            false => aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY,
        });
        Ok(())
    })
}

/// Whether an event's latest record has happened: an older form of aclrtQueryEventStatus, with its numbers the
/// other way round. Deprecated.
///
/// @param event an event of aclrtCreateEvent or aclrtCreateEventWithFlag; never recorded, or reset, it is not
/// ready.
/// @param status receives ACL_EVENT_STATUS_COMPLETE 0 or ACL_EVENT_STATUS_NOT_READY 1.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: an event of
/// aclrtCreateEventExWithFlag, not an event, destroyed, or called inside a host function. Thread-safe. Follows
/// aclrtQueryEvent of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryEvent(
    event: aclrtEvent,
    status: *mut aclrtEventStatus,
) -> aclError {
    guard("aclrtQueryEvent", || {
        let out = Out::new("status", status)?;
        out.write(match event::is_complete_old(handle::from_c(event))? {
            true => aclrtEventStatus::ACL_EVENT_STATUS_COMPLETE,
            false => aclrtEventStatus::ACL_EVENT_STATUS_NOT_READY,
        });
        Ok(())
    })
}

/// Whether all waits of streams for an event are over: each stream has come past its latest
/// aclrtStreamWaitEvent, because the record happened or the time was over. Without any wait they are.
///
/// @param event an event of aclrtCreateEvent or aclrtCreateEventWithFlag.
/// @param status receives ACL_EVENT_WAIT_STATUS_COMPLETE 0 or ACL_EVENT_WAIT_STATUS_NOT_READY 1.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: an event of
/// aclrtCreateEventExWithFlag, not an event, destroyed, or called inside a host function. Thread-safe. Follows
/// aclrtQueryEventWaitStatus of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryEventWaitStatus(
    event: aclrtEvent,
    status: *mut aclrtEventWaitStatus,
) -> aclError {
    guard("aclrtQueryEventWaitStatus", || {
        let out = Out::new("status", status)?;
        out.write(match event::waits_are_over(handle::from_c(event))? {
            true => aclrtEventWaitStatus::ACL_EVENT_WAIT_STATUS_COMPLETE,
            false => aclrtEventWaitStatus::ACL_EVENT_WAIT_STATUS_NOT_READY,
        });
        Ok(())
    })
}

/// Waits until an event's latest record as of the call has happened; returns at once if there is none. A reset
/// changes nothing here.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @param event an event.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not an
/// event, destroyed, or called inside a host function; ACL_ERROR_RT_STREAM_ABORT 107023, ACL_ERROR_RT_DEVICE_TASK_ABORT
/// 107022: aclrtStreamAbort or aclrtDeviceTaskAbort dropped the record, and it was not recorded again; or the first
/// failure of the recording stream's work before the record that nobody was told of yet. Thread-safe. Follows
/// aclrtSynchronizeEvent of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeEvent(event: aclrtEvent) -> aclError {
    guard("aclrtSynchronizeEvent", || event::synchronize(handle::from_c(event), -1))
}

/// As aclrtSynchronizeEvent, for a limited time. A timeout cancels nothing: the work goes on.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @param event an event.
/// @param timeout milliseconds above 0, or -1 to wait for ever.
/// @return as aclrtSynchronizeEvent; ACL_ERROR_RT_EVENT_SYNC_TIMEOUT 507047: not happened in time;
/// ACL_ERROR_RT_PARAM_INVALID 107000 also for any other timeout. Thread-safe. Follows
/// aclrtSynchronizeEventWithTimeout of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeEventWithTimeout(
    event: aclrtEvent,
    timeout: i32,
) -> aclError {
    guard("aclrtSynchronizeEventWithTimeout", || event::synchronize(handle::from_c(event), timeout))
}

/// The time from one event's latest record to another's, measured on the device. Both should have been
/// recorded on one stream.
///
/// @param ms receives milliseconds.
/// @param startEvent an event with time (aclrtCreateEvent, or ACL_EVENT_TIME_LINE) that has happened.
/// @param endEvent the same, not earlier, of the same device.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID
/// 107006: an event has no time, was never recorded, or was reset; ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL
/// 107007: the end was first; ACL_ERROR_RT_EVENT_NOT_COMPLETE 507006: one has not happened yet;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not an event, destroyed, different devices, or called inside a host
/// function. Thread-safe. Follows aclrtEventElapsedTime of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtEventElapsedTime(
    ms: *mut f32,
    startEvent: aclrtEvent,
    endEvent: aclrtEvent,
) -> aclError {
    guard("aclrtEventElapsedTime", || {
        let out = Out::new("ms", ms)?;
        out.write(event::elapsed_ms(handle::from_c(startEvent), handle::from_c(endEvent))?);
        Ok(())
    })
}

/// When an event's latest record happened: microseconds of a clock that never goes back, the same one for all
/// events of a device. On CPU devices it is the machine's CLOCK_MONOTONIC. On CUDA devices it is that clock to
/// within a wait for the device; differences are the device's own, as aclrtEventElapsedTime tells them, if the
/// events are asked for within seconds.
///
/// @param event an event with time (aclrtCreateEvent, or ACL_EVENT_TIME_LINE) that has happened.
/// @param timestamp receives microseconds.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID 107006: it
/// has no time, was never recorded, or was reset; ACL_ERROR_RT_EVENT_NOT_COMPLETE 507006: it has not happened
/// yet; ACL_ERROR_RT_PARAM_INVALID 107000: not an event, destroyed, or called inside a host function.
/// Thread-safe. Follows aclrtEventGetTimestamp of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtEventGetTimestamp(
    event: aclrtEvent,
    timestamp: *mut u64,
) -> aclError {
    guard("aclrtEventGetTimestamp", || {
        let out = Out::new("timestamp", timestamp)?;
        out.write(event::time_us(handle::from_c(event))?);
        Ok(())
    })
}

/// A small number that no other event of the device has, as long as the device is in use.
///
/// @param event an event.
/// @param eventId receives the number.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000:
/// not an event, or destroyed. Thread-safe. Follows aclrtGetEventId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetEventId(event: aclrtEvent, eventId: *mut u32) -> aclError {
    guard("aclrtGetEventId", || {
        let out = Out::new("eventId", eventId)?;
        out.write(event::id(handle::from_c(event))?);
        Ok(())
    })
}

/// How many more events the current device can have: those of aclrtCreateEventWithFlag and recorded ones of
/// aclrtCreateEvent are at most 65,536. Those of aclrtCreateEventExWithFlag do not count.
///
/// @param eventCount receives the number; memory, or a driver, may end before it.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
/// context. Thread-safe. Follows aclrtGetEventAvailNum of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetEventAvailNum(eventCount: *mut u32) -> aclError {
    guard("aclrtGetEventAvailNum", || {
        let out = Out::new("eventCount", eventCount)?;
        out.write(event::available()?);
        Ok(())
    })
}
