//! What a stream waits for, and its records that others wait for, so that they can end early.

use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;

use super::StreamState;
use crate::backend::cuda::stream::mark::Mark;
use crate::backend::stream::watch::Watched;
use crate::backend::{Position, Ticket, ValueWait};

/// A wait that the driver has, perhaps still.
pub struct DriverWait {
    pub wait: ValueWait,
    /// Right behind it.
    pub mark: Mark,
    pub position: Position,
    pub thread: u32,
}

/// A wait that the host watches for a stream, pending or begun.
pub struct HostWait {
    pub stream: Arc<StreamState>,
    pub watched: Watched,
    pub thread: u32,
    pub position: OnceLock<Position>,
    /// While the stream waits: it goes on when this is dropped.
    pub ticket: Mutex<Option<Ticket>>,
    /// How often the stream had been aborted when this was queued.
    pub aborts: u64,
}

impl HostWait {
    /// Ends the wait if it has begun; the stream goes on. Otherwise it is dropped when the stream reaches it.
    pub fn cancel(&self) {
        self.watched.cancel();
        let ticket = self.ticket.lock().take();
        drop(ticket);
    }
}

/// What others hold, in a list.
pub type Held<T> = Mutex<Vec<Weak<T>>>;

/// Adds to a list. When it is full this first removes what is over: rarely, because that may query the driver.
pub fn note<T>(list: &Mutex<Vec<T>>, one: T, is_over: impl Fn(&T) -> bool) {
    let mut list = list.lock();
    if list.len() == list.capacity() {
        list.retain(|other| !is_over(other));
        let left = list.len();
        list.reserve(left + 8);
    }
    list.push(one);
}

/// As [`note`], for what others hold.
pub fn note_weak<T>(list: &Held<T>, one: &Arc<T>) {
    note(list, Arc::downgrade(one), |other| other.strong_count() == 0);
}

/// What is in a list and still exists.
pub fn held<T>(list: &Held<T>) -> Vec<Arc<T>> {
    list.lock().iter().filter_map(Weak::upgrade).collect()
}
