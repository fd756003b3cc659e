//! Types of `acl_rt_memory_soma.h`.

use std::ffi::{c_uchar, c_void};
use std::mem::MaybeUninit;

use super::rt_memory::{aclrtMemAllocationType, aclrtMemHandleType, aclrtMemLocation};

/// A pool of device memory.
pub type aclrtMemPool = *mut c_void;

/// Attributes of a pool.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtMemPoolAttr {
    /// Memory freed in one stream is used in another that waits for it by event.
    ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
    /// Memory is used in another stream when its free has happened.
    ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC = 2,
    /// Waits are added so that memory can be used in another stream.
    ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
    /// Bytes that the pool keeps when streams are synchronised.
    ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD = 4,
    /// Bytes that the pool has now.
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT = 5,
    /// Most bytes that the pool had; can be set to 0.
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH = 6,
    /// Bytes of the pool that are in use now.
    ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT = 7,
    /// Most bytes of the pool that were in use; can be set to 0.
    ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH = 8,
}

/// How a pool is wanted.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtMemPoolProps {
    /// Must be ACL_MEM_ALLOCATION_TYPE_PINNED.
    pub allocType: MaybeUninit<aclrtMemAllocationType>,
    /// How its memory will be shared.
    pub handleType: MaybeUninit<aclrtMemHandleType>,
    /// Where.
    pub location: aclrtMemLocation,
    /// Most bytes; 0 is no limit.
    pub maxSize: usize,
    /// Not used.
    pub reserved: [c_uchar; 32],
}
