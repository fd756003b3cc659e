//! How the tasks of a graph become the steps of strands.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::Mutex;

use super::{Body, Flow, Step, Strand, Tree, check, never_recorded, run};
use crate::algo::map::slot_table::Handle;
use crate::backend::{Observer, StreamOptions, Work};
use crate::core::base::error::{Code, Error, Result, param_invalid, unsupported};
use crate::core::graph::program::plan::{self, Part};
use crate::core::graph::program::reporting::Listener;
use crate::core::graph::task::control::Control;
use crate::core::graph::task::{Task, What};
use crate::core::runtime::device::Device;

/// A flow that is being built.
pub(super) struct Draft<'a> {
    pub(super) device: &'a Device,
    /// The strands: the stream of each, and its steps.
    pub(super) strands: Vec<(Handle, Vec<Step>)>,
    /// The number of events.
    pub(super) events: usize,
    pub(super) bodies: Vec<Body>,
}

/// Tasks that become steps together: of a graph, or of a body.
pub(super) struct Level<'a> {
    pub(super) tree: &'a Tree,
    /// The streams that are strands, in order, and the number of the first one.
    pub(super) streams: Vec<Handle>,
    pub(super) strand: usize,
    /// The tasks that are records which other streams wait for, in order, and the number of the first one's event.
    pub(super) records: Vec<usize>,
    pub(super) event: usize,
}

impl Level<'_> {
    /// The number of the event that this task records.
    fn event(&self, place: usize) -> Option<usize> {
        self.records.binary_search(&place).ok().map(|index| self.event + index)
    }

    fn strand(&self, stream: Handle) -> Result<usize> {
        let index = self.streams.iter().position(|&known| known == stream).ok_or_else(|| {
            Error::new(Code::InternalError, "a stream that a graph starts is none that its runs come to")
        })?;
        Ok(self.strand + index)
    }
}

impl Draft<'_> {
    /// The level of the tasks of these streams, with new events, and with new strands for all streams but the first
    /// `inside`. The records that tasks of other streams wait for are in streams that runs may start.
    pub(super) fn level<'t>(&mut self, tree: &'t Tree, mut streams: Vec<Handle>, inside: usize) -> Result<Level<'t>> {
        let tasks = &tree.tasks;
        let mut records: Vec<usize> = Vec::new();
        for task in tasks.iter().filter(|task| streams.contains(&task.stream)) {
            for &earlier in task.after.iter().filter(|&&index| tasks[index].stream != task.stream) {
                ensure!(streams.contains(&tasks[earlier].stream), never_recorded(task.stream, tasks[earlier].stream));
                records.push(earlier);
            }
        }
        records.sort_unstable();
        records.dedup();
        let streams = streams.split_off(inside);
        let (strand, event) = (self.strands.len(), self.events);
        self.strands.extend(streams.iter().map(|stream| (*stream, Vec::new())));
        self.events += records.len();
        Ok(Level { tree, streams, strand, records, event })
    }

    /// Appends the steps of a level to its strands.
    pub(super) fn strands_of(&mut self, level: &Level<'_>) -> Result<()> {
        for (index, stream) in level.streams.iter().enumerate() {
            let mut steps = std::mem::take(&mut self.strands[level.strand + index].1);
            self.steps(level, *stream, &mut steps)?;
            check_end(*stream, &steps)?;
            self.strands[level.strand + index].1 = steps;
        }
        Ok(())
    }

    /// The flow, of which every run starts the first `starting` strands.
    pub(super) fn complete(self, graph: Handle, starting: usize) -> Result<Arc<Flow>> {
        let native = &self.device.native;
        let listener = Arc::new(Listener::default());
        let strand = |(number, (stream, steps)): (usize, (Handle, Vec<Step>))| {
            let observer: Option<Arc<dyn Observer>> = Some(listener.clone());
            Ok(Strand {
                stream,
                starts: number < starting,
                steps,
                native: native.create_stream(StreamOptions { priority: 0, observer })?,
                started: native.create_event(false)?,
            })
        };
        let strands = self.strands.into_iter().enumerate().map(strand).collect::<Result<_>>()?;
        let events = (0..self.events).map(|_| Ok(native.create_event(false)?));
        let flow = Arc::new(Flow {
            graph,
            device: Arc::clone(native),
            strands,
            events: events.collect::<Result<_>>()?,
            bodies: self.bodies,
            listener,
            keeper: native.create_stream(StreamOptions::default())?,
            nothing: native.create_graph(&[])?,
            submitting: Mutex::default(),
            queued: Mutex::default(),
            number: AtomicU64::new(0),
            machine: Mutex::default(),
        });
        run::register(&flow);
        Ok(flow)
    }

    /// Appends the steps of a stream.
    pub(super) fn steps(&mut self, level: &Level<'_>, stream: Handle, steps: &mut Vec<Step>) -> Result<()> {
        // Work that no step has yet: the places of its tasks.
        let mut block: Vec<usize> = Vec::new();
        let mut labels: Vec<(u64, usize)> = Vec::new();
        let mut jumps: Vec<(usize, &[u64])> = Vec::new();
        for (place, task) in level.tree.tasks.iter().enumerate().filter(|(_, it)| it.stream == stream) {
            check(task)?;
            let others = task.after.iter().filter(|&&index| level.tree.tasks[index].stream != stream);
            let waits: Vec<usize> = others.filter_map(|&index| level.event(index)).collect();
            let is_record = level.event(place);
            let called = match task.work() {
                Some(Work::HostFn(function)) => Some(*function),
                _ => None,
            };
            let is_inside = task.control.is_none() && task.what != What::End && called.is_none();
            if waits.is_empty() && is_inside {
                block.push(place);
                if is_record.is_none() {
                    continue;
                }
            }
            self.run(level, &mut block, steps)?;
            steps.extend(waits.into_iter().map(Step::Wait));
            steps.extend(called.map(Step::Call));
            steps.extend(is_record.map(Step::Record));
            if task.what == What::End {
                steps.push(Step::End);
            }
            match task.control.as_deref() {
                None => {}
                Some(Control::Label(label)) => labels.push((*label, steps.len())),
                Some(Control::SwitchLabel { index, labels }) => {
                    jumps.push((steps.len(), labels));
                    let targets = Box::default();
                    steps.push(Step::Select { index: *index, targets });
                }
                Some(control) => self.control(level, control, steps)?,
            }
        }
        self.run(level, &mut block, steps)?;
        for (step, names) in jumps {
            let place = |name: &u64| find_label(&level.tree.tasks, &labels, *name, stream);
            let found = names.iter().map(place).collect::<Result<_>>()?;
            if let Step::Select { targets, .. } = &mut steps[step] {
                *targets = found;
            }
        }
        Ok(())
    }

    /// Appends the steps of control flow without labels.
    fn control(&mut self, level: &Level<'_>, control: &Control, steps: &mut Vec<Step>) -> Result<()> {
        match control {
            Control::Label(_) | Control::SwitchLabel { .. } => {}
            Control::Start(started) => steps.push(Step::Start(level.strand(*started)?)),
            Control::SwitchStream { left, right, condition, then, otherwise } => {
                let otherwise = otherwise.map(|stream| level.strand(stream)).transpose()?;
                steps.push(Step::Compare {
                    left: *left,
                    right: *right,
                    condition: *condition,
                    then: level.strand(*then)?,
                    otherwise,
                });
            }
            Control::Conditional(conditional) => self.conditional(level, conditional, steps)?,
        }
        Ok(())
    }

    /// Steps for the tasks of a block, which is empty then.
    fn run(&self, level: &Level<'_>, block: &mut Vec<usize>, steps: &mut Vec<Step>) -> Result<()> {
        let places = std::mem::take(block);
        // Earlier tasks of other blocks are earlier in the strand.
        let inside = |index: &usize| places.binary_search(index).ok();
        let tasks = places.iter().map(|&place| {
            let task = &level.tree.tasks[place];
            Task { after: task.after.iter().filter_map(inside).collect(), ..task.clone() }
        });
        let tasks: Vec<Task> = tasks.collect();
        for part in plan::plan(&tasks) {
            match part {
                Part::Nodes(members) => {
                    let nodes = plan::nodes(&tasks, &members);
                    steps.push(Step::Run(self.device.native.create_graph(&nodes)?));
                }
                Part::Step(index) => steps.extend(tasks[index].step().cloned().map(Step::Do)),
                // They were refused.
                Part::Late(_) => {}
            }
        }
        Ok(())
    }
}

/// The step of a label.
fn find_label(tasks: &[Task], labels: &[(u64, usize)], name: u64, stream: Handle) -> Result<usize> {
    if let Some((_, step)) = labels.iter().find(|(label, _)| *label == name) {
        return Ok(*step);
    }
    let is_it = |task: &&Task| task.control.as_deref() == Some(&Control::Label(name));
    Err(match tasks.iter().find(is_it) {
        Some(elsewhere) => unsupported!(
            "label {name:#x} is set in stream {}, and stream {stream} was to go there: streams jump to labels of \
             their own; start the other one with aclrtActiveStream or aclrtSwitchStream",
            elsewhere.stream
        ),
        None => param_invalid!(
            "label {name:#x} is set nowhere in the graph, and stream {stream} may go there; call aclrtSetLabel"
        ),
    })
}

/// Fails if a strand cannot end, which would keep runs from ending.
fn check_end(stream: Handle, steps: &[Step]) -> Result<()> {
    let mut seen = vec![false; steps.len()];
    let mut next = vec![0];
    while let Some(step) = next.pop() {
        match steps.get(step) {
            None | Some(Step::End | Step::Compare { .. }) => return Ok(()),
            Some(_) if std::mem::replace(&mut seen[step], true) => {}
            Some(Step::Select { targets, .. }) => next.extend(&**targets),
            Some(Step::Choose { targets, otherwise, .. }) => next.extend(targets.iter().chain([otherwise])),
            Some(Step::Jump(target)) => next.push(*target),
            Some(_) => next.push(step + 1),
        }
    }
    Err(param_invalid!(
        "runs would never end: stream {stream} goes from label to label and never comes to an end; let one of the \
         labels lead to aclmdlRIEndTask, or to the end of the stream"
    ))
}
