//! The version of the software that programs see.

use std::ffi::OsStr;
use std::fmt;
use std::sync::OnceLock;

use crate::core::base::config;
use crate::core::base::error::{Result, arguments, invalid_param};

/// A release: three numbers of at most two digits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Incompatible changes.
    pub major: u8,
    /// New functions.
    pub minor: u8,
    /// Fixes.
    pub patch: u8,
}

impl Version {
    /// The default, if the environment sets none.
    pub const DEFAULT: Self = Self { major: 8, minor: 3, patch: 0 };

    /// Parses `MAJOR.MINOR.PATCH`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| {
            let digits = (1..=2).contains(&part.len()) && part.bytes().all(|c| c.is_ascii_digit());
            digits.then(|| part.parse().ok()).flatten()
        });
        let version = Self { major: parts.next()??, minor: parts.next()??, patch: parts.next()?? };
        parts.next().is_none().then_some(version)
    }

    /// As one number that orders versions: two decimal digits for each part.
    pub fn number(self) -> i32 {
        (i32::from(self.major) * 100 + i32::from(self.minor)) * 100 + i32::from(self.patch)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// The version of every package: `PORTACL_CANN_VERSION`, the same until the process ends.
fn current() -> Result<Version> {
    static VERSION: OnceLock<Version> = OnceLock::new();
    if let Some(version) = VERSION.get() {
        return Ok(*version);
    }
    let allowed = "three numbers from 0 to 99, as in 8.3.0";
    let read = config::variable("PORTACL_CANN_VERSION", allowed, Version::parse)?;
    Ok(*VERSION.get_or_init(|| read.unwrap_or(Version::DEFAULT)))
}

/// aclsysGetVersionStr, aclsysGetVersionNum: packages are installed independently, so every name except an empty one is
/// accepted.
pub fn of_package(name: &OsStr) -> Result<Version> {
    ensure!(!name.is_empty(), invalid_param!("pkgName is empty; pass the name of a package, as in \"runtime\""));
    current()
}

/// aclsysGetCANNVersion, by the number of the package in `aclCANNPackageName`.
pub fn of_numbered_package(name: i32) -> Result<Version> {
    arguments::enumerated("name", name, 0..=7, "aclCANNPackageName")?;
    current()
}

#[cfg(test)]
#[path = "version_tests.rs"]
mod tests;
