//! The recorded tasks of a capture, and the streams that take part.

use std::sync::Arc;

use crate::algo::host::grow::Grow;
use crate::algo::host::host_memory::claim::Claim;
use crate::algo::map::slot_table::Handle;
use crate::backend::{Position, Work};
use crate::core::base::error::Result;
use crate::core::base::host_memory;
use crate::core::graph::graph::Resources;
use crate::core::graph::task::Task;
use crate::core::graph::task::group::Group;
use crate::core::stream::interceptor::Capturing;

/// The state of a capture.
#[derive(Default)]
pub(super) struct State {
    pub tasks: Vec<Task>,
    pub branches: Vec<Branch>,
    pub resources: Resources,
    /// The reason that made it invalid.
    pub spoilt: Option<&'static str>,
    /// It has ended.
    pub is_over: bool,
    pub counted: Option<Capturing>,
}

/// A stream that takes part.
pub(super) struct Branch {
    pub stream: Handle,
    /// The tasks that its next task is ordered after.
    pub after: Vec<usize>,
    /// How many tasks it has recorded.
    pub count: Position,
    /// Every run of the graph starts it.
    pub starts: bool,
    /// The group that its next task belongs to.
    pub group: Option<Arc<Group>>,
}

impl Branch {
    /// A branch without tasks.
    pub fn new(stream: Handle, starts: bool) -> Self {
        Self { stream, after: Vec::new(), count: 0, starts, group: None }
    }
}

impl State {
    /// Allocates room for this many more tasks of a stream, and claims memory for their edges. On failure nothing has
    /// changed.
    pub fn make_room(&mut self, stream: Handle, more: usize) -> Result<Claim> {
        let all = self.tasks.len() + more;
        let branch = self.branch(stream);
        let (before, group) = (branch.after.len(), branch.group.clone());
        let has_room = self.tasks.make_room(more).is_ok() && group.is_none_or(|group| group.make_room(more));
        ensure!(has_room, host_memory::no_memory_for("tasks of a graph", all));
        // For each task its edges, and its index among those of the next task.
        let edges = (before + 2) * size_of::<usize>() + size_of::<[usize; 4]>();
        host_memory::claim("tasks of a graph", more, edges)
    }

    /// The branch of a stream; the stream joins if it has none.
    pub fn branch(&mut self, stream: Handle) -> &mut Branch {
        let known = self.branches.iter().position(|branch| branch.stream == stream);
        let index = known.unwrap_or_else(|| {
            self.branches.push(Branch::new(stream, true));
            self.branches.len() - 1
        });
        &mut self.branches[index]
    }

    /// Adds a task, ordered after its stream's earlier tasks and `also`. Later tasks are not ordered after it yet.
    pub fn push(&mut self, task: Task, also: Option<usize>) -> usize {
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
