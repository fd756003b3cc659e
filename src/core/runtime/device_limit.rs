//! Stack and printf sizes of kernels. They are stored and returned; the backend chooses the real sizes.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::core::base::error::{Error, Result};
use crate::core::runtime::thread;

const LIMITS: usize = 5;

/// The limits of a device, until it ends; 0: never set.
#[derive(Default)]
pub struct Limits([AtomicUsize; LIMITS]);

fn index(limit: i32) -> Result<usize> {
    usize::try_from(limit).ok().filter(|index| *index < LIMITS).ok_or_else(|| {
        Error::invalid_param(format_args!(
            "limit is {limit}; allowed: the values of aclrtDeviceLimit, 0 to {}",
            LIMITS - 1
        ))
    })
}

/// aclrtDeviceSetLimit.
pub fn set(limit: i32, value: usize) -> Result<()> {
    let index = index(limit)?;
    thread::refuse_inside_host_function()?;
    thread::current()?.device.limits.0[index].store(value, Ordering::Relaxed);
    Ok(())
}

/// aclrtDeviceGetLimit.
pub fn get(limit: i32) -> Result<usize> {
    let index = index(limit)?;
    thread::refuse_inside_host_function()?;
    Ok(thread::current()?.device.limits.0[index].load(Ordering::Relaxed))
}
