//! Kernels of programs, and their properties.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::algo::count::Count;
use crate::algo::map::slot_table::Handle;
use crate::backend;
use crate::base::error::{Error, Result, arguments, invalid_param, unsupported};
use crate::base::handles;
use crate::runtime::device::Device;

/// A kernel of a program. It is unloaded with the program.
pub struct Function {
    /// The device that it can run on.
    pub device: Arc<Device>,
    /// The backend's kernel.
    pub native: Arc<dyn backend::Kernel>,
    /// True if its parameters are known, and some are pointers.
    pub has_pointers: bool,
    pub(super) binary: u64,
    /// Its name in its program.
    pub(super) name: String,
    /// The same name as people read it: C++ names are demangled.
    pub shown: String,
    /// The lists of arguments for it, the oldest first.
    pub lists: Mutex<VecDeque<Handle>>,
}

handles::object!(Function, Function);

/// Implements aclrtGetFunctionAddr and aclrtGetFunctionSize: returns the address and size of a kernel's code.
pub fn code_of(raw: u64) -> Result<backend::Code> {
    let code = handles::get::<Function>("funcHandle", raw)?.native.info().code;
    code.ok_or_else(|| no_code("the kernel's code"))
}

pub(super) fn no_code(what: &str) -> Error {
    unsupported!(
        "CUDA drivers report neither address nor size of {what}; omit this call, and pass the handle to other calls"
    )
}

/// Implements aclrtGetFunctionAttribute.
pub fn attribute_of(raw: u64, attribute: i32) -> Result<i64> {
    let attribute = arguments::enumerated("attrType", attribute, 1..=3, "aclrtFuncAttribute")?;
    handles::get::<Function>("funcHandle", raw)?;
    if attribute == 2 {
        return Err(unsupported!(
            "attrType is ACL_FUNC_ATTR_KERNEL_RATIO, which only kernels for two kinds of cores have, but devices here \
             have one kind of core; query ACL_FUNC_ATTR_KERNEL_TYPE instead (it is ACL_KERNEL_TYPE_AICORE)"
        ));
    }
    // ACL_FUNC_ATTR_KERNEL_TYPE is ACL_KERNEL_TYPE_AICORE, for the cores of the device, which are all of one kind.
    // ACL_FUNC_ATTR_KERNEL_SCHED_MODE is normal: blocks run in any order.
    Ok(0)
}

/// Implements aclrtFunctionGetAvailDynUbufPerBlock: returns a number of bytes.
pub fn available_shared_bytes(raw: u64, flags: u32) -> Result<usize> {
    arguments::no_flags("flags", flags)?;
    Ok(handles::get::<Function>("func", raw)?.native.info().most_shared_bytes)
}

/// Implements aclrtFunctionGetParamCount.
pub fn parameter_count(raw: u64) -> Result<usize> {
    with_parameters(raw, |known| Ok(known.len()))
}

/// Implements aclrtFunctionGetParamInfo: returns offset and size of a parameter.
pub fn parameter(raw: u64, index: usize) -> Result<(usize, usize)> {
    with_parameters(raw, |known| match known.get(index) {
        Some(parameter) => Ok((parameter.offset, parameter.size)),
        None => {
            let count = Count(known.len(), "parameter");
            Err(invalid_param!("paramIndex is {index} (counted from 0), but the kernel has {count}"))
        }
    })
}

fn with_parameters<R>(raw: u64, read: impl FnOnce(&[backend::Parameter]) -> Result<R>) -> Result<R> {
    let function = handles::get::<Function>("func", raw)?;
    match &function.native.info().parameters {
        Some(known) => read(&known.each),
        None => Err(unsupported!(
            "the parameters of kernel {} are unknown; for CPUs, describe them with PORTACL_KERNEL; for GPUs, load the \
             kernel from PTX text, or use a CUDA driver of version 12.4 or later",
            function.shown
        )),
    }
}

/// Implements aclrtFunctionGetBinary.
pub fn binary_of(raw: u64) -> Result<u64> {
    Ok(handles::get::<Function>("funcHandle", raw)?.binary)
}

/// Implements aclrtGetFunctionName.
pub fn name_of(raw: u64) -> Result<String> {
    Ok(handles::get::<Function>("funcHandle", raw)?.name.clone())
}
