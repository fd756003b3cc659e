//! Memory of other libraries: what the driver returns about an address.

use std::ffi::{c_int, c_uint};

use cudarc::driver::sys::{CUdeviceptr, CUmemorytype, CUpointer_attribute};

use crate::backend::base::probe;
use crate::backend::cuda::base::api::{Api, Outcome};
use crate::backend::cuda::base::owned::Origin;
use crate::backend::cuda::runtime::device_state::DeviceState;
use crate::backend::cuda::runtime::shared::DriverState;
use crate::backend::{Foreign, ForeignBlock, Place, Result};

/// What there is at an address that the core does not know.
pub fn at(driver: &DriverState, addr: usize) -> Foreign {
    match driver.owned.origin(addr) {
        // It is being freed, or not yet returned to the program.
        Some(Origin::Allocated) => return Foreign::Stale,
        // It is being unregistered, which changes nothing for its owner.
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

/// The place of an address, if the driver knows it.
fn place_of(driver: &DriverState, addr: usize) -> Option<Place> {
    use CUpointer_attribute::*;
    let (mut kind, mut ordinal): (c_uint, c_int) = (0, 0);
    ask(driver, |api| {
        // SAFETY: MEMORY_TYPE is an unsigned int and DEVICE_ORDINAL an int, as `kind` and `ordinal`
        // are.
        unsafe {
            attribute(api, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, addr, &mut kind)?;
            attribute(api, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, addr, &mut ordinal)
        }
    })?;
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

/// What another library has allocated there.
pub fn block_at(driver: &DriverState, addr: usize) -> Option<ForeignBlock> {
    use CUpointer_attribute::*;
    let Foreign::Known(_) = at(driver, addr) else { return None };
    let (mut base, mut len, mut managed): (CUdeviceptr, usize, c_uint) = (0, 0, 0);
    ask(driver, |api| {
        // SAFETY: RANGE_START_ADDR is an address, RANGE_SIZE a size and IS_MANAGED an int, the
        // types of the three places.
        unsafe {
            attribute(api, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, addr, &mut base)?;
            attribute(api, CU_POINTER_ATTRIBUTE_RANGE_SIZE, addr, &mut len)?;
            attribute(api, CU_POINTER_ATTRIBUTE_IS_MANAGED, addr, &mut managed)
        }
    })?;
    (len != 0).then_some(ForeignBlock { base: base as usize, len, is_managed: managed != 0 })
}

/// Whether the address is managed memory, of this or another library. The driver returns an error for an address that
/// it does not know.
pub fn is_managed(device: &DeviceState, addr: usize) -> Result<bool> {
    let mut managed: c_uint = 0;
    device.call(|api| {
        let asked = CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED;
        // SAFETY: the attribute has the type of the place.
        match unsafe { attribute(api, asked, addr, &mut managed) } {
            Err(failure) if failure.is_sticky() => Err(failure),
            _ => Ok(()),
        }
    })?;
    Ok(managed != 0)
}

/// `None` if the driver does not know the address. It returns an error then, as in a failed context.
fn ask(driver: &DriverState, questions: impl FnMut(&Api) -> Outcome) -> Option<()> {
    driver.in_some_context(questions)?.ok()
}

/// # Safety
/// `T` is the type that the driver's documentation gives the attribute.
unsafe fn attribute<T>(api: &Api, attribute: CUpointer_attribute, addr: usize, value: &mut T) -> Outcome {
    let value = std::ptr::from_mut(value).cast();
    // SAFETY: a place for the answer, as the caller promises.
    unsafe { api.pointer_get_attribute(value, attribute as c_int, addr as CUdeviceptr) }
}
