//! Defers frees of pools' memory: a stream does not submit them to the driver at once. A loop that allocates what it
//! has just freed, in the same stream and of the same lengths, gets it without a call of the driver. Every other call
//! for the stream or the pool submits the deferred frees first, so a program sees no difference.
//!
//! A stream defers frees of one pool at a time, and one stream of a pool may defer: it has the pool's turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use cudarc::driver::sys::CUdeviceptr;

use super::frees::OF_POOLS;
use super::{Locked, StreamState, Submitting};
use crate::algo::sync::primitives::Turns;
use crate::backend::{Fault, Result};
use crate::base::api::{Api, Outcome};
use crate::runtime::DriverState;

/// The maximum number of blocks that a stream defers: as many as the body of a loop uses at one time.
const BLOCKS: usize = 8;

/// The number of frees after which another stream may take the turn of a pool that several streams use. Losing a turn
/// costs a search in the list of streams, and the submission of the deferred frees, which would have been submitted
/// anyway.
const PAUSE: u32 = 64;

/// The bit of [`Turn::word`] that says that there are deferred frees. The address of a stream does not have this bit.
const SOME: usize = 1;

/// Says which stream defers frees of a pool's memory.
#[derive(Default)]
pub(crate) struct Turn {
    /// The stream's address and [`SOME`], or 0. It is changed by a thread that has locked that stream's `submitting`,
    /// or from 0.
    word: AtomicUsize,
    /// The number of frees after which the turn may change. It is a hint.
    pause: AtomicU32,
}

impl Turn {
    /// Whether another stream defers frees.
    #[inline(always)]
    fn is_in_the_way_of(&self, stream: &StreamState) -> bool {
        // Acquire, also below: the driver's lock would order this too.
        let word = self.word.load(Ordering::Acquire);
        word & SOME != 0 && word != stream.address() | SOME
    }

    /// Submits all deferred frees, before a query about the pool.
    pub(crate) fn submit_deferred(&self, driver: &DriverState) {
        if self.word.load(Ordering::Acquire) & SOME != 0 {
            self.submit_except(driver, None);
        }
    }

    /// Submits the frees that streams other than `next` defer. Those streams lose their turn for some time.
    #[cold]
    fn submit_except(&self, driver: &DriverState, next: Option<&StreamState>) {
        Turns::new().wait_for(|| {
            let word = self.word.load(Ordering::Acquire);
            if word & SOME == 0 || next.is_some_and(|next| word == next.address() | SOME) {
                return Some(());
            }
            let Some(stream) = driver.stream_at(word & !SOME) else { return Some(()) };
            // This does not wait for the lock: the thread that has it submits the frees before anything that takes
            // long.
            let submitted = stream.while_alive(|stream| {
                let Some(mut submitting) = stream.submitting.try_lock() else { return false };
                // Other threads may have been faster.
                if self.word.load(Ordering::Acquire) == word {
                    stream.submit_deferred(&mut submitting);
                    if next.is_some() {
                        self.end();
                    }
                }
                true
            });
            // Otherwise the frees from before this call are submitted, or the device closes, which frees the blocks.
            (submitted != Some(false)).then_some(())
        });
    }

    /// Ends the turn: no stream has it for some time.
    fn end(&self) {
        self.pause.store(PAUSE, Ordering::Relaxed);
        self.word.store(0, Ordering::Release);
    }
}

/// The frees that a stream defers.
#[derive(Default)]
pub(super) struct Deferred {
    /// The turn that the stream has, or had.
    turn: Option<Arc<Turn>>,
    count: usize,
    /// The addresses and lengths, in the order of the frees.
    blocks: [(usize, usize); BLOCKS],
}

impl Deferred {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    #[inline(always)]
    fn is_of(&self, turn: &Turn) -> bool {
        self.turn.as_deref().is_some_and(|own| std::ptr::eq(own, turn))
    }

    /// Removes the latest block of this length, and returns its address.
    #[inline(always)]
    fn take(&mut self, len: usize) -> Option<usize> {
        // This is mostly the last one: loops allocate in the opposite order of their frees.
        let last = self.blocks[..self.count].last()?;
        if last.1 == len {
            self.count -= 1;
            return Some(last.0);
        }
        // There may be no other blocks.
        if self.count == 1 { None } else { self.take_from_within(len) }
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
    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Whether there are deferred frees. The result is a hint, without the lock.
    pub(crate) fn defers(&self) -> bool {
        self.defers.load(Ordering::Acquire)
    }

    /// Prepares the next operation: waits until there is room for it, lists the stream as busy, and submits the
    /// deferred frees. The operation takes this number of places in the driver's queue.
    #[cold]
    pub(super) fn prepare<'a>(&'a self, submitting: Locked<'a>, places: u32) -> Result<Locked<'a>> {
        let mut submitting = self.wait_for_room(submitting, places);
        // That may have taken long.
        ensure!(!self.is_abandoned(), Fault::abandoned());
        self.list_as_busy(&mut submitting);
        self.flush_deferred_locked(&mut submitting);
        submitting.is_prepared = submitting.take_room(places);
        Ok(submitting)
    }

    /// Submits the deferred frees.
    #[inline(always)]
    pub(crate) fn flush_deferred_locked(&self, submitting: &mut Submitting) {
        if submitting.deferred.count != 0 {
            self.submit_deferred(submitting);
        }
    }

    /// Submits the deferred frees, for a caller that submits nothing itself and does not hold the lock.
    pub(crate) fn flush_deferred(&self) {
        if !self.defers() {
            return;
        }
        Turns::new().wait_for(|| {
            // This does not wait for the lock: the thread that has it submits the frees before anything that takes
            // long.
            if let Some(mut submitting) = self.submitting.try_lock() {
                self.flush_deferred_locked(&mut submitting);
                return Some(());
            }
            (!self.defers()).then_some(())
        });
    }

    #[cold]
    #[inline(never)]
    fn submit_deferred(&self, submitting: &mut Submitting) {
        if self.device.check_open().is_err() {
            // The function `end_deferred` handles this case.
            return;
        }
        let deferred = &mut submitting.deferred;
        for (addr, _) in deferred.blocks[..std::mem::take(&mut deferred.count)].iter().copied() {
            // No call can return a refusal. A device that has failed reports it in the next call.
            let refused = self.device.context.call_outside(|api| self.free_in(api, addr));
            self.device.driver.note_refusal(refused);
        }
        self.note_deferred(deferred, 0);
        self.count_submitted();
    }

    /// Submits the deferred frees of a stream whose device may be closed. The stream submits nothing afterwards.
    pub(crate) fn end_deferred(&self) {
        let mut submitting = self.submitting.lock();
        let deferred = &mut submitting.deferred;
        for (addr, _) in deferred.blocks[..std::mem::take(&mut deferred.count)].iter().copied() {
            self.device.driver.end_in(&self.device.context, |api| self.free_in(api, addr));
        }
        self.leave_turn(deferred);
    }

    fn free_in(&self, api: &Api, addr: usize) -> Outcome {
        // SAFETY: a live block of a pool, freed once, and a live stream.
        unsafe { api.mem_free_async(addr as CUdeviceptr, self.raw.0) }
    }

    /// Stores whether there are deferred frees, for other streams.
    #[inline(always)]
    fn note_deferred(&self, deferred: &Deferred, some: usize) {
        self.defers.store(some != 0, Ordering::Release);
        if let Some(turn) = &deferred.turn {
            turn.word.store(self.address() | some, Ordering::Release);
        }
    }

    /// Releases the turn, if this stream has it.
    #[cold]
    fn leave_turn(&self, deferred: &mut Deferred) {
        self.defers.store(false, Ordering::Release);
        if let Some(turn) = deferred.turn.take() {
            let word = self.address();
            let mine = |now| (now & !SOME == word).then_some(0);
            let _ = turn.word.try_update(Ordering::Release, Ordering::Relaxed, mine);
        }
    }

    /// Whether this stream, which does not have the turn, gets it now.
    #[cold]
    fn take_turn(&self, turn: &Arc<Turn>, submitting: &mut Submitting) -> bool {
        // Relaxed: it does not matter which stream gets it a little earlier.
        let pause = turn.pause.load(Ordering::Relaxed);
        if pause > 0 {
            turn.pause.store(pause - 1, Ordering::Relaxed);
            return false;
        }
        let holder = turn.word.load(Ordering::Acquire);
        if holder != 0 {
            // That stream has no deferred frees, and loses the turn if no thread submits to it now.
            if holder & SOME == 0
                && let Some(stream) = self.device.driver.stream_at(holder)
                && let Some(mut other) = stream.submitting.try_lock()
                && other.deferred.count == 0
            {
                stream.leave_turn(&mut other.deferred);
            }
            turn.pause.store(PAUSE, Ordering::Relaxed);
            return false;
        }
        self.flush_deferred_locked(submitting);
        self.leave_turn(&mut submitting.deferred);
        let word = self.address();
        if turn.word.compare_exchange(0, word, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            return false;
        }
        submitting.deferred.turn = Some(Arc::clone(turn));
        true
    }

    /// Runs `calls` of a pool in the stream's context. The driver needs a current context only for its default
    /// streams, and an adopted stream may be one.
    #[inline(always)]
    fn call_for_pool<T>(&self, calls: impl Fn(&Api) -> Outcome<T>) -> Result<T> {
        if self.adopted {
            return self.device.call_here(calls);
        }
        self.device.check_open()?;
        self.device.context.call_outside(calls)
    }

    /// Allocates from a pool in this stream. Returns the address, and whether it is new: then it comes from `take`, and
    /// not from a block whose free was deferred.
    #[inline(always)]
    pub(crate) fn submit_alloc(
        &self,
        turn: &Turn,
        len: usize,
        take: impl Fn(&Api) -> Outcome<CUdeviceptr>,
    ) -> Result<(usize, bool)> {
        if turn.is_in_the_way_of(self) {
            turn.submit_except(&self.device.driver, Some(self));
        }
        ensure!(!self.is_abandoned(), Fault::abandoned());
        let mut submitting = self.submitting.lock();
        let deferred = &mut submitting.deferred;
        if deferred.count != 0 {
            self.device.check_open()?;
            self.device.context.healthy()?;
            if deferred.is_of(turn)
                && let Some(addr) = deferred.take(len)
            {
                if deferred.count == 0 {
                    self.note_deferred(deferred, 0);
                }
                submitting.return_room();
                return Ok((addr, false));
            }
            self.submit_deferred(&mut submitting);
        }
        let _submitting = if submitting.is_prepared { submitting } else { self.prepare(submitting, 0)? };
        let taken = self.call_for_pool(take);
        self.count_submitted();
        taken.map(|addr| (addr as usize, true))
    }

    /// Frees a block of the pool that has this turn. `may_defer` is true if only the stream's device and this process
    /// use the pool.
    #[inline(always)]
    pub(crate) fn submit_free(&self, turn: &Arc<Turn>, (addr, len): (usize, usize), may_defer: bool) -> Result<()> {
        if turn.is_in_the_way_of(self) {
            turn.submit_except(&self.device.driver, Some(self));
        }
        // Also a free that is deferred has room: another thread submits it without waiting.
        let mut submitting = self.wait_for_room(self.submitting.lock(), 0);
        ensure!(!self.is_abandoned(), Fault::abandoned());
        // An allocation looks for frees that came before it.
        self.frees.want(OF_POOLS);
        // Relaxed: a program that shares the stream with another library orders the work of the two.
        let may_defer = may_defer && !self.shared.load(Ordering::Relaxed);
        let word = turn.word.load(Ordering::Relaxed) & !SOME;
        let has_turn = word == self.address() && submitting.deferred.is_of(turn);
        if may_defer && (has_turn || self.take_turn(turn, &mut submitting)) {
            self.device.check_open()?;
            self.device.context.healthy()?;
            if submitting.deferred.count == BLOCKS {
                self.submit_deferred(&mut submitting);
            }
            self.list_as_busy(&mut submitting);
            submitting.take_room(0);
            let deferred = &mut submitting.deferred;
            deferred.blocks[deferred.count] = (addr, len);
            deferred.count += 1;
            if deferred.count == 1 {
                self.note_deferred(deferred, SOME);
                submitting.is_prepared = false;
            }
            return Ok(());
        }
        self.flush_deferred_locked(&mut submitting);
        let _submitting = if submitting.is_prepared { submitting } else { self.prepare(submitting, 0)? };
        let freed = self.call_for_pool(|api| self.free_in(api, addr));
        self.count_submitted();
        freed
    }
}
