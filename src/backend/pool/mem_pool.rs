//! Stream-ordered memory pools of a driver. For a driver without pools the core builds them from ordinary blocks.

use std::os::fd::{BorrowedFd, OwnedFd};

use crate::backend::{Block, Result, Stream};

/// Where the memory of a pool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolPlace {
    /// On the device with this ordinal, which is open.
    Device(u32),
    /// In host memory, wherever the system puts it.
    Host,
    /// In host memory of this NUMA node.
    HostNode(u32),
}

/// How other processes can have the memory of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolSharing {
    /// Not at all.
    None,
    /// By a file descriptor.
    Descriptor,
    /// By a handle that other machines understand.
    Fabric,
}

/// What a device's pools can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolSupport {
    /// There are pools of the device's memory.
    pub device: bool,
    /// Other processes can have their memory by a file descriptor.
    pub descriptor: bool,
    /// Other machines can have their memory by a fabric handle.
    pub fabric: bool,
    /// There are pools of host memory.
    pub host: bool,
    /// There are pools of host memory of a NUMA node.
    pub host_node: bool,
    /// Other devices on the bus, as network cards, can read and write device memory.
    pub rdma: bool,
    /// How what they have written is flushed: bits as CUDA numbers them.
    pub rdma_flush: u32,
    /// For whom what they have written is in order without a flush, as CUDA numbers it.
    pub rdma_ordering: u32,
}

/// How a new pool is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolOptions {
    /// Where its memory is.
    pub place: PoolPlace,
    /// How it can be shared.
    pub sharing: PoolSharing,
    /// Bytes that it has at most; `None`: as many as the device has.
    pub max_size: Option<u64>,
}

/// What can be set and asked of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolAttribute {
    /// 0 or 1: memory that was freed in one stream is used in another that waits for an event behind
    /// the free.
    FollowEventDependencies,
    /// 0 or 1: memory is reused in another stream when its free is complete.
    AllowOpportunistic,
    /// 0 or 1: the pool lets a stream wait for another one's free.
    AllowInternalDependencies,
    /// Bytes that the pool keeps when a synchronize frees unused memory.
    ReleaseThreshold,
    /// Bytes that it has from the device. Read only.
    ReservedCurrent,
    /// The most of them so far; may be set to 0, which starts again from the current ones.
    ReservedHigh,
    /// Bytes that are in use. Read only.
    UsedCurrent,
    /// The most of them so far; may be set to 0, which starts again from the current ones.
    UsedHigh,
}

/// What may be done with the memory of a pool from somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing.
    None,
    /// Reading.
    Read,
    /// Reading and writing.
    ReadWrite,
}

/// Names an allocation of a shared pool for another process. Plain bytes: they may travel anyhow.
pub type PointerExport = [u8; 64];

/// By what another process gets a pool; `F` is a descriptor that is owned, or lent.
#[derive(Debug)]
pub enum PoolHandle<F> {
    /// Of a pool made with [`PoolSharing::Descriptor`].
    Descriptor(F),
    /// Of a pool made with [`PoolSharing::Fabric`].
    Fabric([u8; 64]),
}

/// The pools of a driver's own. All of them are ours: those that a driver makes by itself, and that
/// other libraries in the process use, are left to them.
pub trait Pools: Send + Sync {
    /// A new pool. The device that it is on is open.
    fn create(&self, options: PoolOptions) -> Result<Box<dyn Pool>>;

    /// Whether a block of one of them is at this address, or was.
    fn have_had(&self, addr: usize) -> bool;

    /// The pool that another process has exported. The handle stays the caller's. The pool ends with
    /// the device that has this ordinal and is open, wherever its memory is.
    fn import(&self, handle: PoolHandle<BorrowedFd<'_>>, ordinal: u32) -> Result<Box<dyn Pool>>;
}

/// A pool. Dropped, it takes no more requests; its memory goes with the last block, or with the
/// device.
pub trait Pool: Send + Sync {
    /// A block of at least `len` bytes, aligned to 256 or more, valid for what is queued on `stream`
    /// from now on. The stream is of the pool's device, or of one that has access to it. The pool was
    /// not imported.
    fn alloc(&self, len: usize, stream: &dyn Stream) -> Result<Block>;

    /// Frees a block when `stream`, of the same driver, reaches this.
    fn free(&self, block: Block, stream: &dyn Stream) -> Result<()>;

    /// Takes a block back, as [`Device::free`](crate::backend::Device::free) does it: what was queued before
    /// keeps the memory.
    fn free_now(&self, block: Block) -> Result<()>;

    /// An attribute's value.
    fn get(&self, attribute: PoolAttribute) -> Result<u64>;

    /// Sets an attribute that can be set, to a value that it can have.
    fn set(&self, attribute: PoolAttribute, value: u64) -> Result<()>;

    /// Gives unused memory back at once, down to `keep` bytes.
    fn trim(&self, keep: usize) -> Result<()>;

    /// Sets what the device with this ordinal may do with the pool's memory; the pool is not on it, or
    /// it was imported.
    fn set_access(&self, ordinal: u32, access: Access) -> Result<()>;

    /// What the device with this ordinal may do with it.
    fn access(&self, ordinal: u32) -> Result<Access>;

    /// By what another process has the pool; it was made with a [`PoolSharing`] other than `None`.
    fn export(&self) -> Result<PoolHandle<OwnedFd>>;

    /// Names a live block of this exported pool.
    fn export_block(&self, block: Block) -> Result<PointerExport>;

    /// The block of another process that this names; the pool was imported.
    fn import_block(&self, export: &PointerExport) -> Result<Block>;
}
