//! The timeline: the latest operations, by thread and by stream.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs;
use std::time::Instant;

use serde::Serialize;

use super::about::About;
use super::label::Label;
use crate::algo::map::slot_table::Handle;
use crate::backend::{thread_number, trace};
use crate::core::base::handles::Object;
use crate::core::stream::Stream;
use crate::operation::{Operation, What};
use crate::report::stream_in_words;

/// Maximum number of operations of the timeline.
pub(super) const MOST: usize = 5000;

#[derive(Default, Serialize)]
pub(super) struct Timeline {
    /// The names of the threads that enqueued or did something.
    threads: Vec<Thread>,
    streams: Vec<Lane>,
    pub(super) operations: VecDeque<Row>,
    /// Number of operations that are not shown, and the memory in use after them.
    pub(super) forgotten: usize,
    pub(super) memory_before: i64,
}

#[derive(Serialize)]
struct Thread {
    number: u32,
    name: String,
}

#[derive(Serialize)]
struct Lane {
    handle: String,
    name: String,
}

/// An operation of the timeline.
#[derive(Serialize)]
pub(super) struct Row {
    /// The time in milliseconds.
    at: f64,
    /// The index of the thread, and the call of the API that it was in.
    thread: usize,
    call: &'static str,
    /// The index of the stream; `None`: the thread did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<usize>,
    /// Its number in the stream, as reports have it; 0 without a stream.
    number: u64,
    pub(super) what: Cow<'static, str>,
    kind: &'static str,
    bytes: u64,
    /// The time that it took in nanoseconds, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    took: Option<u64>,
    /// The change of the memory in use in bytes.
    change: i64,
}

impl Timeline {
    fn thread(&mut self) -> usize {
        let number = thread_number();
        self.threads.iter().position(|thread| thread.number == number).unwrap_or_else(|| {
            let name = if number == std::process::id() {
                "main thread".to_owned()
            } else {
                let name = fs::read_to_string(format!("/proc/self/task/{number}/comm")).unwrap_or_default();
                format!("thread {} {number}", name.trim_end()).replace("  ", " ")
            };
            self.threads.push(Thread { number, name });
            self.threads.len() - 1
        })
    }

    fn lane(&mut self, handle: u64, about: &mut About) -> usize {
        let text = format!("{handle:#x}");
        self.streams.iter().position(|lane| lane.handle == text).unwrap_or_else(|| {
            if let Some(stream) = Handle::from_raw(handle).and_then(|handle| Stream::table().get(handle)) {
                about.uses(&stream);
            }
            self.streams.push(Lane { handle: text, name: stream_in_words(handle) });
            self.streams.len() - 1
        })
    }

    pub(super) fn add(&mut self, operation: &Operation, label: Option<&Label>, began: Instant, about: &mut About) {
        let thread = self.thread();
        let stream = operation.stream.map(|stream| self.lane(stream.handle, about));
        let number = operation.point().map_or(0, |point| point.number);
        let used: usize = operation.uses().iter().map(|used| used.end - used.addr).sum();
        let (kind, change) = match operation.what {
            What::Allocates => ("memory", used as i64),
            What::Frees | What::Closes => ("memory", -(used as i64)),
            What::Waits => ("wait", 0),
            What::Accesses(_) | What::Calls | What::Touches => ("work", 0),
        };
        if self.operations.len() == MOST
            && let Some(Row { change, .. }) = self.operations.pop_front()
        {
            self.forgotten += 1;
            self.memory_before += change;
        }
        let noun = operation.what.noun();
        let (what, kind, bytes) = match label {
            Some(label) => (Cow::Owned(label.title.clone()), label.kind, label.bytes.unwrap_or(0)),
            None => (Cow::Borrowed(noun.split_once(' ').map_or(noun, |(_, noun)| noun)), kind, used as u64),
        };
        label.iter().for_each(|label| label.number.set(Some(self.forgotten + self.operations.len())));
        let (at, call) = (operation.ms(began), trace::current_call().unwrap_or_default());
        self.operations.push_back(Row { at, thread, call, stream, number, what, kind, bytes, took: None, change });
    }

    /// Sets the time that the operation with this number in the timeline took, in nanoseconds.
    pub(super) fn took(&mut self, number: usize, time: u64) {
        if let Some(row) = number.checked_sub(self.forgotten).and_then(|index| self.operations.get_mut(index)) {
            row.took = Some(time);
        }
    }
}
