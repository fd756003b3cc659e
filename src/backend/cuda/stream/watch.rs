//! Waits that the host watches for a stream: for notifies, and for values where the driver does not
//! wait for them.
//!
//! What a stream hands over, when it comes to it, waits: the stream then waits for its word, as after a
//! host function (`host_fn.rs`), and the watcher lets it go on.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use parking_lot::Mutex;

use super::host_fn;
use super::stream_value;
use crate::backend::cuda::stream::StreamState;
use crate::backend::stream::watch::{Condition, Range, Seat};
use crate::backend::{
    Delivery, Failure, Fault, Notify, NotifyWait, Position, Result, Ticket, ValueWait,
    thread_number,
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
            Self::Value(wait) => stream_value::condition(wait),
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

/// A wait that is queued or under way.
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

impl Waiting {
    /// The stream goes on.
    fn give_up(&self) {
        self.seat.cancel();
        let ticket = self.ticket.lock().take();
        drop(ticket);
    }

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
        // The watcher has this until the wait is over, and nobody else.
        let ending = Arc::clone(&waiting);
        let waits = waiting.seat.begin(
            awaited.range(),
            awaited.condition(),
            awaited.deadline(stream.waits_until()),
            Box::new(move |outcome| ending.end(outcome)),
        );
        // Looked at again: who ended the stream's waits meanwhile has not found this one.
        if !waits || stream.has_dropped(waiting.aborts) {
            waiting.give_up();
        } else if let Some(until) = stream.waits_until() {
            waiting.seat.set_deadline(until, awaited.never_came());
        }
    }
}

/// Queues a wait. The stream's device has [words](host_fn::Words).
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
    stream.host_waits().note(&waiting);
    let position = host_fn::hand_over(stream, Box::new(Arrival(Arc::clone(&waiting))), true)?;
    // Set here only. A failure that is told before has no position.
    let _ = waiting.position.set(position);
    Ok(position)
}

/// The waits of a stream that are queued or under way.
#[derive(Default)]
pub struct HostWaits(Mutex<Vec<Weak<Waiting>>>);

impl HostWaits {
    fn note(&self, waiting: &Arc<Waiting>) {
        note_alive(&mut self.0.lock(), waiting);
    }

    fn all(&self) -> Vec<Arc<Waiting>> {
        self.0.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// The stream drops what it has not come past: those under way are over. The others are dropped when
    /// their turn comes.
    pub fn give_up(&self) {
        self.all().iter().for_each(|waiting| waiting.give_up());
    }

    /// The stream ends: they last until then at the longest.
    pub fn limit(&self, until: Instant) {
        self.all().iter().for_each(|waiting| {
            waiting.seat.set_deadline(until, waiting.awaited.never_came());
        });
    }
}

/// Adds to a list from which those that are no more go when it is full.
pub fn note_alive<T>(list: &mut Vec<Weak<T>>, one: &Arc<T>) {
    if list.len() == list.capacity() {
        list.retain(|other| other.strong_count() > 0);
    }
    list.push(Arc::downgrade(one));
}
