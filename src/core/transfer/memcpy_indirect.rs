//! Copies on a device whose addresses are in device memory. The addresses are read when the stream reaches the copy.

use crate::backend::{CopyIndirect, Indirect, Number, Op, Span};
use crate::base::error::{Result, arguments, invalid_param, unsupported};
use crate::memory::Held;
use crate::runtime::device::Device;
use crate::runtime::thread;
use crate::stream;
use crate::transfer::ends;
use crate::transfer::memcpy::{self, Kind};

/// Length in bytes of a word with an address or a length.
const WORD: usize = size_of::<u64>();

/// Length in bytes of the description of a copy in device memory.
pub const DESCRIPTION: usize = 64;

/// The offsets of the words of a description: source, destination, length. The other words are 0.
const SOURCE: usize = 0;
const DESTINATION: usize = WORD;
const LENGTH: usize = 2 * WORD;

/// Fails for another direction than the only one that such copies have.
fn check_kind(number: i32) -> Result<()> {
    match Kind::from_number(number)? {
        Kind::DeviceToDevice | Kind::InnerDevice => Ok(()),
        Kind::HostToHost
        | Kind::HostToDevice
        | Kind::DeviceToHost
        | Kind::Default
        | Kind::HostToBufferToDevice
        | Kind::InterDevice => Err(unsupported!(
            "kind is {number}; allowed: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE 6 and ACL_MEMCPY_DEVICE_TO_DEVICE 3, because \
             indirect copies stay on one device; use aclrtMemcpyAsync for other copies"
        )),
    }
}

fn check_not_null(argument: &str, addr: usize) -> Result<()> {
    arguments::not_null(argument, addr, "it must be device memory")
}

/// Returns the span of device memory with `len` bytes of words, which a stream reads.
fn words(argument: &str, addr: usize, len: usize, device: &Device) -> Result<(Span, Held)> {
    arguments::aligned(argument, addr, WORD, format_args!("{WORD} bytes"))?;
    ends::operand(argument, addr, len, device, false)
}

/// Implements aclrtMemcpyAsyncWithOffset. For each end the arguments are the address of its address, and an offset that
/// is added to that.
pub fn with_offset(
    (dst, dst_offset): (usize, usize),
    dest_max: usize,
    (src, src_offset): (usize, usize),
    count: usize,
    kind: i32,
    stream: u64,
) -> Result<()> {
    if count == 0 {
        return stream::resolve(stream).map(drop);
    }
    check_kind(kind)?;
    check_not_null("dst", dst)?;
    check_not_null("src", src)?;
    ensure!(count <= dest_max, invalid_param!("count {count} is more than destMax {dest_max}"));
    let stream = stream::resolve(stream)?;
    let (dst, _held_dst) = words("dst", dst, WORD, &stream.device)?;
    let (src, _held_src) = words("src", src, WORD, &stream.device)?;
    let copy = CopyIndirect {
        dst: Indirect { at: dst, offset: dst_offset },
        src: Indirect { at: src, offset: src_offset },
        len: Number::Known(count as u64),
    };
    stream.submit(Op::CopyIndirect(copy)).map(drop)
}

/// Implements aclrtGetMemcpyDescSize.
pub fn description_size(kind: i32) -> Result<usize> {
    check_kind(kind)?;
    Ok(DESCRIPTION)
}

/// Implements aclrtSetMemcpyDesc: complete when it returns.
pub fn describe(description: usize, kind: i32, src: usize, dst: usize, count: usize) -> Result<()> {
    check_kind(kind)?;
    check_not_null("desc", description)?;
    if count != 0 {
        check_not_null("srcAddr", src)?;
        check_not_null("dstAddr", dst)?;
    }
    let device = thread::current_outside_host_functions()?.device.clone();
    words("desc", description, DESCRIPTION, &device)?;
    if count != 0 {
        ends::operand("srcAddr", src, count, &device, false)?;
        ends::operand("dstAddr", dst, count, &device, true)?;
    }
    // The order is that of the offsets above.
    let values: [u64; DESCRIPTION / WORD] = [src as u64, dst as u64, count as u64, 0, 0, 0, 0, 0];
    memcpy::write_words(description, &values)
}

/// Implements aclrtMemcpyAsyncWithDesc.
pub fn described(description: usize, kind: i32, stream: u64) -> Result<()> {
    check_kind(kind)?;
    check_not_null("desc", description)?;
    let stream = stream::resolve(stream)?;
    let (Span { addr, place, .. }, _held) = words("desc", description, DESCRIPTION, &stream.device)?;
    let word = |offset| Span { addr: addr + offset, len: WORD, place };
    let end = |offset| Indirect { at: word(offset), offset: 0 };
    let copy = CopyIndirect { dst: end(DESTINATION), src: end(SOURCE), len: Number::At(word(LENGTH)) };
    stream.submit(Op::CopyIndirect(copy)).map(drop)
}
