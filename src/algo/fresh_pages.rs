//! Zeroed memory in whole pages, straight from the system: it costs nothing until it is touched. Large
//! zeroed blocks of an allocator may be written from end to end first, and it may think differently of such
//! blocks once one has come back.

use std::ptr::{self, NonNull};

/// Maps so many bytes, a multiple of a page's length; `None` when there is no memory.
pub fn map(bytes: usize) -> Option<NonNull<u8>> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping, wherever there is room for it.
    let mapped = unsafe { libc::mmap(ptr::null_mut(), bytes, access, flags, -1, 0) };
    if mapped == libc::MAP_FAILED { None } else { NonNull::new(mapped.cast()) }
}

/// Gives pages back.
///
/// # Safety
/// They were mapped by [`map`], and nobody uses them any more.
pub unsafe fn unmap(first: *mut u8, bytes: usize) {
    if bytes != 0 {
        // SAFETY: as the caller says. It does not fail for what is mapped.
        unsafe { libc::munmap(first.cast(), bytes) };
    }
}
