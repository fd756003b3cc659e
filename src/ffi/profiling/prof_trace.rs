//! Marks with data of the program in its streams.

use std::ffi::c_void;

use crate::base::{bounded_bytes, guard, handle};
use crate::core::profiling::prof_trace;
use crate::types::{aclError, aclrtStream};

/// Adds a mark with data of the program to the stream's row of the trace, at the time when the stream reaches this
/// point. The trace shows the data as text, or as numbers if it is not text. Without profiling nothing is recorded.
///
/// @param userdata the data, which is read during the call.
/// @param length length of the data in bytes, from 1 to 1024.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or a length out of range.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtProfTrace of the Ascend runtime API; the length limit is portacl's choice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtProfTrace(userdata: *mut c_void, length: i32, stream: aclrtStream) -> aclError {
    guard("aclrtProfTrace", || {
        let count = prof_trace::check_length(length)?;
        // SAFETY: aclrtProfTrace asks for `length` readable bytes at `userdata`.
        let data = unsafe { bounded_bytes("userdata", userdata.cast(), "length", count, count) }?;
        prof_trace::mark(&data, handle::from_c(stream))
    })
}
