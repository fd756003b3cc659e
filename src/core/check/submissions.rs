//! Sees all operations before they are submitted, and keeps their order.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::operation::{InStream, Operation, What};
use super::sync::{self, Step};
use super::{init, is_on, races, report};
use crate::backend::{Delivery, HostFn, Op, OpKind, Payload, Place, Position, Ticket};
use crate::core::base::config::check::Check;
use crate::core::base::error::Result;
use crate::core::order::accesses::{Access, Accesses, Mode};
use crate::core::order::checker::{Awaited, Checker, GraphRun};
use crate::core::order::effects::Effects;
use crate::core::order::sequence::{self, Known};

/// Who uses memory.
#[derive(Clone, Copy)]
pub enum By {
    /// A stream.
    Stream(u64),
    /// The host.
    Host,
}

impl By {
    /// The stream with this handle; 0: the host.
    pub fn of(stream: u64) -> Self {
        if stream == 0 { Self::Host } else { Self::Stream(stream) }
    }
}

/// The checker of all streams.
pub struct Submissions {
    /// When a wait of the host is a long one.
    pub long_wait: Duration,
}

impl Checker for Submissions {
    fn submit(&self, stream: u64, op: Op<'_>, submit: &mut dyn FnMut(Op<'_>) -> Result<Position>) -> Result<Position> {
        let waits = returns_complete(&op);
        let step = is_on(Check::Sync).then(|| Step::of(&op)).flatten();
        let operation = does(By::Stream(stream), &op, step.is_some());
        let position = match op {
            Op::HostFn(function) => submit_host_fn(stream, function.take(), step.as_ref(), submit),
            Op::HandOver { delivery, wait } => {
                let known = sequence::lock().before_latest(stream);
                let watched: Box<dyn Delivery> = Box::new(WatchedDelivery { delivery: delivery.take(), known });
                submit(Op::HandOver { delivery: Payload::new(&mut Some(watched)), wait })
            }
            op => {
                carry_order(stream, &op);
                submit(op)
            }
        }?;
        if waits {
            Known::streams([stream]).is_seen();
        }
        if let (Some(step), Some(operation)) = (step, operation) {
            sync::submitted(stream, step, &operation);
        }
        Ok(position)
    }

    fn host_does(&self, op: &Op<'_>) {
        does(By::Host, op, false);
    }

    fn runs_graph(&self, stream: u64, run: &GraphRun) {
        check(By::Stream(stream), What::Accesses(OpKind::RunGraph), &run.effects, &run.accesses, false);
    }

    fn graph_allocates(&self, stream: u64, addr: usize, len: usize) {
        // Its tasks are ordered by the graph, so only its contents matter.
        if is_on(Check::Init) {
            let stream = InStream { handle: stream, point: sequence::lock().next(stream) };
            let operation = Operation::new(What::Allocates, Some(stream), report::stack(), &[]);
            init::allocates(addr, len, Arc::new(operation));
        }
    }

    fn host_waits(&self, is_redundant: bool) -> Option<Instant> {
        is_on(Check::Sync).then(|| {
            sync::host_waits(is_redundant);
            Instant::now() + self.long_wait
        })
    }

    fn host_waits_long(&self, awaited: &Awaited<'_>) {
        sync::host_waits_long(awaited, self.long_wait);
    }

    fn is_shared(&self, addr: usize, len: usize) {
        init::is_written(addr, len);
    }
}

/// Checks an operation. `is_kept`: it is of interest also if it uses no memory.
fn does(by: By, op: &Op<'_>, is_kept: bool) -> Option<Arc<Operation>> {
    let effects = Effects::of(op);
    check(by, What::Accesses(op.kind()), &effects, &Accesses::of(&effects), is_kept)
}

/// Whether a submission returns when the operation is complete: a copy to pageable memory.
fn returns_complete(op: &Op<'_>) -> bool {
    let is_pageable = |place| place == Place::Pageable;
    match op {
        Op::Copy(copy) => is_pageable(copy.dst.place),
        Op::CopyBatch(copies) => copies.iter().any(|copy| is_pageable(copy.dst.place)),
        Op::Copy2d(copy) => is_pageable(copy.dst.span.place),
        _ => false,
    }
}

/// The order that an operation passes to other streams, or gets from them.
fn carry_order(stream: u64, op: &Op<'_>) {
    let mut sequence = sequence::lock();
    match op {
        Op::Record(event) => sequence.record(stream, event),
        Op::Wait(event, _) => sequence.wait(stream, event),
        Op::ChangeNotify(notify, _) => sequence.change(stream, notify),
        Op::WaitNotify(notify, _) => sequence.await_notify(stream, notify),
        Op::WriteValue(write) => sequence.write_value(stream, write.dst.addr),
        Op::WaitValue(wait) => sequence.await_value(stream, wait.src.addr),
        _ => {}
    }
}

/// When a host function runs, everything before it is complete. It may notify other threads of that.
fn submit_host_fn(
    stream: u64,
    function: HostFn,
    step: Option<&Step>,
    submit: &mut dyn FnMut(Op<'_>) -> Result<Position>,
) -> Result<Position> {
    if function.calls_backend() {
        return submit(Op::HostFn(Payload::new(&mut Some(function))));
    }
    let known = sequence::lock().before_latest(stream);
    let progress = match step {
        Some(Step::Calls(progress)) => Some(Arc::clone(progress)),
        _ => None,
    };
    let watched = HostFn::from_closure(move || {
        known.is_seen();
        progress.iter().for_each(|progress| progress.begin());
        function.run();
        progress.iter().for_each(|progress| progress.end());
    });
    submit(Op::HostFn(Payload::new(&mut Some(watched))))
}

/// As for a host function.
struct WatchedDelivery {
    delivery: Box<dyn Delivery>,
    known: Known,
}

impl Delivery for WatchedDelivery {
    fn deliver(self: Box<Self>, ticket: Ticket) {
        self.known.is_seen();
        self.delivery.deliver(ticket);
    }
}

/// Memory is allocated or freed, in the order of a stream or at once.
pub fn allocates_or_frees(by: By, what: What, addr: usize, len: usize) -> Option<Arc<Operation>> {
    let access = Access { addr, end: addr.saturating_add(len), mode: Mode::Write };
    check(by, what, &Effects::default(), &Accesses(vec![access]), false)
}

/// As [`does`], by its effects.
fn check(by: By, what: What, effects: &Effects, accesses: &Accesses, is_kept: bool) -> Option<Arc<Operation>> {
    let is_quiet = accesses.0.is_empty() && effects.0.is_empty() && !is_kept;
    let stack = if is_quiet { None } else { report::stack() };
    let mut sequence = sequence::lock();
    let stream = match by {
        By::Stream(handle) => Some(InStream { handle, point: sequence.next(handle) }),
        By::Host => None,
    };
    if is_quiet {
        return None;
    }
    let operation = Arc::new(Operation::new(what, stream, stack, &accesses.0));
    let mut found = Vec::new();
    if is_on(Check::Races) {
        found = races::check(&sequence, &operation, accesses);
    }
    if is_on(Check::Init) {
        // What is still to be submitted may come before it, and write the memory.
        let is_open = stream.is_some_and(|stream| sequence.is_open(stream.point));
        found.extend(init::check(&operation, effects, is_open));
    }
    drop(sequence);
    report::page::operation(&operation);
    found.iter().for_each(report::finding);
    Some(operation)
}
