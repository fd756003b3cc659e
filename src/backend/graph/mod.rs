//! Graphs: work that is prepared once and run many times.

use std::any::Any;
use std::sync::Arc;

use super::{Copy, Copy2d, Event, Fill, RandomNum, Reduce, RepeatedFn, Result};

/// A launch of a kernel with bound arguments, for a [`Graph`] of the same device.
pub trait BoundLaunch: Any + Send + Sync {
    /// Notes that the program's call succeeds: the launch owns what its arguments refer to, and releases it when it is
    /// dropped.
    fn accept(&self) {}
}

/// A launch in a graph.
#[derive(Clone)]
pub struct NodeLaunch {
    /// The bound launch.
    pub bound: Arc<dyn BoundLaunch>,
    /// The core's description of the launch. Backends do not read it.
    pub call: Arc<dyn Any + Send + Sync>,
    /// The recorded launch that this one replaces, which `bound` keeps.
    pub recorded: Option<Arc<dyn Any + Send + Sync>>,
}

/// The work of a graph's node in each run. Memory, also pageable memory, is read and written when the run reaches the
/// node.
#[derive(Clone)]
pub enum Work {
    /// A copy with no end on another device. The source is not staged.
    Copy(Copy),
    /// A copy of rows with no end on another device. The source is not staged.
    Copy2d(Copy2d),
    /// A fill.
    Fill(Fill),
    /// A reduction.
    Reduce(Reduce),
    /// A generation of random numbers. Each run reads what is in memory.
    RandomNum(RandomNum),
    /// A run of a kernel.
    Launch(NodeLaunch),
    /// A call of user code. Even nodes that do not depend on it may wait for it.
    HostFn(RepeatedFn),
    /// Records the event at this node in the most recent launch.
    Record(Arc<dyn Event>),
}

/// A node of a graph.
#[derive(Clone)]
pub struct Node {
    /// Its work.
    pub work: Work,
    /// The nodes that it depends on, by their indexes in the list, which are smaller than its own.
    pub after: Vec<usize>,
}

/// A graph for [`super::Op::RunGraph`] on streams of its device. Runs of one graph are serialized, in the order in
/// which they were enqueued. When the graph is dropped, pending runs keep what they need of it.
pub trait Graph: Any + Send + Sync {
    /// Whether a run is pending. A failed device runs nothing.
    fn is_running(&self) -> Result<bool>;

    /// Drops the parts of pending runs that have not begun, if the device can do that. Such a run has failed with
    /// [`super::FaultKind::Aborted`]. Does not wait.
    fn abort(&self);
}
