//! Notifies, which the host changes and watches: a GPU cannot wait for a count and clear it in one step,
//! nor give a wait up.
//!
//! What a stream hands over, when it comes to it, changes the count, or waits for it: the stream then
//! waits for its word, as after a host function (`host_fn.rs`), and the watcher lets it go on.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use parking_lot::Mutex;

use super::host_fn;
use super::stream::StreamState;
use crate::backend::watch::{Seat, Watcher};
use crate::backend::{
    Change, Delivery, Failure, Fault, FaultKind, Notify, NotifyWait, Position, Result, Ticket,
    thread_number,
};

/// A change that a stream has not come to.
struct Record {
    stream: Arc<StreamState>,
    notify: Arc<Notify>,
    change: Change,
}

impl Delivery for Record {
    fn deliver(self: Box<Self>, _ticket: Ticket) {
        self.notify.change(self.change);
        self.stream.device().driver().watcher().look(self.notify.range());
    }
}

/// Queues a change.
pub(super) fn change(
    stream: &Arc<StreamState>,
    notify: &Arc<Notify>,
    change: Change,
) -> Result<Position> {
    let (owner, notify) = (Arc::clone(stream), Arc::clone(notify));
    if notify.is_record() {
        stream.event_records().note(&notify);
    }
    host_fn::hand_over(stream, Box::new(Record { stream: owner, notify, change }), false)
}

/// The records of events of several processes that a stream has not come to, or has lately.
///
/// A driver whose device fails forgets them, and who waits for one has no driver to hear it from: another
/// process, or a stream of another device.
#[derive(Default)]
pub(super) struct EventRecords(Mutex<Vec<Weak<Notify>>>);

impl EventRecords {
    fn note(&self, record: &Arc<Notify>) {
        note_alive(&mut self.0.lock(), record);
    }

    /// The device has failed: none of them will be made.
    pub(super) fn give_up(&self, watcher: &Watcher) {
        for record in self.0.lock().drain(..).filter_map(|record| record.upgrade()) {
            record.give_up();
            watcher.look(record.range());
        }
    }
}

/// Adds to a list from which those that are no more go when it is full.
fn note_alive<T>(list: &mut Vec<Weak<T>>, one: &Arc<T>) {
    if list.len() == list.capacity() {
        list.retain(|other| other.strong_count() > 0);
    }
    list.push(Arc::downgrade(one));
}

/// A wait that is queued or under way.
struct Waiting {
    stream: Arc<StreamState>,
    notify: Arc<Notify>,
    wait: NotifyWait,
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
        let (stream, wait) = (&waiting.stream, waiting.wait);
        // The watcher has this until the wait is over, and nobody else.
        let ending = Arc::clone(&waiting);
        let waits = waiting.seat.begin(
            waiting.notify.range(),
            waiting.notify.condition(wait),
            wait.deadline(stream.waits_until()),
            Box::new(move |outcome| ending.end(outcome)),
        );
        // Looked at again: who ended the stream's waits meanwhile has not found this one.
        if !waits || stream.has_dropped(waiting.aborts) {
            waiting.give_up();
        } else if let Some(until) = stream.waits_until() {
            waiting.seat.set_deadline(until, NotifyWait::never_came());
        }
    }
}

/// Queues a wait.
pub(super) fn wait(
    stream: &Arc<StreamState>,
    notify: &Arc<Notify>,
    wait: NotifyWait,
) -> Result<Position> {
    let device = stream.device();
    if device.words().is_none() {
        return Err(Fault::new(
            FaultKind::Unsupported,
            "this CUDA driver's streams cannot wait for a word in memory, so they cannot wait for \
             notifies; use an event",
        ));
    }
    let waiting = Arc::new(Waiting {
        stream: Arc::clone(stream),
        notify: Arc::clone(notify),
        wait,
        seat: device.driver().watcher().seat()?,
        thread: thread_number(),
        position: OnceLock::new(),
        ticket: Mutex::new(None),
        aborts: stream.aborts(),
    });
    stream.notify_waits().note(&waiting);
    let position = host_fn::hand_over(stream, Box::new(Arrival(Arc::clone(&waiting))), true)?;
    // Set here only. A failure that is told before has no position.
    let _ = waiting.position.set(position);
    Ok(position)
}

/// The waits of a stream that are queued or under way.
#[derive(Default)]
pub(super) struct NotifyWaits(Mutex<Vec<Weak<Waiting>>>);

impl NotifyWaits {
    fn note(&self, waiting: &Arc<Waiting>) {
        note_alive(&mut self.0.lock(), waiting);
    }

    fn all(&self) -> Vec<Arc<Waiting>> {
        self.0.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// The stream drops what it has not come past: those under way are over. The others are dropped when
    /// their turn comes.
    pub(super) fn give_up(&self) {
        self.all().iter().for_each(|waiting| waiting.give_up());
    }

    /// The stream ends: they last until then at the longest.
    pub(super) fn limit(&self, until: Instant) {
        self.all().iter().for_each(|waiting| {
            waiting.seat.set_deadline(until, NotifyWait::never_came());
        });
    }
}
