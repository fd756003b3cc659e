//! What CUDA has for pools of memory and the Ascend runtime API has not: a current pool for each device,
//! and who may use a pool's memory.

use std::ffi::c_void;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{
    aclError, aclrtMemAccessDesc, aclrtMemAccessFlags, aclrtMemLocation, aclrtMemPool, aclrtStream,
};

/// Takes memory from the current pool of the stream's device, usable in the stream's order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMallocAsync(
    ptr: *mut *mut c_void,
    size: usize,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "portaclMallocAsync",
        "memory pools are not available; use aclrtMalloc and aclrtFree",
    )
}

/// Gives memory back to its pool, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclFreeAsync(ptr: *mut c_void, stream: aclrtStream) -> aclError {
    guard_unsupported(
        "portaclFreeAsync",
        "memory pools are not available; use aclrtMalloc and aclrtFree",
    )
}

/// Gives the pool that a device has from the beginning.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceGetDefaultMemPool(
    memPool: *mut aclrtMemPool,
    deviceId: i32,
) -> aclError {
    guard_unsupported(
        "portaclDeviceGetDefaultMemPool",
        "memory pools are not available; use aclrtMalloc and aclrtFree",
    )
}

/// Gives the pool that portaclMallocAsync takes memory from.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceGetMemPool(
    memPool: *mut aclrtMemPool,
    deviceId: i32,
) -> aclError {
    guard_unsupported(
        "portaclDeviceGetMemPool",
        "memory pools are not available; use aclrtMalloc and aclrtFree",
    )
}

/// Sets the pool that portaclMallocAsync takes memory from.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclDeviceSetMemPool(deviceId: i32, memPool: aclrtMemPool) -> aclError {
    guard_unsupported(
        "portaclDeviceSetMemPool",
        "memory pools are not available; use aclrtMalloc and aclrtFree",
    )
}

/// Sets which devices may use the memory of a pool.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolSetAccess(
    memPool: aclrtMemPool,
    descList: *const aclrtMemAccessDesc,
    count: usize,
) -> aclError {
    guard_unsupported(
        "portaclMemPoolSetAccess",
        "memory pools are not available; use aclrtMalloc and aclrtFree",
    )
}

/// Tells how a device may use the memory of a pool.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolGetAccess(
    flags: *mut aclrtMemAccessFlags,
    memPool: aclrtMemPool,
    location: *const aclrtMemLocation,
) -> aclError {
    guard_unsupported(
        "portaclMemPoolGetAccess",
        "memory pools are not available; use aclrtMalloc and aclrtFree",
    )
}
