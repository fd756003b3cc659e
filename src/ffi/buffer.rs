//! Buffers for queues between programs, alone or in chains.

use std::ffi::c_void;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{aclError, aclrtMbuf};

/// Makes a buffer.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAllocBuf(buf: *mut aclrtMbuf, size: usize) -> aclError {
    guard_unsupported(
        "aclrtAllocBuf",
        "queue buffers are not available; use memory of aclrtMallocHost",
    )
}

/// Ends a buffer.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFreeBuf(buf: aclrtMbuf) -> aclError {
    guard_unsupported(
        "aclrtFreeBuf",
        "queue buffers are not available; use memory of aclrtMallocHost",
    )
}

/// Tells address and size of a buffer.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetBufData(
    buf: aclrtMbuf,
    dataPtr: *mut *mut c_void,
    size: *mut usize,
) -> aclError {
    guard_unsupported(
        "aclrtGetBufData",
        "queue buffers are not available; use memory of aclrtMallocHost",
    )
}

/// Sets how much of a buffer holds data.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetBufDataLen(buf: aclrtMbuf, len: usize) -> aclError {
    guard_unsupported(
        "aclrtSetBufDataLen",
        "queue buffers are not available; use memory of aclrtMallocHost",
    )
}

/// Tells how much of a buffer holds data.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetBufDataLen(buf: aclrtMbuf, len: *mut usize) -> aclError {
    guard_unsupported(
        "aclrtGetBufDataLen",
        "queue buffers are not available; use memory of aclrtMallocHost",
    )
}

/// Writes to the user's part of a buffer.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetBufUserData(
    buf: aclrtMbuf,
    dataPtr: *const c_void,
    size: usize,
    offset: usize,
) -> aclError {
    guard_unsupported(
        "aclrtSetBufUserData",
        "queue buffers are not available; use memory of aclrtMallocHost",
    )
}

/// Reads from the user's part of a buffer.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetBufUserData(
    buf: aclrtMbuf,
    dataPtr: *mut c_void,
    size: usize,
    offset: usize,
) -> aclError {
    guard_unsupported(
        "aclrtGetBufUserData",
        "queue buffers are not available; use memory of aclrtMallocHost",
    )
}

/// Makes another reference to a buffer.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCopyBufRef(buf: aclrtMbuf, newBuf: *mut aclrtMbuf) -> aclError {
    guard_unsupported(
        "aclrtCopyBufRef",
        "queue buffers are not available; use memory of aclrtMallocHost",
    )
}

/// Adds a buffer to a chain.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtAppendBufChain(headBuf: aclrtMbuf, buf: aclrtMbuf) -> aclError {
    guard_unsupported(
        "aclrtAppendBufChain",
        "queue buffers are not available; use memory of aclrtMallocHost",
    )
}

/// Tells how many buffers a chain has.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetBufChainNum(headBuf: aclrtMbuf, num: *mut u32) -> aclError {
    guard_unsupported(
        "aclrtGetBufChainNum",
        "queue buffers are not available; use memory of aclrtMallocHost",
    )
}

/// Tells a buffer of a chain.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetBufFromChain(
    headBuf: aclrtMbuf,
    index: u32,
    buf: *mut aclrtMbuf,
) -> aclError {
    guard_unsupported(
        "aclrtGetBufFromChain",
        "queue buffers are not available; use memory of aclrtMallocHost",
    )
}
