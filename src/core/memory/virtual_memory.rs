//! Virtual memory: reserved address ranges, memory without an address, and mappings.
//!
//! A mapping that the host or a device has access to is an allocation like others. Transfers may run over adjacent
//! mappings of one device.

pub mod access;
mod inventory;
pub mod physical;
pub mod sharing;
mod teardown;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use self::access::MappingAccess;
pub use self::inventory::{Mapped, at, reported, reserved};
pub(crate) use self::inventory::{exports_any, unusable};
pub use self::physical::{Physical, Properties};
pub(crate) use self::teardown::{end_with_device, end_with_session, forget_with_device, forget_with_session};
use crate::algo::count::Count;
use crate::algo::map::slot_table;
use crate::backend::{Access, Driver, GRANULARITY, MemoryPlace};
use crate::base::error::{Code, Error, Result, arguments, error_with, invalid_param, param_invalid};
use crate::base::handles::{self, Object};
use crate::memory::allocation::{Allocation, Kind};
use crate::memory::pointer::span::beyond_all;
use crate::order::places;
use crate::runtime::{self, thread};

/// All ranges of the process. Not locked during a call of a backend.
static RANGES: Mutex<Ranges> = Mutex::new(Ranges::NONE);
/// True if a range exists or existed.
static USED: AtomicBool = AtomicBool::new(false);

/// Addresses that a program has reserved, and what is mapped there.
struct Ranges {
    /// The bytes of each range, by its first address.
    reserved: BTreeMap<usize, usize>,
    /// The mappings, by their first address; each is in one range.
    mappings: BTreeMap<usize, Mapping>,
    /// The driver of the session that has the ranges; `None` before the first range.
    driver: Option<Arc<dyn Driver>>,
}

/// Memory that is mapped at an address.
struct Mapping {
    memory: Arc<Physical>,
    access: MappingAccess,
    /// True while a call creates or removes the mapping.
    changing: bool,
}

impl Ranges {
    const NONE: Self = Self { reserved: BTreeMap::new(), mappings: BTreeMap::new(), driver: None };

    /// Returns first address and bytes of the range around an address.
    fn range(&self, addr: usize) -> Option<(usize, usize)> {
        let (base, len) = self.reserved.range(..=addr).next_back()?;
        (addr - base < *len).then_some((*base, *len))
    }

    /// Returns the mapping around an address.
    fn mapping(&self, addr: usize) -> Option<(usize, &Mapping)> {
        let (base, mapping) = self.mappings.range(..=addr).next_back()?;
        (addr - base < mapping.memory.len && !mapping.changing).then_some((*base, mapping))
    }

    fn mapping_mut(&mut self, addr: usize) -> Option<(usize, &mut Mapping)> {
        let (base, mapping) = self.mappings.range_mut(..=addr).next_back()?;
        (addr - base < mapping.memory.len && !mapping.changing).then_some((*base, mapping))
    }
}

/// Returns the mappings that some bytes lie in, without gaps from the first byte on.
fn reached(ranges: &Ranges, addr: usize, len: usize) -> impl Iterator<Item = (usize, &Mapping)> {
    let mut next = addr;
    std::iter::from_fn(move || {
        let (base, mapping) = ranges.mapping(next).filter(|_| next < addr + len)?;
        next = base + mapping.memory.len;
        Some((base, mapping))
    })
}

/// Checks a range of a program, which must consist of whole granules. Returns its length.
fn check_range(argument: &str, addr: usize, size: usize) -> Result<usize> {
    arguments::not_null(argument, addr, "pass an address from aclrtReserveMemAddress")?;
    arguments::not_zero("size", size, "pass at least one byte")?;
    let len = size.checked_next_multiple_of(GRANULARITY);
    len.filter(|len| addr.checked_add(*len).is_some()).ok_or_else(|| beyond_all(argument, addr, size))
}

/// Implements aclrtReserveMemAddress: returns the first address.
pub fn reserve(size: usize, alignment: usize, wish: usize, flags: u64) -> Result<usize> {
    thread::refuse_inside_host_function()?;
    arguments::not_zero("size", size, "reserve at least one byte")?;
    if alignment != 0 && !alignment.is_power_of_two() {
        return Err(invalid_param!("alignment is {alignment}; it must be 0 or a power of two"));
    }
    ensure!(flags <= 1, invalid_param!("flags is {flags:#x}; allowed: 0 and 1 (huge pages, no effect here)"));
    let align = alignment.max(GRANULARITY);
    if !wish.is_multiple_of(align) {
        return Err(invalid_param!("expectPtr {wish:#x} is not a multiple of {align}; pass null or a multiple"));
    }
    let session = runtime::session()?;
    let too_large = || {
        error_with!(
            Code::MemoryAllocation,
            "expectPtr {wish:#x} plus size {size} is beyond the end of the address space"
        )
    };
    let len = size.checked_next_multiple_of(GRANULARITY).ok_or_else(too_large)?;
    wish.checked_add(len).filter(|_| isize::try_from(len).is_ok()).ok_or_else(too_large)?;
    let reserved = session.driver.virtual_memory().reserve(len, align, wish);
    let addr = reserved.map_err(|fault| match Error::from(fault) {
        // Addresses are exhausted, and not memory.
        error if error.code() == Code::BadAlloc => {
            error_with!(Code::MemoryAllocation, "size is {size} ({len} bytes of addresses): {}", error.text())
        }
        error => error,
    })?;
    USED.store(true, Ordering::Relaxed);
    let mut ranges = RANGES.lock();
    ranges.driver = Some(Arc::clone(&session.driver));
    ranges.reserved.insert(addr, len);
    Ok(addr)
}

/// Implements aclrtReleaseMemAddress.
pub fn release(addr: usize) -> Result<()> {
    check_range("virPtr", addr, 1)?;
    let session = thread::session_outside_host_functions()?;
    let len = {
        let mut ranges = RANGES.lock();
        let (base, len) = ranges.range(addr).ok_or_else(|| not_reserved("virPtr", addr))?;
        ensure!(base == addr, arguments::not_its_start("virPtr", addr, "range", base, len));
        let mut left = ranges.mappings.range(base..base + len);
        if let Some((at, _)) = left.next() {
            return Err(param_invalid!(
                "the range at virPtr {addr:#x} still has {}, the lowest at {at:#x}; call aclrtUnmapMem for each \
                 mapping first",
                Count(left.count() + 1, "mapping")
            ));
        }
        ranges.reserved.remove(&addr);
        len
    };
    let released = session.driver.virtual_memory().release(addr, len);
    if released.is_err() {
        RANGES.lock().reserved.insert(addr, len);
    }
    Ok(released?)
}

#[cold]
fn not_reserved(argument: &str, addr: usize) -> Error {
    param_invalid!(
        "{argument} {addr:#x} is not in a range from aclrtReserveMemAddress: it was never reserved, or was released; \
         pass a reserved address"
    )
}

#[cold]
fn not_mapped(argument: &str, addr: usize) -> Error {
    param_invalid!(
        "{argument} {addr:#x}: no memory is mapped there (it never was, or was unmapped); pass a mapped address"
    )
}

/// Implements aclrtMapMem, with access for the memory's device (`open`), and aclrtMemMapNoAccess.
pub fn map(addr: usize, size: usize, offset: usize, raw: u64, flags: u64, open: bool) -> Result<()> {
    let len = check_range("virPtr", addr, size)?;
    arguments::no_flags("flags", flags)?;
    ensure!(offset == 0, invalid_param!("offset is {offset}; it must be 0: physical memory is mapped as a whole"));
    if !addr.is_multiple_of(GRANULARITY) {
        return Err(invalid_param!(
            "virPtr {addr:#x} is not a multiple of {GRANULARITY} (aclrtMemGetAllocationGranularity)"
        ));
    }
    let session = thread::session_outside_host_functions()?;
    let memory = handles::get_arc::<Physical>("handle", raw)?;
    memory.check_size(size)?;
    let _device = memory.hold()?;
    put(addr, len, &memory)?;
    let native = session.driver.virtual_memory();
    let who: Vec<Option<u32>> = match memory.place {
        _ if !open => Vec::new(),
        MemoryPlace::Device(id) => vec![Some(id)],
        MemoryPlace::Host(_) => (0..session.devices.len() as u32).map(Some).chain([None]).collect(),
    };
    let wanted: Vec<_> = who.into_iter().map(|who| (who, Access::ReadWrite)).collect();
    let mapped = native.map(addr, len, memory.native()).and_then(|()| {
        let mut allowed =
            wanted.iter().map(|(who, access)| native.set_access(addr, len, memory.native(), *who, *access));
        allowed.try_for_each(|set| set).inspect_err(|_| {
            // The first failure is returned.
            let _ = native.unmap(addr, len, memory.native());
        })
    });
    if mapped.is_ok() {
        memory.memory.physical.is_mapped(addr, len);
    }
    finish(addr, mapped.is_ok());
    mapped?;
    access::allow(addr, &memory, &wanted).inspect_err(|_| {
        let _ = unmap(addr);
    })
}

/// Reserves a place in a range for a mapping that is being created.
fn put(addr: usize, len: usize, memory: &Arc<Physical>) -> Result<()> {
    let mut ranges = RANGES.lock();
    let (base, all) = ranges.range(addr).ok_or_else(|| not_reserved("virPtr", addr))?;
    let left = all - (addr - base);
    if len > left {
        return Err(invalid_param!(
            "virPtr {addr:#x} plus {len} bytes runs past the end of the range at {base:#x} of {all} bytes; allowed: at \
             most {left} bytes"
        ));
    }
    let before = ranges.mappings.range(..addr + len).next_back();
    if let Some((at, mapping)) = before
        && at + mapping.memory.len > addr
    {
        return Err(param_invalid!(
            "virPtr {addr:#x}: {} bytes are mapped at {at:#x} already; call aclrtUnmapMem({at:#x}) first",
            mapping.memory.len
        ));
    }
    let mapping = Mapping { memory: Arc::clone(memory), access: MappingAccess::none(), changing: true };
    ranges.mappings.insert(addr, mapping);
    Ok(())
}

/// Ends the change of a mapping.
fn finish(addr: usize, stays: bool) {
    let mut ranges = RANGES.lock();
    let gone = match ranges.mappings.get_mut(&addr) {
        Some(mapping) if stays => {
            mapping.changing = false;
            None
        }
        _ => ranges.mappings.remove(&addr),
    };
    drop(ranges);
    // This may be the last reference to the memory.
    drop(gone);
}

/// Implements aclrtUnmapMem.
pub fn unmap(addr: usize) -> Result<()> {
    check_range("virPtr", addr, 1)?;
    let session = thread::session_outside_host_functions()?;
    let (memory, _device) = {
        let mut ranges = RANGES.lock();
        let (base, mapping) = ranges.mapping_mut(addr).ok_or_else(|| not_mapped("virPtr", addr))?;
        ensure!(base == addr, arguments::not_its_start("virPtr", addr, "mapping", base, mapping.memory.len));
        let memory = Arc::clone(&mapping.memory);
        let device = memory.hold()?;
        mapping.changing = true;
        (memory, device)
    };
    let address = forget_address(addr);
    let unmapped = session.driver.virtual_memory().unmap(addr, memory.len, memory.native());
    if unmapped.is_ok() {
        places::end(addr, memory.len);
    }
    finish(addr, unmapped.is_err());
    if unmapped.is_err()
        && let Some(address) = address
    {
        // If the address map has no memory for it, the mapping stays inaccessible, and can still be unmapped.
        let _ = address.register();
    }
    drop(memory);
    slot_table::flush_deferred();
    Ok(unmapped?)
}

/// Removes the address from the allocations.
fn forget_address(addr: usize) -> Option<Allocation> {
    Allocation::take(addr, |found| matches!(found.kind, Kind::Mapped(_) | Kind::HostMapped(_)))
}

/// Implements aclrtMemRetainAllocationHandle: returns the memory that is mapped around an address.
pub fn retain(addr: usize) -> Result<u64> {
    check_range("virPtr", addr, 1)?;
    let _session = thread::session_outside_host_functions()?;
    let mut ranges = RANGES.lock();
    let (_, mapping) = ranges.mapping(addr).ok_or_else(|| not_mapped("virPtr", addr))?;
    let memory = Arc::clone(&mapping.memory);
    let references = memory.references.load(Ordering::Relaxed);
    if references > 0 && Physical::table().get(memory.handle).is_some() {
        memory.references.store(references + 1, Ordering::Relaxed);
        return Ok(memory.handle.raw());
    }
    // The handle of the memory was freed. All its mappings get the new one.
    let renewed = memory.renewed()?;
    let mappings = ranges.mappings.values_mut().filter(|mapping| Arc::ptr_eq(&mapping.memory, &memory));
    mappings.for_each(|mapping| mapping.memory = Arc::clone(&renewed));
    Ok(renewed.handle.raw())
}

/// Returns the mappings that together fill a range of addresses.
fn mapped_in(addr: usize, len: usize) -> Result<Vec<(usize, Arc<Physical>)>> {
    let ranges = RANGES.lock();
    let parts: Vec<_> = reached(&ranges, addr, len).map(|(base, part)| (base, Arc::clone(&part.memory))).collect();
    let fits = parts.first().is_some_and(|(base, _)| *base == addr)
        && parts.last().is_some_and(|(base, memory)| base + memory.len == addr + len);
    if !fits {
        return Err(param_invalid!(
            "virPtr {addr:#x} plus {len} bytes is not exactly one mapping or several adjacent ones: a part is not mapped, \
             or only a part of a mapping is covered; pass addresses and sizes as they were mapped"
        ));
    }
    Ok(parts)
}

/// Whether the bytes lie in adjacent mappings of memory of this kind that have access.
#[cold]
pub(crate) fn are_side_by_side(addr: usize, len: usize, kind: Kind) -> bool {
    let ranges = RANGES.lock();
    let usable =
        reached(&ranges, addr, len).take_while(|(_, part)| part.memory.kind() == kind && !part.access.is_none());
    usable.last().is_some_and(|(base, part)| base + part.memory.len >= addr + len)
}
