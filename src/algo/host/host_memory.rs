//! The allocator of this library. It has a reserve for when the system has no memory.
//!
//! Rust's containers end the process when an allocation fails. So no small allocation fails here: when the system
//! refuses one, it comes from the reserve (`reserve`), and the function of [`set_shortage_handler`] is called. From
//! then on public calls call [`check`] first. Unless enough of the reserve is left, they are refused before they begin,
//! with a code and a text. So a call that has begun can complete.
//!
//! The reserve has room for a block of twice the length of the longest container so far, so that each can double again.
//! A container that a program can make arbitrarily long grows by [`Grow`], which reports a failure, and does not use
//! the reserve. A call that needs much memory at once claims it first ([`claim::Claim`]).
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

use super::grow::{Grow, caller_reports};

/// The number of bytes of the initial reserve, which is in memory that the process has anyway.
pub const RESERVE: usize = reserve::FIRST;
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

/// Sets the function, once, that is called each time after the reserve has served an allocation. It must not allocate.
pub fn set_shortage_handler(handler: fn()) {
    HANDLER.get_or_init(|| handler);
}

/// Returns whether calls may begin. Refills the reserve if the system has memory again.
#[cold]
pub fn check() -> Supply {
    #[cfg(debug_assertions)]
    faults::read();
    if is_refilled() && system_has_memory() {
        return Supply::Ample;
    }
    match reserve::used() <= allowed_use() {
        true => Supply::Reserve,
        false => Supply::Short,
    }
}

/// Returns how far the reserve may be used before calls are refused. The rest is for calls in progress.
fn allowed_use() -> usize {
    #[cfg(debug_assertions)]
    if let Some(limit) = faults::allowed_use() {
        return limit;
    }
    reserve::lengths().0 / 4
}

/// Whether most of the reserve is free, and it has blocks for the longest container. If not, adds a part.
fn is_refilled() -> bool {
    let wanted = 2 * LARGEST.load(Ordering::Relaxed) + RESERVE / 2;
    let is_enough = reserve::used() <= allowed_use() && reserve::lengths().1 >= wanted;
    is_enough || (!is_refused() && reserve::add(reserve::RESERVE, wanted))
}

fn system_has_memory() -> bool {
    let mut probe = Vec::<u8>::new();
    let has_memory = probe.make_room(PROBE).is_ok();
    // This keeps the compiler from leaving out the allocation.
    black_box(probe);
    has_memory
}

/// Whether a test makes the system refuse this allocation.
#[inline(always)]
fn is_refused() -> bool {
    #[cfg(debug_assertions)]
    return faults::next_fails();
    #[cfg(not(debug_assertions))]
    false
}

/// Returns the block that the system allocates, or null.
#[inline(always)]
fn from_system(allocate: impl FnOnce() -> *mut u8) -> *mut u8 {
    if is_refused() {
        return ptr::null_mut();
    }
    let block = allocate();
    #[cfg(debug_assertions)]
    faults::count(block);
    block
}

/// Allocates from the reserve, because the system has refused.
#[cold]
fn from_reserve(layout: Layout) -> *mut u8 {
    let claim = claim::CURRENT.get();
    if claim == reserve::RESERVE && caller_reports() {
        return ptr::null_mut();
    }
    let block = reserve::take(claim, layout);
    #[cfg(debug_assertions)]
    faults::count(block);
    note_shortage();
    block
}

fn note_shortage() {
    if let Some(handler) = HANDLER.get() {
        handler();
    }
}

/// Notes the longest container so far: the reserve gets a block for its next doubling.
#[cold]
fn note_longest(size: usize) {
    if size <= LONGEST && !caller_reports() && claim::CURRENT.get() == reserve::RESERVE {
        LARGEST.fetch_max(size.next_power_of_two(), Ordering::Relaxed);
        // If there is no memory for it, the next call detects that.
        if !is_refilled() {
            note_shortage();
        }
    }
}

// SAFETY: blocks are the system's or the reserve's, each of the layout that was asked for, and go back where
// they came from.
unsafe impl GlobalAlloc for HostMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: System.alloc has the contract of this function.
        let block = from_system(|| unsafe { System.alloc(layout) });
        if block.is_null() {
            return from_reserve(layout);
        }
        if layout.size() > LARGEST.load(Ordering::Relaxed) {
            note_longest(layout.size());
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: System.alloc_zeroed has the contract of this function.
        let block = from_system(|| unsafe { System.alloc_zeroed(layout) });
        match block.is_null() {
            // SAFETY: the same contract.
            true => unsafe { Refused.alloc_zeroed(layout) },
            false => block,
        }
    }

    // This is not inlined: in each drop of a container it would make the library 5 percent larger.
    #[inline(never)]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        #[cfg(debug_assertions)]
        faults::count_free();
        match reserve::may_have(block) {
            // SAFETY: the block came from this allocator with this layout, so from `take` or from System.
            true => unsafe { reserve::free(block, layout) },
            // SAFETY: the reserve cannot have the block, so it came from System with this layout.
            false => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !reserve::may_have(block) && !is_refused() {
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
        // SAFETY: the caller keeps the contract of GlobalAlloc::realloc.
        unsafe { Refused.realloc(block, layout, size) }
    }
}

/// The allocator where System cannot do it: the trait's own methods zero a block, and move it to a longer one.
struct Refused;

// SAFETY: the methods are those of `HostMemory`.
unsafe impl GlobalAlloc for Refused {
    #[cold]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the contract of this function.
        unsafe { HostMemory.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the contract of this function.
        unsafe { HostMemory.dealloc(block, layout) };
    }
}

#[cfg(test)]
#[path = "host_memory_tests.rs"]
mod tests;
