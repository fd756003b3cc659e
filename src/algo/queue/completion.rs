//! A one-time event with waiters that need no thread.

use std::sync::Arc;

use crate::sync::primitives::Mutex;
use crate::sync::primitives::atomic::{AtomicBool, Ordering};

/// A one-time event. Waiters add themselves to a list. The thread that completes the event gets the list, once.
pub struct Completion<W> {
    done: AtomicBool,
    waiting: Mutex<Vec<Arc<W>>>,
}

impl<W> Completion<W> {
    /// Creates an event that is not complete.
    #[expect(clippy::new_without_default, reason = "pending is a state that the caller should name")]
    pub fn new() -> Self {
        Self { done: AtomicBool::new(false), waiting: Mutex::new(Vec::new()) }
    }

    /// Whether the event is complete. If so, writes before the completion are visible.
    pub fn is_complete(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Adds a waiter to the list that [`Self::complete`] returns. Returns false if the event is complete.
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

    /// Removes a waiter from the list, if it is on it.
    pub fn unsubscribe(&self, waiter: &Arc<W>) {
        self.waiting.lock().retain(|other| !Arc::ptr_eq(other, waiter));
    }

    /// Removes the waiters for which `wanted` is true from the list, and returns them.
    pub fn take_waiters(&self, wanted: impl FnMut(&mut Arc<W>) -> bool) -> Vec<Arc<W>> {
        self.waiting.lock().extract_if(.., wanted).collect()
    }

    /// Completes the event. Returns the waiters, which the caller resumes.
    pub fn complete(&self) -> Vec<Arc<W>> {
        let mut waiting = self.waiting.lock();
        self.done.store(true, Ordering::Release);
        std::mem::take(&mut waiting)
    }
}
