//! The operations that the host knows to be complete.

use std::sync::Arc;

use super::carriers::{Carrier, key_of};
use super::checker;
use super::clock::{Clock, Point, Points};
use super::sequence::{Sequence, with};
use super::undecided;
use crate::backend::Event;

/// The operations that the host knows to be complete after a wait, or inside of a host function. Empty without a
/// checker.
#[must_use]
#[derive(Default)]
pub struct Known {
    /// The clock, when the wait began, of the operation that the host waits for.
    clock: Clock,
    /// The key of a carrier if waits before that operation are open, otherwise 0. What ends these waits is added to the
    /// carrier.
    key: usize,
}

impl Sequence {
    /// Returns what the host knows after a wait for this stream.
    pub fn at_stream(&mut self, stream: u64) -> Known {
        let line = self.line(stream);
        let clock = self.clock(line);
        self.reach(clock)
    }

    /// Returns what the host knows when the latest operation of this stream begins.
    pub fn before_latest(&mut self, stream: u64) -> Known {
        let line = self.line(stream);
        let mut clock = self.clock(line);
        clock.step_back();
        self.reach(clock)
    }

    /// Returns the latest operation of this stream.
    #[inline]
    pub fn latest_of(&mut self, stream: u64) -> Point {
        let line = self.line(stream);
        Point { line, number: self.streams[line as usize].submitted }
    }

    /// Whether this operation is a wait that nothing submitted so far ends.
    pub fn is_open_wait(&self, point: Point) -> bool {
        // A line that does not exist is of an earlier session.
        (point.line as usize) < self.streams.len() && self.open_gates(point).any(|gate| gate.origin == point)
    }

    /// Returns what the host knows after a wait for the order that a carrier passes.
    pub(crate) fn at_carrier(&mut self, key: usize) -> Option<Known> {
        let clock = self.carriers.get(&key)?.passes(false);
        Some(self.reach(clock))
    }

    /// Records that an operation was refused and does nothing: it is complete as soon as the operations before it are.
    /// If the host knows those already, it knows this one: for example, it has synchronized a stream that stopped after
    /// a failure.
    pub fn refuse(&mut self, point: Point) {
        self.order_known_pairs();
        self.drop_pairs_of(|dropped| dropped == point);
        // The operation itself waits for nothing.
        let gates = &self.streams[point.line as usize].gates;
        let own = gates.iter().find(|gate| gate.origin == point).copied();
        own.iter().for_each(|gate| self.drop_wait(gate));
        if self.is_known(Point { number: point.number - 1, ..point }) {
            self.know(&Known::of_clock(Clock::new(Some(point), Points::default())));
        }
    }

    /// Creates a `Known`. If waits are open before the clock, it gets a carrier, to which what ends these waits is
    /// added.
    fn reach(&mut self, clock: Clock) -> Known {
        self.order_known_pairs();
        if !clock.points().any(|point| self.open_gates(point).next().is_some()) {
            return Known::of_clock(clock);
        }
        self.latest_key = (self.latest_key + 2) | 1;
        let key = self.latest_key;
        self.carrier(key, || Carrier::Host).clock = clock.clone();
        for Point { line, .. } in clock.points() {
            let progress = &mut self.streams[line as usize];
            if !progress.gates.is_empty() {
                progress.passed.insert(key);
            }
        }
        Known { clock, key }
    }

    /// Records that all of these are complete: the host has waited for them at once. What the host knew before is
    /// ordered before what was still open.
    pub fn know_all(&mut self, all: &[Known]) {
        self.order_known_pairs();
        all.iter().for_each(|known| self.know(known));
    }

    /// Records that the host knows these operations to be complete.
    pub(super) fn know(&mut self, known: &Known) {
        let is_open = known.key != 0;
        let later = is_open.then(|| self.carriers.get(&known.key).map(|carried| carried.clock.clone())).flatten();
        let clock = later.as_ref().unwrap_or(&known.clock);
        for Point { line, number } in clock.points() {
            // A line that does not exist is of an earlier session.
            let Some(progress) = self.streams.get_mut(line as usize) else { continue };
            let number = number.min(progress.submitted);
            let host = &mut self.host[line as usize];
            if *host < number {
                *host = number;
                self.pending -= usize::from(number == progress.submitted);
            }
        }
    }

    /// Removes the carrier of a `Known` that the host no longer needs.
    pub(super) fn forget(&mut self, known: &Known) {
        let Some(carried) = self.carriers.remove(&known.key) else { return };
        for Point { line, .. } in carried.clock.points() {
            self.streams[line as usize].passed.remove(&known.key);
        }
    }
}

impl Known {
    /// Returns what the host knows after a wait for the operations of this clock, which are behind no open waits.
    pub(super) fn of_clock(clock: Clock) -> Self {
        Self { clock, key: 0 }
    }

    /// Returns what the host knows after a wait for this stream that is about to begin.
    #[inline]
    pub fn stream(stream: u64) -> Self {
        with(|sequence| sequence.at_stream(stream)).unwrap_or_default()
    }

    /// Returns the same for a wait for each of these streams.
    pub fn streams(streams: impl Iterator<Item = u64>) -> Vec<Self> {
        with(|sequence| streams.map(|stream| sequence.at_stream(stream)).collect()).unwrap_or_default()
    }

    /// Returns the same for a wait for the latest record of an event.
    pub fn event(event: &Arc<dyn Event>) -> Self {
        with(|sequence| sequence.at_carrier(key_of(event))).flatten().unwrap_or_default()
    }

    /// Whether the host knows all of these operations already.
    pub fn is_old(&self) -> bool {
        with(|sequence| self.clock.points().all(|point| sequence.is_known(point))).unwrap_or_default()
    }

    /// Records that the wait has ended, or that the host function runs.
    #[inline]
    pub fn is_seen(&self) {
        if !self.clock.is_empty() {
            Self::are_seen(std::slice::from_ref(self));
        }
    }

    /// Records that waits have ended that the host has waited for at once.
    #[inline]
    pub(crate) fn are_seen(all: &[Self]) {
        let decided = with(|sequence| {
            sequence.know_all(all);
            sequence.decided()
        });
        if let Some(decided) = decided {
            decided.into_iter().for_each(undecided::report);
            checker::installed().into_iter().for_each(|checker| checker.host_knows());
        }
    }
}

impl Drop for Known {
    #[inline]
    fn drop(&mut self) {
        if self.key != 0 {
            with(|sequence| sequence.forget(self));
        }
    }
}
