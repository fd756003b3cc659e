//! Types of `acl_rt.h` about kernels and their tasks.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::super::base::aclDataType;

/// The description of a kernel binary.
pub type aclrtBinary = *mut c_void;

/// A loaded kernel binary.
pub type aclrtBinHandle = *mut c_void;

/// A kernel.
pub type aclrtFuncHandle = *mut c_void;

/// An argument list of a kernel.
pub type aclrtArgsHandle = *mut c_void;

/// An argument in an argument list.
pub type aclrtParamHandle = *mut c_void;

/// Options for loading a kernel binary.
#[repr(C)]
pub enum aclrtBinaryLoadOptionType {
    /// Load kernels when they are used.
    ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
    /// The number that identifies the kind of cores.
    ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
    /// How kernels for the device's CPUs are found.
    ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3,
}

/// The value of a load option.
#[repr(C)]
pub union aclrtBinaryLoadOptionValue {
    /// 1 to load kernels when they are used.
    pub isLazyLoad: u32,
    /// The kind of binary, one of ACL_RT_BINARY_MAGIC_*.
    pub magic: u32,
    /// How kernels for the device's CPUs are found.
    pub cpuKernelMode: i32,
    /// Reserved.
    pub rsv: [u32; 4],
}

/// An option for loading a kernel binary.
#[repr(C)]
pub struct aclrtBinaryLoadOption {
    /// The option.
    pub r#type: MaybeUninit<aclrtBinaryLoadOptionType>,
    /// Its value.
    pub value: aclrtBinaryLoadOptionValue,
}

/// Options for loading a kernel binary.
#[repr(C)]
pub struct aclrtBinaryLoadOptions {
    /// The options.
    pub options: *mut aclrtBinaryLoadOption,
    /// Number of options.
    pub numOpt: usize,
}

/// Kinds of cores.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum aclrtEngineType {
    /// Matrix cores.
    ACL_RT_ENGINE_TYPE_AIC = 0,
    /// Vector cores.
    ACL_RT_ENGINE_TYPE_AIV = 1,
}

/// Number of blocks or threads in each dimension.
#[repr(C)]
pub struct dim3 {
    /// The number in x.
    pub x: u32,
    /// The number in y.
    pub y: u32,
    /// The number in z.
    pub z: u32,
}

/// Attributes of a launch.
#[repr(C)]
pub enum aclrtLaunchKernelAttrId {
    /// How blocks are scheduled.
    ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
    /// Dynamic shared memory in bytes, in addition to the kernel's static shared memory.
    ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,
    /// The kind of cores.
    ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3,
    /// The index of the first block.
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4,
    /// Whether prefetching of the task is disabled.
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
    /// Whether its data is dumped.
    ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6,
    /// Timeout in seconds.
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7,
    /// Timeout in microseconds.
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8,
    /// Whether it is profiled.
    ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9,
}

/// A 64-bit timeout in microseconds.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtTimeoutUs {
    /// The lower half.
    pub timeoutLow: u32,
    /// The upper half.
    pub timeoutHigh: u32,
}

/// The value of a launch attribute.
#[repr(C)]
pub union aclrtLaunchKernelAttrValue {
    /// How blocks are scheduled.
    pub schemMode: u8,
    /// An older name of dynUBufSize.
    pub localMemorySize: u32,
    /// Dynamic shared memory in bytes.
    pub dynUBufSize: u32,
    /// The kind of cores.
    pub engineType: MaybeUninit<aclrtEngineType>,
    /// The index of the first block.
    pub blockDimOffset: u32,
    /// 1 to disable prefetching.
    pub isBlockTaskPrefetch: u8,
    /// 1 to dump data.
    pub isDataDump: u8,
    /// The timeout in seconds.
    pub timeout: u16,
    /// The timeout in microseconds.
    pub timeoutUs: aclrtTimeoutUs,
    /// 1 to profile.
    pub enableProfiling: u8,
    /// Reserved.
    pub rsv: [u32; 4],
}

/// A launch attribute.
#[repr(C)]
pub struct aclrtLaunchKernelAttr {
    /// The attribute.
    pub id: MaybeUninit<aclrtLaunchKernelAttrId>,
    /// Its value.
    pub value: aclrtLaunchKernelAttrValue,
}

/// Attributes of a launch.
#[repr(C)]
pub struct aclrtLaunchKernelCfg {
    /// The attributes.
    pub attrs: *mut aclrtLaunchKernelAttr,
    /// Number of attributes.
    pub numAttrs: usize,
}

/// A placeholder: an argument whose data follows the arguments.
#[repr(C)]
pub struct aclrtPlaceHolderInfo {
    /// Offset of the slot for the address of the data.
    pub addrOffset: u32,
    /// Offset of the data.
    pub dataOffset: u32,
}

/// A number, or its address in device memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtRandomParaInfo {
    /// 1 if it is an address.
    pub isAddr: u8,
    /// The bytes of the number or of the address.
    pub valueOrAddr: [u8; 8],
    /// Size of the number in bytes.
    pub size: u8,
    /// Reserved.
    pub rsv: [u8; 6],
}

/// Parameters of a dropout mask.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtDropoutBitmaskInfo {
    /// The ratio of dropped elements.
    pub dropoutRation: aclrtRandomParaInfo,
}

/// Parameters of a uniform distribution.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtUniformDisInfo {
    /// The smallest number.
    pub min: aclrtRandomParaInfo,
    /// The upper bound; all numbers are less, unless it equals `min`.
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
pub enum aclrtRandomNumFuncType {
    /// A dropout mask.
    ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK = 0,
    /// Uniform.
    ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS = 1,
    /// Normal.
    ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS = 2,
    /// Normal, truncated at a distance from the mean.
    ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3,
}

/// Parameters by distribution.
#[repr(C)]
pub union aclrtRandomNumFuncParaInfoDetail {
    /// The parameters of a dropout mask.
    pub dropoutBitmaskInfo: aclrtDropoutBitmaskInfo,
    /// The parameters of a uniform distribution.
    pub uniformDisInfo: aclrtUniformDisInfo,
    /// The parameters of a normal distribution, truncated or not.
    pub normalDisInfo: aclrtNormalDisInfo,
}

/// A distribution and its parameters.
#[repr(C)]
pub struct aclrtRandomNumFuncParaInfo {
    /// The distribution.
    pub funcType: MaybeUninit<aclrtRandomNumFuncType>,
    /// Its parameters.
    pub paramInfo: aclrtRandomNumFuncParaInfoDetail,
}

/// A task that generates random numbers.
#[repr(C)]
pub struct aclrtRandomNumTaskInfo {
    /// The type of the numbers.
    pub dataType: MaybeUninit<aclDataType>,
    /// The distribution.
    pub randomNumFuncParaInfo: aclrtRandomNumFuncParaInfo,
    /// Reserved.
    pub randomParaAddr: *mut c_void,
    /// The destination.
    pub randomResultAddr: *mut c_void,
    /// Device memory with the counter of the generator, or null.
    pub randomCounterAddr: *mut c_void,
    /// The seed.
    pub randomSeed: aclrtRandomParaInfo,
    /// The number of random numbers, for a dropout mask of bits.
    pub randomNum: aclrtRandomParaInfo,
    /// Reserved.
    pub rsv: [u8; 8],
}

/// The kind of a pending task to change.
#[repr(C)]
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
    /// Their address in device memory.
    pub srcAddr: *mut c_void,
    /// Size in bytes.
    pub size: usize,
    /// Reserved.
    pub rsv: [u32; 4],
}

/// A different kernel for a pending task; addresses in device memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtAicAivTaskUpdateAttr {
    /// Address of the handle of its binary.
    pub binHandle: *mut c_void,
    /// Address of its entry.
    pub funcEntryAddr: *mut c_void,
    /// Address of its number of blocks.
    pub blockDimAddr: *mut c_void,
    /// Reserved.
    pub rsv: [u32; 4],
}

/// The new parameters of a pending task.
#[repr(C)]
pub union aclrtUpdateTaskAttrVal {
    /// The parameters of random numbers.
    pub randomTaskAttr: aclrtRandomTaskUpdateAttr,
    /// The parameters of a kernel.
    pub aicAivTaskAttr: aclrtAicAivTaskUpdateAttr,
}

/// A change of a pending task.
#[repr(C)]
pub struct aclrtTaskUpdateInfo {
    /// The kind of task.
    pub id: MaybeUninit<aclrtUpdateTaskAttrId>,
    /// The new parameters.
    pub val: aclrtUpdateTaskAttrVal,
}

/// Attributes of a kernel.
#[repr(C)]
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
pub enum aclrtKernelType {
    /// A kernel for AI cores.
    ACL_KERNEL_TYPE_AICORE = 0,
    /// A kernel for matrix cores.
    ACL_KERNEL_TYPE_CUBE = 1,
    /// A kernel for vector cores.
    ACL_KERNEL_TYPE_VECTOR = 2,
    /// A kernel for matrix and vector cores together.
    ACL_KERNEL_TYPE_MIX = 3,
    /// A kernel for the device's CPUs.
    ACL_KERNEL_TYPE_AICPU = 100,
}
