//! Copies of rows.

use std::ptr;

use super::Shared;
use super::copy::{LARGE, piece_of};
use crate::backend::{Copy2d, Rows, Span};

/// Copies rows: at once if they are few bytes, else several together as pieces for several threads.
pub(super) fn copy(shared: &Shared, copy: &Copy2d) {
    let rows = |first: usize, count: usize| {
        let mut dst = shared.pointer(&part(&copy.dst, first, count, copy.width));
        let mut src = shared.pointer(&part(&copy.src, first, count, copy.width)).cast_const();
        for _ in 0..count {
            // SAFETY: the core has checked both spans, and all rows lie inside them.
            unsafe { ptr::copy(src, dst, copy.width) };
            dst = dst.wrapping_add(copy.dst.pitch);
            src = src.wrapping_add(copy.src.pitch);
        }
    };
    if copy.bytes() < LARGE {
        return rows(0, copy.height);
    }
    let in_piece = piece_of(copy.bytes()).div_ceil(copy.width);
    shared.executor.parallel(copy.height.div_ceil(in_piece), &|piece| {
        let first = piece * in_piece;
        rows(first, in_piece.min(copy.height - first));
    });
}

/// The span of `count` rows from the first one on.
fn part(rows: &Rows, first: usize, count: usize, width: usize) -> Span {
    Span { len: (count - 1) * rows.pitch + width, ..rows.row(first, width) }
}
