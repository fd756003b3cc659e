//! Reduces memory by kernels of the library.

use std::ffi::c_void;

use cudarc::driver::sys::CUfunction;

use crate::backend::{Element, Position, Reduce, ReduceOp, Result};
use crate::kernel::library_module::{LibraryModule, THREADS, blocks, compressed_ptx, launch};
use crate::runtime::DeviceState;
use crate::stream::state::StreamState;

/// The kernels `portacl_reduce_<op>_<element>(dst, src, elements)`, each a grid-stride loop.
pub(crate) static KERNELS: LibraryModule = LibraryModule::new(compressed_ptx!("reduce"), names);

/// The names of each [`ReduceOp`] and of each [`Element`], in their order.
const OPS: [&str; 3] = ["sum", "max", "min"];
const ELEMENTS: [&str; 6] = ["i8", "i16", "i32", "f16", "bf16", "f32"];

/// Returns the index of a kernel among [`names`].
fn index(op: ReduceOp, element: Element) -> usize {
    let element = element as usize;
    assert!(element < ELEMENTS.len(), "an element without a kernel");
    op as usize * ELEMENTS.len() + element
}

/// Returns the names of all kernels.
fn names() -> Vec<String> {
    OPS.iter().flat_map(|op| ELEMENTS.map(|element| format!("portacl_reduce_{op}_{element}"))).collect()
}

/// Calls `launch` with the kernel of a reduction, its blocks of [`THREADS`], and its arguments as it declares them:
/// destination, source, elements. The arguments live during the call.
pub(crate) fn launch_with<R>(
    device: &DeviceState,
    reduce: &Reduce,
    launch: impl FnOnce(CUfunction, u32, *mut *mut c_void) -> Result<R>,
) -> Result<R> {
    let function = KERNELS.kernel(device, index(reduce.op, reduce.element))?;
    let elements = (reduce.dst.len / reduce.element.size()) as u64;
    let mut arguments = [reduce.dst.addr as u64, reduce.src.addr as u64, elements];
    let mut each = arguments.each_mut().map(|argument| std::ptr::from_mut(argument).cast());
    launch(function, blocks(elements, device.info.cores), each.as_mut_ptr())
}

/// Enqueues a reduction.
pub(crate) fn queue(stream: &StreamState, reduce: &Reduce) -> Result<Position> {
    launch_with(&stream.device, reduce, |function, blocks, arguments| {
        stream.note_use_of([reduce.dst.place, reduce.src.place]);
        // SAFETY: the kernel's three arguments as it declares them; the core has checked both ranges.
        stream.submit(|| unsafe { launch(stream, function, blocks, THREADS, arguments) })
    })
}

#[cfg(test)]
#[path = "reduce_tests.rs"]
mod tests;
