//! Versions of the API and of packages.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use crate::base::{Out, enum_value, guard, guard_out, text};
use crate::core::runtime::{info, version};
use crate::types::{aclCANNPackageName, aclCANNPackageVersion, aclError};

/// Size in bytes of the caller's buffer for a version text, as the constant of this name in the header.
const ACL_PKG_VERSION_MAX_SIZE: usize = 128;

/// Returns the version of the API that this library provides: ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION.
/// Works at any time.
///
/// @param majorVersion receives the major number.
/// @param minorVersion receives the minor number.
/// @param patchVersion receives the patch number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @note Thread-safe. Follows aclrtGetVersion of the Ascend runtime API.
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

/// Returns the version of a package as texts: the whole version and its parts. All packages have the version of
/// `PORTACL_CANN_VERSION`, or else 8.3.0: the version of the original that programs should see. Works at any time.
///
/// @param name an aclCANNPackageName.
/// @param version receives zero-terminated texts; `patchVersion`, the fourth part, is empty.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null, an unknown package, or the environment variable has an invalid value.
/// @note Thread-safe. Follows aclsysGetCANNVersion of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclsysGetCANNVersion(
    name: MaybeUninit<aclCANNPackageName>,
    version: *mut aclCANNPackageVersion,
) -> aclError {
    guard_out("aclsysGetCANNVersion", "version", version, || {
        let version = version::of_numbered_package(enum_value(name))?;
        let [majorVersion, minorVersion, releaseVersion] = version.0.map(|part| text::array(&part.to_string()));
        Ok(aclCANNPackageVersion {
            version: text::array(&version.to_string()),
            majorVersion,
            minorVersion,
            releaseVersion,
            patchVersion: text::array(""),
            reserved: text::array(""),
        })
    })
}

/// Returns the version of a package as a text, as in "8.3.0"; see aclsysGetCANNVersion. Works at any time.
///
/// @param pkgName the package, as in "runtime"; all have the same version.
/// @param versionStr receives a zero-terminated text; a buffer of ACL_PKG_VERSION_MAX_SIZE bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, an empty name, or the environment variable
///     PORTACL_CANN_VERSION has an invalid value.
/// @note Thread-safe. Follows aclsysGetVersionStr of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclsysGetVersionStr(pkgName: *mut c_char, versionStr: *mut c_char) -> aclError {
    guard("aclsysGetVersionStr", || {
        // SAFETY: `pkgName` is null or a C string; aclsysGetVersionStr only reads it.
        let name = unsafe { text::required("pkgName", pkgName) }?;
        let out = text::Buffer::new("versionStr", versionStr, "ACL_PKG_VERSION_MAX_SIZE", ACL_PKG_VERSION_MAX_SIZE)?;
        out.write(&version::of_package(name)?.to_string());
        Ok(())
    })
}

/// Returns the version of a package as one number, two decimal digits for each part: 8.3.0 is 80300. The public
/// reference does not specify the original's encoding: only compare such numbers with each other. Works at any time.
///
/// @param pkgName the package, as in "runtime"; all have the same version, see aclsysGetCANNVersion.
/// @param versionNum receives the number.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, an empty name, or the environment variable
///     PORTACL_CANN_VERSION has an invalid value.
/// @note Thread-safe. Follows aclsysGetVersionNum of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclsysGetVersionNum(pkgName: *mut c_char, versionNum: *mut i32) -> aclError {
    guard("aclsysGetVersionNum", || {
        // SAFETY: `pkgName` is null or a C string; aclsysGetVersionNum only reads it.
        let name = unsafe { text::required("pkgName", pkgName) }?;
        Out::new("versionNum", versionNum)?.write(version::of_package(name)?.number());
        Ok(())
    })
}

/// Returns whether a program that selects its code by the name of the chip finds the chip that it was built for. Code
/// for Ascend cores runs on no backend; aclrtBinaryLoadFromData describes the binaries that run here. Works at any
/// time.
///
/// @param socVersion a name as returned by aclrtGetSocName.
/// @param canCompatible receives 1 if it equals the result of aclrtGetSocName, else 0.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @note Thread-safe. Follows aclrtCheckArchCompatibility of the Ascend runtime API, which compares chips by more than
///     their names.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCheckArchCompatibility(socVersion: *const c_char, canCompatible: *mut i32) -> aclError {
    guard("aclrtCheckArchCompatibility", || {
        // SAFETY: `socVersion` is null or a C string with the name of a chip.
        let name = unsafe { text::required("socVersion", socVersion) }?;
        let out = Out::new("canCompatible", canCompatible)?;
        out.write((name.as_encoded_bytes() == info::soc_name().to_bytes()).into());
        Ok(())
    })
}
