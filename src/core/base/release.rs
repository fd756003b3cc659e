//! A version of the software that programs expect.

use std::fmt;

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
