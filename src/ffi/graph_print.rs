//! Pictures of graphs: as text, as JSON.

use std::ffi::c_char;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{aclError, aclmdlRI};

/// Prints a graph.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDebugPrint(modelRI: aclmdlRI) -> aclError {
    guard_unsupported(
        "aclmdlRIDebugPrint",
        "this version has graphs that are captured and run, and not this; capture the graph anew",
    )
}

/// Writes a graph to a JSON file.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDebugJsonPrint(
    modelRI: aclmdlRI,
    path: *const c_char,
    flags: u32,
) -> aclError {
    guard_unsupported(
        "aclmdlRIDebugJsonPrint",
        "this version has graphs that are captured and run, and not this; capture the graph anew",
    )
}
