//! What happens to memory when its device or its session ends.

use crate::core::base::teardown_errors::TeardownErrors;
use crate::core::memory::allocation::{Allocation, Kind, Owner};
use crate::core::memory::managed_memory;
use crate::core::runtime::Session;
use crate::core::runtime::device::Device;

/// Takes the device's allocations back, at its end.
pub fn release_device_memory(device: &Device, errors: &mut TeardownErrors) {
    device.release_set_aside(|freed| errors.step_on_device(freed));
    for allocation in Allocation::drain(device.owner) {
        managed_memory::forget(&allocation);
        errors.step_on_device(device.native.free(allocation.block()));
    }
}

/// Takes all pinned memory and all registrations back, at the end of the session.
pub fn release_host_memory(session: &Session, errors: &mut TeardownErrors) {
    for allocation in Allocation::drain(session.owner) {
        errors.step_on_device(match allocation.kind {
            Kind::Registered { .. } => {
                session.driver.unregister_host(allocation.base, allocation.len)
            }
            _ => session.driver.free_host(allocation.block()),
        });
    }
}

/// As [`forget_memory`], for a device.
pub fn forget_device_memory(device: &Device) {
    device.forget_set_aside();
    forget_memory(device.owner);
}

/// The owner is left behind with work that uses its memory: addresses die, memory stays.
pub fn forget_memory(owner: Owner) {
    Allocation::drain(owner).iter().for_each(managed_memory::forget);
}
