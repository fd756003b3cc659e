//! The allocator of this library. It has a reserve for when the system has no memory.
//!
//! Rust's containers end the process when an allocation fails. So no small allocation fails here: when the system
//! refuses one, it comes from the reserve (`reserve`), and the function of [`set_shortage_handler`] is called. From
//! then on public calls call [`check`] first. Unless enough of the reserve is left, they are refused before they begin,
//! with a code and a text. So a call that has begun can complete.
//!
//! The reserve serves blocks of a limited length: twice that of the longest container so far, so that each can double
//! again. A container that a program can make arbitrarily long grows by [`super::grow::Grow`], which reports a failure,
//! and does not use the reserve. A call that needs much memory at once claims it first ([`claim::Claim`]).
//!
//! Only this library uses the allocator: its symbols are local in the package.

pub mod claim;
#[cfg(debug_assertions)]
pub mod faults;
mod reserve;

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::grow::caller_reports;

/// The number of bytes of the initial reserve, which is in memory that the process has anyway.
pub const RESERVE: usize = reserve::FIRST;
/// The length in bytes of the longest block that the initial reserve serves.
const PIECE: usize = RESERVE / 2;
/// The maximum number of bytes up to which containers grow infallibly: the reserve keeps a block of twice the length of
/// the longest one. That is only address space, and no memory before it is used.
const LONGEST: usize = 64 << 20;
/// The number of bytes with which the system is probed: if it allocates them at once, it has memory again.
const PROBE: usize = 64 << 10;

/// The length of the longest allocation so far, up to [`LONGEST`]; at least half of what the initial reserve can serve.
static LARGEST: AtomicUsize = AtomicUsize::new(PIECE / 2);
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
    let ample = is_refilled();
    if ample && system_has_memory() {
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
    reserve::total() / 4
}

/// Whether most of the reserve is free, and it has blocks for the longest container. If not, adds parts.
fn is_refilled() -> bool {
    let wanted = 2 * LARGEST.load(Ordering::Relaxed);
    let more = match reserve::used() > allowed_use() {
        true => RESERVE,
        false if wanted > reserve::longest() => wanted + RESERVE,
        false => return true,
    };
    !is_refused() && reserve::add(reserve::RESERVE, more)
}

fn system_has_memory() -> bool {
    let layout = Layout::new::<[u128; PROBE / 16]>();
    // SAFETY: the layout of the probe has PROBE bytes, which is not zero.
    let block = unsafe { from_system(layout) };
    if !block.is_null() {
        // SAFETY: it was allocated just now with this layout.
        unsafe { System.dealloc(block, layout) };
    }
    !block.is_null()
}

/// Whether a test makes the system refuse this allocation.
#[inline(always)]
fn is_refused() -> bool {
    #[cfg(debug_assertions)]
    return faults::next_fails();
    #[cfg(not(debug_assertions))]
    false
}

/// # Safety
/// As [`GlobalAlloc::alloc`].
#[inline(always)]
unsafe fn from_system(layout: Layout) -> *mut u8 {
    match is_refused() {
        true => ptr::null_mut(),
        // SAFETY: the caller of `from_system` passes a layout that is not empty, which System.alloc
        // asks for.
        false => unsafe { System.alloc(layout) },
    }
}

/// Returns the length of the longest block that the reserve serves.
fn longest_free() -> usize {
    #[cfg(debug_assertions)]
    if let Some(limit) = faults::longest_free() {
        return limit;
    }
    2 * LARGEST.load(Ordering::Relaxed)
}

/// Allocates from the reserve, because the system has refused.
#[cold]
fn from_reserve(layout: Layout) -> *mut u8 {
    let claim = claim::current();
    if claim.is_none() && (caller_reports() || layout.size() > longest_free()) {
        return ptr::null_mut();
    }
    let piece = reserve::take(claim, layout);
    #[cfg(debug_assertions)]
    if !piece.is_null() {
        faults::count_block();
    }
    note_shortage();
    piece
}

fn note_shortage() {
    if let Some(handler) = HANDLER.get() {
        handler();
    }
}

/// Notes the longest allocation so far: the reserve gets blocks for the next doubling.
#[cold]
fn is_longest(size: usize) {
    if size <= LONGEST && !caller_reports() && claim::current().is_none() {
        LARGEST.fetch_max(size, Ordering::Relaxed);
        // If there is no memory for it, the next call detects that.
        if !is_refilled() {
            note_shortage();
        }
    }
}

/// # Safety
/// As [`GlobalAlloc::dealloc`].
#[cold]
unsafe fn free_checked(block: *mut u8, layout: Layout) {
    match reserve::has(block) {
        // SAFETY: it came from the reserve with this layout.
        true => unsafe { reserve::free(block, layout) },
        // SAFETY: the reserve does not have the block, so it came from System with this layout.
        false => unsafe { System.dealloc(block, layout) },
    }
}

// SAFETY: blocks are the system's or the reserve's, each of the layout that was asked for, and go back where
// they came from.
unsafe impl GlobalAlloc for HostMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: GlobalAlloc::alloc has the same contract as `from_system`: the layout is not
        // empty.
        let block = unsafe { from_system(layout) };
        if block.is_null() {
            return from_reserve(layout);
        }
        #[cfg(debug_assertions)]
        faults::count_block();
        if layout.size() > LARGEST.load(Ordering::Relaxed) {
            is_longest(layout.size());
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let block = match is_refused() {
            true => ptr::null_mut(),
            // SAFETY: the contract of GlobalAlloc::alloc_zeroed passes to System.alloc_zeroed
            // unchanged.
            false => unsafe { System.alloc_zeroed(layout) },
        };
        if block.is_null() {
            let piece = from_reserve(layout);
            if !piece.is_null() {
                // SAFETY: a block of this length.
                unsafe { piece.write_bytes(0, layout.size()) };
            }
            return piece;
        }
        #[cfg(debug_assertions)]
        faults::count_block();
        block
    }

    // This is not inlined: in each drop of a container it would make the library 5 percent larger.
    #[inline(never)]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        #[cfg(debug_assertions)]
        faults::count_free();
        match reserve::may_have(block) {
            // SAFETY: `free_checked` has the contract of GlobalAlloc::dealloc.
            true => unsafe { free_checked(block, layout) },
            // SAFETY: the reserve cannot have the block, so it came from System with this layout.
            false => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let is_of_system = !reserve::may_have(block) || !reserve::has(block);
        if is_of_system && !is_refused() {
            // SAFETY: the block is not in the reserve, so System allocated it with this layout; the
            // caller keeps `size` in bounds.
            let longer = unsafe { System.realloc(block, layout, size) };
            if !longer.is_null() {
                if size > LARGEST.load(Ordering::Relaxed) {
                    is_longest(size);
                }
                return longer;
            }
        }
        // SAFETY: `move_block` has the contract of GlobalAlloc::realloc, which the caller of this
        // function keeps.
        unsafe { self.move_block(block, layout, size) }
    }
}

impl HostMemory {
    /// # Safety
    /// As [`GlobalAlloc::realloc`].
    #[cold]
    #[inline(never)]
    unsafe fn move_block(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller says that the size fits the alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the caller says that the size is not 0.
        let moved = unsafe { self.alloc(wanted) };
        if !moved.is_null() {
            // SAFETY: two blocks, both at least so long; the old one is used no more.
            unsafe {
                ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                self.dealloc(block, layout);
            }
        }
        moved
    }
}

#[cfg(test)]
#[path = "host_memory_tests.rs"]
mod tests;
