//! Device binaries, and the kernels in them.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::path::Path;

use crate::core::error::{Error, Result};
use crate::core::kernel;
use crate::ffi::guard::{guard, guard_unsupported, guard_value};
use crate::ffi::types::{
    aclError, aclrtBinHandle, aclrtBinary, aclrtBinaryLoadOptions, aclrtFuncAttribute,
    aclrtFuncHandle,
};
use crate::ffi::value::{Array, Out, enum_value, handle, must_not_be_null, text};

/// The options of a load, as far as they are looked at.
///
/// # Safety
/// `options` is null or points to options, which have as many entries as they say.
unsafe fn check_options(options: *const aclrtBinaryLoadOptions) -> Result<()> {
    if options.is_null() {
        return Ok(());
    }
    // SAFETY: as promised by the caller.
    let options = unsafe { options.read_unaligned() };
    let entries = Array::new(options.options.cast_const(), options.numOpt);
    if entries.is_null() && entries.count() != 0 {
        return Err(Error::invalid_param(format_args!(
            "options->options is null, and options->numOpt is {}",
            entries.count()
        )));
    }
    kernel::check_load_options((0..entries.count()).map(|at| enum_value(entries.get(at).r#type)))
}

/// Describes a device binary in memory, or returns null.
///
/// @return null; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateBinary(data: *const c_void, dataLen: usize) -> aclrtBinary {
    guard_value("aclrtCreateBinary", std::ptr::null_mut(), || {
        Err(Error::unsupported(
            "binaries are not described ahead here; load them with aclrtBinaryLoadFromData",
        ))
    })
}

/// Ends a description of aclrtCreateBinary.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyBinary(binary: aclrtBinary) -> aclError {
    guard_unsupported(
        "aclrtDestroyBinary",
        "binaries are not described ahead here; load them with aclrtBinaryLoadFromData",
    )
}

/// Loads a described device binary.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryLoad(
    binary: aclrtBinary,
    binHandle: *mut aclrtBinHandle,
) -> aclError {
    guard_unsupported(
        "aclrtBinaryLoad",
        "binaries are not described ahead here; load them with aclrtBinaryLoadFromData",
    )
}

/// Loads a program of kernels from a file, on the current device. The file is read during the call and may
/// change afterwards. What it has to be is told at aclrtBinaryLoadFromData.
///
/// @param binPath the file's path.
/// @param options null, or options of which ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD and
/// ACL_RT_BINARY_LOAD_OPT_MAGIC are accepted and mean nothing here.
/// @param binHandle receives the handle; give it to aclrtBinaryUnLoad. It ends with its device.
/// @return as aclrtBinaryLoadFromData; ACL_ERROR_INVALID_FILE 100003: the file cannot be read;
/// ACL_ERROR_RT_PARAM_INVALID 107000: it is empty.
/// Thread-safe. Follows aclrtBinaryLoadFromFile of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryLoadFromFile(
    binPath: *const c_char,
    options: *mut aclrtBinaryLoadOptions,
    binHandle: *mut aclrtBinHandle,
) -> aclError {
    guard("aclrtBinaryLoadFromFile", || {
        let out = Out::new("binHandle", binHandle)?;
        // SAFETY: by the contract of the C boundary: null, or a text that ends with a zero.
        let path = unsafe { text::required("binPath", binPath) }?;
        // SAFETY: null, or options as their count says.
        unsafe { check_options(options) }?;
        out.write(handle::to_c(kernel::load_file(Path::new(path))?));
        Ok(())
    })
}

/// Loads a program of kernels from memory, on the current device. With the cuda backend: PTX text, a cubin or a
/// fatbin. With the cpu backend: an ELF shared object for this processor, made as portacl/kernel.h says; its
/// initialisers run. Programs for Ascend cores are refused with 207000.
///
/// @param data first byte of the program; it is not needed after the call.
/// @param length its length in bytes, 1 or more.
/// @param options null, or options of which ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD and
/// ACL_RT_BINARY_LOAD_OPT_MAGIC are accepted and mean nothing here.
/// @param binHandle receives the handle; give it to aclrtBinaryUnLoad. It ends with its device.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, `length` 0 or an unknown option;
/// ACL_ERROR_RT_PARAM_INVALID 107000: a program that is cut off or damaged or cannot be linked, or called inside
/// a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no current context; ACL_ERROR_RT_FEATURE_NOT_SUPPORT
/// 207000: a program for other hardware, or ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE.
/// Thread-safe. Follows aclrtBinaryLoadFromData of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryLoadFromData(
    data: *const c_void,
    length: usize,
    options: *const aclrtBinaryLoadOptions,
    binHandle: *mut aclrtBinHandle,
) -> aclError {
    guard("aclrtBinaryLoadFromData", || {
        let out = Out::new("binHandle", binHandle)?;
        must_not_be_null("data", data)?;
        if length == 0 {
            return Err(Error::invalid_param("length is 0; it must be the bytes of the program"));
        }
        if length > isize::MAX as usize {
            return Err(Error::invalid_param(format_args!(
                "length is {length} bytes; no memory is larger than {}",
                isize::MAX
            )));
        }
        // SAFETY: null, or options as their count says.
        unsafe { check_options(options) }?;
        // SAFETY: not null, and by the contract of the C boundary as long as `length` says.
        let image = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) };
        out.write(handle::to_c(kernel::load(image)?));
        Ok(())
    })
}

/// Unloads a program; the handles of its kernels die with it. Launches that are queued run: they keep what they
/// need of it. Does not wait.
///
/// @param binHandle a handle of aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of
/// a program, unloaded, or called inside a host function.
/// Thread-safe. Follows aclrtBinaryUnLoad of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryUnLoad(binHandle: aclrtBinHandle) -> aclError {
    guard("aclrtBinaryUnLoad", || kernel::unload(handle::from_c(binHandle)))
}

/// Finds a kernel by name.
///
/// @param binHandle a handle of aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
/// @param kernelName its name; of a kernel in C++ the plain name only if it is declared extern "C".
/// @param funcHandle receives the handle, the same one for the same name; it ends with `binHandle`.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// handle of a program, unloaded, no kernel of that name, or called inside a host function;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the cpu backend in guard mode, and the kernel does not describe its
/// parameters. Thread-safe. Follows aclrtBinaryGetFunction of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryGetFunction(
    binHandle: aclrtBinHandle,
    kernelName: *const c_char,
    funcHandle: *mut aclrtFuncHandle,
) -> aclError {
    guard("aclrtBinaryGetFunction", || {
        let out = Out::new("funcHandle", funcHandle)?;
        // SAFETY: by the contract of the C boundary: null, or a text that ends with a zero.
        let name = unsafe { text::required("kernelName", kernelName) }?;
        let function = kernel::function(handle::from_c(binHandle), &name.to_string_lossy())?;
        out.write(handle::to_c(function));
        Ok(())
    })
}

/// Finds a kernel by number.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryGetFunctionByEntry(
    binHandle: aclrtBinHandle,
    funcEntry: u64,
    funcHandle: *mut aclrtFuncHandle,
) -> aclError {
    guard_unsupported(
        "aclrtBinaryGetFunctionByEntry",
        "kernels have no numbers here; use aclrtBinaryGetFunction with the name",
    )
}

/// Finds a variable of a device binary by name.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryGetGlobal(
    binHandle: aclrtBinHandle,
    name: *const c_char,
    dptr: *mut *mut c_void,
    size: *mut usize,
) -> aclError {
    guard_unsupported(
        "aclrtBinaryGetGlobal",
        "variables of a binary cannot be reached; pass memory of aclrtMalloc to its kernels",
    )
}

/// Tells where a device binary lies in device memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryGetDevAddress(
    binHandle: aclrtBinHandle,
    binAddr: *mut *mut c_void,
    binSize: *mut usize,
) -> aclError {
    guard_unsupported("aclrtBinaryGetDevAddress", "where code lies is not told; use the handle")
}

/// Makes a function of a binary for the device's own CPUs known.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtRegisterCpuFunc(
    handle: aclrtBinHandle,
    funcName: *const c_char,
    kernelName: *const c_char,
    funcHandle: *mut aclrtFuncHandle,
) -> aclError {
    guard_unsupported(
        "aclrtRegisterCpuFunc",
        "the devices here have no CPUs of their own; use aclrtLaunchHostFunc",
    )
}

/// Tells the kernel behind a host symbol.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFuncBySymbol(
    symbol: *const c_void,
    funcHandle: *mut aclrtFuncHandle,
) -> aclError {
    guard_unsupported(
        "aclrtGetFuncBySymbol",
        "host symbols stand for no kernels here; use aclrtBinaryGetFunction",
    )
}

/// Tells where the code of a kernel lies.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFunctionAddr(
    funcHandle: aclrtFuncHandle,
    aicAddr: *mut *mut c_void,
    aivAddr: *mut *mut c_void,
) -> aclError {
    guard_unsupported("aclrtGetFunctionAddr", "where code lies is not told; use the handle")
}

/// Tells an attribute of a kernel.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFunctionAttribute(
    funcHandle: aclrtFuncHandle,
    attrType: MaybeUninit<aclrtFuncAttribute>,
    attrValue: *mut i64,
) -> aclError {
    guard_unsupported(
        "aclrtGetFunctionAttribute",
        "kernels here have none of these attributes; leave the call out",
    )
}

/// Tells the name of a kernel.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param maxLen room at `name` in bytes, 1 or more; a longer name is cut off, and always ends with a zero.
/// @param name receives the name.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer or `maxLen` 0; ACL_ERROR_RT_PARAM_INVALID
/// 107000: not a handle of a kernel, or its program was unloaded.
/// Thread-safe. Follows aclrtGetFunctionName of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFunctionName(
    funcHandle: aclrtFuncHandle,
    maxLen: u32,
    name: *mut c_char,
) -> aclError {
    guard("aclrtGetFunctionName", || {
        let out = text::Buffer::new("name", name, "maxLen", maxLen as usize)?;
        out.write(&kernel::name_of(handle::from_c(funcHandle))?);
        Ok(())
    })
}

/// Tells how large the code of a kernel is.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFunctionSize(
    funcHandle: aclrtFuncHandle,
    aicSize: *mut usize,
    aivSize: *mut usize,
) -> aclError {
    guard_unsupported("aclrtGetFunctionSize", "the size of code is not told; leave the call out")
}

/// Tells how much fast memory a block of a kernel can still have.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFunctionGetAvailDynUbufPerBlock(
    func: *mut c_void,
    flags: u32,
    dynamicUbufSize: *mut usize,
) -> aclError {
    guard_unsupported(
        "aclrtFunctionGetAvailDynUbufPerBlock",
        "what is left of fast memory is not told; a launch that asks for too much says how much there is",
    )
}

/// Tells which program a kernel belongs to.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param binHandle receives the handle of the program, which stays the program's own: it is no further one to
/// unload.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a
/// handle of a kernel, or its program was unloaded.
/// Thread-safe. Follows aclrtFunctionGetBinary of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFunctionGetBinary(
    funcHandle: aclrtFuncHandle,
    binHandle: *mut aclrtBinHandle,
) -> aclError {
    guard("aclrtFunctionGetBinary", || {
        let out = Out::new("binHandle", binHandle)?;
        out.write(handle::to_c(kernel::binary_of(handle::from_c(funcHandle))?));
        Ok(())
    })
}

/// Tells how many parameters a kernel has.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFunctionGetParamCount(
    func: *const c_void,
    paramCount: *mut usize,
) -> aclError {
    guard_unsupported(
        "aclrtFunctionGetParamCount",
        "parameters of kernels are not told; pass them to aclrtLaunchKernelWithArgsArray as the kernel declares them",
    )
}

/// Tells offset and size of a kernel's parameter.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFunctionGetParamInfo(
    func: *const c_void,
    paramIndex: usize,
    paramOffset: *mut usize,
    paramSize: *mut usize,
) -> aclError {
    guard_unsupported(
        "aclrtFunctionGetParamInfo",
        "parameters of kernels are not told; pass them to aclrtLaunchKernelWithArgsArray as the kernel declares them",
    )
}

/// Tells the address through which cores of a device synchronise.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetHardwareSyncAddr(addr: *mut *mut c_void) -> aclError {
    guard_unsupported(
        "aclrtGetHardwareSyncAddr",
        "cores do not synchronise through an address here; end the kernel and start another",
    )
}
