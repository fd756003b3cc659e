//! Capturing graphs: streams whose operations are recorded instead of run.

use std::mem::MaybeUninit;

use crate::base::{enum_value, guard, guard_out, guard_outs, handle};
use crate::core::graph::capture::{self, mode};
use crate::types::{aclError, aclmdlRI, aclmdlRICaptureMode, aclmdlRICaptureStatus, aclrtStream};

/// Begins to capture a stream: its operations are recorded instead of run: copies, fills, reductions, random numbers,
/// kernels, host functions, tasks (portaclLaunchTask), prefetches, values, notifies, uses of events and of pool memory,
/// and launches of other graphs, whose tasks are copied into the graph. Earlier operations of the stream still run.
/// Another stream of the device joins the capture when it waits for an event that was recorded in it; before the
/// capture ends, the first stream must wait for the last operations of all joined streams.
///
/// The mode determines the threads on which the capture forbids calls that cannot be captured: synchronous memory
/// operations (aclrtMemcpy, aclrtMemset and similar), asynchronous copies of pageable memory, and aclmdlRIExecute. Such
/// a call invalidates the capture. So does synchronizing or querying a captured stream or an event recorded in the
/// capture, or synchronizing their device. Memory that the stream allocates from pools belongs to the graph.
///
/// @param stream a stream; not a default stream, and without ACL_STREAM_PERSISTENT.
/// @param mode ACL_MODEL_RI_CAPTURE_MODE_GLOBAL 0: all threads; ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL 1: the calling
///     thread; a thread can exclude itself from both (aclmdlRICaptureThreadExchangeMode);
///     ACL_MODEL_RI_CAPTURE_MODE_RELAXED 2: none. Copies of pageable memory are then captured, and each launch reads
///     and writes the memory when it runs.
/// @retval ACL_ERROR_INVALID_PARAM 100000: an unknown mode.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT 107031: a default stream.
/// @retval ACL_ERROR_RT_STREAM_CAPTURED 107027: the stream is already being captured, or changes a task group.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, with ACL_STREAM_PERSISTENT, or called inside a
///     host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no more graphs can be created.
/// @note Thread-safe. Follows aclmdlRICaptureBegin of the Ascend runtime API; what is forbidden, and that it makes the
///     capture invalid, follows CUDA's stream capture.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureBegin(stream: aclrtStream, mode: MaybeUninit<aclmdlRICaptureMode>) -> aclError {
    guard("aclmdlRICaptureBegin", || capture::begin(handle::from_c(stream), enum_value(mode)))
}

/// Ends a capture and returns the graph. The streams of the capture run their operations again. If the call fails with
/// 107025, 507903, 507899 or 207000, or because a task group is open, the capture has ended without a graph.
///
/// @param stream the stream that the capture began with.
/// @param modelRI receives the graph; the caller destroys it with aclmdlRIDestroy, unless it is a body
///     (aclmdlRICaptureToModelRIBegin).
/// @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null.
/// @retval ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: the stream is not being captured.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED 107036: the capture began with another stream.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD 107038: another thread began it, in a mode other than
///     ACL_MODEL_RI_CAPTURE_MODE_RELAXED.
/// @retval ACL_ERROR_RT_STREAM_UNJOINED 107025: the first stream does not wait for the last operations of a joined
///     stream.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture was invalidated.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899, ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver refuses the
///     graph, or has no graphs; or a graph with conditional tasks, or a body, has task groups, tasks of
///     portaclLaunchTask, or waits for something outside of the graph.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, a task group is open, the graph that contains a
///     body was destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
///     context of another device.
/// @note Thread-safe. Follows aclmdlRICaptureEnd of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureEnd(stream: aclrtStream, modelRI: *mut aclmdlRI) -> aclError {
    guard_out("aclmdlRICaptureEnd", "modelRI", modelRI, || Ok(handle::to_c(capture::end(handle::from_c(stream))?)))
}

/// Returns whether a stream is being captured, and into which graph. Changes nothing, and costs a few instructions for
/// a stream that is not being captured.
///
/// @param stream a stream; null: the default stream of the current context, which is never captured.
/// @param status receives ACL_MODEL_RI_CAPTURE_STATUS_NONE 0, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE 1, or
///     ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED 2 for a capture that can only be ended.
/// @param modelRI receives the graph that is being captured, which cannot be launched yet; null for a stream that is
///     not being captured.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device.
/// @note Thread-safe. Follows aclmdlRICaptureGetInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureGetInfo(
    stream: aclrtStream,
    status: *mut aclmdlRICaptureStatus,
    modelRI: *mut aclmdlRI,
) -> aclError {
    guard_outs("aclmdlRICaptureGetInfo", ("status", status.cast::<i32>()), ("modelRI", modelRI), || {
        let (status, graph) = capture::info(handle::from_c(stream))?;
        Ok((status, handle::to_c(graph)))
    })
}

/// Exchanges the capture mode of this thread, initially ACL_MODEL_RI_CAPTURE_MODE_GLOBAL: it determines which captures
/// can forbid calls on this thread. A program that copies memory synchronously during a capture exchanges the mode
/// before these calls and again afterwards.
///
/// @param mode the new mode; receives the previous one. ACL_MODEL_RI_CAPTURE_MODE_GLOBAL 0: the thread's captures and
///     global captures of other threads; ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL 1: the thread's captures;
///     ACL_MODEL_RI_CAPTURE_MODE_RELAXED 2: no captures. Captures that were begun in relaxed mode forbid nothing.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown mode.
/// @note Affects the calling thread only. Follows aclmdlRICaptureThreadExchangeMode of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureThreadExchangeMode(mode: *mut aclmdlRICaptureMode) -> aclError {
    guard_out("aclmdlRICaptureThreadExchangeMode", "mode", mode.cast::<i32>(), || {
        // SAFETY: not null, and by the contract of the C boundary it points to a value; C may choose
        // any number, and pack it.
        mode::exchange(unsafe { mode.cast::<i32>().read_unaligned() })
    })
}
