//! Graphs: work that is prepared once and run many times.

use std::any::Any;
use std::sync::Arc;

use super::{Copy, Copy2d, Event, Fill, RandomNum, Reduce, RepeatedFn, Result};

/// A launch of a kernel with bound arguments, for a [`Graph`] of the same device.
pub trait BoundLaunch: Any + Send + Sync {
    /// The program's call succeeds: the launch owns what its arguments refer to, and releases it when it is dropped.
    fn accept(&self) {}
}

/// A launch in a graph.
#[derive(Clone)]
pub struct NodeLaunch {
    /// The bound launch.
    pub bound: Arc<dyn BoundLaunch>,
    /// What the core calls it; backends do not look.
    pub call: Arc<dyn Any + Send + Sync>,
    /// The recorded launch that this one replaces, which `bound` keeps.
    pub recorded: Option<Arc<dyn Any + Send + Sync>>,
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
    /// A call of user code. Independent nodes may wait for it all the same.
    HostFn(RepeatedFn),
    /// Records the event at this node in the most recent launch.
    Record(Arc<dyn Event>),
}

/// A node of a graph.
#[derive(Clone)]
pub struct Node {
    /// Its work.
    pub work: Work,
    /// The nodes that it depends on, by their places in the list, which are smaller than its own.
    pub after: Vec<usize>,
}

/// A graph for [`super::Op::RunGraph`] on streams of its device. Runs of one graph are serialized, in the order in
/// which they were queued. When it is dropped, queued runs keep what they need of it.
pub trait Graph: Any + Send + Sync {
    /// Whether a queued run is not complete. A failed device runs nothing.
    fn is_running(&self) -> Result<bool>;

    /// Drops the parts of queued runs that have not begun, if the device can do that; such a run has failed with
    /// [`super::FaultKind::Aborted`]. Does not wait.
    fn abort(&self);
}
