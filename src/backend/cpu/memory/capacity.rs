//! The memory of the devices: of each, and of all together.

use crate::backend::cpu::base::arena::HUGE;
use crate::backend::cpu::base::machine;

/// The divisor for the part of the machine's memory that is left to programs and the system.
const KEPT: u64 = 16;
/// The most addresses of a process's devices: half of the addresses of an x86-64 process.
const ADDRESSES: u64 = 1 << 46;
/// The most memory of a device, because its heap counts units of 4 KiB in 32 bits.
pub const MOST: u64 = 1 << 43;

/// Bytes, in multiples of 2 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// The most of one device.
    pub each: u64,
    /// The most of all devices together.
    pub all: u64,
}

/// The resources to divide.
struct Machine {
    /// Bytes of memory that this process can have.
    memory: u64,
    /// Bytes of address space that this process may have, if that is limited.
    addresses: Option<u64>,
}

impl Capacity {
    /// Of devices that share what this machine has.
    pub fn of_machine(devices: usize, addresses_of_byte: u64) -> Self {
        let machine = Machine { memory: machine::memory(), addresses: machine::most_addresses() };
        machine.divide(devices as u64, addresses_of_byte)
    }

    /// Of devices with `each` bytes of private memory; `None`: that is too little or too much.
    pub fn of_limit(each: u64) -> Option<Self> {
        let each = each.checked_next_multiple_of(HUGE).filter(|each| (1..=MOST).contains(each))?;
        Some(Self { each, all: u64::MAX })
    }

    /// Whether the memory of one device reduces that of another.
    pub fn is_shared(self) -> bool {
        self.all != u64::MAX
    }
}

impl Machine {
    /// Each device can have nearly all of the memory. Addresses are reserved when a device is opened: each device has
    /// its own share.
    fn divide(&self, devices: u64, addresses_of_byte: u64) -> Capacity {
        let devices = devices.max(1);
        let most = self.memory - self.memory / KEPT;
        // The other half of a limit is for the program. In guard mode a limited address space does not suffice, which
        // the opening of a device reports.
        let limited = self.addresses.map_or(u64::MAX, |most| most / 2 / devices);
        let each = most.min(limited).min(ADDRESSES / addresses_of_byte / devices).min(MOST);
        let round = |bytes: u64| (bytes / HUGE).max(1) * HUGE;
        let each = round(each);
        let all = round(most).min(each.saturating_mul(devices));
        Capacity { each, all: if all == each.saturating_mul(devices) { u64::MAX } else { all } }
    }
}

#[cfg(test)]
#[path = "capacity_tests.rs"]
mod tests;
