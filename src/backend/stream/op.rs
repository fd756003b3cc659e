//! One operation of a stream.

use std::sync::Arc;
use std::time::Duration;

use crate::{
    Change, Copy, Copy2d, CopyIndirect, Delivery, Event, Fill, Graph, Home, HostFn, HostTask, Launch, Notify,
    NotifyWait, Position, RandomNum, Reduce, Result, Span, ValueWait, ValueWrite,
};

/// An operation of a stream.
pub enum Op<'a> {
    /// Copies bytes. When the call returns, a pageable source has been read or staged, and a pageable destination has
    /// been written, in order with earlier work.
    Copy(Copy),
    /// Copies without an order among themselves, at least one. Pageable memory is treated as by [`Op::Copy`]. The call
    /// waits for all of them at once, even if one could not be enqueued.
    CopyBatch(&'a [Copy]),
    /// Copies rows. Pageable memory is treated as by [`Op::Copy`].
    Copy2d(Copy2d),
    /// Copies between places whose addresses are in memory. Memory that is freed after the submission stays until the
    /// operation is complete, as for a kernel.
    CopyIndirect(CopyIndirect),
    /// Fills device memory, managed memory, or pinned host memory.
    Fill(Fill),
    /// Moves parts of managed blocks, at least one, without an order among themselves, or does nothing if that saves no
    /// time.
    Prefetch(&'a [(Span, Home)]),
    /// Generates random numbers. Memory that is freed after the submission stays until they are complete.
    RandomNum(RandomNum),
    /// Reduces two ranges.
    Reduce(Reduce),
    /// Runs a kernel. Memory that is freed after the submission stays until the kernel has run, because the memory that
    /// a kernel uses is unknown.
    Launch(&'a Launch<'a>),
    /// Calls user code on a thread of the backend, never on the caller's. Later operations of this stream wait
    /// until it returns; other streams do not.
    HostFn(Payload<'a, HostFn>),
    /// Runs a task on a thread of its own, never on one that waits or serves streams, with addresses for the buffers.
    /// Later operations of this stream wait until it returns; other streams do not. Memory that is freed after the
    /// submission stays until then. An abort or an abandon of the stream [stops](crate::TaskRun::stop) the task, and
    /// does not wait for it.
    HostTask(&'a Arc<HostTask>),
    /// Runs a graph of the stream's device as one operation, which overlaps no other run of the graph. Memory that is
    /// freed after the submission stays until the run is complete, as for a kernel.
    RunGraph(&'a Arc<dyn Graph>),
    /// Delivers something when the stream reaches it.
    HandOver {
        /// The object that is delivered.
        delivery: Payload<'a, Box<dyn Delivery>>,
        /// Whether later operations of this stream wait until the delivery's ticket is dropped. They wait without a
        /// thread if the device supports it. If it does not, they do not wait, and the ticket has no effect.
        wait: bool,
    },
    /// Records an event: all work enqueued on this stream so far. Replaces an earlier record. Waits that were enqueued
    /// before keep the record that they saw.
    Record(&'a Arc<dyn Event>),
    /// Makes later operations of this stream wait for the event's latest record as of the submission; without a record
    /// they do not wait. The event may belong to another device of the same driver, and may be dropped right after the
    /// call. A timeout is greater than 0 and counts from when the stream reaches the wait. After it the stream goes on,
    /// and has failed with [`FaultKind::WaitTimedOut`](crate::FaultKind::WaitTimedOut).
    Wait(&'a Arc<dyn Event>, Option<Duration>),
    /// Writes a value atomically.
    WriteValue(ValueWrite),
    /// Makes later operations of this stream wait until the memory has the value, which any stream, device, process or
    /// the host may write. This needs no thread for each wait.
    WaitValue(ValueWait),
    /// Changes a notify of any device or process.
    ChangeNotify(&'a Arc<Notify>, Change),
    /// Makes later operations of this stream wait for a notify of any device or process. A wait that exceeds its
    /// timeout fails with [`WaitTimedOut`](crate::FaultKind::WaitTimedOut). A wait for a notify that was
    /// destroyed, or whose process has died, fails with
    /// [`InvalidArgument`](crate::FaultKind::InvalidArgument). The stream goes on.
    WaitNotify(&'a Arc<Notify>, NotifyWait),
    /// Marks a position in the stream without work. Only for drivers without [pools](crate::Driver::pools).
    Mark,
}

// With a destructor, each submission would run it, or check whether it has to.
const _: () = assert!(!std::mem::needs_drop::<Op<'_>>());

/// A value that an operation passes. It lies outside of the operation, because it has a destructor and operations have
/// none.
pub struct Payload<'a, T>(&'a mut Option<T>);

impl<'a, T> Payload<'a, T> {
    /// Passes the value in `slot`: `Payload::new(&mut Some(value))`.
    pub fn new(slot: &'a mut Option<T>) -> Self {
        debug_assert!(slot.is_some());
        Self(slot)
    }

    /// Returns the value.
    pub fn take(self) -> T {
        self.0.take().expect("an operation is submitted with what it hands over")
    }
}

/// Declares the kinds of operations: variant, name, and whether the operation can fail asynchronously.
macro_rules! kinds {
    ($($variant:ident $name:literal $fails:literal,)*) => {
        /// The kind of an operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum OpKind {
            $(#[doc = $name] $variant,)*
        }

        impl OpKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the kind's name in counts of calls, `stream.name`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!("stream.", $name),)*
                }
            }

            /// Whether the operation moves or creates data, or runs code, and can fail then. Records and waits cannot.
            pub const fn can_fail_later(self) -> bool {
                match self {
                    $(Self::$variant => $fails,)*
                }
            }
        }

        impl Op<'_> {
            /// Returns the operation's kind.
            pub const fn kind(&self) -> OpKind {
                match self {
                    $(Self::$variant { .. } => OpKind::$variant,)*
                }
            }
        }
    };
}

kinds! {
    Copy "copy" true,
    CopyBatch "copy_batch" true,
    Copy2d "copy_2d" true,
    CopyIndirect "copy_indirect" true,
    Fill "fill" true,
    Prefetch "prefetch" true,
    RandomNum "random_num" true,
    Reduce "reduce" true,
    Launch "launch" true,
    HostFn "host_fn" true,
    HostTask "host_task" true,
    RunGraph "run_graph" true,
    HandOver "hand_over" true,
    Record "record" false,
    Wait "wait" false,
    WriteValue "write_value" true,
    WaitValue "wait_value" false,
    ChangeNotify "change_notify" true,
    WaitNotify "wait_notify" false,
    Mark "mark" false,
}

/// Accepts the operations of a stream: the stream, or a decorator.
pub trait Submit {
    /// Enqueues an operation and returns its position in the stream. If nothing had to be enqueued, this may be the
    /// position of the previous operation.
    fn submit(&self, op: Op<'_>) -> Result<Position>;
}

/// Submits one operation, by its name. Tests use it.
#[cfg(any(test, debug_assertions))]
pub trait Calls: Submit {
    /// [`Op::Copy`].
    fn copy(&self, copy: Copy) -> Result<Position> {
        self.submit(Op::Copy(copy))
    }

    /// [`Op::CopyBatch`].
    fn copy_batch(&self, copies: &[Copy]) -> Result<Position> {
        self.submit(Op::CopyBatch(copies))
    }

    /// [`Op::Copy2d`].
    fn copy_2d(&self, copy: Copy2d) -> Result<Position> {
        self.submit(Op::Copy2d(copy))
    }

    /// [`Op::CopyIndirect`].
    fn copy_indirect(&self, copy: CopyIndirect) -> Result<Position> {
        self.submit(Op::CopyIndirect(copy))
    }

    /// [`Op::Fill`].
    fn fill(&self, fill: Fill) -> Result<Position> {
        self.submit(Op::Fill(fill))
    }

    /// [`Op::Prefetch`].
    fn prefetch(&self, moves: &[(Span, Home)]) -> Result<Position> {
        self.submit(Op::Prefetch(moves))
    }

    /// [`Op::RandomNum`].
    fn random_num(&self, job: RandomNum) -> Result<Position> {
        self.submit(Op::RandomNum(job))
    }

    /// [`Op::Reduce`].
    fn reduce(&self, reduce: Reduce) -> Result<Position> {
        self.submit(Op::Reduce(reduce))
    }

    /// [`Op::Launch`].
    fn launch(&self, launch: &Launch<'_>) -> Result<Position> {
        self.submit(Op::Launch(launch))
    }

    /// [`Op::HostFn`].
    fn host_fn(&self, function: HostFn) -> Result<Position> {
        self.submit(Op::HostFn(Payload::new(&mut Some(function))))
    }

    /// [`Op::HostTask`].
    fn host_task(&self, task: &Arc<HostTask>) -> Result<Position> {
        self.submit(Op::HostTask(task))
    }

    /// [`Op::RunGraph`].
    fn run_graph(&self, graph: &Arc<dyn Graph>) -> Result<Position> {
        self.submit(Op::RunGraph(graph))
    }

    /// [`Op::Record`].
    fn record(&self, event: &Arc<dyn Event>) -> Result<Position> {
        self.submit(Op::Record(event))
    }

    /// [`Op::Wait`].
    fn wait(&self, event: &Arc<dyn Event>, limit: Option<Duration>) -> Result<Position> {
        self.submit(Op::Wait(event, limit))
    }

    /// [`Op::WriteValue`].
    fn write_value(&self, write: ValueWrite) -> Result<Position> {
        self.submit(Op::WriteValue(write))
    }

    /// [`Op::WaitValue`].
    fn wait_value(&self, wait: ValueWait) -> Result<Position> {
        self.submit(Op::WaitValue(wait))
    }

    /// [`Op::ChangeNotify`].
    fn change_notify(&self, notify: &Arc<Notify>, change: Change) -> Result<Position> {
        self.submit(Op::ChangeNotify(notify, change))
    }

    /// [`Op::WaitNotify`].
    fn wait_notify(&self, notify: &Arc<Notify>, wait: NotifyWait) -> Result<Position> {
        self.submit(Op::WaitNotify(notify, wait))
    }

    /// [`Op::HandOver`].
    fn hand_over(&self, delivery: Box<dyn Delivery>, wait: bool) -> Result<Position> {
        self.submit(Op::HandOver { delivery: Payload::new(&mut Some(delivery)), wait })
    }

    /// [`Op::Mark`].
    fn mark(&self) -> Result<Position> {
        self.submit(Op::Mark)
    }
}

#[cfg(any(test, debug_assertions))]
impl<T: Submit + ?Sized> Calls for T {}
