//! Memory of devices.

use std::sync::Arc;

use super::super::ipc;
use super::freeing::{check_free, not_freed};
use crate::algo::map::slot_table;
use crate::backend::{self, Block, PagePolicy};
use crate::core::base::error::{Code, Result, arguments, error_with};
use crate::core::memory::allocation::backing::backing;
use crate::core::memory::allocation::{Allocation, Kind, open_device};
use crate::core::memory::memory_hook::{self, Event, MemoryKind};
use crate::core::memory::memory_stats::DeviceTallies;
use crate::core::memory::request::hooks::{self, Hooks};
use crate::core::memory::request::malloc_config::MallocConfig;
use crate::core::memory::request::page_policy::{known_pages, padded, pages};
use crate::core::memory::request::statistics::Statistics;
use crate::core::memory::request::{Claim, MemoryRequest, Release, Resource, Source, Target};
use crate::core::runtime::device::Device;
use crate::core::runtime::{self, thread};

/// The stages of device memory.
const DEVICE: Hooks<FreedBlocks<Hooks<Statistics<DeviceMemory>>>> =
    Hooks::of_program(FreedBlocks(Hooks::of_device(Statistics(DeviceMemory))));

/// aclrtMalloc: allocates memory of the current device. Returns the address.
#[inline]
pub fn malloc(size: usize, policy: i32) -> Result<usize> {
    cached(size, policy).map_or_else(|| allocate(size, policy, true), Ok)
}

/// As [`malloc`], from the cache of freed blocks. `None`: that is not possible, or the request may be wrong. Apart from
/// all that can fail, so that it needs few registers.
#[inline]
fn cached(size: usize, policy: i32) -> Option<usize> {
    // Not `||`: one branch for all.
    if backend::inside_host_function() | memory_hook::exist() | (size == 0) {
        return None;
    }
    let pages = known_pages(policy)?;
    let context = thread::current_now()?;
    Allocation::reuse(&context.device, padded(size, context.device.readable_tail)?, pages)
}

/// aclrtMallocAlign32: as [`malloc`], but nothing past the rounded size may be read.
pub fn malloc_align32(size: usize, policy: i32) -> Result<usize> {
    allocate(size, policy, false)
}

/// aclrtMallocWithCfg.
pub fn malloc_with_config(size: usize, policy: i32, config: &MallocConfig) -> Result<usize> {
    thread::refuse_inside_host_function()?;
    if *config != MallocConfig::default() && size != 0 {
        let device = thread::current()?.device.clone();
        config.check_for_device(&device, &*runtime::session()?)?;
    }
    allocate(size, policy, true)
}

/// Allocates device memory, with the readable tail if `tail` is set and the device has one.
#[inline(never)]
fn allocate(size: usize, policy: i32, tail: bool) -> Result<usize> {
    thread::refuse_inside_host_function()?;
    arguments::not_zero("size", size, "allocate at least one byte")?;
    DEVICE.allocate(MemoryRequest {
        kind: MemoryKind::Device,
        target: Target::Current,
        size,
        tail,
        pages: Some(pages(policy, size)),
        len: None,
    })
}

/// aclrtFree: the address is invalid at once; queued work that uses the memory keeps it.
#[inline]
pub fn free(addr: usize) -> Result<()> {
    // As in `cached`.
    let may_be_refused = backend::inside_host_function() | memory_hook::exist() | ipc::exports_any();
    if !may_be_refused && Allocation::set_aside(addr) { Ok(()) } else { free_checked(addr) }
}

/// As [`free`], with all checks.
#[inline(never)]
fn free_checked(addr: usize) -> Result<()> {
    check_free("devPtr", addr)?;
    DEVICE.release(DeviceRelease { addr })
}

/// As [`free`], for memory that no hook knows.
pub fn free_unhooked(addr: usize) -> Result<()> {
    FreedBlocks(Statistics(DeviceMemory)).release(DeviceRelease { addr })
}

/// aclrtFreeWithDevSync: as [`free`], after everything queued so far on the memory's device. If the wait returns a
/// failure, the memory stays allocated.
pub fn free_with_sync(addr: usize) -> Result<()> {
    check_free("devPtr", addr)?;
    // No wait for an address that is no start of an allocation; `free` returns the error.
    if let Some(allocation) = Allocation::find(addr)
        && allocation.base == addr
        && let Some(device) = allocation.device()
    {
        // Without a deadline it does not time out.
        let _ = device.synchronize(None)?;
    }
    free(addr)
}

/// A release by aclrtFree.
pub struct DeviceRelease {
    addr: usize,
}

impl Release for DeviceRelease {
    fn is_retained(&self) -> Result<bool> {
        (backing().retains)(self.addr)
    }

    fn event(&self) -> Result<Option<Event>> {
        let kinds = [MemoryKind::Device, MemoryKind::Managed, MemoryKind::Pool];
        Ok(hooks::event_of_address(self.addr, &kinds))
    }
}

impl Claim for DeviceRelease {
    /// Holds the device open.
    type Claimed = (Arc<Device>, Allocation);

    fn claim(self) -> Result<Self::Claimed> {
        let device = match Allocation::find(self.addr).map(|allocation| allocation.kind) {
            Some(Kind::Device(id) | Kind::Managed(id)) => open_device(id),
            _ => None,
        };
        let claimed = device.and_then(|device| {
            let allocation = Allocation::take(self.addr, |found| found.owner == device.owner)?;
            Some((device, allocation))
        });
        let Some((device, allocation)) = claimed else {
            return Err(not_freed("devPtr", self.addr));
        };
        allocation.forget_advice();
        let tallies = DeviceTallies::of(&device);
        let len = allocation.block().len;
        match allocation.kind {
            Kind::Managed(_) => tallies.managed.freed(len),
            _ => tallies.device.freed(len),
        }
        Ok((device, allocation))
    }
}

/// The stage of freed blocks: serves requests from the cache, and caches what is freed. Cached memory counts as free.
struct FreedBlocks<R>(R);

impl<R> Resource for FreedBlocks<R>
where
    R: Resource<Request = MemoryRequest, Memory = Block, Release = DeviceRelease>,
{
    type Request = MemoryRequest;
    type Memory = usize;
    type Release = DeviceRelease;

    fn allocate(&self, request: MemoryRequest) -> Result<usize> {
        let context = thread::current()?;
        let device = &context.device;
        if let Some(pages) = request.pages
            && let Some(len) = padded(request.size, request.tail && device.readable_tail)
            && let Some(addr) = Allocation::reuse(device, len, pages)
        {
            return Ok(addr);
        }
        let device = device.clone();
        drop(context);
        self.allocate_new(request, device)
    }

    fn release(&self, release: DeviceRelease) -> Result<()> {
        ipc::freeing(release.addr);
        if Allocation::set_aside(release.addr) { Ok(()) } else { self.release_now(release) }
    }
}

impl<R> FreedBlocks<R>
where
    R: Resource<Request = MemoryRequest, Memory = Block, Release = DeviceRelease>,
{
    #[cold]
    fn allocate_new(&self, mut request: MemoryRequest, device: Arc<Device>) -> Result<usize> {
        let size = request.size;
        let len = padded(size, request.tail && device.readable_tail)
            .filter(|len| *len as u64 <= device.total_memory)
            .ok_or_else(|| {
            DeviceTallies::of(&device).device.failed();
            error_with!(
                Code::MemoryAllocation,
                "size {size}, with its padding, is more than all memory of device {} ({} bytes)",
                device.id,
                device.total_memory
            )
        })?;
        request.len = Some(len);
        request.target = Target::Device(device);
        Ok(self.0.allocate(request)?.addr)
    }

    /// As [`Resource::release`], if the memory cannot be cached, or is no allocation.
    #[cold]
    fn release_now(&self, release: DeviceRelease) -> Result<()> {
        match Allocation::find(release.addr) {
            Some(found) if found.pool().is_some() => release_to_pool(&found, release.addr),
            _ => self.0.release(release),
        }
    }
}

/// aclrtFree of a pool's memory: at once, as cudaFree does it.
fn release_to_pool(found: &Allocation, addr: usize) -> Result<()> {
    if (backing().retains)(addr)? {
        return Ok(());
    }
    if found.base == addr && (backing().release)(found)? {
        slot_table::flush_if_many();
        return Ok(());
    }
    Err(not_freed("devPtr", addr))
}

/// The memory of devices, allocated by their backends.
pub struct DeviceMemory;

impl Source for DeviceMemory {
    type Memory = Block;
    type Release = DeviceRelease;

    fn take(&self, request: &MemoryRequest) -> Result<Block> {
        let (device, len) = (request.device()?, request.len.unwrap_or(request.size));
        match (request.kind, request.pages) {
            (MemoryKind::Managed, _) => take_managed(device, len),
            (_, pages) => {
                let pages = pages.unwrap_or(PagePolicy::HugeFirst);
                take(device, len, pages, Kind::Device(device.id))
            }
        }
    }

    fn free(&self, (device, allocation): (Arc<Device>, Allocation)) -> Result<()> {
        let freed = device.native.free(allocation.block());
        allocation.make_room(&device);
        Ok(freed?)
    }
}

/// Allocates memory of a device and inserts it in the address map.
pub fn take(device: &Device, len: usize, pages: PagePolicy, kind: Kind) -> Result<Block> {
    let block = device.with_all_memory(|native| native.alloc(len, pages))?;
    let allocation = Allocation::of_block(block, len, kind, device.owner);
    allocation.reusable(pages).register_or(|| device.native.free(block))?;
    Ok(block)
}

/// Allocates managed memory and inserts it in the address map.
fn take_managed(device: &Device, len: usize) -> Result<Block> {
    let block = device.with_all_memory(|native| native.alloc_managed(len))?;
    let allocation = Allocation::of_block(block, len, Kind::Managed(device.id), device.owner);
    allocation.register_or(|| device.native.free(block))?;
    Ok(block)
}
