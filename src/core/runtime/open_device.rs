//! An open device.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64};

use crate::algo::map::typed_slots::Slots;
use crate::algo::sync::striped_count::StripedCount;
use crate::backend;
use crate::base::owner::Owner;

/// Largest grid dimension of a kernel if the backend has no limit.
const MOST_BLOCKS: u32 = 0x7fff_ffff;

/// An open device.
pub struct Device {
    /// The id that programs use.
    pub id: u32,
    /// The owner id of this opening, which its memory carries.
    pub owner: Owner,
    /// The backend's device.
    pub native: Arc<dyn backend::Device>,
    /// The device's memory in bytes.
    pub total_memory: u64,
    /// Whether other devices allocate from the same memory.
    pub shares_memory: bool,
    /// Whether allocations have readable bytes past their end.
    pub readable_tail: bool,
    /// Largest grid dimension of a kernel.
    pub most_blocks: u32,
    /// The handle of the default context, 0 while the device is not set.
    pub primary: AtomicU64,
    /// Number of successful sets since the device was opened. Threads that set the same device write to different cache
    /// lines.
    pub sets: StripedCount,
    /// State that features keep with the device.
    pub features: Slots,
    /// The next number for a stream of the device.
    pub next_stream_id: AtomicI32,
    /// The next number for an event of the device.
    pub next_event_id: AtomicU32,
}

impl Device {
    /// Creates device `id`, which the backend has opened.
    pub fn new(id: u32, native: Arc<dyn backend::Device>) -> Self {
        Self {
            id,
            owner: Owner::new(),
            total_memory: native.info().total_memory,
            shares_memory: native.info().shares_memory,
            readable_tail: native.info().readable_tail,
            most_blocks: native.info().threads.as_ref().map_or(MOST_BLOCKS, |threads| threads.grid[0]),
            native,
            primary: AtomicU64::default(),
            sets: StripedCount::default(),
            features: Slots::default(),
            next_stream_id: AtomicI32::default(),
            next_event_id: AtomicU32::default(),
        }
    }
}
