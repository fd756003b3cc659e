//! The bytes that blocks take, and counting them.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that are in use, and the most that were since the device was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Now.
    pub current: u64,
    /// At the worst moment so far.
    pub peak: u64,
}

/// What the blocks of a device take. Those that were freed count until the last operation that
/// uses them has finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUsage {
    /// From [`super::Device::alloc`].
    pub device: Usage,
    /// From [`super::Device::alloc_managed`].
    pub managed: Usage,
    /// Pages of 2 MiB that were wanted and could not be had, since the device was opened.
    pub huge_page_fallbacks: u64,
}

/// Bytes in use, and the most that were. Counts without a lock.
#[derive(Default)]
pub(super) struct Counter {
    current: AtomicU64,
    peak: AtomicU64,
}

impl Counter {
    pub(super) fn add(&self, len: usize) {
        let now = self.current.fetch_add(len as u64, Ordering::Relaxed) + len as u64;
        // Mostly it is below an earlier one, and then nothing is written.
        if now > self.peak.load(Ordering::Relaxed) {
            self.peak.fetch_max(now, Ordering::Relaxed);
        }
    }

    pub(super) fn sub(&self, len: usize) {
        self.current.fetch_sub(len as u64, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> Usage {
        let current = self.current.load(Ordering::Relaxed);
        // Another thread may be between the two steps of `add`.
        Usage { current, peak: self.peak.load(Ordering::Relaxed).max(current) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_stays() {
        let counter = Counter::default();
        assert_eq!(counter.read(), Usage { current: 0, peak: 0 });
        counter.add(100);
        counter.add(50);
        counter.sub(100);
        assert_eq!(counter.read(), Usage { current: 50, peak: 150 });
        counter.add(99);
        assert_eq!(counter.read(), Usage { current: 149, peak: 150 });
    }
}
