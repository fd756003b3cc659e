//! Claims host memory for one call before the call changes anything.
//!
//! The program chooses how much memory some calls need: for the tasks of a graph, for the copies of a batch. The
//! reserve may be too small for them. Such a call first claims the most that it can need. If the system has no memory
//! for the claim, the call fails, and nothing has changed. If it has, the call cannot run out of memory: allocations of
//! this thread that the system refuses come from the claim. Claimed memory that is not used costs only address space.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::reserve::{self, RESERVE};
use crate::thread::per_thread::per_thread;

/// The number of bytes from which a call claims. Calls that need less use the reserve.
pub const LEAST: usize = 64 << 10;

static NEXT: AtomicUsize = AtomicUsize::new(RESERVE + 1);

per_thread! {
    /// The claim from which this thread allocates, or [`RESERVE`].
    pub(super) static CURRENT: Cell<usize> = Cell::new(RESERVE);
}

/// A claim of this thread. The thread allocates from its latest one.
pub struct Claim {
    /// The number of the claim, or [`RESERVE`] if the reserve is enough.
    number: usize,
    before: usize,
    /// Keeps the claim on its thread.
    _thread: PhantomData<*const ()>,
}

impl Claim {
    /// Claims `bytes`. Returns `None` if the system has no memory for them.
    pub fn new(bytes: usize) -> Option<Self> {
        let before = CURRENT.get();
        let mut number = RESERVE;
        if bytes >= LEAST {
            // Relaxed: the numbers only have to differ.
            number = NEXT.fetch_add(1, Ordering::Relaxed);
            if !reserve::add(number, bytes) {
                return None;
            }
            CURRENT.set(number);
        }
        Some(Self { number, before, _thread: PhantomData })
    }

    /// Returns the number of the claim's bytes that were never allocated.
    #[cfg(any(test, debug_assertions))]
    pub fn left(&self) -> usize {
        reserve::left_of_claim(self.number)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.number != RESERVE {
            CURRENT.set(self.before);
            reserve::end_claim(self.number);
        }
    }
}

#[cfg(test)]
#[path = "claim_tests.rs"]
mod tests;
