//! Memory that other processes can import, for drivers without [pools](crate::Pools). It lies in an unnamed
//! file, which is passed as a descriptor.
//!
//! Imported memory stays readable for importers, whatever happens to the exporter. When the exporter reuses the memory,
//! its content changes.

use std::os::fd::OwnedFd;

use crate::{Block, Fault, PointerExport, Result};

/// Memory of this process that others can import. Its blocks are freed by
/// [`Device::free`](crate::Device::free) or [`Driver::free_host`](crate::Driver::free_host), as all
/// others.
pub trait SharedMemory: Send + Sync {
    /// Allocates a block of at least `len` bytes, a multiple of 2 MiB. It counts as memory on its device.
    fn alloc(&self, len: usize) -> Result<Block>;

    /// Returns a new descriptor of all blocks, including later ones. Not called after [`Self::close`].
    fn export(&self) -> Result<OwnedFd>;

    /// Names a range that lies in one live block, for processes that have the descriptor. The same range has the same
    /// name until [`Self::withdraw`]. Not called after [`Self::close`].
    fn export_range(&self, addr: usize, len: usize) -> Result<PointerExport>;

    /// Removes the name of the range that begins at this address, if it has one.
    fn withdraw(&self, addr: usize);

    /// Ends imports, also of further blocks. Its drop calls this, and at the latest the end of the process.
    fn close(&self);
}

/// Returns the fault of a backend whose driver shares pools.
pub(crate) fn only_pools() -> Fault {
    Fault::unsupported(
        "this driver has no memory pools that processes can share; export memory from aclrtMalloc with \
         aclrtIpcMemGetExportKey",
    )
}
