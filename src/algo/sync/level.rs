//! A level and its peak, counted without a lock.

use crate::sync::primitives::atomic::{AtomicU64, Ordering};

/// The current level, and its peak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The current level.
    pub current: u64,
    /// The peak so far, or since the last [`Level::restart`].
    pub peak: u64,
}

/// A level, initially 0.
#[derive(Default)]
pub struct Level {
    current: AtomicU64,
    peak: AtomicU64,
}

impl Level {
    /// Raises the level.
    pub fn add(&self, more: usize) {
        let now = self.current.fetch_add(more as u64, Ordering::Relaxed) + more as u64;
        // The level is mostly below an earlier peak, and then nothing is written.
        if now > self.peak.load(Ordering::Relaxed) {
            self.peak.fetch_max(now, Ordering::Relaxed);
        }
    }

    /// Lowers the level, by at most what it was raised.
    pub fn sub(&self, less: usize) {
        self.current.fetch_sub(less as u64, Ordering::Relaxed);
    }

    /// Returns the current level, and the peak.
    pub fn read(&self) -> Usage {
        let current = self.current.load(Ordering::Relaxed);
        // Another thread may be between the two steps of `add`.
        Usage { current, peak: self.peak.load(Ordering::Relaxed).max(current) }
    }

    /// Resets the peak to the current level.
    pub fn restart(&self) {
        self.peak.store(self.current.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

#[cfg(all(test, not(loom)))]
#[path = "level_tests.rs"]
mod tests;
