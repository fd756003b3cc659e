//! The physical memory of a mapping, and mappings over links between devices.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::base::{address, enum_from, guard, guard_out, guard_unsupported, handle};
use crate::core::memory::peer;
use crate::core::memory::virtual_memory::{self, physical};
use crate::memory::virtual_memory::location_to_c;
use crate::types::{aclError, aclrtDrvMemHandle, aclrtMemLinkType, aclrtPhysicalMemProp};

/// Returns the handle of the physical memory at a mapped address, and increments its reference count. If all handles
/// were released, the memory gets a new one.
///
/// @param virPtr any address in a mapping.
/// @param handle receives the handle, to be released with aclrtFreePhysical.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: no mapping contains `virPtr`, or called inside a host function.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no more handles.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @note Thread-safe. Follows aclrtMemRetainAllocationHandle of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemRetainAllocationHandle(
    virPtr: *mut c_void,
    handle: *mut aclrtDrvMemHandle,
) -> aclError {
    guard_out("aclrtMemRetainAllocationHandle", "handle", handle, || {
        Ok(handle::to_c(virtual_memory::retain(address::from_c(virPtr))?))
    })
}

/// Returns the properties of physical memory.
///
/// @param handle the memory.
/// @param prop receives the properties that were passed to aclrtMallocPhysical, with 0 in `reserve`; for imported
///     memory ACL_MEM_HANDLE_TYPE_NONE, ACL_HBM_MEM_HUGE, and the device that uses it or the host.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not live physical memory, or called inside a host function.
/// @note Thread-safe. Follows aclrtMemGetAllocationPropertiesFromHandle of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemGetAllocationPropertiesFromHandle(
    handle: aclrtDrvMemHandle,
    prop: *mut aclrtPhysicalMemProp,
) -> aclError {
    guard_out("aclrtMemGetAllocationPropertiesFromHandle", "prop", prop, || {
        let found = physical::properties(handle::from_c(handle))?;
        Ok(aclrtPhysicalMemProp {
            handleType: enum_from(found.handle_type),
            allocationType: enum_from(found.allocation_type),
            memAttr: enum_from(found.attribute),
            location: location_to_c(found.location),
            reserve: 0,
        })
    })
}

/// Enables direct access of kernels on a device to memory on another device, at the same address. Same as
/// aclrtDeviceEnablePeerAccess, which covers all memory on that device, with the same lifetime.
///
/// @param devPtr first byte, anywhere in device memory.
/// @param size bytes, at least 1.
/// @param dstDevId the accessing device, which must be set.
/// @param flags must be 0.
/// @retval ACL_SUCCESS 0: also if access was already enabled
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, `size` is 0, or `flags` is not.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set or owns the memory, the range is not memory of a
///     device or goes past its end, or called inside a host function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the devices do not support it (aclrtDeviceCanAccessPeer).
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @note Thread-safe. Follows aclrtMemP2PMap of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemP2PMap(devPtr: *mut c_void, size: usize, dstDevId: i32, flags: u64) -> aclError {
    guard("aclrtMemP2PMap", || peer::map(address::from_c(devPtr), size, dstDevId, flags))
}

/// Maps memory on another device through a selected connection.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemMapSelectedLink(
    virPtrDst: *mut c_void,
    size: usize,
    virPtrSrc: *mut c_void,
    linkIdx: u32,
) -> aclError {
    guard_unsupported("aclrtMemMapSelectedLink", "links between devices cannot be chosen; copy with aclrtMemcpyAsync")
}

/// Sets which connection mappings of physical memory use.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemMapSetLink(
    handle: aclrtDrvMemHandle,
    adviceLink: MaybeUninit<aclrtMemLinkType>,
) -> aclError {
    guard_unsupported("aclrtMemMapSetLink", "links between devices cannot be chosen; omit the call")
}
