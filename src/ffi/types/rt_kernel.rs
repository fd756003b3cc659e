//! Types of `acl_rt.h` about kernels and their tasks.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::base::aclDataType;

pub type aclrtBinary = *mut c_void;

pub type aclrtBinHandle = *mut c_void;

pub type aclrtFuncHandle = *mut c_void;

pub type aclrtArgsHandle = *mut c_void;

pub type aclrtParamHandle = *mut c_void;

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtBinaryLoadOptionType {
    ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
    ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
    ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtBinaryLoadOptionValue {
    pub isLazyLoad: u32,
    pub magic: u32,
    pub cpuKernelMode: i32,
    pub rsv: [u32; 4],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtBinaryLoadOption {
    pub r#type: MaybeUninit<aclrtBinaryLoadOptionType>,
    pub value: aclrtBinaryLoadOptionValue,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtBinaryLoadOptions {
    pub options: *mut aclrtBinaryLoadOption,
    pub numOpt: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtEngineType {
    ACL_RT_ENGINE_TYPE_AIC = 0,
    ACL_RT_ENGINE_TYPE_AIV = 1,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtLaunchKernelAttrId {
    ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
    ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,
    ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3,
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4,
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
    ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6,
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7,
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8,
    ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtTimeoutUs {
    pub timeoutLow: u32,
    pub timeoutHigh: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtLaunchKernelAttrValue {
    pub schemMode: u8,
    pub localMemorySize: u32,
    pub dynUBufSize: u32,
    pub engineType: MaybeUninit<aclrtEngineType>,
    pub blockDimOffset: u32,
    pub isBlockTaskPrefetch: u8,
    pub isDataDump: u8,
    pub timeout: u16,
    pub timeoutUs: aclrtTimeoutUs,
    pub enableProfiling: u8,
    pub rsv: [u32; 4],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtLaunchKernelAttr {
    pub id: MaybeUninit<aclrtLaunchKernelAttrId>,
    pub value: aclrtLaunchKernelAttrValue,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtLaunchKernelCfg {
    pub attrs: *mut aclrtLaunchKernelAttr,
    pub numAttrs: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtPlaceHolderInfo {
    pub addrOffset: u32,
    pub dataOffset: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtRandomParaInfo {
    pub isAddr: u8,
    pub valueOrAddr: [u8; 8],
    pub size: u8,
    pub rsv: [u8; 6],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtDropoutBitmaskInfo {
    pub dropoutRation: aclrtRandomParaInfo,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtUniformDisInfo {
    pub min: aclrtRandomParaInfo,
    pub max: aclrtRandomParaInfo,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtNormalDisInfo {
    pub mean: aclrtRandomParaInfo,
    pub stddev: aclrtRandomParaInfo,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtRandomNumFuncType {
    ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK = 0,
    ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS = 1,
    ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS = 2,
    ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtRandomNumFuncParaInfoDetail {
    pub dropoutBitmaskInfo: aclrtDropoutBitmaskInfo,
    pub uniformDisInfo: aclrtUniformDisInfo,
    pub normalDisInfo: aclrtNormalDisInfo,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtRandomNumFuncParaInfo {
    pub funcType: MaybeUninit<aclrtRandomNumFuncType>,
    pub paramInfo: aclrtRandomNumFuncParaInfoDetail,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtRandomNumTaskInfo {
    pub dataType: MaybeUninit<aclDataType>,
    pub randomNumFuncParaInfo: aclrtRandomNumFuncParaInfo,
    pub randomParaAddr: *mut c_void,
    pub randomResultAddr: *mut c_void,
    pub randomCounterAddr: *mut c_void,
    pub randomSeed: aclrtRandomParaInfo,
    pub randomNum: aclrtRandomParaInfo,
    pub rsv: [u8; 8],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtUpdateTaskAttrId {
    ACL_RT_UPDATE_RANDOM_TASK = 1,
    ACL_RT_UPDATE_AIC_AIV_TASK = 2,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtRandomTaskUpdateAttr {
    pub srcAddr: *mut c_void,
    pub size: usize,
    pub rsv: [u32; 4],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtAicAivTaskUpdateAttr {
    pub binHandle: *mut c_void,
    pub funcEntryAddr: *mut c_void,
    pub blockDimAddr: *mut c_void,
    pub rsv: [u32; 4],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtUpdateTaskAttrVal {
    pub randomTaskAttr: aclrtRandomTaskUpdateAttr,
    pub aicAivTaskAttr: aclrtAicAivTaskUpdateAttr,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtTaskUpdateInfo {
    pub id: MaybeUninit<aclrtUpdateTaskAttrId>,
    pub val: aclrtUpdateTaskAttrVal,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtFuncAttribute {
    ACL_FUNC_ATTR_KERNEL_TYPE = 1,
    ACL_FUNC_ATTR_KERNEL_RATIO = 2,
    ACL_FUNC_ATTR_KERNEL_SCHED_MODE = 3,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtKernelType {
    ACL_KERNEL_TYPE_AICORE = 0,
    ACL_KERNEL_TYPE_CUBE = 1,
    ACL_KERNEL_TYPE_VECTOR = 2,
    ACL_KERNEL_TYPE_MIX = 3,
    ACL_KERNEL_TYPE_AICPU = 100,
}
