//! An eventcount: waits for a condition that other threads make true without a lock. A notification is nearly free if
//! there are no waiters.
//!
//! ```
//! # use portacl::algo::sync::event_count::EventCount;
//! # use std::sync::atomic::{AtomicBool, Ordering};
//! # let (events, ready) = (EventCount::new(), AtomicBool::new(true));
//! // The waiter:
//! while !ready.load(Ordering::Acquire) {
//!     let key = events.prepare();
//!     if ready.load(Ordering::Acquire) {
//!         events.cancel(key);
//!         break;
//!     }
//!     events.wait(key, None);
//! }
//! // The notifier:
//! ready.store(true, Ordering::Release);
//! events.notify_all();
//! ```
//!
//! No wake-up is lost: a waiter announces itself and then checks the condition, a notifier makes the condition true and
//! then checks for waiters, with a full fence between the two steps of each, so at least one of them sees the other.
//! [`EventCount::wait_for`] is the loop above.

use std::time::Instant;

use crate::algo::sync::primitives::atomic::{AtomicU64, Ordering, fence};
use crate::algo::sync::primitives::{Condvar, Mutex, const_unless_loom};

/// One waiter, in the lower half of the state.
const WAITER: u64 = 1;
const WAITERS: u64 = u32::MAX as u64;
/// One notification with waiters, in the upper half of the state.
const EPOCH: u64 = 1 << 32;

/// See the module's text.
pub struct EventCount {
    state: AtomicU64,
    /// Makes "read the epoch, then sleep" one step for notifiers.
    lock: Mutex<()>,
    condvar: Condvar,
}

/// An announced waiter, which sees every later notification. Passed to [`EventCount::wait`] or [`EventCount::cancel`]
/// of the same eventcount.
#[must_use = "wait or cancel, or every notification will look for this waiter"]
#[derive(Debug)]
pub struct Key(u64);

impl EventCount {
    const_unless_loom! {
        /// Without waiters.
        pub fn new() -> Self {
            Self { state: AtomicU64::new(0), lock: Mutex::new(()), condvar: Condvar::new() }
        }
    }

    /// Announces a waiter. Check the condition after this, not before.
    pub fn prepare(&self) -> Key {
        let state = self.state.fetch_add(WAITER, Ordering::Relaxed);
        // Between the announcement and the caller's check of the condition; see `somebody_waits`.
        fence(Ordering::SeqCst);
        Key(state / EPOCH)
    }

    /// The condition is true already: no wait.
    pub fn cancel(&self, key: Key) {
        let Key(_) = key;
        self.state.fetch_sub(WAITER, Ordering::Relaxed);
    }

    /// Sleeps until a notification after [`Self::prepare`], or until the deadline: then `false`. Check the condition
    /// again in either case.
    pub fn wait(&self, key: Key, deadline: Option<Instant>) -> bool {
        let mut lock = self.lock.lock();
        let mut in_time = true;
        let notified = loop {
            if self.state.load(Ordering::Acquire) / EPOCH != key.0 {
                break true;
            }
            if !in_time {
                break false;
            }
            (lock, in_time) = self.condvar.wait_until(lock, deadline);
        };
        drop(lock);
        self.cancel(key);
        notified
    }

    /// Waits until `ready` returns true, or until the deadline: then `false`. `ready` is called at least once, on this
    /// thread, with no lock held.
    pub fn wait_for(&self, deadline: Option<Instant>, mut ready: impl FnMut() -> bool) -> bool {
        loop {
            if ready() {
                return true;
            }
            let key = self.prepare();
            if ready() {
                self.cancel(key);
                return true;
            }
            if !self.wait(key, deadline) {
                return ready();
            }
        }
    }

    /// Wakes all waiters. Call it after the condition became true. With no waiter it costs a fence and a load.
    #[inline]
    pub fn notify_all(&self) {
        if self.somebody_waits() {
            self.announce();
            self.condvar.notify_all();
        }
    }

    /// Wakes at least one sleeper, if there is one. For conditions that satisfy one waiter, and waiters that are alike:
    /// which one it is, is not defined.
    #[inline]
    pub fn notify_one(&self) {
        if self.somebody_waits() {
            self.announce();
            self.condvar.notify_one();
        }
    }

    #[inline]
    fn somebody_waits(&self) -> bool {
        // Between the caller's change of the condition and the check for waiters; see `prepare`.
        fence(Ordering::SeqCst);
        self.state.load(Ordering::Relaxed) & WAITERS != 0
    }

    /// Makes the notification visible to all threads that do not sleep yet.
    #[cold]
    fn announce(&self) {
        self.state.fetch_add(EPOCH, Ordering::Release);
        // A thread that has read the epoch before holds this lock until it sleeps and can be woken.
        drop(self.lock.lock());
    }
}

impl Default for EventCount {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
#[path = "event_count_tests.rs"]
mod tests;
