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
    #[inline]
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
mod tests {
    use super::*;

    #[test]
    fn devices_have_together_what_the_budget_has() {
        let budget = Arc::new(Budget::new(8));
        let [a, b] = [(); 2].map(|()| Share::new(Arc::clone(&budget)));
        assert!(a.take(5) && !b.take(4) && b.take(3) && !a.take(1));
        assert_eq!((a.taken(), b.taken()), (Some((8, 5, 3)), Some((8, 3, 5))));
        a.release(5);
        assert_eq!((a.left(), b.left()), (5, 5));
        b.release(3);
        assert_eq!(budget.left(), 8);
    }

    #[test]
    fn a_closed_device_has_given_everything_back_once() {
        let budget = Arc::new(Budget::new(8));
        let share = Share::new(Arc::clone(&budget));
        assert!(share.take(5));
        share.close();
        share.close();
        share.release(5);
        assert_eq!(budget.left(), 8);
    }

    #[test]
    fn without_a_common_limit_nothing_is_counted() {
        let share = Share::new(Arc::new(Budget::new(u64::MAX)));
        assert!(share.take(5));
        assert_eq!((share.taken(), share.left()), (None, u64::MAX));
        share.release(5);
        share.close();
    }
}
