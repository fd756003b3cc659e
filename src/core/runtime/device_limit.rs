//! Limits of a device: stack and printf sizes of kernels. They are stored and returned; the backend chooses the real
//! sizes.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::algo::map::typed_slots;
use crate::core::base::error::{Result, arguments};
use crate::core::runtime::device::Device;
use crate::core::runtime::thread;

const LIMITS: usize = 5;

/// By `aclrtDeviceLimit`; 0: never set.
#[derive(Default)]
struct Limits([AtomicUsize; LIMITS]);

typed_slots::state! {
    /// The limits of an open device.
    Limits::of(Device);
}

fn index(limit: i32) -> Result<usize> {
    arguments::enumerated("limit", limit, 0..=LIMITS as i32 - 1, "aclrtDeviceLimit")
}

/// aclrtDeviceSetLimit.
pub fn set(limit: i32, value: usize) -> Result<()> {
    let index = index(limit)?;
    thread::refuse_inside_host_function()?;
    Limits::of(&thread::current()?.device).0[index].store(value, Ordering::Relaxed);
    Ok(())
}

/// aclrtDeviceGetLimit.
pub fn get(limit: i32) -> Result<usize> {
    let index = index(limit)?;
    thread::refuse_inside_host_function()?;
    Ok(Limits::of(&thread::current()?.device).0[index].load(Ordering::Relaxed))
}
