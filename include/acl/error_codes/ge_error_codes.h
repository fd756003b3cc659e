/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * Error codes of the model layer.
 */

#ifndef PORTACL_ERROR_CODES_GE_ERROR_CODES_H
#define PORTACL_ERROR_CODES_GE_ERROR_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static const int ACL_ERROR_GE_PARAM_INVALID = 145000; /**< An invalid argument. */
static const int ACL_ERROR_GE_EXEC_NOT_INIT = 145001; /**< The executor is not initialized. */
static const int ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID = 145002; /**< The model path is invalid. */
static const int ACL_ERROR_GE_EXEC_MODEL_ID_INVALID = 145003; /**< No such model. */
static const int ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID = 145006; /**< A model has an invalid size. */
static const int ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID = 145007; /**< The model address is invalid. */
static const int ACL_ERROR_GE_EXEC_MODEL_QUEUE_ID_INVALID = 145008; /**< The queue of the model is invalid. */
static const int ACL_ERROR_GE_EXEC_LOAD_MODEL_REPEATED = 145009; /**< The model is already loaded. */
static const int ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID = 145011; /**< The address of a dynamic input is invalid. */
static const int ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID = 145012; /**< The length of a dynamic input is invalid. */
static const int ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID = 145013; /**< The dynamic batch size is invalid. */
static const int ACL_ERROR_GE_AIPP_BATCH_EMPTY = 145014; /**< Preprocessing without a batch. */
static const int ACL_ERROR_GE_AIPP_NOT_EXIST = 145015; /**< No such preprocessing. */
static const int ACL_ERROR_GE_AIPP_MODE_INVALID = 145016; /**< The preprocessing mode is invalid. */
static const int ACL_ERROR_GE_OP_TASK_TYPE_INVALID = 145017; /**< The task type is invalid. */
static const int ACL_ERROR_GE_OP_KERNEL_TYPE_INVALID = 145018; /**< The kernel type is invalid. */
static const int ACL_ERROR_GE_PLGMGR_PATH_INVALID = 145019; /**< The plug-in path is invalid. */
static const int ACL_ERROR_GE_FORMAT_INVALID = 145020; /**< The format is invalid. */
static const int ACL_ERROR_GE_SHAPE_INVALID = 145021; /**< The shape is invalid. */
static const int ACL_ERROR_GE_DATATYPE_INVALID = 145022; /**< The data type is invalid. */
static const int ACL_ERROR_GE_MEMORY_ALLOCATION = 245000; /**< No memory left. */
static const int ACL_ERROR_GE_MEMORY_OPERATE_FAILED = 245001; /**< A memory operation failed. */
static const int ACL_ERROR_GE_DEVICE_MEMORY_OPERATE_FAILED = 245002; /**< A device memory operation failed. */
static const int ACL_ERROR_GE_SUBHEALTHY = 345102; /**< The system works with reduced capability. */
static const int ACL_ERROR_GE_USER_RAISE_EXCEPTION = 345103; /**< User code failed. */
static const int ACL_ERROR_GE_DATA_NOT_ALIGNED = 345104; /**< Data is not aligned. */
static const int ACL_ERROR_GE_INTERNAL_ERROR = 545000; /**< A defect of the graph engine. */
static const int ACL_ERROR_GE_LOAD_MODEL = 545001; /**< A model cannot be loaded. */
static const int ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED = 545002; /**< The graph of a model cannot be loaded. */

/** The weights of a model cannot be loaded. */
static const int ACL_ERROR_GE_EXEC_LOAD_WEIGHT_PARTITION_FAILED = 545003;

static const int ACL_ERROR_GE_EXEC_LOAD_TASK_PARTITION_FAILED = 545004; /**< The tasks of a model cannot be loaded. */

/** The kernels of a model cannot be loaded. */
static const int ACL_ERROR_GE_EXEC_LOAD_KERNEL_PARTITION_FAILED = 545005;

static const int ACL_ERROR_GE_EXEC_RELEASE_MODEL_DATA = 545006; /**< The data of a model was released. */
static const int ACL_ERROR_GE_COMMAND_HANDLE = 545007; /**< A command failed. */
static const int ACL_ERROR_GE_GET_TENSOR_INFO = 545008; /**< A tensor cannot be described. */
static const int ACL_ERROR_GE_UNLOAD_MODEL = 545009; /**< A model cannot be unloaded. */
static const int ACL_ERROR_GE_MODEL_EXECUTE_TIMEOUT = 545601; /**< A model timed out. */
static const int ACL_ERROR_GE_REDEPLOYING = 545602; /**< Models are being moved. */

#endif  /* PORTACL_ERROR_CODES_GE_ERROR_CODES_H */
