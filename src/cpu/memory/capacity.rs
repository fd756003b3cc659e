//! The amount of memory on each device, and on all devices together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::arena::HUGE;
use crate::base::machine;

/// The divisor of the machine's memory that gives what is left to programs and the system.
const KEPT: u64 = 16;
/// The maximum number of addresses of a process's devices: half of the addresses of an x86-64 process.
const ADDRESSES: u64 = 1 << 46;
/// The maximum number of bytes of a device, because its heap counts units of 4 KiB in 32 bits.
pub(crate) const MOST: u64 = 1 << 43;

/// Numbers of bytes, in multiples of 2 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Capacity {
    /// The maximum of one device.
    pub each: u64,
    /// The maximum of all devices together.
    pub all: u64,
}

impl Capacity {
    /// Returns the capacity of devices that share the memory of this machine.
    pub(crate) fn of_machine(devices: usize, addresses_of_byte: u64) -> Self {
        divide(machine::memory(), machine::most_addresses(), devices as u64, addresses_of_byte)
    }

    /// Returns the capacity of devices with `each` bytes of private memory, or `None` if that is too little or too
    /// much.
    pub(crate) fn of_limit(each: u64) -> Option<Self> {
        let each = each.checked_next_multiple_of(HUGE).filter(|each| (1..=MOST).contains(each))?;
        Some(Self { each, all: u64::MAX })
    }

    /// Whether memory that one device uses reduces that of another.
    pub(crate) fn is_shared(self) -> bool {
        self.all != u64::MAX
    }
}

/// Divides `memory` bytes that this process can have, and its addresses, if they are limited. Each device can have
/// nearly all of the memory. But addresses are reserved when a device is opened, so each device has its share of them.
fn divide(memory: u64, addresses: Option<u64>, devices: u64, addresses_of_byte: u64) -> Capacity {
    let devices = devices.max(1);
    let most = memory - memory / KEPT;
    // The other half of a limit is for the program. In guard mode a limited address space does not suffice, which
    // the opening of a device reports.
    let limited = addresses.map_or(u64::MAX, |most| most / 2 / devices);
    let each = most.min(limited).min(ADDRESSES / addresses_of_byte / devices).min(MOST);
    let round = |bytes: u64| (bytes / HUGE).max(1) * HUGE;
    let each = round(each);
    let all = round(most).min(each.saturating_mul(devices));
    Capacity { each, all: if all == each.saturating_mul(devices) { u64::MAX } else { all } }
}

/// A number of bytes for all devices of a process.
pub(crate) struct Budget {
    /// The maximum, or `u64::MAX` if each device has only its private memory.
    most: u64,
    used: AtomicU64,
}

impl Budget {
    pub(crate) fn new(most: u64) -> Self {
        Self { most, used: AtomicU64::new(0) }
    }

    /// Whether there is a common limit.
    fn is_limited(&self) -> bool {
        self.most != u64::MAX
    }

    /// Returns the number of bytes that are not taken.
    fn left(&self) -> u64 {
        self.most - self.used.load(Ordering::Relaxed)
    }
}

/// The share of one device in the memory on all devices.
pub(crate) struct Share {
    budget: Arc<Budget>,
    /// The number of bytes that the device has taken; 0 without a common limit.
    taken: AtomicU64,
}

impl Share {
    /// Creates the share of a new device.
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        Self { budget, taken: AtomicU64::new(0) }
    }

    /// Takes bytes. Returns false, and takes none, if the other devices have left too few.
    pub(crate) fn take(&self, len: u64) -> bool {
        if !self.budget.is_limited() {
            return true;
        }
        // Relaxed: the number publishes nothing else.
        let add = |used: u64| used.checked_add(len).filter(|sum| *sum <= self.budget.most);
        let is_taken = self.budget.used.try_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok();
        if is_taken {
            self.taken.fetch_add(len, Ordering::Relaxed);
        }
        is_taken
    }

    /// Releases bytes, unless [`Self::close`] has released all of the device's.
    pub(crate) fn release(&self, len: u64) {
        let less = |taken: u64| taken.checked_sub(len);
        if self.budget.is_limited() && self.taken.try_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok() {
            self.budget.used.fetch_sub(len, Ordering::Relaxed);
        }
    }

    /// Releases all bytes that are still taken.
    pub(crate) fn close(&self) {
        self.budget.used.fetch_sub(self.taken.swap(0, Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Returns the number of bytes that all devices together can still have.
    pub(crate) fn left(&self) -> u64 {
        self.budget.left()
    }

    /// If devices share their memory, returns all of it, and what this device and the others have taken.
    pub(crate) fn taken(&self) -> Option<(u64, u64, u64)> {
        let (most, own) = (self.budget.most, self.taken.load(Ordering::Relaxed));
        self.budget.is_limited().then(|| (most, own, (most - self.left()).saturating_sub(own)))
    }
}

#[cfg(test)]
#[path = "capacity_tests.rs"]
mod tests;
