/* SPDX-License-Identifier: Apache-2.0 */
/* Made from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * What portacl offers beyond the Ascend runtime API. Every name begins with portacl.
 */

#ifndef PORTACL_PORTACL_PORTACL_H
#define PORTACL_PORTACL_PORTACL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../acl/acl_rt_memory_soma.h"

/**
 * For aclrtMemPoolProps::handleType: the memory can be shared with other machines, where the driver can do
 * that.
 */
#define PORTACL_MEM_HANDLE_TYPE_FABRIC 8

/**
 * An allocation of a shared pool, named for another process. Plain bytes: they may travel anyhow.
 */
typedef struct portaclMemPoolPtrExportData {
    /**
     * Size of this structure in bytes; the caller sets it before either call.
     */
    size_t size;
    /**
     * What names the allocation.
     */
    unsigned char data[64];
} portaclMemPoolPtrExportData;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Which backend this process uses: `"cpu"` or `"cuda"`. Decided by `PORTACL_BACKEND` and the machine when
 * the library opens its backend; this call opens it if nothing has yet.
 *
 * @return a zero-terminated text that stays valid for the life of the process; null if there is no usable
 * backend, or after aclFinalize: aclGetRecentErrMsg says why. Thread-safe.
 */
const char *portaclBackendName(void);

/**
 * Tells what a device is, for a person: the GPU's name, or how many cores the CPU device has.
 *
 * @param deviceId 0 to the number of devices less 1; it need not be set.
 * @param name receives a zero-terminated text, cut to `size` where it is longer.
 * @param size room at `name` in bytes, at least 1; 128 is plenty.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `name` is null or `size` is 0;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host
 * function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no
 * usable device, or the driver does not answer. Thread-safe.
 */
aclError portaclDeviceName(int32_t deviceId,
                           char *name,
                           size_t size);

/**
 * Gives the name of a return code, such as `"ACL_ERROR_RT_PARAM_INVALID"` for 107000.
 *
 * @param code what a call has returned.
 * @return a zero-terminated text that stays valid for the life of the process; null for a number that is no
 * code of this API. Works at any time, also in a forked child. Thread-safe.
 */
const char *portaclErrorName(aclError code);

/**
 * Notes that a release has failed where nobody can be told, such as in a C++ destructor. The failure is
 * counted, its text is taken from the calling thread (aclGetRecentErrMsg gives null afterwards), and both are
 * part of the leak report.
 *
 * @param call the function that failed; null: not known.
 * @param code what it has returned.
 * @return how many such failures there were since the process began, this one included; 0 in a forked child,
 * where none is noted. Thread-safe.
 */
uint64_t portaclNoteReleaseFailure(const char *call,
                                   aclError code);

/**
 * Tells how many failures portaclNoteReleaseFailure has noted since the process began.
 *
 * @return how many; 0 in a forked child. Thread-safe.
 */
uint64_t portaclReleaseFailures(void);

/**
 * Gives the CUDA driver's own number of a device, a `CUdevice`.
 *
 * @param deviceId 0 to the number of devices less 1; it need not be set.
 * @param native receives the number.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `native` is null; ACL_ERROR_RT_INVALID_DEVICEID 107001: no
 * such device; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the
 * backend is `cpu`, which has no driver below it. Thread-safe.
 */
aclError portaclDeviceGetNative(int32_t deviceId,
                                int32_t *native);

/**
 * Gives the CUDA driver's own context, a `CUcontext`: the primary context of the context's device, which all
 * contexts of a device share. It stays the library's: the caller makes it current where it likes, and does not
 * release it. Valid until the device is reset.
 *
 * @param context a context; null: the calling thread's current one.
 * @param native receives the `CUcontext`.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `native` is null; ACL_ERROR_RT_PARAM_INVALID 107000: `context`
 * is no live context; ACL_ERROR_RT_CONTEXT_NULL 107002: it is null and the thread has none;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, which has no driver below it. Thread-safe.
 */
aclError portaclContextGetNative(aclrtContext context,
                                 void **native);

/**
 * Gives the CUDA driver's own stream, a `CUstream`, which the caller may give work of its own: it runs in the
 * order in which both sides queue, and synchronising or querying the stream here waits for it and sees it. The
 * stream stays the library's: it is not to be destroyed. Valid until aclrtDestroyStream. From then on every
 * query asks the driver, which costs a driver call where the library would know the answer.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param native receives the `CUstream`.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `native` is null; ACL_ERROR_RT_PARAM_INVALID 107000: `stream`
 * is no live stream, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current
 * context; ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, which has no driver below it. Thread-safe.
 */
aclError portaclStreamGetNative(aclrtStream stream,
                                void **native);

/**
 * Makes a stream around one of the CUDA driver's: from another library, say. What both sides queue runs in the
 * order in which it is queued. aclrtDestroyStream, and a reset of the device, end the stream made here and leave
 * the driver's alone; the caller destroys that one after it.
 *
 * @param native a `CUstream` of the primary context of the current device; not the driver's default streams. It
 * has to be live: what is no stream of the driver cannot be told from one.
 * @param stream receives the stream, which belongs to the calling thread's current context.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `native` or `stream` is null; ACL_ERROR_RT_CONTEXT_NULL 107002:
 * the thread has no current context; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function;
 * ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more streams; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is
 * `cpu`, or the driver is too old; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses, or the stream is of
 * another context. Thread-safe.
 */
aclError portaclStreamWrapNative(void *native,
                                 aclrtStream *stream);

/**
 * Gives the CUDA driver's own event, a `CUevent`, for the driver's functions that query or wait for events. It
 * stays the library's: it is recorded by aclrtRecordEvent, or calls here do not know of the record, and it is not
 * to be destroyed. Valid until aclrtDestroyEvent.
 *
 * @param event an event.
 * @param native receives the `CUevent`.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `event` or `native` is null; ACL_ERROR_RT_PARAM_INVALID 107000:
 * `event` is no live event; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, which has no driver below
 * it. Thread-safe.
 */
aclError portaclEventGetNative(aclrtEvent event,
                               void **native);

/**
 * Takes memory from the current pool of the stream's device, usable in the stream's order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError portaclMallocAsync(void **ptr, size_t size, aclrtStream stream);

/**
 * Gives memory back to its pool, in stream order.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError portaclFreeAsync(void *ptr, aclrtStream stream);

/**
 * Gives the pool that a device has from the beginning.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError portaclDeviceGetDefaultMemPool(aclrtMemPool *memPool, int32_t deviceId);

/**
 * Gives the pool that portaclMallocAsync takes memory from.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError portaclDeviceGetMemPool(aclrtMemPool *memPool, int32_t deviceId);

/**
 * Sets the pool that portaclMallocAsync takes memory from.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError portaclDeviceSetMemPool(int32_t deviceId, aclrtMemPool memPool);

/**
 * Sets which devices may use the memory of a pool.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError portaclMemPoolSetAccess(aclrtMemPool memPool,
                                 const aclrtMemAccessDesc *descList,
                                 size_t count);

/**
 * Tells how a device may use the memory of a pool.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError portaclMemPoolGetAccess(aclrtMemAccessFlags *flags,
                                 aclrtMemPool memPool,
                                 const aclrtMemLocation *location);

/**
 * Makes a pool known to other processes.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError portaclMemPoolExportToShareableHandle(void *shareableHandle,
                                               aclrtMemPool memPool,
                                               aclrtMemHandleType handleType,
                                               uint32_t flags);

/**
 * Gives the pool that another process has exported.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError portaclMemPoolImportFromShareableHandle(aclrtMemPool *memPool,
                                                 void *shareableHandle,
                                                 aclrtMemHandleType handleType,
                                                 uint32_t flags);

/**
 * Names an allocation of an exported pool for other processes.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError portaclMemPoolExportPointer(portaclMemPoolPtrExportData *exportData, void *ptr);

/**
 * Gives the allocation that another process has named.
 *
 * @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
 */
aclError portaclMemPoolImportPointer(void **ptr,
                                     aclrtMemPool memPool,
                                     const portaclMemPoolPtrExportData *exportData);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PORTACL_PORTACL_PORTACL_H */
