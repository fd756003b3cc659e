//! Programs of devices, and the kernels in them.

pub mod function;
pub mod kernel_args;
pub mod kernel_launch;
pub mod symbol;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::algo::host::cpp_name::shown_name;
use crate::algo::host::input_file;
use crate::algo::map::slot_table::{self, Handle};
use crate::backend::{self, Copy, Place, Span};
use crate::base::error::{Code, Error, Result, error_with, invalid_param, param_invalid, unsupported};
use crate::base::handles::{self, Object};
use crate::kernel::function::{Function, no_code};
use crate::runtime::device::Device;
use crate::runtime::{self, thread};
use crate::stream::exception::{self, Exception, ExceptionCallback};

/// A program on a device.
pub struct Binary {
    /// The device that it is loaded on.
    pub device: Arc<Device>,
    /// The backend's module.
    pub native: Arc<dyn backend::Module>,
    /// The handles of its kernels, by name; `None` while it is being unloaded.
    functions: Mutex<Option<HashMap<String, Handle>>>,
    /// The symbols that refer to it.
    symbols: Mutex<BTreeSet<usize>>,
    /// The callback for failures of the program's kernels.
    watcher: Mutex<Option<ExceptionCallback>>,
}

handles::object!(Binary, Binary, |_| true);

/// The bytes of a program that is described before it is loaded. They use no device, so they work at any time and
/// outlive aclFinalize.
pub struct BinaryImage(Box<[u8]>);

handles::object!(BinaryImage, BinaryImage);

/// Implements aclrtCreateBinary: returns the handle.
pub fn create_image(bytes: &[u8]) -> Result<u64> {
    let image = Arc::new(BinaryImage(bytes.into()));
    BinaryImage::table().insert(image).map(Handle::raw).ok_or_else(|| Error::no_more("binaries"))
}

/// Implements aclrtDestroyBinary.
pub fn destroy_image(raw: u64) -> Result<()> {
    handles::destroy::<BinaryImage>("binary", raw)
}

/// Implements aclrtBinaryLoad: returns the handle of the program on the current device.
pub fn load_image(raw: u64) -> Result<u64> {
    load(&handles::get_arc::<BinaryImage>("binary", raw)?.0)
}

/// Checks the kinds of the load options. Their values have no effect here: the program itself determines what it is
/// for.
pub fn check_load_options(options: impl Iterator<Item = i32>) -> Result<()> {
    options.enumerate().try_for_each(|(index, option)| match option {
        1 | 2 => Ok(()),
        3 => Err(unsupported!(
            "options[{index}] is ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, but this library runs no kernels on AI CPUs; \
             use aclrtLaunchHostFunc"
        )),
        _ => Err(invalid_param!(
            "options[{index}] is of type {option}; allowed: ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD 1, \
             ACL_RT_BINARY_LOAD_OPT_MAGIC 2"
        )),
    })
}

/// Implements aclrtBinaryLoadFromFile: returns the handle.
pub fn load_file(path: &Path) -> Result<u64> {
    thread::current_outside_host_functions()?;
    let image = input_file::read(path)
        .map_err(|why| error_with!(Code::of_read(&why), "binPath {} cannot be read: {why}", path.display()))?;
    ensure!(!image.is_empty(), param_invalid!("binPath {} is an empty file; pass a program file", path.display()));
    load(&image)
}

/// Implements aclrtBinaryLoadFromData: returns the handle of a program on the current device.
pub fn load(image: &[u8]) -> Result<u64> {
    let device = thread::current_outside_host_functions()?.device.clone();
    let most = runtime::session()?.driver.host_memory();
    if image.len() as u64 > most {
        return Err(invalid_param!(
            "length is {}; allowed: at most {most}, the bytes of all host memory; pass the length of the data",
            image.len()
        ));
    }
    let native = device.native.load_module(image)?;
    let functions = Mutex::new(Some(HashMap::new()));
    let binary = Arc::new(Binary { device, native, functions, symbols: Mutex::default(), watcher: Mutex::new(None) });
    Binary::table().insert(binary).map(Handle::raw).ok_or_else(|| Error::no_more("binaries"))
}

/// Implements aclrtBinaryUnLoad. Enqueued launches keep what they need.
pub fn unload(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let Some(binary) = handles::end::<Binary>("binHandle", raw)? else { return Ok(()) };
    symbol::forget_binary(raw, &binary);
    let functions = binary.functions.lock().take();
    let functions = functions.into_iter().flatten().filter_map(|(_, handle)| Function::table().remove(handle));
    functions.for_each(|function| kernel_args::forget_kernel(&function));
    drop(binary);
    slot_table::flush_deferred();
    Ok(())
}

/// Implements aclrtBinaryGetFunction: returns the handle of a kernel, the same one each time.
pub fn function(raw: u64, name: &str) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let binary = handles::get_arc::<Binary>("binHandle", raw)?;
    // The lock is held during the backend's lookup, so that a kernel has one handle and an unload removes all of them.
    let mut functions = binary.functions.lock();
    let unloaded =
        || param_invalid!("binHandle {raw:#x} is being unloaded by another thread; unload it after its last use");
    let known = functions.as_mut().ok_or_else(unloaded)?;
    if let Some(handle) = known.get(name) {
        return Ok(handle.raw());
    }
    let native = binary.native.kernel(name)?;
    let parameters = native.info().parameters.iter().flat_map(|known| &known.each);
    let function = Arc::new(Function {
        device: Arc::clone(&binary.device),
        has_pointers: parameters.into_iter().any(|one| one.pointer.is_some()),
        native,
        binary: raw,
        name: name.to_owned(),
        shown: shown_name(name),
        lists: Mutex::default(),
    });
    let handle = Function::table().insert(function).ok_or_else(|| Error::no_more("functions"))?;
    known.insert(name.to_owned(), handle);
    Ok(handle.raw())
}

/// Prefix of the names of variables that map a number to a kernel's name.
const ENTRY: &str = "portacl_entry_";
/// Maximum length of such names.
const MOST_NAME: usize = 1024;

/// Implements aclrtBinaryGetFunctionByEntry: returns the handle of the kernel with this number in the program.
pub fn function_by_entry(raw: u64, number: u64) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let binary = handles::get_arc::<Binary>("binHandle", raw)?;
    let entry = format!("{ENTRY}{number}");
    let text =
        binary.native.variable(&entry).map_err(|fault| match fault.kind() == backend::FaultKind::InvalidArgument {
            true => param_invalid!(
                "funcEntry is {number}, but the binary has no variable {entry} that contains the name of this kernel; \
                 define it with PORTACL_KERNEL_ENTRY (portacl/kernel.h), or use aclrtBinaryGetFunction"
            ),
            false => fault.into(),
        })?;
    let name = read_name(&binary, &entry, text)?;
    drop(binary);
    function(raw, &name)
}

/// Returns the text in a variable of a program.
fn read_name(binary: &Binary, entry: &str, text: Span) -> Result<String> {
    let mut bytes = vec![0_u8; text.len.min(MOST_NAME)];
    let (addr, len) = (bytes.as_mut_ptr().expose_provenance(), bytes.len());
    let dst = Span { addr, len, place: Place::Pageable };
    binary.device.native.copy(Copy { dst, src: Span { len, ..text }, stage_source: false })?;
    let end = bytes.iter().position(|byte| *byte == 0);
    let name = end.and_then(|end| std::str::from_utf8(&bytes[..end]).ok());
    name.map(str::to_owned).ok_or_else(|| {
        param_invalid!(
            "the variable {entry} ({} bytes) of the binary does not name the kernel of funcEntry; it must be a \
             zero-terminated UTF-8 text of less than {MOST_NAME} bytes, the kernel's name; define it with \
             PORTACL_KERNEL_ENTRY (portacl/kernel.h)",
            text.len
        )
    })
}

/// Implements aclrtBinaryGetGlobal: returns a variable of a program.
pub fn variable(raw: u64, name: &str) -> Result<Span> {
    thread::refuse_inside_host_function()?;
    Ok(handles::get_arc::<Binary>("binHandle", raw)?.native.variable(name)?)
}

/// Implements aclrtBinaryGetDevAddress: returns the address of a program.
pub fn code_of_binary(raw: u64) -> Result<backend::Code> {
    let code = handles::get::<Binary>("binHandle", raw)?.native.code();
    code.ok_or_else(|| no_code("the binary"))
}

/// Implements aclrtBinarySetExceptionCallback.
pub fn watch(raw: u64, watcher: Option<ExceptionCallback>) -> Result<()> {
    let binary = handles::get_arc::<Binary>("binHandle", raw)?;
    exception::set_source(watchers);
    // The previous callback is dropped after the lock is released.
    let _before = std::mem::replace(&mut *binary.watcher.lock(), watcher);
    Ok(())
}

/// Returns the callback of the binary whose kernel failed. If the failed kernel is unknown, the callbacks of all
/// binaries on the device.
fn watchers(exception: &Exception) -> Vec<ExceptionCallback> {
    let of = |binary: &Binary| binary.watcher.lock().clone();
    match &exception.launch {
        Some(launch) => {
            let function = Function::table().get_raw(launch.function);
            let binary = function.and_then(|function| Binary::table().get_raw(function.binary));
            binary.and_then(|binary| of(&binary)).into_iter().collect()
        }
        None if exception.task == Exception::UNKNOWN => {
            let binaries = Binary::table().live();
            let here = binaries.filter(|(_, binary)| binary.device.id == exception.device);
            here.filter_map(|(_, binary)| of(&binary)).collect()
        }
        None => Vec::new(),
    }
}
