//! Launches whose arguments are followed by data that the library copies to memory that devices can read.

use std::any::Any;
use std::sync::{Arc, Weak};

use super::{LaunchArgs, check_device, launch, submit};
use crate::backend::{Arguments, Block, Copy, Driver, Place, Span};
use crate::base::error::{Result, invalid_param};
use crate::base::{handles, host_memory, release_failure};
use crate::kernel::function::Function;
use crate::{runtime, stream};

/// A slot in a block of arguments for the device address of data in the same block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceHolder {
    /// The offset of the slot in bytes.
    pub addr: usize,
    /// The offset of the data.
    pub data: usize,
}

/// Length of a slot in bytes.
const SLOT: usize = size_of::<u64>();

impl PlaceHolder {
    /// Checks this placeholder, with index `index`, for a block of `len` bytes.
    fn check(self, index: usize, len: usize) -> Result<()> {
        let argument = format_args!("placeHolderArray[{index}]");
        if self.addr.checked_add(SLOT).is_none_or(|end| end > len) {
            return Err(invalid_param!(
                "{argument}.addrOffset is {}; the {SLOT} bytes there must be within argsSize {len}",
                self.addr
            ));
        }
        if self.data >= len {
            return Err(invalid_param!("{argument}.dataOffset is {}; it must be less than argsSize {len}", self.data));
        }
        Ok(())
    }
}

/// Data after the arguments of a kernel, in page-locked memory, which every device can read: a copy to the device would
/// wait for the stream. Enqueued operations keep the memory after this is dropped. A graph that may run again keeps
/// this.
struct Data {
    memory: Block,
    driver: Weak<dyn Driver>,
}

impl Drop for Data {
    fn drop(&mut self) {
        // A driver that has ended has freed the memory.
        let Some(driver) = self.driver.upgrade() else { return };
        let freed = driver.free_host(self.memory);
        release_failure::note_outcome("a kernel's argument memory was not freed", freed);
    }
}

/// Implements aclrtLaunchKernelWithHostArgs and its variants: launches a kernel as [`launch`] does. The arguments are
/// in one block and followed by data, which is copied to memory that devices can read. The arguments of `request` are
/// ignored.
pub fn launch_with_data(request: LaunchArgs, block: &[u8], place_holders: &[PlaceHolder], stream: u64) -> Result<()> {
    let own = |block: &[u8], len| {
        let addr = if len == 0 { 0 } else { block.as_ptr().expose_provenance() };
        LaunchArgs { arguments: Arguments::Block { addr, len }, ..request }
    };
    let Some(first) = place_holders.iter().map(|one| one.data).min() else {
        return launch(own(block, block.len()), stream);
    };
    let LaunchArgs { argument, function: raw, .. } = request;
    handles::check_not_null::<Function>(argument, raw)?;
    place_holders.iter().enumerate().try_for_each(|(index, one)| one.check(index, block.len()))?;
    request.shape.check_not_empty()?;
    let stream = stream::resolve(stream)?.to_arc();
    let function = handles::get_arc::<Function>(argument, raw)?;
    check_device(&request, &function, &stream)?;
    // The data begins where the arguments end, or later.
    let known = function.native.info().parameters.as_ref();
    let len = known.map_or(first, |known| known.size);
    if len > first {
        return Err(invalid_param!(
            "the smallest dataOffset is {first}; it must be at least {len}, the size of the arguments of kernel {}",
            function.shown
        ));
    }
    // The block is copied twice: here, and by the backend for the enqueued operation.
    let _memory = host_memory::claim("bytes of kernel arguments", block.len(), 2)?;
    let session = runtime::session()?;
    let memory = session.driver.alloc_host(block.len())?;
    let data: Arc<dyn Any + Send + Sync> = Arc::new(Data { memory, driver: Arc::downgrade(&session.driver) });
    let mut block = block.to_vec();
    for one in place_holders {
        let addr = (memory.addr + one.data) as u64;
        block[one.addr..one.addr + SLOT].copy_from_slice(&addr.to_ne_bytes());
    }
    let src = Span { addr: block.as_ptr().expose_provenance(), len: block.len(), place: Place::Pageable };
    let dst = Span { addr: memory.addr, place: Place::Pinned, ..src };
    stream.device.native.copy(Copy { dst, src, stage_source: false })?;
    let is_slot = |offset| place_holders.iter().any(|one| one.addr == offset);
    submit(&own(&block, len), &function, &stream, Some(&data), is_slot)
}
