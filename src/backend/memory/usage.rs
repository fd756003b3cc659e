//! The bytes that blocks take, and counting them.

use crate::algo::sync::level::Level;

/// Bytes that are in use, and the most that were since the device was opened, or since
/// [`crate::backend::Device::restart_peak`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Now.
    pub current: u64,
    /// At the worst moment so far.
    pub peak: u64,
}

/// What the blocks of a device take. Those that were freed count until the last operation that
/// uses them has finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUsage {
    /// From [`crate::backend::Device::alloc`].
    pub device: Usage,
    /// From [`crate::backend::Device::alloc_managed`].
    pub managed: Usage,
    /// Pages of 2 MiB that were wanted and could not be had, since the device was opened.
    pub huge_page_fallbacks: u64,
}

/// Bytes in use, and the most that were.
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

    /// The most that were are counted from now on.
    pub(in crate::backend) fn restart(&self) {
        self.0.restart();
    }
}
