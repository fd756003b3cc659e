//! Seats: the stripe of each cache that a thread uses. The first threads have a stripe each; all others share the rest.

use std::marker::PhantomData;

use crate::algo::sync::reclaim;

/// Stripes that belong to one thread at a time.
pub(super) const OWN: usize = if cfg!(loom) { 1 } else { 24 };
/// Stripes that threads share.
pub(super) const SHARED: usize = if cfg!(loom) { 1 } else { 8 };

/// The stripe of the calling thread. It stays on that thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    index: usize,
    _stays: PhantomData<*const ()>,
}

impl Seat {
    /// The calling thread's. When the thread ends, its blocks stay in the stripe for the thread that gets its number.
    #[inline]
    pub fn mine() -> Self {
        // A thread that is ending has no number any more, and shares a stripe.
        let number = reclaim::number().unwrap_or(OWN);
        Self { index: if number < OWN { number } else { OWN + number % SHARED }, _stays: PhantomData }
    }

    /// The number of the stripe.
    pub(super) fn index(self) -> usize {
        self.index
    }

    /// Whether no other thread uses the stripe.
    pub(super) fn is_own(self) -> bool {
        self.index < OWN
    }

    /// The seat with this number, which only the calling thread uses if it is below [`OWN`].
    #[cfg(test)]
    pub(super) fn numbered(index: usize) -> Self {
        Self { index, _stays: PhantomData }
    }
}

#[cfg(all(test, not(loom)))]
#[path = "seat_tests.rs"]
mod tests;
