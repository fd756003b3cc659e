//! Streams: in-order queues of work.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use crate::core::error::Error;
use crate::ffi::guard::guard;
use crate::ffi::types::{
    aclError, aclrtCompareDataType, aclrtCondition, aclrtEvent, aclrtStream, aclrtStreamAttr,
    aclrtStreamAttrValue, aclrtStreamStateCallback, aclrtStreamStatus,
};

/// Makes a stream of the current context.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateStream(stream: *mut aclrtStream) -> aclError {
    guard("aclrtCreateStream", || {
        Err(Error::unsupported(
            "streams are not available in this build; there is no other way to queue work",
        ))
    })
}

/// Makes a stream with a priority and ACL_STREAM_* flags.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateStreamWithConfig(
    stream: *mut aclrtStream,
    priority: u32,
    flag: u32,
) -> aclError {
    guard("aclrtCreateStreamWithConfig", || {
        Err(Error::unsupported(
            "streams are not available in this build; there is no other way to queue work",
        ))
    })
}

/// Waits for a stream's work and ends the stream.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyStream(stream: aclrtStream) -> aclError {
    guard("aclrtDestroyStream", || {
        Err(Error::unsupported(
            "streams are not available in this build; there is no other way to queue work",
        ))
    })
}

/// Ends a stream without waiting; work that has not started is dropped where the device can do
/// that.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyStreamForce(stream: aclrtStream) -> aclError {
    guard("aclrtDestroyStreamForce", || {
        Err(Error::unsupported(
            "streams are not available in this build; there is no other way to queue work",
        ))
    })
}

/// Waits for all work of a stream; null means the default stream. Reports the first failure of that
/// work.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeStream(stream: aclrtStream) -> aclError {
    guard("aclrtSynchronizeStream", || {
        Err(Error::unsupported(
            "streams are not available in this build; there is no other way to queue work",
        ))
    })
}

/// As aclrtSynchronizeStream, for at most `timeout` milliseconds; -1 waits for ever.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSynchronizeStreamWithTimeout(
    stream: aclrtStream,
    timeout: i32,
) -> aclError {
    guard("aclrtSynchronizeStreamWithTimeout", || {
        Err(Error::unsupported(
            "streams are not available in this build; there is no other way to queue work",
        ))
    })
}

/// Tells whether a stream has finished everything.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamQuery(
    stream: aclrtStream,
    status: *mut aclrtStreamStatus,
) -> aclError {
    guard("aclrtStreamQuery", || {
        Err(Error::unsupported(
            "streams are not available in this build; there is no other way to queue work",
        ))
    })
}

/// Later work of the stream waits for what the event's latest record stands for.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamWaitEvent(stream: aclrtStream, event: aclrtEvent) -> aclError {
    guard("aclrtStreamWaitEvent", || {
        Err(Error::unsupported(
            "streams are not available in this build; there is no other way to queue work",
        ))
    })
}

/// As aclrtStreamWaitEvent, for at most `timeout` seconds; 0 waits for ever.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamWaitEventWithTimeout(
    stream: aclrtStream,
    event: aclrtEvent,
    timeout: i32,
) -> aclError {
    guard("aclrtStreamWaitEventWithTimeout", || {
        Err(Error::unsupported(
            "waits on a stream have no time limit here; use aclrtStreamWaitEvent",
        ))
    })
}

/// As aclrtStreamWaitEvent, for at most `timeout` seconds, with ACL_EVENT_WAIT_* flags.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamWaitEventWithFlag(
    stream: aclrtStream,
    event: aclrtEvent,
    timeout: u32,
    flag: u32,
) -> aclError {
    guard("aclrtStreamWaitEventWithFlag", || {
        Err(Error::unsupported(
            "waits with flags belong to graphs, which are not available; use aclrtStreamWaitEvent",
        ))
    })
}

/// Tells a stream's number, unique on its device.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamGetId(stream: aclrtStream, streamId: *mut i32) -> aclError {
    guard("aclrtStreamGetId", || {
        Err(Error::unsupported("streams have no numbers; compare their handles instead"))
    })
}

/// Tells the flags a stream was made with.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamGetFlags(stream: aclrtStream, flags: *mut u32) -> aclError {
    guard("aclrtStreamGetFlags", || {
        Err(Error::unsupported("the flags of a stream are not kept; keep them beside the handle"))
    })
}

/// Tells the priority a stream was made with.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamGetPriority(
    stream: aclrtStream,
    priority: *mut u32,
) -> aclError {
    guard("aclrtStreamGetPriority", || {
        Err(Error::unsupported(
            "the priority of a stream cannot be asked for; keep it beside the handle",
        ))
    })
}

/// Tells how many more streams the current device can have.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetStreamAvailableNum(streamCount: *mut u32) -> aclError {
    guard("aclrtGetStreamAvailableNum", || {
        Err(Error::unsupported(
            "the number of streams is limited by memory only; assume that there are enough",
        ))
    })
}

/// Drops a stream's queued work and stops what runs; the stream lives on.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamAbort(stream: aclrtStream) -> aclError {
    guard("aclrtStreamAbort", || {
        Err(Error::unsupported(
            "work cannot be dropped while the stream lives on; use aclrtDestroyStreamForce",
        ))
    })
}

/// Stops a stream's work.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamStop(stream: aclrtStream) -> aclError {
    guard("aclrtStreamStop", || {
        Err(Error::unsupported("a stream cannot be stopped; use aclrtDestroyStreamForce"))
    })
}

/// Sets what happens after a failure on the stream: ACL_CONTINUE_ON_FAILURE or ACL_STOP_ON_FAILURE.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetStreamFailureMode(stream: aclrtStream, mode: u64) -> aclError {
    guard("aclrtSetStreamFailureMode", || {
        Err(Error::unsupported(
            "streams always go on after a failure; check the code of aclrtSynchronizeStream",
        ))
    })
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
    guard("aclrtRegStreamStateCallback", || {
        Err(Error::unsupported(
            "changes of a stream's state are not announced; run the code beside aclrtCreateStream and aclrtDestroyStream",
        ))
    })
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
    guard("aclrtSetStreamAttribute", || {
        Err(Error::unsupported("attributes of streams are not kept; leave the call out"))
    })
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
    guard("aclrtGetStreamAttribute", || {
        Err(Error::unsupported("attributes of streams are not kept; assume the defaults"))
    })
}

/// Empties a stream whose work was stored rather than run.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtPersistentTaskClean(stream: aclrtStream) -> aclError {
    guard("aclrtPersistentTaskClean", || {
        Err(Error::unsupported(
            "streams that store their work are not available; make a new stream instead",
        ))
    })
}

/// Starts one stream's stored work from another stream.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtActiveStream(
    activeStream: aclrtStream,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtActiveStream", || {
        Err(Error::unsupported(
            "streams that store their work are not available; submit the work directly",
        ))
    })
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
    guard("aclrtSwitchStream", || {
        Err(Error::unsupported(
            "streams that store their work are not available; compare on the host and submit the work directly",
        ))
    })
}
