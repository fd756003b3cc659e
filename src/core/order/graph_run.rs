//! What runs of graphs do, for the checker.

use std::sync::Arc;

use parking_lot::Mutex;

use super::accesses::Accesses;
use super::effects::Effects;

/// What a run of a graph does.
#[derive(Debug, Default)]
pub struct GraphRun {
    /// In the order of its tasks.
    pub effects: Effects,
    /// The same memory, each byte once.
    pub accesses: Accesses,
    /// The host may hold it up: it calls functions of the program, or waits.
    pub needs_host: bool,
}

impl GraphRun {
    /// Of these effects.
    pub fn of(effects: Effects, needs_host: bool) -> Self {
        let accesses = Accesses::of(&effects).merged();
        Self { effects, accesses, needs_host }
    }
}

/// The runs of a graph: one after the other, also in different streams.
#[derive(Debug, Default)]
pub struct GraphRuns(Mutex<Option<Arc<GraphRun>>>);

impl GraphRuns {
    /// What the next run does. `find` finds it out after a change.
    pub fn next<E>(&self, find: impl FnOnce() -> Result<GraphRun, E>) -> Result<Arc<GraphRun>, E> {
        let mut known = self.0.lock();
        let run = known.take().map_or_else(|| find().map(Arc::new), Ok)?;
        Ok(Arc::clone(known.insert(run)))
    }

    /// Later runs do something else.
    pub fn change(&self) {
        *self.0.lock() = None;
    }
}
