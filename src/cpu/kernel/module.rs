//! Loads programs: shared objects, with kernels and variables as `include/portacl/kernel.h` defines them.
//!
//! A kernel is the exported function NAME. Three other symbols may exist: NAME_portacl_kernel describes its parameters,
//! NAME_portacl_release releases what they refer to, and NAME_portacl_uses reports which memory a launch uses. Exported
//! variables are device memory for copies, and the kernels use them at the same address.

use std::ffi::{CStr, CString, c_int, c_void};
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use parking_lot::Mutex;
use rustix::fs;

use crate::algo::count::Count;
use crate::algo::host::descriptor;
use crate::backend::base::{loader, memory_file};
use crate::backend::kernel::binary_image::{Image, SHARED_OBJECT, THIS_MACHINE};
use crate::backend::{
    Access, Code, Fault, FaultKind, Kernel, KernelInfo, Module, Parameter, Parameters, Place, Result, Span,
};
use crate::base::host_ranges;
use crate::kernel::kernel_launch::{CpuKernel, KernelFn, ReleaseFn};
use crate::kernel::kernel_uses::{Uses, WRITTEN};
use crate::runtime::shared::Shared;

/// The maximum number of bytes of shared memory of a block.
pub(crate) const MOST_SHARED_BYTES: usize = 1 << 20;

/// The structure `portaclParameter` of the header.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawParameter {
    offset: u32,
    size: u32,
    flags: u32,
}

/// The flag `PORTACL_PARAMETER_POINTER`.
const POINTER: u32 = 1;

/// The structure `portaclKernel` of the header.
#[repr(C)]
struct Descriptor {
    version: u32,
    arguments_size: u32,
    parameter_count: u32,
    parameters: *const RawParameter,
}

/// The value of `PORTACL_KERNEL_VERSION`.
const VERSION: u32 = 1;
/// The maximum number of bytes of arguments, which is the limit of a GPU's kernel.
const MOST_ARGUMENTS: u32 = 4096;

/// A shared object behind the trait.
struct CpuModule {
    object: Arc<LoadedObject>,
    shared: Arc<Shared>,
    ordinal: u32,
    /// True if the program has queried the address of a variable.
    has_variables: Mutex<bool>,
}

/// A shared object that is loaded.
pub(crate) struct LoadedObject {
    library: Library,
    /// The file whose name the loader knows. It stays open as long as the object is loaded, because debuggers and
    /// sanitizers read the names of functions there.
    _file: descriptor::Descriptor,
    /// The object's address range. Between its segments may be gaps, which no code can read.
    code: Code,
    /// The ranges of its segments.
    segments: Vec<Code>,
}

/// Loads a program.
pub(crate) fn load(shared: &Arc<Shared>, ordinal: u32, image: &[u8]) -> Result<Arc<dyn Module>> {
    match Image::of(image)? {
        Image::Elf { machine: THIS_MACHINE, kind: SHARED_OBJECT } => {}
        Image::Elf { machine: THIS_MACHINE, kind } => {
            return Err(Fault::invalid(format!(
                "the ELF file is of type {kind}; allowed: {SHARED_OBJECT} (shared object); link the kernel with -shared"
            )));
        }
        other @ (Image::Elf { .. } | Image::Fatbin | Image::Ptx) => {
            return Err(Fault::unsupported(format!(
                "the kernel binary is {}; allowed: ELF shared objects for this processor (machine {THIS_MACHINE}), not \
                 binaries for Ascend cores; build the kernel with portacl/kernel.h",
                other.in_words()
            )));
        }
    }
    shared.unloading.reap(usize::MAX, drop);
    let file = file_of(image)?;
    let (file, path) = unused_path(file)?;
    ensure!(leads_to(&path, &file), Fault::new(FaultKind::OutOfResources, NO_PROC));
    // SAFETY: loading a program runs its initialisers, as the caller requests.
    let library = unsafe { Library::open(Some(path.to_string_lossy().as_ref()), RTLD_NOW | RTLD_LOCAL) }
        .map_err(|error| refused_by_loader(&error, &path))?;
    let segments = segments_of(&path);
    let code = around(&segments);
    Ok(Arc::new(CpuModule {
        object: Arc::new(LoadedObject { library, _file: file, code, segments }),
        shared: Arc::clone(shared),
        ordinal,
        has_variables: Mutex::new(false),
    }))
}

/// The text where the loader cannot open a file by its descriptor.
const NO_PROC: &str = "the kernel binary is loaded through /proc, but /proc is not mounted, or is the /proc of another \
                       PID namespace; run as root: mount -t proc proc /proc";

/// Whether a path leads to the open file. In /proc of another namespace this process has another number.
fn leads_to(path: &CStr, file: &descriptor::Descriptor) -> bool {
    let here = file.file().ok().and_then(|file| fs::fstat(&*file).ok());
    here.zip(fs::stat(path).ok())
        .is_some_and(|(here, there)| (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino))
}

/// Removes the file's name, which is temporary, from the loader's error.
fn refused_by_loader(error: &libloading::Error, path: &CStr) -> Fault {
    let reason = loader::reason(error);
    let name = format!("{}: ", path.to_string_lossy());
    let words = reason.strip_prefix(&name).unwrap_or(&reason);
    Fault::invalid(format!("the shared object cannot be loaded: {words}; {}", loader::remedy(words)))
}

fn system(error: io::Error) -> Fault {
    let text = format!(
        "the kernel binary cannot be kept in a memory file: {error}. If too many files are open, close some, or raise \
         ulimit -n"
    );
    Fault::new(FaultKind::OutOfResources, text)
}

/// Creates a file without a name that holds the bytes.
fn file_of(bytes: &[u8]) -> Result<descriptor::Descriptor> {
    let kept = memory_file::create(c"portacl-kernels", bytes.len() as u64).map_err(system)?;
    let written = kept.file().and_then(|file| file.write_all_at(bytes, 0));
    written.map_err(|error| {
        Fault::out_of_host_memory(format!(
            "the {} bytes of the kernel binary cannot be written to a file in memory (memfd): pwrite: {error}; free \
             host memory",
            bytes.len()
        ))
    })?;
    Ok(kept)
}

/// Returns a name of the file that the loader does not know. For a known name it would return an object that it loaded
/// before, and some objects stay after they were closed.
fn unused_path(mut file: descriptor::Descriptor) -> Result<(descriptor::Descriptor, CString)> {
    let mut taken = Vec::new();
    // The path does not contain "self", because a debugger opens the same name.
    let process = std::process::id();
    loop {
        let path = format!("/proc/{process}/fd/{}", file.number());
        let path = CString::new(path).expect("no zero");
        // SAFETY: a text that ends with a zero; nothing is loaded by this.
        let known = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if known.is_null() {
            return Ok((file, path));
        }
        // SAFETY: opened above.
        unsafe { libc::dlclose(known) };
        let next = file.duplicate().and_then(descriptor::Descriptor::new).map_err(system)?;
        taken.push(std::mem::replace(&mut file, next));
    }
}

/// Returns the ranges of the segments of the object that the loader knows by this name.
fn segments_of(path: &CStr) -> Vec<Code> {
    /// The name that is searched, and the result.
    struct Search<'a>(&'a CStr, Vec<Code>);

    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
        // SAFETY: the loader's description of an object, and the search that was passed along.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search<'_>>()) };
        // SAFETY: not null, the loader's text.
        if info.dlpi_name.is_null() || unsafe { CStr::from_ptr(info.dlpi_name) } != search.0 {
            return 0;
        }
        // SAFETY: the loader's table, of this many entries.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let range = |header: &libc::Elf64_Phdr| Code {
            addr: (info.dlpi_addr + header.p_vaddr) as usize,
            len: header.p_memsz as usize,
        };
        search.1 = loaded.map(range).collect();
        1
    }

    let mut search = Search(path, Vec::new());
    // SAFETY: `visit` is called during this call only, with the search.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.1
}

/// Returns the range from the first to the last segment.
fn around(segments: &[Code]) -> Code {
    let ends = segments.iter().map(|one| (one.addr, one.addr + one.len));
    let (addr, end) = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 0));
    Code { addr, len: end - addr }
}

unsafe extern "C" {
    /// The loader's function, which `libc` does not declare. It does what `dladdr` does, and returns the symbol that it
    /// found.
    fn dladdr1(address: *const c_void, info: *mut libc::Dl_info, extra: *mut *mut c_void, flags: c_int) -> c_int;
}

/// The flag `RTLD_DL_SYMENT`.
const SYMBOL: c_int = 1;
/// The types of symbols `STT_OBJECT` and `STT_FUNC`.
const OBJECT: u8 = 1;
const FUNCTION: u8 = 2;

/// An exported symbol of an object.
struct Symbol {
    addr: *mut c_void,
    len: usize,
}

impl LoadedObject {
    /// Returns the exported symbol with this name and type of this object, not of an object that it uses.
    fn find(&self, name: &str, kind: u8) -> Option<Symbol> {
        let text = CString::new(name).ok()?;
        // SAFETY: only the address is used here.
        let found = unsafe { self.library.get::<*mut c_void>(text.as_bytes_with_nul()) }.ok()?;
        let addr = found.as_raw_ptr();
        let mut info = std::mem::MaybeUninit::<libc::Dl_info>::uninit();
        let mut symbol: *mut c_void = std::ptr::null_mut();
        // SAFETY: dladdr1 writes an Dl_info and a symbol's pointer, and both places live until it
        // returns.
        let known = unsafe { dladdr1(addr, info.as_mut_ptr(), &mut symbol, SYMBOL) } != 0;
        if !known || symbol.is_null() || addr.addr().wrapping_sub(self.code.addr) >= self.code.len {
            return None;
        }
        // SAFETY: the loader's symbol, which lives as long as the object.
        let symbol = unsafe { symbol.cast::<libc::Elf64_Sym>().read() };
        (symbol.st_info & 0xf == kind).then_some(Symbol { addr, len: symbol.st_size as usize })
    }

    /// Whether the bytes are in one segment.
    fn has(&self, addr: usize, len: usize) -> bool {
        let fits = |one: &Code| addr.checked_sub(one.addr).is_some_and(|from| from <= one.len && len <= one.len - from);
        self.segments.iter().any(fits)
    }

    /// Returns the description of a kernel's parameters, after checking it.
    fn parameters(&self, name: &str) -> Result<Option<Parameters>> {
        let Some(found) = self.find(&format!("{name}_portacl_kernel"), OBJECT) else {
            return Ok(None);
        };
        ensure!(
            found.len >= size_of::<Descriptor>() && self.has(found.addr.addr(), size_of::<Descriptor>()),
            Fault::invalid(format!(
                "{name}_portacl_kernel (a symbol of {} bytes) must have at least {} bytes, all in one segment of the \
                 binary; define the kernel with PORTACL_KERNEL",
                found.len,
                size_of::<Descriptor>()
            ))
        );
        // SAFETY: by its name it is a `portaclKernel`, which the header makes and the caller vouches
        // for; it is constant, in memory, and read where it may not be aligned.
        let Descriptor { version, arguments_size: size, parameter_count: count, parameters } =
            unsafe { found.addr.cast::<Descriptor>().read_unaligned() };
        if version != VERSION {
            return Err(Fault::invalid(format!(
                "{name}_portacl_kernel has version {version}; this library reads version {VERSION}; build the kernel \
                 with this library's portacl/kernel.h"
            )));
        }
        let described = Count(count as usize, "parameter");
        if count != 0 && !self.has(parameters.addr(), count as usize * size_of::<RawParameter>()) {
            return Err(Fault::invalid(format!(
                "{name}_portacl_kernel points to a list of {described} that is not inside of the binary; define the \
                 kernel with PORTACL_KERNEL"
            )));
        }
        let each: Vec<RawParameter> = (0..count.min(MOST_ARGUMENTS) as usize)
            // SAFETY: `index` is below the number of parameters that the kernel's description
            // states.
            .map(|index| unsafe { parameters.add(index).read_unaligned() })
            .collect();
        let fits = |one: &RawParameter| {
            let end = u64::from(one.offset) + u64::from(one.size);
            end <= u64::from(size) && (one.flags & POINTER == 0 || one.size as usize == size_of::<usize>())
        };
        if size > MOST_ARGUMENTS || count > MOST_ARGUMENTS || !each.iter().all(fits) {
            return Err(Fault::invalid(format!(
                "{name}_portacl_kernel describes {described} in {size} bytes of arguments; allowed: at most \
                 {MOST_ARGUMENTS} parameters in at most {MOST_ARGUMENTS} bytes, each parameter inside of these bytes, \
                 and pointers of {} bytes; define the kernel with PORTACL_KERNEL",
                size_of::<usize>()
            )));
        }
        let known = |one: RawParameter| Parameter {
            offset: one.offset as usize,
            size: one.size as usize,
            pointer: match (one.flags & POINTER != 0, one.flags & WRITTEN != 0) {
                (false, _) => None,
                (true, false) => Some(Access::Read),
                (true, true) => Some(Access::ReadWrite),
            },
        };
        Ok(Some(Parameters { size: size as usize, each: each.into_iter().map(known).collect() }))
    }
}

impl Drop for LoadedObject {
    fn drop(&mut self) {
        // This happens before the library is unloaded, because it is dropped after this.
        host_ranges::becomes(self.code.addr, host_ranges::GONE);
    }
}

impl Module for CpuModule {
    fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>> {
        let Some(found) = self.object.find(name, FUNCTION) else {
            return Err(Fault::invalid(format!(
                "the binary has no kernel {name:?}; export it as a C function (see portacl/kernel.h)"
            )));
        };
        let parameters = self.object.parameters(name)?;
        if parameters.is_none() && self.shared.library_view != 0 {
            return Err(Fault::unsupported(format!(
                "kernel {name} has no description of its parameters ({name}_portacl_kernel), so guard mode cannot find \
                 its pointers; define the kernel with PORTACL_KERNEL, or unset PORTACL_CPU_GUARD and remove `bounds` \
                 and `all` from PORTACL_CHECK"
            )));
        }
        let code = Code { addr: found.addr.expose_provenance(), len: found.len };
        let info = KernelInfo { parameters, most_shared_bytes: MOST_SHARED_BYTES, code: Some(code) };
        // SAFETY: by its name it is a kernel, a function of this type: the caller's promise.
        let entry = unsafe { std::mem::transmute::<*mut c_void, KernelFn>(found.addr) };
        let release = self.object.find(&format!("{name}_portacl_release"), FUNCTION);
        // SAFETY: the header says that a function of this name is one of this type.
        let release = release.map(|found| unsafe { std::mem::transmute::<*mut c_void, ReleaseFn>(found.addr) });
        let uses = self.object.find(&format!("{name}_portacl_uses"), FUNCTION);
        // SAFETY: the header reserves this name for functions of the type `Uses`.
        let uses = uses.map(|found| unsafe { std::mem::transmute::<*mut c_void, Uses>(found.addr) });
        let _object = Arc::clone(&self.object);
        Ok(Arc::new(CpuKernel { name: name.to_owned(), entry, release, uses, info, _object }))
    }

    fn variable(&self, name: &str) -> Result<Span> {
        let is_whole = |found: &Symbol| found.len != 0 && self.object.has(found.addr.addr(), found.len);
        let Some(found) = self.object.find(name, OBJECT).filter(is_whole) else {
            return Err(Fault::invalid(format!(
                "the binary has no variable {name:?}; export it as extern \"C\" data (see portacl/kernel.h)"
            )));
        };
        let mut has_variables = self.has_variables.lock();
        if !*has_variables {
            let Code { addr, len } = self.object.code;
            let no_memory = || {
                Fault::out_of_host_memory(
                    "the host has no memory to register the variables of the binary; free host memory",
                )
            };
            ensure!(host_ranges::loaded(addr, len, self.ordinal), no_memory());
            *has_variables = true;
        }
        drop(has_variables);
        let place = Place::Device(self.ordinal);
        Ok(Span { addr: found.addr.expose_provenance(), len: found.len, place })
    }

    fn code(&self) -> Option<Code> {
        Some(self.object.code)
    }
}

impl Drop for CpuModule {
    /// Marks the object as unloaded. Pending kernels keep the object loaded themselves.
    fn drop(&mut self) {
        if !*self.has_variables.get_mut() {
            return;
        }
        let Code { addr, len } = self.object.code;
        host_ranges::becomes(addr, host_ranges::LEAVING);
        self.shared.unloading.free(Arc::clone(&self.object) as _, self.shared.users.fence(addr, len), drop);
    }
}
