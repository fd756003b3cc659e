//! The waits of a stream, and its records that others wait for, so that they can end early.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::StreamState;
use crate::backend::stream::watch::Watched;
use crate::backend::{Position, ValueWait};
use crate::stream::host_fn::Arrival;
use crate::stream::mark::Mark;

/// A wait that the driver may still have.
pub(crate) struct DriverWait {
    pub wait: ValueWait,
    /// The mark right after the wait.
    pub mark: Mark,
    pub position: Position,
    pub thread: u32,
}

/// A wait that the host watches for a stream, pending or begun.
pub(crate) struct HostWait {
    pub stream: Arc<StreamState>,
    pub watched: Watched,
    pub thread: u32,
    /// The stream's arrival, while it waits. The stream goes on when it is dropped.
    pub arrival: Mutex<Option<Arrival>>,
    /// The number of the stream's aborts when this was enqueued.
    pub aborts: u64,
}

impl HostWait {
    /// Whether the wait ends when the stream reaches it.
    pub(crate) fn is_dropped(&self) -> bool {
        self.stream.has_dropped(self.aborts)
    }

    /// Ends the wait if it has begun, so that the stream goes on. If it has not begun, it is dropped when the stream
    /// reaches it.
    pub(crate) fn cancel(&self) {
        self.watched.cancel();
        let arrival = self.arrival.lock().take();
        drop(arrival);
    }
}

/// A list of objects that others own.
pub(crate) type Held<T> = Mutex<Vec<Weak<T>>>;

/// Adds to a list. When the list is full, first removes what is complete: rarely, because that may query the driver.
pub(crate) fn note<T>(list: &Mutex<Vec<T>>, one: T, is_over: impl Fn(&T) -> bool) {
    let mut list = list.lock();
    if list.len() == list.capacity() {
        list.retain(|other| !is_over(other));
        let left = list.len();
        list.reserve(left + 8);
    }
    list.push(one);
}

/// Adds as [`note`] does, for objects that others own.
pub(crate) fn note_weak<T>(list: &Held<T>, one: &Arc<T>) {
    note(list, Arc::downgrade(one), |other| other.strong_count() == 0);
}

/// Returns the objects of a list that still exist.
pub(crate) fn held<T>(list: &Held<T>) -> Vec<Arc<T>> {
    list.lock().iter().filter_map(Weak::upgrade).collect()
}
