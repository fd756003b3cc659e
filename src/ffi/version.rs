//! Versions of the interface and of the packages it stands for.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use crate::core::error::Error;
use crate::ffi::guard::guard;
use crate::ffi::types::{aclCANNPackageName, aclCANNPackageVersion, aclError};

/// Tells the version of the interface: the ACL_*_VERSION numbers of the header.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetVersion(
    majorVersion: *mut i32,
    minorVersion: *mut i32,
    patchVersion: *mut i32,
) -> aclError {
    guard("aclrtGetVersion", || {
        Err(Error::unsupported(
            "the version cannot be asked for in this build; use ACL_MAJOR_VERSION, ACL_MINOR_VERSION and ACL_PATCH_VERSION of the header",
        ))
    })
}

/// Tells the version of a package as texts.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclsysGetCANNVersion(
    name: MaybeUninit<aclCANNPackageName>,
    version: *mut aclCANNPackageVersion,
) -> aclError {
    guard("aclsysGetCANNVersion", || {
        Err(Error::unsupported(
            "package versions are not kept; use aclrtGetVersion for the version of the interface",
        ))
    })
}

/// Writes the version of the package `pkgName` as text to `versionStr`.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclsysGetVersionStr(
    pkgName: *mut c_char,
    versionStr: *mut c_char,
) -> aclError {
    guard("aclsysGetVersionStr", || {
        Err(Error::unsupported(
            "package versions are not kept; use aclrtGetVersion for the version of the interface",
        ))
    })
}

/// Tells the version of the package `pkgName` as one number that grows with every release.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclsysGetVersionNum(
    pkgName: *mut c_char,
    versionNum: *mut i32,
) -> aclError {
    guard("aclsysGetVersionNum", || {
        Err(Error::unsupported(
            "package versions are not kept; use aclrtGetVersion for the version of the interface",
        ))
    })
}

/// Tells whether code built for the chip `socVersion` runs on this device.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCheckArchCompatibility(
    socVersion: *const c_char,
    canCompatible: *mut i32,
) -> aclError {
    guard("aclrtCheckArchCompatibility", || {
        Err(Error::unsupported(
            "chips are not compared, as device binaries cannot run here; compare the name with aclrtGetSocName",
        ))
    })
}
