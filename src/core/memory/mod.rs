//! Memory: what is allocated where, and what an address means.

pub mod allocation;
pub mod buffer;
pub mod data_buffer;
mod hold;
pub(in crate::core) mod hooked_memory;
mod host;
pub mod host_register;
pub mod ipc;
pub mod malloc_config;
pub mod managed_memory;
pub mod mem_info;
pub mod memory_hook;
pub mod memory_stats;
pub mod page_policy;
pub mod peer;
mod reach;
mod span;
pub mod virtual_memory;

use std::sync::Arc;

pub use self::hold::{check_pointer, hold_other, is_at_hand, must_ask};
pub use self::host::{free_host, free_host_with_sync, malloc_host, malloc_host_with_config};
pub use self::reach::{Held, check_reach, device_span};
pub(super) use self::span::stale;
pub use self::span::{is_ordinary, is_plain, span};
use crate::algo::map::slot_table;
use crate::backend::{
    self, Block, Fill, Foreign, ForeignBlock, MemoryUsage, PagePolicy, Place, Span, Usage,
};
use crate::core::base::ending::Ending;
use crate::core::base::error::{Code, Error, Result};
use crate::core::graph;
use crate::core::memory::allocation::{Allocation, Kind, Owner, open_device};
use crate::core::memory::malloc_config::MallocConfig;
use crate::core::memory::memory_hook::MemoryKind;
use crate::core::memory::memory_stats::DeviceTallies;
use crate::core::memory::page_policy::padded;
use crate::core::memory::virtual_memory::{Mapped, physical};
use crate::core::pool::mem_pool;
use crate::core::runtime;
use crate::core::runtime::Session;
use crate::core::runtime::device::{self, Device};
use crate::core::runtime::thread;

/// aclrtMalloc: device memory of the current device. The address.
pub fn malloc(size: usize, policy: i32) -> Result<usize> {
    allocate(size, policy, true)
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

/// Device memory, with the readable tail if `tail` and the device say so.
#[inline]
fn allocate(size: usize, policy: i32, tail: bool) -> Result<usize> {
    thread::refuse_inside_host_function()?;
    if size == 0 {
        return Err(Error::invalid_param("size is 0; allocate at least one byte"));
    }
    if memory_hook::exist() {
        let pages = page_policy::pages(policy, size);
        return hooked_memory::malloc(size, tail, pages, || serve(size, policy, tail, true));
    }
    serve(size, policy, tail, false)
}

/// As [`allocate`], where it is known whether there are hooks: looking costs something.
#[inline]
fn serve(size: usize, policy: i32, tail: bool, hooked: bool) -> Result<usize> {
    let context = thread::current()?;
    let device = &context.device;
    let pages = page_policy::pages(policy, size);
    if let Some(len) = padded(size, tail && device.readable_tail)
        && let Some(addr) = Allocation::reuse(device, len, pages)
    {
        return Ok(addr);
    }
    let device = device.clone();
    drop(context);
    serve_anew(device, (size, tail), pages, hooked)
}

/// As [`serve`], from the device.
#[cold]
fn serve_anew(
    device: Arc<Device>,
    (size, tail): (usize, bool),
    pages: PagePolicy,
    hooked: bool,
) -> Result<usize> {
    let len = padded(size, tail && device.readable_tail)
        .filter(|len| *len as u64 <= device.total_memory)
        .ok_or_else(|| {
            DeviceTallies::of(&device).device.failed();
            Error::new(
                Code::MemoryAllocation,
                format_args!(
                    "size {size}, with its padding, is more than all memory of device {} ({} bytes)",
                    device.id, device.total_memory
                ),
            )
        })?;
    let take = |device: &Device| take_block(device, len, pages);
    if hooked {
        let taken = device.native.block_len(len, pages);
        return hooked_memory::alloc(device, MemoryKind::Device, taken, take);
    }
    take(&device)
}

/// Zeros that a device keeps until it ends; no hook is told of them.
pub fn zeros_of_device(device: &Device, len: usize) -> Result<usize> {
    let addr = take_block(device, len, PagePolicy::NormalOnly)?;
    let dst = Span { addr, len, place: Place::Device(device.id) };
    if let Err(fault) = device.native.fill(Fill::bytes(dst, 0)) {
        // The first failure is the one to tell.
        let _ = free_unhooked(addr);
        return Err(fault.into());
    }
    Ok(addr)
}

/// A word of a graph, 0 at first; it is in no statistics, and no hook is told of it.
pub fn word_of_graph(device: &Device) -> Result<Span> {
    let len = size_of::<u64>();
    let block = take(device, len, PagePolicy::NormalOnly, Kind::Graph(device.id))?;
    let word = Span { addr: block.addr, len, place: Place::Device(device.id) };
    if let Err(fault) = device.native.fill(Fill::bytes(word, 0)) {
        // The first failure is the one to tell.
        let _ = free_word_of_graph(device, word);
        return Err(fault.into());
    }
    Ok(word)
}

/// Takes it back. Where it went with its device nothing is left to do.
pub fn free_word_of_graph(device: &Device, word: Span) -> Result<()> {
    let is_it =
        |found: &Allocation| found.owner == device.owner && found.kind == Kind::Graph(device.id);
    match Allocation::take(word.addr, is_it) {
        Some(allocation) => Ok(device.native.free(allocation.block())?),
        None => Ok(()),
    }
}

fn take_block(device: &Device, len: usize, pages: PagePolicy) -> Result<usize> {
    let tally = &DeviceTallies::of(device).device;
    let block =
        take(device, len, pages, Kind::Device(device.id)).inspect_err(|_| tally.failed())?;
    tally.made(block.len);
    Ok(block.addr)
}

/// Memory of a device, in the address map.
fn take(device: &Device, len: usize, pages: PagePolicy, kind: Kind) -> Result<Block> {
    let block = device.with_all_memory(|native| native.alloc(len, pages))?;
    let allocation = Allocation::of_block(block, len, kind, device.owner);
    if let Err(error) = allocation.reusable(pages).register() {
        // The first failure is the one to tell.
        let _ = device.native.free(block);
        return Err(error);
    }
    Ok(block)
}

/// aclrtFree: the address is invalid at once; queued work that uses the memory still has it.
pub fn free(addr: usize) -> Result<()> {
    check_free("devPtr", addr)?;
    if memory_hook::exist() {
        if graph::memory::keeps(addr)? {
            return Ok(());
        }
        let kinds = [MemoryKind::Device, MemoryKind::Managed, MemoryKind::Pool];
        return hooked_memory::free(addr, &kinds, || free_unhooked(addr));
    }
    free_unhooked(addr)
}

#[inline]
fn free_unhooked(addr: usize) -> Result<()> {
    ipc::freeing(addr);
    if Allocation::set_aside(addr) { Ok(()) } else { free_to_device(addr) }
}

/// As [`free`], where the memory cannot wait for its next use, or is none.
#[cold]
fn free_to_device(addr: usize) -> Result<()> {
    // Held until the block is back, so that its device is not closed in between.
    let device = match Allocation::find(addr).map(|allocation| allocation.kind) {
        Some(Kind::Device(id) | Kind::Managed(id)) => open_device(id),
        Some(Kind::Pool(_) | Kind::HostPool(_)) => return free_to_pool(addr),
        _ => None,
    };
    let taken = device.and_then(|device| {
        let allocation = Allocation::take(addr, |found| found.owner == device.owner)?;
        managed_memory::forget(&allocation);
        let block = allocation.block();
        match allocation.kind {
            Kind::Managed(_) => DeviceTallies::of(&device).managed.freed(block.len),
            _ => DeviceTallies::of(&device).device.freed(block.len),
        }
        let freed = device.native.free(block);
        allocation.make_room(&device);
        Some(freed)
    });
    match taken {
        Some(freed) => Ok(freed?),
        None => Err(not_freed("devPtr", addr)),
    }
}

/// As [`free`], of a pool's memory: at once, as cudaFree does it.
#[cold]
fn free_to_pool(addr: usize) -> Result<()> {
    if graph::memory::keeps(addr)? {
        return Ok(());
    }
    if let Some(found) = Allocation::find(addr).filter(|found| found.base == addr)
        && mem_pool::free_now(&found)?
    {
        slot_table::flush_if_many();
        return Ok(());
    }
    Err(not_freed("devPtr", addr))
}

/// aclrtFreeWithDevSync: as [`free`], after everything queued so far on the memory's own device.
/// A failure that the wait tells of leaves the memory allocated.
pub fn free_with_sync(addr: usize) -> Result<()> {
    check_free("devPtr", addr)?;
    // What is no start of an allocation is not worth a wait; `free` says what it is.
    if let Some(allocation) = Allocation::find(addr)
        && allocation.base == addr
        && let Some(device) = allocation.device()
    {
        // Without a deadline it does not time out.
        let _ = device.synchronize(None)?;
    }
    free(addr)
}

fn check_free(argument: &str, addr: usize) -> Result<()> {
    thread::refuse_inside_host_function()?;
    if addr == 0 {
        return Err(Error::invalid_param(format_args!(
            "{argument} is null; this API has nothing to free there (unlike free and cudaFree)"
        )));
    }
    Ok(())
}

/// Why nothing could be freed at `addr`.
#[cold]
pub(super) fn not_freed(argument: &str, addr: usize) -> Error {
    let Some(found) = Allocation::find(addr) else {
        return Error::param_invalid(format_args!(
            "{argument} {addr:#x} is not a live allocation of this library: never allocated here, freed \
             before, or gone with its device"
        ));
    };
    if found.base != addr {
        return Error::param_invalid(format_args!(
            "{argument} {addr:#x} points {} bytes into the allocation at {:#x} of {} bytes; pass its start",
            addr - found.base,
            found.base,
            found.len
        ));
    }
    let what = match found.kind {
        Kind::Device(_) => "device memory",
        Kind::Managed(_) => "managed memory",
        Kind::Pinned => "page-locked host memory",
        Kind::Pool(_) | Kind::HostPool(_) => "memory of a pool",
        Kind::Mapped(_) | Kind::HostMapped(_) => "mapped memory",
        Kind::Imported(_) => "memory of another process",
        Kind::Graph(_) => "the value of a condition of a graph, and goes with that",
        Kind::Registered { .. } => "registered memory of the caller",
    };
    let call = freeing_call(found.kind);
    Error::param_invalid(format_args!("{argument} {addr:#x} is {what}; give it back with {call}"))
}

/// What gives memory of this kind back.
pub(super) fn freeing_call(kind: Kind) -> &'static str {
    match kind {
        Kind::Device(_) | Kind::Managed(_) => "aclrtFree",
        Kind::Pinned => "aclrtFreeHost",
        Kind::Pool(_) | Kind::HostPool(_) => "aclrtMemPoolFreeAsync or aclrtFree",
        Kind::Mapped(_) | Kind::HostMapped(_) => "aclrtUnmapMem",
        Kind::Imported(_) => "aclrtIpcMemClose",
        Kind::Graph(_) => "aclmdlRIDestroy",
        Kind::Registered { .. } => "aclrtHostUnregister",
    }
}

/// Takes the device's allocations back, at its end.
pub fn release_device_memory(device: &Device, ending: &mut Ending) {
    device.release_set_aside(|freed| ending.step_on_device(freed));
    for allocation in Allocation::drain(device.owner) {
        managed_memory::forget(&allocation);
        ending.step_on_device(device.native.free(allocation.block()));
    }
}

/// Takes all pinned memory and all registrations back, at the end of the session.
pub fn release_host_memory(session: &Session, ending: &mut Ending) {
    for allocation in Allocation::drain(session.owner) {
        ending.step_on_device(match allocation.kind {
            Kind::Registered { .. } => {
                session.driver.unregister_host(allocation.base, allocation.len)
            }
            _ => session.driver.free_host(allocation.block()),
        });
    }
}

/// As [`forget_memory`], for a device.
pub fn forget_device_memory(device: &Device) {
    device.forget_set_aside();
    forget_memory(device.owner);
}

/// The owner is left behind with work that uses its memory: addresses die, memory stays.
pub fn forget_memory(owner: Owner) {
    Allocation::drain(owner).iter().for_each(managed_memory::forget);
}

/// Where an address lives, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// Nobody here knows it.
    Unregistered,
    /// Page-locked or registered host memory.
    Host,
    /// Memory of the device with this id.
    Device(u32),
    /// Managed memory from the device with this id.
    Managed(u32),
    /// Host memory of this NUMA node.
    HostNode(u32),
}

/// What aclrtPointerGetAttributes tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerAttributes {
    /// Where the address lives.
    pub location: Location,
    /// Page size in bytes, as the system confirms it; 0 for memory that is not ours.
    pub page_size: u32,
}

impl From<Mapped> for PointerAttributes {
    fn from(mapped: Mapped) -> Self {
        let location = match mapped.place {
            physical::Place::Device(id) => Location::Device(id),
            physical::Place::Host(None) => Location::Host,
            physical::Place::Host(Some(node)) => Location::HostNode(node),
        };
        Self { location, page_size: mapped.page_size as u32 }
    }
}

/// aclrtPointerGetAttributes.
pub fn pointer_attributes(addr: usize) -> Result<PointerAttributes> {
    thread::refuse_inside_host_function()?;
    const UNKNOWN: PointerAttributes =
        PointerAttributes { location: Location::Unregistered, page_size: 0 };
    let Some(session) = runtime::existing_session() else { return Ok(UNKNOWN) };
    if let Some(mapped) = virtual_memory::at(addr) {
        return Ok(mapped.into());
    }
    let Some(allocation) = Allocation::known(addr) else {
        if mem_pool::are_used() && mem_pool::is_idle_memory(&session, addr) {
            return Err(stale("ptr", addr));
        }
        let location = match session.driver.foreign(addr) {
            Foreign::Known(Place::Device(id)) => match session.driver.foreign_block(addr) {
                Some(block) if block.is_managed => Location::Managed(id),
                _ => Location::Device(id),
            },
            Foreign::Known(Place::Pinned) => Location::Host,
            _ => Location::Unregistered,
        };
        return Ok(PointerAttributes { location, page_size: 0 });
    };
    let held = allocation.device();
    let location = match allocation.kind {
        Kind::Pinned => Location::Host,
        Kind::Registered { .. } => {
            // Whose pages they are is not looked at: registrations count in the smallest ones.
            let page_size = host_register::GRAIN as u32;
            return Ok(PointerAttributes { location: Location::Host, page_size });
        }
        // It is going with its device.
        Kind::Device(_) | Kind::Managed(_) | Kind::Pool(_) | Kind::Imported(_) | Kind::Graph(_)
            if held.is_none() =>
        {
            return Ok(UNKNOWN);
        }
        Kind::Device(id) | Kind::Pool(id) | Kind::Imported(id) | Kind::Graph(id) => {
            Location::Device(id)
        }
        Kind::Managed(id) => Location::Managed(id),
        Kind::HostPool(None) => Location::Host,
        Kind::HostPool(Some(node)) => Location::HostNode(node),
        // It was mapped meanwhile, or no more.
        Kind::Mapped(_) | Kind::HostMapped(_) => return Ok(UNKNOWN),
    };
    let block = match allocation.pool() {
        Some(_) => mem_pool::backing(&allocation),
        None => allocation.block(),
    };
    let page_size = session.driver.page_size(block) as u32;
    Ok(PointerAttributes { location, page_size })
}

/// aclrtGetMemUsageInfo: each kind of memory by name, with the bytes that it takes on device `id`.
pub fn usage(id: i32) -> Result<Vec<(&'static str, Usage)>> {
    thread::refuse_inside_host_function()?;
    let device = device::slot(&*runtime::session()?, "deviceId", id)?.device();
    let usage = device.map_or_else(MemoryUsage::default, |device| device.memory_usage());
    Ok(vec![("device", usage.device), ("managed", usage.managed)])
}

/// aclrtMemGetAddressRange: start and length of the allocation that `addr` lies in.
pub fn address_range(addr: usize) -> Result<(usize, usize)> {
    thread::refuse_inside_host_function()?;
    if let Some(allocation) = Allocation::known(addr) {
        return Ok((allocation.base, allocation.len));
    }
    if let Some(mapped) = virtual_memory::at(addr) {
        return Ok((mapped.base, mapped.len));
    }
    match foreign_block(addr) {
        Some(block) => Ok((block.base, block.len)),
        None => Err(Error::param_invalid(format_args!(
            "ptr {addr:#x} is in no live allocation of this library, nor of another one that uses the same \
             driver: never allocated, freed, or gone with its device"
        ))),
    }
}

/// What another library has allocated at `addr`.
fn foreign_block(addr: usize) -> Option<ForeignBlock> {
    runtime::existing_session()?.driver.foreign_block(addr)
}

/// aclrtCheckMemType: whether all addresses lie in memory of one of the types in `mem_type`.
pub fn all_are_of_type(addrs: impl IntoIterator<Item = usize>, mem_type: u32) -> Result<bool> {
    /// Ordinary device memory; memory for media processing and reserved memory exist nowhere here.
    const DEVICE: u32 = 0x2;
    const KNOWN: u32 = DEVICE | 0x8 | 0x10;
    if mem_type == 0 || mem_type & !KNOWN != 0 {
        return Err(Error::invalid_param(format_args!(
            "memType is {mem_type:#x}; allowed: one or more of the ACL_RT_MEM_TYPE_* bits, {KNOWN:#x} in all"
        )));
    }
    thread::refuse_inside_host_function()?;
    let on_device = |addr| {
        Allocation::find(addr).is_some_and(|found| matches!(found.place(), Place::Device(_)))
    };
    Ok(mem_type & DEVICE != 0 && addrs.into_iter().all(on_device))
}

/// Whether the host and all devices use this address.
#[cold]
pub fn is_managed(addr: usize) -> bool {
    match Allocation::find(addr) {
        Some(found) => matches!(found.kind, Kind::Managed(_)),
        None => foreign_block(addr).is_some_and(|block| block.is_managed),
    }
}

/// What a call that wants device memory says to the host's.
#[cold]
pub fn host_memory(argument: &str, addr: usize) -> Error {
    Error::param_invalid(format_args!(
        "{argument} {addr:#x} is host memory; it must be device memory from aclrtMalloc"
    ))
}

/// What the device is called for error texts, used by transfers.
pub fn place_in_words(place: Place) -> String {
    match place {
        backend::Place::Device(id) => format!("memory of device {id}"),
        backend::Place::Pinned => "pinned host memory".to_owned(),
        backend::Place::Pageable => "host memory".to_owned(),
    }
}
