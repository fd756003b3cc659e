//! Pictures of graphs: as text, as JSON, and for Graphviz.

mod facts;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use serde::{Serialize, Serializer};

use self::facts::{Fact, facts, in_words};
use super::graph::Graph;
use super::inspect;
use super::task::control::{ConditionKind, Control};
use super::task::{self, Task, What, group};
use crate::algo::host::output_file::OutputFile;
use crate::algo::host::standard_stream::StandardOutput;
use crate::algo::map::slot_table::Handle;
use crate::base::error::{Code, Result, error_with, invalid_param};
use crate::base::handles::{self, Object as _};
use crate::stream::Stream;

/// A task in a picture.
#[derive(Serialize)]
struct Drawn {
    /// Its place among the tasks of the graph.
    id: usize,
    /// Its stream among those of the graph.
    stream: usize,
    sequence: usize,
    /// The kind of the call.
    kind: &'static str,
    /// Its kind as a value of `aclmdlRITaskType`.
    r#type: i32,
    disabled: bool,
    after: Vec<usize>,
    #[serde(flatten, serialize_with = "facts::as_members")]
    facts: Vec<Fact>,
    /// The bodies of a conditional task.
    #[serde(skip_serializing_if = "Option::is_none")]
    bodies: Option<Vec<Picture>>,
}

impl Drawn {
    /// Returns the condition for the body with this number.
    fn when(&self, number: usize) -> String {
        match (self.kind, number) {
            ("if", 0) => "then".to_owned(),
            ("if", _) => "else".to_owned(),
            ("while", _) => "again".to_owned(),
            _ => number.to_string(),
        }
    }
}

/// A stream of the graph.
#[derive(Serialize)]
struct Part {
    /// The id of the program's stream, if that exists.
    id: Option<i32>,
    #[serde(serialize_with = "count")]
    tasks: Vec<usize>,
}

/// Writes the number of a stream's tasks, which is all that JSON has of them.
fn count<S: Serializer>(tasks: &[usize], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    tasks.len().serialize(serializer)
}

/// A graph, or the body of a conditional task. Its members are those of the JSON.
#[derive(Serialize)]
struct Picture {
    name: String,
    id: u32,
    device: u32,
    /// The streams. Empty for a body that was not captured.
    streams: Vec<Part>,
    tasks: Vec<Drawn>,
    /// Whether it was captured. Shown only if it was not.
    #[serde(skip_serializing_if = "bool::clone")]
    captured: bool,
}

/// Returns the number of tasks and of edges, including those of all bodies.
fn size(tasks: &[Task]) -> (usize, usize) {
    let own = (tasks.len(), tasks.iter().map(|task| task.after.len()).sum());
    let conditionals = tasks.iter().filter_map(Task::conditional);
    let bodies =
        conditionals.flat_map(|conditional| &conditional.bodies).filter_map(|&body| Graph::table().get_arc(body));
    let sizes = bodies.filter_map(|body| Some(size(&body.ready_or(Code::ModelCaptured).ok()?.tasks)));
    sizes.fold(own, |all, body| (all.0 + body.0, all.1 + body.1))
}

impl Picture {
    /// Draws a graph, and calls `write`, which creates a text of it. Claims the host memory for both first.
    fn of<R>(raw: u64, with_details: bool, write: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        let graph = handles::get_arc::<Graph>("modelRI", raw)?;
        let ready = graph.ready_or(Code::ModelCaptured)?;
        let (tasks, edges) = size(&ready.tasks);
        let _memory = task::claim_for(tasks, edges)?;
        let picture = Self::of_tasks(&graph, &ready.tasks, with_details);
        drop(ready);
        write(&picture)
    }

    /// Draws a body of a conditional task.
    fn of_body(handle: Handle, with_details: bool) -> Option<Self> {
        let graph = Graph::table().get_arc(handle)?;
        Some(match graph.ready_or(Code::ModelCaptured) {
            Ok(ready) => Self::of_tasks(&graph, &ready.tasks, with_details),
            Err(_) => Self { captured: false, ..Self::of_tasks(&graph, &[], with_details) },
        })
    }

    fn of_tasks(graph: &Graph, all: &[Task], with_details: bool) -> Self {
        let streams = task::streams(all);
        let part = |stream: &Handle| {
            let id = Stream::table().get(*stream).map(|stream| stream.id);
            Part { id, tasks: Vec::new() }
        };
        let mut parts: Vec<Part> = streams.iter().map(part).collect();
        let mut tasks = Vec::with_capacity(all.len());
        for (place, task) in all.iter().enumerate() {
            let part = streams.iter().position(|stream| *stream == task.stream).unwrap_or_default();
            let bodies = task.conditional().map(|conditional| conditional.bodies.iter());
            tasks.push(Drawn {
                id: place,
                stream: part,
                sequence: parts[part].tasks.len(),
                kind: kind(task),
                r#type: inspect::number(task),
                disabled: task.is_disabled,
                after: task.after.clone(),
                facts: facts(task, with_details),
                bodies: bodies.map(|all| all.filter_map(|&body| Self::of_body(body, with_details)).collect()),
            });
            parts[part].tasks.push(place);
        }
        let (name, id, device) = (graph.inspected.name.lock().clone(), graph.id, graph.device.id);
        Self { name, id, device, streams: parts, tasks, captured: true }
    }

    fn title(&self) -> String {
        format!("{} on device {}", self.short_title(), self.device)
    }

    /// Returns the title of a body, shown inside the graph.
    fn short_title(&self) -> String {
        let name = if self.name.is_empty() { String::new() } else { format!(" {:?}", self.name) };
        let empty = if self.captured { "" } else { ", not captured" };
        format!("graph {}{name}{empty}", self.id)
    }

    fn text(&self) -> String {
        let mut text = format!("{}: {}\n", self.title(), self.counts());
        self.put_text(&mut text, 2);
        text
    }

    fn counts(&self) -> String {
        format!("tasks {}, streams {}", self.tasks.len(), self.streams.len())
    }

    /// Writes the lines of the streams, indented by `margin`.
    fn put_text(&self, text: &mut String, margin: usize) {
        for (index, part) in self.streams.iter().enumerate() {
            let (title, count) = (part.title(index), part.tasks.len());
            put(text, format_args!("{:margin$}{title}: tasks {count}\n", ""));
            for &place in &part.tasks {
                let task = &self.tasks[place];
                put(text, format_args!("{:margin$}  {place} {}", "", task.kind));
                task.facts.iter().for_each(|(key, value)| put(text, format_args!(", {key} {}", in_words(value))));
                if !task.after.is_empty() {
                    let after: Vec<String> = task.after.iter().map(usize::to_string).collect();
                    put(text, format_args!(", after {}", after.join(" ")));
                }
                text.push_str(if task.disabled { ", disabled\n" } else { "\n" });
                for (number, body) in task.bodies.iter().flatten().enumerate() {
                    let (when, title) = (task.when(number), body.short_title());
                    let counts = body.counts();
                    put(text, format_args!("{:margin$}    {when}: {title}: {counts}\n", ""));
                    body.put_text(text, margin + 6);
                }
            }
        }
    }

    fn dot(&self) -> String {
        let frame = "labelloc=t;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"]";
        let mut text = format!("digraph graph_of_tasks {{\n  label={};\n  {frame};\n", quoted(&self.title()));
        self.put_dot(&mut text, "", 2);
        text + "}\n"
    }

    /// Writes frames, boxes and arrows, whose names begin with `outer`, the prefix of the enclosing graphs.
    fn put_dot(&self, text: &mut String, outer: &str, margin: usize) {
        for (index, part) in self.streams.iter().enumerate() {
            put(text, format_args!("{:margin$}subgraph cluster_{outer}{index} {{\n", ""));
            put(text, format_args!("{:margin$}  label={};\n", "", quoted(&part.title(index))));
            for &place in &part.tasks {
                let task = &self.tasks[place];
                let mut lines = format!("{place} {}", task.kind);
                for (key, value) in &task.facts {
                    put(&mut lines, format_args!("\n{key} {}", in_words(value)));
                }
                let style = if task.disabled { ", style=dashed" } else { "" };
                put(text, format_args!("{:margin$}  task_{outer}{place} [label={}{style}];\n", "", quoted(&lines)));
                for (number, body) in task.bodies.iter().flatten().enumerate() {
                    let inner = format!("{outer}{place}_{number}_");
                    let task_name = format!("{outer}{place}");
                    body.put_dot_of_body(text, &task_name, &inner, &task.when(number), margin + 2);
                }
            }
            put(text, format_args!("{:margin$}}}\n", ""));
        }
        for (place, task) in self.tasks.iter().enumerate() {
            for earlier in &task.after {
                put(text, format_args!("{:margin$}task_{outer}{earlier} -> task_{outer}{place};\n", ""));
            }
        }
    }

    /// Writes a frame in the frame of the task's stream, with an arrow to its first tasks.
    fn put_dot_of_body(&self, text: &mut String, task: &str, inner: &str, when: &str, margin: usize) {
        let title = quoted(&format!("{when}: {}", self.short_title()));
        put(text, format_args!("{:margin$}subgraph cluster_{inner}body {{\n{:margin$}  label={title};\n", "", ""));
        self.put_dot(text, inner, margin + 2);
        if self.tasks.is_empty() {
            put(text, format_args!("{:margin$}  task_{inner}0 [label=\"nothing\", style=dotted];\n", ""));
        }
        let arrow = format!("task_{task} -> task_{inner}0 [label={}, style=dashed]", quoted(when));
        put(text, format_args!("{:margin$}}}\n{:margin$}{arrow};\n", "", ""));
    }
}

impl Part {
    fn title(&self, index: usize) -> String {
        match self.id {
            Some(id) => format!("stream {index} (id {id})"),
            None => format!("stream {index} (destroyed)"),
        }
    }
}

fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("a text takes all");
}

/// Returns a string of Graphviz with left-aligned lines.
fn quoted(string: &str) -> String {
    let mut text = String::from('"');
    for c in string.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\l"),
            c if c < ' ' => text.push(' '),
            c => text.push(c),
        }
    }
    text + if string.contains('\n') { "\\l\"" } else { "\"" }
}

/// Returns the kind of a task, as a word.
pub fn kind(task: &Task) -> &'static str {
    match task.what {
        What::Work => task.work.as_ref().map_or("prefetch", group::kind),
        What::CopyIndirect => "copy_indirect",
        What::HostTask => "host_task",
        What::EventRecord(_) => "event_record",
        What::EventWait(_) => "event_wait",
        What::EventReset(_) => "event_reset",
        What::End => "end",
        What::Control => match task.control.as_deref() {
            Some(Control::Label(_)) => "label",
            Some(Control::SwitchLabel { .. }) => "switch_label",
            Some(Control::Start(_)) => "start_stream",
            Some(Control::SwitchStream { .. }) | None => "switch_stream",
            Some(Control::Conditional(conditional)) => match conditional.kind {
                ConditionKind::If => "if",
                ConditionKind::While => "while",
                ConditionKind::Switch => "switch",
            },
        },
        What::ValueWrite => "value_write",
        What::ValueWait => "value_wait",
        What::NotifyRecord => "notify_record",
        What::NotifyWait => "notify_wait",
        What::MemAlloc => "mem_alloc",
        What::MemFree => "mem_free",
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    let written = OutputFile::create(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|why| error_with!(Code::InvalidFile, "path \"{}\" cannot be written: {why}", path.display()))
}

/// Implements aclmdlRIDebugPrint: prints to the standard output.
pub fn print(raw: u64) -> Result<()> {
    Picture::of(raw, true, |picture| {
        let mut output = StandardOutput;
        let written = output.write_all(picture.text().as_bytes()).and_then(|()| output.flush());
        written.map_err(|why| error_with!(Code::InvalidFile, "the standard output cannot be written: {why}"))
    })
}

/// Implements aclmdlRIDebugJsonPrint.
pub fn write_json(raw: u64, path: &Path, flags: u32) -> Result<()> {
    if flags > 1 {
        return Err(invalid_param!(
            "flags is {flags:#x}; allowed: ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY 0 and \
             ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE 1"
        ));
    }
    Picture::of(raw, flags == 1, |picture| {
        let json = serde_json::to_string_pretty(picture).expect("a picture has no members that can fail");
        write(path, &(json + "\n"))
    })
}

/// Implements portaclGraphPrintDot.
pub fn write_dot(raw: u64, path: &Path) -> Result<()> {
    Picture::of(raw, false, |picture| write(path, &picture.dot()))
}
