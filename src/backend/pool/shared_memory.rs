//! Memory that other processes can import, for drivers without [pools](crate::backend::Pools): it lies in an unnamed
//! file, which travels as a descriptor.
//!
//! Imported memory stays readable for importers, whatever happens to the exporter; when the exporter reuses the memory,
//! its contents change.

use std::os::fd::OwnedFd;

use crate::backend::{Block, Fault, PointerExport, Result};

/// Memory of this process that others can import. Its blocks are freed as all others: by
/// [`Device::free`](crate::backend::Device::free) or [`Driver::free_host`](crate::backend::Driver::free_host).
pub trait SharedMemory: Send + Sync {
    /// A block of at least `len` bytes, a multiple of 2 MiB. It counts as memory of its device.
    fn alloc(&self, len: usize) -> Result<Block>;

    /// A new descriptor of all blocks, including later ones. Not after [`Self::close`].
    fn export(&self) -> Result<OwnedFd>;

    /// Names a range that lies in one live block, for processes that have the descriptor; the same name for the same
    /// range, until [`Self::withdraw`]. Not after [`Self::close`].
    fn export_range(&self, addr: usize, len: usize) -> Result<PointerExport>;

    /// The range that begins there loses its name, if it has one.
    fn withdraw(&self, addr: usize);

    /// Ends imports, also of further blocks. Called by its drop, and at the latest at the end of the process.
    fn close(&self);
}

/// The fault of a backend whose driver shares pools.
pub(in crate::backend) fn only_pools() -> Fault {
    Fault::unsupported("this driver shares nothing but its own pools; export one of those")
}
