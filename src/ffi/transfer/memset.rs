//! Fills with bytes and 32-bit words.

use std::ffi::c_void;

use crate::base::{address, guard, handle};
use crate::core::transfer::memset::{self, FillArgs};
use crate::types::{aclError, aclrtStream};

/// Fills bytes of device memory, or of page-locked host memory (aclrtMallocHost, ACL_HOST_REG_PINNED). Synchronous, not
/// ordered with any stream.
///
/// @param devPtr first byte; may be null if `count` is 0.
/// @param maxCount size of the memory at `devPtr` in bytes.
/// @param value its low 8 bits are written to every byte.
/// @param count bytes; 0 sets nothing and succeeds, whatever the other arguments are, also without a
///     current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null with `count` greater than 0, or `count` is greater than `maxCount`.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: pageable host memory, freed memory, past the end of an allocation, or
///     called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclrtMemset of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemset(devPtr: *mut c_void, maxCount: usize, value: i32, count: usize) -> aclError {
    guard("aclrtMemset", || memset::set(FillArgs::bytes(address::from_c(devPtr), maxCount, value, count)))
}

/// Enqueues a fill on a stream, as aclrtMemset, in stream order.
///
/// @param devPtr first byte; may be null if `count` is 0.
/// @param maxCount size of the memory at `devPtr` in bytes.
/// @param value its low 8 bits are written to every byte.
/// @param count bytes; 0 enqueues nothing and succeeds; then only `stream` is checked.
/// @param stream a stream; null: the default stream of the current context.
/// @return the codes of aclrtMemset
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function; also for
///     memory on another device than the stream's, unless it is managed, or in a pool or mapping with access.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtMemsetAsync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemsetAsync(
    devPtr: *mut c_void,
    maxCount: usize,
    value: i32,
    count: usize,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemsetAsync", || {
        memset::set_async(FillArgs::bytes(address::from_c(devPtr), maxCount, value, count), handle::from_c(stream))
    })
}

/// Fills 32-bit words of device memory, or of page-locked host memory (aclrtMallocHost, ACL_HOST_REG_PINNED).
/// Synchronous, not ordered with any stream.
///
/// @param ptr first word, aligned to 4 bytes; may be null if `N` is 0.
/// @param memSize size of the memory at `ptr` in bytes, at least 4 times `N`.
/// @param value written to every word, in the byte order of the host.
/// @param N number of words; 0 sets nothing and succeeds, whatever the other arguments are, also without a
///     current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null with `N` greater than 0, or `N` words exceed `memSize`.
/// @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: pageable host memory, freed memory, past the end of an allocation, or
///     called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclrtMemsetD32 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemsetD32(ptr: *mut c_void, memSize: usize, value: u32, N: usize) -> aclError {
    guard("aclrtMemsetD32", || memset::set(FillArgs::words(address::from_c(ptr), memSize, value, N)))
}

/// Enqueues a fill with 32-bit words on a stream, as aclrtMemsetD32, in stream order. On host memory it returns when
/// the words are written. Returns 107000 inside a callback of the program if it could wait forever: docs/callbacks.md.
///
/// @param ptr first word, aligned to 4 bytes; may be null if `N` is 0.
/// @param memSize size of the memory at `ptr` in bytes, at least 4 times `N`.
/// @param value written to every word, in the byte order of the host.
/// @param N number of words; 0 enqueues nothing and succeeds; then only `stream` is checked.
/// @param stream a stream; null: the default stream of the current context.
/// @return the codes of aclrtMemsetD32
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: also: not a stream, destroyed, or memory on another device than the
///     stream's, unless it is managed, or in a pool or mapping with access.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtMemsetD32Async of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemsetD32Async(
    ptr: *mut c_void,
    memSize: usize,
    value: u32,
    N: usize,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemsetD32Async", || {
        memset::set_async(FillArgs::words(address::from_c(ptr), memSize, value, N), handle::from_c(stream))
    })
}
