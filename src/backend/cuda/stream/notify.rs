//! Notifies, which the host changes and watches (`watch.rs`): a GPU cannot wait for a count and clear
//! it in one step, nor give a wait up.

use std::sync::Arc;

use super::host_fn;
use crate::backend::cuda::stream::state::StreamState;
use crate::backend::cuda::stream::watch;
use crate::backend::stream::watch::Expected;
use crate::backend::{Change, Delivery, Notify, NotifyWait, Position, Result, Ticket};

/// A change that a stream has not come to.
struct Record {
    stream: Arc<StreamState>,
    notify: Arc<Notify>,
    change: Change,
}

impl Delivery for Record {
    fn deliver(self: Box<Self>, _ticket: Ticket) {
        self.notify.change(self.change);
        self.stream.device.driver.watcher.check(self.notify.range());
    }
}

/// Queues a change.
pub fn change(stream: &Arc<StreamState>, notify: &Arc<Notify>, change: Change) -> Result<Position> {
    let (owner, notify) = (Arc::clone(stream), Arc::clone(notify));
    if notify.is_record() {
        stream.event_records.note(&notify);
    }
    host_fn::hand_over(stream, Box::new(Record { stream: owner, notify, change }), false)
}

/// Queues a wait.
pub fn wait(stream: &Arc<StreamState>, notify: &Arc<Notify>, wait: NotifyWait) -> Result<Position> {
    stream.device.require_words("they cannot wait for notifies; use an event")?;
    watch::queue(stream, Expected::Notify(Arc::clone(notify), wait))
}
