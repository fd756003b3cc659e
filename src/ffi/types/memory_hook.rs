//! Types of memory hooks.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use super::base::{aclError, aclrtStream};
use super::soma::aclrtMemPool;

/// Kinds of memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum portaclMemoryKind {
    /// Memory of a device: aclrtMalloc and its variants, and physical memory of a device.
    PORTACL_MEMORY_DEVICE = 0,
    /// Page-locked host memory: aclrtMallocHost and its variants, and physical host memory.
    PORTACL_MEMORY_PINNED = 1,
    /// Memory that the host and all devices use: aclrtMemAllocManaged.
    PORTACL_MEMORY_MANAGED = 2,
    /// Memory of a stream-ordered pool.
    PORTACL_MEMORY_POOL = 3,
    /// Memory of another process: opened by a key of aclrtIpcMemGetExportKey, imported as physical memory, or from a
    /// pool.
    PORTACL_MEMORY_IMPORTED = 4,
    /// Memory of graphs: allocated by captured streams from pools.
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
#[derive(Clone, Copy)]
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
    /// portaclMemoryGetStats. The alloc of a pool is a segment, which is larger.
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
    /// In an after function: 1 if the operation did not take place, because it failed or a later hook refused it; else
    /// 0.
    pub failed: i32,
}

/// Called before an operation. Returns ACL_SUCCESS, or the code of a refusal.
pub type portaclMemoryHookBefore = Option<unsafe extern "C" fn(*mut c_void, *const portaclMemoryEvent) -> aclError>;

/// Called after an operation, successful or not.
pub type portaclMemoryHookAfter = Option<unsafe extern "C" fn(*mut c_void, *const portaclMemoryEvent)>;

/// A memory hook. Any of the functions may be null. They are called on the thread that allocates or frees. They may
/// call this library, and are not called for their own calls.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portaclMemoryHook {
    /// sizeof(portaclMemoryHook).
    pub structSize: usize,
    /// Name of the hook for people; copied.
    pub name: *const c_char,
    /// The first argument of all functions.
    pub userData: *mut c_void,
    /// Before the library allocates memory from the device or the system.
    pub beforeAlloc: portaclMemoryHookBefore,
    /// After it.
    pub afterAlloc: portaclMemoryHookAfter,
    /// Before the program gets memory.
    pub beforeMalloc: portaclMemoryHookBefore,
    /// After it.
    pub afterMalloc: portaclMemoryHookAfter,
    /// Before the program frees memory.
    pub beforeFree: portaclMemoryHookBefore,
    /// After it.
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
