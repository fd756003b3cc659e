//! Stripes, which threads use one after the other. Visitors use all of them, and all threads make way for them. The
//! first threads have a private stripe of each cache; all others share the remaining ones.
//!
//! A thread enters its private stripe by two plain stores and a load, without a locked instruction. A visitor bears the
//! whole cost: it makes the kernel put a barrier into every thread, and waits for the threads that it finds inside.

use std::marker::PhantomData;

use crate::sync::primitives::Mutex;
use crate::sync::primitives::atomic::{AtomicUsize, Ordering};
use crate::sync::reclaim::{self, heavy_barrier, light_barrier};
use crate::sync::spin_lock::{Guard, SpinLock};

/// The number of stripes that belong to one thread at a time.
pub(super) const OWN: usize = if cfg!(loom) { 1 } else { 24 };
/// The number of stripes that threads share.
pub(super) const SHARED: usize = if cfg!(loom) { 1 } else { 8 };

/// The stripe of the calling thread. It stays on that thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The number of the stripe.
    pub(super) index: usize,
    _stays: PhantomData<*const ()>,
}

impl Seat {
    /// Returns the calling thread's seat. When the thread ends, its blocks stay in the stripe for the thread that gets
    /// its number.
    #[inline]
    pub fn mine() -> Self {
        // A thread that is ending has no number any more, and shares a stripe.
        let number = reclaim::number().unwrap_or(OWN);
        Self { index: if number < OWN { number } else { OWN + number % SHARED }, _stays: PhantomData }
    }

    /// Whether no other thread uses the stripe.
    pub(super) fn is_exclusive(self) -> bool {
        self.index < OWN
    }

    /// Returns the seat with this number. If it is less than [`OWN`], only the calling thread uses it.
    #[cfg(test)]
    pub(super) fn numbered(index: usize) -> Self {
        Self { index, _stays: PhantomData }
    }
}

/// The threads that need all stripes.
pub(super) struct Visitors {
    /// The number of visitors. Threads do not enter while it is not 0.
    count: AtomicUsize,
    /// The lock that lets one visitor run at a time.
    turn: Mutex<()>,
}

/// A stripe, on separate cache lines. A thread that is inside, or checks whether it may be, holds the lock.
#[repr(align(128))]
pub(super) struct Stripe<T> {
    state: SpinLock<T>,
    /// The number of bytes of the blocks in it. The thread inside writes it.
    pub(super) bytes: AtomicUsize,
}

impl<T> Stripe<T> {
    pub(super) fn new(state: T) -> Self {
        Self { state: SpinLock::new(state), bytes: AtomicUsize::new(0) }
    }

    /// Enters the stripe. Returns `None` while there are visitors, or another thread is inside a shared stripe. `seat`
    /// is the seat of this stripe, and the calling thread is not inside. It must be pinned, because [`light_barrier`]
    /// needs that.
    #[inline]
    pub(super) fn enter(&self, seat: Seat, visitors: &Visitors) -> Option<Guard<'_, T>> {
        let inside = match seat.is_exclusive() {
            // SAFETY: only the thread that has this seat locks its own stripe, and it is not inside.
            true => unsafe { self.state.lock_alone() },
            false => self.state.try_lock()?,
        };
        // Either the visitor reads the lock, or this thread reads the count of visitors.
        light_barrier();
        // Acquire: this makes visible what the last visitor did.
        (visitors.count.load(Ordering::Acquire) == 0).then_some(inside)
    }
}

impl Visitors {
    pub(super) fn new() -> Self {
        Self { count: AtomicUsize::new(0), turn: Mutex::new(()) }
    }

    /// Calls `look` with each stripe and its state, when the thread inside has left. No thread enters a stripe while
    /// the result lives.
    pub(super) fn visit<'s, T: 's>(
        &self,
        stripes: impl Iterator<Item = &'s Stripe<T>>,
        mut look: impl FnMut(&Stripe<T>, &mut T),
    ) -> Pressure<'_> {
        self.count.fetch_add(1, Ordering::Relaxed);
        let pressure = Pressure(self);
        let _turn = self.turn.lock();
        heavy_barrier();
        for stripe in stripes {
            // SAFETY: the barrier came after the count, so a thread that is not inside now sees the visitor, and leaves
            // without reading the state; no other visitor has the turn.
            unsafe { stripe.state.look_unlocked(|state| look(stripe, state)) };
        }
        pressure
    }
}

/// A visitor. While it lives, no block is cached or served.
pub struct Pressure<'a>(&'a Visitors);

impl Drop for Pressure<'_> {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(all(test, not(loom)))]
#[path = "stripe_tests.rs"]
mod tests;
