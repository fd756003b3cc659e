//! Reductions: kernels of our own.

use std::ffi::c_void;

use cudarc::driver::sys::CUfunction;

use crate::backend::cuda::kernel::own_module::{OwnModule, Ptx, THREADS, blocks, compressed_ptx, launch};
use crate::backend::cuda::runtime::DeviceState;
use crate::backend::cuda::stream::state::StreamState;
use crate::backend::{Element, Position, Reduce, ReduceOp, Result};

/// The kernels `portacl_reduce_<op>_<element>(dst, src, elements)`, each a grid-stride loop.
const PTX: Ptx = compressed_ptx!("reduce");

pub static KERNELS: OwnModule = OwnModule::new(PTX, names);

/// The names of each [`ReduceOp`] and of each [`Element`], in their order.
const OPS: [&str; 3] = ["sum", "max", "min"];
const ELEMENTS: [&str; 6] = ["i8", "i16", "i32", "f16", "bf16", "f32"];

/// Where a kernel is among [`names`].
fn index(op: ReduceOp, element: Element) -> usize {
    let element = element as usize;
    assert!(element < ELEMENTS.len(), "an element without a kernel");
    op as usize * ELEMENTS.len() + element
}

/// The names of all kernels.
fn names() -> Vec<String> {
    OPS.iter().flat_map(|op| ELEMENTS.map(|element| format!("portacl_reduce_{op}_{element}"))).collect()
}

/// A reduction as the driver gets it: a kernel of one dimension, in blocks of [`THREADS`].
pub struct Prepared {
    pub function: CUfunction,
    pub blocks: u32,
    /// Destination, source, elements.
    pub arguments: [u64; 3],
}

/// Makes a reduction ready.
pub fn prepare(device: &DeviceState, reduce: &Reduce) -> Result<Prepared> {
    let index = index(reduce.op, reduce.element);
    let elements = (reduce.dst.len / reduce.element.size()) as u64;
    Ok(Prepared {
        function: KERNELS.kernel(device, index)?,
        blocks: blocks(elements, device.info.cores),
        arguments: [reduce.dst.addr as u64, reduce.src.addr as u64, elements],
    })
}

/// Queues a reduction.
pub fn queue(stream: &StreamState, reduce: &Reduce) -> Result<Position> {
    let Prepared { function, blocks, mut arguments } = prepare(&stream.device, reduce)?;
    stream.note_use_of([reduce.dst.place, reduce.src.place]);
    let mut each: [*mut c_void; 3] = arguments.each_mut().map(|argument| std::ptr::from_mut(argument).cast());
    // SAFETY: the kernel's three arguments as it declares them; the core has checked both ranges.
    stream.submit(|| unsafe { launch(stream, function, blocks, THREADS, each.as_mut_ptr()) })
}

#[cfg(test)]
#[path = "reduce_tests.rs"]
mod tests;
