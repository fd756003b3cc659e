//! Symbols: addresses in the program that stand for variables and kernels of its binaries.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use crate::core::kernel::symbol::{self, Part};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{Out, address, enum_value, handle};
use crate::ffi::types::{aclError, aclrtFuncHandle, aclrtMemcpyKind, aclrtStream};

/// Tells the kernel that a symbol stands for on the current device.
///
/// @param symbol an address that portaclRegisterSymbol was given.
/// @param funcHandle receives the handle, the same one as aclrtBinaryGetFunction gives for the name.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: it stands for
/// nothing on this device, or for a variable, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
/// current context. Thread-safe. Follows aclrtGetFuncBySymbol of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetFuncBySymbol(
    symbol: *const c_void,
    funcHandle: *mut aclrtFuncHandle,
) -> aclError {
    guard("aclrtGetFuncBySymbol", || {
        let out = Out::new("funcHandle", funcHandle)?;
        out.write(handle::to_c(symbol::function(address::from_c(symbol))?));
        Ok(())
    })
}

/// Tells the size of the variable that a symbol stands for on the current device.
///
/// @param symbol an address that portaclRegisterSymbol was given.
/// @param size receives its bytes.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: it stands for
/// nothing on this device, or for a kernel, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
/// current context. Thread-safe. Follows aclrtGetSymbolSize of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetSymbolSize(symbol: *const c_void, size: *mut usize) -> aclError {
    guard("aclrtGetSymbolSize", || {
        let out = Out::new("size", size)?;
        out.write(symbol::span(address::from_c(symbol))?.len);
        Ok(())
    })
}

/// Tells where the variable is that a symbol stands for on the current device. aclrtBinaryGetGlobal says what can be
/// done with it.
///
/// @param symbol an address that portaclRegisterSymbol was given.
/// @param devPtr receives its address.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: it stands for
/// nothing on this device, or for a kernel, or called inside a host function; ACL_ERROR_RT_CONTEXT_NULL 107002: no
/// current context. Thread-safe. Follows aclrtGetSymbolAddress of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetSymbolAddress(
    symbol: *const c_void,
    devPtr: *mut *mut c_void,
) -> aclError {
    guard("aclrtGetSymbolAddress", || {
        let out = Out::new("devPtr", devPtr)?;
        out.write(address::to_c(symbol::span(address::from_c(symbol))?.addr));
        Ok(())
    })
}

/// Copies to the variable that a symbol stands for on the current device, and waits. In order with nothing, as
/// aclrtMemcpy.
///
/// @param symbol an address that portaclRegisterSymbol was given.
/// @param src where the bytes come from.
/// @param count bytes; 0 copies nothing.
/// @param offset where they go in the variable, in bytes from its beginning.
/// @param kind ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
/// @return as aclrtMemcpy; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` go past the
/// variable's end; ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` stands for nothing on the current device, or for a
/// kernel. Thread-safe. Follows aclrtMemcpyToSymbol of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMemcpyToSymbol(
    symbol: *const c_void,
    src: *const c_void,
    count: usize,
    offset: usize,
    kind: MaybeUninit<aclrtMemcpyKind>,
) -> aclError {
    guard("aclrtMemcpyToSymbol", || {
        let part = Part { symbol: address::from_c(symbol), count, offset };
        symbol::write(part, address::from_c(src), enum_value(kind))
    })
}

/// Copies to the variable that a symbol stands for on the current device, in stream order, as aclrtMemcpyAsync. The
/// variable stays until it is done, whatever becomes of its binary.
///
/// @param symbol an address that portaclRegisterSymbol was given.
/// @param src where the bytes come from.
/// @param count bytes; 0 copies nothing.
/// @param offset where they go in the variable, in bytes from its beginning.
/// @param kind ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
/// @param stream a stream; null: the default stream of the current context.
/// @return as aclrtMemcpyAsync; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` go past the
/// variable's end; ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` stands for nothing on the current device, or for a
/// kernel. Thread-safe. Follows aclrtMemcpyToSymbolAsync of the Ascend runtime API.
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
        let part = Part { symbol: address::from_c(symbol), count, offset };
        symbol::write_async(part, address::from_c(src), enum_value(kind), handle::from_c(stream))
    })
}

/// Copies from the variable that a symbol stands for on the current device, and waits. In order with nothing, as
/// aclrtMemcpy.
///
/// @param dst where the bytes go.
/// @param dstMax room there in bytes.
/// @param symbol an address that portaclRegisterSymbol was given.
/// @param count bytes, at most `dstMax`; 0 copies nothing.
/// @param offset where they begin in the variable, in bytes from its beginning.
/// @param kind ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
/// @return as aclrtMemcpy; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` go past the
/// variable's end; ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` stands for nothing on the current device, or for a
/// kernel. Thread-safe. Follows aclrtMemcpyFromSymbol of the Ascend runtime API.
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
        let part = Part { symbol: address::from_c(symbol), count, offset };
        symbol::read(part, address::from_c(dst), dstMax, enum_value(kind))
    })
}

/// Copies from the variable that a symbol stands for on the current device, in stream order, as aclrtMemcpyAsync. The
/// variable stays until it is done, whatever becomes of its binary.
///
/// @param dst where the bytes go.
/// @param dstMax room there in bytes.
/// @param symbol an address that portaclRegisterSymbol was given.
/// @param count bytes, at most `dstMax`; 0 copies nothing.
/// @param offset where they begin in the variable, in bytes from its beginning.
/// @param kind ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT.
/// @param stream a stream; null: the default stream of the current context.
/// @return as aclrtMemcpyAsync; ACL_ERROR_INVALID_PARAM 100000: a null pointer, or `offset` and `count` go past the
/// variable's end; ACL_ERROR_RT_PARAM_INVALID 107000: `symbol` stands for nothing on the current device, or for a
/// kernel. Thread-safe. Follows aclrtMemcpyFromSymbolAsync of the Ascend runtime API.
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
        let part = Part { symbol: address::from_c(symbol), count, offset };
        symbol::read_async(
            part,
            address::from_c(dst),
            dstMax,
            enum_value(kind),
            handle::from_c(stream),
        )
    })
}
