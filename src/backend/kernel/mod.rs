//! Programs of a device, and launches of their kernels.

pub mod binary_image;
mod elf_relocations;
mod elf_tables;
mod elf_versions;
pub mod ptx;

use std::any::Any;
use std::sync::Arc;

use super::{Access, FailedLaunch, Fault, Result, Span, downcast};
use crate::algo::count::Count;
use crate::algo::host::cpp_name::shown_name;
use crate::algo::host::grow::filled;

/// A program that is loaded on a device. Kernels of it that are referenced, and pending operations that use its
/// variables or kernels, keep what they need of it.
pub trait Module: Send + Sync {
    /// Returns the kernel with this name. Fails with [`super::FaultKind::InvalidArgument`] if there is none.
    fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>>;

    /// Returns the variable with this name. It is memory on the device until the program is unloaded, and
    /// [`super::Driver::foreign`] knows it. Fails with [`super::FaultKind::InvalidArgument`] if there is none.
    fn variable(&self, name: &str) -> Result<Span>;

    /// Returns the program's address range, or `None` if the driver does not report it.
    fn code(&self) -> Option<Code>;
}

/// A kernel of a [`Module`], for [`super::Op::Launch`] on the same device.
pub trait Kernel: Any + Send + Sync {
    /// Returns the properties, which do not change.
    fn info(&self) -> &KernelInfo;

    /// Returns the memory that a run with these arguments uses, or `None` if the kernel does not report it.
    fn uses(&self, _arguments: &[u8]) -> Option<Vec<Use>> {
        None
    }
}

/// Memory that a run of a kernel uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The address of the first byte.
    pub addr: usize,
    /// The number of bytes, or 0 if unknown.
    pub len: usize,
    /// What the kernel does with the memory.
    pub does: Does,
}

/// What a kernel does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Does {
    /// It reads all of the memory.
    Read,
    /// It may read the memory, or a part of it.
    MayRead,
    /// It may write the memory.
    Write,
}

/// Properties of a kernel.
#[derive(Clone, Debug, Default)]
pub struct KernelInfo {
    /// The parameters, or `None` if neither program nor driver describes them.
    pub parameters: Option<Parameters>,
    /// The maximum number of bytes of a block's shared memory, beyond what the kernel declares.
    pub most_shared_bytes: usize,
    /// The address of the kernel's code, or `None` if the driver does not report it.
    pub code: Option<Code>,
}

/// The parameters of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    /// The number of bytes from the first parameter to the end of the last.
    pub size: usize,
    /// The parameters, in their order.
    pub each: Box<[Parameter]>,
}

impl Parameters {
    /// Fails unless the kernel with this name can have these arguments.
    #[inline(always)]
    pub fn check(&self, name: &str, arguments: Arguments) -> Result<()> {
        let fits = match arguments {
            // A C structure may have padding at its end: its size is a multiple of its alignment.
            Arguments::Block { len, .. } => (self.size..=self.size.next_multiple_of(align_of::<u128>())).contains(&len),
            Arguments::Each { array } => self.each.is_empty() || array != 0 && self.first_null(array).is_none(),
        };
        if fits { Ok(()) } else { Err(self.wrong(name, arguments)) }
    }

    /// Returns the index of the first of the caller's pointers to arguments that is null. `array` itself is not null.
    #[inline(always)]
    fn first_null(&self, array: usize) -> Option<usize> {
        let array: *const *const u8 = std::ptr::with_exposed_provenance(array);
        // SAFETY: the caller has an array of as many pointers as the kernel has parameters.
        let is_null = |index: &usize| unsafe { array.add(*index).read_unaligned() }.is_null();
        (0..self.each.len()).find(is_null)
    }

    #[cold]
    fn wrong(&self, name: &str, arguments: Arguments) -> Fault {
        let (name, count) = (shown_name(name), Count(self.each.len(), "parameter"));
        let size = Count(self.size, "byte");
        Fault::invalid(match arguments {
            Arguments::Block { len, .. } => {
                let len = Count(len, "byte");
                let most = self.size.next_multiple_of(align_of::<u128>());
                format!(
                    "the launch has {len} of arguments; kernel {name} needs {size} for {count}, at most {most} with \
                     padding"
                )
            }
            Arguments::Each { array: 0 } => {
                format!("args is null; kernel {name} has {count}: pass an array with the address of each argument")
            }
            Arguments::Each { array } => {
                let index = self.first_null(array).unwrap_or(0);
                let bytes = Count(self.each[index].size, "byte");
                format!("args[{index}] is null; it must point to an argument of {bytes}")
            }
        })
    }
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The parameter's offset in the arguments.
    pub offset: usize,
    /// The parameter's length in bytes.
    pub size: usize,
    /// The kernel's access to the memory, if it is known to be a pointer; never [`Access::None`].
    pub pointer: Option<Access>,
}

/// The address range of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The address of the first byte.
    pub addr: usize,
    /// The number of bytes.
    pub len: usize,
}

/// A run of a kernel: once for each block of the grid, in any order and at the same time.
pub struct Launch<'a> {
    /// The core's handle of the kernel, for a report of a failure.
    pub function: u64,
    /// The kernel, of the stream's device. A backend that needs it after the call clones the reference.
    pub kernel: &'a Arc<dyn Kernel>,
    /// The kernel's name.
    pub name: &'a str,
    /// The numbers of blocks in x, y and z, each greater than 0; at most 2^31 - 1 in x and 65,535 in y and z.
    pub grid: [u32; 3],
    /// The numbers of a block's threads in each direction, greater than 0 and within the device's limits. `None`: the
    /// caller has only blocks, and the device chooses.
    pub threads: Option<[u32; 3]>,
    /// The number of bytes of each block's shared memory, beyond what the kernel declares.
    pub shared_bytes: usize,
    /// The arguments of each block.
    pub arguments: Arguments,
    /// An object that must live as long as a graph may run this again. The stream does not need it.
    pub kept: Option<&'a Arc<dyn Any + Send + Sync>>,
}

/// The arguments of a kernel: addresses in the caller's memory. That memory is read during the call and not afterwards.
#[derive(Clone, Copy, Debug)]
pub enum Arguments {
    /// All arguments in one block, each where the kernel expects it. `len` may be 0.
    Block {
        /// The address of the first byte.
        addr: usize,
        /// The number of bytes.
        len: usize,
    },
    /// An array with the address of each argument, in the order of the kernel's parameters.
    Each {
        /// The address of the array. It is null only for a kernel without parameters.
        array: usize,
    },
}

impl Launch<'_> {
    /// Returns the kernel, which is of this type. Fails if another backend created it.
    pub fn kernel_of<K: Kernel>(&self) -> Result<&K> {
        downcast(&**self.kernel, "the kernel belongs to another backend")
    }

    /// Describes this run as a failed one.
    pub fn failed(&self) -> FailedLaunch {
        let known = self.kernel.info().parameters.as_ref();
        FailedLaunch { function: self.function, arguments: self.arguments.copy(known) }
    }
}

/// Returns a block of zeros for this many bytes of arguments, aligned for any C type.
pub fn argument_block(len: usize) -> Result<Box<[u128]>> {
    filled(0, len.div_ceil(size_of::<u128>())).map(Vec::into_boxed_slice).ok_or_else(|| {
        let text = format!("the host has no memory left for {len} bytes of kernel arguments; free host memory");
        Fault::out_of_host_memory(text)
    })
}

impl Arguments {
    /// Copies all arguments into one block. Copies an array only as far as the parameters are known.
    pub fn copy(&self, known: Option<&Parameters>) -> Box<[u8]> {
        let (len, each) = match (*self, known) {
            (Self::Block { len, .. }, _) => (len, [].as_slice()),
            (Self::Each { array }, Some(known)) if array != 0 => (known.size, &*known.each),
            (Self::Each { .. }, _) => return Box::default(),
        };
        // Without memory for them, the arguments are reported as unknown.
        let Some(mut block) = filled(0, len) else { return Box::default() };
        // SAFETY: the block has room for all of them.
        unsafe { self.write_to(block.as_mut_ptr(), len, each) };
        block.into()
    }

    /// Copies `len` bytes of a block, or the arguments of these parameters from an array.
    ///
    /// # Safety
    /// `to` has room for `len` bytes. A block has at least as many. An array has, for each of these parameters, null or
    /// a pointer to its bytes, and is null only if there are none. Each parameter lies within `len` bytes.
    pub unsafe fn write_to(&self, to: *mut u8, len: usize, each: &[Parameter]) {
        match *self {
            Self::Block { addr, .. } => {
                let from: *const u8 = std::ptr::with_exposed_provenance(addr);
                // SAFETY: the caller of the launch has at least this many bytes there, and there is room for them.
                unsafe { to.copy_from_nonoverlapping(from, len) };
            }
            Self::Each { array } => {
                let array: *const *const u8 = std::ptr::with_exposed_provenance(array);
                for (index, one) in each.iter().enumerate() {
                    // SAFETY: the caller has a pointer there for each parameter, to as many bytes,
                    // and parameters lie inside the block.
                    unsafe {
                        let from = array.add(index).read_unaligned();
                        if !from.is_null() {
                            to.add(one.offset).copy_from_nonoverlapping(from, one.size);
                        }
                    }
                }
            }
        }
    }

    /// Returns the argument with this index as an address, if it exists and has the size of an address.
    pub fn pointer(&self, index: usize, parameter: &Parameter) -> Option<usize> {
        if parameter.size != size_of::<usize>() {
            return None;
        }
        let at: *const usize = match *self {
            Self::Block { addr, len } => {
                let end = parameter.offset + parameter.size;
                (end <= len).then(|| std::ptr::with_exposed_provenance(addr + parameter.offset))?
            }
            Self::Each { array: 0 } => return None,
            Self::Each { array } => {
                let array: *const *const usize = std::ptr::with_exposed_provenance(array);
                // SAFETY: the caller of the launch has a pointer there for each parameter.
                unsafe { array.add(index).read_unaligned() }
            }
        };
        // SAFETY: null, or by the caller's promise the argument, of the parameter's size.
        (!at.is_null()).then(|| unsafe { at.read_unaligned() })
    }
}
