//! Virtual memory: address ranges and physical memory apart.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{
    aclError, aclrtDrvMemHandle, aclrtMemAccessDesc, aclrtMemGranularityOptions, aclrtMemLinkType,
    aclrtMemLocation, aclrtPhysicalMemProp,
};

/// Tells which sizes of physical memory are possible, or best.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemGetAllocationGranularity(
    prop: *mut aclrtPhysicalMemProp,
    option: MaybeUninit<aclrtMemGranularityOptions>,
    granularity: *mut usize,
) -> aclError {
    guard_unsupported(
        "aclrtMemGetAllocationGranularity",
        "virtual memory management is not available; allocate with aclrtMalloc",
    )
}

/// Reserves a range of addresses without memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtReserveMemAddress(
    virPtr: *mut *mut c_void,
    size: usize,
    alignment: usize,
    expectPtr: *mut c_void,
    flags: u64,
) -> aclError {
    guard_unsupported(
        "aclrtReserveMemAddress",
        "virtual memory management is not available; allocate with aclrtMalloc",
    )
}

/// As aclrtReserveMemAddress, outside the range that unified caching covers.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtReserveMemAddressNoUCMemory(
    virPtr: *mut *mut c_void,
    size: usize,
    alignment: usize,
    expectPtr: *mut c_void,
    flags: u64,
) -> aclError {
    guard_unsupported(
        "aclrtReserveMemAddressNoUCMemory",
        "virtual memory management is not available; allocate with aclrtMalloc",
    )
}

/// Gives back a range of addresses from which all memory was unmapped.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtReleaseMemAddress(virPtr: *mut c_void) -> aclError {
    guard_unsupported(
        "aclrtReleaseMemAddress",
        "virtual memory management is not available; allocate with aclrtMalloc",
    )
}

/// Allocates physical memory without an address.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocPhysical(
    handle: *mut aclrtDrvMemHandle,
    size: usize,
    prop: *const aclrtPhysicalMemProp,
    flags: u64,
) -> aclError {
    guard_unsupported(
        "aclrtMallocPhysical",
        "virtual memory management is not available; allocate with aclrtMalloc",
    )
}

/// Gives up physical memory; it goes when it is mapped nowhere.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreePhysical(handle: aclrtDrvMemHandle) -> aclError {
    guard_unsupported(
        "aclrtFreePhysical",
        "virtual memory management is not available; allocate with aclrtMalloc",
    )
}

/// Maps physical memory into a reserved range.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMapMem(
    virPtr: *mut c_void,
    size: usize,
    offset: usize,
    handle: aclrtDrvMemHandle,
    flags: u64,
) -> aclError {
    guard_unsupported(
        "aclrtMapMem",
        "virtual memory management is not available; allocate with aclrtMalloc",
    )
}

/// Maps physical memory that is out of reach until aclrtMemSetAccess.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemMapNoAccess(
    virPtr: *mut c_void,
    size: usize,
    offset: usize,
    handle: aclrtDrvMemHandle,
    flags: u64,
) -> aclError {
    guard_unsupported(
        "aclrtMemMapNoAccess",
        "virtual memory management is not available; allocate with aclrtMalloc",
    )
}

/// Takes back aclrtMapMem.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtUnmapMem(virPtr: *mut c_void) -> aclError {
    guard_unsupported(
        "aclrtUnmapMem",
        "virtual memory management is not available; allocate with aclrtMalloc",
    )
}

/// Sets which devices may read and write a mapped range.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemSetAccess(
    virPtr: *mut c_void,
    size: usize,
    desc: *mut aclrtMemAccessDesc,
    count: usize,
) -> aclError {
    guard_unsupported(
        "aclrtMemSetAccess",
        "virtual memory management is not available; allocate with aclrtMalloc",
    )
}

/// Tells how a device may use a mapped range.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemGetAccess(
    virPtr: *mut c_void,
    location: *mut aclrtMemLocation,
    flag: *mut u64,
) -> aclError {
    guard_unsupported(
        "aclrtMemGetAccess",
        "virtual memory management is not available; allocate with aclrtMalloc",
    )
}

/// Tells the physical memory behind a mapped address, and keeps it alive once more.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemRetainAllocationHandle(
    virPtr: *mut c_void,
    handle: *mut aclrtDrvMemHandle,
) -> aclError {
    guard_unsupported(
        "aclrtMemRetainAllocationHandle",
        "virtual memory management is not available; allocate with aclrtMalloc",
    )
}

/// Tells how physical memory was asked for.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemGetAllocationPropertiesFromHandle(
    handle: aclrtDrvMemHandle,
    prop: *mut aclrtPhysicalMemProp,
) -> aclError {
    guard_unsupported(
        "aclrtMemGetAllocationPropertiesFromHandle",
        "virtual memory management is not available; allocate with aclrtMalloc",
    )
}

/// Maps device memory for another device.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemP2PMap(
    devPtr: *mut c_void,
    size: usize,
    dstDevId: i32,
    flags: u64,
) -> aclError {
    guard_unsupported(
        "aclrtMemP2PMap",
        "memory is not mapped between devices; copy with aclrtMemcpyAsync",
    )
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
