//! The handles of the streams and tasks of a graph, for queries.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::Graph;
use crate::algo::map::slot_table::Handle;
use crate::base::error::{Code, Error, Result};
use crate::base::handles::Object;
use crate::base::{handles, host_memory};
use crate::graph::task::{self, Task};

/// Maximum number of bytes of host memory that the handle of a task needs, with its object and its place in lists.
const HANDLE_BYTES: usize = 256;

/// The object of a handle of a graph's stream.
pub(crate) struct GraphStream {
    pub graph: Handle,
    /// Its index.
    pub index: usize,
}

handles::object!(GraphStream, GraphStream);

/// The object of a task's handle.
pub(crate) struct GraphTask {
    pub graph: Handle,
    /// Its place among all tasks of the graph.
    pub place: usize,
    /// Its place in its stream.
    pub sequence: usize,
}

handles::object!(GraphTask, GraphTask);

/// Handles and changes of a graph.
#[derive(Default)]
pub struct Inspected {
    /// Its name; "" if none was set.
    pub name: Mutex<String>,
    pub listing: Mutex<Option<Listing>>,
    /// Tasks that aclmdlRIUpdate will put into the places that they have here.
    pub changes: Mutex<BTreeMap<usize, Task>>,
}

impl Inspected {
    /// Drops handles and changes, because the graph has other tasks now.
    pub fn forget(&self) {
        let listing = self.listing.lock().take();
        let changes = std::mem::take(&mut *self.changes.lock());
        drop((listing, changes));
    }
}

/// The handles of a graph's streams, by the first task of each, and of its tasks.
pub(crate) type Listing = Arc<Vec<StreamTasks>>;

/// The tasks of one stream.
pub struct StreamTasks {
    /// The stream of the program, which may be destroyed.
    pub stream: Handle,
    pub handle: Handle,
    /// The handles of its tasks.
    pub tasks: Vec<Handle>,
}

fn list(graph: Handle, tasks: &[Task]) -> Result<Listing> {
    let streams = task::streams(tasks).into_iter().enumerate();
    let part =
        |(index, stream)| Ok(StreamTasks { stream, handle: insert(GraphStream { graph, index })?, tasks: Vec::new() });
    let mut parts: Vec<StreamTasks> = streams.map(part).collect::<Result<_>>()?;
    for (place, task) in tasks.iter().enumerate() {
        for part in parts.iter_mut().filter(|part| part.stream == task.stream) {
            part.tasks.push(insert(GraphTask { graph, place, sequence: part.tasks.len() })?);
        }
    }
    Ok(Arc::new(parts))
}

impl Drop for StreamTasks {
    fn drop(&mut self) {
        GraphStream::table().remove(self.handle);
        self.tasks.iter().for_each(|&task| drop(GraphTask::table().remove(task)));
    }
}

fn insert<T: Object>(object: T) -> Result<Handle> {
    let made = T::table().insert(Arc::new(object));
    made.ok_or_else(|| Error::no_more("streams and tasks of graphs"))
}

impl Graph {
    /// Returns the handles of the graph's streams and tasks.
    pub(crate) fn listing(&self) -> Result<Listing> {
        let ready = self.ready_or(Code::ModelCaptured)?;
        let mut listing = self.inspected.listing.lock();
        if let Some(known) = &*listing {
            return Ok(Arc::clone(known));
        }
        let _memory = host_memory::claim("handles of tasks", ready.tasks.len(), HANDLE_BYTES)?;
        let made = list(self.handle, &ready.tasks)?;
        Ok(Arc::clone(listing.insert(made)))
    }
}
