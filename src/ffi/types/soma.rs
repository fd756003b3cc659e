//! Types of `acl_rt_memory_soma.h`.

use std::ffi::{c_uchar, c_void};
use std::mem::MaybeUninit;

use super::rt_memory::{aclrtMemAllocationType, aclrtMemHandleType, aclrtMemLocation};

pub type aclrtMemPool = *mut c_void;

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtMemPoolAttr {
    ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
    ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC = 2,
    ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
    ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD = 4,
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT = 5,
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH = 6,
    ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT = 7,
    ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH = 8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtMemPoolProps {
    pub allocType: MaybeUninit<aclrtMemAllocationType>,
    pub handleType: MaybeUninit<aclrtMemHandleType>,
    pub location: aclrtMemLocation,
    pub maxSize: usize,
    pub reserved: [c_uchar; 32],
}
