//! The share of one device in the memory of all devices.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::backend::cpu::memory::budget::Budget;

pub(super) struct Share {
    budget: Arc<Budget>,
    /// Bytes of the budget; 0 without a common limit.
    taken: AtomicU64,
}

impl Share {
    /// Of a new device.
    pub(super) fn new(budget: Arc<Budget>) -> Self {
        Self { budget, taken: AtomicU64::new(0) }
    }

    /// Takes bytes; false: the other devices have left too little.
    pub(super) fn take(&self, len: u64) -> bool {
        self.budget.most().is_none() || self.take_counted(len)
    }

    fn take_counted(&self, len: u64) -> bool {
        let is_taken = self.budget.take(len);
        if is_taken {
            self.taken.fetch_add(len, Ordering::Relaxed);
        }
        is_taken
    }

    /// Releases bytes, unless all of the device's were released.
    #[inline]
    pub(super) fn release(&self, len: u64) {
        if self.budget.most().is_some() {
            self.release_counted(len);
        }
    }

    fn release_counted(&self, len: u64) {
        let less = |taken: u64| taken.checked_sub(len);
        if self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok() {
            self.budget.release(len);
        }
    }

    /// Releases all bytes that are still taken.
    pub(super) fn close(&self) {
        self.budget.release(self.taken.swap(0, Ordering::Relaxed));
    }

    /// Bytes that all devices can still have.
    pub(super) fn left(&self) -> u64 {
        self.budget.left()
    }

    /// If devices share their memory: all of it, and what this device and the others have taken.
    pub(super) fn taken(&self) -> Option<(u64, u64, u64)> {
        let most = self.budget.most()?;
        let own = self.taken.load(Ordering::Relaxed);
        Some((most, own, (most - self.budget.left()).saturating_sub(own)))
    }
}

#[cfg(test)]
#[path = "share_tests.rs"]
mod tests;
