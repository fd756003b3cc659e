//! Kernel binaries, and the kernels in them.

use std::ffi::{c_char, c_void};
use std::path::Path;

use crate::base::{
    Array, address, bytes, enum_value, guard, guard_out, guard_outs, guard_unsupported, guard_value, handle,
    read_optional, text,
};
use crate::core::base::error::Result;
use crate::core::kernel;
use crate::types::{aclError, aclrtBinHandle, aclrtBinary, aclrtBinaryLoadOptions, aclrtFuncHandle};

/// Checks the options of a load that have an effect here; null for none.
fn check_options(options: *const aclrtBinaryLoadOptions) -> Result<()> {
    let Some(options) = read_optional(options) else { return Ok(()) };
    let entries = Array::checked("options->options", options.options, "options->numOpt", options.numOpt)?;
    kernel::check_load_options(entries.iter().map(|entry| enum_value(entry.r#type)))
}

/// Creates a description of a kernel binary, to be loaded with aclrtBinaryLoad. The bytes are copied. Works at any
/// time, without a device; the description lives until it is destroyed, also through aclFinalize.
///
/// @param data first byte of the binary, which is checked when it is loaded.
/// @param dataLen its length in bytes, at least 1.
/// @return the description, to be destroyed with aclrtDestroyBinary; null if `data` is null or `dataLen` is 0
///     (aclGetRecentErrMsg returns the text, ACL_ERROR_INVALID_PARAM 100000) or if no more can be created
///     (ACL_ERROR_BAD_ALLOC 200000).
/// @note Thread-safe. Follows aclrtCreateBinary of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateBinary(data: *const c_void, dataLen: usize) -> aclrtBinary {
    guard_value("aclrtCreateBinary", std::ptr::null_mut(), || {
        // SAFETY: aclrtCreateBinary asks for `dataLen` readable bytes at `data`.
        let image = unsafe { bytes("data", data, "dataLen", dataLen, "the program") }?;
        Ok(handle::to_c(kernel::create_image(image)?))
    })
}

/// Destroys the description of a binary. Binaries that were loaded from it stay loaded.
///
/// @param binary from aclrtCreateBinary.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a description of a binary, or already destroyed.
/// @note Thread-safe. Follows aclrtDestroyBinary of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyBinary(binary: aclrtBinary) -> aclError {
    guard("aclrtDestroyBinary", || kernel::destroy_image(handle::from_c(binary)))
}

/// Loads a described kernel binary on the current device.
///
/// @param binary from aclrtCreateBinary; it may be loaded several times, and on several devices.
/// @param binHandle receives the handle, to be unloaded with aclrtBinaryUnLoad. It is released with its device.
/// @return the codes of aclrtBinaryLoadFromData
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `binary` is not a description, or destroyed.
/// @note Thread-safe. Follows aclrtBinaryLoad of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryLoad(binary: aclrtBinary, binHandle: *mut aclrtBinHandle) -> aclError {
    guard_out("aclrtBinaryLoad", "binHandle", binHandle, || {
        Ok(handle::to_c(kernel::load_image(handle::from_c(binary))?))
    })
}

/// Loads a kernel binary from a file on the current device. The file is read during the call and may change afterwards.
/// aclrtBinaryLoadFromData describes the formats.
///
/// @param binPath the file's path.
/// @param options null, or options; ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD and ACL_RT_BINARY_LOAD_OPT_MAGIC are accepted and
///     have no effect.
/// @param binHandle receives the handle, to be unloaded with aclrtBinaryUnLoad. It is released with its device.
/// @return the codes of aclrtBinaryLoadFromData
/// @retval ACL_ERROR_INVALID_FILE 100003: the file cannot be read.
/// @retval ACL_ERROR_BAD_ALLOC 200000: the host has no memory for the file.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the file is empty.
/// @note Thread-safe. Follows aclrtBinaryLoadFromFile of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryLoadFromFile(
    binPath: *const c_char,
    options: *mut aclrtBinaryLoadOptions,
    binHandle: *mut aclrtBinHandle,
) -> aclError {
    guard_out("aclrtBinaryLoadFromFile", "binHandle", binHandle, || {
        // SAFETY: `binPath` is null or a C string that names a file.
        let path = unsafe { text::required("binPath", binPath) }?;
        check_options(options)?;
        Ok(handle::to_c(kernel::load_file(Path::new(path))?))
    })
}

/// Loads a kernel binary from memory on the current device. cuda backend: PTX text, a cubin or a fatbin. cpu backend:
/// an ELF shared object for this processor, built as described in portacl/kernel.h; its initializers run. Binaries for
/// Ascend cores return 207000.
///
/// @param data first byte of the binary; not needed after the call.
/// @param length its length in bytes, at least 1.
/// @param options null, or options; ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD and ACL_RT_BINARY_LOAD_OPT_MAGIC are accepted and
///     have no effect.
/// @param binHandle receives the handle, to be unloaded with aclrtBinaryUnLoad. It is released with its device.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, `length` 0 or an unknown option.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the binary is truncated, damaged or cannot be linked, or called inside a
///     host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a binary for other hardware, or
///     ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE.
/// @note Thread-safe. Follows aclrtBinaryLoadFromData of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryLoadFromData(
    data: *const c_void,
    length: usize,
    options: *const aclrtBinaryLoadOptions,
    binHandle: *mut aclrtBinHandle,
) -> aclError {
    guard_out("aclrtBinaryLoadFromData", "binHandle", binHandle, || {
        // SAFETY: aclrtBinaryLoadFromData asks for `length` readable bytes at `data`.
        let image = unsafe { bytes("data", data, "length", length, "the program") }?;
        check_options(options)?;
        Ok(handle::to_c(kernel::load(image)?))
    })
}

/// Unloads a binary; the handles of its kernels become invalid. Pending launches still run and keep what they need.
/// Does not wait. If the binary was already released with its device, the first call succeeds and does nothing:
/// docs/failures.md.
///
/// @param binHandle a handle of aclrtBinaryLoad, aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a binary handle, unloaded, or called inside a host function.
/// @note Thread-safe. Follows aclrtBinaryUnLoad of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryUnLoad(binHandle: aclrtBinHandle) -> aclError {
    guard("aclrtBinaryUnLoad", || kernel::unload(handle::from_c(binHandle)))
}

/// Returns a kernel by name.
///
/// @param binHandle a handle of aclrtBinaryLoad, aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
/// @param kernelName the name; for a C++ kernel the plain name requires extern "C".
/// @param funcHandle receives the handle, which is the same for each call with this name; it ends with `binHandle`.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a binary handle, unloaded, no kernel of that name, or called inside a
///     host function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: on the cpu backend in guard mode, the kernel has no description of
///     its parameters.
/// @note Thread-safe. Follows aclrtBinaryGetFunction of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryGetFunction(
    binHandle: aclrtBinHandle,
    kernelName: *const c_char,
    funcHandle: *mut aclrtFuncHandle,
) -> aclError {
    guard_out("aclrtBinaryGetFunction", "funcHandle", funcHandle, || {
        // SAFETY: `kernelName` is null or a C string that names a kernel.
        let name = unsafe { text::required("kernelName", kernelName) }?;
        Ok(handle::to_c(kernel::function(handle::from_c(binHandle), &name.to_string_lossy())?))
    })
}

/// Returns a kernel by number. A string in the binary (exported `const char` data) named portacl_entry_NUMBER contains
/// the kernel's name. PORTACL_KERNEL_ENTRY of portacl/kernel.h defines it; in CUDA C++ write `extern "C" __device__
/// const char portacl_entry_7[] = "name";`.
///
/// @param binHandle a handle of aclrtBinaryLoad, aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
/// @param funcEntry the number.
/// @param funcHandle receives the handle that aclrtBinaryGetFunction returns for the name.
/// @return the codes of aclrtBinaryGetFunction
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: also if the binary has no such string, or the string is not a name.
/// @note Thread-safe. Follows aclrtBinaryGetFunctionByEntry of the Ascend runtime API; the encoding of numbers is
///     portacl's choice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryGetFunctionByEntry(
    binHandle: aclrtBinHandle,
    funcEntry: u64,
    funcHandle: *mut aclrtFuncHandle,
) -> aclError {
    guard_out("aclrtBinaryGetFunctionByEntry", "funcHandle", funcHandle, || {
        Ok(handle::to_c(kernel::function_by_entry(handle::from_c(binHandle), funcEntry)?))
    })
}

/// Returns a global variable of a binary by name. It is device memory for copies, fills and kernel arguments, and is
/// valid until the binary is unloaded; it cannot be freed. On the cpu backend it is exported data of the shared object,
/// which the host may access as well.
///
/// @param binHandle a handle of aclrtBinaryLoad, aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
/// @param name the name; for a C++ variable the plain name requires extern "C".
/// @param dptr receives its address.
/// @param size receives its size in bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a binary handle, unloaded, no variable of that name, or called inside
///     a host function.
/// @note Thread-safe. Follows aclrtBinaryGetGlobal of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryGetGlobal(
    binHandle: aclrtBinHandle,
    name: *const c_char,
    dptr: *mut *mut c_void,
    size: *mut usize,
) -> aclError {
    guard_outs("aclrtBinaryGetGlobal", ("dptr", dptr), ("size", size), || {
        // SAFETY: `name` is null or a C string that names a variable.
        let name = unsafe { text::required("name", name) }?;
        let span = kernel::variable(handle::from_c(binHandle), &name.to_string_lossy())?;
        Ok((address::to_c(span.addr), span.len))
    })
}

/// Returns the address range of a binary: on the cpu backend where the loader has mapped the shared object.
///
/// @param binHandle a handle of aclrtBinaryLoad, aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
/// @param binAddr receives its first address.
/// @param binSize receives its size in bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a program, or unloaded.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cuda`, whose driver does not report it.
/// @note Thread-safe. Follows aclrtBinaryGetDevAddress of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryGetDevAddress(
    binHandle: aclrtBinHandle,
    binAddr: *mut *mut c_void,
    binSize: *mut usize,
) -> aclError {
    guard_outs("aclrtBinaryGetDevAddress", ("binAddr", binAddr), ("binSize", binSize), || {
        let code = kernel::code_of_binary(handle::from_c(binHandle))?;
        Ok((address::to_c(code.addr), code.len))
    })
}

/// Registers a function of a binary for the CPUs of the device.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRegisterCpuFunc(
    handle: aclrtBinHandle,
    funcName: *const c_char,
    kernelName: *const c_char,
    funcHandle: *mut aclrtFuncHandle,
) -> aclError {
    guard_unsupported("aclrtRegisterCpuFunc", "this library runs no kernels on AI CPUs; use aclrtLaunchHostFunc")
}

/// Returns the address through which cores of a device synchronize.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg returns what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetHardwareSyncAddr(addr: *mut *mut c_void) -> aclError {
    guard_unsupported(
        "aclrtGetHardwareSyncAddr",
        "cores cannot synchronize through an address here; synchronize them by a second kernel in the same stream",
    )
}
