//! Allocators of the caller, registered for streams.

use crate::core::error::Error;
use crate::ffi::guard::{guard, guard_value};
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
    guard("aclrtAllocatorDestroyDesc", || {
        Err(Error::unsupported("allocators are not registered; call the allocator directly"))
    })
}

/// Sets the object that an allocator's functions receive.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorSetObjToDesc(
    allocatorDesc: aclrtAllocatorDesc,
    allocator: aclrtAllocator,
) -> aclError {
    guard("aclrtAllocatorSetObjToDesc", || {
        Err(Error::unsupported("allocators are not registered; call the allocator directly"))
    })
}

/// Sets the function that allocates.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorSetAllocFuncToDesc(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorAllocFunc,
) -> aclError {
    guard("aclrtAllocatorSetAllocFuncToDesc", || {
        Err(Error::unsupported("allocators are not registered; call the allocator directly"))
    })
}

/// Sets the function that frees.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorSetFreeFuncToDesc(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorFreeFunc,
) -> aclError {
    guard("aclrtAllocatorSetFreeFuncToDesc", || {
        Err(Error::unsupported("allocators are not registered; call the allocator directly"))
    })
}

/// Sets the function that allocates near a suggested address.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorSetAllocAdviseFuncToDesc(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorAllocAdviseFunc,
) -> aclError {
    guard("aclrtAllocatorSetAllocAdviseFuncToDesc", || {
        Err(Error::unsupported("allocators are not registered; call the allocator directly"))
    })
}

/// Sets the function that tells a block's address.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
    allocatorDesc: aclrtAllocatorDesc,
    func: aclrtAllocatorGetAddrFromBlockFunc,
) -> aclError {
    guard("aclrtAllocatorSetGetAddrFromBlockFuncToDesc", || {
        Err(Error::unsupported("allocators are not registered; call the allocator directly"))
    })
}

/// Registers an allocator for a stream.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorRegister(
    stream: aclrtStream,
    allocatorDesc: aclrtAllocatorDesc,
) -> aclError {
    guard("aclrtAllocatorRegister", || {
        Err(Error::unsupported("allocators are not registered; call the allocator directly"))
    })
}

/// Takes back aclrtAllocatorRegister.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocatorUnregister(stream: aclrtStream) -> aclError {
    guard("aclrtAllocatorUnregister", || {
        Err(Error::unsupported("allocators are not registered; call the allocator directly"))
    })
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
    guard("aclrtAllocatorGetByStream", || {
        Err(Error::unsupported("allocators are not registered; call the allocator directly"))
    })
}
