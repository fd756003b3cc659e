//! The order of all operations, for the checker (`PORTACL_CHECK`): which operations are complete before another one
//! begins, whatever their timing.
//!
//! Each operation is a [`Point`]: its stream, and its number there. A stream has a vector clock: the points of other
//! streams that its next operation is ordered after. A record of an event keeps the clock of its stream, and a wait
//! merges it into that of the waiting stream; notifies and values in memory work in the same way. The host has a clock
//! as well: the operations that some thread has waited for. Threads count as one, because the library does not see how
//! they synchronize with each other.
//!
//! A wait for a notify or a value may be submitted before what it waits for. Until that is submitted, the operations
//! behind the wait are *open*: what is submitted meanwhile may come before them. A `Gate` stands for such a wait, in
//! its stream and in all streams that are behind it. When what ends the wait is submitted, it passes its order to what
//! is behind the gates (`waits.rs`). The host's waits ([`super::known`]) get that order as well. When the host has
//! waited for the wait itself, its gates are over, whatever ended it.

use std::any::Any;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use super::accesses::GraphRuns;
use super::carriers::{Carried, Carrier, Changes, Gate};
pub use super::carriers::{WaitCondition, key_of};
use super::checker;
use super::clock::{Clock, Points};
pub use super::clock::{LaneIndex, Point};
use super::places;
use super::undecided::{self, Pair, Report};
use crate::algo::sync::spin_lock::{Guard, SpinLock};
use crate::backend::stream::decorators;
use crate::backend::{Change, Event, Notify, NotifyWait, ValueWait};

/// The state of a stream.
#[derive(Default)]
pub(super) struct Progress {
    pub submitted: u64,
    pub after: Points,
    pub gates: Vec<Gate>,
    /// The keys of carriers that got the clock of this stream while it had gates. What ends a gate is added to them.
    pub passed: BTreeSet<usize>,
    /// The waits behind gates that took a count from later waits: number, key of the notify, and count.
    pub taken: Vec<(u64, usize, u32)>,
    /// The operations that were behind gates when the stream was stopped: one range per stop.
    pub stopped: Vec<Range<u64>>,
}

impl Progress {
    pub(super) fn retain_gates(&mut self, stays: &dyn Fn(&Gate) -> bool) {
        self.gates.retain(stays);
        if self.gates.is_empty() {
            self.passed.clear();
            self.taken.clear();
        }
    }

    /// Drops the gates of waits that the host knows to be complete.
    pub(super) fn drop_known(&mut self, host: &[u64]) {
        if !self.gates.is_empty() {
            self.retain_gates(&|gate| !gate.origin.is_known(host));
        }
    }
}

/// The lines of ended streams.
#[derive(Default)]
pub(super) struct Ended {
    /// The lines for new streams.
    pub free: Vec<LaneIndex>,
    /// The lines with operations that the host did not know to be complete, the oldest first.
    pub unknown: VecDeque<LaneIndex>,
}

/// When there are this many carriers, those that no longer exist are removed.
const SWEEP: usize = 1024;

/// The order of everything that was submitted so far.
#[derive(Default)]
pub struct Sequence {
    pub(super) lines: FxHashMap<u64, LaneIndex>,
    /// The stream of the latest lookup.
    latest: Option<(u64, LaneIndex)>,
    /// The streams, by line.
    pub(super) streams: Vec<Progress>,
    /// The lines of ended streams.
    pub(super) ended: Ended,
    pub(super) carriers: FxHashMap<usize, Carried>,
    sweep_at: usize,
    /// The keys of carriers that are the places of values.
    values: BTreeSet<usize>,
    /// The latest key of a wait of the host. These keys are odd, because addresses are even.
    pub(super) latest_key: usize,
    /// By line: the number up to which the host knows the operations to be complete.
    pub(super) host: Vec<u64>,
    /// Number of streams with operations that the host does not know to be complete.
    pub(super) pending: usize,
    /// Number of operations that were submitted while `pending` was 0.
    idle: u64,
    /// Pairs of operations that may still be ordered by what ends an open wait.
    pub(super) pairs: Vec<Pair>,
    /// Data that the checker stores per operation.
    kept: Option<Box<dyn Any + Send>>,
}

/// The lock that each operation takes. A sweep holds it for milliseconds; other threads then sleep between tries.
static SEQUENCE: LazyLock<SpinLock<Sequence>> = LazyLock::new(SpinLock::default);

/// Locks the order, for the checker.
pub fn lock() -> Guard<'static, Sequence> {
    SEQUENCE.lock()
}

/// Locks the order at the end of the process: a thread that was stopped may hold the lock.
pub fn try_lock() -> Option<Guard<'static, Sequence>> {
    SEQUENCE.try_lock()
}

/// Runs `code` with the order, if there is a checker.
#[inline]
pub(super) fn with<T>(code: impl FnOnce(&mut Sequence) -> T) -> Option<T> {
    decorators::has(decorators::CHECKER).then(|| code(&mut lock()))
}

impl Sequence {
    /// Gives the checker access to the data that it stores per operation. The lock of the order also protects these
    /// data.
    #[inline]
    pub fn with_kept<T: Any + Default + Send, R>(&mut self, change: impl FnOnce(&mut T) -> R) -> R {
        let mut kept = self.take_kept();
        let result = change(&mut kept);
        self.keep(kept);
        result
    }

    /// Takes the data of the checker, which must be stored again with [`Self::keep`]. Unlike [`Self::with_kept`] it has
    /// no closure, whose captures would be copied.
    #[inline(always)]
    pub fn take_kept<T: Any + Default + Send>(&mut self) -> Box<T> {
        self.kept.take().and_then(|kept| kept.downcast().ok()).unwrap_or_default()
    }

    /// Stores the data of the checker.
    #[inline]
    pub fn keep<T: Any + Send>(&mut self, kept: Box<T>) {
        self.kept = Some(kept);
    }

    #[inline]
    pub(super) fn line(&mut self, stream: u64) -> LaneIndex {
        match self.latest {
            Some((handle, line)) if handle == stream => line,
            _ => self.find_line(stream),
        }
    }

    fn find_line(&mut self, stream: u64) -> LaneIndex {
        let line = self.lines.get(&stream).copied().unwrap_or_else(|| self.add_line(stream));
        self.latest = Some((stream, line));
        line
    }

    fn add_line(&mut self, stream: u64) -> LaneIndex {
        let line = self.reuse_line().unwrap_or_else(|| {
            self.streams.push(Progress::default());
            self.host.push(0);
            self.streams.len() as LaneIndex - 1
        });
        self.lines.insert(stream, line);
        line
    }

    /// Forgets the line of a stream. Returns it.
    pub(super) fn forget_line(&mut self, stream: u64) -> Option<LaneIndex> {
        self.latest = None;
        self.lines.remove(&stream)
    }

    /// Returns the next operation of a stream.
    #[inline]
    pub fn next(&mut self, stream: u64) -> Point {
        let line = self.line(stream);
        let progress = &mut self.streams[line as usize];
        self.idle += u64::from(self.pending == 0);
        self.pending += usize::from(self.host[line as usize] == progress.submitted);
        progress.submitted += 1;
        Point { line, number: progress.submitted }
    }

    /// Whether the host knows that the operation is complete.
    #[inline]
    pub fn is_known(&self, point: Point) -> bool {
        point.is_known(&self.host)
    }

    /// Returns a number that changes when an operation is submitted while the host knows everything before it to be
    /// complete.
    pub fn era(&self) -> u64 {
        self.idle
    }

    /// Whether `point` is complete before `later`, the latest operation of its stream, begins.
    #[inline]
    pub fn is_before(&self, point: Point, later: Point) -> bool {
        point.line == later.line
            || self.is_known(point)
            || self.streams[later.line as usize].after.number(point.line) >= point.number
    }

    /// Returns the operations that are complete when the latest operation of a stream is.
    pub(super) fn clock(&mut self, line: LaneIndex) -> Clock {
        let host = &self.host;
        let progress = &mut self.streams[line as usize];
        progress.drop_known(host);
        progress.after.prune(|point| point.is_known(host));
        Clock::new(Some(Point { line, number: progress.submitted }), progress.after.clone())
    }

    /// Records that a stream changes a carrier.
    pub(super) fn carry(&mut self, stream: u64, key: usize, carrier: impl FnOnce() -> Carrier, changes: &Changes) {
        let line = self.line(stream);
        let clock = self.clock(line);
        self.carrier(key, carrier).change(changes, clock);
        let progress = &mut self.streams[line as usize];
        if !progress.gates.is_empty() {
            progress.passed.insert(key);
        }
        if !matches!(changes, Changes::Record) {
            self.end_waits(key);
        }
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
        self.order_known_pairs();
        let dead = self.carriers.extract_if(|_, carried| !carried.carrier.is_live());
        let dead: BTreeSet<usize> = dead.map(|(key, _)| key).collect();
        self.drop_pairs_behind(|gate| dead.contains(&gate.key));
        let Self { streams, carriers, .. } = self;
        for stream in streams {
            stream.passed.retain(|key| carriers.contains_key(key));
            stream.retain_gates(&|gate| carriers.contains_key(&gate.key));
        }
        self.sweep_at = self.carriers.len() * 2;
    }

    /// Records that a stream records an event.
    pub fn record(&mut self, stream: u64, event: &Arc<dyn Event>) {
        self.carry(stream, key_of(event), || Carrier::Event(Arc::downgrade(event)), &Changes::Record);
    }

    /// Records that a stream waits for the latest record of an event.
    pub fn wait(&mut self, stream: u64, event: &Arc<dyn Event>) {
        self.follow(stream, key_of(event), None);
    }

    /// Records that a stream is about to run a graph, after the graph's previous run.
    pub fn begin_run(&mut self, stream: u64, runs: &Arc<GraphRuns>) {
        self.follow(stream, key_of(runs), None);
    }

    /// Records that the latest operation of a stream is a run of a graph.
    pub fn end_run(&mut self, stream: u64, runs: &Arc<GraphRuns>) {
        self.carry(stream, key_of(runs), || Carrier::Graph(Arc::downgrade(runs)), &Changes::Record);
    }

    /// Records that a stream changes a notify. A wait may be ordered after any of the changes.
    pub fn change(&mut self, stream: u64, notify: &Arc<Notify>, change: Change) {
        if let Some(event) = event_of(notify) {
            return self.record(stream, &event);
        }
        let carrier = || Carrier::Notify(Arc::downgrade(notify));
        self.carry(stream, key_of(notify), carrier, &Changes::Count(change));
    }

    /// Records that a stream waits for a notify.
    pub fn await_notify(&mut self, stream: u64, notify: &Arc<Notify>, wait: NotifyWait) {
        if let Some(event) = event_of(notify) {
            return self.wait(stream, &event);
        }
        let carrier = || Carrier::Notify(Arc::downgrade(notify));
        self.follow_or_wait(stream, key_of(notify), carrier, WaitCondition::Count(wait));
    }

    /// Records that the host resets a notify: the changes that no wait has taken have no effect.
    pub(super) fn reset(&mut self, notify: &Arc<Notify>) {
        self.carriers.get_mut(&key_of(notify)).into_iter().for_each(Carried::reset);
    }

    /// Records that a stream writes a value for waits.
    pub fn write_value(&mut self, stream: u64, addr: usize, value: u64) {
        let place = places::of_byte(addr);
        self.values.insert(place);
        self.carry(stream, place, || Carrier::Value, &Changes::Write(Some(value)));
    }

    /// Records that a stream waits for a value.
    pub fn await_value(&mut self, stream: u64, wait: ValueWait) {
        let place = places::of_byte(wait.src.addr);
        self.values.insert(place);
        self.follow_or_wait(stream, place, || Carrier::Value, WaitCondition::Value(wait));
    }

    /// Records that a stream or the host writes the memory at these places. The values in it are unknown from now on.
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
                Some(stream) => self.carry(stream, addr, || Carrier::Value, &Changes::Write(None)),
                None => self.carrier(addr, || Carrier::Value).value = None,
            }
            from = addr + 1;
        }
    }

    /// Records that memory is freed. A later value at the same address is another one and ends no earlier wait.
    #[inline]
    pub fn forget_values(&mut self, memory: Range<usize>) {
        if !self.values.is_empty() {
            self.forget_values_in(memory);
        }
    }

    fn forget_values_in(&mut self, memory: Range<usize>) {
        self.order_known_pairs();
        while let Some(&addr) = self.values.range(memory.clone()).next() {
            self.values.remove(&addr);
            self.drop_pairs_behind(|gate| gate.key == addr);
            let Some(carried) = self.carriers.remove(&addr) else { continue };
            for line in carried.waiting {
                self.streams[line as usize].retain_gates(&|gate| gate.key != addr);
            }
        }
    }
}

/// Returns the event of a notify that is the record of an event, or that a wait for an event waits for: each record of
/// an event with ACL_EVENT_IPC is a separate notify.
fn event_of(notify: &Notify) -> Option<Arc<dyn Event>> {
    notify.event().map(|event| Arc::clone(event) as Arc<dyn Event>)
}

/// Records that the host resets notifies now.
pub(crate) fn notifies_reset<'a>(notifies: impl Iterator<Item = &'a Arc<Notify>>) {
    with(|sequence| notifies.for_each(|notify| sequence.reset(notify)));
}

/// Records that the pending operations of a stream were dropped.
pub(crate) fn stream_stopped(stream: u64) {
    let decided = with(|sequence| {
        sequence.stop(stream);
        sequence.decided()
    });
    decided.flatten().into_iter().for_each(undecided::report);
    checker::installed().into_iter().for_each(|checker| checker.may_be_over());
}

/// Records that the session has ended: nothing is pending.
pub fn session_ended() {
    let left = with(|sequence| {
        let left = sequence.take_undecided();
        let (latest_key, kept) = (sequence.latest_key, sequence.kept.take());
        *sequence = Sequence { latest_key, kept, ..Sequence::default() };
        left
    });
    undecided::report(left.unwrap_or_default());
}

/// Takes the undecided pairs at the end of the process.
pub fn take_undecided() -> Vec<Report> {
    try_lock().map(|mut sequence| sequence.take_undecided()).unwrap_or_default()
}

#[cfg(test)]
#[path = "sequence_tests.rs"]
mod tests;
