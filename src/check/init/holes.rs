//! The bytes of device memory that nothing wrote since their allocation, as ranges.
//!
//! Most memory is written as a whole. So there are few ranges, and a copy of gigabytes costs as much as one of a byte,
//! which would not be true for a bit per byte. Memory that is written in small blocks has many ranges; they may use as
//! much memory as the bits would.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::operation::Operation;

/// Bytes that a range takes, with its share of operations.
const RANGE: usize = 64;
/// The ranges may use the memory in use divided by this: as much as one bit for each byte.
const SHARE: usize = 8;
/// Lower bound of the limit of ranges.
const LEAST_LIMIT: usize = 1 << 16;

/// A range of bytes that nothing wrote.
#[derive(Clone, Debug)]
pub(super) struct Hole {
    pub addr: usize,
    pub end: usize,
    /// The operation that allocated them.
    pub by: Arc<Operation>,
}

/// All ranges that nothing wrote.
#[derive(Default)]
pub(super) struct Holes {
    /// The ranges, by first byte.
    ranges: BTreeMap<usize, Hole>,
    /// Bytes of memory in use.
    live: usize,
    /// True if ranges were dropped because there were too many.
    pub is_incomplete: bool,
}

impl Holes {
    /// Whether there are no ranges.
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Adds memory that begins as a hole.
    pub(super) fn begin(&mut self, addr: usize, len: usize, by: Arc<Operation>) {
        self.live = self.live.saturating_add(len);
        self.fill(addr, addr.saturating_add(len));
        self.add(addr, addr.saturating_add(len), by);
    }

    /// Removes memory that ends.
    pub(super) fn end(&mut self, addr: usize, len: usize) {
        self.live = self.live.saturating_sub(len);
        self.fill(addr, addr.saturating_add(len));
    }

    fn add(&mut self, addr: usize, end: usize, by: Arc<Operation>) {
        self.ranges.insert(addr, Hole { addr, end, by });
        if self.ranges.len() > LEAST_LIMIT.max(self.live / SHARE / RANGE) {
            self.forget_all();
            self.is_incomplete = true;
        }
    }

    /// Records that the bytes are written.
    pub(super) fn fill(&mut self, addr: usize, end: usize) {
        if let Some((_, before)) = self.ranges.range_mut(..addr).next_back()
            && before.end > addr
        {
            let behind = (before.end > end).then(|| (before.end, Arc::clone(&before.by)));
            before.end = addr;
            if let Some((last, by)) = behind {
                self.add(end, last, by);
                return;
            }
        }
        while let Some((&from, range)) = self.ranges.range(addr..end).next() {
            let last = range.end;
            let removed = self.ranges.remove(&from);
            if let Some(Hole { by, .. }) = removed.filter(|_| last > end) {
                self.add(end, last, by);
                return;
            }
        }
    }

    /// Returns the holes in a range.
    pub(super) fn find(&self, addr: usize, end: usize) -> impl Iterator<Item = Hole> {
        let before = self.ranges.range(..addr).next_back().filter(|(_, hole)| hole.end > addr);
        let all = before.into_iter().chain(self.ranges.range(addr..end.max(addr)));
        all.map(move |(_, it)| Hole { addr: it.addr.max(addr), end: it.end.min(end), by: Arc::clone(&it.by) })
    }

    /// Whether there are holes in a range.
    pub(super) fn has_any(&self, addr: usize, end: usize) -> bool {
        self.find(addr, end).next().is_some()
    }

    /// Records that bytes are copied, holes included.
    pub(super) fn copy(&mut self, from: usize, to: usize, len: usize) {
        let copied: Vec<Hole> = self.find(from, from + len).collect();
        self.fill(to, to + len);
        copied.into_iter().for_each(|Hole { addr, end, by }| self.add(addr - from + to, end - from + to, by));
    }

    /// Drops all holes, because everything may be written.
    pub(super) fn forget_all(&mut self) {
        self.ranges.clear();
    }
}

#[cfg(test)]
#[path = "holes_tests.rs"]
mod tests;
