//! Types of `acl_rt_allocator.h`.

use std::ffi::c_void;

use super::base::{aclrtAllocator, aclrtAllocatorAddr, aclrtAllocatorBlock};

/// Allocates a number of bytes; returns a block.
pub type aclrtAllocatorAllocFunc = Option<unsafe extern "C" fn(aclrtAllocator, usize) -> *mut c_void>;

/// Frees a block.
pub type aclrtAllocatorFreeFunc = Option<unsafe extern "C" fn(aclrtAllocator, aclrtAllocatorBlock)>;

/// Allocates a number of bytes, near an address if possible.
pub type aclrtAllocatorAllocAdviseFunc =
    Option<unsafe extern "C" fn(aclrtAllocator, usize, aclrtAllocatorAddr) -> *mut c_void>;

/// Returns the address of a block.
pub type aclrtAllocatorGetAddrFromBlockFunc = Option<unsafe extern "C" fn(aclrtAllocatorBlock) -> *mut c_void>;
