//! Labels: places in a graph's streams to jump to.

use std::ffi::c_void;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{aclError, aclrtLabel, aclrtLabelList, aclrtStream};

/// Makes a label.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateLabel(label: *mut aclrtLabel) -> aclError {
    guard_unsupported(
        "aclrtCreateLabel",
        "labels are of graphs that are built by hand, which this version has not; branch on the host instead",
    )
}

/// Ends a label.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyLabel(label: aclrtLabel) -> aclError {
    guard_unsupported(
        "aclrtDestroyLabel",
        "labels are of graphs that are built by hand, which this version has not; branch on the host instead",
    )
}

/// Puts a label at the current end of a stream.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetLabel(label: aclrtLabel, stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclrtSetLabel",
        "labels are of graphs that are built by hand, which this version has not; branch on the host instead",
    )
}

/// Makes a list of labels.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateLabelList(
    labels: *mut aclrtLabel,
    num: usize,
    labelList: *mut aclrtLabelList,
) -> aclError {
    guard_unsupported(
        "aclrtCreateLabelList",
        "labels are of graphs that are built by hand, which this version has not; branch on the host instead",
    )
}

/// Ends a list of labels.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyLabelList(labelList: aclrtLabelList) -> aclError {
    guard_unsupported(
        "aclrtDestroyLabelList",
        "labels are of graphs that are built by hand, which this version has not; branch on the host instead",
    )
}

/// Jumps to the label whose index is read from device memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSwitchLabelByIndex(
    ptr: *mut c_void,
    maxValue: u32,
    labelList: aclrtLabelList,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtSwitchLabelByIndex",
        "labels are of graphs that are built by hand, which this version has not; branch on the host instead",
    )
}
