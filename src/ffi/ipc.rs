//! Memory and events shared between processes.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{
    aclError, aclrtDrvMemHandle, aclrtEvent, aclrtIpcEventHandle, aclrtIpcMemAttrType,
    aclrtMemHandleType, aclrtMemSharedHandleType, aclrtServerPid,
};

/// Gives device memory a name under which other processes open it.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemGetExportKey(
    devPtr: *mut c_void,
    size: usize,
    key: *mut c_char,
    len: usize,
    flags: u64,
) -> aclError {
    guard_unsupported(
        "aclrtIpcMemGetExportKey",
        "nothing can be shared between processes; pass the data through the system's shared \
             memory and copy it",
    )
}

/// Opens another process's memory by its name.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemImportByKey(
    devPtr: *mut *mut c_void,
    key: *const c_char,
    flags: u64,
) -> aclError {
    guard_unsupported(
        "aclrtIpcMemImportByKey",
        "nothing can be shared between processes; pass the data through the system's shared \
             memory and copy it",
    )
}

/// Closes shared memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemClose(key: *const c_char) -> aclError {
    guard_unsupported(
        "aclrtIpcMemClose",
        "nothing can be shared between processes; pass the data through the system's shared \
             memory and copy it",
    )
}

/// Lists the processes that may open a name.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemSetImportPid(
    key: *const c_char,
    pid: *mut i32,
    num: usize,
) -> aclError {
    guard_unsupported(
        "aclrtIpcMemSetImportPid",
        "nothing can be shared between processes; pass the data through the system's shared \
             memory and copy it",
    )
}

/// Lists the processes of other servers that may open a name.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemImportPidInterServer(
    key: *const c_char,
    serverPids: *mut aclrtServerPid,
    num: usize,
) -> aclError {
    guard_unsupported(
        "aclrtIpcMemImportPidInterServer",
        "nothing can be shared between servers; send the data over the network",
    )
}

/// Sets how shared memory is reached.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcMemSetAttr(
    key: *const c_char,
    r#type: MaybeUninit<aclrtIpcMemAttrType>,
    attr: u64,
) -> aclError {
    guard_unsupported(
        "aclrtIpcMemSetAttr",
        "nothing can be shared between processes; pass the data through the system's shared \
             memory and copy it",
    )
}

/// Makes a handle through which another process opens an event.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcGetEventHandle(
    event: aclrtEvent,
    handle: *mut aclrtIpcEventHandle,
) -> aclError {
    guard_unsupported(
        "aclrtIpcGetEventHandle",
        "events cannot be shared between processes; synchronise, and tell the other process \
             by a pipe or socket",
    )
}

/// Opens another process's event.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtIpcOpenEventHandle(
    handle: aclrtIpcEventHandle,
    event: *mut aclrtEvent,
) -> aclError {
    guard_unsupported(
        "aclrtIpcOpenEventHandle",
        "events cannot be shared between processes; synchronise, and tell the other process \
             by a pipe or socket",
    )
}

/// Gives physical memory a number under which other processes open it.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemExportToShareableHandle(
    handle: aclrtDrvMemHandle,
    handleType: MaybeUninit<aclrtMemHandleType>,
    flags: u64,
    shareableHandle: *mut u64,
) -> aclError {
    guard_unsupported(
        "aclrtMemExportToShareableHandle",
        "nothing can be shared between processes; pass the data through the system's shared \
             memory and copy it",
    )
}

/// Gives physical memory a handle under which other processes open it.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemExportToShareableHandleV2(
    handle: aclrtDrvMemHandle,
    flags: u64,
    shareType: MaybeUninit<aclrtMemSharedHandleType>,
    shareableHandle: *mut c_void,
) -> aclError {
    guard_unsupported(
        "aclrtMemExportToShareableHandleV2",
        "nothing can be shared between processes; pass the data through the system's shared \
             memory and copy it",
    )
}

/// Opens another process's physical memory by its number.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemImportFromShareableHandle(
    shareableHandle: u64,
    deviceId: i32,
    handle: *mut aclrtDrvMemHandle,
) -> aclError {
    guard_unsupported(
        "aclrtMemImportFromShareableHandle",
        "nothing can be shared between processes; pass the data through the system's shared \
             memory and copy it",
    )
}

/// Opens another process's physical memory by its handle.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemImportFromShareableHandleV2(
    shareableHandle: *mut c_void,
    shareType: MaybeUninit<aclrtMemSharedHandleType>,
    flags: u64,
    handle: *mut aclrtDrvMemHandle,
) -> aclError {
    guard_unsupported(
        "aclrtMemImportFromShareableHandleV2",
        "nothing can be shared between processes; pass the data through the system's shared \
             memory and copy it",
    )
}

/// Lists the processes that may open a number.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemSetPidToShareableHandle(
    shareableHandle: u64,
    pid: *mut i32,
    pidNum: usize,
) -> aclError {
    guard_unsupported(
        "aclrtMemSetPidToShareableHandle",
        "nothing can be shared between processes; pass the data through the system's shared \
             memory and copy it",
    )
}

/// Lists the processes that may open a handle.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemSetPidToShareableHandleV2(
    shareableHandle: *mut c_void,
    shareType: MaybeUninit<aclrtMemSharedHandleType>,
    pid: *mut i32,
    pidNum: usize,
) -> aclError {
    guard_unsupported(
        "aclrtMemSetPidToShareableHandleV2",
        "nothing can be shared between processes; pass the data through the system's shared \
             memory and copy it",
    )
}
