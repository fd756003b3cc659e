//! Limits of a device that programs query and set.

use std::mem::MaybeUninit;

use crate::base::{enum_value, guard, guard_out};
use crate::core::runtime::device_limit;
use crate::types::{aclError, aclrtDeviceLimit};

/// Returns a limit of the current device, as set by aclrtDeviceSetLimit since the device was opened.
///
/// @param limit an aclrtDeviceLimit.
/// @param value receives the bytes that were set, 0 if none were; the backend chooses the real sizes in either case.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown limit; otherwise the codes of aclrtDeviceSetLimit.
/// @note Thread-safe. Follows aclrtDeviceGetLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetLimit(limit: MaybeUninit<aclrtDeviceLimit>, value: *mut usize) -> aclError {
    guard_out("aclrtDeviceGetLimit", "value", value, || device_limit::get(enum_value(limit)))
}

/// Sets a limit of the current device: sizes of stacks and of print buffers of kernels. The value is stored until the
/// device is reset, and has no effect: the backend determines the size of stacks.
///
/// @param limit an aclrtDeviceLimit.
/// @param value bytes, any number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: an unknown limit.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtDeviceSetLimit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceSetLimit(limit: MaybeUninit<aclrtDeviceLimit>, value: usize) -> aclError {
    guard("aclrtDeviceSetLimit", || device_limit::set(enum_value(limit), value))
}
