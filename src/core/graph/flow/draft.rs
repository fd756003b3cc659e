//! Conversion of the tasks of a graph to the steps of strands.
//!
//! The bodies of a conditional task are steps of the strand that has the task, after the choice; other streams of a
//! body are strands that start when the body begins.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::Mutex;

use super::{Body, Flow, Keeper, Step, Strand, Tree, check, never_recorded, no_tickets, run};
use crate::algo::map::slot_table::Handle;
use crate::backend::{Fill, Node, Observer, Pattern, Priority, Span, StreamOptions, Work};
use crate::base::error::{Code, Error, Result, param_invalid, unsupported};
use crate::graph::program::plan::{self, Unit};
use crate::graph::program::reporting::Listener;
use crate::graph::task::control::{ConditionKind, Conditional, Control};
use crate::graph::task::{self, Task, What};
use crate::runtime::device::Device;

/// A flow that is being built.
struct Draft<'a> {
    device: &'a Device,
    /// The strands: the stream of each, and its steps.
    strands: Vec<(Handle, Vec<Step>)>,
    /// Number of events.
    events: usize,
    bodies: Vec<Body>,
}

/// Tasks that become steps together: those of a graph, or of a body.
struct Level<'a> {
    tree: &'a Tree,
    /// The streams that are strands, in order, and the number of the first one.
    streams: Vec<Handle>,
    strand: usize,
    /// The tasks that are records for which other streams wait, in order, and the number of the first one's event.
    records: Vec<usize>,
    event: usize,
}

impl Flow {
    /// Creates the flow of a graph with all its bodies. `streams` are those that runs may start; every run starts the
    /// first `heads` of them.
    pub fn new(graph: Handle, device: &Device, tree: &Tree, streams: Vec<Handle>, heads: usize) -> Result<Arc<Self>> {
        let mut draft = Draft { device, strands: Vec::new(), events: 0, bodies: Vec::new() };
        let level = draft.level(tree, streams, 0)?;
        ensure!(device.native.streams_wait_for_tickets(), no_tickets());
        // The first task of a capture belongs to the stream that it began with, and all others are ordered after it.
        if let Some((_, steps)) = draft.strands.first_mut() {
            steps.extend(defaults(device, &tree.defaults)?);
        }
        draft.strands_of(&level)?;
        draft.complete(graph, heads)
    }
}

impl Level<'_> {
    /// Returns the number of the event that this task records.
    fn event(&self, place: usize) -> Option<usize> {
        self.records.binary_search(&place).ok().map(|index| self.event + index)
    }

    fn strand(&self, stream: Handle) -> Result<usize> {
        let index = self.streams.iter().position(|&known| known == stream);
        let text = "this is a defect in portacl: a graph starts a stream that no run reaches; report it";
        let none = || Error::new(Code::InternalError, text);
        Ok(self.strand + index.ok_or_else(none)?)
    }
}

impl Draft<'_> {
    /// Builds one level from the tasks of these streams: new events, and a new strand for each stream after the first
    /// `inside`. Fails if a task waits for a record in a stream that no run starts.
    fn level<'t>(&mut self, tree: &'t Tree, mut streams: Vec<Handle>, inside: usize) -> Result<Level<'t>> {
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
    fn strands_of(&mut self, level: &Level<'_>) -> Result<()> {
        for (index, stream) in level.streams.iter().enumerate() {
            let mut steps = std::mem::take(&mut self.strands[level.strand + index].1);
            self.steps(level, *stream, &mut steps)?;
            check_end(*stream, &steps)?;
            self.strands[level.strand + index].1 = steps;
        }
        Ok(())
    }

    /// Returns the flow, of which every run starts the first `starting` strands.
    fn complete(self, graph: Handle, starting: usize) -> Result<Arc<Flow>> {
        let native = &self.device.native;
        let listener = Arc::new(Listener::default());
        let strand = |(number, (stream, steps)): (usize, (Handle, Vec<Step>))| {
            let observer: Option<Arc<dyn Observer>> = Some(listener.clone());
            Ok(Strand {
                stream,
                starts: number < starting,
                steps,
                native: native.create_stream(StreamOptions { priority: Priority::Library, observer })?,
                started: native.create_event(false)?,
            })
        };
        let strands = self.strands.into_iter().enumerate().map(strand).collect::<Result<Vec<_>>>()?;
        let keeper = || -> Result<Keeper> {
            Ok(Keeper { stream: native.create_stream(StreamOptions::default())?, nothing: native.create_graph(&[])? })
        };
        let drops_work = strands.iter().any(|strand: &Strand| strand.native.submitted().is_some());
        let events = (0..self.events).map(|_| Ok(native.create_event(false)?));
        let flow = Arc::new(Flow {
            graph,
            device: Arc::clone(native),
            strands,
            events: events.collect::<Result<_>>()?,
            bodies: self.bodies,
            listener,
            keeper: drops_work.then(keeper).transpose()?,
            submitting: Mutex::default(),
            queued: Mutex::default(),
            number: AtomicU64::new(0),
            machine: Mutex::default(),
        });
        run::register(&flow);
        Ok(flow)
    }

    /// Appends the steps of a stream.
    fn steps(&mut self, level: &Level<'_>, stream: Handle, steps: &mut Vec<Step>) -> Result<()> {
        // The places of the tasks whose work no step has yet.
        let mut block: Vec<usize> = Vec::new();
        let mut labels: Vec<(u64, usize)> = Vec::new();
        let mut jumps: Vec<(usize, &[u64])> = Vec::new();
        for (place, task) in level.tree.tasks.iter().enumerate().filter(|(_, it)| it.stream == stream) {
            check(task)?;
            let others = task.after.iter().filter(|&&index| level.tree.tasks[index].stream != stream);
            let waits: Vec<usize> = others.filter_map(|&index| level.event(index)).collect();
            let is_record = level.event(place);
            let called = if let Some(Work::HostFn(function)) = task.work() { Some(*function) } else { None };
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
            Control::SwitchStream { left, right, condition, if_true, if_false } => {
                let if_false = if_false.map(|stream| level.strand(stream)).transpose()?;
                steps.push(Step::Compare {
                    left: *left,
                    right: *right,
                    condition: *condition,
                    if_true: level.strand(*if_true)?,
                    if_false,
                });
            }
            Control::Conditional(conditional) => self.conditional(level, conditional, steps)?,
        }
        Ok(())
    }

    /// Appends the choice of a task, and its bodies.
    fn conditional(&mut self, level: &Level<'_>, conditional: &Conditional, steps: &mut Vec<Step>) -> Result<()> {
        let Conditional { kind, value, ref bodies, .. } = *conditional;
        let choice = steps.len();
        // The targets are known after the bodies.
        steps.push(Step::End);
        let mut targets = Vec::with_capacity(bodies.len());
        let mut ends = Vec::with_capacity(bodies.len());
        for body in bodies {
            let tree = level.tree.bodies.get(body);
            let none = "this is a defect in portacl: a conditional task has no body; report it";
            let tree = tree.ok_or_else(|| Error::new(Code::InternalError, none))?;
            targets.push(steps.len());
            self.body(tree, steps)?;
            ends.push(steps.len());
            steps.push(Step::Jump(choice));
        }
        let default = steps.len();
        if kind != ConditionKind::While {
            ends.into_iter().for_each(|end| steps[end] = Step::Jump(default));
        }
        let targets = targets.into();
        steps[choice] = Step::Choose { value, kind, targets, default };
        Ok(())
    }

    /// Appends the steps of a body.
    fn body(&mut self, tree: &Tree, steps: &mut Vec<Step>) -> Result<()> {
        // The stream that the capture began with is the first one, because others join only after a task of it.
        let streams = task::streams(&tree.tasks);
        let Some(&first) = streams.first() else { return Ok(()) };
        let level = self.level(tree, streams, 1)?;
        steps.push(Step::Begin(self.bodies.len()));
        self.bodies.push(Body {
            strands: level.strand..level.strand + level.streams.len(),
            events: level.event..level.event + level.records.len(),
        });
        steps.extend(defaults(self.device, &tree.defaults)?);
        self.steps(&level, first, steps)?;
        self.strands_of(&level)
    }

    /// Adds the steps for the tasks of a block, and empties the block.
    fn run(&self, level: &Level<'_>, block: &mut Vec<usize>, steps: &mut Vec<Step>) -> Result<()> {
        let places = std::mem::take(block);
        // Earlier tasks of other blocks come earlier in the strand.
        let inside = |index: &usize| places.binary_search(index).ok();
        let tasks = places.iter().map(|&place| {
            let task = &level.tree.tasks[place];
            Task { after: task.after.iter().filter_map(inside).collect(), ..task.clone() }
        });
        let tasks: Vec<Task> = tasks.collect();
        for part in plan::plan(&tasks) {
            match part {
                Unit::Nodes(members) => {
                    let nodes = plan::nodes(&tasks, &members);
                    steps.push(Step::Run(self.device.native.create_graph(&nodes)?));
                }
                Unit::Step(index) => steps.extend(tasks[index].step().cloned().map(Step::Do)),
                // Such tasks were refused before.
                Unit::Late(_) => {}
            }
        }
        Ok(())
    }
}

/// Creates the step that sets values to their defaults.
fn defaults(device: &Device, values: &[(Span, u32)]) -> Result<Option<Step>> {
    if values.is_empty() {
        return Ok(None);
    }
    let mut nodes = Vec::with_capacity(2 * values.len());
    for (value, default) in values {
        let half = size_of::<u32>();
        // All supported machines are little-endian.
        for (index, word) in [*default, 0].into_iter().enumerate() {
            let dst = Span { addr: value.addr + index * half, len: half, ..*value };
            let fill = Fill { dst, pattern: Pattern::Word(word) };
            nodes.push(Node { work: Work::Fill(fill), after: Vec::new() });
        }
    }
    Ok(Some(Step::Run(device.native.create_graph(&nodes)?)))
}

/// Returns the step of a label.
fn find_label(tasks: &[Task], labels: &[(u64, usize)], name: u64, stream: Handle) -> Result<usize> {
    if let Some((_, step)) = labels.iter().find(|(label, _)| *label == name) {
        return Ok(*step);
    }
    let is_it = |task: &&Task| task.control.as_deref() == Some(&Control::Label(name));
    Err(match tasks.iter().find(is_it) {
        Some(label) => unsupported!(
            "label {name:#x} is set in stream {0}, but stream {stream} jumps to it, and a stream can only jump to its \
             own labels; start stream {0} with aclrtActiveStream or aclrtSwitchStream instead",
            label.stream
        ),
        None => param_invalid!(
            "label {name:#x} is not set in the graph, but stream {stream} may jump to it; call aclrtSetLabel"
        ),
    })
}

/// Fails if a strand cannot end, because runs would not end either.
fn check_end(stream: Handle, steps: &[Step]) -> Result<()> {
    let mut seen = vec![false; steps.len()];
    let mut next = vec![0];
    while let Some(step) = next.pop() {
        match steps.get(step) {
            None | Some(Step::End | Step::Compare { .. }) => return Ok(()),
            Some(_) if std::mem::replace(&mut seen[step], true) => {}
            Some(Step::Select { targets, .. }) => next.extend(&**targets),
            Some(Step::Choose { targets, default, .. }) => next.extend(targets.iter().chain([default])),
            Some(Step::Jump(target)) => next.push(*target),
            Some(_) => next.push(step + 1),
        }
    }
    Err(param_invalid!(
        "runs of the graph would never end: stream {stream} jumps from label to label forever; let one of the labels \
         lead to aclmdlRIEndTask, or to the end of the stream"
    ))
}
