//! The chip: its name and its capabilities.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use crate::base::{enum_value, guard_out, guard_outs, guard_value};
use crate::core::runtime::{device_info, info};
use crate::types::{aclCannAttr, aclDeviceInfo, aclError};

/// Returns the name of the processor, by which programs select their code: `PORTACL_SOC_NAME`, or else `Ascend910B1`.
/// Works at any time. Answers of aclrtGetDeviceInfo and aclGetCannAttribute depend on it: docs/configuration.md.
///
/// @return a zero-terminated text that stays valid and unchanged until the process ends; null in a forked child whose
///     calls fail (docs/compatibility.md).
/// @note Thread-safe. Follows aclrtGetSocName of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetSocName() -> *const c_char {
    guard_value("aclrtGetSocName", std::ptr::null(), || Ok(info::soc_name().as_ptr()))
}

/// Returns a number of cores or the cache size of a device: the values of aclrtGetDeviceInfo for
/// ACL_DEV_ATTR_AICORE_CORE_NUM, ACL_DEV_ATTR_VECTOR_CORE_NUM and ACL_DEV_ATTR_L2_CACHE_SIZE.
///
/// @param deviceId 0 to the number of devices minus 1; the device need not be set.
/// @param deviceInfo ACL_DEVICE_INFO_AI_CORE_NUM, ACL_DEVICE_INFO_VECTOR_CORE_NUM or ACL_DEVICE_INFO_L2_SIZE.
/// @param value receives the number; the cache size in bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown `deviceInfo`.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
/// @note Thread-safe. Follows aclGetDeviceCapability of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetDeviceCapability(
    deviceId: u32,
    deviceInfo: MaybeUninit<aclDeviceInfo>,
    value: *mut i64,
) -> aclError {
    guard_out("aclGetDeviceCapability", "value", value, || device_info::capability(deviceId, enum_value(deviceInfo)))
}

/// Returns whether the devices here have an attribute: infinities and NaNs (ACL_CANN_ATTR_INF_NAN) yes, operators
/// compiled at run time (ACL_CANN_ATTR_JIT_COMPILE) no, bfloat16 (ACL_CANN_ATTR_BF16) yes, unless aclrtGetSocName names
/// a processor without it (docs/configuration.md). Works at any time.
///
/// @param cannAttr an aclCannAttr other than ACL_CANN_ATTR_UNDEFINED.
/// @param value receives 1 or 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown attribute.
/// @note Thread-safe. Follows aclGetCannAttribute of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetCannAttribute(cannAttr: MaybeUninit<aclCannAttr>, value: *mut i32) -> aclError {
    guard_out("aclGetCannAttribute", "value", value, || Ok(device_info::attribute(enum_value(cannAttr))?.into()))
}

/// Returns the attributes that aclGetCannAttribute accepts. Works at any time.
///
/// @param cannAttrList receives the address of a list that stays valid and unchanged; the caller must not free it.
/// @param num receives its length.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @note Thread-safe. Follows aclGetCannAttributeList of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetCannAttributeList(cannAttrList: *mut *const aclCannAttr, num: *mut usize) -> aclError {
    guard_outs("aclGetCannAttributeList", ("cannAttrList", cannAttrList), ("num", num), || {
        const ATTRIBUTES: &[aclCannAttr] = &[
            aclCannAttr::ACL_CANN_ATTR_INF_NAN,
            aclCannAttr::ACL_CANN_ATTR_BF16,
            aclCannAttr::ACL_CANN_ATTR_JIT_COMPILE,
        ];
        Ok((ATTRIBUTES.as_ptr(), ATTRIBUTES.len()))
    })
}
