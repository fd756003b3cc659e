//! Host memory for one call, claimed before the call changes anything.
//!
//! The program chooses how much memory some calls need: for the tasks of a graph, for the copies of a batch. The
//! reserve may be too small for them. Such a call first claims the most that it can need. If the system has no memory
//! for the claim, the call fails, and nothing has changed. Otherwise the call cannot run out of memory: allocations of
//! this thread that the system refuses come from the claim. Claimed memory that is not used costs address space only.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::reserve;
use crate::algo::thread::per_thread::per_thread;

/// Calls that need less use the reserve.
pub const LEAST: usize = 64 << 10;

/// No claim.
const NONE: usize = 0;
static NEXT: AtomicUsize = AtomicUsize::new(1);

per_thread! {
    static CURRENT: Cell<usize> = Cell::new(NONE);
}

/// A claim of this thread. The thread allocates from its latest one.
pub struct Claim {
    /// [`NONE`] if the reserve is enough.
    number: usize,
    before: usize,
    /// It belongs to this thread.
    _thread: PhantomData<*const ()>,
}

impl Claim {
    /// Claims `bytes`; `None`: the system has no memory for them.
    pub fn new(bytes: usize) -> Option<Self> {
        let before = CURRENT.get();
        if bytes < LEAST {
            return Some(Self { number: NONE, before, _thread: PhantomData });
        }
        // Relaxed: numbers only have to differ.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        if super::is_refused() || !reserve::add_claim(number, bytes) {
            return None;
        }
        CURRENT.set(number);
        Some(Self { number, before, _thread: PhantomData })
    }

    /// Bytes of it that were never allocated.
    #[cfg(test)]
    pub fn left(&self) -> usize {
        reserve::left_of_claim(self.number)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.number != NONE {
            CURRENT.set(self.before);
            reserve::end_claim(self.number);
        }
    }
}

/// The claim from which this thread allocates.
pub(super) fn current() -> Option<usize> {
    Some(CURRENT.get()).filter(|number| *number != NONE)
}

#[cfg(test)]
mod tests {
    use std::alloc::{GlobalAlloc, Layout};

    use super::super::{HostMemory, from_reserve};
    use super::*;

    const LEN: usize = 8 << 20;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 16).unwrap()
    }

    fn free(block: *mut u8, size: usize) {
        // SAFETY: each test passes a block that `from_reserve` returned for this size, once.
        unsafe { HostMemory.dealloc(block, layout(size)) };
    }

    /// All of a claim serves allocations of its thread that the system refuses, also blocks for which the reserve is
    /// too small. It serves no other thread.
    #[test]
    fn a_claim_serves_its_thread() {
        let claim = Claim::new(LEN).unwrap();
        let (used, total) = (reserve::used(), reserve::total());
        let large = from_reserve(layout(LEN / 2));
        assert!(!large.is_null() && reserve::has(large));
        // SAFETY: the block has this many bytes, and only this test uses it.
        unsafe { large.write_bytes(1, LEN / 2) };
        let small: Vec<_> = (0..LEN / 2 / 64).map(|_| from_reserve(layout(64)).addr()).collect();
        assert_eq!((reserve::used(), reserve::total()), (used, total));
        assert_eq!(claim.left(), 0);
        // A freed block in the middle is found again.
        free(std::ptr::with_exposed_provenance_mut(small[7]), 64);
        std::thread::scope(|scope| {
            scope.spawn(|| assert!(from_reserve(layout(LEN)).is_null()));
        });
        assert_eq!(from_reserve(layout(64)).addr(), small[7]);
        free(large, LEN / 2);
        for addr in small {
            free(std::ptr::with_exposed_provenance_mut(addr), 64);
        }
    }

    /// A thread allocates from its latest claim that has not ended. Blocks outlive their claim.
    #[test]
    fn claims_end_in_any_order_and_before_their_blocks() {
        let outer = Claim::new(LEN).unwrap();
        let first = from_reserve(layout(LEN / 2));
        let inner = Claim::new(LEN).unwrap();
        let second = from_reserve(layout(LEN));
        assert!(!second.is_null() && from_reserve(layout(LEN)).is_null());
        drop(inner);
        assert_eq!(outer.left(), LEN / 2);
        let third = from_reserve(layout(LEN / 2));
        drop(outer);
        assert!(current().is_none());
        for (block, size) in [(first, LEN / 2), (second, LEN), (third, LEN / 2)] {
            assert!(reserve::has(block));
            // SAFETY: the blocks have these sizes, and only this test uses them.
            unsafe { block.write_bytes(1, size) };
        }
        for (block, size) in [(first, LEN / 2), (second, LEN), (third, LEN / 2)] {
            free(block, size);
        }
        assert!([first, second, third].iter().all(|block| !reserve::has(*block)));
    }

    #[test]
    fn what_the_system_does_not_have_is_not_claimed() {
        for bytes in [1 << 60, usize::MAX - 1, usize::MAX] {
            assert!(Claim::new(bytes).is_none());
        }
        assert!(current().is_none());
        // Each needs a part, and parts are limited; small claims need none.
        let all: Vec<_> = std::iter::from_fn(|| Claim::new(LEAST)).take(1000).collect();
        assert!(all.len() < 1000);
        assert!(Claim::new(LEAST - 1).is_some());
        drop(all);
        assert!(Claim::new(LEAST).is_some());
    }
}
