//! Functions that are called when a graph ends.

use std::ffi::c_void;

use crate::core::base::error::Error;
use crate::core::graph::end_callback::{self, EndCallback};
use crate::ffi::base::guard::guard;
use crate::ffi::base::value::{address, handle};
use crate::ffi::types::{aclError, aclmdlRI, aclrtCallback};

/// Has a function called when a graph is destroyed, or goes with its device (aclrtResetDevice, aclFinalize). By then the
/// graph's handle is dead, and no run of it is left. The functions of a graph are called in the order in which they
/// were registered, each once, by the thread that ends the graph, which holds no lock meanwhile: they may call this
/// library. A function is the program's until it has returned, and so is what `userData` points to.
///
/// @param modelRI a graph.
/// @param func the function.
/// @param userData its argument; may be null.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: `modelRI` or `func` is null; ACL_ERROR_RT_PARAM_INVALID 107000:
/// not a graph, destroyed, the body of a conditional task, or the graph has this function already; ACL_ERROR_RT_MODEL_CAPTURED 107026: it is still
/// being recorded. Thread-safe. Follows aclmdlRIDestroyRegisterCallback of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDestroyRegisterCallback(
    modelRI: aclmdlRI,
    func: aclrtCallback,
    userData: *mut c_void,
) -> aclError {
    guard("aclmdlRIDestroyRegisterCallback", || {
        let Some(func) = func else { return Err(no_function()) };
        let data = address::from_c(userData);
        // SAFETY: the caller promises that it may be called once with this, from any thread.
        let call = Box::new(move || unsafe { func(address::to_c(data)) });
        let callback = EndCallback { address: func as usize, call };
        end_callback::register(handle::from_c(modelRI), callback)
    })
}

/// Takes back aclmdlRIDestroyRegisterCallback.
///
/// @param modelRI a graph.
/// @param func the function.
/// @return ACL_SUCCESS; ACL_ERROR_INVALID_PARAM 100000: a null argument; ACL_ERROR_RT_PARAM_INVALID 107000: not a graph,
/// destroyed, or the graph has no such function. Thread-safe. Follows aclmdlRIDestroyUnregisterCallback of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDestroyUnregisterCallback(
    modelRI: aclmdlRI,
    func: aclrtCallback,
) -> aclError {
    guard("aclmdlRIDestroyUnregisterCallback", || {
        let Some(func) = func else { return Err(no_function()) };
        end_callback::unregister(handle::from_c(modelRI), func as usize)
    })
}

fn no_function() -> Error {
    Error::invalid_param("func is null; pass the function to call")
}
