//! The hull of several address ranges: a check is cheap, and wrong only for the gaps between the ranges.

use std::sync::atomic::{AtomicUsize, Ordering};

/// A hull, which only grows. All accesses are relaxed: a thread that races with a growth has no address of the added
/// range.
pub struct Hull {
    /// The lowest address of all ranges, ...
    first: AtomicUsize,
    /// ... and the end of the highest range.
    end: AtomicUsize,
}

impl Hull {
    /// Creates a hull of no ranges.
    #[expect(clippy::new_without_default, reason = "a hull is a static value")]
    pub const fn new() -> Self {
        Self { first: AtomicUsize::new(usize::MAX), end: AtomicUsize::new(0) }
    }

    /// Adds a range.
    pub fn add(&self, first: usize, end: usize) {
        self.first.fetch_min(first, Ordering::Relaxed);
        self.end.fetch_max(end, Ordering::Relaxed);
    }

    /// Adds the ranges of another hull.
    pub fn add_all_of(&self, other: &Self) {
        self.add(other.first.load(Ordering::Relaxed), other.end.load(Ordering::Relaxed));
    }

    /// Whether no range was added yet.
    pub fn is_empty(&self) -> bool {
        self.end.load(Ordering::Relaxed) == 0
    }

    /// Whether the hull overlaps or touches this range.
    pub fn touches(&self, first: usize, end: usize) -> bool {
        self.first.load(Ordering::Relaxed) <= end && first <= self.end.load(Ordering::Relaxed)
    }

    /// Whether the hull contains this address.
    pub fn contains(&self, addr: usize) -> bool {
        self.first.load(Ordering::Relaxed) <= addr && addr < self.end.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
#[path = "hull_tests.rs"]
mod tests;
