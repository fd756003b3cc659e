//! Page-locked host memory.

use super::{check_free, not_freed};
use crate::core::base::error::{Code, Error, Result};
use crate::core::memory::allocation::{Allocation, Kind, open_device};
use crate::core::memory::hooked_memory;
use crate::core::memory::malloc_config::MallocConfig;
use crate::core::memory::memory_hook::{self, MemoryKind};
use crate::core::memory::memory_stats::HostTallies;
use crate::core::memory::page_policy::padded;
use crate::core::runtime;
use crate::core::runtime::thread;

/// aclrtMallocHost: page-locked host memory. The address.
pub fn malloc_host(size: usize) -> Result<usize> {
    malloc_host_with_config(size, &MallocConfig::default())
}

/// aclrtMallocHostWithCfg.
pub fn malloc_host_with_config(size: usize, config: &MallocConfig) -> Result<usize> {
    thread::refuse_inside_host_function()?;
    if size == 0 {
        return Err(Error::invalid_param("size is 0; allocate at least one byte"));
    }
    config.check_for_host(&*runtime::session()?)?;
    if memory_hook::exist() {
        return hooked_memory::malloc_host(size, || take_host_block(size));
    }
    take_host_block(size)
}

fn take_host_block(size: usize) -> Result<usize> {
    let session = runtime::session()?;
    let tally = &HostTallies::of(&session).pinned;
    let len = padded(size, false).filter(|len| isize::try_from(*len).is_ok()).ok_or_else(|| {
        tally.failed();
        Error::new(Code::BadAlloc, format_args!("size {size} is more than a process can address"))
    })?;
    let block = session.driver.alloc_host(len).inspect_err(|_| tally.failed())?;
    let allocation = Allocation::of_block(block, len, Kind::Pinned, session.owner);
    if let Err(error) = allocation.register() {
        tally.failed();
        let _ = session.driver.free_host(block);
        return Err(error);
    }
    tally.made(block.len);
    Ok(block.addr)
}

/// aclrtFreeHost.
pub fn free_host(addr: usize) -> Result<()> {
    check_free("hostPtr", addr)?;
    if memory_hook::exist() {
        return hooked_memory::free(addr, &[MemoryKind::Pinned], || free_host_unhooked(addr));
    }
    free_host_unhooked(addr)
}

fn free_host_unhooked(addr: usize) -> Result<()> {
    let taken = runtime::existing_session().and_then(|session| {
        let wanted =
            |found: &Allocation| found.owner == session.owner && found.kind == Kind::Pinned;
        let allocation = Allocation::take(addr, wanted)?;
        let block = allocation.block();
        HostTallies::of(&session).pinned.freed(block.len);
        Some(session.driver.free_host(block))
    });
    match taken {
        Some(freed) => Ok(freed?),
        None => Err(not_freed("hostPtr", addr)),
    }
}

/// aclrtFreeHostWithDevSync: as [`free_host`], after everything queued so far on all open devices,
/// each of which may use the memory. A failure that the wait tells of leaves the memory allocated.
pub fn free_host_with_sync(addr: usize) -> Result<()> {
    check_free("hostPtr", addr)?;
    let pinned = |found: Allocation| found.base == addr && found.kind == Kind::Pinned;
    if Allocation::find(addr).is_some_and(pinned) {
        let devices = runtime::existing_session().map_or(0, |session| session.devices.len());
        let mut outcome = Ok(());
        // One at a time: a device that is held here cannot end.
        for id in 0..devices as u32 {
            if let Some(device) = open_device(id) {
                outcome = outcome.and(device.synchronize(None).map(drop));
            }
        }
        outcome?;
    }
    free_host(addr)
}
