//! A recorded operation: its description, and how its times are measured.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::json::{Arg, Line};
use super::now;
use crate::backend::{Comparison, Copy, Copy2d, Event, Fill, Op, OpKind, Place};

/// The description of an operation.
#[derive(Debug)]
pub(super) enum What {
    /// Copies of this many bytes in total.
    Copy {
        src: Place,
        dst: Place,
        bytes: u64,
        count: usize,
    },
    /// A copy of rows.
    Copy2d {
        src: Place,
        dst: Place,
        width: usize,
        height: usize,
    },
    /// A copy between addresses that are in memory, and its bytes unless the length is, too.
    CopyIndirect(Option<u64>),
    /// With its bytes.
    Fill(u64),
    /// With its bytes.
    Reduce(u64),
    /// With its bytes.
    Prefetch(u64),
    /// Random numbers, and their bytes unless the count is in memory.
    RandomNum(Option<u64>),
    Kernel {
        name: String,
        grid: [u32; 3],
        threads: Option<[u32; 3]>,
    },
    /// An operation of which only the kind is recorded.
    Plain(OpKind),
    WriteValue(u64),
    WaitValue(u64, Comparison),
}

impl What {
    /// For an operation that is recorded between two points; `None` for a mark, which is no work of the program.
    pub(super) fn of(op: &Op<'_>) -> Option<Self> {
        Some(match op {
            Op::Copy(copy) => Self::copies(std::slice::from_ref(copy)),
            Op::CopyBatch(copies) => Self::copies(copies),
            Op::Copy2d(copy) => Self::copy_2d(copy),
            Op::CopyIndirect(copy) => Self::CopyIndirect(copy.len.known()),
            Op::Fill(fill) => Self::fill(fill),
            Op::Prefetch(range, _) => Self::Prefetch(range.len as u64),
            Op::RandomNum(job) => Self::RandomNum(job.count.known().map(|_| job.dst.len as u64)),
            Op::Reduce(reduce) => Self::Reduce(reduce.dst.len as u64),
            Op::Launch(launch) => {
                Self::Kernel { name: launch.name.to_owned(), grid: launch.grid, threads: launch.threads }
            }
            Op::WriteValue(write) => Self::WriteValue(write.value),
            Op::WaitValue(wait) => Self::WaitValue(wait.value, wait.comparison),
            Op::Record(_) | Op::Mark => return None,
            _ => Self::Plain(op.kind()),
        })
    }

    pub(super) fn copy_2d(copy: &Copy2d) -> Self {
        let (src, dst) = (copy.src.span.place, copy.dst.span.place);
        Self::Copy2d { src, dst, width: copy.width, height: copy.height }
    }

    pub(super) fn fill(fill: &Fill) -> Self {
        Self::Fill(fill.dst.len as u64)
    }

    /// There is at least one.
    pub(super) fn copies(copies: &[Copy]) -> Self {
        let (src, dst) = (copies[0].src.place, copies[0].dst.place);
        let bytes = copies.iter().map(|copy| copy.dst.len as u64).sum();
        Self::Copy { src, dst, bytes, count: copies.len() }
    }

    /// The format's category, and the title in viewers.
    pub(super) fn title(&self) -> (&'static str, String) {
        let name = |text: &str| text.to_owned();
        match self {
            Self::Copy { src, dst, .. } | Self::Copy2d { src, dst, .. } => ("copy", copy_in_words(*src, *dst)),
            Self::CopyIndirect(_) => ("copy", name("indirect copy")),
            Self::Fill(_) => ("fill", name("fill")),
            Self::Reduce(_) => ("reduce", name("reduce")),
            Self::RandomNum(_) => ("fill", name("random numbers")),
            Self::Prefetch(_) => ("copy", name("prefetch")),
            Self::Kernel { name, .. } => ("kernel", name.clone()),
            Self::Plain(OpKind::RunGraph) => ("graph", name("graph")),
            Self::Plain(OpKind::HostFn) => ("host", name("host function")),
            Self::Plain(OpKind::HandOver) => ("host", name("callback")),
            Self::Plain(OpKind::Wait) => ("wait", name("wait for event")),
            Self::Plain(OpKind::ChangeNotify) => ("notify", name("record notify")),
            Self::Plain(OpKind::WaitNotify) => ("wait", name("wait for notify")),
            Self::Plain(kind) => ("work", name(kind.name())),
            Self::WriteValue(_) => ("value", name("write value")),
            Self::WaitValue(..) => ("wait", name("wait for value")),
        }
    }

    /// How many bytes it moves.
    fn bytes(&self) -> Option<u64> {
        match self {
            Self::Copy { bytes, .. } | Self::Fill(bytes) | Self::Reduce(bytes) | Self::Prefetch(bytes) => Some(*bytes),
            Self::Copy2d { width, height, .. } => Some(*width as u64 * *height as u64),
            Self::CopyIndirect(bytes) | Self::RandomNum(bytes) => *bytes,
            _ => None,
        }
    }

    /// Its size and shape, and its rate.
    pub(super) fn describe<'a>(&self, mut line: Line<'a>, nanoseconds: u64) -> Line<'a> {
        if let Some(bytes) = self.bytes() {
            line = line.arg("bytes", bytes);
            if nanoseconds > 0 {
                let rate = bytes as f64 / nanoseconds as f64;
                line = line.arg("GB/s", Arg::decimal(rate));
            }
        }
        match self {
            Self::Copy { src, dst, count, .. } => {
                line = with_places(line, *src, *dst);
                if *count > 1 {
                    line = line.arg("copies", *count as u64);
                }
                line
            }
            Self::Copy2d { src, dst, width, height } => {
                let line = with_places(line, *src, *dst);
                line.arg("width", *width as u64).arg("height", *height as u64)
            }
            Self::Kernel { grid, threads, .. } => {
                line = line.arg("blocks", Arg::Numbers(*grid));
                match threads {
                    Some(threads) => line.arg("threads", Arg::Numbers(*threads)),
                    None => line,
                }
            }
            Self::WriteValue(value) => line.arg("value", *value),
            Self::WaitValue(value, comparison) => line.arg("value", *value).arg("comparison", in_words(*comparison)),
            _ => line,
        }
    }
}

fn copy_in_words(src: Place, dst: Place) -> String {
    match (src, dst) {
        (Place::Device(from), Place::Device(to)) if from == to => "copy in device".to_owned(),
        (Place::Device(from), Place::Device(to)) => format!("copy device {from} to device {to}"),
        (Place::Device(_), _) => "copy device to host".to_owned(),
        (_, Place::Device(_)) => "copy host to device".to_owned(),
        _ => "copy in host".to_owned(),
    }
}

fn in_words(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::GreaterOrEqual => "greater or equal",
        Comparison::Equal => "equal",
        Comparison::And => "a bit in common",
        Comparison::Nor => "a bit that neither has",
    }
}

fn with_places(line: Line<'_>, src: Place, dst: Place) -> Line<'_> {
    let name = |place| match place {
        Place::Pageable => "pageable host memory".to_owned(),
        Place::Pinned => "pinned host memory".to_owned(),
        Place::Device(id) => format!("device {id}"),
    };
    line.arg("from", name(src)).arg("to", name(dst))
}

/// A note that the program puts into a stream.
#[derive(Clone, Debug)]
pub enum Note {
    /// A text.
    Mark(String),
    /// The step with this number begins.
    StepBegins(u64),
    /// It ends.
    StepEnds(u64),
}

/// The begin and end times of something on a thread; shared between that and the writer.
#[derive(Clone, Default)]
pub(super) struct HostTimes(Arc<Pair>);

#[derive(Default)]
struct Pair {
    begin: AtomicU64,
    /// 0: it has not ended.
    end: AtomicU64,
}

/// It was dropped.
const DROPPED: u64 = u64::MAX;

/// Held during the work: dropped without [`TimesGuard::end`], the work was dropped.
pub(super) struct TimesGuard(HostTimes);

impl HostTimes {
    pub(super) fn guard(&self) -> TimesGuard {
        TimesGuard(self.clone())
    }

    pub(super) fn begin(&self) {
        self.0.begin.store(now(), Ordering::Relaxed);
    }

    fn query(&self) -> Outcome {
        match self.0.end.load(Ordering::Acquire) {
            0 => Outcome::Pending,
            DROPPED => Outcome::Dropped,
            end => Outcome::Over(self.0.begin.load(Ordering::Relaxed), end),
        }
    }
}

impl TimesGuard {
    /// The work has ended.
    pub(super) fn end(self) {
        self.0.0.end.store(now(), Ordering::Release);
    }
}

impl Drop for TimesGuard {
    fn drop(&mut self) {
        let end = &self.0.0.end;
        // If this fails, it has ended.
        let _ = end.compare_exchange(0, DROPPED, Ordering::Release, Ordering::Relaxed);
    }
}

/// A moment in a stream.
pub(super) enum Point {
    /// The stream was idle then.
    At(u64),
    /// The stream reaches it later.
    Event(Arc<dyn Event>),
}

impl Point {
    /// Its time, if that is known.
    pub(super) fn time(&self) -> Option<u64> {
        match self {
            Self::At(time) => Some(*time),
            Self::Event(event) => event.time_ns().ok(),
        }
    }

    pub(super) fn into_event(self) -> Option<Arc<dyn Event>> {
        match self {
            Self::At(_) => None,
            Self::Event(event) => Some(event),
        }
    }
}

/// How the times of an operation are measured.
pub(super) enum Times {
    /// Points before it and after it.
    Points(Point, Point),
    /// It notes its times itself.
    Host(HostTimes),
}

/// The result of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is not complete.
    Pending,
    /// Complete: its begin and end.
    Over(u64, u64),
    /// It was dropped.
    Dropped,
}

impl Times {
    pub(super) fn query(&self) -> Outcome {
        match self {
            // The last one first: then the other is complete, too.
            Self::Points(begin, end) => {
                let end = end.time();
                match end.and_then(|end| Some((begin.time()?, end))) {
                    Some((begin, end)) => Outcome::Over(begin, end),
                    None => Outcome::Pending,
                }
            }
            Self::Host(times) => times.query(),
        }
    }

    /// When it began, if it has.
    pub(super) fn begun(&self) -> Option<u64> {
        match self {
            Self::Points(begin, _) => begin.time(),
            Self::Host(times) => Some(times.0.begin.load(Ordering::Relaxed)).filter(|at| *at != 0),
        }
    }
}
