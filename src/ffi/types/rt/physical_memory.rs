//! Physical memory, its sharing and access, and operations of devices on memory.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::memory::{aclrtMemAttr, aclrtMemLocation};

/// Kinds of physical memory.
#[repr(C)]
pub enum aclrtMemAllocationType {
    /// Pinned: it does not move.
    ACL_MEM_ALLOCATION_TYPE_PINNED = 0,
}

/// How physical memory is shared.
#[repr(C)]
pub enum aclrtMemHandleType {
    /// The runtime shares it.
    ACL_MEM_HANDLE_TYPE_NONE = 0,
    /// A file descriptor shares it.
    ACL_MEM_HANDLE_TYPE_POSIX = 2,
}

/// Kinds of handles for other processes.
#[repr(C)]
pub enum aclrtMemSharedHandleType {
    /// A number, on one server.
    ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 1,
    /// 128 bytes, between servers; here on one server.
    ACL_MEM_SHARE_HANDLE_TYPE_FABRIC = 2,
}

/// Physical memory, for another process; here of the same server.
#[repr(C)]
pub struct aclrtMemFabricHandle {
    /// Opaque.
    pub data: [u8; 128],
}

/// Properties of physical memory.
#[repr(C)]
pub struct aclrtPhysicalMemProp {
    /// How it can be shared.
    pub handleType: MaybeUninit<aclrtMemHandleType>,
    /// Must be ACL_MEM_ALLOCATION_TYPE_PINNED.
    pub allocationType: MaybeUninit<aclrtMemAllocationType>,
    /// The kind of memory.
    pub memAttr: MaybeUninit<aclrtMemAttr>,
    /// The location.
    pub location: aclrtMemLocation,
    /// Reserved.
    pub reserve: u64,
}

/// The granularity that aclrtMemGetAllocationGranularity returns.
#[repr(C)]
pub enum aclrtMemGranularityOptions {
    /// The number of bytes of which sizes must be a multiple.
    ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
    /// The number of bytes of which sizes should be a multiple.
    ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
    /// Not an option.
    ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 65535,
}

/// Physical memory.
pub type aclrtDrvMemHandle = *mut c_void;

/// Cache operations.
#[repr(C)]
pub enum aclrtCmoType {
    /// Load memory.
    ACL_RT_CMO_TYPE_PREFETCH = 0,
    /// Write memory back and keep it.
    ACL_RT_CMO_TYPE_WRITEBACK = 1,
    /// Drop cached data.
    ACL_RT_CMO_TYPE_INVALID = 2,
    /// Write memory back and drop it from the cache.
    ACL_RT_CMO_TYPE_FLUSH = 3,
}

/// The operation of a reduction.
#[repr(C)]
pub enum aclrtReduceKind {
    /// Adds.
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM = 10,
    /// Keeps the larger.
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX = 11,
    /// Keeps the smaller.
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN = 12,
    /// Compares.
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL = 13,
}

/// A barrier for cache operations.
#[repr(C)]
pub struct aclrtBarrierCmoInfo {
    /// The operation.
    pub cmoType: MaybeUninit<aclrtCmoType>,
    /// Its id.
    pub barrierId: u32,
}

/// Barriers to wait for.
#[repr(C)]
pub struct aclrtBarrierTaskInfo {
    /// Number of barriers.
    pub barrierNum: usize,
    /// The barriers.
    pub cmoInfo: [aclrtBarrierCmoInfo; 6],
}

/// The locations of the copies of a batch.
#[repr(C)]
pub struct aclrtMemcpyBatchAttr {
    /// Location of the destination.
    pub dstLoc: aclrtMemLocation,
    /// Location of the source.
    pub srcLoc: aclrtMemLocation,
    /// Reserved.
    pub rsv: [u8; 16],
}

/// The access of a location to memory.
#[repr(C)]
pub enum aclrtMemAccessFlags {
    /// No access.
    ACL_RT_MEM_ACCESS_FLAGS_NONE = 0,
    /// Read.
    ACL_RT_MEM_ACCESS_FLAGS_READ = 1,
    /// Read and write.
    ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 3,
}

/// The access of a location to memory.
#[repr(C)]
pub struct aclrtMemAccessDesc {
    /// The access.
    pub flags: MaybeUninit<aclrtMemAccessFlags>,
    /// The location.
    pub location: aclrtMemLocation,
    /// Reserved.
    pub rsv: [u8; 12],
}

/// Connections between devices.
#[repr(C)]
pub enum aclrtMemLinkType {
    /// Inside one package.
    ACL_RT_MEM_ACCESS_LINK_SIO = 0,
    /// Coherent, between packages.
    ACL_RT_MEM_ACCESS_LINK_HCCS = 1,
    /// The unified bus, through one port.
    ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH = 2,
    /// The unified bus, through several ports.
    ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH = 3,
}

/// Page sizes.
#[repr(C)]
pub enum aclrtMemPgType {
    /// Normal.
    NORMAL_PAGE_TYPE = 0,
    /// Huge.
    HUGE_PAGE_TYPE = 1,
    /// 1 GiB.
    HUGE1G_PAGE_TYPE = 2,
}

/// Kinds of memory.
#[repr(C)]
pub enum aclrtMemType {
    /// HBM.
    HBM_TYPE = 0,
    /// DDR.
    DDR_TYPE = 1,
    /// HBM for other devices.
    P2P_HBM_TYPE = 2,
    /// DDR for other devices.
    P2P_DDR_TYPE = 3,
}

/// A kind of memory, in two notations.
#[repr(C)]
pub struct MemAttrMapping {
    /// Page size: a number of aclrtMemPgType.
    pub pgType: u32,
    /// Memory: a number of aclrtMemType.
    pub memType: u32,
    /// True for host memory.
    pub isHostAlloc: bool,
    /// The same as one attribute.
    pub memAttr: MaybeUninit<aclrtMemAttr>,
}
