//! Data buffers: an address and a size in one object.

use std::ffi::c_void;

use crate::core::error::Error;
use crate::ffi::guard::{guard_unsupported, guard_value};
use crate::ffi::types::{aclDataBuffer, aclError};

/// Makes a data buffer for memory of the caller, or returns null.
///
/// @return null; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclCreateDataBuffer(data: *mut c_void, size: usize) -> *mut aclDataBuffer {
    guard_value("aclCreateDataBuffer", std::ptr::null_mut(), || {
        Err(Error::unsupported(
            "data buffers are not available; keep address and size beside each other",
        ))
    })
}

/// Ends a data buffer; the memory stays the caller's.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclDestroyDataBuffer(dataBuffer: *const aclDataBuffer) -> aclError {
    guard_unsupported(
        "aclDestroyDataBuffer",
        "data buffers are not available; keep address and size beside each other",
    )
}

/// Makes a data buffer stand for other memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclUpdateDataBuffer(
    dataBuffer: *mut aclDataBuffer,
    data: *mut c_void,
    size: usize,
) -> aclError {
    guard_unsupported(
        "aclUpdateDataBuffer",
        "data buffers are not available; keep address and size beside each other",
    )
}

/// The address in a data buffer, or null.
///
/// @return null; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetDataBufferAddr(dataBuffer: *const aclDataBuffer) -> *mut c_void {
    guard_value("aclGetDataBufferAddr", std::ptr::null_mut(), || {
        Err(Error::unsupported(
            "data buffers are not available; keep address and size beside each other",
        ))
    })
}

/// The size in a data buffer, cut to 32 bits.
///
/// @return 0; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetDataBufferSize(dataBuffer: *const aclDataBuffer) -> u32 {
    guard_value("aclGetDataBufferSize", 0, || {
        Err(Error::unsupported(
            "data buffers are not available; keep address and size beside each other",
        ))
    })
}

/// The size in a data buffer.
///
/// @return 0; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetDataBufferSizeV2(dataBuffer: *const aclDataBuffer) -> usize {
    guard_value("aclGetDataBufferSizeV2", 0, || {
        Err(Error::unsupported(
            "data buffers are not available; keep address and size beside each other",
        ))
    })
}
