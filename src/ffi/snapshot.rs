//! Snapshots: a process without its devices, and back.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{
    aclError, aclrtSnapShotBackupArgs, aclrtSnapShotCallBack, aclrtSnapShotRestoreArgs,
    aclrtSnapShotStage,
};

/// Stops a process from submitting work.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotProcessLock(pid: c_int, reserve: *mut c_void) -> aclError {
    guard_unsupported(
        "aclrtSnapShotProcessLock",
        "processes cannot be saved with their devices; save the data of the program and start \
             anew",
    )
}

/// Takes back aclrtSnapShotProcessLock.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotProcessUnlock(pid: c_int, reserve: *mut c_void) -> aclError {
    guard_unsupported(
        "aclrtSnapShotProcessUnlock",
        "processes cannot be saved with their devices; save the data of the program and start \
             anew",
    )
}

/// Saves the devices' state of a locked process and releases the devices.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotProcessBackup(
    pid: c_int,
    args: *mut aclrtSnapShotBackupArgs,
) -> aclError {
    guard_unsupported(
        "aclrtSnapShotProcessBackup",
        "processes cannot be saved with their devices; save the data of the program and start \
             anew",
    )
}

/// Gives a saved process its devices' state back.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotProcessRestore(
    pid: c_int,
    args: *mut aclrtSnapShotRestoreArgs,
) -> aclError {
    guard_unsupported(
        "aclrtSnapShotProcessRestore",
        "processes cannot be saved with their devices; save the data of the program and start \
             anew",
    )
}

/// Has `callback` called at a stage of a snapshot.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotCallbackRegister(
    stage: MaybeUninit<aclrtSnapShotStage>,
    callback: aclrtSnapShotCallBack,
    args: *mut c_void,
) -> aclError {
    guard_unsupported(
        "aclrtSnapShotCallbackRegister",
        "processes cannot be saved with their devices; save the data of the program and start \
             anew",
    )
}

/// Takes back aclrtSnapShotCallbackRegister.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotCallbackUnregister(
    stage: MaybeUninit<aclrtSnapShotStage>,
    callback: aclrtSnapShotCallBack,
) -> aclError {
    guard_unsupported(
        "aclrtSnapShotCallbackUnregister",
        "processes cannot be saved with their devices; save the data of the program and start \
             anew",
    )
}
