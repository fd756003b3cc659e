/* SPDX-License-Identifier: Apache-2.0 */
/* Made from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * Pools of device memory, used in stream order.
 */

#ifndef PORTACL_ACL_RT_MEMORY_SOMA_H
#define PORTACL_ACL_RT_MEMORY_SOMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "acl_rt.h"

/**
 * Attributes of a pool.
 */
typedef enum aclrtMemPoolAttr {
    /**
     * Memory freed in one stream is used in another that waits for it by event.
     */
    ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
    /**
     * Memory is used in another stream when its free has happened.
     */
    ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC = 2,
    /**
     * Waits are added so that memory can be used in another stream.
     */
    ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
    /**
     * Bytes that the pool keeps when streams are synchronised.
     */
    ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD = 4,
    /**
     * Bytes that the pool has now.
     */
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT = 5,
    /**
     * Most bytes that the pool had; can be set to 0.
     */
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH = 6,
    /**
     * Bytes of the pool that are in use now.
     */
    ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT = 7,
    /**
     * Most bytes of the pool that were in use; can be set to 0.
     */
    ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH = 8,
} aclrtMemPoolAttr;

/**
 * A pool of device memory.
 */
typedef void *aclrtMemPool;

/**
 * How a pool is wanted.
 */
typedef struct aclrtMemPoolProps {
    /**
     * Must be ACL_MEM_ALLOCATION_TYPE_PINNED.
     */
    aclrtMemAllocationType allocType;
    /**
     * How its memory will be shared.
     */
    aclrtMemHandleType handleType;
    /**
     * Where.
     */
    aclrtMemLocation location;
    /**
     * Most bytes; 0 is no limit.
     */
    size_t maxSize;
    /**
     * Not used.
     */
    unsigned char reserved[32];
} aclrtMemPoolProps;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a pool.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemPoolCreate(aclrtMemPool *memPool, const aclrtMemPoolProps *poolProps);

/**
 * Ends a pool.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemPoolDestroy(aclrtMemPool memPool);

/**
 * Takes memory from a pool, usable in the stream's order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemPoolMallocAsync(void **ptr, size_t size, aclrtMemPool memPool, aclrtStream stream);

/**
 * Gives memory back to its pool, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemPoolFreeAsync(void *ptr, aclrtStream stream);

/**
 * Sets an attribute of a pool.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value);

/**
 * Tells an attribute of a pool.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value);

/**
 * Releases memory that a pool keeps but does not use.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PORTACL_ACL_RT_MEMORY_SOMA_H */
