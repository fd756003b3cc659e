//! Kinds of tasks, the steps that the stream of a run does itself, and the library's memory that tasks use.

use std::fmt::Display;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::Task;
use crate::backend::{
    Change, CopyIndirect, Event, HostTask, Notify, NotifyWait, Op, Position, SharedEvent, Span, ValueWait, ValueWrite,
    Work,
};
use crate::base::error::{self, Error, param_invalid};
use crate::memory::allocation::Allocation;
use crate::stream::event::{sharing, until_set};

/// The kind of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Work of the backend. A task of this kind without work is a prefetch, which has no effect in a graph.
    Work,
    /// A copy between addresses that are in memory.
    CopyIndirect,
    /// A task of the host.
    HostTask,
    /// The record of the event with this handle.
    EventRecord(u64),
    /// A wait for the event with this handle.
    EventWait(u64),
    /// A reset of the event with this handle.
    EventReset(u64),
    /// The end of a stream, and of a run of the graph.
    End,
    /// An allocation of pool memory.
    MemAlloc,
    /// A free of pool memory.
    MemFree,
    /// A write of a value.
    ValueWrite,
    /// A wait for a value.
    ValueWait,
    /// A change of a notify.
    NotifyRecord,
    /// A wait for a notify.
    NotifyWait,
    /// See [`super::Task::control`].
    Control,
}

impl What {
    /// Returns the handle of the event that the task records, awaits or resets.
    pub const fn event(self) -> Option<u64> {
        match self {
            Self::EventRecord(event) | Self::EventWait(event) | Self::EventReset(event) => Some(event),
            Self::Work
            | Self::CopyIndirect
            | Self::HostTask
            | Self::End
            | Self::MemAlloc
            | Self::MemFree
            | Self::ValueWrite
            | Self::ValueWait
            | Self::NotifyRecord
            | Self::NotifyWait
            | Self::Control => None,
        }
    }
}

/// The memory that one task uses. It is not on the heap, because captures read it in each call.
pub(super) type Spans = SmallVec<[Span; 8]>;

/// A step that the stream of a run does itself, between the parts that its backend runs.
#[derive(Clone)]
pub enum Step {
    /// Writes a value.
    WriteValue(ValueWrite),
    /// Waits for a value.
    WaitValue(ValueWait),
    /// Changes a notify, or the signal of an event.
    ChangeNotify(Arc<Notify>, Change),
    /// Waits for a notify or a signal.
    WaitNotify(Arc<Notify>, NotifyWait),
    /// Copies between addresses that are in memory.
    CopyIndirect(CopyIndirect),
    /// Runs a task of the host.
    HostTask(Arc<HostTask>),
    /// Waits for the event's record that is the latest when the run is enqueued.
    Wait(Arc<dyn Event>),
    /// Records the event, for other processes as well.
    Record(Arc<SharedEvent>),
    /// Waits for the record, of any process, that is the latest when the run is enqueued.
    WaitShared(Arc<SharedEvent>),
}

impl Step {
    /// Whether the completion of the step depends on other work.
    pub fn waits(&self) -> bool {
        matches!(
            self,
            Self::HostTask(_) | Self::WaitValue(_) | Self::WaitNotify(..) | Self::Wait(_) | Self::WaitShared(_)
        )
    }

    /// Submits the step to a stream.
    pub fn queue<E>(&self, submit: impl FnOnce(Op<'_>) -> Result<Position, E>) -> Result<Position, E> {
        match self {
            Self::WriteValue(write) => submit(Op::WriteValue(*write)),
            Self::WaitValue(wait) => submit(Op::WaitValue(*wait)),
            Self::ChangeNotify(notify, change) => submit(Op::ChangeNotify(notify, *change)),
            Self::WaitNotify(notify, wait) => submit(Op::WaitNotify(notify, *wait)),
            Self::CopyIndirect(copy) => submit(Op::CopyIndirect(*copy)),
            Self::HostTask(task) => submit(Op::HostTask(task)),
            Self::Wait(event) => submit(Op::Wait(event, None)),
            Self::Record(event) => sharing::queue_record(event, submit),
            Self::WaitShared(event) => submit(Op::WaitNotify(&event.latest(), until_set(None))),
        }
    }

    /// Returns the memory that the step uses.
    pub(crate) fn spans(&self) -> Spans {
        match self {
            Self::WriteValue(write) => smallvec![write.dst],
            Self::WaitValue(wait) => smallvec![wait.src],
            Self::CopyIndirect(copy) => copy.words().collect(),
            Self::HostTask(task) => task.memory().map(|(memory, _)| memory).collect(),
            Self::ChangeNotify(..) | Self::WaitNotify(..) => Spans::new(),
            Self::Wait(_) | Self::Record(_) | Self::WaitShared(_) => Spans::new(),
        }
    }
}

/// Returns the library's memory that tasks use, each allocation once. Excludes the memory of groups, which changes.
pub fn memory(tasks: &[Task]) -> Vec<Allocation> {
    let mut spans: Vec<Span> = Vec::new();
    for task in tasks {
        spans.extend(task.work().filter(|_| !task.is_late()).into_iter().flat_map(work_spans));
        spans.extend(task.step().into_iter().flat_map(Step::spans));
        spans.extend(task.control.iter().flat_map(|control| control.spans()).flatten());
    }
    memory_at(spans)
}

/// Returns the allocations at these places, each once.
pub(super) fn memory_at(spans: impl IntoIterator<Item = Span>) -> Vec<Allocation> {
    let mut all: Vec<Allocation> = Vec::new();
    for span in spans {
        let mut addr = span.addr;
        // The mappings may be adjacent, so the span may continue in the next one.
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

/// Returns the memory that recorded work names.
pub(crate) fn work_spans(work: &Work) -> Spans {
    match work {
        Work::Copy(copy) => smallvec![copy.dst, copy.src],
        Work::Copy2d(copy) => smallvec![copy.dst.span, copy.src.span],
        Work::Fill(fill) => smallvec![fill.dst],
        Work::Reduce(reduce) => smallvec![reduce.dst, reduce.src],
        Work::RandomNum(job) => job.words().chain(job.counter).chain([job.dst]).collect(),
        Work::Launch(_) | Work::HostFn(_) | Work::Record(_) => Spans::new(),
    }
}

/// Fails unless the memory that `what` uses is still allocated as it was.
pub(crate) fn check_memory(what: impl Display, memory: &[Allocation]) -> error::Result<()> {
    let is_gone = |known: &&Allocation| Allocation::find(known.base) != Some(**known);
    memory.iter().find(is_gone).map_or(Ok(()), |gone| Err(memory_is_gone(what, gone)))
}

#[cold]
fn memory_is_gone(what: impl Display, gone: &Allocation) -> Error {
    param_invalid!(
        "{what} uses {} bytes at {:#x} that were freed, unmapped, closed or unregistered after the recording; keep \
         the memory that a graph uses, or record the graph again",
        gone.len,
        gone.base
    )
}
