//! Initialization and finalization of the library.

use std::ffi::c_char;
use std::path::Path;

use crate::base::{Out, guard, text};
use crate::core::runtime;
use crate::types::aclError;

/// Initializes the library: reads the configuration and opens the backend (`PORTACL_BACKEND`).
///
/// `configPath` names a JSON file; null, an empty text and a file with `{}` select the defaults. Keys with an effect:
/// `defaultDevice.default_device` (a device id as a string: the device of threads that have not set one) and
/// `err_msg_mode` ("0": each thread gets its own error texts, "1": one text for the process); other keys are accepted
/// and ignored. Thread-safe: of several callers exactly one initializes the library. Calls that need no configuration
/// work without aclInit, with the defaults. Functions of aclInitCallbackRegister are called last.
///
/// @param configPath zero-terminated path, read during the call only; may be null.
/// @retval ACL_ERROR_REPEAT_INITIALIZE 100002: already initialized (the call is counted; the first configuration
///     stays).
/// @retval ACL_ERROR_INVALID_FILE 100003: not readable, longer than 1 MiB, or a file that an environment variable names
///     cannot be opened.
/// @retval ACL_ERROR_BAD_ALLOC 200000: the host has no memory for the file.
/// @retval ACL_ERROR_PARSE_FILE 100006: not a JSON object in UTF-8, or more than 10 objects or 10 arrays deep.
/// @retval ACL_ERROR_INVALID_PARAM 100000: invalid `err_msg_mode` or environment variable.
/// @retval ACL_ERROR_FAILURE 500001: invalid `default_device`, or a function of aclInitCallbackRegister failed.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no usable device.
/// @retval ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000: a variable asks for what the backend or the machine does not have
///     (docs/configuration.md).
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @note Follows aclInit of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclInit(configPath: *const c_char) -> aclError {
    guard("aclInit", || {
        // SAFETY: null or a zero-terminated text, by the contract of this module.
        let path = unsafe { text::optional(configPath) };
        let path = path.filter(|path| !path.is_empty()).map(Path::new);
        runtime::init(path)
    })
}

/// Finalizes the library, however often it was initialized: calls the functions of aclFinalizeCallbackRegister, resets
/// every device as aclrtResetDeviceForce does, waits for pending work, frees pinned host memory, and joins the
/// library's threads.
///
/// Handles and addresses are invalid afterwards, except those that belong to no device or session (docs/failures.md);
/// passing them to a call is an error, never a crash, but to destroy each object once succeeds. aclInit (or
/// aclrtSetDevice) starts a new session. The call waits a bounded time for work and user code that do not end
/// (`PORTACL_FINALIZE_TIMEOUT_MS`, 5000). Returns the first unreported failure of enqueued work, or an error of the
/// driver; the library is finalized anyway. A program may also exit without this call. Thread-safe.
///
/// @retval ACL_ERROR_REPEAT_FINALIZE 100037: not initialized, or another thread finalizes the library.
/// @retval ACL_ERROR_FAILURE 500001: user code did not return in time: its thread is still running and the library
///     stays loaded; or a function of aclFinalizeCallbackRegister failed.
/// @retval ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function.
/// @retval ACL_ERROR_RT_AICORE_EXCEPTION 507015, or another code, such as ACL_ERROR_RT_WAIT_TIMEOUT 107019: work had
///     failed.
/// @retval ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused.
/// @note Follows aclFinalize of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalize() -> aclError {
    guard("aclFinalize", runtime::finalize)
}

/// Undoes one aclInit (repeated calls of aclInit count); the last call finalizes the library as aclFinalize does.
///
/// @param refCount receives the remaining count, also on failure; may be null.
/// @retval ACL_ERROR_REPEAT_FINALIZE 100037: the count was 0; otherwise the codes of aclFinalize.
/// @note Thread-safe. Follows aclFinalizeReference of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalizeReference(refCount: *mut u64) -> aclError {
    guard("aclFinalizeReference", || {
        let (left, outcome) = runtime::finalize_reference();
        if let Ok(count) = Out::new("refCount", refCount) {
            count.write(left);
        }
        outcome
    })
}
