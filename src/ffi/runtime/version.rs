//! Versions of the interface and of the packages it stands for.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use crate::core::runtime::info;
use crate::core::runtime::version;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, enum_value, text};
use crate::ffi::types::{aclCANNPackageName, aclCANNPackageVersion, aclError};

/// Bytes that programs have for the text of a version, by the constant of this name in the header.
const ACL_PKG_VERSION_MAX_SIZE: usize = 128;

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

/// The version of a package as texts: the whole and its parts. All packages have the version that
/// `PORTACL_CANN_VERSION` names, else 8.3.0: that of the original that programs are to take this library
/// for. Works at any time.
///
/// @param name an aclCANNPackageName.
/// @param version receives zero-terminated texts; `patchVersion`, the fourth part, is empty.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null, no such package, or the environment variable
/// has no meaning. Thread-safe. Follows aclsysGetCANNVersion of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclsysGetCANNVersion(
    name: MaybeUninit<aclCANNPackageName>,
    version: *mut aclCANNPackageVersion,
) -> aclError {
    guard("aclsysGetCANNVersion", || {
        let out = Out::new("version", version)?;
        let version = version::of_numbered_package(enum_value(name))?;
        out.write(aclCANNPackageVersion {
            version: text::array(&version.to_string()),
            majorVersion: text::array(&version.major.to_string()),
            minorVersion: text::array(&version.minor.to_string()),
            releaseVersion: text::array(&version.patch.to_string()),
            patchVersion: text::array(""),
            reserved: text::array(""),
        });
        Ok(())
    })
}

/// The version of a package as text, as in "8.3.0"; see aclsysGetCANNVersion. Works at any time.
///
/// @param pkgName the package, as in "runtime"; all have the same version.
/// @param versionStr receives a zero-terminated text; room for ACL_PKG_VERSION_MAX_SIZE bytes.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, an empty name, or the environment
/// variable PORTACL_CANN_VERSION has no meaning. Thread-safe. Follows aclsysGetVersionStr of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclsysGetVersionStr(
    pkgName: *mut c_char,
    versionStr: *mut c_char,
) -> aclError {
    guard("aclsysGetVersionStr", || {
        // SAFETY: `pkgName` is null or a C string; aclsysGetVersionStr only reads it.
        let name = unsafe { text::required("pkgName", pkgName) }?;
        let out = text::Buffer::new(
            "versionStr",
            versionStr,
            "ACL_PKG_VERSION_MAX_SIZE",
            ACL_PKG_VERSION_MAX_SIZE,
        )?;
        out.write(&version::of_package(name)?.to_string());
        Ok(())
    })
}

/// The version of a package as one number, two decimal digits for each part: 8.3.0 is 80300. The public
/// reference does not say how the original makes the number: use it to compare versions with each other
/// and with numbers made the same way. Works at any time.
///
/// @param pkgName the package, as in "runtime"; all have the same version, see aclsysGetCANNVersion.
/// @param versionNum receives the number.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, an empty name, or the environment
/// variable PORTACL_CANN_VERSION has no meaning. Thread-safe. Follows aclsysGetVersionNum of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclsysGetVersionNum(
    pkgName: *mut c_char,
    versionNum: *mut i32,
) -> aclError {
    guard("aclsysGetVersionNum", || {
        // SAFETY: `pkgName` is null or a C string; aclsysGetVersionNum only reads it.
        let name = unsafe { text::required("pkgName", pkgName) }?;
        let out = Out::new("versionNum", versionNum)?;
        out.write(version::of_package(name)?.number());
        Ok(())
    })
}

/// Tells whether a program that chooses its code by the chip's name finds here the chip that it was built for. Code
/// for Ascend cores itself runs on no backend; what binaries are here is told at aclrtBinaryLoadFromData. Works at any
/// time.
///
/// @param socVersion a name as aclrtGetSocName gives it.
/// @param canCompatible receives 1 if it is that of aclrtGetSocName, 0 if it is another one.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer. Thread-safe. Follows
/// aclrtCheckArchCompatibility of the Ascend runtime API, which compares chips by more than their names.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCheckArchCompatibility(
    socVersion: *const c_char,
    canCompatible: *mut i32,
) -> aclError {
    guard("aclrtCheckArchCompatibility", || {
        // SAFETY: `socVersion` is null or a C string with the name of a chip.
        let name = unsafe { text::required("socVersion", socVersion) }?;
        let out = Out::new("canCompatible", canCompatible)?;
        out.write((name.as_encoded_bytes() == info::soc_name().to_bytes()).into());
        Ok(())
    })
}
