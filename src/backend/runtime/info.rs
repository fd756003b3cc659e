//! Properties of devices.

use std::fmt;

use crate::PoolSupport;

/// Properties of a device that do not change, open or not.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// The name, e.g. `NVIDIA H200` or `CPU (2 cores)`.
    pub name: String,
    /// The number of bytes of all memory.
    pub total_memory: u64,
    /// Whether the other devices use the same memory.
    pub shares_memory: bool,
    /// The number of processing units: streaming multiprocessors, or CPU cores that serve the device. Not 0.
    pub cores: u32,
    /// The number of the device's processors that run ordinary programs, or 0 if only the host has such.
    pub host_cores: u32,
    /// The number of bytes of level-2 cache, or 0 if unknown.
    pub l2_cache: u64,
    /// The limits of kernels with many threads, or `None` if the device has no such kernels.
    pub threads: Option<ThreadLimits>,
    /// A number that no other device has and that stays the same, or `None` if the driver has none.
    pub uuid: Option<[u8; 16]>,
    /// The device's address in the machine, or an address that no hardware has.
    pub pci: Option<PciAddress>,
    /// Whether the 32 bytes past the end of an allocation that programs may read cost at most one 4 KiB page here. If
    /// they would cost a 2 MiB page, the core does not request them.
    pub readable_tail: bool,
    /// The pools that the device supports.
    pub pools: PoolSupport,
    /// Whether core pools must report their blocks, see [`crate::Device::note_part`].
    pub notes_parts: bool,
}

/// Limits of kernels that run in many threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadLimits {
    /// The number of threads of a warp.
    pub warp: u32,
    /// The maximum number of threads of one core at once.
    pub per_core: u32,
    /// The number of bytes of one core's shared memory.
    pub shared_memory_per_core: u64,
    /// The maximum number of threads of one block.
    pub per_block: u32,
    /// The maximum numbers of blocks of a grid, in x, y and z.
    pub grid: [u32; 3],
    /// The maximum numbers of threads of a block, in x, y and z.
    pub block: [u32; 3],
}

/// An address on a PCI bus. As text it is `0000:3b:00.0`; all numbers are hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PciAddress {
    /// The number of the bus system: 16 bits, or 32 behind some bridges.
    pub domain: u32,
    /// The number of the bus.
    pub bus: u8,
    /// The number of the slot, less than 32.
    pub device: u8,
    /// The number of the function, less than 8.
    pub function: u8,
}

impl PciAddress {
    /// Parses `[domain:]bus:device[.function]`; omitted parts are 0.
    pub fn parse(text: &str) -> Option<Self> {
        let (place, function) = text.split_once('.').unwrap_or((text, "0"));
        let (bus, device) = place.rsplit_once(':')?;
        let (domain, bus) = bus.rsplit_once(':').unwrap_or(("0", bus));
        Some(Self {
            domain: hexadecimal(domain, 8, u32::MAX)?,
            bus: hexadecimal(bus, 2, 0xff)? as u8,
            device: hexadecimal(device, 2, 31)? as u8,
            function: hexadecimal(function, 1, 7)? as u8,
        })
    }
}

/// Parses at most `digits` digits, without sign or blanks, to a number up to `most`.
fn hexadecimal(text: &str, digits: usize, most: u32) -> Option<u32> {
    let plain = text.len() <= digits && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(text, 16).ok().filter(|number| plain && *number <= most)
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { domain, bus, device, function } = self;
        write!(f, "{domain:04x}:{bus:02x}:{device:02x}.{function:x}")
    }
}

#[cfg(test)]
#[path = "info_tests.rs"]
mod tests;
