//! Memory of devices.

use super::freeing::{check_free, not_freed};
use crate::algo::host::notice::notice_once;
use crate::backend::{self, Block, Fill, PagePolicy, Place, Span};
use crate::base::error::{Error, Result, arguments};
use crate::base::owner::Owner;
use crate::base::teardown_errors::TeardownErrors;
use crate::memory::allocation::{ALLOCATIONS, Allocation, Kind, MemorySource, Reuse, open_device};
use crate::memory::memory_hook::MemoryKind;
use crate::memory::memory_stats::DeviceTallies;
use crate::memory::request::bounded::Bounded;
use crate::memory::request::freed_blocks::FreedBlocks;
use crate::memory::request::hooks::Hooks;
use crate::memory::request::malloc_config::MallocConfig;
use crate::memory::request::{AddressRelease, MemoryRequest, Resource, Source, Statistics, Target, seldom};
use crate::runtime::device::Device;
use crate::runtime::{self, thread};

/// The stages of device memory.
const DEVICE: Hooks<FreedBlocks<DeviceMemory>> =
    Hooks::of_program(FreedBlocks(Bounded(Hooks::of_device(Statistics(DeviceMemory)))));

/// Requests of at least this size prefer huge pages if the policy is unknown.
const HUGE_FROM: usize = 2 << 20;

/// Implements aclrtMalloc: allocates memory of the current device. Returns the address.
#[inline]
pub fn malloc(size: usize, policy: i32) -> Result<usize> {
    allocate(size, policy, true)
}

/// Implements aclrtMallocAlign32: allocates as [`malloc`] does, but nothing past the rounded size may be read.
pub fn malloc_align32(size: usize, policy: i32) -> Result<usize> {
    allocate(size, policy, false)
}

/// Implements aclrtMallocWithCfg.
pub fn malloc_with_config(size: usize, policy: i32, config: &MallocConfig) -> Result<usize> {
    thread::refuse_inside_host_function()?;
    if *config != MallocConfig::default() && size != 0 {
        let device = thread::current()?.device.clone();
        config.check_for_device(&device, &*runtime::session()?)?;
    }
    allocate(size, policy, true)
}

/// Allocates device memory, with the readable tail if `tail` is set and the device has one.
#[inline]
fn allocate(size: usize, policy: i32, tail: bool) -> Result<usize> {
    // `|` instead of `||` needs one branch for both.
    if backend::inside_host_function() | (size == 0) {
        return Err(refused());
    }
    let pages = Some(pages(policy, size));
    DEVICE.allocate(MemoryRequest { tail, pages, ..MemoryRequest::new(MemoryKind::Device, Target::Current, size) })
}

/// Returns the error of a request inside a host function, or of one for 0 bytes.
#[cold]
fn refused() -> Error {
    let not_zero = || arguments::not_zero("size", 0, "allocate at least one byte");
    thread::refuse_inside_host_function().and_then(|()| not_zero()).expect_err("one of the two checks fails")
}

/// Returns the pages that `policy`, a number from C, selects. Peer-to-peer variants and bandwidth hints have no effect
/// here. An unknown number is no error: it counts as not given, and a line on standard error reports it.
#[inline]
fn pages(policy: i32, size: usize) -> PagePolicy {
    const BANDWIDTH_AND_ACCESS: i32 = 0x100 | 0x1000 | 0x10_0000;
    match policy & !BANDWIDTH_AND_ACCESS {
        0 | 3 => PagePolicy::HugeFirst,
        1 | 4 => PagePolicy::HugeOnly,
        2 | 5 => PagePolicy::NormalOnly,
        6 | 7 => PagePolicy::Huge1GOnly,
        _ => seldom(|| {
            notice_once(&format!("the malloc policy {policy:#x} is unknown and is ignored"));
            if size >= HUGE_FROM { PagePolicy::HugeFirst } else { PagePolicy::NormalOnly }
        }),
    }
}

/// Implements aclrtFree: the address is invalid at once; enqueued work that uses the memory keeps it.
#[inline]
pub fn free(addr: usize) -> Result<()> {
    check_free("devPtr", addr)?;
    DEVICE.release(of_device(addr))
}

/// Implements aclrtFreeWithDevSync: frees memory after everything enqueued so far on the memory's device. If the wait
/// returns a failure, the memory stays allocated.
pub fn free_with_sync(addr: usize) -> Result<()> {
    check_free("devPtr", addr)?;
    // There is no wait if no allocation begins at the address; `free` returns the error.
    if let Some(allocation) = Allocation::find(addr)
        && allocation.base == addr
        && let Some(device) = allocation.device()
    {
        // A wait without a deadline does not time out.
        let _ = device.synchronize(None)?;
    }
    free(addr)
}

/// Creates a release by aclrtFree.
fn of_device(addr: usize) -> AddressRelease {
    AddressRelease { addr, kinds: &[MemoryKind::Device, MemoryKind::Managed, MemoryKind::Pool] }
}

/// The memory of devices, allocated by their backends.
pub struct DeviceMemory;

impl Source for DeviceMemory {
    fn take(&self, request: &MemoryRequest) -> Result<Block> {
        let (device, len) = (request.device()?, request.len.unwrap_or(request.size));
        let kind = if request.pages.is_some() { Kind::Device(device.id) } else { Kind::Managed(device.id) };
        take(device, len, request.pages, kind)
    }

    fn free(&self, addr: usize) -> Result<()> {
        let device = match Allocation::find(addr).map(|allocation| allocation.kind.source()) {
            Some(MemorySource::Device(id)) => open_device(id),
            Some(MemorySource::Backend | MemorySource::Pool | MemorySource::Mapping | MemorySource::Caller) | None => {
                None
            }
        };
        // The device stays open while the allocation is held.
        let claimed = device.and_then(|device| {
            let allocation = Allocation::take(addr, |found| found.owner == device.owner)?;
            Some((device, allocation))
        });
        let (device, allocation) = claimed.ok_or_else(|| not_freed("devPtr", addr))?;
        allocation.forget_advice();
        let (tallies, block) = (DeviceTallies::of(&device), allocation.block());
        let tally = if let Kind::Managed(_) = allocation.kind { &tallies.managed } else { &tallies.device };
        tally.freed(block.len);
        let freed = device.native.free(block);
        allocation.make_room(&device);
        Ok(freed?)
    }
}

/// Allocates device memory, or managed memory if there is no page policy, and inserts it in the address map.
fn take(device: &Device, len: usize, pages: Option<PagePolicy>, kind: Kind) -> Result<Block> {
    let block = device.with_all_memory(|native| match pages {
        Some(pages) => native.alloc(len, pages),
        None => native.alloc_managed(len),
    })?;
    let allocation = Allocation::of_block(block, len, kind, device.owner);
    let allocation = pages.map_or(allocation, |pages| allocation.reusable(pages));
    allocation.register_or(|| device.native.free(block)).map(|()| block)
}

/// Frees the allocations of a device in teardown.
pub(crate) fn release_device_memory(device: &Device, errors: &mut TeardownErrors) {
    device.release_cached(|freed| errors.step_on_device(freed));
    Allocation::drain(device.owner, |allocation| {
        allocation.forget_advice();
        errors.step_on_device(device.native.free(allocation.block()));
    });
}

/// Forgets a device's memory as [`forget_memory`] does.
pub(crate) fn forget_device_memory(device: &Device) {
    ALLOCATIONS.remove_parked(Reuse::of(device).cache.flush().0);
    forget_memory(device.owner);
}

/// Forgets the memory of an owner that is abandoned with work that uses it: addresses become invalid, the memory stays.
pub(crate) fn forget_memory(owner: Owner) {
    Allocation::drain(owner, |allocation| allocation.forget_advice());
}

/// Allocates zeros that a device keeps until it ends. They are not reported to hooks.
pub(crate) fn zeros_of_device(device: &Device, len: usize) -> Result<usize> {
    let tally = &DeviceTallies::of(device).device;
    let (block, zeros) = take_zeros(device, len, Kind::Device(device.id)).inspect_err(|_| tally.failed())?;
    tally.made(block.len);
    Ok(zeros.addr)
}

/// Allocates a word of a graph, initially 0. It is not counted and not reported to hooks.
pub(crate) fn word_of_graph(device: &Device) -> Result<Span> {
    Ok(take_zeros(device, size_of::<u64>(), Kind::Graph(device.id))?.1)
}

/// Frees the word. Does nothing if it was released with its device.
pub(crate) fn free_word_of_graph(device: &Device, word: Span) -> Result<()> {
    let is_it = |found: &Allocation| found.owner == device.owner && found.kind == Kind::Graph(device.id);
    match Allocation::take(word.addr, is_it) {
        Some(allocation) => Ok(device.native.free(allocation.block())?),
        None => Ok(()),
    }
}

/// Allocates memory for internal use, filled with zeros.
fn take_zeros(device: &Device, len: usize, kind: Kind) -> Result<(Block, Span)> {
    let block = take(device, len, Some(PagePolicy::NormalOnly), kind)?;
    let zeros = Span { addr: block.addr, len, place: Place::Device(device.id) };
    device.native.fill(Fill::bytes(zeros, 0)).inspect_err(|_| {
        Allocation::take(block.addr, |found| found.owner == device.owner && found.kind == kind);
        // The first failure is returned.
        let _ = device.native.free(block);
    })?;
    Ok((block, zeros))
}

#[cfg(test)]
#[path = "device_memory_tests.rs"]
mod tests;
