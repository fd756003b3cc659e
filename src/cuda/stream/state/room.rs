//! Keeps room in the driver's queue behind work for which the library calls the driver while the stream waits: runs of
//! graphs with task groups or control flow, and waits that the host watches.
//!
//! A call that finds the queue full waits inside the driver and holds up the other calls in the context. The queue has
//! room again when that work has ended, for which the library calls the driver. So neither would end. A submission that
//! could find the queue full waits here instead, where it holds up no other call.
//!
//! Other streams that share the hardware queue are not counted. The driver does not say which they are, nor how much
//! of their work is left. To count all streams as one would let independent streams wait for each other, and so for
//! what the program does after it has submitted to both: programs that work today would not end.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::calls::is_reached;
use super::{Locked, StreamCalls, StreamState, Submitting};
use crate::algo::thread::pause::Backoff;
use crate::backend::Wait;
use crate::stream::words::at;

/// The maximum number of host functions and records behind such work. A queue holds some 56.
const PLACES: u32 = 48;

/// The maximum number of marks for waits with a deadline behind such work. They take none of the places of the program.
const MARKS: u32 = 4;

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
    marks: u32,
}

impl Room {
    /// Counts what is submitted from now on behind the call with this number.
    fn begin(&mut self, number: u32) {
        self.0.push_back(Behind { number, places: 0, operations: 0, marks: 0 });
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

    /// Counts an operation. Returns whether there is no call, so that operations need not be counted.
    fn take(&mut self, places: u32) -> bool {
        let Some(last) = self.0.back_mut() else { return true };
        last.places += places;
        last.operations += 1;
        false
    }

    /// Counts a mark. Returns false, and counts none, if there are too many.
    fn take_mark(&mut self) -> bool {
        let has = self.0.iter().map(|call| call.marks).sum::<u32>() < MARKS;
        if let Some(last) = self.0.back_mut().filter(|_| has) {
            last.marks += 1;
        }
        has
    }

    /// Uncounts the latest operation, which takes no place. If its call is complete, it does not count any more.
    fn uncount(&mut self) {
        if let Some(last) = self.0.back_mut() {
            last.operations -= 1;
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

    /// Whether there is room for an operation that takes this number of places. Forgets what is complete.
    fn has_room(&mut self, places: u32) -> bool {
        let Some(StreamCalls { word, room, .. }) = &mut self.calls else { return true };
        // Acquire: as for the slots.
        room.0.is_empty() || room.forget(at(word.addr).load(Ordering::Acquire)) || room.has(places)
    }

    /// Takes room for a mark. Returns false if there is none.
    pub(super) fn take_mark(&mut self) -> bool {
        let Some(StreamCalls { word, room, .. }) = &mut self.calls else { return true };
        // Acquire: as for the slots.
        room.forget(at(word.addr).load(Ordering::Acquire)) || room.take_mark()
    }

    /// Takes room for an operation. Returns whether all operations fit from now on.
    #[inline(always)]
    pub(super) fn take_room(&mut self, places: u32) -> bool {
        self.calls.as_mut().is_none_or(|calls| calls.room.take(places))
    }

    /// Returns the room of the latest operation, which the driver does not get.
    #[inline]
    pub(super) fn return_room(&mut self) {
        if let Some(calls) = &mut self.calls {
            calls.room.uncount();
        }
    }
}

impl StreamState {
    /// Waits until there is room for an operation that takes this number of places, or the stream is abandoned. The
    /// lock is not held meanwhile.
    #[inline]
    pub(super) fn wait_for_room<'a>(&'a self, mut submitting: Locked<'a>, places: u32) -> Locked<'a> {
        if submitting.has_room(places) { submitting } else { self.wait_until_room(submitting, places, None) }
    }

    #[cold]
    fn wait_until_room<'a>(&'a self, mut submitting: Locked<'a>, places: u32, deadline: Option<Instant>) -> Locked<'a> {
        let mut pauses = Backoff::default();
        let is_over = || {
            self.is_abandoned()
                || self.device.check_open().is_err()
                || self.device.context.failure().is_some()
                || is_past(deadline)
        };
        while !submitting.has_room(places) && !is_over() {
            drop(submitting);
            pauses.sleep(Duration::from_millis(1));
            submitting = self.submitting.lock();
        }
        submitting
    }

    /// Implements [`await_room`](crate::backend::Stream::await_room).
    pub(crate) fn await_room(&self, operations: usize, deadline: Option<Instant>) -> Option<Wait> {
        // More than that never has room at once.
        let places = u32::try_from(operations).map_or(PLACES, |places| places.min(PLACES));
        let mut submitting = self.submitting.lock();
        if submitting.has_room(places) {
            return None;
        }
        if self.wait_until_room(submitting, places, deadline).has_room(places) {
            return Some(Wait::Done);
        }
        is_past(deadline).then_some(Wait::TimedOut)
    }
}

fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

#[cfg(test)]
#[path = "room_tests.rs"]
mod tests;
