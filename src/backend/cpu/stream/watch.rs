//! Waits of streams for changes in memory without a notification.

use std::sync::Arc;
use std::time::Instant;

use crate::backend::cpu::runtime::shared::Shared;
use crate::backend::cpu::transfer::stream_value;
use crate::backend::stream::watch::{End, Range, Seat};
use crate::backend::{Notify, NotifyWait, Result, ValueWait};

/// A wait of a stream, queued or in progress.
pub struct Watched {
    seat: Seat,
    shared: Arc<Shared>,
    change: Change,
}

enum Change {
    Value(ValueWait),
    Notify(Arc<Notify>, NotifyWait),
}

impl Watched {
    /// A wait for a value, which is about to be queued.
    pub fn value(shared: &Arc<Shared>, wait: ValueWait) -> Result<Arc<Self>> {
        Self::new(shared, Change::Value(wait))
    }

    /// A wait for a notify, which is about to be queued.
    pub fn notify(shared: &Arc<Shared>, notify: &Arc<Notify>, wait: NotifyWait) -> Result<Arc<Self>> {
        Self::new(shared, Change::Notify(Arc::clone(notify), wait))
    }

    fn new(shared: &Arc<Shared>, change: Change) -> Result<Arc<Self>> {
        let seat = shared.watcher.seat()?;
        Ok(Arc::new(Self { seat, shared: Arc::clone(shared), change }))
    }

    /// The memory of programs that the wait uses.
    pub fn memory(&self) -> Range {
        match &self.change {
            Change::Value(wait) => (wait.src.addr, wait.src.len),
            Change::Notify(..) => (0, 0),
        }
    }

    /// The stream, which ends with its device then, has reached the wait: false if it is complete already, otherwise
    /// `end` is called later.
    pub fn begin(&self, device_ends: Option<Instant>, end: End) -> bool {
        let (range, condition, deadline) = match &self.change {
            Change::Value(wait) => {
                // SAFETY: the wait is complete only after the watcher has stopped to check it.
                let condition = unsafe { stream_value::condition(&self.shared, wait) };
                let deadline = device_ends.map(|ends| (ends, wait.never_came()));
                (self.memory(), condition, deadline)
            }
            Change::Notify(notify, wait) => (notify.range(), notify.condition(*wait), wait.deadline(device_ends)),
        };
        self.seat.begin(range, condition, deadline, end)
    }

    /// A wait in progress ends at this time at the latest, because the device ends.
    pub fn limit(&self, device_ends: Instant) {
        self.seat.set_deadline(
            device_ends,
            match &self.change {
                Change::Value(wait) => wait.never_came(),
                Change::Notify(..) => NotifyWait::never_came(),
            },
        );
    }

    /// Cancels the wait: it is not checked any more.
    pub fn cancel(&self) {
        self.seat.cancel();
    }
}
