//! Copies of rows: rectangles in memory.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::transfer::memcpy_2d::{self, Request};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{address, enum_value, handle};
use crate::ffi::types::{aclError, aclrtMemcpyKind, aclrtStream};

/// Copies `height` rows of `width` bytes between the host and a device; done when it returns, in order with
/// no stream. What lies between the rows is neither read nor written, so the last row needs no padding.
///
/// @param dst first byte of the destination; null only with `width` or `height` 0.
/// @param dpitch bytes from the beginning of a row to the beginning of the next there, at least `width`.
/// @param src first byte of the source; null only with `width` or `height` 0.
/// @param spitch as `dpitch`, of the source.
/// @param width bytes of each row, up to 5,000,000; 0 does nothing, whatever the other arguments are.
/// @param height rows, up to 5,000,000; 0 does nothing, whatever the other arguments are.
/// @param kind ACL_MEMCPY_HOST_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_HOST, as the pointers are.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, another kind, `width` above a pitch,
/// too many rows or bytes in a row, or rows beyond the end of the address space; ACL_ERROR_RT_PARAM_INVALID
/// 107000: rows past the end of an allocation, a kind that contradicts the pointers, or called inside a host
/// function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context. Thread-safe. Follows aclrtMemcpy2d of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpy2d(
    dst: *mut c_void,
    dpitch: usize,
    src: *const c_void,
    spitch: usize,
    width: usize,
    height: usize,
    kind: MaybeUninit<aclrtMemcpyKind>,
) -> aclError {
    guard("aclrtMemcpy2d", || {
        memcpy_2d::copy(Request {
            dst: address::from_c(dst),
            dst_pitch: dpitch,
            src: address::from_c(src),
            src_pitch: spitch,
            width,
            height,
            kind: enum_value(kind),
        })
    })
}

/// Queues aclrtMemcpy2d on a stream, also within a device and between devices. With page-locked host memory
/// (aclrtMallocHost) or between devices it returns at once, and the memory must stay as it is until the copy
/// has run. With ordinary host memory it returns when the copy has run, in order with the stream's earlier
/// operations.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @param dst first byte of the destination; null only with `width` or `height` 0.
/// @param dpitch bytes from the beginning of a row to the beginning of the next there, at least `width`.
/// @param src first byte of the source; null only with `width` or `height` 0.
/// @param spitch as `dpitch`, of the source.
/// @param width bytes of each row, up to 5,000,000; 0 queues nothing.
/// @param height rows, up to 5,242,880 (5 Mi); 0 queues nothing.
/// @param kind ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST or ACL_MEMCPY_DEVICE_TO_DEVICE, as the
/// pointers are.
/// @param stream a stream; null: the default stream of the current context.
/// @return as aclrtMemcpy2d; ACL_ERROR_RT_PARAM_INVALID 107000 also: not a stream, or destroyed;
/// ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// Thread-safe. Follows aclrtMemcpy2dAsync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpy2dAsync(
    dst: *mut c_void,
    dpitch: usize,
    src: *const c_void,
    spitch: usize,
    width: usize,
    height: usize,
    kind: MaybeUninit<aclrtMemcpyKind>,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemcpy2dAsync", || {
        let request = Request {
            dst: address::from_c(dst),
            dst_pitch: dpitch,
            src: address::from_c(src),
            src_pitch: spitch,
            width,
            height,
            kind: enum_value(kind),
        };
        memcpy_2d::copy_async(request, handle::from_c(stream))
    })
}
