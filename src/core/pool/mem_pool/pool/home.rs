//! The place of a pool's memory.

use crate::backend::MemoryPlace;
use crate::core::base::owner::Owner;
use crate::core::memory::allocation::Kind;
use crate::core::runtime::device::Device;

/// The place of a pool's memory, which it ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home {
    /// Where it is.
    pub place: MemoryPlace,
    /// The opening of the device that it is on; none for host memory.
    pub opening: Option<Owner>,
}

impl Home {
    /// The kind of its memory in the address map.
    pub(super) fn kind(self) -> Kind {
        match self.place {
            MemoryPlace::Device(id) => Kind::Pool(id),
            MemoryPlace::Host(node) => Kind::HostPool(node),
        }
    }

    /// The device's id; none for host memory.
    pub fn device(self) -> Option<u32> {
        self.place.device()
    }

    /// For texts, after "is".
    pub fn in_words(self) -> String {
        match self.place {
            MemoryPlace::Device(id) => format!("on device {id}"),
            MemoryPlace::Host(None) => "in host memory".to_owned(),
            MemoryPlace::Host(Some(node)) => format!("in host memory of node {node}"),
        }
    }

    /// Whether it is this device.
    pub fn is(self, device: &Device) -> bool {
        self.opening == Some(device.owner)
    }
}
