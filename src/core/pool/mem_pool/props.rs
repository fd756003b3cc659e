//! The properties of a new pool, from C, and which of them are available.

use crate::backend::{MemoryPlace, PoolOptions, PoolSharing};
use crate::base::error::{Error, Result, arguments, invalid_param, unsupported};
use crate::memory::access::Location;
use crate::memory::virtual_memory::physical::place_at;
use crate::runtime::Session;

/// An `aclrtMemPoolProps`, as numbers of the API.
#[derive(Clone, Copy, Debug)]
pub struct Props {
    /// An `aclrtMemAllocationType`.
    pub alloc_type: i32,
    /// An `aclrtMemHandleType`, or PORTACL_MEM_HANDLE_TYPE_FABRIC.
    pub handle_type: i32,
    /// The device or the host.
    pub location: Location,
    /// Maximum number of bytes; 0: no limit.
    pub max_size: usize,
}

/// Returns the way of sharing with this number in the API.
pub(super) fn sharing(argument: &str, number: i32) -> Result<PoolSharing> {
    match number {
        0 => Ok(PoolSharing::None),
        2 => Ok(PoolSharing::Descriptor),
        8 => Ok(PoolSharing::Fabric),
        _ => Err(invalid_param!(
            "{argument} is {number}; allowed: ACL_MEM_HANDLE_TYPE_NONE 0, ACL_MEM_HANDLE_TYPE_POSIX 2 and \
             PORTACL_MEM_HANDLE_TYPE_FABRIC 8"
        )),
    }
}

impl Props {
    /// Returns the options for the backend. Fails if a property is not available.
    pub fn check(self, session: &Session) -> Result<PoolOptions> {
        arguments::numbered("poolProps->allocType", self.alloc_type, &[()], "ACL_MEM_ALLOCATION_TYPE_PINNED 0")?;
        let sharing = sharing("poolProps->handleType", self.handle_type)?;
        let place = place_at("poolProps", self.location, session)?;
        if place == MemoryPlace::Host(None) && sharing != PoolSharing::None {
            return Err(invalid_param!(
                "poolProps->handleType is {}; a pool in host memory without a NUMA node cannot be shared; pass \
                 ACL_MEM_HANDLE_TYPE_NONE 0, or location type ACL_MEM_LOCATION_TYPE_HOST_NUMA",
                self.handle_type
            ));
        }
        ensure!(sharing != PoolSharing::Fabric || session.driver.pools().is_some(), no_fabric("poolProps->handleType"));
        let max_size = (self.max_size != 0).then_some(self.max_size as u64);
        Ok(PoolOptions { place, sharing, max_size })
    }
}

/// Returns the error of a request for a fabric handle if the core implements the pools.
#[cold]
pub(super) fn no_fabric(argument: &str) -> Error {
    unsupported!(
        "{argument} is PORTACL_MEM_HANDLE_TYPE_FABRIC: the cpu backend shares memory within one machine only; \
         pass ACL_MEM_HANDLE_TYPE_POSIX, or ACL_MEM_HANDLE_TYPE_NONE"
    )
}
