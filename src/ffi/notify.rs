//! Notifies: signals between streams, consumed by the wait.

use std::ffi::c_char;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{
    aclError, aclrtCntNotify, aclrtCntNotifyRecordInfo, aclrtCntNotifyWaitInfo, aclrtNotify,
    aclrtServerPid, aclrtStream,
};

/// Makes a notify.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateNotify(notify: *mut aclrtNotify, flag: u64) -> aclError {
    guard_unsupported(
        "aclrtCreateNotify",
        "notifies are not available; use an event of aclrtCreateEventExWithFlag",
    )
}

/// Ends a notify.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyNotify(notify: aclrtNotify) -> aclError {
    guard_unsupported(
        "aclrtDestroyNotify",
        "notifies are not available; use an event of aclrtCreateEventExWithFlag",
    )
}

/// Signals a notify, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRecordNotify(notify: aclrtNotify, stream: aclrtStream) -> aclError {
    guard_unsupported(
        "aclrtRecordNotify",
        "notifies are not available; use an event of aclrtCreateEventExWithFlag",
    )
}

/// Makes a stream wait for a notify and consume it, for at most `timeout` seconds; 0 waits for
/// ever.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtWaitAndResetNotify(
    notify: aclrtNotify,
    stream: aclrtStream,
    timeout: u32,
) -> aclError {
    guard_unsupported(
        "aclrtWaitAndResetNotify",
        "notifies are not available; use an event of aclrtCreateEventExWithFlag",
    )
}

/// Tells a notify's number.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetNotifyId(notify: aclrtNotify, notifyId: *mut u32) -> aclError {
    guard_unsupported(
        "aclrtGetNotifyId",
        "notifies are not available; use an event of aclrtCreateEventExWithFlag",
    )
}

/// Takes back the signals of several notifies.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNotifyBatchReset(notifies: *mut aclrtNotify, num: usize) -> aclError {
    guard_unsupported(
        "aclrtNotifyBatchReset",
        "notifies are not available; use an event of aclrtCreateEventExWithFlag",
    )
}

/// Gives a notify a name under which other processes open it.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNotifyGetExportKey(
    notify: aclrtNotify,
    key: *mut c_char,
    len: usize,
    flags: u64,
) -> aclError {
    guard_unsupported(
        "aclrtNotifyGetExportKey",
        "notifies are not available; use an event of aclrtCreateEventExWithFlag",
    )
}

/// Opens another process's notify by its name.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNotifyImportByKey(
    notify: *mut aclrtNotify,
    key: *const c_char,
    flags: u64,
) -> aclError {
    guard_unsupported(
        "aclrtNotifyImportByKey",
        "notifies are not available; use an event of aclrtCreateEventExWithFlag",
    )
}

/// Lists the processes that may open a notify.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNotifySetImportPid(
    notify: aclrtNotify,
    pid: *mut i32,
    num: usize,
) -> aclError {
    guard_unsupported(
        "aclrtNotifySetImportPid",
        "notifies are not available; use an event of aclrtCreateEventExWithFlag",
    )
}

/// Lists the processes of other servers that may open a notify.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtNotifySetImportPidInterServer(
    notify: aclrtNotify,
    serverPids: *mut aclrtServerPid,
    num: usize,
) -> aclError {
    guard_unsupported(
        "aclrtNotifySetImportPidInterServer",
        "nothing can be shared between servers; send a message over the network",
    )
}

/// Makes a notify that counts.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyCreate(
    cntNotify: *mut aclrtCntNotify,
    flag: u64,
) -> aclError {
    guard_unsupported(
        "aclrtCntNotifyCreate",
        "notifies are not available; use an event of aclrtCreateEventExWithFlag",
    )
}

/// Ends a notify that counts.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyDestroy(cntNotify: aclrtCntNotify) -> aclError {
    guard_unsupported(
        "aclrtCntNotifyDestroy",
        "notifies are not available; use an event of aclrtCreateEventExWithFlag",
    )
}

/// Changes the count of a notify, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyRecord(
    cntNotify: aclrtCntNotify,
    stream: aclrtStream,
    info: *mut aclrtCntNotifyRecordInfo,
) -> aclError {
    guard_unsupported(
        "aclrtCntNotifyRecord",
        "notifies are not available; use an event of aclrtCreateEventExWithFlag",
    )
}

/// Makes a stream wait until the count of a notify meets a condition.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyWaitWithTimeout(
    cntNotify: aclrtCntNotify,
    stream: aclrtStream,
    info: *mut aclrtCntNotifyWaitInfo,
) -> aclError {
    guard_unsupported(
        "aclrtCntNotifyWaitWithTimeout",
        "notifies are not available; use an event of aclrtCreateEventExWithFlag",
    )
}

/// Sets the count of a notify back to zero, in stream order.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyReset(
    cntNotify: aclrtCntNotify,
    stream: aclrtStream,
) -> aclError {
    guard_unsupported(
        "aclrtCntNotifyReset",
        "notifies are not available; use an event of aclrtCreateEventExWithFlag",
    )
}

/// Tells the number of a notify that counts.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCntNotifyGetId(
    cntNotify: aclrtCntNotify,
    notifyId: *mut u32,
) -> aclError {
    guard_unsupported(
        "aclrtCntNotifyGetId",
        "notifies are not available; use an event of aclrtCreateEventExWithFlag",
    )
}
