//! Suppressions: reports that the program's owners do not want to see.
//!
//! The file has one pattern per line. A report is left out if a pattern occurs in the name of a call, a function or a
//! file of one of its operations. A pattern after the name of a kind, as in `race: train_step`, is for reports of that
//! kind. Lines that begin with `#`, and empty ones, are ignored.

use std::path::Path;

use super::kind::FindingKind;
use crate::algo::host::input_file;
use crate::core::base::error::{Code, Result, error_with};

/// The patterns, each with the kind of its reports; `None`: all kinds.
#[derive(Debug, Default)]
pub(super) struct Suppressions(Vec<(Option<FindingKind>, String)>);

impl Suppressions {
    /// Reads a file of patterns.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let bytes = input_file::read_settings(path).map_err(|why| {
            let path = path.display();
            error_with!(Code::of_read(&why), "PORTACL_CHECK_SUPPRESS \"{path}\" cannot be read: {why}")
        })?;
        Ok(Self::parse(&String::from_utf8_lossy(&bytes)))
    }

    fn parse(text: &str) -> Self {
        // Some editors put a byte order mark at the beginning.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let patterns = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let of_kind = |line: &str| {
            let of = |(kind, name, _)| Some((Some(kind), line.strip_prefix(name)?.strip_prefix(": ")?.to_owned()));
            FindingKind::WORDS.into_iter().find_map(of).unwrap_or_else(|| (None, line.to_owned()))
        };
        Self(patterns.map(of_kind).collect())
    }

    /// Whether there are no patterns.
    pub(super) const fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a report of this kind with these names is left out.
    pub(super) fn cover<'a>(&self, kind: FindingKind, mut names: impl Iterator<Item = &'a str>) -> bool {
        let is_for = |of: Option<FindingKind>| of.is_none_or(|of| of == kind);
        names.any(|name| self.0.iter().any(|(of, pattern)| is_for(*of) && name.contains(pattern)))
    }
}

#[cfg(test)]
#[path = "suppression_tests.rs"]
mod tests;
