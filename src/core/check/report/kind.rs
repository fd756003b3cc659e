//! Kinds of what is found.

/// What is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Race,
    Uninitialized,
    EndlessWait,
    RedundantWait,
    MissingWait,
    OutOfBounds,
    Leak,
    Misuse,
}

impl Kind {
    pub const ALL: [Self; 8] = [
        Self::Race,
        Self::Uninitialized,
        Self::EndlessWait,
        Self::RedundantWait,
        Self::MissingWait,
        Self::OutOfBounds,
        Self::Leak,
        Self::Misuse,
    ];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Race => "race",
            Self::Uninitialized => "init",
            Self::EndlessWait => "endless wait",
            Self::RedundantWait => "redundant wait",
            Self::MissingWait => "missing wait",
            Self::OutOfBounds => "bounds",
            Self::Leak => "leak",
            Self::Misuse => "misuse",
        }
    }

    /// Its name after this number.
    pub const fn many(self, count: usize) -> &'static str {
        match (self, count) {
            (Self::Race, 1) => "race",
            (Self::Race, _) => "races",
            (Self::Uninitialized, 1) => "read of memory without contents",
            (Self::Uninitialized, _) => "reads of memory without contents",
            (Self::EndlessWait, 1) => "endless wait",
            (Self::EndlessWait, _) => "endless waits",
            (Self::RedundantWait, 1) => "redundant wait",
            (Self::RedundantWait, _) => "redundant waits",
            (Self::MissingWait, 1) => "missing wait",
            (Self::MissingWait, _) => "missing waits",
            (Self::OutOfBounds, 1) => "access outside of an allocation",
            (Self::OutOfBounds, _) => "accesses outside of allocations",
            (Self::Leak, 1) => "leak",
            (Self::Leak, _) => "leaks",
            (Self::Misuse, 1) => "failed call",
            (Self::Misuse, _) => "failed calls",
        }
    }

    /// Whether the program is wrong, and not only slower than it could be.
    pub const fn is_fault(self) -> bool {
        !matches!(self, Self::RedundantWait)
    }
}
