//! Building graphs from streams that store their operations.

use std::ffi::c_void;

use crate::base::{address, guard, guard_out, handle};
use crate::core::graph::build;
use crate::types::{aclError, aclmdlRI, aclrtStream};

/// Begins to build a graph, on the device of the current context. Streams with ACL_STREAM_PERSISTENT can be bound to
/// it; their operations are recorded, as in a capture with ACL_MODEL_RI_CAPTURE_MODE_RELAXED: no call is forbidden on
/// any thread, and each launch reads and writes pageable memory when it runs.
///
/// @param modelRI receives the graph; the caller destroys it with aclmdlRIDestroy, at any time before its first launch
///     or when no launch is pending.
/// @param flag 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null, or an unknown flag.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no more graphs can be created.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows aclmdlRIBuildBegin of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIBuildBegin(modelRI: *mut aclmdlRI, flag: u32) -> aclError {
    guard_out("aclmdlRIBuildBegin", "modelRI", modelRI, || Ok(handle::to_c(build::begin(flag)?)))
}

/// Binds a stream to a graph that is being built: later operations of the stream are recorded in the graph. Other bound
/// streams can wait for events that the stream records, if they are recorded first. Any thread may use the stream.
///
/// @param modelRI a graph of aclmdlRIBuildBegin.
/// @param stream a stream with ACL_STREAM_PERSISTENT of the same device that is not bound to a graph; not null.
/// @param flag 0: each launch starts the stream; 0x7fffffff: launches do not start it, unless another stream of the
///     graph does.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or another flag.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph or stream, destroyed, a captured graph or one whose building
///     has ended, a stream without ACL_STREAM_PERSISTENT or already bound, or called inside a host function.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the graph or the current context.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building was invalidated.
/// @note Thread-safe. Follows aclmdlRIBindStream of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIBindStream(modelRI: aclmdlRI, stream: aclrtStream, flag: u32) -> aclError {
    guard("aclmdlRIBindStream", || build::bind(handle::from_c(modelRI), handle::from_c(stream), flag))
}

/// Unbinds a stream from a graph, so that it can be destroyed or bound to another graph. The graph keeps what was
/// recorded, and can still be launched. aclmdlRIDestroy unbinds all streams.
///
/// @param modelRI a graph of aclmdlRIBuildBegin.
/// @param stream a stream that is bound to the graph.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_STREAM_MODEL 107005: the stream is not bound to this graph.
/// @retval ACL_ERROR_RT_MODEL_RUNNING 107037: a launch is not complete.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver failed to report whether a launch is complete.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph or stream, destroyed, a captured graph, the stream has
///     recorded operations and the graph is still being built, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
///     context of another device.
/// @note Thread-safe. Follows aclmdlRIUnbindStream of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIUnbindStream(modelRI: aclmdlRI, stream: aclrtStream) -> aclError {
    guard("aclmdlRIUnbindStream", || build::unbind(handle::from_c(modelRI), handle::from_c(stream)))
}

/// Records the end of a graph: the stream ends there. A launch is complete when all streams that it started have ended.
/// Operations after the end run only if a label leads there.
///
/// @param modelRI a graph that is being built.
/// @param stream a stream that is bound to the graph.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_STREAM_MODEL 107005: the stream is not bound to this graph.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph or stream, destroyed, a captured graph or one whose building
///     has ended, or called inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
///     context of another device.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building was invalidated.
/// @note Thread-safe. Follows aclmdlRIEndTask of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIEndTask(modelRI: aclmdlRI, stream: aclrtStream) -> aclError {
    guard("aclmdlRIEndTask", || build::end_task(handle::from_c(modelRI), handle::from_c(stream)))
}

/// Ends the building of a graph, which can then be launched (aclmdlRIExecuteAsync, aclmdlRIExecute). Its streams accept
/// no more operations until they are unbound. If the call fails, the graph is still being built.
///
/// @param modelRI a graph that is being built, with an end (aclmdlRIEndTask).
/// @param reserve null.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null, or `reserve` is not null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, captured, its building has already ended, no
///     stream that launches start has the end, a label of a branch is not set, launches would never end because a
///     stream waits for a stream that is never started or only jumps between labels, or called inside a host function.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building was invalidated: a stream was destroyed or
///     aborted, recorded an operation that graphs do not support, or waited for an event of work outside of the graph.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899, ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver refuses the
///     graph, or has no graphs or cannot run branches; or a graph with labels, switches or starts of streams waits for
///     something outside of it, has tasks of portaclLaunchTask, or branches to a label of another stream.
/// @note Thread-safe. Follows aclmdlRIBuildEnd of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIBuildEnd(modelRI: aclmdlRI, reserve: *mut c_void) -> aclError {
    guard("aclmdlRIBuildEnd", || build::end(handle::from_c(modelRI), address::from_c(reserve)))
}
