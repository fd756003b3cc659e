/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * The runtime: devices, contexts, streams, events, memory, copies, graphs, kernels.
 *
 * A function that returns aclError returns ACL_SUCCESS 0, or a code that its comment lists. Most can also return
 * ACL_ERROR_BAD_ALLOC 200000 (the host has no memory left), ACL_ERROR_INTERNAL_ERROR 500000 (a defect of portacl), and
 * in a forked child ACL_ERROR_RT_PARAM_INVALID 107000 (its parent has opened a device or started the CUDA driver:
 * docs/compatibility.md). The first call that needs a device opens the backend, and can return the codes of aclInit;
 * the first one of a thread that gets the default device, those of aclrtSetDevice; one that meets a captured stream or
 * event, those of captures (docs/errors.md). aclGetRecentErrMsg returns the text of the failure.
 */

#ifndef PORTACL_ACL_RT_H
#define PORTACL_ACL_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "acl_base.h"
#include "acl_rt_allocator.h"

#define ACL_CONTINUE_ON_FAILURE 0x00000000U /**< After a failure the stream continues. */
#define ACL_DEVICE_FORM_FACTOR_A_K 1 /**< A module of a server with AI chips only. */
#define ACL_DEVICE_FORM_FACTOR_A_X 2 /**< A module of a server that also has other chips. */
#define ACL_DEVICE_FORM_FACTOR_PCIE_CARD 3 /**< A card. */
#define ACL_DEVICE_FORM_FACTOR_POD 0 /**< A part of a pod. */
#define ACL_DEV_FEATURE_NOT_SUPPORT 0x00000000 /**< The device does not have the feature. */
#define ACL_DEV_FEATURE_SUPPORT 0x00000001 /**< The device has the feature. */
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U /**< The host can query and synchronize the event. */
#define ACL_EVENT_DEVICE_USE_ONLY 0x00000010U /**< Only the device uses the event. */
#define ACL_EVENT_EXTERNAL 0x00000020U /**< The event orders a graph relative to work outside of it. */
#define ACL_EVENT_IPC 0x00000040U /**< The event can be shared with other processes. */
#define ACL_EVENT_RECORD_DEFAULT 0x0U /**< A normal record. */
#define ACL_EVENT_RECORD_EXTERNAL 0x01U /**< A record that is visible outside of the graph. */
#define ACL_EVENT_SYNC 0x00000001U /**< Streams can wait for the event. */
#define ACL_EVENT_TIME_LINE 0x00000008U /**< The event has a timestamp. */
#define ACL_EVENT_WAIT_DEFAULT 0x0U /**< A normal wait. */
#define ACL_EVENT_WAIT_EXTERNAL 0x01U /**< A wait for a record outside of the graph. */
#define ACL_HOST_DEVICE_CONNECT_TYPE_HCCS 1 /**< Coherent connection. */
#define ACL_HOST_DEVICE_CONNECT_TYPE_PCIE 0 /**< PCI Express. */
#define ACL_HOST_DEVICE_CONNECT_TYPE_UB 2 /**< Unified bus. */
#define ACL_HOST_REG_IOMEMORY 0x4UL /**< Register memory-mapped registers of another device. */
#define ACL_HOST_REG_MAPPED 0x2UL /**< Register memory and map it for the device. */
#define ACL_HOST_REG_PINNED 0x10000000UL /**< Register memory as page-locked. */
#define ACL_HOST_REG_READONLY 0x8UL /**< Register memory that the device may only read. */
#define ACL_IPC_EVENT_HANDLE_SIZE 64U /**< Size of aclrtIpcEventHandle. */
#define ACL_MAJOR_VERSION 1 /**< First part of the interface's version. */
#define ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY 0x0UL /**< Write a summary of a graph. */
#define ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE 0x1UL /**< Write everything about a graph. */
#define ACL_MINOR_VERSION 17 /**< Second part of the interface's version. */
#define ACL_NOTIFY_DEFAULT 0x00000000U /**< A normal notify. */
#define ACL_NOTIFY_DEVICE_USE_ONLY 0x00000001U /**< A notify for the device only. */
#define ACL_PATCH_VERSION 0 /**< Third part of the interface's version. */
#define ACL_PKG_VERSION_MAX_SIZE 128 /**< Maximum length of a version, including the terminating zero. */
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64 /**< Maximum length of a part of a version, including the terminating zero. */
#define ACL_RT_BINARY_MAGIC_ELF_AICORE 0x43554245U /**< A binary for AI cores. */
#define ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE 0x41494343U /**< A binary for matrix cores. */
#define ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE 0x41415246U /**< A binary for vector cores. */
#define ACL_RT_CMO_MAX_BARRIER_NUM 6U /**< Maximum number of barriers of one wait. */
#define ACL_RT_DEVS_TOPOLOGY_HCCS 0x01ULL /**< Coherent connection. */
#define ACL_RT_DEVS_TOPOLOGY_HCCS_SW 0x40ULL /**< Coherent connection through a switch. */
#define ACL_RT_DEVS_TOPOLOGY_PHB 0x08ULL /**< Through one host bridge. */
#define ACL_RT_DEVS_TOPOLOGY_PIB 0x04ULL /**< Inside one card. */
#define ACL_RT_DEVS_TOPOLOGY_PIX 0x02ULL /**< Through one PCI Express switch. */
#define ACL_RT_DEVS_TOPOLOGY_SIO 0x20ULL /**< Inside one package. */
#define ACL_RT_DEVS_TOPOLOGY_SYS 0x10ULL /**< Between sockets. */
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS 1 /**< Coherent connection. */
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO 0 /**< Inside one package. */
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH 3 /**< Unified bus, through several ports. */
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH 2 /**< Unified bus, through one port. */
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT 0x0UL /**< Only listed processes may open the memory. */

/** All processes of this user that have the key may open the memory. */
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL

#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT 0x0UL /**< Open the memory. */
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x1UL /**< Open the memory, and enable peer access. */
#define ACL_RT_MAX_RECORD_PA_NUM_PER_DEV 20U /**< Maximum number of errors that a device keeps. */
#define ACL_RT_MEM_ATTACH_GLOBAL 0x01U /**< Every stream uses the managed memory. */
#define ACL_RT_MEM_LINK_IDX_0 0U /**< The first connection. */
#define ACL_RT_MEM_LINK_IDX_1 1U /**< The second connection. */
#define ACL_RT_MEM_TYPE_DEV 0x2U /**< Device memory, for aclrtCheckMemType. */
#define ACL_RT_MEM_TYPE_DVPP 0x8U /**< Memory of image and video units, for aclrtCheckMemType. */
#define ACL_RT_MEM_TYPE_RSVD 0x10U /**< Reserved addresses, for aclrtCheckMemType. */
#define ACL_RT_MEM_UCE_INFO_MAX_NUM 20 /**< Maximum number of entries of aclrtMemUceInfoArray. */
#define ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT 0x0UL /**< Only listed processes may open the notify. */

/** All processes of this user that have the key may open the notify. */
#define ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x02UL

#define ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT 0x0UL /**< Open the notify. */
#define ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x02UL /**< The same as ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT. */
#define ACL_RT_VMM_EXPORT_FLAG_DEFAULT 0x0UL /**< Only listed processes may open the physical memory. */

/** All processes of this user that have the number may open the physical memory. */
#define ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL

#define ACL_STOP_ON_FAILURE 0x00000001U /**< After a failure the stream, and all other streams of its context, stop. */
#define ACL_STREAM_CPU_SCHEDULE 0x00000010U /**< The stream is for the device's CPUs. */
#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020U /**< The stream is for the device only. */
#define ACL_STREAM_FAST_LAUNCH 0x00000001U /**< Submitting is fast; has no effect. */
#define ACL_STREAM_FAST_SYNC 0x00000002U /**< Synchronization is fast; has no effect. */
#define ACL_STREAM_HUGE 0x00000008U /**< The stream is long; has no effect. */
#define ACL_STREAM_PERSISTENT 0x00000004U /**< The stream stores its work for a graph. */
#define ACL_STREAM_WAIT_VALUE_AND 0x00000002U /**< Wait until the values have a common bit. */
#define ACL_STREAM_WAIT_VALUE_EQ 0x00000001U /**< Wait until the values are equal. */

/** Wait until the value in memory minus the other, as a signed number, is not negative. */
#define ACL_STREAM_WAIT_VALUE_GEQ 0x00000000U

#define ACL_STREAM_WAIT_VALUE_NOR 0x00000003U /**< Wait until a bit is set in neither value. */
#define MAX_MEM_UCE_INFO_ARRAY_SIZE 128 /**< Maximum number of entries that aclrtGetMemUceInfo returns. */
#define UCE_INFO_RESERVED_SIZE 14 /**< Length of the reserved part of aclrtMemUceInfo. */

/** The component that registers an init or finalize callback. */
typedef enum aclRegisterCallbackType {
    ACL_REG_TYPE_ACL_MODEL = 0, /**< The model layer. */
    ACL_REG_TYPE_ACL_OP_EXECUTOR = 1, /**< The operator execution layer. */
    ACL_REG_TYPE_ACL_OP_CBLAS = 2, /**< The linear algebra layer. */
    ACL_REG_TYPE_ACL_OP_COMPILER = 3, /**< The operator compilation layer. */
    ACL_REG_TYPE_ACL_TDT_CHANNEL = 4, /**< The channels of the data transport. */
    ACL_REG_TYPE_ACL_TDT_QUEUE = 5, /**< The queues of the data transport. */
    ACL_REG_TYPE_ACL_DVPP = 6, /**< The layer for images and video. */
    ACL_REG_TYPE_ACL_RETR = 7, /**< The layer for retrieval. */
    ACL_REG_TYPE_OTHER = 65535, /**< Any other component. */
} aclRegisterCallbackType;

/** Packages with a version. */
typedef enum aclCANNPackageName {
    ACL_PKG_NAME_CANN = 0, /**< All packages together. */
    ACL_PKG_NAME_RUNTIME = 1, /**< The runtime. */
    ACL_PKG_NAME_COMPILER = 2, /**< The compiler. */
    ACL_PKG_NAME_HCCL = 3, /**< Collective communication. */
    ACL_PKG_NAME_TOOLKIT = 4, /**< The tools. */
    ACL_PKG_NAME_OPP = 5, /**< The operators. */
    ACL_PKG_NAME_OPP_KERNEL = 6, /**< The operators' kernels. */
    ACL_PKG_NAME_DRIVER = 7, /**< The driver. */
} aclCANNPackageName;

/** The scope of the last error. */
typedef enum aclrtLastErrLevel {
    ACL_RT_THREAD_LEVEL = 0, /**< The calling thread. */
} aclrtLastErrLevel;

/** Kinds of hardware errors. */
typedef enum aclrtErrorType {
    ACL_RT_NO_ERROR = 0, /**< None. */
    ACL_RT_ERROR_MEMORY = 1, /**< Memory. */
    ACL_RT_ERROR_L2 = 2, /**< Level-2 cache. */
    ACL_RT_ERROR_AICORE = 3, /**< AI core. */
    ACL_RT_ERROR_LINK = 4, /**< Connection. */
    ACL_RT_ERROR_L3_PORT = 5, /**< Port of the level-3 network. */
    ACL_RT_ERROR_OTHERS = 65535, /**< Other errors. */
} aclrtErrorType;

/** Kinds of errors of an AI core. */
typedef enum aclrtAicoreErrorType {
    ACL_RT_AICORE_ERROR_UNKNOWN = 0, /**< Unknown. */
    ACL_RT_AICORE_ERROR_SW = 1, /**< An error of the program. */
    ACL_RT_AICORE_ERROR_HW_LOCAL = 2, /**< An error of the hardware. */
} aclrtAicoreErrorType;

/** Where the program runs. */
typedef enum aclrtRunMode {
    ACL_DEVICE = 0, /**< The program runs on the device itself. */
    ACL_HOST = 1, /**< The program runs on a host that the device is attached to. */
} aclrtRunMode;

/** The task schedulers of a device. */
typedef enum aclrtTsId {
    ACL_TS_ID_AICORE = 0, /**< The task scheduler of the AI cores. */
    ACL_TS_ID_AIVECTOR = 1, /**< The task scheduler of the vector cores. */
    ACL_TS_ID_RESERVED = 2, /**< Not in use. */
} aclrtTsId;

/** The state of a device. */
typedef enum aclrtDeviceStatus {
    ACL_RT_DEVICE_STATUS_NORMAL = 0, /**< It works. */
    ACL_RT_DEVICE_STATUS_ABNORMAL = 1, /**< It has failed. */
    ACL_RT_DEVICE_STATUS_END = 65535, /**< Not a state. */
} aclrtDeviceStatus;

/** The time of a device-state callback. */
typedef enum aclrtDeviceState {
    ACL_RT_DEVICE_STATE_SET_PRE = 0, /**< The call before the device is set. */
    ACL_RT_DEVICE_STATE_SET_POST = 1, /**< The call after the device was set. */
    ACL_RT_DEVICE_STATE_RESET_PRE = 2, /**< The call before the device is reset. */
    ACL_RT_DEVICE_STATE_RESET_POST = 3, /**< The call after the device was reset. */
} aclrtDeviceState;

/** The time of a stream-state callback. */
typedef enum aclrtStreamState {
    ACL_RT_STREAM_STATE_CREATE_POST = 1, /**< The call after the stream's creation. */
    ACL_RT_STREAM_STATE_DESTROY_PRE = 2, /**< The call before the stream's destruction. */
} aclrtStreamState;

/** Limits of a device, in bytes. */
typedef enum aclrtDeviceLimit {
    ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE = 0, /**< Stack of a thread. */
    ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE = 1, /**< Stack of diverged threads. */
    ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE = 2, /**< Stack of a core. */
    ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE = 3, /**< Print buffer of a core. */
    ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE = 4, /**< Print buffer of threads. */
} aclrtDeviceLimit;

/** Attributes of a device. */
typedef enum aclrtDevAttr {
    ACL_DEV_ATTR_AICPU_CORE_NUM = 1, /**< CPUs of the device. */
    ACL_DEV_ATTR_AICORE_CORE_NUM = 101, /**< AI cores. */
    ACL_DEV_ATTR_CUBE_CORE_NUM = 102, /**< Matrix cores. */
    ACL_DEV_ATTR_VECTOR_CORE_NUM = 201, /**< Vector cores. */
    ACL_DEV_ATTR_WARP_SIZE = 202, /**< Threads of a warp, 0 if there are no warps. */
    ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203, /**< Threads of a vector core. */
    ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204, /**< Shared memory of a vector core in bytes. */
    ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE = 204, /**< An older name of ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE. */
    ACL_DEV_ATTR_MAX_GRID_DIM_X = 205, /**< Largest grid, in x. */
    ACL_DEV_ATTR_MAX_GRID_DIM_Y = 206, /**< Largest grid, in y. */
    ACL_DEV_ATTR_MAX_GRID_DIM_Z = 207, /**< Largest grid, in z. */
    ACL_DEV_ATTR_MAX_BLOCK_PER_GRID = 208, /**< Blocks of a grid. */
    ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209, /**< Threads of a block. */
    ACL_DEV_ATTR_MAX_BLOCK_DIM_X = 210, /**< Largest block, in x. */
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Y = 211, /**< Largest block, in y. */
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Z = 212, /**< Largest block, in z. */
    ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301, /**< Memory in bytes. */
    ACL_DEV_ATTR_L2_CACHE_SIZE = 302, /**< Level-2 cache in bytes. */
    ACL_DEV_ATTR_SMP_ID = 401, /**< The system that the device belongs to. */
    ACL_DEV_ATTR_PHY_CHIP_ID = 402, /**< The number of the chip. */
    ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403, /**< The number of the device in its pod. */
    /** The same as ACL_DEV_ATTR_SUPER_POD_DEVICE_ID, as it was misspelt once. */
    ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID = 403,
    ACL_DEV_ATTR_SUPER_POD_SERVER_ID = 404, /**< The number of the server in its pod. */
    ACL_DEV_ATTR_SUPER_POD_ID = 405, /**< The number of the pod. */
    ACL_DEV_ATTR_CUST_OP_PRIVILEGE = 406, /**< Whether user operators may run on the device's CPUs. */
    ACL_DEV_ATTR_MAINBOARD_ID = 407, /**< The kind of main board. */
    ACL_DEV_ATTR_HD_CONNECT_TYPE = 408, /**< How the host is connected: ACL_HOST_DEVICE_CONNECT_TYPE_*. */
    ACL_DEV_ATTR_DEVICE_FORM_FACTOR = 409, /**< The form factor of the device: ACL_DEVICE_FORM_FACTOR_*. */
    ACL_DEV_ATTR_IS_VIRTUAL = 501, /**< 1 if the device is a part of another one. */
    ACL_DEV_ATTR_NPU_ARCH = 601, /**< The number of the architecture. */
} aclrtDevAttr;

/** Features of a device. */
typedef enum aclrtDevFeatureType {
    ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV = 1, /**< Pending kernels can be changed. */
    ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV = 21, /**< Queue events reach other devices. */
} aclrtDevFeatureType;

/** Engines of a device. */
typedef enum aclrtHacType {
    ACL_RT_HAC_TYPE_STARS = 0, /**< The scheduler. */
    ACL_RT_HAC_TYPE_AICPU = 1, /**< CPUs of the device. */
    ACL_RT_HAC_TYPE_AIC = 2, /**< Matrix cores. */
    ACL_RT_HAC_TYPE_AIV = 3, /**< Vector cores. */
    ACL_RT_HAC_TYPE_PCIEDMA = 4, /**< Copies over PCI Express. */
    ACL_RT_HAC_TYPE_RDMA = 5, /**< Copies over a network. */
    ACL_RT_HAC_TYPE_SDMA = 6, /**< Copies inside the system. */
    ACL_RT_HAC_TYPE_DVPP = 7, /**< Images and video. */
    ACL_RT_HAC_TYPE_UDMA = 8, /**< Copies over the unified bus. */
    ACL_RT_HAC_TYPE_CCU = 9, /**< Collective communication. */
} aclrtHacType;

/** Whether an engine can use mapped host memory. */
typedef enum aclrtHostMemMapCapability {
    ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED = 0, /**< It cannot. */
    ACL_RT_HOST_MEM_MAP_SUPPORTED = 1, /**< It can. */
} aclrtHostMemMapCapability;

/** Atomic operations. */
typedef enum aclrtAtomicOperation {
    ACL_RT_ATOMIC_OPERATION_INTEGER_ADD = 0, /**< Adds integers. */
    ACL_RT_ATOMIC_OPERATION_INTEGER_MIN = 1, /**< Keeps the smaller integer. */
    ACL_RT_ATOMIC_OPERATION_INTEGER_MAX = 2, /**< Keeps the larger integer. */
    ACL_RT_ATOMIC_OPERATION_INTEGER_INCREMENT = 3, /**< Increments, and wraps. */
    ACL_RT_ATOMIC_OPERATION_INTEGER_DECREMENT = 4, /**< Decrements, and wraps. */
    ACL_RT_ATOMIC_OPERATION_AND = 5, /**< Bitwise AND. */
    ACL_RT_ATOMIC_OPERATION_OR = 6, /**< Bitwise OR. */
    ACL_RT_ATOMIC_OPERATION_XOR = 7, /**< Bitwise exclusive OR. */
    ACL_RT_ATOMIC_OPERATION_EXCHANGE = 8, /**< Stores a value and returns the old one. */
    ACL_RT_ATOMIC_OPERATION_CAS = 9, /**< Stores a value if the old one equals the expected one (compare-and-swap). */
    ACL_RT_ATOMIC_OPERATION_FLOAT_ADD = 10, /**< Adds floating-point numbers. */
    ACL_RT_ATOMIC_OPERATION_FLOAT_MIN = 11, /**< Keeps the smaller floating-point number. */
    ACL_RT_ATOMIC_OPERATION_FLOAT_MAX = 12, /**< Keeps the larger floating-point number. */
    ACL_RT_ATOMIC_OPERATION_DMA_ADD = 30, /**< Adds while copying. */
    ACL_RT_ATOMIC_OPERATION_DMA_MIN = 31, /**< Keeps the smaller while copying. */
    ACL_RT_ATOMIC_OPERATION_DMA_MAX = 32, /**< Keeps the larger while copying. */
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD = 40, /**< Adds, from the scalar unit of a vector core. */
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MIN = 41, /**< Keeps the smaller, from the scalar unit of a vector core. */
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MAX = 42, /**< Keeps the larger, from the scalar unit of a vector core. */
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS = 43, /**< Compare-and-swap, from the scalar unit of a vector core. */
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH = 44, /**< Exchanges, from the scalar unit of a vector core. */
} aclrtAtomicOperation;

/** The result of aclrtStreamQuery. */
typedef enum aclrtStreamStatus {
    ACL_STREAM_STATUS_COMPLETE = 0, /**< All work is complete. */
    ACL_STREAM_STATUS_NOT_READY = 1, /**< Work is pending. */
    ACL_STREAM_STATUS_RESERVED = 65535, /**< Not a state. */
} aclrtStreamStatus;

/** Attributes of a stream. */
typedef enum aclrtStreamAttr {
    ACL_STREAM_ATTR_FAILURE_MODE = 1, /**< The behaviour after a failure. */
    ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2, /**< Whether overflows are detected. */
    ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3, /**< A user-defined number. */
    ACL_STREAM_ATTR_CACHE_OP_INFO = 4, /**< Whether operator information is stored. */
    ACL_STREAM_ATTR_PRIORITY = 5, /**< The priority. */
} aclrtStreamAttr;

/** Fields of a stream configuration. */
typedef enum aclrtStreamConfigAttr {
    ACL_RT_STREAM_WORK_ADDR_PTR = 0, /**< Working memory: its address. */
    ACL_RT_STREAM_WORK_SIZE = 1, /**< Working memory: its size. */
    ACL_RT_STREAM_FLAG = 2, /**< ACL_STREAM_* flags. */
    ACL_RT_STREAM_PRIORITY = 3, /**< The priority. */
} aclrtStreamConfigAttr;

/** The time of a callback of aclrtDeviceTaskAbort. */
typedef enum aclrtDeviceTaskAbortStage {
    ACL_RT_DEVICE_TASK_ABORT_PRE = 0, /**< The call before the abort. */
    ACL_RT_DEVICE_TASK_ABORT_POST = 1, /**< The call after the abort. */
} aclrtDeviceTaskAbortStage;

/** The result of aclrtQueryEventStatus. Note the numbers: 1 is complete. */
typedef enum aclrtEventRecordedStatus {
    /** The record is not complete or was reset, or the event was never recorded. */
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
    /** The record is complete, or an event of aclrtCreateEventExWithFlag was never recorded. */
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1,
} aclrtEventRecordedStatus;

/** The result of aclrtQueryEvent. */
typedef enum aclrtEventStatus {
    ACL_EVENT_STATUS_COMPLETE = 0, /**< It is complete. */
    ACL_EVENT_STATUS_NOT_READY = 1, /**< It is not complete. */
    ACL_EVENT_STATUS_RESERVED = 2, /**< Not a state. */
} aclrtEventStatus;

/** The result of aclrtQueryEventWaitStatus. */
typedef enum aclrtEventWaitStatus {
    ACL_EVENT_WAIT_STATUS_COMPLETE = 0, /**< All waits are complete. */
    ACL_EVENT_WAIT_STATUS_NOT_READY = 1, /**< A wait is pending. */
    ACL_EVENT_WAIT_STATUS_RESERVED = 65535, /**< Not a state. */
} aclrtEventWaitStatus;

/**
 * Page size policy of an allocation; the last three are bits to add, which have no effect here. Any other number
 * counts as not given: huge pages first from 2 MiB on, normal pages below.
 */
typedef enum aclrtMemMallocPolicy {
    ACL_MEM_MALLOC_HUGE_FIRST = 0, /**< Huge pages if available. */
    ACL_MEM_MALLOC_HUGE_ONLY = 1, /**< Huge pages or a failure. */
    ACL_MEM_MALLOC_NORMAL_ONLY = 2, /**< Normal pages. */
    ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3, /**< The same as ACL_MEM_MALLOC_HUGE_FIRST, for other devices as well. */
    ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4, /**< The same as ACL_MEM_MALLOC_HUGE_ONLY, for other devices as well. */
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5, /**< The same as ACL_MEM_MALLOC_NORMAL_ONLY, for other devices as well. */
    ACL_MEM_MALLOC_HUGE1G_ONLY = 6, /**< Pages of 1 GiB or a failure. */
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7, /**< The same as ACL_MEM_MALLOC_HUGE1G_ONLY, for other devices as well. */
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 256, /**< Added to a policy: from the slower memory. */
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 4096, /**< Added to a policy: from the faster memory. */
    ACL_MEM_ACCESS_USER_SPACE_READONLY = 1048576, /**< Added to a policy: the program may only read it. */
} aclrtMemMallocPolicy;

/** Attributes of an allocation. */
typedef enum aclrtMallocAttrType {
    ACL_RT_MEM_ATTR_RSV = 0, /**< None. */
    ACL_RT_MEM_ATTR_MODULE_ID = 1, /**< The module that counts it; has no effect. */
    ACL_RT_MEM_ATTR_DEVICE_ID = 2, /**< The device. */
    ACL_RT_MEM_ATTR_VA_FLAG = 3, /**< One address for host and device. */
} aclrtMallocAttrType;

/** Kinds of device memory: DDR and HBM, page size, accessible by other devices (P2P) or not. */
typedef enum aclrtMemAttr {
    ACL_DDR_MEM = 0, /**< DDR, all pages. */
    ACL_HBM_MEM = 1, /**< HBM, all pages. */
    ACL_DDR_MEM_HUGE = 2, /**< DDR, huge pages. */
    ACL_DDR_MEM_NORMAL = 3, /**< DDR, normal pages. */
    ACL_HBM_MEM_HUGE = 4, /**< HBM, huge pages. */
    ACL_HBM_MEM_NORMAL = 5, /**< HBM, normal pages. */
    ACL_DDR_MEM_P2P_HUGE = 6, /**< DDR for other devices, huge pages. */
    ACL_DDR_MEM_P2P_NORMAL = 7, /**< DDR for other devices, normal pages. */
    ACL_HBM_MEM_P2P_HUGE = 8, /**< HBM for other devices, huge pages. */
    ACL_HBM_MEM_P2P_NORMAL = 9, /**< HBM for other devices, normal pages. */
    ACL_HBM_MEM_HUGE1G = 10, /**< HBM, pages of 1 GiB. */
    ACL_HBM_MEM_P2P_HUGE1G = 11, /**< HBM for other devices, pages of 1 GiB. */
    ACL_MEM_NORMAL = 12, /**< Any memory, normal pages. */
    ACL_MEM_HUGE = 13, /**< Any memory, huge pages. */
    ACL_MEM_HUGE1G = 14, /**< Any memory, pages of 1 GiB. */
    ACL_MEM_P2P_NORMAL = 15, /**< Any memory for other devices, normal pages. */
    ACL_MEM_P2P_HUGE = 16, /**< Any memory for other devices, huge pages. */
    ACL_MEM_P2P_HUGE1G = 17, /**< Any memory for other devices, pages of 1 GiB. */
} aclrtMemAttr;

/** Kinds of locations of memory. */
typedef enum aclrtMemLocationType {
    ACL_MEM_LOCATION_TYPE_HOST = 0, /**< Page-locked host memory. */
    ACL_MEM_LOCATION_TYPE_DEVICE = 1, /**< Device memory. */
    ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2, /**< Memory that the library does not know. */
    ACL_MEM_LOCATION_TYPE_MANAGED = 3, /**< Managed memory. */
    ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4, /**< A NUMA node of the host. */
} aclrtMemLocationType;

/** How host memory is registered. */
typedef enum aclrtHostRegisterType {
    ACL_HOST_REGISTER_MAPPED = 0, /**< Mapped for the device. */
    ACL_HOST_REGISTER_IOMEMORY = 4, /**< Memory-mapped registers of another device. */
    ACL_HOST_REGISTER_READONLY = 8, /**< The device may only read it. */
} aclrtHostRegisterType;

/** Cache operations. */
typedef enum aclrtCmoType {
    ACL_RT_CMO_TYPE_PREFETCH = 0, /**< Load memory. */
    ACL_RT_CMO_TYPE_WRITEBACK = 1, /**< Write memory back and keep it. */
    ACL_RT_CMO_TYPE_INVALID = 2, /**< Drop cached data. */
    ACL_RT_CMO_TYPE_FLUSH = 3, /**< Write memory back and drop it from the cache. */
} aclrtCmoType;

/** The direction of a copy. */
typedef enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST = 0, /**< Host to host. */
    ACL_MEMCPY_HOST_TO_DEVICE = 1, /**< Host to device. */
    ACL_MEMCPY_DEVICE_TO_HOST = 2, /**< Device to host. */
    ACL_MEMCPY_DEVICE_TO_DEVICE = 3, /**< Device to device, the same or another. */
    ACL_MEMCPY_DEFAULT = 4, /**< Derived from the addresses. */
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5, /**< Host to device; the source can be reused when the call returns. */
    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6, /**< Inside one device. */
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7, /**< From one device to another. */
} aclrtMemcpyKind;

/** The operation of a reduction. */
typedef enum aclrtReduceKind {
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM = 10, /**< Adds. */
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX = 11, /**< Keeps the larger. */
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN = 12, /**< Keeps the smaller. */
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL = 13, /**< Compares. */
} aclrtReduceKind;

/** Distributions of random numbers. */
typedef enum aclrtRandomNumFuncType {
    ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK = 0, /**< A dropout mask. */
    ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS = 1, /**< Uniform. */
    ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS = 2, /**< Normal. */
    ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3, /**< Normal, truncated at a distance from the mean. */
} aclrtRandomNumFuncType;

/** Whether a stream waits for a callback. */
typedef enum aclrtCallbackBlockType {
    ACL_CALLBACK_NO_BLOCK = 0, /**< Later work continues at once. */
    ACL_CALLBACK_BLOCK = 1, /**< Later work waits until the callback has returned. */
} aclrtCallbackBlockType;

/** How physical memory is shared. */
typedef enum aclrtMemHandleType {
    ACL_MEM_HANDLE_TYPE_NONE = 0, /**< The runtime shares it. */
    ACL_MEM_HANDLE_TYPE_POSIX = 2, /**< A file descriptor shares it. */
} aclrtMemHandleType;

/** Kinds of physical memory. */
typedef enum aclrtMemAllocationType {
    ACL_MEM_ALLOCATION_TYPE_PINNED = 0, /**< Pinned: it does not move. */
} aclrtMemAllocationType;

/** The granularity that aclrtMemGetAllocationGranularity returns. */
typedef enum aclrtMemGranularityOptions {
    ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0, /**< The number of bytes of which sizes must be a multiple. */
    ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1, /**< The number of bytes of which sizes should be a multiple. */
    ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 65535, /**< Not an option. */
} aclrtMemGranularityOptions;

/** The access of a location to memory. */
typedef enum aclrtMemAccessFlags {
    ACL_RT_MEM_ACCESS_FLAGS_NONE = 0, /**< No access. */
    ACL_RT_MEM_ACCESS_FLAGS_READ = 1, /**< Read. */
    ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 3, /**< Read and write. */
} aclrtMemAccessFlags;

/** Connections between devices. */
typedef enum aclrtMemLinkType {
    ACL_RT_MEM_ACCESS_LINK_SIO = 0, /**< Inside one package. */
    ACL_RT_MEM_ACCESS_LINK_HCCS = 1, /**< Coherent, between packages. */
    ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH = 2, /**< The unified bus, through one port. */
    ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH = 3, /**< The unified bus, through several ports. */
} aclrtMemLinkType;

/** Advice about managed memory. */
typedef enum aclrtMemManagedAdviseType {
    ACL_MEM_ADVISE_SET_READ_MOSTLY = 0, /**< It is mostly read. */
    ACL_MEM_ADVISE_UNSET_READ_MOSTLY = 1, /**< It is not mostly read. */
    ACL_MEM_ADVISE_SET_PREFERRED_LOCATION = 2, /**< It should be at a location. */
    ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 3, /**< It has no preferred location. */
    ACL_MEM_ADVISE_SET_ACCESSED_BY = 4, /**< A location accesses it. */
    ACL_MEM_ADVISE_UNSET_ACCESSED_BY = 5, /**< A location does not access it. */
} aclrtMemManagedAdviseType;

/** Kinds of locations of managed memory. */
typedef enum aclrtMemManagedLocationType {
    ACL_MEM_LOCATIONTYPE_INVALID = 0, /**< No location. */
    ACL_MEM_LOCATIONTYPE_DEVICE = 1, /**< A device. */
    ACL_MEM_LOCATIONTYPE_HOST = 2, /**< The host. */
    ACL_MEM_LOCATIONTYPE_HOST_NUMA = 3, /**< A NUMA node of the host. */
    ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT = 4, /**< The NUMA node of the calling thread. */
} aclrtMemManagedLocationType;

/** Attributes of a range of managed memory. */
typedef enum aclrtMemManagedRangeAttribute {
    ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1, /**< Whether it is mostly read. */
    /** The preferred location: a device id, -1 for the host, -2 for none. */
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
    ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3, /**< The devices that access it (-1: the host). */
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 4, /**< The kind of the preferred location. */
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 5, /**< The id of the preferred location. */
    /** The location of the latest prefetch: a device id, -1 for the host, -2 for none. */
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 6,
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7, /**< The kind of location of the latest prefetch. */
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8, /**< The id of the location of the latest prefetch. */
} aclrtMemManagedRangeAttribute;

/** Attributes of shared memory. */
typedef enum aclrtIpcMemAttrType {
    ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0, /**< The connection through which it is accessed. */
} aclrtIpcMemAttrType;

/** Kinds of handles for other processes. */
typedef enum aclrtMemSharedHandleType {
    ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 1, /**< A number, on one server. */
    ACL_MEM_SHARE_HANDLE_TYPE_FABRIC = 2, /**< 128 bytes, between servers; here on one server. */
} aclrtMemSharedHandleType;

/** How a record changes the count of a notify. */
typedef enum aclrtCntNotifyRecordMode {
    ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE = 0, /**< Sets it. */
    ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE = 1, /**< Adds to it. */
    ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE = 2, /**< Sets bits in it. */
    ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE = 4, /**< Clears bits in it. */
} aclrtCntNotifyRecordMode;

/** The condition on the count of a notify that ends a wait. */
typedef enum aclrtCntNotifyWaitMode {
    ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE = 0, /**< Less than the value. */
    ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE = 1, /**< The value. */
    ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE = 2, /**< Greater than the value. */
    ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE = 3, /**< Not less than the value. */
    ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE = 4, /**< All bits of the value are set. */
} aclrtCntNotifyWaitMode;

/**
 * The threads on which a capture forbids calls that it cannot record. In every mode no call can wait for captured work
 * or query it.
 */
typedef enum aclmdlRICaptureMode {
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0, /**< All threads, except those that have exchanged their mode. */
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1, /**< The thread that began the capture. */
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2, /**< None. */
} aclmdlRICaptureMode;

/** The state of a capture. */
typedef enum aclmdlRICaptureStatus {
    ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0, /**< The stream is not being captured. */
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1, /**< The stream is being captured. */
    /** The capture is invalid, for example after a forbidden call; it can only be ended. */
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2,
} aclmdlRICaptureStatus;

/** The initial value of a condition. */
typedef enum aclmdlRICondHandleFlag {
    ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT = 1, /**< The default value is assigned at every launch. */
} aclmdlRICondHandleFlag;

/** Kinds of conditional tasks. */
typedef enum aclmdlRICondTaskType {
    ACL_MODEL_RI_COND_TYPE_IF = 0, /**< Runs the first body if the value is not 0, else the second, if there is one. */
    ACL_MODEL_RI_COND_TYPE_WHILE = 1, /**< Runs a body as long as the value is not 0. */
    ACL_MODEL_RI_COND_TYPE_SWITCH = 2, /**< Runs the body with the value as its index, if there is one. */
} aclmdlRICondTaskType;

/** Kinds of tasks of a graph. */
typedef enum aclmdlRITaskType {
    ACL_MODEL_RI_TASK_DEFAULT = 0, /**< A task without parameters. */
    ACL_MODEL_RI_TASK_KERNEL = 1, /**< A kernel. */
    ACL_MODEL_RI_TASK_EVENT_RECORD = 2, /**< The record of an event. */
    ACL_MODEL_RI_TASK_EVENT_WAIT = 3, /**< A wait for an event. */
    ACL_MODEL_RI_TASK_EVENT_RESET = 4, /**< The reset of an event. */
    ACL_MODEL_RI_TASK_VALUE_WRITE = 5, /**< A write of a value. */
    ACL_MODEL_RI_TASK_VALUE_WAIT = 6, /**< A wait for a value. */
} aclmdlRITaskType;

/** Attributes of a launch. */
typedef enum aclrtLaunchKernelAttrId {
    ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1, /**< How blocks are scheduled. */
    /** Dynamic shared memory in bytes, in addition to the kernel's static shared memory. */
    ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,
    ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE = 2, /**< An older name of ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE. */
    ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3, /**< The kind of cores. */
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4, /**< The index of the first block. */
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5, /**< Whether prefetching of the task is disabled. */
    ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6, /**< Whether its data is dumped. */
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7, /**< Timeout in seconds. */
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8, /**< Timeout in microseconds. */
    ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9, /**< Whether it is profiled. */
} aclrtLaunchKernelAttrId;

/** Kinds of cores. */
typedef enum aclrtEngineType {
    ACL_RT_ENGINE_TYPE_AIC = 0, /**< Matrix cores. */
    ACL_RT_ENGINE_TYPE_AIV = 1, /**< Vector cores. */
} aclrtEngineType;

/** How two values are compared. */
typedef enum aclrtCondition {
    ACL_RT_EQUAL = 0, /**< Equal. */
    ACL_RT_NOT_EQUAL = 1, /**< Not equal. */
    ACL_RT_GREATER = 2, /**< The left one is greater. */
    ACL_RT_GREATER_OR_EQUAL = 3, /**< The left one is not less. */
    ACL_RT_LESS = 4, /**< The left one is less. */
    ACL_RT_LESS_OR_EQUAL = 5, /**< The left one is not greater. */
} aclrtCondition;

/** The type of values that are compared. */
typedef enum aclrtCompareDataType {
    ACL_RT_SWITCH_INT32 = 0, /**< 32-bit signed. */
    ACL_RT_SWITCH_INT64 = 1, /**< 64-bit signed. */
} aclrtCompareDataType;

/** Options for loading a kernel binary. */
typedef enum aclrtBinaryLoadOptionType {
    ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1, /**< Load kernels when they are used. */
    ACL_RT_BINARY_LOAD_OPT_MAGIC = 2, /**< The number that identifies the kind of cores. */
    ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2, /**< The same as ACL_RT_BINARY_LOAD_OPT_MAGIC. */
    ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3, /**< How kernels for the device's CPUs are found. */
} aclrtBinaryLoadOptionType;

/** Attributes of a kernel. */
typedef enum aclrtFuncAttribute {
    ACL_FUNC_ATTR_KERNEL_TYPE = 1, /**< Its kind: a number of aclrtKernelType. */
    ACL_FUNC_ATTR_KERNEL_RATIO = 2, /**< Its vector cores for each matrix core. */
    ACL_FUNC_ATTR_KERNEL_SCHED_MODE = 3, /**< How its blocks are scheduled. */
} aclrtFuncAttribute;

/** The kind of a pending task to change. */
typedef enum aclrtUpdateTaskAttrId {
    ACL_RT_UPDATE_RANDOM_TASK = 1, /**< Random numbers. */
    ACL_RT_UPDATE_AIC_AIV_TASK = 2, /**< A kernel. */
} aclrtUpdateTaskAttrId;

/** Types of resource limits. */
typedef enum aclrtDevResLimitType {
    ACL_RT_DEV_RES_CUBE_CORE = 0, /**< Matrix cores. */
    ACL_RT_DEV_RES_VECTOR_CORE = 1, /**< Vector cores. */
} aclrtDevResLimitType;

/** The result of a floating-point overflow. */
typedef enum aclrtFloatOverflowMode {
    ACL_RT_OVERFLOW_MODE_SATURATION = 0, /**< The largest finite number. */
    ACL_RT_OVERFLOW_MODE_INFNAN = 1, /**< An infinity or a NaN. */
    ACL_RT_OVERFLOW_MODE_UNDEF = 2, /**< Not a mode. */
} aclrtFloatOverflowMode;

/** Attributes of a group. */
typedef enum aclrtGroupAttr {
    ACL_GROUP_AICORE_INT = 0, /**< AI cores. */
    ACL_GROUP_AIV_INT = 1, /**< Vector cores. */
    ACL_GROUP_AIC_INT = 2, /**< Threads of the AI CPU. */
    ACL_GROUP_SDMANUM_INT = 3, /**< Copy engines. */
    ACL_GROUP_ASQNUM_INT = 4, /**< Queues that accept work. */
    ACL_GROUP_GROUPID_INT = 5, /**< The id of the group. */
} aclrtGroupAttr;

/** The stage of a snapshot callback. */
typedef enum aclrtSnapShotStage {
    ACL_RT_SNAPSHOT_LOCK_PRE = 0, /**< The call before the process is locked. */
    ACL_RT_SNAPSHOT_BACKUP_PRE = 1, /**< The call before the devices' state is saved. */
    ACL_RT_SNAPSHOT_BACKUP_POST = 2, /**< The call after the devices' state was saved. */
    ACL_RT_SNAPSHOT_RESTORE_PRE = 3, /**< The call before the devices' state is restored. */
    ACL_RT_SNAPSHOT_RESTORE_POST = 4, /**< The call after the devices' state was restored. */
    ACL_RT_SNAPSHOT_UNLOCK_POST = 5, /**< The call after the process was unlocked. */
} aclrtSnapShotStage;

/** Operands and forms of an atomic operation; bits. */
typedef enum aclrtAtomicOperationCapability {
    ACL_RT_ATOMIC_CAPABILITY_SIGNED = 1, /**< Signed numbers. */
    ACL_RT_ATOMIC_CAPABILITY_UNSIGNED = 2, /**< Unsigned numbers. */
    ACL_RT_ATOMIC_CAPABILITY_REDUCTION = 4, /**< Operations that do not return the old value. */
    /** The same as ACL_RT_ATOMIC_CAPABILITY_REDUCTION, as it was misspelt once. */
    ACL_RT_ATOMIC_CAPABILITY_REDUCATION = 4,
    ACL_RT_ATOMIC_CAPABILITY_SCALAR8 = 8, /**< 8 bits. */
    ACL_RT_ATOMIC_CAPABILITY_SCALAR16 = 16, /**< 16 bits. */
    ACL_RT_ATOMIC_CAPABILITY_SCALAR32 = 32, /**< 32 bits. */
    ACL_RT_ATOMIC_CAPABILITY_SCALAR64 = 64, /**< 64 bits. */
    ACL_RT_ATOMIC_CAPABILITY_SCALAR128 = 128, /**< 128 bits. */
    ACL_RT_ATOMIC_CAPABILITY_VECTOR32X4 = 256, /**< Four values of 32 bits. */
} aclrtAtomicOperationCapability;

/** Page sizes. */
typedef enum aclrtMemPgType {
    NORMAL_PAGE_TYPE = 0, /**< Normal. */
    HUGE_PAGE_TYPE = 1, /**< Huge. */
    HUGE1G_PAGE_TYPE = 2, /**< 1 GiB. */
} aclrtMemPgType;

/** Kinds of memory. */
typedef enum aclrtMemType {
    HBM_TYPE = 0, /**< HBM. */
    DDR_TYPE = 1, /**< DDR. */
    P2P_HBM_TYPE = 2, /**< HBM for other devices. */
    P2P_DDR_TYPE = 3, /**< DDR for other devices. */
} aclrtMemType;

/** Kinds of kernels. */
typedef enum aclrtKernelType {
    ACL_KERNEL_TYPE_AICORE = 0, /**< A kernel for AI cores. */
    ACL_KERNEL_TYPE_CUBE = 1, /**< A kernel for matrix cores. */
    ACL_KERNEL_TYPE_VECTOR = 2, /**< A kernel for vector cores. */
    ACL_KERNEL_TYPE_MIX = 3, /**< A kernel for matrix and vector cores together. */
    ACL_KERNEL_TYPE_AICPU = 100, /**< A kernel for the device's CPUs. */
} aclrtKernelType;

/** The state of a process. */
typedef enum aclrtProcessState {
    ACL_RT_PROCESS_STATE_RUNNING = 0, /**< It submits work. */
    ACL_RT_PROCESS_STATE_LOCKED = 1, /**< It is locked for a snapshot. */
} aclrtProcessState;

/** More utilization information; never filled in. */
typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;

/** Information about work that failed on a device, accessed by functions. */
typedef struct rtExceptionInfo rtExceptionInfo;

/** Descriptions of groups, accessed by functions. */
typedef struct tagRtGroupInfo tagRtGroupInfo;

/** Called with the configuration's text, its length, and the caller's argument; 0 is success. */
typedef aclError (*aclInitCallbackFunc)(const char*, size_t, void*);

/** Called with the caller's argument; 0 is success. */
typedef aclError (*aclFinalizeCallbackFunc)(void*);

/** The version of a package as texts. */
typedef struct aclCANNPackageVersion {
    char version[128]; /**< The whole version. */
    char majorVersion[64]; /**< Its first part. */
    char minorVersion[64]; /**< Its second part. */
    char releaseVersion[64]; /**< Its third part. */
    char patchVersion[64]; /**< Its fourth part. */
    char reserved[128]; /**< Reserved. */
} aclCANNPackageVersion;

/** Device memory with an uncorrectable error. */
typedef struct aclrtMemUceInfo {
    void *addr; /**< First byte. */
    size_t len; /**< Size in bytes. */
    size_t reserved[14]; /**< Reserved. */
} aclrtMemUceInfo;

/** Device memory with uncorrectable errors. */
typedef struct aclrtMemUceInfoArray {
    size_t arraySize; /**< Number of entries. */
    aclrtMemUceInfo memUceInfoArray[20]; /**< The entries. */
} aclrtMemUceInfoArray;

/** Details of a hardware error, by its kind. */
typedef union aclrtErrorInfoDetail {
    aclrtMemUceInfoArray uceInfo; /**< The details of a memory error. */
    aclrtAicoreErrorType aicoreErrType; /**< The details of an AI core's error. */
} aclrtErrorInfoDetail;

/** A hardware error. */
typedef struct aclrtErrorInfo {
    uint8_t tryRepair; /**< 1 if aclrtRepairError may repair it. */
    uint8_t hasDetail; /**< 1 if `detail` is filled in. */
    uint8_t reserved[2]; /**< Reserved. */
    aclrtErrorType errorType; /**< Its kind. */
    aclrtErrorInfoDetail detail; /**< Its details. */
} aclrtErrorInfo;

/** Called with a device id, the state, and the caller's argument. */
typedef void (*aclrtDeviceStateCallback)(int32_t, aclrtDeviceState, void*);

/** Called with a stream, its state, and the caller's argument. */
typedef void (*aclrtStreamStateCallback)(aclrtStream, aclrtStreamState, void*);

/** Utilization of a device, in percent. */
typedef struct aclrtUtilizationInfo {
    int32_t cubeUtilization; /**< Matrix units. */
    int32_t vectorUtilization; /**< Vector units. */
    int32_t aicpuUtilization; /**< CPUs of the device. */
    int32_t memoryUtilization; /**< Memory. */
    aclrtUtilizationExtendInfo *utilizationExtend; /**< Must be null. */
} aclrtUtilizationInfo;

/** An identifier that is unique to a device. */
typedef struct aclrtUuid {
    char bytes[16]; /**< The identifier. */
} aclrtUuid;

/** The value of an attribute of a stream. */
typedef union aclrtStreamAttrValue {
    uint64_t failureMode; /**< ACL_CONTINUE_ON_FAILURE or ACL_STOP_ON_FAILURE. */
    uint32_t overflowSwitch; /**< 1 to detect overflows. */
    uint32_t userCustomTag; /**< The user-defined number. */
    uint32_t cacheOpInfoSwitch; /**< 1 to store operator information. */
    uint32_t streamPriority; /**< The priority. */
    uint32_t reserve[4]; /**< Reserved. */
} aclrtStreamAttrValue;

/** The configuration of a stream to create. */
typedef struct aclrtStreamConfigHandle {
    void *workptr; /**< Working memory, or null. */
    size_t workSize; /**< Size of the working memory. */
    size_t flag; /**< ACL_STREAM_* flags. */
    uint32_t priority; /**< The priority. */
} aclrtStreamConfigHandle;

/** Called with a device id, the stage, the timeout, and the caller's argument; 0 is success. */
typedef int32_t (*aclrtDeviceTaskAbortCallback)(int32_t, aclrtDeviceTaskAbortStage, uint32_t, void*);

/** The handle of an event for other processes. */
typedef struct aclrtIpcEventHandle {
    char reserved[64]; /**< Opaque. */
} aclrtIpcEventHandle;

/** The value of an attribute of an allocation. */
typedef union aclrtMallocAttrValue {
    uint16_t moduleId; /**< The module that counts it; has no effect. */
    uint32_t deviceId; /**< The device. */
    uint32_t vaFlag; /**< 1 for one address for host and device. */
    uint8_t rsv[8]; /**< Reserved. */
} aclrtMallocAttrValue;

/** An attribute of an allocation. */
typedef struct aclrtMallocAttribute {
    aclrtMallocAttrType attr; /**< The attribute. */
    aclrtMallocAttrValue value; /**< Its value. */
} aclrtMallocAttribute;

/** Attributes of an allocation. */
typedef struct aclrtMallocConfig {
    aclrtMallocAttribute *attrs; /**< The attributes. */
    size_t numAttrs; /**< Number of attributes. */
} aclrtMallocConfig;

/** Memory in use by one component. */
typedef struct aclrtMemUsageInfo {
    char name[32]; /**< The component. */
    uint64_t curMemSize; /**< Current bytes. */
    uint64_t memPeakSize; /**< Peak bytes. */
    size_t reserved[8]; /**< Reserved. */
} aclrtMemUsageInfo;

/** A location of memory. */
typedef struct aclrtMemLocation {
    uint32_t id; /**< The id of the device, or of the NUMA node. */
    aclrtMemLocationType type; /**< Its kind. */
} aclrtMemLocation;

/** The result of aclrtPointerGetAttributes. */
typedef struct aclrtPtrAttributes {
    aclrtMemLocation location; /**< The location of the address. */
    uint32_t pageSize; /**< Size of its pages in bytes; 0 for memory that is not of this library. */
    uint32_t rsv[4]; /**< Reserved. */
} aclrtPtrAttributes;

/** A barrier for cache operations. */
typedef struct aclrtBarrierCmoInfo {
    aclrtCmoType cmoType; /**< The operation. */
    uint32_t barrierId; /**< Its id. */
} aclrtBarrierCmoInfo;

/** Barriers to wait for. */
typedef struct aclrtBarrierTaskInfo {
    size_t barrierNum; /**< Number of barriers. */
    aclrtBarrierCmoInfo cmoInfo[6]; /**< The barriers. */
} aclrtBarrierTaskInfo;

/** The locations of the copies of a batch. */
typedef struct aclrtMemcpyBatchAttr {
    aclrtMemLocation dstLoc; /**< Location of the destination. */
    aclrtMemLocation srcLoc; /**< Location of the source. */
    uint8_t rsv[16]; /**< Reserved. */
} aclrtMemcpyBatchAttr;

/** A number, or its address in device memory. */
typedef struct aclrtRandomParaInfo {
    uint8_t isAddr; /**< 1 if it is an address. */
    uint8_t valueOrAddr[8]; /**< The bytes of the number or of the address. */
    uint8_t size; /**< Size of the number in bytes. */
    uint8_t rsv[6]; /**< Reserved. */
} aclrtRandomParaInfo;

/** Parameters of a dropout mask. */
typedef struct aclrtDropoutBitmaskInfo {
    aclrtRandomParaInfo dropoutRation; /**< The ratio of dropped elements. */
} aclrtDropoutBitmaskInfo;

/** Parameters of a uniform distribution. */
typedef struct aclrtUniformDisInfo {
    aclrtRandomParaInfo min; /**< The smallest number. */
    aclrtRandomParaInfo max; /**< The upper bound; all numbers are less, unless it equals `min`. */
} aclrtUniformDisInfo;

/** Parameters of a normal distribution. */
typedef struct aclrtNormalDisInfo {
    aclrtRandomParaInfo mean; /**< The mean. */
    aclrtRandomParaInfo stddev; /**< The standard deviation. */
} aclrtNormalDisInfo;

/** A distribution and its parameters. */
typedef struct aclrtRandomNumFuncParaInfo {
    aclrtRandomNumFuncType funcType; /**< The distribution. */
    /** Its parameters. */
    union {
        aclrtDropoutBitmaskInfo dropoutBitmaskInfo; /**< The parameters of a dropout mask. */
        aclrtUniformDisInfo uniformDisInfo; /**< The parameters of a uniform distribution. */
        aclrtNormalDisInfo normalDisInfo; /**< The parameters of a normal distribution, truncated or not. */
    } paramInfo;
} aclrtRandomNumFuncParaInfo;

/** A task that generates random numbers. */
typedef struct aclrtRandomNumTaskInfo {
    aclDataType dataType; /**< The type of the numbers. */
    aclrtRandomNumFuncParaInfo randomNumFuncParaInfo; /**< The distribution. */
    void *randomParaAddr; /**< Reserved. */
    void *randomResultAddr; /**< The destination. */
    void *randomCounterAddr; /**< Device memory with the counter of the generator, or null. */
    aclrtRandomParaInfo randomSeed; /**< The seed. */
    aclrtRandomParaInfo randomNum; /**< The number of random numbers, for a dropout mask of bits. */
    uint8_t rsv[8]; /**< Reserved. */
} aclrtRandomNumTaskInfo;

/** Called in stream order with the caller's argument. */
typedef void (*aclrtHostFunc)(void*);

/** Called with the caller's argument. */
typedef void (*aclrtCallback)(void*);

/** Information about work that failed on a device. */
typedef struct rtExceptionInfo aclrtExceptionInfo;

/** Called when work failed on a device; its argument is valid during the call. */
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo*);

/** A loaded kernel binary. */
typedef void *aclrtBinHandle;

/** Called when a kernel failed, or anything on a GPU, with the caller's argument. */
typedef void (*aclrtOpExceptionCallback)(aclrtExceptionInfo*, void*);

/** A kernel. */
typedef void *aclrtFuncHandle;

/** Properties of physical memory. */
typedef struct aclrtPhysicalMemProp {
    aclrtMemHandleType handleType; /**< How it can be shared. */
    aclrtMemAllocationType allocationType; /**< Must be ACL_MEM_ALLOCATION_TYPE_PINNED. */
    aclrtMemAttr memAttr; /**< The kind of memory. */
    aclrtMemLocation location; /**< The location. */
    uint64_t reserve; /**< Reserved. */
} aclrtPhysicalMemProp;

/** Physical memory. */
typedef void *aclrtDrvMemHandle;

/** The access of a location to memory. */
typedef struct aclrtMemAccessDesc {
    aclrtMemAccessFlags flags; /**< The access. */
    aclrtMemLocation location; /**< The location. */
    uint8_t rsv[12]; /**< Reserved. */
} aclrtMemAccessDesc;

/** A location of managed memory. */
typedef struct aclrtMemManagedLocation {
    aclrtMemManagedLocationType type; /**< Its kind. */
    int32_t id; /**< Its id. */
} aclrtMemManagedLocation;

/** Processes of another server. */
typedef struct aclrtServerPid {
    uint32_t sdid; /**< The device id in the pod of the server. */
    int32_t *pid; /**< The processes. */
    size_t num; /**< Number of entries. */
} aclrtServerPid;

/** A change of the count of a notify. */
typedef struct aclrtCntNotifyRecordInfo {
    aclrtCntNotifyRecordMode mode; /**< The kind of change. */
    uint32_t value; /**< The operand. */
} aclrtCntNotifyRecordInfo;

/** A wait for the count of a notify. */
typedef struct aclrtCntNotifyWaitInfo {
    aclrtCntNotifyWaitMode mode; /**< The condition. */
    uint32_t value; /**< The value to compare the count with. */
    uint32_t timeout; /**< Timeout in seconds; 0 for no timeout. */
    uint8_t isClear; /**< 1 to set the count to 0 afterwards. */
    uint8_t rsv[3]; /**< Reserved. */
} aclrtCntNotifyWaitInfo;

/** A graph. */
typedef void *aclmdlRI;

/** The value of a conditional task. */
typedef void *aclmdlRICondHandle;

/** Parameters of a conditional task. */
typedef struct tagAclmdlRICondTaskParams {
    aclmdlRICondHandle handle; /**< The value. */
    aclmdlRICondTaskType type; /**< The kind. */
    uint32_t size; /**< Number of bodies. */
    aclmdlRI *modelRIArray; /**< The bodies. */
} tagAclmdlRICondTaskParams;

/** Parameters of a conditional task. */
typedef struct tagAclmdlRICondTaskParams aclmdlRICondTaskParams;

/** A 64-bit timeout in microseconds. */
typedef struct aclrtTimeoutUs {
    uint32_t timeoutLow; /**< The lower half. */
    uint32_t timeoutHigh; /**< The upper half. */
} aclrtTimeoutUs;

/** The value of a launch attribute. */
typedef union aclrtLaunchKernelAttrValue {
    uint8_t schemMode; /**< How blocks are scheduled. */
    uint32_t localMemorySize; /**< An older name of dynUBufSize. */
    uint32_t dynUBufSize; /**< Dynamic shared memory in bytes. */
    aclrtEngineType engineType; /**< The kind of cores. */
    uint32_t blockDimOffset; /**< The index of the first block. */
    uint8_t isBlockTaskPrefetch; /**< 1 to disable prefetching. */
    uint8_t isDataDump; /**< 1 to dump data. */
    uint16_t timeout; /**< The timeout in seconds. */
    aclrtTimeoutUs timeoutUs; /**< The timeout in microseconds. */
    uint8_t enableProfiling; /**< 1 to profile. */
    uint32_t rsv[4]; /**< Reserved. */
} aclrtLaunchKernelAttrValue;

/** A launch attribute. */
typedef struct aclrtLaunchKernelAttr {
    aclrtLaunchKernelAttrId id; /**< The attribute. */
    aclrtLaunchKernelAttrValue value; /**< Its value. */
} aclrtLaunchKernelAttr;

/** Attributes of a launch. */
typedef struct aclrtLaunchKernelCfg {
    aclrtLaunchKernelAttr *attrs; /**< The attributes. */
    size_t numAttrs; /**< Number of attributes. */
} aclrtLaunchKernelCfg;

/** Parameters of a kernel. */
typedef struct aclmdlRIKernelTaskParams {
    aclrtFuncHandle funcHandle; /**< The kernel. */
    aclrtLaunchKernelCfg *cfg; /**< Attributes of the launch. */
    void *args; /**< Its arguments. */
    uint32_t isHostArgs; /**< 1 if they are in host memory. */
    size_t argsSize; /**< Their size. */
    uint32_t numBlocks; /**< Number of blocks. */
    uint32_t rsv[10]; /**< Reserved. */
} aclmdlRIKernelTaskParams;

/** Parameters of the record of an event. */
typedef struct aclmdlRIEventRecordTaskParams {
    aclrtEvent event; /**< The event. */
    uint32_t eventFlag; /**< Flags that the event was created with. */
    uint32_t recordFlag; /**< ACL_EVENT_RECORD_* flags. */
} aclmdlRIEventRecordTaskParams;

/** Parameters of a wait for an event. */
typedef struct aclmdlRIEventWaitTaskParams {
    aclrtEvent event; /**< The event. */
    uint32_t eventFlag; /**< Flags that the event was created with. */
    uint32_t waitFlag; /**< ACL_EVENT_WAIT_* flags. */
} aclmdlRIEventWaitTaskParams;

/** Parameters of the reset of an event. */
typedef struct aclmdlRIEventResetTaskParams {
    aclrtEvent event; /**< The event. */
    uint32_t eventFlag; /**< Flags that the event was created with. */
    uint32_t resetFlag; /**< Flags of the reset. */
} aclmdlRIEventResetTaskParams;

/** Parameters of a write of a value. */
typedef struct aclmdlRIValueWriteTaskParams {
    void *devAddr; /**< The address. */
    uint64_t value; /**< The value. */
} aclmdlRIValueWriteTaskParams;

/** Parameters of a wait for a value. */
typedef struct aclmdlRIValueWaitTaskParams {
    void *devAddr; /**< The address. */
    uint64_t value; /**< The value to compare with. */
    uint32_t flag; /**< The comparison, one of ACL_STREAM_WAIT_VALUE_*. */
} aclmdlRIValueWaitTaskParams;

/** Parameters of a task of a graph. */
typedef struct aclmdlRITaskParams {
    aclmdlRITaskType type; /**< Its kind. */
    uint32_t rsv0[3]; /**< Reserved. */
    aclrtTaskGrp taskGrp; /**< The task group of the task, or null. */
    void *opInfoPtr; /**< Information about its operator; null here. */
    size_t opInfoSize; /**< Size of the information. */
    uint8_t rsv1[32]; /**< Reserved. */
    /** Its parameters, by its kind. */
    __extension__ union {
        uint8_t rsv2[128]; /**< Reserved. */
        aclmdlRIKernelTaskParams kernelTaskParams; /**< The parameters of a kernel. */
        aclmdlRIEventRecordTaskParams eventRecordTaskParams; /**< The parameters of the record of an event. */
        aclmdlRIEventWaitTaskParams eventWaitTaskParams; /**< The parameters of a wait for an event. */
        aclmdlRIEventResetTaskParams eventResetTaskParams; /**< The parameters of the reset of an event. */
        aclmdlRIValueWriteTaskParams valueWriteTaskParams; /**< The parameters of a write of a value. */
        aclmdlRIValueWaitTaskParams valueWaitTaskParams; /**< The parameters of a wait for a value. */
    };
} aclmdlRITaskParams;

/** The description of a kernel binary. */
typedef void *aclrtBinary;

/** The value of a load option. */
typedef union aclrtBinaryLoadOptionValue {
    uint32_t isLazyLoad; /**< 1 to load kernels when they are used. */
    uint32_t magic; /**< The kind of binary, one of ACL_RT_BINARY_MAGIC_*. */
    int32_t cpuKernelMode; /**< How kernels for the device's CPUs are found. */
    uint32_t rsv[4]; /**< Reserved. */
} aclrtBinaryLoadOptionValue;

/** An option for loading a kernel binary. */
typedef struct aclrtBinaryLoadOption {
    aclrtBinaryLoadOptionType type; /**< The option. */
    aclrtBinaryLoadOptionValue value; /**< Its value. */
} aclrtBinaryLoadOption;

/** Options for loading a kernel binary. */
typedef struct aclrtBinaryLoadOptions {
    aclrtBinaryLoadOption *options; /**< The options. */
    size_t numOpt; /**< Number of options. */
} aclrtBinaryLoadOptions;

/** An argument list of a kernel. */
typedef void *aclrtArgsHandle;

/** An argument in an argument list. */
typedef void *aclrtParamHandle;

/* CUDA has a dim3 of its own; a program that has another one defines PORTACL_NO_DIM3. */
#if !defined(__CUDACC__) && !defined(PORTACL_NO_DIM3)
/** Number of blocks or threads in each dimension. */
typedef struct dim3 {
    uint32_t x; /**< The number in x. */
    uint32_t y; /**< The number in y. */
    uint32_t z; /**< The number in z. */
} dim3;
#endif

/** New parameters of random numbers. */
typedef struct aclrtRandomTaskUpdateAttr {
    void *srcAddr; /**< Their address in device memory. */
    size_t size; /**< Size in bytes. */
    uint32_t rsv[4]; /**< Reserved. */
} aclrtRandomTaskUpdateAttr;

/** A different kernel for a pending task; addresses in device memory. */
typedef struct aclrtAicAivTaskUpdateAttr {
    void *binHandle; /**< Address of the handle of its binary. */
    void *funcEntryAddr; /**< Address of its entry. */
    void *blockDimAddr; /**< Address of its number of blocks. */
    uint32_t rsv[4]; /**< Reserved. */
} aclrtAicAivTaskUpdateAttr;

/** The new parameters of a pending task. */
typedef union aclrtUpdateTaskAttrVal {
    aclrtRandomTaskUpdateAttr randomTaskAttr; /**< The parameters of random numbers. */
    aclrtAicAivTaskUpdateAttr aicAivTaskAttr; /**< The parameters of a kernel. */
} aclrtUpdateTaskAttrVal;

/** A change of a pending task. */
typedef struct aclrtTaskUpdateInfo {
    aclrtUpdateTaskAttrId id; /**< The kind of task. */
    aclrtUpdateTaskAttrVal val; /**< The new parameters. */
} aclrtTaskUpdateInfo;

/** A placeholder: an argument whose data follows the arguments. */
typedef struct aclrtPlaceHolderInfo {
    uint32_t addrOffset; /**< Offset of the slot for the address of the data. */
    uint32_t dataOffset; /**< Offset of the data. */
} aclrtPlaceHolderInfo;

/** Descriptions of groups. */
typedef struct tagRtGroupInfo aclrtGroupInfo;

/** Options of a backup. */
typedef struct aclrtSnapShotBackupArgs {
    uint32_t backupFlags; /**< Must be 0. */
    char reserved[60]; /**< Reserved. */
} aclrtSnapShotBackupArgs;

/** Options of a restore. */
typedef struct aclrtSnapShotRestoreArgs {
    uint32_t restoreFlags; /**< Must be 0. */
    char reserved[60]; /**< Reserved. */
} aclrtSnapShotRestoreArgs;

/** Called with a device id and the caller's argument; 0 is success. */
typedef uint32_t (*aclrtSnapShotCallBack)(int32_t, void*);

/** Physical memory, for another process; here of the same server. */
typedef struct aclrtMemFabricHandle {
    uint8_t data[128]; /**< Opaque. */
} aclrtMemFabricHandle;

/** A kind of memory, in two notations. */
typedef struct MemAttrMapping {
    uint32_t pgType; /**< Page size: a number of aclrtMemPgType. */
    uint32_t memType; /**< Memory: a number of aclrtMemType. */
    bool isHostAlloc; /**< True for host memory. */
    aclrtMemAttr memAttr; /**< The same as one attribute. */
} MemAttrMapping;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Initializes the library: reads the configuration and opens the backend (`PORTACL_BACKEND`).
 *
 * `configPath` names a JSON file; null, an empty text and a file with `{}` select the defaults. Keys with an effect:
 * `defaultDevice.default_device` (a device id as a string: the device of threads that have not set one) and
 * `err_msg_mode` ("0": each thread gets its own error texts, "1": one text for the process); other keys are accepted
 * and ignored. Thread-safe: of several callers exactly one initializes the library. Calls that need no configuration
 * work without aclInit, with the defaults. Functions of aclInitCallbackRegister are called last.
 *
 * @param configPath zero-terminated path, read during the call only; may be null.
 * @retval ACL_ERROR_REPEAT_INITIALIZE 100002: already initialized (the call is counted; the first configuration
 *     stays).
 * @retval ACL_ERROR_INVALID_FILE 100003: not readable, longer than 1 MiB, or a file that an environment variable names
 *     cannot be opened.
 * @retval ACL_ERROR_BAD_ALLOC 200000: the host has no memory for the file.
 * @retval ACL_ERROR_PARSE_FILE 100006: not a JSON object in UTF-8, or more than 10 objects or 10 arrays deep.
 * @retval ACL_ERROR_INVALID_PARAM 100000: invalid `err_msg_mode` or environment variable.
 * @retval ACL_ERROR_FAILURE 500001: invalid `default_device`, or a function of aclInitCallbackRegister failed.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a variable asks for what the backend or the machine does not have
 *     (docs/configuration.md).
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Follows aclInit of the Ascend runtime API.
 */
aclError aclInit(const char *configPath);

/**
 * Finalizes the library, however often it was initialized: calls the functions of aclFinalizeCallbackRegister, resets
 * every device as aclrtResetDeviceForce does, waits for pending work, frees pinned host memory, and joins the
 * library's threads.
 *
 * Handles and addresses are invalid afterwards, except those that belong to no device or session (docs/failures.md);
 * passing them to a call is an error, never a crash, but to destroy each object once succeeds. aclInit (or
 * aclrtSetDevice) starts a new session. The call waits a bounded time for work and user code that do not end
 * (`PORTACL_FINALIZE_TIMEOUT_MS`, 5000). Returns the first unreported failure of enqueued work, or an error of the
 * driver; the library is finalized anyway. A program may also exit without this call. Thread-safe.
 *
 * @retval ACL_ERROR_REPEAT_FINALIZE 100037: not initialized, or another thread finalizes the library.
 * @retval ACL_ERROR_FAILURE 500001: user code did not return in time: its thread is still running and the library
 *     stays loaded; or a function of aclFinalizeCallbackRegister failed.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015, or another code, such as ACL_ERROR_RT_WAIT_TIMEOUT 107019: work had
 *     failed.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused.
 * @note Follows aclFinalize of the Ascend runtime API.
 */
aclError aclFinalize(void);

/**
 * Undoes one aclInit (repeated calls of aclInit count); the last call finalizes the library as aclFinalize does.
 *
 * @param refCount receives the remaining count, also on failure; may be null.
 * @retval ACL_ERROR_REPEAT_FINALIZE 100037: the count was 0; otherwise the codes of aclFinalize.
 * @note Thread-safe. Follows aclFinalizeReference of the Ascend runtime API.
 */
aclError aclFinalizeReference(uint64_t *refCount);

/**
 * Registers a function that every aclInit calls which initializes the library. If the library is already initialized,
 * the function is called at once.
 *
 * The function gets the text of the configuration file, or `{}` if there is none, its length in bytes without the
 * terminating zero, and `userData`; the text is valid during the call only. Functions are called in the order of their
 * registration, on the thread that calls aclInit (or this function). No lock is held: they may call all functions,
 * including aclInit and this one. Meanwhile the library counts as initialized, and other threads may use it. A
 * function that does not return 0 fails the call: then aclInit finalizes the library again, and this function does not
 * register. A registration stays until it is removed, also through aclFinalize.
 *
 * @param type an aclRegisterCallbackType that names the registering component. Type and function together identify the
 *     registration; the type has no other meaning.
 * @param cbFunc the function; it must not throw.
 * @param userData argument of the callback; may be null. The caller keeps it valid.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null function, or an unknown aclRegisterCallbackType.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: this function is already registered for this type.
 * @retval ACL_ERROR_FAILURE 500001: it was called and did not return 0.
 * @note Thread-safe. Follows aclInitCallbackRegister of the Ascend runtime API.
 */
aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void *userData);

/**
 * Removes a registration of aclInitCallbackRegister. An aclInit that has begun on another thread may still call it.
 *
 * @param type an aclRegisterCallbackType that names the registering component. Type and function together identify the
 *     registration; the type has no other meaning.
 * @param cbFunc the function.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null function, or an unknown aclRegisterCallbackType.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the function is not registered for this type.
 * @note Thread-safe. Follows aclInitCallbackUnRegister of the Ascend runtime API.
 */
aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc);

/**
 * Registers a function that every aclFinalize (or last aclFinalizeReference) calls which finalizes the library.
 *
 * The function gets `userData`. Functions are called in the reverse order of their registration, on the thread that
 * calls aclFinalize, while devices, streams and memory still exist. No lock is held: they may call all functions.
 * Inside them aclInit counts as repeated, and aclFinalize as already called. If a function does not return 0,
 * aclFinalize returns an error after everything is finalized. A registration stays until it is removed, also through
 * aclFinalize.
 *
 * @param type an aclRegisterCallbackType that names the registering component. Type and function together identify the
 *     registration; the type has no other meaning.
 * @param cbFunc the function; it must not throw.
 * @param userData argument of the callback; may be null. The caller keeps it valid.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null function, or an unknown aclRegisterCallbackType.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: this function is already registered for this type.
 * @note Thread-safe. Follows aclFinalizeCallbackRegister of the Ascend runtime API.
 */
aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc, void *userData);

/**
 * Removes a registration of aclFinalizeCallbackRegister. A finalize that has begun on another thread may still call
 * it.
 *
 * @param type an aclRegisterCallbackType that names the registering component. Type and function together identify the
 *     registration; the type has no other meaning.
 * @param cbFunc the function.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null function, or an unknown aclRegisterCallbackType.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the function is not registered for this type.
 * @note Thread-safe. Follows aclFinalizeCallbackUnRegister of the Ascend runtime API.
 */
aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc);

/**
 * Returns the version of the API that this library provides: ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION.
 * Works at any time.
 *
 * @param majorVersion receives the major number.
 * @param minorVersion receives the minor number.
 * @param patchVersion receives the patch number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @note Thread-safe. Follows aclrtGetVersion of the Ascend runtime API.
 */
aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion);

/**
 * Returns the version of a package as texts: the whole version and its parts. All packages have the version of
 * `PORTACL_CANN_VERSION`, or else 8.3.0: the version of the original that programs should see. Works at any time.
 *
 * @param name an aclCANNPackageName.
 * @param version receives zero-terminated texts; `patchVersion`, the fourth part, is empty.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, an unknown package, or the environment variable has an invalid value.
 * @note Thread-safe. Follows aclsysGetCANNVersion of the Ascend runtime API.
 */
aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version);

/**
 * Returns the version of a package as a text, as in "8.3.0"; see aclsysGetCANNVersion. Works at any time.
 *
 * @param pkgName the package, as in "runtime"; all have the same version.
 * @param versionStr receives a zero-terminated text; a buffer of ACL_PKG_VERSION_MAX_SIZE bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, an empty name, or the environment variable
 *     PORTACL_CANN_VERSION has an invalid value.
 * @note Thread-safe. Follows aclsysGetVersionStr of the Ascend runtime API.
 */
aclError aclsysGetVersionStr(char *pkgName, char *versionStr);

/**
 * Returns the version of a package as one number, two decimal digits for each part: 8.3.0 is 80300. The public
 * reference does not specify the original's encoding: only compare such numbers with each other. Works at any time.
 *
 * @param pkgName the package, as in "runtime"; all have the same version, see aclsysGetCANNVersion.
 * @param versionNum receives the number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, an empty name, or the environment variable
 *     PORTACL_CANN_VERSION has an invalid value.
 * @note Thread-safe. Follows aclsysGetVersionNum of the Ascend runtime API.
 */
aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum);

/**
 * Returns whether a program that selects its code by the name of the chip finds the chip that it was built for. Code
 * for Ascend cores runs on no backend; aclrtBinaryLoadFromData describes the binaries that run here. Works at any
 * time.
 *
 * @param socVersion a name as returned by aclrtGetSocName.
 * @param canCompatible receives 1 if it equals the result of aclrtGetSocName, else 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @note Thread-safe. Follows aclrtCheckArchCompatibility of the Ascend runtime API, which compares chips by more than
 *     their names.
 */
aclError aclrtCheckArchCompatibility(const char *socVersion, int32_t *canCompatible);

/**
 * Returns the text of this thread's latest failure (with `err_msg_mode` 1, of any thread's) since the previous call of
 * this function: call, argument, value, bound, and the remedy. Successful calls do not change it. Works at any time,
 * also in a forked child.
 *
 * @return a zero-terminated text, valid until this thread calls the function again; null if there was no failure.
 * @note Thread-safe. Follows aclGetRecentErrMsg of the Ascend runtime API.
 */
const char *aclGetRecentErrMsg(void);

/**
 * Returns the code of this thread's latest failure, 0 if there was none, and clears it. Works at any time.
 *
 * @param level ACL_RT_THREAD_LEVEL.
 * @return the code
 * @retval ACL_ERROR_INVALID_PARAM 100000: another `level`.
 * @note Thread-safe. Follows aclrtGetLastError of the Ascend runtime API.
 */
aclError aclrtGetLastError(aclrtLastErrLevel level);

/**
 * Returns the code of this thread's latest failure, 0 if there was none. Works at any time.
 *
 * @param level ACL_RT_THREAD_LEVEL.
 * @return the code
 * @retval ACL_ERROR_INVALID_PARAM 100000: another `level`.
 * @note Thread-safe. Follows aclrtPeekAtLastError of the Ascend runtime API.
 */
aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/**
 * Returns the hardware error of a device: none (ACL_RT_NO_ERROR) while it works, else ACL_RT_ERROR_AICORE without
 * details, since drivers here report none. Queries the device without waiting for its work.
 *
 * @param deviceId 0 to the number of devices minus 1; a device that is not set has no error.
 * @param errorInfo receives the description; all other members are 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
 * @note Thread-safe. Follows aclrtGetErrorVerbose of the Ascend runtime API.
 */
aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo);

/**
 * Repairs a hardware error of aclrtGetErrorVerbose. Does nothing for a working device; a failed device cannot be
 * repaired in place.
 *
 * @param deviceId 0 to the number of devices minus 1.
 * @param errorInfo the description of aclrtGetErrorVerbose; not read.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the device has failed; it works again in another process.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null; otherwise the codes of aclrtGetErrorVerbose.
 * @note Thread-safe. Follows aclrtRepairError of the Ascend runtime API.
 */
aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo *errorInfo);

/**
 * Lists device memory with uncorrectable errors.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclrtGetMemUceInfo(int32_t deviceId,
                            aclrtMemUceInfo *memUceInfoArray,
                            size_t arraySize,
                            size_t *retSize);

/**
 * Repairs device memory with uncorrectable errors.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray, size_t arraySize);

/**
 * Sets the calling thread's device and makes the device's default context current.
 *
 * The first call in a process opens the device and creates the default context with its default stream, which all
 * threads share. Each successful call increments the reference count of the device, also repeated calls of one thread;
 * aclrtResetDevice decrements it. Cheap if the device is already set. Thread-safe; works before aclInit, and starts a
 * new session after aclFinalize.
 *
 * @param deviceId 0 to the number of devices minus 1.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_INVALID_PARAM 100000: an environment variable has an invalid value.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver refused.
 * @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015: a kernel failed on this GPU before; it works again in another process.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: guard mode without memory files (docs/cpu_devices.md).
 * @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no address space for the device's memory.
 * @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more streams can be created, for the default context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function (except for the thread's device), or
 *     another thread resets the device and may wait for callbacks that only the calling thread runs
 *     (docs/callbacks.md).
 * @note Follows aclrtSetDevice of the Ascend runtime API.
 */
aclError aclrtSetDevice(int32_t deviceId);

/**
 * Decrements the reference count of a device; the last call waits for pending work and releases the device.
 *
 * Callbacks that have not started are dropped, and waits for values and notifies end after a second. Releasing a
 * device destroys its contexts, streams and events and frees its device memory: their handles and addresses are
 * invalid in every thread. To destroy each of the objects once still succeeds: docs/failures.md. Pinned host memory
 * stays. Returns the first unreported failure of its work, or an error of the driver; the device is released anyway.
 * Thread-safe. Returns 107000 inside a callback of the program if it could wait forever: docs/callbacks.md.
 *
 * @param deviceId a device that is set.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, called inside a host function, or another thread
 *     resets the device and may wait for callbacks that only the calling thread runs (docs/callbacks.md).
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015, or another code, such as ACL_ERROR_RT_WAIT_TIMEOUT 107019: work had
 *     failed.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused.
 * @note Follows aclrtResetDevice of the Ascend runtime API.
 */
aclError aclrtResetDevice(int32_t deviceId);

/**
 * Releases a device whatever its reference count is, after waiting for pending work. Returns 107000 inside a callback
 * of the program if it could wait forever: docs/callbacks.md.
 *
 * @param deviceId a device that is set, or that aclrtCreateContext has opened.
 * @return the codes of aclrtResetDevice.
 * @note Thread-safe. Follows aclrtResetDeviceForce of the Ascend runtime API.
 */
aclError aclrtResetDeviceForce(int32_t deviceId);

/**
 * Returns the device of the calling thread's current context.
 *
 * @param deviceId receives the id.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current context (programs test for this value to detect
 *     that no device is set).
 * @note Thread-safe. Follows aclrtGetDevice of the Ascend runtime API.
 */
aclError aclrtGetDevice(int32_t *deviceId);

/**
 * Returns the number of devices. Works at any time, also before aclInit and after aclFinalize.
 *
 * A process that has only counted may fork, and its children open devices. On GPUs this holds where NVML can count:
 * not with MIG, and not if CUDA_VISIBLE_DEVICES has something else than different numbers of devices. Other queries of
 * devices start the CUDA driver, which does not work in forked children from then on: make them in the children, or
 * start new programs.
 *
 * @param count receives the number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has an invalid value.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device (the text gives the reason).
 * @note Thread-safe. Follows aclrtGetDeviceCount of the Ascend runtime API.
 */
aclError aclrtGetDeviceCount(uint32_t *count);

/**
 * Waits until all work enqueued on the current context's device is complete, in all its streams. Returns 107000 inside
 * a callback of the program if it could wait forever: docs/callbacks.md. No cancellation point: a thread that is
 * cancelled (pthread_cancel) while it waits ends after the call.
 *
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_STREAM_ABORT 107023, ACL_ERROR_RT_DEVICE_TASK_ABORT 107022: aclrtStreamAbort or
 *     aclrtDeviceTaskAbort dropped work during the call; or the first unreported failure of enqueued work. If several
 *     streams failed, each call returns one failure.
 * @note Thread-safe. Follows aclrtSynchronizeDevice of the Ascend runtime API.
 */
aclError aclrtSynchronizeDevice(void);

/**
 * Waits for a device as aclrtSynchronizeDevice, with a timeout. A timeout cancels nothing: the work continues. Returns
 * 107000 inside a callback of the program if it could wait forever: docs/callbacks.md.
 *
 * @param timeout milliseconds, greater than 0, or -1 to wait forever.
 * @return the codes of aclrtSynchronizeDevice
 * @retval ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046: not complete within the timeout.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: also for any other timeout.
 * @note Thread-safe. Follows aclrtSynchronizeDeviceWithTimeout of the Ascend runtime API.
 */
aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/**
 * Returns where the program runs relative to the device: always ACL_HOST. Works at any time.
 *
 * @param runMode receives an aclrtRunMode.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @note Thread-safe. Follows aclrtGetRunMode of the Ascend runtime API.
 */
aclError aclrtGetRunMode(aclrtRunMode *runMode);

/**
 * Selects the task scheduler for later work of this thread. There is only the scheduler of the AI cores. Works at any
 * time.
 *
 * @param tsId ACL_TS_ID_AICORE.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: ACL_TS_ID_AIVECTOR.
 * @retval ACL_ERROR_INVALID_PARAM 100000: another number.
 * @note Thread-safe. Follows aclrtSetTsDevice of the Ascend runtime API.
 */
aclError aclrtSetTsDevice(aclrtTsId tsId);

/**
 * Returns whether a device works normally. A device that is not in use counts as normal. Queries the device without
 * waiting for its work.
 *
 * @param deviceId 0 to the number of devices minus 1.
 * @param deviceStatus receives ACL_RT_DEVICE_STATUS_NORMAL, or ACL_RT_DEVICE_STATUS_ABNORMAL for a failed device,
 *     which no call repairs: start another process.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
 * @note Thread-safe. Follows aclrtQueryDeviceStatus of the Ascend runtime API.
 */
aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus);

/**
 * Registers a callback that is called when devices are opened and released, on the thread that does it. No lock is
 * held.
 *
 * The callback gets the device id, a state, and `args`. ACL_RT_DEVICE_STATE_SET_PRE: a call is about to open a closed
 * device; _SET_POST: the device is open, and its default stream exists. A repeated aclrtSetDevice, which only counts,
 * is not reported. _RESET_PRE: a call is about to release the device, which still works; _RESET_POST: the device is
 * released. aclFinalize releases all devices. A _PRE without its _POST means that the call failed or that another
 * thread changed the state in between. The callback may call all functions; devices that it opens and releases itself
 * are not reported. The registration stays until it is removed, also through aclFinalize.
 *
 * @param regName zero-terminated name of the registration.
 * @param callback the callback, which must not throw; null removes the registration of that name (a running call on
 *     another thread continues).
 * @param args argument of the callback; may be null. The caller keeps it valid.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `regName` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the name is already registered, or `callback` is null and the name is not
 *     registered.
 * @note Thread-safe. Follows aclrtRegDeviceStateCallback of the Ascend runtime API.
 */
aclError aclrtRegDeviceStateCallback(const char *regName, aclrtDeviceStateCallback callback, void *args);

/**
 * Registers a callback that is called after the creation of every stream and before its destruction, including default
 * streams, on the thread that creates or destroys it. No lock is held.
 *
 * The callback gets the stream, a state, and `args`. ACL_RT_STREAM_STATE_CREATE_POST: the stream exists and can be
 * used. ACL_RT_STREAM_STATE_DESTROY_PRE: the stream still exists, and its pending work may not be complete; called
 * from aclrtDestroyStream, aclrtDestroyStreamForce, the destruction of its context, a reset of its device, or
 * aclFinalize, once, except if another thread keeps the device from a reset that was reported. If a stream is created
 * while another thread resets its device, its destruction may be reported when it is over, and before its creation.
 * Destruction is also reported for streams created before the registration. The callback may call all functions;
 * streams that it creates and destroys itself are not reported. The registration stays until it is removed, also
 * through aclFinalize.
 *
 * @param regName zero-terminated name of the registration.
 * @param callback the callback, which must not throw; null removes the registration of that name (a running call on
 *     another thread continues).
 * @param args argument of the callback; may be null. The caller keeps it valid.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `regName` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the name is already registered, or `callback` is null and the name is not
 *     registered.
 * @note Thread-safe. Follows aclrtRegStreamStateCallback of the Ascend runtime API.
 */
aclError aclrtRegStreamStateCallback(const char *regName, aclrtStreamStateCallback callback, void *args);

/**
 * Returns a limit of the current device, as set by aclrtDeviceSetLimit since the device was opened.
 *
 * @param limit an aclrtDeviceLimit.
 * @param value receives the bytes that were set, 0 if none were; the backend chooses the real sizes in either case.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown limit; otherwise the codes of aclrtDeviceSetLimit.
 * @note Thread-safe. Follows aclrtDeviceGetLimit of the Ascend runtime API.
 */
aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t *value);

/**
 * Sets a limit of the current device: sizes of stacks and of print buffers of kernels. The value is stored until the
 * device is reset, and has no effect: the backend determines the size of stacks.
 *
 * @param limit an aclrtDeviceLimit.
 * @param value bytes, any number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: an unknown limit.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtDeviceSetLimit of the Ascend runtime API.
 */
aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value);

/**
 * Returns an attribute of a device. The device need not be set.
 *
 * - Cores: ACL_DEV_ATTR_AICORE_CORE_NUM and ACL_DEV_ATTR_CUBE_CORE_NUM are the number of the GPU's multiprocessors, or
 *   of the CPU cores that serve the device; ACL_DEV_ATTR_VECTOR_CORE_NUM is twice that number, or the same number for
 *   processors with one vector core each (docs/configuration.md). None of them is 0. ACL_DEV_ATTR_AICPU_CORE_NUM is
 *   the number of CPU cores, 0 on a GPU.
 * - Threads (202 to 212): the GPU's limits; the limits of one core are divided between its vector cores. 0 on the CPU.
 * - Memory: ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE and ACL_DEV_ATTR_L2_CACHE_SIZE in bytes. On the CPU the latter is the
 *   level-2 cache of one core, 0 if the system does not report it.
 * - Location: ACL_DEV_ATTR_PHY_CHIP_ID and ACL_DEV_ATTR_SUPER_POD_DEVICE_ID are the device's physical id; the other
 *   ids (401, 404, 405, 407) are 0. The device is a card (409) on PCI Express (408).
 * - ACL_DEV_ATTR_CUST_OP_PRIVILEGE and ACL_DEV_ATTR_IS_VIRTUAL are 0. ACL_DEV_ATTR_NPU_ARCH is the architecture of the
 *   processor that aclrtGetSocName returns, 0 if it is unknown.
 *
 * @param deviceId 0 to the number of devices minus 1.
 * @param attr an aclrtDevAttr.
 * @param value receives the number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or not an aclrtDevAttr.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
 * @note Thread-safe. Follows aclrtGetDeviceInfo of the Ascend runtime API.
 */
aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value);

/**
 * Returns whether a device has a feature. The features of aclrtDevFeatureType do not exist here, so the result is
 * always ACL_DEV_FEATURE_NOT_SUPPORT.
 *
 * @param deviceId 0 to the number of devices minus 1; the device need not be set.
 * @param devFeatureType an aclrtDevFeatureType.
 * @param value receives ACL_DEV_FEATURE_NOT_SUPPORT 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or not an aclrtDevFeatureType.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
 * @note Thread-safe. Follows aclrtGetDeviceCapability of the Ascend runtime API.
 */
aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t *value);

/**
 * Returns the utilization of a device, in percent.
 *
 * Cores on the CPU backend: the share of time in which at least one thread ran operations of the device, since the
 * previous call for the device in this process, or since it was set if that was later; 0 for a device that is not set.
 * Operations of at most 64 KiB that run inside the submitting call do not count, and neither do synchronous copies of
 * rows and batches, host functions and tasks. Cores on CUDA: the share of the last second, or of a part of it, in
 * which a kernel of any process ran, as NVML (libnvidia-ml.so.1, part of the driver) reports it. All three kinds of
 * cores have the same number, because one kind does the work of all. Memory: the share of the total that is not free
 * (aclrtGetMemInfo), rounded up; 0 for a device that is not set.
 *
 * @param deviceId 0 to the number of devices minus 1.
 * @param utilizationInfo receives the four numbers, each 0 to 100; its utilizationExtend must be null.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or utilizationExtend is not.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: on CUDA, if NVML is missing, does not start, or has no value for
 *     the device (for example a MIG instance).
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
 * @note Thread-safe. Follows aclrtGetDeviceUtilizationRate of the Ascend runtime API.
 */
aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo);

/**
 * Returns how two devices are connected: always ACL_RT_DEVS_TOPOLOGY_PHB, because all devices belong to one host;
 * finer topologies are not detected.
 *
 * @param deviceId 0 to the number of devices minus 1.
 * @param otherDeviceId another device.
 * @param value receives ACL_RT_DEVS_TOPOLOGY_PHB.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or both devices are the same.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
 * @note Thread-safe. Follows aclrtGetDevicesTopo of the Ascend runtime API.
 */
aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t *value);

/**
 * Returns the 16-byte UUID of a device. It is the same in every process, and unique to the device. On the CPU it is
 * derived from the machine's identity (`/etc/machine-id`, or else its name) and the logical id of the device, as a
 * UUID of version 8. A container counts as a separate machine if it has its own identity.
 *
 * @param deviceId 0 to the number of devices minus 1; the device need not be set.
 * @param uuid receives the bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver is too old.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
 * @note Thread-safe. Follows aclrtDeviceGetUuid of the Ascend runtime API.
 */
aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid);

/**
 * Returns the device's PCI address, as in `0000:3b:00.0` (hexadecimal, lower case, as the kernel writes it). CPU
 * devices are not on a bus; they have addresses in the domain ffff, which no machine uses, so programs can
 * distinguish devices by address.
 *
 * @param deviceId 0 to the number of devices minus 1; the device need not be set.
 * @param pciBusId receives the text and a terminating zero.
 * @param len size of `pciBusId` in bytes: 13 are enough, or 17 if a bridge has domains of more than 16 bits.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or `len` is too small.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not report it.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
 * @note Thread-safe. Follows aclrtDeviceGetPCIBusId of the Ascend runtime API.
 */
aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char *pciBusId, int32_t len);

/**
 * Returns the device with a PCI address.
 *
 * @param pciBusId zero-terminated `[domain:]bus:device[.function]` in hexadecimal, upper or lower case; omitted parts
 *     are 0.
 * @param deviceId receives the id.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or not an address in this form.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no device of this process has this address.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
 * @note Thread-safe. Follows aclrtDeviceGetByPCIBusId of the Ascend runtime API.
 */
aclError aclrtDeviceGetByPCIBusId(const char *pciBusId, int32_t *deviceId);

/**
 * Returns the process id that other processes pass to share memory with this one: the id in this process's pid
 * namespace. Works at any time.
 *
 * @param pid receives the id.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @note Thread-safe. Follows aclrtDeviceGetBareTgid of the Ascend runtime API, which returns the host's id also inside
 *     a container.
 */
aclError aclrtDeviceGetBareTgid(int32_t *pid);

/**
 * Returns the lowest and the highest stream priority of the current device; smaller numbers are higher priorities.
 *
 * @param leastPriority receives the largest number.
 * @param greatestPriority receives the smallest number, 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclrtDeviceGetStreamPriorityRange of the Ascend runtime API.
 */
aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority, int32_t *greatestPriority);

/**
 * Returns the number of the last task that this thread submitted: its position in its stream, from 1 on. Exception
 * callbacks identify tasks by the same numbers. Calls that submit nothing, or fail, do not change the number, except
 * that a wait or a prefetch with nothing to do may count as the latest task of its stream.
 *
 * @param taskId receives the number; 0 if this thread has not submitted anything.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @note Thread-safe. Follows aclrtGetThreadLastTaskId of the Ascend runtime API.
 */
aclError aclrtGetThreadLastTaskId(uint32_t *taskId);

/**
 * Returns whether an engine of a device can use mapped host memory (aclrtHostRegister, aclrtMallocHost). Kernels
 * (ACL_RT_HAC_TYPE_AIC and _AIV) and copies (_PCIEDMA and _SDMA) can; the other engines do not exist here.
 *
 * @param deviceId 0 to the number of devices minus 1; the device need not be set.
 * @param hacType an aclrtHacType.
 * @param capabilities receives ACL_RT_HOST_MEM_MAP_SUPPORTED or ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown engine.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
 * @note Thread-safe. Follows aclrtHostMemMapCapabilities of the Ascend runtime API.
 */
aclError aclrtHostMemMapCapabilities(uint32_t deviceId,
                                     aclrtHacType hacType,
                                     aclrtHostMemMapCapability *capabilities);

/**
 * Returns the logical id of a device from its user id.
 *
 * User ids count the devices of this process, as most calls take them. Logical ids count the devices of the machine or
 * container, of which `ASCEND_RT_VISIBLE_DEVICES` may select some. Physical ids, those of the hardware, equal the
 * logical ids here. Works at any time.
 *
 * @param userDevid 0 to the result of aclrtGetDeviceCount minus 1.
 * @param logicDevId receives the id.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has an invalid value.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
 * @note Thread-safe. Follows aclrtGetLogicDevIdByUserDevId of the Ascend runtime API.
 */
aclError aclrtGetLogicDevIdByUserDevId(int32_t userDevid, int32_t *logicDevId);

/**
 * Returns the user id of a device from its logical id.
 *
 * User ids count the devices of this process, as most calls take them. Logical ids count the devices of the machine or
 * container, of which `ASCEND_RT_VISIBLE_DEVICES` may select some. Physical ids, those of the hardware, equal the
 * logical ids here. Works at any time.
 *
 * @param logicDevId 0 to the number of the machine's devices minus 1.
 * @param userDevid receives the id.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has an invalid value.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device, or this process does not use it.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
 * @note Thread-safe. Follows aclrtGetUserDevIdByLogicDevId of the Ascend runtime API.
 */
aclError aclrtGetUserDevIdByLogicDevId(int32_t logicDevId, int32_t *userDevid);

/**
 * Returns the logical id of a device from its physical id.
 *
 * User ids count the devices of this process, as most calls take them. Logical ids count the devices of the machine or
 * container, of which `ASCEND_RT_VISIBLE_DEVICES` may select some. Physical ids, those of the hardware, equal the
 * logical ids here. Works at any time.
 *
 * @param phyDevId 0 to the number of the machine's devices minus 1.
 * @param logicDevId receives the id.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has an invalid value.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
 * @note Thread-safe. Follows aclrtGetLogicDevIdByPhyDevId of the Ascend runtime API.
 */
aclError aclrtGetLogicDevIdByPhyDevId(int32_t phyDevId, int32_t *logicDevId);

/**
 * Returns the physical id of a device from its logical id.
 *
 * User ids count the devices of this process, as most calls take them. Logical ids count the devices of the machine or
 * container, of which `ASCEND_RT_VISIBLE_DEVICES` may select some. Physical ids, those of the hardware, equal the
 * logical ids here. Works at any time.
 *
 * @param logicDevId 0 to the number of the machine's devices minus 1.
 * @param phyDevId receives the id.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has an invalid value.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
 * @note Thread-safe. Follows aclrtGetPhyDevIdByLogicDevId of the Ascend runtime API.
 */
aclError aclrtGetPhyDevIdByLogicDevId(int32_t logicDevId, int32_t *phyDevId);

/**
 * Returns the physical id of a device from its user id.
 *
 * User ids count the devices of this process, as most calls take them. Logical ids count the devices of the machine or
 * container, of which `ASCEND_RT_VISIBLE_DEVICES` may select some. Physical ids, those of the hardware, equal the
 * logical ids here. Works at any time.
 *
 * @param userDevId 0 to the result of aclrtGetDeviceCount minus 1.
 * @param phyDevId receives the id.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has an invalid value.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
 * @note Thread-safe. Follows aclrtGetPhyDevIdByUserDevId of the Ascend runtime API.
 */
aclError aclrtGetPhyDevIdByUserDevId(int32_t userDevId, int32_t *phyDevId);

/**
 * Returns the user id of a device from its physical id.
 *
 * User ids count the devices of this process, as most calls take them. Logical ids count the devices of the machine or
 * container, of which `ASCEND_RT_VISIBLE_DEVICES` may select some. Physical ids, those of the hardware, equal the
 * logical ids here. Works at any time.
 *
 * @param phyDevId 0 to the number of the machine's devices minus 1.
 * @param userDevId receives the id.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an environment variable has an invalid value.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device, or this process does not use it.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
 * @note Thread-safe. Follows aclrtGetUserDevIdByPhyDevId of the Ascend runtime API.
 */
aclError aclrtGetUserDevIdByPhyDevId(int32_t phyDevId, int32_t *userDevId);

/**
 * Returns which atomic operations kernels of a device can do on mapped host memory. For a GPU the driver reports them;
 * on CPUs they are the processor's operations or loops around a compare-and-swap. Operations of copy engines (_DMA_)
 * and of vector units (_SIMD_) are not available.
 *
 * @param capabilities receives bits of aclrtAtomicOperationCapability for each operation, 0 if it is not available.
 * @param operations the operations, values of aclrtAtomicOperation.
 * @param count number of operations, at least 1.
 * @param deviceId 0 to the number of devices minus 1; the device need not be set.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, `count` is 0, or an unknown operation.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not report them (before CUDA 13).
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
 * @note Thread-safe. Follows aclrtDeviceGetHostAtomicCapabilities of the Ascend runtime API.
 */
aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t *capabilities,
                                              const aclrtAtomicOperation *operations,
                                              uint32_t count,
                                              int32_t deviceId);

/**
 * Returns which atomic operations kernels of a device can do on memory on another device. For a GPU the driver reports
 * them; on CPUs they are the processor's operations or loops around a compare-and-swap. Operations of copy engines
 * (_DMA_) and of vector units (_SIMD_) are not available.
 *
 * @param capabilities receives bits of aclrtAtomicOperationCapability for each operation, 0 if it is not available.
 * @param operations the operations, values of aclrtAtomicOperation.
 * @param count number of operations, at least 1.
 * @param srcDeviceId the device that runs the kernel, 0 to the number of devices minus 1; it need not be set.
 * @param dstDeviceId the device that has the memory, different from `srcDeviceId`.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, `count` is 0, an unknown operation, or both devices are the same.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not report them (before CUDA 13).
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
 * @note Thread-safe. Follows aclrtDeviceGetP2PAtomicCapabilities of the Ascend runtime API.
 */
aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t *capabilities,
                                             const aclrtAtomicOperation *operations,
                                             uint32_t count,
                                             int32_t srcDeviceId,
                                             int32_t dstDeviceId);

/**
 * Returns whether a device can access the memory on another device directly. CPU devices always can. Copies between
 * devices work in any case.
 *
 * @param canAccessPeer receives 1 or 0.
 * @param deviceId the accessing device; it need not be set.
 * @param peerDeviceId the device that has the memory, different from `deviceId`.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or both devices are the same.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
 * @note Thread-safe. Follows aclrtDeviceCanAccessPeer of the Ascend runtime API.
 */
aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId);

/**
 * Enables direct access of the current device to the memory of a peer: in this direction, for all threads and streams,
 * until aclrtDeviceDisablePeerAccess or until one of the two devices is reset. A repeated call has no effect. The peer
 * need not be set. Copies between devices work without it; on GPUs they are faster with it, and kernels need it.
 *
 * @param peerDeviceId a device other than the current one.
 * @param flags must be 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `flags` is not 0.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the current device itself, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the devices do not support it (aclrtDeviceCanAccessPeer returns 0).
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Follows aclrtDeviceEnablePeerAccess of the Ascend runtime API.
 */
aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);

/**
 * Disables peer access of the current device (aclrtDeviceEnablePeerAccess). No effect if it is not enabled.
 *
 * @param peerDeviceId a device other than the current one.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the current device itself, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Follows aclrtDeviceDisablePeerAccess of the Ascend runtime API.
 */
aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/**
 * Returns whether peer access (aclrtDeviceEnablePeerAccess) is enabled from one device to another.
 *
 * @param deviceId the accessing device; a device that is not set has no access.
 * @param peerDeviceId the device that has the memory, different from `deviceId`.
 * @param status receives 1 or 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or both devices are the same.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
 * @note Thread-safe. Follows aclrtDevicePeerAccessStatus of the Ascend runtime API.
 */
aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t *status);

/**
 * Creates a context of a device with its own default stream, and makes it current on the calling thread. If the device
 * is not open, the call opens it, with its default context; the reference count of the device does not change.
 *
 * @param context receives the handle; the caller destroys it with aclrtDestroyContext.
 * @param deviceId 0 to the number of devices minus 1.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_BAD_ALLOC 200000 or ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more can be created.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused; if the call opens the device, also the other
 *     codes of aclrtSetDevice.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function, or another thread resets the
 *     device and may wait for callbacks that only the calling thread runs (docs/callbacks.md).
 * @note Thread-safe. Follows aclrtCreateContext of the Ascend runtime API.
 */
aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId);

/**
 * Waits for the streams of a context, destroys them and the context. Threads whose current context it was have no
 * current context afterwards. Returns the first unreported failure of the streams' work, or an error of the driver;
 * the context is destroyed anyway. Returns 107000 inside a callback of the program if it could wait forever:
 * docs/callbacks.md. If the context was already released with its device, the first call succeeds and does nothing:
 * docs/failures.md.
 *
 * @param context from aclrtCreateContext; a default context is released with its device.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: a default context, not a context, already destroyed, or called inside a
 *     host function.
 * @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015, or another code, such as ACL_ERROR_RT_WAIT_TIMEOUT 107019: work had
 *     failed.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused.
 * @note Thread-safe. Follows aclrtDestroyContext of the Ascend runtime API.
 */
aclError aclrtDestroyContext(aclrtContext context);

/**
 * Makes a context current on the calling thread, which also selects its device. A context may be current on several
 * threads.
 *
 * @param context a live context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a context, destroyed, or released with its device.
 * @note Thread-safe. Follows aclrtSetCurrentContext of the Ascend runtime API.
 */
aclError aclrtSetCurrentContext(aclrtContext context);

/**
 * Returns the current context of the calling thread.
 *
 * @param context receives the handle; the library keeps ownership.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: there is no current context.
 * @note Thread-safe. Follows aclrtGetCurrentContext of the Ascend runtime API.
 */
aclError aclrtGetCurrentContext(aclrtContext *context);

/**
 * Returns the default stream of the current context, which a null stream stands for.
 *
 * @param stream receives the handle; it belongs to the context and cannot be destroyed.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtCtxGetCurrentDefaultStream of the Ascend runtime API.
 */
aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream);

/**
 * Returns whether the default context of a device exists: from its first aclrtSetDevice or aclrtCreateContext until
 * the device is released.
 *
 * @param deviceId 0 to the number of devices minus 1.
 * @param flags must be null.
 * @param active receives 1 or 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `active` is null, or `flags` is not.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
 * @note Thread-safe. Follows aclrtGetPrimaryCtxState of the Ascend runtime API.
 */
aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active);

/**
 * Sets an option of the current context: a number for libraries above this one, without an effect here. It ends with
 * the context.
 *
 * @param opt an aclSysParamOpt.
 * @param value any number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: an unknown option.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclrtCtxSetSysParamOpt of the Ascend runtime API.
 */
aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/**
 * Returns an option of the current context, as set by aclrtCtxSetSysParamOpt.
 *
 * @param opt an aclSysParamOpt.
 * @param value receives the number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown option.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_SYSPARAMOPT_NOT_SET 107021: it was never set in this context.
 * @note Thread-safe. Follows aclrtCtxGetSysParamOpt of the Ascend runtime API.
 */
aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

/**
 * Sets an option of the process, separate from those of contexts: a number for libraries above this one, without an
 * effect here. It stays set through aclFinalize. Works at any time.
 *
 * @param opt an aclSysParamOpt.
 * @param value any number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: an unknown option.
 * @note Thread-safe. Follows aclrtSetSysParamOpt of the Ascend runtime API.
 */
aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/**
 * Returns an option of the process, 0 if it was never set. Works at any time.
 *
 * @param opt an aclSysParamOpt.
 * @param value receives the number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown option.
 * @note Thread-safe. Follows aclrtGetSysParamOpt of the Ascend runtime API.
 */
aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

/**
 * Creates a stream in the current context. Operations of one stream run in the order of their calls; operations of
 * different streams run independently.
 *
 * @param stream receives the handle; the caller destroys it with aclrtDestroyStream.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more can be created.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtCreateStream of the Ascend runtime API.
 */
aclError aclrtCreateStream(aclrtStream *stream);

/**
 * Creates a stream with flags. A stream with ACL_STREAM_PERSISTENT is for building graphs (aclmdlRIBindStream) and
 * runs nothing. Synchronizing it, or a stream with ACL_STREAM_CPU_SCHEDULE or ACL_STREAM_DEVICE_USE_ONLY, succeeds at
 * once. ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC and ACL_STREAM_HUGE have no effect; unknown bits are ignored.
 *
 * @param stream receives the handle; the caller destroys it with aclrtDestroyStream.
 * @param priority ignored, as in the original.
 * @param flag an OR of ACL_STREAM_* flags. Unknown flags count as not given: docs/configuration.md has the rule.
 * @return the codes of aclrtCreateStream.
 * @note Thread-safe. Follows aclrtCreateStreamWithConfig of the Ascend runtime API.
 */
aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag);

/**
 * Waits for a stream's pending work and destroys the stream. The handle is invalid for all threads from the wait on.
 * Callbacks that have not started are dropped. Returns the first unreported failure of its work, or an error of the
 * driver. Returns 107000 inside a callback of the program if it could wait forever: docs/callbacks.md. If the stream
 * was already released with its context or device, the first call succeeds and does nothing: docs/failures.md.
 *
 * @param stream from a create function; not null, not a default stream.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015, or another code, such as ACL_ERROR_RT_WAIT_TIMEOUT 107019: work on it
 *     had failed; the stream is destroyed anyway.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused; the stream is destroyed anyway. The stream is
 *     not destroyed while it is being captured (ACL_ERROR_RT_STREAM_CAPTURED 107027), is bound to a graph, or updates
 *     a task group (107000).
 * @note Thread-safe. Follows aclrtDestroyStream of the Ascend runtime API.
 */
aclError aclrtDestroyStream(aclrtStream stream);

/**
 * Destroys a stream without waiting, and drops its unreported failures. The CPU backend drops operations that have not
 * started (waits for events recorded there end); a GPU completes what was submitted to its driver. A capture that the
 * stream began ends without a graph, one that it joined, or a graph that it is bound to, becomes invalid, and a task
 * group that it updates stays unchanged. If the stream was already released with its context or device, the first call
 * succeeds and does nothing: docs/failures.md.
 *
 * @param stream from a create function; not null, not a default stream.
 * @return the codes of aclrtDestroyStream.
 * @note Thread-safe. Follows aclrtDestroyStreamForce of the Ascend runtime API.
 */
aclError aclrtDestroyStreamForce(aclrtStream stream);

/**
 * Waits until all work that was enqueued on a stream before the call is complete. Returns 107000 inside a callback of
 * the program if it could wait forever: docs/callbacks.md. No cancellation point: a thread that is cancelled
 * (pthread_cancel) while it waits ends after the call.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @retval ACL_ERROR_RT_STREAM_ABORT 107023, ACL_ERROR_RT_DEVICE_TASK_ABORT 107022: aclrtStreamAbort or
 *     aclrtDeviceTaskAbort dropped the work during the call; or the first unreported failure of the stream's work
 *     (such as ACL_ERROR_RT_AICORE_EXCEPTION 507015, ACL_ERROR_RT_WAIT_TIMEOUT 107019, or the code of a task). After a
 *     failure under ACL_STOP_ON_FAILURE every call returns that failure.
 * @note Thread-safe. Follows aclrtSynchronizeStream of the Ascend runtime API.
 */
aclError aclrtSynchronizeStream(aclrtStream stream);

/**
 * Waits for a stream as aclrtSynchronizeStream, with a timeout. A timeout cancels nothing: the work continues. Returns
 * 107000 inside a callback of the program if it could wait forever: docs/callbacks.md.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param timeout milliseconds, greater than 0, or -1 to wait forever.
 * @return the codes of aclrtSynchronizeStream
 * @retval ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046: not complete within the timeout.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: also for any other timeout.
 * @note Thread-safe. Follows aclrtSynchronizeStreamWithTimeout of the Ascend runtime API.
 */
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/**
 * Returns whether all work that was enqueued on a stream is complete. It reports no failures of the work, except that
 * of a whole GPU (ACL_ERROR_RT_AICORE_EXCEPTION 507015).
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param status receives ACL_STREAM_STATUS_COMPLETE or ACL_STREAM_STATUS_NOT_READY.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `status` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtStreamQuery of the Ascend runtime API.
 */
aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status);

/**
 * Makes later operations of `stream` wait for the record of `event` that is the latest at the time of this call. If
 * the event was never recorded, there is no wait; one with ACL_EVENT_EXTERNAL is awaited until it is set. The event
 * may belong to another device, and may be destroyed, reset or recorded again right after the call. Does not block the
 * caller. With aclrtSetOpWaitTimeout the wait has a timeout, as in aclrtStreamWaitEventWithTimeout, if the driver
 * supports it.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param event an event of aclrtCreateEvent, or one with ACL_EVENT_SYNC, ACL_EVENT_EXTERNAL or ACL_EVENT_IPC.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `event` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream or event, destroyed, an event without these flags, or called
 *     inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @retval ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no memory to count the wait for aclrtQueryEventWaitStatus.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an event with ACL_EVENT_EXTERNAL or ACL_EVENT_IPC, and a CUDA
 *     driver whose streams cannot wait for a word in memory; or an event that a stream of another device has recorded
 *     in a capture.
 * @note Thread-safe. Follows aclrtStreamWaitEvent of the Ascend runtime API.
 */
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

/**
 * Makes a stream wait as aclrtStreamWaitEvent, with a timeout that starts when the stream reaches the wait. If it
 * expires first, the stream continues without the event (under ACL_STOP_ON_FAILURE it stops), and its next synchronize
 * returns ACL_ERROR_RT_WAIT_TIMEOUT 107019. Waits of captured streams have no timeout.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param event as in aclrtStreamWaitEvent.
 * @param timeout seconds, greater than 0, or 0 for no timeout, whatever aclrtSetOpWaitTimeout sets.
 * @return the codes of aclrtStreamWaitEvent
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: also for a timeout below 0.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a CUDA driver whose streams cannot wait for a word in memory.
 * @note Thread-safe. Follows aclrtStreamWaitEventWithTimeout of the Ascend runtime API.
 */
aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout);

/**
 * Makes a stream wait as aclrtStreamWaitEventWithTimeout, with a flag.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param event as in aclrtStreamWaitEvent.
 * @param timeout seconds, greater than 0, or 0 for no timeout.
 * @param flag ACL_EVENT_WAIT_DEFAULT 0. ACL_EVENT_WAIT_EXTERNAL 1, with timeout 0, is for captured streams: each
 *     launch of the graph waits for the record of the event, in any stream, that is the latest when the launch is
 *     enqueued; for an event with ACL_EVENT_EXTERNAL until it is set.
 * @return the codes of aclrtStreamWaitEventWithTimeout
 * @retval ACL_ERROR_INVALID_PARAM 100000: also for another flag, or ACL_EVENT_WAIT_EXTERNAL with a timeout.
 * @retval ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: ACL_EVENT_WAIT_EXTERNAL, and the stream is not being captured.
 * @note Thread-safe. Follows aclrtStreamWaitEventWithFlag of the Ascend runtime API.
 */
aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag);

/**
 * Returns a small number that is unique among the streams of the device, as long as the device is in use.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param streamId receives the number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `streamId` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtStreamGetId of the Ascend runtime API.
 */
aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId);

/**
 * Returns the flags that a stream was created with, without unknown bits; 0 if there were none.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param flags receives an OR of ACL_STREAM_* flags.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `flags` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtStreamGetFlags of the Ascend runtime API.
 */
aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags);

/**
 * Returns the priority of a stream; 0 is the highest. It is 0 for streams of aclrtCreateStream and
 * aclrtCreateStreamWithConfig, which ignores its priority argument, until aclrtSetStreamAttribute changes it; on GPUs
 * these are as urgent as the streams of other CUDA libraries in the process.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param priority receives the priority.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `priority` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtStreamGetPriority of the Ascend runtime API.
 */
aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority);

/**
 * Returns how many more streams can be created. All devices share the number; memory or the driver may set a lower
 * limit.
 *
 * @param streamCount receives the number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclrtGetStreamAvailableNum of the Ascend runtime API.
 */
aclError aclrtGetStreamAvailableNum(uint32_t *streamCount);

/**
 * Sets what happens when work of a stream fails. Can be called once per stream. ACL_CONTINUE_ON_FAILURE, the default:
 * the next operation runs. ACL_STOP_ON_FAILURE: the first failure of this stream stops it and all other streams of its
 * context at once. Their pending work is dropped (a GPU completes what was submitted to its driver), waits for events
 * recorded there end, and every later submission and synchronize of these streams returns the code of the failure,
 * until the streams, or for a default stream its context, are destroyed.
 *
 * A failure of a whole GPU ends all of its work in both modes, and the GPU works again in another process only.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param mode ACL_CONTINUE_ON_FAILURE or ACL_STOP_ON_FAILURE.
 * @retval ACL_ERROR_INVALID_PARAM 100000: an unknown mode.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the mode was set before, or not a stream, destroyed, or called inside a
 *     host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtSetStreamFailureMode of the Ascend runtime API.
 */
aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);

/**
 * Sets an attribute of a stream.
 *
 * | attribute | member of `value` | meaning |
 * |---|---|---|
 * | ACL_STREAM_ATTR_FAILURE_MODE | `failureMode` | as aclrtSetStreamFailureMode, once per stream |
 * | ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK | `overflowSwitch` | 0 or 1; stored, overflow is never reported |
 * | ACL_STREAM_ATTR_USER_CUSTOM_TAG | `userCustomTag` | any number; stored |
 * | ACL_STREAM_ATTR_CACHE_OP_INFO | `cacheOpInfoSwitch` | 0 or 1; stored |
 * | ACL_STREAM_ATTR_PRIORITY | `streamPriority` | 0 (highest) to the lowest of aclrtDeviceGetStreamPriorityRange, for operations that have not started; a GPU keeps the priority that the stream was created with |
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param stmAttrType the attribute.
 * @param value its value; only the member of the attribute is read.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `value` is null, an unknown attribute, or a value out of range.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the failure mode was set before, or not a stream, destroyed, or called
 *     inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a different priority on a GPU.
 * @note Thread-safe. Follows aclrtSetStreamAttribute of the Ascend runtime API.
 */
aclError aclrtSetStreamAttribute(aclrtStream stream,
                                 aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue *value);

/**
 * Returns an attribute of a stream, as aclrtSetStreamAttribute, the function for this attribute alone or the create
 * function set it. Defaults: ACL_CONTINUE_ON_FAILURE, and 0 for all others.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param stmAttrType the attribute.
 * @param value receives its value; only the member of the attribute is written.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `value` is null, or an unknown attribute.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtGetStreamAttribute of the Ascend runtime API.
 */
aclError aclrtGetStreamAttribute(aclrtStream stream,
                                 aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue *value);

/**
 * Empties a stream that stores its work instead of running it.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclrtPersistentTaskClean(aclrtStream stream);

/**
 * Creates a stream configuration for aclrtSetStreamConfigOpt and aclrtCreateStreamV2: no flags, the highest priority,
 * no working memory. A configuration that the program creates itself, an aclrtStreamConfigHandle filled with zeros,
 * works too.
 *
 * @return the configuration, to be destroyed with aclrtDestroyStreamConfigHandle; null without host memory, or in a
 *     forked child whose parent has opened a device or started the CUDA driver.
 * @note Thread-safe; several threads must not change the same configuration at the same time. Follows
 *     aclrtCreateStreamConfigHandle of the Ascend runtime API.
 */
aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void);

/**
 * Destroys a configuration of aclrtCreateStreamConfigHandle. Streams created with it are not affected.
 *
 * @param handle from aclrtCreateStreamConfigHandle, not destroyed.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not from aclrtCreateStreamConfigHandle, or already destroyed.
 * @note Thread-safe. Follows aclrtDestroyStreamConfigHandle of the Ascend runtime API.
 */
aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle);

/**
 * Sets one field of a stream configuration; the other fields do not change.
 *
 * | attr | value | meaning |
 * |---|---|---|
 * | ACL_RT_STREAM_WORK_ADDR_PTR | void*, 8 bytes | working memory; no effect, because no device here needs it |
 * | ACL_RT_STREAM_WORK_SIZE | size_t, 8 bytes | its size in bytes; no effect |
 * | ACL_RT_STREAM_FLAG | uint32_t or size_t, 4 or 8 bytes | an OR of ACL_STREAM_* flags |
 * | ACL_RT_STREAM_PRIORITY | uint32_t, 4 bytes | 0 is the highest |
 *
 * @param handle a configuration: from aclrtCreateStreamConfigHandle and not destroyed, or of the program.
 * @param attr the field.
 * @param attrValue pointer to the value; checked when a stream is created.
 * @param valueSize size of the value in bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `handle` or `attrValue` is null, an unknown field, or a wrong size for the
 *     field.
 * @note Thread-safe for different configurations. Follows aclrtSetStreamConfigOpt of the Ascend runtime API.
 */
aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle,
                                 aclrtStreamConfigAttr attr,
                                 const void *attrValue,
                                 size_t valueSize);

/**
 * Creates a stream in the current context from a configuration. Unlike in aclrtCreateStreamWithConfig, the priority
 * takes effect: of the streams that have work, those with a smaller number run first. Flags are those of
 * aclrtCreateStreamWithConfig. Working memory is not used.
 *
 * @param stream receives the handle; the caller destroys it with aclrtDestroyStream.
 * @param handle a configuration: from aclrtCreateStreamConfigHandle and not destroyed, or of the program.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or a priority lower than the lowest of
 *     aclrtDeviceGetStreamPriorityRange.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more can be created.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtCreateStreamV2 of the Ascend runtime API.
 */
aclError aclrtCreateStreamV2(aclrtStream *stream, const aclrtStreamConfigHandle *handle);

/**
 * Drops the pending work of all streams of a device and stops running work, as aclrtStreamAbort does for one stream.
 * The streams stay usable. A synchronize of one of them, or of the device, that is waiting on another thread returns
 * ACL_ERROR_RT_DEVICE_TASK_ABORT 107022; so does synchronizing an event whose record was dropped, as described for
 * aclrtStreamAbort.
 *
 * @param deviceId the device; it need not be the current one.
 * @param timeout milliseconds to wait for running memory operations; 0: no timeout. The call does not wait for running
 *     host functions.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046: a running operation was not complete in time.
 * @retval ACL_ERROR_FAILURE 500001: the pending work was dropped, but a function of aclrtSetDeviceTaskAbortCallback
 *     did not return 0.
 * @note Thread-safe. Follows aclrtDeviceTaskAbort of the Ascend runtime API, whose unit of time is not documented.
 */
aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout);

/**
 * Registers a callback that is called before and after aclrtDeviceTaskAbort, on its thread. No lock is held.
 *
 * The callback gets the device id, ACL_RT_DEVICE_TASK_ABORT_PRE or _POST, the timeout of the call in milliseconds, and
 * `args`. _POST is reported whatever the result of the abort is. The callback may call all functions; an abort that it
 * makes itself is not reported. If it does not return 0, the abort takes place anyway, and aclrtDeviceTaskAbort
 * returns ACL_ERROR_FAILURE 500001 with the number in its text, unless the abort itself fails. The registration stays
 * until it is removed, also through aclFinalize.
 *
 * @param regName zero-terminated name of the registration.
 * @param callback the callback, which must not throw; null removes the registration of that name (a running call on
 *     another thread continues).
 * @param args argument of the callback; may be null. The caller keeps it valid.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `regName` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the name is already registered, or `callback` is null and the name is not
 *     registered.
 * @note Thread-safe. Follows aclrtSetDeviceTaskAbortCallback of the Ascend runtime API.
 */
aclError aclrtSetDeviceTaskAbortCallback(const char *regName, aclrtDeviceTaskAbortCallback callback, void *args);

/**
 * Drops the pending work of a stream and stops running work. The stream stays usable: operations enqueued after the
 * call run as usual.
 *
 * On the CPU the call waits for a running memory operation, so that no earlier operation accesses memory afterwards.
 * It does not wait for a running host function, callback or task, or a graph with host functions; later work of the
 * stream waits for these. A GPU completes what was submitted to its driver before later work of the stream. Host
 * functions, callbacks and tasks that have not started are dropped, and waits that the library watches, as for
 * notifies, end.
 *
 * A synchronize of the stream or its device that is waiting on another thread returns ACL_ERROR_RT_STREAM_ABORT
 * 107023. Synchronizing an event whose record was dropped returns the same code until the event is recorded again;
 * until then the event is not complete (one with ACL_EVENT_IPC is). Other streams that wait for such an event stay
 * blocked. They continue when the event is recorded again and that record completes, when their wait times out, or
 * when they are aborted or destroyed themselves.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_SUCCESS 0: also if nothing was pending
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtStreamAbort of the Ascend runtime API.
 */
aclError aclrtStreamAbort(aclrtStream stream);

/**
 * Drops the pending work of a stream, as aclrtStreamAbort, but does not accept null for the default stream.
 *
 * @param stream a stream.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null; otherwise the codes of aclrtStreamAbort.
 * @note Thread-safe. Follows aclrtStreamStop of the Ascend runtime API.
 */
aclError aclrtStreamStop(aclrtStream stream);

/**
 * Creates an event that streams can wait for and that has a timestamp. It cannot be reset. It may be recorded again:
 * as with aclrtCreateEventExWithFlag, waits that were enqueued earlier keep their record. From its first record on it
 * is one of the 65,536 events that a device can have (see aclrtGetEventAvailNum).
 *
 * @param event receives the handle; the caller destroys it with aclrtDestroyEvent.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be created.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtCreateEvent of the Ascend runtime API.
 */
aclError aclrtCreateEvent(aclrtEvent *event);

/**
 * Creates an event with flags: ACL_EVENT_TIME_LINE gives it a timestamp, ACL_EVENT_SYNC lets streams wait for it and
 * allows aclrtResetEvent. A device can have 65,536 of these events and recorded ones of aclrtCreateEvent. It may be
 * recorded again without a reset. If it was never recorded, or was reset, it is not ready. An event with
 * ACL_EVENT_EXTERNAL is a signal between streams and running graphs: a record sets it, aclrtResetEvent clears it, and
 * streams that wait for it wait until it is set, also by a record that is enqueued later. It has no timestamp.
 *
 * @param event receives the handle; the caller destroys it with aclrtDestroyEvent.
 * @param flag an OR of ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_TIME_LINE and
 *     ACL_EVENT_DEVICE_USE_ONLY, or ACL_EVENT_EXTERNAL alone.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or another flag.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be created.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtCreateEventWithFlag of the Ascend runtime API.
 */
aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag);

/**
 * Creates an event that may be recorded repeatedly: each record replaces the previous one, and waits that were
 * enqueued earlier keep their record. An event that was never recorded counts as complete. Streams can wait for it if
 * it has ACL_EVENT_SYNC. It cannot be reset (aclrtResetEvent), and its waits are not counted
 * (aclrtQueryEventWaitStatus). A device has no limit for such events; a process can have 16,777,216 events in all. An
 * event with ACL_EVENT_IPC can be opened by other processes (aclrtIpcGetEventHandle); streams can wait for it, and it
 * has no timestamp.
 *
 * @param event receives the handle; the caller destroys it with aclrtDestroyEvent.
 * @param flag an OR of ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_TIME_LINE and
 *     ACL_EVENT_DEVICE_USE_ONLY, or ACL_EVENT_IPC alone.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or another flag.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be created.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtCreateEventExWithFlag of the Ascend runtime API.
 */
aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag);

/**
 * Destroys an event. Does not wait: pending waits keep what they need until they complete. If the event was already
 * released with its device, the first call succeeds and does nothing: docs/failures.md.
 *
 * @param event an event.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not an event, already destroyed, or called inside a host function.
 * @note Thread-safe. Follows aclrtDestroyEvent of the Ascend runtime API.
 */
aclError aclrtDestroyEvent(aclrtEvent event);

/**
 * Records an event: it represents all work enqueued on `stream` so far. Replaces an earlier record.
 *
 * @param event an event of the stream's device.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `event` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function; also for an
 *     invalid event.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context, or the event
 *     belongs to another device.
 * @retval ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: the first record of an event of aclrtCreateEvent, if the device
 *     already has the maximum number of events.
 * @note Thread-safe. Follows aclrtRecordEvent of the Ascend runtime API.
 */
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);

/**
 * Records an event as aclrtRecordEvent, with a flag.
 *
 * @param event an event of the stream's device.
 * @param stream a stream; null: the default stream of the current context.
 * @param flag ACL_EVENT_RECORD_DEFAULT 0, as aclrtRecordEvent. ACL_EVENT_RECORD_EXTERNAL 1 is for captured streams:
 *     each launch of the graph records the event, for waits outside of the graph.
 * @return the codes of aclrtRecordEvent
 * @retval ACL_ERROR_INVALID_PARAM 100000: also for another flag.
 * @retval ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: ACL_EVENT_RECORD_EXTERNAL, and the stream is not being captured.
 * @note Thread-safe. Follows aclrtRecordEventWithFlag of the Ascend runtime API.
 */
aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag);

/**
 * Enqueues a reset: when `stream` reaches it, the event is in the state before its first record. Programs usually call
 * it right after aclrtStreamWaitEvent on the same stream, to use the event again. The reset undoes the record that is
 * the latest at the time of this call. A record that is enqueued later stays, even if it completes earlier. Waits are
 * not affected, including later ones: none misses a record. Does not block the caller.
 *
 * @param event an event of aclrtCreateEventWithFlag with ACL_EVENT_SYNC; if it was never recorded, nothing happens. An
 *     event with ACL_EVENT_EXTERNAL is cleared when the stream reaches the reset, whichever record set it; waits that
 *     are reached afterwards last until it is set again.
 * @param stream a stream of the current device, which may be another one than the event's; null: the default stream of
 *     the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `event` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: an event of another create function, or without ACL_EVENT_SYNC and
 *     ACL_EVENT_EXTERNAL, not an event, not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @retval ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no resources for the reset.
 * @note Thread-safe. Follows aclrtResetEvent of the Ascend runtime API.
 */
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

/**
 * Returns whether an event's latest record is complete. If it was never recorded: complete for an event of
 * aclrtCreateEventExWithFlag, not ready for others. If it was reset: not ready.
 *
 * @param event an event.
 * @param status receives ACL_EVENT_RECORDED_STATUS_COMPLETE or ACL_EVENT_RECORDED_STATUS_NOT_READY.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not an event, destroyed, or called inside a host function.
 * @note Thread-safe. Follows aclrtQueryEventStatus of the Ascend runtime API.
 */
aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status);

/**
 * Returns whether an event's latest record is complete: an older form of aclrtQueryEventStatus, with the opposite
 * numbers. Deprecated.
 *
 * @param event an event of aclrtCreateEvent or aclrtCreateEventWithFlag; if it was never recorded, or was reset, it is
 *     not ready.
 * @param status receives ACL_EVENT_STATUS_COMPLETE 0 or ACL_EVENT_STATUS_NOT_READY 1.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: an event of aclrtCreateEventExWithFlag, not an event, destroyed, or
 *     called inside a host function.
 * @note Thread-safe. Follows aclrtQueryEvent of the Ascend runtime API.
 */
aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status);

/**
 * Returns whether all stream waits for an event are complete: each stream has passed its latest aclrtStreamWaitEvent,
 * because the record completed or the wait timed out, or has dropped it (aclrtStreamAbort). Complete if there are no
 * waits.
 *
 * @param event an event of aclrtCreateEvent or aclrtCreateEventWithFlag.
 * @param status receives ACL_EVENT_WAIT_STATUS_COMPLETE 0 or ACL_EVENT_WAIT_STATUS_NOT_READY 1.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: an event of aclrtCreateEventExWithFlag, not an event, destroyed, or
 *     called inside a host function.
 * @note Thread-safe. Follows aclrtQueryEventWaitStatus of the Ascend runtime API.
 */
aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status);

/**
 * Waits until an event's latest record at the time of the call is complete. Returns at once if there is none. A reset
 * has no effect here. Returns 107000 inside a callback of the program if it could wait forever: docs/callbacks.md. No
 * cancellation point: a thread that is cancelled (pthread_cancel) while it waits ends after the call.
 *
 * @param event an event.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not an event, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_STREAM_ABORT 107023, ACL_ERROR_RT_DEVICE_TASK_ABORT 107022: aclrtStreamAbort or
 *     aclrtDeviceTaskAbort dropped the record, and it was not recorded again; or the first unreported failure of the
 *     recording stream's work before the record.
 * @note Thread-safe. Follows aclrtSynchronizeEvent of the Ascend runtime API.
 */
aclError aclrtSynchronizeEvent(aclrtEvent event);

/**
 * Waits for an event as aclrtSynchronizeEvent, with a timeout. A timeout cancels nothing: the work continues. On a GPU
 * a record during a wait with a timeout makes the wait longer. Returns 107000 inside a callback of the program if it
 * could wait forever: docs/callbacks.md.
 *
 * @param event an event.
 * @param timeout milliseconds, greater than 0, or -1 to wait forever.
 * @return the codes of aclrtSynchronizeEvent
 * @retval ACL_ERROR_RT_EVENT_SYNC_TIMEOUT 507047: not complete within the timeout.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: also for any other timeout.
 * @note Thread-safe. Follows aclrtSynchronizeEventWithTimeout of the Ascend runtime API.
 */
aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/**
 * Returns the time from the latest record of one event to that of another, measured on the device. Record both on one
 * stream.
 *
 * @param ms receives milliseconds.
 * @param startEvent an event with a timestamp (aclrtCreateEvent, or ACL_EVENT_TIME_LINE) whose record is complete.
 * @param endEvent the same, not earlier, of the same device.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
 * @retval ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID 107006: an event has no timestamp, was never recorded, or was reset.
 * @retval ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL 107007: the end event completed first.
 * @retval ACL_ERROR_RT_EVENT_NOT_COMPLETE 507006: one of the records is not complete.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not an event, destroyed, different devices, or called inside a host
 *     function.
 * @note Thread-safe. Follows aclrtEventElapsedTime of the Ascend runtime API.
 */
aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent);

/**
 * Returns the time at which an event's latest record completed, in microseconds of a monotonic clock that is the same
 * for all events of a device. On CPU devices it is the machine's CLOCK_MONOTONIC. On CUDA devices it approximates that
 * clock, with an error of up to one wait for the device; differences are device times as in aclrtEventElapsedTime, if
 * the events are queried within seconds of each other.
 *
 * @param event an event with a timestamp (aclrtCreateEvent, or ACL_EVENT_TIME_LINE) whose record is complete.
 * @param timestamp receives microseconds.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID 107006: it has no timestamp, was never recorded, or was reset.
 * @retval ACL_ERROR_RT_EVENT_NOT_COMPLETE 507006: the record is not complete.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not an event, destroyed, or called inside a host function.
 * @note Thread-safe. Follows aclrtEventGetTimestamp of the Ascend runtime API.
 */
aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp);

/**
 * Returns a small number that is unique among the events of the device, as long as the device is in use.
 *
 * @param event an event.
 * @param eventId receives the number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not an event, or destroyed.
 * @note Thread-safe. Follows aclrtGetEventId of the Ascend runtime API.
 */
aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId);

/**
 * Returns how many more events the current device can have. The events of aclrtCreateEventWithFlag and the recorded
 * events of aclrtCreateEvent are limited to 65,536. Events of aclrtCreateEventExWithFlag do not count.
 *
 * @param eventCount receives the number; memory or the driver may set a lower limit.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclrtGetEventAvailNum of the Ascend runtime API.
 */
aclError aclrtGetEventAvailNum(uint32_t *eventCount);

/**
 * Exports an event: returns a handle with which other processes of the same user on this machine open it
 * (aclrtIpcOpenEventHandle). The handle is an array of bytes that can be passed in any way: a file, a pipe, a socket.
 * The first export of a process starts a thread that serves importers until aclFinalize; a killed process leaves
 * nothing in the system. Repeated calls return the same handle, which ends when the event is destroyed.
 *
 * @param event an event of this process that was created by aclrtCreateEventExWithFlag with ACL_EVENT_IPC.
 * @param handle receives 64 bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not an event, destroyed, created without ACL_EVENT_IPC, imported, or
 *     called inside a host function.
 * @retval ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no descriptor, thread or socket to serve
 *     the handle.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the process cannot share anything (docs/sharing.md).
 * @note Thread-safe. Follows aclrtIpcGetEventHandle of the Ascend runtime API.
 */
aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle *handle);

/**
 * Opens an event of another process as an event of the calling thread's current device. Both handles refer to one
 * event: a record in any process replaces the previous record, and streams, hosts and queries of all processes see it.
 * A wait keeps the record that was the latest when it was enqueued, and may be enqueued on any device. The event has
 * no timestamp. In captures it orders tasks, and with the flags EXTERNAL each launch records it or waits for it:
 * docs/graphs.md. If the recording process ends before its record completes, waits and queries fail with
 * ACL_ERROR_RT_PARAM_INVALID 107000; the next synchronize returns this code for waits of streams, and the streams
 * continue. The end of an importer is noticed by the exporter only, when no importer is left. When the exporter
 * destroys the event, its records complete, at once or when the streams there reach them. If several processes record
 * the event, at most 32 of their records together should be pending.
 *
 * @param handle a handle of aclrtIpcGetEventHandle, of another process or of this one.
 * @param event receives the handle; the caller destroys it with aclrtDestroyEvent, which does not affect the other
 *     processes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `event` is null, or `handle` is empty.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `handle` is not a handle, its event was destroyed, its process has ended,
 *     has finalized the library or does not respond within 5 seconds, or called inside a host function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `handle` comes from another machine, or another network or process
 *     namespace (container), or the process cannot share anything (docs/sharing.md).
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no descriptor or socket is available.
 * @retval ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no more can be created.
 * @note Thread-safe. Follows aclrtIpcOpenEventHandle of the Ascend runtime API, and cuIpcOpenEventHandle where that is
 *     silent.
 */
aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event);

/**
 * Enqueues the write of a value: when `stream` reaches it, the eight bytes change atomically, after all earlier
 * operations. Code that sees the value also sees the results of these operations. Does not block the caller.
 *
 * @param devAddr eight bytes at a multiple of 8: memory of the stream's device, managed memory, or page-locked host
 *     memory (aclrtMallocHost, ACL_HOST_REG_PINNED). Memory that is freed before the write stays valid until the write
 *     is complete.
 * @param value the value to write.
 * @param flag must be 0.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `devAddr` is null, or an unknown flag.
 * @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: `devAddr` is not a multiple of 8.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: memory on another device (unless it is managed, or in a pool or mapping
 *     with access), pageable or freed memory, past the end of an allocation, not a stream, destroyed, or called inside
 *     a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the GPU or its driver cannot do it.
 * @note Thread-safe. Follows aclrtValueWrite of the Ascend runtime API.
 */
aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream);

/**
 * Makes `stream` wait: later operations run when the eight bytes at `devAddr`, `word`, have the value. Any writer can
 * provide the value: another stream or device, the host if it can access the memory, or another process that shares
 * it. The wait may miss a value that the word has only briefly. One thread of the library watches all waits but those
 * of the CUDA driver. On CPU devices, writes of this process through the library end a wait at once; other writes end
 * it within about a millisecond.
 *
 * The wait has no timeout. On CPU devices aclrtStreamAbort, aclrtDeviceTaskAbort and aclrtDestroyStreamForce end it; a
 * wait of the CUDA driver lasts until the value is written. A device reset, or aclFinalize, lets the wait continue for
 * at most a second. Then the wait fails with ACL_ERROR_RT_WAIT_TIMEOUT 107019, which the reset returns; on a GPU the
 * library writes the value itself.
 *
 * @param devAddr eight bytes, as for aclrtValueWrite.
 * @param value the value to compare with; not 0 for ACL_STREAM_WAIT_VALUE_AND and not all ones for
 *     ACL_STREAM_WAIT_VALUE_NOR, because no word would match.
 * @param flag ACL_STREAM_WAIT_VALUE_GEQ 0: `word - value`, as a signed number, is not negative, so counters may wrap;
 *     ACL_STREAM_WAIT_VALUE_EQ 1: `word` equals `value`; ACL_STREAM_WAIT_VALUE_AND 2: `word & value` is not 0;
 *     ACL_STREAM_WAIT_VALUE_NOR 3: `~(word | value)` is not 0.
 * @param stream a stream; null: the default stream of the current context.
 * @return the codes of aclrtValueWrite
 * @retval ACL_ERROR_INVALID_PARAM 100000: also for a value that no word can match.
 * @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no thread to watch memory can be started.
 * @note Thread-safe. Follows aclrtValueWait of the Ascend runtime API.
 */
aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream);

/**
 * Allocates memory on the current device. The contents are undefined. Does not wait for pending work.
 *
 * The address is aligned to at least 512 bytes, to 4 KiB from 4 KiB on and, except with NORMAL_ONLY, to 2 MiB from 2
 * MiB on, as far as the free memory allows. Sizes are rounded up to 32 bytes. On CPUs another 32 bytes after the end
 * are readable, except in modes that detect accesses outside of allocations (docs/cpu_devices.md). Policies:
 * HUGE_FIRST uses 2 MiB pages from 1.8 MiB on if possible, NORMAL_ONLY normal pages (for both a GPU's driver chooses);
 * HUGE_ONLY uses 2 MiB pages or fails; HUGE1G_ONLY fails; the P2P variants, the bandwidth flags and the read-only flag
 * have no effect. An unknown policy counts as not given: it means HUGE_FIRST from 2 MiB on, and NORMAL_ONLY below.
 * docs/configuration.md has the rule.
 *
 * @param devPtr receives the address; the caller frees it with aclrtFree. It is also freed when the device is
 *     released.
 * @param size bytes, at least 1.
 * @param policy an aclrtMemMallocPolicy.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0.
 * @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the requested size.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend does not support such pages.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtMalloc of the Ascend runtime API.
 */
aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/**
 * Allocates device memory as aclrtMalloc, rounded up to 32 bytes, without readable bytes after that size.
 *
 * @param devPtr receives the address; the caller frees it with aclrtFree. It is also freed when the device is
 *     released.
 * @param size bytes, at least 1.
 * @param policy an aclrtMemMallocPolicy.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0.
 * @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the requested size.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend does not support such pages.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtMallocAlign32 of the Ascend runtime API.
 */
aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/**
 * Allocates device memory as aclrtMalloc. All device memory here is cached, and the caches are coherent: aclrtMemFlush
 * and aclrtMemInvalidate do nothing.
 *
 * @param devPtr receives the address; the caller frees it with aclrtFree. It is also freed when the device is
 *     released.
 * @param size bytes, at least 1.
 * @param policy an aclrtMemMallocPolicy.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0.
 * @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the requested size.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend does not support such pages.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtMallocCached of the Ascend runtime API.
 */
aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/**
 * Allocates device memory as aclrtMalloc, with attributes.
 *
 * @param devPtr receives the address; the caller frees it with aclrtFree. It is also freed when the device is
 *     released.
 * @param size bytes, at least 1.
 * @param policy an aclrtMemMallocPolicy.
 * @param cfg attributes, each at most once; null for none. `moduleId` has no effect, `deviceId` must be the current
 *     device, `vaFlag` must be 0: device memory has no host address.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null, `size` is 0, `cfg` has a null attribute array, an unknown
 *     attribute, a repeated attribute, or a `vaFlag` other than 0 and 1.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: `cfg` names a device that does not exist.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `cfg` names a device other than the current one, or called inside a host
 *     function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `vaFlag` is 1, or the backend does not support such pages.
 * @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the requested size.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclrtMallocWithCfg of the Ascend runtime API.
 */
aclError aclrtMallocWithCfg(void **devPtr,
                            size_t size,
                            aclrtMemMallocPolicy policy,
                            aclrtMallocConfig *cfg);

/**
 * Allocates device memory for task schedulers. Any device memory is suitable here, so this is aclrtMallocWithCfg.
 *
 * @param devPtr receives the address; the caller frees it with aclrtFree. It is also freed when the device is
 *     released.
 * @param size bytes, at least 1.
 * @param policy an aclrtMemMallocPolicy.
 * @param cfg attributes, each at most once; null for none. `moduleId` has no effect, `deviceId` must be the current
 *     device, `vaFlag` must be 0: device memory has no host address.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null, `size` is 0, `cfg` has a null attribute array, an unknown
 *     attribute, a repeated attribute, or a `vaFlag` other than 0 and 1.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: `cfg` names a device that does not exist.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `cfg` names a device other than the current one, or called inside a host
 *     function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `vaFlag` is 1, or the backend does not support such pages.
 * @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory, or no pages of the requested size.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclrtMallocForTaskScheduler of the Ascend runtime API.
 */
aclError aclrtMallocForTaskScheduler(void **devPtr,
                                     size_t size,
                                     aclrtMemMallocPolicy policy,
                                     aclrtMallocConfig *cfg);

/**
 * Frees device memory. The address is invalid at once. Pending operations keep the memory; it is reused only after the
 * last of them. Does not wait. Any thread may free it, whatever its current device is. Small blocks may be cached for
 * the next request of their size; cached memory counts as free, and no request fails because of it.
 *
 * @param devPtr the start of an allocation of aclrtMalloc or one of its variants, of aclrtMemAllocManaged or of a
 *     pool.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not the start of a live device allocation (inside an allocation, host
 *     memory, already freed, released with its device, unknown), or called inside a host function.
 * @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015: in guard mode on CPUs, bytes next to the allocation were overwritten;
 *     the memory is freed.
 * @note Thread-safe. Follows aclrtFree of the Ascend runtime API.
 */
aclError aclrtFree(void *devPtr);

/**
 * Waits for all pending work on the memory's device, then frees the memory as aclrtFree. Any thread may call it,
 * whatever its current device is. Returns 107000 inside a callback of the program if it could wait forever:
 * docs/callbacks.md.
 *
 * @param devPtr the start of an allocation, as for aclrtFree. If the wait returns a failure, the memory is still
 *     allocated.
 * @return the codes of aclrtFree
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not the start of a live device allocation, or called inside a host
 *     function; or the first unreported failure of enqueued work, as aclrtSynchronizeDevice returns it.
 * @note Thread-safe. Follows aclrtFreeWithDevSync of the Ascend runtime API.
 */
aclError aclrtFreeWithDevSync(void *devPtr);

/**
 * Allocates page-locked host memory for all devices. Asynchronous copies between it and a device return at once. Needs
 * no current context. Alignment as in aclrtMalloc.
 *
 * On the CPU backend, memory beyond the system's limit of locked memory is not locked, which is logged once.
 *
 * @param hostPtr receives the address; the caller frees it with aclrtFreeHost.
 * @param size bytes, at least 1.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `hostPtr` is null or `size` is 0.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no host memory, or more than a process can address.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtMallocHost of the Ascend runtime API.
 */
aclError aclrtMallocHost(void **hostPtr, size_t size);

/**
 * Allocates page-locked host memory as aclrtMallocHost, with attributes. Needs no current context.
 *
 * @param ptr receives the address; the caller frees it with aclrtFreeHost.
 * @param size bytes, at least 1.
 * @param cfg attributes, each at most once; null for none. `moduleId` has no effect, `deviceId` may be any device and
 *     `vaFlag` 0 or 1: the memory can be used with every device, at one address.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, `size` is 0, `cfg` has a null attribute array, an unknown
 *     attribute, a repeated attribute, or a `vaFlag` other than 0 and 1.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: `cfg` names a device that does not exist.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no host memory, or more than a process can address.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtMallocHostWithCfg of the Ascend runtime API.
 */
aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg);

/**
 * Frees page-locked host memory. The address is invalid at once; pending operations keep the memory. Does not wait.
 * Any thread may free it. Large blocks may stay locked for the next request until aclFinalize, up to the limit in
 * docs/choices_memory.md.
 *
 * @param hostPtr the start of an allocation of aclrtMallocHost or aclrtMallocHostWithCfg.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not the start of a live host allocation, or called inside a host
 *     function.
 * @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015: as for aclrtFree.
 * @note Thread-safe. Follows aclrtFreeHost of the Ascend runtime API.
 */
aclError aclrtFreeHost(void *hostPtr);

/**
 * Waits for all pending work on all open devices, since each of them may use the memory, then frees the memory as
 * aclrtFreeHost. Needs no current context. Returns 107000 inside a callback of the program if it could wait forever:
 * docs/callbacks.md.
 *
 * @param hostPtr the start of an allocation, as for aclrtFreeHost. If the wait returns a failure, the memory is still
 *     allocated.
 * @return the codes of aclrtFreeHost
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not the start of a live host allocation (then it does not wait), or
 *     called inside a host function; or the first unreported failure of enqueued work, as aclrtSynchronizeDevice
 *     returns it.
 * @note Thread-safe. Follows aclrtFreeHostWithDevSync of the Ascend runtime API.
 */
aclError aclrtFreeHostWithDevSync(void *hostPtr);

/**
 * Returns the free and total memory on the current device.
 *
 * @param attr an aclrtMemAttr. The ACL_HBM_* and ACL_MEM_* attributes refer to the device's memory; ACL_DDR_* and 1
 *     GiB pages, which these devices do not have, return 0 and 0.
 * @param free receives the bytes that are available to this device, at most `total`; cached memory counts as free. CPU
 *     devices share the machine's memory, so that memory which one device uses is missing on all of them, unless
 *     `PORTACL_CPU_MEMORY` sets the memory on each device (docs/cpu_devices.md).
 * @param total receives the maximum number of bytes of the device.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_INVALID_MEMORY_TYPE 107016: an unknown attribute.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtGetMemInfo of the Ascend runtime API.
 */
aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total);

/**
 * Returns how much device memory this process uses, in one row for each kind: `device` (aclrtMalloc and its variants,
 * physical memory, and on CPUs pools) and `managed` (aclrtMemAllocManaged), including rounding. Freed memory counts
 * until the last pending
 * operation that uses it is complete. On the CPU backend the rows of all devices that share the machine's memory (or
 * of one device, with `PORTACL_CPU_MEMORY`) add up to what aclrtGetMemInfo counts as used; on CUDA that also includes
 * memory from the driver and from other processes. Needs no current context.
 *
 * @param deviceId the device; a device that is not in use has zeros.
 * @param memUsageInfo receives the rows; the peak is the maximum since the device was opened, or since
 *     portaclMemoryResetPeak, including cached memory.
 * @param inputNum capacity in rows, at least 1; there are 2 rows.
 * @param outputNum receives the number of rows written.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `inputNum` is 0.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtGetMemUsageInfo of the Ascend runtime API.
 */
aclError aclrtGetMemUsageInfo(int32_t deviceId,
                              aclrtMemUsageInfo *memUsageInfo,
                              size_t inputNum,
                              size_t *outputNum);

/**
 * Returns the location of an address: inside an allocation of this library, on CUDA also of another library that
 * allocated it from the driver, or (ACL_MEM_LOCATION_TYPE_UNREGISTERED) in unknown memory, which is not an error.
 * Needs no current context.
 *
 * @param ptr the address; the memory is not read.
 * @param attributes receives location type and device id, and the page size in bytes that the system confirms (4096
 *     for registered memory; 0 for memory from other libraries and unknown memory).
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: free memory of a pool, or called inside a host function.
 * @note Thread-safe. Follows aclrtPointerGetAttributes of the Ascend runtime API.
 */
aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes);

/**
 * Returns start and length of the allocation that contains an address. Needs no current context.
 *
 * @param ptr an address anywhere inside an allocation, mapping or registration of device or host memory; the memory is
 *     not read. On CUDA also inside an allocation that another library of the process has from the driver.
 * @param pbase receives the start, as the allocating call returned it.
 * @param psize receives the usable bytes from there: the requested size with the rounding of its kind of memory, plus
 *     the readable bytes after it if the allocation has them. For memory from another library, the driver's value.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not in a live allocation, or called inside a host function.
 * @note Thread-safe. Follows aclrtMemGetAddressRange of the Ascend runtime API.
 */
aclError aclrtMemGetAddressRange(void *ptr, void **pbase, size_t *psize);

/**
 * Returns whether all addresses of a list are memory of one of several types. Needs no current context.
 *
 * @param addrList the addresses; any values, the memory is not read.
 * @param size number of addresses, at least 1.
 * @param memType one or more ACL_RT_MEM_TYPE_* bits. Device memory is ACL_RT_MEM_TYPE_DEV; memory of the other types
 *     does not exist here.
 * @param checkResult receives 1 if every address lies in memory of one of these types, else 0.
 * @param reserve must be 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `size` is 0, no or unknown bits in `memType`, or `reserve`
 *     is not 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtCheckMemType of the Ascend runtime API.
 */
aclError aclrtCheckMemType(void **addrList, uint32_t size, uint32_t memType, uint32_t *checkResult, uint32_t reserve);

/**
 * Registers the caller's host memory for the kernels of all devices: locks its pages and maps it for devices. Needs
 * no current context.
 *
 * The caller keeps ownership of the memory, and calls aclrtHostUnregister before freeing it. The range of a copy must
 * not run past the end of a registration. Copies treat the memory as pageable host memory; aclrtHostRegisterV2 with
 * ACL_HOST_REG_PINNED makes them asynchronous. On the CPU backend, pages beyond the system's limit of locked memory
 * stay unlocked, which is logged once.
 *
 * @param ptr first byte, aligned to 4096 bytes; the whole range must be mapped in the process.
 * @param size bytes, at least 1.
 * @param type must be ACL_HOST_REGISTER_MAPPED.
 * @param devPtr receives the address for kernels; do not use it for copies and fills.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `size` is 0, more than all host memory or goes past the end
 *     of the address space, an unknown `type`.
 * @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: a part of the range is memory from this library, in use or freed, or
 *     called inside a host function.
 * @retval ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED 507910: a part of the range is already registered.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the other types.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no host memory left.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: not memory of the process.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @note Thread-safe. Follows aclrtHostRegister of the Ascend runtime API.
 */
aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr);

/**
 * Registers the caller's host memory as aclrtHostRegister, with flags. Needs no current context.
 *
 * @param ptr first byte, aligned to 4096 bytes; the whole range must be mapped in the process.
 * @param size bytes, at least 1.
 * @param flag ACL_HOST_REG_MAPPED: the memory has an address for devices, which aclrtHostGetDevicePointer returns;
 *     ACL_HOST_REG_PINNED: asynchronous copies treat it as memory from aclrtMallocHost: they return at once, and the
 *     memory must not change before they are complete; or both.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, `size` is 0, more than all host memory or goes past the end
 *     of the address space, no or unknown flags.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: ACL_HOST_REG_IOMEMORY or ACL_HOST_REG_READONLY; otherwise the codes
 *     of aclrtHostRegister.
 * @note Thread-safe. Follows aclrtHostRegisterV2 of the Ascend runtime API.
 */
aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag);

/**
 * Ends a registration of host memory. New calls no longer see it; pending operations keep the memory locked, and the
 * caller must not free it before they are complete. Does not wait. Any thread may call it.
 *
 * This may also unlock memory that the caller locked itself (mlock).
 *
 * @param ptr the address that was registered.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_HOST_MEMORY_NOT_REGISTERED 507911: not registered.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: inside a registration but not its start, memory from this library, or
 *     called inside a host function.
 * @note Thread-safe. Follows aclrtHostUnregister of the Ascend runtime API.
 */
aclError aclrtHostUnregister(void *ptr);

/**
 * Returns the address at which kernels of devices access host memory. Needs no current context.
 *
 * @param pHost an address anywhere inside memory that was registered with ACL_HOST_REG_MAPPED or
 *     ACL_HOST_REGISTER_MAPPED, inside memory from aclrtMallocHost, a pool of host memory or a mapping of host memory,
 *     or inside managed memory.
 * @param pDevice receives the address for kernels; do not use it for copies and fills.
 * @param flag must be 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `flag` is not 0.
 * @retval ACL_ERROR_HOST_MEMORY_NOT_REGISTERED 507911: not registered.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: registered without an address for devices, device memory, or called
 *     inside a host function.
 * @note Thread-safe. Follows aclrtHostGetDevicePointer of the Ascend runtime API.
 */
aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag);

/**
 * Fills bytes of device memory, or of page-locked host memory (aclrtMallocHost, ACL_HOST_REG_PINNED). Synchronous, not
 * ordered with any stream.
 *
 * @param devPtr first byte; may be null if `count` is 0.
 * @param maxCount size of the memory at `devPtr` in bytes.
 * @param value its low 8 bits are written to every byte.
 * @param count bytes; 0 sets nothing and succeeds, whatever the other arguments are, also without a
 *     current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null with `count` greater than 0, or `count` is greater than `maxCount`.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: pageable host memory, freed memory, past the end of an allocation, or
 *     called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclrtMemset of the Ascend runtime API.
 */
aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count);

/**
 * Enqueues a fill on a stream, as aclrtMemset, in stream order.
 *
 * @param devPtr first byte; may be null if `count` is 0.
 * @param maxCount size of the memory at `devPtr` in bytes.
 * @param value its low 8 bits are written to every byte.
 * @param count bytes; 0 enqueues nothing and succeeds; then only `stream` is checked.
 * @param stream a stream; null: the default stream of the current context.
 * @return the codes of aclrtMemset
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function; also for
 *     memory on another device than the stream's, unless it is managed, or in a pool or mapping with access.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtMemsetAsync of the Ascend runtime API.
 */
aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream);

/**
 * Fills 32-bit words of device memory, or of page-locked host memory (aclrtMallocHost, ACL_HOST_REG_PINNED).
 * Synchronous, not ordered with any stream.
 *
 * @param ptr first word, aligned to 4 bytes; may be null if `N` is 0.
 * @param memSize size of the memory at `ptr` in bytes, at least 4 times `N`.
 * @param value written to every word, in the byte order of the host.
 * @param N number of words; 0 sets nothing and succeeds, whatever the other arguments are, also without a
 *     current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null with `N` greater than 0, or `N` words exceed `memSize`.
 * @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: pageable host memory, freed memory, past the end of an allocation, or
 *     called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclrtMemsetD32 of the Ascend runtime API.
 */
aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N);

/**
 * Enqueues a fill with 32-bit words on a stream, as aclrtMemsetD32, in stream order. On host memory it returns when
 * the words are written. Returns 107000 inside a callback of the program if it could wait forever: docs/callbacks.md.
 *
 * @param ptr first word, aligned to 4 bytes; may be null if `N` is 0.
 * @param memSize size of the memory at `ptr` in bytes, at least 4 times `N`.
 * @param value written to every word, in the byte order of the host.
 * @param N number of words; 0 enqueues nothing and succeeds; then only `stream` is checked.
 * @param stream a stream; null: the default stream of the current context.
 * @return the codes of aclrtMemsetD32
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: also: not a stream, destroyed, or memory on another device than the
 *     stream's, unless it is managed, or in a pool or mapping with access.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtMemsetD32Async of the Ascend runtime API.
 */
aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value, size_t N, aclrtStream stream);

/**
 * Writes cached data of device memory from aclrtMallocCached back to memory. Caches are coherent here, so the call
 * only checks its arguments. Does not wait for pending work. Needs no current context.
 *
 * @param devPtr first byte, anywhere inside an allocation of device memory.
 * @param size bytes, at least 1.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not device memory from this library, past the end of an allocation, or
 *     called inside a host function.
 * @note Thread-safe. Follows aclrtMemFlush of the Ascend runtime API.
 */
aclError aclrtMemFlush(void *devPtr, size_t size);

/**
 * Invalidates cached data of device memory from aclrtMallocCached. Caches are coherent here, so the call only checks
 * its arguments. Does not wait for pending work. Needs no current context.
 *
 * @param devPtr first byte, anywhere inside an allocation of device memory.
 * @param size bytes, at least 1.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `devPtr` is null or `size` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not device memory from this library, past the end of an allocation, or
 *     called inside a host function.
 * @note Thread-safe. Follows aclrtMemInvalidate of the Ascend runtime API.
 */
aclError aclrtMemInvalidate(void *devPtr, size_t size);

/**
 * Prefetches device memory into caches, writes it back, or invalidates it. Caches are coherent and managed by the
 * devices here: the call only checks its arguments and enqueues nothing.
 *
 * @param src first byte, memory of the stream's device or managed memory.
 * @param size bytes, at least 1.
 * @param cmoType an aclrtCmoType.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, `size` is 0, or an unknown type.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or not memory of
 *     the stream's device.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtCmoAsync of the Ascend runtime API.
 */
aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType, aclrtStream stream);

/**
 * Performs a cache operation as aclrtCmoAsync, with a barrier for aclrtCmoWaitBarrier.
 *
 * @param src first byte, memory of the stream's device or managed memory.
 * @param size bytes, at least 1.
 * @param cmoType an aclrtCmoType.
 * @param barrierId any number; it has no effect.
 * @param stream a stream; null: the default stream of the current context.
 * @return the codes of aclrtCmoAsync.
 * @note Thread-safe. Follows aclrtCmoAsyncWithBarrier of the Ascend runtime API.
 */
aclError aclrtCmoAsyncWithBarrier(void *src,
                                  size_t size,
                                  aclrtCmoType cmoType,
                                  uint32_t barrierId,
                                  aclrtStream stream);

/**
 * Makes later operations of a stream wait for operations of aclrtCmoAsyncWithBarrier. These are complete when their
 * calls return, so the call only checks its arguments.
 *
 * @param taskInfo 1 to 6 barriers with their types; the ids are ignored.
 * @param stream a stream; null: the default stream of the current context.
 * @param flag must be 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `taskInfo` is null, has no or too many barriers or an unknown type, or
 *     `flag` is not 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000, ACL_ERROR_RT_CONTEXT_NULL 107002 and ACL_ERROR_RT_STREAM_CONTEXT 107003:
 *     as aclrtCmoAsync.
 * @note Thread-safe. Follows aclrtCmoWaitBarrier of the Ascend runtime API.
 */
aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo *taskInfo, aclrtStream stream, uint32_t flag);

/**
 * Returns the size of a descriptor of aclrtCmoSetDesc. Works at any time.
 *
 * @param size receives 64, the size in bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @note Thread-safe. Follows aclrtCmoGetDescSize of the Ascend runtime API.
 */
aclError aclrtCmoGetDescSize(size_t *size);

/**
 * Writes the descriptor of a cache operation to device memory. Synchronous.
 *
 * @param cmoDesc 64 bytes of memory on the current device, or managed memory.
 * @param src first byte of the operation's range, also memory on the current device or managed memory.
 * @param size size of the range in bytes, at least 1.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or `size` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not memory on the current device, past its end, or called inside a host
 *     function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclrtCmoSetDesc of the Ascend runtime API.
 */
aclError aclrtCmoSetDesc(void *cmoDesc, void *src, size_t size);

/**
 * Performs a cache operation as aclrtCmoAsync, from a descriptor. The descriptor is not read, because the operation
 * has nothing to do.
 *
 * @param cmoDesc memory of the stream's device, or managed memory, from aclrtCmoSetDesc.
 * @param cmoType an aclrtCmoType.
 * @param stream a stream; null: the default stream of the current context.
 * @param reserve must be null.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `cmoDesc` is null, `reserve` is not null, or an unknown type.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or not memory of
 *     the stream's device.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtCmoAsyncWithDesc of the Ascend runtime API.
 */
aclError aclrtCmoAsyncWithDesc(void *cmoDesc, aclrtCmoType cmoType, aclrtStream stream, const void *reserve);

/**
 * Writes the current device's level-2 cache back to its memory. Does nothing, because the caches of devices here are
 * coherent.
 *
 * @param rsv must be null.
 * @retval ACL_ERROR_INVALID_PARAM 100000: not null.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtDeviceL2CacheFlush of the Ascend runtime API.
 */
aclError aclrtDeviceL2CacheFlush(void *rsv);

/**
 * Copies memory synchronously, not ordered with any stream. Supports any combination of host and device memory and of
 * devices.
 *
 * @param dst destination; may be null if `count` is 0.
 * @param destMax size of the destination in bytes.
 * @param src source; may be null if `count` is 0.
 * @param count bytes; 0 does nothing and succeeds, whatever the other arguments are, also without a
 *     current context.
 * @param kind the direction, which must match the pointers; ACL_MEMCPY_DEFAULT derives it from them.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `count` is greater than `destMax`, or an unknown kind.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: freed memory, past the end of an allocation, a kind that contradicts the
 *     pointers, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclrtMemcpy of the Ascend runtime API.
 */
aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind);

/**
 * Enqueues a copy on a stream. With page-locked host memory (aclrtMallocHost) or between devices it returns at once,
 * and the memory must not change until the copy is complete. Pageable host memory can be reused when the call returns:
 * a source has been read, perhaps before the stream's earlier operations, and a destination written after them. With
 * ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE any source can be reused on return. Returns 107000 inside a callback of the program
 * if it could wait forever: docs/callbacks.md.
 *
 * @param dst destination; may be null if `count` is 0.
 * @param destMax size of the destination in bytes.
 * @param src source; may be null if `count` is 0.
 * @param count bytes; 0 enqueues nothing and succeeds; then only `stream` is checked.
 * @param kind the direction, which must match the pointers; ACL_MEMCPY_DEFAULT derives it from them.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `count` is greater than `destMax`, or an unknown kind.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: host to host.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function; also for freed
 *     memory, past the end of an allocation, or for a kind that contradicts the pointers.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtMemcpyAsync of the Ascend runtime API.
 */
aclError aclrtMemcpyAsync(void *dst,
                          size_t destMax,
                          const void *src,
                          size_t count,
                          aclrtMemcpyKind kind,
                          aclrtStream stream);

/**
 * Copies memory as aclrtMemcpyAsync; an older name, deprecated. There is no condition.
 *
 * @param dst destination; may be null if `count` is 0.
 * @param destMax size of the destination in bytes.
 * @param src source; may be null if `count` is 0.
 * @param count bytes; 0 enqueues nothing and succeeds; then only `stream` is checked.
 * @param kind the direction, which must match the pointers; ACL_MEMCPY_DEFAULT derives it from them.
 * @param stream a stream; null: the default stream of the current context.
 * @return the codes of aclrtMemcpyAsync.
 * @note Thread-safe. Follows aclrtMemcpyAsyncWithCondition of the Ascend runtime API.
 */
aclError aclrtMemcpyAsyncWithCondition(void *dst,
                                       size_t destMax,
                                       const void *src,
                                       size_t count,
                                       aclrtMemcpyKind kind,
                                       aclrtStream stream);

/**
 * Enqueues `dst[i] = op(dst[i], src[i])` over two arrays in memory of the stream's device or managed memory. Integers
 * wrap around; half precision and bfloat16 are computed in single precision and rounded to nearest even; in maximum
 * and minimum a number wins over a NaN, and +0 is greater than -0.
 *
 * @param dst accumulator, aligned to its elements.
 * @param src the other operand, aligned to its elements.
 * @param count bytes, a multiple of the element size; 0 enqueues nothing and succeeds; then only `stream` and
 *     `reserve` are checked.
 * @param kind sum, maximum or minimum of aclrtReduceKind.
 * @param type ACL_INT8, ACL_INT16, ACL_INT32, ACL_FLOAT16, ACL_BF16 or ACL_FLOAT.
 * @param stream a stream; null: the default stream of the current context.
 * @param reserve must be null.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown kind or type, `count` is not a multiple of the
 *     element size, or `reserve` is not null.
 * @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another type of aclDataType or the kind EQUAL.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function; also for
 *     memory that is not on the stream's device, or past the end of an allocation.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtReduceAsync of the Ascend runtime API.
 */
aclError aclrtReduceAsync(void *dst,
                          const void *src,
                          uint64_t count,
                          aclrtReduceKind kind,
                          aclDataType type,
                          aclrtStream stream,
                          void *reserve);

/**
 * Copies `height` rows of `width` bytes between the host and a device, synchronously and not ordered with any stream.
 * Bytes between the rows are neither read nor written, so the last row needs no padding.
 *
 * @param dst first byte of the destination; may be null if `width` or `height` is 0.
 * @param dpitch bytes from the start of one destination row to the next, at least `width`.
 * @param src first byte of the source; may be null if `width` or `height` is 0.
 * @param spitch bytes from the start of one source row to the next, at least `width`.
 * @param width bytes per row, up to 5,000,000; 0 does nothing and succeeds, whatever the other arguments are, also
 *     without a current context.
 * @param height number of rows, up to 5,000,000; 0 as for `width`.
 * @param kind ACL_MEMCPY_HOST_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_HOST, matching the pointers.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, a kind other than these two, `width` is greater than a
 *     pitch, too many rows or bytes per row, or rows past the end of the address space.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: rows past the end of an allocation, a kind that contradicts the pointers,
 *     or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclrtMemcpy2d of the Ascend runtime API.
 */
aclError aclrtMemcpy2d(void *dst,
                       size_t dpitch,
                       const void *src,
                       size_t spitch,
                       size_t width,
                       size_t height,
                       aclrtMemcpyKind kind);

/**
 * Enqueues a 2D copy on a stream, as aclrtMemcpy2d, also within a device and between devices. With page-locked host
 * memory (aclrtMallocHost) or between devices it returns at once, and the memory must not change until the copy is
 * complete. Pageable host memory can be reused when the call returns, as with aclrtMemcpyAsync. Returns 107000 inside
 * a callback of the program if it could wait forever: docs/callbacks.md.
 *
 * @param dst first byte of the destination; may be null if `width` or `height` is 0.
 * @param dpitch bytes from the start of one destination row to the next, at least `width`.
 * @param src first byte of the source; may be null if `width` or `height` is 0.
 * @param spitch bytes from the start of one source row to the next, at least `width`.
 * @param width bytes per row, up to 5,000,000; 0 enqueues nothing and succeeds; then only `stream` is checked.
 * @param height number of rows, up to 5,242,880 (5 Mi); 0 as for `width`.
 * @param kind ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST or ACL_MEMCPY_DEVICE_TO_DEVICE, matching the
 *     pointers.
 * @param stream a stream; null: the default stream of the current context.
 * @return the codes of aclrtMemcpy2d
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: also: not a stream, or destroyed.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtMemcpy2dAsync of the Ascend runtime API.
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
 * Copies a batch, all copies from the host to devices or all from devices to the host. Synchronous, not ordered with
 * any stream. The copies are not ordered among each other: if destinations overlap, any of the copies may win. All
 * arguments are checked before the first byte is copied.
 *
 * @param dsts the destination of each copy; may be null for a copy of size 0.
 * @param destMaxs the size of each destination in bytes.
 * @param srcs the source of each copy; may be null for a copy of size 0.
 * @param sizes the bytes of each copy; a copy of 0 bytes does nothing, and its elements of `dsts`, `destMaxs` and
 *     `srcs` are not checked.
 * @param numBatches number of copies; 0 does nothing and succeeds, also without a current context; then only
 *     `failIndex` is checked.
 * @param attrs the locations of the destinations and sources. A device must be the memory's device; host memory may be
 *     of any kind, and its id is ignored; managed memory fits every location. `rsv` is ignored.
 * @param attrsIndexes for each attribute the index of the first copy that it applies to; it applies up to the first
 *     copy of the next attribute. The first index is 0, the indexes are ascending, and the last one is less than
 *     `numBatches`.
 * @param numAttrs number of attributes, 1 to `numBatches`.
 * @param failIndex on failure receives the index of the failed copy; SIZE_MAX if the failure belongs to no copy, for
 *     example an invalid attribute or a failed device. On success SIZE_MAX.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, a size greater than its `destMaxs`, an unknown location
 *     type, or invalid indexes or number of attributes.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: freed memory, past the end of an allocation, memory that is not at the
 *     location of its attribute, a copy within the host or between devices, copies in both directions, or called
 *     inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_BAD_ALLOC 200000: the host has no memory for the list of copies.
 * @note Thread-safe. Follows aclrtMemcpyBatch of the Ascend runtime API.
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
 * Copies a batch as aclrtMemcpyBatch, without `failIndex`: the text of aclGetRecentErrMsg names the failed copy.
 *
 * @param dsts the destination of each copy.
 * @param destMaxs the size of each destination in bytes.
 * @param srcs the source of each copy.
 * @param sizes the bytes of each copy.
 * @param numBatches number of copies; 0 does nothing and succeeds, whatever the other arguments are, also without a
 *     current context.
 * @param attrs the locations of the destinations and sources.
 * @param attrsIndexes for each attribute the index of the first copy that it applies to.
 * @param numAttrs number of attributes, 1 to `numBatches`.
 * @return the codes of aclrtMemcpyBatch.
 * @note Thread-safe. Follows aclrtMemcpyBatchV2 of the Ascend runtime API.
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
 * Enqueues a batch of copies on a stream, as aclrtMemcpyBatch: in stream order, but not ordered among each other. If
 * all host memory is page-locked (aclrtMallocHost) it returns at once, and the memory must not change until the copies
 * are complete. Pageable host memory can be reused when the call returns. The arrays themselves are read during the
 * call only. Returns 107000 inside a callback of the program if it could wait forever: docs/callbacks.md.
 *
 * @param dsts the destination of each copy.
 * @param destMaxs the size of each destination in bytes.
 * @param srcs the source of each copy.
 * @param sizes the bytes of each copy.
 * @param numBatches number of copies; 0 enqueues nothing and succeeds; then only `failIndex` and `stream` are checked.
 * @param attrs the locations of the destinations and sources.
 * @param attrsIndexes for each attribute the index of the first copy that it applies to.
 * @param numAttrs number of attributes, 1 to `numBatches`.
 * @param failIndex as in aclrtMemcpyBatch. If it is the index of a copy, nothing was enqueued.
 * @param stream a stream; null: the default stream of the current context.
 * @return the codes of aclrtMemcpyBatch
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: also: not a stream, or destroyed.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtMemcpyBatchAsync of the Ascend runtime API.
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
 * Enqueues a batch of copies as aclrtMemcpyBatchAsync, without `failIndex`: the text of aclGetRecentErrMsg names the
 * failed copy. Returns 107000 inside a callback of the program if it could wait forever: docs/callbacks.md.
 *
 * @param dsts the destination of each copy.
 * @param destMaxs the size of each destination in bytes.
 * @param srcs the source of each copy.
 * @param sizes the bytes of each copy.
 * @param numBatches number of copies; 0 enqueues nothing and succeeds; then only `stream` is checked.
 * @param attrs the locations of the destinations and sources.
 * @param attrsIndexes for each attribute the index of the first copy that it applies to.
 * @param numAttrs number of attributes, 1 to `numBatches`.
 * @param stream a stream; null: the default stream of the current context.
 * @return the codes of aclrtMemcpyBatchAsync.
 * @note Thread-safe. Follows aclrtMemcpyBatchAsyncV2 of the Ascend runtime API.
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
 * Enqueues a copy on the stream's device whose addresses are read from device memory when the stream reaches the copy:
 * earlier operations of the stream may write them. Each address plus its offset must be in device memory with enough
 * bytes after it, and the copy must not overwrite the addresses. The program ensures this. On CPUs the copy fails, and
 * the next synchronize returns 507015, if its first or last byte is outside of all device memory; ends of allocations
 * are not checked. On a GPU the device may fail. Memory that is freed in the meantime stays valid until the copy is
 * complete.
 *
 * @param dst pointer to the destination address: 8 aligned bytes of memory of the stream's device or managed memory;
 *     may be null if `count` is 0.
 * @param destMax size of the destination in bytes, from the offset on.
 * @param dstDataOffset bytes to add to the destination address.
 * @param src pointer to the source address, as `dst`.
 * @param count bytes; 0 enqueues nothing and succeeds; then only `stream` is checked.
 * @param srcDataOffset bytes to add to the source address.
 * @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_SUCCESS 0: the operation is enqueued
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown kind, or `count` is greater than `destMax`.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another kind.
 * @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or not memory of
 *     the stream's device.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtMemcpyAsyncWithOffset of the Ascend runtime API.
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
 * Returns the size of a copy descriptor, as aclrtSetMemcpyDesc writes it. Works at any time.
 *
 * @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
 * @param descSize receives 64, the size in bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown kind.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another kind.
 * @note Thread-safe. Follows aclrtGetMemcpyDescSize of the Ascend runtime API.
 */
aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *descSize);

/**
 * Writes a copy descriptor to device memory: three words with the source address, the destination address and the
 * number of bytes. Synchronous, not ordered with any stream.
 *
 * @param desc 64 bytes, aligned to 8, of the current device's memory, or managed memory.
 * @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
 * @param srcAddr source: memory on the current device, or managed memory; anything if `count` is 0.
 * @param dstAddr destination: memory on the current device, or managed memory; anything if `count` is 0.
 * @param count bytes; with 0 the description is written, and its copy does nothing.
 * @param config must be null.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown kind, or `config` is not null.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another kind.
 * @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not memory on the current device, past its end, or called inside a host
 *     function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclrtSetMemcpyDesc of the Ascend runtime API.
 */
aclError aclrtSetMemcpyDesc(void *desc,
                            aclrtMemcpyKind kind,
                            void *srcAddr,
                            void *dstAddr,
                            size_t count,
                            void *config);

/**
 * Enqueues the copy of a descriptor in device memory, which is read when the stream reaches the copy: earlier
 * operations of the stream may change it. Otherwise as aclrtMemcpyAsyncWithOffset.
 *
 * @param desc memory of the stream's device, or managed memory, from aclrtSetMemcpyDesc.
 * @param kind ACL_MEMCPY_INNER_DEVICE_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_DEVICE.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_SUCCESS 0: the operation is enqueued
 * @retval ACL_ERROR_INVALID_PARAM 100000: `desc` is null, or an unknown kind; otherwise the codes of
 *     aclrtMemcpyAsyncWithOffset.
 * @note Thread-safe. Follows aclrtMemcpyAsyncWithDesc of the Ascend runtime API.
 */
aclError aclrtMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind, aclrtStream stream);

/**
 * Enqueues the generation of random numbers in device memory, in stream order: bits for dropout, or uniform, normal or
 * truncated normal numbers. The generator is Philox 4x32-10. Seed and counter determine the numbers, which are the
 * same on every backend and device; see docs/random_numbers.md.
 *
 * @param taskInfo the task; read during the call. Members: `dataType`: ACL_FLOAT, ACL_FLOAT16 or ACL_BF16, and for
 *     uniform numbers also ACL_INT32, ACL_UINT32, ACL_INT64 and ACL_UINT64; for dropout the type of `dropoutRation`.
 *     `randomNumFuncParaInfo`: a distribution and its parameters, of that type. Dropout generates bits, starting with
 *     the lowest bit of the first byte; a bit is 0 with the probability `dropoutRation` (from 0 to 1), and 1
 *     otherwise. Uniform numbers are at least `min` and less than `max`, and `min` if both are equal. Normal numbers
 *     have the mean `mean` and the standard deviation `stddev` (at least 0); truncated normal numbers are limited to
 *     two standard deviations from the mean. `randomParaAddr`: not used. `randomResultAddr`: the destination, memory
 *     of the stream's device or managed memory, aligned to the type; may be null if there are no numbers.
 *     `randomCounterAddr`: 16 bytes of such memory, aligned to 8, with the number of the first block of four words in
 *     little-endian order; the operation adds the number of blocks that it used, so that the next call continues
 *     there; or null to start at 0. `randomSeed`: 4 or 8 bytes. `randomNum`: number of elements, or bits, in 4 or 8
 *     bytes; 0 enqueues nothing and succeeds; then only `taskInfo`, `randomNum`, `stream` and `reserve` are checked.
 *     In an aclrtRandomParaInfo `size` is the size of the number in bytes. With `isAddr` 1
 *     it contains the address of the number instead, in memory of the stream's device or managed memory, aligned to
 *     its size, which is read when the stream reaches the operation. Then the count is limited to the rest of the
 *     allocation, a ratio is limited to 0 to 1 and is 1 if it is not a number, and a `max` less than `min` counts as
 *     `min`. The numbers must not overwrite such parameters.
 * @param stream a stream; null: the default stream of the current context.
 * @param reserve must be null.
 * @retval ACL_SUCCESS 0: the operation is enqueued
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown type or distribution, a size, `isAddr` or
 *     parameter out of range, too many numbers, parameters overlap the destination, or `reserve` is not null.
 * @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another type of aclDataType, or `randomNum` by address with memory
 *     of another library.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, not memory of the
 *     stream's device, or past the end of an allocation.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtRandomNumAsync of the Ascend runtime API; the generator, and the meaning of the
 *     counter, are portacl's choice.
 */
aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *taskInfo, aclrtStream stream, void *reserve);

/**
 * Enqueues a call of `fn` on a stream. It runs once (in a graph once for each launch), after the stream's earlier
 * operations, unless it is dropped before (aclrtStreamAbort, aclrtDestroyStreamForce); the later operations of the
 * stream wait until it returns, other streams do not. It runs on a thread of this library or of the GPU's driver, or,
 * if the stream was passed to aclrtSubscribeHostFunc, inside aclrtProcessHostFunc on the subscribed thread. Inside the
 * function, calls that allocate, free, wait, enqueue, create or destroy return an error. The function must return, and
 * must not throw. The stack of a library thread has the system's default size, or `PORTACL_THREAD_STACK` bytes
 * (docs/host_process.md). On GPUs a stream holds some 56 host functions and event records, and some 1,000 operations:
 * the call that finds it full waits. So do not enqueue more behind a function that waits for a later call.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param fn the function.
 * @param args argument of the function; may be null. The caller keeps it valid until the function has run.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `fn` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @retval ACL_ERROR_RT_STREAM_SUBSCRIBE 107011: the stream was passed to aclrtSubscribeReport, which excludes host
 *     functions.
 * @retval ACL_ERROR_RT_STREAM_NO_CB_REG 107015: another thread is inside aclrtUnSubscribeHostFunc for the stream.
 * @note Thread-safe. Follows aclrtLaunchHostFunc of the Ascend runtime API.
 */
aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args);

/**
 * Subscribes a thread to a stream's callbacks (aclrtLaunchCallback): they run on thread `threadId` when it calls
 * aclrtProcessReport. A thread may be subscribed to many streams of one device. At most 1024 threads can be
 * subscribed. Until aclrtUnSubscribeReport, or the end of the stream or its device, aclrtLaunchHostFunc is refused on
 * the stream.
 *
 * @param threadId the value of pthread_self() on that thread; not a kernel thread id (gettid).
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `threadId` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a callback.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @retval ACL_ERROR_RT_STREAM_SUBSCRIBE 107011: the stream is already subscribed, by this call or by
 *     aclrtSubscribeHostFunc.
 * @retval ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: the thread is subscribed to streams of another device, or there are
 *     too many threads.
 * @note Thread-safe. Follows aclrtSubscribeReport of the Ascend runtime API.
 */
aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);

/**
 * Enqueues a call of `fn` on a stream that was passed to aclrtSubscribeReport. It runs once, after the stream's
 * earlier operations, when the subscribed thread calls aclrtProcessReport. Callbacks of a stream run in the order of
 * their launches. No other thread runs them: a wait for a stream with a blocking callback waits for that thread.
 * Inside the callback, calls of this library that allocate, free, wait, enqueue, create or destroy return an error. It
 * must return, and must not throw.
 *
 * If the stream is destroyed or aborted, its device is reset or the runtime is finalized before the callback starts,
 * the callback is dropped and the stream continues after it.
 *
 * @param fn the function.
 * @param userData argument of the function; may be null. The caller keeps it valid until the function has run.
 * @param blockType ACL_CALLBACK_BLOCK: later operations of the stream, and synchronization with the stream, wait until
 *     the callback has returned; ACL_CALLBACK_NO_BLOCK: they do not.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `fn` is null, or an unknown block type.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a callback.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @retval ACL_ERROR_RT_STREAM_NO_CB_REG 107015: the stream is not subscribed, or is being unsubscribed.
 * @note Thread-safe. Follows aclrtLaunchCallback of the Ascend runtime API.
 */
aclError aclrtLaunchCallback(aclrtCallback fn,
                             void *userData,
                             aclrtCallbackBlockType blockType,
                             aclrtStream stream);

/**
 * Runs pending callbacks of the thread's streams on the calling thread: all that are pending when it is called, in the
 * order in which the streams reached them, or else the first one that arrives before the timeout. Needs no current
 * context. Programs call it in a loop on a dedicated thread until a stop flag is set. No cancellation point while it
 * waits: a thread that is cancelled (pthread_cancel) then ends after the call. One that is cancelled inside a callback
 * ends there, and the callback counts as complete: docs/callbacks.md.
 *
 * @param timeout milliseconds, greater than 0; or -1: until a callback arrives or the thread's last subscription ends.
 * @retval ACL_SUCCESS 0: at least one callback ran
 * @retval ACL_ERROR_RT_REPORT_TIMEOUT 507012: no callback arrived in time; call it again.
 * @retval ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: the thread is not subscribed to a stream (not yet or not any more);
 *     returned after at most 10 ms.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `timeout` is 0 or below -1.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a callback or host function.
 * @note Thread-safe. Follows aclrtProcessReport of the Ascend runtime API.
 */
aclError aclrtProcessReport(int32_t timeout);

/**
 * Ends a subscription of aclrtSubscribeReport. Waits for callbacks that were launched on the stream before; the
 * subscribed thread continues to run them. If some are left and the thread completes none of them for two seconds, or
 * is the calling thread, the call fails and changes nothing. Succeeds for a stream that went with its context or
 * device, until that is destroyed late: docs/failures.md.
 *
 * @param threadId the subscribed thread, the value of its pthread_self().
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_SUCCESS 0: no callback of the stream runs or will run
 * @retval ACL_ERROR_INVALID_PARAM 100000: `threadId` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: callbacks are left that the thread does not run, or not a stream,
 *     destroyed, or called inside a callback.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @retval ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: another thread runs the stream's callbacks.
 * @retval ACL_ERROR_RT_STREAM_NO_CB_REG 107015: the stream is not subscribed.
 * @note Thread-safe. Follows aclrtUnSubscribeReport of the Ascend runtime API.
 */
aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/**
 * Subscribes a thread to a stream's host functions (aclrtLaunchHostFunc): they run on thread `hostFuncThreadId` when
 * it calls aclrtProcessHostFunc, instead of on a thread of this library. A thread may be subscribed to many streams of
 * one device. At most 1024 threads can be subscribed. The stream waits for each host function as usual. Host functions
 * that were enqueued before still run on a thread of this library. Until aclrtUnSubscribeHostFunc, or the end of the
 * stream or its device, aclrtLaunchCallback is refused on the stream.
 *
 * @param hostFuncThreadId the value of pthread_self() on that thread; not a kernel thread id (gettid).
 * @param exeStream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `hostFuncThreadId` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @retval ACL_ERROR_RT_STREAM_SUBSCRIBE 107011: the stream is already subscribed, by this call or by
 *     aclrtSubscribeReport.
 * @retval ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: the thread is subscribed to streams of another device, or there are
 *     too many threads.
 * @note Thread-safe. Follows aclrtSubscribeHostFunc of the Ascend runtime API.
 */
aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

/**
 * Runs pending host functions of the thread's streams on the calling thread: all that are pending when it is called,
 * in the order in which the streams reached them, or else the first one that arrives before the timeout. Needs no
 * current context. A thread that is cancelled (pthread_cancel) ends as in aclrtProcessReport.
 *
 * @param timeout milliseconds, greater than 0; or -1: until one arrives or the thread's last subscription ends.
 * @retval ACL_SUCCESS 0: at least one host function ran
 * @retval ACL_ERROR_RT_REPORT_TIMEOUT 507012: no callback arrived in time; call it again.
 * @retval ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: the thread is not subscribed to a stream (not yet or not any more);
 *     returned after at most 10 ms.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `timeout` is 0 or below -1.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a callback or host function.
 * @note Thread-safe. Follows aclrtProcessHostFunc of the Ascend runtime API.
 */
aclError aclrtProcessHostFunc(int32_t timeout);

/**
 * Ends a subscription of aclrtSubscribeHostFunc. Waits for host functions that were launched on the stream before; the
 * subscribed thread continues to run them. If some are left and the thread completes none of them for two seconds, or
 * is the calling thread, the call fails and changes nothing. Later host functions run on a thread of this library
 * again. Succeeds for a stream that went with its context or device, until that is destroyed late: docs/failures.md.
 *
 * @param hostFuncThreadId the subscribed thread, the value of its pthread_self().
 * @param exeStream a stream; null: the default stream of the current context.
 * @retval ACL_SUCCESS 0: no host function of the stream runs or will run on that thread
 * @retval ACL_ERROR_INVALID_PARAM 100000: `hostFuncThreadId` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: host functions are left that the thread does not run, or not a stream,
 *     destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @retval ACL_ERROR_RT_THREAD_SUBSCRIBE 107012: another thread runs the stream's host functions.
 * @retval ACL_ERROR_RT_STREAM_NO_CB_REG 107015: the stream is not subscribed.
 * @note Thread-safe. Follows aclrtUnSubscribeHostFunc of the Ascend runtime API.
 */
aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

/**
 * Sets the function that is called when enqueued work fails. It replaces the function of an earlier call. Functions of
 * aclrtExceptionInfoCallbackRegister stay registered; a function that is registered there as well is called twice.
 *
 * The callback runs on a thread of this library, after the failure and before any synchronize of the stream returns.
 * The failed stream waits for it, other streams do not. Failures of several streams may call it at the same time. Its
 * argument is valid during the call. The callback may call the aclrtGet*FromExceptionInfo functions. It must not
 * allocate, free, wait, enqueue work, or create and destroy objects: such calls fail with ACL_ERROR_RT_PARAM_INVALID
 * 107000. A GPU does not report which work failed; its driver ends everything on the device. Then the callback is
 * called once, when a call of this library first gets the failure, and only device and code are known.
 *
 * aclFinalize removes it.
 *
 * @param callback the function; null removes it. A callback that is running continues.
 * @retval ACL_SUCCESS 0
 * @note Thread-safe; works before aclInit. Follows the deprecated aclrtSetExceptionInfoCallback of the Ascend runtime
 *     API; aclrtExceptionInfoCallbackRegister allows several functions per process.
 */
aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

/**
 * Adds a function to those that are called when enqueued work fails; see aclrtSetExceptionInfoCallback. They are
 * called in the order in which they were added. aclFinalize removes them.
 *
 * @param callback the function. Adding a function again has no effect and is not an error.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @note Thread-safe; works before aclInit. Follows aclrtExceptionInfoCallbackRegister of the Ascend runtime API.
 */
aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);

/**
 * Removes a function of aclrtExceptionInfoCallbackRegister. A call that is running, or about to begin on another
 * thread, continues: before you unload the function's code, synchronize its streams.
 *
 * @param callback the function. Removing a function that was not added is not an error.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @note Thread-safe. Follows aclrtExceptionInfoCallbackUnregister of the Ascend runtime API.
 */
aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);

/**
 * Sets a function that is called when a kernel of a binary fails, after the functions of
 * aclrtExceptionInfoCallbackRegister and with the same rules. If a device does not report what failed, as GPUs do not,
 * the function is called for every failure of the binary's device. Unloading the binary removes it; before you unload
 * the function's code, synchronize its streams.
 *
 * @param binHandle a handle of aclrtBinaryLoad, aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
 * @param callback the function, replaces the previous one; null removes it.
 * @param userData passed to the callback as its second argument.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `binHandle` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a program, or unloaded.
 * @note Thread-safe. Follows aclrtBinarySetExceptionCallback of the Ascend runtime API.
 */
aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle, aclrtOpExceptionCallback callback, void *userData);

/**
 * Returns the number of the failed task: its position in its stream, as aclrtGetThreadLastTaskId returned it on the
 * submitting thread.
 *
 * @param info the argument of a callback, during the callback.
 * @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback has returned. If `info` is
 *     invalid, aclGetRecentErrMsg returns a text.
 * @note Thread-safe: while the callback waits, another thread may call this. Follows aclrtGetTaskIdFromExceptionInfo
 *     of the Ascend runtime API.
 */
uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * Returns the id of the stream on which work failed, as aclrtStreamGetId returns it.
 *
 * @param info the argument of a callback, during the callback.
 * @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback has returned. If `info` is
 *     invalid, aclGetRecentErrMsg returns a text.
 * @note Thread-safe: while the callback waits, another thread may call this. Follows aclrtGetStreamIdFromExceptionInfo
 *     of the Ascend runtime API.
 */
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * Returns the system's id (gettid) of the thread that submitted the failed work.
 *
 * @param info the argument of a callback, during the callback.
 * @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback has returned. If `info` is
 *     invalid, aclGetRecentErrMsg returns a text.
 * @note Thread-safe: while the callback waits, another thread may call this. Follows aclrtGetThreadIdFromExceptionInfo
 *     of the Ascend runtime API.
 */
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * Returns the device on which work failed.
 *
 * @param info the argument of a callback, during the callback.
 * @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback has returned. If `info` is
 *     invalid, aclGetRecentErrMsg returns a text.
 * @note Thread-safe: while the callback waits, another thread may call this. Follows aclrtGetDeviceIdFromExceptionInfo
 *     of the Ascend runtime API.
 */
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * Returns the code of the failure, as a synchronize returns it.
 *
 * @param info the argument of a callback, during the callback.
 * @return the number; 0xFFFFFFFF if it is not known, `info` is null, or the callback has returned. If `info` is
 *     invalid, aclGetRecentErrMsg returns a text.
 * @note Thread-safe: while the callback waits, another thread may call this. Follows
 *     aclrtGetErrorCodeFromExceptionInfo of the Ascend runtime API.
 */
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * Returns the arguments of the failed kernel.
 *
 * @param info the argument of a callback, during the callback.
 * @param devArgsPtr receives the address of a copy in host memory, which is valid during the callback.
 * @param devArgsLen receives its size in bytes; 0 if the arguments were passed one by one and the kernel has no
 *     description of its parameters.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not the argument of a callback, the callback has returned, or the kernel
 *     is unknown: another operation failed, or the device is a GPU.
 * @note Thread-safe: while the callback waits, another thread may call this. Follows aclrtGetArgsFromExceptionInfo of
 *     the Ascend runtime API.
 */
aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info, void **devArgsPtr, uint32_t *devArgsLen);

/**
 * Returns the failed kernel.
 *
 * @param info the argument of a callback, during the callback.
 * @param func receives the handle that it was launched with; the program may have unloaded it since.
 * @return the codes of aclrtGetArgsFromExceptionInfo.
 * @note Thread-safe: while the callback waits, another thread may call this. Follows
 *     aclrtGetFuncHandleFromExceptionInfo of the Ascend runtime API.
 */
aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info, aclrtFuncHandle *func);

/**
 * Returns the granularity of physical memory, for its size and for the addresses where it is mapped: 2 MiB for all
 * memory, both minimum and recommended.
 *
 * @param prop the kind of memory, as in aclrtMallocPhysical; its device need not be set.
 * @param option ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM or ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED.
 * @param granularity receives the number of bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, `option` or a property is unknown.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: pages of 1 GiB.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @note Thread-safe. Follows aclrtMemGetAllocationGranularity of the Ascend runtime API.
 */
aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
                                          aclrtMemGranularityOptions option,
                                          size_t *granularity);

/**
 * Reserves a range of addresses without memory, for memory on any device and on the host. Accesses fail until memory
 * is mapped there (aclrtMapMem).
 *
 * @param virPtr receives the first address, a multiple of 2 MiB and of `alignment`. The range lives until
 *     aclrtReleaseMemAddress, or until aclFinalize; a device reset only unmaps the memory on that device.
 * @param size bytes, rounded up to a multiple of 2 MiB. In guard mode (docs/cpu_devices.md) at most 64 GiB, or three
 *     times a device's memory if that is more.
 * @param alignment 0, or a power of two.
 * @param expectPtr the start address of the range, a multiple of 2 MiB and of `alignment`; null: any address. If it is
 *     not free, the call fails.
 * @param flags 0, or 1 for huge pages, which has no effect here.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, `size` is 0, `alignment` is not a power of two, `expectPtr` is not
 *     aligned, or `flags` is unknown.
 * @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no such addresses, or they are not free.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Follows aclrtReserveMemAddress of the Ascend runtime API, and cuMemAddressReserve where that is
 *     silent, except that a start address is not a hint here.
 */
aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags);

/**
 * Reserves a range of addresses outside of the range for unified caching. There is no such range here, so the call
 * reserves any range, as aclrtReserveMemAddress does.
 *
 * @param virPtr receives the first address.
 * @param size bytes, rounded up to a multiple of 2 MiB.
 * @param alignment 0, or a power of two.
 * @param expectPtr the start address of the range; null: any address.
 * @param flags 0 or 1.
 * @return the codes of aclrtReserveMemAddress.
 * @note Thread-safe. Follows aclrtReserveMemAddressNoUCMemory of the Ascend runtime API.
 */
aclError aclrtReserveMemAddressNoUCMemory(void **virPtr,
                                          size_t size,
                                          size_t alignment,
                                          void *expectPtr,
                                          uint64_t flags);

/**
 * Releases a range of addresses. Waits only for pending work that still uses memory that was mapped in the range.
 *
 * @param virPtr the start of a range from aclrtReserveMemAddress in which nothing is mapped.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `virPtr` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: no range begins at `virPtr`, memory is still mapped in it, or called
 *     inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Follows aclrtReleaseMemAddress of the Ascend runtime API.
 */
aclError aclrtReleaseMemAddress(void *virPtr);

/**
 * Allocates physical memory, without an address. Map it with aclrtMapMem.
 *
 * @param handle receives the handle, which lives until aclrtFreePhysical, or until its device is reset (host memory:
 *     until aclFinalize).
 * @param size bytes, rounded up to a multiple of 2 MiB.
 * @param prop the kind of memory; the structure is not needed after the call. `location`: ACL_MEM_LOCATION_TYPE_DEVICE
 *     with the id of a device that is set, ACL_MEM_LOCATION_TYPE_HOST with any id, or ACL_MEM_LOCATION_TYPE_HOST_NUMA
 *     with the number of a NUMA node; the last two on the CPU backend only. `memAttr`: any value except those for
 *     pages of 1 GiB; it has no effect. `handleType`: ACL_MEM_HANDLE_TYPE_NONE or ACL_MEM_HANDLE_TYPE_POSIX.
 *     `allocationType`: ACL_MEM_ALLOCATION_TYPE_PINNED. `reserve` is ignored.
 * @param flags 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, an invalid `size` or `flags`, or an unknown property.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, or called inside a host function.
 * @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no such memory is left.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no host memory or no handle is left.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: pages of 1 GiB, host memory on the CUDA backend, or on CPUs a
 *     device or system without memory files (docs/sharing.md).
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize. A memory hook that refuses determines the code.
 * @note Thread-safe. Follows aclrtMallocPhysical of the Ascend runtime API, and cuMemCreate where that is silent.
 */
aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle,
                             size_t size,
                             const aclrtPhysicalMemProp *prop,
                             uint64_t flags);

/**
 * Releases a handle of physical memory. Mappings stay usable: the memory is freed when it has no handle, is mapped
 * nowhere, and no pending work uses it. If the handle was already released with its device or session, the first call
 * succeeds and does nothing: docs/failures.md.
 *
 * @param handle from aclrtMallocPhysical or aclrtMemRetainAllocationHandle; each successful call of these needs one
 *     call of this.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `handle` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not live physical memory, or called inside a host function. A memory hook
 *     that refuses determines the code.
 * @note Thread-safe. Follows aclrtFreePhysical of the Ascend runtime API.
 */
aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/**
 * Maps physical memory in a reserved range. The device of the memory may read and write it at once; host memory is
 * accessible to the host and all devices. The same memory may be mapped at several addresses. Transfers may cross
 * adjacent mappings of one device. If pending work still uses a previous mapping at this address, the call waits for
 * it.
 *
 * @param virPtr an address in a range from aclrtReserveMemAddress, a multiple of 2 MiB, where nothing is mapped.
 * @param size the size of the memory, as passed to its allocation or rounded up to a multiple of 2 MiB.
 * @param offset 0.
 * @param handle the memory.
 * @param flags 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, `size` is not the size of the memory, the mapping does not fit into
 *     one range, `virPtr` is not aligned, `offset` or `flags` is not 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `virPtr` is in no range, something is already mapped there, `handle` is
 *     not live physical memory, or called inside a host function.
 * @retval ACL_ERROR_BAD_ALLOC 200000: the system refuses more mappings.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @note Thread-safe. Follows aclrtMapMem of the Ascend runtime API, and cuMemMap where that is silent.
 */
aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags);

/**
 * Maps physical memory as aclrtMapMem, without access: aclrtMemSetAccess grants it.
 *
 * @param virPtr an address in a range from aclrtReserveMemAddress, a multiple of 2 MiB, where nothing is mapped.
 * @param size the size of the memory, as passed to its allocation or rounded up to a multiple of 2 MiB.
 * @param offset 0.
 * @param handle the memory.
 * @param flags 0.
 * @return the codes of aclrtMapMem.
 * @note Thread-safe. Follows aclrtMemMapNoAccess of the Ascend runtime API, and cuMemMap where that is silent.
 */
aclError aclrtMemMapNoAccess(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags);

/**
 * Unmaps physical memory. Does not wait: the address is invalid for calls from now on; pending work still uses the
 * memory.
 *
 * @param virPtr the address at which the memory was mapped.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `virPtr` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: no mapping begins there, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Follows aclrtUnmapMem of the Ascend runtime API.
 */
aclError aclrtUnmapMem(void *virPtr);

/**
 * Sets the access of devices and of the host to mapped memory. It applies to calls from now on, and on the CPU in
 * guard mode (PORTACL_CPU_GUARD=1) also to accesses of the program. Copies need access of the memory's device or of
 * the copying device.
 *
 * @param virPtr where memory is mapped.
 * @param size bytes; one or more whole adjacent mappings.
 * @param desc for each location: `location`, a device by its id or the host (ACL_MEM_LOCATION_TYPE_HOST with id 0),
 *     and `flags`, an aclrtMemAccessFlags. `rsv` is ignored.
 * @param count number of descriptors, at least 1.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, `size` or `count` is 0, an unknown location or flag.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the range does not consist of whole mappings, or called inside a host
 *     function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the device cannot access the memory on the other device, or, on the
 *     CUDA backend, the host was named.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Follows aclrtMemSetAccess of the Ascend runtime API, and cuMemSetAccess where that is silent.
 */
aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc, size_t count);

/**
 * Returns the access of a device or of the host to mapped memory.
 *
 * @param virPtr any address in a mapping.
 * @param location a device by its id, or the host (ACL_MEM_LOCATION_TYPE_HOST with id 0).
 * @param flag receives an aclrtMemAccessFlags.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown location.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: no mapping contains `virPtr`, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @note Thread-safe. Follows aclrtMemGetAccess of the Ascend runtime API.
 */
aclError aclrtMemGetAccess(void *virPtr, aclrtMemLocation *location, uint64_t *flag);

/**
 * Returns the handle of the physical memory at a mapped address, and increments its reference count. If all handles
 * were released, the memory gets a new one.
 *
 * @param virPtr any address in a mapping.
 * @param handle receives the handle, to be released with aclrtFreePhysical.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: no mapping contains `virPtr`, or called inside a host function.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no more handles.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @note Thread-safe. Follows aclrtMemRetainAllocationHandle of the Ascend runtime API.
 */
aclError aclrtMemRetainAllocationHandle(void *virPtr, aclrtDrvMemHandle *handle);

/**
 * Returns the properties of physical memory.
 *
 * @param handle the memory.
 * @param prop receives the properties that were passed to aclrtMallocPhysical, with 0 in `reserve`; for imported
 *     memory ACL_MEM_HANDLE_TYPE_NONE, ACL_HBM_MEM_HUGE, and the device that uses it or the host.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not live physical memory, or called inside a host function.
 * @note Thread-safe. Follows aclrtMemGetAllocationPropertiesFromHandle of the Ascend runtime API.
 */
aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp *prop);

/**
 * Enables direct access of kernels on a device to memory on another device, at the same address. Same as
 * aclrtDeviceEnablePeerAccess, which covers all memory on that device, with the same lifetime.
 *
 * @param devPtr first byte, anywhere in device memory.
 * @param size bytes, at least 1.
 * @param dstDevId the accessing device, which must be set.
 * @param flags must be 0.
 * @retval ACL_SUCCESS 0: also if access was already enabled
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, `size` is 0, or `flags` is not.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set or owns the memory, the range is not memory of a
 *     device or goes past its end, or called inside a host function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the devices do not support it (aclrtDeviceCanAccessPeer).
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @note Thread-safe. Follows aclrtMemP2PMap of the Ascend runtime API.
 */
aclError aclrtMemP2PMap(void *devPtr, size_t size, int32_t dstDevId, uint64_t flags);

/**
 * Maps memory on another device through a selected connection.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclrtMemMapSelectedLink(void *virPtrDst, size_t size, void *virPtrSrc, uint32_t linkIdx);

/**
 * Sets which connection mappings of physical memory use.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle, aclrtMemLinkType adviceLink);

/**
 * Allocates managed memory: the host and all devices use it at one address. Its contents are undefined. Does not wait
 * for pending work. It counts as memory on the current device, and is freed when that device is released.
 *
 * Host accesses are not ordered with any stream: synchronize first. Copies, fills and reductions treat it as device
 * memory on any device; copies also accept it as host memory. Its location is ACL_MEM_LOCATION_TYPE_MANAGED.
 *
 * @param ptr receives the address, aligned to 2 MiB; the caller frees it with aclrtFree.
 * @param size bytes, from 1 to the device's memory; rounded up to 2 MiB.
 * @param flag must be ACL_RT_MEM_ATTACH_GLOBAL.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, `size` is 0, or an unknown `flag`.
 * @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no memory.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not support managed memory.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtMemAllocManaged of the Ascend runtime API.
 */
aclError aclrtMemAllocManaged(void **ptr, uint64_t size, uint32_t flag);

/**
 * Gives advice about the use of managed memory. It can affect speed, never results. It is stored until it is unset or
 * the memory is freed, and aclrtMemManagedGetAttr returns it. The CPU backend does nothing else with it. Needs no
 * current context.
 *
 * @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
 * @param size bytes, a multiple of 2 MiB, not 0.
 * @param advise an aclrtMemManagedAdviseType.
 * @param location the location of the advice: for a preferred location a device, the host, a NUMA node of the host or
 *     the caller's; for "accessed by" a device or the host; ignored for other advice.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, an invalid `size`, an unknown `advise`, or an invalid
 *     location.
 * @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not managed memory, past the end of an allocation, or called inside a
 *     host function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not support advice.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @note Thread-safe. Follows aclrtMemManagedAdvise of the Ascend runtime API.
 */
aclError aclrtMemManagedAdvise(const void *ptr,
                               uint64_t size,
                               aclrtMemManagedAdviseType advise,
                               aclrtMemManagedLocation location);

/**
 * Returns an attribute of a range of managed memory, as aclrtMemManagedAdvise and prefetches have set it. Needs no
 * current context.
 *
 * All values are 4-byte numbers. READ_MOSTLY: 1 if it is set for the whole range, else 0. PREFERRED_LOCATION and
 * LAST_PREFETCH_LOCATION: a device id, -1 for the host, -2 if there is none or it differs within the range; their
 * _TYPE: an aclrtMemManagedLocationType, 0 for none, and _ID: the corresponding number, 0 if there is none.
 * ACCESSED_BY: the ids of the devices (-1: the host) that access the whole range, in ascending order, as many as fit,
 * followed by -2.
 *
 * @param attribute an aclrtMemManagedRangeAttribute.
 * @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
 * @param size bytes, a multiple of 2 MiB, not 0.
 * @param data receives the value.
 * @param dataSize size of `data` in bytes: 4, for ACCESSED_BY a multiple of 4.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, an unknown `attribute`, an invalid `size` or `dataSize`.
 * @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not managed memory, past the end of an allocation, or called inside a
 *     host function.
 * @note Thread-safe. Follows aclrtMemManagedGetAttr of the Ascend runtime API.
 */
aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute,
                                const void *ptr,
                                size_t size,
                                void *data,
                                size_t dataSize);

/**
 * Returns several attributes of a range of managed memory, as aclrtMemManagedGetAttr. Needs no current context.
 *
 * @param attributes the attributes: aclrtMemManagedRangeAttribute numbers.
 * @param numAttributes number of attributes, at least 1.
 * @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
 * @param size bytes, a multiple of 2 MiB, not 0.
 * @param data for each attribute the address for its value; if one of them is invalid, nothing is written.
 * @param dataSizes for each attribute the size of its buffer in bytes.
 * @return the codes of aclrtMemManagedGetAttr
 * @retval ACL_ERROR_INVALID_PARAM 100000: also: `numAttributes` is 0.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no memory for lists of that length.
 * @note Thread-safe. Follows aclrtMemManagedGetAttrs of the Ascend runtime API.
 */
aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *attributes,
                                 size_t numAttributes,
                                 const void *ptr,
                                 size_t size,
                                 void **data,
                                 size_t *dataSizes);

/**
 * Prefetches managed memory to a location, in stream order. It can affect speed, never results: on the CPU backend
 * nothing moves.
 *
 * @param ptr first byte, aligned to 2 MiB, in memory from aclrtMemAllocManaged.
 * @param size bytes, a multiple of 2 MiB, not 0.
 * @param location a device, the host, a NUMA node of the host, or the caller's.
 * @param flags must be 0.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `ptr` is null, an invalid `size` or location, or `flags` is not 0.
 * @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not aligned.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not managed memory, past the end of an allocation, not a stream,
 *     destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not support prefetching.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtMemManagedPrefetchAsync of the Ascend runtime API.
 */
aclError aclrtMemManagedPrefetchAsync(const void *ptr,
                                      size_t size,
                                      aclrtMemManagedLocation location,
                                      uint32_t flags,
                                      aclrtStream stream);

/**
 * Prefetches ranges of managed memory to locations, as aclrtMemManagedPrefetchAsync. All arguments are checked before
 * anything is enqueued.
 *
 * @param ptrs the first byte of each range.
 * @param sizes the size of each range in bytes.
 * @param count number of ranges, at least 1.
 * @param prefetchLocs the locations.
 * @param prefetchLocIdxs for each location the index of its first range; its ranges extend to the first range of the
 *     next location. The indexes start at 0, are ascending, and are less than `count`.
 * @param numPrefetchLocs number of locations, from 1 to `count`.
 * @param flags must be 0.
 * @param stream a stream; null: the default stream of the current context.
 * @return the codes of aclrtMemManagedPrefetchAsync
 * @retval ACL_ERROR_INVALID_PARAM 100000: also: a null list, or invalid location indexes.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no memory for lists of that length.
 * @note Thread-safe. Follows aclrtMemManagedPrefetchBatchAsync of the Ascend runtime API.
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
 * Exports device memory: returns a key with which other processes of the same user on this machine open it
 * (aclrtIpcMemImportByKey). The key is a text that can be passed in any way: a file, a pipe, a socket. The first key
 * of a process starts a thread that serves importers until aclFinalize; a killed process leaves nothing in the system.
 *
 * The key ends with aclrtIpcMemClose, when the memory is freed, and when its device is reset. Imported memory stays
 * readable and writable in the importing processes, also after this process ends. After the memory is freed, its
 * contents are undefined: importers should close it first. Each call returns another key.
 *
 * On CPUs the first export of an allocation moves it to a memory file of its own, at the same address, while threads
 * that write to it wait. An import grants the allocation, also beyond `size`. Where the kernel cannot make writers
 * wait (userfaultfd, which Docker's default profile forbids), an import grants all memory on the device. The first
 * such export says so in a line on standard error (docs/sharing.md).
 *
 * @param devPtr start of memory from aclrtMalloc or one of its variants of at least 4 KiB. Not managed memory, and not
 *     pool memory.
 * @param size bytes that importers get, from the start on; at most the size of the allocation.
 * @param key receives the text and a terminating zero.
 * @param len size of `key` in bytes, at least 65.
 * @param flags ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT: only processes listed by aclrtIpcMemSetImportPid;
 *     ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION: all processes that have the key. Processes of other users,
 *     and in other containers, get nothing in either case (docs/sharing.md).
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, `size` is 0 or larger than the allocation, `len` is too small, `flags`
 *     is unknown.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `devPtr` is not the start of such memory, or called inside a host
 *     function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: on CUDA, a device without such handles, or without
 *     descriptors for memory that was allocated with ACL_MEM_MALLOC_HUGE_ONLY; on CPUs a device without a memory file;
 *     or the process cannot share anything (docs/sharing.md).
 * @retval ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no descriptor, thread or socket to serve
 *     the key.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Not ordered with streams: importers read what completed work has written. Follows
 *     aclrtIpcMemGetExportKey of the Ascend runtime API.
 */
aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len, uint64_t flags);

/**
 * Opens memory from another process by its key. The memory becomes device memory of the calling thread's current
 * device, whichever device it is on; only the exporting process counts it as device memory. Opening a key again
 * returns the same address; each open needs a close.
 *
 * @param devPtr receives the address; the exported number of bytes is usable there until aclrtIpcMemClose, or until
 *     the device is reset. Close it instead of freeing it. The end of the exporting process does not end it.
 * @param key a key of aclrtIpcMemGetExportKey of another process. A key of the same process is rejected.
 * @param flags ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT, or ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS for memory of
 *     another device. Both have the same effect here: the memory can be used.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, `key` is empty, `flags` is unknown.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `key` is not a key, belongs to this process, was closed, or its memory
 *     was freed; its process has ended, has finalized the library, does not respond within 5 seconds, or does not
 *     allow this process; the key is already open on another device; or called inside a host function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `key` comes from another machine, or another network or process
 *     namespace (container); the process cannot share anything (docs/sharing.md); or on CUDA the same memory is
 *     already open by a key of another size.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no address space or memory to map it.
 * @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no descriptor or socket is available.
 * @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: in guard mode, it has more than 64 GiB and more than three times the
 *     memory of a device of this process.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. A memory hook that refuses the import, which is
 *     called after the mapping, determines the code.
 * @note Thread-safe. Follows aclrtIpcMemImportByKey of the Ascend runtime API, and cuIpcOpenMemHandle where that is
 *     silent.
 */
aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags);

/**
 * Closes imported memory, or ends a key of this process. Importers should close first; then the exporter may end the
 * key and free the memory.
 *
 * @param key a key that this process has opened: close it once for each open. Pending work that uses the memory keeps
 *     it; new calls cannot use it. Or a key of this process: it cannot be opened any more, and imported memory stays
 *     valid.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `key` is null or empty.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a key, or neither open nor exported in this process, or called inside
 *     a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. A memory hook that refuses determines the code.
 * @note Thread-safe. Follows aclrtIpcMemClose of the Ascend runtime API.
 */
aclError aclrtIpcMemClose(const char *key);

/**
 * Allows processes to open a key. Adds to the processes that are already allowed.
 *
 * @param key a key of this process. The list has no effect on a key that was exported without a check.
 * @param pid the results of aclrtDeviceGetBareTgid in those processes, which run now: a later process with the same
 *     id is another one.
 * @param num number of processes, 1 to 4,194,304.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, `key` is empty, `num` is out of range, or a process id is not greater
 *     than 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `key` was not exported by this process, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @note Thread-safe. Follows aclrtIpcMemSetImportPid of the Ascend runtime API.
 */
aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num);

/**
 * Allows processes of other servers to open a key.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclrtIpcMemImportPidInterServer(const char *key, aclrtServerPid *serverPids, size_t num);

/**
 * Selects the link through which shared memory is accessed. There is only one kind of access here: the value is
 * checked and has no effect.
 *
 * @param key a key that this process has exported or opened.
 * @param type ACL_RT_IPC_MEM_ATTR_ACCESS_LINK.
 * @param attr one of ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO, _HCCS, _UB_ONE_PORT_PATH and _UB_MULTI_PORT_PATH.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `key` is null or empty, `type` or `attr` is unknown.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `key` is neither exported nor open in this process, or called inside a
 *     host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @note Thread-safe. Follows aclrtIpcMemSetAttr of the Ascend runtime API.
 */
aclError aclrtIpcMemSetAttr(const char *key, aclrtIpcMemAttrType type, uint64_t attr);

/**
 * Exports physical memory: returns a number with which other processes of the same user on this machine import it
 * (aclrtMemImportFromShareableHandle). The number can be passed in any way. As with aclrtIpcMemGetExportKey, a thread
 * serves importers. Each process maps the memory itself. The memory is freed when no process has it any more; it
 * survives the end of this process if others have it. An import grants this memory; on CPUs where the kernel cannot
 * make writers wait, all memory on the device, as with aclrtIpcMemGetExportKey, unless it is exported before it is
 * mapped.
 *
 * @param handle physical memory on any device or on the host, also imported memory.
 * @param handleType ACL_MEM_HANDLE_TYPE_NONE.
 * @param flags ACL_RT_VMM_EXPORT_FLAG_DEFAULT: only processes listed by aclrtMemSetPidToShareableHandle;
 *     ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION: all processes that have the number. A number has fewer random
 *     bits than a key or a fabric handle: processes of the same user could guess it.
 * @param shareableHandle receives the number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `handle` or `shareableHandle` is null, `handleType` or `flags` is unknown.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `handle` is not live memory, was already exported by this call or its V2,
 *     or called inside a host function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a GPU that cannot share such memory, or the process cannot share
 *     anything (docs/sharing.md).
 * @retval ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no descriptor, thread or socket to serve
 *     importers.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Follows aclrtMemExportToShareableHandle of the Ascend runtime API.
 */
aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle,
                                         aclrtMemHandleType handleType,
                                         uint64_t flags,
                                         uint64_t *shareableHandle);

/**
 * Exports physical memory as aclrtMemExportToShareableHandle, as a number or a fabric handle. Both work within one
 * machine only.
 *
 * @param handle physical memory, as for aclrtMemExportToShareableHandle.
 * @param flags as in aclrtMemExportToShareableHandle.
 * @param shareType ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT: a number; ACL_MEM_SHARE_HANDLE_TYPE_FABRIC: an
 *     aclrtMemFabricHandle, which is not valid on other machines.
 * @param shareableHandle receives a uint64_t or an aclrtMemFabricHandle of 128 bytes.
 * @return the codes of aclrtMemExportToShareableHandle
 * @retval ACL_ERROR_INVALID_PARAM 100000: also if `shareType` is unknown.
 * @note Thread-safe. Follows aclrtMemExportToShareableHandleV2 of the Ascend runtime API.
 */
aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle,
                                           uint64_t flags,
                                           aclrtMemSharedHandleType shareType,
                                           void *shareableHandle);

/**
 * Imports physical memory from another process by its number. It is mapped and released like memory of this process
 * (aclrtMapMem, aclrtFreePhysical), can be imported several times, and counts as imported memory. Memory hooks are
 * called after the import; if one refuses, the call returns its code.
 *
 * @param shareableHandle a number of aclrtMemExportToShareableHandle of another process. A number of the same process
 *     is rejected.
 * @param deviceId the device that will use it; it must be set, and need not be the memory's device. Host memory stays
 *     host memory.
 * @param handle receives the handle, which lives until aclrtFreePhysical, or until its device is reset (host memory:
 *     until aclFinalize).
 * @retval ACL_ERROR_INVALID_PARAM 100000: `handle` is null.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set; the number was not exported, belongs to this
 *     process, or its memory is freed; its process has ended, has finalized the library, does not respond within 5
 *     seconds, or does not allow this process; or called inside a host function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: it comes from another machine, or another network or process
 *     namespace (container), or the process cannot share anything (docs/sharing.md).
 * @retval ACL_ERROR_BAD_ALLOC 200000: no handle or address space is available.
 * @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no descriptor or socket is available.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Follows aclrtMemImportFromShareableHandle of the Ascend runtime API.
 */
aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId, aclrtDrvMemHandle *handle);

/**
 * Imports physical memory as aclrtMemImportFromShareableHandle, for use on the calling thread's current device.
 *
 * @param shareableHandle a uint64_t or an aclrtMemFabricHandle, as it was exported.
 * @param shareType the type of `shareableHandle`.
 * @param flags must be 0.
 * @param handle receives the handle.
 * @return the codes of aclrtMemImportFromShareableHandle
 * @retval ACL_ERROR_INVALID_PARAM 100000: also if `shareableHandle` is null, `shareType` is unknown or `flags` is not
 *     0.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: also without a current context.
 * @note Thread-safe. Follows aclrtMemImportFromShareableHandleV2 of the Ascend runtime API.
 */
aclError aclrtMemImportFromShareableHandleV2(void *shareableHandle,
                                             aclrtMemSharedHandleType shareType,
                                             uint64_t flags,
                                             aclrtDrvMemHandle *handle);

/**
 * Allows processes to import physical memory. Adds to the processes that are already allowed.
 *
 * @param shareableHandle a number of this process. The list has no effect on a number that was exported without a
 *     check.
 * @param pid the results of aclrtDeviceGetBareTgid in those processes, which run now: a later process with the same
 *     id is another one.
 * @param pidNum number of processes, 1 to 4,194,304.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `pid` is null, `pidNum` is out of range, or a process id is not greater than
 *     0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the number was not exported by this process, or its memory is freed, or
 *     called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @note Thread-safe. Follows aclrtMemSetPidToShareableHandle of the Ascend runtime API.
 */
aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum);

/**
 * Allows processes to import physical memory as aclrtMemSetPidToShareableHandle, for a handle of any type.
 *
 * @param shareableHandle a uint64_t or an aclrtMemFabricHandle of this process.
 * @param shareType the type of `shareableHandle`.
 * @param pid the results of aclrtDeviceGetBareTgid in those processes, which run now: a later process with the same
 *     id is another one.
 * @param pidNum number of processes, 1 to 4,194,304.
 * @return the codes of aclrtMemSetPidToShareableHandle
 * @retval ACL_ERROR_INVALID_PARAM 100000: also if `shareableHandle` is null or `shareType` is unknown.
 * @note Thread-safe. Follows aclrtMemSetPidToShareableHandleV2 of the Ascend runtime API.
 */
aclError aclrtMemSetPidToShareableHandleV2(void *shareableHandle,
                                           aclrtMemSharedHandleType shareType,
                                           int32_t *pid,
                                           size_t pidNum);

/**
 * Creates a notify of the current device: a signal that one stream records (aclrtRecordNotify) and one wait consumes
 * (aclrtWaitAndResetNotify), whichever comes first. A device can have 8,192 of them, including imported ones.
 *
 * @param notify receives the handle; the caller destroys it with aclrtDestroyNotify.
 * @param flag ACL_NOTIFY_DEFAULT 0, or ACL_NOTIFY_DEVICE_USE_ONLY 1, which has no effect.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or another flag.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_NO_NOTIFY_RESOURCE 207009: no more can be created.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtCreateNotify of the Ascend runtime API.
 */
aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag);

/**
 * Destroys a notify, or closes an imported one. Does not wait: pending records and waits keep what they need until
 * they complete. Waits of other processes for a notify that this process created then end with an error. If the notify
 * was already released with its device, the first call succeeds and does nothing: docs/failures.md.
 *
 * @param notify a notify.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a notify, already destroyed, or called inside a host function.
 * @note Thread-safe. Follows aclrtDestroyNotify of the Ascend runtime API.
 */
aclError aclrtDestroyNotify(aclrtNotify notify);

/**
 * Enqueues the signal: after the earlier operations of `stream`, one wait for the notify, present or future,
 * continues. Several records before a wait count as one. Does not block the caller.
 *
 * @param notify a notify, of any device.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `notify` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a notify, not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtRecordNotify of the Ascend runtime API.
 */
aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream);

/**
 * Makes `stream` wait for the notify's signal and consume it atomically: of several waits, one continues for each
 * record. Does not block the caller.
 *
 * A wait that times out fails with ACL_ERROR_RT_WAIT_TIMEOUT 107019, which the next synchronize returns. The stream
 * continues without the signal, which stays available for other waits. A wait for an imported notify fails with
 * ACL_ERROR_RT_PARAM_INVALID 107000 if the exporting process destroys the notify or ends. A wait for an exported
 * notify fails with the same code if importing processes have died and none is left. An abort ends a wait. A reset of
 * the device ends it after a second, with 107019.
 *
 * @param notify a notify, of any device.
 * @param stream a stream; null: the default stream of the current context.
 * @param timeout seconds, from when the stream reaches the wait; 0: no timeout.
 * @return the codes of aclrtRecordNotify
 * @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no thread to watch notifies can be started.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a CUDA driver whose streams cannot wait for a word in memory.
 * @note Thread-safe. Follows aclrtWaitAndResetNotify of the Ascend runtime API.
 */
aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout);

/**
 * Returns the number of a notify: small, and unique among the notifies of the device.
 *
 * @param notify a notify.
 * @param notifyId receives the number, below 8,192.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a notify, or destroyed.
 * @note Thread-safe. Follows aclrtGetNotifyId of the Ascend runtime API.
 */
aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId);

/**
 * Clears the unconsumed signals of several notifies, at once and without stream order. If one of the handles is
 * invalid, nothing is cleared.
 *
 * @param notifies `num` notifies; may be null if `num` is 0.
 * @param num how many; 0 does nothing.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or one of the handles is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: one is not a notify, or destroyed, or called inside a host function.
 * @note Thread-safe. Follows aclrtNotifyBatchReset of the Ascend runtime API.
 */
aclError aclrtNotifyBatchReset(aclrtNotify *notifies, size_t num);

/**
 * Returns the export key of a notify. Other processes of this user on this machine import the notify with it, as long
 * as it is not destroyed. Repeated calls return the same key.
 *
 * @param notify a notify created by this process.
 * @param key receives a text of at most 64 bytes and a terminating zero.
 * @param len size of `key` in bytes, at least 65.
 * @param flags ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT 0: for processes of aclrtNotifySetImportPid;
 *     ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION 2: for all processes that have the key.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, other flags, or `len` is too small.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a notify, destroyed, imported, exported with other flags before, or
 *     called inside a host function.
 * @retval ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no descriptor, thread or socket to serve
 *     the key.
 * @note Thread-safe. Follows aclrtNotifyGetExportKey of the Ascend runtime API.
 */
aclError aclrtNotifyGetExportKey(aclrtNotify notify, char *key, size_t len, uint64_t flags);

/**
 * Opens a notify of another process: records and waits in both processes refer to one signal. Importing a notify of
 * the same process is not supported.
 *
 * @param notify receives the handle, one of the current device's 8,192; the caller destroys it with
 *     aclrtDestroyNotify.
 * @param key a key of aclrtNotifyGetExportKey of the exporting process.
 * @param flags ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT 0, or ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS 2, which has no
 *     effect.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, or other flags.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a key, its process has ended, does not respond, has destroyed the
 *     notify, or does not allow this process; or called inside a host function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: `key` comes from another machine, or another network or process
 *     namespace (container).
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_NO_NOTIFY_RESOURCE 207009, ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more can be created, or
 *     no descriptor is left.
 * @note Thread-safe. Follows aclrtNotifyImportByKey of the Ascend runtime API.
 */
aclError aclrtNotifyImportByKey(aclrtNotify *notify, const char *key, uint64_t flags);

/**
 * Allows processes to import a notify that was exported with ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT. Adds to the processes
 * that are already allowed.
 *
 * @param notify an exported notify of this process.
 * @param pid the process ids, as aclrtDeviceGetBareTgid returns them in those processes, which run now: a later
 *     process with the same id is another one.
 * @param num number of ids, 1 to 4,194,304.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, `num` is out of range, or an impossible process id.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a notify, destroyed, not exported, or called inside a host function.
 * @note Thread-safe. Follows aclrtNotifySetImportPid of the Ascend runtime API.
 */
aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t *pid, size_t num);

/**
 * Allows processes of other servers to import a notify.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclrtNotifySetImportPidInterServer(aclrtNotify notify, aclrtServerPid *serverPids, size_t num);

/**
 * Creates a counted notify of the current device: streams change its count and wait for it. The count starts at 0. A
 * device can have 8,192 of them, in addition to those of aclrtCreateNotify.
 *
 * @param cntNotify receives the handle; the caller destroys it with aclrtCntNotifyDestroy.
 * @param flag ACL_NOTIFY_DEFAULT 0, or ACL_NOTIFY_DEVICE_USE_ONLY 1, which has no effect.
 * @return the codes of aclrtCreateNotify.
 * @note Thread-safe. Follows aclrtCntNotifyCreate of the Ascend runtime API.
 */
aclError aclrtCntNotifyCreate(aclrtCntNotify *cntNotify, uint64_t flag);

/**
 * Destroys a counted notify. Does not wait, as aclrtDestroyNotify. If the notify was already released with its device,
 * the first call succeeds and does nothing: docs/failures.md.
 *
 * @param cntNotify a notify of aclrtCntNotifyCreate.
 * @return the codes of aclrtDestroyNotify.
 * @note Thread-safe. Follows aclrtCntNotifyDestroy of the Ascend runtime API.
 */
aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify);

/**
 * Enqueues an atomic change of the count, after the earlier operations of `stream`.
 *
 * @param cntNotify a notify of aclrtCntNotifyCreate, of any device.
 * @param stream a stream; null: the default stream of the current context.
 * @param info the change: with ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE the count becomes `value`, with _ADD_MODE
 *     `value` is added (modulo 2^32), with _BIT_OR_MODE and _BIT_AND_MODE it is combined with `value`. Read during the
 *     call.
 * @return the codes of aclrtRecordNotify
 * @retval ACL_ERROR_INVALID_PARAM 100000: also: `info` is null or has an unknown mode.
 * @note Thread-safe. Follows aclrtCntNotifyRecord of the Ascend runtime API.
 */
aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyRecordInfo *info);

/**
 * Makes `stream` wait until the count meets a condition. With `isClear` the end of the wait atomically sets the count
 * to 0: no other change comes in between. aclrtWaitAndResetNotify describes timeouts, aborts and failures.
 *
 * @param cntNotify a notify of aclrtCntNotifyCreate, of any device.
 * @param stream a stream; null: the default stream of the current context.
 * @param info the condition: the count is less than, equal to, greater than, or not less than `value` (unsigned), or,
 *     with ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, has all bits of `value`; `timeout` in seconds from when the
 *     stream reaches the wait, 0 for no timeout; `isClear` 0 or 1. Read during the call.
 * @return the codes of aclrtWaitAndResetNotify
 * @retval ACL_ERROR_INVALID_PARAM 100000: also: `info` is null, has an unknown mode or `isClear`, or requires a count
 *     less than 0 or greater than 4,294,967,295.
 * @note Thread-safe. Follows aclrtCntNotifyWaitWithTimeout of the Ascend runtime API.
 */
aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify,
                                       aclrtStream stream,
                                       aclrtCntNotifyWaitInfo *info);

/**
 * Enqueues an operation that sets the count to 0.
 *
 * @param cntNotify a notify of aclrtCntNotifyCreate, of any device.
 * @param stream a stream; null: the default stream of the current context.
 * @return the codes of aclrtRecordNotify.
 * @note Thread-safe. Follows aclrtCntNotifyReset of the Ascend runtime API.
 */
aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream);

/**
 * Returns the number of a counted notify: small, and unique among the counted notifies of the device.
 *
 * @param cntNotify a notify of aclrtCntNotifyCreate.
 * @param notifyId receives the number, below 8,192.
 * @return the codes of aclrtGetNotifyId.
 * @note Thread-safe. Follows aclrtCntNotifyGetId of the Ascend runtime API.
 */
aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t *notifyId);

/**
 * Begins to capture a stream: its operations are recorded instead of run: copies, fills, reductions, random numbers,
 * kernels, host functions, tasks (portaclLaunchTask), prefetches, values, notifies, uses of events and of pool memory,
 * and launches of other graphs, whose tasks are copied into the graph. Earlier operations of the stream still run.
 * Another stream of the device joins the capture when it waits for an event that was recorded in it; before the
 * capture ends, the first stream must wait for the last operations of all joined streams.
 *
 * The mode determines the threads on which the capture forbids calls that cannot be captured: synchronous memory
 * operations (aclrtMemcpy, aclrtMemset and similar), asynchronous copies of pageable memory, and aclmdlRIExecute. Such
 * a call invalidates the capture. So does synchronizing or querying a captured stream or an event recorded in the
 * capture, or synchronizing their device. Memory that the stream allocates from pools belongs to the graph.
 *
 * @param stream a stream; not a default stream, and without ACL_STREAM_PERSISTENT.
 * @param mode ACL_MODEL_RI_CAPTURE_MODE_GLOBAL 0: all threads; ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL 1: the calling
 *     thread; a thread can exclude itself from both (aclmdlRICaptureThreadExchangeMode);
 *     ACL_MODEL_RI_CAPTURE_MODE_RELAXED 2: none. Copies of pageable memory are then captured, and each launch reads
 *     and writes the memory when it runs.
 * @retval ACL_ERROR_INVALID_PARAM 100000: an unknown mode.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT 107031: a default stream.
 * @retval ACL_ERROR_RT_STREAM_CAPTURED 107027: the stream is already being captured, or changes a task group.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, with ACL_STREAM_PERSISTENT, or called inside a
 *     host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no more graphs can be created.
 * @note Thread-safe. Follows aclmdlRICaptureBegin of the Ascend runtime API; what is forbidden, and that it makes the
 *     capture invalid, follows CUDA's stream capture.
 */
aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);

/**
 * Ends a capture and returns the graph. The streams of the capture run their operations again. If the call fails with
 * 107025, 507903, 507899 or 207000, or because a task group is open, the capture has ended without a graph.
 *
 * @param stream the stream that the capture began with.
 * @param modelRI receives the graph; the caller destroys it with aclmdlRIDestroy, unless it is a body
 *     (aclmdlRICaptureToModelRIBegin).
 * @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null.
 * @retval ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: the stream is not being captured.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED 107036: the capture began with another stream.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD 107038: another thread began it, in a mode other than
 *     ACL_MODEL_RI_CAPTURE_MODE_RELAXED.
 * @retval ACL_ERROR_RT_STREAM_UNJOINED 107025: the first stream does not wait for the last operations of a joined
 *     stream.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture was invalidated.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899, ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver refuses the
 *     graph, or has no graphs; or a graph with conditional tasks, or a body, has task groups, tasks of
 *     portaclLaunchTask, or waits for something outside of the graph.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, a task group is open, the graph that contains a
 *     body was destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
 *     context of another device.
 * @note Thread-safe. Follows aclmdlRICaptureEnd of the Ascend runtime API.
 */
aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI);

/**
 * Returns whether a stream is being captured, and into which graph. Changes nothing, and costs a few instructions for
 * a stream that is not being captured.
 *
 * @param stream a stream; null: the default stream of the current context, which is never captured.
 * @param status receives ACL_MODEL_RI_CAPTURE_STATUS_NONE 0, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE 1, or
 *     ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED 2 for a capture that can only be ended.
 * @param modelRI receives the graph that is being captured, which cannot be launched yet; null for a stream that is
 *     not being captured.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device.
 * @note Thread-safe. Follows aclmdlRICaptureGetInfo of the Ascend runtime API.
 */
aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI);

/**
 * Exchanges the capture mode of this thread, initially ACL_MODEL_RI_CAPTURE_MODE_GLOBAL: it determines which captures
 * can forbid calls on this thread. A program that copies memory synchronously during a capture exchanges the mode
 * before these calls and again afterwards.
 *
 * @param mode the new mode; receives the previous one. ACL_MODEL_RI_CAPTURE_MODE_GLOBAL 0: the thread's captures and
 *     global captures of other threads; ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL 1: the thread's captures;
 *     ACL_MODEL_RI_CAPTURE_MODE_RELAXED 2: no captures. Captures that were begun in relaxed mode forbid nothing.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown mode.
 * @note Affects the calling thread only. Follows aclmdlRICaptureThreadExchangeMode of the Ascend runtime API.
 */
aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode);

/**
 * Begins a task group: the following operations of the captured stream can be changed later with
 * aclmdlRICaptureTaskUpdateBegin. A group can contain copies (except those whose addresses are read from memory),
 * fills, reductions, random numbers, kernels and host functions; records of events and waits for events, which define
 * the order of the graph, do not become part of it. Put only operations that change into a group: a launch has to read
 * the group when it reaches it.
 *
 * @param stream a stream that takes part in a capture.
 * @retval ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: the stream is not being captured.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the stream already has an open group; not a stream, destroyed, or called
 *     inside a host function.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no more groups can be created.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture was invalidated.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
 *     context of another device.
 * @note Thread-safe. Follows aclmdlRICaptureTaskGrpBegin of the Ascend runtime API.
 */
aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);

/**
 * Ends a task group and returns its handle, which can be used from the end of the capture on, as long as the graph
 * exists. It need not be destroyed.
 *
 * @param stream the stream that the group began with.
 * @param handle receives the group.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `handle` is null.
 * @retval ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: the stream is not being captured.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the stream has no open group; not a stream, destroyed, or called inside a
 *     host function.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture was invalidated.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
 *     context of another device.
 * @note Thread-safe. Follows aclmdlRICaptureTaskGrpEnd of the Ascend runtime API.
 */
aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle);

/**
 * Begins an update of a task group: the operations of the stream until aclmdlRICaptureTaskUpdateEnd do not run, but
 * replace those of the group. Their number, kinds and order must be those of the group; their arguments, kernels and
 * sizes may differ.
 *
 * @param stream a stream that is not being captured; null: the default stream of the current context.
 * @param handle a group of a graph of the stream's device.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `handle` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a group, or its graph was destroyed; the stream or the group is
 *     already in an update; not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_STREAM_CAPTURED 107027: the stream is being captured, or has ACL_STREAM_PERSISTENT.
 * @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the group belongs to another device, or the stream is on another device
 *     than the current context.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclmdlRICaptureTaskUpdateBegin of the Ascend runtime API.
 */
aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle);

/**
 * Ends an update and enqueues it: the group changes when the stream reaches this operation, and launches that reach
 * the group later use the new operations. So events can order the two. A launch that is already enqueued and waits
 * before the group for an event with ACL_EVENT_EXTERNAL uses the updates that are ordered before the record of that
 * event; a launch that has passed the group does not change. If this fails, the group stays as it was. The update has
 * ended then, and operations that are enqueued from now on run; but after 107002 and 107003, inside a host function,
 * and after 200000 for host memory, the update is still open: call again.
 *
 * @param stream the stream of the update.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the stream has no open update; its operations do not match the group; not
 *     a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @retval ACL_ERROR_BAD_ALLOC 200000: the host has no memory, or no thread for graphs can be started.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
 *     context of another device.
 * @note Thread-safe. Follows aclmdlRICaptureTaskUpdateEnd of the Ascend runtime API.
 */
aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);

/**
 * Begins to build a graph, on the device of the current context. Streams with ACL_STREAM_PERSISTENT can be bound to
 * it; their operations are recorded, as in a capture with ACL_MODEL_RI_CAPTURE_MODE_RELAXED: no call is forbidden on
 * any thread, and each launch reads and writes pageable memory when it runs.
 *
 * @param modelRI receives the graph; the caller destroys it with aclmdlRIDestroy, at any time before its first launch
 *     or when no launch is pending.
 * @param flag 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null, or an unknown flag.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no more graphs can be created.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclmdlRIBuildBegin of the Ascend runtime API.
 */
aclError aclmdlRIBuildBegin(aclmdlRI *modelRI, uint32_t flag);

/**
 * Binds a stream to a graph that is being built: later operations of the stream are recorded in the graph. Other bound
 * streams can wait for events that the stream records, if they are recorded first. Any thread may use the stream.
 *
 * @param modelRI a graph of aclmdlRIBuildBegin.
 * @param stream a stream with ACL_STREAM_PERSISTENT of the same device that is not bound to a graph; not null.
 * @param flag 0: each launch starts the stream; 0x7fffffff: launches do not start it, unless another stream of the
 *     graph does.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or another flag.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph or stream, destroyed, a captured graph or one whose building
 *     has ended, a stream without ACL_STREAM_PERSISTENT or already bound, or called inside a host function.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the graph or the current context.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building was invalidated.
 * @note Thread-safe. Follows aclmdlRIBindStream of the Ascend runtime API.
 */
aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag);

/**
 * Unbinds a stream from a graph, so that it can be destroyed or bound to another graph. The graph keeps what was
 * recorded, and can still be launched. aclmdlRIDestroy unbinds all streams.
 *
 * @param modelRI a graph of aclmdlRIBuildBegin.
 * @param stream a stream that is bound to the graph.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_STREAM_MODEL 107005: the stream is not bound to this graph.
 * @retval ACL_ERROR_RT_MODEL_RUNNING 107037: a launch is not complete.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver failed to report whether a launch is complete.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph or stream, destroyed, a captured graph, the stream has
 *     recorded operations and the graph is still being built, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
 *     context of another device.
 * @note Thread-safe. Follows aclmdlRIUnbindStream of the Ascend runtime API.
 */
aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream);

/**
 * Records the end of a graph: the stream ends there. A launch is complete when all streams that it started have ended.
 * Operations after the end run only if a label leads there.
 *
 * @param modelRI a graph that is being built.
 * @param stream a stream that is bound to the graph.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_STREAM_MODEL 107005: the stream is not bound to this graph.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph or stream, destroyed, a captured graph or one whose building
 *     has ended, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
 *     context of another device.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building was invalidated.
 * @note Thread-safe. Follows aclmdlRIEndTask of the Ascend runtime API.
 */
aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream);

/**
 * Ends the building of a graph, which can then be launched (aclmdlRIExecuteAsync, aclmdlRIExecute). Its streams accept
 * no more operations until they are unbound. If the call fails, the graph is still being built.
 *
 * @param modelRI a graph that is being built, with an end (aclmdlRIEndTask).
 * @param reserve null.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null, or `reserve` is not null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, captured, its building has already ended, no
 *     stream that launches start has the end, a label of a branch is not set, launches would never end because a
 *     stream waits for a stream that is never started or only jumps between labels, or called inside a host function.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building was invalidated: a stream was destroyed or
 *     aborted, recorded an operation that graphs do not support, or waited for an event of work outside of the graph.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899, ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver refuses the
 *     graph, or has no graphs or cannot run branches; or a graph with labels, switches or starts of streams waits for
 *     something outside of it, has tasks of portaclLaunchTask, or branches to a label of another stream.
 * @note Thread-safe. Follows aclmdlRIBuildEnd of the Ascend runtime API.
 */
aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void *reserve);

/**
 * Begins to capture a stream into a body of a conditional task (aclmdlRIAddCondTask), as aclmdlRICaptureBegin does
 * into a new graph. aclmdlRICaptureEnd ends it, and returns the body. A body is captured once, during the capture of
 * its graph or afterwards, but before the graph is launched; if the capture fails, the body is empty again. Operations
 * that a body does not support return 207000, some of them only in aclmdlRICaptureEnd: pool memory, task groups, tasks
 * of portaclLaunchTask, and waits for values, notifies and events outside of the body.
 *
 * @param stream a stream of the graph's device that is not being captured, as for aclmdlRICaptureBegin.
 * @param modelRI a body that is empty.
 * @param mode as in aclmdlRICaptureBegin.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null, or an unknown mode.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `modelRI` is not a graph, destroyed, not a body, or already captured; not
 *     a stream, destroyed, with ACL_STREAM_PERSISTENT, or called inside a host function.
 * @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: another stream is captured into it.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT 107031: a default stream.
 * @retval ACL_ERROR_RT_STREAM_CAPTURED 107027: the stream is already being captured, or changes a task group.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the graph or the current context.
 * @note Thread-safe. Follows cudaStreamBeginCaptureToGraph of CUDA, for bodies.
 */
aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI, aclmdlRICaptureMode mode);

/**
 * Creates the value of a conditional task: a 64-bit number in device memory, initially 0. Tasks of the graph write it
 * (such as kernels, copies and aclrtValueWrite) at the address of aclmdlRICondHandleGetCondPtr. The handle and the
 * memory are released with the graph and must not be destroyed.
 *
 * @param modelRI a graph that is being captured (aclmdlRICaptureGetInfo returns it), or an empty body. The task must
 *     be in this graph, or in a body inside it.
 * @param defaultLaunchValue the value at the start of each launch; for a body: at each start of the body.
 * @param flag ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT 1; 0: the value keeps its previous contents, and
 *     `defaultLaunchValue` is ignored.
 * @param handle receives the handle.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or another flag.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, its capture has ended, or called inside a host
 *     function.
 * @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no device memory.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no more handles can be created.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a graph of aclmdlRIBuildBegin.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Follows cudaGraphConditionalHandleCreate of CUDA; values without a default, and the defaults of
 *     bodies, are portacl's choice.
 */
aclError aclmdlRICondHandleCreate(aclmdlRI modelRI,
                                  uint32_t defaultLaunchValue,
                                  aclmdlRICondHandleFlag flag,
                                  aclmdlRICondHandle *handle);

/**
 * Returns the device address of a condition's value: 8 bytes, aligned, accessible to all operations on device memory.
 * Do not free them; they are released with the graph.
 *
 * @param handle a handle of aclmdlRICondHandleCreate.
 * @param ptr receives the address.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a condition handle, or its graph was destroyed.
 * @note Thread-safe. Follows aclmdlRICondHandleGetCondPtr of the Ascend runtime API.
 */
aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t **ptr);

/**
 * Captures a conditional task, after the earlier operations of the stream: when a launch reaches it, it reads a value
 * and runs one of the task's bodies, or none; later operations of the stream are ordered after that. The bodies are
 * new, empty graphs: capture each of them with aclmdlRICaptureToModelRIBegin before the first launch of the graph.
 * They belong to the graph, run only as a part of it, and must not be destroyed. Bodies may contain conditional tasks,
 * up to 16 levels deep.
 *
 * ACL_MODEL_RI_COND_TYPE_IF 0: one body, which runs if the value is not 0, or two, of which the second runs if it is
 * 0. ACL_MODEL_RI_COND_TYPE_WHILE 1: one body, which runs repeatedly until the value is 0; not at all if it is 0 at
 * first. ACL_MODEL_RI_COND_TYPE_SWITCH 2: up to 1,024 bodies; the body whose number, counted from 0, equals the value
 * runs; none for a larger value.
 *
 * The host evaluates the value. A driver whose streams cannot wait for the host does not support conditional tasks.
 *
 * @param params `handle`: a condition handle that no other task uses, of the captured graph or of a graph that
 *     contains it; `type`; `size`: the number of bodies; `modelRIArray`: an array of that length, which receives the
 *     bodies.
 * @param stream a stream that is being captured.
 * @param flags 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null member, an unknown type, an invalid number of bodies for the type, or
 *     unknown flags.
 * @retval ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029: the stream is not being captured.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture was invalidated.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a condition handle, its graph was destroyed, it is already used or
 *     belongs to another graph; not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: nested too deeply, a stream that is bound to a graph, or the driver
 *     does not support it.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no more graphs can be created.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
 *     context of another device.
 * @note Thread-safe. Follows CUDA's conditional nodes (cudaGraphConditionalNodeType).
 */
aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream, uint32_t flags);

/**
 * Launches a graph on the default stream of the current context, and waits for its completion. Returns 107000 inside a
 * callback of the program if it could wait forever: docs/callbacks.md.
 *
 * @param modelRI a graph.
 * @param timeout milliseconds, greater than 0, or -1 for no timeout. The launch continues after a timeout, unless the
 *     error text says that the stream had no room for it: docs/cpu_and_cuda.md.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: an invalid timeout, not a graph, destroyed, a body, memory that it uses
 *     was freed, or called inside a host function.
 * @retval ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046: not complete within the timeout.
 * @retval ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC 107041: a capture forbids waits on this thread; also the codes of
 *     aclmdlRIExecuteAsync, and those of aclrtSynchronizeStream for failures in the stream.
 * @note Thread-safe. Follows aclmdlRIExecute of the Ascend runtime API.
 */
aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);

/**
 * Launches a graph as one operation of a stream, in stream order. A graph may be launched any number of times, in any
 * streams of its device; its launches run one after the other. Each launch reads and writes host memory when it runs.
 * In a captured stream, the current tasks of the graph become tasks of the captured graph, if they can (else 207000).
 *
 * The first launch of a graph with conditional tasks prepares its bodies, which takes longer.
 *
 * The program must keep what a graph uses while launches are pending: memory, events and kernels. Memory that was
 * freed before this call is detected; memory that is freed afterwards stays valid for the launch, as for other
 * operations.
 *
 * @param modelRI a graph.
 * @param stream a stream of its device; null: the default stream of the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph or stream, destroyed, the body of a conditional task, one of
 *     its bodies is not captured, a loop has a body without tasks, memory that the graph uses was freed, or called
 *     inside a host function.
 * @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
 * @retval ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING 107045: the graph is still being captured or built and the stream is
 *     being captured, or one of its bodies is being captured.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the capture of the stream was invalidated.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the graph or the current context.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008, ACL_ERROR_BAD_ALLOC 200000: no thread can be started that runs or
 *     watches tasks of the graph; 200000 also: the host has no memory.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the graph has task groups, tasks of portaclLaunchTask or waits for
 *     notifies, and streams of this driver cannot wait for a word in memory; or the stream is captured, and the graph
 *     has pool memory, labels, switches, conditional tasks or streams that start others.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Follows aclmdlRIExecuteAsync of the Ascend runtime API.
 */
aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);

/**
 * Skips the tasks of pending launches of a graph that have not started; does not wait. On CPU devices, synchronizing a
 * stream of such a launch returns ACL_ERROR_RT_STREAM_ABORT 107023, unless only task groups were skipped. A GPU's
 * driver drops nothing: there the launches run to their end, without task groups that they have not reached. Launches
 * of graphs with labels, switches and conditional tasks end at the next branch that the host evaluates, on both
 * (107023). Other launches still do, on both, what concerns values, notifies and events with ACL_EVENT_EXTERNAL or
 * ACL_EVENT_IPC, waits for other events outside of the graph, tasks of portaclLaunchTask, and copies whose addresses
 * are read from memory. aclrtStreamAbort of the stream ends these waits on CPUs; on GPUs those for notifies, for such
 * events, and for values in managed memory. The graph can be launched again.
 *
 * @param modelRI a graph.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, the body of a conditional task, or called inside
 *     a host function.
 * @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
 * @note Thread-safe. Follows aclmdlRIAbort of the Ascend runtime API.
 */
aclError aclmdlRIAbort(aclmdlRI modelRI);

/**
 * Destroys a graph that is not running, with the bodies and values of its conditional tasks. A graph is also destroyed
 * with its device. If the graph was already released with its device, the first call succeeds and does nothing:
 * docs/failures.md.
 *
 * @param modelRI a graph.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, already destroyed, the body of a conditional task, or called
 *     inside a host function.
 * @retval ACL_ERROR_RT_MODEL_RUNNING 107037: a launch of it is not complete; the graph stays.
 * @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver failed to report whether a launch is complete, and the
 *     graph stays; or the graph is destroyed, but the driver failed to free memory of it.
 * @note Thread-safe. Follows aclmdlRIDestroy of the Ascend runtime API.
 */
aclError aclmdlRIDestroy(aclmdlRI modelRI);

/**
 * Sets the name of a graph. The name appears in aclmdlRIGetName and in printed graphs.
 *
 * @param modelRI a graph; it may still be captured.
 * @param name a text of at most 512 bytes without the terminating zero, which is copied; "" removes the name. Invalid
 *     UTF-8 is replaced.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, or a name that is too long.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed.
 * @note Thread-safe. Follows aclmdlRISetName of the Ascend runtime API.
 */
aclError aclmdlRISetName(aclmdlRI modelRI, const char *name);

/**
 * Returns the name of a graph; "" if it has none.
 *
 * @param modelRI a graph; it may still be captured.
 * @param maxLen size of `name` in bytes, at least 1; a longer name is truncated, and the text always ends with a zero.
 *     513 bytes are enough for every name in UTF-8.
 * @param name receives the name.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, or `maxLen` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed.
 * @note Thread-safe. Follows aclmdlRIGetName of the Ascend runtime API.
 */
aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char *name);

/**
 * Returns the number of a graph. It is unique in this process, also among destroyed graphs.
 *
 * @param modelRI a graph; it may still be captured.
 * @param modelRIId receives the number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed.
 * @note Thread-safe. Follows aclmdlRIGetId of the Ascend runtime API.
 */
aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId);

/**
 * Lists the streams of a graph, ordered by the first task of each; a graph without tasks has none. They are not the
 * captured streams, which may be destroyed before the graph: each contains what one of those recorded in this graph,
 * and is accepted only by aclmdlRIGetTasksByStream. They are valid until the graph is destroyed.
 *
 * @param modelRI a graph.
 * @param streams array for the streams; null: only returns their number.
 * @param numStreams the length of `streams`; receives the number of streams.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` or `numStreams` is null.
 * @retval ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY 107039: the array is too short; only `numStreams` is written.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed.
 * @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no more handles are available.
 * @note Thread-safe. Follows aclmdlRIGetStreams of the Ascend runtime API.
 */
aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream *streams, uint32_t *numStreams);

/**
 * Lists the tasks of a graph's stream, in the order of their calls. Each captured call is a task, and so is each copy
 * of a batch; tasks of other graphs that were copied belong to the stream that launched them. The tasks are valid
 * until the graph is destroyed.
 *
 * @param stream a stream of aclmdlRIGetStreams; or a stream of the program: it stands for what it recorded in the
 *     latest graph that still exists.
 * @param tasks array for the tasks; null: only returns their number.
 * @param numTasks the length of `tasks`; receives the number of tasks.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `stream` or `numTasks` is null.
 * @retval ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY 107039: the array is too short; only `numTasks` is written.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or part of no graph.
 * @retval ACL_ERROR_RT_STREAM_CAPTURED 107027: a stream of the program that is being captured, or is bound to a graph
 *     that is being built.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no more handles are available.
 * @note Thread-safe. Follows aclmdlRIGetTasksByStream of the Ascend runtime API.
 */
aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask *tasks, uint32_t *numTasks);

/**
 * Returns the kind of a task.
 *
 * @param task a task of aclmdlRIGetTasksByStream.
 * @param type receives ACL_MODEL_RI_TASK_KERNEL 1, ACL_MODEL_RI_TASK_EVENT_RECORD 2, ACL_MODEL_RI_TASK_EVENT_WAIT 3,
 *     ACL_MODEL_RI_TASK_EVENT_RESET 4, ACL_MODEL_RI_TASK_VALUE_WRITE 5, ACL_MODEL_RI_TASK_VALUE_WAIT 6, or for all
 *     others, such as copies and host functions, ACL_MODEL_RI_TASK_DEFAULT 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task, or its graph was destroyed.
 * @note Thread-safe. Follows aclmdlRITaskGetType of the Ascend runtime API.
 */
aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType *type);

/**
 * Returns the position of a task in its stream: 0 for the first one.
 *
 * @param task a task of aclmdlRIGetTasksByStream.
 * @param id receives the position.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task, or its graph was destroyed.
 * @note Thread-safe. Follows aclmdlRITaskGetSeqId of the Ascend runtime API.
 */
aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t *id);

/**
 * Returns the parameters of a task, as they were captured or set last, in effect or not.
 *
 * Kernel: its handle, its attributes (`cfg` is null if it has none), a copy of its arguments in host memory
 * (`isHostArgs` 1), their size, and the number of blocks of its whole grid. The library owns what `cfg` and `args`
 * point to; it is read-only, and valid until the task is changed or its graph is updated or destroyed. Event: its
 * handle, the flags that it was created with (0 if it was destroyed), and 1 if it works outside of the graph. Value:
 * its address, the value, and the comparison. Other tasks have a type only. `taskGrp` is the group of the task, or
 * null; `opInfoPtr` is null.
 *
 * @param task a task of aclmdlRIGetTasksByStream.
 * @param params receives the type, and the parameters in the member of that type; everything else is 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task, or its graph was destroyed.
 * @note Thread-safe. Follows aclmdlRITaskGetParams of the Ascend runtime API.
 */
aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams *params);

/**
 * Changes the parameters of a task. The change takes effect at the next aclmdlRIUpdate. Also enables a disabled task.
 *
 * Kernel: another kernel of the same device, other attributes, arguments (read during the call) and blocks; if the
 * number of blocks stays the same, a grid of several dimensions is kept, and so are the threads per block. Record of
 * an event: another event of the device, which later launches record; inside of the graph both events have a timestamp
 * or neither has one; the tasks that are ordered after the record stay the same. Reset of an event: another event. In
 * both cases the new event has ACL_EVENT_EXTERNAL exactly if the first event has it; for a record outside of the graph
 * the same holds for ACL_EVENT_IPC. Wait for an event outside of the graph: another event, for whose record or signal
 * later launches wait; a wait inside of the graph keeps its event. Value that is written or waited for: another
 * address, value and comparison. Other tasks (such as copies, fills and host functions) have no parameters; passing
 * the zeros that aclmdlRITaskGetParams returned only enables them. Tasks that were captured in a task group can only
 * be changed by an update of the group (aclmdlRICaptureTaskUpdateBegin).
 *
 * @param task a task of aclmdlRIGetTasksByStream.
 * @param params the parameters that aclmdlRITaskGetParams returned, changed; `type` is the type of the task.
 *     `eventFlag`, `taskGrp`, `opInfoPtr`, `opInfoSize` and reserved members are ignored.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, a null kernel, event or address, `numBlocks` is 0 or above
 *     the device's limit, null arguments, an unknown attribute, comparison or `isHostArgs`.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task, its graph was destroyed, another type, not a kernel, an event
 *     or memory from this library, an event that does not support waits or resets, or arguments that do not match.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: a kernel or event of another device.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: parameters for a task that has none, arguments in device memory,
 *     another flag, another event for a wait inside of the graph, an event with flags other than the previous event's,
 *     a task of a group, an attribute that is not supported.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address that is not a multiple of 8.
 * @note Thread-safe. Follows aclmdlRITaskSetParams of the Ascend runtime API.
 */
aclError aclmdlRITaskSetParams(aclmdlRITask task, aclmdlRITaskParams *params);

/**
 * Makes the changes of aclmdlRITaskSetParams and aclmdlRITaskDisable take effect in a graph: for launches that are
 * enqueued from now on; launches that were enqueued before do not change. If the driver of a GPU cannot update its
 * graph in place, the graph is instantiated again. If that fails the graph stays as it was, and the changes stay
 * pending until the next call.
 *
 * @param modelRI a graph.
 * @retval ACL_SUCCESS 0: also if nothing was changed
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: changes of a graph with labels, switches, conditional tasks or
 *     streams that start other streams, or of a body.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Follows aclmdlRIUpdate of the Ascend runtime API.
 */
aclError aclmdlRIUpdate(aclmdlRI modelRI);

/**
 * Disables a task of a graph from the next aclmdlRIUpdate on; the order of the other tasks does not change.
 * aclmdlRITaskSetParams enables it again.
 *
 * @param task a task of aclmdlRIGetTasksByStream, of any type.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task, or its graph was destroyed.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a task of a group.
 * @note Thread-safe. Follows aclmdlRITaskDisable of the Ascend runtime API.
 */
aclError aclmdlRITaskDisable(aclmdlRITask task);

/**
 * Returns an attribute of a kernel in a graph, as it was captured or set last.
 *
 * @param task a task of aclmdlRIGetTasksByStream, of type ACL_MODEL_RI_TASK_KERNEL.
 * @param attrId an enumerator of aclrtLaunchKernelAttrId.
 * @param attrValue receives the value in the member of that attribute; 0 if the launch does not have it.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, or an unknown attribute.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task, its graph was destroyed, or a task of another type.
 * @note Thread-safe. Follows aclmdlRIKernelTaskGetAttribute of the Ascend runtime API.
 */
aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask task,
                                        aclrtLaunchKernelAttrId attrId,
                                        aclrtLaunchKernelAttrValue *attrValue);

/**
 * Registers a function that is called when a graph is destroyed, or released with its device (aclrtResetDevice,
 * aclFinalize). At that time the graph's handle is invalid, and no launch of it is pending. The functions of a graph
 * are called once, in the order of their registration, on the thread that destroys the graph. No lock is held: they
 * may call this library. The program keeps the function and its user data valid until the function has returned.
 *
 * @param modelRI a graph.
 * @param func the function.
 * @param userData argument of the function; may be null.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` or `func` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, the body of a conditional task, or the function
 *     is already registered for the graph.
 * @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
 * @note Thread-safe. Follows aclmdlRIDestroyRegisterCallback of the Ascend runtime API.
 */
aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func, void *userData);

/**
 * Removes a registration of aclmdlRIDestroyRegisterCallback.
 *
 * @param modelRI a graph.
 * @param func the function.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, or the function is not registered for the graph.
 * @note Thread-safe. Follows aclmdlRIDestroyUnregisterCallback of the Ascend runtime API.
 */
aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, aclrtCallback func);

/**
 * Prints a graph to standard output: its name and number, and for each of its streams the tasks, with their parameters
 * and the tasks that they are ordered after. Parameters are those in effect.
 *
 * @param modelRI a graph.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed.
 * @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
 * @retval ACL_ERROR_INVALID_FILE 100003: standard output cannot be written.
 * @note Thread-safe. Follows aclmdlRIDebugPrint of the Ascend runtime API.
 */
aclError aclmdlRIDebugPrint(aclmdlRI modelRI);

/**
 * Writes a graph to a JSON file: one object with the graph's `name`, `id` and `device`, its `streams`, each with the
 * `id` of the program's stream (null if it was destroyed) and the number of its `tasks`, and all `tasks`. A task has
 * its `id` (its index in the list), its `stream` and its position there (`sequence`), its `kind` as a word and its
 * `type` as a number of aclmdlRITaskGetType, whether it is `disabled`, the tasks that it is ordered `after`, its
 * parameters: sizes, names of kernels, events, and for a conditional task its `bodies`, which are such objects.
 * Handles, addresses and 64-bit values are strings in hexadecimal.
 *
 * @param modelRI a graph.
 * @param path the file, which is overwritten.
 * @param flags ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY 0, or ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE 1: also with addresses and
 *     arguments.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument, or other flags.
 * @retval ACL_ERROR_INVALID_FILE 100003: the file cannot be written.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed.
 * @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
 * @note Thread-safe. Follows aclmdlRIDebugJsonPrint of the Ascend runtime API; the format of the file is portacl's
 *     choice.
 */
aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags);

/**
 * Creates a label, which aclrtSetLabel sets in a stream of a graph that is being built.
 *
 * @param label receives the handle; the caller destroys it with aclrtDestroyLabel. It belongs to the device of the
 *     current context, and is released with it.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no more can be created.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtCreateLabel of the Ascend runtime API.
 */
aclError aclrtCreateLabel(aclrtLabel *label);

/**
 * Destroys a label. Graphs that contain it do not change. If the label was already released with its device, the first
 * call succeeds and does nothing: docs/failures.md.
 *
 * @param label a label.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a label, already destroyed, or called inside a host function.
 * @note Thread-safe. Follows aclrtDestroyLabel of the Ascend runtime API.
 */
aclError aclrtDestroyLabel(aclrtLabel label);

/**
 * Sets a label after the operations that a stream has recorded so far: aclrtSwitchLabelByIndex in the same stream,
 * earlier or later, continues there. A label marks one place, and is set once.
 *
 * @param label a label that is not set.
 * @param stream a stream that is bound to a graph that is being built.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `label` is null.
 * @retval ACL_ERROR_RT_STREAM_MODEL 107005: the stream is bound to no graph.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a label or stream, destroyed, a label that is already set, the
 *     building of the graph has ended, or called inside a host function.
 * @retval ACL_ERROR_RT_LABEL_CONTEXT 507031: the label was created for another device.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
 *     context of another device.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building was invalidated.
 * @note Thread-safe. Follows aclrtSetLabel of the Ascend runtime API.
 */
aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream);

/**
 * Creates a list of labels, for aclrtSwitchLabelByIndex. It stores their handles.
 *
 * @param labels `num` labels, set or not; a label may occur repeatedly.
 * @param num number of labels, greater than 0.
 * @param labelList receives the handle; the caller destroys it with aclrtDestroyLabelList.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument or label, or `num` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a label, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_LABEL_CONTEXT 507031: a label was created for another device.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no more can be created.
 * @note Thread-safe. Follows aclrtCreateLabelList of the Ascend runtime API.
 */
aclError aclrtCreateLabelList(aclrtLabel *labels, size_t num, aclrtLabelList *labelList);

/**
 * Destroys a list of labels, not the labels. Operations that were recorded with it do not change. If the list was
 * already released with its device, the first call succeeds and does nothing: docs/failures.md.
 *
 * @param labelList a list.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a list of labels, already destroyed, or called inside a host
 *     function.
 * @note Thread-safe. Follows aclrtDestroyLabelList of the Ascend runtime API.
 */
aclError aclrtDestroyLabelList(aclrtLabelList labelList);

/**
 * Records a branch: when a launch reaches it, the stream reads an index from memory and continues at that label of a
 * list. Operations after the branch run only if a label leads there.
 *
 * The host evaluates the index: each branch costs a launch some microseconds on CPU devices, and the time of a small
 * copy on a GPU.
 *
 * @param ptr address of the index: 32 bits of device memory, aligned. An index greater than `maxValue` - 1 counts as
 *     `maxValue` - 1.
 * @param maxValue how many labels of the list can be selected: 1 to the length of the list.
 * @param labelList a list of labels that are set in the same stream before aclmdlRIBuildEnd.
 * @param stream a stream that is bound to a graph that is being built.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or `maxValue` is 0.
 * @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: `ptr` is not a multiple of 4.
 * @retval ACL_ERROR_RT_STREAM_MODEL 107005: the stream is bound to no graph.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a list or stream, destroyed, `maxValue` is greater than the length of
 *     the list, `ptr` is not memory of the stream's device, the building of the graph has ended, or called inside a
 *     host function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: memory of another device that the stream's device can access.
 * @retval ACL_ERROR_RT_LABEL_CONTEXT 507031: labels of another device.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
 *     context of another device.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building was invalidated.
 * @note Thread-safe. Follows aclrtSwitchLabelByIndex of the Ascend runtime API; the rule for an index past the list is
 *     portacl's choice.
 */
aclError aclrtSwitchLabelByIndex(void *ptr, uint32_t maxValue, aclrtLabelList labelList, aclrtStream stream);

/**
 * Records the start of another stream of the same graph: when a launch reaches it, `activeStream` runs its operations
 * from the beginning, ordered after the earlier operations of `stream`, and `stream` continues. A stream that is
 * running starts again after it has ended.
 *
 * @param activeStream a stream that is bound to the same graph; usually bound with 0x7fffffff, so that launches do not
 *     start it.
 * @param stream a stream that is bound to a graph that is being built.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `activeStream` is null.
 * @retval ACL_ERROR_RT_STREAM_MODEL 107005: a stream is bound to no graph, or to another graph.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, the building of the graph has ended, or called
 *     inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
 *     context of another device.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building was invalidated.
 * @note Thread-safe. Follows aclrtActiveStream of the Ascend runtime API.
 */
aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream);

/**
 * Records a branch between streams of the same graph: when a launch reaches it, two values in memory are compared, one
 * of two streams starts as with aclrtActiveStream, and `stream` ends there. If the condition is false and
 * `falseStream` is null, `stream` continues instead.
 *
 * @param leftValue a signed number in device memory, aligned.
 * @param cond the comparison: whether `leftValue` is ACL_RT_EQUAL 0, ACL_RT_NOT_EQUAL 1, ACL_RT_GREATER 2,
 *     ACL_RT_GREATER_OR_EQUAL 3, ACL_RT_LESS 4 or ACL_RT_LESS_OR_EQUAL 5 to `rightValue`.
 * @param rightValue a signed number in device memory, aligned.
 * @param dataType ACL_RT_SWITCH_INT32 0: both have 32 bits; ACL_RT_SWITCH_INT64 1: 64 bits.
 * @param trueStream a stream that is bound to the same graph.
 * @param falseStream another stream that is bound to the same graph, or null.
 * @param stream a stream that is bound to a graph that is being built.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown `cond` or `dataType`.
 * @retval ACL_ERROR_RT_ADDR_UNALIGNED 107008: an address is not a multiple of the size of its number.
 * @retval ACL_ERROR_RT_STREAM_MODEL 107005: a stream is bound to no graph, or to another graph.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, an address is not memory of the stream's device,
 *     the building of the graph has ended, or called inside a host function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: memory of another device that the stream's device can access.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002, ACL_ERROR_RT_STREAM_CONTEXT 107003: no current context, or a current
 *     context of another device.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the building was invalidated.
 * @note Thread-safe. Follows aclrtSwitchStream of the Ascend runtime API; a null `falseStream` is portacl's choice.
 */
aclError aclrtSwitchStream(void *leftValue,
                           aclrtCondition cond,
                           void *rightValue,
                           aclrtCompareDataType dataType,
                           aclrtStream trueStream,
                           aclrtStream falseStream,
                           aclrtStream stream);

/**
 * Creates a description of a kernel binary, to be loaded with aclrtBinaryLoad. The bytes are copied. Works at any
 * time, without a device; the description lives until it is destroyed, also through aclFinalize.
 *
 * @param data first byte of the binary, which is checked when it is loaded.
 * @param dataLen its length in bytes, at least 1.
 * @return the description, to be destroyed with aclrtDestroyBinary; null if `data` is null or `dataLen` is 0
 *     (aclGetRecentErrMsg returns the text, ACL_ERROR_INVALID_PARAM 100000) or if no more can be created
 *     (ACL_ERROR_BAD_ALLOC 200000).
 * @note Thread-safe. Follows aclrtCreateBinary of the Ascend runtime API.
 */
aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen);

/**
 * Destroys the description of a binary. Binaries that were loaded from it stay loaded.
 *
 * @param binary from aclrtCreateBinary.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a description of a binary, or already destroyed.
 * @note Thread-safe. Follows aclrtDestroyBinary of the Ascend runtime API.
 */
aclError aclrtDestroyBinary(aclrtBinary binary);

/**
 * Loads a described kernel binary on the current device.
 *
 * @param binary from aclrtCreateBinary; it may be loaded several times, and on several devices.
 * @param binHandle receives the handle, to be unloaded with aclrtBinaryUnLoad. It is released with its device.
 * @return the codes of aclrtBinaryLoadFromData
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `binary` is not a description, or destroyed.
 * @note Thread-safe. Follows aclrtBinaryLoad of the Ascend runtime API.
 */
aclError aclrtBinaryLoad(aclrtBinary binary, aclrtBinHandle *binHandle);

/**
 * Loads a kernel binary from a file on the current device. The file is read during the call and may change afterwards.
 * aclrtBinaryLoadFromData describes the formats.
 *
 * @param binPath the file's path.
 * @param options null, or options; ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD and ACL_RT_BINARY_LOAD_OPT_MAGIC are accepted and
 *     have no effect.
 * @param binHandle receives the handle, to be unloaded with aclrtBinaryUnLoad. It is released with its device.
 * @return the codes of aclrtBinaryLoadFromData
 * @retval ACL_ERROR_INVALID_FILE 100003: the file cannot be read.
 * @retval ACL_ERROR_BAD_ALLOC 200000: the host has no memory for the file.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the file is empty.
 * @note Thread-safe. Follows aclrtBinaryLoadFromFile of the Ascend runtime API.
 */
aclError aclrtBinaryLoadFromFile(const char *binPath,
                                 aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *binHandle);

/**
 * Loads a kernel binary from memory on the current device. cuda backend: PTX text, a cubin or a fatbin. cpu backend:
 * an ELF shared object for this processor, built as described in portacl/kernel.h; its initializers run. Binaries for
 * Ascend cores return 207000.
 *
 * @param data first byte of the binary; not needed after the call.
 * @param length its length in bytes, at least 1.
 * @param options null, or options; ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD and ACL_RT_BINARY_LOAD_OPT_MAGIC are accepted and
 *     have no effect.
 * @param binHandle receives the handle, to be unloaded with aclrtBinaryUnLoad. It is released with its device.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `length` 0 or an unknown option.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the binary is truncated, damaged or cannot be linked, or called inside a
 *     host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a binary for other hardware, or
 *     ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE.
 * @note Thread-safe. Follows aclrtBinaryLoadFromData of the Ascend runtime API.
 */
aclError aclrtBinaryLoadFromData(const void *data,
                                 size_t length,
                                 const aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *binHandle);

/**
 * Unloads a binary; the handles of its kernels become invalid. Pending launches still run and keep what they need.
 * Does not wait. If the binary was already released with its device, the first call succeeds and does nothing:
 * docs/failures.md.
 *
 * @param binHandle a handle of aclrtBinaryLoad, aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a binary handle, unloaded, or called inside a host function.
 * @note Thread-safe. Follows aclrtBinaryUnLoad of the Ascend runtime API.
 */
aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);

/**
 * Returns a kernel by name.
 *
 * @param binHandle a handle of aclrtBinaryLoad, aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
 * @param kernelName the name; for a C++ kernel the plain name requires extern "C".
 * @param funcHandle receives the handle, which is the same for each call with this name; it ends with `binHandle`.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a binary handle, unloaded, no kernel of that name, or called inside a
 *     host function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: on the cpu backend in guard mode, the kernel has no description of
 *     its parameters.
 * @note Thread-safe. Follows aclrtBinaryGetFunction of the Ascend runtime API.
 */
aclError aclrtBinaryGetFunction(aclrtBinHandle binHandle, const char *kernelName, aclrtFuncHandle *funcHandle);

/**
 * Returns a kernel by number. A string in the binary (exported `const char` data) named portacl_entry_NUMBER contains
 * the kernel's name. PORTACL_KERNEL_ENTRY of portacl/kernel.h defines it; in CUDA C++ write `extern "C" __device__
 * const char portacl_entry_7[] = "name";`.
 *
 * @param binHandle a handle of aclrtBinaryLoad, aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
 * @param funcEntry the number.
 * @param funcHandle receives the handle that aclrtBinaryGetFunction returns for the name.
 * @return the codes of aclrtBinaryGetFunction
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: also if the binary has no such string, or the string is not a name.
 * @note Thread-safe. Follows aclrtBinaryGetFunctionByEntry of the Ascend runtime API; the encoding of numbers is
 *     portacl's choice.
 */
aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry, aclrtFuncHandle *funcHandle);

/**
 * Returns a global variable of a binary by name. It is device memory for copies, fills and kernel arguments, and is
 * valid until the binary is unloaded; it cannot be freed. On the cpu backend it is exported data of the shared object,
 * which the host may access as well.
 *
 * @param binHandle a handle of aclrtBinaryLoad, aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
 * @param name the name; for a C++ variable the plain name requires extern "C".
 * @param dptr receives its address.
 * @param size receives its size in bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a binary handle, unloaded, no variable of that name, or called inside
 *     a host function.
 * @note Thread-safe. Follows aclrtBinaryGetGlobal of the Ascend runtime API.
 */
aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char *name, void **dptr, size_t *size);

/**
 * Returns the address range of a binary: on the cpu backend where the loader has mapped the shared object.
 *
 * @param binHandle a handle of aclrtBinaryLoad, aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
 * @param binAddr receives its first address.
 * @param binSize receives its size in bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a program, or unloaded.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cuda`, whose driver does not report it.
 * @note Thread-safe. Follows aclrtBinaryGetDevAddress of the Ascend runtime API.
 */
aclError aclrtBinaryGetDevAddress(aclrtBinHandle binHandle, void **binAddr, size_t *binSize);

/**
 * Registers a function of a binary for the CPUs of the device.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclrtRegisterCpuFunc(aclrtBinHandle handle,
                              const char *funcName,
                              const char *kernelName,
                              aclrtFuncHandle *funcHandle);

/**
 * Returns the address through which cores of a device synchronize.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclrtGetHardwareSyncAddr(void **addr);

/**
 * Returns the address of a kernel's code. Devices here have one kind of cores.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param aicAddr receives the address: on the cpu backend the address of the C function.
 * @param aivAddr receives null: there is no second code.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cuda`, whose driver does not report it.
 * @note Thread-safe. Follows aclrtGetFunctionAddr of the Ascend runtime API.
 */
aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr);

/**
 * Returns an attribute of a kernel. Each block of a kernel may run on any core of the device, and the blocks run in
 * any order.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param attrType ACL_FUNC_ATTR_KERNEL_TYPE, with the value ACL_KERNEL_TYPE_AICORE, or
 *     ACL_FUNC_ATTR_KERNEL_SCHED_MODE, with the value 0.
 * @param attrValue receives the value.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or an unknown aclrtFuncAttribute.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: ACL_FUNC_ATTR_KERNEL_RATIO, which exists only for kernels on two
 *     kinds of cores.
 * @note Thread-safe. Follows aclrtGetFunctionAttribute of the Ascend runtime API.
 */
aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType, int64_t *attrValue);

/**
 * Returns the name of a kernel.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param maxLen size of `name` in bytes, at least 1; a longer name is truncated, and always zero-terminated.
 * @param name receives the name.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `maxLen` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
 * @note Thread-safe. Follows aclrtGetFunctionName of the Ascend runtime API.
 */
aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name);

/**
 * Returns the size of a kernel's code. Devices here have one kind of cores.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param aicSize receives the bytes: on the cpu backend those of the C function, without the functions that it calls.
 * @param aivSize receives 0: there is no second code.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cuda`, whose driver does not report it.
 * @note Thread-safe. Follows aclrtGetFunctionSize of the Ascend runtime API.
 */
aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t *aicSize, size_t *aivSize);

/**
 * Returns how much shared memory a launch of a kernel can request per block (ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE):
 * the device's limit minus the kernel's static shared memory.
 *
 * @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol for a kernel on the current
 *     device.
 * @param flags 0.
 * @param dynamicUbufSize receives the bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `flags` is not 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
 * @note Thread-safe. Follows aclrtFunctionGetAvailDynUbufPerBlock of the Ascend runtime API.
 */
aclError aclrtFunctionGetAvailDynUbufPerBlock(void *func, uint32_t flags, size_t *dynamicUbufSize);

/**
 * Returns the binary of a kernel.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param binHandle receives the handle of the binary; the call adds no reference, so it needs no additional unload.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
 * @note Thread-safe. Follows aclrtFunctionGetBinary of the Ascend runtime API.
 */
aclError aclrtFunctionGetBinary(aclrtFuncHandle funcHandle, aclrtBinHandle *binHandle);

/**
 * Returns the number of parameters of a kernel.
 *
 * @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol for a kernel on the current
 *     device.
 * @param paramCount receives the count.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: unknown: a CPU kernel without a description of its parameters
 *     (PORTACL_KERNEL of portacl/kernel.h), or a CUDA kernel that was not loaded from PTX text, with a driver older
 *     than 12.4.
 * @note Thread-safe. Follows aclrtFunctionGetParamCount of the Ascend runtime API.
 */
aclError aclrtFunctionGetParamCount(const void *func, size_t *paramCount);

/**
 * Returns the offset of a parameter in a block of arguments (aclrtLaunchKernel).
 *
 * @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol for a kernel on the current
 *     device.
 * @param paramIndex the index of the parameter, 0 for the first.
 * @param paramOffset receives the offset in bytes.
 * @param paramSize receives its size in bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `paramIndex` is not less than the count of
 *     aclrtFunctionGetParamCount.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: as in aclrtFunctionGetParamCount.
 * @note Thread-safe. Follows aclrtFunctionGetParamInfo of the Ascend runtime API.
 */
aclError aclrtFunctionGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset, size_t *paramSize);

/**
 * Begins an argument list of a kernel, for aclrtLaunchKernelWithConfig. The library owns the list: it is released with
 * the kernel's binary, and, once it was launched, at the earliest when 512 further lists were begun for the same
 * kernel. A list may be launched several times.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param argsHandle receives the list.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no more lists can be created.
 * @note Thread-safe. Follows aclrtKernelArgsInit of the Ascend runtime API; the lifetime of a list is portacl's
 *     choice.
 */
aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle);

/**
 * Begins an argument list of a kernel in the caller's memory. The caller keeps the memory, unmoved, as long as it
 * uses the list; there is nothing else to release. Overwrites a previous list in this memory.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param argsHandle host memory of the size that aclrtKernelArgsGetHandleMemSize returns, at a multiple of 8. It
 *     becomes the handle of the list.
 * @param userHostMem host memory for the arguments and their data.
 * @param actualArgsSize its size in bytes, as aclrtKernelArgsGetMemSize returns it.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, memory that is not aligned, or too little for the kernel's
 *     arguments.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
 * @note Thread-safe for different memory. Follows aclrtKernelArgsInitByUserMem of the Ascend runtime API.
 */
aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle,
                                      aclrtArgsHandle argsHandle,
                                      void *userHostMem,
                                      size_t actualArgsSize);

/**
 * Appends an argument to a list. If the kernel's parameters are known (aclrtFunctionGetParamInfo), it is placed at the
 * kernel's offset; otherwise after the previous argument, at a multiple of its size if that is 1, 2, 4 or 8, else of
 * 8.
 *
 * @param argsHandle a list that is not finalized.
 * @param param the argument's first byte; it is copied.
 * @param paramSize its size in bytes, at least 1; all arguments together have at most 4096 bytes.
 * @param paramHandle receives a handle of the argument for aclrtKernelArgsParaUpdate.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `paramSize` is 0, or the argument does not fit.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a list, finalized, the kernel's binary was unloaded, or the kernel's
 *     next parameter has another size or does not exist.
 * @note Thread-safe; a list in the caller's memory must be used by one thread at a time. Follows
 *     aclrtKernelArgsAppend of the Ascend runtime API.
 */
aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle,
                               void *param,
                               size_t paramSize,
                               aclrtParamHandle *paramHandle);

/**
 * Appends a placeholder: an argument that is the address of data in the buffer of aclrtKernelArgsGetPlaceHolderBuffer.
 * A launch copies the data to memory that devices can read, and passes its address.
 *
 * @param argsHandle a list that is not finalized.
 * @param paramHandle receives a handle of the placeholder for aclrtKernelArgsGetPlaceHolderBuffer.
 * @return the codes of aclrtKernelArgsAppend, for an argument of 8 bytes.
 * @note Thread-safe; a list in the caller's memory must be used by one thread at a time. Follows
 *     aclrtKernelArgsAppendPlaceHolder of the Ascend runtime API.
 */
aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle);

/**
 * Returns the buffer for the data of a placeholder; each launch copies its contents at that time. The buffer lives as
 * long as its list. In the caller's memory it is at a multiple of 64.
 *
 * @param argsHandle a list.
 * @param paramHandle from aclrtKernelArgsAppendPlaceHolder.
 * @param dataSize its size in bytes, at least 1. Repeated calls return the same buffer, and need the same size.
 * @param bufferAddr receives the address, in host memory.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `dataSize` is 0, or the data does not fit into the caller's
 *     memory.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a list, not one of its placeholders, or its buffer has another size.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no host memory.
 * @note Thread-safe; a list in the caller's memory must be used by one thread at a time. Follows
 *     aclrtKernelArgsGetPlaceHolderBuffer of the Ascend runtime API.
 */
aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
                                             aclrtParamHandle paramHandle,
                                             size_t dataSize,
                                             void **bufferAddr);

/**
 * Changes the value of an argument in a list, for later launches.
 *
 * @param argsHandle a list, finalized or not.
 * @param paramHandle from aclrtKernelArgsAppend.
 * @param param the value's first byte; it is copied.
 * @param paramSize its size in bytes, the same as before.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `paramSize` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a list, not one of its arguments, a placeholder, or another size.
 * @note Thread-safe; a list in the caller's memory must be used by one thread at a time. Follows
 *     aclrtKernelArgsParaUpdate of the Ascend runtime API.
 */
aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle,
                                   aclrtParamHandle paramHandle,
                                   void *param,
                                   size_t paramSize);

/**
 * Finalizes a list: all its arguments, and the buffers of its placeholders, are set. A repeated call has no effect.
 *
 * @param argsHandle a list.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a list, the kernel's binary was unloaded, fewer arguments than the
 *     kernel has parameters, or a placeholder without a buffer.
 * @note Thread-safe; a list in the caller's memory must be used by one thread at a time. Follows
 *     aclrtKernelArgsFinalize of the Ascend runtime API.
 */
aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);

/**
 * Returns how much memory aclrtKernelArgsInitByUserMem needs for a list itself.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param memSize receives the bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
 * @note Thread-safe. Follows aclrtKernelArgsGetHandleMemSize of the Ascend runtime API.
 */
aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t *memSize);

/**
 * Returns how much memory aclrtKernelArgsInitByUserMem needs for the arguments and the data of placeholders.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param userArgsSize bytes of all arguments, 8 for each placeholder, plus the bytes of all data.
 * @param actualArgsSize receives the bytes, including alignment.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or a sum that overflows.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
 * @note Thread-safe. Follows aclrtKernelArgsGetMemSize of the Ascend runtime API.
 */
aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize, size_t *actualArgsSize);

/**
 * Launches a kernel on a stream, in stream order. The arguments are copied during the call. On the cpu backend threads
 * of the library, and of the program while they wait for the stream, call the kernel once for each block, several at
 * the same time; the kernel must not call this library. The device chooses the threads and the order of blocks.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param numBlocks number of blocks, at least 1. Threads per block: on the cuda backend as many as the kernel's launch
 *     bound allows, on the cpu backend one.
 * @param argsData the arguments in one block, each at a multiple of its alignment, as in a C structure.
 * @param argsSize its length in bytes; 0 for a kernel without parameters.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_SUCCESS 0: the launch is enqueued
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `numBlocks` is 0 or above the device's limit.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, its binary was unloaded, not a stream, destroyed,
 *     arguments that do not match the kernel, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context, or than the
 *     binary.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: never. A kernel that fails is reported as every failure of enqueued
 *     work. On the cpu backend a kernel is code of this process: an invalid memory access ends the process.
 * @note Thread-safe. Follows aclrtLaunchKernel of the Ascend runtime API.
 */
aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle,
                           uint32_t numBlocks,
                           const void *argsData,
                           size_t argsSize,
                           aclrtStream stream);

/**
 * Launches a kernel as aclrtLaunchKernel, with attributes.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param numBlocks number of blocks, at least 1. Threads per block: on the cuda backend as many as the kernel's launch
 *     bound allows, on the cpu backend one.
 * @param argsData the arguments in one block, each at a multiple of its alignment, as in a C structure.
 * @param argsSize its length in bytes; 0 for a kernel without parameters.
 * @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE takes effect; attributes about schedule,
 *     engine, prefetch and profiling have no effect; an offset, a dump or a timeout other than 0 returns 207000.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_SUCCESS 0: the launch is enqueued
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `numBlocks` is 0 or above the device's limit, or an unknown
 *     attribute.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, its binary was unloaded, not a stream, destroyed,
 *     arguments that do not match or too much shared memory, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context, or than the
 *     binary.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an attribute that is not supported. A kernel that fails is reported
 *     as every failure of enqueued work. On the cpu backend a kernel is code of this process: an invalid memory access
 *     ends the process.
 * @note Thread-safe. Follows aclrtLaunchKernelV2 of the Ascend runtime API.
 */
aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle,
                             uint32_t numBlocks,
                             const void *argsData,
                             size_t argsSize,
                             aclrtLaunchKernelCfg *cfg,
                             aclrtStream stream);

/**
 * Launches a kernel as aclrtLaunchKernelV2, with arguments in a list.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction, the kernel of the list.
 * @param numBlocks number of blocks, at least 1. Threads per block: on the cuda backend as many as the kernel's launch
 *     bound allows, on the cpu backend one.
 * @param stream a stream; null: the default stream of the current context.
 * @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE takes effect; attributes about schedule,
 *     engine, prefetch and profiling have no effect; an offset, a dump or a timeout other than 0 returns 207000.
 * @param argsHandle a finalized list (aclrtKernelArgsFinalize). It is copied during the call, and may be changed and
 *     launched again.
 * @param reserve null.
 * @return the codes of aclrtLaunchKernelV2
 * @retval ACL_ERROR_INVALID_PARAM 100000: also if `argsHandle` is null or `reserve` is not null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: also if it is not a list, not finalized, or a list of another kernel.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no page-locked memory for the data of its placeholders.
 * @note Thread-safe; a list in the caller's memory must be used by one thread at a time. Follows
 *     aclrtLaunchKernelWithConfig of the Ascend runtime API.
 */
aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle,
                                     uint32_t numBlocks,
                                     aclrtStream stream,
                                     aclrtLaunchKernelCfg *cfg,
                                     aclrtArgsHandle argsHandle,
                                     void *reserve);

/**
 * Launches a kernel on a stream, in stream order. The arguments are copied during the call. On the cpu backend threads
 * of the library, and of the program while they wait for the stream, call the kernel once for each block, several at
 * the same time; the kernel must not call this library.
 *
 * @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol for a kernel on the current
 *     device.
 * @param numBlocks number of blocks, at least 1. Threads per block: on the cuda backend as many as the kernel's launch
 *     bound allows, on the cpu backend one.
 * @param stream a stream; null: the default stream of the current context.
 * @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE takes effect; attributes about schedule,
 *     engine, prefetch and profiling have no effect; an offset, a dump or a timeout other than 0 returns 207000.
 * @param args pointers to the arguments, one for each parameter of the kernel; null for a kernel without parameters.
 *     On the cpu backend the kernel must describe its parameters (PORTACL_KERNEL of portacl/kernel.h).
 * @retval ACL_SUCCESS 0: the launch is enqueued
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `numBlocks` is 0 or above the device's limit, or an unknown
 *     attribute.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, its binary was unloaded, not a stream, destroyed,
 *     arguments that do not match or too much shared memory, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context, or than the
 *     binary.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an attribute that is not supported, or a kernel without a
 *     description of its parameters. A kernel that fails is reported as every failure of enqueued work. On the cpu
 *     backend a kernel is code of this process: an invalid memory access ends the process.
 * @note Thread-safe. Follows aclrtLaunchKernelWithArgsArray of the Ascend runtime API.
 */
aclError aclrtLaunchKernelWithArgsArray(void *func,
                                        uint32_t numBlocks,
                                        aclrtStream stream,
                                        aclrtLaunchKernelCfg *cfg,
                                        void **args);

/**
 * Launches a kernel as aclrtLaunchKernelWithArgsArray, with a grid of blocks and several threads per block. On the cpu
 * backend the kernel is called once for each block and loops over its threads.
 *
 * @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol for a kernel on the current
 *     device.
 * @param gridDim blocks in x, y and z, each at least 1: at most 2147483647 in x and 65535 in y and z.
 * @param blockDim threads of a block in x, y and z, each at least 1: at most 1024 in x and y, 64 in z, and 1024 in
 *     total.
 * @param dynUbufSize dynamic shared memory per block in bytes, in addition to the kernel's static shared memory;
 *     ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE overrides it.
 * @param stream a stream; null: the default stream of the current context.
 * @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE takes effect; attributes about schedule,
 *     engine, prefetch and profiling have no effect; an offset, a dump or a timeout other than 0 returns 207000.
 * @param args pointers to the arguments, one for each parameter of the kernel; null for a kernel without parameters.
 *     On the cpu backend the kernel must describe its parameters (PORTACL_KERNEL of portacl/kernel.h).
 * @retval ACL_SUCCESS 0: the launch is enqueued
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or a dimension that is 0 or too large, or an unknown
 *     attribute.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, its binary was unloaded, not a stream, destroyed,
 *     more threads than the kernel was compiled for, arguments that do not match or too much shared memory, or called
 *     inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context, or than the
 *     binary.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an attribute that is not supported, or a kernel without a
 *     description of its parameters. A kernel that fails is reported as every failure of enqueued work. On the cpu
 *     backend a kernel is code of this process: an invalid memory access ends the process.
 * @note Thread-safe. Follows aclrtLaunchSIMTKernelWithArgsArray of the Ascend runtime API.
 */
aclError aclrtLaunchSIMTKernelWithArgsArray(void *func,
                                            dim3 gridDim,
                                            dim3 blockDim,
                                            size_t dynUbufSize,
                                            aclrtStream stream,
                                            aclrtLaunchKernelCfg *cfg,
                                            void **args);

/**
 * Changes a task that is pending in a stream.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclrtTaskUpdateAsync(aclrtStream taskStream,
                              uint32_t taskId,
                              aclrtTaskUpdateInfo *info,
                              aclrtStream execStream);

/**
 * Stores information of the caller about the last task.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclrtCacheLastTaskExtendInfo(const char *extendInfoPtr, size_t infoSize);

/**
 * Stores the operator of the last task.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclrtCacheLastTaskOpInfo(const void *infoPtr, size_t infoSize);

/**
 * Launches a kernel as aclrtLaunchKernelV2, with arguments that may contain placeholders: addresses of data that the
 * call copies to memory that devices can read.
 *
 * @param funcHandle a handle of aclrtBinaryGetFunction.
 * @param numBlocks number of blocks, at least 1. Threads per block: on the cuda backend as many as the kernel's launch
 *     bound allows, on the cpu backend one.
 * @param stream a stream; null: the default stream of the current context.
 * @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE takes effect; attributes about schedule,
 *     engine, prefetch and profiling have no effect; an offset, a dump or a timeout other than 0 returns 207000.
 * @param hostArgs the arguments in one block of host memory, each at a multiple of its alignment, as in a C structure,
 *     followed by the data of placeholders. It is copied during the call.
 * @param argsSize its length in bytes, including the data; 0 for a kernel without parameters.
 * @param placeHolderArray null, or placeholders: the call copies the data at the `dataOffset` of each to memory that
 *     devices can read, and writes the 8-byte address of the copy to `addrOffset`, in the arguments or in the data.
 *     If `dataOffset` is a multiple of a power of two up to 512, so is the address of the copy.
 * @param placeHolderNum number of placeholders, at most 65536.
 * @return the codes of aclrtLaunchKernelV2
 * @retval ACL_ERROR_INVALID_PARAM 100000: also if an offset is outside of the block, or data is inside the arguments.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no page-locked memory for the data.
 * @note Thread-safe. Follows aclrtLaunchKernelWithHostArgs of the Ascend runtime API.
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
 * Launches a kernel as aclrtLaunchSIMTKernelWithArgsArray, with arguments as in aclrtLaunchKernelWithHostArgs.
 *
 * @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol for a kernel on the current
 *     device.
 * @param gridDim blocks in x, y and z, each at least 1: at most 2147483647 in x and 65535 in y and z.
 * @param blockDim threads of a block in x, y and z, each at least 1: at most 1024 in x and y, 64 in z, and 1024 in
 *     total.
 * @param dynUbufSize dynamic shared memory per block in bytes, in addition to the kernel's static shared memory;
 *     ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE overrides it.
 * @param stream a stream; null: the default stream of the current context.
 * @param cfg null, or attributes: ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE takes effect; attributes about schedule,
 *     engine, prefetch and profiling have no effect; an offset, a dump or a timeout other than 0 returns 207000.
 * @param hostArgs the arguments in one block of host memory, each at a multiple of its alignment, as in a C structure,
 *     followed by the data of placeholders. It is copied during the call.
 * @param argsSize its length in bytes, including the data; 0 for a kernel without parameters.
 * @param placeHolderArray null, or placeholders: the call copies the data at the `dataOffset` of each to memory that
 *     devices can read, and writes the 8-byte address of the copy to `addrOffset`, in the arguments or in the data.
 *     If `dataOffset` is a multiple of a power of two up to 512, so is the address of the copy.
 * @param placeHolderNum number of placeholders, at most 65536.
 * @return the codes of aclrtLaunchSIMTKernelWithArgsArray
 * @retval ACL_ERROR_INVALID_PARAM 100000: also if an offset is outside of the block, or data is inside the arguments.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no page-locked memory for the data.
 * @note Thread-safe. Follows aclrtLaunchSIMTKernelWithHostArgs of the Ascend runtime API.
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
 * Returns the kernel that is registered for a symbol on the current device.
 *
 * @param symbol an address that was passed to portaclRegisterSymbol.
 * @param funcHandle receives the handle that aclrtBinaryGetFunction returns for the name.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the symbol is not registered on this device, or is a variable, or called
 *     inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclrtGetFuncBySymbol of the Ascend runtime API.
 */
aclError aclrtGetFuncBySymbol(const void *symbol, aclrtFuncHandle *funcHandle);

/**
 * Returns the size of the variable that is registered for a symbol on the current device.
 *
 * @param symbol an address that was passed to portaclRegisterSymbol.
 * @param size receives its size in bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the symbol is not registered on this device, or is a kernel, or called
 *     inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclrtGetSymbolSize of the Ascend runtime API.
 */
aclError aclrtGetSymbolSize(const void *symbol, size_t *size);

/**
 * Returns the address of the variable that is registered for a symbol on the current device. aclrtBinaryGetGlobal
 * describes its use.
 *
 * @param symbol an address that was passed to portaclRegisterSymbol.
 * @param devPtr receives its address.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the symbol is not registered on this device, or is a kernel, or called
 *     inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @note Thread-safe. Follows aclrtGetSymbolAddress of the Ascend runtime API.
 */
aclError aclrtGetSymbolAddress(const void *symbol, void **devPtr);

/**
 * Copies to the variable of a symbol on the current device, and waits. Not ordered with any stream, as aclrtMemcpy.
 *
 * @param symbol an address that was passed to portaclRegisterSymbol.
 * @param src the source address.
 * @param count bytes; 0 copies nothing and succeeds, whatever the other arguments are, also without a current
 *     context.
 * @param offset offset in the variable, in bytes.
 * @param kind ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
 * @return the codes of aclrtMemcpy
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` exceed the size of the variable.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` is not registered on the current device, or is a kernel.
 * @note Thread-safe. Follows aclrtMemcpyToSymbol of the Ascend runtime API.
 */
aclError aclrtMemcpyToSymbol(const void *symbol,
                             const void *src,
                             size_t count,
                             size_t offset,
                             aclrtMemcpyKind kind);

/**
 * Copies to the variable of a symbol on the current device, in stream order, as aclrtMemcpyAsync. The variable stays
 * valid until the copy is complete, also if its binary is unloaded.
 *
 * @param symbol an address that was passed to portaclRegisterSymbol.
 * @param src the source address.
 * @param count bytes; 0 enqueues nothing and succeeds; then only `stream` is checked.
 * @param offset offset in the variable, in bytes.
 * @param kind ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
 * @param stream a stream; null: the default stream of the current context.
 * @return the codes of aclrtMemcpyAsync
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` exceed the size of the variable.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` is not registered on the current device, or is a kernel.
 * @note Thread-safe. Follows aclrtMemcpyToSymbolAsync of the Ascend runtime API.
 */
aclError aclrtMemcpyToSymbolAsync(const void *symbol,
                                  const void *src,
                                  size_t count,
                                  size_t offset,
                                  aclrtMemcpyKind kind,
                                  aclrtStream stream);

/**
 * Copies from the variable of a symbol on the current device, and waits. Not ordered with any stream, as aclrtMemcpy.
 *
 * @param dst the destination address.
 * @param dstMax size of the destination in bytes.
 * @param symbol an address that was passed to portaclRegisterSymbol.
 * @param count bytes, at most `dstMax`; 0 copies nothing and succeeds, whatever the other arguments are, also
 *     without a current context.
 * @param offset offset in the variable, in bytes.
 * @param kind ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
 * @return the codes of aclrtMemcpy
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` exceed the size of the variable.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` is not registered on the current device, or is a kernel.
 * @note Thread-safe. Follows aclrtMemcpyFromSymbol of the Ascend runtime API.
 */
aclError aclrtMemcpyFromSymbol(void *dst,
                               size_t dstMax,
                               const void *symbol,
                               size_t count,
                               size_t offset,
                               aclrtMemcpyKind kind);

/**
 * Copies from the variable of a symbol on the current device, in stream order, as aclrtMemcpyAsync. The variable stays
 * valid until the copy is complete, also if its binary is unloaded.
 *
 * @param dst the destination address.
 * @param dstMax size of the destination in bytes.
 * @param symbol an address that was passed to portaclRegisterSymbol.
 * @param count bytes, at most `dstMax`; 0 enqueues nothing and succeeds; then only `stream` is checked.
 * @param offset offset in the variable, in bytes.
 * @param kind ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
 * @param stream a stream; null: the default stream of the current context.
 * @return the codes of aclrtMemcpyAsync
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` exceed the size of the variable.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` is not registered on the current device, or is a kernel.
 * @note Thread-safe. Follows aclrtMemcpyFromSymbolAsync of the Ascend runtime API.
 */
aclError aclrtMemcpyFromSymbolAsync(void *dst,
                                    size_t dstMax,
                                    const void *symbol,
                                    size_t count,
                                    size_t offset,
                                    aclrtMemcpyKind kind,
                                    aclrtStream stream);

/**
 * Returns how many cores of a type work on a device may use: the limit of aclrtSetDeviceResLimit, but at most the
 * number of cores of the device (ACL_DEV_ATTR_CUBE_CORE_NUM and ACL_DEV_ATTR_VECTOR_CORE_NUM of aclrtGetDeviceInfo).
 *
 * @param deviceId 0 to the number of devices minus 1; the device need not be set.
 * @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
 * @param value receives the number of cores.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown type.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver does not respond.
 * @note Thread-safe. Follows aclrtGetDeviceResLimit of the Ascend runtime API.
 */
aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value);

/**
 * Sets how many cores of a type work on a device may use. The limit is stored, for code that chooses the number of
 * blocks of a kernel by it, and does not limit work. It belongs to the process, and stays until
 * aclrtResetDeviceResLimit or aclFinalize, also through device resets.
 *
 * @param deviceId 0 to the number of devices minus 1; the device need not be set.
 * @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
 * @param value cores, at least 1; more cores than the device has mean no limit.
 * @retval ACL_ERROR_INVALID_PARAM 100000: an unknown type, or `value` is 0.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @note Thread-safe. Follows aclrtSetDeviceResLimit of the Ascend runtime API.
 */
aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value);

/**
 * Removes the limits of aclrtSetDeviceResLimit, for both types.
 *
 * @param deviceId 0 to the number of devices minus 1; the device need not be set.
 * @retval ACL_SUCCESS 0: also without a limit
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @note Thread-safe. Follows aclrtResetDeviceResLimit of the Ascend runtime API.
 */
aclError aclrtResetDeviceResLimit(int32_t deviceId);

/**
 * Returns how many cores of a type a stream's work may use: the limit of aclrtSetStreamResLimit, or else the limit of
 * its device (aclrtSetDeviceResLimit), but at most the number of cores of the device.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
 * @param value receives the number of cores.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `value` is null, or an unknown type.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtGetStreamResLimit of the Ascend runtime API.
 */
aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value);

/**
 * Sets how many cores of a type a stream's work may use. The limit is stored and does not limit work; it ends with the
 * stream.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
 * @param value cores, at least 1; more cores than the device has mean no limit.
 * @retval ACL_ERROR_INVALID_PARAM 100000: an unknown type, or `value` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtSetStreamResLimit of the Ascend runtime API.
 */
aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value);

/**
 * Removes the limits of aclrtSetStreamResLimit, for both types.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_SUCCESS 0: also without a limit
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtResetStreamResLimit of the Ascend runtime API.
 */
aclError aclrtResetStreamResLimit(aclrtStream stream);

/**
 * Makes aclrtGetResInCurrentThread return a stream's limits on this thread. Replaces the stream of an earlier call.
 * Ends with the stream.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtUseStreamResInCurrentThread of the Ascend runtime API.
 */
aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);

/**
 * Ends aclrtUseStreamResInCurrentThread.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_SUCCESS 0: also if this thread uses no stream's limits, or another stream's, which then stay in use
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtUnuseStreamResInCurrentThread of the Ascend runtime API.
 */
aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);

/**
 * Returns how many cores of a type work of this thread may use: the limit of the stream of
 * aclrtUseStreamResInCurrentThread, if it is on the current device and has a limit, or else the limit of the current
 * device, but at most the number of cores of the device. Takes a few nanoseconds, because libraries call it before
 * every launch.
 *
 * @param type ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
 * @param value receives the number of cores.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown type.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtGetResInCurrentThread of the Ascend runtime API.
 */
aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value);

/**
 * Sets the overflow mode of later work on the current device. The mode is stored until the device is reset and has no
 * effect: kernels and reductions produce infinities and NaNs as their code does.
 *
 * @param mode ACL_RT_OVERFLOW_MODE_SATURATION or ACL_RT_OVERFLOW_MODE_INFNAN.
 * @retval ACL_ERROR_INVALID_PARAM 100000: an unknown mode.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtSetDeviceSatMode of the Ascend runtime API.
 */
aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);

/**
 * Returns the overflow mode of the current device: the value of aclrtSetDeviceSatMode since the device was opened,
 * initially ACL_RT_OVERFLOW_MODE_INFNAN.
 *
 * @param mode receives the mode.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtGetDeviceSatMode of the Ascend runtime API.
 */
aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode);

/**
 * Turns overflow detection of a stream on or off. The switch is stored as the attribute
 * ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK of the stream and has no effect: overflows are not detected.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param flag 0: off, the initial value; 1: on.
 * @retval ACL_ERROR_INVALID_PARAM 100000: an unknown flag.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtSetStreamOverflowSwitch of the Ascend runtime API.
 */
aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);

/**
 * Returns the switch of aclrtSetStreamOverflowSwitch.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param flag receives 0 or 1.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `flag` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000, ACL_ERROR_RT_CONTEXT_NULL 107002 and ACL_ERROR_RT_STREAM_CONTEXT 107003:
 *     as aclrtSetStreamOverflowSwitch.
 * @note Thread-safe. Follows aclrtGetStreamOverflowSwitch of the Ascend runtime API.
 */
aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag);

/**
 * Enqueues a read of the overflow state: sets all of `outputAddr` to 0, which means no overflow. Overflows are not
 * detected; to find them, check the results for infinities and NaNs.
 *
 * @param outputAddr memory of the stream's device, or managed memory, that receives the state in stream order.
 * @param outputSize bytes to write, at least 1.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_SUCCESS 0: the operation is enqueued
 * @retval ACL_ERROR_INVALID_PARAM 100000: `outputAddr` is null or `outputSize` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or `outputAddr`
 *     is no such memory or is too short.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtGetOverflowStatus of the Ascend runtime API.
 */
aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize, aclrtStream stream);

/**
 * Clears the overflow state. Overflows are not detected, so the call only checks the stream.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtResetOverflowStatus of the Ascend runtime API.
 */
aclError aclrtResetOverflowStatus(aclrtStream stream);

/**
 * Enqueues a read of the overflow state of floating-point numbers: sets all of `outputAddr` to 0, which means no
 * overflow. Overflows are not detected; to find them, check the results for infinities and NaNs.
 *
 * @param outputAddr memory of the stream's device, or managed memory, that receives the state in stream order.
 * @param outputSize bytes to write, at least 1.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_SUCCESS 0: the operation is enqueued
 * @retval ACL_ERROR_INVALID_PARAM 100000: `outputAddr` is null or `outputSize` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or `outputAddr`
 *     is no such memory or is too short.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtGetFloatOverflowStatus of the Ascend runtime API.
 */
aclError aclrtGetFloatOverflowStatus(void *outputAddr, uint64_t outputSize, aclrtStream stream);

/**
 * Clears the overflow state of floating-point numbers. Overflows are not detected, so the call only checks the stream.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtResetFloatOverflowStatus of the Ascend runtime API.
 */
aclError aclrtResetFloatOverflowStatus(aclrtStream stream);

/**
 * Enqueues a read of the overflow state in a check mode: sets all of `outputAddr` to 0, which means no overflow.
 * Overflows are not detected; to find them, check the results for infinities and NaNs.
 *
 * @param outputAddr memory of the stream's device, or managed memory, that receives the state in stream order.
 * @param outputSize bytes to write, at least 1.
 * @param checkMode any number; it has no effect.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_SUCCESS 0: the operation is enqueued
 * @retval ACL_ERROR_INVALID_PARAM 100000: `outputAddr` is null or `outputSize` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, called inside a host function, or `outputAddr`
 *     is no such memory or is too short.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtNpuGetFloatOverFlowStatus of the Ascend runtime API.
 */
aclError aclrtNpuGetFloatOverFlowStatus(void *outputAddr, uint64_t outputSize, uint32_t checkMode, aclrtStream stream);

/**
 * Clears the overflow state in a check mode. Overflows are not detected, so the call only checks the stream.
 *
 * @param checkMode any number; it has no effect.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtNpuClearFloatOverFlowStatus of the Ascend runtime API.
 */
aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream);

/**
 * Returns the address of the overflow state of the current context: 512 bytes of device memory, initially 0. The
 * library never writes to them, because it does not detect overflows. All contexts of a device share them; they are
 * released with the device, and aclrtFree rejects them. Operations of streams may read and write them.
 *
 * @param overflowAddr receives the address.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: no device memory left, at the first call.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Follows aclrtCtxGetFloatOverflowAddr of the Ascend runtime API.
 */
aclError aclrtCtxGetFloatOverflowAddr(void **overflowAddr);

/**
 * Sets how many seconds an operator may take. The value is stored for aclrtGetOpExecuteTimeout and has no effect: the
 * library ends no operation because it is slow (aclrtSynchronizeStreamWithTimeout limits a wait for one). The setting
 * belongs to the process: the latest call of these three functions, on any thread, wins. aclInit, aclFinalize and
 * device resets do not change it, and it may be set before aclInit.
 *
 * @param timeout seconds; 0 clears the setting.
 * @retval ACL_SUCCESS 0
 * @note Thread-safe. Follows aclrtSetOpExecuteTimeOut of the Ascend runtime API.
 */
aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

/**
 * Sets the timeout of operators as aclrtSetOpExecuteTimeOut, in milliseconds.
 *
 * @param timeout milliseconds; 0 clears the setting.
 * @retval ACL_SUCCESS 0
 * @note Thread-safe. Follows aclrtSetOpExecuteTimeOutWithMs of the Ascend runtime API.
 */
aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);

/**
 * Sets the timeout of operators as aclrtSetOpExecuteTimeOut, in microseconds, rounded up to a multiple of
 * aclrtGetOpTimeOutInterval, from 1 to 254 times the interval. Longer timeouts are set to 254 times the interval.
 *
 * @param timeout microseconds.
 * @param actualTimeout receives the microseconds that were set.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null; nothing is set.
 * @note Thread-safe. Follows aclrtSetOpExecuteTimeOutV2 of the Ascend runtime API.
 */
aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout);

/**
 * Returns the timeout of operators in milliseconds, as it was set last.
 *
 * @param timeoutMs receives milliseconds: 0 if it is not set, 4294967295 if it is that large or larger.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @note Thread-safe. Follows aclrtGetOpExecuteTimeout of the Ascend runtime API.
 */
aclError aclrtGetOpExecuteTimeout(uint32_t *timeoutMs);

/**
 * Returns the unit to which aclrtSetOpExecuteTimeOutV2 rounds.
 *
 * @param interval receives microseconds: 10,000,000.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @note Thread-safe. Follows aclrtGetOpTimeOutInterval of the Ascend runtime API.
 */
aclError aclrtGetOpTimeOutInterval(uint64_t *interval);

/**
 * Sets the timeout in seconds for waits of aclrtStreamWaitEvent; aclrtStreamWaitEventWithTimeout describes what
 * happens after it. Waits that are already enqueued keep their timeout. The setting belongs to the process: the latest
 * call, on any thread, wins. aclInit, aclFinalize and device resets do not change it, and it may be set before
 * aclInit.
 *
 * @param timeout seconds; 0, the initial value, means no timeout. With a CUDA driver that cannot do it, there is no
 *     timeout either.
 * @retval ACL_SUCCESS 0
 * @note Thread-safe. Follows aclrtSetOpWaitTimeout of the Ascend runtime API.
 */
aclError aclrtSetOpWaitTimeout(uint32_t timeout);

/**
 * Returns the number of groups of the current device: always 0, because devices here are not divided. Works at any
 * time.
 *
 * @param count receives 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @note Thread-safe. Follows aclrtGetGroupCount of the Ascend runtime API.
 */
aclError aclrtGetGroupCount(uint32_t *count);

/**
 * Allocates descriptions of the groups, or returns null.
 *
 * @return null; aclGetRecentErrMsg returns what is missing.
 */
aclrtGroupInfo *aclrtCreateGroupInfo(void);

/**
 * Frees the descriptions of aclrtCreateGroupInfo.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclrtDestroyGroupInfo(aclrtGroupInfo *groupInfo);

/**
 * Fills in the descriptions of all groups.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclrtGetAllGroupInfo(aclrtGroupInfo *groupInfo);

/**
 * Returns an attribute of a group.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
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
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclrtSetGroup(int32_t groupId);

/**
 * Starts dumping.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclmdlInitDump(void);

/**
 * Configures dumping from a JSON file.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclmdlSetDump(const char *dumpCfgPath);

/**
 * Ends dumping.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclmdlFinalizeDump(void);

/**
 * Creates a buffer: page-locked host memory with a data length, initially 0, and 96 bytes of user data, initially 0.
 * Needs no current context. Lives until aclrtFreeBuf or aclFinalize.
 *
 * @param buf receives the buffer.
 * @param size capacity in bytes, at least 1.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or `size` is 0.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no host memory left, or no more buffers can be created.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclrtAllocBuf of the Ascend runtime API.
 */
aclError aclrtAllocBuf(aclrtMbuf *buf, size_t size);

/**
 * Frees a buffer and all buffers that were appended to it. The memory is freed with its last reference
 * (aclrtCopyBufRef), but not before pending work that uses it is complete. If the buffer was already released with its
 * session, the first call succeeds and does nothing: docs/failures.md.
 *
 * @param buf a buffer that is not in the chain of another buffer.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, already freed, in the chain of another buffer, or called
 *     inside a host function.
 * @note Thread-safe. Follows aclrtFreeBuf of the Ascend runtime API.
 */
aclError aclrtFreeBuf(aclrtMbuf buf);

/**
 * Returns the address of a buffer's data. Copies treat it as memory from aclrtMallocHost; aclrtFreeHost rejects it.
 *
 * @param buf a buffer.
 * @param dataPtr receives the address, a multiple of 64.
 * @param size receives the capacity in bytes, whatever the data length is.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed.
 * @note Thread-safe. Follows aclrtGetBufData of the Ascend runtime API.
 */
aclError aclrtGetBufData(aclrtMbuf buf, void **dataPtr, size_t *size);

/**
 * Sets the data length of a buffer. The value is stored and limits nothing.
 *
 * @param buf a buffer.
 * @param len bytes, at most the capacity.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed, or `len` is larger than the capacity.
 * @note Thread-safe. Follows aclrtSetBufDataLen of the Ascend runtime API.
 */
aclError aclrtSetBufDataLen(aclrtMbuf buf, size_t len);

/**
 * Returns the data length of a buffer, as set by aclrtSetBufDataLen.
 *
 * @param buf a buffer.
 * @param len receives the bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed.
 * @note Thread-safe. Follows aclrtGetBufDataLen of the Ascend runtime API.
 */
aclError aclrtGetBufDataLen(aclrtMbuf buf, size_t *len);

/**
 * Writes to the 96 bytes of user data of a buffer. Atomic for other threads: they read all of it or nothing.
 *
 * @param buf a buffer.
 * @param dataPtr the value to write.
 * @param size bytes, at least 1.
 * @param offset where to write; `offset` + `size` is at most 96.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed; 100000 also if `size` is 0 or the bytes go past
 *     the end.
 * @note Thread-safe. Follows aclrtSetBufUserData of the Ascend runtime API.
 */
aclError aclrtSetBufUserData(aclrtMbuf buf, const void *dataPtr, size_t size, size_t offset);

/**
 * Reads from the 96 bytes of user data of a buffer.
 *
 * @param buf a buffer.
 * @param dataPtr receives the bytes.
 * @param size bytes, at least 1.
 * @param offset where to read; `offset` + `size` is at most 96.
 * @return the codes of aclrtSetBufUserData.
 * @note Thread-safe. Follows aclrtGetBufUserData of the Ascend runtime API.
 */
aclError aclrtGetBufUserData(aclrtMbuf buf, void *dataPtr, size_t size, size_t offset);

/**
 * Creates another reference to a buffer's data: a separate buffer with a copy of the data length and the user data and
 * without a chain. The caller frees it with aclrtFreeBuf.
 *
 * @param buf a buffer.
 * @param newBuf receives the new buffer.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no more buffers can be created.
 * @note Thread-safe. Follows aclrtCopyBufRef of the Ascend runtime API.
 */
aclError aclrtCopyBufRef(aclrtMbuf buf, aclrtMbuf *newBuf);

/**
 * Appends a buffer to the end of a chain. From then on it is freed with the head of the chain, not separately.
 *
 * @param headBuf a buffer, the first of its chain or without a chain.
 * @param buf another buffer, in no chain and without a chain.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed, both are the same, or one of them is in the chain
 *     of another buffer or, as `buf`, has a chain.
 * @note Thread-safe. Follows aclrtAppendBufChain of the Ascend runtime API.
 */
aclError aclrtAppendBufChain(aclrtMbuf headBuf, aclrtMbuf buf);

/**
 * Returns the number of buffers in a chain, including its head.
 *
 * @param headBuf a buffer, the first of its chain or without a chain.
 * @param num receives the number; 1 for a buffer without a chain.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed, or in the chain of another buffer.
 * @note Thread-safe. Follows aclrtGetBufChainNum of the Ascend runtime API.
 */
aclError aclrtGetBufChainNum(aclrtMbuf headBuf, uint32_t *num);

/**
 * Returns a buffer of a chain, in the order in which they were appended.
 *
 * @param headBuf a buffer, the first of its chain or without a chain.
 * @param index 0: the head itself.
 * @param buf receives the buffer, which still belongs to the chain.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a buffer, or freed, in the chain of another buffer, or no such index.
 * @note Thread-safe. Follows aclrtGetBufFromChain of the Ascend runtime API.
 */
aclError aclrtGetBufFromChain(aclrtMbuf headBuf, uint32_t index, aclrtMbuf *buf);

/**
 * Locks this process for a snapshot: calls the functions for ACL_RT_SNAPSHOT_LOCK_PRE, makes new calls wait, and waits
 * for the pending work of all streams of all devices. Then calls of other threads wait for aclrtSnapShotProcessUnlock,
 * except functions that return a value instead of a code, functions that report failures, aclrtProcessReport,
 * aclrtProcessHostFunc and snapshot calls. This thread, and snapshot callbacks, get 107000 instead, because they would
 * wait for themselves. Calls inside host functions do not wait. Stop threads that allocate or copy before the call:
 * work that they have just begun is waited for only once it is on a stream. See docs/snapshots.md.
 *
 * @param pid the process id of this process (getpid).
 * @param reserve must be null.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `pid` is not greater than 0, or `reserve` is not null.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another process, a driver without cuCheckpointProcessLock, or on
 *     CUDA memory that is shared with other processes.
 * @retval ACL_ERROR_SNAPSHOT_LOCK_TIMEOUT 507905: running work did not complete within `PORTACL_SNAPSHOT_TIMEOUT_MS`
 *     (10000).
 * @retval ACL_ERROR_SNAPSHOT_LOCK_FAILED 507906: the process is already locked or backed up, another snapshot call is
 *     running, or the driver refuses.
 * @retval ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return 0.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. After a failure the process continues to
 *     run.
 * @note Thread-safe. Follows cuCheckpointProcessLock, with the names of aclrtSnapShotProcessLock in the Ascend runtime
 *     API.
 */
aclError aclrtSnapShotProcessLock(int pid, void *reserve);

/**
 * Lets calls continue, and then calls the functions for ACL_RT_SNAPSHOT_UNLOCK_POST. Any thread may call it.
 *
 * @param pid as in aclrtSnapShotProcessLock.
 * @param reserve must be null.
 * @retval ACL_ERROR_INVALID_PARAM 100000: as aclrtSnapShotProcessLock.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another process.
 * @retval ACL_ERROR_SNAPSHOT_UNLOCK_FAILED 507907: the process is not locked, or its memory is saved and not restored,
 *     another snapshot call is running, or the driver refuses.
 * @retval ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return 0; the process runs.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows cuCheckpointProcessUnlock.
 */
aclError aclrtSnapShotProcessUnlock(int pid, void *reserve);

/**
 * Copies the contents of the memory on all devices to host memory and releases the device memory, between the
 * functions for ACL_RT_SNAPSHOT_BACKUP_PRE and ACL_RT_SNAPSHOT_BACKUP_POST. All handles and addresses stay valid. On
 * CPUs managed memory, and pool memory that other processes can import, stays in place.
 *
 * @param pid as in aclrtSnapShotProcessLock.
 * @param args null, or a structure with `backupFlags` 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `pid` is not greater than 0, or `backupFlags` is not 0.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another process, memory of this process is exported, or the driver
 *     cannot save something (on CUDA managed memory).
 * @retval ACL_ERROR_SNAPSHOT_BACKUP_FAILED 507908: the process is not locked, another snapshot call is running, there
 *     is no host memory, or the driver refuses: nothing is saved, and the process is still locked, unless what was
 *     saved cannot be restored: then the process is backed up.
 * @retval ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return 0: before the backup, and nothing is
 *     saved, or after it, and everything is saved.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows cuCheckpointProcessCheckpoint.
 */
aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs *args);

/**
 * Restores the memory on all devices at its addresses, between the functions for ACL_RT_SNAPSHOT_RESTORE_PRE and
 * ACL_RT_SNAPSHOT_RESTORE_POST. The process is locked afterwards.
 *
 * @param pid as in aclrtSnapShotProcessLock.
 * @param args null, or a structure with `restoreFlags` 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `pid` is not greater than 0, or `restoreFlags` is not 0.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another process.
 * @retval ACL_ERROR_SNAPSHOT_RESTORE_FAILED 507909: nothing is saved, another snapshot call is running, there is no
 *     memory, or the driver refuses. Saved contents are still saved.
 * @retval ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return 0: before the restore, and everything
 *     is still saved, or after it, and everything is restored.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows cuCheckpointProcessRestore.
 */
aclError aclrtSnapShotProcessRestore(int pid, aclrtSnapShotRestoreArgs *args);

/**
 * Registers a function that is called at a stage of each snapshot, on the thread that makes the snapshot call: once
 * for each device in use, with its id, after the functions that were registered earlier. If it does not return 0, the
 * call returns ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912; at stages before an action (LOCK_PRE, BACKUP_PRE,
 * RESTORE_PRE) no further function is called, and the action does not take place. At ACL_RT_SNAPSHOT_LOCK_PRE and
 * ACL_RT_SNAPSHOT_UNLOCK_POST the function may call this library; at the other stages, while the process is locked,
 * most of its calls get 107000 (docs/callbacks.md). Registrations stay through aclFinalize.
 *
 * @param stage the stage.
 * @param callback the function, which may be registered for several stages.
 * @param args second argument of the function; may be null. The caller keeps it valid.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null function, or an unknown stage.
 * @retval ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED 507913: it is already registered for this stage.
 * @note Thread-safe. Follows aclrtSnapShotCallbackRegister of the Ascend runtime API.
 */
aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage, aclrtSnapShotCallBack callback, void *args);

/**
 * Removes a registration of aclrtSnapShotCallbackRegister. A call that is running on another thread continues.
 *
 * @param stage for which it was registered.
 * @param callback the function.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null function, or an unknown stage.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: it is not registered for this stage.
 * @note Thread-safe. Follows aclrtSnapShotCallbackUnregister of the Ascend runtime API.
 */
aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage, aclrtSnapShotCallBack callback);

/**
 * Adds a mark with data of the program to the stream's row of the trace, at the time when the stream reaches this
 * point. The trace shows the data as text, or as numbers if it is not text. Without profiling nothing is recorded.
 *
 * @param userdata the data, which is read during the call.
 * @param length length of the data in bytes, from 1 to 1024.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or a length out of range.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtProfTrace of the Ascend runtime API; the length limit is portacl's choice.
 */
aclError aclrtProfTrace(void *userdata, int32_t length, aclrtStream stream);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PORTACL_ACL_RT_H */
