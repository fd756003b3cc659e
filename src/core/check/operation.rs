//! An operation, as reports describe it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use smallvec::SmallVec;

use crate::backend::OpKind;
use crate::core::base::call_site::{Kept, Stack};
use crate::core::order::accesses::{Access, Mode};
use crate::core::order::sequence::{Line, Point};

/// What an operation does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// It accesses the memory.
    Accesses(OpKind),
    /// It allocates the memory in the order of its stream.
    Allocates,
    /// It frees the memory.
    Frees,
    /// The host waits.
    Waits,
    /// The host calls a function.
    Calls,
    /// The program itself reads or writes the memory.
    Touches,
}

impl What {
    /// A noun for calls without a known name.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Accesses(OpKind::Copy | OpKind::CopyBatch | OpKind::Copy2d | OpKind::CopyIndirect) => "a copy",
            Self::Accesses(OpKind::Fill) => "a fill",
            Self::Accesses(OpKind::Reduce) => "a reduction",
            Self::Accesses(OpKind::RandomNum) => "a generator of random numbers",
            Self::Accesses(OpKind::Launch) => "a kernel",
            Self::Accesses(OpKind::RunGraph) => "a graph",
            Self::Accesses(OpKind::HostFn) => "a host function",
            Self::Accesses(OpKind::HandOver) => "a callback",
            Self::Accesses(OpKind::Wait | OpKind::WaitValue | OpKind::WaitNotify) | Self::Waits => "a wait",
            Self::Accesses(_) => "an operation",
            Self::Calls => "a call",
            Self::Touches => "an access",
            Self::Allocates => "an allocation",
            Self::Frees => "a release",
        }
    }

    /// What it does to memory that it uses with this mode.
    pub fn verb(self, mode: Mode) -> &'static str {
        match (self, mode) {
            (Self::Allocates, _) => "allocates",
            (Self::Frees, _) => "frees",
            (Self::Waits, _) => "waits",
            (Self::Calls, _) => "calls",
            (_, Mode::Read) => "reads",
            (_, Mode::Write) => "writes",
            (_, Mode::Unknown) => "uses",
        }
    }
}

/// The stream of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InStream {
    /// Its handle.
    pub handle: u64,
    /// The operation's place in the order.
    pub point: Point,
}

/// How many of its ranges of memory an operation keeps for reports.
const MOST_RANGES: usize = 4;

/// See [`have_details`].
static DETAILS: AtomicBool = AtomicBool::new(false);

/// Whether operations have details.
#[inline]
pub fn have_details() -> bool {
    DETAILS.load(Ordering::Relaxed)
}

/// Operations have details from now on, or not.
pub fn record_details(are_wanted: bool) {
    DETAILS.store(are_wanted, Ordering::Relaxed);
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// What it does.
    pub what: What,
    /// Where it is in the order of streams; `None`: the host does it.
    pub stream: Option<InStream>,
    /// The calls that led to it, if they are recorded.
    pub stack: Option<Stack>,
    /// What only files of reports have: without them an operation is short.
    details: Option<Arc<Details>>,
}

#[derive(Debug)]
struct Details {
    /// When it was submitted.
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
    /// Submitted now.
    #[inline(always)]
    pub fn new(what: What, stream: Option<InStream>, stack: Option<Stack>, uses: &[Access]) -> Self {
        let details = have_details().then(|| Details::now(uses));
        Self { what, stream, stack, details }
    }

    /// The same, at this time.
    pub fn made_at(self, at: Instant) -> Self {
        Self { details: Some(Arc::new(Details { at, uses: SmallVec::new() })), ..self }
    }

    /// The first ranges of memory that it uses, if they are recorded.
    pub fn uses(&self) -> &[Access] {
        self.details.as_ref().map_or(&[], |details| &details.uses)
    }

    /// When it was submitted, in milliseconds after `began`.
    pub fn ms(&self, began: Instant) -> f64 {
        let at = self.details.as_ref().map_or(began, |details| details.at);
        at.saturating_duration_since(began).as_secs_f64() * 1e3
    }

    /// Its place in the order of streams.
    #[inline]
    pub fn point(&self) -> Option<Point> {
        self.stream.map(|stream| stream.point)
    }

    /// It in short form. `None`: it has none, because the host does it, it has details, or its stack is counted.
    pub fn short(&self) -> Option<Short> {
        let stream = self.stream.filter(|_| self.details.is_none())?;
        Short::new(self.what, stream, self.stack.as_ref())
    }

    /// Its stream, by number.
    pub fn line(&self) -> Option<Line> {
        self.point().map(|point| point.line)
    }

    /// The function of the API that submitted it, if its calls were recorded.
    pub fn call(&self) -> String {
        self.stack.as_ref().and_then(Stack::call).unwrap_or_else(|| self.what.noun().to_owned())
    }
}

/// An operation of a stream without details: nothing is to be freed with it, so that it is written at once where it is
/// kept.
#[derive(Clone, Copy, Debug)]
pub struct Short {
    /// What it does.
    pub what: What,
    /// Where it is in the order of streams.
    pub stream: InStream,
    /// The calls that led to it, if they are recorded.
    pub stack: Option<Kept>,
}

impl Short {
    /// `None`: the stack is counted.
    #[inline]
    pub fn new(what: What, stream: InStream, stack: Option<&Stack>) -> Option<Self> {
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
