//! `PORTACL_CHECK` and its settings.

use std::path::PathBuf;

use super::{Variables, output_path};
use crate::core::base::error::Result;

/// What the variables ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `PORTACL_CHECK_LOG`: a file for one line of JSON for each report.
    pub log: Option<PathBuf>,
    /// `PORTACL_CHECK_SUPPRESS`: a file with the reports to leave out.
    pub suppress: Option<PathBuf>,
    /// `PORTACL_CHECK_EXIT`: the exit status of the process if there is a report.
    pub exit: Option<i32>,
    /// `PORTACL_CHECK_LIMIT`: how many reports are written.
    pub limit: usize,
    /// `PORTACL_CHECK_STACKS`: whether the calls that led to each operation are recorded.
    pub stacks: bool,
}

/// The checks that there are.
const CHECKS: [&str; 1] = ["races"];

/// Reads the variables; `None`: no check.
pub(super) fn read(variables: &Variables<'_>) -> Result<Option<Settings>> {
    let allowed = format!("0, all, or names of checks separated by commas: {}", CHECKS.join(", "));
    let are_known = |text: &str| text.split(',').all(|name| name == "all" || CHECKS.contains(&name));
    let is_on = variables.parsed("PORTACL_CHECK", &allowed, |text| match text {
        "0" => Some(false),
        text => are_known(text).then_some(true),
    })?;
    if is_on != Some(true) {
        return Ok(None);
    }
    let path = |name| variables.get(name).map(|text| output_path(&text));
    Ok(Some(Settings {
        log: path("PORTACL_CHECK_LOG"),
        suppress: path("PORTACL_CHECK_SUPPRESS"),
        exit: variables.number("PORTACL_CHECK_EXIT", 1..=125)?,
        limit: variables.number("PORTACL_CHECK_LIMIT", 1..=1_000_000)?.unwrap_or(50),
        stacks: variables.choice("PORTACL_CHECK_STACKS", &[("1", true), ("0", false)])?,
    }))
}
