//! Groups of tasks, and recorded changes of them.

use std::ops::Range;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::claim_for;
use super::step::{memory_at, work_spans};
use crate::algo::count::Count;
use crate::algo::host::grow::Grow;
use crate::algo::host::host_memory::claim::Claim;
use crate::algo::map::slot_table::Handle;
use crate::backend::{self, Device, Node, Position, Work};
use crate::base::error::{Error, Result, param_invalid};
use crate::base::handles::{self, Object};
use crate::base::host_memory;
use crate::memory::allocation::Allocation;

/// A group of tasks.
pub struct Group {
    /// Its own handle.
    pub handle: Handle,
    /// Handle of the graph.
    pub graph: Handle,
    /// Its tasks and work.
    pub state: Mutex<GroupWork>,
}

handles::object!(Group, TaskGroup);

/// The tasks and the work of a group.
#[derive(Default)]
pub struct GroupWork {
    /// The kinds of its tasks, in order. A change keeps them.
    pub kinds: Vec<&'static str>,
    /// Ranges of tasks that run without anything in between.
    pub batches: Vec<Range<usize>>,
    /// The current work. `None` while the group is being captured, and when its graph has ended.
    pub version: Option<Arc<Version>>,
    /// Work that was replaced or not used. It is dropped when a backend can be called.
    pub replaced: Vec<Arc<Version>>,
    /// The change that a stream records now.
    pub update: Weak<Update>,
}

/// The work of a group after one change.
pub struct Version {
    /// The work of each task.
    pub works: Vec<Work>,
    /// The graphs of the backend, one for each batch.
    pub graphs: Vec<Arc<dyn backend::Graph>>,
    /// The library's memory that the work uses.
    pub memory: Vec<Allocation>,
}

impl Version {
    /// Creates the version for `works`, with one graph of the backend for each batch.
    pub fn new(device: &dyn Device, works: Vec<Work>, batches: &[Range<usize>]) -> Result<Arc<Self>> {
        let graph = |batch: &Range<usize>| {
            let node = |(place, work): (usize, &Work)| Node {
                work: work.clone(),
                after: place.checked_sub(1).into_iter().collect(),
            };
            let nodes: Vec<Node> = works[batch.clone()].iter().enumerate().map(node).collect();
            device.create_graph(&nodes)
        };
        let graphs = batches.iter().map(graph).collect::<backend::Result<Vec<_>>>()?;
        let memory = memory_at(works.iter().flat_map(work_spans));
        Ok(Arc::new(Self { works, graphs, memory }))
    }
}

/// Returns the kind of a task with work, as a word.
pub fn kind(work: &Work) -> &'static str {
    match work {
        Work::Copy(_) => "copy",
        Work::Copy2d(_) => "copy_2d",
        Work::Fill(_) => "fill",
        Work::Reduce(_) => "reduce",
        Work::RandomNum(_) => "random_num",
        Work::Launch(_) => "kernel",
        Work::HostFn(_) => "host_function",
        Work::Record(_) => "event_record",
    }
}

/// The place of a task in its group.
#[derive(Clone)]
pub struct Member {
    /// The group.
    pub group: Arc<Group>,
    index: usize,
}

impl Member {
    /// Returns the current work of the task, or `work` until its graph can run.
    pub fn work(&self, work: &Work) -> Work {
        let version = self.group.state.lock().version.clone();
        version.map_or_else(|| work.clone(), |version| version.works[self.index].clone())
    }
}

/// A group that a graph owns. When the graph drops it, the handle of the group dies, and the group's work is dropped.
pub struct Owned(pub Arc<Group>);

impl Drop for Owned {
    fn drop(&mut self) {
        Group::table().remove(self.0.handle);
        let version = self.0.state.lock().version.take();
        drop(version);
        self.0.drop_replaced();
    }
}

impl Group {
    /// Creates an empty group of a graph that is being captured.
    pub fn create(graph: Handle) -> Result<Owned> {
        let made = Self::table().publish(|handle| Self { handle, graph, state: Mutex::default() });
        made.map(Owned).ok_or_else(|| Error::no_more("task groups"))
    }

    /// Adds a task.
    pub fn add(self: &Arc<Self>, work: &Work) -> Member {
        let mut state = self.state.lock();
        state.kinds.push(kind(work));
        Member { group: Arc::clone(self), index: state.kinds.len() - 1 }
    }

    /// Drops replaced work. Called when a backend can be called.
    pub(crate) fn drop_replaced(&self) {
        let replaced = std::mem::take(&mut self.state.lock().replaced);
        drop(replaced);
    }
}

/// A change of a group that a stream records.
pub struct Update {
    /// The group.
    pub group: Arc<Group>,
    /// The operations so far.
    pub state: Mutex<Changes>,
}

/// The operations of a change.
#[derive(Default)]
pub struct Changes {
    works: Vec<Work>,
    /// A submitted operation that a group cannot have.
    spoilt: Option<&'static str>,
}

impl Update {
    /// Adds works. Returns the number of works then.
    pub fn add(&self, works: Vec<Option<Work>>) -> Result<Position> {
        let mut state = self.state.lock();
        let all = state.works.len() + works.len();
        let room = state.works.make_room(works.len());
        room.map_err(|_| host_memory::no_memory_for("operations of an update", all))?;
        state.works.extend(works.into_iter().flatten());
        Ok(state.works.len() as Position)
    }

    /// Notes that the stream got an operation that a group cannot have.
    pub(crate) fn spoil(&self, why: &'static str) {
        self.state.lock().spoilt.get_or_insert(why);
    }

    /// Claims host memory for the graphs of the works.
    pub fn claim(&self) -> Result<Claim> {
        claim_for(self.state.lock().works.len(), 0)
    }

    /// Returns the new works of the group.
    pub fn finish(&self) -> Result<Vec<Work>> {
        let changes = std::mem::take(&mut *self.state.lock());
        let wanted = &self.group.state.lock().kinds;
        let (has, needs) = (changes.works.len(), wanted.len());
        let mut kinds = changes.works.iter().map(kind).zip(wanted).enumerate();
        let why = match (changes.spoilt, kinds.find(|(_, (new, old))| new != *old)) {
            (Some(why), _) => why.to_owned(),
            _ if has != needs => {
                format!("the update has {}, and the task group has {needs}", Count(has, "operation"))
            }
            (None, Some((index, (new, old)))) => {
                format!(
                    "operation {index} of the update (counted from 0) is a {new}, but operation {index} of the task \
                     group is a {old}"
                )
            }
            (None, None) => return Ok(changes.works),
        };
        Err(param_invalid!(
            "{why}. The task group is unchanged, and the update has ended; call aclmdlRICaptureTaskUpdateBegin again, \
             and enqueue the operations that were captured, in the same order, with other arguments"
        ))
    }
}
