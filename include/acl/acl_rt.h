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

#define ACL_CONTINUE_ON_FAILURE 0x00000000U

#define ACL_DEVICE_FORM_FACTOR_A_K 1

#define ACL_DEVICE_FORM_FACTOR_A_X 2

#define ACL_DEVICE_FORM_FACTOR_PCIE_CARD 3

#define ACL_DEVICE_FORM_FACTOR_POD 0

#define ACL_DEV_FEATURE_NOT_SUPPORT 0x00000000

#define ACL_DEV_FEATURE_SUPPORT 0x00000001

#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U

#define ACL_EVENT_DEVICE_USE_ONLY 0x00000010U

#define ACL_EVENT_EXTERNAL 0x00000020U

#define ACL_EVENT_IPC 0x00000040U

#define ACL_EVENT_RECORD_DEFAULT 0x0U

#define ACL_EVENT_RECORD_EXTERNAL 0x01U

#define ACL_EVENT_SYNC 0x00000001U

#define ACL_EVENT_TIME_LINE 0x00000008U

#define ACL_EVENT_WAIT_DEFAULT 0x0U

#define ACL_EVENT_WAIT_EXTERNAL 0x01U

#define ACL_HOST_DEVICE_CONNECT_TYPE_HCCS 1

#define ACL_HOST_DEVICE_CONNECT_TYPE_PCIE 0

#define ACL_HOST_DEVICE_CONNECT_TYPE_UB 2

#define ACL_HOST_REG_IOMEMORY 0x4UL

#define ACL_HOST_REG_MAPPED 0x2UL

#define ACL_HOST_REG_PINNED 0x10000000UL

#define ACL_HOST_REG_READONLY 0x8UL

#define ACL_IPC_EVENT_HANDLE_SIZE 64U

#define ACL_MAJOR_VERSION 1

#define ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY 0x0UL

#define ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE 0x1UL

#define ACL_MINOR_VERSION 17

#define ACL_NOTIFY_DEFAULT 0x00000000U

#define ACL_NOTIFY_DEVICE_USE_ONLY 0x00000001U

#define ACL_PATCH_VERSION 0

#define ACL_PKG_VERSION_MAX_SIZE 128

#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

#define ACL_RT_BINARY_MAGIC_ELF_AICORE 0x43554245U

#define ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE 0x41494343U

#define ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE 0x41415246U

#define ACL_RT_CMO_MAX_BARRIER_NUM 6U

#define ACL_RT_DEVS_TOPOLOGY_HCCS 0x01ULL

#define ACL_RT_DEVS_TOPOLOGY_HCCS_SW 0x40ULL

#define ACL_RT_DEVS_TOPOLOGY_PHB 0x08ULL

#define ACL_RT_DEVS_TOPOLOGY_PIB 0x04ULL

#define ACL_RT_DEVS_TOPOLOGY_PIX 0x02ULL

#define ACL_RT_DEVS_TOPOLOGY_SIO 0x20ULL

#define ACL_RT_DEVS_TOPOLOGY_SYS 0x10ULL

#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS 1

#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO 0

#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH 3

#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH 2

#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT 0x0UL

#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL

#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT 0x0UL

#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x1UL

#define ACL_RT_MAX_RECORD_PA_NUM_PER_DEV 20U

#define ACL_RT_MEM_ATTACH_GLOBAL 0x01U

#define ACL_RT_MEM_LINK_IDX_0 0U

#define ACL_RT_MEM_LINK_IDX_1 1U

#define ACL_RT_MEM_TYPE_DEV 0x2U

#define ACL_RT_MEM_TYPE_DVPP 0x8U

#define ACL_RT_MEM_TYPE_RSVD 0x10U

#define ACL_RT_MEM_UCE_INFO_MAX_NUM 20

#define ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT 0x0UL

#define ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x02UL

#define ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT 0x0UL

#define ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x02UL

#define ACL_RT_VMM_EXPORT_FLAG_DEFAULT 0x0UL

#define ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL

#define ACL_STOP_ON_FAILURE 0x00000001U

#define ACL_STREAM_CPU_SCHEDULE 0x00000010U

#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020U

#define ACL_STREAM_FAST_LAUNCH 0x00000001U

#define ACL_STREAM_FAST_SYNC 0x00000002U

#define ACL_STREAM_HUGE 0x00000008U

#define ACL_STREAM_PERSISTENT 0x00000004U

#define ACL_STREAM_WAIT_VALUE_AND 0x00000002U

#define ACL_STREAM_WAIT_VALUE_EQ 0x00000001U

#define ACL_STREAM_WAIT_VALUE_GEQ 0x00000000U

#define ACL_STREAM_WAIT_VALUE_NOR 0x00000003U

#define MAX_MEM_UCE_INFO_ARRAY_SIZE 128

#define UCE_INFO_RESERVED_SIZE 14

typedef enum aclRegisterCallbackType {
    ACL_REG_TYPE_ACL_MODEL = 0,
    ACL_REG_TYPE_ACL_OP_EXECUTOR = 1,
    ACL_REG_TYPE_ACL_OP_CBLAS = 2,
    ACL_REG_TYPE_ACL_OP_COMPILER = 3,
    ACL_REG_TYPE_ACL_TDT_CHANNEL = 4,
    ACL_REG_TYPE_ACL_TDT_QUEUE = 5,
    ACL_REG_TYPE_ACL_DVPP = 6,
    ACL_REG_TYPE_ACL_RETR = 7,
    ACL_REG_TYPE_OTHER = 65535,
} aclRegisterCallbackType;

typedef enum aclCANNPackageName {
    ACL_PKG_NAME_CANN = 0,
    ACL_PKG_NAME_RUNTIME = 1,
    ACL_PKG_NAME_COMPILER = 2,
    ACL_PKG_NAME_HCCL = 3,
    ACL_PKG_NAME_TOOLKIT = 4,
    ACL_PKG_NAME_OPP = 5,
    ACL_PKG_NAME_OPP_KERNEL = 6,
    ACL_PKG_NAME_DRIVER = 7,
} aclCANNPackageName;

typedef enum aclrtLastErrLevel {
    ACL_RT_THREAD_LEVEL = 0,
} aclrtLastErrLevel;

typedef enum aclrtErrorType {
    ACL_RT_NO_ERROR = 0,
    ACL_RT_ERROR_MEMORY = 1,
    ACL_RT_ERROR_L2 = 2,
    ACL_RT_ERROR_AICORE = 3,
    ACL_RT_ERROR_LINK = 4,
    ACL_RT_ERROR_L3_PORT = 5,
    ACL_RT_ERROR_OTHERS = 65535,
} aclrtErrorType;

typedef enum aclrtAicoreErrorType {
    ACL_RT_AICORE_ERROR_UNKNOWN = 0,
    ACL_RT_AICORE_ERROR_SW = 1,
    ACL_RT_AICORE_ERROR_HW_LOCAL = 2,
} aclrtAicoreErrorType;

typedef enum aclrtRunMode {
    ACL_DEVICE = 0,
    ACL_HOST = 1,
} aclrtRunMode;

typedef enum aclrtTsId {
    ACL_TS_ID_AICORE = 0,
    ACL_TS_ID_AIVECTOR = 1,
    ACL_TS_ID_RESERVED = 2,
} aclrtTsId;

typedef enum aclrtDeviceStatus {
    ACL_RT_DEVICE_STATUS_NORMAL = 0,
    ACL_RT_DEVICE_STATUS_ABNORMAL = 1,
    ACL_RT_DEVICE_STATUS_END = 65535,
} aclrtDeviceStatus;

typedef enum aclrtDeviceTaskAbortStage {
    ACL_RT_DEVICE_TASK_ABORT_PRE = 0,
    ACL_RT_DEVICE_TASK_ABORT_POST = 1,
} aclrtDeviceTaskAbortStage;

typedef enum aclrtDeviceState {
    ACL_RT_DEVICE_STATE_SET_PRE = 0,
    ACL_RT_DEVICE_STATE_SET_POST = 1,
    ACL_RT_DEVICE_STATE_RESET_PRE = 2,
    ACL_RT_DEVICE_STATE_RESET_POST = 3,
} aclrtDeviceState;

typedef enum aclrtDeviceLimit {
    ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE = 0,
    ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE = 1,
    ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE = 2,
    ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE = 3,
    ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE = 4,
} aclrtDeviceLimit;

typedef enum aclrtDevAttr {
    ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
    ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
    ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
    ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
    ACL_DEV_ATTR_WARP_SIZE = 202,
    ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
    ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
    /**
     * An older name of ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE.
     */
    ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE = 204,
    ACL_DEV_ATTR_MAX_GRID_DIM_X = 205,
    ACL_DEV_ATTR_MAX_GRID_DIM_Y = 206,
    ACL_DEV_ATTR_MAX_GRID_DIM_Z = 207,
    ACL_DEV_ATTR_MAX_BLOCK_PER_GRID = 208,
    ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_X = 210,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Y = 211,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Z = 212,
    ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
    ACL_DEV_ATTR_L2_CACHE_SIZE = 302,
    ACL_DEV_ATTR_SMP_ID = 401,
    ACL_DEV_ATTR_PHY_CHIP_ID = 402,
    ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403,
    /**
     * The same as ACL_DEV_ATTR_SUPER_POD_DEVICE_ID, as it was misspelt once.
     */
    ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID = 403,
    ACL_DEV_ATTR_SUPER_POD_SERVER_ID = 404,
    ACL_DEV_ATTR_SUPER_POD_ID = 405,
    ACL_DEV_ATTR_CUST_OP_PRIVILEGE = 406,
    ACL_DEV_ATTR_MAINBOARD_ID = 407,
    ACL_DEV_ATTR_HD_CONNECT_TYPE = 408,
    ACL_DEV_ATTR_DEVICE_FORM_FACTOR = 409,
    ACL_DEV_ATTR_IS_VIRTUAL = 501,
    ACL_DEV_ATTR_NPU_ARCH = 601,
} aclrtDevAttr;

typedef enum aclrtDevFeatureType {
    ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV = 1,
    ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV = 21,
} aclrtDevFeatureType;

typedef enum aclrtAtomicOperation {
    ACL_RT_ATOMIC_OPERATION_INTEGER_ADD = 0,
    ACL_RT_ATOMIC_OPERATION_INTEGER_MIN = 1,
    ACL_RT_ATOMIC_OPERATION_INTEGER_MAX = 2,
    ACL_RT_ATOMIC_OPERATION_INTEGER_INCREMENT = 3,
    ACL_RT_ATOMIC_OPERATION_INTEGER_DECREMENT = 4,
    ACL_RT_ATOMIC_OPERATION_AND = 5,
    ACL_RT_ATOMIC_OPERATION_OR = 6,
    ACL_RT_ATOMIC_OPERATION_XOR = 7,
    ACL_RT_ATOMIC_OPERATION_EXCHANGE = 8,
    ACL_RT_ATOMIC_OPERATION_CAS = 9,
    ACL_RT_ATOMIC_OPERATION_FLOAT_ADD = 10,
    ACL_RT_ATOMIC_OPERATION_FLOAT_MIN = 11,
    ACL_RT_ATOMIC_OPERATION_FLOAT_MAX = 12,
    ACL_RT_ATOMIC_OPERATION_DMA_ADD = 30,
    ACL_RT_ATOMIC_OPERATION_DMA_MIN = 31,
    ACL_RT_ATOMIC_OPERATION_DMA_MAX = 32,
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD = 40,
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MIN = 41,
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MAX = 42,
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS = 43,
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH = 44,
} aclrtAtomicOperation;

typedef enum aclrtHacType {
    ACL_RT_HAC_TYPE_STARS = 0,
    ACL_RT_HAC_TYPE_AICPU = 1,
    ACL_RT_HAC_TYPE_AIC = 2,
    ACL_RT_HAC_TYPE_AIV = 3,
    ACL_RT_HAC_TYPE_PCIEDMA = 4,
    ACL_RT_HAC_TYPE_RDMA = 5,
    ACL_RT_HAC_TYPE_SDMA = 6,
    ACL_RT_HAC_TYPE_DVPP = 7,
    ACL_RT_HAC_TYPE_UDMA = 8,
    ACL_RT_HAC_TYPE_CCU = 9,
} aclrtHacType;

typedef enum aclrtHostMemMapCapability {
    ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED = 0,
    ACL_RT_HOST_MEM_MAP_SUPPORTED = 1,
} aclrtHostMemMapCapability;

typedef enum aclrtStreamStatus {
    ACL_STREAM_STATUS_COMPLETE = 0,
    ACL_STREAM_STATUS_NOT_READY = 1,
    ACL_STREAM_STATUS_RESERVED = 65535,
} aclrtStreamStatus;

typedef enum aclrtStreamState {
    ACL_RT_STREAM_STATE_CREATE_POST = 1,
    ACL_RT_STREAM_STATE_DESTROY_PRE = 2,
} aclrtStreamState;

typedef enum aclrtStreamAttr {
    ACL_STREAM_ATTR_FAILURE_MODE = 1,
    ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
    ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3,
    ACL_STREAM_ATTR_CACHE_OP_INFO = 4,
    ACL_STREAM_ATTR_PRIORITY = 5,
} aclrtStreamAttr;

typedef enum aclrtCondition {
    ACL_RT_EQUAL = 0,
    ACL_RT_NOT_EQUAL = 1,
    ACL_RT_GREATER = 2,
    ACL_RT_GREATER_OR_EQUAL = 3,
    ACL_RT_LESS = 4,
    ACL_RT_LESS_OR_EQUAL = 5,
} aclrtCondition;

typedef enum aclrtCompareDataType {
    ACL_RT_SWITCH_INT32 = 0,
    ACL_RT_SWITCH_INT64 = 1,
} aclrtCompareDataType;

typedef enum aclrtStreamConfigAttr {
    ACL_RT_STREAM_WORK_ADDR_PTR = 0,
    ACL_RT_STREAM_WORK_SIZE = 1,
    ACL_RT_STREAM_FLAG = 2,
    ACL_RT_STREAM_PRIORITY = 3,
} aclrtStreamConfigAttr;

typedef enum aclrtEventRecordedStatus {
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1,
} aclrtEventRecordedStatus;

typedef enum aclrtEventStatus {
    ACL_EVENT_STATUS_COMPLETE = 0,
    ACL_EVENT_STATUS_NOT_READY = 1,
    ACL_EVENT_STATUS_RESERVED = 2,
} aclrtEventStatus;

typedef enum aclrtEventWaitStatus {
    ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
    ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
    ACL_EVENT_WAIT_STATUS_RESERVED = 65535,
} aclrtEventWaitStatus;

typedef enum aclrtMemMallocPolicy {
    ACL_MEM_MALLOC_HUGE_FIRST = 0,
    ACL_MEM_MALLOC_HUGE_ONLY = 1,
    ACL_MEM_MALLOC_NORMAL_ONLY = 2,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
    ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
    ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 256,
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 4096,
    ACL_MEM_ACCESS_USER_SPACE_READONLY = 1048576,
} aclrtMemMallocPolicy;

typedef enum aclrtMallocAttrType {
    ACL_RT_MEM_ATTR_RSV = 0,
    ACL_RT_MEM_ATTR_MODULE_ID = 1,
    ACL_RT_MEM_ATTR_DEVICE_ID = 2,
    ACL_RT_MEM_ATTR_VA_FLAG = 3,
} aclrtMallocAttrType;

typedef enum aclrtMemAttr {
    ACL_DDR_MEM = 0,
    ACL_HBM_MEM = 1,
    ACL_DDR_MEM_HUGE = 2,
    ACL_DDR_MEM_NORMAL = 3,
    ACL_HBM_MEM_HUGE = 4,
    ACL_HBM_MEM_NORMAL = 5,
    ACL_DDR_MEM_P2P_HUGE = 6,
    ACL_DDR_MEM_P2P_NORMAL = 7,
    ACL_HBM_MEM_P2P_HUGE = 8,
    ACL_HBM_MEM_P2P_NORMAL = 9,
    ACL_HBM_MEM_HUGE1G = 10,
    ACL_HBM_MEM_P2P_HUGE1G = 11,
    ACL_MEM_NORMAL = 12,
    ACL_MEM_HUGE = 13,
    ACL_MEM_HUGE1G = 14,
    ACL_MEM_P2P_NORMAL = 15,
    ACL_MEM_P2P_HUGE = 16,
    ACL_MEM_P2P_HUGE1G = 17,
} aclrtMemAttr;

typedef enum aclrtMemLocationType {
    ACL_MEM_LOCATION_TYPE_HOST = 0,
    ACL_MEM_LOCATION_TYPE_DEVICE = 1,
    ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2,
    ACL_MEM_LOCATION_TYPE_MANAGED = 3,
    ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4,
} aclrtMemLocationType;

typedef enum aclrtHostRegisterType {
    ACL_HOST_REGISTER_MAPPED = 0,
    ACL_HOST_REGISTER_IOMEMORY = 4,
    ACL_HOST_REGISTER_READONLY = 8,
} aclrtHostRegisterType;

typedef enum aclrtCmoType {
    ACL_RT_CMO_TYPE_PREFETCH = 0,
    ACL_RT_CMO_TYPE_WRITEBACK = 1,
    ACL_RT_CMO_TYPE_INVALID = 2,
    ACL_RT_CMO_TYPE_FLUSH = 3,
} aclrtCmoType;

typedef enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST = 0,
    ACL_MEMCPY_HOST_TO_DEVICE = 1,
    ACL_MEMCPY_DEVICE_TO_HOST = 2,
    ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
    ACL_MEMCPY_DEFAULT = 4,
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7,
} aclrtMemcpyKind;

typedef enum aclrtReduceKind {
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM = 10,
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX = 11,
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN = 12,
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL = 13,
} aclrtReduceKind;

typedef enum aclrtRandomNumFuncType {
    ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK = 0,
    ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS = 1,
    ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS = 2,
    ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3,
} aclrtRandomNumFuncType;

typedef enum aclrtCallbackBlockType {
    ACL_CALLBACK_NO_BLOCK = 0,
    ACL_CALLBACK_BLOCK = 1,
} aclrtCallbackBlockType;

typedef enum aclrtMemHandleType {
    ACL_MEM_HANDLE_TYPE_NONE = 0,
    ACL_MEM_HANDLE_TYPE_POSIX = 2,
} aclrtMemHandleType;

typedef enum aclrtMemAllocationType {
    ACL_MEM_ALLOCATION_TYPE_PINNED = 0,
} aclrtMemAllocationType;

typedef enum aclrtMemGranularityOptions {
    ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
    ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
    ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 65535,
} aclrtMemGranularityOptions;

typedef enum aclrtMemAccessFlags {
    ACL_RT_MEM_ACCESS_FLAGS_NONE = 0,
    ACL_RT_MEM_ACCESS_FLAGS_READ = 1,
    ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 3,
} aclrtMemAccessFlags;

typedef enum aclrtMemLinkType {
    ACL_RT_MEM_ACCESS_LINK_SIO = 0,
    ACL_RT_MEM_ACCESS_LINK_HCCS = 1,
    ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH = 2,
    ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH = 3,
} aclrtMemLinkType;

typedef enum aclrtMemManagedAdviseType {
    ACL_MEM_ADVISE_SET_READ_MOSTLY = 0,
    ACL_MEM_ADVISE_UNSET_READ_MOSTLY = 1,
    ACL_MEM_ADVISE_SET_PREFERRED_LOCATION = 2,
    ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 3,
    ACL_MEM_ADVISE_SET_ACCESSED_BY = 4,
    ACL_MEM_ADVISE_UNSET_ACCESSED_BY = 5,
} aclrtMemManagedAdviseType;

typedef enum aclrtMemManagedLocationType {
    ACL_MEM_LOCATIONTYPE_INVALID = 0,
    ACL_MEM_LOCATIONTYPE_DEVICE = 1,
    ACL_MEM_LOCATIONTYPE_HOST = 2,
    ACL_MEM_LOCATIONTYPE_HOST_NUMA = 3,
    ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT = 4,
} aclrtMemManagedLocationType;

typedef enum aclrtMemManagedRangeAttribute {
    ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
    ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 4,
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 5,
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 6,
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8,
} aclrtMemManagedRangeAttribute;

typedef enum aclrtIpcMemAttrType {
    ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0,
} aclrtIpcMemAttrType;

typedef enum aclrtMemSharedHandleType {
    ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 1,
    ACL_MEM_SHARE_HANDLE_TYPE_FABRIC = 2,
} aclrtMemSharedHandleType;

typedef enum aclrtCntNotifyRecordMode {
    ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE = 0,
    ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE = 1,
    ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE = 2,
    ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE = 4,
} aclrtCntNotifyRecordMode;

typedef enum aclrtCntNotifyWaitMode {
    ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE = 0,
    ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE = 1,
    ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE = 2,
    ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE = 3,
    ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE = 4,
} aclrtCntNotifyWaitMode;

typedef enum aclmdlRICaptureMode {
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2,
} aclmdlRICaptureMode;

typedef enum aclmdlRICaptureStatus {
    ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2,
} aclmdlRICaptureStatus;

typedef enum aclmdlRITaskType {
    ACL_MODEL_RI_TASK_DEFAULT = 0,
    ACL_MODEL_RI_TASK_KERNEL = 1,
    ACL_MODEL_RI_TASK_EVENT_RECORD = 2,
    ACL_MODEL_RI_TASK_EVENT_WAIT = 3,
    ACL_MODEL_RI_TASK_EVENT_RESET = 4,
    ACL_MODEL_RI_TASK_VALUE_WRITE = 5,
    ACL_MODEL_RI_TASK_VALUE_WAIT = 6,
} aclmdlRITaskType;

typedef enum aclrtLaunchKernelAttrId {
    ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
    ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,
    /**
     * An older name of ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE.
     */
    ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE = 2,
    ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3,
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4,
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
    ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6,
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7,
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8,
    ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9,
} aclrtLaunchKernelAttrId;

typedef enum aclrtEngineType {
    ACL_RT_ENGINE_TYPE_AIC = 0,
    ACL_RT_ENGINE_TYPE_AIV = 1,
} aclrtEngineType;

typedef enum aclmdlRICondHandleFlag {
    ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT = 1,
} aclmdlRICondHandleFlag;

typedef enum aclmdlRICondTaskType {
    ACL_MODEL_RI_COND_TYPE_IF = 0,
    ACL_MODEL_RI_COND_TYPE_WHILE = 1,
    ACL_MODEL_RI_COND_TYPE_SWITCH = 2,
} aclmdlRICondTaskType;

typedef enum aclrtBinaryLoadOptionType {
    ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
    ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
    /**
     * The same as ACL_RT_BINARY_LOAD_OPT_MAGIC.
     */
    ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2,
    ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3,
} aclrtBinaryLoadOptionType;

typedef enum aclrtFuncAttribute {
    ACL_FUNC_ATTR_KERNEL_TYPE = 1,
    ACL_FUNC_ATTR_KERNEL_RATIO = 2,
    ACL_FUNC_ATTR_KERNEL_SCHED_MODE = 3,
} aclrtFuncAttribute;

typedef enum aclrtUpdateTaskAttrId {
    ACL_RT_UPDATE_RANDOM_TASK = 1,
    ACL_RT_UPDATE_AIC_AIV_TASK = 2,
} aclrtUpdateTaskAttrId;

typedef enum aclrtDevResLimitType {
    ACL_RT_DEV_RES_CUBE_CORE = 0,
    ACL_RT_DEV_RES_VECTOR_CORE = 1,
} aclrtDevResLimitType;

typedef enum aclrtFloatOverflowMode {
    ACL_RT_OVERFLOW_MODE_SATURATION = 0,
    ACL_RT_OVERFLOW_MODE_INFNAN = 1,
    ACL_RT_OVERFLOW_MODE_UNDEF = 2,
} aclrtFloatOverflowMode;

typedef enum aclrtGroupAttr {
    ACL_GROUP_AICORE_INT = 0,
    ACL_GROUP_AIV_INT = 1,
    ACL_GROUP_AIC_INT = 2,
    ACL_GROUP_SDMANUM_INT = 3,
    ACL_GROUP_ASQNUM_INT = 4,
    ACL_GROUP_GROUPID_INT = 5,
} aclrtGroupAttr;

typedef enum aclrtSnapShotStage {
    ACL_RT_SNAPSHOT_LOCK_PRE = 0,
    ACL_RT_SNAPSHOT_BACKUP_PRE = 1,
    ACL_RT_SNAPSHOT_BACKUP_POST = 2,
    ACL_RT_SNAPSHOT_RESTORE_PRE = 3,
    ACL_RT_SNAPSHOT_RESTORE_POST = 4,
    ACL_RT_SNAPSHOT_UNLOCK_POST = 5,
} aclrtSnapShotStage;

typedef enum aclrtAtomicOperationCapability {
    ACL_RT_ATOMIC_CAPABILITY_SIGNED = 1,
    ACL_RT_ATOMIC_CAPABILITY_UNSIGNED = 2,
    ACL_RT_ATOMIC_CAPABILITY_REDUCTION = 4,
    /**
     * The same as ACL_RT_ATOMIC_CAPABILITY_REDUCTION, as it was misspelt once.
     */
    ACL_RT_ATOMIC_CAPABILITY_REDUCATION = 4,
    ACL_RT_ATOMIC_CAPABILITY_SCALAR8 = 8,
    ACL_RT_ATOMIC_CAPABILITY_SCALAR16 = 16,
    ACL_RT_ATOMIC_CAPABILITY_SCALAR32 = 32,
    ACL_RT_ATOMIC_CAPABILITY_SCALAR64 = 64,
    ACL_RT_ATOMIC_CAPABILITY_SCALAR128 = 128,
    ACL_RT_ATOMIC_CAPABILITY_VECTOR32X4 = 256,
} aclrtAtomicOperationCapability;

typedef enum aclrtMemPgType {
    NORMAL_PAGE_TYPE = 0,
    HUGE_PAGE_TYPE = 1,
    HUGE1G_PAGE_TYPE = 2,
} aclrtMemPgType;

typedef enum aclrtMemType {
    HBM_TYPE = 0,
    DDR_TYPE = 1,
    P2P_HBM_TYPE = 2,
    P2P_DDR_TYPE = 3,
} aclrtMemType;

typedef enum aclrtKernelType {
    ACL_KERNEL_TYPE_AICORE = 0,
    ACL_KERNEL_TYPE_CUBE = 1,
    ACL_KERNEL_TYPE_VECTOR = 2,
    ACL_KERNEL_TYPE_MIX = 3,
    ACL_KERNEL_TYPE_AICPU = 100,
} aclrtKernelType;

typedef enum aclrtProcessState {
    ACL_RT_PROCESS_STATE_RUNNING = 0,
    ACL_RT_PROCESS_STATE_LOCKED = 1,
} aclrtProcessState;

typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;

typedef struct rtExceptionInfo rtExceptionInfo;

typedef struct tagRtGroupInfo tagRtGroupInfo;

typedef aclError (*aclInitCallbackFunc)(const char*, size_t, void*);

typedef aclError (*aclFinalizeCallbackFunc)(void*);

typedef struct aclCANNPackageVersion {
    char version[128];
    char majorVersion[64];
    char minorVersion[64];
    char releaseVersion[64];
    char patchVersion[64];
    char reserved[128];
} aclCANNPackageVersion;

typedef struct aclrtMemUceInfo {
    void *addr;
    size_t len;
    size_t reserved[14];
} aclrtMemUceInfo;

typedef struct aclrtMemUceInfoArray {
    size_t arraySize;
    aclrtMemUceInfo memUceInfoArray[20];
} aclrtMemUceInfoArray;

typedef union aclrtErrorInfoDetail {
    aclrtMemUceInfoArray uceInfo;
    aclrtAicoreErrorType aicoreErrType;
} aclrtErrorInfoDetail;

typedef struct aclrtErrorInfo {
    uint8_t tryRepair;
    uint8_t hasDetail;
    uint8_t reserved[2];
    aclrtErrorType errorType;
    aclrtErrorInfoDetail detail;
} aclrtErrorInfo;

typedef int32_t (*aclrtDeviceTaskAbortCallback)(int32_t,
                                                aclrtDeviceTaskAbortStage,
                                                uint32_t,
                                                void*);

typedef void (*aclrtDeviceStateCallback)(int32_t, aclrtDeviceState, void*);

typedef struct aclrtUtilizationInfo {
    int32_t cubeUtilization;
    int32_t vectorUtilization;
    int32_t aicpuUtilization;
    int32_t memoryUtilization;
    aclrtUtilizationExtendInfo *utilizationExtend;
} aclrtUtilizationInfo;

typedef struct aclrtUuid {
    char bytes[16];
} aclrtUuid;

typedef void (*aclrtStreamStateCallback)(aclrtStream, aclrtStreamState, void*);

typedef union aclrtStreamAttrValue {
    uint64_t failureMode;
    uint32_t overflowSwitch;
    uint32_t userCustomTag;
    uint32_t cacheOpInfoSwitch;
    uint32_t streamPriority;
    uint32_t reserve[4];
} aclrtStreamAttrValue;

typedef struct aclrtStreamConfigHandle {
    void *workptr;
    size_t workSize;
    size_t flag;
    uint32_t priority;
} aclrtStreamConfigHandle;

typedef union aclrtMallocAttrValue {
    uint16_t moduleId;
    uint32_t deviceId;
    uint32_t vaFlag;
    uint8_t rsv[8];
} aclrtMallocAttrValue;

typedef struct aclrtMallocAttribute {
    aclrtMallocAttrType attr;
    aclrtMallocAttrValue value;
} aclrtMallocAttribute;

typedef struct aclrtMallocConfig {
    aclrtMallocAttribute *attrs;
    size_t numAttrs;
} aclrtMallocConfig;

typedef struct aclrtMemUsageInfo {
    char name[32];
    uint64_t curMemSize;
    uint64_t memPeakSize;
    size_t reserved[8];
} aclrtMemUsageInfo;

typedef struct aclrtMemLocation {
    uint32_t id;
    aclrtMemLocationType type;
} aclrtMemLocation;

typedef struct aclrtPtrAttributes {
    aclrtMemLocation location;
    uint32_t pageSize;
    uint32_t rsv[4];
} aclrtPtrAttributes;

typedef struct aclrtBarrierCmoInfo {
    aclrtCmoType cmoType;
    uint32_t barrierId;
} aclrtBarrierCmoInfo;

typedef struct aclrtBarrierTaskInfo {
    size_t barrierNum;
    aclrtBarrierCmoInfo cmoInfo[6];
} aclrtBarrierTaskInfo;

typedef struct aclrtMemcpyBatchAttr {
    aclrtMemLocation dstLoc;
    aclrtMemLocation srcLoc;
    uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

typedef struct aclrtRandomParaInfo {
    uint8_t isAddr;
    uint8_t valueOrAddr[8];
    uint8_t size;
    uint8_t rsv[6];
} aclrtRandomParaInfo;

typedef struct aclrtDropoutBitmaskInfo {
    aclrtRandomParaInfo dropoutRation;
} aclrtDropoutBitmaskInfo;

typedef struct aclrtUniformDisInfo {
    aclrtRandomParaInfo min;
    aclrtRandomParaInfo max;
} aclrtUniformDisInfo;

typedef struct aclrtNormalDisInfo {
    aclrtRandomParaInfo mean;
    aclrtRandomParaInfo stddev;
} aclrtNormalDisInfo;

typedef struct aclrtRandomNumFuncParaInfo {
    aclrtRandomNumFuncType funcType;
    union {
        aclrtDropoutBitmaskInfo dropoutBitmaskInfo;
        aclrtUniformDisInfo uniformDisInfo;
        aclrtNormalDisInfo normalDisInfo;
    } paramInfo;
} aclrtRandomNumFuncParaInfo;

typedef struct aclrtRandomNumTaskInfo {
    aclDataType dataType;
    aclrtRandomNumFuncParaInfo randomNumFuncParaInfo;
    void *randomParaAddr;
    void *randomResultAddr;
    void *randomCounterAddr;
    aclrtRandomParaInfo randomSeed;
    aclrtRandomParaInfo randomNum;
    uint8_t rsv[8];
} aclrtRandomNumTaskInfo;

typedef void (*aclrtHostFunc)(void*);

typedef void (*aclrtCallback)(void*);

typedef struct rtExceptionInfo aclrtExceptionInfo;

typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo*);

typedef void *aclrtBinHandle;

typedef void (*aclrtOpExceptionCallback)(aclrtExceptionInfo*, void*);

typedef void *aclrtFuncHandle;

typedef struct aclrtPhysicalMemProp {
    aclrtMemHandleType handleType;
    aclrtMemAllocationType allocationType;
    aclrtMemAttr memAttr;
    aclrtMemLocation location;
    uint64_t reserve;
} aclrtPhysicalMemProp;

typedef void *aclrtDrvMemHandle;

typedef struct aclrtMemAccessDesc {
    aclrtMemAccessFlags flags;
    aclrtMemLocation location;
    uint8_t rsv[12];
} aclrtMemAccessDesc;

typedef struct aclrtMemManagedLocation {
    aclrtMemManagedLocationType type;
    int32_t id;
} aclrtMemManagedLocation;

typedef struct aclrtServerPid {
    uint32_t sdid;
    int32_t *pid;
    size_t num;
} aclrtServerPid;

typedef struct aclrtIpcEventHandle {
    char reserved[64];
} aclrtIpcEventHandle;

typedef struct aclrtCntNotifyRecordInfo {
    aclrtCntNotifyRecordMode mode;
    uint32_t value;
} aclrtCntNotifyRecordInfo;

typedef struct aclrtCntNotifyWaitInfo {
    aclrtCntNotifyWaitMode mode;
    uint32_t value;
    uint32_t timeout;
    uint8_t isClear;
    uint8_t rsv[3];
} aclrtCntNotifyWaitInfo;

typedef void *aclmdlRI;

typedef struct aclrtTimeoutUs {
    uint32_t timeoutLow;
    uint32_t timeoutHigh;
} aclrtTimeoutUs;

typedef union aclrtLaunchKernelAttrValue {
    uint8_t schemMode;
    uint32_t localMemorySize;
    uint32_t dynUBufSize;
    aclrtEngineType engineType;
    uint32_t blockDimOffset;
    uint8_t isBlockTaskPrefetch;
    uint8_t isDataDump;
    uint16_t timeout;
    aclrtTimeoutUs timeoutUs;
    uint8_t enableProfiling;
    uint32_t rsv[4];
} aclrtLaunchKernelAttrValue;

typedef struct aclrtLaunchKernelAttr {
    aclrtLaunchKernelAttrId id;
    aclrtLaunchKernelAttrValue value;
} aclrtLaunchKernelAttr;

typedef struct aclrtLaunchKernelCfg {
    aclrtLaunchKernelAttr *attrs;
    size_t numAttrs;
} aclrtLaunchKernelCfg;

typedef struct aclmdlRIKernelTaskParams {
    aclrtFuncHandle funcHandle;
    aclrtLaunchKernelCfg *cfg;
    void *args;
    uint32_t isHostArgs;
    size_t argsSize;
    uint32_t numBlocks;
    uint32_t rsv[10];
} aclmdlRIKernelTaskParams;

typedef struct aclmdlRIEventRecordTaskParams {
    aclrtEvent event;
    uint32_t eventFlag;
    uint32_t recordFlag;
} aclmdlRIEventRecordTaskParams;

typedef struct aclmdlRIEventWaitTaskParams {
    aclrtEvent event;
    uint32_t eventFlag;
    uint32_t waitFlag;
} aclmdlRIEventWaitTaskParams;

typedef struct aclmdlRIEventResetTaskParams {
    aclrtEvent event;
    uint32_t eventFlag;
    uint32_t resetFlag;
} aclmdlRIEventResetTaskParams;

typedef struct aclmdlRIValueWriteTaskParams {
    void *devAddr;
    uint64_t value;
} aclmdlRIValueWriteTaskParams;

typedef struct aclmdlRIValueWaitTaskParams {
    void *devAddr;
    uint64_t value;
    uint32_t flag;
} aclmdlRIValueWaitTaskParams;

typedef struct aclmdlRITaskParams {
    aclmdlRITaskType type;
    uint32_t rsv0[3];
    aclrtTaskGrp taskGrp;
    void *opInfoPtr;
    size_t opInfoSize;
    uint8_t rsv1[32];
    __extension__ union {
        uint8_t rsv2[128];
        aclmdlRIKernelTaskParams kernelTaskParams;
        aclmdlRIEventRecordTaskParams eventRecordTaskParams;
        aclmdlRIEventWaitTaskParams eventWaitTaskParams;
        aclmdlRIEventResetTaskParams eventResetTaskParams;
        aclmdlRIValueWriteTaskParams valueWriteTaskParams;
        aclmdlRIValueWaitTaskParams valueWaitTaskParams;
    };
} aclmdlRITaskParams;

typedef void *aclmdlRICondHandle;

typedef struct tagAclmdlRICondTaskParams {
    aclmdlRICondHandle handle;
    aclmdlRICondTaskType type;
    uint32_t size;
    aclmdlRI *modelRIArray;
} tagAclmdlRICondTaskParams;

typedef struct tagAclmdlRICondTaskParams aclmdlRICondTaskParams;

typedef void *aclrtBinary;

typedef union aclrtBinaryLoadOptionValue {
    uint32_t isLazyLoad;
    uint32_t magic;
    int32_t cpuKernelMode;
    uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;

typedef struct aclrtBinaryLoadOption {
    aclrtBinaryLoadOptionType type;
    aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;

typedef struct aclrtBinaryLoadOptions {
    aclrtBinaryLoadOption *options;
    size_t numOpt;
} aclrtBinaryLoadOptions;

typedef void *aclrtArgsHandle;

typedef void *aclrtParamHandle;

typedef struct aclrtPlaceHolderInfo {
    uint32_t addrOffset;
    uint32_t dataOffset;
} aclrtPlaceHolderInfo;

/* CUDA has a dim3 of its own; a program that has another one defines PORTACL_NO_DIM3. */
#if !defined(__CUDACC__) && !defined(PORTACL_NO_DIM3)
typedef struct dim3 {
    uint32_t x;
    uint32_t y;
    uint32_t z;
} dim3;
#endif

typedef struct aclrtRandomTaskUpdateAttr {
    void *srcAddr;
    size_t size;
    uint32_t rsv[4];
} aclrtRandomTaskUpdateAttr;

typedef struct aclrtAicAivTaskUpdateAttr {
    void *binHandle;
    void *funcEntryAddr;
    void *blockDimAddr;
    uint32_t rsv[4];
} aclrtAicAivTaskUpdateAttr;

typedef union aclrtUpdateTaskAttrVal {
    aclrtRandomTaskUpdateAttr randomTaskAttr;
    aclrtAicAivTaskUpdateAttr aicAivTaskAttr;
} aclrtUpdateTaskAttrVal;

typedef struct aclrtTaskUpdateInfo {
    aclrtUpdateTaskAttrId id;
    aclrtUpdateTaskAttrVal val;
} aclrtTaskUpdateInfo;

typedef struct tagRtGroupInfo aclrtGroupInfo;

typedef struct aclrtSnapShotBackupArgs {
    uint32_t backupFlags;
    char reserved[60];
} aclrtSnapShotBackupArgs;

typedef struct aclrtSnapShotRestoreArgs {
    uint32_t restoreFlags;
    char reserved[60];
} aclrtSnapShotRestoreArgs;

typedef uint32_t (*aclrtSnapShotCallBack)(int32_t, void*);

typedef struct aclrtMemFabricHandle {
    uint8_t data[128];
} aclrtMemFabricHandle;

typedef struct MemAttrMapping {
    uint32_t pgType;
    uint32_t memType;
    bool isHostAlloc;
    aclrtMemAttr memAttr;
} MemAttrMapping;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Starts the library. `configPath` names a JSON file; null or an empty text means the defaults.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclInit(const char *configPath);

/**
 * Ends the library: every device is reset, pending work is awaited, and the library's threads end.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclFinalize(void);

/**
 * Takes back one aclInit and tells, if `refCount` is not null, how many are left; the last one
 * ends the library.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclFinalizeReference(uint64_t *refCount);

/**
 * Has `cbFunc` called with the configuration's text when the library starts, at once if it runs
 * already.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclInitCallbackRegister(aclRegisterCallbackType type,
                                 aclInitCallbackFunc cbFunc,
                                 void *userData);

/**
 * Takes back a registration of aclInitCallbackRegister.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc);

/**
 * Has `cbFunc` called when the library ends.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type,
                                     aclFinalizeCallbackFunc cbFunc,
                                     void *userData);

/**
 * Takes back a registration of aclFinalizeCallbackRegister.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
                                       aclFinalizeCallbackFunc cbFunc);

/**
 * Tells the version of the interface: the ACL_*_VERSION numbers of the header.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion);

/**
 * Tells the version of a package as texts.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version);

/**
 * Writes the version of the package `pkgName` as text to `versionStr`.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclsysGetVersionStr(char *pkgName, char *versionStr);

/**
 * Tells the version of the package `pkgName` as one number that grows with every release.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum);

/**
 * Tells whether code built for the chip `socVersion` runs on this device.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCheckArchCompatibility(const char *socVersion, int32_t *canCompatible);

/**
 * The text of this thread's last failure since it was asked last, or null if there was none. Valid
 * until the thread asks again.
 */
const char *aclGetRecentErrMsg(void);

/**
 * The code of this thread's last failure, 0 if there was none, and forgets it. `level` must be
 * ACL_RT_THREAD_LEVEL.
 */
aclError aclrtGetLastError(aclrtLastErrLevel level);

/**
 * The code of this thread's last failure, 0 if there was none. `level` must be
 * ACL_RT_THREAD_LEVEL.
 */
aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/**
 * Describes the hardware error that a device is in.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo);

/**
 * Tries to repair the hardware error that aclrtGetErrorVerbose described.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo *errorInfo);

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
 * Makes a device, through its default context, the calling thread's. Every success counts as one
 * use of the device.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetDevice(int32_t deviceId);

/**
 * Gives up one use of a device; the last one waits for pending work and releases what the device
 * holds.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtResetDevice(int32_t deviceId);

/**
 * Releases what a device holds at once, however many uses are left, after pending work.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtResetDeviceForce(int32_t deviceId);

/**
 * Tells the device of the calling thread's current context.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetDevice(int32_t *deviceId);

/**
 * Tells how many devices there are. Works before aclInit.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetDeviceCount(uint32_t *count);

/**
 * Waits for all work on the current device.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSynchronizeDevice(void);

/**
 * Waits for all work on the current device, at most `timeout` milliseconds; -1 waits for ever.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/**
 * Tells whether the program runs beside the device (ACL_HOST) or on it (ACL_DEVICE).
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetRunMode(aclrtRunMode *runMode);

/**
 * Chooses the task scheduler that later work of this thread goes to.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetTsDevice(aclrtTsId tsId);

/**
 * Tells whether a device works normally.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus);

/**
 * Drops all work of a device, waiting at most `timeout` milliseconds.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout);

/**
 * Has `callback` called before and after aclrtDeviceTaskAbort.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetDeviceTaskAbortCallback(const char *regName,
                                         aclrtDeviceTaskAbortCallback callback,
                                         void *args);

/**
 * Has `callback` called before and after devices are set and reset; null takes it back.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtRegDeviceStateCallback(const char *regName,
                                     aclrtDeviceStateCallback callback,
                                     void *args);

/**
 * Writes a device's level-2 cache back to its memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDeviceL2CacheFlush(void *rsv);

/**
 * Tells a limit of the current device.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t *value);

/**
 * Sets a limit of the current device.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value);

/**
 * Tells one number about a device: cores, memory, caches, place in the machine.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value);

/**
 * Tells whether a device has a feature: ACL_DEV_FEATURE_SUPPORT or ACL_DEV_FEATURE_NOT_SUPPORT.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetDeviceCapability(int32_t deviceId,
                                  aclrtDevFeatureType devFeatureType,
                                  int32_t *value);

/**
 * Tells how busy a device is, in percent.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetDeviceUtilizationRate(int32_t deviceId,
                                       aclrtUtilizationInfo *utilizationInfo);

/**
 * Tells how two devices are connected, as ACL_RT_DEVS_TOPOLOGY_* bits.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t *value);

/**
 * Tells a number that names the device for ever and everywhere.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid);

/**
 * Writes the device's PCI address as text.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char *pciBusId, int32_t len);

/**
 * Finds the device with a PCI address.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDeviceGetByPCIBusId(const char *pciBusId, int32_t *deviceId);

/**
 * Tells the process id that other processes put on their lists to share memory with this one.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDeviceGetBareTgid(int32_t *pid);

/**
 * Tells the least and the most urgent stream priority of the current device; smaller numbers are
 * more urgent.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority, int32_t *greatestPriority);

/**
 * Converts a device number of this process to one of the machine.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetLogicDevIdByUserDevId(int32_t userDevid, int32_t *logicDevId);

/**
 * Converts a device number of the machine to one of this process.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetUserDevIdByLogicDevId(int32_t logicDevId, int32_t *userDevid);

/**
 * Converts a physical device number to one of the machine.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetLogicDevIdByPhyDevId(int32_t phyDevId, int32_t *logicDevId);

/**
 * Converts a device number to a physical one.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetPhyDevIdByLogicDevId(int32_t logicDevId, int32_t *phyDevId);

/**
 * Converts a device number of this process to a physical one.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetPhyDevIdByUserDevId(int32_t userDevId, int32_t *phyDevId);

/**
 * Converts a physical device number to one of this process.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetUserDevIdByPhyDevId(int32_t phyDevId, int32_t *userDevId);

/**
 * Tells the number of the last task that this thread submitted.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetThreadLastTaskId(uint32_t *taskId);

/**
 * Tells which atomic operations a device can do on host memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t *capabilities,
                                              const aclrtAtomicOperation *operations,
                                              uint32_t count,
                                              int32_t deviceId);

/**
 * Tells which atomic operations a device can do on another device's memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t *capabilities,
                                             const aclrtAtomicOperation *operations,
                                             uint32_t count,
                                             int32_t srcDeviceId,
                                             int32_t dstDeviceId);

/**
 * Tells whether an engine of a device can use mapped host memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtHostMemMapCapabilities(uint32_t deviceId,
                                     aclrtHacType hacType,
                                     aclrtHostMemMapCapability *capabilities);

/**
 * Tells whether one device can use another's memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId);

/**
 * Lets the current device use a peer's memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);

/**
 * Takes back aclrtDeviceEnablePeerAccess.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/**
 * Tells whether one device may use another's memory at the moment.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t *status);

/**
 * Makes a context of a device, with a default stream of its own, and makes it current in this
 * thread.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId);

/**
 * Ends a context that aclrtCreateContext made.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDestroyContext(aclrtContext context);

/**
 * Makes a context, and with it its device, current in this thread.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetCurrentContext(aclrtContext context);

/**
 * Tells this thread's current context.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetCurrentContext(aclrtContext *context);

/**
 * Tells the default stream of the current context: the one that a null stream means.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream);

/**
 * Tells whether a device's default context exists. `flags` must be null.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active);

/**
 * Sets an option of the current context.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/**
 * Tells an option of the current context.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

/**
 * Sets an option of this process.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/**
 * Tells an option of this process, 0 if it was never set.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

/**
 * Tells where the current context notes floating-point overflows.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCtxGetFloatOverflowAddr(void **overflowAddr);

/**
 * Makes a stream of the current context.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCreateStream(aclrtStream *stream);

/**
 * Makes a stream with a priority and ACL_STREAM_* flags.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag);

/**
 * Waits for a stream's work and ends the stream.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDestroyStream(aclrtStream stream);

/**
 * Ends a stream without waiting; work that has not started is dropped where the device can do
 * that.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDestroyStreamForce(aclrtStream stream);

/**
 * Waits for all work of a stream; null means the default stream. Reports the first failure of that
 * work.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSynchronizeStream(aclrtStream stream);

/**
 * As aclrtSynchronizeStream, for at most `timeout` milliseconds; -1 waits for ever.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/**
 * Tells whether a stream has finished everything.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status);

/**
 * Later work of the stream waits for what the event's latest record stands for.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

/**
 * As aclrtStreamWaitEvent, for at most `timeout` seconds; 0 waits for ever.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout);

/**
 * As aclrtStreamWaitEvent, for at most `timeout` seconds, with ACL_EVENT_WAIT_* flags.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtStreamWaitEventWithFlag(aclrtStream stream,
                                      aclrtEvent event,
                                      uint32_t timeout,
                                      uint32_t flag);

/**
 * Tells a stream's number, unique on its device.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId);

/**
 * Tells the flags a stream was made with.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags);

/**
 * Tells the priority a stream was made with.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority);

/**
 * Tells how many more streams the current device can have.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetStreamAvailableNum(uint32_t *streamCount);

/**
 * Drops a stream's queued work and stops what runs; the stream lives on.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtStreamAbort(aclrtStream stream);

/**
 * Stops a stream's work.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtStreamStop(aclrtStream stream);

/**
 * Sets what happens after a failure on the stream: ACL_CONTINUE_ON_FAILURE or ACL_STOP_ON_FAILURE.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);

/**
 * Has `callback` called after streams are made and before they end; null takes it back.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtRegStreamStateCallback(const char *regName,
                                     aclrtStreamStateCallback callback,
                                     void *args);

/**
 * Sets an attribute of a stream.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetStreamAttribute(aclrtStream stream,
                                 aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue *value);

/**
 * Tells an attribute of a stream.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
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
 * Starts one stream's stored work from another stream.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream);

/**
 * Compares two values on the device and goes on with one of two streams.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSwitchStream(void *leftValue,
                           aclrtCondition cond,
                           void *rightValue,
                           aclrtCompareDataType dataType,
                           aclrtStream trueStream,
                           aclrtStream falseStream,
                           aclrtStream stream);

/**
 * Makes the description of a stream, or returns null.
 *
 * @return null; aclGetRecentErrMsg tells what is missing.
 */
aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void);

/**
 * Ends a description that aclrtCreateStreamConfigHandle made.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle);

/**
 * Sets one attribute in the description of a stream.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle,
                                 aclrtStreamConfigAttr attr,
                                 const void *attrValue,
                                 size_t valueSize);

/**
 * Makes a stream as it is described.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCreateStreamV2(aclrtStream *stream, const aclrtStreamConfigHandle *handle);

/**
 * Makes an event with a time stamp.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCreateEvent(aclrtEvent *event);

/**
 * Makes an event with ACL_EVENT_* flags, reset by the caller between uses.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag);

/**
 * Makes an event with ACL_EVENT_* flags that can be recorded again and again.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag);

/**
 * Ends an event; what it stands for goes on.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDestroyEvent(aclrtEvent event);

/**
 * Makes the event stand for all work queued on the stream so far.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);

/**
 * As aclrtRecordEvent, with ACL_EVENT_RECORD_* flags.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag);

/**
 * Makes an event unrecorded again, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

/**
 * Tells whether the event's latest record has happened.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status);

/**
 * Tells whether the event's latest record has happened; an older form of aclrtQueryEventStatus.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status);

/**
 * Tells whether all waits for the event are over.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status);

/**
 * Waits until the event's latest record has happened.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSynchronizeEvent(aclrtEvent event);

/**
 * As aclrtSynchronizeEvent, for at most `timeout` milliseconds; -1 waits for ever.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/**
 * Tells the milliseconds between two events that have happened.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent);

/**
 * Tells when the event happened, in microseconds of a clock that only goes forward.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp);

/**
 * Tells an event's number.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId);

/**
 * Tells how many more events the current device can have.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetEventAvailNum(uint32_t *eventCount);

/**
 * Allocates device memory on the current device.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/**
 * Allocates device memory rounded up to 32 bytes, without the readable tail of aclrtMalloc.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/**
 * Allocates device memory that goes through the caches.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/**
 * Allocates device memory with attributes.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMallocWithCfg(void **devPtr,
                            size_t size,
                            aclrtMemMallocPolicy policy,
                            aclrtMallocConfig *cfg);

/**
 * Allocates device memory that the task scheduler uses.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMallocForTaskScheduler(void **devPtr,
                                     size_t size,
                                     aclrtMemMallocPolicy policy,
                                     aclrtMallocConfig *cfg);

/**
 * Gives device memory back. Queued work that uses it goes on with it.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtFree(void *devPtr);

/**
 * Waits for the device, then gives device memory back.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtFreeWithDevSync(void *devPtr);

/**
 * Allocates page-locked host memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMallocHost(void **hostPtr, size_t size);

/**
 * Allocates page-locked host memory with attributes.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg);

/**
 * Gives page-locked host memory back.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtFreeHost(void *hostPtr);

/**
 * Waits for the device, then gives page-locked host memory back.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtFreeHostWithDevSync(void *hostPtr);

/**
 * Sets bytes of device memory, or of page-locked host memory, and waits.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count);

/**
 * Sets bytes of memory, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemsetAsync(void *devPtr,
                          size_t maxCount,
                          int32_t value,
                          size_t count,
                          aclrtStream stream);

/**
 * Sets 32-bit words of memory and waits.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N);

/**
 * Sets 32-bit words of memory, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemsetD32Async(void *ptr,
                             size_t memSize,
                             uint32_t value,
                             size_t N,
                             aclrtStream stream);

/**
 * Tells how much memory of a kind is free, and how much there is.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total);

/**
 * Tells how much device memory each part of the system uses.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetMemUsageInfo(int32_t deviceId,
                              aclrtMemUsageInfo *memUsageInfo,
                              size_t inputNum,
                              size_t *outputNum);

/**
 * Tells where an address lives and how large its pages are.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes);

/**
 * Tells start and length of the allocation that an address lies in.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemGetAddressRange(void *ptr, void **pbase, size_t *psize);

/**
 * Tells whether all addresses of a list are memory of one type.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCheckMemType(void **addrList,
                           uint32_t size,
                           uint32_t memType,
                           uint32_t *checkResult,
                           uint32_t reserve);

/**
 * Writes cached device memory back.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemFlush(void *devPtr, size_t size);

/**
 * Drops what caches hold of device memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemInvalidate(void *devPtr, size_t size);

/**
 * Locks host memory of the caller and maps it for the device.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtHostRegister(void *ptr,
                           uint64_t size,
                           aclrtHostRegisterType type,
                           void **devPtr);

/**
 * Locks host memory of the caller, as ACL_HOST_REG_* flags say.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag);

/**
 * Takes back a registration of host memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtHostUnregister(void *ptr);

/**
 * Tells the device's address of registered host memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag);

/**
 * Prefetches memory into caches or writes it back, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType, aclrtStream stream);

/**
 * As aclrtCmoAsync, for a barrier to wait for.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCmoAsyncWithBarrier(void *src,
                                  size_t size,
                                  aclrtCmoType cmoType,
                                  uint32_t barrierId,
                                  aclrtStream stream);

/**
 * Makes a stream wait for cache operations.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo *taskInfo,
                             aclrtStream stream,
                             uint32_t flag);

/**
 * Tells the size of the description of a cache operation.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCmoGetDescSize(size_t *size);

/**
 * Fills the description of a cache operation.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCmoSetDesc(void *cmoDesc, void *src, size_t size);

/**
 * Does the described cache operation, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCmoAsyncWithDesc(void *cmoDesc,
                               aclrtCmoType cmoType,
                               aclrtStream stream,
                               const void *reserve);

/**
 * Copies memory and waits.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemcpy(void *dst,
                     size_t destMax,
                     const void *src,
                     size_t count,
                     aclrtMemcpyKind kind);

/**
 * Copies memory, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemcpyAsync(void *dst,
                          size_t destMax,
                          const void *src,
                          size_t count,
                          aclrtMemcpyKind kind,
                          aclrtStream stream);

/**
 * Copies memory, in stream order; an older name of aclrtMemcpyAsync.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemcpyAsyncWithCondition(void *dst,
                                       size_t destMax,
                                       const void *src,
                                       size_t count,
                                       aclrtMemcpyKind kind,
                                       aclrtStream stream);

/**
 * Copies between places whose addresses are read on the device.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
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
 * Copies a rectangle of memory and waits.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemcpy2d(void *dst,
                       size_t dpitch,
                       const void *src,
                       size_t spitch,
                       size_t width,
                       size_t height,
                       aclrtMemcpyKind kind);

/**
 * Copies a rectangle of memory, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
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
 * Makes many copies and waits; `failIndex` tells which one was wrong.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
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
 * Makes many copies and waits.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
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
 * Makes many copies, in stream order; `failIndex` tells which one was wrong.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
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
 * Makes many copies, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
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
 * Tells the size of the description of a copy.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *descSize);

/**
 * Fills the description of a copy.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetMemcpyDesc(void *desc,
                            aclrtMemcpyKind kind,
                            void *srcAddr,
                            void *dstAddr,
                            size_t count,
                            void *config);

/**
 * Does the described copy, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind, aclrtStream stream);

/**
 * Copies to a variable of a device binary and waits.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemcpyToSymbol(const void *symbol,
                             const void *src,
                             size_t count,
                             size_t offset,
                             aclrtMemcpyKind kind);

/**
 * Copies to a variable of a device binary, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemcpyToSymbolAsync(const void *symbol,
                                  const void *src,
                                  size_t count,
                                  size_t offset,
                                  aclrtMemcpyKind kind,
                                  aclrtStream stream);

/**
 * Copies from a variable of a device binary and waits.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemcpyFromSymbol(void *dst,
                               size_t dstMax,
                               const void *symbol,
                               size_t count,
                               size_t offset,
                               aclrtMemcpyKind kind);

/**
 * Copies from a variable of a device binary, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemcpyFromSymbolAsync(void *dst,
                                    size_t dstMax,
                                    const void *symbol,
                                    size_t count,
                                    size_t offset,
                                    aclrtMemcpyKind kind,
                                    aclrtStream stream);

/**
 * Tells the address of a variable of a device binary.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetSymbolAddress(const void *symbol, void **devPtr);

/**
 * Tells the size of a variable of a device binary.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetSymbolSize(const void *symbol, size_t *size);

/**
 * Adds, or takes the larger or smaller of, two arrays element by element, in stream order; `count`
 * is in bytes.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtReduceAsync(void *dst,
                          const void *src,
                          uint64_t count,
                          aclrtReduceKind kind,
                          aclDataType type,
                          aclrtStream stream,
                          void *reserve);

/**
 * Fills device memory with random numbers, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *taskInfo,
                             aclrtStream stream,
                             void *reserve);

/**
 * Writes a 64-bit value to device memory, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream);

/**
 * Makes a stream wait until a 64-bit value in device memory meets a condition.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream);

/**
 * Queues a call of `fn`, on a thread of the library; later work of the stream waits for it.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args);

/**
 * Has a stream's host functions run in the thread `hostFuncThreadId`.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

/**
 * Runs host functions in this thread, waiting for them at most `timeout` milliseconds.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtProcessHostFunc(int32_t timeout);

/**
 * Takes back aclrtSubscribeHostFunc.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

/**
 * Has a stream's callbacks run in the thread `threadId`, a pthread_t.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);

/**
 * Queues a call of `fn` in the thread that subscribed to the stream's callbacks.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtLaunchCallback(aclrtCallback fn,
                             void *userData,
                             aclrtCallbackBlockType blockType,
                             aclrtStream stream);

/**
 * Runs callbacks in this thread, waiting for them at most `timeout` milliseconds.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtProcessReport(int32_t timeout);

/**
 * Takes back aclrtSubscribeReport.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/**
 * Has `callback` called when work fails on a device; null takes it back.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

/**
 * Adds a function to those called when work fails on a device.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);

/**
 * Takes back aclrtExceptionInfoCallbackRegister.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);

/**
 * Has `callback` called when a kernel of a binary fails.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle,
                                         aclrtOpExceptionCallback callback,
                                         void *userData);

/**
 * The number of the task that failed, 0xFFFFFFFF if it is not known.
 *
 * @return 0xFFFFFFFF; aclGetRecentErrMsg tells what is missing.
 */
uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * The number of the stream on which work failed, 0xFFFFFFFF if it is not known.
 *
 * @return 0xFFFFFFFF; aclGetRecentErrMsg tells what is missing.
 */
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * The number of the thread that submitted what failed, 0xFFFFFFFF if it is not known.
 *
 * @return 0xFFFFFFFF; aclGetRecentErrMsg tells what is missing.
 */
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * The device on which work failed, 0xFFFFFFFF if it is not known.
 *
 * @return 0xFFFFFFFF; aclGetRecentErrMsg tells what is missing.
 */
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * The code of the failure, 0xFFFFFFFF if it is not known.
 *
 * @return 0xFFFFFFFF; aclGetRecentErrMsg tells what is missing.
 */
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * Tells the arguments of the kernel that failed.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info,
                                       void **devArgsPtr,
                                       uint32_t *devArgsLen);

/**
 * Tells which kernel failed.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info, aclrtFuncHandle *func);

/**
 * Tells which sizes of physical memory are possible, or best.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
                                          aclrtMemGranularityOptions option,
                                          size_t *granularity);

/**
 * Reserves a range of addresses without memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtReserveMemAddress(void **virPtr,
                                size_t size,
                                size_t alignment,
                                void *expectPtr,
                                uint64_t flags);

/**
 * As aclrtReserveMemAddress, outside the range that unified caching covers.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtReserveMemAddressNoUCMemory(void **virPtr,
                                          size_t size,
                                          size_t alignment,
                                          void *expectPtr,
                                          uint64_t flags);

/**
 * Gives back a range of addresses from which all memory was unmapped.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtReleaseMemAddress(void *virPtr);

/**
 * Allocates physical memory without an address.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle,
                             size_t size,
                             const aclrtPhysicalMemProp *prop,
                             uint64_t flags);

/**
 * Gives up physical memory; it goes when it is mapped nowhere.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/**
 * Maps physical memory into a reserved range.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMapMem(void *virPtr,
                     size_t size,
                     size_t offset,
                     aclrtDrvMemHandle handle,
                     uint64_t flags);

/**
 * Maps physical memory that is out of reach until aclrtMemSetAccess.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemMapNoAccess(void *virPtr,
                             size_t size,
                             size_t offset,
                             aclrtDrvMemHandle handle,
                             uint64_t flags);

/**
 * Takes back aclrtMapMem.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtUnmapMem(void *virPtr);

/**
 * Sets which devices may read and write a mapped range.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemSetAccess(void *virPtr,
                           size_t size,
                           aclrtMemAccessDesc *desc,
                           size_t count);

/**
 * Tells how a device may use a mapped range.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemGetAccess(void *virPtr, aclrtMemLocation *location, uint64_t *flag);

/**
 * Tells the physical memory behind a mapped address, and keeps it alive once more.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemRetainAllocationHandle(void *virPtr, aclrtDrvMemHandle *handle);

/**
 * Tells how physical memory was asked for.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
                                                   aclrtPhysicalMemProp *prop);

/**
 * Maps device memory for another device.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemP2PMap(void *devPtr, size_t size, int32_t dstDevId, uint64_t flags);

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
 * Allocates memory that host and devices use at one address.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemAllocManaged(void **ptr, uint64_t size, uint32_t flag);

/**
 * Tells how managed memory will be used.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemManagedAdvise(const void *ptr,
                               uint64_t size,
                               aclrtMemManagedAdviseType advise,
                               aclrtMemManagedLocation location);

/**
 * Tells an attribute of a range of managed memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute,
                                const void *ptr,
                                size_t size,
                                void *data,
                                size_t dataSize);

/**
 * Tells several attributes of a range of managed memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *attributes,
                                 size_t numAttributes,
                                 const void *ptr,
                                 size_t size,
                                 void **data,
                                 size_t *dataSizes);

/**
 * Moves managed memory to a place, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemManagedPrefetchAsync(const void *ptr,
                                      size_t size,
                                      aclrtMemManagedLocation location,
                                      uint32_t flags,
                                      aclrtStream stream);

/**
 * Moves ranges of managed memory to their places, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
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
 * Gives device memory a name under which other processes open it.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len, uint64_t flags);

/**
 * Opens another process's memory by its name.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags);

/**
 * Closes shared memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtIpcMemClose(const char *key);

/**
 * Lists the processes that may open a name.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num);

/**
 * Lists the processes of other servers that may open a name.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtIpcMemImportPidInterServer(const char *key,
                                         aclrtServerPid *serverPids,
                                         size_t num);

/**
 * Sets how shared memory is reached.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtIpcMemSetAttr(const char *key, aclrtIpcMemAttrType type, uint64_t attr);

/**
 * Makes a handle through which another process opens an event.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle *handle);

/**
 * Opens another process's event.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event);

/**
 * Gives physical memory a number under which other processes open it.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle,
                                         aclrtMemHandleType handleType,
                                         uint64_t flags,
                                         uint64_t *shareableHandle);

/**
 * Gives physical memory a handle under which other processes open it.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle,
                                           uint64_t flags,
                                           aclrtMemSharedHandleType shareType,
                                           void *shareableHandle);

/**
 * Opens another process's physical memory by its number.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle,
                                           int32_t deviceId,
                                           aclrtDrvMemHandle *handle);

/**
 * Opens another process's physical memory by its handle.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemImportFromShareableHandleV2(void *shareableHandle,
                                             aclrtMemSharedHandleType shareType,
                                             uint64_t flags,
                                             aclrtDrvMemHandle *handle);

/**
 * Lists the processes that may open a number.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum);

/**
 * Lists the processes that may open a handle.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemSetPidToShareableHandleV2(void *shareableHandle,
                                           aclrtMemSharedHandleType shareType,
                                           int32_t *pid,
                                           size_t pidNum);

/**
 * Makes a notify.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag);

/**
 * Ends a notify.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDestroyNotify(aclrtNotify notify);

/**
 * Signals a notify, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream);

/**
 * Makes a stream wait for a notify and consume it, for at most `timeout` seconds; 0 waits for
 * ever.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout);

/**
 * Tells a notify's number.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId);

/**
 * Takes back the signals of several notifies.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtNotifyBatchReset(aclrtNotify *notifies, size_t num);

/**
 * Gives a notify a name under which other processes open it.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtNotifyGetExportKey(aclrtNotify notify, char *key, size_t len, uint64_t flags);

/**
 * Opens another process's notify by its name.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtNotifyImportByKey(aclrtNotify *notify, const char *key, uint64_t flags);

/**
 * Lists the processes that may open a notify.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t *pid, size_t num);

/**
 * Lists the processes of other servers that may open a notify.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtNotifySetImportPidInterServer(aclrtNotify notify,
                                            aclrtServerPid *serverPids,
                                            size_t num);

/**
 * Makes a notify that counts.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCntNotifyCreate(aclrtCntNotify *cntNotify, uint64_t flag);

/**
 * Ends a notify that counts.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify);

/**
 * Changes the count of a notify, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify,
                              aclrtStream stream,
                              aclrtCntNotifyRecordInfo *info);

/**
 * Makes a stream wait until the count of a notify meets a condition.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify,
                                       aclrtStream stream,
                                       aclrtCntNotifyWaitInfo *info);

/**
 * Sets the count of a notify back to zero, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream);

/**
 * Tells the number of a notify that counts.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t *notifyId);

/**
 * Starts to record what is submitted to a stream, instead of running it.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);

/**
 * Ends the recording that aclmdlRICaptureBegin started; gives the graph.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI);

/**
 * Tells whether a stream is recorded, and into which graph.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRICaptureGetInfo(aclrtStream stream,
                                aclmdlRICaptureStatus *status,
                                aclmdlRI *modelRI);

/**
 * Exchanges this thread's rule of what is allowed while recording.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode);

/**
 * Starts a group of recorded tasks that can be changed later.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);

/**
 * Ends a group of recorded tasks; gives its handle.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle);

/**
 * Starts to change the tasks of a group.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle);

/**
 * Ends the change that aclmdlRICaptureTaskUpdateBegin started.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);

/**
 * Starts to record what is submitted to a stream into a given graph.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream,
                                       aclmdlRI modelRI,
                                       aclmdlRICaptureMode mode);

/**
 * Starts to build a graph from streams that store their work.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIBuildBegin(aclmdlRI *modelRI, uint32_t flag);

/**
 * Makes a stream part of a graph that is being built.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag);

/**
 * Takes a stream out of a graph.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream);

/**
 * Marks the end of a graph on one of its streams.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream);

/**
 * Ends the building of a graph.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void *reserve);

/**
 * Runs a graph and waits, at most `timeout` milliseconds; -1 waits for ever.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);

/**
 * Runs a graph, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);

/**
 * Stops a graph that runs.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIAbort(aclmdlRI modelRI);

/**
 * Ends a graph.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIDestroy(aclmdlRI modelRI);

/**
 * Has `func` called when a graph ends.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func, void *userData);

/**
 * Takes back aclmdlRIDestroyRegisterCallback.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, aclrtCallback func);

/**
 * Makes changed tasks of a graph take effect.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIUpdate(aclmdlRI modelRI);

/**
 * Gives a graph a name.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRISetName(aclmdlRI modelRI, const char *name);

/**
 * Tells the name of a graph.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char *name);

/**
 * Tells the number of a graph.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId);

/**
 * Lists the streams of a graph; with a null list, only how many there are.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream *streams, uint32_t *numStreams);

/**
 * Lists the tasks of a graph's stream; with a null list, only how many there are.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask *tasks, uint32_t *numTasks);

/**
 * Tells what kind of work a task is.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType *type);

/**
 * Tells the parameters of a task.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams *params);

/**
 * Changes the parameters of a task.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRITaskSetParams(aclmdlRITask task, aclmdlRITaskParams *params);

/**
 * Tells the place of a task in its stream.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t *id);

/**
 * Makes a graph skip a task.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRITaskDisable(aclmdlRITask task);

/**
 * Tells an attribute of a kernel task.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask task,
                                        aclrtLaunchKernelAttrId attrId,
                                        aclrtLaunchKernelAttrValue *attrValue);

/**
 * Makes the value that a conditional task of a graph looks at.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRICondHandleCreate(aclmdlRI modelRI,
                                  uint32_t defaultLaunchValue,
                                  aclmdlRICondHandleFlag flag,
                                  aclmdlRICondHandle *handle);

/**
 * Tells the device address of a condition's value.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t **ptr);

/**
 * Adds a conditional task to a stream that is recorded.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream, uint32_t flags);

/**
 * Prints a graph.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIDebugPrint(aclmdlRI modelRI);

/**
 * Writes a graph to a JSON file.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags);

/**
 * Makes a label.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCreateLabel(aclrtLabel *label);

/**
 * Ends a label.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDestroyLabel(aclrtLabel label);

/**
 * Puts a label at the current end of a stream.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream);

/**
 * Makes a list of labels.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCreateLabelList(aclrtLabel *labels, size_t num, aclrtLabelList *labelList);

/**
 * Ends a list of labels.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDestroyLabelList(aclrtLabelList labelList);

/**
 * Jumps to the label whose index is read from device memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSwitchLabelByIndex(void *ptr,
                                 uint32_t maxValue,
                                 aclrtLabelList labelList,
                                 aclrtStream stream);

/**
 * Describes a device binary in memory, or returns null.
 *
 * @return null; aclGetRecentErrMsg tells what is missing.
 */
aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen);

/**
 * Ends a description of aclrtCreateBinary.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtDestroyBinary(aclrtBinary binary);

/**
 * Loads a described device binary.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtBinaryLoad(aclrtBinary binary, aclrtBinHandle *binHandle);

/**
 * Loads a device binary from a file.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtBinaryLoadFromFile(const char *binPath,
                                 aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *binHandle);

/**
 * Loads a device binary from memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtBinaryLoadFromData(const void *data,
                                 size_t length,
                                 const aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *binHandle);

/**
 * Unloads a device binary.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);

/**
 * Finds a kernel by name.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtBinaryGetFunction(aclrtBinHandle binHandle,
                                const char *kernelName,
                                aclrtFuncHandle *funcHandle);

/**
 * Finds a kernel by number.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle,
                                       uint64_t funcEntry,
                                       aclrtFuncHandle *funcHandle);

/**
 * Finds a variable of a device binary by name.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle,
                              const char *name,
                              void **dptr,
                              size_t *size);

/**
 * Tells where a device binary lies in device memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtBinaryGetDevAddress(aclrtBinHandle binHandle, void **binAddr, size_t *binSize);

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
 * Tells the kernel behind a host symbol.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetFuncBySymbol(const void *symbol, aclrtFuncHandle *funcHandle);

/**
 * Tells where the code of a kernel lies.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr);

/**
 * Tells an attribute of a kernel.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle,
                                   aclrtFuncAttribute attrType,
                                   int64_t *attrValue);

/**
 * Tells the name of a kernel.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name);

/**
 * Tells how large the code of a kernel is.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t *aicSize, size_t *aivSize);

/**
 * Tells how much fast memory a block of a kernel can still have.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtFunctionGetAvailDynUbufPerBlock(void *func, uint32_t flags, size_t *dynamicUbufSize);

/**
 * Tells which device binary a kernel belongs to.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtFunctionGetBinary(aclrtFuncHandle funcHandle, aclrtBinHandle *binHandle);

/**
 * Tells how many parameters a kernel has.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtFunctionGetParamCount(const void *func, size_t *paramCount);

/**
 * Tells offset and size of a kernel's parameter.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
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
 * Starts a list of a kernel's arguments.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle);

/**
 * Starts a list of a kernel's arguments in memory of the caller.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle,
                                      aclrtArgsHandle argsHandle,
                                      void *userHostMem,
                                      size_t actualArgsSize);

/**
 * Adds an argument to a list.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle,
                               void *param,
                               size_t paramSize,
                               aclrtParamHandle *paramHandle);

/**
 * Adds an argument whose data follows later.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle,
                                          aclrtParamHandle *paramHandle);

/**
 * Tells where the data of a place holder goes.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
                                             aclrtParamHandle paramHandle,
                                             size_t dataSize,
                                             void **bufferAddr);

/**
 * Changes an argument of a list.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle,
                                   aclrtParamHandle paramHandle,
                                   void *param,
                                   size_t paramSize);

/**
 * Ends a list of a kernel's arguments.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);

/**
 * Tells how much memory of the caller the handle of a list needs.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t *memSize);

/**
 * Tells how much memory of the caller a kernel's arguments need.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle,
                                   size_t userArgsSize,
                                   size_t *actualArgsSize);

/**
 * Launches a kernel with arguments in one block of memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle,
                           uint32_t numBlocks,
                           const void *argsData,
                           size_t argsSize,
                           aclrtStream stream);

/**
 * Launches a kernel with arguments in one block of memory and attributes.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle,
                             uint32_t numBlocks,
                             const void *argsData,
                             size_t argsSize,
                             aclrtLaunchKernelCfg *cfg,
                             aclrtStream stream);

/**
 * Launches a kernel with a list of arguments and attributes.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle,
                                     uint32_t numBlocks,
                                     aclrtStream stream,
                                     aclrtLaunchKernelCfg *cfg,
                                     aclrtArgsHandle argsHandle,
                                     void *reserve);

/**
 * Launches a kernel with arguments in host memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
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
 * Launches a kernel with an array of pointers to its arguments.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtLaunchKernelWithArgsArray(void *func,
                                        uint32_t numBlocks,
                                        aclrtStream stream,
                                        aclrtLaunchKernelCfg *cfg,
                                        void **args);

/**
 * Launches a kernel of many threads with an array of pointers to its arguments.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtLaunchSIMTKernelWithArgsArray(void *func,
                                            dim3 gridDim,
                                            dim3 blockDim,
                                            size_t dynUbufSize,
                                            aclrtStream stream,
                                            aclrtLaunchKernelCfg *cfg,
                                            void **args);

/**
 * Launches a kernel of many threads with arguments in host memory.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
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
 * Tells how many cores of a type work on a device may use.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value);

/**
 * Sets how many cores of a type work on a device may use.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value);

/**
 * Takes back aclrtSetDeviceResLimit.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtResetDeviceResLimit(int32_t deviceId);

/**
 * Tells how many cores of a type a stream's work may use.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetStreamResLimit(aclrtStream stream,
                                aclrtDevResLimitType type,
                                uint32_t *value);

/**
 * Sets how many cores of a type a stream's work may use.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value);

/**
 * Takes back aclrtSetStreamResLimit.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtResetStreamResLimit(aclrtStream stream);

/**
 * Makes a stream's limits this thread's.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);

/**
 * Takes back aclrtUseStreamResInCurrentThread.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);

/**
 * Tells how many cores of a type this thread's work may use.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value);

/**
 * Sets whether later streams of the device saturate or give infinities.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);

/**
 * Tells whether streams of the device saturate or give infinities.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode);

/**
 * Switches the watch for overflow on a stream.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);

/**
 * Tells whether a stream is watched for overflow.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag);

/**
 * Writes to device memory whether an overflow happened.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize, aclrtStream stream);

/**
 * Forgets the overflows so far.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtResetOverflowStatus(aclrtStream stream);

/**
 * Writes to device memory whether a floating-point overflow happened.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetFloatOverflowStatus(void *outputAddr, uint64_t outputSize, aclrtStream stream);

/**
 * Forgets the floating-point overflows so far.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtResetFloatOverflowStatus(aclrtStream stream);

/**
 * Writes to device memory whether a floating-point overflow happened, in a check mode.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtNpuGetFloatOverFlowStatus(void *outputAddr,
                                        uint64_t outputSize,
                                        uint32_t checkMode,
                                        aclrtStream stream);

/**
 * Forgets the floating-point overflows of a check mode.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream);

/**
 * Sets how many seconds an operator may take.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

/**
 * Sets how many milliseconds an operator may take.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);

/**
 * Sets how many microseconds an operator may take, and tells the time that was really set.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout);

/**
 * Tells how many milliseconds an operator may take.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetOpExecuteTimeout(uint32_t *timeoutMs);

/**
 * Tells the unit of the time limits, in microseconds.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetOpTimeOutInterval(uint64_t *interval);

/**
 * Sets how many seconds a wait on a stream may take; 0 is for ever.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetOpWaitTimeout(uint32_t timeout);

/**
 * Tells how many groups the current device has.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
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
 * Makes a buffer.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtAllocBuf(aclrtMbuf *buf, size_t size);

/**
 * Ends a buffer.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtFreeBuf(aclrtMbuf buf);

/**
 * Tells address and size of a buffer.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetBufData(aclrtMbuf buf, void **dataPtr, size_t *size);

/**
 * Sets how much of a buffer holds data.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetBufDataLen(aclrtMbuf buf, size_t len);

/**
 * Tells how much of a buffer holds data.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetBufDataLen(aclrtMbuf buf, size_t *len);

/**
 * Writes to the user's part of a buffer.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSetBufUserData(aclrtMbuf buf, const void *dataPtr, size_t size, size_t offset);

/**
 * Reads from the user's part of a buffer.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetBufUserData(aclrtMbuf buf, void *dataPtr, size_t size, size_t offset);

/**
 * Makes another reference to a buffer.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtCopyBufRef(aclrtMbuf buf, aclrtMbuf *newBuf);

/**
 * Adds a buffer to a chain.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtAppendBufChain(aclrtMbuf headBuf, aclrtMbuf buf);

/**
 * Tells how many buffers a chain has.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetBufChainNum(aclrtMbuf headBuf, uint32_t *num);

/**
 * Tells a buffer of a chain.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtGetBufFromChain(aclrtMbuf headBuf, uint32_t index, aclrtMbuf *buf);

/**
 * Stops a process from submitting work.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSnapShotProcessLock(int pid, void *reserve);

/**
 * Takes back aclrtSnapShotProcessLock.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSnapShotProcessUnlock(int pid, void *reserve);

/**
 * Saves the devices' state of a locked process and releases the devices.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs *args);

/**
 * Gives a saved process its devices' state back.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSnapShotProcessRestore(int pid, aclrtSnapShotRestoreArgs *args);

/**
 * Has `callback` called at a stage of a snapshot.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage,
                                       aclrtSnapShotCallBack callback,
                                       void *args);

/**
 * Takes back aclrtSnapShotCallbackRegister.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage,
                                         aclrtSnapShotCallBack callback);

/**
 * Puts a mark of the caller into a stream.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtProfTrace(void *userdata, int32_t length, aclrtStream stream);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PORTACL_ACL_RT_H */
