//! Graphs with tasks that a value in device memory lets run, or not.

use std::mem::MaybeUninit;

use crate::core::graph::condition;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, address, enum_value, handle};
use crate::ffi::types::{
    aclError, aclmdlRI, aclmdlRICaptureMode, aclmdlRICondHandle, aclmdlRICondHandleFlag,
    aclmdlRICondTaskParams, aclrtStream,
};

/// Begins to record what a stream is given into a body of a conditional task (aclmdlRIAddCondTask), as
/// aclmdlRICaptureBegin does it into a new graph. aclmdlRICaptureEnd ends it, and gives the body again. A body is
/// captured once, while the graph around it is captured or afterwards, but before that runs; where the capture fails the
/// body is empty as before. What a body cannot have is refused with 207000, some of it only by aclmdlRICaptureEnd: memory of
/// pools, task groups, and waits for values, notifies and events outside of it.
///
/// @param stream a stream of the graph's device that is not captured; not a default stream.
/// @param modelRI a body that nothing was captured into.
/// @param mode as in aclmdlRICaptureBegin.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null, or another mode;
/// ACL_ERROR_RT_PARAM_INVALID 107000: `modelRI` is not a graph, destroyed, no body, or was captured before; not a stream,
/// destroyed, or called inside a host function; ACL_ERROR_RT_MODEL_CAPTURED 107026: another stream records into it;
/// ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT 107031: a default stream; ACL_ERROR_RT_STREAM_CAPTURED 107027: the stream is
/// captured already; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream
/// is on another device than the graph or the current context. Thread-safe. Follows cudaStreamBeginCaptureToGraph of CUDA,
/// for bodies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureToModelRIBegin(
    stream: aclrtStream,
    modelRI: aclmdlRI,
    mode: MaybeUninit<aclmdlRICaptureMode>,
) -> aclError {
    guard("aclmdlRICaptureToModelRIBegin", || {
        let (stream, graph) = (handle::from_c(stream), handle::from_c(modelRI));
        condition::begin_capture(stream, graph, enum_value(mode))
    })
}

/// Makes a value of 64 bits in device memory for one conditional task to look at. Tasks of the graph write it: kernels,
/// copies and aclrtValueWrite, at the address that aclmdlRICondHandleGetCondPtr tells. It is 0 at first. The handle and
/// the memory go with the graph; nobody destroys them.
///
/// @param modelRI a graph that is being captured (aclmdlRICaptureGetInfo tells it), or a body that was not captured yet.
/// The task has to be in this graph, or in a body inside it.
/// @param defaultLaunchValue what the value is when a run begins; of a body: when the body begins, each time.
/// @param flag ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT 1; 0: the value stays what it was, and `defaultLaunchValue` is not
/// used.
/// @param handle receives the handle.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another flag; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// graph, destroyed, captured already, or called inside a host function; ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no
/// device memory; ACL_ERROR_BAD_ALLOC 200000: no more handles can be made; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a graph of
/// aclmdlRIBuildBegin; ACL_ERROR_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows
/// cudaGraphConditionalHandleCreate of CUDA; what a value is without a default, and the defaults of bodies, are our own rules.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICondHandleCreate(
    modelRI: aclmdlRI,
    defaultLaunchValue: u32,
    flag: MaybeUninit<aclmdlRICondHandleFlag>,
    handle: *mut aclmdlRICondHandle,
) -> aclError {
    guard("aclmdlRICondHandleCreate", || {
        let out = Out::new("handle", handle)?;
        let graph = handle::from_c(modelRI);
        let made = condition::create(graph, defaultLaunchValue, enum_value(flag))?;
        out.write(handle::to_c(made));
        Ok(())
    })
}

/// Tells the device address of a condition's value: 8 bytes, aligned, for all that reads and writes device memory. They are
/// not freed; they go with the graph.
///
/// @param handle a handle of aclmdlRICondHandleCreate.
/// @param ptr receives the address.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not such a handle, or its
/// graph was destroyed. Thread-safe. Follows aclmdlRICondHandleGetCondPtr of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICondHandleGetCondPtr(
    handle: aclmdlRICondHandle,
    ptr: *mut *mut u64,
) -> aclError {
    guard("aclmdlRICondHandleGetCondPtr", || {
        let out = Out::new("ptr", ptr)?;
        let addr = condition::address(handle::from_c(handle))?;
        out.write(address::to_c(addr).cast());
        Ok(())
    })
}

/// Records a conditional task, after what the stream was given before: when a run comes there it looks at a value, and runs
/// one of the task's bodies, or none; what the stream is given behind the task comes after that. The bodies are new, empty
/// graphs: aclmdlRICaptureToModelRIBegin fills each of them before the graph runs for the first time. They belong to the
/// graph, run only as a part of it, and are not destroyed. Bodies may have conditional tasks themselves, up to 16 deep.
///
/// ACL_MODEL_RI_COND_TYPE_IF 0: one body, which runs if the value is not 0, or two, of which the second one runs if it is.
/// ACL_MODEL_RI_COND_TYPE_WHILE 1: one body, which runs again and again until the value is 0; not at all if it is from the
/// beginning. ACL_MODEL_RI_COND_TYPE_SWITCH 2: up to 1,024 bodies; the one with the number that the value is, counted from 0;
/// for a larger value none.
///
/// The host decides, so a driver whose streams cannot wait for it has no such tasks.
///
/// @param params `handle`: a condition handle that no other task uses, of the graph that is captured or of one that it is
/// in; `type`; `size`: the number of bodies; `modelRIArray`: room for so many graphs, which receives them.
/// @param stream a stream that is captured.
/// @param flags 0.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null member, an unknown type, a number of bodies that the type does
/// not have, or other flags; ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: the stream is not captured;
/// ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: its capture is invalid; ACL_ERROR_RT_PARAM_INVALID 107000: not a condition
/// handle, its graph was destroyed, it is used already or of another graph; not a stream, destroyed, or called inside a host
/// function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: nested too deep, a stream that is bound to a graph, or the driver cannot;
/// ACL_ERROR_BAD_ALLOC 200000: no more graphs can be made; ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT
/// 107003: no current context, or one of another device. Thread-safe. Follows CUDA's conditional nodes
/// (cudaGraphConditionalNodeType).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIAddCondTask(
    params: aclmdlRICondTaskParams,
    stream: aclrtStream,
    flags: u32,
) -> aclError {
    guard("aclmdlRIAddCondTask", || {
        let out = Out::new("params.modelRIArray", params.modelRIArray)?;
        let (condition, stream) = (handle::from_c(params.handle), handle::from_c(stream));
        let kind = enum_value(params.r#type);
        let bodies = condition::add_task(condition, kind, params.size, stream, flags)?;
        let bodies: Vec<_> = bodies.into_iter().map(handle::to_c).collect();
        // SAFETY: by the contract of the C boundary there is room for `size` graphs, and so many there are.
        unsafe { out.write_all(&bodies) };
        Ok(())
    })
}
