//! Memory that is reserved in advance, in parts. Behind the memory of a part is a byte for each granule of it, which
//! says whether the granule is taken.
//!
//! A part belongs to the reserve for good, or to one claim (`claim`) until the claim ends and its blocks are freed.

use std::alloc::Layout;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{ptr, slice};

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

use crate::sync::spin_lock::SpinLock;

/// The length of the first part in bytes.
pub(super) const LEN: usize = 2 << 20;
/// The least length of a block in bytes. Lengths are multiples of it.
const GRANULE: usize = 64;
const PAGE: usize = 4096;
/// The number of granules up to which each length of a block has a place where its search begins.
const LENGTHS: usize = 16;
/// The maximum number of parts.
const PARTS: usize = 64;
/// The [`Part::owner`] of the reserve's parts.
pub(super) const RESERVE: usize = 0;
/// The [`Part::owner`] of a part whose claim has ended, but not all of whose blocks are freed.
const ENDED: usize = usize::MAX;

#[repr(C, align(4096))]
struct FirstMemory([u8; with_map(LEN)]);

/// The first part. It is all zeros, and so no part of the file. Pages that are never used cost no memory.
static mut FIRST: FirstMemory = FirstMemory([0; with_map(LEN)]);

struct Part {
    start: *mut u8,
    /// The length of the memory in bytes. That of an unused part is 0.
    len: usize,
    /// The claim, or [`RESERVE`] or [`ENDED`].
    owner: usize,
    /// The number of bytes in use.
    used: usize,
    /// The first granule that was never allocated.
    next: usize,
    /// No `n + 1` free granules in a row begin before `begins[n]`. So a search does not read what is in use again.
    begins: [usize; LENGTHS],
}

// SAFETY: a part's map is only accessed under the lock, and its blocks are given out, each to one owner.
unsafe impl Send for Part {}

static ALL: SpinLock<[Part; PARTS]> = SpinLock::new({
    let mut all = [const { Part::new(ptr::dangling_mut(), 0, ENDED) }; PARTS];
    (all[0].start, all[0].len, all[0].owner) = ((&raw mut FIRST).cast(), LEN, RESERVE);
    all
});
/// The number of blocks in use of all parts but the first one.
static BLOCKS: AtomicUsize = AtomicUsize::new(0);
/// The lowest and the highest address of all parts that were ever added.
static LOWEST: AtomicUsize = AtomicUsize::new(usize::MAX);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);

impl Part {
    const fn new(start: *mut u8, len: usize, owner: usize) -> Self {
        Self { start, len, owner, used: 0, next: 0, begins: [0; LENGTHS] }
    }

    fn has(&self, addr: usize) -> bool {
        addr.wrapping_sub(self.start.addr()) < self.len
    }

    /// Returns which granules are taken.
    fn map(&mut self) -> &mut [bool] {
        // SAFETY: the map is behind the memory. It was all zeros, only this writes it, and the part is borrowed.
        unsafe { slice::from_raw_parts_mut(self.start.wrapping_add(self.len).cast(), self.len / GRANULE) }
    }

    /// Finds the first `count` free granules in a row that begin at a multiple of `step`.
    fn find(&mut self, count: usize, step: usize) -> Option<usize> {
        let mut at = self.begins[count.clamp(1, LENGTHS) - 1].next_multiple_of(step);
        while let Some(taken) = self.map().get(at..at + count)?.iter().rposition(|taken| *taken) {
            #[cfg(test)]
            super::tests::LOOKS.set(super::tests::LOOKS.get() + 1);
            at = (at + taken + 1).next_multiple_of(step);
        }
        Some(at)
    }

    /// Allocates a block.
    fn take(&mut self, layout: Layout) -> Option<*mut u8> {
        let (count, step) = (layout.size().div_ceil(GRANULE), layout.align().div_ceil(GRANULE));
        // Blocks stay close together, so that a long one fits behind them.
        let first = self.find(count, step)?;
        self.map()[first..first + count].fill(true);
        for (more, begin) in self.begins.iter_mut().enumerate() {
            // Nothing as long was free before, unless an alignment has left it out.
            if *begin >= first || (more + 1 >= count && step == 1) {
                *begin = (first + count).max(*begin);
            }
        }
        self.used += count * GRANULE;
        self.next = self.next.max(first + count);
        Some(self.start.wrapping_add(first * GRANULE))
    }

    fn unmap_if_ended(&mut self) {
        if self.owner == ENDED && self.used == 0 {
            // SAFETY: `add` has mapped this, and no thread finds a part without length.
            let _ = unsafe { munmap(self.start.cast(), with_map(self.len)) };
            self.len = 0;
        }
    }
}

/// Returns three numbers of bytes: those in use, those of all parts, and those of the longest part. Claims do not
/// count.
pub(super) fn usage() -> (usize, usize, usize) {
    let parts = ALL.lock();
    let reserve = parts.iter().filter(|part| part.owner == RESERVE);
    reserve.fold((0, 0, 0), |(used, len, most), part| (used + part.used, len + part.len, most.max(part.len)))
}

/// Whether a block can be in a part, of the reserve or of a claim. Relaxed: as long as the block is in use, every
/// thread that has it sees a number that includes it, and the bounds of its part.
#[inline(always)]
pub(super) fn may_have(block: *const u8) -> bool {
    let addr = block.addr();
    let is_between = || addr >= LOWEST.load(Ordering::Relaxed) && addr < HIGHEST.load(Ordering::Relaxed);
    addr.wrapping_sub((&raw const FIRST).addr()) < LEN || (BLOCKS.load(Ordering::Relaxed) != 0 && is_between())
}

/// Whether a block is in a part, of the reserve or of a claim.
pub(super) fn has(block: *const u8) -> bool {
    ALL.lock().iter().any(|part| part.has(block.addr()))
}

/// Allocates a block from this owner's part or, if that fails, from the reserve. Returns null on failure.
pub(super) fn take(owner: usize, layout: Layout) -> *mut u8 {
    if layout.align() > PAGE {
        return ptr::null_mut();
    }
    let mut parts = ALL.lock();
    for owner in [owner, RESERVE] {
        for (at, part) in parts.iter_mut().enumerate().filter(|(_, part)| part.owner == owner) {
            if let Some(block) = part.take(layout) {
                BLOCKS.fetch_add(usize::from(at != 0), Ordering::Relaxed);
                return block;
            }
        }
    }
    ptr::null_mut()
}

/// Frees a block that was allocated with this size. Returns false if it is the system's.
#[cold]
pub(super) fn free(block: *mut u8, size: usize) -> bool {
    let mut parts = ALL.lock();
    let Some(at) = parts.iter().position(|part| part.has(block.addr())) else { return false };
    let part = &mut parts[at];
    let (first, count) = ((block.addr() - part.start.addr()) / GRANULE, size.div_ceil(GRANULE));
    part.map()[first..first + count].fill(false);
    let begins = part.begins.iter_mut().enumerate();
    begins.for_each(|(more, begin)| *begin = first.saturating_sub(more).min(*begin));
    part.used -= count * GRANULE;
    part.unmap_if_ended();
    BLOCKS.fetch_sub(usize::from(at != 0), Ordering::Relaxed);
    true
}

/// Adds a part of at least `len` bytes for a claim or for [`RESERVE`]. Returns false if the system has no memory, or
/// there are too many parts. The number of a claim is neither [`RESERVE`] nor [`ENDED`].
pub(super) fn add(owner: usize, len: usize) -> bool {
    if super::is_refused() {
        return false;
    }
    // No system has more than this, and no length overflows below it.
    let len = len.min(1 << 60).next_multiple_of(PAGE);
    let mut parts = ALL.lock();
    let Some(part) = parts.iter_mut().find(|part| part.len == 0) else { return false };
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: the system chooses the address, so that the mapping replaces no other.
    let mapped = unsafe { mmap_anonymous(ptr::null_mut(), with_map(len), access, MapFlags::PRIVATE) };
    let Ok(start) = mapped else { return false };
    *part = Part::new(start.cast(), len, owner);
    LOWEST.store(LOWEST.load(Ordering::Relaxed).min(start.addr()), Ordering::Relaxed);
    HIGHEST.store(HIGHEST.load(Ordering::Relaxed).max(start.addr() + len), Ordering::Relaxed);
    true
}

/// Ends a claim: its part is unmapped when no block of it is in use.
pub(super) fn end_claim(claim: usize) {
    if let Some(part) = ALL.lock().iter_mut().find(|part| part.owner == claim) {
        part.owner = ENDED;
        part.unmap_if_ended();
    }
}

/// Returns the length of a part and its map in bytes.
const fn with_map(len: usize) -> usize {
    len + len / GRANULE
}

/// Returns the number of bytes of a claim's part that were never allocated.
#[cfg(any(test, debug_assertions))]
pub(super) fn left_of_claim(claim: usize) -> usize {
    ALL.lock().iter().filter(|part| part.owner == claim).map(|part| part.len - part.next * GRANULE).sum()
}
