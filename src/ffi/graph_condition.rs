//! Graphs with tasks that a value in device memory lets run, or not.

use std::mem::MaybeUninit;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{
    aclError, aclmdlRI, aclmdlRICaptureMode, aclmdlRICondHandle, aclmdlRICondHandleFlag,
    aclmdlRICondTaskParams, aclrtStream,
};

/// Starts to record what is submitted to a stream into a given graph.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureToModelRIBegin(
    stream: aclrtStream,
    modelRI: aclmdlRI,
    mode: MaybeUninit<aclmdlRICaptureMode>,
) -> aclError {
    guard_unsupported(
        "aclmdlRICaptureToModelRIBegin",
        "this version has graphs that are captured and run, and not this; capture the graph anew",
    )
}

/// Makes the value that a conditional task of a graph looks at.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICondHandleCreate(
    modelRI: aclmdlRI,
    defaultLaunchValue: u32,
    flag: MaybeUninit<aclmdlRICondHandleFlag>,
    handle: *mut aclmdlRICondHandle,
) -> aclError {
    guard_unsupported(
        "aclmdlRICondHandleCreate",
        "this version has graphs that are captured and run, and not this; capture the graph anew",
    )
}

/// Tells the device address of a condition's value.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICondHandleGetCondPtr(
    handle: aclmdlRICondHandle,
    ptr: *mut *mut u64,
) -> aclError {
    guard_unsupported(
        "aclmdlRICondHandleGetCondPtr",
        "this version has graphs that are captured and run, and not this; capture the graph anew",
    )
}

/// Adds a conditional task to a stream that is recorded.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIAddCondTask(
    params: aclmdlRICondTaskParams,
    stream: aclrtStream,
    flags: u32,
) -> aclError {
    guard_unsupported(
        "aclmdlRIAddCondTask",
        "this version has graphs that are captured and run, and not this; capture the graph anew",
    )
}
