//! Limits of a device: stack and printf sizes of kernels. They are stored and returned; the backend chooses the real
//! sizes.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::algo::map::typed_slots;
use crate::base::error::{Result, arguments};
use crate::runtime::device::Device;
use crate::runtime::thread;

const LIMITS: usize = 5;

/// The limits, by `aclrtDeviceLimit`; 0: never set.
#[derive(Default)]
struct Limits([AtomicUsize; LIMITS]);

typed_slots::state! {
    /// The limits of an open device.
    Limits::of(Device);
}

fn with<R>(limit: i32, access: impl FnOnce(&AtomicUsize) -> R) -> Result<R> {
    let index = arguments::enumerated("limit", limit, 0..=LIMITS as i32 - 1, "aclrtDeviceLimit")?;
    thread::refuse_inside_host_function()?;
    Ok(access(&Limits::of(&thread::current()?.device).0[index]))
}

/// Implements aclrtDeviceSetLimit.
pub fn set(limit: i32, value: usize) -> Result<()> {
    with(limit, |limit| limit.store(value, Ordering::Relaxed))
}

/// Implements aclrtDeviceGetLimit.
pub fn get(limit: i32) -> Result<usize> {
    with(limit, |limit| limit.load(Ordering::Relaxed))
}
