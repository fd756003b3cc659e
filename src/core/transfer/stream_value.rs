//! Values of 64 bits in memory that streams write, and wait for.

use std::sync::Arc;

use crate::backend::{Comparison, Op, Span, ValueWait, ValueWrite};
use crate::base::error::{Result, arguments, invalid_param};
use crate::memory::Held;
use crate::runtime::device::Device;
use crate::stream;
use crate::transfer::ends::{self, End, Own, Takes};

const SIZE: usize = size_of::<u64>();

fn check_address(addr: usize) -> Result<()> {
    arguments::not_null("devAddr", addr, "it must be the address of 8 bytes of device or page-locked memory")?;
    arguments::aligned("devAddr", addr, SIZE, format_args!("{SIZE} bytes"))
}

/// Returns the word at an address, and a reference to its device if that is another device.
fn word(addr: usize, device: &Device, writes: bool) -> Result<(Span, Held)> {
    const TAKES: Takes = Takes::Locked(
        ", so streams cannot access it; use device memory, memory from aclrtMallocHost, or host memory that is \
         registered with ACL_HOST_REG_PINNED",
    );
    ends::find_end(End { argument: "devAddr", addr, len: SIZE }, writes, Own::Device(device), TAKES)
}

/// Returns the comparison with this number in the API, for a value for which it can become true.
fn comparison(value: u64, flag: u32) -> Result<Comparison> {
    let all = [Comparison::GreaterOrEqual, Comparison::Equal, Comparison::And, Comparison::Nor];
    let comparison = *all.get(flag as usize).ok_or_else(|| {
        invalid_param!(
            "flag is {flag:#x}; allowed: ACL_STREAM_WAIT_VALUE_GEQ 0, ACL_STREAM_WAIT_VALUE_EQ 1, \
             ACL_STREAM_WAIT_VALUE_AND 2 and ACL_STREAM_WAIT_VALUE_NOR 3"
        )
    })?;
    if comparison.satisfying(value).is_none() {
        return Err(invalid_param!(
            "value is {value:#x}; with flag {flag} the wait never ends, whatever the memory contains; pass another \
             value"
        ));
    }
    Ok(comparison)
}

/// Implements aclrtValueWrite.
pub fn write(addr: usize, value: u64, flag: u32, stream: u64) -> Result<()> {
    check_address(addr)?;
    arguments::no_flags("flag", flag)?;
    let stream = stream::resolve(stream)?;
    let (dst, _held) = word(addr, &stream.device, true)?;
    stream.submit(Op::WriteValue(ValueWrite { dst, value })).map(drop)
}

/// Implements aclrtValueWait.
pub fn wait(addr: usize, value: u64, flag: u32, stream: u64) -> Result<()> {
    check_address(addr)?;
    let comparison = comparison(value, flag)?;
    let stream = stream::resolve(stream)?;
    let (src, _held) = word(addr, &stream.device, false)?;
    stream.submit(Op::WaitValue(ValueWait { src, value, comparison })).map(drop)
}

/// Creates a write on streams of `device`.
pub(crate) fn write_on(addr: usize, value: u64, device: &Arc<Device>) -> Result<ValueWrite> {
    check_address(addr)?;
    let (dst, _held) = word(addr, device, true)?;
    Ok(ValueWrite { dst, value })
}

/// Creates a wait of streams of `device`.
pub(crate) fn wait_on(addr: usize, value: u64, flag: u32, device: &Arc<Device>) -> Result<ValueWait> {
    check_address(addr)?;
    let comparison = comparison(value, flag)?;
    let (src, _held) = word(addr, device, false)?;
    Ok(ValueWait { src, value, comparison })
}
