//! Tasks of graphs: what they are, and how to change them.

use std::mem::MaybeUninit;

use crate::core::graph::inspect;
use crate::ffi::guard::{guard, guard_unsupported};
use crate::ffi::types::{
    aclError, aclmdlRI, aclmdlRITask, aclmdlRITaskParams, aclmdlRITaskType,
    aclrtLaunchKernelAttrId, aclrtLaunchKernelAttrValue,
};
use crate::ffi::value::{Out, handle};

/// Tells what kind of work a task is.
///
/// @param task a task of aclmdlRIGetTasksByStream.
/// @param type receives ACL_MODEL_RI_TASK_KERNEL 1, ACL_MODEL_RI_TASK_EVENT_RECORD 2, ACL_MODEL_RI_TASK_EVENT_WAIT 3,
/// ACL_MODEL_RI_TASK_EVENT_RESET 4, ACL_MODEL_RI_TASK_VALUE_WRITE 5, ACL_MODEL_RI_TASK_VALUE_WAIT 6, or for all else
/// ACL_MODEL_RI_TASK_DEFAULT 0: copies, fills, reductions, host functions.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// task, or its graph was destroyed. Thread-safe. Follows aclmdlRITaskGetType of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskGetType(
    task: aclmdlRITask,
    r#type: *mut aclmdlRITaskType,
) -> aclError {
    guard("aclmdlRITaskGetType", || {
        let out = Out::new("type", r#type.cast::<i32>())?;
        out.write(inspect::kind(handle::from_c(task))?);
        Ok(())
    })
}

/// Tells the place of a task in its stream: 0 for the first one.
///
/// @param task a task of aclmdlRIGetTasksByStream.
/// @param id receives the place.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// task, or its graph was destroyed. Thread-safe. Follows aclmdlRITaskGetSeqId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskGetSeqId(task: aclmdlRITask, id: *mut u32) -> aclError {
    guard("aclmdlRITaskGetSeqId", || {
        let out = Out::new("id", id)?;
        out.write(inspect::sequence(handle::from_c(task))?);
        Ok(())
    })
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
        "this version has graphs that are captured and run, and not this; capture the graph anew",
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
        "this version has graphs that are captured and run, and not this; capture the graph anew",
    )
}

/// Makes changed tasks of a graph take effect.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIUpdate(modelRI: aclmdlRI) -> aclError {
    guard_unsupported(
        "aclmdlRIUpdate",
        "this version has graphs that are captured and run, and not this; capture the graph anew",
    )
}

/// Makes a graph skip a task.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskDisable(task: aclmdlRITask) -> aclError {
    guard_unsupported(
        "aclmdlRITaskDisable",
        "this version has graphs that are captured and run, and not this; capture the graph anew",
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
        "this version has graphs that are captured and run, and not this; capture the graph anew",
    )
}
