//! The summary at the end of the process.

use std::collections::BTreeMap;

use super::kind::FindingKind;

/// The findings of a kind.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    /// Number of findings that were written.
    pub written: usize,
    /// Number of findings at the same places of the program as an earlier one.
    pub repeated: usize,
    /// Number of findings that the file of patterns names.
    pub suppressed: usize,
    /// Number of findings after the maximum number of reports.
    pub beyond_limit: usize,
}

/// The findings of all kinds.
#[derive(Default)]
pub(super) struct Counts(BTreeMap<FindingKind, Count>);

impl Counts {
    /// Returns the findings of a kind.
    pub(super) fn of(&mut self, kind: FindingKind) -> &mut Count {
        self.0.entry(kind).or_default()
    }

    /// Returns the number of findings that were written.
    pub(super) fn written(&self) -> usize {
        self.0.values().map(|count| count.written).sum()
    }

    /// Returns the number of faults of the program, including those beyond the limit.
    pub(super) fn faults(&self) -> usize {
        let faults = self.0.iter().filter(|(kind, _)| kind.is_fault());
        faults.map(|(_, count)| count.written + count.beyond_limit).sum()
    }

    /// Returns the numbers of a sort of findings by kind, as in "1 race, 2 leaks". Empty if all are 0.
    fn words(&self, sort: impl Fn(&Count) -> usize) -> String {
        let counted = self.0.iter().map(|(kind, count)| (kind, sort(count))).filter(|(_, count)| *count > 0);
        let words: Vec<String> = counted.map(|(kind, count)| format!("{count} {}", kind.many(count))).collect();
        words.join(", ")
    }

    /// Returns the summary; empty if there is nothing to say. `is_incomplete`: some uses of memory were forgotten.
    pub(super) fn summary(&self, limit: usize, is_incomplete: bool) -> String {
        let written = self.words(|count| count.written);
        let mut left_out = Vec::new();
        let mut leave_out = |words: String, why: &str| {
            if !words.is_empty() {
                left_out.push(format!("{words} {why}"));
            }
        };
        let beyond = format!("beyond the limit of {limit} (PORTACL_CHECK_LIMIT)");
        leave_out(self.words(|count| count.beyond_limit), &beyond);
        leave_out(self.words(|count| count.suppressed), "suppressed by PORTACL_CHECK_SUPPRESS");
        leave_out(self.words(|count| count.repeated), "repeated at the same places of the program");
        if written.is_empty() && left_out.is_empty() && !is_incomplete {
            return String::new();
        }
        let mut summary = format!("{} reported", if written.is_empty() { "nothing" } else { &written });
        if !left_out.is_empty() {
            summary += &format!("; left out: {}", left_out.join(", "));
        }
        if is_incomplete {
            summary += "; reports may be missing: the checks dropped some uses of memory because their tables were \
                        full";
        }
        summary
    }
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
