//! Copies between addresses that are in memory. A kernel of the library does it, because the driver needs addresses
//! when a copy is enqueued.

use std::ffi::c_void;

use crate::backend::{CopyIndirect, Indirect, Number, Position, Result};
use crate::kernel::library_module::{LibraryModule, THREADS, blocks, compressed_ptx, launch};
use crate::stream::state::StreamState;

/// The kernel `portacl_memcpy_indirect(dst_at, dst_offset, src_at, src_offset, len_at, len)`.
pub(crate) static KERNELS: LibraryModule = LibraryModule::new(compressed_ptx!("memcpy_indirect"), names);

fn names() -> Vec<String> {
    vec!["portacl_memcpy_indirect".to_owned()]
}

/// The number of bytes that a thread copies at once if both ends are aligned to it.
const VECTOR: u64 = 16;

/// Enqueues a copy.
pub(crate) fn queue(stream: &StreamState, copy: &CopyIndirect) -> Result<Position> {
    let device = &stream.device;
    let function = KERNELS.kernel(device, 0)?;
    stream.note_use_of(copy.words().map(|word| word.place));
    let end = |end: &Indirect| [end.at.addr as u64, end.offset as u64];
    let ([dst_at, dst_offset], [src_at, src_offset]) = (end(&copy.dst), end(&copy.src));
    let (len_at, len) = match copy.len {
        Number::Known(len) => (0, len),
        Number::At(word) => (word.addr as u64, 0),
    };
    // If the length is not known yet, the kernel gets all blocks that the device can run.
    let items = if len_at == 0 { len.div_ceil(VECTOR) } else { u64::MAX };
    let grid = blocks(items, device.info.cores);
    let mut values = [dst_at, dst_offset, src_at, src_offset, len_at, len];
    let mut arguments = values.each_mut().map(|value| (value as *mut u64).cast::<c_void>());
    // SAFETY: the kernel's six arguments as it declares them; the core has checked where the addresses are. What they
    // say is the program's promise, as of any kernel.
    stream.submit(|| unsafe { launch(stream, function, grid, THREADS, arguments.as_mut_ptr()) })
}

#[cfg(test)]
#[path = "memcpy_indirect_tests.rs"]
mod tests;
