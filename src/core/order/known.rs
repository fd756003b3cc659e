//! What the host knows to be complete.

use std::sync::Arc;

use smallvec::SmallVec;

use super::carriers::{Carrier, event_key};
use super::clock::{Clock, Point};
use super::sequence::{Sequence, with};
use crate::backend::Event;

/// What is complete when a stream has reached an operation.
pub struct Reached {
    /// As far as that was submitted before.
    pub clock: Clock,
    /// Of a carrier that gets what ends open waits before the operation, if there are any.
    pub key: Option<usize>,
}

impl Sequence {
    /// What the host will know when it has waited for this stream.
    pub fn at_stream(&mut self, stream: u64) -> Reached {
        let line = self.line(stream);
        let clock = self.clock(line);
        self.reach(clock)
    }

    /// What the host knows when the latest operation of this stream begins.
    pub fn before_latest(&mut self, stream: u64) -> Reached {
        let line = self.line(stream);
        let mut clock = self.clock(line);
        clock.latest.iter_mut().for_each(|point| point.number -= 1);
        self.reach(clock)
    }

    /// What the host will know when it has waited for what a carrier passes.
    pub fn at_carrier(&mut self, key: usize) -> Option<Reached> {
        let clock = self.carriers.get(&key)?.clock.clone();
        Some(self.reach(clock))
    }

    /// If waits are open before it, what ends them is added to it.
    fn reach(&mut self, clock: Clock) -> Reached {
        if !clock.points().any(|point| self.open_gates(point).next().is_some()) {
            return Reached { clock, key: None };
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
        Reached { clock, key: Some(key) }
    }

    /// The host knows that this is complete.
    pub(super) fn know(&mut self, reached: &Reached) {
        let later = reached.key.and_then(|key| Some(self.carriers.get(&key)?.clock.clone()));
        let clock = later.as_ref().unwrap_or(&reached.clock);
        for Point { line, number } in clock.points() {
            // Not there: of an earlier session.
            let Some(progress) = self.streams.get_mut(line as usize) else { continue };
            let number = number.min(progress.submitted);
            let host = &mut self.host[line as usize];
            if *host < number {
                *host = number;
                self.pending -= usize::from(number == progress.submitted);
            }
        }
        // The waits of the stream itself have ended, whatever ended them.
        let latest = clock.latest.and_then(|point| Some((self.streams.get_mut(point.line as usize)?, point.number)));
        if let Some((progress, number)) = latest.filter(|(progress, _)| !progress.gates.is_empty()) {
            progress.retain_gates(|gate| gate.number > number);
        }
    }

    /// The host no longer needs this.
    pub(super) fn forget(&mut self, reached: &Reached) {
        let Some((key, carried)) = reached.key.and_then(|key| Some((key, self.carriers.remove(&key)?))) else { return };
        for Point { line, .. } in carried.clock.points() {
            self.streams[line as usize].passed.remove(&key);
        }
    }
}

/// What the host knows after a wait, or inside of a host function. Empty if no order is kept.
#[must_use]
#[derive(Default)]
pub struct Known(pub(super) SmallVec<[Reached; 1]>);

impl Known {
    /// For a wait, about to begin, for these streams.
    #[inline]
    pub fn streams(streams: impl IntoIterator<Item = u64>) -> Self {
        let reach = |sequence: &mut Sequence| streams.into_iter().map(|stream| sequence.at_stream(stream)).collect();
        Self(with(reach).unwrap_or_default())
    }

    /// For a wait, about to begin, for the latest record of an event.
    pub fn event(event: &Arc<dyn Event>) -> Self {
        let reach = |sequence: &mut Sequence| sequence.at_carrier(event_key(event)).into_iter().collect();
        Self(with(reach).unwrap_or_default())
    }

    /// Whether the host knows all of it already.
    pub fn is_old(&self) -> bool {
        with(|sequence| {
            let mut points = self.0.iter().flat_map(|reached| reached.clock.points());
            points.all(|point| sequence.is_known(point))
        })
        .unwrap_or_default()
    }

    /// The wait has ended, or the host function runs.
    #[inline]
    pub fn is_seen(&self) {
        if !self.0.is_empty() {
            with(|sequence| self.0.iter().for_each(|reached| sequence.know(reached)));
        }
    }
}

impl From<Reached> for Known {
    fn from(reached: Reached) -> Self {
        Self([reached].into_iter().collect())
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        if self.0.iter().any(|reached| reached.key.is_some()) {
            with(|sequence| self.0.iter().for_each(|reached| sequence.forget(reached)));
        }
    }
}
