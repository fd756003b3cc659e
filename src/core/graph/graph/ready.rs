//! The runnable form of a graph.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Graph;
use super::body::OwnedBodies;
use crate::backend::Position;
use crate::base::error::{Result, unsupported};
use crate::graph::flow::{self, Flow};
use crate::graph::memory::GraphMemory;
use crate::graph::program::Program;
use crate::graph::task::group::Owned;
use crate::graph::task::{self, Task, What};
use crate::memory::allocation::Allocation;
use crate::runtime::device::Device;
use crate::stream::Stream;

/// The driver of a graph's runs.
pub enum Drive {
    /// The backend drives them.
    Backend,
    /// The host drives them.
    Host(Arc<Flow>),
    /// The host drives them, once all bodies of conditional tasks are captured. The runs of a body are a part of the
    /// other graph's. Flows support the tasks ([`flow::check`]).
    HostLater,
}

/// A graph that can run.
pub struct Ready {
    /// The recorded tasks.
    pub tasks: Vec<Task>,
    /// Runs the graph, or follows a flow.
    pub program: Arc<Program>,
    pub drive: Drive,
    /// The library's memory that it uses.
    pub memory: Vec<Allocation>,
    /// The handles of the events that each run records.
    pub events: Vec<u64>,
    pub resources: Arc<Resources>,
}

/// Objects that are released with a graph.
#[derive(Default)]
pub struct Resources {
    /// The groups among its tasks.
    pub groups: Vec<Owned>,
    /// Bodies of conditional tasks.
    pub bodies: Vec<OwnedBodies>,
    /// Pool memory.
    pub memory: GraphMemory,
}

impl Resources {
    /// Releases the objects. Returns the first failure.
    pub fn end(&mut self) -> Result<()> {
        let bodies = self.bodies.iter_mut().map(OwnedBodies::end).fold(Ok(()), Result::and);
        self.memory.end().and(bodies)
    }
}

impl Ready {
    /// Creates the runnable form of these tasks, on `device`.
    pub fn new(device: &Device, tasks: Vec<Task>, drive: Drive, resources: Resources) -> Result<Arc<Self>> {
        let of_backend = if matches!(drive, Drive::Backend) { &*tasks } else { &[] };
        let program = Arc::new(Program::new(&device.native, of_backend)?);
        Ok(Self::of(tasks, program, drive, Arc::new(resources)))
    }

    /// Returns the same for a graph whose bodies are all captured.
    pub(crate) fn with_flow(self: &Arc<Self>, graph: &Graph) -> Result<Arc<Self>> {
        let tree = graph.tree(self)?;
        let all = tree.all_tasks();
        let _memory = task::claim(&all)?;
        let streams = task::streams(&tree.tasks);
        let starting = streams.len();
        let flow = Flow::new(graph.handle, &graph.device, &tree, streams, starting)?;
        let (program, resources) = (Arc::clone(&self.program), Arc::clone(&self.resources));
        let drive = Drive::Host(flow);
        let (memory, events) = uses(&all);
        Ok(Arc::new(Self { tasks: self.tasks.clone(), program, drive, memory, events, resources }))
    }

    fn of(tasks: Vec<Task>, program: Arc<Program>, drive: Drive, resources: Arc<Resources>) -> Arc<Self> {
        let (memory, events) = uses(&tasks);
        Arc::new(Self { tasks, program, drive, memory, events, resources })
    }

    /// Returns the same graph with other tasks in some places, which have the same edges.
    pub(crate) fn with_changes(&self, device: &Device, changes: &BTreeMap<usize, Task>) -> Result<Arc<Self>> {
        if !matches!(self.drive, Drive::Backend) {
            return Err(unsupported!(
                "the tasks of a body of a conditional task, and of a graph with labels, switches, conditional tasks or \
                 streams that start others, cannot be changed in this version; record the graph again"
            ));
        }
        let mut tasks = self.tasks.clone();
        changes.iter().for_each(|(place, task)| tasks[*place] = task.clone());
        let changed: Vec<usize> = changes.keys().copied().collect();
        self.program.update(&device.native, &self.tasks, &tasks, &changed)?;
        let (program, resources) = (Arc::clone(&self.program), Arc::clone(&self.resources));
        Ok(Self::of(tasks, program, Drive::Backend, resources))
    }

    /// Queues a run, with its allocations and frees of pool memory. Returns its last operation.
    pub fn queue(&self, stream: &Stream) -> Result<Position> {
        self.resources.memory.in_run(stream, || match &self.drive {
            Drive::Host(flow) => flow::run::queue(flow, stream, &self.program),
            Drive::Backend | Drive::HostLater => self.program.queue(stream, &self.tasks),
        })
    }

    /// Ends the graph. Returns the first failure to free its memory.
    pub fn end(self) -> Result<()> {
        Arc::into_inner(self.resources).map_or(Ok(()), |mut resources| resources.end())
    }
}

/// Returns the library's memory that tasks use, and the events that each run records.
pub(crate) fn uses(tasks: &[Task]) -> (Vec<Allocation>, Vec<u64>) {
    // The other tasks only have a place in the order.
    let is_recorded = |task: &Task| task.work().is_some() || task.step().is_some();
    let recorded = tasks.iter().filter(|task| is_recorded(task));
    let events = recorded.filter_map(|task| if let What::EventRecord(event) = task.what { Some(event) } else { None });
    (task::memory(tasks), events.collect())
}
