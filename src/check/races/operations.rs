//! The operations that may conflict with later ones, by number, and the latest runs of graphs. A run is one entry for
//! all ranges that its graph uses.

use std::sync::Arc;

use crate::core::order::accesses::{Access, GraphRun, Mode};
use crate::operation::Operation;

/// Maximum number of runs.
const MOST: usize = if cfg!(test) { 2 } else { 64 };

/// A use of memory by an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    /// The number of the operation.
    pub by: u64,
    /// The mode of the use.
    pub mode: Mode,
}

/// The operations that uses refer to, by number.
#[derive(Default)]
pub(super) struct Operations {
    pub kept: Vec<Operation>,
    /// The number of the first operation.
    pub from: u64,
}

impl Operations {
    /// Returns the operation of a use; `None` if it is complete.
    pub(super) fn get(&self, used: &Use) -> Option<&Operation> {
        self.kept.get(used.by.checked_sub(self.from)? as usize)
    }

    /// Returns the operation with this number, which is not complete.
    pub(super) fn named(&self, by: u64) -> &Operation {
        &self.kept[(by - self.from) as usize]
    }

    pub(super) fn add(&mut self, operation: Operation) -> u64 {
        self.kept.push(operation);
        self.next() - 1
    }

    pub(super) fn next(&self) -> u64 {
        self.from + self.kept.len() as u64
    }

    pub(super) fn clear(&mut self) {
        self.from = self.next();
        self.kept.clear();
    }

    /// Whether a known use stays when another one is added. A write replaces the earlier uses, because later conflicts
    /// with them are conflicts with the write as well. Another use replaces those of its stream that have the same
    /// mode. Open operations are an exception, because they may be ordered after what is submitted later: an open
    /// operation replaces only open ones of its stream, and only an open operation of its stream replaces it.
    pub(super) fn stays(&self, known: &Use, added: &Use, is_open: impl Fn(&Operation) -> bool) -> bool {
        let Some(operation) = self.get(known) else { return false };
        let Some(later) = self.get(added) else { return true };
        let is_same = later.line() == operation.line();
        if added.mode != Mode::Write && (known.mode != added.mode || !is_same) {
            return true;
        }
        match (is_open(operation), is_open(later)) {
            (false, false) => false,
            (true, true) => !is_same,
            _ => true,
        }
    }
}

/// A run of a graph.
#[derive(Clone)]
pub(super) struct Run {
    /// The number of the operation.
    pub by: u64,
    graph: Arc<GraphRun>,
}

impl Run {
    /// Returns the accesses of the run.
    pub(super) fn accesses(&self) -> &[Access] {
        &self.graph.accesses.0
    }

    /// Returns the accesses of the run that conflict with `access`.
    pub(super) fn conflicts(&self, access: &Access) -> impl Iterator<Item = &Access> {
        self.graph.accesses.conflicts(access)
    }
}

/// The runs that may conflict with later operations.
#[derive(Default)]
pub(super) struct Runs(pub Vec<Run>);

impl Runs {
    /// Adds a run. `replaces` returns whether it replaces an earlier run of the same graph. Returns a run for which
    /// there is no room any more.
    pub(super) fn add(&mut self, graph: &Arc<GraphRun>, by: u64, replaces: impl Fn(u64) -> bool) -> Option<Run> {
        let run = Run { by, graph: Arc::clone(graph) };
        match self.0.iter_mut().find(|known| Arc::ptr_eq(&known.graph, graph) && replaces(known.by)) {
            Some(known) => known.by = by,
            None => self.0.push(run),
        }
        (self.0.len() > MOST).then(|| self.0.remove(0))
    }

    /// Takes the runs that use some of this memory.
    pub(super) fn take(&mut self, access: &Access) -> Vec<Run> {
        self.0.extract_if(.., |run| run.conflicts(access).next().is_some()).collect()
    }
}
