//! Values in memory that streams write, and wait for.

use crate::backend::{Fault, FaultKind, Span};

/// The comparison of a wait for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The word minus the value, modulo 2^64, is at most 2^63 - 1.
    GreaterOrEqual,
    /// The word equals the value.
    Equal,
    /// The word and the value have a common bit.
    And,
    /// There is a bit that is 0 in both.
    Nor,
}

impl Comparison {
    /// Whether the comparison is true for `word`.
    pub fn holds(self, word: u64, value: u64) -> bool {
        match self {
            Self::GreaterOrEqual => word.wrapping_sub(value).cast_signed() >= 0,
            Self::Equal => word == value,
            Self::And => word & value != 0,
            Self::Nor => !(word | value) != 0,
        }
    }

    /// A word for which the comparison is true; `None` if there is none.
    pub fn satisfying(self, value: u64) -> Option<u64> {
        let word = if self == Self::Nor { 0 } else { value };
        self.holds(word, value).then_some(word)
    }
}

/// An atomic write of eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueWrite {
    /// The destination: eight bytes at a multiple of eight, of the stream's device, managed, or pinned.
    pub dst: Span,
    /// The value.
    pub value: u64,
}

/// A wait for eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueWait {
    /// The address: as [`ValueWrite::dst`].
    pub src: Span,
    /// The value that the word is compared with.
    pub value: u64,
    /// The comparison.
    pub comparison: Comparison,
}

impl ValueWait {
    /// The fault of a wait that ended because its stream ends.
    pub(in crate::backend) fn never_came(&self) -> Fault {
        let Self { src, value, comparison } = self;
        let how = match comparison {
            Comparison::GreaterOrEqual => "ACL_STREAM_WAIT_VALUE_GEQ",
            Comparison::Equal => "ACL_STREAM_WAIT_VALUE_EQ",
            Comparison::And => "ACL_STREAM_WAIT_VALUE_AND",
            Comparison::Nor => "ACL_STREAM_WAIT_VALUE_NOR",
        };
        Fault::new(
            FaultKind::WaitTimedOut,
            format!(
                "a stream still waited for the value {value:#x} ({how}) at {:#x} when its device ended, \
                 and went on without it; write the value, or abort the stream, before the reset",
                src.addr
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Comparison::{And, Equal, GreaterOrEqual, Nor};

    #[test]
    fn comparisons() {
        let cases = [
            (GreaterOrEqual, 5, 5, true),
            (GreaterOrEqual, 6, 5, true),
            (GreaterOrEqual, 4, 5, false),
            // Wraps around.
            (GreaterOrEqual, 3, u64::MAX, true),
            (GreaterOrEqual, u64::MAX, 3, false),
            (GreaterOrEqual, 1 << 63, 0, false),
            (GreaterOrEqual, (1 << 63) - 1, 0, true),
            (Equal, 7, 7, true),
            (Equal, 8, 7, false),
            (And, 0b110, 0b010, true),
            (And, 0b101, 0b010, false),
            (And, u64::MAX, 0, false),
            (Nor, 0, 0, true),
            (Nor, u64::MAX - 1, 0, true),
            (Nor, u64::MAX - 1, 1, false),
            (Nor, 0, u64::MAX, false),
        ];
        for (comparison, word, value, holds) in cases {
            assert_eq!(comparison.holds(word, value), holds, "{word} {comparison:?} {value}");
        }
    }

    #[test]
    fn a_word_that_satisfies() {
        for comparison in [GreaterOrEqual, Equal, And, Nor] {
            for value in [0, 1, 1 << 63, u64::MAX] {
                let impossible = (comparison == And && value == 0) || (comparison == Nor && value == u64::MAX);
                let word = comparison.satisfying(value);
                assert_eq!(word.is_none(), impossible, "{comparison:?} {value}");
                assert!(word.is_none_or(|word| comparison.holds(word, value)));
            }
        }
    }
}
