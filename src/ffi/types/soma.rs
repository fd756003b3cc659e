//! Types of `acl_rt_memory_soma.h`.

use std::ffi::{c_uchar, c_void};
use std::mem::MaybeUninit;

use super::rt::{aclrtMemAllocationType, aclrtMemHandleType, aclrtMemLocation};

/// A pool of device memory.
pub type aclrtMemPool = *mut c_void;

/// Attributes of a pool.
#[repr(C)]
pub enum aclrtMemPoolAttr {
    /// Memory that was freed in one stream is reused in another that waits for it by an event.
    ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
    /// Memory is reused in another stream when its free is complete.
    ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC = 2,
    /// The pool adds waits to reuse memory in another stream.
    ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
    /// Bytes that the pool keeps when streams are synchronized.
    ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD = 4,
    /// Bytes that the pool has from its device.
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT = 5,
    /// The maximum of these bytes; can be set to 0.
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH = 6,
    /// Bytes of the pool in use.
    ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT = 7,
    /// The maximum of the bytes in use; can be set to 0.
    ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH = 8,
}

/// Properties of a pool.
#[repr(C)]
pub struct aclrtMemPoolProps {
    /// ACL_MEM_ALLOCATION_TYPE_PINNED or PORTACL_MEM_ALLOCATION_TYPE_MANAGED.
    pub allocType: MaybeUninit<aclrtMemAllocationType>,
    /// How its memory can be shared.
    pub handleType: MaybeUninit<aclrtMemHandleType>,
    /// The location.
    pub location: aclrtMemLocation,
    /// Maximum size in bytes; 0 is no limit.
    pub maxSize: usize,
    /// Reserved.
    pub reserved: [c_uchar; 32],
}
