//! Queries of addresses.

pub(super) mod hold;
pub(super) mod span;

use self::span::stale;
use super::virtual_memory;
use crate::backend::{self, Foreign, ForeignBlock, MemoryPlace, MemoryUsage, Place, Usage};
use crate::base::error::{Error, Result, invalid_param, param_invalid};
use crate::memory::access::Location;
use crate::memory::allocation::backing::backing;
use crate::memory::allocation::{Allocation, Kind};
use crate::runtime::{self, device, thread};

/// The page size of registered memory: registrations begin at multiples of the smallest page.
pub(super) const REGISTERED_PAGE: usize = 4096;

/// The result of aclrtPointerGetAttributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerAttributes {
    /// The location of the address.
    pub location: Location,
    /// The page size in bytes, as the system confirms it; 0 for memory that this library does not own.
    pub page_size: u32,
}

/// Implements aclrtPointerGetAttributes.
pub fn pointer_attributes(addr: usize) -> Result<PointerAttributes> {
    thread::refuse_inside_host_function()?;
    const UNKNOWN: PointerAttributes = PointerAttributes { location: Location::UNREGISTERED, page_size: 0 };
    let Some(session) = runtime::existing_session() else { return Ok(UNKNOWN) };
    if let Some(mapped) = virtual_memory::at(addr) {
        return Ok(PointerAttributes { location: mapped.place.into(), page_size: mapped.page_size as u32 });
    }
    let Some(allocation) = Allocation::known(addr) else {
        ensure!(!(backing().is_idle)(&*session.driver, addr), stale("ptr", addr));
        let location = match session.driver.foreign(addr) {
            Foreign::Known(Place::Device(id)) => match session.driver.foreign_block(addr) {
                Some(block) if block.is_managed => Location::managed(id),
                _ => MemoryPlace::Device(id).into(),
            },
            Foreign::Known(Place::Pinned) => MemoryPlace::Host(None).into(),
            Foreign::Known(Place::Pageable) | Foreign::Unknown | Foreign::Stale => Location::UNREGISTERED,
        };
        return Ok(PointerAttributes { location, page_size: 0 });
    };
    let held = allocation.device();
    let location = match allocation.kind {
        Kind::Pinned => MemoryPlace::Host(None).into(),
        Kind::Registered { .. } => {
            // The real pages are not queried: registrations have the granularity of the smallest pages.
            let page_size = REGISTERED_PAGE as u32;
            return Ok(PointerAttributes { location: MemoryPlace::Host(None).into(), page_size });
        }
        // The memory was mapped or unmapped meanwhile.
        Kind::Mapped(_) | Kind::HostMapped(_) => return Ok(UNKNOWN),
        Kind::HostPool(node) => MemoryPlace::Host(node).into(),
        // The device of the memory is in teardown.
        _ if held.is_none() => return Ok(UNKNOWN),
        Kind::Device(id) | Kind::Pool(id) | Kind::Imported(id) | Kind::Graph(id) => MemoryPlace::Device(id).into(),
        Kind::Managed(id) | Kind::ManagedPool(id) => Location::managed(id),
    };
    let page_size = session.driver.page_size((backing().block)(&allocation)) as u32;
    Ok(PointerAttributes { location, page_size })
}

/// Implements aclrtGetMemUsageInfo: returns each kind of memory by name, with its bytes on device `id`.
pub fn usage(id: i32) -> Result<Vec<(&'static str, Usage)>> {
    let device = device::slot(&*thread::session_outside_host_functions()?, "deviceId", id)?.device();
    let usage = device.map_or_else(MemoryUsage::default, |device| device.memory_usage());
    Ok(vec![("device", usage.device), ("managed", usage.managed)])
}

/// Implements aclrtMemGetAddressRange: returns start and length of the allocation that `addr` lies in.
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
        None => Err(param_invalid!(
            "ptr {addr:#x} is not in a live allocation of this library, or of another library that uses the same \
             driver: it was never allocated, was freed, or was released with its device or session"
        )),
    }
}

/// Returns the block of another library that contains `addr`.
fn foreign_block(addr: usize) -> Option<ForeignBlock> {
    runtime::existing_session()?.driver.foreign_block(addr)
}

/// Implements aclrtCheckMemType: returns whether all addresses lie in memory of one of the types in `mem_type`.
pub fn all_are_of_type(addrs: impl IntoIterator<Item = usize>, mem_type: u32) -> Result<bool> {
    /// Device memory. Memory for media processing and reserved memory do not exist here.
    const DEVICE: u32 = 0x2;
    if mem_type == 0 || mem_type & !(DEVICE | 0x8 | 0x10) != 0 {
        return Err(invalid_param!(
            "memType is {mem_type:#x}; allowed: an OR of ACL_RT_MEM_TYPE_DEV 0x2, ACL_RT_MEM_TYPE_DVPP 0x8 and \
             ACL_RT_MEM_TYPE_RSVD 0x10"
        ));
    }
    thread::refuse_inside_host_function()?;
    let on_device = |addr| Allocation::find(addr).is_some_and(|found| matches!(found.place(), Place::Device(_)));
    Ok(mem_type & DEVICE != 0 && addrs.into_iter().all(on_device))
}

/// Whether the address is managed memory.
#[cold]
pub fn is_managed(addr: usize) -> bool {
    match Allocation::find(addr) {
        Some(found) => found.kind.is_managed(),
        None => foreign_block(addr).is_some_and(|block| block.is_managed),
    }
}

/// Returns the error of a call that needs device memory and got host memory.
#[cold]
pub fn host_memory(argument: &str, addr: usize) -> Error {
    param_invalid!("{argument} {addr:#x} is host memory; pass device memory, for example from aclrtMalloc")
}

/// Returns the name of a place for error texts of transfers.
pub fn place_in_words(place: Place) -> String {
    match place {
        backend::Place::Device(id) => format!("memory on device {id}"),
        backend::Place::Pinned => "pinned host memory".to_owned(),
        backend::Place::Pageable => "host memory".to_owned(),
    }
}
