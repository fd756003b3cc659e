//! Copies and fills. They, and the other operations of this folder, access memory by raw pointers: the program's
//! threads may read and write it at the same time.

use std::ptr;

use crate::backend::{Copy, Fill, Span};
use crate::base::bytes::{address, copy_bytes};
use crate::runtime::shared::Shared;

/// The size in bytes from which operations run in parts, on several threads if some are idle.
pub(crate) const LARGE: usize = 1 << 20;
const SMALLEST_SHARE: usize = 256 << 10;
const LARGEST_SHARE: usize = 4 << 20;
/// The size in bytes from which the destination is written past the caches: it would not fit anyway, and reading it
/// first costs a third of the rate. Below this size, and with cached data, plain stores are faster.
pub(crate) const STREAMING: usize = 32 << 20;

/// Copies between two spans of equal length.
#[inline]
pub(crate) fn copy(shared: &Shared, copy: &Copy) {
    if copy.dst.len >= LARGE {
        return copy_large(shared, copy);
    }
    // SAFETY: both ranges were checked by the core.
    unsafe { ptr::copy(shared.pointer(&copy.src), shared.pointer(&copy.dst), copy.dst.len) };
}

/// Copies as [`copy`] does, less than [`LARGE`] bytes between spans that are [direct](Shared::is_direct).
pub(crate) fn copy_directly(copy: &Copy) {
    // SAFETY: the core checked both ranges, which the program's addresses reach.
    unsafe { ptr::copy(address(copy.src.addr), address(copy.dst.addr), copy.dst.len) };
}

#[inline(never)]
fn copy_large(shared: &Shared, copy: &Copy) {
    let streaming = copy.dst.len >= STREAMING;
    in_shares(shared, &copy.dst, &|dst, offset, len| {
        let src = shared.pointer(&part(&copy.src, offset, len));
        // SAFETY: both ranges were checked by the core; this share lies inside them.
        unsafe { copy_bytes(dst, src, len, streaming) }
    });
}

/// Copies between many pairs of spans. Small copies are divided into groups, because starting each of them would cost
/// more than the copy.
pub(crate) fn copy_batch(shared: &Shared, copies: &[Copy]) {
    let is_large = |copy: &&Copy| copy.dst.len >= LARGE;
    copies.iter().filter(is_large).for_each(|one| copy(shared, one));
    let mut bytes = 0;
    let groups: Vec<_> = copies
        .chunk_by(|one, _| {
            bytes += if is_large(&one) { 0 } else { one.dst.len };
            let is_full = bytes >= SMALLEST_SHARE;
            bytes = if is_full { 0 } else { bytes };
            !is_full
        })
        .collect();
    shared.helpers.parallel(groups.len(), &|group| {
        groups[group].iter().filter(|one| !is_large(one)).for_each(|one| copy(shared, one));
    });
}

/// Copies bytes of the library to a span of the same length.
pub(crate) fn copy_from(shared: &Shared, dst: &Span, bytes: &[u8]) {
    // SAFETY: the span was checked by the core and is as long as the bytes.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), shared.pointer(dst), bytes.len()) };
}

/// Returns the bytes of a span of host memory.
pub(crate) fn staged(src: &Span) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(src.len);
    // SAFETY: the core checked the source; the vector has room for as much.
    unsafe {
        ptr::copy_nonoverlapping(address(src.addr), bytes.as_mut_ptr(), src.len);
        bytes.set_len(src.len);
    }
    bytes.into_boxed_slice()
}

/// Fills a span.
#[inline]
pub(crate) fn fill(shared: &Shared, fill: &Fill) {
    if fill.dst.len >= LARGE {
        return fill_large(shared, fill);
    }
    // SAFETY: the range was checked by the core.
    unsafe { fill.write_to(shared.pointer(&fill.dst), fill.dst.len) };
}

fn fill_large(shared: &Shared, fill: &Fill) {
    in_shares(shared, &fill.dst, &|dst, _, len| {
        // SAFETY: the range was checked by the core; this share lies inside it, and shares begin
        // and end where the range does or at multiples of their size.
        unsafe { fill.write_to(dst, len) };
    });
}

/// Returns `len` bytes of a span from `offset` on.
pub(crate) fn part(span: &Span, offset: usize, len: usize) -> Span {
    Span { addr: span.addr + offset, len, place: span.place }
}

/// Returns the size of a part of a large operation on this many bytes.
pub(crate) fn share_of(bytes: usize) -> usize {
    (bytes / 16).next_power_of_two().clamp(SMALLEST_SHARE, LARGEST_SHARE)
}

/// Calls `work` with pointers, offsets and lengths that together cover `dst`. A short span is one call. A longer one is
/// divided into parts that end at multiples of the part's size in memory, so that two large parts share no 2 MiB page.
/// Several threads run them if possible.
pub(crate) fn in_shares(shared: &Shared, dst: &Span, work: &(dyn Fn(*mut u8, usize, usize) + Sync)) {
    if dst.len < LARGE {
        return work(shared.pointer(dst), 0, dst.len);
    }
    let share = share_of(dst.len);
    let first = dst.addr & !(share - 1);
    let end = dst.addr + dst.len;
    let count = (end - first).div_ceil(share);
    shared.helpers.parallel(count, &|index| {
        let from = (first + index * share).max(dst.addr);
        let to = (first + (index + 1) * share).min(end);
        let span = part(dst, from - dst.addr, to - from);
        work(shared.pointer(&span), from - dst.addr, span.len);
    });
}
