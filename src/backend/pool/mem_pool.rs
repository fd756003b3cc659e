//! Stream-ordered memory pools of a driver. For a driver without pools the core builds them from ordinary blocks.

use std::os::fd::{BorrowedFd, OwnedFd};

use crate::{Block, Home, Result, Stream};

/// The place of a pool's memory, or of memory without an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryPlace {
    /// On the device with this ordinal.
    Device(u32),
    /// In host memory: on this NUMA node, or where the system places it.
    Host(Option<u32>),
}

impl MemoryPlace {
    /// Returns the ordinal of the device, or `None` for host memory.
    pub fn device(self) -> Option<u32> {
        match self {
            Self::Device(ordinal) => Some(ordinal),
            Self::Host(_) => None,
        }
    }

    /// Returns the NUMA node of host memory, if it is on one.
    pub fn node(self) -> Option<u32> {
        match self {
            Self::Device(_) => None,
            Self::Host(node) => node,
        }
    }
}

/// The kind of a pool's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PoolKind {
    /// Memory in the place of the pool.
    #[default]
    Pinned,
    /// Managed memory, which the host and all devices use, of the device in the place of the pool. It is not shared
    /// with other processes, and has no maximum. Perhaps it has a preferred home.
    Managed(Option<Home>),
}

/// The way in which a pool is shared with other processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PoolSharing {
    /// It is not shared.
    #[default]
    None,
    /// It is shared by a file descriptor.
    Descriptor,
    /// It is shared by a handle that other machines understand.
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
    /// Pools of managed memory.
    pub managed: bool,
    /// Pools of memory that the device's engine for decompression uses.
    pub decompression: bool,
    /// Whether other devices on the bus, such as network cards, can read and write device memory.
    pub rdma: bool,
    /// How writes of these devices are flushed, as CUDA numbers the bits.
    pub rdma_flush: u32,
    /// For whom their writes are ordered without a flush, as CUDA numbers it.
    pub rdma_ordering: u32,
}

/// Options of a new pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolOptions {
    /// The place of the pool's memory.
    pub place: MemoryPlace,
    /// The kind of the memory.
    pub kind: PoolKind,
    /// The way in which the pool can be shared.
    pub sharing: PoolSharing,
    /// The maximum number of its bytes, or `None` for as many as the device has.
    pub max_size: Option<u64>,
    /// Whether the device's engine for decompression uses the memory.
    pub decompression: bool,
}

impl PoolOptions {
    /// Returns the options of a pool in this place without anything special.
    pub fn at(place: MemoryPlace) -> Self {
        let (kind, sharing) = Default::default();
        Self { place, kind, sharing, max_size: None, decompression: false }
    }
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
    /// The number of bytes that the pool keeps when a synchronize frees unused memory.
    ReleaseThreshold,
    /// The number of bytes that the pool has reserved from the device. Read only.
    ReservedCurrent,
    /// The peak of the reserved bytes. It may be set to 0, which resets it to the current number.
    ReservedHigh,
    /// The number of bytes that are in use. Read only.
    UsedCurrent,
    /// The peak of the bytes in use. It may be set to 0, which resets it to the current number.
    UsedHigh,
}

/// The access to a pool's memory from a place, with the numbers of `aclrtMemAccessFlags`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No access.
    None = 0,
    /// Access for reading.
    Read = 1,
    /// Access for reading and writing.
    ReadWrite = 3,
}

/// Names an allocation of a shared pool for another process. These are plain bytes, which a program may send in any
/// way.
pub type PointerExport = [u8; 64];

/// The handle by which another process imports a pool; `F` is an owned or borrowed descriptor.
#[derive(Debug)]
pub enum PoolHandle<F> {
    /// The handle of a pool created with [`PoolSharing::Descriptor`].
    Descriptor(F),
    /// The handle of a pool created with [`PoolSharing::Fabric`].
    Fabric([u8; 64]),
}

/// The pools of a driver. Default pools of the driver, which other libraries in the process use, are not among them.
pub trait Pools: Send + Sync {
    /// Creates a pool. The device that it is on is open.
    fn create(&self, options: PoolOptions) -> Result<Box<dyn Pool>>;

    /// Whether a block of one of these pools is, or was, at this address.
    fn have_had(&self, addr: usize) -> bool;

    /// Imports the pool that another process has exported. The handle stays the caller's. The pool ends with the open
    /// device that has this ordinal, whatever the place of its memory.
    fn import(&self, handle: PoolHandle<BorrowedFd<'_>>, ordinal: u32) -> Result<Box<dyn Pool>>;
}

/// A pool. After its drop it accepts no more requests. Its memory is released with the last block, or with the device.
pub trait Pool: Send + Sync {
    /// Allocates a block of at least `len` bytes, aligned to 256 or more, that is valid for what is enqueued on
    /// `stream` from now on. The stream is of the pool's device, or of one that has access to it. The pool was not
    /// imported.
    fn alloc(&self, len: usize, stream: &dyn Stream) -> Result<Block>;

    /// Frees a block when `stream`, of the same driver, reaches this.
    fn free(&self, block: Block, stream: &dyn Stream) -> Result<()>;

    /// Frees a block as [`Device::free`](crate::Device::free) does: operations that were enqueued before keep
    /// the memory.
    fn free_now(&self, block: Block) -> Result<()>;

    /// Returns an attribute's value.
    fn get(&self, attribute: PoolAttribute) -> Result<u64>;

    /// Sets an attribute that can be set, to a value that it can have.
    fn set(&self, attribute: PoolAttribute, value: u64) -> Result<()>;

    /// Frees unused memory at once, down to `keep` bytes.
    fn trim(&self, keep: usize) -> Result<()>;

    /// Sets the access of the device with this ordinal to the pool's memory. The pool is not on it, or it was imported.
    fn set_access(&self, ordinal: u32, access: Access) -> Result<()>;

    /// Returns the access of the device with this ordinal.
    fn access(&self, ordinal: u32) -> Result<Access>;

    /// Returns the handle for another process. The pool was created with a [`PoolSharing`] other than `None`.
    fn export(&self) -> Result<PoolHandle<OwnedFd>>;

    /// Names a live block of this exported pool.
    fn export_block(&self, block: Block) -> Result<PointerExport>;

    /// Imports the block of another process that `export` names. The pool was imported.
    fn import_block(&self, export: &PointerExport) -> Result<Block>;
}
