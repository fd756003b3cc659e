//! Properties of a CPU device.

use crate::algo::math::mix::mix;
use crate::backend::base::memory_file;
use crate::backend::{DeviceInfo, PciAddress, PoolSupport, host_nodes};
use crate::base::machine;
use crate::runtime::shared::Shared;

/// The PCI domain of the devices, which no machine has. The devices here are on no bus, but programs distinguish
/// devices by such addresses.
const NO_DOMAIN: u32 = 0xffff;

pub(crate) fn describe(shared: &Shared, ordinal: u32) -> DeviceInfo {
    let cores = shared.cores as u32;
    let plural = if cores == 1 { "" } else { "s" };
    let number = shared.numbers[ordinal as usize];
    DeviceInfo {
        name: format!("CPU ({cores} core{plural})"),
        total_memory: shared.capacity.each,
        shares_memory: shared.capacity.is_shared(),
        cores,
        host_cores: cores,
        l2_cache: machine::l2_cache(),
        threads: None,
        uuid: Some(uuid(&machine::identity(), number)),
        // There are at most 64 devices, so their numbers fit.
        pci: Some(PciAddress { domain: NO_DOMAIN, bus: number as u8, device: 0, function: 0 }),
        // If accesses outside of allocations are detected, an access to the tail would be reported.
        readable_tail: !shared.check.is_on(),
        notes_parts: shared.check.is_on(),
        pools: pools(shared.capacity.each),
    }
}

/// Returns which pools the device supports. Sharing needs a file in memory of the device's length, which the system may
/// not allow.
fn pools(memory: u64) -> PoolSupport {
    PoolSupport {
        device: true,
        descriptor: memory_file::create(c"portacl-question", memory).is_ok(),
        host: true,
        host_node: !host_nodes().is_empty(),
        managed: true,
        ..PoolSupport::default()
    }
}

/// Returns a UUID of version 8 (RFC 9562), computed from the machine's identity and the device's number. It has 64 bits
/// of a hash of the identity, from which the identity cannot be computed.
fn uuid(machine: &str, number: u32) -> [u8; 16] {
    let identity = machine
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let halves = [0, 1].map(|half| mix(mix(identity) ^ u64::from(number) << 1 ^ half));
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&halves[0].to_be_bytes());
    bytes[8..].copy_from_slice(&halves[1].to_be_bytes());
    bytes[6] = 0x80 | bytes[6] & 0x0f;
    bytes[8] = 0x80 | bytes[8] & 0x3f;
    bytes
}

#[cfg(test)]
#[path = "info_tests.rs"]
mod tests;
