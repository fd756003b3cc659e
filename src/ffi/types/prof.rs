//! Types and constants of `acl_prof.h`.

use std::ffi::c_void;

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclprofAicoreMetrics {
    ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
    ACL_AICORE_PIPE_UTILIZATION = 1,
    ACL_AICORE_MEMORY_BANDWIDTH = 2,
    ACL_AICORE_L0B_AND_WIDTH = 3,
    ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
    ACL_AICORE_MEMORY_UB = 5,
    ACL_AICORE_L2_CACHE = 6,
    ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7,
    ACL_AICORE_MEMORY_ACCESS = 8,
    ACL_AICORE_NONE = 255,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclprofStepTag {
    ACL_STEP_START = 0,
    ACL_STEP_END = 1,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclprofSubscribeOpFlag {
    ACL_SUBSCRIBE_OP = 0,
    ACL_SUBSCRIBE_SUBGRAPH = 1,
    ACL_SUBSCRIBE_OP_THREAD = 2,
    ACL_SUBSCRIBE_NONE = 255,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclprofSubscribeOpAttri {
    ACL_SUBSCRIBE_ATTRI_THREADID = 0,
    ACL_SUBSCRIBE_ATTRI_NONE = 1,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclprofConfigType {
    ACL_PROF_ARGS_MIN = 0,
    ACL_PROF_STORAGE_LIMIT = 1,
    ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3,
    ACL_PROF_LLC_MODE = 4,
    ACL_PROF_SYS_IO_FREQ = 5,
    ACL_PROF_SYS_INTERCONNECTION_FREQ = 6,
    ACL_PROF_DVPP_FREQ = 7,
    ACL_PROF_HOST_SYS = 8,
    ACL_PROF_HOST_SYS_USAGE = 9,
    ACL_PROF_HOST_SYS_USAGE_FREQ = 10,
    ACL_PROF_LOW_POWER_FREQ = 11,
    ACL_PROF_SYS_MEM_SERVICEFLOW = 12,
    ACL_PROF_SYS_CPU_FREQ = 13,
    ACL_PROF_OPTYPE = 14,
    ACL_PROF_NTS_METRICS = 15,
    ACL_PROF_PATH = 16,
    ACL_PROF_ARGS_MAX = 17,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclprofMessageType {
    ACL_PROF_MESSAGE_TYPE_TENSOR_INFO = 0,
}

pub struct aclprofConfig {
    _private: [u8; 0],
}

pub struct aclprofStopConfig {
    _private: [u8; 0],
}

pub struct aclprofAicoreEvents {
    _private: [u8; 0],
}

pub struct aclprofSubscribeConfig {
    _private: [u8; 0],
}

pub struct aclprofStepInfo {
    _private: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclprofTensor {
    pub r#type: u32,
    pub format: u32,
    pub dataType: u32,
    pub shapeDim: u32,
    pub shape: [u32; 8],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclprofTensorInfo {
    pub opNameId: u64,
    pub opTypeId: u64,
    pub resv: u32,
    pub tensorNum: u32,
    pub kernelType: u32,
    pub blockNums: u32,
    pub stream: *mut c_void,
    pub tensors: *mut aclprofTensor,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union aclprofEventAttributesMessage {
    pub tensorInfo: *mut aclprofTensorInfo,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclprofEventAttributes {
    pub version: u16,
    pub size: u16,
    pub messageType: u32,
    pub message: aclprofEventAttributesMessage,
}

pub const ACL_PROF_ACL_API: u64 = 0x0001;

pub const ACL_PROF_AICORE_METRICS: u64 = 0x0004;

pub const ACL_PROF_AICORE_SHAPE: u64 = 0x8_0000_0000;

pub const ACL_PROF_AICPU: u64 = 0x0008;

pub const ACL_PROF_API_STATS: u64 = 0x4_0000_0000;

pub const ACL_PROF_EVENT_ATTR_VERSION: i32 = 1;

pub const ACL_PROF_GE_API_L0: u64 = 0x0200;

pub const ACL_PROF_GE_API_L1: u64 = 0x0100_0000;

pub const ACL_PROF_HCCL_TRACE: u64 = 0x0020;

pub const ACL_PROF_L2CACHE: u64 = 0x0010;

pub const ACL_PROF_MAX_OP_NAME_LEN: i32 = 257;

pub const ACL_PROF_MAX_OP_TYPE_LEN: i32 = 65;

pub const ACL_PROF_MSPROFTX: u64 = 0x0080;

pub const ACL_PROF_OP_ATTR: u64 = 0x4000;

pub const ACL_PROF_RUNTIME_API: u64 = 0x0100;

pub const ACL_PROF_TASK_MEMORY: u64 = 0x1000;

pub const ACL_PROF_TASK_TIME: u64 = 0x0002;

pub const ACL_PROF_TASK_TIME_L0: u64 = 0x0800;

pub const ACL_PROF_TASK_TIME_L2: u64 = 0x2000;

pub const ACL_PROF_TASK_TIME_L3: u64 = 0x8000;

pub const ACL_PROF_TENSOR_DATA_SHAPE_LEN: i32 = 8;

pub const ACL_PROF_TRAINING_TRACE: u64 = 0x0040;
