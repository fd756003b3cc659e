//! Allocators of the caller, registered for streams.

use crate::core::error::Error;
use crate::ffi::guard::{guard_unsupported, guard_value};
use crate::ffi::types::{
    aclError, aclrtAllocator, aclrtAllocatorAllocAdviseFunc, aclrtAllocatorAllocFunc,
    aclrtAllocatorDesc, aclrtAllocatorFreeFunc, aclrtAllocatorGetAddrFromBlockFunc, aclrtStream,
};

/// Makes the description of an allocator, or returns null.
///
/// @return null; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorCreateDesc() -> aclrtAllocatorDesc {
    guard_value("aclrtAllocatorCreateDesc", std::ptr::null_mut(), || {
        Err(Error::unsupported("allocators are not registered; call the allocator directly"))
    })
}

/// Ends the description of an allocator.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorDestroyDesc(allocatorDesc: aclrtAllocatorDesc) -> aclError {
    guard_unsupported(
        "aclrtAllocatorDestroyDesc",
        "allocators are not registered; call the allocator directly",
    )
}

/// Sets the object that an allocator's functions receive.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorSetObjToDesc(
    allocatorDesc: aclrtAllocatorDesc,
    allocator: aclrtAllocator,
) -> aclError {
    guard_unsupported(
        "aclrtAllocatorSetObjToDesc",
        "allocators are not registered; call the allocator directly",
    )
}

/// Sets the function that allocates.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorSetAllocFuncToDesc(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorAllocFunc,
) -> aclError {
    guard_unsupported(
        "aclrtAllocatorSetAllocFuncToDesc",
        "allocators are not registered; call the allocator directly",
    )
}

/// Sets the function that frees.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorSetFreeFuncToDesc(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorFreeFunc,
) -> aclError {
    guard_unsupported(
        "aclrtAllocatorSetFreeFuncToDesc",
        "allocators are not registered; call the allocator directly",
    )
}

/// Sets the function that allocates near a suggested address.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorSetAllocAdviseFuncToDesc(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorAllocAdviseFunc,
) -> aclError {
    guard_unsupported(
        "aclrtAllocatorSetAllocAdviseFuncToDesc",
        "allocators are not registered; call the allocator directly",
    )
}

/// Sets the function that tells a block's address.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorGetAddrFromBlockFunc,
) -> aclError {
    guard_unsupported(
        "aclrtAllocatorSetGetAddrFromBlockFuncToDesc",
        "allocators are not registered; call the allocator directly",
    )
}

/// Registers an allocator for a stream.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorRegister(
    stream: aclrtStream,
    allocatorDesc: aclrtAllocatorDesc,
) -> aclError {
    guard_unsupported(
        "aclrtAllocatorRegister",
        "allocators are not registered; call the allocator directly",
    )
}

/// Takes back aclrtAllocatorRegister.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorUnregister(stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclrtAllocatorUnregister",
        "allocators are not registered; call the allocator directly",
    )
}

/// Tells the allocator that is registered for a stream.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorGetByStream(
    stream: aclrtStream,
    allocatorDesc: *mut aclrtAllocatorDesc,
    allocator: *mut aclrtAllocator,
    allocFunc: *mut aclrtAllocatorAllocFunc,
    freeFunc: *mut aclrtAllocatorFreeFunc,
    allocAdviseFunc: *mut aclrtAllocatorAllocAdviseFunc,
    getAddrFromBlockFunc: *mut aclrtAllocatorGetAddrFromBlockFunc,
) -> aclError {
    guard_unsupported(
        "aclrtAllocatorGetByStream",
        "allocators are not registered; call the allocator directly",
    )
}
