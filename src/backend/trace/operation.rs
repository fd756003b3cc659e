//! Describes a recorded operation, and measures its times.

use std::sync::{Arc, OnceLock};

use super::json::Line;
use super::now;
use crate::{BufferUse, Comparison, Copy, Event, Number, Op, OpKind, Place};

/// The description of an operation.
pub struct What {
    kind: OpKind,
    /// The number of bytes that it moves or writes, if that is known.
    bytes: Option<u64>,
    more: More,
}

/// What else is known of an operation.
enum More {
    Nothing,
    /// Copies: source, destination, and the number of copies.
    Copies(Place, Place, usize),
    /// A copy of rows: source, destination, the rows' width and their number.
    Rows(Place, Place, usize, usize),
    Kernel {
        name: String,
        grid: [u32; 3],
        threads: Option<[u32; 3]>,
    },
    Task(String),
    WriteValue(u64),
    WaitValue(u64, Comparison),
}

impl What {
    /// Describes an operation that is recorded between two points. Returns `None` for a mark, which is no work of the
    /// program.
    pub fn of(op: &Op<'_>) -> Option<Self> {
        let copies = |copies: &[Copy]| {
            let bytes = copies.iter().map(|copy| copy.dst.len).sum();
            (Some(bytes), More::Copies(copies[0].src.place, copies[0].dst.place, copies.len()))
        };
        let (bytes, more) = match op {
            Op::Copy(copy) => copies(std::slice::from_ref(copy)),
            Op::CopyBatch(all) => copies(all),
            Op::Copy2d(copy) => {
                let (src, dst) = (copy.src.span.place, copy.dst.span.place);
                (Some(copy.width * copy.height), More::Rows(src, dst, copy.width, copy.height))
            }
            Op::CopyIndirect(copy) => (copy.len.known().map(|len| len as usize), More::Nothing),
            Op::Fill(fill) => (Some(fill.dst.len), More::Nothing),
            Op::Prefetch(moves) => (Some(moves.iter().map(|(range, _)| range.len).sum()), More::Nothing),
            Op::RandomNum(job) => (matches!(job.count, Number::Known(_)).then_some(job.dst.len), More::Nothing),
            Op::Reduce(reduce) => (Some(reduce.dst.len), More::Nothing),
            Op::Launch(launch) => {
                let (name, grid, threads) = (launch.name.to_owned(), launch.grid, launch.threads);
                (None, More::Kernel { name, grid, threads })
            }
            Op::HostTask(task) => {
                // As for copies, what is read and then written counts once.
                let sum = |counts: fn(BufferUse) -> bool| -> usize {
                    task.memory().filter(|(_, does)| counts(*does)).map(|(memory, _)| memory.len).sum()
                };
                let bytes = sum(BufferUse::reads).max(sum(BufferUse::writes));
                (Some(bytes), More::Task(task.code.name().to_owned()))
            }
            Op::WriteValue(write) => (None, More::WriteValue(write.value)),
            Op::WaitValue(wait) => (None, More::WaitValue(wait.value, wait.comparison)),
            Op::Record(_) | Op::Mark => return None,
            Op::HostFn(_)
            | Op::RunGraph(_)
            | Op::HandOver { .. }
            | Op::Wait(..)
            | Op::ChangeNotify(..)
            | Op::WaitNotify(..) => (None, More::Nothing),
        };
        Some(Self { kind: op.kind(), bytes: bytes.map(|bytes| bytes as u64), more })
    }

    /// Returns the format's category, and the title in viewers.
    pub fn title(&self) -> (&'static str, String) {
        let (category, name) = match (self.kind, &self.more) {
            (_, More::Copies(src, dst, _) | More::Rows(src, dst, ..)) => return ("copy", copy_in_words(*src, *dst)),
            (_, More::Kernel { name, .. }) => ("kernel", &**name),
            (_, More::Task(name)) => ("host", &**name),
            (OpKind::CopyIndirect, _) => ("copy", "indirect copy"),
            (OpKind::Fill, _) => ("fill", "fill"),
            (OpKind::Reduce, _) => ("reduce", "reduce"),
            (OpKind::RandomNum, _) => ("fill", "random numbers"),
            (OpKind::Prefetch, _) => ("copy", "prefetch"),
            (OpKind::RunGraph, _) => ("graph", "graph"),
            (OpKind::HostFn, _) => ("host", "host function"),
            (OpKind::HandOver, _) => ("host", "callback"),
            (OpKind::Wait, _) => ("wait", "wait for event"),
            (OpKind::ChangeNotify, _) => ("notify", "record notify"),
            (OpKind::WaitNotify, _) => ("wait", "wait for notify"),
            (OpKind::WriteValue, _) => ("value", "write value"),
            (OpKind::WaitValue, _) => ("wait", "wait for value"),
            (kind, _) => ("work", kind.name()),
        };
        (category, name.to_owned())
    }

    /// Returns the number of bytes that the operation moves or writes, if that is known.
    pub fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    /// Adds the operation's size and shape, and its rate.
    pub(super) fn describe(&self, mut line: Line, nanoseconds: u64) -> Line {
        if let Some(bytes) = self.bytes {
            line = line.arg("bytes", bytes);
            if nanoseconds > 0 {
                let rate = bytes as f64 / nanoseconds as f64 * 1000.0;
                line = line.decimal_arg("GB/s", rate.round() as u64);
            }
        }
        match self.more {
            More::Nothing | More::Task(_) => line,
            More::Copies(src, dst, count) => {
                line = with_places(line, src, dst);
                if count > 1 { line.arg("copies", count) } else { line }
            }
            More::Rows(src, dst, width, height) => {
                with_places(line, src, dst).arg("width", width).arg("height", height)
            }
            More::Kernel { grid, threads, .. } => {
                line = line.arg("blocks", grid);
                if let Some(threads) = threads { line.arg("threads", threads) } else { line }
            }
            More::WriteValue(value) => line.arg("value", value),
            More::WaitValue(value, comparison) => line.arg("value", value).arg("comparison", in_words(comparison)),
        }
    }
}

fn copy_in_words(src: Place, dst: Place) -> String {
    match (src, dst) {
        (Place::Device(from), Place::Device(to)) if from == to => "copy in device".to_owned(),
        (Place::Device(from), Place::Device(to)) => format!("copy device {from} to device {to}"),
        (Place::Device(_), _) => "copy device to host".to_owned(),
        (_, Place::Device(_)) => "copy host to device".to_owned(),
        (Place::Pageable | Place::Pinned, Place::Pageable | Place::Pinned) => "copy in host".to_owned(),
    }
}

fn in_words(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::GreaterOrEqual => "greater or equal",
        Comparison::Equal => "equal",
        Comparison::And => "a bit set in both",
        Comparison::Nor => "a bit set in neither",
    }
}

fn with_places(line: Line, src: Place, dst: Place) -> Line {
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
    /// The beginning of the step with this number.
    StepBegins(u64),
    /// The end of the step with this number.
    StepEnds(u64),
}

/// The begin and end times of something on a thread. That and the writer share them.
#[derive(Default)]
pub(super) struct HostTimes {
    begin: OnceLock<u64>,
    /// The end, or `None` if the work was dropped.
    end: OnceLock<Option<u64>>,
}

/// A guard that is held during the work. If it is dropped without [`TimesGuard::end`], the work was dropped.
pub(super) struct TimesGuard(pub(super) Arc<HostTimes>);

impl TimesGuard {
    pub(super) fn begin(&self) {
        let _ = self.0.begin.set(now());
    }

    /// Notes that the work has ended.
    pub(super) fn end(self) {
        let _ = self.0.end.set(Some(now()));
    }
}

impl Drop for TimesGuard {
    fn drop(&mut self) {
        // This fails if the work has ended.
        let _ = self.0.end.set(None);
    }
}

/// A moment in a stream.
pub(super) enum Point {
    /// The stream was idle at this time.
    At(u64),
    /// The stream reaches this event later.
    Event(Arc<dyn Event>),
}

impl Point {
    /// Returns the point's time, if that is known.
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

/// The way in which the times of an operation are measured.
pub(super) enum Times {
    /// Points before and after the operation.
    Points(Point, Point),
    /// The operation notes its times itself.
    Host(Arc<HostTimes>),
}

/// The result of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The operation is not complete.
    Pending,
    /// The operation is complete: its begin and end.
    Over(u64, u64),
    /// The operation was dropped.
    Dropped,
}

impl Times {
    pub(super) fn query(&self) -> Outcome {
        let times = match self {
            // The last point is queried first: when it is complete, the other is complete, too.
            Self::Points(begin, end) => end.time().and_then(|end| Some((begin.time()?, end))),
            Self::Host(times) => match times.end.get() {
                Some(None) => return Outcome::Dropped,
                end => end.copied().flatten().and_then(|end| Some((*times.begin.get()?, end))),
            },
        };
        times.map_or(Outcome::Pending, |(begin, end)| Outcome::Over(begin, end))
    }

    /// Returns when the operation began, if it has.
    pub(super) fn begun(&self) -> Option<u64> {
        match self {
            Self::Points(begin, _) => begin.time(),
            Self::Host(times) => times.begin.get().copied(),
        }
    }
}
