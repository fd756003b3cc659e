//! Operations of a stream's queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::event::Record;
use super::queue::Queue;
use crate::algo::queue::stream_queue;
use crate::backend::stream::watch::{ByteRange, Watched};
use crate::backend::{
    Change, Copy, Copy2d, CopyIndirect, Delivery, FailedLaunch, Fault, Fill, HostFn, Notify, RandomNum, Reduce,
    RepeatedFn, Result, Span, ValueWrite, thread_number,
};
use crate::kernel::kernel_launch;
use crate::runtime::shared::Shared;
use crate::transfer::host_task::TaskWait;
use crate::transfer::{memcpy, memcpy_2d, memcpy_indirect, random_num, reduce, stream_value};

/// The maximum number of bytes of operations that run in the caller when the stream is idle. They take no longer (2 to
/// 4 us) than waking a worker would cost the caller.
pub(crate) const SHORT: usize = 64 << 10;
/// Copies and fills of at most this many bytes are so short (up to 100 ns with cached data) that they run under the
/// stream's lock instead of claiming the stream, which takes 25 ns.
const TINY: usize = 16 << 10;
/// The same bound for other operations, which take longer for each byte.
const OTHER_TINY: usize = 4 << 10;

/// A record that a stream waits for.
#[derive(Clone)]
pub(crate) struct Awaited {
    pub record: Arc<Record>,
    /// What begins with the wait, if anything.
    pub begins: Option<Begins>,
}

/// What begins when a stream begins to wait, and completes the record.
#[derive(Clone)]
pub(crate) enum Begins {
    /// A watch of memory, or a timeout.
    Watch(Arc<Watched>),
    /// A task of the host.
    Task(Arc<TaskWait>),
}

impl Begins {
    /// Returns the memory that it uses.
    fn memory(&self) -> ByteRange {
        match self {
            Self::Watch(watched) => watched.memory(),
            Self::Task(task) => task.memory(),
        }
    }
}

impl Awaited {
    /// Creates a wait without a timeout.
    pub(crate) fn record(record: Arc<Record>) -> Self {
        Self { record, begins: None }
    }
}

/// A run of a graph, as the queue of its stream sees it.
pub(crate) trait GraphRun: Send + Sync {
    fn has_user_code(&self) -> bool;

    fn runs_kernels(&self) -> bool;

    /// Returns the run's cost, as the number of bytes that could be copied in that time.
    fn effort(&self) -> usize;

    /// Runs all nodes of a graph without user code. Returns [`Self::failure`].
    fn run_all(&self, shared: &Shared) -> Result<()>;

    /// Runs nodes up to a call of user code, which the caller makes. Returns `None` if the run is complete.
    fn run_to_user_code(&mut self, shared: &Shared) -> Option<RepeatedFn>;

    /// Continues after the user code has been called.
    fn has_called(&mut self);

    /// Returns the run's failure, if a kernel has failed or an abort of the graph has cut it short.
    fn failure(&self) -> Option<Fault>;

    /// Drops the run, and its pending records, for an abort of the stream.
    fn drop_for(&self, why: &Fault);

    /// Completes the run. Returns the streams that can resume: the caller runs or lists them.
    fn end(&self) -> Vec<Arc<Queue>>;
}

/// An operation in a stream, and the thread that enqueued it.
pub(crate) struct Task {
    pub operation: Operation,
    /// The thread's number, as [`thread_number`] returns it.
    pub thread: u32,
}

impl Task {
    /// Creates a task of the calling thread.
    pub(crate) fn new(operation: Operation) -> Self {
        Self { operation, thread: thread_number() }
    }
}

pub(crate) enum Operation {
    Copy(Copy),
    /// Another operation on memory, for a caller that waits for it and needs to know that it began.
    Awaited(Box<Self>, Arc<AtomicBool>),
    /// A host-to-device copy whose source was read when it was enqueued.
    CopyStaged(Span, Box<[u8]>),
    /// A 2D copy. It is boxed, because it is larger than all others, and rare.
    Copy2d(Box<Copy2d>),
    CopyIndirect(Box<CopyIndirect>),
    Fill(Fill),
    RandomNum(Box<RandomNum>),
    Reduce(Reduce),
    WriteValue(ValueWrite),
    Launch(Box<kernel_launch::KernelRun>),
    Graph(Box<dyn GraphRun>),
    HostFn(HostFn),
    /// A delivery, with the record that completes when the ticket is dropped, if the stream waits for it.
    HandOver(Box<dyn Delivery>, Option<Arc<Record>>),
    Record(Arc<Record>),
    ChangeNotify(Arc<Notify>, Change),
    Wait(Awaited),
    /// A place in the stream, without work.
    Mark,
}

/// The address ranges that an operation uses: first byte and length.
pub(crate) type UsedRanges = [(usize, usize); 2];

const NOTHING: (usize, usize) = (0, 0);
/// The range of an operation whose memory is unknown: a kernel, or a copy whose addresses are read when it runs.
const ANYTHING: (usize, usize) = (0, usize::MAX);

/// What is known of an operation while it runs.
#[derive(Clone)]
pub(crate) struct Footprint {
    pub ranges: UsedRanges,
    /// Whether the operation is user code, which may wait for anything.
    pub is_user_code: bool,
}

/// Whether two ranges have a byte in common.
pub(crate) fn overlap(a: (usize, usize), b: (usize, usize)) -> bool {
    a.0 < b.0 + b.1 && b.0 < a.0 + a.1
}

impl Operation {
    /// Returns the memory that the operation uses.
    pub(crate) fn ranges(&self) -> UsedRanges {
        let of = |span: &Span| (span.addr, span.len);
        match self {
            Self::Awaited(operation, _) => operation.ranges(),
            Self::Copy(copy) => [of(&copy.dst), of(&copy.src)],
            Self::CopyStaged(dst, _) => [of(dst), NOTHING],
            Self::Copy2d(copy) => [of(&copy.dst.span), of(&copy.src.span)],
            Self::Fill(fill) => [of(&fill.dst), NOTHING],
            Self::Reduce(reduce) => [of(&reduce.dst), of(&reduce.src)],
            // If numbers are in memory, it is unknown where. Otherwise the operation uses only two places.
            Self::RandomNum(job) if job.words().next().is_some() => [ANYTHING, NOTHING],
            Self::RandomNum(job) => [of(&job.dst), job.counter.as_ref().map_or(NOTHING, of)],
            Self::WriteValue(write) => [of(&write.dst), NOTHING],
            Self::Wait(Awaited { begins: Some(begins), .. }) => [begins.memory(), NOTHING],
            Self::Launch(_) | Self::CopyIndirect(_) | Self::Graph(_) => [ANYTHING, NOTHING],
            // This is a function of the library that makes another stream use memory.
            Self::HostFn(function) if function.calls_backend() => [ANYTHING, NOTHING],
            Self::HostFn(_)
            | Self::HandOver(..)
            | Self::Record(_)
            | Self::ChangeNotify(..)
            | Self::Wait(_)
            | Self::Mark => [NOTHING; 2],
        }
    }

    /// Returns the operation's name in the log of a schedule.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Awaited(operation, _) => operation.name(),
            Self::Copy(_) | Self::CopyStaged(..) | Self::CopyIndirect(_) => "copy",
            Self::Copy2d(_) => "copy_2d",
            Self::Fill(_) => "fill",
            Self::RandomNum(_) => "random_num",
            Self::Reduce(_) => "reduce",
            Self::WriteValue(_) => "write_value",
            Self::Launch(_) => "kernel",
            Self::Graph(_) => "graph",
            Self::HostFn(_) => "host_fn",
            Self::HandOver(..) => "hand_over",
            Self::Record(_) => "record",
            Self::ChangeNotify(..) => "change_notify",
            Self::Wait(Awaited { begins: Some(Begins::Task(_)), .. }) => "host_task",
            Self::Wait(_) => "wait",
            Self::Mark => "mark",
        }
    }

    /// Returns the range that the operation writes.
    pub(crate) fn written(&self) -> ByteRange {
        self.ranges()[0]
    }

    pub(crate) fn uses_memory(&self) -> bool {
        self.ranges()[0].1 != 0
    }

    /// Returns the number of bytes that the operation works on, or an equivalent.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Copy2d(copy) => memcpy_2d::effort(copy),
            Self::RandomNum(job) => random_num::effort(job),
            Self::Graph(run) => run.effort(),
            Self::Copy(_)
            | Self::Awaited(..)
            | Self::CopyStaged(..)
            | Self::CopyIndirect(_)
            | Self::Fill(_)
            | Self::Reduce(_)
            | Self::WriteValue(_)
            | Self::Launch(_)
            | Self::HostFn(_)
            | Self::HandOver(..)
            | Self::Record(_)
            | Self::ChangeNotify(..)
            | Self::Wait(_)
            | Self::Mark => self.ranges()[0].1,
        }
    }

    /// Whether it runs under the stream's lock if the stream is idle.
    #[inline]
    pub(crate) fn is_tiny(&self) -> bool {
        self.len() <= if matches!(self, Self::Copy(_) | Self::Fill(_)) { TINY } else { OTHER_TINY }
    }

    /// Returns the launch to report after a failure, if this is a run of a kernel.
    pub(crate) fn failed_launch(&self) -> Option<FailedLaunch> {
        if let Self::Launch(call) = self { Some(call.failed()) } else { None }
    }

    /// Whether the operation calls user code, which a helping thread must not call.
    pub(crate) fn is_host_fn(&self) -> bool {
        matches!(self, Self::HostFn(_)) || matches!(self, Self::Graph(run) if run.has_user_code())
    }

    /// Whether the operation runs kernels, which need a stack as large as those of the library's threads.
    pub(crate) fn runs_kernels(&self) -> bool {
        matches!(self, Self::Launch(_)) || matches!(self, Self::Graph(run) if run.runs_kernels())
    }

    /// Whether the operation's completion depends on the program.
    pub(crate) fn is_user_code(&self) -> bool {
        self.is_host_fn() || matches!(self, Self::HandOver(..))
    }

    /// Runs an operation on memory. The queue handles all others.
    pub(crate) fn run(&self, shared: &Shared) -> Result<()> {
        match self {
            Self::Awaited(operation, began) => {
                // Relaxed: the end of the operation is read with a stronger order.
                began.store(true, Ordering::Relaxed);
                return operation.run(shared);
            }
            Self::Copy(copy) => memcpy::copy(shared, copy),
            Self::CopyStaged(dst, bytes) => memcpy::copy_from(shared, dst, bytes),
            Self::Copy2d(copy) => memcpy_2d::copy(shared, copy),
            Self::Fill(fill) => memcpy::fill(shared, fill),
            Self::RandomNum(job) => random_num::make(shared, job),
            Self::Reduce(job) => reduce::reduce(shared, job),
            Self::WriteValue(write) => stream_value::write(shared, write),
            Self::CopyIndirect(job) => return memcpy_indirect::copy(shared, job),
            Self::Launch(call) => return kernel_launch::run(shared, call),
            Self::Graph(run) => return run.run_all(shared),
            Self::HostFn(_)
            | Self::HandOver(..)
            | Self::Record(_)
            | Self::ChangeNotify(..)
            | Self::Wait(_)
            | Self::Mark => unreachable!("not an operation on memory"),
        }
        Ok(())
    }
}

impl stream_queue::Operation for Task {
    type Record = Awaited;
    type Footprint = Footprint;

    fn awaits(&self) -> Option<&Awaited> {
        if let Operation::Wait(awaited) = &self.operation { Some(awaited) } else { None }
    }

    fn footprint(&self) -> Footprint {
        let operation = &self.operation;
        Footprint { ranges: operation.ranges(), is_user_code: operation.is_user_code() }
    }

    fn on_drop(&self) {
        if let Operation::Wait(Awaited { begins: Some(Begins::Watch(watched)), .. }) = &self.operation {
            watched.cancel();
        }
    }
}
