//! Graphs: work that is captured once and launched many times.

use crate::base::{guard, handle};
use crate::core::graph;
use crate::types::{aclError, aclmdlRI, aclrtStream};

/// Launches a graph on the default stream of the current context, and waits for its completion. Returns 107000 inside a
/// callback of the program if it could wait forever: docs/callbacks.md.
///
/// @param modelRI a graph.
/// @param timeout milliseconds, greater than 0, or -1 for no timeout. The launch continues after a timeout, unless the
///     error text says that the stream had no room for it: docs/cpu_and_cuda.md.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: an invalid timeout, not a graph, destroyed, a body, memory that it uses
///     was freed, or called inside a host function.
/// @retval ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046: not complete within the timeout.
/// @retval ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC 107041: a capture forbids waits on this thread; also the codes of
///     aclmdlRIExecuteAsync, and those of aclrtSynchronizeStream for failures in the stream.
/// @note Thread-safe. Follows aclmdlRIExecute of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIExecute(modelRI: aclmdlRI, timeout: i32) -> aclError {
    guard("aclmdlRIExecute", || graph::execute(handle::from_c(modelRI), timeout))
}

/// Launches a graph as one operation of a stream, in stream order. A graph may be launched any number of times, in any
/// streams of its device; its launches run one after the other. Each launch reads and writes host memory when it runs.
/// In a captured stream, the current tasks of the graph become tasks of the captured graph, if they can (else 207000).
///
/// The first launch of a graph with conditional tasks prepares its bodies, which takes longer.
///
/// The program must keep what a graph uses while launches are pending: memory, events and kernels. Memory that was
/// freed before this call is detected; memory that is freed afterwards stays valid for the launch, as for other
/// operations.
///
/// @param modelRI a graph.
/// @param stream a stream of its device; null: the default stream of the current context.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph or stream, destroyed, the body of a conditional task, one of
///     its bodies is not captured, a loop has a body without tasks, memory that the graph uses was freed, or called
///     inside a host function.
/// @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
/// @retval ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING 107045: the graph is still being captured or built and the stream is
///     being captured, or one of its bodies is being captured.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture of the stream was invalidated.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the graph or the current context.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008, ACL_ERROR_BAD_ALLOC 200000: no thread can be started that runs or
///     watches tasks of the graph; 200000 also: the host has no memory.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the graph has task groups, tasks of portaclLaunchTask or waits for
///     notifies, and streams of this driver cannot wait for a word in memory; or the stream is captured, and the graph
///     has pool memory, labels, switches, conditional tasks or streams that start others.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Follows aclmdlRIExecuteAsync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIExecuteAsync(modelRI: aclmdlRI, stream: aclrtStream) -> aclError {
    guard("aclmdlRIExecuteAsync", || graph::execute_async(handle::from_c(modelRI), handle::from_c(stream)))
}

/// Skips the tasks of pending launches of a graph that have not started; does not wait. On CPU devices, synchronizing a
/// stream of such a launch returns ACL_ERROR_RT_STREAM_ABORT 107023, unless only task groups were skipped. A GPU's
/// driver drops nothing: there the launches run to their end, without task groups that they have not reached. Launches
/// of graphs with labels, switches and conditional tasks end at the next branch that the host evaluates, on both
/// (107023). Other launches still do, on both, what concerns values, notifies and events with ACL_EVENT_EXTERNAL or
/// ACL_EVENT_IPC, waits for other events outside of the graph, tasks of portaclLaunchTask, and copies whose addresses
/// are read from memory. aclrtStreamAbort of the stream ends these waits on CPUs; on GPUs those for notifies, for such
/// events, and for values in managed memory. The graph can be launched again.
///
/// @param modelRI a graph.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, the body of a conditional task, or called inside
///     a host function.
/// @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
/// @note Thread-safe. Follows aclmdlRIAbort of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIAbort(modelRI: aclmdlRI) -> aclError {
    guard("aclmdlRIAbort", || graph::abort(handle::from_c(modelRI)))
}

/// Destroys a graph that is not running, with the bodies and values of its conditional tasks. A graph is also destroyed
/// with its device. If the graph was already released with its device, the first call succeeds and does nothing:
/// docs/failures.md.
///
/// @param modelRI a graph.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, already destroyed, the body of a conditional task, or called
///     inside a host function.
/// @retval ACL_ERROR_RT_MODEL_RUNNING 107037: a launch of it is not complete; the graph stays.
/// @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver failed to report whether a launch is complete, and the
///     graph stays; or the graph is destroyed, but the driver failed to free memory of it.
/// @note Thread-safe. Follows aclmdlRIDestroy of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDestroy(modelRI: aclmdlRI) -> aclError {
    guard("aclmdlRIDestroy", || graph::destroy(handle::from_c(modelRI)))
}
