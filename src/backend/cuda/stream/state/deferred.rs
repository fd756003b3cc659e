//! Frees of pools' memory that the driver is not told at once: a loop that takes what it has just given back,
//! in the same stream and of the same lengths, has it without the driver. Whoever does anything else with the
//! stream or with the pool tells the driver first, so that nobody sees a difference.
//!
//! A stream defers frees of one pool at a time, and a pool has one stream that may: its turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use cudarc::driver::sys::CUdeviceptr;

use super::{StreamState, Submitting, abandoned};
use crate::backend::Result;
use crate::backend::cuda::base::api::{Api, Outcome};
use crate::backend::cuda::runtime::shared::DriverState;

/// So many blocks a stream has at most: what the body of a loop has at one time.
const BLOCKS: usize = 8;

/// So many frees come, before a stream may have the turn that another one was in the way of: at first, and in
/// the end.
const SHORTEST_PAUSE: u32 = 64;
const LONGEST_PAUSE: u32 = 4096;

/// In [`Turn::word`]: there are deferred frees. A stream's address has no such bit.
const SOME: usize = 1;

/// Which stream defers frees of a pool's memory.
#[derive(Default)]
pub struct Turn {
    /// The stream's address and [`SOME`], or 0. Changed by who has that stream's `submitting`, or from 0.
    word: AtomicUsize,
    /// Frees to come before it may change. Nothing but a hint.
    pause: AtomicU32,
    next_pause: AtomicU32,
}

impl Turn {
    /// Some other stream defers frees.
    #[inline(always)]
    fn is_in_the_way_of(&self, stream: &StreamState) -> bool {
        // Acquire, also below: as it would be with the driver's own lock.
        let word = self.word.load(Ordering::Acquire);
        word & SOME != 0 && word != stream.address() | SOME
    }

    /// Has the driver told all frees, for who wants to know something of the pool.
    #[inline]
    pub fn settle(&self, driver: &DriverState) {
        if self.word.load(Ordering::Acquire) & SOME != 0 {
            self.tell(driver, None);
        }
    }

    /// Has the driver told what other streams than `next` defer, which lose their turn for some time.
    #[cold]
    #[inline(never)]
    fn tell(&self, driver: &DriverState, next: Option<&StreamState>) {
        loop {
            let word = self.word.load(Ordering::Acquire);
            if word & SOME == 0 || next.is_some_and(|next| word == next.address() | SOME) {
                return;
            }
            let Some(stream) = driver.stream_at(word & !SOME) else { return };
            // Not waited for: who has the stream tells the driver before anything that takes long.
            let told = stream.look(|stream| {
                let Some(mut submitting) = stream.submitting.try_lock() else { return false };
                // Others may have been faster.
                if self.word.load(Ordering::Acquire) == word {
                    stream.tell_deferred(&mut submitting);
                    if next.is_some() {
                        self.end();
                    }
                }
                true
            });
            match told {
                Some(false) => std::thread::yield_now(),
                // What was there when this began; or its device ends, which ends all of this.
                Some(true) | None => return,
            }
        }
    }

    /// Nobody has it for some time.
    fn end(&self) {
        let pause = self.next_pause.load(Ordering::Relaxed).max(SHORTEST_PAUSE);
        self.pause.store(pause, Ordering::Relaxed);
        self.next_pause.store((2 * pause).min(LONGEST_PAUSE), Ordering::Relaxed);
        self.word.store(0, Ordering::Release);
    }
}

/// What a stream defers.
#[derive(Default)]
pub struct Deferred {
    /// Of which pool it has the turn, or had.
    turn: Option<Arc<Turn>>,
    count: usize,
    /// Addresses and lengths, in the order of the frees.
    blocks: [(usize, usize); BLOCKS],
}

impl Deferred {
    #[inline(always)]
    fn is_of(&self, turn: &Turn) -> bool {
        self.turn.as_deref().is_some_and(|own| std::ptr::eq(own, turn))
    }

    /// Takes out the latest of this length: its address.
    #[inline(always)]
    fn take(&mut self, len: usize) -> Option<usize> {
        // Mostly the last one: loops take in the opposite order of giving back.
        let last = self.blocks[..self.count].last()?;
        if last.1 == len {
            self.count -= 1;
            return Some(last.0);
        }
        self.take_from_within(len)
    }

    #[inline(never)]
    fn take_from_within(&mut self, len: usize) -> Option<usize> {
        let index = self.blocks[..self.count].iter().rposition(|block| block.1 == len)?;
        let (addr, _) = self.blocks[index];
        self.blocks.copy_within(index + 1..self.count, index);
        self.count -= 1;
        Some(addr)
    }
}

impl StreamState {
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Whether there are deferred frees: a hint without the lock.
    #[inline]
    pub fn defers(&self) -> bool {
        self.defers.load(Ordering::Acquire)
    }

    /// Tells the driver what was deferred.
    #[inline(always)]
    pub fn settle_deferred(&self, submitting: &mut Submitting) {
        if submitting.deferred.count != 0 {
            self.tell_deferred(submitting);
        }
    }

    /// As [`Self::settle_deferred`], for who does nothing else with the stream's order.
    pub fn tell_all_deferred(&self) {
        while self.defers() {
            // Not waited for: who has the stream tells the driver before anything that takes long.
            if let Some(mut submitting) = self.submitting.try_lock() {
                return self.settle_deferred(&mut submitting);
            }
            std::thread::yield_now();
        }
    }

    /// As [`Self::tell_all_deferred`], for who waits for something else: a driver that has no room for more may
    /// let the caller wait, which must not be for the program. What is behind that is not free yet.
    pub fn tell_deferred_aside(&self) {
        if !self.depends_on_program() || self.is_idle().unwrap_or(false) {
            self.tell_all_deferred();
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_deferred(&self, submitting: &mut Submitting) {
        if self.device.check_open().is_err() {
            // See `end_deferred`.
            return;
        }
        let deferred = &mut submitting.deferred;
        for (addr, _) in deferred.blocks[..std::mem::take(&mut deferred.count)].iter().copied() {
            // Nobody is there to hear of a refusal; a device that has failed says so in the next call.
            let refused = self.device.call_outside(|api| self.free_in(api, addr));
            self.device.driver().note_refusal(refused);
        }
        self.note_deferred(deferred, 0);
        self.count_submitted();
    }

    /// As [`Self::tell_deferred`], where the device may be closed, and nothing comes after it.
    pub fn end_deferred(&self) {
        let mut submitting = self.submitting.lock();
        let deferred = &mut submitting.deferred;
        for (addr, _) in deferred.blocks[..std::mem::take(&mut deferred.count)].iter().copied() {
            let free = |api: &Api| self.free_in(api, addr);
            self.device.driver().end_in(self.device.context(), free);
        }
        self.leave_turn(deferred);
    }

    fn free_in(&self, api: &Api, addr: usize) -> Outcome {
        // SAFETY: a live block of a pool, given back once, and a stream that lives.
        unsafe { api.mem_free_async(addr as CUdeviceptr, self.raw.0) }
    }

    /// Tells others that there are deferred frees, or that there are none.
    #[inline(always)]
    fn note_deferred(&self, deferred: &Deferred, some: usize) {
        self.defers.store(some != 0, Ordering::Release);
        if let Some(turn) = &deferred.turn {
            turn.word.store(self.address() | some, Ordering::Release);
        }
    }

    /// Another stream may have the turn that this one has.
    #[cold]
    fn leave_turn(&self, deferred: &mut Deferred) {
        self.defers.store(false, Ordering::Release);
        if let Some(turn) = deferred.turn.take() {
            let word = self.address();
            let mine = |now| (now & !SOME == word).then_some(0);
            let _ = turn.word.fetch_update(Ordering::Release, Ordering::Relaxed, mine);
        }
    }

    /// Whether this stream has the turn, or gets it now.
    #[inline(always)]
    fn has_turn(&self, turn: &Arc<Turn>, submitting: &mut Submitting) -> bool {
        let word = turn.word.load(Ordering::Relaxed) & !SOME;
        (word == self.address() && submitting.deferred.is_of(turn))
            || self.take_turn(turn, submitting)
    }

    #[cold]
    #[inline(never)]
    fn take_turn(&self, turn: &Arc<Turn>, submitting: &mut Submitting) -> bool {
        // Relaxed: who gets it a little sooner or later does not matter.
        let pause = turn.pause.load(Ordering::Relaxed);
        if pause > 0 {
            turn.pause.store(pause - 1, Ordering::Relaxed);
            return false;
        }
        let holder = turn.word.load(Ordering::Acquire);
        if holder != 0 {
            // It did not use it for this one free at least, and loses it if nobody is using that stream now.
            if holder & SOME == 0
                && let Some(stream) = self.device.driver().stream_at(holder)
                && let Some(mut other) = stream.submitting.try_lock()
                && other.deferred.count == 0
            {
                stream.leave_turn(&mut other.deferred);
            }
            turn.pause.store(SHORTEST_PAUSE, Ordering::Relaxed);
            return false;
        }
        self.settle_deferred(submitting);
        self.leave_turn(&mut submitting.deferred);
        let word = self.address();
        if turn.word.compare_exchange(0, word, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            return false;
        }
        submitting.deferred.turn = Some(Arc::clone(turn));
        true
    }

    /// Runs `calls` for a pool where the stream is: the driver does so, and asks for a current context only if
    /// the stream is its own default one, which one of somebody else's may be.
    #[inline(always)]
    fn call_for_pool(&self, calls: impl Fn(&Api) -> Outcome) -> Result<()> {
        match self.adopted {
            true => self.device.call_here(calls),
            false => self.device.call_outside(calls),
        }
    }

    /// Memory of a pool in this stream: the address of a block whose free was deferred, or `None` after `take`.
    #[inline(always)]
    pub fn submit_alloc(
        &self,
        turn: &Turn,
        len: usize,
        take: impl Fn(&Api) -> Outcome,
    ) -> Result<Option<usize>> {
        if turn.is_in_the_way_of(self) {
            turn.tell(self.device.driver(), Some(self));
        }
        if self.is_abandoned() {
            return Err(abandoned());
        }
        let mut submitting = self.submitting.lock();
        let deferred = &mut submitting.deferred;
        if deferred.count != 0 {
            self.device.check_open()?;
            self.device.context().healthy()?;
            if deferred.is_of(turn)
                && let Some(addr) = deferred.take(len)
            {
                if deferred.count == 0 {
                    self.note_deferred(deferred, 0);
                }
                return Ok(Some(addr));
            }
            self.tell_deferred(&mut submitting);
        }
        let taken = self.call_for_pool(take);
        self.count_submitted();
        taken.map(|()| None)
    }

    /// Gives back a block of the pool that has this turn. `may_defer`: nobody but this stream's device and this
    /// process has to do with the pool.
    #[inline(always)]
    pub fn submit_free(
        &self,
        turn: &Arc<Turn>,
        (addr, len): (usize, usize),
        may_defer: bool,
    ) -> Result<()> {
        if turn.is_in_the_way_of(self) {
            turn.tell(self.device.driver(), Some(self));
        }
        if self.is_abandoned() {
            return Err(abandoned());
        }
        let mut submitting = self.submitting.lock();
        self.note_free();
        // Relaxed: who shares the stream with others orders their work and what it gives the stream itself.
        let may_defer = may_defer && !self.shared.load(Ordering::Relaxed);
        if may_defer && self.has_turn(turn, &mut submitting) {
            self.device.check_open()?;
            self.device.context().healthy()?;
            if submitting.deferred.count == BLOCKS {
                self.tell_deferred(&mut submitting);
            }
            let deferred = &mut submitting.deferred;
            deferred.blocks[deferred.count] = (addr, len);
            deferred.count += 1;
            if deferred.count == 1 {
                self.note_deferred(deferred, SOME);
            }
            return Ok(());
        }
        self.settle_deferred(&mut submitting);
        let freed = self.call_for_pool(|api| self.free_in(api, addr));
        self.count_submitted();
        freed
    }
}
