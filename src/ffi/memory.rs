//! Device memory and pinned host memory.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::backend::Place;
use crate::core::error::Error;
use crate::core::{device, memory};
use crate::ffi::guard::{guard, guard_unsupported};
use crate::ffi::types::{
    aclError, aclrtBarrierTaskInfo, aclrtCmoType, aclrtHostRegisterType, aclrtMallocConfig,
    aclrtMemAttr, aclrtMemLocation, aclrtMemLocationType, aclrtMemMallocPolicy, aclrtMemUsageInfo,
    aclrtPtrAttributes, aclrtStream,
};
use crate::ffi::value::{Out, address, enum_value, handle};

/// Allocates memory of the current device; its contents are undefined. Does not wait for queued work.
///
/// The address is aligned to at least 512 bytes, to 4 KiB from 4 KiB and to 2 MiB from 2 MiB. Sizes are
/// rounded up to 32 bytes; where that costs no large page, 32 bytes more may be read. Policies:
/// HUGE_FIRST takes 2 MiB pages for more than 1 MiB if it can; HUGE_ONLY takes them or fails; NORMAL_ONLY
/// takes ordinary ones; the P2P variants and bandwidth flags are the same; HUGE1G_ONLY takes 1 GiB pages or
/// fails. A policy that the API does not know is no error: huge first from 2 MiB, else normal.
///
/// @param devPtr receives the address; the caller frees it with aclrtFree. It belongs to the device.
/// @param size bytes, at least 1.
/// @param policy an aclrtMemMallocPolicy.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0;
/// ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the wanted kind;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend has no such pages at all; ACL_ERROR_RT_CONTEXT_NULL
/// 107002: no current context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// Thread-safe. Follows aclrtMalloc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMalloc(
    devPtr: *mut *mut c_void,
    size: usize,
    policy: MaybeUninit<aclrtMemMallocPolicy>,
) -> aclError {
    guard("aclrtMalloc", || {
        let out = Out::new("devPtr", devPtr)?;
        out.write(address::to_c(memory::malloc(size, enum_value(policy))?));
        Ok(())
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
    guard_unsupported("aclrtMallocAlign32", "the tail cannot be left out; use aclrtMalloc")
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
    guard_unsupported(
        "aclrtMallocCached",
        "memory with a cache policy of its own is not available; use aclrtMalloc",
    )
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
    guard_unsupported(
        "aclrtMallocWithCfg",
        "attributes of an allocation are not used; use aclrtMalloc",
    )
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
    guard_unsupported("aclrtMallocForTaskScheduler", "there is no task scheduler; use aclrtMalloc")
}

/// Frees device memory. The address is invalid at once; operations queued before still have the memory,
/// which is used again only after the last of them. Does not wait. Any thread may free, whatever its
/// current device.
///
/// @param devPtr the start of an allocation from aclrtMalloc.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not the start
/// of a live device allocation (inside one, host memory, freed before, gone with its device, unknown), or
/// called inside a host function. Thread-safe. Follows aclrtFree of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFree(devPtr: *mut c_void) -> aclError {
    guard("aclrtFree", || memory::free(address::from_c(devPtr)))
}

/// Waits for the device, then gives device memory back.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeWithDevSync(devPtr: *mut c_void) -> aclError {
    guard_unsupported(
        "aclrtFreeWithDevSync",
        "freeing does not synchronise here; call aclrtSynchronizeDevice, then aclrtFree",
    )
}

/// Allocates page-locked host memory for all devices; copies between it and a device are truly
/// asynchronous. Needs no current context. Alignment as aclrtMalloc.
///
/// Beyond the system's limit on locked memory the memory is not locked, which is logged once.
///
/// @param hostPtr receives the address; the caller frees it with aclrtFreeHost.
/// @param size bytes, at least 1.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `hostPtr` is null or `size` is 0;
/// ACL_ERROR_RT_MEMORY_ALLOCATION 207001: more than a process can address; ACL_ERROR_BAD_ALLOC 200000: no
/// host memory; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_PARAM_INVALID 107000:
/// called inside a host function. Thread-safe. Follows aclrtMallocHost of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocHost(hostPtr: *mut *mut c_void, size: usize) -> aclError {
    guard("aclrtMallocHost", || {
        let out = Out::new("hostPtr", hostPtr)?;
        out.write(address::to_c(memory::malloc_host(size)?));
        Ok(())
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
    guard_unsupported(
        "aclrtMallocHostWithCfg",
        "attributes of an allocation are not used; use aclrtMallocHost",
    )
}

/// Frees page-locked host memory. The address is invalid at once; operations queued before still have the
/// memory. Does not wait. Any thread may free.
///
/// @param hostPtr the start of an allocation from aclrtMallocHost.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not the start
/// of a live host allocation, or called inside a host function. Thread-safe. Follows aclrtFreeHost of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeHost(hostPtr: *mut c_void) -> aclError {
    guard("aclrtFreeHost", || memory::free_host(address::from_c(hostPtr)))
}

/// Waits for the device, then gives page-locked host memory back.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeHostWithDevSync(hostPtr: *mut c_void) -> aclError {
    guard_unsupported(
        "aclrtFreeHostWithDevSync",
        "freeing does not synchronise here; call aclrtSynchronizeDevice, then aclrtFreeHost",
    )
}

/// Sets bytes of device memory, or of host memory from aclrtMallocHost; done when it returns, in order with
/// no stream.
///
/// @param devPtr first byte; null only with `count` 0.
/// @param maxCount room at `devPtr`.
/// @param value its low 8 bits are stored in every byte.
/// @param count bytes; 0 does nothing.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null with `count` above 0, or `count` above
/// `maxCount`; ACL_ERROR_RT_PARAM_INVALID 107000: not memory of this library, past the end of an allocation,
/// or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context. Thread-safe.
/// Follows aclrtMemset of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemset(
    devPtr: *mut c_void,
    maxCount: usize,
    value: i32,
    count: usize,
) -> aclError {
    guard("aclrtMemset", || memory::memset(address::from_c(devPtr), maxCount, value, count))
}

/// Queues aclrtMemset on a stream, in order with its other operations.
///
/// @param devPtr first byte; null only with `count` 0.
/// @param maxCount room at `devPtr`.
/// @param value its low 8 bits are stored in every byte.
/// @param count bytes; 0 queues nothing.
/// @param stream a stream; null: the default stream of the current context.
/// @return as aclrtMemset; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is
/// on another device than the current context;
/// ACL_ERROR_RT_PARAM_INVALID 107000 also for memory of another device than the stream's.
/// Thread-safe. Follows aclrtMemsetAsync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemsetAsync(
    devPtr: *mut c_void,
    maxCount: usize,
    value: i32,
    count: usize,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemsetAsync", || {
        let stream = handle::from_c(stream);
        memory::memset_async(address::from_c(devPtr), maxCount, value, count, stream)
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
    guard_unsupported(
        "aclrtMemsetD32",
        "words cannot be set; use aclrtMemset for bytes, or copy a prepared buffer",
    )
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
    guard_unsupported(
        "aclrtMemsetD32Async",
        "words cannot be set; use aclrtMemsetAsync for bytes, or copy a prepared buffer",
    )
}

/// Free and total memory of the current device.
///
/// @param attr an aclrtMemAttr. The ACL_HBM_* and ACL_MEM_* attributes tell the device's memory; ACL_DDR_*
/// and 1 GiB pages, which these devices do not have, give 0 and 0.
/// @param free receives bytes, at most `total`.
/// @param total receives bytes.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_INVALID_MEMORY_TYPE
/// 107016: no such attribute; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows aclrtGetMemInfo of
/// the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetMemInfo(
    attr: MaybeUninit<aclrtMemAttr>,
    free: *mut usize,
    total: *mut usize,
) -> aclError {
    guard("aclrtGetMemInfo", || {
        let free_out = Out::new("free", free)?;
        let total_out = Out::new("total", total)?;
        let (free_bytes, total_bytes) = device::memory_info(enum_value(attr))?;
        free_out.write(free_bytes);
        total_out.write(total_bytes);
        Ok(())
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
    guard_unsupported(
        "aclrtGetMemUsageInfo",
        "memory is not counted by user; use aclrtGetMemInfo for the total",
    )
}

/// Where an address lives: anywhere inside an allocation of this library, or (ACL_MEM_LOCATION_TYPE_UNREGISTERED)
/// in memory that it does not know, which is no error. Needs no current context.
///
/// @param ptr the address; it is not read.
/// @param attributes receives location type and device id, and the page size in bytes that the system
/// confirms (0 for unknown memory).
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000:
/// called inside a host function. Thread-safe. Follows aclrtPointerGetAttributes of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtPointerGetAttributes(
    ptr: *const c_void,
    attributes: *mut aclrtPtrAttributes,
) -> aclError {
    guard("aclrtPointerGetAttributes", || {
        let out = Out::new("attributes", attributes)?;
        if ptr.is_null() {
            return Err(Error::invalid_param("ptr is null; pass the address to ask about"));
        }
        let told = memory::pointer_attributes(address::from_c(ptr))?;
        let (r#type, id) = match told.place {
            Place::Device(id) => (aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE, id),
            Place::Pinned => (aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST, 0),
            Place::Pageable => (aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0),
        };
        let location = aclrtMemLocation { id, r#type: MaybeUninit::new(r#type) };
        out.write(aclrtPtrAttributes { location, pageSize: told.page_size, rsv: [0; 4] });
        Ok(())
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
    guard_unsupported(
        "aclrtMemGetAddressRange",
        "the range of an allocation cannot be asked for; keep it beside the pointer",
    )
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
    guard_unsupported(
        "aclrtCheckMemType",
        "addresses are not checked in lists; use aclrtPointerGetAttributes on each",
    )
}

/// Writes cached device memory back.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemFlush(devPtr: *mut c_void, size: usize) -> aclError {
    guard_unsupported(
        "aclrtMemFlush",
        "caches of the devices here are coherent; leave the call out",
    )
}

/// Drops what caches hold of device memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemInvalidate(devPtr: *mut c_void, size: usize) -> aclError {
    guard_unsupported(
        "aclrtMemInvalidate",
        "caches of the devices here are coherent; leave the call out",
    )
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
    guard_unsupported(
        "aclrtHostRegister",
        "the caller's memory cannot be registered; allocate with aclrtMallocHost",
    )
}

/// Locks host memory of the caller, as ACL_HOST_REG_* flags say.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtHostRegisterV2(ptr: *mut c_void, size: u64, flag: u32) -> aclError {
    guard_unsupported(
        "aclrtHostRegisterV2",
        "the caller's memory cannot be registered; allocate with aclrtMallocHost",
    )
}

/// Takes back a registration of host memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtHostUnregister(ptr: *mut c_void) -> aclError {
    guard_unsupported(
        "aclrtHostUnregister",
        "the caller's memory cannot be registered, so there is nothing to take back; leave the \
         call out",
    )
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
    guard_unsupported(
        "aclrtHostGetDevicePointer",
        "host memory has no device address here; copy it with aclrtMemcpyAsync",
    )
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
