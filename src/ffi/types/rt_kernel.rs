//! Types of `acl_rt.h` about kernels and their tasks.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::base::aclDataType;

/// A device binary that is described.
pub type aclrtBinary = *mut c_void;

/// A device binary that is loaded.
pub type aclrtBinHandle = *mut c_void;

/// A kernel.
pub type aclrtFuncHandle = *mut c_void;

/// A list of a kernel's arguments.
pub type aclrtArgsHandle = *mut c_void;

/// A place in a list of arguments.
pub type aclrtParamHandle = *mut c_void;

/// Options of loading a device binary.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtBinaryLoadOptionType {
    /// Load kernels when they are needed.
    ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
    /// The number that tells for which cores it is.
    ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
    /// How kernels for the device's CPUs are found.
    ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3,
}

/// The value of an option of loading.
#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtBinaryLoadOptionValue {
    /// 1 to load kernels when they are needed.
    pub isLazyLoad: u32,
    /// One of ACL_RT_BINARY_MAGIC_*.
    pub magic: u32,
    /// How kernels for the device's CPUs are found.
    pub cpuKernelMode: i32,
    /// Not used.
    pub rsv: [u32; 4],
}

/// An option of loading a device binary.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtBinaryLoadOption {
    /// Which.
    pub r#type: MaybeUninit<aclrtBinaryLoadOptionType>,
    /// Its value.
    pub value: aclrtBinaryLoadOptionValue,
}

/// Options of loading a device binary.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtBinaryLoadOptions {
    /// The options.
    pub options: *mut aclrtBinaryLoadOption,
    /// How many there are.
    pub numOpt: usize,
}

/// Kinds of cores.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtEngineType {
    /// Matrix cores.
    ACL_RT_ENGINE_TYPE_AIC = 0,
    /// Vector cores.
    ACL_RT_ENGINE_TYPE_AIV = 1,
}

/// How many blocks or threads in each direction.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct dim3 {
    /// In x.
    pub x: u32,
    /// In y.
    pub y: u32,
    /// In z.
    pub z: u32,
}

/// Attributes of a launch.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtLaunchKernelAttrId {
    /// How blocks are scheduled.
    ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
    /// Fast memory in bytes beyond what the kernel declares.
    ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,
    /// Which cores.
    ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3,
    /// The number of the first block.
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4,
    /// Whether the task is not loaded ahead.
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
    /// Whether its data is dumped.
    ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6,
    /// Time limit in seconds.
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7,
    /// Time limit in microseconds.
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8,
    /// Whether it is profiled.
    ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9,
}

/// A time limit of 64 bits in microseconds.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtTimeoutUs {
    /// The lower half.
    pub timeoutLow: u32,
    /// The upper half.
    pub timeoutHigh: u32,
}

/// The value of an attribute of a launch.
#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtLaunchKernelAttrValue {
    /// How blocks are scheduled.
    pub schemMode: u8,
    /// An older name of dynUBufSize.
    pub localMemorySize: u32,
    /// Fast memory in bytes.
    pub dynUBufSize: u32,
    /// Which cores.
    pub engineType: MaybeUninit<aclrtEngineType>,
    /// The number of the first block.
    pub blockDimOffset: u32,
    /// 1 to prevent loading ahead.
    pub isBlockTaskPrefetch: u8,
    /// 1 to dump data.
    pub isDataDump: u8,
    /// In seconds.
    pub timeout: u16,
    /// In microseconds.
    pub timeoutUs: aclrtTimeoutUs,
    /// 1 to profile.
    pub enableProfiling: u8,
    /// Not used.
    pub rsv: [u32; 4],
}

/// An attribute of a launch.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtLaunchKernelAttr {
    /// Which.
    pub id: MaybeUninit<aclrtLaunchKernelAttrId>,
    /// Its value.
    pub value: aclrtLaunchKernelAttrValue,
}

/// Attributes of a launch.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtLaunchKernelCfg {
    /// The attributes.
    pub attrs: *mut aclrtLaunchKernelAttr,
    /// How many there are.
    pub numAttrs: usize,
}

/// An argument whose data follows the arguments.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtPlaceHolderInfo {
    /// Where the address of the data goes.
    pub addrOffset: u32,
    /// Where the data is.
    pub dataOffset: u32,
}

/// A number, or where it is in device memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtRandomParaInfo {
    /// 1 if it is an address.
    pub isAddr: u8,
    /// The bytes of the number or of the address.
    pub valueOrAddr: [u8; 8],
    /// How many bytes the number has.
    pub size: u8,
    /// Not used.
    pub rsv: [u8; 6],
}

/// Parameters of a dropout mask.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtDropoutBitmaskInfo {
    /// The share that is dropped.
    pub dropoutRation: aclrtRandomParaInfo,
}

/// Parameters of a uniform distribution.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtUniformDisInfo {
    /// The smallest number.
    pub min: aclrtRandomParaInfo,
    /// What all numbers are below.
    pub max: aclrtRandomParaInfo,
}

/// Parameters of a normal distribution.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtNormalDisInfo {
    /// The mean.
    pub mean: aclrtRandomParaInfo,
    /// The standard deviation.
    pub stddev: aclrtRandomParaInfo,
}

/// Distributions of random numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtRandomNumFuncType {
    /// A dropout mask.
    ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK = 0,
    /// Uniform.
    ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS = 1,
    /// Normal.
    ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS = 2,
    /// Normal, without what is far from the mean.
    ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3,
}

/// Parameters by distribution.
#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtRandomNumFuncParaInfoDetail {
    /// Of a dropout mask.
    pub dropoutBitmaskInfo: aclrtDropoutBitmaskInfo,
    /// Of a uniform distribution.
    pub uniformDisInfo: aclrtUniformDisInfo,
    /// Of a normal distribution, truncated or not.
    pub normalDisInfo: aclrtNormalDisInfo,
}

/// A distribution and its parameters.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtRandomNumFuncParaInfo {
    /// Which.
    pub funcType: MaybeUninit<aclrtRandomNumFuncType>,
    /// Its parameters.
    pub paramInfo: aclrtRandomNumFuncParaInfoDetail,
}

/// Random numbers to be made.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtRandomNumTaskInfo {
    /// Of which type.
    pub dataType: MaybeUninit<aclDataType>,
    /// How they are distributed.
    pub randomNumFuncParaInfo: aclrtRandomNumFuncParaInfo,
    /// Not used.
    pub randomParaAddr: *mut c_void,
    /// Where they go.
    pub randomResultAddr: *mut c_void,
    /// Device memory with the counter of the generator, or null.
    pub randomCounterAddr: *mut c_void,
    /// The seed.
    pub randomSeed: aclrtRandomParaInfo,
    /// How many.
    pub randomNum: aclrtRandomParaInfo,
    /// Not used.
    pub rsv: [u8; 8],
}

/// What to change in a waiting task.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtUpdateTaskAttrId {
    /// Random numbers.
    ACL_RT_UPDATE_RANDOM_TASK = 1,
    /// A kernel.
    ACL_RT_UPDATE_AIC_AIV_TASK = 2,
}

/// New parameters of random numbers.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtRandomTaskUpdateAttr {
    /// Where they are in device memory.
    pub srcAddr: *mut c_void,
    /// How many bytes.
    pub size: usize,
    /// Not used.
    pub rsv: [u32; 4],
}

/// Another kernel for a waiting task; addresses in device memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtAicAivTaskUpdateAttr {
    /// Where the handle of its binary is.
    pub binHandle: *mut c_void,
    /// Where its entry is.
    pub funcEntryAddr: *mut c_void,
    /// Where its number of blocks is.
    pub blockDimAddr: *mut c_void,
    /// Not used.
    pub rsv: [u32; 4],
}

/// What a waiting task becomes.
#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtUpdateTaskAttrVal {
    /// For random numbers.
    pub randomTaskAttr: aclrtRandomTaskUpdateAttr,
    /// For a kernel.
    pub aicAivTaskAttr: aclrtAicAivTaskUpdateAttr,
}

/// A change of a waiting task.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtTaskUpdateInfo {
    /// Of what.
    pub id: MaybeUninit<aclrtUpdateTaskAttrId>,
    /// To what.
    pub val: aclrtUpdateTaskAttrVal,
}

/// Attributes of a kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtFuncAttribute {
    /// Its kind: a number of aclrtKernelType.
    ACL_FUNC_ATTR_KERNEL_TYPE = 1,
    /// Its vector cores for each matrix core.
    ACL_FUNC_ATTR_KERNEL_RATIO = 2,
    /// How its blocks are scheduled.
    ACL_FUNC_ATTR_KERNEL_SCHED_MODE = 3,
}

/// Kinds of kernels.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtKernelType {
    /// For AI cores.
    ACL_KERNEL_TYPE_AICORE = 0,
    /// For matrix cores.
    ACL_KERNEL_TYPE_CUBE = 1,
    /// For vector cores.
    ACL_KERNEL_TYPE_VECTOR = 2,
    /// For matrix and vector cores together.
    ACL_KERNEL_TYPE_MIX = 3,
    /// For the device's CPUs.
    ACL_KERNEL_TYPE_AICPU = 100,
}
