//! Types of `acl_rt.h` about the process: versions, initialization, snapshots.

use std::ffi::{c_char, c_void};

use super::super::base::aclError;

/// The stage of a snapshot callback.
#[repr(C)]
pub enum aclrtSnapShotStage {
    /// The call before the process is locked.
    ACL_RT_SNAPSHOT_LOCK_PRE = 0,
    /// The call before the devices' state is saved.
    ACL_RT_SNAPSHOT_BACKUP_PRE = 1,
    /// The call after the devices' state was saved.
    ACL_RT_SNAPSHOT_BACKUP_POST = 2,
    /// The call before the devices' state is restored.
    ACL_RT_SNAPSHOT_RESTORE_PRE = 3,
    /// The call after the devices' state was restored.
    ACL_RT_SNAPSHOT_RESTORE_POST = 4,
    /// The call after the process was unlocked.
    ACL_RT_SNAPSHOT_UNLOCK_POST = 5,
}

/// Called with a device id and the caller's argument; 0 is success.
pub type aclrtSnapShotCallBack = Option<unsafe extern "C" fn(i32, *mut c_void) -> u32>;

/// Options of a backup.
#[repr(C)]
pub struct aclrtSnapShotBackupArgs {
    /// Must be 0.
    pub backupFlags: u32,
    /// Reserved.
    pub reserved: [c_char; 60],
}

/// Options of a restore.
#[repr(C)]
pub struct aclrtSnapShotRestoreArgs {
    /// Must be 0.
    pub restoreFlags: u32,
    /// Reserved.
    pub reserved: [c_char; 60],
}

/// Packages with a version.
#[repr(C)]
pub enum aclCANNPackageName {
    /// All packages together.
    ACL_PKG_NAME_CANN = 0,
    /// The runtime.
    ACL_PKG_NAME_RUNTIME = 1,
    /// The compiler.
    ACL_PKG_NAME_COMPILER = 2,
    /// Collective communication.
    ACL_PKG_NAME_HCCL = 3,
    /// The tools.
    ACL_PKG_NAME_TOOLKIT = 4,
    /// The operators.
    ACL_PKG_NAME_OPP = 5,
    /// The operators' kernels.
    ACL_PKG_NAME_OPP_KERNEL = 6,
    /// The driver.
    ACL_PKG_NAME_DRIVER = 7,
}

/// The version of a package as texts.
#[repr(C)]
pub struct aclCANNPackageVersion {
    /// The whole version.
    pub version: [c_char; 128],
    /// Its first part.
    pub majorVersion: [c_char; 64],
    /// Its second part.
    pub minorVersion: [c_char; 64],
    /// Its third part.
    pub releaseVersion: [c_char; 64],
    /// Its fourth part.
    pub patchVersion: [c_char; 64],
    /// Reserved.
    pub reserved: [c_char; 128],
}

/// The component that registers an init or finalize callback.
#[repr(C)]
pub enum aclRegisterCallbackType {
    /// The model layer.
    ACL_REG_TYPE_ACL_MODEL = 0,
    /// The operator execution layer.
    ACL_REG_TYPE_ACL_OP_EXECUTOR = 1,
    /// The linear algebra layer.
    ACL_REG_TYPE_ACL_OP_CBLAS = 2,
    /// The operator compilation layer.
    ACL_REG_TYPE_ACL_OP_COMPILER = 3,
    /// The channels of the data transport.
    ACL_REG_TYPE_ACL_TDT_CHANNEL = 4,
    /// The queues of the data transport.
    ACL_REG_TYPE_ACL_TDT_QUEUE = 5,
    /// The layer for images and video.
    ACL_REG_TYPE_ACL_DVPP = 6,
    /// The layer for retrieval.
    ACL_REG_TYPE_ACL_RETR = 7,
    /// Any other component.
    ACL_REG_TYPE_OTHER = 65535,
}

/// Called with the configuration's text, its length, and the caller's argument; 0 is success.
pub type aclInitCallbackFunc = Option<unsafe extern "C" fn(*const c_char, usize, *mut c_void) -> aclError>;

/// Called with the caller's argument; 0 is success.
pub type aclFinalizeCallbackFunc = Option<unsafe extern "C" fn(*mut c_void) -> aclError>;

/// The state of a process.
#[repr(C)]
pub enum aclrtProcessState {
    /// It submits work.
    ACL_RT_PROCESS_STATE_RUNNING = 0,
    /// It is locked for a snapshot.
    ACL_RT_PROCESS_STATE_LOCKED = 1,
}
