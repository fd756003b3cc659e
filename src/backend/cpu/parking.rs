//! Sleeping until something changes, where telling costs nothing while nobody sleeps.

use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::Instant;

use parking_lot::{Condvar, Mutex};

/// An event count. A waiter takes a key, looks once more whether what it waits for has happened,
/// and sleeps only while nobody has called [`Self::notify`] since the key was taken.
pub(super) struct EventCount {
    /// Number of notifications in the upper half, number of waiters in the lower half.
    state: AtomicU64,
    lock: Mutex<()>,
    changed: Condvar,
}

/// What [`EventCount::prepare`] gives; every key goes to `wait` or `cancel`.
#[must_use]
pub(super) struct Key(u64);

const NOTIFIED: u64 = 1 << 32;

impl EventCount {
    pub(super) const fn new() -> Self {
        Self { state: AtomicU64::new(0), lock: Mutex::new(()), changed: Condvar::new() }
    }

    /// Announces a waiter. What it waits for must be looked at after this.
    pub(super) fn prepare(&self) -> Key {
        let before = self.state.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        Key(before / NOTIFIED)
    }

    /// The waiter need not sleep after all.
    pub(super) fn cancel(&self, key: Key) {
        let Key(_) = key;
        self.state.fetch_sub(1, Ordering::Release);
    }

    /// Sleeps until a notification after the key was taken (true), or the deadline (false).
    pub(super) fn wait(&self, key: Key, deadline: Option<Instant>) -> bool {
        let mut guard = self.lock.lock();
        let mut notified = true;
        while self.state.load(Ordering::Acquire) / NOTIFIED == key.0 {
            match deadline {
                None => self.changed.wait(&mut guard),
                Some(deadline) => {
                    if self.changed.wait_until(&mut guard, deadline).timed_out() {
                        notified = self.state.load(Ordering::Acquire) / NOTIFIED != key.0;
                        break;
                    }
                }
            }
        }
        drop(guard);
        self.state.fetch_sub(1, Ordering::Release);
        notified
    }

    /// Wakes all waiters. What they wait for must have been written before. One fence and one
    /// load when nobody waits.
    #[inline]
    pub(super) fn notify(&self) {
        fence(Ordering::SeqCst);
        if !self.state.load(Ordering::Relaxed).is_multiple_of(NOTIFIED) {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        let _guard = self.lock.lock();
        self.state.fetch_add(NOTIFIED, Ordering::Release);
        self.changed.notify_all();
    }
}
