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

#define ACL_PROF_ACL_API 0x0001ULL

#define ACL_PROF_AICORE_METRICS 0x0004ULL

#define ACL_PROF_AICORE_SHAPE 0x800000000ULL

#define ACL_PROF_AICPU 0x0008ULL

#define ACL_PROF_API_STATS 0x400000000ULL

#define ACL_PROF_EVENT_ATTR_VERSION 1

#define ACL_PROF_GE_API_L0 0x0200ULL

#define ACL_PROF_GE_API_L1 0x01000000ULL

#define ACL_PROF_HCCL_TRACE 0x0020ULL

#define ACL_PROF_L2CACHE 0x0010ULL

#define ACL_PROF_MAX_OP_NAME_LEN 257

#define ACL_PROF_MAX_OP_TYPE_LEN 65

#define ACL_PROF_MSPROFTX 0x0080ULL

#define ACL_PROF_OP_ATTR 0x4000ULL

#define ACL_PROF_RUNTIME_API 0x0100ULL

#define ACL_PROF_TASK_MEMORY 0x1000ULL

#define ACL_PROF_TASK_TIME 0x0002ULL

#define ACL_PROF_TASK_TIME_L0 0x0800ULL

#define ACL_PROF_TASK_TIME_L2 0x2000ULL

#define ACL_PROF_TASK_TIME_L3 0x8000ULL

#define ACL_PROF_TENSOR_DATA_SHAPE_LEN 8

#define ACL_PROF_TRAINING_TRACE 0x0040ULL

typedef enum aclprofAicoreMetrics {
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
} aclprofAicoreMetrics;

typedef enum aclprofConfigType {
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
} aclprofConfigType;

typedef enum aclprofStepTag {
    ACL_STEP_START = 0,
    ACL_STEP_END = 1,
} aclprofStepTag;

typedef enum aclprofSubscribeOpFlag {
    ACL_SUBSCRIBE_OP = 0,
    ACL_SUBSCRIBE_SUBGRAPH = 1,
    ACL_SUBSCRIBE_OP_THREAD = 2,
    ACL_SUBSCRIBE_NONE = 255,
} aclprofSubscribeOpFlag;

typedef enum aclprofSubscribeOpAttri {
    ACL_SUBSCRIBE_ATTRI_THREADID = 0,
    ACL_SUBSCRIBE_ATTRI_NONE = 1,
} aclprofSubscribeOpAttri;

typedef enum aclprofMessageType {
    ACL_PROF_MESSAGE_TYPE_TENSOR_INFO = 0,
} aclprofMessageType;

typedef struct aclprofAicoreEvents aclprofAicoreEvents;

typedef struct aclprofConfig aclprofConfig;

typedef struct aclprofStepInfo aclprofStepInfo;

typedef struct aclprofStopConfig aclprofStopConfig;

typedef struct aclprofSubscribeConfig aclprofSubscribeConfig;

#ifndef ACL_PROF_TENSOR_INFO_DEFINED
/** Says that aclprofTensor and aclprofTensorInfo are declared. */
#define ACL_PROF_TENSOR_INFO_DEFINED

typedef struct aclprofTensor {
    uint32_t type;
    uint32_t format;
    uint32_t dataType;
    uint32_t shapeDim;
    uint32_t shape[8];
} aclprofTensor;

typedef struct aclprofTensorInfo {
    uint64_t opNameId;
    uint64_t opTypeId;
    uint32_t resv;
    uint32_t tensorNum;
    uint32_t kernelType;
    uint32_t blockNums;
    void *stream;
    aclprofTensor *tensors;
} aclprofTensorInfo;
#endif /* ACL_PROF_TENSOR_INFO_DEFINED */

typedef struct aclprofEventAttributes {
    uint16_t version;
    uint16_t size;
    uint32_t messageType;
    union Message {
        aclprofTensorInfo *tensorInfo;
    } message;
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
