//! Control flow: graphs whose runs branch on values in memory.
//!
//! Each stream of such a graph is a strand: a list of steps, most of which run a graph of the backend on a stream that
//! the flow owns. Between them are records and waits of events, and places where the run reads memory and jumps.
//! [`run`] executes them.

mod draft;
pub mod run;
pub mod serving;

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::Mutex;

use self::run::{QueuedRun, Run};
use super::program::reporting::Listener;
use super::task::control::{Condition, ConditionKind};
use super::task::{self, Step as TaskStep, Task};
use crate::algo::map::slot_table::Handle;
use crate::backend::{self, RepeatedFn, Span};
use crate::base::error::{Error, Result, param_invalid, unsupported};

/// A step of a strand.
pub enum Step {
    /// Runs a graph.
    Run(Arc<dyn backend::Graph>),
    /// Calls user code. It is in no graph, because it may delay only its strand.
    Call(RepeatedFn),
    /// A step that the stream does itself.
    Do(task::Step),
    /// Records the event with this number.
    Record(usize),
    /// Waits for the event with this number.
    Wait(usize),
    /// Starts the strand with this number.
    Start(usize),
    /// Continues at one of these steps, by the index in memory. A larger index selects the last one.
    Select {
        /// The place of the index, of 32 bits.
        index: Span,
        /// The steps, at least one.
        targets: Box<[usize]>,
    },
    /// Compares two numbers in memory, and starts a strand, or continues.
    Compare {
        /// The place of a signed number of 4 or 8 bytes.
        left: Span,
        /// The place of a number of the same length.
        right: Span,
        /// The comparison.
        condition: Condition,
        /// The strand that starts if it is true.
        if_true: usize,
        /// The strand that starts if it is false.
        if_false: Option<usize>,
    },
    /// Continues at the step of the body that a value in memory selects.
    Choose {
        /// The place of the value, of 64 bits.
        value: Span,
        /// The way in which it selects a body.
        kind: ConditionKind,
        /// The first steps of the bodies.
        targets: Box<[usize]>,
        /// The step that follows if there is no such body.
        default: usize,
    },
    /// Begins the body with this number.
    Begin(usize),
    /// Continues at this step.
    Jump(usize),
    /// The end of the strand, as after the last step.
    End,
}

/// A graph with all its bodies.
#[derive(Default)]
pub struct Tree {
    /// The tasks, without those of bodies.
    pub tasks: Vec<Task>,
    /// The initial values of a run.
    pub defaults: Vec<(Span, u32)>,
    /// The bodies, by their handles.
    pub bodies: HashMap<Handle, Self>,
}

impl Tree {
    /// Returns the tasks of the graph and of all bodies.
    pub(crate) fn all_tasks(&self) -> Vec<Task> {
        let mut tasks = self.tasks.clone();
        self.bodies.values().for_each(|body| tasks.extend(body.all_tasks()));
        tasks
    }
}

/// The body of a conditional task. The steps of its first stream are in the strand that has the task.
pub struct Body {
    /// The strands of the other streams.
    pub strands: Range<usize>,
    /// The events that these wait for.
    pub events: Range<usize>,
}

/// A stream of the graph.
pub struct Strand {
    /// The stream that it was recorded from.
    pub stream: Handle,
    /// True if every run starts it.
    pub starts: bool,
    /// Its steps.
    pub steps: Vec<Step>,
    /// The backend's stream that executes it.
    pub native: Arc<dyn backend::Stream>,
    /// The event that is recorded after it has started another strand.
    pub started: Arc<dyn backend::Event>,
}

/// A stream that waits for a run in place of the run's own stream.
pub struct Keeper {
    /// The stream.
    pub stream: Arc<dyn backend::Stream>,
    /// A graph without nodes. While it is pending, the device keeps freed memory mapped.
    pub nothing: Arc<dyn backend::Graph>,
}

/// A graph whose runs are driven by the host.
pub struct Flow {
    /// The graph's handle, for texts.
    pub graph: Handle,
    /// Its device.
    pub device: Arc<dyn backend::Device>,
    /// The strands. Those that every run starts come first.
    pub strands: Vec<Strand>,
    /// The events that strands wait for.
    pub events: Vec<Arc<dyn backend::Event>>,
    /// The bodies of conditional tasks, nested ones after the outer ones.
    pub bodies: Vec<Body>,
    /// Receives failures of the strands.
    pub listener: Arc<Listener>,
    /// What keeps freed memory mapped for the current run when the stream of that run drops its work. `None` if streams
    /// of the device drop nothing: then that stream still waits for the run, and keeps the memory.
    pub keeper: Option<Keeper>,
    /// Locked while a run is enqueued.
    pub submitting: Mutex<()>,
    /// Enqueued runs in their order. The first one is current, or next. No backend is called under its lock.
    pub queued: Mutex<VecDeque<QueuedRun>>,
    /// The latest number of a run, or of a strand that was handed over.
    pub number: AtomicU64,
    /// The current run, if there is one; only the serving thread uses it.
    pub machine: Mutex<Option<Run>>,
}

/// Returns the error for a driver that cannot run such graphs.
pub(crate) fn no_tickets() -> Error {
    unsupported!(
        "labels, switches, conditional tasks and starts of streams in graphs need streams that can wait for the host, \
         and the driver of this device does not support such waits; use a newer driver, or graphs without these tasks"
    )
}

/// Returns the error for an operation that flows do not support.
fn cannot(what: &str) -> Error {
    unsupported!(
        "a graph with labels, switches, conditional tasks or streams that start others does not support {what} in this \
         version, and neither does the body of a conditional task; put this work into the stream that runs the graph, \
         or into a graph without control flow"
    )
}

/// Returns the error of a wait for an event that no stream records.
pub(crate) fn never_recorded(waiting: Handle, recorder: Handle) -> Error {
    param_invalid!(
        "runs of the graph would never end: stream {waiting} waits for an event that stream {recorder} records, but no \
         run reaches its aclrtRecordEvent; call aclmdlRIDestroy and build the graph again: bind stream {recorder} with \
         flag 0, or start it with aclrtActiveStream before the wait, and record the event before aclmdlRIEndTask"
    )
}

/// Fails for a task that flows do not support.
pub fn check(task: &Task) -> Result<()> {
    ensure!(!task.is_late(), cannot("task groups"));
    let is_host_task = matches!(task.step(), Some(TaskStep::HostTask(_)));
    ensure!(!is_host_task, cannot("tasks of portaclLaunchTask"));
    let waits = task.step().is_some_and(|step| step.waits());
    ensure!(!waits, cannot("waits for values, notifies and events outside of the graph"));
    Ok(())
}
