//! Events with ACL_EVENT_EXTERNAL: signals between streams and graphs, also graphs that run already.
//!
//! Such an event is set or not. A record sets it, a reset clears it, and a wait lasts until it is set:
//! each when its stream, or its run of a graph, comes to it. Other events are different: a wait for
//! one is for the record that was the latest when the wait was queued.

use std::sync::Arc;
use std::time::Duration;

use super::{Event, captured, flag};
use crate::backend::{Change, Notify, NotifyWait, Op, Until, Work};
use crate::core::base::error::Result;
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
    stream.submit_now(Op::ChangeNotify(signal, SET)).map(drop)
}

/// A stream that is not captured clears it.
pub(super) fn clear(signal: &Arc<Notify>, stream: &Stream) -> Result<()> {
    stream.submit_now(Op::ChangeNotify(signal, CLEAR)).map(drop)
}

/// A stream that is not captured waits for it.
pub(super) fn wait(
    event: &Event,
    signal: &Arc<Notify>,
    stream: &Stream,
    limit: Option<Duration>,
) -> Result<()> {
    let mut uses = event.uses.lock();
    super::wait::queue_marked(event, stream, &mut uses, Op::WaitNotify(signal, until_set(limit)))
}

impl Event {
    /// Whether it has ACL_EVENT_EXTERNAL.
    pub fn is_external(&self) -> bool {
        self.signal.is_some()
    }

    /// What each run of a graph does for a record for those outside of it.
    pub fn record_of_runs(&self) -> (Option<Work>, Option<Step>) {
        if let Some(shared) = &self.shared {
            return (None, Some(Step::Record(Arc::clone(shared.native()))));
        }
        let set = |signal| Step::ChangeNotify(Arc::clone(signal), SET);
        (Some(Work::Record(Arc::clone(&self.native))), self.signal.as_ref().map(set))
    }

    /// What each run of a graph does for a wait for those outside of it: for its signal, or, without one, for the
    /// record that is the latest when the run is queued.
    pub fn wait_of_runs(&self) -> Result<Step> {
        self.check_waitable()?;
        Ok(match (&self.signal, &self.shared) {
            (Some(signal), _) => Step::WaitNotify(Arc::clone(signal), until_set(None)),
            (None, Some(shared)) => Step::WaitShared(Arc::clone(shared.native())),
            (None, None) => Step::Wait(Arc::clone(&self.native)),
        })
    }

    /// What each run of a graph does for a reset: without a signal nothing, since it records the event anew.
    pub fn reset_of_runs(&self) -> Result<Option<Step>> {
        self.check_resettable()?;
        Ok(self.signal.as_ref().map(|signal| Step::ChangeNotify(Arc::clone(signal), CLEAR)))
    }
}

/// Each run of a graph records the event, for those outside of it.
pub(super) fn record_in_runs(raw: u64, event: &Event, stream: &Stream) -> Result<()> {
    let (work, step) = event.record_of_runs();
    captured::capture_of(stream)?.add_external(stream.handle, What::EventRecord(raw), work, step)
}

/// Each run of a graph waits for the event.
pub(super) fn wait_in_runs(raw: u64, event: &Event, stream: &Stream) -> Result<()> {
    let step = event.wait_of_runs()?;
    let capture = captured::capture_of(stream)?;
    capture.add_external(stream.handle, What::EventWait(raw), None, Some(step))
}

/// Each run of a graph clears the signal.
pub(super) fn clear_in_runs(raw: u64, event: &Event, stream: &Stream) -> Result<()> {
    let step = event.reset_of_runs()?;
    captured::capture_of(stream)?.add_external(stream.handle, What::EventReset(raw), None, step)
}
