/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * Allocators of the program, registered for streams.
 *
 * A function that returns aclError returns ACL_SUCCESS 0, or a code that its comment lists. Most can also return
 * ACL_ERROR_BAD_ALLOC 200000 (the host has no memory left), ACL_ERROR_INTERNAL_ERROR 500000 (a defect of portacl), and
 * in a forked child ACL_ERROR_RT_PARAM_INVALID 107000 (its parent has opened a device or started the CUDA driver:
 * docs/compatibility.md). The first call that needs a device opens the backend, and can return the codes of aclInit;
 * the first one of a thread that gets the default device, those of aclrtSetDevice; one that meets a captured stream or
 * event, those of captures (docs/errors.md). aclGetRecentErrMsg returns the text of the failure.
 */

#ifndef PORTACL_ACL_RT_ALLOCATOR_H
#define PORTACL_ACL_RT_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "acl_base.h"

/** Allocates a number of bytes; returns a block. */
typedef void *(*aclrtAllocatorAllocFunc)(aclrtAllocator, size_t);

/** Frees a block. */
typedef void (*aclrtAllocatorFreeFunc)(aclrtAllocator, aclrtAllocatorBlock);

/** Allocates a number of bytes, near an address if possible. */
typedef void *(*aclrtAllocatorAllocAdviseFunc)(aclrtAllocator, size_t, aclrtAllocatorAddr);

/** Returns the address of a block. */
typedef void *(*aclrtAllocatorGetAddrFromBlockFunc)(aclrtAllocatorBlock);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Creates a description of an allocator of the program. The aclrtAllocatorSet* functions fill it in;
 * aclrtAllocatorRegister registers it for a stream. Works at any time. The description lives until it is destroyed,
 * also through aclFinalize.
 *
 * @return the description, to be destroyed with aclrtAllocatorDestroyDesc; null if no more can be created
 *     (aclGetRecentErrMsg returns the text, ACL_ERROR_BAD_ALLOC 200000).
 * @note Thread-safe. Follows aclrtAllocatorCreateDesc of the Ascend runtime API.
 */
aclrtAllocatorDesc aclrtAllocatorCreateDesc(void);

/**
 * Destroys the description of an allocator. Streams that it was registered for keep the allocator.
 *
 * @param allocatorDesc from aclrtAllocatorCreateDesc.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a description, or already destroyed.
 * @note Thread-safe. Follows aclrtAllocatorDestroyDesc of the Ascend runtime API.
 */
aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc);

/**
 * Sets the object that is passed to the allocator's functions.
 *
 * @param allocatorDesc from aclrtAllocatorCreateDesc.
 * @param allocator any pointer; may be null. The caller keeps ownership; the library does not access it.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `allocatorDesc` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a description, or destroyed.
 * @note Thread-safe. Follows aclrtAllocatorSetObjToDesc of the Ascend runtime API.
 */
aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator);

/**
 * Sets the function that allocates. It gets the allocator's object and a size in bytes, and returns a block, or null.
 *
 * @param allocatorDesc from aclrtAllocatorCreateDesc.
 * @param func the function. This library never calls it.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a description, or destroyed.
 * @note Thread-safe. Follows aclrtAllocatorSetAllocFuncToDesc of the Ascend runtime API.
 */
aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocFunc func);

/**
 * Sets the function that frees a block. It gets the object and the block.
 *
 * @param allocatorDesc from aclrtAllocatorCreateDesc.
 * @param func the function. This library never calls it.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a description, or destroyed.
 * @note Thread-safe. Follows aclrtAllocatorSetFreeFuncToDesc of the Ascend runtime API.
 */
aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorFreeFunc func);

/**
 * Sets the function that allocates near an address, if possible. It gets the object, a size in bytes and the address,
 * and returns a block, or null. This function is optional.
 *
 * @param allocatorDesc from aclrtAllocatorCreateDesc.
 * @param func the function. This library never calls it.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a description, or destroyed.
 * @note Thread-safe. Follows aclrtAllocatorSetAllocAdviseFuncToDesc of the Ascend runtime API.
 */
aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocAdviseFunc func);

/**
 * Sets the function that returns the address of a block's memory.
 *
 * @param allocatorDesc from aclrtAllocatorCreateDesc.
 * @param func the function. This library never calls it.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a description, or destroyed.
 * @note Thread-safe. Follows aclrtAllocatorSetGetAddrFromBlockFuncToDesc of the Ascend runtime API.
 */
aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                     aclrtAllocatorGetAddrFromBlockFunc func);

/**
 * Registers an allocator for a stream. The call copies the description: later changes of the description have no
 * effect on the registration. Libraries whose work on the stream needs memory get the allocator by
 * aclrtAllocatorGetByStream. This library allocates nothing from it and never calls its functions. A stream has at
 * most one allocator; the registration ends with the stream.
 *
 * @param stream a stream of aclrtCreateStream or one of its variants.
 * @param allocatorDesc a description with at least the functions that allocate, free and return addresses.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream or not a description, destroyed, one of the three functions
 *     is missing, the stream already has an allocator, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtAllocatorRegister of the Ascend runtime API.
 */
aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc);

/**
 * Ends a registration of aclrtAllocatorRegister. Succeeds for a stream that went with its context or device, until
 * that is destroyed late: docs/failures.md.
 *
 * @param stream a stream with an allocator.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a stream, destroyed, without an allocator, or called inside a host
 *     function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @note Thread-safe. Follows aclrtAllocatorUnregister of the Ascend runtime API.
 */
aclError aclrtAllocatorUnregister(aclrtStream stream);

/**
 * Returns the allocator that is registered for a stream.
 *
 * @param stream a stream with an allocator.
 * @param allocatorDesc receives the description that was registered; it may already be destroyed.
 * @param allocator receives the object to pass to the functions.
 * @param allocFunc receives the function that allocates.
 * @param freeFunc receives the function that frees a block.
 * @param allocAdviseFunc receives the function that allocates near an address; null if there is none.
 * @param getAddrFromBlockFunc receives the function that returns the address of a block.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000, ACL_ERROR_RT_CONTEXT_NULL 107002 and ACL_ERROR_RT_STREAM_CONTEXT 107003:
 *     as aclrtAllocatorUnregister.
 * @note Thread-safe. Follows aclrtAllocatorGetByStream of the Ascend runtime API.
 */
aclError aclrtAllocatorGetByStream(aclrtStream stream,
                                   aclrtAllocatorDesc *allocatorDesc,
                                   aclrtAllocator *allocator,
                                   aclrtAllocatorAllocFunc *allocFunc,
                                   aclrtAllocatorFreeFunc *freeFunc,
                                   aclrtAllocatorAllocAdviseFunc *allocAdviseFunc,
                                   aclrtAllocatorGetAddrFromBlockFunc *getAddrFromBlockFunc);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PORTACL_ACL_RT_ALLOCATOR_H */
