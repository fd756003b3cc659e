//! What passes order from one stream to another: events, notifies, and values in memory.

use std::sync::{Arc, Weak};

use super::clock::{Clock, Line};
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
    /// How often streams were given waits for it.
    pub waits: u64,
    /// The value of the latest change, if it is known.
    pub value: Option<u64>,
    /// The streams that may have gates for it.
    pub waiting: Vec<Line>,
}

impl Carried {
    /// Passes nothing yet.
    pub fn new(carrier: Carrier) -> Self {
        Self { carrier, clock: Clock::default(), changes: 0, waits: 0, value: None, waiting: Vec::new() }
    }

    /// Whether its latest change has an unknown value, which may end this wait.
    pub fn may_end(&self, gate: &Gate) -> bool {
        gate.value.is_some() && self.value.is_none()
    }

    /// Whether its latest change ends this wait.
    pub fn ends(&self, gate: &Gate) -> bool {
        match &gate.value {
            None => self.changes >= gate.wait,
            Some(wanted) => self.value.is_some_and(|value| wanted.comparison.holds(value, wanted.value)),
        }
    }
}

/// A wait that was submitted before what it waits for.
#[derive(Clone, Copy)]
pub struct Gate {
    /// The operation with this number and later ones of the stream are behind it.
    pub number: u64,
    /// Of the carrier.
    pub key: usize,
    /// The number of the wait among all for its carrier. As many changes of a notify end it.
    pub wait: u64,
    /// The value that ends it, if it is for one.
    pub value: Option<ValueWait>,
}
