//! Events: points in a stream's work that others can wait for.

use crate::core::event;
use crate::ffi::guard::{guard, guard_unsupported};
use crate::ffi::types::{
    aclError, aclrtEvent, aclrtEventRecordedStatus, aclrtEventStatus, aclrtEventWaitStatus,
    aclrtStream,
};
use crate::ffi::value::{Out, handle};

/// Creates an event that streams can wait for and that remembers its time.
///
/// @param event receives the handle; the caller destroys it with aclrtDestroyEvent.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no
/// more can be made; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows aclrtCreateEvent of the
/// Ascend runtime API; recording it again without a reset in between is allowed here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateEvent(event: *mut aclrtEvent) -> aclError {
    guard("aclrtCreateEvent", || {
        let out = Out::new("event", event)?;
        out.write(handle::to_c(event::create_plain()?));
        Ok(())
    })
}

/// Creates an event with flags: ACL_EVENT_TIME_LINE for its time, ACL_EVENT_SYNC for streams to wait for it.
///
/// @param event receives the handle; the caller destroys it with aclrtDestroyEvent.
/// @param flag an OR of ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_TIME_LINE and
/// ACL_EVENT_DEVICE_USE_ONLY, or ACL_EVENT_EXTERNAL alone.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another flag; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no
/// more can be made; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
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
/// were queued earlier keep theirs. Never recorded, it counts as complete.
///
/// @param event receives the handle; the caller destroys it with aclrtDestroyEvent.
/// @param flag an OR of ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_TIME_LINE and
/// ACL_EVENT_DEVICE_USE_ONLY.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another flag;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: ACL_EVENT_IPC; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no
/// more can be made; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows aclrtCreateEventExWithFlag
/// of the Ascend runtime API.
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
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `event` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is
/// on another device than the current context,
/// or the event was created on another device; ACL_ERROR_RT_PARAM_INVALID 107000 also for a bad event.
/// Thread-safe. Follows aclrtRecordEvent of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRecordEvent(event: aclrtEvent, stream: aclrtStream) -> aclError {
    guard("aclrtRecordEvent", || event::record(handle::from_c(event), handle::from_c(stream)))
}

/// As aclrtRecordEvent, with ACL_EVENT_RECORD_* flags.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRecordEventWithFlag(
    event: aclrtEvent,
    stream: aclrtStream,
    flag: u32,
) -> aclError {
    guard_unsupported(
        "aclrtRecordEventWithFlag",
        "records with flags belong to graphs, which are not available; use aclrtRecordEvent",
    )
}

/// Makes an event unrecorded again, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetEvent(event: aclrtEvent, stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclrtResetEvent",
        "events cannot be reset; record them again, or use aclrtCreateEventExWithFlag",
    )
}

/// Whether an event's latest record has happened. Never recorded: complete for an event of
/// aclrtCreateEventExWithFlag, not ready for others.
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

/// Tells whether the event's latest record has happened; an older form of aclrtQueryEventStatus.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryEvent(
    event: aclrtEvent,
    status: *mut aclrtEventStatus,
) -> aclError {
    guard_unsupported(
        "aclrtQueryEvent",
        "the older query is not available; use aclrtQueryEventStatus",
    )
}

/// Tells whether all waits for the event are over.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryEventWaitStatus(
    event: aclrtEvent,
    status: *mut aclrtEventWaitStatus,
) -> aclError {
    guard_unsupported(
        "aclrtQueryEventWaitStatus",
        "waits for an event are not counted; use aclrtQueryEventStatus, or aclrtStreamQuery \
             on the waiting stream",
    )
}

/// Waits until an event's latest record as of the call has happened; returns at once if there is none.
///
/// @param event an event.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not an
/// event, destroyed, or called inside a host function; or the first failure of the recording stream's work
/// that nobody was told of yet. Thread-safe. Follows aclrtSynchronizeEvent of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeEvent(event: aclrtEvent) -> aclError {
    guard("aclrtSynchronizeEvent", || event::synchronize(handle::from_c(event), -1))
}

/// As aclrtSynchronizeEvent, for a limited time. A timeout cancels nothing: the work goes on.
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
/// 107006: an event has no time or was never recorded; ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL 107007: the end
/// was first; ACL_ERROR_RT_EVENT_NOT_COMPLETE 507006: one has not happened yet; ACL_ERROR_RT_PARAM_INVALID
/// 107000: not an event, destroyed, different devices, or called inside a host function. Thread-safe.
/// Follows aclrtEventElapsedTime of the Ascend runtime API.
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

/// Tells when the event happened, in microseconds of a clock that only goes forward.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtEventGetTimestamp(
    event: aclrtEvent,
    timestamp: *mut u64,
) -> aclError {
    guard_unsupported(
        "aclrtEventGetTimestamp",
        "the time of one event cannot be asked for; use aclrtEventElapsedTime",
    )
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

/// How many more events there can be. Devices share the number; memory, or a driver, may end before it.
///
/// @param eventCount receives the number.
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
