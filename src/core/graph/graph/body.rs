//! The values of conditional tasks, which belong to a graph, and bodies: graphs that belong to a conditional task of
//! another graph.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Graph, Ready};
use crate::algo::map::slot_table::Handle;
use crate::backend::Span;
use crate::base::error::{Code, Result, error_with, param_invalid};
use crate::base::handles::{self, Object};
use crate::graph::flow::Tree;
use crate::graph::memory;
use crate::graph::task::Task;
use crate::graph::task::control::ConditionKind;
use crate::memory::free_word_of_graph;

/// The object of a condition handle: a value of 64 bits.
pub struct ConditionHandle {
    /// Its own handle.
    pub handle: Handle,
    /// The graph that owns it.
    pub graph: Handle,
    /// The place of the value in device memory.
    pub value: Span,
    /// The value at the beginning of each run, if it is set.
    pub default: Option<u32>,
    /// True if a task uses it.
    pub is_used: AtomicBool,
}

handles::object!(ConditionHandle, Condition);

/// The state of a graph that is a body.
pub struct Body {
    /// The graph whose task runs it.
    pub parent: Handle,
    /// The number of graphs that it is nested in.
    pub depth: usize,
    /// True while a stream records into it.
    pub is_capturing: AtomicBool,
}

/// The bodies of a task, and its use of the condition handle. Released with the capture's resources.
pub struct OwnedBodies {
    pub condition: Arc<ConditionHandle>,
    pub bodies: Vec<Arc<Graph>>,
}

impl OwnedBodies {
    /// Ends the bodies. Returns the first failure to free their memory.
    pub fn end(&mut self) -> Result<()> {
        self.condition.is_used.store(false, Ordering::Relaxed);
        let end = |body: Arc<Graph>| {
            Graph::table().remove(body.handle);
            body.end()
        };
        self.bodies.drain(..).map(end).fold(Ok(()), Result::and)
    }
}

impl Drop for OwnedBodies {
    fn drop(&mut self) {
        memory::note(self.end());
    }
}

impl Graph {
    /// Fails for the body of a conditional task, which this call does not accept.
    pub(crate) fn check_not_body(&self, instead: &str) -> Result<()> {
        let Some(Body { parent, .. }) = &self.body else { return Ok(()) };
        Err(param_invalid!(
            "{self} is the body of a conditional task of modelRI {parent}, and runs and is released with this parent \
             graph; {instead}"
        ))
    }

    /// Returns the number of graphs that it is nested in.
    pub fn depth(&self) -> usize {
        self.body.as_ref().map_or(0, |body| body.depth)
    }

    /// Whether it is this graph, or nested in it.
    pub(crate) fn is_in(&self, other: Handle) -> bool {
        if self.handle == other {
            return true;
        }
        let parent = self.body.as_ref().and_then(|body| Graph::table().get_arc(body.parent));
        parent.is_some_and(|parent| parent.is_in(other))
    }

    /// Claims the graph for a stream that begins to record into it. Fails unless it is an empty body.
    pub fn claim(&self) -> Result<()> {
        let Some(body) = &self.body else {
            return Err(param_invalid!(
                "{self} is not the body of a conditional task (aclmdlRIAddCondTask); capture other graphs \
                 with aclmdlRICaptureBegin"
            ));
        };
        let ready = self.ready.lock();
        ensure!(
            ready.is_none(),
            param_invalid!(
                "{self} was captured before, and a body can be captured once; capture the parent graph again"
            )
        );
        if body.is_capturing.swap(true, Ordering::AcqRel) {
            return Err(error_with!(
                Code::ModelCaptured,
                "{self} is being captured already, and a body can be captured once; add the tasks to that capture"
            ));
        }
        Ok(())
    }

    /// Undoes the claim: the stream no longer records into it. Returns false if it is no body.
    pub(crate) fn unclaim(&self) -> bool {
        let Some(body) = &self.body else { return false };
        body.is_capturing.store(false, Ordering::Release);
        true
    }

    /// Returns the runnable form of a body of a task of `kind`.
    fn body_ready(&self, kind: ConditionKind) -> Result<Arc<Ready>> {
        let found = self.ready.lock().clone();
        let is_capturing = self.body.as_ref().is_some_and(|it| it.is_capturing.load(Ordering::Acquire));
        match found {
            Some(ready) if kind == ConditionKind::While && ready.tasks.is_empty() => Err(param_invalid!(
                "runs of the graph would never end: a conditional task repeats its body {self} until the value of its \
                 condition handle is 0, but {self} has no task that could change the value; capture the graph again, \
                 with such a task in this body"
            )),
            Some(ready) => Ok(ready),
            None if is_capturing => Err(error_with!(
                Code::SubAclgraphIsCapturing,
                "{self}, the body of a conditional task, is still being captured; call aclmdlRICaptureEnd first"
            )),
            None => Err(param_invalid!(
                "{self}, the body of a conditional task, is empty; capture it with \
                 aclmdlRICaptureToModelRIBegin and aclmdlRICaptureEnd"
            )),
        }
    }

    /// Returns the values that tasks use and that have a default, each with its default.
    fn defaults(&self) -> Vec<(Span, u32)> {
        let handles = self.conditions.lock();
        let used = handles.iter().filter(|it| it.is_used.load(Ordering::Relaxed));
        used.filter_map(|it| it.default.map(|default| (it.value, default))).collect()
    }

    /// Ends the values of the graph. Returns the first failure to free one.
    pub(crate) fn end_conditions(&self) -> Result<()> {
        let handles = std::mem::take(&mut *self.conditions.lock());
        let release = |it: Arc<ConditionHandle>| {
            ConditionHandle::table().remove(it.handle);
            free_word_of_graph(&self.device, it.value)
        };
        handles.into_iter().map(release).fold(Ok(()), Result::and)
    }

    /// Returns the tasks and values of the graph with those of all bodies, if all are captured. `ready` is its runnable
    /// form.
    pub fn tree(&self, ready: &Ready) -> Result<Tree> {
        let mut bodies = HashMap::new();
        for conditional in ready.tasks.iter().filter_map(Task::conditional) {
            for &handle in &conditional.bodies {
                let gone = || {
                    param_invalid!(
                        "{self} was destroyed during the call by another thread, or released with its device or its \
                         parent graph; destroy a graph after its last use"
                    )
                };
                let body = Self::table().get_arc(handle).ok_or_else(gone)?;
                let ready = body.body_ready(conditional.kind)?;
                bodies.insert(handle, body.tree(&ready)?);
            }
        }
        Ok(Tree { tasks: ready.tasks.clone(), defaults: self.defaults(), bodies })
    }
}
