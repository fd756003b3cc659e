//! Operations of the host, which no stream orders. They are checked and traced, if that is on.

use crate::backend::stream::decorators;
use crate::backend::{Copy, Op, trace};
use crate::base::error::Result;
use crate::order::checker;
use crate::runtime::device::Device;

/// Copies memory. The copy is complete when this returns.
#[inline(always)]
pub(super) fn copy(device: &Device, copy: Copy) -> Result<()> {
    if decorators::any() {
        return run(device, Op::Copy(copy));
    }
    Ok(device.native.copy(copy)?)
}

/// Runs an operation that [`backend::Device`](crate::backend::Device) has without a stream. It is complete when this
/// returns.
#[cold]
pub(super) fn run(device: &Device, op: Op<'_>) -> Result<()> {
    if let Some(checker) = checker::installed() {
        checker.host_does(&op);
    }
    Ok(trace::synchronous(&*device.native, op)?)
}
