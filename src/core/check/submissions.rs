//! Sees all operations before they are submitted, and keeps their order.

use std::sync::Arc;

use super::operation::{InStream, Operation, What};
use super::{init, is_on, races, report};
use crate::backend::{Delivery, HostFn, Op, OpKind, Payload, Place, Position, Ticket};
use crate::core::base::config::check::Check;
use crate::core::base::error::Result;
use crate::core::order::accesses::{Access, Accesses, Mode};
use crate::core::order::checker::{Checker, GraphRun};
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
pub struct Submissions;

impl Checker for Submissions {
    fn submit(&self, stream: u64, op: Op<'_>, submit: &mut dyn FnMut(Op<'_>) -> Result<Position>) -> Result<Position> {
        let waits = returns_complete(&op);
        uses_memory(By::Stream(stream), &op);
        let position = match op {
            Op::HostFn(function) => submit_host_fn(stream, function.take(), submit),
            Op::HandOver { delivery, wait } => {
                let known = sequence::lock().at_stream(stream);
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
        Ok(position)
    }

    fn host_does(&self, op: &Op<'_>) {
        uses_memory(By::Host, op);
    }

    fn runs_graph(&self, stream: u64, run: &GraphRun) {
        check(By::Stream(stream), What::Accesses(OpKind::RunGraph), &run.effects, &run.accesses);
    }

    fn graph_allocates(&self, stream: u64, addr: usize, len: usize) {
        // Its tasks are ordered by the graph, so only its contents matter.
        if is_on(Check::Init) {
            let stream = InStream { handle: stream, point: sequence::lock().next(stream) };
            let operation = Operation::new(What::Allocates, Some(stream), report::stack(), &[]);
            init::allocates(addr, len, Arc::new(operation));
        }
    }

    fn is_shared(&self, addr: usize, len: usize) {
        init::is_written(addr, len);
    }
}

fn uses_memory(by: By, op: &Op<'_>) {
    let effects = Effects::of(op);
    check(by, What::Accesses(op.kind()), &effects, &Accesses::of(&effects));
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
    submit: &mut dyn FnMut(Op<'_>) -> Result<Position>,
) -> Result<Position> {
    if function.calls_backend() {
        return submit(Op::HostFn(Payload::new(&mut Some(function))));
    }
    let known = sequence::lock().at_stream(stream);
    let watched = HostFn::from_closure(move || {
        known.is_seen();
        function.run();
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
    check(by, what, &Effects::default(), &Accesses(vec![access]))
}

/// Checks an operation. `None`: it uses no memory.
fn check(by: By, what: What, effects: &Effects, accesses: &Accesses) -> Option<Arc<Operation>> {
    let is_quiet = accesses.0.is_empty() && effects.0.is_empty();
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
    found.iter().for_each(report::finding);
    Some(operation)
}
