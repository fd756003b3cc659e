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
 * Begins profiling: traces of this process go to a folder from now on, one file for each aclprofInit. Nothing
 * is recorded before aclprofStart. Works before aclInit, and after it for streams that are there already.
 *
 * The file is `portacl-PROCESS-NUMBER.json`, in the Trace Event format that Perfetto and chrome://tracing open.
 * With `PORTACL_TRACE` set everything goes to that variable's file instead, and the folder stays empty.
 *
 * @param profilerResultPath the folder; it is made if it is not there.
 * @param length bytes of it without the final zero, from 1 to 4096.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or a length out of range;
 * ACL_ERROR_PROF_ALREADY_RUN 100042: profiling has begun already; ACL_ERROR_INVALID_FILE 100003: it cannot be
 * made a folder; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
 * aclprofInit of the Ascend runtime API; codes and file are portacl's own.
 */
aclError aclprofInit(const char *profilerResultPath,
                     size_t length);

/**
 * Ends profiling: what is started is stopped, and the trace is complete. Work that is not over by then is in it
 * up to now.
 *
 * @return ACL_SUCCESS; ACL_ERROR_PROF_NOT_RUN 100043: profiling has not begun; ACL_ERROR_RT_PARAM_INVALID
 * 107000: called inside a host function. Thread-safe. Follows aclprofFinalize of the Ascend runtime API.
 * aclFinalize completes the trace as well; this may still be called after it.
 */
aclError aclprofFinalize(void);

/**
 * Describes what to record: the work of devices, and with it what threads of the program do.
 *
 * @param deviceIdList ids of devices; a device may be named twice.
 * @param deviceNums how many, from 1 to 1024.
 * @param aicoreMetrics a value of aclprofAicoreMetrics; none of them is measured, for want of such cores.
 * @param aicoreEvents must be null.
 * @param dataTypeConfig ACL_PROF_... bits; a trace always has everything, whichever they are.
 * @return the description, for aclprofDestroyConfig to end; null on a failure, which aclGetRecentErrMsg tells:
 * ACL_ERROR_INVALID_PARAM 100000: no ids, too many, an unknown value, or `aicoreEvents` is not null;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_BAD_ALLOC 200000: no more can be made.
 * Thread-safe. Follows aclprofCreateConfig of the Ascend runtime API.
 */
aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList,
                                          uint32_t deviceNums,
                                          aclprofAicoreMetrics aicoreMetrics,
                                          const aclprofAicoreEvents *aicoreEvents,
                                          uint64_t dataTypeConfig);

/**
 * Ends a description of aclprofCreateConfig.
 *
 * @param profilerConfig the description, not started.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: none, destroyed
 * before, or started. Thread-safe. Follows aclprofDestroyConfig of the Ascend runtime API.
 */
aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig);

/**
 * Sets an option, between aclprofInit and the first aclprofStart.
 *
 * @param configType ACL_PROF_STORAGE_LIMIT: most megabytes of the trace, as in "200MB" (the unit may be left
 * out), without it there is no limit; the trace ends where it would become longer. ACL_PROF_PATH: a folder,
 * instead of aclprofInit's.
 * @param config the value, a text.
 * @param configLength bytes of it without the final zero, from 1 to 4096.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, a length out of range, no such option, or a value
 * that it does not have; ACL_ERROR_PROF_NOT_RUN 100043: profiling has not begun; ACL_ERROR_PROF_ALREADY_RUN
 * 100042: aclprofStart was called; ACL_ERROR_INVALID_FILE 100003: no folder can be made;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: an option about sampling hardware that there is none of. Thread-safe.
 * Follows aclprofSetConfig of the Ascend runtime API.
 */
aclError aclprofSetConfig(aclprofConfigType configType,
                          const char *config,
                          size_t configLength);

/**
 * Records from now on what a description says, besides what others say that are started. What was queued before
 * is not in the trace.
 *
 * @param profilerConfig from aclprofCreateConfig.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: no description,
 * destroyed, or called inside a host function; ACL_ERROR_PROF_NOT_RUN 100043: profiling has not begun;
 * ACL_ERROR_PROF_ALREADY_RUN 100042: it is started already; ACL_ERROR_INVALID_FILE 100003: the trace cannot be
 * written. Thread-safe. Follows aclprofStart of the Ascend runtime API.
 */
aclError aclprofStart(const aclprofConfig *profilerConfig);

/**
 * Does not record any more what a description says, unless another one does. What was queued before is still
 * written when it is over.
 *
 * @param profilerConfig from aclprofCreateConfig, started.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: no description,
 * destroyed, or called inside a host function; ACL_ERROR_PROF_NOT_RUN 100043: profiling has not begun, or this
 * is not started (aclFinalize stops everything). Thread-safe. Follows aclprofStop of the Ascend runtime API.
 */
aclError aclprofStop(const aclprofConfig *profilerConfig);

/**
 * Makes a step, whose ends aclprofGetStepTimestamp notes. Works at any time, with profiling and without.
 *
 * @return the step, for aclprofDestroyStepInfo to end; null if no more can be made (aclGetRecentErrMsg says so,
 * ACL_ERROR_BAD_ALLOC 200000). Thread-safe. Follows aclprofCreateStepInfo of the Ascend runtime API.
 */
aclprofStepInfo *aclprofCreateStepInfo(void);

/**
 * Ends a step; what was noted stays in the trace.
 *
 * @param stepinfo from aclprofCreateStepInfo. Null, destroyed or no step: nothing happens, and
 * aclGetRecentErrMsg tells (ACL_ERROR_INVALID_PARAM 100000, ACL_ERROR_RT_PARAM_INVALID 107000). Thread-safe.
 * Follows aclprofDestroyStepInfo of the Ascend runtime API.
 */
void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo);

/**
 * Notes that a step begins, or ends, in the order of a stream: a trace has it as a bar from the one to the
 * other, in a row of the stream's device. Steps are numbered as they begin. A step that has ended may begin
 * again, as another one. Without profiling nothing is recorded.
 *
 * @param stepInfo from aclprofCreateStepInfo.
 * @param tag ACL_STEP_START or ACL_STEP_END, in turn.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or an unknown tag; ACL_ERROR_RT_PARAM_INVALID
 * 107000: no step, destroyed, it has begun already or not yet, no stream, or called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on
 * another device than the current context. Thread-safe. Follows aclprofGetStepTimestamp of the Ascend runtime
 * API.
 */
aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo,
                                 aclprofStepTag tag,
                                 aclrtStream stream);

/**
 * Makes a stamp: a text for marks and ranges, "stamp" until it is set. Works at any time, with profiling and
 * without.
 *
 * @return the stamp, for aclprofDestroyStamp to end; null if no more can be made (aclGetRecentErrMsg says so,
 * ACL_ERROR_BAD_ALLOC 200000). Thread-safe. Follows aclprofCreateStamp of the Ascend runtime API.
 */
void *aclprofCreateStamp(void);

/**
 * Ends a stamp. Ranges that were begun with it go on.
 *
 * @param stamp from aclprofCreateStamp. Null, destroyed or no stamp: nothing happens, and aclGetRecentErrMsg
 * tells (ACL_ERROR_INVALID_PARAM 100000, ACL_ERROR_RT_PARAM_INVALID 107000). Thread-safe. Follows
 * aclprofDestroyStamp of the Ascend runtime API.
 */
void aclprofDestroyStamp(void *stamp);

/**
 * Sets the text of a stamp, for what is marked or begun with it from now on.
 *
 * @param stamp from aclprofCreateStamp.
 * @param msg the text, which is copied; a zero ends it.
 * @param msgLen bytes of it, from 1 to 16,384.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or a length out of range;
 * ACL_ERROR_RT_PARAM_INVALID 107000: no stamp, or destroyed. Thread-safe. Follows aclprofSetStampTraceMessage
 * of the Ascend runtime API; the bound is portacl's own.
 */
aclError aclprofSetStampTraceMessage(void *stamp,
                                     const char *msg,
                                     uint32_t msgLen);

/**
 * Marks this moment with a stamp's text, on the calling thread's row. Without profiling nothing is recorded.
 *
 * @param stamp from aclprofCreateStamp.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: no stamp, or
 * destroyed. Thread-safe. Follows aclprofMark of the Ascend runtime API.
 */
aclError aclprofMark(void *stamp);

/**
 * Begins a range of the calling thread, inside those that are open there, with a stamp's text; aclprofPop ends
 * it.
 *
 * @param stamp from aclprofCreateStamp.
 * @return as aclprofMark. Thread-safe. Follows aclprofPush of the Ascend runtime API.
 */
aclError aclprofPush(void *stamp);

/**
 * Ends the range that this thread began last, by aclprofPush or aclprofRangePushEx.
 *
 * @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: none is open on this thread. Thread-safe. Follows
 * aclprofPop of the Ascend runtime API.
 */
aclError aclprofPop(void);

/**
 * Begins a range with a stamp's text that any thread may end, and that may overlap others.
 *
 * @param stamp from aclprofCreateStamp.
 * @param rangeId room for the number of the range.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: one of them is null; ACL_ERROR_RT_PARAM_INVALID 107000:
 * no stamp, or destroyed. Thread-safe. Follows aclprofRangeStart of the Ascend runtime API.
 */
aclError aclprofRangeStart(void *stamp,
                           uint32_t *rangeId);

/**
 * Ends a range of aclprofRangeStart.
 *
 * @param rangeId its number.
 * @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: no such range is open. Thread-safe. Follows
 * aclprofRangeStop of the Ascend runtime API.
 */
aclError aclprofRangeStop(uint32_t rangeId);

/**
 * Marks the moment at which a stream comes to this point, with a text on the stream's row. Without profiling
 * nothing is recorded.
 *
 * @param msg the text, which is copied; a zero ends it.
 * @param msgLen bytes of it, from 1 to 16,384.
 * @param stream a stream; null: the default stream of the current context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or a length out of range;
 * ACL_ERROR_RT_PARAM_INVALID 107000: no stream, destroyed, or called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on
 * another device than the current context. Thread-safe. Follows aclprofMarkEx of the Ascend runtime API; the
 * bound is portacl's own.
 */
aclError aclprofMarkEx(const char *msg,
                       size_t msgLen,
                       aclrtStream stream);

/**
 * Begins a range of the calling thread that is an operator with its tensors, inside those that are open there;
 * aclprofRangePop ends it. A trace has its type, its blocks and the shapes.
 *
 * @param attr its version is ACL_PROF_EVENT_ATTR_VERSION, its size that of the structure, its message of type
 * ACL_PROF_MESSAGE_TYPE_TENSOR_INFO; at most 256 tensors of at most 8 dimensions. Everything is read during
 * the call. The stream of the message is not looked at.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or a field out of range;
 * ACL_ERROR_RT_PARAM_INVALID 107000: a number for a name that is not aclprofStr2Id's. Thread-safe. Follows
 * aclprofRangePushEx of the Ascend runtime API.
 */
aclError aclprofRangePushEx(aclprofEventAttributes *attr);

/**
 * Ends the range that this thread began last, by aclprofRangePushEx or aclprofPush.
 *
 * @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: none is open on this thread. Thread-safe. Follows
 * aclprofRangePop of the Ascend runtime API.
 */
aclError aclprofRangePop(void);

/**
 * A number for a text, for structures that name things by numbers: the same one each time, in the whole process
 * and as long as that lives.
 *
 * @param message the text, at most 16,384 bytes before its final zero.
 * @return the number, from 1 on; 0 on a failure, which aclGetRecentErrMsg tells: ACL_ERROR_INVALID_PARAM
 * 100000: null, or too long; ACL_ERROR_BAD_ALLOC 200000: 65,536 texts have numbers. Thread-safe. Follows
 * aclprofStr2Id of the Ascend runtime API.
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
