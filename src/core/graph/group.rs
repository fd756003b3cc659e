//! Groups of tasks whose work can be changed: aclmdlRICaptureTaskGrpBegin to _TaskUpdateEnd.
//!
//! An update is an operation of its stream, and a launch reads a group when it reaches it: streams order the two. An
//! update that is ordered before an event changes a pending launch that waits for that event before the group.
//!
//! The work of a group is a separate graph of the backend. A [`Runner`] launches it while the stream waits.

pub mod update;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use self::update::Update;
use super::memory_is_gone;
use super::task::{self, Task, What};
use crate::algo::host::grow::Grow;
use crate::algo::map::slot_table::Handle;
use crate::backend::{
    self, Device, Failure, Fault, FaultKind, HostFn, Node, Observer, Op, Payload, Position, Work, thread_number,
};
use crate::core::base::error::{Code, Error, Result};
use crate::core::base::handles::{self, Object};
use crate::core::base::owner::Owner;
use crate::core::memory::allocation::Allocation;
use crate::core::stream::Stream;
use crate::core::stream::failure::Failures;

/// A group of tasks.
pub struct Group {
    /// Its own handle.
    pub handle: Handle,
    /// Of the graph.
    graph: Handle,
    /// Of its device.
    owner: Owner,
    state: Mutex<State>,
}

handles::object!(Group, TaskGroup);

#[derive(Default)]
struct State {
    /// Its tasks, in order.
    kinds: Vec<(What, Shape)>,
    /// Tasks that run without anything in between.
    batches: Vec<Range<usize>>,
    /// Its current work; `None` while it is being captured.
    version: Option<Arc<Version>>,
    /// Replaced and unused work: dropped when a backend can be called.
    replaced: Vec<Arc<Version>>,
    /// The change that a stream records now.
    update: Weak<Update>,
}

/// The work of a group after one change.
struct Version {
    works: Vec<Work>,
    /// One for each batch.
    graphs: Vec<Arc<dyn backend::Graph>>,
    /// The library's memory that it uses.
    memory: Vec<Allocation>,
}

impl Version {
    fn new(device: &dyn Device, works: Vec<Work>, batches: &[Range<usize>]) -> Result<Arc<Self>> {
        let graph = |batch: &Range<usize>| {
            let node = |(place, work): (usize, &Work)| Node {
                work: work.clone(),
                after: place.checked_sub(1).into_iter().collect(),
            };
            let nodes: Vec<Node> = works[batch.clone()].iter().enumerate().map(node).collect();
            device.create_graph(&nodes)
        };
        let graphs = batches.iter().map(graph).collect::<backend::Result<Vec<_>>>()?;
        let memory = task::memory_of(&works);
        Ok(Arc::new(Self { works, graphs, memory }))
    }
}

/// What a change must keep, besides the kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Bytes,
    Rows,
    Other,
}

impl Shape {
    fn of(work: &Work) -> Self {
        match work {
            Work::Copy(_) => Self::Bytes,
            Work::Copy2d(_) => Self::Rows,
            _ => Self::Other,
        }
    }
}

fn name((what, shape): (What, Shape)) -> &'static str {
    match (what, shape) {
        (What::Copy, Shape::Rows) => "a copy of rows",
        (What::Copy, _) => "a copy",
        (What::Fill, _) => "a fill",
        (What::Reduce, _) => "a reduction",
        (What::RandomNum, _) => "random numbers",
        (What::Kernel, _) => "a kernel",
        (What::HostFn, _) => "a host function",
        _ => "another task",
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
    /// The current work of the task; `work` until its graph can run.
    pub fn work(&self, work: &Work) -> Work {
        let version = self.group.state.lock().version.clone();
        version.map_or_else(|| work.clone(), |version| version.works[self.index].clone())
    }
}

/// Dropped with its graph: then the handle of the group dies.
pub struct Owned(pub Arc<Group>);

impl Drop for Owned {
    fn drop(&mut self) {
        Group::table().remove(self.0.handle);
    }
}

impl Group {
    /// An empty group of a graph that is being captured.
    pub fn create(graph: Handle, owner: Owner) -> Result<Owned> {
        let make = |handle| Arc::new(Self { handle, graph, owner, state: Mutex::default() });
        let made = Self::table().insert_with(make).and_then(|handle| Self::table().get_arc(handle));
        made.map(Owned).ok_or_else(|| Error::no_more("task groups"))
    }

    /// Adds a task.
    pub fn add(self: &Arc<Self>, what: What, work: &Work) -> Member {
        let mut state = self.state.lock();
        state.kinds.push((what, Shape::of(work)));
        Member { group: Arc::clone(self), index: state.kinds.len() - 1 }
    }

    /// Allocates room for this many more tasks. Returns whether there is memory for them.
    pub fn make_room(&self, more: usize) -> bool {
        self.state.lock().kinds.make_room(more).is_ok()
    }

    /// Drops replaced work. To be called when a backend can be called.
    pub fn drop_replaced(&self) {
        let replaced = std::mem::take(&mut self.state.lock().replaced);
        drop(replaced);
    }
}

/// Consecutive tasks of a group, read when a run reaches them.
pub struct Late {
    group: Arc<Group>,
    batch: usize,
}

impl Late {
    /// The tasks with these places, which belong to one group. Each task of a group is added once, in order.
    pub fn new(tasks: &[Task], members: &[usize], device: &dyn Device) -> Result<Self> {
        let mine = members.iter().filter_map(|&index| tasks[index].group.as_ref());
        let mine: Vec<&Member> = mine.collect();
        let group = Arc::clone(&mine.first().ok_or_else(no_group)?.group);
        let mut state = group.state.lock();
        let first = state.batches.last().map_or(0, |batch| batch.end);
        state.batches.push(first..first + mine.len());
        let batch = state.batches.len() - 1;
        if first + mine.len() == state.kinds.len() {
            let of_group = |task: &&Task| task.group.as_ref().is_some_and(|member| Arc::ptr_eq(&member.group, &group));
            let works = tasks.iter().filter(of_group).filter_map(|task| task.work.clone());
            state.version = Some(Version::new(device, works.collect(), &state.batches)?);
        }
        drop(state);
        Ok(Self { group, batch })
    }
}

fn no_group() -> Error {
    Error::new(Code::InternalError, "a task without a group was to be late")
}

/// Runs late tasks, on a private stream, while the stream of the run waits.
pub struct Runner {
    stream: Arc<dyn backend::Stream>,
    turn: Arc<CurrentTurn>,
}

/// The place where a run of a graph has reached a group.
#[derive(Clone)]
struct Turn {
    failures: Arc<Failures>,
    position: Position,
    thread: u32,
}

/// The stream that receives failures of the runner's stream.
#[derive(Default)]
struct CurrentTurn(Mutex<Option<Turn>>);

impl Observer for CurrentTurn {
    fn failed(&self, failure: Failure) -> Option<HostFn> {
        let turn = self.0.lock().clone()?;
        let (position, thread) = (Some(turn.position), Some(turn.thread));
        turn.failures.failed(Failure { position, thread, ..failure })
    }
}

impl Runner {
    /// With a stream that `create` makes.
    pub fn new(
        create: impl FnOnce(Arc<dyn Observer>) -> backend::Result<Arc<dyn backend::Stream>>,
    ) -> Result<Arc<Self>> {
        let turn: Arc<CurrentTurn> = Arc::default();
        let stream = create(Arc::clone(&turn) as Arc<dyn Observer>)?;
        Ok(Arc::new(Self { stream, turn }))
    }

    /// Queues a batch.
    pub fn queue(self: &Arc<Self>, late: &Late, stream: &Stream, aborts: &Arc<AtomicU64>) -> Result<Position> {
        let (runner, group, batch) = (Arc::clone(self), Arc::clone(&late.group), late.batch);
        let (failures, thread) = (stream.share_failures(), thread_number());
        let aborts = Arc::clone(aborts);
        let aborted = aborts.load(Ordering::Relaxed);
        // Locked until it is known: another thread may reach it before.
        let place = Arc::new(Mutex::new(0));
        let place_then = Arc::clone(&place);
        let mut place = place.lock();
        let function = HostFn::from_backend_calls(move || {
            let position = *place_then.lock();
            // Relaxed: see where it is changed.
            if aborts.load(Ordering::Relaxed) == aborted {
                runner.run(&group, batch, Turn { failures, position, thread });
            }
        });
        *place = stream.submit(Op::HostFn(Payload::new(&mut Some(function))))?;
        Ok(*place)
    }

    fn run(&self, group: &Group, batch: usize, turn: Turn) {
        *self.turn.0.lock() = Some(turn.clone());
        group.drop_replaced();
        let version = group.state.lock().version.clone();
        let Some(version) = version else { return };
        let Err(fault) = self.run_version(&version, batch) else { return };
        let Turn { failures, position, thread } = turn;
        let (position, thread) = (Some(position), Some(thread));
        if let Some(tell) = failures.failed(Failure { fault, position, thread, launch: None }) {
            tell.run();
        }
    }

    fn run_version(&self, version: &Version, batch: usize) -> backend::Result<()> {
        let gone = |known: &&Allocation| Allocation::find(known.base) != Some(**known);
        if let Some(gone) = version.memory.iter().find(gone) {
            let text = memory_is_gone("a task group", gone).text().to_owned();
            return Err(Fault::new(FaultKind::InvalidArgument, text));
        }
        self.stream.submit(Op::RunGraph(&version.graphs[batch]))?;
        // The observer reports failures of the work.
        self.stream.synchronize(None).map(drop)
    }
}
