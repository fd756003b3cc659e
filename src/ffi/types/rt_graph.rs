//! Types of `acl_rt.h` about graphs.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::base::{aclrtEvent, aclrtTaskGrp};
use super::rt_kernel::{aclrtFuncHandle, aclrtLaunchKernelCfg};

/// A graph.
pub type aclmdlRI = *mut c_void;

/// What is allowed while a stream is recorded.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclmdlRICaptureMode {
    /// No thread may make a call that cannot be recorded.
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
    /// The recording thread may not make a call that cannot be recorded.
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
    /// All calls are allowed.
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2,
}

/// The state of a recording.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclmdlRICaptureStatus {
    /// The stream is not recorded.
    ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
    /// The stream is recorded.
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,
    /// The recording was spoilt by a call that is not allowed.
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2,
}

/// Kinds of tasks of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclmdlRITaskType {
    /// One without parameters to ask for.
    ACL_MODEL_RI_TASK_DEFAULT = 0,
    /// A kernel.
    ACL_MODEL_RI_TASK_KERNEL = 1,
    /// The record of an event.
    ACL_MODEL_RI_TASK_EVENT_RECORD = 2,
    /// A wait for an event.
    ACL_MODEL_RI_TASK_EVENT_WAIT = 3,
    /// The reset of an event.
    ACL_MODEL_RI_TASK_EVENT_RESET = 4,
    /// A value that is written.
    ACL_MODEL_RI_TASK_VALUE_WRITE = 5,
    /// A value that is waited for.
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
    /// How many blocks.
    pub numBlocks: u32,
    /// Not used.
    pub rsv: [u32; 10],
}

/// Parameters of the record of an event.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRIEventRecordTaskParams {
    /// The event.
    pub event: aclrtEvent,
    /// Flags that the event was made with.
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
    /// Flags that the event was made with.
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
    /// Flags that the event was made with.
    pub eventFlag: u32,
    /// Flags of the reset.
    pub resetFlag: u32,
}

/// Parameters of a value that is written.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRIValueWriteTaskParams {
    /// Where.
    pub devAddr: *mut c_void,
    /// What.
    pub value: u64,
}

/// Parameters of a value that is waited for.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRIValueWaitTaskParams {
    /// Where.
    pub devAddr: *mut c_void,
    /// What it is compared with.
    pub value: u64,
    /// One of ACL_STREAM_WAIT_VALUE_*.
    pub flag: u32,
}

/// Parameters by the kind of task.
#[repr(C)]
#[derive(Clone, Copy)]
pub union aclmdlRITaskParamsDetail {
    /// Not used.
    pub rsv2: [u8; 128],
    /// Of a kernel.
    pub kernelTaskParams: aclmdlRIKernelTaskParams,
    /// Of the record of an event.
    pub eventRecordTaskParams: aclmdlRIEventRecordTaskParams,
    /// Of a wait for an event.
    pub eventWaitTaskParams: aclmdlRIEventWaitTaskParams,
    /// Of the reset of an event.
    pub eventResetTaskParams: aclmdlRIEventResetTaskParams,
    /// Of a value that is written.
    pub valueWriteTaskParams: aclmdlRIValueWriteTaskParams,
    /// Of a value that is waited for.
    pub valueWaitTaskParams: aclmdlRIValueWaitTaskParams,
}

/// Parameters of a task of a graph.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRITaskParams {
    /// Its kind.
    pub r#type: MaybeUninit<aclmdlRITaskType>,
    /// Not used.
    pub rsv0: [u32; 3],
    /// The group it belongs to, or null.
    pub taskGrp: aclrtTaskGrp,
    /// Notes about its operator, or null.
    pub opInfoPtr: *mut c_void,
    /// Size of the notes.
    pub opInfoSize: usize,
    /// Not used.
    pub rsv1: [u8; 32],
    /// Its parameters, by its kind.
    pub detail: aclmdlRITaskParamsDetail,
}

/// A value that a conditional task looks at.
pub type aclmdlRICondHandle = *mut c_void;

/// How a condition begins.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclmdlRICondHandleFlag {
    /// It gets its default value at every run.
    ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT = 1,
}

/// Kinds of conditional tasks.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclmdlRICondTaskType {
    /// Runs a graph if the value is not zero.
    ACL_MODEL_RI_COND_TYPE_IF = 0,
    /// Runs a graph as long as the value is not zero.
    ACL_MODEL_RI_COND_TYPE_WHILE = 1,
    /// Runs the graph with the value as its index.
    ACL_MODEL_RI_COND_TYPE_SWITCH = 2,
}

/// Parameters of a conditional task.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct tagAclmdlRICondTaskParams {
    /// The value.
    pub handle: aclmdlRICondHandle,
    /// The kind.
    pub r#type: MaybeUninit<aclmdlRICondTaskType>,
    /// How many graphs.
    pub size: u32,
    /// The graphs.
    pub modelRIArray: *mut aclmdlRI,
}

/// Parameters of a conditional task.
pub type aclmdlRICondTaskParams = tagAclmdlRICondTaskParams;
