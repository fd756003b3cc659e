//! The place of a pool's memory.

use crate::core::base::owner::Owner;
use crate::core::memory::allocation::Kind;
use crate::core::runtime::device::Device;

/// The place of a pool's memory, which it ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// On a device: its id, and this opening of it.
    Device(u32, Owner),
    /// In host memory.
    Host,
    /// In host memory of this NUMA node.
    HostNode(u32),
}

impl Home {
    /// The kind of its memory in the address map.
    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Device(id, _) => Kind::Pool(id),
            Self::Host => Kind::HostPool(None),
            Self::HostNode(node) => Kind::HostPool(Some(node)),
        }
    }

    /// The device's id; none for host memory.
    pub fn device(self) -> Option<u32> {
        match self {
            Self::Device(id, _) => Some(id),
            Self::Host | Self::HostNode(_) => None,
        }
    }

    /// For texts, after "is".
    pub fn in_words(self) -> String {
        match self {
            Self::Device(id, _) => format!("on device {id}"),
            Self::Host => "in host memory".to_owned(),
            Self::HostNode(node) => format!("in host memory of node {node}"),
        }
    }

    /// Whether it is this device.
    pub fn is(self, device: &Device) -> bool {
        self.is_of(device.owner)
    }

    /// Whether it is on this opening of a device.
    pub fn is_of(self, opening: Owner) -> bool {
        matches!(self, Self::Device(_, owner) if owner == opening)
    }

    /// Whether both are on one device, or both in host memory.
    pub fn is_beside(self, other: Self) -> bool {
        match (self, other) {
            (Self::Device(_, owner), Self::Device(_, other)) => owner == other,
            (Self::Device(..), _) | (_, Self::Device(..)) => false,
            _ => true,
        }
    }
}
