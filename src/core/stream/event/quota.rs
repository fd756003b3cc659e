//! Some kinds of event are limited in number.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::algo::map::typed_slots::Key;
use crate::core::runtime::device::Device;

/// How many events there are of which a device has a limited number.
#[derive(Default)]
pub struct Quota(AtomicU32);

static EVENTS: Key<Quota> = Key::new();

impl Quota {
    /// Those of a device.
    #[inline]
    pub fn of(device: &Device) -> &Self {
        EVENTS.of(&device.features)
    }
}

impl Quota {
    /// The most there can be.
    pub const MOST: u32 = 65_536;

    /// One more; false if there are as many as there can be.
    pub fn take(&self) -> bool {
        let more = |count| (count < Self::MOST).then_some(count + 1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// One less.
    pub fn release(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// How many more there can be.
    pub fn left(&self) -> u32 {
        Self::MOST - self.0.load(Ordering::Relaxed)
    }
}
