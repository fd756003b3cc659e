//! Properties of tasks in pictures.

use std::fmt::Display;

use serde::{Serialize, Serializer};

use crate::backend::{Pattern, Place, Span, Work};
use crate::core::graph::task::{Step, Task, What};
use crate::core::kernel::kernel_launch::Call;

/// A property of a task in a picture.
pub(super) type Fact = (&'static str, Value);

/// The value of a property.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Value {
    Number(u64),
    Text(String),
}

impl Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

/// Writes the properties of a task as members of it.
pub(super) fn as_members<S: Serializer>(facts: &[Fact], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(facts.iter().map(|(key, value)| (key, value)))
}

/// The properties of a task.
pub(super) fn facts(task: &Task, with_details: bool) -> Vec<Fact> {
    let mut facts = Facts { all: Vec::new(), with_details };
    if let What::EventRecord(event) | What::EventWait(event) | What::EventReset(event) = task.what {
        facts.show("event", hex(event));
        facts.detail("external", Value::Text(task.is_external.to_string()));
    }
    if let Some(member) = &task.group {
        facts.show("group", hex(member.group.handle.raw()));
    }
    if let Some(conditional) = task.conditional() {
        facts.show("condition", hex(conditional.condition.raw()));
        facts.detail("value", addr(conditional.value));
    }
    if let Some(work) = task.current_work() {
        facts.add_work(&work);
    }
    if let Some(step) = &task.step {
        facts.add_step(step);
    }
    facts.all
}

struct Facts {
    all: Vec<Fact>,
    with_details: bool,
}

impl Facts {
    /// Adds a property that every picture shows.
    fn show(&mut self, key: &'static str, value: Value) {
        self.all.push((key, value));
    }

    /// Adds a property that is shown only with details.
    fn detail(&mut self, key: &'static str, value: Value) {
        if self.with_details {
            self.show(key, value);
        }
    }

    fn add_work(&mut self, work: &Work) {
        match work {
            Work::Copy(copy) => {
                self.show("bytes", number(copy.dst.len));
                self.show("direction", direction(copy.dst, copy.src));
                self.detail("dst", addr(copy.dst));
                self.detail("src", addr(copy.src));
            }
            Work::Copy2d(copy) => {
                self.show("width", number(copy.width));
                self.show("height", number(copy.height));
                self.show("direction", direction(copy.dst.span, copy.src.span));
                self.detail("dst", addr(copy.dst.span));
                self.detail("dst_pitch", number(copy.dst.pitch));
                self.detail("src", addr(copy.src.span));
                self.detail("src_pitch", number(copy.src.pitch));
            }
            Work::Fill(fill) => {
                let value = match fill.pattern {
                    Pattern::Byte(value) => u64::from(value),
                    Pattern::Word(value) => u64::from(value),
                };
                self.show("bytes", number(fill.dst.len));
                self.show("value", Value::Number(value));
                self.detail("value_bytes", number(fill.pattern.size()));
                self.detail("dst", addr(fill.dst));
            }
            Work::Reduce(reduce) => {
                self.show("bytes", number(reduce.dst.len));
                self.show("operation", lower(format!("{:?}", reduce.op)));
                self.show("element", lower(format!("{:?}", reduce.element)));
                self.detail("dst", addr(reduce.dst));
                self.detail("src", addr(reduce.src));
            }
            Work::RandomNum(job) => {
                self.show("bytes", number(job.dst.len));
                self.show("distribution", lower(format!("{:?}", job.distribution)));
                self.show("element", lower(format!("{:?}", job.element)));
                self.detail("dst", addr(job.dst));
                if let Some(counter) = job.counter {
                    self.detail("counter", addr(counter));
                }
            }
            Work::Launch(_) => self.add_launch(work),
            Work::HostFn(function) => self.detail("function", hex(function.address() as u64)),
            Work::Record(_) => {}
        }
    }

    fn add_launch(&mut self, work: &Work) {
        let Some(call) = Call::of(work) else { return };
        let [x, y, z] = call.grid;
        self.show("name", Value::Text(call.name.clone()));
        self.show("blocks", Value::Text(format!("{x} x {y} x {z}")));
        self.detail("function", hex(call.function));
        self.detail("arguments", Value::Text(bytes(&call.arguments)));
    }

    fn add_step(&mut self, step: &Step) {
        match step {
            Step::WriteValue(write) => {
                self.show("value", hex(write.value));
                self.detail("dst", addr(write.dst));
            }
            Step::WaitValue(wait) => {
                self.show("value", hex(wait.value));
                self.show("comparison", Value::Text(format!("{:?}", wait.comparison)));
                self.detail("src", addr(wait.src));
            }
            _ => {}
        }
    }
}

fn number(number: usize) -> Value {
    Value::Number(number as u64)
}

fn hex(number: u64) -> Value {
    Value::Text(format!("{number:#x}"))
}

fn addr(span: Span) -> Value {
    hex(span.addr as u64)
}

fn lower(name: String) -> Value {
    Value::Text(name.to_lowercase())
}

fn direction(dst: Span, src: Span) -> Value {
    let place = |span: Span| match span.place {
        Place::Pageable => "pageable",
        Place::Pinned => "pinned",
        Place::Device(_) => "device",
    };
    Value::Text(format!("{} to {}", place(src), place(dst)))
}

fn bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
