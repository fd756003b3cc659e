//! The chip: its name and what it can do.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use crate::core::info;
use crate::ffi::guard::{guard_unsupported, guard_value};
use crate::ffi::types::{aclCannAttr, aclDeviceInfo, aclError};

/// The name of the processor that programs choose their code by: `PORTACL_SOC_NAME`, else `Ascend910B1`.
/// Works at any time.
///
/// @return a zero-terminated text that stays valid and unchanged for the life of the process. Thread-safe.
/// Follows aclrtGetSocName of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetSocName() -> *const c_char {
    guard_value("aclrtGetSocName", std::ptr::null(), || Ok(info::soc_name().as_ptr()))
}

/// Tells a number about the chip's cores or caches.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetDeviceCapability(
    deviceId: u32,
    deviceInfo: MaybeUninit<aclDeviceInfo>,
    value: *mut i64,
) -> aclError {
    guard_unsupported(
        "aclGetDeviceCapability",
        "attributes of the chip are not kept; assume the defaults",
    )
}

/// Tells whether the chip has an attribute.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetCannAttribute(
    cannAttr: MaybeUninit<aclCannAttr>,
    value: *mut i32,
) -> aclError {
    guard_unsupported(
        "aclGetCannAttribute",
        "attributes of the chip are not kept; assume the defaults",
    )
}

/// Tells which attributes there are.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetCannAttributeList(
    cannAttrList: *mut *const aclCannAttr,
    num: *mut usize,
) -> aclError {
    guard_unsupported(
        "aclGetCannAttributeList",
        "attributes of the chip are not kept; assume the defaults",
    )
}
