//! Converts recorded entries to events of the format.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::Ordering;

use super::arrow::{Arrows, Bar};
use super::call::CallPart;
use super::host::{self, Detail, HostNote, HostWhat};
use super::json::{Track, about, event};
use super::lane::{Lane, TraceEntry};
use super::now;
use super::operation::{Note, Outcome, What};
use super::recorder::Gauges;

/// The base of the process ids of devices, which are groups of rows beside the process. The system never uses such ids.
const DEVICE_PID: u32 = 1 << 23;
/// The id of a device's row for the steps of the program.
const STEPS_TID: u32 = 1 << 30;
/// The minimum number of names at which the rows of threads that have ended are forgotten.
const MANY_NAMES: usize = 1024;

/// The scope of an instant: viewers draw its line in one row.
const ROW: char = 't';
const ALL_ROWS: char = 'g';

/// The state of the trace after a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The trace goes on.
    Open,
    /// Recording pauses.
    Pause,
    /// The trace ends.
    Close,
}

/// Returns the row of a stream.
fn stream_track(lane: &Lane) -> Track {
    // Some viewers treat row 0 specially.
    Track { pid: DEVICE_PID + lane.device, tid: lane.stream as u32 + 1 }
}

/// The state of a trace that is being written.
#[derive(Default)]
pub(super) struct Timeline {
    /// The text that is not in the file yet.
    pub(super) text: String,
    named: HashSet<(&'static str, Track)>,
    /// The number of these at which the rows of threads that have ended are forgotten.
    sweep_at: usize,
    /// The last bar of each row.
    last: HashMap<Track, Bar>,
    arrows: Arrows,
    /// The number of open ranges of each thread.
    depth: HashMap<u32, u32>,
    /// The open ranges with a number, and the thread that began them.
    ranges: HashMap<u32, (u32, String)>,
    /// The times at which steps began, by device.
    steps: HashMap<(u32, u64), u64>,
    sizes: BTreeMap<(u32, String), u64>,
    lost: u64,
    reported_lost: u64,
}

impl Timeline {
    // ---- streams ----

    /// Writes the complete work of a stream, or with `finish` all of it.
    pub(super) fn lane(&mut self, lane: &Lane, finish: bool) {
        let mut taken = lane.taken.lock();
        self.lost += lane.collect(&mut taken);
        let (mut count, mut events) = (0, Vec::new());
        let row = self.device_row(lane);
        let has_gaps = lane.has_gaps.load(Ordering::Relaxed);
        // A record has no time.
        let is_over = |entry: &TraceEntry| {
            !matches!(entry, TraceEntry::Recorded(..)) && matches!(entry.query(), Outcome::Over(..))
        };
        while let Some(first) = taken.front() {
            let outcome = match first.query() {
                Outcome::Pending if has_gaps && taken.iter().skip(1).any(is_over) => Outcome::Dropped,
                Outcome::Pending if !finish => break,
                outcome @ (Outcome::Pending | Outcome::Over(..) | Outcome::Dropped) => outcome,
            };
            let Some(entry) = taken.pop_front() else { break };
            count += 1;
            self.entry(row, &entry, outcome);
            if let Outcome::Over(..) = outcome {
                entry.take_events(&mut events);
            }
        }
        lane.written(count, events);
    }

    fn entry(&mut self, track: Track, entry: &TraceEntry, outcome: Outcome) {
        match (entry, outcome) {
            (TraceEntry::Recorded(id, call), _) => {
                self.arrows.recorded(*id, self.last.get(&track).copied());
                call.iter().for_each(|call| _ = self.call(call));
            }
            (TraceEntry::Operation { what, thread, times, after, call }, _) => {
                let call = call.as_ref().map(|call| self.call(call));
                let (begin, end, state) = match outcome {
                    Outcome::Over(begin, end) => (Some(begin), end, ""),
                    Outcome::Dropped => (times.begun(), 0, "dropped"),
                    Outcome::Pending => (times.begun(), now(), "unfinished"),
                };
                let Some(begin) = begin else {
                    self.lost += u64::from(outcome == Outcome::Pending);
                    return;
                };
                // The clock of a device may be some microseconds behind that of the host.
                let bar = self.bar(track, begin.max(call.map_or(0, |call| call.begin)), end);
                self.operation(bar, what, Some(*thread), state);
                call.into_iter().for_each(|call| Arrows::submission(&mut self.text, call, bar));
                after.iter().filter(|_| state.is_empty()).for_each(|after| self.arrows.waits(*after, bar));
            }
            (TraceEntry::Note(note, _), Outcome::Over(at, _)) => self.note(track, note, at),
            (TraceEntry::Note(..), _) => {}
        }
    }

    /// Writes a call in the row of its thread.
    fn call(&mut self, CallPart { origin, thread, begin, end }: &CallPart) -> Bar {
        let bar = Bar { track: self.thread_row(*thread), begin: *begin, end: *end };
        origin.describe(bar.line("call", origin.name())).end(&mut self.text);
        bar
    }

    /// Returns the next bar of a row. Bars of a row are ordered and do not overlap.
    fn bar(&mut self, track: Track, begin: u64, end: u64) -> Bar {
        let begin = begin.max(self.last.get(&track).map_or(0, |last| last.end));
        let bar = Bar { track, begin, end: end.max(begin) };
        self.last.insert(track, bar);
        bar
    }

    fn operation(&mut self, bar: Bar, what: &What, thread: Option<u32>, state: &str) {
        let (category, name) = what.title();
        let mut line = what.describe(bar.line(category, &name), bar.end - bar.begin);
        if let Some(thread) = thread {
            line = line.arg("thread", thread);
        }
        if !state.is_empty() {
            line = line.arg("state", state);
        }
        line.end(&mut self.text);
    }

    fn note(&mut self, track: Track, note: &Note, at: u64) {
        match note {
            Note::Mark(text) => self.instant(track, text, &[], at),
            Note::StepBegins(step) => drop(self.steps.insert((track.pid, *step), at)),
            Note::StepEnds(step) => {
                if let Some(begin) = self.steps.remove(&(track.pid, *step)) {
                    self.step(track.pid, *step, begin, at);
                }
            }
        }
    }

    fn step(&mut self, pid: u32, step: u64, begin: u64, end: u64) {
        let track = Track { pid, tid: STEPS_TID };
        self.name("thread", track, 0, || "steps".to_owned());
        // A step that began before another one ended is drawn after it.
        self.bar(track, begin, end).line("step", &format!("step {step}")).end(&mut self.text);
    }

    fn instant(&mut self, track: Track, text: &str, details: &[Detail], at: u64) {
        event('i', "mark", text, track, at).with("s", ROW).details(details).end(&mut self.text);
    }

    // ---- threads ----

    /// Writes the notes of the program's threads.
    pub(super) fn host(&mut self) {
        let (notes, lost) = host::collect();
        self.lost += lost;
        for note in notes {
            self.host_note(note);
        }
    }

    fn host_note(&mut self, HostNote { thread, at, what }: HostNote) {
        let track = self.thread_row(thread);
        match what {
            HostWhat::Begin(name, details) => {
                *self.depth.entry(thread).or_default() += 1;
                event('B', "program", &name, track, at).details(&details).end(&mut self.text);
            }
            HostWhat::End => {
                // A range that began before the trace has no end in it.
                if let Some(depth) = self.depth.get_mut(&thread).filter(|depth| **depth > 0) {
                    *depth -= 1;
                    self.range_end(track, at);
                }
            }
            HostWhat::Mark(text, details) => self.instant(track, &text, &details, at),
            HostWhat::Start(id, name, details) => {
                self.numbered_range('b', id, &name, &details, track, at);
                self.ranges.insert(id, (thread, name));
            }
            HostWhat::Stop(id) => {
                if let Some((starter, name)) = self.ranges.remove(&id) {
                    let track = self.thread_row(starter);
                    self.numbered_range('e', id, &name, &[], track, at);
                }
            }
            HostWhat::Operation(what, begin, call) => {
                let end = call.map_or(at, |call| self.call(&call).end);
                self.operation(Bar { track, begin, end }, &what, None, "");
            }
            HostWhat::Call(call) => drop(self.call(&call)),
        }
    }

    fn range_end(&mut self, track: Track, at: u64) {
        event('E', "program", "", track, at).end(&mut self.text);
    }

    fn numbered_range(&mut self, phase: char, id: u32, name: &str, details: &[Detail], track: Track, at: u64) {
        event(phase, "range", name, track, at).with("id", id).details(details).end(&mut self.text);
    }

    /// Ends the open ranges in the trace.
    fn end_ranges(&mut self) {
        let at = now();
        for (thread, depth) in std::mem::take(&mut self.depth) {
            let track = self.thread_row(thread);
            (0..depth).for_each(|_| self.range_end(track, at));
        }
        for (id, (thread, name)) in std::mem::take(&mut self.ranges) {
            let track = self.thread_row(thread);
            self.numbered_range('e', id, &name, &[], track, at);
        }
        for ((pid, step), begin) in std::mem::take(&mut self.steps) {
            self.step(pid, step, begin, at);
        }
    }

    // ---- sizes ----

    /// Writes the sizes that have changed.
    pub(super) fn gauges(&mut self, gauges: Gauges) {
        let at = now();
        let mut seen = BTreeMap::new();
        gauges(&mut |device, name, bytes| {
            let pid = device.map_or_else(std::process::id, |device| DEVICE_PID + device);
            seen.insert((pid, name.to_owned()), bytes);
        });
        let before = std::mem::take(&mut self.sizes);
        // A gauge that no longer exists is 0.
        let gone =
            before.iter().filter(|(key, bytes)| **bytes != 0 && !seen.contains_key(*key)).map(|(key, _)| (key, &0));
        let changed = seen.iter().filter(|(key, bytes)| before.get(*key) != Some(*bytes));
        for ((pid, name), bytes) in gone.chain(changed) {
            let track = Track { pid: *pid, tid: 0 };
            event('C', "memory", name, track, at).arg("bytes", *bytes).end(&mut self.text);
        }
        self.sizes = seen;
    }

    // ---- rows ----

    fn device_row(&mut self, lane: &Lane) -> Track {
        let track = stream_track(lane);
        self.name("process", Track { tid: 0, ..track }, lane.device + 1, || {
            format!("device {}: {}", lane.device, lane.device_name)
        });
        self.name("thread", track, track.tid, || lane.name.clone());
        track
    }

    /// Forgets the row of a stream that gets no more entries.
    pub(super) fn end_row(&mut self, lane: &Lane) {
        let track = stream_track(lane);
        self.named.remove(&("thread", track));
        self.last.remove(&track);
    }

    /// Forgets the rows of threads that have ended. The system may use the number of one again.
    fn end_rows_of_threads(&mut self) {
        let pid = std::process::id();
        let has_ended = |thread: u32| !Path::new(&format!("/proc/self/task/{thread}")).exists();
        let is_over = |track: &Track| track.pid == pid && track.tid != 0 && has_ended(track.tid);
        let over: HashSet<Track> = self.named.extract_if(|(_, track)| is_over(track)).map(|(_, track)| track).collect();
        self.last.retain(|track, _| !over.contains(track));
        self.depth.retain(|_, depth| *depth != 0);
        self.sweep_at = MANY_NAMES.max(2 * self.named.len());
    }

    fn thread_row(&mut self, thread: u32) -> Track {
        if self.named.len() >= self.sweep_at.max(MANY_NAMES) {
            self.end_rows_of_threads();
        }
        let name = |path: &str| std::fs::read_to_string(path).unwrap_or_default().trim_end().to_owned();
        let track = Track { pid: std::process::id(), tid: thread };
        self.name("process", Track { tid: 0, ..track }, 0, || name("/proc/self/comm"));
        self.name("thread", track, thread, || {
            let name = name(&format!("/proc/self/task/{thread}/comm"));
            format!("{name} {thread}").trim_start().to_owned()
        });
        track
    }

    /// Names a row, or a group by its row 0, and places it, unless that was done.
    fn name(&mut self, what: &'static str, track: Track, order: u32, name: impl FnOnce() -> String) {
        if self.named.insert((what, track)) {
            about('M', &format!("{what}_name"), track).arg("name", name()).end(&mut self.text);
            let index = format!("{what}_sort_index");
            about('M', &index, track).arg("sort_index", order).end(&mut self.text);
        }
    }

    // ---- end ----

    /// Ends the write: everything is written.
    pub(super) fn end(&mut self, end: End) {
        self.arrows.draw(&mut self.text);
        if end != End::Open {
            self.end_ranges();
        }
        if end == End::Close && self.lost > self.reported_lost {
            let track = Track { pid: std::process::id(), tid: 0 };
            let text = match self.lost {
                1 => "1 operation was not recorded".to_owned(),
                lost => format!("{lost} operations were not recorded"),
            };
            event('i', "portacl", &text, track, now()).with("s", ALL_ROWS).end(&mut self.text);
            self.reported_lost = self.lost;
        }
    }
}
