//! Graphs that are built: the streams that are bound to them, and their control flow.

use std::sync::Arc;

use super::{Branch, Capture, Recorder};
use crate::algo::map::slot_table::Handle;
use crate::base::error::{Result, param_invalid};
use crate::graph::graph::body::OwnedBodies;
use crate::graph::task::control::Control;
use crate::graph::task::{self, Task, What};
use crate::stream::Stream;

impl Capture {
    /// Records control flow of a stream. `owned`: what a conditional task owns.
    pub(crate) fn add_control(&self, stream: Handle, control: Control, owned: Option<OwnedBodies>) -> Result<()> {
        let control = Some(Arc::new(control));
        let (mut state, _) = self.add_task(Task { control, ..Task::new(stream, What::Control, None) }, None)?;
        state.resources.bodies.extend(owned);
        Ok(())
    }

    /// Binds a stream.
    pub fn bind(self: &Arc<Self>, stream: &Stream, starts: bool) -> Result<()> {
        let mut state = self.open()?;
        if !Recorder::of(stream).join(self) || state.branches.iter().any(|it| it.stream == stream.handle) {
            return Err(param_invalid!("{stream} is bound to a graph already; call aclmdlRIUnbindStream first"));
        }
        state.branches.push(Branch::new(stream.handle, starts));
        Ok(())
    }

    /// Unbinds a stream. While the graph is being built, the stream must have no tasks.
    pub fn unbind(self: &Arc<Self>, stream: &Stream) -> Result<()> {
        let mut state = self.state.lock();
        let has_work = |it: &Branch| it.stream == stream.handle && it.count > 0;
        if !state.is_over && state.branches.iter().any(has_work) {
            return Err(param_invalid!(
                "{stream} has recorded work in modelRI {}, which is being built; call aclmdlRIBuildEnd first, or \
                 aclmdlRIDestroy, which unbinds all its streams",
                self.graph
            ));
        }
        state.branches.retain(|it| it.stream != stream.handle);
        Recorder::of(stream).leave(self);
        Ok(())
    }

    /// Ends the building, if `complete` succeeds with the tasks and the streams that runs start. Otherwise the building
    /// continues.
    pub(crate) fn end_building<T>(&self, complete: impl FnOnce(&[Task], &[Handle]) -> Result<T>) -> Result<T> {
        let mut state = self.open()?;
        let starting = state.branches.iter().filter(|branch| branch.starts);
        let starting: Vec<Handle> = starting.map(|branch| branch.stream).collect();
        let _memory = task::claim(&state.tasks)?;
        let completed = complete(&state.tasks, &starting)?;
        state.is_over = true;
        state.tasks = Vec::new();
        Ok(completed)
    }

    /// Releases the streams of a graph that is destroyed. If it was still being built, its tasks are dropped.
    pub fn release(self: &Arc<Self>) {
        let mut state = self.state.lock();
        state.is_over = true;
        let tasks = std::mem::take(&mut state.tasks);
        drop(state);
        // The lock is not held, because kernels release what their launches own.
        drop(tasks);
        self.release_streams();
    }
}
