//! Counts devices without a start of the driver: a process that has started it cannot use it in forked children. NVML,
//! which comes with the driver, may start and end in a process that forks.

use std::mem::forget;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::algo::host::environment;
use crate::algo::thread::cancellation;
use crate::base::api::library::open_library;
use crate::runtime::utilization::Nvml;

/// The driver's variable that selects devices.
const VISIBLE: &str = "CUDA_VISIBLE_DEVICES";

/// The number of all devices; 0: not known yet. A forked child knows it from its parent.
static ALL: AtomicU32 = AtomicU32::new(0);

/// Returns the number of devices that the driver will have, if the driver can be loaded and NVML knows the number.
pub(crate) fn without_start() -> Option<u32> {
    if environment::has_raised_privileges() {
        return None;
    }
    let mut all = ALL.load(Ordering::Relaxed);
    if all == 0 {
        all = cancellation::without(|| {
            // The library stays: the start of the driver uses it.
            forget(open_library().ok()?);
            Nvml::count()
        })?;
        ALL.store(all, Ordering::Relaxed);
    }
    let value = environment::variable(VISIBLE).map(|value| value.to_string_lossy().into_owned());
    visible_of(all, value.as_deref())
}

/// Returns how many of `all` devices the variable's value selects. `None`: only the driver knows, because the value has
/// names of devices, repetitions or ids of no device.
fn visible_of(all: u32, value: Option<&str>) -> Option<u32> {
    let Some(value) = value else { return Some(all) };
    let mut ids = Vec::new();
    for entry in value.split(',') {
        let id: u32 = entry.parse().ok()?;
        if id >= all || ids.contains(&id) {
            return None;
        }
        ids.push(id);
    }
    Some(ids.len() as u32)
}

#[cfg(test)]
#[path = "count_tests.rs"]
mod tests;
