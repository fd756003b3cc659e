//! Pools: device memory that is taken and given back in stream order.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{aclError, aclrtMemPool, aclrtMemPoolAttr, aclrtMemPoolProps, aclrtStream};

/// Makes a pool.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemPoolCreate(
    memPool: *mut aclrtMemPool,
    poolProps: *const aclrtMemPoolProps,
) -> aclError {
    guard_unsupported(
        "aclrtMemPoolCreate",
        "memory pools are not available; use aclrtMalloc and aclrtFree",
    )
}

/// Ends a pool.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemPoolDestroy(memPool: aclrtMemPool) -> aclError {
    guard_unsupported(
        "aclrtMemPoolDestroy",
        "memory pools are not available; use aclrtMalloc and aclrtFree",
    )
}

/// Takes memory from a pool, usable in the stream's order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemPoolMallocAsync(
    ptr: *mut *mut c_void,
    size: usize,
    memPool: aclrtMemPool,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtMemPoolMallocAsync",
        "memory pools are not available; use aclrtMalloc and aclrtFree",
    )
}

/// Gives memory back to its pool, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemPoolFreeAsync(ptr: *mut c_void, stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclrtMemPoolFreeAsync",
        "memory pools are not available; use aclrtMalloc and aclrtFree",
    )
}

/// Sets an attribute of a pool.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemPoolSetAttr(
    memPool: aclrtMemPool,
    attr: MaybeUninit<aclrtMemPoolAttr>,
    value: *mut c_void,
) -> aclError {
    guard_unsupported(
        "aclrtMemPoolSetAttr",
        "memory pools are not available; use aclrtMalloc and aclrtFree",
    )
}

/// Tells an attribute of a pool.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemPoolGetAttr(
    memPool: aclrtMemPool,
    attr: MaybeUninit<aclrtMemPoolAttr>,
    value: *mut c_void,
) -> aclError {
    guard_unsupported(
        "aclrtMemPoolGetAttr",
        "memory pools are not available; use aclrtMalloc and aclrtFree",
    )
}

/// Releases memory that a pool keeps but does not use.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemPoolTrimTo(
    memPool: aclrtMemPool,
    minBytesToKeep: usize,
) -> aclError {
    guard_unsupported(
        "aclrtMemPoolTrimTo",
        "memory pools are not available; use aclrtMalloc and aclrtFree",
    )
}
