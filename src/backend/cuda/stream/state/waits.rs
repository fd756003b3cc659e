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

    /// Removes them: they are complete.
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
    /// Ends the wait; the stream goes on.
    fn cancel(&self);

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
    pub fn cancel(&self) {
        self.all().iter().for_each(|wait| wait.cancel());
    }

    /// The stream ends: its waits last until then at the longest.
    pub fn limit(&self, until: Instant) {
        self.all().iter().for_each(|wait| wait.limit(until));
    }
}

/// Records of interprocess events that a stream has not reached, or has reached lately.
///
/// A driver whose device fails drops them, and reports this to no other process and no stream of another device that
/// waits for one.
#[derive(Default)]
pub struct EventRecords(Mutex<Vec<Weak<Notify>>>);

impl EventRecords {
    pub fn note(&self, record: &Arc<Notify>) {
        note_alive(&mut self.0.lock(), record);
    }

    /// The device has failed and will complete none of them: releases the waits for them.
    pub fn drop_all(&self, watcher: &Watcher) {
        for record in self.0.lock().drain(..).filter_map(|record| record.upgrade()) {
            record.drop_record();
            watcher.check(record.range());
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
