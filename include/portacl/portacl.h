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
 * The version of portacl that this header belongs to: the major number. ACL_MAJOR_VERSION is that of the Ascend
 * runtime API instead.
 */
#define PORTACL_VERSION_MAJOR 0

/**
 * The minor number of the version of portacl.
 */
#define PORTACL_VERSION_MINOR 1

/**
 * The patch number of the version of portacl.
 */
#define PORTACL_VERSION_PATCH 0

/**
 * For aclrtMemPoolProps::handleType: the memory can be shared with other machines, where the driver can do
 * that.
 */
#define PORTACL_MEM_HANDLE_TYPE_FABRIC 8

/**
 * What can be asked about the memory of a device's graphs. All are 64-bit numbers of bytes.
 */
typedef enum portaclGraphMemAttr {
    /**
     * Memory of graphs: what captured streams have taken from pools, until the graph is destroyed, or until it is
     * freed where a run has taken it and the graph is destroyed before. Read only.
     */
    PORTACL_GRAPH_MEM_ATTR_USED_MEM_CURRENT = 0,
    /**
     * The most that this was; can be set to 0, which starts again from the present value.
     */
    PORTACL_GRAPH_MEM_ATTR_USED_MEM_HIGH = 1,
    /**
     * Memory that the device has given for graphs: used, or kept for graphs that are captured later. Read only.
     */
    PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT = 2,
    /**
     * The most that this was; can be set to 0, which starts again from the present value.
     */
    PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH = 3,
} portaclGraphMemAttr;

/**
 * What can be asked about the memory pools of a device.
 */
typedef enum portaclMemPoolSupport {
    /**
     * 1 if there are pools of the device's memory, else 0.
     */
    PORTACL_MEM_POOL_SUPPORT_DEVICE = 0,
    /**
     * For which handle types a pool can be made that is shared: ACL_MEM_HANDLE_TYPE_POSIX 2 and
     * PORTACL_MEM_HANDLE_TYPE_FABRIC 8, added up.
     */
    PORTACL_MEM_POOL_SUPPORT_HANDLE_TYPES = 1,
    /**
     * 1 if there are pools of host memory (ACL_MEM_LOCATION_TYPE_HOST), else 0.
     */
    PORTACL_MEM_POOL_SUPPORT_HOST = 2,
    /**
     * 1 if there are pools of host memory of a NUMA node (ACL_MEM_LOCATION_TYPE_HOST_NUMA), else 0.
     */
    PORTACL_MEM_POOL_SUPPORT_HOST_NUMA = 3,
    /**
     * 1 if other devices on the bus, as network cards, can read and write the device's memory (GPUDirect RDMA), else 0.
     */
    PORTACL_MEM_POOL_SUPPORT_RDMA = 4,
    /**
     * How what those have written is flushed: 1 by the host, 2 by operations of a stream, added up.
     */
    PORTACL_MEM_POOL_SUPPORT_RDMA_FLUSH_WRITES = 5,
    /**
     * For whom what those have written is in order without a flush: 0 nobody, 100 the device, 200 all devices.
     */
    PORTACL_MEM_POOL_SUPPORT_RDMA_WRITES_ORDERING = 6,
} portaclMemPoolSupport;

/**
 * Which memory an allocation is of.
 */
typedef enum portaclMemoryKind {
    /**
     * Memory of a device, from aclrtMalloc and its relatives, and physical memory there.
     */
    PORTACL_MEMORY_DEVICE = 0,
    /**
     * Page-locked host memory, from aclrtMallocHost and its relatives, and physical memory of the host.
     */
    PORTACL_MEMORY_PINNED = 1,
    /**
     * Memory that the host and all devices use, from aclrtMemAllocManaged.
     */
    PORTACL_MEMORY_MANAGED = 2,
    /**
     * Memory of a stream-ordered pool.
     */
    PORTACL_MEMORY_POOL = 3,
    /**
     * Memory that another process has exported: opened by a key of aclrtIpcMemGetExportKey, imported as physical memory,
     * or from a pool.
     */
    PORTACL_MEMORY_IMPORTED = 4,
    /**
     * Memory of graphs: what captured streams take from pools.
     */
    PORTACL_MEMORY_GRAPH = 5,
} portaclMemoryKind;

/**
 * Whose allocations a memory hook is about.
 */
typedef enum portaclMemoryHookScope {
    /**
     * Those of the thread that registers it.
     */
    PORTACL_MEMORY_HOOK_THREAD = 0,
    /**
     * Those of all threads.
     */
    PORTACL_MEMORY_HOOK_PROCESS = 1,
} portaclMemoryHookScope;

/**
 * What a memory hook is called about.
 */
typedef enum portaclMemoryMoment {
    /**
     * Memory is taken from the device or the system.
     */
    PORTACL_MEMORY_ALLOC = 0,
    /**
     * Memory is handed to the program: from the device, or what was kept.
     */
    PORTACL_MEMORY_MALLOC = 1,
    /**
     * Memory is given back by the program.
     */
    PORTACL_MEMORY_FREE = 2,
} portaclMemoryMoment;

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

/**
 * One allocation or release, as memory hooks see it.
 */
typedef struct portaclMemoryEvent {
    /**
     * Bytes of this structure: later versions may have more.
     */
    size_t structSize;
    /**
     * The device, -1 for host memory.
     */
    int32_t deviceId;
    /**
     * Which memory.
     */
    portaclMemoryKind kind;
    /**
     * Bytes that the program asked for; 0 for an alloc and a free.
     */
    size_t size;
    /**
     * Bytes that the memory takes: the same for its malloc, its alloc and its free, and as portaclMemoryGetStats
     * counts them. The alloc of a pool is a segment, and larger.
     */
    size_t roundedSize;
    /**
     * The address; null before an allocation, after one that failed, and of physical memory, which has none.
     */
    void *ptr;
    /**
     * Tells live allocations apart: the address, or the handle of what has none; 0 before an allocation and after one
     * that failed.
     */
    uint64_t memoryId;
    /**
     * The stream in whose order it happens; null where it is none.
     */
    aclrtStream stream;
    /**
     * Bytes of a page; 0 where that is not known, as before an allocation.
     */
    size_t pageSize;
    /**
     * The calling thread, as the system counts it.
     */
    uint64_t thread;
    /**
     * Afterwards: 1 if it has not happened, because it failed or a hook that was asked later refused it; else 0.
     */
    int32_t failed;
} portaclMemoryEvent;

/**
 * Asked before something happens: ACL_SUCCESS, or the code with which it is refused.
 */
typedef aclError (*portaclMemoryHookBefore)(void*, const portaclMemoryEvent*);

/**
 * Told after something has happened, or was tried.
 */
typedef void (*portaclMemoryHookAfter)(void*, const portaclMemoryEvent*);

/**
 * A memory hook. Any of the functions may be null. They are called on the thread that allocates or frees,
 * may call this library, and are then not called about that.
 */
typedef struct portaclMemoryHook {
    /**
     * sizeof(portaclMemoryHook).
     */
    size_t structSize;
    /**
     * By which people know it; copied.
     */
    const char *name;
    /**
     * The first argument of all functions.
     */
    void *userData;
    /**
     * Before memory is taken from the device or the system.
     */
    portaclMemoryHookBefore beforeAlloc;
    /**
     * After it.
     */
    portaclMemoryHookAfter afterAlloc;
    /**
     * Before memory is handed to the program.
     */
    portaclMemoryHookBefore beforeMalloc;
    /**
     * After it.
     */
    portaclMemoryHookAfter afterMalloc;
    /**
     * Before the program gives memory back.
     */
    portaclMemoryHookBefore beforeFree;
    /**
     * After it.
     */
    portaclMemoryHookAfter afterFree;
} portaclMemoryHook;

/**
 * What is known of a registered memory hook.
 */
typedef struct portaclMemoryHookInfo {
    /**
     * sizeof(portaclMemoryHookInfo), set by the caller in the first element.
     */
    size_t structSize;
    /**
     * Its number.
     */
    uint64_t id;
    /**
     * Whose allocations it is about.
     */
    portaclMemoryHookScope scope;
    /**
     * 1 if it is called for those of the calling thread, else 0.
     */
    int32_t isCalledHere;
    /**
     * How often it has refused.
     */
    uint64_t refusals;
    /**
     * How often it has failed where it could refuse nothing.
     */
    uint64_t failures;
    /**
     * Its name, cut to the room there is.
     */
    char name[64];
    /**
     * What the latest of these failures said, cut to the room there is.
     */
    char lastFailure[256];
} portaclMemoryHookInfo;

/**
 * A function of the program in a tree of what uses memory, with all that it called.
 */
typedef struct portaclMemoryProfileNode {
    /**
     * sizeof(portaclMemoryProfileNode), set by the caller in the first element.
     */
    size_t structSize;
    /**
     * How many functions are above it: 0 for the root, which stands for the program.
     */
    uint32_t depth;
    /**
     * The line that made the call, from 1; 0 if that is not known.
     */
    uint32_t line;
    /**
     * Bytes that the program got.
     */
    uint64_t mallocBytes;
    /**
     * In so many mallocs.
     */
    uint64_t mallocCount;
    /**
     * Bytes that were taken from the device or the system for that.
     */
    uint64_t allocBytes;
    /**
     * In so many allocs.
     */
    uint64_t allocCount;
    /**
     * The file that it is in, cut to the room there is; empty if that is not known.
     */
    char file[256];
    /**
     * Its name, or its address where it has none, cut to the room there is; `_root` for the root.
     */
    char function[256];
} portaclMemoryProfileNode;

/**
 * A live allocation, as portaclMemorySnapshot tells of it.
 */
typedef struct portaclMemoryAllocation {
    /**
     * sizeof(portaclMemoryAllocation), set by the caller in the first element.
     */
    size_t structSize;
    /**
     * The first byte; null: physical memory, which has no address of its own.
     */
    void *ptr;
    /**
     * Bytes that the program asked for; 0 if that was not recorded.
     */
    size_t size;
    /**
     * Bytes that it takes, as portaclMemoryGetStats counts them; programs may use fewer.
     */
    size_t roundedSize;
    /**
     * Which memory.
     */
    portaclMemoryKind kind;
    /**
     * The device, -1 for host memory.
     */
    int32_t deviceId;
    /**
     * The pool that it is of, or its handle of before if that was destroyed; null if none.
     */
    aclrtMemPool memPool;
    /**
     * The stream in whose order it was made; null if none, or if that was not recorded.
     */
    aclrtStream stream;
    /**
     * The thread that made it, as the system counts it; 0 if that was not recorded.
     */
    uint64_t thread;
    /**
     * Nanoseconds since then; 0 if that was not recorded.
     */
    uint64_t age;
    /**
     * The function that asked for it, `file:line:function`, cut to the room there is; empty if that was not recorded.
     */
    char callSite[256];
} portaclMemoryAllocation;

/**
 * Takes a line of a report: a zero-terminated text without its end, valid during the call.
 */
typedef void (*portaclLineWriter)(void*, const char*);

/**
 * Statistics of memory of one kind. Those of a device and of its pools begin when the device is set first and end when
 * it is reset, those of host memory with aclInit, or its first use, and aclFinalize.
 */
typedef struct portaclMemoryStats {
    /**
     * sizeof(portaclMemoryStats), set by the caller.
     */
    size_t structSize;
    /**
     * Bytes of live allocations, with what rounding has added.
     */
    uint64_t currentBytes;
    /**
     * How many live allocations there are.
     */
    uint64_t currentCount;
    /**
     * The most that `currentBytes` was. Freed device memory of small blocks that was kept for the next request of
     * its size counts in it (`keptBytes`). Of several pools together: the sum of their peaks, which they need not
     * have had at the same time.
     */
    uint64_t peakBytes;
    /**
     * The most that `currentCount` was, in the same way.
     */
    uint64_t peakCount;
    /**
     * Bytes of all allocations that were made.
     */
    uint64_t totalBytes;
    /**
     * How many allocations were made. Those that were freed are this less `currentCount`.
     */
    uint64_t totalCount;
    /**
     * How many requests could not be served: for want of memory, or because the device or its driver failed. Neither
     * wrong arguments nor what a memory hook refused.
     */
    uint64_t failures;
    /**
     * Bytes that all this takes from the device or the system: live allocations, freed memory that queued work still
     * uses, and what is kept or free in pools. Of device memory, without `keptBytes`, it is what aclrtGetMemUsageInfo
     * tells, so on the CPU what pools take from the device is in it as well. Of page-locked memory, and of pools
     * that were imported, it is `currentBytes`.
     */
    uint64_t reservedBytes;
    /**
     * The most that `reservedBytes` was; of device and managed memory the peak of aclrtGetMemUsageInfo.
     */
    uint64_t peakReservedBytes;
    /**
     * Bytes of `reservedBytes` that the next request may have without the device: freed device memory that waits for
     * a request of its size, and what pools have and nobody uses.
     */
    uint64_t keptBytes;
    /**
     * Pages of 2 MiB that were wanted and could not be had, so that smaller ones serve instead; of device memory. 0 on
     * CUDA, where the driver chooses pages and does not tell.
     */
    uint64_t hugePageFallbacks;
    /**
     * Bytes that were to be locked and could not be, so that they are pageable, registrations included; of
     * page-locked host memory. Never goes down.
     */
    uint64_t unlockedBytes;
} portaclMemoryStats;

/**
 * Statistics of one memory pool.
 */
typedef struct portaclMemoryPoolStats {
    /**
     * sizeof(portaclMemoryPoolStats), set by the caller in the first element.
     */
    size_t structSize;
    /**
     * The pool. After its destruction, as long as some of its memory is live, the handle that it had.
     */
    aclrtMemPool memPool;
    /**
     * 1 if it was destroyed, else 0.
     */
    int32_t isDestroyed;
    /**
     * 1 if another process has made it, else 0.
     */
    int32_t isImported;
    /**
     * What it has, had and gave.
     */
    portaclMemoryStats stats;
} portaclMemoryPoolStats;

/**
 * Live allocations with pages of one size.
 */
typedef struct portaclMemoryPageStats {
    /**
     * sizeof(portaclMemoryPageStats), set by the caller in the first element.
     */
    size_t structSize;
    /**
     * Bytes of a page, as aclrtPointerGetAttributes tells of these allocations.
     */
    uint64_t pageSize;
    /**
     * Their bytes.
     */
    uint64_t bytes;
    /**
     * How many they are.
     */
    uint64_t count;
} portaclMemoryPageStats;

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
 * Writes a picture of a graph for Graphviz (`dot -Tsvg FILE`): a box for each task with its kind, its size and what
 * else there is to say of it, a frame around those of one stream, and an arrow to each task from those that it comes
 * after. Tasks that are disabled have dashed boxes.
 *
 * @param modelRI a graph.
 * @param path the file, which is overwritten.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_INVALID_FILE 100003: the file cannot
 * be written; ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed; ACL_ERROR_RT_MODEL_CAPTURED 107026: it is
 * still being recorded. Thread-safe.
 */
aclError portaclGraphPrintDot(aclmdlRI modelRI,
                              const char *path);

/**
 * Tells how much memory the graphs of a device have: what captured streams have taken from pools on it. That memory
 * belongs to the graphs, and is in no attribute of the pools.
 *
 * @param deviceId a device that is set.
 * @param attr which number.
 * @param value receives bytes.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `value` is null, or `attr` unknown;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, or
 * called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Does what
 * cudaDeviceGetGraphMemAttribute does.
 */
aclError portaclDeviceGetGraphMemAttribute(int32_t deviceId,
                                           portaclGraphMemAttr attr,
                                           uint64_t *value);

/**
 * Lets one of the highest amounts of portaclDeviceGetGraphMemAttribute start again.
 *
 * @param deviceId a device that is set.
 * @param attr PORTACL_GRAPH_MEM_ATTR_USED_MEM_HIGH or PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH.
 * @param value 0.
 * @return as portaclDeviceGetGraphMemAttribute; ACL_ERROR_INVALID_PARAM 100000 also for another value, and for an
 * attribute that can only be read. Thread-safe. Does what cudaDeviceSetGraphMemAttribute does.
 */
aclError portaclDeviceSetGraphMemAttribute(int32_t deviceId,
                                           portaclGraphMemAttr attr,
                                           uint64_t value);

/**
 * Gives back to the device what is reserved for graphs and no graph has.
 *
 * @param deviceId a device that is set.
 * @return as portaclDeviceGetGraphMemAttribute. Thread-safe. Does what cudaDeviceGraphMemTrim does.
 */
aclError portaclDeviceGraphMemTrim(int32_t deviceId);

/**
 * Takes memory from the current pool of the stream's device: as aclrtMemPoolMallocAsync from
 * portaclDeviceGetMemPool.
 *
 * @param ptr receives the address, aligned to 512 bytes on the CPU and to 256 at least on GPUs.
 * @param size bytes, at least 1.
 * @param stream a stream of the current device; null: the default stream of the current context.
 * @return as aclrtMemPoolMallocAsync, and what portaclDeviceGetDefaultMemPool returns where that pool has to be
 * made. Thread-safe. Does what cudaMallocAsync does.
 */
aclError portaclMallocAsync(void **ptr,
                            size_t size,
                            aclrtStream stream);

/**
 * Gives memory back to its pool, whichever that is: another name of aclrtMemPoolFreeAsync.
 *
 * @param ptr the start of memory of a pool.
 * @param stream a stream of the current device, any one that comes behind the uses of the memory; null: the
 * default stream of the current context.
 * @return as aclrtMemPoolFreeAsync. Thread-safe. Does what cudaFreeAsync does.
 */
aclError portaclFreeAsync(void *ptr,
                          aclrtStream stream);

/**
 * Gives the pool that a device has from the beginning. It cannot be destroyed, and goes with the device.
 *
 * @param memPool receives the pool.
 * @param deviceId a device that is set.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `memPool` is null; ACL_ERROR_RT_INVALID_DEVICEID 107001: no
 * such device; ACL_ERROR_RT_PARAM_INVALID 107000: it is not set, or called inside a host function;
 * ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver has no
 * pools; ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_MEMORY_ALLOCATION 207001 and ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899,
 * as from aclrtMemPoolCreate: it is made when it is asked for first. Thread-safe. Does what
 * cudaDeviceGetDefaultMemPool does; on CUDA it is a pool of the library's own, and not the driver's default one.
 */
aclError portaclDeviceGetDefaultMemPool(aclrtMemPool *memPool,
                                        int32_t deviceId);

/**
 * Gives the pool that portaclMallocAsync takes memory from: the one of portaclDeviceSetMemPool, or the default
 * one.
 *
 * @param memPool receives the pool.
 * @param deviceId a device that is set.
 * @return as portaclDeviceGetDefaultMemPool. Thread-safe. Does what cudaDeviceGetMemPool does.
 */
aclError portaclDeviceGetMemPool(aclrtMemPool *memPool,
                                 int32_t deviceId);

/**
 * Sets the pool that portaclMallocAsync takes memory from, for all threads, until the pool is destroyed or the
 * device reset: then the default one is current again.
 *
 * @param deviceId a device that is set.
 * @param memPool a pool on that device, not imported.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `memPool` is null; ACL_ERROR_RT_INVALID_DEVICEID 107001: no
 * such device; ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, `memPool` is no live pool, imported, or
 * not on that device, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * Thread-safe. Does what cudaDeviceSetMemPool does.
 */
aclError portaclDeviceSetMemPool(int32_t deviceId,
                                 aclrtMemPool memPool);

/**
 * Tells what the memory pools of a device can be, before one is made: what cudaDeviceGetAttribute answers for
 * cudaDevAttrMemoryPoolsSupported and its relatives. What is 0 aclrtMemPoolCreate refuses; on CUDA a driver that does
 * not know a question answers 0, and may make such a pool all the same.
 *
 * @param deviceId 0 to the number of devices less 1; it need not be set.
 * @param what the question.
 * @param value receives the answer.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `value` is null, or `what` unknown;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host
 * function; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable
 * device, or the driver does not answer. Thread-safe.
 */
aclError portaclDeviceGetMemPoolSupport(int32_t deviceId,
                                        portaclMemPoolSupport what,
                                        uint64_t *value);

/**
 * Sets which devices may use the memory of a pool, that which it has and that which it will have. At first only
 * the device that it is on may, and none that of a pool of host memory, which the host uses. An operation that
 * reads the memory needs read access of its stream's device, an operation that writes it read-write access; else it
 * fails with ACL_ERROR_RT_PARAM_INVALID and a text.
 *
 * @param memPool a pool.
 * @param descList for each of some devices what it may do from now on: `location` names the device
 * (ACL_MEM_LOCATION_TYPE_DEVICE), `flags` is ACL_RT_MEM_ACCESS_FLAGS_NONE, _READ or _READWRITE. The pool's own
 * device always has both. Not needed afterwards.
 * @param count how many there are, at least 1.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, `count` is 0, a location that is no device, unknown
 * flags, or access taken away from the pool's own device; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device;
 * ACL_ERROR_RT_PARAM_INVALID 107000: no live pool, or called inside a host function;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a device cannot use the other's memory (aclrtDeviceCanAccessPeer);
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. After an argument's error nothing is changed.
 * Thread-safe. Does what cudaMemPoolSetAccess does.
 */
aclError portaclMemPoolSetAccess(aclrtMemPool memPool,
                                 const aclrtMemAccessDesc *descList,
                                 size_t count);

/**
 * Tells how a device, or the host, may use the memory of a pool.
 *
 * @param flags receives ACL_RT_MEM_ACCESS_FLAGS_NONE, _READ or _READWRITE.
 * @param memPool a pool.
 * @param location a device (ACL_MEM_LOCATION_TYPE_DEVICE), or the host (ACL_MEM_LOCATION_TYPE_HOST or _HOST_NUMA,
 * with any id).
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, or another type of location;
 * ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device; ACL_ERROR_RT_PARAM_INVALID 107000: no live pool, or called
 * inside a host function; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. Does what
 * cudaMemPoolGetAccess does.
 */
aclError portaclMemPoolGetAccess(aclrtMemAccessFlags *flags,
                                 aclrtMemPool memPool,
                                 const aclrtMemLocation *location);

/**
 * Gives what another process needs to import a pool. Sharing a pool takes four calls: this one and
 * portaclMemPoolExportPointer here, portaclMemPoolImportFromShareableHandle and
 * portaclMemPoolImportPointer in the other process, which may be of any backend and setting that has the same
 * device. The importers free what they have imported, and wait for that, before this process frees the
 * memory: what an importer still has then stays readable, with contents that nobody promises.
 *
 * @param shareableHandle for ACL_MEM_HANDLE_TYPE_POSIX an `int`, which receives a new descriptor. It is the
 * caller's, who passes it on (SCM_RIGHTS over a Unix socket, or pidfd_getfd) and closes it when it likes; programs
 * that this one starts do not inherit it. For PORTACL_MEM_HANDLE_TYPE_FABRIC 64 bytes.
 * @param memPool a pool of this process, made with this handle type; not one that was imported.
 * @param handleType ACL_MEM_HANDLE_TYPE_POSIX or PORTACL_MEM_HANDLE_TYPE_FABRIC.
 * @param flags must be 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `shareableHandle` or `memPool` is null, `handleType` is none of
 * these, `flags` is not 0; ACL_ERROR_RT_PARAM_INVALID 107000: `memPool` is no live pool, was imported, or was made
 * with another handle type, or called inside a host function; ACL_ERROR_BAD_ALLOC 200000: no descriptor is left;
 * ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe. No device need be set. Follows
 * cudaMemPoolExportToShareableHandle.
 */
aclError portaclMemPoolExportToShareableHandle(void *shareableHandle,
                                               aclrtMemPool memPool,
                                               aclrtMemHandleType handleType,
                                               uint32_t flags);

/**
 * Imports a pool that another process has exported. Nothing is taken from it: it imports single allocations
 * (portaclMemPoolImportPointer), cannot become a current pool, and has no attributes here. It belongs to the calling
 * thread's current device and goes with it, one of host memory with aclFinalize; aclrtMemPoolDestroy ends it, and
 * what it has imported stays until it is freed. The
 * memory counts for the exporting process only. If that process ends, whichever way, what was imported before
 * stays readable and writable, and nothing more can be imported; on a GPU the driver decides.
 *
 * @param memPool receives the pool.
 * @param shareableHandle for ACL_MEM_HANDLE_TYPE_POSIX the descriptor itself, cast to a pointer: it stays the
 * caller's, who may close it after the call. For PORTACL_MEM_HANDLE_TYPE_FABRIC a pointer to the 64 bytes.
 * @param handleType as for the export.
 * @param flags must be 0.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `memPool` (or, where it points to something, `shareableHandle`)
 * is null, `handleType` is none of these, `flags` is not 0; ACL_ERROR_RT_PARAM_INVALID 107000: `shareableHandle` is no
 * open descriptor, is none of an exported pool, is damaged or of another version of this library, the pool is of
 * another device than the current one, it was destroyed, or its process has ended, or called inside a host
 * function; ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current context;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the device cannot share pools in this way; ACL_ERROR_BAD_ALLOC 200000: no
 * descriptor or no host memory is left; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe.
 * Follows cudaMemPoolImportFromShareableHandle.
 */
aclError portaclMemPoolImportFromShareableHandle(aclrtMemPool *memPool,
                                                 void *shareableHandle,
                                                 aclrtMemHandleType handleType,
                                                 uint32_t flags);

/**
 * Names an allocation of an exported pool for other processes. Naming it again gives the same bytes. The name
 * ends when the allocation is freed: from then on nobody imports it.
 *
 * @param exportData its `size` is set by the caller; receives `data`, plain bytes that may travel in any way.
 * @param ptr an allocation of a pool that was made with a handle type: its first byte. What an importer reads
 * there is what was written by work that is done; the processes tell each other, over a socket, say.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: an argument is null, or `size` is not that of the structure;
 * ACL_ERROR_RT_PARAM_INVALID 107000: `ptr` is not the start of a live allocation of such a pool, or was itself
 * imported, or the pool was destroyed, or called inside a host function; ACL_ERROR_BAD_ALLOC 200000: more than 65,408
 * pointers of one pool are named at a time; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. Thread-safe.
 * No device need be set. Follows cudaMemPoolExportPointer.
 */
aclError portaclMemPoolExportPointer(portaclMemPoolPtrExportData *exportData,
                                     void *ptr);

/**
 * Gives the allocation that another process has named, at an address of this process's own. Importing it again
 * gives it at another address; each is freed by itself, with aclrtMemPoolFreeAsync or aclrtFree, which tells the
 * other process nothing. Memory hooks are asked when it is here; what they return that refuse it is what the call
 * returns.
 *
 * @param ptr receives the address. It is memory of the pool's device, for reading and writing.
 * @param memPool the imported pool.
 * @param exportData what portaclMemPoolExportPointer gave for an allocation of that very pool.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: an argument is null, or `size` is not that of the structure;
 * ACL_ERROR_RT_PARAM_INVALID 107000: `memPool` is no live pool, or was not imported, the data are damaged, of another
 * pool or of an allocation that was freed, the pool was destroyed there or its process has ended, or called inside a
 * host function; ACL_ERROR_BAD_ALLOC 200000: no room to map it; ACL_ERROR_RT_MEMORY_ALLOCATION 207001: in guard mode
 * it is larger than a device of this process; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * Thread-safe. No device need be set. Follows cudaMemPoolImportPointer.
 */
aclError portaclMemPoolImportPointer(void **ptr,
                                     aclrtMemPool memPool,
                                     const portaclMemPoolPtrExportData *exportData);

/**
 * Makes an address in the program stand for a variable or a kernel of a binary, on the device of that binary: what
 * compilers for one language on both sides do by themselves. From then on aclrtGetSymbolAddress, aclrtGetSymbolSize,
 * aclrtMemcpyToSymbol and its kin take it where it stands for a variable; aclrtGetFuncBySymbol, and the launches
 * that take a `void* func`, where it stands for a kernel. It may stand for something else on another device. On the
 * same one it stands for what was registered last. It stands for nothing any more when the binary is unloaded.
 *
 * @param binHandle a handle of aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
 * @param symbol any address, of a variable or function of the program, say; nobody looks what is there.
 * @param name what the binary calls it; a variable of that name goes before a kernel.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
 * of a program, unloaded, the binary has neither variable nor kernel of that name, or called inside a host function;
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: as for aclrtBinaryGetFunction. Thread-safe.
 */
aclError portaclRegisterSymbol(aclrtBinHandle binHandle,
                               const void *symbol,
                               const char *name);

/**
 * Registers a memory hook, to be called about each allocation and release of device, page-locked host, managed
 * and pool memory, and about each import of another process's memory and its end: after those that were registered before it. *malloc* functions are called when the program
 * gets memory, *free* functions when it gives memory back, *alloc* functions inside of a malloc when the memory
 * has to be taken from the device or the system, because none that was kept serves the request. What a
 * *before* function returns is what the call returns, if it is not 0, and nothing happens; the text names the
 * hook (portaclMemoryHookGiveReason says more). The hooks that agreed before it are told by their *after*
 * function, with `failed` 1. Memory that goes with its device or with aclFinalize is not told of. A hook may
 * call any function of this library. It must return, and not by an exception.
 *
 * @param hook the functions; copied, so that it need not be kept. What its user data points to must be.
 * @param scope for this thread or for all.
 * @param id receives the number of the hook, which is never used again; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `hook` or its name is null, the name is empty, `structSize`
 * is too small, or `scope` is not one; ACL_ERROR_RT_PARAM_INVALID 107000: a hook of this name is called for the
 * same thread. Works at any time. Thread-safe. The model is MemoryHook of CuPy.
 */
aclError portaclMemoryHookRegister(const portaclMemoryHook *hook,
                                   portaclMemoryHookScope scope,
                                   uint64_t *id);

/**
 * Takes a memory hook back, in any order. When this returns it is not called any more, and what its user data
 * points to may go; if this is called inside the hook, it is not called again after it has returned. Waits for
 * calls of it on other threads. Where that wait could be for ever (docs/callbacks.md), this fails: the hook is not called
 * any more then, but a call of it still runs. It stays listed; unregister it again outside of callbacks, which waits,
 * before what its user data points to goes.
 *
 * @param id what the registration gave.
 * @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: no registered hook, or the wait could be for ever. Works at
 * any time. Thread-safe.
 */
aclError portaclMemoryHookUnregister(uint64_t id);

/**
 * Lists the registered memory hooks of all threads, in the order of their registration.
 *
 * @param hooks receives them; null: only the number is wanted. The caller sets `structSize` of the first element.
 * @param capacity elements at `hooks`.
 * @param count receives how many there are, also where they are more than `capacity`.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `count` is null, `structSize` is another size than that of
 * the structure, or `capacity` is too small. Works at any time. Thread-safe.
 */
aclError portaclMemoryHookList(portaclMemoryHookInfo *hooks,
                               size_t capacity,
                               size_t *count);

/**
 * Says, inside a *before* function of a memory hook that is about to refuse, why: it becomes part of the text of
 * the call that it refuses. Elsewhere it does nothing.
 *
 * @param reason a text, copied.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `reason` is null. Thread-safe.
 */
aclError portaclMemoryHookGiveReason(const char *reason);

/**
 * Says, inside an *after* function of a memory hook, that it has failed: portaclMemoryHookList tells how often and
 * what the latest said. What it was told of stands. Elsewhere it does nothing.
 *
 * @param what a text, copied.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `what` is null. Thread-safe.
 */
aclError portaclMemoryHookNoteFailure(const char *what);

/**
 * Registers the hook "DebugPrintHook", which prints a line of JSON after each alloc, malloc and free, with the
 * names and the order of CuPy's DebugPrintHook, and flushes it.
 *
 * @param path the file, which is made anew; null: the standard output.
 * @param scope for this thread or for all.
 * @param id receives the number of the hook; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_FILE 100003: the file cannot be written; ACL_ERROR_INVALID_PARAM 100000:
 * `scope` is not one; ACL_ERROR_RT_PARAM_INVALID 107000: a hook of this name is called for the same thread.
 * Thread-safe.
 */
aclError portaclMemoryHookRegisterDebugPrint(const char *path,
                                             portaclMemoryHookScope scope,
                                             uint64_t *id);

/**
 * Registers the hook "LoggingHook", which writes a line of JSON for each alloc, malloc and free: a log that can be
 * replayed. docs/allocation_log.md has its format.
 *
 * @param path the file, which is made anew. Each line is written at once.
 * @param scope for this thread or for all.
 * @param id receives the number of the hook; may be null.
 * @return as portaclMemoryHookRegisterDebugPrint; ACL_ERROR_INVALID_PARAM 100000 also: `path` is null. Thread-safe.
 */
aclError portaclMemoryHookRegisterLogging(const char *path,
                                          portaclMemoryHookScope scope,
                                          uint64_t *id);

/**
 * Registers the hook "LimitHook", which refuses what would go beyond a budget, with
 * ACL_ERROR_RT_MEMORY_ALLOCATION 207001. Counted is what is allocated while the hook is registered, in rounded
 * bytes, device and host memory together, without imported memory, which its own process counts.
 *
 * @param most bytes that may be allocated at one time.
 * @param scope for this thread or for all.
 * @param id receives the number of the hook; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `scope` is not one; ACL_ERROR_RT_PARAM_INVALID 107000: a hook
 * of this name is called for the same thread. Thread-safe.
 */
aclError portaclMemoryHookRegisterLimit(size_t most,
                                        portaclMemoryHookScope scope,
                                        uint64_t *id);

/**
 * Registers the hook "LineProfileHook", which adds up what is allocated by the place in the program that calls for
 * it: portaclMemoryHookReport gives the tree. The model is LineProfileHook of CuPy. Each allocation costs a walk up
 * the stack; names are looked up when the report is made.
 *
 * @param maxDepth levels of the tree below its root; 0: all.
 * @param scope for this thread or for all.
 * @param id receives the number of the hook; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `scope` is not one; ACL_ERROR_RT_PARAM_INVALID 107000: a hook
 * of this name is called for the same thread. Thread-safe.
 */
aclError portaclMemoryHookRegisterLineProfile(size_t maxDepth,
                                              portaclMemoryHookScope scope,
                                              uint64_t *id);

/**
 * Gives what a hook has found out so far. Of portaclMemoryHookRegisterLineProfile: a tree of lines
 * `file:line:function (bytes in mallocs, bytes in allocs)`, two blanks deeper for each call, the callers first, what
 * uses most before what uses less. Functions without debugging information have their name only, or an address.
 *
 * @param id the number of the hook.
 * @param text receives a zero-terminated text, cut to `size` where it is longer; null: only the length is wanted.
 * @param size bytes at `text`.
 * @param length receives the length of the whole text without its zero; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: no registered hook, or one that reports nothing;
 * ACL_ERROR_INVALID_PARAM 100000: `text` is not null and `size` is 0. Thread-safe.
 */
aclError portaclMemoryHookReport(uint64_t id,
                                 char *text,
                                 size_t size,
                                 size_t *length);

/**
 * Gives the tree of portaclMemoryHookReport in numbers: each function before those that it called, what uses most
 * before what uses less, the root first.
 *
 * @param id the number of a hook of portaclMemoryHookRegisterLineProfile.
 * @param nodes receives them; null: only the number is wanted. The caller sets `structSize` of the first element.
 * @param capacity elements at `nodes`. Where there are more, the first ones are told.
 * @param count receives how many there are, also where they are more than `capacity`. Other threads may make it more
 * before the next call.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `count` is null, or `structSize` is another size than that of
 * the structure; ACL_ERROR_RT_PARAM_INVALID 107000: no registered hook, or one that makes no profile. Works at any
 * time. Thread-safe.
 */
aclError portaclMemoryHookProfile(uint64_t id,
                                  portaclMemoryProfileNode *nodes,
                                  size_t capacity,
                                  size_t *count);

/**
 * Writes an event as portaclMemoryHookRegisterDebugPrint does: a line of JSON, without its end.
 *
 * @param moment what the hook was called about.
 * @param event what it was called with.
 * @param line receives a zero-terminated text; null: only the length is wanted.
 * @param size bytes at `line`; 256 are always enough.
 * @return the length of the line without its zero; 0 if `event` is null, too small or has no known kind, `moment` is
 * not one, or the line does not fit, with the reason in aclGetRecentErrMsg. Thread-safe.
 */
size_t portaclMemoryEventToJson(portaclMemoryMoment moment,
                                const portaclMemoryEvent *event,
                                char *line,
                                size_t size);

/**
 * Records from now on, until the process ends, which thread makes an allocation, when and from where, for
 * portaclMemorySnapshot and portaclMemoryReportLeaks. Each allocation then costs a walk up the stack.
 * PORTACL_LEAK_CHECK begins with it. A second call changes nothing.
 *
 * @return ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID 107000: a memory hook of the name "portacl's recorder" was
 * registered. Thread-safe.
 */
aclError portaclMemoryRecord(void);

/**
 * Lists all live allocations of device, managed, page-locked host and pool memory, and what other processes have
 * exported and this one has imported, by address; first physical memory, which has none. Other threads go on
 * meanwhile and wait for nothing: what is live during the whole call is there exactly once; what they allocate or free
 * during the call may or may not be there, so that two ranges may overlap.
 *
 * @param allocations receives them; null: only the number is wanted. The caller sets `structSize` of the first
 * element.
 * @param capacity elements at `allocations`. Where there are more, those with the lowest addresses are told.
 * @param count receives how many there are, also where they are more than `capacity`.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `count` is null, or `structSize` is another size than that of
 * the structure. Works at any time. Thread-safe.
 */
aclError portaclMemorySnapshot(portaclMemoryAllocation *allocations,
                               size_t capacity,
                               size_t *count);

/**
 * Writes on the standard error stream which allocations are live, with thread, age and the functions that asked for
 * them if that was recorded, and which releases have failed in destructors since this was told last. Writes nothing
 * where there is nothing to tell. PORTACL_LEAK_CHECK=1 reports more: see docs/memory_hooks.md.
 *
 * @param count receives the number of live allocations; may be null.
 * @return ACL_SUCCESS. Works at any time. Thread-safe.
 */
aclError portaclMemoryReportLeaks(size_t *count);

/**
 * As portaclMemoryReportLeaks, to a function of the program, which is called for each line.
 *
 * @param write takes a line; it may call this library.
 * @param userData its first argument.
 * @param count receives the number of live allocations; may be null.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `write` is null. Works at any time. Thread-safe.
 */
aclError portaclMemoryReportLeaksTo(portaclLineWriter write,
                                    void *userData,
                                    size_t *count);

/**
 * Tells how much memory of a kind there is, was at most and was ever given out. Registrations of the caller's own
 * memory are no allocations. Without other threads that allocate or free at the same time all numbers are exact and
 * fit together; with them each one is right at some moment of the call. Costs nothing where memory is allocated and
 * freed without it.
 *
 * @param deviceId the device; -1: host memory, for PORTACL_MEMORY_PINNED, for PORTACL_MEMORY_POOL the pools there, and
 * for PORTACL_MEMORY_IMPORTED what was imported of it. A device that is not in use has zeros.
 * @param kind which memory; PORTACL_MEMORY_POOL: all pools of the device together that this process has made;
 * PORTACL_MEMORY_IMPORTED: memory of other processes, with that of their pools.
 * @param stats receives the numbers. The caller sets `structSize`.
 * @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `stats` is null, `structSize` is another size than that of the
 * structure, or `kind` is unknown; ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device, -1 for device or managed
 * memory, or another number than -1 for page-locked memory; ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize;
 * ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function; with PORTACL_MEMORY_POOL on CUDA also what the
 * driver says when it is asked about a pool. Thread-safe. In the manner of RMM's statistics and
 * torch.cuda.memory_stats.
 */
aclError portaclMemoryGetStats(int32_t deviceId,
                               portaclMemoryKind kind,
                               portaclMemoryStats *stats);

/**
 * Lets the peaks of portaclMemoryGetStats begin again with what is live, and with them those of aclrtGetMemUsageInfo
 * and, of pools, ACL_RT_MEM_POOL_ATTR's highest used and reserved bytes, which are the same numbers.
 *
 * @param deviceId as for portaclMemoryGetStats; for a device that is not in use there is nothing to do.
 * @param kind as for portaclMemoryGetStats.
 * @return as portaclMemoryGetStats. Thread-safe.
 */
aclError portaclMemoryResetPeak(int32_t deviceId,
                                portaclMemoryKind kind);

/**
 * Lists the memory pools of a device, or of host memory, with statistics of each: those of
 * portaclMemoryGetStats, where the peak of one pool is exact. A pool that was destroyed is there until its last memory is
 * freed.
 *
 * @param deviceId the device; -1: pools in host memory.
 * @param pools receives them; null: only the number is wanted. The caller sets `structSize` of the first element.
 * @param capacity elements at `pools`. Where there are more pools, the oldest handles are told.
 * @param count receives how many there are, also where they are more than `capacity`.
 * @return as portaclMemoryGetStats, without `kind`; ACL_ERROR_INVALID_PARAM 100000 also where `count` is null.
 * Thread-safe.
 */
aclError portaclMemoryListPools(int32_t deviceId,
                                portaclMemoryPoolStats *pools,
                                size_t capacity,
                                size_t *count);

/**
 * Lists live allocations of a kind by the size of their pages, the smallest pages first. The system is asked about
 * each allocation, which may take some microseconds for each, and settles 2 MiB pages that were put off until the
 * memory is used.
 *
 * @param deviceId as for portaclMemoryGetStats.
 * @param kind as for portaclMemoryGetStats.
 * @param sizes receives them; null: only the number is wanted. The caller sets `structSize` of the first element.
 * @param capacity elements at `sizes`; there are never more than three sizes.
 * @param count receives how many there are, also where they are more than `capacity`.
 * @return as portaclMemoryGetStats; ACL_ERROR_INVALID_PARAM 100000 also where `count` is null. Thread-safe.
 */
aclError portaclMemoryListPageSizes(int32_t deviceId,
                                    portaclMemoryKind kind,
                                    portaclMemoryPageStats *sizes,
                                    size_t capacity,
                                    size_t *count);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PORTACL_PORTACL_PORTACL_H */
