//! The interceptor: captures and changes of task groups take the work of streams, and record what captured streams
//! allocate from pools and free.

use std::sync::Arc;
use std::time::Instant;

use super::{Capture, Recorder, capture_of, event, mode};
use crate::backend::{self, Fault, NodeLaunch, Op, Position, Submit, Wait, Work};
use crate::base::error::{Code, Result, error_with, param_invalid};
use crate::graph::flow;
use crate::graph::memory::{free, note};
use crate::graph::task::What;
use crate::pool::mem_pool::captured::Recording;
use crate::stream::Stream;
use crate::stream::event::Event;
use crate::stream::interceptor::{Awaited, CallClass, EventUse, Interceptor, StreamChange};

/// Takes the work of streams, and their requests to pools, for all graphs.
pub struct Graphs;

impl Interceptor for Graphs {
    fn submit(&self, stream: &Stream, op: Op<'_>) -> Result<Position> {
        let recorder = Recorder::of(stream);
        recorder.check_open()?;
        stream.remember(recorder.submit(op))
    }

    fn launch(&self, stream: &Stream, bind: &mut dyn FnMut() -> backend::Result<NodeLaunch>) -> Result<Position> {
        let recorder = Recorder::of(stream);
        recorder.check_open()?;
        let add = |launch: NodeLaunch| {
            let bound = Arc::clone(&launch.bound);
            let position = recorder.add_work(Work::Launch(launch))?;
            bound.accept();
            Ok(position)
        };
        stream.remember(bind().and_then(add))
    }

    fn use_event(&self, stream: &Stream, event: &Event, raw: u64, usage: EventUse) -> Result<bool> {
        event::take(stream, event, raw, usage)
    }

    fn check_wait(&self, awaited: Awaited<'_>) -> Result<()> {
        let (capture, code, what) = match awaited {
            Awaited::Device(device) => return mode::refuse_device(device),
            // Streams that build graphs run nothing, so there is nothing to wait for.
            Awaited::Stream(stream) => {
                (capture_of(stream).filter(|it| !it.is_built), Code::StreamCaptured, "the stream")
            }
            Awaited::Event(event) => (event::capture_of(event).map(|found| found.0), Code::EventCaptured, "the event"),
        };
        capture.map_or(Ok(()), |capture| Err(mode::refuse_wait(&capture, code, what)))
    }

    fn check_call(&self, call: CallClass) -> Result<()> {
        mode::check_call(call)
    }

    fn check_destroy(&self, stream: &Stream) -> Result<()> {
        let raw = stream.handle.raw();
        match capture_of(stream) {
            Some(capture) if capture.is_built => Err(param_invalid!(
                "stream {raw:#x} is bound to modelRI {}; call aclmdlRIUnbindStream first, or aclmdlRIDestroy",
                capture.graph
            )),
            Some(_) => Err(error_with!(
                Code::StreamCaptured,
                "stream {raw:#x} is being captured; call aclmdlRICaptureEnd first, or aclrtDestroyStreamForce, which \
                 leaves the capture without a graph"
            )),
            None if stream.is_captured() && Recorder::of(stream).update().is_some() => Err(param_invalid!(
                "stream {raw:#x} is changing a task group; call aclmdlRICaptureTaskUpdateEnd first, or \
                 aclrtDestroyStreamForce, which leaves the group as it was"
            )),
            None => Ok(()),
        }
    }

    fn abort(&self, stream: &Stream, why: &Fault, deadline: Option<Instant>) -> Wait {
        flow::run::drop_runs_of(stream.handle, why, deadline)
    }

    fn note(&self, stream: &Stream, change: StreamChange) {
        match change {
            StreamChange::Aborted => {
                capture_of(stream).iter().for_each(|capture| capture.spoil("one of its streams was aborted"));
                flow::run::stream_drops_work(stream.handle);
            }
            StreamChange::Stopped => flow::run::stream_drops_work(stream.handle),
            StreamChange::Limited(until) => flow::run::limit(stream.handle, until),
            StreamChange::Destroying => stream_ends(stream),
        }
    }
}

impl Recording for Graphs {
    fn malloc(&self, stream: &Stream, allocate: &mut dyn FnMut() -> Result<usize>) -> Result<usize> {
        let capture = capture_with_pools(stream)?;
        let addr = allocate()?;
        let added = capture.open().and_then(|mut state| state.resources.memory.add(capture.graph, addr, stream));
        if let Err(error) = added {
            // The first failure is reported.
            note(free(addr));
            return Err(error);
        }
        capture.add(stream.handle, What::MemAlloc, vec![None])?;
        Ok(addr)
    }

    fn free(&self, stream: &Stream, addr: usize) -> Result<()> {
        let capture = capture_with_pools(stream)?;
        capture.open()?.resources.memory.free(capture.graph, addr)?;
        capture.add(stream.handle, What::MemFree, vec![None]).map(drop)
    }
}

/// Returns the capture of a stream that allocates or frees pool memory.
fn capture_with_pools(stream: &Stream) -> Result<Arc<Capture>> {
    let capture = Recorder::of(stream).take_part()?;
    capture.check()?;
    let why = match capture.is_body {
        _ if capture.is_built => {
            "a graph of aclmdlRIBuildBegin cannot allocate or free pool memory; do both in a stream that is not bound to \
             the graph, or record the graph with aclmdlRICaptureBegin instead"
        }
        true => {
            "bodies of conditional tasks cannot allocate or free pool memory, because a run may skip or repeat them; \
             allocate and free it in the graph that has the task, or outside of captures"
        }
        false => return Ok(capture),
    };
    Err(Recorder::of(stream).cannot(why).into())
}

/// Called when a stream is about to be destroyed, or to end with its device.
fn stream_ends(stream: &Stream) {
    let Some(capture) = capture_of(stream) else { return };
    if capture.origin == stream.handle {
        capture.cancel();
    } else {
        capture.spoil("a stream that had joined it was destroyed");
    }
    Recorder::of(stream).leave(&capture);
}
