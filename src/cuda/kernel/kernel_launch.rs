//! Launches programs' kernels, in a stream and as nodes of graphs. The driver keeps nothing of the arguments after a
//! launch.

use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::sys::{CUDA_KERNEL_NODE_PARAMS_st, CUfunc_st, CUfunction};

use crate::backend::kernel::argument_block;
use crate::backend::{Arguments, BoundLaunch, Fault, Kernel, Launch, Position, Result};
use crate::kernel::module::CudaKernel;
use crate::runtime::Raw;
use crate::stream::state::StreamState;

/// The markers in the last argument of `cuLaunchKernel`. They announce the arguments' address, the arguments' size, and
/// the end.
const BUFFER_POINTER: usize = 1;
const BUFFER_SIZE: usize = 2;
const END: usize = 0;

/// Returns the last argument of `cuLaunchKernel` for `len` bytes of arguments.
#[inline(always)]
fn in_a_block(arguments: *mut c_void, len: *mut usize) -> [*mut c_void; 5] {
    [
        std::ptr::without_provenance_mut(BUFFER_POINTER),
        arguments,
        std::ptr::without_provenance_mut(BUFFER_SIZE),
        len.cast(),
        std::ptr::without_provenance_mut(END),
    ]
}

/// A launch whose arguments were read.
pub(crate) struct CudaBoundLaunch {
    /// The kernel, which keeps the function loaded.
    _kernel: Arc<dyn Kernel>,
    /// The objects that the arguments point to.
    _kept: Option<Arc<dyn Any + Send + Sync>>,
    raw: Raw<CUfunc_st>,
    grid: [u32; 3],
    threads: [u32; 3],
    shared_bytes: u32,
    /// The arguments, aligned for any C type.
    arguments: Box<[u128]>,
    len: usize,
}

impl BoundLaunch for CudaBoundLaunch {}

impl CudaBoundLaunch {
    /// Calls `f` with the launch as a node of a graph, which copies the arguments.
    pub(crate) fn with_params<R>(&self, f: impl FnOnce(&CUDA_KERNEL_NODE_PARAMS_st) -> R) -> R {
        let mut len = self.len;
        let mut extra = in_a_block(self.arguments.as_ptr().cast_mut().cast(), &raw mut len);
        let extra = if len == 0 { std::ptr::null_mut() } else { extra.as_mut_ptr() };
        let params = node(self.raw.0, self.grid, self.threads, std::ptr::null_mut());
        f(&CUDA_KERNEL_NODE_PARAMS_st { sharedMemBytes: self.shared_bytes, extra, ..params })
    }
}

/// Returns a launch without dynamic memory as a node of a graph. `arguments` has one value for each argument that the
/// kernel declares.
pub(crate) fn node(
    func: CUfunction,
    grid: [u32; 3],
    threads: [u32; 3],
    arguments: *mut *mut c_void,
) -> CUDA_KERNEL_NODE_PARAMS_st {
    CUDA_KERNEL_NODE_PARAMS_st {
        func,
        gridDimX: grid[0],
        gridDimY: grid[1],
        gridDimZ: grid[2],
        blockDimX: threads[0],
        blockDimY: threads[1],
        blockDimZ: threads[2],
        sharedMemBytes: 0,
        kernelParams: arguments,
        extra: std::ptr::null_mut(),
    }
}

/// Reads the arguments of a launch.
pub(crate) fn bind(launch: &Launch<'_>) -> Result<Arc<dyn BoundLaunch>> {
    let kernel: &CudaKernel = launch.kernel_of()?;
    let threads = kernel.threads(launch.threads)?;
    kernel.check_arguments(launch.arguments)?;
    kernel.allow_shared(launch.shared_bytes)?;
    let len = match (launch.arguments, &kernel.info.parameters) {
        // The driver accepts no padding after the last argument.
        (_, Some(known)) => known.size,
        (Arguments::Block { len, .. }, None) => len,
        (Arguments::Each { .. }, None) => {
            return Err(Fault::unsupported(format!(
                "the driver does not return the sizes of kernel {}'s parameters, which a graph needs to \
                     keep an array of arguments; pass one block of arguments with aclrtLaunchKernel",
                kernel.name
            )));
        }
    };
    let mut arguments = argument_block(len)?;
    let each = kernel.info.parameters.as_ref().map_or([].as_slice(), |known| &known.each);
    // SAFETY: there is room for `len` bytes, which the caller's block has at least, and the last parameter ends there.
    unsafe { launch.arguments.write_to(arguments.as_mut_ptr().cast(), len, each) };
    Ok(Arc::new(CudaBoundLaunch {
        _kernel: Arc::clone(launch.kernel),
        _kept: launch.kept.cloned(),
        raw: kernel.raw,
        grid: launch.grid,
        threads,
        shared_bytes: launch.shared_bytes as u32,
        arguments,
        len,
    }))
}

/// Enqueues a run of a kernel.
pub(crate) fn queue(stream: &StreamState, launch: &Launch<'_>) -> Result<Position> {
    let kernel: &CudaKernel = launch.kernel_of()?;
    let threads = kernel.threads(launch.threads)?;
    kernel.check_arguments(launch.arguments)?;
    kernel.allow_shared(launch.shared_bytes)?;
    let mut len = 0;
    let mut extra: [*mut c_void; 5] = [std::ptr::null_mut(); 5];
    let mut each: *mut *mut c_void = std::ptr::null_mut();
    match launch.arguments {
        Arguments::Each { array } => each = std::ptr::with_exposed_provenance_mut(array),
        Arguments::Block { addr, len: bytes } => {
            // The driver accepts no padding after the last argument.
            len = kernel.info.parameters.as_ref().map_or(bytes, |known| known.size);
            extra = in_a_block(std::ptr::with_exposed_provenance_mut(addr), &raw mut len);
        }
    }
    let extra = if len == 0 { std::ptr::null_mut() } else { extra.as_mut_ptr() };
    // The kernel may use memory on any device.
    stream.note_crossing();
    let ([x, y, z], [a, b, c], shared_bytes) = (launch.grid, threads, launch.shared_bytes as u32);
    let device = &stream.device;
    stream.submit(|| {
        // SAFETY: a live kernel; the driver reads as many arguments as the kernel has parameters,
        // which the caller of the launch promises to be there, during this call only.
        device.call_here(|api| unsafe {
            api.launch_kernel(kernel.raw.0, x, y, z, a, b, c, shared_bytes, stream.raw.0, each, extra)
        })
    })
}
