//! Symbols: addresses of the program that are registered for variables and kernels of binaries.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::base::{address, enum_value, guard, guard_out, handle};
use crate::core::kernel::symbol::{self, SymbolRange};
use crate::types::{aclError, aclrtFuncHandle, aclrtMemcpyKind, aclrtStream};

/// Returns the kernel that is registered for a symbol on the current device.
///
/// @param symbol an address that was passed to portaclRegisterSymbol.
/// @param funcHandle receives the handle that aclrtBinaryGetFunction returns for the name.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the symbol is not registered on this device, or is a variable, or called
///     inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclrtGetFuncBySymbol of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFuncBySymbol(symbol: *const c_void, funcHandle: *mut aclrtFuncHandle) -> aclError {
    guard_out("aclrtGetFuncBySymbol", "funcHandle", funcHandle, || {
        Ok(handle::to_c(symbol::function(address::from_c(symbol))?))
    })
}

/// Returns the size of the variable that is registered for a symbol on the current device.
///
/// @param symbol an address that was passed to portaclRegisterSymbol.
/// @param size receives its size in bytes.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the symbol is not registered on this device, or is a kernel, or called
///     inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclrtGetSymbolSize of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetSymbolSize(symbol: *const c_void, size: *mut usize) -> aclError {
    guard_out("aclrtGetSymbolSize", "size", size, || Ok(symbol::span(address::from_c(symbol))?.len))
}

/// Returns the address of the variable that is registered for a symbol on the current device. aclrtBinaryGetGlobal
/// describes its use.
///
/// @param symbol an address that was passed to portaclRegisterSymbol.
/// @param devPtr receives its address.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the symbol is not registered on this device, or is a kernel, or called
///     inside a host function.
/// @retval ACL_ERROR_RT_CONTEXT_NULL 107002: no current context.
/// @note Thread-safe. Follows aclrtGetSymbolAddress of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetSymbolAddress(symbol: *const c_void, devPtr: *mut *mut c_void) -> aclError {
    guard_out("aclrtGetSymbolAddress", "devPtr", devPtr, || {
        Ok(address::to_c(symbol::span(address::from_c(symbol))?.addr))
    })
}

/// Copies to the variable of a symbol on the current device, and waits. Not ordered with any stream, as aclrtMemcpy.
///
/// @param symbol an address that was passed to portaclRegisterSymbol.
/// @param src the source address.
/// @param count bytes; 0 copies nothing and succeeds, whatever the other arguments are, also without a current
///     context.
/// @param offset offset in the variable, in bytes.
/// @param kind ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
/// @return the codes of aclrtMemcpy
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` exceed the size of the variable.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` is not registered on the current device, or is a kernel.
/// @note Thread-safe. Follows aclrtMemcpyToSymbol of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyToSymbol(
    symbol: *const c_void,
    src: *const c_void,
    count: usize,
    offset: usize,
    kind: MaybeUninit<aclrtMemcpyKind>,
) -> aclError {
    guard("aclrtMemcpyToSymbol", || {
        let part = SymbolRange { symbol: address::from_c(symbol), count, offset };
        symbol::write(part, address::from_c(src), enum_value(kind), None)
    })
}

/// Copies to the variable of a symbol on the current device, in stream order, as aclrtMemcpyAsync. The variable stays
/// valid until the copy is complete, also if its binary is unloaded.
///
/// @param symbol an address that was passed to portaclRegisterSymbol.
/// @param src the source address.
/// @param count bytes; 0 enqueues nothing and succeeds; then only `stream` is checked.
/// @param offset offset in the variable, in bytes.
/// @param kind ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
/// @param stream a stream; null: the default stream of the current context.
/// @return the codes of aclrtMemcpyAsync
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` exceed the size of the variable.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` is not registered on the current device, or is a kernel.
/// @note Thread-safe. Follows aclrtMemcpyToSymbolAsync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyToSymbolAsync(
    symbol: *const c_void,
    src: *const c_void,
    count: usize,
    offset: usize,
    kind: MaybeUninit<aclrtMemcpyKind>,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemcpyToSymbolAsync", || {
        let part = SymbolRange { symbol: address::from_c(symbol), count, offset };
        symbol::write(part, address::from_c(src), enum_value(kind), Some(handle::from_c(stream)))
    })
}

/// Copies from the variable of a symbol on the current device, and waits. Not ordered with any stream, as aclrtMemcpy.
///
/// @param dst the destination address.
/// @param dstMax size of the destination in bytes.
/// @param symbol an address that was passed to portaclRegisterSymbol.
/// @param count bytes, at most `dstMax`; 0 copies nothing and succeeds, whatever the other arguments are, also
///     without a current context.
/// @param offset offset in the variable, in bytes.
/// @param kind ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
/// @return the codes of aclrtMemcpy
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` exceed the size of the variable.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` is not registered on the current device, or is a kernel.
/// @note Thread-safe. Follows aclrtMemcpyFromSymbol of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyFromSymbol(
    dst: *mut c_void,
    dstMax: usize,
    symbol: *const c_void,
    count: usize,
    offset: usize,
    kind: MaybeUninit<aclrtMemcpyKind>,
) -> aclError {
    guard("aclrtMemcpyFromSymbol", || {
        let part = SymbolRange { symbol: address::from_c(symbol), count, offset };
        symbol::read(part, address::from_c(dst), dstMax, enum_value(kind), None)
    })
}

/// Copies from the variable of a symbol on the current device, in stream order, as aclrtMemcpyAsync. The variable stays
/// valid until the copy is complete, also if its binary is unloaded.
///
/// @param dst the destination address.
/// @param dstMax size of the destination in bytes.
/// @param symbol an address that was passed to portaclRegisterSymbol.
/// @param count bytes, at most `dstMax`; 0 enqueues nothing and succeeds; then only `stream` is checked.
/// @param offset offset in the variable, in bytes.
/// @param kind ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
/// @param stream a stream; null: the default stream of the current context.
/// @return the codes of aclrtMemcpyAsync
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` exceed the size of the variable.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` is not registered on the current device, or is a kernel.
/// @note Thread-safe. Follows aclrtMemcpyFromSymbolAsync of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyFromSymbolAsync(
    dst: *mut c_void,
    dstMax: usize,
    symbol: *const c_void,
    count: usize,
    offset: usize,
    kind: MaybeUninit<aclrtMemcpyKind>,
    stream: aclrtStream,
) -> aclError {
    guard("aclrtMemcpyFromSymbolAsync", || {
        let part = SymbolRange { symbol: address::from_c(symbol), count, offset };
        symbol::read(part, address::from_c(dst), dstMax, enum_value(kind), Some(handle::from_c(stream)))
    })
}
