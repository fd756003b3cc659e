//! Direct access of devices to each other's memory.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::algo::map::typed_slots::Key;
use crate::backend::Result;
use crate::backend::cuda::base::api::Outcome;
use crate::backend::cuda::runtime::device_state::DeviceState;
use crate::backend::cuda::runtime::shared::DriverState;

/// Which device may use which other device's memory, by ordinals. The driver keeps that only while both have
/// contexts, so access is enabled when the second of them is opened.
static PEERS: Key<Mutex<BTreeSet<(u32, u32)>>> = Key::new();

fn wanted(driver: &DriverState) -> MutexGuard<'_, BTreeSet<(u32, u32)>> {
    PEERS.of(&driver.features).lock()
}

pub fn set(driver: &DriverState, from: u32, to: u32, on: bool) -> Result<()> {
    let mut wanted = wanted(driver);
    if wanted.contains(&(from, to)) == on {
        return Ok(());
    }
    if let (Some(first), Some(second)) = (driver.device(from), driver.device(to)) {
        if on { enable(&first, &second) } else { disable(&first, &second) }?;
    }
    if on {
        wanted.insert((from, to))
    } else {
        wanted.remove(&(from, to))
    };
    Ok(())
}

/// The device was opened: enables what was requested before.
pub fn opened(driver: &DriverState, device: &Arc<DeviceState>) -> Result<()> {
    let ordinal = device.context.ordinal;
    let wanted = wanted(driver);
    for &(from, to) in wanted.iter().filter(|pair| pair.0 == ordinal || pair.1 == ordinal) {
        if let (Some(first), Some(second)) = (driver.device(from), driver.device(to)) {
            enable(&first, &second)?;
        }
    }
    Ok(())
}

/// The device is about to close.
pub fn closing(driver: &DriverState, device: &DeviceState) {
    let ordinal = device.context.ordinal;
    wanted(driver).retain(|&(from, to)| {
        if from != ordinal && to != ordinal {
            return true;
        }
        if let (Some(first), Some(second)) = (driver.device(from), driver.device(to)) {
            // A failed context has lost its access already.
            driver.note_refusal(disable(&first, &second));
        }
        false
    });
}

/// `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`: another library in the process was first.
const ALREADY_ENABLED: i32 = 704;
/// `CUDA_ERROR_PEER_ACCESS_NOT_ENABLED`: another library has disabled it.
const NOT_ENABLED: i32 = 705;

fn enable(from: &DeviceState, to: &DeviceState) -> Result<()> {
    // The other context must not be released in between.
    let Some(_open) = to.keep_open() else { return Ok(()) };
    from.call(|api| {
        // SAFETY: `to` keeps its primary context retained while this thread enables access to it.
        but_for(ALREADY_ENABLED, unsafe { api.ctx_enable_peer_access(to.context.raw.0, 0) })
    })
}

fn disable(from: &DeviceState, to: &DeviceState) -> Result<()> {
    let Some(_open) = to.keep_open() else { return Ok(()) };
    from.call(|api| {
        // SAFETY: `to` is open, so its context is retained until access to it has ended.
        but_for(NOT_ENABLED, unsafe { api.ctx_disable_peer_access(to.context.raw.0) })
    })
}

/// The outcome, with one status of the driver as success.
fn but_for(status: i32, outcome: Outcome) -> Outcome {
    match outcome {
        Err(failure) if failure.status() == Some(status) => Ok(()),
        outcome => outcome,
    }
}
