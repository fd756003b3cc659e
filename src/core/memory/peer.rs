//! Peer access. Copies between devices need no such permission here; on GPUs they are faster with it, and kernels need
//! it.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::backend::Place;
use crate::base::error::{Result, arguments, invalid_param, param_invalid};
use crate::base::owner::Owner;
use crate::memory::{self, access};
use crate::runtime::device::{self, Device};
use crate::runtime::{self, Session, thread};

/// Pairs of an opening of a device, and the id of the device whose memory it may use. The pair has the opening and not
/// its id, because the access ends with the opening.
static ENABLED: Mutex<BTreeSet<(Owner, u32)>> = Mutex::new(BTreeSet::new());

/// Returns the session, if it has these two different devices.
fn check_pair(id: i32, peer: i32) -> Result<Arc<Session>> {
    let session = runtime::session()?;
    device::slot(&session, "deviceId", id)?;
    device::slot(&session, "peerDeviceId", peer)?;
    ensure!(id != peer, invalid_param!("deviceId and peerDeviceId are both {id}; they must be different devices"));
    Ok(session)
}

/// Implements aclrtDeviceCanAccessPeer.
pub fn can_access(id: i32, peer: i32) -> Result<bool> {
    thread::refuse_inside_host_function()?;
    Ok(check_pair(id, peer)?.driver.can_access_peer(id as u32, peer as u32)?)
}

/// Implements aclrtDevicePeerAccessStatus.
pub fn is_enabled(id: i32, peer: i32) -> Result<bool> {
    let device = device::slot(&*check_pair(id, peer)?, "deviceId", id)?.device();
    Ok(device.is_some_and(|device| ENABLED.lock().contains(&(device.owner, peer as u32))))
}

/// Implements aclrtDeviceEnablePeerAccess.
pub fn enable(peer: i32, flags: u32) -> Result<()> {
    arguments::no_flags("flags", flags)?;
    switch(peer, true)
}

/// Implements aclrtDeviceDisablePeerAccess.
pub fn disable(peer: i32) -> Result<()> {
    switch(peer, false)
}

fn switch(peer: i32, on: bool) -> Result<()> {
    thread::refuse_inside_host_function()?;
    // The device is held, so that it is not closed meanwhile.
    let device = thread::current()?.device.clone();
    let session = runtime::session()?;
    device::slot(&session, "peerDeviceId", peer)?;
    let peer = peer as u32;
    ensure!(peer != device.id, param_invalid!("peerDeviceId is {peer}, the current device; it must be another one"));
    switch_for(&session, &device, "peerDeviceId", peer, on)
}

/// Implements aclrtMemP2PMap: lets a device use the memory of another one at its address.
pub fn map(addr: usize, size: usize, to: i32, flags: u64) -> Result<()> {
    arguments::not_null("devPtr", addr, "pass device memory")?;
    arguments::not_zero("size", size, "pass at least one byte")?;
    arguments::no_flags("flags", flags)?;
    let session = thread::session_outside_host_functions()?;
    // The device is held, so that it is not closed meanwhile.
    let device = device::in_use(&session, "dstDevId", to)?;
    let Place::Device(home) = memory::span("devPtr", addr, size)?.place else {
        return Err(memory::host_memory("devPtr", addr));
    };
    if home == device.id {
        return Err(param_invalid!("dstDevId is {to}, the device of devPtr {addr:#x}; it must be another device"));
    }
    switch_for(&session, &device, "dstDevId", home, true)
}

fn switch_for(session: &Session, device: &Device, argument: &str, peer: u32, on: bool) -> Result<()> {
    let entry = (device.owner, peer);
    if ENABLED.lock().contains(&entry) == on {
        return Ok(());
    }
    if on {
        access::check_reaches(&*session.driver, argument, device.id, peer)?;
    }
    session.driver.set_peer_access(device.id, peer, on)?;
    let mut enabled = ENABLED.lock();
    if on {
        enabled.insert(entry)
    } else {
        enabled.remove(&entry)
    };
    Ok(())
}

/// Ends the access of a device that is closed, and the access of others to its memory.
pub fn forget(device: &Device) {
    ENABLED.lock().retain(|(owner, peer)| *owner != device.owner && *peer != device.id);
}
