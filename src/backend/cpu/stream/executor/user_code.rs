//! Which host functions may run: a limited number at once, and never on the last thread that serves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::threads::Pool;
use super::{Executor, SPARES};
use crate::backend::Result;
use crate::backend::cpu::stream::queue::Queue;

/// After this long without a return of a host function, one more may run.
pub const STARVED: Duration = Duration::from_millis(1);

impl Executor {
    /// A stream whose host function may run now.
    pub(super) fn pop_held(&self, pool: &mut Pool) -> Option<Arc<Queue>> {
        if pool.held.is_empty() {
            return None;
        }
        if pool.in_user >= pool.permits {
            if pool.progress.is_some_and(|progress| progress.elapsed() < STARVED) {
                return None;
            }
            pool.permits += 1 + pool.permits / 4;
            pool.progress = Some(Instant::now());
        }
        pool.held.pop_front()
    }

    /// A thread wants to call a host function: see [`Runner::enter_user_code`](super::Runner::enter_user_code).
    pub(super) fn enter_user_code(self: &Arc<Self>) -> Result<bool> {
        let mut pool = self.pool.lock();
        if pool.in_user >= pool.permits && self.schedule.is_none() {
            return Ok(false);
        }
        if pool.threads == pool.in_user + 1 {
            // It is the last thread outside user code, so another one is needed first.
            pool.threads += 1;
            drop(pool);
            self.start()?;
            pool = self.pool.lock();
        }
        pool.in_user += 1;
        let call = pool.call_if_needed(self.cores);
        drop(pool);
        self.answer(call);
        // The thread is like one of the program now.
        self.schedule.iter().for_each(|schedule| schedule.end_turn());
        Ok(true)
    }

    pub(super) fn leave_user_code(self: &Arc<Self>, stream: u64) {
        self.schedule.iter().for_each(|schedule| schedule.end_user_code(stream));
        let mut pool = self.pool.lock();
        pool.in_user -= 1;
        if pool.held.is_empty() {
            if pool.in_user < self.cores {
                pool.permits = base_permits(self.cores);
            }
            return;
        }
        // One more may run, and this thread may have other work first.
        pool.progress = Some(Instant::now());
        let call = pool.call_one(self.cores);
        drop(pool);
        self.answer(call);
    }

    pub(super) fn hold(self: &Arc<Self>, queue: Arc<Queue>) {
        let mut pool = self.pool.lock();
        if pool.held.is_empty() {
            pool.progress = Some(Instant::now());
        }
        pool.held.push_back(queue);
    }
}

/// How many host functions may run at once while they return in time.
pub fn base_permits(cores: usize) -> usize {
    cores + SPARES
}
