//! The interceptor: captures and changes of task groups take the work of streams.

use std::sync::Arc;
use std::time::Instant;

use super::{Capture, Recorder, capture_of, event, mode};
use crate::backend::{self, Fault, NodeLaunch, Op, Position, Submit, Wait};
use crate::core::base::error::{Code, Error, Result, error_with, param_invalid};
use crate::core::graph::flow;
use crate::core::stream::Stream;
use crate::core::stream::event::Event;
use crate::core::stream::interceptor::{Awaited, Call, Change, EventUse, Interceptor};

/// Takes the work of streams for all graphs.
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
            let position = recorder.add_launch(launch)?;
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
            // Streams that build graphs run nothing, so the host waits for nothing.
            Awaited::Stream(stream) => {
                (capture_of(stream).filter(|it| !it.is_built), Code::StreamCaptured, "the stream")
            }
            Awaited::Event(event) => (event::capture_of(event).map(|found| found.0), Code::EventCaptured, "the event"),
        };
        capture.map_or(Ok(()), |capture| Err(mode::refuse_wait(&capture, code, what)))
    }

    fn check_call(&self, call: Call) -> Result<()> {
        mode::check_call(call)
    }

    fn check_destroy(&self, stream: &Stream) -> Result<()> {
        let raw = stream.handle.raw();
        if let Some(capture) = capture_of(stream) {
            return Err(takes_part(raw, &capture));
        }
        if Recorder::existing(stream).is_some_and(|recorder| recorder.is_updating()) {
            return Err(param_invalid!(
                "stream {raw:#x} changes a task group; call aclmdlRICaptureTaskUpdateEnd first, or \
                 aclrtDestroyStreamForce, which leaves the group as it was"
            ));
        }
        Ok(())
    }

    fn abort(&self, stream: &Stream, why: &Fault, deadline: Option<Instant>) -> Wait {
        flow::run::drop_runs_of(stream.handle, why, deadline)
    }

    fn note(&self, stream: &Stream, change: Change) {
        match change {
            Change::Aborted => {
                if let Some(capture) = capture_of(stream) {
                    capture.spoil("one of its streams was aborted");
                }
                flow::run::stream_drops_work(stream.handle);
            }
            Change::Stopped => flow::run::stream_drops_work(stream.handle),
            Change::Limited(until) => flow::run::limit(stream.handle, until),
            Change::Ending => stream_ends(stream),
        }
    }
}

#[cold]
fn takes_part(stream: u64, capture: &Capture) -> Error {
    if capture.is_built {
        return param_invalid!(
            "stream {stream:#x} is bound to modelRI {:#x}; call aclmdlRIUnbindStream first, or aclmdlRIDestroy",
            capture.graph.raw()
        );
    }
    error_with!(
        Code::StreamCaptured,
        "stream {stream:#x} is being captured; call aclmdlRICaptureEnd first, or aclrtDestroyStreamForce, which \
             ends the capture without a graph"
    )
}

/// A stream is about to be destroyed, or to end with its device.
fn stream_ends(stream: &Stream) {
    let Some(capture) = capture_of(stream) else { return };
    if capture.origin == stream.handle {
        capture.cancel();
    } else {
        capture.spoil("a stream that had joined it was destroyed");
    }
    Recorder::of(stream).leave(&capture);
}
