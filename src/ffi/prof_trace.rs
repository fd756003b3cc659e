//! Marks of a program in its streams.

use std::ffi::c_void;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{aclError, aclrtStream};

/// Puts a mark of the caller into a stream.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtProfTrace(
    userdata: *mut c_void,
    length: i32,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtProfTrace",
        "there is no profiler to trace for; record an event with a time stamp",
    )
}
