//! Where streams may stop, and what lets them go on: the waits, records and host functions that were submitted and have
//! not passed yet.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};

use crate::backend::{Change, Event, Op};
use crate::core::check::operation::Operation;
use crate::core::order::sequence::{End, key_of};

/// What an operation means for the progress of streams. Events, notifies and values have the keys of carriers.
pub enum Step {
    /// It records an event.
    Records(usize, Weak<dyn Event>),
    /// It changes a notify, or writes a value: to this, if that is known.
    Sets(usize, Option<u64>),
    /// It waits for the record of an event.
    AwaitsRecord(usize),
    /// Its stream may stop there.
    Stops(Why),
}

impl Step {
    /// Of an operation.
    pub fn of(op: &Op<'_>) -> Option<Self> {
        Some(match op {
            Op::Record(event) => Self::Records(key_of(event), Arc::downgrade(event)),
            Op::Wait(event, _) => Self::AwaitsRecord(key_of(event)),
            Op::ChangeNotify(notify, change) => {
                let count = if let Change::Set(count) = change { Some(u64::from(*count)) } else { None };
                Self::Sets(key_of(notify), count)
            }
            Op::WaitNotify(notify, wait) => Self::Stops(Why::Carrier(key_of(notify), End::Count(*wait))),
            Op::WriteValue(write) => Self::Sets(write.dst.addr, Some(write.value)),
            Op::WaitValue(wait) => Self::Stops(Why::Carrier(wait.src.addr, End::Value(*wait))),
            Op::HostFn(_) => Self::Stops(Why::Function(Arc::default())),
            Op::HandOver { wait: true, .. } => Self::Stops(Why::HandedOver),
            _ => return None,
        })
    }
}

/// An operation of a stream: the handle of the stream, and the operation's number there.
pub type At = (u64, u64);

/// Why a stream stops.
pub enum Why {
    /// It waits for this record of an event.
    Record(At),
    /// It waits for a notify or a value.
    Carrier(usize, End),
    /// It calls a function of the program, which has begun and has not returned while this is set.
    Function(Arc<AtomicBool>),
    /// It waits for what it has handed over.
    HandedOver,
}

/// A place where a stream may stop.
pub struct Stop {
    pub at: At,
    pub why: Why,
    pub operation: Arc<Operation>,
    /// Recorded behind it.
    passed: Arc<dyn Event>,
}

/// A record of a notify or a value that has not been reached.
pub struct Setter {
    pub at: At,
    pub operation: Arc<Operation>,
    /// What it writes.
    value: Option<u64>,
    /// `None`: how far its stream is, is not known, so nothing is reported of who waits for it.
    passed: Option<Arc<dyn Event>>,
}

impl Setter {
    fn may_come(&self) -> bool {
        self.passed.as_ref().is_none_or(is_pending)
    }

    fn ends(&self, end: &End) -> bool {
        self.value.is_none_or(|value| end.holds(value))
    }
}

/// Markers that a stream can have pending. They take room in its queue, which drivers limit: with more, a program could
/// wait for room that only its own later calls make (docs/gpu/assumptions.md).
const MOST_MARKERS: usize = 8;

fn is_pending(passed: &Arc<dyn Event>) -> bool {
    // A failed device runs nothing more.
    matches!(passed.is_complete(), Ok(false))
}

/// At this number of records, those of dropped events are removed.
const SWEEP: usize = 1024;

/// All streams.
#[derive(Default)]
pub struct Pending {
    stops: HashMap<u64, VecDeque<Stop>>,
    /// By the key of what they set.
    setters: HashMap<usize, Vec<Setter>>,
    /// The pending markers of each stream.
    markers: HashMap<u64, VecDeque<Arc<dyn Event>>>,
    /// The latest record of each event.
    records: HashMap<usize, (At, Weak<dyn Event>)>,
    sweep_at: usize,
}

impl Pending {
    /// Whether another marker can be recorded in the stream.
    pub fn has_room(&mut self, stream: u64) -> bool {
        let markers = self.markers.entry(stream).or_default();
        while markers.front().is_some_and(|marker| !is_pending(marker)) {
            markers.pop_front();
        }
        markers.len() < MOST_MARKERS
    }

    /// A stream was given an operation. `passed` is recorded behind it; without it, a stop is not followed.
    pub fn add(&mut self, at: At, step: Step, operation: Arc<Operation>, passed: Option<Arc<dyn Event>>) {
        passed.iter().for_each(|marker| self.markers.entry(at.0).or_default().push_back(Arc::clone(marker)));
        let why = match step {
            Step::Records(addr, event) => return self.record(addr, at, event),
            Step::Sets(key, value) => {
                let setters = self.setters.entry(key).or_default();
                // Without a marker, one stands for all of its stream: it is not known which of them have run.
                let is_replaced = |known: &Setter| known.passed.is_none() && known.at.0 == at.0;
                let value = value.filter(|_| passed.is_some());
                setters.retain(|setter| setter.may_come() && !is_replaced(setter));
                setters.push(Setter { at, operation, value, passed });
                return;
            }
            Step::AwaitsRecord(addr) => match self.records.get(&addr) {
                Some((record, _)) => Why::Record(*record),
                None => return,
            },
            Step::Stops(why) => why,
        };
        let Some(passed) = passed else { return };
        let stops = self.stops.entry(at.0).or_default();
        while stops.front().is_some_and(|stop| !is_pending(&stop.passed)) {
            stops.pop_front();
        }
        stops.push_back(Stop { at, why, operation, passed });
    }

    /// Drops what has passed, with its events.
    pub fn forget_complete(&mut self) {
        self.stops.retain(|_, stops| {
            stops.retain(|stop| is_pending(&stop.passed));
            !stops.is_empty()
        });
        self.setters.retain(|_, setters| {
            setters.retain(Setter::may_come);
            !setters.is_empty()
        });
        self.markers.retain(|_, markers| markers.back().is_some_and(is_pending));
    }

    fn record(&mut self, addr: usize, at: At, event: Weak<dyn Event>) {
        if self.records.len() >= self.sweep_at.max(SWEEP) {
            self.records.retain(|_, (_, event)| event.strong_count() > 0);
            self.sweep_at = self.records.len() * 2;
        }
        self.records.insert(addr, (at, event));
    }

    /// The latest record of an event.
    pub fn record_of(&self, event: &Arc<dyn Event>) -> Option<At> {
        self.records.get(&key_of(event)).map(|(at, _)| *at)
    }

    /// Where a stream has stopped, before this operation.
    pub fn stop_before(&self, (stream, number): At) -> Option<&Stop> {
        let stops = self.stops.get(&stream)?;
        stops.iter().find(|stop| is_pending(&stop.passed)).filter(|stop| stop.at.1 < number)
    }

    /// A change of a notify or a value that is still to come, and may end a wait for it.
    pub fn setter_of(&self, key: usize, end: &End) -> Option<&Setter> {
        self.setters.get(&key)?.iter().find(|setter| setter.may_come() && setter.ends(end))
    }
}
