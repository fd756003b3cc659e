//! Memory: what is allocated where, and what an address means.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::device::Device;
use super::ending::Ending;
use super::error::{Code, Error, Result};
use super::malloc_config::MallocConfig;
use super::page_policy::{self, padded};
use super::runtime::Session;
use super::{runtime, thread};
use crate::algo::address_map::{AddressMap, InsertError, Range};
use crate::backend::{self, Block, Foreign, Place, Span};

/// Every live allocation, by address.
static ALLOCATIONS: AddressMap = AddressMap::new();

/// Whose memory it is: one opening of a device, or, for pinned memory, one session. An id is not
/// enough, because what ends late must not take what its successor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owner(u32);

impl Owner {
    /// A new one, different from all others.
    #[expect(clippy::new_without_default, reason = "each one is different")]
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// An allocation as the address map keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// First byte.
    pub base: usize,
    /// Bytes that programs may use.
    pub len: usize,
    /// Where it lives: on a device, or pinned.
    pub place: Place,
    owner: Owner,
    block: Block,
}

impl Allocation {
    /// In the place of a device id.
    const PINNED: u32 = u32::MAX;

    fn to_range(self) -> Range {
        let place = match self.place {
            Place::Device(id) => id,
            Place::Pinned | Place::Pageable => Self::PINNED,
        };
        let owner = u64::from(self.owner.0) << 32 | u64::from(place);
        Range {
            base: self.base,
            len: self.len,
            words: [owner, self.block.len as u64, self.block.token],
        }
    }

    #[inline(always)]
    fn from_range(range: &Range) -> Self {
        let [owner, block_len, token] = range.words;
        let place = match owner as u32 {
            Self::PINNED => Place::Pinned,
            id => Place::Device(id),
        };
        let block = Block { addr: range.base, len: block_len as usize, token };
        let owner = Owner((owner >> 32) as u32);
        Self { base: range.base, len: range.len, place, owner, block }
    }

    /// The live allocation that contains `addr`.
    #[inline(always)]
    pub fn find(addr: usize) -> Option<Self> {
        ALLOCATIONS.find(addr).as_ref().map(Self::from_range)
    }

    /// The device that it is on. While this is held a reset does not take the memory away; none
    /// when one is doing so.
    fn device(&self) -> Option<Arc<Device>> {
        let Place::Device(id) = self.place else { return None };
        open_device(id).filter(|device| device.owner == self.owner)
    }

    /// How many there are.
    #[cfg(test)]
    pub fn count() -> usize {
        ALLOCATIONS.len()
    }

    fn register(self) -> Result<()> {
        ALLOCATIONS.insert(self.to_range()).map_err(|why| {
            let code = match why {
                InsertError::Full => Code::BadAlloc,
                _ => Code::InternalError,
            };
            Error::new(
                code,
                format_args!("the {} bytes allocated at {:#x}: {why}", self.len, self.base),
            )
        })
    }
}

/// aclrtMalloc: device memory of the current device. The address.
pub fn malloc(size: usize, policy: i32) -> Result<usize> {
    allocate(size, policy, true, &MallocConfig::default())
}

/// aclrtMallocAlign32: as [`malloc`], but nothing past the rounded size may be read.
pub fn malloc_align32(size: usize, policy: i32) -> Result<usize> {
    allocate(size, policy, false, &MallocConfig::default())
}

/// aclrtMallocWithCfg.
pub fn malloc_with_config(size: usize, policy: i32, config: &MallocConfig) -> Result<usize> {
    allocate(size, policy, true, config)
}

/// Device memory, with the readable tail if `tail` and the device say so.
fn allocate(size: usize, policy: i32, tail: bool, config: &MallocConfig) -> Result<usize> {
    thread::refuse_inside_host_function()?;
    if size == 0 {
        return Err(Error::invalid_param("size is 0; allocate at least one byte"));
    }
    let device = thread::current()?.device.clone();
    if *config != MallocConfig::default() {
        config.check_for_device(&device, &*runtime::session()?)?;
    }
    let info = device.native.info();
    let len = padded(size, tail && info.readable_tail)
        .filter(|len| *len as u64 <= info.total_memory)
        .ok_or_else(|| {
            Error::new(
                Code::MemoryAllocation,
                format_args!(
                    "size {size}, with its padding, is more than all memory of device {} ({} bytes)",
                    device.id, info.total_memory
                ),
            )
        })?;
    let block = device.native.alloc(len, page_policy::pages(policy, size))?;
    let place = Place::Device(device.id);
    let allocation = Allocation { base: block.addr, len, place, owner: device.owner, block };
    if let Err(error) = allocation.register() {
        // The first failure is the one to tell.
        let _ = device.native.free(block);
        return Err(error);
    }
    Ok(block.addr)
}

/// aclrtFree: the address is invalid at once; queued work that uses the memory still has it.
pub fn free(addr: usize) -> Result<()> {
    const ARGUMENT: &str = "devPtr";
    check_free(ARGUMENT, addr)?;
    // Held until the block is back, so that its device is not closed in between.
    let device = match Allocation::find(addr).map(|allocation| allocation.place) {
        Some(Place::Device(id)) => open_device(id),
        _ => None,
    };
    let taken = device.and_then(|device| {
        let allocation = take(addr, device.owner)?;
        Some(device.native.free(allocation.block))
    });
    match taken {
        Some(freed) => Ok(freed?),
        None => Err(not_freed(ARGUMENT, addr, |place| place == Place::Pinned, "aclrtFreeHost")),
    }
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
    let session = runtime::session()?;
    config.check_for_host(&session)?;
    let len = padded(size, false).filter(|len| isize::try_from(*len).is_ok()).ok_or_else(|| {
        Error::new(
            Code::MemoryAllocation,
            format_args!("size {size} is more than a process can address"),
        )
    })?;
    let block = session.driver.alloc_host(len)?;
    let place = Place::Pinned;
    let allocation = Allocation { base: block.addr, len, place, owner: session.owner, block };
    if let Err(error) = allocation.register() {
        let _ = session.driver.free_host(block);
        return Err(error);
    }
    Ok(block.addr)
}

/// aclrtFreeHost.
pub fn free_host(addr: usize) -> Result<()> {
    const ARGUMENT: &str = "hostPtr";
    check_free(ARGUMENT, addr)?;
    let taken = runtime::existing_session().and_then(|session| {
        let allocation = take(addr, session.owner)?;
        Some(session.driver.free_host(allocation.block))
    });
    match taken {
        Some(freed) => Ok(freed?),
        None => {
            let device = |place| matches!(place, Place::Device(_));
            Err(not_freed(ARGUMENT, addr, device, "aclrtFree"))
        }
    }
}

/// aclrtFreeHostWithDevSync: as [`free_host`], after everything queued so far on all open devices,
/// each of which may use the memory. A failure that the wait tells of leaves the memory allocated.
pub fn free_host_with_sync(addr: usize) -> Result<()> {
    check_free("hostPtr", addr)?;
    let pinned = |found: &Allocation| found.base == addr && found.place == Place::Pinned;
    if Allocation::find(addr).is_some_and(|found| pinned(&found)) {
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

fn check_free(argument: &str, addr: usize) -> Result<()> {
    thread::refuse_inside_host_function()?;
    if addr == 0 {
        return Err(Error::invalid_param(format_args!(
            "{argument} is null; this API has nothing to free there (unlike free and cudaFree)"
        )));
    }
    Ok(())
}

/// Takes the allocation that starts at `addr` out of the map, if it is this owner's.
fn take(addr: usize, owner: Owner) -> Option<Allocation> {
    let range =
        ALLOCATIONS.remove_if(addr, |range| Allocation::from_range(range).owner == owner)?;
    Some(Allocation::from_range(&range))
}

/// Why nothing could be freed at `addr`. `other`: places that `other_call` is for.
#[cold]
fn not_freed(
    argument: &str,
    addr: usize,
    other: impl Fn(Place) -> bool,
    other_call: &str,
) -> Error {
    match Allocation::find(addr) {
        Some(inside) if inside.base != addr => Error::param_invalid(format_args!(
            "{argument} {addr:#x} points {} bytes into the allocation at {:#x} of {} bytes; pass its start",
            addr - inside.base,
            inside.base,
            inside.len
        )),
        Some(found) if other(found.place) => Error::param_invalid(format_args!(
            "{argument} {addr:#x} is the other kind of memory; free it with {other_call}"
        )),
        _ => Error::param_invalid(format_args!(
            "{argument} {addr:#x} is not a live allocation of this library: never allocated here, freed \
             before, or gone with its device"
        )),
    }
}

/// The device if it is open; held for a moment only.
fn open_device(id: u32) -> Option<Arc<Device>> {
    runtime::existing_session()?.devices.get(id as usize)?.device()
}

/// Takes the device's allocations back, at its end.
pub fn release_device_memory(device: &Device, ending: &mut Ending) {
    for allocation in drain(device.owner) {
        ending.step_on_device(device.native.free(allocation.block));
    }
}

/// Takes all pinned memory back, at the end of the session.
pub fn release_host_memory(session: &Session, ending: &mut Ending) {
    for allocation in drain(session.owner) {
        ending.step_on_device(session.driver.free_host(allocation.block));
    }
}

/// The owner is left behind with work that uses its memory: addresses die, memory stays.
pub fn forget_memory(owner: Owner) {
    drain(owner);
}

fn drain(owner: Owner) -> Vec<Allocation> {
    let all = ALLOCATIONS.drain(|range| Allocation::from_range(range).owner == owner);
    all.iter().map(Allocation::from_range).collect()
}

/// What lives at `addr`, for a transfer of `len` (not 0) bytes that stays inside it.
///
/// Inlined by force, as what it calls: its result would go through memory, in pieces of other sizes
/// than it is read in, which the processor waits for.
#[inline(always)]
pub fn span(argument: impl fmt::Display, addr: usize, len: usize) -> Result<Span> {
    match Allocation::find(addr) {
        None => unknown_span(argument, addr, len),
        Some(allocation) if len > allocation.len - (addr - allocation.base) => {
            Err(outside(&argument, addr, len, &allocation))
        }
        Some(allocation) => Ok(Span { addr, len, place: allocation.place }),
    }
}

/// As [`span`], for memory that this library did not allocate.
#[inline]
fn unknown_span(argument: impl fmt::Display, addr: usize, len: usize) -> Result<Span> {
    if addr.checked_add(len).is_none() {
        return Err(Error::invalid_param(format_args!(
            "{argument} {addr:#x} plus {len} bytes is beyond the end of the address space"
        )));
    }
    Ok(Span { addr, len, place: foreign_place(addr).unwrap_or(Place::Pageable) })
}

/// Where memory lives that is not this library's, if the driver knows it.
fn foreign_place(addr: usize) -> Option<Place> {
    match runtime::glance()?.driver.foreign(addr) {
        Foreign::Known(place) => Some(place),
        Foreign::Unknown | Foreign::Stale => None,
    }
}

/// What the caller holds while it uses a span that is on another device than its own: without it
/// that device could be closed meanwhile.
#[inline]
pub fn hold_other(
    argument: impl fmt::Display,
    span: &Span,
    own: &Device,
) -> Result<Option<Arc<Device>>> {
    match span.place {
        Place::Device(id) if id != own.id => hold_device(&argument, span.addr),
        _ => Ok(None),
    }
}

#[cold]
fn hold_device(argument: &dyn fmt::Display, addr: usize) -> Result<Option<Arc<Device>>> {
    match Allocation::find(addr) {
        Some(allocation) => {
            if let Some(device) = allocation.device() {
                return Ok(Some(device));
            }
        }
        // What only the driver knows is not ours to hold.
        None if foreign_place(addr).is_some() => return Ok(None),
        None => {}
    }
    Err(Error::param_invalid(format_args!(
        "{argument} {addr:#x} is memory of a device that another thread has reset meanwhile"
    )))
}

#[cold]
fn outside(argument: &dyn fmt::Display, addr: usize, len: usize, allocation: &Allocation) -> Error {
    Error::param_invalid(format_args!(
        "{argument} {addr:#x} plus {len} bytes runs past the end of its allocation of {} bytes at {:#x}; {} \
         bytes are left there",
        allocation.len,
        allocation.base,
        allocation.len - (addr - allocation.base)
    ))
}

/// What aclrtPointerGetAttributes tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerAttributes {
    /// Where the address lives; [`Place::Pageable`]: nobody here knows it.
    pub place: Place,
    /// Page size in bytes, as the system confirms it; 0 for memory that is not ours.
    pub page_size: u32,
}

/// aclrtPointerGetAttributes.
pub fn pointer_attributes(addr: usize) -> Result<PointerAttributes> {
    thread::refuse_inside_host_function()?;
    let session = runtime::existing_session();
    let Some(session) = session else {
        return Ok(PointerAttributes { place: Place::Pageable, page_size: 0 });
    };
    let found = Allocation::find(addr).map(|allocation| (allocation, allocation.device()));
    Ok(match found {
        // It is going with its device.
        Some((Allocation { place: Place::Device(_), .. }, None)) => {
            PointerAttributes { place: Place::Pageable, page_size: 0 }
        }
        Some((allocation, _held)) => PointerAttributes {
            place: allocation.place,
            page_size: session.driver.page_size(allocation.block) as u32,
        },
        None => PointerAttributes {
            place: foreign_place(addr).unwrap_or(Place::Pageable),
            page_size: 0,
        },
    })
}

/// aclrtMemGetAddressRange: start and length of the allocation that `addr` lies in.
pub fn address_range(addr: usize) -> Result<(usize, usize)> {
    thread::refuse_inside_host_function()?;
    match Allocation::find(addr) {
        Some(allocation) => Ok((allocation.base, allocation.len)),
        None => Err(Error::param_invalid(format_args!(
            "ptr {addr:#x} is in no live allocation of this library: never allocated here, freed, or gone \
             with its device"
        ))),
    }
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
    let on_device =
        |addr| Allocation::find(addr).is_some_and(|found| matches!(found.place, Place::Device(_)));
    Ok(mem_type & DEVICE != 0 && addrs.into_iter().all(on_device))
}

/// aclrtMemFlush and aclrtMemInvalidate. The devices here keep their caches coherent by
/// themselves, so that checking the range is all there is to do.
pub fn make_coherent(addr: usize, size: usize) -> Result<()> {
    if addr == 0 {
        return Err(Error::invalid_param("devPtr is null; pass device memory"));
    }
    if size == 0 {
        return Err(Error::invalid_param("size is 0; pass at least one byte"));
    }
    thread::refuse_inside_host_function()?;
    match span("devPtr", addr, size)?.place {
        Place::Device(_) => Ok(()),
        Place::Pinned | Place::Pageable => Err(host_memory("devPtr", addr)),
    }
}

/// A span on this device, for operations that only a device does.
pub fn device_span(argument: &str, addr: usize, len: usize, device: &Device) -> Result<Span> {
    let span = span(argument, addr, len)?;
    match span.place {
        Place::Device(id) if id == device.id => Ok(span),
        Place::Device(id) => Err(of_another_device(argument, addr, id, device)),
        Place::Pinned | Place::Pageable => Err(host_memory(argument, addr)),
    }
}

#[cold]
fn host_memory(argument: &str, addr: usize) -> Error {
    Error::param_invalid(format_args!(
        "{argument} {addr:#x} is host memory; it must be device memory from aclrtMalloc"
    ))
}

/// What a stream of one device says to memory of another.
#[cold]
pub fn of_another_device(argument: &str, addr: usize, id: u32, device: &Device) -> Error {
    Error::param_invalid(format_args!(
        "{argument} {addr:#x} is memory of device {id}, the stream is on device {}; use a stream of device \
         {id}, or copy the memory over first",
        device.id
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
