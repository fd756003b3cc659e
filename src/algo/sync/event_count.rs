//! An eventcount: lets threads wait for a condition that other threads make true without a lock.
//!
//! ```
//! # use portacl_algo::sync::event_count::EventCount;
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
//! No wake-up is lost. A waiter announces itself, reads the number of notifications, and then checks the condition. A
//! notifier makes the condition true, and counts a notification if it sees a waiter. If it sees none, the waiter sees
//! the condition, because each has a fence in between. [`EventCount::wait_for`] is the loop above.

use std::time::Instant;

use crate::sync::primitives::atomic::{AtomicUsize, Ordering, fence};
use crate::sync::primitives::{Condvar, Mutex, const_unless_loom, wait_until};

/// An eventcount. The module's text describes it.
pub struct EventCount {
    /// The number of keys.
    waiters: AtomicUsize,
    /// The number of notifications that saw a waiter.
    notified: Mutex<u64>,
    condvar: Condvar,
}

/// An announced waiter. [`EventCount::wait`] ends at a notification after it was announced.
#[must_use = "pass the key to `EventCount::wait`, which waits for a later notification"]
pub struct Key<'a> {
    events: &'a EventCount,
    notified: u64,
}

impl Drop for Key<'_> {
    fn drop(&mut self) {
        self.events.waiters.fetch_sub(1, Ordering::Relaxed);
    }
}

impl EventCount {
    const_unless_loom! {
        /// Creates an eventcount without waiters.
        #[expect(clippy::new_without_default, reason = "its count outside of models begins in a constant")]
        pub fn new() -> Self {
            Self { waiters: AtomicUsize::new(0), notified: Mutex::new(0), condvar: Condvar::new() }
        }
    }

    /// Begins a wait. Check the condition after this, not before.
    pub fn prepare(&self) -> Key<'_> {
        self.waiters.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        Key { events: self, notified: *self.notified.lock() }
    }

    /// Sleeps until a notification after [`Self::prepare`], or until the deadline: then returns `false`. Check the
    /// condition again in either case.
    pub fn wait(&self, key: Key<'_>, deadline: Option<Instant>) -> bool {
        let mut notified = self.notified.lock();
        let mut in_time = true;
        while in_time && *notified == key.notified {
            (notified, in_time) = wait_until(&self.condvar, notified, deadline);
        }
        *notified != key.notified
    }

    /// Waits until `ready` returns true, or until the deadline: then returns `false`. `ready` is called at least once,
    /// on this thread, with no lock held.
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

    /// Wakes all waiters. Call it after the condition became true. Without waiters it is a fence and a load.
    pub fn notify_all(&self) {
        fence(Ordering::SeqCst);
        if self.waiters.load(Ordering::Relaxed) > 0 {
            self.wake_all();
        }
    }

    #[cold]
    fn wake_all(&self) {
        *self.notified.lock() += 1;
        self.condvar.notify_all();
    }
}

#[cfg(test)]
#[path = "event_count_tests.rs"]
mod tests;
