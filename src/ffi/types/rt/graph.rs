//! Types of `acl_rt.h` about graphs.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::super::base::{aclrtEvent, aclrtTaskGrp};
use super::kernel::{aclrtFuncHandle, aclrtLaunchKernelCfg};

/// A graph.
pub type aclmdlRI = *mut c_void;

/// The threads on which a capture forbids calls that it cannot record. In every mode no call can wait for captured work
/// or query it.
#[repr(C)]
pub enum aclmdlRICaptureMode {
    /// All threads, except those that have exchanged their mode.
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
    /// The thread that began the capture.
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
    /// None.
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2,
}

/// The state of a capture.
#[repr(C)]
pub enum aclmdlRICaptureStatus {
    /// The stream is not being captured.
    ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
    /// The stream is being captured.
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,
    /// The capture is invalid, for example after a forbidden call; it can only be ended.
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2,
}

/// Kinds of tasks of a graph.
#[repr(C)]
pub enum aclmdlRITaskType {
    /// A task without parameters.
    ACL_MODEL_RI_TASK_DEFAULT = 0,
    /// A kernel.
    ACL_MODEL_RI_TASK_KERNEL = 1,
    /// The record of an event.
    ACL_MODEL_RI_TASK_EVENT_RECORD = 2,
    /// A wait for an event.
    ACL_MODEL_RI_TASK_EVENT_WAIT = 3,
    /// The reset of an event.
    ACL_MODEL_RI_TASK_EVENT_RESET = 4,
    /// A write of a value.
    ACL_MODEL_RI_TASK_VALUE_WRITE = 5,
    /// A wait for a value.
    ACL_MODEL_RI_TASK_VALUE_WAIT = 6,
}

/// Parameters of a kernel.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRIKernelTaskParams {
    /// The kernel.
    pub funcHandle: aclrtFuncHandle,
    /// Attributes of the launch.
    pub cfg: *mut aclrtLaunchKernelCfg,
    /// Its arguments.
    pub args: *mut c_void,
    /// 1 if they are in host memory.
    pub isHostArgs: u32,
    /// Their size.
    pub argsSize: usize,
    /// Number of blocks.
    pub numBlocks: u32,
    /// Reserved.
    pub rsv: [u32; 10],
}

/// Parameters of the record of an event.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRIEventRecordTaskParams {
    /// The event.
    pub event: aclrtEvent,
    /// Flags that the event was created with.
    pub eventFlag: u32,
    /// ACL_EVENT_RECORD_* flags.
    pub recordFlag: u32,
}

/// Parameters of a wait for an event.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRIEventWaitTaskParams {
    /// The event.
    pub event: aclrtEvent,
    /// Flags that the event was created with.
    pub eventFlag: u32,
    /// ACL_EVENT_WAIT_* flags.
    pub waitFlag: u32,
}

/// Parameters of the reset of an event.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRIEventResetTaskParams {
    /// The event.
    pub event: aclrtEvent,
    /// Flags that the event was created with.
    pub eventFlag: u32,
    /// Flags of the reset.
    pub resetFlag: u32,
}

/// Parameters of a write of a value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRIValueWriteTaskParams {
    /// The address.
    pub devAddr: *mut c_void,
    /// The value.
    pub value: u64,
}

/// Parameters of a wait for a value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRIValueWaitTaskParams {
    /// The address.
    pub devAddr: *mut c_void,
    /// The value to compare with.
    pub value: u64,
    /// The comparison, one of ACL_STREAM_WAIT_VALUE_*.
    pub flag: u32,
}

/// Parameters by the kind of task.
#[repr(C)]
pub union aclmdlRITaskParamsDetail {
    /// Reserved.
    pub rsv2: [u8; 128],
    /// The parameters of a kernel.
    pub kernelTaskParams: aclmdlRIKernelTaskParams,
    /// The parameters of the record of an event.
    pub eventRecordTaskParams: aclmdlRIEventRecordTaskParams,
    /// The parameters of a wait for an event.
    pub eventWaitTaskParams: aclmdlRIEventWaitTaskParams,
    /// The parameters of the reset of an event.
    pub eventResetTaskParams: aclmdlRIEventResetTaskParams,
    /// The parameters of a write of a value.
    pub valueWriteTaskParams: aclmdlRIValueWriteTaskParams,
    /// The parameters of a wait for a value.
    pub valueWaitTaskParams: aclmdlRIValueWaitTaskParams,
}

/// Parameters of a task of a graph.
#[repr(C)]
pub struct aclmdlRITaskParams {
    /// Its kind.
    pub r#type: MaybeUninit<aclmdlRITaskType>,
    /// Reserved.
    pub rsv0: [u32; 3],
    /// The task group of the task, or null.
    pub taskGrp: aclrtTaskGrp,
    /// Information about its operator; null here.
    pub opInfoPtr: *mut c_void,
    /// Size of the information.
    pub opInfoSize: usize,
    /// Reserved.
    pub rsv1: [u8; 32],
    /// Its parameters, by its kind.
    pub detail: aclmdlRITaskParamsDetail,
}

/// The value of a conditional task.
pub type aclmdlRICondHandle = *mut c_void;

/// The initial value of a condition.
#[repr(C)]
pub enum aclmdlRICondHandleFlag {
    /// The default value is assigned at every launch.
    ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT = 1,
}

/// Kinds of conditional tasks.
#[repr(C)]
pub enum aclmdlRICondTaskType {
    /// Runs the first body if the value is not 0, else the second, if there is one.
    ACL_MODEL_RI_COND_TYPE_IF = 0,
    /// Runs a body as long as the value is not 0.
    ACL_MODEL_RI_COND_TYPE_WHILE = 1,
    /// Runs the body with the value as its index, if there is one.
    ACL_MODEL_RI_COND_TYPE_SWITCH = 2,
}

/// Parameters of a conditional task.
#[repr(C)]
pub struct tagAclmdlRICondTaskParams {
    /// The value.
    pub handle: aclmdlRICondHandle,
    /// The kind.
    pub r#type: MaybeUninit<aclmdlRICondTaskType>,
    /// Number of bodies.
    pub size: u32,
    /// The bodies.
    pub modelRIArray: *mut aclmdlRI,
}

/// Parameters of a conditional task.
pub type aclmdlRICondTaskParams = tagAclmdlRICondTaskParams;
