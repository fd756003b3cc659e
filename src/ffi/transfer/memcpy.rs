//! Copies and reductions.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::base::error::Error;
use crate::core::transfer::memcpy::{self, ReduceRequest, Request};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{address, enum_value, handle};
use crate::ffi::types::{aclDataType, aclError, aclrtMemcpyKind, aclrtReduceKind, aclrtStream};

/// Copies memory synchronously, not ordered with any stream. Supports any combination of host and device memory and of
/// devices.
///
/// @param dst destination; may be null if `count` is 0.
/// @param destMax size of the destination in bytes.
/// @param src source; may be null if `count` is 0.
/// @param count bytes; 0 does nothing and succeeds, whatever the other arguments are, also without a
///     current context.
/// @param kind the direction, which must match the pointers; ACL_MEMCPY_DEFAULT derives it from them.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `count` is greater than `destMax`, or an unknown kind.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: past the end of an allocation, a kind that contradicts the pointers, or
///     called inside a host function.
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
        let request = Request { dst, dest_max: destMax, src, count, kind: enum_value(kind) };
        memcpy::copy(request)
    })
}

/// Enqueues a copy on a stream. With page-locked host memory (aclrtMallocHost) or between devices it returns at once,
/// and the memory must not change until the copy is complete. Pageable host memory can be reused when the call returns:
/// a source has been read, a destination written, in order with the stream's earlier operations. With
/// ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE any source can be reused on return. Returns 107000 inside a callback of the program
/// if it could wait forever: docs/callbacks.md.
///
/// @param dst destination; may be null if `count` is 0.
/// @param destMax size of the destination in bytes.
/// @param src source; may be null if `count` is 0.
/// @param count bytes; 0 enqueues nothing and succeeds; then only `stream` is checked.
/// @param kind the direction, which must match the pointers; ACL_MEMCPY_DEFAULT derives it from them.
/// @param stream a stream; null: the default stream of the current context.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `count` is greater than `destMax`, or an unknown kind.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: host to host.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function; also past the
///     end of an allocation, or for a kind that contradicts the pointers.
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
        let request = Request { dst, dest_max: destMax, src, count, kind: enum_value(kind) };
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
        let request = Request { dst, dest_max: destMax, src, count, kind: enum_value(kind) };
        memcpy::copy_async(request, handle::from_c(stream))
    })
}

/// Enqueues `dst[i] = op(dst[i], src[i])` over two arrays in memory of the stream's device. Integers wrap around; half
/// precision and bfloat16 are computed in single precision and rounded to nearest even; in maximum and minimum a number
/// wins over a NaN, and +0 is greater than -0.
///
/// @param dst accumulator, aligned to its elements.
/// @param src the other operand, aligned to its elements.
/// @param count bytes, a multiple of the element size; 0 enqueues nothing and succeeds; then only `stream` and
///     `reserve` are checked.
/// @param kind sum, maximum or minimum of aclrtReduceKind.
/// @param type ACL_INT8, ACL_INT16, ACL_INT32, ACL_FLOAT16, ACL_BF16 or ACL_FLOAT.
/// @param stream a stream; null: the default stream of the current context.
/// @param reserve must be null.
/// @retval ACL_SUCCESS 0
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown kind or type, `count` is not a multiple of the
///     element size, or `reserve` is not null.
/// @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another type of aclDataType or the kind EQUAL.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function; also for
///     memory that is not on the stream's device, or past the end of an allocation.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
/// @note Thread-safe. Follows aclrtReduceAsync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtReduceAsync(
    dst: *mut c_void,
    src: *const c_void,
    count: u64,
    kind: MaybeUninit<aclrtReduceKind>,
    r#type: MaybeUninit<aclDataType>,
    stream: aclrtStream,
    reserve: *mut c_void,
) -> aclError {
    guard("aclrtReduceAsync", || {
        if !reserve.is_null() {
            return Err(Error::invalid_param(format_args!("reserve is {reserve:p}; it must be null")));
        }
        let request = ReduceRequest {
            dst: address::from_c(dst),
            src: address::from_c(src),
            count,
            kind: enum_value(kind),
            data_type: enum_value(r#type),
        };
        memcpy::reduce_async(request, handle::from_c(stream))
    })
}
