//! Virtual memory: addresses and memory apart.

use std::any::Any;
use std::sync::Arc;

use crate::backend::base::broker::Parcel;
use crate::backend::{Access, Result};

/// What sizes and addresses of virtual memory are multiples of.
pub const GRANULARITY: usize = 2 << 20;

/// Memory without an address. It is freed when it is dropped and not mapped any more.
pub trait PhysicalMemory: Send + Sync {
    /// The page size that the system confirms.
    fn page_size(&self) -> usize;

    /// What another process needs to import it. It stays until no process has it.
    fn export(&self) -> Result<Parcel>;

    /// For a backend to recognise its own.
    fn as_any(&self) -> &dyn Any;
}

/// Memory of another process.
pub struct ImportedMemory {
    /// The memory itself.
    pub memory: Arc<dyn PhysicalMemory>,
    /// Its length.
    pub len: usize,
    /// It is memory of a device.
    pub on_device: bool,
}

/// Ranges of addresses and their mappings. Addresses and lengths are multiples of [`GRANULARITY`].
pub trait VirtualMemory: Send + Sync {
    /// A range of `len` bytes with no memory, at a multiple of `align` (a power of two), and at `wish`
    /// if that is not 0 (else a fault: it is not free).
    fn reserve(&self, len: usize, align: usize, wish: usize) -> Result<usize>;

    /// Gives a whole range back, in which nothing is mapped. After a fault it is still there.
    fn release(&self, addr: usize, len: usize) -> Result<()>;

    /// Host memory, of this NUMA node if it has to be one. Memory of devices:
    /// [`crate::backend::Device::alloc_physical`].
    fn alloc_host(&self, len: usize, node: Option<u32>) -> Result<Arc<dyn PhysicalMemory>>;

    /// Memory that another process has exported, for use on the open device with this ordinal,
    /// whichever it is on, or on the host.
    fn import(&self, parcel: Parcel, ordinal: u32) -> Result<ImportedMemory>;

    /// Maps all `len` bytes of some memory in a part of a range where nothing is mapped. Without access yet.
    fn map(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()>;

    /// Takes that back. Does not wait: operations queued before keep the mapping. After a fault it is
    /// still there.
    fn unmap(&self, addr: usize, len: usize, memory: &dyn PhysicalMemory) -> Result<()>;

    /// Sets what a device may do with a mapping of memory, or the host where there is no device.
    fn set_access(
        &self,
        addr: usize,
        len: usize,
        memory: &dyn PhysicalMemory,
        ordinal: Option<u32>,
        access: Access,
    ) -> Result<()>;
}
