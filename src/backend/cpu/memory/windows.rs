//! The program's views of devices' memory, also of closed devices.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::backend::base::hull::Hull;

/// Openings of each device that are remembered.
const REMEMBERED: usize = 2;

/// Memory of devices at earlier openings, and in earlier sessions: programs may still have such addresses.
static EARLIER: Hull = Hull::new();

/// Whether the address may be in memory of a closed device. Host memory may be there, too; a caller that has to know
/// checks whether it can be read.
pub fn was_near(addr: usize) -> bool {
    EARLIER.contains(addr)
}

/// The address ranges of all devices. Looking an address up takes two loads if it is in none, as most host memory.
pub struct Windows {
    /// Length of each.
    len: usize,
    /// First addresses, the latest opening of a device first; 0: none.
    bases: Box<[[AtomicUsize; REMEMBERED]]>,
    /// The hull of all of them.
    hull: Hull,
}

impl Windows {
    /// Of `devices` devices with `len` bytes of memory each, none of them open yet.
    pub fn new(devices: usize, len: usize) -> Self {
        Self { len, bases: (0..devices).map(|_| Default::default()).collect(), hull: Hull::new() }
    }

    /// The device's memory is at `base`, in the program's view.
    pub fn open(&self, ordinal: u32, base: usize) {
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

    /// The device whose memory is, or was, there.
    #[inline]
    pub fn device_at(&self, addr: usize) -> Option<u32> {
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
