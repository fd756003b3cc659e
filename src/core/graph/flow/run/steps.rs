//! The steps of a run's strands. They are submitted to the streams of the strands, up to a wait or a choice.

use std::sync::Arc;

use super::{At, Run};
use crate::backend::{Copy, Fault, FaultKind, HostFn, Op, Payload, Place, Result, Span};
use crate::graph::flow::{Body, Flow, Step, serving};
use crate::graph::task::control::signed;

impl Flow {
    /// Submits all possible steps of all strands.
    pub(super) fn advance(self: &Arc<Self>, run: &mut Run) {
        loop {
            self.stop_if_requested(run);
            let mut has_moved = false;
            for strand in 0..run.strands.len() {
                match run.strands[strand].at {
                    At::Step(_) | At::Waiting(_) if run.is_stopping => self.end(run, strand),
                    At::Step(step) => {
                        if let Err(fault) = self.take_steps(run, strand, step) {
                            self.end(run, strand);
                            self.fail(run, fault);
                        }
                    }
                    At::Waiting(step) => {
                        let Step::Wait(event) = self.strands[strand].steps[step] else { continue };
                        if !run.recorded[event] {
                            continue;
                        }
                        run.strands[strand].at = At::Step(step);
                    }
                    At::Nowhere | At::Choosing(_) | At::Draining => continue,
                }
                has_moved = true;
            }
            if has_moved {
                continue;
            }
            let waiting = run.strands.iter().position(|it| matches!(it.at, At::Waiting(_)));
            let Some(waiting) = waiting else { return };
            if run.strands.iter().any(|it| matches!(it.at, At::Choosing(_) | At::Draining)) {
                return;
            }
            let text = format!(
                "a run of modelRI {} did not end: stream {} of the graph waited for an event that no stream of the run \
                 recorded; record the event on every path that the run can take",
                self.graph, self.strands[waiting].stream
            );
            self.fail(run, Fault::new(FaultKind::InvalidArgument, text));
        }
    }

    /// Submits the steps of a strand from this one on, up to a wait or a choice.
    fn take_steps(self: &Arc<Self>, run: &mut Run, strand: usize, from: usize) -> Result<()> {
        let native = &self.strands[strand].native;
        let mut next = from;
        while let Some(step) = self.strands[strand].steps.get(next) {
            let place = next;
            next += 1;
            match step {
                Step::Run(graph) => _ = native.submit(Op::RunGraph(graph))?,
                Step::Call(function) => {
                    let function = *function;
                    native.submit(Op::HostFn(Payload::new(&mut Some(HostFn::from_closure(move || function.run())))))?;
                }
                Step::Do(step) => _ = step.queue(|op| native.submit(op))?,
                Step::Record(event) => {
                    native.submit(Op::Record(&self.events[*event]))?;
                    run.recorded[*event] = true;
                }
                Step::Wait(event) if run.recorded[*event] => {
                    native.submit(Op::Wait(&self.events[*event], None))?;
                }
                Step::Wait(_) => {
                    run.strands[strand].at = At::Waiting(place);
                    return Ok(());
                }
                Step::Start(other) => self.start(run, strand, *other)?,
                Step::Select { .. } | Step::Compare { .. } | Step::Choose { .. } => {
                    self.hand_over(run, strand, strand)?;
                    run.strands[strand].at = At::Choosing(place);
                    return Ok(());
                }
                Step::Begin(body) => self.begin(run, strand, *body)?,
                Step::Jump(target) => next = *target,
                Step::End => break,
            }
        }
        self.end(run, strand);
        Ok(())
    }

    /// Makes the stream of a strand hand `strand` over when it reaches this place.
    pub(super) fn hand_over(self: &Arc<Self>, run: &mut Run, on: usize, strand: usize) -> Result<()> {
        let number = self.new_number();
        let flow = Arc::clone(self);
        // The delivery is also answered if the strand has failed: the run continues either way.
        let delivery = serving::delivery(move |_| flow.returned(strand, number));
        self.strands[on].native.submit(Op::HandOver { delivery: Payload::new(&mut Some(delivery)), wait: false })?;
        run.strands[strand].awaited = number;
        Ok(())
    }

    /// Ends a strand, once its stream has reached the end.
    fn end(self: &Arc<Self>, run: &mut Run, strand: usize) {
        run.strands[strand].at = At::Draining;
        if let Err(fault) = self.hand_over(run, strand, strand) {
            // Nothing may run after the end of the run. A failed device runs nothing more.
            let _ = self.strands[strand].native.synchronize(None);
            run.strands[strand].at = At::Nowhere;
            self.fail(run, fault);
        }
    }

    /// Lets `strand` start `other`, which is ordered after its own earlier work.
    fn start(&self, run: &mut Run, strand: usize, other: usize) -> Result<()> {
        let started = &self.strands[strand].started;
        self.strands[strand].native.submit(Op::Record(started))?;
        self.strands[other].native.submit(Op::Wait(started, None))?;
        let other = &mut run.strands[other];
        match other.at {
            At::Nowhere => other.at = At::Step(0),
            At::Step(_) | At::Waiting(_) | At::Choosing(_) | At::Draining => other.again += 1,
        }
        Ok(())
    }

    /// Begins a body in the strand that has the task: starts its other streams. Their earlier work belongs to the
    /// previous time.
    fn begin(&self, run: &mut Run, strand: usize, body: usize) -> Result<()> {
        let Body { strands, events } = &self.bodies[body];
        run.recorded[events.clone()].fill(false);
        strands.clone().try_for_each(|other| self.start(run, strand, other))
    }

    /// Reads memory. Returns the place where the strand continues.
    pub(super) fn choose(self: &Arc<Self>, run: &mut Run, strand: usize, step: usize) -> Result<At> {
        match &self.strands[strand].steps[step] {
            Step::Select { index, targets } => {
                let index = self.read(index)? as u32 as usize;
                Ok(At::Step(targets[index.min(targets.len() - 1)]))
            }
            Step::Choose { value, kind, targets, default } => {
                let value = self.read(value)? as u64;
                let target = kind.choose(value).and_then(|body| targets.get(body));
                Ok(At::Step(*target.unwrap_or(default)))
            }
            Step::Compare { left, right, condition, if_true, if_false } => {
                let holds = condition.holds(self.read(left)?, self.read(right)?);
                let other = if holds { Some(*if_true) } else { *if_false };
                let Some(other) = other else { return Ok(At::Step(step + 1)) };
                self.start(run, strand, other)?;
                self.end(run, strand);
                Ok(run.strands[strand].at)
            }
            Step::Run(_)
            | Step::Call(_)
            | Step::Do(_)
            | Step::Record(_)
            | Step::Wait(_)
            | Step::Start(_)
            | Step::Begin(_)
            | Step::Jump(_)
            | Step::End => Ok(At::Step(step)),
        }
    }

    /// Returns the number at a place in memory. It has 4 or 8 bytes.
    fn read(&self, span: &Span) -> Result<i64> {
        let mut bytes = [0; 8];
        let addr = bytes.as_mut_ptr().expose_provenance();
        let dst = Span { addr, len: span.len, place: Place::Pageable };
        self.device.copy(Copy { dst, src: *span, stage_source: false })?;
        Ok(signed(&bytes[..span.len]))
    }
}
