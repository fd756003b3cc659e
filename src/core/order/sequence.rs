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
//! behind the wait are *open*: what is submitted meanwhile may come before them. A `Gate` stands for such a wait, in
//! its stream and in all streams that are behind it. When what ends the wait is submitted, it passes its order to what
//! is behind the gates. The host's waits ([`super::known`]) get that order as well. When the host has waited for the
//! wait itself, its gates are over, whatever ended it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use parking_lot::{Mutex, MutexGuard};

use super::carriers::{Carried, Carrier, End, Gate, event_key, notify_key};
use super::checker;
use super::clock::{Clock, Points};
pub use super::clock::{Line, Point};
use crate::algo::map::key_map::KeyMap;
use crate::backend::stream::decorators;
use crate::backend::{Event, Notify, ValueWait};

/// A stream.
#[derive(Default)]
pub(super) struct Progress {
    pub submitted: u64,
    after: Points,
    pub gates: Vec<Gate>,
    /// The keys of carriers that got the clock of this stream while it had gates. What ends a gate is added to them.
    pub passed: BTreeSet<usize>,
    /// Operations that were behind gates when the stream was stopped.
    stopped: Range<u64>,
}

impl Progress {
    pub fn retain_gates(&mut self, stays: &dyn Fn(&Gate) -> bool) {
        self.gates.retain(stays);
        if self.gates.is_empty() {
            self.passed.clear();
        }
    }

    /// Drops the gates of waits that are over, as far as the host knows.
    fn drop_known(&mut self, host: &[u64]) {
        if !self.gates.is_empty() {
            self.retain_gates(&|gate| !gate.is_over(host));
        }
    }
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
    pub(super) streams: Vec<Progress>,
    pub(super) carriers: KeyMap<usize, Carried>,
    sweep_at: usize,
    /// The addresses among the keys of carriers.
    values: BTreeSet<usize>,
    /// Waits of the host have odd keys, because addresses are even. This is the latest one.
    pub(super) latest_key: usize,
    /// By line: the host knows that operations up to this number are complete.
    pub(super) host: Vec<u64>,
    /// How many streams have operations that the host does not know to be complete.
    pub(super) pending: usize,
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
pub(super) fn with<T>(code: impl FnOnce(&mut Sequence) -> T) -> Option<T> {
    decorators::has(decorators::CHECKER).then(|| code(&mut lock()))
}

impl Sequence {
    pub(super) fn line(&mut self, stream: u64) -> Line {
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
    pub(super) fn clock(&mut self, line: Line) -> Clock {
        let host = &self.host;
        let progress = &mut self.streams[line as usize];
        progress.drop_known(host);
        progress.after.prune(|point| host[point.line as usize] >= point.number);
        Clock { latest: Some(Point { line, number: progress.submitted }), before: progress.after.clone() }
    }

    /// A stream changes a carrier. `replaces`: what the carrier passed before is replaced, and not added to. `value`:
    /// what the change writes, if that is known.
    fn carry(
        &mut self,
        stream: u64,
        key: usize,
        carrier: impl FnOnce() -> Carrier,
        replaces: bool,
        value: Option<u64>,
    ) {
        let line = self.line(stream);
        let clock = self.clock(line);
        let kept = self.carrier(key, carrier);
        kept.changes += 1;
        kept.value = value;
        if replaces {
            kept.clock = clock;
        } else {
            kept.clock.merge(clock);
        }
        let progress = &mut self.streams[line as usize];
        if !progress.gates.is_empty() {
            progress.passed.insert(key);
        }
        if !replaces {
            self.end_waits(key);
        }
    }

    /// The latest change of a carrier ends open waits, or may end them. The streams behind these waits come after the
    /// change, and so does what these streams have passed on.
    fn end_waits(&mut self, key: usize) {
        let Self { streams, carriers, host, .. } = self;
        let Some(carried) = carriers.get_mut(&key).filter(|carried| !carried.waiting.is_empty()) else { return };
        let mut waiting = std::mem::take(&mut carried.waiting);
        let mut ended = Vec::new();
        waiting.retain(|&line| {
            // What has ended already does not come after this change.
            streams[line as usize].drop_known(host);
            let gates = &mut streams[line as usize].gates;
            let may_end = |gate: &&Gate| gate.key == key && (carried.ends(&gate.end) || carried.may_end(&gate.end));
            let first = gates.iter().filter(may_end).map(|gate| gate.number).min();
            ended.extend(first.map(|number| Point { line, number }));
            gates.retain(|gate| gate.key != key || !carried.ends(&gate.end));
            gates.iter().any(|gate| gate.key == key)
        });
        carried.waiting = waiting;
        let clock = carried.clock.clone();
        for wait in &ended {
            self.follow_on(*wait, key);
            let is_behind = |point: Point| point.line == wait.line && point.number >= wait.number;
            for passed in &self.streams[wait.line as usize].passed {
                let passed = self.carriers.get_mut(passed).filter(|carried| carried.clock.points().any(is_behind));
                passed.into_iter().for_each(|carried| carried.clock.add_before(&clock));
            }
        }
        ended.iter().for_each(|wait| self.streams[wait.line as usize].retain_gates(&|_| true));
    }

    pub(super) fn carrier(&mut self, key: usize, carrier: impl FnOnce() -> Carrier) -> &mut Carried {
        if self.carriers.len() >= self.sweep_at.max(SWEEP) {
            self.sweep();
        }
        self.carriers.entry(key).or_insert_with(|| Carried::new(carrier()))
    }

    /// Drops the carriers of events and notifies that no longer exist, and the gates of waits for them.
    #[cold]
    fn sweep(&mut self) {
        let Self { streams, carriers, .. } = self;
        carriers.retain(|_, carried| carried.carrier.is_live());
        for stream in streams {
            stream.passed.retain(|key| carriers.contains_key(key));
            stream.retain_gates(&|gate| carriers.contains_key(&gate.key));
        }
        self.sweep_at = self.carriers.len() * 2;
    }

    /// The operation is after what a carrier passes.
    fn follow_on(&mut self, wait: Point, key: usize) {
        let Some(carried) = self.carriers.get(&key) else { return };
        let gates: Vec<Gate> = carried.clock.points().flat_map(|point| self.open_gates(point)).collect();
        let progress = &mut self.streams[wait.line as usize];
        carried.clock.points().filter(|point| point.line != wait.line).for_each(|point| progress.after.add(point));
        gates.into_iter().for_each(|gate| self.add_gate(wait.line, Gate { number: wait.number, ..gate }));
    }

    /// The latest operation of a stream is after what a carrier passes.
    fn follow(&mut self, stream: u64, key: usize) -> Point {
        let line = self.line(stream);
        let wait = Point { line, number: self.streams[line as usize].submitted };
        self.follow_on(wait, key);
        wait
    }

    fn add_gate(&mut self, line: Line, gate: Gate) {
        self.streams[line as usize].drop_known(&self.host);
        let gates = &mut self.streams[line as usize].gates;
        if let Some(known) = gates.iter_mut().find(|known| known.origin == gate.origin) {
            known.number = known.number.min(gate.number);
            return;
        }
        gates.push(gate);
        let waiting = self.carriers.get_mut(&gate.key).map(|carried| &mut carried.waiting);
        waiting.filter(|waiting| !waiting.contains(&line)).into_iter().for_each(|waiting| waiting.push(line));
    }

    /// The latest operation of a stream waits for a carrier. It is after what the carrier passes. If no change so far
    /// ends the wait, it is open.
    fn follow_or_wait(
        &mut self,
        stream: u64,
        key: usize,
        carrier: impl FnOnce() -> Carrier,
        end: impl FnOnce(&mut Carried) -> End,
    ) {
        let carried = self.carrier(key, carrier);
        let end = end(carried);
        let is_open = !carried.ends(&end);
        let origin = self.follow(stream, key);
        if is_open {
            self.add_gate(origin.line, Gate { number: origin.number, origin, key, end });
        }
    }

    /// The open waits before an operation.
    pub(super) fn open_gates(&self, point: Point) -> impl Iterator<Item = Gate> {
        let gates = &self.streams[point.line as usize].gates;
        gates.iter().filter(move |gate| gate.number <= point.number && !gate.is_over(&self.host)).copied()
    }

    /// Whether operations that are still to be submitted may come before this one, or it was dropped by an abort.
    pub fn is_open(&self, point: Point) -> bool {
        self.open_gates(point).next().is_some() || self.streams[point.line as usize].stopped.contains(&point.number)
    }

    /// A stream records an event.
    pub fn record(&mut self, stream: u64, event: &Arc<dyn Event>) {
        self.carry(stream, event_key(event), || Carrier::Event(Arc::downgrade(event)), true, None);
    }

    /// A stream waits for the latest record of an event.
    pub fn wait(&mut self, stream: u64, event: &Arc<dyn Event>) {
        self.follow(stream, event_key(event));
    }

    /// A stream changes a notify. A wait may be after any of the changes.
    pub fn change(&mut self, stream: u64, notify: &Arc<Notify>) {
        if let Some(event) = event_of(notify) {
            return self.record(stream, &event);
        }
        self.carry(stream, notify_key(notify), || Carrier::Notify(Arc::downgrade(notify)), false, None);
    }

    /// A stream waits for a notify. `consumes`: the wait takes the change that ends it from later waits.
    pub fn await_notify(&mut self, stream: u64, notify: &Arc<Notify>, consumes: bool) {
        if let Some(event) = event_of(notify) {
            return self.wait(stream, &event);
        }
        let carrier = || Carrier::Notify(Arc::downgrade(notify));
        self.follow_or_wait(stream, notify_key(notify), carrier, |carried| carried.next_change(consumes));
    }

    /// The host resets a notify: the changes that no wait consumes have no effect.
    fn reset(&mut self, notify: &Arc<Notify>) {
        self.carriers.get_mut(&notify_key(notify)).into_iter().for_each(Carried::reset);
    }

    /// A stream writes a value for waits.
    pub fn write_value(&mut self, stream: u64, addr: usize, value: u64) {
        self.values.insert(addr);
        self.carry(stream, addr, || Carrier::Value, false, Some(value));
    }

    /// A stream waits for a value.
    pub fn await_value(&mut self, stream: u64, wait: ValueWait) {
        self.values.insert(wait.src.addr);
        self.follow_or_wait(stream, wait.src.addr, || Carrier::Value, |_| End::Value(wait));
    }

    /// A stream or the host writes this memory, and with it values that are unknown from now on.
    #[inline]
    pub fn overwrite(&mut self, stream: Option<u64>, memory: Range<usize>) {
        if !self.values.is_empty() {
            self.overwrite_values(stream, memory);
        }
    }

    #[cold]
    fn overwrite_values(&mut self, stream: Option<u64>, memory: Range<usize>) {
        let mut from = memory.start & !(size_of::<u64>() - 1);
        while let Some(&addr) = self.values.range(from..memory.end).next() {
            match stream {
                Some(stream) => self.carry(stream, addr, || Carrier::Value, false, None),
                None => self.carrier(addr, || Carrier::Value).value = None,
            }
            from = addr + 1;
        }
    }

    /// Memory is freed. Values at the same addresses are others from now on, and end no wait of before.
    pub fn forget_values(&mut self, memory: Range<usize>) {
        while let Some(&addr) = self.values.range(memory.clone()).next() {
            self.values.remove(&addr);
            let Some(carried) = self.carriers.remove(&addr) else { continue };
            for line in carried.waiting {
                self.streams[line as usize].retain_gates(&|gate| gate.key != addr);
            }
        }
    }

    /// The stream was stopped. What was behind its open waits counts as dropped, although a driver may still run it.
    pub fn stop(&mut self, stream: u64) {
        let Some(&line) = self.lines.get(&stream) else { return };
        self.streams[line as usize].drop_known(&self.host);
        let Progress { submitted, gates, stopped, .. } = &mut self.streams[line as usize];
        let Some(first) = gates.iter().map(|gate| gate.number).min() else { return };
        let first = if stopped.is_empty() { first } else { first.min(stopped.start) };
        *stopped = first..*submitted + 1;
        self.streams[line as usize].retain_gates(&|_| false);
    }
}

/// The event whose record this notify is, or that a wait for this notify waits for: each record of an event with
/// ACL_EVENT_IPC is a notify of its own.
fn event_of(notify: &Notify) -> Option<Arc<dyn Event>> {
    notify.event().map(|event| Arc::clone(event) as Arc<dyn Event>)
}

/// The host resets notifies now.
pub fn notifies_reset<'a>(notifies: impl Iterator<Item = &'a Arc<Notify>>) {
    with(|sequence| notifies.for_each(|notify| sequence.reset(notify)));
}

/// The pending operations of a stream were dropped.
pub fn stream_stopped(stream: u64) {
    with(|sequence| sequence.stop(stream));
    checker::installed().into_iter().for_each(|checker| checker.may_be_over());
}

/// The session has ended: nothing is pending.
pub fn session_ended() {
    with(|sequence| *sequence = Sequence { latest_key: sequence.latest_key, ..Sequence::default() });
}

#[cfg(test)]
#[path = "sequence_tests.rs"]
mod tests;
