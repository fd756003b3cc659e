/* SPDX-License-Identifier: Apache-2.0 */
/* Made from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * The runtime: devices, contexts, streams, events, memory, copies, graphs, kernels.
 */

#ifndef PORTACL_ACL_RT_H
#define PORTACL_ACL_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "acl_base.h"
#include "acl_rt_allocator.h"

/**
 * After a failure the stream goes on.
 */
#define ACL_CONTINUE_ON_FAILURE 0x00000000U

/**
 * A module of a server with AI chips only.
 */
#define ACL_DEVICE_FORM_FACTOR_A_K 1

/**
 * A module of a server with other chips as well.
 */
#define ACL_DEVICE_FORM_FACTOR_A_X 2

/**
 * A card.
 */
#define ACL_DEVICE_FORM_FACTOR_PCIE_CARD 3

/**
 * A part of a pod.
 */
#define ACL_DEVICE_FORM_FACTOR_POD 0

/**
 * The device does not have the feature.
 */
#define ACL_DEV_FEATURE_NOT_SUPPORT 0x00000000

/**
 * The device has the feature.
 */
#define ACL_DEV_FEATURE_SUPPORT 0x00000001

/**
 * The host can ask and wait for the event.
 */
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U

/**
 * The event is for the device only.
 */
#define ACL_EVENT_DEVICE_USE_ONLY 0x00000010U

/**
 * The event orders a graph against what is outside.
 */
#define ACL_EVENT_EXTERNAL 0x00000020U

/**
 * The event can be shared with other processes.
 */
#define ACL_EVENT_IPC 0x00000040U

/**
 * An ordinary record.
 */
#define ACL_EVENT_RECORD_DEFAULT 0x0U

/**
 * A record that is seen outside the graph.
 */
#define ACL_EVENT_RECORD_EXTERNAL 0x01U

/**
 * Streams can wait for the event.
 */
#define ACL_EVENT_SYNC 0x00000001U

/**
 * The event has a time stamp.
 */
#define ACL_EVENT_TIME_LINE 0x00000008U

/**
 * An ordinary wait.
 */
#define ACL_EVENT_WAIT_DEFAULT 0x0U

/**
 * A wait for a record outside the graph.
 */
#define ACL_EVENT_WAIT_EXTERNAL 0x01U

/**
 * Coherent connection.
 */
#define ACL_HOST_DEVICE_CONNECT_TYPE_HCCS 1

/**
 * PCI Express.
 */
#define ACL_HOST_DEVICE_CONNECT_TYPE_PCIE 0

/**
 * Unified bus.
 */
#define ACL_HOST_DEVICE_CONNECT_TYPE_UB 2

/**
 * Register memory that belongs to another device's registers.
 */
#define ACL_HOST_REG_IOMEMORY 0x4UL

/**
 * Register memory and map it for the device.
 */
#define ACL_HOST_REG_MAPPED 0x2UL

/**
 * Register memory as page-locked.
 */
#define ACL_HOST_REG_PINNED 0x10000000UL

/**
 * Register memory that the device may only read.
 */
#define ACL_HOST_REG_READONLY 0x8UL

/**
 * Size of aclrtIpcEventHandle.
 */
#define ACL_IPC_EVENT_HANDLE_SIZE 64U

/**
 * First part of the interface's version.
 */
#define ACL_MAJOR_VERSION 1

/**
 * Write the outline of a graph.
 */
#define ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY 0x0UL

/**
 * Write everything about a graph.
 */
#define ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE 0x1UL

/**
 * Second part of the interface's version.
 */
#define ACL_MINOR_VERSION 17

/**
 * An ordinary notify.
 */
#define ACL_NOTIFY_DEFAULT 0x00000000U

/**
 * A notify for the device only.
 */
#define ACL_NOTIFY_DEVICE_USE_ONLY 0x00000001U

/**
 * Third part of the interface's version.
 */
#define ACL_PATCH_VERSION 0

/**
 * Longest version, its final zero included.
 */
#define ACL_PKG_VERSION_MAX_SIZE 128

/**
 * Longest part of a version, its final zero included.
 */
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

/**
 * A binary for AI cores.
 */
#define ACL_RT_BINARY_MAGIC_ELF_AICORE 0x43554245U

/**
 * A binary for matrix cores.
 */
#define ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE 0x41494343U

/**
 * A binary for vector cores.
 */
#define ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE 0x41415246U

/**
 * Most barriers to wait for at once.
 */
#define ACL_RT_CMO_MAX_BARRIER_NUM 6U

/**
 * Coherent connection.
 */
#define ACL_RT_DEVS_TOPOLOGY_HCCS 0x01ULL

/**
 * Coherent connection through a switch.
 */
#define ACL_RT_DEVS_TOPOLOGY_HCCS_SW 0x40ULL

/**
 * Through one host bridge.
 */
#define ACL_RT_DEVS_TOPOLOGY_PHB 0x08ULL

/**
 * Inside one card.
 */
#define ACL_RT_DEVS_TOPOLOGY_PIB 0x04ULL

/**
 * Through one PCI Express switch.
 */
#define ACL_RT_DEVS_TOPOLOGY_PIX 0x02ULL

/**
 * Inside one package.
 */
#define ACL_RT_DEVS_TOPOLOGY_SIO 0x20ULL

/**
 * Between sockets.
 */
#define ACL_RT_DEVS_TOPOLOGY_SYS 0x10ULL

/**
 * Coherent connection.
 */
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS 1

/**
 * Inside one package.
 */
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO 0

/**
 * Unified bus, through several ports.
 */
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH 3

/**
 * Unified bus, through one port.
 */
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH 2

/**
 * Only listed processes may open the memory.
 */
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT 0x0UL

/**
 * All processes may open the memory.
 */
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL

/**
 * Open the memory.
 */
#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT 0x0UL

/**
 * Open the memory, and switch peer access on.
 */
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x1UL

/**
 * Most errors that a device keeps.
 */
#define ACL_RT_MAX_RECORD_PA_NUM_PER_DEV 20U

/**
 * Every stream uses the managed memory.
 */
#define ACL_RT_MEM_ATTACH_GLOBAL 0x01U

/**
 * The first connection.
 */
#define ACL_RT_MEM_LINK_IDX_0 0U

/**
 * The second connection.
 */
#define ACL_RT_MEM_LINK_IDX_1 1U

/**
 * Device memory, for aclrtCheckMemType.
 */
#define ACL_RT_MEM_TYPE_DEV 0x2U

/**
 * Memory of picture and video units, for aclrtCheckMemType.
 */
#define ACL_RT_MEM_TYPE_DVPP 0x8U

/**
 * Reserved addresses, for aclrtCheckMemType.
 */
#define ACL_RT_MEM_TYPE_RSVD 0x10U

/**
 * Most places of aclrtMemUceInfoArray.
 */
#define ACL_RT_MEM_UCE_INFO_MAX_NUM 20

/**
 * Only listed processes may open the notify.
 */
#define ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT 0x0UL

/**
 * All processes may open the notify.
 */
#define ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x02UL

/**
 * Open the notify.
 */
#define ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT 0x0UL

/**
 * Open the notify, and switch peer access on.
 */
#define ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x02UL

/**
 * Only listed processes may open the physical memory.
 */
#define ACL_RT_VMM_EXPORT_FLAG_DEFAULT 0x0UL

/**
 * All processes may open the physical memory.
 */
#define ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL

/**
 * After a failure the stream, and every other one of its context, stops.
 */
#define ACL_STOP_ON_FAILURE 0x00000001U

/**
 * The stream is for the device's CPUs.
 */
#define ACL_STREAM_CPU_SCHEDULE 0x00000010U

/**
 * The stream is for the device only.
 */
#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020U

/**
 * Submitting is fast.
 */
#define ACL_STREAM_FAST_LAUNCH 0x00000001U

/**
 * Synchronising is fast.
 */
#define ACL_STREAM_FAST_SYNC 0x00000002U

/**
 * The stream is long; has no effect.
 */
#define ACL_STREAM_HUGE 0x00000008U

/**
 * The stream stores its work for a graph.
 */
#define ACL_STREAM_PERSISTENT 0x00000004U

/**
 * Wait until the values have a bit in common.
 */
#define ACL_STREAM_WAIT_VALUE_AND 0x00000002U

/**
 * Wait until the values are equal.
 */
#define ACL_STREAM_WAIT_VALUE_EQ 0x00000001U

/**
 * Wait until the value in memory is not less.
 */
#define ACL_STREAM_WAIT_VALUE_GEQ 0x00000000U

/**
 * Wait until a bit is in neither value.
 */
#define ACL_STREAM_WAIT_VALUE_NOR 0x00000003U

/**
 * Most places that aclrtGetMemUceInfo tells.
 */
#define MAX_MEM_UCE_INFO_ARRAY_SIZE 128

/**
 * Length of the reserved part of aclrtMemUceInfo.
 */
#define UCE_INFO_RESERVED_SIZE 14

/**
 * Who registers a callback for start or end.
 */
typedef enum aclRegisterCallbackType {
    /**
     * The model layer.
     */
    ACL_REG_TYPE_ACL_MODEL = 0,
    /**
     * The layer that runs operators.
     */
    ACL_REG_TYPE_ACL_OP_EXECUTOR = 1,
    /**
     * The linear algebra layer.
     */
    ACL_REG_TYPE_ACL_OP_CBLAS = 2,
    /**
     * The layer that compiles operators.
     */
    ACL_REG_TYPE_ACL_OP_COMPILER = 3,
    /**
     * The channels of the data transport.
     */
    ACL_REG_TYPE_ACL_TDT_CHANNEL = 4,
    /**
     * The queues of the data transport.
     */
    ACL_REG_TYPE_ACL_TDT_QUEUE = 5,
    /**
     * The layer for pictures and video.
     */
    ACL_REG_TYPE_ACL_DVPP = 6,
    /**
     * The layer for retrieval.
     */
    ACL_REG_TYPE_ACL_RETR = 7,
    /**
     * Anybody else.
     */
    ACL_REG_TYPE_OTHER = 65535,
} aclRegisterCallbackType;

/**
 * Packages with a version.
 */
typedef enum aclCANNPackageName {
    /**
     * All together.
     */
    ACL_PKG_NAME_CANN = 0,
    /**
     * The runtime.
     */
    ACL_PKG_NAME_RUNTIME = 1,
    /**
     * The compiler.
     */
    ACL_PKG_NAME_COMPILER = 2,
    /**
     * Collective communication.
     */
    ACL_PKG_NAME_HCCL = 3,
    /**
     * The tools.
     */
    ACL_PKG_NAME_TOOLKIT = 4,
    /**
     * The operators.
     */
    ACL_PKG_NAME_OPP = 5,
    /**
     * The operators' kernels.
     */
    ACL_PKG_NAME_OPP_KERNEL = 6,
    /**
     * The driver.
     */
    ACL_PKG_NAME_DRIVER = 7,
} aclCANNPackageName;

/**
 * Whose last error is meant.
 */
typedef enum aclrtLastErrLevel {
    /**
     * The calling thread's.
     */
    ACL_RT_THREAD_LEVEL = 0,
} aclrtLastErrLevel;

/**
 * Kinds of hardware errors.
 */
typedef enum aclrtErrorType {
    /**
     * None.
     */
    ACL_RT_NO_ERROR = 0,
    /**
     * Memory.
     */
    ACL_RT_ERROR_MEMORY = 1,
    /**
     * Level-2 cache.
     */
    ACL_RT_ERROR_L2 = 2,
    /**
     * AI core.
     */
    ACL_RT_ERROR_AICORE = 3,
    /**
     * Connection.
     */
    ACL_RT_ERROR_LINK = 4,
    /**
     * Port of the level-3 network.
     */
    ACL_RT_ERROR_L3_PORT = 5,
    /**
     * Another.
     */
    ACL_RT_ERROR_OTHERS = 65535,
} aclrtErrorType;

/**
 * Kinds of errors of an AI core.
 */
typedef enum aclrtAicoreErrorType {
    /**
     * Not known.
     */
    ACL_RT_AICORE_ERROR_UNKNOWN = 0,
    /**
     * The program's fault.
     */
    ACL_RT_AICORE_ERROR_SW = 1,
    /**
     * The hardware's fault.
     */
    ACL_RT_AICORE_ERROR_HW_LOCAL = 2,
} aclrtAicoreErrorType;

/**
 * Where the program runs.
 */
typedef enum aclrtRunMode {
    /**
     * On the device itself.
     */
    ACL_DEVICE = 0,
    /**
     * On a host that the device is attached to.
     */
    ACL_HOST = 1,
} aclrtRunMode;

/**
 * The task schedulers of a device.
 */
typedef enum aclrtTsId {
    /**
     * The one of the AI cores.
     */
    ACL_TS_ID_AICORE = 0,
    /**
     * The one of the vector cores.
     */
    ACL_TS_ID_AIVECTOR = 1,
    /**
     * Not in use.
     */
    ACL_TS_ID_RESERVED = 2,
} aclrtTsId;

/**
 * The state of a device.
 */
typedef enum aclrtDeviceStatus {
    /**
     * It works.
     */
    ACL_RT_DEVICE_STATUS_NORMAL = 0,
    /**
     * It has failed.
     */
    ACL_RT_DEVICE_STATUS_ABNORMAL = 1,
    /**
     * Not a state.
     */
    ACL_RT_DEVICE_STATUS_END = 65535,
} aclrtDeviceStatus;

/**
 * When a callback about aclrtDeviceTaskAbort comes.
 */
typedef enum aclrtDeviceTaskAbortStage {
    /**
     * Before.
     */
    ACL_RT_DEVICE_TASK_ABORT_PRE = 0,
    /**
     * After.
     */
    ACL_RT_DEVICE_TASK_ABORT_POST = 1,
} aclrtDeviceTaskAbortStage;

/**
 * When a callback about a device comes.
 */
typedef enum aclrtDeviceState {
    /**
     * Before it is set.
     */
    ACL_RT_DEVICE_STATE_SET_PRE = 0,
    /**
     * After it was set.
     */
    ACL_RT_DEVICE_STATE_SET_POST = 1,
    /**
     * Before it is reset.
     */
    ACL_RT_DEVICE_STATE_RESET_PRE = 2,
    /**
     * After it was reset.
     */
    ACL_RT_DEVICE_STATE_RESET_POST = 3,
} aclrtDeviceState;

/**
 * Limits of a device, in bytes.
 */
typedef enum aclrtDeviceLimit {
    /**
     * Stack of a thread.
     */
    ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE = 0,
    /**
     * Stack of threads that have gone different ways.
     */
    ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE = 1,
    /**
     * Stack of a core.
     */
    ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE = 2,
    /**
     * Space for what a core prints.
     */
    ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE = 3,
    /**
     * Space for what threads print.
     */
    ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE = 4,
} aclrtDeviceLimit;

/**
 * Numbers about a device.
 */
typedef enum aclrtDevAttr {
    /**
     * CPUs of the device.
     */
    ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
    /**
     * AI cores.
     */
    ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
    /**
     * Matrix cores.
     */
    ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
    /**
     * Vector cores.
     */
    ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
    /**
     * Threads that go together, 0 where there are none.
     */
    ACL_DEV_ATTR_WARP_SIZE = 202,
    /**
     * Threads of a vector core.
     */
    ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
    /**
     * Fast memory of a vector core in bytes.
     */
    ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
    /**
     * An older name of ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE.
     */
    ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE = 204,
    /**
     * Largest grid, in x.
     */
    ACL_DEV_ATTR_MAX_GRID_DIM_X = 205,
    /**
     * Largest grid, in y.
     */
    ACL_DEV_ATTR_MAX_GRID_DIM_Y = 206,
    /**
     * Largest grid, in z.
     */
    ACL_DEV_ATTR_MAX_GRID_DIM_Z = 207,
    /**
     * Blocks of a grid.
     */
    ACL_DEV_ATTR_MAX_BLOCK_PER_GRID = 208,
    /**
     * Threads of a block.
     */
    ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209,
    /**
     * Largest block, in x.
     */
    ACL_DEV_ATTR_MAX_BLOCK_DIM_X = 210,
    /**
     * Largest block, in y.
     */
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Y = 211,
    /**
     * Largest block, in z.
     */
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Z = 212,
    /**
     * Memory in bytes.
     */
    ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
    /**
     * Level-2 cache in bytes.
     */
    ACL_DEV_ATTR_L2_CACHE_SIZE = 302,
    /**
     * The system that the device belongs to.
     */
    ACL_DEV_ATTR_SMP_ID = 401,
    /**
     * The number of the chip.
     */
    ACL_DEV_ATTR_PHY_CHIP_ID = 402,
    /**
     * The number of the device in its pod.
     */
    ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403,
    /**
     * The same as ACL_DEV_ATTR_SUPER_POD_DEVICE_ID, as it was misspelt once.
     */
    ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID = 403,
    /**
     * The number of the server in its pod.
     */
    ACL_DEV_ATTR_SUPER_POD_SERVER_ID = 404,
    /**
     * The number of the pod.
     */
    ACL_DEV_ATTR_SUPER_POD_ID = 405,
    /**
     * Whether operators of the user may run on the device's CPUs.
     */
    ACL_DEV_ATTR_CUST_OP_PRIVILEGE = 406,
    /**
     * The kind of main board.
     */
    ACL_DEV_ATTR_MAINBOARD_ID = 407,
    /**
     * How the host is connected: ACL_HOST_DEVICE_CONNECT_TYPE_*.
     */
    ACL_DEV_ATTR_HD_CONNECT_TYPE = 408,
    /**
     * What the device looks like: ACL_DEVICE_FORM_FACTOR_*.
     */
    ACL_DEV_ATTR_DEVICE_FORM_FACTOR = 409,
    /**
     * 1 if the device is a part of another one.
     */
    ACL_DEV_ATTR_IS_VIRTUAL = 501,
    /**
     * The number of the architecture.
     */
    ACL_DEV_ATTR_NPU_ARCH = 601,
} aclrtDevAttr;

/**
 * Features of a device.
 */
typedef enum aclrtDevFeatureType {
    /**
     * Waiting kernels can be changed.
     */
    ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV = 1,
    /**
     * Queue events reach other devices.
     */
    ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV = 21,
} aclrtDevFeatureType;

/**
 * Atomic operations.
 */
typedef enum aclrtAtomicOperation {
    /**
     * Adds integers.
     */
    ACL_RT_ATOMIC_OPERATION_INTEGER_ADD = 0,
    /**
     * Keeps the smaller integer.
     */
    ACL_RT_ATOMIC_OPERATION_INTEGER_MIN = 1,
    /**
     * Keeps the larger integer.
     */
    ACL_RT_ATOMIC_OPERATION_INTEGER_MAX = 2,
    /**
     * Counts up, and wraps.
     */
    ACL_RT_ATOMIC_OPERATION_INTEGER_INCREMENT = 3,
    /**
     * Counts down, and wraps.
     */
    ACL_RT_ATOMIC_OPERATION_INTEGER_DECREMENT = 4,
    /**
     * Bits that are in both.
     */
    ACL_RT_ATOMIC_OPERATION_AND = 5,
    /**
     * Bits that are in either.
     */
    ACL_RT_ATOMIC_OPERATION_OR = 6,
    /**
     * Bits that are in one only.
     */
    ACL_RT_ATOMIC_OPERATION_XOR = 7,
    /**
     * Stores a value and gives the old one.
     */
    ACL_RT_ATOMIC_OPERATION_EXCHANGE = 8,
    /**
     * Stores a value if the old one is as expected.
     */
    ACL_RT_ATOMIC_OPERATION_CAS = 9,
    /**
     * Adds floating-point numbers.
     */
    ACL_RT_ATOMIC_OPERATION_FLOAT_ADD = 10,
    /**
     * Keeps the smaller floating-point number.
     */
    ACL_RT_ATOMIC_OPERATION_FLOAT_MIN = 11,
    /**
     * Keeps the larger floating-point number.
     */
    ACL_RT_ATOMIC_OPERATION_FLOAT_MAX = 12,
    /**
     * Adds while copying.
     */
    ACL_RT_ATOMIC_OPERATION_DMA_ADD = 30,
    /**
     * Keeps the smaller while copying.
     */
    ACL_RT_ATOMIC_OPERATION_DMA_MIN = 31,
    /**
     * Keeps the larger while copying.
     */
    ACL_RT_ATOMIC_OPERATION_DMA_MAX = 32,
    /**
     * Adds, from the scalar unit of a vector core.
     */
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD = 40,
    /**
     * Keeps the smaller, from the scalar unit of a vector core.
     */
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MIN = 41,
    /**
     * Keeps the larger, from the scalar unit of a vector core.
     */
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MAX = 42,
    /**
     * Stores if as expected, from the scalar unit of a vector core.
     */
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS = 43,
    /**
     * Exchanges, from the scalar unit of a vector core.
     */
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH = 44,
} aclrtAtomicOperation;

/**
 * Engines of a device.
 */
typedef enum aclrtHacType {
    /**
     * The scheduler.
     */
    ACL_RT_HAC_TYPE_STARS = 0,
    /**
     * CPUs of the device.
     */
    ACL_RT_HAC_TYPE_AICPU = 1,
    /**
     * Matrix cores.
     */
    ACL_RT_HAC_TYPE_AIC = 2,
    /**
     * Vector cores.
     */
    ACL_RT_HAC_TYPE_AIV = 3,
    /**
     * Copies over PCI Express.
     */
    ACL_RT_HAC_TYPE_PCIEDMA = 4,
    /**
     * Copies over a network.
     */
    ACL_RT_HAC_TYPE_RDMA = 5,
    /**
     * Copies inside the system.
     */
    ACL_RT_HAC_TYPE_SDMA = 6,
    /**
     * Pictures and video.
     */
    ACL_RT_HAC_TYPE_DVPP = 7,
    /**
     * Copies over the unified bus.
     */
    ACL_RT_HAC_TYPE_UDMA = 8,
    /**
     * Collective communication.
     */
    ACL_RT_HAC_TYPE_CCU = 9,
} aclrtHacType;

/**
 * Whether an engine can use mapped host memory.
 */
typedef enum aclrtHostMemMapCapability {
    /**
     * It cannot.
     */
    ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED = 0,
    /**
     * It can.
     */
    ACL_RT_HOST_MEM_MAP_SUPPORTED = 1,
} aclrtHostMemMapCapability;

/**
 * What aclrtStreamQuery tells.
 */
typedef enum aclrtStreamStatus {
    /**
     * All work has finished.
     */
    ACL_STREAM_STATUS_COMPLETE = 0,
    /**
     * There is work left.
     */
    ACL_STREAM_STATUS_NOT_READY = 1,
    /**
     * Not a state.
     */
    ACL_STREAM_STATUS_RESERVED = 65535,
} aclrtStreamStatus;

/**
 * When a callback about a stream comes.
 */
typedef enum aclrtStreamState {
    /**
     * After it was made.
     */
    ACL_RT_STREAM_STATE_CREATE_POST = 1,
    /**
     * Before it ends.
     */
    ACL_RT_STREAM_STATE_DESTROY_PRE = 2,
} aclrtStreamState;

/**
 * Attributes of a stream.
 */
typedef enum aclrtStreamAttr {
    /**
     * What happens after a failure.
     */
    ACL_STREAM_ATTR_FAILURE_MODE = 1,
    /**
     * Whether overflows are watched for.
     */
    ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
    /**
     * A number of the caller.
     */
    ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3,
    /**
     * Whether notes about operators are kept.
     */
    ACL_STREAM_ATTR_CACHE_OP_INFO = 4,
    /**
     * The priority.
     */
    ACL_STREAM_ATTR_PRIORITY = 5,
} aclrtStreamAttr;

/**
 * What a description of a stream can say.
 */
typedef enum aclrtStreamConfigAttr {
    /**
     * Working memory: its address.
     */
    ACL_RT_STREAM_WORK_ADDR_PTR = 0,
    /**
     * Working memory: its size.
     */
    ACL_RT_STREAM_WORK_SIZE = 1,
    /**
     * ACL_STREAM_* flags.
     */
    ACL_RT_STREAM_FLAG = 2,
    /**
     * The priority.
     */
    ACL_RT_STREAM_PRIORITY = 3,
} aclrtStreamConfigAttr;

/**
 * What aclrtQueryEventStatus tells. Mind the numbers: 1 is complete.
 */
typedef enum aclrtEventRecordedStatus {
    /**
     * The record has not happened yet, or was never made.
     */
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
    /**
     * The record has happened.
     */
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1,
} aclrtEventRecordedStatus;

/**
 * What aclrtQueryEvent tells.
 */
typedef enum aclrtEventStatus {
    /**
     * It has happened.
     */
    ACL_EVENT_STATUS_COMPLETE = 0,
    /**
     * It has not happened yet.
     */
    ACL_EVENT_STATUS_NOT_READY = 1,
    /**
     * Not a state.
     */
    ACL_EVENT_STATUS_RESERVED = 2,
} aclrtEventStatus;

/**
 * What aclrtQueryEventWaitStatus tells.
 */
typedef enum aclrtEventWaitStatus {
    /**
     * Nobody waits any more.
     */
    ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
    /**
     * Somebody waits.
     */
    ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
    /**
     * Not a state.
     */
    ACL_EVENT_WAIT_STATUS_RESERVED = 65535,
} aclrtEventWaitStatus;

/**
 * Which pages an allocation asks for. Other numbers are allowed and decide by size.
 */
typedef enum aclrtMemMallocPolicy {
    /**
     * Huge pages if they can be had.
     */
    ACL_MEM_MALLOC_HUGE_FIRST = 0,
    /**
     * Huge pages or a failure.
     */
    ACL_MEM_MALLOC_HUGE_ONLY = 1,
    /**
     * Ordinary pages.
     */
    ACL_MEM_MALLOC_NORMAL_ONLY = 2,
    /**
     * As ACL_MEM_MALLOC_HUGE_FIRST, for other devices as well.
     */
    ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
    /**
     * As ACL_MEM_MALLOC_HUGE_ONLY, for other devices as well.
     */
    ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
    /**
     * As ACL_MEM_MALLOC_NORMAL_ONLY, for other devices as well.
     */
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
    /**
     * Pages of 1 GiB or a failure.
     */
    ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
    /**
     * As ACL_MEM_MALLOC_HUGE1G_ONLY, for other devices as well.
     */
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,
    /**
     * Added to a policy: from the slower memory.
     */
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 256,
    /**
     * Added to a policy: from the faster memory.
     */
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 4096,
    /**
     * Added to a policy: the program may only read it.
     */
    ACL_MEM_ACCESS_USER_SPACE_READONLY = 1048576,
} aclrtMemMallocPolicy;

/**
 * Attributes of an allocation.
 */
typedef enum aclrtMallocAttrType {
    /**
     * None.
     */
    ACL_RT_MEM_ATTR_RSV = 0,
    /**
     * Who counts it.
     */
    ACL_RT_MEM_ATTR_MODULE_ID = 1,
    /**
     * For which device.
     */
    ACL_RT_MEM_ATTR_DEVICE_ID = 2,
    /**
     * At one address for host and device.
     */
    ACL_RT_MEM_ATTR_VA_FLAG = 3,
} aclrtMallocAttrType;

/**
 * Kinds of device memory: DDR and HBM, page size, reachable by other devices (P2P) or not.
 */
typedef enum aclrtMemAttr {
    /**
     * DDR, all pages.
     */
    ACL_DDR_MEM = 0,
    /**
     * HBM, all pages.
     */
    ACL_HBM_MEM = 1,
    /**
     * DDR, huge pages.
     */
    ACL_DDR_MEM_HUGE = 2,
    /**
     * DDR, ordinary pages.
     */
    ACL_DDR_MEM_NORMAL = 3,
    /**
     * HBM, huge pages.
     */
    ACL_HBM_MEM_HUGE = 4,
    /**
     * HBM, ordinary pages.
     */
    ACL_HBM_MEM_NORMAL = 5,
    /**
     * DDR for other devices, huge pages.
     */
    ACL_DDR_MEM_P2P_HUGE = 6,
    /**
     * DDR for other devices, ordinary pages.
     */
    ACL_DDR_MEM_P2P_NORMAL = 7,
    /**
     * HBM for other devices, huge pages.
     */
    ACL_HBM_MEM_P2P_HUGE = 8,
    /**
     * HBM for other devices, ordinary pages.
     */
    ACL_HBM_MEM_P2P_NORMAL = 9,
    /**
     * HBM, pages of 1 GiB.
     */
    ACL_HBM_MEM_HUGE1G = 10,
    /**
     * HBM for other devices, pages of 1 GiB.
     */
    ACL_HBM_MEM_P2P_HUGE1G = 11,
    /**
     * Any memory, ordinary pages.
     */
    ACL_MEM_NORMAL = 12,
    /**
     * Any memory, huge pages.
     */
    ACL_MEM_HUGE = 13,
    /**
     * Any memory, pages of 1 GiB.
     */
    ACL_MEM_HUGE1G = 14,
    /**
     * Any memory for other devices, ordinary pages.
     */
    ACL_MEM_P2P_NORMAL = 15,
    /**
     * Any memory for other devices, huge pages.
     */
    ACL_MEM_P2P_HUGE = 16,
    /**
     * Any memory for other devices, pages of 1 GiB.
     */
    ACL_MEM_P2P_HUGE1G = 17,
} aclrtMemAttr;

/**
 * Kinds of places for memory.
 */
typedef enum aclrtMemLocationType {
    /**
     * Page-locked host memory.
     */
    ACL_MEM_LOCATION_TYPE_HOST = 0,
    /**
     * Device memory.
     */
    ACL_MEM_LOCATION_TYPE_DEVICE = 1,
    /**
     * Memory that the library does not know.
     */
    ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2,
    /**
     * Managed memory.
     */
    ACL_MEM_LOCATION_TYPE_MANAGED = 3,
    /**
     * A part of the host's memory.
     */
    ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4,
} aclrtMemLocationType;

/**
 * How host memory is registered.
 */
typedef enum aclrtHostRegisterType {
    /**
     * Mapped for the device.
     */
    ACL_HOST_REGISTER_MAPPED = 0,
    /**
     * It belongs to another device's registers.
     */
    ACL_HOST_REGISTER_IOMEMORY = 4,
    /**
     * The device may only read it.
     */
    ACL_HOST_REGISTER_READONLY = 8,
} aclrtHostRegisterType;

/**
 * What caches are to do.
 */
typedef enum aclrtCmoType {
    /**
     * Load memory.
     */
    ACL_RT_CMO_TYPE_PREFETCH = 0,
    /**
     * Write memory back and keep it.
     */
    ACL_RT_CMO_TYPE_WRITEBACK = 1,
    /**
     * Drop memory.
     */
    ACL_RT_CMO_TYPE_INVALID = 2,
    /**
     * Write memory back and drop it.
     */
    ACL_RT_CMO_TYPE_FLUSH = 3,
} aclrtCmoType;

/**
 * The direction of a copy.
 */
typedef enum aclrtMemcpyKind {
    /**
     * Host to host.
     */
    ACL_MEMCPY_HOST_TO_HOST = 0,
    /**
     * Host to device.
     */
    ACL_MEMCPY_HOST_TO_DEVICE = 1,
    /**
     * Device to host.
     */
    ACL_MEMCPY_DEVICE_TO_HOST = 2,
    /**
     * Device to device, the same or another.
     */
    ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
    /**
     * As the addresses say.
     */
    ACL_MEMCPY_DEFAULT = 4,
    /**
     * Host to device; the source is free for reuse when the call returns.
     */
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
    /**
     * Inside one device.
     */
    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
    /**
     * From one device to another.
     */
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7,
} aclrtMemcpyKind;

/**
 * What a reduction does.
 */
typedef enum aclrtReduceKind {
    /**
     * Adds.
     */
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM = 10,
    /**
     * Keeps the larger.
     */
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX = 11,
    /**
     * Keeps the smaller.
     */
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN = 12,
    /**
     * Compares.
     */
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL = 13,
} aclrtReduceKind;

/**
 * Distributions of random numbers.
 */
typedef enum aclrtRandomNumFuncType {
    /**
     * A dropout mask.
     */
    ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK = 0,
    /**
     * Uniform.
     */
    ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS = 1,
    /**
     * Normal.
     */
    ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS = 2,
    /**
     * Normal, without what is far from the mean.
     */
    ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3,
} aclrtRandomNumFuncType;

/**
 * Whether a stream waits for a callback.
 */
typedef enum aclrtCallbackBlockType {
    /**
     * Later work goes on at once.
     */
    ACL_CALLBACK_NO_BLOCK = 0,
    /**
     * Later work waits until the callback has returned.
     */
    ACL_CALLBACK_BLOCK = 1,
} aclrtCallbackBlockType;

/**
 * How physical memory is shared.
 */
typedef enum aclrtMemHandleType {
    /**
     * As the runtime does it.
     */
    ACL_MEM_HANDLE_TYPE_NONE = 0,
    /**
     * By file descriptor.
     */
    ACL_MEM_HANDLE_TYPE_POSIX = 2,
} aclrtMemHandleType;

/**
 * Kinds of physical memory.
 */
typedef enum aclrtMemAllocationType {
    /**
     * It stays where it is.
     */
    ACL_MEM_ALLOCATION_TYPE_PINNED = 0,
} aclrtMemAllocationType;

/**
 * What aclrtMemGetAllocationGranularity is to tell.
 */
typedef enum aclrtMemGranularityOptions {
    /**
     * What sizes must be a multiple of.
     */
    ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
    /**
     * What sizes should be a multiple of.
     */
    ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
    /**
     * Not an option.
     */
    ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 65535,
} aclrtMemGranularityOptions;

/**
 * How a place may use memory.
 */
typedef enum aclrtMemAccessFlags {
    /**
     * Not at all.
     */
    ACL_RT_MEM_ACCESS_FLAGS_NONE = 0,
    /**
     * Read.
     */
    ACL_RT_MEM_ACCESS_FLAGS_READ = 1,
    /**
     * Read and write.
     */
    ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 3,
} aclrtMemAccessFlags;

/**
 * Connections between devices.
 */
typedef enum aclrtMemLinkType {
    /**
     * Inside one package.
     */
    ACL_RT_MEM_ACCESS_LINK_SIO = 0,
    /**
     * Coherent, between packages.
     */
    ACL_RT_MEM_ACCESS_LINK_HCCS = 1,
    /**
     * The unified bus, through one port.
     */
    ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH = 2,
    /**
     * The unified bus, through several ports.
     */
    ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH = 3,
} aclrtMemLinkType;

/**
 * What to know about managed memory.
 */
typedef enum aclrtMemManagedAdviseType {
    /**
     * It is mostly read.
     */
    ACL_MEM_ADVISE_SET_READ_MOSTLY = 0,
    /**
     * It is not mostly read.
     */
    ACL_MEM_ADVISE_UNSET_READ_MOSTLY = 1,
    /**
     * It should be at a place.
     */
    ACL_MEM_ADVISE_SET_PREFERRED_LOCATION = 2,
    /**
     * It may be anywhere.
     */
    ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 3,
    /**
     * A place uses it.
     */
    ACL_MEM_ADVISE_SET_ACCESSED_BY = 4,
    /**
     * A place does not use it.
     */
    ACL_MEM_ADVISE_UNSET_ACCESSED_BY = 5,
} aclrtMemManagedAdviseType;

/**
 * Kinds of places for managed memory.
 */
typedef enum aclrtMemManagedLocationType {
    /**
     * No place.
     */
    ACL_MEM_LOCATIONTYPE_INVALID = 0,
    /**
     * A device.
     */
    ACL_MEM_LOCATIONTYPE_DEVICE = 1,
    /**
     * The host.
     */
    ACL_MEM_LOCATIONTYPE_HOST = 2,
    /**
     * A part of the host's memory.
     */
    ACL_MEM_LOCATIONTYPE_HOST_NUMA = 3,
    /**
     * The part of the host's memory that is near the calling thread.
     */
    ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT = 4,
} aclrtMemManagedLocationType;

/**
 * Attributes of a range of managed memory.
 */
typedef enum aclrtMemManagedRangeAttribute {
    /**
     * Whether it is mostly read.
     */
    ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
    /**
     * The device where it should be.
     */
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
    /**
     * The devices that use it.
     */
    ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
    /**
     * The kind of place where it should be.
     */
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 4,
    /**
     * The number of the place where it should be.
     */
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 5,
    /**
     * The device it was moved to last.
     */
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 6,
    /**
     * The kind of place it was moved to last.
     */
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
    /**
     * The number of the place it was moved to last.
     */
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8,
} aclrtMemManagedRangeAttribute;

/**
 * Attributes of shared memory.
 */
typedef enum aclrtIpcMemAttrType {
    /**
     * The connection it is reached through.
     */
    ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0,
} aclrtIpcMemAttrType;

/**
 * Kinds of handles for other processes.
 */
typedef enum aclrtMemSharedHandleType {
    /**
     * A number, on one server.
     */
    ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 1,
    /**
     * 128 bytes, between servers.
     */
    ACL_MEM_SHARE_HANDLE_TYPE_FABRIC = 2,
} aclrtMemSharedHandleType;

/**
 * How a record changes the count of a notify.
 */
typedef enum aclrtCntNotifyRecordMode {
    /**
     * Sets it.
     */
    ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE = 0,
    /**
     * Adds to it.
     */
    ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE = 1,
    /**
     * Sets bits in it.
     */
    ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE = 2,
    /**
     * Clears bits in it.
     */
    ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE = 4,
} aclrtCntNotifyRecordMode;

/**
 * What the count of a notify must be for a wait to end.
 */
typedef enum aclrtCntNotifyWaitMode {
    /**
     * Less than the value.
     */
    ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE = 0,
    /**
     * The value.
     */
    ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE = 1,
    /**
     * Greater than the value.
     */
    ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE = 2,
    /**
     * Not less than the value.
     */
    ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE = 3,
    /**
     * The value, in those bits.
     */
    ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE = 4,
} aclrtCntNotifyWaitMode;

/**
 * What is allowed while a stream is recorded.
 */
typedef enum aclmdlRICaptureMode {
    /**
     * No thread may make a call that cannot be recorded.
     */
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
    /**
     * The recording thread may not make a call that cannot be recorded.
     */
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
    /**
     * All calls are allowed.
     */
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2,
} aclmdlRICaptureMode;

/**
 * The state of a recording.
 */
typedef enum aclmdlRICaptureStatus {
    /**
     * The stream is not recorded.
     */
    ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
    /**
     * The stream is recorded.
     */
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,
    /**
     * The recording was spoilt by a call that is not allowed.
     */
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2,
} aclmdlRICaptureStatus;

/**
 * How a condition begins.
 */
typedef enum aclmdlRICondHandleFlag {
    /**
     * It gets its default value at every run.
     */
    ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT = 1,
} aclmdlRICondHandleFlag;

/**
 * Kinds of conditional tasks.
 */
typedef enum aclmdlRICondTaskType {
    /**
     * Runs a graph if the value is not zero.
     */
    ACL_MODEL_RI_COND_TYPE_IF = 0,
    /**
     * Runs a graph as long as the value is not zero.
     */
    ACL_MODEL_RI_COND_TYPE_WHILE = 1,
    /**
     * Runs the graph with the value as its index.
     */
    ACL_MODEL_RI_COND_TYPE_SWITCH = 2,
} aclmdlRICondTaskType;

/**
 * Kinds of tasks of a graph.
 */
typedef enum aclmdlRITaskType {
    /**
     * One without parameters to ask for.
     */
    ACL_MODEL_RI_TASK_DEFAULT = 0,
    /**
     * A kernel.
     */
    ACL_MODEL_RI_TASK_KERNEL = 1,
    /**
     * The record of an event.
     */
    ACL_MODEL_RI_TASK_EVENT_RECORD = 2,
    /**
     * A wait for an event.
     */
    ACL_MODEL_RI_TASK_EVENT_WAIT = 3,
    /**
     * The reset of an event.
     */
    ACL_MODEL_RI_TASK_EVENT_RESET = 4,
    /**
     * A value that is written.
     */
    ACL_MODEL_RI_TASK_VALUE_WRITE = 5,
    /**
     * A value that is waited for.
     */
    ACL_MODEL_RI_TASK_VALUE_WAIT = 6,
} aclmdlRITaskType;

/**
 * Attributes of a launch.
 */
typedef enum aclrtLaunchKernelAttrId {
    /**
     * How blocks are scheduled.
     */
    ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
    /**
     * Fast memory in bytes beyond what the kernel declares.
     */
    ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,
    /**
     * An older name of ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE.
     */
    ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE = 2,
    /**
     * Which cores.
     */
    ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3,
    /**
     * The number of the first block.
     */
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4,
    /**
     * Whether the task is not loaded ahead.
     */
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
    /**
     * Whether its data is dumped.
     */
    ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6,
    /**
     * Time limit in seconds.
     */
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7,
    /**
     * Time limit in microseconds.
     */
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8,
    /**
     * Whether it is profiled.
     */
    ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9,
} aclrtLaunchKernelAttrId;

/**
 * Kinds of cores.
 */
typedef enum aclrtEngineType {
    /**
     * Matrix cores.
     */
    ACL_RT_ENGINE_TYPE_AIC = 0,
    /**
     * Vector cores.
     */
    ACL_RT_ENGINE_TYPE_AIV = 1,
} aclrtEngineType;

/**
 * How two values are compared.
 */
typedef enum aclrtCondition {
    /**
     * Equal.
     */
    ACL_RT_EQUAL = 0,
    /**
     * Not equal.
     */
    ACL_RT_NOT_EQUAL = 1,
    /**
     * The left one is greater.
     */
    ACL_RT_GREATER = 2,
    /**
     * The left one is not less.
     */
    ACL_RT_GREATER_OR_EQUAL = 3,
    /**
     * The left one is less.
     */
    ACL_RT_LESS = 4,
    /**
     * The left one is not greater.
     */
    ACL_RT_LESS_OR_EQUAL = 5,
} aclrtCondition;

/**
 * The type of values that are compared.
 */
typedef enum aclrtCompareDataType {
    /**
     * 32-bit signed.
     */
    ACL_RT_SWITCH_INT32 = 0,
    /**
     * 64-bit signed.
     */
    ACL_RT_SWITCH_INT64 = 1,
} aclrtCompareDataType;

/**
 * Options of loading a device binary.
 */
typedef enum aclrtBinaryLoadOptionType {
    /**
     * Load kernels when they are needed.
     */
    ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
    /**
     * The number that tells for which cores it is.
     */
    ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
    /**
     * The same as ACL_RT_BINARY_LOAD_OPT_MAGIC.
     */
    ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2,
    /**
     * How kernels for the device's CPUs are found.
     */
    ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3,
} aclrtBinaryLoadOptionType;

/**
 * Attributes of a kernel.
 */
typedef enum aclrtFuncAttribute {
    /**
     * Its kind: a number of aclrtKernelType.
     */
    ACL_FUNC_ATTR_KERNEL_TYPE = 1,
    /**
     * Its vector cores for each matrix core.
     */
    ACL_FUNC_ATTR_KERNEL_RATIO = 2,
    /**
     * How its blocks are scheduled.
     */
    ACL_FUNC_ATTR_KERNEL_SCHED_MODE = 3,
} aclrtFuncAttribute;

/**
 * What to change in a waiting task.
 */
typedef enum aclrtUpdateTaskAttrId {
    /**
     * Random numbers.
     */
    ACL_RT_UPDATE_RANDOM_TASK = 1,
    /**
     * A kernel.
     */
    ACL_RT_UPDATE_AIC_AIV_TASK = 2,
} aclrtUpdateTaskAttrId;

/**
 * What a limit is about.
 */
typedef enum aclrtDevResLimitType {
    /**
     * Matrix cores.
     */
    ACL_RT_DEV_RES_CUBE_CORE = 0,
    /**
     * Vector cores.
     */
    ACL_RT_DEV_RES_VECTOR_CORE = 1,
} aclrtDevResLimitType;

/**
 * What a floating-point overflow gives.
 */
typedef enum aclrtFloatOverflowMode {
    /**
     * The largest finite number.
     */
    ACL_RT_OVERFLOW_MODE_SATURATION = 0,
    /**
     * An infinity or a NaN.
     */
    ACL_RT_OVERFLOW_MODE_INFNAN = 1,
    /**
     * Not a mode.
     */
    ACL_RT_OVERFLOW_MODE_UNDEF = 2,
} aclrtFloatOverflowMode;

/**
 * Attributes of a group.
 */
typedef enum aclrtGroupAttr {
    /**
     * AI cores.
     */
    ACL_GROUP_AICORE_INT = 0,
    /**
     * Vector cores.
     */
    ACL_GROUP_AIV_INT = 1,
    /**
     * Threads of the AI CPU.
     */
    ACL_GROUP_AIC_INT = 2,
    /**
     * Copy engines.
     */
    ACL_GROUP_SDMANUM_INT = 3,
    /**
     * Queues that take work.
     */
    ACL_GROUP_ASQNUM_INT = 4,
    /**
     * The number of the group.
     */
    ACL_GROUP_GROUPID_INT = 5,
} aclrtGroupAttr;

/**
 * When a callback about a snapshot comes.
 */
typedef enum aclrtSnapShotStage {
    /**
     * Before the process is locked.
     */
    ACL_RT_SNAPSHOT_LOCK_PRE = 0,
    /**
     * Before the devices' state is saved.
     */
    ACL_RT_SNAPSHOT_BACKUP_PRE = 1,
    /**
     * After the devices' state was saved.
     */
    ACL_RT_SNAPSHOT_BACKUP_POST = 2,
    /**
     * Before the devices' state comes back.
     */
    ACL_RT_SNAPSHOT_RESTORE_PRE = 3,
    /**
     * After the devices' state came back.
     */
    ACL_RT_SNAPSHOT_RESTORE_POST = 4,
    /**
     * After the process was unlocked.
     */
    ACL_RT_SNAPSHOT_UNLOCK_POST = 5,
} aclrtSnapShotStage;

/**
 * What an atomic operation can be done on; bits.
 */
typedef enum aclrtAtomicOperationCapability {
    /**
     * Signed numbers.
     */
    ACL_RT_ATOMIC_CAPABILITY_SIGNED = 1,
    /**
     * Unsigned numbers.
     */
    ACL_RT_ATOMIC_CAPABILITY_UNSIGNED = 2,
    /**
     * Without giving the old value.
     */
    ACL_RT_ATOMIC_CAPABILITY_REDUCTION = 4,
    /**
     * The same as ACL_RT_ATOMIC_CAPABILITY_REDUCTION, as it was misspelt once.
     */
    ACL_RT_ATOMIC_CAPABILITY_REDUCATION = 4,
    /**
     * 8 bits.
     */
    ACL_RT_ATOMIC_CAPABILITY_SCALAR8 = 8,
    /**
     * 16 bits.
     */
    ACL_RT_ATOMIC_CAPABILITY_SCALAR16 = 16,
    /**
     * 32 bits.
     */
    ACL_RT_ATOMIC_CAPABILITY_SCALAR32 = 32,
    /**
     * 64 bits.
     */
    ACL_RT_ATOMIC_CAPABILITY_SCALAR64 = 64,
    /**
     * 128 bits.
     */
    ACL_RT_ATOMIC_CAPABILITY_SCALAR128 = 128,
    /**
     * Four times 32 bits.
     */
    ACL_RT_ATOMIC_CAPABILITY_VECTOR32X4 = 256,
} aclrtAtomicOperationCapability;

/**
 * Page sizes.
 */
typedef enum aclrtMemPgType {
    /**
     * Ordinary.
     */
    NORMAL_PAGE_TYPE = 0,
    /**
     * Huge.
     */
    HUGE_PAGE_TYPE = 1,
    /**
     * 1 GiB.
     */
    HUGE1G_PAGE_TYPE = 2,
} aclrtMemPgType;

/**
 * Kinds of memory.
 */
typedef enum aclrtMemType {
    /**
     * HBM.
     */
    HBM_TYPE = 0,
    /**
     * DDR.
     */
    DDR_TYPE = 1,
    /**
     * HBM for other devices.
     */
    P2P_HBM_TYPE = 2,
    /**
     * DDR for other devices.
     */
    P2P_DDR_TYPE = 3,
} aclrtMemType;

/**
 * Kinds of kernels.
 */
typedef enum aclrtKernelType {
    /**
     * For AI cores.
     */
    ACL_KERNEL_TYPE_AICORE = 0,
    /**
     * For matrix cores.
     */
    ACL_KERNEL_TYPE_CUBE = 1,
    /**
     * For vector cores.
     */
    ACL_KERNEL_TYPE_VECTOR = 2,
    /**
     * For matrix and vector cores together.
     */
    ACL_KERNEL_TYPE_MIX = 3,
    /**
     * For the device's CPUs.
     */
    ACL_KERNEL_TYPE_AICPU = 100,
} aclrtKernelType;

/**
 * The state of a process.
 */
typedef enum aclrtProcessState {
    /**
     * It submits work.
     */
    ACL_RT_PROCESS_STATE_RUNNING = 0,
    /**
     * It is locked for a snapshot.
     */
    ACL_RT_PROCESS_STATE_LOCKED = 1,
} aclrtProcessState;

/**
 * More about how busy a device is; never filled in.
 */
typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;

/**
 * What is known about work that failed on a device, behind functions.
 */
typedef struct rtExceptionInfo rtExceptionInfo;

/**
 * Descriptions of groups, behind functions.
 */
typedef struct tagRtGroupInfo tagRtGroupInfo;

/**
 * Called with the configuration's text, its length, and the caller's argument; 0 is success.
 */
typedef aclError (*aclInitCallbackFunc)(const char*, size_t, void*);

/**
 * Called with the caller's argument; 0 is success.
 */
typedef aclError (*aclFinalizeCallbackFunc)(void*);

/**
 * The version of a package as texts.
 */
typedef struct aclCANNPackageVersion {
    /**
     * The whole version.
     */
    char version[128];
    /**
     * Its first part.
     */
    char majorVersion[64];
    /**
     * Its second part.
     */
    char minorVersion[64];
    /**
     * Its third part.
     */
    char releaseVersion[64];
    /**
     * Its fourth part.
     */
    char patchVersion[64];
    /**
     * Not used.
     */
    char reserved[128];
} aclCANNPackageVersion;

/**
 * Device memory with an uncorrectable error.
 */
typedef struct aclrtMemUceInfo {
    /**
     * First byte.
     */
    void *addr;
    /**
     * How many bytes.
     */
    size_t len;
    /**
     * Not used.
     */
    size_t reserved[14];
} aclrtMemUceInfo;

/**
 * Device memory with uncorrectable errors.
 */
typedef struct aclrtMemUceInfoArray {
    /**
     * How many places.
     */
    size_t arraySize;
    /**
     * The places.
     */
    aclrtMemUceInfo memUceInfoArray[20];
} aclrtMemUceInfoArray;

/**
 * More about a hardware error, by its kind.
 */
typedef union aclrtErrorInfoDetail {
    /**
     * For memory.
     */
    aclrtMemUceInfoArray uceInfo;
    /**
     * For an AI core.
     */
    aclrtAicoreErrorType aicoreErrType;
} aclrtErrorInfoDetail;

/**
 * A hardware error.
 */
typedef struct aclrtErrorInfo {
    /**
     * 1 if aclrtRepairError may help.
     */
    uint8_t tryRepair;
    /**
     * 1 if `detail` is filled in.
     */
    uint8_t hasDetail;
    /**
     * Not used.
     */
    uint8_t reserved[2];
    /**
     * Its kind.
     */
    aclrtErrorType errorType;
    /**
     * More about it.
     */
    aclrtErrorInfoDetail detail;
} aclrtErrorInfo;

/**
 * Called with a device's number, the stage, the time limit, and the caller's argument; 0 is
 * success.
 */
typedef int32_t (*aclrtDeviceTaskAbortCallback)(int32_t,
                                                aclrtDeviceTaskAbortStage,
                                                uint32_t,
                                                void*);

/**
 * Called with a device's number, the state, and the caller's argument.
 */
typedef void (*aclrtDeviceStateCallback)(int32_t, aclrtDeviceState, void*);

/**
 * How busy a device is, in percent.
 */
typedef struct aclrtUtilizationInfo {
    /**
     * Matrix units.
     */
    int32_t cubeUtilization;
    /**
     * Vector units.
     */
    int32_t vectorUtilization;
    /**
     * CPUs of the device.
     */
    int32_t aicpuUtilization;
    /**
     * Memory.
     */
    int32_t memoryUtilization;
    /**
     * Must be null.
     */
    aclrtUtilizationExtendInfo *utilizationExtend;
} aclrtUtilizationInfo;

/**
 * A number that names a device everywhere.
 */
typedef struct aclrtUuid {
    /**
     * The number.
     */
    char bytes[16];
} aclrtUuid;

/**
 * Called with a stream, its state, and the caller's argument.
 */
typedef void (*aclrtStreamStateCallback)(aclrtStream, aclrtStreamState, void*);

/**
 * The value of an attribute of a stream.
 */
typedef union aclrtStreamAttrValue {
    /**
     * ACL_CONTINUE_ON_FAILURE or ACL_STOP_ON_FAILURE.
     */
    uint64_t failureMode;
    /**
     * 1 to watch for overflows.
     */
    uint32_t overflowSwitch;
    /**
     * The caller's number.
     */
    uint32_t userCustomTag;
    /**
     * 1 to keep notes about operators.
     */
    uint32_t cacheOpInfoSwitch;
    /**
     * The priority.
     */
    uint32_t streamPriority;
    /**
     * Not used.
     */
    uint32_t reserve[4];
} aclrtStreamAttrValue;

/**
 * The description of a stream to be made.
 */
typedef struct aclrtStreamConfigHandle {
    /**
     * Working memory, or null.
     */
    void *workptr;
    /**
     * Size of the working memory.
     */
    size_t workSize;
    /**
     * ACL_STREAM_* flags.
     */
    size_t flag;
    /**
     * The priority.
     */
    uint32_t priority;
} aclrtStreamConfigHandle;

/**
 * The value of an attribute of an allocation.
 */
typedef union aclrtMallocAttrValue {
    /**
     * Who counts it.
     */
    uint16_t moduleId;
    /**
     * For which device.
     */
    uint32_t deviceId;
    /**
     * 1 for one address.
     */
    uint32_t vaFlag;
    /**
     * Not used.
     */
    uint8_t rsv[8];
} aclrtMallocAttrValue;

/**
 * An attribute of an allocation.
 */
typedef struct aclrtMallocAttribute {
    /**
     * Which.
     */
    aclrtMallocAttrType attr;
    /**
     * Its value.
     */
    aclrtMallocAttrValue value;
} aclrtMallocAttribute;

/**
 * Attributes of an allocation.
 */
typedef struct aclrtMallocConfig {
    /**
     * The attributes.
     */
    aclrtMallocAttribute *attrs;
    /**
     * How many there are.
     */
    size_t numAttrs;
} aclrtMallocConfig;

/**
 * Memory that one part of the system uses.
 */
typedef struct aclrtMemUsageInfo {
    /**
     * Which part.
     */
    char name[32];
    /**
     * Bytes now.
     */
    uint64_t curMemSize;
    /**
     * Most bytes so far.
     */
    uint64_t memPeakSize;
    /**
     * Not used.
     */
    size_t reserved[8];
} aclrtMemUsageInfo;

/**
 * A place for memory.
 */
typedef struct aclrtMemLocation {
    /**
     * The number of the device, or of the part of the host's memory.
     */
    uint32_t id;
    /**
     * Its kind.
     */
    aclrtMemLocationType type;
} aclrtMemLocation;

/**
 * What aclrtPointerGetAttributes tells.
 */
typedef struct aclrtPtrAttributes {
    /**
     * Where the address lives.
     */
    aclrtMemLocation location;
    /**
     * Size of its pages in bytes.
     */
    uint32_t pageSize;
    /**
     * Not used.
     */
    uint32_t rsv[4];
} aclrtPtrAttributes;

/**
 * A barrier for cache operations.
 */
typedef struct aclrtBarrierCmoInfo {
    /**
     * Which operations.
     */
    aclrtCmoType cmoType;
    /**
     * Its number.
     */
    uint32_t barrierId;
} aclrtBarrierCmoInfo;

/**
 * Barriers to wait for.
 */
typedef struct aclrtBarrierTaskInfo {
    /**
     * How many there are.
     */
    size_t barrierNum;
    /**
     * The barriers.
     */
    aclrtBarrierCmoInfo cmoInfo[6];
} aclrtBarrierTaskInfo;

/**
 * Where the copies of a batch go.
 */
typedef struct aclrtMemcpyBatchAttr {
    /**
     * To where.
     */
    aclrtMemLocation dstLoc;
    /**
     * From where.
     */
    aclrtMemLocation srcLoc;
    /**
     * Not used.
     */
    uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

/**
 * A number, or where it is in device memory.
 */
typedef struct aclrtRandomParaInfo {
    /**
     * 1 if it is an address.
     */
    uint8_t isAddr;
    /**
     * The bytes of the number or of the address.
     */
    uint8_t valueOrAddr[8];
    /**
     * How many bytes the number has.
     */
    uint8_t size;
    /**
     * Not used.
     */
    uint8_t rsv[6];
} aclrtRandomParaInfo;

/**
 * Parameters of a dropout mask.
 */
typedef struct aclrtDropoutBitmaskInfo {
    /**
     * The share that is dropped.
     */
    aclrtRandomParaInfo dropoutRation;
} aclrtDropoutBitmaskInfo;

/**
 * Parameters of a uniform distribution.
 */
typedef struct aclrtUniformDisInfo {
    /**
     * The smallest number.
     */
    aclrtRandomParaInfo min;
    /**
     * What all numbers are below.
     */
    aclrtRandomParaInfo max;
} aclrtUniformDisInfo;

/**
 * Parameters of a normal distribution.
 */
typedef struct aclrtNormalDisInfo {
    /**
     * The mean.
     */
    aclrtRandomParaInfo mean;
    /**
     * The standard deviation.
     */
    aclrtRandomParaInfo stddev;
} aclrtNormalDisInfo;

/**
 * A distribution and its parameters.
 */
typedef struct aclrtRandomNumFuncParaInfo {
    /**
     * Which.
     */
    aclrtRandomNumFuncType funcType;
    /**
     * Its parameters.
     */
    union {
        /**
         * Of a dropout mask.
         */
        aclrtDropoutBitmaskInfo dropoutBitmaskInfo;
        /**
         * Of a uniform distribution.
         */
        aclrtUniformDisInfo uniformDisInfo;
        /**
         * Of a normal distribution, truncated or not.
         */
        aclrtNormalDisInfo normalDisInfo;
    } paramInfo;
} aclrtRandomNumFuncParaInfo;

/**
 * Random numbers to be made.
 */
typedef struct aclrtRandomNumTaskInfo {
    /**
     * Of which type.
     */
    aclDataType dataType;
    /**
     * How they are distributed.
     */
    aclrtRandomNumFuncParaInfo randomNumFuncParaInfo;
    /**
     * Not used.
     */
    void *randomParaAddr;
    /**
     * Where they go.
     */
    void *randomResultAddr;
    /**
     * Device memory with the counter of the generator, or null.
     */
    void *randomCounterAddr;
    /**
     * The seed.
     */
    aclrtRandomParaInfo randomSeed;
    /**
     * How many.
     */
    aclrtRandomParaInfo randomNum;
    /**
     * Not used.
     */
    uint8_t rsv[8];
} aclrtRandomNumTaskInfo;

/**
 * Called in a stream's order with the caller's argument.
 */
typedef void (*aclrtHostFunc)(void*);

/**
 * Called with the caller's argument.
 */
typedef void (*aclrtCallback)(void*);

/**
 * What is known about work that failed on a device.
 */
typedef struct rtExceptionInfo aclrtExceptionInfo;

/**
 * Called when work failed on a device; what it gets lives as long as the call.
 */
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo*);

/**
 * A device binary that is loaded.
 */
typedef void *aclrtBinHandle;

/**
 * Called when a kernel failed, with the caller's argument.
 */
typedef void (*aclrtOpExceptionCallback)(aclrtExceptionInfo*, void*);

/**
 * A kernel.
 */
typedef void *aclrtFuncHandle;

/**
 * How physical memory is wanted.
 */
typedef struct aclrtPhysicalMemProp {
    /**
     * How it will be shared.
     */
    aclrtMemHandleType handleType;
    /**
     * Must be ACL_MEM_ALLOCATION_TYPE_PINNED.
     */
    aclrtMemAllocationType allocationType;
    /**
     * Which kind of memory.
     */
    aclrtMemAttr memAttr;
    /**
     * Where.
     */
    aclrtMemLocation location;
    /**
     * Not used.
     */
    uint64_t reserve;
} aclrtPhysicalMemProp;

/**
 * Physical memory.
 */
typedef void *aclrtDrvMemHandle;

/**
 * Who may use memory, and how.
 */
typedef struct aclrtMemAccessDesc {
    /**
     * How.
     */
    aclrtMemAccessFlags flags;
    /**
     * Who.
     */
    aclrtMemLocation location;
    /**
     * Not used.
     */
    uint8_t rsv[12];
} aclrtMemAccessDesc;

/**
 * A place for managed memory.
 */
typedef struct aclrtMemManagedLocation {
    /**
     * Its kind.
     */
    aclrtMemManagedLocationType type;
    /**
     * Its number.
     */
    int32_t id;
} aclrtMemManagedLocation;

/**
 * Processes of another server.
 */
typedef struct aclrtServerPid {
    /**
     * The device, as the server's pod numbers it.
     */
    uint32_t sdid;
    /**
     * The processes.
     */
    int32_t *pid;
    /**
     * How many there are.
     */
    size_t num;
} aclrtServerPid;

/**
 * An event, for another process to open.
 */
typedef struct aclrtIpcEventHandle {
    /**
     * The library's own.
     */
    char reserved[64];
} aclrtIpcEventHandle;

/**
 * How the count of a notify is changed.
 */
typedef struct aclrtCntNotifyRecordInfo {
    /**
     * The way.
     */
    aclrtCntNotifyRecordMode mode;
    /**
     * With what.
     */
    uint32_t value;
} aclrtCntNotifyRecordInfo;

/**
 * How to wait for the count of a notify.
 */
typedef struct aclrtCntNotifyWaitInfo {
    /**
     * The condition.
     */
    aclrtCntNotifyWaitMode mode;
    /**
     * What the count is compared with.
     */
    uint32_t value;
    /**
     * Longest wait in seconds; 0 is for ever.
     */
    uint32_t timeout;
    /**
     * 1 to set the count to zero afterwards.
     */
    uint8_t isClear;
    /**
     * Not used.
     */
    uint8_t rsv[3];
} aclrtCntNotifyWaitInfo;

/**
 * A graph.
 */
typedef void *aclmdlRI;

/**
 * A value that a conditional task looks at.
 */
typedef void *aclmdlRICondHandle;

/**
 * Parameters of a conditional task.
 */
typedef struct tagAclmdlRICondTaskParams {
    /**
     * The value.
     */
    aclmdlRICondHandle handle;
    /**
     * The kind.
     */
    aclmdlRICondTaskType type;
    /**
     * How many graphs.
     */
    uint32_t size;
    /**
     * The graphs.
     */
    aclmdlRI *modelRIArray;
} tagAclmdlRICondTaskParams;

/**
 * Parameters of a conditional task.
 */
typedef struct tagAclmdlRICondTaskParams aclmdlRICondTaskParams;

/**
 * A time limit of 64 bits in microseconds.
 */
typedef struct aclrtTimeoutUs {
    /**
     * The lower half.
     */
    uint32_t timeoutLow;
    /**
     * The upper half.
     */
    uint32_t timeoutHigh;
} aclrtTimeoutUs;

/**
 * The value of an attribute of a launch.
 */
typedef union aclrtLaunchKernelAttrValue {
    /**
     * How blocks are scheduled.
     */
    uint8_t schemMode;
    /**
     * An older name of dynUBufSize.
     */
    uint32_t localMemorySize;
    /**
     * Fast memory in bytes.
     */
    uint32_t dynUBufSize;
    /**
     * Which cores.
     */
    aclrtEngineType engineType;
    /**
     * The number of the first block.
     */
    uint32_t blockDimOffset;
    /**
     * 1 to prevent loading ahead.
     */
    uint8_t isBlockTaskPrefetch;
    /**
     * 1 to dump data.
     */
    uint8_t isDataDump;
    /**
     * In seconds.
     */
    uint16_t timeout;
    /**
     * In microseconds.
     */
    aclrtTimeoutUs timeoutUs;
    /**
     * 1 to profile.
     */
    uint8_t enableProfiling;
    /**
     * Not used.
     */
    uint32_t rsv[4];
} aclrtLaunchKernelAttrValue;

/**
 * An attribute of a launch.
 */
typedef struct aclrtLaunchKernelAttr {
    /**
     * Which.
     */
    aclrtLaunchKernelAttrId id;
    /**
     * Its value.
     */
    aclrtLaunchKernelAttrValue value;
} aclrtLaunchKernelAttr;

/**
 * Attributes of a launch.
 */
typedef struct aclrtLaunchKernelCfg {
    /**
     * The attributes.
     */
    aclrtLaunchKernelAttr *attrs;
    /**
     * How many there are.
     */
    size_t numAttrs;
} aclrtLaunchKernelCfg;

/**
 * Parameters of a kernel.
 */
typedef struct aclmdlRIKernelTaskParams {
    /**
     * The kernel.
     */
    aclrtFuncHandle funcHandle;
    /**
     * Attributes of the launch.
     */
    aclrtLaunchKernelCfg *cfg;
    /**
     * Its arguments.
     */
    void *args;
    /**
     * 1 if they are in host memory.
     */
    uint32_t isHostArgs;
    /**
     * Their size.
     */
    size_t argsSize;
    /**
     * How many blocks.
     */
    uint32_t numBlocks;
    /**
     * Not used.
     */
    uint32_t rsv[10];
} aclmdlRIKernelTaskParams;

/**
 * Parameters of the record of an event.
 */
typedef struct aclmdlRIEventRecordTaskParams {
    /**
     * The event.
     */
    aclrtEvent event;
    /**
     * Flags that the event was made with.
     */
    uint32_t eventFlag;
    /**
     * ACL_EVENT_RECORD_* flags.
     */
    uint32_t recordFlag;
} aclmdlRIEventRecordTaskParams;

/**
 * Parameters of a wait for an event.
 */
typedef struct aclmdlRIEventWaitTaskParams {
    /**
     * The event.
     */
    aclrtEvent event;
    /**
     * Flags that the event was made with.
     */
    uint32_t eventFlag;
    /**
     * ACL_EVENT_WAIT_* flags.
     */
    uint32_t waitFlag;
} aclmdlRIEventWaitTaskParams;

/**
 * Parameters of the reset of an event.
 */
typedef struct aclmdlRIEventResetTaskParams {
    /**
     * The event.
     */
    aclrtEvent event;
    /**
     * Flags that the event was made with.
     */
    uint32_t eventFlag;
    /**
     * Flags of the reset.
     */
    uint32_t resetFlag;
} aclmdlRIEventResetTaskParams;

/**
 * Parameters of a value that is written.
 */
typedef struct aclmdlRIValueWriteTaskParams {
    /**
     * Where.
     */
    void *devAddr;
    /**
     * What.
     */
    uint64_t value;
} aclmdlRIValueWriteTaskParams;

/**
 * Parameters of a value that is waited for.
 */
typedef struct aclmdlRIValueWaitTaskParams {
    /**
     * Where.
     */
    void *devAddr;
    /**
     * What it is compared with.
     */
    uint64_t value;
    /**
     * One of ACL_STREAM_WAIT_VALUE_*.
     */
    uint32_t flag;
} aclmdlRIValueWaitTaskParams;

/**
 * Parameters of a task of a graph.
 */
typedef struct aclmdlRITaskParams {
    /**
     * Its kind.
     */
    aclmdlRITaskType type;
    /**
     * Not used.
     */
    uint32_t rsv0[3];
    /**
     * The group it belongs to, or null.
     */
    aclrtTaskGrp taskGrp;
    /**
     * Notes about its operator, or null.
     */
    void *opInfoPtr;
    /**
     * Size of the notes.
     */
    size_t opInfoSize;
    /**
     * Not used.
     */
    uint8_t rsv1[32];
    /**
     * Its parameters, by its kind.
     */
    __extension__ union {
        /**
         * Not used.
         */
        uint8_t rsv2[128];
        /**
         * Of a kernel.
         */
        aclmdlRIKernelTaskParams kernelTaskParams;
        /**
         * Of the record of an event.
         */
        aclmdlRIEventRecordTaskParams eventRecordTaskParams;
        /**
         * Of a wait for an event.
         */
        aclmdlRIEventWaitTaskParams eventWaitTaskParams;
        /**
         * Of the reset of an event.
         */
        aclmdlRIEventResetTaskParams eventResetTaskParams;
        /**
         * Of a value that is written.
         */
        aclmdlRIValueWriteTaskParams valueWriteTaskParams;
        /**
         * Of a value that is waited for.
         */
        aclmdlRIValueWaitTaskParams valueWaitTaskParams;
    };
} aclmdlRITaskParams;

/**
 * A device binary that is described.
 */
typedef void *aclrtBinary;

/**
 * The value of an option of loading.
 */
typedef union aclrtBinaryLoadOptionValue {
    /**
     * 1 to load kernels when they are needed.
     */
    uint32_t isLazyLoad;
    /**
     * One of ACL_RT_BINARY_MAGIC_*.
     */
    uint32_t magic;
    /**
     * How kernels for the device's CPUs are found.
     */
    int32_t cpuKernelMode;
    /**
     * Not used.
     */
    uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;

/**
 * An option of loading a device binary.
 */
typedef struct aclrtBinaryLoadOption {
    /**
     * Which.
     */
    aclrtBinaryLoadOptionType type;
    /**
     * Its value.
     */
    aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;

/**
 * Options of loading a device binary.
 */
typedef struct aclrtBinaryLoadOptions {
    /**
     * The options.
     */
    aclrtBinaryLoadOption *options;
    /**
     * How many there are.
     */
    size_t numOpt;
} aclrtBinaryLoadOptions;

/**
 * A list of a kernel's arguments.
 */
typedef void *aclrtArgsHandle;

/**
 * A place in a list of arguments.
 */
typedef void *aclrtParamHandle;

/**
 * An argument whose data follows the arguments.
 */
typedef struct aclrtPlaceHolderInfo {
    /**
     * Where the address of the data goes.
     */
    uint32_t addrOffset;
    /**
     * Where the data is.
     */
    uint32_t dataOffset;
} aclrtPlaceHolderInfo;

/* CUDA has a dim3 of its own; a program that has another one defines PORTACL_NO_DIM3. */
#if !defined(__CUDACC__) && !defined(PORTACL_NO_DIM3)
/**
 * How many blocks or threads in each direction.
 */
typedef struct dim3 {
    /**
     * In x.
     */
    uint32_t x;
    /**
     * In y.
     */
    uint32_t y;
    /**
     * In z.
     */
    uint32_t z;
} dim3;
#endif

/**
 * New parameters of random numbers.
 */
typedef struct aclrtRandomTaskUpdateAttr {
    /**
     * Where they are in device memory.
     */
    void *srcAddr;
    /**
     * How many bytes.
     */
    size_t size;
    /**
     * Not used.
     */
    uint32_t rsv[4];
} aclrtRandomTaskUpdateAttr;

/**
 * Another kernel for a waiting task; addresses in device memory.
 */
typedef struct aclrtAicAivTaskUpdateAttr {
    /**
     * Where the handle of its binary is.
     */
    void *binHandle;
    /**
     * Where its entry is.
     */
    void *funcEntryAddr;
    /**
     * Where its number of blocks is.
     */
    void *blockDimAddr;
    /**
     * Not used.
     */
    uint32_t rsv[4];
} aclrtAicAivTaskUpdateAttr;

/**
 * What a waiting task becomes.
 */
typedef union aclrtUpdateTaskAttrVal {
    /**
     * For random numbers.
     */
    aclrtRandomTaskUpdateAttr randomTaskAttr;
    /**
     * For a kernel.
     */
    aclrtAicAivTaskUpdateAttr aicAivTaskAttr;
} aclrtUpdateTaskAttrVal;

/**
 * A change of a waiting task.
 */
typedef struct aclrtTaskUpdateInfo {
    /**
     * Of what.
     */
    aclrtUpdateTaskAttrId id;
    /**
     * To what.
     */
    aclrtUpdateTaskAttrVal val;
} aclrtTaskUpdateInfo;

/**
 * Descriptions of groups.
 */
typedef struct tagRtGroupInfo aclrtGroupInfo;

/**
 * How the devices' state is saved.
 */
typedef struct aclrtSnapShotBackupArgs {
    /**
     * Must be 0.
     */
    uint32_t backupFlags;
    /**
     * Not used.
     */
    char reserved[60];
} aclrtSnapShotBackupArgs;

/**
 * How the devices' state comes back.
 */
typedef struct aclrtSnapShotRestoreArgs {
    /**
     * Must be 0.
     */
    uint32_t restoreFlags;
    /**
     * Not used.
     */
    char reserved[60];
} aclrtSnapShotRestoreArgs;

/**
 * Called with a device's number and the caller's argument; 0 is success.
 */
typedef uint32_t (*aclrtSnapShotCallBack)(int32_t, void*);

/**
 * Physical memory, for a process of another server.
 */
typedef struct aclrtMemFabricHandle {
    /**
     * The library's own.
     */
    uint8_t data[128];
} aclrtMemFabricHandle;

/**
 * A kind of memory, in two notations.
 */
typedef struct MemAttrMapping {
    /**
     * Page size: a number of aclrtMemPgType.
     */
    uint32_t pgType;
    /**
     * Memory: a number of aclrtMemType.
     */
    uint32_t memType;
    /**
     * True for host memory.
     */
    bool isHostAlloc;
    /**
     * The same as one attribute.
     */
    aclrtMemAttr memAttr;
} MemAttrMapping;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Starts the library: reads the configuration and opens the backend (`PORTACL_BACKEND`).
 *
 * `configPath` names a JSON file; null, an empty text and a file with `{}` mean the defaults. Keys with
 * an effect: `defaultDevice.default_device` (a device id as text: the device of threads that set none)
 * and `err_msg_mode` ("0": each thread fetches its own failure texts, "1": one text for the process);
 * others are accepted and ignored. Thread-safe: of several callers exactly one starts the library. Calls
 * that need no configuration work without aclInit, with its defaults. Functions of aclInitCallbackRegister are
 * called last.
 *
 * @param configPath zero-terminated path, read during the call only; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_REPEAT_INITIALIZE 100002: started already (counted; the first configuration
 * stays); ACL_ERROR_INVALID_FILE 100003: not readable; ACL_ERROR_PARSE_FILE 100006: not JSON, or nested
 * deeper than 10; ACL_ERROR_INVALID_PARAM 100000: bad `err_msg_mode` or environment variable;
 * ACL_ERROR_FAILURE 500001: bad `default_device`, or a function of aclInitCallbackRegister failed;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside
 * a host function. Follows aclInit of the Ascend runtime API.
 */
aclError aclInit(const char *configPath);

/**
 * Ends the library, however often it was started: calls the functions of aclFinalizeCallbackRegister, then
 * resets every device as aclrtResetDeviceForce does, waits for pending work, releases pinned host memory,
 * and joins the library's threads.
 *
 * All handles and addresses are invalid afterwards; using or freeing them is an error, never a crash.
 * aclInit (or aclrtSetDevice) begins a new life. User code that does not return is waited for a bounded
 * time (`PORTACL_FINALIZE_TIMEOUT_MS`, 5000). A failure of work that nobody was told of, or a refusal of the
 * driver to release something, is returned; everything ends all the same. A program may also exit without
 * this call. Thread-safe.
 *
 * @return ACL_SUCCESS; ACL_ERROR_REPEAT_FINALIZE 100037: not started, or another thread ends it;
 * ACL_ERROR_FAILURE 500001: user code did not return in time, its thread was left behind and the library
 * stays loaded, or a function of aclFinalizeCallbackRegister failed; ACL_ERROR_RT_PARAM_INVALID 107000:
 * called inside a host function; ACL_ERROR_RT_AICORE_EXCEPTION 507015: work had failed;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused. Follows aclFinalize of the Ascend runtime API.
 */
aclError aclFinalize(void);

/**
 * Takes back one aclInit (a repeated one counts too); the last one ends the library as aclFinalize does.
 *
 * @param refCount receives how many are left, also on failure; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_REPEAT_FINALIZE 100037: the count was 0; otherwise as aclFinalize.
 * Thread-safe. Follows aclFinalizeReference of the Ascend runtime API.
 */
aclError aclFinalizeReference(uint64_t *refCount);

/**
 * Has `cbFunc` called by every aclInit that starts the library, and at once if it is started already.
 *
 * It gets the text of the configuration file, or `{}` where there is none, the text's length in bytes without the
 * zero behind it, and `userData`; the text is valid during the call only. Functions are called in the order in which
 * they were registered, on the thread that calls aclInit (or this), without any lock: they may call everything,
 * aclInit and this included. Meanwhile the library counts as started, and other threads may use it. A function that
 * returns another value than 0 fails the call: aclInit then ends the library again, as aclFinalize does, and this
 * does not register it. A registration stays until it is taken back, also through aclFinalize.
 *
 * @param type who registers: an aclRegisterCallbackType. It has no other meaning than to name, together with the
 * function, what is registered.
 * @param cbFunc the function; it must not throw.
 * @param userData its argument, which the caller keeps alive; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null function, or not an aclRegisterCallbackType;
 * ACL_ERROR_RT_PARAM_INVALID 107000: this function is registered for this type; ACL_ERROR_FAILURE 500001: it
 * was called and did not return 0. Thread-safe. Follows aclInitCallbackRegister of the Ascend runtime API.
 */
aclError aclInitCallbackRegister(aclRegisterCallbackType type,
                                 aclInitCallbackFunc cbFunc,
                                 void *userData);

/**
 * Takes back a registration of aclInitCallbackRegister. A call in another thread that has begun goes on.
 *
 * @param type who registers: an aclRegisterCallbackType. It has no other meaning than to name, together with the
 * function, what is registered.
 * @param cbFunc the function.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null function, or not an aclRegisterCallbackType;
 * ACL_ERROR_RT_PARAM_INVALID 107000: the function is not registered for this type. Thread-safe. Follows
 * aclInitCallbackUnRegister of the Ascend runtime API.
 */
aclError aclInitCallbackUnRegister(aclRegisterCallbackType type,
                                   aclInitCallbackFunc cbFunc);

/**
 * Has `cbFunc` called by every aclFinalize (or last aclFinalizeReference) that ends the library.
 *
 * It gets `userData`. Functions are called in the opposite order to that in which they were registered, on the
 * thread that calls aclFinalize, without any lock, while devices, streams and memory are still there: they may
 * call everything. aclInit counts as repeated in them, and aclFinalize as done. A function that returns another value
 * than 0 makes aclFinalize return an error after everything is finalized. A registration stays until it is taken
 * back, also through aclFinalize.
 *
 * @param type who registers: an aclRegisterCallbackType. It has no other meaning than to name, together with the
 * function, what is registered.
 * @param cbFunc the function; it must not throw.
 * @param userData its argument, which the caller keeps alive; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null function, or not an aclRegisterCallbackType;
 * ACL_ERROR_RT_PARAM_INVALID 107000: this function is registered for this type. Thread-safe. Follows
 * aclFinalizeCallbackRegister of the Ascend runtime API.
 */
aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type,
                                     aclFinalizeCallbackFunc cbFunc,
                                     void *userData);

/**
 * Takes back a registration of aclFinalizeCallbackRegister. A call in another thread that has begun goes on.
 *
 * @param type who registers: an aclRegisterCallbackType. It has no other meaning than to name, together with the
 * function, what is registered.
 * @param cbFunc the function.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null function, or not an aclRegisterCallbackType;
 * ACL_ERROR_RT_PARAM_INVALID 107000: the function is not registered for this type. Thread-safe. Follows
 * aclFinalizeCallbackUnRegister of the Ascend runtime API.
 */
aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
                                       aclFinalizeCallbackFunc cbFunc);

/**
 * The version of the API that this library provides: ACL_MAJOR_VERSION, ACL_MINOR_VERSION,
 * ACL_PATCH_VERSION. Works at any time.
 *
 * @param majorVersion receives the major number.
 * @param minorVersion receives the minor number.
 * @param patchVersion receives the patch number.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer. Thread-safe. Follows aclrtGetVersion
 * of the Ascend runtime API.
 */
aclError aclrtGetVersion(int32_t *majorVersion,
                         int32_t *minorVersion,
                         int32_t *patchVersion);

/**
 * The version of a package as texts: the whole and its parts. All packages have the version that
 * `PORTACL_CANN_VERSION` names, else 8.3.0: that of the original that programs are to take this library
 * for. Works at any time.
 *
 * @param name an aclCANNPackageName.
 * @param version receives zero-terminated texts; `patchVersion`, the fourth part, is empty.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, no such package, or the environment variable
 * has no meaning. Thread-safe. Follows aclsysGetCANNVersion of the Ascend runtime API.
 */
aclError aclsysGetCANNVersion(aclCANNPackageName name,
                              aclCANNPackageVersion *version);

/**
 * The version of a package as text, as in "8.3.0"; see aclsysGetCANNVersion. Works at any time.
 *
 * @param pkgName the package, as in "runtime"; all have the same version.
 * @param versionStr receives a zero-terminated text; room for ACL_PKG_VERSION_MAX_SIZE bytes.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, an empty name, or the environment
 * variable PORTACL_CANN_VERSION has no meaning. Thread-safe. Follows aclsysGetVersionStr of the Ascend
 * runtime API.
 */
aclError aclsysGetVersionStr(char *pkgName,
                             char *versionStr);

/**
 * The version of a package as one number, two decimal digits for each part: 8.3.0 is 80300. The public
 * reference does not say how the original makes the number: use it to compare versions with each other
 * and with numbers made the same way. Works at any time.
 *
 * @param pkgName the package, as in "runtime"; all have the same version, see aclsysGetCANNVersion.
 * @param versionNum receives the number.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, an empty name, or the environment
 * variable PORTACL_CANN_VERSION has no meaning. Thread-safe. Follows aclsysGetVersionNum of the Ascend
 * runtime API.
 */
aclError aclsysGetVersionNum(char *pkgName,
                             int32_t *versionNum);

/**
 * Tells whether a program that chooses its code by the chip's name finds here the chip that it was built for. Code
 * for Ascend cores itself runs on no backend; what binaries are here is told at aclrtBinaryLoadFromData. Works at any
 * time.
 *
 * @param socVersion a name as aclrtGetSocName gives it.
 * @param canCompatible receives 1 if it is that of aclrtGetSocName, 0 if it is another one.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer. Thread-safe. Follows
 * aclrtCheckArchCompatibility of the Ascend runtime API, which compares chips by more than their names.
 */
aclError aclrtCheckArchCompatibility(const char *socVersion,
                                     int32_t *canCompatible);

/**
 * The text of this thread's last failing call (with `err_msg_mode` 1, of any thread's) since it was
 * asked for last: call, argument, value, bound, and what to do. Succeeding calls leave it alone.
 * Works at any time, also in a forked child.
 *
 * @return a zero-terminated text, valid until this thread asks again; null if there was no failure.
 * Thread-safe. Follows aclGetRecentErrMsg of the Ascend runtime API.
 */
const char *aclGetRecentErrMsg(void);

/**
 * The code of this thread's last failing call, 0 if there was none, and forgets it. Works at any time.
 *
 * @param level ACL_RT_THREAD_LEVEL.
 * @return the code; ACL_ERROR_INVALID_PARAM 100000 for another `level`. Thread-safe. Follows
 * aclrtGetLastError of the Ascend runtime API.
 */
aclError aclrtGetLastError(aclrtLastErrLevel level);

/**
 * The code of this thread's last failing call, 0 if there was none. Works at any time.
 *
 * @param level ACL_RT_THREAD_LEVEL.
 * @return the code; ACL_ERROR_INVALID_PARAM 100000 for another `level`. Thread-safe. Follows
 * aclrtPeekAtLastError of the Ascend runtime API.
 */
aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/**
 * Describes the hardware error that a device is in: none (ACL_RT_NO_ERROR) while it works, else
 * ACL_RT_ERROR_AICORE without detail, since drivers here tell no more. Asks the device, does not wait for its work.
 *
 * @param deviceId 0 to the number of devices less 1; one that is not set has no error.
 * @param errorInfo receives the description; all that is not said is 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device;
 * ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after
 * aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver does not answer. Thread-safe. Follows
 * aclrtGetErrorVerbose of the Ascend runtime API.
 */
aclError aclrtGetErrorVerbose(int32_t deviceId,
                              aclrtErrorInfo *errorInfo);

/**
 * Repairs the hardware error that aclrtGetErrorVerbose described. For a device that works nothing has to be done;
 * one that has failed cannot be repaired in place.
 *
 * @param deviceId 0 to the number of devices less 1.
 * @param errorInfo what aclrtGetErrorVerbose gave; not read.
 * @return ACL_SUCCESS; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the device has failed, reset it with
 * aclrtResetDeviceForce; ACL_ERROR_INVALID_PARAM 100000: null; all else as aclrtGetErrorVerbose. Thread-safe. Follows
 * aclrtRepairError of the Ascend runtime API.
 */
aclError aclrtRepairError(int32_t deviceId,
                          const aclrtErrorInfo *errorInfo);

/**
 * Lists device memory with uncorrectable errors.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetMemUceInfo(int32_t deviceId,
                            aclrtMemUceInfo *memUceInfoArray,
                            size_t arraySize,
                            size_t *retSize);

/**
 * Repairs device memory with uncorrectable errors.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemUceRepair(int32_t deviceId,
                           aclrtMemUceInfo *memUceInfoArray,
                           size_t arraySize);

/**
 * Sets the calling thread's device and makes the device's default context current.
 *
 * The first set in a process opens the device and creates the default context with its default stream,
 * which all threads share. Each successful call counts, also a repeated one of the same thread;
 * aclrtResetDevice takes one back. Cheap when the device is set already. Thread-safe; works before
 * aclInit and begins a new life after aclFinalize.
 *
 * @param deviceId 0 to the number of devices less 1.
 * @return ACL_SUCCESS; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_INVALID_PARAM
 * 100000: an environment variable has no meaning; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
 * device; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: guard mode without files in memory (docs/configuration.md);
 * ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no addresses are left for the device's memory;
 * ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Follows aclrtSetDevice of the Ascend runtime API.
 */
aclError aclrtSetDevice(int32_t deviceId);

/**
 * Takes back one aclrtSetDevice; the last one waits for pending work and really releases the device.
 *
 * A released device takes its contexts, streams, events and device memory with it: their handles and
 * addresses are invalid from then on, in every thread. Pinned host memory stays. A failure of work on it that
 * nobody was told of, or a refusal of the driver to release something, is returned; the device is released all
 * the same. Thread-safe.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param deviceId a device that is set.
 * @return ACL_SUCCESS; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID
 * 107000: the device is not set, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after
 * aclFinalize; ACL_ERROR_RT_AICORE_EXCEPTION 507015: work had failed; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899:
 * the driver refused. Follows aclrtResetDevice of the Ascend runtime API.
 */
aclError aclrtResetDevice(int32_t deviceId);

/**
 * Releases a device at once, whatever its reference count, after waiting for pending work.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param deviceId a device that is set.
 * @return as aclrtResetDevice. Thread-safe. Follows aclrtResetDeviceForce of the Ascend runtime API.
 */
aclError aclrtResetDeviceForce(int32_t deviceId);

/**
 * The device of the calling thread's current context.
 *
 * @param deviceId receives the id.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: the thread
 * has no current context (programs test exactly this value for "no device set yet"). Thread-safe.
 * Follows aclrtGetDevice of the Ascend runtime API.
 */
aclError aclrtGetDevice(int32_t *deviceId);

/**
 * The number of devices. Works at any time, also before aclInit and after aclFinalize.
 *
 * @param count receives the number.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device (the text says why). Thread-safe. Follows
 * aclrtGetDeviceCount of the Ascend runtime API.
 */
aclError aclrtGetDeviceCount(uint32_t *count);

/**
 * Waits until everything queued on the current context's device has finished, in all its streams.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @return ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_PARAM_INVALID
 * 107000: called inside a host function; ACL_ERROR_RT_STREAM_ABORT 107023, ACL_ERROR_RT_DEVICE_TASK_ABORT
 * 107022: aclrtStreamAbort or aclrtDeviceTaskAbort dropped work meanwhile; or the first failure of queued
 * work that nobody was told of yet, one of several streams' at a time. Thread-safe. Follows
 * aclrtSynchronizeDevice of the Ascend runtime API.
 */
aclError aclrtSynchronizeDevice(void);

/**
 * As aclrtSynchronizeDevice, for a limited time. A timeout cancels nothing: the work goes on.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param timeout milliseconds above 0, or -1 to wait for ever.
 * @return as aclrtSynchronizeDevice; ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046: not finished in time;
 * ACL_ERROR_RT_PARAM_INVALID 107000 also for any other timeout. Thread-safe. Follows
 * aclrtSynchronizeDeviceWithTimeout of the Ascend runtime API.
 */
aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/**
 * Where the program runs, seen from the device: always ACL_HOST. Works at any time.
 *
 * @param runMode receives an aclrtRunMode.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe. Follows aclrtGetRunMode of the
 * Ascend runtime API.
 */
aclError aclrtGetRunMode(aclrtRunMode *runMode);

/**
 * Chooses the task scheduler that later work of this thread goes to. There is one, that of the AI cores. Works at
 * any time.
 *
 * @param tsId ACL_TS_ID_AICORE.
 * @return ACL_SUCCESS; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: ACL_TS_ID_AIVECTOR; ACL_ERROR_INVALID_PARAM 100000:
 * another number. Thread-safe. Follows aclrtSetTsDevice of the Ascend runtime API.
 */
aclError aclrtSetTsDevice(aclrtTsId tsId);

/**
 * Whether a device works normally. A device that is not in use does. Asks the device, does not wait for its
 * work.
 *
 * @param deviceId 0 to the number of devices less 1.
 * @param deviceStatus receives ACL_RT_DEVICE_STATUS_NORMAL, or ACL_RT_DEVICE_STATUS_ABNORMAL for one that
 * failed and needs aclrtResetDeviceForce.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such
 * device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002:
 * after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not answer.
 * Thread-safe. Follows aclrtQueryDeviceStatus of the Ascend runtime API.
 */
aclError aclrtQueryDeviceStatus(int32_t deviceId,
                                aclrtDeviceStatus *deviceStatus);

/**
 * Drops what all streams of a device have queued, and stops what runs, as aclrtStreamAbort does it for one
 * stream. The streams live on. Synchronizing one of them, or the device, meanwhile gives
 * ACL_ERROR_RT_DEVICE_TASK_ABORT 107022, and so does synchronizing an event whose record was dropped.
 *
 * @param deviceId the device; it need not be the current one.
 * @param timeout milliseconds to wait for operations on memory that have begun; 0 is for ever. Host
 * functions that have begun are not waited for.
 * @return ACL_SUCCESS; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID
 * 107000: the device is not set, or called inside a host function; ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046:
 * something that has begun was not over in time; ACL_ERROR_FAILURE 500001: what was queued is dropped, but a
 * function of aclrtSetDeviceTaskAbortCallback did not return 0. Thread-safe. Follows aclrtDeviceTaskAbort of
 * the Ascend runtime API, whose unit of time is not documented.
 */
aclError aclrtDeviceTaskAbort(int32_t deviceId,
                              uint32_t timeout);

/**
 * Has `callback` called before and after aclrtDeviceTaskAbort, on its thread and without any lock.
 *
 * It gets the device's id, ACL_RT_DEVICE_TASK_ABORT_PRE or _POST, the timeout of the call in milliseconds, and
 * `args`. _POST comes however the abort went. The function may call everything; an abort that it makes itself is not
 * told. If it returns anything but 0 the abort happens all the same, and aclrtDeviceTaskAbort returns
 * ACL_ERROR_FAILURE 500001 with the number in its text. It stays until it is taken back, also through aclFinalize.
 *
 * @param regName zero-terminated name of the registration.
 * @param callback the function, which must not throw; null takes back the one with that name (a call in another
 * thread that has begun goes on).
 * @param args its argument, which the caller keeps alive; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `regName` is null; ACL_ERROR_RT_PARAM_INVALID 107000:
 * the name is registered already, or is not and `callback` is null. Thread-safe. Follows
 * aclrtSetDeviceTaskAbortCallback of the Ascend runtime API.
 */
aclError aclrtSetDeviceTaskAbortCallback(const char *regName,
                                         aclrtDeviceTaskAbortCallback callback,
                                         void *args);

/**
 * Has `callback` called when devices are opened and released, on the thread that does it and without any lock.
 *
 * It gets the device's id, a state, and `args`. ACL_RT_DEVICE_STATE_SET_PRE: a call finds the device closed
 * and is about to open it; _SET_POST: it has opened it, and the device's default stream is there. A repeated
 * aclrtSetDevice, which only counts, is not told. _RESET_PRE: a call is about to release the device, which
 * still works; _RESET_POST: it is released. aclFinalize releases all. A _PRE without its _POST means that
 * the call failed or that another thread changed things meanwhile. The function may call everything; what it
 * opens and releases itself is not told. It stays until it is taken back, also through aclFinalize.
 *
 * @param regName zero-terminated name of the registration.
 * @param callback the function, which must not throw; null takes back the one with that name (a call in another
 * thread that has begun goes on).
 * @param args its argument, which the caller keeps alive; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `regName` is null; ACL_ERROR_RT_PARAM_INVALID 107000:
 * the name is registered already, or is not and `callback` is null. Thread-safe. Follows
 * aclrtRegDeviceStateCallback of the Ascend runtime API.
 */
aclError aclrtRegDeviceStateCallback(const char *regName,
                                     aclrtDeviceStateCallback callback,
                                     void *args);

/**
 * Writes the current device's level-2 cache back to its memory. The caches of devices here are coherent, so that
 * nothing has to be done.
 *
 * @param rsv must be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: not null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
 * aclrtDeviceL2CacheFlush of the Ascend runtime API.
 */
aclError aclrtDeviceL2CacheFlush(void *rsv);

/**
 * A limit of the current device, as aclrtDeviceSetLimit has set it since the device was opened.
 *
 * @param limit an aclrtDeviceLimit.
 * @param value receives bytes; 0: never set, it is the backend's own.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or no such limit; all else as aclrtDeviceSetLimit.
 * Thread-safe. Follows aclrtDeviceGetLimit of the Ascend runtime API.
 */
aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit,
                             size_t *value);

/**
 * Sets a limit of the current device: sizes of stacks, and of what kernels print into. The number is kept until the
 * device is reset, and has no effect: stacks here are as large as the backend makes them.
 *
 * @param limit an aclrtDeviceLimit.
 * @param value bytes, any number.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: no such limit; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
 * aclrtDeviceSetLimit of the Ascend runtime API.
 */
aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit,
                             size_t value);

/**
 * Tells one number about a device, which need not be set.
 *
 * - Cores: ACL_DEV_ATTR_AICORE_CORE_NUM and ACL_DEV_ATTR_CUBE_CORE_NUM are the GPU's multiprocessors or the CPU
 *   cores that serve the device, ACL_DEV_ATTR_VECTOR_CORE_NUM is twice as many; none is ever 0.
 *   ACL_DEV_ATTR_AICPU_CORE_NUM is the number of CPU cores, 0 on a GPU.
 * - Threads (202 to 212): the GPU's bounds, those of one core divided between its two vector cores; 0 on the CPU.
 * - Memory: ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE and ACL_DEV_ATTR_L2_CACHE_SIZE in bytes. On the CPU the latter is
 *   the level-2 cache of one core, 0 where the system does not tell.
 * - Place: ACL_DEV_ATTR_PHY_CHIP_ID and ACL_DEV_ATTR_SUPER_POD_DEVICE_ID are the device's physical id, the other ids
 *   (401, 404, 405, 407) are 0; the device is a card (409) on PCI Express (408).
 * - ACL_DEV_ATTR_CUST_OP_PRIVILEGE and ACL_DEV_ATTR_IS_VIRTUAL are 0. ACL_DEV_ATTR_NPU_ARCH is that of the
 *   processor which aclrtGetSocName names, 0 where it is not known.
 *
 * @param deviceId 0 to the number of devices less 1.
 * @param attr an aclrtDevAttr.
 * @param value receives the number.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or not an aclrtDevAttr;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a
 * host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR
 * 507899: no usable device, or the driver does not answer. Thread-safe. Follows aclrtGetDeviceInfo of the
 * Ascend runtime API.
 */
aclError aclrtGetDeviceInfo(uint32_t deviceId,
                            aclrtDevAttr attr,
                            int64_t *value);

/**
 * Tells whether a device has a feature. Neither of those that can be asked for exists here, so the answer is
 * always ACL_DEV_FEATURE_NOT_SUPPORT.
 *
 * @param deviceId 0 to the number of devices less 1; it need not be set.
 * @param devFeatureType an aclrtDevFeatureType.
 * @param value receives ACL_DEV_FEATURE_NOT_SUPPORT 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or not an aclrtDevFeatureType;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device. Thread-safe. Follows aclrtGetDeviceCapability of the
 * Ascend runtime API.
 */
aclError aclrtGetDeviceCapability(int32_t deviceId,
                                  aclrtDevFeatureType devFeatureType,
                                  int32_t *value);

/**
 * Tells how busy a device is, in percent.
 *
 * Its cores, on the CPU backend: the share of the time in which at least one thread ran operations of the device,
 * since this was asked last for the device, by anybody, or since it was set if that came later; 0 for a device that
 * is not set. Operations that are so short that they run inside the call that queues them (64 KiB) do not count, and
 * host functions neither. On CUDA: the share of the last second, or of a part of it, in which a kernel ran, of any
 * process, as NVML (libnvidia-ml.so.1, which comes with the driver) tells it. All three kinds of cores give the same
 * number, because one kind does the work of all. The memory: the share of its total that is not free (aclrtGetMemInfo),
 * rounded up; 0 for a device that is not set.
 *
 * @param deviceId 0 to the number of devices less 1.
 * @param utilizationInfo receives the four numbers, each 0 to 100; its utilizationExtend must be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or utilizationExtend is not;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: on CUDA, where NVML is missing, does not start, or does not tell of this
 * device (a part of one, for example);
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a
 * host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR
 * 507899: no usable device, or the driver does not answer. Thread-safe. Follows
 * aclrtGetDeviceUtilizationRate of the Ascend runtime API.
 */
aclError aclrtGetDeviceUtilizationRate(int32_t deviceId,
                                       aclrtUtilizationInfo *utilizationInfo);

/**
 * Tells how two devices are connected: always ACL_RT_DEVS_TOPOLOGY_PHB, because all are below one host and nobody
 * looks closer.
 *
 * @param deviceId 0 to the number of devices less 1.
 * @param otherDeviceId another device.
 * @param value receives ACL_RT_DEVS_TOPOLOGY_PHB.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or twice the same device;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device. Thread-safe. Follows aclrtGetDevicesTopo of the Ascend
 * runtime API.
 */
aclError aclrtGetDevicesTopo(uint32_t deviceId,
                             uint32_t otherDeviceId,
                             uint64_t *value);

/**
 * Tells 16 bytes that name the device: they stay the same, also for the next process, and no other device has
 * them. On the CPU they are made from the machine's identity (`/etc/machine-id`, else its name) and the logical id of
 * the device, as a UUID of version 8; a container is a machine of its own as far as it has such an identity.
 *
 * @param deviceId 0 to the number of devices less 1; it need not be set.
 * @param uuid receives the bytes.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the
 * driver is too old; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID
 * 107000: called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not answer. Thread-safe.
 * Follows aclrtDeviceGetUuid of the Ascend runtime API.
 */
aclError aclrtDeviceGetUuid(int32_t deviceId,
                            aclrtUuid *uuid);

/**
 * Writes the device's PCI address, as in `0000:3b:00.0` (hexadecimal, small letters, as the kernel names it). CPU
 * devices are on no bus; they have addresses in the domain ffff, which no machine has, so that programs that tell
 * devices apart by address can do so.
 *
 * @param deviceId 0 to the number of devices less 1; it need not be set.
 * @param pciBusId receives the text and a zero.
 * @param len room there in bytes: 13, and 17 where a bridge has domains of more than 16 bits.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or not enough room;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not tell; ACL_ERROR_RT_INVALID_DEVICEID 107001:
 * no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
 * device, or the driver does not answer. Thread-safe. Follows aclrtDeviceGetPCIBusId of the Ascend runtime
 * API.
 */
aclError aclrtDeviceGetPCIBusId(int32_t deviceId,
                                char *pciBusId,
                                int32_t len);

/**
 * Finds the device with a PCI address.
 *
 * @param pciBusId zero-terminated `[domain:]bus:device[.function]` in hexadecimal, capital or small; what is left
 * out is 0.
 * @param deviceId receives the id.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or not such a text; ACL_ERROR_RT_INVALID_DEVICEID
 * 107001: none of this process's devices is there; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host
 * function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
 * device, or the driver does not answer. Thread-safe. Follows aclrtDeviceGetByPCIBusId of the Ascend runtime API.
 */
aclError aclrtDeviceGetByPCIBusId(const char *pciBusId,
                                  int32_t *deviceId);

/**
 * The process id that other processes put on their lists to share memory with this one: the id in this
 * process's own namespace of process ids. Works at any time.
 *
 * @param pid receives the id.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe. Follows aclrtDeviceGetBareTgid of
 * the Ascend runtime API, which tells the host's id also inside a container.
 */
aclError aclrtDeviceGetBareTgid(int32_t *pid);

/**
 * The least and the most urgent stream priority of the current device; smaller numbers are more urgent.
 *
 * @param leastPriority receives the largest number.
 * @param greatestPriority receives the smallest number, 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_CONTEXT_NULL 107002: no
 * current context. Thread-safe. Follows aclrtDeviceGetStreamPriorityRange of the Ascend runtime API.
 */
aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority,
                                           int32_t *greatestPriority);

/**
 * The logical id of a device from its user id.
 *
 * User ids count the devices of this process, as most calls take them; logical ids those of the machine or
 * container, of which `ASCEND_RT_VISIBLE_DEVICES` may have chosen some; physical ids, those of the hardware, are
 * the logical ones here. Works at any time.
 *
 * @param userDevid 0 to the number that aclrtGetDeviceCount gives less 1.
 * @param logicDevId receives the id.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
 * device. Thread-safe. Follows aclrtGetLogicDevIdByUserDevId of the Ascend runtime API.
 */
aclError aclrtGetLogicDevIdByUserDevId(int32_t userDevid,
                                       int32_t *logicDevId);

/**
 * The user id of a device from its logical id.
 *
 * User ids count the devices of this process, as most calls take them; logical ids those of the machine or
 * container, of which `ASCEND_RT_VISIBLE_DEVICES` may have chosen some; physical ids, those of the hardware, are
 * the logical ones here. Works at any time.
 *
 * @param logicDevId 0 to the number of the machine's devices less 1.
 * @param userDevid receives the id.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device, or one that this process does not use;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device. Thread-safe. Follows
 * aclrtGetUserDevIdByLogicDevId of the Ascend runtime API.
 */
aclError aclrtGetUserDevIdByLogicDevId(int32_t logicDevId,
                                       int32_t *userDevid);

/**
 * The logical id of a device from its physical id.
 *
 * User ids count the devices of this process, as most calls take them; logical ids those of the machine or
 * container, of which `ASCEND_RT_VISIBLE_DEVICES` may have chosen some; physical ids, those of the hardware, are
 * the logical ones here. Works at any time.
 *
 * @param phyDevId 0 to the number of the machine's devices less 1.
 * @param logicDevId receives the id.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
 * device. Thread-safe. Follows aclrtGetLogicDevIdByPhyDevId of the Ascend runtime API.
 */
aclError aclrtGetLogicDevIdByPhyDevId(int32_t phyDevId,
                                      int32_t *logicDevId);

/**
 * The physical id of a device from its logical id.
 *
 * User ids count the devices of this process, as most calls take them; logical ids those of the machine or
 * container, of which `ASCEND_RT_VISIBLE_DEVICES` may have chosen some; physical ids, those of the hardware, are
 * the logical ones here. Works at any time.
 *
 * @param logicDevId 0 to the number of the machine's devices less 1.
 * @param phyDevId receives the id.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
 * device. Thread-safe. Follows aclrtGetPhyDevIdByLogicDevId of the Ascend runtime API.
 */
aclError aclrtGetPhyDevIdByLogicDevId(int32_t logicDevId,
                                      int32_t *phyDevId);

/**
 * The physical id of a device from its user id.
 *
 * User ids count the devices of this process, as most calls take them; logical ids those of the machine or
 * container, of which `ASCEND_RT_VISIBLE_DEVICES` may have chosen some; physical ids, those of the hardware, are
 * the logical ones here. Works at any time.
 *
 * @param userDevId 0 to the number that aclrtGetDeviceCount gives less 1.
 * @param phyDevId receives the id.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
 * device. Thread-safe. Follows aclrtGetPhyDevIdByUserDevId of the Ascend runtime API.
 */
aclError aclrtGetPhyDevIdByUserDevId(int32_t userDevId,
                                     int32_t *phyDevId);

/**
 * The user id of a device from its physical id.
 *
 * User ids count the devices of this process, as most calls take them; logical ids those of the machine or
 * container, of which `ASCEND_RT_VISIBLE_DEVICES` may have chosen some; physical ids, those of the hardware, are
 * the logical ones here. Works at any time.
 *
 * @param phyDevId 0 to the number of the machine's devices less 1.
 * @param userDevId receives the id.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has no meaning;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device, or one that this process does not use;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device. Thread-safe. Follows aclrtGetUserDevIdByPhyDevId
 * of the Ascend runtime API.
 */
aclError aclrtGetUserDevIdByPhyDevId(int32_t phyDevId,
                                     int32_t *userDevId);

/**
 * Tells the number of the last task that this thread submitted: its place in its stream, 1 for the first
 * one there. Exception callbacks name tasks by the same numbers. Calls that submit nothing, or fail, leave
 * the number as it is.
 *
 * @param taskId receives the number; 0 before this thread has submitted anything.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe. Follows aclrtGetThreadLastTaskId of
 * the Ascend runtime API.
 */
aclError aclrtGetThreadLastTaskId(uint32_t *taskId);

/**
 * Tells which atomic operations kernels of a device can do on host memory that is mapped for it: what the
 * driver says of a GPU, and on CPUs what processors do or a loop around a compare-and-swap. Operations of copy
 * engines (_DMA_) and of vector units (_SIMD_) are not there.
 *
 * @param capabilities receives bits of aclrtAtomicOperationCapability for each operation, 0 if it cannot be
 * done.
 * @param operations which ones, of aclrtAtomicOperation.
 * @param count how many there are, at least 1.
 * @param deviceId 0 to the number of devices less 1; it need not be set.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `count` is 0, another operation;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver
 * does not tell (before CUDA 13); ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver does
 * not answer. Thread-safe. Follows aclrtDeviceGetHostAtomicCapabilities of the Ascend runtime API.
 */
aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t *capabilities,
                                              const aclrtAtomicOperation *operations,
                                              uint32_t count,
                                              int32_t deviceId);

/**
 * Tells which atomic operations kernels of a device can do on memory of another device: what the driver says
 * of a GPU, and on CPUs what processors do or a loop around a compare-and-swap. Operations of copy engines
 * (_DMA_) and of vector units (_SIMD_) are not there.
 *
 * @param capabilities receives bits of aclrtAtomicOperationCapability for each operation, 0 if it cannot be
 * done.
 * @param operations which ones, of aclrtAtomicOperation.
 * @param count how many there are, at least 1.
 * @param srcDeviceId the device that the kernel runs on, 0 to the number of devices less 1; it need not be
 * set.
 * @param dstDeviceId the device whose memory it is, another one.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `count` is 0, another operation, or twice the
 * same device; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000:
 * the driver does not tell (before CUDA 13); ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver does
 * not answer. Thread-safe. Follows aclrtDeviceGetP2PAtomicCapabilities of the Ascend runtime API.
 */
aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t *capabilities,
                                             const aclrtAtomicOperation *operations,
                                             uint32_t count,
                                             int32_t srcDeviceId,
                                             int32_t dstDeviceId);

/**
 * Tells whether an engine of a device uses host memory that is mapped for it (aclrtHostRegister, aclrtMallocHost).
 * Kernels (ACL_RT_HAC_TYPE_AIC and _AIV) and copies (_PCIEDMA and _SDMA) do; the other engines do not exist here.
 *
 * @param deviceId 0 to the number of devices less 1; it need not be set.
 * @param hacType an aclrtHacType.
 * @param capabilities receives ACL_RT_HOST_MEM_MAP_SUPPORTED or ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another engine; ACL_ERROR_RT_INVALID_DEVICEID
 * 107001: no such device; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows
 * aclrtHostMemMapCapabilities of the Ascend runtime API.
 */
aclError aclrtHostMemMapCapabilities(uint32_t deviceId,
                                     aclrtHacType hacType,
                                     aclrtHostMemMapCapability *capabilities);

/**
 * Tells whether one device can use another's memory directly. CPU devices always can. Copies between devices work
 * in any case.
 *
 * @param canAccessPeer receives 1 or 0.
 * @param deviceId the device that would use the memory; it need not be set.
 * @param peerDeviceId another device, whose memory it is.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or twice the same device;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a
 * host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR
 * 507899: no usable device, or the driver does not answer. Thread-safe. Follows aclrtDeviceCanAccessPeer of
 * the Ascend runtime API.
 */
aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer,
                                  int32_t deviceId,
                                  int32_t peerDeviceId);

/**
 * Lets the current device use a peer's memory directly: in this direction, for all threads and streams, until
 * aclrtDeviceDisablePeerAccess or until one of the two devices is reset. Repeating it changes nothing. The peer need
 * not be set. Copies between devices work without it; on GPUs they are faster with it, and kernels need it.
 *
 * @param peerDeviceId another device than the current one.
 * @param flags must be 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `flags` is not 0; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such
 * device; ACL_ERROR_RT_PARAM_INVALID 107000: the current device itself, or called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the devices cannot
 * (aclrtDeviceCanAccessPeer gives 0); ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows
 * aclrtDeviceEnablePeerAccess of the Ascend runtime API.
 */
aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId,
                                     uint32_t flags);

/**
 * Takes back aclrtDeviceEnablePeerAccess of the current device. Where there is nothing to take back it changes
 * nothing.
 *
 * @param peerDeviceId another device than the current one.
 * @return ACL_SUCCESS; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: the
 * current device itself, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows aclrtDeviceDisablePeerAccess of the
 * Ascend runtime API.
 */
aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/**
 * Tells whether aclrtDeviceEnablePeerAccess is in force, from one device to another.
 *
 * @param deviceId the device that uses the memory; one that is not set may use none.
 * @param peerDeviceId another device, whose memory it is.
 * @param status receives 1 or 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or twice the same device;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device. Thread-safe. Follows aclrtDevicePeerAccessStatus of the
 * Ascend runtime API.
 */
aclError aclrtDevicePeerAccessStatus(int32_t deviceId,
                                     int32_t peerDeviceId,
                                     int32_t *status);

/**
 * Creates a context of a device with a default stream of its own, and makes it current in the calling
 * thread. The device is opened if it was not, with its default context; its reference count stays.
 *
 * @param context receives the handle; the caller destroys it with aclrtDestroyContext.
 * @param deviceId 0 to the number of devices less 1.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_INVALID_DEVICEID 107001;
 * ACL_ERROR_BAD_ALLOC 200000 or ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more can be made;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a
 * host function. Thread-safe. Follows aclrtCreateContext of the Ascend runtime API.
 */
aclError aclrtCreateContext(aclrtContext *context,
                            int32_t deviceId);

/**
 * Waits for the streams of a context and destroys it with them. Threads that have it as current context
 * have none afterwards. A failure of the streams' work that nobody was told of, or a refusal of the driver, is
 * returned; the context is destroyed all the same.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param context from aclrtCreateContext; a default context is only released by aclrtResetDevice.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: a default
 * context, not a context, destroyed before, or called inside a host function; ACL_ERROR_RT_AICORE_EXCEPTION
 * 507015: work had failed; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused. Thread-safe. Follows
 * aclrtDestroyContext of the Ascend runtime API.
 */
aclError aclrtDestroyContext(aclrtContext context);

/**
 * Makes a context current in the calling thread, which switches to its device. A context may be current
 * in several threads.
 *
 * @param context a live context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * context, destroyed, or gone with its device. Thread-safe. Follows aclrtSetCurrentContext of the Ascend
 * runtime API.
 */
aclError aclrtSetCurrentContext(aclrtContext context);

/**
 * The calling thread's current context.
 *
 * @param context receives the handle, which stays the library's.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: there is
 * none. Thread-safe. Follows aclrtGetCurrentContext of the Ascend runtime API.
 */
aclError aclrtGetCurrentContext(aclrtContext *context);

/**
 * The default stream of the current context: the one that a null stream means.
 *
 * @param stream receives the handle, which stays the context's: it cannot be destroyed.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
 * aclrtCtxGetCurrentDefaultStream of the Ascend runtime API.
 */
aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream);

/**
 * Whether the default context of a device exists: from its first aclrtSetDevice or aclrtCreateContext until
 * it is really reset.
 *
 * @param deviceId 0 to the number of devices less 1.
 * @param flags must be null.
 * @param active receives 1 or 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `active` is null, or `flags` is not;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * Thread-safe. Follows aclrtGetPrimaryCtxState of the Ascend runtime API.
 */
aclError aclrtGetPrimaryCtxState(int32_t deviceId,
                                 uint32_t *flags,
                                 int32_t *active);

/**
 * Sets an option of the current context: a number for libraries above this one, without an effect here. It
 * goes with the context.
 *
 * @param opt an aclSysParamOpt.
 * @param value any number.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: no such option; ACL_ERROR_RT_CONTEXT_NULL 107002: no
 * current context. Thread-safe. Follows aclrtCtxSetSysParamOpt of the Ascend runtime API.
 */
aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt,
                                int64_t value);

/**
 * An option of the current context, as aclrtCtxSetSysParamOpt set it there.
 *
 * @param opt an aclSysParamOpt.
 * @param value receives the number.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or no such option; ACL_ERROR_RT_CONTEXT_NULL
 * 107002: no current context; ACL_ERROR_RT_SYSPARAMOPT_NOT_SET 107021: it was never set there. Thread-safe.
 * Follows aclrtCtxGetSysParamOpt of the Ascend runtime API.
 */
aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt,
                                int64_t *value);

/**
 * Sets an option of this process, apart from those of contexts: a number for libraries above this one,
 * without an effect here. It stays through aclFinalize. Works at any time.
 *
 * @param opt an aclSysParamOpt.
 * @param value any number.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: no such option. Thread-safe. Follows
 * aclrtSetSysParamOpt of the Ascend runtime API.
 */
aclError aclrtSetSysParamOpt(aclSysParamOpt opt,
                             int64_t value);

/**
 * An option of this process, 0 if it was never set. Works at any time.
 *
 * @param opt an aclSysParamOpt.
 * @param value receives the number.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or no such option. Thread-safe. Follows
 * aclrtGetSysParamOpt of the Ascend runtime API.
 */
aclError aclrtGetSysParamOpt(aclSysParamOpt opt,
                             int64_t *value);

/**
 * Where overflows of the current context are to be looked for: 512 bytes of device memory that begin as 0 and
 * that nothing here writes to, since no overflow is noted. All contexts of a device share them; they go with the
 * device, and aclrtFree refuses them. Work that is queued may read and write them.
 *
 * @param overflowAddr receives the address.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function; ACL_ERROR_RT_MEMORY_ALLOCATION
 * 207001: no device memory left, at the first call; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899. Thread-safe. Follows
 * aclrtCtxGetFloatOverflowAddr of the Ascend runtime API.
 */
aclError aclrtCtxGetFloatOverflowAddr(void **overflowAddr);

/**
 * Creates a stream in the current context: operations of one stream run in the order of their calls,
 * those of different streams independently of each other.
 *
 * @param stream receives the handle; the caller destroys it with aclrtDestroyStream.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more can be made; ACL_ERROR_RT_PARAM_INVALID 107000:
 * called inside a host function. Thread-safe. Follows aclrtCreateStream of the Ascend runtime API.
 */
aclError aclrtCreateStream(aclrtStream *stream);

/**
 * Creates a stream with flags. One with ACL_STREAM_PERSISTENT serves to build graphs (aclmdlRIBindStream) and runs
 * nothing. Synchronizing it, or a stream with ACL_STREAM_CPU_SCHEDULE or ACL_STREAM_DEVICE_USE_ONLY, succeeds at once; ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC and
 * ACL_STREAM_HUGE change nothing; unknown bits mean nothing.
 *
 * @param stream receives the handle; the caller destroys it with aclrtDestroyStream.
 * @param priority ignored, as in the original.
 * @param flag an OR of ACL_STREAM_* flags.
 * @return as aclrtCreateStream. Thread-safe. Follows aclrtCreateStreamWithConfig of the Ascend runtime API.
 */
aclError aclrtCreateStreamWithConfig(aclrtStream *stream,
                                     uint32_t priority,
                                     uint32_t flag);

/**
 * Waits for a stream's pending work and destroys it. The handle is invalid for all threads as soon as the
 * call begins. A failure of its work that nobody was told of, or a refusal of the driver, is returned.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param stream from a creator; not null, not a default stream.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context;
 * ACL_ERROR_RT_AICORE_EXCEPTION 507015: work on it had failed; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the
 * driver refused. With these two it is destroyed all the same; it is not while it is captured
 * (ACL_ERROR_RT_STREAM_CAPTURED 107027), bound to a graph, or changes a task group (107000).
 * Thread-safe. Follows aclrtDestroyStream of the Ascend runtime API.
 */
aclError aclrtDestroyStream(aclrtStream stream);

/**
 * Destroys a stream without waiting. Work that has not started is dropped on the CPU (waits on events
 * recorded there end), and so are failures that nobody was told of; a GPU finishes what its driver holds.
 * A capture that it began ends without a graph, and a task group that it changes stays as it was.
 *
 * @param stream from a creator; not null, not a default stream.
 * @return as aclrtDestroyStream. Thread-safe. Follows aclrtDestroyStreamForce of the Ascend runtime API.
 */
aclError aclrtDestroyStreamForce(aclrtStream stream);

/**
 * Waits until everything queued on a stream before the call has finished.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is
 * on another device than the current context; ACL_ERROR_RT_STREAM_ABORT 107023, ACL_ERROR_RT_DEVICE_TASK_ABORT 107022:
 * aclrtStreamAbort or aclrtDeviceTaskAbort dropped the work meanwhile; or the first failure of the stream's work that
 * nobody was told of yet (ACL_ERROR_RT_AICORE_EXCEPTION 507015, ACL_ERROR_RT_WAIT_TIMEOUT 107019), and after a failure
 * under ACL_STOP_ON_FAILURE that failure each time. Thread-safe. Follows aclrtSynchronizeStream of the Ascend runtime
 * API.
 */
aclError aclrtSynchronizeStream(aclrtStream stream);

/**
 * As aclrtSynchronizeStream, for a limited time. A timeout cancels nothing: the work goes on.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param timeout milliseconds above 0, or -1 to wait for ever.
 * @return as aclrtSynchronizeStream; ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046: not finished in time;
 * ACL_ERROR_RT_PARAM_INVALID 107000 also for any other timeout. Thread-safe. Follows
 * aclrtSynchronizeStreamWithTimeout of the Ascend runtime API.
 */
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream,
                                           int32_t timeout);

/**
 * Whether everything queued on a stream has finished. Failures of its work are reported by synchronizing
 * only.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param status receives ACL_STREAM_STATUS_COMPLETE or ACL_STREAM_STATUS_NOT_READY.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `status` is null; ACL_ERROR_RT_PARAM_INVALID 107000:
 * not a stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * Thread-safe. Follows aclrtStreamQuery of the Ascend runtime API.
 */
aclError aclrtStreamQuery(aclrtStream stream,
                          aclrtStreamStatus *status);

/**
 * Later operations of `stream` wait for what `event` recorded last before this call; an event that was
 * never recorded is not waited for. The event may be of another device, and may be destroyed, reset or
 * recorded again right after the call. Does not block the caller. With aclrtSetOpWaitTimeout the wait has a
 * time limit, as in aclrtStreamWaitEventWithTimeout.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param event an event of aclrtCreateEvent, or one that was created with ACL_EVENT_SYNC.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `event` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * stream or event, destroyed, an event without ACL_EVENT_SYNC, or called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is
 * on another device than the current context; ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no room to note the wait
 * for aclrtQueryEventWaitStatus. Thread-safe. Follows aclrtStreamWaitEvent of the Ascend runtime API.
 */
aclError aclrtStreamWaitEvent(aclrtStream stream,
                              aclrtEvent event);

/**
 * As aclrtStreamWaitEvent, for a limited time, which counts from when the stream comes to the wait. If it ends
 * first, the stream goes on without what it waited for, and has failed: its next synchronise returns
 * ACL_ERROR_RT_WAIT_TIMEOUT 107019.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param event an event of aclrtCreateEvent, or one that was created with ACL_EVENT_SYNC.
 * @param timeout seconds above 0, or 0 to wait for ever, whatever aclrtSetOpWaitTimeout says.
 * @return as aclrtStreamWaitEvent; ACL_ERROR_RT_PARAM_INVALID 107000 also for a timeout below 0;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a CUDA driver whose streams cannot wait for a word in memory.
 * Thread-safe. Follows aclrtStreamWaitEventWithTimeout of the Ascend runtime API.
 */
aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream,
                                         aclrtEvent event,
                                         int32_t timeout);

/**
 * As aclrtStreamWaitEventWithTimeout, with a flag.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param event an event of aclrtCreateEvent, or one that was created with ACL_EVENT_SYNC.
 * @param timeout seconds above 0, or 0 to wait for ever.
 * @param flag ACL_EVENT_WAIT_DEFAULT 0. ACL_EVENT_WAIT_EXTERNAL 1, with timeout 0, is for streams that are being
 * captured: each run of the graph waits for the event's record that is the latest when the run is queued, wherever
 * it was recorded; for an event with ACL_EVENT_EXTERNAL until that is set.
 * @return as aclrtStreamWaitEventWithTimeout; ACL_ERROR_INVALID_PARAM 100000 also for another flag, or
 * ACL_EVENT_WAIT_EXTERNAL with a timeout; ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: ACL_EVENT_WAIT_EXTERNAL, and
 * the stream is not captured. Thread-safe. Follows aclrtStreamWaitEventWithFlag of the Ascend runtime API.
 */
aclError aclrtStreamWaitEventWithFlag(aclrtStream stream,
                                      aclrtEvent event,
                                      uint32_t timeout,
                                      uint32_t flag);

/**
 * A small number that no other stream of the device has, as long as the device is in use.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param streamId receives the number.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `streamId` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
 * Follows aclrtStreamGetId of the Ascend runtime API.
 */
aclError aclrtStreamGetId(aclrtStream stream,
                          int32_t *streamId);

/**
 * The flags that a stream was created with, without unknown bits; 0 if there were none.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param flags receives an OR of ACL_STREAM_* flags.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `flags` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
 * Follows aclrtStreamGetFlags of the Ascend runtime API.
 */
aclError aclrtStreamGetFlags(aclrtStream stream,
                             uint32_t *flags);

/**
 * The priority that a stream has; 0 is the most urgent. It is 0 for streams of aclrtCreateStream and
 * aclrtCreateStreamWithConfig, which ignores the one it is given.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param priority receives the priority.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `priority` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
 * Follows aclrtStreamGetPriority of the Ascend runtime API.
 */
aclError aclrtStreamGetPriority(aclrtStream stream,
                                uint32_t *priority);

/**
 * How many more streams there can be. Devices share the number; memory, or a driver, may end before it.
 *
 * @param streamCount receives the number.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context. Thread-safe. Follows aclrtGetStreamAvailableNum of the Ascend runtime API.
 */
aclError aclrtGetStreamAvailableNum(uint32_t *streamCount);

/**
 * Drops what a stream has queued, and stops what runs. The stream lives on: what is queued after the call
 * runs as ever.
 *
 * On the CPU an operation on memory that has begun is waited for, which takes no longer than the operation,
 * and nothing of what was queued before touches memory after the call. A host function or callback that
 * has begun is not waited for and goes on; later work of the stream waits for it. A GPU finishes what its
 * driver holds, before later work of the stream; only host functions and callbacks that have not begun are
 * dropped.
 *
 * Synchronizing the stream or its device meanwhile, in another thread, gives ACL_ERROR_RT_STREAM_ABORT
 * 107023. So does synchronizing an event whose record was dropped, also later, until it is recorded again;
 * it is not complete until then. Other streams that wait for such an event stay blocked; they go on when it
 * is recorded again and that record happens, or when they are aborted or destroyed themselves.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS, also if nothing was queued; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream,
 * destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
 * Follows aclrtStreamAbort of the Ascend runtime API.
 */
aclError aclrtStreamAbort(aclrtStream stream);

/**
 * Drops what a stream has queued and goes on, as aclrtStreamAbort; only the default stream is not taken for null.
 *
 * @param stream a stream.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; all else as aclrtStreamAbort. Thread-safe. Follows
 * aclrtStreamStop of the Ascend runtime API.
 */
aclError aclrtStreamStop(aclrtStream stream);

/**
 * Sets what happens when work of a stream fails, once in its life. ACL_CONTINUE_ON_FAILURE, as without this
 * call: the next operation runs. ACL_STOP_ON_FAILURE: the first failure of this stream stops it and all
 * other streams of its context at once: what they have queued is dropped (a GPU finishes what its driver
 * holds), waits for events recorded there end, and every later submission and synchronize of these streams
 * returns the failure's code, until the streams, or for a default stream its context, are destroyed.
 *
 * A failure of a whole GPU ends all of its work in either mode, until the device is reset.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param mode ACL_CONTINUE_ON_FAILURE or ACL_STOP_ON_FAILURE.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: another mode; ACL_ERROR_RT_PARAM_INVALID 107000: the
 * mode was set before, or not a stream, destroyed, or called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on
 * another device than the current context. Thread-safe. Follows aclrtSetStreamFailureMode of the Ascend
 * runtime API.
 */
aclError aclrtSetStreamFailureMode(aclrtStream stream,
                                   uint64_t mode);

/**
 * Has `callback` called after every stream's creation and before its end, default streams included, on the thread that
 * does it and without any lock.
 *
 * It gets the stream, a state, and `args`. ACL_RT_STREAM_STATE_CREATE_POST: the stream is there and can be
 * used. ACL_RT_STREAM_STATE_DESTROY_PRE: it still is, and what is queued has not been waited for; this comes
 * once, from aclrtDestroyStream, the end of its context, a reset of its device, or aclFinalize. A stream
 * that is made while another thread resets its device may be told of after its end. Streams made before the
 * registration are told of when they end. The function may call everything; what it makes and destroys
 * itself is not told. It stays until it is taken back, also through aclFinalize.
 *
 * @param regName zero-terminated name of the registration.
 * @param callback the function, which must not throw; null takes back the one with that name (a call in another
 * thread that has begun goes on).
 * @param args its argument, which the caller keeps alive; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `regName` is null; ACL_ERROR_RT_PARAM_INVALID 107000:
 * the name is registered already, or is not and `callback` is null. Thread-safe. Follows
 * aclrtRegStreamStateCallback of the Ascend runtime API.
 */
aclError aclrtRegStreamStateCallback(const char *regName,
                                     aclrtStreamStateCallback callback,
                                     void *args);

/**
 * Sets an attribute of a stream.
 *
 * | attribute | member of `value` | meaning |
 * |---|---|---|
 * | ACL_STREAM_ATTR_FAILURE_MODE | `failureMode` | as aclrtSetStreamFailureMode, once in the stream's life |
 * | ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK | `overflowSwitch` | 0 or 1; kept, and overflow is never reported |
 * | ACL_STREAM_ATTR_USER_CUSTOM_TAG | `userCustomTag` | any number; kept |
 * | ACL_STREAM_ATTR_CACHE_OP_INFO | `cacheOpInfoSwitch` | 0 or 1; kept |
 * | ACL_STREAM_ATTR_PRIORITY | `streamPriority` | 0 (most urgent) to the least of aclrtDeviceGetStreamPriorityRange, for what has not started; a GPU keeps the priority that the stream was made with |
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param stmAttrType which attribute.
 * @param value its value; only the attribute's own member is read.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `value` is null, no such attribute, or a value out of
 * range; ACL_ERROR_RT_PARAM_INVALID 107000: the failure mode was set before, or not a stream, destroyed, or called
 * inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT
 * 107003: the stream is on another device than the current context;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another priority on a GPU. Thread-safe. Follows
 * aclrtSetStreamAttribute of the Ascend runtime API.
 */
aclError aclrtSetStreamAttribute(aclrtStream stream,
                                 aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue *value);

/**
 * Tells an attribute of a stream, as aclrtSetStreamAttribute or the stream's creator set it. Without that:
 * ACL_CONTINUE_ON_FAILURE, and 0 for all others.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param stmAttrType which attribute.
 * @param value receives its value; only the attribute's own member is written.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `value` is null, or no such attribute;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on
 * another device than the current context. Thread-safe. Follows aclrtGetStreamAttribute of the Ascend
 * runtime API.
 */
aclError aclrtGetStreamAttribute(aclrtStream stream,
                                 aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue *value);

/**
 * Empties a stream whose work was stored rather than run.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtPersistentTaskClean(aclrtStream stream);

/**
 * Makes the description of a stream, for aclrtSetStreamConfigOpt and aclrtCreateStreamV2: no flags, the
 * highest priority, no working memory. A description that the program makes itself, as an
 * aclrtStreamConfigHandle filled with zeros, does as well.
 *
 * @return the description, which the caller ends with aclrtDestroyStreamConfigHandle; null in a forked
 * child. Thread-safe; a single description is not to be changed by several threads at once. Follows
 * aclrtCreateStreamConfigHandle of the Ascend runtime API.
 */
aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void);

/**
 * Ends a description that aclrtCreateStreamConfigHandle made. Streams made from it stay as they are.
 *
 * @param handle from aclrtCreateStreamConfigHandle, not ended yet.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not from
 * aclrtCreateStreamConfigHandle, or ended before. Thread-safe. Follows aclrtDestroyStreamConfigHandle of the
 * Ascend runtime API.
 */
aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle);

/**
 * Sets one field in the description of a stream; the other fields stay.
 *
 * | attr | value | meaning |
 * |---|---|---|
 * | ACL_RT_STREAM_WORK_ADDR_PTR | void*, 8 bytes | working memory; without effect, no device here needs any |
 * | ACL_RT_STREAM_WORK_SIZE | size_t, 8 bytes | its size in bytes; without effect |
 * | ACL_RT_STREAM_FLAG | uint32_t or size_t, 4 or 8 bytes | an OR of ACL_STREAM_* flags |
 * | ACL_RT_STREAM_PRIORITY | uint32_t, 4 bytes | 0 is the most urgent |
 *
 * @param handle a description: from aclrtCreateStreamConfigHandle and not ended, or one of the program's own.
 * @param attr which field.
 * @param attrValue points to the value; it is checked when a stream is made.
 * @param valueSize size of the value in bytes.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `handle` or `attrValue` is null, no such field, or a
 * size that the field does not have. Thread-safe for different descriptions. Follows
 * aclrtSetStreamConfigOpt of the Ascend runtime API.
 */
aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle,
                                 aclrtStreamConfigAttr attr,
                                 const void *attrValue,
                                 size_t valueSize);

/**
 * Creates a stream in the current context as it is described. Unlike that of aclrtCreateStreamWithConfig
 * the priority has a meaning: of streams that have work, those with a smaller number go first. Flags are
 * as for aclrtCreateStreamWithConfig. Working memory is not needed and not used.
 *
 * @param stream receives the handle; the caller destroys it with aclrtDestroyStream.
 * @param handle a description: from aclrtCreateStreamConfigHandle and not ended, or one of the program's own.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or a priority beyond the least one of
 * aclrtDeviceGetStreamPriorityRange; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more can be made; ACL_ERROR_RT_PARAM_INVALID 107000: called
 * inside a host function. Thread-safe. Follows aclrtCreateStreamV2 of the Ascend runtime API.
 */
aclError aclrtCreateStreamV2(aclrtStream *stream,
                             const aclrtStreamConfigHandle *handle);

/**
 * Creates an event that streams can wait for and that remembers its time. It cannot be reset, and may be
 * recorded again: as for aclrtCreateEventExWithFlag, waits that were queued earlier keep theirs. From its
 * first record on it is one of the 65,536 that a device can have (see aclrtGetEventAvailNum).
 *
 * @param event receives the handle; the caller destroys it with aclrtDestroyEvent.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be made; ACL_ERROR_RT_PARAM_INVALID 107000:
 * called inside a host function. Thread-safe. Follows aclrtCreateEvent of the Ascend runtime API.
 */
aclError aclrtCreateEvent(aclrtEvent *event);

/**
 * Creates an event with flags: ACL_EVENT_TIME_LINE for its time, ACL_EVENT_SYNC for streams to wait for it and
 * for aclrtResetEvent. A device can have 65,536 of them, those of aclrtCreateEvent included. It may be
 * recorded again without a reset; never recorded, or reset, it is not ready. One with ACL_EVENT_EXTERNAL is a signal
 * between streams and graphs that run: a record sets it, aclrtResetEvent clears it, and streams that wait for it
 * wait until it is set, also by a record that is queued later. It has no time.
 *
 * @param event receives the handle; the caller destroys it with aclrtDestroyEvent.
 * @param flag an OR of ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_TIME_LINE and
 * ACL_EVENT_DEVICE_USE_ONLY, or ACL_EVENT_EXTERNAL alone.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another flag; ACL_ERROR_RT_CONTEXT_NULL
 * 107002: no current context; ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be made;
 * ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
 * aclrtCreateEventWithFlag of the Ascend runtime API.
 */
aclError aclrtCreateEventWithFlag(aclrtEvent *event,
                                  uint32_t flag);

/**
 * Creates an event that may be recorded again and again: each record replaces the one before, waits that
 * were queued earlier keep theirs. Never recorded, it counts as complete. Streams can wait for it if it has
 * ACL_EVENT_SYNC; it is not reset (aclrtResetEvent), and its waits are not counted
 * (aclrtQueryEventWaitStatus). The number of such events has no limit but memory. One with ACL_EVENT_IPC can be opened
 * by other processes (aclrtIpcGetEventHandle); streams can wait for it, and it has no time.
 *
 * @param event receives the handle; the caller destroys it with aclrtDestroyEvent.
 * @param flag an OR of ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_TIME_LINE and
 * ACL_EVENT_DEVICE_USE_ONLY, or ACL_EVENT_IPC alone.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another flag; ACL_ERROR_RT_CONTEXT_NULL 107002: no
 * current context; ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be made; ACL_ERROR_RT_PARAM_INVALID 107000:
 * called inside a host function. Thread-safe. Follows aclrtCreateEventExWithFlag of the Ascend runtime API.
 */
aclError aclrtCreateEventExWithFlag(aclrtEvent *event,
                                    uint32_t flag);

/**
 * Destroys an event. Never waits: what queued waits need of it stays until they are done.
 *
 * @param event an event.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not an
 * event, destroyed before, or called inside a host function. Thread-safe. Follows aclrtDestroyEvent of the
 * Ascend runtime API.
 */
aclError aclrtDestroyEvent(aclrtEvent event);

/**
 * The event comes to stand for all work queued on `stream` so far, in place of an earlier record.
 *
 * @param event an event of the stream's device.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `event` is null; ACL_ERROR_RT_PARAM_INVALID 107000:
 * not a stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context, or
 * the event was created on another device; ACL_ERROR_RT_PARAM_INVALID 107000 also for a bad event;
 * ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: the first record of an event of aclrtCreateEvent, when the device
 * has as many as there can be. Thread-safe. Follows aclrtRecordEvent of the Ascend runtime API.
 */
aclError aclrtRecordEvent(aclrtEvent event,
                          aclrtStream stream);

/**
 * As aclrtRecordEvent, with a flag.
 *
 * @param event an event of the stream's device.
 * @param stream a stream; null: the default stream of the current context.
 * @param flag ACL_EVENT_RECORD_DEFAULT 0, which is aclrtRecordEvent. ACL_EVENT_RECORD_EXTERNAL 1 is for
 * streams that are being captured: each run of the graph records the event, for who waits outside of the graph.
 * @return as aclrtRecordEvent; ACL_ERROR_INVALID_PARAM 100000 also for another flag;
 * ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: ACL_EVENT_RECORD_EXTERNAL, and the stream is not captured. Thread-safe. Follows
 * aclrtRecordEventWithFlag of the Ascend runtime API.
 */
aclError aclrtRecordEventWithFlag(aclrtEvent event,
                                  aclrtStream stream,
                                  uint32_t flag);

/**
 * Queues a reset: when `stream` comes to it, the event is as if it had not been recorded. Usually called right
 * after aclrtStreamWaitEvent on the same stream, so that the event can be used again. It undoes the record
 * that was the latest before this call; one that is queued later stays, also where it happens earlier.
 * Waits, also later ones, are not affected: nobody misses what was recorded. Does not block the caller.
 *
 * @param event an event of aclrtCreateEventWithFlag with ACL_EVENT_SYNC; never recorded, nothing happens. One with
 * ACL_EVENT_EXTERNAL is cleared when the stream comes to it, whichever record has set it.
 * @param stream a stream, also of another device; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `event` is null; ACL_ERROR_RT_PARAM_INVALID 107000: an
 * event of another creator or without ACL_EVENT_SYNC, not an event, not a stream, destroyed, or called inside
 * a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003:
 * the stream is on another device than the current context; ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no room
 * to note it. Thread-safe. Follows aclrtResetEvent of the Ascend runtime API.
 */
aclError aclrtResetEvent(aclrtEvent event,
                         aclrtStream stream);

/**
 * Whether an event's latest record has happened. Never recorded: complete for an event of
 * aclrtCreateEventExWithFlag, not ready for others. Reset: not ready.
 *
 * @param event an event.
 * @param status receives ACL_EVENT_RECORDED_STATUS_COMPLETE or ACL_EVENT_RECORDED_STATUS_NOT_READY.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not an
 * event, destroyed, or called inside a host function. Thread-safe. Follows aclrtQueryEventStatus of the
 * Ascend runtime API.
 */
aclError aclrtQueryEventStatus(aclrtEvent event,
                               aclrtEventRecordedStatus *status);

/**
 * Whether an event's latest record has happened: an older form of aclrtQueryEventStatus, with its numbers the
 * other way round. Deprecated.
 *
 * @param event an event of aclrtCreateEvent or aclrtCreateEventWithFlag; never recorded, or reset, it is not
 * ready.
 * @param status receives ACL_EVENT_STATUS_COMPLETE 0 or ACL_EVENT_STATUS_NOT_READY 1.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: an event of
 * aclrtCreateEventExWithFlag, not an event, destroyed, or called inside a host function. Thread-safe. Follows
 * aclrtQueryEvent of the Ascend runtime API.
 */
aclError aclrtQueryEvent(aclrtEvent event,
                         aclrtEventStatus *status);

/**
 * Whether all waits of streams for an event are over: each stream has come past its latest
 * aclrtStreamWaitEvent, because the record happened or the time was over. Without any wait they are.
 *
 * @param event an event of aclrtCreateEvent or aclrtCreateEventWithFlag.
 * @param status receives ACL_EVENT_WAIT_STATUS_COMPLETE 0 or ACL_EVENT_WAIT_STATUS_NOT_READY 1.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: an event of
 * aclrtCreateEventExWithFlag, not an event, destroyed, or called inside a host function. Thread-safe. Follows
 * aclrtQueryEventWaitStatus of the Ascend runtime API.
 */
aclError aclrtQueryEventWaitStatus(aclrtEvent event,
                                   aclrtEventWaitStatus *status);

/**
 * Waits until an event's latest record as of the call has happened; returns at once if there is none. A reset
 * changes nothing here.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param event an event.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not an
 * event, destroyed, or called inside a host function; ACL_ERROR_RT_STREAM_ABORT 107023, ACL_ERROR_RT_DEVICE_TASK_ABORT
 * 107022: aclrtStreamAbort or aclrtDeviceTaskAbort dropped the record, and it was not recorded again; or the first
 * failure of the recording stream's work before the record that nobody was told of yet. Thread-safe. Follows
 * aclrtSynchronizeEvent of the Ascend runtime API.
 */
aclError aclrtSynchronizeEvent(aclrtEvent event);

/**
 * As aclrtSynchronizeEvent, for a limited time. A timeout cancels nothing: the work goes on.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param event an event.
 * @param timeout milliseconds above 0, or -1 to wait for ever.
 * @return as aclrtSynchronizeEvent; ACL_ERROR_RT_EVENT_SYNC_TIMEOUT 507047: not happened in time;
 * ACL_ERROR_RT_PARAM_INVALID 107000 also for any other timeout. Thread-safe. Follows
 * aclrtSynchronizeEventWithTimeout of the Ascend runtime API.
 */
aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event,
                                          int32_t timeout);

/**
 * The time from one event's latest record to another's, measured on the device. Both should have been
 * recorded on one stream.
 *
 * @param ms receives milliseconds.
 * @param startEvent an event with time (aclrtCreateEvent, or ACL_EVENT_TIME_LINE) that has happened.
 * @param endEvent the same, not earlier, of the same device.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID
 * 107006: an event has no time, was never recorded, or was reset; ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL
 * 107007: the end was first; ACL_ERROR_RT_EVENT_NOT_COMPLETE 507006: one has not happened yet;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not an event, destroyed, different devices, or called inside a host
 * function. Thread-safe. Follows aclrtEventElapsedTime of the Ascend runtime API.
 */
aclError aclrtEventElapsedTime(float *ms,
                               aclrtEvent startEvent,
                               aclrtEvent endEvent);

/**
 * When an event's latest record happened: microseconds of a clock that never goes back, the same one for all
 * events of a device. On CPU devices it is the machine's CLOCK_MONOTONIC. On CUDA devices it is that clock to
 * within a wait for the device; differences are the device's own, as aclrtEventElapsedTime tells them, if the
 * events are asked for within seconds.
 *
 * @param event an event with time (aclrtCreateEvent, or ACL_EVENT_TIME_LINE) that has happened.
 * @param timestamp receives microseconds.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID 107006: it
 * has no time, was never recorded, or was reset; ACL_ERROR_RT_EVENT_NOT_COMPLETE 507006: it has not happened
 * yet; ACL_ERROR_RT_PARAM_INVALID 107000: not an event, destroyed, or called inside a host function.
 * Thread-safe. Follows aclrtEventGetTimestamp of the Ascend runtime API.
 */
aclError aclrtEventGetTimestamp(aclrtEvent event,
                                uint64_t *timestamp);

/**
 * A small number that no other event of the device has, as long as the device is in use.
 *
 * @param event an event.
 * @param eventId receives the number.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000:
 * not an event, or destroyed. Thread-safe. Follows aclrtGetEventId of the Ascend runtime API.
 */
aclError aclrtGetEventId(aclrtEvent event,
                         uint32_t *eventId);

/**
 * How many more events the current device can have: those of aclrtCreateEventWithFlag and recorded ones of
 * aclrtCreateEvent are at most 65,536. Those of aclrtCreateEventExWithFlag do not count.
 *
 * @param eventCount receives the number; memory, or a driver, may end before it.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context. Thread-safe. Follows aclrtGetEventAvailNum of the Ascend runtime API.
 */
aclError aclrtGetEventAvailNum(uint32_t *eventCount);

/**
 * Queues the write of a value: when `stream` comes to it the eight bytes change at once, after all that was
 * queued before, and who sees the value sees the results of that. Does not block the caller.
 *
 * @param devAddr eight bytes, at a multiple of 8: memory of the stream's device, managed memory, or host memory
 * of aclrtMallocHost or aclrtHostRegisterV2. Memory that is freed meanwhile stays until the write is over.
 * @param value what to write.
 * @param flag must be 0.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devAddr` is null, or another flag;
 * ACL_ERROR_RT_ADDR_UNALIGNED 107008: `devAddr` is no multiple of 8; ACL_ERROR_RT_PARAM_INVALID 107000: memory
 * of another device, ordinary or freed memory, past the end of an allocation, not a stream, destroyed, or
 * called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a GPU, or its driver, that cannot do it. Thread-safe. Follows
 * aclrtValueWrite of the Ascend runtime API.
 */
aclError aclrtValueWrite(void *devAddr,
                         uint64_t value,
                         uint32_t flag,
                         aclrtStream stream);

/**
 * Makes `stream` wait: what is queued after this runs when the eight bytes at `devAddr`, `word`, have the
 * value. It does not matter who writes it: another stream or device, the host, where it can, another process
 * that shares the memory. A word that has the value only for a moment may be missed. Waiting takes no thread;
 * what this process writes through the library on CPU devices ends a wait at once, and anything else within a
 * millisecond.
 *
 * The wait has no time limit. aclrtStreamAbort, aclrtDeviceTaskAbort and aclrtDestroyStreamForce end it on CPU
 * devices; what a CUDA driver holds lasts until the value is written. A reset of the device, or aclFinalize,
 * gives it a second: then the wait has failed with ACL_ERROR_RT_WAIT_TIMEOUT 107019, which the reset tells, and
 * on a GPU the library writes the value itself.
 *
 * @param devAddr eight bytes, as for aclrtValueWrite.
 * @param value what to compare with; for ACL_STREAM_WAIT_VALUE_AND not 0, for ACL_STREAM_WAIT_VALUE_NOR not all
 * ones, for which no word would do.
 * @param flag ACL_STREAM_WAIT_VALUE_GEQ 0: `word - value`, as a signed number, is not negative, so that counters
 * may wrap; ACL_STREAM_WAIT_VALUE_EQ 1: `word` is `value`; ACL_STREAM_WAIT_VALUE_AND 2: `word & value` is not
 * 0; ACL_STREAM_WAIT_VALUE_NOR 3: `~(word | value)` is not 0.
 * @param stream a stream; null: the default stream of the current context.
 * @return as aclrtValueWrite; ACL_ERROR_INVALID_PARAM 100000 also for a value that nothing satisfies;
 * ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no thread can be had that watches memory. Thread-safe. Follows
 * aclrtValueWait of the Ascend runtime API.
 */
aclError aclrtValueWait(void *devAddr,
                        uint64_t value,
                        uint32_t flag,
                        aclrtStream stream);

/**
 * Allocates memory of the current device; its contents are undefined. Does not wait for queued work.
 *
 * The address is aligned to at least 512 bytes, to 4 KiB from 4 KiB and, except with NORMAL_ONLY, to 2 MiB
 * from 2 MiB. Sizes are rounded up to 32 bytes; where that costs no large page, 32 bytes more may be read, except
 * where accesses outside of allocations are looked for (docs/configuration.md). Policies: HUGE_FIRST takes 2 MiB pages for more than 1 MiB if it can; HUGE_ONLY takes them or fails; NORMAL_ONLY
 * takes ordinary ones; HUGE1G_ONLY takes 1 GiB pages or fails; the P2P variants, the bandwidth flags and the
 * read-only flag change nothing. A policy that the API does not know is no error: huge first from 2 MiB, else
 * normal.
 *
 * @param devPtr receives the address; the caller frees it with aclrtFree. It belongs to the device.
 * @param size bytes, at least 1.
 * @param policy an aclrtMemMallocPolicy.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0;
 * ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the wanted kind;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend has no such pages at all; ACL_ERROR_RT_CONTEXT_NULL
 * 107002: no current context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * Thread-safe. Follows aclrtMalloc of the Ascend runtime API.
 */
aclError aclrtMalloc(void **devPtr,
                     size_t size,
                     aclrtMemMallocPolicy policy);

/**
 * Allocates device memory as aclrtMalloc does, rounded up to 32 bytes, without bytes past that size that
 * may be read.
 *
 * @param devPtr receives the address; the caller frees it with aclrtFree. It belongs to the device.
 * @param size bytes, at least 1.
 * @param policy an aclrtMemMallocPolicy.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0;
 * ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the wanted kind;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend has no such pages at all; ACL_ERROR_RT_CONTEXT_NULL
 * 107002: no current context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * Thread-safe. Follows aclrtMallocAlign32 of the Ascend runtime API.
 */
aclError aclrtMallocAlign32(void **devPtr,
                            size_t size,
                            aclrtMemMallocPolicy policy);

/**
 * Allocates device memory as aclrtMalloc does. All memory of the devices here goes through their caches,
 * and these are coherent: aclrtMemFlush and aclrtMemInvalidate have nothing to do.
 *
 * @param devPtr receives the address; the caller frees it with aclrtFree. It belongs to the device.
 * @param size bytes, at least 1.
 * @param policy an aclrtMemMallocPolicy.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0;
 * ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the wanted kind;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend has no such pages at all; ACL_ERROR_RT_CONTEXT_NULL
 * 107002: no current context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * Thread-safe. Follows aclrtMallocCached of the Ascend runtime API.
 */
aclError aclrtMallocCached(void **devPtr,
                           size_t size,
                           aclrtMemMallocPolicy policy);

/**
 * Allocates device memory as aclrtMalloc does, with attributes.
 *
 * @param devPtr receives the address; the caller frees it with aclrtFree. It belongs to the device.
 * @param size bytes, at least 1.
 * @param policy an aclrtMemMallocPolicy.
 * @param cfg attributes, each at most once; null for none. `moduleId` has no effect, `deviceId` must be the
 * current device, `vaFlag` must be 0: device memory has no address for the host.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null, `size` is 0, `cfg` has attributes
 * without a pointer to them, an unknown attribute, one twice, or a `vaFlag` other than 0 and 1;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: `cfg` names a device that does not exist; ACL_ERROR_RT_PARAM_INVALID
 * 107000: `cfg` names another device than the current one, or called inside a host function;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `vaFlag` is 1, or the backend has no such pages at all;
 * ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the wanted kind;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: no current context. Thread-safe. Follows aclrtMallocWithCfg of the
 * Ascend runtime API.
 */
aclError aclrtMallocWithCfg(void **devPtr,
                            size_t size,
                            aclrtMemMallocPolicy policy,
                            aclrtMallocConfig *cfg);

/**
 * Allocates device memory that a task scheduler may use. Here that is any device memory: as
 * aclrtMallocWithCfg.
 *
 * @param devPtr receives the address; the caller frees it with aclrtFree. It belongs to the device.
 * @param size bytes, at least 1.
 * @param policy an aclrtMemMallocPolicy.
 * @param cfg attributes, each at most once; null for none. `moduleId` has no effect, `deviceId` must be the
 * current device, `vaFlag` must be 0: device memory has no address for the host.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null, `size` is 0, `cfg` has attributes
 * without a pointer to them, an unknown attribute, one twice, or a `vaFlag` other than 0 and 1;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: `cfg` names a device that does not exist; ACL_ERROR_RT_PARAM_INVALID
 * 107000: `cfg` names another device than the current one, or called inside a host function;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `vaFlag` is 1, or the backend has no such pages at all;
 * ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the wanted kind;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: no current context. Thread-safe. Follows aclrtMallocForTaskScheduler of
 * the Ascend runtime API.
 */
aclError aclrtMallocForTaskScheduler(void **devPtr,
                                     size_t size,
                                     aclrtMemMallocPolicy policy,
                                     aclrtMallocConfig *cfg);

/**
 * Frees device memory. The address is invalid at once; operations queued before still have the memory,
 * which is used again only after the last of them. Does not wait. Any thread may free, whatever its
 * current device. Small memory may wait for the next request of its size; it counts as free, and no request
 * fails because of it.
 *
 * @param devPtr the start of an allocation from aclrtMalloc.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not the start
 * of a live device allocation (inside one, host memory, freed before, gone with its device, unknown), or
 * called inside a host function; ACL_ERROR_RT_AICORE_EXCEPTION 507015: in guard mode on CPUs, bytes beside the
 * allocation were overwritten; it is freed. Thread-safe. Follows aclrtFree of the Ascend runtime API.
 */
aclError aclrtFree(void *devPtr);

/**
 * Waits for everything queued so far on the memory's own device, then frees as aclrtFree. Any thread may
 * call it, whatever its current device.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param devPtr the start of an allocation from aclrtMalloc and its relatives. After a failure the memory is
 * still allocated.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not the start
 * of a live device allocation (then it does not wait), or called inside a host function; the failure of
 * queued work that nobody was told of yet, as aclrtSynchronizeDevice tells it. Thread-safe. Follows
 * aclrtFreeWithDevSync of the Ascend runtime API.
 */
aclError aclrtFreeWithDevSync(void *devPtr);

/**
 * Allocates page-locked host memory for all devices; copies between it and a device are truly
 * asynchronous. Needs no current context. Alignment as aclrtMalloc.
 *
 * Beyond the system's limit on locked memory the memory is not locked, which is logged once.
 *
 * @param hostPtr receives the address; the caller frees it with aclrtFreeHost.
 * @param size bytes, at least 1.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `hostPtr` is null or `size` is 0;
 * ACL_ERROR_BAD_ALLOC 200000: no host memory, or more than a process can address;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_PARAM_INVALID 107000:
 * called inside a host function. Thread-safe. Follows aclrtMallocHost of the Ascend runtime API.
 */
aclError aclrtMallocHost(void **hostPtr, size_t size);

/**
 * Allocates page-locked host memory as aclrtMallocHost does, with attributes. Needs no current context.
 *
 * @param ptr receives the address; the caller frees it with aclrtFreeHost.
 * @param size bytes, at least 1.
 * @param cfg attributes, each at most once; null for none. `moduleId` has no effect, `deviceId` may be any
 * device and `vaFlag` 0 or 1: the memory is usable with every device, at one address.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, `size` is 0, `cfg` has attributes
 * without a pointer to them, an unknown attribute, one twice, or a `vaFlag` other than 0 and 1;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: `cfg` names a device that does not exist;
 * ACL_ERROR_BAD_ALLOC 200000: no host memory, or more than a process can address;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_PARAM_INVALID 107000:
 * called inside a host function. Thread-safe. Follows aclrtMallocHostWithCfg of the Ascend runtime API.
 */
aclError aclrtMallocHostWithCfg(void **ptr,
                                uint64_t size,
                                aclrtMallocConfig *cfg);

/**
 * Frees page-locked host memory. The address is invalid at once; operations queued before still have the
 * memory. Does not wait. Any thread may free. Large memory may stay locked for the next request, within a
 * bound that docs/compatibility.md names, until aclFinalize.
 *
 * @param hostPtr the start of an allocation from aclrtMallocHost.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not the start
 * of a live host allocation, or called inside a host function. Thread-safe. Follows aclrtFreeHost of the
 * Ascend runtime API.
 */
aclError aclrtFreeHost(void *hostPtr);

/**
 * Waits for everything queued so far on all open devices, each of which may use the memory, then frees as
 * aclrtFreeHost. Needs no current context.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param hostPtr the start of an allocation from aclrtMallocHost and its relatives. After a failure the
 * memory is still allocated.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not the start
 * of a live host allocation (then it does not wait), or called inside a host function; the failure of queued
 * work that nobody was told of yet, as aclrtSynchronizeDevice tells it. Thread-safe. Follows
 * aclrtFreeHostWithDevSync of the Ascend runtime API.
 */
aclError aclrtFreeHostWithDevSync(void *hostPtr);

/**
 * Free and total memory of the current device.
 *
 * @param attr an aclrtMemAttr. The ACL_HBM_* and ACL_MEM_* attributes tell the device's memory; ACL_DDR_*
 * and 1 GiB pages, which these devices do not have, give 0 and 0.
 * @param free receives the bytes that are left for this device, at most `total`; freed memory that waits for its
 * next use is free. CPU devices share the machine's memory unless `PORTACL_CPU_MEMORY` gives each its own
 * (docs/configuration.md): what one takes is missing in all.
 * @param total receives the most bytes that the device can have.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_INVALID_MEMORY_TYPE
 * 107016: no such attribute; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows aclrtGetMemInfo of
 * the Ascend runtime API.
 */
aclError aclrtGetMemInfo(aclrtMemAttr attr,
                         size_t *free,
                         size_t *total);

/**
 * Tells how much memory of a device this process uses, a row for each kind: `device` (aclrtMalloc and its
 * relatives) and `managed` (aclrtMemAllocManaged), with all rounding. Freed memory counts until the last queued
 * operation that uses it is done. On the CPU backend the rows of all devices that share the machine's memory add
 * up to what aclrtGetMemInfo counts as used, and those of one device where `PORTACL_CPU_MEMORY` is set; on CUDA
 * that includes what the driver and other processes take. Needs no current context.
 *
 * @param deviceId the device; one that is not in use has zeros.
 * @param memUsageInfo receives the rows; the peak is the highest since the device was opened, where freed
 * memory that waited for its next use counts as well.
 * @param inputNum how many rows there is room for, at least 1; 2 are all.
 * @param outputNum receives how many were written.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `inputNum` is 0;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
 * ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
 * aclrtGetMemUsageInfo of the Ascend runtime API.
 */
aclError aclrtGetMemUsageInfo(int32_t deviceId,
                              aclrtMemUsageInfo *memUsageInfo,
                              size_t inputNum,
                              size_t *outputNum);

/**
 * Where an address lives: anywhere inside an allocation of this library, on CUDA also of another library that has
 * it from the driver, or (ACL_MEM_LOCATION_TYPE_UNREGISTERED) in memory that nobody here knows, which is no error.
 * Needs no current context.
 *
 * @param ptr the address; it is not read.
 * @param attributes receives location type and device id, and the page size in bytes that the system
 * confirms (0 for memory of others).
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000:
 * called inside a host function. Thread-safe. Follows aclrtPointerGetAttributes of the Ascend runtime API.
 */
aclError aclrtPointerGetAttributes(const void *ptr,
                                   aclrtPtrAttributes *attributes);

/**
 * Start and length of the allocation that an address lies in. Needs no current context.
 *
 * @param ptr an address anywhere inside an allocation of device or page-locked host memory; it is not read. On
 * CUDA also inside one that another library of the process has from the driver.
 * @param pbase receives the start, as the call that allocated gave it.
 * @param psize receives the bytes that may be used from there: the size asked for rounded up to 32 bytes,
 * and the readable bytes after it if the allocation has them. Of another library's, what the driver says.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: in
 * no live allocation, or called inside a host function. Thread-safe. Follows
 * aclrtMemGetAddressRange of the Ascend runtime API.
 */
aclError aclrtMemGetAddressRange(void *ptr,
                                 void **pbase,
                                 size_t *psize);

/**
 * Tells whether all addresses of a list are memory of one of some types. Needs no current context.
 *
 * @param addrList the addresses, which may point anywhere and are not read.
 * @param size how many there are, at least 1.
 * @param memType one or more ACL_RT_MEM_TYPE_* bits. Device memory is ACL_RT_MEM_TYPE_DEV; memory of the
 * other types does not exist here.
 * @param checkResult receives 1 if every address lies in memory of one of these types, else 0.
 * @param reserve must be 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `size` is 0, no or unknown bits in
 * `memType`, or `reserve` is not 0; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * Thread-safe. Follows aclrtCheckMemType of the Ascend runtime API.
 */
aclError aclrtCheckMemType(void **addrList,
                           uint32_t size,
                           uint32_t memType,
                           uint32_t *checkResult,
                           uint32_t reserve);

/**
 * Registers host memory of the caller for the kernels of all devices: its pages are locked, and have an
 * address for devices. Needs no current context.
 *
 * The memory stays the caller's, who unregisters it with aclrtHostUnregister before it is freed. A range
 * that a copy uses must not run past the end of a registration. Copies treat the memory as ordinary host
 * memory; aclrtHostRegisterV2 with ACL_HOST_REG_PINNED makes them truly asynchronous. Beyond the system's
 * limit on locked memory the pages of the CPU backend stay unlocked, which is logged once.
 *
 * @param ptr first byte, aligned to 4096 bytes; all of the range must be mapped in the process.
 * @param size bytes, at least 1.
 * @param type must be ACL_HOST_REGISTER_MAPPED.
 * @param devPtr receives the address for kernels; it is not meant for copies and fills.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `size` is 0 or beyond the end of the
 * address space, no such `type`; ACL_ERROR_RT_ADDR_UNALIGNED 107008; ACL_ERROR_RT_PARAM_INVALID 107000: a
 * part of it is memory of this library, in use or freed, or called inside a host function;
 * ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED 507910: a part of it is registered;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the other types; ACL_ERROR_BAD_ALLOC 200000: no host memory left;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: not memory of the process; ACL_ERROR_RT_CONTEXT_NULL 107002: after
 * aclFinalize. Thread-safe. Follows aclrtHostRegister of the Ascend runtime API.
 */
aclError aclrtHostRegister(void *ptr,
                           uint64_t size,
                           aclrtHostRegisterType type,
                           void **devPtr);

/**
 * Registers host memory of the caller as aclrtHostRegister does, in the ways that `flag` says. Needs no
 * current context.
 *
 * @param ptr first byte, aligned to 4096 bytes; all of the range must be mapped in the process.
 * @param size bytes, at least 1.
 * @param flag ACL_HOST_REG_MAPPED: the memory has an address for devices, which aclrtHostGetDevicePointer
 * tells; ACL_HOST_REG_PINNED: asynchronous copies treat it as memory from aclrtMallocHost, so that they
 * return at once and the memory must not be changed before they are done; or both.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, `size` is 0 or beyond the end of the
 * address space, no or unknown flags; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: ACL_HOST_REG_IOMEMORY or
 * ACL_HOST_REG_READONLY; else as aclrtHostRegister. Thread-safe. Follows aclrtHostRegisterV2 of the Ascend
 * runtime API.
 */
aclError aclrtHostRegisterV2(void *ptr,
                             uint64_t size,
                             uint32_t flag);

/**
 * Ends a registration of host memory. It is over for new calls at once; operations queued before still have
 * the memory locked, and the caller keeps it until they are done. Does not wait. Any thread may call it.
 *
 * What the caller had locked itself (mlock) may be unlocked with it.
 *
 * @param ptr the address that was registered.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_HOST_MEMORY_NOT_REGISTERED 507911: not
 * registered, or no longer; ACL_ERROR_RT_PARAM_INVALID 107000: inside a registration but not its start, memory
 * of this library, or called inside a host function. Thread-safe. Follows aclrtHostUnregister of the Ascend
 * runtime API.
 */
aclError aclrtHostUnregister(void *ptr);

/**
 * Tells where the kernels of devices find host memory. Needs no current context.
 *
 * @param pHost an address anywhere inside memory that was registered with ACL_HOST_REG_MAPPED or
 * ACL_HOST_REGISTER_MAPPED, inside memory from aclrtMallocHost, or inside managed memory.
 * @param pDevice receives the address for kernels; it is not meant for copies and fills.
 * @param flag must be 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `flag` is not 0;
 * ACL_ERROR_HOST_MEMORY_NOT_REGISTERED 507911: not registered; ACL_ERROR_RT_PARAM_INVALID 107000: registered
 * without an address for devices, device memory, or called inside a host function.
 * Thread-safe. Follows aclrtHostGetDevicePointer of the Ascend runtime API.
 */
aclError aclrtHostGetDevicePointer(void *pHost,
                                   void **pDevice,
                                   uint32_t flag);

/**
 * Sets bytes of device memory, or of host memory from aclrtMallocHost; done when it returns, in order with
 * no stream.
 *
 * @param devPtr first byte; null only with `count` 0.
 * @param maxCount room at `devPtr`.
 * @param value its low 8 bits are stored in every byte.
 * @param count bytes; 0 does nothing.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null with `count` above 0, or `count` above
 * `maxCount`; ACL_ERROR_RT_PARAM_INVALID 107000: not memory of this library, past the end of an allocation,
 * or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context. Thread-safe.
 * Follows aclrtMemset of the Ascend runtime API.
 */
aclError aclrtMemset(void *devPtr,
                     size_t maxCount,
                     int32_t value,
                     size_t count);

/**
 * Queues aclrtMemset on a stream, in order with its other operations.
 *
 * @param devPtr first byte; null only with `count` 0.
 * @param maxCount room at `devPtr`.
 * @param value its low 8 bits are stored in every byte.
 * @param count bytes; 0 queues nothing.
 * @param stream a stream; null: the default stream of the current context.
 * @return as aclrtMemset; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a
 * host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003:
 * the stream is on another device than the current context; ACL_ERROR_RT_PARAM_INVALID 107000 also for
 * memory of another device than the stream's. Thread-safe. Follows aclrtMemsetAsync of the Ascend runtime
 * API.
 */
aclError aclrtMemsetAsync(void *devPtr,
                          size_t maxCount,
                          int32_t value,
                          size_t count,
                          aclrtStream stream);

/**
 * Sets 32-bit words of device memory, or of host memory from aclrtMallocHost; done when it returns, in
 * order with no stream.
 *
 * @param ptr first word, aligned to 4 bytes; null only with `N` 0.
 * @param memSize room at `ptr` in bytes, at least 4 times `N`.
 * @param value stored in every word, in the byte order of the host.
 * @param N words; 0 does nothing, whatever the other arguments are.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null with `N` above 0, or `N` words are more than
 * `memSize`; ACL_ERROR_RT_ADDR_UNALIGNED 107008; ACL_ERROR_RT_PARAM_INVALID 107000: not memory of this
 * library, past the end of an allocation, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL
 * 107002: no current context. Thread-safe. Follows aclrtMemsetD32 of the Ascend runtime API.
 */
aclError aclrtMemsetD32(void *ptr,
                        size_t memSize,
                        uint32_t value,
                        size_t N);

/**
 * Queues aclrtMemsetD32 on a stream, in order with its other operations. On host memory it returns when the
 * words are set.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param ptr first word, aligned to 4 bytes; null only with `N` 0.
 * @param memSize room at `ptr` in bytes, at least 4 times `N`.
 * @param value stored in every word, in the byte order of the host.
 * @param N words; 0 queues nothing.
 * @param stream a stream; null: the default stream of the current context.
 * @return as aclrtMemsetD32; ACL_ERROR_RT_PARAM_INVALID 107000 also: not a stream, destroyed, or memory of
 * another device than the stream's; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * Thread-safe. Follows aclrtMemsetD32Async of the Ascend runtime API.
 */
aclError aclrtMemsetD32Async(void *ptr,
                             size_t memSize,
                             uint32_t value,
                             size_t N,
                             aclrtStream stream);

/**
 * Writes back what caches hold of device memory from aclrtMallocCached. The devices here keep their caches
 * coherent, so only the arguments are checked. Does not wait for queued work. Needs no current context.
 *
 * @param devPtr first byte, anywhere inside an allocation of device memory.
 * @param size bytes, at least 1.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not device memory of this library, past the end of an allocation, or
 * called inside a host function. Thread-safe. Follows aclrtMemFlush of the Ascend runtime API.
 */
aclError aclrtMemFlush(void *devPtr,
                       size_t size);

/**
 * Drops what caches hold of device memory from aclrtMallocCached. The devices here keep their caches coherent,
 * so only the arguments are checked. Does not wait for queued work. Needs no current context.
 *
 * @param devPtr first byte, anywhere inside an allocation of device memory.
 * @param size bytes, at least 1.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not device memory of this library, past the end of an allocation, or
 * called inside a host function. Thread-safe. Follows aclrtMemInvalidate of the Ascend runtime API.
 */
aclError aclrtMemInvalidate(void *devPtr,
                            size_t size);

/**
 * Prefetches device memory into caches, writes it back, or drops it from there. The devices here manage their
 * caches by themselves and keep them coherent: only the arguments are checked, and nothing is queued.
 *
 * @param src first byte, memory of the stream's device or managed memory.
 * @param size bytes, at least 1.
 * @param cmoType an aclrtCmoType.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `size` is 0, or another type;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or not memory of
 * the stream's device; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT
 * 107003: the stream is on another device than the current context. Thread-safe. Follows aclrtCmoAsync of the
 * Ascend runtime API.
 */
aclError aclrtCmoAsync(void *src,
                       size_t size,
                       aclrtCmoType cmoType,
                       aclrtStream stream);

/**
 * As aclrtCmoAsync, for aclrtCmoWaitBarrier to wait for.
 *
 * @param src first byte, memory of the stream's device or managed memory.
 * @param size bytes, at least 1.
 * @param cmoType an aclrtCmoType.
 * @param barrierId any number; nothing has to be waited for here.
 * @param stream a stream; null: the default stream of the current context.
 * @return as aclrtCmoAsync. Thread-safe. Follows aclrtCmoAsyncWithBarrier of the Ascend runtime API.
 */
aclError aclrtCmoAsyncWithBarrier(void *src,
                                  size_t size,
                                  aclrtCmoType cmoType,
                                  uint32_t barrierId,
                                  aclrtStream stream);

/**
 * Lets later work of a stream wait for operations of aclrtCmoAsyncWithBarrier. All of them are over when their
 * calls return: only the arguments are checked.
 *
 * @param taskInfo 1 to 6 barriers, with their types; the ids are not looked at.
 * @param stream a stream; null: the default stream of the current context.
 * @param flag must be 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `taskInfo` is null, has no or more barriers or another
 * type, or `flag` is not 0; ACL_ERROR_RT_PARAM_INVALID 107000, ACL_ERROR_RT_CONTEXT_NULL 107002 and
 * ACL_ERROR_RT_STREAM_CONTEXT 107003 as aclrtCmoAsync. Thread-safe. Follows aclrtCmoWaitBarrier of the Ascend
 * runtime API.
 */
aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo *taskInfo,
                             aclrtStream stream,
                             uint32_t flag);

/**
 * The size of the description of an operation on caches, as aclrtCmoSetDesc writes it. Works at any time.
 *
 * @param size receives 64 bytes.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe. Follows aclrtCmoGetDescSize of the
 * Ascend runtime API.
 */
aclError aclrtCmoGetDescSize(size_t *size);

/**
 * Writes the description of an operation on caches to device memory; done when it returns.
 *
 * @param cmoDesc 64 bytes of memory of the current device, or managed memory.
 * @param src first byte of what the operation is about, such memory as well.
 * @param size its bytes, at least 1.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or `size` is 0; ACL_ERROR_RT_PARAM_INVALID
 * 107000: not memory of the current device, past its end, or called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: no current context. Thread-safe. Follows aclrtCmoSetDesc of the Ascend
 * runtime API.
 */
aclError aclrtCmoSetDesc(void *cmoDesc,
                         void *src,
                         size_t size);

/**
 * As aclrtCmoAsync, for what a description says. It is not read, since nothing has to be done, whatever it
 * says.
 *
 * @param cmoDesc memory of the stream's device, or managed memory, from aclrtCmoSetDesc.
 * @param cmoType an aclrtCmoType.
 * @param stream a stream; null: the default stream of the current context.
 * @param reserve must be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `cmoDesc` is null, `reserve` is not, or another type;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or not memory of
 * the stream's device; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT
 * 107003: the stream is on another device than the current context. Thread-safe. Follows aclrtCmoAsyncWithDesc
 * of the Ascend runtime API.
 */
aclError aclrtCmoAsyncWithDesc(void *cmoDesc,
                               aclrtCmoType cmoType,
                               aclrtStream stream,
                               const void *reserve);

/**
 * Copies memory; done when it returns, in order with no stream. Any combination of host and device memory
 * and of devices.
 *
 * @param dst where to; null only with `count` 0.
 * @param destMax room at `dst` in bytes.
 * @param src where from; null only with `count` 0.
 * @param count bytes; 0 does nothing, whatever the other arguments are.
 * @param kind the direction, which must fit the pointers; ACL_MEMCPY_DEFAULT finds it from them.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `count` above `destMax`, or an unknown
 * kind; ACL_ERROR_RT_PARAM_INVALID 107000: past the end of an allocation, a kind that contradicts the
 * pointers, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * Thread-safe. Follows aclrtMemcpy of the Ascend runtime API.
 */
aclError aclrtMemcpy(void *dst,
                     size_t destMax,
                     const void *src,
                     size_t count,
                     aclrtMemcpyKind kind);

/**
 * Queues a copy on a stream. With page-locked host memory (aclrtMallocHost) or between devices it returns
 * at once, and the memory must stay as it is until the copy has run. Ordinary host memory is safe to reuse
 * when the call returns: a source has been read, a destination written, in order with the stream's earlier
 * operations. ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE makes any source reusable on return.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param dst where to; null only with `count` 0.
 * @param destMax room at `dst` in bytes.
 * @param src where from; null only with `count` 0.
 * @param count bytes; 0 does nothing, whatever the other arguments are.
 * @param kind the direction, which must fit the pointers; ACL_MEMCPY_DEFAULT finds it from them.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `count` above `destMax`, or an
 * unknown kind; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: host to host; ACL_ERROR_RT_PARAM_INVALID 107000:
 * not a stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context;
 * ACL_ERROR_RT_PARAM_INVALID 107000 also past the end of an allocation, or for a kind that contradicts the
 * pointers. Thread-safe. Follows aclrtMemcpyAsync of the Ascend runtime API.
 */
aclError aclrtMemcpyAsync(void *dst,
                          size_t destMax,
                          const void *src,
                          size_t count,
                          aclrtMemcpyKind kind,
                          aclrtStream stream);

/**
 * An older name of aclrtMemcpyAsync; deprecated. There is no condition.
 *
 * @param dst where to; null only with `count` 0.
 * @param destMax room at `dst` in bytes.
 * @param src where from; null only with `count` 0.
 * @param count bytes; 0 does nothing, whatever the other arguments are.
 * @param kind the direction, which must fit the pointers; ACL_MEMCPY_DEFAULT finds it from them.
 * @param stream a stream; null: the default stream of the current context.
 * @return as aclrtMemcpyAsync. Thread-safe. Follows aclrtMemcpyAsyncWithCondition of the Ascend runtime
 * API.
 */
aclError aclrtMemcpyAsyncWithCondition(void *dst,
                                       size_t destMax,
                                       const void *src,
                                       size_t count,
                                       aclrtMemcpyKind kind,
                                       aclrtStream stream);

/**
 * Queues `dst[i] = op(dst[i], src[i])` over two arrays in memory of the stream's device. Integers wrap around;
 * half precision and bfloat16 are computed in single precision and rounded to nearest even; for maximum and
 * minimum a number beats a NaN, and +0 is larger than -0.
 *
 * @param dst accumulator, aligned to its elements.
 * @param src the other operand, aligned to its elements.
 * @param count bytes, a whole number of elements; 0 queues nothing.
 * @param kind sum, maximum or minimum of aclrtReduceKind.
 * @param type ACL_INT8, ACL_INT16, ACL_INT32, ACL_FLOAT16, ACL_BF16 or ACL_FLOAT.
 * @param stream a stream; null: the default stream of the current context.
 * @param reserve must be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown kind or type, part of an
 * element, or `reserve` not null; ACL_ERROR_RT_ADDR_UNALIGNED 107008; ACL_ERROR_RT_FEATURE_NOT_SUPPORT
 * 207000: another type of aclDataType or the kind EQUAL; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream,
 * destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context;
 * ACL_ERROR_RT_PARAM_INVALID 107000 also for memory that is not on the stream's device, or past the end of
 * an allocation. Thread-safe. Follows aclrtReduceAsync of the Ascend runtime API.
 */
aclError aclrtReduceAsync(void *dst,
                          const void *src,
                          uint64_t count,
                          aclrtReduceKind kind,
                          aclDataType type,
                          aclrtStream stream,
                          void *reserve);

/**
 * Copies `height` rows of `width` bytes between the host and a device; done when it returns, in order with
 * no stream. What lies between the rows is neither read nor written, so the last row needs no padding.
 *
 * @param dst first byte of the destination; null only with `width` or `height` 0.
 * @param dpitch bytes from the beginning of a row to the beginning of the next there, at least `width`.
 * @param src first byte of the source; null only with `width` or `height` 0.
 * @param spitch as `dpitch`, of the source.
 * @param width bytes of each row, up to 5,000,000; 0 does nothing, whatever the other arguments are.
 * @param height rows, up to 5,000,000; 0 does nothing, whatever the other arguments are.
 * @param kind ACL_MEMCPY_HOST_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_HOST, as the pointers are.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, another kind, `width` above a pitch,
 * too many rows or bytes in a row, or rows beyond the end of the address space; ACL_ERROR_RT_PARAM_INVALID
 * 107000: rows past the end of an allocation, a kind that contradicts the pointers, or called inside a host
 * function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context. Thread-safe. Follows aclrtMemcpy2d of the
 * Ascend runtime API.
 */
aclError aclrtMemcpy2d(void *dst,
                       size_t dpitch,
                       const void *src,
                       size_t spitch,
                       size_t width,
                       size_t height,
                       aclrtMemcpyKind kind);

/**
 * Queues aclrtMemcpy2d on a stream, also within a device and between devices. With page-locked host memory
 * (aclrtMallocHost) or between devices it returns at once, and the memory must stay as it is until the copy
 * has run. With ordinary host memory it returns when the copy has run, in order with the stream's earlier
 * operations.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param dst first byte of the destination; null only with `width` or `height` 0.
 * @param dpitch bytes from the beginning of a row to the beginning of the next there, at least `width`.
 * @param src first byte of the source; null only with `width` or `height` 0.
 * @param spitch as `dpitch`, of the source.
 * @param width bytes of each row, up to 5,000,000; 0 queues nothing.
 * @param height rows, up to 5,242,880 (5 Mi); 0 queues nothing.
 * @param kind ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST or ACL_MEMCPY_DEVICE_TO_DEVICE, as the
 * pointers are.
 * @param stream a stream; null: the default stream of the current context.
 * @return as aclrtMemcpy2d; ACL_ERROR_RT_PARAM_INVALID 107000 also: not a stream, or destroyed;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * Thread-safe. Follows aclrtMemcpy2dAsync of the Ascend runtime API.
 */
aclError aclrtMemcpy2dAsync(void *dst,
                            size_t dpitch,
                            const void *src,
                            size_t spitch,
                            size_t width,
                            size_t height,
                            aclrtMemcpyKind kind,
                            aclrtStream stream);

/**
 * Makes many copies, all from the host to devices or all from devices to the host; done when it returns, in
 * order with no stream and in no order among themselves: destinations that overlap end up as any of them.
 * All arguments are checked before the first byte is copied.
 *
 * @param dsts where to, for each copy; an element may be null where its size is 0.
 * @param destMaxs room at each destination in bytes.
 * @param srcs where from, for each copy; an element may be null where its size is 0.
 * @param sizes bytes of each copy; where it is 0 that copy does nothing.
 * @param numBatches how many copies there are; 0 does nothing, whatever the other arguments are.
 * @param attrs where the copies go to and come from. A device must be the memory's own; of host memory any
 * kind will do, and its id is not looked at; managed memory is everywhere. `rsv` is not looked at.
 * @param attrsIndexes for each attribute the number of the first copy that it is for; it holds up to that of
 * the next attribute. The first is 0, each is more than the one before, the last less than `numBatches`.
 * @param numAttrs how many attributes there are, 1 to `numBatches`.
 * @param failIndex on failure the number of the copy to blame; SIZE_MAX if it is none in particular, as
 * for a bad attribute or a device that failed. On success SIZE_MAX.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, a size above its `destMaxs`, a
 * location type that does not exist, or indexes or a number of attributes that are not as said;
 * ACL_ERROR_RT_PARAM_INVALID 107000: past the end of an allocation, memory that is not where its attribute
 * says, a copy within the host or between devices, copies in both directions, or called inside a host
 * function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_BAD_ALLOC 200000: the host has
 * no memory to keep so many copies in mind. Thread-safe. Follows aclrtMemcpyBatch of the Ascend runtime API.
 */
aclError aclrtMemcpyBatch(void **dsts,
                          size_t *destMaxs,
                          void **srcs,
                          size_t *sizes,
                          size_t numBatches,
                          aclrtMemcpyBatchAttr *attrs,
                          size_t *attrsIndexes,
                          size_t numAttrs,
                          size_t *failIndex);

/**
 * As aclrtMemcpyBatch, without the number of the copy to blame: the text of aclGetRecentErrMsg names it.
 *
 * @param dsts where to, for each copy.
 * @param destMaxs room at each destination in bytes.
 * @param srcs where from, for each copy.
 * @param sizes bytes of each copy.
 * @param numBatches how many copies there are; 0 does nothing, whatever the other arguments are.
 * @param attrs where the copies go to and come from.
 * @param attrsIndexes for each attribute the number of the first copy that it is for.
 * @param numAttrs how many attributes there are, 1 to `numBatches`.
 * @return as aclrtMemcpyBatch. Thread-safe. Follows aclrtMemcpyBatchV2 of the Ascend runtime API.
 */
aclError aclrtMemcpyBatchV2(void **dsts,
                            size_t *destMaxs,
                            void **srcs,
                            size_t *sizes,
                            size_t numBatches,
                            aclrtMemcpyBatchAttr *attrs,
                            size_t *attrsIndexes,
                            size_t numAttrs);

/**
 * Queues the copies of aclrtMemcpyBatch on a stream: after its earlier operations and before its later ones,
 * in no order among themselves. Where all host memory is page-locked (aclrtMallocHost) it returns at once, and
 * the memory must stay as it is until the copies have run. Ordinary host memory is safe to reuse when the call
 * returns. The arrays themselves are read during the call only.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param dsts where to, for each copy.
 * @param destMaxs room at each destination in bytes.
 * @param srcs where from, for each copy.
 * @param sizes bytes of each copy.
 * @param numBatches how many copies there are; 0 queues nothing, whatever the other arguments are.
 * @param attrs where the copies go to and come from.
 * @param attrsIndexes for each attribute the number of the first copy that it is for.
 * @param numAttrs how many attributes there are, 1 to `numBatches`.
 * @param failIndex as for aclrtMemcpyBatch. Where it names a copy, none was queued.
 * @param stream a stream; null: the default stream of the current context.
 * @return as aclrtMemcpyBatch; ACL_ERROR_RT_PARAM_INVALID 107000 also: not a stream, or destroyed;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * Thread-safe. Follows aclrtMemcpyBatchAsync of the Ascend runtime API.
 */
aclError aclrtMemcpyBatchAsync(void **dsts,
                               size_t *destMaxs,
                               void **srcs,
                               size_t *sizes,
                               size_t numBatches,
                               aclrtMemcpyBatchAttr *attrs,
                               size_t *attrsIndexes,
                               size_t numAttrs,
                               size_t *failIndex,
                               aclrtStream stream);

/**
 * As aclrtMemcpyBatchAsync, without the number of the copy to blame: the text of aclGetRecentErrMsg names it.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param dsts where to, for each copy.
 * @param destMaxs room at each destination in bytes.
 * @param srcs where from, for each copy.
 * @param sizes bytes of each copy.
 * @param numBatches how many copies there are; 0 queues nothing, whatever the other arguments are.
 * @param attrs where the copies go to and come from.
 * @param attrsIndexes for each attribute the number of the first copy that it is for.
 * @param numAttrs how many attributes there are, 1 to `numBatches`.
 * @param stream a stream; null: the default stream of the current context.
 * @return as aclrtMemcpyBatchAsync. Thread-safe. Follows aclrtMemcpyBatchAsyncV2 of the Ascend runtime API.
 */
aclError aclrtMemcpyBatchAsyncV2(void **dsts,
                                 size_t *destMaxs,
                                 void **srcs,
                                 size_t *sizes,
                                 size_t numBatches,
                                 aclrtMemcpyBatchAttr *attrs,
                                 size_t *attrsIndexes,
                                 size_t numAttrs,
                                 aclrtStream stream);

/**
 * Queues a copy on the stream's device between places whose addresses are in memory of the device, where they
 * are read when the stream comes to the copy: earlier work of the stream may write them. The address and its
 * offset have to be device memory with as many bytes behind them, and the copy must not write to where the
 * addresses are. This is looked at when the copy runs: on CPUs it then fails if there is no device memory, as
 * the next synchronize tells (507015); on a GPU the device fails. Memory that is freed meanwhile is kept until
 * the copy is over.
 *
 * @param dst where the address of the destination is: 8 bytes, aligned to them, of the stream's device or
 * managed memory; null only with `count` 0.
 * @param destMax room at the destination in bytes, from the offset on.
 * @param dstDataOffset bytes to add to the destination's address.
 * @param src where the address of the source is, as `dst`.
 * @param count bytes; 0 queues nothing.
 * @param srcDataOffset bytes to add to the source's address.
 * @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS: it is queued; ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown kind, or
 * `count` is more than `destMax`; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another kind;
 * ACL_ERROR_RT_ADDR_UNALIGNED 107008; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called
 * inside a host function, or not memory of the stream's device; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * Thread-safe. Follows aclrtMemcpyAsyncWithOffset of the Ascend runtime API.
 */
aclError aclrtMemcpyAsyncWithOffset(void **dst,
                                    size_t destMax,
                                    size_t dstDataOffset,
                                    const void **src,
                                    size_t count,
                                    size_t srcDataOffset,
                                    aclrtMemcpyKind kind,
                                    aclrtStream stream);

/**
 * The size of the description of a copy, as aclrtSetMemcpyDesc writes it. Works at any time.
 *
 * @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
 * @param descSize receives 64 bytes.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an unknown kind;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another kind. Thread-safe. Follows aclrtGetMemcpyDescSize of the
 * Ascend runtime API.
 */
aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind,
                                size_t *descSize);

/**
 * Writes the description of a copy to device memory, as three words: the address of the source, that of the
 * destination, and how many bytes. Done when it returns; in order with no stream.
 *
 * @param desc 64 bytes, aligned to 8, of the current device's memory, or managed memory.
 * @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
 * @param srcAddr where from: memory of the current device, or managed memory; null only with `count` 0.
 * @param dstAddr where to, likewise.
 * @param count bytes; 0: the copy does nothing.
 * @param config must be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown kind, or `config` is not
 * null; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another kind; ACL_ERROR_RT_ADDR_UNALIGNED 107008;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not memory of the current device, past its end, or called inside a host
 * function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context. Thread-safe. Follows aclrtSetMemcpyDesc of
 * the Ascend runtime API.
 */
aclError aclrtSetMemcpyDesc(void *desc,
                            aclrtMemcpyKind kind,
                            void *srcAddr,
                            void *dstAddr,
                            size_t count,
                            void *config);

/**
 * Queues the copy that a description in device memory says when the stream comes to it: earlier work of the
 * stream may change it. All else as aclrtMemcpyAsyncWithOffset.
 *
 * @param desc memory of the stream's device, or managed memory, from aclrtSetMemcpyDesc.
 * @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS: it is queued; ACL_ERROR_INVALID_PARAM 100000: `desc` is null, or an unknown kind; all
 * else as aclrtMemcpyAsyncWithOffset. Thread-safe. Follows aclrtMemcpyAsyncWithDesc of the Ascend runtime API.
 */
aclError aclrtMemcpyAsyncWithDesc(void *desc,
                                  aclrtMemcpyKind kind,
                                  aclrtStream stream);

/**
 * Queues the making of random numbers in device memory, when the stream comes to it: bits for dropout, or
 * uniform, normal or truncated normal numbers. They come from Philox 4x32-10, seed and counter decide them, and
 * they are the same on every backend and device; docs/random_numbers.md says which they are.
 *
 * @param taskInfo what to make; read during the call. In it:
 * `dataType`: ACL_FLOAT, ACL_FLOAT16 or ACL_BF16, and for uniform numbers ACL_INT32, ACL_UINT32, ACL_INT64 and
 * ACL_UINT64, too; for dropout the type of `dropoutRation`.
 * `randomNumFuncParaInfo`: a distribution and its parameters, of that type. Dropout makes bits, the first of
 * them in the lowest bit of the first byte, which are 0 with the probability `dropoutRation` (from 0 to 1), and
 * 1 otherwise. Uniform numbers are at least `min` and below `max`, and `min` where both are the same. Normal
 * numbers have the mean `mean` and the standard deviation `stddev` (0 or more); truncated ones are at most two
 * standard deviations from the mean, and distributed there as the others are.
 * `randomParaAddr`: not used.
 * `randomResultAddr`: where they go, memory of the stream's device or managed memory, aligned to the type; null
 * only with no numbers.
 * `randomCounterAddr`: 16 bytes of such memory, aligned to 8, with the number of the first block of four
 * words, lowest byte first, to which the blocks that were used are added, so that the next call goes on where
 * this one ends; or null to begin at 0.
 * `randomSeed`: 4 or 8 bytes. `randomNum`: how many elements, or bits, 4 or 8 bytes; 0 queues nothing.
 * In an aclrtRandomParaInfo `size` says how many bytes the number has; with `isAddr` 1 there is its address in
 * place of the number, in memory of the stream's device or managed memory, aligned to its size, which is read
 * when the stream comes to it. Then there are never more numbers than have room in the rest of the allocation,
 * a ratio above 1 or no number is taken for 1, and a `max` below `min` for `min`. What is read must not lie
 * where the numbers go.
 * @param stream a stream; null: the default stream of the current context.
 * @param reserve must be null.
 * @return ACL_SUCCESS: it is queued; ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown type or
 * distribution, a size, `isAddr` or parameter out of range, too many numbers, what is read lies where the
 * numbers go, or `reserve` is not null; ACL_ERROR_RT_ADDR_UNALIGNED 107008; ACL_ERROR_RT_FEATURE_NOT_SUPPORT
 * 207000: another type of aclDataType, or `randomNum` by address with memory of another
 * library; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, not
 * memory of the stream's device, or past the end of an allocation; ACL_ERROR_RT_CONTEXT_NULL 107002: no
 * current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current
 * context. Thread-safe. Follows aclrtRandomNumAsync of the Ascend runtime API; which generator, and what the
 * counter does, is this library's choice.
 */
aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *taskInfo,
                             aclrtStream stream,
                             void *reserve);

/**
 * Queues a call of `fn` on a stream: it runs once, after the stream's earlier operations; later ones wait
 * until it returns, other streams do not. It runs on a thread of this library, or, if the stream was given
 * to aclrtSubscribeHostFunc, inside aclrtProcessHostFunc in that thread. Inside it no call of this library
 * that allocates, frees, waits, queues, creates or destroys is allowed; such calls return an error there.
 * It must return, and not by an exception. The stack of a thread of this library is as large as the system's
 * default, or as `PORTACL_THREAD_STACK` says (docs/configuration.md).
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param fn the function.
 * @param args its argument, which the caller keeps alive until it has run; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `fn` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not
 * a stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context;
 * ACL_ERROR_RT_STREAM_SUBSCRIBE 107011: the stream was given to aclrtSubscribeReport, which excludes host
 * functions; ACL_ERROR_RT_STREAM_NO_CB_REG 107015: another thread is in aclrtUnSubscribeHostFunc with it.
 * Thread-safe. Follows aclrtLaunchHostFunc of the Ascend runtime API.
 */
aclError aclrtLaunchHostFunc(aclrtStream stream,
                             aclrtHostFunc fn,
                             void *args);

/**
 * Has a stream's callbacks (aclrtLaunchCallback) run in the thread `threadId`, whenever that thread calls
 * aclrtProcessReport. One thread may serve many streams, all of one device; at most 1024 threads can.
 * Until aclrtUnSubscribeReport, or the end of the stream or its device, aclrtLaunchHostFunc is refused on
 * the stream.
 *
 * @param threadId what pthread_self() gives in that thread; not a number of the kernel (gettid).
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `threadId` is 0; ACL_ERROR_RT_PARAM_INVALID 107000:
 * not a stream, destroyed, or called inside a callback; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context;
 * ACL_ERROR_RT_STREAM_SUBSCRIBE 107011: the stream is subscribed already, by this call or by
 * aclrtSubscribeHostFunc; ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: the thread serves streams of another device,
 * or would be one too many. Thread-safe. Follows aclrtSubscribeReport of the Ascend runtime API.
 */
aclError aclrtSubscribeReport(uint64_t threadId,
                              aclrtStream stream);

/**
 * Queues a call of `fn` on a stream that was given to aclrtSubscribeReport: it runs once, after the stream's
 * earlier operations, when that thread calls aclrtProcessReport; callbacks of a stream run in the order of
 * their launches. No other thread ever runs it: who waits for a stream with a blocking callback waits for
 * that thread. Inside it no call of this library that allocates, frees, waits, queues, creates or destroys
 * is allowed; such calls return an error there. It must return, and not by an exception.
 *
 * It is dropped, without having run, if the stream is destroyed or aborted, its device is reset or the
 * runtime finalized before it starts; the stream goes on behind it.
 *
 * @param fn the function.
 * @param userData its argument, which the caller keeps alive until it has run; may be null.
 * @param blockType ACL_CALLBACK_BLOCK: later operations of the stream, and whoever waits for the stream, wait
 * until the callback has returned; ACL_CALLBACK_NO_BLOCK: they do not.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `fn` is null, or no such block type; ACL_ERROR_RT_PARAM_INVALID
 * 107000: not a stream, destroyed, or called inside a callback; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context;
 * ACL_ERROR_RT_STREAM_NO_CB_REG 107015: the stream is not subscribed, or is being unsubscribed.
 * Thread-safe. Follows aclrtLaunchCallback of the Ascend runtime API.
 */
aclError aclrtLaunchCallback(aclrtCallback fn,
                             void *userData,
                             aclrtCallbackBlockType blockType,
                             aclrtStream stream);

/**
 * Runs, in the calling thread, the callbacks that its streams have come to: those that are there when it is
 * called, in the order in which the streams came to them, or the first that comes in time. Needs no
 * current context. Programs call it in a loop, on a thread of its own, until a flag of theirs.
 *
 * @param timeout milliseconds above 0; or -1: until a callback comes or the thread's last subscription ends.
 * @return ACL_SUCCESS: at least one callback has run; ACL_ERROR_RT_REPORT_TIMEOUT 507012: none came in time,
 * call it again; ACL_ERROR_RT_THREAD_SUBSCRIBE 107012, after 10 ms at most: the thread serves no stream, not
 * yet or not any more; ACL_ERROR_INVALID_PARAM 100000: `timeout` is 0 or below -1; ACL_ERROR_RT_PARAM_INVALID 107000:
 * called inside a callback or host function. Thread-safe. Follows aclrtProcessReport of the Ascend runtime
 * API.
 */
aclError aclrtProcessReport(int32_t timeout);

/**
 * Takes back aclrtSubscribeReport. Waits for callbacks that were launched on the stream before, which the
 * thread goes on to run; if it ends none of them for two seconds, or is the calling thread itself, nothing
 * changes and this fails.
 *
 * @param threadId the thread that was subscribed, as pthread_self() gives it.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS: no callback of the stream runs or will run; ACL_ERROR_INVALID_PARAM 100000: `threadId` is 0;
 * ACL_ERROR_RT_PARAM_INVALID 107000: callbacks are left that the thread does not run, or not a stream, destroyed, or
 * called inside a callback; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context;
 * ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: another thread runs the stream's callbacks;
 * ACL_ERROR_RT_STREAM_NO_CB_REG 107015: the stream is not subscribed.
 * Thread-safe. Follows aclrtUnSubscribeReport of the Ascend runtime API.
 */
aclError aclrtUnSubscribeReport(uint64_t threadId,
                                aclrtStream stream);

/**
 * Has a stream's host functions (aclrtLaunchHostFunc) run in the thread `hostFuncThreadId` instead of a thread of this
 * library, whenever that thread calls aclrtProcessHostFunc. One thread may serve many streams, all of one
 * device; at most 1024 threads can. The stream waits for each of them, as ever. Host functions that were
 * queued before run as they would have. Until aclrtUnSubscribeHostFunc, or the end of the stream or its
 * device, aclrtLaunchCallback is refused on the stream.
 *
 * @param hostFuncThreadId what pthread_self() gives in that thread; not a number of the kernel (gettid).
 * @param exeStream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `hostFuncThreadId` is 0; ACL_ERROR_RT_PARAM_INVALID
 * 107000: not a stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
 * current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current
 * context; ACL_ERROR_RT_STREAM_SUBSCRIBE 107011: the stream is subscribed already, by this call or by
 * aclrtSubscribeReport; ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: the thread serves streams of another device,
 * or would be one too many. Thread-safe. Follows aclrtSubscribeHostFunc of the Ascend runtime API.
 */
aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId,
                                aclrtStream exeStream);

/**
 * Runs, in the calling thread, the host functions that its streams have come to: those that are there when
 * it is called, in the order in which the streams came to them, or the first that comes in time. Needs no
 * current context.
 *
 * @param timeout milliseconds above 0; or -1: until one comes or the thread's last subscription ends.
 * @return ACL_SUCCESS: at least one host function has run; ACL_ERROR_RT_REPORT_TIMEOUT 507012: none came in
 * time, call it again; ACL_ERROR_RT_THREAD_SUBSCRIBE 107012, after 10 ms at most: the thread serves no
 * stream, not yet or not any more; ACL_ERROR_INVALID_PARAM 100000: `timeout` is 0 or below -1; ACL_ERROR_RT_PARAM_INVALID
 * 107000: called inside a callback or host function. Thread-safe. Follows aclrtProcessHostFunc of the Ascend
 * runtime API.
 */
aclError aclrtProcessHostFunc(int32_t timeout);

/**
 * Takes back aclrtSubscribeHostFunc. Waits for host functions that were launched on the stream before, which
 * the thread goes on to run; if it ends none of them for two seconds, or is the calling thread itself,
 * nothing changes and this fails. Later ones run on a thread of this library again.
 *
 * @param hostFuncThreadId the thread that was subscribed, as pthread_self() gives it.
 * @param exeStream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS: none of them runs or will run in that thread; ACL_ERROR_INVALID_PARAM 100000:
 * `hostFuncThreadId` is 0; ACL_ERROR_RT_PARAM_INVALID 107000: host functions are left that the thread does
 * not run, or not a stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002:
 * no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current
 * context; ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: another thread runs the stream's host functions;
 * ACL_ERROR_RT_STREAM_NO_CB_REG 107015: the stream is not subscribed. Thread-safe. Follows
 * aclrtUnSubscribeHostFunc of the Ascend runtime API.
 */
aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId,
                                  aclrtStream exeStream);

/**
 * Has `callback` called when queued work fails, in place of the function that an earlier call of this
 * function has set. It does not touch those of aclrtExceptionInfoCallbackRegister; a function that is
 * there as well is called twice.
 *
 * The callback runs on a thread of this library, after the failure and before any synchronize of the
 * stream returns; the failed stream waits for it, others do not, and failures of several streams may call
 * it at the same time. What it is given lives as long as the call. It may ask the
 * aclrtGet*FromExceptionInfo functions, and must not allocate, free, wait, queue work, or create and
 * destroy objects: such calls fail with ACL_ERROR_RT_PARAM_INVALID 107000. A GPU does not tell whose work
 * has failed; its driver ends everything on the device: there it is called once, when a call of this library
 * first meets the failure, and only device and code are known.
 *
 * aclFinalize forgets it.
 *
 * @param callback the function; null: nothing is called any more. A call that has begun goes on.
 * @return ACL_SUCCESS. Thread-safe; works before aclInit. Follows the deprecated aclrtSetExceptionInfoCallback of the
 * Ascend runtime API; aclrtExceptionInfoCallbackRegister serves several users of the process.
 */
aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

/**
 * Adds a function to those called when queued work fails; aclrtSetExceptionInfoCallback says how. They are
 * called in the order in which they were added. aclFinalize forgets them.
 *
 * @param callback the function. One that was added before is there once, and this is no error.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe; works before aclInit. Follows
 * aclrtExceptionInfoCallbackRegister of the Ascend runtime API.
 */
aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);

/**
 * Takes back aclrtExceptionInfoCallbackRegister. A call that has begun, or that is about to begin in
 * another thread, goes on: code that is to be unloaded has to synchronize its streams first.
 *
 * @param callback the function. One that was not added is no error.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe. Follows
 * aclrtExceptionInfoCallbackUnregister of the Ascend runtime API.
 */
aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);

/**
 * Has `callback` called when a kernel of a binary fails, after the functions of aclrtExceptionInfoCallbackRegister, and
 * as they are. Where a device does not tell what has failed, as GPUs, it is called for every failure of the binary's
 * device. It is forgotten when the binary is unloaded; code that is to be unloaded has to synchronize its streams
 * first.
 *
 * @param binHandle a handle of aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
 * @param callback the function, in place of the one before; null: none.
 * @param userData what it is called with, as the second argument.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `binHandle` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * handle of a program, or unloaded. Thread-safe. Follows aclrtBinarySetExceptionCallback of the Ascend runtime API.
 */
aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle,
                                         aclrtOpExceptionCallback callback,
                                         void *userData);

/**
 * The number of the task that failed: its place in its stream, as aclrtGetThreadLastTaskId told it to the
 * thread that submitted it.
 *
 * @param info what a callback was given, during its call.
 * @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback's call is over, in
 * which cases aclGetRecentErrMsg tells more where `info` was at fault. Thread-safe: the callback may have
 * another thread ask while it waits. Follows aclrtGetTaskIdFromExceptionInfo of the Ascend runtime API.
 */
uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * The number of the stream on which work failed, as aclrtStreamGetId tells it.
 *
 * @param info what a callback was given, during its call.
 * @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback's call is over, in
 * which cases aclGetRecentErrMsg tells more where `info` was at fault. Thread-safe: the callback may have
 * another thread ask while it waits. Follows aclrtGetStreamIdFromExceptionInfo of the Ascend runtime API.
 */
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * The system's number (gettid) of the thread that submitted what failed.
 *
 * @param info what a callback was given, during its call.
 * @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback's call is over, in
 * which cases aclGetRecentErrMsg tells more where `info` was at fault. Thread-safe: the callback may have
 * another thread ask while it waits. Follows aclrtGetThreadIdFromExceptionInfo of the Ascend runtime API.
 */
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * The device on which work failed.
 *
 * @param info what a callback was given, during its call.
 * @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback's call is over, in
 * which cases aclGetRecentErrMsg tells more where `info` was at fault. Thread-safe: the callback may have
 * another thread ask while it waits. Follows aclrtGetDeviceIdFromExceptionInfo of the Ascend runtime API.
 */
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * The code of the failure, which the next synchronize returns.
 *
 * @param info what a callback was given, during its call.
 * @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback's call is over, in
 * which cases aclGetRecentErrMsg tells more where `info` was at fault. Thread-safe: the callback may have
 * another thread ask while it waits. Follows aclrtGetErrorCodeFromExceptionInfo of the Ascend runtime API.
 */
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * Tells the arguments of the kernel that failed, as it got them.
 *
 * @param info what a callback was given, during its call.
 * @param devArgsPtr receives the address of a copy, in host memory, that lives as long as the callback's call.
 * @param devArgsLen receives its bytes; 0 where the arguments came one by one and the kernel does not tell where they
 * belong.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not what a
 * callback was given, its call is over, or it is not known which kernel has failed: it was another operation, or the
 * device is a GPU. Thread-safe: the callback may have another thread ask while it waits. Follows
 * aclrtGetArgsFromExceptionInfo of the Ascend runtime API.
 */
aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info,
                                       void **devArgsPtr,
                                       uint32_t *devArgsLen);

/**
 * Tells which kernel failed.
 *
 * @param info what a callback was given, during its call.
 * @param func receives the handle that it was launched by; the program may have unloaded it since.
 * @return as aclrtGetArgsFromExceptionInfo. Thread-safe: the callback may have another thread ask while it waits.
 * Follows aclrtGetFuncHandleFromExceptionInfo of the Ascend runtime API.
 */
aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info,
                                             aclrtFuncHandle *func);

/**
 * Tells what sizes of physical memory, and the addresses where it is mapped, are multiples of: 2 MiB for all
 * memory, both at least and best.
 *
 * @param prop the memory that is meant, as for aclrtMallocPhysical; its device need not be set.
 * @param option ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM or ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED.
 * @param granularity receives the number of bytes.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `option` or a property is unknown;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: pages of 1 GiB;
 * ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after
 * aclFinalize. Thread-safe. Follows aclrtMemGetAllocationGranularity of the Ascend runtime API.
 */
aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
                                          aclrtMemGranularityOptions option,
                                          size_t *granularity);

/**
 * Reserves a range of addresses without memory, for memory of any device and of the host. What reads or writes
 * there fails until memory is mapped (aclrtMapMem).
 *
 * @param virPtr receives the first address, a multiple of 2 MiB and of `alignment`. The range lives until
 * aclrtReleaseMemAddress, or until aclFinalize; a reset of a device takes only what is mapped of its memory.
 * @param size bytes, rounded up to a multiple of 2 MiB. In guard mode (PORTACL_CPU_GUARD=1) 64 GiB, or as much as
 * a device has, at most.
 * @param alignment 0, or a power of two.
 * @param expectPtr the address that the range is to begin at, a multiple of 2 MiB and of `alignment`; null:
 * anywhere. Where it is not free the call fails.
 * @param flags 0, or 1 for huge pages, which changes nothing here.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `size` is 0, `alignment` no power of two,
 * `expectPtr` not aligned, or `flags` unknown; ACL_ERROR_RT_MEMORY_ALLOCATION 207001: there are no such addresses,
 * or they are not free; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * Thread-safe. Follows aclrtReserveMemAddress of the Ascend runtime API, and cuMemAddressReserve where that says
 * nothing, but for an address that is not free, which is no wish here.
 */
aclError aclrtReserveMemAddress(void **virPtr,
                                size_t size,
                                size_t alignment,
                                void *expectPtr,
                                uint64_t flags);

/**
 * As aclrtReserveMemAddress, outside the range that unified caching covers: there is no such range here, and the
 * two calls do the same.
 *
 * @param virPtr receives the first address.
 * @param size bytes, rounded up to a multiple of 2 MiB.
 * @param alignment 0, or a power of two.
 * @param expectPtr the address that the range is to begin at; null: anywhere.
 * @param flags 0 or 1.
 * @return as aclrtReserveMemAddress. Thread-safe. Follows aclrtReserveMemAddressNoUCMemory of the Ascend runtime
 * API.
 */
aclError aclrtReserveMemAddressNoUCMemory(void **virPtr,
                                          size_t size,
                                          size_t alignment,
                                          void *expectPtr,
                                          uint64_t flags);

/**
 * Gives back a range of addresses. Work that was queued before and still uses what was mapped there is waited
 * for; nothing else is.
 *
 * @param virPtr the start of a range from aclrtReserveMemAddress in which nothing is mapped.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `virPtr` is null; ACL_ERROR_RT_PARAM_INVALID 107000: no
 * range begins there, memory is still mapped in it, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL
 * 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows
 * aclrtReleaseMemAddress of the Ascend runtime API.
 */
aclError aclrtReleaseMemAddress(void *virPtr);

/**
 * Allocates memory without an address, to be mapped (aclrtMapMem).
 *
 * @param handle receives the handle, which lives until aclrtFreePhysical, or until its device is reset (host
 * memory: until aclFinalize).
 * @param size bytes, rounded up to a multiple of 2 MiB.
 * @param prop which memory; not needed afterwards. `location`: ACL_MEM_LOCATION_TYPE_DEVICE with the id of a
 * device that is set, ACL_MEM_LOCATION_TYPE_HOST with any id, or ACL_MEM_LOCATION_TYPE_HOST_NUMA with the number of
 * a NUMA node; the last two on the CPU backend only. `memAttr`: any but those for pages of 1 GiB; it changes
 * nothing. `handleType`: ACL_MEM_HANDLE_TYPE_NONE or ACL_MEM_HANDLE_TYPE_POSIX. `allocationType`:
 * ACL_MEM_ALLOCATION_TYPE_PINNED. `reserve` is not looked at.
 * @param flags 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `size` or `flags` is not allowed, or a property is
 * unknown; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: the device is
 * not set, or called inside a host function; ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no such memory is left;
 * ACL_ERROR_BAD_ALLOC 200000: no host memory or no handle is left; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: pages of
 * 1 GiB, host memory on the CUDA backend, or a CPU device whose memory is no file (docs/sharing.md);
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; what a memory hook returned that refuses it. Thread-safe.
 * Follows aclrtMallocPhysical of the Ascend runtime API, and cuMemCreate where that says nothing.
 */
aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle,
                             size_t size,
                             const aclrtPhysicalMemProp *prop,
                             uint64_t flags);

/**
 * Gives up a handle of physical memory. What is mapped stays usable: the memory goes when no handle names it, it is
 * mapped nowhere, and no queued work uses it.
 *
 * @param handle from aclrtMallocPhysical or aclrtMemRetainAllocationHandle; each of their successes is matched by
 * one call of this.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `handle` is null; ACL_ERROR_RT_PARAM_INVALID 107000: no live
 * physical memory, or called inside a host function; what a memory hook returned that refuses it. Thread-safe. Follows aclrtFreePhysical of the Ascend runtime API.
 */
aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/**
 * Maps physical memory in a reserved range. The device that the memory is on may read and write it at once; of host
 * memory, the host and all devices. The same memory may be mapped in several places. Transfers may run over several
 * mappings of one device that lie side by side. Where something else was mapped that queued work still uses, that
 * work is waited for.
 *
 * @param virPtr an address in a range from aclrtReserveMemAddress, a multiple of 2 MiB, where nothing is mapped.
 * @param size the size of the memory, as it was allocated or rounded up to a multiple of 2 MiB.
 * @param offset 0.
 * @param handle the memory.
 * @param flags 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, a size that is not the memory's, not inside one range,
 * `virPtr` not aligned, `offset` or `flags` not 0; ACL_ERROR_RT_PARAM_INVALID 107000: `virPtr` is in no range, or
 * something is mapped there already, `handle` is no live physical memory, or called inside a host function;
 * ACL_ERROR_BAD_ALLOC 200000: the system maps no more; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows aclrtMapMem of the Ascend runtime API,
 * and cuMemMap where that says nothing.
 */
aclError aclrtMapMem(void *virPtr,
                     size_t size,
                     size_t offset,
                     aclrtDrvMemHandle handle,
                     uint64_t flags);

/**
 * As aclrtMapMem, but nobody may use the memory there until aclrtMemSetAccess allows it.
 *
 * @param virPtr an address in a range from aclrtReserveMemAddress, a multiple of 2 MiB, where nothing is mapped.
 * @param size the size of the memory, as it was allocated or rounded up to a multiple of 2 MiB.
 * @param offset 0.
 * @param handle the memory.
 * @param flags 0.
 * @return as aclrtMapMem. Thread-safe. Follows aclrtMemMapNoAccess of the Ascend runtime API, and cuMemMap where
 * that says nothing.
 */
aclError aclrtMemMapNoAccess(void *virPtr,
                             size_t size,
                             size_t offset,
                             aclrtDrvMemHandle handle,
                             uint64_t flags);

/**
 * Takes a mapping back. Does not wait: the address is invalid for calls from now on, work queued before still uses
 * the memory.
 *
 * @param virPtr the address that the memory was mapped at.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `virPtr` is null; ACL_ERROR_RT_PARAM_INVALID 107000: no
 * mapping begins there, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows aclrtUnmapMem of the Ascend
 * runtime API.
 */
aclError aclrtUnmapMem(void *virPtr);

/**
 * Sets who may use what is mapped, and how. It concerns calls from now on, on the CPU in guard mode
 * (PORTACL_CPU_GUARD=1) also the program's own reading and writing. Copies to and from memory need access for the
 * device that it is on, or for the one that copies.
 *
 * @param virPtr where memory is mapped.
 * @param size bytes; one or more whole mappings that lie side by side.
 * @param desc for each place: `location`, a device by its id or the host (ACL_MEM_LOCATION_TYPE_HOST with id 0), and
 * `flags`, an aclrtMemAccessFlags. `rsv` is not looked at.
 * @param count how many, at least 1.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `size` or `count` is 0, a place or flag is unknown;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: not filled by whole
 * mappings, or called inside a host function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the device does not reach
 * the other's memory, or, on the CUDA backend, the host; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows aclrtMemSetAccess of the Ascend
 * runtime API, and cuMemSetAccess where that says nothing.
 */
aclError aclrtMemSetAccess(void *virPtr,
                           size_t size,
                           aclrtMemAccessDesc *desc,
                           size_t count);

/**
 * Tells how a place may use what is mapped.
 *
 * @param virPtr any address in a mapping.
 * @param location a device by its id, or the host (ACL_MEM_LOCATION_TYPE_HOST with id 0).
 * @param flag receives an aclrtMemAccessFlags.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or the place is unknown;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: nothing is mapped
 * there, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe.
 * Follows aclrtMemGetAccess of the Ascend runtime API.
 */
aclError aclrtMemGetAccess(void *virPtr,
                           aclrtMemLocation *location,
                           uint64_t *flag);

/**
 * Tells the physical memory behind a mapped address, and keeps its handle alive once more. Where the handle was
 * given up already, the memory gets a new one.
 *
 * @param virPtr any address in a mapping.
 * @param handle receives the handle, to be given up with aclrtFreePhysical.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: nothing is mapped
 * there, or called inside a host function; ACL_ERROR_BAD_ALLOC 200000: no handle is left;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows aclrtMemRetainAllocationHandle of the
 * Ascend runtime API.
 */
aclError aclrtMemRetainAllocationHandle(void *virPtr,
                                        aclrtDrvMemHandle *handle);

/**
 * Tells how physical memory was asked for.
 *
 * @param handle the memory.
 * @param prop receives what aclrtMallocPhysical was given, with 0 in `reserve`.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: no live physical
 * memory, or called inside a host function. Thread-safe. Follows aclrtMemGetAllocationPropertiesFromHandle of the
 * Ascend runtime API.
 */
aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
                                                   aclrtPhysicalMemProp *prop);

/**
 * Lets a device use memory of another one at its address, in kernels: as aclrtDeviceEnablePeerAccess does, which is
 * for all memory of that device, and with the same end.
 *
 * @param devPtr first byte, anywhere in memory of a device.
 * @param size bytes, at least 1.
 * @param dstDevId the other device, which has to be set.
 * @param flags must be 0.
 * @return ACL_SUCCESS, also if it may already; ACL_ERROR_INVALID_PARAM 100000: null, `size` is 0, or `flags` is not;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set or
 * is the memory's own, the memory is none of a device's or ends before that, or called inside a host function;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the devices cannot (aclrtDeviceCanAccessPeer);
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows aclrtMemP2PMap of the Ascend runtime
 * API.
 */
aclError aclrtMemP2PMap(void *devPtr,
                        size_t size,
                        int32_t dstDevId,
                        uint64_t flags);

/**
 * Maps memory of another device through a chosen connection.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemMapSelectedLink(void *virPtrDst, size_t size, void *virPtrSrc, uint32_t linkIdx);

/**
 * Advises which connection mappings of physical memory use.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle, aclrtMemLinkType adviceLink);

/**
 * Allocates memory that the host and all devices use at one address; its contents are undefined. Does not
 * wait for queued work. It counts as memory of the current device, and goes with it.
 *
 * The host uses it directly, in order with no stream: synchronise first. Copies, fills, reductions and
 * address queries take it as device memory of any device, copies also as host memory.
 *
 * @param ptr receives the address, aligned to 2 MiB; the caller frees it with aclrtFree.
 * @param size bytes, at least 1; rounded up to 2 MiB.
 * @param flag must be ACL_RT_MEM_ATTACH_GLOBAL.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, `size` is 0, or another `flag`;
 * ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver has no
 * such memory; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_PARAM_INVALID 107000: called
 * inside a host function. Thread-safe. Follows aclrtMemAllocManaged of the Ascend runtime API.
 */
aclError aclrtMemAllocManaged(void **ptr,
                              uint64_t size,
                              uint32_t flag);

/**
 * Tells how managed memory will be used. Speed may depend on it, results never. It is remembered until it is
 * taken back or the memory is freed, and aclrtMemManagedGetAttr tells it. The CPU backend does nothing else
 * with it. Needs no current context.
 *
 * @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
 * @param size bytes, a multiple of 2 MiB, not 0.
 * @param advise an aclrtMemManagedAdviseType.
 * @param location the place that the advice is about: for a preferred location a device, the host, a NUMA
 * node of the host or the caller's; for "accessed by" a device or the host; the others do not look at it.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, a wrong `size`, no such `advise`, or not
 * such a place; ACL_ERROR_RT_ADDR_UNALIGNED 107008; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not managed memory, past the end of an allocation, or called inside a host
 * function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver takes no advice; ACL_ERROR_RT_CONTEXT_NULL
 * 107002: after aclFinalize. Thread-safe. Follows aclrtMemManagedAdvise of the Ascend runtime API.
 */
aclError aclrtMemManagedAdvise(const void *ptr,
                               uint64_t size,
                               aclrtMemManagedAdviseType advise,
                               aclrtMemManagedLocation location);

/**
 * Tells an attribute of a range of managed memory: what aclrtMemManagedAdvise and the prefetches said of it.
 * Needs no current context.
 *
 * All answers are 4-byte numbers. READ_MOSTLY: 1 if all of the range is, else 0. PREFERRED_LOCATION and
 * LAST_PREFETCH_LOCATION: a device id, -1 for the host, -2 if there is none or not the same for all of the
 * range; their _TYPE: an aclrtMemManagedLocationType, 0 for none, and _ID: the number that goes with it, 0
 * where there is none. ACCESSED_BY: the ids of the devices (-1: the host) that access all of the range,
 * as many as there is room for, ascending, and -2 behind them.
 *
 * @param attribute an aclrtMemManagedRangeAttribute.
 * @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
 * @param size bytes, a multiple of 2 MiB, not 0.
 * @param data receives the answer.
 * @param dataSize room there in bytes: 4, for ACCESSED_BY a multiple of 4.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, no such `attribute`, a wrong `size`
 * or `dataSize`; ACL_ERROR_RT_ADDR_UNALIGNED 107008; ACL_ERROR_RT_PARAM_INVALID 107000: not managed memory,
 * past the end of an allocation, or called inside a host function. Thread-safe. Follows
 * aclrtMemManagedGetAttr of the Ascend runtime API.
 */
aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute,
                                const void *ptr,
                                size_t size,
                                void *data,
                                size_t dataSize);

/**
 * Tells several attributes of a range of managed memory as aclrtMemManagedGetAttr does. Needs no current
 * context.
 *
 * @param attributes which ones: aclrtMemManagedRangeAttribute numbers.
 * @param numAttributes how many, at least 1.
 * @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
 * @param size bytes, a multiple of 2 MiB, not 0.
 * @param data for each attribute where its answer goes; nothing is written when one of them is wrong.
 * @param dataSizes for each attribute the room there in bytes.
 * @return as aclrtMemManagedGetAttr; ACL_ERROR_INVALID_PARAM 100000 also: `numAttributes` is 0;
 * ACL_ERROR_BAD_ALLOC 200000: there is no memory for lists of that length.
 * Thread-safe. Follows aclrtMemManagedGetAttrs of the Ascend runtime API.
 */
aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *attributes,
                                 size_t numAttributes,
                                 const void *ptr,
                                 size_t size,
                                 void **data,
                                 size_t *dataSizes);

/**
 * Moves managed memory to a place, in stream order, so that it is there when it is used. Speed may depend on
 * it, results never: in memory of the CPU backend nothing moves.
 *
 * @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
 * @param size bytes, a multiple of 2 MiB, not 0.
 * @param location a device, the host, a NUMA node of the host, or the caller's.
 * @param flags must be 0.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, a wrong `size` or place, or `flags` is
 * not 0; ACL_ERROR_RT_ADDR_UNALIGNED 107008; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not managed memory, past the end of an allocation, not a stream,
 * destroyed, or called inside a host function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver moves
 * nothing on demand; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT
 * 107003: the stream is on another device than the current context. Thread-safe. Follows
 * aclrtMemManagedPrefetchAsync of the Ascend runtime API.
 */
aclError aclrtMemManagedPrefetchAsync(const void *ptr,
                                      size_t size,
                                      aclrtMemManagedLocation location,
                                      uint32_t flags,
                                      aclrtStream stream);

/**
 * Moves ranges of managed memory to their places, as aclrtMemManagedPrefetchAsync does. Everything is checked
 * before anything is queued.
 *
 * @param ptrs the first byte of each range.
 * @param sizes the bytes of each range.
 * @param count how many ranges, at least 1.
 * @param prefetchLocs the places.
 * @param prefetchLocIdxs for each place the first range that goes there, up to the first of the next place: it
 * begins with 0, ascends, and stays below `count`.
 * @param numPrefetchLocs how many places, from 1 to `count`.
 * @param flags must be 0.
 * @param stream a stream; null: the default stream of the current context.
 * @return as aclrtMemManagedPrefetchAsync; ACL_ERROR_INVALID_PARAM 100000 also: a null list, or wrong numbers of
 * places; ACL_ERROR_BAD_ALLOC 200000: there is no memory for lists of that length. Thread-safe. Follows aclrtMemManagedPrefetchBatchAsync of the Ascend runtime API.
 */
aclError aclrtMemManagedPrefetchBatchAsync(const void **ptrs,
                                           size_t *sizes,
                                           size_t count,
                                           aclrtMemManagedLocation *prefetchLocs,
                                           size_t *prefetchLocIdxs,
                                           size_t numPrefetchLocs,
                                           uint64_t flags,
                                           aclrtStream stream);

/**
 * Gives device memory a key, by which other processes of the same user on this machine open it
 * (aclrtIpcMemImportByKey). The key is text, which may travel in any way: through a file, a pipe, a socket.
 * With the first key of a process a thread begins to serve those who ask, until aclFinalize; a process that is
 * killed leaves nothing behind.
 *
 * The key ends with aclrtIpcMemClose, when the memory is freed, and when its device is reset. What others have
 * opened stays readable and writable for them, also when this process ends; once the memory was freed its contents
 * are promised to nobody: importers close first. Each call gives another key.
 *
 * @param devPtr memory from aclrtMalloc or a variant of it: its start, a multiple of 4 KiB, as it is with at least
 * 4 KiB. Not managed memory, nor memory of a pool.
 * @param size bytes that importers get, from the start on; at most those of the allocation.
 * @param key receives the text and a zero.
 * @param len the room there: at least 65 bytes.
 * @param flags ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT: only processes that aclrtIpcMemSetImportPid lists;
 * ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION: whoever has the key.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `size` is 0 or more than there is, `len` is too small,
 * `flags` is unknown; ACL_ERROR_RT_PARAM_INVALID 107000: `devPtr` is not the start of such memory, or no multiple of
 * 4 KiB, or called inside a host function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: on CUDA, memory that was
 * allocated with ACL_MEM_MALLOC_HUGE_ONLY, or a device without such handles, and on CPUs a device whose memory is no
 * file (docs/sharing.md); ACL_ERROR_BAD_ALLOC 200000: no descriptor, socket or thread is left; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Takes no order with streams: what importers
 * read is what work that is done has written. Follows aclrtIpcMemGetExportKey of the Ascend runtime API.
 */
aclError aclrtIpcMemGetExportKey(void *devPtr,
                                 size_t size,
                                 char *key,
                                 size_t len,
                                 uint64_t flags);

/**
 * Opens memory of another process by its key. It becomes memory of the calling thread's current device, whichever it
 * is on, for all that device memory is good for, and counts for the exporting process only. Opening a key again gives
 * the same address, to be closed once more.
 *
 * @param devPtr receives the address; as many bytes as were exported are usable there, until aclrtIpcMemClose, or
 * until the device is reset. It is not freed. The other process's end does not end it.
 * @param key what aclrtIpcMemGetExportKey gave in another process. In the same process it is refused.
 * @param flags ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT, or ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS for memory of
 * another device. Both do the same here: what is opened can be used.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `key` is empty, `flags` is unknown;
 * ACL_ERROR_RT_PARAM_INVALID 107000: `key` is none, is this process's own, was closed, or its memory freed, its
 * process has ended, has finalized the library or does not answer within 5 seconds, or does not list this one, the
 * key has been opened on another device, or called inside a host function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000:
 * `key` is of another machine, or of another network or process namespace (container), or on CUDA the same memory is
 * open by a key of another size; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_BAD_ALLOC 200000:
 * no room to map it, or no descriptor; ACL_ERROR_RT_MEMORY_ALLOCATION 207001: in guard mode it is larger than a device
 * of this process; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses; what a memory hook returned that refuses
 * it, which is asked when the memory is here. Thread-safe. Follows aclrtIpcMemImportByKey of the Ascend runtime API, and cuIpcOpenMemHandle where that says nothing.
 */
aclError aclrtIpcMemImportByKey(void **devPtr,
                                const char *key,
                                uint64_t flags);

/**
 * Closes what was opened by a key, or ends a key of this process's own. Importers first, then the exporter, who may
 * then free the memory.
 *
 * @param key a key that this process has opened: once for each time. Queued work that uses the memory still has it;
 * new calls do not. Or a key of this process: nobody opens it any more, and who has it keeps it.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `key` is null or empty; ACL_ERROR_RT_PARAM_INVALID 107000: it is
 * no key, or none that is open or exported here, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002:
 * after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses; what a memory hook returned that
 * refuses it. Thread-safe. Follows aclrtIpcMemClose of the Ascend runtime API.
 */
aclError aclrtIpcMemClose(const char *key);

/**
 * Lists processes that may open a key, besides those that were listed before.
 *
 * @param key a key of this process. Of one that was exported without a check the list is not looked at.
 * @param pid what aclrtDeviceGetBareTgid gives in those processes.
 * @param num how many there are, 1 to 4,194,304.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `key` is empty, `num` is 0, or a process is not above 0;
 * ACL_ERROR_RT_PARAM_INVALID 107000: `key` is no key that this process has exported, or called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows aclrtIpcMemSetImportPid of the Ascend
 * runtime API.
 */
aclError aclrtIpcMemSetImportPid(const char *key,
                                 int32_t *pid,
                                 size_t num);

/**
 * Lists the processes of other servers that may open a name.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtIpcMemImportPidInterServer(const char *key,
                                         aclrtServerPid *serverPids,
                                         size_t num);

/**
 * Chooses the link by which shared memory is reached. Memory here is reached in one way: the choice is checked, and
 * changes nothing.
 *
 * @param key a key that this process has exported or opened.
 * @param type ACL_RT_IPC_MEM_ATTR_ACCESS_LINK.
 * @param attr one of ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO, _HCCS, _UB_ONE_PORT_PATH and _UB_MULTI_PORT_PATH.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `key` is null or empty, `type` or `attr` is unknown;
 * ACL_ERROR_RT_PARAM_INVALID 107000: `key` is not known here, or called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows aclrtIpcMemSetAttr of the Ascend runtime
 * API.
 */
aclError aclrtIpcMemSetAttr(const char *key,
                            aclrtIpcMemAttrType type,
                            uint64_t attr);

/**
 * Gives an event a handle, by which other processes of the same user on this machine open it
 * (aclrtIpcOpenEventHandle). The handle is bytes, which may travel in any way: through a file, a pipe, a socket. With
 * the first one a thread begins to serve those who ask, until aclFinalize; a process that is killed leaves nothing
 * behind. Asked again, the event has the same handle, which ends when the event is destroyed.
 *
 * @param event an event of this process that was created by aclrtCreateEventExWithFlag with ACL_EVENT_IPC.
 * @param handle receives 64 bytes.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not an event,
 * destroyed, created without ACL_EVENT_IPC, another process's, or called inside a host function;
 * ACL_ERROR_BAD_ALLOC 200000: no descriptor, socket or thread is left. Thread-safe. Follows aclrtIpcGetEventHandle of
 * the Ascend runtime API.
 */
aclError aclrtIpcGetEventHandle(aclrtEvent event,
                                aclrtIpcEventHandle *handle);

/**
 * Opens an event of another process, as one of the calling thread's current device. It is the same event: a record in
 * either process replaces the one before, and streams, hosts and queries of all processes that have it see that; a wait
 * keeps the record that was the latest when it was queued, and may be queued on any device. It has no time, and
 * captured streams neither record it nor wait for it. When the process whose record is waited for ends before that,
 * waits fail with ACL_ERROR_RT_PARAM_INVALID 107000, those of streams as their next synchronize tells, and streams go
 * on. When the exporter destroys the event, nothing more is waited for than what was recorded there. Several processes
 * that record it should have no more than 32 records under way together.
 *
 * @param handle what aclrtIpcGetEventHandle wrote, in another process or in this one.
 * @param event receives the handle; the caller destroys it with aclrtDestroyEvent, which the others do not notice.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `event` is null, or `handle` is empty;
 * ACL_ERROR_RT_PARAM_INVALID 107000: `handle` is none, its event was destroyed, its process has ended, has finalized the
 * library or does not answer within 5 seconds, or called inside a host function;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `handle` is of another machine, or of another network or process namespace
 * (container); ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_BAD_ALLOC 200000: no descriptor is left;
 * ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be made. Thread-safe. Follows aclrtIpcOpenEventHandle of the
 * Ascend runtime API, and cuIpcOpenEventHandle where that says nothing.
 */
aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle,
                                 aclrtEvent *event);

/**
 * Gives physical memory a number, by which other processes of the same user on this machine have it as well
 * (aclrtMemImportFromShareableHandle). The number may travel in any way. As of aclrtIpcMemGetExportKey, a thread serves
 * those who ask. Each process maps the memory for itself, and it goes when no process has it any more; when this
 * process ends, it stays for the others.
 *
 * @param handle memory from aclrtMallocPhysical, on any device, or on the host.
 * @param handleType ACL_MEM_HANDLE_TYPE_NONE.
 * @param flags ACL_RT_VMM_EXPORT_FLAG_DEFAULT: only processes that aclrtMemSetPidToShareableHandle lists;
 * ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION: whoever has the number. A number has less room for chance than a
 * key or a fabric handle has: processes of the same user could guess it.
 * @param shareableHandle receives the number.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `shareableHandle` is null, `handleType` or `flags` is unknown;
 * ACL_ERROR_RT_PARAM_INVALID 107000: `handle` is no live memory, or has been exported before, by this call or its V2,
 * or called inside a host function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a GPU that cannot share such memory;
 * ACL_ERROR_BAD_ALLOC 200000: no descriptor, socket or thread is left; ACL_ERROR_RT_CONTEXT_NULL 107002: after
 * aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows
 * aclrtMemExportToShareableHandle of the Ascend runtime API.
 */
aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle,
                                         aclrtMemHandleType handleType,
                                         uint64_t flags,
                                         uint64_t *shareableHandle);

/**
 * As aclrtMemExportToShareableHandle, with a choice of what is passed on. Within one machine both do the same.
 *
 * @param handle memory from aclrtMallocPhysical.
 * @param flags as for aclrtMemExportToShareableHandle.
 * @param shareType ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT: a number; ACL_MEM_SHARE_HANDLE_TYPE_FABRIC: an
 * aclrtMemFabricHandle, which no other machine understands.
 * @param shareableHandle receives a uint64_t or an aclrtMemFabricHandle of 128 bytes.
 * @return as aclrtMemExportToShareableHandle; ACL_ERROR_INVALID_PARAM 100000 also where `shareType` is unknown.
 * Thread-safe. Follows aclrtMemExportToShareableHandleV2 of the Ascend runtime API.
 */
aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle,
                                           uint64_t flags,
                                           aclrtMemSharedHandleType shareType,
                                           void *shareableHandle);

/**
 * Gives physical memory of another process, by its number. It is mapped and given up like memory of this process's
 * own (aclrtMapMem, aclrtFreePhysical), as often imported as wanted, and counts here as imported memory. Memory hooks
 * are asked when it is here; what they return that refuse it is what the call returns.
 *
 * @param shareableHandle what aclrtMemExportToShareableHandle gave in another process. In the same process it is
 * refused.
 * @param deviceId the device that it is to be used on, which is set, whichever it is on. Host memory is the
 * host's.
 * @param handle receives the handle, which lives until aclrtFreePhysical, or until its device is reset.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `handle` is null; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such
 * device; ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, the number is none that was exported, is this
 * process's own, its memory is gone, its process has ended, has finalized the library or does not answer within 5
 * seconds, or does not list this one, or called inside a host function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: it is
 * of another machine, or of another network or process namespace (container); ACL_ERROR_BAD_ALLOC 200000: no descriptor
 * or handle is left; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the
 * driver refuses. Thread-safe. Follows aclrtMemImportFromShareableHandle of the Ascend runtime API.
 */
aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle,
                                           int32_t deviceId,
                                           aclrtDrvMemHandle *handle);

/**
 * As aclrtMemImportFromShareableHandle, for use on the calling thread's current device.
 *
 * @param shareableHandle a uint64_t or an aclrtMemFabricHandle, as it was exported.
 * @param shareType which of them.
 * @param flags must be 0.
 * @param handle receives the handle.
 * @return as aclrtMemImportFromShareableHandle; ACL_ERROR_INVALID_PARAM 100000 also where `shareableHandle` is null,
 * `shareType` is unknown or `flags` is not 0; ACL_ERROR_RT_CONTEXT_NULL 107002 also without a current context.
 * Thread-safe. Follows aclrtMemImportFromShareableHandleV2 of the Ascend runtime API.
 */
aclError aclrtMemImportFromShareableHandleV2(void *shareableHandle,
                                             aclrtMemSharedHandleType shareType,
                                             uint64_t flags,
                                             aclrtDrvMemHandle *handle);

/**
 * Lists processes that may have physical memory, besides those that were listed before.
 *
 * @param shareableHandle a number of this process. Of one that was exported without a check the list is not looked
 * at.
 * @param pid what aclrtDeviceGetBareTgid gives in those processes.
 * @param pidNum how many there are, 1 to 4,194,304.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `pid` is null, `pidNum` is out of range, or a process is not above 0;
 * ACL_ERROR_RT_PARAM_INVALID 107000: the number is none that this process has exported, or its memory is gone, or called
 * inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows
 * aclrtMemSetPidToShareableHandle of the Ascend runtime API.
 */
aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle,
                                         int32_t *pid,
                                         size_t pidNum);

/**
 * As aclrtMemSetPidToShareableHandle, by a handle of any type.
 *
 * @param shareableHandle a uint64_t or an aclrtMemFabricHandle of this process.
 * @param shareType which of them.
 * @param pid what aclrtDeviceGetBareTgid gives in those processes.
 * @param pidNum how many there are, 1 to 4,194,304.
 * @return as aclrtMemSetPidToShareableHandle; ACL_ERROR_INVALID_PARAM 100000 also where `shareableHandle` is null or
 * `shareType` is unknown. Thread-safe. Follows aclrtMemSetPidToShareableHandleV2 of the Ascend runtime API.
 */
aclError aclrtMemSetPidToShareableHandleV2(void *shareableHandle,
                                           aclrtMemSharedHandleType shareType,
                                           int32_t *pid,
                                           size_t pidNum);

/**
 * Creates a notify of the current device: a signal that one stream gives (aclrtRecordNotify) and one wait
 * consumes (aclrtWaitAndResetNotify), whichever comes first. A device can have 8,192 of them.
 *
 * @param notify receives the handle; the caller destroys it with aclrtDestroyNotify.
 * @param flag ACL_NOTIFY_DEFAULT 0, or ACL_NOTIFY_DEVICE_USE_ONLY 1, which makes no difference.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another flag; ACL_ERROR_RT_CONTEXT_NULL 107002: no
 * current context; ACL_ERROR_RT_NO_NOTIFY_RESOURCE 207009: no more can be made; ACL_ERROR_RT_PARAM_INVALID 107000:
 * called inside a host function. Thread-safe. Follows aclrtCreateNotify of the Ascend runtime API.
 */
aclError aclrtCreateNotify(aclrtNotify *notify,
                           uint64_t flag);

/**
 * Destroys a notify, or lets one of another process go. Never waits: what queued records and waits need of it
 * stays until they are over. Waits of other processes for it end with an error then.
 *
 * @param notify a notify.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a notify,
 * destroyed before, or called inside a host function. Thread-safe. Follows aclrtDestroyNotify of the Ascend
 * runtime API.
 */
aclError aclrtDestroyNotify(aclrtNotify notify);

/**
 * Queues the signal: when `stream` has finished what was queued before, one wait for the notify, now or later,
 * goes on. Recorded again before that, it is still one. Does not block the caller.
 *
 * @param notify a notify, of any device.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `notify` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * notify, not a stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * Thread-safe. Follows aclrtRecordNotify of the Ascend runtime API.
 */
aclError aclrtRecordNotify(aclrtNotify notify,
                           aclrtStream stream);

/**
 * Makes `stream` wait for the notify's signal and consume it, in one step: of several waits one goes on for each
 * record. Does not block the caller.
 *
 * A wait whose time is over fails with ACL_ERROR_RT_WAIT_TIMEOUT 107019, which the next synchronize tells, and
 * the stream goes on without the signal, which stays for others. A wait for a notify of another process that is
 * destroyed there, or whose process ends, fails with ACL_ERROR_RT_PARAM_INVALID 107000; so does one for an exported
 * notify when processes that had imported it have died and none is left. An abort ends a wait, and so does the end
 * of the device after a second, with 107019.
 *
 * @param notify a notify, of any device.
 * @param stream a stream; null: the default stream of the current context.
 * @param timeout seconds, from when the stream comes to the wait; 0: for ever.
 * @return as aclrtRecordNotify; ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no thread can be had that watches
 * notifies; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a CUDA driver whose streams cannot wait for a word in memory.
 * Thread-safe. Follows aclrtWaitAndResetNotify of the Ascend runtime API.
 */
aclError aclrtWaitAndResetNotify(aclrtNotify notify,
                                 aclrtStream stream,
                                 uint32_t timeout);

/**
 * Tells a notify's number: small, and no other notify of the device has it meanwhile.
 *
 * @param notify a notify.
 * @param notifyId receives the number, below 8,192.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * notify, or destroyed. Thread-safe. Follows aclrtGetNotifyId of the Ascend runtime API.
 */
aclError aclrtGetNotifyId(aclrtNotify notify,
                          uint32_t *notifyId);

/**
 * Takes back the signals of several notifies that nobody has consumed, at once and in order with no stream. If one
 * of them is none, nothing happens to any.
 *
 * @param notifies `num` notifies; may be null if `num` is 0.
 * @param num how many; 0 does nothing.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or one of them is; ACL_ERROR_RT_PARAM_INVALID 107000:
 * one is not a notify, or destroyed, or called inside a host function. Thread-safe. Follows aclrtNotifyBatchReset
 * of the Ascend runtime API.
 */
aclError aclrtNotifyBatchReset(aclrtNotify *notifies,
                               size_t num);

/**
 * Gives a notify a key, by which other processes of this user on this machine import it, for as long as it is not
 * destroyed. Called again, it tells the same key.
 *
 * @param notify a notify of this process.
 * @param key receives a text of at most 64 bytes and a zero.
 * @param len bytes at `key`, at least 65.
 * @param flags ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT 0: for processes of aclrtNotifySetImportPid;
 * ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION 2: for all that have the key.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument, other flags, or too little room;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a notify, destroyed, another process's, exported with other flags before,
 * or called inside a host function; ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no
 * descriptor, or no thread or socket to serve it, can be had. Thread-safe. Follows aclrtNotifyGetExportKey of the
 * Ascend runtime API.
 */
aclError aclrtNotifyGetExportKey(aclrtNotify notify,
                                 char *key,
                                 size_t len,
                                 uint64_t flags);

/**
 * Opens another process's notify: records and waits there and here are of one signal. Importing what this process
 * exports is not promised to work.
 *
 * @param notify receives the handle, one of the current device's 8,192; the caller destroys it with
 * aclrtDestroyNotify.
 * @param key what aclrtNotifyGetExportKey gave there.
 * @param flags ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT 0, or ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS 2, which makes no
 * difference.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument, or other flags; ACL_ERROR_RT_PARAM_INVALID
 * 107000: not a key, its process has ended, does not answer, has destroyed the notify, or does not admit this
 * process, or called inside a host function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the other process is in
 * another namespace of processes or networks; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_NO_NOTIFY_RESOURCE 207009: no more can be made. Thread-safe. Follows aclrtNotifyImportByKey of the
 * Ascend runtime API.
 */
aclError aclrtNotifyImportByKey(aclrtNotify *notify,
                                const char *key,
                                uint64_t flags);

/**
 * Lets processes import a notify that was exported with ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT, besides those that may
 * already.
 *
 * @param notify a notify of this process, exported before.
 * @param pid their numbers, as aclrtDeviceGetBareTgid tells each of them its own.
 * @param num how many, 1 to 4,194,304.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument, `num` is 0, or a number that no process has;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a notify, destroyed, not exported, or called inside a host function.
 * Thread-safe. Follows aclrtNotifySetImportPid of the Ascend runtime API.
 */
aclError aclrtNotifySetImportPid(aclrtNotify notify,
                                 int32_t *pid,
                                 size_t num);

/**
 * Lists the processes of other servers that may open a notify.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtNotifySetImportPidInterServer(aclrtNotify notify,
                                            aclrtServerPid *serverPids,
                                            size_t num);

/**
 * Creates a notify of the current device that counts: streams change the count and wait for it. It begins with 0.
 * A device can have 8,192 of them, those of aclrtCreateNotify not included.
 *
 * @param cntNotify receives the handle; the caller destroys it with aclrtCntNotifyDestroy.
 * @param flag ACL_NOTIFY_DEFAULT 0, or ACL_NOTIFY_DEVICE_USE_ONLY 1, which makes no difference.
 * @return as aclrtCreateNotify. Thread-safe. Follows aclrtCntNotifyCreate of the Ascend runtime API.
 */
aclError aclrtCntNotifyCreate(aclrtCntNotify *cntNotify,
                              uint64_t flag);

/**
 * Destroys a notify that counts. Never waits, as aclrtDestroyNotify.
 *
 * @param cntNotify a notify of aclrtCntNotifyCreate.
 * @return as aclrtDestroyNotify. Thread-safe. Follows aclrtCntNotifyDestroy of the Ascend runtime API.
 */
aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify);

/**
 * Queues a change of the count, in one step, after all that was queued on `stream` before.
 *
 * @param cntNotify a notify of aclrtCntNotifyCreate, of any device.
 * @param stream a stream; null: the default stream of the current context.
 * @param info what to do: with ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE the count becomes `value`, with _ADD_MODE it
 * grows by it (and wraps at 2^32), with _BIT_OR_MODE and _BIT_AND_MODE it is combined with it. Read by the call.
 * @return as aclrtRecordNotify; ACL_ERROR_INVALID_PARAM 100000 also: `info` is null, or has another mode.
 * Thread-safe. Follows aclrtCntNotifyRecord of the Ascend runtime API.
 */
aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify,
                              aclrtStream stream,
                              aclrtCntNotifyRecordInfo *info);

/**
 * Makes `stream` wait until the count meets a condition. With `isClear` the end of the wait sets it to 0, in one
 * step: no other wait has seen the same count. How a wait ends otherwise: see aclrtWaitAndResetNotify.
 *
 * @param cntNotify a notify of aclrtCntNotifyCreate, of any device.
 * @param stream a stream; null: the default stream of the current context.
 * @param info the condition: the count is less than `value`, it, greater, not less (as unsigned numbers), or, with
 * ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, has all bits of `value`; `timeout` in seconds from when the stream
 * comes to the wait, 0 for ever; `isClear` 0 or 1. Read by the call.
 * @return as aclrtWaitAndResetNotify; ACL_ERROR_INVALID_PARAM 100000 also: `info` is null, has another mode or
 * `isClear`, or asks for a count less than 0 or greater than 4,294,967,295. Thread-safe. Follows
 * aclrtCntNotifyWaitWithTimeout of the Ascend runtime API.
 */
aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify,
                                       aclrtStream stream,
                                       aclrtCntNotifyWaitInfo *info);

/**
 * Queues setting the count to 0.
 *
 * @param cntNotify a notify of aclrtCntNotifyCreate, of any device.
 * @param stream a stream; null: the default stream of the current context.
 * @return as aclrtRecordNotify. Thread-safe. Follows aclrtCntNotifyReset of the Ascend runtime API.
 */
aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream);

/**
 * Tells the number of a notify that counts: small, and no other such notify of the device has it meanwhile.
 *
 * @param cntNotify a notify of aclrtCntNotifyCreate.
 * @param notifyId receives the number, below 8,192.
 * @return as aclrtGetNotifyId. Thread-safe. Follows aclrtCntNotifyGetId of the Ascend runtime API.
 */
aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify,
                             uint32_t *notifyId);

/**
 * Begins to record what a stream is given, instead of running it: copies, fills, reductions, random numbers, kernels, host
 * functions, values, notifies, records of events and waits for them, and runs of other graphs, whose tasks are
 * taken over. What
 * the stream was given before runs on. Another stream of the device joins when it waits for an event that was
 * recorded in the capture; before the end the first stream has to wait for what the others were given last.
 *
 * The mode says whom the capture forbids what cannot be recorded: calls that work on memory at once
 * (aclrtMemcpy, aclrtMemset and their kin), asynchronous copies of pageable memory, and aclmdlRIExecute. Whoever
 * makes such a call makes the capture invalid, and so does whoever waits for, or asks about, a captured
 * stream, an event recorded there, or their device. Memory of pools belongs to the graph.
 *
 * @param stream a stream; not a default stream.
 * @param mode ACL_MODEL_RI_CAPTURE_MODE_GLOBAL 0: all threads, but those that have exchanged their mode;
 * ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL 1: the calling thread; ACL_MODEL_RI_CAPTURE_MODE_RELAXED 2: nobody.
 * Copies of pageable memory are then recorded, and read and write it in each run.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: another mode; ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT 107031:
 * a default stream; ACL_ERROR_RT_STREAM_CAPTURED 107027: it is captured already; ACL_ERROR_RT_PARAM_INVALID
 * 107000: not a stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device; ACL_ERROR_BAD_ALLOC 200000: no
 * more graphs can be made. Thread-safe. Follows aclmdlRICaptureBegin of the Ascend runtime API; what is
 * forbidden, and that it makes the capture invalid, follows CUDA's stream capture.
 */
aclError aclmdlRICaptureBegin(aclrtStream stream,
                              aclmdlRICaptureMode mode);

/**
 * Ends a capture; gives the graph that was recorded. Its streams run again what they are given. Where it
 * fails with one of the codes 107025, 507903, 507899 and 207000 the capture has ended without a graph.
 *
 * @param stream the stream that the capture began with.
 * @param modelRI receives the graph; the caller destroys it with aclmdlRIDestroy, unless it is a body
 * (aclmdlRICaptureToModelRIBegin).
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null; ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029:
 * the stream is not captured; ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED 107036: the capture began with another
 * stream; ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD 107038: another thread began it, in a mode other than
 * ACL_MODEL_RI_CAPTURE_MODE_RELAXED; ACL_ERROR_RT_STREAM_UNJOINED 107025: the work of a stream that has joined is not
 * waited for; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: something has made the capture invalid;
 * ACL_ERROR_DRV_INTERNAL_ERROR 507899, ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver refuses the graph, or has
 * none, or a graph with conditional tasks, or a body, has task groups or waits for what is outside;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, the graph around a body was destroyed, or called inside a
 * host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or one of another
 * device. Thread-safe. Follows aclmdlRICaptureEnd of the Ascend runtime API.
 */
aclError aclmdlRICaptureEnd(aclrtStream stream,
                            aclmdlRI *modelRI);

/**
 * Tells whether a stream is captured, and into which graph. It changes nothing, and costs a few instructions
 * for a stream that is not captured.
 *
 * @param stream a stream; null: the default stream of the current context, which is never captured.
 * @param status receives ACL_MODEL_RI_CAPTURE_STATUS_NONE 0, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE 1, or
 * ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED 2 for a capture that can only be ended.
 * @param modelRI receives the graph that is recorded, which cannot run yet; null for a stream that is not
 * captured.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device. Thread-safe. Follows
 * aclmdlRICaptureGetInfo of the Ascend runtime API.
 */
aclError aclmdlRICaptureGetInfo(aclrtStream stream,
                                aclmdlRICaptureStatus *status,
                                aclmdlRI *modelRI);

/**
 * Exchanges this thread's mode, which is ACL_MODEL_RI_CAPTURE_MODE_GLOBAL at first: by which captures it lets
 * itself be forbidden what cannot be recorded. A program that allocates and copies between the calls of a
 * capture exchanges it before and back afterwards.
 *
 * @param mode the new mode; receives the one before. ACL_MODEL_RI_CAPTURE_MODE_GLOBAL 0: by the thread's own
 * captures and by global ones of other threads; ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL 1: by its own;
 * ACL_MODEL_RI_CAPTURE_MODE_RELAXED 2: by none. Captures that were begun with the last one forbid nothing.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another mode. Concerns the calling thread only.
 * Follows aclmdlRICaptureThreadExchangeMode of the Ascend runtime API.
 */
aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode);

/**
 * Begins a group: what the captured stream is given from now on can be changed later, with
 * aclmdlRICaptureTaskUpdateBegin. A group is made of copies, fills, reductions, random numbers, kernels and host functions;
 * records of events and waits for them, which have a place in the order of the graph, do not belong to it. What
 * stays as it is should not be in a group: a run has to look at groups when it comes to them.
 *
 * @param stream a stream that takes part in a capture.
 * @return ACL_SUCCESS; ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: the stream is not captured; ACL_ERROR_RT_PARAM_INVALID 107000: it has a
 * group that has not ended; not a stream, destroyed, or called inside a host function; ACL_ERROR_BAD_ALLOC 200000:
 * no more groups can be made; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture is invalid;
 * ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or one of another device.
 * Thread-safe. Follows aclmdlRICaptureTaskGrpBegin of the Ascend runtime API.
 */
aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);

/**
 * Ends a group; gives its handle, which can be used when the capture has ended, as long as the graph exists.
 * It need not be destroyed.
 *
 * @param stream the stream that the group began with.
 * @param handle receives the group.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `handle` is null; ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: the
 * stream is not captured; ACL_ERROR_RT_PARAM_INVALID 107000: it has no group; not a stream, destroyed, or called inside
 * a host function; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture is invalid; ACL_ERROR_RT_CONTEXT_NULL
 * 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or one of another device. Thread-safe. Follows
 * aclmdlRICaptureTaskGrpEnd of the Ascend runtime API.
 */
aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream,
                                   aclrtTaskGrp *handle);

/**
 * Begins to change a group: what the stream is given until aclmdlRICaptureTaskUpdateEnd does not run, but replaces
 * what the group does. It has to be as many operations as the group has, of the same kinds in the same order; their
 * arguments, kernels and sizes may differ.
 *
 * @param stream a stream that is not captured; null: the default stream of the current context.
 * @param handle a group of a graph of the stream's device.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `handle` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a group,
 * or its graph was destroyed; the stream or the group is being changed already; not a stream, destroyed, or called
 * inside a host function; ACL_ERROR_RT_STREAM_CAPTURED 107027: the stream is captured; ACL_ERROR_RT_MODEL_CAPTURED 107026:
 * the graph is still being captured; ACL_ERROR_RT_STREAM_CONTEXT 107003: the group is of another device, or the
 * stream is on another one than the current context; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * Thread-safe. Follows aclmdlRICaptureTaskUpdateBegin of the Ascend runtime API.
 */
aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream,
                                        aclrtTaskGrp handle);

/**
 * Ends a change, and queues it: the group changes when the stream comes to this, and runs of the graph that come
 * to the group later do what it is then. So events order the two. A run that is queued already, and waits for an
 * event with ACL_EVENT_EXTERNAL before the group, is changed by what comes before that event's record; a run that
 * has come past the group is not. Where this fails, the group is as it was, and the stream runs again what it is
 * given.
 *
 * @param stream the stream that the change began with.
 * @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: the stream changes no group; its operations are not those of
 * the group; not a stream, destroyed, or called inside a host function; ACL_ERROR_DRV_INTERNAL_ERROR 507899: the
 * driver refuses; ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or one of
 * another device. Thread-safe. Follows aclmdlRICaptureTaskUpdateEnd of the Ascend runtime API.
 */
aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);

/**
 * Begins to build a graph, on the device of the current context. Streams with ACL_STREAM_PERSISTENT are bound to
 * it; what they are given then is recorded, as in a capture with ACL_MODEL_RI_CAPTURE_MODE_RELAXED: no call is
 * forbidden to anybody, and pageable memory is read and written in each run.
 *
 * @param modelRI receives the graph; the caller destroys it with aclmdlRIDestroy, at any time before it runs or when
 * no run is pending.
 * @param flag 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null, or another flag;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_BAD_ALLOC 200000: no more graphs can be made;
 * ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows aclmdlRIBuildBegin of the
 * Ascend runtime API.
 */
aclError aclmdlRIBuildBegin(aclmdlRI *modelRI,
                            uint32_t flag);

/**
 * Binds a stream to a graph that is being built: what the stream is given from now on is recorded there. Events
 * that one bound stream records others can wait for, if they are recorded first. Any thread may give it work.
 *
 * @param modelRI a graph of aclmdlRIBuildBegin.
 * @param stream a stream with ACL_STREAM_PERSISTENT that is bound to no graph, of the same device; not null.
 * @param flag 0: each run starts the stream when it begins; 0x7fffffff: runs leave it out, unless another
 * stream of the graph starts it.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another flag; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * graph or stream, destroyed, a graph that was captured or is built already, a stream without ACL_STREAM_PERSISTENT or
 * bound already, or called inside a host function; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device
 * than the graph or the current context; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building has become invalid. Thread-safe. Follows
 * aclmdlRIBindStream of the Ascend runtime API.
 */
aclError aclmdlRIBindStream(aclmdlRI modelRI,
                            aclrtStream stream,
                            uint32_t flag);

/**
 * Takes a stream off a graph, so that it can be destroyed, or bound to another one. The graph keeps what was
 * recorded, and can be run as before. aclmdlRIDestroy unbinds all streams.
 *
 * @param modelRI a graph of aclmdlRIBuildBegin.
 * @param stream a stream that is bound to it.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_STREAM_MODEL 107005: the stream is not bound
 * to this graph; ACL_ERROR_RT_MODEL_RUNNING 107037: a run is not over; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the
 * driver did not say whether one is; ACL_ERROR_RT_PARAM_INVALID 107000: not a graph or stream, destroyed, a graph that was captured, the stream was given work and the graph is still being built, or
 * called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current
 * context, or one of another device. Thread-safe. Follows aclmdlRIUnbindStream of the Ascend runtime API.
 */
aclError aclmdlRIUnbindStream(aclmdlRI modelRI,
                              aclrtStream stream);

/**
 * Records the end of a graph: the stream ends there. A run is over when it has come to the ends of all streams that it
 * has started. What the stream is given behind the end runs only where a label leads there.
 *
 * @param modelRI a graph that is being built.
 * @param stream a stream that is bound to it.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_STREAM_MODEL 107005: the stream is not bound
 * to this graph; ACL_ERROR_RT_PARAM_INVALID 107000: not a graph or stream, destroyed, a graph that was captured or is
 * built already, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT
 * 107003: no current context, or one of another device; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building
 * has become invalid. Thread-safe. Follows aclmdlRIEndTask of the Ascend runtime API.
 */
aclError aclmdlRIEndTask(aclmdlRI modelRI,
                         aclrtStream stream);

/**
 * Ends the building of a graph, which can then be run (aclmdlRIExecuteAsync, aclmdlRIExecute). Its streams take no more
 * work until they are unbound. Where it fails the graph is still being built.
 *
 * @param modelRI a graph that is being built, with an end (aclmdlRIEndTask).
 * @param reserve null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null, or `reserve` is not;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, captured or built already, no stream that runs start has
 * the end, runs would never end because a stream waits for one that nobody starts, or called inside a host function;
 * ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building has become invalid: a stream was destroyed or aborted,
 * or was given what a graph cannot have; ACL_ERROR_DRV_INTERNAL_ERROR 507899, ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000:
 * the driver refuses the graph, or has none. Thread-safe. Follows aclmdlRIBuildEnd of the Ascend runtime API.
 */
aclError aclmdlRIBuildEnd(aclmdlRI modelRI,
                          void *reserve);

/**
 * Begins to record what a stream is given into a body of a conditional task (aclmdlRIAddCondTask), as
 * aclmdlRICaptureBegin does it into a new graph. aclmdlRICaptureEnd ends it, and gives the body again. A body is
 * captured once, while the graph around it is captured or afterwards, but before that runs; where the capture fails the
 * body is empty as before. What a body cannot have is refused with 207000, some of it only by aclmdlRICaptureEnd: memory of
 * pools, task groups, and waits for values, notifies and events outside of it.
 *
 * @param stream a stream of the graph's device that is not captured; not a default stream.
 * @param modelRI a body that nothing was captured into.
 * @param mode as in aclmdlRICaptureBegin.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null, or another mode;
 * ACL_ERROR_RT_PARAM_INVALID 107000: `modelRI` is not a graph, destroyed, no body, or was captured before; not a stream,
 * destroyed, or called inside a host function; ACL_ERROR_RT_MODEL_CAPTURED 107026: another stream records into it;
 * ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT 107031: a default stream; ACL_ERROR_RT_STREAM_CAPTURED 107027: the stream is
 * captured already; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream
 * is on another device than the graph or the current context. Thread-safe. Follows cudaStreamBeginCaptureToGraph of CUDA,
 * for bodies.
 */
aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream,
                                       aclmdlRI modelRI,
                                       aclmdlRICaptureMode mode);

/**
 * Makes a value of 64 bits in device memory for one conditional task to look at. Tasks of the graph write it: kernels,
 * copies and aclrtValueWrite, at the address that aclmdlRICondHandleGetCondPtr tells. It is 0 at first. The handle and
 * the memory go with the graph; nobody destroys them.
 *
 * @param modelRI a graph that is being captured (aclmdlRICaptureGetInfo tells it), or a body that was not captured yet.
 * The task has to be in this graph, or in a body inside it.
 * @param defaultLaunchValue what the value is when a run begins; of a body: when the body begins, each time.
 * @param flag ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT 1; 0: the value stays what it was, and `defaultLaunchValue` is not
 * used.
 * @param handle receives the handle.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another flag; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * graph, destroyed, captured already, or called inside a host function; ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no
 * device memory; ACL_ERROR_BAD_ALLOC 200000: no more handles can be made; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a graph of
 * aclmdlRIBuildBegin; ACL_ERROR_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Follows
 * cudaGraphConditionalHandleCreate of CUDA; what a value is without a default, and the defaults of bodies, are our own rules.
 */
aclError aclmdlRICondHandleCreate(aclmdlRI modelRI,
                                  uint32_t defaultLaunchValue,
                                  aclmdlRICondHandleFlag flag,
                                  aclmdlRICondHandle *handle);

/**
 * Tells the device address of a condition's value: 8 bytes, aligned, for all that reads and writes device memory. They are
 * not freed; they go with the graph.
 *
 * @param handle a handle of aclmdlRICondHandleCreate.
 * @param ptr receives the address.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not such a handle, or its
 * graph was destroyed. Thread-safe. Follows aclmdlRICondHandleGetCondPtr of the Ascend runtime API.
 */
aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle,
                                      uint64_t **ptr);

/**
 * Records a conditional task, after what the stream was given before: when a run comes there it looks at a value, and runs
 * one of the task's bodies, or none; what the stream is given behind the task comes after that. The bodies are new, empty
 * graphs: aclmdlRICaptureToModelRIBegin fills each of them before the graph runs for the first time. They belong to the
 * graph, run only as a part of it, and are not destroyed. Bodies may have conditional tasks themselves, up to 16 deep.
 *
 * ACL_MODEL_RI_COND_TYPE_IF 0: one body, which runs if the value is not 0, or two, of which the second one runs if it is.
 * ACL_MODEL_RI_COND_TYPE_WHILE 1: one body, which runs again and again until the value is 0; not at all if it is from the
 * beginning. ACL_MODEL_RI_COND_TYPE_SWITCH 2: up to 1,024 bodies; the one with the number that the value is, counted from 0;
 * for a larger value none.
 *
 * The host decides, so a driver whose streams cannot wait for it has no such tasks.
 *
 * @param params `handle`: a condition handle that no other task uses, of the graph that is captured or of one that it is
 * in; `type`; `size`: the number of bodies; `modelRIArray`: room for so many graphs, which receives them.
 * @param stream a stream that is captured.
 * @param flags 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null member, an unknown type, a number of bodies that the type does
 * not have, or other flags; ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: the stream is not captured;
 * ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: its capture is invalid; ACL_ERROR_RT_PARAM_INVALID 107000: not a condition
 * handle, its graph was destroyed, it is used already or of another graph; not a stream, destroyed, or called inside a host
 * function; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: nested too deep, a stream that is bound to a graph, or the driver cannot;
 * ACL_ERROR_BAD_ALLOC 200000: no more graphs can be made; ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT
 * 107003: no current context, or one of another device. Thread-safe. Follows CUDA's conditional nodes
 * (cudaGraphConditionalNodeType).
 */
aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params,
                             aclrtStream stream,
                             uint32_t flags);

/**
 * Runs a graph on the default stream of the current context, and waits until it is over.
 * Inside a callback of the program it is refused (107000) where it could wait for ever: docs/callbacks.md.
 *
 * @param modelRI a graph.
 * @param timeout milliseconds above 0, or -1: as long as it takes. The run goes on when the time is over.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null; ACL_ERROR_RT_PARAM_INVALID 107000: another
 * timeout, not a graph, destroyed, a body, memory that it uses was freed, or called inside a host function;
 * ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046: not over in time; ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC 107041: a capture
 * forbids this thread to wait; as aclmdlRIExecuteAsync, and as aclrtSynchronizeStream for what fails
 * in the stream. Thread-safe. Follows aclmdlRIExecute of the Ascend runtime API.
 */
aclError aclmdlRIExecute(aclmdlRI modelRI,
                         int32_t timeout);

/**
 * Runs a graph, as one operation of a stream: after what the stream was given before, and before what it
 * is given afterwards. It may be run any number of times, in any streams of its device; its runs come one
 * after the other. Host memory is read and written in each run. In a captured stream its tasks become part
 * of the new graph, as they are now.
 *
 * The first run of a graph with conditional tasks makes its bodies ready, which takes longer.
 *
 * What a graph uses has to be kept while it may run: memory, events and kernels. Memory that was freed
 * before this call is found out; what is freed afterwards stays for the run, as for other operations.
 *
 * @param modelRI a graph.
 * @param stream a stream of its device; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * graph or stream, destroyed, the body of a conditional task, such a body of it is empty, memory that the graph uses was
 * freed, or called inside a host function; ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured;
 * ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING 107045: so it is, and the stream is captured as well, or a body of it is being
 * captured; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture of the
 * stream is invalid; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the graph or the
 * current context; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_DRV_INTERNAL_ERROR 507899: the
 * driver refuses. Thread-safe. Follows aclmdlRIExecuteAsync of the Ascend runtime API.
 */
aclError aclmdlRIExecuteAsync(aclmdlRI modelRI,
                              aclrtStream stream);

/**
 * Leaves out what the runs of a graph that are queued have not begun; does not wait. On CPU devices who
 * synchronizes a stream of such a run is told ACL_ERROR_RT_STREAM_ABORT 107023. A GPU's driver drops nothing: there
 * the runs come to their end, those with labels, switches and conditional tasks at the next place where the host
 * decides. A wait of a run for an event, a value or a notify outside of the graph lasts; aclrtStreamAbort of its stream
 * ends it on CPUs, and one for a notify on GPUs. The graph can be run again.
 *
 * @param modelRI a graph.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a graph,
 * destroyed, the body of a conditional task, or called inside a host function; ACL_ERROR_RT_MODEL_CAPTURED 107026: it is
 * still being captured. Thread-safe. Follows aclmdlRIAbort of the Ascend runtime API.
 */
aclError aclmdlRIAbort(aclmdlRI modelRI);

/**
 * Destroys a graph that is not running, with the bodies and values of its conditional tasks. It goes with its device at
 * the latest.
 *
 * @param modelRI a graph.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a graph,
 * destroyed before, the body of a conditional task, or called inside a host function; ACL_ERROR_RT_MODEL_RUNNING
 * 107037: a run of it is not over, and it stays; ACL_ERROR_RT_MODEL_CAPTURED 107026: it is still being captured;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver did not say whether a run is over, and it stays; or it is
 * destroyed, but the driver did not take back memory that it had. Thread-safe. Follows aclmdlRIDestroy of the Ascend
 * runtime API.
 */
aclError aclmdlRIDestroy(aclmdlRI modelRI);

/**
 * Gives a graph a name, in the place of the one that it has. Only aclmdlRIGetName and what is printed of the
 * graph tell it.
 *
 * @param modelRI a graph; it may still be captured.
 * @param name a text of at most 512 bytes without its zero, which is copied; "" takes the name away. What is not
 * UTF-8 is replaced.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument, or a name that is too long;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed. Thread-safe. Follows aclmdlRISetName of the Ascend
 * runtime API.
 */
aclError aclmdlRISetName(aclmdlRI modelRI,
                         const char *name);

/**
 * Tells the name of a graph; "" if it has none.
 *
 * @param modelRI a graph; it may still be captured.
 * @param maxLen room at `name` in bytes, 1 or more; a longer name is cut off, and always ends with a zero. 513 are
 * enough for all that fits into ASCII.
 * @param name receives the name.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument or `maxLen` 0; ACL_ERROR_RT_PARAM_INVALID
 * 107000: not a graph, or destroyed. Thread-safe. Follows aclmdlRIGetName of the Ascend runtime API.
 */
aclError aclmdlRIGetName(aclmdlRI modelRI,
                         uint32_t maxLen,
                         char *name);

/**
 * Tells the number of a graph: no other graph of this process has it, also of those that were destroyed.
 *
 * @param modelRI a graph; it may still be captured.
 * @param modelRIId receives the number.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * graph, or destroyed. Thread-safe. Follows aclmdlRIGetId of the Ascend runtime API.
 */
aclError aclmdlRIGetId(aclmdlRI modelRI,
                       uint32_t *modelRIId);

/**
 * Lists the streams of a graph, by the first task of each; a graph without tasks has none. They are not the streams
 * that were captured, which may be destroyed before the graph: each stands for what one of those was given in this
 * graph, and serves only aclmdlRIGetTasksByStream. They go with the graph.
 *
 * @param modelRI a graph.
 * @param streams room for the streams; null: only their number is asked for.
 * @param numStreams how many fit into `streams`; receives how many there are.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` or `numStreams` is null;
 * ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY 107039: too little room; only `numStreams` is written;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed; ACL_ERROR_RT_MODEL_CAPTURED 107026: it is still being
 * captured; ACL_ERROR_BAD_ALLOC 200000: no more handles can be had. Thread-safe. Follows aclmdlRIGetStreams of the
 * Ascend runtime API.
 */
aclError aclmdlRIGetStreams(aclmdlRI modelRI,
                            aclrtStream *streams,
                            uint32_t *numStreams);

/**
 * Lists the tasks of a graph's stream, in the order in which they were given to it. Each call that was recorded is a
 * task, and each copy of a batch; tasks of graphs that were taken over belong to the stream that was to run them.
 * The tasks go with the graph.
 *
 * @param stream a stream of aclmdlRIGetStreams; or one of the program: it stands for what it was given in the
 * latest graph that is alive.
 * @param tasks room for the tasks; null: only their number is asked for.
 * @param numTasks how many fit into `tasks`; receives how many there are.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `stream` or `numTasks` is null;
 * ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY 107039: too little room; only `numTasks` is written;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or part of no graph;
 * ACL_ERROR_RT_STREAM_CAPTURED 107027: a stream of the program that is being captured; ACL_ERROR_BAD_ALLOC 200000: no
 * more handles can be had. Thread-safe. Follows aclmdlRIGetTasksByStream of the Ascend runtime API.
 */
aclError aclmdlRIGetTasksByStream(aclrtStream stream,
                                  aclmdlRITask *tasks,
                                  uint32_t *numTasks);

/**
 * Tells what kind of work a task is.
 *
 * @param task a task of aclmdlRIGetTasksByStream.
 * @param type receives ACL_MODEL_RI_TASK_KERNEL 1, ACL_MODEL_RI_TASK_EVENT_RECORD 2, ACL_MODEL_RI_TASK_EVENT_WAIT 3,
 * ACL_MODEL_RI_TASK_EVENT_RESET 4, ACL_MODEL_RI_TASK_VALUE_WRITE 5, ACL_MODEL_RI_TASK_VALUE_WAIT 6, or for all else
 * ACL_MODEL_RI_TASK_DEFAULT 0: copies, fills, reductions, host functions.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * task, or its graph was destroyed. Thread-safe. Follows aclmdlRITaskGetType of the Ascend runtime API.
 */
aclError aclmdlRITaskGetType(aclmdlRITask task,
                             aclmdlRITaskType *type);

/**
 * Tells the place of a task in its stream: 0 for the first one.
 *
 * @param task a task of aclmdlRIGetTasksByStream.
 * @param id receives the place.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * task, or its graph was destroyed. Thread-safe. Follows aclmdlRITaskGetSeqId of the Ascend runtime API.
 */
aclError aclmdlRITaskGetSeqId(aclmdlRITask task,
                              uint32_t *id);

/**
 * Tells the parameters of a task, as they were recorded or set last, in force or not.
 *
 * A kernel: its handle, its attributes (`cfg` is null if it has none), a copy of its arguments, which is in host
 * memory (`isHostArgs` 1), their size, and the number of blocks of its whole grid. What `cfg` and `args` point to is
 * the library's, to be read only, until the task is changed, its graph updated, or destroyed. An event: its handle,
 * the flags that it was made with (0 if it was destroyed), and 1 if it works outside of the graph. A value: its
 * address, it, and how it is compared. Other tasks have a type only. `taskGrp` is the group that the task belongs to,
 * or null; `opInfoPtr` is null.
 *
 * @param task a task of aclmdlRIGetTasksByStream.
 * @param params receives the type, and the parameters in the member of that type; all else is 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * task, or its graph was destroyed. Thread-safe. Follows aclmdlRITaskGetParams of the Ascend runtime API.
 */
aclError aclmdlRITaskGetParams(aclmdlRITask task,
                               aclmdlRITaskParams *params);

/**
 * Changes the parameters of a task from the next aclmdlRIUpdate on. A task that was disabled is then done again.
 *
 * A kernel: another one of the same device, other attributes, arguments (which are read by this call) and blocks; with
 * the number of blocks that it has, a grid of several dimensions stays as it is, and so do the threads of a block.
 * The record of an event: another event of the device, which later runs then record, with a time if the first one has
 * one; the tasks that the record comes before stay the same. The reset of an event: another one. Both have
 * ACL_EVENT_EXTERNAL if the first event has it, or ACL_EVENT_IPC. A wait for an event outside of the graph: another one, for whose record
 * or signal later runs then wait; a wait inside of the graph keeps its event. A value that is written or waited for:
 * another address, value and comparison. Other tasks (copies, fills, reductions, random numbers, host functions) have no parameters;
 * with the 0 that aclmdlRITaskGetParams told they are as before, and no longer disabled. Those that are captured into
 * a task group are changed with it (aclmdlRICaptureTaskUpdateBegin); a task of a group is changed in no other way.
 *
 * @param task a task of aclmdlRIGetTasksByStream.
 * @param params what aclmdlRITaskGetParams told, changed; `type` is that of the task. `eventFlag`, `taskGrp`,
 * `opInfoPtr`, `opInfoSize` and what is reserved are not looked at.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument, a null kernel, event or address, `numBlocks`
 * 0 or more than the device can have, null arguments, an unknown attribute or comparison; ACL_ERROR_RT_PARAM_INVALID 107000: not a task, its graph was
 * destroyed, another type, not a kernel, an event or memory of this library, an event that cannot be waited for or
 * reset, or arguments that do not fit; ACL_ERROR_RT_STREAM_CONTEXT 107003: a
 * kernel or event of another device; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: parameters for a task that has none, arguments in device
 * memory, another flag, another event for a wait inside of the graph, an event with other flags than the one before,
 * a task of a group, an attribute that kernels here do not have;
 * ACL_ERROR_DRV_INTERNAL_ERROR 507899: the driver refuses;
 * ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address that is no multiple of 8. Thread-safe. Follows aclmdlRITaskSetParams of the Ascend runtime API.
 */
aclError aclmdlRITaskSetParams(aclmdlRITask task,
                               aclmdlRITaskParams *params);

/**
 * Puts into force what aclmdlRITaskSetParams and aclmdlRITaskDisable have changed in a graph: runs that are given to
 * streams from now on do it; those that were given before do what they would have done. Where the driver of a GPU
 * cannot change what it has made ready, the graph is made ready anew. If that fails the graph is as it was, and the
 * changes wait for the next call.
 *
 * @param modelRI a graph.
 * @return ACL_SUCCESS, also where nothing was changed; ACL_ERROR_INVALID_PARAM 100000: null;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, or called inside a host function;
 * ACL_ERROR_RT_MODEL_CAPTURED 107026: it is still being recorded; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: changes of a
 * graph with labels, switches, conditional tasks or streams that start others, or of a body; ACL_ERROR_DRV_INTERNAL_ERROR
 * 507899: the driver refuses. Thread-safe. Follows aclmdlRIUpdate of the Ascend runtime API.
 */
aclError aclmdlRIUpdate(aclmdlRI modelRI);

/**
 * Leaves a task out of its graph from the next aclmdlRIUpdate on; its place in the order of the others stays.
 * aclmdlRITaskSetParams takes it back.
 *
 * @param task a task of aclmdlRIGetTasksByStream, of any type.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a task, or its graph
 * was destroyed. Thread-safe. Follows aclmdlRITaskDisable of the Ascend runtime API.
 */
aclError aclmdlRITaskDisable(aclmdlRITask task);

/**
 * Tells an attribute of a kernel in a graph, as it was recorded or set last.
 *
 * @param task a task of aclmdlRIGetTasksByStream, of type ACL_MODEL_RI_TASK_KERNEL.
 * @param attrId an enumerator of aclrtLaunchKernelAttrId.
 * @param attrValue receives the value in the member of that attribute; 0 for one that the launch did not have.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument, or no such attribute;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a task, its graph was destroyed, or a task of another type. Thread-safe.
 * Follows aclmdlRIKernelTaskGetAttribute of the Ascend runtime API.
 */
aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask task,
                                        aclrtLaunchKernelAttrId attrId,
                                        aclrtLaunchKernelAttrValue *attrValue);

/**
 * Has a function called when a graph is destroyed, or goes with its device (aclrtResetDevice, aclFinalize). By then the
 * graph's handle is dead, and no run of it is left. The functions of a graph are called in the order in which they
 * were registered, each once, by the thread that ends the graph, which holds no lock meanwhile: they may call this
 * library. A function is the program's until it has returned, and so is what `userData` points to.
 *
 * @param modelRI a graph.
 * @param func the function.
 * @param userData its argument; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` or `func` is null; ACL_ERROR_RT_PARAM_INVALID 107000:
 * not a graph, destroyed, the body of a conditional task, or the graph has this function already; ACL_ERROR_RT_MODEL_CAPTURED 107026: it is still
 * being recorded. Thread-safe. Follows aclmdlRIDestroyRegisterCallback of the Ascend runtime API.
 */
aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI,
                                         aclrtCallback func,
                                         void *userData);

/**
 * Takes back aclmdlRIDestroyRegisterCallback.
 *
 * @param modelRI a graph.
 * @param func the function.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000: not a graph,
 * destroyed, or the graph has no such function. Thread-safe. Follows aclmdlRIDestroyUnregisterCallback of the Ascend
 * runtime API.
 */
aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI,
                                           aclrtCallback func);

/**
 * Prints a graph to the standard output: its name and number, and for each of its streams the tasks, with what they
 * do and which ones they come after. Tasks are told as they are in force.
 *
 * @param modelRI a graph.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or
 * destroyed; ACL_ERROR_RT_MODEL_CAPTURED 107026: it is still being recorded; ACL_ERROR_INVALID_FILE 100003: the
 * standard output cannot be written. Thread-safe. Follows aclmdlRIDebugPrint of the Ascend runtime API.
 */
aclError aclmdlRIDebugPrint(aclmdlRI modelRI);

/**
 * Writes a graph to a JSON file: one object with the graph's `name`, `id` and `device`, its `streams`, each with the
 * `id` of the program's stream (null if that was destroyed) and the number of its `tasks`, and all `tasks`. A task has
 * its `id`, which is its place in the list, its `stream` and its place there (`sequence`), its `kind` as a word and
 * its `type` as aclmdlRITaskGetType tells it, whether it is `disabled`, the tasks that it comes `after`, and what it
 * does: sizes, names of kernels, events. Handles, addresses and values of 64 bits are texts in hexadecimal.
 *
 * @param modelRI a graph.
 * @param path the file, which is overwritten.
 * @param flags ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY 0, or ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE 1: with addresses and
 * arguments, too.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument, or other flags; ACL_ERROR_INVALID_FILE 100003:
 * the file cannot be written; ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed;
 * ACL_ERROR_RT_MODEL_CAPTURED 107026: it is still being recorded. Thread-safe. Follows aclmdlRIDebugJsonPrint of the
 * Ascend runtime API; what is in the file is this library's own.
 */
aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI,
                                const char *path,
                                uint32_t flags);

/**
 * Makes a label, which aclrtSetLabel puts into a stream of a graph that is being built.
 *
 * @param label receives the handle; the caller destroys it with aclrtDestroyLabel. It goes with its device, which is
 * that of the current context, at the latest.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_BAD_ALLOC 200000: no more can be made; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * Thread-safe. Follows aclrtCreateLabel of the Ascend runtime API.
 */
aclError aclrtCreateLabel(aclrtLabel *label);

/**
 * Destroys a label. Graphs in which it was set stay as they are.
 *
 * @param label a label.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a label, destroyed
 * before, or called inside a host function. Thread-safe. Follows aclrtDestroyLabel of the Ascend runtime API.
 */
aclError aclrtDestroyLabel(aclrtLabel label);

/**
 * Puts a label behind what a stream was given so far: aclrtSwitchLabelByIndex in the same stream, before or behind it,
 * goes on there. A label is one place, and is set once.
 *
 * @param label a label that was not set.
 * @param stream a stream that is bound to a graph that is being built.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `label` is null; ACL_ERROR_RT_STREAM_MODEL 107005: the stream is
 * bound to no graph; ACL_ERROR_RT_PARAM_INVALID 107000: not a label or stream, destroyed, a label that was set before,
 * the graph is built already, or called inside a host function; ACL_ERROR_RT_LABEL_CONTEXT 507031: the label was made
 * for another device; ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or one
 * of another device; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building has become invalid. Thread-safe.
 * Follows aclrtSetLabel of the Ascend runtime API.
 */
aclError aclrtSetLabel(aclrtLabel label,
                       aclrtStream stream);

/**
 * Makes a list of labels, for aclrtSwitchLabelByIndex. It keeps their handles.
 *
 * @param labels as many labels, set or not; the same one may be there twice.
 * @param num how many, above 0.
 * @param labelList receives the handle; the caller destroys it with aclrtDestroyLabelList.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument or label, or `num` is 0;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a label, destroyed, or called inside a host function;
 * ACL_ERROR_RT_LABEL_CONTEXT 507031: a label was made for another device; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_BAD_ALLOC 200000: no more can be made. Thread-safe. Follows aclrtCreateLabelList of the Ascend
 * runtime API.
 */
aclError aclrtCreateLabelList(aclrtLabel *labels,
                              size_t num,
                              aclrtLabelList *labelList);

/**
 * Destroys a list of labels, not the labels. What was recorded with it stays.
 *
 * @param labelList a list.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a list of labels,
 * destroyed before, or called inside a host function. Thread-safe. Follows aclrtDestroyLabelList of the Ascend runtime
 * API.
 */
aclError aclrtDestroyLabelList(aclrtLabelList labelList);

/**
 * Records a jump: when a run comes to it, the stream goes on at a label, whose index is read from memory then. What
 * the stream is given behind the jump runs only where a label leads there.
 *
 * The host decides: each jump costs a run some microseconds on CPU devices, and the time of a small copy on a GPU.
 *
 * @param ptr where the index is: 32 bits of device memory, aligned. An index beyond `maxValue` - 1 means that.
 * @param maxValue how many labels of the list there are to choose from: 1 to the length of the list.
 * @param labelList a list of labels that are set in the same stream, at the latest before aclmdlRIBuildEnd.
 * @param stream a stream that is bound to a graph that is being built.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or `maxValue` is 0; ACL_ERROR_RT_ADDR_UNALIGNED 107008:
 * `ptr` is not a multiple of 4; ACL_ERROR_RT_STREAM_MODEL 107005: the stream is bound to no graph;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a list or stream, destroyed, `maxValue` beyond the list, `ptr` is not memory of
 * the stream's device, the graph is built already, or called inside a host function; ACL_ERROR_RT_LABEL_CONTEXT 507031:
 * labels of another device; ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context,
 * or one of another device; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building has become invalid.
 * Thread-safe. Follows aclrtSwitchLabelByIndex of the Ascend runtime API; an index beyond the list is our own rule.
 */
aclError aclrtSwitchLabelByIndex(void *ptr,
                                 uint32_t maxValue,
                                 aclrtLabelList labelList,
                                 aclrtStream stream);

/**
 * Records the start of another stream of the same graph: when a run comes to it, `activeStream` does what it was given,
 * from its beginning, after what `stream` has done by then; and `stream` goes on. A stream that is at work then begins
 * once more when it has come to its end.
 *
 * @param activeStream a stream that is bound to the same graph; usually with 0x7fffffff, so that runs do not start it.
 * @param stream a stream that is bound to a graph that is being built.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `activeStream` is null; ACL_ERROR_RT_STREAM_MODEL 107005: a
 * stream is bound to no graph, or to another one; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, the graph
 * is built already, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT
 * 107003: no current context, or one of another device; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building
 * has become invalid. Thread-safe. Follows aclrtActiveStream of the Ascend runtime API.
 */
aclError aclrtActiveStream(aclrtStream activeStream,
                           aclrtStream stream);

/**
 * Records a choice between streams of the same graph: when a run comes to it, two values in memory are compared, one of
 * two streams starts, as aclrtActiveStream starts it, and `stream` ends there. Where the condition does not hold and
 * `falseStream` is null, `stream` goes on instead.
 *
 * @param leftValue a signed number in device memory, aligned.
 * @param cond whether `leftValue` is ACL_RT_EQUAL 0, ACL_RT_NOT_EQUAL 1, ACL_RT_GREATER 2, ACL_RT_GREATER_OR_EQUAL 3,
 * ACL_RT_LESS 4 or ACL_RT_LESS_OR_EQUAL 5 to `rightValue`.
 * @param rightValue another one.
 * @param dataType ACL_RT_SWITCH_INT32 0: both have 32 bits; ACL_RT_SWITCH_INT64 1: 64 bits.
 * @param trueStream a stream that is bound to the same graph.
 * @param falseStream another one, or null.
 * @param stream a stream that is bound to a graph that is being built.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an unknown `cond` or `dataType`;
 * ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not a multiple of the size of its number;
 * ACL_ERROR_RT_STREAM_MODEL 107005: a stream is bound to no graph, or to another one; ACL_ERROR_RT_PARAM_INVALID 107000:
 * not a stream, destroyed, an address is not memory of the stream's device, the graph is built already, or called
 * inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or
 * one of another device; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building has become invalid. Thread-safe.
 * Follows aclrtSwitchStream of the Ascend runtime API; a null `falseStream` is our own rule.
 */
aclError aclrtSwitchStream(void *leftValue,
                           aclrtCondition cond,
                           void *rightValue,
                           aclrtCompareDataType dataType,
                           aclrtStream trueStream,
                           aclrtStream falseStream,
                           aclrtStream stream);

/**
 * Describes a program before it is loaded. The bytes are copied. Works at any time, without a device; the description
 * lives until it is destroyed, also through aclFinalize.
 *
 * @param data first byte of the program, which is looked at when it is loaded.
 * @param dataLen its length in bytes, 1 or more.
 * @return the description, for aclrtBinaryLoad, and for aclrtDestroyBinary to end; null where `data` is null or
 * `dataLen` 0 (aclGetRecentErrMsg says so, ACL_ERROR_INVALID_PARAM 100000) or no more can be made
 * (ACL_ERROR_BAD_ALLOC 200000). Thread-safe. Follows aclrtCreateBinary of the Ascend runtime API.
 */
aclrtBinary aclrtCreateBinary(const void *data,
                              size_t dataLen);

/**
 * Ends a description of a program. Programs that were loaded from it stay loaded.
 *
 * @param binary from aclrtCreateBinary.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not such a description,
 * or destroyed before. Thread-safe. Follows aclrtDestroyBinary of the Ascend runtime API.
 */
aclError aclrtDestroyBinary(aclrtBinary binary);

/**
 * Loads a described program of kernels, on the current device.
 *
 * @param binary from aclrtCreateBinary; it may be loaded several times, and on several devices.
 * @param binHandle receives the handle; give it to aclrtBinaryUnLoad. It ends with its device.
 * @return as aclrtBinaryLoadFromData; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID
 * 107000: `binary` is no description, or destroyed. Thread-safe. Follows aclrtBinaryLoad of the Ascend runtime API.
 */
aclError aclrtBinaryLoad(aclrtBinary binary,
                         aclrtBinHandle *binHandle);

/**
 * Loads a program of kernels from a file, on the current device. The file is read during the call and may
 * change afterwards. What it has to be is told at aclrtBinaryLoadFromData.
 *
 * @param binPath the file's path.
 * @param options null, or options of which ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD and
 * ACL_RT_BINARY_LOAD_OPT_MAGIC are accepted and mean nothing here.
 * @param binHandle receives the handle; give it to aclrtBinaryUnLoad. It ends with its device.
 * @return as aclrtBinaryLoadFromData; ACL_ERROR_INVALID_FILE 100003: the file cannot be read;
 * ACL_ERROR_RT_PARAM_INVALID 107000: it is empty.
 * Thread-safe. Follows aclrtBinaryLoadFromFile of the Ascend runtime API.
 */
aclError aclrtBinaryLoadFromFile(const char *binPath,
                                 aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *binHandle);

/**
 * Loads a program of kernels from memory, on the current device. With the cuda backend: PTX text, a cubin or a
 * fatbin. With the cpu backend: an ELF shared object for this processor, made as portacl/kernel.h says; its
 * initialisers run. Programs for Ascend cores are refused with 207000.
 *
 * @param data first byte of the program; it is not needed after the call.
 * @param length its length in bytes, 1 or more.
 * @param options null, or options of which ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD and
 * ACL_RT_BINARY_LOAD_OPT_MAGIC are accepted and mean nothing here.
 * @param binHandle receives the handle; give it to aclrtBinaryUnLoad. It ends with its device.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `length` 0 or an unknown option;
 * ACL_ERROR_RT_PARAM_INVALID 107000: a program that is cut off or damaged or cannot be linked, or called inside
 * a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_FEATURE_NOT_SUPPORT
 * 207000: a program for other hardware, or ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE.
 * Thread-safe. Follows aclrtBinaryLoadFromData of the Ascend runtime API.
 */
aclError aclrtBinaryLoadFromData(const void *data,
                                 size_t length,
                                 const aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *binHandle);

/**
 * Unloads a program; the handles of its kernels die with it. Launches that are queued run: they keep what they
 * need of it. Does not wait.
 *
 * @param binHandle a handle of aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of
 * a program, unloaded, or called inside a host function.
 * Thread-safe. Follows aclrtBinaryUnLoad of the Ascend runtime API.
 */
aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);

/**
 * Finds a kernel by name.
 *
 * @param binHandle a handle of aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
 * @param kernelName its name; of a kernel in C++ the plain name only if it is declared extern "C".
 * @param funcHandle receives the handle, the same one for the same name; it ends with `binHandle`.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * handle of a program, unloaded, no kernel of that name, or called inside a host function;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the cpu backend in guard mode, and the kernel does not describe its
 * parameters. Thread-safe. Follows aclrtBinaryGetFunction of the Ascend runtime API.
 */
aclError aclrtBinaryGetFunction(aclrtBinHandle binHandle,
                                const char *kernelName,
                                aclrtFuncHandle *funcHandle);

/**
 * Finds a kernel by number. The binary says which one that is, by a text (exported `const char` data) named
 * portacl_entry_NUMBER that holds the kernel's name: PORTACL_KERNEL_ENTRY of portacl/kernel.h makes it, in CUDA C++
 * `extern "C" __device__ const char portacl_entry_7[] = "name";`.
 *
 * @param binHandle a handle of aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
 * @param funcEntry the number.
 * @param funcHandle receives the handle, the same one as aclrtBinaryGetFunction gives for the name.
 * @return as aclrtBinaryGetFunction; ACL_ERROR_RT_PARAM_INVALID 107000: also where the binary has no such text, or its
 * text is no name. Thread-safe. Follows aclrtBinaryGetFunctionByEntry of the Ascend runtime API; how a number is
 * found is this library's.
 */
aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle,
                                       uint64_t funcEntry,
                                       aclrtFuncHandle *funcHandle);

/**
 * Finds a variable of a program by name. It is memory of the device, for copies, fills and arguments of kernels, and
 * goes with the program; it cannot be freed. On the cpu backend it is exported data of the shared object, which the
 * host may touch as well.
 *
 * @param binHandle a handle of aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
 * @param name its name; of a variable in C++ the plain name only if it is declared extern "C".
 * @param dptr receives its address.
 * @param size receives its bytes.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
 * of a program, unloaded, no variable of that name, or called inside a host function.
 * Thread-safe. Follows aclrtBinaryGetGlobal of the Ascend runtime API.
 */
aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle,
                              const char *name,
                              void **dptr,
                              size_t *size);

/**
 * Tells where a program lies: on the cpu backend where the loader has put the shared object.
 *
 * @param binHandle a handle of aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
 * @param binAddr receives its first address.
 * @param binSize receives its bytes from there to its end.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
 * of a program, or unloaded; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cuda`, whose driver does not tell.
 * Thread-safe. Follows aclrtBinaryGetDevAddress of the Ascend runtime API.
 */
aclError aclrtBinaryGetDevAddress(aclrtBinHandle binHandle,
                                  void **binAddr,
                                  size_t *binSize);

/**
 * Makes a function of a binary for the device's own CPUs known.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtRegisterCpuFunc(aclrtBinHandle handle,
                              const char *funcName,
                              const char *kernelName,
                              aclrtFuncHandle *funcHandle);

/**
 * Tells where the code of a kernel lies. Devices here have cores of one kind.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param aicAddr receives the address: on the cpu backend that of the C function.
 * @param aivAddr receives null: there is no other code of it.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
 * of a kernel, or its program was unloaded; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cuda`, whose driver
 * does not tell. Thread-safe. Follows aclrtGetFunctionAddr of the Ascend runtime API.
 */
aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle,
                              void **aicAddr,
                              void **aivAddr);

/**
 * Tells an attribute of a kernel. All kernels here are for all cores of their device, and their blocks run in any
 * order.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param attrType ACL_FUNC_ATTR_KERNEL_TYPE, which gives ACL_KERNEL_TYPE_AICORE, or ACL_FUNC_ATTR_KERNEL_SCHED_MODE,
 * which gives 0.
 * @param attrValue receives the value.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or no aclrtFuncAttribute;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, or its program was unloaded;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: ACL_FUNC_ATTR_KERNEL_RATIO, which only kernels for two kinds of cores have.
 * Thread-safe. Follows aclrtGetFunctionAttribute of the Ascend runtime API.
 */
aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle,
                                   aclrtFuncAttribute attrType,
                                   int64_t *attrValue);

/**
 * Tells the name of a kernel.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param maxLen room at `name` in bytes, 1 or more; a longer name is cut off, and always ends with a zero.
 * @param name receives the name.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer or `maxLen` 0; ACL_ERROR_RT_PARAM_INVALID
 * 107000: not a handle of a kernel, or its program was unloaded.
 * Thread-safe. Follows aclrtGetFunctionName of the Ascend runtime API.
 */
aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle,
                              uint32_t maxLen,
                              char *name);

/**
 * Tells how large the code of a kernel is. Devices here have cores of one kind.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param aicSize receives the bytes: on the cpu backend those of the C function, without what it calls.
 * @param aivSize receives 0: there is no other code of it.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
 * of a kernel, or its program was unloaded; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cuda`, whose driver
 * does not tell. Thread-safe. Follows aclrtGetFunctionSize of the Ascend runtime API.
 */
aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle,
                              size_t *aicSize,
                              size_t *aivSize);

/**
 * Tells how much fast memory a launch of a kernel can ask for, for each block (ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE):
 * what the device has, less what the kernel itself declares.
 *
 * @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol that stands for a kernel on the
 * current device.
 * @param flags 0.
 * @param dynamicUbufSize receives the bytes.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `flags` is not 0; ACL_ERROR_RT_PARAM_INVALID
 * 107000: not a handle of a kernel, or its program was unloaded.
 * Thread-safe. Follows aclrtFunctionGetAvailDynUbufPerBlock of the Ascend runtime API.
 */
aclError aclrtFunctionGetAvailDynUbufPerBlock(void *func,
                                              uint32_t flags,
                                              size_t *dynamicUbufSize);

/**
 * Tells which program a kernel belongs to.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param binHandle receives the handle of the program, which stays the program's own: it is no further one to
 * unload.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * handle of a kernel, or its program was unloaded.
 * Thread-safe. Follows aclrtFunctionGetBinary of the Ascend runtime API.
 */
aclError aclrtFunctionGetBinary(aclrtFuncHandle funcHandle,
                                aclrtBinHandle *binHandle);

/**
 * Tells how many parameters a kernel has.
 *
 * @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol that stands for a kernel on the
 * current device.
 * @param paramCount receives the count.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
 * of a kernel, or its program was unloaded; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: nobody knows: a kernel for CPUs
 * that does not describe them (PORTACL_KERNEL of portacl/kernel.h), or a CUDA driver older than 12.4.
 * Thread-safe. Follows aclrtFunctionGetParamCount of the Ascend runtime API.
 */
aclError aclrtFunctionGetParamCount(const void *func,
                                    size_t *paramCount);

/**
 * Tells where a kernel expects a parameter in a block of arguments (aclrtLaunchKernel).
 *
 * @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol that stands for a kernel on the
 * current device.
 * @param paramIndex which, 0 for the first.
 * @param paramOffset receives its offset in bytes.
 * @param paramSize receives its bytes.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `paramIndex` is not below
 * aclrtFunctionGetParamCount's count; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, or its program was
 * unloaded; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: as for aclrtFunctionGetParamCount.
 * Thread-safe. Follows aclrtFunctionGetParamInfo of the Ascend runtime API.
 */
aclError aclrtFunctionGetParamInfo(const void *func,
                                   size_t paramIndex,
                                   size_t *paramOffset,
                                   size_t *paramSize);

/**
 * Tells the address through which cores of a device synchronise.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetHardwareSyncAddr(void **addr);

/**
 * Begins a list of a kernel's arguments, for aclrtLaunchKernelWithConfig. The list is the library's: it goes with the
 * kernel's binary, and, once it was launched, when 1024 further ones were begun for the same kernel. A list may be
 * launched several times.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param argsHandle receives the list.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
 * of a kernel, or its program was unloaded; ACL_ERROR_BAD_ALLOC 200000: no more lists can be made. Thread-safe.
 * Follows aclrtKernelArgsInit of the Ascend runtime API; when a list goes is this library's.
 */
aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle,
                             aclrtArgsHandle *argsHandle);

/**
 * Begins a list of a kernel's arguments in memory of the caller, which keeps it as long as it uses the list, in this
 * place; there is nothing else to give back. A list that was there before is forgotten.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param argsHandle host memory, as much as aclrtKernelArgsGetHandleMemSize says, at a multiple of 8. From now on it
 * stands for the list.
 * @param userHostMem host memory for the arguments and their data.
 * @param actualArgsSize its bytes, as aclrtKernelArgsGetMemSize says.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, memory that is not aligned, or less than the
 * kernel's arguments have; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, or its program was unloaded.
 * Thread-safe for different memory. Follows aclrtKernelArgsInitByUserMem of the Ascend runtime API.
 */
aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle,
                                      aclrtArgsHandle argsHandle,
                                      void *userHostMem,
                                      size_t actualArgsSize);

/**
 * Adds an argument to a list. Where the kernel's parameters are known (aclrtFunctionGetParamInfo) it goes where the
 * kernel expects it; else behind the one before, at a multiple of its size if that is 1, 2, 4 or 8, else of 8.
 *
 * @param argsHandle a list that is not finalized.
 * @param param the argument's first byte; it is copied.
 * @param paramSize its bytes, 1 or more; all arguments together have 4096 at most.
 * @param paramHandle receives what aclrtKernelArgsParaUpdate takes for it.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `paramSize` 0, or no room for it;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a list, finalized, the kernel's binary is gone, or the kernel's next parameter
 * has another size or does not exist. Thread-safe, for one list in one thread at a time where it lies in the caller's
 * memory. Follows aclrtKernelArgsAppend of the Ascend runtime API.
 */
aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle,
                               void *param,
                               size_t paramSize,
                               aclrtParamHandle *paramHandle);

/**
 * Adds an argument that is the address of data, which aclrtKernelArgsGetPlaceHolderBuffer takes. A launch copies the
 * data to memory that devices read, and passes its address there.
 *
 * @param argsHandle a list that is not finalized.
 * @param paramHandle receives what aclrtKernelArgsGetPlaceHolderBuffer takes for it.
 * @return as aclrtKernelArgsAppend, for an argument of 8 bytes. Thread-safe, for one list in one thread at a time where
 * it lies in the caller's memory. Follows aclrtKernelArgsAppendPlaceHolder of the Ascend runtime API.
 */
aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle,
                                          aclrtParamHandle *paramHandle);

/**
 * Tells where the data of a place holder is to be written; each launch takes what is there then. The buffer lives as
 * long as its list, at a multiple of 64 where that lies in the caller's memory.
 *
 * @param argsHandle a list.
 * @param paramHandle from aclrtKernelArgsAppendPlaceHolder.
 * @param dataSize its bytes, 1 or more. Asking again gives the same buffer, and has to be for as many.
 * @param bufferAddr receives the address, in host memory.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `dataSize` 0, or no room for it in the caller's
 * memory; ACL_ERROR_RT_PARAM_INVALID 107000: not a list, not a place holder of it, or its buffer has another size;
 * ACL_ERROR_BAD_ALLOC 200000: no host memory. Thread-safe, for one list in one thread at a time where it lies in the
 * caller's memory. Follows aclrtKernelArgsGetPlaceHolderBuffer of the Ascend runtime API.
 */
aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
                                             aclrtParamHandle paramHandle,
                                             size_t dataSize,
                                             void **bufferAddr);

/**
 * Gives an argument of a list another value, for launches from now on.
 *
 * @param argsHandle a list, also one that is finalized.
 * @param paramHandle from aclrtKernelArgsAppend.
 * @param param the value's first byte; it is copied.
 * @param paramSize its bytes, as many as before.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer or `paramSize` 0; ACL_ERROR_RT_PARAM_INVALID
 * 107000: not a list, not an argument of it, a place holder, or another size. Thread-safe, for one list in one thread at
 * a time where it lies in the caller's memory. Follows aclrtKernelArgsParaUpdate of the Ascend runtime API.
 */
aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle,
                                   aclrtParamHandle paramHandle,
                                   void *param,
                                   size_t paramSize);

/**
 * Ends the filling of a list: it has all its arguments, and place holders their buffers. Doing so again changes
 * nothing.
 *
 * @param argsHandle a list.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a list, the kernel's
 * binary is gone, fewer arguments than the kernel is known to have parameters, or a place holder without a buffer.
 * Thread-safe, for one list in one thread at a time where it lies in the caller's memory. Follows
 * aclrtKernelArgsFinalize of the Ascend runtime API.
 */
aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);

/**
 * Tells how much memory aclrtKernelArgsInitByUserMem needs for a list itself.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param memSize receives the bytes.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
 * of a kernel, or its program was unloaded. Thread-safe. Follows aclrtKernelArgsGetHandleMemSize of the Ascend runtime
 * API.
 */
aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle,
                                         size_t *memSize);

/**
 * Tells how much memory aclrtKernelArgsInitByUserMem needs for the arguments and the data of place holders.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param userArgsSize bytes of all arguments, 8 for each place holder, and of all data, together.
 * @param actualArgsSize receives the bytes, which are more for the sake of alignment.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or more than any memory has;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, or its program was unloaded. Thread-safe. Follows
 * aclrtKernelArgsGetMemSize of the Ascend runtime API.
 */
aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle,
                                   size_t userArgsSize,
                                   size_t *actualArgsSize);

/**
 * Queues a run of a kernel: after the stream's earlier operations, and before its later ones. The arguments are
 * copied during the call. On the cpu backend the threads of the library call the kernel once for each block,
 * several at a time; it must not call this library. Its threads and the order of blocks are the device's choice.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param numBlocks how many blocks, 1 or more. Threads of a block: on the cuda backend as many as the kernel's own
 * launch bound allows, on the cpu backend one.
 * @param argsData the arguments in one block, each at a multiple of its own alignment, as in a C structure.
 * @param argsSize its length in bytes; 0 for a kernel without parameters.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS, when it is queued; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `numBlocks` 0 or more than the device can have, or an unknown attribute;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, its program was unloaded, not a stream,
 * destroyed, or arguments that do not fit the kernel, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
 * current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context,
 * or the program; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: never.
 * A kernel that fails is told as every failure of queued work; on the cpu backend it is code of this process,
 * and ends it when it touches memory that is not there.
 * Thread-safe. Follows aclrtLaunchKernel of the Ascend runtime API.
 */
aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle,
                           uint32_t numBlocks,
                           const void *argsData,
                           size_t argsSize,
                           aclrtStream stream);

/**
 * As aclrtLaunchKernel, with attributes.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param numBlocks how many blocks, 1 or more. Threads of a block: on the cuda backend as many as the kernel's own
 * launch bound allows, on the cpu backend one.
 * @param argsData the arguments in one block, each at a multiple of its own alignment, as in a C structure.
 * @param argsSize its length in bytes; 0 for a kernel without parameters.
 * @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE is heeded, those about schedule, engine,
 * prefetch and profiling mean nothing here, an offset, a dump or a time limit other than 0 is refused.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS, when it is queued; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `numBlocks` 0 or more than the device can have, or an unknown attribute;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, its program was unloaded, not a stream,
 * destroyed, or arguments or fast memory that do not fit, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
 * current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context,
 * or the program; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an attribute that kernels here do not have.
 * A kernel that fails is told as every failure of queued work; on the cpu backend it is code of this process,
 * and ends it when it touches memory that is not there.
 * Thread-safe. Follows aclrtLaunchKernelV2 of the Ascend runtime API.
 */
aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle,
                             uint32_t numBlocks,
                             const void *argsData,
                             size_t argsSize,
                             aclrtLaunchKernelCfg *cfg,
                             aclrtStream stream);

/**
 * As aclrtLaunchKernelV2, with arguments in a list.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction, for which the list was begun.
 * @param numBlocks how many blocks, 1 or more. Threads of a block: on the cuda backend as many as the kernel's own
 * launch bound allows, on the cpu backend one.
 * @param stream a stream; null: the default stream of the current context.
 * @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE is heeded, those about schedule, engine,
 * prefetch and profiling mean nothing here, an offset, a dump or a time limit other than 0 is refused.
 * @param argsHandle a list that aclrtKernelArgsFinalize was called for. It is copied during the call, and may be
 * changed and launched again.
 * @param reserve null.
 * @return as aclrtLaunchKernelV2; ACL_ERROR_INVALID_PARAM 100000: also where `argsHandle` is null or `reserve` is not;
 * ACL_ERROR_RT_PARAM_INVALID 107000: also where it is no list, not finalized, or of another kernel;
 * ACL_ERROR_BAD_ALLOC 200000: no page-locked memory for the data of its place holders.
 * Thread-safe, for one list in one thread at a time where it lies in the caller's memory. Follows
 * aclrtLaunchKernelWithConfig of the Ascend runtime API.
 */
aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle,
                                     uint32_t numBlocks,
                                     aclrtStream stream,
                                     aclrtLaunchKernelCfg *cfg,
                                     aclrtArgsHandle argsHandle,
                                     void *reserve);

/**
 * As aclrtLaunchKernelV2, with arguments that may want addresses of data, which the call copies to memory that devices read.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param numBlocks how many blocks, 1 or more. Threads of a block: on the cuda backend as many as the kernel's own
 * launch bound allows, on the cpu backend one.
 * @param stream a stream; null: the default stream of the current context.
 * @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE is heeded, those about schedule, engine,
 * prefetch and profiling mean nothing here, an offset, a dump or a time limit other than 0 is refused.
 * @param hostArgs the arguments in one block of host memory, each at a multiple of its own alignment, as in a C
 * structure, and behind them the data of place holders. It is copied during the call.
 * @param argsSize its length in bytes, data and all; 0 for a kernel without parameters.
 * @param placeHolderArray null, or place holders: the data at `dataOffset` of each is copied for this
 * launch to memory that devices read, and its address there, 8 bytes, is written to `addrOffset`, be
 * that in the arguments or in the data. Alignment is kept up to 512 bytes.
 * @param placeHolderNum how many there are, 65536 at most.
 * @return as aclrtLaunchKernelV2; ACL_ERROR_INVALID_PARAM 100000: also where an offset is not inside the block, or data
 * inside the arguments; ACL_ERROR_BAD_ALLOC 200000: no page-locked memory for the data.
 * Thread-safe. Follows aclrtLaunchKernelWithHostArgs of the Ascend runtime API.
 */
aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle,
                                       uint32_t numBlocks,
                                       aclrtStream stream,
                                       aclrtLaunchKernelCfg *cfg,
                                       void *hostArgs,
                                       size_t argsSize,
                                       aclrtPlaceHolderInfo *placeHolderArray,
                                       size_t placeHolderNum);

/**
 * Queues a run of a kernel: after the stream's earlier operations, and before its later ones. The arguments are
 * copied during the call. On the cpu backend the threads of the library call the kernel once for each block,
 * several at a time; it must not call this library.
 *
 * @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol that stands for a kernel on the
 * current device.
 * @param numBlocks how many blocks, 1 or more. Threads of a block: on the cuda backend as many as the kernel's own
 * launch bound allows, on the cpu backend one.
 * @param stream a stream; null: the default stream of the current context.
 * @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE is heeded, those about schedule, engine,
 * prefetch and profiling mean nothing here, an offset, a dump or a time limit other than 0 is refused.
 * @param args pointers to the arguments, one for each parameter of the kernel; null for a kernel without
 * parameters. On the cpu backend the kernel must describe its parameters (PORTACL_KERNEL of portacl/kernel.h).
 * @return ACL_SUCCESS, when it is queued; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `numBlocks` 0 or more than the device can have, or an unknown attribute;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, its program was unloaded, not a stream,
 * destroyed, or arguments or fast memory that do not fit, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
 * current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context,
 * or the program; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an attribute that kernels here do not have, or a kernel that does not describe its parameters.
 * A kernel that fails is told as every failure of queued work; on the cpu backend it is code of this process,
 * and ends it when it touches memory that is not there.
 * Thread-safe. Follows aclrtLaunchKernelWithArgsArray of the Ascend runtime API.
 */
aclError aclrtLaunchKernelWithArgsArray(void *func,
                                        uint32_t numBlocks,
                                        aclrtStream stream,
                                        aclrtLaunchKernelCfg *cfg,
                                        void **args);

/**
 * As aclrtLaunchKernelWithArgsArray, with blocks in a grid and threads in a block. On the cpu backend a kernel is
 * called once for each block and loops over its threads itself.
 *
 * @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol that stands for a kernel on the
 * current device.
 * @param gridDim blocks in x, y and z, each 1 or more: at most 2147483647 in x and 65535 in y and z.
 * @param blockDim threads of a block in x, y and z, each 1 or more: at most 1024 in x and y, 64 in z, and 1024
 * together.
 * @param dynUbufSize fast memory of each block in bytes, beyond what the kernel declares;
 * ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE takes its place.
 * @param stream a stream; null: the default stream of the current context.
 * @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE is heeded, those about schedule, engine,
 * prefetch and profiling mean nothing here, an offset, a dump or a time limit other than 0 is refused.
 * @param args pointers to the arguments, one for each parameter of the kernel; null for a kernel without
 * parameters. On the cpu backend the kernel must describe its parameters (PORTACL_KERNEL of portacl/kernel.h).
 * @return ACL_SUCCESS, when it is queued; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or a dimension that is 0 or too large, or an unknown attribute;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, its program was unloaded, not a stream,
 * destroyed, more threads than the kernel was compiled for, or arguments or fast memory that do not fit, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
 * current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context,
 * or the program; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an attribute that kernels here do not have, or a kernel that does not describe its parameters.
 * A kernel that fails is told as every failure of queued work; on the cpu backend it is code of this process,
 * and ends it when it touches memory that is not there.
 * Thread-safe. Follows aclrtLaunchSIMTKernelWithArgsArray of the Ascend runtime API.
 */
aclError aclrtLaunchSIMTKernelWithArgsArray(void *func,
                                            dim3 gridDim,
                                            dim3 blockDim,
                                            size_t dynUbufSize,
                                            aclrtStream stream,
                                            aclrtLaunchKernelCfg *cfg,
                                            void **args);

/**
 * As aclrtLaunchSIMTKernelWithArgsArray, with arguments as aclrtLaunchKernelWithHostArgs takes them.
 *
 * @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol that stands for a kernel on the
 * current device.
 * @param gridDim blocks in x, y and z, each 1 or more: at most 2147483647 in x and 65535 in y and z.
 * @param blockDim threads of a block in x, y and z, each 1 or more: at most 1024 in x and y, 64 in z, and 1024
 * together.
 * @param dynUbufSize fast memory of each block in bytes, beyond what the kernel declares;
 * ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE takes its place.
 * @param stream a stream; null: the default stream of the current context.
 * @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE is heeded, those about schedule, engine,
 * prefetch and profiling mean nothing here, an offset, a dump or a time limit other than 0 is refused.
 * @param hostArgs the arguments in one block of host memory, each at a multiple of its own alignment, as in a C
 * structure, and behind them the data of place holders. It is copied during the call.
 * @param argsSize its length in bytes, data and all; 0 for a kernel without parameters.
 * @param placeHolderArray null, or place holders: the data at `dataOffset` of each is copied for this
 * launch to memory that devices read, and its address there, 8 bytes, is written to `addrOffset`, be
 * that in the arguments or in the data. Alignment is kept up to 512 bytes.
 * @param placeHolderNum how many there are, 65536 at most.
 * @return as aclrtLaunchSIMTKernelWithArgsArray; ACL_ERROR_INVALID_PARAM 100000: also where an offset is not inside the
 * block, or data inside the arguments; ACL_ERROR_BAD_ALLOC 200000: no page-locked memory for the data.
 * Thread-safe. Follows aclrtLaunchSIMTKernelWithHostArgs of the Ascend runtime API.
 */
aclError aclrtLaunchSIMTKernelWithHostArgs(void *func,
                                           dim3 gridDim,
                                           dim3 blockDim,
                                           size_t dynUbufSize,
                                           aclrtStream stream,
                                           aclrtLaunchKernelCfg *cfg,
                                           void *hostArgs,
                                           size_t argsSize,
                                           aclrtPlaceHolderInfo *placeHolderArray,
                                           size_t placeHolderNum);

/**
 * Changes a task that waits in a stream.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtTaskUpdateAsync(aclrtStream taskStream,
                              uint32_t taskId,
                              aclrtTaskUpdateInfo *info,
                              aclrtStream execStream);

/**
 * Notes information of the caller about the last task.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCacheLastTaskExtendInfo(const char *extendInfoPtr, size_t infoSize);

/**
 * Notes the operator behind the last task.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCacheLastTaskOpInfo(const void *infoPtr, size_t infoSize);

/**
 * Tells the kernel that a symbol stands for on the current device.
 *
 * @param symbol an address that portaclRegisterSymbol was given.
 * @param funcHandle receives the handle, the same one as aclrtBinaryGetFunction gives for the name.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: it stands for
 * nothing on this device, or for a variable, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
 * current context. Thread-safe. Follows aclrtGetFuncBySymbol of the Ascend runtime API.
 */
aclError aclrtGetFuncBySymbol(const void *symbol,
                              aclrtFuncHandle *funcHandle);

/**
 * Tells the size of the variable that a symbol stands for on the current device.
 *
 * @param symbol an address that portaclRegisterSymbol was given.
 * @param size receives its bytes.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: it stands for
 * nothing on this device, or for a kernel, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
 * current context. Thread-safe. Follows aclrtGetSymbolSize of the Ascend runtime API.
 */
aclError aclrtGetSymbolSize(const void *symbol,
                            size_t *size);

/**
 * Tells where the variable is that a symbol stands for on the current device. aclrtBinaryGetGlobal says what can be
 * done with it.
 *
 * @param symbol an address that portaclRegisterSymbol was given.
 * @param devPtr receives its address.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: it stands for
 * nothing on this device, or for a kernel, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
 * current context. Thread-safe. Follows aclrtGetSymbolAddress of the Ascend runtime API.
 */
aclError aclrtGetSymbolAddress(const void *symbol,
                               void **devPtr);

/**
 * Copies to the variable that a symbol stands for on the current device, and waits. In order with nothing, as
 * aclrtMemcpy.
 *
 * @param symbol an address that portaclRegisterSymbol was given.
 * @param src where the bytes come from.
 * @param count bytes; 0 copies nothing.
 * @param offset where they go in the variable, in bytes from its beginning.
 * @param kind ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
 * @return as aclrtMemcpy; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` go past the
 * variable's end; ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` stands for nothing on the current device, or for a
 * kernel. Thread-safe. Follows aclrtMemcpyToSymbol of the Ascend runtime API.
 */
aclError aclrtMemcpyToSymbol(const void *symbol,
                             const void *src,
                             size_t count,
                             size_t offset,
                             aclrtMemcpyKind kind);

/**
 * Copies to the variable that a symbol stands for on the current device, in stream order, as aclrtMemcpyAsync. The
 * variable stays until it is done, whatever becomes of its binary.
 *
 * @param symbol an address that portaclRegisterSymbol was given.
 * @param src where the bytes come from.
 * @param count bytes; 0 copies nothing.
 * @param offset where they go in the variable, in bytes from its beginning.
 * @param kind ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
 * @param stream a stream; null: the default stream of the current context.
 * @return as aclrtMemcpyAsync; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` go past the
 * variable's end; ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` stands for nothing on the current device, or for a
 * kernel. Thread-safe. Follows aclrtMemcpyToSymbolAsync of the Ascend runtime API.
 */
aclError aclrtMemcpyToSymbolAsync(const void *symbol,
                                  const void *src,
                                  size_t count,
                                  size_t offset,
                                  aclrtMemcpyKind kind,
                                  aclrtStream stream);

/**
 * Copies from the variable that a symbol stands for on the current device, and waits. In order with nothing, as
 * aclrtMemcpy.
 *
 * @param dst where the bytes go.
 * @param dstMax room there in bytes.
 * @param symbol an address that portaclRegisterSymbol was given.
 * @param count bytes, at most `dstMax`; 0 copies nothing.
 * @param offset where they begin in the variable, in bytes from its beginning.
 * @param kind ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
 * @return as aclrtMemcpy; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` go past the
 * variable's end; ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` stands for nothing on the current device, or for a
 * kernel. Thread-safe. Follows aclrtMemcpyFromSymbol of the Ascend runtime API.
 */
aclError aclrtMemcpyFromSymbol(void *dst,
                               size_t dstMax,
                               const void *symbol,
                               size_t count,
                               size_t offset,
                               aclrtMemcpyKind kind);

/**
 * Copies from the variable that a symbol stands for on the current device, in stream order, as aclrtMemcpyAsync. The
 * variable stays until it is done, whatever becomes of its binary.
 *
 * @param dst where the bytes go.
 * @param dstMax room there in bytes.
 * @param symbol an address that portaclRegisterSymbol was given.
 * @param count bytes, at most `dstMax`; 0 copies nothing.
 * @param offset where they begin in the variable, in bytes from its beginning.
 * @param kind ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
 * @param stream a stream; null: the default stream of the current context.
 * @return as aclrtMemcpyAsync; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` go past the
 * variable's end; ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` stands for nothing on the current device, or for a
 * kernel. Thread-safe. Follows aclrtMemcpyFromSymbolAsync of the Ascend runtime API.
 */
aclError aclrtMemcpyFromSymbolAsync(void *dst,
                                    size_t dstMax,
                                    const void *symbol,
                                    size_t count,
                                    size_t offset,
                                    aclrtMemcpyKind kind,
                                    aclrtStream stream);

/**
 * Tells how many cores of a type work on a device may use: what aclrtSetDeviceResLimit has set, and at most
 * what the device has (ACL_DEV_ATTR_CUBE_CORE_NUM and ACL_DEV_ATTR_VECTOR_CORE_NUM of aclrtGetDeviceInfo).
 *
 * @param deviceId 0 to the number of devices less 1; it need not be set.
 * @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
 * @param value receives the number of cores.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another type; ACL_ERROR_RT_INVALID_DEVICEID
 * 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver does
 * not answer. Thread-safe. Follows aclrtGetDeviceResLimit of the Ascend runtime API.
 */
aclError aclrtGetDeviceResLimit(int32_t deviceId,
                                aclrtDevResLimitType type,
                                uint32_t *value);

/**
 * Sets how many cores of a type work on a device may use. The number is kept, for those who choose the blocks
 * of a kernel by it, and holds no work back. It belongs to the process, and stays until
 * aclrtResetDeviceResLimit or aclFinalize, also through resets of the device.
 *
 * @param deviceId 0 to the number of devices less 1; it need not be set.
 * @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
 * @param value cores, at least 1; more than there are limit nothing.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: another type, or `value` is 0;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a
 * host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. Thread-safe. Follows
 * aclrtSetDeviceResLimit of the Ascend runtime API.
 */
aclError aclrtSetDeviceResLimit(int32_t deviceId,
                                aclrtDevResLimitType type,
                                uint32_t value);

/**
 * Takes back aclrtSetDeviceResLimit, for both types.
 *
 * @param deviceId 0 to the number of devices less 1; it need not be set.
 * @return ACL_SUCCESS, also without a limit; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device;
 * ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after
 * aclFinalize. Thread-safe. Follows aclrtResetDeviceResLimit of the Ascend runtime API.
 */
aclError aclrtResetDeviceResLimit(int32_t deviceId);

/**
 * Tells how many cores of a type a stream's work may use: its own limit of aclrtSetStreamResLimit, else its
 * device's of aclrtSetDeviceResLimit, and at most what the device has.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
 * @param value receives the number of cores.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `value` is null, or another type;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on
 * another device than the current context. Thread-safe. Follows aclrtGetStreamResLimit of the Ascend runtime
 * API.
 */
aclError aclrtGetStreamResLimit(aclrtStream stream,
                                aclrtDevResLimitType type,
                                uint32_t *value);

/**
 * Sets how many cores of a type a stream's work may use. The number is kept and holds no work back; it goes
 * with the stream.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
 * @param value cores, at least 1; more than there are limit nothing.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: another type, or `value` is 0;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on
 * another device than the current context. Thread-safe. Follows aclrtSetStreamResLimit of the Ascend runtime
 * API.
 */
aclError aclrtSetStreamResLimit(aclrtStream stream,
                                aclrtDevResLimitType type,
                                uint32_t value);

/**
 * Takes back aclrtSetStreamResLimit, for both types.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS, also without a limit; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or
 * called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
 * Follows aclrtResetStreamResLimit of the Ascend runtime API.
 */
aclError aclrtResetStreamResLimit(aclrtStream stream);

/**
 * Makes aclrtGetResInCurrentThread give a stream's limits in this thread, instead of another stream's that it
 * used before. Ends with the stream.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host
 * function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the
 * stream is on another device than the current context. Thread-safe. Follows aclrtUseStreamResInCurrentThread
 * of the Ascend runtime API.
 */
aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);

/**
 * Takes back aclrtUseStreamResInCurrentThread.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS, also if this thread uses another stream's limits, which stay, or none's;
 * ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on
 * another device than the current context. Thread-safe. Follows aclrtUnuseStreamResInCurrentThread of the
 * Ascend runtime API.
 */
aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);

/**
 * Tells how many cores of a type work of this thread may use: the limit of the stream that the thread uses
 * (aclrtUseStreamResInCurrentThread), if that is on the current device and has one, else that of the current
 * device, and at most what the device has. A few nanoseconds: libraries ask before every launch.
 *
 * @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
 * @param value receives the number of cores.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another type; ACL_ERROR_RT_CONTEXT_NULL
 * 107002: no current context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe.
 * Follows aclrtGetResInCurrentThread of the Ascend runtime API.
 */
aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type,
                                    uint32_t *value);

/**
 * Sets what overflows of later work on the current device shall give. The mode is kept, until the device is
 * reset, and has no effect: kernels and reductions give infinities and NaNs, as their code says.
 *
 * @param mode ACL_RT_OVERFLOW_MODE_SATURATION or ACL_RT_OVERFLOW_MODE_INFNAN.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: another mode; ACL_ERROR_RT_CONTEXT_NULL 107002: no
 * current context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
 * aclrtSetDeviceSatMode of the Ascend runtime API.
 */
aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);

/**
 * The mode of the current device: what aclrtSetDeviceSatMode has set since the device was opened, else
 * ACL_RT_OVERFLOW_MODE_INFNAN.
 *
 * @param mode receives it.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_CONTEXT_NULL 107002: no current
 * context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
 * aclrtGetDeviceSatMode of the Ascend runtime API.
 */
aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode);

/**
 * Says whether overflows of a stream's work are to be watched. The switch is kept, as the attribute
 * ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK of the stream, and has no effect: no overflow is noted here.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param flag 0: off, as at first; 1: on.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: another flag; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * stream, destroyed, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
 * Follows aclrtSetStreamOverflowSwitch of the Ascend runtime API.
 */
aclError aclrtSetStreamOverflowSwitch(aclrtStream stream,
                                      uint32_t flag);

/**
 * The switch of aclrtSetStreamOverflowSwitch.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param flag receives 0 or 1.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `flag` is null; ACL_ERROR_RT_PARAM_INVALID 107000,
 * ACL_ERROR_RT_CONTEXT_NULL 107002 and ACL_ERROR_RT_STREAM_CONTEXT 107003 as aclrtSetStreamOverflowSwitch.
 * Thread-safe. Follows aclrtGetStreamOverflowSwitch of the Ascend runtime API.
 */
aclError aclrtGetStreamOverflowSwitch(aclrtStream stream,
                                      uint32_t *flag);

/**
 * Queues the state of overflows: sets all of `outputAddr` to 0, which means that there was none. Nothing is
 * noted here; who has to know looks for infinities and NaNs in the results.
 *
 * @param outputAddr memory of the stream's device, or managed memory, that receives the state in stream order.
 * @param outputSize bytes to write there, at least 1.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS: it is queued; ACL_ERROR_INVALID_PARAM 100000: `outputAddr` is null or `outputSize` is
 * 0; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or
 * `outputAddr` is not such memory or ends before that; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
 * Follows aclrtGetOverflowStatus of the Ascend runtime API.
 */
aclError aclrtGetOverflowStatus(void *outputAddr,
                                size_t outputSize,
                                aclrtStream stream);

/**
 * Forgets the overflows so far, of which none is noted here: only the stream is checked.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host
 * function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the
 * stream is on another device than the current context. Thread-safe. Follows aclrtResetOverflowStatus of the
 * Ascend runtime API.
 */
aclError aclrtResetOverflowStatus(aclrtStream stream);

/**
 * As aclrtGetOverflowStatus.
 *
 * @param outputAddr memory of the stream's device, or managed memory, that receives the state in stream order.
 * @param outputSize bytes to write there, at least 1.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS: it is queued; ACL_ERROR_INVALID_PARAM 100000: `outputAddr` is null or `outputSize` is
 * 0; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or
 * `outputAddr` is not such memory or ends before that; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
 * Follows aclrtGetFloatOverflowStatus of the Ascend runtime API.
 */
aclError aclrtGetFloatOverflowStatus(void *outputAddr,
                                     uint64_t outputSize,
                                     aclrtStream stream);

/**
 * As aclrtResetOverflowStatus.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host
 * function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the
 * stream is on another device than the current context. Thread-safe. Follows aclrtResetFloatOverflowStatus of
 * the Ascend runtime API.
 */
aclError aclrtResetFloatOverflowStatus(aclrtStream stream);

/**
 * As aclrtGetOverflowStatus, for a check mode.
 *
 * @param outputAddr memory of the stream's device, or managed memory, that receives the state in stream order.
 * @param outputSize bytes to write there, at least 1.
 * @param checkMode any number; it has no meaning here.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS: it is queued; ACL_ERROR_INVALID_PARAM 100000: `outputAddr` is null or `outputSize` is
 * 0; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or
 * `outputAddr` is not such memory or ends before that; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
 * Follows aclrtNpuGetFloatOverFlowStatus of the Ascend runtime API.
 */
aclError aclrtNpuGetFloatOverFlowStatus(void *outputAddr,
                                        uint64_t outputSize,
                                        uint32_t checkMode,
                                        aclrtStream stream);

/**
 * As aclrtResetOverflowStatus, for a check mode.
 *
 * @param checkMode any number; it has no meaning here.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host
 * function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the
 * stream is on another device than the current context. Thread-safe. Follows aclrtNpuClearFloatOverFlowStatus
 * of the Ascend runtime API.
 */
aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode,
                                          aclrtStream stream);

/**
 * Sets how many seconds an operator may take. The number is kept, for aclrtGetOpExecuteTimeout, and has no
 * effect: no operation is ended here because it takes long (aclrtSynchronizeStreamWithTimeout bounds the wait
 * for one). It belongs to the process: the last call of these three functions, on any thread, wins; aclInit,
 * aclFinalize and resets of devices leave it alone, and it may be set before aclInit.
 *
 * @param timeout seconds; 0: as if it had never been set.
 * @return ACL_SUCCESS. Thread-safe. Follows aclrtSetOpExecuteTimeOut of the Ascend runtime API.
 */
aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

/**
 * As aclrtSetOpExecuteTimeOut, in milliseconds.
 *
 * @param timeout milliseconds; 0: as if it had never been set.
 * @return ACL_SUCCESS. Thread-safe. Follows aclrtSetOpExecuteTimeOutWithMs of the Ascend runtime API.
 */
aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);

/**
 * As aclrtSetOpExecuteTimeOut, in microseconds, and rounded up to 1 to 254 times what
 * aclrtGetOpTimeOutInterval tells. More than 254 times is 254 times.
 *
 * @param timeout microseconds.
 * @param actualTimeout receives the microseconds that were set.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, and nothing is set. Thread-safe. Follows
 * aclrtSetOpExecuteTimeOutV2 of the Ascend runtime API.
 */
aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout,
                                    uint64_t *actualTimeout);

/**
 * How many milliseconds an operator may take, as it was set last.
 *
 * @param timeoutMs receives milliseconds: 0 if it was never set, 4294967295 if it is that many or more.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe. Follows aclrtGetOpExecuteTimeout of
 * the Ascend runtime API.
 */
aclError aclrtGetOpExecuteTimeout(uint32_t *timeoutMs);

/**
 * The unit to which aclrtSetOpExecuteTimeOutV2 rounds.
 *
 * @param interval receives microseconds: 10,000,000.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe. Follows aclrtGetOpTimeOutInterval of
 * the Ascend runtime API.
 */
aclError aclrtGetOpTimeOutInterval(uint64_t *interval);

/**
 * Sets how many seconds a stream may wait for an event in aclrtStreamWaitEvent; see
 * aclrtStreamWaitEventWithTimeout for what happens then. Waits that were queued before keep their limit. It
 * belongs to the process: the last call, on any thread, wins; aclInit, aclFinalize and resets of devices leave
 * it alone, and it may be set before aclInit.
 *
 * @param timeout seconds; 0, as it is at first: waits may take for ever. Where a CUDA driver cannot do it,
 * they may too.
 * @return ACL_SUCCESS. Thread-safe. Follows aclrtSetOpWaitTimeout of the Ascend runtime API.
 */
aclError aclrtSetOpWaitTimeout(uint32_t timeout);

/**
 * Tells how many groups the current device has: none, devices are not divided here. Works at any time.
 *
 * @param count receives 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe. Follows aclrtGetGroupCount of the Ascend
 * runtime API.
 */
aclError aclrtGetGroupCount(uint32_t *count);

/**
 * Makes room for descriptions of the groups, or returns null.
 *
 * @return null; aclGetRecentErrMsg tells what is missing.
 */
aclrtGroupInfo *aclrtCreateGroupInfo(void);

/**
 * Ends what aclrtCreateGroupInfo made.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDestroyGroupInfo(aclrtGroupInfo *groupInfo);

/**
 * Fills in the descriptions of all groups.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetAllGroupInfo(aclrtGroupInfo *groupInfo);

/**
 * Tells an attribute of a group.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo *groupInfo,
                                 int32_t groupIndex,
                                 aclrtGroupAttr attr,
                                 void *attrValue,
                                 size_t valueLen,
                                 size_t *paramRetSize);

/**
 * Makes later work of this thread use a group.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetGroup(int32_t groupId);

/**
 * Starts dumping.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlInitDump(void);

/**
 * Configures dumping from a JSON file.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlSetDump(const char *dumpCfgPath);

/**
 * Ends dumping.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlFinalizeDump(void);

/**
 * Makes a buffer: page-locked host memory with a length of data, which is 0 at first, and 96 bytes of the
 * caller's own, which are 0. Needs no current context. Lives until aclrtFreeBuf or aclFinalize.
 *
 * @param buf receives the buffer.
 * @param size bytes of data it has room for, at least 1.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or `size` is 0; ACL_ERROR_BAD_ALLOC 200000:
 * no host memory left, or no more buffers can be made; ACL_ERROR_RT_CONTEXT_NULL 107002:
 * after aclFinalize; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows aclrtAllocBuf of the Ascend runtime API.
 */
aclError aclrtAllocBuf(aclrtMbuf *buf,
                       size_t size);

/**
 * Frees a buffer, and all that was appended to it. The memory goes with its last reference (aclrtCopyBufRef);
 * queued work that uses it keeps it until then.
 *
 * @param buf a buffer that is in no other one's chain.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
 * freed before, in the chain of another one, or called inside a host function. Thread-safe. Follows
 * aclrtFreeBuf of the Ascend runtime API.
 */
aclError aclrtFreeBuf(aclrtMbuf buf);

/**
 * Where a buffer's data are. Copies take them for memory of aclrtMallocHost; aclrtFreeHost refuses them.
 *
 * @param buf a buffer.
 * @param dataPtr receives the address, a multiple of 64.
 * @param size receives the bytes there are room for, whatever the length of the data is.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
 * or freed. Thread-safe. Follows aclrtGetBufData of the Ascend runtime API.
 */
aclError aclrtGetBufData(aclrtMbuf buf,
                         void **dataPtr,
                         size_t *size);

/**
 * Says how many bytes of a buffer are data. The number is kept; it bounds nothing.
 *
 * @param buf a buffer.
 * @param len bytes, at most what there is room for.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
 * or freed, or `len` is more than that. Thread-safe. Follows aclrtSetBufDataLen of the Ascend runtime API.
 */
aclError aclrtSetBufDataLen(aclrtMbuf buf,
                            size_t len);

/**
 * How many bytes of a buffer are data, as aclrtSetBufDataLen has said.
 *
 * @param buf a buffer.
 * @param len receives the bytes.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
 * or freed. Thread-safe. Follows aclrtGetBufDataLen of the Ascend runtime API.
 */
aclError aclrtGetBufDataLen(aclrtMbuf buf,
                            size_t *len);

/**
 * Writes to a buffer's 96 bytes for the user. Another thread reads all of it or nothing.
 *
 * @param buf a buffer.
 * @param dataPtr what to write.
 * @param size bytes, at least 1.
 * @param offset where to write them; `offset` + `size` is at most 96.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
 * or freed; 100000 also if `size` is 0 or the bytes go past the end. Thread-safe. Follows aclrtSetBufUserData
 * of the Ascend runtime API.
 */
aclError aclrtSetBufUserData(aclrtMbuf buf,
                             const void *dataPtr,
                             size_t size,
                             size_t offset);

/**
 * Reads from a buffer's 96 bytes for the user.
 *
 * @param buf a buffer.
 * @param dataPtr receives the bytes.
 * @param size bytes, at least 1.
 * @param offset where to read them; `offset` + `size` is at most 96.
 * @return as aclrtSetBufUserData. Thread-safe. Follows aclrtGetBufUserData of the Ascend runtime API.
 */
aclError aclrtGetBufUserData(aclrtMbuf buf,
                             void *dataPtr,
                             size_t size,
                             size_t offset);

/**
 * Makes another reference to a buffer's data: a buffer of its own, with the length and the user's bytes as
 * they are now and no chain, for aclrtFreeBuf to free.
 *
 * @param buf a buffer.
 * @param newBuf receives the other one.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
 * or freed; ACL_ERROR_BAD_ALLOC 200000: no more buffers can be made. Thread-safe. Follows aclrtCopyBufRef of
 * the Ascend runtime API.
 */
aclError aclrtCopyBufRef(aclrtMbuf buf,
                         aclrtMbuf *newBuf);

/**
 * Appends a buffer to the end of a chain: from then on it is freed with the head, and not by itself.
 *
 * @param headBuf a buffer, the first of its chain or alone.
 * @param buf another one, in no chain and without one of its own.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
 * or freed, both are the same, or one of them is in another one's chain or, as `buf`, has a chain.
 * Thread-safe. Follows aclrtAppendBufChain of the Ascend runtime API.
 */
aclError aclrtAppendBufChain(aclrtMbuf headBuf,
                             aclrtMbuf buf);

/**
 * How many buffers a chain has, its head included.
 *
 * @param headBuf a buffer, the first of its chain or alone.
 * @param num receives the number; 1 for a buffer alone.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
 * or freed, or in the chain of another one. Thread-safe. Follows aclrtGetBufChainNum of the Ascend runtime
 * API.
 */
aclError aclrtGetBufChainNum(aclrtMbuf headBuf,
                             uint32_t *num);

/**
 * A buffer of a chain, in the order in which they were appended.
 *
 * @param headBuf a buffer, the first of its chain or alone.
 * @param index 0: the head itself.
 * @param buf receives the buffer, which stays the chain's.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer,
 * or freed, in the chain of another one, or there is no such index. Thread-safe. Follows aclrtGetBufFromChain
 * of the Ascend runtime API.
 */
aclError aclrtGetBufFromChain(aclrtMbuf headBuf,
                              uint32_t index,
                              aclrtMbuf *buf);

/**
 * Locks this process for a snapshot: calls the functions for ACL_RT_SNAPSHOT_LOCK_PRE, has new calls wait, and waits
 * itself until all streams of all devices have done what they were given. From then on calls of other threads
 * wait for aclrtSnapShotProcessUnlock, but those that return values and no code, those that
 * tell of failures, aclrtProcessReport, aclrtProcessHostFunc and snapshot calls; this thread, and callbacks of snapshots, get 107000 instead, because nobody else would let
 * them go on. Calls inside of host functions are not held. Threads that allocate or copy at the same moment
 * should have come to rest before: what they have begun is waited for as soon as a stream has it. docs/snapshots.md
 * has the whole.
 *
 * @param pid this process, by its own number (getpid).
 * @param reserve must be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `pid` is not above 0, or `reserve` is not null;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another process, or a driver without cuCheckpointProcessLock;
 * ACL_ERROR_SNAPSHOT_LOCK_TIMEOUT 507905: work under way did not end within `PORTACL_SNAPSHOT_TIMEOUT_MS` (10000);
 * ACL_ERROR_SNAPSHOT_LOCK_FAILED 507906: the process is not running, another snapshot call is under way, or the
 * driver refuses; ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return 0;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host
 * function. After a failure the process runs. Thread-safe. Follows cuCheckpointProcessLock, of which the names are
 * aclrtSnapShotProcessLock's in the Ascend runtime API.
 */
aclError aclrtSnapShotProcessLock(int pid,
                                  void *reserve);

/**
 * Lets calls go on, and then calls the functions for ACL_RT_SNAPSHOT_UNLOCK_POST. Any thread may do so.
 *
 * @param pid as for aclrtSnapShotProcessLock.
 * @param reserve must be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000 and ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000 as
 * aclrtSnapShotProcessLock; ACL_ERROR_SNAPSHOT_UNLOCK_FAILED 507907: the process is not locked, or its memory is saved
 * and has not come back, another snapshot call is under way, or the driver refuses;
 * ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return 0, and the process runs;
 * ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows cuCheckpointProcessUnlock.
 */
aclError aclrtSnapShotProcessUnlock(int pid,
                                    void *reserve);

/**
 * Copies what is in the memory of all devices to host memory, and gives the devices' memory back, between the
 * functions for ACL_RT_SNAPSHOT_BACKUP_PRE and ACL_RT_SNAPSHOT_BACKUP_POST. All handles and addresses stay. Managed
 * memory stays where it is on CPUs, and so does that of pools that other processes may have.
 *
 * @param pid as for aclrtSnapShotProcessLock.
 * @param args null, or a structure with `backupFlags` 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `pid` is not above 0, or `backupFlags` is not 0;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another process, memory of this one is exported, or the driver cannot save
 * something (on CUDA managed memory, and memory of other processes); ACL_ERROR_SNAPSHOT_BACKUP_FAILED 507908: the
 * process is not locked, another snapshot call is under way, there is no host memory, or the driver refuses: nothing
 * is saved then, and the process is still locked; ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return
 * 0: before, so that nothing is saved, or after everything was; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host
 * function. Thread-safe.
 * Follows cuCheckpointProcessCheckpoint.
 */
aclError aclrtSnapShotProcessBackup(int pid,
                                    aclrtSnapShotBackupArgs *args);

/**
 * Brings the devices' memory back to where it was, between the functions for ACL_RT_SNAPSHOT_RESTORE_PRE and
 * ACL_RT_SNAPSHOT_RESTORE_POST. The process is locked then.
 *
 * @param pid as for aclrtSnapShotProcessLock.
 * @param args null, or a structure with `restoreFlags` 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `pid` is not above 0, or `restoreFlags` is not 0;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another process; ACL_ERROR_SNAPSHOT_RESTORE_FAILED 507909: nothing is saved,
 * another snapshot call is under way, or there is no memory: it is still saved then;
 * ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return 0: before, so that everything is still saved, or
 * after it has come back; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
 * cuCheckpointProcessRestore.
 */
aclError aclrtSnapShotProcessRestore(int pid,
                                     aclrtSnapShotRestoreArgs *args);

/**
 * Has a function called at a stage of each snapshot, on the thread that makes the snapshot call: once for each
 * device that is in use, with its id, after the functions that were registered before it. If it does not return
 * 0, the call returns ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912; at stages before something (LOCK_PRE, BACKUP_PRE,
 * RESTORE_PRE) no further function is called then, and it does not happen. At ACL_RT_SNAPSHOT_LOCK_PRE and
 * ACL_RT_SNAPSHOT_UNLOCK_POST it may call this library; at the others, while the process is locked, such calls get
 * 107000. Registrations outlive aclFinalize.
 *
 * @param stage when.
 * @param callback the function, which may be registered for several stages.
 * @param args its second argument, which the caller keeps alive; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null function, or no stage;
 * ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED 507913: it is registered for this stage. Thread-safe. Follows
 * aclrtSnapShotCallbackRegister of the Ascend runtime API.
 */
aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage,
                                       aclrtSnapShotCallBack callback,
                                       void *args);

/**
 * Takes back a registration of aclrtSnapShotCallbackRegister. A call in another thread that has begun goes on.
 *
 * @param stage for which it was registered.
 * @param callback the function.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null function, or no stage; ACL_ERROR_RT_PARAM_INVALID 107000: it
 * is not registered for this stage. Thread-safe. Follows aclrtSnapShotCallbackUnregister of the Ascend runtime API.
 */
aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage,
                                         aclrtSnapShotCallBack callback);

/**
 * Marks the moment at which a stream comes to this point with data of the program, which a trace shows as text,
 * or as numbers where it is none. Without profiling nothing is recorded.
 *
 * @param userdata the data, which is read during the call.
 * @param length bytes of it, from 1 to 1024.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or a length out of range;
 * ACL_ERROR_RT_PARAM_INVALID 107000: no stream, destroyed, or called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on
 * another device than the current context. Thread-safe. Follows aclrtProfTrace of the Ascend runtime API; the
 * bound is portacl's own.
 */
aclError aclrtProfTrace(void *userdata,
                        int32_t length,
                        aclrtStream stream);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PORTACL_ACL_RT_H */
