//! Stamps: marks and ranges of a program on its threads.

use std::ffi::{c_char, c_void};

use crate::core::profiling::prof_stamp;
use crate::ffi::base::guard::{guard, guard_value};
use crate::ffi::base::value::{Out, bytes, handle};
use crate::ffi::types::aclError;

/// Makes a stamp: a text for marks and ranges, "stamp" until it is set. Works at any time, with profiling and
/// without.
///
/// @return the stamp, for aclprofDestroyStamp to end; null if no more can be made (aclGetRecentErrMsg says so,
/// ACL_ERROR_BAD_ALLOC 200000). Thread-safe. Follows aclprofCreateStamp of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofCreateStamp() -> *mut c_void {
    guard_value("aclprofCreateStamp", std::ptr::null_mut(), || {
        Ok(handle::to_c(prof_stamp::create()?.raw()))
    })
}

/// Ends a stamp. Ranges that were begun with it go on.
///
/// @param stamp from aclprofCreateStamp. Null, destroyed or no stamp: nothing happens, and aclGetRecentErrMsg
/// tells (ACL_ERROR_INVALID_PARAM 100000, ACL_ERROR_RT_PARAM_INVALID 107000). Thread-safe. Follows
/// aclprofDestroyStamp of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofDestroyStamp(stamp: *mut c_void) {
    guard_value("aclprofDestroyStamp", (), || prof_stamp::destroy(handle::from_c(stamp)))
}

/// Sets the text of a stamp, for what is marked or begun with it from now on.
///
/// @param stamp from aclprofCreateStamp.
/// @param msg the text, which is copied; a zero ends it.
/// @param msgLen bytes of it, from 1 to 16,384.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or a length out of range;
/// ACL_ERROR_RT_PARAM_INVALID 107000: no stamp, or destroyed. Thread-safe. Follows aclprofSetStampTraceMessage
/// of the Ascend runtime API; the bound is portacl's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofSetStampTraceMessage(
    stamp: *mut c_void,
    msg: *const c_char,
    msgLen: u32,
) -> aclError {
    guard("aclprofSetStampTraceMessage", || {
        let most = prof_stamp::LONGEST_TEXT;
        // SAFETY: aclprofSetStampTraceMessage asks for `msgLen` readable bytes at `msg`.
        let text = unsafe { bytes::bounded("msg", msg, "msgLen", msgLen as usize, most) }?;
        prof_stamp::set_text(handle::from_c(stamp), prof_stamp::text(&text))
    })
}

/// Marks this moment with a stamp's text, on the calling thread's row. Without profiling nothing is recorded.
///
/// @param stamp from aclprofCreateStamp.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: no stamp, or
/// destroyed. Thread-safe. Follows aclprofMark of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofMark(stamp: *mut c_void) -> aclError {
    guard("aclprofMark", || prof_stamp::mark(handle::from_c(stamp)))
}

/// Begins a range of the calling thread, inside those that are open there, with a stamp's text; aclprofPop ends
/// it.
///
/// @param stamp from aclprofCreateStamp.
/// @return as aclprofMark. Thread-safe. Follows aclprofPush of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofPush(stamp: *mut c_void) -> aclError {
    guard("aclprofPush", || prof_stamp::push(handle::from_c(stamp)))
}

/// Ends the range that this thread began last, by aclprofPush or aclprofRangePushEx.
///
/// @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: none is open on this thread. Thread-safe. Follows
/// aclprofPop of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofPop() -> aclError {
    guard("aclprofPop", prof_stamp::end_range)
}

/// Begins a range with a stamp's text that any thread may end, and that may overlap others.
///
/// @param stamp from aclprofCreateStamp.
/// @param rangeId room for the number of the range.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: one of them is null; ACL_ERROR_RT_PARAM_INVALID 107000:
/// no stamp, or destroyed. Thread-safe. Follows aclprofRangeStart of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofRangeStart(stamp: *mut c_void, rangeId: *mut u32) -> aclError {
    guard("aclprofRangeStart", || {
        let out = Out::new("rangeId", rangeId)?;
        out.write(prof_stamp::start_range(handle::from_c(stamp))?);
        Ok(())
    })
}

/// Ends a range of aclprofRangeStart.
///
/// @param rangeId its number.
/// @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: no such range is open. Thread-safe. Follows
/// aclprofRangeStop of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclprofRangeStop(rangeId: u32) -> aclError {
    guard("aclprofRangeStop", || prof_stamp::stop_range(rangeId))
}
