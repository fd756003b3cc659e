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
mod tests {
    use super::*;

    #[test]
    fn the_peak_stays_until_it_begins_again() {
        let level = Level::default();
        assert_eq!((level.current(), level.peak()), (0, 0));
        level.add(100);
        level.add(50);
        level.sub(100);
        assert_eq!((level.current(), level.peak()), (50, 150));
        level.add(99);
        assert_eq!((level.current(), level.peak()), (149, 150));
        level.restart();
        assert_eq!(level.peak(), 149);
        level.sub(149);
        level.add(1);
        assert_eq!((level.current(), level.peak()), (1, 149));
    }

    #[test]
    fn threads_lose_nothing() {
        let level = Level::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        level.add(3);
                        level.sub(2);
                    }
                });
            }
        });
        assert_eq!(level.current(), 40_000);
        assert!((40_000..=40_000 + 4 * 3).contains(&level.peak()));
    }
}
