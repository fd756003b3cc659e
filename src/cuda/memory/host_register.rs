//! Registers the caller's host memory with the driver.

use std::ffi::c_void;

use cudarc::driver::sys::{CU_MEMHOSTREGISTER_DEVICEMAP, CU_MEMHOSTREGISTER_PORTABLE};

use super::pending;
use super::pinned;
use crate::backend::{Fault, FaultKind, Result};
use crate::base::owned::Origin;
use crate::runtime::DriverState;

/// Registers memory for all devices, and returns their address of it.
pub(crate) fn register(driver: &DriverState, addr: usize, len: usize) -> Result<usize> {
    pending::reap(driver);
    let once = || {
        pinned::in_any_context(driver, |context| {
            let host: *mut c_void = std::ptr::with_exposed_provenance_mut(addr);
            let device = context.call_for(FaultKind::OutOfHostMemory, |api| {
                let flags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
                // SAFETY: a range of the caller's, which the driver checks.
                unsafe {
                    api.mem_host_register(host, len, flags)?;
                    api.mem_host_get_device_pointer(host, 0).inspect_err(|_| {
                        // No caller has the memory yet. The first failure is the one to return.
                        let _ = api.mem_host_unregister(host);
                    })
                }
            })?;
            Ok(device as usize)
        })
    };
    let (context, device) = match once() {
        Err(fault) if fault.kind() == FaultKind::AlreadyRegistered && pending::count(driver) > 0 => {
            // The memory may have been unregistered while work used it, and that work may be complete now.
            pending::reap_all(driver);
            once()
        }
        first => first,
    }
    .map_err(|fault| explain(addr, len, fault))?;
    pinned::remember(driver, addr, Origin::Registered, context);
    driver.owned.insert(addr, len, Origin::Registered);
    Ok(device)
}

fn explain(addr: usize, len: usize, fault: Fault) -> Fault {
    let hint = match fault.kind() == FaultKind::AlreadyRegistered {
        true => {
            "; another library has allocated or registered a part of the memory as pinned, or enqueued work still uses \
             a part that was unregistered; in the second case, synchronize and try again"
        }
        false => "",
    };
    fault.with_text(|said| format!("{len} bytes of host memory at {addr:#x} cannot be registered: {said}{hint}"))
}
