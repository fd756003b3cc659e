//! Regions of a heap: neighbouring memory that is added, removed, joined and cut.

use super::bins::bin_of;
use super::{Heap, Node, State};

/// Neighbouring memory, by its two edges. Ranges of different regions never merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    first: u32,
    last: u32,
}

impl<T: Copy + Default> Heap<T> {
    /// Adds `len` free units from `start` on, as a separate region.
    pub fn add_region(&mut self, start: u64, len: u32) -> Region {
        let first = self.new_node(start, 0, State::Edge);
        let last = self.new_node(start + u64::from(len), 0, State::Edge);
        let node = self.new_node(start, len, State::Free);
        self.chain(first, node);
        self.chain(node, last);
        self.free.put(&mut self.nodes, node);
        Region { first, last }
    }

    /// Removes a region. Returns false if it is not entirely free.
    pub fn remove_region(&mut self, start: u64, len: u32) -> bool {
        let edge = |node: u32| self.nodes[node as usize].state == State::Edge;
        let whole = |&node: &u32| {
            let n = &self.nodes[node as usize];
            n.start == start && n.len == len && edge(n.before) && edge(n.after)
        };
        let Some(node) = self.free.of_bin(&self.nodes, bin_of(len)).find(whole) else {
            return false;
        };
        let Node { before, after, .. } = self.nodes[node as usize];
        self.free.remove(&mut self.nodes, node);
        self.vacant.extend([node, before, after]);
        true
    }

    /// Joins two regions of which the second begins where the first ends.
    pub fn join(&mut self, left: Region, right: Region) -> Region {
        let before = self.nodes[left.last as usize].before;
        let after = self.nodes[right.first as usize].after;
        self.vacant.extend([left.last, right.first]);
        self.chain(before, after);
        if self.is_free(before) && self.is_free(after) {
            self.free.remove(&mut self.nodes, before);
            self.nodes[before as usize].state = State::Taken;
            self.free(before);
        }
        Region { first: left.first, last: right.last }
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
        self.vacant.push(node);
        let left = if before == region.first {
            self.vacant.push(before);
            None
        } else {
            let last = self.new_node(start, 0, State::Edge);
            self.chain(before, last);
            Some(Region { first: region.first, last })
        };
        let right = if after == region.last {
            self.vacant.push(after);
            None
        } else {
            let first = self.new_node(start + u64::from(len), 0, State::Edge);
            self.chain(first, after);
            Some(Region { first, last: region.last })
        };
        (left, right)
    }

    /// Calls `each` for every range of a region, in order; panics if ranges are not contiguous, or if free ones are
    /// adjacent or not in their bin. For checks.
    pub fn check(&self, region: Region, mut each: impl FnMut(u32)) {
        let mut before = region.first;
        let mut node = self[before].after;
        while node != region.last {
            let n = &self.nodes[node as usize];
            assert_eq!((n.before, n.start), (before, self.end_of(before)));
            assert!(n.len != 0 && n.state != State::Edge);
            if n.state == State::Free {
                assert!(!self.is_free(before), "free ranges side by side");
                let mut bin = self.free.of_bin(&self.nodes, bin_of(n.len));
                assert!(bin.any(|other| other == node), "a free range outside its bin");
            }
            each(node);
            (before, node) = (node, n.after);
        }
        let last = &self.nodes[node as usize];
        assert_eq!((last.before, last.start), (before, self.end_of(before)));
    }

    fn end_of(&self, node: u32) -> u64 {
        self[node].start + u64::from(self[node].len)
    }
}
