/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * What the operators of libopapi get: tensors, scalars, arrays and lists.
 *
 * A tensor describes device memory and does not own it. Lists own their elements. Functions that create return null
 * after a failure, and all others a code; aclGetRecentErrMsg returns the text.
 */

#ifndef PORTACL_ACLNN_ACL_META_H
#define PORTACL_ACLNN_ACL_META_H

#include <acl/acl_base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct aclOpExecutor aclOpExecutor;
typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;

/** 0, or the code of a failure. */
typedef int32_t aclnnStatus;

/** A required pointer is null. */
#define ACLNN_ERR_PARAM_NULLPTR 161001
/** An argument is invalid. */
#define ACLNN_ERR_PARAM_INVALID 161002
/** The runtime has failed. */
#define ACLNN_ERR_RUNTIME_ERROR 361001
/** An operator has failed. */
#define ACLNN_ERR_INNER 561000

/** A view of device memory. `tensorData` is the address of the storage, and `offset` that of the first element in it,
 * in elements; `strides` is null for contiguous elements. The sizes of the storage count, not its shape, and a view may
 * go beyond them inside of the allocation. Elements are in memory as the strides say in every format, also in formats
 * that other implementations store in blocks, such as FRACTAL_NZ. */
aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t* strides,
                           int64_t offset, aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                           void* tensorData);
/** A number; `value` points to one of the type. */
aclScalar* aclCreateScalar(void* value, aclDataType dataType);
aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size);
aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size);
aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size);
/**
 * The list owns its elements from then on, until it is destroyed. A program may destroy an element before: it can then
 * not use it any longer, and the list can. Null elements are legal.
 */
aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size);
/** Owns its elements as a list of tensors does. */
aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size);

/** All accept null. What a prepared operator needs of the object stays. */
aclnnStatus aclDestroyTensor(const aclTensor* tensor);
aclnnStatus aclDestroyScalar(const aclScalar* scalar);
aclnnStatus aclDestroyIntArray(const aclIntArray* array);
aclnnStatus aclDestroyFloatArray(const aclFloatArray* array);
aclnnStatus aclDestroyBoolArray(const aclBoolArray* array);
aclnnStatus aclDestroyTensorList(const aclTensorList* list);
aclnnStatus aclDestroyScalarList(const aclScalarList* list);

/** The sizes of a view, in an array that the program releases by `delete[]`. */
aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum);
/** The strides of a view, in an array that the program releases by `delete[]`. */
aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue, uint64_t* stridesNum);
/** The shape of the storage, in an array that the program releases by `delete[]`. */
aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims, uint64_t* storageDimsNum);
aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset);
aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format);
aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType);
aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size);
aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size);
aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size);
aclnnStatus aclGetTensorListSize(const aclTensorList* list, uint64_t* size);
aclnnStatus aclGetScalarListSize(const aclScalarList* list, uint64_t* size);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* PORTACL_ACLNN_ACL_META_H */
