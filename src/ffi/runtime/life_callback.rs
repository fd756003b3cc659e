//! Callbacks of aclInit and aclFinalize.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::sync::Arc;

use crate::base::{Callback, address, enum_value, function, guard};
use crate::core::base::error::Result;
use crate::core::runtime::life_callback::{self, At, Id};
use crate::types::{aclError, aclFinalizeCallbackFunc, aclInitCallbackFunc, aclRegisterCallbackType};

/// Checks that C passed a function.
fn required<F>(callback: Option<F>) -> Result<F> {
    function("cbFunc", callback, "it must be a function")
}

/// Registers a function that every aclInit calls which initializes the library. If the library is already initialized,
/// the function is called at once.
///
/// The function gets the text of the configuration file, or `{}` if there is none, its length in bytes without the
/// terminating zero, and `userData`; the text is valid during the call only. Functions are called in the order of their
/// registration, on the thread that calls aclInit (or this function). No lock is held: they may call all functions,
/// including aclInit and this one. Meanwhile the library counts as initialized, and other threads may use it. A
/// function that does not return 0 fails the call: then aclInit finalizes the library again, and this function does not
/// register. A registration stays until it is removed, also through aclFinalize.
///
/// @param type an aclRegisterCallbackType that names the registering component. Type and function together identify the
///     registration; the type has no other meaning.
/// @param cbFunc the function; it must not throw.
/// @param userData argument of the callback; may be null. The caller keeps it valid.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null function, or an unknown aclRegisterCallbackType.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: this function is already registered for this type.
/// @retval ACL_ERROR_FAILURE 500001: it was called and did not return 0.
/// @note Thread-safe. Follows aclInitCallbackRegister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclInitCallbackRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclInitCallbackFunc,
    userData: *mut c_void,
) -> aclError {
    guard("aclInitCallbackRegister", || {
        let function = required(cbFunc)?;
        let argument = address::from_c(userData);
        let callback = move |text: &CStr| {
            // SAFETY: by the contract of this function it can be called with the caller's
            // argument until it is unregistered; the text outlives the call.
            unsafe { function.may_unwind()(text.as_ptr(), text.count_bytes(), address::to_c(argument)) }
        };
        life_callback::register(Id(At::Init, enum_value(r#type), function as usize), Arc::new(callback))
    })
}

/// Removes a registration of aclInitCallbackRegister. An aclInit that has begun on another thread may still call it.
///
/// @param type an aclRegisterCallbackType that names the registering component. Type and function together identify the
///     registration; the type has no other meaning.
/// @param cbFunc the function.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null function, or an unknown aclRegisterCallbackType.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the function is not registered for this type.
/// @note Thread-safe. Follows aclInitCallbackUnRegister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclInitCallbackUnRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclInitCallbackFunc,
) -> aclError {
    guard("aclInitCallbackUnRegister", || {
        life_callback::unregister(Id(At::Init, enum_value(r#type), required(cbFunc)? as usize))
    })
}

/// Registers a function that every aclFinalize (or last aclFinalizeReference) calls which finalizes the library.
///
/// The function gets `userData`. Functions are called in the reverse order of their registration, on the thread that
/// calls aclFinalize, while devices, streams and memory still exist. No lock is held: they may call all functions.
/// Inside them aclInit counts as repeated, and aclFinalize as already called. If a function does not return 0,
/// aclFinalize returns an error after everything is finalized. A registration stays until it is removed, also through
/// aclFinalize.
///
/// @param type an aclRegisterCallbackType that names the registering component. Type and function together identify the
///     registration; the type has no other meaning.
/// @param cbFunc the function; it must not throw.
/// @param userData argument of the callback; may be null. The caller keeps it valid.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null function, or an unknown aclRegisterCallbackType.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: this function is already registered for this type.
/// @note Thread-safe. Follows aclFinalizeCallbackRegister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalizeCallbackRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclFinalizeCallbackFunc,
    userData: *mut c_void,
) -> aclError {
    guard("aclFinalizeCallbackRegister", || {
        let function = required(cbFunc)?;
        let argument = address::from_c(userData);
        // SAFETY: the program keeps the finalize callback and its argument valid until it has
        // run or is unregistered.
        let callback = move |_: &CStr| unsafe { function.may_unwind()(address::to_c(argument)) };
        life_callback::register(Id(At::Finalize, enum_value(r#type), function as usize), Arc::new(callback))
    })
}

/// Removes a registration of aclFinalizeCallbackRegister. A finalize that has begun on another thread may still call
/// it.
///
/// @param type an aclRegisterCallbackType that names the registering component. Type and function together identify the
///     registration; the type has no other meaning.
/// @param cbFunc the function.
/// @retval ACL_ERROR_INVALID_PARAM 100000: null function, or an unknown aclRegisterCallbackType.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: the function is not registered for this type.
/// @note Thread-safe. Follows aclFinalizeCallbackUnRegister of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalizeCallbackUnRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclFinalizeCallbackFunc,
) -> aclError {
    guard("aclFinalizeCallbackUnRegister", || {
        life_callback::unregister(Id(At::Finalize, enum_value(r#type), required(cbFunc)? as usize))
    })
}
