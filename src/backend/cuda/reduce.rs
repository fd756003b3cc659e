//! Reductions: kernels of our own, as PTX, which the driver compiles for its device.

use std::ffi::{CString, c_void};
use std::sync::OnceLock;

use cudarc::driver::sys::{CUfunc_st, CUfunction, CUmod_st, CUmodule};
use parking_lot::Mutex;

use super::context::Raw;
use super::device::DeviceState;
use super::stream::StreamState;
use crate::backend::{Element, Place, Position, Reduce, ReduceOp, Result};

/// The kernels `portacl_reduce_<op>_<element>(dst, src, elements)`, each a grid-stride loop.
const PTX: &str = concat!(include_str!("kernels/reduce.ptx"), "\0");

const OPS: [(ReduceOp, &str); 3] =
    [(ReduceOp::Sum, "sum"), (ReduceOp::Max, "max"), (ReduceOp::Min, "min")];

const ELEMENTS: [(Element, &str); 6] = [
    (Element::Int8, "i8"),
    (Element::Int16, "i16"),
    (Element::Int32, "i32"),
    (Element::Float16, "f16"),
    (Element::BFloat16, "bf16"),
    (Element::Float32, "f32"),
];

const KERNELS: usize = OPS.len() * ELEMENTS.len();

/// Threads in a block: enough to fill a multiprocessor with a few blocks, on every device.
const THREADS: u32 = 256;

/// Blocks per multiprocessor: all its threads (2048 at most), the loop in the kernel does the rest.
const BLOCKS_PER_CORE: u32 = 8;

/// The kernels of a device, compiled when the first is wanted.
#[derive(Default)]
pub(super) struct Kernels {
    module: OnceLock<Module>,
    /// Held while the module is loaded, so that it is loaded once.
    loading: Mutex<()>,
}

struct Module {
    raw: Raw<CUmod_st>,
    functions: [Raw<CUfunc_st>; KERNELS],
}

/// Where a kernel is in [`Module::functions`].
fn index(op: ReduceOp, element: Element) -> usize {
    let op = OPS.iter().position(|(known, _)| *known == op);
    let element = ELEMENTS.iter().position(|(known, _)| *known == element);
    let (Some(op), Some(element)) = (op, element) else { unreachable!("all are in the tables") };
    op * ELEMENTS.len() + element
}

/// The name of the kernel at `index`.
fn kernel_name(index: usize) -> String {
    let (_, op) = OPS[index / ELEMENTS.len()];
    let (_, element) = ELEMENTS[index % ELEMENTS.len()];
    format!("portacl_reduce_{op}_{element}")
}

impl Kernels {
    fn get(&self, device: &DeviceState) -> Result<&Module> {
        if let Some(module) = self.module.get() {
            return Ok(module);
        }
        let _loading = self.loading.lock();
        if let Some(module) = self.module.get() {
            return Ok(module);
        }
        let module = Module::load(device)?;
        Ok(self.module.get_or_init(|| module))
    }

    /// Part of closing a device: nothing of it runs any more.
    pub(super) fn unload(&self, device: &DeviceState) {
        if let Some(module) = self.module.get() {
            let unload = |api: &super::Api| {
                // SAFETY: loaded once, unloaded once.
                unsafe { api.module_unload(module.raw.0) }
            };
            device.driver().end_in(device.context(), unload);
        }
    }
}

impl Module {
    fn load(device: &DeviceState) -> Result<Self> {
        let mut raw: CUmodule = std::ptr::null_mut();
        // SAFETY: a place for the answer, and a text that ends with a zero.
        device.call(|api| unsafe { api.module_load_data(&mut raw, PTX.as_ptr().cast()) })?;
        let mut functions = [Raw(std::ptr::null_mut()); KERNELS];
        for (index, slot) in functions.iter_mut().enumerate() {
            let name = CString::new(kernel_name(index)).expect("no zero inside");
            let mut function: CUfunction = std::ptr::null_mut();
            // SAFETY: a place for the answer, the module, and a name that ends with a zero.
            let found = device
                .call(|api| unsafe { api.module_get_function(&mut function, raw, name.as_ptr()) });
            if let Err(fault) = found {
                // SAFETY: loaded above, and nobody has it yet.
                device.driver().end_in(device.context(), |api| unsafe { api.module_unload(raw) });
                return Err(fault);
            }
            *slot = Raw(function);
        }
        Ok(Self { raw: Raw(raw), functions })
    }
}

/// How many blocks a device with this many multiprocessors gets for this many elements.
fn blocks(elements: u64, cores: u32) -> u32 {
    let wanted = elements.div_ceil(u64::from(THREADS));
    let most = cores.saturating_mul(BLOCKS_PER_CORE).max(1);
    u32::try_from(wanted).unwrap_or(u32::MAX).clamp(1, most)
}

/// Queues a reduction.
pub(super) fn queue(stream: &StreamState, reduce: &Reduce) -> Result<Position> {
    let device = stream.device();
    let module = device.kernels().get(device)?;
    let here = Place::Device(device.context().ordinal());
    if reduce.dst.place != here || reduce.src.place != here {
        stream.note_crossing();
    }
    let function = module.functions[index(reduce.op, reduce.element)];
    let mut dst = reduce.dst.addr as u64;
    let mut src = reduce.src.addr as u64;
    let mut elements = (reduce.dst.len / reduce.element.size()) as u64;
    let mut arguments: [*mut c_void; 3] =
        [(&raw mut dst).cast(), (&raw mut src).cast(), (&raw mut elements).cast()];
    let grid = blocks(elements, device.info().cores);
    stream.submit(|| {
        // SAFETY: the kernel's three arguments as it declares them, copied during the call; the
        // core has checked the ranges.
        device.call(|api| unsafe {
            api.launch_kernel(
                function.0,
                grid,
                1,
                1,
                THREADS,
                1,
                1,
                0,
                stream.raw().0,
                arguments.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_has_its_place_and_name() {
        let mut seen = [false; KERNELS];
        for (op, op_name) in OPS {
            for (element, element_name) in ELEMENTS {
                let index = index(op, element);
                assert!(!std::mem::replace(&mut seen[index], true));
                let name = kernel_name(index);
                assert_eq!(name, format!("portacl_reduce_{op_name}_{element_name}"));
                assert!(PTX.contains(&format!(".entry {name}(")), "{name} is not in the PTX");
            }
        }
        assert_eq!(seen, [true; KERNELS]);
    }

    #[test]
    fn grids_cover_little_and_stay_within_the_device() {
        assert_eq!(blocks(1, 132), 1);
        assert_eq!(blocks(256, 132), 1);
        assert_eq!(blocks(257, 132), 2);
        assert_eq!(blocks(u64::MAX, 132), 132 * 8);
        assert_eq!(blocks(1000, 0), 1);
    }
}
