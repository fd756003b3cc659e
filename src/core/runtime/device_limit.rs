//! Calls for the limits of a device.

use std::sync::atomic::Ordering;

use crate::core::base::error::Result;
use crate::core::runtime::open_device::Limits;
use crate::core::runtime::thread;

/// aclrtDeviceSetLimit.
pub fn set(limit: i32, value: usize) -> Result<()> {
    let index = Limits::index(limit)?;
    thread::refuse_inside_host_function()?;
    thread::current()?.device.limits.0[index].store(value, Ordering::Relaxed);
    Ok(())
}

/// aclrtDeviceGetLimit.
pub fn get(limit: i32) -> Result<usize> {
    let index = Limits::index(limit)?;
    thread::refuse_inside_host_function()?;
    Ok(thread::current()?.device.limits.0[index].load(Ordering::Relaxed))
}
