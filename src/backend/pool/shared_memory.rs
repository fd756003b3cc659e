//! Memory that other processes can have as well, where the driver has no [pools](crate::backend::Pools) of
//! its own: it lies in a file without a name, which travels as a descriptor.
//!
//! What importers have stays readable for them whatever becomes of the exporter; once the exporter
//! uses the memory again, its contents change.

use std::os::fd::OwnedFd;

use crate::backend::{Block, Fault, FaultKind, PointerExport, Result};

/// Memory of this process that others can import. Its blocks are freed as all others: by
/// [`Device::free`](crate::backend::Device::free) or [`Driver::free_host`](crate::backend::Driver::free_host).
pub trait SharedMemory: Send + Sync {
    /// A block of at least `len` bytes, a multiple of 2 MiB. It counts as all memory of its device.
    fn alloc(&self, len: usize) -> Result<Block>;

    /// A new descriptor of all blocks, those to come included. Not after [`Self::close`].
    fn export(&self) -> Result<OwnedFd>;

    /// Names a range that lies in one live block, for those who have the descriptor; the same name
    /// for the same range, until [`Self::withdraw`]. Not after [`Self::close`].
    fn export_range(&self, addr: usize, len: usize) -> Result<PointerExport>;

    /// The range that begins there has no name any more, if it had one.
    fn withdraw(&self, addr: usize);

    /// Ends imports, also of further blocks. Called by its drop, and at the latest at the end of the process.
    fn close(&self);
}

/// What a backend says to this whose driver shares pools.
pub(in crate::backend) fn only_pools() -> Fault {
    Fault::new(
        FaultKind::Unsupported,
        "this driver shares nothing but its own pools; export one of those",
    )
}
