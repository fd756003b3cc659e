//! Captures: streams whose work is recorded instead of run.
//!
//! Work of a captured stream is ordered after its earlier work. An event that is recorded there marks a place in that
//! order, and a stream that waits for it joins the capture. The core does all of this: a backend gets a graph when it
//! is complete.

mod bound;
mod calls;
pub mod event;
pub mod interception;
pub mod mode;
pub mod recorder;

use std::fmt;
use std::sync::{Arc, Weak};

use parking_lot::{Mutex, MutexGuard};

pub use self::calls::{begin, begin_group, end, end_group, info, of};
pub(crate) use self::calls::{begin_as, check_capturable};
use self::mode::Mode;
pub use self::recorder::Recorder;
pub(crate) use self::recorder::capture_of;
use super::graph::{Graph, Resources};
use super::task::group::Group;
use super::task::{self, Task, What};
use crate::algo::host::grow::Grow;
use crate::algo::host::host_memory::claim::Claim;
use crate::algo::map::slot_table::Handle;
use crate::backend::{Position, Work, thread_number};
use crate::base::error::{Code, Error, Result, error_with, param_invalid};
use crate::base::handles::Object;
use crate::base::host_memory;
use crate::base::owner::Owner;
use crate::stream::Stream;
use crate::stream::interceptor::Capturing;

/// A capture: the streams that take part, and their tasks.
pub struct Capture {
    /// The handle of the graph that it becomes.
    pub graph: Handle,
    /// The owner id of its device.
    pub owner: Owner,
    /// The stream that it began with. For a graph that is built, the graph's own handle.
    pub origin: Handle,
    /// The calls that it forbids, and the threads to which it forbids them.
    pub mode: Mode,
    /// The thread that began it, as [`thread_number`] calls it.
    pub thread: u32,
    /// True if streams are bound to the graph, and aclmdlRIBuildEnd ends it.
    pub is_built: bool,
    /// True if the graph is the body of a conditional task.
    pub is_body: bool,
    state: Mutex<Recording>,
}

/// Writes the capture as texts name it.
impl fmt::Display for Capture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.is_built { "the building of modelRI" } else { "the capture of stream" };
        write!(f, "{what} {}", self.origin)
    }
}

impl Capture {
    /// Creates the capture of a stream, the first one that takes part. The capture becomes `graph`.
    pub fn new(graph: &Graph, stream: &Stream, mode: Mode) -> Arc<Self> {
        Arc::new_cyclic(|itself: &Weak<Self>| {
            let counted = Some(mode::list(Weak::clone(itself)));
            let state = Recording { branches: vec![Branch::new(stream.handle, true)], counted, ..Recording::default() };
            Self::of(graph.handle, stream.device.owner, stream.handle, mode, graph.body.is_some(), state)
        })
    }

    /// Creates the capture of a graph that is built from streams that will be bound to it. It forbids nothing.
    pub fn building(graph: Handle, owner: Owner) -> Arc<Self> {
        Arc::new(Self::of(graph, owner, graph, Mode::Relaxed, false, Recording::default()))
    }

    fn of(graph: Handle, owner: Owner, origin: Handle, mode: Mode, is_body: bool, state: Recording) -> Self {
        // A built graph is its own origin, and no stream has the handle of a graph.
        let (thread, is_built) = (thread_number(), origin == graph);
        Self { graph, owner, origin, mode, thread, is_built, is_body, state: Mutex::new(state) }
    }

    /// Locks the capture for recording.
    fn open(&self) -> Result<MutexGuard<'_, Recording>> {
        let state = self.state.lock();
        match state.spoilt {
            _ if state.is_over => Err(self.has_ended()),
            Some(why) if self.is_built => {
                Err(self.invalid(why, "destroy the graph with aclmdlRIDestroy and begin again"))
            }
            Some(why) => Err(self.invalid(why, "end the capture with aclmdlRICaptureEnd and begin again")),
            None => Ok(state),
        }
    }

    #[cold]
    fn has_ended(&self) -> Error {
        if self.is_built {
            return param_invalid!(
                "modelRI {:#x} is built (aclmdlRIBuildEnd) and takes no more work or streams; to record more, begin \
                 another graph (aclmdlRIBuildBegin) and bind the stream to it, after aclmdlRIUnbindStream if the stream \
                 is still bound to this one",
                self.graph.raw()
            );
        }
        Error::new(
            Code::StreamNotCaptured,
            "another thread has ended the capture of the stream during this call; end a capture once, and after all \
             threads have recorded their work",
        )
    }

    #[cold]
    fn invalid(&self, why: &str, advice: &str) -> Error {
        error_with!(Code::StreamCaptureInvalidated, "{self} is invalid: {why}; {advice}")
    }

    /// Whether the capture has ended.
    pub fn is_over(&self) -> bool {
        self.state.lock().is_over
    }

    /// Fails if nothing more can be recorded.
    pub fn check(&self) -> Result<()> {
        self.open().map(drop)
    }

    /// Makes the capture invalid.
    pub(crate) fn spoil(&self, why: &'static str) {
        self.state.lock().spoilt.get_or_insert(why);
    }

    /// Records tasks of a stream that are not ordered among themselves. Returns how many tasks the stream has then.
    pub fn add(&self, stream: Handle, what: What, works: Vec<Option<Work>>) -> Result<Position> {
        let mut state = self.open()?;
        let _memory = state.make_room(stream, works.len())?;
        let added = works.into_iter().map(|work| state.push(Task::new(stream, what, work), None)).collect();
        let branch = state.branch(stream);
        branch.after = added;
        Ok(branch.count)
    }

    /// Records a task of its stream, which is ordered after the task `also` too, if there is one. Returns the locked
    /// state, and the task's place.
    fn add_task(&self, task: Task, also: Option<usize>) -> Result<(MutexGuard<'_, Recording>, usize)> {
        let mut state = self.open()?;
        let stream = task.stream;
        let _memory = state.make_room(stream, 1)?;
        let added = state.push(task, also);
        state.branch(stream).after = vec![added];
        Ok((state, added))
    }

    /// Returns the resources of the graph, after a capture.
    pub(crate) fn take_resources(&self) -> Resources {
        std::mem::take(&mut self.state.lock().resources)
    }

    /// Records the tasks of a graph.
    pub(crate) fn add_graph(&self, stream: Handle, tasks: &[Task]) -> Result<()> {
        let mut state = self.open()?;
        let _memory = state.make_room(stream, tasks.len())?;
        let _copies = task::claim(tasks)?;
        let first = state.tasks.len();
        let before = state.branch(stream).after.clone();
        let mut is_last = vec![true; tasks.len()];
        for task in tasks {
            task.after.iter().for_each(|&index| is_last[index] = false);
            let own = task.after.iter().map(|index| first + index);
            let after = if task.after.is_empty() { before.clone() } else { own.collect() };
            // The group belongs to the other graph.
            state.tasks.push(Task { work: task.current_work(), group: None, after, stream, ..task.clone() });
        }
        let branch = state.branch(stream);
        branch.count += tasks.len() as Position;
        if !tasks.is_empty() {
            branch.after = (0..tasks.len()).filter(|&i| is_last[i]).map(|i| first + i).collect();
        }
        Ok(())
    }

    /// Ends the capture of a stream. Returns its tasks, or the reason why they are no graph.
    pub fn finish(&self) -> Result<Vec<Task>> {
        // It is declared before the lock, and so dropped after the lock is released.
        let tasks;
        let mut state = self.state.lock();
        ensure!(!state.is_over, self.has_ended());
        state.is_over = true;
        state.counted = None;
        tasks = std::mem::take(&mut state.tasks);
        if let Some(why) = state.spoilt {
            return Err(self.invalid(why, "the capture has ended without a graph; begin again"));
        }
        if let Some(branch) = state.branches.iter().find(|branch| branch.group.is_some()) {
            return Err(param_invalid!(
                "stream {:#x} has a task group that has not ended; call aclmdlRICaptureTaskGrpEnd before \
                 aclmdlRICaptureEnd. The capture has ended without a graph",
                branch.stream.raw()
            ));
        }
        let origin = state.branches.iter().find(|branch| branch.stream == self.origin);
        let last = origin.map_or(&[][..], |branch| &branch.after);
        let joined = task::before(&tasks, last);
        for branch in &state.branches {
            if !branch.after.iter().all(|&index| joined[index]) {
                return Err(error_with!(
                    Code::StreamUnjoined,
                    "stream {1:#x}, which began the capture, does not wait for the latest work of stream {0:#x}. The \
                     capture has ended without a graph; capture again, record an event in stream {0:#x} after its \
                     work, and let stream {1:#x} wait for the event before aclmdlRICaptureEnd",
                    branch.stream.raw(),
                    self.origin.raw()
                ));
            }
        }
        Ok(tasks)
    }

    /// Releases the streams: they run their work again, or are no longer bound.
    pub(crate) fn release_streams(self: &Arc<Self>) {
        let branches = std::mem::take(&mut self.state.lock().branches);
        let streams = branches.iter().filter_map(|branch| Stream::table().get(branch.stream));
        streams.for_each(|stream| Recorder::of(&stream).leave(self));
    }

    /// Ends the capture without a graph.
    pub fn cancel(self: &Arc<Self>) {
        self.spoil("its first stream was destroyed");
        let _ = self.finish();
        self.release_streams();
        drop(self.take_resources());
        self.drop_graph();
    }

    /// Drops the graph of a capture that has ended without one. A body stays, and can be captured again.
    pub(crate) fn drop_graph(&self) {
        let body = Graph::table().get_arc(self.graph).filter(|_| self.is_body);
        if !body.is_some_and(|body| body.unclaim()) {
            Graph::table().remove(self.graph);
        }
    }
}

/// The state of a capture.
#[derive(Default)]
struct Recording {
    tasks: Vec<Task>,
    branches: Vec<Branch>,
    resources: Resources,
    /// The reason that made it invalid.
    spoilt: Option<&'static str>,
    /// True if it has ended.
    is_over: bool,
    counted: Option<Capturing>,
}

/// The state of a stream that takes part.
struct Branch {
    stream: Handle,
    /// The tasks that its next task is ordered after.
    after: Vec<usize>,
    /// Number of tasks that it has recorded.
    count: Position,
    /// True if every run of the graph starts it.
    starts: bool,
    /// The group that its next task belongs to.
    group: Option<Arc<Group>>,
}

impl Branch {
    /// Creates a branch without tasks.
    fn new(stream: Handle, starts: bool) -> Self {
        Self { stream, after: Vec::new(), count: 0, starts, group: None }
    }
}

impl Recording {
    /// Allocates room for this many more tasks of a stream, and claims memory for their edges. On failure nothing
    /// changes.
    fn make_room(&mut self, stream: Handle, more: usize) -> Result<Claim> {
        let all = self.tasks.len() + more;
        let branch = self.branch(stream);
        let (before, group) = (branch.after.len(), branch.group.clone());
        let has_group_room = |group: Arc<Group>| group.state.lock().kinds.make_room(more).is_ok();
        let has_room = self.tasks.make_room(more).is_ok() && group.is_none_or(has_group_room);
        ensure!(has_room, host_memory::no_memory_for("tasks of a graph", all));
        // Each task needs memory for its edges, and for its index among those of the next task.
        let edges = (before + 2) * size_of::<usize>() + size_of::<[usize; 4]>();
        host_memory::claim("tasks of a graph", more, edges)
    }

    /// Returns the branch of a stream; the stream joins if it has none.
    fn branch(&mut self, stream: Handle) -> &mut Branch {
        let known = self.branches.iter().position(|branch| branch.stream == stream);
        let index = known.unwrap_or_else(|| {
            self.branches.push(Branch::new(stream, true));
            self.branches.len() - 1
        });
        &mut self.branches[index]
    }

    /// Adds a task, ordered after its stream's earlier tasks and `also`. Later tasks are not ordered after it yet.
    fn push(&mut self, task: Task, also: Option<usize>) -> usize {
        let branch = self.branch(task.stream);
        branch.count += 1;
        let mut after = branch.after.clone();
        after.extend(also.filter(|index| !branch.after.contains(index)));
        // Records of events have their place in the order of the graph.
        let can_change = task.work.as_ref().filter(|work| !matches!(work, Work::Record(_)));
        let group = branch.group.as_ref().zip(can_change).map(|(it, work)| it.add(work));
        self.tasks.push(Task { group, after, ..task });
        self.tasks.len() - 1
    }
}
