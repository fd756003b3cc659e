//! The order of all operations, for the checker (`PORTACL_CHECK`): which operations are complete before another one
//! begins, whatever their timing is.
//!
//! Each operation is a [`Point`]: its stream, and its number there. A stream has a vector clock: the points of other
//! streams that its next operation is ordered after. A record of an event keeps the clock of its stream, and a wait
//! merges it into that of the waiting stream; notifies and values in memory work in the same way. The host has a clock
//! as well: what some thread has waited for. Threads count as one, because the library does not see how they
//! synchronize with each other.
//!
//! A wait for a notify or a value may be submitted before what it waits for. Until that is submitted, the operations
//! behind the wait are *open*: what is submitted meanwhile may come before them. When it is submitted, it passes its
//! order to what is behind the wait.

use std::sync::{Arc, LazyLock, Weak};

use parking_lot::{Mutex, MutexGuard};

use super::clock::{Clock, Points};
pub use super::clock::{Line, Point};
use crate::algo::map::key_map::KeyMap;
use crate::backend::stream::decorators;
use crate::backend::{Event, Notify};

/// What passes order from one stream to another.
enum Carrier {
    Event(Weak<dyn Event>),
    Notify(Weak<Notify>),
    /// A value in memory.
    Value,
}

impl Carrier {
    fn is_live(&self) -> bool {
        match self {
            Self::Event(event) => event.strong_count() > 0,
            Self::Notify(notify) => notify.strong_count() > 0,
            Self::Value => true,
        }
    }
}

/// Carriers are found by their addresses, which are unique while they exist.
fn event_key(event: &Arc<dyn Event>) -> usize {
    Arc::as_ptr(event).cast::<()>().addr()
}

fn notify_key(notify: &Arc<Notify>) -> usize {
    Arc::as_ptr(notify).addr()
}

/// A wait that was submitted before what it waits for.
#[derive(Clone, Copy)]
struct Gate {
    /// Later operations of the stream are behind it.
    number: u64,
    /// Of the carrier.
    key: usize,
    /// How many changes of the carrier end the wait.
    change: u64,
}

#[derive(Default)]
struct Progress {
    submitted: u64,
    after: Points,
    gates: Vec<Gate>,
}

/// What passes order, with what it passes.
struct Carried {
    carrier: Carrier,
    clock: Clock,
    changes: u64,
    waits: u64,
}

/// Whether what a wait is for was not submitted yet.
fn is_open_in(carriers: &KeyMap<usize, Carried>, gate: &Gate) -> bool {
    carriers.get(&gate.key).is_some_and(|carried| carried.changes < gate.change)
}

/// At this number of carriers, dropped ones are removed.
const SWEEP: usize = 1024;

/// The order of everything that was submitted so far.
#[derive(Default)]
pub struct Sequence {
    lines: KeyMap<u64, Line>,
    /// The stream that was looked up last.
    latest: Option<(u64, Line)>,
    /// By line.
    streams: Vec<Progress>,
    carriers: KeyMap<usize, Carried>,
    sweep_at: usize,
    /// By line: the host knows that operations up to this number are complete.
    host: Vec<u64>,
    /// How many streams have operations that the host does not know to be complete.
    pending: usize,
    /// How often there were none when an operation was submitted.
    idle: u64,
}

static SEQUENCE: LazyLock<Mutex<Sequence>> = LazyLock::new(Mutex::default);

/// The order, for the checker.
pub fn lock() -> MutexGuard<'static, Sequence> {
    SEQUENCE.lock()
}

/// Runs `code` with the order, if there is a checker.
#[inline]
fn with<T>(code: impl FnOnce(&mut Sequence) -> T) -> Option<T> {
    decorators::has(decorators::CHECKER).then(|| code(&mut lock()))
}

impl Sequence {
    fn line(&mut self, stream: u64) -> Line {
        if let Some((handle, line)) = self.latest
            && handle == stream
        {
            return line;
        }
        let next = self.streams.len() as Line;
        let line = *self.lines.entry(stream).or_insert(next);
        if line == next {
            self.streams.push(Progress::default());
            self.host.push(0);
        }
        self.latest = Some((stream, line));
        line
    }

    /// The next operation of a stream.
    pub fn next(&mut self, stream: u64) -> Point {
        let line = self.line(stream);
        let progress = &mut self.streams[line as usize];
        self.idle += u64::from(self.pending == 0);
        self.pending += usize::from(self.host[line as usize] == progress.submitted);
        progress.submitted += 1;
        Point { line, number: progress.submitted }
    }

    /// Whether the host knows that it is complete.
    pub fn is_known(&self, point: Point) -> bool {
        self.host[point.line as usize] >= point.number
    }

    /// Changes when an operation is submitted while the host knows that everything before is complete.
    pub fn era(&self) -> u64 {
        self.idle
    }

    /// Whether it is complete before `later`, the latest operation of its stream, begins.
    pub fn is_before(&self, point: Point, later: Point) -> bool {
        point.line == later.line
            || self.is_known(point)
            || self.streams[later.line as usize].after.number(point.line) >= point.number
    }

    /// What is complete when the latest operation of a stream is.
    fn clock(&mut self, line: Line) -> Clock {
        let host = &self.host;
        let progress = &mut self.streams[line as usize];
        progress.after.prune(|point| host[point.line as usize] >= point.number);
        Clock { latest: Some(Point { line, number: progress.submitted }), before: progress.after.clone() }
    }

    fn carry(&mut self, stream: u64, key: usize, carrier: impl FnOnce() -> Carrier, replaces: bool) {
        let line = self.line(stream);
        let clock = self.clock(line);
        if self.carriers.len() >= self.sweep_at.max(SWEEP) {
            self.carriers.retain(|_, carried| carried.carrier.is_live());
            self.sweep_at = self.carriers.len() * 2;
        }
        let kept = self.carrier(key, carrier);
        kept.changes += 1;
        if replaces {
            kept.clock = clock;
        } else {
            kept.clock.merge(clock);
            self.end_waits(key);
        }
    }

    /// Waits that were submitted before the latest change of a carrier, which they are for: the streams behind them,
    /// and what these have passed on, come after it.
    fn end_waits(&mut self, key: usize) {
        let Self { streams, carriers, .. } = self;
        if streams.iter().all(|stream| stream.gates.is_empty()) {
            return;
        }
        let mut ended = Vec::new();
        for (line, stream) in streams.iter_mut().enumerate() {
            let is_ended = |gate: &Gate| gate.key == key && !is_open_in(carriers, gate);
            let first = stream.gates.iter().filter(|gate| is_ended(gate)).map(|gate| gate.number).min();
            ended.extend(first.map(|number| Point { line: line as Line, number }));
            stream.gates.retain(|gate| !is_ended(gate));
        }
        let Some(clock) = carriers.get(&key).map(|carried| carried.clock.clone()) else { return };
        for wait in ended {
            self.follow_on(wait.line, key);
            let is_behind = |point: Point| point.line == wait.line && point.number > wait.number;
            let passed = self.carriers.values_mut().filter(|carried| carried.clock.points().any(is_behind));
            passed.for_each(|carried| carried.clock.add_before(&clock));
        }
    }

    fn carrier(&mut self, key: usize, carrier: impl FnOnce() -> Carrier) -> &mut Carried {
        let new = || Carried { carrier: carrier(), clock: Clock::default(), changes: 0, waits: 0 };
        self.carriers.entry(key).or_insert_with(new)
    }

    fn follow(&mut self, stream: u64, key: usize) {
        let line = self.line(stream);
        self.follow_on(line, key);
    }

    fn follow_on(&mut self, line: Line, key: usize) {
        let Some(carried) = self.carriers.get(&key) else { return };
        let gates: Vec<Gate> = carried.clock.points().flat_map(|point| self.open_gates(point)).collect();
        let progress = &mut self.streams[line as usize];
        carried.clock.points().filter(|point| point.line != line).for_each(|point| progress.after.add(point));
        let number = progress.submitted;
        for gate in gates {
            // One that the stream has already is before as many of its operations.
            if !progress.gates.iter().any(|known| (known.key, known.change) == (gate.key, gate.change)) {
                progress.gates.push(Gate { number, ..gate });
            }
        }
    }

    /// As [`Self::follow`], for what a later change may end as well.
    fn follow_or_wait(&mut self, stream: u64, key: usize, carrier: impl FnOnce() -> Carrier) {
        let line = self.line(stream) as usize;
        let carried = self.carrier(key, carrier);
        carried.waits += 1;
        let (change, is_open) = (carried.waits, carried.waits > carried.changes);
        self.follow(stream, key);
        let carriers = &self.carriers;
        let progress = &mut self.streams[line];
        progress.gates.retain(|gate| is_open_in(carriers, gate));
        if is_open {
            progress.gates.push(Gate { number: progress.submitted, key, change });
        }
    }

    /// The open waits before an operation.
    fn open_gates(&self, point: Point) -> impl Iterator<Item = Gate> {
        let gates = &self.streams[point.line as usize].gates;
        gates.iter().filter(move |gate| gate.number < point.number && is_open_in(&self.carriers, gate)).copied()
    }

    /// Whether operations that are still to be submitted may come before this one.
    pub fn is_open(&self, point: Point) -> bool {
        self.open_gates(point).next().is_some()
    }

    /// A stream records an event.
    pub fn record(&mut self, stream: u64, event: &Arc<dyn Event>) {
        self.carry(stream, event_key(event), || Carrier::Event(Arc::downgrade(event)), true);
    }

    /// A stream waits for the latest record of an event.
    pub fn wait(&mut self, stream: u64, event: &Arc<dyn Event>) {
        self.follow(stream, event_key(event));
    }

    /// A stream changes a notify. A wait may be after any of the changes.
    pub fn change(&mut self, stream: u64, notify: &Arc<Notify>) {
        self.carry(stream, notify_key(notify), || Carrier::Notify(Arc::downgrade(notify)), false);
    }

    /// A stream waits for a notify.
    pub fn await_notify(&mut self, stream: u64, notify: &Arc<Notify>) {
        self.follow_or_wait(stream, notify_key(notify), || Carrier::Notify(Arc::downgrade(notify)));
    }

    /// A stream writes a value for waits.
    pub fn write_value(&mut self, stream: u64, addr: usize) {
        self.carry(stream, addr, || Carrier::Value, false);
    }

    /// A stream waits for a value.
    pub fn await_value(&mut self, stream: u64, addr: usize) {
        self.follow_or_wait(stream, addr, || Carrier::Value);
    }

    /// What the host will know when it has waited for this stream.
    pub fn at_stream(&mut self, stream: u64) -> Known {
        let line = self.line(stream);
        Known(self.clock(line))
    }

    /// What the host knows when the latest operation of this stream begins.
    pub fn before_latest(&mut self, stream: u64) -> Known {
        let mut known = self.at_stream(stream);
        known.0.latest.iter_mut().for_each(|point| point.number -= 1);
        known
    }

    fn know(&mut self, known: &Known) {
        // What ended its waits may have been submitted since the host began to wait.
        let latest = known.0.latest.and_then(|point| Some((point, self.streams.get(point.line as usize)?)));
        let since = latest.filter(|(point, progress)| progress.submitted == point.number);
        let since = since.map_or_else(Points::default, |(_, progress)| progress.after.clone());
        for Point { line, number } in known.0.points().chain(since.all().iter().copied()) {
            // Not there: of an earlier session.
            let Some(progress) = self.streams.get(line as usize) else { continue };
            let number = number.min(progress.submitted);
            let host = &mut self.host[line as usize];
            if *host < number {
                *host = number;
                self.pending -= usize::from(number == progress.submitted);
            }
        }
    }
}

/// What the host knows after a wait, or inside of a host function. Empty if no order is kept.
#[must_use]
#[derive(Default)]
pub struct Known(Clock);

impl Known {
    /// For a wait, about to begin, for these streams.
    #[inline]
    pub fn streams(streams: impl IntoIterator<Item = u64>) -> Self {
        with(|sequence| {
            let mut known = Clock::default();
            streams.into_iter().for_each(|stream| known.merge(sequence.at_stream(stream).0));
            Self(known)
        })
        .unwrap_or_default()
    }

    /// For a wait, about to begin, for the latest record of an event.
    pub fn event(event: &Arc<dyn Event>) -> Self {
        let clock = |sequence: &mut Sequence| Some(sequence.carriers.get(&event_key(event))?.clock.clone());
        Self(with(clock).flatten().unwrap_or_default())
    }

    /// Whether the host knows all of it already.
    pub fn is_old(&self) -> bool {
        with(|sequence| self.0.points().all(|point| sequence.is_known(point))).unwrap_or_default()
    }

    /// The wait has ended, or the host function runs.
    #[inline]
    pub fn is_seen(&self) {
        if self.0.latest.is_some() {
            with(|sequence| sequence.know(self));
        }
    }
}

/// The session has ended: nothing is pending.
pub fn session_ended() {
    with(|sequence| *sequence = Sequence::default());
}

#[cfg(test)]
#[path = "sequence_tests.rs"]
mod tests;
