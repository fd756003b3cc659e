//! Managed memory: one address for host and devices.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{
    aclError, aclrtMemManagedAdviseType, aclrtMemManagedLocation, aclrtMemManagedRangeAttribute,
    aclrtStream,
};

/// Allocates memory that host and devices use at one address.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemAllocManaged(
    ptr: *mut *mut c_void,
    size: u64,
    flag: u32,
) -> aclError {
    guard_unsupported(
        "aclrtMemAllocManaged",
        "managed memory is not available; use aclrtMalloc, aclrtMallocHost and copies",
    )
}

/// Tells how managed memory will be used.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemManagedAdvise(
    ptr: *const c_void,
    size: u64,
    advise: MaybeUninit<aclrtMemManagedAdviseType>,
    location: aclrtMemManagedLocation,
) -> aclError {
    guard_unsupported(
        "aclrtMemManagedAdvise",
        "managed memory is not available; use aclrtMalloc, aclrtMallocHost and copies",
    )
}

/// Tells an attribute of a range of managed memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemManagedGetAttr(
    attribute: MaybeUninit<aclrtMemManagedRangeAttribute>,
    ptr: *const c_void,
    size: usize,
    data: *mut c_void,
    dataSize: usize,
) -> aclError {
    guard_unsupported(
        "aclrtMemManagedGetAttr",
        "managed memory is not available; use aclrtMalloc, aclrtMallocHost and copies",
    )
}

/// Tells several attributes of a range of managed memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemManagedGetAttrs(
    attributes: *mut aclrtMemManagedRangeAttribute,
    numAttributes: usize,
    ptr: *const c_void,
    size: usize,
    data: *mut *mut c_void,
    dataSizes: *mut usize,
) -> aclError {
    guard_unsupported(
        "aclrtMemManagedGetAttrs",
        "managed memory is not available; use aclrtMalloc, aclrtMallocHost and copies",
    )
}

/// Moves managed memory to a place, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemManagedPrefetchAsync(
    ptr: *const c_void,
    size: usize,
    location: aclrtMemManagedLocation,
    flags: u32,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtMemManagedPrefetchAsync",
        "managed memory is not available; use aclrtMalloc, aclrtMallocHost and copies",
    )
}

/// Moves ranges of managed memory to their places, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemManagedPrefetchBatchAsync(
    ptrs: *mut *const c_void,
    sizes: *mut usize,
    count: usize,
    prefetchLocs: *mut aclrtMemManagedLocation,
    prefetchLocIdxs: *mut usize,
    numPrefetchLocs: usize,
    flags: u64,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtMemManagedPrefetchBatchAsync",
        "managed memory is not available; use aclrtMalloc, aclrtMallocHost and copies",
    )
}
