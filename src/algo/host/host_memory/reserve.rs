//! Memory that is reserved in advance, in parts with a bitmap each.

use std::alloc::Layout;
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::algo::sync::spin_lock::SpinLock;

/// Length of the first part, in bytes.
pub const FIRST: usize = 2 << 20;
/// The least length of a block; lengths are multiples of it.
const GRANULE: usize = 64;
/// Granules of one word of a map.
const BITS: usize = u64::BITS as usize;
/// The most parts.
const PARTS: usize = 16;
const PAGE: usize = 4096;

#[repr(C, align(4096))]
struct First(UnsafeCell<[u8; FIRST]>);

// SAFETY: pieces of it are given out, each to one owner.
unsafe impl Sync for First {}

/// All zeros, and so no part of the file; pages that are never used cost no memory.
static FIRST_MEMORY: First = First(UnsafeCell::new([0; FIRST]));

struct FirstMap(UnsafeCell<[u64; FIRST / GRANULE / BITS]>);

// SAFETY: only reached under the lock of `PARTS_IN_USE`.
unsafe impl Sync for FirstMap {}

static FIRST_MAP: FirstMap = FirstMap(UnsafeCell::new([0; FIRST / GRANULE / BITS]));

/// A part: its memory, and a map with a bit for each granule.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    len: usize,
    map: *mut u64,
}

struct Parts {
    /// The parts after the first one.
    added: [Part; PARTS],
    count: usize,
}

// SAFETY: the maps belong to the parts, which are never unmapped, and are only reached under the lock.
unsafe impl Send for Parts {}

const NO_PART: Part = Part { start: 0, len: 0, map: ptr::null_mut() };
static ADDED: SpinLock<Parts> = SpinLock::new(Parts { added: [NO_PART; PARTS], count: 0 });
/// The lowest and the highest address of added parts: a free checks further only between them.
static LOWEST: AtomicUsize = AtomicUsize::new(usize::MAX);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);
static USED: AtomicUsize = AtomicUsize::new(0);
static TOTAL: AtomicUsize = AtomicUsize::new(FIRST);
/// The longest block of the longest part.
static LONGEST: AtomicUsize = AtomicUsize::new(FIRST / 2);

fn first() -> Part {
    let map = FIRST_MAP.0.get().cast();
    Part { start: (&raw const FIRST_MEMORY).addr(), len: FIRST, map }
}

/// Bytes in use.
pub fn used() -> usize {
    USED.load(Ordering::Relaxed)
}

/// Bytes of all parts.
pub fn total() -> usize {
    TOTAL.load(Ordering::Relaxed)
}

/// The longest block that it has while most of it is free.
pub fn longest() -> usize {
    LONGEST.load(Ordering::Relaxed)
}

/// Whether a block belongs to the reserve.
#[inline(always)]
pub fn has(block: *const u8) -> bool {
    let addr = block.addr();
    let begin = (&raw const FIRST_MEMORY).addr();
    addr.wrapping_sub(begin) < FIRST || (addr >= LOWEST.load(Ordering::Relaxed) && is_added(addr))
}

#[cold]
#[inline(never)]
fn is_added(addr: usize) -> bool {
    addr < HIGHEST.load(Ordering::Relaxed) && ADDED.lock().of(addr).is_some()
}

impl Parts {
    fn all(&self) -> impl Iterator<Item = Part> {
        [first()].into_iter().chain(self.added[..self.count].iter().copied())
    }

    fn of(&self, addr: usize) -> Option<Part> {
        self.all().find(|part| addr.wrapping_sub(part.start) < part.len)
    }
}

impl Part {
    fn granules(&self) -> usize {
        self.len / GRANULE
    }

    /// The bit of a granule: its word, and the bit in it.
    fn bit_of(&self, granule: usize) -> (*mut u64, u64) {
        debug_assert!(granule < self.granules());
        (self.map.wrapping_add(granule / BITS), 1 << (granule % BITS))
    }

    /// # Safety
    /// The lock is held.
    unsafe fn is_taken(&self, granule: usize) -> bool {
        let (word, bit) = self.bit_of(granule);
        // SAFETY: inside the map, which is only accessed under the lock.
        unsafe { *word & bit != 0 }
    }

    /// # Safety
    /// The lock is held.
    unsafe fn mark(&self, from: usize, count: usize, taken: bool) {
        for granule in from..from + count {
            let (word, bit) = self.bit_of(granule);
            // SAFETY: the granules are the part's, so their words exist, and the lock that the
            // contract asks for is held.
            unsafe {
                match taken {
                    true => *word |= bit,
                    false => *word &= !bit,
                }
            }
        }
    }

    /// The first of `count` free granules whose address is a multiple of `align`.
    ///
    /// # Safety
    /// The lock is held.
    unsafe fn find(&self, count: usize, align: usize) -> Option<usize> {
        let step = align.div_ceil(GRANULE);
        let mut at = 0;
        while at + count <= self.granules() {
            // SAFETY: `at + count` is at most the number of granules, so the words that hold their
            // bits exist, and the caller has the lock.
            let in_the_way = (at..at + count).rev().find(|&granule| unsafe { self.is_taken(granule) });
            match in_the_way {
                Some(taken) => at = (taken + 1).next_multiple_of(step),
                None => return Some(at),
            }
        }
        None
    }
}

/// Allocates a block; null on failure.
pub fn take(layout: Layout) -> *mut u8 {
    if layout.align() > PAGE {
        return ptr::null_mut();
    }
    let count = layout.size().div_ceil(GRANULE);
    let parts = ADDED.lock();
    for part in parts.all() {
        // SAFETY: `find` reads the bits under the lock, which `parts` holds.
        if let Some(granule) = unsafe { part.find(count, layout.align()) } {
            // SAFETY: `find` has just found these granules free, and the lock is still held.
            unsafe { part.mark(granule, count, true) };
            USED.fetch_add(count * GRANULE, Ordering::Relaxed);
            return ptr::with_exposed_provenance_mut(part.start + granule * GRANULE);
        }
    }
    ptr::null_mut()
}

/// Gives a piece back.
///
/// # Safety
/// It came from [`take`] with this layout, and is used no more.
pub unsafe fn free(block: *mut u8, layout: Layout) {
    let count = layout.size().div_ceil(GRANULE);
    let parts = ADDED.lock();
    let part = parts.of(block.addr()).expect("a block of the reserve");
    // SAFETY: the block's granules are marked as used until here, and `parts` is the held lock.
    unsafe { part.mark((block.addr() - part.start) / GRANULE, count, false) };
    USED.fetch_sub(count * GRANULE, Ordering::Relaxed);
}

/// Adds a part of at least `len` bytes; false: the system has no memory, or there are too many parts.
pub fn add_part(len: usize) -> bool {
    let len = len.next_multiple_of(GRANULE * BITS).next_multiple_of(PAGE);
    let map = (len / GRANULE / 8).next_multiple_of(PAGE);
    let mut parts = ADDED.lock();
    if parts.count == PARTS {
        return false;
    }
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: mmap chooses the address of an anonymous mapping itself, so that it replaces no
    // other.
    let mapped = unsafe { libc::mmap(ptr::null_mut(), map + len, access, flags, -1, 0) };
    if mapped == libc::MAP_FAILED {
        return false;
    }
    let start = mapped.expose_provenance() + map;
    let index = parts.count;
    parts.added[index] = Part { start, len, map: mapped.cast() };
    parts.count += 1;
    HIGHEST.fetch_max(start + len, Ordering::Relaxed);
    LOWEST.fetch_min(start, Ordering::Relaxed);
    TOTAL.fetch_add(len, Ordering::Relaxed);
    LONGEST.fetch_max(len - FIRST.min(len / 2), Ordering::Relaxed);
    true
}
