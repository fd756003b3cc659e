//! Bytes of blocks, and their counters.

pub use crate::algo::sync::level::{Level, Usage};

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
