//! Task groups: tasks of a graph whose arguments change between its runs, and in them.

use crate::core::graph::{capture, group};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, handle};
use crate::ffi::types::{aclError, aclrtStream, aclrtTaskGrp};

/// Begins a group: what the captured stream is given from now on can be changed later, with
/// aclmdlRICaptureTaskUpdateBegin. A group is made of copies, fills, reductions, random numbers, kernels and host functions;
/// records of events and waits for them, which have a place in the order of the graph, do not belong to it. What
/// stays as it is should not be in a group: a run has to look at groups when it comes to them.
///
/// @param stream a stream that takes part in a capture.
/// @return ACL_SUCCESS; ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: the stream is not captured; ACL_ERROR_RT_PARAM_INVALID 107000: it has a
/// group that has not ended; not a stream, destroyed, or called inside a host function; ACL_ERROR_BAD_ALLOC 200000:
/// no more groups can be made; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture is invalid;
/// ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or one of another device.
/// Thread-safe. Follows aclmdlRICaptureTaskGrpBegin of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureTaskGrpBegin(stream: aclrtStream) -> aclError {
    guard("aclmdlRICaptureTaskGrpBegin", || capture::begin_group(handle::from_c(stream)))
}

/// Ends a group; gives its handle, which can be used when the capture has ended, as long as the graph exists.
/// It need not be destroyed.
///
/// @param stream the stream that the group began with.
/// @param handle receives the group.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `handle` is null; ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: the
/// stream is not captured; ACL_ERROR_RT_PARAM_INVALID 107000: it has no group; not a stream, destroyed, or called inside
/// a host function; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture is invalid; ACL_ERROR_RT_CONTEXT_NULL
/// 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or one of another device. Thread-safe. Follows
/// aclmdlRICaptureTaskGrpEnd of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureTaskGrpEnd(
    stream: aclrtStream,
    handle: *mut aclrtTaskGrp,
) -> aclError {
    guard("aclmdlRICaptureTaskGrpEnd", || {
        let out = Out::new("handle", handle)?;
        out.write(handle::to_c(capture::end_group(handle::from_c(stream))?));
        Ok(())
    })
}

/// Begins to change a group: what the stream is given until aclmdlRICaptureTaskUpdateEnd does not run, but replaces
/// what the group does. It has to be as many operations as the group has, of the same kinds in the same order; their
/// arguments, kernels and sizes may differ.
///
/// @param stream a stream that is not captured; null: the default stream of the current context.
/// @param handle a group of a graph of the stream's device.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `handle` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a group,
/// or its graph was destroyed; the stream or the group is being changed already; not a stream, destroyed, or called
/// inside a host function; ACL_ERROR_RT_STREAM_CAPTURED 107027: the stream is captured; ACL_ERROR_RT_MODEL_CAPTURED 107026:
/// the graph is still being captured; ACL_ERROR_RT_STREAM_CONTEXT 107003: the group is of another device, or the
/// stream is on another one than the current context; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// Thread-safe. Follows aclmdlRICaptureTaskUpdateBegin of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureTaskUpdateBegin(
    stream: aclrtStream,
    handle: aclrtTaskGrp,
) -> aclError {
    guard("aclmdlRICaptureTaskUpdateBegin", || {
        group::begin_update(handle::from_c(stream), handle::from_c(handle))
    })
}

/// Ends a change, and queues it: the group changes when the stream comes to this, and runs of the graph that come
/// to the group later do what it is then. So events order the two. A run that is queued already, and waits for an
/// event with ACL_EVENT_EXTERNAL before the group, is changed by what comes before that event's record; a run that
/// has come past the group is not. Where this fails, the group is as it was, and the stream runs again what it is
/// given.
///
/// @param stream the stream that the change began with.
/// @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: the stream changes no group; its operations are not those of
/// the group; not a stream, destroyed, or called inside a host function; ACL_ERROR_DRV_INTERNAL_ERROR 507899: the
/// driver refuses; ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or one of
/// another device. Thread-safe. Follows aclmdlRICaptureTaskUpdateEnd of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureTaskUpdateEnd(stream: aclrtStream) -> aclError {
    guard("aclmdlRICaptureTaskUpdateEnd", || group::end_update(handle::from_c(stream)))
}
