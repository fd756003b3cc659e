//! What uses each byte of memory: the latest operation that wrote it, and all that read it since.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::core::check::operation::Operation;
use crate::core::order::accesses::{Access, Mode};

/// The least number of ranges at which operations that the host has waited for are forgotten.
const LEAST_SWEEP: usize = 4096;
/// The least limit of ranges.
const LEAST_LIMIT: usize = 1 << 16;
/// What a range takes, in bytes, with its share of operations.
const RANGE: usize = 256;

/// A use of memory.
#[derive(Clone, Debug)]
pub struct Use {
    pub mode: Mode,
    pub operation: Arc<Operation>,
}

/// Two uses that nothing orders.
#[derive(Clone, Debug)]
pub struct Conflict {
    pub earlier: Use,
    pub later: Use,
    /// The bytes that both use.
    pub addr: usize,
    pub len: usize,
}

#[derive(Clone)]
struct Range {
    end: usize,
    uses: Vec<Use>,
}

/// The uses of all memory.
#[derive(Default)]
pub struct Shadow {
    ranges: BTreeMap<usize, Range>,
    sweep_at: usize,
    /// Bytes of live memory.
    live: usize,
    /// Uses were forgotten because there were too many ranges.
    pub is_incomplete: bool,
}

impl Shadow {
    /// Checks a use against earlier ones: `is_before` returns whether one is complete before it begins.
    pub fn check(&self, access: &Access, later: &Use, is_before: impl Fn(&Operation) -> bool) -> Vec<Conflict> {
        let mut found: Vec<Conflict> = Vec::new();
        for (&from, range) in self.overlapping(access) {
            let (addr, end) = (from.max(access.addr), range.end.min(access.end));
            for earlier in &range.uses {
                if !earlier.mode.conflicts(access.mode) || is_before(&earlier.operation) {
                    continue;
                }
                let same = |known: &&mut Conflict| Arc::ptr_eq(&known.earlier.operation, &earlier.operation);
                match found.iter_mut().find(same) {
                    Some(known) => known.len = end - known.addr,
                    None => {
                        let (earlier, later) = (earlier.clone(), later.clone());
                        found.push(Conflict { earlier, later, addr, len: end - addr });
                    }
                }
            }
        }
        found
    }

    fn overlapping(&self, access: &Access) -> impl Iterator<Item = (&usize, &Range)> {
        let before = self.ranges.range(..access.addr).next_back();
        let before = before.filter(|(_, range)| range.end > access.addr);
        before.into_iter().chain(self.ranges.range(access.addr..access.end))
    }

    /// Adds a use. A write replaces all earlier uses, because what conflicts with them later conflicts with it as well,
    /// except open ones, which may come after it.
    pub fn add(&mut self, access: &Access, added: &Use, is_open: impl Fn(&Operation) -> bool) {
        self.split(access.addr);
        self.split(access.end);
        let stays = |known: &Use| match access.mode {
            Mode::Write => is_open(&known.operation),
            _ => !replaces(added, known),
        };
        let mut covered = self.ranges.range(access.addr..access.end);
        if access.mode == Mode::Write && !covered.any(|(_, range)| range.uses.iter().any(&stays)) {
            self.clear(access.addr, access.end);
            self.ranges.insert(access.addr, Range { end: access.end, uses: vec![added.clone()] });
            return;
        }
        let mut gaps = Vec::new();
        let mut at = access.addr;
        for (&from, range) in self.ranges.range_mut(access.addr..access.end) {
            if at < from {
                gaps.push((at, from));
            }
            at = range.end;
            range.uses.retain(&stays);
            range.uses.push(added.clone());
        }
        if at < access.end {
            gaps.push((at, access.end));
        }
        for (from, end) in gaps {
            self.ranges.insert(from, Range { end, uses: vec![added.clone()] });
        }
    }

    /// Forgets the uses of this memory.
    pub fn forget(&mut self, addr: usize, end: usize) {
        self.split(addr);
        self.split(end);
        self.clear(addr, end);
    }

    fn clear(&mut self, addr: usize, end: usize) {
        let covered: Vec<usize> = self.ranges.range(addr..end).map(|(&from, _)| from).collect();
        covered.iter().for_each(|from| _ = self.ranges.remove(from));
    }

    fn split(&mut self, at: usize) {
        let Some((_, range)) = self.ranges.range_mut(..at).next_back() else { return };
        if range.end <= at {
            return;
        }
        let second = range.clone();
        range.end = at;
        self.ranges.insert(at, second);
    }

    /// Notes that memory was allocated, or freed.
    pub fn note_live(&mut self, allocated: usize, freed: usize) {
        self.live = self.live.saturating_add(allocated).saturating_sub(freed);
    }

    /// Keeps the number of ranges within its limit: what `is_known` to be complete conflicts with nothing any more.
    pub fn sweep_if_many(&mut self, is_known: impl Fn(&Operation) -> bool) {
        if self.ranges.len() < self.sweep_at.max(LEAST_SWEEP) {
            return;
        }
        self.ranges.retain(|_, range| {
            range.uses.retain(|used| !is_known(&used.operation));
            !range.uses.is_empty()
        });
        // A tenth of the memory that is in use.
        if self.ranges.len() > LEAST_LIMIT.max(self.live / 10 / RANGE) {
            self.ranges.clear();
            self.is_incomplete = true;
        }
        self.sweep_at = self.ranges.len() * 2;
    }
}

/// Whether what conflicts with `known` later conflicts with `added` as well.
fn replaces(added: &Use, known: &Use) -> bool {
    let line = |used: &Use| used.operation.stream.map(|stream| stream.point.line);
    known.mode == added.mode && line(known) == line(added)
}

#[cfg(test)]
#[path = "shadow_tests.rs"]
mod tests;
