//! Device memory and pinned host memory.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::error::Error;
use crate::ffi::guard::guard;
use crate::ffi::types::{
    aclError, aclrtBarrierTaskInfo, aclrtCmoType, aclrtHostRegisterType, aclrtMallocConfig,
    aclrtMemAttr, aclrtMemMallocPolicy, aclrtMemUsageInfo, aclrtPtrAttributes, aclrtStream,
};

/// Allocates device memory on the current device.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMalloc(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
) -> aclError {
    guard("aclrtMalloc", || {
        Err(Error::unsupported(
            "memory management is not available in this build; there is no other source of device memory",
        ))
    })
}

/// Allocates device memory rounded up to 32 bytes, without the readable tail of aclrtMalloc.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocAlign32(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
) -> aclError {
    guard("aclrtMallocAlign32", || {
        Err(Error::unsupported("the tail cannot be left out; use aclrtMalloc"))
    })
}

/// Allocates device memory that goes through the caches.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocCached(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
) -> aclError {
    guard("aclrtMallocCached", || {
        Err(Error::unsupported(
            "memory with a cache policy of its own is not available; use aclrtMalloc",
        ))
    })
}

/// Allocates device memory with attributes.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocWithCfg(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
    cfg: *mut aclrtMallocConfig,
) -> aclError {
    guard("aclrtMallocWithCfg", || {
        Err(Error::unsupported("attributes of an allocation are not used; use aclrtMalloc"))
    })
}

/// Allocates device memory that the task scheduler uses.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocForTaskScheduler(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
    cfg: *mut aclrtMallocConfig,
) -> aclError {
    guard("aclrtMallocForTaskScheduler", || {
        Err(Error::unsupported("there is no task scheduler; use aclrtMalloc"))
    })
}

/// Gives device memory back. Queued work that uses it goes on with it.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFree(devPtr: *mut c_void) -> aclError {
    guard("aclrtFree", || {
        Err(Error::unsupported(
            "memory management is not available in this build; there is no other source of device memory",
        ))
    })
}

/// Waits for the device, then gives device memory back.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeWithDevSync(devPtr: *mut c_void) -> aclError {
    guard("aclrtFreeWithDevSync", || {
        Err(Error::unsupported(
            "freeing does not synchronise here; call aclrtSynchronizeDevice, then aclrtFree",
        ))
    })
}

/// Allocates page-locked host memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocHost(hostPtr: *mut *mut c_void, size: usize) -> aclError {
    guard("aclrtMallocHost", || {
        Err(Error::unsupported(
            "memory management is not available in this build; there is no other source of device memory",
        ))
    })
}

/// Allocates page-locked host memory with attributes.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocHostWithCfg(
    ptr: *mut *mut c_void,
    size: u64,
    cfg: *mut aclrtMallocConfig,
) -> aclError {
    guard("aclrtMallocHostWithCfg", || {
        Err(Error::unsupported("attributes of an allocation are not used; use aclrtMallocHost"))
    })
}

/// Gives page-locked host memory back.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeHost(hostPtr: *mut c_void) -> aclError {
    guard("aclrtFreeHost", || {
        Err(Error::unsupported(
            "memory management is not available in this build; there is no other source of device memory",
        ))
    })
}

/// Waits for the device, then gives page-locked host memory back.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeHostWithDevSync(hostPtr: *mut c_void) -> aclError {
    guard("aclrtFreeHostWithDevSync", || {
        Err(Error::unsupported(
            "freeing does not synchronise here; call aclrtSynchronizeDevice, then aclrtFreeHost",
        ))
    })
}

/// Sets bytes of device memory, or of page-locked host memory, and waits.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemset(
    devPtr: *mut c_void,
    maxCount: usize,
    value: i32,
    count: usize,
) -> aclError {
    guard("aclrtMemset", || {
        Err(Error::unsupported(
            "memory management is not available in this build; there is no other source of device memory",
        ))
    })
}

/// Sets bytes of memory, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemsetAsync(
    devPtr: *mut c_void,
    maxCount: usize,
    value: i32,
    count: usize,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemsetAsync", || {
        Err(Error::unsupported(
            "memory management is not available in this build; there is no other source of device memory",
        ))
    })
}

/// Sets 32-bit words of memory and waits.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemsetD32(
    ptr: *mut c_void,
    memSize: usize,
    value: u32,
    N: usize,
) -> aclError {
    guard("aclrtMemsetD32", || {
        Err(Error::unsupported(
            "words cannot be set; use aclrtMemset for bytes, or copy a prepared buffer",
        ))
    })
}

/// Sets 32-bit words of memory, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemsetD32Async(
    ptr: *mut c_void,
    memSize: usize,
    value: u32,
    N: usize,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemsetD32Async", || {
        Err(Error::unsupported(
            "words cannot be set; use aclrtMemsetAsync for bytes, or copy a prepared buffer",
        ))
    })
}

/// Tells how much memory of a kind is free, and how much there is.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetMemInfo(
    attr: MaybeUninit<aclrtMemAttr>,
    free: *mut usize,
    total: *mut usize,
) -> aclError {
    guard("aclrtGetMemInfo", || {
        Err(Error::unsupported(
            "memory management is not available in this build; there is no other source of device memory",
        ))
    })
}

/// Tells how much device memory each part of the system uses.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetMemUsageInfo(
    deviceId: i32,
    memUsageInfo: *mut aclrtMemUsageInfo,
    inputNum: usize,
    outputNum: *mut usize,
) -> aclError {
    guard("aclrtGetMemUsageInfo", || {
        Err(Error::unsupported("memory is not counted by user; use aclrtGetMemInfo for the total"))
    })
}

/// Tells where an address lives and how large its pages are.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtPointerGetAttributes(
    ptr: *const c_void,
    attributes: *mut aclrtPtrAttributes,
) -> aclError {
    guard("aclrtPointerGetAttributes", || {
        Err(Error::unsupported(
            "memory management is not available in this build; there is no other source of device memory",
        ))
    })
}

/// Tells start and length of the allocation that an address lies in.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemGetAddressRange(
    ptr: *mut c_void,
    pbase: *mut *mut c_void,
    psize: *mut usize,
) -> aclError {
    guard("aclrtMemGetAddressRange", || {
        Err(Error::unsupported(
            "the range of an allocation cannot be asked for; keep it beside the pointer",
        ))
    })
}

/// Tells whether all addresses of a list are memory of one type.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCheckMemType(
    addrList: *mut *mut c_void,
    size: u32,
    memType: u32,
    checkResult: *mut u32,
    reserve: u32,
) -> aclError {
    guard("aclrtCheckMemType", || {
        Err(Error::unsupported(
            "addresses are not checked in lists; use aclrtPointerGetAttributes on each",
        ))
    })
}

/// Writes cached device memory back.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemFlush(devPtr: *mut c_void, size: usize) -> aclError {
    guard("aclrtMemFlush", || {
        Err(Error::unsupported("caches of the devices here are coherent; leave the call out"))
    })
}

/// Drops what caches hold of device memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemInvalidate(devPtr: *mut c_void, size: usize) -> aclError {
    guard("aclrtMemInvalidate", || {
        Err(Error::unsupported("caches of the devices here are coherent; leave the call out"))
    })
}

/// Locks host memory of the caller and maps it for the device.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtHostRegister(
    ptr: *mut c_void,
    size: u64,
    r#type: MaybeUninit<aclrtHostRegisterType>,
    devPtr: *mut *mut c_void,
) -> aclError {
    guard("aclrtHostRegister", || {
        Err(Error::unsupported(
            "the caller's memory cannot be registered; allocate with aclrtMallocHost",
        ))
    })
}

/// Locks host memory of the caller, as ACL_HOST_REG_* flags say.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtHostRegisterV2(ptr: *mut c_void, size: u64, flag: u32) -> aclError {
    guard("aclrtHostRegisterV2", || {
        Err(Error::unsupported(
            "the caller's memory cannot be registered; allocate with aclrtMallocHost",
        ))
    })
}

/// Takes back a registration of host memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtHostUnregister(ptr: *mut c_void) -> aclError {
    guard("aclrtHostUnregister", || {
        Err(Error::unsupported(
            "the caller's memory cannot be registered, so there is nothing to take back",
        ))
    })
}

/// Tells the device's address of registered host memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtHostGetDevicePointer(
    pHost: *mut c_void,
    pDevice: *mut *mut c_void,
    flag: u32,
) -> aclError {
    guard("aclrtHostGetDevicePointer", || {
        Err(Error::unsupported(
            "host memory has no device address here; copy it with aclrtMemcpyAsync",
        ))
    })
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
    guard("aclrtCmoAsync", || {
        Err(Error::unsupported("caches cannot be managed from here; leave the call out"))
    })
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
    guard("aclrtCmoAsyncWithBarrier", || {
        Err(Error::unsupported("caches cannot be managed from here; leave the call out"))
    })
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
    guard("aclrtCmoWaitBarrier", || {
        Err(Error::unsupported("caches cannot be managed from here; leave the call out"))
    })
}

/// Tells the size of the description of a cache operation.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCmoGetDescSize(size: *mut usize) -> aclError {
    guard("aclrtCmoGetDescSize", || {
        Err(Error::unsupported("caches cannot be managed from here; leave the call out"))
    })
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
    guard("aclrtCmoSetDesc", || {
        Err(Error::unsupported("caches cannot be managed from here; leave the call out"))
    })
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
    guard("aclrtCmoAsyncWithDesc", || {
        Err(Error::unsupported("caches cannot be managed from here; leave the call out"))
    })
}
