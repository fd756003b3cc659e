//! Conditional tasks in flows. The bodies of a task are steps of the strand that has the task, after the choice; other
//! streams of a body are strands that start when the body begins.

use std::sync::Arc;

use super::draft::{Draft, Level};
use super::{Body, Flow, Step, Tree, no_tickets};
use crate::algo::map::slot_table::Handle;
use crate::backend::{Fill, Node, Pattern, Span, Work};
use crate::core::base::error::{Code, Error, Result};
use crate::core::graph::task;
use crate::core::graph::task::control::{Conditional, Kind};
use crate::core::runtime::device::Device;

impl Flow {
    /// Of a graph with all its bodies. `streams` are those that runs may start; every run starts the first `starting`
    /// of them.
    pub fn new(
        graph: Handle,
        device: &Device,
        tree: &Tree,
        streams: Vec<Handle>,
        starting: usize,
    ) -> Result<Arc<Self>> {
        let mut draft = Draft { device, strands: Vec::new(), events: 0, bodies: Vec::new() };
        let level = draft.level(tree, streams, 0)?;
        ensure!(device.native.streams_wait_for_tickets(), no_tickets());
        // The first task of a capture belongs to the stream that it began with, and all others are ordered after it.
        if let Some((_, steps)) = draft.strands.first_mut() {
            steps.extend(defaults(device, &tree.defaults)?);
        }
        draft.strands_of(&level)?;
        draft.complete(graph, starting)
    }
}

/// The step that sets values to their defaults.
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

impl Draft<'_> {
    /// Appends the choice of a task, and its bodies.
    pub(super) fn conditional(
        &mut self,
        level: &Level<'_>,
        conditional: &Conditional,
        steps: &mut Vec<Step>,
    ) -> Result<()> {
        let Conditional { kind, value, ref bodies, .. } = *conditional;
        let choice = steps.len();
        // Its targets are known after the bodies.
        steps.push(Step::End);
        let mut targets = Vec::with_capacity(bodies.len());
        let mut ends = Vec::with_capacity(bodies.len());
        for body in bodies {
            let tree = level.tree.bodies.get(body);
            let tree = tree.ok_or_else(|| Error::new(Code::InternalError, "a conditional task has no body"))?;
            targets.push(steps.len());
            self.body(tree, steps)?;
            ends.push(steps.len());
            steps.push(Step::Jump(choice));
        }
        let otherwise = steps.len();
        if kind != Kind::While {
            ends.into_iter().for_each(|end| steps[end] = Step::Jump(otherwise));
        }
        let targets = targets.into();
        steps[choice] = Step::Choose { value, kind, targets, otherwise };
        Ok(())
    }

    /// Appends the steps of a body.
    fn body(&mut self, tree: &Tree, steps: &mut Vec<Step>) -> Result<()> {
        // The stream that the capture began with is the first one, since others join only after a task of it.
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
}
