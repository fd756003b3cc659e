//! Conditional tasks: their values, and the bodies that they run.
//!
//! A value is a word of device memory that belongs to a graph. A body is a separate graph that belongs to a task, is
//! captured once, and runs only as a part of the graph of the task. When such a graph runs for the first time it
//! becomes a flow, with all its bodies (`flow/body.rs`).

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::capture::{self, Capture};
use super::control::Control;
use super::recorder::capture_of;
use super::task::Task;
use super::{Graph, Ready};
use crate::algo::map::slot_table::Handle;
use crate::backend::Span;
use crate::core::base::error::{Code, Error, Result};
use crate::core::base::handles::{self, Object};
use crate::core::base::release_failure;
use crate::core::memory;
use crate::core::runtime::device::Device;
use crate::core::runtime::thread;
use crate::core::stream;

/// The deepest nesting of bodies: steps and pictures are made by recursive functions.
const MOST_NESTED: usize = 16;
/// The most bodies of a task.
const MOST_BODIES: u32 = 1024;

/// The object of a condition handle: a value of 64 bits.
pub struct ConditionHandle {
    /// Its own handle.
    pub handle: Handle,
    /// The graph that owns it.
    graph: Handle,
    /// Its place in device memory.
    value: Span,
    /// Its value at the beginning of each run, if that is set.
    default: Option<u32>,
    /// A task uses it.
    is_used: AtomicBool,
}

handles::object!(ConditionHandle, Condition);

/// The condition handles of a graph.
#[derive(Default)]
pub struct Conditions(Mutex<Vec<Arc<ConditionHandle>>>);

impl Conditions {
    /// The values that tasks use and that have a default, with that.
    fn defaults(&self) -> Vec<(Span, u32)> {
        let handles = self.0.lock();
        let used = handles.iter().filter(|it| it.is_used.load(Ordering::Relaxed));
        used.filter_map(|it| it.default.map(|default| (it.value, default))).collect()
    }

    /// The graph ends. Returns the first failure to free a value.
    pub fn end(&self, device: &Device) -> Result<()> {
        let handles = std::mem::take(&mut *self.0.lock());
        let give_back = |it: Arc<ConditionHandle>| {
            ConditionHandle::table().remove(it.handle);
            memory::free_word_of_graph(device, it.value)
        };
        handles.into_iter().map(give_back).fold(Ok(()), Result::and)
    }
}

/// How a value selects a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The first body if it is not 0, otherwise the second one, if there is one.
    If,
    /// The body, again and again, until it is 0.
    While,
    /// The body with this index, if there is one.
    Switch,
}

impl Kind {
    fn from_number(number: i32) -> Result<Self> {
        match number {
            0 => Ok(Self::If),
            1 => Ok(Self::While),
            2 => Ok(Self::Switch),
            _ => Err(Error::invalid_param(format_args!(
                "params.type is {number}; allowed: ACL_MODEL_RI_COND_TYPE_IF 0, _WHILE 1 and _SWITCH 2"
            ))),
        }
    }

    /// The word for a task of this kind in pictures.
    pub fn word(self) -> &'static str {
        match self {
            Self::If => "if",
            Self::While => "while",
            Self::Switch => "switch",
        }
    }

    /// The body that a value selects, which need not exist.
    pub fn choose(self, value: u64) -> Option<usize> {
        match self {
            Self::If => Some(usize::from(value == 0)),
            Self::While => (value != 0).then_some(0),
            Self::Switch => usize::try_from(value).ok(),
        }
    }

    fn check_count(self, count: u32) -> Result<()> {
        let (most, allowed) = match self {
            Self::If => (2, "1 (what runs if the value is not 0) and 2 (and what runs if it is)"),
            Self::While => (1, "1"),
            Self::Switch => (MOST_BODIES, "1 to 1024"),
        };
        if (1..=most).contains(&count) {
            return Ok(());
        }
        Err(Error::invalid_param(format_args!("params.size is {count}; allowed for this type: {allowed}")))
    }
}

/// A conditional task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conditional {
    /// How the value selects a body.
    pub kind: Kind,
    /// The condition handle.
    pub condition: Handle,
    /// Its value.
    pub value: Span,
    /// The bodies.
    pub bodies: Box<[Handle]>,
}

/// The state of a graph that is a body.
pub struct Body {
    /// The graph whose task runs it.
    parent: Handle,
    /// How many graphs it is nested in.
    depth: usize,
    /// A stream records into it.
    is_capturing: AtomicBool,
}

/// The bodies of a task, and its use of the condition handle. Released with the capture's resources.
pub struct Owned {
    condition: Arc<ConditionHandle>,
    bodies: Vec<Arc<Graph>>,
}

impl Owned {
    /// They end. Returns the first failure to free their memory.
    pub fn end(&mut self) -> Result<()> {
        self.condition.is_used.store(false, Ordering::Relaxed);
        let end = |body: Arc<Graph>| {
            Graph::table().remove(body.handle);
            body.end()
        };
        self.bodies.drain(..).map(end).fold(Ok(()), Result::and)
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            release_failure::note_error("memory of a graph was not freed", &error);
        }
    }
}

impl Graph {
    /// Whether it is the body of a conditional task, which it ends with.
    pub fn is_body(&self) -> bool {
        self.body.is_some()
    }

    /// Fails for the body of a conditional task, which this call does not accept.
    pub fn check_not_body(&self, instead: &str) -> Result<()> {
        let Some(body) = &self.body else { return Ok(()) };
        Err(Error::param_invalid(format_args!(
            "modelRI {:#x} is the body of a conditional task of modelRI {:#x}: it runs and goes with that; {instead}",
            self.handle.raw(),
            body.parent.raw()
        )))
    }

    /// How many graphs it is nested in.
    fn depth(&self) -> usize {
        self.body.as_ref().map_or(0, |body| body.depth)
    }

    /// Whether it is this graph, or nested in it.
    fn is_in(&self, other: Handle) -> bool {
        if self.handle == other {
            return true;
        }
        let parent = self.body.as_ref().and_then(|body| Graph::table().get_arc(body.parent));
        parent.is_some_and(|parent| parent.is_in(other))
    }

    /// A stream begins to record into it, if it is an empty body.
    fn claim(&self, raw: u64) -> Result<()> {
        let Some(body) = &self.body else {
            return Err(Error::param_invalid(format_args!(
                "modelRI {raw:#x} is not the body of a conditional task (aclmdlRIAddCondTask); capture other graphs \
                 with aclmdlRICaptureBegin"
            )));
        };
        if body.is_capturing.swap(true, Ordering::AcqRel) {
            return Err(Error::new(
                Code::ModelCaptured,
                format_args!("modelRI {raw:#x} is being captured already; call aclmdlRICaptureEnd first"),
            ));
        }
        if self.ready.lock().is_some() {
            body.is_capturing.store(false, Ordering::Release);
            return Err(Error::param_invalid(format_args!(
                "modelRI {raw:#x} was captured before, and a body is captured once"
            )));
        }
        Ok(())
    }

    /// The stream does not record into it any more; false: it is no body.
    pub fn unclaim(&self) -> bool {
        let Some(body) = &self.body else { return false };
        body.is_capturing.store(false, Ordering::Release);
        true
    }

    /// The runnable form of a body of a task of `kind`.
    fn body_ready(&self, kind: Kind) -> Result<Arc<Ready>> {
        let found = self.ready.lock().clone();
        let is_capturing = self.body.as_ref().is_some_and(|it| it.is_capturing.load(Ordering::Acquire));
        let raw = self.handle.raw();
        match found {
            Some(ready) if kind == Kind::While && ready.tasks.is_empty() => Err(Error::param_invalid(format_args!(
                "runs would never end: modelRI {raw:#x}, which a conditional task repeats until its value is 0, has \
                     no task that could change the value; capture the graph again"
            ))),
            Some(ready) => Ok(ready),
            None if is_capturing => Err(Error::new(
                Code::SubAclgraphIsCapturing,
                format_args!(
                    "modelRI {raw:#x}, the body of a conditional task, is still being captured; call \
                     aclmdlRICaptureEnd first"
                ),
            )),
            None => Err(Error::param_invalid(format_args!(
                "modelRI {raw:#x}, the body of a conditional task, is empty; capture it with \
                 aclmdlRICaptureToModelRIBegin and aclmdlRICaptureEnd"
            ))),
        }
    }
}

/// Whether some of these tasks are conditional.
pub fn are_any(tasks: &[Task]) -> bool {
    tasks.iter().any(|task| of(task).is_some())
}

/// The conditional of a task.
pub fn of(task: &Task) -> Option<&Conditional> {
    match task.control.as_deref() {
        Some(Control::Conditional(conditional)) => Some(conditional),
        _ => None,
    }
}

/// Fails if one of these tasks is not allowed in a graph with conditional tasks, or in a body.
pub fn check(tasks: &[Task]) -> Result<()> {
    for task in tasks {
        if task.is_late() {
            return Err(super::flow::cannot("task groups"));
        }
        if task.step().is_some_and(|step| step.waits()) {
            return Err(super::flow::cannot("waits for values, notifies and events outside of it"));
        }
    }
    Ok(())
}

/// A graph with all its bodies.
pub struct Tree {
    /// Its runnable form.
    pub ready: Arc<Ready>,
    /// The initial values of a run.
    pub defaults: Vec<(Span, u32)>,
    /// By their handles.
    pub bodies: HashMap<Handle, Self>,
}

impl Tree {
    /// Of a graph that is `ready`, if all bodies are.
    pub fn of(graph: &Graph, ready: &Arc<Ready>) -> Result<Self> {
        let mut bodies = HashMap::new();
        for conditional in ready.tasks.iter().filter_map(of) {
            for &handle in &conditional.bodies {
                let body = Graph::table()
                    .get_arc(handle)
                    .ok_or_else(|| Error::param_invalid("the graph was destroyed by another thread meanwhile"))?;
                let ready = body.body_ready(conditional.kind)?;
                bodies.insert(handle, Self::of(&body, &ready)?);
            }
        }
        Ok(Self { ready: Arc::clone(ready), defaults: graph.conditions.defaults(), bodies })
    }

    /// All tasks.
    pub fn tasks(&self) -> Vec<Task> {
        let mut tasks = self.ready.tasks.clone();
        self.bodies.values().for_each(|body| tasks.extend(body.tasks()));
        tasks
    }
}

/// aclmdlRICondHandleCreate.
pub fn create(raw: u64, default: u32, flag: i32) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    handles::check_not_null::<Graph>("modelRI", raw)?;
    let default = match flag {
        0 => None,
        1 => Some(default),
        _ => {
            return Err(Error::invalid_param(format_args!(
                "flag is {flag}; allowed: 0 and ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT 1"
            )));
        }
    };
    let graph = handles::get_arc::<Graph>("modelRI", raw)?;
    if graph.building.is_some() {
        return Err(not_built());
    }
    if graph.ready.lock().is_some() {
        return Err(Error::param_invalid(format_args!(
            "modelRI {raw:#x} is captured, and takes no more conditional tasks; create the handle before \
             aclmdlRICaptureEnd, for the graph that aclmdlRICaptureGetInfo tells"
        )));
    }
    let value = memory::word_of_graph(&graph.device)?;
    let make = |handle| {
        let graph = graph.handle;
        Arc::new(ConditionHandle { handle, graph, value, default, is_used: AtomicBool::new(false) })
    };
    let table = ConditionHandle::table();
    let made = table.insert_with(make).and_then(|handle| table.get_arc(handle));
    let Some(made) = made else {
        // The first failure is the one to return.
        let _ = memory::free_word_of_graph(&graph.device, value);
        return Err(Error::no_more("condition handles"));
    };
    let handle = made.handle.raw();
    graph.conditions.0.lock().push(made);
    Ok(handle)
}

#[cold]
fn not_built() -> Error {
    Error::unsupported(
        "conditional tasks exist in graphs that are captured, and this one is built; use aclrtSwitchLabelByIndex or \
         aclrtSwitchStream there",
    )
}

/// aclmdlRICondHandleGetCondPtr: the address of the value.
pub fn address(raw: u64) -> Result<usize> {
    Ok(handles::get::<ConditionHandle>("handle", raw)?.value.addr)
}

/// aclmdlRIAddCondTask: the handles of the bodies.
pub fn add_task(raw: u64, kind: i32, count: u32, stream: u64, flags: u32) -> Result<Vec<u64>> {
    thread::refuse_inside_host_function()?;
    handles::check_not_null::<ConditionHandle>("params.handle", raw)?;
    let kind = Kind::from_number(kind)?;
    kind.check_count(count)?;
    if flags != 0 {
        return Err(Error::invalid_param(format_args!("flags is {flags:#x}; it must be 0")));
    }
    let stream = stream::resolve(stream)?;
    if capture_of(&stream).is_some_and(|capture| capture.is_built) {
        return Err(not_built());
    }
    let capture = capture::of(&stream)?;
    let condition = handles::get_arc::<ConditionHandle>("params.handle", raw)?;
    capture.check()?;
    if !stream.device.native.streams_wait_for_tickets() {
        return Err(super::flow::no_tickets());
    }
    let graph = Graph::table()
        .get_arc(capture.graph)
        .ok_or_else(|| Error::param_invalid("the graph that is captured was destroyed by another thread meanwhile"))?;
    if !graph.is_in(condition.graph) {
        return Err(Error::param_invalid(format_args!(
            "params.handle {raw:#x} is of modelRI {:#x}, and stream {:#x} records into modelRI {:#x}, which is not in \
             that; create the handle for this graph, or for one that it is in",
            condition.graph.raw(),
            stream.handle.raw(),
            graph.handle.raw()
        )));
    }
    if graph.depth() == MOST_NESTED {
        return Err(Error::unsupported(format_args!(
            "modelRI {:#x} is in {MOST_NESTED} other graphs, and conditional tasks are nested no deeper than that; \
             put the innermost ones into a host function, or a kernel",
            graph.handle.raw()
        )));
    }
    if condition.is_used.swap(true, Ordering::Relaxed) {
        return Err(Error::param_invalid(format_args!(
            "params.handle {raw:#x} is looked at by another conditional task; create a handle for each"
        )));
    }
    add(&capture, &graph, stream.handle, condition, kind, count)
}

fn add(
    capture: &Capture,
    graph: &Graph,
    stream: Handle,
    condition: Arc<ConditionHandle>,
    kind: Kind,
    count: u32,
) -> Result<Vec<u64>> {
    let (handle, value) = (condition.handle, condition.value);
    let mut owned = Owned { condition, bodies: Vec::new() };
    for _ in 0..count {
        let is_capturing = AtomicBool::new(false);
        let body = Body { parent: graph.handle, depth: graph.depth() + 1, is_capturing };
        let made = Graph::create(&graph.device, false, Some(body))?;
        owned.bodies.extend(Graph::table().get_arc(made));
    }
    let bodies: Box<[Handle]> = owned.bodies.iter().map(|body| body.handle).collect();
    let raw = bodies.iter().map(|body| body.raw()).collect();
    let control = Control::Conditional(Conditional { kind, condition: handle, value, bodies });
    capture.add_conditional(stream, control, owned)?;
    Ok(raw)
}

/// aclmdlRICaptureToModelRIBegin.
pub fn begin_capture(stream: u64, raw: u64, mode: i32) -> Result<()> {
    capture::begin_as(stream, mode, Some(raw), |stream| {
        let graph = handles::get_arc::<Graph>("modelRI", raw)?;
        if !Arc::ptr_eq(&graph.device, &stream.device) {
            return Err(Error::new(
                Code::StreamContext,
                format_args!(
                    "modelRI {raw:#x} is on device {}, the stream is on device {}; use a stream of the graph's device",
                    graph.device.id, stream.device.id
                ),
            ));
        }
        graph.claim(raw)?;
        Ok(graph.handle)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_choose_bodies() {
        assert_eq!([0, 1, u64::MAX].map(|value| Kind::If.choose(value)), [Some(1), Some(0), Some(0)]);
        assert_eq!([0, 1, 1 << 63].map(|value| Kind::While.choose(value)), [None, Some(0), Some(0)]);
        assert_eq!([0, 7].map(|value| Kind::Switch.choose(value)), [Some(0), Some(7)]);
    }

    #[test]
    fn kinds_have_their_numbers_of_bodies() {
        let allowed = |kind: Kind| {
            let counts = [0, 1, 2, 3, MOST_BODIES, MOST_BODIES + 1, u32::MAX];
            counts.map(|count| kind.check_count(count).is_ok())
        };
        assert_eq!(allowed(Kind::If), [false, true, true, false, false, false, false]);
        assert_eq!(allowed(Kind::While), [false, true, false, false, false, false, false]);
        assert_eq!(allowed(Kind::Switch), [false, true, true, true, true, false, false]);
    }
}
