//! Events in graphs. A record in a captured stream is a place in the tasks, by which other streams join the capture and
//! wait. It does not change the event for streams that run, unless the event has a timestamp or is external: then each
//! run of the graph records it.

use std::sync::{Arc, Weak};

use super::{Capture, Recorder, check_capturable};
use crate::backend::Work;
use crate::base::error::{Code, Result, error_with, unsupported};
use crate::graph::task::{Step, Task, What};
use crate::stream::Stream;
use crate::stream::event::{CLEAR, Event, SET, until_set};
use crate::stream::interceptor::EventUse;

/// The data that an event keeps for its record in a captured stream.
struct CapturedRecord {
    capture: Weak<Capture>,
    /// The task that is the record.
    task: usize,
}

/// Returns the capture that the latest record of an event belongs to, and its task there.
pub(in crate::graph) fn capture_of(event: &Event) -> Option<(Arc<Capture>, usize)> {
    event.intercepted(|kept| {
        let place = kept.downcast_ref::<CapturedRecord>()?;
        let capture = place.capture.upgrade().filter(|capture| !capture.is_over())?;
        Some((capture, place.task))
    })
}

/// Returns the operation of each run for a record that only marks a place in its order.
pub(in crate::graph) fn record_inside(event: &Event) -> Option<Work> {
    event.has_time().then(|| Work::Record(Arc::clone(&event.native)))
}

/// Returns the operation of each run for a record that streams outside of the graph use.
pub(in crate::graph) fn record_of_runs(event: &Event) -> (Option<Work>, Option<Step>) {
    if let Some(shared) = event.shared() {
        return (None, Some(Step::Record(Arc::clone(shared))));
    }
    let set = |signal| Step::ChangeNotify(Arc::clone(signal), SET);
    (Some(Work::Record(Arc::clone(&event.native))), event.signal().map(set))
}

/// Returns the operation of each run for a wait for a record outside of the run. It waits for the signal of the event.
/// If the event has none, it waits for the record that is the latest when the run is enqueued.
pub(in crate::graph) fn wait_of_runs(event: &Event) -> Result<Step> {
    event.check_waitable()?;
    Ok(match (event.signal(), event.shared()) {
        (Some(signal), _) => Step::WaitNotify(Arc::clone(signal), until_set(None)),
        (None, Some(shared)) => Step::WaitShared(Arc::clone(shared)),
        (None, None) => Step::Wait(Arc::clone(&event.native)),
    })
}

/// Returns the operation of each run for a reset. `None` if the event has no signal, because the run records it again.
pub(in crate::graph) fn reset_of_runs(event: &Event) -> Result<Option<Step>> {
    event.check_resettable()?;
    Ok(event.signal().map(|signal| Step::ChangeNotify(Arc::clone(signal), CLEAR)))
}

/// Records what a stream does with an event. Returns false if neither the stream nor the event's record is captured any
/// more.
pub(in crate::graph) fn take(stream: &Stream, event: &Event, raw: u64, usage: EventUse) -> Result<bool> {
    let recorder = Recorder::of(stream);
    let is_external = event.signal().is_some();
    let task = |what, (work, step)| Task { step, is_external: true, ..Task::new(stream.handle, what, work) };
    let task = match usage {
        EventUse::Record if !is_external => return record(&recorder, event, raw).map(|()| true),
        EventUse::Record | EventUse::RecordExternal => task(What::EventRecord(raw), record_of_runs(event)),
        EventUse::Wait if !is_external => return wait(&recorder, event, raw),
        EventUse::Wait | EventUse::WaitExternal => task(What::EventWait(raw), (None, Some(wait_of_runs(event)?))),
        // Each run of the graph records the event again.
        EventUse::Reset if !is_external => Task::new(stream.handle, What::EventReset(raw), None),
        EventUse::Reset => task(What::EventReset(raw), (None, reset_of_runs(event)?)),
    };
    recorder.take_part()?.add_task(task, None).map(|_| true)
}

fn record(recorder: &Recorder<'_>, event: &Event, raw: u64) -> Result<()> {
    let capture = recorder.take_part()?;
    let stream = recorder.stream.handle;
    event.intercept(|| {
        let task = Task::new(stream, What::EventRecord(raw), record_inside(event));
        let (_, task) = capture.add_task(task, None)?;
        Ok(Box::new(CapturedRecord { capture: Arc::downgrade(&capture), task }))
    })
}

/// Records a wait if the stream or the event's record is captured. Returns false if neither is any more.
fn wait(recorder: &Recorder<'_>, event: &Event, raw: u64) -> Result<bool> {
    let stream = recorder.stream;
    let task = Task::new(stream.handle, What::EventWait(raw), None);
    recorder.check_not_updating()?;
    match (recorder.capture(), capture_of(event)) {
        (None, _) if stream.builds_graphs() => recorder.take_part().map(|_| false),
        (None, None) => Ok(false),
        (Some(own), Some((capture, place))) if Arc::ptr_eq(&own, &capture) => {
            own.add_task(task, Some(place)).map(|_| true)
        }
        (Some(own), Some((other, _))) => {
            own.spoil("one of its streams tried to wait for an event of another capture");
            other.spoil("one of its events was used for a wait in a stream of another capture or graph");
            Err(error_with!(
                Code::StreamCaptureConflict,
                "event {raw:#x} was recorded in {other}, but {stream} takes part in {own}, and these cannot wait for \
                 each other. Both are invalid now; call aclmdlRICaptureEnd for a capture and aclmdlRIDestroy for a \
                 graph that is being built, and record one graph after the other"
            ))
        }
        (Some(own), None) => {
            own.spoil("one of its streams tried to wait for work outside of it");
            Err(error_with!(
                Code::CaptureDependency,
                "{stream} takes part in {own}, but event {raw:#x} was not recorded there. Record it in a stream of the \
                 same capture or graph first, wait in a stream that is neither captured nor bound to a graph, or use \
                 an event with ACL_EVENT_EXTERNAL to wait in each run. The capture or graph is invalid now"
            ))
        }
        (None, Some((capture, place))) => {
            join(recorder, &capture)?;
            capture.add_task(task, Some(place)).map(|_| true)
        }
    }
}

/// Lets a stream join a capture.
fn join(recorder: &Recorder<'_>, capture: &Arc<Capture>) -> Result<()> {
    let stream = recorder.stream;
    capture.check()?;
    if capture.is_built {
        return Err(error_with!(
            Code::CaptureDependency,
            "{stream} is not bound to modelRI {}, where the event was recorded; wait in a stream with \
             ACL_STREAM_PERSISTENT that is bound to this graph, or wait for a run: synchronize the stream that runs \
             the graph",
            capture.graph
        ));
    }
    if let Err(error) = check_capturable(stream) {
        capture.spoil("a default stream tried to join it");
        let text = format!("the wait joins {capture}, but {}. The capture is invalid now", error.text());
        return Err(error.with_text(text));
    }
    if stream.device.owner != capture.owner {
        capture.spoil("a stream of another device tried to join it");
        return Err(unsupported!(
            "{stream} is on device {}, but {capture}, where the event was recorded, is on another device: a graph has \
             one device; capture one graph on each device. The capture is invalid now",
            stream.device.id
        ));
    }
    if recorder.join(capture) {
        return Ok(());
    }
    Err(error_with!(
        Code::StreamCaptureConflict,
        "during this call, another thread has let {stream} join another capture, or begun to change a task group with \
         it; end the capture or the change first, or wait for the event in another stream"
    ))
}
