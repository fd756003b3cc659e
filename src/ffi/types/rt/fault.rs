//! Types of `acl_rt.h` about failures.

use std::ffi::c_void;
use std::mem::MaybeUninit;

/// Information about work that failed on a device, accessed by functions.
pub struct rtExceptionInfo([u8; 0]);

/// Information about work that failed on a device.
pub type aclrtExceptionInfo = rtExceptionInfo;

/// Called when work failed on a device; its argument is valid during the call.
pub type aclrtExceptionInfoCallback = Option<unsafe extern "C" fn(*mut aclrtExceptionInfo)>;

/// Called when a kernel failed, or anything on a GPU, with the caller's argument.
pub type aclrtOpExceptionCallback = Option<unsafe extern "C" fn(*mut aclrtExceptionInfo, *mut c_void)>;

/// Device memory with an uncorrectable error.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtMemUceInfo {
    /// First byte.
    pub addr: *mut c_void,
    /// Size in bytes.
    pub len: usize,
    /// Reserved.
    pub reserved: [usize; 14],
}

/// Kinds of hardware errors.
#[repr(C)]
pub enum aclrtErrorType {
    /// None.
    ACL_RT_NO_ERROR = 0,
    /// Memory.
    ACL_RT_ERROR_MEMORY = 1,
    /// Level-2 cache.
    ACL_RT_ERROR_L2 = 2,
    /// AI core.
    ACL_RT_ERROR_AICORE = 3,
    /// Connection.
    ACL_RT_ERROR_LINK = 4,
    /// Port of the level-3 network.
    ACL_RT_ERROR_L3_PORT = 5,
    /// Other errors.
    ACL_RT_ERROR_OTHERS = 65535,
}

/// Kinds of errors of an AI core.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum aclrtAicoreErrorType {
    /// Unknown.
    ACL_RT_AICORE_ERROR_UNKNOWN = 0,
    /// An error of the program.
    ACL_RT_AICORE_ERROR_SW = 1,
    /// An error of the hardware.
    ACL_RT_AICORE_ERROR_HW_LOCAL = 2,
}

/// Device memory with uncorrectable errors.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtMemUceInfoArray {
    /// Number of entries.
    pub arraySize: usize,
    /// The entries.
    pub memUceInfoArray: [aclrtMemUceInfo; 20],
}

/// Details of a hardware error, by its kind.
#[repr(C)]
pub union aclrtErrorInfoDetail {
    /// The details of a memory error.
    pub uceInfo: aclrtMemUceInfoArray,
    /// The details of an AI core's error.
    pub aicoreErrType: MaybeUninit<aclrtAicoreErrorType>,
}

/// A hardware error.
#[repr(C)]
pub struct aclrtErrorInfo {
    /// 1 if aclrtRepairError may repair it.
    pub tryRepair: u8,
    /// 1 if `detail` is filled in.
    pub hasDetail: u8,
    /// Reserved.
    pub reserved: [u8; 2],
    /// Its kind.
    pub errorType: MaybeUninit<aclrtErrorType>,
    /// Its details.
    pub detail: aclrtErrorInfoDetail,
}

/// The scope of the last error.
#[repr(C)]
pub enum aclrtLastErrLevel {
    /// The calling thread.
    ACL_RT_THREAD_LEVEL = 0,
}
