//! Graphs: work that is recorded once and run many times.

use crate::core::graph;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::handle;
use crate::ffi::types::{aclError, aclmdlRI, aclrtStream};

/// Runs a graph on the default stream of the current context, and waits until it is over.
/// Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
///
/// @param modelRI a graph.
/// @param timeout milliseconds above 0, or -1: as long as it takes. The run goes on when the time is over.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null; ACL_ERROR_RT_PARAM_INVALID 107000: another
/// timeout, not a graph, destroyed, a body, memory that it uses was freed, or called inside a host function;
/// ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046: not over in time; ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC 107041: a capture
/// forbids this thread to wait; as aclmdlRIExecuteAsync, and as aclrtSynchronizeStream for what fails
/// in the stream. Thread-safe. Follows aclmdlRIExecute of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIExecute(modelRI: aclmdlRI, timeout: i32) -> aclError {
    guard("aclmdlRIExecute", || graph::execute(handle::from_c(modelRI), timeout))
}

/// Runs a graph, as one operation of a stream: after what the stream was given before, and before what it
/// is given afterwards. It may be run any number of times, in any streams of its device; its runs come one
/// after the other. Host memory is read and written in each run. In a captured stream its tasks become part
/// of the new graph, as they are now.
///
/// The first run of a graph with conditional tasks makes its bodies ready, which takes longer.
///
/// What a graph uses has to be kept while it may run: memory, events and kernels. Memory that was freed
/// before this call is found out; what is freed afterwards stays for the run, as for other operations.
///
/// @param modelRI a graph.
/// @param stream a stream of its device; null: the default stream of the current context.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// graph or stream, destroyed, the body of a conditional task, such a body of it is empty, memory that the graph uses was
/// freed, or called inside a host function; ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured;
/// ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING 107045: so it is, and the stream is captured as well, or a body of it is being
/// captured; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture of the
/// stream is invalid; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the graph or the
/// current context; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_DRV_INTERNAL_ERROR 507899: the
/// driver refuses. Thread-safe. Follows aclmdlRIExecuteAsync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIExecuteAsync(modelRI: aclmdlRI, stream: aclrtStream) -> aclError {
    guard("aclmdlRIExecuteAsync", || {
        graph::execute_async(handle::from_c(modelRI), handle::from_c(stream))
    })
}

/// Leaves out what the runs of a graph that are queued have not begun; does not wait. On CPU devices who
/// synchronizes a stream of such a run is told ACL_ERROR_RT_STREAM_ABORT 107023. A GPU's driver drops nothing: there
/// the runs come to their end, those with labels, switches and conditional tasks at the next place where the host
/// decides. A wait of a run for an event, a value or a notify outside of the graph lasts; aclrtStreamAbort of its stream
/// ends it on CPUs, and one for a notify on GPUs. The graph can be run again.
///
/// @param modelRI a graph.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a graph,
/// destroyed, the body of a conditional task, or called inside a host function; ACL_ERROR_RT_MODEL_CAPTURED 107026: it is
/// still being captured. Thread-safe. Follows aclmdlRIAbort of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIAbort(modelRI: aclmdlRI) -> aclError {
    guard("aclmdlRIAbort", || graph::abort(handle::from_c(modelRI)))
}

/// Destroys a graph that is not running, with the bodies and values of its conditional tasks. It goes with its device at
/// the latest.
///
/// @param modelRI a graph.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a graph,
/// destroyed before, the body of a conditional task, or called inside a host function; ACL_ERROR_RT_MODEL_RUNNING
/// 107037: a run of it is not over, and it stays; ACL_ERROR_RT_MODEL_CAPTURED 107026: it is still being captured;
/// ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver did not say whether a run is over, and it stays; or it is
/// destroyed, but the driver did not take back memory that it had. Thread-safe. Follows aclmdlRIDestroy of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDestroy(modelRI: aclmdlRI) -> aclError {
    guard("aclmdlRIDestroy", || graph::destroy(handle::from_c(modelRI)))
}
