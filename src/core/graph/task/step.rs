//! Kinds of tasks, and the steps that the stream of a run does itself.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use crate::backend::{
    Change, CopyIndirect, Event, Notify, NotifyWait, Op, Position, SharedEvent, Span, ValueWait, ValueWrite,
};
use crate::core::stream::event::{sharing, until_set};

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
    /// See [`super::Task::control`].
    Control,
}

/// The memory that one task uses, without the heap: captures read it in each call.
pub type Spans = SmallVec<[Span; 8]>;

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
            Self::WaitShared(event) => submit(Op::WaitNotify(&event.latest(), until_set(None))),
        }
    }

    /// The memory that it uses.
    pub fn spans(&self) -> Spans {
        match self {
            Self::WriteValue(write) => smallvec![write.dst],
            Self::WaitValue(wait) => smallvec![wait.src],
            Self::CopyIndirect(copy) => copy.words().collect(),
            Self::ChangeNotify(..) | Self::WaitNotify(..) => Spans::new(),
            Self::Wait(_) | Self::Record(_) | Self::WaitShared(_) => Spans::new(),
        }
    }
}
