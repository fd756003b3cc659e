//! Virtual memory: address ranges, and physical memory that is mapped to them.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::base::{Array, address, enum_from, enum_value, guard, guard_out, handle, must_not_be_null, read};
use crate::core::memory::access::{AccessRequest, Location};
use crate::core::memory::virtual_memory::{self, Properties, access, physical};
use crate::types::{
    aclError, aclrtDrvMemHandle, aclrtMemAccessDesc, aclrtMemGranularityOptions, aclrtMemLocation, aclrtPhysicalMemProp,
};

/// Reads properties from C as numbers.
fn properties(prop: *const aclrtPhysicalMemProp) -> crate::core::base::error::Result<Properties> {
    let prop = read("prop", prop)?;
    Ok(Properties {
        handle_type: enum_value(prop.handleType),
        allocation_type: enum_value(prop.allocationType),
        attribute: enum_value(prop.memAttr),
        location: location_from_c(prop.location),
    })
}

/// A place of C as numbers.
pub(crate) fn location_from_c(location: aclrtMemLocation) -> Location {
    Location { kind: enum_value(location.r#type), id: location.id }
}

/// The inverse of [`location_from_c`].
pub(crate) fn location_to_c(location: Location) -> aclrtMemLocation {
    aclrtMemLocation { id: location.id, r#type: enum_from(location.kind) }
}

/// A description of access, of a list.
pub(crate) fn access_request(list: &Array<aclrtMemAccessDesc>, index: usize) -> AccessRequest {
    let desc = list.get(index);
    AccessRequest { location: location_from_c(desc.location), flags: enum_value(desc.flags) }
}

/// Returns the granularity of physical memory, for its size and for the addresses where it is mapped: 2 MiB for all
/// memory, both minimum and recommended.
///
/// @param prop the kind of memory, as in aclrtMallocPhysical; its device need not be set.
/// @param option ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM or ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED.
/// @param granularity receives the number of bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, `option` or a property is unknown.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: pages of 1 GiB.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @note Thread-safe. Follows aclrtMemGetAllocationGranularity of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemGetAllocationGranularity(
    prop: *mut aclrtPhysicalMemProp,
    option: MaybeUninit<aclrtMemGranularityOptions>,
    granularity: *mut usize,
) -> aclError {
    guard_out("aclrtMemGetAllocationGranularity", "granularity", granularity, || {
        physical::granularity(properties(prop)?, enum_value(option))
    })
}

/// Reserves a range of addresses without memory, for memory on any device and on the host. Accesses fail until memory
/// is mapped there (aclrtMapMem).
///
/// @param virPtr receives the first address, a multiple of 2 MiB and of `alignment`. The range lives until
///     aclrtReleaseMemAddress, or until aclFinalize; a device reset only unmaps the memory on that device.
/// @param size bytes, rounded up to a multiple of 2 MiB. In guard mode (docs/cpu_devices.md) at most 64 GiB, or three
///     times a device's memory if that is more.
/// @param alignment 0, or a power of two.
/// @param expectPtr the start address of the range, a multiple of 2 MiB and of `alignment`; null: any address. If it is
///     not free, the call fails.
/// @param flags 0, or 1 for huge pages, which has no effect here.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, `size` is 0, `alignment` is not a power of two, `expectPtr` is not
///     aligned, or `flags` is unknown.
/// @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no such addresses, or they are not free.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Follows aclrtReserveMemAddress of the Ascend runtime API, and cuMemAddressReserve where that is
///     silent, except that a start address is not a hint here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtReserveMemAddress(
    virPtr: *mut *mut c_void,
    size: usize,
    alignment: usize,
    expectPtr: *mut c_void,
    flags: u64,
) -> aclError {
    guard_out("aclrtReserveMemAddress", "virPtr", virPtr, || {
        Ok(address::to_c(virtual_memory::reserve(size, alignment, address::from_c(expectPtr), flags)?))
    })
}

/// Reserves a range of addresses outside of the range for unified caching. There is no such range here, so the call
/// reserves any range, as aclrtReserveMemAddress does.
///
/// @param virPtr receives the first address.
/// @param size bytes, rounded up to a multiple of 2 MiB.
/// @param alignment 0, or a power of two.
/// @param expectPtr the start address of the range; null: any address.
/// @param flags 0 or 1.
/// @return the codes of aclrtReserveMemAddress.
/// @note Thread-safe. Follows aclrtReserveMemAddressNoUCMemory of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtReserveMemAddressNoUCMemory(
    virPtr: *mut *mut c_void,
    size: usize,
    alignment: usize,
    expectPtr: *mut c_void,
    flags: u64,
) -> aclError {
    guard_out("aclrtReserveMemAddressNoUCMemory", "virPtr", virPtr, || {
        Ok(address::to_c(virtual_memory::reserve(size, alignment, address::from_c(expectPtr), flags)?))
    })
}

/// Releases a range of addresses. Waits only for pending work that still uses memory that was mapped in the range.
///
/// @param virPtr the start of a range from aclrtReserveMemAddress in which nothing is mapped.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `virPtr` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: no range begins at `virPtr`, memory is still mapped in it, or called
///     inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Follows aclrtReleaseMemAddress of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtReleaseMemAddress(virPtr: *mut c_void) -> aclError {
    guard("aclrtReleaseMemAddress", || virtual_memory::release(address::from_c(virPtr)))
}

/// Allocates physical memory, without an address. Map it with aclrtMapMem.
///
/// @param handle receives the handle, which lives until aclrtFreePhysical, or until its device is reset (host memory:
///     until aclFinalize).
/// @param size bytes, rounded up to a multiple of 2 MiB.
/// @param prop the kind of memory; the structure is not needed after the call. `location`: ACL_MEM_LOCATION_TYPE_DEVICE
///     with the id of a device that is set, ACL_MEM_LOCATION_TYPE_HOST with any id, or ACL_MEM_LOCATION_TYPE_HOST_NUMA
///     with the number of a NUMA node; the last two on the CPU backend only. `memAttr`: any value except those for
///     pages of 1 GiB; it has no effect. `handleType`: ACL_MEM_HANDLE_TYPE_NONE or ACL_MEM_HANDLE_TYPE_POSIX.
///     `allocationType`: ACL_MEM_ALLOCATION_TYPE_PINNED. `reserve` is ignored.
/// @param flags 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, an invalid `size` or `flags`, or an unknown property.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, or called inside a host function.
/// @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no such memory is left.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no host memory or no handle is left.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: pages of 1 GiB, host memory on the CUDA backend, or on CPUs a
///     device or system without memory files (docs/sharing.md).
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. A memory hook that refuses determines the code.
/// @note Thread-safe. Follows aclrtMallocPhysical of the Ascend runtime API, and cuMemCreate where that is silent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocPhysical(
    handle: *mut aclrtDrvMemHandle,
    size: usize,
    prop: *const aclrtPhysicalMemProp,
    flags: u64,
) -> aclError {
    guard_out("aclrtMallocPhysical", "handle", handle, || {
        Ok(handle::to_c(physical::malloc(size, properties(prop)?, flags)?))
    })
}

/// Releases a handle of physical memory. Mappings stay usable: the memory is freed when it has no handle, is mapped
/// nowhere, and no pending work uses it. If the handle was already released with its device or session, the first call
/// succeeds and does nothing: docs/failures.md.
///
/// @param handle from aclrtMallocPhysical or aclrtMemRetainAllocationHandle; each successful call of these needs one
///     call of this.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `handle` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not live physical memory, or called inside a host function. A memory hook
///     that refuses determines the code.
/// @note Thread-safe. Follows aclrtFreePhysical of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreePhysical(handle: aclrtDrvMemHandle) -> aclError {
    guard("aclrtFreePhysical", || physical::free(handle::from_c(handle)))
}

/// Maps physical memory in a reserved range. The device of the memory may read and write it at once; host memory is
/// accessible to the host and all devices. The same memory may be mapped at several addresses. Transfers may cross
/// adjacent mappings of one device. If pending work still uses a previous mapping at this address, the call waits for
/// it.
///
/// @param virPtr an address in a range from aclrtReserveMemAddress, a multiple of 2 MiB, where nothing is mapped.
/// @param size the size of the memory, as passed to its allocation or rounded up to a multiple of 2 MiB.
/// @param offset 0.
/// @param handle the memory.
/// @param flags 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, `size` is not the size of the memory, the mapping does not fit into
///     one range, `virPtr` is not aligned, `offset` or `flags` is not 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `virPtr` is in no range, something is already mapped there, `handle` is
///     not live physical memory, or called inside a host function.
/// @retval ACL_ERROR_BAD_ALLOC 200000: the system refuses more mappings.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @note Thread-safe. Follows aclrtMapMem of the Ascend runtime API, and cuMemMap where that is silent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMapMem(
    virPtr: *mut c_void,
    size: usize,
    offset: usize,
    handle: aclrtDrvMemHandle,
    flags: u64,
) -> aclError {
    guard("aclrtMapMem", || {
        virtual_memory::map(address::from_c(virPtr), size, offset, handle::from_c(handle), flags, true)
    })
}

/// Maps physical memory as aclrtMapMem, without access: aclrtMemSetAccess grants it.
///
/// @param virPtr an address in a range from aclrtReserveMemAddress, a multiple of 2 MiB, where nothing is mapped.
/// @param size the size of the memory, as passed to its allocation or rounded up to a multiple of 2 MiB.
/// @param offset 0.
/// @param handle the memory.
/// @param flags 0.
/// @return the codes of aclrtMapMem.
/// @note Thread-safe. Follows aclrtMemMapNoAccess of the Ascend runtime API, and cuMemMap where that is silent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemMapNoAccess(
    virPtr: *mut c_void,
    size: usize,
    offset: usize,
    handle: aclrtDrvMemHandle,
    flags: u64,
) -> aclError {
    guard("aclrtMemMapNoAccess", || {
        virtual_memory::map(address::from_c(virPtr), size, offset, handle::from_c(handle), flags, false)
    })
}

/// Unmaps physical memory. Does not wait: the address is invalid for calls from now on; pending work still uses the
/// memory.
///
/// @param virPtr the address at which the memory was mapped.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `virPtr` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: no mapping begins there, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Follows aclrtUnmapMem of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUnmapMem(virPtr: *mut c_void) -> aclError {
    guard("aclrtUnmapMem", || virtual_memory::unmap(address::from_c(virPtr)))
}

/// Sets the access of devices and of the host to mapped memory. It applies to calls from now on, and on the CPU in
/// guard mode (PORTACL_CPU_GUARD=1) also to accesses of the program. Copies need access of the memory's device or of
/// the copying device.
///
/// @param virPtr where memory is mapped.
/// @param size bytes; one or more whole adjacent mappings.
/// @param desc for each location: `location`, a device by its id or the host (ACL_MEM_LOCATION_TYPE_HOST with id 0),
///     and `flags`, an aclrtMemAccessFlags. `rsv` is ignored.
/// @param count number of descriptors, at least 1.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, `size` or `count` is 0, an unknown location or flag.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the range does not consist of whole mappings, or called inside a host
///     function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the device cannot access the memory on the other device, or, on the
///     CUDA backend, the host was named.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Follows aclrtMemSetAccess of the Ascend runtime API, and cuMemSetAccess where that is silent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemSetAccess(
    virPtr: *mut c_void,
    size: usize,
    desc: *mut aclrtMemAccessDesc,
    count: usize,
) -> aclError {
    guard("aclrtMemSetAccess", || {
        must_not_be_null("desc", desc)?;
        let list = Array::new(desc, count);
        access::set(address::from_c(virPtr), size, count, |index| access_request(&list, index))
    })
}

/// Returns the access of a device or of the host to mapped memory.
///
/// @param virPtr any address in a mapping.
/// @param location a device by its id, or the host (ACL_MEM_LOCATION_TYPE_HOST with id 0).
/// @param flag receives an aclrtMemAccessFlags.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown location.
/// @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: no mapping contains `virPtr`, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @note Thread-safe. Follows aclrtMemGetAccess of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemGetAccess(
    virPtr: *mut c_void,
    location: *mut aclrtMemLocation,
    flag: *mut u64,
) -> aclError {
    guard_out("aclrtMemGetAccess", "flag", flag, || {
        let location = location_from_c(read("location", location)?);
        Ok(access::get(address::from_c(virPtr), location)? as u64)
    })
}
