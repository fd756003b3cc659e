//! Error codes of `acl_base_rt.h`.

use super::base::aclError;

/// No error.
pub const ACL_ERROR_NONE: aclError = 0;
/// Success.
pub const ACL_SUCCESS: aclError = 0;
/// An argument that is invalid whatever the state of any object is.
pub const ACL_ERROR_INVALID_PARAM: aclError = 100_000;
/// aclInit was not called.
pub const ACL_ERROR_UNINITIALIZE: aclError = 100_001;
/// aclInit was called before.
pub const ACL_ERROR_REPEAT_INITIALIZE: aclError = 100_002;
/// A file cannot be opened or read.
pub const ACL_ERROR_INVALID_FILE: aclError = 100_003;
/// A file cannot be written.
pub const ACL_ERROR_WRITE_FILE: aclError = 100_004;
/// A file has an invalid size.
pub const ACL_ERROR_INVALID_FILE_SIZE: aclError = 100_005;
/// A file cannot be parsed.
pub const ACL_ERROR_PARSE_FILE: aclError = 100_006;
/// A file lacks an attribute.
pub const ACL_ERROR_FILE_MISSING_ATTR: aclError = 100_007;
/// A file has an invalid attribute.
pub const ACL_ERROR_FILE_ATTR_INVALID: aclError = 100_008;
/// An invalid dump configuration.
pub const ACL_ERROR_INVALID_DUMP_CONFIG: aclError = 100_009;
/// An invalid profiling configuration.
pub const ACL_ERROR_INVALID_PROFILING_CONFIG: aclError = 100_010;
/// No such model.
pub const ACL_ERROR_INVALID_MODEL_ID: aclError = 100_011;
/// A model cannot be loaded.
pub const ACL_ERROR_DESERIALIZE_MODEL: aclError = 100_012;
/// A model cannot be parsed.
pub const ACL_ERROR_PARSE_MODEL: aclError = 100_013;
/// A model cannot be read.
pub const ACL_ERROR_READ_MODEL_FAILURE: aclError = 100_014;
/// A model has an invalid size.
pub const ACL_ERROR_MODEL_SIZE_INVALID: aclError = 100_015;
/// A model lacks an attribute.
pub const ACL_ERROR_MODEL_MISSING_ATTR: aclError = 100_016;
/// The input does not match the model.
pub const ACL_ERROR_MODEL_INPUT_NOT_MATCH: aclError = 100_017;
/// The output does not match the model.
pub const ACL_ERROR_MODEL_OUTPUT_NOT_MATCH: aclError = 100_018;
/// The model has fixed shapes.
pub const ACL_ERROR_MODEL_NOT_DYNAMIC: aclError = 100_019;
/// The operator is of another type.
pub const ACL_ERROR_OP_TYPE_NOT_MATCH: aclError = 100_020;
/// The input does not match the operator.
pub const ACL_ERROR_OP_INPUT_NOT_MATCH: aclError = 100_021;
/// The output does not match the operator.
pub const ACL_ERROR_OP_OUTPUT_NOT_MATCH: aclError = 100_022;
/// The attributes do not match the operator.
pub const ACL_ERROR_OP_ATTR_NOT_MATCH: aclError = 100_023;
/// No such operator.
pub const ACL_ERROR_OP_NOT_FOUND: aclError = 100_024;
/// The operator cannot be loaded.
pub const ACL_ERROR_OP_LOAD_FAILED: aclError = 100_025;
/// The data type is not supported.
pub const ACL_ERROR_UNSUPPORTED_DATA_TYPE: aclError = 100_026;
/// The format does not match.
pub const ACL_ERROR_FORMAT_NOT_MATCH: aclError = 100_027;
/// No binary selector is registered for the operator.
pub const ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED: aclError = 100_028;
/// No such kernel.
pub const ACL_ERROR_KERNEL_NOT_FOUND: aclError = 100_029;
/// A binary selector is already registered for the operator.
pub const ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED: aclError = 100_030;
/// The kernel is already registered.
pub const ACL_ERROR_KERNEL_ALREADY_REGISTERED: aclError = 100_031;
/// No such queue.
pub const ACL_ERROR_INVALID_QUEUE_ID: aclError = 100_032;
/// The subscription already exists.
pub const ACL_ERROR_REPEAT_SUBSCRIBE: aclError = 100_033;
/// No thread is subscribed to the stream.
pub const ACL_ERROR_STREAM_NOT_SUBSCRIBE: aclError = 100_034;
/// The thread is not subscribed.
pub const ACL_ERROR_THREAD_NOT_SUBSCRIBE: aclError = 100_035;
/// No callback arrived in time.
pub const ACL_ERROR_WAIT_CALLBACK_TIMEOUT: aclError = 100_036;
/// aclFinalize without a matching aclInit.
pub const ACL_ERROR_REPEAT_FINALIZE: aclError = 100_037;
/// The preprocessing is not static.
pub const ACL_ERROR_NOT_STATIC_AIPP: aclError = 100_038;
/// The library is a stub for compiling only.
pub const ACL_ERROR_COMPILING_STUB_MODE: aclError = 100_039;
/// No group was set.
pub const ACL_ERROR_GROUP_NOT_SET: aclError = 100_040;
/// The group was not created.
pub const ACL_ERROR_GROUP_NOT_CREATE: aclError = 100_041;
/// Profiling is already running.
pub const ACL_ERROR_PROF_ALREADY_RUN: aclError = 100_042;
/// Profiling is not running.
pub const ACL_ERROR_PROF_NOT_RUN: aclError = 100_043;
/// Dumping is already running.
pub const ACL_ERROR_DUMP_ALREADY_RUN: aclError = 100_044;
/// Dumping is not running.
pub const ACL_ERROR_DUMP_NOT_RUN: aclError = 100_045;
/// The model's profile already has a subscription.
pub const ACL_ERROR_PROF_REPEAT_SUBSCRIBE: aclError = 148_046;
/// Two kinds of profiling exclude each other.
pub const ACL_ERROR_PROF_API_CONFLICT: aclError = 148_047;
/// An invalid configuration of the operator queue.
pub const ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG: aclError = 148_048;
/// The path of the operators is invalid.
pub const ACL_ERROR_INVALID_OPP_PATH: aclError = 148_049;
/// The operator has fixed shapes.
pub const ACL_ERROR_OP_UNSUPPORTED_DYNAMIC: aclError = 148_050;
/// Something is still in use.
pub const ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED: aclError = 148_051;
/// The encoding of the image is not supported.
pub const ACL_ERROR_UNSUPPORTED_JPEG: aclError = 148_052;
/// No such bundle of models.
pub const ACL_ERROR_INVALID_BUNDLE_MODEL_ID: aclError = 148_053;
/// No host memory left.
pub const ACL_ERROR_BAD_ALLOC: aclError = 200_000;
/// The function is not supported.
pub const ACL_ERROR_API_NOT_SUPPORT: aclError = 200_001;
/// No such device.
pub const ACL_ERROR_INVALID_DEVICE: aclError = 200_002;
/// The address is not aligned.
pub const ACL_ERROR_MEMORY_ADDRESS_UNALIGNED: aclError = 200_003;
/// Resources do not belong together.
pub const ACL_ERROR_RESOURCE_NOT_MATCH: aclError = 200_004;
/// An invalid handle.
pub const ACL_ERROR_INVALID_RESOURCE_HANDLE: aclError = 200_005;
/// The feature is not supported.
pub const ACL_ERROR_FEATURE_UNSUPPORTED: aclError = 200_006;
/// These modules cannot be profiled.
pub const ACL_ERROR_PROF_MODULES_UNSUPPORTED: aclError = 200_007;
/// The storage limit is exceeded.
pub const ACL_ERROR_STORAGE_OVER_LIMIT: aclError = 300_000;
/// A defect of the library.
pub const ACL_ERROR_INTERNAL_ERROR: aclError = 500_000;
/// A general failure.
pub const ACL_ERROR_FAILURE: aclError = 500_001;
/// The graph engine failed.
pub const ACL_ERROR_GE_FAILURE: aclError = 500_002;
/// The runtime failed.
pub const ACL_ERROR_RT_FAILURE: aclError = 500_003;
/// The driver failed.
pub const ACL_ERROR_DRV_FAILURE: aclError = 500_004;
/// The profiler failed.
pub const ACL_ERROR_PROFILING_FAILURE: aclError = 500_005;
