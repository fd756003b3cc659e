//! Regions of a heap: neighbouring memory that is added, removed, joined and cut.

use super::bins::bin_of;
use super::{Heap, Node, Occupancy};

/// A region of neighbouring memory, named by its edge. The edge is before its first range and after its last one, so
/// that ranges of different regions never merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region(u32);

impl<T: Copy + Default> Heap<T> {
    /// Adds `len` free units from `start` on, as a separate region.
    pub fn add_region(&mut self, start: u64, len: u32) -> Region {
        let edge = self.new_node(start, 0, Occupancy::Edge);
        let node = self.new_node(start, len, Occupancy::Free);
        self.chain(edge, node);
        self.chain(node, edge);
        self.free.put(&mut self.nodes, node);
        Region(edge)
    }

    /// Removes a region. Returns false if it is not entirely free.
    pub fn remove_region(&mut self, start: u64, len: u32) -> bool {
        let whole = |&node: &u32| {
            let n = &self.nodes[node as usize];
            // Only the edge is both before and after a range.
            n.start == start && n.len == len && n.before == n.after
        };
        let Some(node) = self.free.of_bin(&self.nodes, bin_of(len)).find(whole) else {
            return false;
        };
        self.free.remove(&mut self.nodes, node);
        self.vacate(self[node].after);
        self.vacate(node);
        true
    }

    /// Joins two regions. The second begins where the first ends.
    pub fn join(&mut self, left: Region, right: Region) -> Region {
        let before = self[left.0].before;
        let Node { before: last, after, .. } = self[right.0];
        self.vacate(right.0);
        self.chain(before, after);
        self.chain(last, left.0);
        if self.is_free(before) && self.is_free(after) {
            self.free.remove(&mut self.nodes, before);
            self.nodes[before as usize].state = Occupancy::Taken;
            self.free(before);
        }
        left
    }

    /// Removes `len` free units from `start` on from a region. Returns what is left before and after them.
    pub fn cut_out(&mut self, region: Region, start: u64, len: u32) -> (Option<Region>, Option<Region>) {
        let inside = |&node: &u32| {
            let n = &self.nodes[node as usize];
            n.start <= start && start + u64::from(len) <= n.start + u64::from(n.len)
        };
        let node = self.free.upwards_of(&self.nodes, bin_of(len)).find(inside);
        let node = node.expect("what is cut out is free");
        let node = self.take_at(node, start, len);
        let Node { before, after, .. } = self.nodes[node as usize];
        self.vacate(node);
        let Region(edge) = region;
        let last = self[edge].before;
        let left = (before != edge).then_some(region);
        match left {
            Some(_) => self.chain(before, edge),
            None => self.vacate(edge),
        }
        let right = (after != edge).then(|| self.new_node(start + u64::from(len), 0, Occupancy::Edge));
        if let Some(edge) = right {
            self.chain(edge, after);
            self.chain(last, edge);
        }
        (left, right.map(Region))
    }

    /// Calls `each` for every range of a region, in order. Panics if ranges are not contiguous, or if free ones are
    /// adjacent or not in their bin. Tests and debug builds use this.
    pub fn check(&self, region: Region, mut each: impl FnMut(u32)) {
        let mut before = region.0;
        let mut node = self[before].after;
        while node != region.0 {
            let n = &self.nodes[node as usize];
            assert_eq!((n.before, n.start), (before, self[before].start + u64::from(self[before].len)));
            assert!(n.len != 0 && n.state != Occupancy::Edge);
            if n.state == Occupancy::Free {
                assert!(!self.is_free(before), "free ranges side by side");
                let mut bin = self.free.of_bin(&self.nodes, bin_of(n.len));
                assert!(bin.any(|other| other == node), "a free range outside its bin");
            }
            each(node);
            (before, node) = (node, n.after);
        }
        assert_eq!(self[node].before, before);
    }
}
