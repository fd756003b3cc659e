//! A lock that is mostly used by one thread. After a thread has taken the lock many times in a row, the lock is biased
//! to it, and taking it is two plain stores. If another thread comes, the kernel puts a barrier into every thread, so
//! that the two see each other. The lock is then unbiased until the first thread has taken it many times in a row
//! again, so barriers are rare.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use super::reclaim::{has_kernel_barrier, heavy_barrier, reader_barrier, reader_id};
use super::spin_lock::{self, SpinLock};
use crate::algo::sync::primitives::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::algo::sync::primitives::{Turns, UnsafeCell, const_unless_loom};

/// No thread: no reader has this id.
const NOBODY: usize = 1;

/// How many times in a row bias the lock. A barrier takes some microseconds, which is then a nanosecond for each time.
/// Fewer in tests, to reach all paths; never in models, which would not end.
const HABIT: u32 = if cfg!(loom) {
    u32::MAX
} else if cfg!(debug_assertions) {
    16
} else {
    4096
};

/// A value that one thread at a time uses.
pub struct BiasedLock<T> {
    /// The thread that it is biased to.
    owner: AtomicUsize,
    /// That thread has it without `others`, or is checking whether it can. Written by one thread only.
    held: AtomicBool,
    turns: Turns,
    /// By which all other threads take it, and all threads when the lock is not biased.
    others: SpinLock<Habit>,
    value: UnsafeCell<T>,
}

/// The threads that have taken the lock by [`BiasedLock::others`].
struct Habit {
    last: usize,
    /// How many times in a row.
    run: u32,
    /// The only thread that it can be biased to. With a second one, the first could be about to write `held`.
    first: usize,
}

// SAFETY: the value is only accessed by the thread that has set `held` or locked `others`, one at a time.
unsafe impl<T: Send> Sync for BiasedLock<T> {}

impl<T> BiasedLock<T> {
    const_unless_loom! {
        /// An unlocked lock.
        pub fn new(value: T) -> Self {
            Self {
                owner: AtomicUsize::new(NOBODY),
                held: AtomicBool::new(false),
                turns: Turns::new(),
                others: SpinLock::new(Habit { last: NOBODY, run: 0, first: NOBODY }),
                value: UnsafeCell::new(value),
            }
        }
    }

    /// Locks, unless it is locked.
    #[inline]
    pub fn try_lock(&self) -> Option<Guard<'_, T>> {
        let me = reader_id();
        if self.take_as_owner(me) {
            return Some(Guard::new(self, None));
        }
        let mut habit = self.others.try_lock()?;
        self.note(&mut habit, me);
        // Acquire, as in `wait_for_owner`.
        let is_free = !self.held.load(Ordering::Acquire);
        is_free.then(|| Guard::new(self, Some(habit)))
    }

    /// Locks.
    #[inline]
    pub fn lock(&self) -> Guard<'_, T> {
        let me = reader_id();
        if self.take_as_owner(me) {
            return Guard::new(self, None);
        }
        let mut habit = self.others.lock();
        self.note(&mut habit, me);
        if self.held.load(Ordering::Acquire) {
            self.wait_for_owner();
        }
        Guard::new(self, Some(habit))
    }

    /// Takes it as the thread that it is biased to.
    #[inline(always)]
    fn take_as_owner(&self, me: usize) -> bool {
        // Relaxed, both: written by this thread, or by one whose end it has seen. A thread that has the lock already
        // waits for itself, as with other locks.
        if self.owner.load(Ordering::Relaxed) != me || self.held.load(Ordering::Relaxed) {
            return false;
        }
        self.held.store(true, Ordering::Relaxed);
        // Pairs with the heavy barrier in `unbias`: either the other thread sees `held`, or this one sees that it has
        // come.
        reader_barrier();
        if self.owner.load(Ordering::Relaxed) == me {
            return true;
        }
        self.back_off();
        false
    }

    #[cold]
    fn back_off(&self) {
        self.held.store(false, Ordering::Release);
        self.turns.pass();
    }

    /// A thread has it by `others`.
    #[inline(always)]
    fn note(&self, habit: &mut Habit, me: usize) {
        // Relaxed: written under the lock that is held here.
        if self.owner.load(Ordering::Relaxed) != NOBODY {
            self.unbias();
        }
        if habit.last == me {
            habit.run = habit.run.saturating_add(1);
            if habit.run == HABIT {
                self.bias(habit, me);
            }
        } else {
            (habit.last, habit.run) = (me, 0);
        }
    }

    /// `me` has it, by `others`, for the last time before it is biased.
    #[cold]
    fn bias(&self, habit: &mut Habit, me: usize) {
        // A thread without a reader, which is ending, has no id.
        if me != 0 && has_kernel_barrier() && (habit.first == NOBODY || habit.first == me) {
            habit.first = me;
            self.owner.store(me, Ordering::Relaxed);
        }
        habit.run = 0;
    }

    /// From here on the thread that it was biased to takes it like all others.
    #[cold]
    fn unbias(&self) {
        self.owner.store(NOBODY, Ordering::Relaxed);
        heavy_barrier();
    }

    #[cold]
    fn wait_for_owner(&self) {
        // Acquire, with the Release of the unlock: its changes are visible.
        let is_free = || (!self.held.load(Ordering::Acquire)).then_some(());
        self.turns.wait_for(is_free);
    }
}

impl<T: Default> Default for BiasedLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

/// Holds a [`BiasedLock`].
pub struct Guard<'a, T> {
    lock: &'a BiasedLock<T>,
    /// `None`: taken as the thread that it is biased to.
    others: Option<spin_lock::Guard<'a, Habit>>,
    /// It stays in its thread, the only one that writes `held`.
    _stays: PhantomData<*const ()>,
}

impl<'a, T> Guard<'a, T> {
    #[inline(always)]
    fn new(lock: &'a BiasedLock<T>, others: Option<spin_lock::Guard<'a, Habit>>) -> Self {
        Self { lock, others, _stays: PhantomData }
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the guard holds the lock, so no other thread has a reference to the value; this
        // one borrows the guard.
        self.lock.value.with(|value| unsafe { &*value })
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the mutable borrow of the guard excludes every other reference to the value of
        // the held lock.
        self.lock.value.with_mut(|value| unsafe { &mut *value })
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // Otherwise `others` does it.
        if self.others.is_none() {
            self.lock.held.store(false, Ordering::Release);
            self.lock.turns.pass();
        }
    }
}

#[cfg(test)]
#[path = "biased_lock_tests.rs"]
mod tests;
