//! The devices that may use memory, and the API's numbers for places and access.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub use crate::backend::Access;
use crate::backend::{Driver, MemoryPlace};
use crate::base::error::{Result, invalid_param, unsupported};

/// A place, as an `aclrtMemLocation` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// An `aclrtMemLocationType`.
    pub kind: i32,
    /// The device, or the NUMA node.
    pub id: u32,
}

impl Location {
    /// Host memory.
    pub const HOST: i32 = 0;
    /// Device memory.
    pub const DEVICE: i32 = 1;
    /// Managed memory.
    pub const MANAGED: i32 = 3;
    /// Host memory of a NUMA node.
    pub const HOST_NODE: i32 = 4;
    /// Host memory of the NUMA node of the calling thread: PORTACL_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT.
    pub const NEAREST_HOST_NODE: i32 = 104;
    /// An address that the library does not know.
    pub const UNREGISTERED: Self = Self { kind: 2, id: 0 };

    /// Returns managed memory from the device with this id.
    pub fn managed(id: u32) -> Self {
        Self { kind: Self::MANAGED, id }
    }
}

impl From<MemoryPlace> for Location {
    fn from(place: MemoryPlace) -> Self {
        match place {
            MemoryPlace::Device(id) => Self { kind: Self::DEVICE, id },
            MemoryPlace::Host(None) => Self { kind: Self::HOST, id: 0 },
            MemoryPlace::Host(Some(id)) => Self { kind: Self::HOST_NODE, id },
        }
    }
}

/// True if some pinned memory may not be usable by every device.
static RESTRICTED_HOST_MEMORY: AtomicBool = AtomicBool::new(false);

/// Makes transfers check whether their device may use the pinned memory that they name.
pub(crate) fn restrict_host_memory() {
    RESTRICTED_HOST_MEMORY.store(true, Ordering::Relaxed);
}

/// Whether some pinned memory may not be usable by every device: that of pools of host memory.
#[inline]
pub(crate) fn is_host_memory_restricted() -> bool {
    RESTRICTED_HOST_MEMORY.load(Ordering::Relaxed)
}

/// The access of each device; at first none has any.
#[derive(Default)]
pub struct AccessTable {
    readers: AtomicU64,
    writers: AtomicU64,
}

impl AccessTable {
    /// Whether no device has access.
    pub fn is_none(&self) -> bool {
        self.readers.load(Ordering::Relaxed) == 0
    }

    /// Returns the access of the device with this id.
    pub fn get(&self, id: u32) -> Access {
        let has = |bits: &AtomicU64| bits.load(Ordering::Relaxed) & bit(id) != 0;
        match (has(&self.readers), has(&self.writers)) {
            (_, true) => Access::ReadWrite,
            (true, false) => Access::Read,
            (false, false) => Access::None,
        }
    }

    /// Returns the devices that have access.
    pub fn devices(&self) -> impl Iterator<Item = u32> {
        let bits = self.readers.load(Ordering::Relaxed);
        (0..u64::BITS).filter(move |&id| bits & bit(id) != 0)
    }

    /// Sets the access of a device.
    pub fn set(&self, id: u32, access: Access) {
        let put = |bits: &AtomicU64, on: bool| {
            if on { bits.fetch_or(bit(id), Ordering::Relaxed) } else { bits.fetch_and(!bit(id), Ordering::Relaxed) }
        };
        put(&self.readers, access != Access::None);
        put(&self.writers, access == Access::ReadWrite);
    }
}

fn bit(id: u32) -> u64 {
    1_u64.checked_shl(id).unwrap_or(0)
}

/// A request for access, as it came from C: an `aclrtMemLocation` and `aclrtMemAccessFlags`.
#[derive(Clone, Copy, Debug)]
pub struct AccessRequest {
    /// The device or the host.
    pub location: Location,
    /// An `aclrtMemAccessFlags`.
    pub flags: i32,
}

/// Returns the access that a number of `aclrtMemAccessFlags` selects.
pub(crate) fn access_of(argument: &str, flags: i32) -> Result<Access> {
    let all = [Access::None, Access::Read, Access::ReadWrite];
    all.into_iter().find(|access| *access as i32 == flags).ok_or_else(|| {
        invalid_param!("{argument} is {flags}; allowed: ACL_RT_MEM_ACCESS_FLAGS_NONE 0, _READ 1 and _READWRITE 3")
    })
}

/// Fails if a device cannot use the memory on device `home` directly.
pub(crate) fn check_reaches(driver: &dyn Driver, argument: impl Display, id: u32, home: u32) -> Result<()> {
    if id == home || driver.can_access_peer(id, home)? {
        return Ok(());
    }
    Err(unsupported!(
        "{argument}: device {id} cannot access memory on device {home} directly (aclrtDeviceCanAccessPeer returns 0); \
         copy the data instead, because copies need no peer access"
    ))
}
