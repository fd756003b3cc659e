//! Seats: the stripe of each cache that a thread uses. The first threads have a stripe each; all others share the rest.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use crate::algo::thread::per_thread::{at_thread_end, per_thread};

/// Stripes that belong to one thread at a time.
pub(super) const OWN: usize = if cfg!(loom) { 1 } else { 24 };
/// Stripes that threads share.
pub(super) const SHARED: usize = if cfg!(loom) { 1 } else { 8 };

/// The stripe of the calling thread. It stays on that thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    index: u8,
    _stays: PhantomData<*const ()>,
}

/// The thread has not chosen yet.
const NONE: u8 = u8::MAX;

per_thread! {
    static MINE: Cell<u8> = Cell::new(NONE);
}

at_thread_end! {
    /// Vacates the thread's own stripe when the thread ends.
    fn is_vacated() -> bool => vacate;
}

/// The own stripes that are free, one bit each.
static FREE: AtomicU32 = AtomicU32::new(if OWN == 32 { u32::MAX } else { (1 << OWN) - 1 });

impl Seat {
    /// The calling thread's.
    pub fn mine() -> Self {
        let index = MINE.get();
        if index == NONE { choose() } else { Self::at(index) }
    }

    const fn at(index: u8) -> Self {
        Self { index, _stays: PhantomData }
    }

    /// The number of the stripe.
    pub(super) fn index(self) -> usize {
        usize::from(self.index)
    }

    /// Whether no other thread uses the stripe.
    pub(super) fn is_own(self) -> bool {
        self.index() < OWN
    }

    /// The seat with this number, which only the calling thread uses if it is below [`OWN`].
    #[cfg(test)]
    pub(super) fn numbered(index: usize) -> Self {
        Self::at(index as u8)
    }
}

#[cold]
fn choose() -> Seat {
    // Nothing would vacate the stripe of a thread that is ending.
    let own = if is_vacated() { occupy() } else { None };
    let index = own.unwrap_or_else(shared);
    MINE.set(index);
    Seat::at(index)
}

/// Takes an own stripe.
fn occupy() -> Option<u8> {
    // Acquire, with the Release of `free`: what the last owner did to the stripe is visible.
    let taken = FREE.fetch_update(Ordering::Acquire, Ordering::Relaxed, |free| (free != 0).then(|| free & (free - 1)));
    taken.ok().map(|free| free.trailing_zeros() as u8)
}

fn free(index: u8) {
    FREE.fetch_or(1 << index, Ordering::Release);
}

fn shared() -> u8 {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    (OWN + NEXT.fetch_add(1, Ordering::Relaxed) % SHARED) as u8
}

/// Its blocks stay in the stripe, for the next thread.
fn vacate() {
    let index = MINE.get();
    if usize::from(index) < OWN {
        MINE.set(shared());
        free(index);
    }
}

#[cfg(all(test, not(loom)))]
#[path = "seat_tests.rs"]
mod tests;
