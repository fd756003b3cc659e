//! Implements snapshots by the driver's checkpoints, which contain everything that a process has on its GPUs.

use std::ffi::{c_int, c_uint};
use std::sync::atomic::Ordering;
use std::time::Duration;

use cudarc::driver::sys::CUcheckpointLockArgs;

use crate::backend::{Fault, FaultKind, Result};
use crate::base::api::Api;
use crate::runtime::DriverState;

fn process() -> c_int {
    std::process::id() as c_int
}

/// Implements [`crate::backend::Driver::hold_process`].
pub(crate) fn hold(driver: &DriverState, patience: Duration) -> Result<()> {
    let count = driver.sharing.count();
    if count > 0 {
        return Err(Fault::unsupported(format!(
            "the CUDA driver cannot save a process that shares memory; before the process is locked, free all imported \
             and exported memory, even if its key is closed, and destroy all imported and exported pools (blocks and \
             pools: {count})"
        )));
    }
    // A timeout of 0 would mean none.
    let timeout_ms = c_uint::try_from(patience.as_millis()).unwrap_or(c_uint::MAX).max(1);
    let mut options = CUcheckpointLockArgs { timeoutMs: timeout_ms, reserved0: 0, reserved1: [0; 7] };
    // SAFETY: the structure is what the driver wants, and outlives the call.
    let locked = unsafe { driver.api.checkpoint_lock(process(), &mut options) };
    locked.map_err(|failure| {
        let fault = failure.fault(FaultKind::OutOfHostMemory);
        if failure.is_not_ready() { fault.with_kind(FaultKind::WaitTimedOut) } else { fault }
    })
}

/// Implements [`crate::backend::Driver::save_memory`]. The driver does not save managed memory. With such memory its
/// call may fail half-way, and the process is then undefined, so this function does not make it. `managed` counts all
/// bytes that are not freed, including those that programs no longer have.
pub(crate) fn save(driver: &DriverState, managed: u64) -> Result<()> {
    if managed > 0 {
        return Err(Fault::unsupported(format!(
            "the CUDA driver cannot save managed memory, and there are {managed} bytes; free all memory from \
             aclrtMemAllocManaged and from pools of managed memory before the process is locked"
        )));
    }
    // SAFETY: without options, of the process itself.
    unsafe { driver.api.checkpoint_save(process(), std::ptr::null_mut()) }
        .map_err(|failure| failure.fault(FaultKind::OutOfHostMemory))?;
    driver.saved.store(true, Ordering::SeqCst);
    Ok(())
}

/// Implements [`crate::backend::Driver::restore_memory`].
pub(crate) fn restore(driver: &DriverState) -> Result<()> {
    if driver.saved.load(Ordering::SeqCst) {
        // SAFETY: checkpoint_restore accepts null for its options; the process is the one that was
        // saved.
        unsafe { driver.api.checkpoint_restore(process(), std::ptr::null_mut()) }?;
        driver.saved.store(false, Ordering::SeqCst);
    }
    Ok(())
}

/// Implements [`crate::backend::Driver::release_process`].
pub(crate) fn release(api: &Api) -> Result<()> {
    // SAFETY: checkpoint_unlock gets this process's number, and null for the options, which the
    // driver allows.
    unsafe { api.checkpoint_unlock(process(), std::ptr::null_mut()) }
        .map_err(|failure| failure.fault(FaultKind::OutOfHostMemory))
}
