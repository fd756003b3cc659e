//! The allocator of this library. It has a reserve for when the system has no memory.
//!
//! Rust's containers end the process when an allocation fails. So no small allocation fails here: when the system
//! refuses one, it comes from the reserve (`reserve`), and the function of [`set_shortage_handler`] is called. From
//! then on public calls call [`check`] first. Unless enough of the reserve is left, they are refused before they begin,
//! with a code and a text. So a call that has begun can complete.
//!
//! A container that a program can make arbitrarily long grows by [`Grow`](super::grow::Grow), which reports a
//! failure, and does not use the reserve. A call that needs much memory at once claims it first ([`claim::Claim`]).
//! What is left are lists of streams and of released objects, in calls that cannot be refused because they release,
//! end or wait, and traces. For them the reserve has room for a block of twice the length of the longest container so
//! far, so that each can double again.
//!
//! Blocks may stay in use while others are freed, and a claim must serve its thread alone. So there are parts, each
//! with a map of what is taken, and for each short length a place where a search begins. Simpler forms fail a test:
//!
//! | simpler form | test | why it fails |
//! |---|---|---|
//! | one part | `a_part_is_added_to_a_reserve_that_is_in_use` | it cannot grow while blocks of it are in use |
//! | a stack of blocks | `a_search_does_not_grow_with_the_blocks_in_use` | blocks are freed in another order |
//! | headers of blocks | `a_claim_serves_its_thread` | blocks of 64 bytes fill a claim to its last byte |
//! | lists of blocks by length | `the_reserve_serves_what_the_system_refuses` | short blocks form no long one |
//! | one place to begin | `a_search_does_not_grow_with_the_blocks_in_use` | long blocks read all short holes |
//!
//! Only this library uses the allocator: its symbols are local in the package.

pub mod claim;
#[cfg(debug_assertions)]
pub mod faults;
mod reserve;

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::grow::{caller_reports, filled};

/// The number of bytes of the initial reserve, which is in memory that the process has anyway.
pub const RESERVE: usize = reserve::LEN;
/// The maximum number of bytes up to which containers grow infallibly: the reserve keeps a block of twice the length of
/// the longest one. That is only address space, and no memory before it is used.
const LONGEST: usize = 64 << 20;
/// The number of bytes with which the system is probed: if it allocates them at once, it has memory again.
const PROBE: usize = 64 << 10;

/// The length of the longest container so far, up to [`LONGEST`], as a power of two. The initial reserve is enough for
/// the first value.
static LARGEST: AtomicUsize = AtomicUsize::new(RESERVE / 4);
static HANDLER: OnceLock<fn()> = OnceLock::new();

/// The allocator.
pub struct HostMemory;

/// The supply of host memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Supply {
    /// The system has memory, and the reserve is filled.
    Ample,
    /// The system has none, but the reserve has enough for more calls.
    Reserve,
    /// Only calls that free memory may proceed.
    Short,
}

/// Sets the function, once, that is called each time the reserve is asked for memory. It must not allocate.
pub fn set_shortage_handler(handler: fn()) {
    HANDLER.get_or_init(|| handler);
}

/// Returns whether calls may begin. Refills the reserve if the system has memory again.
#[cold]
pub fn check() -> Supply {
    #[cfg(debug_assertions)]
    faults::read();
    // This keeps the compiler from leaving out the allocation.
    if is_refilled() && black_box(filled(0_u8, PROBE)).is_some() {
        return Supply::Ample;
    }
    if is_little_used() { Supply::Reserve } else { Supply::Short }
}

/// Whether calls may begin that could use the reserve. The rest is for calls in progress.
fn is_little_used() -> bool {
    let (used, len, _) = reserve::usage();
    #[cfg(debug_assertions)]
    let len = faults::allowed_use().map_or(len, |allowed| 4 * allowed);
    used <= len / 4
}

/// Whether most of the reserve is free, and it has a block for the longest container. If not, adds a part: blocks in
/// use stay where they are.
fn is_refilled() -> bool {
    let wanted = 2 * LARGEST.load(Ordering::Relaxed) + RESERVE / 2;
    (is_little_used() && reserve::usage().2 >= wanted) || reserve::add(reserve::RESERVE, wanted)
}

/// Notes the longest container so far. If there is no memory for its next doubling, the next call detects that.
#[cold]
fn note_longest(size: usize) {
    if size <= LONGEST && !caller_reports() && claim::CURRENT.get() == reserve::RESERVE {
        LARGEST.fetch_max(size.next_power_of_two(), Ordering::Relaxed);
        if !is_refilled() {
            note_shortage();
        }
    }
}

fn note_shortage() {
    if let Some(handler) = HANDLER.get() {
        handler();
    }
}

/// Whether a test makes the system refuse this allocation.
#[inline(always)]
fn is_refused() -> bool {
    #[cfg(debug_assertions)]
    return faults::next_fails();
    #[cfg(not(debug_assertions))]
    false
}

/// Allocates from the reserve, because the system has refused.
#[cold]
fn from_reserve(layout: Layout) -> *mut u8 {
    let claim = claim::CURRENT.get();
    if claim == reserve::RESERVE && caller_reports() {
        return ptr::null_mut();
    }
    note_shortage();
    reserve::take(claim, layout)
}

// SAFETY: blocks are the system's or the reserve's, each of the layout that was asked for, and go back where
// they came from.
unsafe impl GlobalAlloc for HostMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: System.alloc has the contract of this function.
        let mut block = if is_refused() { ptr::null_mut() } else { unsafe { System.alloc(layout) } };
        if block.is_null() {
            block = from_reserve(layout);
        } else if layout.size() > LARGEST.load(Ordering::Relaxed) {
            note_longest(layout.size());
        }
        #[cfg(debug_assertions)]
        faults::count(block);
        block
    }

    // The default would touch all pages. Chunks of arrays begin as zeros, and cost no memory before they are used.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: System.alloc_zeroed has the contract of this function.
        let mut block = if is_refused() { ptr::null_mut() } else { unsafe { System.alloc_zeroed(layout) } };
        if block.is_null() {
            block = from_reserve(layout);
            if !block.is_null() {
                // SAFETY: the reserve returned a block of this size.
                unsafe { block.write_bytes(0, layout.size()) };
            }
        }
        #[cfg(debug_assertions)]
        faults::count(block);
        block
    }

    // This is not inlined: in each drop of a container it would make the library 5 percent larger.
    #[inline(never)]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        #[cfg(debug_assertions)]
        faults::count_free();
        if !reserve::may_have(block) || !reserve::free(block, layout.size()) {
            // SAFETY: the block came from this allocator with this layout, and not from the reserve.
            unsafe { System.dealloc(block, layout) };
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !(is_refused() || reserve::may_have(block) && reserve::has(block)) {
            // SAFETY: the block is not in the reserve, so System allocated it with this layout; the
            // caller keeps `size` in bounds.
            let longer = unsafe { System.realloc(block, layout, size) };
            if !longer.is_null() {
                if size > LARGEST.load(Ordering::Relaxed) {
                    note_longest(size);
                }
                return longer;
            }
        }
        // SAFETY: the caller keeps the contract of this function, which makes these steps valid.
        unsafe {
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(block, size.min(layout.size()));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}

#[cfg(test)]
#[path = "host_memory_tests.rs"]
mod tests;
