//! The program's views of devices' memory, also of closed devices.
//!
//! An address that the core does not know, and that lies in one of them, is *stale*: no call takes it for host memory.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::backend::base::hull::Hull;

/// The number of openings that are remembered of each device.
const REMEMBERED: usize = 2;

/// The hull of devices' memory at earlier openings, and in earlier sessions. Programs may still have such addresses.
static EARLIER: Hull = Hull::new();

/// Whether the address may be in memory of a closed device. Host memory may be there, too: a caller that has to know
/// checks whether it can be read.
pub(crate) fn was_near(addr: usize) -> bool {
    EARLIER.contains(addr)
}

/// The address ranges of all devices. A lookup takes two loads if the address is in none, as most host memory.
pub(crate) struct Windows {
    /// The length of each range in bytes.
    len: usize,
    /// The first addresses of each device's ranges, the latest opening first. 0 stands for none.
    bases: Box<[[AtomicUsize; REMEMBERED]]>,
    /// The hull of all ranges.
    hull: Hull,
}

impl Windows {
    /// Creates the ranges of `devices` devices with `len` bytes of memory each. None of them is open yet.
    pub(crate) fn new(devices: usize, len: usize) -> Self {
        Self { len, bases: (0..devices).map(|_| Default::default()).collect(), hull: Hull::new() }
    }

    /// Sets the address `base`, in the program's view, of a device's memory that opens.
    pub(crate) fn open(&self, ordinal: u32, base: usize) {
        // Relaxed, here and below: a thread that races with the opening of a device has no address of it.
        let mut moved = base;
        for place in &self.bases[ordinal as usize] {
            moved = place.swap(moved, Ordering::Relaxed);
        }
        if moved != 0 {
            EARLIER.add(moved, moved + self.len);
        }
        self.hull.add(base, base + self.len);
    }

    /// Returns the device whose memory is, or was, at this address.
    #[inline]
    pub(crate) fn device_at(&self, addr: usize) -> Option<u32> {
        if !self.hull.contains(addr) {
            return None;
        }
        let contains = |base: &AtomicUsize| {
            let base = base.load(Ordering::Relaxed);
            base != 0 && addr.wrapping_sub(base) < self.len
        };
        let found = self.bases.iter().position(|bases| bases.iter().any(contains));
        found.map(|ordinal| ordinal as u32)
    }
}

impl Drop for Windows {
    fn drop(&mut self) {
        EARLIER.add_all_of(&self.hull);
    }
}

#[cfg(test)]
#[path = "windows_tests.rs"]
mod tests;
