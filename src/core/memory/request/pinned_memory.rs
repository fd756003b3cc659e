//! Page-locked host memory.

use std::sync::Arc;

use super::freeing::{check_free, not_freed};
use crate::backend::Block;
use crate::core::base::error::{Code, Result, arguments, error_with};
use crate::core::memory::allocation::{Allocation, Kind, open_device};
use crate::core::memory::memory_hook::{Event, MemoryKind};
use crate::core::memory::memory_stats::HostTallies;
use crate::core::memory::request::hooks::{self, Hooks};
use crate::core::memory::request::malloc_config::MallocConfig;
use crate::core::memory::request::page_policy::padded;
use crate::core::memory::request::statistics::Statistics;
use crate::core::memory::request::{Claim, MemoryRequest, Release, Resource, Source, Target};
use crate::core::runtime::{self, Session, thread};

/// The stages of page-locked memory, which is not cached.
const PINNED: Hooks<Hooks<Statistics<PinnedMemory>>> = Hooks::of_program(Hooks::of_device(Statistics(PinnedMemory)));

/// aclrtMallocHost: allocates page-locked host memory. Returns the address.
pub fn malloc_host(size: usize) -> Result<usize> {
    malloc_host_with_config(size, &MallocConfig::default())
}

/// aclrtMallocHostWithCfg.
pub fn malloc_host_with_config(size: usize, config: &MallocConfig) -> Result<usize> {
    thread::refuse_inside_host_function()?;
    arguments::not_zero("size", size, "allocate at least one byte")?;
    config.check_device_id(&*runtime::session()?)?;
    let request =
        MemoryRequest { kind: MemoryKind::Pinned, target: Target::Host, size, tail: false, pages: None, len: None };
    Ok(PINNED.allocate(request)?.addr)
}

/// aclrtFreeHost.
pub fn free_host(addr: usize) -> Result<()> {
    check_free("hostPtr", addr)?;
    PINNED.release(PinnedRelease { addr })
}

/// aclrtFreeHostWithDevSync: as [`free_host`], after everything queued so far on all open devices, each of which may
/// use the memory. If the wait returns a failure, the memory stays allocated.
pub fn free_host_with_sync(addr: usize) -> Result<()> {
    check_free("hostPtr", addr)?;
    let pinned = |found: Allocation| found.base == addr && found.kind == Kind::Pinned;
    if Allocation::find(addr).is_some_and(pinned) {
        let devices = runtime::existing_session().map_or(0, |session| session.devices.len());
        // One at a time, because a device cannot close while this holds it. The wait is for all; the first failure is
        // returned.
        let open = (0..devices as u32).filter_map(open_device);
        open.map(|device| device.synchronize(None).map(drop)).fold(Ok(()), Result::and)?;
    }
    free_host(addr)
}

/// A release by aclrtFreeHost.
struct PinnedRelease {
    addr: usize,
}

impl Release for PinnedRelease {
    fn event(&self) -> Result<Option<Event>> {
        Ok(hooks::event_of_address(self.addr, &[MemoryKind::Pinned]))
    }
}

impl Claim for PinnedRelease {
    /// Holds the session.
    type Claimed = (Arc<Session>, Allocation);

    fn claim(self) -> Result<Self::Claimed> {
        let claimed = runtime::existing_session().and_then(|session| {
            let wanted = |found: &Allocation| found.owner == session.owner && found.kind == Kind::Pinned;
            let allocation = Allocation::take(self.addr, wanted)?;
            Some((session, allocation))
        });
        let Some((session, allocation)) = claimed else {
            return Err(not_freed("hostPtr", self.addr));
        };
        HostTallies::of(&session).pinned.freed(allocation.block().len);
        Ok((session, allocation))
    }
}

/// Page-locked memory, allocated by the driver.
struct PinnedMemory;

impl Source for PinnedMemory {
    type Memory = Block;
    type Release = PinnedRelease;

    fn take(&self, request: &MemoryRequest) -> Result<Block> {
        let (session, size) = (request.session()?, request.size);
        let len = padded(size, false).filter(|len| isize::try_from(*len).is_ok());
        let len = len.ok_or_else(|| error_with!(Code::BadAlloc, "size {size} is more than a process can address"))?;
        let block = session.driver.alloc_host(len)?;
        let allocation = Allocation::of_block(block, len, Kind::Pinned, session.owner);
        allocation.register_or(|| session.driver.free_host(block))?;
        Ok(block)
    }

    fn free(&self, (session, allocation): (Arc<Session>, Allocation)) -> Result<()> {
        Ok(session.driver.free_host(allocation.block())?)
    }
}
