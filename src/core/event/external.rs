//! Events with ACL_EVENT_EXTERNAL: signals between streams and graphs, also graphs that run already.
//!
//! Such an event is set or not. A record sets it, a reset clears it, and a wait lasts until it is set:
//! each when its stream, or its run of a graph, comes to it. Other events are different: a wait for
//! one is for the record that was the latest when the wait was queued.

use std::sync::Arc;
use std::time::Duration;

use super::{Event, captured, flag};
use crate::backend::{Change, Notify, NotifyWait, Until, Work};
use crate::core::error::Result;
use crate::core::graph::task::{Step, What};
use crate::core::runtime;
use crate::core::stream::Stream;

const SET: Change = Change::Set(1);
const CLEAR: Change = Change::Set(0);

/// The signal of a new event that is to have one.
pub(super) fn create_signal(flags: u32) -> Result<Option<Arc<Notify>>> {
    if flags & flag::EXTERNAL == 0 {
        return Ok(None);
    }
    Ok(Some(runtime::session()?.driver.create_notify()?))
}

fn until_set(limit: Option<Duration>) -> NotifyWait {
    NotifyWait { until: Until::AtLeast(1), clear: false, limit }
}

/// A stream that is not captured sets it. Before the event's record: who waits for that sees it set.
pub(super) fn set(signal: &Arc<Notify>, stream: &Stream) -> Result<()> {
    stream.submit_now(|native| native.change_notify(signal, SET)).map(drop)
}

/// A stream that is not captured clears it.
pub(super) fn clear(signal: &Arc<Notify>, stream: &Stream) -> Result<()> {
    stream.submit_now(|native| native.change_notify(signal, CLEAR)).map(drop)
}

/// A stream that is not captured waits for it.
pub(super) fn wait(
    event: &Event,
    signal: &Arc<Notify>,
    stream: &Stream,
    limit: Option<Duration>,
) -> Result<()> {
    let mut uses = event.uses.lock();
    super::queue_marked(event, stream, &mut uses, |native| {
        native.wait_notify(signal, until_set(limit))
    })
}

/// Each run of a graph records the event, for those outside of it.
pub(super) fn record_in_runs(raw: u64, event: &Event, stream: &Stream) -> Result<()> {
    let capture = captured::capture_of(stream)?;
    let what = What::EventRecord(raw);
    let work = Work::Record(Arc::clone(&event.native));
    match &event.signal {
        Some(signal) => {
            let step = Step::ChangeNotify(Arc::clone(signal), SET);
            capture.add_step(stream.handle, what, Some(work), step)
        }
        None => capture.add(stream.handle, what, vec![Some(work)]),
    }
    .map(drop)
}

/// Each run of a graph waits for the event: for its signal, or, without one, for the record that is the
/// latest when the run is queued.
pub(super) fn wait_in_runs(raw: u64, event: &Event, stream: &Stream) -> Result<()> {
    let step = match &event.signal {
        Some(signal) => Step::WaitNotify(Arc::clone(signal), until_set(None)),
        None => Step::Wait(Arc::clone(&event.native)),
    };
    let capture = captured::capture_of(stream)?;
    capture.add_step(stream.handle, What::EventWait(raw), None, step).map(drop)
}

/// Each run of a graph clears the signal.
pub(super) fn clear_in_runs(raw: u64, signal: &Arc<Notify>, stream: &Stream) -> Result<()> {
    let step = Step::ChangeNotify(Arc::clone(signal), CLEAR);
    let capture = captured::capture_of(stream)?;
    capture.add_step(stream.handle, What::EventReset(raw), None, step).map(drop)
}
