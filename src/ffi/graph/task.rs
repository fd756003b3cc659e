//! Tasks of graphs: what they are, and how to change them.

use std::mem::MaybeUninit;

use crate::backend::Arguments;
use crate::core::base::error::Result;
use crate::core::graph::inspect;
use crate::core::graph::params::{self, Change, KernelParams, Params, Told};
use crate::core::kernel::kernel_launch::Call;
use crate::core::stream::stream_value;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, address, enum_from, enum_value, handle, must_not_be_null};
use crate::ffi::kernel::kernel_launch::read_config;
use crate::ffi::types::{
    aclError, aclmdlRI, aclmdlRIEventRecordTaskParams, aclmdlRIEventResetTaskParams,
    aclmdlRIEventWaitTaskParams, aclmdlRIKernelTaskParams, aclmdlRITask, aclmdlRITaskParams,
    aclmdlRITaskParamsDetail, aclmdlRITaskType, aclmdlRIValueWaitTaskParams,
    aclmdlRIValueWriteTaskParams, aclrtLaunchKernelAttr, aclrtLaunchKernelAttrId,
    aclrtLaunchKernelAttrValue, aclrtLaunchKernelCfg,
};

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

/// Tells the parameters of a task, as they were recorded or set last, in force or not.
///
/// A kernel: its handle, its attributes (`cfg` is null if it has none), a copy of its arguments, which is in host
/// memory (`isHostArgs` 1), their size, and the number of blocks of its whole grid. What `cfg` and `args` point to is
/// the library's, to be read only, until the task is changed, its graph updated, or destroyed. An event: its handle,
/// the flags that it was made with (0 if it was destroyed), and 1 if it works outside of the graph. A value: its
/// address, it, and how it is compared. Other tasks have a type only. `taskGrp` is the group that the task belongs to,
/// or null; `opInfoPtr` is null.
///
/// @param task a task of aclmdlRIGetTasksByStream.
/// @param params receives the type, and the parameters in the member of that type; all else is 0.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// task, or its graph was destroyed. Thread-safe. Follows aclmdlRITaskGetParams of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskGetParams(
    task: aclmdlRITask,
    params: *mut aclmdlRITaskParams,
) -> aclError {
    guard("aclmdlRITaskGetParams", || {
        let out = Out::new("params", params)?;
        out.write(to_c(&params::get(handle::from_c(task))?));
        Ok(())
    })
}

/// Changes the parameters of a task from the next aclmdlRIUpdate on. A task that was disabled is then done again.
///
/// A kernel: another one of the same device, other attributes, arguments (which are read by this call) and blocks; with
/// the number of blocks that it has, a grid of several dimensions stays as it is, and so do the threads of a block.
/// The record of an event: another event of the device, which later runs then record, with a time if the first one has
/// one; the tasks that the record comes before stay the same. The reset of an event: another one. Both have
/// ACL_EVENT_EXTERNAL if the first event has it, or ACL_EVENT_IPC. A wait for an event outside of the graph: another one, for whose record
/// or signal later runs then wait; a wait inside of the graph keeps its event. A value that is written or waited for:
/// another address, value and comparison. Other tasks (copies, fills, reductions, random numbers, host functions) have no parameters;
/// with the 0 that aclmdlRITaskGetParams told they are as before, and no longer disabled. Those that are captured into
/// a task group are changed with it (aclmdlRICaptureTaskUpdateBegin); a task of a group is changed in no other way.
///
/// @param task a task of aclmdlRIGetTasksByStream.
/// @param params what aclmdlRITaskGetParams told, changed; `type` is that of the task. `eventFlag`, `taskGrp`,
/// `opInfoPtr`, `opInfoSize` and what is reserved are not looked at.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument, a null kernel, event or address, `numBlocks`
/// 0 or more than the device can have, null arguments, an unknown attribute or comparison; ACL_ERROR_RT_PARAM_INVALID 107000: not a task, its graph was
/// destroyed, another type, not a kernel, an event or memory of this library, an event that cannot be waited for or
/// reset, or arguments that do not fit; ACL_ERROR_RT_STREAM_CONTEXT 107003: a
/// kernel or event of another device; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: parameters for a task that has none, arguments in device
/// memory, another flag, another event for a wait inside of the graph, an event with other flags than the one before,
/// a task of a group, an attribute that kernels here do not have;
/// ACL_ERROR_DRV_INTERNAL_ERROR 507899: the driver refuses;
/// ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address that is no multiple of 8. Thread-safe. Follows aclmdlRITaskSetParams of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskSetParams(
    task: aclmdlRITask,
    params: *mut aclmdlRITaskParams,
) -> aclError {
    guard("aclmdlRITaskSetParams", || {
        must_not_be_null("params", params)?;
        // SAFETY: not null, and by the contract of the C boundary it points to parameters, whatever
        // bits they have; C may pack them.
        let params = unsafe { params.read_unaligned() };
        let kind = enum_value(params.r#type);
        // SAFETY: `kind` is the kind of this structure, so it says which member of the union is
        // set.
        params::set(handle::from_c(task), kind, unsafe { from_c(kind, &params.detail) }?)
    })
}

/// Puts into force what aclmdlRITaskSetParams and aclmdlRITaskDisable have changed in a graph: runs that are given to
/// streams from now on do it; those that were given before do what they would have done. Where the driver of a GPU
/// cannot change what it has made ready, the graph is made ready anew. If that fails the graph is as it was, and the
/// changes wait for the next call.
///
/// @param modelRI a graph.
/// @return ACL_SUCCESS, also where nothing was changed; ACL_ERROR_INVALID_PARAM 100000: null;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, or called inside a host function;
/// ACL_ERROR_RT_MODEL_CAPTURED 107026: it is still being recorded; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: changes of a
/// graph with labels, switches, conditional tasks or streams that start others, or of a body; ACL_ERROR_DRV_INTERNAL_ERROR
/// 507899: the driver refuses. Thread-safe. Follows aclmdlRIUpdate of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIUpdate(modelRI: aclmdlRI) -> aclError {
    guard("aclmdlRIUpdate", || params::update(handle::from_c(modelRI)))
}

/// Leaves a task out of its graph from the next aclmdlRIUpdate on; its place in the order of the others stays.
/// aclmdlRITaskSetParams takes it back.
///
/// @param task a task of aclmdlRIGetTasksByStream, of any type.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a task, or its graph
/// was destroyed. Thread-safe. Follows aclmdlRITaskDisable of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRITaskDisable(task: aclmdlRITask) -> aclError {
    guard("aclmdlRITaskDisable", || params::disable(handle::from_c(task)))
}

/// Tells an attribute of a kernel in a graph, as it was recorded or set last.
///
/// @param task a task of aclmdlRIGetTasksByStream, of type ACL_MODEL_RI_TASK_KERNEL.
/// @param attrId an enumerator of aclrtLaunchKernelAttrId.
/// @param attrValue receives the value in the member of that attribute; 0 for one that the launch did not have.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument, or no such attribute;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a task, its graph was destroyed, or a task of another type. Thread-safe.
/// Follows aclmdlRIKernelTaskGetAttribute of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIKernelTaskGetAttribute(
    task: aclmdlRITask,
    attrId: MaybeUninit<aclrtLaunchKernelAttrId>,
    attrValue: *mut aclrtLaunchKernelAttrValue,
) -> aclError {
    guard("aclmdlRIKernelTaskGetAttribute", || {
        let out = Out::new("attrValue", attrValue)?;
        out.write(attribute_value(params::attribute(handle::from_c(task), enum_value(attrId))?));
        Ok(())
    })
}

/// Attributes that C is shown, as long as the launch that has them.
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
fn attributes_of(call: &Call) -> *mut aclrtLaunchKernelCfg {
    let shown = call.shown.get_or_init(|| {
        let attribute = |id| aclrtLaunchKernelAttr {
            id: enum_from(id),
            // They are those that the launch was given: there are no others.
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

fn to_c(found: &Told) -> aclmdlRITaskParams {
    let mut detail = aclmdlRITaskParamsDetail { rsv2: [0; 128] };
    match &found.params {
        Params::Other => {}
        Params::Kernel(call) => {
            let arguments = &call.arguments;
            let none = arguments.is_empty();
            detail.kernelTaskParams = aclmdlRIKernelTaskParams {
                funcHandle: handle::to_c(call.function),
                cfg: attributes_of(call),
                args: if none {
                    std::ptr::null_mut()
                } else {
                    arguments.as_ptr().cast_mut().cast()
                },
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
            detail.valueWriteTaskParams = aclmdlRIValueWriteTaskParams {
                devAddr: address::to_c(write.dst.addr),
                value: write.value,
            };
        }
        Params::Wait(wait) => {
            detail.valueWaitTaskParams = aclmdlRIValueWaitTaskParams {
                devAddr: address::to_c(wait.src.addr),
                value: wait.value,
                flag: stream_value::number(wait.comparison),
            };
        }
    }
    aclmdlRITaskParams {
        r#type: enum_from(found.kind),
        rsv0: [0; 3],
        taskGrp: handle::to_c(found.group),
        opInfoPtr: std::ptr::null_mut(),
        opInfoSize: 0,
        rsv1: [0; 32],
        detail,
    }
}

/// What a task of this kind is to do.
///
/// # Safety
/// The member of that kind was filled; its pointers are null or point to what it says.
unsafe fn from_c(kind: i32, detail: &aclmdlRITaskParamsDetail) -> Result<Change> {
    let event =
        |event, argument, flag| Ok(Change::Event { event: handle::from_c(event), argument, flag });
    // SAFETY: the caller vouches that `kind` names the member of the union that is set.
    unsafe {
        match kind {
            1 => {
                let kernel = detail.kernelTaskParams;
                Ok(Change::Kernel(KernelParams {
                    function: handle::from_c(kernel.funcHandle),
                    config: read_config(kernel.cfg)?,
                    arguments: Arguments::Block {
                        addr: address::from_c(kernel.args),
                        len: kernel.argsSize,
                    },
                    is_host: kernel.isHostArgs,
                    blocks: kernel.numBlocks,
                }))
            }
            2 => {
                let aclmdlRIEventRecordTaskParams { event: it, recordFlag, .. } =
                    detail.eventRecordTaskParams;
                event(it, "eventRecordTaskParams.recordFlag", recordFlag)
            }
            3 => {
                let aclmdlRIEventWaitTaskParams { event: it, waitFlag, .. } =
                    detail.eventWaitTaskParams;
                event(it, "eventWaitTaskParams.waitFlag", waitFlag)
            }
            4 => {
                let aclmdlRIEventResetTaskParams { event: it, resetFlag, .. } =
                    detail.eventResetTaskParams;
                event(it, "eventResetTaskParams.resetFlag", resetFlag)
            }
            5 => {
                let aclmdlRIValueWriteTaskParams { devAddr, value } = detail.valueWriteTaskParams;
                Ok(Change::Write { addr: address::from_c(devAddr), value })
            }
            6 => {
                let aclmdlRIValueWaitTaskParams { devAddr, value, flag } =
                    detail.valueWaitTaskParams;
                Ok(Change::Wait { addr: address::from_c(devAddr), value, flag })
            }
            _ => Ok(Change::Other { is_said: detail.rsv2.iter().any(|&byte| byte != 0) }),
        }
    }
}
