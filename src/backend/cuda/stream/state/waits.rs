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

/// The waits of a stream that the driver has, perhaps still.
#[derive(Default)]
pub struct ValueWaits(Mutex<List>);

#[derive(Default)]
struct List {
    waits: Vec<DriverWait>,
    /// How many were left when complete ones were last removed.
    left: usize,
}

impl ValueWaits {
    pub fn note(&self, wait: DriverWait) {
        let mut list = self.0.lock();
        list.waits.push(wait);
        // Rarely: each check queries the driver.
        if list.waits.len() > 2 * list.left + 8 {
            list.waits.retain(|wait| !wait.mark.is_past());
            list.left = list.waits.len();
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.lock().waits.is_empty()
    }

    /// Removes all of them, in their order.
    pub fn take(&self) -> Vec<DriverWait> {
        std::mem::take(&mut self.0.lock().waits)
    }
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

/// Adds to a list. When it is full this first removes what no longer exists.
pub fn note<T>(list: &Held<T>, one: &Arc<T>) {
    let mut list = list.lock();
    if list.len() == list.capacity() {
        list.retain(|other| other.strong_count() > 0);
    }
    list.push(Arc::downgrade(one));
}

/// What is in a list and still exists.
pub fn held<T>(list: &Held<T>) -> Vec<Arc<T>> {
    list.lock().iter().filter_map(Weak::upgrade).collect()
}
