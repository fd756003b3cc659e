//! Caches between the host and a device.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::memory;
use crate::ffi::guard::{guard, guard_unsupported};
use crate::ffi::types::{aclError, aclrtBarrierTaskInfo, aclrtCmoType, aclrtStream};
use crate::ffi::value::address;

/// Writes back what caches hold of device memory from aclrtMallocCached. The devices here keep their caches
/// coherent, so only the arguments are checked. Does not wait for queued work. Needs no current context.
///
/// @param devPtr first byte, anywhere inside an allocation of device memory.
/// @param size bytes, at least 1.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not device memory of this library, past the end of an allocation, or
/// called inside a host function. Thread-safe. Follows aclrtMemFlush of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemFlush(devPtr: *mut c_void, size: usize) -> aclError {
    guard("aclrtMemFlush", || memory::make_coherent(address::from_c(devPtr), size))
}

/// Drops what caches hold of device memory from aclrtMallocCached. The devices here keep their caches
/// coherent, so only the arguments are checked. Does not wait for queued work. Needs no current context.
///
/// @param devPtr first byte, anywhere inside an allocation of device memory.
/// @param size bytes, at least 1.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not device memory of this library, past the end of an allocation, or
/// called inside a host function. Thread-safe. Follows aclrtMemInvalidate of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemInvalidate(devPtr: *mut c_void, size: usize) -> aclError {
    guard("aclrtMemInvalidate", || memory::make_coherent(address::from_c(devPtr), size))
}

/// Prefetches memory into caches or writes it back, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCmoAsync(
    src: *mut c_void,
    size: usize,
    cmoType: MaybeUninit<aclrtCmoType>,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported("aclrtCmoAsync", "caches cannot be managed from here; leave the call out")
}

/// As aclrtCmoAsync, for a barrier to wait for.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCmoAsyncWithBarrier(
    src: *mut c_void,
    size: usize,
    cmoType: MaybeUninit<aclrtCmoType>,
    barrierId: u32,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtCmoAsyncWithBarrier",
        "caches cannot be managed from here; leave the call out",
    )
}

/// Makes a stream wait for cache operations.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCmoWaitBarrier(
    taskInfo: *mut aclrtBarrierTaskInfo,
    stream: aclrtStream,
    flag: u32,
) -> aclError {
    guard_unsupported(
        "aclrtCmoWaitBarrier",
        "caches cannot be managed from here; leave the call out",
    )
}

/// Tells the size of the description of a cache operation.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCmoGetDescSize(size: *mut usize) -> aclError {
    guard_unsupported(
        "aclrtCmoGetDescSize",
        "caches cannot be managed from here; leave the call out",
    )
}

/// Fills the description of a cache operation.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCmoSetDesc(
    cmoDesc: *mut c_void,
    src: *mut c_void,
    size: usize,
) -> aclError {
    guard_unsupported("aclrtCmoSetDesc", "caches cannot be managed from here; leave the call out")
}

/// Does the described cache operation, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCmoAsyncWithDesc(
    cmoDesc: *mut c_void,
    cmoType: MaybeUninit<aclrtCmoType>,
    stream: aclrtStream,
    reserve: *const c_void,
) -> aclError {
    guard_unsupported(
        "aclrtCmoAsyncWithDesc",
        "caches cannot be managed from here; leave the call out",
    )
}
