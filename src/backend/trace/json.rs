//! Events of the Trace Event format, one line of JSON each.

use std::fmt::{Arguments, Write};

use crate::algo::host::json::quote;

/// A row of the timeline: a group of rows, which viewers call a process, and a row of it, which
/// they call a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Track {
    pub(super) pid: u32,
    pub(super) tid: u32,
}

/// An event that is being written; [`Line::end`] completes it.
pub(super) struct Line<'a> {
    text: &'a mut String,
    has_args: bool,
}

/// Where one event begins in a text that has others: `phase` is the format's letter.
pub(super) fn event<'a>(text: &'a mut String, phase: char, name: &str, track: Track) -> Line<'a> {
    if !text.is_empty() {
        text.push_str(",\n");
    }
    let Track { pid, tid } = track;
    put(text, format_args!("{{\"ph\":\"{phase}\",\"pid\":{pid},\"tid\":{tid},\"name\":"));
    quote(text, name);
    Line { text, has_args: false }
}

impl Line<'_> {
    /// A member of the event whose value is a number. Those of the format come before arguments.
    pub(super) fn number(self, key: &str, value: u64) -> Self {
        put(self.text, format_args!(",\"{key}\":{value}"));
        self
    }

    /// A member of the event whose value is one of the format's words.
    pub(super) fn word(self, key: &str, value: &str) -> Self {
        put(self.text, format_args!(",\"{key}\":\"{value}\""));
        self
    }

    /// A member that is a time: the format has microseconds.
    pub(super) fn time(self, key: &str, nanoseconds: u64) -> Self {
        let (us, ns) = (nanoseconds / 1000, nanoseconds % 1000);
        put(self.text, format_args!(",\"{key}\":{us}.{ns:03}"));
        self
    }

    fn key(&mut self, key: &str) {
        self.text.push_str(if self.has_args { "," } else { ",\"args\":{" });
        self.has_args = true;
        put(self.text, format_args!("\"{key}\":"));
    }

    /// An argument, which viewers show with the event.
    pub(super) fn arg(mut self, key: &str, value: Arguments<'_>) -> Self {
        self.key(key);
        put(self.text, value);
        self
    }

    /// An argument that is a text.
    pub(super) fn text_arg(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        quote(self.text, value);
        self
    }

    /// The event is complete.
    pub(super) fn end(self) {
        self.text.push_str(if self.has_args { "}}" } else { "}" });
    }
}

fn put(text: &mut String, what: Arguments<'_>) {
    text.write_fmt(what).expect("a text takes all");
}
