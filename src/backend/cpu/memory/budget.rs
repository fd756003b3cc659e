//! The memory that devices have taken of the machine's, in total.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number of bytes for all devices of a process.
pub struct Budget {
    /// `u64::MAX`: each device has only its private memory.
    most: u64,
    used: AtomicU64,
}

impl Budget {
    pub fn new(most: u64) -> Self {
        Self { most, used: AtomicU64::new(0) }
    }

    /// Bytes that are not taken.
    pub fn left(&self) -> u64 {
        self.most - self.used.load(Ordering::Relaxed)
    }

    /// All bytes; `None`: there is no common limit.
    pub fn most(&self) -> Option<u64> {
        (self.most != u64::MAX).then_some(self.most)
    }

    /// Takes bytes; false: there are too few, and none are taken.
    pub fn take(&self, len: u64) -> bool {
        self.most == u64::MAX || self.take_counted(len)
    }

    fn take_counted(&self, len: u64) -> bool {
        // Relaxed: only a number, which publishes nothing else.
        let add = |used: u64| used.checked_add(len).filter(|sum| *sum <= self.most);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok()
    }

    /// Releases taken bytes.
    #[inline]
    pub fn release(&self, len: u64) {
        if self.most != u64::MAX {
            self.used.fetch_sub(len, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
