//! Events of the Trace Event format, one line of JSON each.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::host::Detail;

/// A row of the timeline: the group, which viewers call a process, and the row in it, which they call a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Track {
    pub(super) pid: u32,
    pub(super) tid: u32,
}

/// An event that is being written; [`Line::end`] completes it. Members have the format's names.
#[derive(Default, Serialize)]
pub(super) struct Line<'a> {
    pub(super) ph: char,
    pub(super) pid: u32,
    pub(super) tid: u32,
    pub(super) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cat: Option<&'static str>,
    /// The number that connects events with each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<u64>,
    /// The time or the beginning of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ts: Option<Thousandths>,
    /// How long the event takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) dur: Option<Thousandths>,
    /// `e`: the arrow ends at the bar that contains the event's time, and not at the next bar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bp: Option<&'static str>,
    /// How far viewers draw the line of an instant: `t` for its row, `g` for all rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) s: Option<&'static str>,
    /// In the order in which viewers show them.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_map")]
    pub(super) args: Vec<(&'a str, Arg<'a>)>,
}

fn as_map<S: serde::Serializer>(args: &[(&str, Arg<'_>)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(args.iter().map(|(key, value)| (key, value)))
}

/// The value of an argument.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Arg<'a> {
    Number(u64),
    Numbers([u32; 3]),
    Text(Cow<'a, str>),
    Decimal(Thousandths),
}

impl From<u64> for Arg<'_> {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a str> for Arg<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Arg<'_> {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

/// A number with three decimals. Floating-point numbers would lose nanoseconds after some months, and add 30 KB of
/// code.
pub(super) struct Thousandths(pub(super) u64);

impl Serialize for Thousandths {
    /// As a type of number that events do not use otherwise: [`Decimals`] writes it.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u128(self.0.into())
    }
}

/// Writes [`Thousandths`].
struct Decimals;

impl Formatter for Decimals {
    fn write_u128<W: ?Sized + Write>(&mut self, writer: &mut W, value: u128) -> io::Result<()> {
        let value = value as u64;
        write!(writer, "{}.{:03}", value / 1000, value % 1000)
    }
}

/// A line about a row, without a time: `phase` is the format's letter for its kind.
pub(super) fn about(phase: char, name: &str, track: Track) -> Line<'_> {
    let Track { pid, tid } = track;
    Line { ph: phase, pid, tid, name, ..Line::default() }
}

/// An event at a time in nanoseconds, in a category by which viewers filter.
pub(super) fn event<'a>(phase: char, category: &'static str, name: &'a str, track: Track, at: u64) -> Line<'a> {
    Line { cat: Some(category), ts: Some(Thousandths(at)), ..about(phase, name, track) }
}

impl<'a> Line<'a> {
    /// An argument, which viewers show with the event.
    pub(super) fn arg(mut self, key: &'a str, value: impl Into<Arg<'a>>) -> Self {
        self.args.push((key, value.into()));
        self
    }

    /// Arguments with texts.
    pub(super) fn details(self, details: &'a [Detail]) -> Self {
        details.iter().fold(self, |event, (key, text)| event.arg(key, text.as_str()))
    }

    /// Appends the event to a text of other events.
    pub(super) fn end(self, text: &mut String) {
        if !text.is_empty() {
            text.push_str(",\n");
        }
        let mut line = Vec::new();
        let written = self.serialize(&mut Serializer::with_formatter(&mut line, Decimals));
        written.expect("an event has no members that can fail");
        text.push_str(&String::from_utf8(line).expect("JSON is UTF-8"));
    }
}
