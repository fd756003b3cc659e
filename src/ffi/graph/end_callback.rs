//! Functions that are called when a graph is destroyed.

use std::ffi::c_void;

use crate::base::{Callback, address, function, guard, handle};
use crate::core::graph::end_callback::{self, EndCallback};
use crate::types::{aclError, aclmdlRI, aclrtCallback};

/// Registers a function that is called when a graph is destroyed, or released with its device (aclrtResetDevice,
/// aclFinalize). At that time the graph's handle is invalid, and no launch of it is pending. The functions of a graph
/// are called once, in the order of their registration, on the thread that destroys the graph. No lock is held: they
/// may call this library. The program keeps the function and its user data valid until the function has returned.
///
/// @param modelRI a graph.
/// @param func the function.
/// @param userData argument of the function; may be null.
/// @retval ACL_ERROR_INVALID_PARAM 100000: `modelRI` or `func` is null.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, the body of a conditional task, or the function
///     is already registered for the graph.
/// @retval ACL_ERROR_RT_MODEL_CAPTURED 107026: the graph is still being captured or built.
/// @note Thread-safe. Follows aclmdlRIDestroyRegisterCallback of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDestroyRegisterCallback(
    modelRI: aclmdlRI,
    func: aclrtCallback,
    userData: *mut c_void,
) -> aclError {
    guard("aclmdlRIDestroyRegisterCallback", || {
        let func = function("func", func, "pass the function to call")?;
        let data = address::from_c(userData);
        // SAFETY: the caller promises that it may be called once with this, from any thread.
        let call = Box::new(move || unsafe { func.may_unwind()(address::to_c(data)) });
        let callback = EndCallback { address: func as usize, call };
        end_callback::register(handle::from_c(modelRI), callback)
    })
}

/// Removes a registration of aclmdlRIDestroyRegisterCallback.
///
/// @param modelRI a graph.
/// @param func the function.
/// @retval ACL_ERROR_INVALID_PARAM 100000: a null argument.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: not a graph, destroyed, or the function is not registered for the graph.
/// @note Thread-safe. Follows aclmdlRIDestroyUnregisterCallback of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRIDestroyUnregisterCallback(modelRI: aclmdlRI, func: aclrtCallback) -> aclError {
    guard("aclmdlRIDestroyUnregisterCallback", || {
        let func = function("func", func, "pass the registered function")?;
        end_callback::unregister(handle::from_c(modelRI), func as usize)
    })
}
