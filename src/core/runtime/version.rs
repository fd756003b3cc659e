//! The version of the software that programs see.

use std::ffi::OsStr;
use std::sync::OnceLock;

use crate::core::base::config;
use crate::core::base::error::{Result, invalid_param};
use crate::core::base::release::Version;

/// The version of every package: `PORTACL_CANN_VERSION`, the same until the process ends.
fn current() -> Result<Version> {
    static VERSION: OnceLock<Version> = OnceLock::new();
    match VERSION.get() {
        Some(version) => Ok(*version),
        None => {
            let read = config::cann_version()?;
            Ok(*VERSION.get_or_init(|| read))
        }
    }
}

/// aclsysGetVersionStr, aclsysGetVersionNum: packages are installed independently, so every name except an empty one is
/// accepted.
pub fn of_package(name: &OsStr) -> Result<Version> {
    if name.is_empty() {
        return Err(invalid_param!("pkgName is empty; pass the name of a package, as in \"runtime\""));
    }
    current()
}

/// aclsysGetCANNVersion, by the number of the package in `aclCANNPackageName`.
pub fn of_numbered_package(name: i32) -> Result<Version> {
    const LAST: i32 = 7;
    if !(0..=LAST).contains(&name) {
        return Err(invalid_param!("name is {name}; allowed: the values of aclCANNPackageName, 0 to {LAST}"));
    }
    current()
}

#[cfg(test)]
#[path = "version_tests.rs"]
mod tests;
