//! Stripes, and who may use them: threads one after the other, and visitors, for which all threads make way. The first
//! threads have a stripe of each cache to themselves; all others share the rest.
//!
//! A thread enters its own stripe by two plain stores and a load, without a locked instruction. A visitor pays for both
//! sides: it makes the kernel put a barrier into every thread, and waits for those that it finds inside.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use crate::algo::sync::primitives::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::algo::sync::primitives::{Mutex, Turns, UnsafeCell};
use crate::algo::sync::reclaim::{self, heavy_barrier, light_barrier};

/// Stripes that belong to one thread at a time.
pub(super) const OWN: usize = if cfg!(loom) { 1 } else { 24 };
/// Stripes that threads share.
pub(super) const SHARED: usize = if cfg!(loom) { 1 } else { 8 };

/// The stripe of the calling thread. It stays on that thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    index: usize,
    _stays: PhantomData<*const ()>,
}

impl Seat {
    /// The calling thread's. When the thread ends, its blocks stay in the stripe for the thread that gets its number.
    #[inline]
    pub fn mine() -> Self {
        // A thread that is ending has no number any more, and shares a stripe.
        let number = reclaim::number().unwrap_or(OWN);
        Self { index: if number < OWN { number } else { OWN + number % SHARED }, _stays: PhantomData }
    }

    /// The number of the stripe.
    pub(super) fn index(self) -> usize {
        self.index
    }

    /// Whether no other thread uses the stripe.
    pub(super) fn is_own(self) -> bool {
        self.index < OWN
    }

    /// The seat with this number, which only the calling thread uses if it is below [`OWN`].
    #[cfg(test)]
    pub(super) fn numbered(index: usize) -> Self {
        Self { index, _stays: PhantomData }
    }
}

/// Those who want all stripes.
pub(super) struct Visitors {
    /// How many there are: threads do not enter meanwhile.
    count: AtomicUsize,
    /// One visits at a time.
    turn: Mutex<()>,
}

/// On separate cache lines.
#[repr(align(128))]
pub(super) struct Stripe<T> {
    /// A thread is inside, or is checking whether it may be.
    inside: AtomicBool,
    /// Bytes of the blocks in it, written by who is inside.
    pub(super) bytes: AtomicUsize,
    turns: Turns,
    state: UnsafeCell<T>,
}

// SAFETY: the state is only accessed by the thread that has set `inside`, or by a visitor, one at a time.
unsafe impl<T: Send> Sync for Stripe<T> {}

impl<T> Stripe<T> {
    pub(super) fn new(state: T) -> Self {
        Self {
            inside: AtomicBool::new(false),
            bytes: AtomicUsize::new(0),
            turns: Turns::new(),
            state: UnsafeCell::new(state),
        }
    }

    /// Enters; `None` while there are visitors, or another thread is inside a shared stripe. `seat` is the seat of this
    /// stripe, and the calling thread is not inside. It has pinned before, as [`light_barrier`] needs.
    #[inline]
    pub(super) fn enter(&self, seat: Seat, visitors: &Visitors) -> Option<Inside<'_, T>> {
        if seat.is_own() {
            debug_assert!(!self.inside.load(Ordering::Relaxed), "the thread is inside already");
            self.inside.store(true, Ordering::Relaxed);
        } else {
            self.inside.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).ok()?;
        }
        let inside = Inside(self);
        // Either the visitor sees `inside`, or this thread sees the visitor.
        light_barrier();
        // Acquire: what the last visitor did is visible.
        (visitors.count.load(Ordering::Acquire) == 0).then_some(inside)
    }
}

/// The thread that is inside a stripe.
pub(super) struct Inside<'a, T>(&'a Stripe<T>);

impl<T> Deref for Inside<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: only the thread inside the stripe has an `Inside`, and visitors wait until it is gone.
        self.0.state.with(|state| unsafe { &*state })
    }
}

impl<T> DerefMut for Inside<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: there is one `Inside` of a stripe at a time, and it is borrowed mutably here.
        self.0.state.with_mut(|state| unsafe { &mut *state })
    }
}

impl<T> Drop for Inside<'_, T> {
    fn drop(&mut self) {
        self.0.inside.store(false, Ordering::Release);
        self.0.turns.pass();
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
            // Acquire: what that thread did is visible.
            stripe.turns.wait_for(|| (!stripe.inside.load(Ordering::Acquire)).then_some(()));
            // SAFETY: the barrier came after the count, so a thread that is not inside now sees the visitor; no other
            // visitor has the turn, and this one has no second reference to a state.
            stripe.state.with_mut(|state| look(stripe, unsafe { &mut *state }));
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
#[path = "seat_tests.rs"]
mod tests;
