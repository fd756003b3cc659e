//! Finds loads and stores of the program to pinned memory that a pending operation uses, in guard mode on CPUs: the
//! pages have no access for the program until the host has waited for the operation (`cpu/memory/pinned`).
//!
//! The check must not report correct programs. So a range is not closed if the program may use it in an order that the
//! library does not see: behind an open wait, or behind a function of the program. It is opened early if the program
//! may learn in another way that the operation is complete.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::backend::memory::closed::{self, Touch};
use crate::backend::{OpKind, Place, Use};
use crate::core::base::call_site::Stack;
use crate::core::base::gate;
use crate::core::memory::allocation::Allocation;
use crate::core::order::accesses::{Access, Accesses, GraphRun, Mode};
use crate::core::order::effects::{Effect, Effects};
use crate::core::order::sequence::{self, Point, Sequence};
use crate::operation::{Operation, What};
use crate::report::{self, Finding, FindingKind, Party, Side};

/// A range that is closed.
struct Closed {
    /// The number that opens the range.
    id: u64,
    /// The operation that uses the range.
    operation: Operation,
    mode: Mode,
    point: Point,
    /// The first byte of the range.
    addr: usize,
}

/// The closed ranges of all streams.
struct Early {
    closed: Vec<Closed>,
    /// Operations that the host may delay, together with what is ordered after them.
    held: Vec<Point>,
}

static EARLY: Mutex<Early> = Mutex::new(Early { closed: Vec::new(), held: Vec::new() });

/// Accesses of the program that are still to be reported. The signal handler that detects them cannot report.
static TOUCHES: Mutex<Vec<(Touch, Operation)>> = Mutex::new(Vec::new());

/// Begins to report accesses.
pub(crate) fn arm() {
    closed::report_touches_by(touched);
}

/// Records an access that has faulted. It runs in a signal handler that the program's own load or store has caused, so
/// the thread holds no lock of the library or of its allocator.
fn touched(touch: &Touch) {
    // A forked child reports nothing, and another thread of its parent may have held the lock.
    if gate::is(gate::CHILD) {
        return;
    }
    let stack = report::has_stacks() && touch.has_room;
    let stack = stack.then(|| Stack::interrupted(touch.instruction));
    let access = Operation::new(What::Touches, None, stack, &[]);
    TOUCHES.lock().push((*touch, access));
}

impl Early {
    /// Returns the findings for the accesses since the previous call.
    fn found(&self) -> Vec<Finding> {
        let touches = std::mem::take(&mut *TOUCHES.lock());
        let of = |(touch, access): (Touch, Operation)| {
            let closed = self.closed.iter().find(|closed| closed.id == touch.id)?;
            Some(finding(closed, &touch, access))
        };
        touches.into_iter().filter_map(of).collect()
    }

    /// Opens the ranges for which `is_over` is true. Returns the findings so far.
    fn open(&mut self, is_over: impl Fn(&Closed) -> bool) -> Vec<Finding> {
        let found = self.found();
        self.closed.extract_if(.., |range| is_over(range)).for_each(|range| closed::open(range.id));
        found
    }

    /// Closes the ranges that an operation uses.
    fn close(&mut self, operation: &Operation, point: Point, accesses: &Accesses) {
        for &Access { addr, end, mode } in &accesses.0 {
            if let Some(id) = closed::close(addr, end, mode != Mode::Read) {
                self.closed.push(Closed { id, operation: operation.clone(), mode, point, addr });
            }
        }
    }
}

/// Called before an operation, the latest one, is submitted to its stream.
pub(crate) fn submitted(
    sequence: &Sequence,
    operation: &Operation,
    effects: &Effects,
    accesses: &Accesses,
    graph: Option<&GraphRun>,
) -> Vec<Finding> {
    let Some(point) = operation.point().filter(|_| closed::are_used()) else { return Vec::new() };
    let mut early = EARLY.lock();
    let reaches_host = informs_host(operation.what, effects);
    let informs = graph.is_some() || reaches_host;
    let found = early.open(|earlier| informs && sequence.is_before(earlier.point, point));
    early.held.retain(|held| !sequence.is_known(*held));
    let is_function = matches!(operation.what, What::Accesses(OpKind::HostFn | OpKind::HostTask | OpKind::HandOver));
    if operation.what == What::Accesses(OpKind::Launch) {
        // A kernel may have threads, and uses the program's addresses.
        accesses.0.iter().for_each(|access| closed::lend(access.addr));
        // The kernel may wait for what the program writes.
        if informs {
            early.held.push(point);
        }
    } else if is_function || graph.is_some_and(|graph| graph.needs_host || reaches_host) {
        early.held.push(point);
    } else if graph.is_none()
        && !sequence.is_open(point)
        && !early.held.iter().any(|held| sequence.is_before(*held, point))
    {
        early.close(operation, point, accesses);
    }
    found
}

/// Whether the program may learn from an operation, without a call, that what is before it is complete: another process
/// waits for a notify, or the program reads a value.
fn informs_host(what: What, effects: &Effects) -> bool {
    let is_read_by_host = |addr| {
        let is_host = |found: Allocation| found.place() == Place::Pinned || found.kind.is_managed();
        Allocation::find(addr).is_some_and(is_host)
    };
    let informs = |effect: &Effect| match effect {
        // A value in any memory counts, because the program may copy it.
        Effect::Signal(_) => true,
        Effect::Pointer(addr, _) | Effect::Use(Use { addr, .. }) => is_read_by_host(*addr),
        Effect::Unknown => true,
        Effect::Copy { .. } | Effect::Read(_) | Effect::Write(_) | Effect::Update(_) | Effect::Await(_) => false,
    };
    what == What::Accesses(OpKind::ChangeNotify) || effects.0.iter().any(informs)
}

/// Opens the ranges for which `is_over` is true, which gets the order of all operations.
fn open(is_over: impl Fn(&Sequence, &Closed) -> bool) {
    if !closed::are_used() {
        return;
    }
    let found = {
        let sequence = sequence::lock();
        EARLY.lock().open(|range| is_over(&sequence, range))
    };
    found.iter().for_each(report::finding);
}

/// Opens the ranges of operations that the host now knows to be complete.
pub(crate) fn host_knows() {
    open(|sequence, range| sequence.is_known(range.point));
}

/// Opens the ranges of an operation that was refused.
pub(crate) fn refused(point: Point) {
    open(|_, range| range.point == point);
}

/// Opens the ranges of memory that is freed: the program does not use it any more.
pub(crate) fn freed(addr: usize, len: usize) {
    open(|_, range| (addr..addr + len).contains(&range.addr));
}

/// Opens all ranges, because pending operations may be complete or dropped.
pub(crate) fn forget_all() {
    open(|_, _| true);
    EARLY.lock().held.clear();
}

/// Reports the remaining accesses at the end of the process.
pub(crate) fn report_rest() {
    let found = EARLY.try_lock().map(|early| early.found());
    found.iter().flatten().for_each(report::finding);
}

fn finding(closed: &Closed, touch: &Touch, access: Operation) -> Finding {
    let Closed { operation, mode, .. } = closed;
    let does = match touch.writes {
        Some(true) => "writes",
        Some(false) => "reads",
        // While the operation reads, reads of the program are allowed.
        None if *mode == Mode::Read => "writes",
        None => "uses",
    };
    let earlier = Arc::new(operation.clone());
    let parties = vec![
        Party { role: "operation", does: operation.what.verb(*mode), detail: None, operation: earlier },
        Party { role: "program", does, detail: None, operation: Arc::new(access) },
    ];
    Finding::new(FindingKind::MissingWait, Some((touch.addr, 1)), parties, what, fix)
}

fn what(sides: &[Side]) -> String {
    let [operation, program] = sides else { return String::new() };
    let (call, does) = (&operation.call, operation.does);
    format!("the program {} memory that {call} {does}, without waiting for it", program.does)
}

/// Returns what the program can do.
fn fix(sides: &[Side]) -> String {
    let Some(Side { call, stream_name: Some(stream), .. }) = sides.first() else { return String::new() };
    format!(
        "to wait for it: call aclrtSynchronizeStream for {stream} before the access, or aclrtSynchronizeEvent for an \
         event that is recorded in that stream after {call}"
    )
}
