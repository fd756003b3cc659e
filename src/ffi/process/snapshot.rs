//! Snapshots: device memory of a process is saved in host memory and restored.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::Arc;

use crate::base::{Callback, address, enum_value, function, guard, must_be_null, read_optional};
use crate::core::process::snapshot;
use crate::types::{
    aclError, aclrtSnapShotBackupArgs, aclrtSnapShotCallBack, aclrtSnapShotRestoreArgs, aclrtSnapShotStage,
};

/// Locks this process for a snapshot: calls the functions for ACL_RT_SNAPSHOT_LOCK_PRE, makes new calls wait, and waits
/// for the pending work of all streams of all devices. Then calls of other threads wait for aclrtSnapShotProcessUnlock,
/// except functions that return a value instead of a code, functions that report failures, aclrtProcessReport,
/// aclrtProcessHostFunc and snapshot calls. This thread, and snapshot callbacks, get 107000 instead, because they would
/// wait for themselves. Calls inside host functions do not wait. Stop threads that allocate or copy before the call:
/// work that they have just begun is waited for only once it is on a stream. See docs/snapshots.md.
///
/// @param pid the process id of this process (getpid).
/// @param reserve must be null.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `pid` is not greater than 0, or `reserve` is not null.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another process, a driver without cuCheckpointProcessLock, or on
///     CUDA memory that is shared with other processes.
/// @retval ACL_ERROR_SNAPSHOT_LOCK_TIMEOUT 507905: running work did not complete within `PORTACL_SNAPSHOT_TIMEOUT_MS`
///     (10000).
/// @retval ACL_ERROR_SNAPSHOT_LOCK_FAILED 507906: the process is already locked or backed up, another snapshot call is
///     running, or the driver refuses.
/// @retval ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return 0.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. After a failure the process continues to
///     run.
/// @note Thread-safe. Follows cuCheckpointProcessLock, with the names of aclrtSnapShotProcessLock in the Ascend runtime
///     API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotProcessLock(pid: c_int, reserve: *mut c_void) -> aclError {
    guard("aclrtSnapShotProcessLock", || snapshot::lock(pid, must_be_null("reserve", reserve)))
}

/// Lets calls continue, and then calls the functions for ACL_RT_SNAPSHOT_UNLOCK_POST. Any thread may call it.
///
/// @param pid as in aclrtSnapShotProcessLock.
/// @param reserve must be null.
/// @retval ACL_ERROR_INVALID_PARAM 100000: as aclrtSnapShotProcessLock.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another process.
/// @retval ACL_ERROR_SNAPSHOT_UNLOCK_FAILED 507907: the process is not locked, or its memory is saved and not restored,
///     another snapshot call is running, or the driver refuses.
/// @retval ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return 0; the process runs.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows cuCheckpointProcessUnlock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotProcessUnlock(pid: c_int, reserve: *mut c_void) -> aclError {
    guard("aclrtSnapShotProcessUnlock", || snapshot::unlock(pid, must_be_null("reserve", reserve)))
}

/// Copies the contents of the memory on all devices to host memory and releases the device memory, between the
/// functions for ACL_RT_SNAPSHOT_BACKUP_PRE and ACL_RT_SNAPSHOT_BACKUP_POST. All handles and addresses stay valid. On
/// CPUs managed memory, and pool memory that other processes can import, stays in place.
///
/// @param pid as in aclrtSnapShotProcessLock.
/// @param args null, or a structure with `backupFlags` 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `pid` is not greater than 0, or `backupFlags` is not 0.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another process, memory of this process is exported, or the driver
///     cannot save something (on CUDA managed memory).
/// @retval ACL_ERROR_SNAPSHOT_BACKUP_FAILED 507908: the process is not locked, another snapshot call is running, there
///     is no host memory, or the driver refuses: nothing is saved, and the process is still locked, unless what was
///     saved cannot be restored: then the process is backed up.
/// @retval ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return 0: before the backup, and nothing is
///     saved, or after it, and everything is saved.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows cuCheckpointProcessCheckpoint.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotProcessBackup(pid: c_int, args: *mut aclrtSnapShotBackupArgs) -> aclError {
    guard("aclrtSnapShotProcessBackup", || {
        snapshot::back_up(pid, read_optional(args).map_or(0, |args| args.backupFlags))
    })
}

/// Restores the memory on all devices at its addresses, between the functions for ACL_RT_SNAPSHOT_RESTORE_PRE and
/// ACL_RT_SNAPSHOT_RESTORE_POST. The process is locked afterwards.
///
/// @param pid as in aclrtSnapShotProcessLock.
/// @param args null, or a structure with `restoreFlags` 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `pid` is not greater than 0, or `restoreFlags` is not 0.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another process.
/// @retval ACL_ERROR_SNAPSHOT_RESTORE_FAILED 507909: nothing is saved, another snapshot call is running, there is no
///     memory, or the driver refuses. Saved contents are still saved.
/// @retval ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return 0: before the restore, and everything
///     is still saved, or after it, and everything is restored.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Thread-safe. Follows cuCheckpointProcessRestore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotProcessRestore(pid: c_int, args: *mut aclrtSnapShotRestoreArgs) -> aclError {
    guard("aclrtSnapShotProcessRestore", || {
        snapshot::restore(pid, read_optional(args).map_or(0, |args| args.restoreFlags))
    })
}

/// Registers a function that is called at a stage of each snapshot, on the thread that makes the snapshot call: once
/// for each device in use, with its id, after the functions that were registered earlier. If it does not return 0, the
/// call returns ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912; at stages before an action (LOCK_PRE, BACKUP_PRE,
/// RESTORE_PRE) no further function is called, and the action does not take place. At ACL_RT_SNAPSHOT_LOCK_PRE and
/// ACL_RT_SNAPSHOT_UNLOCK_POST the function may call this library; at the other stages, while the process is locked,
/// most of its calls get 107000 (docs/callbacks.md). Registrations stay through aclFinalize.
///
/// @param stage the stage.
/// @param callback the function, which may be registered for several stages.
/// @param args second argument of the function; may be null. The caller keeps it valid.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null function, or an unknown stage.
/// @retval ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED 507913: it is already registered for this stage.
/// @note Thread-safe. Follows aclrtSnapShotCallbackRegister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotCallbackRegister(
    stage: MaybeUninit<aclrtSnapShotStage>,
    callback: aclrtSnapShotCallBack,
    args: *mut c_void,
) -> aclError {
    guard("aclrtSnapShotCallbackRegister", || {
        let function = function("callback", callback, "it must be a function")?;
        let argument = address::from_c(args);
        let call = Arc::new(move |device| {
            // SAFETY: the program keeps the snapshot callback and its argument valid until it
            // unregisters them.
            unsafe { function.may_unwind()(device, address::to_c(argument)) }
        });
        snapshot::register(enum_value(stage), function as usize, call)
    })
}

/// Removes a registration of aclrtSnapShotCallbackRegister. A call that is running on another thread continues.
///
/// @param stage for which it was registered.
/// @param callback the function.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null function, or an unknown stage.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: it is not registered for this stage.
/// @note Thread-safe. Follows aclrtSnapShotCallbackUnregister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotCallbackUnregister(
    stage: MaybeUninit<aclrtSnapShotStage>,
    callback: aclrtSnapShotCallBack,
) -> aclError {
    guard("aclrtSnapShotCallbackUnregister", || {
        snapshot::unregister(enum_value(stage), function("callback", callback, "it must be a function")? as usize)
    })
}
