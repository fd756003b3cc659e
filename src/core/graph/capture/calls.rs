//! The calls that begin and end captures, and groups in them.

use std::sync::Arc;

use super::mode::Mode;
use super::{Capture, Recorder, capture_of};
use crate::backend::thread_number;
use crate::base::error::{Code, Error, Result, error_with, param_invalid};
use crate::base::handles::Object;
use crate::graph::flow;
use crate::graph::graph::{Drive, Graph, Ready, Resources};
use crate::graph::task::group::Group;
use crate::graph::task::{self, Task};
use crate::stream::{self, Stream};

/// Implements aclmdlRICaptureBegin.
pub fn begin(raw: u64, mode: i32) -> Result<()> {
    begin_as(raw, mode, |stream| Graph::create(&stream.device, false, None))
}

/// Begins a capture as [`begin`] does, for the graph that `graph` creates or claims.
pub(crate) fn begin_as(raw: u64, mode: i32, graph: impl FnOnce(&Stream) -> Result<Arc<Graph>>) -> Result<()> {
    let mode = Mode::from_number(mode)?;
    let stream = stream::resolve(raw)?;
    check_capturable(&stream)?;
    ensure!(!stream.is_captured(), captured_already(&stream));
    let capture = Capture::new(&*graph(&stream)?, &stream, mode);
    if !Recorder::of(&stream).join(&capture) {
        capture.cancel();
        return Err(captured_already(&stream));
    }
    Ok(())
}

fn captured_already(stream: &Stream) -> Error {
    error_with!(
        Code::StreamCaptured,
        "{stream} is being captured already, or is changing a task group; call aclmdlRICaptureEnd or \
         aclmdlRICaptureTaskUpdateEnd first"
    )
}

/// Fails for default streams, which cannot be captured.
pub(crate) fn check_capturable(stream: &Stream) -> Result<()> {
    if stream.builds_graphs() {
        return Err(param_invalid!(
            "{stream} has ACL_STREAM_PERSISTENT, which is for building graphs (aclmdlRIBuildBegin); capture a stream \
             without this flag"
        ));
    }
    if !stream.is_default {
        return Ok(());
    }
    Err(error_with!(
        Code::StreamCaptureImplicit,
        "{stream} is the default stream of its context, which cannot be captured; use a stream from aclrtCreateStream"
    ))
}

/// Returns the capture that a stream takes part in.
pub fn of(stream: &Stream) -> Result<Arc<Capture>> {
    capture_of(stream).filter(|capture| !capture.is_built).ok_or_else(|| {
        error_with!(Code::StreamNotCaptured, "{stream} is not being captured; call aclmdlRICaptureBegin first")
    })
}

/// Implements aclmdlRICaptureTaskGrpBegin: later work of the stream belongs to a group.
pub fn begin_group(raw: u64) -> Result<()> {
    let stream = stream::resolve(raw)?;
    let capture = of(&stream)?;
    let mut state = capture.open()?;
    if state.branch(stream.handle).group.is_some() {
        return Err(param_invalid!(
            "{stream} has a task group that has not ended; call aclmdlRICaptureTaskGrpEnd first"
        ));
    }
    let group = Group::create(capture.graph)?;
    state.branch(stream.handle).group = Some(Arc::clone(&group.0));
    state.resources.groups.push(group);
    Ok(())
}

/// Implements aclmdlRICaptureTaskGrpEnd: returns the group.
pub fn end_group(raw: u64) -> Result<u64> {
    let stream = stream::resolve(raw)?;
    let group = of(&stream)?.open()?.branch(stream.handle).group.take();
    let none = || param_invalid!("{stream} has no task group; call aclmdlRICaptureTaskGrpBegin first");
    group.map(|group| group.handle.raw()).ok_or_else(none)
}

/// Implements aclmdlRICaptureEnd: returns the graph.
pub fn end(raw: u64) -> Result<u64> {
    let stream = stream::resolve(raw)?;
    let capture = of(&stream)?;
    if capture.origin != stream.handle {
        return Err(error_with!(
            Code::StreamCaptureUnmatched,
            "{stream} has joined the capture that began with stream {}; end the capture with the stream that began it",
            capture.origin
        ));
    }
    if capture.mode != Mode::Relaxed && capture.thread != thread_number() {
        return Err(error_with!(
            Code::StreamCaptureWrongThread,
            "thread {} began the capture and must end it; end it on that thread, or begin the capture with \
             ACL_MODEL_RI_CAPTURE_MODE_RELAXED",
            capture.thread
        ));
    }
    // A driver may need long for a graph, and no `Ref` may live across that.
    drop(stream);
    // Without memory the call fails, and the capture continues.
    let _memory = task::claim(&capture.state.lock().tasks)?;
    let tasks = capture.finish();
    capture.release_streams();
    let resources = capture.take_resources();
    let made = tasks.and_then(|tasks| complete(&capture, tasks, resources));
    if made.is_err() {
        capture.drop_graph();
    }
    made
}

fn complete(capture: &Capture, tasks: Vec<Task>, resources: Resources) -> Result<u64> {
    let graph = Graph::table().get_arc(capture.graph).ok_or_else(|| {
        param_invalid!(
            "the graph of the capture was released before this call, by a reset of its device or with the graph that \
             contains it; the capture has ended without a graph. Capture the outermost graph again"
        )
    })?;
    let mut drive = Drive::Backend;
    if capture.is_body || tasks.iter().any(|task| task.conditional().is_some()) {
        tasks.iter().try_for_each(flow::check)?;
        drive = Drive::HostLater;
    }
    graph.complete(Ready::new(&graph.device, tasks, drive, resources)?);
    graph.unclaim();
    Ok(graph.handle.raw())
}

/// Returns the result of aclmdlRICaptureGetInfo: a value of `aclmdlRICaptureStatus`, and the graph.
pub fn info(raw: u64) -> Result<(i32, u64)> {
    let stream = stream::resolve(raw)?;
    Ok(if stream.is_captured() { info_of(&stream) } else { (0, 0) })
}

#[cold]
fn info_of(stream: &Stream) -> (i32, u64) {
    let capture = capture_of(stream).filter(|capture| !capture.is_built);
    let Some(capture) = capture else { return (0, 0) };
    let is_valid = capture.state.lock().spoilt.is_none();
    (if is_valid { 1 } else { 2 }, capture.graph.raw())
}
