//! Passes advice about managed memory to the driver, and enqueues prefetches.

use std::ffi::c_int;

use cudarc::driver::sys::{CUdevice_attribute, CUdeviceptr, CUmem_advise, CUmemLocation, CUmemLocationType};

use crate::algo::host::grow::Grow;
use crate::backend::{Advice, Fault, Home, MemoryPlace, Position, Result, Span};
use crate::base::api::{Api, Outcome};
use crate::base::error::INVALID_DEVICE;
use crate::runtime::info::every_device_has;
use crate::runtime::{DeviceState, DriverState};
use crate::stream::state::StreamState;

pub(crate) fn location(driver: &DriverState, home: Home) -> CUmemLocation {
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

/// Enqueues prefetches: in one call if the driver has one for several.
pub(crate) fn prefetch(stream: &StreamState, moves: &[(Span, Home)]) -> Result<Position> {
    stream.note_use_of(moves.iter().map(|(range, _)| range.place));
    let device = &stream.device;
    const CONCURRENT: CUdevice_attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS;
    // The call for several requires access of all devices, also of those that it does not concern. What captures allow
    // is not documented for it.
    if moves.len() > 1
        && device.driver.api.has_prefetch_batches()
        && !stream.is_shared()
        && every_device_has(&device.driver.api, CONCURRENT)?
        && let Some(all) = Moves::of(device, moves)
    {
        return stream.submit(|| all.issue(device, stream));
    }
    moves.iter().try_fold(0, |_, (range, to)| {
        let (addr, to) = (range.addr as CUdeviceptr, location(&device.driver, *to));
        stream.submit(|| {
            // SAFETY: the stream orders the prefetch before a later free of the range.
            on_capable_device(device, |api| unsafe { api.mem_prefetch_async(addr, range.len, to, 0, stream.raw.0) })
        })
    })
}

/// Prefetches as the driver takes them in one call. One location is for all ranges up to the first range of the next.
struct Moves {
    addrs: Vec<CUdeviceptr>,
    lens: Vec<usize>,
    locations: Vec<CUmemLocation>,
    firsts: Vec<usize>,
}

impl Moves {
    /// Returns `None` if no host memory is left for the lists.
    fn of(device: &DeviceState, moves: &[(Span, Home)]) -> Option<Self> {
        let (mut addrs, mut lens, mut locations, mut firsts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        addrs.make_room(moves.len()).and_then(|()| lens.make_room(moves.len())).ok()?;
        locations.make_room(moves.len()).and_then(|()| firsts.make_room(moves.len())).ok()?;
        for (index, (range, to)) in moves.iter().enumerate() {
            addrs.push(range.addr as CUdeviceptr);
            lens.push(range.len);
            if index == 0 || *to != moves[index - 1].1 {
                locations.push(location(&device.driver, *to));
                firsts.push(index);
            }
        }
        Some(Self { addrs, lens, locations, firsts })
    }

    fn issue(mut self, device: &DeviceState, stream: &StreamState) -> Result<()> {
        let (addrs, lens, count) = (self.addrs.as_mut_ptr(), self.lens.as_mut_ptr(), self.lens.len());
        let (locations, firsts) = (self.locations.as_mut_ptr(), self.firsts.as_mut_ptr());
        let places = self.firsts.len();
        // SAFETY: lists of these lengths, which the driver reads during the call. The stream orders the prefetches
        // before a later free of the ranges.
        on_capable_device(device, |api| unsafe {
            api.mem_prefetch_batch_async(addrs, lens, count, locations, firsts, places, 0, stream.raw.0)
        })
    }
}
