//! Bars in rows, and arrows between them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};

use super::dependency::RecordId;
use super::json::{Line, Track, event};

/// The maximum number of records of events that are remembered.
const MOST_POINTS: usize = 16 << 10;
/// The maximum number of arrows that wait for the record that they come from.
const MOST_ARROWS: usize = 4 << 10;

/// A bar in a row, at which an arrow begins or ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bar {
    pub(super) track: Track,
    pub(super) begin: u64,
    pub(super) end: u64,
}

impl Bar {
    /// Returns the last moment inside the bar, before its end: viewers find the bar that contains a moment.
    fn last_moment(self) -> u64 {
        if self.end > self.begin + 1 { self.end - 1 } else { self.begin }
    }

    pub(super) fn line(&self, category: &str, name: &str) -> Line {
        event('X', category, name, self.track, self.begin).with_time("dur", self.end - self.begin)
    }
}

/// The arrows of a trace.
#[derive(Default)]
pub(super) struct Arrows {
    /// The bar that each record of an event is ordered after, the oldest record first.
    points: BTreeMap<RecordId, Option<Bar>>,
    /// The waits whose record is not known yet.
    waiting: VecDeque<(RecordId, Bar)>,
}

impl Arrows {
    /// Notes that a record of an event is ordered after this bar; `None`: after nothing in the trace.
    pub(super) fn recorded(&mut self, id: RecordId, after: Option<Bar>) {
        self.points.insert(id, after);
        if self.points.len() > MOST_POINTS {
            self.points.pop_first();
        }
    }

    /// Notes that a bar is a wait for a record.
    pub(super) fn waits(&mut self, record: RecordId, bar: Bar) {
        self.waiting.push_back((record, bar));
    }

    /// Draws the arrows to waits of which both ends are known.
    pub(super) fn draw(&mut self, text: &mut String) {
        for _ in 0..self.waiting.len() {
            let Some((record, to)) = self.waiting.pop_front() else { break };
            match self.points.get(&record).copied() {
                Some(Some(from)) => {
                    let end = to.last_moment();
                    Self::arrow(text, ("dependency", "event"), (from, from.last_moment().min(end)), (to, end));
                }
                // The record is ordered after nothing in the trace.
                Some(None) => {}
                None if self.waiting.len() < MOST_ARROWS => self.waiting.push_back((record, to)),
                None => {}
            }
        }
    }

    /// Draws an arrow from a call to the operation that it enqueued, which did not begin before the call.
    pub(super) fn submission(text: &mut String, call: Bar, operation: Bar) {
        let begin = call.last_moment().min(operation.begin);
        Self::arrow(text, ("submission", "enqueue"), (call, begin), (operation, operation.begin));
    }

    fn arrow(text: &mut String, (category, name): (&str, &str), from: (Bar, u64), to: (Bar, u64)) {
        // A trace that continues has ids from before.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        for (phase, (bar, at)) in [('s', from), ('f', to)] {
            // The id connects the two ends.
            let line = event(phase, category, name, bar.track, at).with("id", id);
            // `e`: the arrow ends at the bar that contains the event's time, and not at the next bar.
            let line = if phase == 'f' { line.with("bp", "e") } else { line };
            line.end(text);
        }
    }
}
