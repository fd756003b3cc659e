//! Copies and fills. All memory of this backend is reached here and in `reduce.rs` only, by raw
//! pointers: the program's threads may read and write it at the same time.

use std::ptr;

use crate::backend::cpu::runtime::driver::Shared;
use crate::backend::{Copy, Fill, Span};

/// Operations of at least this size are done in pieces, by several threads if some are idle.
pub const LARGE: usize = 1 << 20;
const SMALLEST_PIECE: usize = 256 << 10;
const LARGEST_PIECE: usize = 4 << 20;
/// From this size on the destination is written past the caches: it would not stay there anyway,
/// and reading it in first costs a third of the rate. Below, and with warm data, plain stores win.
pub const STREAMING: usize = 32 << 20;

/// Copies between two spans of equal length.
#[inline]
pub fn copy(shared: &Shared, copy: &Copy) {
    if copy.dst.len >= LARGE {
        return copy_large(shared, copy);
    }
    copy_short(shared, copy);
}

/// As [`copy`], of less than [`LARGE`] bytes.
#[inline]
pub fn copy_short(shared: &Shared, copy: &Copy) {
    // SAFETY: both ranges were checked by the core.
    unsafe { ptr::copy(shared.pointer(&copy.src), shared.pointer(&copy.dst), copy.dst.len) };
}

#[inline(never)]
fn copy_large(shared: &Shared, copy: &Copy) {
    let streaming = copy.dst.len >= STREAMING;
    in_pieces(shared, &copy.dst, &|offset, len| {
        let dst = shared.pointer(&part(&copy.dst, offset, len));
        let src = shared.pointer(&part(&copy.src, offset, len));
        // SAFETY: both ranges were checked by the core; this piece lies inside them.
        unsafe { copy_bytes(dst, src, len, streaming) }
    });
}

/// Copies between many pairs of spans. Small copies are shared out in groups, because handing out
/// each of them would cost more than making it.
pub fn copy_batch(shared: &Shared, copies: &[Copy]) {
    let is_large = |copy: &&Copy| copy.dst.len >= LARGE;
    let (mut groups, mut first, mut bytes) = (Vec::new(), 0, 0);
    for (index, one) in copies.iter().enumerate() {
        if is_large(&one) {
            copy(shared, one);
            continue;
        }
        bytes += one.dst.len;
        if bytes >= SMALLEST_PIECE {
            groups.push(first..index + 1);
            (first, bytes) = (index + 1, 0);
        }
    }
    groups.push(first..copies.len());
    shared.executor.parallel(groups.len(), &|group| {
        let group = &copies[groups[group].clone()];
        group.iter().filter(|one| !is_large(one)).for_each(|one| copy(shared, one));
    });
}

/// Copies bytes of our own to a span of the same length.
pub fn copy_from(shared: &Shared, dst: &Span, bytes: &[u8]) {
    // SAFETY: the span was checked by the core and is as long as the bytes.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), shared.pointer(dst), bytes.len()) };
}

/// The bytes of a span of host memory.
pub fn staged(src: &Span) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(src.len);
    // SAFETY: the core checked the source; the vector has room for as much.
    unsafe {
        ptr::copy_nonoverlapping(address(src.addr), bytes.as_mut_ptr(), src.len);
        bytes.set_len(src.len);
    }
    bytes.into_boxed_slice()
}

/// Fills a span.
pub fn fill(shared: &Shared, fill: &Fill) {
    in_pieces(shared, &fill.dst, &|offset, len| {
        let dst = shared.pointer(&part(&fill.dst, offset, len));
        // SAFETY: the range was checked by the core; this piece lies inside it, and pieces begin
        // and end where the range does or at multiples of their size.
        unsafe { fill.write_to(dst, len) };
    });
}

/// The pointer to an address that the core has checked.
pub fn address(addr: usize) -> *mut u8 {
    ptr::with_exposed_provenance_mut(addr)
}

/// `len` bytes of a span, `offset` behind its beginning.
pub fn part(span: &Span, offset: usize, len: usize) -> Span {
    Span { addr: span.addr + offset, len, place: span.place }
}

/// The size of a piece of a large operation on this many bytes.
pub fn piece_of(bytes: usize) -> usize {
    (bytes / 16).next_power_of_two().clamp(SMALLEST_PIECE, LARGEST_PIECE)
}

/// Calls `work` with offsets and lengths that together make up `dst`: at once if it is short, else
/// in pieces that end at multiples of the piece's size in memory (so no 2 MiB page is shared by
/// two large pieces), on several threads where that can be.
pub fn in_pieces(shared: &Shared, dst: &Span, work: &(dyn Fn(usize, usize) + Sync)) {
    if dst.len < LARGE {
        return work(0, dst.len);
    }
    let piece = piece_of(dst.len);
    let first = dst.addr & !(piece - 1);
    let end = dst.addr + dst.len;
    let count = (end - first).div_ceil(piece);
    shared.executor.parallel(count, &|index| {
        let from = (first + index * piece).max(dst.addr);
        let to = (first + (index + 1) * piece).min(end);
        work(from - dst.addr, to - from);
    });
}

/// Copies, past the caches if `streaming`.
///
/// # Safety
/// As for `ptr::copy`.
#[inline]
pub unsafe fn copy_bytes(dst: *mut u8, src: *const u8, len: usize, streaming: bool) {
    // SAFETY: the caller vouches for `len` readable and writable bytes; both ways of copying ask
    // for no more.
    unsafe { if streaming { stream_bytes(dst, src, len) } else { ptr::copy(src, dst, len) } }
}

/// Copies with stores that bypass the caches. Where the ranges overlap the result is not defined.
///
/// # Safety
/// As for `ptr::copy`.
#[cfg(target_arch = "x86_64")]
unsafe fn stream_bytes(dst: *mut u8, src: *const u8, len: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    const LINE: usize = 64;
    let head = dst.align_offset(LINE).min(len);
    let lines = (len - head) / LINE;
    // SAFETY: head, lines and tail make up the range that the caller vouches for, the stores are
    // aligned to the line, and every x86-64 processor has these instructions.
    unsafe {
        ptr::copy(src, dst, head);
        let (mut to, mut from) = (dst.add(head), src.add(head));
        for _ in 0..lines {
            let (to16, from16) = (to.cast::<__m128i>(), from.cast::<__m128i>());
            let line = [
                _mm_loadu_si128(from16),
                _mm_loadu_si128(from16.add(1)),
                _mm_loadu_si128(from16.add(2)),
                _mm_loadu_si128(from16.add(3)),
            ];
            for (index, part) in line.into_iter().enumerate() {
                _mm_stream_si128(to16.add(index), part);
            }
            (to, from) = (to.add(LINE), from.add(LINE));
        }
        // Streaming stores are ordered by nothing else.
        _mm_sfence();
        ptr::copy(from, to, len - head - lines * LINE);
    }
}

/// Elsewhere the system's copy knows best.
///
/// # Safety
/// As for `ptr::copy`.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn stream_bytes(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: without vector instructions this is a plain copy of `len` bytes, which the caller
    // vouches for.
    unsafe { ptr::copy(src, dst, len) }
}
