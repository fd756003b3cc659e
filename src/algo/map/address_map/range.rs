//! Ranges of addresses, and the reasons why one cannot be registered.

use std::fmt;
use std::num::NonZeroUsize;

use super::{ADDRESS_BITS, MAX_RECORDS};

/// A registered range of addresses, with its owner's data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The first address.
    pub base: usize,
    /// The length in bytes, not 0.
    pub len: usize,
    /// The owner's data.
    pub words: [u64; 3],
}

/// What a transfer needs to know about the range that contains an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    /// The number of bytes from the address to the range's end.
    pub left: NonZeroUsize,
    /// The first of the owner's words.
    pub word: u64,
}

impl Range {
    pub(super) fn contains(&self, addr: usize) -> bool {
        addr.wrapping_sub(self.base) < self.len
    }

    pub(super) fn last(&self) -> usize {
        self.base + (self.len - 1)
    }
}

/// The reason why a range cannot be registered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InsertError {
    /// It overlaps this one, or begins in the same 256 bytes.
    Overlap {
        /// The first address of the other range.
        base: usize,
        /// The length of the other range.
        len: usize,
    },
    /// It does not lie within the 47 bits of user space.
    Unaddressable,
    /// There is no memory for the map.
    Full,
    /// Its length is 0.
    Empty,
}

impl fmt::Display for InsertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overlap { base, len } => {
                write!(f, "another range, of {len} bytes at {base:#x}, ")?;
                write!(f, "overlaps this one or begins in the same 256 bytes")
            }
            Self::Unaddressable => {
                write!(f, "the range ends above {:#x}, the last usable address", (1_u64 << ADDRESS_BITS) - 1)
            }
            Self::Full => {
                write!(f, "no host memory is left to register another range, or {MAX_RECORDS} are registered; ")?;
                write!(f, "free host memory, or release allocations and registrations")
            }
            Self::Empty => write!(f, "the range is empty"),
        }
    }
}

impl std::error::Error for InsertError {}
