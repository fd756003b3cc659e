//! Properties of kernels.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use crate::base::{address, enum_value, guard, guard_out, guard_outs, handle, text};
use crate::core::kernel::{function, symbol};
use crate::types::{aclError, aclrtBinHandle, aclrtFuncAttribute, aclrtFuncHandle};

/// Returns the address of a kernel's code. Devices here have one kind of cores.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param aicAddr receives the address: on the cpu backend the address of the C function.
/// @param aivAddr receives null: there is no second code.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cuda`, whose driver does not report it.
/// @note Thread-safe. Follows aclrtGetFunctionAddr of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFunctionAddr(
    funcHandle: aclrtFuncHandle,
    aicAddr: *mut *mut c_void,
    aivAddr: *mut *mut c_void,
) -> aclError {
    guard_outs("aclrtGetFunctionAddr", ("aicAddr", aicAddr), ("aivAddr", aivAddr), || {
        let code = function::code_of(handle::from_c(funcHandle))?;
        Ok((address::to_c(code.addr), std::ptr::null_mut()))
    })
}

/// Returns an attribute of a kernel. Each block of a kernel may run on any core of the device, and the blocks run in
/// any order.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param attrType ACL_FUNC_ATTR_KERNEL_TYPE, with the value ACL_KERNEL_TYPE_AICORE, or
///     ACL_FUNC_ATTR_KERNEL_SCHED_MODE, with the value 0.
/// @param attrValue receives the value.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or an unknown aclrtFuncAttribute.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: ACL_FUNC_ATTR_KERNEL_RATIO, which exists only for kernels on two
///     kinds of cores.
/// @note Thread-safe. Follows aclrtGetFunctionAttribute of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFunctionAttribute(
    funcHandle: aclrtFuncHandle,
    attrType: MaybeUninit<aclrtFuncAttribute>,
    attrValue: *mut i64,
) -> aclError {
    guard_out("aclrtGetFunctionAttribute", "attrValue", attrValue, || {
        function::attribute_of(handle::from_c(funcHandle), enum_value(attrType))
    })
}

/// Returns the name of a kernel.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param maxLen size of `name` in bytes, at least 1; a longer name is truncated, and always zero-terminated.
/// @param name receives the name.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `maxLen` is 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
/// @note Thread-safe. Follows aclrtGetFunctionName of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFunctionName(funcHandle: aclrtFuncHandle, maxLen: u32, name: *mut c_char) -> aclError {
    guard("aclrtGetFunctionName", || {
        let out = text::Buffer::new("name", name, "maxLen", maxLen as usize)?;
        out.write(&function::name_of(handle::from_c(funcHandle))?);
        Ok(())
    })
}

/// Returns the size of a kernel's code. Devices here have one kind of cores.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param aicSize receives the bytes: on the cpu backend those of the C function, without the functions that it calls.
/// @param aivSize receives 0: there is no second code.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: the backend is `cuda`, whose driver does not report it.
/// @note Thread-safe. Follows aclrtGetFunctionSize of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFunctionSize(
    funcHandle: aclrtFuncHandle,
    aicSize: *mut usize,
    aivSize: *mut usize,
) -> aclError {
    guard_outs("aclrtGetFunctionSize", ("aicSize", aicSize), ("aivSize", aivSize), || {
        Ok((function::code_of(handle::from_c(funcHandle))?.len, 0))
    })
}

/// Returns how much shared memory a launch of a kernel can request per block (ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE):
/// the device's limit minus the kernel's static shared memory.
///
/// @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol for a kernel on the current
///     device.
/// @param flags 0.
/// @param dynamicUbufSize receives the bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `flags` is not 0.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
/// @note Thread-safe. Follows aclrtFunctionGetAvailDynUbufPerBlock of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFunctionGetAvailDynUbufPerBlock(
    func: *mut c_void,
    flags: u32,
    dynamicUbufSize: *mut usize,
) -> aclError {
    guard_out("aclrtFunctionGetAvailDynUbufPerBlock", "dynamicUbufSize", dynamicUbufSize, || {
        function::available_shared_bytes(symbol::callee(handle::from_c(func)), flags)
    })
}

/// Returns the binary of a kernel.
///
/// @param funcHandle a handle of aclrtBinaryGetFunction.
/// @param binHandle receives the handle of the binary; the call adds no reference, so it needs no additional unload.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
/// @note Thread-safe. Follows aclrtFunctionGetBinary of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFunctionGetBinary(
    funcHandle: aclrtFuncHandle,
    binHandle: *mut aclrtBinHandle,
) -> aclError {
    guard_out("aclrtFunctionGetBinary", "binHandle", binHandle, || {
        Ok(handle::to_c(function::binary_of(handle::from_c(funcHandle))?))
    })
}

/// Returns the number of parameters of a kernel.
///
/// @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol for a kernel on the current
///     device.
/// @param paramCount receives the count.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: unknown: a CPU kernel without a description of its parameters
///     (PORTACL_KERNEL of portacl/kernel.h), or a CUDA kernel that was not loaded from PTX text, with a driver older
///     than 12.4.
/// @note Thread-safe. Follows aclrtFunctionGetParamCount of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFunctionGetParamCount(func: *const c_void, paramCount: *mut usize) -> aclError {
    guard_out("aclrtFunctionGetParamCount", "paramCount", paramCount, || {
        function::parameter_count(symbol::callee(handle::from_c(func.cast_mut())))
    })
}

/// Returns the offset of a parameter in a block of arguments (aclrtLaunchKernel).
///
/// @param func a handle of aclrtBinaryGetFunction, or a symbol of portaclRegisterSymbol for a kernel on the current
///     device.
/// @param paramIndex the index of the parameter, 0 for the first.
/// @param paramOffset receives the offset in bytes.
/// @param paramSize receives its size in bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `paramIndex` is not less than the count of
///     aclrtFunctionGetParamCount.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a kernel handle, or its binary was unloaded.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: as in aclrtFunctionGetParamCount.
/// @note Thread-safe. Follows aclrtFunctionGetParamInfo of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtFunctionGetParamInfo(
    func: *const c_void,
    paramIndex: usize,
    paramOffset: *mut usize,
    paramSize: *mut usize,
) -> aclError {
    guard_outs("aclrtFunctionGetParamInfo", ("paramOffset", paramOffset), ("paramSize", paramSize), || {
        function::parameter(symbol::callee(handle::from_c(func.cast_mut())), paramIndex)
    })
}
