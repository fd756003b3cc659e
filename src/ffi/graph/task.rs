//! Tasks of graphs: their parameters, and changes of them.

use std::mem::MaybeUninit;

use crate::backend::Arguments;
use crate::base::{address, enum_from, enum_value, guard, guard_out, handle, read};
use crate::core::base::error::Result;
use crate::core::graph::inspect;
use crate::core::graph::inspect::params::{self, KernelParams, Params, TaskUpdate};
use crate::core::kernel::kernel_launch::GraphLaunch;
use crate::kernel::kernel_launch::read_config;
use crate::types::{
    aclError, aclmdlRI, aclmdlRIEventRecordTaskParams, aclmdlRIKernelTaskParams, aclmdlRITask, aclmdlRITaskParams,
    aclmdlRITaskParamsDetail, aclmdlRITaskType, aclmdlRIValueWaitTaskParams, aclmdlRIValueWriteTaskParams,
    aclrtLaunchKernelAttr, aclrtLaunchKernelAttrId, aclrtLaunchKernelAttrValue, aclrtLaunchKernelCfg,
};

/// Returns the kind of a task.
///
/// @param task a task of aclmdlRIGetTasksByStream.
/// @param type receives ACL_MODEL_RI_TASK_KERNEL 1, ACL_MODEL_RI_TASK_EVENT_RECORD 2, ACL_MODEL_RI_TASK_EVENT_WAIT 3,
///     ACL_MODEL_RI_TASK_EVENT_RESET 4, ACL_MODEL_RI_TASK_VALUE_WRITE 5, ACL_MODEL_RI_TASK_VALUE_WAIT 6, or for all
///     others, such as copies and host functions, ACL_MODEL_RI_TASK_DEFAULT 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task, or its graph was destroyed.
/// @note Thread-safe. Follows aclmdlRITaskGetType of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskGetType(task: aclmdlRITask, r#type: *mut aclmdlRITaskType) -> aclError {
    guard_out("aclmdlRITaskGetType", "type", r#type.cast::<i32>(), || inspect::kind(handle::from_c(task)))
}

/// Returns the position of a task in its stream: 0 for the first one.
///
/// @param task a task of aclmdlRIGetTasksByStream.
/// @param id receives the position.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task, or its graph was destroyed.
/// @note Thread-safe. Follows aclmdlRITaskGetSeqId of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskGetSeqId(task: aclmdlRITask, id: *mut u32) -> aclError {
    guard_out("aclmdlRITaskGetSeqId", "id", id, || inspect::sequence(handle::from_c(task)))
}

/// Returns the parameters of a task, as they were captured or set last, in effect or not.
///
/// Kernel: its handle, its attributes (`cfg` is null if it has none), a copy of its arguments in host memory
/// (`isHostArgs` 1), their size, and the number of blocks of its whole grid. The library owns what `cfg` and `args`
/// point to; it is read-only, and valid until the task is changed or its graph is updated or destroyed. Event: its
/// handle, the flags that it was created with (0 if it was destroyed), and 1 if it works outside of the graph. Value:
/// its address, the value, and the comparison. Other tasks have a type only. `taskGrp` is the group of the task, or
/// null; `opInfoPtr` is null.
///
/// @param task a task of aclmdlRIGetTasksByStream.
/// @param params receives the type, and the parameters in the member of that type; everything else is 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task, or its graph was destroyed.
/// @note Thread-safe. Follows aclmdlRITaskGetParams of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskGetParams(task: aclmdlRITask, params: *mut aclmdlRITaskParams) -> aclError {
    guard_out("aclmdlRITaskGetParams", "params", params, || Ok(to_c(params::get(handle::from_c(task))?)))
}

/// Changes the parameters of a task. The change takes effect at the next aclmdlRIUpdate. Also enables a disabled task.
///
/// Kernel: another kernel of the same device, other attributes, arguments (read during the call) and blocks; if the
/// number of blocks stays the same, a grid of several dimensions is kept, and so are the threads per block. Record of
/// an event: another event of the device, which later launches record; inside of the graph both events have a timestamp
/// or neither has one; the tasks that are ordered after the record stay the same. Reset of an event: another event. In
/// both cases the new event has ACL_EVENT_EXTERNAL exactly if the first event has it; for a record outside of the graph
/// the same holds for ACL_EVENT_IPC. Wait for an event outside of the graph: another event, for whose record or signal
/// later launches wait; a wait inside of the graph keeps its event. Value that is written or waited for: another
/// address, value and comparison. Other tasks (such as copies, fills and host functions) have no parameters; passing
/// the zeros that aclmdlRITaskGetParams returned only enables them. Tasks that were captured in a task group can only
/// be changed by an update of the group (aclmdlRICaptureTaskUpdateBegin).
///
/// @param task a task of aclmdlRIGetTasksByStream.
/// @param params the parameters that aclmdlRITaskGetParams returned, changed; `type` is the type of the task.
///     `eventFlag`, `taskGrp`, `opInfoPtr`, `opInfoSize` and reserved members are ignored.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, a null kernel, event or address, `numBlocks` is 0 or above
///     the device's limit, null arguments, an unknown attribute, comparison or `isHostArgs`.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task, its graph was destroyed, another type, not a kernel, an event
///     or memory from this library, an event that does not support waits or resets, or arguments that do not match.
/// @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: a kernel or event of another device.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: parameters for a task that has none, arguments in device memory,
///     another flag, another event for a wait inside of the graph, an event with flags other than the previous event's,
///     a task of a group, an attribute that is not supported.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address that is not a multiple of 8.
/// @note Thread-safe. Follows aclmdlRITaskSetParams of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskSetParams(task: aclmdlRITask, params: *mut aclmdlRITaskParams) -> aclError {
    guard("aclmdlRITaskSetParams", || {
        let params = read("params", params)?;
        let kind = enum_value(params.r#type);
        // SAFETY: `kind` is the kind of this structure, so it says which member of the union is
        // set.
        params::set(handle::from_c(task), kind, unsafe { from_c(kind, &params.detail) }?)
    })
}

/// Makes the changes of aclmdlRITaskSetParams and aclmdlRITaskDisable take effect in a graph: for launches that are
/// enqueued from now on; launches that were enqueued before do not change. If the driver of a GPU cannot update its
/// graph in place, the graph is instantiated again. If that fails the graph stays as it was, and the changes stay
/// pending until the next call.
///
/// @param modelRI a graph.
/// @retval ACL_SUCCESS 0: also if nothing was changed
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, or called inside a host function.
/// @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: changes of a graph with labels, switches, conditional tasks or
///     streams that start other streams, or of a body.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
/// @note Thread-safe. Follows aclmdlRIUpdate of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIUpdate(modelRI: aclmdlRI) -> aclError {
    guard("aclmdlRIUpdate", || params::update(handle::from_c(modelRI)))
}

/// Disables a task of a graph from the next aclmdlRIUpdate on; the order of the other tasks does not change.
/// aclmdlRITaskSetParams enables it again.
///
/// @param task a task of aclmdlRIGetTasksByStream, of any type.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task, or its graph was destroyed.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a task of a group.
/// @note Thread-safe. Follows aclmdlRITaskDisable of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskDisable(task: aclmdlRITask) -> aclError {
    guard("aclmdlRITaskDisable", || params::disable(handle::from_c(task)))
}

/// Returns an attribute of a kernel in a graph, as it was captured or set last.
///
/// @param task a task of aclmdlRIGetTasksByStream, of type ACL_MODEL_RI_TASK_KERNEL.
/// @param attrId an enumerator of aclrtLaunchKernelAttrId.
/// @param attrValue receives the value in the member of that attribute; 0 if the launch does not have it.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, or an unknown attribute.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task, its graph was destroyed, or a task of another type.
/// @note Thread-safe. Follows aclmdlRIKernelTaskGetAttribute of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIKernelTaskGetAttribute(
    task: aclmdlRITask,
    attrId: MaybeUninit<aclrtLaunchKernelAttrId>,
    attrValue: *mut aclrtLaunchKernelAttrValue,
) -> aclError {
    guard_out("aclmdlRIKernelTaskGetAttribute", "attrValue", attrValue, || {
        Ok(attribute_value(params::attribute(handle::from_c(task), enum_value(attrId))?))
    })
}

/// Attributes that C can read, kept as long as the launch that has them.
struct Shown {
    attributes: Box<[aclrtLaunchKernelAttr]>,
    cfg: aclrtLaunchKernelCfg,
}

// SAFETY: made once, and only read from then on; its pointer is to its own attributes.
unsafe impl Send for Shown {}
// SAFETY: threads only read a `Shown`, and its pointer leads to attributes that it owns.
unsafe impl Sync for Shown {}

fn attribute_value(number: u32) -> aclrtLaunchKernelAttrValue {
    // The narrower members are its first bytes, on the machines that this is for.
    aclrtLaunchKernelAttrValue { rsv: [number, 0, 0, 0] }
}

/// The attributes of a launch; null if it has none.
fn attributes_of(call: &GraphLaunch) -> *mut aclrtLaunchKernelCfg {
    let shown = call.shown.get_or_init(|| {
        let attribute = |id| aclrtLaunchKernelAttr {
            id: enum_from(id),
            // These are the attributes of the launch: there are no others.
            value: attribute_value(call.config.value(id).unwrap_or(0)),
        };
        let mut attributes: Box<[_]> = call.config.ids().map(attribute).collect();
        let (attrs, numAttrs) = (attributes.as_mut_ptr(), attributes.len());
        Box::new(Shown { attributes, cfg: aclrtLaunchKernelCfg { attrs, numAttrs } })
    });
    match shown.downcast_ref::<Shown>() {
        Some(shown) if !shown.attributes.is_empty() => (&raw const shown.cfg).cast_mut(),
        _ => std::ptr::null_mut(),
    }
}

fn to_c((kind, group, params): (i32, u64, Params)) -> aclmdlRITaskParams {
    let mut detail = aclmdlRITaskParamsDetail { rsv2: [0; 128] };
    match &params {
        Params::Other => {}
        Params::Kernel(call) => {
            let arguments = &call.arguments;
            let none = arguments.is_empty();
            detail.kernelTaskParams = aclmdlRIKernelTaskParams {
                funcHandle: handle::to_c(call.function),
                cfg: attributes_of(call),
                args: if none { std::ptr::null_mut() } else { arguments.as_ptr().cast_mut().cast() },
                isHostArgs: 1,
                argsSize: arguments.len(),
                numBlocks: call.blocks(),
                rsv: [0; 10],
            };
        }
        // All three have the same members.
        Params::Event { event, made_with, external } => {
            detail.eventRecordTaskParams = aclmdlRIEventRecordTaskParams {
                event: handle::to_c(*event),
                eventFlag: *made_with,
                recordFlag: *external,
            };
        }
        Params::Write(write) => {
            detail.valueWriteTaskParams =
                aclmdlRIValueWriteTaskParams { devAddr: address::to_c(write.dst.addr), value: write.value };
        }
        Params::Wait(wait) => {
            detail.valueWaitTaskParams = aclmdlRIValueWaitTaskParams {
                devAddr: address::to_c(wait.src.addr),
                value: wait.value,
                flag: wait.comparison as u32,
            };
        }
    }
    aclmdlRITaskParams {
        r#type: enum_from(kind),
        rsv0: [0; 3],
        taskGrp: handle::to_c(group),
        opInfoPtr: std::ptr::null_mut(),
        opInfoSize: 0,
        rsv1: [0; 32],
        detail,
    }
}

/// The parameters of a task of this kind.
///
/// # Safety
///
/// The member of that kind was filled; its pointers are null or valid.
unsafe fn from_c(kind: i32, detail: &aclmdlRITaskParamsDetail) -> Result<TaskUpdate> {
    // SAFETY: the caller vouches that `kind` names the member of the union that is set. The three for events have one
    // layout, so that one is read for all.
    unsafe {
        match kind {
            1 => {
                let kernel = detail.kernelTaskParams;
                Ok(TaskUpdate::Kernel(KernelParams {
                    function: handle::from_c(kernel.funcHandle),
                    config: read_config(kernel.cfg)?,
                    arguments: Arguments::Block { addr: address::from_c(kernel.args), len: kernel.argsSize },
                    is_host: kernel.isHostArgs,
                    blocks: kernel.numBlocks,
                }))
            }
            // All three have the same members.
            2..=4 => {
                let aclmdlRIEventRecordTaskParams { event, recordFlag: flag, .. } = detail.eventRecordTaskParams;
                let argument = match kind {
                    2 => "eventRecordTaskParams.recordFlag",
                    3 => "eventWaitTaskParams.waitFlag",
                    _ => "eventResetTaskParams.resetFlag",
                };
                Ok(TaskUpdate::Event { event: handle::from_c(event), argument, flag })
            }
            5 => {
                let aclmdlRIValueWriteTaskParams { devAddr, value } = detail.valueWriteTaskParams;
                Ok(TaskUpdate::Value { addr: address::from_c(devAddr), value, flag: 0 })
            }
            6 => {
                let aclmdlRIValueWaitTaskParams { devAddr, value, flag } = detail.valueWaitTaskParams;
                Ok(TaskUpdate::Value { addr: address::from_c(devAddr), value, flag })
            }
            _ => Ok(TaskUpdate::Other { is_said: detail.rsv2.iter().any(|&byte| byte != 0) }),
        }
    }
}
