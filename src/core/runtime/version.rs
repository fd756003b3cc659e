//! The version of the software that programs see.

use std::ffi::OsStr;
use std::fmt;
use std::sync::OnceLock;

use crate::base::config;
use crate::base::error::{Result, arguments, invalid_param};

/// A release: major, minor and patch, numbers of at most two digits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version(pub [u8; 3]);

impl Version {
    /// The default, if the environment sets none.
    pub const DEFAULT: Self = Self([8, 3, 0]);

    /// Parses `MAJOR.MINOR.PATCH`.
    pub fn parse(text: &str) -> Option<Self> {
        let parts = text.split('.').map(|part| {
            let digits = (1..=2).contains(&part.len()) && part.bytes().all(|c| c.is_ascii_digit());
            digits.then(|| part.parse().ok()).flatten()
        });
        Some(Self(parts.collect::<Option<Vec<u8>>>()?.try_into().ok()?))
    }

    /// Returns one number that orders versions, with two decimal digits for each part.
    pub fn number(self) -> i32 {
        self.0.into_iter().fold(0, |number, part| number * 100 + i32::from(part))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

/// Returns the version of every package: `PORTACL_CANN_VERSION`, which is fixed until the process ends.
fn current() -> Result<Version> {
    static VERSION: OnceLock<Version> = OnceLock::new();
    if let Some(version) = VERSION.get() {
        return Ok(*version);
    }
    let allowed = "three numbers from 0 to 99, as in 8.3.0";
    let read = config::variable("PORTACL_CANN_VERSION", allowed, Version::parse)?;
    Ok(*VERSION.get_or_init(|| read.unwrap_or(Version::DEFAULT)))
}

/// Implements aclsysGetVersionStr and aclsysGetVersionNum: packages are installed independently, so every name except
/// an empty one is accepted.
pub fn of_package(name: &OsStr) -> Result<Version> {
    ensure!(!name.is_empty(), invalid_param!("pkgName is empty; pass the name of a package, as in \"runtime\""));
    current()
}

/// Implements aclsysGetCANNVersion. `name`: the number of the package in `aclCANNPackageName`.
pub fn of_numbered_package(name: i32) -> Result<Version> {
    arguments::enumerated("name", name, 0..=7, "aclCANNPackageName")?;
    current()
}

#[cfg(test)]
#[path = "version_tests.rs"]
mod tests;
