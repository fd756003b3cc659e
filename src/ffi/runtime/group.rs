//! Groups: fixed shares of a device.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::base::error::unsupported;
use crate::ffi::base::guard::{guard, guard_unsupported, guard_value};
use crate::ffi::base::value::Out;
use crate::ffi::types::{aclError, aclrtGroupAttr, aclrtGroupInfo};

/// Returns the number of groups of the current device: always 0, because devices here are not divided. Works at any
/// time.
///
/// @param count receives 0.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @note Thread-safe. Follows aclrtGetGroupCount of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetGroupCount(count: *mut u32) -> aclError {
    guard("aclrtGetGroupCount", || {
        Out::new("count", count)?.write(0);
        Ok(())
    })
}

/// Allocates descriptions of the groups, or returns null.
///
/// @return null; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateGroupInfo() -> *mut aclrtGroupInfo {
    guard_value("aclrtCreateGroupInfo", std::ptr::null_mut(), || {
        Err(unsupported!("devices are not divided into groups; work always uses the whole device"))
    })
}

/// Frees the descriptions of aclrtCreateGroupInfo.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyGroupInfo(groupInfo: *mut aclrtGroupInfo) -> aclError {
    guard_unsupported("aclrtDestroyGroupInfo", "devices are not divided into groups; work always uses the whole device")
}

/// Fills in the descriptions of all groups.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetAllGroupInfo(groupInfo: *mut aclrtGroupInfo) -> aclError {
    guard_unsupported("aclrtGetAllGroupInfo", "devices are not divided into groups; work always uses the whole device")
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
    guard_unsupported(
        "aclrtGetGroupInfoDetail",
        "devices are not divided into groups; work always uses the whole device",
    )
}

/// Makes later work of this thread use a group.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetGroup(groupId: i32) -> aclError {
    guard_unsupported("aclrtSetGroup", "devices are not divided into groups; work always uses the whole device")
}
