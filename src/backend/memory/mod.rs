//! Memory: blocks of a device, places of addresses, and advice about managed memory.

pub mod closed;
pub mod damage;
pub mod known;
pub mod virtual_memory;

pub use crate::algo::sync::level::Usage;

/// The pages of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagePolicy {
    /// 2 MiB pages if they are available, otherwise small ones. Each fallback is counted.
    HugeFirst,
    /// 2 MiB pages or a fault of kind [`super::FaultKind::OutOfDeviceMemory`].
    HugeOnly,
    /// Small pages.
    NormalOnly,
    /// 1 GiB pages or a fault.
    Huge1GOnly,
}

/// Device or pinned host memory of a backend. The core keeps it and passes it to free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The address of the first byte. It is at least 512-byte aligned; page-aligned from 4 KiB and 2 MiB-aligned from 2
    /// MiB.
    pub addr: usize,
    /// The number of bytes that belong to the block, at least the request.
    pub len: usize,
    /// The number by which the backend finds the block again. The core does not interpret it.
    pub token: u64,
}

/// The place of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Pageable host memory that this library does not know.
    Pageable,
    /// Host memory from [`super::Driver::alloc_host`], or locked by [`super::Driver::register_host`].
    Pinned,
    /// Memory on the device with this ordinal, managed memory included.
    Device(u32),
}

/// What a backend knows about an address that is in no live block and no registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// Unknown: pageable host memory.
    Unknown,
    /// Memory that another library in the process has allocated from the same driver.
    Known(Place),
    /// The address lies where this backend has memory, or had some and the place was not reused, but in no live
    /// allocation: it was freed, or never allocated.
    Stale,
}

/// Memory that another library in the process has allocated from the same driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignBlock {
    /// The address of the first byte.
    pub base: usize,
    /// The length in bytes.
    pub len: usize,
    /// True if host and devices use the memory at the same address.
    pub is_managed: bool,
}

/// A checked range of memory: `len` bytes at `addr`, all of it in `place`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The address of the first byte, as the caller sees it.
    pub addr: usize,
    /// The length in bytes.
    pub len: usize,
    /// The place of the whole range.
    pub place: Place,
}

/// The numbers of bytes of a device's blocks. Freed blocks count until the last operation that uses them is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUsage {
    /// The bytes from [`crate::Device::alloc`].
    pub device: Usage,
    /// The bytes from [`crate::Device::alloc_managed`].
    pub managed: Usage,
    /// The number of 2 MiB pages that were requested and not available, since the device was opened.
    pub huge_page_fallbacks: u64,
}

/// A place of managed memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// On the device with this ordinal.
    Device(u32),
    /// On the host.
    Host,
    /// On the NUMA node of the host with this number.
    HostNode(u32),
    /// On the NUMA node that the calling thread runs on.
    NearestHostNode,
}

/// Advice of a program about managed memory. It only affects speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// The memory is mostly read (or no longer).
    ReadMostly(bool),
    /// The memory's preferred place, or `None` for any.
    PreferredHome(Option<Home>),
    /// The memory is used from this place (or no longer).
    AccessedBy(Home, bool),
}
