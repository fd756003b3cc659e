//! Page-locked host memory.

use super::freeing::{check_free, not_freed};
use crate::backend::Block;
use crate::base::error::{Code, Result, arguments, error_with};
use crate::base::gate::{self, Binding};
use crate::base::teardown_errors::TeardownErrors;
use crate::memory::allocation::{Allocation, Kind, open_device};
use crate::memory::memory_hook::MemoryKind;
use crate::memory::memory_stats::HostTallies;
use crate::memory::request::bounded::Bounded;
use crate::memory::request::freed_blocks::padded;
use crate::memory::request::hooks::Hooks;
use crate::memory::request::malloc_config::MallocConfig;
use crate::memory::request::{AddressRelease, MemoryRequest, Resource, Source, Statistics, Target};
use crate::runtime::lifecycle::HostMemory;
use crate::runtime::{self, thread};

/// The stages of page-locked memory, which is not cached.
const PINNED: Hooks<Bounded<Hooks<Statistics<PinnedMemory>>>> =
    Hooks::of_program(Bounded(Hooks::of_device(Statistics(PinnedMemory))));

/// Implements aclrtMallocHost: allocates page-locked host memory. Returns the address.
pub fn malloc_host(size: usize) -> Result<usize> {
    malloc_host_with_config(size, &MallocConfig::default())
}

/// Implements aclrtMallocHostWithCfg.
pub fn malloc_host_with_config(size: usize, config: &MallocConfig) -> Result<usize> {
    thread::refuse_inside_host_function()?;
    arguments::not_zero("size", size, "allocate at least one byte")?;
    config.check_device_id(&*runtime::session()?)?;
    Ok(PINNED.allocate(MemoryRequest::new(MemoryKind::Pinned, Target::Host, size))?.addr)
}

/// Implements aclrtFreeHost.
pub fn free_host(addr: usize) -> Result<()> {
    check_free("hostPtr", addr)?;
    PINNED.release(AddressRelease { addr, kinds: &[MemoryKind::Pinned] })
}

/// Implements aclrtFreeHostWithDevSync: frees memory after everything enqueued so far on all open devices, each of
/// which may use it. If the wait returns a failure, the memory stays allocated.
pub fn free_host_with_sync(addr: usize) -> Result<()> {
    check_free("hostPtr", addr)?;
    let pinned = |found: Allocation| found.base == addr && found.kind == Kind::Pinned;
    if Allocation::find(addr).is_some_and(pinned) {
        let devices = runtime::existing_session().map_or(0, |session| session.devices.len());
        // The devices are opened one at a time, because a device cannot close while this holds it. The wait is for all;
        // the first failure is returned.
        let open = (0..devices as u32).filter_map(open_device);
        open.map(|device| device.synchronize(None).map(drop)).fold(Ok(()), Result::and)?;
    }
    free_host(addr)
}

/// Page-locked memory, allocated by the driver.
struct PinnedMemory;

impl Source for PinnedMemory {
    fn take(&self, request: &MemoryRequest) -> Result<Block> {
        let (session, size) = (request.session()?, request.size);
        let len = padded(size, false).filter(|len| isize::try_from(*len).is_ok());
        let len = len.ok_or_else(|| error_with!(Code::BadAlloc, "size {size} is more than a process can address"))?;
        gate::bind(Binding::Device);
        let block = session.driver.alloc_host(len)?;
        let allocation = Allocation::of_block(block, len, Kind::Pinned, session.owner);
        allocation.register_or(|| session.driver.free_host(block))?;
        Ok(block)
    }

    fn free(&self, addr: usize) -> Result<()> {
        let claimed = runtime::existing_session().and_then(|session| {
            let wanted = |found: &Allocation| found.owner == session.owner && found.kind == Kind::Pinned;
            let block = Allocation::take(addr, wanted)?.block();
            Some((session, block))
        });
        let (session, block) = claimed.ok_or_else(|| not_freed("hostPtr", addr))?;
        HostTallies::of(&session).pinned.freed(block.len);
        Ok(session.driver.free_host(block)?)
    }
}

/// Frees all pinned memory and ends all registrations, when the session ends.
pub(crate) fn release_host_memory(host: &HostMemory, errors: &mut TeardownErrors) {
    Allocation::drain(host.owner, |allocation| {
        errors.step_on_device(if let Kind::Registered { .. } = allocation.kind {
            host.driver.unregister_host(allocation.base, allocation.len)
        } else {
            host.driver.free_host(allocation.block())
        });
    });
}
