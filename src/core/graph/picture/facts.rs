//! Properties of tasks in pictures.

use std::borrow::Cow;

use serde::Serializer;
use serde_json::Value;

use crate::backend::{Pattern, Place, Span, Work};
use crate::graph::task::{Step, Task};
use crate::kernel::kernel_launch::GraphLaunch;

/// A property of a task in a picture: a number or a text.
pub(super) type Fact = (&'static str, Value);

/// Returns the value of a property as a text.
pub(super) fn in_words(value: &Value) -> Cow<'_, str> {
    value.as_str().map_or_else(|| value.to_string().into(), Cow::from)
}

/// Writes the properties of a task as members of it.
pub(super) fn as_members<S: Serializer>(facts: &[Fact], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(facts.iter().map(|(key, value)| (key, value)))
}

/// Returns the properties of a task.
pub(super) fn facts(task: &Task, with_details: bool) -> Vec<Fact> {
    let mut facts = Facts { all: Vec::new(), with_details };
    if let Some(event) = task.what.event() {
        facts.show("event", hex(event));
        facts.detail("external", task.is_external.to_string());
    }
    task.group.iter().for_each(|member| facts.show("group", hex(member.group.handle.raw())));
    if let Some(conditional) = task.conditional() {
        facts.show("condition", hex(conditional.condition.raw()));
        facts.detail("value", addr(conditional.value));
    }
    task.current_work().iter().for_each(|work| facts.add_work(work));
    task.step.iter().for_each(|step| facts.add_step(step));
    facts.all
}

struct Facts {
    all: Vec<Fact>,
    with_details: bool,
}

impl Facts {
    /// Adds a property that every picture shows.
    fn show(&mut self, key: &'static str, value: impl Into<Value>) {
        self.all.push((key, value.into()));
    }

    /// Adds a property that is shown only with details.
    fn detail(&mut self, key: &'static str, value: impl Into<Value>) {
        if self.with_details {
            self.show(key, value);
        }
    }

    fn add_work(&mut self, work: &Work) {
        match work {
            Work::Copy(copy) => {
                self.show("bytes", copy.dst.len);
                self.show("direction", direction(copy.dst, copy.src));
                self.detail("dst", addr(copy.dst));
                self.detail("src", addr(copy.src));
            }
            Work::Copy2d(copy) => {
                self.show("width", copy.width);
                self.show("height", copy.height);
                self.show("direction", direction(copy.dst.span, copy.src.span));
                self.detail("dst", addr(copy.dst.span));
                self.detail("dst_pitch", copy.dst.pitch);
                self.detail("src", addr(copy.src.span));
                self.detail("src_pitch", copy.src.pitch);
            }
            Work::Fill(fill) => {
                let value = match fill.pattern {
                    Pattern::Byte(value) => u64::from(value),
                    Pattern::Word(value) => u64::from(value),
                };
                self.show("bytes", fill.dst.len);
                self.show("value", value);
                self.detail("value_bytes", fill.pattern.size());
                self.detail("dst", addr(fill.dst));
            }
            Work::Reduce(reduce) => {
                self.show("bytes", reduce.dst.len);
                self.show("operation", format!("{:?}", reduce.op).to_lowercase());
                self.show("element", format!("{:?}", reduce.element).to_lowercase());
                self.detail("dst", addr(reduce.dst));
                self.detail("src", addr(reduce.src));
            }
            Work::RandomNum(job) => {
                self.show("bytes", job.dst.len);
                self.show("distribution", format!("{:?}", job.distribution).to_lowercase());
                self.show("element", format!("{:?}", job.element).to_lowercase());
                self.detail("dst", addr(job.dst));
                job.counter.iter().for_each(|counter| self.detail("counter", addr(*counter)));
            }
            Work::Launch(_) => GraphLaunch::of(work).iter().for_each(|call| self.add_launch(call)),
            Work::HostFn(function) => self.detail("function", hex(function.address() as u64)),
            Work::Record(_) => {}
        }
    }

    fn add_launch(&mut self, call: &GraphLaunch) {
        let [x, y, z] = call.grid;
        self.show("name", &*call.name);
        self.show("blocks", format!("{x} x {y} x {z}"));
        self.detail("function", hex(call.function));
        self.detail("arguments", bytes(&call.arguments));
    }

    fn add_step(&mut self, step: &Step) {
        match step {
            Step::WriteValue(write) => {
                self.show("value", hex(write.value));
                self.detail("dst", addr(write.dst));
            }
            Step::WaitValue(wait) => {
                self.show("value", hex(wait.value));
                self.show("comparison", format!("{:?}", wait.comparison));
                self.detail("src", addr(wait.src));
            }
            Step::HostTask(task) => {
                self.show("name", task.code.name());
                self.show("bytes", task.memory().map(|(memory, _)| memory.len).sum::<usize>());
            }
            Step::ChangeNotify(..)
            | Step::WaitNotify(..)
            | Step::CopyIndirect(_)
            | Step::Wait(_)
            | Step::Record(_)
            | Step::WaitShared(_) => {}
        }
    }
}

fn hex(number: u64) -> String {
    format!("{number:#x}")
}

fn addr(span: Span) -> String {
    hex(span.addr as u64)
}

fn direction(dst: Span, src: Span) -> String {
    let place = |span: Span| match span.place {
        Place::Pageable => "pageable",
        Place::Pinned => "pinned",
        Place::Device(_) => "device",
    };
    format!("{} to {}", place(src), place(dst))
}

fn bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
