//! While a snapshot stops the process: threads that have passed the gate and access device memory wait here.
//!
//! On the way there threads read the count of pages that are to be made huge, see
//! [`crate::backend::cpu::memory::device_memory::DeviceMemory::prepare`]. A snapshot raises it, so that this costs
//! nothing at any other time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::algo::sync::reclaim;
use crate::algo::thread::pause::pause;
use crate::backend::cpu::runtime::shared::Slot;
use crate::backend::{Fault, FaultKind, Result};

/// Added to the counts: more than there can be.
const RAISED: usize = 1 << 40;
const PAUSE: Duration = Duration::from_micros(100);

#[derive(Default)]
pub struct Hold {
    is_on: AtomicBool,
    waiting: Mutex<Waiting>,
    released: Condvar,
}

/// Threads that wait.
#[derive(Default)]
struct Waiting {
    /// Inside a call that pins objects.
    pinned: usize,
    others: u32,
}

impl Hold {
    /// Begins, and waits until no thread accesses the memory any more that has not stopped here.
    pub fn begin(&self, slots: &[Slot], patience: Duration) -> Result<()> {
        let deadline = Instant::now() + patience;
        self.is_on.store(true, Ordering::SeqCst);
        slots.iter().for_each(|slot| _ = slot.wanted.fetch_add(RAISED, Ordering::SeqCst));
        loop {
            let Waiting { pinned, others } = *self.waiting.lock();
            let working: u32 = slots.iter().map(|slot| slot.busy.working()).sum();
            // Short copies are made under a pin, long ones count as work.
            if reclaim::count_pinned() <= pinned && working <= others {
                return Ok(());
            }
            if Instant::now() >= deadline {
                self.end(slots);
                return Err(Fault::new(
                    FaultKind::WaitTimedOut,
                    "calls of other threads are still at device memory; let them end first",
                ));
            }
            pause(PAUSE);
        }
    }

    /// Resumes all threads.
    pub fn end(&self, slots: &[Slot]) {
        let _waiting = self.waiting.lock();
        slots.iter().for_each(|slot| _ = slot.wanted.fetch_sub(RAISED, Ordering::SeqCst));
        self.is_on.store(false, Ordering::SeqCst);
        self.released.notify_all();
    }

    /// The calling thread is about to use device memory.
    pub fn pass(&self) {
        if !self.is_on.load(Ordering::SeqCst) {
            return;
        }
        let (pinned, other) = if reclaim::is_pinned() { (1, 0) } else { (0, 1) };
        let mut waiting = self.waiting.lock();
        waiting.pinned += pinned;
        waiting.others += other;
        while self.is_on.load(Ordering::SeqCst) {
            self.released.wait(&mut waiting);
        }
        waiting.pinned -= pinned;
        waiting.others -= other;
    }
}
