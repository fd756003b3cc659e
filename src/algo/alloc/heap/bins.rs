//! Lists of ranges by length: sixteen lengths per power of two, and a bit for each list that is not empty.
//!
//! Lengths are nearly random, and so would be most branches: a misprediction costs as much as everything else here. So
//! there are few branches. Lists end at node 0, which is never used and absorbs the writes that would need a check at a
//! list's end.

use super::{NONE, Node};

/// The logarithm of the number of bins per power of two. More bins waste less by rounding up; 16 keep the waste below 6
/// percent.
const SPLIT_BITS: u32 = 4;
const SPLIT: u32 = 1 << SPLIT_BITS;
const ROWS: usize = (32 - SPLIT_BITS + 1) as usize;
const BINS: usize = ROWS * SPLIT as usize;

/// Returns the bin that holds ranges of `len` units.
pub const fn bin_of(len: u32) -> usize {
    // Lengths below SPLIT have a bin each.
    let shift = (32 - SPLIT_BITS - 1).saturating_sub((len | 1).leading_zeros());
    (shift * SPLIT + (len >> shift)) as usize
}

/// Returns the first bin of which every range has at least `len` units.
pub fn bin_above(len: u32) -> usize {
    let shift = (32 - SPLIT_BITS - 1).saturating_sub((len | 1).leading_zeros());
    bin_of(len) + usize::from(len & ((1 << shift) - 1) != 0)
}

/// The ranges of a heap in lists by length. A range is in at most one list: of free ranges, or of taken ranges that the
/// user sorts.
pub struct Bins {
    /// The first range of each bin.
    heads: [u32; BINS],
    /// The rows of `filled` that are not 0, one bit each.
    rows: u32,
    /// The bins of a power of two that are not empty, one bit each.
    filled: [u32; ROWS],
}

impl Bins {
    /// Creates empty lists.
    #[expect(clippy::new_without_default, reason = "only a heap creates its bins")]
    pub fn new() -> Self {
        Self { heads: [NONE; BINS], rows: 0, filled: [0; ROWS] }
    }

    #[inline]
    pub(super) fn put<T>(&mut self, nodes: &mut [Node<T>], node: u32) {
        let bin = bin_of(nodes[node as usize].len);
        let head = std::mem::replace(&mut self.heads[bin], node);
        nodes[head as usize].previous = node;
        let n = &mut nodes[node as usize];
        (n.previous, n.next) = (NONE, head);
        let row = bin / SPLIT as usize;
        self.filled[row] |= 1 << (bin % SPLIT as usize);
        self.rows |= 1 << row;
    }

    #[inline]
    pub(super) fn remove<T>(&mut self, nodes: &mut [Node<T>], node: u32) {
        let Node { previous, next, len, .. } = nodes[node as usize];
        nodes[next as usize].previous = previous;
        nodes[previous as usize].next = next;
        let bin = bin_of(len);
        let head = &mut self.heads[bin];
        *head = if previous == NONE { next } else { *head };
        let empty = u32::from(*head == NONE);
        let row = bin / SPLIT as usize;
        self.filled[row] &= !(empty << (bin % SPLIT as usize));
        self.rows &= !(u32::from(self.filled[row] == 0) << row);
    }

    /// Changes the length of a range.
    #[inline(always)]
    pub(super) fn resize<T>(&mut self, nodes: &mut [Node<T>], node: u32, len: u32) {
        // A range that is shortened mostly stays in its bin.
        if bin_of(nodes[node as usize].len) == bin_of(len) {
            nodes[node as usize].len = len;
        } else {
            self.resize_across(nodes, node, len);
        }
    }

    /// Changes the length of a range, and moves the range to the bin of its new length.
    #[inline(never)]
    fn resize_across<T>(&mut self, nodes: &mut [Node<T>], node: u32, len: u32) {
        self.remove(nodes, node);
        nodes[node as usize].len = len;
        self.put(nodes, node);
    }

    /// Returns the first bin from this one on that is not empty.
    #[inline]
    pub(super) fn next_filled(&self, bin: usize) -> Option<usize> {
        let row = bin / SPLIT as usize;
        let here = self.filled.get(row)? & (u32::MAX << (bin % SPLIT as usize));
        let rows = self.rows & !(u32::MAX >> (31 - row));
        if here | rows == 0 {
            return None;
        }
        let row = if here == 0 { rows.trailing_zeros() as usize } else { row };
        let bits = if here == 0 { self.filled[row] } else { here };
        Some(row * SPLIT as usize + bits.trailing_zeros() as usize)
    }

    pub(super) fn head(&self, bin: usize) -> u32 {
        self.heads[bin]
    }

    /// Returns all ranges of a bin.
    pub(super) fn of_bin<'a, T>(&'a self, nodes: &'a [Node<T>], bin: usize) -> impl Iterator<Item = u32> + 'a {
        let step = |node: u32| (node != NONE).then_some(node);
        std::iter::successors(step(self.heads[bin]), move |&node| step(nodes[node as usize].next))
    }

    /// Returns all ranges from this bin on.
    pub(super) fn upwards_of<'a, T>(&'a self, nodes: &'a [Node<T>], bin: usize) -> impl Iterator<Item = u32> + 'a {
        let next = move |&bin: &usize| self.next_filled(bin + 1);
        std::iter::successors(self.next_filled(bin), next).flat_map(|bin| self.of_bin(nodes, bin))
    }
}

#[cfg(test)]
#[path = "bins_tests.rs"]
mod tests;
