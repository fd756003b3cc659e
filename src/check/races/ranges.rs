//! Ranges of memory that do not overlap, sorted by first byte.

use std::collections::BTreeMap;
use std::ops;

use rustc_hash::FxHashMap;

use super::operations::Use;

/// A range of bytes with the same uses.
#[derive(Clone, Debug)]
pub(super) struct UsedRange {
    pub from: usize,
    pub end: usize,
    /// The first use. Most ranges have only this one.
    first: Use,
    more: Vec<Use>,
}

impl UsedRange {
    pub(super) fn new(from: usize, end: usize, first: Use) -> Self {
        Self { from, end, first, more: Vec::new() }
    }

    /// Returns the part of the range that begins at this byte.
    pub(super) fn behind(self, from: usize) -> Self {
        Self { from, ..self }
    }

    pub(super) fn uses(&self) -> impl Iterator<Item = &Use> {
        std::iter::once(&self.first).chain(&self.more)
    }

    pub(super) fn uses_mut(&mut self) -> impl Iterator<Item = &mut Use> {
        std::iter::once(&mut self.first).chain(&mut self.more)
    }

    /// Returns the number of uses beyond the first.
    pub(super) fn more_uses(&self) -> usize {
        self.more.len()
    }

    /// Adds a use, and drops the uses for which `stays` is false.
    pub(super) fn add(&mut self, added: Use, stays: impl Fn(&Use) -> bool) {
        self.more.retain(&stays);
        if stays(&self.first) {
            self.more.push(added);
        } else {
            self.first = added;
        }
    }

    /// Replaces all uses by this one.
    pub(super) fn replace(&mut self, only: Use) {
        self.first = only;
        self.more.clear();
    }

    /// Drops the uses for which `stays` is false. Returns false if none is left.
    pub(super) fn retain(&mut self, stays: impl Fn(&Use) -> bool) -> bool {
        self.more.retain(&stays);
        if stays(&self.first) {
            return true;
        }
        let next = self.more.pop();
        next.map(|next| self.first = next).is_some()
    }
}

/// The index of a range in `all`.
type Index = u32;

/// All ranges. Most programs use the same ranges again and again; a hash table finds these. The tree finds other
/// ranges.
#[derive(Default)]
pub(super) struct Ranges {
    /// The indices, by first byte.
    tree: BTreeMap<usize, Index>,
    /// The same indices in a hash table.
    places: FxHashMap<usize, Index>,
    all: Vec<UsedRange>,
    /// Indices in `all` that hold no range.
    vacant: Vec<Index>,
}

impl Ranges {
    pub(super) fn len(&self) -> usize {
        self.tree.len()
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the range that begins at this byte.
    #[inline]
    pub(super) fn at(&mut self, from: usize) -> Option<&mut UsedRange> {
        let &index = self.places.get(&from)?;
        self.all.get_mut(index as usize)
    }

    /// Returns the last range that begins before this byte.
    pub(super) fn last_before(&mut self, addr: usize) -> Option<&mut UsedRange> {
        let (_, &index) = self.tree.range(..addr).next_back()?;
        self.all.get_mut(index as usize)
    }

    /// Returns the ranges that begin within these bytes.
    pub(super) fn within(&self, bytes: ops::Range<usize>) -> impl Iterator<Item = &UsedRange> {
        self.tree.range(bytes).map(|(_, &index)| &self.all[index as usize])
    }

    /// Returns the ranges that contain some of these bytes.
    pub(super) fn overlapping(&self, addr: usize, end: usize) -> impl Iterator<Item = &UsedRange> {
        let before = self.tree.range(..addr).next_back().map(|(_, &index)| &self.all[index as usize]);
        before.filter(|range| range.end > addr).into_iter().chain(self.within(addr..end))
    }

    /// Changes the ranges that begin within these bytes.
    pub(super) fn change_within(&mut self, bytes: ops::Range<usize>, mut change: impl FnMut(&mut UsedRange)) {
        let Self { tree, all, .. } = self;
        tree.range(bytes).for_each(|(_, &index)| change(&mut all[index as usize]));
    }

    /// Adds a range. No range begins at its first byte.
    pub(super) fn insert(&mut self, range: UsedRange) {
        let from = range.from;
        let index = match self.vacant.pop() {
            Some(index) => {
                self.all[index as usize] = range;
                index
            }
            None => {
                self.all.push(range);
                (self.all.len() - 1) as Index
            }
        };
        self.tree.insert(from, index);
        self.places.insert(from, index);
    }

    /// Removes the ranges that begin within these bytes. Returns the last one.
    pub(super) fn remove_within(&mut self, bytes: ops::Range<usize>) -> Option<UsedRange> {
        let Self { tree, places, all, vacant } = self;
        let mut last = None;
        for (from, index) in tree.extract_if(bytes, |_, _| true) {
            places.remove(&from);
            last = Some(index);
            vacant.push(index);
        }
        last.map(|index| all[index as usize].clone())
    }

    /// Removes the ranges for which `stays` is false.
    pub(super) fn retain(&mut self, mut stays: impl FnMut(&mut UsedRange) -> bool) {
        let Self { tree, places, all, vacant } = self;
        tree.retain(|from, &mut index| {
            let is_kept = stays(&mut all[index as usize]);
            if !is_kept {
                places.remove(from);
                vacant.push(index);
            }
            is_kept
        });
    }
}
