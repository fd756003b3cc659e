//! Stops threads while a snapshot stops the process: threads that have passed the gate and access device memory wait
//! here.
//!
//! Before such an access, threads read the count of pages that are to be made huge, see
//! [`crate::memory::device_memory::DeviceMemory::prepare`]. A snapshot raises this count, so the check
//! costs nothing at any other time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::algo::sync::reclaim;
use crate::algo::thread::pause::pause;
use crate::backend::{Fault, FaultKind, Result};
use crate::runtime::shared::DeviceSlot;

/// The number that is added to the counts. It is greater than any count.
const RAISED: usize = 1 << 40;
const PAUSE: Duration = Duration::from_micros(100);

#[derive(Default)]
pub(crate) struct Hold {
    is_on: AtomicBool,
    /// Threads inside a call that pins objects stop, too. Such a thread may have locked a stream for which another one
    /// waits, pinned as well: they stop only while [`Hold::begin`] looks whether all have, and otherwise continue.
    stops_pinned: AtomicBool,
    waiting: Mutex<Waiting>,
    released: Condvar,
}

/// The numbers of threads that wait.
#[derive(Default)]
struct Waiting {
    /// The number of those inside a call that pins objects.
    pinned: usize,
    /// How many times these were resumed.
    resumed: u64,
    others: u32,
}

impl Hold {
    /// Begins, and waits until all threads that access the memory have stopped here.
    pub(crate) fn begin(&self, slots: &[DeviceSlot], patience: Duration) -> Result<()> {
        let deadline = Instant::now() + patience;
        self.is_on.store(true, Ordering::SeqCst);
        slots.iter().for_each(|slot| _ = slot.wanted.fetch_add(RAISED, Ordering::SeqCst));
        loop {
            self.stops_pinned.store(true, Ordering::SeqCst);
            let Waiting { pinned, others, .. } = *self.waiting.lock();
            let working: u32 = slots.iter().map(|slot| slot.busy.working()).sum();
            // Threads hold a pin during short copies; long copies count as work.
            if reclaim::count_pinned() <= pinned && working <= others {
                return Ok(());
            }
            self.resume_pinned();
            if Instant::now() >= deadline {
                self.end(slots);
                return Err(Fault::new(
                    FaultKind::WaitTimedOut,
                    "calls of other threads still use device memory; wait until they return",
                ));
            }
            pause(PAUSE);
        }
    }

    fn resume_pinned(&self) {
        let mut waiting = self.waiting.lock();
        self.stops_pinned.store(false, Ordering::SeqCst);
        waiting.resumed += 1;
        waiting.pinned = 0;
        self.released.notify_all();
    }

    /// Resumes all threads.
    pub(crate) fn end(&self, slots: &[DeviceSlot]) {
        slots.iter().for_each(|slot| _ = slot.wanted.fetch_sub(RAISED, Ordering::SeqCst));
        self.is_on.store(false, Ordering::SeqCst);
        self.resume_pinned();
    }

    /// Waits if a snapshot stops the process. A thread that is about to use device memory calls this.
    pub(crate) fn pass(&self) {
        if !self.is_on.load(Ordering::SeqCst) {
            return;
        }
        let mut waiting = self.waiting.lock();
        if !reclaim::is_pinned() {
            waiting.others += 1;
            while self.is_on.load(Ordering::SeqCst) {
                self.released.wait(&mut waiting);
            }
            waiting.others -= 1;
        } else if self.stops_pinned.load(Ordering::SeqCst) {
            waiting.pinned += 1;
            let resumed = waiting.resumed;
            while waiting.resumed == resumed {
                self.released.wait(&mut waiting);
            }
        }
    }
}

#[cfg(test)]
#[path = "snapshot_tests.rs"]
mod tests;
