//! Cache operations.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::base::{address, enum_value, guard, guard_out, handle, must_be_null, read};
use crate::core::transfer::cache;
use crate::types::{aclError, aclrtBarrierTaskInfo, aclrtCmoType, aclrtStream};

/// Writes cached data of device memory from aclrtMallocCached back to memory. Caches are coherent here, so the call
/// only checks its arguments. Does not wait for pending work. Needs no current context.
///
/// @param devPtr first byte, anywhere inside an allocation of device memory.
/// @param size bytes, at least 1.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not device memory from this library, past the end of an allocation, or
///     called inside a host function.
/// @note Thread-safe. Follows aclrtMemFlush of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemFlush(devPtr: *mut c_void, size: usize) -> aclError {
    guard("aclrtMemFlush", || cache::make_coherent(address::from_c(devPtr), size))
}

/// Invalidates cached data of device memory from aclrtMallocCached. Caches are coherent here, so the call only checks
/// its arguments. Does not wait for pending work. Needs no current context.
///
/// @param devPtr first byte, anywhere inside an allocation of device memory.
/// @param size bytes, at least 1.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not device memory from this library, past the end of an allocation, or
///     called inside a host function.
/// @note Thread-safe. Follows aclrtMemInvalidate of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemInvalidate(devPtr: *mut c_void, size: usize) -> aclError {
    guard("aclrtMemInvalidate", || cache::make_coherent(address::from_c(devPtr), size))
}

/// Prefetches device memory into caches, writes it back, or invalidates it. Caches are coherent and managed by the
/// devices here: the call only checks its arguments and enqueues nothing.
///
/// @param src first byte, memory of the stream's device or managed memory.
/// @param size bytes, at least 1.
/// @param cmoType an aclrtCmoType.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, `size` is 0, or an unknown type.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or not memory of
///     the stream's device.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtCmoAsync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCmoAsync(
    src: *mut c_void,
    size: usize,
    cmoType: MaybeUninit<aclrtCmoType>,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtCmoAsync", || {
        cache::operate("src", address::from_c(src), size, enum_value(cmoType), handle::from_c(stream))
    })
}

/// Performs a cache operation as aclrtCmoAsync, with a barrier for aclrtCmoWaitBarrier.
///
/// @param src first byte, memory of the stream's device or managed memory.
/// @param size bytes, at least 1.
/// @param cmoType an aclrtCmoType.
/// @param barrierId any number; it has no effect.
/// @param stream a stream; null: the default stream of the current context.
/// @return the codes of aclrtCmoAsync.
/// @note Thread-safe. Follows aclrtCmoAsyncWithBarrier of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCmoAsyncWithBarrier(
    src: *mut c_void,
    size: usize,
    cmoType: MaybeUninit<aclrtCmoType>,
    barrierId: u32,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtCmoAsyncWithBarrier", || {
        cache::operate("src", address::from_c(src), size, enum_value(cmoType), handle::from_c(stream))
    })
}

/// Makes later operations of a stream wait for operations of aclrtCmoAsyncWithBarrier. These are complete when their
/// calls return, so the call only checks its arguments.
///
/// @param taskInfo 1 to 6 barriers with their types; the ids are ignored.
/// @param stream a stream; null: the default stream of the current context.
/// @param flag must be 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `taskInfo` is null, has no or too many barriers or an unknown type, or
///     `flag` is not 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000, ACL_ERROR_RT_CONTEXT_NULL 107002 and ACL_ERROR_RT_STREAM_CONTEXT 107003:
///     as aclrtCmoAsync.
/// @note Thread-safe. Follows aclrtCmoWaitBarrier of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCmoWaitBarrier(
    taskInfo: *mut aclrtBarrierTaskInfo,
    stream: aclrtStream,
    flag: u32,
) -> aclError {
    guard("aclrtCmoWaitBarrier", || {
        let task = read("taskInfo", taskInfo)?;
        let kinds = task.cmoInfo.into_iter().take(task.barrierNum).map(|info| enum_value(info.cmoType));
        cache::wait(task.barrierNum, kinds, flag, handle::from_c(stream))
    })
}

/// Returns the size of a descriptor of aclrtCmoSetDesc. Works at any time.
///
/// @param size receives 64, the size in bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @note Thread-safe. Follows aclrtCmoGetDescSize of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCmoGetDescSize(size: *mut usize) -> aclError {
    guard_out("aclrtCmoGetDescSize", "size", size, || Ok(cache::DESCRIPTION))
}

/// Writes the descriptor of a cache operation to device memory. Synchronous.
///
/// @param cmoDesc 64 bytes of memory on the current device, or managed memory.
/// @param src first byte of the operation's range, also memory on the current device or managed memory.
/// @param size size of the range in bytes, at least 1.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or `size` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not memory on the current device, past its end, or called inside a host
///     function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclrtCmoSetDesc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCmoSetDesc(cmoDesc: *mut c_void, src: *mut c_void, size: usize) -> aclError {
    guard("aclrtCmoSetDesc", || cache::describe(address::from_c(cmoDesc), address::from_c(src), size))
}

/// Performs a cache operation as aclrtCmoAsync, from a descriptor. The descriptor is not read, because the operation
/// has nothing to do.
///
/// @param cmoDesc memory of the stream's device, or managed memory, from aclrtCmoSetDesc.
/// @param cmoType an aclrtCmoType.
/// @param stream a stream; null: the default stream of the current context.
/// @param reserve must be null.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `cmoDesc` is null, `reserve` is not null, or an unknown type.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or not memory of
///     the stream's device.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtCmoAsyncWithDesc of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCmoAsyncWithDesc(
    cmoDesc: *mut c_void,
    cmoType: MaybeUninit<aclrtCmoType>,
    stream: aclrtStream,
    reserve: *const c_void,
) -> aclError {
    guard("aclrtCmoAsyncWithDesc", || {
        must_be_null("reserve", reserve)?;
        let addr = address::from_c(cmoDesc);
        cache::operate("cmoDesc", addr, cache::DESCRIPTION, enum_value(cmoType), handle::from_c(stream))
    })
}

/// Writes the current device's level-2 cache back to its memory. Does nothing, because the caches of devices here are
/// coherent.
///
/// @param rsv must be null.
/// @retval ACL_ERROR_INVALID_PARAM 100000: not null.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclrtDeviceL2CacheFlush of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceL2CacheFlush(rsv: *mut c_void) -> aclError {
    guard("aclrtDeviceL2CacheFlush", || {
        must_be_null("rsv", rsv)?;
        cache::flush_device()
    })
}
