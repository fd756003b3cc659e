/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * Profiling.
 *
 * A function that returns aclError returns ACL_SUCCESS 0, or a code that its comment lists. Most can also return
 * ACL_ERROR_BAD_ALLOC 200000 (the host has no memory left), ACL_ERROR_INTERNAL_ERROR 500000 (a defect of portacl), and
 * in a forked child ACL_ERROR_RT_PARAM_INVALID 107000 (its parent has opened a device or started the CUDA driver:
 * docs/compatibility.md). The first call that needs a device opens the backend, and can return the codes of aclInit;
 * the first one of a thread that gets the default device, those of aclrtSetDevice; one that meets a captured stream or
 * event, those of captures (docs/errors.md). aclGetRecentErrMsg returns the text of the failure.
 */

#ifndef PORTACL_ACL_PROF_H
#define PORTACL_ACL_PROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "acl_base.h"

/** Exports functions of the profiling interface. */
#define MSVP_PROF_API __attribute__((visibility("default")))

#define ACL_PROF_ACL_API 0x0001ULL /**< Calls of this API. */
#define ACL_PROF_AICORE_METRICS 0x0004ULL /**< Metrics of AI cores. */
#define ACL_PROF_AICORE_SHAPE 0x800000000ULL /**< Shapes of operators. */
#define ACL_PROF_AICPU 0x0008ULL /**< Tasks of the device's CPUs. */
#define ACL_PROF_API_STATS 0x400000000ULL /**< Statistics of calls. */
#define ACL_PROF_EVENT_ATTR_VERSION 1 /**< Version of aclprofEventAttributes. */
#define ACL_PROF_GE_API_L0 0x0200ULL /**< Calls of the graph engine, basic. */
#define ACL_PROF_GE_API_L1 0x01000000ULL /**< Calls of the graph engine, detailed. */
#define ACL_PROF_HCCL_TRACE 0x0020ULL /**< Collective communication. */
#define ACL_PROF_L2CACHE 0x0010ULL /**< Level-2 cache. */
#define ACL_PROF_MAX_OP_NAME_LEN 257 /**< Maximum length of an operator's name, including the terminating zero. */
#define ACL_PROF_MAX_OP_TYPE_LEN 65 /**< Maximum length of an operator's type, including the terminating zero. */
#define ACL_PROF_MSPROFTX 0x0080ULL /**< Stamps, ranges and marks of the program. */
#define ACL_PROF_OP_ATTR 0x4000ULL /**< Attributes of operators. */
#define ACL_PROF_RUNTIME_API 0x0100ULL /**< Calls of the runtime. */
#define ACL_PROF_TASK_MEMORY 0x1000ULL /**< Memory of operators. */
#define ACL_PROF_TASK_TIME 0x0002ULL /**< Times of tasks. */
#define ACL_PROF_TASK_TIME_L0 0x0800ULL /**< Times of tasks, basic. */
#define ACL_PROF_TASK_TIME_L2 0x2000ULL /**< Times of tasks, detailed. */
#define ACL_PROF_TASK_TIME_L3 0x8000ULL /**< Times of tasks, all details. */
#define ACL_PROF_TENSOR_DATA_SHAPE_LEN 8 /**< Maximum number of dimensions of an aclprofTensor. */
#define ACL_PROF_TRAINING_TRACE 0x0040ULL /**< Iterations of a training. */

/** Metrics of AI cores. */
typedef enum aclprofAicoreMetrics {
    ACL_AICORE_ARITHMETIC_UTILIZATION = 0, /**< Utilization of the arithmetic units. */
    ACL_AICORE_PIPE_UTILIZATION = 1, /**< Utilization of the pipelines. */
    ACL_AICORE_MEMORY_BANDWIDTH = 2, /**< Bandwidth of external memory. */
    ACL_AICORE_L0B_AND_WIDTH = 3, /**< Bandwidth of internal memory. */
    ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4, /**< Waits for busy units. */
    ACL_AICORE_MEMORY_UB = 5, /**< Bandwidth of the unified buffer. */
    ACL_AICORE_L2_CACHE = 6, /**< Hits and misses of the level-2 cache. */
    ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7, /**< Utilization of the pipelines by execution only. */
    ACL_AICORE_MEMORY_ACCESS = 8, /**< Accesses to memory. */
    ACL_AICORE_NONE = 255, /**< No metric. */
} aclprofAicoreMetrics;

/** Options of the profiler; their values are texts. */
typedef enum aclprofConfigType {
    ACL_PROF_ARGS_MIN = 0, /**< Not an option. */
    ACL_PROF_STORAGE_LIMIT = 1, /**< Maximum disk space. */
    ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3, /**< Sampling frequency of memory. */
    ACL_PROF_LLC_MODE = 4, /**< Metrics of the last-level cache. */
    ACL_PROF_SYS_IO_FREQ = 5, /**< Sampling frequency of network interfaces. */
    ACL_PROF_SYS_INTERCONNECTION_FREQ = 6, /**< Sampling frequency of interconnections. */
    ACL_PROF_DVPP_FREQ = 7, /**< Sampling frequency of image and video units. */
    ACL_PROF_HOST_SYS = 8, /**< Metrics of this process on the host. */
    ACL_PROF_HOST_SYS_USAGE = 9, /**< Metrics of the whole host. */
    ACL_PROF_HOST_SYS_USAGE_FREQ = 10, /**< Sampling frequency of the host. */
    ACL_PROF_LOW_POWER_FREQ = 11, /**< Sampling frequency of power. */
    ACL_PROF_SYS_MEM_SERVICEFLOW = 12, /**< Whose memory traffic is measured. */
    ACL_PROF_SYS_CPU_FREQ = 13, /**< Sampling frequency of the device's CPUs. */
    ACL_PROF_OPTYPE = 14, /**< The operator types to measure. */
    ACL_PROF_NTS_METRICS = 15, /**< Metrics of threads of vector cores. */
    ACL_PROF_PATH = 16, /**< The output path. */
    ACL_PROF_ARGS_MAX = 17, /**< Not an option. */
} aclprofConfigType;

/** Ends of a step. */
typedef enum aclprofStepTag {
    ACL_STEP_START = 0, /**< Its start. */
    ACL_STEP_END = 1, /**< Its end. */
} aclprofStepTag;

/** The kind of a description. */
typedef enum aclprofSubscribeOpFlag {
    ACL_SUBSCRIBE_OP = 0, /**< An operator. */
    ACL_SUBSCRIBE_SUBGRAPH = 1, /**< A part of a graph. */
    ACL_SUBSCRIBE_OP_THREAD = 2, /**< A thread of an operator. */
    ACL_SUBSCRIBE_NONE = 255, /**< No description. */
} aclprofSubscribeOpFlag;

/** Attributes of an operator's description. */
typedef enum aclprofSubscribeOpAttri {
    ACL_SUBSCRIBE_ATTRI_THREADID = 0, /**< The number of its thread. */
    ACL_SUBSCRIBE_ATTRI_NONE = 1, /**< None. */
} aclprofSubscribeOpAttri;

/** Kinds of messages of a range. */
typedef enum aclprofMessageType {
    ACL_PROF_MESSAGE_TYPE_TENSOR_INFO = 0, /**< An operator with its tensors. */
} aclprofMessageType;

/** Hardware events of AI cores; must be null. */
typedef struct aclprofAicoreEvents aclprofAicoreEvents;

/** A configuration of profiling: what to record. */
typedef struct aclprofConfig aclprofConfig;

/** A step. */
typedef struct aclprofStepInfo aclprofStepInfo;

/** A config for stopping the profile of a model. */
typedef struct aclprofStopConfig aclprofStopConfig;

/** A subscription. */
typedef struct aclprofSubscribeConfig aclprofSubscribeConfig;

#ifndef ACL_PROF_TENSOR_INFO_DEFINED
/** Says that aclprofTensor and aclprofTensorInfo are declared. */
#define ACL_PROF_TENSOR_INFO_DEFINED

/** A tensor, for a profile. */
typedef struct aclprofTensor {
    uint32_t type; /**< 0 for an input, 1 for an output. */
    uint32_t format; /**< A number of aclFormat. */
    uint32_t dataType; /**< A number of aclDataType. */
    uint32_t shapeDim; /**< Number of dimensions. */
    uint32_t shape[8]; /**< The dimensions. */
} aclprofTensor;

/** An operator with its tensors, for a profile. */
typedef struct aclprofTensorInfo {
    uint64_t opNameId; /**< Id of its name, from aclprofStr2Id. */
    uint64_t opTypeId; /**< Id of its type, from aclprofStr2Id. */
    uint32_t resv; /**< Reserved. */
    uint32_t tensorNum; /**< Number of tensors. */
    uint32_t kernelType; /**< Kind of cores that it runs on. */
    uint32_t blockNums; /**< Number of blocks. */
    void *stream; /**< The stream that it runs in. */
    aclprofTensor *tensors; /**< The tensors. */
} aclprofTensorInfo;
#endif /* ACL_PROF_TENSOR_INFO_DEFINED */

/** Attributes of a range. */
typedef struct aclprofEventAttributes {
    uint16_t version; /**< ACL_PROF_EVENT_ATTR_VERSION. */
    uint16_t size; /**< Size of this structure in bytes. */
    uint32_t messageType; /**< A number of aclprofMessageType. */
    /** The message. */
    union Message {
        aclprofTensorInfo *tensorInfo; /**< An operator with its tensors. */
    } message; /**< The message, by its kind. */
} aclprofEventAttributes;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Initializes profiling: traces of this process are written to a folder, one file from an aclprofStart until
 * aclprofFinalize or aclFinalize. Nothing is recorded before aclprofStart. Works before aclInit, and after it also for
 * existing streams.
 *
 * The file is `portacl-PROCESS-NUMBER.json`, in the Trace Event format of Perfetto and chrome://tracing. With
 * `PORTACL_TRACE` set everything is written to the file of that variable instead, and the folder stays empty.
 *
 * @param profilerResultPath the folder; created if it does not exist.
 * @param length length of the path in bytes without the terminating zero, from 1 to 4096.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or a length out of range.
 * @retval ACL_ERROR_PROF_ALREADY_RUN 100042: profiling is already initialized.
 * @retval ACL_ERROR_INVALID_FILE 100003: the folder cannot be created.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclprofInit of the Ascend runtime API; codes and file format are portacl's choice.
 */
aclError aclprofInit(const char *profilerResultPath, size_t length);

/**
 * Finalizes profiling: stops all started configs and completes the trace. The trace contains pending work up to this
 * time.
 *
 * @retval ACL_ERROR_PROF_NOT_RUN 100043: profiling is not initialized.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @note Thread-safe. Follows aclprofFinalize of the Ascend runtime API. aclFinalize completes the trace as well; this
 *     may still be called after it.
 */
aclError aclprofFinalize(void);

/**
 * Creates a profiling config: the devices whose work is recorded. The trace also contains the activity of the
 * program's threads.
 *
 * @param deviceIdList ids of devices; a device may be named twice.
 * @param deviceNums number of ids, from 1 to 1024.
 * @param aicoreMetrics a value of aclprofAicoreMetrics; not measured, because there are no such cores.
 * @param aicoreEvents must be null.
 * @param dataTypeConfig ACL_PROF_... bits; a trace always contains everything, whatever they are.
 * @return the config, to be destroyed with aclprofDestroyConfig; null on a failure, which aclGetRecentErrMsg returns:
 *     ACL_ERROR_INVALID_PARAM 100000: no ids, too many, an unknown value, or `aicoreEvents` is not null
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no more can be created.
 * @note Thread-safe. Follows aclprofCreateConfig of the Ascend runtime API.
 */
aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList,
                                          uint32_t deviceNums,
                                          aclprofAicoreMetrics aicoreMetrics,
                                          const aclprofAicoreEvents *aicoreEvents,
                                          uint64_t dataTypeConfig);

/**
 * Destroys a config of aclprofCreateConfig.
 *
 * @param profilerConfig the config, not started.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a config, already destroyed, or started.
 * @note Thread-safe. Follows aclprofDestroyConfig of the Ascend runtime API.
 */
aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig);

/**
 * Sets an option. Call it between aclprofInit and the first aclprofStart.
 *
 * @param configType ACL_PROF_STORAGE_LIMIT: maximum size of the trace in megabytes, as in "200MB" (the unit is
 *     optional), no limit by default; the trace ends before it would exceed the limit. ACL_PROF_PATH: a folder,
 *     instead of the one of aclprofInit.
 * @param config the value, as text.
 * @param configLength length of the value in bytes without the terminating zero, from 1 to 4096.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, a length out of range, an unknown option, or an invalid value.
 * @retval ACL_ERROR_PROF_NOT_RUN 100043: profiling is not initialized.
 * @retval ACL_ERROR_PROF_ALREADY_RUN 100042: aclprofStart was already called.
 * @retval ACL_ERROR_INVALID_FILE 100003: the folder cannot be created.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another option of aclprofConfigType: none of these is supported.
 * @note Thread-safe. Follows aclprofSetConfig of the Ascend runtime API.
 */
aclError aclprofSetConfig(aclprofConfigType configType, const char *config, size_t configLength);

/**
 * Starts recording what a config selects, in addition to other started configs. Work that was enqueued before is not
 * in the trace.
 *
 * @param profilerConfig from aclprofCreateConfig.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a config, destroyed, or called inside a host function.
 * @retval ACL_ERROR_PROF_NOT_RUN 100043: profiling is not initialized.
 * @retval ACL_ERROR_PROF_ALREADY_RUN 100042: it is already started.
 * @retval ACL_ERROR_INVALID_FILE 100003: the trace cannot be written.
 * @note Thread-safe. Follows aclprofStart of the Ascend runtime API.
 */
aclError aclprofStart(const aclprofConfig *profilerConfig);

/**
 * Stops recording what a config selects, unless another started config selects it. Work that was enqueued before is
 * still written when it is complete.
 *
 * @param profilerConfig a started config of aclprofCreateConfig.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a config, destroyed, or called inside a host function.
 * @retval ACL_ERROR_PROF_NOT_RUN 100043: profiling is not initialized, or the config is not started (aclFinalize stops
 *     all configs).
 * @note Thread-safe. Follows aclprofStop of the Ascend runtime API.
 */
aclError aclprofStop(const aclprofConfig *profilerConfig);

/**
 * Creates a step, whose start and end aclprofGetStepTimestamp records. Works at any time, with and without profiling.
 *
 * @return the step, to be destroyed with aclprofDestroyStepInfo; null if no more can be created (aclGetRecentErrMsg
 *     returns the text, ACL_ERROR_BAD_ALLOC 200000).
 * @note Thread-safe. Follows aclprofCreateStepInfo of the Ascend runtime API.
 */
aclprofStepInfo *aclprofCreateStepInfo(void);

/**
 * Destroys a step; what was recorded stays in the trace.
 *
 * @param stepinfo from aclprofCreateStepInfo. If it is null, destroyed or not a step, nothing happens, and
 *     aclGetRecentErrMsg returns the error (ACL_ERROR_INVALID_PARAM 100000, ACL_ERROR_RT_PARAM_INVALID 107000).
 * @note Thread-safe. Follows aclprofDestroyStepInfo of the Ascend runtime API.
 */
void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo);

/**
 * Records the start or the end of a step, in stream order. The trace shows a bar between them, in a row of the
 * stream's device. Steps are numbered in the order of their starts. A step that has ended may start again as another
 * step. Without profiling nothing is recorded.
 *
 * @param stepInfo from aclprofCreateStepInfo.
 * @param tag ACL_STEP_START or ACL_STEP_END, alternating.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown tag.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a step, destroyed, already started or not started, not a stream, or
 *     called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclprofGetStepTimestamp of the Ascend runtime API.
 */
aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag, aclrtStream stream);

/**
 * Creates a stamp: a text for marks and ranges, initially "stamp". Works at any time, with and without profiling.
 *
 * @return the stamp, to be destroyed with aclprofDestroyStamp; null if no more can be created (aclGetRecentErrMsg
 *     returns the text, ACL_ERROR_BAD_ALLOC 200000).
 * @note Thread-safe. Follows aclprofCreateStamp of the Ascend runtime API.
 */
void *aclprofCreateStamp(void);

/**
 * Destroys a stamp. Ranges that were begun with it continue.
 *
 * @param stamp from aclprofCreateStamp. If it is null, destroyed or not a stamp, nothing happens, and
 *     aclGetRecentErrMsg returns the error (ACL_ERROR_INVALID_PARAM 100000, ACL_ERROR_RT_PARAM_INVALID 107000).
 * @note Thread-safe. Follows aclprofDestroyStamp of the Ascend runtime API.
 */
void aclprofDestroyStamp(void *stamp);

/**
 * Sets the text of a stamp, for later marks and ranges.
 *
 * @param stamp from aclprofCreateStamp.
 * @param msg the text, which is copied up to its first zero.
 * @param msgLen length of the text in bytes, from 1 to 16,384.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or a length out of range.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stamp, or destroyed.
 * @note Thread-safe. Follows aclprofSetStampTraceMessage of the Ascend runtime API; the length limit is portacl's
 *     choice.
 */
aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen);

/**
 * Sets the tag of a stamp, which traces show with later marks and ranges.
 *
 * @param stamp from aclprofCreateStamp.
 * @param tagName the tag, which is copied up to its first zero.
 * @param len length of the tag in bytes, from 1 to 16,384.
 * @return the codes of aclprofSetStampTraceMessage.
 * @note Thread-safe. Follows aclprofSetStampTagName of the Ascend runtime API; the length limit is portacl's choice.
 */
aclError aclprofSetStampTagName(void *stamp, const char *tagName, uint16_t len);

/**
 * Sets the call stack of a stamp, which traces show with later marks and ranges.
 *
 * @param stamp from aclprofCreateStamp.
 * @param callStack the call stack as a text, which is copied up to its first zero.
 * @param len length of the text in bytes, from 1 to 16,384.
 * @return the codes of aclprofSetStampTraceMessage.
 * @note Thread-safe. Follows aclprofSetStampCallStack of the Ascend runtime API; the length limit is portacl's choice.
 */
aclError aclprofSetStampCallStack(void *stamp, const char *callStack, uint32_t len);

/**
 * Adds a mark with a stamp's text to the calling thread's row of the trace. Without profiling nothing is recorded.
 *
 * @param stamp from aclprofCreateStamp.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stamp, or destroyed.
 * @note Thread-safe. Follows aclprofMark of the Ascend runtime API.
 */
aclError aclprofMark(void *stamp);

/**
 * Begins a range of the calling thread with a stamp's text, nested in the thread's open ranges; aclprofPop ends it.
 *
 * @param stamp from aclprofCreateStamp.
 * @return the codes of aclprofMark.
 * @note Thread-safe. Follows aclprofPush of the Ascend runtime API.
 */
aclError aclprofPush(void *stamp);

/**
 * Ends the latest open range of this thread, of aclprofPush or aclprofRangePushEx.
 *
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: this thread has no open range.
 * @note Thread-safe. Follows aclprofPop of the Ascend runtime API.
 */
aclError aclprofPop(void);

/**
 * Begins a range with a stamp's text. Any thread may end it, and it may overlap other ranges.
 *
 * @param stamp from aclprofCreateStamp.
 * @param rangeId receives the id of the range.
 * @retval ACL_ERROR_INVALID_PARAM 100000: an argument is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stamp, or destroyed.
 * @note Thread-safe. Follows aclprofRangeStart of the Ascend runtime API.
 */
aclError aclprofRangeStart(void *stamp, uint32_t *rangeId);

/**
 * Ends a range of aclprofRangeStart.
 *
 * @param rangeId the id of the range.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: no open range has this id.
 * @note Thread-safe. Follows aclprofRangeStop of the Ascend runtime API.
 */
aclError aclprofRangeStop(uint32_t rangeId);

/**
 * Adds a mark with a text to the stream's row of the trace, at the time when the stream reaches this point. Without
 * profiling nothing is recorded.
 *
 * @param msg the text, which is copied up to its first zero.
 * @param msgLen length of the text in bytes, from 1 to 16,384.
 * @param stream a stream; null: the default stream of the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or a length out of range.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclprofMarkEx of the Ascend runtime API; the length limit is portacl's choice.
 */
aclError aclprofMarkEx(const char *msg, size_t msgLen, aclrtStream stream);

/**
 * Begins a range of the calling thread for an operator with its tensors, nested in the thread's open ranges;
 * aclprofRangePop ends it. The trace shows its type, its blocks and the shapes.
 *
 * @param attr attributes: version ACL_PROF_EVENT_ATTR_VERSION, the size of the structure, a message of type
 *     ACL_PROF_MESSAGE_TYPE_TENSOR_INFO; at most 256 tensors of at most 8 dimensions. Everything is read during the
 *     call. The stream of the message is ignored.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or a field out of range.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: an id of a name that aclprofStr2Id did not return.
 * @note Thread-safe. Follows aclprofRangePushEx of the Ascend runtime API.
 */
aclError aclprofRangePushEx(aclprofEventAttributes *attr);

/**
 * Ends the latest open range of this thread, of aclprofRangePushEx or aclprofPush.
 *
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: this thread has no open range.
 * @note Thread-safe. Follows aclprofRangePop of the Ascend runtime API.
 */
aclError aclprofRangePop(void);

/**
 * Returns an id for a text, for structures that contain names as ids. The same text has the same id in the whole
 * process, until it ends.
 *
 * @param message the text, at most 16,384 bytes before its final zero.
 * @return the id, from 1 on; 0 on a failure, which aclGetRecentErrMsg returns: ACL_ERROR_INVALID_PARAM 100000: null,
 *     or too long
 * @retval ACL_ERROR_BAD_ALLOC 200000: 65,536 texts already have ids.
 * @note Thread-safe. Follows aclprofStr2Id of the Ascend runtime API.
 */
uint64_t aclprofStr2Id(const char *message);

/**
 * Creates a subscription config, or returns null.
 *
 * @return null; aclGetRecentErrMsg returns what is missing.
 */
aclprofSubscribeConfig *aclprofCreateSubscribeConfig(int8_t timeInfoSwitch,
                                                            aclprofAicoreMetrics aicoreMetrics,
                                                            void *fd);

/**
 * Destroys a config of aclprofCreateSubscribeConfig.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig);

/**
 * Subscribes to the profile of a model while it runs.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig *profSubscribeConfig);

/**
 * Ends a subscription of aclprofModelSubscribe.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclprofModelUnSubscribe(uint32_t modelId);

/**
 * Returns the size of one operator's description.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclprofGetOpDescSize(size_t *opDescSize);

/**
 * Returns the number of described operators.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclprofGetOpNum(const void *opInfo, size_t opInfoLen, uint32_t *opNumber);

/**
 * Returns the length of an operator's type.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclprofGetOpTypeLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opTypeLen);

/**
 * Returns the type of an operator.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclprofGetOpType(const void *opInfo, size_t opInfoLen, uint32_t index, char *opType, size_t opTypeLen);

/**
 * Returns the length of an operator's name.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclprofGetOpNameLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opNameLen);

/**
 * Returns the name of an operator.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
 */
aclError aclprofGetOpName(const void *opInfo, size_t opInfoLen, uint32_t index, char *opName, size_t opNameLen);

/**
 * Returns the start time of an operator.
 *
 * @return 0; aclGetRecentErrMsg returns what is missing.
 */
uint64_t aclprofGetOpStart(const void *opInfo, size_t opInfoLen, uint32_t index);

/**
 * Returns the end time of an operator.
 *
 * @return 0; aclGetRecentErrMsg returns what is missing.
 */
uint64_t aclprofGetOpEnd(const void *opInfo, size_t opInfoLen, uint32_t index);

/**
 * Returns the duration of an operator.
 *
 * @return 0; aclGetRecentErrMsg returns what is missing.
 */
uint64_t aclprofGetOpDuration(const void *opInfo, size_t opInfoLen, uint32_t index);

/**
 * Returns the kind of an operator's description.
 *
 * @return ACL_SUBSCRIBE_NONE; aclGetRecentErrMsg returns what is missing.
 */
aclprofSubscribeOpFlag aclprofGetOpFlag(const void *opInfo, size_t opInfoLen, uint32_t index);

/**
 * Returns the value of an operator's attribute as a text, or null.
 *
 * @return null; aclGetRecentErrMsg returns what is missing.
 */
const char *aclprofGetOpAttriValue(const void *opInfo,
                                   size_t opInfoLen,
                                   uint32_t index,
                                   aclprofSubscribeOpAttri attri);

/**
 * Returns the id of the model of an operator.
 *
 * @return 0; aclGetRecentErrMsg returns what is missing.
 */
size_t aclprofGetModelId(const void *opInfo, size_t opInfoLen, uint32_t index);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PORTACL_ACL_PROF_H */
