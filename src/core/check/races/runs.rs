//! The latest runs of graphs. A run uses what its graph uses, which was found out once: it is one entry, and no use of
//! each range.

use std::sync::Arc;

use crate::core::order::accesses::Access;
use crate::core::order::graph_run::GraphRun;

/// The most entries.
const MOST: usize = if cfg!(test) { 2 } else { 64 };

/// A run.
#[derive(Clone)]
pub struct Run {
    /// The number of the operation.
    pub by: u64,
    graph: Arc<GraphRun>,
}

impl Run {
    /// What it uses.
    pub fn accesses(&self) -> &[Access] {
        &self.graph.accesses.0
    }

    /// What conflicts with this access.
    pub fn conflicts(&self, access: &Access) -> impl Iterator<Item = &Access> {
        self.graph.accesses.conflicts(access)
    }
}

/// The runs that may conflict with later operations.
#[derive(Default)]
pub struct Runs(pub Vec<Run>);

impl Runs {
    /// Adds a run. `replaces`: whether it does so with an earlier one of the same graph. Returns one for which there is
    /// no room.
    pub fn add(&mut self, graph: &Arc<GraphRun>, by: u64, replaces: impl Fn(u64) -> bool) -> Option<Run> {
        let run = Run { by, graph: Arc::clone(graph) };
        match self.0.iter_mut().find(|known| Arc::ptr_eq(&known.graph, graph) && replaces(known.by)) {
            Some(known) => known.by = by,
            None => self.0.push(run),
        }
        (self.0.len() > MOST).then(|| self.0.remove(0))
    }

    /// Takes those that use some of this memory.
    pub fn take(&mut self, access: &Access) -> Vec<Run> {
        self.0.extract_if(.., |run| run.conflicts(access).next().is_some()).collect()
    }

    /// Keeps the runs that get a new number.
    pub fn renumber(&mut self, number: impl Fn(u64) -> Option<u64>) {
        self.0.retain_mut(|run| number(run.by).map(|by| run.by = by).is_some());
    }
}
