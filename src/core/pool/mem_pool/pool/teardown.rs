//! The end of pools: with their last block, or with their device or session.

use std::sync::atomic::Ordering;

use super::{Inner, POOLS, Pool};
use crate::backend;
use crate::base::leave::wait_until_unshared;
use crate::memory::allocation::Allocation;

impl Pool {
    /// Retires the pool, whose handle is destroyed: it accepts no more requests.
    pub fn retire(&self) -> backend::Result<()> {
        self.is_retired.store(true, Ordering::SeqCst);
        if let Inner::Core(own) = &self.inner {
            own.end_quick_requests();
            if let Some(shared) = &own.shared {
                shared.close();
            }
        }
        // Either a thread that creates that pool now sees the flag, or this sees its pool.
        let graphs = Self::find(*self.graphs.lock());
        let ended = graphs.map_or(Ok(()), |graphs| graphs.retire());
        self.end_if_retired().and(ended)
    }

    /// Ends a retired pool, if programs have none of its memory. Returns the backend's failure.
    pub(crate) fn end_if_retired(&self) -> backend::Result<()> {
        if self.is_retired() { self.end_if_unused() } else { Ok(()) }
    }

    /// Ends the driver's pool when no call is inside it any more. Returns the backend's failure.
    #[cold]
    fn end_if_unused(&self) -> backend::Result<()> {
        let ended = match &self.inner {
            Inner::Core(own) => own.end(false),
            // In this case programs have none of its memory, and no request is in progress.
            Inner::Driver(driver) => (driver.tally.read().current.count == 0).then(|| {
                driver.drain(self.owner, |_| debug_assert!(false, "memory that is not counted"));
                Ok(())
            }),
        };
        if ended.is_some() && POOLS.remove(self.key).is_some() {
            self.note_end();
        }
        ended.unwrap_or(Ok(()))
    }

    /// Ends pools with all their blocks. No call is inside them any more.
    pub fn end_all(wanted: impl Fn(&Self) -> bool, mut step: impl FnMut(backend::Result<()>)) {
        for mut pool in Self::all() {
            if !wanted(&pool) || POOLS.remove(pool.key).is_none() {
                continue;
            }
            match &pool.inner {
                Inner::Core(own) => step(own.end(true).unwrap_or(Ok(()))),
                Inner::Driver(driver) => {
                    let free = |memory: Allocation| step(driver.pool.free_now(memory.block()));
                    driver.drain(pool.owner, free);
                }
            }
            wait_until_unshared(&mut pool, |_| {
                crate::algo::map::slot_table::flush_deferred();
                true
            });
        }
    }

    /// Removes pools whose memory abandoned work uses. The memory stays allocated.
    pub fn forget_all(wanted: impl Fn(&Self) -> bool) {
        for pool in Self::all() {
            if wanted(&pool) && POOLS.remove(pool.key).is_some() {
                match &pool.inner {
                    Inner::Core(own) => own.abandon(),
                    Inner::Driver(driver) => {
                        driver.drain(pool.owner, drop);
                        std::mem::forget(pool);
                    }
                }
            }
        }
    }
}
