//! Stamps: marks and ranges of a program on its threads.

use std::ffi::{c_char, c_void};

use crate::base::{bounded_bytes, guard, guard_out, guard_value, handle};
use crate::core::profiling::prof_stamp;
use crate::types::aclError;

/// Creates a stamp: a text for marks and ranges, initially "stamp". Works at any time, with and without profiling.
///
/// @return the stamp, to be destroyed with aclprofDestroyStamp; null if no more can be created (aclGetRecentErrMsg
///     returns the text, ACL_ERROR_BAD_ALLOC 200000).
/// @note Thread-safe. Follows aclprofCreateStamp of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofCreateStamp() -> *mut c_void {
    guard_value("aclprofCreateStamp", std::ptr::null_mut(), || Ok(handle::to_c(prof_stamp::create()?.raw())))
}

/// Destroys a stamp. Ranges that were begun with it continue.
///
/// @param stamp from aclprofCreateStamp. If it is null, destroyed or not a stamp, nothing happens, and
///     aclGetRecentErrMsg returns the error (ACL_ERROR_INVALID_PARAM 100000, ACL_ERROR_RT_PARAM_INVALID 107000).
/// @note Thread-safe. Follows aclprofDestroyStamp of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofDestroyStamp(stamp: *mut c_void) {
    guard_value("aclprofDestroyStamp", (), || prof_stamp::destroy(handle::from_c(stamp)))
}

/// Sets the text of a stamp, for later marks and ranges.
///
/// @param stamp from aclprofCreateStamp.
/// @param msg the text, which is copied up to its first zero.
/// @param msgLen length of the text in bytes, from 1 to 16,384.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or a length out of range.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stamp, or destroyed.
/// @note Thread-safe. Follows aclprofSetStampTraceMessage of the Ascend runtime API; the length limit is portacl's
///     choice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofSetStampTraceMessage(stamp: *mut c_void, msg: *const c_char, msgLen: u32) -> aclError {
    guard("aclprofSetStampTraceMessage", || {
        // SAFETY: aclprofSetStampTraceMessage asks for `msgLen` readable bytes at `msg`.
        let text = unsafe { bounded_bytes("msg", msg, "msgLen", msgLen as usize, prof_stamp::LONGEST_TEXT) }?;
        prof_stamp::change(handle::from_c(stamp), |label| label.text = prof_stamp::text(&text))
    })
}

/// Sets the tag of a stamp, which traces show with later marks and ranges.
///
/// @param stamp from aclprofCreateStamp.
/// @param tagName the tag, which is copied up to its first zero.
/// @param len length of the tag in bytes, from 1 to 16,384.
/// @return the codes of aclprofSetStampTraceMessage.
/// @note Thread-safe. Follows aclprofSetStampTagName of the Ascend runtime API; the length limit is portacl's choice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofSetStampTagName(stamp: *mut c_void, tagName: *const c_char, len: u16) -> aclError {
    guard("aclprofSetStampTagName", || {
        // SAFETY: aclprofSetStampTagName asks for `len` readable bytes at `tagName`.
        let tag = unsafe { bounded_bytes("tagName", tagName, "len", len.into(), prof_stamp::LONGEST_TEXT) }?;
        prof_stamp::change(handle::from_c(stamp), |label| label.tag = Some(prof_stamp::text(&tag)))
    })
}

/// Sets the call stack of a stamp, which traces show with later marks and ranges.
///
/// @param stamp from aclprofCreateStamp.
/// @param callStack the call stack as a text, which is copied up to its first zero.
/// @param len length of the text in bytes, from 1 to 16,384.
/// @return the codes of aclprofSetStampTraceMessage.
/// @note Thread-safe. Follows aclprofSetStampCallStack of the Ascend runtime API; the length limit is portacl's choice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofSetStampCallStack(stamp: *mut c_void, callStack: *const c_char, len: u32) -> aclError {
    guard("aclprofSetStampCallStack", || {
        // SAFETY: aclprofSetStampCallStack asks for `len` readable bytes at `callStack`.
        let text = unsafe { bounded_bytes("callStack", callStack, "len", len as usize, prof_stamp::LONGEST_TEXT) }?;
        prof_stamp::change(handle::from_c(stamp), |label| label.call_stack = Some(prof_stamp::text(&text)))
    })
}

/// Adds a mark with a stamp's text to the calling thread's row of the trace. Without profiling nothing is recorded.
///
/// @param stamp from aclprofCreateStamp.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stamp, or destroyed.
/// @note Thread-safe. Follows aclprofMark of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofMark(stamp: *mut c_void) -> aclError {
    guard("aclprofMark", || prof_stamp::mark(handle::from_c(stamp)))
}

/// Begins a range of the calling thread with a stamp's text, nested in the thread's open ranges; aclprofPop ends it.
///
/// @param stamp from aclprofCreateStamp.
/// @return the codes of aclprofMark.
/// @note Thread-safe. Follows aclprofPush of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofPush(stamp: *mut c_void) -> aclError {
    guard("aclprofPush", || prof_stamp::push(handle::from_c(stamp)))
}

/// Ends the latest open range of this thread, of aclprofPush or aclprofRangePushEx.
///
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: this thread has no open range.
/// @note Thread-safe. Follows aclprofPop of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofPop() -> aclError {
    guard("aclprofPop", prof_stamp::end_range)
}

/// Begins a range with a stamp's text. Any thread may end it, and it may overlap other ranges.
///
/// @param stamp from aclprofCreateStamp.
/// @param rangeId receives the id of the range.
/// @retval ACL_ERROR_INVALID_PARAM 100000: an argument is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stamp, or destroyed.
/// @note Thread-safe. Follows aclprofRangeStart of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofRangeStart(stamp: *mut c_void, rangeId: *mut u32) -> aclError {
    guard_out("aclprofRangeStart", "rangeId", rangeId, || prof_stamp::start_range(handle::from_c(stamp)))
}

/// Ends a range of aclprofRangeStart.
///
/// @param rangeId the id of the range.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: no open range has this id.
/// @note Thread-safe. Follows aclprofRangeStop of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofRangeStop(rangeId: u32) -> aclError {
    guard("aclprofRangeStop", || prof_stamp::stop_range(rangeId))
}
