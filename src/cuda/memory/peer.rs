//! Gives devices direct access to each other's memory. `cuCtxEnablePeerAccess` covers the memory of `cuMemAlloc`;
//! memory that the library maps itself, on large pages, gets the access of its peers one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cudarc::driver::sys::CUdeviceptr;
use parking_lot::{Mutex, MutexGuard};

use crate::algo::map::typed_slots::Key;
use crate::backend::{Access, Result};
use crate::runtime::{DeviceState, DriverState};

/// The pairs of ordinals of which the first device may use the second one's memory. The driver keeps that only while
/// both have contexts, so access is enabled when the second of them is opened.
static PEERS: Key<Mutex<BTreeSet<(u32, u32)>>> = Key::new();

/// The lengths of a device's mapped memory, by address. The lock is held while access to it changes, so that nothing is
/// unmapped meanwhile.
static MAPPED: Key<Mutex<BTreeMap<usize, usize>>> = Key::new();

fn wanted(driver: &DriverState) -> MutexGuard<'_, BTreeSet<(u32, u32)>> {
    PEERS.of(&driver.features).lock()
}

pub(crate) fn set(driver: &DriverState, from: u32, to: u32, on: bool) -> Result<()> {
    let mut wanted = wanted(driver);
    if wanted.contains(&(from, to)) == on {
        return Ok(());
    }
    change(driver, from, to, on).inspect_err(|_| {
        // Some of the memory may have changed already. The first failure is returned.
        let _ = change(driver, from, to, !on);
    })?;
    if on {
        wanted.insert((from, to))
    } else {
        wanted.remove(&(from, to))
    };
    Ok(())
}

/// Enables, for a device that was opened, what was requested before.
pub(crate) fn opened(driver: &DriverState, device: &Arc<DeviceState>) -> Result<()> {
    let ordinal = device.context.ordinal;
    let wanted = wanted(driver);
    let mut concerned = wanted.iter().filter(|pair| pair.0 == ordinal || pair.1 == ordinal);
    concerned.try_for_each(|&(from, to)| change(driver, from, to, true))
}

/// Disables the access of and to a device that is about to close.
pub(crate) fn closing(driver: &DriverState, device: &DeviceState) {
    let ordinal = device.context.ordinal;
    wanted(driver).retain(|&(from, to)| {
        let stays = from != ordinal && to != ordinal;
        if !stays {
            // A failed context has lost its access already.
            driver.note_refusal(change(driver, from, to, false));
        }
        stays
    });
}

/// Notes memory of a device that was just mapped for its own use, and gives its peers access to it.
pub(crate) fn mapped(device: &DeviceState, addr: usize, len: usize) -> Result<()> {
    // Access that changes now waits for this lock, and then finds the memory.
    let wanted = wanted(&device.driver);
    let mut blocks = MAPPED.of(&device.features).lock();
    let peers =
        wanted.iter().filter(|&&(from, to)| to == device.context.ordinal && device.driver.device(from).is_some());
    for &(from, _) in peers {
        set_access(device, from, (addr, len), Access::ReadWrite)?;
    }
    blocks.insert(addr, len);
    Ok(())
}

/// Forgets memory of a device that is about to be unmapped, and returns its length.
pub(crate) fn unmapped(device: &DeviceState, addr: usize) -> Option<usize> {
    MAPPED.of(&device.features).lock().remove(&addr)
}

fn set_access(device: &DeviceState, peer: u32, (addr, len): (usize, usize), access: Access) -> Result<()> {
    let access = device.driver.access(peer, access);
    // SAFETY: the caller holds the lock of the device's mapped memory, which these addresses are.
    device.call(|api| unsafe { api.mem_set_access(addr as CUdeviceptr, len, &access, 1) })
}

/// The value of `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`: another library in the process was first.
const ALREADY_ENABLED: i32 = 704;
/// The value of `CUDA_ERROR_PEER_ACCESS_NOT_ENABLED`: another library has disabled it.
const NOT_ENABLED: i32 = 705;

/// Enables or disables the access, if both devices are open.
fn change(driver: &DriverState, from: u32, to: u32, on: bool) -> Result<()> {
    let (Some(from), Some(to)) = (driver.device(from), driver.device(to)) else { return Ok(()) };
    // The other context must not be released in between.
    let Some(_open) = to.keep_open() else { return Ok(()) };
    let context = to.context.raw.0;
    let peer = from.context.ordinal;
    from.call(|api| {
        // SAFETY: `to` keeps its primary context retained while this thread changes the access to it.
        let (done_before, outcome) = unsafe {
            match on {
                true => (ALREADY_ENABLED, api.ctx_enable_peer_access(context, 0)),
                false => (NOT_ENABLED, api.ctx_disable_peer_access(context)),
            }
        };
        match outcome {
            Err(failure) if failure.status() == Some(done_before) => Ok(()),
            outcome => outcome,
        }
    })?;
    let access = if on { Access::ReadWrite } else { Access::None };
    let blocks = MAPPED.of(&to.features).lock();
    blocks.iter().try_for_each(|(&addr, &len)| set_access(&to, peer, (addr, len), access))
}
