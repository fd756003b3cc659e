//! Error codes of `error_codes/ge_error_codes.h`: those of the model layer.

use super::base::aclError;

/// An invalid argument.
pub const ACL_ERROR_GE_PARAM_INVALID: aclError = 145_000;
/// The executor is not initialized.
pub const ACL_ERROR_GE_EXEC_NOT_INIT: aclError = 145_001;
/// The model path is invalid.
pub const ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID: aclError = 145_002;
/// No such model.
pub const ACL_ERROR_GE_EXEC_MODEL_ID_INVALID: aclError = 145_003;
/// A model has an invalid size.
pub const ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID: aclError = 145_006;
/// The model address is invalid.
pub const ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID: aclError = 145_007;
/// The queue of the model is invalid.
pub const ACL_ERROR_GE_EXEC_MODEL_QUEUE_ID_INVALID: aclError = 145_008;
/// The model is already loaded.
pub const ACL_ERROR_GE_EXEC_LOAD_MODEL_REPEATED: aclError = 145_009;
/// The address of a dynamic input is invalid.
pub const ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID: aclError = 145_011;
/// The length of a dynamic input is invalid.
pub const ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID: aclError = 145_012;
/// The dynamic batch size is invalid.
pub const ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID: aclError = 145_013;
/// Preprocessing without a batch.
pub const ACL_ERROR_GE_AIPP_BATCH_EMPTY: aclError = 145_014;
/// No such preprocessing.
pub const ACL_ERROR_GE_AIPP_NOT_EXIST: aclError = 145_015;
/// The preprocessing mode is invalid.
pub const ACL_ERROR_GE_AIPP_MODE_INVALID: aclError = 145_016;
/// The task type is invalid.
pub const ACL_ERROR_GE_OP_TASK_TYPE_INVALID: aclError = 145_017;
/// The kernel type is invalid.
pub const ACL_ERROR_GE_OP_KERNEL_TYPE_INVALID: aclError = 145_018;
/// The plug-in path is invalid.
pub const ACL_ERROR_GE_PLGMGR_PATH_INVALID: aclError = 145_019;
/// The format is invalid.
pub const ACL_ERROR_GE_FORMAT_INVALID: aclError = 145_020;
/// The shape is invalid.
pub const ACL_ERROR_GE_SHAPE_INVALID: aclError = 145_021;
/// The data type is invalid.
pub const ACL_ERROR_GE_DATATYPE_INVALID: aclError = 145_022;
/// No memory left.
pub const ACL_ERROR_GE_MEMORY_ALLOCATION: aclError = 245_000;
/// A memory operation failed.
pub const ACL_ERROR_GE_MEMORY_OPERATE_FAILED: aclError = 245_001;
/// A device memory operation failed.
pub const ACL_ERROR_GE_DEVICE_MEMORY_OPERATE_FAILED: aclError = 245_002;
/// The system works with reduced capability.
pub const ACL_ERROR_GE_SUBHEALTHY: aclError = 345_102;
/// User code failed.
pub const ACL_ERROR_GE_USER_RAISE_EXCEPTION: aclError = 345_103;
/// Data is not aligned.
pub const ACL_ERROR_GE_DATA_NOT_ALIGNED: aclError = 345_104;
/// A defect of the graph engine.
pub const ACL_ERROR_GE_INTERNAL_ERROR: aclError = 545_000;
/// A model cannot be loaded.
pub const ACL_ERROR_GE_LOAD_MODEL: aclError = 545_001;
/// The graph of a model cannot be loaded.
pub const ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED: aclError = 545_002;
/// The weights of a model cannot be loaded.
pub const ACL_ERROR_GE_EXEC_LOAD_WEIGHT_PARTITION_FAILED: aclError = 545_003;
/// The tasks of a model cannot be loaded.
pub const ACL_ERROR_GE_EXEC_LOAD_TASK_PARTITION_FAILED: aclError = 545_004;
/// The kernels of a model cannot be loaded.
pub const ACL_ERROR_GE_EXEC_LOAD_KERNEL_PARTITION_FAILED: aclError = 545_005;
/// The data of a model was released.
pub const ACL_ERROR_GE_EXEC_RELEASE_MODEL_DATA: aclError = 545_006;
/// A command failed.
pub const ACL_ERROR_GE_COMMAND_HANDLE: aclError = 545_007;
/// A tensor cannot be described.
pub const ACL_ERROR_GE_GET_TENSOR_INFO: aclError = 545_008;
/// A model cannot be unloaded.
pub const ACL_ERROR_GE_UNLOAD_MODEL: aclError = 545_009;
/// A model timed out.
pub const ACL_ERROR_GE_MODEL_EXECUTE_TIMEOUT: aclError = 545_601;
/// Models are being moved.
pub const ACL_ERROR_GE_REDEPLOYING: aclError = 545_602;
