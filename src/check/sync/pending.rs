//! The places where streams may stop, and what lets them continue: the waits, records and host functions that were
//! submitted and that the streams have not passed yet.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};

use crate::backend::{Change, Event, Op};
use crate::core::order::places;
use crate::core::order::sequence::{WaitCondition, key_of};
use crate::operation::Operation;

/// How an operation can stop or continue streams. Events, notifies and values have the keys of carriers.
pub(crate) enum SyncStep {
    /// The operation records an event.
    Records(usize, Weak<dyn Event>),
    /// The operation changes a notify or writes a value. `Some`: the new value, if it is known.
    Sets(usize, Option<u64>),
    /// The operation waits for the record of an event.
    AwaitsRecord(usize),
    /// The stream may stop at the operation.
    Stops(Why),
}

impl SyncStep {
    /// Returns the step of an operation, if it is one.
    pub(crate) fn of(op: &Op<'_>) -> Option<Self> {
        Some(match op {
            Op::Record(event) => Self::Records(key_of(event), Arc::downgrade(event)),
            Op::Wait(event, _) => Self::AwaitsRecord(key_of(event)),
            Op::ChangeNotify(notify, change) => {
                let count = if let Change::Set(count) = change { Some(u64::from(*count)) } else { None };
                Self::Sets(key_of(notify), count)
            }
            Op::WaitNotify(notify, wait) => Self::Stops(Why::Carrier(key_of(notify), WaitCondition::Count(*wait))),
            Op::WriteValue(write) => Self::Sets(places::of_byte(write.dst.addr), Some(write.value)),
            Op::WaitValue(wait) => {
                Self::Stops(Why::Carrier(places::of_byte(wait.src.addr), WaitCondition::Value(*wait)))
            }
            Op::HostFn(_) | Op::HostTask(_) => Self::Stops(Why::Function(Arc::default())),
            Op::HandOver { wait: true, .. } => Self::Stops(Why::HandedOver),
            Op::Copy(_)
            | Op::CopyBatch(_)
            | Op::Copy2d(_)
            | Op::CopyIndirect(_)
            | Op::Fill(_)
            | Op::Prefetch(_)
            | Op::RandomNum(_)
            | Op::Reduce(_)
            | Op::Launch(_)
            | Op::RunGraph(_)
            | Op::HandOver { .. }
            | Op::Mark => return None,
        })
    }
}

/// An operation of a stream: the handle of the stream, and the operation's number there.
pub(super) type At = (u64, u64);

/// The reason why a stream stops.
pub(crate) enum Why {
    /// The stream waits for this record of an event.
    Record(At),
    /// The stream waits for a notify or a value.
    Carrier(usize, WaitCondition),
    /// The stream calls a function of the program. The flag is true from its begin to its return.
    Function(Arc<AtomicBool>),
    /// The stream waits for the work that it has handed over.
    HandedOver,
}

/// A place where a stream may stop.
pub(super) struct Stop {
    pub at: At,
    pub why: Why,
    pub operation: Arc<Operation>,
    /// The marker: an event that is recorded after the operation.
    passed: Arc<dyn Event>,
}

/// A change of a notify or a value that its stream has not passed.
pub(super) struct Setter {
    pub at: At,
    pub operation: Arc<Operation>,
    /// The value that it writes, if it is known.
    value: Option<u64>,
    /// The marker. `None`: the progress of the stream is unknown, so no wait for this change is reported.
    passed: Option<Arc<dyn Event>>,
}

impl Setter {
    fn may_come(&self) -> bool {
        self.passed.as_ref().is_none_or(is_pending)
    }

    fn ends(&self, end: &WaitCondition) -> bool {
        self.value.is_none_or(|value| end.holds(value))
    }
}

/// Maximum number of pending markers of a stream. They take room in its queue, which drivers limit: with more, a
/// program could wait for room that only its later calls make (docs/gpu/assumptions.md).
const MOST_MARKERS: usize = 8;

fn is_pending(passed: &Arc<dyn Event>) -> bool {
    // A failed device runs nothing more.
    matches!(passed.is_complete(), Ok(false))
}

/// Number of records at which those of dropped events are removed.
const SWEEP: usize = 1024;

/// The stops, changes and records of all streams.
#[derive(Default)]
pub(super) struct Pending {
    stops: HashMap<u64, VecDeque<Stop>>,
    /// The changes, by the key of the carrier.
    setters: HashMap<usize, Vec<Setter>>,
    /// The pending markers of each stream.
    markers: HashMap<u64, VecDeque<Arc<dyn Event>>>,
    /// The latest record of each event.
    records: HashMap<usize, (At, Weak<dyn Event>)>,
    sweep_at: usize,
    /// The number of other entries at which those that the streams have passed are removed.
    forget_at: usize,
}

impl Pending {
    /// Whether another marker can be recorded in the stream.
    pub(super) fn has_room(&mut self, stream: u64) -> bool {
        if self.stops.len() + self.setters.len() + self.markers.len() >= self.forget_at.max(SWEEP) {
            self.forget_complete();
            self.forget_at = 2 * (self.stops.len() + self.setters.len() + self.markers.len());
        }
        let markers = self.markers.entry(stream).or_default();
        while markers.front().is_some_and(|marker| !is_pending(marker)) {
            markers.pop_front();
        }
        markers.len() < MOST_MARKERS
    }

    /// Adds an operation that a stream was given. `passed`: the marker after it. A stop without a marker is not
    /// followed.
    pub(super) fn add(&mut self, at: At, step: SyncStep, operation: Arc<Operation>, passed: Option<Arc<dyn Event>>) {
        passed.iter().for_each(|marker| self.markers.entry(at.0).or_default().push_back(Arc::clone(marker)));
        let why = match step {
            SyncStep::Records(addr, event) => return self.record(addr, at, event),
            SyncStep::Sets(key, value) => {
                let setters = self.setters.entry(key).or_default();
                // Only one change without a marker is kept per stream, because it is unknown which of them have run.
                let is_replaced = |known: &Setter| known.passed.is_none() && known.at.0 == at.0;
                let value = value.filter(|_| passed.is_some());
                setters.retain(|setter| setter.may_come() && !is_replaced(setter));
                setters.push(Setter { at, operation, value, passed });
                return;
            }
            SyncStep::AwaitsRecord(addr) => match self.records.get(&addr) {
                Some((record, _)) => Why::Record(*record),
                None => return,
            },
            SyncStep::Stops(why) => why,
        };
        let Some(passed) = passed else { return };
        let stops = self.stops.entry(at.0).or_default();
        while stops.front().is_some_and(|stop| !is_pending(&stop.passed)) {
            stops.pop_front();
        }
        stops.push_back(Stop { at, why, operation, passed });
    }

    /// Drops what the streams have passed, with its markers.
    pub(super) fn forget_complete(&mut self) {
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

    /// Returns the latest record of an event.
    pub(super) fn record_of(&self, event: &Arc<dyn Event>) -> Option<At> {
        self.records.get(&key_of(event)).map(|(at, _)| *at)
    }

    /// Returns the place before this operation where the stream has stopped, if it has.
    pub(super) fn stop_before(&self, (stream, number): At) -> Option<&Stop> {
        let stops = self.stops.get(&stream)?;
        stops.iter().find(|stop| is_pending(&stop.passed)).filter(|stop| stop.at.1 < number)
    }

    /// Returns a pending change of a notify or a value that may end a wait for it.
    pub(super) fn setter_of(&self, key: usize, end: &WaitCondition) -> Option<&Setter> {
        self.setters.get(&key)?.iter().find(|setter| setter.may_come() && setter.ends(end))
    }
}
