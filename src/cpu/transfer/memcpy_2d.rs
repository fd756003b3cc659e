//! Copies rows.

use crate::backend::{Copy2d, Rows, Span};
use crate::base::bytes::copy_bytes;
use crate::runtime::shared::Shared;
use crate::transfer::memcpy::{LARGE, STREAMING, share_of};

/// The least cost of a row, as the number of bytes that could be copied instead.
const LINE: usize = 64;
/// The size in bytes from which rows are written past the caches, if all of them together are many bytes. Shorter rows
/// would spend too much time on their ends.
const LONG_ROW: usize = 4 << 10;

fn row_effort(copy: &Copy2d) -> usize {
    copy.width.next_multiple_of(LINE)
}

/// Returns the copy's cost, as the number of bytes that could be copied instead.
pub(crate) fn effort(copy: &Copy2d) -> usize {
    copy.height * row_effort(copy)
}

/// Copies rows: at once if they are few bytes, otherwise in parts of several rows for several threads.
pub(crate) fn copy(shared: &Shared, copy: &Copy2d) {
    let streaming = copy.width >= LONG_ROW && copy.width * copy.height >= STREAMING;
    let rows = |first: usize, count: usize| {
        let mut dst = shared.pointer(&part(&copy.dst, first, count, copy.width));
        let mut src = shared.pointer(&part(&copy.src, first, count, copy.width)).cast_const();
        for _ in 0..count {
            // SAFETY: the core has checked both spans, and all rows lie inside them.
            unsafe { copy_bytes(dst, src, copy.width, streaming) };
            dst = dst.wrapping_add(copy.dst.pitch);
            src = src.wrapping_add(copy.src.pitch);
        }
    };
    let effort = effort(copy);
    if effort < LARGE {
        return rows(0, copy.height);
    }
    let in_piece = share_of(effort).div_ceil(row_effort(copy));
    shared.helpers.parallel(copy.height.div_ceil(in_piece), &|piece| {
        let first = piece * in_piece;
        rows(first, in_piece.min(copy.height - first));
    });
}

/// Returns the span of `count` rows from the first one on.
fn part(rows: &Rows, first: usize, count: usize, width: usize) -> Span {
    Span { len: (count - 1) * rows.pitch + width, ..rows.row(first, width) }
}
