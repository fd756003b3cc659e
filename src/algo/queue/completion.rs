//! Something that happens once, and who waits for it without a thread.

use std::sync::Arc;

use crate::algo::sync::primitives::Mutex;
use crate::algo::sync::primitives::atomic::{AtomicBool, Ordering};

/// Has not happened when it is made. Who waits puts itself on a list; who makes it happen gets the
/// list, once.
pub struct Completion<W> {
    done: AtomicBool,
    waiting: Mutex<Vec<Arc<W>>>,
}

impl<W> Completion<W> {
    /// It has not happened.
    #[expect(
        clippy::new_without_default,
        reason = "pending is a state that the caller should name"
    )]
    pub fn new() -> Self {
        Self { done: AtomicBool::new(false), waiting: Mutex::new(Vec::new()) }
    }

    /// Whether it has happened. What was done before it did can be seen then.
    pub fn is_complete(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Puts a waiter on the list that [`Self::complete`] returns; false if it has happened.
    pub fn subscribe(&self, waiter: &Arc<W>) -> bool {
        if self.is_complete() {
            return false;
        }
        let mut waiting = self.waiting.lock();
        if self.is_complete() {
            return false;
        }
        waiting.push(Arc::clone(waiter));
        true
    }

    /// Takes a waiter off the list again, if it is on it.
    pub fn unsubscribe(&self, waiter: &Arc<W>) {
        self.waiting.lock().retain(|other| !Arc::ptr_eq(other, waiter));
    }

    /// Takes those off the list that `wanted` picks out, and returns them.
    pub fn take_waiters(&self, wanted: impl FnMut(&mut Arc<W>) -> bool) -> Vec<Arc<W>> {
        self.waiting.lock().extract_if(.., wanted).collect()
    }

    /// It happens now. Returns who waited; the caller lets them go on.
    pub fn complete(&self) -> Vec<Arc<W>> {
        let mut waiting = self.waiting.lock();
        self.done.store(true, Ordering::Release);
        std::mem::take(&mut waiting)
    }
}
