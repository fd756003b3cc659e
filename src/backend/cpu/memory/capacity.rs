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
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn machine(memory: u64, addresses: Option<u64>) -> Machine {
        Machine { memory, addresses }
    }

    #[test]
    fn each_device_can_have_nearly_all_and_all_together_no_more() {
        let machine = machine(32 * GIB, None);
        let alone = machine.divide(1, 1);
        assert_eq!(alone, Capacity { each: 30 * GIB, all: u64::MAX });
        for devices in [2, 4, 8, 64] {
            for addresses in [1, 4, 8] {
                let capacity = machine.divide(devices, addresses);
                assert_eq!(capacity, Capacity { each: 30 * GIB, all: 30 * GIB });
                assert!(capacity.is_shared());
            }
        }
    }

    #[test]
    fn addresses_are_divided_where_they_are_limited() {
        let limited = machine(32 * GIB, Some(16 * GIB)).divide(4, 1);
        // Eight for the program; the rest is divided among the devices.
        assert_eq!(limited, Capacity { each: 2 * GIB, all: u64::MAX });
        let wide = machine(32 * GIB, Some(160 * GIB)).divide(4, 1);
        assert_eq!(wide, Capacity { each: 20 * GIB, all: 30 * GIB });
        // A machine with more memory than 64 devices have addresses for.
        let huge = machine(2 << 40, None);
        assert_eq!(huge.divide(64, 1).each, 1 << 40);
        assert_eq!(huge.divide(64, 8).each, 1 << 37);
        assert_eq!(machine(1 << 50, None).divide(1, 1).each, MOST);
    }

    #[test]
    fn a_device_has_something_at_least_and_whole_large_pages() {
        assert_eq!(machine(1, Some(1)).divide(8, 1).each, HUGE);
        assert_eq!(machine(0, None).divide(8, 8).each, HUGE);
        for memory in [GIB + 1, 23_456_789_012, 999_999_999_999] {
            for devices in [1, 3, 4, 8] {
                let capacity = machine(memory, None).divide(devices, 1);
                assert_eq!(capacity.each % HUGE, 0);
                assert!(capacity.each <= memory && capacity.each > memory / 10 * 9);
                assert!(devices == 1 || capacity.all == capacity.each);
            }
        }
    }

    #[test]
    fn limits_of_their_own_are_rounded_up() {
        assert_eq!(Capacity::of_limit(1).unwrap(), Capacity { each: HUGE, all: u64::MAX });
        assert_eq!(Capacity::of_limit(MOST).unwrap().each, MOST);
        for bad in [0, MOST + 1, u64::MAX] {
            assert_eq!(Capacity::of_limit(bad), None);
        }
    }
}
