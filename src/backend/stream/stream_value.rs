//! Values in memory that streams write, and wait for.

use crate::backend::{Fault, FaultKind, Span};

/// When a wait for a value is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The word is the value or lies at most 2^63 - 1 after it, counted in a circle.
    GreaterOrEqual,
    /// The word is the value.
    Equal,
    /// The word and the value have a bit in common.
    And,
    /// There is a bit that neither of them has.
    Nor,
}

impl Comparison {
    /// Whether `word` is what `value` waits for.
    pub fn holds(self, word: u64, value: u64) -> bool {
        match self {
            Self::GreaterOrEqual => word.wrapping_sub(value).cast_signed() >= 0,
            Self::Equal => word == value,
            Self::And => word & value != 0,
            Self::Nor => !(word | value) != 0,
        }
    }

    /// A word that is what `value` waits for; none where there is no such word.
    pub fn satisfying(self, value: u64) -> Option<u64> {
        let word = if self == Self::Nor { 0 } else { value };
        self.holds(word, value).then_some(word)
    }
}

/// A write of eight bytes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueWrite {
    /// Where to: eight bytes at a multiple of eight, of the stream's device, managed, or pinned.
    pub dst: Span,
    /// What.
    pub value: u64,
}

/// A wait for eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueWait {
    /// Where: as [`ValueWrite::dst`].
    pub src: Span,
    /// What the word is compared with.
    pub value: u64,
    /// How.
    pub comparison: Comparison,
}

impl ValueWait {
    /// What it says that was ended because its stream ends.
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
            // In a circle.
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
                let impossible =
                    (comparison == And && value == 0) || (comparison == Nor && value == u64::MAX);
                let word = comparison.satisfying(value);
                assert_eq!(word.is_none(), impossible, "{comparison:?} {value}");
                assert!(word.is_none_or(|word| comparison.holds(word, value)));
            }
        }
    }
}
