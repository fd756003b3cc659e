//! Attributes of a stream.

use std::sync::atomic::{AtomicU32, Ordering};

use super::{Stream, resolve};
use crate::algo::map::typed_slots;
use crate::base::error::{Result, arguments, invalid_param};
use crate::runtime::device::Device;

/// The attributes, as the API numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// The mode after a failure.
    FailureMode,
    /// Whether overflows are to be detected.
    OverflowSwitch,
    /// A number that the program chooses.
    UserTag,
    /// Whether information about operators is to be cached.
    CacheOpInfo,
    /// The priority of the stream.
    Priority,
}

impl Attribute {
    /// Converts the number of C.
    pub fn from_number(argument: &str, number: i32) -> Result<Self> {
        let all = [Self::FailureMode, Self::OverflowSwitch, Self::UserTag, Self::CacheOpInfo, Self::Priority];
        Ok(all[arguments::enumerated(argument, number, 1..=5, "aclrtStreamAttr")? - 1])
    }
}

/// Attributes that are stored and returned, and have no effect. Streams and devices keep the others.
#[derive(Default)]
struct Attributes([AtomicU32; 5]);

typed_slots::state! {
    /// The attributes of a stream.
    Attributes::of(Stream);
}

/// Implements aclrtSetStreamAttribute.
pub fn set(raw: u64, attribute: Attribute, value: u64) -> Result<()> {
    let stream = resolve(raw)?;
    // All attributes except the failure mode have 32 bits in C.
    let number = value as u32;
    match attribute {
        Attribute::FailureMode => return stream.failures.set_mode("value->failureMode", value),
        Attribute::OverflowSwitch => check_switch("value->overflowSwitch", number)?,
        Attribute::UserTag => {}
        Attribute::CacheOpInfo => check_switch("value->cacheOpInfoSwitch", number)?,
        Attribute::Priority => {
            check_priority("value->streamPriority", u64::from(number), &stream.device)?;
            return stream.set_priority(number);
        }
    }
    Attributes::of(&stream).0[attribute as usize].store(number, Ordering::Relaxed);
    Ok(())
}

/// Implements aclrtGetStreamAttribute.
pub fn get(raw: u64, attribute: Attribute) -> Result<u64> {
    let stream = resolve(raw)?;
    Ok(match attribute {
        Attribute::FailureMode => stream.failures.mode(),
        Attribute::Priority => stream.priority().into(),
        Attribute::OverflowSwitch | Attribute::UserTag | Attribute::CacheOpInfo => {
            Attributes::of(&stream).0[attribute as usize].load(Ordering::Relaxed).into()
        }
    })
}

/// Implements aclrtSetStreamFailureMode.
pub fn set_failure_mode(raw: u64, mode: u64) -> Result<()> {
    resolve(raw)?.failures.set_mode("mode", mode)
}

/// Implements aclrtSetStreamOverflowSwitch, which sets the attribute of that name.
pub fn set_overflow_switch(raw: u64, flag: u32) -> Result<()> {
    check_switch("flag", flag)?;
    set(raw, Attribute::OverflowSwitch, flag.into())
}

/// Implements aclrtGetStreamOverflowSwitch.
pub fn overflow_switch(raw: u64) -> Result<u32> {
    get(raw, Attribute::OverflowSwitch).map(|value| value as u32)
}

fn check_switch(argument: &str, value: u32) -> Result<()> {
    ensure!(value <= 1, invalid_param!("{argument} is {value}; allowed: 0 (off) and 1 (on)"));
    Ok(())
}

/// Fails unless the device has streams of this priority.
pub(super) fn check_priority(argument: &str, value: u64, device: &Device) -> Result<()> {
    let least = device.native.least_priority();
    if value <= u64::from(least) {
        return Ok(());
    }
    Err(invalid_param!(
        "{argument} is {value}; allowed on device {}: 0 (most urgent) to {least}, see \
         aclrtDeviceGetStreamPriorityRange",
        device.id
    ))
}
