//! Types of memory hooks.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use super::base::{aclError, aclrtStream};
use super::soma::aclrtMemPool;

/// Which memory an allocation is of.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum portaclMemoryKind {
    /// Memory of a device, from aclrtMalloc and its relatives, and physical memory there.
    PORTACL_MEMORY_DEVICE = 0,
    /// Page-locked host memory, from aclrtMallocHost and its relatives, and physical memory of the host.
    PORTACL_MEMORY_PINNED = 1,
    /// Memory that the host and all devices use, from aclrtMemAllocManaged.
    PORTACL_MEMORY_MANAGED = 2,
    /// Memory of a stream-ordered pool.
    PORTACL_MEMORY_POOL = 3,
    /// Memory that another process has exported: opened by a key of aclrtIpcMemGetExportKey, imported as physical memory,
    /// or from a pool.
    PORTACL_MEMORY_IMPORTED = 4,
    /// Memory of graphs: what captured streams take from pools.
    PORTACL_MEMORY_GRAPH = 5,
}

/// What a memory hook is called about.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum portaclMemoryMoment {
    /// Memory is taken from the device or the system.
    PORTACL_MEMORY_ALLOC = 0,
    /// Memory is handed to the program: from the device, or what was kept.
    PORTACL_MEMORY_MALLOC = 1,
    /// Memory is given back by the program.
    PORTACL_MEMORY_FREE = 2,
}

/// Whose allocations a memory hook is about.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum portaclMemoryHookScope {
    /// Those of the thread that registers it.
    PORTACL_MEMORY_HOOK_THREAD = 0,
    /// Those of all threads.
    PORTACL_MEMORY_HOOK_PROCESS = 1,
}

/// One allocation or release, as memory hooks see it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portaclMemoryEvent {
    /// Bytes of this structure: later versions may have more.
    pub structSize: usize,
    /// The device, -1 for host memory.
    pub deviceId: i32,
    /// Which memory.
    pub kind: MaybeUninit<portaclMemoryKind>,
    /// Bytes that the program asked for; 0 for an alloc and a free.
    pub size: usize,
    /// Bytes that the memory takes: the same for its malloc, its alloc and its free, and as portaclMemoryGetStats
    /// counts them. The alloc of a pool is a segment, and larger.
    pub roundedSize: usize,
    /// The address; null before an allocation, after one that failed, and of physical memory, which has none.
    pub ptr: *mut c_void,
    /// Tells live allocations apart: the address, or the handle of what has none; 0 before an allocation and after one
    /// that failed.
    pub memoryId: u64,
    /// The stream in whose order it happens; null where it is none.
    pub stream: aclrtStream,
    /// Bytes of a page; 0 where that is not known, as before an allocation.
    pub pageSize: usize,
    /// The calling thread, as the system counts it.
    pub thread: u64,
    /// Afterwards: 1 if it has not happened, because it failed or a hook that was asked later refused it; else 0.
    pub failed: i32,
}

/// Asked before something happens: ACL_SUCCESS, or the code with which it is refused.
pub type portaclMemoryHookBefore =
    Option<unsafe extern "C" fn(*mut c_void, *const portaclMemoryEvent) -> aclError>;

/// Told after something has happened, or was tried.
pub type portaclMemoryHookAfter =
    Option<unsafe extern "C" fn(*mut c_void, *const portaclMemoryEvent)>;

/// A memory hook. Any of the functions may be null. They are called on the thread that allocates or frees,
/// may call this library, and are then not called about that.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portaclMemoryHook {
    /// sizeof(portaclMemoryHook).
    pub structSize: usize,
    /// By which people know it; copied.
    pub name: *const c_char,
    /// The first argument of all functions.
    pub userData: *mut c_void,
    /// Before memory is taken from the device or the system.
    pub beforeAlloc: portaclMemoryHookBefore,
    /// After it.
    pub afterAlloc: portaclMemoryHookAfter,
    /// Before memory is handed to the program.
    pub beforeMalloc: portaclMemoryHookBefore,
    /// After it.
    pub afterMalloc: portaclMemoryHookAfter,
    /// Before the program gives memory back.
    pub beforeFree: portaclMemoryHookBefore,
    /// After it.
    pub afterFree: portaclMemoryHookAfter,
}

/// What is known of a registered memory hook.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portaclMemoryHookInfo {
    /// sizeof(portaclMemoryHookInfo), set by the caller in the first element.
    pub structSize: usize,
    /// Its number.
    pub id: u64,
    /// Whose allocations it is about.
    pub scope: MaybeUninit<portaclMemoryHookScope>,
    /// 1 if it is called for those of the calling thread, else 0.
    pub isCalledHere: i32,
    /// How often it has refused.
    pub refusals: u64,
    /// How often it has failed where it could refuse nothing.
    pub failures: u64,
    /// Its name, cut to the room there is.
    pub name: [c_char; 64],
    /// What the latest of these failures said, cut to the room there is.
    pub lastFailure: [c_char; 256],
}

/// A function of the program in a tree of what uses memory, with all that it called.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portaclMemoryProfileNode {
    /// sizeof(portaclMemoryProfileNode), set by the caller in the first element.
    pub structSize: usize,
    /// How many functions are above it: 0 for the root, which stands for the program.
    pub depth: u32,
    /// The line that made the call, from 1; 0 if that is not known.
    pub line: u32,
    /// Bytes that the program got.
    pub mallocBytes: u64,
    /// In so many mallocs.
    pub mallocCount: u64,
    /// Bytes that were taken from the device or the system for that.
    pub allocBytes: u64,
    /// In so many allocs.
    pub allocCount: u64,
    /// The file that it is in, cut to the room there is; empty if that is not known.
    pub file: [c_char; 256],
    /// Its name, or its address where it has none, cut to the room there is; `_root` for the root.
    pub function: [c_char; 256],
}

/// A live allocation, as portaclMemorySnapshot tells of it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portaclMemoryAllocation {
    /// sizeof(portaclMemoryAllocation), set by the caller in the first element.
    pub structSize: usize,
    /// The first byte; null: physical memory, which has no address of its own.
    pub ptr: *mut c_void,
    /// Bytes that the program asked for; 0 if that was not recorded.
    pub size: usize,
    /// Bytes that it takes, as portaclMemoryGetStats counts them; programs may use fewer.
    pub roundedSize: usize,
    /// Which memory.
    pub kind: MaybeUninit<portaclMemoryKind>,
    /// The device, -1 for host memory.
    pub deviceId: i32,
    /// The pool that it is of, or its handle of before if that was destroyed; null if none.
    pub memPool: aclrtMemPool,
    /// The stream in whose order it was made; null if none, or if that was not recorded.
    pub stream: aclrtStream,
    /// The thread that made it, as the system counts it; 0 if that was not recorded.
    pub thread: u64,
    /// Nanoseconds since then; 0 if that was not recorded.
    pub age: u64,
    /// The function that asked for it, `file:line:function`, cut to the room there is; empty if that was not recorded.
    pub callSite: [c_char; 256],
}

/// Takes a line of a report: a zero-terminated text without its end, valid during the call.
pub type portaclLineWriter = Option<unsafe extern "C" fn(*mut c_void, *const c_char)>;
