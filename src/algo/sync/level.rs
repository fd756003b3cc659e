//! A level and its peak. Counts without a lock.

use crate::algo::sync::primitives::atomic::{AtomicU64, Ordering};

/// A level, initially 0.
#[derive(Default)]
pub struct Level {
    current: AtomicU64,
    peak: AtomicU64,
}

impl Level {
    /// Raises it.
    pub fn add(&self, more: u64) {
        let now = self.current.fetch_add(more, Ordering::Relaxed) + more;
        // Mostly below an earlier peak, and then nothing is written.
        if now > self.peak.load(Ordering::Relaxed) {
            self.peak.fetch_max(now, Ordering::Relaxed);
        }
    }

    /// Lowers it, by no more than it was raised.
    pub fn sub(&self, less: u64) {
        self.current.fetch_sub(less, Ordering::Relaxed);
    }

    /// The current level.
    pub fn current(&self) -> u64 {
        self.current.load(Ordering::Relaxed)
    }

    /// The peak since the last [`Self::restart`].
    pub fn peak(&self) -> u64 {
        let current = self.current();
        // Another thread may be between the two steps of `add`.
        self.peak.load(Ordering::Relaxed).max(current)
    }

    /// Resets the peak to the current level.
    pub fn restart(&self) {
        self.peak.store(self.current(), Ordering::Relaxed);
    }
}

#[cfg(all(test, not(loom)))]
#[path = "level_tests.rs"]
mod tests;
