//! Types of `acl_rt_allocator.h`.

use std::ffi::c_void;

use super::base::{aclrtAllocator, aclrtAllocatorAddr, aclrtAllocatorBlock};

pub type aclrtAllocatorAllocFunc =
    Option<unsafe extern "C" fn(aclrtAllocator, usize) -> *mut c_void>;

pub type aclrtAllocatorFreeFunc = Option<unsafe extern "C" fn(aclrtAllocator, aclrtAllocatorBlock)>;

pub type aclrtAllocatorAllocAdviseFunc =
    Option<unsafe extern "C" fn(aclrtAllocator, usize, aclrtAllocatorAddr) -> *mut c_void>;

pub type aclrtAllocatorGetAddrFromBlockFunc =
    Option<unsafe extern "C" fn(aclrtAllocatorBlock) -> *mut c_void>;
