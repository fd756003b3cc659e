//! An eventcount: waits for a condition that other threads make true without a lock.
//!
//! ```
//! # use portacl::algo::sync::event_count::EventCount;
//! # use std::sync::atomic::{AtomicBool, Ordering};
//! # let (events, ready) = (EventCount::new(), AtomicBool::new(true));
//! // The waiter:
//! while !ready.load(Ordering::Acquire) {
//!     let key = events.prepare();
//!     if ready.load(Ordering::Acquire) {
//!         break;
//!     }
//!     events.wait(key, None);
//! }
//! // The notifier:
//! ready.store(true, Ordering::Release);
//! events.notify_all();
//! ```
//!
//! No wake-up is lost: a waiter reads the number of notifications and then checks the condition, a notifier makes the
//! condition true and then counts a notification, both under one lock. [`EventCount::wait_for`] is the loop above.

use std::time::Instant;

use crate::algo::sync::primitives::{Condvar, Mutex, const_unless_loom, wait_until};

/// See the module's text.
pub struct EventCount {
    /// The number of notifications.
    notified: Mutex<u64>,
    condvar: Condvar,
}

/// The number of notifications so far. [`EventCount::wait`] of the same eventcount ends at a later one.
#[must_use = "a key is read in order to wait for a later notification"]
#[derive(Debug)]
pub struct Key(u64);

impl EventCount {
    const_unless_loom! {
        /// Without waiters.
        #[expect(clippy::new_without_default, reason = "its count outside of models begins in a constant")]
        pub fn new() -> Self {
            Self { notified: Mutex::new(0), condvar: Condvar::new() }
        }
    }

    /// Begins a wait. Check the condition after this, not before.
    pub fn prepare(&self) -> Key {
        Key(*self.notified.lock())
    }

    /// Sleeps until a notification after [`Self::prepare`], or until the deadline: then `false`. Check the condition
    /// again in either case.
    pub fn wait(&self, key: Key, deadline: Option<Instant>) -> bool {
        let mut notified = self.notified.lock();
        let mut in_time = true;
        while in_time && *notified == key.0 {
            (notified, in_time) = wait_until(&self.condvar, notified, deadline);
        }
        *notified != key.0
    }

    /// Waits until `ready` returns true, or until the deadline: then `false`. `ready` is called at least once, on this
    /// thread, with no lock held.
    pub fn wait_for(&self, deadline: Option<Instant>, ready: impl Fn() -> bool) -> bool {
        loop {
            let key = self.prepare();
            if ready() {
                return true;
            }
            if !self.wait(key, deadline) {
                return ready();
            }
        }
    }

    /// Wakes all waiters. Call it after the condition became true.
    pub fn notify_all(&self) {
        *self.notified.lock() += 1;
        self.condvar.notify_all();
    }
}

#[cfg(test)]
#[path = "event_count_tests.rs"]
mod tests;
