//! Queries the driver about memory from other libraries.

use std::ffi::{c_int, c_uint};

use cudarc::driver::sys::{CUdeviceptr, CUmemorytype, CUpointer_attribute};

use crate::backend::base::probe;
use crate::backend::{Foreign, ForeignBlock, Place, Result};
use crate::base::api::{Api, Outcome};
use crate::base::owned::Origin;
use crate::runtime::{DeviceState, DriverState};

/// Returns what there is at an address that the core does not know.
pub(crate) fn at(driver: &DriverState, addr: usize) -> Foreign {
    match driver.owned.origin(addr) {
        // The memory is being freed, or not yet returned to the program.
        Some(Origin::Allocated) => return Foreign::Stale,
        // The memory is being unregistered, which changes nothing for its owner.
        Some(Origin::Registered) => return Foreign::Unknown,
        None if driver.known_pools.contains(addr) => return Foreign::Stale,
        None => {}
    }
    match place_of(driver, addr) {
        Some(place) => Foreign::Known(place),
        // The driver keeps no freed addresses, and the host cannot read them.
        None if driver.owned.was_near(addr) && !probe::is_readable(addr) => Foreign::Stale,
        None => Foreign::Unknown,
    }
}

/// Returns the place of an address, if the driver knows it.
fn place_of(driver: &DriverState, addr: usize) -> Option<Place> {
    use CUpointer_attribute::*;
    let asked = driver.in_some_context(|api| {
        // SAFETY: MEMORY_TYPE is an unsigned int and DEVICE_ORDINAL an int.
        unsafe {
            let kind: c_uint = attribute(api, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, addr)?;
            let ordinal: c_int = attribute(api, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, addr)?;
            Ok((kind, ordinal))
        }
    });
    // The driver returns an error for an address that it does not know, as in a failed context.
    let (kind, ordinal) = asked?.ok()?;
    const HOST: c_uint = CUmemorytype::CU_MEMORYTYPE_HOST as c_uint;
    const DEVICE: c_uint = CUmemorytype::CU_MEMORYTYPE_DEVICE as c_uint;
    const UNIFIED: c_uint = CUmemorytype::CU_MEMORYTYPE_UNIFIED as c_uint;
    match kind {
        HOST => Some(Place::Pinned),
        DEVICE | UNIFIED => {
            // Only other libraries have memory on a device that this library does not use.
            let number = u32::try_from(ordinal).ok()?;
            driver.contexts.ordinal(number).map(Place::Device)
        }
        _ => None,
    }
}

/// Returns the block that another library has allocated at this address.
pub(crate) fn block_at(driver: &DriverState, addr: usize) -> Option<ForeignBlock> {
    use CUpointer_attribute::*;
    let Foreign::Known(_) = at(driver, addr) else { return None };
    let asked = driver.in_some_context(|api| {
        // SAFETY: RANGE_START_ADDR is an address, RANGE_SIZE a size and IS_MANAGED an int.
        unsafe {
            let base: CUdeviceptr = attribute(api, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, addr)?;
            let len = attribute(api, CU_POINTER_ATTRIBUTE_RANGE_SIZE, addr)?;
            let managed: c_uint = attribute(api, CU_POINTER_ATTRIBUTE_IS_MANAGED, addr)?;
            Ok(ForeignBlock { base: base as usize, len, is_managed: managed != 0 })
        }
    });
    asked?.ok().filter(|block| block.len != 0)
}

/// Whether the address is managed memory, of this or another library. The driver returns an error for an address that
/// it does not know.
pub(crate) fn is_managed(device: &DeviceState, addr: usize) -> Result<bool> {
    device.call(|api| {
        // SAFETY: the attribute is an int.
        match unsafe { attribute::<c_uint>(api, CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED, addr) } {
            Ok(managed) => Ok(managed != 0),
            Err(failure) if failure.is_sticky() => Err(failure),
            Err(_) => Ok(false),
        }
    })
}

/// Returns an attribute that the driver has for an address.
///
/// # Safety
/// `T` is the type that the driver's documentation gives the attribute.
pub(crate) unsafe fn attribute<T: Default>(api: &Api, attribute: CUpointer_attribute, addr: usize) -> Outcome<T> {
    let mut value = T::default();
    // SAFETY: a place for the answer, as the caller promises.
    unsafe { api.pointer_get_attribute((&raw mut value).cast(), attribute as c_int, addr as CUdeviceptr) }
        .map(|()| value)
}
