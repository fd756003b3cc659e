//! Types of `acl_rt.h` about failures.

use std::ffi::c_void;
use std::mem::MaybeUninit;

pub struct rtExceptionInfo {
    _private: [u8; 0],
}

pub type aclrtExceptionInfo = rtExceptionInfo;

pub type aclrtExceptionInfoCallback = Option<unsafe extern "C" fn(*mut aclrtExceptionInfo)>;

pub type aclrtOpExceptionCallback =
    Option<unsafe extern "C" fn(*mut aclrtExceptionInfo, *mut c_void)>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtMemUceInfo {
    pub addr: *mut c_void,
    pub len: usize,
    pub reserved: [usize; 14],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtErrorType {
    ACL_RT_NO_ERROR = 0,
    ACL_RT_ERROR_MEMORY = 1,
    ACL_RT_ERROR_L2 = 2,
    ACL_RT_ERROR_AICORE = 3,
    ACL_RT_ERROR_LINK = 4,
    ACL_RT_ERROR_L3_PORT = 5,
    ACL_RT_ERROR_OTHERS = 65535,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtAicoreErrorType {
    ACL_RT_AICORE_ERROR_UNKNOWN = 0,
    ACL_RT_AICORE_ERROR_SW = 1,
    ACL_RT_AICORE_ERROR_HW_LOCAL = 2,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtMemUceInfoArray {
    pub arraySize: usize,
    pub memUceInfoArray: [aclrtMemUceInfo; 20],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtErrorInfoDetail {
    pub uceInfo: aclrtMemUceInfoArray,
    pub aicoreErrType: MaybeUninit<aclrtAicoreErrorType>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtErrorInfo {
    pub tryRepair: u8,
    pub hasDetail: u8,
    pub reserved: [u8; 2],
    pub errorType: MaybeUninit<aclrtErrorType>,
    pub detail: aclrtErrorInfoDetail,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum aclrtLastErrLevel {
    ACL_RT_THREAD_LEVEL = 0,
}
