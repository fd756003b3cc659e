//! Functions that are called when a graph ends.

use std::ffi::c_void;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{aclError, aclmdlRI, aclrtCallback};

/// Has `func` called when a graph ends.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDestroyRegisterCallback(
    modelRI: aclmdlRI,
    func: aclrtCallback,
    userData: *mut c_void,
) -> aclError {
    guard_unsupported(
        "aclmdlRIDestroyRegisterCallback",
        "this version has graphs that are captured and run, and not this; capture the graph anew",
    )
}

/// Takes back aclmdlRIDestroyRegisterCallback.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDestroyUnregisterCallback(
    modelRI: aclmdlRI,
    func: aclrtCallback,
) -> aclError {
    guard_unsupported(
        "aclmdlRIDestroyUnregisterCallback",
        "this version has graphs that are captured and run, and not this; capture the graph anew",
    )
}
