//! What an address in the program stands for.

use std::ffi::{c_char, c_void};

use crate::core::kernel::symbol;
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{address, handle, text};
use crate::ffi::types::{aclError, aclrtBinHandle};

/// Makes an address in the program stand for a variable or a kernel of a binary, on the device of that binary: what
/// compilers for one language on both sides do by themselves. From then on aclrtGetSymbolAddress, aclrtGetSymbolSize,
/// aclrtMemcpyToSymbol and its kin take it where it stands for a variable; aclrtGetFuncBySymbol, and the launches
/// that take a `void* func`, where it stands for a kernel. It may stand for something else on another device. On the
/// same one it stands for what was registered last. It stands for nothing any more when the binary is unloaded.
///
/// @param binHandle a handle of aclrtBinaryLoadFromFile or aclrtBinaryLoadFromData.
/// @param symbol any address, of a variable or function of the program, say; nobody looks what is there.
/// @param name what the binary calls it; a variable of that name goes before a kernel.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null pointer; ACL_ERROR_RT_PARAM_INVALID 107000: not a handle
/// of a program, unloaded, the binary has neither variable nor kernel of that name, or called inside a host function;
/// ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: as for aclrtBinaryGetFunction. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn portaclRegisterSymbol(
    binHandle: aclrtBinHandle,
    symbol: *const c_void,
    name: *const c_char,
) -> aclError {
    guard("portaclRegisterSymbol", || {
        // SAFETY: `name` is null or a C string that names the symbol.
        let name = unsafe { text::required("name", name) }?;
        symbol::register(
            handle::from_c(binHandle),
            address::from_c(symbol),
            &name.to_string_lossy(),
        )
    })
}
