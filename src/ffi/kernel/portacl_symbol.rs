//! Registration of symbols.

use std::ffi::{c_char, c_void};

use crate::base::{address, guard, handle, text};
use crate::core::kernel::symbol;
use crate::types::{aclError, aclrtBinHandle};

/// Registers an address of the program as a symbol of a variable or a kernel of a binary, on the device of that binary.
/// Compilers that build host and device code together do this automatically. Afterwards aclrtGetSymbolAddress,
/// aclrtGetSymbolSize, aclrtMemcpyToSymbol and its variants accept a symbol of a variable; aclrtGetFuncBySymbol, and
/// launches with a `void* func`, accept a symbol of a kernel. A symbol can be registered separately for each device. On
/// one device the latest registration counts. The registration ends when the binary is unloaded.
///
/// @param binHandle a handle of aclrtBinaryLoad, aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
/// @param symbol any address, for example of a variable or function of the program; the memory is not accessed.
/// @param name the name in the binary; if a variable and a kernel have this name, the variable is used.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null pointer.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a binary handle, unloaded, the binary has neither a variable nor a
///     kernel of that name, or called inside a host function.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: as in aclrtBinaryGetFunction.
/// @note Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclRegisterSymbol(
    binHandle: aclrtBinHandle,
    symbol: *const c_void,
    name: *const c_char,
) -> aclError {
    guard("portaclRegisterSymbol", || {
        // SAFETY: `name` is null or a C string that names the symbol.
        let name = unsafe { text::required("name", name) }?;
        symbol::register(handle::from_c(binHandle), address::from_c(symbol), &name.to_string_lossy())
    })
}
