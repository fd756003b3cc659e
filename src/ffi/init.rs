//! Start and end of the library.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use crate::core::error::Error;
use crate::ffi::guard::guard;
use crate::ffi::types::{
    aclError, aclFinalizeCallbackFunc, aclInitCallbackFunc, aclRegisterCallbackType,
};

/// Starts the library. `configPath` names a JSON file; null or an empty text means the defaults.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclInit(configPath: *const c_char) -> aclError {
    guard("aclInit", || {
        Err(Error::unsupported(
            "starting and ending the library is not available in this build; nothing needs to be called instead",
        ))
    })
}

/// Ends the library: every device is reset, pending work is awaited, and the library's threads end.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalize() -> aclError {
    guard("aclFinalize", || {
        Err(Error::unsupported(
            "starting and ending the library is not available in this build; nothing needs to be called instead",
        ))
    })
}

/// Takes back one aclInit and tells, if `refCount` is not null, how many are left; the last one
/// ends the library.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalizeReference(refCount: *mut u64) -> aclError {
    guard("aclFinalizeReference", || {
        Err(Error::unsupported(
            "starting and ending the library is not available in this build; nothing needs to be called instead",
        ))
    })
}

/// Has `cbFunc` called with the configuration's text when the library starts, at once if it runs
/// already.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclInitCallbackRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclInitCallbackFunc,
    userData: *mut c_void,
) -> aclError {
    guard("aclInitCallbackRegister", || {
        Err(Error::unsupported(
            "callbacks at aclInit are not kept; run the code right after aclInit instead",
        ))
    })
}

/// Takes back a registration of aclInitCallbackRegister.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclInitCallbackUnRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclInitCallbackFunc,
) -> aclError {
    guard("aclInitCallbackUnRegister", || {
        Err(Error::unsupported("callbacks at aclInit are not kept, so there is none to take back"))
    })
}

/// Has `cbFunc` called when the library ends.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalizeCallbackRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclFinalizeCallbackFunc,
    userData: *mut c_void,
) -> aclError {
    guard("aclFinalizeCallbackRegister", || {
        Err(Error::unsupported(
            "callbacks at aclFinalize are not kept; run the code right before aclFinalize instead",
        ))
    })
}

/// Takes back a registration of aclFinalizeCallbackRegister.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalizeCallbackUnRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclFinalizeCallbackFunc,
) -> aclError {
    guard("aclFinalizeCallbackUnRegister", || {
        Err(Error::unsupported(
            "callbacks at aclFinalize are not kept, so there is none to take back",
        ))
    })
}
