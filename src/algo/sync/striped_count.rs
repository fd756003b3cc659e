//! A count that many threads raise at any time, and that is rarely summed.
//!
//! The first threads of a process, which do most of the work in most programs, have a private stripe each: raising it
//! is a load and a store. The others share stripes, and each change needs a locked instruction.

use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

use super::reclaim::{heavy_barrier, light_barrier};

/// The number of threads that have a private stripe.
const OWN: usize = 32;
/// The number of stripes that the others share.
const SHARED: usize = 32;

/// A striped count. The module's text describes it.
#[derive(Default)]
pub struct StripedCount {
    own: [CachePadded<AtomicU64>; OWN],
    shared: [CachePadded<AtomicU64>; SHARED],
}

impl StripedCount {
    /// Adds one. `thread` is the calling thread's number, which is never reused. The thread must be pinned.
    ///
    /// One thread may raise a count and then read something, while another changes that and then reads the
    /// [`Self::exact_total`]. Then at least one of them sees the other's change.
    pub fn raise(&self, thread: usize) {
        match self.own.get(thread) {
            Some(own) => own.store(own.load(Ordering::Relaxed) + 1, Ordering::Release),
            None => _ = self.shared[thread % SHARED].fetch_add(1, Ordering::Release),
        }
        light_barrier();
    }

    /// Returns the sum. Concurrent changes may be missing.
    pub fn total(&self) -> u64 {
        let stripes = self.own.iter().chain(&self.shared);
        stripes.map(|stripe| stripe.load(Ordering::Acquire)).sum()
    }

    /// Returns the sum, for a caller that has changed something before, see [`Self::raise`].
    pub fn exact_total(&self) -> u64 {
        heavy_barrier();
        self.total()
    }
}

#[cfg(all(test, not(loom)))]
#[path = "striped_count_tests.rs"]
mod tests;
