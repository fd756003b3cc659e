//! The limit on the number of some kinds of events.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::algo::map::typed_slots;
use crate::core::runtime::device::Device;

/// How many events of a device count towards the limit.
#[derive(Default)]
pub struct Quota(AtomicU32);

typed_slots::state! {
    /// The quota of a device.
    pub Quota::of(Device);
}

impl Quota {
    /// The limit.
    pub const MOST: u32 = 65_536;

    /// Adds one; false at the limit.
    pub fn take(&self) -> bool {
        let more = |count| (count < Self::MOST).then_some(count + 1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Subtracts one.
    pub fn release(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// How many more the limit allows.
    pub fn left(&self) -> u32 {
        Self::MOST - self.0.load(Ordering::Relaxed)
    }
}
