//! Programs of devices, and the kernels in them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use super::device::Device;
use super::error::{Code, Error, Result};
use super::handles::{self, Object};
use super::thread;
use crate::algo::slot_table::{self, Handle};
use crate::backend;

/// A program on a device.
pub struct Binary {
    /// Where it is loaded.
    pub device: Arc<Device>,
    native: Arc<dyn backend::Module>,
    /// The kernels that programs have of it, by name; `None`: it is being unloaded.
    functions: Mutex<Option<HashMap<String, Handle>>>,
}

/// A kernel of a program. It dies with it.
pub struct Function {
    /// Where it can run.
    pub device: Arc<Device>,
    /// What does the work.
    pub native: Arc<dyn backend::Kernel>,
    binary: Handle,
    /// What its program calls it.
    pub name: String,
}

/// Options of loading, as numbers of the API.
mod load_option {
    pub const LAZY_LOAD: i32 = 1;
    pub const MAGIC: i32 = 2;
    pub const CPU_KERNEL_MODE: i32 = 3;
}

/// Checks the kinds of the options of loading. Their values mean nothing here: what a program is
/// for stands in the program.
pub fn check_load_options(options: impl Iterator<Item = i32>) -> Result<()> {
    for (index, option) in options.enumerate() {
        match option {
            load_option::LAZY_LOAD | load_option::MAGIC => {}
            load_option::CPU_KERNEL_MODE => {
                return Err(Error::unsupported(format_args!(
                    "options[{index}] is ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE: the devices here have no CPUs \
                     of their own; use aclrtLaunchHostFunc"
                )));
            }
            _ => {
                return Err(Error::invalid_param(format_args!(
                    "options[{index}] is of type {option}; allowed: ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD 1, \
                     ACL_RT_BINARY_LOAD_OPT_MAGIC 2"
                )));
            }
        }
    }
    Ok(())
}

/// aclrtBinaryLoadFromFile: the handle.
pub fn load_file(path: &Path) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    thread::current()?;
    let image = std::fs::read(path).map_err(|why| {
        Error::new(
            Code::InvalidFile,
            format_args!("binPath {} cannot be read: {why}", path.display()),
        )
    })?;
    if image.is_empty() {
        return Err(Error::param_invalid(format_args!(
            "binPath {} is an empty file; it must be a program",
            path.display()
        )));
    }
    load(&image)
}

/// aclrtBinaryLoadFromData: the handle of a program on the current device.
pub fn load(image: &[u8]) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let device = thread::current()?.device.clone();
    let native = device.native.load_module(image)?;
    let functions = Mutex::new(Some(HashMap::new()));
    let binary = Arc::new(Binary { device, native, functions });
    Binary::table()
        .insert(binary)
        .map(Handle::raw)
        .ok_or_else(|| Error::new(Code::BadAlloc, "no more binaries can be loaded; unload some"))
}

/// aclrtBinaryUnLoad: launches that are queued keep what they need.
pub fn unload(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let binary = handles::remove::<Binary>("binHandle", raw)?;
    let functions = binary.functions.lock().take();
    for handle in functions.into_iter().flatten().map(|(_, handle)| handle) {
        drop(Function::table().remove(handle));
    }
    drop(binary);
    slot_table::flush_deferred();
    Ok(())
}

/// aclrtBinaryGetFunction: the handle of a kernel, the same one each time.
pub fn function(raw: u64, name: &str) -> Result<u64> {
    thread::refuse_inside_host_function()?;
    let binary = handles::get_arc::<Binary>("binHandle", raw)?;
    // Held while the backend looks, so that a kernel has one handle and an unload takes them all.
    let mut functions = binary.functions.lock();
    let Some(known) = functions.as_mut() else {
        return Err(Error::param_invalid(format_args!(
            "binHandle {raw:#x} is being unloaded by another thread"
        )));
    };
    if let Some(handle) = known.get(name) {
        return Ok(handle.raw());
    }
    let native = binary.native.kernel(name)?;
    let Some(of) = Handle::from_raw(raw) else { unreachable!("it was found") };
    let function = Arc::new(Function {
        device: Arc::clone(&binary.device),
        native,
        binary: of,
        name: name.to_owned(),
    });
    let handle = Function::table().insert(function).ok_or_else(|| {
        Error::new(Code::BadAlloc, "no more functions can be had; unload some binaries")
    })?;
    known.insert(name.to_owned(), handle);
    Ok(handle.raw())
}

/// aclrtFunctionGetBinary.
pub fn binary_of(raw: u64) -> Result<u64> {
    Ok(handles::get::<Function>("funcHandle", raw)?.binary.raw())
}

/// aclrtGetFunctionName.
pub fn name_of(raw: u64) -> Result<String> {
    Ok(handles::get::<Function>("funcHandle", raw)?.name.clone())
}
