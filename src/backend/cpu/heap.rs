//! Which parts of a range are free: segregated fits over two-level bins, with coalescing.
//!
//! Pure bookkeeping in units; the memory itself is never touched, so it may be unmapped, sparse
//! or somebody else's. Both kinds of memory use it: a device's, and slabs of pinned host memory.

const NONE: u32 = u32::MAX;
/// Bins per power of two. More waste less on rounding up; 16 keeps it below 6 per cent.
const SPLIT_BITS: u32 = 4;
const SPLIT: u32 = 1 << SPLIT_BITS;
const BINS: usize = ((32 - SPLIT_BITS + 1) * SPLIT) as usize;
/// How many ranges of a bin that need not fit are tried before a larger one is broken.
const TRIES: usize = 8;

/// A range of units, free or taken. Neighbours in address order are linked, and so are the free
/// ranges of a bin.
#[derive(Clone, Copy)]
struct Node {
    start: u32,
    len: u32,
    before: u32,
    after: u32,
    previous: u32,
    next: u32,
    free: bool,
}

/// The free and taken ranges of one or more regions. Ranges of different regions never merge.
pub(super) struct Heap {
    nodes: Vec<Node>,
    /// Entries of `nodes` that are not in use.
    vacant: Vec<u32>,
    /// First free range of each bin.
    heads: [u32; BINS],
    /// A bit for each bin that is not empty.
    filled: [u64; BINS.div_ceil(64)],
}

/// The bin that holds free ranges of `len` units.
fn bin_of(len: u32) -> usize {
    if len < SPLIT {
        return len as usize;
    }
    let power = 31 - len.leading_zeros();
    let split = (len >> (power - SPLIT_BITS)) & (SPLIT - 1);
    ((power - SPLIT_BITS + 1) * SPLIT + split) as usize
}

/// The first bin whose every range has at least `len` units.
fn bin_above(len: u32) -> usize {
    if len < SPLIT {
        return len as usize;
    }
    let power = 31 - len.leading_zeros();
    let exact = len & ((1 << (power - SPLIT_BITS)) - 1) == 0;
    bin_of(len) + usize::from(!exact)
}

impl Heap {
    /// A heap without memory.
    pub(super) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            vacant: Vec::new(),
            heads: [NONE; BINS],
            filled: [0; BINS.div_ceil(64)],
        }
    }

    /// Adds `len` free units from `start` on, apart from all others.
    pub(super) fn add_region(&mut self, start: u32, len: u32) {
        let node = self.new_node(Node {
            start,
            len,
            before: NONE,
            after: NONE,
            previous: NONE,
            next: NONE,
            free: true,
        });
        self.link(node);
    }

    /// Takes a region out again. It must be entirely free: then true.
    pub(super) fn remove_region(&mut self, start: u32, len: u32) -> bool {
        let mut node = self.heads[bin_of(len)];
        while node != NONE {
            let n = self.nodes[node as usize];
            if n.start == start && n.len == len && n.before == NONE && n.after == NONE {
                self.unlink(node);
                self.vacant.push(node);
                return true;
            }
            node = n.next;
        }
        false
    }

    /// Takes `len` units whose first is a multiple of `align` (a power of two): the number to
    /// give them back with, and the first unit.
    pub(super) fn take(&mut self, len: u32, align: u32) -> Option<(u32, u32)> {
        let node = self.find(len, align)?;
        let n = self.nodes[node as usize];
        let start = n.start.next_multiple_of(align);
        self.unlink(node);
        if start > n.start {
            self.split_front(node, start - n.start);
        }
        if self.nodes[node as usize].len > len {
            self.split_back(node, len);
        }
        self.nodes[node as usize].free = false;
        Some((node, start))
    }

    /// Gives a range back. Answers the free range it is now part of: first unit and length.
    pub(super) fn give(&mut self, mut node: u32) -> (u32, u32) {
        debug_assert!(!self.nodes[node as usize].free, "given back twice");
        let Node { before, after, .. } = self.nodes[node as usize];
        if after != NONE && self.nodes[after as usize].free {
            self.unlink(after);
            self.absorb_next(node);
        }
        if before != NONE && self.nodes[before as usize].free {
            self.unlink(before);
            self.absorb_next(before);
            node = before;
        }
        self.nodes[node as usize].free = true;
        self.link(node);
        let n = self.nodes[node as usize];
        (n.start, n.len)
    }

    /// The length of a taken range.
    pub(super) fn len_of(&self, node: u32) -> u32 {
        self.nodes[node as usize].len
    }

    /// All free ranges of at least `len` units: first unit and length.
    pub(super) fn free_ranges(&self, len: u32) -> Vec<(u32, u32)> {
        let mut ranges = Vec::new();
        let mut bin = bin_of(len);
        while let Some(filled) = self.next_filled(bin) {
            let mut node = self.heads[filled];
            while node != NONE {
                let n = self.nodes[node as usize];
                if n.len >= len {
                    ranges.push((n.start, n.len));
                }
                node = n.next;
            }
            bin = filled + 1;
        }
        ranges
    }

    fn fits(&self, node: u32, len: u32, align: u32) -> bool {
        let n = &self.nodes[node as usize];
        let skipped = u64::from(n.start.next_multiple_of(align) - n.start);
        skipped + u64::from(len) <= u64::from(n.len)
    }

    fn find(&self, len: u32, align: u32) -> Option<u32> {
        let own = bin_of(len);
        if let Some(node) = self.scan(own, len, align, TRIES) {
            return Some(node);
        }
        let roomy = len.saturating_add(align - 1);
        if let Some(bin) = self.next_filled(bin_above(roomy).max(own))
            && let Some(node) = self.scan(bin, len, align, TRIES)
        {
            return Some(node);
        }
        // Nearly full: look at everything before saying no.
        let mut bin = own;
        while let Some(filled) = self.next_filled(bin) {
            if let Some(node) = self.scan(filled, len, align, usize::MAX) {
                return Some(node);
            }
            bin = filled + 1;
        }
        None
    }

    fn scan(&self, bin: usize, len: u32, align: u32, tries: usize) -> Option<u32> {
        let mut node = self.heads[bin];
        for _ in 0..tries {
            if node == NONE {
                return None;
            }
            if self.fits(node, len, align) {
                return Some(node);
            }
            node = self.nodes[node as usize].next;
        }
        None
    }

    fn next_filled(&self, bin: usize) -> Option<usize> {
        let mut word = bin / 64;
        let mut bits = self.filled.get(word)? & (u64::MAX << (bin % 64));
        while bits == 0 {
            word += 1;
            bits = *self.filled.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    fn new_node(&mut self, node: Node) -> u32 {
        if let Some(index) = self.vacant.pop() {
            self.nodes[index as usize] = node;
            return index;
        }
        self.nodes.push(node);
        (self.nodes.len() - 1) as u32
    }

    fn link(&mut self, node: u32) {
        let bin = bin_of(self.nodes[node as usize].len);
        let head = self.heads[bin];
        if head != NONE {
            self.nodes[head as usize].previous = node;
        }
        self.nodes[node as usize].previous = NONE;
        self.nodes[node as usize].next = head;
        self.heads[bin] = node;
        self.filled[bin / 64] |= 1 << (bin % 64);
    }

    fn unlink(&mut self, node: u32) {
        let Node { previous, next, len, .. } = self.nodes[node as usize];
        if next != NONE {
            self.nodes[next as usize].previous = previous;
        }
        if previous != NONE {
            self.nodes[previous as usize].next = next;
            return;
        }
        let bin = bin_of(len);
        self.heads[bin] = next;
        if next == NONE {
            self.filled[bin / 64] &= !(1 << (bin % 64));
        }
    }

    /// Cuts the first `len` units off an unlinked range and makes them a free range of their own.
    fn split_front(&mut self, node: u32, len: u32) {
        let n = self.nodes[node as usize];
        let front = self.new_node(Node { len, after: node, free: true, ..n });
        if n.before != NONE {
            self.nodes[n.before as usize].after = front;
        }
        let rest = &mut self.nodes[node as usize];
        rest.start += len;
        rest.len -= len;
        rest.before = front;
        self.link(front);
    }

    /// Cuts an unlinked range down to `len` units; what is cut off becomes free.
    fn split_back(&mut self, node: u32, len: u32) {
        let n = self.nodes[node as usize];
        let back = self.new_node(Node {
            start: n.start + len,
            len: n.len - len,
            before: node,
            free: true,
            ..n
        });
        if n.after != NONE {
            self.nodes[n.after as usize].before = back;
        }
        let front = &mut self.nodes[node as usize];
        front.len = len;
        front.after = back;
        self.link(back);
    }

    /// Joins an unlinked range with the unlinked one behind it.
    fn absorb_next(&mut self, node: u32) {
        let gone = self.nodes[node as usize].after;
        let Node { len, after, .. } = self.nodes[gone as usize];
        let kept = &mut self.nodes[node as usize];
        kept.len += len;
        kept.after = after;
        if after != NONE {
            self.nodes[after as usize].before = node;
        }
        self.vacant.push(gone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bins_are_monotone_and_cover_all_lengths() {
        let mut last = 0;
        for len in (1..5000).chain([1 << 20, (1 << 20) + 1, u32::MAX - 1, u32::MAX]) {
            let bin = bin_of(len);
            assert!(bin >= last && bin < BINS, "{len}");
            assert!(bin_above(len) == bin || bin_above(len) == bin + 1);
            last = bin;
        }
    }

    #[test]
    fn everything_can_be_taken_and_comes_back_as_one() {
        let mut heap = Heap::new();
        heap.add_region(0, 1000);
        let taken: Vec<_> = std::iter::from_fn(|| heap.take(1, 1)).collect();
        assert_eq!(taken.len(), 1000);
        for (node, _) in taken {
            heap.give(node);
        }
        assert_eq!(heap.free_ranges(1), [(0, 1000)]);
    }

    #[test]
    fn aligned_takes_find_the_last_hole() {
        let mut heap = Heap::new();
        heap.add_region(0, 2048);
        let (first, _) = heap.take(1, 1).unwrap();
        let starts: Vec<_> =
            std::iter::from_fn(|| heap.take(512, 512)).map(|(_, start)| start).collect();
        assert_eq!(starts.len(), 3);
        assert!(starts.iter().all(|start| start % 512 == 0));
        heap.give(first);
        assert_eq!(heap.take(512, 512).map(|(_, start)| start), Some(0));
    }

    #[test]
    fn regions_do_not_merge() {
        let mut heap = Heap::new();
        heap.add_region(0, 512);
        heap.add_region(512, 512);
        assert!(heap.take(513, 1).is_none());
        let (node, start) = heap.take(512, 1).unwrap();
        assert_eq!(heap.give(node), (start, 512));
        assert!(heap.remove_region(start, 512));
        assert!(!heap.remove_region(start, 512));
    }

    proptest! {
        /// Any order of takes and gives: ranges never overlap, stay inside, keep their alignment,
        /// and at the end everything is one free range again.
        #[test]
        fn takes_never_overlap(
            steps in prop::collection::vec((any::<bool>(), 1u32..700, 0u32..10, any::<u16>()), 1..200),
        ) {
            let mut heap = Heap::new();
            heap.add_region(0, 8192);
            let mut live: Vec<(u32, u32, u32)> = Vec::new();
            for (take, len, power, pick) in steps {
                if take {
                    if let Some((node, start)) = heap.take(len, 1 << power) {
                        prop_assert_eq!(start % (1 << power), 0);
                        prop_assert!(start + len <= 8192);
                        prop_assert_eq!(heap.len_of(node), len);
                        for &(_, other, other_len) in &live {
                            prop_assert!(start + len <= other || other + other_len <= start);
                        }
                        live.push((node, start, len));
                    }
                } else if !live.is_empty() {
                    let (node, ..) = live.swap_remove(pick as usize % live.len());
                    heap.give(node);
                }
            }
            for (node, ..) in live {
                heap.give(node);
            }
            prop_assert_eq!(heap.free_ranges(1), vec![(0, 8192)]);
        }
    }
}
