//! Device binaries, and the kernels in them.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::path::Path;

use crate::core::base::error::{Error, Result};
use crate::core::kernel;
use crate::core::kernel::binary_image;
use crate::core::kernel::symbol;

use crate::ffi::base::guard::{guard, guard_unsupported, guard_value};
use crate::ffi::base::value::{Array, Out, address, enum_value, handle, must_not_be_null, text};
use crate::ffi::types::{
    aclError, aclrtBinHandle, aclrtBinary, aclrtBinaryLoadOptions, aclrtFuncAttribute,
    aclrtFuncHandle,
};

/// The options of a load, as far as they are looked at.
///
/// # Safety
/// `options` is null or points to options, which have as many entries as they say.
unsafe fn check_options(options: *const aclrtBinaryLoadOptions) -> Result<()> {
    if options.is_null() {
        return Ok(());
    }
    // SAFETY: `options` is not null, and the caller vouches for one structure there, aligned or
    // not.
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

/// The bytes of a program.
///
/// # Safety
/// `first` is null or points to as many bytes as `len` says, which outlive the result.
unsafe fn program<'a>(
    argument: &str,
    first: *const c_void,
    bound: &str,
    len: usize,
) -> Result<&'a [u8]> {
    must_not_be_null(argument, first)?;
    if len == 0 {
        return Err(Error::invalid_param(format_args!(
            "{bound} is 0; it must be the bytes of the program"
        )));
    }
    if len > isize::MAX as usize {
        return Err(Error::invalid_param(format_args!(
            "{bound} is {len} bytes; no memory is larger than {}",
            isize::MAX
        )));
    }
    // SAFETY: `first` is not null, and the caller vouches for `len` bytes of the program.
    Ok(unsafe { std::slice::from_raw_parts(first.cast::<u8>(), len) })
}

/// Describes a program before it is loaded. The bytes are copied. Works at any time, without a device; the description
/// lives until it is destroyed, also through aclFinalize.
///
/// @param data first byte of the program, which is looked at when it is loaded.
/// @param dataLen its length in bytes, 1 or more.
/// @return the description, for aclrtBinaryLoad, and for aclrtDestroyBinary to end; null where `data` is null or
/// `dataLen` 0 (aclGetRecentErrMsg says so, ACL_ERROR_INVALID_PARAM 100000) or no more can be made
/// (ACL_ERROR_BAD_ALLOC 200000). Thread-safe. Follows aclrtCreateBinary of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateBinary(data: *const c_void, dataLen: usize) -> aclrtBinary {
    guard_value("aclrtCreateBinary", std::ptr::null_mut(), || {
        // SAFETY: aclrtCreateBinary asks for `dataLen` readable bytes at `data`.
        let image = unsafe { program("data", data, "dataLen", dataLen) }?;
        Ok(handle::to_c(binary_image::create(image)?))
    })
}

/// Ends a description of a program. Programs that were loaded from it stay loaded.
///
/// @param binary from aclrtCreateBinary.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: null; ACL_ERROR_RT_PARAM_INVALID 107000: not such a description,
/// or destroyed before. Thread-safe. Follows aclrtDestroyBinary of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDestroyBinary(binary: aclrtBinary) -> aclError {
    guard("aclrtDestroyBinary", || binary_image::destroy(handle::from_c(binary)))
}

/// Loads a described program of kernels, on the current device.
///
/// @param binary from aclrtCreateBinary; it may be loaded several times, and on several devices.
/// @param binHandle receives the handle; give it to aclrtBinaryUnLoad. It ends with its device.
/// @return as aclrtBinaryLoadFromData; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID
/// 107000: `binary` is no description, or destroyed. Thread-safe. Follows aclrtBinaryLoad of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryLoad(
    binary: aclrtBinary,
    binHandle: *mut aclrtBinHandle,
) -> aclError {
    guard("aclrtBinaryLoad", || {
        let out = Out::new("binHandle", binHandle)?;
        out.write(handle::to_c(binary_image::load(handle::from_c(binary))?));
        Ok(())
    })
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
        // SAFETY: `binPath` is null or a C string that names a file.
        let path = unsafe { text::required("binPath", binPath) }?;
        // SAFETY: `options` is null, or has as many options as its `numOpt` says.
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
        // SAFETY: aclrtBinaryLoadFromData asks for `length` readable bytes at `data`.
        let image = unsafe { program("data", data, "length", length) }?;
        // SAFETY: the options of aclrtBinaryLoadFromData are null or as many as their count.
        unsafe { check_options(options) }?;
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
        // SAFETY: `kernelName` is null or a C string that names a kernel.
        let name = unsafe { text::required("kernelName", kernelName) }?;
        let function = kernel::function(handle::from_c(binHandle), &name.to_string_lossy())?;
        out.write(handle::to_c(function));
        Ok(())
    })
}

/// Finds a kernel by number. The binary says which one that is, by a text (exported `const char` data) named
/// portacl_entry_NUMBER that holds the kernel's name: PORTACL_KERNEL_ENTRY of portacl/kernel.h makes it, in CUDA C++
/// `extern "C" __device__ const char portacl_entry_7[] = "name";`.
///
/// @param binHandle a handle of aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
/// @param funcEntry the number.
/// @param funcHandle receives the handle, the same one as aclrtBinaryGetFunction gives for the name.
/// @return as aclrtBinaryGetFunction; ACL_ERROR_RT_PARAM_INVALID 107000: also where the binary has no such text, or its
/// text is no name. Thread-safe. Follows aclrtBinaryGetFunctionByEntry of the Ascend runtime API; how a number is
/// found is this library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryGetFunctionByEntry(
    binHandle: aclrtBinHandle,
    funcEntry: u64,
    funcHandle: *mut aclrtFuncHandle,
) -> aclError {
    guard("aclrtBinaryGetFunctionByEntry", || {
        let out = Out::new("funcHandle", funcHandle)?;
        let function = kernel::function_by_entry(handle::from_c(binHandle), funcEntry)?;
        out.write(handle::to_c(function));
        Ok(())
    })
}

/// Finds a variable of a program by name. It is memory of the device, for copies, fills and arguments of kernels, and
/// goes with the program; it cannot be freed. On the cpu backend it is exported data of the shared object, which the
/// host may touch as well.
///
/// @param binHandle a handle of aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
/// @param name its name; of a variable in C++ the plain name only if it is declared extern "C".
/// @param dptr receives its address.
/// @param size receives its bytes.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
/// of a program, unloaded, no variable of that name, or called inside a host function.
/// Thread-safe. Follows aclrtBinaryGetGlobal of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryGetGlobal(
    binHandle: aclrtBinHandle,
    name: *const c_char,
    dptr: *mut *mut c_void,
    size: *mut usize,
) -> aclError {
    guard("aclrtBinaryGetGlobal", || {
        let addr = Out::new("dptr", dptr)?;
        let len = Out::new("size", size)?;
        // SAFETY: `name` is null or a C string that names a variable.
        let name = unsafe { text::required("name", name) }?;
        let span = kernel::variable(handle::from_c(binHandle), &name.to_string_lossy())?;
        addr.write(address::to_c(span.addr));
        len.write(span.len);
        Ok(())
    })
}

/// Tells where a program lies: on the cpu backend where the loader has put the shared object.
///
/// @param binHandle a handle of aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
/// @param binAddr receives its first address.
/// @param binSize receives its bytes from there to its end.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
/// of a program, or unloaded; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cuda`, whose driver does not tell.
/// Thread-safe. Follows aclrtBinaryGetDevAddress of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryGetDevAddress(
    binHandle: aclrtBinHandle,
    binAddr: *mut *mut c_void,
    binSize: *mut usize,
) -> aclError {
    guard("aclrtBinaryGetDevAddress", || {
        let addr = Out::new("binAddr", binAddr)?;
        let len = Out::new("binSize", binSize)?;
        let code = kernel::code_of_binary(handle::from_c(binHandle))?;
        addr.write(address::to_c(code.addr));
        len.write(code.len);
        Ok(())
    })
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

/// Tells where the code of a kernel lies. Devices here have cores of one kind.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param aicAddr receives the address: on the cpu backend that of the C function.
/// @param aivAddr receives null: there is no other code of it.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
/// of a kernel, or its program was unloaded; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cuda`, whose driver
/// does not tell. Thread-safe. Follows aclrtGetFunctionAddr of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFunctionAddr(
    funcHandle: aclrtFuncHandle,
    aicAddr: *mut *mut c_void,
    aivAddr: *mut *mut c_void,
) -> aclError {
    guard("aclrtGetFunctionAddr", || {
        let first = Out::new("aicAddr", aicAddr)?;
        let second = Out::new("aivAddr", aivAddr)?;
        let code = kernel::code_of(handle::from_c(funcHandle))?;
        first.write(address::to_c(code.addr));
        second.write(std::ptr::null_mut());
        Ok(())
    })
}

/// Tells an attribute of a kernel. All kernels here are for all cores of their device, and their blocks run in any
/// order.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param attrType ACL_FUNC_ATTR_KERNEL_TYPE, which gives ACL_KERNEL_TYPE_AICORE, or ACL_FUNC_ATTR_KERNEL_SCHED_MODE,
/// which gives 0.
/// @param attrValue receives the value.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or no aclrtFuncAttribute;
/// ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, or its program was unloaded;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: ACL_FUNC_ATTR_KERNEL_RATIO, which only kernels for two kinds of cores have.
/// Thread-safe. Follows aclrtGetFunctionAttribute of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFunctionAttribute(
    funcHandle: aclrtFuncHandle,
    attrType: MaybeUninit<aclrtFuncAttribute>,
    attrValue: *mut i64,
) -> aclError {
    guard("aclrtGetFunctionAttribute", || {
        let out = Out::new("attrValue", attrValue)?;
        out.write(kernel::attribute_of(handle::from_c(funcHandle), enum_value(attrType))?);
        Ok(())
    })
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

/// Tells how large the code of a kernel is. Devices here have cores of one kind.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param aicSize receives the bytes: on the cpu backend those of the C function, without what it calls.
/// @param aivSize receives 0: there is no other code of it.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
/// of a kernel, or its program was unloaded; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cuda`, whose driver
/// does not tell. Thread-safe. Follows aclrtGetFunctionSize of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFunctionSize(
    funcHandle: aclrtFuncHandle,
    aicSize: *mut usize,
    aivSize: *mut usize,
) -> aclError {
    guard("aclrtGetFunctionSize", || {
        let first = Out::new("aicSize", aicSize)?;
        let second = Out::new("aivSize", aivSize)?;
        let code = kernel::code_of(handle::from_c(funcHandle))?;
        first.write(code.len);
        second.write(0);
        Ok(())
    })
}

/// Tells how much fast memory a launch of a kernel can ask for, for each block (ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE):
/// what the device has, less what the kernel itself declares.
///
/// @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol that stands for a kernel on the
/// current device.
/// @param flags 0.
/// @param dynamicUbufSize receives the bytes.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `flags` is not 0; ACL_ERROR_RT_PARAM_INVALID
/// 107000: not a handle of a kernel, or its program was unloaded.
/// Thread-safe. Follows aclrtFunctionGetAvailDynUbufPerBlock of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFunctionGetAvailDynUbufPerBlock(
    func: *mut c_void,
    flags: u32,
    dynamicUbufSize: *mut usize,
) -> aclError {
    guard("aclrtFunctionGetAvailDynUbufPerBlock", || {
        let out = Out::new("dynamicUbufSize", dynamicUbufSize)?;
        let function = symbol::callee(handle::from_c(func));
        out.write(kernel::available_shared_bytes(function, flags)?);
        Ok(())
    })
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
/// @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol that stands for a kernel on the
/// current device.
/// @param paramCount receives the count.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
/// of a kernel, or its program was unloaded; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: nobody knows: a kernel for CPUs
/// that does not describe them (PORTACL_KERNEL of portacl/kernel.h), or a CUDA driver older than 12.4.
/// Thread-safe. Follows aclrtFunctionGetParamCount of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFunctionGetParamCount(
    func: *const c_void,
    paramCount: *mut usize,
) -> aclError {
    guard("aclrtFunctionGetParamCount", || {
        let out = Out::new("paramCount", paramCount)?;
        let function = symbol::callee(handle::from_c(func.cast_mut()));
        out.write(kernel::parameter_count(function)?);
        Ok(())
    })
}

/// Tells where a kernel expects a parameter in a block of arguments (aclrtLaunchKernel).
///
/// @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol that stands for a kernel on the
/// current device.
/// @param paramIndex which, 0 for the first.
/// @param paramOffset receives its offset in bytes.
/// @param paramSize receives its bytes.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `paramIndex` is not below
/// aclrtFunctionGetParamCount's count; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle of a kernel, or its program was
/// unloaded; ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: as for aclrtFunctionGetParamCount.
/// Thread-safe. Follows aclrtFunctionGetParamInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFunctionGetParamInfo(
    func: *const c_void,
    paramIndex: usize,
    paramOffset: *mut usize,
    paramSize: *mut usize,
) -> aclError {
    guard("aclrtFunctionGetParamInfo", || {
        let offset = Out::new("paramOffset", paramOffset)?;
        let size = Out::new("paramSize", paramSize)?;
        let function = symbol::callee(handle::from_c(func.cast_mut()));
        let known = kernel::parameter(function, paramIndex)?;
        offset.write(known.0);
        size.write(known.1);
        Ok(())
    })
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
