//! Types of `acl_rt_allocator.h`.

use std::ffi::c_void;

use super::base::{aclrtAllocator, aclrtAllocatorAddr, aclrtAllocatorBlock};

/// Allocates that many bytes; gives a block.
pub type aclrtAllocatorAllocFunc =
    Option<unsafe extern "C" fn(aclrtAllocator, usize) -> *mut c_void>;

/// Gives a block back.
pub type aclrtAllocatorFreeFunc = Option<unsafe extern "C" fn(aclrtAllocator, aclrtAllocatorBlock)>;

/// Allocates that many bytes, near an address if it can.
pub type aclrtAllocatorAllocAdviseFunc =
    Option<unsafe extern "C" fn(aclrtAllocator, usize, aclrtAllocatorAddr) -> *mut c_void>;

/// The address of a block.
pub type aclrtAllocatorGetAddrFromBlockFunc =
    Option<unsafe extern "C" fn(aclrtAllocatorBlock) -> *mut c_void>;
