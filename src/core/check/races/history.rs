//! What pending operations did with memory, in the order of their submission.
//!
//! As long as each operation is ordered after the previous one, as in a program with one stream, no two of them can
//! conflict. Such operations are only logged. The shadow gets them when an operation comes that is not ordered after
//! the latest one. When the log is full, those that the host has waited for, or whose memory later ones have
//! overwritten, are dropped. The shadow gets the others if they are many.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::shadow::Shadow;
use crate::algo::map::key_map::KeyMap;
use crate::core::check::operation::Operation;
use crate::core::order::accesses::{Access, Accesses, Mode};
use crate::core::order::graph_run::GraphRun;

/// The most entries of the log.
const MOST: usize = if cfg!(test) { 8 } else { 16384 };
/// A run of a graph counts as many entries: it keeps what the graph uses, also after the graph is destroyed.
const OF_A_RUN: usize = MOST / if cfg!(test) { 2 } else { 64 };

/// A step of the shadow, by the operation with this number.
enum Step {
    Uses(Access, u64),
    Runs(Arc<GraphRun>, u64),
    Begins(Access, u64),
    Forgets { addr: usize, end: usize },
}

impl Step {
    /// The memory that it uses, and how; `None`: a graph.
    fn access(&self) -> Option<Access> {
        match *self {
            Self::Uses(access, _) | Self::Begins(access, _) => Some(access),
            Self::Forgets { addr, end } => Some(Access { addr, end, mode: Mode::Write }),
            Self::Runs(..) => None,
        }
    }

    /// The number of the operation that does it, which may get a new one.
    fn by_mut(&mut self) -> Option<&mut u64> {
        match self {
            Self::Uses(_, by) | Self::Runs(_, by) | Self::Begins(_, by) => Some(by),
            Self::Forgets { .. } => None,
        }
    }
}

/// The history of all memory.
#[derive(Default)]
pub struct History {
    shadow: Shadow,
    log: Vec<Step>,
    /// The entries of the log, with those that runs count as.
    entries: usize,
    /// The shadow has operations of this era.
    has_shadow: bool,
    /// An operation of this era was not ordered after the previous one, or is open: the shadow has all of them.
    is_unordered: bool,
    /// There was no room for all that is to be reported.
    pub is_incomplete: bool,
}

impl History {
    /// Forgets all operations when the era changes: they are complete.
    pub fn enter(&mut self, era: u64) {
        if self.shadow.enter(era) {
            self.log.clear();
            self.entries = 0;
            self.has_shadow = false;
            self.is_unordered = false;
        }
    }

    /// Forgets all, but whether uses of memory were forgotten before.
    pub fn forget_all(&mut self) {
        *self = Self { is_incomplete: self.is_incomplete(), ..Self::default() };
    }

    /// Whether nothing pending conflicts with an operation, because it is ordered after all of them: `is_before`
    /// returns whether one is complete before it begins.
    #[inline]
    pub fn is_ordered(&self, is_before: impl Fn(&Operation) -> bool) -> bool {
        !self.is_unordered && self.shadow.latest().is_none_or(is_before)
    }

    /// Adds an operation that is ordered after all of them, and is not open. `graph`: it runs this graph.
    pub fn log(&mut self, operation: Operation, used: &Accesses, graph: Option<&Arc<GraphRun>>) {
        let by = self.shadow.begin(operation);
        match graph {
            Some(graph) => self.add(Step::Runs(Arc::clone(graph), by), OF_A_RUN),
            None => used.0.iter().for_each(|access| self.add(Step::Uses(*access, by), 1)),
        }
    }

    /// As [`Self::log`], for an operation that allocates this memory.
    pub fn log_allocation(&mut self, operation: Operation, used: &Access) {
        let by = self.shadow.begin(operation);
        self.add(Step::Begins(*used, by), 1);
    }

    fn add(&mut self, step: Step, entries: usize) {
        self.log.push(step);
        self.entries += entries;
    }

    /// Forgets the uses of this memory.
    pub fn forget(&mut self, addr: usize, end: usize) {
        match self.is_unordered {
            true => self.shadow.forget(addr, end),
            false => self.add(Step::Forgets { addr, end }, 1),
        }
    }

    /// The shadow of all operations, for one that is not ordered after them, or is open.
    pub fn shadow(&mut self) -> &mut Shadow {
        self.is_unordered = true;
        self.checked()
    }

    /// The shadow of all operations, for one of the host, which is not added.
    pub fn checked(&mut self) -> &mut Shadow {
        self.has_shadow = true;
        if !self.log.is_empty() {
            if !self.has_runs() {
                self.drop_steps(|_| false, by_first_byte());
            }
            self.empty_log();
        }
        &mut self.shadow
    }

    /// Keeps the memory within its limit: what `is_known` to be complete conflicts with nothing any more.
    #[inline]
    pub fn sweep_if_many(&mut self, is_known: impl Fn(&Operation) -> bool) {
        if self.entries >= MOST {
            self.shorten_log(&is_known);
        }
        if self.log.is_empty() {
            self.shadow.sweep_if_many(is_known);
        }
    }

    fn shorten_log(&mut self, is_known: impl Fn(&Operation) -> bool) {
        if self.has_runs() {
            return self.empty_log();
        }
        self.drop_steps(&is_known, by_first_byte());
        if self.log.len() > MOST / 2 {
            self.drop_steps(is_known, by_each_byte());
        }
        self.entries = self.log.len();
        if self.has_shadow || self.entries > MOST / 2 {
            self.empty_log();
        }
    }

    /// Whether all steps count: a run of a graph is one entry, whatever memory it uses.
    fn has_runs(&self) -> bool {
        self.shadow.has_runs() || self.log.iter().any(|step| matches!(step, Step::Runs(..)))
    }

    /// Drops the steps that nothing later can conflict with: the host knows that they are complete, or
    /// `is_overwritten`, which gets the latest step first. There are no runs of graphs.
    fn drop_steps(&mut self, is_known: impl Fn(&Operation) -> bool, mut is_overwritten: impl FnMut(&Access) -> bool) {
        let Self { shadow, log, .. } = self;
        let operations = shadow.operations();
        // Each operation is after the previous one, so the host knows none behind one that it does not know.
        let pending = operations.from + operations.kept.partition_point(is_known) as u64;
        let mut first = log.len();
        for index in (0..log.len()).rev() {
            let Some(access) = log[index].access() else { continue };
            if !is_overwritten(&access) && log[index].by_mut().is_none_or(|by| *by >= pending) {
                first -= 1;
                log.swap(first, index);
            }
        }
        log.drain(..first);
        if !self.has_shadow {
            operations.keep(log.iter_mut().filter_map(Step::by_mut));
        }
    }

    /// Notes that memory was allocated, or freed.
    pub fn note_live(&mut self, allocated: usize, freed: usize) {
        self.shadow.note_live(allocated, freed);
    }

    /// Whether uses of memory were forgotten.
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete || self.shadow.is_incomplete
    }

    /// Whether no operation of this era left the log for the shadow.
    #[cfg(test)]
    pub fn has_all_in_its_log(&self) -> bool {
        !self.has_shadow
    }

    /// Whether operations are logged only.
    #[cfg(test)]
    pub fn is_logging(&self) -> bool {
        !self.is_unordered
    }

    fn empty_log(&mut self) {
        self.entries = 0;
        self.has_shadow = true;
        let Self { shadow, log, .. } = self;
        for step in log.drain(..) {
            match step {
                Step::Uses(access, by) => shadow.add_ordered(&access, by),
                Step::Runs(graph, by) => shadow.add_run(&graph, by, |_| false),
                Step::Begins(access, by) => shadow.begin_memory(&access, by),
                Step::Forgets { addr, end } => shadow.forget(addr, end),
            }
        }
    }
}

/// Whether one later step writes the memory of a step: the fast way, for programs that use whole ranges again.
fn by_first_byte() -> impl FnMut(&Access) -> bool {
    // By first byte: the end of the longest later write there.
    let mut written: KeyMap<usize, usize> = KeyMap::default();
    move |access| {
        let known = written.entry(access.addr).or_default();
        let is_overwritten = *known >= access.end;
        if access.mode == Mode::Write {
            *known = access.end.max(*known);
        }
        is_overwritten
    }
}

/// Whether later steps together write the memory of a step: for pools, which cut their memory in other places again
/// and again.
fn by_each_byte() -> impl FnMut(&Access) -> bool {
    // Ranges that do not touch each other: first byte, end.
    let mut written: BTreeMap<usize, usize> = BTreeMap::new();
    move |&Access { addr, end, mode }| {
        let (mut from, mut to) = (addr, end);
        if let Some((&first, &last)) = written.range(..=addr).next_back()
            && last >= addr
        {
            if last >= end {
                return true;
            }
            from = first;
        }
        if mode == Mode::Write {
            while let Some((&first, &last)) = written.range(from..=to).next() {
                written.remove(&first);
                to = to.max(last);
            }
            written.insert(from, to);
        }
        false
    }
}
