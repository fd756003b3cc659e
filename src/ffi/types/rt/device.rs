//! Types of `acl_rt.h` about devices.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

/// Where the program runs.
#[repr(C)]
pub enum aclrtRunMode {
    /// The program runs on the device itself.
    ACL_DEVICE = 0,
    /// The program runs on a host that the device is attached to.
    ACL_HOST = 1,
}

/// The task schedulers of a device.
#[repr(C)]
pub enum aclrtTsId {
    /// The task scheduler of the AI cores.
    ACL_TS_ID_AICORE = 0,
    /// The task scheduler of the vector cores.
    ACL_TS_ID_AIVECTOR = 1,
    /// Not in use.
    ACL_TS_ID_RESERVED = 2,
}

/// Attributes of a group.
#[repr(C)]
pub enum aclrtGroupAttr {
    /// AI cores.
    ACL_GROUP_AICORE_INT = 0,
    /// Vector cores.
    ACL_GROUP_AIV_INT = 1,
    /// Threads of the AI CPU.
    ACL_GROUP_AIC_INT = 2,
    /// Copy engines.
    ACL_GROUP_SDMANUM_INT = 3,
    /// Queues that accept work.
    ACL_GROUP_ASQNUM_INT = 4,
    /// The id of the group.
    ACL_GROUP_GROUPID_INT = 5,
}

/// The result of a floating-point overflow.
#[repr(C)]
pub enum aclrtFloatOverflowMode {
    /// The largest finite number.
    ACL_RT_OVERFLOW_MODE_SATURATION = 0,
    /// An infinity or a NaN.
    ACL_RT_OVERFLOW_MODE_INFNAN = 1,
    /// Not a mode.
    ACL_RT_OVERFLOW_MODE_UNDEF = 2,
}

/// More utilization information; never filled in.
pub struct aclrtUtilizationExtendInfo([u8; 0]);

/// Utilization of a device, in percent.
#[repr(C)]
pub struct aclrtUtilizationInfo {
    /// Matrix units.
    pub cubeUtilization: i32,
    /// Vector units.
    pub vectorUtilization: i32,
    /// CPUs of the device.
    pub aicpuUtilization: i32,
    /// Memory.
    pub memoryUtilization: i32,
    /// Must be null.
    pub utilizationExtend: *mut aclrtUtilizationExtendInfo,
}

/// Descriptions of groups, accessed by functions.
pub struct tagRtGroupInfo([u8; 0]);

/// Descriptions of groups.
pub type aclrtGroupInfo = tagRtGroupInfo;

/// The state of a device.
#[repr(C)]
pub enum aclrtDeviceStatus {
    /// It works.
    ACL_RT_DEVICE_STATUS_NORMAL = 0,
    /// It has failed.
    ACL_RT_DEVICE_STATUS_ABNORMAL = 1,
    /// Not a state.
    ACL_RT_DEVICE_STATUS_END = 65535,
}

/// Attributes of a device.
#[repr(C)]
pub enum aclrtDevAttr {
    /// CPUs of the device.
    ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
    /// AI cores.
    ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
    /// Matrix cores.
    ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
    /// Vector cores.
    ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
    /// Threads of a warp, 0 if there are no warps.
    ACL_DEV_ATTR_WARP_SIZE = 202,
    /// Threads of a vector core.
    ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
    /// Shared memory of a vector core in bytes.
    ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
    /// Largest grid, in x.
    ACL_DEV_ATTR_MAX_GRID_DIM_X = 205,
    /// Largest grid, in y.
    ACL_DEV_ATTR_MAX_GRID_DIM_Y = 206,
    /// Largest grid, in z.
    ACL_DEV_ATTR_MAX_GRID_DIM_Z = 207,
    /// Blocks of a grid.
    ACL_DEV_ATTR_MAX_BLOCK_PER_GRID = 208,
    /// Threads of a block.
    ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209,
    /// Largest block, in x.
    ACL_DEV_ATTR_MAX_BLOCK_DIM_X = 210,
    /// Largest block, in y.
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Y = 211,
    /// Largest block, in z.
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Z = 212,
    /// Memory in bytes.
    ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
    /// Level-2 cache in bytes.
    ACL_DEV_ATTR_L2_CACHE_SIZE = 302,
    /// The system that the device belongs to.
    ACL_DEV_ATTR_SMP_ID = 401,
    /// The number of the chip.
    ACL_DEV_ATTR_PHY_CHIP_ID = 402,
    /// The number of the device in its pod.
    ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403,
    /// The number of the server in its pod.
    ACL_DEV_ATTR_SUPER_POD_SERVER_ID = 404,
    /// The number of the pod.
    ACL_DEV_ATTR_SUPER_POD_ID = 405,
    /// Whether user operators may run on the device's CPUs.
    ACL_DEV_ATTR_CUST_OP_PRIVILEGE = 406,
    /// The kind of main board.
    ACL_DEV_ATTR_MAINBOARD_ID = 407,
    /// How the host is connected: ACL_HOST_DEVICE_CONNECT_TYPE_*.
    ACL_DEV_ATTR_HD_CONNECT_TYPE = 408,
    /// The form factor of the device: ACL_DEVICE_FORM_FACTOR_*.
    ACL_DEV_ATTR_DEVICE_FORM_FACTOR = 409,
    /// 1 if the device is a part of another one.
    ACL_DEV_ATTR_IS_VIRTUAL = 501,
    /// The number of the architecture.
    ACL_DEV_ATTR_NPU_ARCH = 601,
}

/// Features of a device.
#[repr(C)]
pub enum aclrtDevFeatureType {
    /// Pending kernels can be changed.
    ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV = 1,
    /// Queue events reach other devices.
    ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV = 21,
}

/// Types of resource limits.
#[repr(C)]
pub enum aclrtDevResLimitType {
    /// Matrix cores.
    ACL_RT_DEV_RES_CUBE_CORE = 0,
    /// Vector cores.
    ACL_RT_DEV_RES_VECTOR_CORE = 1,
}

/// The time of a callback of aclrtDeviceTaskAbort.
#[repr(C)]
pub enum aclrtDeviceTaskAbortStage {
    /// The call before the abort.
    ACL_RT_DEVICE_TASK_ABORT_PRE = 0,
    /// The call after the abort.
    ACL_RT_DEVICE_TASK_ABORT_POST = 1,
}

/// The time of a device-state callback.
#[repr(C)]
pub enum aclrtDeviceState {
    /// The call before the device is set.
    ACL_RT_DEVICE_STATE_SET_PRE = 0,
    /// The call after the device was set.
    ACL_RT_DEVICE_STATE_SET_POST = 1,
    /// The call before the device is reset.
    ACL_RT_DEVICE_STATE_RESET_PRE = 2,
    /// The call after the device was reset.
    ACL_RT_DEVICE_STATE_RESET_POST = 3,
}

/// Called with a device id, the state, and the caller's argument.
pub type aclrtDeviceStateCallback = Option<unsafe extern "C" fn(i32, MaybeUninit<aclrtDeviceState>, *mut c_void)>;

/// An identifier that is unique to a device.
#[repr(C)]
pub struct aclrtUuid {
    /// The identifier.
    pub bytes: [c_char; 16],
}

/// Called with a device id, the stage, the timeout, and the caller's argument; 0 is success.
pub type aclrtDeviceTaskAbortCallback =
    Option<unsafe extern "C" fn(i32, aclrtDeviceTaskAbortStage, u32, *mut c_void) -> i32>;

/// Engines of a device.
#[repr(C)]
pub enum aclrtHacType {
    /// The scheduler.
    ACL_RT_HAC_TYPE_STARS = 0,
    /// CPUs of the device.
    ACL_RT_HAC_TYPE_AICPU = 1,
    /// Matrix cores.
    ACL_RT_HAC_TYPE_AIC = 2,
    /// Vector cores.
    ACL_RT_HAC_TYPE_AIV = 3,
    /// Copies over PCI Express.
    ACL_RT_HAC_TYPE_PCIEDMA = 4,
    /// Copies over a network.
    ACL_RT_HAC_TYPE_RDMA = 5,
    /// Copies inside the system.
    ACL_RT_HAC_TYPE_SDMA = 6,
    /// Images and video.
    ACL_RT_HAC_TYPE_DVPP = 7,
    /// Copies over the unified bus.
    ACL_RT_HAC_TYPE_UDMA = 8,
    /// Collective communication.
    ACL_RT_HAC_TYPE_CCU = 9,
}

/// Whether an engine can use mapped host memory.
#[repr(C)]
pub enum aclrtHostMemMapCapability {
    /// It cannot.
    ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED = 0,
    /// It can.
    ACL_RT_HOST_MEM_MAP_SUPPORTED = 1,
}

/// Operands and forms of an atomic operation; bits.
#[repr(C)]
pub enum aclrtAtomicOperationCapability {
    /// Signed numbers.
    ACL_RT_ATOMIC_CAPABILITY_SIGNED = 1,
    /// Unsigned numbers.
    ACL_RT_ATOMIC_CAPABILITY_UNSIGNED = 2,
    /// Operations that do not return the old value.
    ACL_RT_ATOMIC_CAPABILITY_REDUCTION = 4,
    /// 8 bits.
    ACL_RT_ATOMIC_CAPABILITY_SCALAR8 = 8,
    /// 16 bits.
    ACL_RT_ATOMIC_CAPABILITY_SCALAR16 = 16,
    /// 32 bits.
    ACL_RT_ATOMIC_CAPABILITY_SCALAR32 = 32,
    /// 64 bits.
    ACL_RT_ATOMIC_CAPABILITY_SCALAR64 = 64,
    /// 128 bits.
    ACL_RT_ATOMIC_CAPABILITY_SCALAR128 = 128,
    /// Four values of 32 bits.
    ACL_RT_ATOMIC_CAPABILITY_VECTOR32X4 = 256,
}

/// Atomic operations.
#[repr(C)]
pub enum aclrtAtomicOperation {
    /// Adds integers.
    ACL_RT_ATOMIC_OPERATION_INTEGER_ADD = 0,
    /// Keeps the smaller integer.
    ACL_RT_ATOMIC_OPERATION_INTEGER_MIN = 1,
    /// Keeps the larger integer.
    ACL_RT_ATOMIC_OPERATION_INTEGER_MAX = 2,
    /// Increments, and wraps.
    ACL_RT_ATOMIC_OPERATION_INTEGER_INCREMENT = 3,
    /// Decrements, and wraps.
    ACL_RT_ATOMIC_OPERATION_INTEGER_DECREMENT = 4,
    /// Bitwise AND.
    ACL_RT_ATOMIC_OPERATION_AND = 5,
    /// Bitwise OR.
    ACL_RT_ATOMIC_OPERATION_OR = 6,
    /// Bitwise exclusive OR.
    ACL_RT_ATOMIC_OPERATION_XOR = 7,
    /// Stores a value and returns the old one.
    ACL_RT_ATOMIC_OPERATION_EXCHANGE = 8,
    /// Stores a value if the old one equals the expected one (compare-and-swap).
    ACL_RT_ATOMIC_OPERATION_CAS = 9,
    /// Adds floating-point numbers.
    ACL_RT_ATOMIC_OPERATION_FLOAT_ADD = 10,
    /// Keeps the smaller floating-point number.
    ACL_RT_ATOMIC_OPERATION_FLOAT_MIN = 11,
    /// Keeps the larger floating-point number.
    ACL_RT_ATOMIC_OPERATION_FLOAT_MAX = 12,
    /// Adds while copying.
    ACL_RT_ATOMIC_OPERATION_DMA_ADD = 30,
    /// Keeps the smaller while copying.
    ACL_RT_ATOMIC_OPERATION_DMA_MIN = 31,
    /// Keeps the larger while copying.
    ACL_RT_ATOMIC_OPERATION_DMA_MAX = 32,
    /// Adds, from the scalar unit of a vector core.
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD = 40,
    /// Keeps the smaller, from the scalar unit of a vector core.
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MIN = 41,
    /// Keeps the larger, from the scalar unit of a vector core.
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MAX = 42,
    /// Compare-and-swap, from the scalar unit of a vector core.
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS = 43,
    /// Exchanges, from the scalar unit of a vector core.
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH = 44,
}

/// Limits of a device, in bytes.
#[repr(C)]
pub enum aclrtDeviceLimit {
    /// Stack of a thread.
    ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE = 0,
    /// Stack of diverged threads.
    ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE = 1,
    /// Stack of a core.
    ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE = 2,
    /// Print buffer of a core.
    ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE = 3,
    /// Print buffer of threads.
    ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE = 4,
}
