//! An operation, as reports describe it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use smallvec::SmallVec;

use crate::backend::OpKind;
use crate::core::base::call_site::{Stack, StaticStack};
use crate::core::order::accesses::{Access, Mode};
use crate::core::order::sequence::{LaneIndex, Point};

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum What {
    /// The operation accesses the memory.
    Accesses(OpKind),
    /// The operation allocates the memory in the order of its stream.
    Allocates,
    /// The operation frees the memory.
    Frees,
    /// The operation closes imported memory, which may have other addresses.
    Closes,
    /// The host waits.
    Waits,
    /// The host calls a function.
    Calls,
    /// The program itself reads or writes the memory.
    Touches,
}

impl What {
    /// Returns a noun for calls without a known name.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Accesses(OpKind::Copy | OpKind::CopyBatch | OpKind::Copy2d | OpKind::CopyIndirect) => "a copy",
            Self::Accesses(OpKind::Fill) => "a fill",
            Self::Accesses(OpKind::Reduce) => "a reduction",
            Self::Accesses(OpKind::RandomNum) => "a generator of random numbers",
            Self::Accesses(OpKind::Launch) => "a kernel",
            Self::Accesses(OpKind::RunGraph) => "a graph",
            Self::Accesses(OpKind::HostFn) => "a host function",
            Self::Accesses(OpKind::HostTask) => "a task",
            Self::Accesses(OpKind::HandOver) => "a callback",
            Self::Accesses(OpKind::Wait | OpKind::WaitValue | OpKind::WaitNotify) | Self::Waits => "a wait",
            Self::Accesses(_) => "an operation",
            Self::Calls => "a call",
            Self::Touches => "an access",
            Self::Allocates => "an allocation",
            Self::Frees | Self::Closes => "a release",
        }
    }

    /// Returns the verb for an operation that uses memory in this mode.
    pub(crate) fn verb(self, mode: Mode) -> &'static str {
        match (self, mode) {
            (Self::Allocates, _) => "allocates",
            (Self::Frees, _) => "frees",
            (Self::Closes, _) => "closes",
            (Self::Waits, _) => "waits",
            (Self::Calls, _) => "calls",
            (_, Mode::Read) => "reads",
            (_, Mode::Write) => "writes",
            (_, Mode::Unknown) => "uses",
        }
    }
}

/// The stream of an operation, and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InStream {
    /// The handle of the stream.
    pub handle: u64,
    /// The operation's place in the order.
    pub point: Point,
}

/// Maximum number of memory ranges that an operation keeps for reports.
const MOST_RANGES: usize = 4;

/// Whether operations have details, see [`have_details`].
static DETAILS: AtomicBool = AtomicBool::new(false);

/// Whether operations have details.
#[inline]
pub(crate) fn have_details() -> bool {
    DETAILS.load(Ordering::Relaxed)
}

/// Sets whether operations have details.
pub(crate) fn record_details(are_wanted: bool) {
    DETAILS.store(are_wanted, Ordering::Relaxed);
}

/// An operation as reports describe it.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    /// The kind of the operation.
    pub what: What,
    /// The place in the order of streams; `None` if the host does it.
    pub stream: Option<InStream>,
    /// The calls that led to it, if they are recorded.
    pub stack: Option<Stack>,
    /// Details for files of reports. Without them an operation takes less memory.
    details: Option<Arc<Details>>,
}

#[derive(Debug)]
struct Details {
    /// The time of submission.
    at: Instant,
    /// The first ranges of memory that it uses.
    uses: SmallVec<[Access; 2]>,
}

impl Details {
    fn now(uses: &[Access]) -> Arc<Self> {
        let uses = SmallVec::from_slice(&uses[..uses.len().min(MOST_RANGES)]);
        Arc::new(Self { at: Instant::now(), uses })
    }
}

impl Operation {
    /// Creates an operation that is submitted now.
    #[inline(always)]
    pub(crate) fn new(what: What, stream: Option<InStream>, stack: Option<Stack>, uses: &[Access]) -> Self {
        let details = have_details().then(|| Details::now(uses));
        Self { what, stream, stack, details }
    }

    /// Returns the operation with this time of submission.
    pub(crate) fn made_at(self, at: Instant) -> Self {
        Self { details: Some(Arc::new(Details { at, uses: SmallVec::new() })), ..self }
    }

    /// Returns the first ranges of memory that it uses, if they are recorded.
    pub(crate) fn uses(&self) -> &[Access] {
        self.details.as_ref().map_or(&[], |details| &details.uses)
    }

    /// Returns the time of submission, in milliseconds after `began`.
    pub(crate) fn ms(&self, began: Instant) -> f64 {
        let at = self.details.as_ref().map_or(began, |details| details.at);
        at.saturating_duration_since(began).as_secs_f64() * 1e3
    }

    /// Returns the operation's place in the order of streams.
    #[inline]
    pub(crate) fn point(&self) -> Option<Point> {
        self.stream.map(|stream| stream.point)
    }

    /// Returns the short form. `None`: the host does the operation, it has details, or its stack is counted.
    pub(crate) fn short(&self) -> Option<Short> {
        let stream = self.stream.filter(|_| self.details.is_none())?;
        Short::new(self.what, stream, self.stack.as_ref())
    }

    /// Returns the line of its stream.
    pub(crate) fn line(&self) -> Option<LaneIndex> {
        self.point().map(|point| point.line)
    }

    /// Returns the function of the API that submitted it, if its calls were recorded.
    pub(crate) fn call(&self) -> String {
        self.stack.as_ref().and_then(Stack::call).unwrap_or_else(|| self.what.noun().to_owned())
    }
}

/// An operation of a stream without details. It owns nothing that would have to be freed, so it is written directly to
/// its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Short {
    /// The kind of the operation.
    pub what: What,
    /// The place in the order of streams.
    pub stream: InStream,
    /// The calls that led to it, if they are recorded.
    pub stack: Option<StaticStack>,
}

impl Short {
    /// Creates the short form; `None` if the stack is counted.
    #[inline]
    pub(crate) fn new(what: What, stream: InStream, stack: Option<&Stack>) -> Option<Self> {
        let stack = match stack {
            Some(Stack::Kept(stack)) => Some(*stack),
            Some(Stack::Counted(_)) => return None,
            None => None,
        };
        Some(Self { what, stream, stack })
    }
}

impl From<Short> for Operation {
    fn from(Short { what, stream, stack }: Short) -> Self {
        Self { what, stream: Some(stream), stack: stack.map(Stack::Kept), details: None }
    }
}
