//! Kinds of findings.

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FindingKind {
    Race,
    Uninitialized,
    EndlessWait,
    RedundantWait,
    MissingWait,
    OutOfBounds,
    Leak,
    Misuse,
    Collectives,
    LongWait,
}

impl FindingKind {
    /// For each kind: its name in reports, and its name after the number 1 and after other numbers.
    pub(crate) const WORDS: [(Self, &str, [&str; 2]); 10] = [
        (Self::Race, "race", ["race", "races"]),
        (Self::Uninitialized, "init", ["read of memory without contents", "reads of memory without contents"]),
        (Self::EndlessWait, "endless wait", ["endless wait", "endless waits"]),
        (Self::RedundantWait, "redundant wait", ["redundant wait", "redundant waits"]),
        (Self::MissingWait, "missing wait", ["missing wait", "missing waits"]),
        (Self::OutOfBounds, "bounds", ["access outside of an allocation", "accesses outside of allocations"]),
        (Self::Leak, "leak", ["leak", "leaks"]),
        (Self::Misuse, "misuse", ["failed call", "failed calls"]),
        (Self::Collectives, "collectives", ["mismatch of ranks", "mismatches of ranks"]),
        (Self::LongWait, "long wait", ["long wait for ranks", "long waits for ranks"]),
    ];

    /// Returns the name in reports.
    pub(crate) const fn name(self) -> &'static str {
        Self::WORDS[self as usize].1
    }

    /// Whether a correct program has no such findings. A redundant wait makes a program slower, but not wrong, and the
    /// ranks of a long wait may still come.
    pub(super) const fn is_fault(self) -> bool {
        !matches!(self, Self::RedundantWait | Self::LongWait)
    }

    /// Returns the name after this number.
    pub(crate) fn many(self, count: usize) -> &'static str {
        Self::WORDS[self as usize].2[usize::from(count != 1)]
    }
}
