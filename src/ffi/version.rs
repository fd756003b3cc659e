//! Versions of the interface and of the packages it stands for.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use crate::core::info;
use crate::ffi::guard::{guard, guard_unsupported};
use crate::ffi::types::{aclCANNPackageName, aclCANNPackageVersion, aclError};
use crate::ffi::value::Out;

/// The version of the API that this library provides: ACL_MAJOR_VERSION, ACL_MINOR_VERSION,
/// ACL_PATCH_VERSION. Works at any time.
///
/// @param majorVersion receives the major number.
/// @param minorVersion receives the minor number.
/// @param patchVersion receives the patch number.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer. Thread-safe. Follows aclrtGetVersion
/// of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetVersion(
    majorVersion: *mut i32,
    minorVersion: *mut i32,
    patchVersion: *mut i32,
) -> aclError {
    guard("aclrtGetVersion", || {
        let major = Out::new("majorVersion", majorVersion)?;
        let minor = Out::new("minorVersion", minorVersion)?;
        let patch = Out::new("patchVersion", patchVersion)?;
        let [major_number, minor_number, patch_number] = info::API_VERSION;
        major.write(major_number);
        minor.write(minor_number);
        patch.write(patch_number);
        Ok(())
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
    guard_unsupported(
        "aclsysGetCANNVersion",
        "package versions are not kept; use aclrtGetVersion for the version of the interface",
    )
}

/// Writes the version of the package `pkgName` as text to `versionStr`.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclsysGetVersionStr(
    pkgName: *mut c_char,
    versionStr: *mut c_char,
) -> aclError {
    guard_unsupported(
        "aclsysGetVersionStr",
        "package versions are not kept; use aclrtGetVersion for the version of the interface",
    )
}

/// Tells the version of the package `pkgName` as one number that grows with every release.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclsysGetVersionNum(
    pkgName: *mut c_char,
    versionNum: *mut i32,
) -> aclError {
    guard_unsupported(
        "aclsysGetVersionNum",
        "package versions are not kept; use aclrtGetVersion for the version of the interface",
    )
}

/// Tells whether code built for the chip `socVersion` runs on this device.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCheckArchCompatibility(
    socVersion: *const c_char,
    canCompatible: *mut i32,
) -> aclError {
    guard_unsupported(
        "aclrtCheckArchCompatibility",
        "chips are not compared, as device binaries cannot run here; compare the name with \
             aclrtGetSocName",
    )
}
