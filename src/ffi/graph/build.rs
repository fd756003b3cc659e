//! Building graphs from streams that store what they are given.

use std::ffi::c_void;

use crate::core::graph::build;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, address, handle};
use crate::ffi::types::{aclError, aclmdlRI, aclrtStream};

/// Begins to build a graph, on the device of the current context. Streams with ACL_STREAM_PERSISTENT are bound to
/// it; what they are given then is recorded, as in a capture with ACL_MODEL_RI_CAPTURE_MODE_RELAXED: no call is
/// forbidden to anybody, and pageable memory is read and written in each run.
///
/// @param modelRI receives the graph; the caller destroys it with aclmdlRIDestroy, at any time before it runs or when
/// no run is pending.
/// @param flag 0.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null, or another flag;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_BAD_ALLOC 200000: no more graphs can be made;
/// ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows aclmdlRIBuildBegin of the
/// Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIBuildBegin(modelRI: *mut aclmdlRI, flag: u32) -> aclError {
    guard("aclmdlRIBuildBegin", || {
        let out = Out::new("modelRI", modelRI)?;
        out.write(handle::to_c(build::begin(flag)?));
        Ok(())
    })
}

/// Binds a stream to a graph that is being built: what the stream is given from now on is recorded there. Events
/// that one bound stream records others can wait for, if they are recorded first. Any thread may give it work.
///
/// @param modelRI a graph of aclmdlRIBuildBegin.
/// @param stream a stream with ACL_STREAM_PERSISTENT that is bound to no graph, of the same device; not null.
/// @param flag 0: each run starts the stream when it begins; 0x7fffffff: runs leave it out, unless another
/// stream of the graph starts it.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another flag; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// graph or stream, destroyed, a graph that was captured or is built already, a stream without ACL_STREAM_PERSISTENT or
/// bound already, or called inside a host function; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device
/// than the graph or the current context; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
/// ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building has become invalid. Thread-safe. Follows
/// aclmdlRIBindStream of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIBindStream(
    modelRI: aclmdlRI,
    stream: aclrtStream,
    flag: u32,
) -> aclError {
    guard("aclmdlRIBindStream", || {
        build::bind(handle::from_c(modelRI), handle::from_c(stream), flag)
    })
}

/// Takes a stream off a graph, so that it can be destroyed, or bound to another one. The graph keeps what was
/// recorded, and can be run as before. aclmdlRIDestroy unbinds all streams.
///
/// @param modelRI a graph of aclmdlRIBuildBegin.
/// @param stream a stream that is bound to it.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_STREAM_MODEL 107005: the stream is not bound
/// to this graph; ACL_ERROR_RT_MODEL_RUNNING 107037: a run is not over; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the
/// driver did not say whether one is; ACL_ERROR_RT_PARAM_INVALID 107000: not a graph or stream, destroyed, a graph that was captured, the stream was given work and the graph is still being built, or
/// called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current
/// context, or one of another device. Thread-safe. Follows aclmdlRIUnbindStream of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIUnbindStream(modelRI: aclmdlRI, stream: aclrtStream) -> aclError {
    guard("aclmdlRIUnbindStream", || build::unbind(handle::from_c(modelRI), handle::from_c(stream)))
}

/// Records the end of a graph: the stream ends there. A run is over when it has come to the ends of all streams that it
/// has started. What the stream is given behind the end runs only where a label leads there.
///
/// @param modelRI a graph that is being built.
/// @param stream a stream that is bound to it.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_STREAM_MODEL 107005: the stream is not bound
/// to this graph; ACL_ERROR_RT_PARAM_INVALID 107000: not a graph or stream, destroyed, a graph that was captured or is
/// built already, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT
/// 107003: no current context, or one of another device; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building
/// has become invalid. Thread-safe. Follows aclmdlRIEndTask of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIEndTask(modelRI: aclmdlRI, stream: aclrtStream) -> aclError {
    guard("aclmdlRIEndTask", || build::end_task(handle::from_c(modelRI), handle::from_c(stream)))
}

/// Ends the building of a graph, which can then be run (aclmdlRIExecuteAsync, aclmdlRIExecute). Its streams take no more
/// work until they are unbound. Where it fails the graph is still being built.
///
/// @param modelRI a graph that is being built, with an end (aclmdlRIEndTask).
/// @param reserve null.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null, or `reserve` is not;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, captured or built already, no stream that runs start has
/// the end, runs would never end because a stream waits for one that nobody starts, or called inside a host function;
/// ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building has become invalid: a stream was destroyed or aborted,
/// or was given what a graph cannot have; ACL_ERROR_DRV_INTERNAL_ERROR 507899, ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000:
/// the driver refuses the graph, or has none. Thread-safe. Follows aclmdlRIBuildEnd of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIBuildEnd(modelRI: aclmdlRI, reserve: *mut c_void) -> aclError {
    guard("aclmdlRIBuildEnd", || build::end(handle::from_c(modelRI), address::from_c(reserve)))
}
