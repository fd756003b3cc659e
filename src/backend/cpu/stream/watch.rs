//! Waits of streams for changes in memory without a notification.

use std::sync::Arc;
use std::time::Instant;

use crate::backend::Result;
use crate::backend::cpu::runtime::shared::Shared;
use crate::backend::cpu::transfer::stream_value;
use crate::backend::stream::watch::{End, Expected, Range, Seat};

/// A wait of a stream, queued or in progress.
pub struct Watched {
    seat: Seat,
    shared: Arc<Shared>,
    expected: Expected,
}

impl Watched {
    /// A wait that is about to be queued.
    pub fn new(shared: &Arc<Shared>, expected: Expected) -> Result<Arc<Self>> {
        let seat = shared.watcher.seat()?;
        Ok(Arc::new(Self { seat, shared: Arc::clone(shared), expected }))
    }

    /// The memory of programs that the wait uses.
    pub fn memory(&self) -> Range {
        match &self.expected {
            Expected::Value(_) => self.expected.range(),
            Expected::Notify(..) => (0, 0),
        }
    }

    /// The stream, which ends with its device then, has reached the wait: false if it is complete already, otherwise
    /// `end` is called later.
    pub fn begin(&self, device_ends: Option<Instant>, end: End) -> bool {
        // SAFETY: the core checked the range. The wait is complete only after the watcher has stopped to check it.
        let condition = unsafe { self.expected.condition(|span| stream_value::word_addr(&self.shared, span)) };
        self.seat.begin(self.expected.range(), condition, self.expected.deadline(device_ends), end)
    }

    /// A wait in progress ends at this time at the latest, because the device ends.
    pub fn limit(&self, device_ends: Instant) {
        self.seat.set_deadline(device_ends, self.expected.never_came());
    }

    /// Cancels the wait: it is not checked any more.
    pub fn cancel(&self) {
        self.seat.cancel();
    }
}
