//! `PORTACL_CHECK` and its settings.

use std::path::PathBuf;
use std::time::Duration;

use super::Variables;
use crate::base::error::Result;

/// A check that `PORTACL_CHECK` can select.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// Operations that use the same memory without an order.
    Races,
    /// Reads of device memory that nothing wrote.
    Init,
    /// Waits that nothing ends, and waits for nothing.
    Sync,
    /// Accesses outside of allocations.
    Bounds,
    /// Memory and objects that were not freed or released.
    Leaks,
    /// Calls that fail because of their arguments or of the current state.
    Misuse,
    /// Ranks of collective communication whose calls do not fit: the library of collectives compares them.
    Collectives,
}

impl Check {
    const NAMES: [(&str, Self); 7] = [
        ("races", Self::Races),
        ("init", Self::Init),
        ("sync", Self::Sync),
        ("bounds", Self::Bounds),
        ("leaks", Self::Leaks),
        ("misuse", Self::Misuse),
        ("collectives", Self::Collectives),
    ];

    /// Whether the check needs the operations of streams.
    pub const fn sees_operations(self) -> bool {
        matches!(self, Self::Races | Self::Init | Self::Sync)
    }
}

/// The values of the variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `PORTACL_CHECK`.
    pub checks: Vec<Check>,
    /// `PORTACL_CHECK_LOG`: a file for one line of JSON for each report.
    pub log: Option<PathBuf>,
    /// `PORTACL_CHECK_REPORT`: a page of HTML with the reports and a timeline.
    pub report: Option<PathBuf>,
    /// `PORTACL_CHECK_SUPPRESS`: a file with the reports to leave out.
    pub suppress: Option<PathBuf>,
    /// `PORTACL_CHECK_EXIT`: the exit status of the process if there is a report.
    pub exit: Option<i32>,
    /// `PORTACL_CHECK_LIMIT`: how many reports are written.
    pub limit: usize,
    /// `PORTACL_CHECK_STACKS`: whether the calls that led to each operation are recorded.
    pub stacks: bool,
    /// `PORTACL_CHECK_WAIT_MS`: a longer wait of the host is reported.
    pub wait: Duration,
}

/// Parses the list of checks; `None` if it is invalid.
fn checks(text: &str) -> Option<Vec<Check>> {
    if text == "0" {
        return Some(Vec::new());
    }
    let names: Vec<&str> = text.split(',').collect();
    let is_known = |name: &&str| *name == "all" || Check::NAMES.iter().any(|(known, _)| known == name);
    if !names.iter().all(is_known) {
        return None;
    }
    let is_named = |(name, _): &(&str, _)| names.contains(&"all") || names.contains(name);
    Some(Check::NAMES.into_iter().filter(is_named).map(|(_, check)| check).collect())
}

/// Reads the variables; `None` if no check is on. An invalid value is an error also if no check is on: otherwise it
/// would be found only when one is switched on.
pub(super) fn read(variables: &Variables<'_>) -> Result<Option<Settings>> {
    let names = Check::NAMES.map(|(name, _)| name).join(", ");
    let allowed = format!("0, all, or names of checks separated by commas: {names}");
    let settings = Settings {
        checks: variables.parsed("PORTACL_CHECK", &allowed, checks)?.unwrap_or_default(),
        log: variables.output("PORTACL_CHECK_LOG"),
        report: variables.output("PORTACL_CHECK_REPORT"),
        suppress: variables.output("PORTACL_CHECK_SUPPRESS"),
        exit: variables.number("PORTACL_CHECK_EXIT", 1..=125)?,
        limit: variables.number("PORTACL_CHECK_LIMIT", 1..=1_000_000)?.unwrap_or(50),
        wait: Duration::from_millis(variables.number("PORTACL_CHECK_WAIT_MS", 1..=3_600_000)?.unwrap_or(10_000)),
        stacks: variables.choice("PORTACL_CHECK_STACKS", &[("1", true), ("0", false)])?,
    };
    Ok((!settings.checks.is_empty()).then_some(settings))
}
