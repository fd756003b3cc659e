//! An open device and its state. The calls that open and reset it are in `device`.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

use crate::algo::map::slot_table::Handle;
use crate::algo::map::typed_slots::Slots;
use crate::algo::sync::striped_count::StripedCount;
use crate::backend;
use crate::core::base::owner::Owner;

/// The largest grid dimension of a kernel, if the backend has no limit.
const MOST_BLOCKS: u32 = 0x7fff_ffff;

/// An open device.
pub struct Device {
    /// The id that programs use.
    pub id: u32,
    /// The owner id of this opening, which its memory carries.
    pub owner: Owner,
    /// The backend's device.
    pub native: Arc<dyn backend::Device>,
    /// Its memory in bytes.
    pub total_memory: u64,
    /// Other devices allocate from the same memory.
    pub shares_memory: bool,
    /// Whether allocations have readable bytes past their end.
    pub readable_tail: bool,
    /// The largest grid dimension of a kernel.
    pub most_blocks: u32,
    /// How often programs set it.
    pub sets: SetCount,
    /// State that features keep with it.
    pub features: Slots,
    next_stream_id: AtomicI32,
    next_event_id: AtomicU32,
}

impl Device {
    /// Device `id`, opened by the backend.
    pub fn new(id: u32, native: Arc<dyn backend::Device>) -> Self {
        Self {
            id,
            owner: Owner::new(),
            total_memory: native.info().total_memory,
            shares_memory: native.info().shares_memory,
            readable_tail: native.info().readable_tail,
            most_blocks: native.info().threads.as_ref().map_or(MOST_BLOCKS, |threads| threads.grid[0]),
            native,
            sets: SetCount::default(),
            features: Slots::default(),
            next_stream_id: AtomicI32::new(0),
            next_event_id: AtomicU32::new(0),
        }
    }

    /// A small number for a new stream of this device.
    pub fn new_stream_id(&self) -> i32 {
        self.next_stream_id.fetch_add(1, Ordering::Relaxed)
    }

    /// A small number for a new event of this device.
    pub fn new_event_id(&self) -> u32 {
        self.next_event_id.fetch_add(1, Ordering::Relaxed)
    }
}

/// How often a device was set since it was opened, without a lock. Belongs to the open device.
#[derive(Default)]
pub struct SetCount {
    /// The handle of the default context, 0 while the device is not set.
    pub primary: AtomicU64,
    /// Successful sets. Threads that set the same device write to different cache lines.
    pub sets: StripedCount,
}

/// The result of a repeated set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetAgain {
    /// It is counted, and the device stays.
    Counted,
    /// It is counted, but a reset is in progress: whether the device stays is decided under the lock.
    Raced,
    /// The thread's current context is another one; nothing was counted.
    OtherContext,
}

impl SetCount {
    /// One more set by a thread whose current context is this device's default one; `thread` is its number.
    #[inline]
    pub fn set_again(&self, current: Handle, thread: usize) -> SetAgain {
        if self.primary.load(Ordering::Relaxed) != current.raw() {
            return SetAgain::OtherContext;
        }
        self.sets.raise(thread);
        // A reset stores 0 to `primary` and then sums again; we add and then load: one of the two sees the other. The
        // count stays, because a reset in between could count a subtraction.
        if self.primary.load(Ordering::SeqCst) == current.raw() { SetAgain::Counted } else { SetAgain::Raced }
    }

    /// The first set after the device was opened or reset.
    pub fn set_first(&self, primary: Handle, thread: usize) {
        self.sets.raise(thread);
        self.primary.store(primary.raw(), Ordering::SeqCst);
    }
}
