//! 2D copies.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::base::{address, enum_value, guard, handle};
use crate::core::transfer::memcpy_2d::{self, Copy2dArgs};
use crate::types::{aclError, aclrtMemcpyKind, aclrtStream};

/// Copies `height` rows of `width` bytes between the host and a device, synchronously and not ordered with any stream.
/// Bytes between the rows are neither read nor written, so the last row needs no padding.
///
/// @param dst first byte of the destination; may be null if `width` or `height` is 0.
/// @param dpitch bytes from the start of one destination row to the next, at least `width`.
/// @param src first byte of the source; may be null if `width` or `height` is 0.
/// @param spitch bytes from the start of one source row to the next, at least `width`.
/// @param width bytes per row, up to 5,000,000; 0 does nothing and succeeds, whatever the other arguments are, also
///     without a current context.
/// @param height number of rows, up to 5,000,000; 0 as for `width`.
/// @param kind ACL_MEMCPY_HOST_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_HOST, matching the pointers.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, a kind other than these two, `width` is greater than a
///     pitch, too many rows or bytes per row, or rows past the end of the address space.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: rows past the end of an allocation, a kind that contradicts the pointers,
///     or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclrtMemcpy2d of the Ascend runtime API.
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
        let (dst, src, kind) = (address::from_c(dst), address::from_c(src), enum_value(kind));
        memcpy_2d::copy(Copy2dArgs { dst, dst_pitch: dpitch, src, src_pitch: spitch, width, height, kind })
    })
}

/// Enqueues a 2D copy on a stream, as aclrtMemcpy2d, also within a device and between devices. With page-locked host
/// memory (aclrtMallocHost) or between devices it returns at once, and the memory must not change until the copy is
/// complete. Pageable host memory can be reused when the call returns, as with aclrtMemcpyAsync. Returns 107000 inside
/// a callback of the program if it could wait forever: docs/callbacks.md.
///
/// @param dst first byte of the destination; may be null if `width` or `height` is 0.
/// @param dpitch bytes from the start of one destination row to the next, at least `width`.
/// @param src first byte of the source; may be null if `width` or `height` is 0.
/// @param spitch bytes from the start of one source row to the next, at least `width`.
/// @param width bytes per row, up to 5,000,000; 0 enqueues nothing and succeeds; then only `stream` is checked.
/// @param height number of rows, up to 5,242,880 (5 Mi); 0 as for `width`.
/// @param kind ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST or ACL_MEMCPY_DEVICE_TO_DEVICE, matching the
///     pointers.
/// @param stream a stream; null: the default stream of the current context.
/// @return the codes of aclrtMemcpy2d
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: also: not a stream, or destroyed.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtMemcpy2dAsync of the Ascend runtime API.
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
        let (dst, src, kind) = (address::from_c(dst), address::from_c(src), enum_value(kind));
        let request = Copy2dArgs { dst, dst_pitch: dpitch, src, src_pitch: spitch, width, height, kind };
        memcpy_2d::copy_async(request, handle::from_c(stream))
    })
}
