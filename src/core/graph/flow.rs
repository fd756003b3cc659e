//! Control flow: graphs whose runs take ways that depend on what is in memory.
//!
//! Each stream of such a graph is a strand: steps, of which most run a graph of the backend, on a stream of
//! the flow's own. Between them are records and waits of events, and places where the run looks at
//! memory and goes on elsewhere. [`run`] does what they say.

pub mod run;
pub mod serving;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use self::run::{Machine, Queued};
use super::control::{Condition, Control};
use super::plan::{self, Part};
use super::task::{self, Task, What};
use crate::algo::slot_table::Handle;
use crate::backend::{
    self, Failure, HostFn, Observer, Position, RepeatedFn, Span, StreamOptions, Work,
};
use crate::core::device::Device;
use crate::core::error::{Code, Error, Result};
use crate::core::failure::Failures;

/// A step of a strand.
pub enum Step {
    /// Runs a graph.
    Run(Arc<dyn backend::Graph>),
    /// Calls user code. Not in a graph: it may hold up nobody but its own strand.
    Call(RepeatedFn),
    /// What the stream does itself.
    Do(task::Step),
    /// Records the event with this number.
    Record(usize),
    /// Waits for it.
    Wait(usize),
    /// Starts the strand with this number.
    Start(usize),
    /// Looks at memory.
    Choose(Choice),
    /// The end of the strand, as behind the last step.
    End,
}

/// Where a strand goes on, by what is in memory.
pub enum Choice {
    /// At one of these steps, by the number there; beyond them at the last one.
    Index {
        /// 32 bits.
        index: Span,
        /// At least one.
        targets: Box<[usize]>,
    },
    /// As the strand with this number, or itself.
    Compare {
        /// A signed number of 4 or 8 bytes.
        left: Span,
        /// As long as that.
        right: Span,
        /// What is asked of them.
        condition: Condition,
        /// The strand that starts where it holds.
        then: usize,
        /// The one that starts where it does not.
        otherwise: Option<usize>,
    },
}

/// A stream of the graph.
pub struct Strand {
    /// The stream that it was recorded from.
    pub stream: Handle,
    /// Runs start it by themselves.
    pub starts: bool,
    /// What it does.
    pub steps: Vec<Step>,
    /// What runs it.
    pub native: Arc<dyn backend::Stream>,
    /// Where it has started another strand.
    pub started: Arc<dyn backend::Event>,
}

/// A graph whose runs are driven by the host.
pub struct Flow {
    /// The graph's handle, for texts.
    pub graph: Handle,
    /// Where it runs.
    pub device: Arc<dyn backend::Device>,
    /// First those that runs start.
    pub strands: Vec<Strand>,
    /// Events that strands wait for.
    pub events: Vec<Arc<dyn backend::Event>>,
    /// Who hears of failures of the strands.
    pub listener: Arc<Listener>,
    /// Held while a run is queued.
    pub submitting: Mutex<()>,
    /// Runs that are queued, and the one that goes on. No call of a backend is made under its lock.
    pub queued: Mutex<Queued>,
    /// How often strands were handed over.
    pub handed_over: AtomicU64,
    /// The run that goes on; only the serving thread looks.
    pub machine: Mutex<Machine>,
}

/// Who is told that a step of a run has failed: the stream that the run was given to.
#[derive(Default)]
pub struct Listener {
    told: Mutex<Option<Told>>,
    has_failed: AtomicBool,
}

/// The stream of a run, as far as failures are concerned.
#[derive(Clone)]
pub struct Told {
    /// What remembers them there.
    pub failures: Arc<Failures>,
    /// Of the run there.
    pub position: Position,
    /// Who queued it.
    pub thread: u32,
}

impl Listener {
    /// Another run goes on, or none.
    pub fn set(&self, told: Option<Told>) {
        *self.told.lock() = told;
        self.has_failed.store(false, Ordering::Relaxed);
    }

    /// Whether a step has failed.
    pub fn has_failed(&self) -> bool {
        // Relaxed: who looks comes behind the step in its stream.
        self.has_failed.load(Ordering::Relaxed)
    }
}

impl Observer for Listener {
    fn failed(&self, failure: Failure) -> Option<HostFn> {
        self.has_failed.store(true, Ordering::Relaxed);
        let told = self.told.lock().clone()?;
        let position = failure.position.map(|_| told.position);
        told.failures.failed(Failure { position, thread: Some(told.thread), ..failure })
    }
}

/// A flow while it is put together.
struct Draft<'a> {
    tasks: &'a [Task],
    device: &'a Device,
    /// The streams, in the order of the strands.
    streams: Vec<Handle>,
    /// The tasks that are records which other streams wait for: the numbers of their events.
    records: Vec<usize>,
}

impl Flow {
    /// Of these tasks, on `device`. `streams` are those that runs may come to, first those that runs start:
    /// `starting` of them.
    pub fn new(
        graph: Handle,
        device: &Device,
        tasks: &[Task],
        streams: Vec<Handle>,
        starting: usize,
    ) -> Result<Arc<Self>> {
        if !device.native.streams_wait_for_tickets() {
            return Err(Error::unsupported(
                "the driver of this device cannot let a stream wait for the host, which graphs with labels, switches \
                 and streams that start others need; use a driver that can, or run graphs without them one after the \
                 other",
            ));
        }
        let draft = Draft { tasks, device, records: records(tasks, &streams)?, streams };
        let listener = Arc::new(Listener::default());
        let strand = |(number, &stream): (usize, &Handle)| {
            let observer: Option<Arc<dyn Observer>> = Some(listener.clone());
            Ok(Strand {
                stream,
                starts: number < starting,
                steps: draft.steps(stream)?,
                native: device.native.create_stream(StreamOptions { priority: 0, observer })?,
                started: device.native.create_event(false)?,
            })
        };
        let strands = draft.streams.iter().enumerate().map(strand).collect::<Result<Vec<_>>>()?;
        let event = |_: &usize| Ok(device.native.create_event(false)?);
        let events = draft.records.iter().map(event).collect::<Result<_>>()?;
        let device = Arc::clone(&device.native);
        let flow = Arc::new(Self {
            graph,
            device,
            strands,
            events,
            listener,
            submitting: Mutex::default(),
            queued: Mutex::default(),
            handed_over: AtomicU64::new(0),
            machine: Mutex::default(),
        });
        run::register(&flow);
        Ok(flow)
    }
}

/// The records that tasks of other streams wait for. All of them are in streams that runs may come to.
fn records(tasks: &[Task], streams: &[Handle]) -> Result<Vec<usize>> {
    let mut records: Vec<usize> = Vec::new();
    for task in tasks.iter().filter(|task| streams.contains(&task.stream)) {
        for &earlier in task.after.iter().filter(|&&index| tasks[index].stream != task.stream) {
            if !streams.contains(&tasks[earlier].stream) {
                return Err(super::build::never_happens(task.stream, tasks[earlier].stream));
            }
            if !records.contains(&earlier) {
                records.push(earlier);
            }
        }
    }
    Ok(records)
}

impl Draft<'_> {
    /// The steps of a stream.
    fn steps(&self, stream: Handle) -> Result<Vec<Step>> {
        let mut steps: Vec<Step> = Vec::new();
        // Work that no step has yet: the places of its tasks.
        let mut block: Vec<usize> = Vec::new();
        let mut labels: Vec<(u64, usize)> = Vec::new();
        let mut jumps: Vec<(usize, &[u64])> = Vec::new();
        for (place, task) in self.tasks.iter().enumerate().filter(|(_, it)| it.stream == stream) {
            let others = task.after.iter().filter(|&&index| self.tasks[index].stream != stream);
            let waits: Vec<usize> = others.filter_map(|&index| self.event(index)).collect();
            let is_record = self.event(place);
            let called = match task.work() {
                Some(Work::HostFn(function)) if task.group.is_none() => Some(*function),
                _ => None,
            };
            let is_inside = task.control.is_none() && task.what != What::End && called.is_none();
            if waits.is_empty() && is_inside {
                block.push(place);
                if is_record.is_none() {
                    continue;
                }
            }
            self.run(&mut block, &mut steps)?;
            steps.extend(waits.into_iter().map(Step::Wait));
            steps.extend(called.map(Step::Call));
            steps.extend(is_record.map(Step::Record));
            if task.what == What::End {
                steps.push(Step::End);
            }
            match task.control.as_deref() {
                None => {}
                Some(Control::Label(label)) => labels.push((*label, steps.len())),
                Some(Control::Start(started)) => steps.push(Step::Start(self.strand(*started)?)),
                Some(Control::SwitchLabel { index, labels }) => {
                    jumps.push((steps.len(), labels));
                    let targets = Box::default();
                    steps.push(Step::Choose(Choice::Index { index: *index, targets }));
                }
                Some(Control::SwitchStream { left, right, condition, then, otherwise }) => {
                    let otherwise = otherwise.map(|stream| self.strand(stream)).transpose()?;
                    steps.push(Step::Choose(Choice::Compare {
                        left: *left,
                        right: *right,
                        condition: *condition,
                        then: self.strand(*then)?,
                        otherwise,
                    }));
                }
            }
        }
        self.run(&mut block, &mut steps)?;
        for (step, names) in jumps {
            let place = |name: &u64| self.label(&labels, *name, stream);
            let found = names.iter().map(place).collect::<Result<_>>()?;
            if let Step::Choose(Choice::Index { targets, .. }) = &mut steps[step] {
                *targets = found;
            }
        }
        check_end(stream, &steps)?;
        Ok(steps)
    }

    /// The number of the event that this task records.
    fn event(&self, place: usize) -> Option<usize> {
        self.records.iter().position(|&record| record == place)
    }

    fn strand(&self, stream: Handle) -> Result<usize> {
        self.streams.iter().position(|&known| known == stream).ok_or_else(|| {
            Error::new(
                Code::InternalError,
                "a stream that a graph starts is none that its runs come to",
            )
        })
    }

    /// Where a label is.
    fn label(&self, labels: &[(u64, usize)], name: u64, stream: Handle) -> Result<usize> {
        if let Some((_, step)) = labels.iter().find(|(label, _)| *label == name) {
            return Ok(*step);
        }
        let is_it = |task: &&Task| task.control.as_deref() == Some(&Control::Label(name));
        Err(match self.tasks.iter().find(is_it) {
            Some(elsewhere) => Error::unsupported(format_args!(
                "label {name:#x} is set in stream {:#x}, and stream {:#x} was to go there: streams jump to labels of \
                 their own; start the other one with aclrtActiveStream or aclrtSwitchStream",
                elsewhere.stream.raw(),
                stream.raw()
            )),
            None => Error::param_invalid(format_args!(
                "label {name:#x} is set nowhere in the graph, and stream {:#x} may go there; call aclrtSetLabel",
                stream.raw()
            )),
        })
    }

    /// Steps for what is in a block, which is empty then.
    fn run(&self, block: &mut Vec<usize>, steps: &mut Vec<Step>) -> Result<()> {
        let places = std::mem::take(block);
        // What comes earlier comes earlier in the strand.
        let inside = |index: &usize| places.binary_search(index).ok();
        let tasks = places.iter().map(|&place| {
            let task = &self.tasks[place];
            Task { after: task.after.iter().filter_map(inside).collect(), ..task.clone() }
        });
        let tasks: Vec<Task> = tasks.collect();
        for part in plan::plan(&tasks) {
            match part {
                Part::Nodes(members) => {
                    let nodes = plan::nodes(&tasks, &members);
                    steps.push(Step::Run(self.device.native.create_graph(&nodes)?));
                }
                Part::Step(index) => match tasks[index].step() {
                    Some(step) if step.waits() => {
                        return Err(cannot("waits for values, notifies and events outside of it"));
                    }
                    Some(step) => steps.push(Step::Do(step.clone())),
                    None => {}
                },
                Part::Late(_) => return Err(cannot("task groups")),
            }
        }
        Ok(())
    }
}

#[cold]
fn cannot(what: &str) -> Error {
    Error::unsupported(format_args!(
        "a graph with labels, switches or streams that start others has no {what} in this version; put them into the \
         stream that runs the graph, or into a graph without control flow"
    ))
}

/// A strand that cannot come to an end keeps its runs from ending.
fn check_end(stream: Handle, steps: &[Step]) -> Result<()> {
    let mut seen = vec![false; steps.len()];
    let mut next = vec![0];
    while let Some(step) = next.pop() {
        match steps.get(step) {
            None | Some(Step::End | Step::Choose(Choice::Compare { .. })) => return Ok(()),
            Some(_) if std::mem::replace(&mut seen[step], true) => {}
            Some(Step::Choose(Choice::Index { targets, .. })) => next.extend(&**targets),
            Some(_) => next.push(step + 1),
        }
    }
    Err(Error::param_invalid(format_args!(
        "runs would never end: stream {:#x} goes from label to label and never comes to an end; let one of the labels \
         lead to aclmdlRIEndTask, or to the end of the stream",
        stream.raw()
    )))
}
