//! Streams of graphs that start other streams.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::base::{address, enum_value, guard, handle};
use crate::core::graph::control;
use crate::types::{aclError, aclrtCompareDataType, aclrtCondition, aclrtStream};

/// Records the start of another stream of the same graph: when a launch reaches it, `activeStream` runs its operations
/// from the beginning, ordered after the earlier operations of `stream`, and `stream` continues. A stream that is
/// running starts again after it has ended.
///
/// @param activeStream a stream that is bound to the same graph; usually bound with 0x7fffffff, so that launches do not
///     start it.
/// @param stream a stream that is bound to a graph that is being built.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `activeStream` is null.
/// @retval ACL_ERROR_RT_STREAM_MODEL 107005: a stream is bound to no graph, or to another graph.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, the building of the graph has ended, or called
///     inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
///     context of another device.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building was invalidated.
/// @note Thread-safe. Follows aclrtActiveStream of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtActiveStream(activeStream: aclrtStream, stream: aclrtStream) -> aclError {
    guard("aclrtActiveStream", || control::start(handle::from_c(activeStream), handle::from_c(stream)))
}

/// Records a branch between streams of the same graph: when a launch reaches it, two values in memory are compared, one
/// of two streams starts as with aclrtActiveStream, and `stream` ends there. If the condition is false and
/// `falseStream` is null, `stream` continues instead.
///
/// @param leftValue a signed number in device memory, aligned.
/// @param cond the comparison: whether `leftValue` is ACL_RT_EQUAL 0, ACL_RT_NOT_EQUAL 1, ACL_RT_GREATER 2,
///     ACL_RT_GREATER_OR_EQUAL 3, ACL_RT_LESS 4 or ACL_RT_LESS_OR_EQUAL 5 to `rightValue`.
/// @param rightValue a signed number in device memory, aligned.
/// @param dataType ACL_RT_SWITCH_INT32 0: both have 32 bits; ACL_RT_SWITCH_INT64 1: 64 bits.
/// @param trueStream a stream that is bound to the same graph.
/// @param falseStream another stream that is bound to the same graph, or null.
/// @param stream a stream that is bound to a graph that is being built.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown `cond` or `dataType`.
/// @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not a multiple of the size of its number.
/// @retval ACL_ERROR_RT_STREAM_MODEL 107005: a stream is bound to no graph, or to another graph.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, an address is not memory of the stream's device,
///     the building of the graph has ended, or called inside a host function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: memory of another device that the stream's device can access.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
///     context of another device.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building was invalidated.
/// @note Thread-safe. Follows aclrtSwitchStream of the Ascend runtime API; a null `falseStream` is portacl's choice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSwitchStream(
    leftValue: *mut c_void,
    cond: MaybeUninit<aclrtCondition>,
    rightValue: *mut c_void,
    dataType: MaybeUninit<aclrtCompareDataType>,
    trueStream: aclrtStream,
    falseStream: aclrtStream,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtSwitchStream", || {
        let values = [address::from_c(leftValue), address::from_c(rightValue)];
        let streams = [handle::from_c(trueStream), handle::from_c(falseStream)];
        control::switch_stream(values, enum_value(cond), enum_value(dataType), streams, handle::from_c(stream))
    })
}
