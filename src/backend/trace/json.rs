//! Events of the Trace Event format, one line of JSON each.

use std::fmt::{Display, Write as _};

use serde::Serialize;

use super::host::Detail;

/// A row of the timeline: the group, which viewers call a process, and the row in it, which they call a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Track {
    pub(super) pid: u32,
    pub(super) tid: u32,
}

/// An event that is being written; [`Line::end`] completes it. Members have the format's names.
pub(super) struct Line {
    members: String,
    args: String,
}

/// Begins a line about a row, without a time. `phase` is the format's letter for its kind.
pub(super) fn about(phase: char, name: &str, track: Track) -> Line {
    let line = Line { members: String::new(), args: String::new() };
    line.with("ph", phase).with("pid", track.pid).with("tid", track.tid).with("name", name)
}

/// Begins an event at a time in nanoseconds, in a category by which viewers filter.
pub(super) fn event(phase: char, category: &str, name: &str, track: Track, at: u64) -> Line {
    about(phase, name, track).with("cat", category).with_time("ts", at)
}

impl Line {
    /// Adds a member of the format.
    pub(super) fn with(mut self, key: &str, value: impl Serialize) -> Self {
        add(&mut self.members, key, json(&value));
        self
    }

    /// Adds a member in nanoseconds.
    pub(super) fn with_time(mut self, key: &str, nanoseconds: u64) -> Self {
        add(&mut self.members, key, thousandths(nanoseconds));
        self
    }

    /// Adds an argument. Viewers show arguments with the event, in the order in which they are added.
    pub(super) fn arg(mut self, key: &str, value: impl Serialize) -> Self {
        add(&mut self.args, key, json(&value));
        self
    }

    /// Adds an argument that is this many thousandths.
    pub(super) fn decimal_arg(mut self, key: &str, value: u64) -> Self {
        add(&mut self.args, key, thousandths(value));
        self
    }

    /// Adds arguments with texts.
    pub(super) fn details(self, details: &[Detail]) -> Self {
        details.iter().fold(self, |event, (key, text)| event.arg(key, text))
    }

    /// Appends the event to a text of other events.
    pub(super) fn end(mut self, text: &mut String) {
        if !self.args.is_empty() {
            add(&mut self.members, "args", format_args!("{{{}}}", self.args));
        }
        let separator = if text.is_empty() { "" } else { ",\n" };
        let _ = write!(text, "{separator}{{{}}}", self.members);
    }
}

fn add(members: &mut String, key: &str, value: impl Display) {
    let separator = if members.is_empty() { "" } else { "," };
    let _ = write!(members, "{separator}\"{key}\":{value}");
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("numbers and texts are JSON")
}

/// Formats a number with three decimals. Floating-point numbers would lose nanoseconds after some months, and add 30 KB
/// of code.
fn thousandths(number: u64) -> String {
    format!("{}.{:03}", number / 1000, number % 1000)
}
