//! Operations of the host, which no stream orders. They are checked and traced, if that is on.

use std::sync::Arc;

use crate::algo::map::slot_table::Ref;
use crate::backend::stream::decorators;
use crate::backend::{Copy, Op, trace};
use crate::base::error::Result;
use crate::order::checker;
use crate::runtime::context::Context;
use crate::runtime::device::Device;
use crate::runtime::thread;

/// The calling thread of such an operation. Its current context is looked up when it is first needed, and stays pinned.
pub struct CallingThread(Option<Ref<'static, Context>>);

impl CallingThread {
    /// The calling thread, with a context that is looked up later.
    pub const NEW: Self = Self(None);

    /// Returns the device of its context.
    #[inline]
    pub fn device(&mut self) -> Result<&Arc<Device>> {
        match &mut self.0 {
            Some(context) => Ok(&context.device),
            unknown => Ok(&unknown.insert(thread::current()?).device),
        }
    }

    /// Returns a reference to the device, and drops the pin, which delays the reclamation of destroyed objects.
    #[inline]
    pub(crate) fn into_device(mut self) -> Result<Arc<Device>> {
        self.device().cloned()
    }
}

/// Copies memory. The copy is complete when this returns.
#[inline(always)]
pub(super) fn copy(device: &Device, copy: Copy) -> Result<()> {
    if decorators::any() {
        return run(device, Op::Copy(copy));
    }
    Ok(device.native.copy(copy)?)
}

/// Runs an operation that [`backend::Device`] has without a stream. It is complete when this
/// returns.
#[cold]
pub(super) fn run(device: &Device, op: Op<'_>) -> Result<()> {
    let mut run = |op: Op<'_>| Ok(trace::synchronous(&*device.native, op)?);
    match checker::installed() {
        Some(checker) => checker.host_does(op, &mut run),
        None => run(op),
    }
}
