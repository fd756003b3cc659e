//! The call of the API that a thread is in: for the rows of threads, and arrows from there to operations.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::json::Line;
use super::now;
use crate::algo::thread::per_thread::per_thread;
use crate::python::{self, PythonFrame};
use crate::thread_number;

/// The maximum number of functions of Python that a trace shows of a call.
const MOST_FRAMES: usize = 8;

/// A call that a thread is in.
#[derive(Clone, Copy)]
struct Current {
    name: &'static str,
    /// The time of its beginning, or the end of its latest part.
    since: u64,
}

per_thread! {
    static CURRENT: Cell<Option<Current>> = Cell::new(None);
}

/// The beginning of the recording. Before it calls may go unnoticed, so a thread may seem to be in an old one.
static FIRST: AtomicU64 = AtomicU64::new(u64::MAX);
/// Whether functions of Python are recorded.
static WITH_PYTHON: AtomicBool = AtomicBool::new(false);

/// Notes that the calling thread begins a call.
pub fn begin_call(name: &'static str) {
    CURRENT.set(Some(Current { name, since: now() }));
}

/// Returns the call that the calling thread has begun most recently, if calls are noted.
pub fn current_call() -> Option<&'static str> {
    CURRENT.get().map(|call| call.name)
}

/// Sets whether traces have the functions of Python that make calls.
pub fn show_python(is_shown: bool) {
    WITH_PYTHON.store(is_shown, Ordering::Relaxed);
}

/// Records only calls that begin from now on.
pub(super) fn forget_earlier() {
    FIRST.store(now(), Ordering::Relaxed);
}

/// The program's side of an operation.
pub(super) struct Origin {
    name: &'static str,
    /// The functions of Python that led to the call, the innermost first.
    python: Box<[PythonFrame]>,
}

impl Origin {
    /// Adds the functions of Python to an event.
    pub(super) fn describe(&self, line: Line) -> Line {
        let frames: Vec<String> = self.python.iter().map(ToString::to_string).collect();
        if frames.is_empty() { line } else { line.arg("python", frames) }
    }

    /// Returns the function of the API.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }
}

/// A call, or a part of one that enqueues several operations: until it has enqueued one.
pub struct CallPart {
    pub(super) origin: Origin,
    pub(super) thread: u32,
    pub(super) begin: u64,
    pub(super) end: u64,
}

/// Ends, at this time, a part of the calling thread's call. Returns `None` if the call is unknown. It may wait for
/// Python, so all other work for the part comes first.
pub(super) fn end_part(end: u64) -> Option<CallPart> {
    let Current { name, since: begin } = CURRENT.get()?;
    if begin < FIRST.load(Ordering::Relaxed) {
        return None;
    }
    let with_python = WITH_PYTHON.load(Ordering::Relaxed);
    let python = if with_python { frames() } else { Box::default() };
    // The time that the frames take is in no part.
    CURRENT.set(Some(Current { name, since: if with_python { now() } else { end } }));
    Some(CallPart { origin: Origin { name, python }, thread: thread_number(), begin, end })
}

fn frames() -> Box<[PythonFrame]> {
    let frames = python::frames();
    frames.into_iter().skip_while(|frame| frame.code.is_of_library()).take(MOST_FRAMES).collect()
}
