//! Start and end of the library.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::path::Path;

use crate::core::error::{Code, Result};
use crate::core::runtime;
use crate::ffi::guard::{guard, guard_unsupported};
use crate::ffi::types::{
    aclError, aclFinalizeCallbackFunc, aclInitCallbackFunc, aclRegisterCallbackType,
};
use crate::ffi::value::{Out, text};

/// A thread that was left behind in user code still runs this library's code: it must never be
/// unloaded then.
fn keep_loaded_if_left_behind(outcome: Result<()>) -> Result<()> {
    if outcome.as_ref().is_err_and(|error| error.code() == Code::Failure) {
        let here = keep_loaded_if_left_behind as *const c_void;
        // SAFETY: plain calls about our own code; `found` is written by dladdr before it is read.
        unsafe {
            let mut found = std::mem::zeroed::<libc::Dl_info>();
            if libc::dladdr(here, &mut found) != 0 && !found.dli_fname.is_null() {
                libc::dlopen(
                    found.dli_fname,
                    libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE,
                );
            }
        }
    }
    outcome
}

/// Starts the library: reads the configuration and opens the backend (`PORTACL_BACKEND`).
///
/// `configPath` names a JSON file; null, an empty text and a file with `{}` mean the defaults. Keys with
/// an effect: `defaultDevice.default_device` (a device id as text: the device of threads that set none)
/// and `err_msg_mode` ("0": each thread fetches its own failure texts, "1": one text for the process);
/// others are accepted and ignored. Thread-safe: of several callers exactly one starts the library. Calls
/// that need no configuration work without aclInit, with its defaults.
///
/// @param configPath zero-terminated path, read during the call only; may be null.
/// @return ACL_SUCCESS; ACL_ERROR_REPEAT_INITIALIZE 100002: started already (counted; the first
/// configuration stays); ACL_ERROR_INVALID_FILE 100003: not readable; ACL_ERROR_PARSE_FILE 100006: not
/// JSON, or nested deeper than 10; ACL_ERROR_INVALID_PARAM 100000: bad `err_msg_mode` or environment
/// variable; ACL_ERROR_FAILURE 500001: bad `default_device`; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: no
/// usable device; ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function. Follows aclInit of
/// the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclInit(configPath: *const c_char) -> aclError {
    guard("aclInit", || {
        // SAFETY: null or a zero-terminated text, by the contract of this module.
        let path = unsafe { text::optional(configPath) };
        let path = path.filter(|path| !path.is_empty()).map(Path::new);
        runtime::init(path)
    })
}

/// Ends the library, however often it was started: resets every device as aclrtResetDeviceForce does,
/// waits for pending work, releases pinned host memory, and joins the library's threads.
///
/// All handles and addresses are invalid afterwards; using or freeing them is an error, never a crash.
/// aclInit (or aclrtSetDevice) begins a new life. User code that does not return is waited for a bounded
/// time (`PORTACL_FINALIZE_TIMEOUT_MS`, 5000). A failure of work that nobody was told of, or a refusal of the
/// driver to release something, is returned; everything ends all the same. A program may also exit without
/// this call. Thread-safe.
///
/// @return ACL_SUCCESS; ACL_ERROR_REPEAT_FINALIZE 100037: not started; ACL_ERROR_FAILURE 500001: user code
/// did not return in time, its thread was left behind and the library stays loaded;
/// ACL_ERROR_RT_PARAM_INVALID 107000: called inside a host function; ACL_ERROR_RT_AICORE_EXCEPTION 507015:
/// work had failed; ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899: the driver refused. Follows aclFinalize of the Ascend
/// runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalize() -> aclError {
    guard("aclFinalize", || keep_loaded_if_left_behind(runtime::finalize()))
}

/// Takes back one aclInit (a repeated one counts too); the last one ends the library as aclFinalize does.
///
/// @param refCount receives how many are left, also on failure; may be null.
/// @return ACL_SUCCESS; ACL_ERROR_REPEAT_FINALIZE 100037: the count was 0; otherwise as aclFinalize.
/// Thread-safe. Follows aclFinalizeReference of the Ascend runtime API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalizeReference(refCount: *mut u64) -> aclError {
    guard("aclFinalizeReference", || {
        let (left, outcome) = runtime::finalize_reference();
        if let Ok(count) = Out::new("refCount", refCount) {
            count.write(left);
        }
        keep_loaded_if_left_behind(outcome)
    })
}

/// Has `cbFunc` called with the configuration's text when the library starts, at once if it runs
/// already.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclInitCallbackRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclInitCallbackFunc,
    userData: *mut c_void,
) -> aclError {
    guard_unsupported(
        "aclInitCallbackRegister",
        "callbacks at aclInit are not kept; run the code right after aclInit instead",
    )
}

/// Takes back a registration of aclInitCallbackRegister.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclInitCallbackUnRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclInitCallbackFunc,
) -> aclError {
    guard_unsupported(
        "aclInitCallbackUnRegister",
        "callbacks at aclInit are not kept, so there is none to take back; leave the call out",
    )
}

/// Has `cbFunc` called when the library ends.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalizeCallbackRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclFinalizeCallbackFunc,
    userData: *mut c_void,
) -> aclError {
    guard_unsupported(
        "aclFinalizeCallbackRegister",
        "callbacks at aclFinalize are not kept; run the code right before aclFinalize instead",
    )
}

/// Takes back a registration of aclFinalizeCallbackRegister.
///
/// @return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclGetRecentErrMsg tells what is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalizeCallbackUnRegister(
    r#type: MaybeUninit<aclRegisterCallbackType>,
    cbFunc: aclFinalizeCallbackFunc,
) -> aclError {
    guard_unsupported(
        "aclFinalizeCallbackUnRegister",
        "callbacks at aclFinalize are not kept, so there is none to take back; leave the call out",
    )
}
