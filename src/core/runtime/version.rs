//! The version of the software that programs see.

use std::ffi::OsStr;
use std::sync::OnceLock;

use crate::core::base::config;
use crate::core::base::error::{Error, Result};
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
        return Err(Error::invalid_param("pkgName is empty; pass the name of a package, as in \"runtime\""));
    }
    current()
}

/// aclsysGetCANNVersion, by the number of the package in `aclCANNPackageName`.
pub fn of_numbered_package(name: i32) -> Result<Version> {
    const LAST: i32 = 7;
    if !(0..=LAST).contains(&name) {
        return Err(Error::invalid_param(format_args!(
            "name is {name}; allowed: the values of aclCANNPackageName, 0 to {LAST}"
        )));
    }
    current()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_short_numbers_make_a_version() {
        let version = Version::parse("8.10.2").unwrap();
        assert_eq!(version.to_string(), "8.10.2");
        assert_eq!(version.number(), 81002);
        assert_eq!(Version::parse(&Version::DEFAULT.to_string()), Some(Version::DEFAULT));
        for bad in ["", "8", "8.3", "8.3.", "8.3.RC1", "8.3.0.1", "8.-3.0", "8.3.100", "8.3.+1", " 8.3.0"] {
            assert_eq!(Version::parse(bad), None, "{bad}");
        }
    }
}
