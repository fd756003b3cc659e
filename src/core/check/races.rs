//! Finds operations that use the same memory, with nothing that orders them.

use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use super::operation::{InStream, Operation, What};
use super::report;
use super::shadow::{Conflict, Shadow, Use};
use crate::backend::{Delivery, HostFn, Op, OpKind, Payload, Place, Position, Ticket};
use crate::core::base::error::Result;
use crate::core::order::accesses::{Access, Accesses, Mode};
use crate::core::order::checker::Checker;
use crate::core::order::sequence::{self, Known, Sequence};

static SHADOW: LazyLock<Mutex<Shadow>> = LazyLock::new(Mutex::default);

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
pub struct Races;

impl Checker for Races {
    fn submit(&self, stream: u64, op: Op<'_>, submit: &mut dyn FnMut(Op<'_>) -> Result<Position>) -> Result<Position> {
        let waits = returns_complete(&op);
        check(By::Stream(stream), What::Accesses(op.kind()), &Accesses::of(&op));
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
        check(By::Host, What::Accesses(op.kind()), &Accesses::of(op));
    }

    fn runs_graph(&self, stream: u64, used: &Accesses) {
        check(By::Stream(stream), What::Accesses(OpKind::RunGraph), used);
    }
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
pub fn uses(by: By, what: What, addr: usize, len: usize) {
    let access = Access { addr, end: addr.saturating_add(len), mode: Mode::Write };
    if what == What::Allocates {
        let mut shadow = SHADOW.lock();
        shadow.note_live(len, 0);
        // What used the memory before was another allocation.
        shadow.forget(access.addr, access.end);
    }
    check(by, what, &Accesses(vec![access]));
    if what == What::Frees {
        let mut shadow = SHADOW.lock();
        shadow.note_live(0, len);
        if matches!(by, By::Host) {
            shadow.forget(access.addr, access.end);
        }
    }
}

/// Checks an operation that uses memory, and keeps it.
fn check(by: By, what: What, used: &Accesses) {
    let is_host = matches!(by, By::Host);
    let stack = if used.0.is_empty() { None } else { report::stack() };
    let mut sequence = sequence::lock();
    let stream = match by {
        By::Stream(handle) => Some(InStream { handle, point: sequence.next(handle) }),
        By::Host => None,
    };
    if used.0.is_empty() {
        return;
    }
    let operation = Arc::new(Operation { what, stream, stack });
    let mut shadow = SHADOW.lock();
    let mut found = Vec::new();
    for access in &used.0 {
        let later = Use { mode: access.mode, operation: Arc::clone(&operation) };
        found.extend(shadow.check(access, &later, |earlier| is_before(&sequence, earlier, &operation)));
        // What the host does is complete before anything else begins.
        if !is_host {
            let is_open = |it: &Operation| it.stream.is_some_and(|stream| sequence.is_open(stream.point));
            shadow.add(access, &later, is_open);
        }
    }
    shadow.sweep_if_many(|earlier| earlier.stream.is_none_or(|stream| sequence.is_known(stream.point)));
    drop((sequence, shadow));
    found.iter().for_each(|conflict: &Conflict| report::conflict(conflict));
}

/// Whether the first is complete before the second begins, or may not be compared with it.
fn is_before(sequence: &Sequence, earlier: &Operation, later: &Operation) -> bool {
    match (earlier.stream, later.stream) {
        // The host frees memory that exists in any case.
        (Some(_), None) if (earlier.what, later.what) == (What::Allocates, What::Frees) => true,
        (None, _) => true,
        (Some(earlier), None) => sequence.is_known(earlier.point),
        // What waits for something that is still to be submitted may come after it.
        (Some(earlier), Some(later)) => {
            sequence.is_before(earlier.point, later.point) || sequence.is_open(earlier.point)
        }
    }
}

/// The session has ended, and with it all pending work.
pub fn session_ended() {
    *SHADOW.lock() = Shadow::default();
}

/// Whether uses of memory were forgotten.
pub fn is_incomplete() -> bool {
    SHADOW.try_lock().is_some_and(|shadow| shadow.is_incomplete)
}
