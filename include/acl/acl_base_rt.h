/* SPDX-License-Identifier: Apache-2.0 */
/* Made from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * What the runtime shares with other parts of the API.
 */

#ifndef PORTACL_ACL_BASE_RT_H
#define PORTACL_ACL_BASE_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The type of an element.
 */
typedef enum aclDataType {
    /**
     * No type.
     */
    ACL_DT_UNDEFINED = -1,
    /**
     * Single precision, 4 bytes.
     */
    ACL_FLOAT = 0,
    /**
     * Half precision, 2 bytes.
     */
    ACL_FLOAT16 = 1,
    /**
     * Signed, 1 byte.
     */
    ACL_INT8 = 2,
    /**
     * Signed, 4 bytes.
     */
    ACL_INT32 = 3,
    /**
     * Unsigned, 1 byte.
     */
    ACL_UINT8 = 4,
    /**
     * Signed, 2 bytes.
     */
    ACL_INT16 = 6,
    /**
     * Unsigned, 2 bytes.
     */
    ACL_UINT16 = 7,
    /**
     * Unsigned, 4 bytes.
     */
    ACL_UINT32 = 8,
    /**
     * Signed, 8 bytes.
     */
    ACL_INT64 = 9,
    /**
     * Unsigned, 8 bytes.
     */
    ACL_UINT64 = 10,
    /**
     * Double precision, 8 bytes.
     */
    ACL_DOUBLE = 11,
    /**
     * A truth value, 1 byte.
     */
    ACL_BOOL = 12,
    /**
     * A text.
     */
    ACL_STRING = 13,
    /**
     * Two single-precision numbers.
     */
    ACL_COMPLEX64 = 16,
    /**
     * Two double-precision numbers.
     */
    ACL_COMPLEX128 = 17,
    /**
     * The upper half of a single-precision number, 2 bytes.
     */
    ACL_BF16 = 27,
    /**
     * Signed, half a byte.
     */
    ACL_INT4 = 29,
    /**
     * One bit.
     */
    ACL_UINT1 = 30,
    /**
     * Two half-precision numbers.
     */
    ACL_COMPLEX32 = 33,
    /**
     * 8 bits with a tapered exponent.
     */
    ACL_HIFLOAT8 = 34,
    /**
     * 8 bits: 5 of exponent, 2 of fraction.
     */
    ACL_FLOAT8_E5M2 = 35,
    /**
     * 8 bits: 4 of exponent, 3 of fraction, no infinities.
     */
    ACL_FLOAT8_E4M3FN = 36,
    /**
     * 8 bits, all of exponent: a scale.
     */
    ACL_FLOAT8_E8M0 = 37,
    /**
     * 6 bits: 3 of exponent, 2 of fraction.
     */
    ACL_FLOAT6_E3M2 = 38,
    /**
     * 6 bits: 2 of exponent, 3 of fraction.
     */
    ACL_FLOAT6_E2M3 = 39,
    /**
     * 4 bits: 2 of exponent, 1 of fraction.
     */
    ACL_FLOAT4_E2M1 = 40,
    /**
     * 4 bits: 1 of exponent, 2 of fraction.
     */
    ACL_FLOAT4_E1M2 = 41,
} aclDataType;

/**
 * Numbers about the chip.
 */
typedef enum aclDeviceInfo {
    /**
     * None.
     */
    ACL_DEVICE_INFO_UNDEFINED = -1,
    /**
     * AI cores.
     */
    ACL_DEVICE_INFO_AI_CORE_NUM = 0,
    /**
     * Vector cores.
     */
    ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
    /**
     * Level-2 cache in bytes.
     */
    ACL_DEVICE_INFO_L2_SIZE = 2,
} aclDeviceInfo;

/**
 * Attributes of the chip and its software.
 */
typedef enum aclCannAttr {
    /**
     * None.
     */
    ACL_CANN_ATTR_UNDEFINED = -1,
    /**
     * Infinities and NaN are kept.
     */
    ACL_CANN_ATTR_INF_NAN = 0,
    /**
     * bfloat16 is computed with.
     */
    ACL_CANN_ATTR_BF16 = 1,
    /**
     * Operators are compiled when they are needed.
     */
    ACL_CANN_ATTR_JIT_COMPILE = 2,
} aclCannAttr;

/**
 * The order of a tensor's dimensions. N batch, C channels, D depth, H height, W width.
 */
typedef enum aclFormat {
    /**
     * No order.
     */
    ACL_FORMAT_UNDEFINED = -1,
    /**
     * Channels before the picture.
     */
    ACL_FORMAT_NCHW = 0,
    /**
     * Channels after the picture.
     */
    ACL_FORMAT_NHWC = 1,
    /**
     * Any number of dimensions, in their own order.
     */
    ACL_FORMAT_ND = 2,
    /**
     * Channels cut into blocks of C0.
     */
    ACL_FORMAT_NC1HWC0 = 3,
    /**
     * Weights in small blocks.
     */
    ACL_FORMAT_FRACTAL_Z = 4,
    /**
     * As ACL_FORMAT_NC1HWC0 with blocks of 4.
     */
    ACL_FORMAT_NC1HWC0_C04 = 12,
    /**
     * Weights with the batch last.
     */
    ACL_FORMAT_HWCN = 16,
    /**
     * Volumes, channels last.
     */
    ACL_FORMAT_NDHWC = 27,
    /**
     * Matrices in small blocks.
     */
    ACL_FORMAT_FRACTAL_NZ = 29,
    /**
     * Volumes, channels first.
     */
    ACL_FORMAT_NCDHW = 30,
    /**
     * Volumes with channels cut into blocks of C0.
     */
    ACL_FORMAT_NDC1HWC0 = 32,
    /**
     * Weights of volumes in small blocks.
     */
    ACL_FRACTAL_Z_3D = 33,
    /**
     * Batch and channels only.
     */
    ACL_FORMAT_NC = 35,
    /**
     * Batch, channels, and one length.
     */
    ACL_FORMAT_NCL = 47,
    /**
     * As ACL_FORMAT_FRACTAL_NZ with blocks of 16.
     */
    ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
    /**
     * As ACL_FORMAT_FRACTAL_NZ with blocks of 32.
     */
    ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
    /**
     * As ACL_FORMAT_FRACTAL_NZ with blocks of 2.
     */
    ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,
    /**
     * As ACL_FORMAT_FRACTAL_NZ with blocks of 4.
     */
    ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,
    /**
     * As ACL_FORMAT_FRACTAL_NZ with blocks of 8.
     */
    ACL_FORMAT_FRACTAL_NZ_C0_8 = 54,
} aclFormat;

/**
 * How urgent a line of the log is.
 */
typedef enum aclLogLevel {
    /**
     * For those who look for a defect.
     */
    ACL_DEBUG = 0,
    /**
     * What happens normally.
     */
    ACL_INFO = 1,
    /**
     * Unusual, but no failure.
     */
    ACL_WARNING = 2,
    /**
     * A failure.
     */
    ACL_ERROR = 3,
} aclLogLevel;

/**
 * Where memory of a tensor lives.
 */
typedef enum aclMemType {
    /**
     * On the device.
     */
    ACL_MEMTYPE_DEVICE = 0,
    /**
     * On the host, known when an operator is compiled.
     */
    ACL_MEMTYPE_HOST = 1,
    /**
     * On the host, not looked at when an operator is compiled.
     */
    ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2,
} aclMemType;

/**
 * Options of a context or of the process.
 */
typedef enum aclSysParamOpt {
    /**
     * The same input gives the same bits.
     */
    ACL_OPT_DETERMINISTIC = 0,
    /**
     * Kernels with checks.
     */
    ACL_OPT_ENABLE_DEBUG_KERNEL = 1,
    /**
     * The same result wherever a row stands in its batch; an older name.
     */
    ACL_OPT_STRONG_CONSISTENCY = 2,
    /**
     * A kernel may start before the one before it has ended.
     */
    ACL_OPT_ENABLE_KERNEL_EARLY_START = 3,
} aclSysParamOpt;

/**
 * An address and a size, behind functions.
 */
typedef struct aclDataBuffer aclDataBuffer;

/**
 * An error code; 0 is success.
 */
typedef int aclError;

/**
 * A half-precision number, as its bits.
 */
typedef uint16_t aclFloat16;

/**
 * A stream: an in-order queue of a device.
 */
typedef void *aclrtStream;

/**
 * A task of a graph.
 */
typedef void *aclmdlRITask;

/**
 * An event: a point in a stream's work.
 */
typedef void *aclrtEvent;

/**
 * A context: a device with a default stream.
 */
typedef void *aclrtContext;

/**
 * A notify: a signal between streams, consumed by the wait.
 */
typedef void *aclrtNotify;

/**
 * A notify that counts.
 */
typedef void *aclrtCntNotify;

/**
 * A label: a place in a graph's stream.
 */
typedef void *aclrtLabel;

/**
 * A list of labels.
 */
typedef void *aclrtLabelList;

/**
 * A buffer for queues.
 */
typedef void *aclrtMbuf;

/**
 * The description of an allocator.
 */
typedef void *aclrtAllocatorDesc;

/**
 * An allocator of the caller: whatever its functions want as their first argument.
 */
typedef void *aclrtAllocator;

/**
 * A block that an allocator of the caller made.
 */
typedef void *aclrtAllocatorBlock;

/**
 * An address that an allocator is asked to be near to.
 */
typedef void *aclrtAllocatorAddr;

/**
 * A group of recorded tasks that can be changed.
 */
typedef void *aclrtTaskGrp;

/**
 * No error.
 */
static const int ACL_ERROR_NONE = 0;

/**
 * Success.
 */
static const int ACL_SUCCESS = 0;

/**
 * A bad argument, seen without looking at any object.
 */
static const int ACL_ERROR_INVALID_PARAM = 100000;

/**
 * aclInit is missing.
 */
static const int ACL_ERROR_UNINITIALIZE = 100001;

/**
 * aclInit was called before.
 */
static const int ACL_ERROR_REPEAT_INITIALIZE = 100002;

/**
 * A file cannot be opened or read.
 */
static const int ACL_ERROR_INVALID_FILE = 100003;

/**
 * A file cannot be written.
 */
static const int ACL_ERROR_WRITE_FILE = 100004;

/**
 * A file has a bad size.
 */
static const int ACL_ERROR_INVALID_FILE_SIZE = 100005;

/**
 * A file cannot be parsed.
 */
static const int ACL_ERROR_PARSE_FILE = 100006;

/**
 * A file lacks an attribute.
 */
static const int ACL_ERROR_FILE_MISSING_ATTR = 100007;

/**
 * A file has a bad attribute.
 */
static const int ACL_ERROR_FILE_ATTR_INVALID = 100008;

/**
 * A bad configuration of dumps.
 */
static const int ACL_ERROR_INVALID_DUMP_CONFIG = 100009;

/**
 * A bad configuration of profiling.
 */
static const int ACL_ERROR_INVALID_PROFILING_CONFIG = 100010;

/**
 * No such model.
 */
static const int ACL_ERROR_INVALID_MODEL_ID = 100011;

/**
 * A model cannot be loaded.
 */
static const int ACL_ERROR_DESERIALIZE_MODEL = 100012;

/**
 * A model cannot be parsed.
 */
static const int ACL_ERROR_PARSE_MODEL = 100013;

/**
 * A model cannot be read.
 */
static const int ACL_ERROR_READ_MODEL_FAILURE = 100014;

/**
 * A model has a bad size.
 */
static const int ACL_ERROR_MODEL_SIZE_INVALID = 100015;

/**
 * A model lacks an attribute.
 */
static const int ACL_ERROR_MODEL_MISSING_ATTR = 100016;

/**
 * The input does not fit the model.
 */
static const int ACL_ERROR_MODEL_INPUT_NOT_MATCH = 100017;

/**
 * The output does not fit the model.
 */
static const int ACL_ERROR_MODEL_OUTPUT_NOT_MATCH = 100018;

/**
 * The model has fixed shapes.
 */
static const int ACL_ERROR_MODEL_NOT_DYNAMIC = 100019;

/**
 * The operator is of another type.
 */
static const int ACL_ERROR_OP_TYPE_NOT_MATCH = 100020;

/**
 * The input does not fit the operator.
 */
static const int ACL_ERROR_OP_INPUT_NOT_MATCH = 100021;

/**
 * The output does not fit the operator.
 */
static const int ACL_ERROR_OP_OUTPUT_NOT_MATCH = 100022;

/**
 * The attributes do not fit the operator.
 */
static const int ACL_ERROR_OP_ATTR_NOT_MATCH = 100023;

/**
 * No such operator.
 */
static const int ACL_ERROR_OP_NOT_FOUND = 100024;

/**
 * The operator cannot be loaded.
 */
static const int ACL_ERROR_OP_LOAD_FAILED = 100025;

/**
 * The data type is not supported.
 */
static const int ACL_ERROR_UNSUPPORTED_DATA_TYPE = 100026;

/**
 * The format does not fit.
 */
static const int ACL_ERROR_FORMAT_NOT_MATCH = 100027;

/**
 * Nothing chooses among binaries of the operator.
 */
static const int ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED = 100028;

/**
 * No such kernel.
 */
static const int ACL_ERROR_KERNEL_NOT_FOUND = 100029;

/**
 * Something chooses among binaries of the operator already.
 */
static const int ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED = 100030;

/**
 * The kernel is known already.
 */
static const int ACL_ERROR_KERNEL_ALREADY_REGISTERED = 100031;

/**
 * No such queue.
 */
static const int ACL_ERROR_INVALID_QUEUE_ID = 100032;

/**
 * The subscription exists already.
 */
static const int ACL_ERROR_REPEAT_SUBSCRIBE = 100033;

/**
 * Nobody subscribed to the stream.
 */
static const int ACL_ERROR_STREAM_NOT_SUBSCRIBE = 100034;

/**
 * The thread has not subscribed.
 */
static const int ACL_ERROR_THREAD_NOT_SUBSCRIBE = 100035;

/**
 * No callback came in time.
 */
static const int ACL_ERROR_WAIT_CALLBACK_TIMEOUT = 100036;

/**
 * There is nothing left to finalize.
 */
static const int ACL_ERROR_REPEAT_FINALIZE = 100037;

/**
 * The preprocessing is not a static one.
 */
static const int ACL_ERROR_NOT_STATIC_AIPP = 100038;

/**
 * The library is a stub for compiling only.
 */
static const int ACL_ERROR_COMPILING_STUB_MODE = 100039;

/**
 * No group was set.
 */
static const int ACL_ERROR_GROUP_NOT_SET = 100040;

/**
 * The group was not made.
 */
static const int ACL_ERROR_GROUP_NOT_CREATE = 100041;

/**
 * Profiling runs already.
 */
static const int ACL_ERROR_PROF_ALREADY_RUN = 100042;

/**
 * Profiling does not run.
 */
static const int ACL_ERROR_PROF_NOT_RUN = 100043;

/**
 * Dumping runs already.
 */
static const int ACL_ERROR_DUMP_ALREADY_RUN = 100044;

/**
 * Dumping does not run.
 */
static const int ACL_ERROR_DUMP_NOT_RUN = 100045;

/**
 * The model's profile is subscribed to already.
 */
static const int ACL_ERROR_PROF_REPEAT_SUBSCRIBE = 148046;

/**
 * Two kinds of profiling exclude each other.
 */
static const int ACL_ERROR_PROF_API_CONFLICT = 148047;

/**
 * A bad configuration of the operator queue.
 */
static const int ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG = 148048;

/**
 * The operators are not where they should be.
 */
static const int ACL_ERROR_INVALID_OPP_PATH = 148049;

/**
 * The operator has fixed shapes.
 */
static const int ACL_ERROR_OP_UNSUPPORTED_DYNAMIC = 148050;

/**
 * Something is still in use.
 */
static const int ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED = 148051;

/**
 * The picture's encoding is not supported.
 */
static const int ACL_ERROR_UNSUPPORTED_JPEG = 148052;

/**
 * No such bundle of models.
 */
static const int ACL_ERROR_INVALID_BUNDLE_MODEL_ID = 148053;

/**
 * No host memory left.
 */
static const int ACL_ERROR_BAD_ALLOC = 200000;

/**
 * The function is not supported.
 */
static const int ACL_ERROR_API_NOT_SUPPORT = 200001;

/**
 * No such device.
 */
static const int ACL_ERROR_INVALID_DEVICE = 200002;

/**
 * The address is not aligned.
 */
static const int ACL_ERROR_MEMORY_ADDRESS_UNALIGNED = 200003;

/**
 * Things do not belong together.
 */
static const int ACL_ERROR_RESOURCE_NOT_MATCH = 200004;

/**
 * A bad handle.
 */
static const int ACL_ERROR_INVALID_RESOURCE_HANDLE = 200005;

/**
 * The feature is not supported.
 */
static const int ACL_ERROR_FEATURE_UNSUPPORTED = 200006;

/**
 * These parts cannot be profiled.
 */
static const int ACL_ERROR_PROF_MODULES_UNSUPPORTED = 200007;

/**
 * Storage is used up.
 */
static const int ACL_ERROR_STORAGE_OVER_LIMIT = 300000;

/**
 * A defect of the library.
 */
static const int ACL_ERROR_INTERNAL_ERROR = 500000;

/**
 * A general failure.
 */
static const int ACL_ERROR_FAILURE = 500001;

/**
 * The graph engine failed.
 */
static const int ACL_ERROR_GE_FAILURE = 500002;

/**
 * The runtime failed.
 */
static const int ACL_ERROR_RT_FAILURE = 500003;

/**
 * The driver failed.
 */
static const int ACL_ERROR_DRV_FAILURE = 500004;

/**
 * The profiler failed.
 */
static const int ACL_ERROR_PROFILING_FAILURE = 500005;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Keeps an address and a size together. The memory stays the caller's, and neither of the two is looked
 * at: null and 0 are allowed. Works at any time; the object lives until it is destroyed, also through
 * aclFinalize.
 *
 * @param data any address.
 * @param size bytes.
 * @return the data buffer, for aclDestroyDataBuffer to end; null if no more can be made
 * (aclGetRecentErrMsg says so, ACL_ERROR_BAD_ALLOC 200000). Thread-safe. Follows aclCreateDataBuffer of the
 * Ascend runtime API.
 */
aclDataBuffer *aclCreateDataBuffer(void *data,
                                          size_t size);

/**
 * Ends a data buffer; the memory stays the caller's.
 *
 * @param dataBuffer from aclCreateDataBuffer.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a data
 * buffer, or destroyed before. Thread-safe. Follows aclDestroyDataBuffer of the Ascend runtime API.
 */
aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer);

/**
 * Makes a data buffer stand for other memory. Who reads it meanwhile in another thread gets the old pair
 * or the new one.
 *
 * @param dataBuffer from aclCreateDataBuffer.
 * @param data any address.
 * @param size bytes.
 * @return as aclDestroyDataBuffer. Thread-safe. Follows aclUpdateDataBuffer of the Ascend runtime API.
 */
aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer,
                             void *data,
                             size_t size);

/**
 * The address in a data buffer.
 *
 * @param dataBuffer from aclCreateDataBuffer.
 * @return the address; null also if `dataBuffer` is null, destroyed or no data buffer, which
 * aclGetRecentErrMsg tells (codes as aclDestroyDataBuffer). Thread-safe. Follows aclGetDataBufferAddr of
 * the Ascend runtime API.
 */
void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer);

/**
 * The lower 32 bits of the size in a data buffer; aclGetDataBufferSizeV2 gives all of it.
 *
 * @param dataBuffer from aclCreateDataBuffer.
 * @return bytes; 0 also on a failure, as aclGetDataBufferAddr. Thread-safe. Follows aclGetDataBufferSize of
 * the Ascend runtime API.
 */
uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer);

/**
 * The size in a data buffer.
 *
 * @param dataBuffer from aclCreateDataBuffer.
 * @return bytes; 0 also on a failure, as aclGetDataBufferAddr. Thread-safe. Follows aclGetDataBufferSizeV2
 * of the Ascend runtime API.
 */
size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer);

/**
 * The size of an element of a type. Works at any time, also in a forked child.
 *
 * @param dataType an aclDataType.
 * @return bytes; 0 for types without a size in whole bytes (ACL_DT_UNDEFINED, ACL_STRING, those of less
 * than 8 bits) and for any other number, which is no failure. Thread-safe. Follows aclDataTypeSize of the
 * Ascend runtime API.
 */
size_t aclDataTypeSize(aclDataType dataType);

/**
 * Converts half precision to single precision, exactly; a NaN stays one. Works at any time, also in a
 * forked child.
 *
 * @param value the bits of an IEEE 754 half-precision number.
 * @return the same number. Thread-safe. Follows aclFloat16ToFloat of the Ascend runtime API.
 */
float aclFloat16ToFloat(aclFloat16 value);

/**
 * Converts single precision to half precision, to the nearest number and, between two, to the even one.
 * From 65520 on the result is an infinity, below 2 to the power of -14 a subnormal number or a zero of the
 * same sign; a NaN stays one. Works at any time, also in a forked child.
 *
 * @param value a number.
 * @return the bits of an IEEE 754 half-precision number. Thread-safe. Follows aclFloatToFloat16 of the
 * Ascend runtime API.
 */
aclFloat16 aclFloatToFloat16(float value);

/**
 * The name of the processor that programs choose their code by: `PORTACL_SOC_NAME`, else `Ascend910B1`.
 * Works at any time.
 *
 * @return a zero-terminated text that stays valid and unchanged for the life of the process. Thread-safe.
 * Follows aclrtGetSocName of the Ascend runtime API.
 */
const char *aclrtGetSocName(void);

/**
 * Tells a number about a device's cores or caches: the same as aclrtGetDeviceInfo gives for
 * ACL_DEV_ATTR_AICORE_CORE_NUM, ACL_DEV_ATTR_VECTOR_CORE_NUM and ACL_DEV_ATTR_L2_CACHE_SIZE.
 *
 * @param deviceId 0 to the number of devices less 1; it need not be set.
 * @param deviceInfo ACL_DEVICE_INFO_AI_CORE_NUM, ACL_DEVICE_INFO_VECTOR_CORE_NUM or ACL_DEVICE_INFO_L2_SIZE.
 * @param value receives the number; the cache in bytes.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another `deviceInfo`;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a
 * host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR
 * 507899: no usable device, or the driver does not answer. Thread-safe. Follows aclGetDeviceCapability of
 * the Ascend runtime API.
 */
aclError aclGetDeviceCapability(uint32_t deviceId,
                                aclDeviceInfo deviceInfo,
                                int64_t *value);

/**
 * Tells whether the devices here have an attribute: infinities and NaNs (ACL_CANN_ATTR_INF_NAN) and bfloat16
 * (ACL_CANN_ATTR_BF16) yes, operators that are compiled at run time (ACL_CANN_ATTR_JIT_COMPILE) no. Works at any time.
 *
 * @param cannAttr an aclCannAttr other than ACL_CANN_ATTR_UNDEFINED.
 * @param value receives 1 or 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or not such an attribute. Thread-safe. Follows
 * aclGetCannAttribute of the Ascend runtime API.
 */
aclError aclGetCannAttribute(aclCannAttr cannAttr,
                             int32_t *value);

/**
 * Tells which attributes aclGetCannAttribute can be asked for. Works at any time.
 *
 * @param cannAttrList receives the address of a list that stays valid and unchanged; the caller does not free it.
 * @param num receives its length.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null. Thread-safe. Follows aclGetCannAttributeList of the
 * Ascend runtime API.
 */
aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList,
                                 size_t *num);

/**
 * Writes a line to the standard error stream: the level, the place, and the text that `fmt` and what
 * follows make. What is less urgent than PORTACL_LOG_LEVEL, or else ASCEND_GLOBAL_LOG_LEVEL, is left
 * out; without them only errors are written. A line is written at once and as a whole; a long one is
 * cut.
 *
 * @param logLevel an aclLogLevel, ACL_DEBUG to ACL_ERROR; any other number counts as ACL_ERROR.
 * @param func the function where the line comes from; null is written as "?".
 * @param file its file; likewise.
 * @param line its line in the file.
 * @param fmt a format of printf, with the arguments that it asks for; null: no text.
 *
 * Thread-safe; works at any time, before aclInit and in a forked child as well, and leaves the last
 * error alone. Follows aclAppLog of the Ascend runtime API; where the line goes is this library's
 * choice.
 */
void aclAppLog(aclLogLevel logLevel,
               const char *func,
               const char *file,
               uint32_t line,
               const char *fmt,
               ...);

/** aclAppLog with the place where it stands: ACL_APP_LOG(level, fmt, ...). */
#define ACL_APP_LOG(level, ...) aclAppLog(level, __func__, __FILE__, __LINE__, __VA_ARGS__)

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PORTACL_ACL_BASE_RT_H */
