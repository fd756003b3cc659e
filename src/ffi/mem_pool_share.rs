//! Pools in several processes: handing one over, and single allocations of it.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::ffi::guard::guard_unsupported;
use crate::ffi::types::{aclError, aclrtMemHandleType, aclrtMemPool, portaclMemPoolPtrExportData};

/// Makes a pool known to other processes.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolExportToShareableHandle(
    shareableHandle: *mut c_void,
    memPool: aclrtMemPool,
    handleType: MaybeUninit<aclrtMemHandleType>,
    flags: u32,
) -> aclError {
    guard_unsupported(
        "portaclMemPoolExportToShareableHandle",
        "memory pools are not shared between processes yet; copy through memory that is",
    )
}

/// Gives the pool that another process has exported.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolImportFromShareableHandle(
    memPool: *mut aclrtMemPool,
    shareableHandle: *mut c_void,
    handleType: MaybeUninit<aclrtMemHandleType>,
    flags: u32,
) -> aclError {
    guard_unsupported(
        "portaclMemPoolImportFromShareableHandle",
        "memory pools are not shared between processes yet; copy through memory that is",
    )
}

/// Names an allocation of an exported pool for other processes.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolExportPointer(
    exportData: *mut portaclMemPoolPtrExportData,
    ptr: *mut c_void,
) -> aclError {
    guard_unsupported(
        "portaclMemPoolExportPointer",
        "memory pools are not shared between processes yet; copy through memory that is",
    )
}

/// Gives the allocation that another process has named.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclMemPoolImportPointer(
    ptr: *mut *mut c_void,
    memPool: aclrtMemPool,
    exportData: *const portaclMemPoolPtrExportData,
) -> aclError {
    guard_unsupported(
        "portaclMemPoolImportPointer",
        "memory pools are not shared between processes yet; copy through memory that is",
    )
}
