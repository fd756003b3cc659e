//! Types and constants of `acl_prof.h`.

use std::ffi::c_void;

/// Metrics of AI cores.
#[repr(C)]
pub enum aclprofAicoreMetrics {
    /// Utilization of the arithmetic units.
    ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
    /// Utilization of the pipelines.
    ACL_AICORE_PIPE_UTILIZATION = 1,
    /// Bandwidth of external memory.
    ACL_AICORE_MEMORY_BANDWIDTH = 2,
    /// Bandwidth of internal memory.
    ACL_AICORE_L0B_AND_WIDTH = 3,
    /// Waits for busy units.
    ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
    /// Bandwidth of the unified buffer.
    ACL_AICORE_MEMORY_UB = 5,
    /// Hits and misses of the level-2 cache.
    ACL_AICORE_L2_CACHE = 6,
    /// Utilization of the pipelines by execution only.
    ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7,
    /// Accesses to memory.
    ACL_AICORE_MEMORY_ACCESS = 8,
    /// No metric.
    ACL_AICORE_NONE = 255,
}

/// Ends of a step.
#[repr(C)]
pub enum aclprofStepTag {
    /// Its start.
    ACL_STEP_START = 0,
    /// Its end.
    ACL_STEP_END = 1,
}

/// The kind of a description.
#[repr(C)]
pub enum aclprofSubscribeOpFlag {
    /// An operator.
    ACL_SUBSCRIBE_OP = 0,
    /// A part of a graph.
    ACL_SUBSCRIBE_SUBGRAPH = 1,
    /// A thread of an operator.
    ACL_SUBSCRIBE_OP_THREAD = 2,
    /// No description.
    ACL_SUBSCRIBE_NONE = 255,
}

/// Attributes of an operator's description.
#[repr(C)]
pub enum aclprofSubscribeOpAttri {
    /// The number of its thread.
    ACL_SUBSCRIBE_ATTRI_THREADID = 0,
    /// None.
    ACL_SUBSCRIBE_ATTRI_NONE = 1,
}

/// Options of the profiler; their values are texts.
#[repr(C)]
pub enum aclprofConfigType {
    /// Not an option.
    ACL_PROF_ARGS_MIN = 0,
    /// Maximum disk space.
    ACL_PROF_STORAGE_LIMIT = 1,
    /// Sampling frequency of memory.
    ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3,
    /// Metrics of the last-level cache.
    ACL_PROF_LLC_MODE = 4,
    /// Sampling frequency of network interfaces.
    ACL_PROF_SYS_IO_FREQ = 5,
    /// Sampling frequency of interconnections.
    ACL_PROF_SYS_INTERCONNECTION_FREQ = 6,
    /// Sampling frequency of image and video units.
    ACL_PROF_DVPP_FREQ = 7,
    /// Metrics of this process on the host.
    ACL_PROF_HOST_SYS = 8,
    /// Metrics of the whole host.
    ACL_PROF_HOST_SYS_USAGE = 9,
    /// Sampling frequency of the host.
    ACL_PROF_HOST_SYS_USAGE_FREQ = 10,
    /// Sampling frequency of power.
    ACL_PROF_LOW_POWER_FREQ = 11,
    /// Whose memory traffic is measured.
    ACL_PROF_SYS_MEM_SERVICEFLOW = 12,
    /// Sampling frequency of the device's CPUs.
    ACL_PROF_SYS_CPU_FREQ = 13,
    /// The operator types to measure.
    ACL_PROF_OPTYPE = 14,
    /// Metrics of threads of vector cores.
    ACL_PROF_NTS_METRICS = 15,
    /// The output path.
    ACL_PROF_PATH = 16,
    /// Not an option.
    ACL_PROF_ARGS_MAX = 17,
}

/// Kinds of messages of a range.
#[repr(C)]
pub enum aclprofMessageType {
    /// An operator with its tensors.
    ACL_PROF_MESSAGE_TYPE_TENSOR_INFO = 0,
}

/// A configuration of profiling: what to record.
pub struct aclprofConfig([u8; 0]);

/// A config for stopping the profile of a model.
pub struct aclprofStopConfig([u8; 0]);

/// Hardware events of AI cores; must be null.
pub struct aclprofAicoreEvents([u8; 0]);

/// A subscription.
pub struct aclprofSubscribeConfig([u8; 0]);

/// A step.
pub struct aclprofStepInfo([u8; 0]);

/// A tensor, for a profile.
#[repr(C)]
pub struct aclprofTensor {
    /// 0 for an input, 1 for an output.
    pub r#type: u32,
    /// A number of aclFormat.
    pub format: u32,
    /// A number of aclDataType.
    pub dataType: u32,
    /// Number of dimensions.
    pub shapeDim: u32,
    /// The dimensions.
    pub shape: [u32; 8],
}

/// An operator with its tensors, for a profile.
#[repr(C)]
pub struct aclprofTensorInfo {
    /// Id of its name, from aclprofStr2Id.
    pub opNameId: u64,
    /// Id of its type, from aclprofStr2Id.
    pub opTypeId: u64,
    /// Reserved.
    pub resv: u32,
    /// Number of tensors.
    pub tensorNum: u32,
    /// Kind of cores that it runs on.
    pub kernelType: u32,
    /// Number of blocks.
    pub blockNums: u32,
    /// The stream that it runs in.
    pub stream: *mut c_void,
    /// The tensors.
    pub tensors: *mut aclprofTensor,
}

/// A message, by its type.
#[repr(C)]
pub union aclprofEventAttributesMessage {
    /// An operator with its tensors.
    pub tensorInfo: *mut aclprofTensorInfo,
}

/// Attributes of a range.
#[repr(C)]
pub struct aclprofEventAttributes {
    /// ACL_PROF_EVENT_ATTR_VERSION.
    pub version: u16,
    /// Size of this structure in bytes.
    pub size: u16,
    /// A number of aclprofMessageType.
    pub messageType: u32,
    /// The message.
    pub message: aclprofEventAttributesMessage,
}

/// Calls of this API.
pub const ACL_PROF_ACL_API: u64 = 0x0001;

/// Metrics of AI cores.
pub const ACL_PROF_AICORE_METRICS: u64 = 0x0004;

/// Shapes of operators.
pub const ACL_PROF_AICORE_SHAPE: u64 = 0x8_0000_0000;

/// Tasks of the device's CPUs.
pub const ACL_PROF_AICPU: u64 = 0x0008;

/// Statistics of calls.
pub const ACL_PROF_API_STATS: u64 = 0x4_0000_0000;

/// Version of aclprofEventAttributes.
pub const ACL_PROF_EVENT_ATTR_VERSION: i32 = 1;

/// Calls of the graph engine, basic.
pub const ACL_PROF_GE_API_L0: u64 = 0x0200;

/// Calls of the graph engine, detailed.
pub const ACL_PROF_GE_API_L1: u64 = 0x0100_0000;

/// Collective communication.
pub const ACL_PROF_HCCL_TRACE: u64 = 0x0020;

/// Level-2 cache.
pub const ACL_PROF_L2CACHE: u64 = 0x0010;

/// Maximum length of an operator's name, including the terminating zero.
pub const ACL_PROF_MAX_OP_NAME_LEN: i32 = 257;

/// Maximum length of an operator's type, including the terminating zero.
pub const ACL_PROF_MAX_OP_TYPE_LEN: i32 = 65;

/// Stamps, ranges and marks of the program.
pub const ACL_PROF_MSPROFTX: u64 = 0x0080;

/// Attributes of operators.
pub const ACL_PROF_OP_ATTR: u64 = 0x4000;

/// Calls of the runtime.
pub const ACL_PROF_RUNTIME_API: u64 = 0x0100;

/// Memory of operators.
pub const ACL_PROF_TASK_MEMORY: u64 = 0x1000;

/// Times of tasks.
pub const ACL_PROF_TASK_TIME: u64 = 0x0002;

/// Times of tasks, basic.
pub const ACL_PROF_TASK_TIME_L0: u64 = 0x0800;

/// Times of tasks, detailed.
pub const ACL_PROF_TASK_TIME_L2: u64 = 0x2000;

/// Times of tasks, all details.
pub const ACL_PROF_TASK_TIME_L3: u64 = 0x8000;

/// Maximum number of dimensions of an aclprofTensor.
pub const ACL_PROF_TENSOR_DATA_SHAPE_LEN: i32 = 8;

/// Iterations of a training.
pub const ACL_PROF_TRAINING_TRACE: u64 = 0x0040;
