//! Values in memory that streams write and wait for.

use crate::Span;

/// The comparison of a wait for a value, numbered as in the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The word minus the value, modulo 2^64, is at most 2^63 - 1.
    GreaterOrEqual,
    /// The word equals the value.
    Equal,
    /// The word and the value have a common bit.
    And,
    /// Some bit is 0 in both.
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

    /// Returns a word for which the comparison is true, or `None` if there is none.
    pub fn satisfying(self, value: u64) -> Option<u64> {
        let word = if self == Self::Nor { 0 } else { value };
        self.holds(word, value).then_some(word)
    }
}

/// An atomic write of eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueWrite {
    /// The destination: eight bytes at a multiple of eight, in managed memory, pinned memory, or memory of the stream's
    /// device.
    pub dst: Span,
    /// The value that is written.
    pub value: u64,
}

/// A wait for eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueWait {
    /// The address of the word, with the conditions of [`ValueWrite::dst`].
    pub src: Span,
    /// The value that the word is compared with.
    pub value: u64,
    /// The comparison of the wait.
    pub comparison: Comparison,
}

#[cfg(test)]
#[path = "stream_value_tests.rs"]
mod tests;
