/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * Parts of the runtime that other parts of the API use.
 *
 * A function that returns aclError returns ACL_SUCCESS 0, or a code that its comment lists. Most can also return
 * ACL_ERROR_BAD_ALLOC 200000 (the host has no memory left), ACL_ERROR_INTERNAL_ERROR 500000 (a defect of portacl), and
 * in a forked child ACL_ERROR_RT_PARAM_INVALID 107000 (its parent has opened a device or started the CUDA driver:
 * docs/compatibility.md). The first call that needs a device opens the backend, and can return the codes of aclInit;
 * the first one of a thread that gets the default device, those of aclrtSetDevice; one that meets a captured stream or
 * event, those of captures (docs/errors.md). aclGetRecentErrMsg returns the text of the failure.
 */

#ifndef PORTACL_ACL_BASE_RT_H
#define PORTACL_ACL_BASE_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The type of an element. */
typedef enum aclDataType {
    ACL_DT_UNDEFINED = -1, /**< No type. */
    ACL_FLOAT = 0, /**< Single precision, 4 bytes. */
    ACL_FLOAT16 = 1, /**< Half precision, 2 bytes. */
    ACL_INT8 = 2, /**< Signed, 1 byte. */
    ACL_INT32 = 3, /**< Signed, 4 bytes. */
    ACL_UINT8 = 4, /**< Unsigned, 1 byte. */
    ACL_INT16 = 6, /**< Signed, 2 bytes. */
    ACL_UINT16 = 7, /**< Unsigned, 2 bytes. */
    ACL_UINT32 = 8, /**< Unsigned, 4 bytes. */
    ACL_INT64 = 9, /**< Signed, 8 bytes. */
    ACL_UINT64 = 10, /**< Unsigned, 8 bytes. */
    ACL_DOUBLE = 11, /**< Double precision, 8 bytes. */
    ACL_BOOL = 12, /**< A truth value, 1 byte. */
    ACL_STRING = 13, /**< A text. */
    ACL_COMPLEX64 = 16, /**< Two single-precision numbers. */
    ACL_COMPLEX128 = 17, /**< Two double-precision numbers. */
    ACL_BF16 = 27, /**< The upper half of a single-precision number, 2 bytes. */
    ACL_INT4 = 29, /**< Signed, half a byte. */
    ACL_UINT1 = 30, /**< One bit. */
    ACL_COMPLEX32 = 33, /**< Two half-precision numbers. */
    ACL_HIFLOAT8 = 34, /**< 8 bits with a tapered exponent. */
    ACL_FLOAT8_E5M2 = 35, /**< 8 bits: 5 of exponent, 2 of fraction. */
    ACL_FLOAT8_E4M3FN = 36, /**< 8 bits: 4 of exponent, 3 of fraction, no infinities. */
    ACL_FLOAT8_E8M0 = 37, /**< 8 bits, all of exponent: a scale. */
    ACL_FLOAT6_E3M2 = 38, /**< 6 bits: 3 of exponent, 2 of fraction. */
    ACL_FLOAT6_E2M3 = 39, /**< 6 bits: 2 of exponent, 3 of fraction. */
    ACL_FLOAT4_E2M1 = 40, /**< 4 bits: 2 of exponent, 1 of fraction. */
    ACL_FLOAT4_E1M2 = 41, /**< 4 bits: 1 of exponent, 2 of fraction. */
} aclDataType;

/** Numbers of a chip. */
typedef enum aclDeviceInfo {
    ACL_DEVICE_INFO_UNDEFINED = -1, /**< None. */
    ACL_DEVICE_INFO_AI_CORE_NUM = 0, /**< AI cores. */
    ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1, /**< Vector cores. */
    ACL_DEVICE_INFO_L2_SIZE = 2, /**< Level-2 cache in bytes. */
} aclDeviceInfo;

/** Attributes of the chip and its software. */
typedef enum aclCannAttr {
    ACL_CANN_ATTR_UNDEFINED = -1, /**< None. */
    ACL_CANN_ATTR_INF_NAN = 0, /**< Infinities and NaN are supported. */
    ACL_CANN_ATTR_BF16 = 1, /**< bfloat16 arithmetic is supported. */
    ACL_CANN_ATTR_JIT_COMPILE = 2, /**< Operators are compiled at run time. */
} aclCannAttr;

/** The order of a tensor's dimensions. N batch, C channels, D depth, H height, W width. */
typedef enum aclFormat {
    ACL_FORMAT_UNDEFINED = -1, /**< No format. */
    ACL_FORMAT_NCHW = 0, /**< Channels before the image. */
    ACL_FORMAT_NHWC = 1, /**< Channels after the image. */
    ACL_FORMAT_ND = 2, /**< Any number of dimensions, in the given order. */
    ACL_FORMAT_NC1HWC0 = 3, /**< Channels divided into blocks of C0. */
    ACL_FORMAT_FRACTAL_Z = 4, /**< Weights in small blocks. */
    ACL_FORMAT_NC1HWC0_C04 = 12, /**< The same as ACL_FORMAT_NC1HWC0 with blocks of 4. */
    ACL_FORMAT_HWCN = 16, /**< Weights with the batch last. */
    ACL_FORMAT_NDHWC = 27, /**< Volumes, channels last. */
    ACL_FORMAT_FRACTAL_NZ = 29, /**< Matrices in small blocks. */
    ACL_FORMAT_NCDHW = 30, /**< Volumes, channels first. */
    ACL_FORMAT_NDC1HWC0 = 32, /**< Volumes with channels divided into blocks of C0. */
    ACL_FRACTAL_Z_3D = 33, /**< Weights of volumes in small blocks. */
    ACL_FORMAT_NC = 35, /**< Batch and channels only. */
    ACL_FORMAT_NCL = 47, /**< Batch, channels, and one length. */
    ACL_FORMAT_FRACTAL_NZ_C0_16 = 50, /**< The same as ACL_FORMAT_FRACTAL_NZ with blocks of 16. */
    ACL_FORMAT_FRACTAL_NZ_C0_32 = 51, /**< The same as ACL_FORMAT_FRACTAL_NZ with blocks of 32. */
    ACL_FORMAT_FRACTAL_NZ_C0_2 = 52, /**< The same as ACL_FORMAT_FRACTAL_NZ with blocks of 2. */
    ACL_FORMAT_FRACTAL_NZ_C0_4 = 53, /**< The same as ACL_FORMAT_FRACTAL_NZ with blocks of 4. */
    ACL_FORMAT_FRACTAL_NZ_C0_8 = 54, /**< The same as ACL_FORMAT_FRACTAL_NZ with blocks of 8. */
} aclFormat;

/** The severity of a log line. */
typedef enum aclLogLevel {
    ACL_DEBUG = 0, /**< A line for debugging. */
    ACL_INFO = 1, /**< Normal operation. */
    ACL_WARNING = 2, /**< Unusual, but not a failure. */
    ACL_ERROR = 3, /**< A failure. */
} aclLogLevel;

/** The place of a tensor's memory. */
typedef enum aclMemType {
    ACL_MEMTYPE_DEVICE = 0, /**< The device. */
    ACL_MEMTYPE_HOST = 1, /**< The host; the memory is known when an operator is compiled. */
    ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2, /**< The host; the memory is not used when an operator is compiled. */
} aclMemType;

/** Options of a context or of the process. */
typedef enum aclSysParamOpt {
    ACL_OPT_DETERMINISTIC = 0, /**< The same input gives bit-identical results. */
    ACL_OPT_ENABLE_DEBUG_KERNEL = 1, /**< Kernels with checks. */
    /** The result of a row does not depend on its position in the batch; an older name. */
    ACL_OPT_STRONG_CONSISTENCY = 2,
    ACL_OPT_ENABLE_KERNEL_EARLY_START = 3, /**< A kernel may start before the previous kernel has ended. */
} aclSysParamOpt;

/** An address and a size, accessed by functions. */
typedef struct aclDataBuffer aclDataBuffer;

/** An error code; 0 is success. */
typedef int aclError;

/** A half-precision number, as its bits. */
typedef uint16_t aclFloat16;

/** A stream: an in-order queue of a device. */
typedef void *aclrtStream;

/** A task of a graph. */
typedef void *aclmdlRITask;

/** An event: a point in a stream's work. */
typedef void *aclrtEvent;

/** A context: a device with a default stream. */
typedef void *aclrtContext;

/** A notify: a signal between streams, consumed by the wait. */
typedef void *aclrtNotify;

/** A counted notify. */
typedef void *aclrtCntNotify;

/** A label: a branch target in a stream of a graph. */
typedef void *aclrtLabel;

/** A list of labels. */
typedef void *aclrtLabelList;

/** A buffer for queues. */
typedef void *aclrtMbuf;

/** The description of an allocator. */
typedef void *aclrtAllocatorDesc;

/** An allocator of the program: the first argument of its functions. */
typedef void *aclrtAllocator;

/** A block of an allocator of the program. */
typedef void *aclrtAllocatorBlock;

/** An address near which an allocator should allocate. */
typedef void *aclrtAllocatorAddr;

/** A group of captured tasks that can be updated. */
typedef void *aclrtTaskGrp;

static const int ACL_ERROR_NONE = 0; /**< No error. */
static const int ACL_SUCCESS = 0; /**< Success. */

/** An argument that is invalid whatever the state of any object is. */
static const int ACL_ERROR_INVALID_PARAM = 100000;

static const int ACL_ERROR_UNINITIALIZE = 100001; /**< aclInit was not called. */
static const int ACL_ERROR_REPEAT_INITIALIZE = 100002; /**< aclInit was called before. */
static const int ACL_ERROR_INVALID_FILE = 100003; /**< A file cannot be opened or read. */
static const int ACL_ERROR_WRITE_FILE = 100004; /**< A file cannot be written. */
static const int ACL_ERROR_INVALID_FILE_SIZE = 100005; /**< A file has an invalid size. */
static const int ACL_ERROR_PARSE_FILE = 100006; /**< A file cannot be parsed. */
static const int ACL_ERROR_FILE_MISSING_ATTR = 100007; /**< A file lacks an attribute. */
static const int ACL_ERROR_FILE_ATTR_INVALID = 100008; /**< A file has an invalid attribute. */
static const int ACL_ERROR_INVALID_DUMP_CONFIG = 100009; /**< An invalid dump configuration. */
static const int ACL_ERROR_INVALID_PROFILING_CONFIG = 100010; /**< An invalid profiling configuration. */
static const int ACL_ERROR_INVALID_MODEL_ID = 100011; /**< No such model. */
static const int ACL_ERROR_DESERIALIZE_MODEL = 100012; /**< A model cannot be loaded. */
static const int ACL_ERROR_PARSE_MODEL = 100013; /**< A model cannot be parsed. */
static const int ACL_ERROR_READ_MODEL_FAILURE = 100014; /**< A model cannot be read. */
static const int ACL_ERROR_MODEL_SIZE_INVALID = 100015; /**< A model has an invalid size. */
static const int ACL_ERROR_MODEL_MISSING_ATTR = 100016; /**< A model lacks an attribute. */
static const int ACL_ERROR_MODEL_INPUT_NOT_MATCH = 100017; /**< The input does not match the model. */
static const int ACL_ERROR_MODEL_OUTPUT_NOT_MATCH = 100018; /**< The output does not match the model. */
static const int ACL_ERROR_MODEL_NOT_DYNAMIC = 100019; /**< The model has fixed shapes. */
static const int ACL_ERROR_OP_TYPE_NOT_MATCH = 100020; /**< The operator is of another type. */
static const int ACL_ERROR_OP_INPUT_NOT_MATCH = 100021; /**< The input does not match the operator. */
static const int ACL_ERROR_OP_OUTPUT_NOT_MATCH = 100022; /**< The output does not match the operator. */
static const int ACL_ERROR_OP_ATTR_NOT_MATCH = 100023; /**< The attributes do not match the operator. */
static const int ACL_ERROR_OP_NOT_FOUND = 100024; /**< No such operator. */
static const int ACL_ERROR_OP_LOAD_FAILED = 100025; /**< The operator cannot be loaded. */
static const int ACL_ERROR_UNSUPPORTED_DATA_TYPE = 100026; /**< The data type is not supported. */
static const int ACL_ERROR_FORMAT_NOT_MATCH = 100027; /**< The format does not match. */

/** No binary selector is registered for the operator. */
static const int ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED = 100028;

static const int ACL_ERROR_KERNEL_NOT_FOUND = 100029; /**< No such kernel. */

/** A binary selector is already registered for the operator. */
static const int ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED = 100030;

static const int ACL_ERROR_KERNEL_ALREADY_REGISTERED = 100031; /**< The kernel is already registered. */
static const int ACL_ERROR_INVALID_QUEUE_ID = 100032; /**< No such queue. */
static const int ACL_ERROR_REPEAT_SUBSCRIBE = 100033; /**< The subscription already exists. */
static const int ACL_ERROR_STREAM_NOT_SUBSCRIBE = 100034; /**< No thread is subscribed to the stream. */
static const int ACL_ERROR_THREAD_NOT_SUBSCRIBE = 100035; /**< The thread is not subscribed. */
static const int ACL_ERROR_WAIT_CALLBACK_TIMEOUT = 100036; /**< No callback arrived in time. */
static const int ACL_ERROR_REPEAT_FINALIZE = 100037; /**< aclFinalize without a matching aclInit. */
static const int ACL_ERROR_NOT_STATIC_AIPP = 100038; /**< The preprocessing is not static. */
static const int ACL_ERROR_COMPILING_STUB_MODE = 100039; /**< The library is a stub for compiling only. */
static const int ACL_ERROR_GROUP_NOT_SET = 100040; /**< No group was set. */
static const int ACL_ERROR_GROUP_NOT_CREATE = 100041; /**< The group was not created. */
static const int ACL_ERROR_PROF_ALREADY_RUN = 100042; /**< Profiling is already running. */
static const int ACL_ERROR_PROF_NOT_RUN = 100043; /**< Profiling is not running. */
static const int ACL_ERROR_DUMP_ALREADY_RUN = 100044; /**< Dumping is already running. */
static const int ACL_ERROR_DUMP_NOT_RUN = 100045; /**< Dumping is not running. */
static const int ACL_ERROR_PROF_REPEAT_SUBSCRIBE = 148046; /**< The model's profile already has a subscription. */
static const int ACL_ERROR_PROF_API_CONFLICT = 148047; /**< Two kinds of profiling exclude each other. */

/** An invalid configuration of the operator queue. */
static const int ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG = 148048;

static const int ACL_ERROR_INVALID_OPP_PATH = 148049; /**< The path of the operators is invalid. */
static const int ACL_ERROR_OP_UNSUPPORTED_DYNAMIC = 148050; /**< The operator has fixed shapes. */
static const int ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED = 148051; /**< Something is still in use. */
static const int ACL_ERROR_UNSUPPORTED_JPEG = 148052; /**< The encoding of the image is not supported. */
static const int ACL_ERROR_INVALID_BUNDLE_MODEL_ID = 148053; /**< No such bundle of models. */
static const int ACL_ERROR_BAD_ALLOC = 200000; /**< No host memory left. */
static const int ACL_ERROR_API_NOT_SUPPORT = 200001; /**< The function is not supported. */
static const int ACL_ERROR_INVALID_DEVICE = 200002; /**< No such device. */
static const int ACL_ERROR_MEMORY_ADDRESS_UNALIGNED = 200003; /**< The address is not aligned. */
static const int ACL_ERROR_RESOURCE_NOT_MATCH = 200004; /**< Resources do not belong together. */
static const int ACL_ERROR_INVALID_RESOURCE_HANDLE = 200005; /**< An invalid handle. */
static const int ACL_ERROR_FEATURE_UNSUPPORTED = 200006; /**< The feature is not supported. */
static const int ACL_ERROR_PROF_MODULES_UNSUPPORTED = 200007; /**< These modules cannot be profiled. */
static const int ACL_ERROR_STORAGE_OVER_LIMIT = 300000; /**< The storage limit is exceeded. */
static const int ACL_ERROR_INTERNAL_ERROR = 500000; /**< A defect of the library. */
static const int ACL_ERROR_FAILURE = 500001; /**< A general failure. */
static const int ACL_ERROR_GE_FAILURE = 500002; /**< The graph engine failed. */
static const int ACL_ERROR_RT_FAILURE = 500003; /**< The runtime failed. */
static const int ACL_ERROR_DRV_FAILURE = 500004; /**< The driver failed. */
static const int ACL_ERROR_PROFILING_FAILURE = 500005; /**< The profiler failed. */

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Creates a data buffer: an object that stores an address and a size. The caller keeps ownership of the memory;
 * neither value is checked: null and 0 are allowed. Works at any time; the object lives until it is destroyed, also
 * through aclFinalize.
 *
 * @param data any address.
 * @param size bytes.
 * @return the data buffer, to be destroyed with aclDestroyDataBuffer; null if no more can be created
 *     (aclGetRecentErrMsg returns the text, ACL_ERROR_BAD_ALLOC 200000).
 * @note Thread-safe. Follows aclCreateDataBuffer of the Ascend runtime API.
 */
aclDataBuffer *aclCreateDataBuffer(void *data, size_t size);

/**
 * Destroys a data buffer. The caller keeps ownership of the memory.
 *
 * @param dataBuffer from aclCreateDataBuffer.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a data buffer, or already destroyed.
 * @note Thread-safe. Follows aclDestroyDataBuffer of the Ascend runtime API.
 */
aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer);

/**
 * Changes the address and size of a data buffer. Atomic for other threads: they read the old pair or the new one.
 *
 * @param dataBuffer from aclCreateDataBuffer.
 * @param data any address.
 * @param size bytes.
 * @return the codes of aclDestroyDataBuffer.
 * @note Thread-safe. Follows aclUpdateDataBuffer of the Ascend runtime API.
 */
aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size);

/**
 * Returns the address in a data buffer.
 *
 * @param dataBuffer from aclCreateDataBuffer.
 * @return the address; null also if `dataBuffer` is null, destroyed or not a data buffer, which aclGetRecentErrMsg
 *     reports (codes of aclDestroyDataBuffer).
 * @note Thread-safe. Follows aclGetDataBufferAddr of the Ascend runtime API.
 */
void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer);

/**
 * Returns the lower 32 bits of the size in a data buffer; aclGetDataBufferSizeV2 returns all of it.
 *
 * @param dataBuffer from aclCreateDataBuffer.
 * @return bytes; 0 also on a failure, as in aclGetDataBufferAddr.
 * @note Thread-safe. Follows aclGetDataBufferSize of the Ascend runtime API.
 */
uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer);

/**
 * Returns the size in a data buffer.
 *
 * @param dataBuffer from aclCreateDataBuffer.
 * @return bytes; 0 also on a failure, as in aclGetDataBufferAddr.
 * @note Thread-safe. Follows aclGetDataBufferSizeV2 of the Ascend runtime API.
 */
size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer);

/**
 * Returns the size of an element of a type. Works at any time, also in a forked child.
 *
 * @param dataType an aclDataType.
 * @return bytes; 0 for types without a size in whole bytes (ACL_DT_UNDEFINED, ACL_STRING, types of less than 8 bits)
 *     and for any other number, which is not a failure.
 * @note Thread-safe. Follows aclDataTypeSize of the Ascend runtime API.
 */
size_t aclDataTypeSize(aclDataType dataType);

/**
 * Converts half precision to single precision, exactly; a NaN stays a NaN. Works at any time, also in a forked child.
 *
 * @param value the bits of an IEEE 754 half-precision number.
 * @return the same number.
 * @note Thread-safe. Follows aclFloat16ToFloat of the Ascend runtime API.
 */
float aclFloat16ToFloat(aclFloat16 value);

/**
 * Converts single precision to half precision, rounded to nearest even, with the same sign. Magnitudes from 65520 on
 * become infinite, those below 2 to the power of -14 a multiple of 2 to the power of -24; a NaN stays a NaN. Works at
 * any time, also in a forked child.
 *
 * @param value a number.
 * @return the bits of an IEEE 754 half-precision number.
 * @note Thread-safe. Follows aclFloatToFloat16 of the Ascend runtime API.
 */
aclFloat16 aclFloatToFloat16(float value);

/**
 * Returns the name of the processor, by which programs select their code: `PORTACL_SOC_NAME`, or else `Ascend910B1`.
 * Works at any time. Answers of aclrtGetDeviceInfo and aclGetCannAttribute depend on it: docs/configuration.md.
 *
 * @return a zero-terminated text that stays valid and unchanged until the process ends; null in a forked child whose
 *     calls fail (docs/compatibility.md).
 * @note Thread-safe. Follows aclrtGetSocName of the Ascend runtime API.
 */
const char *aclrtGetSocName(void);

/**
 * Returns a number of cores or the cache size of a device: the values of aclrtGetDeviceInfo for
 * ACL_DEV_ATTR_AICORE_CORE_NUM, ACL_DEV_ATTR_VECTOR_CORE_NUM and ACL_DEV_ATTR_L2_CACHE_SIZE.
 *
 * @param deviceId 0 to the number of devices minus 1; the device need not be set.
 * @param deviceInfo ACL_DEVICE_INFO_AI_CORE_NUM, ACL_DEVICE_INFO_VECTOR_CORE_NUM or ACL_DEVICE_INFO_L2_SIZE.
 * @param value receives the number; the cache size in bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown `deviceInfo`.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
 * @note Thread-safe. Follows aclGetDeviceCapability of the Ascend runtime API.
 */
aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value);

/**
 * Returns whether the devices here have an attribute: infinities and NaNs (ACL_CANN_ATTR_INF_NAN) yes, operators
 * compiled at run time (ACL_CANN_ATTR_JIT_COMPILE) no, bfloat16 (ACL_CANN_ATTR_BF16) yes, unless aclrtGetSocName names
 * a processor without it (docs/configuration.md). Works at any time.
 *
 * @param cannAttr an aclCannAttr other than ACL_CANN_ATTR_UNDEFINED.
 * @param value receives 1 or 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown attribute.
 * @note Thread-safe. Follows aclGetCannAttribute of the Ascend runtime API.
 */
aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value);

/**
 * Returns the attributes that aclGetCannAttribute accepts. Works at any time.
 *
 * @param cannAttrList receives the address of a list that stays valid and unchanged; the caller must not free it.
 * @param num receives its length.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @note Thread-safe. Follows aclGetCannAttributeList of the Ascend runtime API.
 */
aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num);

/**
 * Writes a log line to standard error: the level, the source location, and the formatted text.
 * Lines below the level of PORTACL_LOG_LEVEL, or else ASCEND_GLOBAL_LOG_LEVEL, are left out;
 * without these variables only errors are written. A line is written at once and as a whole; a
 * long line is truncated.
 *
 * @param logLevel an aclLogLevel, ACL_DEBUG to ACL_ERROR; any other number counts as ACL_ERROR.
 * @param func the function that logs; null is written as "?".
 * @param file its file; null is written as "?".
 * @param line its line in the file.
 * @param fmt a printf format, followed by its arguments; null: no text.
 * @note Thread-safe; works at any time, before aclInit and in a forked child as well, and does not
 *     change the last error. Follows aclAppLog of the Ascend runtime API; the output is portacl's choice.
 */
void aclAppLog(aclLogLevel logLevel,
               const char *func,
               const char *file,
               uint32_t line,
               const char *fmt,
               ...);

/** aclAppLog with the source location of its use: ACL_APP_LOG(level, fmt, ...). */
#define ACL_APP_LOG(level, ...) aclAppLog(level, __func__, __FILE__, __LINE__, __VA_ARGS__)

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PORTACL_ACL_BASE_RT_H */
