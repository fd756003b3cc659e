//! The memory of a device or session in teardown.

use crate::core::base::owner::Owner;
use crate::core::base::teardown_errors::TeardownErrors;
use crate::core::memory::allocation::{Allocation, Kind};
use crate::core::runtime::device::Device;
use crate::core::runtime::lifecycle::HostMemory;

/// Frees the device's allocations.
pub fn release_device_memory(device: &Device, errors: &mut TeardownErrors) {
    device.release_set_aside(|freed| errors.step_on_device(freed));
    Allocation::drain(device.owner, |allocation| {
        allocation.forget_advice();
        errors.step_on_device(device.native.free(allocation.block()));
    });
}

/// Frees all pinned memory and ends all registrations, when the session ends.
pub fn release_host_memory(host: &HostMemory, errors: &mut TeardownErrors) {
    Allocation::drain(host.owner, |allocation| {
        errors.step_on_device(match allocation.kind {
            Kind::Registered { .. } => host.driver.unregister_host(allocation.base, allocation.len),
            _ => host.driver.free_host(allocation.block()),
        });
    });
}

/// As [`forget_memory`], for a device.
pub fn forget_device_memory(device: &Device) {
    device.forget_set_aside();
    forget_memory(device.owner);
}

/// The owner is abandoned with work that uses its memory: addresses become invalid, the memory stays.
pub fn forget_memory(owner: Owner) {
    Allocation::drain(owner, |allocation| allocation.forget_advice());
}
