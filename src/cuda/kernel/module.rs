//! Loads kernels of programs as modules of the driver.
//!
//! The driver gets no length of an image, so `backend/kernel/binary_image.rs` checks the image first. A module is
//! unloaded when the work that was enqueued before is complete, because the driver may wait for it.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_int};
use std::sync::Arc;

use cudarc::driver::sys::CUfunction_attribute::*;
use cudarc::driver::sys::{CUdevice_attribute, CUdeviceptr, CUfunc_st, CUfunction, CUfunction_attribute, CUmod_st};
use parking_lot::Mutex;

use crate::algo::host::cpp_name::shown_name;
use crate::backend::kernel::binary_image::{Image, MACHINE_CUDA};
use crate::backend::kernel::ptx;
use crate::backend::{
    Arguments, Code, Fault, FaultKind, Kernel, KernelInfo, Module, Parameter, Parameters, Place, Result, Span,
};
use crate::base::api::Api;
use crate::base::error::INVALID_VALUE;
use crate::memory::pending::{self, Release};
use crate::runtime::{DeviceState, Raw};

/// The number of bytes of shared memory that every kernel may use at its launch. For more the driver must be asked
/// first.
const SHARED_BYTES: usize = 48 << 10;

/// A module behind the trait.
struct CudaModule(Arc<Loaded>);

impl Drop for CudaModule {
    /// Removes the variables from those that programs may use. The driver knows them until the module is unloaded.
    fn drop(&mut self) {
        let owned = &self.0.device.driver.owned;
        self.0.variables.lock().iter().for_each(|(base, len)| owned.add(*base, *len));
    }
}

/// A module of the driver. It is unloaded with its last kernel.
struct Loaded {
    device: Arc<DeviceState>,
    raw: Raw<CUmod_st>,
    /// The module's PTX, if the driver does not return parameters.
    text: Option<CString>,
    /// The variables that were returned to a program: length by address.
    variables: Mutex<BTreeMap<usize, usize>>,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        let (device, raw) = (Arc::clone(&self.device), self.raw);
        let variables = std::mem::take(self.variables.get_mut());
        let module = Release::new(Some(&device));
        let released = pending::release(&self.device.driver, module, move |driver, _| {
            // SAFETY: loaded once and unloaded once; no kernel of it is left.
            let unload = |raw: Raw<_>| device.end(|api| unsafe { api.module_unload(raw.0) });
            let unloaded = unload(raw);
            // The driver has the variables until the module is unloaded.
            variables.into_keys().for_each(|base| driver.owned.remove_after(base, || ()));
            unloaded
        });
        self.device.driver.note_refusal(released);
    }
}

/// A kernel of a module.
pub(crate) struct CudaKernel {
    pub name: String,
    module: Arc<Loaded>,
    pub raw: Raw<CUfunc_st>,
    /// The maximum number of threads of a block that the kernel was compiled for.
    most_threads: u32,
    /// The number of bytes of shared memory of a block that the kernel declares.
    declared_shared_bytes: usize,
    pub info: KernelInfo,
}

impl Kernel for CudaKernel {
    fn info(&self) -> &KernelInfo {
        &self.info
    }
}

/// Loads a program.
pub(crate) fn load(device: &Arc<DeviceState>, image: &[u8]) -> Result<Arc<dyn Module>> {
    let kind = Image::of(image)?;
    match kind {
        Image::Ptx | Image::Fatbin | Image::Elf { machine: MACHINE_CUDA, .. } => {}
        Image::Elf { .. } => {
            return Err(Fault::unsupported(format!(
                "the kernel binary is {}; the cuda backend loads PTX text, cubin and fatbin files, and cannot run \
                 binaries for Ascend cores: build the kernel for CUDA",
                kind.in_words()
            )));
        }
    }
    pending::reap(&device.driver);
    // The driver reads text up to a zero.
    let text = (kind == Image::Ptx).then(|| {
        let end = image.iter().position(|byte| *byte == 0).unwrap_or(image.len());
        CString::new(&image[..end]).expect("cut at the first zero")
    });
    let first = text.as_ref().map_or(image.as_ptr(), |text| text.as_ptr().cast());
    // SAFETY: the image is as long as its headers say.
    let raw = device.call(|api| unsafe { api.module_load_data(first.cast()) })?;
    let text = text.filter(|_| !device.driver.api.has_param_info());
    let device = Arc::clone(device);
    let loaded = Loaded { device, raw: Raw(raw), text, variables: Mutex::default() };
    Ok(Arc::new(CudaModule(Arc::new(loaded))))
}

/// Returns the name of a kernel or a variable, which `what` says, as a C string.
fn c_name(what: &str, name: &str) -> Result<CString> {
    let refuse = |_| Fault::invalid(format!("the name of the {what} has a zero byte in it"));
    CString::new(name).map_err(refuse)
}

/// Adds what to do to the fault that a module has no kernel or variable of this name.
#[cold]
fn missing(what: &str, name: &str, fault: Fault) -> Fault {
    if fault.kind() != FaultKind::InvalidArgument {
        return fault;
    }
    fault.with_text(|said| {
        format!(
            "the binary has no {what} {name:?} ({said}); in CUDA C++, declare {what}s extern \"C\", so that they keep \
             their plain names"
        )
    })
}

impl Module for CudaModule {
    fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>> {
        let device = &self.0.device;
        let text = c_name("kernel", name)?;
        // SAFETY: a live module, and a name that ends with a zero.
        let find = device.call(|api| unsafe { api.module_get_function(self.0.raw.0, text.as_ptr()) });
        let raw = find.map_err(|fault| missing("kernel", name, fault))?;
        let (threads, declared) = device.call(|api| {
            // SAFETY: the live module has just returned `raw`; the driver answers with a number.
            let number = |attribute: CUfunction_attribute| unsafe { api.func_get_attribute(attribute as c_int, raw) };
            Ok((number(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?, number(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?))
        })?;
        let declared_shared_bytes = declared.max(0) as usize;
        let info = KernelInfo {
            parameters: self.0.parameters(raw, &text),
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
        let text = c_name("variable", name)?;
        let (mut addr, mut len): (CUdeviceptr, usize) = (0, 0);
        // SAFETY: places for the answers, a live module, and a name that ends with a zero.
        let find =
            device.call(|api| unsafe { api.module_get_global(&mut addr, &mut len, self.0.raw.0, text.as_ptr()) });
        find.map_err(|fault| missing("variable", name, fault))?;
        let addr = addr as usize;
        self.0.variables.lock().insert(addr, len);
        Ok(Span { addr, len, place: Place::Device(device.context.ordinal) })
    }

    /// Returns `None`, because the driver does not return it.
    fn code(&self) -> Option<Code> {
        None
    }
}

impl Loaded {
    /// Returns the parameters of a kernel, from the PTX, or from the driver if it has the function for it.
    fn parameters(&self, raw: CUfunction, kernel: &CStr) -> Option<Parameters> {
        if let Some(text) = &self.text {
            return ptx::parameters(text.to_str().ok()?, kernel.to_str().ok()?);
        }
        let mut each = Vec::new();
        loop {
            let (index, mut offset, mut size) = (each.len(), 0, 0);
            // SAFETY: places for the answers, and the function.
            let ask = |api: &Api| unsafe { api.func_get_param_info(raw, index, &mut offset, &mut size) };
            match self.device.context.attempt(ask) {
                // The driver does not return which parameters are pointers.
                Ok(()) => each.push(Parameter { offset, size, pointer: None }),
                // The driver returns "invalid value" after the last parameter.
                Err(failure) if failure.status() == Some(INVALID_VALUE) => break,
                Err(_) => return None,
            }
        }
        let size = each.last().map_or(0, |last| last.offset + last.size);
        Some(Parameters { size, each: each.into() })
    }
}

/// Returns the number of bytes of shared memory that a block can have on the device.
fn most_shared_bytes(device: &DeviceState) -> Result<usize> {
    let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
    // SAFETY: the device is open.
    let most = device.call(|api| unsafe {
        match api.device_get_attribute(attribute as c_int, device.context.device) {
            // An older driver does not have the attribute.
            Err(failure) if failure.status() == Some(INVALID_VALUE) => Ok(SHARED_BYTES as c_int),
            asked => asked,
        }
    })?;
    Ok(most.max(0) as usize)
}

impl CudaKernel {
    /// Compares the arguments with the parameters, if those are known.
    #[inline(always)]
    pub(crate) fn check_arguments(&self, arguments: Arguments) -> Result<()> {
        self.info.parameters.as_ref().map_or(Ok(()), |known| known.check(&self.name, arguments))
    }

    /// Returns the size of a block in threads.
    #[inline(always)]
    pub(crate) fn threads(&self, wanted: Option<[u32; 3]>) -> Result<[u32; 3]> {
        let Some(threads) = wanted else { return Ok([self.most_threads, 1, 1]) };
        let count: u64 = threads.iter().map(|count| u64::from(*count)).product();
        if count <= u64::from(self.most_threads) { Ok(threads) } else { Err(self.too_many(count)) }
    }

    #[cold]
    fn too_many(&self, threads: u64) -> Fault {
        Fault::invalid(format!(
            "blockDim has {threads} threads; kernel {} allows at most {} per block on this device",
            self.name, self.most_threads
        ))
    }

    /// Allows the kernel this much shared memory.
    #[inline(always)]
    pub(crate) fn allow_shared(&self, bytes: usize) -> Result<()> {
        if bytes.saturating_add(self.declared_shared_bytes) <= SHARED_BYTES {
            return Ok(());
        }
        self.allow_much_shared(bytes)
    }

    #[cold]
    fn allow_much_shared(&self, bytes: usize) -> Result<()> {
        let most = self.info.most_shared_bytes;
        if bytes > most {
            let text = format!(
                "the launch needs {bytes} bytes of dynamic shared memory per block; allowed for kernel {} on this \
                 device: at most {most}, beside the {} bytes that it declares itself",
                self.name, self.declared_shared_bytes
            );
            return Err(Fault::invalid(text));
        }
        let attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as c_int;
        let device = &self.module.device;
        // The most that there is: the limit belongs to the function. With a smaller one the driver would refuse a
        // launch of another thread, or of a graph, that needs more. SAFETY: a live function.
        device.call(|api| unsafe { api.func_set_attribute(self.raw.0, attribute, most as c_int) })
    }
}
