//! Where the memory of a pool is.

use std::sync::Arc;

use crate::backend::{self, MemoryPlace, PoolKind, PoolOptions};
use crate::base::owner::Owner;
use crate::memory::access::{AccessTable, restrict_host_memory};
use crate::memory::allocation::Kind;
use crate::runtime::device::Device;

/// The place of a pool's memory. The pool ends with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home {
    /// The device or the host.
    pub place: MemoryPlace,
    /// Whether the memory is managed.
    pub is_managed: bool,
    /// The opening of the device that it is on; `None` for host memory.
    pub opening: Option<Owner>,
}

impl Home {
    /// Returns the home of a pool with these options, on this device if it is on one.
    pub fn new(options: &PoolOptions, device: Option<&Arc<Device>>) -> Self {
        let is_managed = options.kind != PoolKind::Pinned;
        Self { place: options.place, is_managed, opening: device.map(|device| device.owner) }
    }

    /// Returns the kind of the pool's memory in the address map.
    pub(super) fn kind(self) -> Kind {
        match self.place {
            MemoryPlace::Device(id) if self.is_managed => Kind::ManagedPool(id),
            MemoryPlace::Device(id) => Kind::Pool(id),
            MemoryPlace::Host(node) => Kind::HostPool(node),
        }
    }

    /// Returns the access to a new pool here: only the device that the memory is on has it. All devices have access to
    /// managed memory.
    pub(crate) fn first_access(self) -> Arc<AccessTable> {
        let access = AccessTable::default();
        match self.device() {
            Some(_) if self.is_managed => (0..u64::BITS).for_each(|id| access.set(id, backend::Access::ReadWrite)),
            Some(id) => access.set(id, backend::Access::ReadWrite),
            None => restrict_host_memory(),
        }
        Arc::new(access)
    }

    /// Returns the device's id; `None` for host memory.
    pub fn device(self) -> Option<u32> {
        self.place.device()
    }

    /// Whether the memory is on this device.
    pub fn is(self, device: &Device) -> bool {
        self.opening == Some(device.owner)
    }
}
