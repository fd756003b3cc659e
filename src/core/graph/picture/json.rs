//! Graphs as JSON.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::facts::Value;
use super::{Drawn, Part, Picture};

/// The whole file.
pub(super) fn text(picture: &Picture, with_details: bool) -> String {
    let shown = Shown { picture, with_details };
    serde_json::to_string_pretty(&shown).expect("a picture has no members that can fail") + "\n"
}

/// A graph, or the body of a conditional task.
struct Shown<'a> {
    picture: &'a Picture,
    with_details: bool,
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { picture, with_details } = *self;
        let tasks = picture.tasks.iter().enumerate();
        let tasks = tasks.map(|(place, task)| ShownTask { place, task, with_details });
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("name", &picture.name)?;
        members.serialize_entry("id", &picture.id)?;
        members.serialize_entry("device", &picture.device)?;
        members.serialize_entry("streams", &picture.parts)?;
        members.serialize_entry("tasks", &tasks.collect::<Vec<_>>())?;
        if picture.is_empty_body {
            members.serialize_entry("captured", &false)?;
        }
        members.end()
    }
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("id", &self.id)?;
        members.serialize_entry("tasks", &self.tasks.len())?;
        members.end()
    }
}

struct ShownTask<'a> {
    place: usize,
    task: &'a Drawn,
    with_details: bool,
}

impl Serialize for ShownTask<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { place, task, with_details } = *self;
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("id", &place)?;
        members.serialize_entry("stream", &task.part)?;
        members.serialize_entry("sequence", &task.sequence)?;
        members.serialize_entry("kind", task.kind)?;
        members.serialize_entry("type", &task.number)?;
        members.serialize_entry("disabled", &task.is_disabled)?;
        members.serialize_entry("after", &task.after)?;
        for fact in task.facts.iter().filter(|fact| with_details || !fact.is_detail) {
            match &fact.value {
                Value::Number(number) => members.serialize_entry(fact.key, number)?,
                Value::Text(text) => members.serialize_entry(fact.key, text)?,
            }
        }
        if task.choice.is_some() {
            let bodies = task.bodies.iter().map(|picture| Shown { picture, with_details });
            members.serialize_entry("bodies", &bodies.collect::<Vec<_>>())?;
        }
        members.end()
    }
}
