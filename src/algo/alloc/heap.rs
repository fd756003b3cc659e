//! Manages the free and taken ranges of memory: segregated fits over two-level bins, with coalescing.
//!
//! This is bookkeeping in units only. The memory itself is never accessed, so it may be unmapped, sparse or foreign. A
//! heap divides a device's memory, slabs of pinned host memory, and memory pools.

pub mod bins;
mod regions;

use std::ops::Index;

use super::large_vec::LargeVec;
use super::prefetch::prefetch;
use bins::{Bins, bin_above, bin_of};
pub use regions::Region;

/// The end of a list: a node that is never used.
const NONE: u32 = 0;
/// The number of ranges of a bin that may not fit that are tried before a larger range is split.
const TRIES: usize = 8;
/// The maximum number of ranges and edges that one call adds.
const AT_ONCE: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Occupancy {
    Free,
    Taken,
    /// An end of a region, and no range.
    Edge,
}

/// A range of units. It is linked to its neighbours in address order, and to the ranges of its bin. It lies in one
/// cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Node<T> {
    /// The first unit.
    pub start: u64,
    /// The number of units.
    pub len: u32,
    /// The range before it, or the edge.
    pub before: u32,
    /// The range after it, or the edge.
    pub after: u32,
    previous: u32,
    /// The next range of its bin, or the next node that is not in use.
    next: u32,
    state: Occupancy,
    /// The user's data for a taken range. The user writes it before reading it: until then it is the data of the
    /// previous range with this number.
    pub of: T,
}

/// The free and taken ranges of one or more regions. A range keeps its number as long as it is taken.
pub struct Heap<T = ()> {
    nodes: LargeVec<Node<T>>,
    /// The first node that is not in use.
    vacant: u32,
    free: Bins,
}

impl<T: Copy + Default> Heap<T> {
    /// Creates a heap without memory.
    #[expect(clippy::new_without_default, reason = "a heap without memory serves no request until it gets some")]
    pub fn new() -> Self {
        let mut heap = Self { nodes: LargeVec::new(), vacant: NONE, free: Bins::new() };
        heap.new_node(0, 0, Occupancy::Edge);
        heap
    }

    /// Makes room for a call that takes a range or adds a region. Returns false, and changes nothing, if there is no
    /// memory.
    #[must_use]
    pub fn make_room(&mut self) -> bool {
        self.nodes.make_room(AT_ONCE)
    }

    /// Takes `len` units whose first is a multiple of `align` (a power of two). Returns the number with which they are
    /// freed, and the first unit.
    pub fn take(&mut self, len: u32, align: u32) -> Option<(u32, u64)> {
        let node = self.find(len, align)?;
        let start = self.nodes[node as usize].start.next_multiple_of(align.into());
        Some((self.take_at(node, start, len), start))
    }

    /// Takes `len` units from `start` on, which are in the free range `node`.
    fn take_at(&mut self, node: u32, start: u64, len: u32) -> u32 {
        let skipped = (start - self.nodes[node as usize].start) as u32;
        if skipped == 0 {
            return self.take_from(node, len);
        }
        let front = self.take_from(node, skipped);
        // The remaining units keep the number.
        let taken = self.take_from(node, len);
        self.free(front);
        taken
    }

    /// Takes the first `len` units of a free range that has them.
    #[inline(always)]
    pub fn take_from(&mut self, node: u32, len: u32) -> u32 {
        let whole = self.nodes[node as usize].len;
        if whole == len {
            self.free.remove(&mut self.nodes, node);
            self.nodes[node as usize].state = Occupancy::Taken;
            return node;
        }
        self.free.resize(&mut self.nodes, node, whole - len);
        self.new_front(node, len)
    }

    /// Creates a taken range of the `len` units before `node`, which was shortened.
    #[inline(always)]
    fn new_front(&mut self, node: u32, len: u32) -> u32 {
        let Node { start, before, .. } = self.nodes[node as usize];
        self.nodes[node as usize].start = start + u64::from(len);
        let front = self.new_node(start, len, Occupancy::Taken);
        self.chain(before, front);
        self.chain(front, node);
        front
    }

    /// Frees a range. Returns the free range that it is now part of: first unit and length.
    #[inline]
    pub fn free(&mut self, node: u32) -> (u64, u32) {
        let Node { start, len, before, after, state, .. } = self.nodes[node as usize];
        debug_assert_eq!(state, Occupancy::Taken, "freed twice");
        let whole = match (self.is_free(before), self.is_free(after)) {
            (false, false) => {
                self.nodes[node as usize].state = Occupancy::Free;
                self.free.put(&mut self.nodes, node);
                return (start, len);
            }
            (true, false) => {
                self.grow(before, self.nodes[before as usize].start, len);
                self.chain(before, after);
                before
            }
            (false, true) => {
                self.grow(after, start, len);
                self.chain(before, after);
                after
            }
            (true, true) => {
                let Node { start, len: more, before: outer, .. } = self.nodes[before as usize];
                self.free.remove(&mut self.nodes, before);
                self.vacate(before);
                self.grow(after, start, len + more);
                self.chain(outer, after);
                after
            }
        };
        self.vacate(node);
        let n = &self.nodes[whole as usize];
        (n.start, n.len)
    }

    /// Extends a free range: it begins at `start` and has `more` units more.
    #[inline]
    fn grow(&mut self, node: u32, start: u64, more: u32) {
        let len = self.nodes[node as usize].len + more;
        self.free.resize(&mut self.nodes, node, len);
        self.nodes[node as usize].start = start;
    }

    /// Splits the first `len` units off a taken range, which keeps its number and loses its bin. Returns the number of
    /// the front.
    pub fn split(&mut self, node: u32, len: u32) -> u32 {
        self.nodes[node as usize].len -= len;
        self.new_front(node, len)
    }

    /// Joins a taken range with the one after it, free or taken, whose number becomes unused.
    pub fn absorb_after(&mut self, node: u32) {
        let gone = self.nodes[node as usize].after;
        if self.is_free(gone) {
            self.free.remove(&mut self.nodes, gone);
        }
        let Node { len, after, .. } = self.nodes[gone as usize];
        self.nodes[node as usize].len += len;
        self.chain(node, after);
        self.vacate(gone);
    }

    /// Prefetches the node of a range.
    #[inline(always)]
    pub fn prefetch(&self, node: u32) {
        prefetch(&self.nodes[node as usize]);
    }

    /// Returns the user's data for a taken range, to be changed.
    pub fn of_mut(&mut self, node: u32) -> &mut T {
        &mut self.nodes[node as usize].of
    }

    /// Returns the user's data for all ranges, current and former.
    pub fn all_of(&self) -> impl Iterator<Item = &T> {
        self.nodes.iter().map(|node| &node.of)
    }

    /// Whether a range, or an edge, is free memory.
    pub fn is_free(&self, node: u32) -> bool {
        self.nodes[node as usize].state == Occupancy::Free
    }

    /// Whether a range, or an edge, is taken memory.
    pub fn is_taken(&self, node: u32) -> bool {
        self.nodes[node as usize].state == Occupancy::Taken
    }

    /// Returns the best free range for a request of `len` units, and its bin.
    #[inline(always)]
    pub fn fit(&self, len: u32) -> Option<(usize, u32)> {
        self.fit_in(&self.free, len)
    }

    /// Returns the best free range of `bins` for a request of `len` units, and its bin.
    #[inline(always)]
    pub fn fit_in(&self, bins: &Bins, len: u32) -> Option<(usize, u32)> {
        let own = bin_of(len);
        let fits = |&node: &u32| self.nodes[node as usize].len >= len;
        if let Some(node) = bins.of_bin(&self.nodes, own).take(TRIES).find(fits) {
            return Some((own, node));
        }
        let bin = bins.next_filled(own + 1)?;
        Some((bin, bins.head(bin)))
    }

    /// Takes the first `len` units of a free range, or all of it if it has fewer.
    #[inline(always)]
    pub fn take_up_to(&mut self, node: u32, len: u32) -> u32 {
        self.take_from(node, len.min(self[node].len))
    }

    /// Adds a taken range to `bins`.
    #[inline]
    pub fn sort_into(&mut self, bins: &mut Bins, node: u32) {
        bins.put(&mut self.nodes, node);
    }

    /// Removes a range from `bins`.
    #[inline]
    pub fn sort_out(&mut self, bins: &mut Bins, node: u32) {
        bins.remove(&mut self.nodes, node);
    }

    /// Returns all free ranges of at least `len` units: first unit and length.
    pub fn free_ranges(&self, len: u32) -> Vec<(u64, u32)> {
        let ranges = self.free.upwards_of(&self.nodes, bin_of(len)).map(|node| {
            let n = &self.nodes[node as usize];
            (n.start, n.len)
        });
        ranges.filter(|&(_, free)| free >= len).collect()
    }

    fn fits(&self, node: u32, len: u32, align: u32) -> bool {
        let n = &self.nodes[node as usize];
        let skipped = n.start.next_multiple_of(align.into()) - n.start;
        skipped + u64::from(len) <= u64::from(n.len)
    }

    fn find(&self, len: u32, align: u32) -> Option<u32> {
        let own = bin_of(len);
        let roomy = bin_above(len.saturating_add(align - 1)).max(own);
        let near = self.free.of_bin(&self.nodes, own).take(TRIES);
        // The heap is nearly full, so everything is searched before the request fails.
        let others = [roomy, own].into_iter().flat_map(|bin| self.free.upwards_of(&self.nodes, bin));
        near.chain(others).find(|&node| self.fits(node, len, align))
    }

    /// Links `after` as the range after `before`.
    fn chain(&mut self, before: u32, after: u32) {
        self.nodes[before as usize].after = after;
        self.nodes[after as usize].before = before;
    }

    /// Adds a node to those that are not in use.
    fn vacate(&mut self, node: u32) {
        self.nodes[node as usize].next = self.vacant;
        self.vacant = node;
    }

    #[inline]
    fn new_node(&mut self, start: u64, len: u32, state: Occupancy) -> u32 {
        if self.vacant != NONE {
            let index = self.vacant;
            let node = &mut self.nodes[index as usize];
            self.vacant = node.next;
            (node.start, node.len, node.state) = (start, len, state);
            return index;
        }
        let (before, after, previous, next) = (NONE, NONE, NONE, NONE);
        let of = T::default();
        self.nodes.push(Node { start, len, before, after, previous, next, state, of });
        (self.nodes.len() - 1) as u32
    }
}

impl<T> Index<u32> for Heap<T> {
    type Output = Node<T>;

    #[inline(always)]
    fn index(&self, node: u32) -> &Node<T> {
        &self.nodes[node as usize]
    }
}

#[cfg(test)]
#[path = "heap_tests.rs"]
mod tests;
