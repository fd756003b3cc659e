//! Snapshots: a process whose devices' memory lies in host memory, and back.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::Arc;

use crate::core::base::error::{Error, Result};
use crate::core::process::snapshot::{self, Callback};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{address, enum_value};
use crate::ffi::types::{
    aclError, aclrtSnapShotBackupArgs, aclrtSnapShotCallBack, aclrtSnapShotRestoreArgs,
    aclrtSnapShotStage,
};

/// Locks this process for a snapshot: calls the functions for ACL_RT_SNAPSHOT_LOCK_PRE, has new calls wait, and waits
/// itself until all streams of all devices have done what they were given. From then on calls of other threads
/// wait for aclrtSnapShotProcessUnlock, but those that return values and no code, those that
/// tell of failures, aclrtProcessReport, aclrtProcessHostFunc and snapshot calls; this thread, and callbacks of snapshots, get 107000 instead, because nobody else would let
/// them go on. Calls inside of host functions are not held. Threads that allocate or copy at the same moment
/// should have come to rest before: what they have begun is waited for as soon as a stream has it. docs/snapshots.md
/// has the whole.
///
/// @param pid this process, by its own number (getpid).
/// @param reserve must be null.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `pid` is not above 0, or `reserve` is not null;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another process, or a driver without cuCheckpointProcessLock;
/// ACL_ERROR_SNAPSHOT_LOCK_TIMEOUT 507905: work under way did not end within `PORTACL_SNAPSHOT_TIMEOUT_MS` (10000);
/// ACL_ERROR_SNAPSHOT_LOCK_FAILED 507906: the process is not running, another snapshot call is under way, or the
/// driver refuses; ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return 0;
/// ACL_ERROR_RT_CONTEXT_NULL 107002: after aclFinalize; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host
/// function. After a failure the process runs. Thread-safe. Follows cuCheckpointProcessLock, of which the names are
/// aclrtSnapShotProcessLock's in the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotProcessLock(pid: c_int, reserve: *mut c_void) -> aclError {
    guard("aclrtSnapShotProcessLock", || snapshot::lock(pid, !reserve.is_null()))
}

/// Lets calls go on, and then calls the functions for ACL_RT_SNAPSHOT_UNLOCK_POST. Any thread may do so.
///
/// @param pid as for aclrtSnapShotProcessLock.
/// @param reserve must be null.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000 and ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000 as
/// aclrtSnapShotProcessLock; ACL_ERROR_SNAPSHOT_UNLOCK_FAILED 507907: the process is not locked, or its memory is saved
/// and has not come back, another snapshot call is under way, or the driver refuses;
/// ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return 0, and the process runs;
/// ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows cuCheckpointProcessUnlock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotProcessUnlock(pid: c_int, reserve: *mut c_void) -> aclError {
    guard("aclrtSnapShotProcessUnlock", || snapshot::unlock(pid, !reserve.is_null()))
}

/// Copies what is in the memory of all devices to host memory, and gives the devices' memory back, between the
/// functions for ACL_RT_SNAPSHOT_BACKUP_PRE and ACL_RT_SNAPSHOT_BACKUP_POST. All handles and addresses stay. Managed
/// memory stays where it is on CPUs, and so does that of pools that other processes may have.
///
/// @param pid as for aclrtSnapShotProcessLock.
/// @param args null, or a structure with `backupFlags` 0.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `pid` is not above 0, or `backupFlags` is not 0;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another process, memory of this one is exported, or the driver cannot save
/// something (on CUDA managed memory, and memory of other processes); ACL_ERROR_SNAPSHOT_BACKUP_FAILED 507908: the
/// process is not locked, another snapshot call is under way, there is no host memory, or the driver refuses: nothing
/// is saved then, and the process is still locked; ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return
/// 0: before, so that nothing is saved, or after everything was; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host
/// function. Thread-safe.
/// Follows cuCheckpointProcessCheckpoint.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotProcessBackup(
    pid: c_int,
    args: *mut aclrtSnapShotBackupArgs,
) -> aclError {
    guard("aclrtSnapShotProcessBackup", || {
        let mut flags = 0;
        if !args.is_null() {
            // SAFETY: `args` is not null, so it is an aclrtBackupProcessArgs; the read works in
            // packed memory too.
            flags = unsafe { (&raw const (*args).backupFlags).read_unaligned() };
        }
        snapshot::back_up(pid, flags)
    })
}

/// Brings the devices' memory back to where it was, between the functions for ACL_RT_SNAPSHOT_RESTORE_PRE and
/// ACL_RT_SNAPSHOT_RESTORE_POST. The process is locked then.
///
/// @param pid as for aclrtSnapShotProcessLock.
/// @param args null, or a structure with `restoreFlags` 0.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `pid` is not above 0, or `restoreFlags` is not 0;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: another process; ACL_ERROR_SNAPSHOT_RESTORE_FAILED 507909: nothing is saved,
/// another snapshot call is under way, or there is no memory: it is still saved then;
/// ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912: a callback did not return 0: before, so that everything is still saved, or
/// after it has come back; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Thread-safe. Follows
/// cuCheckpointProcessRestore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotProcessRestore(
    pid: c_int,
    args: *mut aclrtSnapShotRestoreArgs,
) -> aclError {
    guard("aclrtSnapShotProcessRestore", || {
        let mut flags = 0;
        if !args.is_null() {
            // SAFETY: `args` is not null, so it is an aclrtRestoreProcessArgs; the read works in
            // packed memory too.
            flags = unsafe { (&raw const (*args).restoreFlags).read_unaligned() };
        }
        snapshot::restore(pid, flags)
    })
}

/// Has a function called at a stage of each snapshot, on the thread that makes the snapshot call: once for each
/// device that is in use, with its id, after the functions that were registered before it. If it does not return
/// 0, the call returns ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912; at stages before something (LOCK_PRE, BACKUP_PRE,
/// RESTORE_PRE) no further function is called then, and it does not happen. At ACL_RT_SNAPSHOT_LOCK_PRE and
/// ACL_RT_SNAPSHOT_UNLOCK_POST it may call this library; at the others, while the process is locked, such calls get
/// 107000. Registrations outlive aclFinalize.
///
/// @param stage when.
/// @param callback the function, which may be registered for several stages.
/// @param args its second argument, which the caller keeps alive; may be null.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null function, or no stage;
/// ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED 507913: it is registered for this stage. Thread-safe. Follows
/// aclrtSnapShotCallbackRegister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotCallbackRegister(
    stage: MaybeUninit<aclrtSnapShotStage>,
    callback: aclrtSnapShotCallBack,
    args: *mut c_void,
) -> aclError {
    guard("aclrtSnapShotCallbackRegister", || {
        let function = required(callback)?;
        let argument = address::from_c(args);
        let call = Arc::new(move |device| {
            // SAFETY: the program keeps the snapshot callback and its argument valid until it
            // unregisters them.
            unsafe { function(device, address::to_c(argument)) }
        });
        snapshot::register(enum_value(stage), Callback { address: function as usize, call })
    })
}

/// Takes back a registration of aclrtSnapShotCallbackRegister. A call in another thread that has begun goes on.
///
/// @param stage for which it was registered.
/// @param callback the function.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null function, or no stage; ACL_ERROR_RT_PARAM_INVALID 107000: it
/// is not registered for this stage. Thread-safe. Follows aclrtSnapShotCallbackUnregister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtSnapShotCallbackUnregister(
    stage: MaybeUninit<aclrtSnapShotStage>,
    callback: aclrtSnapShotCallBack,
) -> aclError {
    guard("aclrtSnapShotCallbackUnregister", || {
        snapshot::unregister(enum_value(stage), required(callback)? as usize)
    })
}

fn required<F>(callback: Option<F>) -> Result<F> {
    callback.ok_or_else(|| Error::invalid_param("callback is null; it must be a function"))
}
