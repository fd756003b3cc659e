//! Graphs: work that is made ready once and run many times.

use std::any::Any;
use std::sync::Arc;

use super::{Copy, Copy2d, Event, Fill, RandomNum, Reduce, RepeatedFn, Result};

/// A run of a kernel with the arguments that it has got, for a [`Graph`] of the same device.
pub trait BoundLaunch: Any + Send + Sync {}

/// A launch in a graph.
#[derive(Clone)]
pub struct NodeLaunch {
    /// What runs.
    pub bound: Arc<dyn BoundLaunch>,
    /// What the core calls it; backends do not look.
    pub call: Arc<dyn Any + Send + Sync>,
}

/// The work of a graph's node in each run: memory is read and written when the run reaches it, pageable memory
/// included.
#[derive(Clone)]
pub enum Work {
    /// A copy with no end on another device. The source is not staged.
    Copy(Copy),
    /// A copy of rows, in the same way.
    Copy2d(Copy2d),
    /// A fill.
    Fill(Fill),
    /// A reduction.
    Reduce(Reduce),
    /// Random numbers; each run reads what is in memory.
    RandomNum(RandomNum),
    /// A run of a kernel.
    Launch(NodeLaunch),
    /// A call of user code. What does not depend on it may wait for it all the same.
    HostFn(RepeatedFn),
    /// The event becomes: what this node comes after, in the latest run.
    Record(Arc<dyn Event>),
}

/// A node of a graph.
#[derive(Clone)]
pub struct Node {
    /// What it does.
    pub work: Work,
    /// The nodes that it comes after, by their places in the list: each before its own.
    pub after: Vec<usize>,
}

/// A graph that is ready to run, for [`super::Op::RunGraph`] on streams of its device. Runs of
/// one graph come one after the other, in the order in which they were queued. When it is dropped,
/// runs that are queued keep what they need of it.
pub trait Graph: Any + Send + Sync {
    /// Whether a run that was queued is not over. A device that failed runs nothing.
    fn is_running(&self) -> Result<bool>;

    /// Leaves out what the runs that are queued have not begun, where the device can do that; a run
    /// that this cuts short has failed with [`super::FaultKind::Aborted`]. Does not wait.
    fn abort(&self);
}
