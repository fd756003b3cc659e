//! Types of `portacl.h`.

use std::ffi::{c_char, c_uchar, c_void};
use std::mem::MaybeUninit;

use super::base::{aclError, aclrtStream};
use super::rt::{aclrtMemAllocationType, aclrtMemHandleType, aclrtMemLocation};
use super::soma::aclrtMemPool;

/// The major version number of portacl that this header belongs to. ACL_MAJOR_VERSION is the version of the Ascend
/// runtime API instead.
pub const PORTACL_VERSION_MAJOR: i32 = 0;

/// The minor version number of portacl.
pub const PORTACL_VERSION_MINOR: i32 = 1;

/// The patch version number of portacl.
pub const PORTACL_VERSION_PATCH: i32 = 0;

// `./dev release` sets these numbers together with Cargo.toml.
const _: () = {
    assert!(matches!(i32::from_str_radix(env!("CARGO_PKG_VERSION_MAJOR"), 10), Ok(PORTACL_VERSION_MAJOR)));
    assert!(matches!(i32::from_str_radix(env!("CARGO_PKG_VERSION_MINOR"), 10), Ok(PORTACL_VERSION_MINOR)));
    assert!(matches!(i32::from_str_radix(env!("CARGO_PKG_VERSION_PATCH"), 10), Ok(PORTACL_VERSION_PATCH)));
};

/// A value of aclrtMemPoolProps::handleType: the memory can be shared with other machines, if the driver supports it.
pub const PORTACL_MEM_HANDLE_TYPE_FABRIC: i32 = 8;

/// A value of the allocation type of a pool: managed memory, which the host and all devices use.
pub const PORTACL_MEM_ALLOCATION_TYPE_MANAGED: i32 = 2;

/// A value of the type of a pool's location: host memory of the NUMA node that the calling thread runs on.
pub const PORTACL_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT: i32 = 104;

/// A value of portaclMemPoolProps::usage: the device's engine for decompression reads and writes the memory.
pub const PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS: u32 = 2;

/// Properties of a pool, for portaclMemPoolCreate.
#[repr(C)]
pub struct portaclMemPoolProps {
    /// Size of this structure in bytes.
    pub size: usize,
    /// ACL_MEM_ALLOCATION_TYPE_PINNED or PORTACL_MEM_ALLOCATION_TYPE_MANAGED.
    pub allocType: MaybeUninit<aclrtMemAllocationType>,
    /// How its memory can be shared.
    pub handleType: MaybeUninit<aclrtMemHandleType>,
    /// The location.
    pub location: aclrtMemLocation,
    /// Maximum size in bytes; 0 is no limit.
    pub maxSize: usize,
    /// 0 or PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS.
    pub usage: u32,
}

/// Properties that a pool was created with. All are 64-bit numbers.
#[repr(C)]
pub enum portaclMemPoolProperty {
    /// ACL_MEM_ALLOCATION_TYPE_PINNED 0 or PORTACL_MEM_ALLOCATION_TYPE_MANAGED 2.
    PORTACL_MEM_POOL_PROPERTY_ALLOC_TYPE = 0,
    /// The handle type for other processes: ACL_MEM_HANDLE_TYPE_NONE 0 (also of an imported pool, which cannot be
    /// exported again), ACL_MEM_HANDLE_TYPE_POSIX 2 or PORTACL_MEM_HANDLE_TYPE_FABRIC 8.
    PORTACL_MEM_POOL_PROPERTY_HANDLE_TYPE = 1,
    /// The type of the location: ACL_MEM_LOCATION_TYPE_DEVICE, _HOST or _HOST_NUMA, also for a pool that was created
    /// with PORTACL_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, or ACL_MEM_LOCATION_TYPE_MANAGED for managed memory without a
    /// preferred location.
    PORTACL_MEM_POOL_PROPERTY_LOCATION_TYPE = 2,
    /// The device or the NUMA node; 0 for ACL_MEM_LOCATION_TYPE_HOST. For ACL_MEM_LOCATION_TYPE_MANAGED the device
    /// whose reset ends the pool.
    PORTACL_MEM_POOL_PROPERTY_LOCATION_ID = 3,
    /// The maximum size in bytes; 0: no limit. On the CPU the multiple of 2 MiB to which it was rounded up, on GPUs the
    /// number of the caller, which the driver may round up. 0 for an imported pool.
    PORTACL_MEM_POOL_PROPERTY_MAX_SIZE = 4,
    /// 0 or PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS 2.
    PORTACL_MEM_POOL_PROPERTY_USAGE = 5,
}

/// Attributes of a device about memory pools.
#[repr(C)]
pub enum portaclMemPoolSupport {
    /// 1 if the device supports pools of its memory, else 0.
    PORTACL_MEM_POOL_SUPPORT_DEVICE = 0,
    /// Handle types of pools that can be shared: ACL_MEM_HANDLE_TYPE_POSIX 2 and PORTACL_MEM_HANDLE_TYPE_FABRIC 8, as a
    /// bit mask.
    PORTACL_MEM_POOL_SUPPORT_HANDLE_TYPES = 1,
    /// 1 if pools of host memory (ACL_MEM_LOCATION_TYPE_HOST) are supported, else 0.
    PORTACL_MEM_POOL_SUPPORT_HOST = 2,
    /// 1 if pools of host memory of a NUMA node (ACL_MEM_LOCATION_TYPE_HOST_NUMA) are supported, else 0.
    PORTACL_MEM_POOL_SUPPORT_HOST_NUMA = 3,
    /// 1 if other devices on the bus, such as network cards, can read and write the device's memory (GPUDirect RDMA),
    /// else 0.
    PORTACL_MEM_POOL_SUPPORT_RDMA = 4,
    /// How such writes can be flushed, as a bit mask: 1 by the host, 2 by operations of a stream.
    PORTACL_MEM_POOL_SUPPORT_RDMA_FLUSH_WRITES = 5,
    /// The devices for which such writes are ordered without a flush: 0 none, 100 this device, 200 all devices.
    PORTACL_MEM_POOL_SUPPORT_RDMA_WRITES_ORDERING = 6,
    /// 1 if pools of managed memory (PORTACL_MEM_ALLOCATION_TYPE_MANAGED) are supported, else 0.
    PORTACL_MEM_POOL_SUPPORT_MANAGED = 7,
    /// 1 if the device has an engine for decompression (PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS), else 0.
    PORTACL_MEM_POOL_SUPPORT_HW_DECOMPRESS = 8,
}

/// The name of an allocation of a shared pool for other processes. Plain bytes that can be passed in any way.
#[repr(C)]
pub struct portaclMemPoolPtrExportData {
    /// Size of this structure in bytes; the caller sets it before either call.
    pub size: usize,
    /// The name of the allocation.
    pub data: [c_uchar; 64],
}

/// Attributes of the memory of a device's graphs. All are 64-bit numbers of bytes.
#[repr(C)]
pub enum portaclGraphMemAttr {
    /// Graph memory: allocated by captured streams from pools, until the graph is destroyed, or, if a launch
    /// allocated it and the graph is destroyed first, until it is freed. Read-only.
    PORTACL_GRAPH_MEM_ATTR_USED_MEM_CURRENT = 0,
    /// The high watermark of that; can be set to 0, which resets it to the current value.
    PORTACL_GRAPH_MEM_ATTR_USED_MEM_HIGH = 1,
    /// Memory taken from the device for graphs: in use, or cached for graphs that are captured later. Read-only.
    PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT = 2,
    /// The high watermark of that; can be set to 0, which resets it to the current value.
    PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH = 3,
}

/// Kinds of memory.
#[repr(C)]
pub enum portaclMemoryKind {
    /// Device memory: aclrtMalloc and its variants, and physical device memory.
    PORTACL_MEMORY_DEVICE = 0,
    /// Page-locked host memory: aclrtMallocHost and its variants, aclrtAllocBuf, and physical host memory.
    PORTACL_MEMORY_PINNED = 1,
    /// Memory that the host and all devices use: aclrtMemAllocManaged.
    PORTACL_MEMORY_MANAGED = 2,
    /// Memory of a stream-ordered pool.
    PORTACL_MEMORY_POOL = 3,
    /// Memory from another process: opened by a key of aclrtIpcMemGetExportKey, imported as physical memory, or from a
    /// pool.
    PORTACL_MEMORY_IMPORTED = 4,
    /// Graph memory: allocated by captured streams from pools.
    PORTACL_MEMORY_GRAPH = 5,
}

/// The event that a memory hook is called for.
#[repr(C)]
pub enum portaclMemoryMoment {
    /// The library allocates memory from the device or the system.
    PORTACL_MEMORY_ALLOC = 0,
    /// The program allocates memory: from the device, or from a cache.
    PORTACL_MEMORY_MALLOC = 1,
    /// The program frees memory.
    PORTACL_MEMORY_FREE = 2,
}

/// The scope of a memory hook.
#[repr(C)]
pub enum portaclMemoryHookScope {
    /// Allocations of the thread that registers it.
    PORTACL_MEMORY_HOOK_THREAD = 0,
    /// Allocations of all threads.
    PORTACL_MEMORY_HOOK_PROCESS = 1,
}

/// An allocation or release, as passed to memory hooks.
#[repr(C)]
pub struct portaclMemoryEvent {
    /// Size of this structure in bytes: later versions may be larger.
    pub structSize: usize,
    /// The device, -1 for host memory.
    pub deviceId: i32,
    /// The kind of memory.
    pub kind: MaybeUninit<portaclMemoryKind>,
    /// Requested bytes; 0 for an alloc and a free.
    pub size: usize,
    /// Bytes that the memory takes: the same for its malloc, its alloc and its free, and the same as in
    /// portaclMemoryGetStats. The alloc of a pool is a segment, which may be larger.
    pub roundedSize: usize,
    /// The address; null before an allocation, after a failed allocation, and for physical memory, which has no
    /// address.
    pub ptr: *mut c_void,
    /// Identifies live allocations: the address, or the handle of memory without an address; 0 before an allocation and
    /// after a failed allocation.
    pub memoryId: u64,
    /// The stream of a stream-ordered allocation or free; null for others.
    pub stream: aclrtStream,
    /// Page size in bytes; 0 if unknown, as before an allocation.
    pub pageSize: usize,
    /// The system's id of the calling thread.
    pub thread: u64,
    /// In an after function: 1 if the operation did not take place, because it failed or a later hook refused it;
    /// otherwise 0.
    pub failed: i32,
}

/// Called before an operation. Returns ACL_SUCCESS, or the code of a refusal.
pub type portaclMemoryHookBefore = Option<unsafe extern "C" fn(*mut c_void, *const portaclMemoryEvent) -> aclError>;

/// Called after an operation, successful or not.
pub type portaclMemoryHookAfter = Option<unsafe extern "C" fn(*mut c_void, *const portaclMemoryEvent)>;

/// A memory hook. Any of the functions may be null. They are called on the thread that allocates or frees. They may
/// call this library, and are not called for their own calls.
#[repr(C)]
pub struct portaclMemoryHook {
    /// sizeof(portaclMemoryHook).
    pub structSize: usize,
    /// Name of the hook for people; copied.
    pub name: *const c_char,
    /// The first argument of all functions.
    pub userData: *mut c_void,
    /// Called before the library allocates memory from the device or the system.
    pub beforeAlloc: portaclMemoryHookBefore,
    /// Called after that allocation.
    pub afterAlloc: portaclMemoryHookAfter,
    /// Called before the program gets memory.
    pub beforeMalloc: portaclMemoryHookBefore,
    /// Called after that allocation.
    pub afterMalloc: portaclMemoryHookAfter,
    /// Called before the program frees memory.
    pub beforeFree: portaclMemoryHookBefore,
    /// Called after that free.
    pub afterFree: portaclMemoryHookAfter,
}

/// Information about a registered memory hook.
#[repr(C)]
pub struct portaclMemoryHookInfo {
    /// sizeof(portaclMemoryHookInfo), set by the caller in the first element.
    pub structSize: usize,
    /// Its id.
    pub id: u64,
    /// Its scope.
    pub scope: MaybeUninit<portaclMemoryHookScope>,
    /// 1 if it is called for the calling thread's allocations, else 0.
    pub isCalledHere: i32,
    /// Number of its refusals.
    pub refusals: u64,
    /// Number of failures of its after functions.
    pub failures: u64,
    /// Its name, truncated to the size of the field.
    pub name: [c_char; 64],
    /// The text of the latest failure, truncated to the size of the field.
    pub lastFailure: [c_char; 256],
}

/// A function of the program in a tree of memory use, including everything that it called.
#[repr(C)]
pub struct portaclMemoryProfileNode {
    /// sizeof(portaclMemoryProfileNode), set by the caller in the first element.
    pub structSize: usize,
    /// Number of functions above it: 0 for the root, which represents the program.
    pub depth: u32,
    /// The line of the call, from 1 on; 0 if unknown.
    pub line: u32,
    /// Bytes that the program allocated.
    pub mallocBytes: u64,
    /// Number of mallocs.
    pub mallocCount: u64,
    /// Bytes that the library allocated from the device or the system for these.
    pub allocBytes: u64,
    /// Number of allocs.
    pub allocCount: u64,
    /// The source file, truncated to the size of the field; empty if unknown.
    pub file: [c_char; 256],
    /// Its name, or its address if it has none, truncated to the size of the field; `_root` for the root.
    pub function: [c_char; 256],
}

/// A live allocation, as listed by portaclMemorySnapshot.
#[repr(C)]
pub struct portaclMemoryAllocation {
    /// sizeof(portaclMemoryAllocation), set by the caller in the first element.
    pub structSize: usize,
    /// The first byte; null: physical memory, which has no address.
    pub ptr: *mut c_void,
    /// Requested bytes; 0 if not recorded.
    pub size: usize,
    /// Bytes that the allocation takes, as portaclMemoryGetStats counts them; programs may use fewer.
    pub roundedSize: usize,
    /// The kind of memory.
    pub kind: MaybeUninit<portaclMemoryKind>,
    /// The device, -1 for host memory.
    pub deviceId: i32,
    /// The pool of the allocation, or its former handle if it was destroyed; null if none.
    pub memPool: aclrtMemPool,
    /// The stream of a stream-ordered allocation; null if none, or if not recorded.
    pub stream: aclrtStream,
    /// The system's id of the allocating thread; 0 if not recorded.
    pub thread: u64,
    /// Nanoseconds since the allocation; 0 if not recorded.
    pub age: u64,
    /// The allocating function, `file:line:function`, truncated to the size of the field; empty if not recorded.
    pub callSite: [c_char; 256],
}

/// Receives a line of a report: a zero-terminated text without line end, valid during the call.
pub type portaclLineWriter = Option<unsafe extern "C" fn(*mut c_void, *const c_char)>;

/// Statistics of one kind of memory. Those of a device and of its pools start when the device is first set and end when
/// it is reset. Those of host memory start with aclInit, or the first use, and end with aclFinalize.
#[repr(C)]
pub struct portaclMemoryStats {
    /// sizeof(portaclMemoryStats), set by the caller.
    pub structSize: usize,
    /// Bytes of live allocations, including rounding.
    pub currentBytes: u64,
    /// Number of live allocations.
    pub currentCount: u64,
    /// The peak of `currentBytes`. It includes small freed blocks of device memory that are cached (`keptBytes`). For
    /// several pools: the sum of their peaks, which need not have occurred at the same time.
    pub peakBytes: u64,
    /// The peak of `currentCount`, in the same way.
    pub peakCount: u64,
    /// Bytes of all allocations ever made.
    pub totalBytes: u64,
    /// Number of all allocations ever made. Minus `currentCount`, it is the number of frees.
    pub totalCount: u64,
    /// Number of requests that failed for lack of memory, or because the device or its driver failed. Invalid arguments
    /// and refusals of memory hooks do not count.
    pub failures: u64,
    /// Bytes taken from the device or the system: live allocations, freed memory that pending work still uses, and
    /// cached or free pool memory. For device memory, without `keptBytes`, it is the value of aclrtGetMemUsageInfo;
    /// on the CPU it therefore includes the segments of pools. For page-locked and imported memory it is
    /// `currentBytes`.
    pub reservedBytes: u64,
    /// The peak of `reservedBytes`; for device and managed memory the peak of aclrtGetMemUsageInfo.
    pub peakReservedBytes: u64,
    /// Bytes of `reservedBytes` that can serve the next request without the device: cached device memory, and free
    /// pool memory.
    pub keptBytes: u64,
    /// Pages of 2 MiB that were requested and not available, so that smaller ones are used; for device memory. 0 on
    /// CUDA, where the driver selects pages and does not report them.
    pub hugePageFallbacks: u64,
    /// Bytes that could not be locked and are pageable, including registrations; for page-locked host memory. Never
    /// decreases.
    pub unlockedBytes: u64,
}

/// Statistics of one memory pool.
#[repr(C)]
pub struct portaclMemoryPoolStats {
    /// sizeof(portaclMemoryPoolStats), set by the caller in the first element.
    pub structSize: usize,
    /// The pool. After its destruction, as long as some of its memory is live, its former handle.
    pub memPool: aclrtMemPool,
    /// 1 if it was destroyed, else 0.
    pub isDestroyed: i32,
    /// 1 if another process created it, else 0.
    pub isImported: i32,
    /// Statistics of its memory.
    pub stats: portaclMemoryStats,
}

/// Live allocations with pages of one size.
#[repr(C)]
pub struct portaclMemoryPageStats {
    /// sizeof(portaclMemoryPageStats), set by the caller in the first element.
    pub structSize: usize,
    /// Page size in bytes, as aclrtPointerGetAttributes returns it for these allocations.
    pub pageSize: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their number.
    pub count: u64,
}
