/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Shorter forms of common calls for C++: typed pointers, and defaults for what is
 * mostly the same. Each calls a C function, usually that of the same name, which does the work and the checks; a C
 * compiler sees acl_rt.h only.
 */

#ifndef PORTACL_ACL_RT_API_H
#define PORTACL_ACL_RT_API_H

#include "acl_rt.h"

#ifdef __cplusplus

/**
 * aclrtMalloc for a typed pointer.
 *
 * @param devPtr receives the address.
 * @param size bytes, not elements.
 * @param policy the page size policy.
 * @return the codes of aclrtMalloc.
 */
template <typename T>
inline aclError aclrtMalloc(T** devPtr, size_t size,
                            aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST) {
    void* memory = nullptr;
    const aclError code = ::aclrtMalloc(devPtr == nullptr ? nullptr : &memory, size, policy);
    if (code == ACL_SUCCESS) {
        *devPtr = static_cast<T*>(memory);
    }
    return code;
}

/**
 * aclrtMallocHost for a typed pointer.
 *
 * @param hostPtr receives the address.
 * @param size bytes, not elements.
 * @return the codes of aclrtMallocHost.
 */
template <typename T>
inline aclError aclrtMallocHost(T** hostPtr, size_t size) {
    void* memory = nullptr;
    const aclError code = ::aclrtMallocHost(hostPtr == nullptr ? nullptr : &memory, size);
    if (code == ACL_SUCCESS) {
        *hostPtr = static_cast<T*>(memory);
    }
    return code;
}

/**
 * aclrtMemAllocManaged for a typed pointer.
 *
 * @param ptr receives the address.
 * @param size bytes, not elements.
 * @return the codes of aclrtMemAllocManaged.
 */
template <typename T>
inline aclError aclrtMemAllocManaged(T** ptr, uint64_t size) {
    void* memory = nullptr;
    const aclError code =
        ::aclrtMemAllocManaged(ptr == nullptr ? nullptr : &memory, size, ACL_RT_MEM_ATTACH_GLOBAL);
    if (code == ACL_SUCCESS) {
        *ptr = static_cast<T*>(memory);
    }
    return code;
}

/**
 * aclrtMemcpy to a destination that has room for `count` bytes.
 *
 * @param dst destination.
 * @param src source.
 * @param count bytes.
 * @param kind the direction; by default derived from the addresses.
 * @return the codes of aclrtMemcpy.
 */
inline aclError aclrtMemcpy(void* dst, const void* src, size_t count,
                            aclrtMemcpyKind kind = ACL_MEMCPY_DEFAULT) {
    return ::aclrtMemcpy(dst, count, src, count, kind);
}

/**
 * aclrtMemcpyAsync to a destination that has room for `count` bytes; the direction is
 * derived from the addresses.
 *
 * @param dst destination.
 * @param src source.
 * @param count bytes.
 * @param stream the stream; null: the default stream.
 * @return the codes of aclrtMemcpyAsync.
 */
inline aclError aclrtMemcpyAsync(void* dst, const void* src, size_t count, aclrtStream stream) {
    return ::aclrtMemcpyAsync(dst, count, src, count, ACL_MEMCPY_DEFAULT, stream);
}

/**
 * aclrtMemcpyAsync to a destination that has room for `count` bytes.
 *
 * @param dst destination.
 * @param src source.
 * @param count bytes.
 * @param kind the direction.
 * @param stream the stream; null: the default stream.
 * @return the codes of aclrtMemcpyAsync.
 */
inline aclError aclrtMemcpyAsync(void* dst, const void* src, size_t count, aclrtMemcpyKind kind,
                                 aclrtStream stream) {
    return ::aclrtMemcpyAsync(dst, count, src, count, kind, stream);
}

/**
 * aclrtMemset on memory that has room for `count` bytes.
 *
 * @param devPtr first byte.
 * @param value the value to write.
 * @param count bytes.
 * @return the codes of aclrtMemset.
 */
inline aclError aclrtMemset(void* devPtr, int32_t value, size_t count) {
    return ::aclrtMemset(devPtr, count, value, count);
}

/**
 * aclrtMemsetAsync on memory that has room for `count` bytes.
 *
 * @param devPtr first byte.
 * @param value the value to write.
 * @param count bytes.
 * @param stream the stream; null: the default stream.
 * @return the codes of aclrtMemsetAsync.
 */
inline aclError aclrtMemsetAsync(void* devPtr, int32_t value, size_t count, aclrtStream stream) {
    return ::aclrtMemsetAsync(devPtr, count, value, count, stream);
}

/**
 * aclrtCreateStream with a priority.
 *
 * @param stream receives the handle.
 * @param priority ignored, as in aclrtCreateStreamWithConfig.
 * @return the codes of aclrtCreateStreamWithConfig.
 */
inline aclError aclrtCreateStream(aclrtStream* stream, uint32_t priority) {
    return ::aclrtCreateStreamWithConfig(stream, priority,
                                         ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC);
}

/**
 * aclrtCreateEvent with ACL_EVENT_* flags.
 *
 * @param event receives the handle.
 * @param flag the flags.
 * @return the codes of aclrtCreateEventExWithFlag.
 */
inline aclError aclrtCreateEvent(aclrtEvent* event, uint32_t flag) {
    return ::aclrtCreateEventExWithFlag(event, flag);
}

#endif /* __cplusplus */

#endif /* PORTACL_ACL_RT_API_H */
