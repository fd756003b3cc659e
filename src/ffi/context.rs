//! Contexts: a device together with a default stream, current in a thread.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::error::Error;
use crate::ffi::guard::guard;
use crate::ffi::types::{aclError, aclSysParamOpt, aclrtContext, aclrtStream};

/// Makes a context of a device, with a default stream of its own, and makes it current in this
/// thread.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateContext(context: *mut aclrtContext, deviceId: i32) -> aclError {
    guard("aclrtCreateContext", || {
        Err(Error::unsupported(
            "contexts are not available in this build; aclrtSetDevice gives a thread its device's default one",
        ))
    })
}

/// Ends a context that aclrtCreateContext made.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyContext(context: aclrtContext) -> aclError {
    guard("aclrtDestroyContext", || {
        Err(Error::unsupported(
            "contexts are not available in this build; aclrtSetDevice gives a thread its device's default one",
        ))
    })
}

/// Makes a context, and with it its device, current in this thread.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetCurrentContext(context: aclrtContext) -> aclError {
    guard("aclrtSetCurrentContext", || {
        Err(Error::unsupported(
            "contexts are not available in this build; aclrtSetDevice gives a thread its device's default one",
        ))
    })
}

/// Tells this thread's current context.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetCurrentContext(context: *mut aclrtContext) -> aclError {
    guard("aclrtGetCurrentContext", || {
        Err(Error::unsupported(
            "contexts are not available in this build; aclrtSetDevice gives a thread its device's default one",
        ))
    })
}

/// Tells the default stream of the current context: the one that a null stream means.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCtxGetCurrentDefaultStream(stream: *mut aclrtStream) -> aclError {
    guard("aclrtCtxGetCurrentDefaultStream", || {
        Err(Error::unsupported(
            "the default stream has no handle of its own; pass a null stream instead",
        ))
    })
}

/// Tells whether a device's default context exists. `flags` must be null.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetPrimaryCtxState(
    deviceId: i32,
    flags: *mut u32,
    active: *mut i32,
) -> aclError {
    guard("aclrtGetPrimaryCtxState", || {
        Err(Error::unsupported(
            "the state of a default context cannot be asked for; aclrtSetDevice makes it when it is missing",
        ))
    })
}

/// Sets an option of the current context.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCtxSetSysParamOpt(
    opt: MaybeUninit<aclSysParamOpt>,
    value: i64,
) -> aclError {
    guard("aclrtCtxSetSysParamOpt", || {
        Err(Error::unsupported("options of a context are not kept; leave the call out"))
    })
}

/// Tells an option of the current context.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCtxGetSysParamOpt(
    opt: MaybeUninit<aclSysParamOpt>,
    value: *mut i64,
) -> aclError {
    guard("aclrtCtxGetSysParamOpt", || {
        Err(Error::unsupported("options of a context are not kept; assume 0"))
    })
}

/// Sets an option of this process.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSetSysParamOpt(
    opt: MaybeUninit<aclSysParamOpt>,
    value: i64,
) -> aclError {
    guard("aclrtSetSysParamOpt", || {
        Err(Error::unsupported("options of the process are not kept; leave the call out"))
    })
}

/// Tells an option of this process, 0 if it was never set.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetSysParamOpt(
    opt: MaybeUninit<aclSysParamOpt>,
    value: *mut i64,
) -> aclError {
    guard("aclrtGetSysParamOpt", || {
        Err(Error::unsupported("options of the process are not kept; assume 0"))
    })
}

/// Tells where the current context notes floating-point overflows.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCtxGetFloatOverflowAddr(overflowAddr: *mut *mut c_void) -> aclError {
    guard("aclrtCtxGetFloatOverflowAddr", || {
        Err(Error::unsupported(
            "floating-point overflow is not watched; check results for infinities instead",
        ))
    })
}
