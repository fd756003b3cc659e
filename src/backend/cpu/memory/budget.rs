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
    #[inline]
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
mod tests {
    use super::*;

    #[test]
    fn it_gives_no_more_than_there_is() {
        let budget = Budget::new(100);
        assert!(budget.take(60) && !budget.take(41) && budget.take(40));
        assert!(!budget.take(1) && !budget.take(u64::MAX));
        assert_eq!((budget.left(), budget.most()), (0, Some(100)));
        budget.release(60);
        assert_eq!(budget.left(), 60);
        assert!(budget.take(60));
    }

    #[test]
    fn without_a_common_limit_nothing_is_counted() {
        let budget = Budget::new(u64::MAX);
        assert!(budget.take(u64::MAX) && budget.take(u64::MAX));
        assert_eq!((budget.left(), budget.most()), (u64::MAX, None));
    }

    #[test]
    fn threads_never_have_more_together() {
        let budget = Budget::new(1000);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for len in 1..1000 {
                        if budget.take(len) {
                            assert!(budget.used.load(Ordering::Relaxed) <= 1000);
                            budget.release(len);
                        }
                    }
                });
            }
        });
        assert_eq!(budget.left(), 1000);
    }
}
