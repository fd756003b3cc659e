//! Memory that is reserved in advance, in parts. A byte for each granule of a part says whether it is taken.
//!
//! A part belongs to the reserve for good, or to one claim (`claim`) until the claim ends and its blocks are freed.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{ptr, slice};

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

use crate::sync::spin_lock::SpinLock;

/// The length of the first part in bytes.
pub(super) const FIRST: usize = 2 << 20;
/// The least length of a block in bytes. Lengths are multiples of it.
const GRANULE: usize = 64;
const PAGE: usize = 4096;
/// The maximum number of parts.
const PARTS: usize = 64;
/// The [`Part::owner`] of the reserve's parts.
pub(super) const RESERVE: usize = 0;
/// The [`Part::owner`] of a part whose claim has ended, but not all of whose blocks are freed.
const ENDED: usize = usize::MAX;

#[repr(C, align(4096))]
struct FirstMemory([u8; map_len(FIRST) + FIRST]);

/// The map and the memory of the first part. They are all zeros, and so no part of the file. Pages that are never used
/// cost no memory.
static mut FIRST_MEMORY: FirstMemory = FirstMemory([0; map_len(FIRST) + FIRST]);

struct Part {
    /// The first byte of the memory, which comes after the map.
    start: *mut u8,
    /// The length of the memory in bytes. That of an unused part is 0.
    len: usize,
    /// The claim, or [`RESERVE`] or [`ENDED`].
    owner: usize,
    /// The number of bytes in use.
    used: usize,
    /// The first granule that was never allocated. Only parts of claims use this.
    next: usize,
}

// SAFETY: a part's map is only accessed under the lock, and its blocks are given out, each to one owner.
unsafe impl Send for Part {}

static ALL: SpinLock<[Part; PARTS]> = SpinLock::new({
    let mut all = [const { Part { start: ptr::null_mut(), len: 0, owner: ENDED, used: 0, next: 0 } }; PARTS];
    all[0].start = (&raw mut FIRST_MEMORY).cast::<u8>().wrapping_add(map_len(FIRST));
    (all[0].len, all[0].owner) = (FIRST, RESERVE);
    all
});
/// The lowest and the highest address of the parts after the first one. Only blocks between them can be in a part.
static LOWEST: AtomicUsize = AtomicUsize::new(usize::MAX);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);

impl Part {
    fn has(&self, addr: usize) -> bool {
        addr.wrapping_sub(self.start.addr()) < self.len
    }

    /// Returns which granules are taken.
    fn map(&mut self) -> &mut [bool] {
        let len = self.len / GRANULE;
        // SAFETY: the map comes before the memory. It was all zeros, only this writes it, and the part is borrowed.
        unsafe { slice::from_raw_parts_mut(self.start.wrapping_sub(len).cast(), len) }
    }

    /// Finds `count` free granules in a row, at `first` or later. The first is at a multiple of `align`.
    fn find(&mut self, first: usize, count: usize, align: usize) -> Option<usize> {
        let step = align.div_ceil(GRANULE);
        let mut at = first.next_multiple_of(step);
        loop {
            match self.map().get(at..at + count)?.iter().rposition(|taken| *taken) {
                Some(taken) => at = (at + taken + 1).next_multiple_of(step),
                None => return Some(at),
            }
        }
    }
}

/// Returns the number of bytes in use, without claims.
pub(super) fn used() -> usize {
    ALL.lock().iter().filter(|part| part.owner == RESERVE).map(|part| part.used).sum()
}

/// Returns the number of bytes of all parts of the reserve, and of the longest one, without claims.
pub(super) fn lengths() -> (usize, usize) {
    let parts = ALL.lock();
    let lens = parts.iter().filter(|part| part.owner == RESERVE).map(|part| part.len);
    lens.fold((0, 0), |(total, longest), len| (total + len, longest.max(len)))
}

/// Whether a block can be in a part, of the reserve or of a claim.
#[inline(always)]
pub(super) fn may_have(block: *const u8) -> bool {
    let addr = block.addr();
    addr.wrapping_sub((&raw const FIRST_MEMORY).addr()) < size_of::<FirstMemory>()
        || (addr >= LOWEST.load(Ordering::Relaxed) && addr < HIGHEST.load(Ordering::Relaxed))
}

/// Whether a block is in a part, of the reserve or of a claim.
#[cfg(test)]
pub(super) fn has(block: *const u8) -> bool {
    ALL.lock().iter().any(|part| part.has(block.addr()))
}

/// Allocates a block from this owner's part or, if that fails, from the reserve. Returns null on failure.
pub(super) fn take(owner: usize, layout: Layout) -> *mut u8 {
    if layout.align() > PAGE {
        return ptr::null_mut();
    }
    let count = layout.size().div_ceil(GRANULE);
    let mut parts = ALL.lock();
    for owner in [owner, RESERVE] {
        for part in parts.iter_mut().filter(|part| part.owner == owner) {
            let found = part.find(part.next, count, layout.align()).or_else(|| part.find(0, count, layout.align()));
            let Some(first) = found else { continue };
            part.map()[first..first + count].fill(true);
            part.used += count * GRANULE;
            if owner != RESERVE {
                part.next = part.next.max(first + count);
            }
            return part.start.wrapping_add(first * GRANULE);
        }
    }
    ptr::null_mut()
}

/// Frees a block of a part or of the system.
///
/// # Safety
/// It came from [`take`] or from `System` with this layout, and is not used any more.
#[cold]
pub(super) unsafe fn free(block: *mut u8, layout: Layout) {
    let mut parts = ALL.lock();
    let Some(index) = parts.iter().position(|part| part.has(block.addr())) else {
        drop(parts);
        // SAFETY: no part has the block, so it came from System with this layout.
        return unsafe { System.dealloc(block, layout) };
    };
    let part = &mut parts[index];
    let (first, count) = ((block.addr() - part.start.addr()) / GRANULE, layout.size().div_ceil(GRANULE));
    part.map()[first..first + count].fill(false);
    part.used -= count * GRANULE;
    unmap_if_ended(&mut parts, index);
}

/// Adds a part of at least `len` bytes for a claim or for [`RESERVE`]. Returns false if the system has no memory, or
/// there are too many parts. The number of a claim is neither [`RESERVE`] nor [`ENDED`].
pub(super) fn add(owner: usize, len: usize) -> bool {
    // No system has more than this, and no length overflows below it.
    let len = len.min(1 << 60).next_multiple_of(PAGE);
    let mut parts = ALL.lock();
    let Some(part) = parts.iter_mut().find(|part| part.len == 0) else { return false };
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: the system chooses the address, so that the mapping replaces no other.
    let mapped = unsafe { mmap_anonymous(ptr::null_mut(), map_len(len) + len, access, MapFlags::PRIVATE) };
    let Ok(mapped) = mapped else { return false };
    *part = Part { start: mapped.cast::<u8>().wrapping_add(map_len(len)), len, owner, used: 0, next: 0 };
    set_bounds(&parts[..]);
    true
}

/// Returns the length in bytes of the pages for the map of a part of `len` bytes.
const fn map_len(len: usize) -> usize {
    (len / GRANULE).next_multiple_of(PAGE)
}

/// Ends a claim: its part is unmapped when no block of it is in use.
pub(super) fn end_claim(claim: usize) {
    let mut parts = ALL.lock();
    if let Some(index) = parts.iter().position(|part| part.owner == claim) {
        parts[index].owner = ENDED;
        unmap_if_ended(&mut parts, index);
    }
}

fn unmap_if_ended(parts: &mut [Part; PARTS], index: usize) {
    let Part { start, len, owner: ENDED, used: 0, .. } = parts[index] else { return };
    parts[index].len = 0;
    set_bounds(parts);
    let mapping = start.wrapping_sub(map_len(len));
    // SAFETY: the mapping begins with the map and ends with the memory (`add`), and no thread finds it any more.
    let _ = unsafe { munmap(mapping.cast(), map_len(len) + len) };
}

/// Sets the bounds of the parts after the first one. Other threads read them without the lock to find the part of a
/// block that they free: that part is used, so the bounds include it all the time.
fn set_bounds(parts: &[Part]) {
    let mapped = parts[1..].iter().filter(|part| part.len != 0);
    let ends = mapped.clone().map(|part| part.start.addr() + part.len);
    HIGHEST.store(ends.max().unwrap_or(0), Ordering::Relaxed);
    LOWEST.store(mapped.map(|part| part.start.addr()).min().unwrap_or(usize::MAX), Ordering::Relaxed);
}

/// Returns the number of bytes of a claim's part that were never allocated.
#[cfg(any(test, debug_assertions))]
pub(super) fn left_of_claim(claim: usize) -> usize {
    ALL.lock().iter().filter(|part| part.owner == claim).map(|part| part.len - part.next * GRANULE).sum()
}
