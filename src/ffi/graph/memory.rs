//! Graph memory, as in CUDA's GraphMem functions.

use std::mem::MaybeUninit;

use crate::base::{enum_value, guard, guard_out};
use crate::core::pool::mem_pool::graphs;
use crate::types::{aclError, portaclGraphMemAttr};

/// Returns how much memory the graphs of a device have: memory that captured streams allocated from pools of the
/// device. It belongs to the graphs, and the attributes of the pools do not count it.
///
/// @param deviceId a device that is set.
/// @param attr the attribute.
/// @param value receives bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `value` is null, or `attr` is unknown.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Equivalent to cudaDeviceGetGraphMemAttribute.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceGetGraphMemAttribute(
    deviceId: i32,
    attr: MaybeUninit<portaclGraphMemAttr>,
    value: *mut u64,
) -> aclError {
    guard_out("portaclDeviceGetGraphMemAttribute", "value", value, || graphs::get_attribute(deviceId, enum_value(attr)))
}

/// Resets a high watermark of portaclDeviceGetGraphMemAttribute.
///
/// @param deviceId a device that is set.
/// @param attr PORTACL_GRAPH_MEM_ATTR_USED_MEM_HIGH or PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH.
/// @param value 0.
/// @return the codes of portaclDeviceGetGraphMemAttribute
/// @retval ACL_ERROR_INVALID_PARAM 100000: also for another value, and for a read-only attribute.
/// @note Thread-safe. Equivalent to cudaDeviceSetGraphMemAttribute.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceSetGraphMemAttribute(
    deviceId: i32,
    attr: MaybeUninit<portaclGraphMemAttr>,
    value: u64,
) -> aclError {
    guard("portaclDeviceSetGraphMemAttribute", || graphs::set_attribute(deviceId, enum_value(attr), value))
}

/// Releases memory to the device that is reserved for graphs and not in use.
///
/// @param deviceId a device that is set.
/// @return the codes of portaclDeviceGetGraphMemAttribute.
/// @note Thread-safe. Equivalent to cudaDeviceGraphMemTrim.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceGraphMemTrim(deviceId: i32) -> aclError {
    guard("portaclDeviceGraphMemTrim", || graphs::trim(deviceId))
}
