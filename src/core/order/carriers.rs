//! What passes order from one stream to another: events, notifies, and values in memory.

use std::sync::{Arc, Weak};

use super::accesses::GraphRuns;
use super::clock::{Clock, LaneIndex, Point};
use crate::backend::{Change, Event, Notify, NotifyWait, ValueWait};

/// The kind of a carrier of order.
pub(super) enum Carrier {
    /// An event.
    Event(Weak<dyn Event>),
    /// A notify.
    Notify(Weak<Notify>),
    /// The runs of a graph.
    Graph(Weak<GraphRuns>),
    /// A value in memory.
    Value,
    /// A wait of the host, or a host function that is still to run.
    Host,
}

impl Carrier {
    /// Whether something may still use the carrier.
    pub(super) fn is_live(&self) -> bool {
        match self {
            Self::Event(event) => event.strong_count() > 0,
            Self::Notify(notify) => notify.strong_count() > 0,
            Self::Graph(runs) => runs.strong_count() > 0,
            // These are removed explicitly: a value with its memory, a wait of the host when it ends.
            Self::Value | Self::Host => true,
        }
    }
}

/// Returns the key of a carrier: its address, which is unique while the carrier exists.
pub fn key_of<T: ?Sized>(carrier: &Arc<T>) -> usize {
    Arc::as_ptr(carrier).cast::<()>().addr()
}

/// A change of a carrier by a stream.
pub(super) enum Changes {
    /// The stream records an event, or has run a graph. This replaces what the carrier passed before.
    Record,
    /// The stream writes a value; `None`: an unknown value.
    Write(Option<u64>),
    /// The stream changes the count of a notify.
    Count(Change),
}

/// A carrier and the order that it passes.
pub(super) struct Carried {
    /// The kind of the carrier.
    pub carrier: Carrier,
    /// The operations that are ordered before the changes of the carrier.
    pub clock: Clock,
    /// The operations that are ordered before resets of a notify. Only waits for a count of 0 may be ordered after
    /// them.
    pub(super) resets: Clock,
    /// Of a value in memory: what the latest change wrote, if that is known. Of a notify: its count after all changes
    /// and after the waits that have ended.
    pub(super) value: Option<u64>,
    /// Number of changes that set the count to the value that it already had. Streams that take turns may be submitted
    /// one after the other, so each of these changes can end one wait.
    spare: u64,
    /// The open waits for the carrier, in the order of their submission.
    pub(super) open: Vec<(Point, WaitCondition)>,
    /// The streams that may have gates for the carrier.
    pub waiting: Vec<LaneIndex>,
}

impl Carried {
    /// Creates a carrier that passes no order yet. The count of a notify is 0.
    pub(super) fn new(carrier: Carrier) -> Self {
        let value = matches!(carrier, Carrier::Notify(_)).then_some(0);
        let (clock, resets, open, waiting) = Default::default();
        Self { carrier, clock, resets, value, spare: 0, open, waiting }
    }

    /// Applies a change by a stream that has this clock.
    pub(super) fn change(&mut self, change: &Changes, clock: Clock) {
        match change {
            Changes::Record => self.clock = clock,
            Changes::Count(Change::Set(0)) => {
                self.resets.merge(clock);
                self.reset();
            }
            Changes::Count(change) => {
                self.clock.merge(clock);
                let before = self.count();
                let is_same = before != 0 && *change == Change::Set(before);
                self.spare = if is_same { self.spare + 1 } else { 0 };
                self.value = Some(change.of(before).into());
            }
            Changes::Write(value) => {
                self.clock.merge(clock);
                self.value = *value;
            }
        }
    }

    fn count(&self) -> u32 {
        self.value.map_or(0, |value| value as u32)
    }

    /// Resets a notify: the host or a stream did so.
    pub(super) fn reset(&mut self) {
        (self.value, self.spare) = (Some(0), 0);
    }

    /// Returns the order that the carrier passes to a wait. `comes_after_resets`: the count 0 ends the wait.
    pub(super) fn passes(&self, comes_after_resets: bool) -> Clock {
        let mut clock = self.clock.clone();
        if comes_after_resets {
            clock.merge(self.resets.clone());
        }
        clock
    }

    /// Returns the count before the wait if the changes so far end this wait. If the wait clears the count, later waits
    /// cannot use it.
    pub(super) fn ends(&mut self, end: &WaitCondition) -> Option<u32> {
        self.value.filter(|value| end.holds(*value))?;
        let count = self.count();
        if end.clears() {
            match self.spare {
                0 => self.value = Some(0),
                _ => self.spare -= 1,
            }
        }
        Some(count)
    }

    /// Restores the count that a dropped wait had taken.
    pub(super) fn restore(&mut self, count: u32) {
        match self.count() {
            0 => self.value = Some(count.into()),
            _ => self.spare += 1,
        }
    }

    /// Adds a wait that nothing has ended. Removes the waits that the host knows to be complete.
    pub(super) fn wait(&mut self, origin: Point, end: WaitCondition, host: &[u64]) {
        self.open.retain(|(origin, _)| !origin.is_known(host));
        self.open.push((origin, end));
    }

    /// Takes the open waits that the latest change ends, each with the count that it took.
    pub(super) fn take_ended(&mut self, host: &[u64]) -> Vec<(Point, WaitCondition, u32)> {
        let mut open = std::mem::take(&mut self.open);
        let mut ended = Vec::new();
        open.retain(|(origin, end)| {
            let is_over = origin.is_known(host);
            let taken = if is_over { None } else { self.ends(end) };
            ended.extend(taken.map(|count| (*origin, *end, count)));
            taken.is_none() && !is_over
        });
        self.open = open;
        ended
    }
}

/// The condition that ends a wait.
#[derive(Clone, Copy, Debug)]
pub enum WaitCondition {
    /// The count of a notify fulfils this condition.
    Count(NotifyWait),
    /// The value in memory fulfils this condition.
    Value(ValueWait),
}

impl WaitCondition {
    /// Whether this count or value ends the wait.
    pub fn holds(&self, value: u64) -> bool {
        match self {
            Self::Count(wait) => wait.until.holds(value as u32),
            Self::Value(wait) => wait.comparison.holds(value, wait.value),
        }
    }

    /// Whether the wait clears the count, so that later waits cannot use it.
    pub(crate) fn clears(&self) -> bool {
        matches!(self, Self::Count(wait) if wait.clear)
    }
}

/// An open wait: it was submitted before what it waits for.
#[derive(Clone, Copy)]
pub(super) struct Gate {
    /// Number of the first operation of the stream that is behind the wait.
    pub number: u64,
    /// The wait. All streams that are behind it have gates with the same origin.
    pub origin: Point,
    /// The key of the carrier.
    pub key: usize,
    /// True if an unknown value was written, which may have ended the wait.
    pub may_be_over: bool,
}
