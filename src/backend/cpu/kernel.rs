//! Kernels of programs: functions of shared objects, as `include/portacl/kernel.h` has them.
//!
//! A kernel is the exported function NAME, called once for each block; NAME_portacl_kernel, if
//! there, describes its parameters. It is the caller's code and runs on our threads, so it may not
//! call into this library.

use std::any::Any;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::{Shared, copy};
use crate::backend::host_fn::as_user_code;
use crate::backend::image::{Image, SHARED_OBJECT};
use crate::backend::{Arguments, Fault, FaultKind, Kernel, Launch, Module, Result};

/// `EM_X86_64`, `EM_AARCH64`.
const THIS_MACHINE: u16 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };

/// More fast memory than this no block gets.
const MOST_SHARED_BYTES: usize = 1 << 20;
/// Fast memory begins at a multiple of this.
const ALIGNMENT: usize = 64;
/// The last pieces of a grid are this part of a thread's share, so that uneven blocks spread evenly.
const LEAST_SHARE: u64 = 64;

/// `portaclBlock`.
#[repr(C)]
struct Block {
    index: [u32; 3],
    count: [u32; 3],
    threads: [u32; 3],
    reserved: u32,
    shared: *mut c_void,
    shared_bytes: usize,
}

type Entry = unsafe extern "C" fn(*const c_void, *const Block);

/// `portaclParameter`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Parameter {
    offset: u32,
    size: u32,
    flags: u32,
}

/// `PORTACL_PARAMETER_POINTER`.
const POINTER: u32 = 1;

/// `portaclKernel`.
#[repr(C)]
struct Descriptor {
    version: u32,
    arguments_size: u32,
    parameter_count: u32,
    parameters: *const Parameter,
}

/// `PORTACL_KERNEL_VERSION`.
const VERSION: u32 = 1;
/// What a GPU's kernel can have at most as well.
const MOST_ARGUMENTS: u32 = 4096;

/// What is known of a kernel's parameters.
struct Parameters {
    size: usize,
    each: Box<[Parameter]>,
}

/// A shared object behind the trait.
struct CpuModule(Arc<Loaded>);

struct Loaded {
    library: Library,
    /// The name that the loader knows it by.
    path: CString,
    guarded: bool,
}

/// A function of a shared object, which stays loaded as long.
pub(super) struct CpuKernel {
    name: String,
    entry: Entry,
    parameters: Option<Parameters>,
    module: Arc<Loaded>,
}

impl Kernel for CpuKernel {}

/// A queued run of a kernel.
pub(super) struct Call {
    /// Keeps the function loaded.
    _kernel: Arc<dyn Kernel>,
    entry: Entry,
    /// As aligned as any C type.
    arguments: Box<[u128]>,
    grid: [u32; 3],
    threads: [u32; 3],
    shared_bytes: usize,
}

fn invalid(text: impl Into<String>) -> Fault {
    Fault::new(FaultKind::InvalidArgument, text)
}

/// Loads a program.
pub(super) fn load(shared: &Shared, image: &[u8]) -> Result<Arc<dyn Module>> {
    match Image::of(image)? {
        Image::Elf { machine: THIS_MACHINE, kind: SHARED_OBJECT } => {}
        Image::Elf { machine: THIS_MACHINE, kind } => {
            return Err(invalid(format!(
                "the ELF file is of type {kind}; the cpu backend loads shared objects, type \
                 {SHARED_OBJECT}: link the kernel with -shared"
            )));
        }
        other => {
            return Err(Fault::new(
                FaultKind::Unsupported,
                format!(
                    "the program is {}; the cpu backend loads ELF shared objects for this processor, machine \
                     {THIS_MACHINE}, and binaries for Ascend cores run nowhere else: build the kernel with \
                     portacl/kernel.h",
                    other.in_words()
                ),
            ));
        }
    }
    let file = memory_file(image)?;
    let path = unused_path(file)?;
    // SAFETY: loading a program runs its initialisers, which is what the caller asks for.
    let library =
        unsafe { Library::open(Some(path.1.to_string_lossy().as_ref()), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|error| invalid(format!("the shared object cannot be loaded: {error}")))?;
    let guarded = shared.own_view != 0;
    Ok(Arc::new(CpuModule(Arc::new(Loaded { library, path: path.1, guarded }))))
}

fn system(what: &str) -> Fault {
    let error = std::io::Error::last_os_error();
    Fault::new(
        FaultKind::OutOfResources,
        format!("a file in memory for the program: {what}: {error}"),
    )
}

/// A file without a name that holds the bytes.
fn memory_file(bytes: &[u8]) -> Result<OwnedFd> {
    // SAFETY: a text that ends with a zero; what comes back is a new descriptor or negative.
    let file = unsafe {
        let raw = libc::memfd_create(c"portacl-kernels".as_ptr(), libc::MFD_CLOEXEC);
        if raw < 0 {
            return Err(system("memfd_create"));
        }
        OwnedFd::from_raw_fd(raw)
    };
    let mut file = std::fs::File::from(file);
    std::io::Write::write_all(&mut file, bytes).map_err(|error| {
        Fault::new(
            FaultKind::OutOfHostMemory,
            format!("{} bytes for the program: {error}", bytes.len()),
        )
    })?;
    Ok(file.into())
}

/// A name of the file that the loader has for nothing else: it would take a name for the object
/// that it loaded by it before, and some objects stay after they were closed.
fn unused_path(mut file: OwnedFd) -> Result<(OwnedFd, CString)> {
    let mut taken = Vec::new();
    loop {
        let path = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd())).expect("no zero");
        // SAFETY: a text that ends with a zero; nothing is loaded by this.
        let known = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if known.is_null() {
            return Ok((file, path));
        }
        // SAFETY: opened above.
        unsafe { libc::dlclose(known) };
        let next = file.try_clone().map_err(|_| system("dup"))?;
        taken.push(std::mem::replace(&mut file, next));
    }
}

unsafe extern "C" {
    /// The loader's, which `libc` does not declare: as `dladdr`, and the symbol that it found.
    fn dladdr1(
        address: *const c_void,
        info: *mut libc::Dl_info,
        extra: *mut *mut c_void,
        flags: c_int,
    ) -> c_int;
}

/// `RTLD_DL_SYMENT`.
const SYMBOL: c_int = 1;
/// `STT_OBJECT`, `STT_FUNC`.
const OBJECT: u8 = 1;
const FUNCTION: u8 = 2;

impl Loaded {
    /// The address of an exported name of this object, and not of one that it uses, if it is of
    /// that type.
    fn find(&self, name: &str, kind: u8) -> Option<*mut c_void> {
        let text = CString::new(name).ok()?;
        // SAFETY: only the address is used here.
        let found = unsafe { self.library.get::<*mut c_void>(text.as_bytes_with_nul()) }.ok()?;
        let address = found.as_raw_ptr();
        let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        let mut symbol: *mut c_void = std::ptr::null_mut();
        // SAFETY: places for the answers.
        if unsafe { dladdr1(address, info.as_mut_ptr(), &mut symbol, SYMBOL) } == 0
            || symbol.is_null()
        {
            return None;
        }
        // SAFETY: zeros are a value of it, and the loader has filled it in.
        let info = unsafe { info.assume_init() };
        let file: *const c_char = info.dli_fname;
        // SAFETY: the loader's text, and its symbol, which live as long as the object.
        let (same, is) = unsafe {
            let same = !file.is_null() && CStr::from_ptr(file) == &*self.path;
            (same, (*symbol.cast::<libc::Elf64_Sym>()).st_info & 0xf)
        };
        (same && is == kind).then_some(address)
    }

    /// The description of a kernel's parameters, checked.
    fn parameters(&self, name: &str) -> Result<Option<Parameters>> {
        let Some(address) = self.find(&format!("{name}_portacl_kernel"), OBJECT) else {
            return Ok(None);
        };
        // SAFETY: by its name it is a `portaclKernel`, which the header makes and the caller vouches
        // for; it is constant, and read where it may not be aligned.
        let Descriptor { version, arguments_size: size, parameter_count: count, parameters } =
            unsafe { address.cast::<Descriptor>().read_unaligned() };
        if version != VERSION {
            return Err(invalid(format!(
                "{name}_portacl_kernel has version {version}; this library knows version {VERSION} of \
                 portacl/kernel.h"
            )));
        }
        let each: Box<[Parameter]> = (0..count.min(MOST_ARGUMENTS) as usize)
            // SAFETY: as above; there are so many.
            .map(|index| unsafe { parameters.add(index).read_unaligned() })
            .collect();
        let fits = |one: &Parameter| {
            let end = u64::from(one.offset) + u64::from(one.size);
            end <= u64::from(size)
                && (one.flags & POINTER == 0 || one.size as usize == size_of::<usize>())
        };
        if size > MOST_ARGUMENTS || count > MOST_ARGUMENTS || !each.iter().all(fits) {
            return Err(invalid(format!(
                "{name}_portacl_kernel describes {count} parameters in {size} bytes that do not fit together; \
                 at most {MOST_ARGUMENTS} bytes, each parameter inside them, and pointers of {} bytes",
                size_of::<usize>()
            )));
        }
        Ok(Some(Parameters { size: size as usize, each }))
    }
}

impl Module for CpuModule {
    fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>> {
        let Some(entry) = self.0.find(name, FUNCTION) else {
            return Err(invalid(format!(
                "there is no kernel {name:?} in the binary: a kernel is an exported C function, see \
                 portacl/kernel.h"
            )));
        };
        let parameters = self.0.parameters(name)?;
        if parameters.is_none() && self.0.guarded {
            return Err(Fault::new(
                FaultKind::Unsupported,
                format!(
                    "kernel {name} has no description of its parameters, {name}_portacl_kernel, so that its \
                     pointers cannot be found with PORTACL_CPU_GUARD=1; make it with PORTACL_KERNEL, or run \
                     without the guard"
                ),
            ));
        }
        // SAFETY: by its name it is a kernel, a function of this type: the caller's promise.
        let entry = unsafe { std::mem::transmute::<*mut c_void, Entry>(entry) };
        let module = Arc::clone(&self.0);
        Ok(Arc::new(CpuKernel { name: name.to_owned(), entry, parameters, module }))
    }
}

impl CpuKernel {
    /// The arguments as the kernel gets them: copied, and with pointers to device memory as ours.
    fn arguments(&self, shared: &Shared, arguments: Arguments) -> Result<Box<[u128]>> {
        let size = match (arguments, &self.parameters) {
            (Arguments::Block { len, .. }, None) => len,
            (Arguments::Block { len, .. }, Some(known)) => {
                // A C structure ends where its alignment wants it.
                let padded = known.size.next_multiple_of(align_of::<u128>());
                if !(known.size..=padded).contains(&len) {
                    return Err(invalid(format!(
                        "{len} bytes of arguments; kernel {} has {} parameters in {} bytes",
                        self.name,
                        known.each.len(),
                        known.size
                    )));
                }
                len
            }
            (Arguments::Each { .. }, Some(known)) => known.size,
            (Arguments::Each { .. }, None) => {
                return Err(Fault::new(
                    FaultKind::Unsupported,
                    format!(
                        "kernel {0} has no description of its parameters, {0}_portacl_kernel, which an array \
                         of arguments needs; make it with PORTACL_KERNEL, or pass one block of arguments with \
                         aclrtLaunchKernel",
                        self.name
                    ),
                ));
            }
        };
        let mut block = vec![0u128; size.div_ceil(size_of::<u128>())].into_boxed_slice();
        let bytes = block.as_mut_ptr().cast::<u8>();
        match arguments {
            // SAFETY: the caller has so many bytes there, and the block has room for them.
            Arguments::Block { addr, len } => unsafe {
                bytes.copy_from_nonoverlapping(copy::address(addr), len);
            },
            Arguments::Each { array } => {
                let known = self.parameters.as_ref().map_or(&[][..], |known| &known.each);
                if array == 0 && !known.is_empty() {
                    return Err(invalid(format!(
                        "args is null; kernel {} has {} parameters",
                        self.name,
                        known.len()
                    )));
                }
                let array: *const *const u8 = copy::address(array).cast_const().cast();
                for (index, one) in known.iter().enumerate() {
                    // SAFETY: the caller has an array of as many pointers as the kernel has
                    // parameters, each to a value of the parameter's size; `parameters` checked
                    // that they lie inside the block.
                    unsafe {
                        let from = array.add(index).read_unaligned();
                        if from.is_null() {
                            return Err(invalid(format!(
                                "args[{index}] is null; it must point to the argument, {} bytes",
                                one.size
                            )));
                        }
                        bytes
                            .add(one.offset as usize)
                            .copy_from_nonoverlapping(from, one.size as usize);
                    }
                }
            }
        }
        for one in self.parameters.iter().flat_map(|known| &known.each) {
            if one.flags & POINTER == 0 || shared.own_view == 0 {
                continue;
            }
            // SAFETY: inside the block, as large as an address.
            let at = unsafe { bytes.add(one.offset as usize).cast::<usize>() };
            // SAFETY: likewise.
            let addr = unsafe { at.read_unaligned() };
            if shared.windows.device_at(addr).is_some()
                || shared.imports.contains(addr)
                || shared.ranges.is_device(addr)
            {
                // SAFETY: likewise.
                unsafe { at.write_unaligned(addr + shared.own_view) };
            }
        }
        Ok(block)
    }
}

/// Makes ready what a stream is to run.
pub(super) fn call(shared: &Shared, launch: &Launch<'_>) -> Result<Call> {
    let kernel: &dyn Any = &**launch.kernel;
    let Some(kernel) = kernel.downcast_ref::<CpuKernel>() else {
        return Err(Fault::new(FaultKind::Driver, "the kernel is one of another backend"));
    };
    debug_assert_eq!(kernel.module.guarded, shared.own_view != 0);
    if launch.shared_bytes > MOST_SHARED_BYTES {
        return Err(invalid(format!(
            "{} bytes of fast memory for each block; this device has {MOST_SHARED_BYTES} for it",
            launch.shared_bytes
        )));
    }
    Ok(Call {
        entry: kernel.entry,
        arguments: kernel.arguments(shared, launch.arguments)?,
        grid: launch.grid,
        threads: launch.threads.unwrap_or([1; 3]),
        shared_bytes: launch.shared_bytes,
        _kernel: Arc::clone(launch.kernel),
    })
}

/// Runs all blocks.
pub(super) fn run(shared: &Shared, call: &Call) {
    let threads = shared.cores;
    let ends = pieces(call.grid.map(u64::from).iter().product(), threads);
    shared.executor.parallel_on(threads, ends.len(), &|piece| {
        let first = piece.checked_sub(1).map_or(0, |before| ends[before]);
        run_piece(call, first, ends[piece] - first);
    });
}

/// Where each piece of a grid ends. They are begun in order and become smaller: few to begin with,
/// and little for the last thread to do when the others have finished.
fn pieces(blocks: u64, threads: usize) -> Vec<u64> {
    let threads = threads as u64;
    let least = blocks.div_ceil(threads * LEAST_SHARE);
    let mut ends = Vec::new();
    let mut begun = 0;
    while begun < blocks {
        // For each thread one, and in all half of what is left.
        let size = ((blocks - begun) / (2 * threads)).max(least);
        for _ in 0..threads {
            if begun < blocks {
                begun += size.min(blocks - begun);
                ends.push(begun);
            }
        }
    }
    ends
}

/// Runs so many blocks from the one with that number on: x counts fastest.
fn run_piece(call: &Call, first: u64, count: u64) {
    let mut fast =
        vec![0u8; call.shared_bytes + if call.shared_bytes == 0 { 0 } else { ALIGNMENT }];
    let offset = fast.as_ptr().align_offset(ALIGNMENT).min(fast.len());
    let [x, y, _] = call.grid.map(u64::from);
    let mut block = Block {
        index: [first % x, first / x % y, first / x / y].map(|at| at as u32),
        count: call.grid,
        threads: call.threads,
        reserved: 0,
        shared: match call.shared_bytes {
            0 => std::ptr::null_mut(),
            _ => fast[offset..].as_mut_ptr().cast(),
        },
        shared_bytes: call.shared_bytes,
    };
    as_user_code(|| {
        for _ in 0..count {
            // SAFETY: `call._kernel` keeps the function loaded; that it does no harm is the
            // promise of whoever launched it.
            unsafe { (call.entry)(call.arguments.as_ptr().cast(), &raw const block) };
            // Without a division: a block may be as short as one.
            block.index[0] += 1;
            if block.index[0] == call.grid[0] {
                block.index[0] = 0;
                block.index[1] += 1;
                if block.index[1] == call.grid[1] {
                    block.index[1] = 0;
                    block.index[2] += 1;
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn pieces_cover_the_grid_and_become_smaller() {
        for blocks in [1, 2, 3, 63, 64, 10_000, 1 << 63] {
            for threads in [1, 2, 3, 64] {
                let ends = pieces(blocks, threads);
                let sizes: Vec<u64> = ends
                    .iter()
                    .scan(0, |first, end| Some(end - std::mem::replace(first, *end)))
                    .collect();
                assert_eq!(ends.last(), Some(&blocks), "{threads}: {ends:?}");
                assert!(sizes.iter().all(|size| *size > 0), "{blocks}, {threads}: {sizes:?}");
                assert!(sizes.is_sorted_by(|a, b| a >= b), "{blocks}, {threads}: {sizes:?}");
                // The last thread to begin one has little to do, and there are few to begin.
                assert!(*sizes.last().unwrap() <= blocks.div_ceil(threads as u64 * 64));
                assert!(sizes.len() <= 8 * threads, "{blocks}, {threads}: {}", sizes.len());
            }
        }
    }
}
