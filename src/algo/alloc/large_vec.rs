//! A vector for large arrays. The first touch of a page takes longer than all later writes to it, and a vector that
//! moves when it grows touches about three times its size. This vector moves early into pages of 2 MiB, if the system
//! has them, with room that costs nothing until it is used. So it rarely moves again.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};

use super::prefetch::prefetch;

/// The length of large pages in bytes.
const PAGE: usize = 2 << 20;
/// The length of the first memory in bytes.
const FIRST: usize = 4 << 10;
/// The length in bytes from which the vector moves into large pages: touching one takes as long as touching this many
/// bytes in small pages.
const SMALL: usize = 128 << 10;
/// The factor by which its room grows in large pages.
const AHEAD: usize = 8;
/// The number of elements by which the memory is prefetched ahead.
const AHEAD_OF_USE: usize = 4;

/// The large pages of dropped vectors, for the next ones.
static SPARE: [AtomicPtr<u8>; 4] = [const { AtomicPtr::new(ptr::null_mut()) }; 4];

/// Elements that are only added. They hold no pointers, because leak checkers do not scan mappings.
pub(super) struct LargeVec<T> {
    first: NonNull<T>,
    len: usize,
    /// The number of elements that the memory has room for.
    room: usize,
    /// The length of the memory in bytes: a power of two, or 0.
    bytes: usize,
}

// SAFETY: it owns its elements.
unsafe impl<T: Send> Send for LargeVec<T> {}
// SAFETY: shared references only read.
unsafe impl<T: Sync> Sync for LargeVec<T> {}

impl<T: Copy> LargeVec<T> {
    /// Creates a vector without elements and without memory.
    pub(super) const fn new() -> Self {
        const { assert!(size_of::<T>() != 0 && size_of::<T>() <= FIRST) };
        Self { first: NonNull::dangling(), len: 0, room: 0, bytes: 0 }
    }

    /// Adds an element.
    #[inline]
    pub(super) fn push(&mut self, element: T) {
        if self.len == self.room && !self.try_grow() {
            handle_alloc_error(layout::<T>(self.bytes.saturating_mul(2)));
        }
        // SAFETY: there is room for it.
        unsafe { self.first.add(self.len).write(element) };
        self.len += 1;
        prefetch(self.first.as_ptr().wrapping_add(self.len + AHEAD_OF_USE));
    }

    /// Makes room for `more` elements, a small number. Returns false if there is no memory.
    #[must_use]
    pub(super) fn make_room(&mut self, more: usize) -> bool {
        self.room - self.len >= more || self.try_grow()
    }

    #[cold]
    #[inline(never)]
    fn try_grow(&mut self) -> bool {
        let bytes = match self.bytes {
            0 => FIRST,
            small if small < SMALL => small * 2,
            small if small < PAGE => PAGE,
            large => large.saturating_mul(AHEAD),
        };
        let Some(first) = memory::<T>(bytes) else { return false };
        // SAFETY: the new memory has more room, and is not shared.
        unsafe { ptr::copy_nonoverlapping(self.first.as_ptr(), first.as_ptr(), self.len) };
        let (len, room) = (self.len, bytes / size_of::<T>());
        // This drops the previous memory.
        *self = Self { first, len, room, bytes };
        true
    }
}

fn layout<T>(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, align_of::<T>()).expect("more elements than there are addresses")
}

/// Allocates memory. Returns `None` if the system has none.
fn memory<T>(bytes: usize) -> Option<NonNull<T>> {
    let layout = layout::<T>(bytes);
    let spare = || SPARE.iter().find_map(|spare| NonNull::new(spare.swap(ptr::null_mut(), Ordering::Acquire)));
    let made = match bytes {
        // SAFETY: this arm is taken for at least one byte: no memory is allocated for empty
        // vectors.
        ..PAGE => NonNull::new(unsafe { alloc(layout) }),
        PAGE => spare().or_else(|| large_pages(bytes)),
        _ => large_pages(bytes),
    };
    Some(made?.cast())
}

/// Maps addresses that begin and end with large pages. They do not come from the program's allocator, which may change
/// its policy for large blocks after one was freed.
fn large_pages(bytes: usize) -> Option<NonNull<u8>> {
    let all = bytes.checked_add(PAGE)?;
    let (access, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE | MapFlags::NORESERVE);
    // SAFETY: no address is asked for: mmap places this anonymous mapping where nothing is mapped.
    let mapped = unsafe { mmap_anonymous(ptr::null_mut(), all, access, flags) }.ok()?;
    let before = mapped.addr().next_multiple_of(PAGE) - mapped.addr();
    // SAFETY: inside the mapping, whose ends are unused.
    unsafe {
        let first = mapped.byte_add(before);
        unmap(mapped.cast(), before);
        unmap(first.byte_add(bytes).cast(), PAGE - before);
        // If this fails, the pages are small.
        libc::madvise(first, bytes, libc::MADV_HUGEPAGE);
        NonNull::new(first.cast())
    }
}

/// # Safety
/// [`large_pages`] has mapped them, and they are not used any more.
unsafe fn unmap(first: *mut u8, bytes: usize) {
    if bytes != 0 {
        // SAFETY: the caller gives up the mapping of `bytes` bytes at `first`, and nothing refers
        // to it any more.
        unsafe { libc::munmap(first.cast(), bytes) };
    }
}

impl<T> Drop for LargeVec<T> {
    fn drop(&mut self) {
        let first = self.first.as_ptr().cast::<u8>();
        let (release, relaxed) = (Ordering::Release, Ordering::Relaxed);
        let keep = |spare: &AtomicPtr<u8>| spare.compare_exchange(ptr::null_mut(), first, release, relaxed).is_ok();
        if self.bytes == 0 || (self.bytes == PAGE && SPARE.iter().any(keep)) {
            return;
        }
        // SAFETY: it came from `memory` with this length, and is used no more.
        unsafe {
            match self.bytes < PAGE {
                true => dealloc(first, layout::<T>(self.bytes)),
                false => unmap(first, self.bytes),
            }
        }
    }
}

impl<T> Deref for LargeVec<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: this many were pushed, into memory that the vector owns.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for LargeVec<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: `first` and `len` describe initialised elements, and the mutable borrow makes
        // this the only reference.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), self.len) }
    }
}

#[cfg(all(test, not(loom)))]
#[path = "large_vec_tests.rs"]
mod tests;
