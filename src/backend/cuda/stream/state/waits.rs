//! What a stream waits for, and its records that others wait for, so that they can end early.

use std::sync::{Arc, Weak};
use std::time::Instant;

use parking_lot::Mutex;

use crate::backend::cuda::stream::mark::Mark;
use crate::backend::stream::watch::Watcher;
use crate::backend::{Notify, Position, ValueWait};

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
    /// How many were left after the last look for those that are over.
    left: usize,
}

impl ValueWaits {
    pub fn note(&self, wait: DriverWait) {
        let mut list = self.0.lock();
        list.waits.push(wait);
        // Seldom: each look asks the driver.
        if list.waits.len() > 2 * list.left + 8 {
            list.waits.retain(|wait| !wait.mark.is_past());
            list.left = list.waits.len();
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.lock().waits.is_empty()
    }

    /// Forgets them: they are over.
    pub fn clear(&self) {
        let waits = std::mem::take(&mut self.0.lock().waits);
        drop(waits);
    }

    /// Removes all of them, in their order.
    pub fn take(&self) -> Vec<DriverWait> {
        std::mem::take(&mut self.0.lock().waits)
    }
}

/// A wait that the host watches for a stream.
pub trait HostWait: Send + Sync {
    /// The stream goes on.
    fn give_up(&self);

    /// It lasts until then at the longest.
    fn limit(&self, until: Instant);
}

/// The waits of a stream that the host watches, pending or begun.
#[derive(Default)]
pub struct HostWaits(Mutex<Vec<Weak<dyn HostWait>>>);

impl HostWaits {
    pub fn note(&self, wait: &Arc<dyn HostWait>) {
        note_alive(&mut self.0.lock(), wait);
    }

    fn all(&self) -> Vec<Arc<dyn HostWait>> {
        self.0.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// Ends those that have begun. The others are dropped when the stream reaches them.
    pub fn give_up(&self) {
        self.all().iter().for_each(|wait| wait.give_up());
    }

    /// The stream ends: its waits last until then at the longest.
    pub fn limit(&self, until: Instant) {
        self.all().iter().for_each(|wait| wait.limit(until));
    }
}

/// The records of events of several processes that a stream has not come to, or has lately.
///
/// A driver whose device fails forgets them, and who waits for one has no driver to hear it from: another
/// process, or a stream of another device.
#[derive(Default)]
pub struct EventRecords(Mutex<Vec<Weak<Notify>>>);

impl EventRecords {
    pub fn note(&self, record: &Arc<Notify>) {
        note_alive(&mut self.0.lock(), record);
    }

    /// The device has failed: none of them will be made.
    pub fn give_up(&self, watcher: &Watcher) {
        for record in self.0.lock().drain(..).filter_map(|record| record.upgrade()) {
            record.give_up();
            watcher.look(record.range());
        }
    }
}

/// Adds to a list. When it is full this first removes what no longer exists.
fn note_alive<T: ?Sized>(list: &mut Vec<Weak<T>>, one: &Arc<T>) {
    if list.len() == list.capacity() {
        list.retain(|other| other.strong_count() > 0);
    }
    list.push(Arc::downgrade(one));
}
