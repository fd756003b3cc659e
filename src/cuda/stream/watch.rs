//! Implements waits that the host watches for a stream: for notifies, and for values for which the driver does not
//! wait. A GPU can neither wait for the count of a notify and clear it in one step, nor end a wait early. So the host
//! changes notifies too.
//!
//! A stream that reaches such a wait passes it to the watcher, and then waits for its word, as after a host function
//! (`host_fn.rs`). The watcher ends that wait.

use std::sync::Arc;

use parking_lot::Mutex;

use super::host_fn::{self, Arrival};
use super::state::{HostWait, StreamState, note_weak};
use crate::backend::stream::watch::{Expected, Watched};
use crate::backend::{Change, Notify, NotifyWait, Position, Result, thread_number};

impl HostWait {
    /// Begins the wait when the stream reaches it.
    fn begin(self: Arc<Self>, arrival: Arrival) {
        if self.is_dropped() {
            return;
        }
        *self.arrival.lock() = Some(arrival);
        let stream = &self.stream;
        // Only the watcher has this reference until the wait ends.
        let ending = Arc::clone(&self);
        let end = Box::new(move |outcome| ending.end(outcome));
        // SAFETY: managed memory, which the core checked, has one address. The stream passes the wait only after the
        // watcher has stopped to check it.
        let waits = unsafe { self.watched.begin(|word| word.addr, stream.waits_until(), end) };
        // This checks again: a call that ended the stream's waits in the meantime has not found this one.
        if !waits || self.is_dropped() {
            self.cancel();
        } else if let Some(until) = stream.waits_until() {
            self.watched.limit(until);
        }
    }

    fn end(&self, outcome: Result<()>) {
        let arrival = self.arrival.lock().take();
        let (Err(fault), Some(arrival)) = (outcome, arrival) else { return };
        arrival.fail(&self.stream, fault, self.thread);
    }
}

/// Enqueues a wait. The stream's device has [words](super::words::Words).
pub(crate) fn queue(stream: &Arc<StreamState>, expected: Expected) -> Result<Position> {
    let waiting = Arc::new(HostWait {
        stream: Arc::clone(stream),
        watched: Watched::new(&stream.device.driver.watcher, expected)?,
        thread: thread_number(),
        arrival: Mutex::new(None),
        aborts: stream.aborts(),
    });
    note_weak(&stream.host_waits, &waiting);
    host_fn::deliver(stream, move |arrival| waiting.begin(arrival))
}

/// Enqueues a change of a notify.
pub(crate) fn change_notify(stream: &Arc<StreamState>, notify: &Arc<Notify>, change: Change) -> Result<Position> {
    if notify.is_record() {
        note_weak(&stream.event_records, notify);
    }
    let (notify, watcher) = (Arc::clone(notify), Arc::clone(&stream.device.driver.watcher));
    host_fn::deliver_unawaited(stream, move || {
        notify.change(change);
        watcher.check(notify.range());
    })
}

/// Enqueues a wait for a notify.
pub(crate) fn wait_for_notify(stream: &Arc<StreamState>, notify: &Arc<Notify>, wait: NotifyWait) -> Result<Position> {
    stream.device.require_words(
        "they cannot wait for notifies, or for events with ACL_EVENT_EXTERNAL or ACL_EVENT_IPC; use an event without \
         these flags, or wait for the event with aclrtSynchronizeEvent",
    )?;
    queue(stream, Expected::Notify(Arc::clone(notify), wait))
}
