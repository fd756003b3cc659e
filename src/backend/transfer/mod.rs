//! Operations on memory: copies, fills, reductions.

pub mod random_num;

use super::{Number, Place, Span};

/// A copy of `dst.len == src.len` bytes. With an overlap the result is undefined, but the copy is memory-safe. (Not the
/// trait `Copy`: calls would copy it.)
#[derive(Clone, Debug)]
pub struct Copy {
    /// The destination.
    pub dst: Span,
    /// The source.
    pub src: Span,
    /// For host-to-device copies only: whether the source, even if pinned, is free for reuse when the call returns.
    pub stage_source: bool,
}

impl Copy {
    /// Whether an end is pageable host memory, for which the call may wait.
    pub fn is_pageable(&self) -> bool {
        self.dst.place == Place::Pageable || self.src.place == Place::Pageable
    }
}

/// Rows of a rectangle in memory, `pitch` bytes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The range from the first byte of the first row to the last byte of the last.
    pub span: Span,
    /// The number of bytes from the beginning of a row to the beginning of the next, at least a row's width.
    pub pitch: usize,
}

impl Rows {
    /// Returns the first `width` bytes of the row with this number.
    pub fn row(&self, index: usize, width: usize) -> Span {
        Span { addr: self.span.addr + index * self.pitch, len: width, place: self.span.place }
    }
}

/// A copy of `height` rows of `width` bytes, at least one end of which is on a device. There are two rows or more, with
/// a gap between them on one side or both: the core converts all others to a plain copy. With an overlap the result is
/// undefined, but the copy is memory-safe.
#[derive(Clone, Copy, Debug)]
pub struct Copy2d {
    /// The destination.
    pub dst: Rows,
    /// The source.
    pub src: Rows,
    /// The number of bytes of each row.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
}

impl Copy2d {
    /// Returns the copy of the row with this number.
    pub fn row(&self, index: usize) -> Copy {
        Copy { dst: self.dst.row(index, self.width), src: self.src.row(index, self.width), stage_source: false }
    }
}

/// An address in memory, plus an offset. The word `at`, which is aligned and on the stream's device or managed, holds
/// the address when the stream reaches the operation.
#[derive(Clone, Copy, Debug)]
pub struct Indirect {
    /// The word, 8 bytes.
    pub at: Span,
    /// The offset that is added to it.
    pub offset: usize,
}

/// A copy between addresses that are in memory. The words lie outside of the destination. The addresses are not
/// checked: if one is no device memory, the copy or the device fails.
#[derive(Clone, Copy, Debug)]
pub struct CopyIndirect {
    /// The destination.
    pub dst: Indirect,
    /// The source.
    pub src: Indirect,
    /// The length in bytes, as a number of 8 bytes.
    pub len: Number,
}

impl CopyIndirect {
    /// Returns all words that are read.
    pub fn words(&self) -> impl Iterator<Item = Span> {
        [self.dst.at, self.src.at].into_iter().chain(self.len.at())
    }
}

/// The pattern of a fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// One byte.
    Byte(u8),
    /// A 32-bit word in the machine's byte order.
    Word(u32),
}

impl Pattern {
    /// Returns the pattern's size in bytes.
    pub const fn size(self) -> usize {
        match self {
            Self::Byte(_) => 1,
            Self::Word(_) => 4,
        }
    }
}

/// Sets all of `dst` to repetitions of `pattern`. `dst` is aligned to the pattern, and its length is a multiple of the
/// pattern's.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    /// The destination.
    pub dst: Span,
    /// The pattern.
    pub pattern: Pattern,
}

impl Fill {
    /// Creates a fill that sets every byte of `dst` to `value`.
    pub const fn bytes(dst: Span, value: u8) -> Self {
        Self { dst, pattern: Pattern::Byte(value) }
    }

    /// Fills `len` bytes at `dst`, a part of the span.
    ///
    /// # Safety
    /// The range is live and writable, and aligned and as long as the pattern wants it.
    pub unsafe fn write_to(&self, dst: *mut u8, len: usize) {
        match self.pattern {
            // SAFETY: the caller vouches for `len` writable bytes at `dst`.
            Pattern::Byte(value) => unsafe { dst.write_bytes(value, len) },
            Pattern::Word(value) => {
                let words = dst.cast::<u32>();
                for index in 0..len / size_of::<u32>() {
                    // SAFETY: `index` is below the number of whole words in the `len` bytes that
                    // the caller vouches for.
                    unsafe { words.add(index).write(value) };
                }
            }
        }
    }
}

/// The operation of a reduction on each pair of elements. `cuda/transfer/reduce.rs` lists the names in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduceOp {
    /// `dst + src`; integers wrap, floating point rounds to nearest even in the element type.
    Sum,
    /// The larger; a number beats a NaN, and +0 is larger than -0.
    Max,
    /// The smaller; a number beats a NaN, and -0 is smaller than +0.
    Min,
}

/// The element type of a reduction. `cuda/transfer/reduce.rs` lists the names in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// 8-bit signed integer.
    Int8,
    /// 16-bit signed integer.
    Int16,
    /// 32-bit signed integer.
    Int32,
    /// IEEE half precision.
    Float16,
    /// The upper half of a single-precision number.
    BFloat16,
    /// IEEE single precision.
    Float32,
}

impl Element {
    /// Returns the size of one element in bytes.
    pub const fn size(self) -> usize {
        match self {
            Self::Int8 => 1,
            Self::Int16 | Self::Float16 | Self::BFloat16 => 2,
            Self::Int32 | Self::Float32 => 4,
        }
    }
}

/// The reduction `dst[i] = op(dst[i], src[i])`. Both are on the stream's device or managed, aligned to the element, of
/// equal length, and a whole number of elements.
#[derive(Clone, Copy, Debug)]
pub struct Reduce {
    /// The accumulator.
    pub dst: Span,
    /// The other operand.
    pub src: Span,
    /// The operation.
    pub op: ReduceOp,
    /// The element type.
    pub element: Element,
}
