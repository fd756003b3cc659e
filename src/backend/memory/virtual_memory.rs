//! Virtual memory: address ranges and physical memory.

use std::any::Any;
use std::sync::Arc;

use crate::base::broker::Parcel;
use crate::{Access, Result};

/// The granularity in bytes of sizes and addresses of virtual memory.
pub const GRANULARITY: usize = 2 << 20;

/// Memory without an address. It is freed when it is dropped and not mapped any more.
pub trait PhysicalMemory: Any + Send + Sync {
    /// Returns the page size that the system confirms.
    fn page_size(&self) -> usize;

    /// Returns what another process needs to import the memory. The memory stays until no process has it.
    fn export(&self) -> Result<Parcel>;
}

/// Memory from another process.
pub struct ImportedMemory {
    /// The memory itself.
    pub memory: Arc<dyn PhysicalMemory>,
    /// The memory's length in bytes.
    pub len: usize,
    /// True if it is device memory.
    pub on_device: bool,
}

/// Ranges of addresses and their mappings. Addresses and lengths are multiples of [`GRANULARITY`].
///
/// Mappings are used like allocated memory. A mapping that is removed while pending operations use it exists until the
/// last of them is complete. A new mapping there, or a release of the range, waits for that.
pub trait VirtualMemory: Send + Sync {
    /// Reserves `len` bytes of addresses, at a multiple of `align` (a power of two), and at `wish` if that is not 0.
    /// Fails if `wish` is not free.
    fn reserve(&self, len: usize, align: usize, wish: usize) -> Result<usize>;

    /// Releases a whole range without mappings. After a fault the range still exists.
    fn release(&self, addr: usize, len: usize) -> Result<()>;

    /// Allocates host memory, on this NUMA node if there is one. For memory of devices see
    /// [`crate::Device::alloc_physical`].
    fn alloc_host(&self, len: usize, node: Option<u32>) -> Result<Arc<dyn PhysicalMemory>>;

    /// Imports memory that another process has exported, for use on the open device with this ordinal. The memory may
    /// be on any device, or on the host.
    fn import(&self, parcel: Parcel, ordinal: u32) -> Result<ImportedMemory>;

    /// Maps all `len` bytes of some memory in a part of a range where nothing is mapped. The mapping has no access yet.
    fn map(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()>;

    /// Removes a mapping. Does not wait: pending operations keep it. After a fault the mapping still exists.
    fn unmap(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()>;

    /// Sets the access of a device to a mapping, or of the host if there is no device.
    fn set_access(
        &self,
        addr: usize,
        len: usize,
        memory: &dyn PhysicalMemory,
        ordinal: Option<u32>,
        access: Access,
    ) -> Result<()>;
}
