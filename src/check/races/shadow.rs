//! The uses of each byte of memory: the latest operation that wrote it, and all that read it since.
//!
//! Each operation has a number and is stored once, so a use stores only the number. When the host knows everything to
//! be complete, all operations are dropped at once. The ranges stay; their uses no longer count.

use std::sync::Arc;

use super::operations::{Operations, Run, Runs, Use};
use super::ranges::{Ranges, UsedRange};
use crate::core::order::accesses::{Access, GraphRun, Mode};
use crate::operation::Operation;

/// Minimum number of ranges and operations at which those that the host has waited for are dropped.
const LEAST_SWEEP: usize = 4096;
/// Lower bound of the limit of the shadow, in bytes.
const LEAST_LIMIT: usize = 16 << 20;
/// Bytes that a range takes in a list, a tree and a hash table that are half full.
const RANGE: usize = 176;

/// An earlier operation that uses the same memory, and that nothing orders before the later one.
#[derive(Clone, Debug)]
pub(super) struct Conflict {
    pub earlier: Operation,
    /// The mode in which the earlier operation uses the memory.
    pub mode: Mode,
    /// The mode in which the later operation uses it.
    pub later_mode: Mode,
    /// The first byte that both use.
    pub addr: usize,
    pub len: usize,
}

/// The uses of all memory.
#[derive(Default)]
pub(super) struct Shadow {
    ranges: Ranges,
    runs: Runs,
    operations: Operations,
    /// Upper bound of the number of uses that are not the first of their range.
    more_uses: usize,
    sweep_at: usize,
    /// Bytes of allocated memory.
    live: usize,
    /// True if uses were dropped because there were too many.
    pub is_incomplete: bool,
    era: u64,
}

impl Shadow {
    /// Drops all operations when the era changes, because they are complete. Returns whether it changes.
    pub(super) fn enter(&mut self, era: u64) -> bool {
        let is_new = self.era != era;
        if is_new {
            self.era = era;
            self.operations.clear();
            self.runs.0.clear();
        }
        is_new
    }

    /// Whether runs of graphs may conflict with later operations.
    pub(super) fn has_runs(&self) -> bool {
        !self.runs.0.is_empty()
    }

    /// Adds an operation that uses memory, and returns its number.
    pub(super) fn begin(&mut self, operation: Operation) -> u64 {
        self.operations.add(operation)
    }

    /// Returns the operation with this number.
    pub(super) fn operation(&self, by: u64) -> &Operation {
        self.operations.named(by)
    }

    /// Checks a use against earlier ones. `is_before` returns whether an earlier operation is complete before this one
    /// begins.
    pub(super) fn check(
        &self,
        access: &Access,
        is_before: impl Fn(&Operation) -> bool,
        is_open: impl Fn(&Operation) -> bool,
    ) -> Vec<Conflict> {
        let mut found: Vec<(Use, Conflict)> = Vec::new();
        for range in self.ranges.overlapping(access.addr, access.end) {
            let (addr, end) = (range.from.max(access.addr), range.end.min(access.end));
            for used in range.uses().filter(|used| used.mode.conflicts(access.mode)) {
                let Some(earlier) = self.operations.get(used).filter(|earlier| !is_before(earlier)) else { continue };
                match found.iter_mut().find(|(known, _)| known.by == used.by) {
                    Some((_, known)) => known.len = end - known.addr,
                    None => {
                        let (earlier, mode, len) = (earlier.clone(), used.mode, end - addr);
                        found.push((*used, Conflict { earlier, mode, later_mode: access.mode, addr, len }));
                    }
                }
            }
        }
        let mut found: Vec<Conflict> = found.into_iter().map(|(_, conflict)| conflict).collect();
        for (run, earlier) in self.unordered_runs(&is_before) {
            let mut shared = run.conflicts(access);
            let Some(first) = shared.next() else { continue };
            let same = shared.take_while(|own| own.mode == first.mode);
            let end = same.last().unwrap_or(first).end.min(access.end);
            let addr = first.addr.max(access.addr);
            // The latest operation of a stream stands for the earlier ones; an open one stands for open ones only.
            let number = |operation: &Operation| operation.point().map(|point| point.number);
            let kind = |operation: &Operation| (operation.line(), is_open(operation));
            let is_same = |known: &Conflict| kind(&known.earlier) == kind(earlier);
            if found.iter().any(|known| is_same(known) && number(&known.earlier) > number(earlier)) {
                continue;
            }
            found.retain(|known| !is_same(known));
            let (earlier, len) = (earlier.clone(), end.saturating_sub(addr));
            found.push(Conflict { earlier, mode: first.mode, later_mode: access.mode, addr, len });
        }
        found
    }

    /// Returns the runs of graphs that may conflict with an operation.
    fn unordered_runs(&self, is_before: impl Fn(&Operation) -> bool) -> impl Iterator<Item = (&Run, &Operation)> {
        self.runs.0.iter().map(|run| (run, self.operation(run.by))).filter(move |(_, earlier)| !is_before(earlier))
    }

    /// Whether `is` is true for all operations that may conflict with others.
    pub(super) fn are_all(&self, is: impl Fn(&Operation) -> bool) -> bool {
        self.operations.kept.iter().all(is)
    }

    /// Adds a run of a graph.
    pub(super) fn add_run(&mut self, graph: &Arc<GraphRun>, by: u64, is_open: impl Fn(&Operation) -> bool) {
        let Self { runs, operations, .. } = self;
        let kind = |by| (operations.named(by).line(), is_open(operations.named(by)));
        let oldest = runs.add(graph, by, |known| kind(known) == kind(by));
        for run in oldest.iter() {
            for access in run.accesses() {
                let added = Use { by: run.by, mode: access.mode };
                self.put(access, run.by, |all, known| known.by > run.by || all.stays(known, &added, &is_open));
            }
        }
    }

    /// Converts a run to uses of its ranges, beside the uses that they have.
    fn add_below(&mut self, run: &Run) {
        run.accesses().iter().for_each(|access| self.put(access, run.by, |_, _| true));
    }

    /// Does the work of [`Self::check`] and [`Self::add`] in the frequent cases: the same range is used again, or
    /// nothing uses the bytes. In other cases, and if there is a conflict, it does nothing and returns false.
    pub(super) fn add_known(
        &mut self,
        access: &Access,
        by: u64,
        is_before: impl Fn(&Operation) -> bool,
        is_open: impl Fn(&Operation) -> bool,
    ) -> bool {
        if self.unordered_runs(&is_before).any(|(run, _)| run.conflicts(access).next().is_some()) {
            return false;
        }
        let added = Use { by, mode: access.mode };
        let Self { ranges, operations, more_uses, .. } = self;
        if let Some(range) = ranges.at(access.addr) {
            let is_unordered =
                |used: &Use| used.mode.conflicts(added.mode) && operations.get(used).is_some_and(|it| !is_before(it));
            if range.end != access.end || range.uses().any(is_unordered) {
                return false;
            }
            range.add(added, |known| operations.stays(known, &added, &is_open));
            *more_uses += usize::from(range.more_uses() != 0);
            return true;
        }
        if ranges.last_before(access.end).is_some_and(|range| range.end > access.addr) {
            return false;
        }
        ranges.insert(UsedRange::new(access.addr, access.end, added));
        true
    }

    /// Adds a use that is ordered after all others. `allocates`: the use allocates the memory.
    pub(super) fn add_ordered(&mut self, access: &Access, by: u64, allocates: bool) {
        if allocates {
            self.begin_memory(access, by);
        } else if !self.add_known(access, by, |_| true, |_| false) {
            self.add(access, by, |_| false);
        }
    }

    /// Adds a use.
    pub(super) fn add(&mut self, access: &Access, by: u64, is_open: impl Fn(&Operation) -> bool) {
        let added = Use { by, mode: access.mode };
        self.put(access, by, |operations, known| operations.stays(known, &added, &is_open));
    }

    fn put(&mut self, access: &Access, by: u64, stays: impl Fn(&Operations, &Use) -> bool) {
        let added = Use { by, mode: access.mode };
        self.split(access.addr);
        self.split(access.end);
        let Self { ranges, operations, more_uses, .. } = self;
        let stays = |known: &Use| stays(operations, known);
        if !ranges.within(access.addr..access.end).any(|range| range.uses().any(stays)) {
            self.set(access, by);
            return;
        }
        let mut gaps = Vec::new();
        let mut at = access.addr;
        ranges.change_within(access.addr..access.end, |range| {
            if at < range.from {
                gaps.push((at, range.from));
            }
            at = range.end;
            range.add(added, stays);
            *more_uses += usize::from(range.more_uses() != 0);
        });
        if at < access.end {
            gaps.push((at, access.end));
        }
        gaps.into_iter().for_each(|(from, end)| ranges.insert(UsedRange::new(from, end, added)));
    }

    /// Makes this the only use of the memory.
    pub(super) fn begin_memory(&mut self, access: &Access, by: u64) {
        self.runs.take(access).iter().for_each(|run| self.add_below(run));
        self.set(access, by);
    }

    fn set(&mut self, access: &Access, by: u64) {
        let only = Use { by, mode: access.mode };
        if let Some(range) = self.ranges.at(access.addr)
            && range.end == access.end
        {
            range.replace(only);
            return;
        }
        self.remove(access.addr, access.end);
        self.ranges.insert(UsedRange::new(access.addr, access.end, only));
    }

    /// Forgets the uses of this memory.
    pub(super) fn forget(&mut self, addr: usize, end: usize) {
        self.runs.take(&Access { addr, end, mode: Mode::Write }).iter().for_each(|run| self.add_below(run));
        self.remove(addr, end);
    }

    fn remove(&mut self, addr: usize, end: usize) {
        let mut rest = None;
        if let Some(before) = self.ranges.last_before(addr)
            && before.end > addr
        {
            rest = (before.end > end).then(|| before.clone());
            before.end = addr;
        }
        let last = self.ranges.remove_within(addr..end);
        rest = rest.or(last.filter(|last| last.end > end));
        // The part of a range after the memory stays if its uses still count.
        if let Some(rest) = rest.filter(|rest| rest.uses().any(|used| self.operations.get(used).is_some())) {
            self.more_uses += rest.more_uses();
            self.ranges.insert(rest.behind(end));
        }
    }

    fn split(&mut self, at: usize) {
        let Some(range) = self.ranges.last_before(at).filter(|range| range.end > at) else { return };
        let second = range.clone().behind(at);
        range.end = at;
        self.more_uses += second.more_uses();
        self.ranges.insert(second);
    }

    /// Records that memory was allocated or freed.
    pub(super) fn note_live(&mut self, allocated: usize, freed: usize) {
        self.live = self.live.saturating_add(allocated).saturating_sub(freed);
    }

    /// Returns the size of the shadow in bytes.
    fn bytes(&self) -> usize {
        self.ranges.len() * RANGE
            + self.more_uses * size_of::<Use>()
            + self.operations.kept.len() * size_of::<Operation>()
    }

    /// Returns the limit of the size. With the log it is a tenth of the memory in use.
    fn limit(&self) -> usize {
        LEAST_LIMIT.max(self.live / 11)
    }

    /// Keeps the size within its limit. Operations for which `is_known` is true are complete and conflict with
    /// nothing.
    #[inline]
    pub(super) fn sweep_if_many(&mut self, is_known: impl Fn(&Operation) -> bool) {
        let count = self.ranges.len() + self.more_uses + self.operations.kept.len();
        if count >= self.sweep_at.max(LEAST_SWEEP) {
            self.sweep(is_known);
        }
    }

    fn sweep(&mut self, is_known: impl Fn(&Operation) -> bool) {
        let Operations { kept, .. } = &self.operations;
        let is_pending: Vec<bool> = kept.iter().map(|operation| !is_known(operation)).collect();
        let from = self.operations.from;
        let mut numbers = vec![None; kept.len()];
        let mut next = self.operations.next();
        let index = |used: &Use| used.by.checked_sub(from).map(|index| index as usize);
        let stays = |used: &Use| index(used).is_some_and(|index| is_pending[index]);
        self.ranges.retain(|range| range.retain(stays));
        // Operations that no range refers to are removed. The others get new numbers in the same order.
        for used in self.ranges.within(0..usize::MAX).flat_map(UsedRange::uses) {
            numbers[(used.by - from) as usize] = Some(0);
        }
        for run in &self.runs.0 {
            let index = (run.by - from) as usize;
            numbers[index] = is_pending[index].then_some(0);
        }
        self.operations.from = next;
        for number in numbers.iter_mut().flatten() {
            *number = next;
            next += 1;
        }
        let mut named = numbers.iter().map(Option::is_some);
        self.operations.kept.retain(|_| named.next().unwrap_or_default());
        self.runs.0.retain_mut(|run| numbers[(run.by - from) as usize].map(|by| run.by = by).is_some());
        self.more_uses = 0;
        self.ranges.change_within(0..usize::MAX, |range| {
            range.uses_mut().for_each(|used| used.by = numbers[(used.by - from) as usize].unwrap_or_default());
            self.more_uses += range.more_uses();
        });
        if self.bytes() > self.limit() / 2 {
            self.ranges.clear();
            self.runs.0.clear();
            self.operations.clear();
            self.more_uses = 0;
            self.is_incomplete = true;
        }
        self.sweep_at = 2 * (self.ranges.len() + self.more_uses + self.operations.kept.len());
    }
}

#[cfg(test)]
#[path = "shadow_tests.rs"]
mod tests;
