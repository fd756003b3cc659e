//! Kinds of allocations and registrations.

use crate::algo::map::address_map::Reach;
use crate::backend::Place;

/// The kind of an allocation or registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Memory on the device with this id.
    Device(u32),
    /// Memory that the host and all devices use, from the device with this id.
    Managed(u32),
    /// Another process's memory, for use on the device with this id.
    Imported(u32),
    /// A word of a graph on the device with this id.
    Graph(u32),
    /// Page-locked host memory from the library.
    Pinned,
    /// A pool's memory on the device with this id.
    Pool(u32),
    /// A pool's managed memory, from the device with this id.
    ManagedPool(u32),
    /// A pool's host memory: on this NUMA node, or wherever the system placed it.
    HostPool(Option<u32>),
    /// Memory on the device with this id, mapped in a range of addresses.
    Mapped(u32),
    /// Host memory that is mapped so, on this NUMA node, or wherever the system placed it.
    HostMapped(Option<u32>),
    /// The caller's host memory, registered with these properties. With neither, the registration is in progress.
    Registered {
        /// Copies treat it as page-locked memory.
        pinned: bool,
        /// It has an address for devices.
        mapped: bool,
    },
}

impl Kind {
    /// A registration that the driver has not completed yet.
    pub const BEING_REGISTERED: Self = Self::Registered { pinned: false, mapped: false };

    /// 8 bits of kind and 24 of id or flags. Kinds with the same [place](Self::place) have consecutive numbers, which
    /// is all that copies compare.
    pub(super) const fn word(self) -> u32 {
        match self {
            Self::Device(id) => id,
            Self::Managed(id) => 1 << 24 | id,
            Self::Pool(id) => 2 << 24 | id,
            Self::ManagedPool(id) => 3 << 24 | id,
            Self::Mapped(id) => 4 << 24 | id,
            Self::Imported(id) => 5 << 24 | id,
            Self::Graph(id) => 6 << 24 | id,
            Self::Pinned => 7 << 24,
            Self::HostPool(None) => 8 << 24,
            Self::HostPool(Some(node)) => 9 << 24 | node,
            Self::HostMapped(None) => 10 << 24,
            Self::HostMapped(Some(node)) => 11 << 24 | node,
            Self::Registered { pinned, mapped } => 12 << 24 | (mapped as u32) << 1 | pinned as u32,
        }
    }

    /// Returns the kind of an allocation that was found.
    #[inline]
    pub const fn of(found: Reach) -> Self {
        Self::from_word(found.word as u32)
    }

    #[inline(always)]
    pub(super) const fn from_word(word: u32) -> Self {
        let rest = word & 0xff_ffff;
        match word >> 24 {
            0 => Self::Device(rest),
            1 => Self::Managed(rest),
            2 => Self::Pool(rest),
            3 => Self::ManagedPool(rest),
            4 => Self::Mapped(rest),
            5 => Self::Imported(rest),
            6 => Self::Graph(rest),
            7 => Self::Pinned,
            8 => Self::HostPool(None),
            9 => Self::HostPool(Some(rest)),
            10 => Self::HostMapped(None),
            11 => Self::HostMapped(Some(rest)),
            _ => Self::Registered { pinned: rest & 1 != 0, mapped: rest & 2 != 0 },
        }
    }

    /// Returns the place of the memory of an allocation that was found, as [`Self::place`], in two comparisons.
    #[inline]
    pub const fn place_of(found: Reach) -> Place {
        const HOST: u32 = Kind::Pinned.word();
        const REGISTERED: u32 = Kind::BEING_REGISTERED.word();
        match found.word as u32 {
            word @ ..HOST => Place::Device(word & 0xff_ffff),
            word @ REGISTERED.. if word & 1 == 0 => Place::Pageable,
            HOST.. => Place::Pinned,
        }
    }

    /// Returns the place of its memory for copies.
    pub const fn place(self) -> Place {
        match self {
            Self::Device(id)
            | Self::Managed(id)
            | Self::Pool(id)
            | Self::ManagedPool(id)
            | Self::Mapped(id)
            | Self::Imported(id)
            | Self::Graph(id) => Place::Device(id),
            Self::Pinned | Self::HostPool(_) | Self::HostMapped(_) | Self::Registered { pinned: true, .. } => {
                Place::Pinned
            }
            Self::Registered { .. } => Place::Pageable,
        }
    }

    /// Returns the source of its memory.
    #[inline]
    pub const fn source(self) -> MemorySource {
        match self {
            Self::Device(id) | Self::Managed(id) => MemorySource::Device(id),
            Self::Imported(_) | Self::Graph(_) | Self::Pinned => MemorySource::Backend,
            Self::Pool(_) | Self::ManagedPool(_) | Self::HostPool(_) => MemorySource::Pool,
            Self::Mapped(_) | Self::HostMapped(_) => MemorySource::Mapping,
            Self::Registered { .. } => MemorySource::Caller,
        }
    }

    /// Whether the host and all devices use the memory.
    pub const fn is_managed(self) -> bool {
        matches!(self, Self::Managed(_) | Self::ManagedPool(_))
    }
}

/// The source of memory, which determines how it is freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySource {
    /// An allocation on the device with this id, which aclrtFree frees.
    Device(u32),
    /// Another allocation or import by a backend.
    Backend,
    /// A pool.
    Pool,
    /// Physical memory, mapped in a range of addresses.
    Mapping,
    /// The caller, who registered it.
    Caller,
}
