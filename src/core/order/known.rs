//! What the host knows to be complete.

use std::sync::Arc;

use smallvec::SmallVec;

use super::carriers::event_key;
use super::clock::Clock;
use super::sequence::{Sequence, with};
use crate::backend::Event;

/// What is complete when a stream has reached an operation.
pub struct Reached {
    /// As far as that was submitted before.
    pub clock: Clock,
    /// Of a carrier that gets what ends open waits before the operation, if there are any.
    pub key: Option<usize>,
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
