//! Events with ACL_EVENT_EXTERNAL: signals between streams and graphs, also graphs that run already.
//!
//! Such an event is set or not. A record sets it, a reset clears it, and a wait lasts until it is set; each takes
//! effect when its stream, or its run of a graph, reaches it. A wait for any other event is for the record that was the
//! latest when the wait was queued.

use std::sync::Arc;
use std::time::Duration;

use super::lifetime::no_event;
use super::{Event, flag};
use crate::backend::{Change, Notify, NotifyWait, Op, Until};
use crate::core::base::error::Result;
use crate::core::runtime;
use crate::core::stream::stream::Stream;

/// Sets the signal.
pub const SET: Change = Change::Set(1);
/// Clears the signal.
pub const CLEAR: Change = Change::Set(0);

/// Creates the signal of a new event that needs one.
pub(super) fn create_signal(flags: u32) -> Result<Option<Arc<Notify>>> {
    if flags & flag::EXTERNAL == 0 {
        return Ok(None);
    }
    Ok(Some(runtime::session()?.driver.create_notify().map_err(no_event)?))
}

/// Waits until the signal is set, at most this long.
pub fn until_set(limit: Option<Duration>) -> NotifyWait {
    NotifyWait { until: Until::AtLeast(1), clear: false, limit }
}

/// A stream that is not captured sets it. Before the event's record: a thread that waits for the record sees it set.
pub(super) fn set(signal: &Arc<Notify>, stream: &Stream) -> Result<()> {
    stream.submit_now(Op::ChangeNotify(signal, SET)).map(drop)
}

/// A stream that is not captured clears it.
pub(super) fn clear(signal: &Arc<Notify>, stream: &Stream) -> Result<()> {
    stream.submit_now(Op::ChangeNotify(signal, CLEAR)).map(drop)
}

/// A stream that is not captured waits for it.
pub(super) fn wait(event: &Event, signal: &Arc<Notify>, stream: &Stream, limit: Option<Duration>) -> Result<()> {
    let mut uses = event.uses.lock();
    super::wait::queue_marked(event, stream, &mut uses, Op::WaitNotify(signal, until_set(limit)))
}
