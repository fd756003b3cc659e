//! A lock for short critical sections: taking it is one locked instruction, and releasing it a plain store. A thread
//! that has to wait longer, for example during a driver's call, sleeps between tries.

use std::ops::{Deref, DerefMut};

use crate::sync::primitives::atomic::{AtomicBool, Ordering};
use crate::sync::primitives::{Turns, UnsafeCell, const_unless_loom};

/// The number of tries for a lock that is held for some hundred instructions: about a microsecond.
#[cfg(not(loom))]
const LOOKS: usize = 32;

/// A value that one thread at a time uses.
pub struct SpinLock<T> {
    locked: AtomicBool,
    turns: Turns,
    value: UnsafeCell<T>,
}

// SAFETY: the value is only accessed by the thread that has set `locked`, or in `look_unlocked` while such threads
// leave it alone; one at a time.
unsafe impl<T: Send> Sync for SpinLock<T> {}

impl<T> SpinLock<T> {
    const_unless_loom! {
        /// Creates an unlocked lock.
        pub fn new(value: T) -> Self {
            Self {
                locked: AtomicBool::new(false),
                turns: Turns::new(),
                value: UnsafeCell::new(value),
            }
        }
    }

    /// Locks, unless the lock is held.
    pub fn try_lock(&self) -> Option<Guard<'_, T>> {
        let taken = self.locked.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed);
        // This is not `then_some`: the guard must not be created, and dropped, if another thread has the lock.
        taken.is_ok().then(|| Guard(self))
    }

    /// Locks.
    pub fn lock(&self) -> Guard<'_, T> {
        match self.try_lock() {
            Some(guard) => guard,
            None => self.wait(),
        }
    }

    /// Locks without a locked instruction.
    ///
    /// # Safety
    /// No other thread locks it, and the calling thread does not hold it.
    pub unsafe fn lock_alone(&self) -> Guard<'_, T> {
        debug_assert!(!self.locked.load(Ordering::Relaxed), "the thread has locked it already");
        self.locked.store(true, Ordering::Relaxed);
        Guard(self)
    }

    /// Calls `look` once the lock is free, without locking it.
    ///
    /// # Safety
    /// Threads that lock it from now on do not use the value before this returns.
    pub unsafe fn look_unlocked<R>(&self, look: impl FnOnce(&mut T) -> R) -> R {
        // Acquire: this makes visible what the last holder did.
        self.turns.wait_for(|| (!self.locked.load(Ordering::Acquire)).then_some(()));
        // SAFETY: the last holder has left, and the caller says that no other one uses the value.
        self.value.with_mut(|value| look(unsafe { &mut *value }))
    }

    #[cold]
    fn wait(&self) -> Guard<'_, T> {
        #[cfg(not(loom))]
        for _ in 0..LOOKS {
            std::hint::spin_loop();
            // The flag is only read, so that the holder keeps the cache line.
            if !self.locked.load(Ordering::Relaxed)
                && let Some(guard) = self.try_lock()
            {
                return guard;
            }
        }
        // The holder may be preempted, so this yields the processor between tries.
        self.turns.wait_for(|| self.try_lock())
    }
}

impl<T: Default> Default for SpinLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

/// Holds a [`SpinLock`].
pub struct Guard<'a, T>(&'a SpinLock<T>);

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: no second guard can exist while the spin lock is held, and the reference borrows
        // this one.
        self.0.value.with(|value| unsafe { &*value })
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: `&mut self` makes this the only reference that comes out of the only guard.
        self.0.value.with_mut(|value| unsafe { &mut *value })
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.0.locked.store(false, Ordering::Release);
        self.0.turns.pass();
    }
}

#[cfg(all(test, not(loom)))]
#[path = "spin_lock_tests.rs"]
mod tests;

#[cfg(all(test, loom))]
#[path = "spin_lock_models.rs"]
mod loom_spin_lock;
