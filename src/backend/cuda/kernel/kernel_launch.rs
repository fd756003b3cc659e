//! Kernels of programs: modules of the driver.
//!
//! The driver takes an image without its length, so it is looked at before (`backend/kernel/binary_image.rs`). It
//! keeps nothing of the arguments after a launch. A module goes back to it like memory: when what
//! was queued before has run, because the driver may wait for that.

use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::{CString, c_int, c_void};
use std::sync::Arc;

use cudarc::driver::sys::CUfunction_attribute::*;
use cudarc::driver::sys::{
    CUDA_KERNEL_NODE_PARAMS_st, CUdevice_attribute, CUdeviceptr, CUfunc_st, CUfunction, CUmod_st,
    CUmodule,
};
use parking_lot::Mutex;

use crate::algo::host::cpp_name::shown_name;
use crate::backend::cuda::base::error::INVALID_VALUE;
use crate::backend::cuda::memory::release::{Release, give_back};
use crate::backend::cuda::runtime::context::Raw;
use crate::backend::cuda::runtime::device::DeviceState;
use crate::backend::cuda::stream::StreamState;
use crate::backend::kernel::binary_image::{Image, MACHINE_CUDA};
use crate::backend::{
    Arguments, BoundLaunch, Code, Fault, FaultKind, Kernel, KernelInfo, Launch, Module, Parameter,
    Parameters, Place, Position, Result, Span,
};

/// Fast memory that every kernel may ask for at its launch; more needs the driver's consent.
const SHARED_BYTES: usize = 48 << 10;

/// Markers in the last argument of `cuLaunchKernel`: the arguments' address follows, their size,
/// the end.
const BUFFER_POINTER: usize = 1;
const BUFFER_SIZE: usize = 2;
const END: usize = 0;

/// A module behind the trait.
struct CudaModule(Arc<Loaded>);

impl Drop for CudaModule {
    /// The driver still knows the variables until it has the module back, and nobody has them.
    fn drop(&mut self) {
        let owned = self.0.device.driver().owned();
        self.0.variables.lock().iter().for_each(|(base, len)| owned.add(*base, *len));
    }
}

/// A module of the driver; given back with the last kernel of it.
struct Loaded {
    device: Arc<DeviceState>,
    raw: Raw<CUmod_st>,
    /// Those that somebody was told of: address and length.
    variables: Mutex<BTreeMap<usize, usize>>,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        let variables = self.variables.get_mut().keys().copied().collect();
        let device = Arc::clone(&self.device);
        let release = Release::Module { device, raw: self.raw, variables };
        let driver = self.device.driver();
        driver.note_refusal(give_back(driver, release));
    }
}

/// A kernel of a module.
struct CudaKernel {
    name: String,
    module: Arc<Loaded>,
    raw: Raw<CUfunc_st>,
    /// Threads of a block that the kernel was compiled for, at most.
    most_threads: u32,
    /// Fast memory of a block that the kernel declares.
    declared_shared_bytes: usize,
    info: KernelInfo,
}

impl Kernel for CudaKernel {
    fn info(&self) -> &KernelInfo {
        &self.info
    }
}

/// Loads a program.
pub fn load(device: &Arc<DeviceState>, image: &[u8]) -> Result<Arc<dyn Module>> {
    let kind = Image::of(image)?;
    match kind {
        Image::Ptx | Image::Fatbin | Image::Elf { machine: MACHINE_CUDA, .. } => {}
        Image::Elf { .. } => {
            return Err(Fault::new(
                FaultKind::Unsupported,
                format!(
                    "the program is {}; the cuda backend loads PTX text, cubin and fatbin files, and binaries \
                     for Ascend cores run nowhere else: build the kernel for CUDA",
                    kind.in_words()
                ),
            ));
        }
    }
    device.driver().reap();
    // The driver reads text up to a zero.
    let text = (kind == Image::Ptx).then(|| {
        let end = image.iter().position(|byte| *byte == 0).unwrap_or(image.len());
        CString::new(&image[..end]).expect("cut at the first zero")
    });
    let first = text.as_ref().map_or(image.as_ptr(), |text| text.as_ptr().cast());
    let mut raw: CUmodule = std::ptr::null_mut();
    // SAFETY: a place for the answer, and an image that is complete as far as its headers tell.
    device.call(|api| unsafe { api.module_load_data(&mut raw, first.cast()) })?;
    let device = Arc::clone(device);
    let loaded = Loaded { device, raw: Raw(raw), variables: Mutex::default() };
    Ok(Arc::new(CudaModule(Arc::new(loaded))))
}

impl Module for CudaModule {
    fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>> {
        let device = &self.0.device;
        let text = CString::new(name).map_err(|_| {
            Fault::new(FaultKind::InvalidArgument, "the kernel's name has a zero in it")
        })?;
        let mut raw: CUfunction = std::ptr::null_mut();
        // SAFETY: a place for the answer, a live module, and a name that ends with a zero.
        let find = device
            .call(|api| unsafe { api.module_get_function(&mut raw, self.0.raw.0, text.as_ptr()) });
        find.map_err(|fault| match fault.kind() {
            FaultKind::InvalidArgument => Fault::new(
                fault.kind(),
                format!(
                    "there is no kernel {name:?} in the binary ({}); in CUDA C++ kernels have their plain \
                     names where they are declared extern \"C\"",
                    fault.text()
                ),
            ),
            _ => fault,
        })?;
        let (mut threads, mut declared): (c_int, c_int) = (0, 0);
        device.call(|api| {
            let asked = [
                (CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &mut threads),
                (CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &mut declared),
            ];
            asked.into_iter().try_for_each(|(attribute, value)| {
                // SAFETY: a place for the answer, and the function.
                unsafe { api.func_get_attribute(value, attribute as c_int, raw) }
            })
        })?;
        let declared_shared_bytes = declared.max(0) as usize;
        let info = KernelInfo {
            parameters: parameters(device, raw),
            most_shared_bytes: most_shared_bytes(device)?.saturating_sub(declared_shared_bytes),
            code: None,
        };
        Ok(Arc::new(CudaKernel {
            name: shown_name(name),
            module: Arc::clone(&self.0),
            raw: Raw(raw),
            most_threads: threads.max(1) as u32,
            declared_shared_bytes,
            info,
        }))
    }

    fn variable(&self, name: &str) -> Result<Span> {
        let device = &self.0.device;
        let text = CString::new(name).map_err(|_| {
            Fault::new(FaultKind::InvalidArgument, "the variable's name has a zero in it")
        })?;
        let (mut addr, mut len): (CUdeviceptr, usize) = (0, 0);
        // SAFETY: places for the answers, a live module, and a name that ends with a zero.
        let find = device.call(|api| unsafe {
            api.module_get_global(&mut addr, &mut len, self.0.raw.0, text.as_ptr())
        });
        find.map_err(|fault| match fault.kind() {
            FaultKind::InvalidArgument => Fault::new(
                fault.kind(),
                format!(
                    "there is no variable {name:?} in the binary ({}); in CUDA C++ variables have their \
                     plain names where they are declared extern \"C\"",
                    fault.text()
                ),
            ),
            _ => fault,
        })?;
        let addr = addr as usize;
        self.0.variables.lock().insert(addr, len);
        Ok(Span { addr, len, place: Place::Device(device.context().ordinal()) })
    }

    /// The driver does not tell.
    fn code(&self) -> Option<Code> {
        None
    }
}

/// Asks the driver, if it has the function for it, until it says that there is no further one.
fn parameters(device: &DeviceState, raw: CUfunction) -> Option<Parameters> {
    let mut each = Vec::new();
    loop {
        let (mut offset, mut size) = (0, 0);
        // SAFETY: places for the answers, and the function.
        let asked = device.context().attempt(|api| unsafe {
            api.func_get_param_info(raw, each.len(), &mut offset, &mut size)
        });
        match asked {
            // What is a pointer it does not tell.
            Ok(()) => each.push(Parameter { offset, size, pointer: None }),
            Err(failure) if failure.status() == Some(INVALID_VALUE) => break,
            Err(_) => return None,
        }
    }
    let size = each.last().map_or(0, |last| last.offset + last.size);
    Some(Parameters { size, each: each.into() })
}

/// Fast memory that a block can have on the device.
fn most_shared_bytes(device: &DeviceState) -> Result<usize> {
    let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
    let mut most = SHARED_BYTES as c_int;
    // SAFETY: the device is open, and the attribute's value goes into `most`.
    device.call(|api| unsafe {
        match api.device_get_attribute(&mut most, attribute as c_int, device.context().device()) {
            // A driver that does not know of it.
            Err(failure) if failure.status() == Some(INVALID_VALUE) => Ok(()),
            asked => asked,
        }
    })?;
    Ok(most.max(0) as usize)
}

impl CudaKernel {
    /// Where the driver says what the kernel wants: whether the caller has brought that. Else the
    /// driver reads what it needs.
    #[inline(always)]
    fn check_arguments(&self, arguments: Arguments) -> Result<()> {
        let Some(known) = &self.info.parameters else { return Ok(()) };
        let fits = match arguments {
            // A C structure ends where its alignment wants it.
            Arguments::Block { len, .. } => {
                (known.size..=known.size.next_multiple_of(16)).contains(&len)
            }
            Arguments::Each { array } => {
                array != 0 && null_argument(array, known).is_none() || known.each.is_empty()
            }
        };
        if fits { Ok(()) } else { Err(self.wrong_arguments(arguments, known)) }
    }

    #[cold]
    fn wrong_arguments(&self, arguments: Arguments, known: &Parameters) -> Fault {
        let (name, count, size) = (&self.name, known.each.len(), known.size);
        let text = match arguments {
            Arguments::Block { len, .. } => {
                format!(
                    "{len} bytes of arguments; kernel {name} has {count} parameters in {size} bytes"
                )
            }
            Arguments::Each { array: 0 } => {
                format!("args is null; kernel {name} has {count} parameters")
            }
            Arguments::Each { array } => {
                let index = null_argument(array, known).unwrap_or(0);
                format!("args[{index}] is null; it must point to the argument")
            }
        };
        Fault::new(FaultKind::InvalidArgument, text)
    }

    /// How many threads a block is to have.
    #[inline(always)]
    fn threads(&self, wanted: Option<[u32; 3]>) -> Result<[u32; 3]> {
        let Some(threads) = wanted else { return Ok([self.most_threads, 1, 1]) };
        let count: u64 = threads.iter().map(|count| u64::from(*count)).product();
        if count <= u64::from(self.most_threads) { Ok(threads) } else { Err(self.too_many(count)) }
    }

    #[cold]
    fn too_many(&self, threads: u64) -> Fault {
        Fault::new(
            FaultKind::InvalidArgument,
            format!(
                "blocks of {threads} threads; kernel {} was compiled for at most {} on this device",
                self.name, self.most_threads
            ),
        )
    }

    /// Has the driver allow the kernel so much fast memory.
    #[inline(always)]
    fn allow_shared(&self, bytes: usize) -> Result<()> {
        if bytes.saturating_add(self.declared_shared_bytes) <= SHARED_BYTES {
            return Ok(());
        }
        self.allow_much_shared(bytes)
    }

    #[cold]
    fn allow_much_shared(&self, bytes: usize) -> Result<()> {
        let most = self.info.most_shared_bytes;
        if bytes > most {
            return Err(Fault::new(
                FaultKind::InvalidArgument,
                format!(
                    "{bytes} bytes of fast memory for each block; this device has {most} for it"
                ),
            ));
        }
        let attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as c_int;
        let device = &self.module.device;
        // All that there is: the limit is the function's, and a smaller one would have the driver refuse
        // what another thread, or a graph, is about to launch with more.
        // SAFETY: a live function.
        device.call(|api| unsafe { api.func_set_attribute(self.raw.0, attribute, most as c_int) })
    }
}

/// The first of the caller's pointers to arguments that is null. `array` is not.
#[inline(always)]
fn null_argument(array: usize, known: &Parameters) -> Option<usize> {
    let array: *const *const c_void = std::ptr::with_exposed_provenance(array);
    // SAFETY: the caller has a pointer there for each parameter.
    let is_null = |index: &usize| unsafe { array.add(*index).read_unaligned() }.is_null();
    (0..known.each.len()).find(is_null)
}

/// A launch whose arguments were read.
pub struct CudaBoundLaunch {
    /// Keeps the function loaded.
    _kernel: Arc<dyn Kernel>,
    /// What its arguments point to.
    _kept: Option<Arc<dyn Any + Send + Sync>>,
    raw: Raw<CUfunc_st>,
    grid: [u32; 3],
    threads: [u32; 3],
    shared_bytes: u32,
    /// As aligned as any C type.
    arguments: Box<[u128]>,
    len: usize,
}

impl BoundLaunch for CudaBoundLaunch {}

impl CudaBoundLaunch {
    /// The launch as a node of a graph, which copies the arguments.
    pub fn with_params<R>(&self, f: impl FnOnce(&CUDA_KERNEL_NODE_PARAMS_st) -> R) -> R {
        let mut len = self.len;
        let mut extra: [*mut c_void; 5] = [
            std::ptr::without_provenance_mut(BUFFER_POINTER),
            self.arguments.as_ptr().cast_mut().cast(),
            std::ptr::without_provenance_mut(BUFFER_SIZE),
            (&raw mut len).cast(),
            std::ptr::without_provenance_mut(END),
        ];
        f(&CUDA_KERNEL_NODE_PARAMS_st {
            func: self.raw.0,
            gridDimX: self.grid[0],
            gridDimY: self.grid[1],
            gridDimZ: self.grid[2],
            blockDimX: self.threads[0],
            blockDimY: self.threads[1],
            blockDimZ: self.threads[2],
            sharedMemBytes: self.shared_bytes,
            kernelParams: std::ptr::null_mut(),
            extra: if len == 0 { std::ptr::null_mut() } else { extra.as_mut_ptr() },
        })
    }
}

/// Reads the arguments of a launch.
pub fn bind(launch: &Launch<'_>) -> Result<Arc<dyn BoundLaunch>> {
    let any: &dyn Any = &**launch.kernel;
    let Some(kernel) = any.downcast_ref::<CudaKernel>() else {
        return Err(Fault::new(FaultKind::Driver, "the kernel is one of another backend"));
    };
    let threads = kernel.threads(launch.threads)?;
    kernel.check_arguments(launch.arguments)?;
    kernel.allow_shared(launch.shared_bytes)?;
    let len = match (launch.arguments, &kernel.info.parameters) {
        // The driver wants no padding behind the last one.
        (_, Some(known)) => known.size,
        (Arguments::Block { len, .. }, None) => len,
        (Arguments::Each { .. }, None) => {
            return Err(Fault::new(
                FaultKind::Unsupported,
                format!(
                    "the driver does not tell the sizes of kernel {}'s parameters, which a graph needs to \
                     keep an array of arguments; pass one block of arguments with aclrtLaunchKernel",
                    kernel.name
                ),
            ));
        }
    };
    let mut arguments = vec![0u128; len.div_ceil(size_of::<u128>())].into_boxed_slice();
    let to = arguments.as_mut_ptr().cast::<u8>();
    match launch.arguments {
        Arguments::Block { addr, .. } => {
            let from: *const u8 = std::ptr::with_exposed_provenance(addr);
            // SAFETY: the caller has at least so many bytes there, and there is room for them.
            unsafe { to.copy_from_nonoverlapping(from, len) };
        }
        Arguments::Each { array } => {
            let array: *const *const u8 = std::ptr::with_exposed_provenance(array);
            for (index, one) in kernel.info.parameters.iter().flat_map(|it| &it.each).enumerate() {
                // SAFETY: the caller has a pointer there for each parameter, to as many bytes as it
                // has; the last one ends where the block does.
                unsafe {
                    let from = array.add(index).read_unaligned();
                    to.add(one.offset).copy_from_nonoverlapping(from, one.size);
                }
            }
        }
    }
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

/// Queues a run of a kernel.
pub fn queue(stream: &StreamState, launch: &Launch<'_>) -> Result<Position> {
    let kernel: &dyn Any = &**launch.kernel;
    let Some(kernel) = kernel.downcast_ref::<CudaKernel>() else {
        return Err(Fault::new(FaultKind::Driver, "the kernel is one of another backend"));
    };
    let threads = kernel.threads(launch.threads)?;
    kernel.check_arguments(launch.arguments)?;
    kernel.allow_shared(launch.shared_bytes)?;
    let mut len = 0;
    let mut extra: [*mut c_void; 5] = [std::ptr::null_mut(); 5];
    let mut each: *mut *mut c_void = std::ptr::null_mut();
    match launch.arguments {
        Arguments::Each { array } => each = std::ptr::with_exposed_provenance_mut(array),
        Arguments::Block { addr, len: bytes } => {
            // The driver wants no padding behind the last one.
            len = kernel.info.parameters.as_ref().map_or(bytes, |known| known.size);
            extra = [
                std::ptr::without_provenance_mut(BUFFER_POINTER),
                std::ptr::with_exposed_provenance_mut(addr),
                std::ptr::without_provenance_mut(BUFFER_SIZE),
                (&raw mut len).cast(),
                std::ptr::without_provenance_mut(END),
            ];
        }
    }
    let extra = if len == 0 { std::ptr::null_mut() } else { extra.as_mut_ptr() };
    // Nobody knows which memory it uses.
    stream.note_crossing();
    let [x, y, z] = launch.grid;
    let device = stream.device();
    stream.submit(|| {
        // SAFETY: a live kernel; the driver reads as many arguments as the kernel has parameters,
        // which the caller of the launch promises to be there, during this call only.
        device.call_here(|api| unsafe {
            api.launch_kernel(
                kernel.raw.0,
                x,
                y,
                z,
                threads[0],
                threads[1],
                threads[2],
                launch.shared_bytes as u32,
                stream.raw().0,
                each,
                extra,
            )
        })
    })
}
