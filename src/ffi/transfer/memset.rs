//! Setting memory: bytes and 32-bit words.

use std::ffi::c_void;

use crate::core::transfer::memset::{self, Request};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{address, handle};
use crate::ffi::types::{aclError, aclrtStream};

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
    guard("aclrtMemset", || {
        memset::set(Request::bytes(address::from_c(devPtr), maxCount, value, count))
    })
}

/// Queues aclrtMemset on a stream, in order with its other operations.
///
/// @param devPtr first byte; null only with `count` 0.
/// @param maxCount room at `devPtr`.
/// @param value its low 8 bits are stored in every byte.
/// @param count bytes; 0 queues nothing.
/// @param stream a stream; null: the default stream of the current context.
/// @return as aclrtMemset; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a
/// host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003:
/// the stream is on another device than the current context; ACL_ERROR_RT_PARAM_INVALID 107000 also for
/// memory of another device than the stream's. Thread-safe. Follows aclrtMemsetAsync of the Ascend runtime
/// API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemsetAsync(
    devPtr: *mut c_void,
    maxCount: usize,
    value: i32,
    count: usize,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemsetAsync", || {
        let request = Request::bytes(address::from_c(devPtr), maxCount, value, count);
        memset::set_async(request, handle::from_c(stream))
    })
}

/// Sets 32-bit words of device memory, or of host memory from aclrtMallocHost; done when it returns, in
/// order with no stream.
///
/// @param ptr first word, aligned to 4 bytes; null only with `N` 0.
/// @param memSize room at `ptr` in bytes, at least 4 times `N`.
/// @param value stored in every word, in the byte order of the host.
/// @param N words; 0 does nothing, whatever the other arguments are.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null with `N` above 0, or `N` words are more than
/// `memSize`; ACL_ERROR_RT_ADDR_UNALIGNED 107008; ACL_ERROR_RT_PARAM_INVALID 107000: not memory of this
/// library, past the end of an allocation, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL
/// 107002: no current context. Thread-safe. Follows aclrtMemsetD32 of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemsetD32(
    ptr: *mut c_void,
    memSize: usize,
    value: u32,
    N: usize,
) -> aclError {
    guard("aclrtMemsetD32", || memset::set(Request::words(address::from_c(ptr), memSize, value, N)))
}

/// Queues aclrtMemsetD32 on a stream, in order with its other operations. On host memory it returns when the
/// words are set.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @param ptr first word, aligned to 4 bytes; null only with `N` 0.
/// @param memSize room at `ptr` in bytes, at least 4 times `N`.
/// @param value stored in every word, in the byte order of the host.
/// @param N words; 0 queues nothing.
/// @param stream a stream; null: the default stream of the current context.
/// @return as aclrtMemsetD32; ACL_ERROR_RT_PARAM_INVALID 107000 also: not a stream, destroyed, or memory of
/// another device than the stream's; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// Thread-safe. Follows aclrtMemsetD32Async of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemsetD32Async(
    ptr: *mut c_void,
    memSize: usize,
    value: u32,
    N: usize,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemsetD32Async", || {
        let request = Request::words(address::from_c(ptr), memSize, value, N);
        memset::set_async(request, handle::from_c(stream))
    })
}
