//! Graphs: work that is recorded once and run many times.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{
    aclError, aclmdlRI, aclmdlRICaptureMode, aclmdlRICaptureStatus, aclmdlRICondHandle,
    aclmdlRICondHandleFlag, aclmdlRICondTaskParams, aclmdlRITask, aclmdlRITaskParams,
    aclmdlRITaskType, aclrtCallback, aclrtLaunchKernelAttrId, aclrtLaunchKernelAttrValue,
    aclrtStream, aclrtTaskGrp,
};

/// Starts to record what is submitted to a stream, instead of running it.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureBegin(
    stream: aclrtStream,
    mode: MaybeUninit<aclmdlRICaptureMode>,
) -> aclError {
    guard_unsupported(
        "aclmdlRICaptureBegin",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Ends the recording that aclmdlRICaptureBegin started; gives the graph.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureEnd(
    stream: aclrtStream,
    modelRI: *mut aclmdlRI,
) -> aclError {
    guard_unsupported(
        "aclmdlRICaptureEnd",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Tells whether a stream is recorded, and into which graph.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureGetInfo(
    stream: aclrtStream,
    status: *mut aclmdlRICaptureStatus,
    modelRI: *mut aclmdlRI,
) -> aclError {
    guard_unsupported(
        "aclmdlRICaptureGetInfo",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Exchanges this thread's rule of what is allowed while recording.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureThreadExchangeMode(
    mode: *mut aclmdlRICaptureMode,
) -> aclError {
    guard_unsupported(
        "aclmdlRICaptureThreadExchangeMode",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Starts a group of recorded tasks that can be changed later.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureTaskGrpBegin(stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclmdlRICaptureTaskGrpBegin",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Ends a group of recorded tasks; gives its handle.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureTaskGrpEnd(
    stream: aclrtStream,
    handle: *mut aclrtTaskGrp,
) -> aclError {
    guard_unsupported(
        "aclmdlRICaptureTaskGrpEnd",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Starts to change the tasks of a group.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureTaskUpdateBegin(
    stream: aclrtStream,
    handle: aclrtTaskGrp,
) -> aclError {
    guard_unsupported(
        "aclmdlRICaptureTaskUpdateBegin",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Ends the change that aclmdlRICaptureTaskUpdateBegin started.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureTaskUpdateEnd(stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclmdlRICaptureTaskUpdateEnd",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Starts to record what is submitted to a stream into a given graph.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureToModelRIBegin(
    stream: aclrtStream,
    modelRI: aclmdlRI,
    mode: MaybeUninit<aclmdlRICaptureMode>,
) -> aclError {
    guard_unsupported(
        "aclmdlRICaptureToModelRIBegin",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Starts to build a graph from streams that store their work.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIBuildBegin(modelRI: *mut aclmdlRI, flag: u32) -> aclError {
    guard_unsupported(
        "aclmdlRIBuildBegin",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Makes a stream part of a graph that is being built.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIBindStream(
    modelRI: aclmdlRI,
    stream: aclrtStream,
    flag: u32,
) -> aclError {
    guard_unsupported(
        "aclmdlRIBindStream",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Takes a stream out of a graph.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIUnbindStream(modelRI: aclmdlRI, stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclmdlRIUnbindStream",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Marks the end of a graph on one of its streams.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIEndTask(modelRI: aclmdlRI, stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclmdlRIEndTask",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Ends the building of a graph.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIBuildEnd(modelRI: aclmdlRI, reserve: *mut c_void) -> aclError {
    guard_unsupported(
        "aclmdlRIBuildEnd",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Runs a graph and waits, at most `timeout` milliseconds; -1 waits for ever.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIExecute(modelRI: aclmdlRI, timeout: i32) -> aclError {
    guard_unsupported(
        "aclmdlRIExecute",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Runs a graph, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIExecuteAsync(modelRI: aclmdlRI, stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclmdlRIExecuteAsync",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Stops a graph that runs.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIAbort(modelRI: aclmdlRI) -> aclError {
    guard_unsupported(
        "aclmdlRIAbort",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Ends a graph.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDestroy(modelRI: aclmdlRI) -> aclError {
    guard_unsupported(
        "aclmdlRIDestroy",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Has `func` called when a graph ends.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDestroyRegisterCallback(
    modelRI: aclmdlRI,
    func: aclrtCallback,
    userData: *mut c_void,
) -> aclError {
    guard_unsupported(
        "aclmdlRIDestroyRegisterCallback",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Takes back aclmdlRIDestroyRegisterCallback.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDestroyUnregisterCallback(
    modelRI: aclmdlRI,
    func: aclrtCallback,
) -> aclError {
    guard_unsupported(
        "aclmdlRIDestroyUnregisterCallback",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Makes changed tasks of a graph take effect.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIUpdate(modelRI: aclmdlRI) -> aclError {
    guard_unsupported(
        "aclmdlRIUpdate",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Gives a graph a name.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRISetName(modelRI: aclmdlRI, name: *const c_char) -> aclError {
    guard_unsupported(
        "aclmdlRISetName",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Tells the name of a graph.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIGetName(
    modelRI: aclmdlRI,
    maxLen: u32,
    name: *mut c_char,
) -> aclError {
    guard_unsupported(
        "aclmdlRIGetName",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Tells the number of a graph.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIGetId(modelRI: aclmdlRI, modelRIId: *mut u32) -> aclError {
    guard_unsupported(
        "aclmdlRIGetId",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Lists the streams of a graph; with a null list, only how many there are.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIGetStreams(
    modelRI: aclmdlRI,
    streams: *mut aclrtStream,
    numStreams: *mut u32,
) -> aclError {
    guard_unsupported(
        "aclmdlRIGetStreams",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Lists the tasks of a graph's stream; with a null list, only how many there are.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIGetTasksByStream(
    stream: aclrtStream,
    tasks: *mut aclmdlRITask,
    numTasks: *mut u32,
) -> aclError {
    guard_unsupported(
        "aclmdlRIGetTasksByStream",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Tells what kind of work a task is.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskGetType(
    task: aclmdlRITask,
    r#type: *mut aclmdlRITaskType,
) -> aclError {
    guard_unsupported(
        "aclmdlRITaskGetType",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Tells the parameters of a task.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskGetParams(
    task: aclmdlRITask,
    params: *mut aclmdlRITaskParams,
) -> aclError {
    guard_unsupported(
        "aclmdlRITaskGetParams",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Changes the parameters of a task.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskSetParams(
    task: aclmdlRITask,
    params: *mut aclmdlRITaskParams,
) -> aclError {
    guard_unsupported(
        "aclmdlRITaskSetParams",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Tells the place of a task in its stream.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskGetSeqId(task: aclmdlRITask, id: *mut u32) -> aclError {
    guard_unsupported(
        "aclmdlRITaskGetSeqId",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Makes a graph skip a task.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskDisable(task: aclmdlRITask) -> aclError {
    guard_unsupported(
        "aclmdlRITaskDisable",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Tells an attribute of a kernel task.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIKernelTaskGetAttribute(
    task: aclmdlRITask,
    attrId: MaybeUninit<aclrtLaunchKernelAttrId>,
    attrValue: *mut aclrtLaunchKernelAttrValue,
) -> aclError {
    guard_unsupported(
        "aclmdlRIKernelTaskGetAttribute",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Makes the value that a conditional task of a graph looks at.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICondHandleCreate(
    modelRI: aclmdlRI,
    defaultLaunchValue: u32,
    flag: MaybeUninit<aclmdlRICondHandleFlag>,
    handle: *mut aclmdlRICondHandle,
) -> aclError {
    guard_unsupported(
        "aclmdlRICondHandleCreate",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Tells the device address of a condition's value.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICondHandleGetCondPtr(
    handle: aclmdlRICondHandle,
    ptr: *mut *mut u64,
) -> aclError {
    guard_unsupported(
        "aclmdlRICondHandleGetCondPtr",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Adds a conditional task to a stream that is recorded.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIAddCondTask(
    params: aclmdlRICondTaskParams,
    stream: aclrtStream,
    flags: u32,
) -> aclError {
    guard_unsupported(
        "aclmdlRIAddCondTask",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Prints a graph.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDebugPrint(modelRI: aclmdlRI) -> aclError {
    guard_unsupported(
        "aclmdlRIDebugPrint",
        "graphs are not available; submit the work to a stream each time",
    )
}

/// Writes a graph to a JSON file.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDebugJsonPrint(
    modelRI: aclmdlRI,
    path: *const c_char,
    flags: u32,
) -> aclError {
    guard_unsupported(
        "aclmdlRIDebugJsonPrint",
        "graphs are not available; submit the work to a stream each time",
    )
}
