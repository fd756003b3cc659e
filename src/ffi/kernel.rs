//! Device binaries, and the kernels in them.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use crate::core::error::Error;
use crate::ffi::guard::{guard_unsupported, guard_value};
use crate::ffi::types::{
    aclError, aclrtBinHandle, aclrtBinary, aclrtBinaryLoadOptions, aclrtFuncAttribute,
    aclrtFuncHandle,
};

/// Describes a device binary in memory, or returns null.
///
/// @return null; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateBinary(data: *const c_void, dataLen: usize) -> aclrtBinary {
    guard_value("aclrtCreateBinary", std::ptr::null_mut(), || {
        Err(Error::unsupported(
            "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
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
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
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
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Loads a device binary from a file.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryLoadFromFile(
    binPath: *const c_char,
    options: *mut aclrtBinaryLoadOptions,
    binHandle: *mut aclrtBinHandle,
) -> aclError {
    guard_unsupported(
        "aclrtBinaryLoadFromFile",
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Loads a device binary from memory.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryLoadFromData(
    data: *const c_void,
    length: usize,
    options: *const aclrtBinaryLoadOptions,
    binHandle: *mut aclrtBinHandle,
) -> aclError {
    guard_unsupported(
        "aclrtBinaryLoadFromData",
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Unloads a device binary.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryUnLoad(binHandle: aclrtBinHandle) -> aclError {
    guard_unsupported(
        "aclrtBinaryUnLoad",
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Finds a kernel by name.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryGetFunction(
    binHandle: aclrtBinHandle,
    kernelName: *const c_char,
    funcHandle: *mut aclrtFuncHandle,
) -> aclError {
    guard_unsupported(
        "aclrtBinaryGetFunction",
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
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
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
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
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
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
    guard_unsupported(
        "aclrtBinaryGetDevAddress",
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
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
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
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
    guard_unsupported(
        "aclrtGetFunctionAddr",
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
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
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Tells the name of a kernel.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFunctionName(
    funcHandle: aclrtFuncHandle,
    maxLen: u32,
    name: *mut c_char,
) -> aclError {
    guard_unsupported(
        "aclrtGetFunctionName",
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
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
    guard_unsupported(
        "aclrtGetFunctionSize",
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
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
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
}

/// Tells which device binary a kernel belongs to.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFunctionGetBinary(
    funcHandle: aclrtFuncHandle,
    binHandle: *mut aclrtBinHandle,
) -> aclError {
    guard_unsupported(
        "aclrtFunctionGetBinary",
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
    )
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
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
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
        "device binaries cannot run here; do the computation with aclrtReduceAsync or with a \
             host function of aclrtLaunchHostFunc",
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
