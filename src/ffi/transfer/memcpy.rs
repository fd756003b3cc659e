//! Copies and reductions.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::base::{address, enum_value, guard, handle};
use crate::core::transfer::memcpy::{self, CopyArgs};
use crate::types::{aclError, aclrtMemcpyKind, aclrtStream};

/// Copies memory synchronously, not ordered with any stream. Supports any combination of host and device memory and of
/// devices.
///
/// @param dst destination; may be null if `count` is 0.
/// @param destMax size of the destination in bytes.
/// @param src source; may be null if `count` is 0.
/// @param count bytes; 0 does nothing and succeeds, whatever the other arguments are, also without a
///     current context.
/// @param kind the direction, which must match the pointers; ACL_MEMCPY_DEFAULT derives it from them.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `count` is greater than `destMax`, or an unknown kind.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: freed memory, past the end of an allocation, a kind that contradicts the
///     pointers, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclrtMemcpy of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpy(
    dst: *mut c_void,
    destMax: usize,
    src: *const c_void,
    count: usize,
    kind: MaybeUninit<aclrtMemcpyKind>,
) -> aclError {
    guard("aclrtMemcpy", || {
        let (dst, src) = (address::from_c(dst), address::from_c(src));
        let request = CopyArgs { dst, dest_max: destMax, src, count, kind: enum_value(kind) };
        memcpy::copy(request)
    })
}

/// Enqueues a copy on a stream. With page-locked host memory (aclrtMallocHost) or between devices it returns at once,
/// and the memory must not change until the copy is complete. Pageable host memory can be reused when the call returns:
/// a source has been read, perhaps before the stream's earlier operations, and a destination written after them. With
/// ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE any source can be reused on return. Returns 107000 inside a callback of the program
/// if it could wait forever: docs/callbacks.md.
///
/// @param dst destination; may be null if `count` is 0.
/// @param destMax size of the destination in bytes.
/// @param src source; may be null if `count` is 0.
/// @param count bytes; 0 enqueues nothing and succeeds; then only `stream` is checked.
/// @param kind the direction, which must match the pointers; ACL_MEMCPY_DEFAULT derives it from them.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `count` is greater than `destMax`, or an unknown kind.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: host to host.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function; also for freed
///     memory, past the end of an allocation, or for a kind that contradicts the pointers.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtMemcpyAsync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyAsync(
    dst: *mut c_void,
    destMax: usize,
    src: *const c_void,
    count: usize,
    kind: MaybeUninit<aclrtMemcpyKind>,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemcpyAsync", || {
        let (dst, src) = (address::from_c(dst), address::from_c(src));
        let request = CopyArgs { dst, dest_max: destMax, src, count, kind: enum_value(kind) };
        memcpy::copy_async(request, handle::from_c(stream))
    })
}

/// Copies memory as aclrtMemcpyAsync; an older name, deprecated. There is no condition.
///
/// @param dst destination; may be null if `count` is 0.
/// @param destMax size of the destination in bytes.
/// @param src source; may be null if `count` is 0.
/// @param count bytes; 0 enqueues nothing and succeeds; then only `stream` is checked.
/// @param kind the direction, which must match the pointers; ACL_MEMCPY_DEFAULT derives it from them.
/// @param stream a stream; null: the default stream of the current context.
/// @return the codes of aclrtMemcpyAsync.
/// @note Thread-safe. Follows aclrtMemcpyAsyncWithCondition of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyAsyncWithCondition(
    dst: *mut c_void,
    destMax: usize,
    src: *const c_void,
    count: usize,
    kind: MaybeUninit<aclrtMemcpyKind>,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemcpyAsyncWithCondition", || {
        let (dst, src) = (address::from_c(dst), address::from_c(src));
        let request = CopyArgs { dst, dest_max: destMax, src, count, kind: enum_value(kind) };
        memcpy::copy_async(request, handle::from_c(stream))
    })
}
