//! The bytes of device memory that nothing wrote since their allocation, as ranges.
//!
//! Ranges instead of a bit for each byte: most memory is written as a whole, so that there are few of them, and a copy
//! of gigabytes costs as much as one of a byte. Memory that is written in small pieces has many; they are limited to
//! what the bits would take.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::core::check::operation::Operation;

/// What a range takes, in bytes, with its share of operations.
const RANGE: usize = 64;
/// Memory for ranges: the memory in use by this, as for a bit for each byte.
const SHARE: usize = 8;
/// The least limit of ranges.
const LEAST_LIMIT: usize = 1 << 16;

/// Bytes that nothing wrote.
#[derive(Clone, Debug)]
pub struct Hole {
    pub addr: usize,
    pub end: usize,
    /// What allocated them.
    pub by: Arc<Operation>,
}

/// All of them.
#[derive(Default)]
pub struct Holes {
    /// By first byte.
    ranges: BTreeMap<usize, Hole>,
    /// Bytes of memory in use.
    live: usize,
    /// There were too many.
    pub is_incomplete: bool,
}

impl Holes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Memory begins, all of it a hole.
    pub fn begin(&mut self, addr: usize, len: usize, by: Arc<Operation>) {
        self.live = self.live.saturating_add(len);
        self.fill(addr, addr.saturating_add(len));
        self.add(addr, addr.saturating_add(len), by);
    }

    /// Memory ends.
    pub fn end(&mut self, addr: usize, len: usize) {
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

    /// The bytes are written.
    pub fn fill(&mut self, addr: usize, end: usize) {
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

    /// The holes in a range.
    pub fn find(&self, addr: usize, end: usize) -> impl Iterator<Item = Hole> {
        let before = self.ranges.range(..addr).next_back().filter(|(_, hole)| hole.end > addr);
        let all = before.into_iter().chain(self.ranges.range(addr..end.max(addr)));
        all.map(move |(_, it)| Hole { addr: it.addr.max(addr), end: it.end.min(end), by: Arc::clone(&it.by) })
    }

    /// Whether there are holes in a range.
    pub fn has_any(&self, addr: usize, end: usize) -> bool {
        self.find(addr, end).next().is_some()
    }

    /// Bytes are copied, holes included.
    pub fn copy(&mut self, from: usize, to: usize, len: usize) {
        let copied: Vec<Hole> = self.find(from, from + len).collect();
        self.fill(to, to + len);
        copied.into_iter().for_each(|Hole { addr, end, by }| self.add(addr - from + to, end - from + to, by));
    }

    /// Everything may be written.
    pub fn forget_all(&mut self) {
        self.ranges.clear();
    }
}

#[cfg(test)]
#[path = "holes_tests.rs"]
mod tests;
