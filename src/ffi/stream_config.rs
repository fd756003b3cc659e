//! Descriptions of streams to be made.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::error::Error;
use crate::ffi::guard::{guard_unsupported, guard_value};
use crate::ffi::types::{aclError, aclrtStream, aclrtStreamConfigAttr, aclrtStreamConfigHandle};

/// Makes the description of a stream, or returns null.
///
/// @return null; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateStreamConfigHandle() -> *mut aclrtStreamConfigHandle {
    guard_value("aclrtCreateStreamConfigHandle", std::ptr::null_mut(), || {
        Err(Error::unsupported(
            "streams are not made from descriptions; use aclrtCreateStreamWithConfig",
        ))
    })
}

/// Ends a description that aclrtCreateStreamConfigHandle made.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyStreamConfigHandle(
    handle: *mut aclrtStreamConfigHandle,
) -> aclError {
    guard_unsupported(
        "aclrtDestroyStreamConfigHandle",
        "streams are not made from descriptions; use aclrtCreateStreamWithConfig",
    )
}

/// Sets one attribute in the description of a stream.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetStreamConfigOpt(
    handle: *mut aclrtStreamConfigHandle,
    attr: MaybeUninit<aclrtStreamConfigAttr>,
    attrValue: *const c_void,
    valueSize: usize,
) -> aclError {
    guard_unsupported(
        "aclrtSetStreamConfigOpt",
        "streams are not made from descriptions; use aclrtCreateStreamWithConfig",
    )
}

/// Makes a stream as it is described.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateStreamV2(
    stream: *mut aclrtStream,
    handle: *const aclrtStreamConfigHandle,
) -> aclError {
    guard_unsupported(
        "aclrtCreateStreamV2",
        "streams are not made from descriptions; use aclrtCreateStreamWithConfig",
    )
}
