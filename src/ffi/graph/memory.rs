//! Memory of graphs, as CUDA's functions with GraphMem in their names have it.

use std::mem::MaybeUninit;

use crate::core::pool::mem_pool::graphs;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, enum_value};
use crate::ffi::types::{aclError, portaclGraphMemAttr};

/// Tells how much memory the graphs of a device have: what captured streams have taken from pools on it. That memory
/// belongs to the graphs, and is in no attribute of the pools.
///
/// @param deviceId a device that is set.
/// @param attr which number.
/// @param value receives bytes.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `value` is null, or `attr` unknown;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, or
/// called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Does what
/// cudaDeviceGetGraphMemAttribute does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceGetGraphMemAttribute(
    deviceId: i32,
    attr: MaybeUninit<portaclGraphMemAttr>,
    value: *mut u64,
) -> aclError {
    guard("portaclDeviceGetGraphMemAttribute", || {
        let out = Out::new("value", value)?;
        out.write(graphs::get_attribute(deviceId, enum_value(attr))?);
        Ok(())
    })
}

/// Lets one of the highest amounts of portaclDeviceGetGraphMemAttribute start again.
///
/// @param deviceId a device that is set.
/// @param attr PORTACL_GRAPH_MEM_ATTR_USED_MEM_HIGH or PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH.
/// @param value 0.
/// @return as portaclDeviceGetGraphMemAttribute; ACL_ERROR_INVALID_PARAM 100000 also for another value, and for an
/// attribute that can only be read. Thread-safe. Does what cudaDeviceSetGraphMemAttribute does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceSetGraphMemAttribute(
    deviceId: i32,
    attr: MaybeUninit<portaclGraphMemAttr>,
    value: u64,
) -> aclError {
    guard("portaclDeviceSetGraphMemAttribute", || {
        graphs::set_attribute(deviceId, enum_value(attr), value)
    })
}

/// Gives back to the device what is reserved for graphs and no graph has.
///
/// @param deviceId a device that is set.
/// @return as portaclDeviceGetGraphMemAttribute. Thread-safe. Does what cudaDeviceGraphMemTrim does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceGraphMemTrim(deviceId: i32) -> aclError {
    guard("portaclDeviceGraphMemTrim", || graphs::trim(deviceId))
}
