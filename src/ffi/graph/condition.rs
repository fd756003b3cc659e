//! Conditional tasks: graphs that run depending on a value in device memory.

use std::mem::MaybeUninit;

use crate::base::{Out, address, enum_value, guard, guard_out, handle};
use crate::core::graph::condition;
use crate::types::{
    aclError, aclmdlRI, aclmdlRICaptureMode, aclmdlRICondHandle, aclmdlRICondHandleFlag, aclmdlRICondTaskParams,
    aclrtStream,
};

/// Begins to capture a stream into a body of a conditional task (aclmdlRIAddCondTask), as aclmdlRICaptureBegin does
/// into a new graph. aclmdlRICaptureEnd ends it, and returns the body. A body is captured once, during the capture of
/// its graph or afterwards, but before the graph is launched; if the capture fails, the body is empty again. Operations
/// that a body does not support return 207000, some of them only in aclmdlRICaptureEnd: pool memory, task groups, tasks
/// of portaclLaunchTask, and waits for values, notifies and events outside of the body.
///
/// @param stream a stream of the graph's device that is not being captured, as for aclmdlRICaptureBegin.
/// @param modelRI a body that is empty.
/// @param mode as in aclmdlRICaptureBegin.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null, or an unknown mode.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `modelRI` is not a graph, destroyed, not a body, or already captured; not
///     a stream, destroyed, with ACL_STREAM_PERSISTENT, or called inside a host function.
/// @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: another stream is captured into it.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT 107031: a default stream.
/// @retval ACL_ERROR_RT_STREAM_CAPTURED 107027: the stream is already being captured, or changes a task group.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the graph or the current context.
/// @note Thread-safe. Follows cudaStreamBeginCaptureToGraph of CUDA, for bodies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureToModelRIBegin(
    stream: aclrtStream,
    modelRI: aclmdlRI,
    mode: MaybeUninit<aclmdlRICaptureMode>,
) -> aclError {
    guard("aclmdlRICaptureToModelRIBegin", || {
        condition::begin_capture(handle::from_c(stream), handle::from_c(modelRI), enum_value(mode))
    })
}

/// Creates the value of a conditional task: a 64-bit number in device memory, initially 0. Tasks of the graph write it
/// (such as kernels, copies and aclrtValueWrite) at the address of aclmdlRICondHandleGetCondPtr. The handle and the
/// memory are released with the graph and must not be destroyed.
///
/// @param modelRI a graph that is being captured (aclmdlRICaptureGetInfo returns it), or an empty body. The task must
///     be in this graph, or in a body inside it.
/// @param defaultLaunchValue the value at the start of each launch; for a body: at each start of the body.
/// @param flag ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT 1; 0: the value keeps its previous contents, and
///     `defaultLaunchValue` is ignored.
/// @param handle receives the handle.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, or another flag.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, its capture has ended, or called inside a host
///     function.
/// @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no device memory.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no more handles can be created.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a graph of aclmdlRIBuildBegin.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Follows cudaGraphConditionalHandleCreate of CUDA; values without a default, and the defaults of
///     bodies, are portacl's choice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICondHandleCreate(
    modelRI: aclmdlRI,
    defaultLaunchValue: u32,
    flag: MaybeUninit<aclmdlRICondHandleFlag>,
    handle: *mut aclmdlRICondHandle,
) -> aclError {
    guard_out("aclmdlRICondHandleCreate", "handle", handle, || {
        Ok(handle::to_c(condition::create(handle::from_c(modelRI), defaultLaunchValue, enum_value(flag))?))
    })
}

/// Returns the device address of a condition's value: 8 bytes, aligned, accessible to all operations on device memory.
/// Do not free them; they are released with the graph.
///
/// @param handle a handle of aclmdlRICondHandleCreate.
/// @param ptr receives the address.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a condition handle, or its graph was destroyed.
/// @note Thread-safe. Follows aclmdlRICondHandleGetCondPtr of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICondHandleGetCondPtr(handle: aclmdlRICondHandle, ptr: *mut *mut u64) -> aclError {
    guard_out("aclmdlRICondHandleGetCondPtr", "ptr", ptr, || {
        Ok(address::to_c(condition::address(handle::from_c(handle))?).cast())
    })
}

/// Captures a conditional task, after the earlier operations of the stream: when a launch reaches it, it reads a value
/// and runs one of the task's bodies, or none; later operations of the stream are ordered after that. The bodies are
/// new, empty graphs: capture each of them with aclmdlRICaptureToModelRIBegin before the first launch of the graph.
/// They belong to the graph, run only as a part of it, and must not be destroyed. Bodies may contain conditional tasks,
/// up to 16 levels deep.
///
/// ACL_MODEL_RI_COND_TYPE_IF 0: one body, which runs if the value is not 0, or two, of which the second runs if it is
/// 0. ACL_MODEL_RI_COND_TYPE_WHILE 1: one body, which runs repeatedly until the value is 0; not at all if it is 0 at
/// first. ACL_MODEL_RI_COND_TYPE_SWITCH 2: up to 1,024 bodies; the body whose number, counted from 0, equals the value
/// runs; none for a larger value.
///
/// The host evaluates the value. A driver whose streams cannot wait for the host does not support conditional tasks.
///
/// @param params `handle`: a condition handle that no other task uses, of the captured graph or of a graph that
///     contains it; `type`; `size`: the number of bodies; `modelRIArray`: an array of that length, which receives the
///     bodies.
/// @param stream a stream that is being captured.
/// @param flags 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null member, an unknown type, an invalid number of bodies for the type, or
///     unknown flags.
/// @retval ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: the stream is not being captured.
/// @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture was invalidated.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a condition handle, its graph was destroyed, it is already used or
///     belongs to another graph; not a stream, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: nested too deeply, a stream that is bound to a graph, or the driver
///     does not support it.
/// @retval ACL_ERROR_BAD_ALLOC 200000: no more graphs can be created.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
///     context of another device.
/// @note Thread-safe. Follows CUDA's conditional nodes (cudaGraphConditionalNodeType).
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
        // SAFETY: by the contract of the C boundary there is room for `size` graphs, and there are `size` graphs.
        unsafe { out.write_all(bodies.into_iter().map(handle::to_c)) };
        Ok(())
    })
}
