//! Copies of rows: rectangles in memory.

use crate::backend::{Copy2d, Op, Rows};
use crate::base::error::{Result, arguments, invalid_param};
use crate::stream::{self, interceptor};
use crate::transfer::ends::{self, End, FoundEnds, Own};
use crate::transfer::memcpy::{self, Direction, Kind};
use crate::transfer::synchronous::{self, CallingThread};

/// Maximum number of bytes of a row, and of rows of a rectangle, in a synchronous copy.
const MAX_SIDE: usize = 5_000_000;

/// The limits of a copy: its maximum number of rows, its kinds, and the text for these.
struct Allowed(usize, &'static [Kind], &'static str);

const SYNC: Allowed = Allowed(
    MAX_SIDE,
    &[Kind::HostToDevice, Kind::DeviceToHost],
    "ACL_MEMCPY_HOST_TO_DEVICE 1 and ACL_MEMCPY_DEVICE_TO_HOST 2; for device to device, use aclrtMemcpy2dAsync",
);
const ASYNC: Allowed = Allowed(
    5 << 20,
    &[Kind::HostToDevice, Kind::DeviceToHost, Kind::DeviceToDevice],
    "ACL_MEMCPY_HOST_TO_DEVICE 1, ACL_MEMCPY_DEVICE_TO_HOST 2 and ACL_MEMCPY_DEVICE_TO_DEVICE 3",
);

/// The arguments of a copy as they came from C.
#[derive(Clone, Copy, Debug)]
pub struct Copy2dArgs {
    /// The first byte of the destination.
    pub dst: usize,
    /// The distance between rows there, in bytes.
    pub dst_pitch: usize,
    /// The first byte of the source.
    pub src: usize,
    /// The distance between rows there, in bytes.
    pub src_pitch: usize,
    /// The number of bytes of each row.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
    /// An `aclrtMemcpyKind`.
    pub kind: i32,
}

impl Copy2dArgs {
    /// Checks the values of the arguments. `None`: nothing to do.
    fn check(&self, Allowed(max_rows, kinds, in_words): Allowed) -> Result<Option<Kind>> {
        let Self { dst, dst_pitch, src, src_pitch, width, height, kind: number } = *self;
        if width == 0 || height == 0 {
            return Ok(None);
        }
        let kind = Kind::from_number(number)?;
        ensure!(kinds.contains(&kind), invalid_param!("kind is {number}; allowed: {in_words}"));
        arguments::not_null_for("dst", dst, format_args!("width is {width} and height is {height}"))?;
        arguments::not_null_for("src", src, format_args!("width is {width} and height is {height}"))?;
        for (argument, value, most) in [("width", width, MAX_SIDE), ("height", height, max_rows)] {
            ensure!(value <= most, invalid_param!("{argument} {value} is more than {most}; copy in several parts"));
        }
        for (argument, pitch) in [("dpitch", dst_pitch), ("spitch", src_pitch)] {
            ensure!(width <= pitch, invalid_param!("width {width} is more than {argument} {pitch}"));
        }
        Ok(Some(kind))
    }

    /// Returns the end from the first byte of the first row to the last byte of the last row.
    fn end(&self, argument: &'static str, addr: usize, pitch: usize) -> Result<End<&'static str>> {
        let gaps = (self.height - 1).checked_mul(pitch);
        let len = gaps.and_then(|gaps| gaps.checked_add(self.width)).ok_or_else(|| {
            invalid_param!(
                "{argument} {addr:#x}: {} rows at intervals of {pitch} bytes exceed the address space; pass a smaller \
                 height or pitch",
                self.height
            )
        })?;
        Ok(End { argument, addr, len })
    }

    /// Finds the memory at the addresses.
    fn find(&self, kind: Kind, own: Own<'_>) -> Result<FoundEnds> {
        let dst = self.end("dst", self.dst, self.dst_pitch)?;
        let src = self.end("src", self.src, self.src_pitch)?;
        let remedy = "pass the kind that fits; if none does, copy each row with aclrtMemcpy";
        ends::find(dst, src, own, &mut Direction { kind, within_host: true, remedy })
    }

    /// Returns the operation between these ends.
    fn between(&self, ends: &FoundEnds) -> Op<'static> {
        let has_gaps = [self.dst_pitch, self.src_pitch].iter().any(|&pitch| pitch != self.width);
        if self.height > 1 && has_gaps {
            let rows = |span, pitch| Rows { span, pitch };
            let (dst, src) = (rows(ends.dst, self.dst_pitch), rows(ends.src, self.src_pitch));
            Op::Copy2d(Copy2d { dst, src, width: self.width, height: self.height })
        } else {
            Op::Copy(ends.copy(false))
        }
    }
}

/// Implements aclrtMemcpy2d: the work is complete when it returns, and no stream orders it.
pub fn copy(request: Copy2dArgs) -> Result<()> {
    interceptor::check_unordered()?;
    let Some(kind) = request.check(SYNC)? else { return Ok(()) };
    let mut thread = CallingThread::NEW;
    let ends = request.find(kind, Own::Thread(&mut thread))?;
    let device = thread.into_device()?;
    let op = request.between(&ends);
    if let Op::Copy(copy) = op { synchronous::copy(&device, copy) } else { synchronous::run(&device, op) }
}

/// Implements aclrtMemcpy2dAsync.
pub fn copy_async(request: Copy2dArgs, stream: u64) -> Result<()> {
    let kind = request.check(ASYNC)?;
    let stream = stream::resolve(stream)?;
    let Some(kind) = kind else { return Ok(()) };
    let ends = request.find(kind, Own::Device(&stream.device))?;
    memcpy::submit(stream, &ends, request.between(&ends))
}
