//! Bytes of blocks, and their counters.

use crate::algo::sync::level::Level;

/// Bytes in use, and their peak since the device was opened, or since [`crate::backend::Device::restart_peak`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Now.
    pub current: u64,
    /// The peak so far.
    pub peak: u64,
}

/// The bytes of a device's blocks. Freed blocks count until the last operation that uses them is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUsage {
    /// From [`crate::backend::Device::alloc`].
    pub device: Usage,
    /// From [`crate::backend::Device::alloc_managed`].
    pub managed: Usage,
    /// Pages of 2 MiB that were requested and not available, since the device was opened.
    pub huge_page_fallbacks: u64,
}

/// Bytes in use, and their peak.
#[derive(Default)]
pub(in crate::backend) struct Counter(Level);

impl Counter {
    pub(in crate::backend) fn add(&self, len: usize) {
        self.0.add(len as u64);
    }

    pub(in crate::backend) fn sub(&self, len: usize) {
        self.0.sub(len as u64);
    }

    pub(in crate::backend) fn read(&self) -> Usage {
        Usage { current: self.0.current(), peak: self.0.peak() }
    }

    /// Resets the peak.
    pub(in crate::backend) fn restart(&self) {
        self.0.restart();
    }
}
