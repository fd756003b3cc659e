//! Pinned host memory: what the driver allocates, and registrations of the caller's memory.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::sys::CU_MEMHOSTALLOC_PORTABLE;
use parking_lot::{Mutex, MutexGuard};

use super::blocks;
use super::pending::{self, Release};
use crate::algo::map::typed_slots::Key;
use crate::backend::{Block, Fault, FaultKind, Result};
use crate::base::owned::Origin;
use crate::runtime::context::{Context, no_healthy_device};
use crate::runtime::shared::DriverState;

/// Pinned memory by its address, with the context that it belongs to.
type PinnedMemory = HashMap<usize, (Origin, Arc<Context>)>;

static PINNED: Key<Mutex<PinnedMemory>> = Key::new();

fn pinned(driver: &DriverState) -> MutexGuard<'_, PinnedMemory> {
    PINNED.of(&driver.features).lock()
}

/// Adds new pinned memory, and keeps its context.
pub(crate) fn remember(driver: &DriverState, base: usize, origin: Origin, context: Arc<Context>) {
    pinned(driver).insert(base, (origin, context));
}

/// Frees as [`free`] does, when no work uses the memory any more.
fn free_now(driver: &DriverState, base: usize) -> Result<()> {
    driver.owned.remove_after(base, || {
        let removed = pinned(driver).remove(&base);
        // Work that never ends may use the memory.
        let Some((origin, context)) = removed.filter(|_| !driver.is_forsaken()) else { return Ok(()) };
        let pointer: *mut c_void = std::ptr::with_exposed_provenance_mut(base);
        let freed = context.call(|api| match origin {
            // SAFETY: a block of the driver that is freed once.
            Origin::Allocated => unsafe { api.mem_free_host(pointer) },
            // SAFETY: a registration that is removed once.
            Origin::Registered => unsafe { api.mem_host_unregister(pointer) },
        });
        freed.and(driver.release_context(&context))
    })
}

/// Frees the pinned memory at `base`, or removes its registration, after the work that uses it.
pub(crate) fn free(driver: &DriverState, base: usize) -> Result<()> {
    pending::release(driver, Release::new(None), move |driver, _| free_now(driver, base))
}

/// Allocates pinned host memory for every device. It belongs to the context of one of them, which is retained until the
/// block is freed, so that closing the device does not free it.
pub(crate) fn alloc_host(driver: &DriverState, len: usize) -> Result<Block> {
    pending::reap_sometimes(driver);
    let allocate = |len| {
        let (context, base) = in_any_context(driver, |context| context.alloc_host(len, CU_MEMHOSTALLOC_PORTABLE))?;
        remember(driver, base, Origin::Allocated, context);
        driver.owned.add(base, len);
        Ok(base)
    };
    let block = blocks::aligned(&driver.padding, len, allocate, |base| driver.note_refusal(free(driver, base)));
    block.map_err(|fault| {
        if let FaultKind::OutOfDeviceMemory | FaultKind::OutOfHostMemory = fault.kind() {
            Fault::out_of_host_memory(format!(
                "{len} bytes of pinned host memory cannot be allocated: {}",
                fault.text()
            ))
        } else {
            fault
        }
    })
}

/// Runs `calls` in the context of a device that has not failed. The caller gets that context, and releases it.
pub(crate) fn in_any_context<T>(
    driver: &DriverState,
    mut calls: impl FnMut(&Context) -> Result<T>,
) -> Result<(Arc<Context>, T)> {
    let mut refused = None;
    // If a device has failed, the loop tries the next one, each once.
    for _ in 0..driver.devices {
        let context = driver.contexts.acquire_any()?;
        match calls(&context) {
            Ok(made) => return Ok((context, made)),
            Err(fault) => {
                let failed = context.failure().is_some();
                driver.note_refusal(driver.release_context(&context));
                ensure!(failed, fault);
                refused = Some(fault);
            }
        }
    }
    Err(refused.unwrap_or_else(no_healthy_device))
}

/// Frees the memory that the program did not free. Nothing uses it any more.
pub(crate) fn free_all_pinned(driver: &DriverState) {
    let bases: Vec<usize> = pinned(driver).keys().copied().collect();
    for base in bases {
        // A failed context has freed its memory already.
        let _ = free_now(driver, base);
    }
}
