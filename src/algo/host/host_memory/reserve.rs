//! Memory that is reserved in advance, in parts with a bitmap each.
//!
//! A part belongs to the reserve for good, or to one claim (`claim`) until the claim ends and its blocks are freed.

use std::alloc::Layout;
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{ptr, slice};

use crate::sync::spin_lock::SpinLock;

/// The length of the first part in bytes.
pub(super) const FIRST: usize = 2 << 20;
/// The least length of a block in bytes. Lengths are multiples of it.
const GRANULE: usize = 64;
/// The number of granules of one word of a map.
const BITS: usize = u64::BITS as usize;
/// The maximum number of parts of the reserve.
const PARTS: usize = 17;
/// The maximum number of parts of claims.
const CLAIMS: usize = 48;
/// The [`Extent::owner`] of the reserve's parts.
pub(super) const RESERVE: usize = 0;
/// The [`Extent::owner`] of a part whose claim has ended, but not all of whose blocks are freed.
const ENDED: usize = usize::MAX;
const PAGE: usize = 4096;

#[repr(C, align(4096))]
struct First<T>(UnsafeCell<T>);

// SAFETY: pieces of the memory are given out, each to one owner; the map is only reached under the lock of `ALL`.
unsafe impl<T: Send> Sync for First<T> {}

/// The memory of the first part. It is all zeros, and so no part of the file. Pages that are never used cost no memory.
static FIRST_MEMORY: First<[u8; FIRST]> = First(UnsafeCell::new([0; FIRST]));
static FIRST_MAP: First<[u64; FIRST / GRANULE / BITS]> = First(UnsafeCell::new([0; FIRST / GRANULE / BITS]));

/// A part: its memory, and a map with a bit for each granule, which nothing else refers to.
struct Extent {
    start: *mut u8,
    /// The length in bytes, a multiple of the bytes that a word of the map covers.
    len: usize,
    map: *mut u64,
    /// The claim, or [`RESERVE`] or [`ENDED`].
    owner: usize,
    /// The number of bytes in use.
    used: usize,
    /// The first granule that was never allocated. Only parts of claims use this.
    next: usize,
}

struct Parts {
    /// The parts. The first one stays; those from `count` on are unused.
    all: [Extent; PARTS + CLAIMS],
    count: usize,
}

// SAFETY: the maps belong to the parts and are only accessed under the lock; a part is unmapped after it was removed
// from the list.
unsafe impl Send for Parts {}

const NO_PART: Extent =
    Extent { start: ptr::null_mut(), len: 0, map: ptr::null_mut(), owner: RESERVE, used: 0, next: 0 };
static ALL: SpinLock<Parts> = SpinLock::new({
    let mut all = [NO_PART; PARTS + CLAIMS];
    (all[0].start, all[0].len, all[0].map) = (FIRST_MEMORY.0.get().cast(), FIRST, FIRST_MAP.0.get().cast());
    Parts { all, count: 1 }
});
/// The lowest and the highest address of the parts after the first one. A free checks further only between them.
static LOWEST: AtomicUsize = AtomicUsize::new(usize::MAX);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of bytes in use, without claims.
pub(super) fn used() -> usize {
    ALL.lock().of_reserve().map(|part| part.used).sum()
}

/// Returns the number of bytes of all parts of the reserve, without claims.
pub(super) fn total() -> usize {
    ALL.lock().of_reserve().map(|part| part.len).sum()
}

/// Returns an estimate of the longest free block: the longest part, less 2 MiB or half of a shorter part.
pub(super) fn longest() -> usize {
    ALL.lock().of_reserve().map(|part| part.len - FIRST.min(part.len / 2)).max().unwrap_or(0)
}

/// Whether a block can be in a part, of the reserve or of a claim.
#[inline(always)]
pub(super) fn may_have(block: *const u8) -> bool {
    is_first(block.addr()) || block.addr() >= LOWEST.load(Ordering::Relaxed)
}

/// Whether a block is in a part, of the reserve or of a claim.
pub(super) fn has(block: *const u8) -> bool {
    let addr = block.addr();
    is_first(addr)
        || (addr < HIGHEST.load(Ordering::Relaxed) && ALL.lock().list().iter().any(|part| part.contains(addr)))
}

fn is_first(addr: usize) -> bool {
    addr.wrapping_sub((&raw const FIRST_MEMORY).addr()) < FIRST
}

impl Parts {
    fn list(&mut self) -> &mut [Extent] {
        &mut self.all[..self.count]
    }

    fn of_reserve(&self) -> impl Iterator<Item = &Extent> {
        self.all[..self.count].iter().filter(|part| part.owner == RESERVE)
    }

    /// Removes and unmaps a part without blocks in use.
    fn remove(&mut self, index: usize) {
        self.count -= 1;
        self.all.swap(index, self.count);
        let (left, part) = (&self.all[1..self.count], &self.all[self.count]);
        // Other threads read these without the lock to find the part of a block that they free. That part is in the
        // list, so both values include it all the time.
        let ends = left.iter().map(|part| part.start.addr() + part.len);
        HIGHEST.store(ends.max().unwrap_or(0), Ordering::Relaxed);
        let starts = left.iter().map(|part| part.start.addr());
        LOWEST.store(starts.min().unwrap_or(usize::MAX), Ordering::Relaxed);
        // SAFETY: the mapping begins with the map and ends with the part (`add`), and no thread finds it any more.
        unsafe { libc::munmap(part.map.cast(), part.start.addr() + part.len - part.map.addr()) };
    }
}

impl Extent {
    fn contains(&self, addr: usize) -> bool {
        addr.wrapping_sub(self.start.addr()) < self.len
    }

    /// Returns the map, in which the bits of taken granules are set.
    fn map(&mut self) -> &mut [u64] {
        // SAFETY: the map has this many words and is the part's alone, which is borrowed mutably here.
        unsafe { slice::from_raw_parts_mut(self.map, self.len / GRANULE / BITS) }
    }

    fn mark(&mut self, from: usize, count: usize, taken: bool) {
        let map = self.map();
        for granule in from..from + count {
            let (word, bit) = (&mut map[granule / BITS], 1 << (granule % BITS));
            match taken {
                true => *word |= bit,
                false => *word &= !bit,
            }
        }
    }

    /// Finds `count` free granules in a row, at `first` or later. The first is at a multiple of `align`.
    fn find(&mut self, first: usize, count: usize, align: usize) -> Option<usize> {
        let step = align.div_ceil(GRANULE);
        let (granules, map) = (self.len / GRANULE, self.map());
        let mut at = first.next_multiple_of(step);
        while at + count <= granules {
            let is_taken = |granule: &usize| map[granule / BITS] >> (granule % BITS) & 1 != 0;
            match (at..at + count).rev().find(is_taken) {
                Some(taken) => at = (taken + 1).next_multiple_of(step),
                None => return Some(at),
            }
        }
        None
    }
}

/// Allocates a block from this claim's part or, if that fails, from the reserve. Returns null on failure.
pub(super) fn take(claim: Option<usize>, layout: Layout) -> *mut u8 {
    if layout.align() > PAGE {
        return ptr::null_mut();
    }
    let count = layout.size().div_ceil(GRANULE);
    let mut parts = ALL.lock();
    for owner in claim.into_iter().chain([RESERVE]) {
        for part in parts.list().iter_mut().filter(|part| part.owner == owner) {
            // For parts of the reserve `next` is always 0.
            let found = part.find(part.next, count, layout.align()).or_else(|| part.find(0, count, layout.align()));
            let Some(granule) = found else { continue };
            part.mark(granule, count, true);
            part.used += count * GRANULE;
            if owner != RESERVE {
                part.next = part.next.max(granule + count);
            }
            return part.start.wrapping_add(granule * GRANULE);
        }
    }
    ptr::null_mut()
}

/// Frees a block.
///
/// # Safety
/// It came from [`take`] with this layout, and is not used any more.
pub(super) unsafe fn free(block: *mut u8, layout: Layout) {
    let count = layout.size().div_ceil(GRANULE);
    let mut parts = ALL.lock();
    let Some(index) = parts.list().iter().position(|part| part.contains(block.addr())) else { return };
    let part = &mut parts.all[index];
    part.mark((block.addr() - part.start.addr()) / GRANULE, count, false);
    part.used -= count * GRANULE;
    if part.used == 0 && part.owner == ENDED {
        parts.remove(index);
    }
}

/// Adds a part of at least `len` bytes for a claim or for [`RESERVE`]. Returns false if the system has no memory, or
/// there are too many parts. The number of a claim is neither [`RESERVE`] nor [`ENDED`].
pub(super) fn add(owner: usize, len: usize) -> bool {
    let Some(len) = len.checked_next_multiple_of(PAGE.max(GRANULE * BITS)) else { return false };
    let map = (len / GRANULE / 8).next_multiple_of(PAGE);
    let mut parts = ALL.lock();
    let is_reserve = owner == RESERVE;
    let same_kind = parts.list().iter().filter(|part| (part.owner == RESERVE) == is_reserve).count();
    let is_full = same_kind == if is_reserve { PARTS } else { CLAIMS };
    let Some(whole) = len.checked_add(map).filter(|_| !is_full) else { return false };
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: mmap chooses the address of an anonymous mapping itself, so that it replaces no
    // other.
    let mapped = unsafe { libc::mmap(ptr::null_mut(), whole, access, flags, -1, 0) };
    if mapped == libc::MAP_FAILED {
        return false;
    }
    let start = mapped.cast::<u8>().wrapping_add(map);
    let index = parts.count;
    parts.all[index] = Extent { start, len, map: mapped.cast(), owner, ..NO_PART };
    parts.count += 1;
    HIGHEST.fetch_max(start.addr() + len, Ordering::Relaxed);
    LOWEST.fetch_min(start.addr(), Ordering::Relaxed);
    true
}

/// Ends a claim: its part is unmapped when no block of it is in use.
pub(super) fn end_claim(claim: usize) {
    let mut parts = ALL.lock();
    let Some(index) = parts.list().iter().position(|part| part.owner == claim) else { return };
    parts.all[index].owner = ENDED;
    if parts.all[index].used == 0 {
        parts.remove(index);
    }
}

/// Returns the number of bytes of a claim's part that were never allocated.
#[cfg(any(test, debug_assertions))]
pub(super) fn left_of_claim(claim: usize) -> usize {
    let mut parts = ALL.lock();
    let part = parts.list().iter().find(|part| part.owner == claim);
    part.map_or(0, |part| part.len - part.next * GRANULE)
}
