/* SPDX-License-Identifier: Apache-2.0 */
/* Made from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * Allocators of the caller, registered for streams.
 */

#ifndef PORTACL_ACL_RT_ALLOCATOR_H
#define PORTACL_ACL_RT_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "acl_base.h"

/**
 * Allocates that many bytes; gives a block.
 */
typedef void *(*aclrtAllocatorAllocFunc)(aclrtAllocator, size_t);

/**
 * Gives a block back.
 */
typedef void (*aclrtAllocatorFreeFunc)(aclrtAllocator, aclrtAllocatorBlock);

/**
 * Allocates that many bytes, near an address if it can.
 */
typedef void *(*aclrtAllocatorAllocAdviseFunc)(aclrtAllocator, size_t, aclrtAllocatorAddr);

/**
 * The address of a block.
 */
typedef void *(*aclrtAllocatorGetAddrFromBlockFunc)(aclrtAllocatorBlock);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes the description of an allocator of the caller's, to be filled in by the aclrtAllocatorSet* functions
 * and registered for streams. Works at any time; it lives until it is destroyed, also through aclFinalize.
 *
 * @return the description, for aclrtAllocatorDestroyDesc to end; null if no more can be made
 * (aclGetRecentErrMsg says so, ACL_ERROR_BAD_ALLOC 200000). Thread-safe. Follows aclrtAllocatorCreateDesc of
 * the Ascend runtime API.
 */
aclrtAllocatorDesc aclrtAllocatorCreateDesc(void);

/**
 * Ends the description of an allocator. Streams that it was registered for keep the allocator.
 *
 * @param allocatorDesc from aclrtAllocatorCreateDesc.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * description, or destroyed before. Thread-safe. Follows aclrtAllocatorDestroyDesc of the Ascend runtime API.
 */
aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc);

/**
 * Sets the object that an allocator's functions receive.
 *
 * @param allocatorDesc from aclrtAllocatorCreateDesc.
 * @param allocator whatever the functions want; may be null. It stays the caller's, and is not looked at.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `allocatorDesc` is null; ACL_ERROR_RT_PARAM_INVALID
 * 107000: not a description, or destroyed. Thread-safe. Follows aclrtAllocatorSetObjToDesc of the Ascend
 * runtime API.
 */
aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc,
                                    aclrtAllocator allocator);

/**
 * Sets the function that allocates: it gets the allocator's object and a size in bytes and returns a block, or
 * null.
 *
 * @param allocatorDesc from aclrtAllocatorCreateDesc.
 * @param func the function. This library never calls it.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * description, or destroyed. Thread-safe. Follows aclrtAllocatorSetAllocFuncToDesc of the Ascend runtime API.
 */
aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                          aclrtAllocatorAllocFunc func);

/**
 * Sets the function that takes a block back: it gets the object and the block.
 *
 * @param allocatorDesc from aclrtAllocatorCreateDesc.
 * @param func the function. This library never calls it.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * description, or destroyed. Thread-safe. Follows aclrtAllocatorSetFreeFuncToDesc of the Ascend runtime API.
 */
aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                         aclrtAllocatorFreeFunc func);

/**
 * Sets the function that allocates near an address, if it can: it gets the object, a size in bytes and the
 * address, and returns a block, or null. An allocator may do without it.
 *
 * @param allocatorDesc from aclrtAllocatorCreateDesc.
 * @param func the function. This library never calls it.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * description, or destroyed. Thread-safe. Follows aclrtAllocatorSetAllocAdviseFuncToDesc of the Ascend runtime
 * API.
 */
aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                aclrtAllocatorAllocAdviseFunc func);

/**
 * Sets the function that tells the address of a block's memory.
 *
 * @param allocatorDesc from aclrtAllocatorCreateDesc.
 * @param func the function. This library never calls it.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a
 * description, or destroyed. Thread-safe. Follows aclrtAllocatorSetGetAddrFromBlockFuncToDesc of the Ascend
 * runtime API.
 */
aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                     aclrtAllocatorGetAddrFromBlockFunc func);

/**
 * Registers an allocator for a stream, as its description is now: what is set there later does not change it.
 * aclrtAllocatorGetByStream gives it to libraries whose work on the stream needs memory; this library itself
 * takes no memory from it, and never calls its functions. A stream has one allocator at most, which goes with
 * the stream.
 *
 * @param stream a stream of aclrtCreateStream or a relative.
 * @param allocatorDesc a description with the functions to allocate, to free and to tell addresses.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream
 * or not a description, destroyed, one of the three functions is not set, the stream has an allocator, or
 * called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context;
 * ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context. Thread-safe.
 * Follows aclrtAllocatorRegister of the Ascend runtime API.
 */
aclError aclrtAllocatorRegister(aclrtStream stream,
                                aclrtAllocatorDesc allocatorDesc);

/**
 * Takes back aclrtAllocatorRegister.
 *
 * @param stream a stream with an allocator.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a stream,
 * destroyed, without an allocator, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
 * current context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current
 * context. Thread-safe. Follows aclrtAllocatorUnregister of the Ascend runtime API.
 */
aclError aclrtAllocatorUnregister(aclrtStream stream);

/**
 * Tells the allocator that is registered for a stream, for those who are to take memory from it.
 *
 * @param stream a stream with an allocator.
 * @param allocatorDesc receives the description that was registered; it may have been destroyed since.
 * @param allocator receives the object that the functions want.
 * @param allocFunc receives the function that allocates.
 * @param freeFunc receives the function that takes a block back.
 * @param allocAdviseFunc receives the function that allocates near an address; null if there is none.
 * @param getAddrFromBlockFunc receives the function that tells a block's address.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000,
 * ACL_ERROR_RT_CONTEXT_NULL 107002 and ACL_ERROR_RT_STREAM_CONTEXT 107003 as aclrtAllocatorUnregister.
 * Thread-safe. Follows aclrtAllocatorGetByStream of the Ascend runtime API.
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
