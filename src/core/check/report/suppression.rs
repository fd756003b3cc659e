//! Reports that the program's owners do not want to see.
//!
//! A file with one pattern a line. A report is left out if a pattern occurs in the name of a call, a function or a file
//! of one of its operations. Lines that begin with `#`, and empty ones, are ignored.

use std::path::Path;

use crate::algo::host::input_file;
use crate::core::base::error::{Code, Result, error_with};

/// The patterns.
#[derive(Debug, Default)]
pub struct Suppressions(Vec<String>);

impl Suppressions {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = input_file::read(path).map_err(|why| {
            let path = path.display();
            error_with!(Code::InvalidFile, "PORTACL_CHECK_SUPPRESS \"{path}\" cannot be read: {why}")
        })?;
        Ok(Self::parse(&String::from_utf8_lossy(&bytes)))
    }

    fn parse(text: &str) -> Self {
        let patterns = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        Self(patterns.map(str::to_owned).collect())
    }

    /// Whether a report with these names is left out.
    pub fn cover<'a>(&self, mut names: impl Iterator<Item = &'a str>) -> bool {
        names.any(|name| self.0.iter().any(|pattern| name.contains(pattern)))
    }
}

#[cfg(test)]
#[path = "suppression_tests.rs"]
mod tests;
