//! Groups of tasks whose work can be changed: aclmdlRICaptureTaskGrpBegin to _TaskUpdateEnd.
//!
//! An update is an operation of its stream, and a launch reads a group when it reaches it: streams order the two. An
//! update that is ordered before an event changes a pending launch that waits for that event before the group.
//!
//! The work of a group is a separate graph of the backend, which runs launch when they reach the group
//! (`program/late.rs`).

use std::sync::Arc;

use parking_lot::Mutex;

use super::capture::Recorder;
use super::flow::serving;
use super::graph::Graph;
use super::task::group::{Group, Update, Version};
use crate::backend::{Delivery, Op, Payload, Ticket};
use crate::base::error::{Code, Result, error_with, param_invalid};
use crate::base::handles;
use crate::stream;

/// A change of a group. The stream hands it over when it reaches the change, perhaps where no backend can be called. So
/// it drops nothing itself.
struct Swap {
    group: Option<Arc<Group>>,
    version: Option<Arc<Version>>,
}

impl Delivery for Swap {
    fn deliver(mut self: Box<Self>, _ticket: Ticket) {
        let Some(group) = &self.group else { return };
        let mut state = group.state.lock();
        // A graph that has ended accepts no new work.
        if state.version.is_some() {
            std::mem::swap(&mut state.version, &mut self.version);
        }
    }
}

impl Drop for Swap {
    fn drop(&mut self) {
        // This is the replaced work or, on failure, the new work.
        let Some(group) = self.group.take() else { return };
        group.state.lock().replaced.extend(self.version.take());
        serving::post(move || group.drop_replaced());
    }
}

/// Implements aclmdlRICaptureTaskUpdateBegin.
pub fn begin_update(raw: u64, handle: u64) -> Result<()> {
    let stream = stream::resolve(raw)?;
    let group = handles::get_arc::<Group>("handle", handle)?;
    // This keeps the open update valid: nothing was enqueued.
    if Recorder::of(&stream).update().is_some() {
        return Err(param_invalid!("{stream} is changing a task group; call aclmdlRICaptureTaskUpdateEnd first"));
    }
    if stream.is_captured() {
        return Err(error_with!(
            Code::StreamCaptured,
            "{stream} is being captured, or has ACL_STREAM_PERSISTENT; change a task group with another stream"
        ));
    }
    let graph = handles::get_arc::<Graph>("the task group's graph", group.graph.raw())?;
    let is = format!("has the task group {handle:#x} and is");
    graph.check_device(&stream.device, "the stream", &is, "use a stream of the graph's device")?;
    drop(graph.ready_or(Code::ModelCaptured)?);
    let mut state = group.state.lock();
    if state.update.strong_count() > 0 {
        return Err(param_invalid!(
            "the task group {handle:#x} is being changed by another stream; call aclmdlRICaptureTaskUpdateEnd there \
             first"
        ));
    }
    let update = Arc::new(Update { group: Arc::clone(&group), state: Mutex::default() });
    state.update = Arc::downgrade(&update);
    drop(state);
    Recorder::of(&stream).begin_update(update)
}

/// Implements aclmdlRICaptureTaskUpdateEnd.
pub fn end_update(raw: u64) -> Result<()> {
    let stream = stream::resolve(raw)?.to_arc();
    // Without memory the call fails, and the update continues.
    let _memory = Recorder::of(&stream).update().map(|update| update.claim()).transpose()?;
    serving::need()?;
    let update = Recorder::of(&stream).end_update()?;
    let works = update.finish()?;
    let group = Arc::clone(&update.group);
    drop(update);
    group.drop_replaced();
    let batches = group.state.lock().batches.clone();
    let version = Version::new(&*stream.device.native, works, &batches)?;
    let swap = Box::new(Swap { group: Some(group), version: Some(version) });
    stream.submit(Op::HandOver { delivery: Payload::new(&mut Some(swap)), wait: false }).map(drop)
}
