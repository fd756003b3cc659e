//! Keeps room in the driver's queue behind work for which the library calls the driver while the stream waits: runs of
//! graphs with task groups or control flow, and waits that the host watches.
//!
//! A call that finds the queue full waits inside the driver and holds up the other calls in the context. The queue has
//! room again when that work has ended, for which the library calls the driver. So neither would end. A submission that
//! could find the queue full waits here instead, where it holds up no other call.
//!
//! Other streams that share the hardware queue are not counted: the driver does not say which they are.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::calls::is_reached;
use super::{StreamCalls, StreamState, Submitting};
use crate::algo::thread::pause::Backoff;
use crate::stream::words::at;

/// The maximum number of host functions and records behind such work. A queue holds some 56.
const PLACES: u32 = 48;

/// The maximum number of operations behind such work. A queue holds some 1,000.
const OPERATIONS: u32 = 800;

/// What was submitted behind the calls of a stream for which the library calls the driver, the oldest call first.
#[derive(Default)]
pub(super) struct Room(VecDeque<Behind>);

struct Behind {
    /// The number of the call.
    number: u32,
    places: u32,
    operations: u32,
}

impl Room {
    /// Counts what is submitted from now on behind the call with this number.
    fn begin(&mut self, number: u32) {
        self.0.push_back(Behind { number, places: 0, operations: 0 });
    }

    /// Forgets calls that are complete, as the word shows. Returns whether none is left.
    fn forget(&mut self, reached: u32) -> bool {
        while self.0.front().is_some_and(|call| is_reached(reached, call.number)) {
            self.0.pop_front();
        }
        self.0.is_empty()
    }

    /// Whether an operation with this number of places can be submitted.
    fn has(&self, places: u32) -> bool {
        let all = self.0.iter().map(|call| call.places).sum::<u32>() + places;
        all <= PLACES && self.0.iter().map(|call| call.operations).sum::<u32>() < OPERATIONS
    }

    fn take(&mut self, places: u32) {
        if let Some(last) = self.0.back_mut() {
            last.places += places;
            last.operations += 1;
        }
    }
}

impl Submitting {
    /// Notes that the library calls the driver for the latest call, while the stream waits.
    #[cold]
    pub(crate) fn keep_room(&mut self) {
        if let Some(calls) = &mut self.calls {
            calls.room.begin(calls.word.number);
            self.is_prepared = false;
        }
    }
}

impl StreamState {
    /// Waits until there is room for an operation that takes this number of places, or the stream is abandoned. Returns
    /// whether all operations fit from now on.
    pub(super) fn make_room(&self, submitting: &mut Submitting, places: u32) -> bool {
        let Some(StreamCalls { word, room, .. }) = &mut submitting.calls else { return true };
        let mut pauses = Backoff::default();
        // Acquire: as for the slots.
        while !room.forget(at(word.addr).load(Ordering::Acquire)) {
            let is_over = || self.device.check_open().is_err() || self.device.context.failure().is_some();
            if room.has(places) || self.is_abandoned() || is_over() {
                room.take(places);
                return false;
            }
            pauses.sleep(Duration::from_millis(1));
        }
        true
    }
}

#[cfg(test)]
#[path = "room_tests.rs"]
mod tests;
