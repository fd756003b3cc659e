//! Passes advice about managed memory to the driver, and enqueues prefetches.

use std::ffi::c_int;

use cudarc::driver::sys::{CUdeviceptr, CUmem_advise, CUmemLocation, CUmemLocationType};

use crate::backend::{Advice, Fault, Home, MemoryPlace, Position, Result, Span};
use crate::base::api::{Api, Outcome};
use crate::base::error::INVALID_DEVICE;
use crate::runtime::{DeviceState, DriverState};
use crate::stream::state::StreamState;

fn location(driver: &DriverState, home: Home) -> CUmemLocation {
    driver.location(match home {
        Home::Device(ordinal) => MemoryPlace::Device(ordinal),
        Home::Host => MemoryPlace::Host(None),
        Home::HostNode(node) => MemoryPlace::Host(Some(node)),
        Home::NearestHostNode => {
            return CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, id: 0 };
        }
    })
}

/// Passes advice to the driver, which may refuse what the machine does not support.
pub(crate) fn advise(device: &DeviceState, range: Span, advice: Advice) -> Result<()> {
    use CUmem_advise as Driver;
    let (number, home) = match advice {
        Advice::ReadMostly(true) => (Driver::CU_MEM_ADVISE_SET_READ_MOSTLY, None),
        Advice::ReadMostly(false) => (Driver::CU_MEM_ADVISE_UNSET_READ_MOSTLY, None),
        Advice::PreferredHome(None) => (Driver::CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, None),
        Advice::PreferredHome(home) => (Driver::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, home),
        Advice::AccessedBy(home, true) => (Driver::CU_MEM_ADVISE_SET_ACCESSED_BY, Some(home)),
        Advice::AccessedBy(home, false) => (Driver::CU_MEM_ADVISE_UNSET_ACCESSED_BY, Some(home)),
    };
    // The driver ignores the place if the advice has none, but requires one.
    let location = location(&device.driver, home.unwrap_or(Home::Host));
    let addr = range.addr as CUdeviceptr;
    // SAFETY: the core has found `range` within a live managed allocation, which the advice does
    // not change.
    on_capable_device(device, |api| unsafe { api.mem_advise(addr, range.len, number as c_int, location) })
}

/// Runs a call. Devices that cannot use managed memory while the host does refuse it.
fn on_capable_device(device: &DeviceState, calls: impl FnOnce(&Api) -> Outcome) -> Result<()> {
    let mut incapable = false;
    let called =
        device.call(|api| calls(api).inspect_err(|failure| incapable = failure.status() == Some(INVALID_DEVICE)));
    called.map_err(|fault| match incapable {
        true => Fault::unsupported(format!(
            "a device of this call has no concurrent access to managed memory, so its driver accepts no advice or \
             prefetches ({}); omit the call, or copy the data",
            fault.text()
        )),
        false => fault,
    })
}

/// Enqueues a prefetch.
pub(crate) fn prefetch(stream: &StreamState, range: Span, to: Home) -> Result<Position> {
    let device = &stream.device;
    stream.note_use_of([range.place]);
    let addr = range.addr as CUdeviceptr;
    stream.submit(|| {
        // SAFETY: the stream orders the prefetch before a later free of the range.
        on_capable_device(device, |api| unsafe {
            api.mem_prefetch_async(addr, range.len, location(&device.driver, to), 0, stream.raw.0)
        })
    })
}
