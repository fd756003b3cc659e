//! Tasks: recorded operations with their edges.

use std::sync::Arc;

use super::control::Control;
use super::group::Member;
use crate::algo::host::host_memory::claim::Claim;
use crate::algo::map::slot_table::Handle;
use crate::backend::{
    Change, CopyIndirect, Event, Notify, NotifyWait, Op, Position, SharedEvent, Span, ValueWait, ValueWrite, Work,
};
use crate::core::base::error;
use crate::core::base::host_memory;
use crate::core::memory::allocation::Allocation;
use crate::core::stream::event::sharing;

/// The kind of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A copy.
    Copy,
    /// A fill.
    Fill,
    /// A reduction.
    Reduce,
    /// Random numbers.
    RandomNum,
    /// A run of a kernel.
    Kernel,
    /// A call of user code.
    HostFn,
    /// A prefetch, which has no effect in a graph.
    Prefetch,
    /// The record of the event with this handle.
    EventRecord(u64),
    /// A wait for it.
    EventWait(u64),
    /// Its reset.
    EventReset(u64),
    /// The end of a stream, and of a run of the graph.
    End,
    /// Memory of a pool is allocated.
    MemAlloc,
    /// It is freed.
    MemFree,
    /// A write of a value.
    ValueWrite,
    /// A wait for one.
    ValueWait,
    /// A change of a notify.
    NotifyRecord,
    /// A wait for one.
    NotifyWait,
    /// See [`Task::control`].
    Control,
}

/// A step that the stream of a run does itself, between the parts that its backend runs.
#[derive(Clone)]
pub enum Step {
    /// Writes a value.
    WriteValue(ValueWrite),
    /// Waits for one.
    WaitValue(ValueWait),
    /// Changes a notify, or the signal of an event.
    ChangeNotify(Arc<Notify>, Change),
    /// Waits for a notify or a signal.
    WaitNotify(Arc<Notify>, NotifyWait),
    /// Copies between addresses that are in memory.
    CopyIndirect(CopyIndirect),
    /// Waits for the event's record that is the latest when the run is queued.
    Wait(Arc<dyn Event>),
    /// Records the event, for other processes as well.
    Record(Arc<SharedEvent>),
    /// Waits for the record, of any process, that is the latest when the run is queued.
    WaitShared(Arc<SharedEvent>),
}

impl Step {
    /// Whether its completion depends on other work.
    pub fn waits(&self) -> bool {
        matches!(self, Self::WaitValue(_) | Self::WaitNotify(..) | Self::Wait(_) | Self::WaitShared(_))
    }

    /// Submits it to a stream.
    pub fn queue<E>(&self, submit: impl FnOnce(Op<'_>) -> Result<Position, E>) -> Result<Position, E> {
        match self {
            Self::WriteValue(write) => submit(Op::WriteValue(*write)),
            Self::WaitValue(wait) => submit(Op::WaitValue(*wait)),
            Self::ChangeNotify(notify, change) => submit(Op::ChangeNotify(notify, *change)),
            Self::WaitNotify(notify, wait) => submit(Op::WaitNotify(notify, *wait)),
            Self::CopyIndirect(copy) => submit(Op::CopyIndirect(*copy)),
            Self::Wait(event) => submit(Op::Wait(event, None)),
            Self::Record(event) => sharing::queue_record(event, submit),
            Self::WaitShared(event) => sharing::queue_wait(event, None, submit),
        }
    }

    /// The memory that it uses.
    fn spans(&self) -> Vec<Span> {
        match self {
            Self::WriteValue(write) => vec![write.dst],
            Self::WaitValue(wait) => vec![wait.src],
            Self::CopyIndirect(copy) => copy.words().collect(),
            Self::ChangeNotify(..) | Self::WaitNotify(..) => Vec::new(),
            Self::Wait(_) | Self::Record(_) | Self::WaitShared(_) => Vec::new(),
        }
    }
}

/// A task of a graph.
#[derive(Clone)]
pub struct Task {
    /// Its kind.
    pub what: What,
    /// Its work; `None` if it only has a place in the order.
    pub work: Option<Work>,
    /// The step that follows it.
    pub step: Option<Step>,
    /// The control flow that follows it.
    pub control: Option<Arc<Control>>,
    /// Its group: its work can be changed until a run reaches it.
    pub group: Option<Member>,
    /// The tasks that it depends on, by their places in the list, which are smaller than its own.
    pub after: Vec<usize>,
    /// The stream that recorded it.
    pub stream: Handle,
    /// It uses an event of streams outside of the graph.
    pub is_external: bool,
    /// Runs skip it.
    pub is_disabled: bool,
}

impl Task {
    /// The work of a run.
    pub fn work(&self) -> Option<&Work> {
        self.work.as_ref().filter(|_| !self.is_disabled)
    }

    /// The step of a run.
    pub fn step(&self) -> Option<&Step> {
        self.step.as_ref().filter(|_| !self.is_disabled)
    }

    /// Its work is known only when a run reaches it.
    pub fn is_late(&self) -> bool {
        self.group.is_some() && self.work.is_some()
    }

    /// Whether later dependent tasks cannot be in the same part.
    pub fn ends_part(&self) -> bool {
        self.step.is_some() || self.is_late()
    }

    /// Whether both belong to one group.
    pub fn is_of_group_of(&self, other: &Self) -> bool {
        let group = |task: &Self| task.group.as_ref().map(|member| Arc::as_ptr(&member.group));
        group(self).is_some() && group(self) == group(other)
    }
}

/// The most host memory that a call needs for each task of a graph, and for each edge, while it instantiates the graph:
/// for the plan of its runs, and for what the core and the backend keep of it. Tests compare both with what calls use.
const BYTES: usize = 4096;
const EDGE_BYTES: usize = 128;

/// Claims host memory to instantiate a graph of these tasks, or as many of them again.
pub fn claim(tasks: &[Task]) -> error::Result<Claim> {
    let edges: usize = tasks.iter().map(|task| task.after.len()).sum();
    claim_for(tasks.len(), edges)
}

/// As [`claim`], for this many tasks and edges.
pub fn claim_for(tasks: usize, edges: usize) -> error::Result<Claim> {
    let bytes = tasks * BYTES + edges * EDGE_BYTES;
    Claim::new(bytes).ok_or_else(|| host_memory::no_memory_for("tasks of a graph", tasks))
}

/// The tasks that these depend on, including themselves.
pub fn before(tasks: &[Task], last: &[usize]) -> Vec<bool> {
    let mut is_before = vec![false; tasks.len()];
    last.iter().for_each(|&index| is_before[index] = true);
    // Backwards: each depends on earlier ones only.
    for index in (0..tasks.len()).rev() {
        if is_before[index] {
            tasks[index].after.iter().for_each(|&earlier| is_before[earlier] = true);
        }
    }
    is_before
}

/// The library's memory that tasks use, each allocation once; without that of groups, which changes.
pub fn memory(tasks: &[Task]) -> Vec<Allocation> {
    let mut spans: Vec<Span> = Vec::new();
    for task in tasks {
        spans.extend(task.work().filter(|_| !task.is_late()).into_iter().flat_map(work_spans));
        spans.extend(task.step().into_iter().flat_map(Step::spans));
        spans.extend(task.control.iter().flat_map(|control| control.spans()).flatten());
    }
    memory_at(spans)
}

/// As [`memory`], for these works.
pub fn memory_of(works: &[Work]) -> Vec<Allocation> {
    memory_at(works.iter().flat_map(work_spans))
}

fn memory_at(spans: impl IntoIterator<Item = Span>) -> Vec<Allocation> {
    let mut all: Vec<Allocation> = Vec::new();
    for span in spans {
        let mut addr = span.addr;
        // Adjacent mappings: the span may continue in the next one.
        while addr < span.addr + span.len {
            let Some(found) = Allocation::find(addr) else { break };
            addr = found.base + found.len;
            all.push(found);
        }
    }
    all.sort_unstable_by_key(|found| found.base);
    all.dedup();
    all
}

fn work_spans(work: &Work) -> Vec<Span> {
    match work {
        Work::Copy(copy) => vec![copy.dst, copy.src],
        Work::Copy2d(copy) => vec![copy.dst.span, copy.src.span],
        Work::Fill(fill) => vec![fill.dst],
        Work::Reduce(reduce) => vec![reduce.dst, reduce.src],
        Work::RandomNum(job) => job.words().chain(job.counter).chain([job.dst]).collect(),
        Work::Launch(_) | Work::HostFn(_) | Work::Record(_) => Vec::new(),
    }
}

#[cfg(test)]
#[path = "task_tests.rs"]
pub(super) mod tests;
