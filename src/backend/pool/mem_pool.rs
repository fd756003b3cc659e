//! Stream-ordered memory pools of a driver. For a driver without pools the core builds them from ordinary blocks.

use std::os::fd::{BorrowedFd, OwnedFd};

use crate::backend::{Block, Result, Stream};

/// The place of a pool's memory, or of memory without an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryPlace {
    /// On the device with this ordinal.
    Device(u32),
    /// In host memory: of this NUMA node, or wherever the system places it.
    Host(Option<u32>),
}

impl MemoryPlace {
    /// The ordinal of the device; none for host memory.
    pub fn device(self) -> Option<u32> {
        match self {
            Self::Device(ordinal) => Some(ordinal),
            Self::Host(_) => None,
        }
    }

    /// The NUMA node of host memory, if it is on one.
    pub fn node(self) -> Option<u32> {
        match self {
            Self::Device(_) => None,
            Self::Host(node) => node,
        }
    }
}

/// How a pool is shared with other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolSharing {
    /// It is not.
    None,
    /// By a file descriptor.
    Descriptor,
    /// By a handle that other machines understand.
    Fabric,
}

/// The kinds of pools that a device supports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolSupport {
    /// Pools of the device's memory.
    pub device: bool,
    /// Sharing by a file descriptor.
    pub descriptor: bool,
    /// Sharing by a fabric handle.
    pub fabric: bool,
    /// Pools of host memory.
    pub host: bool,
    /// Pools of host memory on a NUMA node.
    pub host_node: bool,
    /// Other devices on the bus, such as network cards, can read and write device memory.
    pub rdma: bool,
    /// How their writes are flushed: bits as CUDA numbers them.
    pub rdma_flush: u32,
    /// For whom their writes are ordered without a flush, as CUDA numbers it.
    pub rdma_ordering: u32,
}

/// Options of a new pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolOptions {
    /// Where its memory is.
    pub place: MemoryPlace,
    /// How it can be shared.
    pub sharing: PoolSharing,
    /// The most bytes that it may have; `None`: as many as the device has.
    pub max_size: Option<u64>,
}

/// Attributes of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolAttribute {
    /// 0 or 1: memory that was freed in one stream is reused in another that waits for an event after the free.
    FollowEventDependencies,
    /// 0 or 1: memory is reused in another stream when its free is complete.
    AllowOpportunistic,
    /// 0 or 1: the pool may make a stream wait for another one's free.
    AllowInternalDependencies,
    /// Bytes that the pool keeps when a synchronize frees unused memory.
    ReleaseThreshold,
    /// Bytes that it has reserved from the device. Read only.
    ReservedCurrent,
    /// Their peak; may be set to 0, which resets it to the current bytes.
    ReservedHigh,
    /// Bytes that are in use. Read only.
    UsedCurrent,
    /// Their peak; may be set to 0, which resets it to the current bytes.
    UsedHigh,
}

/// The access to a pool's memory from a place, with the numbers of `aclrtMemAccessFlags`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing.
    None = 0,
    /// Reading.
    Read = 1,
    /// Reading and writing.
    ReadWrite = 3,
}

/// Names an allocation of a shared pool for another process. Plain bytes, which may travel in any way.
pub type PointerExport = [u8; 64];

/// The handle by which another process imports a pool; `F` is an owned or borrowed descriptor.
#[derive(Debug)]
pub enum PoolHandle<F> {
    /// Of a pool made with [`PoolSharing::Descriptor`].
    Descriptor(F),
    /// Of a pool made with [`PoolSharing::Fabric`].
    Fabric([u8; 64]),
}

/// The pools of a driver. Default pools of the driver, which other libraries in the process use, are not among them.
pub trait Pools: Send + Sync {
    /// A new pool. The device that it is on is open.
    fn create(&self, options: PoolOptions) -> Result<Box<dyn Pool>>;

    /// Whether a block of one of them is, or was, at this address.
    fn have_had(&self, addr: usize) -> bool;

    /// The pool that another process has exported. The handle stays the caller's. The pool ends with the open device
    /// that has this ordinal, wherever its memory is.
    fn import(&self, handle: PoolHandle<BorrowedFd<'_>>, ordinal: u32) -> Result<Box<dyn Pool>>;
}

/// A pool. After its drop it accepts no more requests; its memory is released with the last block, or with the device.
pub trait Pool: Send + Sync {
    /// A block of at least `len` bytes, aligned to 256 or more, valid for what is queued on `stream`
    /// from now on. The stream is of the pool's device, or of one that has access to it. The pool was
    /// not imported.
    fn alloc(&self, len: usize, stream: &dyn Stream) -> Result<Block>;

    /// Frees a block when `stream`, of the same driver, reaches this.
    fn free(&self, block: Block, stream: &dyn Stream) -> Result<()>;

    /// Frees a block, as [`Device::free`](crate::backend::Device::free) does: operations that were queued before keep
    /// the memory.
    fn free_now(&self, block: Block) -> Result<()>;

    /// An attribute's value.
    fn get(&self, attribute: PoolAttribute) -> Result<u64>;

    /// Sets an attribute that can be set, to a value that it can have.
    fn set(&self, attribute: PoolAttribute, value: u64) -> Result<()>;

    /// Frees unused memory at once, down to `keep` bytes.
    fn trim(&self, keep: usize) -> Result<()>;

    /// Sets the access of the device with this ordinal to the pool's memory; the pool is not on it, or it was imported.
    fn set_access(&self, ordinal: u32, access: Access) -> Result<()>;

    /// The access of the device with this ordinal.
    fn access(&self, ordinal: u32) -> Result<Access>;

    /// The handle for another process; the pool was created with a [`PoolSharing`] other than `None`.
    fn export(&self) -> Result<PoolHandle<OwnedFd>>;

    /// Names a live block of this exported pool.
    fn export_block(&self, block: Block) -> Result<PointerExport>;

    /// The block of another process that this names; the pool was imported.
    fn import_block(&self, export: &PointerExport) -> Result<Block>;
}
