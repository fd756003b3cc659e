//! Queries the utilization of a GPU. The CUDA driver does not return it, but NVML does, which comes with the driver.
//!
//! The types come from `nvml-wrapper-sys`. The table of functions is here, as `base/api.rs` has one for cudarc: it has
//! few functions, and the crate's loader looks up four hundred.

use std::ffi::{CStr, CString, c_char, c_uint};
use std::mem::ManuallyDrop;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use nvml_wrapper_sys::bindings::{
    nvmlDevice_t, nvmlReturn_enum_NVML_ERROR_INVALID_ARGUMENT as INVALID_ARGUMENT,
    nvmlReturn_enum_NVML_ERROR_NO_PERMISSION as NO_PERMISSION, nvmlReturn_enum_NVML_ERROR_NOT_FOUND as NOT_FOUND,
    nvmlReturn_enum_NVML_ERROR_NOT_SUPPORTED as NOT_SUPPORTED, nvmlReturn_t, nvmlUtilization_t,
};
use parking_lot::Mutex;

use crate::backend::base::loader::{names_of, reason};
use crate::backend::{Fault, FaultKind, PciAddress, Result};

const LIBRARY: &str = "libnvidia-ml.so.1";

/// NVML, which the first query loads and starts.
#[derive(Default)]
pub(crate) struct Monitor(Mutex<Option<Nvml>>);

impl Monitor {
    /// Returns the percentage of NVML's last sample period (a sixth of a second to a second) in which the device ran
    /// kernels of any process.
    ///
    /// The device is found by its identity, never by its number. NVML numbers all of the machine's devices in its own
    /// order; the driver numbers those that are visible, or parts of one.
    pub(crate) fn percentage(&self, uuid: Option<[u8; 16]>, pci: Option<PciAddress>) -> Result<u32> {
        let mut slot = self.0.lock();
        let nvml = match &mut *slot {
            Some(nvml) => nvml,
            none => none.insert(Nvml::start()?),
        };
        nvml.busy(nvml.device(uuid, pci)?)
    }

    /// Ends NVML, if it was started.
    pub(crate) fn close(&self) {
        *self.0.lock() = None;
    }
}

type NvmlFn = unsafe extern "C" fn() -> nvmlReturn_t;
type DeviceOf = unsafe extern "C" fn(*const c_char, *mut nvmlDevice_t) -> nvmlReturn_t;

/// # Safety
/// `F` is the type of NVML's function with this name.
unsafe fn find<F: Copy>(library: &Library, symbol: &str) -> Result<F> {
    // SAFETY: NVML's function of this name has the type `F`, which is what the caller answers for. The copy outlives
    // the borrow, because the library is never closed.
    let found = unsafe { library.get::<F>(symbol.as_bytes()) };
    found.map(|found| *found).map_err(|_| cannot_be_used(&format!("has no {symbol}")))
}

/// NVML after its start. It ends when this is dropped.
pub(super) struct Nvml {
    shutdown: NvmlFn,
    device_by_uuid: DeviceOf,
    device_by_pci_bus_id: DeviceOf,
    utilization_rates: unsafe extern "C" fn(nvmlDevice_t, *mut nvmlUtilization_t) -> nvmlReturn_t,
    describe: Option<unsafe extern "C" fn(nvmlReturn_t) -> *const c_char>,
    /// The library, which is never closed, like the driver.
    library: ManuallyDrop<Library>,
}

impl Nvml {
    fn start() -> Result<Self> {
        // SAFETY: loading NVML runs its initialisers, which is what it is for.
        let open = |name: String| unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) };
        let mut names = names_of(LIBRARY).into_iter();
        let first = open(names.next().expect("a library has a name"));
        let library = names
            .fold(first, |opened, name| opened.or_else(|_| open(name)))
            .map_err(|error| cannot_be_used(&format!("cannot be loaded ({})", reason(&error))))?;
        // SAFETY: a library of this name is NVML, and these are the types of its functions.
        let (init, nvml): (NvmlFn, _) = unsafe {
            let init = find(&library, "nvmlInit_v2")?;
            let nvml = Self {
                shutdown: find(&library, "nvmlShutdown")?,
                device_by_uuid: find(&library, "nvmlDeviceGetHandleByUUID")?,
                device_by_pci_bus_id: find(&library, "nvmlDeviceGetHandleByPciBusId_v2")?,
                utilization_rates: find(&library, "nvmlDeviceGetUtilizationRates")?,
                describe: find(&library, "nvmlErrorString").ok(),
                library: ManuallyDrop::new(library),
            };
            (init, nvml)
        };
        // SAFETY: the first call, as NVML wants it.
        let status = unsafe { init() };
        if status != 0 {
            let said = nvml.in_words("nvmlInit_v2", status);
            // NVML has not started, so it must not end.
            std::mem::forget(nvml);
            return Err(cannot_be_used(&format!("does not start: {said}")));
        }
        Ok(nvml)
    }

    /// Starts NVML, returns the number of devices, and ends it. `None`: NVML does not know it, or a device has parts
    /// (MIG), which the driver counts in its own way.
    pub(super) fn count() -> Option<u32> {
        type DeviceAt = unsafe extern "C" fn(c_uint, *mut nvmlDevice_t) -> nvmlReturn_t;
        type Parts = unsafe extern "C" fn(nvmlDevice_t, *mut c_uint, *mut c_uint) -> nvmlReturn_t;
        let nvml = Self::start().ok()?;
        let library = &nvml.library;
        // SAFETY: these are the types of NVML's functions.
        let (count_of, at, parts_of) = unsafe {
            let count_of: unsafe extern "C" fn(*mut c_uint) -> nvmlReturn_t =
                find(library, "nvmlDeviceGetCount_v2").ok()?;
            (
                count_of,
                find::<DeviceAt>(library, "nvmlDeviceGetHandleByIndex_v2").ok()?,
                find::<Parts>(library, "nvmlDeviceGetMigMode"),
            )
        };
        let mut count = 0;
        // SAFETY: a place for the answer.
        if unsafe { count_of(&mut count) } != 0 {
            return None;
        }
        for index in 0..count {
            let (mut device, mut parts, mut later): (nvmlDevice_t, c_uint, c_uint) = (std::ptr::null_mut(), 0, 0);
            // SAFETY: an index below the count, and a place for the answer.
            if unsafe { at(index, &mut device) } != 0 {
                return None;
            }
            // SAFETY: a device of NVML, and places for the answers. Drivers without parts lack the function.
            let has_parts = parts_of
                .as_ref()
                .is_ok_and(|parts_of| unsafe { parts_of(device, &mut parts, &mut later) } == 0 && parts != 0);
            if has_parts {
                return None;
            }
        }
        Some(count).filter(|count| *count != 0)
    }

    /// Returns the device with this UUID or, if NVML does not know that, at this PCI address.
    fn device(&self, uuid: Option<[u8; 16]>, pci: Option<PciAddress>) -> Result<nvmlDevice_t> {
        let (by_number, by_place) = (self.device_by_uuid, self.device_by_pci_bus_id);
        let with_kinds = |uuid| ["GPU", "MIG"].map(|kind| format!("{kind}-{}", in_groups(uuid)));
        let numbers = uuid.into_iter().flat_map(with_kinds).map(|name| ("nvmlDeviceGetHandleByUUID", by_number, name));
        let place = pci.map(|pci| ("nvmlDeviceGetHandleByPciBusId_v2", by_place, pci.to_string()));
        let mut device: nvmlDevice_t = std::ptr::null_mut();
        let mut names = Vec::new();
        for (call, find, name) in numbers.chain(place) {
            let c_name = CString::new(name.as_str()).expect("no zero in it");
            // SAFETY: a text that ends with a zero, and a place for the answer.
            match unsafe { find(c_name.as_ptr(), &mut device) } {
                0 => return Ok(device),
                NOT_FOUND | INVALID_ARGUMENT => names.push(name),
                status => return Err(self.refused(call, status)),
            }
        }
        Err(cannot_be_used(&format!("does not know the device as {}", names.join(" or "))))
    }

    fn busy(&self, device: nvmlDevice_t) -> Result<u32> {
        let mut rates = nvmlUtilization_t { gpu: 0, memory: 0 };
        // SAFETY: a device of NVML, and a place for the answer.
        match unsafe { (self.utilization_rates)(device, &mut rates) } {
            0 => Ok(rates.gpu.min(100)),
            status => Err(self.refused("nvmlDeviceGetUtilizationRates", status)),
        }
    }

    fn refused(&self, call: &str, status: nvmlReturn_t) -> Fault {
        let said = self.in_words(call, status);
        match status {
            // NVML does not return it for a part of a device (MIG), or not to this user.
            NOT_SUPPORTED | NO_PERMISSION => cannot_be_used(&format!("does not report: {said}")),
            _ => Fault::new(FaultKind::Driver, said),
        }
    }

    fn in_words(&self, call: &str, status: nvmlReturn_t) -> String {
        // SAFETY: NVML's function, which takes any number.
        let text = self.describe.map_or(std::ptr::null(), |describe| unsafe { describe(status) });
        if text.is_null() {
            return format!("{call} returned {status}");
        }
        // SAFETY: a constant of NVML, which is never unloaded.
        let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
        format!("{call} returned {status}: {text}")
    }
}

impl Drop for Nvml {
    fn drop(&mut self) {
        // SAFETY: started, once. No call can return a failure, and nothing depends on it.
        unsafe { (self.shutdown)() };
    }
}

fn cannot_be_used(why: &str) -> Fault {
    Fault::unsupported(format!(
        "only NVML reports the utilization of a GPU, but {LIBRARY} {why}. If the library is missing or does not start, \
         install the driver's version of it, or in a container add `utility` to NVIDIA_DRIVER_CAPABILITIES; NVML \
         reports nothing for a part of a device (MIG)"
    ))
}

/// Formats a UUID as NVML does: 8, 4, 4, 4 and 12 digits.
fn in_groups(uuid: [u8; 16]) -> String {
    let hex = format!("{:032x}", u128::from_be_bytes(uuid));
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
#[path = "utilization_tests.rs"]
mod tests;
