//! Virtual memory: address ranges and physical memory apart.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::memory::peer;
use crate::core::memory::virtual_memory::{self, Properties, access, physical};
use crate::core::pool::mem_pool::access::{AccessRequest, flags_of};
use crate::ffi::base::guard::{guard, guard_unsupported};
use crate::ffi::base::value::{
    Array, Out, address, enum_from, enum_value, handle, must_not_be_null,
};
use crate::ffi::types::{
    aclError, aclrtDrvMemHandle, aclrtMemAccessDesc, aclrtMemGranularityOptions, aclrtMemLinkType,
    aclrtMemLocation, aclrtPhysicalMemProp,
};

/// The properties that C sends, as numbers.
fn properties(prop: *const aclrtPhysicalMemProp) -> crate::core::base::error::Result<Properties> {
    must_not_be_null("prop", prop)?;
    let prop = Array::new(prop, 1).get(0);
    Ok(Properties {
        handle_type: enum_value(prop.handleType),
        allocation_type: enum_value(prop.allocationType),
        attribute: enum_value(prop.memAttr),
        location_type: enum_value(prop.location.r#type),
        location_id: prop.location.id,
    })
}

/// Tells what sizes of physical memory, and the addresses where it is mapped, are multiples of: 2 MiB for all
/// memory, both at least and best.
///
/// @param prop the memory that is meant, as for aclrtMallocPhysical; its device need not be set.
/// @param option ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM or ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED.
/// @param granularity receives the number of bytes.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `option` or a property is unknown;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: pages of 1 GiB;
/// ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after
/// aclFinalize. Thread-safe. Follows aclrtMemGetAllocationGranularity of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemGetAllocationGranularity(
    prop: *mut aclrtPhysicalMemProp,
    option: MaybeUninit<aclrtMemGranularityOptions>,
    granularity: *mut usize,
) -> aclError {
    guard("aclrtMemGetAllocationGranularity", || {
        let out = Out::new("granularity", granularity)?;
        out.write(physical::granularity(properties(prop)?, enum_value(option))?);
        Ok(())
    })
}

/// Reserves a range of addresses without memory, for memory of any device and of the host. What reads or writes
/// there fails until memory is mapped (aclrtMapMem).
///
/// @param virPtr receives the first address, a multiple of 2 MiB and of `alignment`. The range lives until
/// aclrtReleaseMemAddress, or until aclFinalize; a reset of a device takes only what is mapped of its memory.
/// @param size bytes, rounded up to a multiple of 2 MiB. In guard mode (PORTACL_CPU_GUARD=1) 64 GiB, or as much as
/// a device has, at most.
/// @param alignment 0, or a power of two.
/// @param expectPtr the address that the range is to begin at, a multiple of 2 MiB and of `alignment`; null:
/// anywhere. Where it is not free the call fails.
/// @param flags 0, or 1 for huge pages, which changes nothing here.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `size` is 0, `alignment` no power of two,
/// `expectPtr` not aligned, or `flags` unknown; ACL_ERROR_RT_MEMORY_ALLOCATION 207001: there are no such addresses,
/// or they are not free; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// Thread-safe. Follows aclrtReserveMemAddress of the Ascend runtime API, and cuMemAddressReserve where that says
/// nothing, but for an address that is not free, which is no wish here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtReserveMemAddress(
    virPtr: *mut *mut c_void,
    size: usize,
    alignment: usize,
    expectPtr: *mut c_void,
    flags: u64,
) -> aclError {
    guard("aclrtReserveMemAddress", || {
        let out = Out::new("virPtr", virPtr)?;
        let wish = address::from_c(expectPtr);
        out.write(address::to_c(virtual_memory::reserve(size, alignment, wish, flags)?));
        Ok(())
    })
}

/// As aclrtReserveMemAddress, outside the range that unified caching covers: there is no such range here, and the
/// two calls do the same.
///
/// @param virPtr receives the first address.
/// @param size bytes, rounded up to a multiple of 2 MiB.
/// @param alignment 0, or a power of two.
/// @param expectPtr the address that the range is to begin at; null: anywhere.
/// @param flags 0 or 1.
/// @return as aclrtReserveMemAddress. Thread-safe. Follows aclrtReserveMemAddressNoUCMemory of the Ascend runtime
/// API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtReserveMemAddressNoUCMemory(
    virPtr: *mut *mut c_void,
    size: usize,
    alignment: usize,
    expectPtr: *mut c_void,
    flags: u64,
) -> aclError {
    guard("aclrtReserveMemAddressNoUCMemory", || {
        let out = Out::new("virPtr", virPtr)?;
        let wish = address::from_c(expectPtr);
        out.write(address::to_c(virtual_memory::reserve(size, alignment, wish, flags)?));
        Ok(())
    })
}

/// Gives back a range of addresses. Work that was queued before and still uses what was mapped there is waited
/// for; nothing else is.
///
/// @param virPtr the start of a range from aclrtReserveMemAddress in which nothing is mapped.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `virPtr` is null; ACL_ERROR_RT_PARAM_INVALID 107000: no
/// range begins there, memory is still mapped in it, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL
/// 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows
/// aclrtReleaseMemAddress of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtReleaseMemAddress(virPtr: *mut c_void) -> aclError {
    guard("aclrtReleaseMemAddress", || virtual_memory::release(address::from_c(virPtr)))
}

/// Allocates memory without an address, to be mapped (aclrtMapMem).
///
/// @param handle receives the handle, which lives until aclrtFreePhysical, or until its device is reset (host
/// memory: until aclFinalize).
/// @param size bytes, rounded up to a multiple of 2 MiB.
/// @param prop which memory; not needed afterwards. `location`: ACL_MEM_LOCATION_TYPE_DEVICE with the id of a
/// device that is set, ACL_MEM_LOCATION_TYPE_HOST with any id, or ACL_MEM_LOCATION_TYPE_HOST_NUMA with the number of
/// a NUMA node; the last two on the CPU backend only. `memAttr`: any but those for pages of 1 GiB; it changes
/// nothing. `handleType`: ACL_MEM_HANDLE_TYPE_NONE or ACL_MEM_HANDLE_TYPE_POSIX. `allocationType`:
/// ACL_MEM_ALLOCATION_TYPE_PINNED. `reserve` is not looked at.
/// @param flags 0.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `size` or `flags` is not allowed, or a property is
/// unknown; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: the device is
/// not set, or called inside a host function; ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no such memory is left;
/// ACL_ERROR_BAD_ALLOC 200000: no host memory or no handle is left; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: pages of
/// 1 GiB, host memory on the CUDA backend, or a CPU device whose memory is no file (docs/sharing.md);
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; what a memory hook returned that refuses it. Thread-safe.
/// Follows aclrtMallocPhysical of the Ascend runtime API, and cuMemCreate where that says nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocPhysical(
    handle: *mut aclrtDrvMemHandle,
    size: usize,
    prop: *const aclrtPhysicalMemProp,
    flags: u64,
) -> aclError {
    guard("aclrtMallocPhysical", || {
        let out = Out::new("handle", handle)?;
        out.write(handle::to_c(physical::malloc(size, properties(prop)?, flags)?));
        Ok(())
    })
}

/// Gives up a handle of physical memory. What is mapped stays usable: the memory goes when no handle names it, it is
/// mapped nowhere, and no queued work uses it.
///
/// @param handle from aclrtMallocPhysical or aclrtMemRetainAllocationHandle; each of their successes is matched by
/// one call of this.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `handle` is null; ACL_ERROR_RT_PARAM_INVALID 107000: no live
/// physical memory, or called inside a host function; what a memory hook returned that refuses it. Thread-safe. Follows aclrtFreePhysical of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreePhysical(handle: aclrtDrvMemHandle) -> aclError {
    guard("aclrtFreePhysical", || physical::free(handle::from_c(handle)))
}

/// Maps physical memory in a reserved range. The device that the memory is on may read and write it at once; of host
/// memory, the host and all devices. The same memory may be mapped in several places. Transfers may run over several
/// mappings of one device that lie side by side. Where something else was mapped that queued work still uses, that
/// work is waited for.
///
/// @param virPtr an address in a range from aclrtReserveMemAddress, a multiple of 2 MiB, where nothing is mapped.
/// @param size the size of the memory, as it was allocated or rounded up to a multiple of 2 MiB.
/// @param offset 0.
/// @param handle the memory.
/// @param flags 0.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, a size that is not the memory's, not inside one range,
/// `virPtr` not aligned, `offset` or `flags` not 0; ACL_ERROR_RT_PARAM_INVALID 107000: `virPtr` is in no range, or
/// something is mapped there already, `handle` is no live physical memory, or called inside a host function;
/// ACL_ERROR_BAD_ALLOC 200000: the system maps no more; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows aclrtMapMem of the Ascend runtime API,
/// and cuMemMap where that says nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMapMem(
    virPtr: *mut c_void,
    size: usize,
    offset: usize,
    handle: aclrtDrvMemHandle,
    flags: u64,
) -> aclError {
    guard("aclrtMapMem", || {
        let (addr, memory) = (address::from_c(virPtr), handle::from_c(handle));
        virtual_memory::map(addr, size, offset, memory, flags, true)
    })
}

/// As aclrtMapMem, but nobody may use the memory there until aclrtMemSetAccess allows it.
///
/// @param virPtr an address in a range from aclrtReserveMemAddress, a multiple of 2 MiB, where nothing is mapped.
/// @param size the size of the memory, as it was allocated or rounded up to a multiple of 2 MiB.
/// @param offset 0.
/// @param handle the memory.
/// @param flags 0.
/// @return as aclrtMapMem. Thread-safe. Follows aclrtMemMapNoAccess of the Ascend runtime API, and cuMemMap where
/// that says nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemMapNoAccess(
    virPtr: *mut c_void,
    size: usize,
    offset: usize,
    handle: aclrtDrvMemHandle,
    flags: u64,
) -> aclError {
    guard("aclrtMemMapNoAccess", || {
        let (addr, memory) = (address::from_c(virPtr), handle::from_c(handle));
        virtual_memory::map(addr, size, offset, memory, flags, false)
    })
}

/// Takes a mapping back. Does not wait: the address is invalid for calls from now on, work queued before still uses
/// the memory.
///
/// @param virPtr the address that the memory was mapped at.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `virPtr` is null; ACL_ERROR_RT_PARAM_INVALID 107000: no
/// mapping begins there, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows aclrtUnmapMem of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUnmapMem(virPtr: *mut c_void) -> aclError {
    guard("aclrtUnmapMem", || virtual_memory::unmap(address::from_c(virPtr)))
}

/// Sets who may use what is mapped, and how. It concerns calls from now on, on the CPU in guard mode
/// (PORTACL_CPU_GUARD=1) also the program's own reading and writing. Copies to and from memory need access for the
/// device that it is on, or for the one that copies.
///
/// @param virPtr where memory is mapped.
/// @param size bytes; one or more whole mappings that lie side by side.
/// @param desc for each place: `location`, a device by its id or the host (ACL_MEM_LOCATION_TYPE_HOST with id 0), and
/// `flags`, an aclrtMemAccessFlags. `rsv` is not looked at.
/// @param count how many, at least 1.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `size` or `count` is 0, a place or flag is unknown;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: not filled by whole
/// mappings, or called inside a host function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the device does not reach
/// the other's memory, or, on the CUDA backend, the host; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows aclrtMemSetAccess of the Ascend
/// runtime API, and cuMemSetAccess where that says nothing.
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
        access::set(address::from_c(virPtr), size, count, |index| {
            let desc = list.get(index);
            AccessRequest {
                location_type: enum_value(desc.location.r#type),
                id: desc.location.id,
                flags: enum_value(desc.flags),
            }
        })
    })
}

/// Tells how a place may use what is mapped.
///
/// @param virPtr any address in a mapping.
/// @param location a device by its id, or the host (ACL_MEM_LOCATION_TYPE_HOST with id 0).
/// @param flag receives an aclrtMemAccessFlags.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or the place is unknown;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: nothing is mapped
/// there, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe.
/// Follows aclrtMemGetAccess of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemGetAccess(
    virPtr: *mut c_void,
    location: *mut aclrtMemLocation,
    flag: *mut u64,
) -> aclError {
    guard("aclrtMemGetAccess", || {
        let out = Out::new("flag", flag)?;
        must_not_be_null("location", location)?;
        let location = Array::new(location, 1).get(0);
        let location_type = enum_value(location.r#type);
        let access = access::get(address::from_c(virPtr), location_type, location.id)?;
        out.write(flags_of(access) as u64);
        Ok(())
    })
}

/// Tells the physical memory behind a mapped address, and keeps its handle alive once more. Where the handle was
/// given up already, the memory gets a new one.
///
/// @param virPtr any address in a mapping.
/// @param handle receives the handle, to be given up with aclrtFreePhysical.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: nothing is mapped
/// there, or called inside a host function; ACL_ERROR_BAD_ALLOC 200000: no handle is left;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows aclrtMemRetainAllocationHandle of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemRetainAllocationHandle(
    virPtr: *mut c_void,
    handle: *mut aclrtDrvMemHandle,
) -> aclError {
    guard("aclrtMemRetainAllocationHandle", || {
        let out = Out::new("handle", handle)?;
        out.write(handle::to_c(virtual_memory::retain(address::from_c(virPtr))?));
        Ok(())
    })
}

/// Tells how physical memory was asked for.
///
/// @param handle the memory.
/// @param prop receives what aclrtMallocPhysical was given, with 0 in `reserve`.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: no live physical
/// memory, or called inside a host function. Thread-safe. Follows aclrtMemGetAllocationPropertiesFromHandle of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemGetAllocationPropertiesFromHandle(
    handle: aclrtDrvMemHandle,
    prop: *mut aclrtPhysicalMemProp,
) -> aclError {
    guard("aclrtMemGetAllocationPropertiesFromHandle", || {
        let out = Out::new("prop", prop)?;
        let found = physical::properties(handle::from_c(handle))?;
        out.write(aclrtPhysicalMemProp {
            handleType: enum_from(found.handle_type),
            allocationType: enum_from(found.allocation_type),
            memAttr: enum_from(found.attribute),
            location: aclrtMemLocation {
                id: found.location_id,
                r#type: enum_from(found.location_type),
            },
            reserve: 0,
        });
        Ok(())
    })
}

/// Lets a device use memory of another one at its address, in kernels: as aclrtDeviceEnablePeerAccess does, which is
/// for all memory of that device, and with the same end.
///
/// @param devPtr first byte, anywhere in memory of a device.
/// @param size bytes, at least 1.
/// @param dstDevId the other device, which has to be set.
/// @param flags must be 0.
/// @return ACL_SUCCESS, also if it may already; ACL_ERROR_INVALID_PARAM 100000: null, `size` is 0, or `flags` is not;
/// ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set or
/// is the memory's own, the memory is none of a device's or ends before that, or called inside a host function;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the devices cannot (aclrtDeviceCanAccessPeer);
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows aclrtMemP2PMap of the Ascend runtime
/// API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemP2PMap(
    devPtr: *mut c_void,
    size: usize,
    dstDevId: i32,
    flags: u64,
) -> aclError {
    guard("aclrtMemP2PMap", || peer::map(address::from_c(devPtr), size, dstDevId, flags))
}

/// Maps memory of another device through a chosen connection.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemMapSelectedLink(
    virPtrDst: *mut c_void,
    size: usize,
    virPtrSrc: *mut c_void,
    linkIdx: u32,
) -> aclError {
    guard_unsupported(
        "aclrtMemMapSelectedLink",
        "connections between devices cannot be chosen; copy with aclrtMemcpyAsync",
    )
}

/// Advises which connection mappings of physical memory use.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemMapSetLink(
    handle: aclrtDrvMemHandle,
    adviceLink: MaybeUninit<aclrtMemLinkType>,
) -> aclError {
    guard_unsupported(
        "aclrtMemMapSetLink",
        "connections between devices cannot be chosen; leave the call out",
    )
}
