//! What passes order from one stream to another: events, notifies, and values in memory.

use std::sync::{Arc, Weak};

use super::accesses::GraphRuns;
use super::clock::{Clock, Line, Point};
use crate::backend::{Change, Event, Notify, NotifyWait, ValueWait};

/// What passes order.
pub enum Carrier {
    /// An event.
    Event(Weak<dyn Event>),
    /// A notify.
    Notify(Weak<Notify>),
    /// The runs of a graph.
    Graph(Weak<GraphRuns>),
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
            Self::Graph(runs) => runs.strong_count() > 0,
            // These are removed: with their memory, or when the host has waited.
            Self::Value | Self::Host => true,
        }
    }
}

/// Carriers are found by their addresses, which are unique while they exist.
pub fn key_of<T: ?Sized>(carrier: &Arc<T>) -> usize {
    Arc::as_ptr(carrier).cast::<()>().addr()
}

/// How a stream changes what passes order.
pub enum Changes {
    /// It records an event, or has run a graph. What was passed before is replaced.
    Record,
    /// It writes a value. `None`: an unknown one.
    Write(Option<u64>),
    /// It changes the count of a notify.
    Count(Change),
}

/// What passes order, with what it passes.
pub struct Carried {
    /// Its kind.
    pub carrier: Carrier,
    /// What comes before.
    pub clock: Clock,
    /// What comes before resets of a notify. Only waits for a count of 0 may be after it.
    pub(super) resets: Clock,
    /// A value in memory: what the latest change wrote, if that is known. A notify: its count after all changes, and
    /// after the waits that have ended.
    pub(super) value: Option<u64>,
    /// How many changes have set the count that it had already. Streams that take turns may be submitted one after the
    /// other, so each of these counts for a wait.
    spare: u64,
    /// The open waits for it, in the order of their submission.
    pub(super) open: Vec<(Point, End)>,
    /// The streams that may have gates for it.
    pub waiting: Vec<Line>,
}

impl Carried {
    /// Passes nothing yet. The count of a notify is 0.
    pub fn new(carrier: Carrier) -> Self {
        let value = matches!(carrier, Carrier::Notify(_)).then_some(0);
        let (clock, resets, open, waiting) = Default::default();
        Self { carrier, clock, resets, value, spare: 0, open, waiting }
    }

    /// A stream that has this clock changes it.
    pub fn change(&mut self, change: &Changes, clock: Clock) {
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

    /// The host or a stream resets a notify.
    pub fn reset(&mut self) {
        (self.value, self.spare) = (Some(0), 0);
    }

    /// What it passes to a wait. `comes_after_resets`: the count 0 ends the wait.
    pub fn passes(&self, comes_after_resets: bool) -> Clock {
        let mut clock = self.clock.clone();
        if comes_after_resets {
            clock.merge(self.resets.clone());
        }
        clock
    }

    /// Whether its changes so far end this wait, which then takes the count from later waits if it clears it. Returns
    /// the count that was there.
    pub fn ends(&mut self, end: &End) -> Option<u32> {
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

    /// A wait that took this count was dropped.
    pub fn restore(&mut self, count: u32) {
        match self.count() {
            0 => self.value = Some(count.into()),
            _ => self.spare += 1,
        }
    }

    /// Keeps a wait that nothing has ended, beside those of which the host does not know that something has.
    pub fn wait(&mut self, origin: Point, end: End, host: &[u64]) {
        self.open.retain(|(origin, _)| !origin.is_known(host));
        self.open.push((origin, end));
    }

    /// Takes the open waits that its latest change ends, each with the count that it took.
    pub fn take_ended(&mut self, host: &[u64]) -> Vec<(Point, End, u32)> {
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

/// What ends a wait.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// A count of a notify.
    Count(NotifyWait),
    /// A value in memory that satisfies this.
    Value(ValueWait),
}

impl End {
    /// Whether this count or value ends the wait.
    pub fn holds(&self, value: u64) -> bool {
        match self {
            Self::Count(wait) => wait.until.holds(value as u32),
            Self::Value(wait) => wait.comparison.holds(value, wait.value),
        }
    }

    /// Whether the wait takes the count from later waits.
    pub fn clears(&self) -> bool {
        matches!(self, Self::Count(wait) if wait.clear)
    }
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
    /// An unknown value was written, which may have ended the wait.
    pub may_be_over: bool,
}
