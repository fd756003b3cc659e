//! Findings of libraries over this one, which `PORTACL_CHECK` reports with its own.

use std::sync::OnceLock;

use super::error::{Result, invalid_param};

/// The kind of a finding. The numbers are those of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// Ranks of collective communication whose calls do not fit.
    Collectives = 1,
    /// A rank that waits for others for a long time, which may still come.
    LongWait = 2,
}

impl FindingKind {
    /// Returns the kind of this number.
    pub fn of(number: i32) -> Result<Self> {
        let mut all = [Self::Collectives, Self::LongWait].into_iter();
        all.find(|kind| *kind as i32 == number).ok_or_else(|| {
            invalid_param!(
                "finding->kind is {number}; allowed: PORTACL_FINDING_COLLECTIVES 1 and PORTACL_FINDING_LONG_WAIT 2"
            )
        })
    }
}

/// An operation that takes part in a finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FoundOperation {
    /// The call with its arguments.
    pub call: String,
    /// Its place among other operations.
    pub position: String,
    /// Its line in the program; empty if it is not known.
    pub site: String,
}

/// A finding of another library.
#[derive(Debug)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// The first line.
    pub what: String,
    /// The advice to the program.
    pub fix: String,
    /// The operations that take part in it.
    pub operations: Vec<FoundOperation>,
}

static REPORT: OnceLock<fn(Finding)> = OnceLock::new();

/// Sets the function that reports findings. Without it they are dropped.
pub fn report_by(report: fn(Finding)) {
    REPORT.get_or_init(|| report);
}

/// Reports a finding if its check is on.
pub fn report(found: Finding) {
    if let Some(report) = REPORT.get() {
        report(found);
    }
}
