//! Events: points in a stream's work that others can wait for.

use crate::core::error::Error;
use crate::ffi::guard::guard;
use crate::ffi::types::{
    aclError, aclrtEvent, aclrtEventRecordedStatus, aclrtEventStatus, aclrtEventWaitStatus,
    aclrtStream,
};

/// Makes an event with a time stamp.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateEvent(event: *mut aclrtEvent) -> aclError {
    guard("aclrtCreateEvent", || {
        Err(Error::unsupported(
            "events are not available in this build; use aclrtSynchronizeStream to order work",
        ))
    })
}

/// Makes an event with ACL_EVENT_* flags, reset by the caller between uses.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateEventWithFlag(event: *mut aclrtEvent, flag: u32) -> aclError {
    guard("aclrtCreateEventWithFlag", || {
        Err(Error::unsupported(
            "events are not available in this build; use aclrtSynchronizeStream to order work",
        ))
    })
}

/// Makes an event with ACL_EVENT_* flags that can be recorded again and again.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateEventExWithFlag(event: *mut aclrtEvent, flag: u32) -> aclError {
    guard("aclrtCreateEventExWithFlag", || {
        Err(Error::unsupported(
            "events are not available in this build; use aclrtSynchronizeStream to order work",
        ))
    })
}

/// Ends an event; what it stands for goes on.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyEvent(event: aclrtEvent) -> aclError {
    guard("aclrtDestroyEvent", || {
        Err(Error::unsupported(
            "events are not available in this build; use aclrtSynchronizeStream to order work",
        ))
    })
}

/// Makes the event stand for all work queued on the stream so far.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRecordEvent(event: aclrtEvent, stream: aclrtStream) -> aclError {
    guard("aclrtRecordEvent", || {
        Err(Error::unsupported(
            "events are not available in this build; use aclrtSynchronizeStream to order work",
        ))
    })
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
    guard("aclrtRecordEventWithFlag", || {
        Err(Error::unsupported(
            "records with flags belong to graphs, which are not available; use aclrtRecordEvent",
        ))
    })
}

/// Makes an event unrecorded again, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtResetEvent(event: aclrtEvent, stream: aclrtStream) -> aclError {
    guard("aclrtResetEvent", || {
        Err(Error::unsupported(
            "events cannot be reset; record them again, or use aclrtCreateEventExWithFlag",
        ))
    })
}

/// Tells whether the event's latest record has happened.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryEventStatus(
    event: aclrtEvent,
    status: *mut aclrtEventRecordedStatus,
) -> aclError {
    guard("aclrtQueryEventStatus", || {
        Err(Error::unsupported(
            "events are not available in this build; use aclrtSynchronizeStream to order work",
        ))
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
    guard("aclrtQueryEvent", || {
        Err(Error::unsupported("the older query is not available; use aclrtQueryEventStatus"))
    })
}

/// Tells whether all waits for the event are over.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryEventWaitStatus(
    event: aclrtEvent,
    status: *mut aclrtEventWaitStatus,
) -> aclError {
    guard("aclrtQueryEventWaitStatus", || {
        Err(Error::unsupported(
            "waits for an event are not counted; use aclrtQueryEventStatus, or aclrtStreamQuery on the waiting stream",
        ))
    })
}

/// Waits until the event's latest record has happened.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeEvent(event: aclrtEvent) -> aclError {
    guard("aclrtSynchronizeEvent", || {
        Err(Error::unsupported(
            "events are not available in this build; use aclrtSynchronizeStream to order work",
        ))
    })
}

/// As aclrtSynchronizeEvent, for at most `timeout` milliseconds; -1 waits for ever.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeEventWithTimeout(
    event: aclrtEvent,
    timeout: i32,
) -> aclError {
    guard("aclrtSynchronizeEventWithTimeout", || {
        Err(Error::unsupported(
            "waiting for an event with a time limit is not available; poll aclrtQueryEventStatus",
        ))
    })
}

/// Tells the milliseconds between two events that have happened.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtEventElapsedTime(
    ms: *mut f32,
    startEvent: aclrtEvent,
    endEvent: aclrtEvent,
) -> aclError {
    guard("aclrtEventElapsedTime", || {
        Err(Error::unsupported(
            "events are not available in this build; use aclrtSynchronizeStream to order work",
        ))
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
    guard("aclrtEventGetTimestamp", || {
        Err(Error::unsupported(
            "the time of one event cannot be asked for; use aclrtEventElapsedTime",
        ))
    })
}

/// Tells an event's number.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetEventId(event: aclrtEvent, eventId: *mut u32) -> aclError {
    guard("aclrtGetEventId", || {
        Err(Error::unsupported("events have no numbers; compare their handles instead"))
    })
}

/// Tells how many more events the current device can have.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetEventAvailNum(eventCount: *mut u32) -> aclError {
    guard("aclrtGetEventAvailNum", || {
        Err(Error::unsupported(
            "the number of events is limited by memory only; assume that there are enough",
        ))
    })
}
