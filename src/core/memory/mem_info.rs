//! The amount of device memory, and how much of it is free.

use crate::backend::MemoryUsage;
use crate::base::error::{Code, Result, error_with};
use crate::memory::allocation::Reuse;
use crate::runtime::device::Device;
use crate::runtime::thread;

impl Device {
    /// Returns the bytes that can still be allocated. Cached memory counts as free.
    pub fn free_memory(&self) -> Result<u64> {
        let free = self.native.free_memory()? + self.cached_bytes();
        Ok(free.min(self.total_memory))
    }

    /// Returns the bytes in use. Cached memory counts in the peak only.
    pub fn memory_usage(&self) -> MemoryUsage {
        let mut usage = self.native.memory_usage();
        usage.device.current = usage.device.current.saturating_sub(Reuse::of(self).cache.bytes() as u64);
        usage
    }
}

/// Returns the free and total bytes of the current device, as aclrtGetMemInfo does for `attribute`.
pub fn memory_info(attribute: i32) -> Result<(usize, usize)> {
    /// The attributes for device memory, by their number in `aclrtMemAttr`.
    const DEVICE_MEMORY: [i32; 9] = [1, 4, 5, 8, 9, 12, 13, 15, 16];
    const LAST: i32 = 17;
    thread::refuse_inside_host_function()?;
    if !(0..=LAST).contains(&attribute) {
        return Err(error_with!(
            Code::InvalidMemoryType,
            "attr is {attribute}; allowed: the values of aclrtMemAttr, 0 to {LAST}"
        ));
    }
    let device = thread::current()?.device.clone();
    if !DEVICE_MEMORY.contains(&attribute) {
        // The devices do not have these kinds of memory. The call returns 0 bytes and no error.
        return Ok((0, 0));
    }
    Ok((device.free_memory()? as usize, device.total_memory as usize))
}
