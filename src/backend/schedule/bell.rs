//! Wakes a thread that waits for its turn.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::yield_now;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, MutexGuard};

/// The time for which a thread waits without sleeping.
const SPIN: Duration = Duration::from_micros(100);

/// Wakes one thread. It is rung under the lock that the thread gives up while it waits.
#[derive(Default)]
pub(super) struct Bell {
    has_rung: AtomicBool,
    sleeper: Condvar,
}

impl Bell {
    pub(super) fn ring(&self) {
        // Relaxed: the thread that spins takes the lock before it reads anything else.
        self.has_rung.store(true, Ordering::Relaxed);
        self.sleeper.notify_one();
    }

    /// Waits a short time without sleeping. Other threads that need this processor get it.
    pub(super) fn spin<T>(&self, locked: &mut MutexGuard<'_, T>) {
        self.has_rung.store(false, Ordering::Relaxed);
        let end = Instant::now() + SPIN;
        MutexGuard::unlocked(locked, || {
            while !self.has_rung.load(Ordering::Relaxed) && Instant::now() < end {
                yield_now();
            }
        });
    }

    /// Sleeps for at most the time `limit`, if there is one. Returns whether the bell has rung.
    pub(super) fn sleep<T>(&self, locked: &mut MutexGuard<'_, T>, limit: Option<Duration>) -> bool {
        let Some(limit) = limit else {
            self.sleeper.wait(locked);
            return true;
        };
        !self.sleeper.wait_for(locked, limit).timed_out()
    }
}
