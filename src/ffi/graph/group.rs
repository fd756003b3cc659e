//! Task groups: tasks of a graph whose arguments can change between and during launches.

use crate::base::{guard, guard_out, handle};
use crate::core::graph::{capture, group};
use crate::types::{aclError, aclrtStream, aclrtTaskGrp};

/// Begins a task group: the following operations of the captured stream can be changed later with
/// aclmdlRICaptureTaskUpdateBegin. A group can contain copies (except those whose addresses are read from memory),
/// fills, reductions, random numbers, kernels and host functions; records of events and waits for events, which define
/// the order of the graph, do not become part of it. Put only operations that change into a group: a launch has to read
/// the group when it reaches it.
///
/// @param stream a stream that takes part in a capture.
/// @retval ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: the stream is not being captured.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the stream already has an open group; not a stream, destroyed, or called
///     inside a host function.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no more groups can be created.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture was invalidated.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
///     context of another device.
/// @note Thread-safe. Follows aclmdlRICaptureTaskGrpBegin of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureTaskGrpBegin(stream: aclrtStream) -> aclError {
    guard("aclmdlRICaptureTaskGrpBegin", || capture::begin_group(handle::from_c(stream)))
}

/// Ends a task group and returns its handle, which can be used from the end of the capture on, as long as the graph
/// exists. It need not be destroyed.
///
/// @param stream the stream that the group began with.
/// @param handle receives the group.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `handle` is null.
/// @retval ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: the stream is not being captured.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the stream has no open group; not a stream, destroyed, or called inside a
///     host function.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture was invalidated.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
///     context of another device.
/// @note Thread-safe. Follows aclmdlRICaptureTaskGrpEnd of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureTaskGrpEnd(stream: aclrtStream, handle: *mut aclrtTaskGrp) -> aclError {
    guard_out("aclmdlRICaptureTaskGrpEnd", "handle", handle, || {
        Ok(handle::to_c(capture::end_group(handle::from_c(stream))?))
    })
}

/// Begins an update of a task group: the operations of the stream until aclmdlRICaptureTaskUpdateEnd do not run, but
/// replace those of the group. Their number, kinds and order must be those of the group; their arguments, kernels and
/// sizes may differ.
///
/// @param stream a stream that is not being captured; null: the default stream of the current context.
/// @param handle a group of a graph of the stream's device.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `handle` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a group, or its graph was destroyed; the stream or the group is
///     already in an update; not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_STREAM_CAPTURED 107027: the stream is being captured, or has ACL_STREAM_PERSISTENT.
/// @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the group belongs to another device, or the stream is on another device
///     than the current context.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclmdlRICaptureTaskUpdateBegin of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureTaskUpdateBegin(stream: aclrtStream, handle: aclrtTaskGrp) -> aclError {
    guard("aclmdlRICaptureTaskUpdateBegin", || group::begin_update(handle::from_c(stream), handle::from_c(handle)))
}

/// Ends an update and enqueues it: the group changes when the stream reaches this operation, and launches that reach
/// the group later use the new operations. So events can order the two. A launch that is already enqueued and waits
/// before the group for an event with ACL_EVENT_EXTERNAL uses the updates that are ordered before the record of that
/// event; a launch that has passed the group does not change. If this fails, the group stays as it was. The update has
/// ended then, and operations that are enqueued from now on run; but after 107002 and 107003, inside a host function,
/// and after 200000 for host memory, the update is still open: call again.
///
/// @param stream the stream of the update.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the stream has no open update; its operations do not match the group; not
///     a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @retval ACL_ERROR_BAD_ALLOC 200000: the host has no memory, or no thread for graphs can be started.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
///     context of another device.
/// @note Thread-safe. Follows aclmdlRICaptureTaskUpdateEnd of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureTaskUpdateEnd(stream: aclrtStream) -> aclError {
    guard("aclmdlRICaptureTaskUpdateEnd", || group::end_update(handle::from_c(stream)))
}
