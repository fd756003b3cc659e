/* SPDX-License-Identifier: Apache-2.0 */
/* Made from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * Profiling.
 */

#ifndef PORTACL_ACL_PROF_H
#define PORTACL_ACL_PROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "acl_base.h"

/** Marks functions of the profiling interface that a library shows to its users. */
#define MSVP_PROF_API __attribute__((visibility("default")))

/**
 * Calls of this API.
 */
#define ACL_PROF_ACL_API 0x0001ULL

/**
 * Measurements in AI cores.
 */
#define ACL_PROF_AICORE_METRICS 0x0004ULL

/**
 * Shapes of operators.
 */
#define ACL_PROF_AICORE_SHAPE 0x800000000ULL

/**
 * Tasks of the device's CPUs.
 */
#define ACL_PROF_AICPU 0x0008ULL

/**
 * Statistics of calls.
 */
#define ACL_PROF_API_STATS 0x400000000ULL

/**
 * Version of aclprofEventAttributes.
 */
#define ACL_PROF_EVENT_ATTR_VERSION 1

/**
 * Calls of the graph engine, few.
 */
#define ACL_PROF_GE_API_L0 0x0200ULL

/**
 * Calls of the graph engine, more.
 */
#define ACL_PROF_GE_API_L1 0x01000000ULL

/**
 * Collective communication.
 */
#define ACL_PROF_HCCL_TRACE 0x0020ULL

/**
 * Level-2 cache.
 */
#define ACL_PROF_L2CACHE 0x0010ULL

/**
 * Longest name of an operator, its final zero included.
 */
#define ACL_PROF_MAX_OP_NAME_LEN 257

/**
 * Longest type of an operator, its final zero included.
 */
#define ACL_PROF_MAX_OP_TYPE_LEN 65

/**
 * Stamps, ranges and marks of the program.
 */
#define ACL_PROF_MSPROFTX 0x0080ULL

/**
 * Attributes of operators.
 */
#define ACL_PROF_OP_ATTR 0x4000ULL

/**
 * Calls of the runtime.
 */
#define ACL_PROF_RUNTIME_API 0x0100ULL

/**
 * Memory of operators.
 */
#define ACL_PROF_TASK_MEMORY 0x1000ULL

/**
 * Times of tasks.
 */
#define ACL_PROF_TASK_TIME 0x0002ULL

/**
 * Times of tasks, the least.
 */
#define ACL_PROF_TASK_TIME_L0 0x0800ULL

/**
 * Times of tasks, more.
 */
#define ACL_PROF_TASK_TIME_L2 0x2000ULL

/**
 * Times of tasks, the most.
 */
#define ACL_PROF_TASK_TIME_L3 0x8000ULL

/**
 * Most dimensions of an aclprofTensor.
 */
#define ACL_PROF_TENSOR_DATA_SHAPE_LEN 8

/**
 * Iterations of a training.
 */
#define ACL_PROF_TRAINING_TRACE 0x0040ULL

/**
 * What is measured in AI cores.
 */
typedef enum aclprofAicoreMetrics {
    /**
     * How busy the arithmetic units are.
     */
    ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
    /**
     * How busy the pipelines are.
     */
    ACL_AICORE_PIPE_UTILIZATION = 1,
    /**
     * Use of outer memory.
     */
    ACL_AICORE_MEMORY_BANDWIDTH = 2,
    /**
     * Use of inner memory.
     */
    ACL_AICORE_L0B_AND_WIDTH = 3,
    /**
     * Waits for units that were busy.
     */
    ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
    /**
     * Use of the unified buffer.
     */
    ACL_AICORE_MEMORY_UB = 5,
    /**
     * Hits and misses of the level-2 cache.
     */
    ACL_AICORE_L2_CACHE = 6,
    /**
     * How busy the pipelines are with execution only.
     */
    ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7,
    /**
     * Accesses to memory.
     */
    ACL_AICORE_MEMORY_ACCESS = 8,
    /**
     * Nothing.
     */
    ACL_AICORE_NONE = 255,
} aclprofAicoreMetrics;

/**
 * Options of the profiler; values are texts.
 */
typedef enum aclprofConfigType {
    /**
     * Not an option.
     */
    ACL_PROF_ARGS_MIN = 0,
    /**
     * Most disk space.
     */
    ACL_PROF_STORAGE_LIMIT = 1,
    /**
     * How often memory is sampled.
     */
    ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3,
    /**
     * What is measured in the last-level cache.
     */
    ACL_PROF_LLC_MODE = 4,
    /**
     * How often network interfaces are sampled.
     */
    ACL_PROF_SYS_IO_FREQ = 5,
    /**
     * How often connections are sampled.
     */
    ACL_PROF_SYS_INTERCONNECTION_FREQ = 6,
    /**
     * How often picture and video units are sampled.
     */
    ACL_PROF_DVPP_FREQ = 7,
    /**
     * What is measured of this process on the host.
     */
    ACL_PROF_HOST_SYS = 8,
    /**
     * What is measured of the whole host.
     */
    ACL_PROF_HOST_SYS_USAGE = 9,
    /**
     * How often the host is sampled.
     */
    ACL_PROF_HOST_SYS_USAGE_FREQ = 10,
    /**
     * How often power is sampled.
     */
    ACL_PROF_LOW_POWER_FREQ = 11,
    /**
     * Whose memory traffic is measured.
     */
    ACL_PROF_SYS_MEM_SERVICEFLOW = 12,
    /**
     * How often the device's CPUs are sampled.
     */
    ACL_PROF_SYS_CPU_FREQ = 13,
    /**
     * Which types of operators are measured.
     */
    ACL_PROF_OPTYPE = 14,
    /**
     * What is measured in threads of vector cores.
     */
    ACL_PROF_NTS_METRICS = 15,
    /**
     * Where results go.
     */
    ACL_PROF_PATH = 16,
    /**
     * Not an option.
     */
    ACL_PROF_ARGS_MAX = 17,
} aclprofConfigType;

/**
 * Ends of a step.
 */
typedef enum aclprofStepTag {
    /**
     * Its start.
     */
    ACL_STEP_START = 0,
    /**
     * Its end.
     */
    ACL_STEP_END = 1,
} aclprofStepTag;

/**
 * What a description stands for.
 */
typedef enum aclprofSubscribeOpFlag {
    /**
     * An operator.
     */
    ACL_SUBSCRIBE_OP = 0,
    /**
     * A part of a graph.
     */
    ACL_SUBSCRIBE_SUBGRAPH = 1,
    /**
     * A thread of an operator.
     */
    ACL_SUBSCRIBE_OP_THREAD = 2,
    /**
     * Nothing.
     */
    ACL_SUBSCRIBE_NONE = 255,
} aclprofSubscribeOpFlag;

/**
 * Attributes of an operator's description.
 */
typedef enum aclprofSubscribeOpAttri {
    /**
     * The number of its thread.
     */
    ACL_SUBSCRIBE_ATTRI_THREADID = 0,
    /**
     * None.
     */
    ACL_SUBSCRIBE_ATTRI_NONE = 1,
} aclprofSubscribeOpAttri;

/**
 * Kinds of messages of a range.
 */
typedef enum aclprofMessageType {
    /**
     * An operator with its tensors.
     */
    ACL_PROF_MESSAGE_TYPE_TENSOR_INFO = 0,
} aclprofMessageType;

/**
 * Hardware events of AI cores; must be null.
 */
typedef struct aclprofAicoreEvents aclprofAicoreEvents;

/**
 * What to profile.
 */
typedef struct aclprofConfig aclprofConfig;

/**
 * A step.
 */
typedef struct aclprofStepInfo aclprofStepInfo;

/**
 * What not to profile any more.
 */
typedef struct aclprofStopConfig aclprofStopConfig;

/**
 * A subscription.
 */
typedef struct aclprofSubscribeConfig aclprofSubscribeConfig;

#ifndef ACL_PROF_TENSOR_INFO_DEFINED
/** Says that aclprofTensor and aclprofTensorInfo are declared. */
#define ACL_PROF_TENSOR_INFO_DEFINED

/**
 * A tensor, for a profile.
 */
typedef struct aclprofTensor {
    /**
     * 0 for an input, 1 for an output.
     */
    uint32_t type;
    /**
     * A number of aclFormat.
     */
    uint32_t format;
    /**
     * A number of aclDataType.
     */
    uint32_t dataType;
    /**
     * How many dimensions.
     */
    uint32_t shapeDim;
    /**
     * The dimensions.
     */
    uint32_t shape[8];
} aclprofTensor;

/**
 * An operator with its tensors, for a profile.
 */
typedef struct aclprofTensorInfo {
    /**
     * Its name, as aclprofStr2Id numbered it.
     */
    uint64_t opNameId;
    /**
     * Its type, as aclprofStr2Id numbered it.
     */
    uint64_t opTypeId;
    /**
     * Not used.
     */
    uint32_t resv;
    /**
     * How many tensors.
     */
    uint32_t tensorNum;
    /**
     * Kind of cores it runs on.
     */
    uint32_t kernelType;
    /**
     * How many blocks.
     */
    uint32_t blockNums;
    /**
     * The stream it runs in.
     */
    void *stream;
    /**
     * The tensors.
     */
    aclprofTensor *tensors;
} aclprofTensorInfo;
#endif /* ACL_PROF_TENSOR_INFO_DEFINED */

/**
 * Attributes of a range.
 */
typedef struct aclprofEventAttributes {
    /**
     * ACL_PROF_EVENT_ATTR_VERSION.
     */
    uint16_t version;
    /**
     * Size of this structure in bytes.
     */
    uint16_t size;
    /**
     * A number of aclprofMessageType.
     */
    uint32_t messageType;
    /**
     * The message.
     */
    union Message {
        /**
         * An operator with its tensors.
         */
        aclprofTensorInfo *tensorInfo;
    } message; /**< The message, by its kind. */
} aclprofEventAttributes;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Starts the profiler; results go to a folder.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofInit(const char *profilerResultPath, size_t length);

/**
 * Ends the profiler.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofFinalize(void);

/**
 * Describes what to profile, or returns null.
 *
 * @return null; aclGetRecentErrMsg tells what is missing.
 */
aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList,
                                          uint32_t deviceNums,
                                          aclprofAicoreMetrics aicoreMetrics,
                                          const aclprofAicoreEvents *aicoreEvents,
                                          uint64_t dataTypeConfig);

/**
 * Ends a description of aclprofCreateConfig.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig);

/**
 * Sets an option of the profiler.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofSetConfig(aclprofConfigType configType,
                          const char *config,
                          size_t configLength);

/**
 * Starts to profile as described.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofStart(const aclprofConfig *profilerConfig);

/**
 * Stops to profile as described.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofStop(const aclprofConfig *profilerConfig);

/**
 * Makes a step, or returns null.
 *
 * @return null; aclGetRecentErrMsg tells what is missing.
 */
aclprofStepInfo *aclprofCreateStepInfo(void);

/**
 * Ends a step.
 *
 * Does nothing; aclGetRecentErrMsg tells what is missing.
 */
void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo);

/**
 * Notes the time of a step's start or end, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo,
                                 aclprofStepTag tag,
                                 aclrtStream stream);

/**
 * Makes a stamp, or returns null.
 *
 * @return null; aclGetRecentErrMsg tells what is missing.
 */
void *aclprofCreateStamp(void);

/**
 * Ends a stamp.
 *
 * Does nothing; aclGetRecentErrMsg tells what is missing.
 */
void aclprofDestroyStamp(void *stamp);

/**
 * Sets the text of a stamp.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen);

/**
 * Notes a stamp now.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofMark(void *stamp);

/**
 * Notes a text now, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofMarkEx(const char *msg, size_t msgLen, aclrtStream stream);

/**
 * Starts a range that aclprofPop ends.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofPush(void *stamp);

/**
 * Ends the range that was started last.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofPop(void);

/**
 * Starts a range that aclprofRangeStop ends.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofRangeStart(void *stamp, uint32_t *rangeId);

/**
 * Ends a range by its number.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofRangeStop(uint32_t rangeId);

/**
 * Starts a range with attributes that aclprofRangePop ends.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofRangePushEx(aclprofEventAttributes *attr);

/**
 * Ends the range that aclprofRangePushEx started last.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofRangePop(void);

/**
 * The number of a text in the profile.
 *
 * @return 0; aclGetRecentErrMsg tells what is missing.
 */
uint64_t aclprofStr2Id(const char *message);

/**
 * Describes a subscription, or returns null.
 *
 * @return null; aclGetRecentErrMsg tells what is missing.
 */
aclprofSubscribeConfig *aclprofCreateSubscribeConfig(int8_t timeInfoSwitch,
                                                            aclprofAicoreMetrics aicoreMetrics,
                                                            void *fd);

/**
 * Ends a description of aclprofCreateSubscribeConfig.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig);

/**
 * Has the profile of a model written while it runs.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofModelSubscribe(uint32_t modelId,
                               const aclprofSubscribeConfig *profSubscribeConfig);

/**
 * Takes back aclprofModelSubscribe.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofModelUnSubscribe(uint32_t modelId);

/**
 * Tells the size of one operator's description.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofGetOpDescSize(size_t *opDescSize);

/**
 * Tells how many operators are described.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofGetOpNum(const void *opInfo, size_t opInfoLen, uint32_t *opNumber);

/**
 * Tells how long the type of an operator is.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofGetOpTypeLen(const void *opInfo,
                             size_t opInfoLen,
                             uint32_t index,
                             size_t *opTypeLen);

/**
 * Tells the type of an operator.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofGetOpType(const void *opInfo,
                          size_t opInfoLen,
                          uint32_t index,
                          char *opType,
                          size_t opTypeLen);

/**
 * Tells how long the name of an operator is.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofGetOpNameLen(const void *opInfo,
                             size_t opInfoLen,
                             uint32_t index,
                             size_t *opNameLen);

/**
 * Tells the name of an operator.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclprofGetOpName(const void *opInfo,
                          size_t opInfoLen,
                          uint32_t index,
                          char *opName,
                          size_t opNameLen);

/**
 * When an operator started.
 *
 * @return 0; aclGetRecentErrMsg tells what is missing.
 */
uint64_t aclprofGetOpStart(const void *opInfo, size_t opInfoLen, uint32_t index);

/**
 * When an operator ended.
 *
 * @return 0; aclGetRecentErrMsg tells what is missing.
 */
uint64_t aclprofGetOpEnd(const void *opInfo, size_t opInfoLen, uint32_t index);

/**
 * How long an operator took.
 *
 * @return 0; aclGetRecentErrMsg tells what is missing.
 */
uint64_t aclprofGetOpDuration(const void *opInfo, size_t opInfoLen, uint32_t index);

/**
 * What an operator's description stands for.
 *
 * @return ACL_SUBSCRIBE_NONE; aclGetRecentErrMsg tells what is missing.
 */
aclprofSubscribeOpFlag aclprofGetOpFlag(const void *opInfo, size_t opInfoLen, uint32_t index);

/**
 * The value of an operator's attribute as text, or null.
 *
 * @return null; aclGetRecentErrMsg tells what is missing.
 */
const char *aclprofGetOpAttriValue(const void *opInfo,
                                   size_t opInfoLen,
                                   uint32_t index,
                                   aclprofSubscribeOpAttri attri);

/**
 * The number of the model that an operator belongs to.
 *
 * @return 0; aclGetRecentErrMsg tells what is missing.
 */
size_t aclprofGetModelId(const void *opInfo, size_t opInfoLen, uint32_t index);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PORTACL_ACL_PROF_H */
