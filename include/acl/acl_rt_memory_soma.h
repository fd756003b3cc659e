/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * Stream-ordered memory pools.
 *
 * A function that returns aclError returns ACL_SUCCESS 0, or a code that its comment lists. Most can also return
 * ACL_ERROR_BAD_ALLOC 200000 (the host has no memory left), ACL_ERROR_INTERNAL_ERROR 500000 (a defect of portacl), and
 * in a forked child ACL_ERROR_RT_PARAM_INVALID 107000 (its parent has opened a device or started the CUDA driver:
 * docs/compatibility.md). The first call that needs a device opens the backend, and can return the codes of aclInit;
 * the first one of a thread that gets the default device, those of aclrtSetDevice; one that meets a captured stream or
 * event, those of captures (docs/errors.md). aclGetRecentErrMsg returns the text of the failure.
 */

#ifndef PORTACL_ACL_RT_MEMORY_SOMA_H
#define PORTACL_ACL_RT_MEMORY_SOMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "acl_rt.h"

/** Attributes of a pool. */
typedef enum aclrtMemPoolAttr {
    /** Memory that was freed in one stream is reused in another that waits for it by an event. */
    ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
    ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC = 2, /**< Memory is reused in another stream when its free is complete. */
    /** The pool adds waits to reuse memory in another stream. */
    ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
    ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD = 4, /**< Bytes that the pool keeps when streams are synchronized. */
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT = 5, /**< Bytes that the pool has from its device. */
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH = 6, /**< The maximum of these bytes; can be set to 0. */
    ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT = 7, /**< Bytes of the pool in use. */
    ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH = 8, /**< The maximum of the bytes in use; can be set to 0. */
} aclrtMemPoolAttr;

/** A pool of device memory. */
typedef void *aclrtMemPool;

/** Properties of a pool. */
typedef struct aclrtMemPoolProps {
    aclrtMemAllocationType allocType; /**< ACL_MEM_ALLOCATION_TYPE_PINNED or PORTACL_MEM_ALLOCATION_TYPE_MANAGED. */
    aclrtMemHandleType handleType; /**< How its memory can be shared. */
    aclrtMemLocation location; /**< The location. */
    size_t maxSize; /**< Maximum size in bytes; 0 is no limit. */
    unsigned char reserved[32]; /**< Reserved. */
} aclrtMemPoolProps;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Creates a pool. It is empty at first. It allocates memory from its device in segments (on the CPU usually 32 MiB or
 * more), and its attributes determine how long it keeps them. docs/mem_pool.md describes the rules of pools.
 *
 * @param memPool receives the pool, which lives until aclrtMemPoolDestroy, or until its device is reset (a pool of
 *     host memory: until aclFinalize).
 * @param poolProps the properties of the pool; not needed after the call. `allocType`: ACL_MEM_ALLOCATION_TYPE_PINNED;
 *     PORTACL_MEM_ALLOCATION_TYPE_MANAGED for managed memory. `location`: ACL_MEM_LOCATION_TYPE_DEVICE with the id of
 *     a device that is set; ACL_MEM_LOCATION_TYPE_HOST for host memory, with any id; ACL_MEM_LOCATION_TYPE_HOST_NUMA
 *     with the number of a NUMA node; PORTACL_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT for the calling thread's node. For
 *     managed memory it is a preference, or ACL_MEM_LOCATION_TYPE_MANAGED for none; if it is no device, the pool
 *     belongs to the current one. `handleType`: ACL_MEM_HANDLE_TYPE_NONE; ACL_MEM_HANDLE_TYPE_POSIX for a pool that
 *     portaclMemPoolExportToShareableHandle can export, or PORTACL_MEM_HANDLE_TYPE_FABRIC if the driver supports it:
 *     both not with ACL_MEM_LOCATION_TYPE_HOST. `maxSize`: maximum size in bytes, on the CPU rounded up to a multiple
 *     of 2 MiB; 0: no limit. For managed memory `handleType` and `maxSize` must be 0. `reserved` is ignored.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or invalid or contradictory properties.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize, or for managed memory that prefers no device without a
 *     current context.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: memory cannot be shared in this way here, or the driver does not
 *     support such pools.
 * @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: the driver has no memory for it.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no more pools can be created, or no descriptor is available for a pool that can
 *     be shared.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Follows aclrtMemPoolCreate of the Ascend runtime API, and cudaMemPoolCreate where that is silent.
 */
aclError aclrtMemPoolCreate(aclrtMemPool *memPool, const aclrtMemPoolProps *poolProps);

/**
 * Destroys a pool. Returns at once: the handle is invalid, memory in use stays valid until the program frees it, and
 * the last free releases the pool's memory to the device. If it was the current pool of its device or location, the
 * default pool becomes current. If the pool was already released with its device or session, the first call succeeds
 * and does nothing: docs/failures.md.
 *
 * @param memPool a pool of aclrtMemPoolCreate, or an imported one.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `memPool` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a live pool, a default pool, or called inside a host function.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: its memory could not be released; the pool is destroyed anyway.
 * @note Thread-safe. Follows aclrtMemPoolDestroy of the Ascend runtime API, and cudaMemPoolDestroy where that is
 *     silent.
 */
aclError aclrtMemPoolDestroy(aclrtMemPool memPool);

/**
 * Allocates memory from a pool. The address is valid when this returns: for later operations of the stream, and for
 * operations of other streams that are ordered after them. The contents are undefined. Memory that was freed in the
 * same stream is reused at once; memory that was freed in other streams as the attributes of the pool allow.
 *
 * @param ptr receives the address, aligned to 512 bytes on the CPU and to at least 256 bytes on GPUs.
 * @param size bytes, at least 1; rounded up to a multiple of 512.
 * @param memPool a pool. It may be on another device than the stream: then the memory is on the pool's device, and
 *     operations of the stream's device need access to it (portaclMemPoolSetAccess).
 * @param stream a stream of the current device; null: the default stream of the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `ptr` or `memPool` is null, or `size` is 0.
 * @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: the pool is at its maxSize, or no device memory is left. Before this
 *     error the call waits for pending frees that complete without the program, and releases free segments, unless
 *     no free can help (docs/mem_pool.md).
 * @retval ACL_ERROR_BAD_ALLOC 200000: no host memory is left.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `memPool` is not a live pool or is imported, `stream` is not a live
 *     stream, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @retval ACL_ERROR_RT_NO_EVENT_RESOURCE 207007: no event is available for a wait that the memory needs.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the stream's capture was invalidated.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the stream is captured into a graph that cannot contain it.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015, or another code: the device has failed, or a memory hook refuses, with
 *     this code.
 * @note Thread-safe. Follows aclrtMemPoolMallocAsync of the Ascend runtime API, and cudaMallocFromPoolAsync where that
 *     is silent.
 */
aclError aclrtMemPoolMallocAsync(void **ptr, size_t size, aclrtMemPool memPool, aclrtStream stream);

/**
 * Frees pool memory in stream order: earlier operations of the stream still use it, and so do operations of other
 * streams that the program has ordered before. The address is invalid for calls from now on. Unless it is the last
 * memory of a destroyed pool, the call releases no memory to the device; the next synchronize does, according to the
 * release threshold. aclrtFree also accepts memory of a pool, and frees it at once: the caller must ensure that
 * nothing uses it. On CUDA the library may forward the free to the driver later (docs/mem_pool.md); if the driver
 * then refuses it, aclrtResetDevice returns the error.
 *
 * @param ptr the start of pool memory; the pool may already be destroyed.
 * @param stream a stream of the current device that is ordered after all uses of the memory; null: the default stream
 *     of the current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `ptr` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: no live pool memory begins at `ptr`, `stream` is not a live stream,
 *     or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @retval ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903: the stream's capture was invalidated.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the stream is captured into a graph that cannot contain it.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015, or another code: the device has failed, or a memory hook refuses, with
 *     this code.
 * @note Thread-safe. Follows aclrtMemPoolFreeAsync of the Ascend runtime API, and cudaFreeAsync where that is silent.
 */
aclError aclrtMemPoolFreeAsync(void *ptr, aclrtStream stream);

/**
 * Sets an attribute of a pool.
 *
 * @param memPool a pool.
 * @param attr the attribute. ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES,
 *     ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC and ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES: whether memory
 *     that was freed in one stream is reused in another stream that events order after the free; whose free is
 *     complete; that the pool makes wait for the free. All three are 1 initially.
 *     ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD: bytes that the pool keeps when a stream, an event or a device is
 *     synchronized; initially 0. ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH and ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH can be
 *     set to 0, which resets them to the current value.
 * @param value pointer to an `int`, 0 or 1, for the first three, and to a `uint64_t` for the others. Only read.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, an unknown or read-only attribute, or an invalid value.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a live pool, an imported pool, or called inside a host function.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015, or another code: the device has failed, with this code.
 * @note Thread-safe. Follows aclrtMemPoolSetAttr of the Ascend runtime API.
 */
aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value);

/**
 * Returns an attribute of a pool.
 *
 * @param memPool a pool.
 * @param attr the attribute: those of aclrtMemPoolSetAttr, and in bytes ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, the
 *     memory that the pool has from its device, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, the memory in use by programs
 *     (until the call that frees it, whenever the stream reaches the free), and the maximum of both,
 *     ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH and ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH.
 * @param value receives an `int` for the three switches, a `uint64_t` for the others.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown attribute.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a live pool, an imported pool, or called inside a host function.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015, or another code: the device has failed, with this code.
 * @note Thread-safe. Follows aclrtMemPoolGetAttr of the Ascend runtime API.
 */
aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value);

/**
 * Releases unused pool memory to its device, at once. Memory counts as in use until the host has observed that
 * its free completed, by synchronizing the stream, or something that is ordered after it.
 *
 * @param memPool a pool.
 * @param minBytesToKeep minimum bytes that the pool keeps, if it has that much; it also keeps all memory in use, and
 *     the rest of the same segments.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `memPool` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a live pool, or called inside a host function.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015, or another code: the device has failed, with this code.
 * @note Thread-safe. Follows aclrtMemPoolTrimTo of the Ascend runtime API, and cudaMemPoolTrimTo where that is silent.
 */
aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PORTACL_ACL_RT_MEMORY_SOMA_H */
