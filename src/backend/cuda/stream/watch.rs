//! Waits that the host watches for a stream: for notifies, and for values for which the driver does not wait.
//!
//! When a stream reaches such a wait it delivers it to the watcher, and then waits for its word, as after a host
//! function (`host_fn.rs`). The watcher ends that wait.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use parking_lot::Mutex;

use super::host_fn;
use super::state::{HostWait, StreamState};
use crate::backend::stream::watch::{Condition, Range, Seat};
use crate::backend::{
    Delivery, Failure, Fault, Notify, NotifyWait, Position, Result, Ticket, ValueWait, thread_number,
};

/// What a stream waits for.
pub enum Awaited {
    Notify(Arc<Notify>, NotifyWait),
    /// Of memory that the host reaches, too.
    Value(ValueWait),
}

impl Awaited {
    fn range(&self) -> Range {
        match self {
            Self::Notify(notify, _) => notify.range(),
            Self::Value(wait) => (wait.src.addr, wait.src.len),
        }
    }

    fn condition(&self) -> Condition {
        match self {
            Self::Notify(notify, wait) => notify.condition(*wait),
            Self::Value(wait) => value_condition(wait),
        }
    }

    fn deadline(&self, device_ends: Option<Instant>) -> Option<(Instant, Fault)> {
        match self {
            Self::Notify(_, wait) => wait.deadline(device_ends),
            Self::Value(_) => device_ends.map(|ends| (ends, self.never_came())),
        }
    }

    /// What a wait says that was ended because its device ends.
    fn never_came(&self) -> Fault {
        match self {
            Self::Notify(..) => NotifyWait::never_came(),
            Self::Value(wait) => wait.never_came(),
        }
    }
}

/// # Safety
/// There is a word at the address for as long as the result is used.
pub unsafe fn word_at<'a>(addr: usize) -> &'a AtomicU64 {
    // SAFETY: the caller vouches for a word that the host reaches, and the core checked that it is
    // aligned. Programs and devices may write it at any time, hence an atomic.
    unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(addr)) }
}

/// Asks whether managed memory has the value. A wait uses the memory until it is over, so the memory
/// stays, and the condition is not asked any longer.
fn value_condition(wait: &ValueWait) -> Condition {
    let ValueWait { src, value, comparison } = *wait;
    Box::new(move || {
        // SAFETY: the core checked the range; the wait keeps it.
        let word = unsafe { word_at(src.addr) };
        // Acquire: who sees the value sees what was done before.
        Ok(comparison.holds(word.load(Ordering::Acquire), value))
    })
}

/// A wait that is pending or has begun.
struct Waiting {
    stream: Arc<StreamState>,
    awaited: Awaited,
    seat: Seat,
    thread: u32,
    position: OnceLock<Position>,
    /// While the stream waits: it goes on when this is dropped.
    ticket: Mutex<Option<Ticket>>,
    /// How often the stream had been aborted when this was queued.
    aborts: u64,
}

impl HostWait for Waiting {
    fn cancel(&self) {
        self.seat.cancel();
        let ticket = self.ticket.lock().take();
        drop(ticket);
    }

    fn limit(&self, until: Instant) {
        self.seat.set_deadline(until, self.awaited.never_came());
    }
}

impl Waiting {
    fn end(&self, outcome: Result<()>) {
        let ticket = self.ticket.lock().take();
        let (Err(fault), Some(ticket)) = (outcome, ticket) else { return };
        let (position, thread) = (self.position.get().copied(), Some(self.thread));
        self.stream.fail(Failure { fault, position, thread, launch: None }, ticket);
    }
}

/// What the stream hands over when it comes to a wait.
struct Arrival(Arc<Waiting>);

impl Delivery for Arrival {
    fn deliver(self: Box<Self>, ticket: Ticket) {
        let Self(waiting) = *self;
        *waiting.ticket.lock() = Some(ticket);
        let (stream, awaited) = (&waiting.stream, &waiting.awaited);
        // Only the watcher has this until the wait ends.
        let ending = Arc::clone(&waiting);
        let waits = waiting.seat.begin(
            awaited.range(),
            awaited.condition(),
            awaited.deadline(stream.waits_until()),
            Box::new(move |outcome| ending.end(outcome)),
        );
        // Checked again: a call that ended the stream's waits in the meantime has not found this one.
        if !waits || stream.has_dropped(waiting.aborts) {
            waiting.cancel();
        } else if let Some(until) = stream.waits_until() {
            waiting.seat.set_deadline(until, awaited.never_came());
        }
    }
}

/// Queues a wait. The stream's device has [words](super::words::Words).
pub fn queue(stream: &Arc<StreamState>, awaited: Awaited) -> Result<Position> {
    let waiting = Arc::new(Waiting {
        stream: Arc::clone(stream),
        awaited,
        seat: stream.device().driver().watcher().seat()?,
        thread: thread_number(),
        position: OnceLock::new(),
        ticket: Mutex::new(None),
        aborts: stream.aborts(),
    });
    let waits: Arc<dyn HostWait> = Arc::clone(&waiting) as _;
    stream.host_waits().note(&waits);
    let position = host_fn::hand_over(stream, Box::new(Arrival(Arc::clone(&waiting))), true)?;
    // Set here only. A failure that is reported before has no position.
    let _ = waiting.position.set(position);
    Ok(position)
}
