//! Types of `acl_rt.h` about graphs.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::base::{aclrtEvent, aclrtTaskGrp};
use super::rt_kernel::{aclrtFuncHandle, aclrtLaunchKernelCfg};

pub type aclmdlRI = *mut c_void;

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclmdlRICaptureMode {
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclmdlRICaptureStatus {
    ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclmdlRITaskType {
    ACL_MODEL_RI_TASK_DEFAULT = 0,
    ACL_MODEL_RI_TASK_KERNEL = 1,
    ACL_MODEL_RI_TASK_EVENT_RECORD = 2,
    ACL_MODEL_RI_TASK_EVENT_WAIT = 3,
    ACL_MODEL_RI_TASK_EVENT_RESET = 4,
    ACL_MODEL_RI_TASK_VALUE_WRITE = 5,
    ACL_MODEL_RI_TASK_VALUE_WAIT = 6,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRIKernelTaskParams {
    pub funcHandle: aclrtFuncHandle,
    pub cfg: *mut aclrtLaunchKernelCfg,
    pub args: *mut c_void,
    pub isHostArgs: u32,
    pub argsSize: usize,
    pub numBlocks: u32,
    pub rsv: [u32; 10],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRIEventRecordTaskParams {
    pub event: aclrtEvent,
    pub eventFlag: u32,
    pub recordFlag: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRIEventWaitTaskParams {
    pub event: aclrtEvent,
    pub eventFlag: u32,
    pub waitFlag: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRIEventResetTaskParams {
    pub event: aclrtEvent,
    pub eventFlag: u32,
    pub resetFlag: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRIValueWriteTaskParams {
    pub devAddr: *mut c_void,
    pub value: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRIValueWaitTaskParams {
    pub devAddr: *mut c_void,
    pub value: u64,
    pub flag: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union aclmdlRITaskParamsDetail {
    pub rsv2: [u8; 128],
    pub kernelTaskParams: aclmdlRIKernelTaskParams,
    pub eventRecordTaskParams: aclmdlRIEventRecordTaskParams,
    pub eventWaitTaskParams: aclmdlRIEventWaitTaskParams,
    pub eventResetTaskParams: aclmdlRIEventResetTaskParams,
    pub valueWriteTaskParams: aclmdlRIValueWriteTaskParams,
    pub valueWaitTaskParams: aclmdlRIValueWaitTaskParams,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRITaskParams {
    pub r#type: MaybeUninit<aclmdlRITaskType>,
    pub rsv0: [u32; 3],
    pub taskGrp: aclrtTaskGrp,
    pub opInfoPtr: *mut c_void,
    pub opInfoSize: usize,
    pub rsv1: [u8; 32],
    pub detail: aclmdlRITaskParamsDetail,
}

pub type aclmdlRICondHandle = *mut c_void;

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclmdlRICondHandleFlag {
    ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT = 1,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclmdlRICondTaskType {
    ACL_MODEL_RI_COND_TYPE_IF = 0,
    ACL_MODEL_RI_COND_TYPE_WHILE = 1,
    ACL_MODEL_RI_COND_TYPE_SWITCH = 2,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tagAclmdlRICondTaskParams {
    pub handle: aclmdlRICondHandle,
    pub r#type: MaybeUninit<aclmdlRICondTaskType>,
    pub size: u32,
    pub modelRIArray: *mut aclmdlRI,
}

pub type aclmdlRICondTaskParams = tagAclmdlRICondTaskParams;
