//! Sees all operations before they are submitted, and keeps their order.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::operation::{InStream, Operation, Short, What, have_details};
use super::report::{Finding, page};
use super::sync::{self, SyncStep};
use super::user_code::{self, WatchedDelivery};
use super::{Sized, init, is_on, races, report};
use crate::backend::{Delivery, Op, OpKind, Payload, Place, Position};
use crate::core::base::config::check::Check;
use crate::core::base::error::Result;
use crate::core::order::accesses::{Access, Accesses, GraphRun, GraphRuns, Mode};
use crate::core::order::checker::{Awaited, Checker};
use crate::core::order::effects::Effects;
use crate::core::order::known::Known;
use crate::core::order::places;
use crate::core::order::sequence::{self, Point, Sequence};
use crate::core::order::undecided;

/// The checker of all streams.
pub(crate) struct Submissions {
    /// A wait of the host that takes longer counts as long.
    pub long_wait: Duration,
}

impl Checker for Submissions {
    fn submit(&self, stream: u64, op: Op<'_>, submit: &mut dyn FnMut(Op<'_>) -> Result<Position>) -> Result<Position> {
        // Fast path: only the race check is on.
        if !needs_more_than_accesses()
            && !returns_complete(&op)
            && let Some(accesses) = Accesses::of_op(&op)
        {
            let point = check_accesses(stream, What::Accesses(op.kind()), &accesses.0);
            return submit(op).inspect_err(|_| refuse(point, false));
        }
        let label = page::Label::of(&op);
        let submit: &mut dyn FnMut(Op<'_>) -> Result<Position> =
            &mut |op| page::timed(label.as_ref(), stream, || submit(op));
        let waits = returns_complete(&op);
        let step = is_on(Check::Sync).then(|| SyncStep::of(&op)).flatten();
        // Programs often submit these between operations on memory.
        let only_orders = matches!(op, Op::Record(_) | Op::Wait(..)) && step.is_none();
        let (operation, (known, point)) = if only_orders {
            let mut sequence = sequence::lock();
            let point = sequence.next(stream);
            if label.is_some() {
                let in_stream = InStream { handle: stream, point };
                let operation = Operation::new(What::Accesses(op.kind()), Some(in_stream), None, &[]);
                page::operation(&operation, label.as_ref());
            }
            (None, (carry_order(&mut sequence, stream, &op), point))
        } else {
            let (effects, by) = (Effects::of(&op), Some(stream));
            let what = What::Accesses(op.kind());
            let label = label.as_ref();
            let seen = Seen { by, what, label, effects: &effects, graph: None, runs: None, shown: None };
            let carry = |sequence: &mut Sequence| (carry_order(sequence, stream, &op), sequence.latest_of(stream));
            seen.check(&Accesses::of(&effects), step.is_some(), carry)
        };
        let runs_graph = matches!(op, Op::RunGraph(_));
        let position = if let Op::HostFn(function) = op {
            user_code::submit_host_fn(known, function.take(), step.as_ref(), submit)
        } else if let Op::HostTask(task) = op {
            submit(Op::HostTask(&user_code::observed(known, task, step.as_ref())))
        } else if let Op::HandOver { delivery, wait } = op {
            let watched: Box<dyn Delivery> = Box::new(WatchedDelivery { delivery: delivery.take(), known });
            submit(Op::HandOver { delivery: Payload::new(&mut Some(watched)), wait })
        } else {
            let position = submit(op);
            if waits && position.is_ok() {
                known.is_seen();
            }
            position
        }
        .inspect_err(|_| refuse(point, runs_graph))?;
        if let (Some(step), Some(operation)) = (step, operation) {
            sync::submitted(stream, step, &operation);
        }
        Ok(position)
    }

    fn host_does(&self, op: Op<'_>, run: &mut dyn FnMut(Op<'_>) -> Result<()>) -> Result<()> {
        let (effects, label) = (Effects::of(&op), page::Label::of(&op));
        let (what, label) = (What::Accesses(op.kind()), label.as_ref());
        let seen = Seen { by: None, what, label, effects: &effects, graph: None, runs: None, shown: None };
        seen.check(&Accesses::of(&effects), false, |_| ());
        page::timed_by_host(label, || run(op))
    }

    fn runs_graph(&self, stream: u64, run: &Arc<GraphRun>, runs: Option<&Arc<GraphRuns>>) {
        let (by, what) = (Some(stream), What::Accesses(OpKind::RunGraph));
        let seen = Seen { by, what, label: None, effects: &run.effects, graph: Some(run), runs, shown: None };
        seen.check(&run.accesses, false, |sequence| {
            runs.into_iter().for_each(|runs| sequence.end_run(stream, runs));
        });
    }

    fn graph_allocates(&self, stream: u64, addr: usize, len: usize) {
        // The graph orders the tasks, so only the contents of the memory matter.
        if is_on(Check::Init) {
            let stream = InStream { handle: stream, point: sequence::lock().next(stream) };
            let operation = Operation::new(What::Allocates, Some(stream), report::stack(), &[]);
            init::allocates(addr, len, Arc::new(operation));
        }
    }

    fn host_waits(&self, known: &[Known]) -> Option<Instant> {
        page::wait();
        is_on(Check::Sync).then(|| {
            sync::host_waits(known.iter().all(Known::is_old));
            Instant::now() + self.long_wait
        })
    }

    fn host_waits_long(&self, awaited: &Awaited<'_>) {
        sync::host_waits_long(awaited, self.long_wait);
    }

    fn host_knows(&self) {
        sync::early::host_knows();
    }

    fn may_be_over(&self) {
        sync::early::forget_all();
    }

    fn is_shared(&self, addr: usize, len: usize) {
        init::is_written(addr, len);
    }
}

/// Whether a check other than races, or a file of reports, needs more of an operation than its accesses.
fn needs_more_than_accesses() -> bool {
    are_contents_checked() || have_details()
}

/// Checks an operation for which only the race check is on.
#[inline]
fn check_accesses(stream: u64, what: What, used: &[Access]) -> Point {
    let placed = places::of(used);
    let used = placed.as_deref().unwrap_or(used);
    let stack = report::stack();
    let mut sequence = sequence::lock();
    let point = sequence.next(stream);
    let in_stream = InStream { handle: stream, point };
    let mut found = None;
    match Short::new(what, in_stream, stack.as_ref()) {
        Some(short) => races::check_short(&mut sequence, &short, used, &mut found),
        None => {
            let operation = Operation::new(what, Some(in_stream), stack, used);
            races::check(&mut sequence, operation, used, None, &mut found);
        }
    }
    match what {
        What::Frees => used.iter().for_each(|freed| sequence.forget_values(freed.addr..freed.end)),
        What::Allocates | What::Closes => {}
        What::Accesses(_) | What::Waits | What::Calls | What::Touches => overwrite(&mut sequence, Some(stream), used),
    }
    let decided = sequence.decided();
    drop(sequence);
    decided.into_iter().for_each(undecided::report);
    found.iter().flatten().for_each(report::finding);
    point
}

/// Records that a stream or the host writes memory, and with it values that may end waits.
#[inline]
fn overwrite(sequence: &mut Sequence, stream: Option<u64>, used: &[Access]) {
    for written in used.iter().filter(|access| access.mode != Mode::Read) {
        sequence.overwrite(stream, written.addr..written.end);
    }
}

/// Whether a check follows the contents of memory, or what the program knows of it.
fn are_contents_checked() -> bool {
    is_on(Check::Init) || is_on(Check::Sync)
}

/// Records that an operation was refused. `runs_graph`: the checker saw the run of a graph before it.
fn refuse(point: Point, runs_graph: bool) {
    let mut sequence = sequence::lock();
    if runs_graph {
        sequence.refuse(Point { number: point.number - 1, ..point });
    }
    sequence.refuse(point);
    if is_on(Check::Races) {
        races::refused(&mut sequence);
    }
    drop(sequence);
    sync::early::refused(point);
}

/// Whether a submission returns only when the operation is complete, as a copy to pageable memory does.
fn returns_complete(op: &Op<'_>) -> bool {
    let is_pageable = |place| place == Place::Pageable;
    match op {
        Op::Copy(copy) => is_pageable(copy.dst.place),
        Op::CopyBatch(copies) => copies.iter().any(|copy| is_pageable(copy.dst.place)),
        Op::Copy2d(copy) => is_pageable(copy.dst.span.place),
        Op::CopyIndirect(_)
        | Op::Fill(_)
        | Op::Prefetch(_)
        | Op::RandomNum(_)
        | Op::Reduce(_)
        | Op::Launch(_)
        | Op::HostFn(_)
        | Op::HostTask(_)
        | Op::RunGraph(_)
        | Op::HandOver { .. }
        | Op::Record(_)
        | Op::Wait(..)
        | Op::WriteValue(_)
        | Op::WaitValue(_)
        | Op::ChangeNotify(..)
        | Op::WaitNotify(..)
        | Op::Mark => false,
    }
}

/// Records the order that an operation passes to other streams, or gets from them. Returns what the host knows when the
/// operation calls a function of the program: everything before it is complete, and the function may notify other
/// threads of that. For a submission that returns when the operation is complete, returns what the host knows then.
fn carry_order(sequence: &mut Sequence, stream: u64, op: &Op<'_>) -> Known {
    match op {
        Op::Record(event) => sequence.record(stream, event),
        Op::Wait(event, _) => sequence.wait(stream, event),
        Op::ChangeNotify(notify, change) => sequence.change(stream, notify, *change),
        Op::WaitNotify(notify, wait) => sequence.await_notify(stream, notify, *wait),
        Op::WriteValue(write) => sequence.write_value(stream, write.dst.addr, write.value),
        Op::WaitValue(wait) => sequence.await_value(stream, *wait),
        Op::HostFn(_) | Op::HostTask(_) | Op::HandOver { .. } => return sequence.before_latest(stream),
        op if returns_complete(op) => return sequence.at_stream(stream),
        Op::Copy(_)
        | Op::CopyBatch(_)
        | Op::Copy2d(_)
        | Op::CopyIndirect(_)
        | Op::Fill(_)
        | Op::Prefetch(_)
        | Op::RandomNum(_)
        | Op::Reduce(_)
        | Op::Launch(_)
        | Op::RunGraph(_)
        | Op::Mark => {}
    }
    Known::default()
}

/// Returns the place in the order of the next operation of this stream; `None` if there is no stream.
#[inline]
fn next(sequence: &mut Sequence, stream: Option<u64>) -> Option<InStream> {
    stream.map(|handle| InStream { handle, point: sequence.next(handle) })
}

/// Records that memory is allocated, in the order of a stream or at once.
pub(crate) fn allocates(by: Option<u64>, memory: &Sized, has_no_contents: bool) {
    let used = memory.all();
    if let Some(stream) = by.filter(|_| !needs_more_than_accesses()) {
        check_accesses(stream, What::Allocates, &[used]);
        return;
    }
    let stack = report::stack();
    let mut sequence = sequence::lock();
    let operation = Operation::new(What::Allocates, next(&mut sequence, by), stack, &[memory.shown()]);
    page::operation(&operation, None);
    if has_no_contents && is_on(Check::Init) {
        init::allocates(memory.addr, memory.len, Arc::new(operation.clone()));
    }
    // Imported memory may have uses at another address.
    if is_on(Check::Races) && !memory.is_imported {
        races::check(&mut sequence, operation, &[used], None, &mut None);
    }
}

/// Records that memory is freed, in the order of a stream or at once.
pub(crate) fn frees(by: Option<u64>, memory: &Sized) {
    let used = memory.all();
    let what = if memory.is_imported { What::Closes } else { What::Frees };
    if let Some(stream) = by.filter(|_| !needs_more_than_accesses()) {
        check_accesses(stream, what, &[used]);
        return;
    }
    let effects = &Effects::default();
    let seen = Seen { by, what, label: None, effects, graph: None, runs: None, shown: Some(memory.shown()) };
    seen.check(&Accesses([used].into_iter().collect()), false, |sequence| {
        if what == What::Frees {
            sequence.forget_values(used.addr..used.end);
        }
    });
    if are_contents_checked() {
        sync::early::freed(memory.addr, memory.len);
        if is_on(Check::Init) {
            init::is_freed(memory.addr, memory.len);
        }
    }
}

/// An operation that is submitted, or that the host does.
struct Seen<'a> {
    /// The handle of a stream; `None`: the host.
    by: Option<u64>,
    what: What,
    /// What the page calls it.
    label: Option<&'a page::Label>,
    effects: &'a Effects,
    /// The graph, if this is a run of one.
    graph: Option<&'a Arc<GraphRun>>,
    /// The graph's runs. This run is ordered after the previous one.
    runs: Option<&'a Arc<GraphRuns>>,
    /// The memory as reports show it, if that differs from the memory that the operation uses.
    shown: Option<Access>,
}

impl Seen<'_> {
    /// Checks the operation and records its order under one lock. `is_kept`: the operation is returned even if it uses
    /// no memory.
    fn check<T>(
        &self,
        accesses: &Accesses,
        is_kept: bool,
        carry: impl FnOnce(&mut Sequence) -> T,
    ) -> (Option<Arc<Operation>>, T) {
        let is_quiet = accesses.0.is_empty() && self.effects.0.is_empty() && !is_kept;
        let placed = places::of(&accesses.0);
        let used = placed.as_deref().unwrap_or(&accesses.0);
        let placed_run = self.graph.and_then(|run| run.placed());
        let graph = placed_run.as_ref().or(self.graph);
        let stack = if is_quiet { None } else { report::stack() };
        let mut sequence = sequence::lock();
        let stream = next(&mut sequence, self.by);
        if let (Some(stream), Some(runs)) = (stream, self.runs) {
            sequence.begin_run(stream.handle, runs);
        }
        let (mut kept, mut found) = (None, None);
        if is_quiet {
            if self.label.is_some() {
                page::operation(&Operation::new(self.what, stream, None, &[]), self.label);
            }
        } else {
            let shown = self.shown.as_ref().map_or(&accesses.0[..], std::slice::from_ref);
            let operation = Operation::new(self.what, stream, stack, shown);
            kept = is_kept.then(|| Arc::new(operation.clone()));
            found = are_contents_checked().then(|| self.check_contents(&sequence, &operation, accesses));
            page::operation(&operation, self.label);
            if is_on(Check::Races) && !accesses.0.is_empty() {
                races::check(&mut sequence, operation, used, graph, &mut found);
            }
            // A free writes nothing that ends a wait.
            if !matches!(self.what, What::Frees | What::Closes) {
                overwrite(&mut sequence, self.by, used);
            }
        }
        let carried = carry(&mut sequence);
        let decided = sequence.decided();
        drop(sequence);
        decided.into_iter().for_each(undecided::report);
        found.iter().flatten().for_each(report::finding);
        (kept, carried)
    }

    /// Checks the contents of the memory that the operation uses, and what the program knows of it.
    fn check_contents(&self, sequence: &Sequence, operation: &Operation, accesses: &Accesses) -> Vec<Finding> {
        let mut found = Vec::new();
        if is_on(Check::Init) {
            // What is still to be submitted may be ordered before the operation, and write the memory.
            let is_open = operation.point().is_some_and(|point| sequence.is_open(point));
            found = init::check(operation, self.effects, is_open);
        }
        if is_on(Check::Sync) {
            let graph = self.graph.map(|run| &**run);
            found.extend(sync::early::submitted(sequence, operation, self.effects, accesses, graph));
        }
        found
    }
}

#[cfg(test)]
#[path = "submissions_tests.rs"]
mod tests;
