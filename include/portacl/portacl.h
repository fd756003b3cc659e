/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from src/ffi by tests/headers: `./dev headers` rewrites it. */

/** @file
 * Functions of portacl beyond the Ascend runtime API. Every name begins with portacl or PORTACL.
 *
 * A function that returns aclError returns ACL_SUCCESS 0, or a code that its comment lists. Most can also return
 * ACL_ERROR_BAD_ALLOC 200000 (the host has no memory left), ACL_ERROR_INTERNAL_ERROR 500000 (a defect of portacl), and
 * in a forked child ACL_ERROR_RT_PARAM_INVALID 107000 (its parent has opened a device or started the CUDA driver:
 * docs/compatibility.md). The first call that needs a device opens the backend, and can return the codes of aclInit;
 * the first one of a thread that gets the default device, those of aclrtSetDevice; one that meets a captured stream or
 * event, those of captures (docs/errors.md). aclGetRecentErrMsg returns the text of the failure.
 */

#ifndef PORTACL_PORTACL_PORTACL_H
#define PORTACL_PORTACL_PORTACL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../acl/acl_rt_memory_soma.h"

/**
 * The major version number of portacl that this header belongs to. ACL_MAJOR_VERSION is the version of the Ascend
 * runtime API instead.
 */
#define PORTACL_VERSION_MAJOR 0

#define PORTACL_VERSION_MINOR 1 /**< The minor version number of portacl. */
#define PORTACL_VERSION_PATCH 0 /**< The patch version number of portacl. */

/**
 * A value of aclrtMemPoolProps::handleType: the memory can be shared with other machines, if the driver supports it.
 */
#define PORTACL_MEM_HANDLE_TYPE_FABRIC 8

/** A value of the allocation type of a pool: managed memory, which the host and all devices use. */
#define PORTACL_MEM_ALLOCATION_TYPE_MANAGED 2

/** A value of the type of a pool's location: host memory of the NUMA node that the calling thread runs on. */
#define PORTACL_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT 104

/** A value of portaclMemPoolProps::usage: the device's engine for decompression reads and writes the memory. */
#define PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS 2U

/** The kind of a finding. */
typedef enum portaclFindingKind {
    PORTACL_FINDING_COLLECTIVES = 1, /**< "collectives": ranks whose calls do not fit, so that they cannot go on. */
    /**
     * "long wait": a rank that has waited for others for a long time. They may still come, so it is no fault for
     * PORTACL_CHECK_EXIT.
     */
    PORTACL_FINDING_LONG_WAIT = 2,
} portaclFindingKind;

/** What a task does with a buffer. */
typedef enum portaclTaskAccess {
    PORTACL_TASK_READ = 1, /**< It reads the buffer, and does not change it. */
    PORTACL_TASK_WRITE = 2, /**< It writes the buffer, and does not read what was there. */
    PORTACL_TASK_READ_WRITE = 3, /**< It reads the buffer, and changes any part of it. */
} portaclTaskAccess;

/** What happens with the stream of a task. */
typedef enum portaclTaskState {
    PORTACL_TASK_RUNS = 0, /**< The task may take any time. */
    /**
     * A call destroys the stream or its context, resets its device, or finalizes, and waits for the task: a task that
     * waits for something which may not come should return.
     */
    PORTACL_TASK_STREAM_ENDS = 1,
    /**
     * The stream was aborted, destroyed by force, or stopped by a failure of its context, or its device was released
     * before the task returned: the task should return soon, and its result is not used.
     */
    PORTACL_TASK_DROPPED = 2,
} portaclTaskState;

/** Attributes of the memory of a device's graphs. All are 64-bit numbers of bytes. */
typedef enum portaclGraphMemAttr {
    /**
     * Graph memory: allocated by captured streams from pools, until the graph is destroyed, or, if a launch
     * allocated it and the graph is destroyed first, until it is freed. Read-only.
     */
    PORTACL_GRAPH_MEM_ATTR_USED_MEM_CURRENT = 0,
    /** The high watermark of that; can be set to 0, which resets it to the current value. */
    PORTACL_GRAPH_MEM_ATTR_USED_MEM_HIGH = 1,
    /** Memory taken from the device for graphs: in use, or cached for graphs that are captured later. Read-only. */
    PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT = 2,
    /** The high watermark of that; can be set to 0, which resets it to the current value. */
    PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH = 3,
} portaclGraphMemAttr;

/** Attributes of a device about memory pools. */
typedef enum portaclMemPoolSupport {
    PORTACL_MEM_POOL_SUPPORT_DEVICE = 0, /**< 1 if the device supports pools of its memory, else 0. */
    /**
     * Handle types of pools that can be shared: ACL_MEM_HANDLE_TYPE_POSIX 2 and PORTACL_MEM_HANDLE_TYPE_FABRIC 8, as a
     * bit mask.
     */
    PORTACL_MEM_POOL_SUPPORT_HANDLE_TYPES = 1,
    /** 1 if pools of host memory (ACL_MEM_LOCATION_TYPE_HOST) are supported, else 0. */
    PORTACL_MEM_POOL_SUPPORT_HOST = 2,
    /** 1 if pools of host memory of a NUMA node (ACL_MEM_LOCATION_TYPE_HOST_NUMA) are supported, else 0. */
    PORTACL_MEM_POOL_SUPPORT_HOST_NUMA = 3,
    /**
     * 1 if other devices on the bus, such as network cards, can read and write the device's memory (GPUDirect RDMA),
     * else 0.
     */
    PORTACL_MEM_POOL_SUPPORT_RDMA = 4,
    /** How such writes can be flushed, as a bit mask: 1 by the host, 2 by operations of a stream. */
    PORTACL_MEM_POOL_SUPPORT_RDMA_FLUSH_WRITES = 5,
    /** The devices for which such writes are ordered without a flush: 0 none, 100 this device, 200 all devices. */
    PORTACL_MEM_POOL_SUPPORT_RDMA_WRITES_ORDERING = 6,
    /** 1 if pools of managed memory (PORTACL_MEM_ALLOCATION_TYPE_MANAGED) are supported, else 0. */
    PORTACL_MEM_POOL_SUPPORT_MANAGED = 7,
    /** 1 if the device has an engine for decompression (PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS), else 0. */
    PORTACL_MEM_POOL_SUPPORT_HW_DECOMPRESS = 8,
} portaclMemPoolSupport;

/** Properties that a pool was created with. All are 64-bit numbers. */
typedef enum portaclMemPoolProperty {
    /** ACL_MEM_ALLOCATION_TYPE_PINNED 0 or PORTACL_MEM_ALLOCATION_TYPE_MANAGED 2. */
    PORTACL_MEM_POOL_PROPERTY_ALLOC_TYPE = 0,
    /**
     * The handle type for other processes: ACL_MEM_HANDLE_TYPE_NONE 0 (also of an imported pool, which cannot be
     * exported again), ACL_MEM_HANDLE_TYPE_POSIX 2 or PORTACL_MEM_HANDLE_TYPE_FABRIC 8.
     */
    PORTACL_MEM_POOL_PROPERTY_HANDLE_TYPE = 1,
    /**
     * The type of the location: ACL_MEM_LOCATION_TYPE_DEVICE, _HOST or _HOST_NUMA, also for a pool that was created
     * with PORTACL_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, or ACL_MEM_LOCATION_TYPE_MANAGED for managed memory without a
     * preferred location.
     */
    PORTACL_MEM_POOL_PROPERTY_LOCATION_TYPE = 2,
    /**
     * The device or the NUMA node; 0 for ACL_MEM_LOCATION_TYPE_HOST. For ACL_MEM_LOCATION_TYPE_MANAGED the device
     * whose reset ends the pool.
     */
    PORTACL_MEM_POOL_PROPERTY_LOCATION_ID = 3,
    /**
     * The maximum size in bytes; 0: no limit. On the CPU the multiple of 2 MiB to which it was rounded up, on GPUs the
     * number of the caller, which the driver may round up. 0 for an imported pool.
     */
    PORTACL_MEM_POOL_PROPERTY_MAX_SIZE = 4,
    PORTACL_MEM_POOL_PROPERTY_USAGE = 5, /**< 0 or PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS 2. */
} portaclMemPoolProperty;

/** Kinds of memory. */
typedef enum portaclMemoryKind {
    PORTACL_MEMORY_DEVICE = 0, /**< Device memory: aclrtMalloc and its variants, and physical device memory. */
    /** Page-locked host memory: aclrtMallocHost and its variants, aclrtAllocBuf, and physical host memory. */
    PORTACL_MEMORY_PINNED = 1,
    PORTACL_MEMORY_MANAGED = 2, /**< Memory that the host and all devices use: aclrtMemAllocManaged. */
    PORTACL_MEMORY_POOL = 3, /**< Memory of a stream-ordered pool. */
    /**
     * Memory from another process: opened by a key of aclrtIpcMemGetExportKey, imported as physical memory, or from a
     * pool.
     */
    PORTACL_MEMORY_IMPORTED = 4,
    PORTACL_MEMORY_GRAPH = 5, /**< Graph memory: allocated by captured streams from pools. */
} portaclMemoryKind;

/** The scope of a memory hook. */
typedef enum portaclMemoryHookScope {
    PORTACL_MEMORY_HOOK_THREAD = 0, /**< Allocations of the thread that registers it. */
    PORTACL_MEMORY_HOOK_PROCESS = 1, /**< Allocations of all threads. */
} portaclMemoryHookScope;

/** The event that a memory hook is called for. */
typedef enum portaclMemoryMoment {
    PORTACL_MEMORY_ALLOC = 0, /**< The library allocates memory from the device or the system. */
    PORTACL_MEMORY_MALLOC = 1, /**< The program allocates memory: from the device, or from a cache. */
    PORTACL_MEMORY_FREE = 2, /**< The program frees memory. */
} portaclMemoryMoment;

/** Flags of a task. */
typedef enum portaclTaskFlag {
    /**
     * The function gets the buffers' addresses on the device, as they were passed, for other libraries that use the
     * device. Nothing is copied. Host code cannot read or write there on GPUs and in guard mode.
     */
    PORTACL_TASK_DEVICE_ADDRESSES = 1,
} portaclTaskFlag;

/** An operation that takes part in a finding. */
typedef struct portaclFindingOperation {
    const char *call; /**< The call with its arguments, such as "HcclAllReduce float32 1024 sum". */
    const char *position; /**< Its place among other operations, such as "operation 7 of rank 0". */
    const char *site; /**< Its line in the program, as portaclCallSite writes it. Null or empty: unknown. */
} portaclFindingOperation;

/** A finding. */
typedef struct portaclFinding {
    size_t structSize; /**< sizeof(portaclFinding). */
    portaclFindingKind kind; /**< The kind. */
    const char *what; /**< What was found, in one line. */
    const char *fix; /**< What the program's author should do, in one line. */
    const portaclFindingOperation *operations; /**< The operations. Null if `count` is 0. */
    size_t count; /**< Number of operations, at most 1024. */
} portaclFinding;

/** A task whose function runs. It is valid until that function returns, in every thread. */
typedef void *portaclTask;

/**
 * The function of a task: gets the task, an array with an address for each buffer in their order, and the user data.
 * The address is null for a buffer of size 0. The array is valid until the function returns. Returns ACL_SUCCESS, or a
 * code with which the stream fails.
 */
typedef aclError (*portaclTaskFunction)(portaclTask, void*const *, void*);

/** A buffer of a task. */
typedef struct portaclTaskBuffer {
    /** Device memory of the stream's device, managed memory, or page-locked host memory. Ignored if `size` is 0. */
    void *data;
    size_t size; /**< Bytes. They lie in one allocation. */
    portaclTaskAccess access; /**< What the task does with them. */
} portaclTaskBuffer;

/**
 * Called with the user data and the new state while the function runs, on the thread that makes the call or that
 * detects the failure. For a task that was pending then, its own thread calls this before the function.
 */
typedef void (*portaclTaskStop)(void*, portaclTaskState);

/** Called with the user data when the task will not run again. */
typedef void (*portaclTaskRelease)(void*);

/** Options of a task. */
typedef struct portaclTaskOptions {
    size_t structSize; /**< sizeof(portaclTaskOptions). */
    const char *name; /**< Name for traces, texts and pictures of graphs; copied. Null: "task". */
    uint32_t flags; /**< Values of portaclTaskFlag, combined by `|`. */
    uint32_t reserved; /**< Must be 0. */
    /**
     * Wakes the function; may be null. It is called at most once for each state, on any thread, also inside the call
     * that ends the stream; calls for two states may overlap. It must return soon, must not wait for the function,
     * and may call only functions that host functions may call.
     */
    portaclTaskStop stop;
    /**
     * Releases the user data; may be null. It is called once after a successful launch, on any thread: when the
     * function has returned, when the stream drops the task, or, for a captured task, when the graph is destroyed.
     * This may be shortly after a wait for the stream has returned. It may call only functions that host functions may
     * call.
     */
    portaclTaskRelease release;
} portaclTaskOptions;

/** Properties of a pool, for portaclMemPoolCreate. */
typedef struct portaclMemPoolProps {
    size_t size; /**< Size of this structure in bytes. */
    aclrtMemAllocationType allocType; /**< ACL_MEM_ALLOCATION_TYPE_PINNED or PORTACL_MEM_ALLOCATION_TYPE_MANAGED. */
    aclrtMemHandleType handleType; /**< How its memory can be shared. */
    aclrtMemLocation location; /**< The location. */
    size_t maxSize; /**< Maximum size in bytes; 0 is no limit. */
    uint32_t usage; /**< 0 or PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS. */
} portaclMemPoolProps;

/** The name of an allocation of a shared pool for other processes. Plain bytes that can be passed in any way. */
typedef struct portaclMemPoolPtrExportData {
    size_t size; /**< Size of this structure in bytes; the caller sets it before either call. */
    unsigned char data[64]; /**< The name of the allocation. */
} portaclMemPoolPtrExportData;

/** An allocation or release, as passed to memory hooks. */
typedef struct portaclMemoryEvent {
    size_t structSize; /**< Size of this structure in bytes: later versions may be larger. */
    int32_t deviceId; /**< The device, -1 for host memory. */
    portaclMemoryKind kind; /**< The kind of memory. */
    size_t size; /**< Requested bytes; 0 for an alloc and a free. */
    /**
     * Bytes that the memory takes: the same for its malloc, its alloc and its free, and the same as in
     * portaclMemoryGetStats. The alloc of a pool is a segment, which may be larger.
     */
    size_t roundedSize;
    /**
     * The address; null before an allocation, after a failed allocation, and for physical memory, which has no
     * address.
     */
    void *ptr;
    /**
     * Identifies live allocations: the address, or the handle of memory without an address; 0 before an allocation and
     * after a failed allocation.
     */
    uint64_t memoryId;
    aclrtStream stream; /**< The stream of a stream-ordered allocation or free; null for others. */
    size_t pageSize; /**< Page size in bytes; 0 if unknown, as before an allocation. */
    uint64_t thread; /**< The system's id of the calling thread. */
    /**
     * In an after function: 1 if the operation did not take place, because it failed or a later hook refused it;
     * otherwise 0.
     */
    int32_t failed;
} portaclMemoryEvent;

/** Called before an operation. Returns ACL_SUCCESS, or the code of a refusal. */
typedef aclError (*portaclMemoryHookBefore)(void*, const portaclMemoryEvent*);

/** Called after an operation, successful or not. */
typedef void (*portaclMemoryHookAfter)(void*, const portaclMemoryEvent*);

/**
 * A memory hook. Any of the functions may be null. They are called on the thread that allocates or frees. They may
 * call this library, and are not called for their own calls.
 */
typedef struct portaclMemoryHook {
    size_t structSize; /**< sizeof(portaclMemoryHook). */
    const char *name; /**< Name of the hook for people; copied. */
    void *userData; /**< The first argument of all functions. */
    /** Called before the library allocates memory from the device or the system. */
    portaclMemoryHookBefore beforeAlloc;
    portaclMemoryHookAfter afterAlloc; /**< Called after that allocation. */
    portaclMemoryHookBefore beforeMalloc; /**< Called before the program gets memory. */
    portaclMemoryHookAfter afterMalloc; /**< Called after that allocation. */
    portaclMemoryHookBefore beforeFree; /**< Called before the program frees memory. */
    portaclMemoryHookAfter afterFree; /**< Called after that free. */
} portaclMemoryHook;

/** Information about a registered memory hook. */
typedef struct portaclMemoryHookInfo {
    size_t structSize; /**< sizeof(portaclMemoryHookInfo), set by the caller in the first element. */
    uint64_t id; /**< Its id. */
    portaclMemoryHookScope scope; /**< Its scope. */
    int32_t isCalledHere; /**< 1 if it is called for the calling thread's allocations, else 0. */
    uint64_t refusals; /**< Number of its refusals. */
    uint64_t failures; /**< Number of failures of its after functions. */
    char name[64]; /**< Its name, truncated to the size of the field. */
    char lastFailure[256]; /**< The text of the latest failure, truncated to the size of the field. */
} portaclMemoryHookInfo;

/** A function of the program in a tree of memory use, including everything that it called. */
typedef struct portaclMemoryProfileNode {
    size_t structSize; /**< sizeof(portaclMemoryProfileNode), set by the caller in the first element. */
    uint32_t depth; /**< Number of functions above it: 0 for the root, which represents the program. */
    uint32_t line; /**< The line of the call, from 1 on; 0 if unknown. */
    uint64_t mallocBytes; /**< Bytes that the program allocated. */
    uint64_t mallocCount; /**< Number of mallocs. */
    uint64_t allocBytes; /**< Bytes that the library allocated from the device or the system for these. */
    uint64_t allocCount; /**< Number of allocs. */
    char file[256]; /**< The source file, truncated to the size of the field; empty if unknown. */
    /** Its name, or its address if it has none, truncated to the size of the field; `_root` for the root. */
    char function[256];
} portaclMemoryProfileNode;

/** A live allocation, as listed by portaclMemorySnapshot. */
typedef struct portaclMemoryAllocation {
    size_t structSize; /**< sizeof(portaclMemoryAllocation), set by the caller in the first element. */
    void *ptr; /**< The first byte; null: physical memory, which has no address. */
    size_t size; /**< Requested bytes; 0 if not recorded. */
    /** Bytes that the allocation takes, as portaclMemoryGetStats counts them; programs may use fewer. */
    size_t roundedSize;
    portaclMemoryKind kind; /**< The kind of memory. */
    int32_t deviceId; /**< The device, -1 for host memory. */
    aclrtMemPool memPool; /**< The pool of the allocation, or its former handle if it was destroyed; null if none. */
    aclrtStream stream; /**< The stream of a stream-ordered allocation; null if none, or if not recorded. */
    uint64_t thread; /**< The system's id of the allocating thread; 0 if not recorded. */
    uint64_t age; /**< Nanoseconds since the allocation; 0 if not recorded. */
    /** The allocating function, `file:line:function`, truncated to the size of the field; empty if not recorded. */
    char callSite[256];
} portaclMemoryAllocation;

/** Receives a line of a report: a zero-terminated text without line end, valid during the call. */
typedef void (*portaclLineWriter)(void*, const char*);

/**
 * Statistics of one kind of memory. Those of a device and of its pools start when the device is first set and end when
 * it is reset. Those of host memory start with aclInit, or the first use, and end with aclFinalize.
 */
typedef struct portaclMemoryStats {
    size_t structSize; /**< sizeof(portaclMemoryStats), set by the caller. */
    uint64_t currentBytes; /**< Bytes of live allocations, including rounding. */
    uint64_t currentCount; /**< Number of live allocations. */
    /**
     * The peak of `currentBytes`. It includes small freed blocks of device memory that are cached (`keptBytes`). For
     * several pools: the sum of their peaks, which need not have occurred at the same time.
     */
    uint64_t peakBytes;
    uint64_t peakCount; /**< The peak of `currentCount`, in the same way. */
    uint64_t totalBytes; /**< Bytes of all allocations ever made. */
    uint64_t totalCount; /**< Number of all allocations ever made. Minus `currentCount`, it is the number of frees. */
    /**
     * Number of requests that failed for lack of memory, or because the device or its driver failed. Invalid arguments
     * and refusals of memory hooks do not count.
     */
    uint64_t failures;
    /**
     * Bytes taken from the device or the system: live allocations, freed memory that pending work still uses, and
     * cached or free pool memory. For device memory, without `keptBytes`, it is the value of aclrtGetMemUsageInfo;
     * on the CPU it therefore includes the segments of pools. For page-locked and imported memory it is
     * `currentBytes`.
     */
    uint64_t reservedBytes;
    /** The peak of `reservedBytes`; for device and managed memory the peak of aclrtGetMemUsageInfo. */
    uint64_t peakReservedBytes;
    /**
     * Bytes of `reservedBytes` that can serve the next request without the device: cached device memory, and free
     * pool memory.
     */
    uint64_t keptBytes;
    /**
     * Pages of 2 MiB that were requested and not available, so that smaller ones are used; for device memory. 0 on
     * CUDA, where the driver selects pages and does not report them.
     */
    uint64_t hugePageFallbacks;
    /**
     * Bytes that could not be locked and are pageable, including registrations; for page-locked host memory. Never
     * decreases.
     */
    uint64_t unlockedBytes;
} portaclMemoryStats;

/** Statistics of one memory pool. */
typedef struct portaclMemoryPoolStats {
    size_t structSize; /**< sizeof(portaclMemoryPoolStats), set by the caller in the first element. */
    /** The pool. After its destruction, as long as some of its memory is live, its former handle. */
    aclrtMemPool memPool;
    int32_t isDestroyed; /**< 1 if it was destroyed, else 0. */
    int32_t isImported; /**< 1 if another process created it, else 0. */
    portaclMemoryStats stats; /**< Statistics of its memory. */
} portaclMemoryPoolStats;

/** Live allocations with pages of one size. */
typedef struct portaclMemoryPageStats {
    size_t structSize; /**< sizeof(portaclMemoryPageStats), set by the caller in the first element. */
    uint64_t pageSize; /**< Page size in bytes, as aclrtPointerGetAttributes returns it for these allocations. */
    uint64_t bytes; /**< Their bytes. */
    uint64_t count; /**< Their number. */
} portaclMemoryPageStats;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the backend of this process: `"cpu"` or `"cuda"`. `PORTACL_BACKEND` and the machine determine it when the
 * library opens its backend; this call opens it if it is not open.
 *
 * @return a zero-terminated text that stays valid until the process ends; null if there is no usable backend, after
 *     aclFinalize, or in a forked child whose calls fail: aclGetRecentErrMsg returns the reason.
 * @note Thread-safe.
 */
const char *portaclBackendName(void);

/**
 * Returns the version of the library that the process has loaded. PORTACL_VERSION_MAJOR, PORTACL_VERSION_MINOR and
 * PORTACL_VERSION_PATCH are those of the header. Works at any time.
 *
 * @param major receives the major number.
 * @param minor receives the minor number.
 * @param patch receives the patch number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @note Thread-safe.
 */
aclError portaclGetVersion(int32_t *major, int32_t *minor, int32_t *patch);

/**
 * Returns a readable description of a device: the GPU's name, or the number of cores of the CPU device.
 *
 * @param deviceId 0 to the number of devices minus 1; the device need not be set.
 * @param name receives a zero-terminated text, truncated to `size`.
 * @param size size of `name` in bytes, at least 1; 128 bytes are enough.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `name` is null or `size` is 0.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
 * @note Thread-safe.
 */
aclError portaclDeviceName(int32_t deviceId, char *name, size_t size);

/**
 * Returns the name of a return code, such as `"ACL_ERROR_RT_PARAM_INVALID"` for 107000.
 *
 * @param code a code that a call returned.
 * @return a zero-terminated text that stays valid until the process ends; null for an unknown code. Works at any time,
 *     also in a forked child.
 * @note Thread-safe.
 */
const char *portaclErrorName(aclError code);

/**
 * Records a failure of a library that is built on this one. aclGetRecentErrMsg and aclrtGetLastError return it to the
 * calling thread, as they return failures of this library.
 *
 * @param call the function that failed; null: unknown.
 * @param code the code that the function returns.
 * @param text what failed, and what to do; null: nothing more is known.
 * @return `code`
 * @note Thread-safe.
 */
aclError portaclReportError(const char *call, aclError code, const char *text);

/**
 * Records that a release failed where no error can be returned, such as in a C++ destructor. The failure is counted,
 * and its text is taken from the calling thread (aclGetRecentErrMsg returns null afterwards). The next leak report
 * lists call, code and text, of at most 64 failures.
 *
 * @param call the function that failed; null: unknown.
 * @param code the code that it returned.
 * @return the number of such failures since the process began, including this one; 0 in a forked child, where none is
 *     recorded.
 * @note Thread-safe.
 */
uint64_t portaclNoteReleaseFailure(const char *call, aclError code);

/**
 * Returns the number of failures that portaclNoteReleaseFailure recorded since the process began, and of memory that
 * the library itself could not free during an unrelated call.
 *
 * @return the number; 0 in a forked child.
 * @note Thread-safe.
 */
uint64_t portaclReleaseFailures(void);

/**
 * Returns where the program made the call that the calling thread is in, such as `"train.cpp:31:Train"`: file, line
 * and function, or what of them is known. Calls of this library, of operators and of collectives are not those of the
 * program. A program of Python has a line of Python. It is for reports: the first one from a place takes milliseconds.
 *
 * @param site receives a zero-terminated text, truncated to `size`; empty if nothing is known.
 * @param size size of `site` in bytes, at least 1.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `site` is null or `size` is 0.
 * @note Thread-safe.
 */
aclError portaclCallSite(char *site, size_t size);

/**
 * Reports a fault of the program that a library over this one has found, as the checks of `PORTACL_CHECK` report
 * theirs: on standard error, in PORTACL_CHECK_LOG and PORTACL_CHECK_REPORT, and with PORTACL_CHECK_EXIT,
 * PORTACL_CHECK_SUPPRESS and PORTACL_CHECK_LIMIT. A second finding of the same kind with the same calls and sites is
 * only counted. Does nothing unless `PORTACL_CHECK` has `collectives` and the process has opened a device or called
 * portaclBackendName.
 *
 * @param finding the finding; copied.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `finding`, `what`, `fix`, or the call or position of an operation is null,
 *     `structSize` is not the size of the structure, an unknown kind, `operations` is null and `count` is not 0, or
 *     `count` is larger than 1024.
 * @note Thread-safe. May be called inside host functions and tasks.
 */
aclError portaclReportFinding(const portaclFinding *finding);

/**
 * Returns the CUDA driver's device number, a `CUdevice`.
 *
 * @param deviceId 0 to the number of devices minus 1; the device need not be set.
 * @param native receives the number.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `native` is null.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, which has no driver below it.
 * @note Thread-safe.
 */
aclError portaclDeviceGetNative(int32_t deviceId, int32_t *native);

/**
 * Returns the CUDA driver's context, a `CUcontext`: the primary context of the context's device, which all contexts of
 * the device share. The library keeps ownership: the caller may make it current, and must not release it. Valid until
 * the device is reset.
 *
 * @param context a context; null: the current context of the calling thread.
 * @param native receives the `CUcontext`.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `native` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `context` is not a live context.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: it is null and the thread has no current context.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, which has no driver below it.
 * @note Thread-safe.
 */
aclError portaclContextGetNative(aclrtContext context, void **native);

/**
 * Returns the CUDA driver's stream, a `CUstream`. The caller may submit its own work to it: the work of both sides
 * runs in the order of submission, and synchronizing or querying the stream here includes it. The library keeps
 * ownership: the caller must not destroy the stream. Valid until aclrtDestroyStream. From this call on, every query of
 * the stream calls the driver, also where the library would know the result.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param native receives the `CUstream`.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `native` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `stream` is not a live stream, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, which has no driver below it.
 * @note Thread-safe.
 */
aclError portaclStreamGetNative(aclrtStream stream, void **native);

/**
 * Creates a stream for a stream of the CUDA driver, for example one of another library. The work of both sides runs in
 * the order of submission. aclrtDestroyStream, and a reset of the device, destroy the stream created here and leave
 * the driver's stream alone; the caller destroys that one afterwards.
 *
 * @param native a `CUstream` of the primary context of the current device; not one of the driver's default streams. It
 *     must be live: the library cannot detect an invalid one.
 * @param stream receives the stream, which belongs to the calling thread's current context.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `stream` is null, or `native` is null or another default stream.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current context.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: no more streams.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, or the driver is too old.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses, or the stream belongs to another context.
 * @note Thread-safe.
 */
aclError portaclStreamWrapNative(void *native, aclrtStream *stream);

/**
 * Returns the CUDA driver's event, a `CUevent`, for the driver's functions that query or wait for events. The library
 * keeps ownership: record it with aclrtRecordEvent only, otherwise calls here do not know of the record, and do not
 * destroy it. Valid until aclrtDestroyEvent.
 *
 * @param event an event.
 * @param native receives the `CUevent`.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `event` or `native` is null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `event` is not a live event.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cpu`, which has no driver below it, or the event
 *     has ACL_EVENT_IPC.
 * @note Thread-safe.
 */
aclError portaclEventGetNative(aclrtEvent event, void **native);

/**
 * Enqueues a task: a call of `function` on a stream, after the stream's earlier operations, with access to memory of
 * the device. The later operations of the stream wait until it returns; other streams do not. It differs from a host
 * function (aclrtLaunchHostFunc) in four ways:
 *
 * - It gets an address for each buffer that it may read or write on the host, as `access` says. On CPUs that is the
 *   memory itself, also in guard mode, where other host code has no access. On GPUs the stream copies the buffers to
 *   page-locked memory of the library before the call, and after it copies back those that `access` lets the task
 *   write. Page-locked host memory is passed as it is. With PORTACL_TASK_DEVICE_ADDRESSES nothing is copied, and the
 *   function gets the addresses as they were passed.
 * - It can fail: portaclTaskFail, or another result than ACL_SUCCESS, fails the stream as a failed operation does,
 *   with that code. The next wait for the stream returns it.
 * - It has a thread of its own, never one that waits in a call of this library or runs other operations. So tasks of
 *   different streams that wait for each other go on. The threads are the library's: one for each task that runs,
 *   and idle ones for the next tasks, which end after 5 seconds, except one. If the system refuses a thread for a
 *   task, the task runs when another one has returned.
 * - It is notified when its stream is destroyed or aborted, or its device is reset: `options->stop` and
 *   portaclTaskGetState. A task that is pending then is dropped by an abort and by aclrtDestroyStreamForce, and runs
 *   otherwise.
 *
 * After an abort, later operations of the stream wait for a task that still runs. What a task has written when it
 * fails, or is aborted, stays in the buffers. Memory that is freed while a task is pending or runs stays until it
 * has returned.
 *
 * Inside the function, calls of this library that allocate, free, wait, enqueue, create or destroy return an error,
 * as inside host functions. The function must return, and must not throw. In a capture the task becomes a part of
 * the graph, which runs it in each launch; keep its buffers allocated as long. The tasks of a graph run one after
 * the other. Graphs with control flow and task groups cannot contain tasks.
 *
 * @param stream a stream; null: the default stream of the current context.
 * @param function the function.
 * @param userData argument of the functions; may be null. The caller keeps it valid until `options->release` is
 *     called, or without that until the function has returned, or the graph is destroyed.
 * @param buffers the memory; copied, so the caller need not keep the array. Null if `count` is 0. Two buffers may
 *     share bytes only if both are PORTACL_TASK_READ.
 * @param count number of buffers, at most 1024.
 * @param options name, flags, and functions for stop and release; copied. Null: none.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `function` is null, `buffers` is null and `count` is not 0, `count` is too
 *     large, a buffer with a size has a null address, an unknown access, buffers that overlap and are written,
 *     `structSize` is not the size of the structure, unknown flags, or `reserved` is not 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: a buffer is not memory from this library, is freed, is on another
 *     device than the stream, or reaches past the end of its allocation; not a stream, destroyed, or called inside a
 *     host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
 * @retval ACL_ERROR_RT_STREAM_CONTEXT 107003: the stream is on another device than the current context.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no host memory left.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the stream is captured into a graph that cannot contain it, or
 *     the CUDA driver does not let streams wait for words in memory.
 * @retval ACL_ERROR_RT_NO_STREAM_RESOURCE 207008: the system refuses the first thread for tasks.
 * @note Thread-safe. A function of portacl.
 */
aclError portaclLaunchTask(aclrtStream stream,
                           portaclTaskFunction function,
                           void *userData,
                           const portaclTaskBuffer *buffers,
                           size_t count,
                           const portaclTaskOptions *options);

/**
 * Makes a task fail: its stream fails with this code and this text when the function returns, whatever it returns. The
 * first call counts.
 *
 * @param task the task, as its function got it, in any thread while the function runs.
 * @param code not 0; calls that wait for the stream return it.
 * @param text what failed, for aclGetRecentErrMsg; copied. Null: the name of the task and the code.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `task` is null, or `code` is 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task whose function runs.
 * @note Thread-safe. A function of portacl.
 */
aclError portaclTaskFail(portaclTask task, aclError code, const char *text);

/**
 * Returns whether a task should return, because its stream ends or was aborted. It never changes to a smaller value.
 *
 * @param task the task, as its function got it, in any thread while the function runs.
 * @param state receives the state.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a task whose function runs.
 * @note Thread-safe. A function of portacl.
 */
aclError portaclTaskGetState(portaclTask task, portaclTaskState *state);

/**
 * Writes a picture of a graph for Graphviz (`dot -Tsvg FILE`): a box for each task with its kind, size and parameters,
 * a frame around the tasks of each stream, and an arrow to each task from those that it is ordered after. Disabled
 * tasks have dashed boxes.
 *
 * @param modelRI a graph.
 * @param path the file, which is overwritten.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
 * @retval ACL_ERROR_INVALID_FILE 100003: the file cannot be written.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, or destroyed.
 * @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
 * @note Thread-safe.
 */
aclError portaclGraphPrintDot(aclmdlRI modelRI, const char *path);

/**
 * Returns how much memory the graphs of a device have: memory that captured streams allocated from pools of the
 * device. It belongs to the graphs, and the attributes of the pools do not count it.
 *
 * @param deviceId a device that is set.
 * @param attr the attribute.
 * @param value receives bytes.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `value` is null, or `attr` is unknown.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Equivalent to cudaDeviceGetGraphMemAttribute.
 */
aclError portaclDeviceGetGraphMemAttribute(int32_t deviceId, portaclGraphMemAttr attr, uint64_t *value);

/**
 * Resets a high watermark of portaclDeviceGetGraphMemAttribute.
 *
 * @param deviceId a device that is set.
 * @param attr PORTACL_GRAPH_MEM_ATTR_USED_MEM_HIGH or PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH.
 * @param value 0.
 * @return the codes of portaclDeviceGetGraphMemAttribute
 * @retval ACL_ERROR_INVALID_PARAM 100000: also for another value, and for a read-only attribute.
 * @note Thread-safe. Equivalent to cudaDeviceSetGraphMemAttribute.
 */
aclError portaclDeviceSetGraphMemAttribute(int32_t deviceId, portaclGraphMemAttr attr, uint64_t value);

/**
 * Releases memory to the device that is reserved for graphs and not in use.
 *
 * @param deviceId a device that is set.
 * @return the codes of portaclDeviceGetGraphMemAttribute.
 * @note Thread-safe. Equivalent to cudaDeviceGraphMemTrim.
 */
aclError portaclDeviceGraphMemTrim(int32_t deviceId);

/**
 * Allocates memory from the current pool of the stream's device: aclrtMemPoolMallocAsync from portaclDeviceGetMemPool.
 *
 * @param ptr receives the address, aligned to 512 bytes on the CPU and to at least 256 bytes on GPUs.
 * @param size bytes, at least 1.
 * @param stream a stream of the current device; null: the default stream of the current context.
 * @return the codes of aclrtMemPoolMallocAsync, and of portaclDeviceGetDefaultMemPool if that pool has to be created.
 * @note Thread-safe. Equivalent to cudaMallocAsync.
 */
aclError portaclMallocAsync(void **ptr, size_t size, aclrtStream stream);

/**
 * Frees memory in any pool in stream order: another name of aclrtMemPoolFreeAsync.
 *
 * @param ptr the start of pool memory.
 * @param stream a stream of the current device that is ordered after all uses of the memory; null: the default stream
 *     of the current context.
 * @return the codes of aclrtMemPoolFreeAsync.
 * @note Thread-safe. Equivalent to cudaFreeAsync.
 */
aclError portaclFreeAsync(void *ptr, aclrtStream stream);

/**
 * Returns the default pool of a device. It cannot be destroyed, and is released with the device.
 *
 * @param memPool receives the pool.
 * @param deviceId a device that is set.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `memPool` is null.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not support pools.
 * @retval ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_MEMORY_ALLOCATION 207001 and ACL_ERROR_RT_DRV_INTERNAL_ERROR
 *     507899: as from aclrtMemPoolCreate: the first call creates the pool.
 * @note Thread-safe. Equivalent to cudaDeviceGetDefaultMemPool; on CUDA it is a pool of the library, not the driver's
 *     default pool.
 */
aclError portaclDeviceGetDefaultMemPool(aclrtMemPool *memPool, int32_t deviceId);

/**
 * Returns the current pool of a device, from which portaclMallocAsync allocates: the pool of portaclDeviceSetMemPool,
 * or the default pool.
 *
 * @param memPool receives the pool.
 * @param deviceId a device that is set.
 * @return the codes of portaclDeviceGetDefaultMemPool.
 * @note Thread-safe. Equivalent to cudaDeviceGetMemPool.
 */
aclError portaclDeviceGetMemPool(aclrtMemPool *memPool, int32_t deviceId);

/**
 * Sets the current pool of a device, from which portaclMallocAsync allocates, for all threads, until the pool is
 * destroyed or the device is reset: then the default pool is current again.
 *
 * @param deviceId a device that is set.
 * @param memPool a pool of that device's own memory, not imported.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `memPool` is null.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, `memPool` is not a live pool, is imported, or not
 *     of that device's own memory, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @note Thread-safe. Equivalent to cudaDeviceSetMemPool.
 */
aclError portaclDeviceSetMemPool(int32_t deviceId, aclrtMemPool memPool);

/**
 * Returns which memory pools a device supports: what cudaDeviceGetAttribute returns for
 * cudaDevAttrMemoryPoolsSupported and related attributes. The creation of a pool without support returns 207000. A
 * CUDA driver that does not know an attribute counts as 0, even if it can create such a pool.
 *
 * @param deviceId 0 to the number of devices minus 1; the device need not be set.
 * @param what the attribute.
 * @param value receives the value.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `value` is null, or `what` is unknown.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device, or the driver does not respond.
 * @note Thread-safe.
 */
aclError portaclDeviceGetMemPoolSupport(int32_t deviceId, portaclMemPoolSupport what, uint64_t *value);

/**
 * Sets which devices may use a pool's memory, present and future. Initially only the device of the pool has
 * access, and no device has access to a pool of host memory, which the host uses. An operation that reads the memory
 * needs read access of its stream's device, an operation that writes it read-write access; otherwise the call returns
 * ACL_ERROR_RT_PARAM_INVALID, but a kernel on a GPU fails when it runs. A pool of managed memory gives all devices
 * read-write access, which cannot change.
 *
 * @param memPool a pool.
 * @param descList access of devices: `location` names the device (ACL_MEM_LOCATION_TYPE_DEVICE), `flags` is
 *     ACL_RT_MEM_ACCESS_FLAGS_NONE, _READ or _READWRITE. The pool's device always has read-write access. Not needed
 *     after the call.
 * @param count number of descriptors, at least 1.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, `count` is 0, a location that is not a device, unknown flags, or less
 *     than read-write access for the pool's device, or for any device with a pool of managed memory.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a live pool, or called inside a host function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a device cannot access the memory on the other device
 *     (aclrtDeviceCanAccessPeer).
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses. After an invalid argument nothing has changed.
 * @note Thread-safe. Equivalent to cudaMemPoolSetAccess.
 */
aclError portaclMemPoolSetAccess(aclrtMemPool memPool, const aclrtMemAccessDesc *descList, size_t count);

/**
 * Returns the access of a device, or of the host, to a pool's memory.
 *
 * @param flags receives ACL_RT_MEM_ACCESS_FLAGS_NONE, _READ or _READWRITE.
 * @param memPool a pool.
 * @param location a device (ACL_MEM_LOCATION_TYPE_DEVICE), or the host (ACL_MEM_LOCATION_TYPE_HOST or _HOST_NUMA, with
 *     any id).
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or an unknown type of location.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a live pool, or called inside a host function.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Equivalent to cudaMemPoolGetAccess.
 */
aclError portaclMemPoolGetAccess(aclrtMemAccessFlags *flags, aclrtMemPool memPool, const aclrtMemLocation *location);

/**
 * Creates a pool, as aclrtMemPoolCreate does, with the properties of that call and a usage.
 *
 * @param memPool receives the pool, which lives until aclrtMemPoolDestroy, or until its device is reset (a pool of
 *     host memory: until aclFinalize).
 * @param poolProps the properties of the pool; not needed after the call. `size` is sizeof(portaclMemPoolProps).
 *     `allocType`, `handleType`, `location` and `maxSize` are those of aclrtMemPoolCreate. `usage`: 0, or
 *     PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS for memory that the device's engine for decompression uses; 0 for managed
 *     memory.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, another `size`, or invalid or contradictory properties.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: also: the device has no engine for decompression
 *     (PORTACL_MEM_POOL_SUPPORT_HW_DECOMPRESS).
 * @return the codes of aclrtMemPoolCreate.
 * @note Thread-safe. Equivalent to cudaMemPoolCreate.
 */
aclError portaclMemPoolCreate(aclrtMemPool *memPool, const portaclMemPoolProps *poolProps);

/**
 * Returns a property that a pool was created with, also of a default or an imported pool.
 *
 * @param memPool a pool.
 * @param what the property.
 * @param value receives the value.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, or `what` is unknown.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a live pool, or called inside a host function.
 * @note Thread-safe. Equivalent to cudaMemPoolGetAttribute with cudaMemPoolAttrAllocationType,
 *     cudaMemPoolAttrExportHandleTypes, cudaMemPoolAttrLocationType, cudaMemPoolAttrLocationId,
 *     cudaMemPoolAttrMaxPoolSize and cudaMemPoolAttrHwDecompressEnabled, with the numbers of this API.
 */
aclError portaclMemPoolGetProperty(aclrtMemPool memPool, portaclMemPoolProperty what, uint64_t *value);

/**
 * Returns the default pool of a location and an allocation type. It cannot be destroyed. That of host memory is
 * released by aclFinalize, that of managed memory with its device.
 *
 * @param memPool receives the pool. For a device and ACL_MEM_ALLOCATION_TYPE_PINNED it is that of
 *     portaclDeviceGetDefaultMemPool.
 * @param location a location of aclrtMemPoolCreate for this allocation type; not needed after the call. Managed memory
 *     that prefers no device has a default pool on each device: the call returns that of the current one.
 * @param allocType ACL_MEM_ALLOCATION_TYPE_PINNED or PORTACL_MEM_ALLOCATION_TYPE_MANAGED.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, an unknown `allocType`, or a location that such memory cannot have.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize, or for managed memory that prefers no device without a
 *     current context.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the driver does not support such pools.
 * @retval ACL_ERROR_BAD_ALLOC 200000, ACL_ERROR_RT_MEMORY_ALLOCATION 207001 and ACL_ERROR_RT_DRV_INTERNAL_ERROR
 *     507899: as from aclrtMemPoolCreate: the first call creates the pool.
 * @note Thread-safe. Equivalent to cudaMemGetDefaultMemPool; on CUDA it is a pool of the library, not the driver's
 *     default pool, so it needs no driver of CUDA 13, except for managed memory.
 */
aclError portaclMemGetDefaultMemPool(aclrtMemPool *memPool,
                                     const aclrtMemLocation *location,
                                     aclrtMemAllocationType allocType);

/**
 * Returns the current pool of a location and an allocation type: the pool of portaclMemSetMemPool, or the default
 * pool.
 *
 * @param memPool receives the pool. For a device and ACL_MEM_ALLOCATION_TYPE_PINNED it is that of
 *     portaclDeviceGetMemPool, from which portaclMallocAsync allocates.
 * @param location a location, as for portaclMemGetDefaultMemPool; not needed after the call.
 * @param allocType ACL_MEM_ALLOCATION_TYPE_PINNED or PORTACL_MEM_ALLOCATION_TYPE_MANAGED.
 * @return the codes of portaclMemGetDefaultMemPool.
 * @note Thread-safe. Equivalent to cudaMemGetMemPool.
 */
aclError portaclMemGetMemPool(aclrtMemPool *memPool,
                              const aclrtMemLocation *location,
                              aclrtMemAllocationType allocType);

/**
 * Sets the current pool of a location and an allocation type, for all threads, until the pool is destroyed or the
 * device is reset: then the default pool is current again. The other libraries in the process keep their current
 * pools.
 *
 * @param location the location that the pool was created with; not needed after the call.
 * @param allocType the allocation type that it was created with.
 * @param memPool a pool, not imported.
 * @retval ACL_ERROR_INVALID_PARAM 100000: null, an unknown `allocType`, or a location that such memory cannot have.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: the device is not set, `memPool` is not a live pool, is imported, or was
 *     created with another location or allocation type, or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize, or for managed memory that prefers no device without a
 *     current context.
 * @note Thread-safe. Equivalent to cudaMemSetMemPool. For a device and ACL_MEM_ALLOCATION_TYPE_PINNED it is
 *     portaclDeviceSetMemPool.
 */
aclError portaclMemSetMemPool(const aclrtMemLocation *location, aclrtMemAllocationType allocType, aclrtMemPool memPool);

/**
 * Exports a pool to other processes. Sharing a pool takes four calls: this one and portaclMemPoolExportPointer in the
 * exporting process, portaclMemPoolImportFromShareableHandle and portaclMemPoolImportPointer in the importing process,
 * which needs the same device and may have other settings. The importers must free what they imported, and wait for
 * that, before this process frees the memory: memory that an importer still has then stays readable, with undefined
 * contents.
 *
 * @param shareableHandle for ACL_MEM_HANDLE_TYPE_POSIX an `int`, which receives a new descriptor. The caller owns it,
 *     sends it (SCM_RIGHTS over a Unix socket, or pidfd_getfd) and may close it at any time; child processes do not
 *     inherit it across exec. For PORTACL_MEM_HANDLE_TYPE_FABRIC 64 bytes.
 * @param memPool a pool of this process, created with this handle type; not an imported pool.
 * @param handleType ACL_MEM_HANDLE_TYPE_POSIX or PORTACL_MEM_HANDLE_TYPE_FABRIC.
 * @param flags must be 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `shareableHandle` or `memPool` is null, `handleType` is another type,
 *     `flags` is not 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `memPool` is not a live pool, is imported, or was created with another
 *     handle type, or called inside a host function.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no descriptor is available.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. No device need be set. Follows cudaMemPoolExportToShareableHandle.
 */
aclError portaclMemPoolExportToShareableHandle(void *shareableHandle,
                                               aclrtMemPool memPool,
                                               aclrtMemHandleType handleType,
                                               uint32_t flags);

/**
 * Imports a pool of another process. An imported pool cannot be allocated from: it only imports allocations
 * (portaclMemPoolImportPointer), cannot become a current pool, and has no attributes. It belongs to the calling
 * thread's current device and is destroyed with it, a pool of host memory by aclFinalize. aclrtMemPoolDestroy destroys
 * it, and imported allocations stay until they are freed. Only the exporting process counts the memory. If that
 * process ends, in any way, imported allocations stay readable and writable, and new imports fail; on a GPU the driver
 * decides.
 *
 * @param memPool receives the pool.
 * @param shareableHandle for ACL_MEM_HANDLE_TYPE_POSIX the descriptor itself, cast to a pointer: the caller keeps it,
 *     and may close it after the call. For PORTACL_MEM_HANDLE_TYPE_FABRIC a pointer to the 64 bytes.
 * @param handleType the type used for the export.
 * @param flags must be 0.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `memPool` (or, if it is a pointer, `shareableHandle`) is null, `handleType`
 *     is another type, `flags` is not 0.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `shareableHandle` is not an open descriptor, not a descriptor of an
 *     exported pool, damaged or of another version of this library; the pool is on another device than the current
 *     one, or, on the CPU, it was destroyed or its process has ended; or called inside a host function.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: the thread has no current context.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the device cannot share pools in this way.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no descriptor or no host memory is available.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. Follows cudaMemPoolImportFromShareableHandle.
 */
aclError portaclMemPoolImportFromShareableHandle(aclrtMemPool *memPool,
                                                 void *shareableHandle,
                                                 aclrtMemHandleType handleType,
                                                 uint32_t flags);

/**
 * Exports an allocation of an exported pool: returns a name for other processes. Repeated calls return the same bytes.
 * The name ends when the allocation is freed: then it cannot be imported any more.
 *
 * @param exportData the caller sets its `size`; receives `data`, plain bytes that can be passed in any way.
 * @param ptr the start of an allocation of a pool that was created with a handle type. Importers read what completed
 *     work has written; the processes must synchronize with each other, for example over a socket.
 * @retval ACL_ERROR_INVALID_PARAM 100000: an argument is null, or `size` is not the size of the structure.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `ptr` is not the start of a live allocation of such a pool, is imported,
 *     or called inside a host function.
 * @retval ACL_ERROR_BAD_ALLOC 200000: more than 65,408 pointers of one pool are exported at a time.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. No device need be set. Follows cudaMemPoolExportPointer.
 */
aclError portaclMemPoolExportPointer(portaclMemPoolPtrExportData *exportData, void *ptr);

/**
 * Imports an allocation by its name, at an address of this process. Repeated imports return different addresses; each
 * is freed separately, with aclrtMemPoolFreeAsync or aclrtFree, which does not affect the exporting process. Memory
 * hooks are called after the import; if one refuses, the call returns its code.
 *
 * @param ptr receives the address: memory on the pool's device, with read-write access.
 * @param memPool the imported pool.
 * @param exportData a name that portaclMemPoolExportPointer returned for an allocation of this pool.
 * @retval ACL_ERROR_INVALID_PARAM 100000: an argument is null, or `size` is not the size of the structure.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: `memPool` is not a live pool, or not imported; the name is damaged, of
 *     another pool or of an allocation that was freed; on the CPU also if the exporting process destroyed the pool or
 *     has ended; or called inside a host function.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no address space or memory to map it.
 * @retval ACL_ERROR_RT_MEMORY_ALLOCATION 207001: in guard mode, it is larger than a device of this process.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refuses.
 * @note Thread-safe. No device need be set. Follows cudaMemPoolImportPointer.
 */
aclError portaclMemPoolImportPointer(void **ptr,
                                     aclrtMemPool memPool,
                                     const portaclMemPoolPtrExportData *exportData);

/**
 * Registers an address of the program as a symbol of a variable or a kernel of a binary, on the device of that binary.
 * Compilers that build host and device code together do this automatically. Afterwards aclrtGetSymbolAddress,
 * aclrtGetSymbolSize, aclrtMemcpyToSymbol and its variants accept a symbol of a variable; aclrtGetFuncBySymbol, and
 * launches with a `void* func`, accept a symbol of a kernel. A symbol can be registered separately for each device. On
 * one device the latest registration counts. The registration ends when the binary is unloaded.
 *
 * @param binHandle a handle of aclrtBinaryLoad, aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
 * @param symbol any address, for example of a variable or function of the program; the memory is not accessed.
 * @param name the name in the binary; if a variable and a kernel have this name, the variable is used.
 * @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a binary handle, unloaded, the binary has neither a variable nor a
 *     kernel of that name, or called inside a host function.
 * @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: as in aclrtBinaryGetFunction.
 * @note Thread-safe.
 */
aclError portaclRegisterSymbol(aclrtBinHandle binHandle, const void *symbol, const char *name);

/**
 * Registers a memory hook, which is called for each allocation and release of device, page-locked host, managed and
 * pool memory, and for each import of another process's memory and its end, after the hooks that were registered
 * earlier. *malloc* functions are called when the program allocates memory, *free* functions when it frees memory,
 * *alloc* functions inside a malloc when the library allocates from the device or the system because no cached memory
 * serves the request. If a *before* function does not return 0, the call returns its value and has no effect; the text
 * names the hook (portaclMemoryHookGiveReason adds a reason). Hooks whose before function already ran get their
 * *after* function with `failed` 1. Memory that is released with its device or by aclFinalize is not reported. A hook
 * may call any function of this library. It must return, and must not throw.
 *
 * @param hook the functions; copied, so the caller need not keep the structure. The user data that it points to must
 *     stay valid.
 * @param scope this thread or all threads.
 * @param id receives the id of the hook, which is never used again; may be null.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `hook` or its name is null, the name is empty, `structSize` is too small, or
 *     `scope` is unknown.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: a hook of this name is already registered for an overlapping scope.
 * @retval ACL_ERROR_BAD_ALLOC 200000: for this thread only: the process has no pthread key left.
 * @note Works at any time. Thread-safe. The model is MemoryHook of CuPy.
 */
aclError portaclMemoryHookRegister(const portaclMemoryHook *hook,
                                   portaclMemoryHookScope scope,
                                   uint64_t *id);

/**
 * Unregisters a memory hook, in any order. When this returns, the hook is not called any more, and its user data may
 * be freed; if this is called inside the hook, the hook is not called again after it has returned. Waits for calls of
 * the hook on other threads. If that wait could last forever (docs/callbacks.md), this fails: the hook is not called
 * any more, but a call of it may still run. The hook stays listed; before you free its user data, unregister it again
 * outside of callbacks, which waits.
 *
 * @param id the id that the registration returned.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a registered hook, or the wait could last forever.
 * @note Works at any time. Thread-safe.
 */
aclError portaclMemoryHookUnregister(uint64_t id);

/**
 * Lists the registered memory hooks of all threads, in the order of their registration.
 *
 * @param hooks receives the elements; null: only returns their number. The caller sets `structSize` of the first
 *     element.
 * @param capacity number of elements at `hooks`.
 * @param count receives the number of elements, also if it is larger than `capacity`.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `count` is null, `structSize` is not the size of the structure, or
 *     `capacity` is too small.
 * @note Works at any time. Thread-safe.
 */
aclError portaclMemoryHookList(portaclMemoryHookInfo *hooks, size_t capacity, size_t *count);

/**
 * Sets the reason of a refusal. Call it inside a *before* function of a memory hook that is about to refuse: the
 * reason becomes part of the text of the refused call. Has no effect outside of before functions.
 *
 * @param reason a text, copied.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `reason` is null.
 * @note Thread-safe.
 */
aclError portaclMemoryHookGiveReason(const char *reason);

/**
 * Reports a failure of a memory hook. Call it inside an *after* function: portaclMemoryHookList returns the number of
 * failures and the latest text. The allocation or free stays as it is. Has no effect outside of the
 * functions of a hook.
 *
 * @param what a text, copied.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `what` is null.
 * @note Thread-safe.
 */
aclError portaclMemoryHookNoteFailure(const char *what);

/**
 * Writes an event as portaclMemoryHookRegisterDebugPrint does: a JSON line, without the line end.
 *
 * @param moment the moment that was passed to the hook.
 * @param event the event that was passed to the hook.
 * @param line receives a zero-terminated text; null: only returns the length.
 * @param size size of `line` in bytes; 256 bytes are always enough.
 * @return the length of the line without its terminating zero; 0 if `event` is null, too small or of an unknown kind,
 *     `moment` is unknown, or the line does not fit. aclGetRecentErrMsg returns the reason.
 * @note Thread-safe.
 */
size_t portaclMemoryEventToJson(portaclMemoryMoment moment,
                                const portaclMemoryEvent *event,
                                char *line,
                                size_t size);

/**
 * Registers the hook "DebugPrintHook", which prints a JSON line after each alloc, malloc and free, with the names and
 * the order of CuPy's DebugPrintHook, and flushes it.
 *
 * @param path the file, which is created or truncated; null: standard output.
 * @param scope this thread or all threads.
 * @param id receives the id of the hook; may be null.
 * @retval ACL_ERROR_INVALID_FILE 100003: the file cannot be written.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `scope` is unknown.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: a hook of this name is already registered for an overlapping scope.
 * @note Thread-safe.
 */
aclError portaclMemoryHookRegisterDebugPrint(const char *path, portaclMemoryHookScope scope, uint64_t *id);

/**
 * Registers the hook "LoggingHook", which writes a JSON line for each alloc, malloc and free: a log that can be
 * replayed. docs/allocation_log.md describes its format.
 *
 * @param path the file, which is created or truncated. Each line is written at once.
 * @param scope this thread or all threads.
 * @param id receives the id of the hook; may be null.
 * @return the codes of portaclMemoryHookRegisterDebugPrint
 * @retval ACL_ERROR_INVALID_PARAM 100000: also: `path` is null.
 * @note Thread-safe.
 */
aclError portaclMemoryHookRegisterLogging(const char *path, portaclMemoryHookScope scope, uint64_t *id);

/**
 * Registers the hook "LimitHook", which refuses allocations beyond a budget with ACL_ERROR_RT_MEMORY_ALLOCATION
 * 207001. It counts allocations made while it is registered, in rounded bytes, device and host memory together.
 * Imported memory does not count; its exporter counts it.
 *
 * @param most maximum number of bytes allocated at one time.
 * @param scope this thread or all threads.
 * @param id receives the id of the hook; may be null.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `scope` is unknown.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: a hook of this name is already registered for an overlapping scope.
 * @note Thread-safe.
 */
aclError portaclMemoryHookRegisterLimit(size_t most, portaclMemoryHookScope scope, uint64_t *id);

/**
 * Registers the hook "LineProfileHook", which sums allocations by the place in the program that makes them:
 * portaclMemoryHookReport returns the tree. The model is LineProfileHook of CuPy. Each allocation costs a stack walk;
 * names are resolved when the report is made.
 *
 * @param maxDepth levels of the tree below its root; 0: all levels.
 * @param scope this thread or all threads.
 * @param id receives the id of the hook; may be null.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `scope` is unknown.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: a hook of this name is already registered for an overlapping scope.
 * @note Thread-safe.
 */
aclError portaclMemoryHookRegisterLineProfile(size_t maxDepth, portaclMemoryHookScope scope, uint64_t *id);

/**
 * Returns the report of a hook. For portaclMemoryHookRegisterLineProfile it is a legend in one line, and a tree of
 * lines `file:line:function (rounded bytes in N mallocs, rounded bytes in N allocs)`, indented by two spaces per call
 * level, callers first, siblings ordered by decreasing use. Functions without debugging information appear by name or
 * address only.
 *
 * @param id the id of the hook.
 * @param text receives a zero-terminated text, truncated to `size`; null: only returns the length.
 * @param size size of `text` in bytes.
 * @param length receives the length of the whole text without its terminating zero; may be null.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a registered hook, or a hook without a report.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `text` is not null and `size` is 0.
 * @note Thread-safe.
 */
aclError portaclMemoryHookReport(uint64_t id, char *text, size_t size, size_t *length);

/**
 * Returns the tree of portaclMemoryHookReport as numbers: each function before the functions that it called, siblings
 * ordered by decreasing use, the root first.
 *
 * @param id the id of a hook of portaclMemoryHookRegisterLineProfile.
 * @param nodes receives the elements; null: only returns their number. The caller sets `structSize` of the first
 *     element.
 * @param capacity number of elements at `nodes`. If there are more, the first ones are written.
 * @param count receives the number of elements, also if it is larger than `capacity`.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `count` is null, or `structSize` is not the size of the structure.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a registered hook, or a hook without a profile.
 * @note Works at any time. Thread-safe.
 */
aclError portaclMemoryHookProfile(uint64_t id, portaclMemoryProfileNode *nodes, size_t capacity, size_t *count);

/**
 * Starts recording the thread, time and call stack of each allocation, until the process ends, for
 * portaclMemorySnapshot and portaclMemoryReportLeaks. Each allocation then costs a stack walk. PORTACL_LEAK_CHECK
 * records from the start. A second call has no effect.
 *
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: a memory hook of the name "portacl's recorder" was registered.
 * @note Thread-safe.
 */
aclError portaclMemoryRecord(void);

/**
 * For libraries that are built on this one, as libopapi is: what the calling thread makes from now on belongs to the
 * library and not to the program, until portaclLeakCheckResume. Leak reports name neither such memory nor such
 * objects, and PORTACL_LEAK_CHECK=abort does not end the process for them; lists and statistics of memory contain
 * them. Reserved ranges of addresses and registrations of host memory are reported nevertheless, because they have no
 * handles. A program has no use for this: a leak that is not reported is a leak. Pauses may be nested. Works at any
 * time.
 *
 * @retval ACL_SUCCESS 0
 * @note Thread-safe; for the calling thread only.
 */
aclError portaclLeakCheckPause(void);

/**
 * Ends the latest portaclLeakCheckPause of the calling thread. Without one it does nothing. Works at any time.
 *
 * @retval ACL_SUCCESS 0
 * @note Thread-safe; for the calling thread only.
 */
aclError portaclLeakCheckResume(void);

/**
 * Lists all live allocations of device, managed, page-locked host, pool, graph and imported memory by address;
 * physical memory, which has none, comes first. Other threads continue without waiting: memory that is live during the
 * whole call is listed exactly once. Memory that they allocate or free during the call may or may not be listed, so
 * two ranges may overlap.
 *
 * @param allocations receives the elements; null: only returns their number. The caller sets `structSize` of the first
 *     element.
 * @param capacity number of elements at `allocations`. If there are more, those with the lowest addresses are written.
 * @param count receives the number of elements, also if it is larger than `capacity`.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `count` is null, or `structSize` is not the size of the structure. Works at
 *     any time.
 * @retval ACL_ERROR_BAD_ALLOC 200000: no host memory for the list.
 * @note Thread-safe.
 */
aclError portaclMemorySnapshot(portaclMemoryAllocation *allocations, size_t capacity, size_t *count);

/**
 * Writes the live allocations to standard error, with thread, age and allocating functions if they were recorded, and
 * the releases that failed in destructors since the previous report. Writes nothing if there is nothing to report.
 * PORTACL_LEAK_CHECK=1 reports more: see docs/leaks.md. Works at any time.
 *
 * @param count receives the number of live allocations; may be null.
 * @retval ACL_ERROR_BAD_ALLOC 200000: the host has no memory for the list.
 * @note Thread-safe.
 */
aclError portaclMemoryReportLeaks(size_t *count);

/**
 * Reports leaks as portaclMemoryReportLeaks, but calls a function of the program for each line.
 *
 * @param write receives a line; it may call this library.
 * @param userData its first argument.
 * @param count receives the number of live allocations; may be null.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `write` is null.
 * @retval ACL_ERROR_BAD_ALLOC 200000: the host has no memory for the list.
 * @note Works at any time. Thread-safe.
 */
aclError portaclMemoryReportLeaksTo(portaclLineWriter write, void *userData, size_t *count);

/**
 * Returns current, peak and total amounts of a kind of memory. Registrations of the caller's memory are not
 * allocations. If no other thread allocates or frees at the same time, all numbers are exact and consistent; otherwise
 * each number is exact at some moment of the call. Adds no cost to allocations and frees.
 *
 * @param deviceId the device; -1: host memory, with PORTACL_MEMORY_PINNED, with PORTACL_MEMORY_POOL for pools in host
 *     memory, with PORTACL_MEMORY_GRAPH for graphs that allocate from them, and with PORTACL_MEMORY_IMPORTED for
 *     imported host memory. A device that is not in use has zeros.
 * @param kind the kind of memory; PORTACL_MEMORY_POOL: all pools of the device that this process created;
 *     PORTACL_MEMORY_IMPORTED: memory from other processes, including their pools.
 * @param stats receives the numbers. The caller sets `structSize`.
 * @retval ACL_ERROR_INVALID_PARAM 100000: `stats` is null, `structSize` is not the size of the structure, or `kind` is
 *     unknown.
 * @retval ACL_ERROR_RT_INVALID_DEVICEID 107001: no such device, -1 for device or managed memory, or a device for
 *     page-locked memory.
 * @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
 * @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
 * @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899, or another code: no usable device, or on CUDA the driver's failure
 *     about a pool of the program or of graphs.
 * @note Thread-safe. Similar to RMM's statistics and torch.cuda.memory_stats.
 */
aclError portaclMemoryGetStats(int32_t deviceId, portaclMemoryKind kind, portaclMemoryStats *stats);

/**
 * Resets the peaks of portaclMemoryGetStats to the current values. Also resets the peaks of aclrtGetMemUsageInfo and,
 * for pools, the used and reserved high watermarks of ACL_RT_MEM_POOL_ATTR, which are the same numbers.
 *
 * @param deviceId as in portaclMemoryGetStats; no effect for a device that is not in use.
 * @param kind as in portaclMemoryGetStats.
 * @return the codes of portaclMemoryGetStats.
 * @note Thread-safe.
 */
aclError portaclMemoryResetPeak(int32_t deviceId, portaclMemoryKind kind);

/**
 * Lists the memory pools of a device, or of host memory, with the statistics of portaclMemoryGetStats for each; the
 * peak of one pool is exact. A destroyed pool is listed until its last memory is freed.
 *
 * @param deviceId the device; -1: pools in host memory.
 * @param pools receives the elements; null: only returns their number. The caller sets `structSize` of the first
 *     element.
 * @param capacity number of elements at `pools`. If there are more pools, those with the oldest handles are written.
 * @param count receives the number of elements, also if it is larger than `capacity`.
 * @return the codes of portaclMemoryGetStats, without `kind`
 * @retval ACL_ERROR_INVALID_PARAM 100000: also if `count` is null.
 * @note Thread-safe.
 */
aclError portaclMemoryListPools(int32_t deviceId, portaclMemoryPoolStats *pools, size_t capacity, size_t *count);

/**
 * Lists live allocations of a kind that have an address by their page size, smallest pages first. Queries the system
 * for each allocation, which may take some microseconds each, and makes the system decide on 2 MiB pages that it had
 * deferred until the memory is used.
 *
 * @param deviceId as in portaclMemoryGetStats.
 * @param kind as in portaclMemoryGetStats.
 * @param sizes receives the elements; null: only returns their number. The caller sets `structSize` of the first
 *     element.
 * @param capacity number of elements at `sizes`; there are at most three sizes.
 * @param count receives the number of elements, also if it is larger than `capacity`.
 * @return the codes of portaclMemoryGetStats
 * @retval ACL_ERROR_INVALID_PARAM 100000: also if `count` is null.
 * @note Thread-safe.
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
