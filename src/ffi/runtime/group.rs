//! Groups: fixed shares of a device.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::base::{guard_out, guard_unsupported, guard_value};
use crate::core::base::error::unsupported;
use crate::types::{aclError, aclrtGroupAttr, aclrtGroupInfo};

/// Why all other functions of groups are unsupported.
const NO_GROUPS: &str = "devices are not divided into groups, and work always uses the whole device; omit the call";

/// Returns the number of groups of the current device: always 0, because devices here are not divided. Works at any
/// time.
///
/// @param count receives 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @note Thread-safe. Follows aclrtGetGroupCount of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetGroupCount(count: *mut u32) -> aclError {
    guard_out("aclrtGetGroupCount", "count", count, || Ok(0))
}

/// Allocates descriptions of the groups, or returns null.
///
/// @return null; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateGroupInfo() -> *mut aclrtGroupInfo {
    guard_value("aclrtCreateGroupInfo", std::ptr::null_mut(), || Err(unsupported!("{NO_GROUPS}")))
}

/// Frees the descriptions of aclrtCreateGroupInfo.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyGroupInfo(groupInfo: *mut aclrtGroupInfo) -> aclError {
    guard_unsupported("aclrtDestroyGroupInfo", NO_GROUPS)
}

/// Fills in the descriptions of all groups.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetAllGroupInfo(groupInfo: *mut aclrtGroupInfo) -> aclError {
    guard_unsupported("aclrtGetAllGroupInfo", NO_GROUPS)
}

/// Returns an attribute of a group.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetGroupInfoDetail(
    groupInfo: *const aclrtGroupInfo,
    groupIndex: i32,
    attr: MaybeUninit<aclrtGroupAttr>,
    attrValue: *mut c_void,
    valueLen: usize,
    paramRetSize: *mut usize,
) -> aclError {
    guard_unsupported("aclrtGetGroupInfoDetail", NO_GROUPS)
}

/// Makes later work of this thread use a group.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetGroup(groupId: i32) -> aclError {
    guard_unsupported("aclrtSetGroup", NO_GROUPS)
}
