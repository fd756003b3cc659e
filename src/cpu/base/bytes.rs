//! Pointers to bytes, copies of bytes, and words that bytes store.

use std::ptr;

/// Returns the pointer to an address that the core has checked.
pub(crate) fn address(addr: usize) -> *mut u8 {
    ptr::with_exposed_provenance_mut(addr)
}

/// Returns the first words in bytes that other processes wrote. The least significant byte of each word comes first.
pub(crate) fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let (words, _) = bytes.as_chunks();
    std::array::from_fn(|index| u64::from_le_bytes(words[index]))
}

/// Copies bytes, past the caches if `streaming`.
///
/// # Safety
/// As for `ptr::copy`.
pub(crate) unsafe fn copy_bytes(dst: *mut u8, src: *const u8, len: usize, streaming: bool) {
    // SAFETY: the caller vouches for `len` readable and writable bytes; both ways of copying ask
    // for no more.
    unsafe { if streaming { stream_bytes(dst, src, len) } else { ptr::copy(src, dst, len) } }
}

/// Copies with stores that bypass the caches. If the ranges overlap, the result is not defined.
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
        // Only this fence orders streaming stores.
        _mm_sfence();
        ptr::copy(from, to, len - head - lines * LINE);
    }
}

/// Copies with the system's function, which is best on other processors.
///
/// # Safety
/// As for `ptr::copy`.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn stream_bytes(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: without vector instructions this is a plain copy of `len` bytes, which the caller
    // vouches for.
    unsafe { ptr::copy(src, dst, len) }
}
