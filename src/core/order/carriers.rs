//! What passes order from one stream to another: events, notifies, and values in memory.

use std::sync::{Arc, Weak};

use super::clock::{Clock, Line, Point};
use crate::backend::{Event, Notify, ValueWait};

/// What passes order.
pub enum Carrier {
    /// An event.
    Event(Weak<dyn Event>),
    /// A notify.
    Notify(Weak<Notify>),
    /// A value in memory.
    Value,
    /// A wait of the host, or a function that it will run.
    Host,
}

impl Carrier {
    /// Whether something may still use it.
    pub fn is_live(&self) -> bool {
        match self {
            Self::Event(event) => event.strong_count() > 0,
            Self::Notify(notify) => notify.strong_count() > 0,
            // These are removed: with their memory, or when the host has waited.
            Self::Value | Self::Host => true,
        }
    }
}

/// Carriers are found by their addresses, which are unique while they exist.
pub fn event_key(event: &Arc<dyn Event>) -> usize {
    Arc::as_ptr(event).cast::<()>().addr()
}

/// As [`event_key`].
pub fn notify_key(notify: &Arc<Notify>) -> usize {
    Arc::as_ptr(notify).addr()
}

/// What passes order, with what it passes.
pub struct Carried {
    /// Its kind.
    pub carrier: Carrier,
    /// What comes before.
    pub clock: Clock,
    /// How often it was changed.
    pub changes: u64,
    /// How many waits for it were submitted that consume a change each.
    pub waits: u64,
    /// The value that the latest change wrote. `None`: that value is unknown, or this is no value in memory.
    pub value: Option<u64>,
    /// The streams that may have gates for it.
    pub waiting: Vec<Line>,
}

impl Carried {
    /// Passes nothing yet.
    pub fn new(carrier: Carrier) -> Self {
        Self { carrier, clock: Clock::default(), changes: 0, waits: 0, value: None, waiting: Vec::new() }
    }

    /// What ends the next wait for it, if it is a notify. `consumes`: the wait takes the change from later waits.
    pub fn next_change(&mut self, consumes: bool) -> End {
        let end = End::Changes(self.waits + 1);
        self.waits += u64::from(consumes);
        end
    }

    /// Whether its latest change wrote an unknown value, which may end this wait.
    pub fn may_end(&self, end: &End) -> bool {
        matches!(end, End::Value(_)) && self.value.is_none()
    }

    /// Whether its changes so far end this wait.
    pub fn ends(&self, end: &End) -> bool {
        match end {
            End::Changes(wanted) => self.changes >= *wanted,
            End::Value(wanted) => self.value.is_some_and(|value| wanted.comparison.holds(value, wanted.value)),
        }
    }

    /// A notify loses the changes that no wait consumes.
    pub fn reset(&mut self) {
        self.changes = self.changes.min(self.waits);
    }
}

/// What ends a wait.
#[derive(Clone, Copy)]
pub enum End {
    /// The change of a notify that has this number, counted from 1.
    Changes(u64),
    /// A value in memory that satisfies this.
    Value(ValueWait),
}

/// A wait that was submitted before what it waits for.
#[derive(Clone, Copy)]
pub struct Gate {
    /// The operation with this number and later ones of the stream are behind it.
    pub number: u64,
    /// The wait. Streams that are behind it have gates with the same one.
    pub origin: Point,
    /// Of the carrier.
    pub key: usize,
    /// What ends the wait.
    pub end: End,
}

impl Gate {
    /// Whether the host, which knows this of each stream, knows that the wait is over.
    pub fn is_over(&self, host: &[u64]) -> bool {
        host[self.origin.line as usize] >= self.origin.number
    }
}
