//! Reductions.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::base::{address, enum_value, guard, handle, must_be_null};
use crate::core::transfer::reduce;
use crate::types::{aclDataType, aclError, aclrtReduceKind, aclrtStream};

/// Enqueues `dst[i] = op(dst[i], src[i])` over two arrays in memory of the stream's device or managed memory. Integers
/// wrap around; half precision and bfloat16 are computed in single precision and rounded to nearest even; in maximum
/// and minimum a number wins over a NaN, and +0 is greater than -0.
///
/// @param dst accumulator, aligned to its elements.
/// @param src the other operand, aligned to its elements.
/// @param count bytes, a multiple of the element size; 0 enqueues nothing and succeeds; then only `stream` and
///     `reserve` are checked.
/// @param kind sum, maximum or minimum of aclrtReduceKind.
/// @param type ACL_INT8, ACL_INT16, ACL_INT32, ACL_FLOAT16, ACL_BF16 or ACL_FLOAT.
/// @param stream a stream; null: the default stream of the current context.
/// @param reserve must be null.
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
        must_be_null("reserve", reserve)?;
        let (dst, src) = (address::from_c(dst), address::from_c(src));
        let (kind, data_type) = (enum_value(kind), enum_value(r#type));
        reduce::reduce_async(dst, src, count, kind, data_type, handle::from_c(stream))
    })
}
