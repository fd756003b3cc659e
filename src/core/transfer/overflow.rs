//! Floating-point overflow. Arithmetic returns infinities and NaNs here, and overflows are not detected. So modes and
//! switches are only stored and returned, and every status is zero.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::algo::map::typed_slots;
use crate::backend::{Fill, Op};
use crate::base::error::{Result, arguments};
use crate::runtime::device::Device;
use crate::runtime::thread;
use crate::transfer::ends;
use crate::{memory, stream};

/// Length of the overflow area in bytes.
const AREA: usize = 512;

/// State that a device keeps until it ends.
#[derive(Default)]
pub struct OfDevice {
    saturates: AtomicBool,
    /// The address of the area, after its first use.
    area: Mutex<Option<usize>>,
}

typed_slots::state! {
    /// The state of a device.
    pub OfDevice::of(Device);
}

/// Implements aclrtSetDeviceSatMode.
pub fn set_mode(mode: i32) -> Result<()> {
    let allowed = "ACL_RT_OVERFLOW_MODE_SATURATION (0) and ACL_RT_OVERFLOW_MODE_INFNAN (1)";
    let saturates = arguments::numbered("mode", mode, &[true, false], allowed)?;
    OfDevice::of(&thread::current_outside_host_functions()?.device).saturates.store(saturates, Ordering::Relaxed);
    Ok(())
}

/// Implements aclrtGetDeviceSatMode: returns whether the mode is saturation.
pub fn saturates() -> Result<bool> {
    Ok(OfDevice::of(&thread::current_outside_host_functions()?.device).saturates.load(Ordering::Relaxed))
}

/// Implements aclrtCtxGetFloatOverflowAddr: returns the address of zeros in device memory, which is released with the
/// device.
///
/// All contexts of a device share one area, because nothing writes to it. It lies inside its allocation, so that no
/// program can free it by its address.
pub fn area() -> Result<usize> {
    let device = thread::current_outside_host_functions()?.device.clone();
    let mut area = OfDevice::of(&device).area.lock();
    if let Some(addr) = *area {
        return Ok(addr);
    }
    let addr = memory::zeros_of_device(&device, 2 * AREA)? + AREA;
    *area = Some(addr);
    Ok(addr)
}

/// Implements aclrtGetOverflowStatus and its variants: writes zeros, in stream order.
pub fn write_status(addr: usize, size: u64, stream: u64) -> Result<()> {
    const ARGUMENT: &str = "outputAddr";
    arguments::not_null(ARGUMENT, addr, "pass device memory for the overflow status")?;
    arguments::not_zero("outputSize", size, "pass at least one byte")?;
    let stream = stream::resolve(stream)?;
    let (dst, _held) = ends::operand(ARGUMENT, addr, size as usize, &stream.device, true)?;
    stream.submit(Op::Fill(Fill::bytes(dst, 0))).map(drop)
}

/// Implements aclrtResetOverflowStatus and its variants: there is no status to reset.
pub fn reset_status(stream: u64) -> Result<()> {
    stream::resolve(stream).map(drop)
}
